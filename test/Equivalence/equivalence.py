#!/usr/bin/env python3
"""Checks that derivation and compilation keep what a graph means, on random graphs.

  equivalence.py --bin=BUILD/bin --lib=BUILD/lib                       2000 graphs, seed 1
  equivalence.py --bin=... --lib=... --count=500 --seed=7              other graphs
  equivalence.py --bin=... --lib=... --seconds=3600                    as many as the time allows, of a new seed
  equivalence.py --bin=... --lib=... --seed=7 --graph=123              one of them, with its text

Each graph (generate.py) runs with four sets of inputs, mild and nasty (draws.py), as written on the f64 interpreter and
derived and compiled on each target; compare.py says when results agree. Targets metal and cuda-source are compiled for this
machine (test/Target/*/emulate.py). A graph depends on the seed and its number only.

So that the time goes to Tang, graphs are compiled a bundle at a time, the C of the `c` target with -O1, and two things are
done for some bundles only: every --full-c-every'th is compiled as users get it (-O3), and every --opencl-every'th runs on
opencl, whose driver takes half a second for a graph.

A failure is reduced and written to --out as NAME.mlir with NAME.N.npy for its inputs: a lit test that fails until the
bug is gone. Exit code 0: all agree; 1: a failure, or too many elements that cannot be compared; 2: bad use.
"""
import argparse
import concurrent.futures
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import numpy as np
import psutil

import generate
from compare import SAMPLES, TOLERANCE, Opinion, ask, cases, judge, needs_opinion
from draws import DRAWS
from reduce import Reducer, kind_of
from runner import Failed, Tools, on_target, reference

LACKS = {"metal": ["f64"]}  # what a target refuses (test/Target/SPIRV/invalid.mlir)
SKIPPED = 0.04  # of all elements, at most
FAST_CC = '#!/bin/sh\nexec "{}" "$@" -O1\n'


class Failure:
    def __init__(self, number, draw, target, message, case):
        self.number, self.draw, self.target, self.message, self.case = number, draw, target, message, case


