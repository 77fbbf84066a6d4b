# Configuration of the lit tests: what the tools are called, which targets this machine can run, which suites there are.
#
# Substitutions: tang-opt, tang-translate, tang-compile, tang-run, tang-lsp-server, mlir-opt, mlir-translate, FileCheck,
# not, count and split-file become full paths; %python is a Python with numpy; %tang-agree runs a module on every target
# and compares (Integration/agree.py); %tang_root is the source, %tang_build the build, %tang_lib its libraries;
# %cc, %cxx and %cmake are what Tang itself was built with; %inputs and %cases are the folders of the suites.
# Features for REQUIRES: target-reference, target-cpu, target-c, target-opencl, target-vulkan, target-metal, target-webgpu, target-cuda, target-cuda-source, browser (Chromium and what drives it), cuda-toolkit (ptxas and
# libdevice), spirv-tools (spirv-val and glslangValidator), sanitizer, shared-inputs, shared-cases.
#
# Environment: TANG_INPUTS and TANG_CASES name the folders of the suites (default: ../shared/inputs and ../shared/cases
# beside the project, else the copies in suites/copies); TANG_REQUIRE_TARGETS="opencl ..." turns "unsupported" into
# failure for these targets; TANG_TIME_SCALE multiplies the time limits.
import os
import shutil
import sys

import lit.formats
import lit.llvm
from lit.llvm.subst import ToolSubst

HERE = os.path.join(config.tang_src_root, "test")
for folder in ("suites", "Integration", "Docs"):
    path = os.path.join(HERE, folder)
    if path not in sys.path:
        sys.path.insert(0, path)
sys.dont_write_bytecode = True

import formats
import targets

config.name = "Tang"
config.test_source_root = HERE
config.test_exec_root = os.path.join(config.tang_obj_root, "test")
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = {"Inputs", "Output", "CMakeLists.txt", "unit", "fuzz", "__pycache__"}

# -- environment of the tests

lit.llvm.initialize(lit_config, config)
lit.llvm.llvm_config.with_environment("PATH", [config.llvm_tools_dir, config.tang_tools_dir], append_path=True)
lit.llvm.llvm_config.with_system_environment(
    ["HOME", "TMPDIR", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "XDG_RUNTIME_DIR", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "CC", "CCACHE_DIR"]
    + [name for name in os.environ if name.startswith(("TANG_", "POCL_", "OMP_"))]
)
config.environment.setdefault("POCL_CACHE_DIR", os.path.join(config.test_exec_root, "pocl-cache"))
os.makedirs(config.environment["POCL_CACHE_DIR"], exist_ok=True)
# Mesa's Vulkan drivers want a folder of their own.
config.environment.setdefault("XDG_RUNTIME_DIR", os.path.join(config.test_exec_root, "xdg-runtime"))
os.makedirs(config.environment["XDG_RUNTIME_DIR"], mode=0o700, exist_ok=True)
# The only driver of these that Dawn takes; trying the others first takes half a second.
if os.path.exists("/usr/lib/chromium/vk_swiftshader_icd.json"):
    config.environment.setdefault("TANG_WEBGPU_DRIVER", "/usr/lib/chromium/vk_swiftshader_icd.json")
if config.tang_sanitize:
    config.available_features.add("sanitizer")
if targets.has_cuda_toolkit(os.environ):
    config.available_features.add("cuda-toolkit")
if shutil.which("spirv-val") and shutil.which("glslangValidator"):
    config.available_features.add("spirv-tools")
# What drives the browser is where the runtime finds Dawn (scripts/install-deps.sh).
node_modules = os.path.join(config.tang_obj_root, "node_modules")
if shutil.which("chromium") and shutil.which("node") and os.path.isdir(os.path.join(node_modules, "playwright-core")):
    config.available_features.add("browser")
config.substitutions.append(("%browser", f'env NODE_MODULES="{node_modules}" node "{os.path.join(HERE, "Target", "WGSL", "browser.js")}"'))
config.tang_time_scale = float(os.environ.get("TANG_TIME_SCALE", "10" if config.tang_sanitize else "1"))
if lit_config.maxIndividualTestTimeIsSupported[0] and not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = int(300 * config.tang_time_scale)

# -- targets

tang_run = os.path.join(config.tang_tools_dir, "tang-run")
if os.path.exists(tang_run):
    config.tang_lacking = targets.probe(tang_run, os.path.join(config.test_exec_root, "probe"), config.environment)
else:
    lit_config.warning(f"{tang_run} is not built; what needs it will fail")
    config.tang_lacking = {}
for target in targets.SUITE_TARGETS:
    if target in config.tang_lacking:
        lit_config.note(f"target {target} is unsupported here: {config.tang_lacking[target]}")
    else:
        config.available_features.add(f"target-{target}")

# -- the suites over folders


def suite_folder(variable, name):
    """(folder, whether it is the full one): from the environment, beside the project, or the copies."""
    given = os.environ.get(variable)
    shared = os.path.join(os.path.dirname(config.tang_src_root), "shared", name)
    copies = os.path.join(HERE, "suites", "copies", name)
    folder = given or (shared if os.path.isdir(shared) else copies)
    if not os.path.isdir(folder):
        lit_config.fatal(f"{variable}={given} is not a folder")
    return os.path.abspath(folder), os.path.realpath(folder) != os.path.realpath(copies)


config.tang_xfail_file = os.path.join(HERE, "suites", "xfail.txt")
config.tang_suites, config.tang_full_suites = {}, {}
for name, variable, form in (
    ("inputs", "TANG_INPUTS", formats.InputsFormat),
    ("cases", "TANG_CASES", formats.CasesFormat),
):
    folder, config.tang_full_suites[name] = suite_folder(variable, name)
    config.tang_suites[name] = form(folder, config.tang_xfail_file)
    if config.tang_full_suites[name]:
        config.available_features.add(f"shared-{name}")
    config.substitutions.append((f"%{name}", folder))

# -- substitutions

agree = [config.python, os.path.join(HERE, "Integration", "agree.py"), f"--tang-run={tang_run}"]
agree += ["--targets=" + ",".join(t for t in targets.TARGETS if t not in config.tang_lacking)]
agree += [f"--time-scale={config.tang_time_scale:g}", "--work=%t.agree"]
config.substitutions += [
    ("%tang-agree", " ".join(f'"{a}"' if " " in a else a for a in agree)),
    ("%tang_root", config.tang_src_root),
    ("%tang_build", config.tang_obj_root),
    ("%tang_lib", config.tang_lib_dir),
    ("%python", config.python),
    ("%cmake", config.cmake),
    ("%cxx", config.host_cxx),
    ("%cc", config.host_cc),
]
names = ["tang-opt", "tang-translate", "tang-compile", "tang-run", "tang-lsp-server"]
lit.llvm.llvm_config.add_tool_substitutions(
    [ToolSubst(n, unresolved="ignore") for n in names], [config.tang_tools_dir]
)
names = ["mlir-opt", "mlir-translate", "FileCheck", "not", "count", "split-file"]
lit.llvm.llvm_config.add_tool_substitutions([ToolSubst(n) for n in names], [config.llvm_tools_dir])
