//===- Harness.cpp - Running kernel IR on every target --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "Tang/Conversion/EmulateTypes.h"
#include "Tang/Conversion/KernelLegalize.h"
#include "Tang/Target/C.h"
#include "Tang/Target/CUDA.h"
#include "Tang/Target/KernelEmitter.h"
#include "Tang/Target/OpenCL.h"
#include "Tang/Target/Ptx.h"
#include "Tang/Target/SPIRV.h"
#include "Tang/Target/WGSL.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

#include <dlfcn.h>
#include <unistd.h>

using namespace mlir;
using namespace tangtest;

const char *tangtest::name(Target target) {
  switch (target) {
  case Target::Cpu:
    return "cpu";
  case Target::Gcc:
    return "c (gcc)";
  case Target::Clang:
    return "c (clang)";
  case Target::OpenCL:
    return "opencl";
  case Target::Cuda:
    return "cuda";
  case Target::Vulkan:
    return "vulkan";
  case Target::WebGpu:
    return "webgpu";
  case Target::CudaSource:
    return "CUDA C++";
  case Target::Metal:
    return "metal";
  }
  return "";
}

std::vector<Target> tangtest::availableTargets() {
  std::vector<Target> targets = {Target::Cpu};
  if (llvm::sys::findProgramByName("gcc"))
    targets.push_back(Target::Gcc);
  if (llvm::sys::findProgramByName("clang-22"))
    targets.push_back(Target::Clang);
  if (hasOpenCL())
    targets.push_back(Target::OpenCL);
  if (hasDevice("cuda"))
    targets.push_back(Target::Cuda);
  if (hasDevice("vulkan"))
    targets.push_back(Target::Vulkan);
  if (hasDevice("webgpu"))
    targets.push_back(Target::WebGpu);
  if (WithEmulated::count && llvm::sys::findProgramByName("clang++-22"))
    targets.insert(targets.end(), {Target::CudaSource, Target::Metal});
  return targets;
}

std::vector<Target> Program::targets() {
  std::vector<Target> result = availableTargets();
  bool hasDouble = false;
  if (isOk)
    ref->walk([&](Operation *op) {
      for (Type type :
           llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                    llvm::to_vector(op->getResultTypes())))
        hasDouble |= getElementTypeOrSelf(type).isF64();
    });
  if (hasDouble)
    llvm::erase(result, Target::WebGpu);
  return result;
}

Program::Program(const std::string &text) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  ub::UBDialect>();
  context.appendDialectRegistry(registry);
  context.allowUnregisteredDialects();
  handler = std::make_unique<ScopedDiagnosticHandler>(
      &context, [this](Diagnostic &diagnostic) {
        messages += diagnostic.str() + "\n";
        return success();
      });
  ref = parseSourceString<ModuleOp>(text, &context);
  if (!ref)
    return;
  PassManager pm(&context);
  pm.addPass(tang::createEmulateTypesPass());
  pm.addPass(tang::createKernelLegalizePass());
  isOk = succeeded(pm.run(*ref));
}

Program::~Program() {
  for (void *library : libraries)
    if (library)
      dlclose(library);
}

std::string Program::emitC() {
  std::string source;
  llvm::raw_string_ostream os(source);
  return succeeded(tang::emitC(*ref, os)) ? source : "";
}

std::string Program::emitOpenCL() {
  std::string source;
  llvm::raw_string_ostream os(source);
  return succeeded(tang::emitOpenCL(*ref, os)) ? source : "";
}

std::string Program::emitPtx() {
  auto text = tang::emitPtx(*ref, tang::getPtxOptions("cuda"));
  return succeeded(text) ? *text : "";
}

std::string Program::emitCuda() {
  std::string source;
  llvm::raw_string_ostream os(source);
  return succeeded(tang::emitCuda(*ref, os)) ? source : "";
}

std::string Program::emitMetal() {
  auto text = tang::emitMetal(*ref, tang::getSpirvOptions("metal"));
  return succeeded(text) ? *text : "";
}

/// A failure with the words of spirv-val, where that is installed, if it
/// objects.
static void validateSpirv(const std::string &name, const std::string &binary) {
  if (!llvm::sys::findProgramByName("spirv-val"))
    return;
  char directory[] = "/tmp/tang_target_XXXXXX";
  if (!mkdtemp(directory))
    return;
  std::string base = directory;
  {
    std::error_code error;
    llvm::raw_fd_ostream(base + "/k.spv", error) << binary;
  }
  int code = std::system(("spirv-val --target-env vulkan1.1 " + base +
                          "/k.spv > " + base + "/log 2>&1")
                             .c_str());
  auto log = llvm::MemoryBuffer::getFile(base + "/log");
  if (code != 0)
    ADD_FAILURE() << "spirv-val objects to " << name << ": "
                  << (log ? (*log)->getBuffer().str() : "");
  llvm::sys::fs::remove_directories(base);
}

