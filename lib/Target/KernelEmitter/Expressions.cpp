//===- Expressions.cpp - Operations as expressions ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Integers. Signless integers are read as signed or unsigned, whatever their
// last operation made of them, and converted only where the next one needs the
// other reading. In C, a sum that may overflow is one of unsigned numbers;
// narrow integers compute as `int`, which cannot overflow there (their product
// as unsigned may), and are cut to size after each operation. Index arithmetic
// does not overflow and is plain.
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Building blocks
//===----------------------------------------------------------------------===//

InFlightDiagnostic FunctionEmitter::unsupported(Operation *op) {
  return op->emitOpError() << "has no spelling in " << language.getName();
}

ValueExpr FunctionEmitter::get(Value value) {
  auto constantOp = value.getDefiningOp<arith::ConstantOp>();
  if (constantOp)
    return constant(constantOp);
  auto it = values.find(value);
  assert(it != values.end() && "value is used before it is emitted");
  return it->second;
}

ValueExpr FunctionEmitter::constant(arith::ConstantOp op) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    // The same number in all places, which is what vectors are filled with.
    auto number = language.floatLiteral(dense.getSplatValue<APFloat>());
    FailureOr<ValueExpr> vector =
        onVectors(op, "vector.broadcast", cast<VectorType>(op.getType()),
                  ValueExpr(number));
    return succeeded(vector) ? *vector : ValueExpr();
  }
  if (auto attr = dyn_cast<FloatAttr>(op.getValue())) {
    const APFloat &value = attr.getValue();
    auto plain = APFloat::getNaN(value.getSemantics(), value.isNegative());
    if (!value.isNaN() || value.bitwiseIsEqual(plain))
      return language.floatLiteral(value);
    // Another NaN than the usual one.
    Type intType = IntegerType::get(op.getContext(), widthOf(op.getType()));
    if (auto callee = language.bitcast(intType, op.getType())) {
      if (callee->helper)
        helpers[callee->name] = *callee->helper;
      ValueExpr bits =
          language.intLiteral(intType, value.bitcastToAPInt(), true);
      return call(callee->name, {bits});
    }
    return language.floatLiteral(value);
  }
  APInt value = cast<IntegerAttr>(op.getValue()).getValue();
  ValueExpr result = language.intLiteral(op.getType(), value, false);
  result.literal = value;
  result.mayBeInt = true;
  return result;
}

ValueExpr FunctionEmitter::reading(ValueExpr expr, Type type, bool isUnsigned) {
  if (expr.isUnsigned == isUnsigned || type.isInteger(1))
    return expr;
  if (expr.literal) {
    ValueExpr result = language.intLiteral(type, *expr.literal, isUnsigned);
    result.literal = expr.literal;
    result.isUnsigned = isUnsigned;
    // Unsigned literals of 64 bits may be only 32 wide as well.
    result.mayBeInt = true;
    return result;
  }
  ValueExpr result = language.cast(type, isUnsigned, expr);
  result.isUnsigned = isUnsigned;
  result.readsMemory = expr.readsMemory;
  return result;
}

ValueExpr FunctionEmitter::forSignedUse(const ValueExpr &expr, Type type) {
  // Compilers object to a constant that a narrow signed type does not hold.
  bool isImplicit = isFloats(type) ||
                    (language.convertsSignImplicitly() && widthOf(type) >= 32);
  return isImplicit ? expr : reading(expr, type, false);
}

ValueExpr FunctionEmitter::binary(StringRef symbol, Precedence precedence,
                                  const ValueExpr &lhs, const ValueExpr &rhs) {
  // C's levels for + - * / are common knowledge; elsewhere parentheses help
  // the reader, and compilers warn without them.
  auto side = [&](const ValueExpr &expr, bool isRight) {
    Precedence p = expr.precedence;
    bool isBitwise = precedence == Precedence::BitAnd ||
                     precedence == Precedence::BitOr ||
                     precedence == Precedence::BitXor;
    bool fits;
    switch (precedence) {
    case Precedence::Shift:
      fits = p >= Precedence::Unary;
      break;
    case Precedence::LogicalAnd:
    case Precedence::LogicalOr:
      fits = p == precedence || p >= Precedence::Equality;
      break;
    case Precedence::Equality:
    case Precedence::Relational:
      fits = p >= Precedence::Additive;
      break;
    default:
      fits = isBitwise ? p >= Precedence::Unary || (p == precedence && !isRight)
                       : p > precedence || (p == precedence && !isRight);
    }
    return fits ? expr.text : "(" + expr.text + ")";
  };
  ValueExpr result;
  result.text = side(lhs, false) + " " + symbol.str() + " " + side(rhs, true);
  result.precedence = precedence;
  result.isUnsigned = lhs.isUnsigned;
  result.readsMemory = lhs.readsMemory || rhs.readsMemory;
  result.mayBeInt = lhs.mayBeInt && rhs.mayBeInt;
  return result;
}

