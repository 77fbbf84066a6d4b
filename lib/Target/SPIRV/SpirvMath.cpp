//===- SpirvMath.cpp - The functions of math in f64 ----------------------===//
//
// Part of Tang, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// GLSL.std.450 has these functions for f32 only, and Vulkan leaves them errors
// of hundreds of units in the last place. Here they are computed in f64, from
// arithmetic alone, so that all devices agree; f32 is rounded from f64. Errors
// are below 4 units in the last place of an f64, that of sin, cos and tan for
// arguments up to 2^20 (beyond, the multiple of pi/2 is not exact any more).
//
// Series are Taylor's unless a comment says otherwise. A number is sometimes
// the sum of two, `high + low`, with low below half a unit of high.
//
//===----------------------------------------------------------------------===//

#include "SpirvBuild.h"
#include "SpirvImpl.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tang;

using P = arith::CmpFPredicate;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// ln 2 and pi / 2 in parts whose products with integers of 20 bits are exact.
static constexpr double kLn2High = 0.6931471803691238;
static constexpr double kLn2Low = 1.9082149292705877e-10;
static constexpr double kHalfPi[] = {1.5707963267341256, 6.077100506303966e-11,
                                     2.0222662487111665e-21,
                                     8.4784276603689e-32};

namespace {

/// An f64 with the operators of one.
struct Real {
  Build *b;
  Value v;
};
/// An unevaluated sum.
struct Sum {
  Real high, low;
};

Real operator+(Real x, Real y) {
  return {x.b, arith::AddFOp::create(*x.b, x.v, y.v)};
}
Real operator-(Real x, Real y) {
  return {x.b, arith::SubFOp::create(*x.b, x.v, y.v)};
}
Real operator*(Real x, Real y) {
  return {x.b, arith::MulFOp::create(*x.b, x.v, y.v)};
}
Real operator/(Real x, Real y) {
  return {x.b, arith::DivFOp::create(*x.b, x.v, y.v)};
}
Real real(Real like, double value) {
  return {like.b, like.b->real(like.v.getType(), value)};
}
Real operator+(Real x, double y) { return x + real(x, y); }
Real operator-(Real x, double y) { return x - real(x, y); }
Real operator*(Real x, double y) { return x * real(x, y); }
Real operator/(Real x, double y) { return x / real(x, y); }
Real operator-(double x, Real y) { return real(y, x) - y; }
Real operator/(double x, Real y) { return real(y, x) / y; }
Value operator<(Real x, Real y) { return x.b->compare(P::OLT, x.v, y.v); }
Value operator>(Real x, Real y) { return x.b->compare(P::OGT, x.v, y.v); }
Value operator==(Real x, Real y) { return x.b->compare(P::OEQ, x.v, y.v); }
Value operator!=(Real x, Real y) { return x.b->compare(P::UNE, x.v, y.v); }
Value operator<(Real x, double y) { return x < real(x, y); }
Value operator>(Real x, double y) { return x > real(x, y); }
Value operator==(Real x, double y) { return x == real(x, y); }

Real select(Value condition, Real x, Real y) {
  return {x.b, x.b->select(condition, x.v, y.v)};
}
Real select(Value condition, double x, Real y) {
  return select(condition, real(y, x), y);
}
Real abs(Real x) { return {x.b, math::AbsFOp::create(*x.b, x.v)}; }
Real sqrt(Real x) { return {x.b, math::SqrtOp::create(*x.b, x.v)}; }
Real truncate(Real x) { return {x.b, math::TruncOp::create(*x.b, x.v)}; }
Real nearest(Real x) { return {x.b, math::RoundEvenOp::create(*x.b, x.v)}; }
Real copySign(Real x, Real sign) { return {x.b, x.b->copySign(x.v, sign.v)}; }
Real negate(Real x) { return {x.b, arith::NegFOp::create(*x.b, x.v)}; }

Value toBits(Real x) { return x.b->bits(x.v); }
Real fromBits(Build &b, Value bits) {
  return {&b, arith::BitcastOp::create(b, b.getF64Type(), bits)};
}
Value toInteger(Real x) {
  return arith::FPToSIOp::create(*x.b, x.b->getI64Type(), x.v);
}
Real fromInteger(Build &b, Value x) {
  return {&b, arith::SIToFPOp::create(b, b.getF64Type(), x)};
}
Value maskBits(Real x, uint64_t mask) {
  Type i64 = x.b->getI64Type();
  return arith::AndIOp::create(*x.b, toBits(x),
                               x.b->integer(i64, APInt(64, mask)));
}

/// c0 + x (c1 + x (c2 + ...)).
Real polynomial(Real x, ArrayRef<double> coefficients) {
  Real result = real(x, coefficients.back());
  for (double c : llvm::reverse(coefficients.drop_back()))
    result = result * x + c;
  return result;
}

/// `count` of the coefficients of a series.
template <typename F> SmallVector<double> series(int count, F coefficient) {
  SmallVector<double> result;
  for (int n = 0; n < count; ++n)
    result.push_back(coefficient(n));
  return result;
}

double factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

//===----------------------------------------------------------------------===//
// Exact sums and products
//===----------------------------------------------------------------------===//

/// x + y (Knuth).
Sum exactSum(Real x, Real y) {
  Real sum = x + y;
  Real part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

/// The upper 26 bits.
Real upperHalf(Real x) {
  return fromBits(*x.b, maskBits(x, ~uint64_t(0x7FFFFFF)));
}

/// x y (Dekker), without overflow and underflow.
Sum exactProduct(Real x, Real y) {
  Real product = x * y;
  Real xh = upperHalf(x), yh = upperHalf(y);
  Real xl = x - xh, yl = y - yh;
  Real low = ((xh * yh - product) + xh * yl + xl * yh) + xl * yl;
  return {product, low};
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// 2^k for an integer -1022 <= k <= 1023.
Real powerOfTwo(Real k) {
  Build &b = *k.b;
  Type i64 = b.getI64Type();
  Value biased =
      arith::AddIOp::create(b, toInteger(k), b.integer(i64, int64_t(1023)));
  return fromBits(
      b, arith::ShLIOp::create(b, biased, b.integer(i64, int64_t(52))));
}

/// x 2^k, rounded once; for -2000 < k < 2000.
Real scale(Real x, Real k) {
  Real half = truncate(k * 0.5);
  return x * powerOfTwo(half) * powerOfTwo(k - half);
}

Real clamp(Real x, double bound) {
  return select(x > bound, bound, select(x < -bound, -bound, x));
}

/// exp(r) - 1 for |r| <= ln(2) / 2.
Real expm1Series(Real r) {
  auto rest = series(12, [](int n) { return 1 / factorial(n + 2); });
  return r + r * r * polynomial(r, rest);
}

/// exp(high + low).
Real expOf(Sum x) {
  // So that the power of two is in range; it overflows all the same.
  Real high = clamp(x.high, 1000);
  Real k = nearest(high * 1.4426950408889634);
  Real r = (high - k * kLn2High) - (k * kLn2Low - x.low);
  return scale(expm1Series(r) + 1.0, k);
}

Real buildExp(Real x) { return expOf({x, real(x, 0)}); }

Real buildExp2(Real x) {
  Real bounded = clamp(x, 1500);
  Real k = nearest(bounded);
  return scale(expm1Series((bounded - k) * 0.6931471805599453) + 1.0, k);
}

Real buildExpm1(Real x) {
  Real bounded = clamp(x, 100);
  Real k = nearest(bounded * 1.4426950408889634);
  Real r = (bounded - k * kLn2High) - k * kLn2Low;
  Real power = powerOfTwo(k);
  return select(x > 100, buildExp(x), power * expm1Series(r) + (power - 1.0));
}

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

/// x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for finite x > 0.
struct Decomposed {
  Real k, f;
};
Decomposed decompose(Real x) {
  Build &b = *x.b;
  Type i64 = b.getI64Type();
  Value isTiny = x < 0x1p-1022;
  Real normal = select(isTiny, x * 0x1p54, x);
  Value exponent =
      arith::ShRUIOp::create(b, toBits(normal), b.integer(i64, int64_t(52)));
  Value mantissa =
      arith::OrIOp::create(b, maskBits(normal, 0xFFFFFFFFFFFFF),
                           b.integer(i64, APInt(64, 0x3FF0000000000000)));
  Real k = fromInteger(b, exponent) - 1023.0;
  k = select(isTiny, k - 54.0, k);
  Real m = fromBits(b, mantissa);
  Value isLarge = m > 1.4142135623730951;
  m = select(isLarge, m * 0.5, m);
  k = select(isLarge, k + 1.0, k);
  return {k, m - 1.0};
}

/// ln(1 + f) = f - f²/2 + s (f²/2 + R), where s = f / (2 + f) and R is what
/// follows 2 s in 2 atanh(s), over s. `extra` is added where it is lost least.
Real logOf(Decomposed x, Real extra) {
  Real f = x.f, s = f / (f + 2.0), z = s * s;
  Real rest =
      z * polynomial(z, series(11, [](int n) { return 2.0 / (2 * n + 3); }));
  Real half = f * f * 0.5;
  return x.k * kLn2High -
         ((half - (s * (half + rest) + (x.k * kLn2Low + extra))) - f);
}

/// The result for finite x > 0, and what is right elsewhere.
Real atLogEdges(Real x, Real result) {
  result = select(x == kInfinity, x, result);
  result = select(x == 0.0, -kInfinity, result);
  return select(x < 0.0, kNaN, select(x != x, x, result));
}

Real buildLog(Real x) { return atLogEdges(x, logOf(decompose(x), real(x, 0))); }

Real buildLog2(Real x) {
  Decomposed parts = decompose(x);
  Real fraction = logOf({real(x, 0), parts.f}, real(x, 0));
  return atLogEdges(x, parts.k + fraction * 1.4426950408889634);
}

Real buildLog10(Real x) {
  Decomposed parts = decompose(x);
  Real fraction = logOf({real(x, 0), parts.f}, real(x, 0));
  return atLogEdges(x, parts.k * 0.3010299955494702 +
                           (parts.k * 1.1451100898021838e-10 +
                            fraction * 0.4342944819032518));
}

Real buildLog1p(Real x) {
  Real u = x + 1.0;
  // What the sum lost.
  Real lost = select(x > 1, 1.0 - (u - x), x - (u - 1.0));
  Real result = logOf(decompose(u), lost / u);
  return atLogEdges(u, result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Real buildCbrt(Real x) {
  Real a = abs(x), y = buildExp(buildLog(a) / 3.0);
  // Newton's step.
  y = y - (y * y * y - a) / (y * y * 3.0);
  return copySign(select(a == kInfinity, a, y), x);
}

/// ln(x) for finite x > 0, to about 2^-65.
Sum preciseLog(Real x) {
  Decomposed parts = decompose(x);
  Real f = parts.f;
  Sum d = exactSum(real(x, 2), f);
  // s = f / (2 + f).
  Real s = f / d.high;
  Sum back = exactProduct(s, d.high);
  Real sLow = (((f - back.high) - back.low) - s * d.low) / d.high;
  // 2 s + s³ (2/3 + s² (2/5 + ...)), the first two terms as sums.
  Sum z = exactProduct(s, s);
  Real zLow = z.low + s * sLow * 2.0;
  Real tail =
      z.high *
      polynomial(z.high, series(10, [](int n) { return 2.0 / (2 * n + 5); }));
  Sum c = exactSum(real(x, 0.6666666666666666), tail);
  Real cLow = c.low + 3.700743415417188e-17;
  Sum sz = exactProduct(s, z.high);
  Real szLow = sz.low + s * zLow + sLow * z.high;
  Sum cube = exactProduct(sz.high, c.high);
  Real cubeLow = cube.low + sz.high * cLow + szLow * c.high;
  Sum first = exactSum(s * 2.0, cube.high);
  Sum whole = exactSum(parts.k * kLn2High, first.high);
  Real low =
      whole.low + (first.low + (cubeLow + (sLow * 2.0 + parts.k * kLn2Low)));
  return {whole.high + low, low - ((whole.high + low) - whole.high)};
}

Real buildPow(Real x, Real y) {
  Build &b = *x.b;
  Real a = abs(x);
  // A larger exponent gives 0, 1 or infinity, like this one.
  Real bounded = clamp(y, 0x1p70);
  Sum log = preciseLog(a);
  Sum product = exactProduct(bounded, log.high);
  Value isRange = abs(product.high) < 1000;
  Real low = select(isRange, product.low + bounded * log.low, real(x, 0));
  Real result = expOf({product.high, low});
  result = select(a == 1.0, real(x, 1), result);
  // Zero and infinity.
  Value isZero = a == 0.0, isInfinite = a == kInfinity, isDown = y < 0.0;
  Real atEdge = select(arith::XOrIOp::create(b, isInfinite, isDown), kInfinity,
                       real(x, 0));
  result = select(b.anyOf(isZero, isInfinite), atEdge, result);
  // A negative base.
  Value isWhole = truncate(y) == y;
  Value isOdd =
      b.allOf(b.allOf(isWhole, truncate(y * 0.5) * 2.0 != y), abs(y) < 0x1p53);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, toBits(x),
                            b.integer(b.getI64Type(), int64_t(0)));
  result = select(b.allOf(isOdd, isNegative), negate(result), result);
  Value isOutside =
      arith::AndIOp::create(b, b.allOf(x < 0.0, abs(x) < kInfinity),
                            b.allOf(abs(y) < kInfinity, truncate(y) != y));
  result = select(isOutside, kNaN, result);
  result = select(b.anyOf(x != x, y != y), x + y, result);
  return select(b.anyOf(x == 1.0, y == 0.0), real(x, 1), result);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

/// x - k pi/2, |.| <= pi/4, and k modulo 4.
struct Reduced {
  Sum r;
  Value quadrant;
};
Reduced reduceAngle(Real x) {
  Build &b = *x.b;
  Real k = nearest(x * 0.6366197723675814);
  Sum first = exactSum(x - k * kHalfPi[0], negate(k * kHalfPi[1]));
  Sum both = exactSum(first.high, negate(k * kHalfPi[2]));
  Real low = first.low + both.low - k * kHalfPi[3];
  Real high = both.high + low;
  Value quadrant = arith::AndIOp::create(b, toInteger(clamp(k, 0x1p62)),
                                         b.integer(b.getI64Type(), int64_t(3)));
  // Beyond 2^20 the rest may not be one, but no sine is to be above 1.
  return {{clamp(high, 1), (both.high - high) + low}, quadrant};
}

Real sinOf(Sum r) {
  Real z = r.high * r.high;
  Real rest = polynomial(z, series(8, [](int n) {
                           return (n % 2 ? 1 : -1) / factorial(2 * n + 3);
                         }));
  return r.high + (r.high * z * rest + r.low * (1.0 - z * 0.5));
}

Real cosOf(Sum r) {
  Real z = r.high * r.high, half = z * 0.5;
  Real rest = polynomial(z, series(8, [](int n) {
                           return (n % 2 ? -1 : 1) / factorial(2 * n + 4);
                         }));
  Real first = 1.0 - half;
  return first + (((1.0 - first) - half) + (z * z * rest - r.high * r.low));
}

Value isQuadrant(Build &b, Value quadrant, int bit) {
  Type i64 = b.getI64Type();
  return arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, quadrant, b.integer(i64, int64_t(bit))),
      b.integer(i64, int64_t(0)));
}

Real buildSin(Real x) {
  Reduced angle = reduceAngle(x);
  Real y = select(isQuadrant(*x.b, angle.quadrant, 1), cosOf(angle.r),
                  sinOf(angle.r));
  return select(isQuadrant(*x.b, angle.quadrant, 2), negate(y), y);
}

Real buildCos(Real x) {
  Reduced angle = reduceAngle(x);
  Real y = select(isQuadrant(*x.b, angle.quadrant, 1), sinOf(angle.r),
                  cosOf(angle.r));
  // Negative in quadrants 1 and 2.
  Value isNegative =
      arith::XOrIOp::create(*x.b, isQuadrant(*x.b, angle.quadrant, 1),
                            isQuadrant(*x.b, angle.quadrant, 2));
  return select(isNegative, negate(y), y);
}

Real buildTan(Real x) {
  Reduced angle = reduceAngle(x);
  Real s = sinOf(angle.r), c = cosOf(angle.r);
  Value isTurned = isQuadrant(*x.b, angle.quadrant, 1);
  return select(isTurned, negate(c), s) / select(isTurned, s, c);
}

/// atan(t) for 0 <= t <= 1: atan(c) + atan((t - c) / (1 + t c)) for the nearest
/// quarter c.
Real atanOf(Real t) {
  constexpr double high[] = {0, 0.24497866312686414, 0.4636476090008061,
                             0.6435011087932844, 0.7853981633974483};
  constexpr double low[] = {0, 1.0698755618734451e-17, 2.2698777452961687e-17,
                            1.5834785051444286e-17, 3.061616997868383e-17};
  Real j = nearest(t * 4.0), c = j * 0.25;
  Real u = (t - c) / (t * c + 1.0), z = u * u;
  Real rest = polynomial(
      z, series(9, [](int n) { return (n % 2 ? 1.0 : -1.0) / (2 * n + 3); }));
  Real atC = real(t, 0), atCLow = real(t, 0);
  for (int i = 1; i <= 4; ++i) {
    atC = select(j == double(i), high[i], atC);
    atCLow = select(j == double(i), low[i], atCLow);
  }
  return atC + (u + (u * z * rest + atCLow));
}

Real halfPiMinus(Real x) {
  return 1.5707963267948966 - (x - 6.123233995736766e-17);
}

Real buildAtan(Real x) {
  Real a = abs(x);
  Value isLarge = a > 1.0;
  Real y = atanOf(select(isLarge, 1.0 / a, a));
  return copySign(select(isLarge, halfPiMinus(y), y), x);
}

Real buildAtan2(Real y, Real x) {
  Build &b = *x.b;
  Real ay = abs(y), ax = abs(x);
  Value isSteep = ay > ax;
  Real small = select(isSteep, ax, ay), large = select(isSteep, ay, ax);
  Real ratio = select(small == large, real(x, 1), small / large);
  ratio = select(small == 0.0, real(x, 0), ratio);
  Real angle = atanOf(ratio);
  angle = select(isSteep, halfPiMinus(angle), angle);
  Value isBack = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, toBits(x),
                                       b.integer(b.getI64Type(), int64_t(0)));
  angle = select(isBack, 3.141592653589793 - (angle - 1.2246467991473532e-16),
                 angle);
  return select(b.anyOf(x != x, y != y), x + y, copySign(angle, y));
}

Real buildAsin(Real x) { return buildAtan2(x, sqrt((1.0 - x) * (x + 1.0))); }

Real buildAcos(Real x) {
  return buildAtan2(sqrt(1.0 - x), sqrt(x + 1.0)) * 2.0;
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

/// exp(a) / 2, which may be finite where exp(a) is not.
Real halfExp(Real a) {
  Real root = buildExp(a * 0.5);
  return root * 0.5 * root;
}

Real buildSinh(Real x) {
  Real a = abs(x), e = buildExpm1(a);
  Real y = (e + e / (e + 1.0)) * 0.5;
  return copySign(select(a > 22, halfExp(a), y), x);
}

Real buildCosh(Real x) {
  Real a = abs(x), e = buildExp(a);
  return select(a > 22, halfExp(a), e * 0.5 + 0.5 / e);
}

Real buildTanh(Real x) {
  Real a = abs(x), t = buildExpm1(a * 2.0);
  return copySign(select(a > 22, real(x, 1), t / (t + 2.0)), x);
}

Real buildAsinh(Real x) {
  Real a = abs(x), square = a * a;
  Real y = buildLog1p(a + square / (sqrt(square + 1.0) + 1.0));
  return copySign(select(a > 0x1p28, buildLog(a) + 0.6931471805599453, y), x);
}

Real buildAcosh(Real x) {
  Real t = x - 1.0;
  Real y = buildLog1p(t + sqrt(t * 2.0 + t * t));
  y = select(x > 0x1p28, buildLog(x) + 0.6931471805599453, y);
  return select(x < 1.0, kNaN, y);
}

Real buildAtanh(Real x) {
  Real a = abs(x);
  return copySign(buildLog1p(a * 2.0 / (1.0 - a)) * 0.5, x);
}

//===----------------------------------------------------------------------===//
// The error function
//===----------------------------------------------------------------------===//

/// erfc(a) for a >= 1/2: exp(-a²) times a function that decays like 1 / a. Of
/// that times 1 + 2 a this is Chebyshev's interpolation in t = (a - 4) / (a +
/// 4) for a up to 30, computed with 60 digits.
Real erfcOf(Real a) {
  static const double coefficients[] = {
      1.2329951186255526,      -0.1396211168405625,     0.015379652102620043,
      0.06809705425469156,     -0.10103906603632538,    0.09373283499839574,
      -0.0663303658116361,     0.037167515536650673,    -0.016197734066161124,
      0.005031969985749386,    -0.0007577732175576844,  -0.0001992567341784083,
      0.00015062129578586887,  -2.4399110919686946e-05, -1.1220708058408625e-05,
      5.70966570590241e-06,    2.9078700506626584e-07,  -8.258141643963965e-07,
      7.914672182901261e-08,   1.1132915164188181e-07,  -2.216556462933009e-08,
      -1.5896966791340537e-08, 4.1538457710091525e-09,  2.5618829287704687e-09,
      -5.989810295348244e-10,  -4.452017390162742e-10,  3.073691182403743e-11,
      5.7642411456437167e-11,  9.893069567785203e-12};
  Real x = select(a > 30, real(a, 30), a);
  Real scaled = polynomial((x - 4.0) / (x + 4.0), coefficients);
  Sum square = exactProduct(x, x);
  Real decay = expOf({negate(square.high), negate(square.low)});
  return decay * (scaled / (x * 2.0 + 1.0));
}

/// erf(x) for |x| <= 1/2.
Real erfOf(Real x) {
  Real rest =
      polynomial(x * x, series(13, [](int n) {
                   return (n % 2 ? 1 : -1) / (factorial(n + 1) * (2 * n + 3));
                 }));
  return (x + x * (x * x) * rest) * 1.1283791670955126;
}

Real buildErf(Real x) {
  Real a = abs(x);
  Real y = select(a > 0.5, 1.0 - erfcOf(a), erfOf(a));
  return copySign(select(x != x, x, y), x);
}

Real buildErfc(Real x) {
  Real a = abs(x), far = erfcOf(a);
  far = select(x < 0.0, 2.0 - far, far);
  return select(x != x, x, select(a > 0.5, far, 1.0 - erfOf(x)));
}

//===----------------------------------------------------------------------===//
// The remainder
//===----------------------------------------------------------------------===//

/// The exponent of x > 0, also of a subnormal one.
Real exponentOf(Real x) {
  Decomposed parts = decompose(x);
  return select(parts.f < 0.0, parts.k - 1.0, parts.k);
}

/// By subtracting from |x| a multiple below 2^21 of |y| 2^n, until less than
/// |y| is left. With both parts of |y| 2^n the products are exact, and so are
/// the differences, as each is a multiple of the last digit of |y| 2^n.
Real buildFmod(Real x, Real y) {
  Build &b = *x.b;
  Real a = abs(x), d = abs(y);
  Value isDefined = b.allOf(a < kInfinity, d > 0.0);
  // A number below d ends the loop at once.
  Real start = select(isDefined, a, real(x, 0));
  auto loop = scf::WhileOp::create(
      b, TypeRange{x.v.getType()}, ValueRange{start.v},
      [&](OpBuilder &, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(values[0].getParentBlock());
        Real rest = {&b, values[0]};
        Value goesOn = arith::CmpFOp::create(b, P::OGE, rest.v, d.v);
        scf::ConditionOp::create(b, goesOn, values);
      },
      [&](OpBuilder &, Location, ValueRange values) {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(values[0].getParentBlock());
        Real rest = {&b, values[0]};
        Real n = exponentOf(rest) - exponentOf(d) - 19.0;
        n = select(n < 0.0, real(n, 0), n);
        Real half = truncate(n * 0.5);
        Real step = scale(scale(d, half), n - half);
        Real quotient = truncate(rest / step), high = upperHalf(step);
        rest = (rest - quotient * high) - quotient * (step - high);
        // A quotient just below a whole number is rounded up to it.
        rest = select(rest < 0.0, rest + step, rest);
        scf::YieldOp::create(b, rest.v);
      });
  Real rest = {&b, loop.getResult(0)};
  Real result = copySign(rest, x);
  result = select(b.allOf(isDefined, d == kInfinity), x, result);
  return select(isDefined, result,
                select(b.anyOf(x != x, y != y), x + y, real(x, kNaN)));
}

//===----------------------------------------------------------------------===//
// The fused multiply and add
//===----------------------------------------------------------------------===//

/// The sum, rounded to odd if it is not exact: a second rounding to fewer
/// digits is then as good as one.
Real roundToOdd(Sum x) {
  Build &b = *x.high.b;
  Type i64 = b.getI64Type();
  Value bits = toBits(x.high);
  auto isNegative = [&](Real y) { return y < 0.0; };
  Value goesDown =
      arith::XOrIOp::create(b, isNegative(x.low), isNegative(x.high));
  Value step = b.select(goesDown, b.integer(i64, int64_t(-1)),
                        b.integer(i64, int64_t(1)));
  Value isEven = arith::CmpIOp::create(
      b, arith::CmpIPredicate::eq,
      arith::AndIOp::create(b, bits, b.integer(i64, int64_t(1))),
      b.integer(i64, int64_t(0)));
  Value isInexact = b.compare(P::ONE, x.low.v, real(x.low, 0).v);
  Real odd = fromBits(b, arith::AddIOp::create(b, bits, step));
  return select(b.allOf(isInexact, isEven), odd, x.high);
}

/// For numbers of f32, whose product an f64 holds; to be rounded to f32.
Real buildFmaOfSingles(Real x, Real y, Real z) {
  return roundToOdd(exactSum(x * y, z));
}

/// Boldo and Melquiond, "Emulation of FMA and correctly rounded sums". Where
/// the product would overflow, or its low part underflow, everything is scaled.
Real buildFma(Real x, Real y, Real z) {
  Build &b = *x.b;
  Value isTiny = b.allOf(abs(x * y) < 0x1p-900, abs(z) < 0x1p-700);
  Value isHuge = abs(x * y) > 0x1p900;
  auto scaled = [&](Real value, double up, double down) {
    return select(isTiny, value * up, select(isHuge, value * down, value));
  };
  Sum product =
      exactProduct(scaled(x, 0x1p200, 0x1p-200), scaled(y, 0x1p200, 1));
  Sum lower = exactSum(scaled(z, 0x1p400, 0x1p-200), product.low);
  Sum upper = exactSum(product.high, lower.high);
  Real rest = roundToOdd(exactSum(lower.low, upper.low));
  Real result =
      select(isTiny, roundToOdd(exactSum(upper.high, rest)), upper.high + rest);
  result = scaled(result, 0x1p-400, 0x1p200);
  // Infinities, NaN, and the sum of zeros, which knows its sign.
  result = select(b.anyOf(result != result, result == 0.0), x * y + z, result);
  result = select(
      b.allOf(abs(z) == kInfinity, abs(x * y) > 0x1p900),
      select(b.anyOf(abs(x) == kInfinity, abs(y) == kInfinity), x * y + z, z),
      result);
  // A product that underflows keeps its sign.
  Value isProduct =
      b.allOf(z == 0.0, b.allOf(x != real(x, 0), y != real(x, 0)));
  return select(isProduct, x * y, result);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

struct Function {
  StringRef op;
  Real (*unary)(Real) = nullptr;
  Real (*binary)(Real, Real) = nullptr;
  /// Of a zero it is the same zero.
  bool keepsZero = false;
  Real (*ternary)(Real, Real, Real) = nullptr;
  /// For which width of floats, if not for both.
  unsigned width = 0;

  std::string name() const {
    return "tang_" + op.split('.').second.str() + (width == 32 ? "_f32" : "");
  }
  bool isFor(Operation *operation) const {
    Type type = operation->getResult(0).getType();
    return operation->getName().getStringRef() == op &&
           (!width || width == type.getIntOrFloatBitWidth());
  }
};

const Function functions[] = {
    {"math.exp", buildExp},
    {"math.exp2", buildExp2},
    {"math.expm1", buildExpm1, nullptr, true},
    {"math.log", buildLog},
    {"math.log2", buildLog2},
    {"math.log10", buildLog10},
    {"math.log1p", buildLog1p, nullptr, true},
    {"math.cbrt", buildCbrt, nullptr, true},
    {"math.powf", nullptr, buildPow},
    {"math.sin", buildSin, nullptr, true},
    {"math.cos", buildCos},
    {"math.tan", buildTan, nullptr, true},
    {"math.asin", buildAsin, nullptr, true},
    {"math.acos", buildAcos},
    {"math.atan", buildAtan, nullptr, true},
    {"math.atan2", nullptr, buildAtan2},
    {"math.sinh", buildSinh, nullptr, true},
    {"math.cosh", buildCosh},
    {"math.tanh", buildTanh, nullptr, true},
    {"math.asinh", buildAsinh, nullptr, true},
    {"math.acosh", buildAcosh},
    {"math.atanh", buildAtanh, nullptr, true},
    {"math.erf", buildErf, nullptr, true},
    {"math.erfc", buildErfc},
    {"arith.remf", nullptr, buildFmod},
    {"math.fma", nullptr, nullptr, false, buildFmaOfSingles, 32},
    {"math.fma", nullptr, nullptr, false, buildFma, 64},
};

func::FuncOp buildFunction(const Function &function, Operation *root) {
  MLIRContext *context = root->getContext();
  Build b(root->getLoc(), context);
  b.setInsertionPointToStart(&root->getRegion(0).front());
  unsigned arity = function.unary ? 1 : function.binary ? 2 : 3;
  SmallVector<Type> types(arity, b.getF64Type());
  auto result = func::FuncOp::create(b, function.name(),
                                     b.getFunctionType(types, b.getF64Type()));
  result.setPrivate();
  Block *body = result.addEntryBlock();
  b.setInsertionPointToStart(body);
  auto argument = [&](unsigned i) { return Real{&b, body->getArgument(i)}; };
  Real x = argument(0);
  Real y = function.unary    ? function.unary(x)
           : function.binary ? function.binary(x, argument(1))
                             : function.ternary(x, argument(1), argument(2));
  if (function.keepsZero)
    y = select(x == 0.0, x, y);
  func::ReturnOp::create(b, y.v);
  return result;
}

} // namespace

void mlir::tang::callMathLibrary(Operation *root) {
  SmallVector<std::pair<Operation *, const Function *>> calls;
  root->walk([&](Operation *op) {
    if (op->getNumResults() != 1)
      return;
    for (const Function &function : functions)
      if (function.isFor(op))
        calls.emplace_back(op, &function);
  });
  for (auto [op, function] : calls) {
    auto callee = cast_or_null<func::FuncOp>(
        SymbolTable::lookupSymbolIn(root, function->name()));
    if (!callee)
      callee = buildFunction(*function, root);
    Build b(op->getLoc(), op);
    Type type = op->getResult(0).getType();
    SmallVector<Value> arguments(op->getOperands());
    if (!type.isF64())
      for (Value &argument : arguments)
        argument = arith::ExtFOp::create(b, b.getF64Type(), argument);
    Value result = func::CallOp::create(b, callee, arguments).getResult(0);
    if (!type.isF64())
      result = arith::TruncFOp::create(b, type, result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }
}

void mlir::tang::approximateMath(Operation *root) {
  RewritePatternSet patterns(root->getContext());
  static const StringRef lacking[] = {"math.expm1", "math.log1p", "math.cbrt",
                                      "math.erf", "math.erfc"};
  populateMathPolynomialApproximationPatterns(patterns, [](StringRef name) {
    return llvm::is_contained(lacking, name);
  });
  (void)applyPatternsGreedily(root, std::move(patterns));
}
