//! Exact functions, and those that Rust defines by them: rounding, signs, neighbours, midpoints, degrees.

use super::scale::*;

/// The nearest integer, halves away from zero.
pub fn round_f32(x: f32) -> f32 {
    let t = x.trunc();
    let r = if (x - t).abs() >= 0.5 { t + 1.0_f32.copysign(x) } else { t };
    r.copysign(x)
}

/// The nearest integer, halves away from zero.
pub fn round_f64(x: f64) -> f64 {
    let t = x.trunc();
    let r = if (x - t).abs() >= 0.5 { t + 1.0_f64.copysign(x) } else { t };
    r.copysign(x)
}

/// The fraction that truncation removes.
pub fn fract_f32(x: f32) -> f32 {
    x - x.trunc()
}

/// The fraction that truncation removes.
pub fn fract_f64(x: f64) -> f64 {
    x - x.trunc()
}

/// 1 with the sign of x, NaN for NaN.
pub fn signum_f32(x: f32) -> f32 {
    if x.is_nan() { x } else { 1.0_f32.copysign(x) }
}

/// 1 with the sign of x, NaN for NaN.
pub fn signum_f64(x: f64) -> f64 {
    if x.is_nan() { x } else { 1.0_f64.copysign(x) }
}

/// Radians to degrees.
pub fn to_degrees_f32(x: f32) -> f32 {
    x * 57.29578
}

/// Radians to degrees.
pub fn to_degrees_f64(x: f64) -> f64 {
    x * (180.0 / 3.141592653589793)
}

/// Degrees to radians.
pub fn to_radians_f32(x: f32) -> f32 {
    x * (3.1415927 / 180.0)
}

/// Degrees to radians.
pub fn to_radians_f64(x: f64) -> f64 {
    x * (3.141592653589793 / 180.0)
}

/// The least number above.
pub fn next_up_f32(x: f32) -> f32 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fffffff;
    let next = if magnitude == bits { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let next = if magnitude == 0 { 1 } else { next };
    // NaN and +∞ stay.
    if x < f32::INFINITY { f32::from_bits(next) } else { x }
}

/// The greatest number below.
pub fn next_down_f32(x: f32) -> f32 {
    -next_up_f32(-x)
}

/// Returns true if the sign bit is set.
pub fn is_sign_negative_f32(x: f32) -> bool {
    (x.to_bits() >> 31) != 0
}

/// Returns true if the sign bit is clear.
pub fn is_sign_positive_f32(x: f32) -> bool {
    (x.to_bits() >> 31) == 0
}

/// Returns true if the number is neither zero, subnormal, infinite nor NaN.
pub fn is_normal_f32(x: f32) -> bool {
    x.abs() >= f32::MIN_POSITIVE && x.abs() < f32::INFINITY
}

/// Returns true if the number is subnormal.
pub fn is_subnormal_f32(x: f32) -> bool {
    x.abs() < f32::MIN_POSITIVE && x != 0.0
}

/// The least number above.
pub fn next_up_f64(x: f64) -> f64 {
    let bits = x.to_bits();
    let magnitude = bits & 0x7fffffffffffffff;
    let next = if magnitude == bits { bits.wrapping_add(1) } else { bits.wrapping_sub(1) };
    let next = if magnitude == 0 { 1 } else { next };
    // NaN and +∞ stay.
    if x < f64::INFINITY { f64::from_bits(next) } else { x }
}

/// The greatest number below.
pub fn next_down_f64(x: f64) -> f64 {
    -next_up_f64(-x)
}

/// Returns true if the sign bit is set.
pub fn is_sign_negative_f64(x: f64) -> bool {
    (x.to_bits() >> 63) != 0
}

/// Returns true if the sign bit is clear.
pub fn is_sign_positive_f64(x: f64) -> bool {
    (x.to_bits() >> 63) == 0
}

/// Returns true if the number is neither zero, subnormal, infinite nor NaN.
pub fn is_normal_f64(x: f64) -> bool {
    x.abs() >= f64::MIN_POSITIVE && x.abs() < f64::INFINITY
}

/// Returns true if the number is subnormal.
pub fn is_subnormal_f64(x: f64) -> bool {
    x.abs() < f64::MIN_POSITIVE && x != 0.0
}

/// The middle of two numbers, rounded once.
pub fn midpoint_f32(a: f32, b: f32) -> f32 {
    ((a as f64 + b as f64) * 0.5) as f32
}

/// The middle of two numbers, rounded once; halved before the sum where that would overflow.
pub fn midpoint_f64(a: f64, b: f64) -> f64 {
    let half = f64::MAX * 0.5;
    if a.abs() <= half && b.abs() <= half { (a + b) * 0.5 } else { a.mul_add(0.5, b * 0.5) }
}

/// x · 2ⁿ, rounded once.
pub fn ldexp_f32(x: f32, n: i32) -> f32 {
    (x as f64 * pow2_f64(n.clamp(-300, 300))) as f32
}

/// x · 2ⁿ, rounded once: the steps before the last keep all bits.
pub fn ldexp_f64(x: f64, n: i32) -> f64 {
    let n = n.clamp(-2200, 2200);
    // 2¹⁰²³, or 2⁻⁹⁶⁹, which is 53 bits short of the least normal number.
    let large = n > 1023;
    let small = n < -1022;
    let step = if large {
        1023
    } else if small {
        -969
    } else {
        0
    };
    let x = x * pow2_f64(step);
    let n = n.wrapping_sub(step);
    let again = if n > 1023 {
        1023
    } else if n < -1022 {
        -969
    } else {
        0
    };
    let x = x * pow2_f64(again);
    let n = n.wrapping_sub(again).clamp(-1022, 1023);
    x * pow2_f64(n)
}
