//! Floats of eight bits, as the host has them and type checking sees them. The compiler has their functions in its own library, for a kernel's
//! run copy too.

use std::cmp::Ordering;
use std::fmt;

use bytemuck::{Pod, Zeroable};
use half::f16;

/// The bits without sign of the nearest number to one that is not NaN, of two the even one, of a float with so many bits of fraction, this bias and this
/// largest magnitude, which what is too large becomes.
pub(super) fn nearest(x: f32, fraction: u32, bias: u32, largest: u32) -> u8 {
    let magnitude = x.to_bits() & 0x7fff_ffff;
    // The exponent of the smallest normal number, and of the power of two that has the smallest subnormal one as its last bit.
    let (least, last) = (128 - bias, 128 - bias + 23 - fraction);
    let rounded = if magnitude < least << 23 {
        (f32::from_bits(magnitude) + f32::from_bits(last << 23)).to_bits() - (last << 23)
    } else {
        let shift = 23 - fraction;
        let even = magnitude >> shift & 1;
        let kept = (magnitude + (1 << (shift - 1)) - 1 + even) >> shift;
        let start = (127 - bias) << fraction;
        kept.min(largest + start) - start
    };
    rounded as u8
}

macro_rules! float {
    (
        $(#[$doc:meta])*
        $name:ident { fraction: $fraction:literal, bias: $bias:literal, largest: $largest:literal, $($(#[$constant_doc:meta])* $constant:ident = $value:literal;)* }
        $to_f16:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, Pod, Zeroable)]
        #[repr(transparent)]
        pub struct $name(u8);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// The largest number.
            pub const MAX: Self = Self($largest);
            /// The smallest number, the negative of the largest.
            pub const MIN: Self = Self(0x80 | $largest);
            /// Not a number.
            pub const NAN: Self = Self(0x7f);
            /// The smallest positive normal number.
            pub const MIN_POSITIVE: Self = Self(1 << $fraction);
            /// The smallest positive number.
            pub const MIN_POSITIVE_SUBNORMAL: Self = Self(1);
            $($(#[$constant_doc])* pub const $constant: Self = Self($value);)*

            /// The number of these bits: sign, exponent, fraction.
            pub const fn from_bits(bits: u8) -> Self {
                Self(bits)
            }

            /// The bits: sign, exponent, fraction.
            pub const fn to_bits(self) -> u8 {
                self.0
            }

            /// The nearest number, of two the even one. What is too large, infinity too, becomes the largest number of its sign.
            pub fn from_f32(x: f32) -> Self {
                if x.is_nan() {
                    return Self::NAN;
                }
                Self((x.to_bits() >> 24 & 0x80) as u8 | nearest(x, $fraction, $bias, $largest))
            }

            /// Converts to `f16`, which holds every such number.
            pub fn to_f16(self) -> f16 {
                let to_f16: fn(u8) -> f16 = $to_f16;
                to_f16(self.0)
            }

            /// Converts to `f32`, which holds every such number.
            pub fn to_f32(self) -> f32 {
                self.to_f16().to_f32()
            }

            /// Returns true if it is not a number.
            pub fn is_nan(self) -> bool {
                self.to_f16().is_nan()
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.to_f16() == other.to_f16()
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.to_f16().partial_cmp(&other.to_f16())
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

float! {
    /// A float of four bits of exponent and three of fraction ("OCP 8-bit Floating Point Specification", 2023): weights and activations. Its largest
    /// number is 448; it has no infinities.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// assert_eq!(E4M3::from_f32(0.3).to_f32(), 0.3125);
    /// assert_eq!(E4M3::from_f32(1000.0), E4M3::MAX);
    /// assert_eq!(E4M3::MAX.to_f32(), 448.0);
    /// ```
    E4M3 {
        fraction: 3,
        bias: 7,
        largest: 0x7e,
        /// One.
        ONE = 0x38;
        /// The distance from one to the next larger number.
        EPSILON = 0x20;
    }
    |bits| {
        if bits & 0x7f == 0x7f {
            return f16::from_bits(0x7fff | u16::from(bits & 0x80) << 8);
        }
        // Exponents of `f16` have a bias of 15.
        let magnitude = f16::from_bits(u16::from(bits & 0x7f) << 7) * f16::from_f32_const(256.0);
        f16::from_bits(magnitude.to_bits() | u16::from(bits & 0x80) << 8)
    }
}

float! {
    /// A float of five bits of exponent and two of fraction ("OCP 8-bit Floating Point Specification", 2023): gradients. It is the upper half of an
    /// `f16`; its largest number is 57,344.
    ///
    /// ```
    /// use kernel_runtime::prelude::*;
    ///
    /// assert_eq!(E5M2::from_f32(0.3).to_f32(), 0.3125);
    /// assert_eq!(E5M2::MAX.to_f32(), 57344.0);
    /// assert!(E5M2::INFINITY.to_f32().is_infinite());
    /// ```
    E5M2 {
        fraction: 2,
        bias: 15,
        largest: 0x7b,
        /// One.
        ONE = 0x3c;
        /// The distance from one to the next larger number.
        EPSILON = 0x34;
        /// Infinity.
        INFINITY = 0x7c;
        /// Negative infinity.
        NEG_INFINITY = 0xfc;
    }
    |bits| f16::from_bits(u16::from(bits) << 8)
}
