// Buffers and kernels of WebGPU, for WebGpuHost.js and for pages (lib/Target/WGSL/Page.js).
'use strict';

const MAX_ROW = 65535; // workgroups in a dimension, WebGPU's guarantee

let device = null;
let pending = ''; // the first error since someone asked
let checks = []; // promises of launches whose errors are not known yet
const buffers = new Map();
const programs = new Map();

/// The text of an exception, a GPUError, or the like.
const textOf = (error) => String((error && error.message) || error).trim();

function note(what, error) {
  pending ||= what + ': ' + textOf(error);
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
  const data = new Uint8Array(staging.getMappedRange().slice(offset - start, offset - start + bytes));
  staging.destroy();
  return data;
}

async function write({id, offset}, data) {
  if (offset % 4 || data.length % 4) {
    // Of the words at both ends a part stays.
    const start = offset - (offset % 4);
    const words = await read({id, offset: start, bytes: roundUp(offset + data.length - start)});
    words.set(data, offset - start);
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

async function load({id, file, kernels}, text) {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({code: text});
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

function launch({program, kernel, blocks, bound, packed, packedBytes, what}, data) {
  device.pushErrorScope('validation');
  const {layout, pipeline} = programs.get(program)[kernel];
  const usage = GPUBufferUsage.UNIFORM;
  const args = device.createBuffer({size: data.length, usage, mappedAtCreation: true});
  new Uint8Array(args.getMappedRange()).set(data);
  args.unmap();
  const commands = device.createCommandEncoder();
  // Of more buffers than there are bindings some share one.
  const shared = [];
  if (packed.length) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    shared.push(device.createBuffer({size: packedBytes, usage}));
    for (const {id, offset} of packed) {
      const from = buffers.get(id);
      commands.copyBufferToBuffer(from, 0, shared[0], offset, from.size);
    }
  }
  const entries = bound.map((id) => buffers.get(id)).concat(shared, args);
  const group = device.createBindGroup({
    layout,
    entries: entries.map((buffer, binding) => ({binding, resource: {buffer}})),
  });
  const pass = commands.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, group);
  const row = Math.min(blocks, MAX_ROW);
  pass.dispatchWorkgroups(row, Math.ceil(blocks / row));
  pass.end();
  device.queue.submit([commands.finish()]);
  for (const buffer of [args, ...shared]) buffer.destroy();
  checks.push(device.popErrorScope().then((error) => error && note(what, error)));
}
