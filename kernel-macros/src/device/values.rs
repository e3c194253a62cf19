//! Functions behind paths of methods that are handed over: `fold(0.0, f32::max)`.

/// `T::max`
pub fn value_max<T: Number>(a: T, b: T) -> T {
    a.max(b)
}

/// `T::min`
pub fn value_min<T: Number>(a: T, b: T) -> T {
    a.min(b)
}

/// `T::abs`
pub fn value_abs<T: Number>(a: T) -> T {
    a.abs()
}

/// `T::default`
pub fn value_default<T: Default>() -> T {
    T::default()
}

/// `T::sqrt`
pub fn value_sqrt<T: Float>(a: T) -> T {
    a.sqrt()
}

/// `T::floor`
pub fn value_floor<T: Float>(a: T) -> T {
    a.floor()
}

/// `T::ceil`
pub fn value_ceil<T: Float>(a: T) -> T {
    a.ceil()
}

/// `T::trunc`
pub fn value_trunc<T: Float>(a: T) -> T {
    a.trunc()
}

/// `T::recip`
pub fn value_recip<T: Float>(a: T) -> T {
    a.recip()
}

/// `T::wrapping_add`
pub fn value_wrapping_add<T: Int>(a: T, b: T) -> T {
    a.wrapping_add(b)
}

/// `T::wrapping_mul`
pub fn value_wrapping_mul<T: Int>(a: T, b: T) -> T {
    a.wrapping_mul(b)
}

/// `T::count_ones`
pub fn value_count_ones<T: Int>(a: T) -> u32 {
    a.count_ones()
}

/// `T::wrapping_sub`
pub fn value_wrapping_sub<T: Int>(a: T, b: T) -> T {
    a.wrapping_sub(b)
}

/// `T::leading_zeros`
pub fn value_leading_zeros<T: Int>(a: T) -> u32 {
    a.leading_zeros()
}

/// `T::trailing_zeros`
pub fn value_trailing_zeros<T: Int>(a: T) -> u32 {
    a.trailing_zeros()
}

/// `T::swap_bytes`
pub fn value_swap_bytes<T: Int>(a: T) -> T {
    a.swap_bytes()
}

/// `T::reverse_bits`
pub fn value_reverse_bits<T: Int>(a: T) -> T {
    a.reverse_bits()
}

/// `T::rotate_left`
pub fn value_rotate_left<T: Int>(a: T, n: u32) -> T {
    a.rotate_left(n)
}

/// `T::rotate_right`
pub fn value_rotate_right<T: Int>(a: T, n: u32) -> T {
    a.rotate_right(n)
}

/// `T::mul_add`
pub fn value_mul_add<T: Float>(a: T, b: T, c: T) -> T {
    a.mul_add(b, c)
}

/// `T::clamp`
pub fn value_clamp<T: Number>(a: T, low: T, high: T) -> T {
    a.clamp(low, high)
}

/// `T::total_cmp`, which takes references.
pub fn value_total_cmp<T: Float>(a: &T, b: &T) -> core::cmp::Ordering {
    a.total_cmp(b)
}

/// `T::partial_cmp`, which takes references.
pub fn value_partial_cmp<T: Number>(a: &T, b: &T) -> Option<core::cmp::Ordering> {
    a.partial_cmp(b)
}

/// `T::cmp`, which takes references.
pub fn value_cmp<T: Int>(a: &T, b: &T) -> core::cmp::Ordering {
    a.cmp(b)
}

/// `u8::is_ascii`, which takes a reference.
pub fn value_is_ascii(a: &u8) -> bool {
    a.is_ascii()
}

/// `u8::is_ascii_digit`, which takes a reference.
pub fn value_is_ascii_digit(a: &u8) -> bool {
    a.is_ascii_digit()
}

/// `u8::is_ascii_alphabetic`, which takes a reference.
pub fn value_is_ascii_alphabetic(a: &u8) -> bool {
    a.is_ascii_alphabetic()
}

/// `u8::is_ascii_alphanumeric`, which takes a reference.
pub fn value_is_ascii_alphanumeric(a: &u8) -> bool {
    a.is_ascii_alphanumeric()
}

/// `u8::is_ascii_uppercase`, which takes a reference.
pub fn value_is_ascii_uppercase(a: &u8) -> bool {
    a.is_ascii_uppercase()
}

/// `u8::is_ascii_lowercase`, which takes a reference.
pub fn value_is_ascii_lowercase(a: &u8) -> bool {
    a.is_ascii_lowercase()
}

/// `u8::is_ascii_whitespace`, which takes a reference.
pub fn value_is_ascii_whitespace(a: &u8) -> bool {
    a.is_ascii_whitespace()
}

/// `u8::is_ascii_punctuation`, which takes a reference.
pub fn value_is_ascii_punctuation(a: &u8) -> bool {
    a.is_ascii_punctuation()
}

/// `u8::is_ascii_hexdigit`, which takes a reference.
pub fn value_is_ascii_hexdigit(a: &u8) -> bool {
    a.is_ascii_hexdigit()
}

/// `u8::is_ascii_graphic`, which takes a reference.
pub fn value_is_ascii_graphic(a: &u8) -> bool {
    a.is_ascii_graphic()
}

/// `u8::is_ascii_control`, which takes a reference.
pub fn value_is_ascii_control(a: &u8) -> bool {
    a.is_ascii_control()
}

/// `u8::to_ascii_uppercase`, which takes a reference.
pub fn value_to_ascii_uppercase(a: &u8) -> u8 {
    a.to_ascii_uppercase()
}

/// `u8::to_ascii_lowercase`, which takes a reference.
pub fn value_to_ascii_lowercase(a: &u8) -> u8 {
    a.to_ascii_lowercase()
}

/// `T::add`
pub fn value_add<T: Copy + core::ops::Add<Output = T>>(a: T, b: T) -> T {
    a + b
}

/// `T::sub`
pub fn value_sub<T: Copy + core::ops::Sub<Output = T>>(a: T, b: T) -> T {
    a - b
}

/// `T::mul`
pub fn value_mul<T: Copy + core::ops::Mul<Output = T>>(a: T, b: T) -> T {
    a * b
}

/// `T::div`
pub fn value_div<T: Copy + core::ops::Div<Output = T>>(a: T, b: T) -> T {
    a / b
}

/// `T::rem`
pub fn value_rem<T: Copy + core::ops::Rem<Output = T>>(a: T, b: T) -> T {
    a % b
}

/// `T::bitand`
pub fn value_bitand<T: Copy + core::ops::BitAnd<Output = T>>(a: T, b: T) -> T {
    a & b
}

/// `T::bitor`
pub fn value_bitor<T: Copy + core::ops::BitOr<Output = T>>(a: T, b: T) -> T {
    a | b
}

/// `T::bitxor`
pub fn value_bitxor<T: Copy + core::ops::BitXor<Output = T>>(a: T, b: T) -> T {
    a ^ b
}

/// `T::neg`
pub fn value_neg<T: Copy + core::ops::Neg<Output = T>>(a: T) -> T {
    -a
}

/// `T::not`
pub fn value_not<T: Copy + core::ops::Not<Output = T>>(a: T) -> T {
    !a
}
