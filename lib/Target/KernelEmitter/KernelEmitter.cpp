//===- KernelEmitter.cpp - Kernel IR as source text -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static std::string argumentHint(FunctionOpInterface function, unsigned i) {
  if (auto name = function.getArgAttrOfType<StringAttr>(i, "tang.name"))
    return name.str();
  Type type = function.getArgumentTypes()[i];
  if (isa<MemRefType>(type))
    return "buffer" + std::to_string(i);
  StringRef letters = "xyzuvw";
  if (i < letters.size() && isa<func::FuncOp>(function))
    return std::string(1, letters[i]);
  return "arg" + std::to_string(i);
}

/// Whether `name` occurs in `text` as a word.
static bool mentions(StringRef text, StringRef name) {
  auto isWordChar = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(name); at != StringRef::npos;
       at = text.find(name, at + 1)) {
    bool startsWord = at == 0 || !isWordChar(text[at - 1]);
    size_t end = at + name.size();
    if (startsWord && (end == text.size() || !isWordChar(text[end])))
      return true;
  }
  return false;
}

LogicalResult FunctionEmitter::emitKernel(gpu::GPUFuncOp kernel,
                                          llvm::raw_ostream &stream) {
  names.enter();
  if (language.isReserved(kernel.getName()) || kernel.getName() == "main")
    return kernel.emitOpError("has a name that ")
           << language.getName() << " uses otherwise";
  kernelInfo.name = kernel.getName().str();
  kernelInfo.block = getBlockSize(kernel);
  if (auto grid = kernel->getAttrOfType<StringAttr>("tang.grid"))
    kernelInfo.grid = grid.str();
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    unsigned i = argument.getArgNumber();
    SourceArgument info;
    do
      info.name = names.take(argumentHint(kernel, i));
    while (language.hasGlobalArguments() && !globals.insert(info.name).second);
    auto memref = dyn_cast<MemRefType>(argument.getType());
    info.isBuffer = bool(memref);
    info.type = memref ? memref.getElementType() : argument.getType();
    info.isReadOnly = kernel.getArgAttr(i, "tang.readonly") != nullptr;
    if (auto dtype = kernel.getArgAttrOfType<StringAttr>(i, "tang.dtype"))
      info.dtype = dtype.str();
    if (info.isBuffer)
      dtypes[argument] = info.dtype;
    values[argument] = ValueExpr(SourceExpr{info.name});
    kernelInfo.arguments.push_back(std::move(info));
  }
  kernelInfo.blockName = names.take("block");
  kernel.walk(
      [&](gpu::BlockIdOp op) { kernelInfo.usesBlock |= !op->use_empty(); });

  std::string body;
  llvm::raw_string_ostream bodyStream(body);
  os = &bodyStream;
  names.enter();
  if (failed(emitBlock(kernel.getBody().front())))
    return failure();
  for (SourceArgument &argument : kernelInfo.arguments)
    argument.isUsed = mentions(body, argument.name);
  kernelInfo.usesBlock = mentions(body, kernelInfo.blockName);
  SourceExpr blockId = language.blockId(kernelInfo);
  std::string blockLine;
  if (kernelInfo.usesBlock && blockId.text != kernelInfo.blockName)
    blockLine = "  " +
                language.declare(IndexType::get(kernel.getContext()), false,
                                 kernelInfo.blockName, blockId.text, true) +
                ";\n";
  os = &stream;
  indent = 0;
  comment(kernel);
  for (SourceHelper &helper : language.kernelHelpers(kernelInfo))
    helpers[helper.name] = helper;
  language.emitKernelHeader(stream, kernelInfo);
  stream << blockLine << body;
  language.emitKernelFooter(stream, kernelInfo);
  return success();
}

