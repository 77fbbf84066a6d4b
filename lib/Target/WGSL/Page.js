// What a page does with a bundle: runs its host program (docs/Bundle.md) on made-up inputs and shows what comes out.
// WebGpuCore.js stands before this text; `bundle` has the manifest, the kernels' source and the constants.

const MAX_BUFFERS = 8; // storage buffers that a kernel can bind, WebGPU's guarantee
const MAX_INDEX = 2n ** 30n; // the largest argument of type index
const SHOWN = 48; // elements of a result
const REPETITIONS = 10;

// -- element types

const BYTES = {f64: 8, i64: 8, index: 8, f32: 4, i32: 4, f16: 2, bf16: 2, i16: 2};
const bytesOf = (dtype) => BYTES[dtype] || 1;
const BITS = {index: 64, i64: 64, i32: 32, i16: 16, i8: 8, i4: 4, i1: 1};
const isFloat = (dtype) => /^b?f/.test(dtype);
/// Small floats: bits of the exponent and of the mantissa.
const FORMATS = {f16: [5, 10], bf16: [8, 7], f8E5M2: [5, 2], f8E4M3FN: [4, 3]};
const wrap = (dtype, value) => (dtype === 'i1' ? BigInt.asUintN(1, value) : BigInt.asIntN(BITS[dtype], value));
const typeText = (dtype, shape) => [...shape.map((size) => size ?? '?'), dtype].join('×');

function decodeSmall(bits, [exponentBits, mantissaBits], isFinite) {
  const top = 2 ** exponentBits - 1;
  const sign = bits >> (exponentBits + mantissaBits) ? -1 : 1;
  const exponent = (bits >> mantissaBits) & top;
  const mantissa = bits & (2 ** mantissaBits - 1);
  const scale = 2 ** (Math.max(exponent, 1) - (top >> 1) - mantissaBits);
  if (isFinite) {
    if (exponent === top && mantissa === 2 ** mantissaBits - 1) return NaN;
  } else if (exponent === top) {
    return mantissa ? NaN : sign * Infinity;
  }
  return sign * (mantissa + (exponent ? 2 ** mantissaBits : 0)) * scale;
}

/// The nearest value, ties to even, as bits.
function encodeSmall(value, [exponentBits, mantissaBits], isFinite) {
  const top = 2 ** exponentBits - 1;
  const sign = value < 0 || Object.is(value, -0) ? 1 << (exponentBits + mantissaBits) : 0;
  const magnitude = Math.abs(value);
  const nan = (top << mantissaBits) | (isFinite ? 2 ** mantissaBits - 1 : 2 ** (mantissaBits - 1));
  if (Number.isNaN(value)) return sign | nan;
  const bias = top >> 1;
  const exponent = magnitude ? Math.max(Math.floor(Math.log2(magnitude)), 1 - bias) : 1 - bias;
  const digits = magnitude * 2 ** (mantissaBits - exponent);
  let rounded = Math.floor(digits);
  const rest = digits - rounded;
  if (rest > 0.5 || (rest === 0.5 && rounded % 2)) rounded++;
  const bits = ((exponent + bias - 1) << mantissaBits) + rounded;
  const largest = (top << mantissaBits) - (isFinite ? -(2 ** mantissaBits - 2) : 1);
  if (magnitude === Infinity || bits > largest) return sign | (isFinite ? nan : top << mantissaBits);
  return sign | bits;
}

function decode(bytes, dtype) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = bytesOf(dtype);
  const read = {
    f64: (at) => view.getFloat64(at, true),
    f32: (at) => view.getFloat32(at, true),
    i64: (at) => view.getBigInt64(at, true),
    index: (at) => view.getBigInt64(at, true),
    i32: (at) => BigInt(view.getInt32(at, true)),
    i16: (at) => BigInt(view.getInt16(at, true)),
  }[dtype];
  const format = FORMATS[dtype];
  const small = (at) => decodeSmall(size === 2 ? view.getUint16(at, true) : view.getUint8(at), format, dtype === 'f8E4M3FN');
  const one = read || (format ? small : (at) => BigInt(view.getInt8(at)));
  return Array.from({length: bytes.length / size}, (_, i) => one(i * size));
}

