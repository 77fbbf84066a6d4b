"""Graphs of many sizes for h200: each compiles, without a word, to a kernel of agents or to another one.

Products of all pairs of sizes around the limits, with depths and orders of the operands in turn, and attention of the same
lengths. Prints what failed, and counts.
"""
import argparse
import os
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--tang-compile", required=True)
parser.add_argument("--work", required=True)
parser.add_argument("root")
args = parser.parse_args()
sys.path.insert(0, os.path.join(args.root, "bench"))
import graphs

SIZES = (1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129)
os.makedirs(args.work, exist_ok=True)


def compile_all(name, texts):
    """(kernels, those of agents) of one module with a function for each text."""
    source, ptx = os.path.join(args.work, name + ".mlir"), os.path.join(args.work, name + ".ptx")
    with open(source, "w") as f:
        f.write("".join(text.replace("@main", f"@f{i}") for i, text in enumerate(texts)))
    done = subprocess.run([args.tang_compile, source, "--target=h200", "--emit=source", "-o", ptx], capture_output=True, text=True, timeout=250)
    if done.returncode or done.stderr:
        print(f"failed: {name}: exit {done.returncode}: {done.stderr[:600]}")
        return 0, 0
    with open(ptx) as f:
        entries = f.read().split(".entry ")[1:]
    return len(entries), sum("wgmma.mma_async" in entry for entry in entries)


kernels = agents = 0
turn = 0
for m in SIZES:
    texts = []
    for n in SIZES:
        # Depths that fit the matrix unit come more often than not.
        k, layout = (*SIZES, 64, 128, 192, 256)[turn % 16], ("nk", "kn")[turn // 16 % 2]
        texts.append(graphs.gemm(m, n, k, layout))
        turn += 1
    a, b = compile_all(f"gemm_{m}", texts)
    kernels, agents = kernels + a, agents + b
print(f"products: {kernels} kernels, {agents} of agents")
kernels = agents = 0
for causal in (False, True):
    a, b = compile_all(f"attention_{int(causal)}", [graphs.attention(1, 2, 1, s, 64, causal) for s in SIZES])
    kernels, agents = kernels + a, agents + b
print(f"attention: {kernels} kernels, {agents} of agents")
