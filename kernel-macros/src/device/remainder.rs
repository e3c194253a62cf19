//! Exact remainders of floats: Rust's `%`, and what it defines by it.

use super::scale::*;

/// The biased exponent of a positive number, as if the subnormal ones were normalised.
pub fn biased_exponent_f32(a: f32) -> i32 {
    let tiny = a < f32::MIN_POSITIVE;
    let normal = if tiny { a * 16777216.0 } else { a };
    let e = (normal.to_bits() >> 23) as i32;
    if tiny { e.wrapping_sub(24) } else { e }
}

/// The biased exponent of a positive number, as if the subnormal ones were normalised.
pub fn biased_exponent_f64(a: f64) -> i32 {
    let tiny = a < f64::MIN_POSITIVE;
    let normal = if tiny { a * 18014398509481984.0 } else { a };
    let e = (normal.to_bits() >> 52) as i32;
    if tiny { e.wrapping_sub(54) } else { e }
}

/// a − ⌊a/b⌋·b, exact, for a ≥ 0 and b > 0 finite, a/b < 2²³. The rounded quotient is at most 1 too large, and the
/// difference a multiple of b's last place no larger than b, so the fused operation does not round.
pub fn rem_step_f32(a: f32, b: f32) -> f32 {
    let r = b.mul_add(-(a / b).trunc(), a);
    if r < 0.0 { r + b } else { r }
}

/// a − ⌊a/b⌋·b, exact, for a ≥ 0 and b > 0 finite, a/b < 2⁵². The rounded quotient is at most 1 too large, and the
/// difference a multiple of b's last place no larger than b, so the fused operation does not round.
pub fn rem_step_f64(a: f64, b: f64) -> f64 {
    let r = b.mul_add(-(a / b).trunc(), a);
    if r < 0.0 { r + b } else { r }
}

/// The remainder of the truncated division, Rust's `%`: exact. A large quotient is taken off 22 bits at a time.
pub fn rem_f32(x: f32, y: f32) -> f32 {
    let b = y.abs();
    let mut a = x.abs();
    if !(a < f32::INFINITY && b > 0.0) {
        return f32::NAN;
    }
    if b == f32::INFINITY {
        return x;
    }
    // The product may overflow to infinity, which no a exceeds.
    while a > b * 4194304.0 {
        let n = biased_exponent_f32(a).wrapping_sub(biased_exponent_f32(b)).wrapping_sub(22);
        a = rem_step_f32(a, scale_f32(b, n));
    }
    rem_step_f32(a, b).copysign(x)
}

/// The remainder of the truncated division, Rust's `%`: exact. A large quotient is taken off 51 bits at a time.
pub fn rem_f64(x: f64, y: f64) -> f64 {
    let b = y.abs();
    let mut a = x.abs();
    if !(a < f64::INFINITY && b > 0.0) {
        return f64::NAN;
    }
    if b == f64::INFINITY {
        return x;
    }
    // The product may overflow to infinity, which no a exceeds.
    while a > b * 2251799813685248.0 {
        let n = biased_exponent_f64(a).wrapping_sub(biased_exponent_f64(b)).wrapping_sub(51);
        a = rem_step_f64(a, scale_f64(b, n));
    }
    rem_step_f64(a, b).copysign(x)
}

/// The least non-negative remainder, as Rust defines it.
pub fn rem_euclid_f32(x: f32, y: f32) -> f32 {
    let r = rem_f32(x, y);
    if r < 0.0 { r + y.abs() } else { r }
}

/// The least non-negative remainder, as Rust defines it.
pub fn rem_euclid_f64(x: f64, y: f64) -> f64 {
    let r = rem_f64(x, y);
    if r < 0.0 { r + y.abs() } else { r }
}

/// The quotient to [`rem_euclid_f32`], as Rust defines it.
pub fn div_euclid_f32(x: f32, y: f32) -> f32 {
    let q = (x / y).trunc();
    if rem_f32(x, y) < 0.0 { if y > 0.0 { q - 1.0 } else { q + 1.0 } } else { q }
}

/// The quotient to [`rem_euclid_f64`], as Rust defines it.
pub fn div_euclid_f64(x: f64, y: f64) -> f64 {
    let q = (x / y).trunc();
    if rem_f64(x, y) < 0.0 { if y > 0.0 { q - 1.0 } else { q + 1.0 } } else { q }
}
