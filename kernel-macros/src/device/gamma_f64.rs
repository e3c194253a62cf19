//! The gamma function for f64.

use super::power_f64::*;

/// The gamma function; NaN for negative integers and −∞.
///
/// Γ(1 + a) = ((a + 3/2)/e)^(a + 1/2) · L (Lanczos, *A precision approximation of the gamma function*, 1964), with L a
/// Chebyshev fit in 1/(a + 3/2), the power by [`log2_parts_f64`] to twice the precision; below 0 by Γ(−a)Γ(1 + a) =
/// −π/sin πa.
pub fn tgamma_f64(x: f64) -> f64 {
    let a = x.abs();
    let z = a + 1.5;
    let z_low = if a > 1.5 { (a - z) + 1.5 } else { (1.5 - z) + a };
    let y = a + 0.5;
    let y_low = if a > 0.5 { (a - y) + 0.5 } else { (0.5 - y) + a };
    let w = z.recip();
    let p = -0.0005398113308155936_f64;
    let p = p.mul_add(w, 0.003514164135894391);
    let p = p.mul_add(w, -0.009966872284769916);
    let p = p.mul_add(w, 0.01605291725173636);
    let p = p.mul_add(w, -0.01497037776693492);
    let p = p.mul_add(w, 0.00590443549004108);
    let p = p.mul_add(w, 0.0043528933848518275);
    let p = p.mul_add(w, -0.007882429870010102);
    let p = p.mul_add(w, 0.005963927314589999);
    let p = p.mul_add(w, -0.0006372758799961935);
    let p = p.mul_add(w, 0.0012498500529725114);
    let p = p.mul_add(w, 0.0035057610878739725);
    let p = p.mul_add(w, 0.007144447798364457);
    let p = p.mul_add(w, 0.013191504687407977);
    let p = p.mul_add(w, 0.02631933553168993);
    let p = p.mul_add(w, 0.054052703689074125);
    let p = p.mul_add(w, 0.10829195301196097);
    let p = p.mul_add(w, 0.21212353069190396);
    let p = p.mul_add(w, 0.42264612907723803);
    let p = p.mul_add(w, 0.9221370088957891);
    let series = p;

    // log₂((a + 3/2)/e) in two parts.
    let (log, log_low) = log2_parts_f64(z);
    let b = log - 1.4426950408889634;
    let back = b - log;
    let b_low = (log - (b - back)) - (1.4426950408889634 + back);
    let b_low = (z_low * w).mul_add(1.4426950408889634, b_low + (log_low - 2.0355273740931033e-17));
    let t = y * b;
    let t_low = y.mul_add(b, -t) + y.mul_add(b_low, y_low * b);

    let negative = x < 0.0;
    // sin(πa)/π, from the distance to an integer.
    let q = a.round_ties_even();
    let d = a - q;
    let square = d * d;
    let p = 2.451728209052342e-07_f64;
    let p = p.mul_add(square, -6.972256903945789e-06);
    let p = p.mul_add(square, 0.00014842791240913064);
    let p = p.mul_add(square, -0.0023460809124363417);
    let p = p.mul_add(square, 0.026147847807848772);
    let p = p.mul_add(square, -0.19075182412167013);
    let p = p.mul_add(square, 0.8117424252833461);
    let p = p.mul_add(square, -1.6449340668482264);
    let p = p * square;
    let sine = p.mul_add(d, d);
    let sine = if (0.5 * q).trunc() == 0.5 * q { -sine } else { sine };
    // 1/(sine · series) with what the product and the reciprocal lose, or series/a.
    let product = sine * series;
    let product_low = sine.mul_add(series, -product);
    let inverse = product.recip();
    let residual = inverse.mul_add(-product_low, inverse.mul_add(-product, 1.0));
    let factor = if negative { residual.mul_add(inverse, inverse) } else { series / a };
    let t = if negative { -t } else { t };
    let t_low = if negative { -t_low } else { t_low };
    let r = exp2_sum_f64(t, t_low, factor);
    let r = if a < 1e-20 { x.recip() } else { r };
    let r = if negative && a.trunc() == a { f64::NAN } else { r };
    if x == f64::INFINITY || x.is_nan() { x } else { r }
}
