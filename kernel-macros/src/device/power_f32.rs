//! `powf`, `powi`, `cbrt` and `hypot` for f32.

use super::log_f32::*;
use super::vocabulary::*;

/// The binary logarithm of finite a > 0 as a sum of two floats, the large one first.
///
/// 2ⁱ·m with m in [√½, √2), log₂ m = log₂ e · (u + u³/12 + …) in u = 2(m − 1)/(m + 1), the first two terms to twice the
/// precision (Tang, *Table-driven implementation of the logarithm function*, 1990, without the table).
pub fn log2_parts_f32(a: f32) -> (f32, f32) {
    let normal = log_normal_f32(a);
    let e = (normal.to_bits() as i32).wrapping_sub(0x3f3504f3) & (0xff800000_u32 as i32);
    let i = (e as f32).mul_add(1.1920929e-7, log_offset_f32(a));
    let f = f32::from_bits((normal.to_bits() as i32).wrapping_sub(e) as u32) - 1.0;
    let r = fast::recip_ftz(f + 2.0);
    let u = (f + f) * r;
    let d = f - u;
    let u_low = u.mul_add(-f, d + d) * r;
    // log₂ m = u·v, v = log₂ e + z·log₂ e/12 + …, both factors in two parts.
    let z = u * u;
    let z_low = (u + u).mul_add(u_low, u.mul_add(u, -z));
    let p = 0.00065980677_f32;
    let p = p.mul_add(z, 0.0032175775);
    let p = p.mul_add(z, 0.018033756);
    let q = 0.12022459 * z;
    let q_low = p.mul_add(z * z, z_low.mul_add(0.12022459, z.mul_add(0.12022459, -q)));
    let v = 1.442695 + q;
    let v_low = ((1.442695 - v) + q) + z.mul_add(-8.785577e-10, 1.925963e-8 + q_low);
    let high = u * v;
    let low = u.mul_add(v, -high) + u.mul_add(v_low, u_low * v);
    let sum = i + high;
    let low = ((i - sum) + high) + low;
    let log = sum + low;
    (log, (sum - log) + low)
}

/// 2^(t + t_low) for finite t, by the power of two of the hardware, split as `exp_by_exp2_f32` splits it.
pub fn exp2_parts_f32(t: f32, t_low: f32) -> f32 {
    let k = fast::saturate(t.mul_add(0.003968254, 0.49801588)).mul_add(252.0, 12582913.0);
    let f = (t + (12583039.0 - k)) + t_low;
    fast::exp2_ftz(f) * f32::from_bits(k.to_bits().wrapping_shl(23))
}

/// a^(y + y_low) for finite a > 0, |y| < 2³² and |y| ≥ |y_low|.
pub fn pow_positive_f32(a: f32, y: f32, y_low: f32) -> f32 {
    let (log, log_low) = log2_parts_f32(a);
    let t = y * log;
    let t_low = y.mul_add(log, -t) + y.mul_add(log_low, y_low * log);
    exp2_parts_f32(t, t_low)
}

/// xʸ, with the special values of C's `pow`.
pub fn powf_f32(x: f32, y: f32) -> f32 {
    let a = x.abs();
    // Beyond, every power but that of 1 overflows or is 0: the logarithm of the float next to 1 is −2⁻²⁴ log₂ e.
    let mut r = pow_positive_f32(a, y.clamp(-4e9, 4e9), 0.0);
    if a == 0.0 || a == f32::INFINITY {
        r = if (a == 0.0) == (y < 0.0) { f32::INFINITY } else { 0.0 };
    }
    let half = 0.5 * y;
    let odd = y.trunc() == y && half.trunc() != half;
    if (x.to_bits() >> 31) != 0 {
        r = if odd { -r } else { r };
        r = if a != 0.0 && a != f32::INFINITY && y.trunc() != y { f32::NAN } else { r };
    }
    r = if x.is_nan() || y.is_nan() { f32::NAN } else { r };
    if x == 1.0 || y == 0.0 { 1.0 } else { r }
}

