//===- FunctionEmitter.h - One function as source --------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TANG_LIB_TARGET_KERNELEMITTER_FUNCTIONEMITTER_H
#define TANG_LIB_TARGET_KERNELEMITTER_FUNCTIONEMITTER_H

#include "Tang/Target/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace mlir::tang {

/// Floats, one or a vector of them: what has no sign to read.
inline bool isFloats(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type)) && !isa<MemRefType>(type);
}

/// Names in use, innermost scope last.
class NameScopes {
public:
  explicit NameScopes(const SourceLanguage &language) : language(language) {}

  void enter() { scopes.emplace_back(); }
  void leave();
  /// A free identifier that looks like `hint`, taken until its scope ends.
  std::string take(StringRef hint);

private:
  const SourceLanguage &language;
  struct Taken {
    std::string name, base;
    unsigned previous; ///< the number that `base` would have got next
  };
  llvm::StringSet<> used;
  llvm::StringMap<unsigned> next;
  SmallVector<SmallVector<Taken>> scopes;
};

/// What a value is in the source. An integer's C value is its signed or its
/// unsigned reading, as `isUnsigned` says.
struct ValueExpr : SourceExpr {
  bool isUnsigned = false;
  /// The value of an integer literal.
  std::optional<APInt> literal;
  /// The C type may be `int` although the IR's type is 64 bits wide.
  bool mayBeInt = false;
  /// Reads memory, so must not move past a store.
  bool readsMemory = false;
  /// An element of `NativeStorage`, where kernel IR has its bits.
  bool isNative = false;

  ValueExpr() = default;
  ValueExpr(SourceExpr expr, bool isUnsigned = false)
      : SourceExpr(std::move(expr)), isUnsigned(isUnsigned) {}
};

/// Writes the statements of one kernel or helper function.
class FunctionEmitter {
public:
  /// `globals`: names of the file, to which those of global arguments come.
  FunctionEmitter(const SourceLanguage &language,
                  std::map<std::string, SourceHelper> &helpers,
                  llvm::StringSet<> &globals)
      : language(language), helpers(helpers), globals(globals),
        names(language) {}

  LogicalResult emitKernel(gpu::GPUFuncOp kernel, llvm::raw_ostream &os);
  LogicalResult emitHelper(func::FuncOp helper, llvm::raw_ostream &os);

private:
  // Statements.
  LogicalResult emitBlock(Block &block);
  LogicalResult emitOp(Operation *op);
  LogicalResult emitFor(scf::ForOp loop);
  LogicalResult emitIf(scf::IfOp op);
  LogicalResult emitWhile(scf::WhileOp loop);
  void emitBreakUnless(scf::ConditionOp op);
  LogicalResult emitLoopBody(scf::ForOp loop, ArrayRef<std::string> carried);
  LogicalResult emitReturn(func::ReturnOp op);
  void placeArray(memref::AllocaOp op);
  void emitArrays(Operation *before);
  void emitStore(memref::StoreOp op);
  void assignAll(ArrayRef<std::string> targets, ValueRange values,
                 ValueRange carried);
  void assign(StringRef target, Value value, const ValueExpr &expr);
  void planInlining(Block &block);
  void comment(Operation *op);
  void line(const Twine &text);

  /// Declares a variable for `value` and makes it its expression.
  void define(Value value, const ValueExpr &init, StringRef hint = {});
  std::string declareCarried(Value value, const std::optional<ValueExpr> &init,
                             StringRef hint);
  std::string hintFor(Value value) const;

  // Expressions.
  FailureOr<ValueExpr> expression(Operation *op);
  FailureOr<ValueExpr> integerBinary(Operation *op);
  FailureOr<ValueExpr> boolBinary(Operation *op);
  FailureOr<ValueExpr> compareInts(arith::CmpIOp op);
  FailureOr<ValueExpr> compareFloats(arith::CmpFOp op);
  FailureOr<ValueExpr> conversion(Operation *op);
  FailureOr<ValueExpr> libraryCall(Operation *op);
  ValueExpr constant(arith::ConstantOp op);
  ValueExpr element(Value memref, ValueRange indices);
  std::optional<NativeStorage> storageOf(Value memref) const;
  std::string calleeName(const SourceCallee &callee);
  ValueExpr loadNative(memref::LoadOp load, const NativeStorage &storage);
  /// A call of one of the language's functions on vectors of a type.
  FailureOr<ValueExpr> onVectors(Operation *op, StringRef name, VectorType type,
                                 ArrayRef<ValueExpr> arguments);
  ValueExpr operand(Operation *op, unsigned i) {
    return get(op->getOperand(i));
  }
  ValueExpr get(Value value);
  SmallVector<SourceExpr> signedOperands(Operation *op);
  ValueExpr reading(ValueExpr expr, Type type, bool isUnsigned);
  /// For a place declared with a signed type.
  ValueExpr forSignedUse(const ValueExpr &expr, Type type);
  ValueExpr binary(StringRef symbol, Precedence precedence,
                   const ValueExpr &lhs, const ValueExpr &rhs);
  ValueExpr call(StringRef name, ArrayRef<ValueExpr> arguments);
  FailureOr<ValueExpr> callee(Operation *op, StringRef name, Type type,
                              ArrayRef<ValueExpr> arguments);
  InFlightDiagnostic unsupported(Operation *op);

  const SourceLanguage &language;
  std::map<std::string, SourceHelper> &helpers;
  llvm::StringSet<> &globals;
  NameScopes names;
  DenseMap<Value, ValueExpr> values;
  DenseSet<Operation *> inlined;
  /// Local arrays by the operation that they are declared before.
  DenseMap<Operation *, SmallVector<memref::AllocaOp>> arrays;
  /// What a buffer's elements were before emulation.
  DenseMap<Value, std::string> dtypes;
  SourceKernel kernelInfo;
  unsigned loopDepth = 0, indent = 1;
  llvm::raw_ostream *os = nullptr;
};

} // namespace mlir::tang

#endif // TANG_LIB_TARGET_KERNELEMITTER_FUNCTIONEMITTER_H
