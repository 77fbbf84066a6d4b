"""Compares a target's results with the reference's, at a tolerance that follows from each graph's own conditioning.

First by a fixed tolerance, which nearly all results meet. What does not meet it gets a second opinion: the interpreter
runs the graph again, rounding to the written types (`exact`), and several times with noise of a few roundings of f32
after everything that rounds. Where a rounding to a narrow type may move past a factor (docs/Derivation.md), these runs
also round on other grids; a rounding that may not move, as in a sum of round(x / s), stays. How far these runs are
apart says what f32 can promise for an element:
- their spread, times a factor, is added to the tolerance;
- an element whose class (finite, NaN, inf, -inf) they do not agree on, or whose spread is as large as itself, is not
  comparable; such elements are counted, and a run with many is a failure, because it checks nothing.
Integers are equal, or the runs do not agree on them.
"""
import numpy as np

from draws import elements, noise
from runner import Call, Failed, reference

TOLERANCE = {"f64": (1e-9, 1e-12), "f32": (1e-4, 1e-6), "f16": (2.0**-9, 2.0**-20), "bf16": (2.0**-6, 2.0**-20)}
SAMPLES = 6
MANY = 40  # before it is called a failure: noise may take many tries to cross the edge of a rounding
FACTOR = 8.0
LARGEST = {"f64": 1e300, "f32": 1e37, "f16": 6e4, "bf16": 1e37}


class Case:
    """A graph with the arguments of one run."""

    def __init__(self, graph, name, arrays, integers=False):
        """`arrays`: the inputs in the order of graph.inputs(); `integers`: exact ones, without noise."""
        self.graph, self.name, self.arrays, self.integers = graph, name, arrays, integers

    def call(self, name=None, extra=()):
        inputs, sizes = self.graph.inputs(), self.graph.size_inputs()
        types = [v.type() for v in inputs] + ["index"] * len(sizes) + [v.type() for v in extra]
        arguments = list(self.arrays) + [a.size for a in sizes]
        outputs = self.graph.outputs
        return Call(name or self.name, arguments, (types, [v.type() for v in outputs]), [v.dtype for v in outputs])


def cases(graph, name, draws):
    """One case for each draw of the graph's inputs."""
    inputs = graph.inputs()
    return [
        Case(
            graph, name, [elements(v, n) for v in inputs],
            any(not isinstance(v.draw.base, tuple) and v.draw.styles[n] in ("integers", "constant") for v in inputs),
        )
        for n in range(draws)
    ]  # fmt: skip


def suspicious(got, want, dtype):
    """Where the fixed tolerance is not met; None if the shapes differ."""
    if got.shape != want.shape:
        return None
    if dtype not in TOLERANCE:
        return got != want
    rtol, atol = TOLERANCE[dtype]
    with np.errstate(all="ignore"):
        near = np.abs(got - want) <= atol + rtol * np.abs(want)
    return ~((got == want) | (np.isnan(got) & np.isnan(want)) | (near & np.isfinite(got) & np.isfinite(want)))


def classes(values):
    """0 finite, 1 NaN, 2 inf, 3 -inf."""
    return np.isnan(values) * 1 + (values == np.inf) * 2 + (values == -np.inf) * 3


class Opinion:
    """Further runs of one case, made when they are asked for: the first is `exact`, the others have noise."""

    def __init__(self, tools, case):
        self.tools, self.case, self.made = tools, case, []

    def noisy(self, samples, prefix):
        """(functions, calls) of the runs with noise that are not made yet."""
        case, graph = self.case, self.case.graph
        functions, calls, values = {}, [], graph.noisy_values(not case.integers)
        for s in range(max(len(self.made) - 1, 0), samples):
            shift = None if self.tools.numerics == "exact" else 1 + (0.0917 + 0.6180339 * s) % 1
            name = f"{prefix}_{s}"
            functions[name] = graph.text(name, values, shift)
            call = case.call(name, values)
            call.arguments += [noise(v.shape(), [s, i]) for i, v in enumerate(values)]
            calls.append(call)
        return functions, calls

    def runs(self, samples):
        """`exact`, and that many with noise."""
        ask(self.tools, [self], samples)
        return self.made


