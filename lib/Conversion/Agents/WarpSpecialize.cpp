//===- WarpSpecialize.cpp - Kernels of agents -----------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Conversion/WarpSpecialize.h"

#include "AgentAlgebra.h"
#include "AgentEmitter.h"
#include "ProgramOrder.h"
#include "Tang/Conversion/NativeKernel.h"
#include "Tang/Dialect/TangDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::tang;

/// Registers of a thread of the producer and of a consumer: together what a
/// block has (65,536), in steps of 8, at least 24 (PTX ISA, setmaxnreg).
static std::pair<int64_t, int64_t> registersFor(int64_t consumers) {
  return consumers == 3 ? std::pair<int64_t, int64_t>(32, 160)
                        : std::pair<int64_t, int64_t>(24, 240);
}

namespace {
constexpr StringLiteral kSharedSymbol = "shared";

class Specializer {
public:
  Specializer(gpu::GPUFuncOp kernel, AsyncAttr async, const AgentPlan &plan)
      : kernel(kernel), async(async), plan(plan) {}

  LogicalResult run(ModuleOp module);

private:
  DictionaryAttr mapOf(const BoxedView &view);
  gpu::GPUFuncOp makeFunction();
  /// Blocks of the kernel's launches, if it is one number.
  std::optional<int64_t> findBlocks(ModuleOp module, SymbolRefAttr symbol);
  void makeOrder(gpu::GPUModuleOp container, int64_t blocks);
  void passMaps(ModuleOp module, SymbolRefAttr symbol);
  LogicalResult emit(gpu::GPUFuncOp function);

  gpu::GPUFuncOp kernel;
  AsyncAttr async;
  const AgentPlan &plan;
  /// The global that holds the order of programs, and words of a row.
  LLVM::GlobalOp order;
  int64_t rowWords = 0;
};
} // namespace

/// What the runtime makes a tensor map from; sizes innermost first.
DictionaryAttr Specializer::mapOf(const BoxedView &boxed) {
  Builder b(kernel.getContext());
  auto type = cast<MemRefType>(boxed.view.getType());
  auto source =
      cast<BlockArgument>(boxed.view.getDefiningOp<ViewOp>().getSource());
  SmallVector<Attribute> dims, strides, box;
  int64_t stride = type.getElementTypeBitWidth() / 8;
  for (int64_t d = type.getRank() - 1; d >= 0; --d) {
    dims.push_back(b.getI64IntegerAttr(type.getDimSize(d)));
    box.push_back(b.getI64IntegerAttr(boxed.box[d]));
    if (d != type.getRank() - 1)
      strides.push_back(b.getI64IntegerAttr(stride));
    stride *= type.getDimSize(d);
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr("buffer", b.getI64IntegerAttr(source.getArgNumber())),
       b.getNamedAttr("dims", b.getArrayAttr(dims)),
       b.getNamedAttr("strides", b.getArrayAttr(strides)),
       b.getNamedAttr("box", b.getArrayAttr(box)),
       b.getNamedAttr("swizzle", b.getI64IntegerAttr(kBoxRowBytes)),
       b.getNamedAttr("l2", b.getI64IntegerAttr(128))});
}

gpu::GPUFuncOp Specializer::makeFunction() {
  OpBuilder b(kernel);
  SmallVector<Type> types(kernel.getArgumentTypes());
  for (size_t i = 0; i < plan.views.size(); ++i)
    types.push_back(LLVM::LLVMPointerType::get(b.getContext()));
  auto function =
      b.create<gpu::GPUFuncOp>(kernel.getLoc(), kernel.getName(),
                               FunctionType::get(b.getContext(), types, {}));
  for (NamedAttribute attr : kernel->getDiscardableAttrs())
    function->setAttr(attr.getName(), attr.getValue());
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
    for (NamedAttribute attr :
         cast<FunctionOpInterface>(kernel.getOperation()).getArgAttrs(i))
      function.setArgAttr(i, attr.getName(), attr.getValue());
  for (auto [i, view] : llvm::enumerate(plan.views)) {
    unsigned argument = kernel.getNumArguments() + i;
    function.setArgAttr(argument, "tang.tensor_map", mapOf(view));
    function.setArgAttr(argument, "tang.name",
                        b.getStringAttr("map" + Twine(i)));
  }
  function->setAttr("tang.native", b.getUnitAttr());
  function->setAttr("tang.shared", b.getI64IntegerAttr(plan.sharedBytes));
  function->removeAttr("tang.schedule");
  return function;
}

