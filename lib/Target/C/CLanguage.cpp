//===- CLanguage.cpp - Kernels as C11 source ------------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/C.h"
#include "Tang/Target/KernelEmitter.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

class CLanguage : public SourceLanguage {
public:
  StringRef getName() const override { return "C"; }
  bool isReserved(StringRef word) const override;
  std::string typeName(Type type, bool isUnsigned) const override;
  std::optional<SourceCallee> callee(StringRef op, Type type) const override;
  std::optional<SourceCallee> bitcast(Type from, Type to) const override;
  std::string alignment(uint64_t bytes) const override {
    return bytes ? "_Alignas(" + std::to_string(bytes) + ") " : "";
  }
  std::optional<SourceHelper> vectorType(VectorType type) const override;
  std::optional<SourceCallee> vectorCallee(StringRef op,
                                           VectorType type) const override;
  SourceExpr blockId(const SourceKernel &kernel) const override {
    return {kernel.blockName};
  }
  SourceExpr threadId(const SourceKernel &) const override { return {"0"}; }
  SourceExpr blockDim(const SourceKernel &) const override { return {"1"}; }
  bool serializesThreads() const override { return true; }
  void emitPreamble(llvm::raw_ostream &os, bool usesDouble) const override;
  std::string helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const override;
  void emitKernelHeader(llvm::raw_ostream &os,
                        const SourceKernel &kernel) const override;
  void emitKernelFooter(llvm::raw_ostream &os,
                        const SourceKernel &kernel) const override;
  SmallVector<SourceHelper>
  kernelHelpers(const SourceKernel &kernel) const override;
};

} // namespace

bool CLanguage::isReserved(StringRef word) const {
  // The last four are the parameters of a kernel's function.
  return isCFamilyWord(word) || word.starts_with("tang_") ||
         word.starts_with("__") || word.ends_with("_t") ||
         llvm::is_contained({"first", "last", "buffers", "scalars"}, word);
}

std::string CLanguage::typeName(Type type, bool isUnsigned) const {
  if (auto vector = dyn_cast<VectorType>(type))
    return "tang_" + getTypeSuffix(vector.getElementType()) + "x" +
           std::to_string(vector.getNumElements());
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return (isUnsigned ? "uint" : "int") + std::to_string(width) + "_t";
}

/// Leading zeros (the width for 0) and ones through the builtins that gcc and
/// clang share.
static std::optional<SourceCallee> bitCount(const CLanguage &language,
                                            StringRef op, Type type) {
  bool isZeros = op == "math.ctlz";
  if (!isZeros && op != "math.ctpop")
    return std::nullopt;
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  std::string name = std::string("tang_") + (isZeros ? "clz_" : "popcount_") +
                     getTypeSuffix(type);
  std::string suffix = width == 64 ? "ll" : "";
  std::string result = language.typeName(type, false);
  std::string body;
  if (!isZeros)
    body = "__builtin_popcount" + suffix + "(x)";
  else
    body = "x == 0 ? " + std::to_string(width) + " : __builtin_clz" + suffix +
           "(x)" + (width < 32 ? " - " + std::to_string(32 - width) : "");
  if (width != 32)
    body = "(" + result + ")(" + body + ")";
  std::string text = "static inline " + result + " " + name + "(" +
                     language.typeName(type, true) + " x) {\n  return " + body +
                     ";\n}\n";
  return SourceCallee{name, SourceHelper{name, text}};
}

std::optional<SourceCallee> CLanguage::callee(StringRef op, Type type) const {
  if (op == "isfinite" || op == "isnan" || op == "isunordered" ||
      op == "islessgreater")
    return SourceCallee{op.str(), {}};
  if (auto result = getMinMaxCallee(*this, op, type))
    return result;
  if (auto result = bitCount(*this, op, type))
    return result;
  StringRef name = getLibmName(op);
  if (name.empty() || !isa<FloatType>(type))
    return std::nullopt;
  return SourceCallee{name.str() + (type.isF32() ? "f" : ""), {}};
}

/// Vectors of gcc and clang, of any width, which the compiler splits as the
/// machine needs. (A warning says that functions pass wide ones differently
/// where it has no such registers; ours are inline.)
std::optional<SourceHelper> CLanguage::vectorType(VectorType type) const {
  std::string name = typeName(type, false);
  unsigned bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return SourceHelper{
      name,
      "#include <string.h>\n\n#if defined(__GNUC__) && !defined(__clang__)\n"
      "#pragma GCC diagnostic ignored \"-Wpsabi\"\n#endif\n"
      "typedef " +
          typeName(type.getElementType(), false) + " " + name +
          " __attribute__((vector_size(" + std::to_string(bytes) + ")));\n"};
}

std::optional<SourceCallee> CLanguage::vectorCallee(StringRef op,
                                                    VectorType type) const {
  std::string vector = typeName(type, false);
  std::string element = typeName(type.getElementType(), false);
  std::string count = std::to_string(type.getNumElements());
  auto helper = [&](StringRef what, StringRef result, StringRef arguments,
                    StringRef body) {
    std::string name = "tang_" + what.str() + "_" + vector.substr(5);
    return SourceCallee{
        name,
        SourceHelper{name, "static inline " + result.str() + " " + name + "(" +
                               arguments.str() + ") {\n" + body.str() + "}\n"}};
  };
  if (op == "vector.load")
    return helper("load", vector, "const " + element + " *p",
                  "  " + vector +
                      " v;\n  memcpy(&v, p, sizeof v);\n  return v;\n");
  if (op == "vector.store")
    return helper("store", "void", element + " *p, " + vector + " v",
                  "  memcpy(p, &v, sizeof v);\n");
  if (op == "vector.broadcast") {
    std::string list = "x";
    for (int64_t i = 1; i < type.getNumElements(); ++i)
      list += ", x";
    return helper("splat", vector, element + " x",
                  "  const " + vector + " v = {" + list + "};\n  return v;\n");
  }
  if (op == "math.fma")
    return helper("fma", vector,
                  vector + " x, " + vector + " y, " + vector + " z",
                  "  for (int i = 0; i < " + count + "; ++i)\n    z[i] = fma" +
                      (type.getElementType().isF32() ? "f" : "") +
                      "(x[i], y[i], z[i]);\n  return z;\n");
  return std::nullopt;
}

