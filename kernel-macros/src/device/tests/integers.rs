//! The methods of integers against Rust's own: all pairs of bytes, and samples of the wide types.

use super::super::*;

/// Compares a library method of one integer with Rust's own.
macro_rules! same {
    ($a:expr, $b:expr, $n:expr; $($got:expr => $want:expr;)*) => {$(
        assert_eq!($got, $want, "{} of {}, {}, {}", stringify!($got), $a, $b, $n);
    )*};
}

macro_rules! check_all {
    ($ty:ident, $a:expr, $b:expr, $n:expr) => {{
        let (a, b, n): ($ty, $ty, u32) = ($a, $b, $n);
        same! { a, b, n;
            pow_int(a, n) => a.wrapping_pow(n);
            overflowing_add_int(a, b) => a.overflowing_add(b);
            overflowing_sub_int(a, b) => a.overflowing_sub(b);
            overflowing_mul_int(a, b) => a.overflowing_mul(b);
            overflowing_neg_int(a) => a.overflowing_neg();
            overflowing_pow_int(a, n) => a.overflowing_pow(n);
            overflowing_shl_int(a, n) => a.overflowing_shl(n);
            overflowing_shr_int(a, n) => a.overflowing_shr(n);
            checked_add_int(a, b) => a.checked_add(b);
            checked_sub_int(a, b) => a.checked_sub(b);
            checked_mul_int(a, b) => a.checked_mul(b);
            checked_div_int(a, b) => a.checked_div(b);
            checked_rem_int(a, b) => a.checked_rem(b);
            checked_neg_int(a) => a.checked_neg();
            checked_pow_int(a, n) => a.checked_pow(n);
            checked_shl_int(a, n) => a.checked_shl(n);
            checked_shr_int(a, n) => a.checked_shr(n);
            checked_ilog2_int(a) => a.checked_ilog2();
            checked_ilog_int(a, b) => a.checked_ilog(b);
            saturating_add_int(a, b) => a.saturating_add(b);
            saturating_sub_int(a, b) => a.saturating_sub(b);
            saturating_mul_int(a, b) => a.saturating_mul(b);
            saturating_pow_int(a, n) => a.saturating_pow(n);
            midpoint_int(a, b) => a.midpoint(b);
            leading_ones_int(a) => a.leading_ones();
            trailing_ones_int(a) => a.trailing_ones();
            unbounded_shl_int(a, n) => a.unbounded_shl(n);
            unbounded_shr_int(a, n) => a.unbounded_shr(n);
        }
        if b != 0 {
            same! { a, b, n;
                wrapping_div_int(a, b) => a.wrapping_div(b);
                saturating_div_int(a, b) => a.saturating_div(b);
                wrapping_rem_int(a, b) => a.wrapping_rem(b);
            }
            if !division_overflows_int(a, b) {
                same! { a, b, n;
                    rem_euclid_int(a, b) => a.rem_euclid(b);
                    div_euclid_int(a, b) => a.div_euclid(b);
                }
            }
        }
        if a > 0 {
            same! { a, b, n; ilog2_int(a) => a.ilog2(); }
        }
    }};
}

macro_rules! check_signed {
    ($ty:ident, $a:expr) => {{
        let a: $ty = $a;
        same! { a, 0, 0;
            wrapping_abs_signed(a) => a.wrapping_abs();
            overflowing_abs_signed(a) => a.overflowing_abs();
            checked_abs_signed(a) => a.checked_abs();
            saturating_abs_signed(a) => a.saturating_abs();
            saturating_neg_signed(a) => a.saturating_neg();
            is_positive_signed(a) => a.is_positive();
            is_negative_signed(a) => a.is_negative();
        }
    }};
}

