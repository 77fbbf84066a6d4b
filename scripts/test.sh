#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test that this machine can run: check-tang, which is the lit tests and
# all unit tests. The last line is `N passed, N failed` with true counts: passed are the tests that passed or failed as
# listed (XFAIL), failed are all others that ran (FAIL, XPASS, TIMEOUT, UNRESOLVED). Unsupported ones are named above it.
# Options of lit may follow, e.g. scripts/test.sh --filter=suites/inputs/softmax
set -uo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$HERE/common.sh"

stop() { # a step before the tests failed
  echo "test.sh: $1"
  echo "0 passed, 1 failed"
  exit 1
}

"$HERE/install-deps.sh" || stop "installing packages failed"
"$HERE/build.sh" "${TANG_BUILD_TARGET:-all}" || stop "the build failed"
python=$(find_python) || stop "no Python with numpy"

results=$BUILD/test-results.json
rm -f "$results"
LIT_OPTS="${LIT_OPTS:-} -o $results $*" ninja -C "$BUILD" -j "$JOBS" check-tang
status=$?
"$python" "$HERE/count-results.py" "$results" "$status"
