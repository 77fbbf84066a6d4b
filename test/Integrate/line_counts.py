"""Says which blocks of source on a page have 200 lines or more: line_counts.py PAGE"""
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", f.read(), re.M | re.S)
counts = [(name, text.count("\n")) for name, text in blocks]
print(", ".join(f"{name} {count}" for name, count in counts))
sys.exit(len(counts) < 6 or any(count >= 200 for _, count in counts))
