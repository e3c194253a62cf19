//! Functions that Rust's standard library lacks, for device functions that run on the host outside a kernel.

use std::f64::consts::PI;

/// sin πx. That of an integer is 0 with the integer's sign.
pub fn sinpi(x: f64) -> f64 {
    // To the nearest quarter turn, which is exact.
    let turn = x.abs() % 2.0;
    let quarter = (2.0 * turn).round();
    let rest = PI * (turn - 0.5 * quarter);
    let sine = match quarter as i32 {
        0 | 4 => rest.sin(),
        1 => rest.cos(),
        2 => -rest.sin(),
        _ => -rest.cos(),
    };
    if sine == 0.0 { 0f64.copysign(x) } else { sine * 1f64.copysign(x) }
}

/// cos πx. Zeros are positive.
pub fn cospi(x: f64) -> f64 {
    let turn = x.abs() % 2.0;
    let quarter = (2.0 * turn).round();
    let rest = PI * (turn - 0.5 * quarter);
    let cosine = match quarter as i32 {
        0 | 4 => rest.cos(),
        1 => -rest.sin(),
        2 => -rest.cos(),
        _ => rest.sin(),
    };
    if cosine == 0.0 { 0.0 } else { cosine }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_of_pi_are_exact_at_quarters() {
        for (x, sine, cosine) in [
            (0.0, 0.0, 1.0),
            (0.5, 1.0, 0.0),
            (1.0, 0.0, -1.0),
            (1.5, -1.0, 0.0),
            (-2.0, -0.0, 1.0),
            (-0.5, -1.0, 0.0),
        ] {
            assert_eq!(
                (sinpi(x).to_bits(), cospi(x).to_bits()),
                (f64::to_bits(sine), f64::to_bits(cosine)),
                "{x}"
            );
        }
        assert!((sinpi(0.25) - cospi(0.25)).abs() < 1e-15 && sinpi(f64::INFINITY).is_nan());
        assert!((sinpi(-1e6 - 0.25) + 0.5f64.sqrt()).abs() < 1e-9);
    }
}
