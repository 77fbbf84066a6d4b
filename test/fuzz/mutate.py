#!/usr/bin/env python3
"""Feeds damaged files to the tools: every one must end in time with exit code 0, 1 or 2 and without a crash.

  mutate.py --bin=BUILD/bin [--llvm=/usr/lib/llvm-22/bin] [--seconds=60] [--seed=S] [--jobs=N] [--out=DIR]

The corpus is the .mlir files of test/, their bytecode, .npy files and compiled bundles. Each try takes one file, damages
its bytes once to four times (flips, truncation, deletion, repetition, splices, numbers and tokens replaced), and runs one
tool on it. What fails is kept in DIR (default fuzz-failures) as N.SUFFIX with N.txt, which holds the command and its
output; the exit code is then 1. With the same seed and --jobs=1 the tries are the same.

Not counted as failures, but reported: a file that upstream's mlir-opt also crashes on, and a module that runs past the
time limit (damage can turn a loop of 10 steps into one of 10^9; only tools that do not execute must always end).
A damaged manifest is read but not executed, since a manifest describes to the runtime what machine code may touch.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
TEST = os.path.dirname(HERE)
sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(TEST, "suites"))
from process import run

SECONDS = 20  # a tool's time
MEMORY = 8 << 30
TOKENS = [
    b"?", b"*", b"-1", b"0", b"1", b"2147483648", b"4294967295", b"9223372036854775807", b"-9223372036854775808", b"1.0e400",
    b"0x7FC00000", b"0xFF800000", b"dense<>", b"dense<0>", b"tensor<f32>", b"tensor<0xf32>", b"tensor<?xf32>", b"tensor<*xf32>",
    b"vector<4xf32>", b"memref<4xf32>", b"index", b"i1", b"i4", b"i0", b"i128", b"bf16", b"f8E5M2", b"complex<f32>", b"none",
    b"affine_map<() -> ()>", b"affine_map<(d0) -> (d0 floordiv 0)>", b"affine_map<(d0)[s0] -> (d0 mod s0)>", b"%0", b"@main", b"{", b"}",
    b"(", b")", b"<", b">", b"[", b"]", b"\0", b"\xff\xfe", b"\"", b"//",
]  # fmt: skip


def damage(data, others, rng):
    """A damaged copy of `data`."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 4))):
        n = len(out)
        if not n:
            out = bytearray(rng.choice(others))
            continue
        at, length = rng.randrange(n), min(n, 1 << rng.randrange(8))
        kind = rng.randrange(10)
        if kind == 0:
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at] = rng.randrange(256)
        elif kind == 2:
            del out[at : at + length]
        elif kind == 3:
            out[at:at] = out[at : at + length]
        elif kind == 4 and rng.random() < 0.4:
            del out[at:]
        elif kind == 5:
            other = rng.choice(others)
            start = rng.randrange(max(1, len(other)))
            out[at : at + length] = other[start : start + length]
        elif kind in (6, 7):
            words = list(re.finditer(rb"-?\d+|[%@#!]?[A-Za-z_][\w.]*", bytes(out)))
            if words:
                word = rng.choice(words)
                with_ = rng.choice(TOKENS) if rng.random() < 0.6 else rng.choice(words).group(0)
                out[word.start() : word.end()] = with_
        elif kind == 8:
            out[at:at] = rng.choice(TOKENS)
        else:
            lines = bytes(out).split(b"\n")
            i = rng.randrange(len(lines))
            change = rng.randrange(3)
            if change == 0:
                del lines[i]
            elif change == 1:
                lines.insert(rng.randrange(len(lines) + 1), lines[i])
            else:
                j = rng.randrange(len(lines))
                lines[i], lines[j] = lines[j], lines[i]
            out = bytearray(b"\n".join(lines))
    return bytes(out)