function encode(values, dtype) {
  const size = bytesOf(dtype);
  const bytes = new Uint8Array(values.length * size);
  const view = new DataView(bytes.buffer);
  const write = {
    f64: (at, value) => view.setFloat64(at, value, true),
    f32: (at, value) => view.setFloat32(at, value, true),
    i64: (at, value) => view.setBigInt64(at, value, true),
    index: (at, value) => view.setBigInt64(at, value, true),
    i32: (at, value) => view.setInt32(at, Number(value), true),
    i16: (at, value) => view.setInt16(at, Number(value), true),
  }[dtype];
  const format = FORMATS[dtype];
  const small = (at, value) => {
    const bits = encodeSmall(value, format, dtype === 'f8E4M3FN');
    size === 2 ? view.setUint16(at, bits, true) : view.setUint8(at, bits);
  };
  const one = write || (format ? small : (at, value) => view.setInt8(at, Number(value)));
  values.forEach((value, i) => one(i * size, value));
  return bytes;
}

const roundTo = (dtype, value) =>
  dtype === 'f64' ? value : dtype === 'f32' ? Math.fround(value) : decode(encode([value], dtype), dtype)[0];

// -- scalar operations of host programs

const floorDiv = (a, b) => a / b - (a % b !== 0n && a % b < 0n !== b < 0n ? 1n : 0n);
const ceilDiv = (a, b) => a / b + (a % b !== 0n && a % b < 0n === b < 0n ? 1n : 0n);
const over = (b, result) => (b ? result() : 0n);
/// On (a, b, bits), as signed numbers.
const INTEGER = {
  addi: (a, b) => a + b,
  subi: (a, b) => a - b,
  muli: (a, b) => a * b,
  divsi: (a, b) => over(b, () => a / b),
  remsi: (a, b) => (b ? a % b : a),
  floordivsi: (a, b) => over(b, () => floorDiv(a, b)),
  ceildivsi: (a, b) => over(b, () => ceilDiv(a, b)),
  divui: (a, b, n) => over(b, () => BigInt.asUintN(n, a) / BigInt.asUintN(n, b)),
  remui: (a, b, n) => (b ? BigInt.asUintN(n, a) % BigInt.asUintN(n, b) : a),
  ceildivui: (a, b, n) => over(b, () => ceilDiv(BigInt.asUintN(n, a), BigInt.asUintN(n, b))),
  andi: (a, b) => a & b,
  ori: (a, b) => a | b,
  xori: (a, b) => a ^ b,
  shli: (a, b, n) => (BigInt.asUintN(n, b) >= n ? 0n : a << b),
  shrui: (a, b, n) => (BigInt.asUintN(n, b) >= n ? 0n : BigInt.asUintN(n, a) >> b),
  shrsi: (a, b, n) => a >> (BigInt.asUintN(n, b) >= n ? BigInt(n) : b),
  maxsi: (a, b) => (a > b ? a : b),
  minsi: (a, b) => (a < b ? a : b),
  maxui: (a, b, n) => (BigInt.asUintN(n, a) > BigInt.asUintN(n, b) ? a : b),
  minui: (a, b, n) => (BigInt.asUintN(n, a) < BigInt.asUintN(n, b) ? a : b),
  absi: (a) => (a < 0n ? -a : a),
};
const FLOAT = {
  addf: (a, b) => a + b,
  subf: (a, b) => a - b,
  mulf: (a, b) => a * b,
  divf: (a, b) => a / b,
  remf: (a, b) => a % b,
  maximumf: Math.max,
  minimumf: Math.min,
  maxnumf: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b)),
  minnumf: (a, b) => (Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b)),
  negf: (a) => -a,
  absf: Math.abs,
  rsqrt: (a) => 1 / Math.sqrt(a),
  powf: Math.pow,
};
for (const name of ['ceil', 'floor', 'trunc', 'sqrt', 'cbrt', 'exp', 'expm1', 'log', 'log2', 'log10', 'log1p', 'sin', 'cos'])
  FLOAT[name] = Math[name];
for (const name of ['tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh']) FLOAT[name] = Math[name];
const ORDER = {eq: [0], ne: [-1, 1], lt: [-1], le: [-1, 0], gt: [1], ge: [0, 1]};

