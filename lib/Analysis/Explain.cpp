//===- Explain.cpp - What derivation did, in words ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Analysis/Explain.h"

#include "Tang/Analysis/KernelPlan.h"
#include "Tang/Dialect/Monoid.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

std::string mlir::tang::plural(int64_t count, StringRef what) {
  return (Twine(count) + " " + what + (count == 1 ? "" : "s")).str();
}

std::string mlir::tang::nameOf(Value value, AsmState &state) {
  std::string text;
  llvm::raw_string_ostream os(text);
  value.printAsOperand(os, state);
  return text;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// `8 x 96`; sizes of 1 say nothing.
static std::string formatSizes(ArrayRef<Count> sizes) {
  SmallVector<std::string> parts;
  for (const Count &size : sizes)
    if (size.get() != 1)
      parts.push_back(size.str());
  return llvm::join(parts, " x ");
}

std::string mlir::tang::describeOperation(Operation *op) {
  std::string text = op->getName().stripDialect().str();
  if (op->getName().getDialectNamespace() != "tang")
    return op->getName().getStringRef().str();
  auto structured = dyn_cast<StructuredOp>(op);
  if (!structured)
    return text;
  SmallVector<Count> over, on;
  for (int64_t d = 0, e = structured.getNumDims(); d < e; ++d)
    (structured.isParallelDim(d) ? on : over)
        .push_back(sizeOfDim(structured, d));
  auto attr = op->getAttr("monoid");
  std::string monoid;
  if (attr)
    if (FailureOr<Monoid> known = Monoid::get(attr, op); succeeded(known))
      monoid = known->getName();
  if (isa<ReduceOp>(op)) {
    std::string sizes = formatSizes(over);
    return monoid + " over " + (sizes.empty() ? "1 point" : sizes);
  }
  if (!monoid.empty())
    text += " " + monoid;
  std::string sizes = formatSizes(on);
  if (!over.empty())
    return text + " over " + formatSizes(over);
  return text + (sizes.empty() ? "" : " on " + sizes);
}

std::string mlir::tang::describePlace(Operation *op) {
  std::string text = describeOperation(op);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    text += (" at " + Twine(place.getLine()) + ":" + Twine(place.getColumn()))
                .str();
  return text;
}

/// `outer` is how strongly what stands around binds: 2 a product, 1 a sum.
static std::string formula(Value value, ArrayRef<Value> gauges, int outer,
                           int depth) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto it = llvm::find(gauges, value);
    if (it == gauges.end())
      return ("x" + Twine(argument.getArgNumber())).str();
    return gauges.size() == 1
               ? "r"
               : ("r" + Twine(std::distance(gauges.begin(), it))).str();
  }
  Operation *op = value.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
      os << number.getValueAsDouble();
    else
      constant.getValue().print(os, /*elideType=*/true);
    return text;
  }
  if (auto index = dyn_cast<IndexOp>(op))
    return ("d" + Twine(index.getDim())).str();
  if (depth == 0)
    return "...";
  StringRef sign =
      llvm::TypeSwitch<Operation *, StringRef>(op)
          .Case<arith::AddFOp, arith::AddIOp>([](auto) { return " + "; })
          .Case<arith::SubFOp, arith::SubIOp>([](auto) { return " - "; })
          .Case<arith::MulFOp, arith::MulIOp>([](auto) { return " * "; })
          .Case<arith::DivFOp>([](auto) { return " / "; })
          .Default([](auto) { return ""; });
  if (!sign.empty()) {
    int binds =
        isa<arith::AddFOp, arith::AddIOp, arith::SubFOp, arith::SubIOp>(op) ? 1
                                                                            : 2;
    // What stands to the right of - and / binds more strongly.
    std::string text = formula(op->getOperand(0), gauges, binds, depth - 1) +
                       sign.str() +
                       formula(op->getOperand(1), gauges, binds + 1, depth - 1);
    return binds < outer ? "(" + text + ")" : text;
  }
  if (isa<arith::NegFOp>(op))
    return "-" + formula(op->getOperand(0), gauges, 3, depth - 1);
  SmallVector<std::string> parts;
  for (Value operand : op->getOperands())
    parts.push_back(formula(operand, gauges, 0, depth - 1));
  return (op->getName().stripDialect() + "(" + llvm::join(parts, ", ") + ")")
      .str();
}

