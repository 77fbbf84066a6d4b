#!/usr/bin/env bash
# Compiles, runs, checks and times an attention block on this machine's CPU, and prints the kernel source that Tang made.
# Installs what is missing and builds first. examples/attention.mlir is grouped-query causal attention in bf16, as JAX
# exported it; examples/data holds its inputs and a reference computed in f64.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/common.sh"

"$HERE/install-deps.sh"
log=$(mktemp)
echo "building Tang into $BUILD (minutes the first time)"
"$HERE/build.sh" >"$log" 2>&1 || { tail -n 60 "$log"; echo "demo.sh: the build failed" >&2; exit 1; }
rm -f "$log"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
model=$ROOT/examples/attention.mlir data=$ROOT/examples/data
inputs=(--input=@"$data/attention-q.npy" --input=@"$data/attention-k.npy" --input=@"$data/attention-v.npy")
step() { printf '\n== %s\n' "$*"; }

step "the kernels, as C (tang-translate --tang-to-c examples/attention.mlir)"
"$BUILD/bin/tang-translate" --tang-to-c "$model"

step "compiling for the CPU into a bundle (tang-compile --target=cpu)"
time "$BUILD/bin/tang-compile" "$model" --target=cpu -o "$work/attention.tangb"

step "running it, checked against the reference in f64 (|got - want| <= 0.018, two roundings of bf16)"
"$BUILD/bin/tang-run" "$work/attention.tangb" "${inputs[@]}" --expected-output=@"$data/attention-out.npy" \
  --atol=0.018 --rtol=0 --output=@"$work/out.npy"
echo "the outputs agree"

step "timing it"
"$BUILD/bin/tang-run" "$work/attention.tangb" "${inputs[@]}" --output=@"$work/out.npy" --benchmark \
  --repetitions="${TANG_DEMO_REPETITIONS:-100}"
