#!/usr/bin/env python3
"""Checks what derivation made of a frontend's module: few kernels, nothing large between them, and the right numbers.

  derive.py --tools=DIR --targets=reference,cpu,c,opencl --work=DIR FILE.mlir ...    checks everything
  derive.py --tools=DIR --count [FILE.mlir ...]                                      only lists kernels and temporaries

KERNELS below says for each module how many kernels its host program may launch, and how many bytes its largest
temporary buffer may have; both are read from the manifest of the bundle of each target. Fewer is better and is no
failure, so the table only ever needs to be lowered. Inputs, tolerances and expected values stand in the module as
for agree.py (INPUT, EXPECT, SET, TOLERANCE, see there), with three more kinds of values:

  odd:SEED:AXIS:BIG     random, but along AXIS every position has its own oddity, in turn: none, all -inf, one +inf, one
                        NaN, +-BIG at random, all equal, 0 and -0, all NaN, one -inf, denormals
  late:SEED:AXIS:FIRST  random, and NaN from position FIRST on along AXIS
  rising:SEED:SIZE      along the last axis from -SIZE to SIZE, plus noise: the maximum comes last

and with `// FLUSHES: TARGET` for a target that may take a subnormal input for 0, where that makes a difference (times an
infinity, say): it and its oracle get zeros.

Each module is compiled once for a target and then run on every set, on the first set with two seeds. Results are
compared with the interpreter, which evaluates the graph as imported, in f64: a fused kernel has to give NaN where the
literal graph does. BIG must not overflow f32 in the graph as it is written, since it would not in f64.
"""
import argparse
import glob
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "suites"), os.path.join(HERE, "..", "Integration")]
import numpy as np

import agree
import bundle
import numeric
from process import run

# module: (kernels at most, bytes of the largest temporary at most)
KERNELS = {
    # Attention is one fold with the state (m, l, O), whatever happens to the logits and the weights on the way.
    "attention-full": (1, 0),
    "attention-heads": (1, 0),
    "attention-batch-matmul": (1, 0),  # reshapes and transpositions are indexing maps
    "attention-causal": (1, 0),
    "attention-gqa-expand": (1, 0),
    "attention-gqa-broadcast": (1, 0),  # repeat_kv is an indexing map
    "attention-padded-mask": (1, 0),
    "attention-alibi": (1, 0),
    "attention-bias": (1, 0),
    "attention-sentinel": (1, 0),
    "attention-window": (1, 0),
    "attention-softcap": (1, 0),
    "attention-sinks": (1, 0),  # the sink joins after the fold
    "attention-dropout": (1, 0),  # l is summed over all weights, O over the kept ones
    "attention-bf16-normalised": (1, 0),  # moves a rounding, within the tolerance that the module states
    "attention-bf16-unnormalised": (1, 0),
    "attention-unequal": (1, 0),
    "attention-dynamic": (1, 0),
    # One row has no parallelism of its own: keys may be split, parts of (m, l, O) are stored and merged. There is room
    # for O of 16 and 8 parts, that is of 128 and 64 keys, and none for the logits.
    "attention-decode": (2, 16 * 64 * 4),
    "attention-decode-cache": (2, 8 * 2 * 4 * 32 * 4),
    # One pass, or two over a row that is at hand.
    "softmax": (1, 0),
    "softmax-named": (1, 0),
    "softmax-first-axis": (1, 0),
    "softmax-dynamic": (1, 0),
    "log-softmax": (1, 0),
    "logsumexp": (1, 0),
    "layernorm-two-pass": (1, 0),  # as moments, or two passes over the row
    "layernorm-wide": (1, 0),
    "layernorm-large-mean": (1, 0),
    "layernorm-one-pass": (1, 0),  # two sums over one domain
    "rmsnorm": (1, 0),
    "rmsnorm-bf16": (1, 0),
    "add-rmsnorm": (1, 0),  # two results
    "l2-norm": (1, 0),
    "special-rows": (1, 0),  # seven sums under three bounds
    "variance": (1, 0),
    "argmax": (1, 24 * 4),  # the greatest values themselves, which nobody asked for
    "cross-entropy-one-hot": (1, 0),  # log-sum-exp beside a masked sum
    "cross-entropy-gather": (1, 0),  # the picked logit is read after the fold
    "cross-entropy-logits": (1, 0),  # the logits, 24 x 200 of f32, are never stored
    # Two rounds of arg-maximum, then a softmax of two values; the second round reads what the first one found. One
    # kernel of two passes is the aim; it takes the masked copy of the row out of the way.
    "top-k-softmax": (1, 0),
    # The same with the whole softmax first: renormalised, so that its sum cancels, but that is not for a compiler to
    # know (it changes roundings); softmax, two rounds and the quotient still are passes over one row.
    "softmax-top-k": (1, 0),
    # Contractions take what is pointwise around them.
    "matmul-bias-relu": (1, 0),
    "gate-up-silu": (1, 0),  # two contractions over one domain
    "projections": (1, 0),  # three contractions of one input
    "rmsnorm-matmul": (1, 0),  # the root commutes with the contraction, so both sums run over one domain
    # Near misses, which may not become one fold. A second pass in the same kernel is fine; one kernel for each fold is
    # what there must be at most, with a row's worth of state between them (and less is not promised).
    "near-miss-round": (2, 24 * 4),  # round(x / s) depends on s before the sum: not of rank 1
    "near-miss-product": (2, 24 * 4),  # exp(x * m) is not u(x) * v(m)
    "near-miss-other-gauge": (2, 24 * 4),  # exp(|x| - max x) is of rank 1, but overflows under a running maximum
    "near-miss-masked-maximum": (2, 24 * 4),  # likewise, and the running maximum is -inf for half of the row
    "near-miss-domains": (2, 40 * 4),  # a maximum of rows, a sum of columns
    "near-miss-late-use": (3, 24 * 4),  # the second sum needs the first one's final value before a threshold
}  # fmt: skip
SECONDS = 120
SEED_STEP = 1000


