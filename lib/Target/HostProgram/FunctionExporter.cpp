//===- FunctionExporter.cpp - One function of a host program -----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionExporter.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tang;
using llvm::json::Array;
using llvm::json::Object;

std::string mlir::tang::dtypeName(Type type) {
  if (type.isIndex())
    return "index";
  if (type.isF64())
    return "f64";
  if (type.isF32())
    return "f32";
  if (type.isF16())
    return "f16";
  if (type.isBF16())
    return "bf16";
  if (isa<Float8E4M3FNType>(type))
    return "f8E4M3FN";
  if (isa<Float8E5M2Type>(type))
    return "f8E5M2";
  for (unsigned width : {1, 4, 8, 16, 32, 64})
    if (type.isSignlessInteger(width))
      return "i" + std::to_string(width);
  return "";
}

/// A JSON number, or the name of a float that JSON has no number for.
static llvm::json::Value number(Attribute attr) {
  if (auto f = dyn_cast<FloatAttr>(attr)) {
    APFloat value = f.getValue();
    if (value.isNaN())
      return "nan";
    if (value.isInfinity())
      return value.isNegative() ? "-inf" : "inf";
    if (value.isNegZero()) // A bare -0 may be read as the integer.
      return "-0";
    return f.getValueAsDouble();
  }
  auto i = cast<IntegerAttr>(attr);
  if (i.getType().isInteger(1))
    return int64_t(i.getValue().isZero() ? 0 : 1);
  return i.getValue().getSExtValue();
}

int64_t FunctionExporter::slot(Value value) {
  // Other views of a buffer share its slot: kernels take linear buffers, and
  // a cast changes only what the compiler knows.
  if (auto view = value.getDefiningOp<ViewOp>())
    return slot(view.getSource());
  if (auto cast = value.getDefiningOp<memref::CastOp>())
    return slot(cast.getSource());
  auto [it, isNew] = numbers.try_emplace(value, next);
  if (isNew)
    ++next;
  return it->second;
}

void FunctionExporter::addLocation(Operation &op, Object &instruction) {
  if (auto loc = op.getLoc()->findInstanceOf<FileLineColLoc>())
    instruction["loc"] = (loc.getFilename().getValue() + ":" +
                          Twine(loc.getLine()) + ":" + Twine(loc.getColumn()))
                             .str();
}

//===----------------------------------------------------------------------===//
// Lifetimes
//===----------------------------------------------------------------------===//

/// Finds for each buffer that is made in `block` the operation after which it
/// is not used any more.
static void findLastUses(Block &block, function_ref<int64_t(Value)> slot,
                         DenseMap<Operation *, SmallVector<int64_t>> &last) {
  DenseMap<int64_t, Operation *> lastUse;
  DenseSet<int64_t> own;
  for (Operation &op : block) {
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (isa<MemRefType>(operand.getType()))
          lastUse[slot(operand)] = &op;
    });
    for (Value result : op.getResults())
      if (isa<MemRefType>(result.getType())) {
        int64_t number = slot(result);
        if (!isa<ViewOp, memref::CastOp>(op))
          own.insert(number);
        lastUse[number] = &op;
      }
  }
  for (auto [number, op] : lastUse)
    if (own.contains(number) && !op->hasTrait<OpTrait::IsTerminator>())
      last[op].push_back(number);
}