ValueExpr FunctionEmitter::call(StringRef name, ArrayRef<ValueExpr> arguments) {
  ValueExpr result;
  result.text = name.str() + "(";
  llvm::raw_string_ostream stream(result.text);
  llvm::interleaveComma(arguments, stream,
                        [&](const ValueExpr &e) { stream << e.text; });
  result.text += ")";
  for (const ValueExpr &argument : arguments)
    result.readsMemory |= argument.readsMemory;
  return result;
}

FailureOr<ValueExpr> FunctionEmitter::callee(Operation *op, StringRef name,
                                             Type type,
                                             ArrayRef<ValueExpr> arguments) {
  auto found = language.callee(name, type);
  if (!found)
    return unsupported(op);
  if (found->helper)
    helpers[found->name] = *found->helper;
  return call(found->name, arguments);
}

ValueExpr FunctionEmitter::element(Value memref, ValueRange indices) {
  ValueExpr result = get(memref);
  result.readsMemory = true;
  auto array = memref.getDefiningOp<memref::AllocaOp>();
  if (array && array.getType().getNumElements() == 1)
    return result;
  for (Value index : indices)
    result.text += "[" + reading(get(index), index.getType(), false).text + "]";
  if (indices.empty())
    result.text += "[0]";
  return result;
}

FailureOr<ValueExpr> FunctionEmitter::onVectors(Operation *op, StringRef name,
                                                VectorType type,
                                                ArrayRef<ValueExpr> arguments) {
  auto declaration = language.vectorType(type);
  auto found = language.vectorCallee(name, type);
  if (!declaration || !found)
    return unsupported(op);
  // Before all others, which use it.
  helpers[" " + declaration->name] = *declaration;
  if (found->helper)
    helpers[found->name] = *found->helper;
  return call(found->name, arguments);
}

//===----------------------------------------------------------------------===//
// Small floats that the language stores itself
//===----------------------------------------------------------------------===//

std::optional<NativeStorage> FunctionEmitter::storageOf(Value memref) const {
  auto it = dtypes.find(memref);
  return it == dtypes.end() ? std::nullopt : language.nativeStorage(it->second);
}

std::string FunctionEmitter::calleeName(const SourceCallee &callee) {
  if (callee.helper)
    helpers[callee.helper->name] = *callee.helper;
  return callee.name;
}

/// The function of type emulation that `op` calls, without its prefix.
static StringRef emulationCall(Operation *op) {
  auto call = dyn_cast<func::CallOp>(op);
  StringRef name = call ? call.getCallee() : "";
  return name.consume_front("tang_") ? name : "";
}

/// The element as it is if only its conversion to float reads it, which then is
/// the language's; otherwise its bits.
ValueExpr FunctionEmitter::loadNative(memref::LoadOp load,
                                      const NativeStorage &storage) {
  ValueExpr result = element(load.getMemRef(), load.getIndices());
  std::string conversion = dtypes[load.getMemRef()] + "_to_f32";
  if (inlined.contains(load) &&
      emulationCall(*load->getUsers().begin()) == conversion) {
    result.isNative = true;
    return result;
  }
  ValueExpr bits = call(storage.toBits, {result});
  bits.readsMemory = true;
  return bits;
}

