"""Results that do not depend on the batch, bit for bit, on a device.

    bench/invariance.py OUT     # where the GPU is, with the bundles of dense.py in OUT

A linear at M = 1, 4 and 16 gives the first rows of the one at M = 48; one token's attention at B = 1, 4 and 16 gives the last
sequences of B = 48. Exits 1 if a bit differs.
"""
import os
import sys

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from runtime import Call, Runtime


def random_bits(rng, *shape):
    """bf16 of about N(0, 1), as bits."""
    return (rng.standard_normal(shape).astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)


def result(rt, bundle, inputs):
    call = Call(rt, bundle, inputs)
    call.run()
    out = call.output()
    call.close()
    return out


def main(out):
    rt = Runtime(library=os.path.join(out, "libtang_runtime.so.0"))
    rng = np.random.default_rng(0)
    bad = 0

    def check(name, small, large):
        nonlocal bad
        same = np.array_equal(small, large)
        bad += not same
        print(f"{name:40s} {'the same bits' if same else 'DIFFERS: %d elements' % np.count_nonzero(small != large)}", flush=True)

    for n, k in ((6144, 4096), (4096, 4096), (24576, 4096), (4096, 12288)):
        x, w = random_bits(rng, 48, k), random_bits(rng, n, k)
        run = lambda m: result(rt, os.path.join(out, f"linear_{m}x{n}x{k}.tangb"), [x[:m], w])
        all_rows = run(48)
        for m in (1, 4, 16):
            check(f"linear {n}x{k}, M = {m} of 48", run(m), all_rows[:m])
    s = 4096
    q, k, v = random_bits(rng, 48, 8, 4, 128), random_bits(rng, 48, s, 8, 128), random_bits(rng, 48, s, 8, 128)
    run = lambda b: result(rt, os.path.join(out, f"decode_b{b}_h32_8_s{s}_d128.tangb"), [q[:b], k[:b], v[:b]])
    all_rows = run(48)
    for b in (1, 4, 16):
        check(f"one token's attention, B = {b} of 48", run(b), all_rows[:b])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) if len(sys.argv) == 2 else __doc__)
