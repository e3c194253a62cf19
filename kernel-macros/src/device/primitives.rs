//! Primitive types that are structs of the library: integers of 128 bits, and `char`.
//!
//! Their literals, patterns and casts are those of Rust; everything else is an item of these texts. A cast is a function: see
//! [`cast`].

/// The name of `char`.
pub const CHAR: &str = "char";

/// The integers of 128 bits: two words, the lower one first, as in memory.
pub const WIDE: &[&str] = &["u128", "i128"];

/// Every such type.
pub const ALL: &[&str] = &[CHAR, WIDE[0], WIDE[1]];

/// Returns true for the name of such a type.
pub fn is_primitive(name: &str) -> bool {
    ALL.contains(&name)
}

/// The function behind `as` between such a type and another, or a scalar's class: `int`, `float` or `bool`.
pub fn cast(from: &str, to: &str) -> String {
    format!("{from}_as_{to}")
}

/// The way to a scalar.
pub fn help_for_number(name: &str) -> &'static str {
    match name {
        CHAR => "convert with `as u32`",
        _ => "convert with `as u64`, after `>> 64` to the upper half",
    }
}

/// The way to a right operand for an operator on such a type.
pub fn help_for_operand(name: &str) -> String {
    match name {
        CHAR => "write `(c as u8 + 1) as char`, or `c as u32 + 1`".to_owned(),
        _ => format!("convert with `as {name}`"),
    }
}

/// Methods of `char` that ask the tables of Unicode, and what asks ASCII alone.
const OF_UNICODE: &[(&str, &str)] = &[
    ("is_alphabetic", "is_ascii_alphabetic()"),
    ("is_alphanumeric", "is_ascii_alphanumeric()"),
    ("is_numeric", "is_ascii_digit()"),
    ("is_uppercase", "is_ascii_uppercase()"),
    ("is_lowercase", "is_ascii_lowercase()"),
    ("is_whitespace", "is_ascii_whitespace()"),
    ("is_control", "is_ascii_control()"),
    ("to_uppercase", "to_ascii_uppercase()"),
    ("to_lowercase", "to_ascii_lowercase()"),
];

/// The way to what a method of such a type would do.
pub fn help_for_method(name: &str, method: &str) -> String {
    match name {
        CHAR if let Some((_, ascii)) = OF_UNICODE.iter().find(|row| row.0 == method) => {
            format!("write `{ascii}`, which knows ASCII: the tables of Unicode are not there")
        }
        CHAR => "those of ASCII are there, `c.is_ascii_alphabetic()` and its like; for another write a function that takes a `char`".to_owned(),
        _ => format!("write a function that takes a `{name}`"),
    }
}

