//===- EmulateTypesFormats.cpp - Helpers for small float formats ----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One builder for every format. A source format has p mantissa bits (f32: 23,
// f64: 52), a small format m < p. Rounding to m bits, ties to even, is integer
// arithmetic on the magnitude:
//
//   x + (half - 1 + lowest kept bit), then drop the low p - m bits,
//
// where a carry into the exponent is what it should be. Values below the small
// format's smallest normal have fewer bits: adding and subtracting the power of
// two whose last mantissa bit is the format's smallest denormal rounds to that
// grid, by the addition's own ties-to-even. No source denormal takes part
// unless the formats share an exponent range (bf16 and f32), where the integer
// path alone is right. The steps are exact on hardware that flushes denormals,
// except there.
//
//===----------------------------------------------------------------------===//

#include "EmulateTypesFormats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mlir::tang;

std::optional<SmallFormat> SmallFormat::get(Type type) {
  if (isa<Float16Type>(type))
    return SmallFormat{"f16", 16, 10, 15, true, 0x7BFF, 0x7E00, 65504.0};
  if (isa<BFloat16Type>(type))
    return SmallFormat{"bf16", 16, 7, 127, true, 0x7F7F, 0x7FC0, 0x1.FEp127};
  if (isa<Float8E5M2Type>(type))
    return SmallFormat{"f8e5m2", 8, 2, 15, true, 0x7B, 0x7E, 57344.0};
  if (isa<Float8E4M3FNType>(type))
    return SmallFormat{"f8e4m3", 8, 3, 7, false, 0x7E, 0x7F, 448.0};
  return std::nullopt;
}

namespace {

/// The wide format that a helper reads, and arithmetic on its bits.
struct Wide {
  ImplicitLocOpBuilder &b;
  FloatType type;
  IntegerType bitsType;
  unsigned bits, mantissa;
  int bias;

  Wide(ImplicitLocOpBuilder &b, bool isDouble)
      : b(b), type(isDouble ? FloatType(b.getF64Type()) : b.getF32Type()),
        bitsType(b.getIntegerType(isDouble ? 64 : 32)),
        bits(isDouble ? 64 : 32), mantissa(isDouble ? 52 : 23),
        bias(isDouble ? 1023 : 127) {}

  Value integer(uint64_t value) const {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(bitsType, APInt(bits, value, false, true)));
  }
  Value real(double value) const {
    return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
  }
  Value toBits(Value x) const {
    return arith::BitcastOp::create(b, bitsType, x);
  }
  Value fromBits(Value x) const { return arith::BitcastOp::create(b, type, x); }
  Value magnitudeBits(Value xBits) const {
    return arith::AndIOp::create(
        b, xBits, integer(APInt::getSignedMaxValue(bits).getZExtValue()));
  }
  Value add(Value x, Value y) const { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) const { return arith::SubIOp::create(b, x, y); }
  Value shr(Value x, unsigned by) const {
    return by ? arith::ShRUIOp::create(b, x, integer(by)).getResult() : x;
  }
  Value shl(Value x, unsigned by) const {
    return by ? arith::ShLIOp::create(b, x, integer(by)).getResult() : x;
  }
  Value less(Value x, Value y) const {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, x, y);
  }
  Value select(Value c, Value x, Value y) const {
    return arith::SelectOp::create(b, c, x, y);
  }
  /// The bits of 2^exponent.
  uint64_t powerBits(int exponent) const {
    return uint64_t(exponent + bias) << mantissa;
  }
  uint64_t infBits() const {
    return ((uint64_t(1) << (bits - 1 - mantissa)) - 1) << mantissa;
  }

  /// Whether `format` has a smaller exponent range, so that its denormals are
  /// normal numbers here.
  bool isWiderThan(const SmallFormat &format) const {
    return bias > format.bias;
  }
  /// 2^k whose last mantissa bit is the smallest denormal of `format`.
  double denormalMagic(const SmallFormat &format) const {
    return std::ldexp(1.0, int(mantissa) + format.minExponent() -
                               int(format.mantissa));
  }
  /// magnitude + half - 1 + lowest kept bit.
  Value roundUpHalf(Value magnitude, const SmallFormat &format) const {
    unsigned drop = mantissa - format.mantissa;
    Value lowest = arith::AndIOp::create(b, shr(magnitude, drop), integer(1));
    Value half = integer((uint64_t(1) << (drop - 1)) - 1);
    return add(magnitude, add(half, lowest));
  }
};

