"""Runs functions on the reference interpreter and on targets, many at a time.

A process a function would spend its time on starting. The reference runs one `main` that calls all; a target's bundle
is loaded by libtang_runtime in a child of this process, so that a kernel that crashes takes only the child with it.
"""
import ctypes
import multiprocessing
import os
import pickle
import re
import shutil
import signal
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "suites"))
import numpy as np

import numeric
from process import run
from targets import EMULATED

EMULATORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Target")
SECONDS = 60  # for the reference or the calls of a bundle; and to start compiling
SECONDS_A_FUNCTION = 2  # more for each function that is compiled
DTYPES = ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i64", "i32", "i16", "i8", "i4", "i1", "index"]


def decode(array, dtype):
    """numeric.decode, which changes types as only arrays with dimensions can, for rank 0 too."""
    return numeric.decode(np.atleast_1d(array), dtype).reshape(np.shape(array))


class Call:
    """A function with one list of arguments (arrays in stored form, sizes as int) and its results' element types."""

    def __init__(self, function, arguments, types, dtypes):
        self.function, self.arguments, self.types, self.dtypes = function, arguments, types, dtypes


class Failed:
    """What stands in the place of results: `kind` is compile, run or crash."""

    def __init__(self, kind, message):
        self.kind, self.message = kind, message


class Tools:
    def __init__(self, bin, lib, time_scale=1.0, numerics="stable", schedules=None):
        self.opt, self.schedules = os.path.join(bin, "tang-opt"), schedules
        self.run = os.path.join(bin, "tang-run")
        self.compile = os.path.join(bin, "tang-compile")
        self.runtime = os.path.join(lib, "libtang_runtime.so")
        self.seconds, self.time_scale, self.numerics = SECONDS * time_scale, time_scale, numerics
        self.compile_seconds = SECONDS * time_scale


# -- the reference


def reference(tools, functions, calls, exact=False):
    """Results of each call, decoded, or Failed. `functions`: name -> text."""
    with tempfile.TemporaryDirectory(prefix="tang-equivalence-") as folder:
        return _reference(tools, functions, calls, exact, folder)


def _reference(tools, functions, calls, exact, folder):
    head, lines, outputs, types, command = [], [], [], [], [tools.run, os.path.join(folder, "all.mlir")]
    command += ["--target=reference", f"--numerics={'exact' if exact else 'stable'}", "--function=main"]
    for c, call in enumerate(calls):
        names = [f"%a{c}_{i}" for i in range(len(call.arguments))]
        head += [f"{n}: {t}" for n, t in zip(names, call.types[0])]
        for i, array in enumerate(call.arguments):
            path = os.path.join(folder, f"in-{c}-{i}.npy")
            np.save(path, np.asarray(array, np.int64) if isinstance(array, int) else array)
            command.append(f"--input=@{path}")
        signature = f"({', '.join(call.types[0])}) -> ({', '.join(call.types[1])})"
        count = len(call.types[1])
        lines.append(f"  %r{c}:{count} = call @{call.function}({', '.join(names)}) : {signature}")
        outputs += [f"%r{c}#{i}" for i in range(count)]
        types += call.types[1]
        command += [f"--output=@{os.path.join(folder, f'out-{c}-{i}.npy')}" for i in range(count)]
    used = {call.function for call in calls}
    with open(command[1], "w", encoding="utf-8") as f:
        f.write("\n".join(text for name, text in functions.items() if name in used))
        f.write(f"\nfunc.func @main({', '.join(head)}) -> ({', '.join(types)}) {{\n" + "\n".join(lines))
        f.write(f"\n  return {', '.join(outputs)} : {', '.join(types)}\n}}\n")
    done = run(command, tools.seconds)
    if done.crash() or done.code:
        if len(calls) > 1:
            middle = len(calls) // 2
            return [r for part in (calls[:middle], calls[middle:]) for r in reference(tools, functions, part, exact)]
        return [Failed("reference", done.describe("the reference interpreter failed"))]
    results = []
    for c, call in enumerate(calls):
        loaded = [np.load(os.path.join(folder, f"out-{c}-{i}.npy")) for i in range(len(call.dtypes))]
        results.append([decode(a, dtype) for a, dtype in zip(loaded, call.dtypes)])
    return results


# -- targets


def first_error(text):
    """The first message of a diagnostic, without its place."""
    found = re.search(r"error: (.*)", text)
    return found.group(1) if found else "compiling failed"


