#!/usr/bin/env python3
"""Says how much temporary memory a module needs, from its host program alone; nothing is run.

  memory.py --tools=DIR [--target=cpu] [--most=BYTES] [--shapes=33x16,65x16,...] FILE.mlir

Prints the kernels, every temporary buffer, the peak of all that are alive at once, and the results. With --most, a
greater peak is a failure. Shapes are needed where the function's are dynamic.
"""
import argparse
import os
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "suites"))

import bundle
from process import run


def size(count):
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:
            return f"{count:g} {unit}"
        count /= 1024
    return f"{count:.4g} GiB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--target", default="cpu")
    parser.add_argument("--work", default=os.path.join(os.environ.get("TMPDIR", "/tmp"), "tang-memory"))
    parser.add_argument("--most", type=int)
    parser.add_argument("--shapes")
    parser.add_argument("file")
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    compiler = os.path.join(options.tools, "tang-compile")
    done = run([compiler, options.file, f"--target={options.target}", "-o", options.work], 300)
    if done.crash() or done.code:
        sys.exit(done.describe("tang-compile failed"))
    manifest = bundle.read_manifest(options.work)
    if options.shapes:
        shapes = [[int(n) for n in shape.split("x")] for shape in options.shapes.split(",")]
    else:
        shapes = [declared["shape"] for declared in bundle.find_function(manifest)["inputs"]]
        if any(n is None for shape in shapes for n in shape):
            sys.exit("memory.py: sizes known at call time need --shapes")
    memory, comments = bundle.memory_of(manifest, shapes), bundle.comments(manifest)
    for kernel in bundle.launches(manifest):
        print(f"kernel    {kernel}: {comments.get(kernel, '')}")
    for count in memory.temporaries:
        print(f"temporary {count} bytes ({size(count)})")
    for count in memory.outputs:
        print(f"result    {count} bytes ({size(count)})")
    print(f"peak of temporaries: {memory.peak} bytes ({size(memory.peak)})")
    if options.most is not None and memory.peak > options.most:
        sys.exit(f"memory.py: want {options.most} bytes at most")


if __name__ == "__main__":
    main()
