#!/usr/bin/env python3
"""Runs a module on every target with the same inputs and checks that all agree with the reference interpreter.

  agree.py --tang-run=PATH --targets=reference,cpu,c,opencl --work=DIR FILE.mlir

What to run stands in comment lines of the module:

  // INPUT: 4x8xf32=random:1      one a function argument, in order. After `=`:
         random:SEED              floats from a normal distribution, integers from -8 to 8, i1 from {0, 1}
         full:SEED                integers over their whole range
         range:SEED:LO:HI         floats from [LO, HI), integers from LO to HI-1
         nasty:SEED               floats with inf, -inf, NaN, -0, denormals, the largest and the smallest numbers among
                                  random ones; integers with their extremes
         iota                     0, 1, 2, ...
         1 2 3 4                  all values in row-major order, or one for all (inf, -inf and nan are allowed)
  // EXPECT: 4xf32=1 2 3 4        what result 0, 1, ... must be for the reference too, where it is known; `-` where not
  // TOLERANCE: f32 rtol=1e-5 atol=1e-6    for results of that type (default below), with the reason in words after it
  // FUNCTION: name               instead of main
  // REFUSES: webgpu f64          this target lacks something: it must refuse (exit code 2) and name it
  // SET:                         the INPUT and EXPECT lines below form another set, to be run as well

Integers must be equal. By default floats differ by at most rtol |want| + atol with rtol 1e-5 and atol 1e-6 for f32,
1e-12 and 1e-13 for f64, one step of the type (of 2^-10, 2^-7, 2^-3, 2^-2) for f16, bf16, f8E4M3FN and f8E5M2.
"""
import argparse
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import numpy as np

import numeric
from process import run
from targets import EMULATED

TOLERANCE = {
    "f64": (1e-12, 1e-13), "f32": (1e-5, 1e-6), "f16": (2.0**-10, 2.0**-20), "bf16": (2.0**-7, 2.0**-20),
    "f8E4M3FN": (2.0**-3, 2.0**-9), "f8E5M2": (2.0**-2, 2.0**-16),
}  # fmt: skip
LARGEST = {"f64": 1.797e308, "f32": 3.402e38, "f16": 65504.0, "bf16": 3.38e38, "f8E4M3FN": 448.0, "f8E5M2": 57344.0}
SMALLEST = {"f64": 5e-324, "f32": 1.4e-45, "f16": 6e-8, "bf16": 9.2e-41, "f8E4M3FN": 2.0**-9, "f8E5M2": 2.0**-16}
BITS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "i4": 4, "i1": 1, "index": 32}
SECONDS = 120


