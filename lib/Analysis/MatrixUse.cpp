//===- MatrixUse.cpp - What of a kernel a matrix unit can do --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/MatrixUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tang;

namespace {
class MatrixMatcher {
public:
  MatrixMatcher(KernelOp kernel, const KernelPlan &plan, std::string &why)
      : kernel(kernel), plan(plan), why(why) {}

  FailureOr<MatrixUse> run();

private:
  LogicalResult fail(const Twine &text) {
    why = text.str();
    return failure();
  }
  std::optional<MatrixUse::Contraction> match(ReduceOp reduce);
  LogicalResult checkElementwise(StructuredOp op);
  bool canCopy(StructuredOp op, unsigned position, int64_t own, int64_t depth);
  SmallVector<int64_t> dimsRead(StructuredOp op, unsigned position);
  bool isDefined(Operation *op);
  bool isReadOtherwise();

  KernelOp kernel;
  const KernelPlan &plan;
  std::string &why;
  /// What contractions read from memory, and what they sum it over.
  struct Loaded {
    Operation *op;
    unsigned position;
    int64_t depth;
  };
  SmallVector<Loaded> loads;
};

bool isNarrowFloat(Type type) { return type.isBF16() || type.isF16(); }

/// Types that registers of a tile hold.
bool hasRegisters(Type type) {
  return type.isF32() || type.isIndex() || type.isInteger(1) ||
         type.isInteger(32);
}
} // namespace

/// Kernel dimensions that an operand's map reads.
SmallVector<int64_t> MatrixMatcher::dimsRead(StructuredOp op,
                                             unsigned position) {
  SmallVector<int64_t> dims;
  AffineMap map = op.getInMapArray()[position];
  for (auto [i, k] : llvm::enumerate(plan.dimsOf(op)))
    if (k >= 0 && map.isFunctionOfDim(i))
      dims.push_back(k);
  return dims;
}

/// Memory that copies of boxes can take: the dense dimension is one of the two,
/// pitches are multiples of 16 bytes, at most 5 dimensions.
bool MatrixMatcher::canCopy(StructuredOp op, unsigned position, int64_t own,
                            int64_t depth) {
  Value value = op.getIns()[position];
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<BlockArgument>(value) || !type.hasStaticShape() ||
      type.getRank() < 1 || type.getRank() > 5 || type.getShape().back() % 8)
    return false;
  AffineMap map = op.getInMapArray()[position];
  if (map.getNumSymbols())
    return false;
  int found = 0, wanted = own < 0 ? 1 : 2;
  for (auto [r, expr] : llvm::enumerate(map.getResults())) {
    int64_t tiled = -1;
    for (auto [i, k] : llvm::enumerate(plan.dimsOf(op)))
      if (k >= 0 && (k == own || k == depth) && expr.isFunctionOfDim(i)) {
        if (tiled >= 0)
          return false;
        // Stride 1.
        AffineExpr x = getAffineDimExpr(i, map.getContext());
        auto step = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
            expr.replace(x, x + 1) - expr, map.getNumDims(), 0));
        if (!step || step.getValue() != 1)
          return false;
        tiled = k;
      }
    bool dense = r + 1 == map.getNumResults();
    found += tiled >= 0;
    if (dense && (tiled < 0 || plan.getDims()[tiled].size % 64))
      return false;
  }
  return found == wanted;
}

