"""Makes a failing case small: drops results and operations, shrinks sizes, simplifies bodies and data while it fails.

An operation is dropped by giving its result as an input, with the elements that the interpreter computes for it, so
that what is left is still fed what made it fail. Candidates are tried many at a time, as functions of one module.
"""
import copy
import re
import time

import numpy as np

from draws import numeric
from compare import Case, Opinion, judge
from graph import Axis, Expr, Graph, Index, Node, Value, const
from runner import Failed, decode, on_target, reference

TOGETHER = 12  # candidates tried at once
HANG = 5  # seconds after which compiling a small graph has no end


class Edit:
    """What is different in a copy of a graph. Values, nodes and expressions are those of the original, by id."""

    def __init__(self, outputs=None, given=None, sizes=None, static=(), exprs=None, init=None, dtypes=None, data=None):
        self.outputs, self.given, self.sizes, self.static = outputs, given or {}, sizes or {}, static
        self.exprs, self.init, self.dtypes, self.data = exprs or {}, init or {}, dtypes or {}, data or {}


class Copy:
    def __init__(self, case, edit):
        self.edit, self.axes, self.nodes, self.values, self.arrays = edit, {}, {}, {}, {}
        graph = case.graph
        self.old = {id(v): a for v, a in zip(graph.inputs(), case.arrays)}
        outputs = [self.value(v) for v in (edit.outputs or graph.outputs)]
        made = Graph(outputs, graph.size_arguments)
        arrays = [self.arrays[id(v)] for v in made.inputs()]
        self.case = Case(made, case.name, arrays, case.integers)

    def axis(self, a):
        if a.name not in self.axes:
            size = self.edit.sizes.get(a.name, a.size)
            self.axes[a.name] = Axis(a.name, size, a.dynamic and a.name not in self.edit.static)
            self.axes[a.name].tied = getattr(a, "tied", None)
        return self.axes[a.name]

    def index(self, i):
        return Index(i.kind, [self.axis(a) for a in i.axes], i.k, i.o)

    def value(self, v):
        if v.node is not None and id(v) not in self.edit.given:
            return self.node(v.node).results[v.result]
        if id(v) not in self.values:
            dtype = self.edit.dtypes.get(id(v), v.dtype)
            new = Value([self.index(d) for d in v.dims], dtype)
            array = self.edit.data.get(id(v), self.edit.given.get(id(v), self.old.get(id(v))))
            if dtype != v.dtype:
                array = numeric.encode(decode(array, v.dtype), dtype)
            self.arrays[id(new)] = np.ascontiguousarray(array[tuple(slice(0, n) for n in new.shape())]).reshape(new.shape())
            self.values[id(v)] = new
        return self.values[id(v)]

    def expr(self, e):
        value = e.value
        if e.op == "read":
            value = (self.value(value[0]), tuple(self.index(i) for i in value[1]))
        elif e.op == "at":
            value = self.value(value)
        elif e.op == "index":
            value = self.axis(value)
        return Expr(e.op, e.type, [self.expr(a) for a in e.args], value)

    def node(self, n):
        if id(n) not in self.nodes:
            init = self.edit.init.get(id(n), n.init)
            init = [self.value(v) if isinstance(v, Value) else v for v in init] if init is not None else None
            exprs = [self.expr(self.edit.exprs.get((id(n), i), e)) for i, e in enumerate(n.exprs)]
            axes, over = [self.axis(a) for a in n.axes], [self.axis(a) for a in n.over]
            take = n.take and (self.value(n.take[0]), self.value(n.take[1]), n.take[2], [self.index(d) for d in n.take[3]])
            dtypes = [r.dtype for r in n.results]
            if n.kind == "scan":
                dtypes = dtypes[: len(dtypes) // 2]
            dest = [self.index(d) for d in n.results[0].dims]
            along = self.axis(n.along) if n.along else None
            self.nodes[id(n)] = Node(n.kind, axes, exprs, dtypes, over, n.monoid, init, along, n.flags, dest, take)
        return self.nodes[id(n)]


def simpler(e):
    """Every expression that differs from `e` in one place and is simpler there."""
    for a in e.args:
        if a.type == e.type:
            yield a
    if e.op not in ("const", "index") and e.type in ("f32", "f64", "i32"):
        yield const(1, e.type)
        yield const(0, e.type)
    for i, a in enumerate(e.args):
        for s in simpler(a):
            yield Expr(e.op, e.type, e.args[:i] + (s,) + e.args[i + 1 :], e.value)


def kind_of(message):
    """What a failure and its reductions have in common, so that reducing does not end at another bug."""
    if message.startswith(("compile:", "crash:", "run:")):
        return re.sub(r"'[^']*'|\d+", "", message.splitlines()[0])
    return "differs"


class Reducer:
    def __init__(self, tools, target, seconds=60):
        self.tools, self.target, self.end, self.tried = copy.copy(tools), target, time.monotonic() + seconds, 0
        self.tools.compile_seconds = HANG * tools.time_scale

    def verdicts(self, cases):
        """Of each case: what is wrong with it, or None."""
        named, functions = [], {}
        for i, case in enumerate(cases):
            case.name = f"f{i}"
            functions[case.name] = case.graph.text(case.name)
            named.append(case.call())
        self.tried += len(cases)
        wants = reference(self.tools, functions, named)
        gots = on_target(self.tools, functions, named, self.target)
        return [
            None if isinstance(want, Failed) else judge(case, got, want, Opinion(self.tools, case)).message
            for case, got, want in zip(cases, gots, wants)
        ]

    def computed(self, case, value):
        """The elements of a node's result in stored form, or None."""
        probe = Case(Graph([value], case.graph.size_arguments), "probe", [])
        by_id = {id(v): a for v, a in zip(case.graph.inputs(), case.arrays)}
        probe.arrays = [by_id[id(v)] for v in probe.graph.inputs()]
        result = reference(self.tools, {"probe": probe.graph.text("probe")}, [probe.call()])[0]
        return None if isinstance(result, Failed) else numeric.encode(result[0], value.dtype)

    def edits(self, case):
        """Groups of edits, the most promising first."""
        graph = case.graph
        if len(graph.outputs) > 1:
            yield (Edit(outputs=[v]) for v in graph.outputs)
            yield (Edit(outputs=[o for o in graph.outputs if o is not v]) for v in graph.outputs)
        yield self.inner_outputs(graph)
        yield self.givens(case)
        yield self.smaller(graph)
        yield (Edit(static={a.name}) for a in graph.axes() if a.dynamic)
        yield self.simpler_bodies(graph)
        yield (Edit(init={id(n): [0.0] * len(n.init)}) for n in graph.nodes() if n.kind == "reduce" and isinstance(n.init[0], Value))
        yield (Edit(dtypes={id(v): "f32"}) for v in graph.inputs() if v.dtype in ("f16", "bf16"))
        yield self.simpler_data(case)

    def inner_outputs(self, graph):
        """Results of other operations instead of the last ones."""
        if len(graph.outputs) == 1:
            for node in reversed(graph.nodes()[:-1]):
                for r in node.results:
                    yield Edit(outputs=[r])

    def givens(self, case):
        outputs = [id(o) for o in case.graph.outputs]
        for node in case.graph.nodes():
            for r in node.results:
                if id(r) not in outputs:
                    array = self.computed(case, r)
                    if array is not None:
                        yield Edit(given={id(r): array})

    def smaller(self, graph):
        groups = {}
        for a in graph.axes():
            groups.setdefault(getattr(a, "tied", None) or a.name, []).append(a)
        for axes in groups.values():
            size = axes[0].size
            for new in sorted({1, 2, size // 2, size - 1}):
                if 0 < new < size:
                    yield Edit(sizes={a.name: new for a in axes})

    def simpler_bodies(self, graph):
        for node in graph.nodes():
            for i, e in enumerate(node.exprs):
                if node.kind != "scatter" or i == 0:
                    for s in simpler(e):
                        yield Edit(exprs={(id(node), i): s})

    def simpler_data(self, case):
        for v, array in zip(case.graph.inputs(), case.arrays):
            if v.dtype not in numeric.FLOATS or not array.size:
                continue
            values = decode(array, v.dtype)
            for candidate in (np.ones_like(values), np.zeros_like(values), np.rint(values), np.where(np.isnan(values), 1.0, values)):
                if candidate.tobytes() != values.tobytes():
                    yield Edit(data={id(v): numeric.encode(candidate, v.dtype)})
            if values.size <= 16:
                for i in np.ndindex(values.shape):
                    if values[i] not in (0.0, 1.0):
                        candidate = values.copy()
                        candidate[i] = 1.0
                        yield Edit(data={id(v): numeric.encode(candidate, v.dtype)})

    def step(self, case, kind):
        """The first simpler case that fails too, or None."""
        together = 1 if "no end" in kind else TOGETHER
        for group in self.edits(case):
            group, more = iter(group), True
            while more and time.monotonic() < self.end:
                batch = []
                for edit in group:
                    batch.append(Copy(case, edit).case)
                    if len(batch) == together:
                        break
                more = len(batch) == together
                for candidate, message in zip(batch, self.verdicts(batch) if batch else []):
                    if message and kind_of(message) == kind:
                        return candidate, message
        return None

    def reduce(self, case, message):
        """(case, message) as small as it gets within the time."""
        kind = kind_of(message)
        while time.monotonic() < self.end:
            found = self.step(case, kind)
            if not found:
                break
            case, message = found
        return case, message
