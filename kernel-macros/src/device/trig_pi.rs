//! Sine and cosine of multiples of π, which need no reduction by π.

use super::exp_f32::*;
use super::exp_f64::*;
use super::trig_f32::*;
use super::trig_f64::*;

/// x modulo 2 as q/2 + f with |f| ≤ ¼, exact: (f·π, q). NaN for an infinity.
pub fn trig_pi_reduced_f32(x: f32) -> (f32, i32) {
    let turn = (x * 0.5).round_ties_even();
    let x = turn.mul_add(-2.0, x);
    let k = x.mul_add(2.0, ROUND_F32);
    let f = (k - ROUND_F32).mul_add(-0.5, x);
    // π in two parts.
    (f.mul_add(3.1415927, f * -8.742278e-8), k.to_bits() as i32)
}

/// sin πx. That of an integer is 0 with the integer's sign.
pub fn sinpi_f32(x: f32) -> f32 {
    let (r, q) = trig_pi_reduced_f32(x);
    let s = sin_quadrant_f32(r, q);
    if s == 0.0 { 0.0_f32.copysign(x) } else { s }
}

/// cos πx. Zeros are positive.
pub fn cospi_f32(x: f32) -> f32 {
    let (r, q) = trig_pi_reduced_f32(x);
    // Adding 0 makes +0 of −0.
    sin_quadrant_f32(r, q.wrapping_add(1)) + 0.0
}

/// x modulo 2 as q/2 + f with |f| ≤ ¼, exact: (f·π, q). NaN for an infinity.
pub fn trig_pi_reduced_f64(x: f64) -> (f64, i32) {
    let turn = (x * 0.5).round_ties_even();
    let x = turn.mul_add(-2.0, x);
    let k = x.mul_add(2.0, ROUND_F64);
    let f = (k - ROUND_F64).mul_add(-0.5, x);
    // π in two parts.
    (f.mul_add(3.141592653589793, f * 1.2246467991473532e-16), k.to_bits() as i32)
}

/// sin πx. That of an integer is 0 with the integer's sign.
pub fn sinpi_f64(x: f64) -> f64 {
    let (r, q) = trig_pi_reduced_f64(x);
    let s = sin_quadrant_f64(r, q);
    if s == 0.0 { 0.0_f64.copysign(x) } else { s }
}

/// cos πx. Zeros are positive.
pub fn cospi_f64(x: f64) -> f64 {
    let (r, q) = trig_pi_reduced_f64(x);
    // Adding 0 makes +0 of −0.
    sin_quadrant_f64(r, q.wrapping_add(1)) + 0.0
}