/// Launches pass nothing for tensor maps: the runtime makes them.
void Specializer::passMaps(ModuleOp module, SymbolRefAttr symbol) {
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernel() != symbol)
      return;
    OpBuilder b(launch);
    for (size_t i = 0; i < plan.views.size(); ++i)
      launch.getKernelOperandsMutable().append(
          b.create<LLVM::ZeroOp>(launch.getLoc(),
                                 LLVM::LLVMPointerType::get(b.getContext()))
              .getResult());
  });
}

std::optional<int64_t> Specializer::findBlocks(ModuleOp module,
                                               SymbolRefAttr symbol) {
  std::optional<int64_t> blocks;
  bool one = true;
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (launch.getKernel() != symbol)
      return;
    std::optional<int64_t> size =
        getConstantIntValue(launch.getGridSizeOperandValues().x);
    one &= size && (!blocks || blocks == size);
    blocks = size;
  });
  return one ? blocks : std::nullopt;
}

void Specializer::makeOrder(gpu::GPUModuleOp container, int64_t blocks) {
  auto lists = orderPrograms(kernel, plan, blocks);
  if (!lists)
    return;
  // Count, programs, and one word that is read ahead.
  for (auto &list : *lists)
    rowWords = std::max<int64_t>(rowWords, list.size() + 2);
  SmallVector<int32_t> table(blocks * rowWords, 0);
  for (auto [block, list] : llvm::enumerate(*lists)) {
    table[block * rowWords] = list.size();
    llvm::copy(list, table.begin() + block * rowWords + 1);
  }
  OpBuilder b = OpBuilder::atBlockBegin(container.getBody());
  order = b.create<LLVM::GlobalOp>(
      kernel.getLoc(), LLVM::LLVMArrayType::get(b.getI32Type(), table.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal,
      (kernel.getName() + "_order").str(), b.getI32TensorAttr(table),
      /*alignment=*/16, /*addrSpace=*/1);
}

LogicalResult Specializer::emit(gpu::GPUFuncOp function) {
  Location loc = kernel.getLoc();
  Block *entry = &function.getBody().front();
  PtxBuilder p(entry, loc);
  AgentContext context{plan, p, DenseMap<Value, Value>(), {}, {}, {}, {}, 0};
  for (auto [from, to] :
       llvm::zip(kernel.getArguments(), function.getArguments()))
    context.arguments[from] = to;
  for (size_t i = 0; i < plan.views.size(); ++i)
    context.maps.push_back(function.getArgument(kernel.getNumArguments() + i));

  MLIRContext *ctx = kernel.getContext();
  Value start = p.b.create<LLVM::AddressOfOp>(
      loc, LLVM::LLVMPointerType::get(ctx, 3), kSharedSymbol);
  Value address = p.b.create<LLVM::PtrToIntOp>(loc, p.b.getI32Type(), start);
  context.shared = p.andi(p.add(address, 1023), p.i32(-1024));
  context.thread = p.threadId();
  if (order) {
    context.order = p.b.create<LLVM::AddressOfOp>(
        loc, LLVM::LLVMPointerType::get(ctx, 1), order.getSymName());
    context.rowWords = rowWords;
  }
  Value isFirst = p.cmp(arith::CmpIPredicate::eq, context.thread, p.i32(0));
  {
    auto first = p.b.create<scf::IfOp>(loc, isFirst, false);
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(first.thenBlock());
    for (const Ring &ring : plan.rings)
      for (int64_t i = 0; i < ring.depth; ++i) {
        p.initBarrier(p.add(context.shared, ring.full + 8 * i), 1);
        p.initBarrier(p.add(context.shared, ring.empty + 8 * i),
                      plan.consumers);
      }
    p.fenceInit();
  }
  p.blockBarrier();
  // The first group produces.
  Value role = p.uniform(p.div(context.thread, kGroupThreads));
  auto roles = p.b.create<scf::IfOp>(
      loc, p.cmp(arith::CmpIPredicate::eq, role, p.i32(0)), true);
  auto [few, many] = registersFor(plan.consumers);
  LogicalResult result = success();
  {
    OpBuilder::InsertionGuard guard(p.b);
    p.b.setInsertionPointToStart(roles.thenBlock());
    p.setRegisters(few, /*increase=*/false);
    auto one = p.b.create<scf::IfOp>(loc, isFirst, false);
    p.b.setInsertionPointToStart(one.thenBlock());
    result = AgentEmitter(context, /*consumer=*/false).run(kernel);
    p.b.setInsertionPointToStart(roles.elseBlock());
    p.setRegisters(many, /*increase=*/true);
    if (succeeded(result))
      result = AgentEmitter(context, /*consumer=*/true).run(kernel);
  }
  p.b.create<gpu::ReturnOp>(loc);
  return result;
}

LogicalResult Specializer::run(ModuleOp module) {
  auto container = kernel->getParentOfType<gpu::GPUModuleOp>();
  if (!SymbolTable::lookupSymbolIn(container, kSharedSymbol)) {
    OpBuilder b = OpBuilder::atBlockBegin(container.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), 0);
    b.create<LLVM::GlobalOp>(kernel.getLoc(), type, /*isConstant=*/false,
                             LLVM::Linkage::External, kSharedSymbol,
                             Attribute(), /*alignment=*/1024,
                             /*addrSpace=*/3);
  }
  SymbolRefAttr symbol = SymbolRefAttr::get(
      container.getNameAttr(), {FlatSymbolRefAttr::get(kernel.getNameAttr())});
  if (std::optional<int64_t> blocks = findBlocks(module, symbol))
    makeOrder(container, *blocks);
  gpu::GPUFuncOp function = makeFunction();
  if (failed(emit(function)))
    return failure();
  passMaps(module, symbol);
  kernel.erase();
  return success();
}

