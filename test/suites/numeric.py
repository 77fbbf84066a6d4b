"""Reading, decoding and comparing tensors of .npy files, by the rules of tang-run.

A match is |got - want| <= atol + rtol * |want|, NaN equal to NaN, infinities equal in sign, computed in f64. Integers
with both tolerances 0 are compared exactly in 64 bits. numpy has no bf16 and no f8: their bits are in uint16 and uint8.
"""
import numpy as np

# MLIR element type -> numpy type of the file.
STORED = {
    "f64": "f8", "f32": "f4", "f16": "f2", "bf16": "u2", "f8E4M3FN": "u1", "f8E5M2": "u1",
    "i64": "i8", "i32": "i4", "i16": "i2", "i8": "i1", "i4": "i1", "i1": "u1", "index": "i8",
}  # fmt: skip
FLOATS = ("f64", "f32", "f16", "bf16", "f8E4M3FN", "f8E5M2")
# Median relative error allowed by shared/inputs/README.md; absolute bounds alone are blind to small values.
MEDIAN = {"bf16": 1.0 / 32, "f32": 1e-3}


def _e4m3fn_table():
    bits = np.arange(256)
    exponent, mantissa = (bits >> 3) & 15, bits & 7
    value = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0 ** (exponent - 10.0))
    value = np.where((bits & 127) == 127, np.nan, value)
    return np.where(bits >= 128, -value, value)


E4M3FN = _e4m3fn_table()


def decode(array, dtype):
    """Values of a stored tensor: floats as f64, integers and i1 as i64."""
    if dtype == "bf16":
        if array.dtype.kind == "V":  # ml_dtypes writes bf16 as void
            array = array.view(np.uint16)
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype == "f8E4M3FN":
        return E4M3FN[array.view(np.uint8)]
    if dtype == "f8E5M2":
        return (array.view(np.uint8).astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def encode(values, dtype):
    """The inverse of decode: rounds f64 values to nearest, ties to even, into the stored form."""
    if dtype == "bf16":
        f = np.asarray(values, np.float64).astype(np.float32)
        bits = f.view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        return np.where(np.isnan(f), np.uint16(0x7FC0), rounded).astype(np.uint16)
    if dtype in ("f8E4M3FN", "f8E5M2"):
        table = decode(np.arange(256, dtype=np.uint8), dtype)
        finite = np.flatnonzero(np.isfinite(table))
        order = finite[np.argsort(table[finite], kind="stable")]
        keys = table[order]
        v = np.asarray(values, np.float64)
        hi = np.clip(np.searchsorted(keys, v), 1, len(keys) - 1)
        below, above = v - keys[hi - 1], keys[hi] - v
        even_below = (order[hi - 1] & 1) == 0
        pick = np.where((below < above) | ((below == above) & even_below), hi - 1, hi)
        out = order[pick].astype(np.uint8)
        out = np.where(np.isinf(v) & (dtype == "f8E5M2"), np.where(v > 0, 0x7C, 0xFC), out)
        return np.where(np.isnan(v), 0x7F, out).astype(np.uint8)
    with np.errstate(over="ignore", invalid="ignore"):
        return np.asarray(values).astype(STORED[dtype])


def storage_error(array, dtype):
    """None if the file's type can hold `dtype`, else a message."""
    kind = array.dtype.kind + str(array.dtype.itemsize)
    allowed = {STORED[dtype]}
    if dtype == "bf16":
        allowed.add("V2")
    if dtype == "i1":
        allowed.add("b1")
    if dtype in ("f8E4M3FN", "f8E5M2"):
        allowed.add("V1")
    return None if kind in allowed else f"stored as {array.dtype}, want {STORED[dtype]} for {dtype}"


def mismatch(got, want, rtol, atol):
    """None if the decoded arrays match, else a message naming the worst element."""
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, want {list(want.shape)}"
    if got.size == 0:
        return None
    if got.dtype.kind == "i" and want.dtype.kind == "i" and not rtol and not atol:
        bad = got != want
        if not bad.any():
            return None
        worst = tuple(int(i) for i in np.argwhere(bad)[0])
    else:
        g, w = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(all="ignore"):
            error = np.abs(g - w)
            room = error - (atol + rtol * np.abs(w))
        same = (g == w) | (np.isnan(g) & np.isnan(w))
        finite = np.isfinite(g) & np.isfinite(w)
        bad = ~same & ~(finite & (room <= 0))
        if not bad.any():
            return None
        rank = np.where(bad, np.where(finite, room, np.inf), -np.inf)
        worst = tuple(int(i) for i in np.unravel_index(int(np.argmax(rank)), rank.shape))
    count = int(np.count_nonzero(bad))
    return (
        f"{count} of {got.size} elements differ; worst at {list(worst)}: got {got[worst]!r}, want {want[worst]!r} "
        f"(rtol {rtol:g}, atol {atol:g})"
    )


def median_relative_error(got, want):
    """Median of |got - want| / |want| over the finite, non-zero elements of want; 0 if there are none."""
    use = np.isfinite(want) & (want != 0) & np.isfinite(got)
    if not use.any():
        return 0.0
    return float(np.median(np.abs(got[use] - want[use]) / np.abs(want[use])))
