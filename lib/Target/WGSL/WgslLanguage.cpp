//===- WgslLanguage.cpp - Kernels as WGSL source --------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WgslImpl.h"

#include "Tang/Target/KernelEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tang;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

static bool isNarrow(Type type) {
  return type.isInteger(8) || type.isInteger(16);
}

static bool isLong(Type type) { return type.isInteger(64); }

/// Whether a memref is a buffer of the kernel, not a local array.
static bool isBuffer(Value memref) { return isa<BlockArgument>(memref); }

namespace {

class WgslLanguage : public SourceLanguage {
public:
  StringRef getName() const override { return "WGSL"; }
  bool isReserved(StringRef word) const override;
  std::string typeName(Type type, bool isUnsigned) const override;
  bool signedOverflowWraps() const override { return true; }
  bool convertsSignImplicitly() const override { return false; }
  std::string declare(Type type, bool isUnsigned, StringRef name,
                      StringRef init, bool isConst) const override;
  std::string markUnused(StringRef) const override { return ""; }
  std::string declareArray(MemRefType type, StringRef name) const override;
  SourceExpr cast(Type type, bool isUnsigned,
                  const SourceExpr &operand) const override;
  SourceExpr select(const SourceExpr &condition, const SourceExpr &yes,
                    const SourceExpr &no) const override;
  SourceExpr floatLiteral(const APFloat &value) const override;
  SourceExpr intLiteral(Type type, const APInt &value,
                        bool isUnsigned) const override;
  std::optional<SourceCallee> callee(StringRef op, Type type) const override;
  std::optional<SourceCallee> bitcast(Type from, Type to) const override;
  std::optional<SourceExpr> spell(Operation *op,
                                  ArrayRef<SourceExpr> x) const override;
  SmallVector<std::string> spellStore(memref::StoreOp op,
                                      ArrayRef<SourceExpr> x) const override;
  std::string increment(StringRef name) const override {
    return name.str() + "++";
  }
  SmallVector<std::string> breakUnless(StringRef condition) const override {
    return {"if (!" + condition.str() + ") {", "  break;", "}"};
  }
  std::string discard(StringRef name) const override {
    return "_ = " + name.str() + ";";
  }
  bool hasGlobalArguments() const override { return true; }
  SourceExpr blockId(const SourceKernel &) const override {
    return {"i32(group.y * groups.x + group.x)"};
  }
  SourceExpr threadId(const SourceKernel &) const override {
    return {"i32(local.x)"};
  }
  void emitPreamble(llvm::raw_ostream &, bool) const override {}
  std::string helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const override;
  void emitKernelHeader(llvm::raw_ostream &os,
                        const SourceKernel &kernel) const override;

private:
  std::optional<SourceExpr> spellLong(Operation *op,
                                      ArrayRef<SourceExpr> x) const;
  std::optional<SourceExpr> spellConversion(Operation *op,
                                            const SourceExpr &x) const;
  std::optional<SourceExpr> spellComparison(arith::CmpFOp op,
                                            ArrayRef<SourceExpr> x) const;
  std::optional<SourceExpr> spellShift(Operation *op,
                                       ArrayRef<SourceExpr> x) const;
};

} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

