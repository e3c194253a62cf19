//! `powf`, `powi`, `cbrt` and `hypot` for f64: as for f32, with longer polynomials.

use super::exp_f64::*;
use super::log_f64::*;
use super::scale::*;

/// The binary logarithm of finite a > 0 as a sum of two numbers, the large one first.
///
/// 2ⁱ·m with m in [√½, √2), log₂ m = log₂ e · (u + u³/12 + …) in u = 2(m − 1)/(m + 1), the first two terms to twice the
/// precision (Tang, *Table-driven implementation of the logarithm function*, 1990, without the table).
pub fn log2_parts_f64(a: f64) -> (f64, f64) {
    let normal = log_normal_f64(a);
    let e = log_exponent_f64(normal);
    let i = log_integer_f64(a, e);
    let f = log_unscale_f64(normal, e) - 1.0;
    let r = (f + 2.0).recip();
    let u = (f + f) * r;
    let d = f - u;
    let u_low = u.mul_add(-f, d + d) * r;
    // log₂ m = u·v, v = log₂ e + z·log₂ e/12 + …, both factors in two parts.
    let z = u * u;
    let z_low = (u + u).mul_add(u_low, u.mul_add(u, -z));
    let p = 3.296113953917603e-07_f64;
    let p = p.mul_add(z, 1.2851893408555836e-06);
    let p = p.mul_add(z, 5.871621004095043e-06);
    let p = p.mul_add(z, 2.7093783157700426e-05);
    let p = p.mul_add(z, 0.00012808017511657378);
    let p = p.mul_add(z, 0.0006261697224861937);
    let p = p.mul_add(z, 0.003220301430557385);
    let p = p.mul_add(z, 0.018033688011112034);
    let q = 0.12022458674074694 * z;
    let q_low = p.mul_add(z * z, z_low.mul_add(0.12022458674074694, z.mul_add(0.12022458674074694, -q)));
    let v = 1.4426950408889634 + q;
    let v_low =
        ((1.4426950408889634 - v) + q) + z.mul_add(6.322202081015738e-18, 2.0355273740931033e-17 + q_low);
    let high = u * v;
    let low = u.mul_add(v, -high) + u.mul_add(v_low, u_low * v);
    let sum = i + high;
    let low = ((i - sum) + high) + low;
    let log = sum + low;
    (log, (sum - log) + low)
}

/// 2^(t + t_low) · factor for a factor of moderate size, as in [`exp2_f64`].
pub fn exp2_sum_f64(t: f64, t_low: f64, factor: f64) -> f64 {
    let k = t + ROUND_F64;
    let n = k.to_bits() as i32;
    let f = (t - (k - ROUND_F64)) + t_low;
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
    let r = scale_f64(p * factor, n);
    let r = if t < -1100.0 { 0.0_f64.copysign(factor) } else { r };
    if t > 1100.0 { f64::INFINITY.copysign(factor) } else { r }
}

/// aʸ for finite a > 0.
pub fn pow_positive_f64(a: f64, y: f64) -> f64 {
    let (log, log_low) = log2_parts_f64(a);
    let t = y * log;
    let t_low = y.mul_add(log_low, y.mul_add(log, -t));
    exp2_sum_f64(t, t_low, 1.0)
}

/// xʸ, with the special values of C's `pow`.
pub fn powf_f64(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let mut r = pow_positive_f64(a, y);
    if a == 0.0 || a == f64::INFINITY {
        r = if (a == 0.0) == (y < 0.0) { f64::INFINITY } else { 0.0 };
    } else if y.abs() == f64::INFINITY {
        r = if (a < 1.0) == (y < 0.0) { f64::INFINITY } else { 0.0 };
        r = if a == 1.0 { 1.0 } else { r };
    }
    let half = 0.5 * y;
    let odd = y.trunc() == y && half.trunc() != half;
    if (x.to_bits() >> 63) != 0 {
        r = if odd { -r } else { r };
        r = if a != 0.0 && a != f64::INFINITY && y.trunc() != y { f64::NAN } else { r };
    }
    r = if x.is_nan() || y.is_nan() { f64::NAN } else { r };
    if x == 1.0 || y == 0.0 { 1.0 } else { r }
}

