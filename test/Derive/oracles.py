#!/usr/bin/env python3
"""Numbers known from mathematics, asked of the built tools.

  oracles.py --tools=DIR --targets=reference,cpu,c,opencl --work=DIR NAME ...

  ones      1000 ones of bf16 sum to 256 if the accumulator is bf16 as written (--numerics=exact), to 1000 by default
  combine   (m, l, O) of the parts of a row, merged in random trees by the monoid logsumexp, are the attention of the
            row; a part may be empty or all -inf
  moments   (n, mean, M2) of the parts, merged in random trees by the monoid moments, are those of the whole, on data of
            mean 1e4, where E[x^2] - E[x]^2 has lost half of its digits
  vjp       vector-Jacobian products of softmax, and of RMSNorm followed by a projection, are the derivative

The merges are what a kernel that splits a row does, so one tree runs on every target too (in f64); each is compared
with numpy in extended precision. Derivatives are checked on the interpreter, by central differences of fourth order.
"""
import argparse
import os
import shutil
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "suites"))
import numpy as np

import numeric
from process import run

SECONDS = 120
WIDE = np.longdouble
TREES = 6  # of which the first one is tried on every target, all on the interpreter


class Tools:
    def __init__(self, options):
        self.options, self.calls = options, 0
        self.targets = options.targets.split(",")
        # WebGPU has no f64.
        self.f64_targets = [target for target in self.targets if target != "webgpu"]

    def write(self, text):
        path = os.path.join(self.options.work, f"module-{self.calls}.mlir")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def evaluate(self, module, inputs, outputs, target="reference", numerics="stable"):
        """Results (as stored) of a module for a list of (values, element type)."""
        self.calls += 1
        command = [os.path.join(self.options.tools, "tang-run"), module, f"--target={target}", f"--numerics={numerics}"]
        for i, (values, dtype) in enumerate(inputs):
            path = os.path.join(self.options.work, f"in-{self.calls}-{i}.npy")
            np.save(path, numeric.encode(values, dtype))
            command.append(f"--input=@{path}")
        paths = [os.path.join(self.options.work, f"out-{self.calls}-{i}.npy") for i in range(outputs)]
        done = run(command + [f"--output=@{p}" for p in paths], SECONDS * self.options.time_scale)
        if done.crash() or done.code:
            sys.exit(done.describe(f"{target}: {done.crash() or 'failed'}"))
        return [np.load(p, allow_pickle=False) for p in paths]


def require(what, error, limit):
    """Fails unless error <= limit; a NaN fails."""
    if not error <= limit:
        sys.exit(f"{what}: error {error:.3g}, want {limit:.3g} at most")
    print(f"{what}: error {error:.2g}, limit {limit:.2g}")


def module_path(name):
    return os.path.join(HERE, "Inputs", name)


# -- ones


def ones(tools):
    for target in tools.targets:
        for numerics, want in (("exact", 256.0), ("stable", 1000.0)):
            stored = tools.evaluate(module_path("ones-bf16.mlir"), [(np.ones(1000), "bf16")], 1, target, numerics)[0]
            got = float(numeric.decode(stored.reshape(1), "bf16")[0])
            require(f"ones, {target}, {numerics}: {got:g}", abs(got - want), 0.0)


# -- trees of merges


