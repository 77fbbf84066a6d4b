"""This machine's CPU against OpenBLAS, oneDNN and plain loops, in one process, interleaved.

    bench/cpu.py BUILD [--filter=TEXT] [--rounds=15] [--numerics=stable] [--device=NAME] [--out=FILE]

BUILD is a build folder of Tang. Peers (bench/peers.cpp) need g++, libopenblas-dev and libdnnl-dev; nothing else does. One thread
each, on one core (this process pins itself), random-normal inputs, the output checked against f64. Rounds run `cpu`, `c` and the peer
once each in random order, the first two do not count; medians of the thread's own CPU time, so that others on the machine disturb
less. The floor is the larger of the arithmetic at the core's measured rate of multiply-adds and the bytes, every input and output
once, at the measured rate of a copying loop. Writes bench/results/DEVICE-cpu-DATE.json.
"""
import argparse
import ctypes as C
import datetime
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import graphs

# A core's rate, measured: eight vectors of eight numbers, a multiply-add each.
RATE = r"""
#include <immintrin.h>
float rate(long n) {
  __m256 s[12], x = _mm256_set1_ps(0.5f), y = _mm256_set1_ps(0.25f);
  for (int i = 0; i < 12; ++i) s[i] = x;
  for (long j = 0; j < n; ++j)
    for (int i = 0; i < 12; ++i) s[i] = _mm256_fmadd_ps(s[i], x, y);
  for (int i = 1; i < 12; ++i) s[0] = _mm256_add_ps(s[0], s[i]);
  return s[0][0] + s[0][7];
}
"""


def cases():
    """(name, group, module, shapes of inputs, dimensions, multiply-adds)."""
    for m, n, k in ((512, 512, 512), (1024, 1024, 1024), (1000, 1001, 1003)):
        yield f"gemm_{m}x{n}x{k}", "gemm", graphs.gemm_f32(m, n, k), [(m, k), (k, n)], (m, n, k), m * n * k
    r, n = 4096, 1024
    yield f"softmax_{r}x{n}", "rows", graphs.softmax(r, n), [(r, n)], (r, n), 0
    yield f"layernorm_{r}x{n}", "rows", graphs.layernorm(r, n), [(r, n), (n,), (n,)], (r, n), 0
    yield f"rmsnorm_{r}x{n}", "rows", graphs.rmsnorm(r, n), [(r, n), (n,)], (r, n), 0
    b, h, s, d = 1, 8, 1024, 64
    yield f"attention_b{b}_h{h}_s{s}_d{d}", "attention", graphs.attention_f32(b, h, s, d), [(b, h, s, d)] * 3, (h, s, d), 2 * b * h * s * s * d


def build_peers(folder):
    made = os.path.join(folder, "peers.so")
    flags = ["-march=native", "-fPIC", "-shared"]
    subprocess.run(["g++", "-std=c++17", "-Ofast", *flags, os.path.join(HERE, "peers.cpp"), "-o", made, "-lopenblas", "-ldnnl"], check=True)
    rate = os.path.join(folder, "rate.c")
    with open(rate, "w") as f:
        f.write(RATE)
    subprocess.run(["gcc", "-O3", *flags, rate, "-o", os.path.join(folder, "rate.so")], check=True)
    return C.CDLL(made), C.CDLL(os.path.join(folder, "rate.so"))


