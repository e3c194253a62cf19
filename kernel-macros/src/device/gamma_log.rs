//! The logarithm of the gamma function's magnitude, for f32 and f64.
//!
//! Around 2 a polynomial, ln Γ(2 + t) = t·Q(t) for −¾ ≤ t ≤ 3/2, to which Γ(x + 1) = xΓ(x) brings −½ < x < 5/4; from 7/2 on
//! Stirling's series with its remainder as a polynomial in 1/x² (both polynomials interpolate at Chebyshev's nodes); below −½
//! by |Γ(x)|·Γ(−x) = π/|x·sin πx|, which loses digits where the logarithm is near 0, between −2 and −10 in the main.

use super::log_f32::*;
use super::log_f64::*;
use super::trig_pi::*;

/// ln |Γ(b)| for b > −½.
pub fn lgamma_above_f32(b: f32) -> f32 {
    let large = b >= 3.5;
    let near_one = b >= 0.5 && b < 1.25;
    // b = 2 + t, 1 + t or t, and what Γ(2 + t) is divided by.
    let t = if b >= 1.25 {
        b - 2.0
    } else if near_one {
        b - 1.0
    } else {
        b
    };
    let factor = if b >= 1.25 {
        1.0
    } else if near_one {
        b
    } else {
        b.abs() * (b + 1.0)
    };
    let log = ln_f32(if large { b } else { factor });
    let p = 9.82092e-07_f32;
    let p = p.mul_add(t, -7.2853704e-06);
    let p = p.mul_add(t, 2.4050518e-05);
    let p = p.mul_add(t, -5.179739e-05);
    let p = p.mul_add(t, 0.00010089634);
    let p = p.mul_add(t, -0.00021878163);
    let p = p.mul_add(t, 0.0005072515);
    let p = p.mul_add(t, -0.0011938111);
    let p = p.mul_add(t, 0.002891368);
    let p = p.mul_add(t, -0.007385461);
    let p = p.mul_add(t, 0.020580698);
    let p = p.mul_add(t, -0.0673523);
    let p = p.mul_add(t, 0.32246703);
    let p = p.mul_add(t, 0.42278433);
    let small = p.mul_add(t, -log);
    // (b − ½)(ln b − 1) + (ln 2π − 1)/2 + R(1/b²)/b
    let w = b.recip();
    let s = w * w;
    let p = -0.0004847634_f32;
    let p = p.mul_add(s, 0.00078839017);
    let p = p.mul_add(s, -0.0027776943);
    let p = p.mul_add(s, 0.083333336);
    let series = (b - 0.5).mul_add(log - 1.0, p.mul_add(w, 0.41893854));
    if large { series } else { small }
}

/// ln |Γ(x)|; ∞ for the integers from 0 down, and for both infinities.
pub fn lgamma_f32(x: f32) -> f32 {
    let a = x.abs();
    let reflected = x <= -0.5;
    let above = lgamma_above_f32(if reflected { a } else { x });
    if reflected {
        let r = -ln_f32((a * sinpi_f32(a).abs()) * 0.31830987) - above;
        if a.trunc() == a { f32::INFINITY } else { r }
    } else {
        above
    }
}

/// ln |Γ(b)| for b > −½.
pub fn lgamma_above_f64(b: f64) -> f64 {
    let large = b >= 3.5;
    let near_one = b >= 0.5 && b < 1.25;
    // b = 2 + t, 1 + t or t, and what Γ(2 + t) is divided by.
    let t = if b >= 1.25 {
        b - 2.0
    } else if near_one {
        b - 1.0
    } else {
        b
    };
    let factor = if b >= 1.25 {
        1.0
    } else if near_one {
        b
    } else {
        b.abs() * (b + 1.0)
    };
    let log = ln_f64(if large { b } else { factor });
    let p = 6.351185130430341e-12_f64;
    let p = p.mul_add(t, -7.98854783615527e-11);
    let p = p.mul_add(t, 4.4738523021049497e-10);
    let p = p.mul_add(t, -1.4789194742292312e-09);
    let p = p.mul_add(t, 3.300186508176159e-09);
    let p = p.mul_add(t, -5.794661731779953e-09);
    let p = p.mul_add(t, 1.0246621381543293e-08);
    let p = p.mul_add(t, -2.135605719489225e-08);
    let p = p.mul_add(t, 4.7298308639667374e-08);
    let p = p.mul_add(t, -1.014122294307137e-07);
    let p = p.mul_add(t, 2.1290080032987105e-07);
    let p = p.mul_add(t, -4.489853618161157e-07);
    let p = p.mul_add(t, 9.545941669890284e-07);
    let p = p.mul_add(t, -2.0391640270621938e-06);
    let p = p.mul_add(t, 4.375062050143403e-06);
    let p = p.mul_add(t, -9.439546995681926e-06);
    let p = p.mul_add(t, 2.050717182480765e-05);
    let p = p.mul_add(t, -4.492621805541603e-05);
    let p = p.mul_add(t, 9.945751775706794e-05);
    let p = p.mul_add(t, -0.0002231547615420483);
    let p = p.mul_add(t, 0.0005096695244235851);
    let p = p.mul_add(t, -0.0011927539114257209);
    let p = p.mul_add(t, 0.0028905103307498865);
    let p = p.mul_add(t, -0.00738555102868641);
    let p = p.mul_add(t, 0.020580808427784543);
    let p = p.mul_add(t, -0.06735230105319788);
    let p = p.mul_add(t, 0.3224670334241132);
    let p = p.mul_add(t, 0.42278433509846713);
    let small = p.mul_add(t, -log);
    // (b − ½)(ln b − 1) + (ln 2π − 1)/2 + R(1/b²)/b
    let w = b.recip();
    let s = w * w;
    let p = 0.5464939113673214_f64;
    let p = p.mul_add(s, -0.33536488817705823);
    let p = p.mul_add(s, 0.10604141478108953);
    let p = p.mul_add(s, -0.025674417522622985);
    let p = p.mul_add(s, 0.0062652124391854936);
    let p = p.mul_add(s, -0.0019138415844335071);
    let p = p.mul_add(s, 0.0008416904695205327);
    let p = p.mul_add(s, -0.0005952375053650209);
    let p = p.mul_add(s, 0.0007936507906474015);
    let p = p.mul_add(s, -0.0027777777777717367);
    let p = p.mul_add(s, 0.08333333333333333);
    let series = (b - 0.5).mul_add(log - 1.0, p.mul_add(w, 0.4189385332046727));
    if large { series } else { small }
}

/// ln |Γ(x)|; ∞ for the integers from 0 down, and for both infinities.
pub fn lgamma_f64(x: f64) -> f64 {
    let a = x.abs();
    let reflected = x <= -0.5;
    let above = lgamma_above_f64(if reflected { a } else { x });
    if reflected {
        let r = -ln_f64((a * sinpi_f64(a).abs()) * 0.3183098861837907) - above;
        if a.trunc() == a { f64::INFINITY } else { r }
    } else {
        above
    }
}
