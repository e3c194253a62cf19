//! Powers of two by their exponent, and products with them.

/// 2ⁿ for −126 ≤ n ≤ 127.
pub fn pow2_f32(n: i32) -> f32 {
    // The shift before the sum: one instruction does both. Bits of n from the tenth on do not count.
    f32::from_bits((n as u32).wrapping_shl(23).wrapping_add(0x3f800000))
}

/// 2ⁿ for −1022 ≤ n ≤ 1023.
pub fn pow2_f64(n: i32) -> f64 {
    f64::from_bits((n as u64).wrapping_shl(52).wrapping_add(0x3ff0000000000000))
}

/// x · 2ⁿ for −252 ≤ n ≤ 254, rounded once for x of about 1: in two factors, of which only the second can leave the normal range.
pub fn scale_f32(x: f32, n: i32) -> f32 {
    let half = n >> 1;
    let scaled = x * pow2_f32(half);
    scaled * pow2_f32(n.wrapping_sub(half))
}

/// x · 2ⁿ for −2044 ≤ n ≤ 2046, rounded once for x of about 1: in two factors, of which only the second can leave the normal range.
pub fn scale_f64(x: f64, n: i32) -> f64 {
    let half = n >> 1;
    let scaled = x * pow2_f64(half);
    scaled * pow2_f64(n.wrapping_sub(half))
}
