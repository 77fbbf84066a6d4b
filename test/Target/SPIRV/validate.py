#!/usr/bin/env python3
"""Compiles modules for Vulkan and checks what comes out with its own tools.

  validate.py --tang-compile=PATH --work=DIR (FILE.mlir | FOLDER)...

spirv-val reads each kernel, and glslangValidator each kernel's GLSL; neither may say anything. Of a folder all
FOLDER/*/*.mlir are taken that tang-compile accepts, except for further forms of a module (NAME.FORM.mlir).
"""
import argparse
import glob
import json
import os
import shutil
import subprocess
import sys


def modules(path):
    if not os.path.isdir(path):
        return [path]
    return sorted(f for f in glob.glob(os.path.join(path, "*", "*.mlir")) if os.path.basename(f).count(".") == 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--tang-compile", required=True)
    parser.add_argument("--work", required=True)
    args = parser.parse_args()
    bundle = os.path.join(args.work, "bundle")
    os.makedirs(args.work, exist_ok=True)
    kernels = failures = 0
    for module in [m for path in args.paths for m in modules(path)]:
        shutil.rmtree(bundle, ignore_errors=True)
        done = subprocess.run([args.tang_compile, module, "--target=vulkan", "-o", bundle], capture_output=True)
        if done.returncode:
            continue
        with open(os.path.join(bundle, "manifest.json")) as f:
            names = [kernel["name"] for kernel in json.load(f)["kernels"]]
        for name in names:
            kernels += 1
            glsl = ["glslangValidator", "--target-env", "vulkan1.1", "-S", "comp", f"-DKERNEL_{name}", "kernels.comp"]
            for command in (["spirv-val", "--target-env", "vulkan1.1", name + ".spv"], glsl):
                done = subprocess.run(command, capture_output=True, text=True, cwd=bundle)
                said = (done.stdout + done.stderr).replace("kernels.comp", "").strip()
                if done.returncode or said:
                    failures += 1
                    print(f"{module}: {name}: {' '.join(command)}\n{said}")
    print(f"{kernels} kernels, {failures} failures")
    return 1 if failures or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