std::string mlir::tang::describeExpression(Value value,
                                           ArrayRef<Value> gauges) {
  return formula(value, gauges, /*outer=*/0, /*depth=*/5);
}

static SmallVector<Rule> readRules(Operation *op, StringRef name,
                                   bool hasEffect) {
  SmallVector<Rule> rules;
  auto list = op->getAttrOfType<ArrayAttr>(name);
  if (!list)
    return rules;
  for (Attribute attr : list) {
    auto string = dyn_cast<StringAttr>(attr);
    if (!string)
      continue;
    Rule rule;
    auto [head, rest] = string.getValue().split(": ");
    if (rest.empty())
      std::swap(head, rest);
    rule.name = head.trim().str();
    auto [law, effect] = hasEffect ? rest.split("; ") : std::pair(rest, "");
    rule.text = law.trim().str();
    rule.effect = effect.trim().str();
    rules.push_back(std::move(rule));
  }
  return rules;
}

static OperationFacts describe(Operation *op, AsmState &state) {
  OperationFacts facts;
  facts.op = op;
  if (op->getNumResults())
    facts.name = nameOf(op->getResult(0), state);
  facts.what = describeOperation(op);
  facts.fold = op->getAttrOfType<FoldAttr>("tang.fold");
  if (auto structured = dyn_cast<StructuredOp>(op); structured && facts.fold)
    for (int64_t gauge : facts.fold.getGauges())
      if (gauge >= 0 &&
          gauge < static_cast<int64_t>(structured.getIns().size()))
        facts.gauges.push_back(nameOf(structured.getIns()[gauge], state));
  facts.rules = readRules(op, "tang.rules", /*hasEffect=*/true);
  facts.missed = readRules(op, "tang.missed", /*hasEffect=*/false);
  return facts;
}

std::string OperationFacts::contract() const {
  if (!fold)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "accumulates in " << fold.getAccumulate();
  if (fold.getBlock())
    os << " in blocks of " << fold.getBlock();
  if (!gauges.empty())
    os << ", rescaled when " << llvm::join(gauges, " or ")
       << (gauges.size() == 1 ? " moves" : " move");
  if (fold.getBound() == "exact")
    os << "; exact";
  else
    os << "; error at most " << fold.getBound();
  return text;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The pass that a value is complete after, plus one; 0: before every pass.
static int64_t readyAfter(Value value, const KernelPlan &plan,
                          const llvm::DenseMap<Operation *, int64_t> &passOf) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<StructuredOp>(op))
    return 0;
  if (auto it = passOf.find(op); it != passOf.end())
    return it->second + 1;
  int64_t result = 0;
  for (Value in : cast<StructuredOp>(op).getIns())
    result = std::max(result, readyAfter(in, plan, passOf));
  return result;
}

static std::string passList(ArrayRef<int64_t> passes) {
  SmallVector<std::string> parts;
  for (int64_t p : passes)
    parts.push_back(std::to_string(p + 1));
  return (passes.size() == 1 ? "pass " : "passes ") + llvm::join(parts, ", ");
}

