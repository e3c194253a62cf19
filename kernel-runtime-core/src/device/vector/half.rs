//! Rounding to 16-bit floats.

/// The bits of the nearest 16-bit float, ties to even, with so many bits of mantissa and this largest exponent.
pub fn half_from_f64(value: f64, mantissa: u32, max_exponent: i32) -> u16 {
    let min_exponent = 1 - max_exponent;
    let sign = u16::from(value.is_sign_negative()) << 15;
    let infinity = ((2 * max_exponent + 1) as u16) << mantissa;
    if value.is_nan() {
        return sign | infinity | 1 << (mantissa - 1);
    }
    let magnitude = value.abs();
    // Of zero and what is subnormal as an f64 it is below all others.
    let exponent = (((magnitude.to_bits() >> 52) as i32) - 1023).max(min_exponent);
    if exponent > max_exponent {
        return sign | infinity;
    }
    // In units of the last place: exact before rounding, since only the exponent changes.
    let units = (magnitude * 2f64.powi(mantissa as i32 - exponent)).round_ties_even() as u16;
    // A carry out of the mantissa goes to the exponent by itself.
    sign | ((((exponent - min_exponent) as u16) << mantissa) + units).min(infinity)
}

#[cfg(test)]
mod tests {
    use super::half_from_f64;

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=u16::MAX {
            let (f16, bf16) = (half::f16::from_bits(bits), half::bf16::from_bits(bits));
            if !f16.is_nan() {
                assert_eq!(half_from_f64(f16.to_f64(), 10, 15), bits);
            }
            if !bf16.is_nan() {
                assert_eq!(half_from_f64(bf16.to_f64(), 7, 127), bits);
            }
        }
        assert!(half::f16::from_bits(half_from_f64(f64::NAN, 10, 15)).is_nan());
    }

    #[test]
    fn ties_go_to_even() {
        for bits in (0..0x7c00).step_by(7) {
            let [a, b] = [bits, bits + 1].map(|bits| half::f16::from_bits(bits).to_f64());
            if b.is_finite() {
                assert_eq!(half_from_f64((a + b) / 2.0, 10, 15), (bits + 1) & !1);
            }
        }
    }
}