/// Whether a sum, however far away, may read what `op` computes.
static bool mayFeedSum(Operation *op) {
  return !llvm::all_of(op->getUsers(), [](Operation *user) {
    if (auto store = dyn_cast<memref::StoreOp>(user)) {
      Value buffer = store.getMemRef();
      return isa<BlockArgument>(buffer) &&
             llvm::none_of(buffer.getUsers(), llvm::IsaPred<memref::LoadOp>);
    }
    return isa<arith::MulFOp, arith::DivFOp, arith::CmpFOp, arith::FPToSIOp,
               arith::FPToUIOp>(user);
  });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Whether an index is seen not to be negative, so that it is the same number
/// with and without sign. Sums and products of indices do not overflow.
static bool isNonNegative(Value value, unsigned depth = 0) {
  if (depth > 8)
    return false;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(parent))
      return kernel.getArgAttr(argument.getArgNumber(), "tang.size") != nullptr;
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() &&
           isNonNegative(loop.getLowerBound(), depth + 1);
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::ThreadIdOp, gpu::BlockDimOp>(op))
    return true;
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::RemUIOp,
             arith::DivSIOp, arith::RemSIOp, arith::MinSIOp, arith::MinUIOp>(
             op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isNonNegative(operand, depth + 1);
         });
}

/// Whether both operands are such indices.
static bool areNonNegative(Operation *op) {
  return llvm::all_of(op->getOperands(), [](Value operand) {
    return operand.getType().isIndex() && isNonNegative(operand);
  });
}

namespace {
/// How an integer operation is written: its operator and what it needs.
struct IntegerRule {
  StringRef symbol;
  Precedence precedence;
  /// The reading that both operands must have; `Any`: the same one.
  enum Reading { Signed, Unsigned, Any, Wrapping } reading;
  /// Whether the result of a narrow operation leaves its type.
  bool leavesRange;
};
} // namespace

static std::optional<IntegerRule> ruleFor(Operation *op) {
  using R = IntegerRule;
  using P = Precedence;
  return llvm::TypeSwitch<Operation *, std::optional<R>>(op)
      .Case(
          [](arith::AddIOp) { return R{"+", P::Additive, R::Wrapping, true}; })
      .Case(
          [](arith::SubIOp) { return R{"-", P::Additive, R::Wrapping, true}; })
      .Case([](arith::MulIOp) {
        return R{"*", P::Multiplicative, R::Wrapping, true};
      })
      .Case([](arith::DivSIOp) {
        return R{"/", P::Multiplicative, R::Signed, true};
      })
      .Case([](arith::RemSIOp) {
        return R{"%", P::Multiplicative, R::Signed, false};
      })
      .Case([](arith::DivUIOp) {
        return R{"/", P::Multiplicative, R::Unsigned, false};
      })
      .Case([](arith::RemUIOp) {
        return R{"%", P::Multiplicative, R::Unsigned, false};
      })
      .Case([](arith::AndIOp) { return R{"&", P::BitAnd, R::Any, false}; })
      .Case([](arith::OrIOp) { return R{"|", P::BitOr, R::Any, false}; })
      .Case([](arith::XOrIOp) { return R{"^", P::BitXor, R::Any, false}; })
      .Case([](arith::ShLIOp) { return R{"<<", P::Shift, R::Unsigned, true}; })
      .Case(
          [](arith::ShRUIOp) { return R{">>", P::Shift, R::Unsigned, false}; })
      .Case([](arith::ShRSIOp) { return R{">>", P::Shift, R::Signed, false}; })
      .Default(std::nullopt);
}

