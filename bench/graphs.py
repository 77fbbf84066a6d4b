"""Graphs for benchmarks, as text. Each function returns a module with one
function `main`; nothing in them says how they are to be run."""
import re


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

def _f32(text):
    """A module of 16-bit floats as one of f32: the casts go."""
    lines, same = [], {}
    for line in text.replace("bf16", "f32").split("\n"):
        cast = re.match(r" *%(\w+) = arith\.(?:ext|trunc)f %(\w+) : f32 to f32", line)
        if cast:
            same[cast[1]] = same.get(cast[2], cast[2])
            continue
        for name, value in same.items():
            line = re.sub(rf"%{name}\b", f"%{value}", line)
        if line.strip() == "}":
            same = {}
        lines.append(line)
    return "\n".join(lines)


def gemm_f32(m, n, k):
    """c[m, n] = sum over k of a[m, k] * b[k, n], all f32."""
    return f"""
func.func @main(%a: tensor<{m}x{k}xf32>, %b: tensor<{k}x{n}xf32>) -> tensor<{m}x{n}xf32> {{
  %e = tensor.empty() : tensor<{m}x{n}xf32>
  %s = tang.reduce #tang.monoid<add> [i, j] over [k = {k}] init(0.0 : f32)
         ins(%a[i, k], %b[k, j] : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32>)
         outs(%e : tensor<{m}x{n}xf32>) (%x: f32, %y: f32) {{
    %p = arith.mulf %x, %y : f32
    tang.yield %p : f32
  }}
  return %s : tensor<{m}x{n}xf32>
}}
"""


def attention_f32(batch, heads, length, width):
    """`attention` in f32."""
    return _f32(attention(batch, heads, heads, length, width))


def _row(rows, columns, name, monoid, init, ins, types, body):
    """One reduction of each row."""
    return f"""
  %{name} = tang.reduce #tang.monoid<{monoid}> [i] over [j = {columns}] init({init} : f32)
         ins({ins} : {types}) outs(%ev : tensor<{rows}xf32>) {body}"""


def softmax(rows, columns):
    """softmax along rows, f32."""
    t, v = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return f"""
func.func @main(%x: {t}) -> {t} {{
  %ev = tensor.empty() : {v}
  %et = tensor.empty() : {t}""" + _row(rows, columns, "m", "maximum", "0xFF800000", "%x[i, j]", t, """(%a: f32) {
    tang.yield %a : f32
  }""") + f"""
  %p = tang.map [i, j] ins(%x[i, j], %m[i] : {t}, {v}) outs(%et : {t}) (%a: f32, %b: f32) {{
    %c = arith.subf %a, %b : f32
    %d = math.exp %c : f32
    tang.yield %d : f32
  }}""" + _row(rows, columns, "l", "add", "0.0", "%p[i, j]", t, """(%a: f32) {
    tang.yield %a : f32
  }""") + f"""
  %o = tang.map [i, j] ins(%p[i, j], %l[i] : {t}, {v}) outs(%et : {t}) (%a: f32, %b: f32) {{
    %c = arith.divf %a, %b : f32
    tang.yield %c : f32
  }}
  return %o : {t}
}}
"""


def _rsqrt_of_mean(rows, columns):
    v = f"tensor<{rows}xf32>"
    return f"""
  %r = tang.map [i] ins(%q[i] : {v}) outs(%ev : {v}) (%a: f32) {{
    %n = arith.constant {float(columns)} : f32
    %eps = arith.constant 1.0e-5 : f32
    %c = arith.divf %a, %n : f32
    %d = arith.addf %c, %eps : f32
    %e = math.rsqrt %d : f32
    tang.yield %e : f32
  }}"""


def rmsnorm(rows, columns):
    """x / sqrt(mean of x^2 + 1e-5) * g along rows, f32."""
    t, v, w = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>", f"tensor<{columns}xf32>"
    return f"""
func.func @main(%x: {t}, %g: {w}) -> {t} {{
  %ev = tensor.empty() : {v}
  %et = tensor.empty() : {t}""" + _row(rows, columns, "q", "add", "0.0", "%x[i, j]", t, """(%a: f32) {
    %d = arith.mulf %a, %a : f32
    tang.yield %d : f32
  }""") + _rsqrt_of_mean(rows, columns) + f"""
  %o = tang.map [i, j] ins(%x[i, j], %r[i], %g[j] : {t}, {v}, {w}) outs(%et : {t}) (%a: f32, %c: f32, %d: f32) {{
    %1 = arith.mulf %a, %c : f32
    %2 = arith.mulf %1, %d : f32
    tang.yield %2 : f32
  }}
  return %o : {t}
}}
"""


def layernorm(rows, columns):
    """(x - mean) / sqrt(variance + 1e-5) * g + h along rows, f32."""
    t, v, w = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>", f"tensor<{columns}xf32>"
    return f"""
func.func @main(%x: {t}, %g: {w}, %h: {w}) -> {t} {{
  %ev = tensor.empty() : {v}
  %et = tensor.empty() : {t}""" + _row(rows, columns, "s", "add", "0.0", "%x[i, j]", t, """(%a: f32) {
    tang.yield %a : f32
  }""") + f"""
  %m = tang.map [i] ins(%s[i] : {v}) outs(%ev : {v}) (%a: f32) {{
    %n = arith.constant {float(columns)} : f32
    %c = arith.divf %a, %n : f32
    tang.yield %c : f32
  }}""" + _row(rows, columns, "q", "add", "0.0", "%x[i, j], %m[i]", f"{t}, {v}", """(%a: f32, %b: f32) {
    %c = arith.subf %a, %b : f32
    %d = arith.mulf %c, %c : f32
    tang.yield %d : f32
  }""") + _rsqrt_of_mean(rows, columns) + f"""
  %o = tang.map [i, j] ins(%x[i, j], %m[i], %r[i], %g[j], %h[j] : {t}, {v}, {v}, {w}, {w}) outs(%et : {t})
      (%a: f32, %b: f32, %c: f32, %d: f32, %e: f32) {{
    %1 = arith.subf %a, %b : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.mulf %2, %d : f32
    %4 = arith.addf %3, %e : f32
    tang.yield %4 : f32
  }}
  return %o : {t}
}}
"""


if __name__ == "__main__":
    # bench/graphs.py gemm 4096 4096 4096 kn: the module on stdout.
    import sys
    name, *args = sys.argv[1:]
    print({f.__name__: f for f in (gemm, attention, decode, gemm_f32, attention_f32, softmax, rmsnorm, layernorm)}[name](*(int(a) if a.lstrip("-").isdigit() else a for a in args)))
