//! Reference functions where a library's own differs from ours in a special value.

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

/// Γ(x); NaN for negative integers and −∞, ±∞ for ±0.
pub fn tgamma(x: f64) -> f64 {
    match x {
        _ if x == 0.0 => 1.0 / x,
        _ if x < 0.0 && x.trunc() == x => f64::NAN,
        _ => pxfm::f_tgamma(x),
    }
}

/// xʸ with the special values of C's `pow`.
pub fn pow(x: f64, y: f64) -> f64 {
    if x == 1.0 || y == 0.0 { 1.0 } else { pxfm::f_pow(x, y) }
}
