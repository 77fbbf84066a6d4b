//===- Libdevice.cpp - Functions from CUDA's libdevice --------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Libdevice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Transforms/IPO/Internalize.h"

using namespace mlir;
using namespace mlir::tang;

/// The C name of the function that an operation is, or empty.
static StringRef functionOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::AcosOp) { return "acos"; })
      .Case([](math::AcoshOp) { return "acosh"; })
      .Case([](math::AsinOp) { return "asin"; })
      .Case([](math::AsinhOp) { return "asinh"; })
      .Case([](math::AtanOp) { return "atan"; })
      .Case([](math::Atan2Op) { return "atan2"; })
      .Case([](math::AtanhOp) { return "atanh"; })
      .Case([](math::CbrtOp) { return "cbrt"; })
      .Case([](math::CosOp) { return "cos"; })
      .Case([](math::CoshOp) { return "cosh"; })
      .Case([](math::ErfOp) { return "erf"; })
      .Case([](math::ErfcOp) { return "erfc"; })
      .Case([](math::ExpOp) { return "exp"; })
      .Case([](math::Exp2Op) { return "exp2"; })
      .Case([](math::ExpM1Op) { return "expm1"; })
      .Case([](math::LogOp) { return "log"; })
      .Case([](math::Log10Op) { return "log10"; })
      .Case([](math::Log1pOp) { return "log1p"; })
      .Case([](math::Log2Op) { return "log2"; })
      .Case([](math::PowFOp) { return "pow"; })
      .Case([](math::SinOp) { return "sin"; })
      .Case([](math::SinhOp) { return "sinh"; })
      .Case([](math::TanOp) { return "tan"; })
      .Case([](math::TanhOp) { return "tanh"; })
      .Case([](arith::RemFOp) { return "fmod"; })
      .Default([](Operation *) { return ""; });
}

void mlir::tang::callLibdevice(ModuleOp module) {
  module.walk([&](Operation *op) {
    StringRef function = functionOf(op);
    if (function.empty())
      return;
    Type type = op->getResult(0).getType();
    if (!type.isF32() && !type.isF64())
      return; // Not kernel IR; refused later.
    std::string name = ("__nv_" + function + (type.isF32() ? "f" : "")).str();
    auto callee = module.lookupSymbol<func::FuncOp>(name);
    if (!callee) {
      OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
      callee = func::FuncOp::create(
          b, op->getLoc(), name,
          b.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
      callee.setPrivate();
    }
    OpBuilder b(op);
    auto call =
        func::CallOp::create(b, op->getLoc(), callee, op->getOperands());
    op->replaceAllUsesWith(call);
    op->erase();
  });
}

LogicalResult mlir::tang::linkLibdevice(Location loc, llvm::Module &module,
                                        const PtxOptions &options) {
  std::string needed;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      needed = function.getName();
  if (needed.empty())
    return success();
  std::string path = options.libdevice.empty()
                         ? findCudaFile("nvvm/libdevice/libdevice.10.bc")
                         : options.libdevice;
  if (path.empty())
    return emitError(loc) << "the kernels call " << needed
                          << ", and CUDA's libdevice.10.bc, which has it, was "
                             "not found; set CUDA_HOME to the toolkit";
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> library =
      llvm::parseIRFile(path, diagnostic, module.getContext());
  if (!library)
    return emitError(loc) << "cannot read " << path << ": "
                          << diagnostic.getMessage();
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  auto internalize = [](llvm::Module &linked, const llvm::StringSet<> &added) {
    llvm::internalizeModule(linked, [&](const llvm::GlobalValue &value) {
      return !value.hasName() || !added.contains(value.getName());
    });
  };
  if (llvm::Linker::linkModules(module, std::move(library),
                                llvm::Linker::LinkOnlyNeeded, internalize))
    return emitError(loc) << "cannot link " << path;
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with("__nv_"))
      return emitError(loc) << path << " lacks " << function.getName();
  return success();
}
