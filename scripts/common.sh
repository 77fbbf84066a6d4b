# shellcheck shell=bash disable=SC2034
# Shared by the scripts; sourced, not run. After it: $ROOT, $BUILD, $LLVM, find_python.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${TANG_BUILD_DIR:-$ROOT/build}
[[ "$BUILD" == /* ]] || BUILD=$PWD/$BUILD
LLVM=${TANG_LLVM_DIR:-/usr/lib/llvm-22}
JOBS=${TANG_JOBS:-$(nproc)}

# A Python with numpy: Debian's before the first on PATH, which need not have it.
find_python() {
  local python
  for python in "${TANG_PYTHON:-}" /usr/bin/python3 "$(command -v python3 || true)"; do
    if [[ -n "$python" ]] && "$python" -c 'import numpy' 2>/dev/null; then
      echo "$python"
      return
    fi
  done
  echo "no Python with numpy (package python3-numpy)" >&2
  return 1
}
