//===- Structured.cpp - What structured operations share, and tang.map
//-----===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Executor.h"
#include "Monoids.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

static std::string operandName(StringRef group, size_t i) {
  return ("'" + group + "' #" + Twine(i)).str();
}

/// Whether all of a map is linear, whatever the symbols are.
static bool isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(),
                      [](AffineExpr e) { return reference::isLinear(e); });
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Compiles the body: loads of `ins`, then the operations.
static LogicalResult compileBody(StructuredOp op, ProgramBuilder &builder) {
  Block *body = op.getBody();
  for (auto [i, in, map] : llvm::enumerate(op.getIns(), op.getInMapArray())) {
    BlockArgument arg = body->getArgument(i);
    if (!isa<RankedTensorType>(in.getType()))
      return op->emitOpError("reads a memref; the reference interpreter runs "
                             "on tensors");
    FailureOr<ElemType> type = elemType(op, in.getType());
    if (failed(type))
      return failure();
    if (arg.use_empty())
      continue;
    if (isLinear(map)) {
      builder.map(arg, builder.load(i, *type));
      continue;
    }
    SmallVector<Reg> dims, position;
    for (int64_t d = 0; d < op.getNumDims(); ++d)
      dims.push_back(builder.index(d));
    SmallVector<Reg> symbols = builder.get(op.getSymbols());
    for (AffineExpr expr : map.getResults())
      position.push_back(builder.affine(expr, dims, symbols));
    builder.map(arg, builder.access(Opcode::Element, in, position, std::nullopt,
                                    op, operandName("ins", i)));
  }
  for (auto [i, capture] : llvm::enumerate(op.getCaptures()))
    if (failed(elemType(op, capture.getType())))
      return failure();
  return builder.compile(*body);
}

