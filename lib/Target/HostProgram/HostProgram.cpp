//===- HostProgram.cpp - The host side of a bundle -------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/HostProgram.h"
#include "FunctionExporter.h"
#include "TensorMapEntry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace mlir::tang;
using llvm::json::Array;
using llvm::json::Object;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Appends the low `bytes` bytes of `bits`, little-endian.
static void appendBits(std::string &out, const APInt &bits, int64_t bytes) {
  uint64_t value = bits.getRawData()[0];
  for (int64_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

/// Bytes of an element in a buffer: i1 and i4 take one, index eight.
static int64_t storageBytes(Type type) {
  return type.isIndex() ? 8 : (type.getIntOrFloatBitWidth() + 7) / 8;
}

static LogicalResult appendConstant(std::string &out, memref::GlobalOp global,
                                    ElementsAttr value) {
  Type element = value.getElementType();
  int64_t bytes = storageBytes(element), count = value.getNumElements();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob)
      return global.emitError("the resource of this constant is missing");
    ArrayRef<char> data = blob->getData();
    if (static_cast<int64_t>(data.size()) != bytes * count ||
        element.isInteger(4))
      return global.emitError("the resource of this constant has ")
             << data.size() << " bytes, expected " << bytes * count;
    out.append(data.begin(), data.end());
    return success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return global.emitError("constants are dense or resources");
  auto append = [&](const APInt &bits) {
    // i4 is kept sign-extended, i1 as 0 or 1.
    appendBits(out, element.isInteger(4) ? bits.sext(8) : bits.zextOrTrunc(64),
               bytes);
  };
  if (isa<FloatType>(element)) {
    for (const APFloat &f : dense.getValues<APFloat>())
      append(f.bitcastToAPInt());
  } else {
    for (const APInt &i : dense.getValues<APInt>())
      append(i);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// What no schedule can beat, as `--tang-floor` found it (docs/Floor.md).
static Object describeFloor(DictionaryAttr floor) {
  Object entry;
  for (NamedAttribute field : floor) {
    StringRef name = field.getName();
    if (auto text = dyn_cast<StringAttr>(field.getValue()))
      entry[name] = text.str();
    else if (auto real = dyn_cast<FloatAttr>(field.getValue()))
      entry[name] = real.getValueAsDouble();
    else if (auto number = dyn_cast<IntegerAttr>(field.getValue()))
      entry[name] = number.getInt();
  }
  Object terms;
  if (auto all = floor.getAs<DictionaryAttr>("terms"))
    for (NamedAttribute term : all)
      if (auto facts = dyn_cast<DenseI64ArrayAttr>(term.getValue());
          facts && facts.size() == 3)
        terms[term.getName().getValue()] = Object{
            {"amount", facts[0]}, {"peak", facts[1]}, {"scheduled", facts[2]}};
  entry["terms"] = std::move(terms);
  return entry;
}

static FailureOr<Object> describeKernel(gpu::GPUFuncOp kernel,
                                        const HostProgramOptions &options) {
  Array buffers, scalars, maps;
  for (BlockArgument arg : kernel.getArguments()) {
    unsigned i = arg.getArgNumber();
    if (isa<LLVM::LLVMPointerType>(arg.getType())) {
      FailureOr<Object> map = describeTensorMap(kernel, i);
      if (failed(map))
        return failure();
      maps.push_back(std::move(*map));
      continue;
    }
    // The driver takes arguments by position.
    if (!maps.empty() || (isa<MemRefType>(arg.getType()) && !scalars.empty()))
      return kernel.emitOpError("argument ")
             << i << " is out of order: buffers come first, then scalars, "
             << "then tensor maps";
    auto name = kernel.getArgAttrOfType<StringAttr>(i, "tang.name");
    std::string text = name ? name.str() : "arg" + std::to_string(i);
    // Type emulation keeps what the buffer held before.
    auto declared = kernel.getArgAttrOfType<TypeAttr>(i, "tang.type");
    Type type = declared ? declared.getValue() : arg.getType();
    if (auto memref = dyn_cast<MemRefType>(type)) {
      bool readonly = bool(kernel.getArgAttr(i, "tang.readonly"));
      buffers.push_back(Object{{"name", text},
                               {"dtype", dtypeName(memref.getElementType())},
                               {"readonly", readonly}});
      continue;
    }
    scalars.push_back(Object{{"name", text}, {"type", dtypeName(type)}});
  }
  auto number = [&](StringRef attribute, int64_t otherwise) {
    auto attr = kernel->getAttrOfType<IntegerAttr>(attribute);
    return attr ? attr.getInt() : otherwise;
  };
  auto comment = kernel->getAttrOfType<StringAttr>("tang.comment");
  Object entry{{"name", kernel.getName().str()},
               {"block", Array{number("tang.block", 1), 1, 1}},
               {"shared_bytes", number("tang.shared", 0)},
               {"buffers", std::move(buffers)},
               {"scalars", std::move(scalars)},
               {"comment", comment ? comment.str() : ""}};
  if (!options.kernelFile.empty())
    entry["file"] = options.kernelFile;
  if (int64_t cluster = number("tang.cluster", 1); cluster != 1)
    entry["cluster"] = cluster;
  if (kernel->hasAttr("tang.dependent_launch"))
    entry["dependent_launch"] = true;
  if (!maps.empty())
    entry["tensor_maps"] = std::move(maps);
  if (auto flops = kernel->getAttrOfType<IntegerAttr>("tang.flops"))
    entry["flops"] = flops.getInt();
  if (auto floor = kernel->getAttrOfType<DictionaryAttr>("tang.floor"))
    entry["floor"] = describeFloor(floor);
  return entry;
}

//===----------------------------------------------------------------------===//
// The manifest, and its text for people
//===----------------------------------------------------------------------===//

/// One line an instruction, indented by nesting: `%5 = alloc f32 [16, %2]`.
static void printBody(llvm::raw_ostream &os, const Array &body, int indent) {
  for (const llvm::json::Value &value : body) {
    const Object &instruction = *value.getAsObject();
    os.indent(indent);
    if (const llvm::json::Value *dst = instruction.get("dst"))
      os << *dst->getAsString() << " = ";
    os << *instruction.getString("op");
    SmallVector<const Array *> nested;
    for (auto &field : instruction) {
      StringRef key = field.first;
      if (key == "op" || key == "dst" || key == "loc")
        continue;
      if (key == "body" || key == "then" || key == "else" || key == "before" ||
          key == "after") {
        nested.push_back(field.second.getAsArray());
        continue;
      }
      os << " " << key << "=" << field.second;
    }
    os << "\n";
    for (const Array *inner : nested)
      printBody(os, *inner, indent + 2);
  }
}

static std::string formatManifest(const llvm::json::Value &manifest) {
  return llvm::formatv("{0:2}\n", manifest).str();
}

FailureOr<HostProgram>
mlir::tang::exportHostProgram(ModuleOp module,
                              const HostProgramOptions &options) {
  HostProgram program;
  Array functions, kernels, launches, constants;
  llvm::raw_string_ostream text(program.text);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    FunctionExporter exporter(function);
    FailureOr<Object> entry = exporter.run();
    if (failed(entry))
      return failure();
    for (const FunctionExporter::Launch &launch : exporter.getLaunches())
      launches.push_back(Object{{"function", function.getSymName().str()},
                                {"kernel", launch.kernel},
                                {"once", launch.once}});
    text << "function " << function.getSymName() << "\n";
    printBody(text, *entry->getArray("body"), 2);
    functions.push_back(std::move(*entry));
  }
  for (auto container : module.getOps<gpu::GPUModuleOp>())
    for (auto kernel : container.getOps<gpu::GPUFuncOp>()) {
      FailureOr<Object> entry = describeKernel(kernel, options);
      if (failed(entry))
        return failure();
      kernels.push_back(std::move(*entry));
    }
  for (auto global : module.getOps<memref::GlobalOp>()) {
    auto value = dyn_cast_or_null<ElementsAttr>(
        global.getInitialValue().value_or(Attribute()));
    if (!value)
      return global.emitError("a constant without a value"), failure();
    program.constants.resize(llvm::alignTo(program.constants.size(), 64));
    size_t offset = program.constants.size();
    if (failed(appendConstant(program.constants, global, value)))
      return failure();
    Array shape;
    for (int64_t size : global.getType().getShape())
      shape.push_back(size);
    constants.push_back(Object{
        {"id", global.getSymName().str()},
        {"dtype", dtypeName(global.getType().getElementType())},
        {"shape", std::move(shape)},
        {"offset", static_cast<int64_t>(offset)},
        {"bytes", static_cast<int64_t>(program.constants.size() - offset)}});
  }
  llvm::json::Value manifest = Object{{"tang", 1},
                                      {"target", options.target},
                                      {"numerics", options.numerics},
                                      {"functions", std::move(functions)},
                                      {"kernels", std::move(kernels)},
                                      {"launches", std::move(launches)},
                                      {"constants", std::move(constants)}};
  program.manifest = formatManifest(manifest);
  return program;
}

void mlir::tang::addKernelFacts(std::string &manifest, StringRef name,
                                ArrayRef<std::pair<StringRef, int64_t>> facts) {
  llvm::json::Value root = llvm::cantFail(llvm::json::parse(manifest));
  for (llvm::json::Value &kernel : *root.getAsObject()->getArray("kernels"))
    if (Object &entry = *kernel.getAsObject(); entry.getString("name") == name)
      for (auto [fact, value] : facts)
        entry[fact] = value;
  manifest = formatManifest(root);
}
