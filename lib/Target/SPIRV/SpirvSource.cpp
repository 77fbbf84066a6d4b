//===- SpirvSource.cpp - SPIR-V as GLSL and Metal source ------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPIRV-Cross turns one kernel at a time into text. Names that MLIR's SPIR-V
// dialect has no place for, those of a block's members, are given to it here.
//
//===----------------------------------------------------------------------===//

#include "SpirvImpl.h"

#include "Tang/Target/KernelEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cstring>
#include <spirv_cross_c.h>

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// One kernel
//===----------------------------------------------------------------------===//

/// Names a kernel's blocks and their members: `x.data[i]`, `args.n`. Types are
/// called `prefix` and the name of the buffer.
static void nameBlocks(spvc_compiler compiler, gpu::GPUFuncOp kernel,
                       const std::string &prefix) {
  spvc_resources resources;
  spvc_compiler_create_shader_resources(compiler, &resources);
  ArgumentBlock block = layoutArguments(kernel);
  unsigned numBuffers =
      llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  auto list = [&](spvc_resource_type type) {
    const spvc_reflected_resource *items = nullptr;
    size_t count = 0;
    spvc_resources_get_resource_list_for_type(resources, type, &items, &count);
    return ArrayRef(items, count);
  };
  auto nameArguments = [&](const spvc_reflected_resource &resource) {
    spvc_compiler_set_name(compiler, resource.base_type_id,
                           (prefix + "Arguments").c_str());
    for (auto [i, slot] : llvm::enumerate(block.slots))
      spvc_compiler_set_member_name(compiler, resource.base_type_id, i,
                                    slot.name.c_str());
  };
  for (const auto &push : list(SPVC_RESOURCE_TYPE_PUSH_CONSTANT))
    nameArguments(push);
  for (const auto &buffer : list(SPVC_RESOURCE_TYPE_STORAGE_BUFFER)) {
    unsigned binding =
        spvc_compiler_get_decoration(compiler, buffer.id, SpvDecorationBinding);
    if (binding == numBuffers) {
      nameArguments(buffer);
      continue;
    }
    std::string name = spvc_compiler_get_name(compiler, buffer.id);
    spvc_compiler_set_name(compiler, buffer.base_type_id,
                           (prefix + name + "_buffer").c_str());
    spvc_compiler_set_member_name(compiler, buffer.base_type_id, 0, "data");
  }
}

/// Metal's buffers have the numbers that the bindings have, and the block of
/// arguments the next.
static void bindMetalBuffers(spvc_compiler compiler, gpu::GPUFuncOp kernel) {
  unsigned numBuffers =
      llvm::count_if(kernel.getArgumentTypes(), llvm::IsaPred<MemRefType>);
  for (unsigned i = 0; i <= numBuffers; ++i) {
    spvc_msl_resource_binding binding;
    spvc_msl_resource_binding_init(&binding);
    binding.stage = SpvExecutionModelGLCompute;
    bool isPush = i == numBuffers && layoutArguments(kernel).isPushConstant();
    binding.desc_set = isPush ? SPVC_MSL_PUSH_CONSTANT_DESC_SET : 0;
    binding.binding = isPush ? SPVC_MSL_PUSH_CONSTANT_BINDING : i;
    binding.msl_buffer = i;
    spvc_compiler_msl_add_resource_binding(compiler, &binding);
  }
}

/// Gives local arrays, which are the function's variables in the order of the
/// kernel, the names that they have there.
static void nameLocals(spvc_compiler compiler, gpu::GPUFuncOp kernel,
                       ArrayRef<SpvId> words) {
  SmallVector<SpvId> variables;
  for (size_t at = 5; at < words.size();) {
    size_t count = words[at] >> SpvWordCountShift;
    if (!count || at + count > words.size())
      return;
    if ((words[at] & SpvOpCodeMask) == SpvOpVariable && count >= 4 &&
        words[at + 3] == SpvStorageClassFunction)
      variables.push_back(words[at + 2]);
    at += count;
  }
  SmallVector<memref::AllocaOp> arrays;
  kernel.walk([&](memref::AllocaOp array) { arrays.push_back(array); });
  // Branches and loops with results have variables besides.
  if (variables.size() != arrays.size())
    return;
  for (auto [variable, array] : llvm::zip(variables, arrays))
    if (auto name = array->getAttrOfType<StringAttr>("tang.name"))
      spvc_compiler_set_name(compiler, variable, name.str().c_str());
}