def odd(shape, dtype, seed, axis, big):
    """Values of the kind odd:SEED:AXIS:BIG, in f64, to be rounded to dtype."""
    rng = np.random.default_rng(seed)
    values = np.moveaxis(rng.standard_normal(shape), axis, 0).copy()
    for i in range(values.shape[0]):
        row = values[i].reshape(-1)
        at, kind = rng.integers(max(row.size, 1)), i % 10
        if row.size == 0 or kind == 0:
            continue
        if kind in (2, 3, 8):
            row[at] = {2: np.inf, 3: np.nan, 8: -np.inf}[kind]
        elif kind == 4:
            row[:] = big * rng.standard_normal(row.size)
        else:
            row[:] = {1: -np.inf, 5: 1.5, 6: np.where(rng.random(row.size) < 0.5, 0.0, -0.0), 7: np.nan,
                      9: agree.SMALLEST[dtype] * rng.integers(-3, 4, row.size)}[kind]  # fmt: skip
        values[i] = row.reshape(values[i].shape)
    return np.moveaxis(values, 0, axis)


def tensor(text, seed_step=0):
    """Like agree.tensor, with the kinds of this script, and with every seed raised by seed_step."""
    kind, _, spec = text.partition("=")
    words = spec.strip().split(":")
    if seed_step and len(words) > 1:
        words[1] = str(int(words[1]) + seed_step)
    if words[0] not in ("odd", "late", "rising"):
        return agree.tensor(f"{kind}={':'.join(words)}")
    empty, dtype = agree.tensor(f"{kind}=0")
    if words[0] == "odd":
        return odd(empty.shape, dtype, int(words[1]), int(words[2]), float(words[3])), dtype
    if words[0] == "late":
        values = np.moveaxis(np.random.default_rng(int(words[1])).standard_normal(empty.shape), int(words[2]), 0)
        values[int(words[3]) :] = np.nan
        return np.moveaxis(values, 0, int(words[2])), dtype
    noise = np.random.default_rng(int(words[1])).standard_normal(empty.shape)
    return noise + np.linspace(-float(words[2]), float(words[2]), empty.shape[-1]), dtype


