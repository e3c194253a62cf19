//! x · 2/π modulo 4 for large x.
//!
//! Payne and Hanek, *Radian reduction for trigonometric functions*, SIGNUM Newsletter 18 (1983): of the bits of 2/π, only
//! those matter whose product with x is neither a multiple of 4 nor negligible.

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
    let word = (offset >> 6) as usize;
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

/// The high 64 bits of a product of two 64-bit numbers.
pub fn mul_high_u64(a: u64, b: u64) -> u64 {
    let a_low = a & 0xffffffff;
    let b_low = b & 0xffffffff;
    let a_high = a >> 32;
    let b_high = b >> 32;
    let middle = a_high.wrapping_mul(b_low).wrapping_add(a_low.wrapping_mul(b_low) >> 32);
    let other = a_low.wrapping_mul(b_high).wrapping_add(middle & 0xffffffff);
    a_high.wrapping_mul(b_high).wrapping_add(middle >> 32).wrapping_add(other >> 32)
}

/// The mantissa of x with 64 bits, the factor of 2/π: |x| = m · 2^(e − 1086).
pub fn payne_hanek_mantissa_f64(x: f64) -> u64 {
    (x.to_bits() << 11) | 0x8000000000000000
}

/// The offset into [`TWO_OVER_PI`] of the first bit whose product with x counts: it has the weight 2.
pub fn payne_hanek_offset_f64(x: f64) -> u32 {
    ((x.to_bits() >> 52) as u32 & 0x7ff).wrapping_sub(1024)
}

/// |x| · 2/π modulo 4 for finite |x| ≥ 2³⁰, the bits after those of [`payne_hanek_high_f64`].
pub fn payne_hanek_low_f64(x: f64) -> u64 {
    let m = payne_hanek_mantissa_f64(x);
    let offset = payne_hanek_offset_f64(x);
    let next = mul_high_u64(m, two_over_pi_bits(offset + 128));
    m.wrapping_mul(two_over_pi_bits(offset + 64)).wrapping_add(next)
}

/// |x| · 2/π modulo 4 for finite |x| ≥ 2³⁰: 2 bits before the point, 62 after it.
pub fn payne_hanek_high_f64(x: f64, low: u64) -> u64 {
    let m = payne_hanek_mantissa_f64(x);
    let offset = payne_hanek_offset_f64(x);
    let middle = two_over_pi_bits(offset + 64);
    // The low word wrapped around if it is less than one of its terms.
    let carry = if low < m.wrapping_mul(middle) { 1 } else { 0 };
    m.wrapping_mul(two_over_pi_bits(offset)).wrapping_add(mul_high_u64(m, middle)).wrapping_add(carry)
}
