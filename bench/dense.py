"""Dense kernels against cuBLAS and cuDNN, in one process, interleaved.

    bench/dense.py build OUT          # where Tang is: bundles into OUT
    bench/dense.py run OUT [FILTER]   # where the GPU is: needs the driver, libtang_runtime and torch

For every case: random-normal inputs, the output checked against f32 of the
literal graph, then rounds in which candidates run in random order, the L2 cache
overwritten before each run. Medians; ratio = peer / ours.
"""
import datetime
import json
import os
import random
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import graphs

GEMM = [(n, n, n, b) for n in (512, 1024, 1536, 2048, 4096, 8192) for b in ("nk", "kn")] + [
    (4096, n, 4096, "nk") for n in (6144, 24576)] + [(4096, 4096, 12288, "nk"), (128, 6144, 4096, "nk"), (128, 24576, 4096, "nk")]
LINEAR = [(m, n, k, "nk") for m in (1, 4, 16, 48) for n, k in ((6144, 4096), (4096, 4096), (24576, 4096), (4096, 12288))]
ATTENTION = [(b, h, h, s, d, c) for d, h in ((128, 16), (64, 32)) for s, b in ((512, 32), (2048, 8), (4096, 4), (8192, 2), (16384, 1))
             for c in (False, True)] + [(2, 32, 8, 4096, 128, True), (1, 16, 16, 1000, 128, True), (1, 16, 16, 1000, 128, False)]
DECODE = [(b, 8, 4, s, 128) for s in (4096, 32768) for b in (1, 4, 16, 48)] + [(4, 32, 1, 4096, 128)]


def cases():
    """(name, group, module text, dimensions)."""
    for m, n, k, b in GEMM:
        yield f"gemm_{m}x{n}x{k}_{b}", "gemm", graphs.gemm(m, n, k, b), (m, n, k, b)
    for m, n, k, b in LINEAR:
        yield f"linear_{m}x{n}x{k}", "linear", graphs.gemm(m, n, k, b), (m, n, k, b)
    for b, g, r, s, d in DECODE:
        yield f"decode_b{b}_h{g * r}_{g}_s{s}_d{d}", "decode-attention", graphs.decode(b, g, r, s, d), (b, g, r, s, d)
    for b, h, g, s, d, c in ATTENTION:
        name = f"attention_b{b}_h{h}_{g}_s{s}_d{d}_{'causal' if c else 'full'}"
        yield name, "attention", graphs.attention(b, h, g, s, d, c), (b, h, g, s, d, c)


# Of one H200: products of 16-bit floats with sums in f32, bytes of memory (NVIDIA's data sheet, without sparsity).
FLOPS, BYTES = 989e12, 4.8e12


def floor(group, dims):
    """(milliseconds that no kernel is under, what binds there): every product once, every input and output once."""
    if group == "attention":
        b, h, g, s, d, causal = dims
        flops = 4.0 * b * h * s * s * d * (0.5 if causal else 1)
        size = 2.0 * b * s * d * (2 * h + 2 * g)
    elif group == "decode-attention":
        b, g, r, s, d = dims
        flops = 4.0 * b * g * r * s * d
        size = 2.0 * b * g * d * (2 * r + 2 * s)
    else:
        m, n, k, _ = dims
        flops, size = 2.0 * m * n * k, 2.0 * (m * k + n * k + m * n)
    compute, memory = flops / FLOPS, size / BYTES
    return max(compute, memory) * 1e3, "matrix unit" if compute >= memory else "memory"


def build(out, tool, pick):
    os.makedirs(out, exist_ok=True)
    for name, _, text, _ in cases():
        if pick and pick not in name:
            continue
        source = os.path.join(out, name + ".mlir")
        with open(source, "w") as f:
            f.write(text)
        result = subprocess.run([tool, source, "--target=h200", "-o", os.path.join(out, name + ".tangb")],
                                capture_output=True, text=True)
        status = "ok" if result.returncode == 0 and not result.stderr else result.stderr.strip()[:300]
        print(name, status, flush=True)


