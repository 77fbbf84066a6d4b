#!/usr/bin/env bash
# Dense kernels on an H200 against cuBLAS and cuDNN (bench/README.md).
#   bench/h200.sh build [OUT] [FILTER]   where Tang is built: bundles and the runtime into OUT
#   bench/h200.sh run [OUT] [FILTER]     where the GPU is: measures, writes bench/results/h200-dense-DATE.json
#   bench/h200.sh [FILTER]               both here
# OUT is bench/out by default. BUILD is the build's folder (default: build), PYTHON the Python with torch (default: python3).
# RESULTS is where results go; with a FILTER none is kept. Exit 1 if a row was not measured or lost more than 3 % against the newest file before.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=${BUILD:-$HERE/../build}
RESULTS=${RESULTS:-$HERE/results}
PYTHON=${PYTHON:-python3}

commit() { git -C "$HERE" describe --always --dirty 2>/dev/null || true; }

build() { # OUT, FILTER
  mkdir -p "$1"
  local log
  log=$(TANG_COMPILE=${TANG_COMPILE:-$BUILD/bin/tang-compile} "$PYTHON" "$HERE/dense.py" build "$1" "$2")
  printf '%s\n' "$log"
  cp -L "$BUILD/lib/libtang_runtime.so.0" "$1/"
  commit >"$1/commit"
  # A case that does not compile, or not without a warning, is a failure; what was built may run.
  if grep -qv ' ok$' <<<"$log"; then return 1; fi
}

run() { # OUT, FILTER
  local date new old status=0
  date=$(date +%F)
  mkdir -p "$RESULTS" "$HERE/results"
  new=$RESULTS/h200-dense-$date.json
  # Of an earlier run of the same day, too.
  old=$(find "$HERE/results" -name 'h200-dense-*.json' | sort | tail -1)
  if [ -n "$old" ]; then cp "$old" "$1/before.json"; fi
  OUT=$1 TANG_COMMIT=$(cat "$1/commit" 2>/dev/null || commit) "$PYTHON" "$HERE/dense.py" run "$1" "$2"
  if [ -n "$2" ]; then
    # Of a few cases: not what is kept.
    new=$1/h200-dense.json
  else
    cp "$1/h200-dense.json" "$new"
  fi
  echo "$new"
  if grep -q '"ours_ms": null' "$new"; then status=1; fi
  if [ -n "$old" ]; then "$PYTHON" "$HERE/compare.py" "$1/before.json" "$new" || status=1; fi
  return $status
}

case ${1:-} in
build) build "${2:-$HERE/out}" "${3:-}" ;;
run) run "${2:-$HERE/out}" "${3:-}" ;;
-h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" ;;
*)
  build "$HERE/out" "${1:-}"
  run "$HERE/out" "${1:-}"
  ;;
esac