bool WgslLanguage::isReserved(StringRef word) const {
  // Keywords and reserved words of WGSL (sections 3.5 and 16.1 of its
  // specification), the built-in functions and types that a person might name a
  // buffer after, and what this file calls its own variables.
  static const llvm::StringSet<> words = {
      // keywords
      "alias", "break", "case", "const", "const_assert", "continue",
      "continuing", "default", "diagnostic", "discard", "else", "enable",
      "false", "fn", "for", "if", "let", "loop", "override", "requires",
      "return", "struct", "switch", "true", "var", "while",
      // reserved words
      "NULL", "Self", "abstract", "active", "alignas", "alignof", "as", "asm",
      "asm_fragment", "async", "attribute", "auto", "await", "become", "cast",
      "catch", "class", "co_await", "co_return", "co_yield", "coherent",
      "column_major", "common", "compile", "compile_fragment", "concept",
      "const_cast", "consteval", "constexpr", "constinit", "crate", "debugger",
      "decltype", "delete", "demote", "demote_to_helper", "do", "dynamic_cast",
      "enum", "explicit", "export", "extends", "extern", "external",
      "fallthrough", "filter", "final", "finally", "friend", "from", "fxgroup",
      "get", "goto", "groupshared", "highp", "impl", "implements", "import",
      "inline", "instanceof", "interface", "layout", "lowp", "macro",
      "macro_rules", "match", "mediump", "meta", "mod", "module", "move", "mut",
      "mutable", "namespace", "new", "nil", "noexcept", "noinline",
      "nointerpolation", "non_coherent", "noncoherent", "noperspective", "null",
      "nullptr", "of", "operator", "package", "packoffset", "partition", "pass",
      "patch", "pixelfragment", "precise", "precision", "premerge", "priv",
      "protected", "pub", "public", "readonly", "ref", "regardless", "register",
      "reinterpret_cast", "require", "resource", "restrict", "self", "set",
      "shared", "sizeof", "smooth", "snorm", "static", "static_assert",
      "static_cast", "std", "subroutine", "super", "target", "template", "this",
      "thread_local", "throw", "trait", "try", "type", "typedef", "typeid",
      "typename", "typeof", "union", "unless", "unorm", "unsafe", "unsized",
      "use", "using", "varying", "virtual", "volatile", "wgsl", "where", "with",
      "writeonly", "yield",
      // types and functions
      "array", "atomic", "bool", "f16", "f32", "i32", "u32", "ptr", "sampler",
      "vec2", "vec3", "vec4", "vec2u", "vec3u", "vec4u", "vec2i", "vec2f",
      "function", "private", "storage", "uniform", "workgroup", "read", "write",
      "abs", "acos", "acosh", "all", "any", "arrayLength", "asin", "asinh",
      "atan", "atan2", "atanh", "atomicAnd", "atomicLoad", "atomicOr",
      "bitcast", "ceil", "clamp", "cos", "cosh", "countLeadingZeros",
      "countOneBits", "cross", "degrees", "distance", "dot", "exp", "exp2",
      "extractBits", "floor", "fma", "fract", "frexp", "insertBits",
      "inverseSqrt", "ldexp", "length", "log", "log2", "max", "min", "mix",
      "modf", "normalize", "pow", "radians", "reflect", "round", "saturate",
      "select", "sign", "sin", "sinh", "smoothstep", "sqrt", "step", "tan",
      "tanh", "transpose", "trunc", "main",
      // ours
      "group", "groups", "local", "args"};
  return word.starts_with("tang_") || word.starts_with("__") ||
         word.starts_with("mat2") || word.starts_with("mat3") ||
         word.starts_with("mat4") || word.starts_with("texture") ||
         word.ends_with("_args") || word == "_" || words.contains(word);
}

std::string WgslLanguage::typeName(Type type, bool isUnsigned) const {
  if (type.isF32())
    return "f32";
  if (type.isInteger(1))
    return "bool";
  if (isLong(type))
    return "vec2<u32>";
  return isUnsigned ? "u32" : "i32";
}

std::string WgslLanguage::declare(Type type, bool isUnsigned, StringRef name,
                                  StringRef init, bool isConst) const {
  std::string text = (isConst && !init.empty() ? "let " : "var ") + name.str() +
                     ": " + typeName(type, isUnsigned);
  if (!init.empty())
    text += " = " + init.str();
  return text;
}

std::string WgslLanguage::declareArray(MemRefType type, StringRef name) const {
  std::string element = typeName(type.getElementType(), false);
  for (int64_t size : llvm::reverse(type.getShape()))
    element = "array<" + element + ", " +
              std::to_string(std::max<int64_t>(size, 1)) + ">";
  if (type.getRank() == 0)
    element = "array<" + element + ", 1>";
  return "var " + name.str() + ": " + element;
}

/// A call of a function.
static SourceExpr callOf(const Twine &name, ArrayRef<SourceExpr> arguments) {
  std::string text = (name + "(").str();
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    // `f(a < b, c > d)` would read as a template.
    bool isLast = i + 1 == arguments.size();
    text += (i ? ", " : "") +
            (isLast ? argument.text : argument.within(Precedence::Additive));
  }
  return {text + ")"};
}

