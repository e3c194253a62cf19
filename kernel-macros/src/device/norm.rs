//! Reciprocal roots and lengths.

use super::vocabulary::*;

/// 1/√x.
pub fn rsqrt_f32(x: f32) -> f32 {
    fast::rsqrt(x)
}

/// 1/√x.
pub fn rsqrt_f64(x: f64) -> f64 {
    x.sqrt().recip()
}

/// √(x² + y² + z²), scaled where a square would leave the range.
pub fn norm3d_f32(x: f32, y: f32, z: f32) -> f32 {
    let high = x.abs().max(y.abs()).max(z.abs());
    let big = high > 1.1529215e18;
    let small = high < 8.673617e-19;
    // 2⁹⁰ and 2⁻⁷⁰
    let down = if small { 1.2379401e27 } else { 1.0 };
    let down = if big { 8.4703295e-22 } else { down };
    let up = if small { 8.0779357e-28 } else { 1.0 };
    let up = if big { 1.1805916e21 } else { up };
    let a = x * down;
    let b = y * down;
    let c = z * down;
    let r = a.mul_add(a, b.mul_add(b, c * c)).sqrt() * up;
    let r = if x.is_nan() || y.is_nan() || z.is_nan() { f32::NAN } else { r };
    if high == f32::INFINITY { high } else { r }
}

/// √(x² + y² + z²), scaled where a square would leave the range.
pub fn norm3d_f64(x: f64, y: f64, z: f64) -> f64 {
    let high = x.abs().max(y.abs()).max(z.abs());
    let big = high > 3.273390607896142e150;
    let small = high < 3.054936363499605e-151;
    // 2⁷⁰⁰ and 2⁻⁷⁰⁰
    let down = if small { 5.260135901548374e210 } else { 1.0 };
    let down = if big { 1.90109156629516e-211 } else { down };
    let up = if small { 1.90109156629516e-211 } else { 1.0 };
    let up = if big { 5.260135901548374e210 } else { up };
    let a = x * down;
    let b = y * down;
    let c = z * down;
    let r = a.mul_add(a, b.mul_add(b, c * c)).sqrt() * up;
    let r = if x.is_nan() || y.is_nan() || z.is_nan() { f64::NAN } else { r };
    if high == f64::INFINITY { high } else { r }
}
