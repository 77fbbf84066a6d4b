#!/usr/bin/env bash
# Configures and builds into ${TANG_BUILD_DIR:-build}.
#   scripts/build.sh [-DOPTION=VALUE ...] [target ...]
# The compiler is clang-22 where it is installed; CC and CXX choose another. Options count on the first call and later.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

options=() targets=()
for argument in "$@"; do
  case $argument in
  -D*) options+=("$argument") ;;
  *) targets+=("$argument") ;;
  esac
done

# A build folder keeps its compiler: changing it would start over.
if [[ ! -e "$BUILD/CMakeCache.txt" ]]; then
  if [[ -n "${CC:-}${CXX:-}" ]]; then
    : # CMake reads them
  elif command -v clang++-22 >/dev/null; then
    options+=(-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22)
  elif [[ -x "$LLVM/bin/clang++" ]]; then
    options+=("-DCMAKE_C_COMPILER=$LLVM/bin/clang" "-DCMAKE_CXX_COMPILER=$LLVM/bin/clang++")
  fi
  options+=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_PREFIX_PATH=$LLVM")
fi
cmake -S "$ROOT" -B "$BUILD" "${options[@]+"${options[@]}"}"
ninja -C "$BUILD" -j "$JOBS" "${targets[@]+"${targets[@]}"}"