std::optional<MatrixUse::Contraction> MatrixMatcher::match(ReduceOp reduce) {
  auto monoid = dyn_cast<MonoidAttr>(reduce.getMonoid());
  auto op = cast<StructuredOp>(reduce.getOperation());
  if (!monoid || monoid.getKind() != MonoidKind::Add ||
      reduce.getNumResults() != 1 ||
      !getElementTypeOrSelf(reduce.getResult(0)).isF32() ||
      !startsFromIdentity(reduce))
    return std::nullopt;
  Block *body = op.getBody();
  auto product =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::MulFOp>();
  if (!product)
    return std::nullopt;
  MatrixUse::Contraction c{reduce, -1, -1, -1, true, false, false, false};
  for (auto [i, k] : llvm::enumerate(plan.dimsOf(op)))
    if (k >= 0 && !op.isParallelDim(i)) {
      if (c.depth >= 0)
        return std::nullopt;
      c.depth = k;
    }
  if (c.depth < 0)
    return std::nullopt;
  // Each factor: a narrow value, widened.
  SmallVector<int64_t> own[2];
  bool loaded[2];
  std::optional<unsigned> argument[2];
  for (int side : {0, 1}) {
    auto extend = product->getOperand(side).getDefiningOp<arith::ExtFOp>();
    if (!extend || !isNarrowFloat(extend.getIn().getType()))
      return std::nullopt;
    auto direct = dyn_cast<BlockArgument>(extend.getIn());
    loaded[side] = direct != nullptr;
    SmallVector<int64_t> dims;
    if (direct) {
      if (direct.getArgNumber() >= op.getIns().size())
        return std::nullopt;
      argument[side] = direct.getArgNumber();
      dims = dimsRead(op, direct.getArgNumber());
    } else {
      // All that the rest of the body reads.
      if (!extend.getIn().getDefiningOp<arith::TruncFOp>())
        return std::nullopt;
      for (unsigned i = 0, e = op.getIns().size(); i < e; ++i) {
        auto other =
            product->getOperand(1 - side).getDefiningOp<arith::ExtFOp>();
        if (other && other.getIn() == body->getArgument(i))
          continue;
        llvm::append_range(dims, dimsRead(op, i));
      }
    }
    if (!llvm::is_contained(dims, c.depth))
      return std::nullopt;
    for (int64_t k : dims)
      if (k != c.depth && !llvm::is_contained(own[side], k))
        own[side].push_back(k);
  }
  if (!loaded[0] && !loaded[1])
    return std::nullopt;
  // The operand that is computed has the rows; otherwise decided later.
  int rowSide = loaded[0] ? (loaded[1] ? 0 : 1) : 0;
  auto only = [&](int side) {
    // A dimension of its own that the other lacks.
    int64_t dim = -1;
    for (int64_t k : own[side])
      if (!llvm::is_contained(own[1 - side], k)) {
        if (dim >= 0)
          return int64_t(-1);
        dim = k;
      }
    return dim;
  };
  c.rowsLoaded = loaded[rowSide];
  c.rowOwn = only(rowSide);
  c.columnOwn = only(1 - rowSide);
  // One that has all the other's dimensions and one more: a row.
  auto hasNone = [&](int side) {
    return llvm::all_of(own[side], [&](int64_t k) {
      return llvm::is_contained(own[1 - side], k);
    });
  };
  if (c.rowOwn < 0 && c.columnOwn < 0)
    return std::nullopt;
  if (c.columnOwn < 0 && hasNone(1 - rowSide) && c.rowsLoaded) {
    rowSide = 1 - rowSide;
    std::swap(c.rowOwn, c.columnOwn);
  } else if (c.columnOwn < 0 || (c.rowOwn < 0 && !hasNone(rowSide))) {
    return std::nullopt;
  }
  for (int side : {0, 1})
    if (loaded[side] &&
        !canCopy(op, *argument[side], side == rowSide ? c.rowOwn : c.columnOwn,
                 c.depth))
      return std::nullopt;
  // Where its dense dimension is the column operand's own.
  auto isDense = [&](unsigned position, int64_t own) {
    AffineExpr dense = op.getInMapArray()[position].getResults().back();
    for (auto [i, k] : llvm::enumerate(plan.dimsOf(op)))
      if (k == own)
        return dense.isFunctionOfDim(i);
    return false;
  };
  c.columnsDense = isDense(*argument[1 - rowSide], c.columnOwn);
  if (c.rowsLoaded && c.rowOwn >= 0)
    c.rowsDense = isDense(*argument[rowSide], c.rowOwn);
  c.local = plan.isLocal(reduce.getResult(0));
  for (int side : {0, 1})
    if (loaded[side])
      loads.push_back({op, *argument[side], c.depth});
  return c;
}

/// Whether an operation has a value for all operands as it is: kernels of
/// agents are not legalised.
bool MatrixMatcher::isDefined(Operation *op) {
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
          arith::FPToSIOp, arith::FPToUIOp, math::AbsIOp, math::CtPopOp,
          math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::IPowIOp,
          math::FPowIOp, math::IsFiniteOp, math::IsInfOp, math::IsNaNOp,
          math::IsNormalOp>(op))
    return false;
  APInt y;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&y)) && !y.isZero() &&
           !y.isAllOnes();
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&y)) && y.ult(32);
  return true;
}

/// Whether something else reads what a contraction does, while it does: it lies
/// in shared memory for the matrix unit alone.
bool MatrixMatcher::isReadOtherwise() {
  auto isLoaded = [&](StructuredOp op, unsigned position) {
    return llvm::any_of(loads, [&](const Loaded &load) {
      return load.op == op.getOperation() && load.position == position;
    });
  };
  for (StructuredOp op : getKernelOps(kernel))
    for (unsigned i = 0, e = op.getIns().size(); i < e; ++i)
      if (!isLoaded(op, i) && llvm::any_of(loads, [&](const Loaded &load) {
            return cast<StructuredOp>(load.op).getIns()[load.position] ==
                       op.getIns()[i] &&
                   llvm::is_contained(dimsRead(op, i), load.depth);
          }))
        return true;
  return false;
}