/// Items that the signed and the unsigned integer share, as text.
macro_rules! wide {
    ($ty:literal, $other:literal, $hi:literal, $min:literal, $max:literal) => {
        concat!(
            "#[derive(Clone, Copy, PartialEq, Eq, Default, Element)] #[repr(C, align(16))] pub struct ", $ty, " { lo: u64, hi: u64 }
            impl ", $ty, " {
                pub const MIN: Self = ", $min, ";
                pub const MAX: Self = ", $max, ";
                pub const BITS: u32 = 128;
                pub const ZERO: Self = Self { lo: 0, hi: 0 };
                pub const fn from_le_bytes(b: [u8; 16]) -> Self {
                    Self { lo: u64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]), hi: u64::from_le_bytes([b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]]) }
                }
                pub const fn from_ne_bytes(b: [u8; 16]) -> Self { Self::from_le_bytes(b) }
                pub const fn from_be_bytes(b: [u8; 16]) -> Self { Self::from_le_bytes(b).swap_bytes() }
                pub const fn to_le_bytes(self) -> [u8; 16] {
                    let (l, h) = (self.lo.to_le_bytes(), self.hi.to_le_bytes());
                    [l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7], h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]]
                }
                pub const fn to_ne_bytes(self) -> [u8; 16] { self.to_le_bytes() }
                pub const fn to_be_bytes(self) -> [u8; 16] { self.swap_bytes().to_le_bytes() }
                pub const fn count_ones(self) -> u32 { self.lo.count_ones() + self.hi.count_ones() }
                pub const fn count_zeros(self) -> u32 { 128 - self.count_ones() }
                pub const fn leading_zeros(self) -> u32 { if self.hi == 0 { 64 + self.lo.leading_zeros() } else { self.hi.leading_zeros() } }
                pub const fn trailing_zeros(self) -> u32 { if self.lo == 0 { 64 + self.hi.trailing_zeros() } else { self.lo.trailing_zeros() } }
                pub const fn leading_ones(self) -> u32 { (!self).leading_zeros() }
                pub const fn trailing_ones(self) -> u32 { (!self).trailing_zeros() }
                pub const fn swap_bytes(self) -> Self { Self { lo: self.hi.swap_bytes(), hi: self.lo.swap_bytes() } }
                pub const fn reverse_bits(self) -> Self { Self { lo: self.hi.reverse_bits(), hi: self.lo.reverse_bits() } }
                pub const fn wrapping_add(self, b: Self) -> Self { self + b }
                pub const fn wrapping_sub(self, b: Self) -> Self { self - b }
                pub const fn wrapping_mul(self, b: Self) -> Self { self * b }
                pub const fn wrapping_neg(self) -> Self { Self { lo: 0, hi: 0 } - self }
                pub const fn wrapping_shl(self, n: u32) -> Self { self << (n & 127) }
                pub const fn wrapping_shr(self, n: u32) -> Self { self >> (n & 127) }
                pub const fn rotate_left(self, n: u32) -> Self {
                    let of = self as u128;
                    let n = n & 127;
                    let turned = of << n | (of >> 1u32) >> (127 - n);
                    Self { lo: turned.lo, hi: turned.hi }
                }
                pub const fn rotate_right(self, n: u32) -> Self { self.rotate_left(128 - (n & 127)) }
                pub const fn overflowing_add(self, b: Self) -> (Self, bool) { let sum = self + b; (sum, sum.less(self) != b.is_negative_word()) }
                pub const fn overflowing_sub(self, b: Self) -> (Self, bool) { let less = self - b; (less, self.less(less) != b.is_negative_word()) }
                pub const fn checked_add(self, b: Self) -> Option<Self> { let (sum, over) = self.overflowing_add(b); if over { None } else { Some(sum) } }
                pub const fn checked_sub(self, b: Self) -> Option<Self> { let (less, over) = self.overflowing_sub(b); if over { None } else { Some(less) } }
                pub const fn checked_div(self, b: Self) -> Option<Self> { if self.cannot_divide(b) { None } else { Some(self / b) } }
                pub const fn checked_rem(self, b: Self) -> Option<Self> { if self.cannot_divide(b) { None } else { Some(self % b) } }
                pub const fn checked_div_euclid(self, b: Self) -> Option<Self> { if self.cannot_divide(b) { None } else { Some(self.div_euclid(b)) } }
                pub const fn checked_rem_euclid(self, b: Self) -> Option<Self> { if self.cannot_divide(b) { None } else { Some(self.rem_euclid(b)) } }
                pub const fn wrapping_div(self, b: Self) -> Self { if self.overflows_divided_by(b) { self } else { self / b } }
                pub const fn wrapping_rem(self, b: Self) -> Self { if self.overflows_divided_by(b) { Self { lo: 0, hi: 0 } } else { self % b } }
                pub const fn checked_pow(self, n: u32) -> Option<Self> {
                    let mut n = n;
                    let mut base = Some(self);
                    let mut power = Some(Self { lo: 1, hi: 0 });
                    while n > 0 {
                        if n & 1 == 1 { power = match (power, base) { (Some(a), Some(b)) => a.checked_mul(b), _ => None }; }
                        n = n >> 1;
                        if n > 0 { base = match base { Some(b) => b.checked_mul(b), None => None }; }
                    }
                    power
                }
                pub const fn wrapping_pow(self, n: u32) -> Self { self.pow(n) }
                pub const fn overflowing_mul(self, b: Self) -> (Self, bool) { (self * b, self.checked_mul(b).is_none()) }
                pub const fn checked_ilog2(self) -> Option<u32> {
                    if self.is_negative_word() || self.lo | self.hi == 0 { None } else { Some(127 - self.leading_zeros()) }
                }
                pub const fn ilog2(self) -> u32 {
                    match self.checked_ilog2() {
                        Some(n) => n,
                        None => panic!(\"argument of integer logarithm must be positive\"),
                    }
                }
                pub const fn checked_ilog10(self) -> Option<u32> {
                    if self.is_negative_word() || self.lo | self.hi == 0 { return None; }
                    let mut n = 0;
                    let mut rest = self;
                    let ten = Self { lo: 10, hi: 0 };
                    while !rest.less(ten) {
                        rest = rest / ten;
                        n += 1;
                    }
                    Some(n)
                }
                pub const fn ilog10(self) -> u32 {
                    match self.checked_ilog10() {
                        Some(n) => n,
                        None => panic!(\"argument of integer logarithm must be positive\"),
                    }
                }
                pub const fn pow(self, n: u32) -> Self {
                    let mut n = n;
                    let mut base = self;
                    let mut power = Self { lo: 1, hi: 0 };
                    while n > 0 {
                        if n & 1 == 1 { power = power * base; }
                        base = base * base;
                        n = n >> 1;
                    }
                    power
                }
                pub const fn min(self, b: Self) -> Self { if b.less(self) { b } else { self } }
                pub const fn max(self, b: Self) -> Self { if b.less(self) { self } else { b } }
                pub const fn clamp(self, low: Self, high: Self) -> Self { self.max(low).min(high) }
                const fn less(self, b: Self) -> bool { (self.hi as ", $hi, ") < (b.hi as ", $hi, ") || self.hi == b.hi && self.lo < b.lo }
                const fn is_negative_word(self) -> bool { (self.hi as ", $hi, ") < 0 }
            }
            impl PartialOrd for ", $ty, " { fn partial_cmp(&self, b: &Self) -> Option<core::cmp::Ordering> { Some(self.cmp(b)) } }
            impl Ord for ", $ty, " {
                fn cmp(&self, b: &Self) -> core::cmp::Ordering {
                    if self.hi == b.hi { self.lo.cmp(&b.lo) } else { (self.hi as ", $hi, ").cmp(&(b.hi as ", $hi, ")) }
                }
            }
            impl Add for ", $ty, " {
                type Output = Self;
                fn add(self, b: Self) -> Self {
                    let lo = self.lo.wrapping_add(b.lo);
                    Self { lo, hi: self.hi.wrapping_add(b.hi).wrapping_add((lo < self.lo) as u64) }
                }
            }
            impl Sub for ", $ty, " {
                type Output = Self;
                fn sub(self, b: Self) -> Self {
                    Self { lo: self.lo.wrapping_sub(b.lo), hi: self.hi.wrapping_sub(b.hi).wrapping_sub((self.lo < b.lo) as u64) }
                }
            }
            impl Mul for ", $ty, " {
                type Output = Self;
                fn mul(self, b: Self) -> Self {
                    let crossed = self.lo.wrapping_mul(b.hi).wrapping_add(self.hi.wrapping_mul(b.lo));
                    Self { lo: self.lo.wrapping_mul(b.lo), hi: self.lo.mul_hi(b.lo).wrapping_add(crossed) }
                }
            }
            impl BitAnd for ", $ty, " { type Output = Self; fn bitand(self, b: Self) -> Self { Self { lo: self.lo & b.lo, hi: self.hi & b.hi } } }
            impl BitOr for ", $ty, " { type Output = Self; fn bitor(self, b: Self) -> Self { Self { lo: self.lo | b.lo, hi: self.hi | b.hi } } }
            impl BitXor for ", $ty, " { type Output = Self; fn bitxor(self, b: Self) -> Self { Self { lo: self.lo ^ b.lo, hi: self.hi ^ b.hi } } }
            impl Not for ", $ty, " { type Output = Self; fn not(self) -> Self { Self { lo: !self.lo, hi: !self.hi } } }
            impl<T: Int> Shl<T> for ", $ty, " {
                type Output = Self;
                fn shl(self, n: T) -> Self {
                    let n = n as u32 & 127;
                    if n >= 64 { return Self { lo: 0, hi: self.lo << (n - 64) }; }
                    Self { lo: self.lo << n, hi: self.hi << n | (self.lo >> 1) >> (63 - n) }
                }
            }
            impl<T: Int> Shr<T> for ", $ty, " {
                type Output = Self;
                fn shr(self, n: T) -> Self {
                    let n = n as u32 & 127;
                    let hi = self.hi as ", $hi, ";
                    if n >= 64 { return Self { lo: (hi >> (n - 64)) as u64, hi: (hi >> 63 >> 1) as u64 }; }
                    Self { lo: self.lo >> n | (self.hi << 1) << (63 - n), hi: (hi >> n) as u64 }
                }
            }
            impl AddAssign for ", $ty, " { fn add_assign(&mut self, b: Self) { *self = *self + b; } }
            impl SubAssign for ", $ty, " { fn sub_assign(&mut self, b: Self) { *self = *self - b; } }
            impl MulAssign for ", $ty, " { fn mul_assign(&mut self, b: Self) { *self = *self * b; } }
            impl DivAssign for ", $ty, " { fn div_assign(&mut self, b: Self) { *self = *self / b; } }
            impl RemAssign for ", $ty, " { fn rem_assign(&mut self, b: Self) { *self = *self % b; } }
            impl BitAndAssign for ", $ty, " { fn bitand_assign(&mut self, b: Self) { *self = *self & b; } }
            impl BitOrAssign for ", $ty, " { fn bitor_assign(&mut self, b: Self) { *self = *self | b; } }
            impl BitXorAssign for ", $ty, " { fn bitxor_assign(&mut self, b: Self) { *self = *self ^ b; } }
            impl<T: Int> ShlAssign<T> for ", $ty, " { fn shl_assign(&mut self, n: T) { *self = *self << n; } }
            impl<T: Int> ShrAssign<T> for ", $ty, " { fn shr_assign(&mut self, n: T) { *self = *self >> n; } }
            impl From<u8> for ", $ty, " { fn from(v: u8) -> Self { Self { lo: v as u64, hi: 0 } } }
            impl From<u16> for ", $ty, " { fn from(v: u16) -> Self { Self { lo: v as u64, hi: 0 } } }
            impl From<u32> for ", $ty, " { fn from(v: u32) -> Self { Self { lo: v as u64, hi: 0 } } }
            impl From<u64> for ", $ty, " { fn from(v: u64) -> Self { Self { lo: v, hi: 0 } } }
            impl From<bool> for ", $ty, " { fn from(v: bool) -> Self { Self { lo: v as u64, hi: 0 } } }
            pub fn int_as_", $ty, "<T: Int>(v: T) -> ", $ty, " { ", $ty, " { lo: v as u64, hi: if v < T::ZERO { !0 } else { 0 } } }
            pub fn bool_as_", $ty, "(v: bool) -> ", $ty, " { ", $ty, " { lo: v as u64, hi: 0 } }
            pub fn ", $ty, "_as_int<T: Int>(v: ", $ty, ") -> T { v.lo as T }
            pub fn ", $ty, "_as_", $ty, "(v: ", $ty, ") -> ", $ty, " { v }
            pub fn ", $ty, "_as_", $other, "(v: ", $ty, ") -> ", $other, " { ", $other, " { lo: v.lo, hi: v.hi } }
            "
        )
    };
}

/// Declares the integers of 128 bits. Division: Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D, with digits of 32 bits
/// (`wide_digits`), and with one digit of 64 bits where the divisor has two (Warren, Hacker's Delight, 9-5).
pub const WIDE_INTEGERS: &str = concat!(
    wide!("u128", "i128", "u64", "Self { lo: 0, hi: 0 }", "Self { lo: !0, hi: !0 }"),
    wide!("i128", "u128", "i64", "Self { lo: 0, hi: 1 << 63 }", "Self { lo: !0, hi: !0 >> 1 }"),
    include_str!("wide.rs"),
);

/// Declares `char`.
pub const CHARACTERS: &str = include_str!("char.rs");