/// xⁿ: by products for −2 ≤ n ≤ 4, else as [`powf_f64`] does.
pub fn powi_f64(x: f64, n: i32) -> f64 {
    if n >= -2 && n <= 4 {
        let b = if n < 0 { x.recip() } else { x };
        let m = n.unsigned_abs();
        let s = b * b;
        let r = if (m & 2) != 0 { s } else { 1.0 };
        let r = if (m & 1) != 0 { r * b } else { r };
        return if m == 4 { s * s } else { r };
    }
    let a = x.abs();
    let mut r = pow_positive_f64(a, n as f64);
    if a == 0.0 || a == f64::INFINITY {
        r = if (a == 0.0) == (n < 0) { f64::INFINITY } else { 0.0 };
    }
    r = if x.is_nan() { x } else { r };
    if (n & 1) != 0 { r.copysign(x) } else { r }
}

/// The cube root.
///
/// x^(−⅓) from a third of the bits and three steps of third order (after Moroz et al., *Fast calculation of cube and
/// inverse cube roots using a magic constant*, 2021), times x squared, and one Newton step with an exact residual.
pub fn cbrt_f64(x: f64) -> f64 {
    let a = x.abs();
    let tiny = a < f64::MIN_POSITIVE;
    let b = if tiny { a * 18014398509481984.0 } else { a };
    let third = ((b.to_bits() >> 32) as u32) / 3;
    let r = f64::from_bits((0x553ef0ff_u32.wrapping_sub(third) as u64) << 32);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    let s = r * r;
    let c = b * s;
    let square = c * c;
    let square_low = c.mul_add(c, -square);
    let residual = square_low.mul_add(-c, square.mul_add(-c, b));
    let c = (residual * 0.3333333333333333).mul_add(s, c);
    let c = if tiny { c * 3.814697265625e-6 } else { c };
    // Zeros, infinities and NaN are their own cube roots.
    let c = if a > 0.0 && a < f64::INFINITY { c } else { a };
    c.copysign(x)
}

/// 1/∛x: as for the cube root, with the step for its reciprocal.
pub fn rcbrt_f64(x: f64) -> f64 {
    let a = x.abs();
    let tiny = a < f64::MIN_POSITIVE;
    let b = if tiny { a * 18014398509481984.0 } else { a };
    let third = ((b.to_bits() >> 32) as u32) / 3;
    let r = f64::from_bits((0x553ef0ff_u32.wrapping_sub(third) as u64) << 32);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.2222222222222222, 0.3333333333333333), 1.0);
    // 1 − b·r³ with the products' low parts.
    let s = r * r;
    let h = b * s;
    let h_low = b.mul_add(r.mul_add(r, -s), b.mul_add(s, -h));
    let e = h_low.mul_add(-r, h.mul_add(-r, 1.0));
    let r = (e * 0.3333333333333333).mul_add(r, r);
    let r = if tiny { r * 262144.0 } else { r };
    let r = if a > 0.0 && a < f64::INFINITY { r } else { a.recip() };
    r.copysign(x)
}

/// √(x² + y²), scaled where a square would leave the range.
pub fn hypot_f64(x: f64, y: f64) -> f64 {
    let high = x.abs().max(y.abs());
    let low = x.abs().min(y.abs());
    let big = high > 3.273390607896142e150;
    let small = high < 3.054936363499605e-151;
    // 2⁷⁰⁰ and 2⁻⁷⁰⁰
    let down = if small { 5.260135901548374e210 } else { 1.0 };
    let down = if big { 1.90109156629516e-211 } else { down };
    let up = if small { 1.90109156629516e-211 } else { 1.0 };
    let up = if big { 5.260135901548374e210 } else { up };
    let h = high * down;
    let l = low * down;
    let r = h.mul_add(h, l * l).sqrt() * up;
    let r = if x.is_nan() || y.is_nan() { f64::NAN } else { r };
    if high == f64::INFINITY { high } else { r }
}
