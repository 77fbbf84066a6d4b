#!/usr/bin/env python3
"""Compiles CUDA C++ with nvcc for the oldest and the newest architectures that matter; whatever it says is a failure.

  nvcc.py FILE...

Of sm_70 and sm_90, and in place of an architecture that this nvcc has dropped the lowest that it knows. NVRTC compiles
the files too, with no options but where CUDA's headers are.
"""
import ctypes
import os
import shutil
import subprocess
import sys
import tempfile


def toolkit():
    given = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
    nvcc = shutil.which("nvcc") or shutil.which("ptxas")
    found = [given, nvcc and os.path.dirname(os.path.dirname(nvcc)), "/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda"]
    return next(folder for folder in found if folder and os.path.exists(os.path.join(folder, "bin", "nvcc")))


def with_nvrtc(home, file):
    """What NVRTC says; nothing where it is not installed."""
    try:
        nvrtc = ctypes.CDLL(os.path.join(home, "lib64", "libnvrtc.so"))
    except OSError:
        return ""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    with open(file, "rb") as f:
        nvrtc.nvrtcCreateProgram(ctypes.byref(program), f.read(), b"kernels.cu", 0, None, None)
    options = (ctypes.c_char_p * 1)(f"-I{home}/include".encode())
    status = nvrtc.nvrtcCompileProgram(program, 1, options)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    return log.value.decode().strip() or (f"NVRTC: {status}" if status else "")


def main():
    home = toolkit()
    nvcc = os.path.join(home, "bin", "nvcc")
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True).stdout.split()
    known = sorted(int(name.split("_")[1]) for name in listed)
    wanted = {arch if arch in known else known[0] for arch in (70, 90)}
    failed = 0
    for file in sys.argv[1:]:
        said = {"NVRTC": with_nvrtc(home, file)}
        for arch in wanted:
            with tempfile.TemporaryDirectory() as folder:
                command = [nvcc, "-std=c++17", f"-arch=sm_{arch}", "-Werror=all-warnings", "-Xptxas=-Werror", "-cubin", file]
                done = subprocess.run(command + ["-o", f"{folder}/out"], capture_output=True, text=True)
                said[f"sm_{arch}"] = (done.stdout + done.stderr).strip() or (f"exit {done.returncode}" if done.returncode else "")
        for how, text in said.items():
            if text:
                failed = 1
                print(f"{file}, {how}:\n{text}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
