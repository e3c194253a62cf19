//! `exp`, `exp2`, `exp10` and `exp_m1` for f64: as for f32, with longer polynomials.

use super::scale::*;

/// Adding it rounds a float below 2⁵¹ in size to an integer, which its low bits then hold.
pub const ROUND_F64: f64 = 6755399441055744.0;

/// eˣ · 2ˢ for −746 ≤ x ≤ 711 and a small s, NaN for NaN; anything outside.
pub fn exp_scaled_f64(x: f64, shift: i32) -> f64 {
    let (p, n) = exp_parts_f64(x);
    scale_f64(p, n.wrapping_add(shift))
}

/// A number from 0.7 to 1.5 and an integer, the first times two to the power of which is eˣ for −746 ≤ x ≤ 711.
pub fn exp_parts_f64(x: f64) -> (f64, i32) {
    let k = x.mul_add(1.4426950408889634, ROUND_F64);
    let n = k.to_bits() as i32;
    let k = k - ROUND_F64;
    // ln 2 in two parts: k times the first, of 40 bits, is exact.
    let f = k.mul_add(-0.6931471805592082, x);
    let f = k.mul_add(-7.371002565167799e-13, f);
    let p = 2.500448963495231e-08_f64;
    let p = p.mul_add(f, 2.7630444480970514e-07);
    let p = p.mul_add(f, 2.755757229292377e-06);
    let p = p.mul_add(f, 2.4801492482786182e-05);
    let p = p.mul_add(f, 0.00019841269522464743);
    let p = p.mul_add(f, 0.0013888888944313675);
    let p = p.mul_add(f, 0.008333333333487052);
    let p = p.mul_add(f, 0.04166666666652705);
    let p = p.mul_add(f, 0.16666666666666424);
    let p = p.mul_add(f, 0.5000000000000011);
    let p = p.mul_add(f, 1.0);
    (p.mul_add(f, 1.0), n)
}

/// eˣ.
pub fn exp_f64(x: f64) -> f64 {
    let (p, n) = exp_parts_f64(x);
    // For |x| below 708, by the upper half of its bits, the result is a normal number: one sum makes its exponent.
    if ((x.to_bits() >> 32) as u32 & 0x7fff_ffff) < 0x4086_2000 {
        return f64::from_bits(p.to_bits().wrapping_add((n as u64) << 52));
    }
    let r = scale_f64(p, n);
    let r = if x < -746.0 { 0.0 } else { r };
    if x > 710.0 { f64::INFINITY } else { r }
}

/// 2ˣ.
pub fn exp2_f64(x: f64) -> f64 {
    let k = x + ROUND_F64;
    let n = k.to_bits() as i32;
    let f = x - (k - ROUND_F64);
    let p = 4.451517988095656e-10_f64;
    let p = p.mul_add(f, 7.073894181148886e-09);
    let p = p.mul_add(f, 1.0178076598316852e-07);
    let p = p.mul_add(f, 1.321543456316358e-06);
    let p = p.mul_add(f, 1.5252733828893387e-05);
    let p = p.mul_add(f, 0.00015403530458754546);
    let p = p.mul_add(f, 0.0013333558146358634);
    let p = p.mul_add(f, 0.009618129107592587);
    let p = p.mul_add(f, 0.05550410866482233);
    let p = p.mul_add(f, 0.24022650695910136);
    let p = p.mul_add(f, 0.6931471805599453);
    let p = p.mul_add(f, 1.0);
    let r = scale_f64(p, n);
    let r = if x < -1076.0 { 0.0 } else { r };
    if x >= 1024.0 { f64::INFINITY } else { r }
}

/// 10ˣ.
pub fn exp10_f64(x: f64) -> f64 {
    let k = x.mul_add(3.321928094887362, ROUND_F64);
    let n = k.to_bits() as i32;
    let k = k - ROUND_F64;
    // log₁₀ 2 in two parts: k times the first, of 40 bits, is exact.
    let f = k.mul_add(-0.30102999566361177, x);
    let f = k.mul_add(-3.694239077158931e-13, f);
    let p = 0.000239959674663883_f64;
    let p = p.mul_add(f, 0.0011575681543066776);
    let p = p.mul_add(f, 0.005014059555668991);
    let p = p.mul_add(f, 0.01959761944485049);
    let p = p.mul_add(f, 0.06808936183349332);
    let p = p.mul_add(f, 0.20699584952773292);
    let p = p.mul_add(f, 0.5393829292304085);
    let p = p.mul_add(f, 1.1712551489083052);
    let p = p.mul_add(f, 2.0346785922933193);
    let p = p.mul_add(f, 2.650949055239205);
    let p = p.mul_add(f, 2.302585092994046);
    let p = p.mul_add(f, 1.0);
    let r = scale_f64(p, n);
    let r = if x < -324.0 { 0.0 } else { r };
    if x > 308.5 { f64::INFINITY } else { r }
}

/// eˣ − 1.
pub fn exp_m1_f64(x: f64) -> f64 {
    let k = x.mul_add(1.4426950408889634, ROUND_F64);
    // No reduction up to 0.42, so that 2ⁿ(1 + p) − 1 does not cancel below a half.
    let k = if x.abs() < 0.42 { ROUND_F64 } else { k };
    let n = k.to_bits() as i32;
    let k = k - ROUND_F64;
    let f = k.mul_add(-0.6931471805592082, x);
    let f = k.mul_add(-7.371002565167799e-13, f);
    let p = 2.0880297904815316e-09_f64;
    let p = p.mul_add(f, 2.513552201803132e-08);
    let p = p.mul_add(f, 2.7557464937102574e-07);
    let p = p.mul_add(f, 2.7557158645930595e-06);
    let p = p.mul_add(f, 2.480158697335451e-05);
    let p = p.mul_add(f, 0.0001984126998092308);
    let p = p.mul_add(f, 0.0013888888889140606);
    let p = p.mul_add(f, 0.00833333333328079);
    let p = p.mul_add(f, 0.041666666666666054);
    let p = p.mul_add(f, 0.1666666666666673);
    let p = p.mul_add(f, 0.5);
    // Adding 0 turns −0 into 0, so that the next product and sum keep the sign of a zero.
    let p = p.mul_add(f, 0.0);
    let p = p.mul_add(f, f);
    // At half its size, since 2¹⁰²⁴ overflows.
    let half = pow2_f64(n.wrapping_sub(1));
    let r = p.mul_add(half, half - 0.5);
    let r = if n == 0 { p } else { r + r };
    let r = if x < -50.0 { -1.0 } else { r };
    if x > 710.0 { f64::INFINITY } else { r }
}