function compareIntegers(predicate, a, b, bits) {
  if (predicate[0] === 'u') [a, b] = [BigInt.asUintN(bits, a), BigInt.asUintN(bits, b)];
  return ORDER[predicate.replace(/^[us]/, '')].includes(a < b ? -1 : a > b ? 1 : 0);
}

function compareFloats(predicate, a, b) {
  if (predicate === 'true' || predicate === 'false') return predicate === 'true';
  const unordered = Number.isNaN(a) || Number.isNaN(b);
  if (predicate === 'ord' || predicate === 'uno') return unordered === (predicate === 'uno');
  if (unordered) return predicate[0] === 'u';
  return ORDER[predicate.slice(1)].includes(a < b ? -1 : a > b ? 1 : 0);
}

function castScalar(op, from, to, value) {
  const signed = from === 'i1' && !op.endsWith('ui') && op !== 'uitofp' ? -value : value;
  const bits = BITS[from];
  if (op === 'extf' || op === 'truncf') return roundTo(to, value);
  if (op === 'sitofp') return roundTo(to, Number(signed));
  if (op === 'uitofp') return roundTo(to, Number(BigInt.asUintN(bits, value)));
  if (op === 'fptosi' || op === 'fptoui') {
    if (Number.isNaN(value)) return 0n;
    const n = BITS[to];
    const [low, high] = op === 'fptosi' ? [-(2 ** (n - 1)), 2 ** (n - 1)] : [0, 2 ** n];
    const whole = Math.trunc(value);
    return wrap(to, whole >= high ? BigInt(high) - 1n : whole < low ? BigInt(low) : BigInt(whole));
  }
  if (op === 'index_castui' || op === 'extui') return wrap(to, BigInt.asUintN(bits, value));
  if (op === 'bitcast') return decode(encode([value], from), to)[0];
  return wrap(to, signed);
}

// -- the interpreter

const manifest = bundle.manifest;
let nextBuffer = 1;
let owned = []; // buffers of the run at hand
let launched = new Map(); // how often each kernel ran
const constants = new Map();

async function newTensor(dtype, shape) {
  const elements = shape.reduce((product, size) => product * size, 1);
  const id = nextBuffer++;
  await alloc({id, bytes: elements * bytesOf(dtype)});
  owned.push(id);
  return {id, dtype, shape, bytes: elements * bytesOf(dtype), elements};
}

/// Scalars, the number of blocks, where shared buffers begin: docs/Bundle.md, "Kernel ABI".
function argumentBlock(kernel, scalars, blocks, starts) {
  const bytes = new DataView(new ArrayBuffer(16 * (kernel.scalars.length + starts.length + 2)));
  let at = 0;
  scalars.forEach((value, i) => {
    const {type} = kernel.scalars[i];
    if (type === 'index' && (value > MAX_INDEX || value < -MAX_INDEX)) throw Error(`${kernel.name}: ${value} is too large`);
    if (isFloat(type)) bytes.setFloat32(at, value, true);
    else if (type === 'i64') bytes.setBigInt64((at = Math.ceil(at / 8) * 8), value, true);
    else bytes.setInt32(at, Number(BigInt.asIntN(32, value)), true);
    at += type === 'i64' ? 8 : 4;
  });
  for (const word of [blocks, ...starts]) {
    bytes.setUint32(at, word, true);
    at += 4;
  }
  return new Uint8Array(bytes.buffer, 0, Math.ceil(at / 16) * 16);
}

/// Buffers that share a binding: of too many, the last that are only read.
function sharedOf(kernel) {
  let surplus = kernel.buffers.length > MAX_BUFFERS ? kernel.buffers.length - (MAX_BUFFERS - 1) : 0;
  const shared = kernel.buffers.map(() => false);
  for (let i = shared.length; i-- > 0 && surplus; )
    if (kernel.buffers[i].readonly) [shared[i], surplus] = [true, surplus - 1];
  return shared;
}

