//! `sin`, `cos` and `tan` for f64: as for f32, with longer polynomials.

use super::exp_f64::*;
use super::payne_hanek::*;
use super::scale::*;

/// Up to here the three-part reduction holds.
pub const TRIG_LARGE_F64: f64 = 1073741824.0;

/// The quadrant that the result of [`payne_hanek_f64`] and x's sign give, modulo 4.
pub fn trig_quadrant_f64(high: u64, x: f64) -> i32 {
    let q = (high.wrapping_add(1 << 61) >> 62) as i32;
    if x < 0.0 { q.wrapping_neg() } else { q }
}

/// The distance from that quadrant in radians: the leading 53 bits, and what follows them.
pub fn trig_remainder_f64(high: u64, low: u64, x: f64) -> (f64, f64) {
    // In units of 2⁻¹²⁸ of a quadrant, as a sign and a magnitude (one unit less for a negative number).
    let f = (high << 2) | (low >> 62);
    let negative = (f >> 63) != 0;
    let flip = if negative { 0xffffffffffffffff } else { 0 };
    let f = f ^ flip;
    let f_low = (low << 2) ^ flip;
    let shift = f.leading_zeros() & 63;
    let f = (f << shift) | ((f_low >> 1) >> (63 - shift));
    let a = f as f64;
    let a_low = f.wrapping_sub(a as u64) as i64 as f64;
    // π/2 · 2⁻⁶⁴ in two parts.
    let rest = a.mul_add(3.319411800407449e-36, a_low * 8.515303950216386e-20);
    let r = a.mul_add(8.515303950216386e-20, rest);
    let r_low = a.mul_add(8.515303950216386e-20, -r) + rest;
    let unit = pow2_f64((shift as i32).wrapping_neg());
    let unit = if negative == (x < 0.0) { unit } else { -unit };
    (r * unit, r_low * unit)
}

/// sin(q·π/2 + r) for |r| ≤ π/4.
pub fn sin_quadrant_f64(r: f64, q: i32) -> f64 {
    let odd = (q & 1) != 0;
    let z = r * r;
    let p = if odd { -1.1358748095206733e-11 } else { 0.0_f64 };
    let p = p.mul_add(z, if odd { 2.0875705404102266e-09 } else { 1.5895943637452453e-10 });
    let p = p.mul_add(z, if odd { -2.7557314217299276e-07 } else { -2.5050742320642024e-08 });
    let p = p.mul_add(z, if odd { 2.480158728900347e-05 } else { 2.755731358226442e-06 });
    let p = p.mul_add(z, if odd { -0.0013888888888873344 } else { -0.0001984126982945851 });
    let p = p.mul_add(z, if odd { 0.041666666666666595 } else { 0.008333333333321919 });
    let p = p.mul_add(z, if odd { -0.5 } else { -0.1666666666666663 });
    let t = if odd { 1.0 } else { r };
    // Adding 0 keeps the sign of a zero r.
    let s = p.mul_add(z.mul_add(t, 0.0), t);
    if (q & 2) != 0 { -s } else { s }
}

/// x as q·π/2 + r with |r| ≤ π/4: (r, q). NaN for an infinity.
pub fn trig_reduced_f64(x: f64) -> (f64, i32) {
    let k = x.mul_add(0.6366197723675814, ROUND_F64);
    let mut q = k.to_bits() as i32;
    let k = k - ROUND_F64;
    let mut r = k.mul_add(-1.5707963267948966, x);
    r = k.mul_add(-6.123233995736765e-17, r);
    r = k.mul_add(-1.0828566739219139e-32, r);
    if x.abs() > TRIG_LARGE_F64 {
        let (high, low) = payne_hanek_f64(x);
        let (large, _) = trig_remainder_f64(high, low, x);
        q = trig_quadrant_f64(high, x);
        r = large + (x - x);
    }
    (r, q)
}

