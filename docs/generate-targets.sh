#!/usr/bin/env bash
# Prints Targets.md: what the compiler knows of each target. A test compares the page with this output.
#   docs/generate-targets.sh [FOLDER OF THE TOOLS] >docs/Targets.md
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BIN=${1:-$HERE/../build/bin}
cat <<'PAGE'
<!-- Made by docs/generate-targets.sh; change that or lib/Analysis/Targets.cpp, not this. -->
# Targets

What schedules are made from (`#tang.target`): one row a target or chip, from `tang-compile --list-targets`. What each
fact decides is in [Adding a target](NewBackend.md#1-the-row-of-facts). A chip is compiled for by its name, as in
`tang-compile --target=rtx3090`, `tang-opt --tang-schedule=target=m1` and `tang-translate --tang-to-glsl --target=mali-g715`.

PAGE
"$BIN/tang-compile" --list-targets
