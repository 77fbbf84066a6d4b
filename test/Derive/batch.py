#!/usr/bin/env python3
"""Checks that a row's result has the same bits whatever batch it is computed in.

  batch.py --tools=DIR --targets=reference,cpu,c,opencl --work=DIR FILE.mlir

The module's one dynamic size is the batch, the leading dimension of its result and of the inputs that have a `?` in
their INPUT line (see agree.py). A result for 1000 rows is computed on each target, then batches of other sizes, cut
from the same data at a place that is not a multiple of any tile; once with the module as it is, once with the size
written into it, since a schedule that sees the size may choose other tiles. A fold's order belongs to the graph, not
to the schedule: a fixed split size (not a split count) keeps it so. The reference is not asked, it has no batches.
"""
import argparse
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "suites"), os.path.join(HERE, "..", "Integration")]
import numpy as np

import agree
import numeric
from process import run

MOST = 1000
BATCHES = (1, 4, 16, 48, MOST)
WRITTEN = (1, 48, MOST)  # sizes that modules of their own are compiled for
START = 137
SECONDS = 120


def with_size(text, size):
    """The module with its dynamic size written into it."""
    return re.sub(r"tensor\.empty\(%\w+\)", "tensor.empty()", text.replace("tensor<?x", f"tensor<{size}x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--targets", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("file")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)

    def tool(name, *arguments):
        done = run([os.path.join(options.tools, name), *arguments], SECONDS * options.time_scale)
        if done.crash() or done.code:
            sys.exit(done.describe(f"{name}: {done.crash() or 'failed'}"))

    with open(options.file, encoding="utf-8") as f:
        module = f.read()
    inputs = re.findall(r"^// INPUT: *(.*?) *$", module, flags=re.M)
    data = [(t.startswith("?"), *agree.tensor(t.replace("?", str(MOST)))) for t in inputs]

    def compile_for(target, size):
        """A bundle for batches of any size (None) or of one."""
        source, out = options.file, os.path.join(options.work, f"{target}-{size or 'any'}")
        if size:
            source = os.path.join(options.work, f"{size}.mlir")
            with open(source, "w", encoding="utf-8") as f:
                f.write(with_size(module, size))
        tool("tang-compile", source, f"--target={target}", "-o", out)
        return out

    def results(folder, size):
        """Bits of the result for `size` rows from START on (from 0 for all)."""
        first = 0 if size == MOST else START
        command = []
        for i, (is_batched, values, dtype) in enumerate(data):
            path = os.path.join(options.work, f"in-{size}-{i}.npy")
            np.save(path, numeric.encode(values[first : first + size] if is_batched else values, dtype))
            command.append(f"--input=@{path}")
        path = os.path.join(options.work, "out.npy")
        tool("tang-run", folder, *command, f"--output=@{path}")
        stored = np.load(path, allow_pickle=False)
        return first, np.ascontiguousarray(stored).view(f"u{stored.dtype.itemsize}")

    failures, compared = [], 0
    for target in options.targets.split(","):
        if target == "reference":
            continue
        any_size = compile_for(target, None)
        _, whole = results(any_size, MOST)
        for size in BATCHES:
            bundles = [(f"batch of {size}", any_size)]
            if size in WRITTEN:
                bundles.append((f"module of {size} rows", compile_for(target, size)))
            for what, folder in bundles:
                first, got = results(folder, size)
                want = whole[first : first + size]
                compared += size
                bad = np.argwhere(got != want)
                if got.shape != want.shape or bad.size:
                    where = f"{len(bad)} of {want.size} elements have other bits, first {bad[:1].tolist()}"
                    failures.append(f"{target}, {what}: {where}")
    print("\n".join(failures) or f"{compared} rows have the same bits in every batch on {options.targets}")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()
