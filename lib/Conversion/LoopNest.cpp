//===- LoopNest.cpp - Loops over a tile with operations placed outermost -===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopNest.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

Value ConstantPool::get(TypedAttr value) {
  Value &slot = known[value];
  if (!slot) {
    OpBuilder b(entry->getParentOp()->getContext());
    if (last)
      b.setInsertionPointAfter(last);
    else
      b.setInsertionPointToStart(entry);
    auto op =
        b.create<arith::ConstantOp>(entry->getParentOp()->getLoc(), value);
    last = op;
    slot = op;
  }
  return slot;
}

Value ConstantPool::index(int64_t value) {
  return get(IntegerAttr::get(
      IndexType::get(entry->getParentOp()->getContext()), value));
}

LoopNest::LoopNest(OpBuilder &builder, Location loc, ConstantPool &constants,
                   ArrayRef<int64_t> tile, ValueRange counts,
                   ArrayRef<int64_t> order, ArrayRef<int64_t> steps)
    : outside(builder), loc(loc), constants(constants), position(tile.size()) {
  OpBuilder b = builder;
  for (int64_t d : order) {
    int64_t step = steps.empty() ? 1 : steps[d];
    if (tile[d] <= step) {
      position[d] = constants.index(0);
      continue;
    }
    auto loop = b.create<scf::ForOp>(loc, constants.index(0), counts[d],
                                     constants.index(step));
    if (loops.empty())
      outside.setInsertionPoint(loop);
    loops.push_back(loop);
    position[d] = loop.getInductionVar();
    depths[position[d]] = loops.size();
    b.setInsertionPointToStart(loop.getBody());
  }
  if (loops.empty())
    outside = builder;
  plain = loops.size();
}

void LoopNest::carry(ArrayRef<int64_t> tile, ValueRange counts,
                     ArrayRef<int64_t> order, ValueRange inits) {
  OpBuilder b = innermost();
  for (int64_t d : order) {
    if (tile[d] == 1) {
      position[d] = constants.index(0);
      continue;
    }
    auto loop = b.create<scf::ForOp>(loc, constants.index(0), counts[d],
                                     constants.index(1), inits);
    if (loops.empty())
      outside.setInsertionPoint(loop);
    loops.push_back(loop);
    position[d] = loop.getInductionVar();
    for (Value value : loop.getBody()->getArguments())
      depths[value] = loops.size();
    inits = loop.getRegionIterArgs();
    b.setInsertionPointToStart(loop.getBody());
  }
}

std::pair<ValueRange, OpBuilder> LoopNest::yield(ValueRange values) {
  for (size_t i = loops.size(); i > plain; --i) {
    OpBuilder::atBlockEnd(loops[i - 1].getBody())
        .create<scf::YieldOp>(loc, values);
    values = loops[i - 1].getResults();
  }
  OpBuilder behind(outside.getContext());
  behind.setInsertionPointAfter(loops[plain]);
  return {values, behind};
}

unsigned LoopNest::depthOf(ValueRange operands) const {
  unsigned depth = 0;
  for (Value value : operands)
    depth = std::max(depth, depths.lookup(value));
  return depth;
}

OpBuilder LoopNest::atDepth(unsigned depth) {
  if (depth == 0)
    return outside;
  OpBuilder b(outside.getContext());
  if (depth < loops.size())
    b.setInsertionPoint(loops[depth]);
  else if (Block *body = loops.back().getBody(); body->mightHaveTerminator())
    b.setInsertionPoint(body->getTerminator());
  else
    b.setInsertionPointToEnd(body);
  return b;
}

OpBuilder LoopNest::at(ValueRange operands) {
  return atDepth(depthOf(operands));
}

OpBuilder LoopNest::innermost() { return atDepth(loops.size()); }

void LoopNest::placed(Value value, ValueRange operands) {
  if (unsigned depth = depthOf(operands))
    depths[value] = depth;
}
void LoopNest::placed(Operation *op, ValueRange operands) {
  for (Value result : op->getResults())
    placed(result, operands);
}

Value LoopNest::add(Value x, Value y) {
  if (matchPattern(x, m_Zero()))
    return y;
  if (matchPattern(y, m_Zero()))
    return x;
  Value sum = at({x, y}).create<arith::AddIOp>(loc, x, y);
  placed(sum, {x, y});
  return sum;
}

Value LoopNest::mul(Value x, Value y) {
  if (matchPattern(x, m_One()))
    return y;
  if (matchPattern(y, m_One()))
    return x;
  if (matchPattern(x, m_Zero()))
    return x;
  if (matchPattern(y, m_Zero()))
    return y;
  Value product = at({x, y}).create<arith::MulIOp>(loc, x, y);
  placed(product, {x, y});
  return product;
}

Value LoopNest::expr(AffineExpr e, ValueRange dims, ValueRange symbols) {
  switch (e.getKind()) {
  case AffineExprKind::Constant:
    return constants.index(cast<AffineConstantExpr>(e).getValue());
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(e).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(e).getPosition()];
  case AffineExprKind::Add: {
    auto binary = cast<AffineBinaryOpExpr>(e);
    return add(expr(binary.getLHS(), dims, symbols),
               expr(binary.getRHS(), dims, symbols));
  }
  case AffineExprKind::Mul: {
    auto binary = cast<AffineBinaryOpExpr>(e);
    return mul(expr(binary.getLHS(), dims, symbols),
               expr(binary.getRHS(), dims, symbols));
  }
  default: {
    // Divisions: upstream's expansion, where everything is known.
    OpBuilder b = innermost();
    Value value = affine::expandAffineExpr(b, loc, e, dims, symbols);
    depths[value] = loops.size();
    return value;
  }
  }
}