FailureOr<ValueExpr> FunctionEmitter::integerBinary(Operation *op) {
  IntegerRule rule = *ruleFor(op);
  Type type = op->getResult(0).getType();
  unsigned width = widthOf(type);
  bool isNarrow = width < 32 && language.promotesNarrowIntegers();
  ValueExpr lhs = operand(op, 0), rhs = operand(op, 1);

  if (isa<arith::XOrIOp>(op) && rhs.literal && rhs.literal->isAllOnes() &&
      !lhs.mayBeInt) {
    ValueExpr x = isNarrow ? reading(lhs, type, false) : lhs;
    ValueExpr result(
        SourceExpr{"~" + x.within(Precedence::Unary), Precedence::Unary},
        x.isUnsigned);
    result.readsMemory = x.readsMemory;
    return result;
  }

  bool isUnsigned = false;
  switch (rule.reading) {
  case IntegerRule::Signed:
    break;
  case IntegerRule::Unsigned:
    isUnsigned = !areNonNegative(op);
    break;
  case IntegerRule::Any:
    isUnsigned = lhs.literal
                     ? rhs.isUnsigned
                     : lhs.isUnsigned || (rhs.isUnsigned && !rhs.literal);
    break;
  case IntegerRule::Wrapping:
    isUnsigned =
        !isNarrow && !type.isIndex() && !language.signedOverflowWraps();
    break;
  }
  bool isShift = rule.precedence == Precedence::Shift;
  // An amount is small and reads the same either way.
  ValueExpr left = reading(lhs, type, isUnsigned);
  ValueExpr right = isShift ? rhs : reading(rhs, type, isUnsigned);
  if (isShift && isNarrow && isa<arith::ShLIOp>(op))
    left = language.cast(IntegerType::get(op->getContext(), 32), true, lhs);
  else if (width == 64 && left.mayBeInt && (isShift || right.mayBeInt)) {
    // Both sides could be `int`; the operation is not.
    bool reads = left.readsMemory;
    left = ValueExpr(language.cast(type, isUnsigned, left), isUnsigned);
    left.readsMemory = reads;
  }
  ValueExpr result = binary(rule.symbol, rule.precedence, left, right);
  result.isUnsigned = isUnsigned;
  result.mayBeInt = false;
  if (isNarrow && rule.leavesRange) {
    bool reads = result.readsMemory;
    result = ValueExpr(language.cast(type, isUnsigned, result), isUnsigned);
    result.readsMemory = reads;
  }
  // Index values are always signed, which keeps loops and addresses plain.
  if (type.isIndex())
    return reading(result, type, false);
  return result;
}

FailureOr<ValueExpr> FunctionEmitter::boolBinary(Operation *op) {
  ValueExpr lhs = operand(op, 0), rhs = operand(op, 1);
  if (isa<arith::AndIOp>(op))
    return binary("&&", Precedence::LogicalAnd, lhs, rhs);
  if (isa<arith::OrIOp>(op))
    return binary("||", Precedence::LogicalOr, lhs, rhs);
  if (isa<arith::XOrIOp>(op)) {
    if (rhs.literal && rhs.literal->isOne()) {
      ValueExpr result(
          SourceExpr{"!" + lhs.within(Precedence::Unary), Precedence::Unary});
      result.readsMemory = lhs.readsMemory;
      return result;
    }
    ValueExpr left = lhs, right = rhs;
    // a < b != c < d needs its parentheses.
    left.text = lhs.within(Precedence::Unary);
    right.text = rhs.within(Precedence::Unary);
    left.precedence = right.precedence = Precedence::Primary;
    return binary("!=", Precedence::Equality, left, right);
  }
  return unsupported(op);
}

