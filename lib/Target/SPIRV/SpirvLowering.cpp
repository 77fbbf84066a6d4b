//===- SpirvLowering.cpp - Kernel IR to the SPIR-V dialect ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers are storage buffers of set 0 in the order of the arguments, scalars
// members of one block. Memory operations and ids are lowered here, since
// buffers have names and addresses are linear; all else is upstream's
// conversion.
//
// Devices need not take more than 65,535 blocks in a dimension. So the grid has
// two, and a kernel's block is linear in both, with a check, as the last row
// may be incomplete.
//
//===----------------------------------------------------------------------===//

#include "SpirvImpl.h"

#include "Tang/Target/KernelEmitter.h"

#include "mlir/Conversion/ArithToSPIRV/ArithToSPIRV.h"
#include "mlir/Conversion/FuncToSPIRV/FuncToSPIRV.h"
#include "mlir/Conversion/MathToSPIRV/MathToSPIRV.h"
#include "mlir/Conversion/SCFToSPIRV/SCFToSPIRV.h"
#include "mlir/Conversion/UBToSPIRV/UBToSPIRV.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVDialect.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/Dialect/SPIRV/Transforms/Passes.h"
#include "mlir/Dialect/SPIRV/Transforms/SPIRVConversion.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/SPIRV/Serialization.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tang;

//===----------------------------------------------------------------------===//
// The interface of a kernel
//===----------------------------------------------------------------------===//

SpirvOptions mlir::tang::getSpirvOptions(StringRef language, StringRef chip) {
  SpirvOptions options;
  // Metal Shading Language Specification, "Scalar Data Types": no double. The
  // chips of telephones are not taken to have any (docs/Targets.md).
  options.float64 =
      language != "metal" && chip != "adreno740" && chip != "mali-g715";
  // SPIRV-Cross would call functions for it that lose the sign of a zero, where
  // Metal has a pragma.
  options.forbidContraction = language != "metal";
  options.floatControls = language != "metal";
  return options;
}

std::string mlir::tang::argumentName(gpu::GPUFuncOp kernel, unsigned i) {
  auto name = kernel.getArgAttrOfType<StringAttr>(i, "tang.name");
  return name ? name.str() : "arg" + std::to_string(i);
}

ArgumentBlock mlir::tang::layoutArguments(gpu::GPUFuncOp kernel) {
  ArgumentBlock block;
  auto add = [&](std::string name, Type type) {
    uint32_t size = type.getIntOrFloatBitWidth() / 8;
    block.bytes = llvm::alignTo(block.bytes, size);
    block.slots.push_back({std::move(name), type, block.bytes});
    block.bytes += size;
  };
  Builder b(kernel.getContext());
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i) {
    Type type = kernel.getArgument(i).getType();
    if (isa<MemRefType>(type))
      continue;
    if (type.isIndex())
      type = b.getI64Type();
    else if (type.getIntOrFloatBitWidth() < 32)
      type = b.getI32Type();
    add(argumentName(kernel, i), type);
  }
  add("blocks", b.getI32Type());
  return block;
}

FailureOr<std::vector<gpu::GPUFuncOp>>
mlir::tang::collectKernels(ModuleOp module) {
  std::vector<gpu::GPUFuncOp> kernels;
  llvm::StringSet<> names;
  for (auto gpuModule : module.getOps<gpu::GPUModuleOp>())
    for (auto kernel : gpuModule.getOps<gpu::GPUFuncOp>()) {
      if (!names.insert(kernel.getName()).second)
        return kernel.emitOpError("has the name of another kernel");
      kernels.push_back(kernel);
    }
  return kernels;
}

//===----------------------------------------------------------------------===//
// The body of a kernel
//===----------------------------------------------------------------------===//

