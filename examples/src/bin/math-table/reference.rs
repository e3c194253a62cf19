//! Reference functions where a library's own is wrong for a special value, or undefined.

/// sin πx; that of an integer is 0 with the integer's sign.
pub fn sinpi(x: f64) -> f64 {
    let value = pxfm::f_sinpi(x);
    if value == 0.0 { 0.0_f64.copysign(x) } else { value }
}

/// cos πx; zeros are positive.
pub fn cospi(x: f64) -> f64 {
    // Adding 0 makes +0 of −0.
    pxfm::f_cospi(x) + 0.0
}

/// 1/√x; −∞ for −0, as by division.
pub fn rsqrt(x: f64) -> f64 {
    if x == 0.0 { 1.0 / x } else { pxfm::f_rsqrt(x) }
}

/// 1/∛x.
pub fn rcbrt(x: f64) -> f64 {
    if x == 0.0 { 1.0 / x } else { pxfm::f_rcbrt(x) }
}

/// sinh x.
pub fn sinh(x: f64) -> f64 {
    if x == 0.0 { x } else { pxfm::f_sinh(x) }
}

/// eˣ; the library's subnormal results are wrong, so these are the host's.
pub fn exp(x: f64) -> f64 {
    if x < -708.0 { x.exp() } else { pxfm::f_exp(x) }
}

/// 10ˣ; the library's subnormal results are wrong, so these are the host's.
pub fn exp10(x: f64) -> f64 {
    if x < -307.0 { 10f64.powf(x) } else { pxfm::f_exp10(x) }
}

/// Γ(x); NaN for negative integers and −∞, ±∞ for ±0, and zeros with the sign of what they are rounded from.
pub fn tgamma(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0 / x;
    }
    if x < 0.0 && x.trunc() == x {
        return f64::NAN;
    }
    // The library's is infinite too early; Γ(x) = (x − 1)·Γ(x − 1), to within two steps.
    let value = if x > 171.0 { (x - 1.0) * pxfm::f_tgamma(x - 1.0) } else { pxfm::f_tgamma(x) };
    // Negative from −1 to 0, positive from −2 to −1, and so on.
    let sign = if x < 0.0 && x.floor() % 2.0 != 0.0 { -1.0 } else { 1.0 };
    if value == 0.0 { 0f64.copysign(sign) } else { value }
}

/// ln |Γ(x)|; ∞ for ±0.
pub fn lgamma(x: f64) -> f64 {
    match x {
        0.0 => f64::INFINITY,
        // The library's is infinite too early; the rest of Stirling's series is below the last place.
        _ if x > 1e300 => x * (x.ln() - 1.0),
        _ => pxfm::f_lgamma(x),
    }
}

/// The angle of (x, y), which has the sign of y.
pub fn atan2(y: f64, x: f64) -> f64 {
    pxfm::f_atan2(y, x).copysign(y)
}

/// xʸ with the special values of C's `pow`, which the host's has, and the subnormal ones.
pub fn pow(x: f64, y: f64) -> f64 {
    // Also of a signaling NaN, of which the host's power is NaN.
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    let value = pxfm::f_pow(x, y);
    if value.is_nan() || value.abs() < f64::MIN_POSITIVE { x.powf(y) } else { value }
}