static void explainPlan(KernelFacts &facts, KernelOp kernel) {
  FailureOr<KernelPlan> plan = KernelPlan::get(kernel, facts.noPlan);
  if (failed(plan))
    return;
  auto sizesOf = [&](ArrayRef<int64_t> dims) {
    SmallVector<Count> sizes;
    for (int64_t d : dims) {
      const KernelDim &dim = plan->getDims()[d];
      StructuredOp op = dim.op;
      sizes.push_back(ShapedType::isStatic(dim.size)
                          ? Count(dim.size)
                          : sizeOfDim(op, dim.opDim));
    }
    return formatSizes(sizes);
  };
  facts.grid = sizesOf(plan->dimsOfKind(KernelDim::Parallel));

  llvm::DenseMap<Operation *, int64_t> passOf;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> storedIn;
  ValueRange yielded = kernel.getYield()->getOperands();
  for (auto [p, pass] : llvm::enumerate(plan->getPasses())) {
    for (ReduceOp fold : pass.folds)
      passOf[fold] = p;
    for (int64_t position : pass.stores)
      storedIn[yielded[position].getDefiningOp()].push_back(p);
  }
  for (OperationFacts &op : facts.ops) {
    if (auto it = passOf.find(op.op); it != passOf.end()) {
      op.when = passList(it->second);
      continue;
    }
    if (plan->isLocal(op.op->getResult(0))) {
      SmallVector<int64_t> passes(plan->passesUsing(op.op));
      for (int64_t p : storedIn.lookup(op.op))
        if (!llvm::is_contained(passes, p))
          passes.push_back(p);
      if (!passes.empty())
        op.when = "each step of " + passList(passes);
      continue;
    }
    int64_t ready = readyAfter(op.op->getResult(0), *plan, passOf);
    if (ready)
      op.when = "after " + passList(ready - 1);
    else if (!plan->getPasses().empty())
      op.when = "before pass 1";
  }

  for (auto [p, pass] : llvm::enumerate(plan->getPasses())) {
    std::string line;
    llvm::raw_string_ostream os(line);
    std::string sizes = sizesOf(pass.stream);
    os << "pass " << p + 1;
    if (!sizes.empty())
      os << " over " << sizes << " points";
    if (pass.block)
      os << " in blocks of " << pass.block;
    os << ": ";
    SmallVector<std::string> parts;
    for (const OperationFacts &op : facts.ops) {
      bool isStored = llvm::is_contained(storedIn.lookup(op.op), p);
      bool isUsed = isa<ReduceOp>(op.op) &&
                    llvm::is_contained(plan->passesUsing(op.op), p);
      auto it = passOf.find(op.op);
      if (it != passOf.end() && it->second == static_cast<int64_t>(p))
        parts.push_back(
            op.name + " = " + op.what +
            (op.gauges.empty()
                 ? ""
                 : " in the gauge of " + llvm::join(op.gauges, " and ")));
      else if (isStored)
        parts.push_back("stores " + op.name + " = " + op.what);
      else if (isUsed)
        parts.push_back("in each step " + op.name + " = " + op.what);
    }
    os << llvm::join(parts, "; ");
    facts.passes.push_back(line);
  }
}

std::string KernelFacts::summary() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<KernelOp>(op)) {
    os << plural(ops.size(), "operation");
    if (!noPlan.empty())
      os << ", no plan (" << noPlan << ")";
    else if (passes.empty())
      os << ", pointwise";
    else if (passes.size() == 1)
      os << " in one pass";
    else
      os << " in " << passes.size() << " passes";
    if (!grid.empty())
      os << " for each of " << grid << " points";
  } else {
    os << ops.front().what << ", alone";
  }
  if (inLoop)
    os << ", in a loop";
  return text;
}

std::vector<KernelFacts>
mlir::tang::explainKernels(FunctionOpInterface function, AsmState &state) {
  std::vector<KernelFacts> result;
  llvm::StringMap<int64_t> next;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<StructuredOp, KernelOp>(op))
      return WalkResult::advance();
    KernelFacts facts;
    facts.op = op;
    // Numbered as they are when they get a function of their own.
    std::string name =
        function.getName().str() + "_" + op->getName().stripDialect().str();
    facts.name = name + std::to_string(next[name]++);
    for (Operation *parent = op->getParentOp(); parent != function;
         parent = parent->getParentOp())
      facts.inLoop |= isa<LoopLikeOpInterface>(parent);
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      for (StructuredOp inner : getKernelOps(kernel))
        facts.ops.push_back(describe(inner, state));
      facts.rules = readRules(op, "tang.rules", /*hasEffect=*/true);
      facts.missed = readRules(op, "tang.missed", /*hasEffect=*/false);
      explainPlan(facts, kernel);
      facts.traffic = Traffic::get(kernel);
    } else {
      facts.ops.push_back(describe(op, state));
      facts.traffic = Traffic::get(cast<StructuredOp>(op));
    }
    result.push_back(std::move(facts));
    return WalkResult::skip();
  });
  return result;
}
