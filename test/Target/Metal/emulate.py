#!/usr/bin/env python3
"""Makes a bundle of target metal one of target c, with the same kernels.metal compiled for this machine.

  emulate.py BUNDLE [--clang=clang++-22]

clang compiles the kernels as C++20 against include/metal_stdlib; a function of the C kernel ABI (docs/Bundle.md) around
each runs it for every thread of every block. Kernels of Tang have no barriers, so that the threads of a block may run one
after the other. No Apple GPU takes part. Exit 3 if clang finds anything to say, with its messages.
"""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from emulation import Bundle

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
    bundle = Bundle(args.bundle)
    found = dict(re.findall(r"^kernel void (\w+)\((.*)\)$", bundle.text("kernels.metal"), re.M))
    source = '#include <cstring>\n#include <metal_stdlib>\nnamespace metal_source {\n#include "kernels.metal"\n}\n'
    source = source + "".join(wrapper(k, found[k["name"]]) for k in bundle.kernels) if bundle.kernels else ""
    # A literal without suffix is a float in Metal.
    flags = ["-std=c++20", "-Xclang", "-cl-single-precision-constant", "-Wno-unknown-attributes"]
    return bundle.compile(args.clang, source, flags + ["-isystem", os.path.join(HERE, "include")])


if __name__ == "__main__":
    sys.exit(main())
