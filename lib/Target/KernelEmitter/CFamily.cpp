//===- CFamily.cpp - What C and the languages made of it share ------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tang/Target/KernelEmitter.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

bool mlir::tang::isCFamilyWord(StringRef word) {
  // Keywords of C and C++ (someone may include the file), what the headers
  // define, and libm.
  static const llvm::StringSet<> words = {
      "alignas",  "alignof",  "and",         "asm",       "auto",
      "bitand",   "bitor",    "bool",        "break",     "case",
      "catch",    "char",     "class",       "complex",   "compl",
      "const",    "continue", "default",     "delete",    "do",
      "double",   "else",     "enum",        "explicit",  "export",
      "extern",   "false",    "float",       "for",       "friend",
      "goto",     "if",       "imaginary",   "inline",    "int",
      "linux",    "long",     "mutable",     "namespace", "new",
      "noexcept", "noreturn", "not",         "nullptr",   "operator",
      "or",       "private",  "protected",   "public",    "register",
      "restrict", "return",   "short",       "signed",    "sizeof",
      "static",   "struct",   "switch",      "template",  "this",
      "throw",    "true",     "try",         "typedef",   "typename",
      "union",    "unix",     "unsigned",    "using",     "virtual",
      "void",     "volatile", "while",       "xor",       "NAN",
      "INFINITY", "NULL",     "EOF",         "abs",       "acos",
      "acosh",    "asin",     "asinh",       "atan",      "atan2",
      "atanh",    "cbrt",     "ceil",        "copysign",  "cos",
      "cosh",     "erf",      "erfc",        "exp",       "exp2",
      "expm1",    "fabs",     "floor",       "fma",       "fmod",
      "gamma",    "hypot",    "isfinite",    "isinf",     "islessgreater",
      "isnan",    "isnormal", "isunordered", "j0",        "j1",
      "jn",       "lgamma",   "log",         "log10",     "log1p",
      "log2",     "pow",      "rint",        "round",     "signbit",
      "sin",      "sinh",     "sqrt",        "tan",       "tanh",
      "tgamma",   "trunc",    "y0",          "y1",        "yn"};
  return words.contains(word) ||
         (word.ends_with("f") && words.contains(word.drop_back()));
}

StringRef mlir::tang::getLibmName(StringRef op) {
  return llvm::StringSwitch<StringRef>(op)
      .Case("math.absf", "fabs")
      .Case("math.acos", "acos")
      .Case("math.acosh", "acosh")
      .Case("math.asin", "asin")
      .Case("math.asinh", "asinh")
      .Case("math.atan", "atan")
      .Case("math.atan2", "atan2")
      .Case("math.atanh", "atanh")
      .Case("math.cbrt", "cbrt")
      .Case("math.ceil", "ceil")
      .Case("math.copysign", "copysign")
      .Case("math.cos", "cos")
      .Case("math.cosh", "cosh")
      .Case("math.erf", "erf")
      .Case("math.erfc", "erfc")
      .Case("math.exp", "exp")
      .Case("math.exp2", "exp2")
      .Case("math.expm1", "expm1")
      .Case("math.floor", "floor")
      .Case("math.fma", "fma")
      .Case("math.log", "log")
      .Case("math.log10", "log10")
      .Case("math.log1p", "log1p")
      .Case("math.log2", "log2")
      .Case("math.powf", "pow")
      .Case("math.round", "round")
      // To nearest even, the mode that C programs start in.
      .Case("math.roundeven", "rint")
      .Case("math.sin", "sin")
      .Case("math.sinh", "sinh")
      .Case("math.sqrt", "sqrt")
      .Case("math.tan", "tan")
      .Case("math.tanh", "tanh")
      .Case("math.trunc", "trunc")
      .Case("arith.remf", "fmod")
      .Default("");
}