macro_rules! check_unsigned {
    ($ty:ident, $a:expr, $b:expr) => {{
        let (a, b): ($ty, $ty) = ($a, $b);
        same! { a, b, 0;
            checked_next_power_of_two_unsigned(a) => a.checked_next_power_of_two();
            checked_next_multiple_of_unsigned(a, b) => a.checked_next_multiple_of(b);
            is_multiple_of_unsigned(a, b) => a.is_multiple_of(b);
            carrying_add_unsigned(a, b, true) => a.carrying_add(b, true);
            carrying_add_unsigned(a, b, false) => a.carrying_add(b, false);
            borrowing_sub_unsigned(a, b, true) => a.borrowing_sub(b, true);
            borrowing_sub_unsigned(a, b, false) => a.borrowing_sub(b, false);
            carrying_mul_unsigned(a, b, a ^ b) => a.carrying_mul(b, a ^ b);
        }
        if b != 0 {
            same! { a, b, 0; div_ceil_unsigned(a, b) => a.div_ceil(b); }
        }
    }};
}

macro_rules! check_roots {
    ($($ty:ident $isqrt:ident $ilog10:ident $checked:ident, $a:expr;)*) => {$(
        let a: $ty = $a;
        same! { a, 0, 0; $checked(a) => a.checked_ilog10(); }
        #[allow(unused_comparisons)]
        if a >= 0 {
            same! { a, 0, 0; $isqrt(a) => a.isqrt(); }
        }
        if a > 0 {
            same! { a, 0, 0; $ilog10(a) => a.ilog10(); }
        }
    )*};
}

/// Wide numbers of every size, and those around squares and powers of ten.
fn wide() -> impl Iterator<Item = u64> {
    let sizes = (0..3000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (i % 64));
    let powers = (0..20).flat_map(|n| {
        let power = 10_u64.pow(n);
        [power - 1, power, power + 1]
    });
    let squares = (0..33).flat_map(|n| {
        let root = (1_u64 << n) - u64::from(n % 2 == 1);
        [root.wrapping_mul(root), root.wrapping_mul(root).wrapping_sub(1)]
    });
    sizes.chain(powers).chain(squares).chain([u64::MAX, 1 << 63, (1 << 63) - 1, u64::from(u32::MAX), 1 << 31])
}

#[test]
fn of_bytes() {
    for a in 0..=255_u8 {
        check_signed!(i8, a as i8);
        for b in 0..=255_u8 {
            let n = u32::from(a.wrapping_mul(7).wrapping_add(b) % 20);
            check_all!(u8, a, b, n);
            check_all!(i8, a as i8, b as i8, n);
            check_unsigned!(u8, a, b);
        }
    }
}

#[test]
fn of_words() {
    let all: Vec<u64> = wide().collect();
    for (i, &a) in all.iter().enumerate() {
        let b = all[(i * 7919 + 13) % all.len()];
        let n = (a % 70) as u32;
        check_all!(u64, a, b, n);
        check_all!(i64, a as i64, b as i64, n);
        check_all!(u32, a as u32, b as u32, n);
        check_all!(i32, a as i32, (b as i32) >> (n % 32), n);
        check_all!(u16, a as u16, b as u16, n);
        check_signed!(i64, a as i64);
        check_signed!(i32, a as i32);
        check_unsigned!(u64, a, b);
        check_unsigned!(u32, a as u32, b as u32);
        check_roots! {
            u8 isqrt_u8 ilog10_u8 checked_ilog10_u8, a as u8;
            u16 isqrt_u16 ilog10_u16 checked_ilog10_u16, a as u16;
            u32 isqrt_u32 ilog10_u32 checked_ilog10_u32, a as u32;
            u64 isqrt_u64 ilog10_u64 checked_ilog10_u64, a;
            usize isqrt_usize ilog10_usize checked_ilog10_usize, a as usize;
            i8 isqrt_i8 ilog10_i8 checked_ilog10_i8, a as i8;
            i16 isqrt_i16 ilog10_i16 checked_ilog10_i16, a as i16;
            i32 isqrt_i32 ilog10_i32 checked_ilog10_i32, a as i32;
            i64 isqrt_i64 ilog10_i64 checked_ilog10_i64, a as i64;
            isize isqrt_isize ilog10_isize checked_ilog10_isize, a as isize;
        }
    }
}

#[test]
fn next_powers_of_two() {
    assert_eq!([0_u8, 1, 2, 3, 128, 129].map(next_power_of_two_unsigned), [1, 1, 2, 4, 128, 0]);
    assert_eq!(next_power_of_two_unsigned((1_u64 << 40) + 1), 1 << 41);
    assert_eq!(next_multiple_of_unsigned(250_u8, 16), 0);
}
