//===- KernelFrame.cpp - What every kernel starts and ends with -----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFrame.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tang;

MemRefType mlir::tang::viewTypeOf(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (shape.empty())
    shape.push_back(1);
  return MemRefType::get(shape, type.getElementType());
}

AffineMap mlir::tang::withoutRank0(AffineMap map) {
  if (map.getNumResults() != 0)
    return map;
  return AffineMap::get(map.getNumDims(), map.getNumSymbols(),
                        getAffineConstantExpr(0, map.getContext()),
                        map.getContext());
}

//===----------------------------------------------------------------------===//
// Signature and launch
//===----------------------------------------------------------------------===//

/// The name that a frontend gave an argument by its location, if it did.
static std::string nameOf(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    if (StringRef text = name.getName(); !text.empty() && text.size() <= 24)
      return text.str();
  return "arg" + std::to_string(argument.getArgNumber());
}

void KernelFrame::addBuffer(Value buffer, StringRef hint, bool isWritten) {
  for (auto [i, known] : llvm::enumerate(hostBuffers))
    if (known == buffer) {
      written[i] = written[i] || isWritten;
      return;
    }
  // The name of a function's argument, so that a reader finds it again.
  std::string text;
  if (auto arg = dyn_cast<BlockArgument>(buffer))
    if (isa<func::FuncOp>(arg.getOwner()->getParentOp()))
      text = nameOf(arg);
  if (text.empty())
    text = hint.str();
  hostBuffers.push_back(buffer);
  bufferNames.push_back(text);
  written.push_back(isWritten);
}

void KernelFrame::addScalar(OpFoldResult scalar, const Twine &hint,
                            bool isSize) {
  auto value = dyn_cast<Value>(scalar);
  if (!value || getConstantIntValue(scalar) ||
      llvm::is_contained(hostScalars, value))
    return;
  hostScalars.push_back(value);
  scalarNames.push_back(hint.str());
  areSizes.push_back(isSize);
}

void KernelFrame::makeSignature(StringRef comment,
                                std::optional<int64_t> flops) {
  // Sizes of the buffers, so that a view can be made.
  size_t numBuffers = hostBuffers.size();
  DenseMap<Value, SmallVector<Value>> dims;
  for (size_t i = 0; i < numBuffers; ++i) {
    auto type = cast<MemRefType>(hostBuffers[i].getType());
    for (int64_t d = 0; d < type.getRank(); ++d) {
      if (!type.isDynamicDim(d))
        continue;
      Value size = host.createOrFold<memref::DimOp>(loc, hostBuffers[i], d);
      dims[hostBuffers[i]].push_back(size);
      addScalar(size, bufferNames[i] + "_" + Twine(d), /*isSize=*/true);
    }
  }

  SmallVector<Type> types;
  for (Value buffer : hostBuffers)
    types.push_back(
        MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(buffer)));
  for (Value scalar : hostScalars)
    types.push_back(scalar.getType());
  b.setInsertionPointToEnd(module.getBody());
  kernel = b.create<gpu::GPUFuncOp>(
      loc, name, FunctionType::get(b.getContext(), types, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), b.getUnitAttr());
  kernel->setAttr("tang.block", b.getI64IntegerAttr(block));
  kernel->setAttr("tang.comment", b.getStringAttr(comment));
  if (flops)
    kernel->setAttr("tang.flops", b.getI64IntegerAttr(*flops));
  for (auto [i, text] : llvm::enumerate(bufferNames)) {
    kernel.setArgAttr(i, "tang.name", b.getStringAttr(text));
    if (!written[i])
      kernel.setArgAttr(i, "tang.readonly", b.getUnitAttr());
  }
  for (auto [i, text] : llvm::enumerate(scalarNames))
    kernel.setArgAttr(numBuffers + i, "tang.name", b.getStringAttr(text));
  for (auto [i, isSize] : llvm::enumerate(areSizes))
    if (isSize)
      kernel.setArgAttr(numBuffers + i, "tang.size", b.getUnitAttr());

  b.setInsertionPointToStart(&kernel.getBody().front());
  for (auto [i, scalar] : llvm::enumerate(hostScalars))
    scalars[scalar] = kernel.getArgument(numBuffers + i);
  for (auto [i, buffer] : llvm::enumerate(hostBuffers)) {
    SmallVector<Value> dynamic = llvm::map_to_vector(
        dims[buffer], [&](Value v) { return toKernel(OpFoldResult(v)); });
    views[buffer] = b.create<ViewOp>(loc, viewTypeOf(buffer),
                                     kernel.getArgument(i), dynamic);
  }
}

OpFoldResult KernelFrame::countChunks(OpFoldResult size, int64_t chunk) {
  if (auto known = getConstantIntValue(size))
    return host.getIndexAttr(llvm::divideCeil(*known, chunk));
  return host.createOrFold<arith::CeilDivUIOp>(
      loc, cast<Value>(size), host.create<arith::ConstantIndexOp>(loc, chunk));
}