LogicalResult FunctionEmitter::emitHelper(func::FuncOp helper,
                                          llvm::raw_ostream &stream) {
  if (helper.getNumResults() > 1)
    return helper.emitOpError("returns several values, which ")
           << language.getName() << " functions do not";
  names.enter();
  SmallVector<SourceArgument> arguments;
  for (BlockArgument argument : helper.getArguments()) {
    SourceArgument info;
    info.name = names.take(argumentHint(helper, argument.getArgNumber()));
    info.type = argument.getType();
    values[argument] = ValueExpr(SourceExpr{info.name});
    arguments.push_back(std::move(info));
  }
  std::string body;
  llvm::raw_string_ostream bodyStream(body);
  os = &bodyStream;
  names.enter();
  if (failed(emitBlock(helper.getBody().front())))
    return failure();
  os = &stream;
  indent = 0;
  comment(helper);
  stream << language.helperHeader(helper.getSymName(),
                                  helper.getFunctionType().getResults(),
                                  arguments)
         << " {\n";
  for (const SourceArgument &argument : arguments)
    if (!mentions(body, argument.name))
      stream << language.markUnused(argument.name);
  stream << body << "}\n";
  return success();
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

namespace {

/// The helpers that kernels call, each after those that it calls.
class HelperOrder {
public:
  LogicalResult visit(Operation *function, SymbolTable &symbols) {
    WalkResult walk = function->walk([&](func::CallOp call) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee) {
        call.emitOpError("calls a function that its gpu.module does not have");
        return WalkResult::interrupt();
      }
      StringRef name = callee.getSymName();
      auto [it, isNew] = state.try_emplace(name, Active);
      if (!isNew) {
        if (it->second == Active) {
          call.emitOpError("is recursive, which kernels cannot be");
          return WalkResult::interrupt();
        }
        return WalkResult::advance();
      }
      if (failed(visit(callee, symbols)))
        return WalkResult::interrupt();
      state[name] = Done;
      order.push_back(callee);
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  SmallVector<func::FuncOp> order;

private:
  enum State { Active, Done };
  llvm::StringMap<State> state;
};

} // namespace

/// Erases operations whose results nobody uses, so that the source has no
/// unused variables.
static void eraseDeadOps(Operation *function) {
  function->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    bool isLoad = isa<memref::LoadOp>(op);
    if (op->use_empty() && op->getNumResults() > 0 && (isLoad || isPure(op)))
      op->erase();
  });
}

/// Gives each use of a magnitude its own, as a test for infinity is one
/// function.
static void isolateMagnitudes(Operation *function) {
  SmallVector<math::AbsFOp> magnitudes;
  function->walk([&](math::AbsFOp op) { magnitudes.push_back(op); });
  for (math::AbsFOp op : magnitudes) {
    if (!llvm::all_of(op->getUsers(), llvm::IsaPred<arith::CmpFOp>))
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      OpBuilder b(use.getOwner());
      use.set(b.clone(*op)->getResult(0));
    }
    op->erase();
  }
}

static bool usesDouble(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        auto isDouble = [](Type type) {
          if (auto memref = dyn_cast<MemRefType>(type))
            type = memref.getElementType();
          return type.isF64();
        };
        bool found = llvm::any_of(inner->getOperandTypes(), isDouble) ||
                     llvm::any_of(inner->getResultTypes(), isDouble);
        if (auto function = dyn_cast<FunctionOpInterface>(inner))
          found |= llvm::any_of(function.getArgumentTypes(), isDouble);
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LogicalResult mlir::tang::emitKernelSource(ModuleOp module,
                                           const SourceLanguage &language,
                                           llvm::raw_ostream &os) {
  std::map<std::string, SourceHelper> sourceHelpers;
  std::string functions, kernels;
  llvm::raw_string_ostream kernelStream(kernels);
  HelperOrder helpers;
  llvm::StringSet<> kernelNames, globals;
  bool needsDouble = false;
  module.walk([&](Operation *op) {
    if (isa<gpu::GPUFuncOp, func::FuncOp>(op))
      globals.insert(SymbolTable::getSymbolName(op).getValue());
  });
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>()) {
    SymbolTable symbols(gpuModule);
    for (auto kernel : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!kernelNames.insert(kernel.getName()).second)
        return kernel.emitOpError("has the name of another kernel");
      if (failed(helpers.visit(kernel, symbols)))
        return failure();
      needsDouble |= usesDouble(kernel);
      OwningOpRef<gpu::GPUFuncOp> copy(cast<gpu::GPUFuncOp>(kernel->clone()));
      if (language.serializesThreads())
        serializeThreads(*copy);
      eraseDeadOps(*copy);
      isolateMagnitudes(*copy);
      kernelStream << "\n";
      FunctionEmitter emitter(language, sourceHelpers, globals);
      if (failed(emitter.emitKernel(*copy, kernelStream)))
        return failure();
    }
  }
  // Backwards, as a function of type emulation may need no other any more, and
  // where the language stores a type itself nobody may call it.
  SmallVector<std::string> texts;
  std::string after = kernels;
  for (func::FuncOp helper : llvm::reverse(helpers.order)) {
    if (!mentions(after, helper.getSymName()))
      continue;
    std::string text;
    if (auto own = language.nativeHelper(helper.getSymName())) {
      text = own->text;
    } else {
      needsDouble |= usesDouble(helper);
      llvm::raw_string_ostream textStream(text);
      OwningOpRef<func::FuncOp> copy(cast<func::FuncOp>(helper->clone()));
      eraseDeadOps(*copy);
      FunctionEmitter emitter(language, sourceHelpers, globals);
      if (failed(emitter.emitHelper(*copy, textStream)))
        return failure();
    }
    after += text;
    texts.push_back(std::move(text));
  }
  for (const std::string &text : llvm::reverse(texts))
    functions += "\n" + text;
  language.emitPreamble(os, needsDouble);
  for (auto &[name, helper] : sourceHelpers)
    os << "\n" << helper.text;
  os << functions << kernels;
  return success();
}
