// The far end of WebGpuDevice.cpp: runs kernels under Dawn's binding for Node.js.
//
// Socket 3 carries frames in both directions: two 32-bit lengths, then JSON and bytes. Requests with an `op` of `query`
// below are answered, by {"ok": …} or {"error": …}; the others are not, and what goes wrong with them is the answer to
// the next query. Frames are worked off one after another.
'use strict';
const fs = require('fs');
const net = require('net');
const path = require('path');
const url = require('url');

const MAX_ROW = 65535; // workgroups in a dimension, WebGPU's guarantee

const socket = new net.Socket({fd: 3, readable: true, writable: true});
let device = null;
let lost = ''; // why the device is gone
let pending = ''; // the first error since the last query
let checks = []; // promises of launches whose errors are not known yet
const buffers = new Map();
const programs = new Map();

/// The text of an exception, a GPUError, or the like.
const textOf = (error) => String((error && error.message) || error).trim();

function note(what, error) {
  pending ||= what + ': ' + textOf(error);
}

// -- the device

async function loadBinding(folders) {
  for (const folder of folders) {
    const file = path.join(folder, 'index.js');
    if (fs.existsSync(file)) return import(url.pathToFileURL(file));
  }
  throw Error('the npm package webgpu is not installed (looked in ' + folders.join(', ') + ')');
}

async function findAdapter(message) {
  const {create, globals} = await loadBinding(message.folders);
  Object.assign(globalThis, globals);
  // Collected, it would take the event loop with it.
  const open = () => (globalThis.tangGpu = create([])).requestAdapter();
  let adapter = await open();
  if (!adapter && !process.env.VK_DRIVER_FILES && !process.env.VK_ICD_FILENAMES) {
    // The software device that Chromium brings.
    const driver = message.fallbackDrivers.find((file) => fs.existsSync(file));
    if (driver) {
      process.env.VK_DRIVER_FILES = driver;
      adapter = await open();
    }
  }
  if (!adapter) throw Error('Dawn finds no adapter');
  return adapter;
}

async function openDevice(message) {
  const adapter = await findAdapter(message);
  const {info, limits} = adapter;
  const wanted = {};
  for (const name of ['maxBufferSize', 'maxStorageBufferBindingSize']) wanted[name] = limits[name];
  device = await adapter.requestDevice({requiredLimits: wanted});
  device.addEventListener('uncapturederror', (event) => note('WebGPU', event.error));
  device.lost.then((what) => (lost = 'the WebGPU device is lost: ' + textOf(what)));
  const name = [info.description, info.device].find((text) => text) || 'WebGPU device';
  return {
    name: info.architecture && !name.toLowerCase().includes(info.architecture) ? `${name} (${info.architecture})` : name,
    driver: `Dawn, vendor ${info.vendor || 'unknown'}, architecture ${info.architecture || 'unknown'}`,
    maxBuffer: Math.min(device.limits.maxBufferSize, device.limits.maxStorageBufferBindingSize),
  };
}

// -- memory

/// Sizes and offsets of copies are multiples of 4.
const roundUp = (bytes) => Math.ceil(bytes / 4) * 4;

async function alloc({id, bytes}) {
  device.pushErrorScope('out-of-memory');
  device.pushErrorScope('validation');
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({size: Math.max(16, roundUp(bytes)), usage});
  const errors = [await device.popErrorScope(), await device.popErrorScope()].filter((error) => error);
  if (errors.length) throw errors[0];
  buffers.set(id, buffer);
}

async function read({id, offset, bytes}) {
  const start = offset - (offset % 4);
  const size = roundUp(offset + bytes - start);
  const staging = device.createBuffer({size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST});
  const commands = device.createCommandEncoder();
  commands.copyBufferToBuffer(buffers.get(id), start, staging, 0, size);
  device.queue.submit([commands.finish()]);
  await staging.mapAsync(GPUMapMode.READ);
  const data = Buffer.from(staging.getMappedRange().slice(offset - start, offset - start + bytes));
  staging.destroy();
  return data;
}

async function write({id, offset}, data) {
  if (offset % 4 || data.length % 4) {
    // Of the words at both ends a part stays.
    const start = offset - (offset % 4);
    const words = await read({id, offset: start, bytes: roundUp(offset + data.length - start)});
    data.copy(words, offset - start);
    [offset, data] = [start, words];
  }
  device.queue.writeBuffer(buffers.get(id), offset, data);
}

