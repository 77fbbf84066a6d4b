"""Random graphs whose operations depend on each other as those of cascaded reductions do.

A graph grows around a *term*, an expression over rows and columns (an input, a contraction, a mask of one of them).
Steps fold the term over its columns, use what a fold gave inside of the next, rescale, round, contract with another
tensor, or do something that looks like this and is not: a row value of other rows, a gauge that is not monotone, a
rounding in the wrong place. Whether an expression is a map of its own or stands inside of its user is a coin's toss.

Magnitudes are tracked, so that exp does not overflow and sums stay well conditioned on mild inputs. Nothing here knows
what the compiler can fuse.
"""
import random

from draws import DRAWS, MILD, NASTY, SENTINEL, Draw
from graph import Axis, Expr, Graph, Index, Node, Value, at, const, index, read

SIZES = [1, 2, 3, 5, 7, 13, 17, 31, 37, 31, 32, 33, 63, 64, 65, 100]
SMALL = [1, 2, 3, 5, 7, 13]
ELEMENTS = 12000  # of the largest domain: the interpreter's time
MINUS_INFINITY = float("-inf")


def unary(op, a):
    return Expr(op, a.type, (a,))


def binary(op, a, b):
    if a.type != b.type and "f64" in (a.type, b.type):
        a, b = (x if x.type == "f64" else Expr("arith.extf", "f64", (x,)) for x in (a, b))
    return Expr(op, a.type, (a, b))


def add(a, b):
    return binary("arith.addf", a, b)


def sub(a, b):
    return binary("arith.subf", a, b)


def mul(a, b):
    return binary("arith.mulf", a, b)


def div(a, b):
    return binary("arith.divf", a, b)


def exp(a):
    return unary("math.exp", a)


def absolute(a):
    return unary("math.absf", a)


def rounded(a, dtype):
    return Expr("round", a.type, (a,), dtype)


def compare(op, predicate, a, b):
    return Expr(op, "i1", (a, b), predicate)


def select(condition, a, b):
    return Expr("arith.select", a.type, (condition, a, b))


def as_i32(a):
    return Expr("arith.index_cast", "i32", (a,))


class Term:
    """An expression with what is known of its values on mild inputs: the greatest magnitude, and a least positive one."""

    def __init__(self, expr, magnitude, least=None):
        self.expr, self.magnitude, self.least = expr, magnitude, least