class Tree:
    """The text of a module that folds parts of its inputs and merges their states, two at a time."""

    def __init__(self):
        self.lines, self.names = [], 0

    def state(self, count):
        """Names of the values of a new state, and how they are defined."""
        self.names += 1
        return [f"%s{self.names}#{i}" for i in range(count)], f"%s{self.names}:{count}"

    def fold(self, monoid, dims, points, inputs, init, starts, types, lift):
        """One tang.reduce over `points` points; the values of its state."""
        values, definition = self.state(len(types))
        names = ", ".join(text for text, _ in inputs)
        kinds = ", ".join(kind for _, kind in inputs)
        self.lines.append(
            f"  {definition} = tang.reduce #tang.monoid<{monoid}> [{dims}] over [k = {points}]{init} "
            f"ins({names} : {kinds}) outs({', '.join(starts)} : {', '.join(types)}) ({lift[0]}) {{\n    {lift[1]}\n  }}"
        )
        return values

    def merge(self, monoid, dims, left, right, types):
        """The monoid applied to two states: a fold of one point that starts from the left one."""
        inputs = [(f"{v}[{dims}]", t) for v, t in zip(right, types)]
        arguments = ", ".join(f"%a{i}: f64" for i in range(len(types)))
        body = f"tang.yield {', '.join(f'%a{i}' for i in range(len(types)))} : {', '.join(['f64'] * len(types))}"
        return self.fold(monoid, dims, 1, inputs, "", left, types, (arguments, body))

    def reduce_randomly(self, rng, states, merge):
        """One state of a list, neighbours merged in random order: the tree keeps the order of the parts."""
        while len(states) > 1:
            at = int(rng.integers(len(states) - 1))
            states[at : at + 2] = [merge(states[at], states[at + 1])]
        return states[0]


def random_parts(rng, length, parts):
    """Bounds of consecutive parts, some of them empty."""
    cuts = np.sort(rng.integers(0, length + 1, parts - 1))
    return list(zip([0, *cuts], [*cuts, length]))


def combine(tools):
    length, width = 60, 5
    init = " init(0xFFF0000000000000 : f64, 0.0 : f64)"
    scalars, rows = ["tensor<f64>"] * 2, [f"tensor<{width}xf64>"] * 2
    for seed in range(TREES):
        rng = np.random.default_rng(seed)
        x, v = rng.standard_normal(length) * 10.0 ** rng.integers(0, 3), rng.standard_normal((length, width))
        parts = random_parts(rng, length, 9)
        begin, end = parts[int(rng.integers(len(parts)))]
        if end - begin < length:
            x[begin:end] = -np.inf
        tree, leaves = Tree(), []
        for begin, end in parts:
            logits = (f"%x[k + {begin}]", f"tensor<{length}xf64>")
            values = (f"%v[k + {begin}, e]", f"tensor<{length}x{width}xf64>")
            lift = ("%a: f64", "%one = arith.constant 1.0 : f64\n    tang.yield %a, %one : f64, f64")
            total = tree.fold("logsumexp", "", end - begin, [logits], init, ["%e", "%e"], scalars, lift)
            lift = ("%a: f64, %b: f64", "tang.yield %a, %b : f64, f64")
            weighted = tree.fold("logsumexp", "e", end - begin, [logits, values], init, ["%f", "%f"], rows, lift)
            leaves.append((total, weighted))

        def merge(left, right):
            total = tree.merge("logsumexp", "", left[0], right[0], scalars)
            return total, tree.merge("logsumexp", "e", left[1], right[1], rows)

        (_, l), (_, o) = tree.reduce_randomly(rng, leaves, merge)
        text = f"func.func @main(%x: tensor<{length}xf64>, %v: tensor<{length}x{width}xf64>) -> {rows[0]} {{\n"
        text += f"  %e = tensor.empty() : tensor<f64>\n  %f = tensor.empty() : {rows[0]}\n" + "\n".join(tree.lines)
        text += f"\n  %r = tang.map [e] ins({o}[e], {l}[] : {rows[0]}, tensor<f64>) outs(%f : {rows[0]}) "
        text += "(%a: f64, %b: f64) {\n    %q = arith.divf %a, %b : f64\n    tang.yield %q : f64\n  }\n"
        text += f"  return %r : {rows[0]}\n}}\n"
        module = tools.write(text)
        p = np.exp(x.astype(WIDE) - x.max())
        want = (p / p.sum()) @ v.astype(WIDE)
        for target in tools.f64_targets if seed == 0 else ["reference"]:
            got = tools.evaluate(module, [(x, "f64"), (v, "f64")], 1, target)[0]
            require(f"combine, tree {seed}, {target}", float(np.abs(got - want).max()), 2e-15)


