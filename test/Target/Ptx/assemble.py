"""Compiles the first form of each folder for h200; prints what failed and counts.

A kernel without an entry of ptxas in the manifest counts as a failure.
"""
import argparse
import json
import os
import shutil
import subprocess

parser = argparse.ArgumentParser()
parser.add_argument("--tang-compile", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("folders")
args = parser.parse_args()

models = kernels = 0
for name in sorted(os.listdir(args.folders)):
    source = os.path.join(args.folders, name, f"{name}.mlir")
    if not os.path.exists(source):
        continue
    bundle = os.path.join(args.work, name)
    shutil.rmtree(bundle, ignore_errors=True)
    os.makedirs(args.work, exist_ok=True)
    command = [args.tang_compile, "--target=h200", source, "-o", bundle]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    if done.returncode:
        print(f"failed: {name}: {done.stderr[:1000]}")
        continue
    with open(os.path.join(bundle, "manifest.json")) as file:
        entries = json.load(file)["kernels"]
    for kernel in entries:
        if kernel.get("registers", 0) <= 0 or "spill_bytes" not in kernel:
            print(f"failed: {name}: {kernel['name']} was not assembled")
    models += 1
    kernels += len(entries)
    shutil.rmtree(bundle)
print(f"{models} models, {kernels} kernels")