class Fuzzer:
    def __init__(self, options):
        self.options = options
        self.work = tempfile.mkdtemp(prefix="tang-fuzz-")
        self.lock = threading.Lock()
        self.tries, self.failures, self.upstream, self.slow = 0, [], 0, 0
        self.tool = lambda name: os.path.join(options.bin, name)
        self.env = dict(os.environ, POCL_CACHE_DIR=os.path.join(self.work, "pocl"))
        self.limit = [] if options.no_memory_limit or not shutil.which("prlimit") else ["prlimit", f"--as={MEMORY}"]
        self.collect()

    def collect(self):
        """The corpus: [(path, bytes)] a kind."""
        self.text, self.bytecode, self.npy, self.bundles, self.manifests = [], [], [], [], []
        for folder, _, names in sorted(os.walk(TEST)):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if name.endswith(".mlir") and os.path.getsize(path) < 40000:
                    with open(path, "rb") as f:
                        self.text.append((path, f.read()))
                elif name.endswith(".npy") and os.path.getsize(path) < 4000:
                    with open(path, "rb") as f:
                        self.npy.append((path, f.read()))
        rng = random.Random(0)
        mlir_opt = os.path.join(self.options.llvm, "mlir-opt")
        for path, _ in rng.sample(self.text, min(60, len(self.text))):
            made = subprocess.run([mlir_opt, path, "--emit-bytecode"], capture_output=True, timeout=60)
            if made.returncode == 0 and made.stdout:
                self.bytecode.append((path, made.stdout))
        self.module = os.path.join(self.work, "module.mlir")
        with open(self.module, "w") as f:
            f.write(
                "func.func @main(%a: tensor<?x3xf32>, %b: tensor<2xi32>) -> (tensor<?x3xf32>, tensor<2xi32>) {\n"
                "  %0 = arith.addf %a, %a : tensor<?x3xf32>\n  %1 = arith.addi %b, %b : tensor<2xi32>\n"
                "  return %0, %1 : tensor<?x3xf32>, tensor<2xi32>\n}\n"
            )
        for target in ("cpu", "c", "opencl"):
            for suffix in ("", ".tangb"):
                bundle = os.path.join(self.work, f"bundle-{target}{suffix}")
                done = run([self.tool("tang-compile"), self.module, f"--target={target}", "-o", bundle], 120, self.env)
                if done.code == 0 and suffix and os.path.isfile(bundle):
                    with open(bundle, "rb") as f:
                        self.bundles.append((bundle, f.read()))
                elif done.code == 0 and os.path.exists(os.path.join(bundle, "manifest.json")):
                    with open(os.path.join(bundle, "manifest.json"), "rb") as f:
                        self.manifests.append((bundle, f.read()))
        print(
            f"corpus: {len(self.text)} modules, {len(self.bytecode)} in bytecode, {len(self.npy)} arrays, "
            f"{len(self.bundles)} bundles, {len(self.manifests)} manifests",
            flush=True,
        )

    def attempt(self, number):
        """One damaged file and its command: (path of the file, command, whether it executes what the file says)."""
        rng = random.Random(f"{self.options.seed}/{number}")
        kinds = [k for k in ("text",) * 8 + ("bytecode",) * 2 + ("npy",) * 3 + ("bundles", "manifests") if getattr(self, k)]
        kind = rng.choice(kinds)
        files = getattr(self, kind)
        path, data = rng.choice(files)
        changed = damage(data, [d for _, d in rng.sample(files, min(4, len(files)))], rng)
        suffix = {"text": ".mlir", "bytecode": ".mlirbc", "npy": ".npy", "bundles": ".tangb", "manifests": ".json"}[kind]
        victim = os.path.join(self.work, f"{number}{suffix}")
        with open(victim, "wb") as f:
            f.write(changed)
        inputs = ["--input=2x3xf32=1", "--input=2xi32=1 2"]
        if kind == "npy":
            inputs[rng.randrange(2)] = f"--input=@{victim}"
            extra = [f"--expected-output=@{victim}"] if rng.random() < 0.3 else []
            return victim, [self.tool("tang-run"), self.module, "--target=reference"] + inputs + extra, False
        if kind == "bundles":
            return victim, [self.tool("tang-run"), victim] + inputs, False
        if kind == "manifests":
            folder = os.path.join(self.work, f"{number}.bundle")
            shutil.copytree(path, folder)
            shutil.copy(victim, os.path.join(folder, "manifest.json"))
            return victim, [self.tool("tang-run"), folder], False
        how = rng.randrange(10)
        if how < 6:
            return victim, [self.tool("tang-opt"), victim, "--tang-import", "-o", os.devnull], False
        if how < 8:
            count = data.split(b"// SET:")[0].count(b"// INPUT:")
            arguments = [f"--input=random:{i}" for i in range(count)]
            return victim, [self.tool("tang-run"), victim, "--target=reference"] + arguments, True
        target = rng.choice(("cpu", "c"))
        return victim, [self.tool("tang-compile"), victim, f"--target={target}", "-o", victim + ".out.tangb"], False

    def once(self, number):
        victim, command, executes = self.attempt(number)
        done = run(self.limit + command, SECONDS * self.options.time_scale, self.env, self.work)
        why = done.crash() or (f"exit code {done.code}" if done.code not in (0, 1, 2) else None)
        if not why and done.code == 2 and not done.err.strip():
            why = "refused without a message"
        if why and done.timed_out and executes:
            with self.lock:
                self.slow += 1
            why = None
        if why and victim.endswith((".mlir", ".mlirbc")):
            theirs = run(self.limit + [os.path.join(self.options.llvm, "mlir-opt"), victim, "-o", os.devnull], SECONDS)
            if theirs.crash():
                with self.lock:
                    self.upstream += 1
                why = None
        with self.lock:
            self.tries += 1
            if why:
                self.keep(number, victim, done, why)
        for name in os.listdir(self.work):
            if name.startswith(f"{number}."):
                path = os.path.join(self.work, name)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)

    def keep(self, number, victim, done, why):
        os.makedirs(self.options.out, exist_ok=True)
        kept = os.path.join(self.options.out, os.path.basename(victim))
        shutil.copy(victim, kept)
        with open(os.path.join(self.options.out, f"{number}.txt"), "w") as f:
            f.write(done.describe(why))
        self.failures.append(f"{kept}: {why}: {os.path.basename(done.command[len(self.limit)])}")
        print("FAIL", self.failures[-1], flush=True)

    def go(self):
        end = time.monotonic() + self.options.seconds
        counter = iter(range(1 << 60))

        def worker():
            while time.monotonic() < end and len(self.failures) < self.options.max_failures:
                with self.lock:
                    number = next(counter)
                self.once(number)

        workers = [threading.Thread(target=worker) for _ in range(self.options.jobs)]
        for w in workers:
            w.start()
        for w in workers:
            w.join()
        shutil.rmtree(self.work, ignore_errors=True)
        print(
            f"fuzz: {self.tries} tries in {self.options.seconds} s, {len(self.failures)} failures "
            f"(besides: {self.upstream} that mlir-opt crashes on too, {self.slow} long runs), seed {self.options.seed}"
        )
        return 1 if self.failures or not self.tries else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--llvm", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default="fuzz-failures")
    parser.add_argument("--max-failures", type=int, default=50)
    parser.add_argument("--time-scale", type=float, default=1)
    parser.add_argument("--no-memory-limit", action="store_true", help="sanitizers reserve more address space than any limit")
    options = parser.parse_args()
    options.bin, options.out = os.path.abspath(options.bin), os.path.abspath(options.out)
    sys.exit(Fuzzer(options).go())


if __name__ == "__main__":
    main()