static FailureOr<std::string> crossCompile(gpu::GPUFuncOp kernel,
                                           StringRef binary,
                                           spvc_backend backend,
                                           const std::string &prefix = "") {
  spvc_context context = nullptr;
  if (spvc_context_create(&context) != SPVC_SUCCESS)
    return kernel.emitError("SPIRV-Cross does not start");
  llvm::scope_exit destroy([&] { spvc_context_destroy(context); });
  // The library takes words.
  std::vector<SpvId> words(binary.size() / sizeof(SpvId));
  std::memcpy(words.data(), binary.data(), binary.size());
  spvc_parsed_ir parsed = nullptr;
  spvc_compiler compiler = nullptr;
  spvc_compiler_options options = nullptr;
  const char *source = nullptr;
  auto run = [&] {
    if (spvc_context_parse_spirv(context, words.data(), words.size(),
                                 &parsed) != SPVC_SUCCESS ||
        spvc_context_create_compiler(context, backend, parsed,
                                     SPVC_CAPTURE_MODE_TAKE_OWNERSHIP,
                                     &compiler) != SPVC_SUCCESS ||
        spvc_compiler_create_compiler_options(compiler, &options) !=
            SPVC_SUCCESS)
      return false;
    if (backend == SPVC_BACKEND_GLSL) {
      spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_GLSL_VERSION,
                                     450);
      spvc_compiler_options_set_bool(
          options, SPVC_COMPILER_OPTION_GLSL_VULKAN_SEMANTICS, SPVC_TRUE);
    } else {
      // The first with 64-bit integers in buffers is 2.2.
      spvc_compiler_options_set_uint(options, SPVC_COMPILER_OPTION_MSL_VERSION,
                                     SPVC_MAKE_MSL_VERSION(2, 3, 0));
      spvc_compiler_options_set_bool(
          options, SPVC_COMPILER_OPTION_MSL_FORCE_NATIVE_ARRAYS, SPVC_TRUE);
      bindMetalBuffers(compiler, kernel);
    }
    nameBlocks(compiler, kernel, prefix);
    nameLocals(compiler, kernel, words);
    return spvc_compiler_install_compiler_options(compiler, options) ==
               SPVC_SUCCESS &&
           spvc_compiler_compile(compiler, &source) == SPVC_SUCCESS;
  };
  if (!run())
    return kernel.emitError("SPIRV-Cross: ")
           << spvc_context_get_last_error_string(context);
  return tidyLoops(source);
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// What a reader wants to know of a kernel before its text.
static std::string describe(gpu::GPUFuncOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// " << kernel.getName() << "(";
  llvm::ListSeparator comma;
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    os << comma;
    Type type = kernel.getArgument(i).getType();
    auto memref = dyn_cast<MemRefType>(type);
    if (auto dtype = kernel.getArgAttrOfType<StringAttr>(i, "tang.dtype"))
      os << dtype.getValue();
    else if (memref)
      os << memref.getElementType();
    else
      os << type;
    os << " " << argumentName(kernel, i) << (memref ? "[]" : "");
  }
  os << ")\n";
  if (auto comment = kernel->getAttrOfType<StringAttr>("tang.comment")) {
    SmallVector<StringRef> lines;
    comment.getValue().split(lines, '\n');
    for (StringRef line : lines)
      os << "// " << line << "\n";
  }
  os << "// " << getBlockSize(kernel)
     << " invocations a workgroup; args.blocks workgroups, in rows of at most "
        "65535\n";
  return text;
}

FailureOr<std::string> mlir::tang::emitGlsl(ModuleOp module,
                                            const SpirvOptions &options) {
  auto kernels = collectKernels(module);
  auto binaries = emitSpirvKernels(module, options);
  if (failed(kernels) || failed(binaries))
    return failure();
  // Each of SPIRV-Cross's texts begins with it; only comments may be before.
  const StringRef version = "#version 450\n";
  std::string first, rest;
  for (auto [i, kernel] : llvm::enumerate(*kernels)) {
    FailureOr<std::string> source =
        crossCompile(kernel, (*binaries)[i].second, SPVC_BACKEND_GLSL);
    if (failed(source))
      return failure();
    StringRef body = *source;
    body.consume_front(version);
    std::string text = describe(kernel) + body.str();
    if (i == 0)
      first = std::move(text);
    else
      rest += (i == 1 ? "#if" : "#elif") + std::string(" defined(KERNEL_") +
              kernel.getName().str() + ")\n" + text + "\n";
  }
  std::string file = version.str() + "\n";
  if (rest.empty())
    return file + first;
  return file + rest + "#else // KERNEL_" + kernels->front().getName().str() +
         "\n" + first + "#endif\n";
}

/// Appends the declarations of `text` that `seen` lacks, by the name of what
/// they declare: kernels of one file share functions.
static void addDeclarations(StringRef text, llvm::StringSet<> &seen,
                            std::string &file) {
  SmallVector<StringRef> parts;
  text.split(parts, "\n\n", /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    StringRef head = part.take_front(part.find("\n{"));
    head = head.substr(head.rfind('\n') + 1); // From 0 if there is none.
    if (seen.insert(head.take_front(head.find('('))).second)
      file += "\n" + part.trim('\n').str() + "\n";
  }
}

FailureOr<std::string> mlir::tang::emitMetal(ModuleOp module,
                                             const SpirvOptions &options) {
  auto kernels = collectKernels(module);
  auto binaries = emitSpirvKernels(module, options);
  if (failed(kernels) || failed(binaries))
    return failure();
  // What all of SPIRV-Cross's texts begin with.
  const StringRef prologue = "#include <metal_stdlib>\n"
                             "#include <simd/simd.h>\n\n"
                             "using namespace metal;\n";
  std::string file = prologue.str() + "\n// Compile without fast math.\n"
                                      "#pragma clang fp contract(off)\n";
  llvm::StringSet<> seen;
  for (auto [i, kernel] : llvm::enumerate(*kernels)) {
    std::string prefix =
        kernels->size() > 1 ? kernel.getName().str() + "_" : "";
    FailureOr<std::string> source =
        crossCompile(kernel, (*binaries)[i].second, SPVC_BACKEND_MSL, prefix);
    if (failed(source))
      return failure();
    StringRef body = *source;
    if (size_t at = body.find(prologue); at != StringRef::npos)
      body = body.drop_front(at + prologue.size());
    size_t start = body.find("kernel void ");
    addDeclarations(body.take_front(start), seen, file);
    file += "\n" + describe(kernel) + body.substr(start).rtrim().str() + "\n";
  }
  return file;
}