void FunctionExporter::emitDrops(Block &, Operation &op, Array &body) {
  auto it = lastUses.find(&op);
  if (it == lastUses.end())
    return;
  llvm::sort(it->second);
  Array list;
  for (int64_t number : it->second)
    list.push_back("%" + std::to_string(number));
  body.push_back(Object{{"op", "drop"}, {"slots", std::move(list)}});
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult FunctionExporter::exportMemory(Operation &op, Array &body,
                                             bool &handled) {
  handled = true;
  auto mixedShape = [&](ArrayRef<OpFoldResult> sizes) {
    Array shape;
    for (OpFoldResult size : sizes) {
      if (auto value = dyn_cast<Value>(size))
        shape.push_back(ref(value));
      else
        shape.push_back(*getConstantIntValue(size));
    }
    return shape;
  };
  if (isa<ViewOp, memref::CastOp, memref::DeallocOp>(op))
    return success();
  // What a launch passes in the place of a tensor map.
  if (auto null = dyn_cast<LLVM::ZeroOp>(op);
      null && isa<LLVM::LLVMPointerType>(null.getType()))
    return success();
  if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
    std::string dtype = dtypeName(alloc.getType().getElementType());
    body.push_back(Object{{"op", "alloc"},
                          {"dst", ref(alloc)},
                          {"dtype", dtype},
                          {"shape", mixedShape(alloc.getMixedSizes())}});
    return success();
  }
  if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
    body.push_back(Object{{"op", "constant"},
                          {"dst", ref(global)},
                          {"id", global.getName().str()}});
    return success();
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    body.push_back(Object{{"op", "copy"},
                          {"dst", ref(copy.getTarget())},
                          {"src", ref(copy.getSource())}});
    return success();
  }
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    body.push_back(Object{{"op", "dim"},
                          {"dst", ref(dim)},
                          {"src", ref(dim.getSource())},
                          {"index", ref(dim.getIndex())}});
    return success();
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Object instruction{{"op", "load"},
                       {"dst", ref(load)},
                       {"src", ref(load.getMemRef())},
                       {"indices", refs(load.getIndices())}};
    addLocation(op, instruction);
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    Object instruction{{"op", "store"},
                       {"value", ref(store.getValue())},
                       {"dst", ref(store.getMemRef())},
                       {"indices", refs(store.getIndices())}};
    addLocation(op, instruction);
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
    Object instruction{
        {"op", "reshape"},
        {"dst", ref(expand)},
        {"src", ref(expand.getSrc())},
        {"shape", mixedShape(getMixedValues(expand.getStaticOutputShape(),
                                            expand.getOutputShape(),
                                            expand.getContext()))}};
    addLocation(op, instruction);
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op)) {
    auto type = cast<MemRefType>(collapse.getSrc().getType());
    Array shape;
    auto temporary = [&] { return "%" + std::to_string(next++); };
    for (const ReassociationIndices &group :
         collapse.getReassociationIndices()) {
      int64_t known = 1;
      std::string product;
      for (int64_t d : group) {
        if (!type.isDynamicDim(d)) {
          known *= type.getDimSize(d);
          continue;
        }
        std::string size = temporary();
        body.push_back(Object{{"op", "dim"},
                              {"dst", size},
                              {"src", ref(collapse.getSrc())},
                              {"index", d}});
        if (!product.empty()) {
          std::string both = temporary();
          body.push_back(Object{{"op", "muli"},
                                {"dst", both},
                                {"args", Array{product, size}},
                                {"type", "index"}});
          size = both;
        }
        product = size;
      }
      if (product.empty()) {
        shape.push_back(known);
        continue;
      }
      if (known != 1) {
        std::string both = temporary();
        body.push_back(Object{{"op", "muli"},
                              {"dst", both},
                              {"args", Array{product, known}},
                              {"type", "index"}});
        product = both;
      }
      shape.push_back(product);
    }
    body.push_back(Object{{"op", "reshape"},
                          {"dst", ref(collapse)},
                          {"src", ref(collapse.getSrc())},
                          {"shape", std::move(shape)}});
    return success();
  }
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
    Array buffers, scalars;
    for (Value operand : launch.getKernelOperands()) {
      // A tensor map, which the runtime makes from the kernel's description.
      if (isa<LLVM::LLVMPointerType>(operand.getType()))
        continue;
      (isa<MemRefType>(operand.getType()) ? buffers : scalars)
          .push_back(ref(operand));
    }
    std::string name = launch.getKernelName().str();
    launches.push_back({name, isa<func::FuncOp>(launch->getParentOp())});
    body.push_back(Object{{"op", "launch"},
                          {"kernel", name},
                          {"grid", ref(launch.getGridSizeX())},
                          {"buffers", std::move(buffers)},
                          {"scalars", std::move(scalars)}});
    return success();
  }
  handled = false;
  return success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult FunctionExporter::exportControl(Operation &op, Array &body,
                                              bool &handled) {
  handled = true;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Object instruction{{"op", "for"},
                       {"iv", ref(loop.getInductionVar())},
                       {"lower", ref(loop.getLowerBound())},
                       {"upper", ref(loop.getUpperBound())},
                       {"step", ref(loop.getStep())},
                       {"type", dtypeName(loop.getInductionVar().getType())},
                       {"unsigned", loop.getUnsignedCmp()},
                       {"carry", slots(loop.getRegionIterArgs())},
                       {"init", refs(loop.getInitArgs())}};
    Array inner;
    if (failed(exportBlock(*loop.getBody(), inner)))
      return failure();
    instruction["yield"] = refs(loop.getBody()->getTerminator()->getOperands());
    instruction["body"] = std::move(inner);
    instruction["results"] = slots(loop.getResults());
    addLocation(op, instruction);
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    Object instruction{{"op", "while"},
                       {"carry", slots(loop.getBeforeArguments())},
                       {"init", refs(loop.getInits())},
                       {"after_args", slots(loop.getAfterArguments())}};
    Array before, after;
    if (failed(exportBlock(*loop.getBeforeBody(), before)) ||
        failed(exportBlock(*loop.getAfterBody(), after)))
      return failure();
    instruction["cond"] = ref(loop.getConditionOp().getCondition());
    instruction["forward"] = refs(loop.getConditionOp().getArgs());
    instruction["before"] = std::move(before);
    instruction["after"] = std::move(after);
    instruction["yield"] = refs(loop.getYieldOp()->getOperands());
    instruction["results"] = slots(loop.getResults());
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Object instruction{{"op", "if"}, {"cond", ref(branch.getCondition())}};
    Array then, otherwise, thenYield, elseYield;
    if (failed(exportBlock(*branch.thenBlock(), then)))
      return failure();
    thenYield = refs(branch.thenYield()->getOperands());
    if (branch.elseBlock()) {
      if (failed(exportBlock(*branch.elseBlock(), otherwise)))
        return failure();
      elseYield = refs(branch.elseYield()->getOperands());
    }
    instruction["then"] = std::move(then);
    instruction["then_yield"] = std::move(thenYield);
    instruction["else"] = std::move(otherwise);
    instruction["else_yield"] = std::move(elseYield);
    instruction["results"] = slots(branch.getResults());
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto select = dyn_cast<arith::SelectOp>(op);
      select && isa<MemRefType>(select.getType())) {
    body.push_back(Object{{"op", "if"},
                          {"cond", ref(select.getCondition())},
                          {"then", Array{}},
                          {"then_yield", refs(select.getTrueValue())},
                          {"else", Array{}},
                          {"else_yield", refs(select.getFalseValue())},
                          {"results", slots(select.getResult())}});
    return success();
  }
  if (auto assertion = dyn_cast<cf::AssertOp>(op)) {
    Object instruction{{"op", "assert"},
                       {"cond", ref(assertion.getArg())},
                       {"message", assertion.getMsg().str()}};
    addLocation(op, instruction);
    body.push_back(std::move(instruction));
    return success();
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    body.push_back(Object{{"op", "call"},
                          {"function", call.getCallee().str()},
                          {"args", refs(call.getOperands())},
                          {"results", slots(call.getResults())}});
    return success();
  }
  if (isa<func::ReturnOp>(op)) {
    body.push_back(
        Object{{"op", "return"}, {"values", refs(op.getOperands())}});
    return success();
  }
  if (isa<scf::YieldOp, scf::ConditionOp>(op))
    return success();
  handled = false;
  return success();
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