FailureOr<ValueExpr> FunctionEmitter::compareInts(arith::CmpIOp op) {
  Type type = op.getLhs().getType();
  ValueExpr lhs = get(op.getLhs()), rhs = get(op.getRhs());
  CmpIPredicate predicate = op.getPredicate();
  if (type.isInteger(1)) {
    ValueExpr left = lhs, right = rhs;
    left.text = lhs.within(Precedence::Unary);
    right.text = rhs.within(Precedence::Unary);
    left.precedence = right.precedence = Precedence::Primary;
    // tang-legalize-kernel makes logic of the other predicates.
    if (predicate == CmpIPredicate::eq)
      return binary("==", Precedence::Equality, left, right);
    if (predicate == CmpIPredicate::ne)
      return binary("!=", Precedence::Equality, left, right);
    return unsupported(op);
  }
  bool isUnsigned = false;
  StringRef symbol;
  switch (predicate) {
  case CmpIPredicate::eq:
    symbol = "==";
    break;
  case CmpIPredicate::ne:
    symbol = "!=";
    break;
  case CmpIPredicate::slt:
  case CmpIPredicate::ult:
    symbol = "<";
    break;
  case CmpIPredicate::sle:
  case CmpIPredicate::ule:
    symbol = "<=";
    break;
  case CmpIPredicate::sgt:
  case CmpIPredicate::ugt:
    symbol = ">";
    break;
  case CmpIPredicate::sge:
  case CmpIPredicate::uge:
    symbol = ">=";
    break;
  }
  bool isEquality =
      predicate == CmpIPredicate::eq || predicate == CmpIPredicate::ne;
  if (isEquality)
    isUnsigned =
        (lhs.isUnsigned && !lhs.literal) || (rhs.isUnsigned && !rhs.literal);
  else
    isUnsigned = predicate >= CmpIPredicate::ult && !areNonNegative(op);
  ValueExpr left = reading(lhs, type, isUnsigned);
  ValueExpr right = reading(rhs, type, isUnsigned);
  ValueExpr result =
      binary(symbol, isEquality ? Precedence::Equality : Precedence::Relational,
             left, right);
  result.isUnsigned = result.mayBeInt = false;
  return result;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

FailureOr<ValueExpr> FunctionEmitter::compareFloats(arith::CmpFOp op) {
  ValueExpr lhs = get(op.getLhs()), rhs = get(op.getRhs());
  Type type = op.getLhs().getType();
  auto relation = [&](StringRef symbol, bool isNegated) -> ValueExpr {
    Precedence precedence = symbol == "==" || symbol == "!="
                                ? Precedence::Equality
                                : Precedence::Relational;
    ValueExpr result = binary(symbol, precedence, lhs, rhs);
    if (isNegated) {
      result.text = "!(" + result.text + ")";
      result.precedence = Precedence::Unary;
    }
    return result;
  };
  auto function = [&](StringRef name, bool isNegated) -> FailureOr<ValueExpr> {
    auto result = op.getLhs() == op.getRhs() && name == "isunordered"
                      ? callee(op, "isnan", type, {lhs})
                      : callee(op, name, type, {lhs, rhs});
    if (succeeded(result) && isNegated) {
      result->text = "!" + result->text;
      result->precedence = Precedence::Unary;
    }
    return result;
  };
  // |x| = ∞, and |x| = ∞ or NaN.
  auto magnitude = op.getLhs().getDefiningOp<math::AbsFOp>();
  APFloat limit(0.0);
  bool isInfinity = magnitude && inlined.contains(magnitude) &&
                    matchPattern(op.getRhs(), m_ConstantFloat(&limit)) &&
                    limit.isInfinity() && !limit.isNegative();
  bool isOrdered = op.getPredicate() == CmpFPredicate::OEQ;
  StringRef test = isOrdered ? "isinf" : "isfinite";
  if (isInfinity && (isOrdered || op.getPredicate() == CmpFPredicate::UEQ) &&
      language.callee(test, type)) {
    auto result = callee(op, test, type, {get(magnitude.getOperand())});
    if (succeeded(result) && !isOrdered) {
      result->text = "!" + result->text;
      result->precedence = Precedence::Unary;
    }
    return result;
  }
  switch (op.getPredicate()) {
  case CmpFPredicate::AlwaysFalse:
    return ValueExpr(SourceExpr{"false"});
  case CmpFPredicate::AlwaysTrue:
    return ValueExpr(SourceExpr{"true"});
  case CmpFPredicate::OEQ:
    return relation("==", false);
  case CmpFPredicate::OGT:
    return relation(">", false);
  case CmpFPredicate::OGE:
    return relation(">=", false);
  case CmpFPredicate::OLT:
    return relation("<", false);
  case CmpFPredicate::OLE:
    return relation("<=", false);
  case CmpFPredicate::UNE:
    return relation("!=", false);
  case CmpFPredicate::UGT:
    return relation("<=", true);
  case CmpFPredicate::UGE:
    return relation("<", true);
  case CmpFPredicate::ULT:
    return relation(">=", true);
  case CmpFPredicate::ULE:
    return relation(">", true);
  case CmpFPredicate::ONE:
    return function("islessgreater", false);
  case CmpFPredicate::UEQ:
    return function("islessgreater", true);
  case CmpFPredicate::UNO:
    return function("isunordered", false);
  case CmpFPredicate::ORD:
    return function("isunordered", true);
  }
  return unsupported(op);
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

FailureOr<ValueExpr> FunctionEmitter::conversion(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  ValueExpr x = operand(op, 0);
  auto castTo = [&](const ValueExpr &value, bool isUnsigned) {
    ValueExpr result(language.cast(to, isUnsigned, value), isUnsigned);
    result.readsMemory = x.readsMemory;
    return result;
  };
  if (isa<arith::BitcastOp>(op)) {
    auto callee = language.bitcast(from, to);
    if (!callee)
      return unsupported(op);
    if (callee->helper)
      helpers[callee->name] = *callee->helper;
    bool toInt = !isa<FloatType>(to);
    ValueExpr result = call(callee->name, {toInt ? x : reading(x, from, true)});
    result.isUnsigned = toInt;
    return result;
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::FPToSIOp>(op))
    return castTo(x, false);
  if (isa<arith::FPToUIOp>(op))
    return castTo(x, true);
  if (isa<arith::SIToFPOp>(op))
    return castTo(reading(x, from, false), false);
  if (isa<arith::UIToFPOp>(op))
    return castTo(reading(x, from, true), false);
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op) && from.isInteger(1)) {
    ValueExpr result = castTo(x, false);
    result.text = "-" + result.text;
    return result;
  }
  if (to.isInteger(1)) {
    ValueExpr one =
        language.intLiteral(from, APInt(widthOf(from), 1), x.isUnsigned);
    ValueExpr zero =
        language.intLiteral(from, APInt(widthOf(from), 0), x.isUnsigned);
    ValueExpr bit = binary("&", Precedence::BitAnd, x, one);
    return binary("!=", Precedence::Equality, bit, zero);
  }
  bool isSame = widthOf(from) == widthOf(to);
  bool isNarrower = widthOf(from) > widthOf(to);
  if (isSame) // Between i64 and index, which is signed.
    return to.isIndex() ? reading(x, from, false) : x;
  if (isNarrower)
    return castTo(x, x.isUnsigned && !to.isIndex());
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    return castTo(reading(x, from, false), false);
  // A bit is the same number either way.
  return castTo(reading(x, from, true), !to.isIndex() && !from.isInteger(1));
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

FailureOr<ValueExpr> FunctionEmitter::libraryCall(Operation *op) {
  Type type = op->getOperand(0).getType();
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp,
                        math::CountLeadingZerosOp, math::CtPopOp>(op);
  SmallVector<ValueExpr> arguments;
  for (Value value : op->getOperands())
    arguments.push_back(isFloats(value.getType())
                            ? get(value)
                            : reading(get(value), value.getType(), isUnsigned));
  StringRef name = op->getName().getStringRef();
  if (auto vector = dyn_cast<VectorType>(type))
    return onVectors(op, name, vector, arguments);
  auto result = callee(op, name, type, arguments);
  if (succeeded(result))
    result->isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  if (succeeded(result) && type.isIndex())
    return reading(*result, type, false);
  return result;
}

SmallVector<SourceExpr> FunctionEmitter::signedOperands(Operation *op) {
  SmallVector<SourceExpr> operands;
  for (Value value : op->getOperands()) {
    bool isInteger = value.getType().isIntOrIndex();
    ValueExpr expr = get(value);
    operands.push_back(isInteger ? reading(expr, value.getType(), false)
                                 : expr);
  }
  return operands;
}

FailureOr<ValueExpr> FunctionEmitter::expression(Operation *op) {
  Type type = op->getResult(0).getType();
  if (auto spelled = language.spell(op, signedOperands(op))) {
    ValueExpr result(std::move(*spelled));
    result.readsMemory = isa<memref::LoadOp>(op);
    for (Value value : op->getOperands())
      result.readsMemory |= get(value).readsMemory;
    return result;
  }
  if (ruleFor(op))
    return type.isInteger(1) ? boolBinary(op) : integerBinary(op);
  auto floatBinary = [&](StringRef symbol, Precedence precedence) {
    return binary(symbol, precedence, operand(op, 0), operand(op, 1));
  };
  using Result = FailureOr<ValueExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddFOp) {
        return Result(floatBinary("+", Precedence::Additive));
      })
      .Case([&](arith::SubFOp) {
        return Result(floatBinary("-", Precedence::Additive));
      })
      .Case([&](arith::MulFOp) -> Result {
        ValueExpr plain = floatBinary("*", Precedence::Multiplicative);
        if (!mayFeedSum(op))
          return plain;
        auto unfused =
            language.unfusedProduct(type, operand(op, 0), operand(op, 1));
        if (!unfused)
          return plain;
        ValueExpr result(*unfused);
        result.readsMemory = plain.readsMemory;
        return result;
      })
      .Case([&](arith::DivFOp) {
        return Result(floatBinary("/", Precedence::Multiplicative));
      })
      .Case([&](arith::NegFOp) -> Result {
        ValueExpr x = operand(op, 0);
        bool isSigned = StringRef(x.text).starts_with("-");
        ValueExpr result(SourceExpr{
            "-" + (isSigned ? "(" + x.text + ")" : x.within(Precedence::Unary)),
            Precedence::Unary});
        result.readsMemory = x.readsMemory;
        return result;
      })
      .Case([&](arith::CmpIOp compare) { return compareInts(compare); })
      .Case([&](arith::CmpFOp compare) { return compareFloats(compare); })
      .Case([&](arith::SelectOp select) -> Result {
        if (isa<MemRefType>(type))
          return unsupported(op);
        ValueExpr yes = get(select.getTrueValue());
        ValueExpr no = get(select.getFalseValue());
        bool isUnsigned =
            (yes.isUnsigned && !yes.literal) || (no.isUnsigned && !no.literal);
        if (!isa<FloatType>(type)) {
          yes = reading(yes, type, isUnsigned);
          no = reading(no, type, isUnsigned);
        }
        ValueExpr condition = operand(op, 0);
        ValueExpr result(language.select(condition, yes, no), isUnsigned);
        result.mayBeInt = yes.mayBeInt && no.mayBeInt;
        result.readsMemory =
            condition.readsMemory || yes.readsMemory || no.readsMemory;
        return result;
      })
      .Case([&](memref::LoadOp load) -> Result {
        if (auto storage = storageOf(load.getMemRef()))
          return loadNative(load, *storage);
        return element(load.getMemRef(), load.getIndices());
      })
      .Case([&](vector::LoadOp load) -> Result {
        ValueExpr address = element(load.getBase(), load.getIndices());
        address.text = "&" + address.text;
        return onVectors(op, "vector.load", load.getVectorType(), address);
      })
      .Case([&](vector::BroadcastOp broadcast) -> Result {
        if (isa<VectorType>(broadcast.getSourceType()))
          return unsupported(op);
        return onVectors(op, "vector.broadcast",
                         broadcast.getResultVectorType(), operand(op, 0));
      })
      .Case([&](func::CallOp callOp) -> Result {
        SmallVector<ValueExpr> arguments;
        for (Value value : callOp.getOperands()) {
          arguments.push_back(forSignedUse(get(value), value.getType()));
        }
        StringRef emulation = emulationCall(op);
        if (arguments.size() == 1 && get(callOp.getOperand(0)).isNative) {
          auto storage =
              language.nativeStorage(emulation.drop_back(strlen("_to_f32")));
          return call(calleeName(storage->load), {get(callOp.getOperand(0))});
        }
        // Rounded for a buffer of that type.
        auto store = dyn_cast<memref::StoreOp>(*op->getUsers().begin());
        if (inlined.contains(op) && store &&
            emulation.consume_front("f32_to_") &&
            dtypes.lookup(store.getMemRef()) == emulation)
          if (auto storage = language.nativeStorage(emulation)) {
            ValueExpr result = call(calleeName(storage->store), arguments);
            result.isNative = true;
            return result;
          }
        return call(callOp.getCallee(), arguments);
      })
      .Case([&](gpu::BlockIdOp) -> Result {
        return ValueExpr(SourceExpr{kernelInfo.blockName});
      })
      .Case([&](gpu::ThreadIdOp) -> Result {
        return ValueExpr(language.threadId(kernelInfo));
      })
      .Case([&](gpu::BlockDimOp) -> Result {
        ValueExpr result(language.blockDim(kernelInfo));
        result.mayBeInt = true;
        return result;
      })
      .Case<arith::ExtFOp, arith::TruncFOp, arith::FPToSIOp, arith::FPToUIOp,
            arith::SIToFPOp, arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp,
            arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp,
            arith::BitcastOp>([&](auto) { return conversion(op); })
      .Default([&](Operation *) -> Result {
        if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
          return libraryCall(op);
        return unsupported(op);
      });
}