function launchKernel(number, grid, tensors, scalars) {
  const kernel = manifest.kernels[number];
  launched.set(kernel.name, (launched.get(kernel.name) || 0) + 1);
  if (grid <= 0) return;
  if (grid > MAX_ROW * MAX_ROW) throw Error(`${kernel.name}: a grid of ${grid} blocks is too large`);
  const shared = sharedOf(kernel);
  const packed = [];
  const starts = [];
  let packedBytes = 0;
  tensors.forEach((tensor, i) => {
    if (!shared[i]) return;
    packed.push({id: tensor.id, offset: packedBytes});
    starts.push(packedBytes / 4);
    packedBytes += Math.max(16, Math.ceil(tensor.bytes / 16) * 16);
  });
  const bound = tensors.filter((_, i) => !shared[i]).map((tensor) => tensor.id);
  const message = {program: 1, kernel: number, blocks: grid, bound, packed, packedBytes, what: `launch of ${kernel.name}`};
  launch(message, argumentBlock(kernel, scalars, grid, starts));
}

class Frame {
  constructor() {
    this.slots = new Map();
  }
  /// A literal or what a slot holds, for an operation on `type`.
  value(operand, type) {
    if (typeof operand === 'string' && operand[0] === '%') {
      const held = this.slots.get(operand);
      return type && isFloat(type) && typeof held === 'bigint' ? roundTo(type, Number(held)) : held;
    }
    const special = {inf: Infinity, '-inf': -Infinity, nan: NaN, '-0': -0};
    const number = typeof operand === 'string' ? special[operand] : operand;
    if (type ? isFloat(type) : !Number.isInteger(number) || Object.is(number, -0)) return type ? roundTo(type, number) : number;
    return type ? wrap(type, BigInt(number)) : BigInt(number);
  }
  all(list, type) {
    return (list || []).map((operand) => this.value(operand, type));
  }
  assign(slots, values) {
    (slots || []).forEach((slot, i) => this.slots.set(slot, values[i]));
  }
  sizes(list) {
    return this.all(list, 'index').map(Number);
  }
  offset(tensor, indices) {
    let at = 0;
    this.sizes(indices).forEach((index, i) => {
      if (index < 0 || index >= tensor.shape[i]) throw Error(`index ${index} is out of range`);
      at = at * tensor.shape[i] + index;
    });
    return at * bytesOf(tensor.dtype);
  }
}

function runScalar(frame, step) {
  const {op, type, to, predicate} = step;
  if (op === 'select') return frame.value(step.args[frame.value(step.args[0], 'i1') ? 1 : 2], type);
  const args = frame.all(step.args, type);
  const [a, b] = type === 'i1' && op !== 'cmpi' && !to ? args.map((value) => -value) : args;
  if (op === 'cmpi') return compareIntegers(predicate, ...args.map((value) => wrapSigned(type, value)), BITS[type]) ? 1n : 0n;
  if (op === 'cmpf') return compareFloats(predicate, a, b) ? 1n : 0n;
  if (op in INTEGER) return wrap(type, INTEGER[op](a, b, BITS[type]));
  if (op in FLOAT) return roundTo(type, FLOAT[op](a, b));
  if (op === 'isnan') return Number.isNaN(a) ? 1n : 0n;
  if (to) return castScalar(op, type, to, args[0]);
  throw Error(`the host operation ${op} is not there in pages`);
}
const wrapSigned = (type, value) => BigInt.asIntN(BITS[type], value);

async function runLoop(frame, step) {
  const type = step.type || 'index';
  const bits = BITS[type];
  const [lower, upper, by] = [step.lower, step.upper, step.step]
    .map((operand) => frame.value(operand, type))
    .map((value) => (step.unsigned ? BigInt.asUintN(bits, value) : value));
  if (by < 1n) throw Error(`a loop's step is ${by}, must be at least 1`);
  frame.assign(step.carry, frame.all(step.init));
  for (let i = lower; i < upper; i += by) {
    frame.slots.set(step.iv, wrap(type, i));
    await runBlock(frame, step.body);
    frame.assign(step.carry, frame.all(step.yield));
  }
  frame.assign(step.results, frame.all(step.carry));
}

