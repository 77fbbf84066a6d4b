//===- Import.h - What the importing patterns share -------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_FRONTEND_IMPORT_H
#define TANG_LIB_FRONTEND_IMPORT_H

#include "SizeAgreement.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tang::detail {

/// State of one run over a module.
class ImportState {
public:
  explicit ImportState(ModuleOp module) : module(module) {}

  /// Says why `op` cannot be imported; it is left over with that reason.
  LogicalResult refuse(Operation *op, const Twine &reason) {
    reasons[op] = {op->getName().getIdentifier(), reason.str()};
    return failure();
  }
  /// The last reason given for `op`, or an empty string.
  StringRef getReason(Operation *op) const {
    auto it = reasons.find(op);
    return it != reasons.end() &&
                   it->second.first == op->getName().getIdentifier()
               ? StringRef(it->second.second)
               : StringRef();
  }

  ModuleOp module;
  SizeAgreement sizes;

private:
  DenseMap<Operation *, std::pair<StringAttr, std::string>> reasons;
};

/// A symbol for the left fold `body`, a tang.monoid that is not in the module
/// yet; takes it over. Equal folds share one.
FlatSymbolRefAttr declareMonoid(ModuleOp module, OwningOpRef<MonoidOp> body);

/// A pattern on one kind of operation that may refuse with a reason.
template <typename OpTy> struct ImportPattern : OpRewritePattern<OpTy> {
  ImportPattern(MLIRContext *context, ImportState &state,
                PatternBenefit benefit = 1)
      : OpRewritePattern<OpTy>(context, benefit), state(state) {}
  LogicalResult refuse(Operation *op, const Twine &reason) const {
    return state.refuse(op, reason);
  }
  ImportState &state;
};

/// The size of dimension `dim`: a constant or a tensor.dim.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value tensor,
                     int64_t dim);
SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                   Value tensor);
/// A tensor without contents of these sizes, or of `type` with the sizes of
/// its dynamic dimensions taken from `sizes`.
Value makeEmpty(OpBuilder &builder, Location loc, RankedTensorType type,
                ArrayRef<OpFoldResult> sizes);
/// `value` as an index value.
Value toValue(OpBuilder &builder, Location loc, OpFoldResult value);
/// Shape and element type of a value known to be a ranked tensor.
RankedTensorType tensorType(Value value);

/// The scalar that fills all of `tensor`, or null: constants, fills, and maps
/// that broadcast one.
TypedAttr getUniformConstant(Value tensor);

void populateNamedLinalg(RewritePatternSet &patterns, ImportState &state);
void populateGeneric(RewritePatternSet &patterns, ImportState &state);
void populatePack(RewritePatternSet &patterns, ImportState &state);
void populateElementwise(RewritePatternSet &patterns, ImportState &state);
void populateSlices(RewritePatternSet &patterns, ImportState &state);
void populatePad(RewritePatternSet &patterns, ImportState &state);
void populateTensorBuilders(RewritePatternSet &patterns, ImportState &state);
void populateTensorGather(RewritePatternSet &patterns, ImportState &state);
void populateTensorShapes(RewritePatternSet &patterns, ImportState &state);

} // namespace mlir::tang::detail

#endif // TANG_LIB_FRONTEND_IMPORT_H