/// The pointer to an element of a buffer, which is a struct around an array, or
/// of a local array; `pointer` to a scalar stays. GLSL has indices of 32 bits
/// only, with sign, which is why the runtime takes no buffer above 2 GiB.
static Value elementPointer(ImplicitLocOpBuilder &b, Value pointer,
                            bool isBuffer, ValueRange indices) {
  SmallVector<Value> path;
  if (isBuffer)
    path.push_back(spirv::ConstantOp::getZero(b.getI32Type(), b.getLoc(), b));
  for (Value index : indices)
    path.push_back(arith::TruncIOp::create(
        b, b.getI32Type(),
        arith::IndexCastOp::create(b, b.getI64Type(), index)));
  if (path.empty())
    return pointer;
  return spirv::AccessChainOp::create(b, pointer, path);
}

/// Loads and stores of `pointers`, by the memref that they stand for.
static void lowerMemory(Operation *function,
                        const DenseMap<Value, Value> &pointers,
                        const DenseSet<Value> &buffers) {
  function->walk([&](Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      Value base = load.getMemref();
      Value pointer = elementPointer(b, pointers.lookup(base),
                                     buffers.contains(base), load.getIndices());
      load.replaceAllUsesWith(spirv::LoadOp::create(b, pointer).getResult());
      op->erase();
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value base = store.getMemref();
      Value pointer = elementPointer(
          b, pointers.lookup(base), buffers.contains(base), store.getIndices());
      spirv::StoreOp::create(b, pointer, store.getValue());
      op->erase();
    }
  });
}

/// The type of a variable that the host provides. `name` goes with the members:
/// equal types of the same name are one, others must not share it.
static Type blockType(StringRef name, ArrayRef<Type> members,
                      ArrayRef<uint32_t> offsets, spirv::StorageClass storage) {
  MLIRContext *context = members.front().getContext();
  SmallVector<spirv::StructType::OffsetInfo> offsetInfo(offsets);
  auto type = spirv::StructType::getIdentified(context, name);
  LogicalResult isSame =
      type.trySetBody(members, offsetInfo, {},
                      spirv::StructType::StructDecorationInfo(
                          spirv::Decoration::Block, UnitAttr::get(context)));
  assert(succeeded(isSame) && "two blocks of one name");
  (void)isSame;
  return spirv::PointerType::get(type, storage);
}

namespace {
/// One kernel on its way into a `spirv.module`.
class KernelLowering {
public:
  KernelLowering(gpu::GPUFuncOp source, spirv::ModuleOp target)
      : source(source), target(target), context(source.getContext()) {}
  void run();

private:
  spirv::GlobalVariableOp addGlobal(Type type, StringRef name,
                                    std::optional<unsigned> binding);
  void lowerArguments(func::FuncOp function);
  void lowerArrays(func::FuncOp function);
  void lowerIds(func::FuncOp function);

  gpu::GPUFuncOp source;
  spirv::ModuleOp target;
  MLIRContext *context;
  DenseMap<Value, Value> pointers;
  DenseSet<Value> buffers;
  /// The number of blocks, i32.
  Value blocks;
};
} // namespace

spirv::GlobalVariableOp
KernelLowering::addGlobal(Type type, StringRef name,
                          std::optional<unsigned> binding) {
  OpBuilder b(context);
  b.setInsertionPointToStart(target.getBody());
  auto global =
      binding ? spirv::GlobalVariableOp::create(b, source.getLoc(), type, name,
                                                /*descriptorSet=*/0, *binding)
              : spirv::GlobalVariableOp::create(b, source.getLoc(), type, name);
  // Kernels of one module may have arguments of the same name.
  global->remove();
  SymbolTable(target).insert(global, target.getBody()->begin());
  return global;
}