def moments(tools):
    length = 200
    types = ["tensor<f64>"] * 3
    for seed in range(TREES):
        rng = np.random.default_rng(seed)
        x = 1e4 + rng.standard_normal(length)
        tree, leaves = Tree(), []
        constants = "%o = arith.constant 1.0 : f64\n    %z = arith.constant 0.0 : f64"
        lift = ("%a: f64", f"{constants}\n    tang.yield %o, %a, %z : f64, f64, f64")
        for begin, end in random_parts(rng, length, 9):
            inputs = [(f"%x[k + {begin}]", f"tensor<{length}xf64>")]
            init = " init(0.0 : f64, 0.0 : f64, 0.0 : f64)"
            leaves.append(tree.fold("moments", "", end - begin, inputs, init, ["%e"] * 3, types, lift))
        state = tree.reduce_randomly(rng, leaves, lambda left, right: tree.merge("moments", "", left, right, types))
        text = f"func.func @main(%x: tensor<{length}xf64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {{\n"
        text += "  %e = tensor.empty() : tensor<f64>\n" + "\n".join(tree.lines)
        text += f"\n  return {', '.join(state)} : tensor<f64>, tensor<f64>, tensor<f64>\n}}\n"
        module = tools.write(text)
        wide = x.astype(WIDE)
        squares = ((wide - wide.mean()) ** 2).sum()
        for target in tools.f64_targets if seed == 0 else ["reference"]:
            count, mean, m2 = tools.evaluate(module, [(x, "f64")], 3, target)
            require(f"moments, tree {seed}, {target}, count", abs(float(count) - length), 0.0)
            require(f"moments, tree {seed}, {target}, mean", float(abs(mean - wide.mean()) / wide.mean()), 1e-15)
            # M2 takes differences of means, which are of size 1 with an error of an ulp of 1e4 (1.8e-12);
            # E[x^2] - E[x]^2 would be off by ulps of 1e8 (1.5e-8).
            require(f"moments, tree {seed}, {target}, M2", float(abs(m2 - squares) / squares), 2e-12)


# -- derivatives


def directional(f, inputs, directions, step=2e-3):
    """The derivative of f along the directions, error O(step^4)."""

    def at(t):
        return f([x + t * d for x, d in zip(inputs, directions)])

    return (8 * (at(step) - at(-step)) - (at(2 * step) - at(-2 * step))) / (12 * step)


def check_vjp(tools, what, forward, backward, shapes, result_shape, seed):
    """<dy, f'(x) u> = <vjp(x, dy), u> for each input alone and for random x, dy, u."""
    rng = np.random.default_rng(seed)
    inputs = [rng.standard_normal(s) for s in shapes]
    dy = rng.standard_normal(result_shape)

    def f(values):
        return tools.evaluate(module_path(forward), [(v, "f64") for v in values], 1)[0]

    gradients = tools.evaluate(module_path(backward), [(v, "f64") for v in [*inputs, dy]], len(inputs))
    for i, (gradient, shape) in enumerate(zip(gradients, shapes)):
        direction = rng.standard_normal(shape)
        directions = [direction if j == i else np.zeros(s) for j, s in enumerate(shapes)]
        want = float((dy * directional(f, inputs, directions)).sum())
        got = float((gradient * direction).sum())
        require(f"vjp of {what}, input {i}", abs(got - want) / max(1.0, abs(want)), 1e-9)


def vjp(tools):
    for seed in range(2):
        check_vjp(tools, "softmax", "softmax-f64.mlir", "softmax-vjp-f64.mlir", [(5, 19)], (5, 19), seed)
        names = ("rmsnorm-matmul-f64.mlir", "rmsnorm-matmul-vjp-f64.mlir")
        check_vjp(tools, "RMSNorm and projection", *names, [(7, 23), (23,), (23, 11)], (7, 11), seed)


ORACLES = {"ones": ones, "combine": combine, "moments": moments, "vjp": vjp}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True)
    parser.add_argument("--targets", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--time-scale", type=float, default=1.0)
    parser.add_argument("names", nargs="*", choices=[[], *ORACLES])
    options = parser.parse_args()
    shutil.rmtree(options.work, ignore_errors=True)
    os.makedirs(options.work)
    for name in options.names or ORACLES:
        ORACLES[name](Tools(options))


if __name__ == "__main__":
    main()
