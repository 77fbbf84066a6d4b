"""Graphs of Tang's structured operations as Python objects, and their text.

A tensor's dimensions are named *axes*, and a read says at which axes it happens, so that every graph that can be built
is well formed: transposing, broadcasting and reading through a window are other indices of the same read. Objects rather
than text, because the reducer takes graphs apart and the second opinion (compare.py) weaves noise into them.
"""
import math
import struct

FLOATS = ("f64", "f32", "f16", "bf16")
NARROW = ("f16", "bf16")


class Axis:
    """A dimension: a name, a size, and whether the size is in the types or given at run time."""

    def __init__(self, name, size, dynamic=False):
        self.name, self.size, self.dynamic = name, size, dynamic


class Index:
    """The index of one dimension in a read, and with it the size that an input made for this read has there.

    axis: a; reverse: size - 1 - a; window: a + b; stride: k a + o; fixed: the constant o of k.
    """

    def __init__(self, kind, axes=(), k=1, o=0):
        self.kind, self.axes, self.k, self.o = kind, tuple(axes), k, o

    def size(self):
        a = [axis.size for axis in self.axes]
        if self.kind == "window":
            return max(a[0] + a[1] - 1, 0)
        if self.kind == "stride":
            return self.k * a[0] + self.o
        return self.k if self.kind == "fixed" else a[0]

    def dynamic(self):
        return any(axis.dynamic for axis in self.axes)

    def extent(self):
        """As a dimension of a tensor: a reversed axis is as long as the axis."""
        return Index("axis", self.axes) if self.kind == "reverse" else self

    def text(self, symbols):
        """The affine expression; `symbols` collects the sizes that it needs at run time."""
        a = [axis.name for axis in self.axes]
        if self.kind == "reverse":
            if not self.axes[0].dynamic:
                return f"-{a[0]} + {self.axes[0].size - 1}"
            symbols[f"s_{a[0]}"] = f"%n_{a[0]}"
            return f"s_{a[0]} - {a[0]} - 1"
        if self.kind == "window":
            return f"{a[0]} + {a[1]}"
        if self.kind == "stride":
            return f"{a[0]} * {self.k} + {self.o}"
        return str(self.o) if self.kind == "fixed" else a[0]

    def key(self):
        return (self.kind, tuple(a.name for a in self.axes), self.k, self.o)


def at(*axes):
    return tuple(Index("axis", (a,)) for a in axes)


class Value:
    """A tensor: an input (`node` is None; `draw` says what its elements are) or result number `result` of a node."""

    def __init__(self, dims, dtype, draw=None, node=None, result=0):
        self.dims, self.dtype, self.draw, self.node, self.result = tuple(dims), dtype, draw, node, result
        self.name = None

    def shape(self):
        return tuple(d.size() for d in self.dims)

    def type(self, dtype=None):
        sizes = "".join(("?" if d.dynamic() else str(d.size())) + "x" for d in self.dims)
        return f"tensor<{sizes}{dtype or self.dtype}>"

    def axes(self):
        return [d.axes[0] for d in self.dims]


class Expr:
    """Scalar work in a body. Floats are computed in f32 (f64 where a read is f64): narrower reads are extended."""

    def __init__(self, op, type, args=(), value=None):
        self.op, self.type, self.args, self.value = op, type, tuple(args), value

    def reads(self):
        """The read leaves in order, each once."""
        seen = {}

        def walk(e):
            if e.op in ("read", "at"):
                seen.setdefault(e.key(), e)
            for arg in e.args:
                walk(arg)

        walk(self)
        return list(seen.values())

    def key(self):
        value = self.value
        if self.op == "read":
            value = (id(value[0]), tuple(i.key() for i in value[1]))
        elif self.op == "at":
            value = id(value)
        elif self.op == "index":
            value = value.name
        elif isinstance(value, float):
            value = struct.pack("d", value)
        return (self.op, self.type, value, tuple(a.key() for a in self.args))

    def axes(self):
        """Every axis that the value depends on, in the order it is met."""
        found = {}
        if self.op == "read":
            for i in self.value[1]:
                for a in i.axes:
                    found[a.name] = a
        elif self.op == "index":
            found[self.value.name] = self.value
        for arg in self.args:
            for a in arg.axes():
                found[a.name] = a
        return list(found.values())

    def size(self):
        return 1 + sum(a.size() for a in self.args)

    def rounds(self):
        """Whether any operation here rounds (the others choose, move or change a sign)."""
        return self.op in ROUNDING or any(a.rounds() for a in self.args)