def tensor(text):
    """'2x3xf32=...' -> (values in f64 or i64, element type)."""
    type_text, _, spec = text.partition("=")
    found = re.fullmatch(r"((?:\d+x)*)(\w+)", type_text.strip())
    if not found or found.group(2) not in numeric.STORED:
        sys.exit(f"agree.py: '{text}' does not begin with a type like 2x3xf32=")
    shape, dtype = tuple(int(s) for s in found.group(1).split("x")[:-1]), found.group(2)
    is_float, (kind, *rest) = dtype in numeric.FLOATS, spec.strip().split(":")
    count = int(np.prod(shape, dtype=np.int64))
    if kind in ("random", "full", "range", "nasty"):
        rng = np.random.default_rng(int(rest[0]))
        if is_float:
            values = rng.standard_normal(count)
            if kind == "range":
                values = rng.uniform(float(rest[1]), float(rest[2]), count)
            if kind == "nasty":
                big, small = LARGEST[dtype], SMALLEST[dtype]
                odd = [np.inf, -np.inf, np.nan, 0.0, -0.0, big, -big, small, -small, small * 3, 1.0, -1.0, 0.5, 2.5, -1.5]
                at = rng.permutation(count)[: max(1, count // 2)]
                values[at] = np.resize(odd, at.shape)
                if dtype == "f8E4M3FN":
                    values[np.isinf(values)] = np.nan
        else:
            low, high = (0, 2) if dtype == "i1" else (-(1 << (BITS[dtype] - 1)), 1 << (BITS[dtype] - 1))
            if kind == "random" and dtype != "i1":
                low, high = max(low, -8), min(high, 9)
            if kind == "range":
                low, high = int(rest[1]), int(rest[2])
            values = rng.integers(low, high - 1, count, dtype=np.int64, endpoint=True)
            if kind == "nasty":
                values[: min(4, count)] = np.resize([low, high - 1, 0, -1 if dtype != "i1" else 1], min(4, count))
    elif kind == "iota":
        values = np.arange(count)
    else:
        words = spec.replace(",", " ").split()
        values = np.array([float(w) if is_float else int(w) for w in words], np.float64 if is_float else np.int64)
        if values.size == 1:
            values = np.full(count, values[0])
        if values.size != count:
            sys.exit(f"agree.py: '{text}' has {values.size} values, want {count}")
    return values.reshape(shape), dtype


def read(path):
    """(sets of (inputs, expected), tolerances, function name or None)."""
    sets, tolerances, function = [([], [])], dict(TOLERANCE), None
    with open(path, encoding="utf-8") as f:
        for line in f:
            found = re.match(r"\s*//\s*(INPUT|EXPECT|TOLERANCE|SET|FUNCTION):\s*(.*?)\s*$", line)
            if not found:
                continue
            kind, rest = found.groups()
            if kind == "INPUT":
                sets[-1][0].append(rest)
            elif kind == "EXPECT":
                sets[-1][1].append(rest)
            elif kind == "SET":
                if sets[-1] != ([], []):
                    sets.append(([], []))
            elif kind == "FUNCTION":
                function = rest
            else:
                values = dict(re.findall(r"(rtol|atol)=(\S+)", rest))
                old = tolerances[rest.split()[0]]
                tolerances[rest.split()[0]] = (float(values.get("rtol", old[0])), float(values.get("atol", old[1])))
    return sets, tolerances, function


def read_refusals(path):
    """{target: what it lacks and must name}."""
    with open(path, encoding="utf-8") as f:
        return dict(re.findall(r"^\s*//\s*REFUSES:\s*(\S+)\s+(.*?)\s*$", f.read(), flags=re.M))


def result_types(text, function):
    """Element types of the function's results, from the module's text."""
    name = function or "main"
    start = re.search(rf"func\.func\s+(?:public\s+)?@{re.escape(name)}\b", text)
    rest = text[start.end() :]
    depth = 0
    for i, c in enumerate(rest):  # skip the arguments
        depth += (c == "(") - (c == ")")
        if depth == 0 and c == ")":
            rest = rest[i + 1 :]
            break
    head = re.match(r"\s*->\s*(.*?)\{\s*$", rest, flags=re.S | re.M)
    return re.findall(r"tensor<(?:[\d?]+x)*(\w+)[^>]*>", head.group(1)) if head else []


def emulate(options, target):
    """A bundle of the module's kernels for `target`, compiled for this machine, and None; or None and what failed."""
    bundle = os.path.join(options.work, f"{target}-bundle")
    if os.path.exists(bundle):
        return bundle, None
    flags, folder = EMULATED[target]
    compiler = os.path.join(os.path.dirname(options.tang_run), "tang-compile")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Target", folder, "emulate.py")
    for command in ([compiler, options.file] + flags + ["-o", bundle], [sys.executable, script, bundle]):
        done = run(command, SECONDS * options.time_scale)
        if done.crash() or done.code:
            return None, done.describe(f"{target}: {done.crash() or 'failed'}")
    return bundle, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tang-run", required=True)
    parser.add_argument("--targets", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("file")
    options = parser.parse_args()
    sets, tolerances, function = read(options.file)
    refusals = read_refusals(options.file)
    with open(options.file, encoding="utf-8") as f:
        types = result_types(f.read(), function)
    if not types:
        sys.exit("agree.py: the function has no tensor results")
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)

    def run_on(target, arguments, number):
        paths = [os.path.join(options.work, f"{target}-{number}-{i}.npy") for i in range(len(types))]
        command = [options.tang_run, options.file, f"--target={target}"]
        if target in EMULATED:
            bundle, failure = emulate(options, target)
            if failure:
                return None, failure
            command = [options.tang_run, bundle]
        command += [f"--function={function}"] if function else []
        command += [f"--input=@{a}" for a in arguments] + [f"--output=@{p}" for p in paths]
        done = run(command, SECONDS * options.time_scale)
        if target in refusals:
            if done.crash() or done.code != 2 or refusals[target] not in done.err:
                return None, done.describe(f"set {number}, {target}: should refuse and name {refusals[target]}")
            return [], None
        if done.crash() or done.code:
            return None, done.describe(f"set {number}, {target}: {done.crash() or 'failed'}")
        results = []
        for path, dtype in zip(paths, types):
            if not os.path.exists(path):
                return None, done.describe(f"set {number}, {target}: {os.path.basename(path)} was not written")
            stored = np.load(path, allow_pickle=False)
            bad = numeric.storage_error(stored, dtype)
            if bad:
                return None, done.describe(f"set {number}, {target}: {bad}")
            results.append(numeric.decode(stored, dtype))
        return results, None

    failures, compared = [], 0
    targets = options.targets.split(",")
    for number, (inputs, expected) in enumerate(sets):
        arguments = []
        for i, text in enumerate(inputs):
            values, dtype = tensor(text)
            arguments.append(os.path.join(options.work, f"in-{number}-{i}.npy"))
            np.save(arguments[-1], numeric.encode(values, dtype))
        oracle, failure = run_on("reference", arguments, number)
        if failure:
            failures.append(failure)
            continue
        for i, text in enumerate(expected):
            if text == "-":
                continue
            want, dtype = tensor(text)
            rtol, atol = tolerances.get(dtype, (0.0, 0.0))
            bad = f"is {types[i]}" if dtype != types[i] else numeric.mismatch(oracle[i], want, rtol, atol)
            compared += 1
            if bad:
                failures.append(f"set {number}, reference, result {i} against EXPECT: {bad}")
        for target in targets:
            if target == "reference":
                continue
            results, failure = run_on(target, arguments, number)
            if failure:
                failures.append(failure)
                continue
            for i, (got, want) in enumerate(zip(results, oracle)):
                rtol, atol = tolerances.get(types[i], (0.0, 0.0))
                bad = numeric.mismatch(got, want, rtol, atol)
                compared += 1
                if bad:
                    failures.append(f"set {number}, {target}, result {i} against reference: {bad}")
    print("\n".join(failures) if failures else f"{compared} results agree on {', '.join(targets)}")
    sys.exit(1 if failures or not compared else 0)


if __name__ == "__main__":
    main()