SourceExpr WgslLanguage::cast(Type type, bool isUnsigned,
                              const SourceExpr &operand) const {
  SourceExpr result = callOf(typeName(type, isUnsigned), operand);
  if (!isNarrow(type))
    return result;
  return {"extractBits(" + result.text + ", 0, " +
          std::to_string(type.getIntOrFloatBitWidth()) + ")"};
}

SourceExpr WgslLanguage::select(const SourceExpr &condition,
                                const SourceExpr &yes,
                                const SourceExpr &no) const {
  return callOf("select", {no, yes, condition});
}

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

SourceExpr WgslLanguage::floatLiteral(const APFloat &value) const {
  // Near the largest number a decimal may be taken for one beyond.
  uint32_t bits = value.bitcastToAPInt().trunc(32).getZExtValue();
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if ((magnitude != 0 && magnitude < 0x00800000) || magnitude > 0x7F000000)
    return {"tang_f32(" + hex(bits) + "u)"};
  return SourceLanguage::floatLiteral(value);
}

SourceExpr WgslLanguage::intLiteral(Type type, const APInt &value,
                                    bool isUnsigned) const {
  if (isLong(type)) {
    uint64_t bits = value.getZExtValue();
    return {"vec2<u32>(" + hex(bits & 0xFFFFFFFF) + "u, " + hex(bits >> 32) +
            "u)"};
  }
  // Literals without suffix have 64 bits, so that the least i32 is one.
  if (!isUnsigned && value.isMinSignedValue() && !type.isInteger(1))
    return {"i32(" + std::to_string(value.getSExtValue()) + ")"};
  return SourceLanguage::intLiteral(type, value, isUnsigned);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

std::optional<SourceCallee> WgslLanguage::callee(StringRef op,
                                                 Type type) const {
  if (!isa<FloatType>(type)) {
    StringRef name = llvm::StringSwitch<StringRef>(op)
                         .Cases({"arith.maxsi", "arith.maxui"}, "max")
                         .Cases({"arith.minsi", "arith.minui"}, "min")
                         .Default("");
    return name.empty() ? std::nullopt
                        : std::optional(SourceCallee{name.str(), {}});
  }
  StringRef name = llvm::StringSwitch<StringRef>(op)
                       // What SwiftShader and every driver tested get right.
                       .Case("math.absf", "abs")
                       .Case("math.ceil", "ceil")
                       .Case("math.floor", "floor")
                       .Case("math.trunc", "trunc")
                       .Case("math.roundeven", "round")
                       .Case("arith.maximumf", "tang_maximum")
                       .Case("arith.minimumf", "tang_minimum")
                       .Case("arith.maxnumf", "tang_maxnum")
                       .Case("arith.minnumf", "tang_minnum")
                       .Case("arith.remf", "tang_fmod")
                       .Case("math.powf", "tang_pow")
                       .Cases({"math.acos", "math.acosh", "math.asin",
                               "math.asinh", "math.atan", "math.atan2"},
                              op)
                       .Cases({"math.atanh", "math.cbrt", "math.copysign",
                               "math.cos", "math.cosh", "math.erf"},
                              op)
                       .Cases({"math.erfc", "math.exp", "math.exp2",
                               "math.expm1", "math.fma", "math.log"},
                              op)
                       .Cases({"math.log10", "math.log1p", "math.log2",
                               "math.round", "math.sin", "math.sinh"},
                              op)
                       .Cases({"math.sqrt", "math.tan", "math.tanh"}, op)
                       .Default("");
  if (name.empty())
    return std::nullopt;
  std::string text = name.str();
  if (name.starts_with("math."))
    text = "tang_" + name.drop_front(5).str();
  return SourceCallee{text, {}};
}

std::optional<SourceCallee> WgslLanguage::bitcast(Type from, Type to) const {
  if (from == to)
    return SourceCallee{"", {}};
  if (isa<FloatType>(to))
    return SourceCallee{"tang_f32", {}};
  return SourceCallee{"bitcast<u32>", {}};
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static SourceExpr infix(const SourceExpr &x, StringRef symbol,
                        const SourceExpr &y, Precedence precedence) {
  return {x.within(Precedence::Unary) + " " + symbol.str() + " " +
              y.within(Precedence::Unary),
          precedence};
}

/// The low word, as a number with sign.
static SourceExpr lowWord(const SourceExpr &x) {
  return {"i32(" + x.within(Precedence::Primary) + ".x)"};
}

/// 64 bits as two words, low first.
std::optional<SourceExpr>
WgslLanguage::spellLong(Operation *op, ArrayRef<SourceExpr> x) const {
  auto call = [&](StringRef name) {
    return std::optional(callOf("tang_" + name + "64", x));
  };
  using Result = std::optional<SourceExpr>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return call("add"); })
      .Case([&](arith::SubIOp) { return call("sub"); })
      .Case([&](arith::MulIOp) { return call("mul"); })
      .Case([&](arith::DivSIOp) { return call("divs"); })
      .Case([&](arith::DivUIOp) { return call("divu"); })
      .Case([&](arith::RemSIOp) { return call("rems"); })
      .Case([&](arith::RemUIOp) { return call("remu"); })
      .Case([&](arith::ShLIOp) { return call("shl"); })
      .Case([&](arith::ShRSIOp) { return call("shrs"); })
      .Case([&](arith::ShRUIOp) { return call("shru"); })
      .Case([&](arith::MaxSIOp) { return call("maxs"); })
      .Case([&](arith::MaxUIOp) { return call("maxu"); })
      .Case([&](arith::MinSIOp) { return call("mins"); })
      .Case([&](arith::MinUIOp) { return call("minu"); })
      .Case([&](math::CountLeadingZerosOp) { return call("clz"); })
      .Case([&](math::CtPopOp) { return call("popcount"); })
      .Case([&](arith::AndIOp) {
        return Result(infix(x[0], "&", x[1], Precedence::BitAnd));
      })
      .Case([&](arith::OrIOp) {
        return Result(infix(x[0], "|", x[1], Precedence::BitOr));
      })
      .Case([&](arith::XOrIOp) {
        return Result(infix(x[0], "^", x[1], Precedence::BitXor));
      })
      .Case([&](arith::CmpIOp compare) -> Result {
        bool isSwapped = false, isNegated = false, isUnsigned = false;
        switch (compare.getPredicate()) {
        case CmpIPredicate::eq:
          return SourceExpr{"all(" + x[0].within(Precedence::Unary) +
                            " == " + x[1].within(Precedence::Unary) + ")"};
        case CmpIPredicate::ne:
          return SourceExpr{"any(" + x[0].within(Precedence::Unary) +
                            " != " + x[1].within(Precedence::Unary) + ")"};
        case CmpIPredicate::ult:
          isUnsigned = true;
          [[fallthrough]];
        case CmpIPredicate::slt:
          break;
        case CmpIPredicate::ugt:
          isUnsigned = true;
          [[fallthrough]];
        case CmpIPredicate::sgt:
          isSwapped = true;
          break;
        case CmpIPredicate::uge:
          isUnsigned = true;
          [[fallthrough]];
        case CmpIPredicate::sge:
          isNegated = true;
          break;
        case CmpIPredicate::ule:
          isUnsigned = true;
          [[fallthrough]];
        case CmpIPredicate::sle:
          isSwapped = isNegated = true;
          break;
        }
        SourceExpr result =
            callOf(isUnsigned ? "tang_less_u64" : "tang_less_i64",
                   {x[isSwapped ? 1 : 0], x[isSwapped ? 0 : 1]});
        if (isNegated)
          result = {"!" + result.text, Precedence::Unary};
        return result;
      })
      .Default(std::nullopt);
}

