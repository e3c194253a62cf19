//! The types of `core::num`, as text: structs around an integer.

/// The integers that are never 0.
pub const NON_ZERO: &[&str] = &[
    "NonZero",
    "NonZeroI8",
    "NonZeroI16",
    "NonZeroI32",
    "NonZeroI64",
    "NonZeroIsize",
    "NonZeroU8",
    "NonZeroU16",
    "NonZeroU32",
    "NonZeroU64",
    "NonZeroUsize",
];

/// A struct around an integer, its operators and their assignments: each is an expression of `self.0` and `b.0`.
macro_rules! number {
    ($name:literal: $($of_trait:literal $method:literal $result:literal;)*) => {
        concat!(
            "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Element)] #[repr(transparent)]
            pub struct ", $name, "<T>(pub T);
            impl<T: Int> ", $name, "<T> {
                pub const MIN: Self = ", $name, "(T::MIN);
                pub const MAX: Self = ", $name, "(T::MAX);
                pub const BITS: u32 = T::BITS;
                pub const fn count_ones(self) -> u32 { self.0.count_ones() }
                pub const fn leading_zeros(self) -> u32 { self.0.leading_zeros() }
                pub const fn trailing_zeros(self) -> u32 { self.0.trailing_zeros() }
            }
            impl<T: Int> Not for ", $name, "<T> { type Output = ", $name, "<T>; fn not(self) -> ", $name, "<T> { ", $name, "(!self.0) } }
            ",
            $(
                "impl<T: Int> ", $of_trait, " for ", $name, "<T> {
                    type Output = ", $name, "<T>;
                    fn ", $method, "(self, b: ", $name, "<T>) -> ", $name, "<T> { ", $name, "(", $result, ") }
                }
                impl<T: Int> ", $of_trait, "Assign for ", $name, "<T> {
                    fn ", $method, "_assign(&mut self, b: ", $name, "<T>) { *self = ", $name, "(", $result, "); }
                }
                impl<T: Int> ", $of_trait, "Assign<T> for ", $name, "<T> {
                    fn ", $method, "_assign(&mut self, b: T) { let b = ", $name, "(b); *self = ", $name, "(", $result, "); }
                }
                ",
            )*
        )
    };
}

/// Declares `core::num::Wrapping`.
pub const WRAPPING: &str = concat!(
    number! {
        "Wrapping":
        "Add" "add" "self.0.wrapping_add(b.0)";
        "Sub" "sub" "self.0.wrapping_sub(b.0)";
        "Mul" "mul" "self.0.wrapping_mul(b.0)";
        "Div" "div" "self.0.wrapping_div(b.0)";
        "Rem" "rem" "self.0.wrapping_rem(b.0)";
        "BitAnd" "bitand" "self.0 & b.0";
        "BitOr" "bitor" "self.0 | b.0";
        "BitXor" "bitxor" "self.0 ^ b.0";
    },
    "impl<T: Int> Neg for Wrapping<T> { type Output = Wrapping<T>; fn neg(self) -> Wrapping<T> { Wrapping(self.0.wrapping_neg()) } }
    impl<T: Int> Shl<usize> for Wrapping<T> { type Output = Wrapping<T>; fn shl(self, n: usize) -> Wrapping<T> { Wrapping(self.0.wrapping_shl(n as u32)) } }
    impl<T: Int> Shr<usize> for Wrapping<T> { type Output = Wrapping<T>; fn shr(self, n: usize) -> Wrapping<T> { Wrapping(self.0.wrapping_shr(n as u32)) } }
    impl<T: Int> ShlAssign<usize> for Wrapping<T> { fn shl_assign(&mut self, n: usize) { *self = *self << n; } }
    impl<T: Int> ShrAssign<usize> for Wrapping<T> { fn shr_assign(&mut self, n: usize) { *self = *self >> n; } }
    impl<T: Int> Wrapping<T> { pub fn pow(self, n: u32) -> Wrapping<T> { Wrapping(self.0.wrapping_pow(n)) } }"
);

/// Declares `core::num::Saturating`, which has no shifts.
pub const SATURATING: &str = concat!(
    number! {
        "Saturating":
        "Add" "add" "self.0.saturating_add(b.0)";
        "Sub" "sub" "self.0.saturating_sub(b.0)";
        "Mul" "mul" "self.0.saturating_mul(b.0)";
        "Div" "div" "self.0.saturating_div(b.0)";
        "Rem" "rem" "self.0 % b.0";
        "BitAnd" "bitand" "self.0 & b.0";
        "BitOr" "bitor" "self.0 | b.0";
        "BitXor" "bitxor" "self.0 ^ b.0";
    },
    "impl<T: Int> Neg for Saturating<T> { type Output = Saturating<T>; fn neg(self) -> Saturating<T> { Saturating(T::ZERO.saturating_sub(self.0)) } }
    impl<T: Int> Saturating<T> { pub fn pow(self, n: u32) -> Saturating<T> { Saturating(self.0.saturating_pow(n)) } }"
);