std::string Program::emitWgsl() {
  std::string source;
  llvm::raw_string_ostream os(source);
  return succeeded(tang::emitWgsl(*ref, os)) ? source : "";
}

Files Program::emitSpirv() {
  auto kernels = tang::emitSpirvKernels(*ref);
  if (failed(kernels))
    return {};
  for (auto &[name, binary] : *kernels) {
    name += ".spv";
    validateSpirv(name, binary);
  }
  return *kernels;
}

/// Compiles as a user would, with all warnings as errors.
static void *compileStrictly(const std::string &source, bool isGcc,
                             std::string &log) {
  char directory[] = "/tmp/tang_target_XXXXXX";
  if (!mkdtemp(directory))
    return nullptr;
  std::string base = directory, file = base + "/k.c", so = base + "/k.so";
  {
    std::error_code error;
    llvm::raw_fd_ostream(file, error) << source;
  }
  std::string compiler = isGcc ? "gcc" : "clang-22";
  std::string command = compiler +
                        " -std=c11 -Wall -Wextra -Werror -O2 -ffp-contract=off "
                        "-fno-math-errno -fPIC -shared -o " +
                        so + " " + file + " -lm > " + base + "/log 2>&1";
  int code = std::system(command.c_str());
  if (auto text = llvm::MemoryBuffer::getFile(base + "/log"))
    log = (*text)->getBuffer().str();
  void *library =
      code == 0 ? dlopen(so.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
  llvm::sys::fs::remove_directories(base);
  return library;
}

/// The kernels' source, compiled by the script of the target's folder from a
/// bundle that is as much of one as it needs.
void *Program::emulate(Target target) {
  bool isCuda = target == Target::CudaSource;
  using llvm::json::Array;
  using llvm::json::Object;
  Array kernels;
  ref->walk([&](gpu::GPUFuncOp kernel) {
    Array buffers, scalars;
    for (Type type : kernel.getArgumentTypes()) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      if (isa<MemRefType>(type))
        buffers.push_back(Object{});
      else
        scalars.push_back(Object{{"type", text}});
    }
    kernels.push_back(Object{{"name", kernel.getName()},
                             {"block", Array{tang::getBlockSize(kernel)}},
                             {"buffers", std::move(buffers)},
                             {"scalars", std::move(scalars)}});
  });
  char directory[] = "/tmp/tang_target_XXXXXX";
  if (!mkdtemp(directory))
    return nullptr;
  std::string base = directory;
  {
    std::error_code error;
    llvm::raw_fd_ostream(base + "/manifest.json", error)
        << llvm::json::Value(Object{{"kernels", std::move(kernels)}});
    llvm::raw_fd_ostream(base + (isCuda ? "/kernels.cu" : "/kernels.metal"),
                         error)
        << (isCuda ? emitCuda() : emitMetal());
  }
  std::string command = std::string(TANG_TEST_PYTHON " " TANG_TEST_TARGET_DIR) +
                        (isCuda ? "/Cuda" : "/Metal") + "/emulate.py " + base +
                        " > " + base + "/log 2>&1";
  int code = std::system(command.c_str());
  void *library =
      code == 0 ? dlopen((base + "/kernels.so").c_str(), RTLD_NOW | RTLD_LOCAL)
                : nullptr;
  if (!library)
    if (auto log = llvm::MemoryBuffer::getFile(base + "/log"))
      ADD_FAILURE() << name(target) << ": " << (*log)->getBuffer().str();
  llvm::sys::fs::remove_directories(base);
  return library;
}

void *Program::lookup(Target target, const std::string &kernel) {
  if (target == Target::CudaSource || target == Target::Metal) {
    void *&library = libraries[target == Target::CudaSource ? 2 : 3];
    if (!library)
      library = emulate(target);
    return library ? dlsym(library, kernel.c_str()) : nullptr;
  }
  if (target == Target::Cpu) {
    if (!jit) {
      auto created = tang::CpuKernels::create(*ref);
      if (failed(created))
        return nullptr;
      jit = *created;
    }
    return jit->lookup(kernel);
  }
  bool isGcc = target == Target::Gcc;
  void *&library = libraries[isGcc];
  if (!library) {
    std::string source = emitC(), log;
    library = compileStrictly(source, isGcc, log);
    if (!library) {
      ADD_FAILURE() << name(target) << " rejects\n"
                    << source.substr(0, 1500) << "\n"
                    << log.substr(0, 1500);
      return nullptr;
    }
  }
  return dlsym(library, kernel.c_str());
}

