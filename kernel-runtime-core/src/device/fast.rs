//! The hardware's approximations of f32 functions: `fast::sin(x)` and its like.
//!
//! On a GPU each is an instruction or two; the bounds are those of the PTX manual. `exp2`, `recip` and `rsqrt`, and what is made of
//! these alone, have the same bits on the CPU, in the simulator and on GPUs of compute capability 9.0, where all arguments were compared.
//! The others are ordinary functions on the CPU: results differ within these bounds, and in the subnormal numbers where the table says so.
//!
//! | function | PTX | largest error |
//! |---|---|---|
//! | `sin`, `cos` | `sin.approx`, `cos.approx` | 2⁻²⁰·⁵ absolute for −π ≤ x ≤ π, growing beyond |
//! | `tan` | quotient of these | relative to the cosine, which loses all digits near its zeros |
//! | `exp2` | `ex2.approx` | 2 ulp and 2⁻²² relative |
//! | `exp2_ftz` | `ex2.approx.ftz` | likewise; 0 where the result is below 2⁻¹²⁶ |
//! | `exp` | `ex2.approx` of x·log₂ e | 2 ulp + ⌊1.173·\|x\|⌋ |
//! | `exp10` | `ex2.approx` of x·log₂ 10 | 2 ulp + ⌊2.95·\|x\|⌋ |
//! | `log2` | `lg2.approx` | 2⁻²² absolute for ½ < x < 2, else 2⁻²² relative |
//! | `ln`, `log10` | `lg2.approx` times a constant | likewise, times ln 2 or log₁₀ 2, and a rounding |
//! | `powf` | `ex2.approx` of y·`lg2.approx` x | that of both; NaN for x < 0 |
//! | `tanh` | `tanh.approx` (sm_75) | 2⁻¹¹ relative; subnormal results are kept |
//! | `sqrt` | `sqrt.approx` | 2⁻²³ relative |
//! | `rsqrt` | `rsqrt.approx` | 2⁻²²·⁹ relative |
//! | `recip` | `rcp.approx` | 1 ulp |
//! | `recip_ftz` | `rcp.approx.ftz` | likewise; 0 where the result is below 2⁻¹²⁶, infinite for subnormal numbers |
//! | `div` | `div.approx` | 2 ulp for 2⁻¹²⁶ ≤ \|b\| ≤ 2¹²⁶; beyond, 0 may come out |
//! | `saturate` | `cvt.sat` | none: x clamped to [0, 1], and 0 for NaN, by a modifier of the operation before it |

use ptx_sim::special_functions;

/// The sine.
#[doc(alias = "__sinf")]
pub fn sin(x: f32) -> f32 {
    x.sin()
}

/// The cosine.
#[doc(alias = "__cosf")]
pub fn cos(x: f32) -> f32 {
    x.cos()
}

/// The tangent.
#[doc(alias = "__tanf")]
pub fn tan(x: f32) -> f32 {
    x.tan()
}

/// eˣ.
#[doc(alias = "__expf")]
pub fn exp(x: f32) -> f32 {
    exp2(x * std::f32::consts::LOG2_E)
}

/// 2ˣ.
pub fn exp2(x: f32) -> f32 {
    special_functions::exp2(x)
}

/// 2ˣ, and 0 where that is below the normal numbers.
pub fn exp2_ftz(x: f32) -> f32 {
    special_functions::exp2_flushed(x)
}

/// 10ˣ.
#[doc(alias = "__exp10f")]
pub fn exp10(x: f32) -> f32 {
    exp2(x * std::f32::consts::LOG2_10)
}

/// The natural logarithm.
#[doc(alias = "__logf")]
pub fn ln(x: f32) -> f32 {
    x.ln()
}

/// The logarithm to base 2.
#[doc(alias = "__log2f")]
pub fn log2(x: f32) -> f32 {
    x.log2()
}

/// The logarithm to base 10.
#[doc(alias = "__log10f")]
pub fn log10(x: f32) -> f32 {
    x.log10()
}

/// The hyperbolic tangent.
pub fn tanh(x: f32) -> f32 {
    x.tanh()
}

/// The square root.
pub fn sqrt(x: f32) -> f32 {
    x.sqrt()
}

/// 1/√x.
#[doc(alias = "rsqrtf")]
pub fn rsqrt(x: f32) -> f32 {
    special_functions::reciprocal_root(x)
}

/// 1/x.
#[doc(alias = "__frcp_rn")]
pub fn recip(x: f32) -> f32 {
    special_functions::reciprocal(x)
}

/// 1/x; 0 where that is below the normal numbers, and an infinity where x is.
pub fn recip_ftz(x: f32) -> f32 {
    special_functions::reciprocal_flushed(x)
}

/// x clamped to [0, 1]; 0 for NaN.
#[doc(alias = "__saturatef")]
pub fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// Sine and cosine.
#[doc(alias = "__sincosf")]
pub fn sin_cos(x: f32) -> (f32, f32) {
    x.sin_cos()
}

/// xʸ for x ≥ 0.
#[doc(alias = "__powf")]
pub fn powf(x: f32, y: f32) -> f32 {
    if x < 0.0 { f32::NAN } else { x.powf(y) }
}

/// a/b.
#[doc(alias = "__fdividef")]
pub fn div(a: f32, b: f32) -> f32 {
    a / b
}
