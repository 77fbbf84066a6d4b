"""Calls libtang_runtime through its C ABI (include/Tang/Runtime/Runtime.h)."""
import ctypes as C
import os

import numpy as np

F32, F16, BF16 = 1, 2, 3
ITEM = {F32: np.float32, F16: np.float16, BF16: np.uint16}


class Tensor(C.Structure):
    _fields_ = [("dtype", C.c_int), ("rank", C.c_int32), ("shape", C.POINTER(C.c_int64)), ("data", C.c_void_p)]


class Runtime:
    """One device. Errors of the runtime become exceptions with its message."""

    def __init__(self, target="h200", library="libtang_runtime.so.0"):
        self.lib = C.CDLL(os.path.abspath(library) if os.path.exists(library) else library)
        self.lib.tang_rt_device_name.restype = C.c_char_p
        self.lib.tang_rt_device_driver.restype = C.c_char_p
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

    def __init__(self, runtime, bundle, inputs, dtypes):
        self.rt = runtime
        self.program = C.c_void_p()
        runtime.check("tang_rt_load", runtime.device, bundle.encode(), C.byref(self.program))
        tensors = (Tensor * len(inputs))()
        keep = []
        for t, x, d in zip(tensors, inputs, dtypes):
            shape = (C.c_int64 * x.ndim)(*x.shape)
            keep.append((shape, x))
            t.dtype, t.rank, t.shape, t.data = d, x.ndim, shape, x.ctypes.data
        self.call = C.c_void_p()
        runtime.check("tang_rt_prepare", self.program, C.c_size_t(0), tensors, C.c_size_t(len(inputs)),
                      C.byref(self.call))

    def run(self):
        """Runs once; milliseconds by the device's clock."""
        seconds = C.c_double()
        self.rt.check("tang_rt_run", self.call, C.byref(seconds))
        return seconds.value * 1e3

    def output(self):
        """The first output of the last run."""
        out = Tensor()
        self.rt.check("tang_rt_call_outputs", self.call, C.byref(out))
        shape = [out.shape[i] for i in range(out.rank)]
        item = ITEM[out.dtype]
        size = int(np.prod(shape)) * np.dtype(item).itemsize
        x = np.frombuffer(C.string_at(out.data, size), item).reshape(shape).copy()
        self.rt.lib.tang_rt_free_tensor(C.byref(out))
        return x

    def close(self):
        self.rt.lib.tang_rt_free_call(self.call)
        self.rt.lib.tang_rt_free_program(self.program)
