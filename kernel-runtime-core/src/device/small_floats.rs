//! Floats of six and four bits, and the scales of blocks of such, as the host has them and type checking sees them ("OCP Microscaling Formats (MX)
//! Specification", 2023). The compiler has their functions in its own library, for a kernel's run copy too.

use std::cmp::Ordering;
use std::fmt;

use bytemuck::{Pod, Zeroable};
use half::f16;

use super::float8::{E4M3, nearest};

/// Methods of all of them that are one number.
macro_rules! number {
    ($name:ident: $to:ident) => {
        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.$to() == other.$to()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.$to().partial_cmp(&other.$to())
            }
        }

        impl From<$name> for f32 {
            fn from(x: $name) -> f32 {
                x.to_f32()
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.to_f32(), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f32(), f)
            }
        }
    };
}

macro_rules! float {
    (
        $(#[$doc:meta])*
        $name:ident { bits: $bits:literal, fraction: $fraction:literal, bias: $bias:literal, largest: $largest:literal, one: $one:literal, epsilon: $epsilon:literal }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// One.
            pub const ONE: Self = Self($one);
            /// The largest number.
            pub const MAX: Self = Self($largest);
            /// The smallest number, the negative of the largest.
            pub const MIN: Self = Self($largest | 1 << ($bits - 1));
            /// The smallest positive normal number.
            pub const MIN_POSITIVE: Self = Self(1 << $fraction);
            /// The smallest positive number.
            pub const MIN_POSITIVE_SUBNORMAL: Self = Self(1);
            /// The distance from one to the next larger number.
            pub const EPSILON: Self = Self($epsilon);

            /// The number of these low bits: sign, exponent, fraction. Those above are ignored.
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits & ((1 << $bits) - 1))
            }

            /// The bits: sign, exponent, fraction.
            pub const fn to_bits(self) -> u8 {
                self.0 & ((1 << $bits) - 1)
            }

            /// The nearest number, of two the even one. What is too large, infinity too, becomes the largest number of its sign, and NaN the
            /// largest number.
            pub fn from_f32(x: f32) -> Self {
                if x.is_nan() {
                    return Self::MAX;
                }
                let sign = (x.to_bits() >> 31) as u8;
                Self(sign << ($bits - 1) | nearest(x, $fraction, $bias, $largest))
            }

            /// Converts to `f16`, which holds every such number.
            pub fn to_f16(self) -> f16 {
                f16::from_f32(self.to_f32())
            }

            /// Converts to `f32`, which holds every such number.
            pub fn to_f32(self) -> f32 {
                let magnitude = u32::from(self.to_bits()) & ((1 << ($bits - 1)) - 1);
                // A subnormal number, or one, of the exponents of `f32`.
                let value = f32::from_bits(magnitude << (23 - $fraction)) * f32::from_bits((254 - $bias) << 23);
                if self.to_bits() >> ($bits - 1) == 1 { -value } else { value }
            }
        }

        number!($name: to_f16);
    };
}

float! {
    /// A float of two bits of exponent and three of fraction, in the low six bits of a byte. Its largest number is 7.5; it has no infinities and no
    /// NaN.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// assert_eq!(E2M3::from_f32(1.3).to_f32(), 1.25);
    /// assert_eq!(E2M3::from_f32(f32::INFINITY).to_f32(), 7.5);
    /// ```
    E2M3 { bits: 6, fraction: 3, bias: 1, largest: 0x1f, one: 0x08, epsilon: 0x01 }
}
float! {
    /// A float of three bits of exponent and two of fraction, in the low six bits of a byte. Its largest number is 28; it has no infinities and no
    /// NaN.
    E3M2 { bits: 6, fraction: 2, bias: 3, largest: 0x1f, one: 0x0c, epsilon: 0x04 }
}
float! {
    /// A float of two bits of exponent and one of fraction, in the low four bits of a byte: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. It has no
    /// infinities and no NaN. Two of them in a byte are an [`E2M1x2`].
    E2M1 { bits: 4, fraction: 1, bias: 1, largest: 0x7, one: 0x2, epsilon: 0x1 }
}

/// Two [`E2M1`] in a byte, the first one in the low bits.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// let two = E2M1x2::from_f32([0.4, -7.0]);
/// assert_eq!(two.to_f32(), [0.5, -6.0]);
/// assert_eq!(two.to_bits(), 0xf1);
/// ```
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct E2M1x2(u8);

impl E2M1x2 {
    /// Two zeros.
    pub const ZERO: Self = Self(0);

    /// The pair of these.
    pub const fn new(low: E2M1, high: E2M1) -> Self {
        Self(low.to_bits() | high.to_bits() << 4)
    }

    /// The pair of these bits.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The bits of both.
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// The number in the low bits.
    pub const fn low(self) -> E2M1 {
        E2M1::from_bits(self.0)
    }

    /// The number in the high bits.
    pub const fn high(self) -> E2M1 {
        E2M1::from_bits(self.0 >> 4)
    }

