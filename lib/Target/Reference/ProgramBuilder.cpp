//===- ProgramBuilder.cpp - From bodies to programs: structure
//-------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuilder.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using namespace mlir::tang::reference;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

FailureOr<ElemType> tang::reference::elemType(Operation *op, Type type) {
  if (auto known = ElemType::get(getElementTypeOrSelf(type)))
    return *known;
  return op->emitError("reference interpreter: type ")
         << type << " is not supported";
}

LogicalResult tang::reference::unsupported(Operation *op) {
  return op->emitError("reference interpreter: '")
         << op->getName() << "' is not supported";
}

std::optional<Cell> tang::reference::constantCell(Attribute attr) {
  if (auto value = dyn_cast_or_null<FloatAttr>(attr)) {
    if (!ElemType::get(value.getType()))
      return std::nullopt;
    APFloat number = value.getValue();
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return real(number.convertToDouble());
  }
  if (auto value = dyn_cast_or_null<IntegerAttr>(attr))
    if (value.getValue().getBitWidth() <= 64)
      return integer(value.getValue().getSExtValue());
  return std::nullopt;
}

Reg ProgramBuilder::constant(Cell value) {
  Reg reg = newReg();
  program.constants.push_back({reg, value});
  return reg;
}

Reg ProgramBuilder::emit(Instr instr) {
  instr.dst = newReg();
  program.code.push_back(instr);
  return instr.dst;
}

void ProgramBuilder::assign(ArrayRef<Reg> dst, ArrayRef<Reg> src) {
  if (dst.size() == 1 && dst[0] == src[0])
    return;
  // The last instruction may write where its result is wanted, unless it is
  // one of several that set it (then there are jumps).
  if (dst.size() == 1 && program.lanes != 1 && !program.code.empty() &&
      program.code.back().dst == src[0] &&
      program.code.back().op < Opcode::LoadF64) {
    program.code.back().dst = dst[0];
    return;
  }
  SmallVector<Reg> from(src);
  for (Reg &reg : from)
    if (dst.size() > 1 && llvm::is_contained(dst, reg))
      reg = emit(Opcode::Move, reg);
  for (auto [to, reg] : llvm::zip(dst, from))
    move(to, reg);
}

Reg ProgramBuilder::rounded(DType format, Reg value) {
  if (!exact || format == DType::F64)
    return value;
  return emit(
      Instr{Opcode::RoundOperation, 64, uint8_t(format), 0, value, 0, 0, 0});
}

Reg ProgramBuilder::index(unsigned dim) {
  if (program.indices.size() <= dim)
    program.indices.resize(dim + 1);
  if (!program.indices[dim])
    program.indices[dim] = newReg();
  return *program.indices[dim];
}

Reg ProgramBuilder::get(Value value) {
  auto [it, isNew] = regs.try_emplace(value, 0);
  if (isNew) {
    it->second = newReg();
    program.scalars.push_back({value, it->second});
  }
  return it->second;
}

uint32_t ProgramBuilder::tensor(Value value) {
  auto *it = llvm::find(program.tensors, value);
  if (it == program.tensors.end()) {
    program.tensors.push_back(value);
    return program.tensors.size() - 1;
  }
  return it - program.tensors.begin();
}

Reg ProgramBuilder::load(uint32_t number, ElemType type) {
  constexpr Opcode loads[] = {Opcode::LoadF64, Opcode::LoadI1,
                              Opcode::LoadI8,  Opcode::LoadI16,
                              Opcode::LoadI32, Opcode::LoadI64};
  program.streams.push_back(number);
  Instr instr{loads[unsigned(type.store())]};
  instr.aux = program.streams.size() - 1;
  return emit(instr);
}

