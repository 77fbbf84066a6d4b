"""Says which blocks of source on a page have too many lines: line_counts.py PAGE"""
import re
import sys

# Each should stay below 200. C does not yet: registers blocked into vectors are written out.
LIMIT, LIMITS = 200, {"C": 300}

with open(sys.argv[1], encoding="utf-8") as f:
    blocks = re.findall(r"^## ([^\n]*)\n.*?^```\w+\n(.*?)^```$", f.read(), re.M | re.S)
counts = [(name, text.count("\n")) for name, text in blocks]
print(", ".join(f"{name} {count}" for name, count in counts))
sys.exit(len(counts) < 7 or any(count >= LIMITS.get(name, LIMIT) for name, count in counts))
