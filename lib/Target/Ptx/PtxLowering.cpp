//===- PtxLowering.cpp - Kernel IR to the LLVM and NVVM dialects ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel becomes a function of global pointers, scalars and tensor maps.
// Memory operations are lowered by KernelBody.cpp, all else is upstream's
// conversion. What gpu.func has no place for is set on the llvm.func at last.
//
//===----------------------------------------------------------------------===//

#include "../LLVM/KernelBody.h"
#include "Libdevice.h"
#include "Tang/Conversion/NativeKernel.h"
#include "Tang/Target/Ptx.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// The body of a kernel
//===----------------------------------------------------------------------===//

static constexpr unsigned kGlobalSpace =
    static_cast<unsigned>(NVVM::NVVMMemorySpace::Global);

/// Replaces the ways in which a native kernel takes a buffer's address by the
/// pointer that the buffer becomes.
static LogicalResult lowerAddresses(gpu::GPUFuncOp kernel) {
  Block &body = kernel.getBody().front();
  auto global = LLVM::LLVMPointerType::get(kernel.getContext(), kGlobalSpace);
  auto generic = LLVM::LLVMPointerType::get(kernel.getContext());
  SmallVector<Operation *> addresses;
  WalkResult walk = kernel.walk([&](Operation *op) {
    auto isBuffer = [](Value value) {
      return isa<BaseMemRefType>(value.getType());
    };
    if (op == kernel.getOperation() ||
        !llvm::any_of(op->getOperands(), isBuffer))
      return WalkResult::advance();
    if (isa<memref::LoadOp, memref::StoreOp>(op)) {
      Value base = op->getOperand(isa<memref::LoadOp>(op) ? 0 : 1);
      if (base.getDefiningOp<memref::AllocaOp>() ||
          llvm::is_contained(body.getArguments(), base))
        return WalkResult::advance();
    } else if (op->getNumOperands() == 1 &&
               llvm::is_contained(body.getArguments(), op->getOperand(0))) {
      auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
      if (isa<memref::ExtractAlignedPointerAsIndexOp>(op) ||
          (cast &&
           llvm::is_contained({global, generic}, op->getResult(0).getType()))) {
        addresses.push_back(op);
        return WalkResult::advance();
      }
    }
    op->emitOpError("uses a buffer in a way that the ptx backend cannot lower");
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  // A cast carries the pointer until lowerMemory has changed the argument's
  // type, and folds away then.
  for (Operation *op : addresses) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    Value pointer =
        UnrealizedConversionCastOp::create(b, global, op->getOperand(0))
            .getResult(0);
    Type wanted = op->getResult(0).getType();
    if (wanted.isIndex())
      pointer = arith::IndexCastOp::create(
          b, wanted, LLVM::PtrToIntOp::create(b, b.getI64Type(), pointer));
    else if (wanted != global)
      pointer = LLVM::AddrSpaceCastOp::create(b, wanted, pointer);
    op->getResult(0).replaceAllUsesWith(pointer);
    op->erase();
  }
  return success();
}

/// A function NAME in `target` from a kernel.
static LogicalResult lowerKernel(gpu::GPUFuncOp source, OpBuilder &target) {
  auto kernel = cast<gpu::GPUFuncOp>(source->clone());
  OwningOpRef<gpu::GPUFuncOp> owner(kernel);
  for (BlockArgument argument : kernel.getBody().getArguments()) {
    Type type = argument.getType();
    // The runtime passes small floats as f32 (docs/Bundle.md).
    if (isa<FloatType>(type) && !type.isF32() && !type.isF64())
      return source.emitOpError("argument ")
             << argument.getArgNumber() << " is a scalar of type " << type
             << "; small floats arrive as f32";
  }
  if (failed(lowerAddresses(kernel)))
    return failure();
  Block &body = kernel.getBody().front();
  MemoryLowering memory;
  memory.bufferSpace = kGlobalSpace;
  memory.arrayAlignment = 16; // The widest load of a thread.
  lowerMemory(body, memory);
  SmallVector<Operation *> dead;
  kernel.walk([&](Operation *op) {
    OpBuilder b(op);
    if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      if (cast.getNumOperands() != 1 || cast.getNumResults() != 1 ||
          cast.getOperand(0).getType() != cast.getResult(0).getType())
        return;
      cast.getResult(0).replaceAllUsesWith(cast.getOperand(0));
      dead.push_back(op);
    } else if (isa<gpu::ReturnOp>(op)) {
      func::ReturnOp::create(b, op->getLoc());
      dead.push_back(op);
    }
  });
  for (Operation *op : dead)
    op->erase();
  auto function =
      func::FuncOp::create(target, kernel.getLoc(), kernel.getName(),
                           target.getFunctionType(body.getArgumentTypes(), {}));
  function.getBody().takeBody(kernel.getBody());
  lowerMaxNum(function);
  return success();
}

//===----------------------------------------------------------------------===//
// The attributes of a kernel
//===----------------------------------------------------------------------===//

