//===- WgslIntegers.cpp - Integers that WGSL lacks ------------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// 64-bit integers are pairs of words, the low one first. Shifts by an amount of
// 32 are ones by 0 in WGSL, which is why they are told apart. SwiftShader
// converts numbers of 2^31 and more to f32 wrongly, so halves are converted.
//
//===----------------------------------------------------------------------===//

#include "WgslLibrary.h"

const char *const mlir::tang::wgslIntegers = R"(
fn tang_i8_of(word: u32, at: i32) -> i32 { return extractBits(i32(word), 8 * (u32(at) & 3), 8); }

fn tang_i8_others(at: i32) -> u32 { return ~(0xffu << (8 * (u32(at) & 3))); }

fn tang_i8_at(value: i32, at: i32) -> u32 { return (u32(value) & 0xff) << (8 * (u32(at) & 3)); }

fn tang_i16_of(word: u32, at: i32) -> i32 { return extractBits(i32(word), 16 * (u32(at) & 1), 16); }

fn tang_i16_others(at: i32) -> u32 { return ~(0xffffu << (16 * (u32(at) & 1))); }

fn tang_i16_at(value: i32, at: i32) -> u32 { return (u32(value) & 0xffff) << (16 * (u32(at) & 1)); }

// 64-bit integers: the low word first.
fn tang_i64_of_i32(x: i32) -> vec2<u32> { return vec2<u32>(u32(x), u32(x >> 31)); }

fn tang_add64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = x.x + y.x;
  return vec2<u32>(low, x.y + y.y + select(0u, 1u, low < x.x));
}

fn tang_sub64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(x.x - y.x, x.y - y.y - select(0u, 1u, x.x < y.x));
}

fn tang_negate64(x: vec2<u32>) -> vec2<u32> { return tang_sub64(vec2<u32>(0u, 0u), x); }

// The product of two words.
fn tang_product(x: u32, y: u32) -> vec2<u32> {
  let low = (x & 0xffff) * (y & 0xffff);
  let a = (x & 0xffff) * (y >> 16);
  let b = (x >> 16) * (y & 0xffff);
  let middle = (low >> 16) + (a & 0xffff) + (b & 0xffff);
  let high = (x >> 16) * (y >> 16) + (a >> 16) + (b >> 16) + (middle >> 16);
  return vec2<u32>((low & 0xffff) | (middle << 16), high);
}

fn tang_mul64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let low = tang_product(x.x, y.x);
  return vec2<u32>(low.x, low.y + x.x * y.y + x.y * y.x);
}

fn tang_less_u64(x: vec2<u32>, y: vec2<u32>) -> bool {
  return select(x.x < y.x, x.y < y.y, x.y != y.y);
}

fn tang_less_i64(x: vec2<u32>, y: vec2<u32>) -> bool {
  return select(x.x < y.x, i32(x.y) < i32(y.y), x.y != y.y);
}

fn tang_maxs64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, tang_less_i64(x, y));
}

fn tang_mins64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, tang_less_i64(y, x));
}

fn tang_maxu64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, tang_less_u64(x, y));
}

fn tang_minu64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  return select(x, y, tang_less_u64(y, x));
}

fn tang_shl64(x: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
  let n = by.x;
  if (n == 0) {
    return x;
  }
  if (n >= 32) {
    return vec2<u32>(0u, x.x << (n - 32));
  }
  return vec2<u32>(x.x << n, (x.y << n) | (x.x >> (32 - n)));
}

fn tang_shru64(x: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
  let n = by.x;
  if (n == 0) {
    return x;
  }
  if (n >= 32) {
    return vec2<u32>(x.y >> (n - 32), 0u);
  }
  return vec2<u32>((x.x >> n) | (x.y << (32 - n)), x.y >> n);
}

