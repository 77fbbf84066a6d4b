//===- PadConcat.cpp - Padding and concatenation --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlatBody.h"
#include "Import.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::detail;

namespace {

bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// result[i] = source[i − low] where that is inside, else the padding value.
struct ImportPad : ImportPattern<tensor::PadOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::PadOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    std::string reason;
    FailureOr<FlatBody> flat = FlatBody::get(rewriter, op.getRegion().front(),
                                             reason, /*argsAreIndices=*/true);
    if (failed(flat))
      return refuse(op, reason);
    Value source = op.getSource();
    auto type = tensorType(source);
    int64_t rank = type.getRank();
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, source), total;
    SmallVector<OpFoldResult> lows = op.getMixedLowPad();
    SmallVector<OpFoldResult> highs = op.getMixedHighPad();
    for (int64_t d = 0; d < rank; ++d) {
      if (!op.getType().isDynamicDim(d)) {
        total.push_back(rewriter.getIndexAttr(op.getType().getDimSize(d)));
        continue;
      }
      Value size = toValue(rewriter, loc, sizes[d]);
      for (OpFoldResult part : {lows[d], highs[d]})
        size = rewriter.create<arith::AddIOp>(loc, size,
                                              toValue(rewriter, loc, part));
      total.push_back(size);
    }
    SmallVector<Value> wanted(flat->getYields());
    Reads reads = collectReads(*flat, wanted, {}, {});
    // The body's own captures come first, then what the guards need.
    SmallVector<Value> captures = reads.captures;
    captures.push_back(source);
    auto capture = [&](OpFoldResult value) -> std::optional<int64_t> {
      if (std::optional<int64_t> constant = getConstantIntValue(value))
        return constant;
      captures.push_back(cast<Value>(value));
      return std::nullopt;
    };
    SmallVector<std::optional<int64_t>> numbers;
    for (int64_t d = 0; d < rank; ++d) {
      numbers.push_back(capture(lows[d]));
      numbers.push_back(capture(sizes[d]));
      numbers.push_back(capture(highs[d]));
    }
    Value empty = makeEmpty(rewriter, loc, op.getType(), total);
    SmallVector<int64_t> dims = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    auto map = rewriter.create<MapOp>(
        loc, empty, ValueRange(), ArrayRef<AffineMap>(), captures, ValueRange(),
        [&](OpBuilder &b, Location, ValueRange args) {
          size_t next = reads.captures.size() + 1;
          auto number = [&](std::optional<int64_t> constant) -> Value {
            if (constant)
              return b.create<arith::ConstantIndexOp>(loc, *constant);
            return args[next++];
          };
          SmallVector<Value> indices;
          Value inside;
          auto require = [&](arith::CmpIPredicate predicate, Value x, Value y) {
            Value holds = b.create<arith::CmpIOp>(loc, predicate, x, y);
            inside =
                inside ? b.create<arith::AndIOp>(loc, inside, holds).getResult()
                       : holds;
          };
          for (int64_t d = 0; d < rank; ++d) {
            Value index = b.create<IndexOp>(loc, d);
            Value low = number(numbers[3 * d]);
            Value size = number(numbers[3 * d + 1]);
            number(numbers[3 * d + 2]);
            if (numbers[3 * d] != 0) {
              index = b.create<arith::SubIOp>(loc, index, low);
              require(arith::CmpIPredicate::sge, index,
                      b.create<arith::ConstantIndexOp>(loc, 0));
            }
            if (numbers[3 * d + 2] != 0)
              require(arith::CmpIPredicate::slt, index, size);
            indices.push_back(index);
          }
          Value read =
              b.create<AtOp>(loc, type.getElementType(),
                             args[reads.captures.size()], indices, Value());
          IRMapping mapping;
          mapping.map(ArrayRef(reads.args),
                      args.take_front(reads.captures.size()));
          // What tang.at gives outside is zero anyway.
          if (inside && !isZero(wanted.front())) {
            Value padding = cloneSlice(b, *flat, wanted, mapping, dims).front();
            read = b.create<arith::SelectOp>(loc, inside, read, padding);
          }
          b.create<YieldOp>(loc, read);
        });
    rewriter.replaceOp(op, map);
    return success();
  }
};

/// One map that asks each input in turn whether the index is below its end.
struct ImportConcat : ImportPattern<tensor::ConcatOp> {
  using ImportPattern::ImportPattern;

  LogicalResult matchAndRewrite(tensor::ConcatOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    int64_t dim = op.getDim(), rank = op.getResultType().getRank();
    OperandRange inputs = op.getInputs();
    // ends[k] is where input k stops.
    SmallVector<Value> ends;
    Value end;
    for (Value input : inputs) {
      Value size = toValue(rewriter, loc, getSize(rewriter, loc, input, dim));
      end = end ? rewriter.createOrFold<arith::AddIOp>(loc, end, size) : size;
      ends.push_back(end);
      for (int64_t d = 0; d < rank; ++d)
        if (d != dim)
          state.sizes.addEqual(inputs.front(), d, input, d);
    }
    SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, inputs.front());
    sizes[dim] = end;
    Value empty = makeEmpty(rewriter, loc, op.getResultType(), sizes);
    SmallVector<Value> captures(inputs);
    llvm::append_range(captures, ends);
    Type element = op.getResultType().getElementType();
    auto map = rewriter.create<MapOp>(
        loc, empty, ValueRange(), ArrayRef<AffineMap>(), captures, ValueRange(),
        [&](OpBuilder &b, Location, ValueRange args) {
          size_t n = inputs.size();
          ValueRange stops = args.drop_front(n);
          SmallVector<Value> indices;
          for (int64_t d = 0; d < rank; ++d)
            indices.push_back(b.create<IndexOp>(loc, d));
          Value along = indices[dim], result;
          // From the last to the first, so that the first that holds wins.
          for (size_t k = n; k-- > 0;) {
            if (k > 0)
              indices[dim] = b.create<arith::SubIOp>(loc, along, stops[k - 1]);
            else
              indices[dim] = along;
            if (!result) {
              result = b.create<AtOp>(loc, element, args[k], indices, Value());
              continue;
            }
            Value below = b.create<arith::CmpIOp>(
                loc, arith::CmpIPredicate::slt, along, stops[k]);
            Value read =
                b.create<AtOp>(loc, element, args[k], indices, Value());
            result = b.create<arith::SelectOp>(loc, below, read, result);
          }
          b.create<YieldOp>(loc, result);
        });
    rewriter.replaceOp(op, map);
    return success();
  }
};

} // namespace

void mlir::tang::detail::populatePad(RewritePatternSet &patterns,
                                     ImportState &state) {
  patterns.add<ImportPad, ImportConcat>(patterns.getContext(), state);
}