def run(out, pick):
    import numpy as np
    import torch
    from runtime import Call, Runtime
    torch.manual_seed(0)
    random.seed(0)
    rt = Runtime(library=os.path.join(out, "libtang_runtime.so.0"))
    rows = []

    def bits(t):
        return t.view(torch.int16).cpu().numpy().view(np.uint16)

    def floats(x):
        return torch.from_numpy(x.view(np.int16)).cuda().view(torch.bfloat16).float()

    for name, group, _, dims in cases():
        if pick and pick not in name:
            continue
        floor_ms, binding = floor(group, dims)
        row = {"group": group, "name": name, "ours_ms": None, "peer": None, "peer_ms": None, "ratio": None,
               "floor_ms": floor_ms, "reach": None, "binding": binding, "error": None}
        rows.append(row)
        try:
            if group in ("gemm", "linear"):
                m, n, k, layout = dims
                a = torch.randn(m, k, device="cuda", dtype=torch.bfloat16)
                b = torch.randn((n, k) if layout == "nk" else (k, n), device="cuda", dtype=torch.bfloat16)
                inputs = [a, b]
                bt = b.t() if layout == "nk" else b
                peers = {"cublas": lambda: torch.matmul(a, bt)}
                want = a.float() @ bt.float()
                flops = 2.0 * m * n * k
            elif group == "decode-attention":
                bb, g, r, s, d = dims
                q = torch.randn(bb, g, r, d, device="cuda", dtype=torch.bfloat16)
                k = torch.randn(bb, s, g, d, device="cuda", dtype=torch.bfloat16)
                v = torch.randn(bb, s, g, d, device="cuda", dtype=torch.bfloat16)
                inputs = [q, k, v]
                sdpa = torch.nn.functional.scaled_dot_product_attention
                q4, k4, v4 = q.reshape(bb, g * r, 1, d), k.transpose(1, 2), v.transpose(1, 2)

                def one(backend):
                    def f():
                        with torch.nn.attention.sdpa_kernel(backend):
                            return sdpa(q4, k4, v4, enable_gqa=True)
                    return f
                kinds = torch.nn.attention.SDPBackend
                peers = {"cudnn": one(kinds.CUDNN_ATTENTION), "fa2": one(kinds.FLASH_ATTENTION)}
                x = torch.einsum("bgrd,bsgd->bgrs", q[-1:].float(), k[-1:].float()) * d ** -0.5
                want = torch.einsum("bgrs,bsge->bgre", torch.softmax(x, -1), v[-1:].float())
                flops = 4.0 * bb * g * r * s * d
            else:
                bb, h, g, s, d, causal = dims
                q = torch.randn(bb, h, s, d, device="cuda", dtype=torch.bfloat16)
                k = torch.randn(bb, g, s, d, device="cuda", dtype=torch.bfloat16)
                v = torch.randn(bb, g, s, d, device="cuda", dtype=torch.bfloat16)
                inputs = [q, k, v]
                kx, vx = (t.repeat_interleave(h // g, 1) if g != h else t for t in (k, v))
                sdpa = torch.nn.functional.scaled_dot_product_attention
                backend = torch.nn.attention.SDPBackend.CUDNN_ATTENTION

                def cudnn():
                    with torch.nn.attention.sdpa_kernel(backend):
                        return sdpa(q, k, v, is_causal=causal, enable_gqa=g != h)
                peers = {"cudnn": cudnn}
                # One head and at most 1024 rows of the literal graph in f32 (f64 for the sums).
                want = None
                flops = 4.0 * bb * h * s * s * d * (0.5 if causal else 1)
            call = Call(rt, os.path.join(out, name + ".tangb"), [bits(t) for t in inputs])
            call.run()
            got = floats(call.output())
            if group == "attention":
                errors = []
                for head in (0, h - 1):
                    x = q[-1, head].float() @ kx[-1, head].float().t() * d ** -0.5
                    if causal:
                        x = x.masked_fill(torch.ones(s, s, device="cuda", dtype=torch.bool).triu(1), float("-inf"))
                    w = torch.softmax(x, -1) @ vx[-1, head].float()
                    errors.append(float((got[-1, head] - w).norm() / w.norm()))
                error = max(errors)
            else:
                error = float((got[-len(want):] - want).norm() / want.norm())
                want = None
            row["error"] = error
            for p in list(peers):
                try:
                    peers[p]()
                except RuntimeError:  # a backend that does not take the case
                    del peers[p]
            times = {"ours": [], **{p: [] for p in peers}}
            scratch = torch.empty(256 << 20, dtype=torch.uint8, device="cuda")
            rounds = 25 if flops < 1e12 else 12
            for r in range(rounds + 2):
                order = list(times)
                random.shuffle(order)
                for c in order:
                    # The flush keeps the device busy while the work behind it is
                    # submitted, for both.
                    if c == "ours":
                        rt.flush()
                        ms = call.run()
                    else:
                        e0, e1 = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                        scratch.zero_()
                        e0.record()
                        peers[c]()
                        e1.record()
                        torch.cuda.synchronize()
                        ms = e0.elapsed_time(e1)
                    if r >= 2:
                        times[c].append(ms)
            call.close()
            medians = {c: statistics.median(t) for c, t in times.items()}
            peer = min(peers, key=medians.get)
            row.update(ours_ms=medians["ours"], peer=peer, peer_ms=medians[peer], ratio=medians[peer] / medians["ours"],
                       reach=floor_ms / medians["ours"])
            print(f"{name:45s} ours {medians['ours']:8.4f} ms {flops / medians['ours'] / 1e9:6.0f} TFLOP/s  "
                  f"{peer} {medians[peer]:8.4f} ms  ratio {row['ratio']:.3f}  reach {row['reach']:.2f} ({binding})  error {error:.1e}", flush=True)
        except Exception as e:  # a row that was not measured stays
            print(f"{name:45s} FAILED {str(e)[:300]}", flush=True)
    result = {"device": rt.name, "driver": rt.driver, "date": str(datetime.date.today()), "commit": os.environ.get("TANG_COMMIT", ""),
              "rows": rows}
    with open(os.path.join(os.environ.get("OUT", out), "h200-dense.json"), "w") as f:
        json.dump(result, f, indent=1)


if __name__ == "__main__":
    filters = sys.argv[3] if len(sys.argv) > 3 else ""
    if sys.argv[1:2] == ["build"]:
        build(sys.argv[2], os.environ.get("TANG_COMPILE", "tang-compile"), filters)
    elif sys.argv[1:2] == ["run"]:
        run(sys.argv[2], filters)
    else:
        sys.exit(__doc__)
