//! Methods of `f16` and `bf16` that the crate `half` has, and that look at the bits alone.

use super::ordering::*;

/// Returns true if the sign bit is set.
pub fn is_sign_negative_f16(x: f16) -> bool {
    (x.to_bits() >> 15) != 0
}

/// Returns true if the sign bit is clear.
pub fn is_sign_positive_f16(x: f16) -> bool {
    (x.to_bits() >> 15) == 0
}

/// Returns true if the number is neither zero, subnormal, infinite nor NaN.
pub fn is_normal_f16(x: f16) -> bool {
    let exponent = x.to_bits() & 0x7c00;
    exponent != 0 && exponent != 0x7c00
}

/// 1 with the sign of the number, NaN of NaN.
pub fn signum_f16(x: f16) -> f16 {
    if x.is_nan() { x } else { f16::from_bits((x.to_bits() & 0x8000) | 0x3c00) }
}

/// `total_cmp` of `f16`
pub fn total_cmp_f16(a: f16, b: &f16) -> Ordering {
    let (a, b) = (a.to_bits() as i16, b.to_bits() as i16);
    let (a, b) = (a ^ ((a >> 15) as u16 >> 1) as i16, b ^ ((b >> 15) as u16 >> 1) as i16);
    order_cmp(&a, &b)
}

/// Returns true if the sign bit is set.
pub fn is_sign_negative_bf16(x: bf16) -> bool {
    (x.to_bits() >> 15) != 0
}

/// Returns true if the sign bit is clear.
pub fn is_sign_positive_bf16(x: bf16) -> bool {
    (x.to_bits() >> 15) == 0
}

/// Returns true if the number is neither zero, subnormal, infinite nor NaN.
pub fn is_normal_bf16(x: bf16) -> bool {
    let exponent = x.to_bits() & 0x7f80;
    exponent != 0 && exponent != 0x7f80
}

/// 1 with the sign of the number, NaN of NaN.
pub fn signum_bf16(x: bf16) -> bf16 {
    if x.is_nan() { x } else { bf16::from_bits((x.to_bits() & 0x8000) | 0x3f80) }
}

/// `total_cmp` of `bf16`
pub fn total_cmp_bf16(a: bf16, b: &bf16) -> Ordering {
    let (a, b) = (a.to_bits() as i16, b.to_bits() as i16);
    let (a, b) = (a ^ ((a >> 15) as u16 >> 1) as i16, b ^ ((b >> 15) as u16 >> 1) as i16);
    order_cmp(&a, &b)
}
