"""Graphs for benchmarks, as text. Each function returns a module with one
function `main`; nothing in them says how they are to be run."""


def gemm(m, n, k, b_layout="nk"):
    """c[m, n] = sum over k of a[m, k] * b, bf16 in and out, f32 sums. `b` is [n, k] or [k, n]."""
    shape, index = {"nk": (f"{n}x{k}", "j, k"), "kn": (f"{k}x{n}", "k, j")}[b_layout]
    return f"""
func.func @main(%a: tensor<{m}x{k}xbf16>, %b: tensor<{shape}xbf16>) -> tensor<{m}x{n}xbf16> {{
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = {k}] init(0.0 : f32)
         ins(%a[i, k], %b[{index}] : tensor<{m}x{k}xbf16>, tensor<{shape}xbf16>)
         outs(%e : tensor<{m}x{n}xf32>) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %v = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %v : f32
    tang.yield %p : f32
  }}
  %o = tensor.empty() : tensor<{m}x{n}xbf16>
  %r = tang.map [i, j] ins(%s[i, j] : tensor<{m}x{n}xf32>) outs(%o : tensor<{m}x{n}xbf16>) (%x: f32) {{
    %t = arith.truncf %x : f32 to bf16
    tang.yield %t : bf16
  }}
  return %r : tensor<{m}x{n}xbf16>
}}
"""


def attention(batch, heads, kv_heads, length, width, causal=False):
    """softmax(q k^T / sqrt(width)) v over [batch, heads, length, width], bf16 in and out."""
    group = heads // kv_heads
    q = f"tensor<{batch}x{heads}x{length}x{width}xbf16>"
    kv = f"tensor<{batch}x{kv_heads}x{length}x{width}xbf16>"
    s = f"tensor<{batch}x{heads}x{length}x{length}xf32>"
    p = f"tensor<{batch}x{heads}x{length}x{length}xbf16>"
    row = f"tensor<{batch}x{heads}x{length}xf32>"
    o = f"tensor<{batch}x{heads}x{length}x{width}xf32>"
    head = "h" if group == 1 else f"h floordiv {group}"
    mask = """
    %t = tang.index 2
    %u = tang.index 3
    %seen = arith.cmpi sle, %u, %t : index
    %minf = arith.constant 0xFF800000 : f32
    %z = arith.select %seen, %y, %minf : f32
    tang.yield %z : f32""" if causal else """
    tang.yield %y : f32"""
    return f"""
func.func @main(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
  %es = tensor.empty() : {s}
  %er = tensor.empty() : {row}
  %s = tang.reduce #tang.monoid<add> [b, h, t, s] over [d = {width}] init(0.0 : f32)
         ins(%q[b, h, t, d], %k[b, {head}, s, d] : {q}, {kv}) outs(%es : {s}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }}
  %c = tang.map [b, h, t, s] ins(%s[b, h, t, s] : {s}) outs(%es : {s}) (%x: f32) {{
    %scale = arith.constant {width ** -0.5:.10f} : f32
    %y = arith.mulf %x, %scale : f32{mask}
  }}
  %m = tang.reduce #tang.monoid<maximum> [b, h, t] over [s = {length}] init(0xFF800000 : f32)
         ins(%c[b, h, t, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %p = tang.map [b, h, t, s] ins(%c[b, h, t, s], %m[b, h, t] : {s}, {row}) outs(%es : {s}) (%x: f32, %y: f32) {{
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }}
  %l = tang.reduce #tang.monoid<add> [b, h, t] over [s = {length}] init(0.0 : f32)
         ins(%p[b, h, t, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %ep = tensor.empty() : {p}
  %n = tang.map [b, h, t, s] ins(%p[b, h, t, s], %l[b, h, t] : {s}, {row}) outs(%ep : {p}) (%x: f32, %y: f32) {{
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }}
  %eo = tensor.empty() : {o}
  %o = tang.reduce #tang.monoid<add> [b, h, t, e] over [s = {length}] init(0.0 : f32)
         ins(%n[b, h, t, s], %v[b, {head}, s, e] : {p}, {kv}) outs(%eo : {o}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }}
  %er2 = tensor.empty() : {q}
  %r = tang.map [b, h, t, e] ins(%o[b, h, t, e] : {o}) outs(%er2 : {q}) (%x: f32) {{
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }}
  return %r : {q}
}}
"""


def decode(batch, kv_heads, group, length, width):
    """One token's attention: q is [batch, kv_heads, group, width], k and v [batch, length, kv_heads, width], bf16."""
    q = f"tensor<{batch}x{kv_heads}x{group}x{width}xbf16>"
    kv = f"tensor<{batch}x{length}x{kv_heads}x{width}xbf16>"
    s = f"tensor<{batch}x{kv_heads}x{group}x{length}xf32>"
    p = f"tensor<{batch}x{kv_heads}x{group}x{length}xbf16>"
    row = f"tensor<{batch}x{kv_heads}x{group}xf32>"
    o = f"tensor<{batch}x{kv_heads}x{group}x{width}xf32>"
    return f"""
func.func @main(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
  %es = tensor.empty() : {s}
  %er = tensor.empty() : {row}
  %s = tang.reduce #tang.monoid<add> [b, g, r, s] over [d = {width}] init(0.0 : f32)
         ins(%q[b, g, r, d], %k[b, s, g, d] : {q}, {kv}) outs(%es : {s}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }}
  %c = tang.map [b, g, r, s] ins(%s[b, g, r, s] : {s}) outs(%es : {s}) (%x: f32) {{
    %scale = arith.constant {width ** -0.5:.10f} : f32
    %y = arith.mulf %x, %scale : f32
    tang.yield %y : f32
  }}
  %m = tang.reduce #tang.monoid<maximum> [b, g, r] over [s = {length}] init(0xFF800000 : f32)
         ins(%c[b, g, r, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %p = tang.map [b, g, r, s] ins(%c[b, g, r, s], %m[b, g, r] : {s}, {row}) outs(%es : {s}) (%x: f32, %y: f32) {{
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }}
  %l = tang.reduce #tang.monoid<add> [b, g, r] over [s = {length}] init(0.0 : f32)
         ins(%p[b, g, r, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %ep = tensor.empty() : {p}
  %n = tang.map [b, g, r, s] ins(%p[b, g, r, s], %l[b, g, r] : {s}, {row}) outs(%ep : {p}) (%x: f32, %y: f32) {{
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }}
  %eo = tensor.empty() : {o}
  %o = tang.reduce #tang.monoid<add> [b, g, r, e] over [s = {length}] init(0.0 : f32)
         ins(%n[b, g, r, s], %v[b, s, g, e] : {p}, {kv}) outs(%eo : {o}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }}
  %eq = tensor.empty() : {q}
  %r = tang.map [b, g, r, e] ins(%o[b, g, r, e] : {o}) outs(%eq : {q}) (%x: f32) {{
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }}
  return %r : {q}
}}
"""


if __name__ == "__main__":
    # bench/graphs.py gemm 4096 4096 4096 kn: the module on stdout.
    import sys
    name, *args = sys.argv[1:]
    print({"gemm": gemm, "attention": attention, "decode": decode}[name](*(int(a) if a.lstrip("-").isdigit() else a for a in args)))
