#!/usr/bin/env bash
# Builds Tang's own code with assertions and the address and undefined-behaviour sanitizers, into
# ${TANG_SANITIZE_BUILD_DIR:-build-sanitize}, and runs the tests with it.
#   scripts/sanitize.sh            all tests
#   scripts/sanitize.sh --subset   what fits into CI
# Further options go to lit. LLVM's and MLIR's shared libraries are Debian's and not instrumented, hence: no container
# overflow checks (std::vector and SmallVector cross the border half annotated), no leak checks (MLIR contexts hold
# memory until exit by design), and no allocation mismatch checks. Time and memory limits do not count here.
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export TANG_BUILD_DIR=${TANG_SANITIZE_BUILD_DIR:-$(cd "$HERE/.." && pwd)/build-sanitize}
source "$HERE/common.sh"

options=() subset=0
for argument in "$@"; do
  case $argument in
  --subset) subset=1 ;;
  *) options+=("$argument") ;;
  esac
done

"$HERE/install-deps.sh"
# Nor may LLVM's allocators poison: what is inlined into Tang poisons memory that the libraries then use.
export ASAN_OPTIONS=allow_user_poisoning=0:detect_container_overflow=0:detect_leaks=0:alloc_dealloc_mismatch=0:detect_odr_violation=0:abort_on_error=1:handle_segv=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1:abort_on_error=1:${UBSAN_OPTIONS:-}
export ASAN_SYMBOLIZER_PATH=${ASAN_SYMBOLIZER_PATH:-$LLVM/bin/llvm-symbolizer}

if ((subset)); then # the tools alone, without optimisation: minutes instead of half an hour
  python=$(find_python) || exit 1
  cmake -G Ninja -S "$HERE/.." -B "$BUILD" -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    -DMLIR_DIR="$LLVM/lib/cmake/mlir" -DLLVM_DIR="$LLVM/lib/cmake/llvm" -DTANG_SANITIZE=address,undefined \
    -DTANG_ASSERTIONS=ON -DCMAKE_CXX_FLAGS_RELEASE=-O0 >/dev/null &&
    ninja -C "$BUILD" -j "$JOBS" tang-opt tang-compile tang-run tang-translate >/dev/null || {
    echo "sanitize.sh: the build failed"
    echo "0 passed, 1 failed"
    exit 1
  }
  rm -f "$BUILD/test-results.json"
  TANG_TIME_SCALE=20 "$python" "$LLVM/bin/lit" -sv -j "$JOBS" -o "$BUILD/test-results.json" "$BUILD/test" \
    --filter='Dialect|Frontend|Transforms|Conversion|Tools/|suites/cases/.*/(reference|c|cpu)$' \
    "${options[@]+"${options[@]}"}"
  "$python" "$HERE/count-results.py" "$BUILD/test-results.json" $?
  exit
fi
"$HERE/build.sh" -DTANG_SANITIZE=address,undefined -DTANG_ASSERTIONS=ON || {
  echo "sanitize.sh: the build failed"
  echo "0 passed, 1 failed"
  exit 1
}
TANG_SKIP_INSTALL=1 "$HERE/test.sh" "${options[@]+"${options[@]}"}"