FailureOr<const Program *> Executor::getLift(StructuredOp op, bool fused) {
  Compiled &known = compiledOf(op);
  std::optional<Program> &program = fused ? known.fused : known.lift;
  if (program)
    return &*program;
  program.emplace();
  ProgramBuilder builder(*program, exact);
  if (failed(compileBody(op, builder)))
    return program.reset(), failure();
  program->results = builder.get(op.getYield()->getOperands());
  if (!fused)
    return &*program;
  SmallVector<Type> types;
  for (Value out : op.getOuts()) {
    types.push_back(getElementTypeOrSelf(out));
    program->states.push_back(builder.newReg());
  }
  auto combined = emitCombine(builder, cast<ReduceOp>(op).getMonoid(), op,
                              types, program->states, program->results);
  if (failed(combined))
    return program.reset(), failure();
  builder.assign(program->states, *combined);
  return &*program;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

FailureOr<Shape> Executor::domainOf(StructuredOp op, Environment &env) {
  Shape domain;
  auto appendSizes = [&](ArrayRef<int64_t> statics, ValueRange dynamics) {
    for (int64_t size : statics) {
      if (ShapedType::isDynamic(size)) {
        size = scalar(dynamics.front(), env).i;
        dynamics = dynamics.drop_front();
      }
      domain.push_back(size);
    }
  };
  auto scatter = dyn_cast<ScatterOp>(*op);
  for (Value out : op.getOuts())
    if (!isa<RankedTensorType>(out.getType()))
      return op->emitOpError("writes a memref; the reference interpreter runs "
                             "on tensors");
  if (!scatter)
    domain = shapeOf(op.getOuts().front(), env);
  // Destinations agree with the first, states of scans but for one dimension.
  Shape first = shapeOf(op.getOuts().front(), env);
  for (auto [i, out] : llvm::enumerate(op.getOuts())) {
    Shape want = first;
    if (auto scan = dyn_cast<ScanOp>(*op))
      if (int64_t(i) >= scan.getNumStates())
        want.erase(want.begin() + scan.getDim());
    const Shape &got = shapeOf(out, env);
    for (auto [d, size] : llvm::enumerate(want))
      if (got[d] != size)
        return op->emitOpError(operandName("outs", i))
               << " has size " << got[d] << " in dimension " << d
               << ", where 'outs' #0 asks for " << size;
  }
  if (auto reduce = dyn_cast<ReduceOp>(*op))
    appendSizes(reduce.getStaticSizes(), reduce.getSizes());
  else if (scatter)
    appendSizes(scatter.getStaticSizes(), scatter.getSizes());
  for (auto [d, size] : llvm::enumerate(domain))
    if (size < 0)
      return op->emitOpError("dimension ")
             << d << " of the domain has the negative size " << size;
  if (!countPoints(domain))
    return op->emitOpError("has more than 2^63 points");
  return domain;
}

LogicalResult Executor::bindStreams(StructuredOp op, BoundProgram &bound,
                                    Environment &env) {
  SmallVector<AffineMap> maps = op.getInMapArray();
  SmallVector<int64_t> symbols;
  for (Value symbol : op.getSymbols())
    symbols.push_back(scalar(symbol, env).i);
  bool isEmpty = llvm::is_contained(bound.sizes, 0);
  for (uint32_t number : bound.program->streams) {
    FailureOr<Tensor> operand = tensor(op, op.getIns()[number], env);
    if (failed(operand))
      return failure();
    Shape strides = stridesOf(operand->shape);
    LinearForm position;
    position.coefficients.assign(bound.sizes.size(), 0);
    for (auto [r, expr] : llvm::enumerate(maps[number].getResults())) {
      if (isEmpty)
        break;
      auto form = linearize(expr, bound.sizes.size(), symbols);
      if (!form)
        return op->emitOpError("map of ")
               << operandName("ins", number) << " cannot be evaluated";
      // The least and the greatest index, at corners of the domain.
      __int128 least = form->constant, greatest = form->constant;
      for (auto [c, size] : llvm::zip(form->coefficients, bound.sizes))
        (c < 0 ? least : greatest) += __int128(c) * (size - 1);
      int64_t size = operand->shape[r];
      if (least < 0 || greatest >= size) {
        auto diagnostic = op->emitOpError(operandName("ins", number))
                          << " has size " << size << " in dimension " << r
                          << ", but is read at index "
                          << int64_t(least < 0 ? least : greatest);
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          diagnostic << ": dimension " << dim.getPosition()
                     << " of the domain has size "
                     << bound.sizes[dim.getPosition()];
        return diagnostic;
      }
      for (auto [sum, c] : llvm::zip(position.coefficients, form->coefficients))
        sum += c * strides[r];
      position.constant += form->constant * strides[r];
    }
    bound.streams.push_back({operand->data(), position});
    bound.owners.push_back(*operand);
  }
  return success();
}

/// Binds what a program takes from outside of its region.
LogicalResult Executor::bindOuter(Operation *op, BoundProgram &bound,
                                  Environment &env) {
  // Block arguments of captures stand for operands.
  auto outer = [&](Value value) {
    auto structured = dyn_cast<StructuredOp>(op);
    auto arg = dyn_cast<BlockArgument>(value);
    if (!structured || !arg || arg.getOwner() != structured.getBody())
      return value;
    return Value(structured.getCaptures()[arg.getArgNumber() -
                                          structured.getIns().size()]);
  };
  for (auto [value, reg] : bound.program->scalars)
    bound.scalars.push_back({reg, scalar(outer(value), env)});
  for (Value value : bound.program->tensors) {
    FailureOr<Tensor> operand = tensor(op, outer(value), env);
    if (failed(operand))
      return failure();
    bound.tensors.push_back(operand->ref());
    bound.owners.push_back(*operand);
  }
  return success();
}

FailureOr<BoundProgram> Executor::bindBody(StructuredOp op,
                                           const Program &program,
                                           ArrayRef<int64_t> sizes,
                                           Environment &env) {
  BoundProgram bound(program, sizes);
  if (failed(bindStreams(op, bound, env)) || failed(bindOuter(op, bound, env)))
    return failure();
  return bound;
}

FailureOr<BoundProgram> Executor::bindCombine(StructuredOp op, Attribute monoid,
                                              unsigned numStates,
                                              unsigned numValues,
                                              Environment &env) {
  std::optional<Program> &program = compiledOf(op).combine;
  if (!program) {
    SmallVector<Type> types;
    for (Value out : op.getOuts().take_front(numStates))
      types.push_back(getElementTypeOrSelf(out));
    program.emplace();
    if (failed(compileCombine(*program, exact, monoid, op, types, numValues)))
      return program.reset(), failure();
  }
  BoundProgram bound(*program, {});
  if (failed(bindOuter(op, bound, env)))
    return failure();
  return bound;
}

LogicalResult Executor::forEachItem(
    int64_t count, double cost, const BoundProgram &bound,
    function_ref<bool(Frame &frame, int64_t begin, int64_t end, Report report)>
        work) {
  bool reported = false;
  auto report = [&](Frame &frame) {
    std::lock_guard<std::mutex> lock(reportMutex);
    if (!std::exchange(reported, true))
      (void)frame.reportFailure();
    return false;
  };
  return success(inParallel(count, cost, [&](int64_t begin, int64_t end) {
    Frame frame = bound.makeFrame();
    return work(frame, begin, end, report);
  }));
}

//===----------------------------------------------------------------------===//
// tang.map
//===----------------------------------------------------------------------===//

std::optional<LogicalResult> Executor::runStructured(Operation *op,
                                                     Environment &env) {
  return llvm::TypeSwitch<Operation *, std::optional<LogicalResult>>(op)
      .Case([&](MapOp map) { return runMap(map, env); })
      .Case([&](ReduceOp reduce) { return runReduce(reduce, env); })
      .Case([&](ScanOp scan) { return runScan(scan, env); })
      .Case([&](ScatterOp scatter) { return runScatter(scatter, env); })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult Executor::runMap(MapOp op, Environment &env) {
  FailureOr<Shape> sizes = domainOf(op, env);
  FailureOr<const Program *> program = getLift(op, /*fused=*/false);
  if (failed(sizes) || failed(program))
    return failure();
  FailureOr<BoundProgram> bound = bindBody(op, **program, *sizes, env);
  if (failed(bound))
    return failure();
  SmallVector<Tensor> results;
  for (Value out : op.getOuts()) {
    FailureOr<ElemType> type = elemType(op, out.getType());
    if (failed(type))
      return failure();
    FailureOr<Tensor> result = factory.allocate(op, *type, *sizes);
    if (failed(result))
      return failure();
    results.push_back(*result);
  }
  if (failed(runPointwise(*bound, results)))
    return failure();
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    if (failed(set(value, std::move(result), env)))
      return failure();
  return success();
}

LogicalResult Executor::runPointwise(const BoundProgram &bound,
                                     MutableArrayRef<Tensor> results) {
  const Program &program = *bound.program;
  ArrayRef<int64_t> sizes = bound.sizes;
  int laneDim = chooseLaneDim(sizes);
  SmallVector<unsigned> outer;
  for (unsigned d = 0; d < sizes.size(); ++d)
    if (int(d) != laneDim)
      outer.push_back(d);
  LaneWalk walk(sizes, outer, laneDim, program.lanes);
  LinearForm place{stridesOf(sizes), 0};
  int64_t stride = laneDim < 0 ? 0 : place.coefficients[laneDim];
  double cost = double(*countPoints(sizes)) * double(program.code.size() + 1);
  return forEachItem(
      walk.numItems(), cost, bound,
      [&](Frame &frame, int64_t begin, int64_t end, Report report) {
        SmallVector<int64_t> point(sizes.size(), 0);
        for (int64_t item = begin; item < end; ++item) {
          int n = walk.start(item, point);
          bound.place(frame, point, laneDim, n);
          if (!frame.run(n))
            return report(frame);
          for (auto [result, reg] : llvm::zip(results, program.results))
            storeLanes(result.storage->data, result.type.store(),
                       place.at(point), stride, frame.reg(reg), n);
        }
        return true;
      });
}