ROUNDING = {
    "arith.addf", "arith.subf", "arith.mulf", "arith.divf", "arith.sitofp", "math.exp", "math.exp2", "math.log",
    "math.sqrt", "math.rsqrt", "math.tanh",
}  # fmt: skip


def read(value, indices=None):
    type = "f32" if value.dtype in NARROW else value.dtype
    return Expr("read", type, (), (value, tuple(indices) if indices is not None else value.dims))


def const(number, type="f32"):
    return Expr("const", type, (), float(number) if type in FLOATS else int(number))


def index(axis):
    return Expr("index", "index", (), axis)


def constant_text(number, type):
    """A literal; floats that are not finite or not short as bits."""
    if type not in FLOATS:
        return str(number)
    if math.isfinite(number) and abs(number) < 1e6 and float(f"{number:.6e}") == number:
        return f"{number:.6e}"
    if type == "f64":
        return "0x" + struct.pack(">d", number).hex().upper()
    if type == "bf16":
        return "0x" + struct.pack(">f", number).hex().upper()[:4]
    return "0x" + struct.pack(">f" if type == "f32" else ">e", number).hex().upper()


BOUNDS = ("maximum", "minimum", "maxnum", "minnum", "argmax", "argmin", "argmaxnum", "argminnum", "logsumexp")


def on_bound(e):
    """Whether a value comes from a greatest or least one, maybe through maps."""
    for leaf in e.reads():
        node = leaf.value[0].node if leaf.op == "read" else None
        if node and node.kind == "reduce" and node.monoid in BOUNDS:
            return True
        if node and node.kind == "map" and on_bound(node.exprs[leaf.value[0].result]):
            return True
    return False


def gauged(e):
    """Whether a value has a factor exp(x - bound), maybe through maps: `stable` numerics may round it before or after it
    is rescaled (docs/Derivation.md, "The laws")."""
    if e.op == "math.exp" and e.args[0].op == "arith.subf" and any(on_bound(a) for a in e.args[0].args):
        return True
    node = e.value[0].node if e.op == "read" else None
    if node and node.kind == "map" and gauged(node.exprs[e.value[0].result]):
        return True
    return any(gauged(a) for a in e.args)


def renamed(e, axes):
    """The expression at other axes."""
    value = e.value
    if e.op == "read":
        value = (value[0], tuple(Index(i.kind, [axes.get(a.name, a) for a in i.axes], i.k, i.o) for i in value[1]))
    elif e.op == "index":
        value = axes.get(value.name, value)
    return Expr(e.op, e.type, [renamed(a, axes) for a in e.args], value)


def inlined(e):
    """The expression with maps that have a gauge in the place of reads of their results, roundings included."""
    node = e.value[0].node if e.op == "read" else None
    if node and node.kind == "map" and all(i.kind == "axis" for i in e.value[1]):
        value, inner = e.value[0], node.exprs[e.value[0].result]
        if inner.type == e.type and gauged(inner):
            if value.dtype in NARROW:
                inner = Expr("round", inner.type, (inner,), value.dtype)
            return renamed(inlined(inner), {a.name: i.axes[0] for a, i in zip(node.axes, e.value[1])})
    return Expr(e.op, e.type, [inlined(a) for a in e.args], e.value)