class Outcome:
    """What came of one bundle: counts, seconds by what they were spent on, failures."""

    def __init__(self):
        self.graphs, self.compared, self.skipped, self.loose, self.opinions = 0, 0, 0, 0, 0
        self.ran, self.seconds, self.failures = {}, {}, []

    def add(self, other):
        for name in ("graphs", "compared", "skipped", "loose", "opinions"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in ((self.ran, other.ran), (self.seconds, other.seconds)):
            for key, value in theirs.items():
                mine[key] = mine.get(key, 0) + value
        self.failures += other.failures


def check(options, tools, numbers, targets):
    """Runs the graphs `numbers`."""
    outcome, clock = Outcome(), time.monotonic()

    def spent(on):
        nonlocal clock
        outcome.seconds[on] = outcome.seconds.get(on, 0) + time.monotonic() - clock
        clock = time.monotonic()

    graphs = {f"g{n}": generate.graph(options.seed, n) for n in numbers}
    functions = {name: graph.text(name) for name, graph in graphs.items()}
    runs = [(int(name[1:]), d, c) for name, g in graphs.items() for d, c in enumerate(cases(g, name, DRAWS))]
    calls = [case.call() for _, _, case in runs]
    outcome.graphs = len(graphs)
    spent("generating")
    wants = reference(tools, functions, calls)
    spent("reference")
    opinions = [Opinion(tools, case) for _, _, case in runs]
    for (number, draw, case), want in zip(runs, wants):
        if isinstance(want, Failed):
            outcome.failures.append(Failure(number, draw, "reference", want.message, case))
    everything = list(zip(runs, calls, wants, opinions))
    for target in targets:
        able = {name for name, text in functions.items() if not any(word in text for word in LACKS.get(target, ()))}
        mine = [item for item in everything if item[1].function in able]
        if not mine:
            continue
        runs, calls, wants, opinions = map(list, zip(*mine))
        gots = on_target(tools, {name: functions[name] for name in able}, calls, target)
        outcome.ran[target] = outcome.ran.get(target, 0) + len(able)
        spent(target)
        doubts = [
            opinion
            for (_, _, case), want, got, opinion in zip(runs, wants, gots, opinions)
            if not opinion.made and not isinstance(want, Failed) and needs_opinion(case, got, want)
        ]
        ask(tools, doubts, SAMPLES)
        for (number, draw, case), want, got, opinion in zip(runs, wants, gots, opinions):
            if isinstance(want, Failed):
                continue
            verdict = judge(case, got, want, opinion)
            outcome.compared += verdict.compared
            outcome.skipped += verdict.skipped
            outcome.loose += verdict.loose
            if verdict.message:
                outcome.failures.append(Failure(number, draw, target, verdict.message, case))
        spent("second opinions")
    outcome.opinions = sum(bool(o.made) for _, _, _, o in everything)
    return outcome


def bundle(options, number):
    """Runs bundle `number`; in a worker process."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    first = options.first + number * options.bundle
    end = options.first + options.count if options.count else first + options.bundle
    numbers = range(first, min(first + options.bundle, end))
    if number % options.full_c_every and options.fast_cc:
        os.environ["CC"] = options.fast_cc
    else:
        os.environ.pop("CC", None)
        if options.cc:
            os.environ["CC"] = options.cc
    targets = [t for t in options.targets if t != "opencl" or number % options.opencl_every == 0]
    try:
        return check(options, options.tools, numbers, targets)
    except Exception:  # a worker's traceback says more than the pool's
        raise RuntimeError(f"graphs {numbers.start} to {numbers.stop - 1}:\n{traceback.format_exc()}") from None


# -- failures


def values_text(array):
    return np.array2string(array, threshold=64, precision=9).replace("\n", "\n//   ")


def write(options, failure):
    """NAME.mlir, a lit test, and the inputs next to it."""
    os.makedirs(options.out, exist_ok=True)
    case, graph = failure.case, failure.case.graph
    name = f"seed{options.seed}-graph{failure.number}-{failure.target}"
    path = os.path.join(options.out, name)
    inputs = []
    for i, array in enumerate(case.arrays):
        np.save(f"{path}.{i}.npy", array)
        inputs.append(f"--input=@%S/{name}.{i}.npy")
    inputs += [f"--input=index={a.size}" for a in graph.size_inputs()]
    outputs = range(len(graph.outputs))
    rtol = ",".join(f"{TOLERANCE.get(v.dtype, (0, 0))[0]:g}" for v in graph.outputs)
    atol = ",".join(f"{TOLERANCE.get(v.dtype, (0, 0))[1]:g}" for v in graph.outputs)
    lines = [f"// REQUIRES: target-{failure.target}"]
    stored = " ".join(f"--output=@%t.{i}.npy" for i in outputs)
    lines += [f"// RUN: tang-run %s --target=reference {' '.join(inputs)} {stored}"]
    expected = " ".join(f"--expected-output=@%t.{i}.npy" for i in outputs)
    lines += [f"// RUN: tang-run %s --target={failure.target} {' '.join(inputs)} {expected} --rtol={rtol} --atol={atol}"]
    lines += [f"// Found as graph {failure.number}, inputs {failure.draw}, of seed {options.seed} of equivalence.py:"]
    lines += ["// " + line for line in failure.message.strip().splitlines()[:12]]
    with open(path + ".mlir", "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n" + graph.text("main"))
    return path + ".mlir"


def worth_reducing(failures, number):
    """The first failure of each kind, then more results that differ, each graph once; at most `number`."""
    seen, chosen = set(), []
    for rest in (False, True):
        for f in failures:
            kind = kind_of(f.message)
            new = (kind, f.number if rest else 0)
            graphs = [c.number for c in chosen]
            if f.target == "reference" or new in seen or f.number in graphs or (rest and kind != "differs"):
                continue
            seen.add(new)
            chosen.append(f)
    return chosen[:number]


def report(options, failures):
    """Writes the failures, one for each graph and target, and reduces some of them first."""
    first = {}
    for failure in failures:
        first.setdefault((failure.number, failure.target), failure)
    chosen = worth_reducing(first.values(), options.reductions)
    for failure in first.values():
        where = f"graph {failure.number}, inputs {failure.draw}, {failure.target}"
        if failure not in chosen:
            print(f"{where}: {failure.message.splitlines()[0]}\n  written to {write(options, failure)}")
    for failure in chosen:
        print(f"\ngraph {failure.number}, inputs {failure.draw}, {failure.target}: {failure.message}")
        reducer = Reducer(options.tools, failure.target, options.reduce_seconds)
        failure.case, failure.message = reducer.reduce(failure.case, failure.message)
        print(f"reduced, with {reducer.tried} tries: {failure.message}")
        print(failure.case.graph.text("main"))
        for v, array in zip(failure.case.graph.inputs(), failure.case.arrays):
            print(f"// {v.type()}: {values_text(array)}")
        print(f"written to {write(options, failure)}", flush=True)


def stop(number, _):
    """Takes the tools along when this process is told to end: they are in sessions of their own."""
    for child in psutil.Process().children(recursive=True):
        child.kill()
    print(f"ended by {signal.Signals(number).name}", file=sys.stderr, flush=True)
    os._exit(2)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of tang-run and tang-compile")
    parser.add_argument("--lib", required=True, help="folder of libtang_runtime.so")
    parser.add_argument("--targets", default="cpu,c,opencl", help="default: cpu,c,opencl")
    parser.add_argument("--seed", help="a number or any text; default: 1, or a new one with --seconds")
    parser.add_argument("--count", type=int, help="graphs; default: 2000")
    parser.add_argument("--first", type=int, default=0, help="number of the first graph; default: 0")
    parser.add_argument("--seconds", type=float, help="run for this long instead of a count")
    parser.add_argument("--graph", type=int, help="run this graph alone, on all targets, and print it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes; default: one a processor")
    parser.add_argument("--bundle", type=int, default=25, help="graphs in a module; default: 25")
    parser.add_argument("--opencl-every", type=int, default=8, help="run every Nth bundle on opencl; default: 8")
    parser.add_argument("--full-c-every", type=int, default=8, help="compile every Nth bundle's C with -O3; default: 8")
    parser.add_argument("--random-schedules", type=int, metavar="SEED", help="legal schedules drawn at random in place of the compiler's")
    parser.add_argument("--numerics", default="stable", help="stable (default) or exact")
    parser.add_argument("--out", default="equivalence-failures", help="folder for failures; default: equivalence-failures")
    parser.add_argument("--failures", type=int, default=20, help="stop after this many failing graphs; default: 20")
    parser.add_argument("--reductions", type=int, default=3, help="failures to reduce; default: 3")
    parser.add_argument("--reduce-seconds", type=float, default=60, help="time for each; default: 60")
    parser.add_argument("--time-scale", type=float, default=1.0, help="multiplies the time limits of tools; default: 1")
    options = parser.parse_args()
    if options.count and options.seconds:
        parser.error("--count and --seconds exclude each other")
    if options.seed is None:
        options.seed = str(int(time.time())) if options.seconds else "1"
    if not options.seconds and options.count is None:
        options.count = 2000
    options.targets = options.targets.split(",")
    options.tools = Tools(options.bin, options.lib, options.time_scale, options.numerics, options.random_schedules)
    for path in (options.tools.run, options.tools.compile, options.tools.runtime):
        if not os.path.exists(path):
            parser.error(f"{path} does not exist")
    options.cc = os.environ.get("CC")
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    start, total = time.monotonic(), Outcome()
    if options.graph is not None:
        graph = generate.graph(options.seed, options.graph)
        print(graph.text(f"g{options.graph}"))
        total = check(options, options.tools, [options.graph], options.targets)
    else:
        with tempfile.TemporaryDirectory() as folder:
            options.fast_cc = os.path.join(folder, "cc")
            with open(options.fast_cc, "w", encoding="utf-8") as f:
                f.write(FAST_CC.format(options.cc or "cc"))
            os.chmod(options.fast_cc, 0o755)
            os.environ.setdefault("POCL_CACHE_DIR", os.path.join(folder, "pocl"))
            os.makedirs(os.environ["POCL_CACHE_DIR"], exist_ok=True)
            total = run_bundles(options, start)
    seconds = time.monotonic() - start
    where = ", ".join(f"{n} on {t}" for t, n in total.ran.items())
    print(f"seed {options.seed}: {total.graphs} graphs ({where}), {total.compared} elements compared in {seconds:.0f} s")
    spent = ", ".join(f"{what} {s:.0f} s" for what, s in total.seconds.items())
    print(f"time of all processes: {spent}")
    share = total.skipped / max(total.compared, 1)
    print(f"{total.skipped} elements ({share:.2%}) not comparable, {total.loose} within a tolerance made wider by a second opinion")
    report(options, sorted(total.failures, key=lambda f: (f.number, f.target)))
    if not total.compared:
        print("nothing was compared")
    useless = share > SKIPPED and options.graph is None
    if useless:
        print(f"more than {SKIPPED:.0%} of the elements cannot be compared")
    sys.exit(1 if total.failures or not total.compared or useless else 0)


def run_bundles(options, start):
    """Deals bundles to processes until the count or the time is reached."""
    total, number, told = Outcome(), 0, start
    bundles = -(-options.count // options.bundle) if options.count else None
    context = multiprocessing.get_context("fork")
    with concurrent.futures.ProcessPoolExecutor(options.jobs, mp_context=context) as pool:
        waiting = set()
        while True:
            while len(waiting) < options.jobs:
                late = options.seconds and time.monotonic() - start > options.seconds
                enough = len({f.number for f in total.failures}) >= options.failures
                if late or enough or number == bundles:
                    break
                waiting.add(pool.submit(bundle, options, number))
                number += 1
            if not waiting:
                return total
            done, waiting = concurrent.futures.wait(waiting, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                outcome = future.result()
                if outcome.failures:
                    first = outcome.failures[0]
                    print(f"graph {first.number} fails on {first.target}", file=sys.stderr, flush=True)
                total.add(outcome)
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print(f"{total.graphs} graphs in {told - start:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