Value buildDecode(ImplicitLocOpBuilder &b, Value code, const SmallFormat &f) {
  Wide w(b, /*isDouble=*/false);
  unsigned up = w.mantissa - f.mantissa;
  Value x = arith::ExtUIOp::create(b, w.bitsType, code);
  if (!w.isWiderThan(f))
    return w.fromBits(w.shl(x, w.bits - f.bits));

  uint64_t magnitudeMask = (uint64_t(1) << (f.bits - 1)) - 1;
  Value magnitude = arith::AndIOp::create(b, x, w.integer(magnitudeMask));
  Value shifted = w.shl(magnitude, up);
  Value normal =
      w.add(shifted, w.integer(uint64_t(w.bias - f.bias) << w.mantissa));
  // 0.mantissa * 2^min is 1.mantissa * 2^min - 2^min.
  Value denormal = w.toBits(arith::SubFOp::create(
      b, w.fromBits(w.add(shifted, w.integer(w.powerBits(f.minExponent())))),
      w.real(std::ldexp(1.0, f.minExponent()))));
  Value isDenormal = w.less(magnitude, w.integer(uint64_t(1) << f.mantissa));
  Value result = w.select(isDenormal, denormal, normal);
  if (f.hasInf) {
    Value special = arith::OrIOp::create(b, shifted, w.integer(w.infBits()));
    // A NaN becomes quiet.
    Value isNaN = w.less(w.integer(f.maxCode + 1), magnitude);
    Value quiet = w.integer(uint64_t(1) << (w.mantissa - 1));
    special = w.select(isNaN, arith::OrIOp::create(b, special, quiet), special);
    result = w.select(w.less(w.integer(f.maxCode), magnitude), special, result);
  } else {
    Value isNaN = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, magnitude,
                                        w.integer(f.nanCode));
    result = w.select(isNaN, w.integer(0x7FC00000), result);
  }
  Value sign = w.shl(w.shr(x, f.bits - 1), w.bits - 1);
  return w.fromBits(arith::OrIOp::create(b, result, sign));
}

/// The same exponent range (bf16 of f32): the format is the top half.
Value buildEncodeTop(const Wide &w, Value x, Value xBits,
                     const SmallFormat &f) {
  ImplicitLocOpBuilder &b = w.b;
  unsigned drop = w.mantissa - f.mantissa;
  Value rounded = w.shr(w.roundUpHalf(xBits, f), drop);
  Value nan = arith::OrIOp::create(b, w.shr(xBits, drop),
                                   w.integer(uint64_t(1) << (f.mantissa - 1)));
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return arith::TruncIOp::create(b, b.getIntegerType(f.bits),
                                 w.select(isNaN, nan, rounded));
}

Value buildEncode(ImplicitLocOpBuilder &b, Value x, const SmallFormat &f) {
  Wide w(b, /*isDouble=*/false);
  unsigned drop = w.mantissa - f.mantissa;
  Value xBits = w.toBits(x);
  if (!w.isWiderThan(f))
    return buildEncodeTop(w, x, xBits, f);
  Value magnitude = w.magnitudeBits(xBits);
  Value code = w.shr(w.roundUpHalf(magnitude, f), drop);
  code = w.sub(code, w.integer(uint64_t(w.bias - f.bias) << f.mantissa));
  Value overflow = w.integer(f.hasInf ? f.maxCode + 1 : f.nanCode);
  code = w.select(w.less(w.integer(f.maxCode), code), overflow, code);
  double magic = w.denormalMagic(f);
  Value onGrid =
      w.toBits(arith::AddFOp::create(b, w.fromBits(magnitude), w.real(magic)));
  uint64_t magicBits = APFloat(float(magic)).bitcastToAPInt().getZExtValue();
  Value denormal = w.sub(onGrid, w.integer(magicBits));
  Value isDenormal = w.less(magnitude, w.integer(w.powerBits(f.minExponent())));
  code = w.select(isDenormal, denormal, code);
  // A NaN keeps its sign and the bits that fit, and is quiet.
  Value nan = w.integer(f.nanCode);
  if (f.hasInf) {
    Value kept = w.shr(magnitude, drop);
    Value mask = w.integer((uint64_t(1) << f.mantissa) - 1);
    nan = arith::OrIOp::create(b, arith::AndIOp::create(b, kept, mask), nan);
  }
  Value isNaN = w.less(w.integer(w.infBits()), magnitude);
  code = w.select(isNaN, nan, code);
  Value sign = w.shl(w.shr(xBits, w.bits - 1), f.bits - 1);
  return arith::TruncIOp::create(b, b.getIntegerType(f.bits),
                                 arith::OrIOp::create(b, code, sign));
}

