//===- Statements.cpp - Blocks, loops and variables -----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is inlined: a pure operation with one use in the same block, and a load
// if nothing on the way to its use writes that memory. Buffers do not overlap
// (kernel IR), so only a store to the same buffer counts. An expression that
// grows long becomes a variable all the same.
//
//===----------------------------------------------------------------------===//

#include "FunctionEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

/// An expression longer than this is a variable of its own.
static constexpr size_t maxInlineLength = 52;
/// A load does not move past more operations than this.
static constexpr unsigned maxInlineDistance = 1000;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void NameScopes::leave() {
  for (const Taken &taken : llvm::reverse(scopes.back())) {
    used.erase(taken.name);
    next[taken.base] = taken.previous;
  }
  scopes.pop_back();
}

std::string NameScopes::take(StringRef hint) {
  std::string base;
  for (char c : hint)
    base += llvm::isAlnum(c) ? c : '_';
  if (base.empty() || llvm::isDigit(base[0]) || base[0] == '_')
    base = "v" + base;
  // An underscore leads out of any family of reserved words (float2, …).
  if (language.isReserved(base))
    base += "_";
  // Nor do numbers lead out of a family with a reserved prefix (get_…).
  if (language.isReserved(base))
    base = "v_" + base;
  unsigned &number = next[base];
  unsigned previous = number;
  std::string name;
  do {
    name = base;
    if (number)
      name += (llvm::isAlpha(base.back()) ? "" : "_") + std::to_string(number);
    ++number;
  } while (used.contains(name) || language.isReserved(name));
  used.insert(name);
  scopes.back().push_back({name, base, previous});
  return name;
}

std::string FunctionEmitter::hintFor(Value value) const {
  if (auto result = dyn_cast<OpResult>(value)) {
    Operation *op = result.getOwner();
    if (auto name = op->getAttrOfType<StringAttr>("tang.name"))
      return name.str();
    if (auto array = op->getAttrOfType<ArrayAttr>("tang.name"))
      if (result.getResultNumber() < array.size())
        if (auto name = dyn_cast<StringAttr>(array[result.getResultNumber()]))
          return name.str();
    if (auto loc = dyn_cast<NameLoc>(op->getLoc()))
      return loc.getName().str();
    if (auto load = dyn_cast<memref::LoadOp>(op))
      return values.lookup(load.getMemRef()).text;
    if (isa<gpu::ThreadIdOp>(op))
      return "thread";
  }
  Type type = value.getType();
  if (type.isIndex())
    return "at";
  if (type.isInteger(1))
    return "cond";
  return isFloats(type) ? "t" : "n";
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void FunctionEmitter::line(const Twine &text) {
  os->indent(2 * indent) << text << "\n";
}

void FunctionEmitter::comment(Operation *op) {
  auto text = op->getAttrOfType<StringAttr>("tang.comment");
  if (!text)
    return;
  SmallVector<StringRef> lines;
  text.getValue().split(lines, '\n');
  // A backslash at the end of a line would continue the comment.
  for (StringRef part : lines)
    line("// " + part.rtrim(" \t\r\\"));
}

void FunctionEmitter::define(Value value, const ValueExpr &init,
                             StringRef hint) {
  std::string name = names.take(hint.empty() ? hintFor(value) : hint.str());
  line(language.declare(value.getType(), init.isUnsigned, name, init.text,
                        /*isConst=*/true) +
       ";");
  values[value] = ValueExpr(SourceExpr{name}, init.isUnsigned);
}

/// The operator of `target = target op x`.
static StringRef compoundOperator(Operation *op) {
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](arith::AddFOp) { return "+="; })
      .Case([](arith::SubFOp) { return "-="; })
      .Case([](arith::MulFOp) { return "*="; })
      .Case([](arith::DivFOp) { return "/="; })
      .Case([](arith::AddIOp op) {
        return op.getType().isIndex() ? StringRef("+=") : StringRef();
      })
      .Default(StringRef());
}

