//! Integer square roots and decimal logarithms, which go through one width.

/// ⌊√x⌋: by floats, which are at most 1 off.
pub fn isqrt_u32(x: u32) -> u32 {
    let r = (x as f32).sqrt() as u32;
    // Below 2¹⁶, as the square of the result is.
    let r = if r > 65535 { 65535 } else { r };
    let r = if r.wrapping_mul(r) > x { r.wrapping_sub(1) } else { r };
    let next = r.wrapping_add(1);
    if r < 65535 && next.wrapping_mul(next) <= x { next } else { r }
}

/// ⌊√x⌋: by floats, which are at most 1 off.
pub fn isqrt_u64(x: u64) -> u64 {
    let r = (x as f64).sqrt() as u64;
    let r = if r > 4294967295 { 4294967295 } else { r };
    let r = if r.wrapping_mul(r) > x { r.wrapping_sub(1) } else { r };
    let next = r.wrapping_add(1);
    if r < 4294967295 && next.wrapping_mul(next) <= x { next } else { r }
}

/// [`isqrt_u32`] for `i8`; panics for a negative number.
pub fn isqrt_i8(x: i8) -> i8 {
    assert!(x >= 0, "argument of integer square root cannot be negative");
    isqrt_u32(x as u32) as i8
}

/// [`isqrt_u32`] for `i16`; panics for a negative number.
pub fn isqrt_i16(x: i16) -> i16 {
    assert!(x >= 0, "argument of integer square root cannot be negative");
    isqrt_u32(x as u32) as i16
}

/// [`isqrt_u32`] for `i32`; panics for a negative number.
pub fn isqrt_i32(x: i32) -> i32 {
    assert!(x >= 0, "argument of integer square root cannot be negative");
    isqrt_u32(x as u32) as i32
}

/// [`isqrt_u64`] for `i64`; panics for a negative number.
pub fn isqrt_i64(x: i64) -> i64 {
    assert!(x >= 0, "argument of integer square root cannot be negative");
    isqrt_u64(x as u64) as i64
}

/// [`isqrt_u64`] for `isize`; panics for a negative number.
pub fn isqrt_isize(x: isize) -> isize {
    assert!(x >= 0, "argument of integer square root cannot be negative");
    isqrt_u64(x as u64) as isize
}

/// [`isqrt_u32`] for `u8`.
pub fn isqrt_u8(x: u8) -> u8 {
    isqrt_u32(x as u32) as u8
}

/// [`isqrt_u32`] for `u16`.
pub fn isqrt_u16(x: u16) -> u16 {
    isqrt_u32(x as u32) as u16
}

/// [`isqrt_u64`] for `usize`.
pub fn isqrt_usize(x: usize) -> usize {
    isqrt_u64(x as u64) as usize
}

/// 10ⁿ.
pub const TEN_POWERS_U32: [u32; 10] =
    [1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000];

/// 10ⁿ.
pub const TEN_POWERS_U64: [u64; 20] = [
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    10000000000,
    100000000000,
    1000000000000,
    10000000000000,
    100000000000000,
    1000000000000000,
    10000000000000000,
    100000000000000000,
    1000000000000000000,
    10000000000000000000,
];

/// ⌊log₁₀ x⌋ for x > 0: of the binary logarithm, one too large at most.
pub fn ilog10_u32(x: u32) -> u32 {
    assert!(x > 0, "argument of integer logarithm must be positive");
    let n = (32_u32.wrapping_sub(x.leading_zeros()).wrapping_mul(1233)) >> 12;
    if x < TEN_POWERS_U32[n as usize] { n.wrapping_sub(1) } else { n }
}

/// ⌊log₁₀ x⌋ for x > 0: of the binary logarithm, one too large at most.
pub fn ilog10_u64(x: u64) -> u32 {
    assert!(x > 0, "argument of integer logarithm must be positive");
    let n = (64_u32.wrapping_sub(x.leading_zeros()).wrapping_mul(1233)) >> 12;
    if x < TEN_POWERS_U64[n as usize] { n.wrapping_sub(1) } else { n }
}

/// [`ilog10_u32`] for `i8`.
pub fn ilog10_i8(x: i8) -> u32 {
    ilog10_u32(if x < 0 { 0 } else { x as u32 })
}

/// [`ilog10_u32`] for `i16`.
pub fn ilog10_i16(x: i16) -> u32 {
    ilog10_u32(if x < 0 { 0 } else { x as u32 })
}

/// [`ilog10_u32`] for `i32`.
pub fn ilog10_i32(x: i32) -> u32 {
    ilog10_u32(if x < 0 { 0 } else { x as u32 })
}

/// [`ilog10_u64`] for `i64`.
pub fn ilog10_i64(x: i64) -> u32 {
    ilog10_u64(if x < 0 { 0 } else { x as u64 })
}

/// [`ilog10_u64`] for `isize`.
pub fn ilog10_isize(x: isize) -> u32 {
    ilog10_u64(if x < 0 { 0 } else { x as u64 })
}

/// [`ilog10_u32`] for `u8`.
pub fn ilog10_u8(x: u8) -> u32 {
    ilog10_u32(x as u32)
}

/// [`ilog10_u32`] for `u16`.
pub fn ilog10_u16(x: u16) -> u32 {
    ilog10_u32(x as u32)
}

/// [`ilog10_u64`] for `usize`.
pub fn ilog10_usize(x: usize) -> u32 {
    ilog10_u64(x as u64)
}

/// [`ilog10_i8`], if x is positive.
pub fn checked_ilog10_i8(x: i8) -> Option<u32> {
    if x > 0 { Some(ilog10_i8(x)) } else { None }
}

/// [`ilog10_i16`], if x is positive.
pub fn checked_ilog10_i16(x: i16) -> Option<u32> {
    if x > 0 { Some(ilog10_i16(x)) } else { None }
}

/// [`ilog10_i32`], if x is positive.
pub fn checked_ilog10_i32(x: i32) -> Option<u32> {
    if x > 0 { Some(ilog10_i32(x)) } else { None }
}

/// [`ilog10_i64`], if x is positive.
pub fn checked_ilog10_i64(x: i64) -> Option<u32> {
    if x > 0 { Some(ilog10_i64(x)) } else { None }
}

/// [`ilog10_isize`], if x is positive.
pub fn checked_ilog10_isize(x: isize) -> Option<u32> {
    if x > 0 { Some(ilog10_isize(x)) } else { None }
}

/// [`ilog10_u8`], if x is positive.
pub fn checked_ilog10_u8(x: u8) -> Option<u32> {
    if x > 0 { Some(ilog10_u8(x)) } else { None }
}

/// [`ilog10_u16`], if x is positive.
pub fn checked_ilog10_u16(x: u16) -> Option<u32> {
    if x > 0 { Some(ilog10_u16(x)) } else { None }
}

/// [`ilog10_u32`], if x is positive.
pub fn checked_ilog10_u32(x: u32) -> Option<u32> {
    if x > 0 { Some(ilog10_u32(x)) } else { None }
}

/// [`ilog10_u64`], if x is positive.
pub fn checked_ilog10_u64(x: u64) -> Option<u32> {
    if x > 0 { Some(ilog10_u64(x)) } else { None }
}

/// [`ilog10_usize`], if x is positive.
pub fn checked_ilog10_usize(x: usize) -> Option<u32> {
    if x > 0 { Some(ilog10_usize(x)) } else { None }
}
