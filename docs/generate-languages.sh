#!/usr/bin/env bash
# Prints Languages.md: docs/languages.mlir in every language that kernels are emitted in. A test compares the page with this
# output, and counts lines.
#   docs/generate-languages.sh [FOLDER OF THE TOOLS] >docs/Languages.md
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BIN=${1:-$HERE/../build/bin}

cat <<'PAGE'
<!-- Made by docs/generate-languages.sh; change that, not this. -->
# One kernel in every language

Causal attention of one head, ten operations of linalg, becomes one kernel. Below is what `tang-translate --tang-to-LANGUAGE`
prints for it, each file whole. Nothing in the compiler knows what it computes: the comments name folds and dimensions, the
variables are named after the graph's inputs (by their `loc("q")`) and after what folds them.

A GPU's thread owns one row and folds it in steps of 32 columns; on the CPU a block is a loop body of 8 rows.
CUDA C++, OpenCL C, WGSL and C are written by one emitter, GLSL and Metal by SPIRV-Cross from the SPIR-V that Vulkan runs.

## The graph
`docs/languages.mlir`:

```mlir
PAGE
cat "$HERE/languages.mlir"
echo '```'

language() { # flag, name, what a viewer should colour it as, a remark
  printf '\n## %s\n%s\n\n```%s\n' "$2" "$4" "$3"
  "$BIN/tang-translate" "--tang-to-$1" "$HERE/languages.mlir"
  printf '```\n'
}
language cuda 'CUDA C++' cuda 'For nvcc and NVRTC. `__fmul_rn` keeps any compiler from fusing a product into a sum.'
language metal 'Metal' cpp 'Metal 2.3.'
language opencl 'OpenCL C' c 'OpenCL C 1.2.'
language wgsl 'WGSL' rust 'For WebGPU.'
language glsl 'GLSL' glsl 'Vulkan GLSL 4.5, to read; Vulkan runs the SPIR-V. Functions of `math` are computed in f64.'
language c 'C' c 'C11, which the target `c` gives to the system'"'"'s compiler.'
