#!/usr/bin/env python3
"""Makes a bundle of target metal one of target c, with the same kernels.metal compiled for this machine.

  emulate.py BUNDLE [--clang=clang++-22]

clang compiles the kernels as C++20 against include/metal_stdlib; a function of the C kernel ABI (docs/Bundle.md) around
each runs it for every thread of every block. Kernels of Tang have no barriers, so that the threads of a block may run one
after the other. No Apple GPU takes part. Exit 3 if clang finds anything to say, with its messages.
"""
import argparse
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROW = 7  # Blocks in a row of the grid, fewer than there would be, so that rows show.
WIDE = {"f64", "i64", "index"}
BUILTINS = {
    "thread_position_in_threadgroup": "uint3{uint(thread_), 0, 0}",
    "threadgroup_position_in_grid": f"uint3{{uint(block_ % {ROW}), uint(block_ / {ROW}), 0}}",
    "threadgroups_per_grid": f"uint3{{{ROW}, uint((last_ - 1) / {ROW} + 1), 1}}",
}


def pack(scalars):
    """C++ that fills `block`, the block of arguments: each scalar aligned to its size, then the number of blocks."""
    lines, offset = [], 0
    for i, scalar in enumerate(scalars):
        size = 8 if scalar["type"] in WIDE else 4
        offset = (offset + size - 1) // size * size
        # Little-endian: the low bytes of a wider integer, and a float's bits stand in the low half.
        lines.append(f"  std::memcpy(block + {offset}, scalars_ + {i}, {size});")
        offset += size
    lines += ["  uint blocks_ = uint(last_);", f"  std::memcpy(block + {offset}, &blocks_, 4);"]
    return "\n".join([f"  alignas(8) char block[{offset + 4}];"] + lines)


def wrapper(kernel, parameters):
    """The function of the C kernel ABI around a kernel whose parameters in Metal are `parameters`."""
    values = []
    for parameter in re.findall(r"(.+?) (\w+) \[\[(\w+)(?:\((\d+)\))?\]\](?:, )?", parameters):
        kind, _, attribute, number = parameter
        if attribute == "buffer":
            base = "block" if int(number) == len(kernel["buffers"]) else f"buffers_[{number}]"
            struct = kind.replace("device ", "").replace("constant ", "const ").rstrip("&").strip()
            struct = re.sub(r"\b(?!const\b)(\w+)$", r"metal_source::\1", struct)
            values.append(f"*({struct} *)({base})")
        else:
            values.append(BUILTINS[attribute])
    name = kernel["name"]
    return f"""extern "C" void {name}(void *const *buffers_, const int64_t *scalars_, int64_t first_, int64_t last_) {{
{pack(kernel["scalars"])}
  for (int64_t block_ = first_; block_ < last_; ++block_)
    for (int64_t thread_ = 0; thread_ < {kernel["block"][0]}; ++thread_)
      metal_source::{name}({", ".join(values)});
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--clang", default="clang++-22")
    args = parser.parse_args()
    path = lambda name: os.path.join(args.bundle, name)
    with open(path("manifest.json")) as f:
        manifest = json.load(f)
    text = open(path("kernels.metal")).read() if manifest["kernels"] else ""
    found = dict(re.findall(r"^kernel void (\w+)\((.*)\)$", text, re.M))
    source = '#include <cstring>\n#include <metal_stdlib>\nnamespace metal_source {\n#include "kernels.metal"\n}\n'
    if not manifest["kernels"]:
        source = ""
    for kernel in manifest["kernels"]:
        source += wrapper(kernel, found[kernel["name"]])
        # The C kernel ABI knows blocks only.
        kernel.update(file="kernels.so", block=[1, 1, 1])
    with open(path("emulated.cpp"), "w") as f:
        f.write(source)
    command = [args.clang, "-std=c++20", "-O1", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"]
    # A literal without suffix is a float in Metal.
    command += ["-Xclang", "-cl-single-precision-constant"]
    command += ["-Wno-unknown-attributes", "-Wno-unused-parameter", "-isystem", os.path.join(HERE, "include")]
    command += ["-shared", "-fPIC", path("emulated.cpp"), "-o", path("kernels.so")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or done.stderr:
        print(done.stderr, file=sys.stderr)
        return 3
    manifest["target"] = "c"
    with open(path("manifest.json"), "w") as f:
        json.dump(manifest, f)
    return 0


if __name__ == "__main__":
    sys.exit(main())