/// What threads can do on the registers of a tile.
LogicalResult MatrixMatcher::checkElementwise(StructuredOp op) {
  // What is read from memory may be narrow, if it is widened then.
  for (auto [i, type] : llvm::enumerate(op.getBody()->getArgumentTypes()))
    if (!hasRegisters(type) && !(isNarrowFloat(type) && i < op.getIns().size()))
      return fail("it reads values of another type than f32");
  for (Operation &inner : op.getBody()->without_terminator()) {
    if (isa<AtOp>(inner))
      return fail("it reads at computed indices");
    for (Type type : inner.getResultTypes()) {
      bool narrow = isNarrowFloat(type);
      if (narrow && !isa<arith::TruncFOp>(inner))
        return fail("it computes in a 16-bit float");
      if (!narrow && !hasRegisters(type))
        return fail("it has values of another type than f32");
    }
    if (!isa<arith::ArithDialect, math::MathDialect>(inner.getDialect()) &&
        !isa<IndexOp>(inner))
      return fail("it has operations that no register form exists for");
    if (!isDefined(&inner))
      return fail("it has an operation that must be legalised");
  }
  return success();
}

FailureOr<MatrixUse> MatrixMatcher::run() {
  MatrixUse use;
  if (plan.getPasses().size() != 1 ||
      plan.getPasses().front().stream.size() != 1 ||
      !plan.getPasses().front().stores.empty())
    return fail("it is not one pass over one dimension");
  use.stream = plan.getPasses().front().stream.front();
  for (const KernelDim &dim : plan.getDims())
    if (ShapedType::isDynamic(dim.size) || dim.size < 1)
      return fail("it has dynamic or empty dimensions");
  for (StructuredOp op : getKernelOps(kernel))
    if (auto reduce = dyn_cast<ReduceOp>(op.getOperation()))
      if (std::optional<MatrixUse::Contraction> c = match(reduce))
        use.contractions.push_back(*c);
  if (use.contractions.empty())
    return fail("it has no contraction whose operands can be copied in boxes");
  if (isReadOtherwise())
    return fail("it reads an operand of a contraction otherwise, too");
  // Rows: a parallel dimension that each of them has on one side.
  use.rows = -1;
  const MatrixUse::Contraction &first = use.contractions.front();
  bool one = first.rowOwn < 0;
  if (!llvm::all_of(use.contractions,
                    [&](auto &c) { return (c.rowOwn < 0) == one; }))
    return fail("its contractions share no parallel dimension");
  for (int64_t k : {first.rowOwn, first.columnOwn}) {
    if (one)
      break;
    bool everywhere =
        plan.getDims()[k].kind == KernelDim::Parallel &&
        llvm::all_of(use.contractions, [&](auto &c) {
          return c.rowOwn == k || (c.columnOwn == k && c.rowsLoaded);
        });
    if (everywhere && (use.rows < 0 || k < use.rows))
      use.rows = k;
  }
  if (use.rows < 0 && !one)
    return fail("its contractions share no parallel dimension");
  for (MatrixUse::Contraction &c : use.contractions) {
    if (c.rowOwn != use.rows) {
      // Both are loaded: either may have the rows.
      std::swap(c.rowOwn, c.columnOwn);
      c.columnsDense = c.rowsDense;
    }
    const KernelDim &columns = plan.getDims()[c.columnOwn];
    if (columns.kind == KernelDim::Parallel) {
      if (use.columns >= 0 && use.columns != c.columnOwn)
        return fail("its results have two parallel dimensions of columns");
      use.columns = c.columnOwn;
    } else if (columns.kind == KernelDim::Inner &&
               (columns.size % 16 || columns.size > 256)) {
      return fail("a result has columns that are not a multiple of 16");
    }
    if (c.local && (plan.getDims()[c.depth].size % 16 ||
                    plan.getDims()[c.depth].size > 256))
      return fail("a sum within a step is not over a multiple of 16 up to 256");
    if (!c.local && c.depth != use.stream)
      return fail("a contraction is not over the stream");
  }
  for (StructuredOp op : getKernelOps(kernel)) {
    if (auto reduce = dyn_cast<ReduceOp>(op.getOperation())) {
      bool contraction = llvm::any_of(
          use.contractions, [&](auto &c) { return c.reduce == reduce; });
      if (!contraction) {
        // Row by row, along the stream.
        if (reduce.getNumResults() != 1 || plan.isLocal(reduce.getResult(0)) ||
            !isa<MonoidAttr>(reduce.getMonoid()))
          return fail("a fold of it is not done row by row");
        for (auto [i, k] : llvm::enumerate(plan.dimsOf(op)))
          if (k >= 0 && op.isParallelDim(i) &&
              (plan.getDims()[k].kind == KernelDim::Inner || k == use.columns))
            return fail("a fold of it has columns");
        bool hasRows = one || llvm::is_contained(plan.dimsOf(op), use.rows);
        if (!hasRows)
          return fail("a fold of it has no rows");
      }
    } else if (!isa<MapOp>(op.getOperation())) {
      return fail("it has something else than maps and folds");
    }
    if (failed(checkElementwise(op)))
      return failure();
  }
  return use;
}

FailureOr<MatrixUse> MatrixUse::get(KernelOp kernel, const KernelPlan &plan,
                                    std::string &why) {
  return MatrixMatcher(kernel, plan, why).run();
}
