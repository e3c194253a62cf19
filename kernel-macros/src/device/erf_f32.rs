//! The error function and its complement for f32.

use super::exp_f32::*;
use super::scale::*;
use super::vocabulary::*;

/// erf x for |x| < 0.922.
pub fn erf_small_f32(x: f32) -> f32 {
    let z = x * x;
    let p = 8.320433e-05_f32;
    let p = p.mul_add(z, -0.000812906);
    let p = p.mul_add(z, 0.0051995935);
    let p = p.mul_add(z, -0.026858672);
    let p = p.mul_add(z, 0.11283678);
    let p = p.mul_add(z, -0.37612632);
    let p = p.mul_add(z, 0.12837917);
    p.mul_add(x, x)
}

/// The error function: a minimax polynomial (Sollya's `fpminimax`) around 0; beyond 0.92, 1 − e^q with a polynomial
/// q = ln erfc x, which is fitted with the weight erfc x.
pub fn erf_f32(x: f32) -> f32 {
    let a = x.abs();
    let r = if a < 0.921875 {
        erf_small_f32(a)
    } else {
        let a = if a > 3.925 { 3.925 } else { a };
        let p = 0.00019474208_f32;
        let p = p.mul_add(a, -0.003031676);
        let p = p.mul_add(a, 0.022181703);
        let p = p.mul_add(a, -0.10383955);
        let p = p.mul_add(a, -0.63728505);
        let p = p.mul_add(a, -1.1276159);
        let p = p.mul_add(a, -0.00020980633);
        1.0 - exp_f32(p)
    };
    r.copysign(x)
}

/// The complementary error function. For a = |x|, erfc a = e^(−a²) · (1 + h)/(1 + 2a), with h a minimax polynomial in
/// (a − 2)/(a + 2) (the transformation of Shepherd and Laframboise, *Chebyshev approximation of (1 + 2x)exp(x²)erfc x*,
/// 1981). The exponential takes in what a² loses to rounding, and its 1 is kept apart to the end. No input takes a path
/// of its own, so that lanes do not diverge.
pub fn erfc_f32(x: f32) -> f32 {
    let a = x.abs();
    let r = fast::recip_ftz(a + 2.0);
    let q = (a - 2.0) * r;
    // The residual of a − 2 = q(a + 2), without the sums' rounding.
    let residual = a.mul_add(-q, (q + 1.0).mul_add(-2.0, a));
    let q = residual.mul_add(r, q);
    let p = 7.9084144e-5_f32;
    let p = p.mul_add(q, 0.00016861671);
    let p = p.mul_add(q, -0.0004009231);
    let p = p.mul_add(q, -0.0014201204);
    let p = p.mul_add(q, 0.0012530504);
    let p = p.mul_add(q, 0.0087089045);
    let p = p.mul_add(q, -0.008030989);
    let p = p.mul_add(q, -0.054217804);
    let p = p.mul_add(q, 0.16405106);
    let p = p.mul_add(q, -0.16603053);
    let p = p.mul_add(q, -0.092763826);
    let p = p.mul_add(q, 0.27697837);
    // (1 + h)/(1 + 2a), with what the sum and the reciprocal lose added to h.
    let d = a + a;
    let d1 = d + 1.0;
    let d1_low = d - (d1 - 1.0);
    let r = fast::recip_ftz(d1);
    let h = p + d1_low.mul_add(-r, d1.mul_add(-r, 1.0));

    let square = a * a;
    let square_low = a.mul_add(a, -square);
    let k = square.mul_add(-1.442695, ROUND_F32);
    let n = (k.to_bits() as i32).wrapping_sub(ROUND_BITS_F32);
    let k = k - ROUND_F32;
    let f = k.mul_add(-0.693145752, -square);
    let f = k.mul_add(-1.42860677e-6, f) - square_low;
    let p = 0.0013783586_f32;
    let p = p.mul_add(f, 0.008368852);
    let p = p.mul_add(f, 0.041668955);
    let p = p.mul_add(f, 0.1666652);
    let p = p.mul_add(f, 0.4999999);
    let e = p.mul_add(f * f, f);
    // r·(1 + h)·(1 + e)
    let g = e.mul_add(h, h + e);
    let r = scale_f32(r.mul_add(g, r), n);
    let r = if a > 10.1 { 0.0 } else { r };
    if x < 0.0 { 2.0 - r } else { r }
}