void KernelLowering::lowerArguments(func::FuncOp function) {
  Block &body = function.getBody().front();
  ImplicitLocOpBuilder b(source.getLoc(), context);
  b.setInsertionPointToStart(&body);
  unsigned binding = 0;
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    auto memref = dyn_cast<MemRefType>(argument.getType());
    if (!memref)
      continue;
    Type element = memref.getElementType();
    auto array = spirv::RuntimeArrayType::get(
        element, element.getIntOrFloatBitWidth() / 8);
    // Each buffer has a type of its own, since its name is all that GLSL shows
    // of the buffer's.
    std::string name = argumentName(source, i);
    std::string typeName;
    llvm::raw_string_ostream(typeName) << name << "_" << element;
    auto global = addGlobal(
        blockType(typeName, {array}, {0}, spirv::StorageClass::StorageBuffer),
        name, binding++);
    if (source.getArgAttr(i, "tang.readonly"))
      global->setAttr("non_writable", b.getUnitAttr());
    pointers[argument] = spirv::AddressOfOp::create(b, global);
    buffers.insert(argument);
  }
  ArgumentBlock block = layoutArguments(source);
  SmallVector<Type> types;
  SmallVector<uint32_t> offsets;
  std::string typeName = "arguments";
  llvm::raw_string_ostream os(typeName);
  for (const ArgumentSlot &slot : block.slots) {
    types.push_back(slot.type);
    offsets.push_back(slot.offset);
    os << "_" << slot.type;
  }
  bool isPush = block.isPushConstant();
  auto storage = isPush ? spirv::StorageClass::PushConstant
                        : spirv::StorageClass::StorageBuffer;
  auto global = addGlobal(blockType(typeName, types, offsets, storage), "args",
                          isPush ? std::nullopt : std::optional(binding));
  if (!isPush)
    global->setAttr("non_writable", b.getUnitAttr());
  Value pointer = spirv::AddressOfOp::create(b, global);
  unsigned next = 0;
  auto read = [&] {
    Value position = spirv::ConstantOp::create(b, b.getI32Type(),
                                               b.getI32IntegerAttr(next++));
    return spirv::LoadOp::create(
        b, spirv::AccessChainOp::create(b, pointer, position));
  };
  for (BlockArgument argument : body.getArguments()) {
    Type type = argument.getType();
    if (isa<MemRefType>(type))
      continue;
    Value value = read();
    if (type.isIndex())
      value = arith::IndexCastOp::create(b, type, value);
    else if (type.getIntOrFloatBitWidth() < 32)
      value = arith::TruncIOp::create(b, type, value);
    argument.replaceAllUsesWith(value);
  }
  blocks = read();
}

void KernelLowering::lowerArrays(func::FuncOp function) {
  // At the start, as SPIR-V demands; what a loop finds in its array is
  // undefined anyway.
  OpBuilder b(context);
  b.setInsertionPointToStart(&function.getBody().front());
  SmallVector<Operation *> arrays;
  function.walk([&](memref::AllocaOp array) {
    MemRefType memref = array.getType();
    Type type = memref.getElementType();
    for (int64_t size : llvm::reverse(memref.getShape()))
      type = spirv::ArrayType::get(type, static_cast<unsigned>(size));
    pointers[array] = spirv::VariableOp::create(
        b, array.getLoc(),
        spirv::PointerType::get(type, spirv::StorageClass::Function),
        spirv::StorageClass::Function, /*initializer=*/nullptr);
    arrays.push_back(array);
  });
  lowerMemory(function, pointers, buffers);
  for (Operation *op : arrays)
    op->erase();
}