Value KernelFrame::makeBuffer(ArrayRef<OpFoldResult> shape, Type element) {
  SmallVector<int64_t> statics;
  SmallVector<Value> dynamics;
  dispatchIndexOpFoldResults(shape, dynamics, statics);
  return host.create<memref::AllocOp>(loc, MemRefType::get(statics, element),
                                      dynamics);
}

Value KernelFrame::toKernel(OpFoldResult value) {
  if (auto known = getConstantIntValue(value)) {
    if (auto v = dyn_cast<Value>(value); v && !v.getType().isIndex())
      return b.create<arith::ConstantOp>(loc,
                                         b.getIntegerAttr(v.getType(), *known));
    return constant(*known);
  }
  return scalars.at(cast<Value>(value));
}

void KernelFrame::launch() {
  b.setInsertionPointToEnd(&kernel.getBody().front());
  b.create<gpu::ReturnOp>(loc);
  auto index = [&](int64_t v) -> Value {
    return host.create<arith::ConstantIndexOp>(loc, v);
  };
  // Programs: the product of tiles over the parallel dimensions.
  Value programs = index(1);
  for (int64_t d : parallel) {
    Value tiles = host.createOrFold<arith::CeilDivUIOp>(
        loc, getValueOrCreateConstantIndexOp(host, loc, hostSizes[d]),
        index(tile[d]));
    programs = host.createOrFold<arith::MulIOp>(loc, programs, tiles);
  }
  Value blocks = programs;
  if (async) // As many as run at once; each takes one program after the other.
    blocks = host.createOrFold<arith::MinUIOp>(loc, programs, index(units));
  else if (block > 1)
    blocks = host.createOrFold<arith::CeilDivUIOp>(loc, programs, index(block));
  SmallVector<Value> arguments;
  for (Value buffer : hostBuffers) {
    Type linear =
        MemRefType::get({ShapedType::kDynamic}, getElementTypeOrSelf(buffer));
    auto type = cast<MemRefType>(buffer.getType());
    Value count = index(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = host.createOrFold<arith::MulIOp>(
          loc, count, host.createOrFold<memref::DimOp>(loc, buffer, d));
    arguments.push_back(host.create<ViewOp>(loc, linear, buffer, count));
  }
  llvm::append_range(arguments, hostScalars);
  host.create<gpu::LaunchFuncOp>(
      loc, kernel, gpu::KernelDim3{blocks, index(1), index(1)},
      gpu::KernelDim3{index(block), index(1), index(1)},
      /*dynamicSharedMemorySize=*/Value(), arguments);
}

//===----------------------------------------------------------------------===//
// Programs and streams
//===----------------------------------------------------------------------===//

Value KernelFrame::countOf(int64_t dim, Value base) {
  Value whole = constant(tile[dim]);
  if (tile[dim] == 1)
    return whole;
  if (auto size = getConstantIntValue(hostSizes[dim]))
    if (*size % tile[dim] == 0)
      return whole;
  Value rest = b.create<arith::SubIOp>(loc, sizes[dim], base);
  return b.create<arith::MinSIOp>(loc, whole, rest);
}

void KernelFrame::makeProgram() {
  int64_t numDims = hostSizes.size();
  sizes.resize(numDims);
  bases.resize(numDims);
  counts.resize(numDims);
  for (int64_t d = 0; d < numDims; ++d)
    sizes[d] = toKernel(hostSizes[d]);

  Value program = b.create<gpu::BlockIdOp>(loc, gpu::Dimension::x);
  SmallVector<Value> tiles;
  for (int64_t d : parallel)
    tiles.push_back(
        b.createOrFold<arith::CeilDivUIOp>(loc, sizes[d], constant(tile[d])));
  if (async) {
    Value total = constant(1);
    for (Value count : tiles)
      total = b.createOrFold<arith::MulIOp>(loc, total, count);
    Value blocks = b.create<gpu::GridDimOp>(loc, gpu::Dimension::x);
    auto loop = b.create<scf::ForOp>(loc, program, total, blocks);
    b.setInsertionPointToStart(loop.getBody());
    placeProgram(loop.getInductionVar(), tiles);
    return;
  }
  if (block > 1) {
    Value width = b.create<gpu::BlockDimOp>(loc, gpu::Dimension::x);
    Value thread = b.create<gpu::ThreadIdOp>(loc, gpu::Dimension::x);
    program = b.create<arith::AddIOp>(
        loc, b.create<arith::MulIOp>(loc, program, width), thread);
    Value total = constant(1);
    for (Value count : tiles)
      total = b.createOrFold<arith::MulIOp>(loc, total, count);
    Value inside =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, program, total);
    auto guard = b.create<scf::IfOp>(loc, inside, /*withElse=*/false);
    b.setInsertionPointToStart(guard.thenBlock());
  }
  // Last dimension fastest, so that neighbours read neighbouring memory.
  for (int64_t i = parallel.size() - 1; i >= 0; --i) {
    int64_t d = parallel[i];
    auto count = getConstantIntValue(tiles[i]);
    Value position = program;
    if (count == 1)
      position = constant(0);
    else if (i > 0) {
      position = b.create<arith::RemUIOp>(loc, program, tiles[i]);
      program = b.create<arith::DivUIOp>(loc, program, tiles[i]);
    }
    bases[d] = b.createOrFold<arith::MulIOp>(loc, position, constant(tile[d]));
    counts[d] = countOf(d, bases[d]);
  }
}

