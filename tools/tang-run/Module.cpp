//===- Module.cpp - Reading a module and its signature -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"

#include "Tang/InitAll.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tang_rt;

namespace tang_run {

Module::Module() {
  DialectRegistry registry;
  mlir::tang::registerAllTangDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
  // Frontends leave attributes of dialects that are not loaded here; an
  // operation of an unknown dialect is the importer's to refuse.
  context->allowUnregisteredDialects();
  context->printOpOnDiagnostic(false);
  handler =
      std::make_unique<SourceMgrDiagnosticHandler>(sources, context.get());
  context->getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
    Progress::clearLine();
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      ++errors;
    return failure(); // On to the handler that prints.
  });
}

Module::~Module() = default;

bool Module::read(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path);
  if (!buffer)
    return fail(path + ": " + buffer.getError().message());
  if (!isBytecode(**buffer) && (*buffer)->getBuffer().contains('\0'))
    return fail(path + ": neither MLIR text or bytecode nor a bundle");
  sources.AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());
  ParserConfig config(context.get());
  module = parseSourceFile<ModuleOp>(sources, config);
  if (module)
    return true;
  return errors ? false : fail(path + ": cannot be parsed");
}

static std::optional<DType> elementType(Type type) {
  if (type.isIndex())
    return DType::Index;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 64:
      return DType::I64;
    case 32:
      return DType::I32;
    case 16:
      return DType::I16;
    case 8:
      return DType::I8;
    case 4:
      return DType::I4;
    case 1:
      return DType::I1;
    default:
      return std::nullopt;
    }
  }
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (isa<Float8E4M3FNType>(type))
    return DType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return DType::F8E5M2;
  return std::nullopt;
}

namespace {
/// What describing a type of the signature came to.
enum class Described { Good, Error, Unknown };
} // namespace

static Described describeType(Type type, bool mustKnow,
                              function_ref<InFlightDiagnostic()> emitError,
                              TensorSpec &spec) {
  if (isa<UnrankedTensorType>(type)) {
    emitError() << " is an unranked tensor (" << type
                << "); only ranked ones are supported";
    return Described::Error;
  }
  Type element = type;
  spec.scalar = true;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    spec.scalar = false;
    for (int64_t size : tensor.getShape())
      spec.shape.push_back(ShapedType::isDynamic(size) ? kDynamic : size);
  } else if (!mustKnow && !type.isIntOrIndexOrFloat()) {
    return Described::Unknown;
  }
  std::optional<DType> dtype = elementType(element);
  if (!dtype) {
    emitError() << " has type " << type << ", which is not supported";
    return Described::Error;
  }
  spec.dtype = *dtype;
  return Described::Good;
}

bool Module::describe(const std::string &name, bool mustKnow,
                      std::optional<FunctionInfo> &info) {
  info.reset();
  std::vector<FunctionInfo> candidates;
  SmallVector<FunctionOpInterface> operations;
  for (auto function : module->getOps<FunctionOpInterface>()) {
    // A private function may be named, but is not the only one to run.
    if (function.isExternal() || (name.empty() && !function.isPublic()))
      continue;
    FunctionInfo candidate;
    candidate.name = function.getName().str();
    candidates.push_back(std::move(candidate));
    operations.push_back(function);
  }
  if (candidates.empty() && !mustKnow)
    return true;
  std::string why;
  int found = findFunction(candidates, name, why);
  if (found < 0)
    return fail(why);
  FunctionOpInterface function = operations[size_t(found)];
  FunctionInfo described;
  described.name = candidates[size_t(found)].name;
  bool known = true;
  auto add = [&](Type type, function_ref<InFlightDiagnostic()> emitError,
                 TensorSpec spec, std::vector<TensorSpec> &list) {
    Described outcome = describeType(type, mustKnow, emitError, spec);
    known &= outcome == Described::Good;
    list.push_back(std::move(spec));
    return outcome != Described::Error;
  };
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    TensorSpec spec;
    spec.name = "arg" + std::to_string(i);
    Location loc = function.getArgument(unsigned(i)).getLoc();
    if (!add(
            type,
            [&, i = i] {
              return emitError(loc)
                     << "argument " << i << " of '" << described.name << "'";
            },
            std::move(spec), described.inputs))
      return false;
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    if (!add(
            type,
            [&, i = i] {
              return emitError(function.getLoc())
                     << "result " << i << " of '" << described.name << "'";
            },
            TensorSpec(), described.outputs))
      return false;
  if (known)
    info = std::move(described);
  return true;
}

} // namespace tang_run