/// The linear block, and everything under the check that it is one.
void KernelLowering::lowerIds(func::FuncOp function) {
  Block &body = function.getBody().front();
  // What the arguments became stays outside.
  Block::iterator start = std::next(blocks.getDefiningOp()->getIterator());
  ImplicitLocOpBuilder b(source.getLoc(), context);
  b.setInsertionPoint(&body, start);
  Type i32 = b.getI32Type(), index = b.getIndexType();
  auto vector = [&](spirv::BuiltIn which, int32_t dimension) -> Value {
    Value all = spirv::getBuiltinVariableValue(function, which, i32, b);
    return spirv::CompositeExtractOp::create(b, all, dimension);
  };
  auto widen = [&](Value value) {
    return arith::IndexCastOp::create(
        b, index, arith::ExtUIOp::create(b, b.getI64Type(), value));
  };
  Value row = spirv::IMulOp::create(b, vector(spirv::BuiltIn::WorkgroupId, 1),
                                    vector(spirv::BuiltIn::NumWorkgroups, 0));
  Value block =
      spirv::IAddOp::create(b, row, vector(spirv::BuiltIn::WorkgroupId, 0));
  Value isBlock =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, block, blocks);
  auto guard = scf::IfOp::create(b, isBlock, /*withElseRegion=*/false);
  Operation *yield = guard.thenBlock()->getTerminator();
  guard.thenBlock()->getOperations().splice(
      yield->getIterator(), body.getOperations(),
      std::next(guard->getIterator()), std::prev(body.end()));
  b.setInsertionPointToStart(guard.thenBlock());
  Value blockIndex, threadIndex;
  SmallVector<Operation *> ids; // One of them may be where values are inserted.
  function.walk([&](Operation *op) {
    Value value;
    if (isa<gpu::BlockIdOp>(op)) {
      value = blockIndex = blockIndex ? blockIndex : widen(block);
    } else if (isa<gpu::ThreadIdOp>(op)) {
      if (!threadIndex)
        threadIndex = widen(vector(spirv::BuiltIn::LocalInvocationId, 0));
      value = threadIndex;
    } else if (isa<gpu::BlockDimOp>(op)) {
      value = arith::ConstantIndexOp::create(b, getBlockSize(source));
    } else {
      return;
    }
    op->getResult(0).replaceAllUsesWith(value);
    ids.push_back(op);
  });
  for (Operation *op : ids)
    op->erase();
}