void FunctionEmitter::assign(StringRef target, Value value,
                             const ValueExpr &expr) {
  ValueExpr source = forSignedUse(expr, value.getType());
  Operation *op = value.getDefiningOp();
  if (op && inlined.contains(op) && !compoundOperator(op).empty()) {
    bool isCommutative = isa<arith::AddFOp, arith::MulFOp, arith::AddIOp>(op);
    for (unsigned i = 0; i < (isCommutative ? 2 : 1); ++i)
      if (get(op->getOperand(i)).text == target) {
        line(target + " " + compoundOperator(op) + " " +
             get(op->getOperand(1 - i)).text + ";");
        return;
      }
  }
  if (source.text == target)
    return;
  line(target + " = " + source.text + ";");
}

/// The loop-carried variables that the expression of `value` reads.
static void collectLeaves(Value value, const DenseSet<Operation *> &inlined,
                          llvm::SmallPtrSetImpl<void *> &leaves) {
  Operation *op = value.getDefiningOp();
  if (!op || !inlined.contains(op)) {
    leaves.insert(value.getAsOpaquePointer());
    return;
  }
  for (Value operand : op->getOperands())
    collectLeaves(operand, inlined, leaves);
}

void FunctionEmitter::assignAll(ArrayRef<std::string> targets,
                                ValueRange newValues, ValueRange carried) {
  // All at once: a value that reads a variable assigned before it is computed
  // first.
  SmallVector<ValueExpr> sources;
  for (Value value : newValues)
    sources.push_back(get(value));
  llvm::SmallPtrSet<void *, 8> assigned;
  for (auto [i, value] : llvm::enumerate(newValues)) {
    llvm::SmallPtrSet<void *, 8> leaves;
    collectLeaves(value, inlined, leaves);
    bool isHazard = llvm::any_of(
        leaves, [&](void *leaf) { return assigned.contains(leaf); });
    if (isHazard && !targets[i].empty()) {
      define(value, sources[i], "next");
      sources[i] = values[value];
      // The value's other uses are in this list; they may share the variable.
    }
    if (i < carried.size() && value != carried[i])
      assigned.insert(carried[i].getAsOpaquePointer());
  }
  for (auto [i, value] : llvm::enumerate(newValues))
    if (!targets[i].empty())
      assign(targets[i], value, sources[i]);
}

//===----------------------------------------------------------------------===//
// What is inlined
//===----------------------------------------------------------------------===//

static bool isExpression(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
          isa<memref::LoadOp, vector::LoadOp, vector::BroadcastOp, func::CallOp,
              gpu::BlockIdOp, gpu::ThreadIdOp, gpu::BlockDimOp>(op));
}

static bool writes(Operation *op, Value memref) {
  bool result = false;
  op->walk([&](Operation *inner) {
    if (auto store = dyn_cast<memref::StoreOp>(inner))
      result |= store.getMemRef() == memref;
    else if (auto store = dyn_cast<vector::StoreOp>(inner))
      result |= store.getBase() == memref;
  });
  return result;
}

void FunctionEmitter::planInlining(Block &block) {
  DenseMap<Operation *, unsigned> order;
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    order[&op] = ops.size();
    ops.push_back(&op);
  }
  // Where each operation's text ends up: at its last enclosing statement.
  DenseMap<Operation *, unsigned> position;
  for (Operation *op : llvm::reverse(ops)) {
    position[op] = order[op];
    if (!isExpression(op) || isa<arith::ConstantOp>(op) ||
        !op->getResult(0).hasOneUse())
      continue;
    Operation *user = *op->getResult(0).getUsers().begin();
    if (user->getBlock() != &block)
      continue;
    // A loop evaluates its bounds again and again.
    bool isLoopBound =
        isa<scf::ForOp>(user) &&
        op->getResult(0).getUses().begin()->getOperandNumber() != 0;
    unsigned target = position[user];
    Value memory;
    if (auto load = dyn_cast<memref::LoadOp>(op))
      memory = load.getMemRef();
    else if (auto load = dyn_cast<vector::LoadOp>(op))
      memory = load.getBase();
    if (memory) {
      // Looking further would take time, and nobody would see the connection.
      bool isWritten = isLoopBound || target > order[op] + maxInlineDistance;
      for (unsigned i = order[op] + 1; i < target && !isWritten; ++i)
        isWritten = writes(ops[i], memory);
      // Region operations read their operands before they run.
      if (isWritten)
        continue;
    }
    // The condition of a loop is evaluated with its forwarded values.
    position[op] = target;
    inlined.insert(op);
  }
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FunctionEmitter::emitBlock(Block &block) {
  planInlining(block);
  for (Operation &op : block)
    if (failed(emitOp(&op)))
      return failure();
  return success();
}

