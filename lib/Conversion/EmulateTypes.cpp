//===- EmulateTypes.cpp - Small element types through wide ones -----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass changes types in place: a small float value becomes an f32 that
// holds one of the format's values, an i4 becomes a sign-extended i8. Block
// arguments, loop-carried values and the results of regions need nothing more.
// Then each operation that had a small type is put right by `emulateFloatOp`,
// `emulateInt4Op` or, at memory, here.
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/EmulateTypes.h"

#include "EmulateTypesImpl.h"
#include "Tang/Conversion/NativeKernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isInt4(Type type) { return type.isInteger(4); }

static bool isSmall(Type type) {
  if (auto memref = dyn_cast<MemRefType>(type)) {
    Type element = memref.getElementType();
    return isSmall(element) || element.isInteger(1) || element.isIndex();
  }
  return isInt4(type) || SmallFormat::get(type);
}

/// Whether kernel IR may hold values of this type at all.
static bool isKnownScalar(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    return vector.getElementType().isF32() || vector.getElementType().isF64();
  return isInt4(type) || SmallFormat::get(type) || type.isF32() ||
         type.isF64() || type.isIndex() || type.isInteger(1) ||
         type.isInteger(8) || type.isInteger(16) || type.isInteger(32) ||
         type.isInteger(64);
}

static Type emulatedScalar(Type type) {
  Builder b(type.getContext());
  if (isInt4(type))
    return b.getIntegerType(8);
  if (SmallFormat::get(type))
    return b.getF32Type();
  return type;
}

/// The element type in memory. Local arrays keep small floats as f32: they are
/// read often, and nobody else sees them.
static Type emulatedElement(Type type, bool isLocal) {
  Builder b(type.getContext());
  if (type.isInteger(1))
    return b.getIntegerType(8);
  if (type.isIndex())
    return b.getIntegerType(64);
  if (auto format = SmallFormat::get(type))
    return isLocal ? Type(b.getF32Type()) : b.getIntegerType(format->bits);
  return emulatedScalar(type);
}

static StringRef dtypeName(Type type, SmallString<16> &storage) {
  storage.clear();
  llvm::raw_svector_ostream(storage) << type;
  return storage;
}

//===----------------------------------------------------------------------===//
// One gpu.module
//===----------------------------------------------------------------------===//

namespace {

class Emulator {
public:
  explicit Emulator(gpu::GPUModuleOp module) : context(module) {}

  LogicalResult run();

private:
  LogicalResult collect(Operation *op);
  LogicalResult checkType(Operation *op, Type type);
  void changeTypes(Operation *op);
  void changeType(Value value, bool isLocal);
  void changeKernelArguments(gpu::GPUFuncOp kernel);
  LogicalResult fix(const EmulatedOp &op);
  LogicalResult fixMemory(const EmulatedOp &op);

  EmulationContext context;
  SmallVector<EmulatedOp> worklist;
};

} // namespace

LogicalResult Emulator::checkType(Operation *op, Type type) {
  Type scalar = type;
  if (auto memref = dyn_cast<MemRefType>(type))
    scalar = memref.getElementType();
  if (isKnownScalar(scalar))
    return success();
  return op->emitOpError() << "uses type " << type
                           << ", which kernel IR does not have";
}

LogicalResult Emulator::collect(Operation *op) {
  EmulatedOp entry{op, {}, {}};
  for (Value operand : op->getOperands())
    entry.operandTypes.push_back(operand.getType());
  for (Value result : op->getResults())
    entry.resultTypes.push_back(result.getType());
  bool any = false;
  for (Type type : llvm::concat<Type>(entry.operandTypes, entry.resultTypes)) {
    if (failed(checkType(op, type)))
      return failure();
    any |= isSmall(type);
  }
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        if (failed(checkType(op, argument.getType())))
          return failure();
  if (any)
    worklist.push_back(std::move(entry));
  return success();
}

void Emulator::changeType(Value value, bool isLocal) {
  Type type = value.getType();
  if (!isSmall(type))
    return;
  if (auto memref = dyn_cast<MemRefType>(type))
    value.setType(MemRefType::get(
        memref.getShape(), emulatedElement(memref.getElementType(), isLocal)));
  else
    value.setType(emulatedScalar(type));
}

