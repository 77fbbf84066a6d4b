#!/usr/bin/env bash
# Feeds damaged files to the built tools for a while (test/fuzz/mutate.py); options as there.
#   scripts/fuzz.sh --seconds=600 --seed=7
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
exec "$(find_python)" "$ROOT/test/fuzz/mutate.py" --bin="$BUILD/bin" --llvm="$LLVM/bin" --out="$BUILD/fuzz-failures" "$@"
