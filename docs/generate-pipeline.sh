#!/usr/bin/env bash
# Prints Pipeline.md: docs/pipeline.mlir at every stage, as the tools show it. A test compares the page with this output.
#   docs/generate-pipeline.sh [FOLDER OF THE TOOLS] >docs/Pipeline.md
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BIN=${1:-$HERE/../build/bin}
input=$HERE/pipeline.mlir
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$BIN/tang-compile" "$input" --target=c --dump-dir="$work/stages" --emit=source -o "$work/kernels.c"
"$BIN/tang-compile" "$input" --target=opencl --emit=source -o "$work/kernels.cl"
"$BIN/tang-compile" "$input" --target=c -o "$work/bundle"

block() { # language, file
  printf '```%s\n' "$1"
  cat "$2"
  printf '```\n'
}

cat <<'PAGE'
<!-- Made by docs/generate-pipeline.sh; change that, not this. -->
# One example at every stage

What `tang-compile FILE --target=c --dump-dir=DIR` writes, and `--emit=STAGE` prints. Why there are these stages is in
[Rationale](Rationale/Stages.md).

## Frontend
`docs/pipeline.mlir`: rows scaled to length 1, in six operations of linalg. The number of rows is known at call time.

PAGE
block mlir "$input"
cat <<'PAGE'

## Graph
`--tang-import`: everything is a map or a fold with a monoid. A fill has become the fold's `init`; nothing is named after
what it was.

PAGE
block mlir "$work/stages/1-graph.mlir"
cat <<'PAGE'

## Derived
`--tang-derive`: what can run together is one `tang.kernel` ([Derivation](Derivation.md)). Squaring happens inside of the
fold; the broadcast is gone, the product reads its second operand at `[d0]`. The root stays apart: moved, it would be
computed for every column. The sum must be complete before a row can be scaled, so that the kernel has two passes.
`#tang.fold` says in which order the sum is formed, and the bound of its error.

PAGE
block mlir "$work/stages/2-derived.mlir"
cat <<'PAGE'

## Scheduled
`--tang-schedule=target=c`: each kernel, and each operation that is one by itself, gets tile sizes, one a dimension, from
the target's facts. A schedule that is there already is checked and kept.

PAGE
block mlir "$work/stages/3-scheduled.mlir"
cat <<'PAGE'

## Tile
`--tang-tile=target=c`: tensors are buffers now. A program finds its box of the parallel dimensions (`gpu.block_id`);
`tang.stream` walks the others, carrying the fold's state, once for each pass; bodies work on vectors of the box's shape.
`counts` are the positions that are not padding.

PAGE
block mlir "$work/stages/4-tile.mlir"
cat <<'PAGE'

## Kernel
[Kernel IR](KernelIR.md): rolled loops over scalars. Tile values are gone; only what the stream carried has storage, and
what does not depend on a loop stands before it.

PAGE
block mlir "$work/stages/5-kernel.mlir"
cat <<'PAGE'

## Legal
Types that the target lacks are emulated, and operations with undefined cases or without a spelling everywhere are
rewritten. Nothing here has a small type; `math.rsqrt` becomes 1 / sqrt. The host's functions, exported before, are
dropped. The kernel alone:

PAGE
sed -n '/gpu.func @main_kernel0/,/^    }/p' "$work/stages/6-legal.mlir" >"$work/legal.mlir"
block mlir "$work/legal.mlir"
cat <<'PAGE'

## C
`--emit=source`, or `tang-translate --tang-to-c`. A CPU kernel runs the blocks from `first` up to `last`; the runtime
deals blocks to threads.

PAGE
block c "$work/kernels.c"
cat <<'PAGE'

## OpenCL C
The same for `--target=opencl`, where every thread of a block owns one position of the parallel dimensions, here a row.

PAGE
block c "$work/kernels.cl"
cat <<'PAGE'

## Host program
What the runtime interprets between the kernels, in the form for people (`host.txt` in the bundle). [Bundle](Bundle.md)
explains it.

PAGE
block text "$work/bundle/host.txt"