LogicalResult FunctionExporter::exportScalar(Operation &op, Array &body) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    if (isa<FloatAttr, IntegerAttr>(constant.getValue())) {
      body.push_back(Object{{"op", "const"},
                            {"dst", ref(constant)},
                            {"type", dtypeName(constant.getType())},
                            {"value", number(constant.getValue())}});
      return success();
    }
  }
  StringRef dialect = op.getName().getDialectNamespace();
  bool scalars = op.getNumResults() == 1 && op.getNumRegions() == 0 &&
                 op.getNumOperands() > 0 &&
                 (dialect == "arith" || dialect == "math");
  for (Type type : op.getOperandTypes())
    scalars &= !dtypeName(type).empty();
  for (Type type : op.getResultTypes())
    scalars &= !dtypeName(type).empty();
  if (!scalars)
    return op.emitError("'")
           << op.getName() << "' has no form in a host program";
  // A select is typed by its values, everything else by its first operand.
  Type type = op.getOperand(isa<arith::SelectOp>(op) ? 1 : 0).getType();
  Object instruction{{"op", op.getName().stripDialect().str()},
                     {"dst", ref(op.getResult(0))},
                     {"args", refs(op.getOperands())},
                     {"type", dtypeName(type)},
                     {"to", dtypeName(op.getResult(0).getType())}};
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    instruction["predicate"] =
        arith::stringifyCmpIPredicate(cmp.getPredicate()).str();
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    instruction["predicate"] =
        arith::stringifyCmpFPredicate(cmp.getPredicate()).str();
  body.push_back(std::move(instruction));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult FunctionExporter::exportOp(Operation &op, Array &body) {
  bool handled = false;
  if (failed(exportMemory(op, body, handled)))
    return failure();
  if (!handled && failed(exportControl(op, body, handled)))
    return failure();
  return handled ? success() : exportScalar(op, body);
}

