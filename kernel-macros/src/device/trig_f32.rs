//! `sin`, `cos` and `tan` for f32.
//!
//! x = q·π/2 + r with |r| ≤ π/4: by Cody and Waite's method in three parts of π/2, each rounded down (so that zeros keep their signs), and fused operations up to
//! [`TRIG_LARGE_F32`], by Payne and Hanek's beyond. Then minimax polynomials (Sollya's `fpminimax`) in r. Sine and cosine
//! select the coefficients instead of computing both, so that warps do not diverge.

use super::exp_f32::*;
use super::payne_hanek::*;
use super::vocabulary::*;

/// Up to here the three-part reduction holds.
pub const TRIG_LARGE_F32: f32 = 71476.0;

/// ±r of [`payne_hanek_f32`]'s result and x's sign, and what it is short of the exact one.
pub fn trig_remainder_f32(p: u64, x: f32) -> (f32, f32) {
    let f = (p << 2) as i64 >> 2;
    // To about 48 bits, then by π/2 · 2⁻⁶².
    let high = f as f32;
    let low = f.wrapping_sub(high as i64) as f32;
    let rest = high.mul_add(-9.4783964e-27, low * 3.4061217e-19);
    let r = high.mul_add(3.4061217e-19, rest);
    let r_low = high.mul_add(3.4061217e-19, -r) + rest;
    if x < 0.0 { (-r, -r_low) } else { (r, r_low) }
}

/// ±q of [`payne_hanek_f32`]'s result and x's sign, modulo 4.
pub fn trig_quadrant_f32(p: u64, x: f32) -> i32 {
    let q = (p.wrapping_add(1 << 61) >> 62) as i32;
    if x < 0.0 { q.wrapping_neg() } else { q }
}

/// sin(q·π/2 + r) for |r| ≤ π/4.
pub fn sin_quadrant_f32(r: f32, q: i32) -> f32 {
    let odd = (q & 1) != 0;
    let z = r * r;
    let p = if odd { 2.4432344e-05 } else { 0.0_f32 };
    let p = p.mul_add(z, if odd { -0.001388731 } else { -0.00019518085 });
    let p = p.mul_add(z, if odd { 0.041666646 } else { 0.008332188 });
    let p = p.mul_add(z, if odd { -0.5 } else { -0.16666655 });
    let t = if odd { 1.0 } else { r };
    // Adding 0 keeps the sign of a zero r.
    let s = p.mul_add(z.mul_add(t, 0.0), t);
    if (q & 2) != 0 { -s } else { s }
}

/// x as q·π/2 + r with |r| ≤ π/4: (r, q). NaN for an infinity.
pub fn trig_reduced_f32(x: f32) -> (f32, i32) {
    let k = x.mul_add(0.63661975, ROUND_F32);
    let mut q = k.to_bits() as i32;
    let k = k - ROUND_F32;
    let mut r = k.mul_add(-1.5707963, x);
    r = k.mul_add(-7.5497894e-08, r);
    r = k.mul_add(-5.3903025e-15, r);
    if x.abs() > TRIG_LARGE_F32 {
        let p = payne_hanek_f32(x);
        let (large, _) = trig_remainder_f32(p, x);
        q = trig_quadrant_f32(p, x);
        r = large + (x - x);
    }
    (r, q)
}

/// The sine.
pub fn sin_f32(x: f32) -> f32 {
    let (r, q) = trig_reduced_f32(x);
    sin_quadrant_f32(r, q)
}

/// The cosine.
pub fn cos_f32(x: f32) -> f32 {
    let (r, q) = trig_reduced_f32(x);
    sin_quadrant_f32(r, q.wrapping_add(1))
}

/// Sine and cosine, the same as each on its own.
pub fn sin_cos_f32(x: f32) -> (f32, f32) {
    let (r, q) = trig_reduced_f32(x);
    let z = r * r;
    let p = -0.00019518085_f32;
    let p = p.mul_add(z, 0.008332188);
    let p = p.mul_add(z, -0.16666655);
    let sine = p.mul_add(z.mul_add(r, 0.0), r);
    let p = 2.4432344e-05_f32;
    let p = p.mul_add(z, -0.001388731);
    let p = p.mul_add(z, 0.041666646);
    let p = p.mul_add(z, -0.5);
    let cosine = p.mul_add(z, 1.0);
    let odd = (q & 1) != 0;
    let s = if odd { cosine } else { sine };
    let c = if odd { sine } else { cosine };
    (if (q & 2) != 0 { -s } else { s }, if (q.wrapping_add(1) & 2) != 0 { -c } else { c })
}

/// The tangent.
pub fn tan_f32(x: f32) -> f32 {
    let k = x.mul_add(0.63661975, ROUND_F32);
    let mut q = k.to_bits() as i32;
    let k = k - ROUND_F32;
    let first = k.mul_add(-1.5707963, x);
    let mut r = k.mul_add(-7.5497894e-08, first);
    // The tangent grows faster than its argument, so a large remainder needs a low part. (A small one doesn't, and the
    // difference would not be exact.)
    let rest = if r.abs() > 0.25 { k.mul_add(-7.5497894e-08, first - r) } else { 0.0 };
    let mut low = k.mul_add(-5.3903025e-15, rest);
    if x.abs() > TRIG_LARGE_F32 {
        let p = payne_hanek_f32(x);
        q = trig_quadrant_f32(p, x);
        let (large, large_low) = trig_remainder_f32(p, x);
        // NaN for an infinity.
        r = large + (x - x);
        low = large_low;
    }
    let z = r * r;
    let p = 0.0043768175_f32;
    let p = p.mul_add(z, 9.059266e-05);
    let p = p.mul_add(z, 0.010832841);
    let p = p.mul_add(z, 0.021284424);
    let p = p.mul_add(z, 0.054059185);
    let p = p.mul_add(z, 0.13332674);
    let p = p.mul_add(z, 0.3333335);
    let e = z * r * p;
    let t = r + e;
    let e = low.mul_add(t.mul_add(t, 1.0), e);
    let t = r + e;
    if (q & 1) == 0 {
        // The low part would lose the sign of a zero.
        if x == 0.0 { x } else { t }
    } else {
        // −1/(t + low), one Newton step after the division that takes in what t lost to rounding.
        let low = (r - t) + e;
        let c = -fast::recip_ftz(t);
        let residual = c.mul_add(low, c.mul_add(t, 1.0));
        residual.mul_add(c, c)
    }
}
