//===- WgslFloats.cpp - Operations on f32 that WGSL leaves open -----------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Implementations may assume that there are no NaN and infinities, and do:
// SwiftShader takes x != x for false. Bits tell the truth. Its `fma` is not
// fused; here it is one of 64-bit integers.
//
//===----------------------------------------------------------------------===//

#include "WgslLibrary.h"

const char *const mlir::tang::wgslFloats = R"(
// Infinities, NaN and subnormal numbers have no literals.
fn tang_f32(bits: u32) -> f32 { return bitcast<f32>(bits); }

fn tang_is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffff) > 0x7f800000; }

fn tang_is_unordered(x: f32, y: f32) -> bool { return tang_is_nan(x) || tang_is_nan(y); }

// An integer that is ordered as x; -0 comes before +0.
fn tang_order(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}

// Comparisons that know NaN and tell subnormal numbers from 0.
fn tang_is_less(x: f32, y: f32) -> bool {
  let areZero = ((bitcast<u32>(x) | bitcast<u32>(y)) << 1) == 0;
  return tang_order(x) < tang_order(y) && !areZero && !tang_is_unordered(x, y);
}

fn tang_is_equal(x: f32, y: f32) -> bool {
  let areZero = ((bitcast<u32>(x) | bitcast<u32>(y)) << 1) == 0;
  return areZero || (bitcast<u32>(x) == bitcast<u32>(y) && !tang_is_nan(x));
}

fn tang_copysign(x: f32, y: f32) -> f32 {
  let sign = bitcast<u32>(y) & 0x80000000;
  return tang_f32((bitcast<u32>(x) & 0x7fffffff) | sign);
}

// A NaN wins.
fn tang_maximum(x: f32, y: f32) -> f32 {
  let larger = select(y, x, tang_order(x) > tang_order(y));
  return select(select(larger, y, tang_is_nan(y)), x, tang_is_nan(x));
}

// A NaN wins.
fn tang_minimum(x: f32, y: f32) -> f32 {
  let smaller = select(y, x, tang_order(x) < tang_order(y));
  return select(select(smaller, y, tang_is_nan(y)), x, tang_is_nan(x));
}

// A number wins over a NaN.
fn tang_maxnum(x: f32, y: f32) -> f32 {
  let larger = select(y, x, tang_order(x) > tang_order(y));
  return select(select(larger, x, tang_is_nan(y)), y, tang_is_nan(x));
}

// A number wins over a NaN.
fn tang_minnum(x: f32, y: f32) -> f32 {
  let smaller = select(y, x, tang_order(x) < tang_order(y));
  return select(select(smaller, x, tang_is_nan(y)), y, tang_is_nan(x));
}

// Also of subnormal numbers, by their digits.
fn tang_sqrt(x: f32) -> f32 {
  let bits = bitcast<u32>(x);
  if (bits > 0x80000000) {
    return tang_f32(0x7fc00000u);
  }
  if (bits - 1 < 0x7fffff) {
    return sqrt(f32(bits) * 2.0) * 2.6469779601696886e-23;
  }
  return sqrt(x);
}

// To the nearest integer, halves away from zero.
fn tang_round(x: f32) -> f32 {
  let whole = trunc(x);
  let away = whole + tang_copysign(1.0, x);
  return tang_copysign(select(whole, away, abs(x - whole) >= 0.5), x);
}

// The rest of the division with the sign of x, exact: a long division.
fn tang_fmod(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffff;
  let b = bitcast<u32>(y) & 0x7fffffff;
  if (a >= 0x7f800000 || b > 0x7f800000 || b == 0) {
    return tang_f32(0x7fc00000u);
  }
  if (a < b) {
    return x;
  }
  let divisor = (b & 0x7fffff) | select(0u, 0x800000u, b >= 0x800000);
  var rest = ((a & 0x7fffff) | select(0u, 0x800000u, a >= 0x800000)) % divisor;
  var exponent = max(b >> 23, 1);
  for (var left = max(a >> 23, 1) - exponent; left > 0;) {
    let step = min(left, 8);
    rest = (rest << step) % divisor;
    left -= step;
  }
  if (rest == 0) {
    return tang_copysign(0.0, x);
  }
  let up = min(countLeadingZeros(rest) - 8, exponent - 1);
  rest <<= up;
  exponent -= up;
  let bits = select(rest, (rest & 0x7fffff) | (exponent << 23), rest >= 0x800000);
  return tang_copysign(tang_f32(bits), x);
}

// 24 digits of a finite number that is not 0, and the exponent of the last.
fn tang_digits(bits: u32) -> vec2<i32> {
  let digits = (bits & 0x7fffff) | select(0u, 0x800000u, bits >= 0x800000);
  let up = countLeadingZeros(digits) - 8;
  return vec2<i32>(i32(digits << up), i32(max(bits >> 23, 1)) - 150 - i32(up));
}

// Shifts right; the last digit says whether others were lost.
fn tang_shift_sticky(x: vec2<u32>, by: i32) -> vec2<u32> {
  if (by >= 64) {
    return vec2<u32>(select(0u, 1u, any(x != vec2<u32>(0u, 0u))), 0u);
  }
  let amount = vec2<u32>(u32(by), 0u);
  let shifted = tang_shru64(x, amount);
  let isExact = all(tang_shl64(shifted, amount) == x);
  return vec2<u32>(shifted.x | select(1u, 0u, isExact), shifted.y);
}

// x * y + z, rounded once.
fn tang_fma(x: f32, y: f32, z: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffff;
  let b = bitcast<u32>(y) & 0x7fffffff;
  let c = bitcast<u32>(z) & 0x7fffffff;
  if (max(a, b) < 0x7f800000 && c == 0x7f800000) {
    return z;
  }
  if (min(a, b) == 0 || max(max(a, b), c) >= 0x7f800000) {
    return x * y + z;
  }
  let partsA = tang_digits(a);
  let partsB = tang_digits(b);
  // Both terms with 62 digits at most.
  var product = tang_product(u32(partsA.x), u32(partsB.x));
  product = tang_shl64(product, vec2<u32>(14u, 0u));
  var exponent = partsA.y + partsB.y - 14;
  var term = vec2<u32>(0u, 0u);
  if (c != 0) {
    let partsC = tang_digits(c);
    term.y = u32(partsC.x) << 6;
    let difference = exponent - (partsC.y - 38);
    if (difference > 0) {
      term = tang_shift_sticky(term, difference);
    } else {
      product = tang_shift_sticky(product, -difference);
      exponent = partsC.y - 38;
    }
  }
  var sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000;
  var sum = tang_add64(product, term);
  if (sign != (bitcast<u32>(z) & 0x80000000)) {
    sum = tang_sub64(product, term);
    if (tang_less_u64(product, term)) {
      sum = tang_negate64(sum);
      sign ^= 0x80000000;
    }
  }
  if (all(sum == vec2<u32>(0u, 0u))) {
    return 0.0;
  }
  let zeros = tang_clz64(sum);
  sum = tang_shl64(sum, zeros);
  exponent += 190 - i32(zeros.x);
  if (exponent >= 255) {
    return tang_f32(sign | 0x7f800000);
  }
  if (exponent < 1) {
    sum = tang_shift_sticky(sum, 1 - exponent);
    exponent = 1;
  }
  let digits = sum.y >> 8;
  let rest = sum.y & 0xff;
  let isUp = rest > 0x80 || (rest == 0x80 && (sum.x != 0 || (digits & 1) != 0));
  let bits = (u32(exponent - 1) << 23) + digits + select(0u, 1u, isUp);
  return tang_f32(sign | bits);
}
)";