Reg ProgramBuilder::access(Opcode op, Value source, ArrayRef<Reg> indices,
                           std::optional<Reg> condition, Operation *from,
                           std::string what) {
  Access access;
  access.tensor = tensor(source);
  access.indices.append(indices.begin(), indices.end());
  access.condition = condition;
  access.op = from;
  access.what = std::move(what);
  program.accesses.push_back(std::move(access));
  Instr instr{op};
  instr.aux = program.accesses.size() - 1;
  if (op == Opcode::Dim)
    instr.a = indices[0];
  return emit(instr);
}

uint32_t ProgramBuilder::addCheck(Operation *op) {
  program.checks.push_back(op);
  return program.checks.size() - 1;
}

Reg ProgramBuilder::affine(AffineExpr expr, ArrayRef<Reg> dims,
                           ArrayRef<Reg> symbols) {
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    return constant(integer(cast<AffineConstantExpr>(expr).getValue()));
  case AffineExprKind::DimId:
    return dims[cast<AffineDimExpr>(expr).getPosition()];
  case AffineExprKind::SymbolId:
    return symbols[cast<AffineSymbolExpr>(expr).getPosition()];
  default:
    break;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Reg lhs = affine(binary.getLHS(), dims, symbols);
  Reg rhs = affine(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return emit(Opcode::AddI, lhs, rhs);
  case AffineExprKind::Mul:
    return emit(Opcode::MulI, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return emit(Opcode::FloorDivSI, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return emit(Opcode::CeilDivSI, lhs, rhs);
  default: {
    // Not negative for a positive divisor, unlike a remainder.
    Reg whole = emit(Opcode::FloorDivSI, lhs, rhs);
    return emit(Opcode::SubI, lhs, emit(Opcode::MulI, whole, rhs));
  }
  }
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Whether computing the region where it should not run could be noticed.
static bool needsJumps(Region &region) {
  return region
      .walk([](Operation *op) {
        bool isPlain =
            isa<arith::ArithDialect, math::MathDialect, affine::AffineDialect,
                TangDialect, ub::UBDialect>(op->getDialect()) ||
            isa<scf::IfOp, scf::YieldOp>(op);
        return isPlain ? WalkResult::advance() : WalkResult::interrupt();
      })
      .wasInterrupted();
}

LogicalResult ProgramBuilder::compileBranch(Region &region,
                                            SmallVectorImpl<Reg> &yielded) {
  if (region.empty())
    return success();
  if (failed(compile(region.front())))
    return failure();
  llvm::append_range(yielded,
                     get(region.front().getTerminator()->getOperands()));
  return success();
}

LogicalResult ProgramBuilder::compileIf(Operation *op) {
  auto ifOp = cast<scf::IfOp>(op);
  Reg condition = get(ifOp.getCondition());
  SmallVector<Reg> yes, no;
  if (!needsJumps(ifOp.getThenRegion()) && !needsJumps(ifOp.getElseRegion())) {
    if (failed(compileBranch(ifOp.getThenRegion(), yes)) ||
        failed(compileBranch(ifOp.getElseRegion(), no)))
      return failure();
    for (auto [result, x, y] : llvm::zip(ifOp.getResults(), yes, no))
      map(result, emit(Opcode::Select, condition, x, y));
    return success();
  }
  program.lanes = 1;
  SmallVector<Reg> results;
  for (Value result : ifOp.getResults()) {
    results.push_back(newReg());
    map(result, results.back());
  }
  uint32_t skip = here();
  program.code.push_back(Instr{Opcode::JumpIfFalse, 64, 0, 0, condition});
  if (failed(compileBranch(ifOp.getThenRegion(), yes)))
    return failure();
  for (auto [to, from] : llvm::zip(results, yes))
    move(to, from);
  uint32_t leave = here();
  program.code.push_back(Instr{Opcode::Jump});
  program.code[skip].aux = here();
  if (failed(compileBranch(ifOp.getElseRegion(), no)))
    return failure();
  for (auto [to, from] : llvm::zip(results, no))
    move(to, from);
  program.code[leave].aux = here();
  return success();
}

LogicalResult ProgramBuilder::compileFor(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  FailureOr<ElemType> type = elemType(op, loop.getInductionVar().getType());
  if (failed(type))
    return failure();
  program.lanes = 1;
  Reg step = get(loop.getStep()), upper = get(loop.getUpperBound());
  Instr check{Opcode::PositiveStep, 64, 0, 0, step};
  check.aux = addCheck(op);
  program.code.push_back(check);
  SmallVector<Reg> carried;
  for (auto [init, arg, result] : llvm::zip(
           loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
    carried.push_back(emit(Opcode::Move, get(init)));
    map(arg, carried.back());
    map(result, carried.back());
  }
  // The count of steps, so that the last one cannot overflow.
  unsigned bits = type->bits;
  Reg lower = get(loop.getLowerBound());
  bool isUnsigned = loop.getUnsignedCmp();
  auto compare = [&](arith::CmpIPredicate predicate, Reg a, Reg b) {
    return emit(
        Instr{Opcode::CmpI, uint8_t(bits), uint8_t(predicate), 0, a, b});
  };
  Reg runs = compare(isUnsigned ? arith::CmpIPredicate::ult
                                : arith::CmpIPredicate::slt,
                     lower, upper);
  Reg span = emitInt(bits, Opcode::SubI, upper, lower);
  Reg trips = emitInt(bits, Opcode::CeilDivUI, span, step);
  Reg zero = constant(integer(0)), one = constant(integer(1));
  Reg left = emit(Opcode::Select, runs, trips, zero);
  Reg induction = emit(Opcode::Move, lower);
  map(loop.getInductionVar(), induction);
  uint32_t head = here();
  Reg more = compare(arith::CmpIPredicate::ne, left, zero);
  uint32_t leave = here();
  program.code.push_back(Instr{Opcode::JumpIfFalse, 64, 0, 0, more});
  SmallVector<Reg> yielded;
  if (failed(compileBranch(loop.getRegion(), yielded)))
    return failure();
  // A fresh move, so that no instruction of the body is redirected.
  for (Reg &reg : yielded)
    reg = emit(Opcode::Move, reg);
  for (auto [to, from] : llvm::zip(carried, yielded))
    move(to, from);
  move(left, emitInt(bits, Opcode::SubI, left, one));
  move(induction, emitInt(bits, Opcode::AddI, induction, step));
  Instr back{Opcode::Jump};
  back.aux = head;
  program.code.push_back(back);
  program.code[leave].aux = here();
  return success();
}

LogicalResult ProgramBuilder::compileWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  program.lanes = 1;
  SmallVector<Reg> carried;
  for (auto [init, arg] :
       llvm::zip(loop.getInits(), loop.getBeforeArguments())) {
    carried.push_back(emit(Opcode::Move, get(init)));
    map(arg, carried.back());
  }
  uint32_t head = here();
  if (failed(compile(*loop.getBeforeBody())))
    return failure();
  scf::ConditionOp condition = loop.getConditionOp();
  for (auto [value, arg, result] : llvm::zip(
           condition.getArgs(), loop.getAfterArguments(), loop.getResults())) {
    Reg copy = emit(Opcode::Move, get(value));
    map(arg, copy);
    map(result, copy);
  }
  uint32_t leave = here();
  program.code.push_back(
      Instr{Opcode::JumpIfFalse, 64, 0, 0, get(condition.getCondition())});
  SmallVector<Reg> yielded;
  if (failed(compileBranch(loop.getAfter(), yielded)))
    return failure();
  for (Reg &reg : yielded)
    reg = emit(Opcode::Move, reg);
  for (auto [to, from] : llvm::zip(carried, yielded))
    move(to, from);
  Instr back{Opcode::Jump};
  back.aux = head;
  program.code.push_back(back);
  program.code[leave].aux = here();
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static bool hasShapes(Operation *op) {
  auto isShaped = [](Type type) { return isa<ShapedType>(type); };
  return llvm::any_of(op->getOperandTypes(), isShaped) ||
         llvm::any_of(op->getResultTypes(), isShaped);
}

LogicalResult ProgramBuilder::compile(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(compile(&op)))
      return failure();
  return success();
}

LogicalResult ProgramBuilder::compile(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() &&
      isa<RankedTensorType>(op->getResult(0).getType()))
    return success(); // Looked up when the program is bound.
  if (!elementwise && !isa<AtOp, tensor::ExtractOp, tensor::DimOp>(op) &&
      hasShapes(op))
    return unsupported(op);
  for (TypeRange types :
       {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types)
      if (failed(elemType(op, type)))
        return failure();
  if (isa<arith::ArithDialect>(op->getDialect()))
    return compileArith(op);
  if (std::optional<LogicalResult> result = compileMath(op))
    return *result;
  auto selectExtreme = [&](AffineMap map, bool greatest) {
    SmallVector<Reg> operands = get(op->getOperands());
    ArrayRef<Reg> all = operands;
    Reg best = 0;
    for (auto [i, expr] : llvm::enumerate(map.getResults())) {
      Reg value = affine(expr, all.take_front(map.getNumDims()),
                         all.drop_front(map.getNumDims()));
      best = i == 0
                 ? value
                 : emit(greatest ? Opcode::MaxSI : Opcode::MinSI, best, value);
    }
    this->map(op->getResult(0), best);
    return success();
  };
  // No operation of a body makes tensors, so all that there are come from
  // outside.
  auto isTensor = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](IndexOp indexOp) {
        map(indexOp.getResult(), index(indexOp.getDim()));
        return success();
      })
      .Case([&](AtOp at) -> LogicalResult {
        if (!isTensor(at.getSource()))
          return unsupported(op);
        std::optional<Reg> condition;
        if (at.getCondition())
          condition = get(at.getCondition());
        map(at.getResult(),
            access(Opcode::At, at.getSource(), get(at.getIndices()), condition,
                   op, "source"));
        return success();
      })
      .Case([&](tensor::ExtractOp extract) -> LogicalResult {
        if (!isTensor(extract.getTensor()))
          return unsupported(op);
        map(extract.getResult(),
            access(Opcode::Element, extract.getTensor(),
                   get(extract.getIndices()), std::nullopt, op, "tensor"));
        return success();
      })
      .Case([&](tensor::DimOp dim) -> LogicalResult {
        if (!isTensor(dim.getSource()))
          return unsupported(op);
        map(dim.getResult(),
            access(Opcode::Dim, dim.getSource(), {get(dim.getIndex())},
                   std::nullopt, op, ""));
        return success();
      })
      .Case([&](affine::AffineApplyOp apply) {
        return selectExtreme(apply.getAffineMap(), false);
      })
      .Case([&](affine::AffineMinOp min) {
        return selectExtreme(min.getAffineMap(), false);
      })
      .Case([&](affine::AffineMaxOp max) {
        return selectExtreme(max.getAffineMap(), true);
      })
      .Case([&](ub::PoisonOp poison) -> LogicalResult {
        FailureOr<ElemType> type = elemType(op, poison.getType());
        if (failed(type))
          return failure();
        map(poison.getResult(),
            constant(type->isFloat
                         ? real(std::numeric_limits<double>::quiet_NaN())
                         : integer(wrap(0x5a5a5a5a5a5a5a5a, type->bits))));
        return success();
      })
      .Case([&](cf::AssertOp assertion) {
        Instr check{Opcode::Assert, 64, 0, 0, get(assertion.getArg())};
        check.aux = addCheck(op);
        program.code.push_back(check);
        return success();
      })
      .Case([&](scf::IfOp) { return compileIf(op); })
      .Case([&](scf::ForOp) { return compileFor(op); })
      .Case([&](scf::WhileOp) { return compileWhile(op); })
      .Default([](Operation *other) { return unsupported(other); });
}
