"""Elements of inputs: mild ones that say whether a result is right, nasty ones that say whether its class is.

An input has a *base*, which is what the graph needs (indices in range, factors away from 0), and for each of its draws
a *style*. Mild: `normal`, `integers` (small, so that most arithmetic is exact and ties are common). The others are nasty.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import numeric

MILD = ("normal", "integers")
# One tuple for each run of a function: the first runs on mild inputs alone.
NASTY = (
    (),
    ("infinite-rows", "infinite-starts", "infinite-starts", "sentinel-rows", "sprinkle"),
    ("nan", "nan", "nan", "nan-rows", "plus-infinity", "sprinkle"),
    ("huge", "tiny", "denormal", "zeros", "minus-zeros", "constant", "offset", "offset"),
)
DRAWS = len(NASTY)
SENTINEL = -2.38e38
LARGEST = {"f16": 6e4, "bf16": 1e30, "f32": 1e30, "f64": 1e30}
SMALLEST = {"f16": 6e-8, "bf16": 1e-40, "f32": 1e-42, "f64": 1e-42}


class Draw:
    """`base`: normal, operand (of a product, so not near the largest number), factor, positive, or for integers (low,
    high); `styles`: one for each run of the function."""

    def __init__(self, base, styles, seed):
        self.base, self.styles, self.seed = base, tuple(styles), seed


def rows(rng, values):
    """A random set of rows (positions of all but the last dimension), at least one, as an index."""
    flat = values.reshape(-1, values.shape[-1]) if values.ndim else values.reshape(1, 1)
    chosen = rng.random(flat.shape[0]) < 0.5
    if flat.shape[0]:
        chosen[rng.integers(flat.shape[0])] = True
    return flat, chosen


def nasty(rng, values, style, dtype, sentinel):
    """Changes `values` in place."""
    if not values.size:
        return
    big, small = LARGEST[dtype], SMALLEST[dtype]
    flat, chosen = rows(rng, values)
    if style == "sprinkle":
        odd = [np.inf, -np.inf, np.nan, 0.0, -0.0, big, -big, small, -small, -1.0]
        odd = rng.permutation(odd)[: rng.integers(1, 4)]
        count = max(1, min(values.size // 8, 6))
        values.reshape(-1)[rng.permutation(values.size)[:count]] = np.resize(odd, count)
    elif style == "infinite-rows":
        flat[chosen] = -np.inf
    elif style == "infinite-starts":
        for row in np.flatnonzero(chosen):
            flat[row, : rng.integers(1, flat.shape[1] + 1)] = -np.inf
    elif style == "sentinel-rows":
        for row in np.flatnonzero(chosen):
            flat[row, : rng.integers(1, flat.shape[1] + 1)] = sentinel
    elif style == "nan-rows":
        flat[chosen] = np.nan
    elif style == "nan":
        flat[np.flatnonzero(chosen)[0], rng.integers(flat.shape[1])] = np.nan
    elif style == "plus-infinity":
        flat[np.flatnonzero(chosen)[0], rng.integers(flat.shape[1])] = np.inf
    elif style == "huge":
        values *= 1e15 if dtype != "f16" else 1e3
    elif style == "tiny":
        values *= 1e-12 if dtype != "f16" else 1e-3
    elif style == "denormal":
        values *= small
    elif style == "zeros":
        flat[chosen] = 0.0
    elif style == "minus-zeros":
        flat[chosen] = -0.0
    elif style == "constant":
        values[...] = values.reshape(-1)[0]
    elif style == "offset":
        values += 100.0


def elements(value, number):
    """The elements of input `value` in draw `number`, in the stored form of its type."""
    shape, draw, dtype = value.shape(), value.draw, value.dtype
    rng = np.random.default_rng([draw.seed, number])
    if isinstance(draw.base, tuple):
        return numeric.encode(rng.integers(draw.base[0], draw.base[1] - 1, shape, np.int64, endpoint=True), dtype)
    values = rng.standard_normal(shape)
    style = draw.styles[number]
    if style == "integers":
        values = rng.integers(-3, 4, shape).astype(np.float64)
    if draw.base in ("factor", "positive"):
        values = rng.uniform(0.5, 2.0, shape) if style != "integers" else 2.0 ** rng.integers(-1, 2, shape)
        if draw.base == "factor":
            values = values * rng.choice([-1.0, 1.0], shape)
    values = np.array(values, np.float64).reshape(shape)
    if style not in MILD:
        sentinel = -6e4 if dtype == "f16" else -1e30 if draw.base == "operand" else SENTINEL
        nasty(rng, values, style, dtype, sentinel)
    return numeric.encode(values, dtype)


def noise(shape, seed):
    """Factors around 1 that stand for a few roundings of f32."""
    return (1 + np.random.default_rng(seed).uniform(-(2.0**-20), 2.0**-20, shape)).astype(np.float32)
