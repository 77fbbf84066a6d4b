//===- KernelEmitter.h - Kernel IR as source text ---------------*- C++ -*-===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One emitter for all C-like languages. What differs between them is a
// `SourceLanguage`: how types, literals, declarations, kernels and library
// functions are spelled. The emitter decides what becomes a variable, what is
// inlined, where parentheses go, and how integers keep their meaning.
//
// To add a language, derive from SourceLanguage (lib/Target/C/CLanguage.cpp is
// the model) and call `emitKernelSource`.
//
//===----------------------------------------------------------------------===//

#ifndef TANG_TARGET_KERNELEMITTER_H
#define TANG_TARGET_KERNELEMITTER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>
#include <string>

namespace mlir::tang {

/// How tightly an expression binds, as in C.
enum class Precedence {
  Conditional,
  LogicalOr,
  LogicalAnd,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary
};

/// The text of an expression and how it may be put into a larger one.
struct SourceExpr {
  std::string text;
  Precedence precedence = Precedence::Primary;

  /// The text, in parentheses unless it binds at least as tightly as `least`.
  std::string within(Precedence least) const {
    return precedence >= least ? text : "(" + text + ")";
  }
};

/// A scalar or buffer argument as its source shows it.
struct SourceArgument {
  std::string name;
  Type type; ///< a scalar type, or the element type of a buffer
  bool isBuffer = false;
  bool isReadOnly = false; ///< a buffer that the kernel only reads
  bool isUsed = true;      ///< whether the body mentions it
  std::string dtype;       ///< the type before emulation ("bf16"), or empty
};

struct SourceKernel {
  std::string name;
  SmallVector<SourceArgument> arguments;
  std::string blockName;  ///< a free name for the block index
  bool usesBlock = false; ///< whether the body reads the block index
  int64_t block = 1;      ///< threads a block
  std::string grid;       ///< how many blocks, for readers, or empty
};

/// A small function of the emitted source itself, not of the IR: what a
/// language lacks, such as a maximum that knows NaN or a bit cast.
struct SourceHelper {
  std::string name;
  std::string text;
};

/// A function of the language for an op, and the helper it needs, if any.
struct SourceCallee {
  std::string name;
  std::optional<SourceHelper> helper;
};

/// A small float type that a language can keep in buffers by itself, while
/// kernel IR has its bits in an integer and computes in f32.
struct NativeStorage {
  std::string type;   ///< of an element
  SourceCallee load;  ///< an element as float, exactly
  SourceCallee store; ///< a float rounded to an element, as kernel IR says
  std::string toBits, fromBits; ///< an element's bits as a signed integer
};

/// How a language spells kernel IR. Everything here returns text; but for
/// `spell` and `spellStore`, nothing looks at the IR beyond types. The defaults
/// are those of the C family.
class SourceLanguage {
public:
  virtual ~SourceLanguage() = default;

  virtual StringRef getName() const = 0;

  /// Words that no variable may have, among them the library functions used.
  virtual bool isReserved(StringRef word) const = 0;

  /// A scalar type; integers with or without sign, index as 64-bit integer.
  virtual std::string typeName(Type type, bool isUnsigned = false) const = 0;

  /// Whether signed integers wrap around. Where they do not (C), data integers
  /// are added and multiplied as unsigned ones.
  virtual bool signedOverflowWraps() const { return false; }
  /// Whether integers narrower than 32 bits are computed in 32 bits.
  virtual bool promotesNarrowIntegers() const { return true; }
  /// Whether assignment converts between signed and unsigned.
  virtual bool convertsSignImplicitly() const { return true; }

  /// The start of a statement that declares a variable, without semicolon.
  /// `init` may be empty.
  virtual std::string declare(Type type, bool isUnsigned, StringRef name,
                              StringRef init, bool isConst) const;
  /// A statement that keeps compilers from complaining about `name`, or none.
  virtual std::string markUnused(StringRef name) const {
    return "  (void)" + name.str() + ";\n";
  }
  /// A local array of static shape, likewise.
  virtual std::string declareArray(MemRefType type, StringRef name) const;
  /// What goes in front of an array that should start at a multiple of so many
  /// bytes.
  virtual std::string alignment(uint64_t bytes) const { return ""; }
  virtual SourceExpr cast(Type type, bool isUnsigned,
                          const SourceExpr &operand) const;
  virtual SourceExpr select(const SourceExpr &condition, const SourceExpr &yes,
                            const SourceExpr &no) const;
  virtual SourceExpr floatLiteral(const APFloat &value) const;
  virtual SourceExpr intLiteral(Type type, const APInt &value,
                                bool isUnsigned) const;

  /// The callee for an op by its full name ("math.exp", "arith.maximumf") on
  /// operands of `type`, or nothing. Comparisons of floats that have no
  /// operator are "isunordered" and "islessgreater"; "isinf", which must be 0
  /// or 1, and "isfinite", any number that is not 0, are used where there.
  virtual std::optional<SourceCallee> callee(StringRef op, Type type) const = 0;
  /// The callee that reinterprets bits. Those of a float are unsigned.
  virtual std::optional<SourceCallee> bitcast(Type from, Type to) const = 0;