std::vector<Bytes> Program::run(Target target, const Launch &launch) {
  if (!ok()) {
    ADD_FAILURE() << messages;
    return {};
  }
  if (target == Target::OpenCL) {
    std::vector<std::string> types;
    int64_t block = 1;
    ref->walk([&](gpu::GPUFuncOp kernel) {
      if (kernel.getName() != launch.kernel)
        return;
      block = tang::getBlockSize(kernel);
      for (Type type : kernel.getArgumentTypes())
        if (!isa<MemRefType>(type)) {
          std::string text;
          llvm::raw_string_ostream(text) << type;
          types.push_back(text);
        }
    });
    std::string source = emitOpenCL();
    if (source.empty()) {
      ADD_FAILURE() << messages;
      return {};
    }
    return runOpenCL(source, launch, types, block);
  }
  if (target == Target::Cuda) {
    if (ptx.empty())
      ptx = emitPtx();
    if (ptx.empty()) {
      ADD_FAILURE() << messages;
      return {};
    }
    return runOnDevice("cuda", *ref, {{"kernels.ptx", ptx}}, launch);
  }
  if (target == Target::Vulkan) {
    if (spirv.empty())
      spirv = emitSpirv();
    if (spirv.empty()) {
      ADD_FAILURE() << messages;
      return {};
    }
    return runOnDevice("vulkan", *ref, spirv, launch);
  }
  if (target == Target::WebGpu) {
    if (wgsl.empty())
      wgsl = emitWgsl();
    if (wgsl.empty()) {
      ADD_FAILURE() << messages;
      return {};
    }
    return runOnDevice("webgpu", *ref, {{"kernels.wgsl", wgsl}}, launch);
  }
  void *address = lookup(target, launch.kernel);
  if (!address) {
    ADD_FAILURE() << name(target) << " has no " << launch.kernel << "\n"
                  << messages;
    return {};
  }
  std::vector<Bytes> buffers = launch.buffers;
  std::vector<void *> pointers;
  for (Bytes &buffer : buffers)
    pointers.push_back(buffer.data());
  auto kernel = reinterpret_cast<tang::CpuKernelFn>(address);
  // In two parts, as the runtime might deal them.
  int64_t half = launch.blocks / 2;
  kernel(pointers.data(), launch.scalars.data(), half, launch.blocks);
  kernel(pointers.data(), launch.scalars.data(), 0, half);
  return buffers;
}

size_t tangtest::sizeOf(const std::string &type) {
  return llvm::StringSwitch<size_t>(type)
      .Cases({"f64", "i64", "index"}, 8)
      .Cases({"f32", "i32"}, 4)
      .Cases({"f16", "bf16", "i16"}, 2)
      .Default(1);
}

bool tangtest::isNaN(const std::string &type, const uint8_t *data) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, sizeOf(type));
  auto check = [&](uint64_t magnitude, uint64_t infinity) {
    return (bits & magnitude) > infinity;
  };
  if (type == "f64")
    return check(~uint64_t(0) >> 1, 0x7FF0000000000000);
  if (type == "f32")
    return check(0x7FFFFFFF, 0x7F800000);
  if (type == "f16")
    return check(0x7FFF, 0x7C00);
  if (type == "bf16")
    return check(0x7FFF, 0x7F80);
  if (type == "f8E5M2")
    return check(0x7F, 0x7C);
  if (type == "f8E4M3FN")
    return check(0x7F, 0x7E);
  return false;
}

/// Whether an f32 or bf16 is subnormal, or a zero that may come of one.
static bool isTiny(const std::string &type, const uint8_t *data) {
  uint32_t bits = 0;
  if (type == "f32")
    std::memcpy(&bits, data, 4);
  else if (type == "bf16")
    std::memcpy(reinterpret_cast<uint8_t *>(&bits) + 2, data, 2);
  else
    return false;
  return (bits & 0x7F800000) == 0;
}

/// WebGPU's devices may take subnormal numbers for zero: whether element `i` is
/// one in an operand or in the result that should be.
static bool mayBeFlushed(const std::string &type, const Launch &launch,
                         const Bytes &result, size_t at) {
  bool found = isTiny(type, &result[at]);
  for (const Bytes &operand : launch.buffers)
    found |= operand.size() == result.size() && isTiny(type, &operand[at]);
  return found;
}

std::vector<Bytes> tangtest::runEverywhere(Program &program,
                                           const Launch &launch,
                                           const std::string &type) {
  std::vector<Bytes> reference;
  for (Target target : program.targets()) {
    std::vector<Bytes> result = program.run(target, launch);
    if (reference.empty())
      reference = result;
    if (result.empty() || result == reference)
      continue;
    for (size_t b = 0; b < result.size(); ++b) {
      bool isLast = b + 1 == result.size() && !type.empty();
      size_t size = isLast ? sizeOf(type) : 1;
      for (size_t i = 0; i + size <= result[b].size(); i += size) {
        const uint8_t *x = &result[b][i], *y = &reference[b][i];
        if (std::memcmp(x, y, size) == 0 ||
            (isLast && isNaN(type, x) && isNaN(type, y)))
          continue;
        if (target == Target::WebGpu && isLast &&
            mayBeFlushed(type, launch, reference[b], i))
          continue;
        ADD_FAILURE() << name(target) << " differs from cpu in buffer " << b
                      << " at element " << i / size << ": " << int(x[0])
                      << " for " << int(y[0]);
        return reference;
      }
    }
  }
  return reference;
}

