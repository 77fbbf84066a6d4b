//===- Runtime.cpp - The C ABI of libtang_runtime ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Runtime/Runtime.h"

#include "LoadedProgram.h"
#include "Tang/Runtime/HostTensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace tang_rt;

static_assert(int(DType::Index) == TANG_RT_INDEX &&
              int(DType::BF16) == TANG_RT_BF16 && int(DType::I1) == TANG_RT_I1);

struct tang_rt_device {
  std::shared_ptr<Context> context;
};

struct tang_rt_program {
  std::shared_ptr<LoadedProgram> loaded;
};

struct tang_rt_call {
  std::shared_ptr<LoadedProgram> loaded;
  size_t function;
  std::vector<SlotValue> inputs;
  std::vector<SlotValue> outputs;
  bool ran = false;
};

/// Runs `body` and turns an exception into the ABI's form.
template <typename F> static int guarded(char **error, F body) {
  std::string message;
  if (catchErrors(message, body))
    return 0;
  if (error)
    *error = ::strdup(message.c_str());
  return 1;
}

static char *copyString(const std::string &text) {
  char *copy = ::strdup(text.c_str());
  if (!copy)
    throw std::bad_alloc();
  return copy;
}

void tang_rt_free_string(char *string) { std::free(string); }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int tang_rt_list_devices(const char *target, char **text, char **error) {
  return guarded(error, [&] {
    std::string lines;
    int number = 0;
    for (const std::string &line : listDevices(target ? target : ""))
      lines += std::to_string(number++) + ": " + line + "\n";
    *text = copyString(lines);
  });
}

int tang_rt_open_device(const char *target, int32_t index,
                        tang_rt_device **device, char **error) {
  return guarded(error, [&] {
    *device = new tang_rt_device{
        std::make_shared<Context>(target ? target : "", index)};
  });
}

void tang_rt_close_device(tang_rt_device *device) { delete device; }

const char *tang_rt_device_name(const tang_rt_device *device) {
  return device->context->name.c_str();
}

const char *tang_rt_device_driver(const tang_rt_device *device) {
  return device->context->driver.c_str();
}

tang_rt_memory tang_rt_device_memory(tang_rt_device *device) {
  std::lock_guard lock(device->context->mutex);
  Heap &heap = device->context->heap;
  return {heap.heldBytes(), heap.peakBytes()};
}

void tang_rt_reset_memory(tang_rt_device *device) {
  std::lock_guard lock(device->context->mutex);
  device->context->heap.trim();
  device->context->heap.resetPeak();
}

