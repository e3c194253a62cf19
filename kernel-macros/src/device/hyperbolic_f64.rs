//! `sinh`, `cosh`, `tanh` and their inverses for f64: as for f32, with longer polynomials.

use super::exp_f64::*;
use super::log_f64::*;

/// The hyperbolic sine.
pub fn sinh_f64(x: f64) -> f64 {
    let a = x.abs();
    let r = if a < 1.0 {
        let z = a * a;
        let p = 7.76592274478511e-13_f64;
        let p = p.mul_add(z, 1.605699978759014e-10);
        let p = p.mul_add(z, 2.5052126863862458e-08);
        let p = p.mul_add(z, 2.7557319130344088e-06);
        let p = p.mul_add(z, 0.0001984126984153126);
        let p = p.mul_add(z, 0.00833333333333297);
        let p = p.mul_add(z, 0.16666666666666669);
        let p = p * z;
        p.mul_add(a, a)
    } else {
        let e = exp_scaled_f64(a, -1);
        let e = if a > 711.0 { f64::INFINITY } else { e };
        e.recip().mul_add(-0.25, e)
    };
    r.copysign(x)
}

/// The hyperbolic cosine.
pub fn cosh_f64(x: f64) -> f64 {
    let a = x.abs();
    let e = exp_scaled_f64(a, -1);
    let e = if a > 711.0 { f64::INFINITY } else { e };
    e.recip().mul_add(0.25, e)
}

/// The hyperbolic tangent.
pub fn tanh_f64(x: f64) -> f64 {
    let a = x.abs();
    let r = if a < 0.55 {
        let z = a * a;
        let p = -1.9489369641734965e-05_f64;
        let p = p.mul_add(z, 8.330794778481388e-05);
        let p = p.mul_add(z, -0.00023337570599403826);
        let p = p.mul_add(z, 0.0005884422062852672);
        let p = p.mul_add(z, -0.0014555422954646503);
        let p = p.mul_add(z, 0.0035920919451859403);
        let p = p.mul_add(z, -0.008863232592963715);
        let p = p.mul_add(z, 0.02186948838533029);
        let p = p.mul_add(z, -0.05396825396374161);
        let p = p.mul_add(z, 0.13333333333326586);
        let p = p.mul_add(z, -0.333333333333333);
        let p = p * z;
        p.mul_add(a, a)
    } else {
        let a = if a > 20.0 { 20.0 } else { a };
        let e = exp_scaled_f64(a + a, 0);
        (e + 1.0).recip().mul_add(-2.0, 1.0)
    };
    r.copysign(x)
}

/// The inverse hyperbolic sine: ln(x + √(x² + 1)).
pub fn asinh_f64(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 1e18;
    let z = a * a;
    let t = z.mul_add((1.0 + (1.0 + z).sqrt()).recip(), a);
    let r = ln_1p_f64(if large { a } else { t });
    let r = if large { r + 0.6931471805599453 } else { r };
    r.copysign(x)
}

/// The inverse hyperbolic cosine: ln(x + √(x² − 1)).
pub fn acosh_f64(x: f64) -> f64 {
    let large = x > 1e18;
    let t = x - 1.0;
    let q = t.mul_add(t, t + t).sqrt();
    let s = q + t;
    let low = (q - s) + t;
    let r = ln_1p_sum_f64(if large { x } else { s }, if large { 0.0 } else { low });
    let r = if large { r + 0.6931471805599453 } else { r };
    if x >= 1.0 { r } else { f64::NAN }
}

/// The inverse hyperbolic tangent: ½·ln((1 + x)/(1 − x)).
pub fn atanh_f64(x: f64) -> f64 {
    let a = x.abs();
    // 2a/(1 − a) as 2a + 2a²/(1 − a).
    let b = a + a;
    let t = (b * (1.0 - a).recip()).mul_add(a, b);
    let r = if a > 1.0 { f64::NAN } else { 0.5 * ln_1p_f64(t) };
    r.copysign(x)
}