static void setKernelAttributes(gpu::GPUFuncOp source,
                                LLVM::LLVMFuncOp function) {
  Builder b(source.getContext());
  auto number = [&](StringRef name) {
    auto attr = source->getAttrOfType<IntegerAttr>(name);
    return attr ? static_cast<int32_t>(attr.getInt()) : 1;
  };
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    b.getUnitAttr());
  // Without it ptxas ignores setmaxnreg.
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    b.getDenseI32ArrayAttr({number("tang.block")}));
  if (isNativeKernel(source))
    function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                      b.getI32IntegerAttr(1));
  if (int32_t cluster = number("tang.cluster"); cluster > 1)
    function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                      b.getDenseI32ArrayAttr({cluster}));
  // A kernel that may start early reads what the one ahead still writes:
  // nothing in memory is constant then.
  bool overlaps = source->hasAttr("tang.dependent_launch");
  for (unsigned i = 0, e = source.getNumArguments(); i < e; ++i) {
    auto set = [&](StringRef name, Attribute value) {
      function.setArgAttr(i, name, value);
    };
    if (source.getArgAttr(i, "tang.tensor_map")) {
      set(LLVM::LLVMDialect::getByValAttrName(),
          TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), 16)));
      set(LLVM::LLVMDialect::getAlignAttrName(), b.getI64IntegerAttr(64));
      set(NVVM::NVVMDialect::getGridConstantAttrName(), b.getUnitAttr());
    } else if (isa<MemRefType>(source.getArgument(i).getType()) && !overlaps) {
      set(LLVM::LLVMDialect::getNoAliasAttrName(), b.getUnitAttr());
      if (source.getArgAttr(i, "tang.readonly"))
        set(LLVM::LLVMDialect::getReadonlyAttrName(), b.getUnitAttr());
    }
  }
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

namespace {
struct ToNVVMPass : PassWrapper<ToNVVMPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ToNVVMPass)

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(64);
    LLVMTypeConverter converter(context, options);
    configureGpuToNVVMTypeConverter(converter);
    RewritePatternSet patterns(context);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    populateFuncToLLVMConversionPatterns(converter, patterns);
    index::populateIndexToLLVMConversionPatterns(converter, patterns);
    // Before those of populateGpuToNVVMConversionPatterns, which would call
    // libdevice for a square root, too.
    populateMathToLLVMConversionPatterns(
        converter, patterns, /*approximateLog1p=*/false, /*benefit=*/2);
    ub::populateUBToLLVMConversionPatterns(converter, patterns);
    populateGpuToNVVMConversionPatterns(converter, patterns);
    ConversionTarget target(*context);
    target.addLegalDialect<LLVM::LLVMDialect, NVVM::NVVMDialect>();
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             func::FuncDialect, gpu::GPUDialect,
                             math::MathDialect>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

static LogicalResult convertToNVVM(ModuleOp module) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(false);
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(std::make_unique<ToNVVMPass>());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createConvertNVVMToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  return pm.run(module);
}

FailureOr<OwningOpRef<ModuleOp>> mlir::tang::lowerToPtxModule(ModuleOp module) {
  MLIRContext *context = module.getContext();
  context->loadDialect<arith::ArithDialect, cf::ControlFlowDialect,
                       func::FuncDialect, LLVM::LLVMDialect, math::MathDialect,
                       memref::MemRefDialect, NVVM::NVVMDialect,
                       scf::SCFDialect>();
  OwningOpRef<ModuleOp> result = ModuleOp::create(module.getLoc());
  llvm::StringSet<> names;
  SmallVector<gpu::GPUFuncOp> kernels;
  OpBuilder b(context);
  b.setInsertionPointToEnd(result->getBody());
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (Operation &op : *gpuModule.getBody()) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      bool isNew = symbol && names.insert(symbol.getName()).second;
      if (auto kernel = dyn_cast<gpu::GPUFuncOp>(op)) {
        if (!isNew)
          return kernel.emitOpError("has the name of another kernel");
        if (failed(lowerKernel(kernel, b)))
          return failure();
        kernels.push_back(kernel);
      } else if (isNew) {
        // Modules share the helpers of type emulation, and the name of the
        // shared memory.
        auto helper = dyn_cast<func::FuncOp>(b.clone(op));
        if (!helper || helper.isExternal())
          continue;
        makeInternal(helper, /*alwaysInline=*/true);
        lowerMaxNum(helper);
      }
    }
  callLibdevice(*result);
  if (failed(convertToNVVM(*result)))
    return failure();
  // Something without a conversion would make the translation to LLVM IR fail
  // with less to say.
  WalkResult walk = result->walk([](Operation *op) {
    if (isa<ModuleOp>(op) ||
        isa_and_nonnull<LLVM::LLVMDialect, NVVM::NVVMDialect>(op->getDialect()))
      return WalkResult::advance();
    op->emitError() << "the ptx backend cannot lower " << op->getName();
    return WalkResult::interrupt();
  });
  if (walk.wasInterrupted())
    return failure();
  for (gpu::GPUFuncOp kernel : kernels)
    setKernelAttributes(
        kernel, result->lookupSymbol<LLVM::LLVMFuncOp>(kernel.getName()));
  return result;
}
