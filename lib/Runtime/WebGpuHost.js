// The far end of WebGpuDevice.cpp: runs kernels under Dawn's binding for Node.js.
//
// Socket 3 carries frames in both directions: two 32-bit lengths, then JSON and bytes. Requests with an `op` of `query`
// below are answered, by {"ok": …} or {"error": …}; the others are not, and what goes wrong with them is the answer to
// the next query. Frames are worked off one after another.
//
// WebGpuCore.js stands before this text.
const fs = require('fs');
const net = require('net');
const path = require('path');
const url = require('url');

const socket = new net.Socket({fd: 3, readable: true, writable: true});
let lost = ''; // why the device is gone

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
  // Drivers for WebGPU alone; trying others takes time.
  if (process.env.TANG_WEBGPU_DRIVER) process.env.VK_DRIVER_FILES = process.env.TANG_WEBGPU_DRIVER;
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

// -- frames

const query = {
  open: openDevice,
  alloc,
  load: (message, data) => load(message, data.toString('utf8')),
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
  else if (result instanceof Uint8Array) reply({ok: true}, result);
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