namespace {
struct WarpSpecializePass
    : PassWrapper<WarpSpecializePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(WarpSpecializePass)

  StringRef getArgument() const final { return "tang-warp-specialize"; }
  StringRef getDescription() const final {
    return "Kernels with an asynchronous schedule become a producer of copies "
           "and consumers on the matrix unit";
  }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<LLVM::LLVMDialect, NVVM::NVVMDialect, scf::SCFDialect,
                    arith::ArithDialect, math::MathDialect,
                    memref::MemRefDialect, gpu::GPUDialect>();
  }
  void runOnOperation() final {
    SmallVector<gpu::GPUFuncOp> kernels;
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (isAsyncKernel(kernel))
        kernels.push_back(kernel);
    });
    for (gpu::GPUFuncOp kernel : kernels) {
      auto async =
          kernel->getAttrOfType<ScheduleAttr>("tang.schedule").getAsync();
      // 227 KiB, what a block may have from compute capability 9.0 on (CUDA C++
      // Programming Guide, table of technical specifications).
      std::string why;
      simplifyForAgents(kernel);
      FailureOr<AgentPlan> plan =
          AgentPlan::get(kernel, async, /*sharedBytes=*/232448, why);
      if (failed(plan)) {
        kernel.emitError("schedule rule 'async': ") << why;
        return signalPassFailure();
      }
      if (failed(Specializer(kernel, async, *plan).run(getOperation())))
        return signalPassFailure();
    }
  }
};
} // namespace

std::unique_ptr<Pass> mlir::tang::createWarpSpecializePass() {
  return std::make_unique<WarpSpecializePass>();
}

void mlir::tang::registerWarpSpecializePass() {
  PassRegistration<WarpSpecializePass>();
}
