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


def _attend(space, length, width, shapes, q_index, k_index, v_index, mask=""):
    """A literal softmax around two products: rows are indexed by `space`, e.g. "b, h, t". `shapes` are the sizes of the rows (of
    q, too) and of k and v before the last, as "2x4x8x"; the indices say where each is read. `mask` maps the scaled score %y to %z."""
    rows, keys = shapes
    q, kv = f"tensor<{rows}{width}xbf16>", f"tensor<{keys}{width}xbf16>"
    s, p = f"tensor<{rows}{length}xf32>", f"tensor<{rows}{length}xbf16>"
    row, o = f"tensor<{rows[:-1]}xf32>", f"tensor<{rows}{width}xf32>"
    masked = f"{mask}\n    tang.yield %z : f32" if mask else "\n    tang.yield %y : f32"
    return f"""
func.func @main(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{
  %es = tensor.empty() : {s}
  %er = tensor.empty() : {row}
  %s = tang.reduce #tang.monoid<add> [{space}, s] over [d = {width}] init(0.0 : f32)
         ins(%q[{q_index}], %k[{k_index}] : {q}, {kv}) outs(%es : {s}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %p = arith.mulf %u, %w : f32
    tang.yield %p : f32
  }}
  %c = tang.map [{space}, s] ins(%s[{space}, s] : {s}) outs(%es : {s}) (%x: f32) {{
    %scale = arith.constant {width ** -0.5:.10f} : f32
    %y = arith.mulf %x, %scale : f32{masked}
  }}
  %m = tang.reduce #tang.monoid<maximum> [{space}] over [s = {length}] init(0xFF800000 : f32)
         ins(%c[{space}, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %p = tang.map [{space}, s] ins(%c[{space}, s], %m[{space}] : {s}, {row}) outs(%es : {s}) (%x: f32, %y: f32) {{
    %z = arith.subf %x, %y : f32
    %w = math.exp %z : f32
    tang.yield %w : f32
  }}
  %l = tang.reduce #tang.monoid<add> [{space}] over [s = {length}] init(0.0 : f32)
         ins(%p[{space}, s] : {s}) outs(%er : {row}) (%x: f32) {{
    tang.yield %x : f32
  }}
  %ep = tensor.empty() : {p}
  %n = tang.map [{space}, s] ins(%p[{space}, s], %l[{space}] : {s}, {row}) outs(%ep : {p}) (%x: f32, %y: f32) {{
    %z = arith.divf %x, %y : f32
    %w = arith.truncf %z : f32 to bf16
    tang.yield %w : bf16
  }}
  %eo = tensor.empty() : {o}
  %o = tang.reduce #tang.monoid<add> [{space}, e] over [s = {length}] init(0.0 : f32)
         ins(%n[{space}, s], %v[{v_index}] : {p}, {kv}) outs(%eo : {o}) (%x: bf16, %y: bf16) {{
    %u = arith.extf %x : bf16 to f32
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %u, %w : f32
    tang.yield %z : f32
  }}
  %er2 = tensor.empty() : {q}
  %r = tang.map [{space}, e] ins(%o[{space}, e] : {o}) outs(%er2 : {q}) (%x: f32) {{
    %y = arith.truncf %x : f32 to bf16
    tang.yield %y : bf16
  }}
  return %r : {q}
}}
"""


def attention(batch, heads, kv_heads, length, width, causal=False):
    """softmax(q k^T / sqrt(width)) v over [batch, heads, length, width], bf16 in and out."""
    group = heads // kv_heads
    head = "h" if group == 1 else f"h floordiv {group}"
    mask = """
    %t = tang.index 2
    %u = tang.index 3
    %seen = arith.cmpi sle, %u, %t : index
    %minf = arith.constant 0xFF800000 : f32
    %z = arith.select %seen, %y, %minf : f32""" if causal else ""
    rows, keys = f"{batch}x{heads}x{length}x", f"{batch}x{kv_heads}x{length}x"
    return _attend("b, h, t", length, width, (rows, keys), "b, h, t, d", f"b, {head}, s, d", f"b, {head}, s, e", mask)


def decode(batch, kv_heads, group, length, width):
    """One token's attention: q is [batch, kv_heads, group, width], k and v [batch, length, kv_heads, width], bf16."""
    rows, keys = f"{batch}x{kv_heads}x{group}x", f"{batch}x{length}x{kv_heads}x"
    return _attend("b, g, r", length, width, (rows, keys), "b, g, r, d", "b, s, g, d", "b, s, g, e")


if __name__ == "__main__":
    # bench/graphs.py gemm 4096 4096 4096 kn: the module on stdout.
    import sys
    name, *args = sys.argv[1:]
    print({"gemm": gemm, "attention": attention, "decode": decode}[name](*(int(a) if a.lstrip("-").isdigit() else a for a in args)))