class Body:
    """Prints expressions as a region: each different expression once.

    `dtype` says what type a tensor has here; with a `shift`, values with a gauge are rounded on another grid.
    """

    def __init__(self, names, dims, dtype, shift):
        self.names, self.dims, self.lines, self.done, self.dtype, self.shift = names, dims, [], {}, dtype, shift

    def line(self, text):
        name = f"%b{len(self.lines)}"
        self.lines.append(f"    {name} = {text}")
        return name

    def emit(self, e):
        key = e.key()
        if key not in self.done:
            self.done[key] = self.make(e)
        return self.done[key]

    def make(self, e):
        if e.op == "read":
            name, dtype = self.names[e.key()], self.dtype(e.value[0])
            return self.line(f"arith.extf {name} : {dtype} to f32") if dtype in NARROW else name
        if e.op == "const":
            return self.line(f"arith.constant {constant_text(e.value, e.type)} : {e.type}")
        if e.op == "index":
            return self.line(f"tang.index {self.dims.index(e.value.name)}")
        args = [self.emit(a) for a in e.args]
        if e.op == "at":
            got = self.line(f"tang.at {self.names[e.key()]}[{', '.join(args)}] : {e.value.type()}")
            return self.line(f"arith.extf {got} : {e.value.dtype} to f32") if e.value.dtype in NARROW else got
        if e.op == "round":
            return self.rounded(args[0], e.type, e.value, self.shift and gauged(e.args[0]))
        if e.op in ("arith.cmpf", "arith.cmpi"):
            return self.line(f"{e.op} {e.value}, {args[0]}, {args[1]} : {e.args[0].type}")
        if e.op == "arith.select":
            return self.line(f"arith.select {', '.join(args)} : {e.type}")
        if e.op in ("arith.sitofp", "arith.index_cast", "arith.extf", "arith.truncf"):
            return self.line(f"{e.op} {args[0]} : {e.args[0].type} to {e.type}")
        return self.line(f"{e.op} {', '.join(args)} : {e.type}")

    def rounded(self, name, type, dtype, shifted):
        if shifted:
            by = self.line(f"arith.constant {constant_text(self.shift, type)} : {type}")
            name = self.line(f"arith.mulf {name}, {by} : {type}")
        narrow = self.line(f"arith.truncf {name} : {type} to {dtype}")
        name = self.line(f"arith.extf {narrow} : {dtype} to {type}")
        return self.line(f"arith.divf {name}, {by} : {type}") if shifted else name

    def result(self, e, dtype, stored):
        """The name of the value that is yielded as `dtype`, or on the shifted grid of `dtype` but `stored` wide."""
        name = self.emit(e)
        if stored != dtype:
            return self.rounded(name, e.type, dtype, True)
        if e.type == dtype:
            return name
        if e.type == "f64" or dtype in NARROW:
            return self.line(f"arith.truncf {name} : {e.type} to {dtype}")
        return self.line(f"arith.extf {name} : {e.type} to {dtype}")


class Node:
    """One operation. `kind`: map, reduce, scan, scatter or gather.

    domain: axes, the reduced ones (`over`) last; exprs: what the body yields; init: constants or Values to start from.
    """

    def __init__(self, kind, axes, exprs, dtypes, over=(), monoid=None, init=None, along=None, flags=(), dest=(), take=None):
        self.kind, self.axes, self.exprs, self.over = kind, list(axes), list(exprs), list(over)
        self.monoid, self.init, self.along, self.flags, self.take = monoid, init, along, tuple(flags), take
        dims = at(*axes) if kind != "gather" else take[3]
        if kind == "scatter":
            dims = dest
        self.results = [Value(dims, t, node=self, result=i) for i, t in enumerate(dtypes)]
        if kind == "scan":
            rest = at(*(a for a in axes if a is not along))
            self.results += [Value(rest, t, node=self, result=len(dtypes) + i) for i, t in enumerate(dtypes)]

    def leaves(self):
        return leaves(self.exprs)

    def operands(self):
        """Every Value that is used."""
        values = [leaf.value[0] if leaf.op == "read" else leaf.value for leaf in self.leaves()]
        values += [v for v in self.init or () if isinstance(v, Value)]
        return values + (list(self.take[:2]) if self.take else [])

    def rounds(self):
        return self.kind != "gather" and (self.monoid in ADDING or any(e.rounds() for e in self.exprs))