const STEPS = {
  const: (frame, step) => frame.slots.set(step.dst, frame.value(step.value, step.type)),
  constant: (frame, step) => frame.slots.set(step.dst, constants.get(step.id)),
  alloc: async (frame, step) => frame.slots.set(step.dst, await newTensor(step.dtype, frame.sizes(step.shape))),
  copy: (frame, step) => {
    const [to, from] = [frame.value(step.dst), frame.value(step.src)];
    if (to.id !== from.id && to.bytes) copy({to: to.id, from: from.id, bytes: to.bytes});
  },
  reshape: (frame, step) => frame.slots.set(step.dst, {...frame.value(step.src), shape: frame.sizes(step.shape)}),
  dim: (frame, step) =>
    frame.slots.set(step.dst, BigInt(frame.value(step.src).shape[Number(frame.value(step.index, 'index'))])),
  load: async (frame, step) => {
    const from = frame.value(step.src);
    const data = await read({id: from.id, offset: frame.offset(from, step.indices), bytes: bytesOf(from.dtype)});
    frame.slots.set(step.dst, decode(data, from.dtype)[0]);
  },
  store: async (frame, step) => {
    const to = frame.value(step.dst);
    const data = encode([frame.value(step.value, to.dtype)], to.dtype);
    await write({id: to.id, offset: frame.offset(to, step.indices)}, data);
  },
  launch: (frame, step) => {
    const number = manifest.kernels.findIndex((kernel) => kernel.name === step.kernel);
    const kernel = manifest.kernels[number];
    const scalars = (step.scalars || []).map((operand, i) => frame.value(operand, kernel.scalars[i].type));
    launchKernel(number, Number(frame.value(step.grid, 'index')), frame.all(step.buffers), scalars);
  },
  for: runLoop,
  while: async (frame, step) => {
    frame.assign(step.carry, frame.all(step.init));
    for (;;) {
      await runBlock(frame, step.before);
      const more = frame.value(step.cond, 'i1');
      const forward = frame.all(step.forward);
      if (!more) return frame.assign(step.results, forward);
      frame.assign(step.after_args, forward);
      await runBlock(frame, step.after);
      frame.assign(step.carry, frame.all(step.yield));
    }
  },
  if: async (frame, step) => {
    const taken = frame.value(step.cond, 'i1') ? 'then' : 'else';
    await runBlock(frame, step[taken]);
    frame.assign(step.results, frame.all(step[taken + '_yield']));
  },
  assert: (frame, step) => {
    if (!frame.value(step.cond, 'i1')) throw Error(step.message);
  },
  call: async (frame, step) => {
    const callee = manifest.functions.find((other) => other.name === step.function);
    frame.assign(step.results, await callFunction(callee, frame.all(step.args)));
  },
  drop: () => {},
  return: (frame, step) => (frame.results = frame.all(step.values)),
};

async function runBlock(frame, block) {
  for (const step of block || []) {
    const known = STEPS[step.op];
    if (known) await known(frame, step);
    else frame.slots.set(step.dst, runScalar(frame, step));
  }
}

async function callFunction(called, inputs) {
  const frame = new Frame();
  frame.assign(called.args, inputs);
  await runBlock(frame, called.body);
  return frame.results || [];
}

// -- inputs

/// The same numbers each time (mulberry32).
function randomNumbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function makeValues(dtype, count, fill, seed) {
  const next = randomNumbers(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const one = {
    random: isFloat(dtype) ? normal : () => BigInt(Math.floor(next() * (dtype === 'i1' ? 2 : 17)) - (dtype === 'i1' ? 0 : 8)),
    zeros: () => (isFloat(dtype) ? 0 : 0n),
    ones: () => (isFloat(dtype) ? 1 : 1n),
    'counts up': (i) => (isFloat(dtype) ? i : wrap(dtype, BigInt(i))),
  }[fill];
  return Array.from({length: count}, (_, i) => one(i));
}

// -- the page

const $ = (id) => document.getElementById(id);

function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
}

function progress(part, text) {
  $('bar').style.width = `${Math.round(part * 100)}%`;
  $('status').textContent = text;
}

function fail(error) {
  $('status').textContent = textOf(error);
  document.body.dataset.state = 'failed';
}

/// The event loop gets a turn, so that what was written is shown.
const shown = () => new Promise((done) => setTimeout(done, 0));

function chosenFunction() {
  return manifest.functions.find((one) => one.name === $('function').value);
}