fn tang_shrs64(x: vec2<u32>, by: vec2<u32>) -> vec2<u32> {
  let n = by.x;
  let high = i32(x.y);
  if (n == 0) {
    return x;
  }
  if (n >= 32) {
    return vec2<u32>(u32(high >> (n - 32)), u32(high >> 31));
  }
  return vec2<u32>((x.x >> n) | (x.y << (32 - n)), u32(high >> n));
}

fn tang_clz64(x: vec2<u32>) -> vec2<u32> {
  let low = 32 + countLeadingZeros(x.x);
  return vec2<u32>(select(countLeadingZeros(x.y), low, x.y == 0), 0u);
}

fn tang_popcount64(x: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(countOneBits(x.x) + countOneBits(x.y), 0u);
}

// Bit by bit: the quotient, and what is left of x.
fn tang_long_division(x: vec2<u32>, y: vec2<u32>) -> vec4<u32> {
  if ((x.y | y.y) == 0) {
    return vec4<u32>(x.x / y.x, 0u, x.x % y.x, 0u);
  }
  var quotient = x;
  var rest = vec2<u32>(0u, 0u);
  for (var i = 0; i < 64; i++) {
    let isLarge = (rest.y >> 31) != 0;
    rest = vec2<u32>(rest.x << 1, (rest.y << 1) | (rest.x >> 31));
    rest.x |= quotient.y >> 31;
    quotient = vec2<u32>(quotient.x << 1, (quotient.y << 1) | (quotient.x >> 31));
    if (isLarge || !tang_less_u64(rest, y)) {
      rest = tang_sub64(rest, y);
      quotient.x |= 1;
    }
  }
  return vec4<u32>(quotient, rest);
}

fn tang_abs64(x: vec2<u32>) -> vec2<u32> { return select(x, tang_negate64(x), (x.y >> 31) != 0); }

fn tang_divu64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return tang_long_division(x, y).xy; }

fn tang_remu64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> { return tang_long_division(x, y).zw; }

fn tang_divs64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let quotient = tang_divu64(tang_abs64(x), tang_abs64(y));
  return select(quotient, tang_negate64(quotient), ((x.y ^ y.y) >> 31) != 0);
}

fn tang_rems64(x: vec2<u32>, y: vec2<u32>) -> vec2<u32> {
  let rest = tang_remu64(tang_abs64(x), tang_abs64(y));
  return select(rest, tang_negate64(rest), (x.y >> 31) != 0);
}

fn tang_f32_of_u32(x: u32) -> f32 { return f32(x >> 16) * 65536.0 + f32(x & 0xffff); }

// Rounds once: the digits below the upper word count as one.
fn tang_f32_of_u64(x: vec2<u32>) -> f32 {
  if (x.y == 0) {
    return tang_f32_of_u32(x.x);
  }
  let zeros = countLeadingZeros(x.y);
  let top = tang_shl64(x, vec2<u32>(zeros, 0u));
  let power = bitcast<f32>((159 - zeros) << 23);
  return tang_f32_of_u32(top.y | select(0u, 1u, top.x != 0)) * power;
}

fn tang_f32_of_i64(x: vec2<u32>) -> f32 {
  let magnitude = tang_f32_of_u64(tang_abs64(x));
  return select(magnitude, -magnitude, (x.y >> 31) != 0);
}

// Of a number in range.
fn tang_u64_of_f32(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x) & 0x7fffffff;
  let exponent = i32(bits >> 23) - 150;
  let digits = vec2<u32>((bits & 0x7fffff) | 0x800000, 0u);
  if (exponent < -31) {
    return vec2<u32>(0u, 0u);
  }
  if (exponent < 0) {
    return digits >> vec2<u32>(u32(-exponent));
  }
  return tang_shl64(digits, vec2<u32>(u32(exponent), 0u));
}

fn tang_i64_of_f32(x: f32) -> vec2<u32> {
  let magnitude = tang_u64_of_f32(x);
  return select(magnitude, tang_negate64(magnitude), (bitcast<u32>(x) >> 31) != 0);
}
)";