def leaves(exprs):
    """The reads of all expressions, each once."""
    seen = {}
    for e in exprs:
        for leaf in e.reads():
            seen.setdefault(leaf.key(), leaf)
    return list(seen.values())


ADDING = ("add", "mul", "logsumexp", "moments", "affine")


class Graph:
    """A function: what it returns, and all that this needs."""

    def __init__(self, outputs, size_arguments=False):
        self.outputs, self.size_arguments = list(outputs), size_arguments

    def nodes(self):
        """In an order in which each comes after what it uses."""
        order, seen = [], set()

        def visit(value):
            node = value.node
            if node is None or id(node) in seen:
                return
            seen.add(id(node))
            for operand in node.operands():
                visit(operand)
            order.append(node)

        for value in self.outputs:
            visit(value)
        return order

    def inputs(self):
        """Inputs in the order of the function's arguments."""
        found = {}
        for node in self.nodes():
            for v in node.operands():
                if v.node is None:
                    found.setdefault(id(v), v)
        for v in self.outputs:
            if v.node is None:
                found.setdefault(id(v), v)
        return list(found.values())

    def axes(self):
        """Every axis that is used."""
        found = {}
        for v in self.inputs():
            for d in v.dims:
                for a in d.axes:
                    found.setdefault(a.name, a)
        for node in self.nodes():
            for a in node.axes + node.over:
                found.setdefault(a.name, a)
            for r in node.results:
                for d in r.dims:
                    for a in d.axes:
                        found.setdefault(a.name, a)
        return list(found.values())

    def size_inputs(self):
        """The dynamic axes whose size is an argument: no input has it as a dimension, or the graph wants it so."""
        measured = set()
        if not self.size_arguments:
            measured = {d.axes[0].name for v in self.inputs() for d in v.dims if d.kind == "axis"}
        return [a for a in self.axes() if a.dynamic and a.name not in measured]

    def text(self, name, noise=(), shift=None):
        """The function. `noise`: values that are multiplied by an input of their shape right after they are made; these
        inputs come last. `shift`: a factor around the roundings to narrow types that derivation may move.
        """
        return Printer(self, name, list(noise), shift).text()

    def noisy_values(self, with_inputs):
        """Where noise stands for the rounding of f32: what an operation rounds, and inputs that feed such operations."""
        values = [v for v in self.inputs() if v.dtype == "f32"] if with_inputs else []
        for node in self.nodes():
            if node.rounds():
                values += [r for r in node.results if r.dtype == "f32"]
        return values


