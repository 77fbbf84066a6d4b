//===- PtxBuilder.cpp - Instructions of asynchronous kernels --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxBuilder.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tang;

/// LLVM's address space of shared memory.
static constexpr unsigned kShared = 3;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

OpBuilder PtxBuilder::atStart() { return OpBuilder::atBlockBegin(entry); }

Value PtxBuilder::constant(TypedAttr attr) {
  Value &value = known[attr];
  if (!value)
    value = atStart().create<arith::ConstantOp>(loc, attr);
  return value;
}

Value PtxBuilder::i32(int64_t value) {
  return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value PtxBuilder::i64(int64_t value) {
  return constant(b.getI64IntegerAttr(value));
}

Value PtxBuilder::f32(float value) {
  return constant(b.getF32FloatAttr(value));
}

Value PtxBuilder::undef(Type type) {
  Value &constant = known[TypeAttr::get(type)];
  if (!constant)
    constant = atStart().create<LLVM::UndefOp>(loc, type);
  return constant;
}

Value PtxBuilder::div(Value x, int64_t y) {
  return y == 1 ? x : b.createOrFold<arith::DivUIOp>(loc, x, i32(y));
}

Value PtxBuilder::rem(Value x, int64_t y) {
  return y == 1 ? i32(0) : b.createOrFold<arith::RemUIOp>(loc, x, i32(y));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

Value PtxBuilder::threadId() {
  return b.create<NVVM::ThreadIdXOp>(loc, b.getI32Type());
}
Value PtxBuilder::blockId() {
  return b.create<NVVM::BlockIdXOp>(loc, b.getI32Type());
}
Value PtxBuilder::gridDim() {
  return b.create<NVVM::GridDimXOp>(loc, b.getI32Type());
}

Value PtxBuilder::runtimeZero() {
  Value rows = b.create<NVVM::GridDimYOp>(loc, b.getI32Type());
  return sub(rows, i32(1));
}

Value PtxBuilder::uniform(Value value) {
  return b.create<NVVM::ShflOp>(loc, value.getType(), i32(-1), value, i32(0),
                                i32(31), NVVM::ShflKind::idx, UnitAttr());
}

Value PtxBuilder::shuffle(Value value, int64_t lanes) {
  return b.create<NVVM::ShflOp>(loc, value.getType(), i32(-1), value,
                                i32(lanes), i32(31), NVVM::ShflKind::bfly,
                                UnitAttr());
}

void PtxBuilder::barrier(Value id, int64_t threads) {
  b.create<NVVM::BarrierOp>(loc, TypeRange{}, id, i32(threads),
                            NVVM::BarrierReductionAttr(), Value());
}

void PtxBuilder::blockBarrier() { b.create<NVVM::BarrierOp>(loc); }

void PtxBuilder::setRegisters(int64_t count, bool increase) {
  b.create<NVVM::SetMaxRegisterOp>(loc, static_cast<uint32_t>(count),
                                   increase
                                       ? NVVM::SetMaxRegisterAction::increase
                                       : NVVM::SetMaxRegisterAction::decrease);
}

//===----------------------------------------------------------------------===//
// Barriers in shared memory
//===----------------------------------------------------------------------===//

Value PtxBuilder::sharedPointer(Value address) {
  return b.create<LLVM::IntToPtrOp>(
      loc, LLVM::LLVMPointerType::get(b.getContext(), kShared), address);
}

void PtxBuilder::initBarrier(Value address, int64_t arrivals) {
  b.create<NVVM::MBarrierInitOp>(loc, sharedPointer(address), i32(arrivals),
                                 Value());
}

void PtxBuilder::fenceInit() { b.create<NVVM::FenceMbarrierInitOp>(loc); }

void PtxBuilder::expect(Value barrier, int64_t bytes) {
  b.create<NVVM::MBarrierArriveExpectTxOp>(loc, Type(), sharedPointer(barrier),
                                           i32(bytes), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
}

void PtxBuilder::waitBarrier(Value barrier, Value parity) {
  b.create<NVVM::MBarrierTryWaitParityOp>(loc, sharedPointer(barrier), parity,
                                          i32(10000000));
}

void PtxBuilder::arrive(Value barrier, Value predicate) {
  assembly("{ .reg .pred p; setp.ne.b32 p, $1, 0; "
           "@p mbarrier.arrive.shared::cta.b64 _, [$0]; }",
           "r,r", {barrier, predicate}, {}, true);
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

void PtxBuilder::copyIn(Value to, Value map, Value barrier,
                        ValueRange coordinates) {
  Value pointer = b.create<LLVM::IntToPtrOp>(
      loc,
      LLVM::LLVMPointerType::get(
          b.getContext(),
          static_cast<unsigned>(NVVM::NVVMMemorySpace::SharedCluster)),
      to);
  b.create<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(
      loc, pointer, map, coordinates, sharedPointer(barrier), ValueRange(),
      Value(), Value(), NVVM::TMALoadMode::TILE, /*isCTAOnly=*/false,
      NVVM::CTAGroupKindAttr(), Value());
}

void PtxBuilder::copyOut(Value map, Value from, ValueRange coordinates) {
  b.create<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp>(
      loc, map, sharedPointer(from), coordinates, Value(),
      NVVM::TMAStoreMode::TILE, Value());
}

void PtxBuilder::commitCopies() {
  b.create<NVVM::CpAsyncBulkCommitGroupOp>(loc);
}

void PtxBuilder::waitCopies(bool onlyRead) {
  b.create<NVVM::CpAsyncBulkWaitGroupOp>(
      loc, uint32_t(0), onlyRead ? b.getUnitAttr() : UnitAttr());
}

void PtxBuilder::fenceShared() {
  b.create<NVVM::FenceProxyOp>(
      loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(b.getContext(),
                                 NVVM::SharedSpace::shared_cta));
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

Value PtxBuilder::descriptor(Value address, int64_t leadingBytes,
                             int64_t strideBytes) {
  // PTX ISA, "Matrix descriptor format": bits 0-13 address, 16-29 leading and
  // 32-45 stride offset, each in units of 16 bytes; 62-63 swizzle, 1 for 128.
  int64_t high = ((leadingBytes >> 4) << 16) | ((strideBytes >> 4) << 32) |
                 (int64_t(1) << 62);
  Value start =
      andi(b.create<arith::ShRUIOp>(loc, address, i32(4)), i32(0x3fff));
  return ori(toI64(start), i64(high));
}

SmallVector<Value> PtxBuilder::multiply(const Shape &shape,
                                        ArrayRef<Step> steps, ValueRange acc,
                                        Value keep) {
  int64_t count = shape.columns / 2;
  std::string constraints, registers;
  for (int64_t i = 0; i < count; ++i) {
    constraints += "=f,";
    registers += (i ? ", $" : "$") + std::to_string(i);
  }
  SmallVector<Value> operands;
  llvm::DenseMap<Value, int64_t> positions;
  auto operand = [&](Value value, StringRef constraint) {
    auto [it, isNew] = positions.try_emplace(value, count + operands.size());
    if (isNew) {
      operands.push_back(value);
      constraints += (constraint + ",").str();
    }
    return "$" + std::to_string(it->second);
  };
  std::string text = "{ .reg .b64 a, b; .reg .pred p; ";
  if (keep)
    text += "setp.ne.b32 p, " + operand(keep, "r") + ", 0; ";
  text += "wgmma.fence.sync.aligned; ";
  auto moved = [&](StringRef name, Value descriptor, int64_t offset) {
    std::string place = operand(descriptor, "l");
    if (!offset)
      return place;
    text += ("add.s64 " + name + ", " + place + ", ").str() +
            std::to_string(offset) + "; ";
    return name.str();
  };
  for (auto [k, step] : llvm::enumerate(steps)) {
    std::string lhs;
    if (step.lhsRegisters.empty()) {
      lhs = moved("a", step.lhs, step.lhsOffset);
    } else {
      lhs = "{";
      for (auto [i, value] : llvm::enumerate(step.lhsRegisters))
        lhs += (i ? ", " : "") + operand(value, "r");
      lhs += "}";
    }
    std::string rhs = moved("b", step.rhs, step.rhsOffset);
    std::string scale = k > 0 ? "1" : (acc.empty() ? "0" : (keep ? "p" : "1"));
    text += ("wgmma.mma_async.sync.aligned.m64n" + Twine(shape.columns) +
             "k16.f32." + shape.element + "." + shape.element + " {" +
             registers + "}, " + lhs + ", " + rhs + ", " + scale + ", 1, 1" +
             (step.lhsRegisters.empty() ? (shape.lhsTransposed ? ", 1" : ", 0")
                                        : "") +
             (shape.rhsTransposed ? ", 1; " : ", 0; "))
                .str();
  }
  text += "wgmma.commit_group.sync.aligned; }";
  for (auto [i, value] : llvm::enumerate(acc)) {
    operands.push_back(value);
    constraints += std::to_string(i) + ",";
  }
  constraints.pop_back();
  return assembly(text, constraints, operands,
                  SmallVector<Type>(count, b.getF32Type()), true);
}

SmallVector<Value> PtxBuilder::waitGroups(int64_t pending, ValueRange tied) {
  std::string constraints;
  for (size_t i = 0; i < tied.size(); ++i)
    constraints += "=f,";
  for (size_t i = 0; i < tied.size(); ++i)
    constraints += std::to_string(i) + ",";
  if (!constraints.empty())
    constraints.pop_back();
  return assembly(
      "wgmma.wait_group.sync.aligned " + std::to_string(pending) + ";",
      constraints, tied, SmallVector<Type>(tied.size(), b.getF32Type()), true);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Value PtxBuilder::exp2(Value value) {
  return assembly("ex2.approx.ftz.f32 $0, $1;", "=f,f", value, b.getF32Type(),
                  false)
      .front();
}

Value PtxBuilder::pack(Value low, Value high, StringRef element) {
  return assembly(("cvt.rn." + element + "x2.f32 $0, $1, $2;").str(), "=r,f,f",
                  {high, low}, b.getI32Type(), false)
      .front();
}

std::pair<Value, Value> PtxBuilder::unpack(Value packed, bool isBF16) {
  Type f32Type = b.getF32Type();
  if (isBF16) {
    Value low = b.create<arith::ShLIOp>(loc, packed, i32(16));
    Value high = andi(packed, i32(0xffff0000));
    return {b.create<arith::BitcastOp>(loc, f32Type, low),
            b.create<arith::BitcastOp>(loc, f32Type, high)};
  }
  auto half = [&](Value bits) -> Value {
    Value narrow = b.create<arith::TruncIOp>(loc, b.getI16Type(), bits);
    Value value = b.create<arith::BitcastOp>(loc, b.getF16Type(), narrow);
    return b.create<arith::ExtFOp>(loc, f32Type, value);
  };
  return {half(packed), half(b.create<arith::ShRUIOp>(loc, packed, i32(16)))};
}

void PtxBuilder::storeMatrix(Value address, ValueRange four) {
  b.create<NVVM::StMatrixOp>(
      loc, sharedPointer(address), four, NVVM::MMALayout::row,
      NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16);
}

void PtxBuilder::storeIf(Value predicate, Value address, Value value) {
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  if (bits == 1) {
    // A byte each; registers have 16 bits at least.
    bits = 8;
    value = b.create<arith::ExtUIOp>(loc, b.getI16Type(), value);
  }
  bool isFloat = isa<FloatType>(value.getType());
  if (bits == 16 && isFloat) {
    value = b.create<arith::BitcastOp>(loc, b.getI16Type(), value);
    isFloat = false;
  }
  StringRef constraint = bits == 64   ? (isFloat ? "d" : "l")
                         : bits == 32 ? (isFloat ? "f" : "r")
                                      : "h";
  assembly("{ .reg .pred p; setp.ne.b32 p, $0, 0; @p st.global.b" +
               std::to_string(bits) + " [$1], $2; }",
           ("r,l," + constraint).str(), {predicate, address, value}, {}, true);
}

Value PtxBuilder::loadConstant(Value pointer, Value index) {
  Value address = b.create<LLVM::GEPOp>(loc, pointer.getType(), b.getI32Type(),
                                        pointer, ArrayRef<LLVM::GEPArg>{index});
  return b.create<LLVM::LoadOp>(loc, b.getI32Type(), address);
}

Value PtxBuilder::loadIf(Value predicate, Value address, Type type) {
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isFloat = isa<FloatType>(type), isHalf = bits == 16 && isFloat;
  // A byte each; registers have 16 bits at least.
  bool isBit = bits == 1;
  Type loaded = isHalf || isBit ? Type(b.getI16Type()) : type;
  StringRef constraint = bits == 64   ? (isFloat ? "d" : "l")
                         : bits == 32 ? (isFloat ? "f" : "r")
                                      : "h";
  std::string zero = "mov.b" + std::to_string(isBit ? 16 : bits) + " $0, 0; ";
  Value value = assembly("{ .reg .pred p; setp.ne.b32 p, $1, 0; " + zero +
                             "@p ld.global.b" +
                             std::to_string(isBit ? 8 : bits) + " $0, [$2]; }",
                         ("=&" + constraint + ",r,l").str(),
                         {predicate, address}, loaded, true)
                    .front();
  if (isBit)
    return b.create<arith::TruncIOp>(loc, type, value);
  return isHalf ? b.create<arith::BitcastOp>(loc, type, value).getResult()
                : value;
}

SmallVector<Value> PtxBuilder::assembly(StringRef text, StringRef constraints,
                                        ValueRange operands, TypeRange results,
                                        bool sideEffects) {
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(b.getContext(),
                                            llvm::to_vector(results));
  auto op = b.create<LLVM::InlineAsmOp>(
      loc, type, operands, text, constraints, sideEffects,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  if (results.size() <= 1)
    return SmallVector<Value>(op->getResults());
  SmallVector<Value> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(b.create<LLVM::ExtractValueOp>(loc, op->getResult(0), i));
  return values;
}