def wanted(np, name, inputs):
    """The result in f64."""
    x = [i.astype(np.float64) for i in inputs]
    if name.startswith("gemm"):
        return x[0] @ x[1]
    if name.startswith("attention"):
        s = np.einsum("bhtd,bhsd->bhts", x[0], x[1]) * x[0].shape[-1] ** -0.5
        p = np.exp(s - s.max(-1, keepdims=True))
        return np.einsum("bhts,bhsd->bhtd", p / p.sum(-1, keepdims=True), x[2])
    if name.startswith("softmax"):
        p = np.exp(x[0] - x[0].max(-1, keepdims=True))
        return p / p.sum(-1, keepdims=True)
    if name.startswith("rmsnorm"):
        return x[0] / np.sqrt((x[0] ** 2).mean(-1, keepdims=True) + 1e-5) * x[1]
    centred = x[0] - x[0].mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + 1e-5) * x[1] + x[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--filter", default="")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--numerics", default="stable")
    parser.add_argument("--device", default="epyc")
    parser.add_argument("--out")
    args = parser.parse_args()
    # Before any of the libraries looks.
    for name in ("TANG_NUM_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ[name] = "1"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    import numpy as np
    from runtime import Call, Runtime
    random.seed(0)
    generator = np.random.default_rng(0)
    library = os.path.join(args.build, "lib", "libtang_runtime.so.0")
    devices = {target: Runtime(target, library) for target in ("cpu", "c")}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        peers, rate = build_peers(folder)

        def clock(run):
            start = time.process_time()
            run()
            return (time.process_time() - start) * 1e3

        def pointer(array):
            return array.ctypes.data_as(C.c_void_p)
        steps = 2_000_000
        per_ms = 12 * 8 * steps / min(clock(lambda: rate.rate(C.c_long(steps))) for _ in range(5))
        big = np.ones(4 << 20, np.float32), np.ones(4 << 20, np.float32)
        bytes_per_ms = 2 * big[0].nbytes / min(clock(lambda: peers.peer_copy(C.c_int64(big[0].size), pointer(big[0]), pointer(big[1])))
                                               for _ in range(20))
        print(f"measured: {2 * per_ms / 1e6:.1f} GFLOP/s of multiply-adds, a copying loop {bytes_per_ms / 1e6:.1f} GB/s")
        for name, group, module, shapes, dims, products in cases():
            if args.filter not in name:
                continue
            inputs = [generator.standard_normal(s, dtype=np.float32) for s in shapes]
            source = os.path.join(folder, name + ".mlir")
            with open(source, "w") as f:
                f.write(module)
            calls = {}
            for target, device in devices.items():
                bundle = os.path.join(folder, f"{name}.{target}.tangb")
                subprocess.run([os.path.join(args.build, "bin", "tang-compile"), source, "--target=" + target,
                                "--numerics=" + args.numerics, "-o", bundle], check=True)
                calls[target] = Call(device, bundle, inputs)
            want = wanted(np, name, inputs)
            peer_name = {"gemm": "openblas", "attention": "openblas+onednn"}.get(group, "loop" if "rms" in name else "onednn")
            out = np.zeros(want.shape, np.float32)
            function = getattr(peers, "peer_" + name.split("_")[0])

            def peer():
                function(*(C.c_int64(d) for d in dims), *(pointer(x) for x in inputs), pointer(out))
            runs = {"cpu": calls["cpu"].run, "c": calls["c"].run, "peer": peer}
            times = {key: [] for key in runs}
            for round_ in range(args.rounds + 2):
                order = list(runs)
                random.shuffle(order)
                for key in order:
                    ms = clock(runs[key])
                    if round_ >= 2:
                        times[key].append(ms)
            ms = {key: statistics.median(t) for key, t in times.items()}

            def error(got):
                return float(np.linalg.norm(got - want) / np.linalg.norm(want))
            assert error(out) < 1e-4, f"the peer of {name} computes something else"
            compute = products / per_ms
            memory = (sum(x.nbytes for x in inputs) + out.nbytes) / bytes_per_ms
            for target in ("cpu", "c"):
                row = {"group": group, "name": name + ("" if target == "cpu" else "_c"), "ours_ms": ms[target],
                       "peer": peer_name if target == "cpu" else "cpu", "peer_ms": ms["peer" if target == "cpu" else "cpu"],
                       "floor_ms": max(compute, memory), "binding": "arithmetic" if compute >= memory else "memory",
                       "error": error(calls[target].output())}
                row["ratio"] = row["peer_ms"] / row["ours_ms"]
                row["reach"] = row["floor_ms"] / row["ours_ms"]
                rows.append(row)
                print(f"{row['name']:28s} {row['ours_ms']:9.3f} ms  {row['peer']:16s} {row['peer_ms']:9.3f} ms  ratio {row['ratio']:.3f}  "
                      f"floor {row['floor_ms']:8.3f} ms  reach {row['reach']:.2f} ({row['binding']})  error {row['error']:.1e}", flush=True)
            for call in calls.values():
                call.close()
    commit = subprocess.run(["git", "-C", HERE, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    date = str(datetime.date.today())
    result = {"device": devices["cpu"].name, "driver": devices["cpu"].driver, "date": date, "commit": commit, "rows": rows}
    path = args.out or os.path.join(HERE, "results", f"{args.device}-cpu-{date}.json")
    if not args.filter or args.out:
        with open(path, "w") as f:
            json.dump(result, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
