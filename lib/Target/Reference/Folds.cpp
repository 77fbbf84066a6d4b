//===- Folds.cpp - tang.reduce, tang.scan and tang.scatter
//-----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each state is combined in lexicographic order, one value after the other.
// Lanes lie along a dimension of the results, so that the order within a lane
// is kept, or along the last reduced one, whose lanes are then combined
// serially.
//
//===----------------------------------------------------------------------===//

#include "Executor.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

namespace {
/// Runs combinations one by one. The state is kept between them. What a program
/// of one or two instructions does is done here.
class SerialFold {
public:
  explicit SerialFold(const BoundProgram &combine)
      : frame(combine.makeFrame()), program(*combine.program) {
    ArrayRef<Instr> code = program.code;
    auto isMove = [](const Instr &i) { return i.op == Opcode::Move; };
    if (code.size() <= 2 && program.states.size() == 1)
      for (Opcode op : {Opcode::AddF, Opcode::MaximumF, Opcode::MinimumF})
        if (code[0].op == op &&
            (code.size() == 1 || code[1].op == Opcode::RoundOperation))
          direct = op;
    if (direct != Opcode::Move && code.size() == 2)
      format = DType(code[1].sub);
    if (!code.empty() && code[0].op == Opcode::Monoid &&
        llvm::all_of(code.drop_front(), isMove))
      direct = Opcode::Monoid;
    value.resize(program.values.size());
  }

  Frame frame;

  /// Registers of one lane lie one after the other.
  Cell &state(size_t i) { return frame.reg(program.states[0])[i]; }

  /// state := state ∨ the values that a lane of another frame holds.
  bool combine(Frame &lift, int lane) {
    ArrayRef<Reg> from = lift.program.results;
    Cell &s = state(0);
    switch (direct) {
    case Opcode::AddF:
      s.f = roundOperation(format, s.f + lift.reg(from[0])[lane].f);
      return true;
    case Opcode::MaximumF:
      s.f = maximum(s.f, lift.reg(from[0])[lane].f);
      return true;
    case Opcode::MinimumF:
      s.f = minimum(s.f, lift.reg(from[0])[lane].f);
      return true;
    case Opcode::Monoid:
      for (size_t i = 0; i < value.size(); ++i)
        value[i] = lift.reg(from[i])[lane];
      program.monoids[0].combine(program.monoids[0], &s, value.data());
      return true;
    default:
      for (size_t i = 0; i < value.size(); ++i)
        *frame.reg(program.values[i]) = lift.reg(from[i])[lane];
      return frame.run(1);
    }
  }

  /// Combines lanes [0, n) in order.
  bool combineLanes(Frame &lift, int n) {
    for (int l = 0; l < n; ++l)
      if (!combine(lift, l))
        return false;
    return true;
  }

private:
  const Program &program;
  /// The one instruction, or Move if there are others.
  Opcode direct = Opcode::Move;
  DType format = DType::F64;
  SmallVector<Cell, 8> value;
};

/// All dimensions but `skipped` below `count`.
SmallVector<unsigned> dimsBut(int skipped, unsigned count) {
  SmallVector<unsigned> dims;
  for (unsigned d = 0; d < count; ++d)
    if (int(d) != skipped)
      dims.push_back(d);
  return dims;
}
} // namespace

//===----------------------------------------------------------------------===//
// tang.reduce
//===----------------------------------------------------------------------===//