Value buildRound(ImplicitLocOpBuilder &b, Value x, const SmallFormat &f,
                 bool fromDouble) {
  Wide w(b, fromDouble);
  unsigned drop = w.mantissa - f.mantissa;
  Value xBits = w.toBits(x);
  bool isWider = w.isWiderThan(f);
  Value magnitude = isWider ? w.magnitudeBits(xBits) : xBits;
  Value kept = arith::AndIOp::create(b, w.roundUpHalf(magnitude, f),
                                     w.integer(~((uint64_t(1) << drop) - 1)));
  Value result = w.fromBits(kept);
  if (isWider) {
    Value limit = w.real(f.maxValue);
    Value tooLarge =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, result, limit);
    APFloat overflow = f.hasInf ? APFloat::getInf(w.type.getFloatSemantics())
                                : APFloat::getNaN(w.type.getFloatSemantics());
    result = w.select(
        tooLarge,
        arith::ConstantOp::create(b, b.getFloatAttr(w.type, overflow)), result);
    Value absolute = w.fromBits(magnitude);
    Value magic = w.real(w.denormalMagic(f));
    Value denormal = arith::SubFOp::create(
        b, arith::AddFOp::create(b, absolute, magic), magic);
    Value isDenormal =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, absolute,
                              w.real(std::ldexp(1.0, f.minExponent())));
    result = w.select(isDenormal, denormal, result);
    result = math::CopySignOp::create(b, result, x);
  }
  // Rounding could turn a NaN into something else; it stays as it is.
  Value isNaN = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  return w.select(isNaN, x, result);
}

Value buildIntToOdd(ImplicitLocOpBuilder &b, Value x, bool isSigned) {
  bool isLong = x.getType().getIntOrFloatBitWidth() == 64;
  Wide w(b, isLong);
  unsigned drop = w.bits - w.mantissa - 1;
  Value zero = w.integer(0);
  Value isNegative, magnitude = x;
  if (isSigned) {
    isNegative = w.less(x, zero);
    magnitude = w.select(isNegative, w.sub(zero, x), x);
  }
  // Numbers that may not fit keep their leading bits; the last of them tells
  // whether anything below was lost.
  uint64_t lowMask = (uint64_t(1) << drop) - 1;
  Value low = arith::AndIOp::create(b, magnitude, w.integer(lowMask));
  Value high = arith::AndIOp::create(b, magnitude, w.integer(~lowMask));
  Value lost = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, low, zero);
  Value sticky = w.shl(arith::ExtUIOp::create(b, w.bitsType, lost), drop);
  Value odd = arith::OrIOp::create(b, high, sticky);
  Value fits =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ult, magnitude,
                            w.integer(uint64_t(1) << (w.mantissa + 1)));
  Value result =
      arith::UIToFPOp::create(b, w.type, w.select(fits, magnitude, odd));
  if (!isSigned)
    return result;
  return w.select(isNegative, arith::NegFOp::create(b, result), result);
}

} // namespace

func::FuncOp FormatHelpers::getOrBuild(const Twine &name, Type from, Type to,
                                       Body body) {
  SmallString<32> storage;
  StringRef symbol = name.toStringRef(storage);
  if (auto existing = module.lookupSymbol<func::FuncOp>(symbol))
    return existing;
  // Helpers stand in front of the kernels, in the order of their creation.
  Block *block = module.getBody();
  auto position = block->begin();
  while (position != block->end() && isa<func::FuncOp>(*position))
    ++position;
  ImplicitLocOpBuilder b(module.getLoc(), block, position);
  auto helper =
      func::FuncOp::create(b, symbol, b.getFunctionType({from}, {to}));
  helper.setPrivate();
  b.setInsertionPointToStart(helper.addEntryBlock());
  Value result = body(b, helper.getArgument(0));
  func::ReturnOp::create(b, result);
  return helper;
}

func::FuncOp FormatHelpers::decode(const SmallFormat &format) {
  Builder b(module.getContext());
  return getOrBuild("tang_" + format.name + "_to_f32",
                    b.getIntegerType(format.bits), b.getF32Type(),
                    [&](ImplicitLocOpBuilder &b, Value x) {
                      return buildDecode(b, x, format);
                    });
}

func::FuncOp FormatHelpers::encode(const SmallFormat &format) {
  Builder b(module.getContext());
  return getOrBuild("tang_f32_to_" + format.name, b.getF32Type(),
                    b.getIntegerType(format.bits),
                    [&](ImplicitLocOpBuilder &b, Value x) {
                      return buildEncode(b, x, format);
                    });
}

func::FuncOp FormatHelpers::round(const SmallFormat &format, bool fromDouble) {
  Builder b(module.getContext());
  Type type = fromDouble ? Type(b.getF64Type()) : Type(b.getF32Type());
  return getOrBuild(Twine("tang_round_") + (fromDouble ? "f64_" : "") + "to_" +
                        format.name,
                    type, type, [&](ImplicitLocOpBuilder &b, Value x) {
                      return buildRound(b, x, format, fromDouble);
                    });
}

func::FuncOp FormatHelpers::intToOdd(unsigned width, bool isSigned) {
  Builder b(module.getContext());
  Type to = width == 64 ? Type(b.getF64Type()) : Type(b.getF32Type());
  return getOrBuild(Twine("tang_") + (isSigned ? "i" : "u") + Twine(width) +
                        "_to_odd_" + (width == 64 ? "f64" : "f32"),
                    b.getIntegerType(width), to,
                    [&](ImplicitLocOpBuilder &b, Value x) {
                      return buildIntToOdd(b, x, isSigned);
                    });
}