function showInputs() {
  const rows = chosenFunction().inputs.map((input, i) => {
    const sizes = input.shape.map((size) =>
      size === null
        ? element('input', {type: 'number', min: 0, max: 2 ** 30, value: 16, className: 'size', title: 'a size known at call time'})
        : element('span', {textContent: String(size), className: 'size'}),
    );
    const fill = element('select', {className: 'fill'});
    fill.append(...['random', 'zeros', 'ones', 'counts up'].map((text) => element('option', {textContent: text})));
    const cells = [input.name || `argument ${i}`, input.dtype, element('span', {className: 'shape'}, ...sizes), fill];
    return element('tr', {}, ...cells.map((cell) => element('td', {}, cell)));
  });
  $('inputs').replaceChildren(...rows);
}

async function prepareInputs(called) {
  const rows = [...$('inputs').rows];
  const inputs = [];
  for (const [i, spec] of called.inputs.entries()) {
    const sizes = [...rows[i].querySelectorAll('.size')].map((one) => Number(one.value ?? one.textContent));
    const count = sizes.reduce((product, size) => product * size, 1);
    const values = makeValues(spec.dtype, count, rows[i].querySelector('.fill').value, i + 1);
    if (spec.scalar) {
      inputs.push(isFloat(spec.dtype) ? roundTo(spec.dtype, values[0]) : values[0]);
      continue;
    }
    const tensor = await newTensor(spec.dtype, sizes);
    if (count) await write({id: tensor.id, offset: 0}, encode(values, spec.dtype));
    inputs.push(tensor);
  }
  return inputs;
}

const format = (value) => (typeof value === 'bigint' ? String(value) : Number.isInteger(value) ? String(value) : value.toPrecision(7));

async function showResult(spec, result, i) {
  if (typeof result !== 'object') {
    return element('section', {}, element('h3', {textContent: `result ${i}: ${spec.dtype}`}), element('pre', {textContent: format(result)}));
  }
  const values = result.bytes ? decode(await read({id: result.id, offset: 0, bytes: result.bytes}), result.dtype) : [];
  const numbers = values.map(Number);
  const finite = numbers.filter(Number.isFinite);
  const facts = [`${values.length} elements`];
  if (finite.length) {
    const sum = finite.reduce((total, value) => total + value, 0);
    const extreme = (better) => finite.reduce((best, value) => (better(value, best) ? value : best));
    facts.push(`least ${format(extreme((a, b) => a < b))}`, `greatest ${format(extreme((a, b) => a > b))}`);
    facts.push(`mean ${format(sum / finite.length)}`);
  }
  if (finite.length < values.length) facts.push(`${values.length - finite.length} not finite`);
  const text = values.slice(0, SHOWN).map(format).join('  ') + (values.length > SHOWN ? '  …' : '');
  return element(
    'section',
    {className: 'result'},
    element('h3', {textContent: `result ${i}: ${typeText(result.dtype, result.shape)}`}),
    element('p', {textContent: facts.join(', ')}),
    element('pre', {textContent: text}),
  );
}

function takeError() {
  const error = pending;
  pending = '';
  if (error) throw Error(error);
}

/// Waits for everything launched.
async function settle() {
  await device.queue.onSubmittedWorkDone();
  await Promise.all(checks);
  checks = [];
  takeError();
}

async function openDevice() {
  if (!navigator.gpu)
    throw Error('This browser has no WebGPU, or not here: it needs a page from https:, from localhost, or from a file.');
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw Error('WebGPU finds no adapter.');
  const requiredLimits = {};
  for (const name of ['maxBufferSize', 'maxStorageBufferBindingSize']) requiredLimits[name] = adapter.limits[name];
  device = await adapter.requestDevice({requiredLimits});
  device.addEventListener('uncapturederror', (event) => note('WebGPU', event.error));
  device.lost.then((what) => fail('The WebGPU device is lost: ' + textOf(what)));
  const {vendor, architecture, description} = adapter.info || {};
  $('device').textContent = description || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed';
}

