//===- Check.cpp - What no importer can read ------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Dialect/TangDialect.h"
#include "Tang/Frontend/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tang {
#define GEN_PASS_DEF_IMPORTCHECK
#include "Tang/Frontend/Passes.h.inc"
} // namespace mlir::tang

using namespace mlir;
using namespace mlir::tang;

namespace {

constexpr StringLiteral supportedTypes =
    "Tang has f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i64, i32, i16, i8, i4, i1 "
    "and index";

bool isSupportedScalar(Type type) {
  if (isa<Float64Type, Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType,
          Float8E5M2Type, IndexType>(type))
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.isSignless() &&
         llvm::is_contained({1u, 4u, 8u, 16u, 32u, 64u}, integer.getWidth());
}

/// Why values of `type` cannot be imported; empty if they can, or if it is a
/// type of a frontend that conversion may remove.
std::string whyNot(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<UnrankedTensorType>(type)) {
    os << type << " is unranked; only ranked tensors are supported";
    return text;
  }
  if (isa<BaseMemRefType>(type)) {
    os << type << " is a buffer; only tensors are imported";
    return text;
  }
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    if (tensor.getEncoding()) {
      os << type << " has an encoding; only dense tensors are supported";
      return text;
    }
    if (tensor.getRank() > 8) {
      os << type << " has more than 8 dimensions";
      return text;
    }
  } else if (!isa<FloatType, IntegerType, ComplexType, VectorType>(type)) {
    return text;
  }
  if (!isSupportedScalar(element))
    os << (isa<ComplexType>(element)  ? "complex numbers are"
           : isa<VectorType>(element) ? "vectors are"
                                      : "this element type is")
       << " not supported: " << type << "; " << supportedTypes;
  return text;
}

/// Why a constant kept in a resource cannot be read; empty if it can.
std::string whyNotResource(Operation *op) {
  DenseResourceElementsAttr attr;
  if (!matchPattern(op, m_Constant(&attr)))
    return "";
  std::string name =
      ("its resource '" + attr.getRawHandle().getKey() + "'").str();
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob)
    return name + " has no data";
  ShapedType type = attr.getType();
  Type element = type.getElementType();
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  size_t want = type.getNumElements() * llvm::divideCeil(width, 8);
  if (width % 8 == 0 && blob->getData().size() != want)
    return name + " has " + std::to_string(blob->getData().size()) +
           " bytes of data, not " + std::to_string(want);
  return "";
}

struct ImportCheckPass : mlir::tang::impl::ImportCheckBase<ImportCheckPass> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dropForeignAttributes(module);
    module.walk([&](func::FuncOp func) {
      dropForeignAttributes(func);
      func.setNoInline(false);
      checkSignature(func);
    });
    if (!failed) {
      checkOperations(module);
      checkCalls(module);
    }
    if (failed)
      signalPassFailure();
  }

private:
  void report(Location loc, const Twine &message) {
    if (allowPartial) {
      emitRemark(loc) << "tang-import: " << message;
      return;
    }
    emitError(loc) << "tang-import: " << message;
    failed = true;
  }

  bool isForeign(NamedAttribute attr) {
    StringRef prefix = attr.getName().strref().split('.').first;
    return attr.getName().strref().contains('.') &&
           !getContext().getLoadedDialect(prefix);
  }

  DictionaryAttr withoutForeign(DictionaryAttr attrs) {
    if (!attrs)
      return attrs;
    SmallVector<NamedAttribute> kept;
    llvm::copy_if(attrs, std::back_inserter(kept),
                  [&](NamedAttribute attr) { return !isForeign(attr); });
    return DictionaryAttr::get(&getContext(), kept);
  }

  void dropForeignAttributes(Operation *op) {
    for (NamedAttribute attr : llvm::to_vector(op->getDiscardableAttrs()))
      if (isForeign(attr))
        op->removeDiscardableAttr(attr.getName());
    auto func = dyn_cast<func::FuncOp>(op);
    if (!func)
      return;
    for (unsigned i = 0, e = func.getNumArguments(); i < e; ++i)
      if (DictionaryAttr attrs = func.getArgAttrDict(i))
        func.setArgAttrs(i, withoutForeign(attrs));
    for (unsigned i = 0, e = func.getNumResults(); i < e; ++i)
      if (DictionaryAttr attrs = func.getResultAttrDict(i))
        func.setResultAttrs(i, withoutForeign(attrs));
  }

  /// One error for the first argument or result of an unsupported type.
  void checkSignature(func::FuncOp func) {
    for (auto [i, type] : llvm::enumerate(func.getArgumentTypes()))
      if (std::string why = whyNot(type); !why.empty())
        return report(
            func.isExternal() ? func.getLoc() : func.getArgument(i).getLoc(),
            "argument #" + Twine(i) + " of @" + func.getSymName() + ": " + why);
    for (auto [i, type] : llvm::enumerate(func.getResultTypes()))
      if (std::string why = whyNot(type); !why.empty())
        return report(func.getLoc(), "result #" + Twine(i) + " of @" +
                                         func.getSymName() + ": " + why);
  }

  /// One error for each kind of operation.
  void checkOperations(ModuleOp module) {
    llvm::StringSet<> seen;
    module.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      std::string why;
      if (!op->isRegistered())
        why = "its dialect is not registered";
      else if (op->getNumResults() == 1 &&
               isa<RankedTensorType>(op->getResult(0).getType()) &&
               whyNot(op->getResult(0).getType()).empty())
        why = whyNotResource(op);
      auto check = [&](Type type) {
        if (why.empty())
          why = whyNot(type);
      };
      if (!isa<func::FuncOp>(op)) {
        llvm::for_each(op->getResultTypes(), check);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            llvm::for_each(block.getArgumentTypes(), check);
      }
      if (!why.empty() && seen.insert(name).second)
        report(op->getLoc(), "'" + name + "' op cannot be imported: " + why);
    });
  }

  /// Calls must end: no recursion, and every callee has a body.
  void checkCalls(ModuleOp module) {
    DenseMap<func::FuncOp, int> color; // 1: on the stack, 2: done
    std::function<void(func::FuncOp)> visit = [&](func::FuncOp func) {
      color[func] = 1;
      func.walk([&](func::CallOp call) {
        auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
            call, call.getCalleeAttr());
        if (!callee)
          return;
        if (callee.isExternal())
          report(call.getLoc(), "'func.call' op cannot be imported: @" +
                                    callee.getSymName() + " has no body");
        else if (color.lookup(callee) == 1)
          report(call.getLoc(),
                 "'func.call' op cannot be imported: the call of @" +
                     callee.getSymName() + " is recursive");
        else if (color.lookup(callee) == 0)
          visit(callee);
      });
      color[func] = 2;
    };
    module.walk([&](func::FuncOp func) {
      if (color.lookup(func) == 0)
        visit(func);
    });
  }

  bool failed = false;
};

} // namespace