class Printer:
    def __init__(self, graph, name, noise, shift):
        self.graph, self.name, self.lines, self.shift = graph, name, [], shift
        # Narrow tensors whose rounding may move are wide where the grid is shifted.
        self.wide = {}
        for node in graph.nodes() if shift else ():
            for r in node.results:
                if node.kind == "map" and r.dtype in NARROW and gauged(node.exprs[r.result]):
                    self.wide[id(r)] = node.exprs[r.result].type
        self.noise = {id(v): f"%noise{i}" for i, v in enumerate(noise)}
        self.noise_types = [(f"%noise{i}", v.type()) for i, v in enumerate(noise)]
        self.empties, self.names = {}, {}

    def line(self, text):
        self.lines.append("  " + text)

    def dtype(self, value):
        return self.wide.get(id(value), value.dtype)

    def type(self, value):
        return value.type(self.dtype(value))

    def define(self, value, name):
        """Gives `value` its name, with its noise applied."""
        noise = self.noise.get(id(value))
        if not noise:
            self.names[id(value)] = name
            return
        own, type = name.replace("#", "_"), self.type(value)
        body = ["%z = arith.mulf %x, %y : f32"]
        self.names[id(value)] = self.pointwise(own, value, [(name, type), (noise, type)], type, body)

    def pointwise(self, own, value, operands, type, body):
        """A map of the shape of `value` outside of the graph; its operands are %x, %y and its result %z in `body`."""
        dims, sizes = ", ".join(f"d{i}" for i in range(len(value.dims))), []
        first, first_type = operands[0]
        for i, d in enumerate(value.dims):
            if d.dynamic():
                self.line(f"{own}_c{i} = arith.constant {i} : index")
                self.line(f"{own}_d{i} = tensor.dim {first}, {own}_c{i} : {first_type}")
                sizes.append(f"{own}_d{i}")
        self.line(f"{own}_e = tensor.empty({', '.join(sizes)}) : {type}")
        types = [t for _, t in operands]
        ins = f"ins({', '.join(f'{n}[{dims}]' for n, _ in operands)} : {', '.join(types)})"
        arguments = ", ".join(f"{n}: {t[:-1].split('<')[1].split('x')[-1]}" for n, t in zip(("%x", "%y"), types))
        self.line(f"{own}_n = tang.map [{dims}] {ins} outs({own}_e : {type}) ({arguments}) {{")
        self.lines += ["    " + line for line in body]
        self.line(f"  tang.yield %z : {type[:-1].split('<')[1].split('x')[-1]}")
        self.line("}")
        return own + "_n"

    def returned(self, value):
        """The name of a result, in its own type."""
        name = self.names[id(value)]
        if id(value) not in self.wide:
            return name
        body = [f"%z = arith.truncf %x : {self.dtype(value)} to {value.dtype}"]
        return self.pointwise(name.replace("#", "_") + "_r", value, [(name, self.type(value))], value.type(), body)

    def empty(self, value):
        sizes = ", ".join(f"%n_{d.axes[0].name}" for d in value.dims if d.dynamic())
        text = f"tensor.empty({sizes}) : {self.type(value)}"
        if text not in self.empties:
            self.empties[text] = f"%e{len(self.empties)}"
            self.line(f"{self.empties[text]} = {text}")
        return self.empties[text]

    def text(self):
        inputs, sizes = self.graph.inputs(), self.graph.size_inputs()
        arguments = [(f"%x{i}", v.type()) for i, v in enumerate(inputs)]
        arguments += [(f"%n_{a.name}", "index") for a in sizes] + self.noise_types
        given = {a.name for a in sizes}
        for axis in self.graph.axes():
            if axis.dynamic and axis.name not in given:
                i, d = next(
                    (i, d)
                    for i, v in enumerate(inputs)
                    for d, dim in enumerate(v.dims)
                    if dim.kind == "axis" and dim.axes[0].name == axis.name
                )
                self.line(f"%k_{axis.name} = arith.constant {d} : index")
                self.line(f"%n_{axis.name} = tensor.dim %x{i}, %k_{axis.name} : {inputs[i].type()}")
        for i, v in enumerate(inputs):
            self.define(v, f"%x{i}")
        for number, node in enumerate(self.graph.nodes()):
            self.node(node, number)
        types = ", ".join(v.type() for v in self.graph.outputs)
        values = ", ".join(self.returned(v) for v in self.graph.outputs)
        head = ", ".join(f"{n}: {t}" for n, t in arguments)
        self.line(f"return {values} : {types}")
        return f"func.func @{self.name}({head}) -> ({types}) {{\n" + "\n".join(self.lines) + "\n}\n"

    def sized(self, axes):
        return ", ".join(f"{a.name} = %n_{a.name}" if a.dynamic else f"{a.name} = {a.size}" for a in axes)

    def node(self, node, number):
        name = f"%v{number}"
        if node.kind == "gather":
            source, indices, (axis, batch), _ = node.take
            types = f"{self.type(source)}, {self.type(indices)} -> {self.type(node.results[0])}"
            batch = f" batch {batch}" if batch else ""
            take = f"{self.names[id(source)]}[{self.names[id(indices)]}] axis {axis}{batch}"
            self.line(f"{name} = tang.gather {take} : {types}")
            return self.define(node.results[0], name)
        # Each user rounds in a gauge of its own: on a grid of its own.
        exprs = [inlined(e) for e in node.exprs] if self.shift else node.exprs
        shift = self.shift and 1 + (self.shift + 0.6180339 * number) % 1
        used = leaves(exprs)
        ins = [leaf for leaf in used if leaf.op == "read"]
        captures = [leaf for leaf in used if leaf.op == "at"]
        names = {leaf.key(): f"%a{i}" for i, leaf in enumerate(ins + captures)}
        dims = [a.name for a in node.axes + node.over]
        symbols = {}
        reads = ", ".join(
            f"{self.names[id(leaf.value[0])]}[{', '.join(i.text(symbols) for i in leaf.value[1])}]" for leaf in ins
        )
        plain = ", ".join(a.name for a in node.axes)
        monoid = f"#tang.monoid<{node.monoid}>" if node.monoid else ""
        if node.kind == "map":
            head = f"tang.map [{plain}]"
        elif node.kind == "reduce":
            head = f"tang.reduce {monoid} [{plain}] over [{self.sized(node.over)}]"
            if node.init and not isinstance(node.init[0], Value):
                texts = (f"{constant_text(c, r.dtype)} : {r.dtype}" for c, r in zip(node.init, node.results))
                head += f" init({', '.join(texts)})"
        elif node.kind == "scan":
            head = " ".join([f"tang.scan {monoid} [{plain}] along {node.along.name}", *node.flags])
        else:
            head = " ".join(["tang.scatter", *([monoid] if monoid else []), f"over [{self.sized(node.over)}]", *node.flags])
        if symbols:
            head += " symbols(" + ", ".join(f"{s} = {n}" for s, n in symbols.items()) + ")"
        if ins:
            head += f" ins({reads} : {', '.join(self.type(leaf.value[0]) for leaf in ins)})"
        if captures:
            given = ", ".join(self.names[id(leaf.value)] for leaf in captures)
            head += f" with({given} : {', '.join(self.type(leaf.value) for leaf in captures)})"
        given = [self.names[id(v)] for v in node.init or () if isinstance(v, Value)]
        states = len(given)
        outs = [self.empty(r) for r in node.results[: len(node.results) - states]] + given
        types = ", ".join(self.type(r) for r in node.results)
        arguments = [f"{names[leaf.key()]}: {self.dtype(leaf.value[0])}" for leaf in ins]
        arguments += [f"{names[leaf.key()]}: {self.type(leaf.value)}" for leaf in captures]
        many = f":{len(node.results)}" if len(node.results) > 1 else ""
        self.line(f"{name}{many} = {head} outs({', '.join(outs)} : {types}) ({', '.join(arguments)}) {{")
        body, yields, yield_types = Body(names, dims, self.dtype, shift), [], []
        for i, e in enumerate(exprs):
            dtype = stored = e.type
            if i < len(node.results) and e.type in FLOATS:
                dtype, stored = node.results[i].dtype, self.dtype(node.results[i])
            yields.append(body.result(e, dtype, stored))
            yield_types.append(stored)
        self.lines += body.lines
        self.line(f"  tang.yield {', '.join(yields)} : {', '.join(yield_types)}")
        self.line("}")
        for i, r in enumerate(node.results):
            self.define(r, f"{name}#{i}" if many else name)
