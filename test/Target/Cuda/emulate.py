#!/usr/bin/env python3
"""Makes a bundle of target c of one that `tang-compile --cuda-source` made, with kernels.cu compiled for this machine.

  emulate.py BUNDLE [--clang=clang++-22]

clang compiles the kernels as C++17 against include/cuda_emulation.h; a function of the C kernel ABI (docs/Bundle.md)
around each runs it for every thread of every block. Kernels of Tang have no barriers, so that the threads of a block may
run one after the other. No GPU takes part. Exit 3 if clang finds anything to say, with its messages.
"""
import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(HERE))
from emulation import Bundle


def wrapper(kernel):
    return f"""extern "C" void {kernel["name"]}(void *const *buffers, const int64_t *scalars, int64_t first, int64_t last) {{
  emulation::launch(cuda_source::{kernel["name"]}, {kernel["block"][0]}, buffers, scalars, first, last);
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle")
    parser.add_argument("--clang", default="clang++-22")
    args = parser.parse_args()
    bundle = Bundle(args.bundle)
    text = bundle.text("kernels.cu").replace('extern "C" __global__', "static")
    includes = "".join(line + "\n" for line in text.splitlines() if line.startswith("#include"))
    text = "".join(line + "\n" for line in text.splitlines() if not line.startswith("#include"))
    source = "#include <cuda_emulation.h>\n" + includes + "namespace cuda_source {\n" + text + "}\n"
    source = source + "".join(wrapper(kernel) for kernel in bundle.kernels) if bundle.kernels else ""
    return bundle.compile(args.clang, source, ["-std=c++17", "-isystem", os.path.join(HERE, "include")])


if __name__ == "__main__":
    sys.exit(main())