function copy({to, from, bytes}) {
  const commands = device.createCommandEncoder();
  commands.copyBufferToBuffer(buffers.get(from), 0, buffers.get(to), 0, roundUp(bytes));
  device.queue.submit([commands.finish()]);
}

// -- kernels

async function load({id, file, kernels}, data) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({code: data.toString('utf8')});
  const {messages} = await module.getCompilationInfo();
  const failed = await device.popErrorScope();
  const errors = messages.filter((message) => message.type === 'error');
  if (errors.length || failed)
    throw Error(
      errors.map((m) => `${file}:${m.lineNum}:${m.linePos}: ${textOf(m)}`).join('\n') || `${file}: ${textOf(failed)}`,
    );
  const built = [];
  for (const {name, readonly} of kernels) {
    const types = readonly.map((isReadOnly) => (isReadOnly ? 'read-only-storage' : 'storage')).concat('uniform');
    device.pushErrorScope('validation');
    const layout = device.createBindGroupLayout({
      entries: types.map((type, binding) => ({binding, visibility: GPUShaderStage.COMPUTE, buffer: {type}})),
    });
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({bindGroupLayouts: [layout]}),
      compute: {module, entryPoint: name},
    });
    const error = await device.popErrorScope();
    if (error) throw Error(`kernel ${name} of ${file}: ${textOf(error)}`);
    built.push({name, layout, pipeline});
  }
  programs.set(id, built);
}

function launch({program, kernel, blocks, bound, what}, data) {
  device.pushErrorScope('validation');
  const {layout, pipeline} = programs.get(program)[kernel];
  const usage = GPUBufferUsage.UNIFORM;
  const args = device.createBuffer({size: data.length, usage, mappedAtCreation: true});
  new Uint8Array(args.getMappedRange()).set(data);
  args.unmap();
  const entries = bound.map((id) => buffers.get(id)).concat(args);
  const group = device.createBindGroup({
    layout,
    entries: entries.map((buffer, binding) => ({binding, resource: {buffer}})),
  });
  const commands = device.createCommandEncoder();
  const pass = commands.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  const row = Math.min(blocks, MAX_ROW);
  pass.dispatchWorkgroups(row, Math.ceil(blocks / row));
  pass.end();
  device.queue.submit([commands.finish()]);
  args.destroy();
  checks.push(device.popErrorScope().then((error) => error && note(what, error)));
}

// -- frames

const query = {
  open: openDevice,
  alloc,
  load,
  read,
  sync: () => device.queue.onSubmittedWorkDone(),
};
const command = {
  write,
  copy,
  launch,
  free: ({id}) => {
    buffers.get(id).destroy();
    buffers.delete(id);
  },
  unload: ({id}) => programs.delete(id),
};

function reply(message, data = Buffer.alloc(0)) {
  const text = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(8);
  head.writeUInt32LE(text.length, 0);
  head.writeUInt32LE(data.length, 4);
  socket.write(Buffer.concat([head, text, data]));
}

async function answer(message, data) {
  let result;
  try {
    if (!lost) result = await query[message.op](message, data);
    await Promise.all(checks);
    checks = [];
  } catch (error) {
    pending ||= textOf(error);
  }
  if (lost || pending) reply({error: pending || lost});
  else if (Buffer.isBuffer(result)) reply({ok: true}, result);
  else reply({ok: result ?? true});
  pending = '';
}

async function obey(message, data) {
  try {
    if (!lost) await command[message.op](message, data);
  } catch (error) {
    note(message.what || message.op, error);
  }
}

let received = [];
let available = 0;
let working = false;

/// The first `bytes` bytes of what has been received.
function take(bytes) {
  let all = received.length === 1 ? received[0] : Buffer.concat(received);
  received = [all.subarray(bytes)];
  available -= bytes;
  return all.subarray(0, bytes);
}

async function work() {
  if (working) return;
  working = true;
  let head = null;
  for (;;) {
    if (available < 8) break;
    if (received[0].length < 8) received = [Buffer.concat(received)];
    const sizes = [received[0].readUInt32LE(0), received[0].readUInt32LE(4)];
    if (available < 8 + sizes[0] + sizes[1]) break;
    take(8);
    const message = JSON.parse(take(sizes[0]).toString('utf8'));
    const data = take(sizes[1]);
    await (query[message.op] ? answer(message, data) : obey(message, data));
  }
  working = false;
}

socket.on('data', (chunk) => {
  received.push(chunk);
  available += chunk.length;
  work();
});
// The runtime is gone, or done.
socket.on('end', () => process.exit(0));
socket.on('error', () => process.exit(0));