LogicalResult FunctionExporter::exportBlock(Block &block, Array &body) {
  findLastUses(block, [&](Value v) { return slot(v); }, lastUses);
  for (Operation &op : block) {
    if (failed(exportOp(op, body)))
      return failure();
    emitDrops(block, op, body);
  }
  return success();
}

/// Floating-point operations of all launches in a block, loops of constant
/// bounds counted; empty where that is not known before the call.
static std::optional<int64_t> countFlops(Block &block) {
  int64_t total = 0;
  for (Operation &op : block) {
    std::optional<int64_t> flops = 0;
    if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      auto kernel = SymbolTable::lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernel());
      auto known =
          kernel ? kernel->getAttrOfType<IntegerAttr>("tang.flops") : nullptr;
      flops = known ? std::optional(known.getInt()) : std::nullopt;
    } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
      flops = countFlops(*loop.getBody());
      std::optional<APInt> trips = loop.getStaticTripCount();
      int64_t product = 0;
      if (flops && trips && trips->getActiveBits() < 63 &&
          !llvm::MulOverflow(*flops, trips->getSExtValue(), product))
        flops = product;
      else if (flops != 0)
        flops = std::nullopt;
    } else if (op.getNumRegions() != 0) {
      op.walk([&](gpu::LaunchFuncOp) { flops = std::nullopt; });
    }
    if (!flops || llvm::AddOverflow(total, *flops, total))
      return std::nullopt;
  }
  return total;
}

FailureOr<Object> FunctionExporter::run() {
  Array inputs, outputs, args;
  auto describe = [&](Type type) -> FailureOr<Object> {
    Object entry;
    Type element = type;
    Array shape;
    if (auto memref = dyn_cast<MemRefType>(type)) {
      element = memref.getElementType();
      for (int64_t size : memref.getShape()) {
        if (ShapedType::isDynamic(size))
          shape.push_back(nullptr);
        else
          shape.push_back(size);
      }
    } else {
      entry["scalar"] = true;
    }
    std::string dtype = dtypeName(element);
    if (dtype.empty())
      return function.emitError("type ")
             << type << " cannot cross a bundle's boundary";
    entry["dtype"] = dtype;
    entry["shape"] = std::move(shape);
    return entry;
  };
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("has unstructured control flow");
  for (BlockArgument arg : function.getArguments()) {
    FailureOr<Object> entry = describe(arg.getType());
    if (failed(entry))
      return failure();
    (*entry)["name"] = "arg" + std::to_string(arg.getArgNumber());
    inputs.push_back(std::move(*entry));
    args.push_back(ref(arg));
  }
  for (Type type : function.getResultTypes()) {
    FailureOr<Object> entry = describe(type);
    if (failed(entry))
      return failure();
    outputs.push_back(std::move(*entry));
  }
  Array body;
  if (failed(exportBlock(function.getBody().front(), body)))
    return failure();
  Object entry{{"name", function.getSymName().str()},
               {"inputs", std::move(inputs)},
               {"outputs", std::move(outputs)},
               {"args", std::move(args)},
               {"body", std::move(body)},
               {"slots", next}};
  if (std::optional<int64_t> flops = countFlops(function.getBody().front()))
    entry["flops"] = *flops;
  return entry;
}
