//! Approximations that are made of the hardware's own, which are `fast::sin`, `cos`, `exp2`, `log2`, `tanh`, `rsqrt`, `recip`,
//! `sqrt` and `div`.

use super::vocabulary::*;

/// The sine: what `fast_math` makes of `x.sin()`, as the others here that are one builtin.
pub fn fast_sin(x: f32) -> f32 {
    fast::sin(x)
}

/// The cosine.
pub fn fast_cos(x: f32) -> f32 {
    fast::cos(x)
}

/// 2ˣ.
pub fn fast_exp2(x: f32) -> f32 {
    fast::exp2(x)
}

/// The logarithm to base 2.
pub fn fast_log2(x: f32) -> f32 {
    fast::log2(x)
}

/// The hyperbolic tangent.
pub fn fast_tanh(x: f32) -> f32 {
    fast::tanh(x)
}

/// 1/√x.
pub fn fast_rsqrt(x: f32) -> f32 {
    fast::rsqrt(x)
}

/// The logarithm to a base.
pub fn fast_log(x: f32, base: f32) -> f32 {
    fast::div(fast::log2(x), fast::log2(base))
}

/// The tangent, as a quotient.
pub fn fast_tan(x: f32) -> f32 {
    fast::div(fast::sin(x), fast::cos(x))
}

/// eˣ, by 2ˣ.
pub fn fast_exp(x: f32) -> f32 {
    fast::exp2(x * 1.442695)
}

/// 10ˣ, by 2ˣ.
pub fn fast_exp10(x: f32) -> f32 {
    fast::exp2(x * 3.321928)
}

/// The natural logarithm, by that to base 2.
pub fn fast_ln(x: f32) -> f32 {
    fast::log2(x) * 0.6931472
}

/// The logarithm to base 10, by that to base 2.
pub fn fast_log10(x: f32) -> f32 {
    fast::log2(x) * 0.30103
}

/// xʸ for x ≥ 0, by 2ˣ and the logarithm to base 2.
pub fn fast_powf(x: f32, y: f32) -> f32 {
    fast::exp2(y * fast::log2(x))
}

/// Sine and cosine.
pub fn fast_sin_cos(x: f32) -> (f32, f32) {
    (fast::sin(x), fast::cos(x))
}