  /// An operation that this language writes in a way of its own, such as one
  /// on a type that it lacks; or nothing. Integers among the operands are given
  /// in their signed reading, and so is the result. A memref's text is the name
  /// of its variable.
  virtual std::optional<SourceExpr> spell(Operation *op,
                                          ArrayRef<SourceExpr> operands) const {
    return std::nullopt;
  }
  /// The same for a store, as whole statements.
  virtual SmallVector<std::string>
  spellStore(memref::StoreOp op, ArrayRef<SourceExpr> operands) const {
    return {};
  }
  /// The step of a loop by one, and the statements that end a loop unless
  /// `condition` (which binds tightly) holds and that use a variable.
  virtual std::string increment(StringRef name) const {
    return "++" + name.str();
  }
  virtual SmallVector<std::string> breakUnless(StringRef condition) const {
    return {"if (!" + condition.str() + ")", "  break;"};
  }
  virtual std::string discard(StringRef name) const {
    return "(void)" + name.str() + ";";
  }
  /// Whether arguments are variables of the file, which all kernels see.
  virtual bool hasGlobalArguments() const { return false; }
  /// A product whose result a sum may read, where compilers of the language
  /// would fuse the two unless told otherwise; nothing: the plain product.
  virtual std::optional<SourceExpr>
  unfusedProduct(Type type, const SourceExpr &lhs,
                 const SourceExpr &rhs) const {
    return std::nullopt;
  }
  /// How the language stores what was of type `dtype` before emulation, if it
  /// has that type.
  virtual std::optional<NativeStorage> nativeStorage(StringRef dtype) const {
    return std::nullopt;
  }
  /// The language's own text for a function of type emulation.
  virtual std::optional<SourceHelper> nativeHelper(StringRef name) const {
    return std::nullopt;
  }
  /// What the definition of a helper begins with.
  virtual StringRef helperPrefix() const { return "static inline "; }
  /// Vectors of floats: the declaration of their type, whose name is
  /// `typeName`; nothing where the language has none.
  virtual std::optional<SourceHelper> vectorType(VectorType type) const {
    return std::nullopt;
  }
  /// "vector.load" (from an address), "vector.store" (an address, a value),
  /// "vector.broadcast" and operations on floats, on vectors.
  virtual std::optional<SourceCallee> vectorCallee(StringRef op,
                                                   VectorType type) const {
    return std::nullopt;
  }

  virtual SourceExpr blockId(const SourceKernel &kernel) const = 0;
  virtual SourceExpr threadId(const SourceKernel &kernel) const = 0;
  virtual SourceExpr blockDim(const SourceKernel &kernel) const {
    return {std::to_string(kernel.block)};
  }
  /// Whether blocks of several threads run as a loop in the kernel.
  virtual bool serializesThreads() const { return false; }

  /// What stands at the top of the file. `usesDouble`: f64 occurs.
  virtual void emitPreamble(llvm::raw_ostream &os, bool usesDouble) const = 0;
  /// The line that opens a helper function.
  virtual std::string
  helperHeader(StringRef name, ArrayRef<Type> results,
               ArrayRef<SourceArgument> arguments) const = 0;
  /// Everything before and after the kernel's statements.
  virtual void emitKernelHeader(llvm::raw_ostream &os,
                                const SourceKernel &kernel) const = 0;
  virtual void emitKernelFooter(llvm::raw_ostream &os,
                                const SourceKernel &kernel) const {
    os << "}\n";
  }
  /// Helpers that a kernel's header and footer need.
  virtual SmallVector<SourceHelper>
  kernelHelpers(const SourceKernel &kernel) const {
    return {};
  }
};

/// Helpers common to the C family: maxima and minima of integers and floats.
std::optional<SourceCallee> getMinMaxCallee(const SourceLanguage &language,
                                            StringRef op, Type type);
/// Keywords of C and C++, the macros of their headers, and libm.
bool isCFamilyWord(StringRef word);
/// The function of <math.h> for an op by its full name, or empty; the one on
/// float ends in f.
StringRef getLibmName(StringRef op);
/// "i32", "f64", "index": a type in the name of a helper.
std::string getTypeSuffix(Type type);

/// Writes all kernels of `module` and the helpers they use. An operation that
/// the language has no spelling for is an error at its location.
LogicalResult emitKernelSource(ModuleOp module, const SourceLanguage &language,
                               llvm::raw_ostream &os);

/// Makes a kernel written for blocks of several threads run them in a loop:
/// `gpu.thread_id` becomes its induction variable and `gpu.block_dim` a
/// constant. Right because kernel IR has no barriers. Kernels with
/// `tang.block` 1 only have the ids replaced.
void serializeThreads(gpu::GPUFuncOp kernel);

/// The value of `tang.block`, 1 if absent.
int64_t getBlockSize(gpu::GPUFuncOp kernel);

} // namespace mlir::tang

#endif // TANG_TARGET_KERNELEMITTER_H
