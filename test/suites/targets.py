"""Which targets this machine can run, found out once by running a tiny function on each."""
import os
import re
import shutil

from process import run

TARGETS = ("reference", "cpu", "c", "opencl", "vulkan", "cuda", "webgpu")
# What the suites over folders run besides, compiled for this machine: the source that tang-compile makes of a target, with
# these options, and the folder of Target whose emulate.py compiles it.
EMULATED = {"metal": (["--target=metal"], "Metal"), "cuda-source": (["--target=cuda", "--cuda-source"], "Cuda")}
SUITE_TARGETS = TARGETS + tuple(EMULATED)
TINY = """func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""
# Only a message that says so makes a target unsupported; any other failure is left for the tests to show.
MISSING = re.compile(
    r"libOpenCL|libvulkan|libcuda|libdevice|clGetPlatformIDs|ICD|(no|not|missing|without|cannot find|could not find|unable to find)\b[^\n]*"
    r"\b(OpenCL|Vulkan|WebGPU|device|platform|driver|C compiler|system compiler)",
    re.I,
)


def probe(tang_run, work, env):
    """{target: reason} of the targets that this machine lacks."""
    required = os.environ.get("TANG_REQUIRE_TARGETS", "").replace(",", " ").split()
    os.makedirs(work, exist_ok=True)
    tiny = os.path.join(work, "probe.mlir")
    with open(tiny, "w") as f:
        f.write(TINY)
    lacking = {}
    for target in TARGETS[2:]:
        done = run([tang_run, tiny, f"--target={target}", "--input=4xf32=1"], 60, env)
        found = MISSING.search(done.err) if done.code == 2 else None
        if found and target not in required:
            line = next(l for l in done.err.splitlines() if MISSING.search(l) or l.strip())
            lacking[target] = line.strip()[:200]
    if not shutil.which("clang++-22", path=env.get("PATH")):
        for target in EMULATED:
            lacking[target] = "clang++-22, which compiles its source for this machine, is not installed"
    return lacking


def has_cuda_toolkit(env):
    """Whether tang-compile finds ptxas and libdevice (lib/Target/Ptx/CudaFiles.cpp)."""
    given = env.get("CUDA_HOME") or env.get("CUDA_PATH")
    ptxas = shutil.which("ptxas", path=env.get("PATH"))
    roots = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
    if given:
        roots = [given]
    elif ptxas:
        roots.insert(0, os.path.dirname(os.path.dirname(ptxas)))
    return all(
        any(os.path.exists(os.path.join(root, file)) for root in roots)
        for file in ("bin/ptxas", "nvvm/libdevice/libdevice.10.bc")
    )