/// xⁿ: by products for −2 ≤ n ≤ 4, else as [`powf_f32`] does, with all bits of n.
pub fn powi_f32(x: f32, n: i32) -> f32 {
    if n >= -2 && n <= 4 {
        let b = if n < 0 { x.recip() } else { x };
        let m = n.unsigned_abs();
        let s = b * b;
        let r = if (m & 2) != 0 { s } else { 1.0 };
        let r = if (m & 1) != 0 { r * b } else { r };
        return if m == 4 { s * s } else { r };
    }
    let a = x.abs();
    let y = n as f32;
    let y_low = (n as i64).wrapping_sub(y as i64) as f32;
    let mut r = pow_positive_f32(a, y, y_low);
    if a == 0.0 || a == f32::INFINITY {
        r = if (a == 0.0) == (n < 0) { f32::INFINITY } else { 0.0 };
    }
    r = if x.is_nan() { x } else { r };
    if (n & 1) != 0 { r.copysign(x) } else { r }
}

/// The cube root.
///
/// x^(−⅓) from a third of the bits and two steps of third order (after Moroz et al., *Fast calculation of cube and
/// inverse cube roots using a magic constant*, 2021), times x squared, and one Newton step with an exact residual.
pub fn cbrt_f32(x: f32) -> f32 {
    let a = x.abs();
    let tiny = a < f32::MIN_POSITIVE;
    let b = if tiny { a * 16777216.0 } else { a };
    let r = f32::from_bits(0x54a21d2a_u32.wrapping_sub(b.to_bits() / 3));
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.22222222, 0.33333334), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.22222222, 0.33333334), 1.0);
    let s = r * r;
    let c = b * s;
    let square = c * c;
    let square_low = c.mul_add(c, -square);
    let residual = square_low.mul_add(-c, square.mul_add(-c, b));
    let c = (residual * 0.33333334).mul_add(s, c);
    let c = if tiny { c * 0.00390625 } else { c };
    // Zeros, infinities and NaN are their own cube roots.
    let c = if a > 0.0 && a < f32::INFINITY { c } else { a };
    c.copysign(x)
}

/// 1/∛x: as for the cube root, with the step for its reciprocal.
pub fn rcbrt_f32(x: f32) -> f32 {
    let a = x.abs();
    let tiny = a < f32::MIN_POSITIVE;
    let b = if tiny { a * 16777216.0 } else { a };
    let r = f32::from_bits(0x54a21d2a_u32.wrapping_sub(b.to_bits() / 3));
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.22222222, 0.33333334), 1.0);
    let e = (r * r).mul_add(-(b * r), 1.0);
    let r = r * e.mul_add(e.mul_add(0.22222222, 0.33333334), 1.0);
    // 1 − b·r³ with the products' low parts.
    let s = r * r;
    let h = b * s;
    let h_low = b.mul_add(r.mul_add(r, -s), b.mul_add(s, -h));
    let e = h_low.mul_add(-r, h.mul_add(-r, 1.0));
    let r = (e * 0.33333334).mul_add(r, r);
    let r = if tiny { r * 256.0 } else { r };
    let r = if a > 0.0 && a < f32::INFINITY { r } else { a.recip() };
    r.copysign(x)
}

/// √(x² + y²), scaled where a square would leave the range.
pub fn hypot_f32(x: f32, y: f32) -> f32 {
    let high = x.abs().max(y.abs());
    let low = x.abs().min(y.abs());
    let big = high > 1.1529215e18;
    let small = high < 8.673617e-19;
    // 2⁹⁰ and 2⁻⁷⁰
    let down = if small { 1.2379401e27 } else { 1.0 };
    let down = if big { 8.4703295e-22 } else { down };
    let up = if small { 8.0779357e-28 } else { 1.0 };
    let up = if big { 1.1805916e21 } else { up };
    let h = high * down;
    let l = low * down;
    let r = h.mul_add(h, l * l).sqrt() * up;
    let r = if x.is_nan() || y.is_nan() { f32::NAN } else { r };
    if high == f32::INFINITY { high } else { r }
}