int tang_rt_flush_cache(tang_rt_device *device, char **error) {
  return guarded(error, [&] {
    std::lock_guard lock(device->context->mutex);
    device->context->device->flushCache();
  });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

int tang_rt_bundle_target(const char *path, char **target, char **error) {
  return guarded(error, [&] {
    *target = copyString(parseManifestTarget(readManifest(path)));
  });
}

int tang_rt_load(tang_rt_device *device, const char *path,
                 tang_rt_program **program, char **error) {
  return guarded(error, [&] {
    std::lock_guard lock(device->context->mutex);
    std::shared_ptr<LoadedProgram> loaded = loadBundle(device->context, path);
    *program = new tang_rt_program{std::move(loaded)};
  });
}

int tang_rt_load_files(tang_rt_device *device, const tang_rt_file *files,
                       size_t count, tang_rt_resolver resolve, void *user,
                       tang_rt_program **program, char **error) {
  return guarded(error, [&] {
    FileViews list;
    for (size_t i = 0; i < count; ++i)
      list.emplace_back(
          files[i].name,
          std::string_view(static_cast<const char *>(files[i].data),
                           files[i].size));
    std::function<void *(const char *)> find;
    if (resolve)
      find = [=](const char *name) { return resolve(user, name); };
    std::lock_guard lock(device->context->mutex);
    std::shared_ptr<LoadedProgram> loaded =
        loadFromFiles(device->context, list, std::move(find));
    *program = new tang_rt_program{std::move(loaded)};
  });
}

void tang_rt_free_program(tang_rt_program *program) {
  if (!program)
    return;
  // The last reference to the context must go after its lock.
  std::shared_ptr<Context> context = program->loaded->context;
  std::lock_guard lock(context->mutex);
  delete program;
}

const char *tang_rt_target(const tang_rt_program *program) {
  return program->loaded->program.target.c_str();
}

const char *tang_rt_numerics(const tang_rt_program *program) {
  return program->loaded->program.numerics.c_str();
}

static const std::vector<FunctionInfo> &infos(const tang_rt_program *program) {
  return program->loaded->program.infos;
}

const char *tang_rt_manifest(const tang_rt_program *program) {
  return program->loaded->program.manifest.c_str();
}

size_t tang_rt_num_functions(const tang_rt_program *program) {
  return infos(program).size();
}

const char *tang_rt_function_name(const tang_rt_program *program,
                                  size_t function) {
  return function < infos(program).size()
             ? infos(program)[function].name.c_str()
             : nullptr;
}

int tang_rt_find_function(const tang_rt_program *program, const char *name,
                          size_t *function, char **error) {
  return guarded(error, [&] {
    std::string why;
    int found = findFunction(infos(program), name ? name : "", why);
    if (found < 0)
      throw Error(why);
    *function = size_t(found);
  });
}

size_t tang_rt_num_inputs(const tang_rt_program *program, size_t function) {
  return function < infos(program).size()
             ? infos(program)[function].inputs.size()
             : 0;
}

size_t tang_rt_num_outputs(const tang_rt_program *program, size_t function) {
  return function < infos(program).size()
             ? infos(program)[function].outputs.size()
             : 0;
}

static tang_rt_spec specAt(const std::vector<TensorSpec> &specs, size_t i) {
  if (i >= specs.size())
    return {};
  const TensorSpec &spec = specs[i];
  return {spec.name.c_str(), tang_rt_dtype(spec.dtype),
          int32_t(spec.shape.size()), spec.shape.data(), spec.scalar};
}

tang_rt_spec tang_rt_input(const tang_rt_program *program, size_t function,
                           size_t input) {
  if (function >= infos(program).size())
    return {};
  return specAt(infos(program)[function].inputs, input);
}

tang_rt_spec tang_rt_output(const tang_rt_program *program, size_t function,
                            size_t output) {
  if (function >= infos(program).size())
    return {};
  return specAt(infos(program)[function].outputs, output);
}

double tang_rt_flops(const tang_rt_program *program, size_t function) {
  return function < infos(program).size() ? infos(program)[function].flops : 0;
}

void tang_rt_set_step_limit(tang_rt_program *program, uint64_t steps) {
  program->loaded->stepLimit = steps;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Checks a call's inputs and puts them on the device.
static std::vector<SlotValue> uploadInputs(LoadedProgram &loaded,
                                           size_t function,
                                           const tang_rt_tensor *inputs,
                                           size_t count) {
  if (function >= loaded.program.infos.size())
    throw Error("there is no function number " + std::to_string(function));
  const FunctionInfo &info = loaded.program.infos[function];
  if (std::string why = checkInputCount(info, count); !why.empty())
    throw Error(why);
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < count; ++i) {
    const tang_rt_tensor &tensor = inputs[i];
    if (tensor.rank < 0 || (tensor.rank > 0 && !tensor.shape) ||
        unsigned(tensor.dtype) >= unsigned(kNumDTypes))
      throw Error(inputName(info, i) + ": not a tensor");
    shapes.emplace_back(tensor.shape, tensor.shape + tensor.rank);
    if (std::string why = checkAgainstSpec(info.inputs[i], DType(tensor.dtype),
                                           shapes.back());
        !why.empty())
      throw Error(inputName(info, i) + ": " + why);
  }
  std::vector<SlotValue> values;
  for (size_t i = 0; i < count; ++i) {
    DeviceTensor tensor;
    tensor.dtype = info.inputs[i].dtype;
    tensor.shape = std::move(shapes[i]);
    countElements(tensor.shape, tensor.elements);
    if (tensor.elements && !inputs[i].data)
      throw Error(inputName(info, i) + ": has no data");
    if (info.inputs[i].scalar) {
      values.push_back(SlotValue::of(
          isFloat(tensor.dtype)
              ? ScalarValue::ofReal(loadFloat(tensor.dtype, inputs[i].data))
              : ScalarValue::ofInteger(
                    loadInteger(tensor.dtype, inputs[i].data))));
      continue;
    }
    tensor.buffer = loaded.context->heap.alloc(tensor.bytes());
    if (tensor.elements)
      loaded.context->device->upload(tensor.buffer->get(), 0, inputs[i].data,
                                     tensor.bytes());
    tensor.buffer->readonly = true;
    values.push_back(SlotValue::of(std::move(tensor)));
  }
  return values;
}

/// A result as a tensor of the C ABI, which owns its memory.
static tang_rt_tensor toHost(LoadedProgram &loaded, const TensorSpec &spec,
                             SlotValue &value, bool mayTake) {
  bool scalar = value.kind == SlotValue::Scalar;
  std::vector<int64_t> shape;
  if (!scalar)
    shape = value.tensor->shape;
  std::unique_ptr<int64_t[], decltype(&std::free)> sizes(
      static_cast<int64_t *>(
          std::malloc(std::max<size_t>(1, shape.size()) * sizeof(int64_t))),
      &std::free);
  if (!sizes)
    throw std::bad_alloc();
  std::copy(shape.begin(), shape.end(), sizes.get());
  tang_rt_tensor result{tang_rt_dtype(spec.dtype), int32_t(shape.size()),
                        nullptr, nullptr};
  if (scalar) {
    HostTensor holder;
    std::string why;
    if (!HostTensor::create(spec.dtype, {}, holder, why))
      throw Error(why);
    if (value.scalar.isReal)
      holder.setDouble(0, value.scalar.real);
    else
      holder.setInt(0, value.scalar.integer);
    result.data = holder.data.release();
  } else {
    Context &context = *loaded.context;
    DeviceTensor tensor = *value.tensor;
    uint64_t bytes = tensor.bytes();
    // On the host a result that nobody else refers to is handed over.
    if (mayTake && context.device->sharesHostMemory() &&
        value.tensor.use_count() == 1) {
      value = SlotValue();
      result.data = context.heap.take(tensor.buffer);
    }
    if (!result.data) {
      HostStorage storage;
      if (!storage.allocate(bytes))
        throw Error("cannot allocate " + std::to_string(bytes) +
                    " bytes for a result");
      if (bytes)
        context.device->download(storage.data(), tensor.buffer->get(), 0,
                                 bytes);
      result.data = storage.release();
    }
  }
  result.shape = sizes.release();
  return result;
}

static void toHost(LoadedProgram &loaded, size_t function,
                   std::vector<SlotValue> &values, bool mayTake,
                   tang_rt_tensor *outputs) {
  const FunctionInfo &info = loaded.program.infos[function];
  size_t done = 0;
  try {
    for (; done < values.size(); ++done)
      outputs[done] = toHost(loaded, info.outputs[done], values[done], mayTake);
  } catch (...) {
    while (done-- > 0)
      tang_rt_free_tensor(&outputs[done]);
    throw;
  }
}

int tang_rt_invoke(tang_rt_program *program, size_t function,
                   const tang_rt_tensor *inputs, size_t count,
                   tang_rt_tensor *outputs, char **error) {
  return guarded(error, [&] {
    LoadedProgram &loaded = *program->loaded;
    std::lock_guard lock(loaded.context->mutex);
    std::vector<SlotValue> values;
    {
      std::vector<SlotValue> uploaded =
          uploadInputs(loaded, function, inputs, count);
      values = loaded.run(function, uploaded);
    }
    toHost(loaded, function, values, /*mayTake=*/true, outputs);
    values.clear();
  });
}

void tang_rt_free_tensor(tang_rt_tensor *tensor) {
  if (!tensor)
    return;
  std::free(const_cast<int64_t *>(tensor->shape));
  std::free(tensor->data);
  *tensor = {};
}

int tang_rt_prepare(tang_rt_program *program, size_t function,
                    const tang_rt_tensor *inputs, size_t count,
                    tang_rt_call **call, char **error) {
  return guarded(error, [&] {
    LoadedProgram &loaded = *program->loaded;
    std::lock_guard lock(loaded.context->mutex);
    auto prepared = std::make_unique<tang_rt_call>();
    prepared->loaded = program->loaded;
    prepared->function = function;
    prepared->inputs = uploadInputs(loaded, function, inputs, count);
    *call = prepared.release();
  });
}

int tang_rt_run(tang_rt_call *call, double *seconds, char **error) {
  return guarded(error, [&] {
    LoadedProgram &loaded = *call->loaded;
    std::lock_guard lock(loaded.context->mutex);
    call->outputs.clear();
    call->ran = false;
    call->outputs = loaded.run(call->function, call->inputs, seconds);
    call->ran = true;
  });
}

int tang_rt_call_outputs(tang_rt_call *call, tang_rt_tensor *outputs,
                         char **error) {
  return guarded(error, [&] {
    if (!call->ran)
      throw Error("the call was not run");
    std::lock_guard lock(call->loaded->context->mutex);
    toHost(*call->loaded, call->function, call->outputs, /*mayTake=*/false,
           outputs);
  });
}

uint64_t tang_rt_call_bytes(const tang_rt_call *call) {
  uint64_t bytes = 0;
  for (const auto *values : {&call->inputs, &call->outputs})
    for (const SlotValue &value : *values)
      bytes += value.kind == SlotValue::Tensor ? value.tensor->bytes() : 8;
  return bytes;
}

void tang_rt_free_call(tang_rt_call *call) {
  if (!call)
    return;
  std::shared_ptr<Context> context = call->loaded->context;
  std::lock_guard lock(context->mutex);
  delete call;
}