    /// The nearest numbers to these: see [`E2M1::from_f32`].
    pub fn from_f32(values: [f32; 2]) -> Self {
        Self::new(E2M1::from_f32(values[0]), E2M1::from_f32(values[1]))
    }

    /// Both as `f16`.
    pub fn to_f16(self) -> [f16; 2] {
        [self.low().to_f16(), self.high().to_f16()]
    }

    /// Both as `f32`.
    pub fn to_f32(self) -> [f32; 2] {
        [self.low().to_f32(), self.high().to_f32()]
    }
}

impl PartialEq for E2M1x2 {
    fn eq(&self, other: &Self) -> bool {
        self.to_f32() == other.to_f32()
    }
}

impl fmt::Debug for E2M1x2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_f32(), f)
    }
}

/// A scale of blocks of floats: an [`E4M3`] without a sign, in the low seven bits of a byte. Its largest number is 448.
#[derive(Clone, Copy, Default, Pod, Zeroable)]
#[repr(transparent)]
pub struct UE4M3(u8);

impl UE4M3 {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One.
    pub const ONE: Self = Self(0x38);
    /// The largest number.
    pub const MAX: Self = Self(0x7e);
    /// Not a number.
    pub const NAN: Self = Self(0x7f);
    /// The smallest positive normal number.
    pub const MIN_POSITIVE: Self = Self(0x08);
    /// The smallest positive number.
    pub const MIN_POSITIVE_SUBNORMAL: Self = Self(0x01);
    /// The distance from one to the next larger number.
    pub const EPSILON: Self = Self(0x20);

    /// The number of these low bits: exponent, fraction. That above is ignored.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits & 0x7f)
    }

    /// The bits: exponent, fraction.
    pub const fn to_bits(self) -> u8 {
        self.0 & 0x7f
    }

    /// The nearest number, of two the even one. What is too large, infinity too, becomes the largest number, what is negative zero.
    pub fn from_f32(x: f32) -> Self {
        if x < 0.0 { Self::ZERO } else { Self(E4M3::from_f32(x).to_bits() & 0x7f) }
    }

    /// Converts to `f16`, which holds every such number.
    pub fn to_f16(self) -> f16 {
        E4M3::from_bits(self.to_bits()).to_f16()
    }

    /// Converts to `f32`, which holds every such number.
    pub fn to_f32(self) -> f32 {
        self.to_f16().to_f32()
    }

    /// Returns true if it is not a number.
    pub fn is_nan(self) -> bool {
        self.to_bits() == 0x7f
    }
}

number!(UE4M3: to_f16);

/// A scale of blocks of floats: a power of two, from 2⁻¹²⁷ to 2¹²⁷, or NaN.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// assert_eq!(E8M0::from_f32(5.0).to_f32(), 8.0);
/// assert_eq!(E8M0::from_f32_down(5.0).to_f32(), 4.0);
/// assert_eq!(E8M0::from_f32(0.0), E8M0::MIN);
/// ```
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(transparent)]
pub struct E8M0(u8);

impl E8M0 {
    /// One.
    pub const ONE: Self = Self(0x7f);
    /// The smallest number, 2⁻¹²⁷.
    pub const MIN: Self = Self(0);
    /// The largest number, 2¹²⁷.
    pub const MAX: Self = Self(0xfe);
    /// Not a number.
    pub const NAN: Self = Self(0xff);

    /// The number of these bits, the exponent.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// The bits, the exponent.
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// The magnitude of a number, rounded up. What is too large, infinity too, becomes the largest number, what is too small the smallest.
    pub fn from_f32(x: f32) -> Self {
        let magnitude = x.to_bits() & 0x7fff_ffff;
        // Below the exponents of `f32` are only 2⁻¹²⁷ and numbers that become it.
        let up = magnitude & 0x7f_ffff != 0 && magnitude > 0x40_0000;
        Self::of_exponent(x, (magnitude >> 23) + u32::from(up))
    }

    /// As [`from_f32`](E8M0::from_f32), rounded down.
    pub fn from_f32_down(x: f32) -> Self {
        Self::of_exponent(x, x.to_bits() >> 23 & 0xff)
    }

    fn of_exponent(x: f32, exponent: u32) -> Self {
        if x.is_nan() { Self::NAN } else { Self(exponent.min(0xfe) as u8) }
    }

    /// Converts to `f32`, which holds every such number.
    pub fn to_f32(self) -> f32 {
        match self.0 {
            0 => f32::from_bits(0x40_0000),
            0xff => f32::NAN,
            exponent => f32::from_bits(u32::from(exponent) << 23),
        }
    }

    /// Returns true if it is not a number.
    pub fn is_nan(self) -> bool {
        self.0 == 0xff
    }
}

/// The smallest number, whose bits are zero.
impl Default for E8M0 {
    fn default() -> E8M0 {
        E8M0::MIN
    }
}

number!(E8M0: to_f32);
