//===- CudaLanguage.cpp - Kernels as CUDA C++ source ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source stands alone, also for NVRTC, which has no headers of C: types are
// the built-in ones, and f16 and bf16 come from CUDA's own headers.
//
// nvcc and NVRTC fuse a product with the sum that reads it unless told not to.
// Intrinsics are never fused, so that products which a sum may read are spelled
// with them, and the source needs no options.
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/CUDA.h"
#include "Tang/Target/KernelEmitter.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tang;

namespace {

class CudaLanguage : public SourceLanguage {
public:
  StringRef getName() const override { return "CUDA C++"; }
  bool isReserved(StringRef word) const override;
  std::string typeName(Type type, bool isUnsigned) const override;
  SourceExpr floatLiteral(const APFloat &value) const override;
  std::optional<SourceCallee> callee(StringRef op, Type type) const override;
  std::optional<SourceCallee> bitcast(Type from, Type to) const override;
  std::optional<SourceExpr>
  unfusedProduct(Type type, const SourceExpr &lhs,
                 const SourceExpr &rhs) const override {
    std::string name = type.isF32() ? "__fmul_rn(" : "__dmul_rn(";
    return SourceExpr{name + lhs.text + ", " + rhs.text + ")"};
  }
  std::optional<NativeStorage> nativeStorage(StringRef dtype) const override;
  std::optional<SourceHelper> nativeHelper(StringRef name) const override;
  StringRef helperPrefix() const override {
    return "static __device__ inline ";
  }
  SourceExpr blockId(const SourceKernel &) const override {
    return {"blockIdx.x"};
  }
  SourceExpr threadId(const SourceKernel &) const override {
    return {"threadIdx.x"};
  }
  // What it includes depends on the kernels: emitCuda writes it.
  void emitPreamble(llvm::raw_ostream &, bool) const override {}
  std::string helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const override;
  void emitKernelHeader(llvm::raw_ostream &os,
                        const SourceKernel &kernel) const override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Words, types and literals
//===----------------------------------------------------------------------===//

bool CudaLanguage::isReserved(StringRef word) const {
  // What CUDA adds to C++: variables, types, and functions of the device that
  // a person might name a buffer after.
  static const llvm::StringSet<> words = {
      "threadIdx",     "blockIdx",     "blockDim",
      "gridDim",       "warpSize",     "dim3",
      "half",          "half2",        "min",
      "max",           "clock",        "clock64",
      "assert",        "printf",       "malloc",
      "free",          "memcpy",       "memset",
      "rsqrt",         "sincos",       "sinpi",
      "cospi",         "sincospi",     "rcbrt",
      "norm",          "rnorm",        "normcdf",
      "erfcinv",       "erfinv",       "erfcx",
      "exp10",         "fdim",         "fmax",
      "fmin",          "fdivide",      "frexp",
      "ilogb",         "ldexp",        "logb",
      "modf",          "nan",          "nearbyint",
      "nextafter",     "remainder",    "remquo",
      "saturate",      "scalbn",       "uchar",
      "ushort",        "uint",         "ulong",
      "cudaError",     "constexpr",    "decltype",
      "nullptr",       "template",     "typeid",
      "wchar_t",       "concept",      "requires",
      "static_assert", "thread_local", "dynamic_cast",
      "const_cast",    "static_cast",  "reinterpret_cast",
      "friend",        "explicit"};
  if (isCFamilyWord(word) || word.starts_with("tang_") ||
      word.starts_with("__") || word.starts_with("atomic") ||
      word.starts_with("cuda") || word.starts_with("tex") ||
      word.starts_with("surf") || word.ends_with("_t"))
    return true;
  // Vector types: a scalar type and a width.
  StringRef scalar = word.rtrim("0123456789");
  if (scalar != word &&
      llvm::StringSwitch<bool>(scalar)
          .Cases({"char", "uchar", "short", "ushort", "int", "uint"}, true)
          .Cases({"long", "ulong", "longlong", "ulonglong"}, true)
          .Cases({"float", "double", "half"}, true)
          .Default(false))
    return true;
  return words.contains(word) ||
         (word.ends_with("f") && words.contains(word.drop_back()));
}

std::string CudaLanguage::typeName(Type type, bool isUnsigned) const {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isInteger(1))
    return "bool";
  std::string sign = isUnsigned ? "unsigned " : "";
  switch (type.isIndex() ? 64 : type.getIntOrFloatBitWidth()) {
  case 8:
    return (isUnsigned ? sign : "signed ") + "char";
  case 16:
    return sign + "short";
  case 32:
    return isUnsigned ? "unsigned" : "int";
  default:
    return sign + "long long";
  }
}

SourceExpr CudaLanguage::floatLiteral(const APFloat &value) const {
  SourceExpr literal = SourceLanguage::floatLiteral(value);
  // The macros are floats, and overloads must not see them as such.
  bool isDouble = &value.getSemantics() == &APFloat::IEEEdouble();
  if (isDouble && (value.isInfinity() || value.isNaN()))
    return {"(double)" + literal.text, Precedence::Unary};
  return literal;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static SourceCallee withHelper(const SourceLanguage &language,
                               const std::string &name,
                               const std::string &result,
                               const std::string &parameters,
                               const std::string &value) {
  return {name, SourceHelper{name, language.helperPrefix().str() + result +
                                       " " + name + "(" + parameters +
                                       ") {\n  return " + value + ";\n}\n"}};
}

std::optional<SourceCallee> CudaLanguage::callee(StringRef op,
                                                 Type type) const {
  if (op == "isnan" || op == "isfinite")
    return SourceCallee{op.str(), {}};
  // Macros of <math.h>, which NVRTC lacks.
  if (op == "isunordered" || op == "islessgreater") {
    std::string t = typeName(type, false);
    return withHelper(*this, "tang_" + op.str() + "_" + getTypeSuffix(type),
                      "bool", t + " a, " + t + " b",
                      op == "isunordered" ? "a != a || b != b"
                                          : "a < b || a > b");
  }
  if (auto result = getMinMaxCallee(*this, op, type))
    return result;
  if (op == "math.ctlz" || op == "math.ctpop") {
    bool isZeros = op == "math.ctlz";
    unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
    std::string name = isZeros ? "__clz" : "__popc";
    if (width == 32)
      return SourceCallee{name, {}};
    if (width == 64)
      return SourceCallee{name + "ll", {}};
    return withHelper(*this,
                      std::string(isZeros ? "tang_clz_" : "tang_popcount_") +
                          getTypeSuffix(type),
                      typeName(type, false), typeName(type, true) + " x",
                      isZeros ? "__clz(x) - " + std::to_string(32 - width)
                              : "__popc(x)");
  }
  StringRef name = getLibmName(op);
  if (name.empty() || !isa<FloatType>(type))
    return std::nullopt;
  return SourceCallee{name.str() + (type.isF32() ? "f" : ""), {}};
}

std::optional<SourceCallee> CudaLanguage::bitcast(Type from, Type to) const {
  if (to.isF32() && from.isInteger(32))
    return SourceCallee{"__uint_as_float", {}};
  if (from.isF32() && to.isInteger(32))
    return SourceCallee{"__float_as_uint", {}};
  if (to.isF64() && from.isInteger(64))
    return SourceCallee{"__longlong_as_double", {}};
  if (from.isF64() && to.isInteger(64))
    return withHelper(*this, "tang_f64_bits", "unsigned long long", "double x",
                      "(unsigned long long)__double_as_longlong(x)");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// f16 and bf16
//===----------------------------------------------------------------------===//

// CUDA's conversions round to nearest even as kernel IR does, subnormal numbers
// included, but make every NaN the same one, where kernel IR keeps its sign.

std::optional<NativeStorage>
CudaLanguage::nativeStorage(StringRef dtype) const {
  if (dtype == "f16")
    return NativeStorage{
        "__half",
        {"__half2float", {}},
        withHelper(*this, "tang_to_half", "__half", "float x",
                   "isnan(x) ? __ushort_as_half((__float_as_uint(x) >> 16 & "
                   "0x8000) | 0x7e00)\n                  : __float2half_rn(x)"),
        "__half_as_short",
        "__short_as_half"};
  if (dtype == "bf16")
    return NativeStorage{
        "__nv_bfloat16",
        {"__bfloat162float", {}},
        withHelper(
            *this, "tang_to_bfloat16", "__nv_bfloat16", "float x",
            "isnan(x) ? __ushort_as_bfloat16(__float_as_uint(x) >> 16 | 0x40)"
            "\n                  : __float2bfloat16_rn(x)"),
        "__bfloat16_as_short",
        "__short_as_bfloat16"};
  return std::nullopt;
}

std::optional<SourceHelper> CudaLanguage::nativeHelper(StringRef name) const {
  std::string value =
      llvm::StringSwitch<std::string>(name)
          .Case("tang_round_to_f16", "__half2float(__float2half_rn(x))")
          .Case("tang_round_to_bf16",
                "__bfloat162float(__float2bfloat16_rn(x))")
          .Default("");
  if (value.empty())
    return std::nullopt;
  return withHelper(*this, name.str(), "float", "float x",
                    "isnan(x) ? x : " + value)
      .helper;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

std::string
CudaLanguage::helperHeader(StringRef name, ArrayRef<Type> results,
                           ArrayRef<SourceArgument> arguments) const {
  std::string text = helperPrefix().str() +
                     (results.empty() ? "void" : typeName(results[0], false)) +
                     " " + name.str() + "(";
  for (auto [i, argument] : llvm::enumerate(arguments))
    text +=
        (i ? ", " : "") + typeName(argument.type, false) + " " + argument.name;
  return text + ")";
}

void CudaLanguage::emitKernelHeader(llvm::raw_ostream &os,
                                    const SourceKernel &kernel) const {
  os << "// " << (kernel.grid.empty() ? "" : kernel.grid + " ") << "blocks of "
     << kernel.block << " threads\n";
  os << "extern \"C\" __global__ __launch_bounds__(" << kernel.block << ")\n";
  std::string head = "void " + kernel.name + "(";
  std::string indent(head.size(), ' ');
  os << head;
  for (auto [i, argument] : llvm::enumerate(kernel.arguments)) {
    os << (i ? ",\n" + indent : "");
    auto storage = nativeStorage(argument.dtype);
    // A scalar i1 comes as a byte.
    std::string type = argument.type.isInteger(1)
                           ? "signed char"
                           : typeName(argument.type, false);
    if (!argument.isBuffer)
      os << type << " " << argument.name;
    else
      os << (argument.isReadOnly ? "const " : "")
         << (storage ? storage->type : type) << " *__restrict__ "
         << argument.name;
    if (!argument.dtype.empty() && !(storage && argument.isBuffer))
      os << " /* " << argument.dtype << " */";
  }
  os << ") {\n";
}

LogicalResult mlir::tang::emitCuda(ModuleOp module, llvm::raw_ostream &os) {
  std::string kernels;
  llvm::raw_string_ostream stream(kernels);
  if (failed(emitKernelSource(module, CudaLanguage(), stream)))
    return failure();
  os << "// Kernels emitted by Tang: CUDA C++17 for compute capability 7.0 and "
        "later.\n"
        "//   nvcc -std=c++17 -arch=native -cubin kernels.cu\n"
        "// or NVRTC, which for f16 and bf16 must know CUDA's include "
        "folder.\n"
        "// Products which a sum reads are spelled __fmul_rn, so that no "
        "option fuses them. Division, square\n"
        "// root and subnormal numbers are those of IEEE 754; -use_fast_math "
        "would change them. Functions have\n"
        "// the errors that the CUDA C++ Programming Guide states under "
        "\"Mathematical Functions\".\n";
  if (StringRef(kernels).contains("__half"))
    os << "\n#include <cuda_fp16.h>\n";
  if (StringRef(kernels).contains("bfloat16"))
    os << "\n#include <cuda_bf16.h>\n";
  bool usesInfinity = StringRef(kernels).contains("INFINITY");
  bool usesNaN = StringRef(kernels).contains("NAN");
  if (usesInfinity || usesNaN) {
    os << "\n#ifdef __CUDACC_RTC__ // has no <math.h>\n";
    if (usesInfinity)
      os << "#define INFINITY __int_as_float(0x7f800000)\n";
    if (usesNaN)
      os << "#define NAN __int_as_float(0x7fc00000)\n";
    os << "#endif\n";
  }
  os << kernels;
  return success();
}
