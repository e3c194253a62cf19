//! `exp`, `exp2`, `exp10` and `exp_m1` for f32.
//!
//! All reduce by powers of two as in Cody and Waite, *Software Manual for the Elementary Functions* (1980), with the
//! rounding to an integer by adding 1.5 · 2²³. `exp`, `exp2` and `exp10` then take the power of two of the hardware, the others
//! evaluate a minimax polynomial (Sollya's `fpminimax`, after Brisebarre and Chevillard) by Horner's rule.

use super::scale::*;
use super::vocabulary::*;

/// Adding it rounds a float below 2²² in size to an integer, which its low bits then hold.
pub const ROUND_F32: f32 = 12582912.0;
/// The greatest sum with it: powers of two beyond 2¹²⁸ are infinite anyway, and times the polynomial, which only grows, so is the result.
pub const MOST_F32: f32 = 12583162.0;
/// The bits of [`ROUND_F32`]: a multiple of 2²², so they do not count in the exponent of a power of two.
pub const ROUND_BITS_F32: i32 = 0x4b400000;

/// eˣ/2 for −104 ≤ x, NaN for NaN; anything below. It is finite where eˣ just overflows.
pub fn half_exp_f32(x: f32) -> f32 {
    let k = x.mul_add(1.442695, ROUND_F32).min(MOST_F32);
    let bits = k.to_bits() as i32;
    let k = k - ROUND_F32;
    // ln 2 in two parts: k times the first, of 17 bits, is exact.
    let f = k.mul_add(-0.693145752, x);
    let f = k.mul_add(-1.42860677e-6, f);
    let p = 0.0013783586_f32;
    let p = p.mul_add(f, 0.008368852);
    let p = p.mul_add(f, 0.041668955);
    let p = p.mul_add(f, 0.1666652);
    let p = p.mul_add(f, 0.4999999);
    let p = p.mul_add(f, 1.0);
    let p = p.mul_add(f, 1.0);
    scale_f32(p, bits.wrapping_sub(1))
}

/// 2^(log · x) for a logarithm in two parts, `ratio` its 252nd part.
///
/// The exponent is split in n and a fraction above it, n from −126 to 126 by saturation: beyond, the fraction leaves its range, and
/// its power of two overflows, or leaves a subnormal result to the product.
pub fn exp_by_exp2_f32(x: f32, ratio: f32, log: f32, log_low: f32) -> f32 {
    // 0.49801588 is a half less half a step, so that rounding to nearest rounds n down; the low bits of the sum are n + 127.
    let k = fast::saturate(x.mul_add(ratio, 0.49801588)).mul_add(252.0, 12582913.0);
    let f = x.mul_add(log, 12583039.0 - k);
    let f = x.mul_add(log_low, f);
    fast::exp2_ftz(f) * f32::from_bits(k.to_bits().wrapping_shl(23))
}

/// eˣ.
pub fn exp_f32(x: f32) -> f32 {
    exp_by_exp2_f32(x, 0.005724980, 1.442695, 1.925963e-8)
}

/// 2ˣ.
pub fn exp2_f32(x: f32) -> f32 {
    fast::exp2(x)
}

/// 10ˣ.
pub fn exp10_f32(x: f32) -> f32 {
    exp_by_exp2_f32(x, 0.013182254, 3.321928, 7.059537e-8)
}

/// eˣ − 1.
pub fn exp_m1_f32(x: f32) -> f32 {
    let k = x.mul_add(1.442695, ROUND_F32);
    // No reduction up to 0.42, so that 2ⁿ(1 + p) − 1 does not cancel below a half.
    let k = if x.abs() < 0.42 { ROUND_F32 } else { k };
    let n = (k.to_bits() as i32).wrapping_sub(ROUND_BITS_F32);
    let k = k - ROUND_F32;
    let f = k.mul_add(-0.693145752, x);
    let f = k.mul_add(-1.42860677e-6, f);
    let p = 0.00019827846_f32;
    let p = p.mul_add(f, 0.0013954396);
    let p = p.mul_add(f, 0.00833349);
    let p = p.mul_add(f, 0.041666266);
    let p = p.mul_add(f, 0.16666666);
    let p = p.mul_add(f, 0.5);
    // Adding 0 turns −0 into 0, so that the next product and sum keep the sign of a zero.
    let p = p.mul_add(f, 0.0);
    let p = p.mul_add(f, f);
    // At half its size, since 2¹²⁸ overflows.
    let half = pow2_f32(n.wrapping_sub(1));
    let r = p.mul_add(half, half - 0.5);
    let r = if n == 0 { p } else { r + r };
    let r = if x < -25.0 { -1.0 } else { r };
    if x > 89.0 { f32::INFINITY } else { r }
}
