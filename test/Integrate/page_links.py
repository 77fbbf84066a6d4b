"""Checks the relative links of the project's pages, and that paths in backticks such as `lib/Target` exist."""
import glob
import os
import re
import sys

root = sys.argv[1]
FOLDERS = ("bench", "cmake", "docs", "examples", "include", "lib", "scripts", "test", "tools", ".ci")
pages = []
for pattern in ("*.md", "docs/**/*.md", "examples/**/*.md"):
    pages += sorted(glob.glob(os.path.join(root, pattern), recursive=True))

bad = 0
for page in pages:
    with open(page, encoding="utf-8") as f:
        # What stands in fenced blocks is output or source.
        text = re.sub(r"^(```|~~~).*?^\1", "", f.read(), flags=re.M | re.S)
    found = [(link, os.path.join(os.path.dirname(page), link)) for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)]
    for path in re.findall(r"`([\w.][\w./-]*)`", text):
        if path.split("/")[0] in FOLDERS and "/" in path:
            found.append((path, os.path.join(root, path)))
    for name, path in found:
        if not re.match(r"[a-z]+:", name) and not os.path.exists(path):
            bad += 1
            print(f"{os.path.relpath(page, root)}: {name} does not exist", file=sys.stderr)
sys.exit(1 if bad else 0)