/// The sine.
pub fn sin_f64(x: f64) -> f64 {
    let (r, q) = trig_reduced_f64(x);
    sin_quadrant_f64(r, q)
}

/// The cosine.
pub fn cos_f64(x: f64) -> f64 {
    let (r, q) = trig_reduced_f64(x);
    sin_quadrant_f64(r, q.wrapping_add(1))
}

/// Sine and cosine, the same as each on its own.
pub fn sin_cos_f64(x: f64) -> (f64, f64) {
    let (r, q) = trig_reduced_f64(x);
    let z = r * r;
    let p = 1.5895943637452453e-10_f64;
    let p = p.mul_add(z, -2.5050742320642024e-08);
    let p = p.mul_add(z, 2.755731358226442e-06);
    let p = p.mul_add(z, -0.0001984126982945851);
    let p = p.mul_add(z, 0.008333333333321919);
    let p = p.mul_add(z, -0.1666666666666663);
    let sine = p.mul_add(z.mul_add(r, 0.0), r);
    let p = -1.1358748095206733e-11_f64;
    let p = p.mul_add(z, 2.0875705404102266e-09);
    let p = p.mul_add(z, -2.7557314217299276e-07);
    let p = p.mul_add(z, 2.480158728900347e-05);
    let p = p.mul_add(z, -0.0013888888888873344);
    let p = p.mul_add(z, 0.041666666666666595);
    let p = p.mul_add(z, -0.5);
    let cosine = p.mul_add(z, 1.0);
    let odd = (q & 1) != 0;
    let s = if odd { cosine } else { sine };
    let c = if odd { sine } else { cosine };
    (if (q & 2) != 0 { -s } else { s }, if (q.wrapping_add(1) & 2) != 0 { -c } else { c })
}

/// The tangent.
pub fn tan_f64(x: f64) -> f64 {
    let k = x.mul_add(0.6366197723675814, ROUND_F64);
    let mut q = k.to_bits() as i32;
    let k = k - ROUND_F64;
    let first = k.mul_add(-1.5707963267948966, x);
    let mut r = k.mul_add(-6.123233995736765e-17, first);
    // The tangent grows faster than its argument, so a large remainder needs a low part. (A small one doesn't, and the
    // difference would not be exact.)
    let rest = if r.abs() > 0.25 { k.mul_add(-6.123233995736765e-17, first - r) } else { 0.0 };
    let mut low = k.mul_add(-1.0828566739219139e-32, rest);
    if x.abs() > TRIG_LARGE_F64 {
        let (p, p_low) = payne_hanek_f64(x);
        let (large, large_low) = trig_remainder_f64(p, p_low, x);
        q = trig_quadrant_f64(p, x);
        // NaN for an infinity.
        r = large + (x - x);
        low = large_low;
    }
    let z = r * r;
    let p = 9.704887074850398e-06_f64;
    let p = p.mul_add(z, -2.384903373086543e-05);
    let p = p.mul_add(z, 4.777373672588076e-05);
    let p = p.mul_add(z, -2.459456599601774e-05);
    let p = p.mul_add(z, 6.639402663378765e-05);
    let p = p.mul_add(z, 8.401782103348423e-05);
    let p = p.mul_add(z, 0.0002435696191596495);
    let p = p.mul_add(z, 0.0005889161911515233);
    let p = p.mul_add(z, 0.0014560350363802097);
    let p = p.mul_add(z, 0.0035921023909912075);
    let p = p.mul_add(z, 0.008863237773730779);
    let p = p.mul_add(z, 0.021869488408872456);
    let p = p.mul_add(z, 0.05396825397253336);
    let p = p.mul_add(z, 0.13333333333326086);
    let p = p.mul_add(z, 0.33333333333333376);
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
        let c = -t.recip();
        let residual = c.mul_add(low, c.mul_add(t, 1.0));
        residual.mul_add(c, c)
    }
}