std::string tangtest::elementwise(const std::string &in, const std::string &out,
                                  const std::string &body, unsigned inputs,
                                  const std::string &kernel) {
  std::string text = "  gpu.func @" + kernel + "(";
  const char *names[] = {"a", "b", "c"};
  for (unsigned i = 0; i < inputs; ++i)
    text += std::string("%") + names[i] + "_buf: memref<?x" + in +
            "> {tang.name = \"" + names[i] + "\", tang.readonly}, ";
  text += "%out: memref<?x" + out +
          "> {tang.name = \"out\"}, %n: index "
          "{tang.name = \"n\"}) kernel attributes {tang.block = 1 : i64} {\n"
          "    %blk = gpu.block_id x\n"
          "    %c256 = arith.constant 256 : index\n"
          "    %c0 = arith.constant 0 : index\n"
          "    %c1 = arith.constant 1 : index\n"
          "    %base = arith.muli %blk, %c256 : index\n"
          "    %rest = arith.subi %n, %base : index\n"
          "    %count = arith.minsi %rest, %c256 : index\n"
          "    scf.for %j = %c0 to %count step %c1 {\n"
          "      %i = arith.addi %base, %j : index\n";
  for (unsigned i = 0; i < inputs; ++i)
    text += std::string("      %") + names[i] + " = memref.load %" + names[i] +
            "_buf[%i] : memref<?x" + in + ">\n";
  text += "      " + body + "\n      memref.store %r, %out[%i] : memref<?x" +
          out + ">\n    }\n    gpu.return\n  }\n";
  return text;
}

std::vector<Bytes> tangtest::runElementwise(const std::string &in,
                                            const std::string &out,
                                            const std::string &body,
                                            std::vector<Bytes> inputs,
                                            size_t count, size_t outBytes) {
  Program program("gpu.module @kernels {\n" +
                  elementwise(in, out, body, inputs.size()) + "}\n");
  EXPECT_TRUE(program.ok()) << body << "\n" << program.errors();
  if (!program.ok())
    return {};
  Launch launch;
  launch.kernel = "k";
  launch.buffers = std::move(inputs);
  launch.buffers.push_back(Bytes(count * outBytes, 0xAB));
  launch.scalars = {int64_t(count)};
  launch.blocks = (count + 255) / 256;
  return runEverywhere(program, launch, out);
}

std::string tangtest::moduleOf(const std::vector<Case> &cases) {
  std::string text = "gpu.module @kernels {\n";
  for (size_t i = 0; i < cases.size(); ++i)
    text += elementwise(cases[i].in, cases[i].out, cases[i].body,
                        cases[i].inputs, "k" + std::to_string(i));
  return text + "}\n";
}

static Launch launchOf(const Case &one, size_t i, std::vector<Bytes> inputs) {
  Launch launch;
  launch.kernel = "k" + std::to_string(i);
  size_t count = inputs[0].size() / sizeOf(one.in);
  launch.buffers = std::move(inputs);
  launch.buffers.push_back(Bytes(count * sizeOf(one.out), 0xAB));
  launch.scalars = {int64_t(count)};
  launch.blocks = (count + 255) / 256;
  return launch;
}

std::vector<Bytes> tangtest::runCases(
    const std::vector<Case> &cases,
    const std::function<std::vector<Bytes>(const Case &)> &inputs) {
  Program program(moduleOf(cases));
  EXPECT_TRUE(program.ok()) << program.errors();
  std::vector<Bytes> results;
  for (size_t i = 0; i < cases.size() && program.ok(); ++i) {
    SCOPED_TRACE(cases[i].body);
    auto buffers = runEverywhere(
        program, launchOf(cases[i], i, inputs(cases[i])), cases[i].out);
    results.push_back(buffers.empty() ? Bytes() : buffers.back());
  }
  return results;
}

std::vector<Bytes> tangtest::runCasesOn(
    Target target, Program &program, const std::vector<Case> &cases,
    const std::function<std::vector<Bytes>(const Case &)> &inputs) {
  std::vector<Bytes> results;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].body);
    auto buffers = program.run(target, launchOf(cases[i], i, inputs(cases[i])));
    results.push_back(buffers.empty() ? Bytes() : buffers.back());
  }
  return results;
}