void KernelLowering::run() {
  auto kernel = cast<gpu::GPUFuncOp>(source->clone());
  OwningOpRef<gpu::GPUFuncOp> owner(kernel);
  OpBuilder b(context);
  b.setInsertionPointToEnd(target.getBody());
  auto function =
      func::FuncOp::create(b, source.getLoc(), source.getName(),
                           b.getFunctionType(TypeRange{}, TypeRange{}));
  function.getBody().takeBody(kernel.getBody());
  Block &body = function.getBody().front();
  Operation *end = body.getTerminator();
  b.setInsertionPoint(end);
  func::ReturnOp::create(b, end->getLoc());
  end->erase();
  lowerArguments(function);
  lowerIds(function);
  lowerArrays(function);
  body.eraseArguments(0, body.getNumArguments());
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

/// The most that a module may use; what it does use is found out at last.
static spirv::TargetEnvAttr targetEnvironment(MLIRContext *context,
                                              const SpirvOptions &options) {
  using spirv::Capability;
  SmallVector<Capability> capabilities = {Capability::Shader,
                                          Capability::Int64,
                                          Capability::Int16,
                                          Capability::Int8,
                                          Capability::StorageBuffer16BitAccess,
                                          Capability::StorageBuffer8BitAccess,
                                          Capability::DenormPreserve,
                                          Capability::SignedZeroInfNanPreserve,
                                          Capability::RoundingModeRTE};
  if (options.float64)
    capabilities.push_back(Capability::Float64);
  spirv::Extension extensions[] = {
      spirv::Extension::SPV_KHR_storage_buffer_storage_class,
      spirv::Extension::SPV_KHR_8bit_storage,
      spirv::Extension::SPV_KHR_16bit_storage,
      spirv::Extension::SPV_KHR_float_controls};
  auto triple = spirv::VerCapExtAttr::get(spirv::Version::V_1_3, capabilities,
                                          extensions, context);
  return spirv::TargetEnvAttr::get(triple,
                                   spirv::getDefaultResourceLimits(context),
                                   spirv::ClientAPI::Vulkan);
}

/// Helpers that the functions in `target` call, directly or not.
static void addHelpers(gpu::GPUModuleOp from, spirv::ModuleOp target) {
  SmallVector<Operation *> todo;
  for (auto function : target.getOps<func::FuncOp>())
    todo.push_back(function);
  OpBuilder b(target.getContext());
  b.setInsertionPointToStart(target.getBody());
  while (!todo.empty())
    todo.pop_back_val()->walk([&](func::CallOp call) {
      if (SymbolTable::lookupSymbolIn(target, call.getCallee()))
        return;
      auto helper = from.lookupSymbol<func::FuncOp>(call.getCallee());
      if (helper)
        todo.push_back(b.clone(*helper));
    });
}

static LogicalResult convert(spirv::ModuleOp module,
                             spirv::TargetEnvAttr environment,
                             bool forbidContraction) {
  MLIRContext *context = module.getContext();
  SPIRVConversionOptions options;
  options.use64bitIndex = true;
  options.emulateLT32BitScalarTypes = false;
  options.emulateUnsupportedFloatTypes = false;
  SPIRVTypeConverter converter(environment, options);
  ScfToSPIRVContext scfContext;
  RewritePatternSet patterns(context);
  arith::populateArithToSPIRVPatterns(converter, patterns);
  populateMathToSPIRVPatterns(converter, patterns);
  populateBuiltinFuncToSPIRVPatterns(converter, patterns);
  populateFuncToSPIRVPatterns(converter, patterns);
  populateSCFToSPIRVPatterns(converter, scfContext, patterns);
  ub::populateUBToSPIRVConversionPatterns(converter, patterns);
  // Operations that the target's capabilities exclude are not legal, which
  // makes the conversion choose others.
  std::unique_ptr<ConversionTarget> target =
      SPIRVConversionTarget::get(environment);
  if (failed(applyFullConversion(module, *target, std::move(patterns))))
    return failure();
  // No multiply and add becomes one operation, nor is anything else of the
  // result's value given up for speed.
  if (forbidContraction)
    module.walk([&](Operation *op) {
      if (isa<spirv::FAddOp, spirv::FSubOp, spirv::FMulOp, spirv::FDivOp,
              spirv::FNegateOp>(op))
        op->setAttr("no_contraction", UnitAttr::get(context));
    });
  return success();
}

/// The widths of floats that a module computes with.
static SmallVector<int32_t> floatWidths(spirv::ModuleOp module) {
  llvm::SetVector<int32_t> widths;
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (auto real = dyn_cast<FloatType>(type))
        widths.insert(real.getWidth());
  });
  return widths.takeVector();
}

/// `precise` asks the device for IEEE 754 as far as it goes; the runtime takes
/// back what the device does not have.
static void addEntryPoint(spirv::ModuleOp module, gpu::GPUFuncOp source,
                          bool precise) {
  auto function = module.lookupSymbol<spirv::FuncOp>(source.getName());
  OpBuilder b(module.getContext());
  b.setInsertionPointToEnd(module.getBody());
  // Before version 1.4 of SPIR-V, inputs and outputs only.
  llvm::SetVector<Attribute> interface;
  function.walk([&](spirv::AddressOfOp address) {
    auto type = cast<spirv::PointerType>(address.getPointer().getType());
    if (type.getStorageClass() == spirv::StorageClass::Input)
      interface.insert(address.getVariableAttr());
  });
  spirv::EntryPointOp::create(b, source.getLoc(),
                              spirv::ExecutionModel::GLCompute, function,
                              interface.getArrayRef());
  auto mode = [&](spirv::ExecutionMode which, ArrayRef<int32_t> values) {
    spirv::ExecutionModeOp::create(b, source.getLoc(), function, which, values);
  };
  mode(spirv::ExecutionMode::LocalSize,
       {static_cast<int32_t>(getBlockSize(source)), 1, 1});
  if (precise)
    for (int32_t width : floatWidths(module)) {
      mode(spirv::ExecutionMode::DenormPreserve, width);
      mode(spirv::ExecutionMode::SignedZeroInfNanPreserve, width);
      mode(spirv::ExecutionMode::RoundingModeRTE, width);
    }
}

