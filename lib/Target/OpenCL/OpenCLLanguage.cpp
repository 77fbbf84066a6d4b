//===- OpenCLLanguage.cpp - Kernels as OpenCL C 1.2 source ----------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/KernelEmitter.h"
#include "Tang/Target/OpenCL.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

class OpenCLLanguage : public SourceLanguage {
public:
  StringRef getName() const override { return "OpenCL C"; }
  bool isReserved(StringRef word) const override;
  std::string typeName(Type type, bool isUnsigned) const override;
  SourceExpr floatLiteral(const APFloat &value) const override;
  std::optional<SourceCallee> callee(StringRef op, Type type) const override;
  std::optional<SourceCallee> bitcast(Type from, Type to) const override;
  SourceExpr blockId(const SourceKernel &) const override {
    return {"get_group_id(0)"};
  }
  SourceExpr threadId(const SourceKernel &) const override {
    return {"get_local_id(0)"};
  }
  void emitPreamble(llvm::raw_ostream &os, bool usesDouble) const override;
  std::string helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const override;
  void emitKernelHeader(llvm::raw_ostream &os,
                        const SourceKernel &kernel) const override;
};

} // namespace

bool OpenCLLanguage::isReserved(StringRef word) const {
  // Keywords of C99 and OpenCL C, and the built-in functions and types that a
  // person might name a buffer after.
  static const llvm::StringSet<> words = {
      "auto",       "bool",          "break",    "case",       "char",
      "complex",    "const",         "constant", "continue",   "default",
      "do",         "double",        "else",     "enum",       "event_t",
      "extern",     "false",         "float",    "for",        "global",
      "goto",       "half",          "if",       "image2d_t",  "image3d_t",
      "imaginary",  "inline",        "int",      "kernel",     "local",
      "long",       "pipe",          "private",  "quad",       "read_only",
      "read_write", "register",      "restrict", "return",     "sampler_t",
      "short",      "signed",        "sizeof",   "static",     "struct",
      "switch",     "true",          "typedef",  "uchar",      "uint",
      "ulong",      "union",         "unsigned", "uniform",    "ushort",
      "void",       "volatile",      "while",    "write_only", "NAN",
      "INFINITY",   "NULL",          "abs",      "abs_diff",   "acos",
      "acosh",      "acospi",        "all",      "any",        "asin",
      "asinh",      "atan",          "atan2",    "atanh",      "barrier",
      "bitselect",  "cbrt",          "ceil",     "clamp",      "clz",
      "copysign",   "cos",           "cosh",     "cross",      "degrees",
      "distance",   "dot",           "erf",      "erfc",       "exp",
      "exp10",      "exp2",          "expm1",    "fabs",       "fdim",
      "floor",      "fma",           "fmax",     "fmin",       "fmod",
      "fract",      "frexp",         "hypot",    "ilogb",      "isfinite",
      "isinf",      "islessgreater", "isnan",    "isnormal",   "isunordered",
      "ldexp",      "length",        "lgamma",   "log",        "log10",
      "log1p",      "log2",          "logb",     "mad",        "mad_hi",
      "max",        "min",           "mix",      "mul_hi",     "nan",
      "normalize",  "pow",           "pown",     "popcount",   "powr",
      "radians",    "remainder",     "rint",     "rootn",      "rotate",
      "round",      "rsqrt",         "select",   "shuffle",    "sign",
      "signbit",    "sin",           "sincos",   "sinh",       "size_t",
      "smoothstep", "sqrt",          "step",     "tan",        "tanh",
      "tgamma",     "trunc",         "upsample", "main"};
  if (word.starts_with("tang_") || word.starts_with("__") ||
      word.starts_with("as_") || word.starts_with("convert_") ||
      word.starts_with("get_") || word.starts_with("cl_") ||
      word.starts_with("native_") || word.starts_with("half_") ||
      word.starts_with("vload") || word.starts_with("vstore") ||
      word.starts_with("M_") || word.starts_with("atom") || word == "linux" ||
      word == "unix")
    return true;
  // Vector types: a scalar type and a width.
  StringRef scalar = word.rtrim("0123456789");
  if (scalar != word &&
      llvm::StringSwitch<bool>(scalar)
          .Cases({"char", "uchar", "short", "ushort", "int"}, true)
          .Cases({"uint", "long", "ulong", "float", "double"}, true)
          .Case("half", true)
          .Default(false))
    return true;
  return words.contains(word);
}

