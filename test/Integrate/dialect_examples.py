"""Runs every ```mlir block of the generated dialect reference through tang-opt, twice."""
import argparse
import os
import re
import subprocess
import sys

# Operations that may do without an example: nothing may be added.
WITHOUT = {"tang.yield"}

parser = argparse.ArgumentParser()
parser.add_argument("--tang-opt", required=True)
parser.add_argument("--mlir-tblgen", required=True)
parser.add_argument("--include", action="append", default=[])
parser.add_argument("--work", required=True)
args = parser.parse_args()
os.makedirs(args.work, exist_ok=True)

td = os.path.join(args.include[0], "Tang", "Dialect", "TangOps.td")
command = [args.mlir_tblgen, "-gen-dialect-doc", "-dialect=tang", td] + ["-I" + i for i in args.include]
page = subprocess.run(command, check=True, capture_output=True, text=True).stdout

good = bad = 0
lacking = []
# A section is an operation or an attribute: `### ` and its name.
for section in re.split(r"^### ", page, flags=re.M)[1:]:
    name = re.match(r"`?([\w.]+)", section).group(1)
    examples = re.findall(r"^```mlir\n(.*?)^```$", section, flags=re.M | re.S)
    if not examples and name.startswith("tang.") and name not in WITHOUT:
        lacking.append(name)
    for i, example in enumerate(examples):
        path = os.path.join(args.work, f"{name}-{i}.mlir")
        with open(path, "w") as f:
            f.write(example)
        once = subprocess.run([args.tang_opt, path], capture_output=True, text=True)
        twice = subprocess.run([args.tang_opt, "-"], input=once.stdout, capture_output=True, text=True)
        if once.returncode == 0 and twice.returncode == 0 and once.stdout == twice.stdout:
            good += 1
        else:
            bad += 1
            print(f"-- example {i} of {name}\n{example}{once.stderr or twice.stderr}", file=sys.stderr)
for name in lacking:
    print(f"{name} has no example in its description", file=sys.stderr)
print(f"examples: {good} good, {bad} bad")
sys.exit(1 if bad or lacking else 0)
