//! `sinh`, `cosh`, `tanh` and their inverses for f32.
//!
//! Minimax polynomials (Sollya's `fpminimax`) around 0, exponentials beyond; the inverses by their logarithms, in the
//! forms that lose nothing near 0 (Kahan, *Branch cuts for complex elementary functions*, 1987).

use super::exp_f32::*;
use super::log_f32::*;
use super::vocabulary::*;

/// The hyperbolic sine.
pub fn sinh_f32(x: f32) -> f32 {
    let a = x.abs();
    let r = if a < 1.0 {
        let z = a * a;
        let p = 2.789984e-06_f32;
        let p = p.mul_add(z, 0.00019841666);
        let p = p.mul_add(z, 0.008333315);
        let p = p.mul_add(z, 0.16666667);
        let p = p * z;
        p.mul_add(a, a)
    } else {
        let e = half_exp_f32(a);
        let e = if a > 90.0 { f32::INFINITY } else { e };
        fast::recip_ftz(e).mul_add(-0.25, e)
    };
    r.copysign(x)
}

/// The hyperbolic cosine.
pub fn cosh_f32(x: f32) -> f32 {
    let a = x.abs();
    let e = half_exp_f32(a);
    let e = if a > 90.0 { f32::INFINITY } else { e };
    fast::recip_ftz(e).mul_add(0.25, e)
}

/// The hyperbolic tangent.
pub fn tanh_f32(x: f32) -> f32 {
    let a = x.abs();
    let r = if a < 0.6 {
        let z = a * a;
        let p = -0.006263359_f32;
        let p = p.mul_add(z, 0.021063004);
        let p = p.mul_add(z, -0.05384986);
        let p = p.mul_add(z, 0.13332558);
        let p = p.mul_add(z, -0.33333316);
        let p = p * z;
        p.mul_add(a, a)
    } else {
        // 1 − 2/(e²ᵃ + 1), which is 1 where the power is infinite.
        fast::recip_ftz(fast::exp2_ftz(a * 2.88539) + 1.0).mul_add(-2.0, 1.0)
    };
    r.copysign(x)
}

/// The inverse hyperbolic sine: ln(x + √(x² + 1)).
pub fn asinh_f32(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 1e9;
    let z = a * a;
    let t = z.mul_add(fast::recip_ftz(1.0 + (1.0 + z).sqrt()), a);
    let r = ln_1p_f32(if large { a } else { t });
    let r = if large { r + 0.6931472 } else { r };
    r.copysign(x)
}

/// The inverse hyperbolic cosine: ln(x + √(x² − 1)).
pub fn acosh_f32(x: f32) -> f32 {
    let large = x > 1e9;
    let t = x - 1.0;
    let q = t.mul_add(t, t + t).sqrt();
    let s = q + t;
    let low = (q - s) + t;
    let r = ln_1p_sum_f32(if large { x } else { s }, if large { 0.0 } else { low });
    let r = if large { r + 0.6931472 } else { r };
    if x >= 1.0 { r } else { f32::NAN }
}

/// The inverse hyperbolic tangent: ½·ln((1 + x)/(1 − x)).
pub fn atanh_f32(x: f32) -> f32 {
    let a = x.abs();
    // 2a/(1 − a) as 2a + 2a²/(1 − a).
    let b = a + a;
    let t = (b * fast::recip_ftz(1.0 - a)).mul_add(a, b);
    let r = if a > 1.0 { f32::NAN } else { 0.5 * ln_1p_f32(t) };
    r.copysign(x)
}
