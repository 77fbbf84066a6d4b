//===- DeviceRunner.cpp - Running kernels through the runtime -------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through the runtime: a module becomes a program with a function for each
// kernel, of its buffers as bytes, its scalars and the number of blocks. The
// function copies the buffers, launches, and returns the copies.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Tang/Runtime/Runtime.h"
#include "Tang/Target/KernelEmitter.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;
using namespace tangtest;
using llvm::json::Array;
using llvm::json::Object;

/// Null if there is no device; opened once.
static tang_rt_device *openDevice(const std::string &target) {
  static std::map<std::string, tang_rt_device *> devices;
  auto [it, isNew] = devices.try_emplace(target, nullptr);
  char *error = nullptr;
  if (isNew && tang_rt_open_device(target.c_str(), 0, &it->second, &error))
    tang_rt_free_string(error);
  return it->second;
}

bool tangtest::hasDevice(const std::string &target) {
  return openDevice(target) != nullptr;
}

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

static std::string slot(size_t number) { return "%" + std::to_string(number); }

/// A kernel's entries in a manifest: the kernel, and the function that runs it.
static void describe(gpu::GPUFuncOp kernel, Array &kernels, Array &functions) {
  std::string name = kernel.getName().str();
  Array inputs, outputs, args, body, buffers, scalars, copies, values, results;
  size_t count = kernel.getNumArguments(), next = count + 1;
  for (size_t i = 0; i < count; ++i) {
    Type type = kernel.getArgument(i).getType();
    args.push_back(slot(i));
    if (!isa<MemRefType>(type)) {
      inputs.push_back(
          Object{{"dtype", text(type)}, {"shape", Array{}}, {"scalar", true}});
      scalars.push_back(Object{{"type", text(type)}});
      values.push_back(slot(i));
      continue;
    }
    Object bytes{{"dtype", "i8"}, {"shape", Array{nullptr}}};
    std::string size = slot(next++), copy = slot(next++);
    body.push_back(
        Object{{"op", "dim"}, {"dst", size}, {"src", slot(i)}, {"index", 0}});
    body.push_back(Object{{"op", "alloc"},
                          {"dst", copy},
                          {"dtype", "i8"},
                          {"shape", Array{size}}});
    body.push_back(Object{{"op", "copy"}, {"dst", copy}, {"src", slot(i)}});
    bool isReadOnly = kernel.getArgAttr(i, "tang.readonly") != nullptr;
    buffers.push_back(Object{{"dtype", "i8"}, {"readonly", isReadOnly}});
    copies.push_back(copy);
    results.push_back(copy);
    inputs.push_back(Object(bytes));
    outputs.push_back(std::move(bytes));
  }
  inputs.push_back(
      Object{{"dtype", "index"}, {"shape", Array{}}, {"scalar", true}});
  args.push_back(slot(count));
  body.push_back(Object{{"op", "launch"},
                        {"kernel", name},
                        {"grid", slot(count)},
                        {"buffers", std::move(copies)},
                        {"scalars", std::move(values)}});
  body.push_back(Object{{"op", "return"}, {"values", std::move(results)}});
  kernels.push_back(Object{{"name", name},
                           {"block", Array{tang::getBlockSize(kernel)}},
                           {"buffers", std::move(buffers)},
                           {"scalars", std::move(scalars)}});
  functions.push_back(Object{{"name", name},
                             {"inputs", std::move(inputs)},
                             {"outputs", std::move(outputs)},
                             {"slots", int64_t(next)},
                             {"args", std::move(args)},
                             {"body", std::move(body)}});
}

/// The module on the device, kept for its other kernels: drivers compile for as
/// long as it takes to run a hundred launches.
static tang_rt_program *load(const std::string &target, ModuleOp module,
                             const Files &code) {
  using Key = std::pair<std::string, Files>;
  static std::map<Key, tang_rt_program *> programs;
  auto [it, isNew] = programs.try_emplace({target, code}, nullptr);
  if (!isNew)
    return it->second;
  Array kernels, functions;
  module.walk(
      [&](gpu::GPUFuncOp kernel) { describe(kernel, kernels, functions); });
  std::string manifest;
  llvm::raw_string_ostream(manifest)
      << llvm::json::Value(Object{{"tang", 1},
                                  {"target", target},
                                  {"kernels", std::move(kernels)},
                                  {"functions", std::move(functions)}});
  std::vector<tang_rt_file> files = {
      {"manifest.json", manifest.data(), manifest.size()}};
  for (const auto &[name, bytes] : code)
    files.push_back({name.c_str(), bytes.data(), bytes.size()});
  char *error = nullptr;
  if (tang_rt_load_files(openDevice(target), files.data(), files.size(),
                         nullptr, nullptr, &it->second, &error)) {
    ADD_FAILURE() << target << " objects: " << error;
    tang_rt_free_string(error);
  }
  return it->second;
}

std::vector<Bytes> tangtest::runOnDevice(const std::string &target,
                                         ModuleOp module, const Files &code,
                                         const Launch &launch) {
  tang_rt_program *program = load(target, module, code);
  size_t function = 0;
  if (!program || tang_rt_find_function(program, launch.kernel.c_str(),
                                        &function, nullptr)) {
    ADD_FAILURE() << target << " has no " << launch.kernel;
    return {};
  }
  std::vector<Bytes> buffers = launch.buffers;
  std::vector<int64_t> sizes, words = launch.scalars;
  for (const Bytes &buffer : buffers)
    sizes.push_back(int64_t(buffer.size()));
  words.push_back(launch.blocks);
  std::vector<tang_rt_tensor> inputs;
  for (size_t i = 0, e = tang_rt_num_inputs(program, function); i < e; ++i) {
    tang_rt_dtype dtype = tang_rt_input(program, function, i).dtype;
    // Little-endian: the low bytes come first, also of an f32's bits.
    if (i < buffers.size())
      inputs.push_back({dtype, 1, &sizes[i], buffers[i].data()});
    else
      inputs.push_back({dtype, 0, nullptr, &words[i - buffers.size()]});
  }
  std::vector<tang_rt_tensor> outputs(buffers.size());
  char *error = nullptr;
  if (tang_rt_invoke(program, function, inputs.data(), inputs.size(),
                     outputs.data(), &error)) {
    ADD_FAILURE() << launch.kernel << " on " << target << ": " << error;
    tang_rt_free_string(error);
    return {};
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (!buffers[i].empty())
      std::memcpy(buffers[i].data(), outputs[i].data, buffers[i].size());
    tang_rt_free_tensor(&outputs[i]);
  }
  return buffers;
}