/// An error at the first operation, or argument, of `kernel` that is f64.
static LogicalResult checkWithoutFloat64(Operation *kernel) {
  WalkResult walk = kernel->walk([&](Operation *op) {
    auto isWide = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
    bool has = llvm::any_of(op->getOperandTypes(), isWide) ||
               llvm::any_of(op->getResultTypes(), isWide);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        has |= llvm::any_of(block.getArgumentTypes(), isWide);
    if (!has)
      return WalkResult::advance();
    op->emitError("is on f64, which the target does not have");
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<OwningOpRef<ModuleOp>>
mlir::tang::lowerToSpirvModule(ArrayRef<gpu::GPUFuncOp> kernels,
                               const SpirvOptions &options) {
  gpu::GPUFuncOp front = kernels.front();
  MLIRContext *context = front.getContext();
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       math::MathDialect, memref::MemRefDialect,
                       scf::SCFDialect, spirv::SPIRVDialect, ub::UBDialect>();
  Location loc = front.getLoc();
  OwningOpRef<ModuleOp> result = ModuleOp::create(loc);
  OpBuilder b(context);
  b.setInsertionPointToEnd(result->getBody());
  auto module = spirv::ModuleOp::create(b, loc, spirv::AddressingModel::Logical,
                                        spirv::MemoryModel::GLSL450);
  spirv::TargetEnvAttr environment = targetEnvironment(context, options);
  (*result)->setAttr(spirv::getTargetEnvAttrName(), environment);
  for (gpu::GPUFuncOp kernel : kernels) {
    if (kernel->hasAttr("tang.native"))
      return kernel.emitOpError("is for another target");
    if (!options.float64 && failed(checkWithoutFloat64(kernel)))
      return failure();
    KernelLowering(kernel, module).run();
    addHelpers(kernel->getParentOfType<gpu::GPUModuleOp>(), module);
  }
  if (options.float64)
    callMathLibrary(module);
  else
    approximateMath(module);
  expandForSpirv(module);
  if (failed(convert(module, environment, options.forbidContraction)))
    return failure();
  for (gpu::GPUFuncOp kernel : kernels)
    addEntryPoint(module, kernel, options.floatControls);
  PassManager pm(context);
  pm.nest<spirv::ModuleOp>().addPass(spirv::createSPIRVUpdateVCEPass());
  if (failed(pm.run(*result)))
    return failure();
  return std::move(result);
}

static FailureOr<std::string> serialize(ArrayRef<gpu::GPUFuncOp> kernels,
                                        const SpirvOptions &options) {
  auto lowered = lowerToSpirvModule(kernels, options);
  if (failed(lowered))
    return failure();
  SmallVector<uint32_t, 0> words;
  for (auto module : (*lowered)->getOps<spirv::ModuleOp>())
    if (failed(spirv::serialize(module, words)))
      return failure();
  return std::string(reinterpret_cast<const char *>(words.data()),
                     words.size() * sizeof(uint32_t));
}

FailureOr<std::string> mlir::tang::emitSpirv(ModuleOp module,
                                             const SpirvOptions &options) {
  auto kernels = collectKernels(module);
  if (failed(kernels))
    return failure();
  if (kernels->empty())
    return module.emitError("has no kernels");
  return serialize(*kernels, options);
}

FailureOr<std::vector<std::pair<std::string, std::string>>>
mlir::tang::emitSpirvKernels(ModuleOp module, const SpirvOptions &options) {
  auto kernels = collectKernels(module);
  if (failed(kernels))
    return failure();
  std::vector<std::pair<std::string, std::string>> result;
  for (gpu::GPUFuncOp kernel : *kernels) {
    FailureOr<std::string> binary = serialize(kernel, options);
    if (failed(binary))
      return failure();
    result.emplace_back(kernel.getName().str(), std::move(*binary));
  }
  return result;
}
