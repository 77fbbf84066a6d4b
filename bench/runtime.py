"""Calls libtang_runtime through its C ABI (include/Tang/Runtime/Runtime.h)."""
import ctypes as C
import os

import numpy as np

F32, F16, BF16 = 1, 2, 3
# By tang_rt_dtype: how elements lie in memory (bf16 and f8 as their bits, i4 and i1 one a byte).
ITEM = [np.float64, np.float32, np.float16, np.uint16, np.uint8, np.uint8, np.int64, np.int32, np.int16, np.int8, np.int8,
        np.uint8, np.int64]
NAMES = ["f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "i64", "i32", "i16", "i8", "i4", "i1", "index"]


class Tensor(C.Structure):
    _fields_ = [("dtype", C.c_int), ("rank", C.c_int32), ("shape", C.POINTER(C.c_int64)), ("data", C.c_void_p)]


class Spec(C.Structure):
    _fields_ = [("name", C.c_char_p), ("dtype", C.c_int), ("rank", C.c_int32), ("shape", C.POINTER(C.c_int64)),
                ("is_scalar", C.c_int32)]


class Runtime:
    """One device. Errors of the runtime become exceptions with its message."""

    def __init__(self, target="h200", library="libtang_runtime.so.0"):
        self.lib = C.CDLL(os.path.abspath(library) if os.path.exists(library) else library)
        self.lib.tang_rt_device_name.restype = C.c_char_p
        self.lib.tang_rt_device_driver.restype = C.c_char_p
        self.lib.tang_rt_input.restype = self.lib.tang_rt_output.restype = Spec
        self.lib.tang_rt_num_inputs.restype = self.lib.tang_rt_num_outputs.restype = C.c_size_t
        self.device = C.c_void_p()
        self.check("tang_rt_open_device", target.encode(), C.c_int32(0), C.byref(self.device))
        self.name = self.lib.tang_rt_device_name(self.device).decode()
        self.driver = self.lib.tang_rt_device_driver(self.device).decode()

    def check(self, function, *args):
        error = C.c_char_p()
        if getattr(self.lib, function)(*args, C.byref(error)):
            raise RuntimeError(error.value.decode())

    def flush(self):
        self.check("tang_rt_flush_cache", self.device)


class Call:
    """A bundle's function with its inputs (numpy arrays; bf16 as uint16) on the device."""

    def __init__(self, runtime, bundle, inputs):
        self.rt = runtime
        self.program = C.c_void_p()
        runtime.check("tang_rt_load", runtime.device, bundle.encode(), C.byref(self.program))
        self.main = C.c_size_t()
        runtime.check("tang_rt_find_function", self.program, None, C.byref(self.main))
        tensors = (Tensor * len(inputs))()
        keep = []
        for i, (t, x) in enumerate(zip(tensors, inputs)):
            t.dtype = runtime.lib.tang_rt_input(self.program, self.main, C.c_size_t(i)).dtype
            x = np.ascontiguousarray(x).reshape(x.shape)
            shape = (C.c_int64 * max(x.ndim, 1))(*x.shape)
            keep.append((shape, x))
            t.rank, t.shape, t.data = x.ndim, shape, x.ctypes.data
        self.call = C.c_void_p()
        runtime.check("tang_rt_prepare", self.program, self.main, tensors, C.c_size_t(len(inputs)), C.byref(self.call))

    def run(self):
        """Runs once; milliseconds by the device's clock."""
        seconds = C.c_double()
        self.rt.check("tang_rt_run", self.call, C.byref(seconds))
        return seconds.value * 1e3

    def outputs(self):
        """[(element type's name, array)] of the last run."""
        count = self.rt.lib.tang_rt_num_outputs(self.program, self.main)
        out = (Tensor * max(count, 1))()
        self.rt.check("tang_rt_call_outputs", self.call, out)
        arrays = []
        for t in out[:count]:
            shape = [t.shape[i] for i in range(t.rank)]
            item = np.dtype(ITEM[t.dtype])
            data = C.string_at(t.data, int(np.prod(shape, dtype=np.int64)) * item.itemsize)
            arrays.append((NAMES[t.dtype], np.frombuffer(data, item).reshape(shape).copy()))
            self.rt.lib.tang_rt_free_tensor(C.byref(t))
        return arrays

    def output(self):
        """The first output of the last run."""
        return self.outputs()[0][1]

    def close(self):
        self.rt.lib.tang_rt_free_call(self.call)
        self.rt.lib.tang_rt_free_program(self.program)
