//! The error function and its complement for f64: as for f32, but the error function beyond 1 is 1 − erfc x.

use super::exp_f64::*;
use super::scale::*;

/// erf x for |x| < 1, a minimax polynomial.
pub fn erf_small_f64(x: f64) -> f64 {
    let z = x * x;
    let p = -7.768631603009701e-10_f64;
    let p = p.mul_add(z, 1.370470581236866e-08);
    let p = p.mul_add(z, -1.6204733000644746e-07);
    let p = p.mul_add(z, 1.6446904371860057e-06);
    let p = p.mul_add(z, -1.4924691776601541e-05);
    let p = p.mul_add(z, 0.000120552923664167);
    let p = p.mul_add(z, -0.000854832588244731);
    let p = p.mul_add(z, 0.0052239776049508215);
    let p = p.mul_add(z, -0.026866170642933267);
    let p = p.mul_add(z, 0.11283791670942668);
    let p = p.mul_add(z, -0.3761263890318346);
    let p = p.mul_add(z, 0.12837916709551256);
    p.mul_add(x, x)
}

/// The error function.
pub fn erf_f64(x: f64) -> f64 {
    let a = x.abs();
    let r = if a < 1.0 { erf_small_f64(a) } else { 1.0 - erfc_positive_f64(a) };
    r.copysign(x)
}

/// erfc a = e^(−a²) · (1 + h)/(1 + 2a) for a ≥ ½, with h a minimax polynomial in (a − 4)/(a + 4) (the transformation of
/// Shepherd and Laframboise, *Chebyshev approximation of (1 + 2x)exp(x²)erfc x*, 1981). The exponential takes in what
/// a² loses to rounding, and its 1 is kept apart to the end.
pub fn erfc_positive_f64(a: f64) -> f64 {
    let r = (a + 4.0).recip();
    let q = (a - 4.0) * r;
    // The residual of a − 4 = q(a + 4), without the sums' rounding.
    let residual = a.mul_add(-q, (q + 1.0).mul_add(-4.0, a));
    let q = residual.mul_add(r, q);
    let p = 1.148132683761378e-09_f64;
    let p = p.mul_add(q, 1.4813907820053728e-09);
    let p = p.mul_add(q, -1.4196874576187251e-08);
    let p = p.mul_add(q, -1.7043911264135705e-08);
    let p = p.mul_add(q, 1.1093084483416463e-07);
    let p = p.mul_add(q, 7.381668172192176e-08);
    let p = p.mul_add(q, -8.267965893465652e-07);
    let p = p.mul_add(q, 2.9412661119841767e-07);
    let p = p.mul_add(q, 5.710799309733339e-06);
    let p = p.mul_add(q, -1.1222019586514107e-05);
    let p = p.mul_add(q, -2.439970382159183e-05);
    let p = p.mul_add(q, 0.0001506216171891054);
    let p = p.mul_add(q, -0.00019925655460263086);
    let p = p.mul_add(q, -0.000757773263717107);
    let p = p.mul_add(q, 0.005031969952874057);
    let p = p.mul_add(q, -0.01619773406310252);
    let p = p.mul_add(q, 0.03716751554020562);
    let p = p.mul_add(q, -0.06633036581158466);
    let p = p.mul_add(q, 0.09373283499818594);
    let p = p.mul_add(q, -0.10103906603634472);
    let p = p.mul_add(q, 0.06809705425469727);
    let p = p.mul_add(q, 0.015379652102620912);
    let p = p.mul_add(q, -0.13962111684056255);
    let p = p.mul_add(q, 0.2329951186255525);
    // (1 + h)/(1 + 2a), with what the sum and the reciprocal lose added to h.
    let d = a + a;
    let d1 = d + 1.0;
    let d1_low = d - (d1 - 1.0);
    let r = d1.recip();
    let h = p + d1_low.mul_add(-r, d1.mul_add(-r, 1.0));

    let square = a * a;
    let square_low = a.mul_add(a, -square);
    let k = square.mul_add(-1.4426950408889634, ROUND_F64);
    let n = k.to_bits() as i32;
    let k = k - ROUND_F64;
    let f = k.mul_add(-0.6931471805592082, -square);
    let f = k.mul_add(-7.371002565167799e-13, f) - square_low;
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
    let e = p.mul_add(f * f, f);
    // r·(1 + h)·(1 + e)
    let g = e.mul_add(h, h + e);
    let r = scale_f64(r.mul_add(g, r), n);
    if a > 27.3 { 0.0 } else { r }
}

/// The complementary error function.
pub fn erfc_f64(x: f64) -> f64 {
    let a = x.abs();
    if a < 0.5 {
        1.0 - erf_small_f64(x)
    } else {
        let r = erfc_positive_f64(a);
        if x < 0.0 { 2.0 - r } else { r }
    }
}