LogicalResult FunctionEmitter::emitOp(Operation *op) {
  if (isa<arith::ConstantOp, scf::YieldOp, scf::ConditionOp, gpu::ReturnOp>(op))
    return success();
  emitArrays(op);
  if (isExpression(op)) {
    if (op->use_empty())
      return success();
    FailureOr<ValueExpr> expr = expression(op);
    if (failed(expr))
      return failure();
    Value result = op->getResult(0);
    // An expression that is a name needs no other one.
    bool isName =
        llvm::all_of(expr->text,
                     [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
        !isa<memref::LoadOp>(op) && !op->getAttr("tang.name");
    bool isStored = isa<memref::StoreOp>(*op->getUsers().begin());
    // A thread's number has a variable, as a block's has.
    bool inlines = inlined.contains(op) && !isa<gpu::ThreadIdOp>(op) &&
                   (expr->isNative ||
                    expr->text.size() <= maxInlineLength + (isStored ? 24 : 0));
    if (inlines || isName) {
      values[result] = *expr;
      return success();
    }
    inlined.erase(op);
    define(result, *expr);
    return success();
  }
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return emitReturn(ret);
  if (auto array = dyn_cast<memref::AllocaOp>(op)) {
    placeArray(array);
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    emitStore(store);
    return success();
  }
  if (auto store = dyn_cast<vector::StoreOp>(op)) {
    ValueExpr address = element(store.getBase(), store.getIndices());
    address.text = "&" + address.text;
    FailureOr<ValueExpr> statement =
        onVectors(op, "vector.store", store.getVectorType(),
                  {address, get(store.getValueToStore())});
    if (failed(statement))
      return failure();
    line(statement->text + ";");
    return success();
  }
  return unsupported(op);
}

/// The operation before which an array is declared: the first one that uses
/// it, or a branch or loop around that if others use it outside. An array lives
/// from one iteration of a loop to the next, unless each begins by writing it.
static Operation *placeOf(memref::AllocaOp array) {
  Block *home = array->getBlock();
  auto firstIn = [&](Block *block) -> Operation * {
    Operation *first = nullptr;
    for (Operation *user : array->getUsers()) {
      Operation *top = block->findAncestorOpInBlock(*user);
      if (!top)
        return nullptr;
      if (!first || top->isBeforeInBlock(first))
        first = top;
    }
    return first;
  };
  auto writesFirst = [&](Operation *first) {
    return isa<memref::StoreOp, vector::StoreOp, scf::ForOp>(first) &&
           llvm::none_of(array->getUsers(), [&](Operation *user) {
             return !isa<memref::StoreOp, vector::StoreOp>(user) &&
                    first->isAncestor(user);
           });
  };
  Operation *place = firstIn(home);
  while (true) {
    Operation *inner = nullptr;
    if (auto branch = dyn_cast<scf::IfOp>(place)) {
      inner = firstIn(branch.thenBlock());
      if (!inner && branch.elseBlock())
        inner = firstIn(branch.elseBlock());
    } else if (auto loop = dyn_cast<scf::ForOp>(place)) {
      inner = firstIn(loop.getBody());
      if (inner && !writesFirst(inner))
        inner = nullptr;
    }
    if (!inner)
      return place;
    place = inner;
  }
}

void FunctionEmitter::placeArray(memref::AllocaOp op) {
  if (!op->use_empty())
    arrays[placeOf(op)].push_back(op);
}

void FunctionEmitter::emitArrays(Operation *before) {
  auto it = arrays.find(before);
  if (it == arrays.end())
    return;
  for (memref::AllocaOp op : it->second) {
    std::string hint = "tile";
    if (auto name = op->getAttrOfType<StringAttr>("tang.name"))
      hint = name.str();
    else if (auto loc = dyn_cast<NameLoc>(op.getLoc()))
      hint = loc.getName().str();
    std::string name = names.take(hint);
    values[op] = ValueExpr(SourceExpr{name});
    // An array of one element is a variable, which its first store declares.
    Type type = op.getType().getElementType();
    auto store = dyn_cast<memref::StoreOp>(before);
    if (op.getType().getNumElements() != 1)
      line(language.alignment(op.getAlignment().value_or(0)) +
           language.declareArray(op.getType(), name) + ";");
    else if (!store || store.getMemRef() != op)
      line(language.declare(type, false, name, "", /*isConst=*/false) + ";");
  }
}

void FunctionEmitter::emitStore(memref::StoreOp op) {
  Value value = op.getValue();
  auto array = op.getMemRef().getDefiningOp<memref::AllocaOp>();
  if (array && array.getType().getNumElements() == 1 &&
      llvm::is_contained(arrays.lookup(op), array)) {
    std::string init = forSignedUse(get(value), value.getType()).text;
    line(language.declare(value.getType(), false, values[array].text, init,
                          /*isConst=*/false) +
         ";");
    return;
  }
  SmallVector<std::string> lines = language.spellStore(op, signedOperands(op));
  for (const std::string &text : lines)
    line(text);
  if (!lines.empty())
    return;
  ValueExpr target = element(op.getMemRef(), op.getIndices());
  ValueExpr source = get(value);
  if (auto storage = storageOf(op.getMemRef())) {
    std::string text = source.text;
    if (!source.isNative)
      text = storage->fromBits + "(" +
             forSignedUse(source, value.getType()).text + ")";
    line(target.text + " = " + text + ";");
    return;
  }
  assign(target.text, value, source);
}

LogicalResult FunctionEmitter::emitReturn(func::ReturnOp op) {
  if (op.getNumOperands() == 0)
    return success();
  ValueExpr value =
      forSignedUse(get(op.getOperand(0)), op.getOperand(0).getType());
  line("return " + value.text + ";");
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

std::string FunctionEmitter::declareCarried(
    Value value, const std::optional<ValueExpr> &init, StringRef hint) {
  std::string name = names.take(hint);
  std::string text;
  if (init)
    text = forSignedUse(*init, value.getType()).text;
  line(language.declare(value.getType(), false, name, text,
                        /*isConst=*/false) +
       ";");
  values[value] = ValueExpr(SourceExpr{name});
  return name;
}

LogicalResult FunctionEmitter::emitFor(scf::ForOp loop) {
  Type type = loop.getInductionVar().getType();
  bool isUnsigned = loop.getUnsignedCmp();
  // What the loop evaluates in each step should be short and constant.
  auto bound = [&](Value value, StringRef hint) {
    ValueExpr expr = reading(get(value), type, isUnsigned);
    if (!expr.readsMemory && expr.text.size() <= 20 &&
        !StringRef(expr.text).contains("tang_"))
      return expr;
    std::string name = names.take(hint);
    line(language.declare(type, isUnsigned, name, expr.text, true) + ";");
    return ValueExpr(SourceExpr{name}, isUnsigned);
  };
  comment(loop);
  SmallVector<std::string> carried;
  for (auto [argument, init, result] : llvm::zip(
           loop.getRegionIterArgs(), loop.getInitArgs(), loop.getResults())) {
    // A value that nobody reads is not carried.
    bool isDead = argument.use_empty() && result.use_empty();
    std::string hint = hintFor(result);
    if (hint == "t" || hint == "n" || hint == "at" || hint == "cond")
      hint = isFloats(argument.getType()) ? "acc" : "state";
    carried.push_back(isDead ? std::string()
                             : declareCarried(argument, get(init), hint));
    // (A copy: the map may move when it grows.)
    if (!isDead) {
      ValueExpr known = values[argument];
      values[result] = known;
    }
  }
  ValueExpr lower = reading(get(loop.getLowerBound()), type, isUnsigned);
  ValueExpr upper = bound(loop.getUpperBound(), "end");
  ValueExpr step = bound(loop.getStep(), "step");

  names.enter();
  StringRef letters = "ijklmpqrs";
  std::string hint(1, letters[std::min<size_t>(loopDepth, letters.size() - 1)]);
  if (auto name = loop->getAttrOfType<StringAttr>("tang.iv"))
    hint = name.str();
  std::string iv = names.take(hint);
  values[loop.getInductionVar()] = ValueExpr(SourceExpr{iv}, isUnsigned);
  std::string increment = step.literal && step.literal->isOne()
                              ? language.increment(iv)
                              : iv + " += " + step.text;
  std::string limit = upper.within(Precedence::Additive);
  line("for (" + language.declare(type, isUnsigned, iv, lower.text, false) +
       "; " + iv + " < " + limit + "; " + increment + ") {");
  ++indent;
  ++loopDepth;
  if (failed(emitBlock(*loop.getBody())))
    return failure();
  assignAll(carried, loop.getYieldedValues(), loop.getRegionIterArgs());
  --loopDepth;
  --indent;
  names.leave();
  line("}");
  return success();
}

LogicalResult FunctionEmitter::emitIf(scf::IfOp op) {
  comment(op);
  std::string condition = get(op.getCondition()).text;
  SmallVector<std::string> targets;
  for (Value result : op.getResults()) {
    bool isDead = result.use_empty();
    targets.push_back(isDead ? std::string()
                             : declareCarried(result, {}, hintFor(result)));
  }
  auto emitRegion = [&](Block &block) -> LogicalResult {
    names.enter();
    ++indent;
    if (failed(emitBlock(block)))
      return failure();
    assignAll(targets, block.getTerminator()->getOperands(), {});
    --indent;
    names.leave();
    return success();
  };
  line("if (" + condition + ") {");
  if (failed(emitRegion(*op.thenBlock())))
    return failure();
  if (Block *otherwise = op.elseBlock();
      otherwise &&
      (otherwise->getOperations().size() > 1 || !targets.empty())) {
    line("} else {");
    if (failed(emitRegion(*otherwise)))
      return failure();
  }
  line("}");
  return success();
}

void FunctionEmitter::emitBreakUnless(scf::ConditionOp op) {
  std::string condition = get(op.getCondition()).within(Precedence::Unary);
  for (const std::string &text : language.breakUnless(condition))
    line(text);
}

LogicalResult FunctionEmitter::emitWhile(scf::WhileOp loop) {
  comment(loop);
  Block &before = *loop.getBeforeBody(), &after = *loop.getAfterBody();
  SmallVector<std::string> carried, results;
  for (auto [argument, init] :
       llvm::zip(before.getArguments(), loop.getInits())) {
    std::string name = declareCarried(argument, get(init), "state");
    carried.push_back(argument.use_empty() ? std::string() : name);
    if (argument.use_empty())
      line(language.discard(name));
  }
  scf::ConditionOp condition = loop.getConditionOp();
  // Forwarded values are variables that outlive the loop, unless they are the
  // carried ones in place.
  bool forwardsCarried =
      llvm::equal(condition.getArgs(), before.getArguments());
  bool isPlain = forwardsCarried && llvm::all_of(before, [](Operation &op) {
                   return isExpression(&op) || isa<scf::ConditionOp>(op);
                 });
  if (!forwardsCarried)
    for (Value result : loop.getResults())
      results.push_back(declareCarried(result, {}, hintFor(result)));
  auto bindForwarded = [&] {
    for (auto [i, argument] : llvm::enumerate(after.getArguments())) {
      ValueExpr expr = forwardsCarried ? values[before.getArgument(i)]
                                       : ValueExpr(SourceExpr{results[i]});
      values[argument] = expr;
      values[loop.getResult(i)] = expr;
    }
  };

  names.enter();
  // `while (condition)` if the condition is one expression.
  if (isPlain) {
    std::string text;
    llvm::raw_string_ostream scratch(text);
    llvm::raw_ostream *saved = std::exchange(os, &scratch);
    LogicalResult emitted = emitBlock(before);
    os = saved;
    if (failed(emitted))
      return failure();
    if (text.empty()) {
      line("while (" + get(condition.getCondition()).text + ") {");
      ++indent;
    } else {
      line("for (;;) {");
      ++indent;
      *os << text;
      emitBreakUnless(condition);
    }
  } else {
    line("for (;;) {");
    ++indent;
    if (failed(emitBlock(before)))
      return failure();
    if (!forwardsCarried)
      assignAll(results, condition.getArgs(), {});
    emitBreakUnless(condition);
  }
  bindForwarded();
  if (failed(emitBlock(after)))
    return failure();
  assignAll(carried, loop.getYieldOp().getOperands(),
            forwardsCarried ? ValueRange(after.getArguments())
                            : ValueRange(before.getArguments()));
  --indent;
  names.leave();
  line("}");
  return success();
}
