//===- Runner.cpp - Something that can be called -------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Tang/Target/Reference.h"

#include <chrono>

using namespace tang_rt;

namespace tang_run {

Runner::~Runner() = default;

/// Prints and frees a message of the runtime.
static bool failAndFree(char *error) {
  fail(error ? error : "the runtime failed without a message");
  tang_rt_free_string(error);
  return false;
}

BundleRunner::~BundleRunner() {
  tang_rt_free_program(program);
  tang_rt_close_device(device);
}

bool BundleRunner::openDevice(const std::string &target, int index) {
  char *error = nullptr;
  return tang_rt_open_device(target.c_str(), index, &device, &error) == 0 ||
         failAndFree(error);
}

bool BundleRunner::load(const std::string &path, const std::string &function) {
  char *error = nullptr;
  if (tang_rt_load(device, path.c_str(), &program, &error))
    return failAndFree(error);
  return selectFunction(function);
}

bool BundleRunner::load(mlir::tang::CompiledBundle bundle,
                        const std::string &function) {
  compiled = std::move(bundle);
  std::vector<tang_rt_file> files;
  for (const auto &[name, contents] : compiled.files)
    files.push_back({name.c_str(), contents.data(), contents.size()});
  tang_rt_resolver resolve = nullptr;
  if (compiled.resolve)
    resolve = [](void *user, const char *name) {
      return static_cast<mlir::tang::CompiledBundle *>(user)->resolve(name);
    };
  char *error = nullptr;
  if (tang_rt_load_files(device, files.data(), files.size(), resolve, &compiled,
                         &program, &error))
    return failAndFree(error);
  compiled.files.clear();
  return selectFunction(function);
}

static TensorSpec makeSpec(const tang_rt_spec &raw) {
  TensorSpec spec;
  spec.name = raw.name;
  spec.dtype = DType(raw.dtype);
  spec.shape.assign(raw.shape, raw.shape + raw.rank);
  spec.scalar = raw.is_scalar != 0;
  return spec;
}

bool BundleRunner::selectFunction(const std::string &name) {
  char *error = nullptr;
  if (tang_rt_find_function(program, name.c_str(), &number, &error))
    return failAndFree(error);
  info = FunctionInfo();
  info.name = tang_rt_function_name(program, number);
  for (size_t i = 0; i < tang_rt_num_inputs(program, number); ++i)
    info.inputs.push_back(makeSpec(tang_rt_input(program, number, i)));
  for (size_t i = 0; i < tang_rt_num_outputs(program, number); ++i)
    info.outputs.push_back(makeSpec(tang_rt_output(program, number, i)));
  info.flops = tang_rt_flops(program, number);
  return true;
}

std::string BundleRunner::deviceName() const {
  return tang_rt_device_name(device);
}

std::string BundleRunner::driverName() const {
  return tang_rt_device_driver(device);
}

static std::vector<tang_rt_tensor> viewsOf(const Runner::Tensors &tensors) {
  std::vector<tang_rt_tensor> views;
  for (const HostTensor &tensor : tensors)
    views.push_back(tensor.view());
  return views;
}

void BundleRunner::adopt(std::vector<tang_rt_tensor> &raw, Tensors &outputs) {
  outputs.clear();
  for (tang_rt_tensor &tensor : raw) {
    HostTensor output;
    output.dtype = DType(tensor.dtype);
    output.shape.assign(tensor.shape, tensor.shape + tensor.rank);
    int64_t bytes = 0;
    countBytes(output.dtype, output.shape, bytes);
    output.data.adopt(std::exchange(tensor.data, nullptr), size_t(bytes));
    tang_rt_free_tensor(&tensor);
    outputs.push_back(std::move(output));
  }
}

bool BundleRunner::call(const Tensors &inputs, Tensors &outputs) {
  std::vector<tang_rt_tensor> views = viewsOf(inputs);
  std::vector<tang_rt_tensor> raw(info.outputs.size());
  char *error = nullptr;
  if (tang_rt_invoke(program, number, views.data(), views.size(), raw.data(),
                     &error))
    return failAndFree(error);
  adopt(raw, outputs);
  return true;
}

bool BundleRunner::benchmark(const Tensors &inputs, unsigned repetitions,
                             bool flush, Tensors &outputs, Timing &timing) {
  std::vector<tang_rt_tensor> views = viewsOf(inputs);
  tang_rt_reset_memory(device);
  tang_rt_call *call = nullptr;
  char *error = nullptr;
  if (tang_rt_prepare(program, number, views.data(), views.size(), &call,
                      &error))
    return failAndFree(error);
  Progress progress("warming up");
  std::vector<tang_rt_tensor> raw(info.outputs.size());
  bool good = true;
  for (unsigned i = 0; good && i < repetitions + 1; ++i) {
    double seconds = 0;
    good = (!flush || tang_rt_flush_cache(device, &error) == 0) &&
           tang_rt_run(call, &seconds, &error) == 0;
    if (i > 0)
      timing.seconds.push_back(seconds);
    progress.set("run " + std::to_string(i + 1) + " of " +
                 std::to_string(repetitions));
  }
  timing.bytes = tang_rt_call_bytes(call);
  timing.peakBytes = tang_rt_device_memory(device).peak;
  good = good && tang_rt_call_outputs(call, raw.data(), &error) == 0;
  tang_rt_free_call(call);
  if (!good)
    return failAndFree(error);
  adopt(raw, outputs);
  return true;
}

ReferenceRunner::ReferenceRunner(Module &module, FunctionInfo function,
                                 bool exact)
    : module(module), exact(exact) {
  info = std::move(function);
}

bool ReferenceRunner::call(const Tensors &inputs, Tensors &outputs) {
  Progress progress("interpreting");
  unsigned before = module.numErrors();
  llvm::FailureOr<Tensors> results =
      mlir::tang::runReference(module.get(), info.name, inputs, exact);
  if (llvm::failed(results))
    return module.numErrors() > before ? false : fail("the interpreter failed");
  outputs = std::move(*results);
  if (outputs.size() != info.outputs.size())
    return fail("the interpreter returned " + llvm::Twine(outputs.size()) +
                " results for " + llvm::Twine(info.outputs.size()));
  return true;
}

bool ReferenceRunner::benchmark(const Tensors &inputs, unsigned repetitions,
                                bool flush, Tensors &outputs, Timing &timing) {
  if (flush)
    return fail("the interpreter has no caches to flush");
  for (unsigned i = 0; i < repetitions; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (!call(inputs, outputs))
      return false;
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    timing.seconds.push_back(elapsed.count());
  }
  for (const HostTensor &input : inputs)
    timing.bytes += input.data.size();
  for (size_t i = 0; i < outputs.size(); ++i)
    timing.bytes +=
        uint64_t(outputs[i].numElements()) * dtypeBytes(info.outputs[i].dtype);
  return true;
}

} // namespace tang_run