std::optional<SourceCallee> CLanguage::bitcast(Type from, Type to) const {
  bool toFloat = isa<FloatType>(to);
  std::string suffix = getTypeSuffix(toFloat ? to : from);
  std::string name = "tang_" + suffix + (toFloat ? "_from_bits" : "_bits");
  std::string result = typeName(to, true), argument = typeName(from, true);
  std::string text = "static inline " + result + " " + name + "(" + argument +
                     " x) {\n  union {\n    " + argument + " from;\n    " +
                     result +
                     " to;\n  } u;\n  u.from = x;\n  return u.to;\n}\n";
  return SourceCallee{name, SourceHelper{name, text}};
}

void CLanguage::emitPreamble(llvm::raw_ostream &os, bool) const {
  os << "// Kernels emitted by Tang: C11, to be linked with libm.\n"
        "// Build with -ffp-contract=off; results depend on it.\n\n"
        "#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n\n"
        "#ifdef __clang__\n#pragma STDC FP_CONTRACT OFF\n#endif\n";
}

static std::string parameterList(const CLanguage &language,
                                 ArrayRef<SourceArgument> arguments) {
  std::string text;
  for (const SourceArgument &argument : arguments) {
    if (!text.empty())
      text += ", ";
    std::string type = language.typeName(argument.type, false);
    if (argument.isBuffer)
      text += (argument.isReadOnly ? "const " : "") + type + " *restrict " +
              argument.name;
    else
      text += type + " " + argument.name;
  }
  return text;
}

std::string CLanguage::helperHeader(StringRef name, ArrayRef<Type> results,
                                    ArrayRef<SourceArgument> arguments) const {
  std::string result = results.empty() ? "void" : typeName(results[0], false);
  std::string parameters = parameterList(*this, arguments);
  return "static inline " + result + " " + name.str() + "(" +
         (parameters.empty() ? "void" : parameters) + ")";
}

void CLanguage::emitKernelHeader(llvm::raw_ostream &os,
                                 const SourceKernel &kernel) const {
  std::string head = "static inline void " + kernel.name + "_block(";
  std::string indent(head.size(), ' ');
  SmallVector<std::string> parameters;
  for (const SourceArgument &argument : kernel.arguments)
    parameters.push_back(
        parameterList(*this, argument) +
        (argument.dtype.empty() ? "" : " /* " + argument.dtype + " */"));
  parameters.push_back("int64_t " + kernel.blockName);
  // As many to a line as fit.
  os << head;
  size_t column = head.size();
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    if (i && column + parameter.size() + 2 > 110) {
      os << "\n" << indent;
      column = indent.size();
    }
    bool isLast = i + 1 == parameters.size();
    bool breaksNext =
        !isLast &&
        column + parameter.size() + 2 + parameters[i + 1].size() + 2 > 110;
    os << parameter << (isLast ? ") {\n" : breaksNext ? "," : ", ");
    column += parameter.size() + 2;
  }
  for (const SourceArgument &argument : kernel.arguments)
    if (!argument.isUsed)
      os << markUnused(argument.name);
  if (!kernel.usesBlock)
    os << markUnused(kernel.blockName);
}

void CLanguage::emitKernelFooter(llvm::raw_ostream &os,
                                 const SourceKernel &kernel) const {
  os << "}\n\nvoid " << kernel.name
     << "(void *const *buffers, const int64_t *scalars, int64_t first, "
        "int64_t last) {\n";
  std::string call = kernel.name + "_block(";
  unsigned buffers = 0, scalars = 0;
  for (const SourceArgument &argument : kernel.arguments) {
    std::string type = typeName(argument.type, false);
    if (argument.isBuffer) {
      call += "buffers[" + std::to_string(buffers++) + "], ";
      continue;
    }
    std::string slot = "scalars[" + std::to_string(scalars++) + "]";
    if (!isa<FloatType>(argument.type)) {
      bool isWide = argument.type.isIndex() || argument.type.isInteger(64);
      call += (isWide ? "" : "(" + type + ")") + slot + ", ";
      continue;
    }
    bool isSingle = argument.type.isF32();
    call += (isSingle ? "tang_f32_from_bits((uint32_t)"
                      : "tang_f64_from_bits((uint64_t)") +
            slot + "), ";
  }
  if (!buffers)
    os << "  (void)buffers;\n";
  if (!scalars)
    os << "  (void)scalars;\n";
  std::string block = kernel.blockName;
  os << "  for (int64_t " << block << " = first; " << block << " < last; ++"
     << block << ")\n    " << call << block << ");\n}\n";
}

SmallVector<SourceHelper>
CLanguage::kernelHelpers(const SourceKernel &kernel) const {
  SmallVector<SourceHelper> result;
  for (const SourceArgument &argument : kernel.arguments) {
    auto type = dyn_cast<FloatType>(argument.type);
    if (!type || argument.isBuffer)
      continue;
    Type bits = IntegerType::get(type.getContext(), type.getWidth());
    result.push_back(*bitcast(bits, type)->helper);
  }
  return result;
}

LogicalResult mlir::tang::emitC(ModuleOp module, llvm::raw_ostream &os) {
  return emitKernelSource(module, CLanguage(), os);
}