/// Lanes along dimension `laneDim` of the results.
LogicalResult Executor::runReduceLanes(ReduceOp op, BoundProgram &lift,
                                       MutableArrayRef<Tensor> states,
                                       int laneDim) {
  const Program &program = *lift.program;
  int64_t rank = op.getNumResultDims();
  ArrayRef<int64_t> sizes = lift.sizes, reduced = sizes.drop_front(rank);
  SmallVector<unsigned> outer = dimsBut(laneDim, rank);
  LaneWalk walk(sizes, outer, laneDim, program.lanes);
  LinearForm place{stridesOf(sizes.take_front(rank)), 0};
  int64_t stride = laneDim < 0 ? 0 : place.coefficients[laneDim];
  bool isEmpty = llvm::is_contained(reduced, 0);
  double cost = double(*countPoints(sizes)) * double(program.code.size());
  return forEachItem(
      walk.numItems(), cost, lift,
      [&](Frame &frame, int64_t begin, int64_t end, Report report) {
        SmallVector<int64_t> point(sizes.size(), 0);
        for (int64_t item = begin; item < end; ++item) {
          int n = walk.start(item, point);
          int64_t offset = place.at(ArrayRef(point).take_front(rank));
          for (auto [state, reg] : llvm::zip(states, program.states))
            loadLanes(state.data(), state.type.store(), offset, stride,
                      frame.reg(reg), n);
          bool more = !isEmpty;
          while (more) {
            lift.place(frame, point, laneDim, n);
            if (!frame.run(n))
              return false;
            more = advance(MutableArrayRef(point).drop_front(rank), reduced);
          }
          for (auto [state, reg] : llvm::zip(states, program.states))
            storeLanes(state.storage->data, state.type.store(), offset, stride,
                       frame.reg(reg), n);
        }
        return true;
      });
}

/// Lanes along the last reduced dimension.
LogicalResult Executor::runReduceSerial(ReduceOp op, BoundProgram &lift,
                                        BoundProgram &combine,
                                        MutableArrayRef<Tensor> states) {
  int64_t rank = op.getNumResultDims();
  ArrayRef<int64_t> sizes = lift.sizes, results = sizes.take_front(rank);
  int laneDim = int(sizes.size()) - 1;
  SmallVector<unsigned> reduced;
  for (int d = rank; d < laneDim; ++d)
    reduced.push_back(d);
  LaneWalk walk(sizes, reduced, laneDim, lift.program->lanes);
  double cost =
      double(*countPoints(sizes)) * double(lift.program->code.size() + 1);
  return forEachItem(
      *countPoints(results), cost, lift,
      [&](Frame &frame, int64_t begin, int64_t end, Report report) {
        SerialFold fold(combine);
        SmallVector<int64_t> point(sizes.size(), 0);
        SmallVector<unsigned> outer = dimsBut(-1, rank);
        LaneWalk pointWalk(sizes, outer, -1, 1);
        for (int64_t item = begin; item < end; ++item) {
          pointWalk.start(item, point);
          for (auto [i, state] : llvm::enumerate(states))
            fold.state(i) = state.get(item);
          for (int64_t step = 0; step < walk.numItems(); ++step) {
            int n = walk.start(step, point);
            lift.place(frame, point, laneDim, n);
            if (!frame.run(n))
              return report(frame);
            if (!fold.combineLanes(frame, n))
              return report(fold.frame);
          }
          for (auto [i, state] : llvm::enumerate(states))
            storeCell(state.storage->data, state.type.store(), item,
                      fold.state(i));
        }
        return true;
      });
}

/// Whether lanes lie better along the last reduced dimension than along
/// `laneDim`: memory is read in order there, or the other one is short.
static bool prefersSerial(const BoundProgram &lift, int64_t rank, int laneDim) {
  constexpr int64_t kLongEnough = 32;
  if (int64_t(lift.sizes.size()) == rank)
    return false;
  int serialDim = int(lift.sizes.size()) - 1;
  int64_t serialLanes = lift.sizes.back();
  int64_t parallelLanes = laneDim < 0 ? 1 : lift.sizes[laneDim];
  auto inOrder = [&](int dim) {
    return llvm::count_if(lift.streams, [&](const auto &stream) {
      return std::abs(stream.second.coefficients[dim]) <= 1;
    });
  };
  if (parallelLanes < kLongEnough)
    return serialLanes > parallelLanes;
  return serialLanes >= kLongEnough && inOrder(serialDim) > inOrder(laneDim);
}

