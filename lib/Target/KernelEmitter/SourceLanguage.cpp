//===- SourceLanguage.cpp - Spellings common to the C family --------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/KernelEmitter.h"

#include "llvm/ADT/StringSwitch.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::tang;

std::string SourceLanguage::declare(Type type, bool isUnsigned, StringRef name,
                                    StringRef init, bool isConst) const {
  std::string text = isConst ? "const " : "";
  text += typeName(type, isUnsigned) + " " + name.str();
  if (!init.empty())
    text += " = " + init.str();
  return text;
}

std::string SourceLanguage::declareArray(MemRefType type,
                                         StringRef name) const {
  std::string text = typeName(type.getElementType()) + " " + name.str();
  // C has no arrays of size 0; one of rank 0 is an array of one element.
  for (int64_t size : type.getShape())
    text += "[" + std::to_string(std::max<int64_t>(size, 1)) + "]";
  return text + (type.getRank() == 0 ? "[1]" : "");
}

SourceExpr SourceLanguage::cast(Type type, bool isUnsigned,
                                const SourceExpr &operand) const {
  return {"(" + typeName(type, isUnsigned) + ")" +
              operand.within(Precedence::Unary),
          Precedence::Unary};
}

SourceExpr SourceLanguage::select(const SourceExpr &condition,
                                  const SourceExpr &yes,
                                  const SourceExpr &no) const {
  return {condition.within(Precedence::LogicalOr) + " ? " +
              yes.within(Precedence::LogicalOr) + " : " + no.text,
          Precedence::Conditional};
}

/// The shortest decimal that reads back as `value`.
template <typename T>
static std::string shortestDecimal(T value, int maxDigits,
                                   T (*parse)(const char *, char **)) {
  char text[64];
  for (int digits = 1; digits <= maxDigits; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, double(value));
    if (parse(text, nullptr) == value)
      break;
  }
  std::string result = text;
  if (result.find_first_of(".e") == std::string::npos)
    result += ".0";
  return result;
}

SourceExpr SourceLanguage::floatLiteral(const APFloat &value) const {
  bool isSingle = &value.getSemantics() == &APFloat::IEEEsingle();
  Precedence precedence =
      value.isNegative() ? Precedence::Unary : Precedence::Primary;
  std::string sign = value.isNegative() ? "-" : "";
  if (value.isNaN())
    return {sign + "NAN", precedence};
  if (value.isInfinity())
    return {sign + "INFINITY", precedence};
  if (isSingle)
    return {shortestDecimal(value.convertToFloat(), 9, std::strtof) + "f",
            precedence};
  return {shortestDecimal(value.convertToDouble(), 17, std::strtod),
          precedence};
}

SourceExpr SourceLanguage::intLiteral(Type type, const APInt &value,
                                      bool isUnsigned) const {
  if (type.isInteger(1))
    return {value.isZero() ? "false" : "true"};
  SmallString<24> text;
  // Large unsigned numbers are masks more often than not.
  bool isHex = isUnsigned && value.ugt(1024);
  if (isHex)
    text = "0x";
  value.toString(text, isHex ? 16 : 10, /*Signed=*/!isUnsigned, false, false);
  // Narrow integers compute as `int`, and so should their literals.
  if (isUnsigned)
    return {text.str().str() + (value.getBitWidth() >= 32 ? "u" : "")};
  // The minimum has no literal: its magnitude does not fit.
  if (value.isMinSignedValue() && value.getBitWidth() >= 32) {
    APInt next = value + 1;
    return {"(" + intLiteral(type, next, false).text + " - 1)"};
  }
  return {text.str().str(),
          value.isNegative() ? Precedence::Unary : Precedence::Primary};
}

std::string mlir::tang::getTypeSuffix(Type type) {
  if (type.isIndex())
    return "index";
  return (isa<FloatType>(type) ? "f" : "i") +
         std::to_string(type.getIntOrFloatBitWidth());
}

std::optional<SourceCallee>
mlir::tang::getMinMaxCallee(const SourceLanguage &language, StringRef op,
                            Type type) {
  struct Choice {
    const char *name, *body, *comment;
  };
  auto choice =
      llvm::StringSwitch<std::optional<Choice>>(op)
          .Cases({"arith.maxsi", "arith.maxui"},
                 Choice{"max", "a > b ? a : b", ""})
          .Cases({"arith.minsi", "arith.minui"},
                 Choice{"min", "a < b ? a : b", ""})
          .Case("arith.maximumf",
                Choice{"maximum",
                       "a > b ? a : a < b ? b : a == b && a != 0 ? a : a + b",
                       "A NaN wins; -0 is less than +0."})
          .Case(
              "arith.minimumf",
              Choice{"minimum",
                     "a < b ? a : a > b ? b : a == b && a != 0 ? a : -(-a - b)",
                     "A NaN wins; -0 is less than +0."})
          .Case("arith.maxnumf",
                Choice{"maxnum",
                       "a > b || b != b ? a : a < b || a != a ? b : a != 0 ? a "
                       ": a + b",
                       "A number wins over a NaN; -0 is less than +0."})
          .Case("arith.minnumf",
                Choice{"minnum",
                       "a < b || b != b ? a : a > b || a != a ? b : a != 0 ? a "
                       ": -(-a - b)",
                       "A number wins over a NaN; -0 is less than +0."})
          .Default(std::nullopt);
  if (!choice)
    return std::nullopt;
  bool isUnsigned = op.ends_with("ui");
  std::string suffix = getTypeSuffix(type);
  if (isUnsigned)
    suffix = "u" + suffix.substr(type.isIndex() ? 0 : 1);
  std::string name = std::string("tang_") + choice->name + "_" + suffix;
  std::string typeName = language.typeName(type, isUnsigned);
  std::string text;
  if (*choice->comment)
    text += std::string("// ") + choice->comment + "\n";
  text += language.helperPrefix().str() + typeName + " " + name + "(" +
          typeName + " a, " + typeName + " b) {\n  return " + choice->body +
          ";\n}\n";
  return SourceCallee{name, SourceHelper{name, text}};
}