std::optional<SourceExpr>
WgslLanguage::spellConversion(Operation *op, const SourceExpr &x) const {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool isUnsigned =
      isa<arith::ExtUIOp, arith::IndexCastUIOp, arith::UIToFPOp>(op);
  if (isa<arith::UIToFPOp>(op) && from.isInteger(32))
    return callOf("tang_f32_of_u32", SourceExpr{"u32(" + x.text + ")"});
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && isLong(from))
    return callOf(isUnsigned ? "tang_f32_of_u64" : "tang_f32_of_i64", x);
  if (isa<arith::FPToSIOp>(op) && isLong(to))
    return callOf("tang_i64_of_f32", x);
  if (isa<arith::FPToUIOp>(op) && isLong(to))
    return callOf("tang_u64_of_f32", x);
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
           arith::IndexCastUIOp>(op))
    return std::nullopt;
  if (from.isInteger(1)) {
    if (isLong(to))
      return isUnsigned ? SourceExpr{"vec2<u32>(u32(" + x.text + "), 0u)"}
                        : SourceExpr{"vec2<u32>(0u - u32(" + x.text + "))"};
    if (isUnsigned)
      return SourceExpr{"i32(" + x.text + ")"};
    return SourceExpr{"-i32(" + x.text + ")", Precedence::Unary};
  }
  if (to.isInteger(1)) {
    SourceExpr word = isLong(from) ? lowWord(x) : x;
    return SourceExpr{"(" + word.within(Precedence::Unary) + " & 1) != 0",
                      Precedence::Equality};
  }
  if (isLong(from))
    return isLong(to)     ? x
           : isNarrow(to) ? cast(to, false, lowWord(x))
                          : lowWord(x);
  // A narrow integer is an i32 of its value.
  SourceExpr wide = x;
  if (isUnsigned && isNarrow(from))
    wide = infix(x, "&", {from.isInteger(8) ? "0xff" : "0xffff"},
                 Precedence::BitAnd);
  if (isLong(to))
    return isUnsigned ? SourceExpr{"vec2<u32>(u32(" + wide.text + "), 0u)"}
                      : callOf("tang_i64_of_i32", wide);
  bool isCut = isNarrow(to) &&
               (from.isIndex() ||
                from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth());
  return isCut ? cast(to, false, wide) : wide;
}