def name_of(path):
    return os.path.splitext(os.path.basename(path))[0]


class Check:
    """One module on all targets."""

    def __init__(self, path, options):
        self.path, self.options, self.name = path, options, name_of(path)
        self.work = os.path.join(options.work, self.name)
        self.sets, self.tolerances, self.function = agree.read(path)
        with open(path, encoding="utf-8") as f:
            self.flushes = re.findall(r"^// FLUSHES: (\w+)", f.read(), flags=re.M)
        with open(path, encoding="utf-8") as f:
            self.types = agree.result_types(f.read(), self.function)
        self.failures, self.compared = [], 0
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)

    def tool(self, name, *arguments):
        done = run([os.path.join(self.options.tools, name), *arguments], SECONDS * self.options.time_scale)
        if done.crash() or done.code:
            self.failures.append(done.describe(f"{name}: {done.crash() or 'failed'}"))
            return False
        return True

    def compile(self, target):
        """Folder of the bundle, or None."""
        out = os.path.join(self.work, target)
        return out if self.tool("tang-compile", self.path, f"--target={target}", "-o", out) else None

    def shapes(self, manifest):
        """Of the inputs of each set; a scalar's value in place of its shape."""
        declared = bundle.find_function(manifest, self.function)["inputs"]
        for inputs, _ in self.sets:
            values = [tensor(text)[0] for text in inputs]
            yield [v.item() if d.get("scalar") else v.shape for v, d in zip(values, declared)]

    def structure(self, folder):
        """(kernels, the largest temporary of any set, whether there are copies, {kernel: what it does})."""
        manifest = bundle.read_manifest(folder)
        kernels = bundle.launches(manifest, self.function)
        memories = [bundle.memory_of(manifest, shapes, self.function) for shapes in self.shapes(manifest)]
        largest = max(memory.largest() for memory in memories)
        return kernels, largest, any(memory.copies for memory in memories), bundle.comments(manifest)

    def check_structure(self, target, folder):
        if self.name not in KERNELS:
            self.failures.append(f"{self.name} is not in the table of derive.py")
            return
        allowed, room = KERNELS[self.name]
        kernels, largest, copies, comments = self.structure(folder)
        if len(kernels) > allowed:
            lines = "".join(f"\n    {k}: {comments.get(k, '')}" for k in kernels)
            self.failures.append(f"{target}: {len(kernels)} kernels, want {allowed} at most:{lines}")
        if largest > room:
            self.failures.append(f"{target}: a temporary of {largest} bytes, want {room} at most")
        if copies:
            self.failures.append(f"{target}: the host program copies a buffer, which is a kernel that nobody counts")

    def evaluate(self, what, arguments, label):
        """Decoded results of a file or bundle, or None."""
        paths = [os.path.join(self.work, f"{label}-{i}.npy") for i in range(len(self.types))]
        command = [*what] + ([f"--function={self.function}"] if self.function else [])
        command += [f"--input=@{a}" for a in arguments] + [f"--output=@{p}" for p in paths]
        if not self.tool("tang-run", *command):
            return None
        results = []
        for path, dtype in zip(paths, self.types):
            stored = np.load(path, allow_pickle=False)
            bad = numeric.storage_error(stored, dtype)
            if bad:
                self.failures.append(f"{label}: {bad}")
                return None
            results.append(numeric.decode(stored, dtype))
        return results

    def compare(self, label, got, want):
        for i, (g, w) in enumerate(zip(got, want)):
            if w is None:
                continue
            bad = numeric.mismatch(g, w, *self.tolerances.get(self.types[i], (0.0, 0.0)))
            self.compared += 1
            if bad:
                self.failures.append(f"{label}, result {i}: {bad}")

    def check_numbers(self, bundles):
        runs = [(f"set {n}", s, 0) for n, s in enumerate(self.sets)]
        runs.insert(1, ("set 0 with other seeds", (self.sets[0][0], []), SEED_STEP))
        for number, (label, (inputs, expected), step) in enumerate(runs):
            arguments = []
            for i, text in enumerate(inputs):
                values, dtype = tensor(text, step)
                arguments.append(os.path.join(self.work, f"in-{number}-{i}.npy"))
                np.save(arguments[-1], numeric.encode(values, dtype))
            oracle = self.evaluate([self.path, "--target=reference"], arguments, f"reference-{number}")
            if oracle is None:
                continue
            known = [None if t == "-" else tensor(t)[0] for t in expected]
            self.compare(f"{label}, reference against EXPECT", oracle, known)
            for target, folder in bundles.items():
                given, want = arguments, oracle
                if target in self.flushes:
                    given = [self.flushed(path) for path in arguments]
                    want = self.evaluate([self.path, "--target=reference"], given, f"reference-flushed-{number}")
                results = self.evaluate([folder], given, f"{target}-{number}")
                if results is not None and want is not None:
                    self.compare(f"{label}, {target} against reference", results, want)

    def flushed(self, path):
        """The file of an argument with zeros in the place of its subnormal numbers."""
        values = np.load(path)
        if values.dtype == np.float32:
            values[np.abs(values) < np.finfo(np.float32).tiny] = 0
        np.save(path[: -len(".npy")] + "-flushed.npy", values)
        return path[: -len(".npy")] + "-flushed.npy"

    def all(self):
        bundles = {t: self.compile(t) for t in self.options.targets.split(",") if t != "reference"}
        bundles = {t: folder for t, folder in bundles.items() if folder}
        if self.options.parts != "numbers":
            for target, folder in bundles.items():
                self.check_structure(target, folder)
        if self.options.parts != "structure":
            self.check_numbers(bundles)
        return self.failures