class Generator:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.axes, self.values, self.outputs = [], [], []

    # -- chances

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, items):
        return self.rng.choice(items)

    # -- axes and inputs

    def axis(self, sizes, limit=100):
        size = 0 if self.chance(0.015) else self.pick([s for s in sizes if s <= limit] or [1])
        axis = Axis("abcdefgh"[len(self.axes)], size, dynamic=self.chance(0.12))
        self.axes.append(axis)
        return axis

    def volume(self, axes):
        total = 1
        for a in axes:
            total *= max(a.size, 1)
        return total

    def draw(self, base="normal"):
        styles = [self.mild] + ["normal"] * (DRAWS - 1)
        if base in ("normal", "operand") or self.chance(0.25):
            for i in range(1, DRAWS):
                if self.chance(0.4 if self.nasty[i] else 0.75):
                    self.nasty[i], styles[i] = True, self.pick(NASTY[i])
        return Draw(base, styles, self.rng.getrandbits(32))

    def element_type(self):
        return self.rng.choices(["f32", "bf16", "f16", "f64"], [12, 2, 2, 1 if self.wide else 0])[0]

    def input_term(self, axes, base="normal", dtype=None, plain=False):
        """A read of a new input over `axes`: permuted, and now and then reversed, windowed or strided."""
        order = list(axes)
        if self.chance(0.4):
            self.rng.shuffle(order)
        indices = []
        while order:
            a = order.pop(0)
            kind = "axis"
            if not plain and self.chance(0.06):
                kind = self.pick(["reverse", "stride", "window" if order and not a.dynamic else "reverse"])
            if kind == "window" and not order[0].dynamic:
                indices.append(Index("window", (a, order.pop(0))))
            elif kind == "stride":
                indices.append(Index("stride", (a,), self.pick([1, 2, 3]), self.pick([0, 1, 3])))
            elif kind == "reverse":
                indices.append(Index("reverse", (a,)))
            else:
                indices.append(Index("axis", (a,)))
        if not plain and self.chance(0.04):
            indices.insert(self.rng.randrange(len(indices) + 1), Index("fixed", (), 3, self.pick([0, 2])))
        value = Value([i.extent() for i in indices], dtype or self.element_type(), self.draw(base))
        least = 0.5 if base in ("factor", "positive") else None
        return Term(read(value, indices), 2.0 if least else 4.0, least if base == "positive" else None)

    def integers(self, axes, low, high):
        value = Value(at(*axes), "i32", Draw((low, high), ["normal"] * DRAWS, self.rng.getrandbits(32)))
        return read(value)

    # -- terms

    def map(self, term, axes=None, dtype=None):
        """The term as a map of its own."""
        axes = list(axes or term.expr.axes())
        if self.chance(0.3):
            self.rng.shuffle(axes)
        dtype = dtype or (term.expr.type if self.chance(0.85) else self.pick(["bf16", "f16"] if term.magnitude < 1000 else ["bf16"]))
        node = Node("map", axes, [term.expr], [dtype])
        self.values.append(node.results[0])
        return Term(read(node.results[0]), term.magnitude, term.least)

    def maybe_map(self, term, p=0.4, axes=None):
        big = term.expr.size() > 24
        return self.map(term, axes) if big or self.chance(p) else term

    def scaled(self, term, limit):
        """The term times a power of two that brings it below `limit`."""
        factor, magnitude = 1.0, term.magnitude
        while magnitude > limit:
            factor, magnitude = factor / 4, magnitude / 4
        return term if factor == 1.0 else Term(mul(term.expr, const(factor)), magnitude, None)

    def divisor(self, term):
        """Something close to `term` that is safe to divide by, or rarely the term itself."""
        if term.least or self.chance(0.12):
            return term.expr
        if self.chance(0.5):
            return add(absolute(term.expr), const(0.5))
        return unary("math.sqrt", add(mul(term.expr, term.expr), const(0.25)))

    def mask(self, term):
        """The term where a condition on indices or on lengths of rows holds, else -inf, a sentinel or 0."""
        e, axes = term.expr, term.expr.axes()
        column = self.cols[-1]
        if column.name not in [a.name for a in axes]:
            return term
        here = index(column)
        others = [a for a in axes if a is not column]
        kind = self.pick(["causal", "window", "length", "modulo"])
        if kind == "causal" and others:
            condition = compare("arith.cmpi", self.pick(["sle", "slt", "sge"]), here, index(others[-1]))
        elif kind == "window" and others:
            there = index(others[-1])
            wide = const(self.pick([2, 5, 16]), "index")
            near = compare("arith.cmpi", "slt", Expr("arith.subi", "index", (there, here)), wide)
            past = compare("arith.cmpi", "sle", here, there)
            condition = Expr("arith.andi", "i1", (near, past))
        elif kind == "length" and others:
            length = self.integers([self.pick(others)], 0, column.size + 1)
            condition = compare("arith.cmpi", "slt", as_i32(here), length)
        else:
            condition = compare("arith.cmpi", "sge", here, const(self.pick([0, 1, 4]), "index"))
        # Where no exp follows, -inf in each row would make every result infinite, and hide all else.
        other = self.pick([MINUS_INFINITY, MINUS_INFINITY, SENTINEL, 0.0]) if self.deep or self.chance(0.08) else 0.0
        return Term(select(condition, e, const(other, e.type)), term.magnitude, None if other else term.least)

    def pointwise(self, term):
        """One more operation on the term."""
        e, m = term.expr, term.magnitude
        kind = self.pick(["scale", "bias", "mask", "mask", "square", "abs", "tanh", "round", "relu", "factor", "exp", "gate"])
        if kind == "scale":
            return Term(mul(e, const(self.pick([0.125, 0.5, 1.4426950216293335, -1.0, 3.0]), e.type)), 3 * m)
        if kind == "bias":
            other = self.input_term(self.some(e.axes()))
            return Term(add(e, other.expr), m + 4)
        if kind == "mask":
            return self.mask(term)
        if kind == "square":
            return Term(mul(e, e), m * m) if m < 100 else term
        if kind == "abs":
            return Term(absolute(e), m)
        if kind == "tanh":
            return Term(unary("math.tanh", e), 1.0)
        if kind == "round":
            return Term(rounded(e, self.pick(["bf16", "f16"] if m < 1000 else ["bf16"])), m)
        if kind == "relu":
            return Term(binary(self.pick(["arith.maximumf", "arith.maxnumf"]), e, const(0.0, e.type)), m)
        if kind == "factor":
            other = self.input_term(self.some(e.axes()), "factor")
            return Term(mul(e, other.expr) if self.chance(0.5) else div(e, other.expr), 2 * m)
        if kind == "exp":
            small = self.scaled(term, 3.0)
            return Term(exp(small.expr), 20.0, 0.05)
        other = self.input_term(self.some(e.axes()))
        small = self.scaled(other, 4.0)
        gate = div(const(1.0, small.expr.type), add(const(1.0, small.expr.type), exp(unary("arith.negf", small.expr))))
        return Term(mul(e, gate), m)

    def some(self, axes):
        """A random subset, not empty if there is something to take from."""
        chosen = [a for a in axes if self.chance(0.5)]
        return chosen or axes[-1:]

    # -- folds

    def reduce(self, monoid, rows, over, exprs, init, dtypes):
        rows, over = list(rows), list(over)
        if self.chance(0.2):
            self.rng.shuffle(rows)
        if self.chance(0.2):
            self.rng.shuffle(over)
        node = Node("reduce", rows, exprs, dtypes, over=over, monoid=monoid, init=init)
        self.values += node.results
        return node.results

    def fold(self, term, rows, over, monoid=None):
        """Folds the term over `over`: a Term over `rows`. Starts from the identity, another constant, or a tensor."""
        count = self.volume(over)
        monoid = monoid or self.pick(["add", "add", "add", "maximum", "maximum", "maxnum", "minimum", "minnum", "mul"])
        if monoid == "mul" and count > 40:
            monoid = "add"
        e, m, type = term.expr, term.magnitude, term.expr.type
        if monoid == "mul":
            e = add(const(1.0, type), mul(const(0.125, type), unary("math.tanh", e)))
            m, start = 1.125**count, 1.0
        elif monoid == "add":
            m, start = m * max(1.0, count**0.75), self.pick([0.0, 0.0, 0.0, -0.0])
        else:
            sign = 1 if monoid in ("minimum", "minnum") else -1
            start = sign * self.pick([float("inf"), float("inf"), -SENTINEL, 1e30])
        dtype = type
        init = [start]
        if self.chance(0.06):
            init = [self.input_term(rows, dtype=dtype, plain=True).expr.value[0]]
            rows = init[0].axes()
            node = Node("reduce", rows, [e], [dtype], over=over, monoid=monoid, init=init)
            self.values += node.results
            result = node.results[0]
        else:
            if self.chance(0.04) and monoid == "add":
                init = [self.pick([1.0, 1e-5])]
            result = self.reduce(monoid, rows, over, [e], init, [dtype])[0]
        least = term.least if monoid == "add" and count and term.least else None
        return Term(read(result), m + 4, least)

    def state_fold(self, term, rows, over):
        """A fold whose state is several numbers: a Term of one of them, the others returned or unused."""
        e, type = term.expr, term.expr.type
        if type != "f32":
            return self.fold(term, rows, over, "maximum")
        kind = self.pick(["argmax", "argmax", "argmin", "argmaxnum", "logsumexp", "moments", "topk"])
        if kind == "topk" and (len(over) > 1 or self.chance(0.5)):
            kind = "logsumexp"
        if kind.startswith("arg"):
            axis = over[-1]
            start = float("inf") if kind == "argmin" else MINUS_INFINITY
            states = [e, as_i32(index(axis))]
            value, place = self.reduce(kind, rows, over, states, [start, 2**31 - 1], ["f32", "i32"])
            self.outputs.append(place)
            if self.chance(0.4) and len(over) == 1:
                return self.take(place, rows, axis)
            return Term(read(value), term.magnitude)
        if kind == "topk":
            k = self.pick([2, 3])
            least, last = const(MINUS_INFINITY), const(2**31 - 1, "i32")
            states = [e] + [least] * (k - 1) + [as_i32(index(over[-1]))] + [last] * (k - 1)
            init = [MINUS_INFINITY] * k + [2**31 - 1] * k
            results = self.reduce(f"topk, {k}", rows, over, states, init, ["f32"] * k + ["i32"] * k)
            self.outputs += results
            return Term(read(results[-1 - k]), term.magnitude)
        if kind == "logsumexp":
            top, total = self.reduce("logsumexp", rows, over, [e, const(1.0)], [MINUS_INFINITY, 0.0], ["f32", "f32"])
            if self.chance(0.5):
                return Term(add(read(top), unary("math.log", read(total))), term.magnitude + 6)
            self.outputs.append(total)
            return Term(read(top), term.magnitude)
        states = [const(1.0), e, const(0.0)]
        count, mean, squares = self.reduce("moments", rows, over, states, [0.0, 0.0, 0.0], ["f32"] * 3)
        self.outputs.append(mean)
        variance = div(read(squares), read(count))
        if self.chance(0.5):
            return Term(unary("math.sqrt", add(variance, const(1e-3))), term.magnitude, 0.03)
        return Term(read(mean), term.magnitude)

    def take(self, place, rows, axis):
        """What another tensor has at the places that an argument fold found."""
        if self.chance(0.5) and rows:
            table = self.input_term([axis], plain=True, dtype="f32").expr.value[0]
            node = Node("gather", [], [], ["f32"], take=(table, place, (0, 0), at(*place.axes())))
            self.values += node.results
            return Term(read(node.results[0]), 4.0)
        table = self.input_term([axis], plain=True).expr.value[0]
        spot = Expr("arith.index_cast", "index", (read(place),))
        type = "f64" if table.dtype == "f64" else "f32"
        return Term(Expr("at", type, (spot,), table), 4.0)

    # -- what cascades are made of

    def inverse(self, term):
        """1 / something of a row value, as a map of its own or inlined."""
        e = self.divisor(term)
        return self.maybe_map(Term(div(const(1.0, e.type), e), 2.0), 0.5)

    def lift(self, term, gauge):
        """An expression of the term and a row value, as the next fold or map takes it."""
        e, g, m = term.expr, gauge.expr, max(term.magnitude, gauge.magnitude)
        small = m <= 30
        kinds = ["minus", "square", "divide", "times", "distance", "clip", "equal", "above", "divide-inverse", "round-divide"]
        kinds += ["exp-minus"] * 4 if small else []
        kind = self.pick(kinds)
        if kind == "exp-minus":
            return Term(exp(sub(e, g)), 1.0 if self.chance(0.7) else 50.0)
        if kind == "minus":
            return Term(sub(e, g), 2 * m)
        if kind == "square":
            d = sub(e, g)
            return Term(mul(d, d), 4 * m * m) if m < 100 else Term(d, 2 * m)
        if kind == "divide":
            return Term(div(e, self.divisor(gauge)), 2 * term.magnitude)
        if kind == "divide-inverse":
            return Term(mul(e, self.inverse(gauge).expr), 2 * term.magnitude)
        if kind == "round-divide":
            return Term(rounded(div(e, self.divisor(gauge)), self.pick(["bf16", "f16"])), 2 * term.magnitude)
        if kind == "times":
            return Term(mul(e, self.scaled(gauge, 4.0).expr), 4 * term.magnitude)
        if kind == "distance":
            return Term(absolute(sub(e, g)), 2 * m)
        if kind == "clip":
            return Term(binary("arith.minimumf", e, g), m)
        predicate = "ole" if kind == "equal" else self.pick(["ogt", "oge", "olt", "une"])
        if e.type != g.type:
            return Term(sub(e, g), 2 * m)
        # Away from what the row value was made of: a sum of one term equals it, up to roundings that may differ.
        g = add(mul(g, const(0.75, e.type)), const(0.125, e.type))
        other = const(0.0, e.type) if self.chance(0.6) else g
        chosen = const(1.0, e.type) if self.chance(0.4) else e
        return Term(select(compare("arith.cmpf", predicate, e, g), chosen, other), m)

    def contract(self, term, rows, over, scale=None):
        """Sums the term times another tensor that has columns of its own."""
        out = self.axis(SMALL)
        other = self.input_term([*over, out] if self.chance(0.6) else [out, *over], "operand")
        e = mul(term.expr, other.expr)
        if scale is not None:
            e = div(e, scale)
        return self.fold(Term(e, 4 * term.magnitude), [*rows, out], over, "add"), out

    def normalised(self, x, rows, over):
        """exp(x - max), its sum, and the quotient used in one of the ways that people write."""
        x = self.scaled(x, 16.0)
        top = self.fold(x, rows, over, self.pick(["maximum", "maximum", "maxnum"]))
        weights = Term(exp(sub(x.expr, top.expr)), 1.0, 1e-9)
        if self.chance(0.2):
            weights = Term(rounded(weights.expr, "bf16"), 1.0, 1e-9)
        weights = self.maybe_map(weights, 0.4)
        total = self.fold(weights, rows, over, "add")
        total = Term(total.expr, total.magnitude, 1.0)
        self.gauges += [top, total]
        style = self.pick(["map", "contract", "contract", "contract-late", "contract-round", "log", "inverse"])
        if style == "map":
            return Term(div(weights.expr, total.expr), 1.0), rows, over
        if style == "log":
            logged = add(unary("math.log", total.expr), top.expr)
            if self.chance(0.5):
                self.gauges.append(self.map(Term(logged, 20.0)))
                return x, rows, over
            return Term(sub(x.expr, logged), 30.0), rows, over
        if style == "inverse":
            return Term(mul(weights.expr, self.inverse(total).expr), 1.0), rows, over
        if style == "contract":
            share = self.maybe_map(Term(div(weights.expr, total.expr), 1.0), 0.5)
            summed, out = self.contract(share, rows, over)
        elif style == "contract-round":
            share = self.maybe_map(Term(rounded(div(weights.expr, total.expr), self.pick(["bf16", "f16"])), 1.0), 0.5)
            summed, out = self.contract(share, rows, over)
        else:
            summed, out = self.contract(weights, rows, over)
            summed = Term(div(summed.expr, total.expr), 8.0)
        return summed, rows, [out]

    def centred(self, x, rows, over):
        """Mean, variance around it, and what is done with them."""
        x = self.scaled(x, 100.0)
        count = float(max(self.volume(over), 1))
        mean = self.fold(x, rows, over, "add")
        mean = Term(mul(mean.expr, const(1.0 / count, mean.expr.type)), x.magnitude)
        if self.chance(0.3):
            mean = Term(div(mul(mean.expr, const(count, mean.expr.type)), const(count, mean.expr.type)), x.magnitude)
        mean = self.maybe_map(mean, 0.5)
        off = sub(x.expr, mean.expr)
        if self.chance(0.3):
            squares = self.fold(Term(mul(x.expr, x.expr), x.magnitude**2), rows, over, "add")
            variance = sub(mul(squares.expr, const(1.0 / count, x.expr.type)), mul(mean.expr, mean.expr))
            variance = binary("arith.maximumf", variance, const(0.0, variance.type))
        else:
            squares = self.fold(Term(mul(off, off), x.magnitude**2), rows, over, "add")
            variance = mul(squares.expr, const(1.0 / count, x.expr.type))
        spread = self.maybe_map(Term(unary("math.rsqrt", add(variance, const(1e-2, variance.type))), 10.0), 0.5)
        self.gauges += [mean, Term(spread.expr, 10.0, 0.01)]
        scaled = mul(off, spread.expr)
        if self.chance(0.5):
            scaled = mul(scaled, self.input_term(over[-1:], "operand").expr)
        return Term(scaled, 12.0), rows, over

    def length_one(self, x, rows, over):
        """Rows divided by their length or by their greatest magnitude, before or after a contraction."""
        x = self.scaled(x, 100.0)
        if self.chance(0.5):
            total = self.fold(Term(mul(x.expr, x.expr), x.magnitude**2), rows, over, "add")
            scale = Term(unary("math.sqrt", add(total.expr, const(1e-2, total.expr.type))), x.magnitude * 10, 0.1)
        else:
            top = self.fold(Term(absolute(x.expr), x.magnitude), rows, over, "maximum")
            scale = Term(binary("arith.maximumf", top.expr, const(1e-2, top.expr.type)), x.magnitude, 0.01)
        scale = self.maybe_map(scale, 0.4)
        self.gauges.append(scale)
        style = self.pick(["map", "before", "after", "inside", "round"])
        if style == "map":
            return Term(div(x.expr, scale.expr), 1.0), rows, over
        if style == "inside":
            summed, out = self.contract(x, rows, over, scale.expr)
        elif style == "after":
            summed, out = self.contract(x, rows, over)
            summed = Term(div(summed.expr, scale.expr), 30.0)
        else:
            share = Term(div(x.expr, scale.expr), 1.0)
            if style == "round":
                share = Term(rounded(share.expr, "bf16"), 1.0)
            summed, out = self.contract(self.maybe_map(share, 0.4), rows, over)
        return summed, rows, [out]

    def near_miss(self, x, rows, over):
        """What resembles a cascade and must not be fused as one, or only with care."""
        x = self.scaled(x, 16.0)
        e = x.expr
        kind = self.pick(["other-rows", "swapped", "log-difference", "exp-times", "mean-gauge", "min-gauge", "part"])
        if kind == "other-rows" and rows:
            top = self.fold(x, over, rows, "maximum")
            return Term(exp(sub(e, top.expr)), 1.0), rows, over
        if kind == "swapped":
            pair = self.equal_axes(rows, over)
            if pair and e.op == "read":
                value, (p, q) = e.value[0], pair
                swap = {p.name: q, q.name: p}
                indices = [Index(i.kind, [swap.get(a.name, a) for a in i.axes], i.k, i.o) for i in e.value[1]]
                if all(i.kind in ("axis", "reverse", "fixed") for i in e.value[1]):
                    return Term(sub(e, mul(const(0.5, e.type), read(value, indices))), 24.0), rows, over
        if kind == "log-difference":
            top = self.fold(x, rows, over, "maximum")
            inside = add(sub(top.expr, e), const(1.0, e.type))
            return Term(unary("math.log", inside), 5.0), rows, over
        if kind == "exp-times":
            top = self.scaled(self.fold(x, rows, over, "maximum"), 2.0)
            return Term(exp(mul(self.scaled(x, 3.0).expr, top.expr)), 400.0), rows, over
        if kind == "part" and len(over) > 1:
            top = self.fold(x, [*rows, over[0]], over[1:], "maximum")
            return Term(exp(sub(e, top.expr)), 1.0), rows, over
        small = self.scaled(x, 4.0)
        if kind == "min-gauge":
            gauge = self.fold(small, rows, over, "minimum")
        else:
            gauge = self.fold(small, rows, over, "add")
            gauge = Term(mul(gauge.expr, const(1.0 / max(self.volume(over), 1), gauge.expr.type)), 4.0)
        gauge = self.maybe_map(gauge, 0.3)
        self.gauges.append(gauge)
        return Term(exp(sub(small.expr, gauge.expr)), 400.0, 1e-3), rows, over

    def equal_axes(self, rows, over):
        """A row axis and a column axis that are read for each other; their sizes are tied."""
        for p in rows:
            for q in over:
                if p.size == q.size and not p.dynamic and not q.dynamic:
                    p.tied = q.tied = f"{p.name}{q.name}"
                    return p, q
        return None

    def scan(self, x, rows, over):
        """Prefixes along a column axis, used as a term."""
        x = self.scaled(x, 8.0)
        along, e = over[-1], x.expr
        monoid = self.pick(["add", "maximum", "maxnum", "affine"])
        flags = [f for f in ("reverse", "exclusive") if self.chance(0.3)]
        axes = [*rows, *over]
        rest = [a for a in axes if a is not along]
        exprs, type = [e], e.type
        if monoid == "affine":
            exprs = [unary("math.tanh", e), self.input_term(axes, dtype="f32" if type == "f32" else "f64").expr]
            if exprs[1].type != type:
                monoid, exprs = "add", [e]
        init = [self.input_term(rest, plain=True, dtype=type).expr.value[0] for _ in exprs]
        rest = init[0].axes()
        init = [init[0]] + [Value(at(*rest), type, v.draw) for v in init[1:]]
        axes = self.woven(rest, along)
        node = Node("scan", axes, exprs, [type] * len(exprs), monoid=monoid, init=init, along=along, flags=flags)
        self.values += node.results
        self.outputs.append(node.results[len(exprs)])
        return Term(read(node.results[len(exprs) - 1]), x.magnitude * max(along.size, 1) ** 0.75 + 4), rows, over

    def woven(self, rest, along):
        axes = list(rest)
        axes.insert(self.rng.randrange(len(axes) + 1), along)
        return axes

    def scatter(self, x, rows, over):
        """Sums or maxima of the term at computed places; the result is returned."""
        axes = x.expr.axes()
        place = self.pick(axes)
        dest = self.axis(SMALL)
        bins = self.integers([place], -1, dest.size + 1)
        x = self.scaled(x, 100.0)
        where = [Expr("arith.index_cast", "index", (bins,))]
        dims = [dest]
        if len(axes) > 1 and self.chance(0.5):
            other = self.pick([a for a in axes if a is not place])
            where, dims = where + [index(other)], dims + [other]
        type = x.expr.type
        init = Value(at(*dims), type, self.draw())
        exprs = [x.expr, *where]
        if self.chance(0.3):
            exprs.append(compare("arith.cmpf", "ogt", x.expr, const(0.0, type)))
        node = Node("scatter", [], exprs, [type], over=axes, monoid=self.pick(["add", "maximum"]), init=[init], dest=at(*dims))
        self.values += node.results
        self.outputs += node.results
        return x, rows, over

    def integer_folds(self, rows, over):
        """Folds of integers, one used by the next."""
        x = self.integers([*rows, *over], -9, 10)
        for _ in range(self.rng.randint(1, 3)):
            monoid = self.pick(["add", "maxs", "mins", "maxu", "minu", "and", "or", "xor", "mul"])
            start = {"add": 0, "mul": 1, "maxs": -(2**31), "mins": 2**31 - 1, "maxu": 0, "minu": -1, "and": -1}.get(monoid, 0)
            total = self.reduce(monoid, rows, over, [x], [start], ["i32"])[0]
            op = self.pick(["arith.addi", "arith.subi", "arith.muli", "arith.maxsi", "arith.xori"])
            x = Expr(op, "i32", (x, read(total)))
            self.outputs.append(total)

    def several(self, x, rows, over):
        """Independent folds over one domain."""
        for _ in range(self.rng.randint(2, 3)):
            self.gauges.append(self.fold(x, rows, over))
        return x, rows, over

    def chain(self, x, rows, over):
        """Folds, each of the term and what the last one gave."""
        gauge = self.fold(x, rows, over) if self.chance(0.65) else self.state_fold(x, rows, over)
        self.gauges.append(gauge)
        for _ in range(self.rng.randint(1, 4)):
            gauge = self.fold(self.maybe_map(self.lift(x, self.pick(self.gauges[-2:])), 0.25), rows, over)
            self.gauges.append(gauge)
        return self.lift(x, gauge), rows, over

    # -- graphs

    def scores(self, rows, columns):
        """A contraction of two inputs over an inner dimension, perhaps scaled."""
        inner = self.axis(SMALL + [32, 40])
        left = self.input_term([*rows, inner], "operand")
        right = self.input_term([*rows[:-1], *columns, inner] if self.chance(0.5) else [*columns, inner], "operand")
        product = self.fold(Term(mul(left.expr, right.expr), 4.0), [*rows, *columns], [inner], "add")
        product.magnitude = 4 * max(inner.size, 1) ** 0.5
        if self.chance(0.6):
            product = Term(mul(product.expr, const(self.pick([0.125, 0.5]), product.expr.type)), product.magnitude)
        return product

    def graph(self):
        rng = self.rng
        self.wide = self.chance(0.06)
        self.mild = MILD[1] if self.chance(0.25) else MILD[0]
        self.nasty = [False] * DRAWS
        self.gauges = []
        count = rng.choices([2, 3, 4], [6, 3, 1])[0]
        columns = 1 if self.chance(0.8) else 2
        columns = min(columns, count) if self.chance(0.95) else count
        while True:
            self.axes = []
            rows = [self.axis(SIZES if self.chance(0.4) else SMALL) for _ in range(count - columns)]
            cols = [self.axis(SIZES) for _ in range(columns)]
            if rows and self.chance(0.15):
                rows[-1].size, rows[-1].dynamic, cols[-1].dynamic = cols[-1].size, False, False
            if self.volume(rows + cols) <= ELEMENTS // 4:
                break
        self.cols = cols
        if self.chance(0.04):
            self.integer_folds(rows, cols)
            return self.finish(None)
        x = self.scores(rows, cols) if self.chance(0.25) else self.input_term([*rows, *cols])
        steps = rng.choices(
            [self.normalised, self.centred, self.length_one, self.near_miss, self.chain, self.several, self.scan, self.scatter],
            [10, 6, 6, 6, 8, 3, 2, 1],
            k=rng.choice([1, 1, 1, 1, 2, 3]),
        )
        self.deep = steps[0] == self.normalised
        for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
            x = self.maybe_map(self.pointwise(x), 0.3)
        for step in steps:
            self.cols, self.deep = cols, False
            x, rows, cols = step(x, rows, cols)
            if self.chance(0.5):
                x = self.maybe_map(x, 0.5)
            if len(self.values) > 12 or len(self.axes) > 6 or self.volume(rows + cols) > ELEMENTS // 6:
                break
        if self.chance(0.25):
            x = self.pointwise(x)
        return self.finish(x, rows, cols)

    def finish(self, x, rows=(), over=()):
        """Returns the last term as a map or a fold, all that nothing uses, and some of what is used."""
        if x is not None:
            if self.chance(0.35) and x.expr.axes():
                have = [a.name for a in x.expr.axes()]
                over = [a for a in over if a.name in have]
                rest = [a for a in x.expr.axes() if a.name not in [o.name for o in over]]
                self.outputs.append(self.fold(x, rest, over).expr.value[0] if over else self.map(x).expr.value[0])
            else:
                self.outputs.append(self.map(x).expr.value[0])
        outputs = list(self.outputs)
        used = {id(v) for n in Graph(outputs).nodes() for v in n.operands()}
        for v in self.values:
            if id(v) not in used and not any(v is o for o in outputs) and self.chance(0.9):
                outputs.append(v)
            elif not any(v is o for o in outputs) and self.chance(0.15):
                outputs.append(v)
        unique = []
        for v in outputs:
            if not any(v is u for u in unique):
                unique.append(v)
        return Graph(unique, self.chance(0.2))


def graph(seed, number):
    """Graph `number` of a run with `seed`: independent of all others."""
    return Generator(f"{seed}:{number}").graph()