/// Amounts are u32.
std::optional<SourceExpr>
WgslLanguage::spellShift(Operation *op, ArrayRef<SourceExpr> x) const {
  Type type = op->getResult(0).getType();
  bool isLiteral = llvm::all_of(x[1].text, llvm::isDigit);
  SourceExpr amount = isLiteral ? x[1] : SourceExpr{"u32(" + x[1].text + ")"};
  bool isRight = !isa<arith::ShLIOp>(op);
  SourceExpr value = x[0];
  if (isa<arith::ShRUIOp>(op)) {
    value = cast(type, true, value);
    return SourceExpr{"i32(" +
                      infix(value, ">>", amount, Precedence::Shift).text + ")"};
  }
  SourceExpr result =
      infix(value, isRight ? ">>" : "<<", amount, Precedence::Shift);
  return isNarrow(type) && !isRight ? cast(type, false, result) : result;
}

//===----------------------------------------------------------------------===//
// Everything
//===----------------------------------------------------------------------===//

/// The word of a packed buffer that holds an element.
static std::string wordOf(StringRef buffer, const SourceExpr &index,
                          Type element) {
  return buffer.str() + "[" + index.within(Precedence::Unary) +
         (element.isInteger(8) ? " >> 2" : " >> 1") + "]";
}

/// Which buffers of a kernel share one binding, since there are more than
/// WebGPU guarantees bindings: the last of those that are only read. The
/// runtime follows the same rule.
static SmallVector<bool> packedBuffers(ArrayRef<bool> readonly) {
  SmallVector<bool> packed(readonly.size(), false);
  if (readonly.size() <= kWgslMaxBuffers)
    return packed;
  unsigned surplus = readonly.size() - (kWgslMaxBuffers - 1);
  for (size_t i = readonly.size(); i-- > 0 && surplus;)
    if (readonly[i]) {
      packed[i] = true;
      --surplus;
    }
  return packed;
}

static bool isReadOnly(Value buffer) {
  auto argument = cast<BlockArgument>(buffer);
  auto kernel = cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
  return kernel.getArgAttr(argument.getArgNumber(), "tang.readonly") != nullptr;
}

/// An element of a buffer that shares its binding: its words begin at
/// `tang_at_NAME` of the shared one.
static SourceExpr packedElement(StringRef name, const SourceExpr &index,
                                StringRef shared, Type type) {
  std::string start = shared.str() + "[tang_at_" + name.str() + " + ";
  std::string at = index.within(Precedence::Additive);
  if (isNarrow(type)) {
    at = index.within(Precedence::Unary);
    SourceExpr word{start + "(" + at +
                    (type.isInteger(8) ? " >> 2)]" : " >> 1)]")};
    return callOf(type.isInteger(8) ? "tang_i8_of" : "tang_i16_of",
                  {word, index});
  }
  if (isLong(type)) {
    at = "2 * " + index.within(Precedence::Unary);
    return {"vec2<u32>(" + start + at + "], " + start + at + " + 1])"};
  }
  return {(type.isF32() ? "tang_f32(" : "i32(") + start + at + "])"};
}