def compile_all(tools, functions, target, folder):
    """[(bundle, names)] and {name: Failed}: a module that is refused is halved until who is to blame stands alone."""
    bundles, failures = [], {}

    def attempt(names):
        source = os.path.join(folder, f"{target}-{len(bundles)}-{len(failures)}.mlir")
        # One that is compiled for this machine is a folder, for the script that does it.
        options, emulator = EMULATED.get(target, ([f"--target={target}"], None))
        bundle = source[: -len("mlir")] + ("bundle" if emulator else "tangb")
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(functions[n] for n in names))
        command = [tools.compile, source] + options + [f"--numerics={tools.numerics}", "-o", bundle]
        seconds = tools.compile_seconds + tools.time_scale * SECONDS_A_FUNCTION * len(names)
        done = None
        if tools.schedules is not None:
            # Drawn schedules in place of the compiler's.
            drawn = source[: -len("mlir")] + "drawn.mlir"
            how = f"--tang-random-schedules=target={target} seed={tools.schedules}"
            done = run([tools.opt, source, "--tang-import", f"--tang-derive=numerics={tools.numerics}", how, "-o", drawn], seconds)
            command[1] = drawn
        if not done or (not done.crash() and not done.code):
            done = run(command, seconds)
        if emulator and not done.crash() and not done.code:
            done = run([sys.executable, os.path.join(EMULATORS, emulator, "emulate.py"), bundle], seconds)
        if not done.crash() and not done.code:
            bundles.append((bundle, names))
        elif len(names) == 1:
            failures[names[0]] = Failed("compile", done.describe(done.crash() or first_error(done.err)))
        else:
            attempt(names[: len(names) // 2])
            attempt(names[len(names) // 2 :])

    attempt(list(functions))
    return bundles, failures


class Tensor(ctypes.Structure):
    _fields_ = [
        ("dtype", ctypes.c_int),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
    ]


class Program:
    """A loaded bundle, through the C ABI of the runtime (include/Tang/Runtime/Runtime.h)."""

    def __init__(self, library, target, bundle):
        self.rt, self.error = ctypes.CDLL(library), ctypes.c_char_p()
        self.device, self.program = ctypes.c_void_p(), ctypes.c_void_p()
        self.check(self.rt.tang_rt_open_device(target.encode(), 0, ctypes.byref(self.device), ctypes.byref(self.error)))
        load = self.rt.tang_rt_load
        self.check(load(self.device, bundle.encode(), ctypes.byref(self.program), ctypes.byref(self.error)))
        self.rt.tang_rt_num_outputs.restype = ctypes.c_size_t

    def check(self, code):
        if code:
            raise RuntimeError((self.error.value or b"?").decode("utf-8", "replace"))

    def invoke(self, name, arguments, types):
        """Results, decoded."""
        number, keep, inputs = ctypes.c_size_t(), [], (Tensor * max(len(arguments), 1))()
        find = self.rt.tang_rt_find_function
        self.check(find(self.program, name.encode(), ctypes.byref(number), ctypes.byref(self.error)))
        for tensor, argument, type in zip(inputs, arguments, types[0]):
            dtype = type if type == "index" else element(type)
            array = np.ascontiguousarray(argument, numeric.STORED[dtype]).reshape(np.shape(argument))
            shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
            keep += [array, shape]
            tensor.dtype, tensor.rank, tensor.shape, tensor.data = DTYPES.index(dtype), array.ndim, shape, array.ctypes.data
        outputs = (Tensor * max(self.rt.tang_rt_num_outputs(self.program, number), 1))()
        count, error = ctypes.c_size_t(len(arguments)), ctypes.byref(self.error)
        self.check(self.rt.tang_rt_invoke(self.program, number, inputs, count, outputs, error))
        results = []
        for tensor in outputs:
            dtype = DTYPES[tensor.dtype]
            shape = tuple(tensor.shape[i] for i in range(tensor.rank))
            stored = np.dtype(numeric.STORED[dtype])
            size = int(np.prod(shape, dtype=np.int64)) * stored.itemsize
            array = np.frombuffer(ctypes.string_at(tensor.data, size) if size else b"", stored).reshape(shape)
            results.append(decode(array, dtype))
            self.rt.tang_rt_free_tensor(ctypes.byref(tensor))
        return results


def element(type):
    """'tensor<2x?xf32>' -> 'f32'."""
    return type[len("tensor<") : -1].split("x", type.count("x"))[-1] if "x" in type else type[len("tensor<") : -1]


def _child(library, target, bundle, calls, path):
    """Writes each result as soon as it is there, so that after a crash the parent knows where it was."""
    sys.stdout.flush()
    with open(path, "ab", buffering=0) as f:
        try:
            program = Program(library, target, bundle)
        except RuntimeError as error:
            for _ in calls:
                f.write(pickle.dumps(Failed("run", f"the bundle is not loaded: {error}")))
            return
        for call in calls:
            try:
                result = program.invoke(call.function, call.arguments, call.types)
            except RuntimeError as error:
                result = Failed("run", str(error))
            f.write(pickle.dumps(result))
    os._exit(0)  # no tidying: a driver's exit handlers are not what is tested


def run_bundle(tools, target, bundle, calls, folder):
    """Results of each call or Failed."""
    results = []
    while len(results) < len(calls):
        path = os.path.join(folder, "results.pickle")
        if os.path.exists(path):
            os.remove(path)
        rest = calls[len(results) :]
        fork = multiprocessing.get_context("fork")
        child = fork.Process(target=_child, args=(tools.runtime, target, bundle, rest, path))
        child.start()
        child.join(tools.seconds + len(rest))
        late = child.is_alive()
        if late:
            child.kill()
            child.join()
        if os.path.exists(path):
            with open(path, "rb") as f:
                while len(results) < len(calls):
                    try:
                        results.append(pickle.load(f))
                    except (EOFError, pickle.UnpicklingError):
                        break
        if len(results) < len(calls):
            why = "no end" if late else f"exit code {child.exitcode}"
            if child.exitcode and child.exitcode < 0 and not late:
                why = f"killed by {signal.Signals(-child.exitcode).name}"
            results.append(Failed("crash", f"{calls[len(results)].function}: {why}"))
    return results


def on_target(tools, functions, calls, target):
    """Results of each call, decoded, or Failed."""
    os.environ.setdefault("TANG_POISON_BUFFERS", "1")
    os.environ.setdefault("TANG_NUM_THREADS", "2")
    device = "c" if target in EMULATED else target
    folder = tempfile.mkdtemp(prefix="tang-equivalence-")
    try:
        bundles, failures = compile_all(tools, functions, target, folder)
        results = [failures.get(call.function) for call in calls]
        for bundle, names in bundles:
            mine = [i for i, call in enumerate(calls) if call.function in names]
            for i, result in zip(mine, run_bundle(tools, device, bundle, [calls[i] for i in mine], folder)):
                results[i] = result
        return results
    finally:
        shutil.rmtree(folder, ignore_errors=True)
