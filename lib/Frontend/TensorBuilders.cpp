//===- TensorBuilders.cpp - Tensors made from scalars ---------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBody.h"
#include "Import.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

struct ImportGenerate : ImportPattern<tensor::GenerateOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::GenerateOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::string reason;
    FailureOr<FlatBody> flat = FlatBody::get(rewriter, op.getBody().front(),
                                             reason, /*argsAreIndices=*/true);
    if (failed(flat))
      return refuse(op, reason);
    SmallVector<Value> wanted(flat->getYields());
    Reads reads = collectReads(*flat, wanted, {}, {});
    Value empty = rewriter.create<tensor::EmptyOp>(
        loc, cast<RankedTensorType>(op.getType()), op.getDynamicExtents());
    SmallVector<int64_t> dims =
        llvm::to_vector(llvm::seq<int64_t>(0, tensorType(empty).getRank()));
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, ValueRange(), ArrayRef<AffineMap>(), reads.captures,
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          IRMapping mapping;
          mapping.map(ArrayRef(reads.args), args);
          b.create<YieldOp>(loc, cloneSlice(b, *flat, wanted, mapping, dims));
        });
    return success();
  }
};

struct ImportSplat : ImportPattern<tensor::SplatOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::SplatOp op,
                                PatternRewriter &rewriter) const override {
    Value empty = rewriter.create<tensor::EmptyOp>(
        op.getLoc(), cast<RankedTensorType>(op.getType()),
        op.getDynamicSizes());
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, ValueRange(), ArrayRef<AffineMap>(), op.getInput(),
        ValueRange(), [](OpBuilder &b, Location loc, ValueRange args) {
          b.create<YieldOp>(loc, args);
        });
    return success();
  }
};

/// Selects by the linear index among scalars.
struct ImportFromElements : ImportPattern<tensor::FromElementsOp> {
  using ImportPattern::ImportPattern;
  static constexpr size_t maxElements = 1024;

  LogicalResult matchAndRewrite(tensor::FromElementsOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getType());
    if (op.getElements().size() > maxElements)
      return refuse(op, "it has more than " + Twine(maxElements) +
                            " elements that are not constants");
    Value empty = rewriter.create<tensor::EmptyOp>(loc, type, ValueRange());
    if (op.getElements().empty()) {
      rewriter.replaceOp(op, empty);
      return success();
    }
    rewriter.replaceOpWithNewOp<MapOp>(
        op, empty, ValueRange(), ArrayRef<AffineMap>(), op.getElements(),
        ValueRange(), [&](OpBuilder &b, Location, ValueRange args) {
          Value linear;
          for (int64_t d = 0; d < type.getRank(); ++d) {
            Value index = b.create<IndexOp>(loc, d);
            if (linear) {
              Value size =
                  b.create<arith::ConstantIndexOp>(loc, type.getDimSize(d));
              linear = b.create<arith::MulIOp>(loc, linear, size);
              index = b.create<arith::AddIOp>(loc, linear, index);
            }
            linear = index;
          }
          Value result = args.back();
          for (size_t i = args.size() - 1; i-- > 0;) {
            Value here = b.create<arith::CmpIOp>(
                loc, arith::CmpIPredicate::eq, linear,
                b.create<arith::ConstantIndexOp>(loc, i));
            result = b.create<arith::SelectOp>(loc, here, args[i], result);
          }
          b.create<YieldOp>(loc, result);
        });
    return success();
  }
};

/// One element written: a scatter over a domain of one point.
struct ImportInsert : ImportPattern<tensor::InsertOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::InsertOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> captures{op.getScalar()};
    llvm::append_range(captures, op.getIndices());
    rewriter.replaceOpWithNewOp<ScatterOp>(
        op, Attribute(), /*unique=*/true, op.getDest(),
        ArrayRef<OpFoldResult>(), ValueRange(), ArrayRef<AffineMap>(), captures,
        ValueRange(), [](OpBuilder &b, Location loc, ValueRange args) {
          b.create<YieldOp>(loc, args);
        });
    return success();
  }
};

} // namespace

void mlir::tang::detail::populateTensorBuilders(RewritePatternSet &patterns,
                                                ImportState &state) {
  patterns.add<ImportGenerate, ImportSplat, ImportFromElements, ImportInsert>(
      patterns.getContext(), state);
}