std::optional<SourceExpr> WgslLanguage::spell(Operation *op,
                                              ArrayRef<SourceExpr> x) const {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    Type type = load.getType();
    if (auto argument = dyn_cast<BlockArgument>(load.getMemRef())) {
      auto kernel = cast<gpu::GPUFuncOp>(argument.getOwner()->getParentOp());
      SmallVector<bool> readonly;
      for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
        if (isa<MemRefType>(kernel.getArgument(i).getType()))
          readonly.push_back(kernel.getArgAttr(i, "tang.readonly") != nullptr);
      if (packedBuffers(readonly)[argument.getArgNumber()])
        return packedElement(x[0].text, x[1],
                             kernel.getName().str() + "_packed", type);
    }
    if (!isNarrow(type) || !isBuffer(load.getMemRef()))
      return std::nullopt;
    SourceExpr word{wordOf(x[0].text, x[1], type)};
    if (!isReadOnly(load.getMemRef()))
      word = {"atomicLoad(&" + word.text + ")"};
    return callOf(type.isInteger(8) ? "tang_i8_of" : "tang_i16_of",
                  {word, x[1]});
  }
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return std::nullopt;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    return spellComparison(compare, x);
  Type type = op->getOperand(0).getType();
  if (auto conversion = spellConversion(op, x[0]))
    return conversion;
  if (!isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return std::nullopt;
  if (isLong(type))
    return spellLong(op, x);
  if (type.isInteger(1))
    return std::nullopt;
  if (isa<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return spellShift(op, x);
  unsigned width = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  if (isa<math::CtPopOp, math::CountLeadingZerosOp>(op)) {
    bool isCount = isa<math::CtPopOp>(op);
    SourceExpr bits = cast(type, true, x[0]);
    SourceExpr result{
        "i32(" +
        callOf(isCount ? "countOneBits" : "countLeadingZeros", bits).text +
        ")"};
    if (!isCount && width < 32)
      result = {result.text + " - " + std::to_string(32 - width),
                Precedence::Additive};
    return result;
  }
  return std::nullopt;
}

std::optional<SourceExpr>
WgslLanguage::spellComparison(arith::CmpFOp op, ArrayRef<SourceExpr> x) const {
  auto inverse = [](const SourceExpr &y) {
    return SourceExpr{"!" + y.within(Precedence::Unary), Precedence::Unary};
  };
  auto either = [](const SourceExpr &y, const SourceExpr &z) {
    return SourceExpr{y.text + " || " + z.text, Precedence::LogicalOr};
  };
  // With a number that no other is taken for, operators are as good.
  APFloat number(0.0f);
  bool isPlain = (matchPattern(op.getRhs(), m_ConstantFloat(&number)) ||
                  matchPattern(op.getLhs(), m_ConstantFloat(&number))) &&
                 (number.isNormal() || number.isInfinity());
  auto plain = [&](StringRef symbol, int left, int right) {
    return SourceExpr{x[left].within(Precedence::Additive) + " " +
                          symbol.str() + " " +
                          x[right].within(Precedence::Additive),
                      Precedence::Relational};
  };
  auto less = [&](int left, int right) {
    return isPlain ? plain("<", left, right)
                   : callOf("tang_is_less", {x[left], x[right]});
  };
  auto equal = [&] {
    return isPlain ? plain("==", 0, 1) : callOf("tang_is_equal", x);
  };
  auto lessOrEqual = [&](int left, int right) {
    return isPlain ? plain("<=", left, right)
                   : either(less(left, right), equal());
  };
  // Drivers take x != x for false.
  SourceExpr isUnordered = op.getLhs() == op.getRhs()
                               ? callOf("tang_is_nan", x[0])
                               : callOf("tang_is_unordered", x);
  switch (op.getPredicate()) {
  case CmpFPredicate::AlwaysFalse:
  case CmpFPredicate::AlwaysTrue:
    return std::nullopt;
  case CmpFPredicate::UNO:
    return isUnordered;
  case CmpFPredicate::ORD:
    return inverse(isUnordered);
  case CmpFPredicate::OEQ:
    return op.getLhs() == op.getRhs() ? inverse(isUnordered) : equal();
  case CmpFPredicate::UNE:
    return op.getLhs() == op.getRhs() ? isUnordered : inverse(equal());
  case CmpFPredicate::OLT:
    return less(0, 1);
  case CmpFPredicate::OGT:
    return less(1, 0);
  case CmpFPredicate::UGE:
    return inverse(less(0, 1));
  case CmpFPredicate::ULE:
    return inverse(less(1, 0));
  case CmpFPredicate::OLE:
    return lessOrEqual(0, 1);
  case CmpFPredicate::OGE:
    return lessOrEqual(1, 0);
  case CmpFPredicate::ULT:
    return inverse(lessOrEqual(1, 0));
  case CmpFPredicate::UGT:
    return inverse(lessOrEqual(0, 1));
  case CmpFPredicate::ONE:
    return either(less(0, 1), less(1, 0));
  case CmpFPredicate::UEQ:
    return inverse(either(less(0, 1), less(1, 0)));
  }
  return std::nullopt;
}

SmallVector<std::string>
WgslLanguage::spellStore(memref::StoreOp op, ArrayRef<SourceExpr> x) const {
  Type type = op.getMemRefType().getElementType();
  if (!isNarrow(type) || !isBuffer(op.getMemRef()))
    return {};
  // Other invocations write the rest of the word: each clears and sets its own
  // bits only.
  std::string word = wordOf(x[1].text, x[2], type);
  std::string suffix = type.isInteger(8) ? "i8" : "i16";
  return {"atomicAnd(&" + word + ", tang_" + suffix + "_others(" + x[2].text +
              "));",
          "atomicOr(&" + word + ", tang_" + suffix + "_at(" + x[0].text + ", " +
              x[2].text + "));"};
}

//===----------------------------------------------------------------------===//
// Functions and kernels
//===----------------------------------------------------------------------===//

std::string
WgslLanguage::helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const {
  std::string text = "fn " + name.str() + "(";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text +=
        (i ? ", " : "") + argument.name + ": " + typeName(argument.type, false);
  text += ")";
  if (!results.empty())
    text += " -> " + typeName(results[0], false);
  return text;
}

void WgslLanguage::emitKernelHeader(llvm::raw_ostream &os,
                                    const SourceKernel &kernel) const {
  auto plainName = [&](const SourceArgument &argument) {
    if (!argument.dtype.empty())
      return argument.dtype;
    std::string text;
    llvm::raw_string_ostream(text) << argument.type;
    return text;
  };
  os << "// " << kernel.name << "(";
  llvm::ListSeparator comma;
  for (const SourceArgument &argument : kernel.arguments)
    os << comma << plainName(argument) << " " << argument.name
       << (argument.isBuffer ? "[]" : "");
  os << ")\n// " << kernel.block
     << " invocations a workgroup; args.blocks workgroups, in rows of at most "
        "65535\n";
  std::string args = kernel.name + "_args";
  os << "struct " << kernel.name << "_arguments {\n";
  for (const SourceArgument &argument : kernel.arguments)
    if (!argument.isBuffer)
      os << "  " << argument.name << ": " << typeName(argument.type, false)
         << ",\n";
  os << "  blocks: u32,\n";
  SmallVector<bool> readonly;
  for (const SourceArgument &argument : kernel.arguments)
    if (argument.isBuffer)
      readonly.push_back(argument.isReadOnly);
  SmallVector<bool> packedList = packedBuffers(readonly);
  bool hasPacked = llvm::is_contained(packedList, true);
  auto isPacked = [&](size_t i) {
    return i < packedList.size() && packedList[i];
  };
  for (auto [i, argument] : llvm::enumerate(kernel.arguments))
    if (isPacked(i))
      os << "  " << argument.name << ": i32, // where its words begin\n";
  os << "}\n";
  unsigned binding = 0;
  for (auto [i, argument] : llvm::enumerate(kernel.arguments)) {
    if (!argument.isBuffer || isPacked(i))
      continue;
    std::string element = typeName(argument.type, false);
    std::string packed;
    if (isNarrow(argument.type)) {
      element = argument.isReadOnly ? "u32" : "atomic<u32>";
      packed = plainName(argument) + ", " +
               (argument.type.isInteger(8) ? "four" : "two") + " a word";
    } else if (isLong(argument.type)) {
      packed = plainName(argument) + ", low word first";
    }
    os << "@group(0) @binding(" << binding++ << ") var<storage, "
       << (argument.isReadOnly ? "read" : "read_write") << "> " << argument.name
       << ": array<" << element << ">;"
       << (packed.empty() ? "" : " // " + packed) << "\n";
  }
  if (hasPacked) {
    os << "@group(0) @binding(" << binding++ << ") var<storage, read> "
       << kernel.name << "_packed: array<u32>; //";
    llvm::ListSeparator separator(", ");
    for (auto [i, argument] : llvm::enumerate(kernel.arguments))
      if (isPacked(i))
        os << separator << " " << plainName(argument) << " " << argument.name
           << "[]";
    os << "\n";
  }
  os << "@group(0) @binding(" << binding << ") var<uniform> " << args << ": "
     << kernel.name << "_arguments;\n\n";
  os << "@compute @workgroup_size(" << kernel.block << ")\nfn " << kernel.name
     << "(@builtin(workgroup_id) group: vec3<u32>,\n"
     << std::string(kernel.name.size() + 4, ' ')
     << "@builtin(num_workgroups) groups: vec3<u32>,\n"
     << std::string(kernel.name.size() + 4, ' ')
     << "@builtin(local_invocation_id) local: vec3<u32>) {\n";
  os << "  if (group.y * groups.x + group.x >= " << args
     << ".blocks) { return; }\n";
  for (auto [i, argument] : llvm::enumerate(kernel.arguments))
    if (isPacked(i))
      os << "  let tang_at_" << argument.name << " = " << args << "."
         << argument.name << ";\n";
    else if (!argument.isBuffer && argument.isUsed)
      os << "  let " << argument.name << " = " << args << "." << argument.name
         << ";\n";
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// What WebGPU guarantees no room for, and f64.
static LogicalResult checkLimits(gpu::GPUFuncOp kernel) {
  // Those that are only read can share a binding.
  unsigned written = 0, buffers = 0;
  for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
    if (isa<MemRefType>(kernel.getArgument(i).getType())) {
      ++buffers;
      written += kernel.getArgAttr(i, "tang.readonly") == nullptr;
    }
  if (written + (buffers > written) > kWgslMaxBuffers)
    return kernel.emitOpError("writes ")
           << written << " and reads " << buffers - written
           << " buffers; WebGPU guarantees " << kWgslMaxBuffers
           << " bindings (maxStorageBuffersPerShaderStage), which those that "
              "are only read may share";
  if (getBlockSize(kernel) > kWgslMaxBlock)
    return kernel.emitOpError("has blocks of ")
           << getBlockSize(kernel) << " threads; WebGPU guarantees "
           << kWgslMaxBlock << " (maxComputeInvocationsPerWorkgroup)";
  return success();
}

static LogicalResult checkTypes(Operation *root) {
  WalkResult walk = root->walk([&](Operation *op) {
    auto isDouble = [](Type type) {
      return getElementTypeOrSelf(type).isF64();
    };
    bool has = llvm::any_of(op->getOperandTypes(), isDouble) ||
               llvm::any_of(op->getResultTypes(), isDouble);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        has |= llvm::any_of(block.getArgumentTypes(), isDouble);
    if (has) {
      op->emitOpError("is on f64, which WGSL does not have");
      return WalkResult::interrupt();
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (loop && isLong(loop.getInductionVar().getType())) {
      op->emitOpError("counts in i64, which WGSL does not have");
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

LogicalResult mlir::tang::emitWgsl(ModuleOp module, llvm::raw_ostream &os) {
  OwningOpRef<ModuleOp> copy(module.clone());
  for (auto gpuModule : copy->getOps<gpu::GPUModuleOp>())
    for (auto kernel : gpuModule.getOps<gpu::GPUFuncOp>())
      if (failed(checkLimits(kernel)) || failed(checkTypes(kernel)))
        return failure();
  if (failed(widenLargeIndices(*copy)))
    return failure();
  std::string kernels;
  llvm::raw_string_ostream stream(kernels);
  if (failed(emitKernelSource(*copy, WgslLanguage(), stream)))
    return failure();
  os << "// Kernels emitted by Tang: WGSL.\n"
     << wgslFunctionsFor(kernels) << kernels;
  return success();
}