LogicalResult Executor::runReduce(ReduceOp op, Environment &env) {
  FailureOr<Shape> sizes = domainOf(op, env);
  if (failed(sizes))
    return failure();
  int64_t rank = op.getNumResultDims();
  SmallVector<Tensor> states;
  for (auto [i, out] : llvm::enumerate(op.getOuts())) {
    FailureOr<ElemType> type = elemType(op, out.getType());
    if (failed(type))
      return failure();
    Tensor state;
    if (ArrayAttr init = op.getInitAttr()) {
      FailureOr<Tensor> made =
          factory.allocate(op, *type, ArrayRef(*sizes).take_front(rank));
      if (failed(made))
        return failure();
      state = *made;
      std::optional<Cell> start = constantCell(init[i]);
      if (!start)
        return unsupported(op);
      for (int64_t at = 0, e = state.numElements(); at < e; ++at)
        storeCell(state.storage->data, type->store(), at, *start);
    } else {
      state = *take(op, out, env).tensor;
      if (failed(factory.mutableData(op, state)))
        return failure();
    }
    states.push_back(std::move(state));
  }

  FailureOr<const Program *> program = getLift(op, /*fused=*/false);
  if (failed(program))
    return failure();
  FailureOr<BoundProgram> lift = bindBody(op, **program, *sizes, env);
  if (failed(lift))
    return failure();
  int laneDim = chooseLaneDim(ArrayRef(*sizes).take_front(rank));
  bool isSerial = prefersSerial(*lift, rank, laneDim);
  LogicalResult result = failure();
  if (isSerial) {
    FailureOr<BoundProgram> combine =
        bindCombine(op, op.getMonoid(), states.size(),
                    op.getYield()->getNumOperands(), env);
    if (failed(combine))
      return failure();
    result = runReduceSerial(op, *lift, *combine, states);
  } else {
    program = getLift(op, /*fused=*/true);
    if (failed(program))
      return failure();
    lift = bindBody(op, **program, *sizes, env);
    if (failed(lift))
      return failure();
    result = runReduceLanes(op, *lift, states, laneDim);
  }
  if (failed(result))
    return failure();
  for (auto [value, state] : llvm::zip(op.getResults(), states))
    if (failed(set(value, std::move(state), env)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// tang.scan
//===----------------------------------------------------------------------===//

LogicalResult Executor::runScan(ScanOp op, Environment &env) {
  FailureOr<Shape> sizes = domainOf(op, env);
  FailureOr<const Program *> program = getLift(op, /*fused=*/false);
  if (failed(sizes) || failed(program))
    return failure();
  FailureOr<BoundProgram> lift = bindBody(op, **program, *sizes, env);
  size_t n = op.getNumStates();
  FailureOr<BoundProgram> combine =
      bindCombine(op, op.getMonoid(), n, op.getYield()->getNumOperands(), env);
  if (failed(lift) || failed(combine))
    return failure();
  SmallVector<Tensor> prefixes, states;
  for (size_t i = 0; i < n; ++i) {
    FailureOr<ElemType> type = elemType(op, op.getOuts()[i].getType());
    if (failed(type))
      return failure();
    FailureOr<Tensor> prefix = factory.allocate(op, *type, *sizes);
    Tensor state = *take(op, op.getOuts()[n + i], env).tensor;
    if (failed(prefix) || failed(factory.mutableData(op, state)))
      return failure();
    prefixes.push_back(*prefix);
    states.push_back(std::move(state));
  }

  int dim = int(op.getDim());
  int64_t length = (*sizes)[dim];
  bool reverse = op.getReverse(), exclusive = op.getExclusive();
  SmallVector<unsigned> outer = dimsBut(dim, sizes->size());
  LaneWalk walk(*sizes, outer, -1, 1);
  Shape strides = stridesOf(*sizes);
  LinearForm place{strides, 0};
  double cost =
      double(*countPoints(*sizes)) * double(lift->program->code.size() + 4);
  LogicalResult result = forEachItem(
      walk.numItems(), cost, *lift,
      [&](Frame &frame, int64_t begin, int64_t end, Report report) {
        SerialFold fold(*combine);
        SmallVector<int64_t> point(sizes->size(), 0);
        int lanes = lift->program->lanes;
        for (int64_t item = begin; item < end; ++item) {
          walk.start(item, point);
          for (size_t i = 0; i < n; ++i)
            fold.state(i) = states[i].get(item);
          for (int64_t first = 0; first < length; first += lanes) {
            int count = int(std::min<int64_t>(lanes, length - first));
            point[dim] = reverse ? length - 1 - first : first;
            int step = reverse ? -1 : 1;
            lift->place(frame, point, dim, count, step);
            if (!frame.run(count))
              return report(frame);
            int64_t offset = place.at(point);
            for (int l = 0; l < count; ++l, offset += step * strides[dim]) {
              auto store = [&] {
                for (size_t i = 0; i < n; ++i)
                  storeCell(prefixes[i].storage->data, prefixes[i].type.store(),
                            offset, fold.state(i));
              };
              if (exclusive)
                store();
              if (!fold.combine(frame, l))
                return report(fold.frame);
              if (!exclusive)
                store();
            }
          }
          for (size_t i = 0; i < n; ++i)
            storeCell(states[i].storage->data, states[i].type.store(), item,
                      fold.state(i));
        }
        return true;
      });
  if (failed(result))
    return failure();
  prefixes.append(states);
  for (auto [value, tensor] : llvm::zip(op.getResults(), prefixes))
    if (failed(set(value, std::move(tensor), env)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// tang.scatter
//===----------------------------------------------------------------------===//

LogicalResult Executor::runScatter(ScatterOp op, Environment &env) {
  FailureOr<Shape> sizes = domainOf(op, env);
  FailureOr<const Program *> program = getLift(op, /*fused=*/false);
  if (failed(sizes) || failed(program))
    return failure();
  FailureOr<BoundProgram> lift = bindBody(op, **program, *sizes, env);
  if (failed(lift))
    return failure();
  size_t n = op.getOuts().size(), rank = op.getDestRank();
  std::optional<SerialFold> fold;
  FailureOr<BoundProgram> combine = failure();
  if (Attribute monoid = op.getMonoidAttr()) {
    combine = bindCombine(op, monoid, n, n, env);
    if (failed(combine))
      return failure();
    fold.emplace(*combine);
  }
  SmallVector<Tensor> results;
  for (Value out : op.getOuts()) {
    Tensor result = *take(op, out, env).tensor;
    if (failed(factory.mutableData(op, result)))
      return failure();
    results.push_back(std::move(result));
  }
  const Shape shape = results[0].shape;
  std::vector<bool> written;
  if (op.getUnique())
    written.resize(results[0].numElements());

  int laneDim = int(sizes->size()) - 1;
  SmallVector<unsigned> outer = dimsBut(laneDim, sizes->size());
  LaneWalk walk(*sizes, outer, laneDim, (*program)->lanes);
  ArrayRef<Reg> yielded = (*program)->results;
  Frame frame = lift->makeFrame();
  SmallVector<int64_t> point(sizes->size(), 0);
  for (int64_t item = 0; item < walk.numItems(); ++item) {
    int lanes = walk.start(item, point);
    lift->place(frame, point, laneDim, lanes);
    if (!frame.run(lanes))
      return frame.reportFailure();
    for (int l = 0; l < lanes; ++l) {
      if (yielded.size() > n + rank && !frame.reg(yielded.back())[l].i)
        continue;
      int64_t offset = 0;
      bool isInside = true;
      for (size_t d = 0; d < rank; ++d) {
        int64_t position = frame.reg(yielded[n + d])[l].i;
        isInside &= uint64_t(position) < uint64_t(shape[d]);
        offset = isInside ? offset * shape[d] + position : 0;
      }
      if (!isInside)
        continue;
      if (op.getUnique()) {
        if (written[offset]) {
          auto diagnostic = op.emitOpError("is unique, but two points write [");
          llvm::interleaveComma(
              ArrayRef(yielded).slice(n, rank), diagnostic,
              [&](Reg r) { diagnostic << frame.reg(r)[l].i; });
          return diagnostic << "]";
        }
        written[offset] = true;
      }
      if (fold) {
        for (size_t i = 0; i < n; ++i)
          fold->state(i) = results[i].get(offset);
        if (!fold->combine(frame, l))
          return fold->frame.reportFailure();
      }
      for (size_t i = 0; i < n; ++i)
        storeCell(results[i].storage->data, results[i].type.store(), offset,
                  fold ? fold->state(i) : frame.reg(yielded[i])[l]);
    }
  }
  for (auto [value, result] : llvm::zip(op.getResults(), results))
    if (failed(set(value, std::move(result), env)))
      return failure();
  return success();
}