/// One of [`NON_ZERO`] and what it has beside the others: its name, its integer, further items.
macro_rules! non_zero {
    ($($name:literal $int:literal $more:expr;)*) => {
        concat!($(
            "pub type ", $name, " = NonZero<", $int, ">;
            impl From<NonZero<", $int, ">> for ", $int, " { fn from(n: NonZero<", $int, ">) -> ", $int, " { n.0 } }
            ",
            $more,
        )*)
    };
}

/// The quotient of an unsigned integer and one that is never 0, which does not panic.
macro_rules! divides {
    ($int:literal) => {
        concat!(
            "impl Div<NonZero<", $int, ">> for ", $int, " { type Output = ", $int, "; fn div(self, n: NonZero<", $int, ">) -> ", $int, " { self / n.0 } }
            impl Rem<NonZero<", $int, ">> for ", $int, " { type Output = ", $int, "; fn rem(self, n: NonZero<", $int, ">) -> ", $int, " { self % n.0 } }
            impl NonZero<", $int, "> {
                pub const MIN: Self = NonZero(1);
                pub const fn is_power_of_two(self) -> bool { self.0.is_power_of_two() }
                pub const fn checked_add(self, b: ", $int, ") -> Option<Self> { self.0.checked_add(b).map(NonZero) }
                pub const fn saturating_add(self, b: ", $int, ") -> Self { NonZero(self.0.saturating_add(b)) }
                pub const fn checked_next_power_of_two(self) -> Option<Self> { self.0.checked_next_power_of_two().map(NonZero) }
                pub const fn ilog2(self) -> u32 { ", $int, "::BITS - 1 - self.0.leading_zeros() }
            }
            "
        )
    };
}

/// The sizes of a signed integer that is never 0.
macro_rules! signed {
    ($int:literal, $unsigned:literal) => {
        concat!(
            "impl NonZero<",
            $int,
            "> {
                pub const MIN: Self = NonZero(",
            $int,
            "::MIN);
                pub const fn abs(self) -> Self { NonZero(self.0.abs()) }
                pub const fn unsigned_abs(self) -> NonZero<",
            $unsigned,
            "> { NonZero(self.0.unsigned_abs()) }
                pub const fn is_positive(self) -> bool { self.0 > 0 }
                pub const fn is_negative(self) -> bool { self.0 < 0 }
            }
            impl Neg for NonZero<",
            $int,
            "> { type Output = Self; fn neg(self) -> Self { NonZero(-self.0) } }
            "
        )
    };
}

/// Declares [`NON_ZERO`].
pub const NON_ZEROS: &str = concat!(
    "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] #[repr(transparent)] pub struct NonZero<T>(T);
    impl<T: Int> NonZero<T> {
        pub const MAX: Self = NonZero(T::MAX);
        pub const BITS: u32 = T::BITS;
        pub const fn new(n: T) -> Option<NonZero<T>> { if n == T::ZERO { None } else { Some(NonZero(n)) } }
        pub const unsafe fn new_unchecked(n: T) -> NonZero<T> { NonZero(n) }
        pub const fn get(self) -> T { self.0 }
        pub const fn leading_zeros(self) -> u32 { self.0.leading_zeros() }
        pub const fn trailing_zeros(self) -> u32 { self.0.trailing_zeros() }
        pub const fn count_ones(self) -> NonZero<u32> { NonZero(self.0.count_ones()) }
        pub const fn checked_mul(self, b: NonZero<T>) -> Option<NonZero<T>> { self.0.checked_mul(b.0).map(NonZero) }
        pub const fn saturating_mul(self, b: NonZero<T>) -> NonZero<T> { NonZero(self.0.saturating_mul(b.0)) }
        pub const fn checked_pow(self, n: u32) -> Option<NonZero<T>> { self.0.checked_pow(n).map(NonZero) }
        pub const fn saturating_pow(self, n: u32) -> NonZero<T> { NonZero(self.0.saturating_pow(n)) }
    }
    impl<T: Int> BitOr for NonZero<T> { type Output = NonZero<T>; fn bitor(self, b: NonZero<T>) -> NonZero<T> { NonZero(self.0 | b.0) } }
    impl<T: Int> BitOr<T> for NonZero<T> { type Output = NonZero<T>; fn bitor(self, b: T) -> NonZero<T> { NonZero(self.0 | b) } }
    impl<T: Int> TryFrom<T> for NonZero<T> {
        type Error = TryFromIntError;
        fn try_from(n: T) -> Result<NonZero<T>, TryFromIntError> { if n == T::ZERO { Err(TryFromIntError(())) } else { Ok(NonZero(n)) } }
    }
    ",
    non_zero! {
        "NonZeroU8" "u8" divides!("u8");
        "NonZeroU16" "u16" divides!("u16");
        "NonZeroU32" "u32" divides!("u32");
        "NonZeroU64" "u64" divides!("u64");
        "NonZeroUsize" "usize" divides!("usize");
        "NonZeroI8" "i8" signed!("i8", "u8");
        "NonZeroI16" "i16" signed!("i16", "u16");
        "NonZeroI32" "i32" signed!("i32", "u32");
        "NonZeroI64" "i64" signed!("i64", "u64");
        "NonZeroIsize" "isize" signed!("isize", "usize");
    }
);