def count(options, files):
    """A line a module: kernels and the largest temporary today, and what the table allows."""
    over = 0
    print(f"{'module':28} {'kernels':>8} {'allowed':>8} {'temporary':>11} {'allowed':>8}")
    for path in files:
        check = Check(path, options)
        folder = check.compile("cpu")
        allowed, room = KERNELS.get(check.name, ("?", "?"))
        if folder is None:
            print(f"{check.name:28} {'refused':>8}\n{check.failures[-1]}")
            over += 1
            continue
        kernels, largest, copies, _ = check.structure(folder)
        good = allowed != "?" and len(kernels) <= allowed and largest <= room and not copies
        over += not good
        mark = "" if good else "  <-"
        print(f"{check.name:28} {len(kernels):8} {allowed:>8} {largest:11} {room:>8}{mark}", flush=True)
    print(f"{len(files) - over} of {len(files)} within the table")
    return over


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, help="folder of tang-compile and tang-run")
    parser.add_argument("--targets", default="reference,cpu,c,opencl")
    parser.add_argument("--work", default=os.path.join(os.environ.get("TMPDIR", "/tmp"), "tang-derive"))
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("--parts", choices=("all", "structure", "numbers"), default="all", help="what to check")
    parser.add_argument("--count", action="store_true", help="list kernels and temporaries, compare no numbers")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    files = options.files or [os.path.join(HERE, f"{name}.mlir") for name in KERNELS]
    if options.count:
        sys.exit(1 if count(options, files) else 0)
    failed = 0
    for path in files:
        check = Check(path, options)
        failures = check.all()
        failed += bool(failures)
        if failures:
            print(f"{check.name}:\n  " + "\n  ".join(failures))
        else:
            print(f"{check.name}: {check.compared} results agree on {options.targets}", flush=True)
    sys.exit(1 if failed or not files else 0)


if __name__ == "__main__":
    main()
