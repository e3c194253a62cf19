//! The approximate instructions that no model of the hardware is known of: computed in f64 and rounded once, which is inside every
//! bound that the manual gives. [`special_functions`](super::special_functions) has the others.

use super::float::Float;

/// `sin.approx.f32`: NaN for infinities.
pub(crate) fn sine(x: f32) -> f32 {
    (f64::from(x).sin() as f32).canonical()
}

/// `cos.approx.f32`: NaN for infinities.
pub(crate) fn cosine(x: f32) -> f32 {
    (f64::from(x).cos() as f32).canonical()
}

/// `lg2.approx.f32`: −∞ for zeros, NaN below them.
pub(crate) fn log2(x: f32) -> f32 {
    (f64::from(x).log2() as f32).canonical()
}

/// `tanh.approx.f32`
pub(crate) fn tanh(x: f32) -> f32 {
    (f64::from(x).tanh() as f32).canonical()
}

/// Keeps the upper word: the f64 approximations compute and return nothing below it (PTX ISA, `rcp.approx.ftz.f64`).
fn upper_word(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & 0xffff_ffff_0000_0000)
}

/// `rcp.approx.ftz.f64`
pub(crate) fn reciprocal64(x: f64) -> f64 {
    upper_word((1.0 / upper_word(x).flush()).flush()).canonical()
}

/// `rsqrt.approx.ftz.f64`
pub(crate) fn reciprocal_root64(x: f64) -> f64 {
    upper_word((1.0 / upper_word(x).flush().sqrt()).flush()).canonical()
}