/// Programs of `raster` tiles of the last dimension but one are neighbours, so
/// that what they read is read together; the last dimension runs backwards,
/// since its last tiles may have most to do.
void KernelFrame::placeProgram(Value program, ArrayRef<Value> tiles) {
  auto place = [&](int64_t i, Value position) {
    int64_t d = parallel[i];
    bases[d] = b.createOrFold<arith::MulIOp>(loc, position, constant(tile[d]));
    counts[d] = countOf(d, bases[d]);
  };
  auto div = [&](Value x, Value y) {
    return b.createOrFold<arith::DivUIOp>(loc, x, y);
  };
  auto rem = [&](Value x, Value y) {
    return b.createOrFold<arith::RemUIOp>(loc, x, y);
  };
  auto sub = [&](Value x, Value y) {
    return b.createOrFold<arith::SubIOp>(loc, x, y);
  };
  // Dimensions of one tile have no place to choose.
  SmallVector<int64_t> many;
  for (int64_t i = 0, e = parallel.size(); i < e; ++i)
    if (getConstantIntValue(tiles[i]) == 1)
      place(i, constant(0));
    else
      many.push_back(i);
  if (many.size() >= 2) {
    int64_t row = many[many.size() - 2], column = many.back();
    many.pop_back_n(2);
    Value rows = tiles[row], columns = tiles[column];
    Value inPlane = b.createOrFold<arith::MulIOp>(loc, rows, columns);
    Value plane = many.empty() ? program : rem(program, inPlane);
    Value group = constant(async.getRaster());
    Value width = b.createOrFold<arith::MulIOp>(loc, columns, group);
    Value firstRow =
        b.createOrFold<arith::MulIOp>(loc, div(plane, width), group);
    Value height =
        b.createOrFold<arith::MinUIOp>(loc, sub(rows, firstRow), group);
    Value inGroup = rem(plane, width);
    place(row,
          b.createOrFold<arith::AddIOp>(loc, firstRow, rem(inGroup, height)));
    place(column, sub(sub(columns, constant(1)), div(inGroup, height)));
    program = div(program, inPlane);
  }
  for (int64_t i : llvm::reverse(many)) {
    place(i, i == many.front() ? program : rem(program, tiles[i]));
    program = div(program, tiles[i]);
  }
}

SmallVector<Value>
KernelFrame::stream(Value lower, Value upper, int64_t step, bool reverse,
                    const Twine &comment, ValueRange carried,
                    function_ref<SmallVector<Value>(Value, ValueRange)> inner) {
  OperationState state(loc, StreamOp::getOperationName());
  state.addOperands({lower, upper});
  state.addOperands(carried);
  state.addTypes(carried.getTypes());
  state.addAttribute("step", b.getI64IntegerAttr(step));
  if (reverse)
    state.addAttribute("reverse", b.getUnitAttr());
  state.addAttribute("comment", b.getStringAttr(comment));
  Block *body = new Block();
  body->addArgument(b.getIndexType(), loc);
  for (Type type : carried.getTypes())
    body->addArgument(type, loc);
  state.addRegion()->push_back(body);
  auto stream = cast<StreamOp>(b.create(state));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(body);
  b.create<YieldOp>(loc, inner(stream.getInductionVar(), stream.getCarries()));
  return llvm::to_vector_of<Value>(stream.getResults());
}

SmallVector<Value>
KernelFrame::streams(ArrayRef<int64_t> dims, ValueRange carried,
                     function_ref<SmallVector<Value>(ValueRange)> inner,
                     bool reverse, Value upper, Value lower) {
  if (dims.empty())
    return inner(carried);
  int64_t d = dims.front();
  return stream(lower ? lower : constant(0), upper ? upper : sizes[d], tile[d],
                reverse, "d" + Twine(d), carried,
                [&](Value index, ValueRange carries) {
                  bases[d] = index;
                  counts[d] = countOf(d, index);
                  return streams(dims.drop_front(), carries, inner, reverse);
                });
}