async function prepare() {
  progress(0.05, 'asking for a device');
  await openDevice();
  progress(0.2, `building ${manifest.kernels.length} kernel(s)`);
  await shown();
  const kernels = manifest.kernels.map((kernel) => {
    const shared = sharedOf(kernel);
    const readonly = kernel.buffers.filter((_, i) => !shared[i]).map((buffer) => buffer.readonly);
    return {name: kernel.name, readonly: shared.includes(true) ? [...readonly, true] : readonly};
  });
  if (kernels.length) await load({id: 1, file: 'kernels.wgsl', kernels}, bundle.source);
  for (const constant of manifest.constants || []) {
    const tensor = await newTensor(constant.dtype, constant.shape);
    if (constant.bytes) {
      const data = bundle.constants.subarray(constant.offset, constant.offset + constant.bytes);
      await write({id: tensor.id, offset: 0}, data);
    }
    constants.set(constant.id, tensor);
  }
  owned = [];
}

async function runAll() {
  $('run').disabled = true;
  document.body.dataset.state = 'running';
  $('results').replaceChildren();
  $('time').textContent = '';
  try {
    if (!device) await prepare();
    const called = chosenFunction();
    progress(0.4, 'making inputs');
    await shown();
    const inputs = await prepareInputs(called);
    progress(0.5, 'running');
    await shown();
    const times = [];
    let results;
    for (let i = 0; i < REPETITIONS; ++i) {
      const kept = owned.length;
      launched = new Map();
      const start = performance.now();
      results = await callFunction(called, inputs);
      await settle();
      times.push(performance.now() - start);
      progress(0.5 + (0.4 * (i + 1)) / REPETITIONS, `run ${i + 1} of ${REPETITIONS}`);
      // Long runs need no repetition.
      if (times.reduce((sum, time) => sum + time, 0) > 5000) break;
      if (i + 1 < REPETITIONS) for (const id of owned.splice(kept)) buffers.get(id).destroy(), buffers.delete(id);
    }
    progress(0.95, 'reading results');
    await shown();
    const shownResults = [];
    for (const [i, spec] of called.outputs.entries()) shownResults.push(await showResult(spec, results[i], i));
    $('results').replaceChildren(...shownResults);
    const sorted = [...times].sort((a, b) => a - b);
    const launches = [...launched.values()].reduce((sum, count) => sum + count, 0);
    const rest = times.length > 1 ? `; median of ${times.length} runs ${sorted[times.length >> 1].toFixed(2)} ms, best ${sorted[0].toFixed(2)} ms` : '';
    $('time').textContent = `first run ${times[0].toFixed(2)} ms${rest}; ${launches} launch(es) a run`;
    for (const row of $('kernels').rows) row.cells[3].textContent = launched.get(row.dataset.kernel) || 0;
    for (const id of owned.splice(0)) buffers.get(id).destroy(), buffers.delete(id);
    progress(1, 'done');
    document.body.dataset.state = 'done';
  } catch (error) {
    fail(error);
  }
  $('run').disabled = false;
}

/// Comments, words and numbers of WGSL in colours.
function highlight(text) {
  const pattern = /(\/\/[^\n]*)|\b(fn|let|var|const|if|else|for|loop|while|return|break|struct|array|atomic|[fiu]32|vec[234]|bool)\b|(@\w+)|\b(\d[\w.]*)/g;
  const parts = [];
  let at = 0;
  for (const found of text.matchAll(pattern)) {
    parts.push(text.slice(at, found.index));
    const kind = found[1] ? 'comment' : found[2] ? 'word' : found[3] ? 'attribute' : 'number';
    parts.push(element('span', {className: kind, textContent: found[0]}));
    at = found.index + found[0].length;
  }
  parts.push(text.slice(at));
  return parts;
}

function start() {
  $('function').replaceChildren(...manifest.functions.map(({name}) => element('option', {textContent: name})));
  $('function').onchange = showInputs;
  $('functions').hidden = manifest.functions.length < 2;
  $('kernels').replaceChildren(
    ...manifest.kernels.map((kernel) => {
      const cells = [kernel.name, (kernel.comment || '').split('\n')[0], `${kernel.block[0]}`, ''];
      const row = element('tr', {}, ...cells.map((text) => element('td', {textContent: text})));
      row.dataset.kernel = kernel.name;
      return row;
    }),
  );
  $('source').replaceChildren(...highlight(bundle.source));
  showInputs();
  $('run').onclick = runAll;
  runAll();
}

start();
