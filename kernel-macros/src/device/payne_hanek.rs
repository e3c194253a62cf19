//! x · 2/π modulo 4 for large x.
//!
//! Payne and Hanek, *Radian reduction for trigonometric functions*, SIGNUM Newsletter 18 (1983): of the bits of 2/π, only
//! those matter whose product with x is neither a multiple of 4 nor negligible.

use super::vocabulary::*;

/// The bits of 2/π after a word of zeros.
pub const TWO_OVER_PI: [u64; 20] = [
    0x0000000000000000,
    0xa2f9836e4e441529,
    0xfc2757d1f534ddc0,
    0xdb6295993c439041,
    0xfe5163abdebbc561,
    0xb7246e3a424dd2e0,
    0x06492eea09d1921c,
    0xfe1deb1cb129a73e,
    0xe88235f52ebb4484,
    0xe99c7026b45f7e41,
    0x3991d639835339f4,
    0x9c845f8bbdf9283b,
    0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f,
    0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea,
    0x6bfb5fb11f8d5d08,
    0x56033046fc7b6bab,
];

/// The 64 bits of 2/π at an offset into [`TWO_OVER_PI`].
pub fn two_over_pi_bits(offset: u32) -> u64 {
    // For x that is not finite, anything; but inside the table, so that the index needs no check.
    let word = (offset >> 6).min(18) as usize;
    let shift = offset & 63;
    // Shifts of 64, for an offset of 0, are avoided by shifting twice.
    (TWO_OVER_PI[word] << shift) | ((TWO_OVER_PI[word + 1] >> 1) >> (63 - shift))
}

/// |x| · 2/π modulo 4 for finite |x| ≥ 2¹⁶: 2 bits before the point, 62 after it.
pub fn payne_hanek_f32(x: f32) -> u64 {
    let bits = x.to_bits();
    // |x| = m · 2^(e − 158) with 32 bits of m; the first bit of the product that counts has the weight 2.
    let m = ((bits << 8) | 0x80000000) as u64;
    let offset = ((bits >> 23) & 0xff).wrapping_sub(96);
    let high = two_over_pi_bits(offset);
    let low = two_over_pi_bits(offset + 64) >> 32;
    let product = m.wrapping_mul(high >> 32) << 32;
    product.wrapping_add(m.wrapping_mul(high & 0xffffffff)).wrapping_add(m.wrapping_mul(low) >> 32)
}

/// |x| · 2/π modulo 4 for finite |x| ≥ 2³⁰: 2 bits before the point, 62 after it; and the 64 bits after these.
pub fn payne_hanek_f64(x: f64) -> (u64, u64) {
    let bits = x.to_bits();
    // |x| = m · 2^(e − 1086) with 64 bits of m; the first bit of the product that counts has the weight 2.
    let m = (bits << 11) | 0x8000000000000000;
    let offset = ((bits >> 52) as u32 & 0x7ff).wrapping_sub(1024);
    let middle = two_over_pi_bits(offset + 64);
    let product = m.wrapping_mul(middle);
    let low = product.wrapping_add(m.mul_hi(two_over_pi_bits(offset + 128)));
    let carry = if low < product { 1 } else { 0 };
    let high = m.wrapping_mul(two_over_pi_bits(offset)).wrapping_add(m.mul_hi(middle)).wrapping_add(carry);
    (high, low)
}
