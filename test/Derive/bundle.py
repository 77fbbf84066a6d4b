"""What a bundle says about kernels and memory (docs/Bundle.md), without running any kernel.

Derivation promises two things that results do not show: how few kernels there are, and that nothing large lies between
them. Both stand in manifest.json. Kernels are counted as launches of the host program, each as often as it is written
(a launch in a loop once). Buffers have sizes that follow from the inputs' shapes, so the part of the host program that
computes sizes is run here; what is read from buffers (`load`) is unknown, and a size or a branch that needs it is an
error here.
"""
import json
import os

BYTES = {
    "f64": 8, "f32": 4, "f16": 2, "bf16": 2, "f8E4M3FN": 1, "f8E5M2": 1,
    "i64": 8, "i32": 4, "i16": 2, "i8": 1, "i4": 1, "i1": 1, "index": 8,
}  # fmt: skip
BITS = {"i64": 64, "i32": 32, "i16": 16, "i8": 8, "i4": 4, "i1": 1, "index": 64}


class Unknown:
    """A scalar that depends on what a buffer holds."""


UNKNOWN = Unknown()


def read_manifest(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        return json.load(f)


def find_function(manifest, name=None):
    functions = {f["name"]: f for f in manifest["functions"]}
    return functions[name or ("main" if "main" in functions else next(iter(functions)))]


def launches(manifest, name=None):
    """Names of the kernels that a function launches, in order, those of functions it calls with them."""
    found = []

    def walk(body):
        for step in body:
            if step["op"] == "launch":
                found.append(step["kernel"])
            if step["op"] == "call":
                found.extend(launches(manifest, step["function"]))
            for inner in ("body", "before", "after", "then", "else"):
                if isinstance(step.get(inner), list):
                    walk(step[inner])

    walk(find_function(manifest, name)["body"])
    return found


def comments(manifest):
    """{kernel: what it does, in words}."""
    return {k["name"]: k.get("comment", "") for k in manifest["kernels"]}


class Buffer:
    def __init__(self, size, is_input):
        self.bytes, self.is_input, self.holders = size, is_input, 0


class Tensor:
    def __init__(self, buffer, shape, dtype):
        self.buffer, self.shape, self.dtype = buffer, shape, dtype


class Memory:
    """Buffers of one call. A temporary is one that the program allocates and does not return."""

    def __init__(self, temporaries, outputs, peak, copies):
        self.temporaries, self.outputs, self.peak, self.copies = temporaries, outputs, peak, copies

    def largest(self):
        return max(self.temporaries, default=0)


def memory_of(manifest, shapes, name=None):
    """Memory of a call with inputs of these shapes (of a scalar: its value, None if unknown). Peak is the most that all
    temporaries alive at once take, by the program's `drop`s, results not counted."""
    allocated, live, copies = [], {}, [0]
    peak = [0]

    def hold(value, count):
        if isinstance(value, Tensor) and not value.buffer.is_input:
            value.buffer.holders += count
            if value.buffer.holders:
                live[id(value.buffer)] = value.buffer
            else:
                live.pop(id(value.buffer), None)

    moments = []  # what was alive after each allocation; results are known only at the end

    def call(function, arguments):
        slots = {}

        def put(slot, value):
            hold(value, 1)
            hold(slots.get(slot), -1)
            slots[slot] = value

        def get(operand):
            return slots[operand] if isinstance(operand, str) and operand.startswith("%") else operand

        def number(operand, what):
            value = get(operand)
            if isinstance(value, Unknown):
                raise ValueError(f"{what} depends on what a buffer holds")
            return value

        def loop_values(targets, values):
            for slot, value in zip(targets, values):
                put(slot, value)

        def run(body):
            for step in body:
                op = step["op"]
                if op == "const":
                    put(step["dst"], step["value"])
                elif op == "constant":
                    constant = next(c for c in manifest["constants"] if c["id"] == step["id"])
                    put(step["dst"], Tensor(Buffer(constant["bytes"], True), constant["shape"], constant["dtype"]))
                elif op == "alloc":
                    shape = [number(s, "a size") for s in step["shape"]]
                    size = BYTES[step["dtype"]]
                    for s in shape:
                        size *= s
                    buffer = Buffer(size, False)
                    allocated.append(buffer)
                    put(step["dst"], Tensor(buffer, shape, step["dtype"]))
                    moments.append(list(live.values()))
                elif op == "reshape":
                    source = get(step["src"])
                    put(step["dst"], Tensor(source.buffer, [number(s, "a size") for s in step["shape"]], source.dtype))
                elif op == "dim":
                    put(step["dst"], get(step["src"]).shape[number(step["index"], "a dimension")])
                elif op == "load":
                    put(step["dst"], UNKNOWN)
                elif op == "copy":
                    copies[0] += 1
                elif op == "drop":
                    for slot in step["slots"]:
                        hold(slots.pop(slot, None), -1)
                elif op == "for":
                    at, upper, by = (number(step[k], "a loop's bound") for k in ("lower", "upper", "step"))
                    carried = [get(v) for v in step.get("init", [])]
                    while at < upper:
                        put(step["iv"], at)
                        loop_values(step.get("carry", []), carried)
                        run(step.get("body", []))
                        carried = [get(v) for v in step.get("yield", [])]
                        at += by
                    loop_values(step.get("results", []), carried)
                elif op == "while":
                    carried = [get(v) for v in step.get("init", [])]
                    while True:
                        loop_values(step.get("carry", []), carried)
                        run(step.get("before", []))
                        carried = [get(v) for v in step.get("forward", [])]
                        if not number(step["cond"], "a loop's condition"):
                            break
                        loop_values(step.get("after_args", []), carried)
                        run(step.get("after", []))
                        carried = [get(v) for v in step.get("yield", [])]
                    loop_values(step.get("results", []), carried)
                elif op == "if":
                    way = "then" if number(step["cond"], "a branch") else "else"
                    run(step.get(way, []))
                    loop_values(step.get("results", []), [get(v) for v in step.get(way + "_yield", [])])
                elif op == "call":
                    results = call(find_function(manifest, step["function"]), [get(a) for a in step.get("args", [])])
                    loop_values(step.get("results", []), results)
                elif op == "return":
                    return [get(v) for v in step.get("values", [])]
                elif op in ("launch", "store", "assert"):
                    pass
                else:
                    put(step["dst"], arithmetic(op, step, [get(a) for a in step["args"]]))
            return []

        for slot, value in zip(function.get("args", []), arguments):
            put(slot, value)
        results = run(function["body"])
        for value in slots.values():
            hold(value, -1)
        return results

    function = find_function(manifest, name)
    arguments = []
    for declared, shape in zip(function["inputs"], shapes):
        scalar = declared.get("scalar")
        unknown = UNKNOWN if shape is None else shape
        arguments.append(unknown if scalar else Tensor(Buffer(0, True), list(shape), declared["dtype"]))
    returned = {id(v.buffer) for v in call(function, arguments) if isinstance(v, Tensor)}
    for alive in moments:
        peak[0] = max(peak[0], sum(b.bytes for b in alive if id(b) not in returned))
    temporaries = [b.bytes for b in allocated if id(b) not in returned]
    outputs = [b.bytes for b in allocated if id(b) in returned]
    return Memory(temporaries, outputs, peak[0], copies[0])


def arithmetic(op, step, args):
    """Integer arithmetic on sizes; anything else, and anything of an unknown, is unknown."""
    kind = step.get("type", "index")
    if any(isinstance(a, Unknown) for a in args):
        return UNKNOWN
    if op == "select":
        return args[1] if args[0] else args[2]
    if kind not in BITS:
        return UNKNOWN
    bits = BITS[kind]
    unsigned = [a & ((1 << bits) - 1) for a in args]
    a, b = (args + [0])[:2]
    ua, ub = (unsigned + [0])[:2]
    if op == "cmpi":
        x, y = (ua, ub) if step["predicate"].startswith("u") else (a, b)
        outcomes = {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}
        return int(outcomes[step["predicate"][-2:]])
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0
    table = {
        "addi": a + b, "subi": a - b, "muli": a * b, "andi": a & b, "ori": a | b, "xori": a ^ b,
        "divsi": quotient, "remsi": a - quotient * b if b else a, "floordivsi": a // b if b else 0,
        "ceildivsi": -(-a // b) if b else 0, "divui": ua // ub if ub else 0, "remui": ua % ub if ub else ua,
        "ceildivui": -(-ua // ub) if ub else 0, "maxsi": max(a, b), "minsi": min(a, b), "maxui": a if ua > ub else b,
        "minui": a if ua < ub else b, "index_cast": a, "extsi": a, "trunci": a, "extui": ua, "index_castui": ua,
        "shli": a << ub if ub < 64 else 0, "shrui": ua >> ub,
    }  # fmt: skip
    if op not in table:
        return UNKNOWN
    to = step.get("to", kind)
    if to not in BITS:
        return UNKNOWN
    value, width = table[op] & ((1 << BITS[to]) - 1), BITS[to]
    return value - (1 << width) if width > 1 and value >> (width - 1) else value
