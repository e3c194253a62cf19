//! The gamma function for f32.

use super::exp_f32::*;
use super::power_f32::*;
use super::scale::*;

/// The gamma function; NaN for negative integers and −∞.
///
/// Γ(1 + a) = ((a + 3/2)/e)^(a + 1/2) · L (Lanczos, *A precision approximation of the gamma function*, 1964), with L a
/// Chebyshev fit in 1/(a + 3/2), the power by [`log2_parts_f32`] to twice the precision; below 0 by Γ(−a)Γ(1 + a) =
/// −π/sin πa.
pub fn tgamma_f32(x: f32) -> f32 {
    let a = x.abs();
    let z = a + 1.5;
    let z_low = if a > 1.5 { (a - z) + 1.5 } else { (1.5 - z) + a };
    let y = a + 0.5;
    let y_low = if a > 0.5 { (a - y) + 0.5 } else { (0.5 - y) + a };
    let w = z.recip();
    let p = 0.018856887_f32;
    let p = p.mul_add(w, -0.018770307);
    let p = p.mul_add(w, 0.03325121);
    let p = p.mul_add(w, 0.017790161);
    let p = p.mul_add(w, 0.05612103);
    let p = p.mul_add(w, 0.10801514);
    let p = p.mul_add(w, 0.21214187);
    let p = p.mul_add(w, 0.42264566);
    // √(2π)/e in two parts.
    let p = p.mul_add(w, -1.312264e-08);
    let series = 0.922137 + p;
    let series_low = (0.922137 - series) + p;

    // log₂((a + 3/2)/e) in two parts.
    let (log, log_low) = log2_parts_f32(z);
    let b = log - 1.442695;
    let back = b - log;
    let b_low = (log - (b - back)) - (1.442695 + back);
    let b_low = (z_low * w).mul_add(1.442695, b_low + (log_low - 1.925963e-8));
    let t = y * b;
    let t_low = y.mul_add(b, -t) + y.mul_add(b_low, y_low * b);

    let negative = x < 0.0;
    // sin(πa)/π, from the distance to an integer.
    let q = a.round_ties_even();
    let d = a - q;
    let square = d * d;
    let p = -0.00222797_f32;
    let p = p.mul_add(square, 0.026111428);
    let p = p.mul_add(square, -0.19074652);
    let p = p.mul_add(square, 0.81174207);
    let p = p.mul_add(square, -1.644934);
    let p = p * square;
    let sine = p.mul_add(d, d);
    let sine = if (0.5 * q).trunc() == 0.5 * q { -sine } else { sine };
    // 1/(sine · series) with what the product and the reciprocal lose, or series/a.
    let product = sine * series;
    let product_low = sine.mul_add(series_low, sine.mul_add(series, -product));
    let inverse = product.recip();
    let residual = inverse.mul_add(-product_low, inverse.mul_add(-product, 1.0));
    let factor = if negative { residual.mul_add(inverse, inverse) } else { series / a };
    let t = if negative { -t } else { t };
    let t_low = if negative { -t_low } else { t_low };
    let r = exp2_sum_f32(t, t_low, factor);
    let r = if a < 1e-10 { x.recip() } else { r };
    let r = if negative && a.trunc() == a { f32::NAN } else { r };
    if x == f32::INFINITY || x.is_nan() { x } else { r }
}

/// 2^(t + t_low) · factor for a factor of moderate size, by a minimax polynomial (Sollya's `fpminimax`).
pub fn exp2_sum_f32(t: f32, t_low: f32, factor: f32) -> f32 {
    let k = t + ROUND_F32;
    let n = (k.to_bits() as i32).wrapping_sub(ROUND_BITS_F32);
    let f = (t - (k - ROUND_F32)) + t_low;
    let p = 0.00015241285_f32;
    let p = p.mul_add(f, 0.0013391302);
    let p = p.mul_add(f, 0.009618834);
    let p = p.mul_add(f, 0.05550359);
    let p = p.mul_add(f, 0.24022645);
    let p = p.mul_add(f, 0.6931472);
    let p = p.mul_add(f, 1.0);
    let r = scale_f32(p * factor, n);
    let r = if t < -190.0 { 0.0_f32.copysign(factor) } else { r };
    if t > 160.0 { f32::INFINITY.copysign(factor) } else { r }
}