def ask(tools, opinions, samples):
    """Makes the runs of several cases together."""
    fresh = [o for o in opinions if not o.made]
    texts = {o.case.name: o.case.graph.text(o.case.name) for o in fresh}
    for o, result in zip(fresh, results(tools, texts, [o.case.call() for o in fresh], exact=True)):
        o.made.append(result)
    functions, calls, owners = {}, [], []
    for number, o in enumerate(opinions):
        more, more_calls = o.noisy(samples, f"noisy{number}")
        functions.update(more)
        calls += more_calls
        owners += [o] * len(more_calls)
    for o, result in zip(owners, results(tools, functions, calls)):
        o.made.append(result)


def results(tools, functions, calls, exact=False):
    made = reference(tools, functions, calls, exact) if calls else []
    for m in made:
        if isinstance(m, Failed):
            raise RuntimeError(m.message)
    return made


class Verdict:
    """Of one case on one target: a message if it failed, and how many elements were compared and not comparable."""

    def __init__(self):
        self.message, self.compared, self.skipped, self.loose = None, 0, 0, 0


def differing(g, w, dtype, runs):
    """Where `g` and `w` really differ, where they are not comparable, and how far apart they may be."""
    if dtype not in TOLERANCE:
        unsure = np.any([r != w for r in runs], axis=0)
        return ~unsure, unsure, np.zeros(w.shape)
    rtol, atol = TOLERANCE[dtype]
    unsure = np.any([classes(r) != classes(w) for r in runs], axis=0) | (np.abs(w) > LARGEST[dtype])
    unsure &= ~(np.isinf(w) & np.all([r == w for r in runs], axis=0))
    with np.errstate(all="ignore"):
        spread = np.nanmax([np.zeros(w.shape)] + [np.abs(r - w) for r in runs], axis=0)
        allowed = np.where(np.isfinite(w), atol + rtol * np.abs(w) + FACTOR * spread, 0.0)
        unsure |= np.isfinite(w) & (FACTOR * spread > np.maximum(np.abs(w), 1e-3))
        within = np.isfinite(g) & np.isfinite(w) & (np.abs(g - w) <= allowed)
    return ~unsure & ~within, unsure, allowed


def needs_opinion(case, got, want):
    if isinstance(got, Failed):
        return False
    odd = [suspicious(g, w, v.dtype) for v, g, w in zip(case.graph.outputs, got, want)]
    return any(o is not None and o.any() for o in odd)


def judge(case, got, want, opinion):
    verdict = Verdict()
    if isinstance(got, Failed):
        verdict.message = f"{got.kind}: {got.message}"
        return verdict
    messages = []
    for number, (value, g, w) in enumerate(zip(case.graph.outputs, got, want)):
        verdict.compared += w.size
        odd = suspicious(g, w, value.dtype)
        if odd is None:
            messages.append(f"result {number}: shape {list(g.shape)}, want {list(w.shape)}")
            continue
        if not odd.any():
            continue
        for samples in (SAMPLES, MANY):
            differs, unsure, allowed = differing(g, w, value.dtype, [r[number] for r in opinion.runs(samples)])
            bad = odd & differs
            if not bad.any():
                break
        verdict.skipped += int(np.count_nonzero(odd & unsure))
        verdict.loose += int(np.count_nonzero(odd & ~unsure & ~differs))
        if bad.any():
            worst = tuple(int(i) for i in np.argwhere(bad)[0])
            messages.append(
                f"result {number} ({value.dtype}): {np.count_nonzero(bad)} of {w.size} elements differ; first at "
                f"{list(worst)}: got {g[worst]!r}, want {w[worst]!r}, allowed {float(allowed[worst]):.3g}"
            )
    verdict.message = "; ".join(messages) or None
    return verdict