void Emulator::changeKernelArguments(gpu::GPUFuncOp kernel) {
  OpBuilder b(kernel.getContext());
  b.setInsertionPointToStart(&kernel.getBody().front());
  SmallVector<Type> types;
  for (BlockArgument argument : kernel.getBody().front().getArguments()) {
    Type before = argument.getType();
    auto memref = dyn_cast<MemRefType>(before);
    if (isSmall(before) || before.isInteger(1)) {
      SmallString<16> storage;
      Type element = memref ? memref.getElementType() : before;
      kernel.setArgAttr(argument.getArgNumber(), "tang.dtype",
                        b.getStringAttr(dtypeName(element, storage)));
    }
    if (before.isInteger(1)) {
      // A scalar i1 arrives as a byte.
      argument.setType(b.getI8Type());
      Value zero =
          arith::ConstantOp::create(b, kernel.getLoc(), b.getI8IntegerAttr(0));
      Value bit = arith::CmpIOp::create(
          b, kernel.getLoc(), arith::CmpIPredicate::ne, argument, zero);
      argument.replaceAllUsesExcept(bit, bit.getDefiningOp());
    } else {
      changeType(argument, /*isLocal=*/false);
    }
    types.push_back(argument.getType());
  }
  kernel.setFunctionType(b.getFunctionType(types, {}));
}

void Emulator::changeTypes(Operation *op) {
  if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op))
    return changeKernelArguments(kernel);
  bool isLocal = isa<memref::AllocaOp>(op);
  for (Value result : op->getResults())
    changeType(result, isLocal);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        changeType(argument, /*isLocal=*/false);
  if (auto helper = dyn_cast<func::FuncOp>(op)) {
    auto convert = [](TypeRange types) {
      return llvm::map_to_vector(types, emulatedScalar);
    };
    FunctionType type = helper.getFunctionType();
    helper.setFunctionType(FunctionType::get(helper.getContext(),
                                             convert(type.getInputs()),
                                             convert(type.getResults())));
  }
}

LogicalResult Emulator::fixMemory(const EmulatedOp &entry) {
  Operation *op = entry.op;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Type before = entry.resultTypes[0];
    Type stored = load.getMemRefType().getElementType();
    Type wanted = emulatedScalar(before);
    if (stored == wanted)
      return success();
    Value bits = memref::LoadOp::create(b, load.getMemRef(), load.getIndices());
    Value value;
    if (auto format = SmallFormat::get(before))
      value = context.decode(b, *format, bits);
    else if (before.isIndex())
      value = arith::IndexCastOp::create(b, wanted, bits);
    else
      value = arith::CmpIOp::create(
          b, arith::CmpIPredicate::ne, bits,
          arith::ConstantOp::create(b, b.getI8IntegerAttr(0)));
    load.replaceAllUsesWith(value);
    load.erase();
    return success();
  }
  auto store = cast<memref::StoreOp>(op);
  Type before = entry.operandTypes[0];
  Type stored = store.getMemRefType().getElementType();
  if (stored == emulatedScalar(before))
    return success();
  Value value = store.getValue();
  if (auto format = SmallFormat::get(before))
    value = context.encode(b, *format, value);
  else if (before.isIndex())
    value = arith::IndexCastOp::create(b, stored, value);
  else
    value = arith::ExtUIOp::create(b, stored, value);
  store.getValueMutable().assign(value);
  return success();
}

LogicalResult Emulator::fix(const EmulatedOp &entry) {
  Operation *op = entry.op;
  if (isa<memref::LoadOp, memref::StoreOp>(op))
    return fixMemory(entry);
  // Changing the types was enough.
  if (isa<memref::AllocaOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
          scf::ConditionOp, func::CallOp, func::ReturnOp, arith::SelectOp>(op))
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (isInt4(entry.operandTypes[0]))
      return op->emitOpError("has an i4 induction variable, which type "
                             "emulation does not support");
    return success();
  }
  auto all = llvm::concat<const Type>(entry.operandTypes, entry.resultTypes);
  if (llvm::any_of(all, isInt4))
    return emulateInt4Op(context, entry);
  return emulateFloatOp(context, entry);
}

LogicalResult Emulator::run() {
  gpu::GPUModuleOp module = context.getModule();
  for (Operation &top : *module.getBody()) {
    if (isNativeCode(top))
      continue;
    WalkResult walk = top.walk([&](Operation *op) {
      return failed(collect(op)) ? WalkResult::interrupt()
                                 : WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return failure();
  }
  for (Operation &top : *module.getBody())
    if (!isNativeCode(top))
      top.walk([&](Operation *op) { changeTypes(op); });
  for (const EmulatedOp &entry : worklist)
    if (failed(fix(entry)))
      return failure();
  context.dropDeadConversions();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct EmulateTypesPass
    : PassWrapper<EmulateTypesPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmulateTypesPass)

  StringRef getArgument() const override { return "tang-emulate-types"; }
  StringRef getDescription() const override {
    return "Express f16, bf16, f8 and i4 in kernels through f32 and i8. "
           "Numeric effect: none; every operation on a small float is rounded "
           "once to nearest even (math.fma and math functions: after the f32 "
           "operation's own rounding)";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                    memref::MemRefDialect, scf::SCFDialect>();
  }
  void runOnOperation() override {
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(Emulator(module).run()))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> mlir::tang::createEmulateTypesPass() {
  return std::make_unique<EmulateTypesPass>();
}

void mlir::tang::registerEmulateTypesPass() {
  PassRegistration<EmulateTypesPass>();
}