std::string OpenCLLanguage::typeName(Type type, bool isUnsigned) const {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  std::string sign = isUnsigned ? "u" : "";
  switch (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {
  case 8:
    return sign + "char";
  case 16:
    return sign + "short";
  case 32:
    return sign + "int";
  default:
    return sign + "long";
  }
}

SourceExpr OpenCLLanguage::floatLiteral(const APFloat &value) const {
  bool isDouble = &value.getSemantics() == &APFloat::IEEEdouble();
  // Which NaN the macro NAN is depends on the implementation.
  if (value.isNaN()) {
    SmallString<24> bits;
    value.bitcastToAPInt().toString(bits, 16, /*Signed=*/false);
    return {(isDouble ? "as_double(0x" : "as_float(0x") + bits.str().str() +
            (isDouble ? "ul)" : "u)")};
  }
  SourceExpr literal = SourceLanguage::floatLiteral(value);
  // INFINITY is a float, and overloads must not see it as such.
  if (isDouble && value.isInfinity())
    return {"(double)" + literal.text, Precedence::Unary};
  return literal;
}

std::optional<SourceCallee> OpenCLLanguage::callee(StringRef op,
                                                   Type type) const {
  if (auto result = getMinMaxCallee(*this, op, type))
    return result;
  if (op == "math.ctlz") {
    // What clz makes of 0 is left open in 1.2.
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    std::string name = "tang_clz_" + getTypeSuffix(type);
    std::string result = typeName(type, false), argument = typeName(type, true);
    std::string text = "static inline " + result + " " + name + "(" + argument +
                       " x) {\n  return x == 0 ? " + std::to_string(width) +
                       " : (" + result + ")clz(x);\n}\n";
    return SourceCallee{name, SourceHelper{name, text}};
  }
  // Overloaded on all types; no suffix.
  StringRef name = llvm::StringSwitch<StringRef>(op)
                       .Cases({"isinf", "isfinite", "isnan"}, op)
                       .Cases({"isunordered", "islessgreater"}, op)
                       .Case("math.ctpop", "popcount")
                       .Case("math.absf", "fabs")
                       .Case("math.powf", "pow")
                       .Case("math.roundeven", "rint")
                       .Case("arith.remf", "fmod")
                       .Cases({"math.acos", "math.acosh", "math.asin",
                               "math.asinh", "math.atan", "math.atan2"},
                              op.substr(5))
                       .Cases({"math.atanh", "math.cbrt", "math.ceil",
                               "math.copysign", "math.cos", "math.cosh"},
                              op.substr(5))
                       .Cases({"math.erf", "math.erfc", "math.exp", "math.exp2",
                               "math.expm1", "math.floor"},
                              op.substr(5))
                       .Cases({"math.fma", "math.log", "math.log10",
                               "math.log1p", "math.log2", "math.round"},
                              op.substr(5))
                       .Cases({"math.sin", "math.sinh", "math.sqrt", "math.tan",
                               "math.tanh", "math.trunc"},
                              op.substr(5))
                       .Default("");
  if (name.empty() || isa<FloatType>(type) == (op == "math.ctpop"))
    return std::nullopt;
  return SourceCallee{name.str(), {}};
}

std::optional<SourceCallee> OpenCLLanguage::bitcast(Type, Type to) const {
  return SourceCallee{"as_" + typeName(to, true), {}};
}

void OpenCLLanguage::emitPreamble(llvm::raw_ostream &os,
                                  bool usesDouble) const {
  os << "// Kernels emitted by Tang: OpenCL C 1.2.\n\n";
  if (usesDouble)
    os << "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  os << "#pragma OPENCL FP_CONTRACT OFF\n";
}

std::string
OpenCLLanguage::helperHeader(StringRef name, ArrayRef<Type> results,
                             ArrayRef<SourceArgument> arguments) const {
  std::string text = "static inline " +
                     (results.empty() ? "void" : typeName(results[0], false)) +
                     " " + name.str() + "(";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text +=
        (i ? ", " : "") + typeName(argument.type, false) + " " + argument.name;
  return text + (arguments.empty() ? "void)" : ")");
}

void OpenCLLanguage::emitKernelHeader(llvm::raw_ostream &os,
                                      const SourceKernel &kernel) const {
  os << "__kernel __attribute__((reqd_work_group_size(" << kernel.block
     << ", 1, 1)))\n";
  std::string head = "void " + kernel.name + "(";
  std::string indent(head.size(), ' ');
  os << head;
  for (auto [i, argument] : llvm::enumerate(kernel.arguments)) {
    os << (i ? ",\n" + indent : "");
    // A scalar i1 comes as a byte.
    std::string type =
        argument.type.isInteger(1) ? "char" : typeName(argument.type, false);
    if (argument.isBuffer)
      os << "__global " << (argument.isReadOnly ? "const " : "") << type
         << " *restrict " << argument.name;
    else
      os << type << " " << argument.name;
    if (!argument.dtype.empty())
      os << " /* " << argument.dtype << " */";
  }
  os << ") {\n";
}

LogicalResult mlir::tang::emitOpenCL(ModuleOp module, llvm::raw_ostream &os) {
  return emitKernelSource(module, OpenCLLanguage(), os);
}
