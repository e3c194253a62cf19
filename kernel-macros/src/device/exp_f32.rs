//! `exp`, `exp2`, `exp10` and `exp_m1` for f32.
//!
//! All reduce by powers of two as in Cody and Waite, *Software Manual for the Elementary Functions* (1980), with the
//! rounding to an integer by adding 1.5 · 2²³, and evaluate a minimax polynomial (Sollya's `fpminimax`, after Brisebarre
//! and Chevillard) by Horner's rule.

use super::scale::*;

/// Adding it rounds a float below 2²² in size to an integer, which its low bits then hold.
pub const ROUND_F32: f32 = 12582912.0;
/// The greatest sum with it: powers of two beyond 2¹²⁸ are infinite anyway, and times the polynomial, which only grows, so is the result.
pub const MOST_F32: f32 = 12583162.0;
/// The bits of [`ROUND_F32`]: a multiple of 2²², so they do not count in the exponent of a power of two.
pub const ROUND_BITS_F32: i32 = 0x4b400000;

/// eˣ · 2ˢ for −104 ≤ x and a small s, NaN for NaN; anything below.
pub fn exp_scaled_f32(x: f32, shift: i32) -> f32 {
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
    scale_f32(p, bits.wrapping_add(shift))
}

/// eˣ.
pub fn exp_f32(x: f32) -> f32 {
    let r = exp_scaled_f32(x, 0);
    if x < -104.0 { 0.0 } else { r }
}

/// 2ˣ.
pub fn exp2_f32(x: f32) -> f32 {
    let k = (x + ROUND_F32).min(MOST_F32);
    let f = x - (k - ROUND_F32);
    let p = 0.00015241285_f32;
    let p = p.mul_add(f, 0.0013391302);
    let p = p.mul_add(f, 0.009618834);
    let p = p.mul_add(f, 0.05550359);
    let p = p.mul_add(f, 0.24022645);
    let p = p.mul_add(f, 0.6931472);
    let p = p.mul_add(f, 1.0);
    let r = scale_f32(p, k.to_bits() as i32);
    if x < -151.0 { 0.0 } else { r }
}

/// 10ˣ.
pub fn exp10_f32(x: f32) -> f32 {
    let k = x.mul_add(3.321928, ROUND_F32).min(MOST_F32);
    let bits = k.to_bits() as i32;
    let k = k - ROUND_F32;
    // log₁₀ 2 in two parts: k times the first, of 14 bits, is exact.
    let f = k.mul_add(-0.30102539, x);
    let f = k.mul_add(-4.6050390e-6, f);
    let p = 0.20540382_f32;
    let p = p.mul_add(f, 0.5418517);
    let p = p.mul_add(f, 1.1713228);
    let p = p.mul_add(f, 2.0346556);
    let p = p.mul_add(f, 2.6509485);
    let p = p.mul_add(f, 2.3025851);
    let p = p.mul_add(f, 1.0);
    let r = scale_f32(p, bits);
    if x < -45.5 { 0.0 } else { r }
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
