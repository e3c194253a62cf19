//! Arithmetic of vectors: by lane, also with a scalar on the right. Integers wrap.

use std::ops::{
    Add, AddAssign, BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Div, DivAssign, Index,
    IndexMut, Mul, MulAssign, Neg, Not, Rem, RemAssign, Sub, SubAssign,
};

use ::half::{bf16, f16};

use super::*;
use crate::cpu::run::Fused;

macro_rules! operators {
    ($vector:ident $lane:ident: $($op:ident $function:ident $assign:ident $assign_function:ident |$a:ident, $b:ident| $value:expr;)*) => {$(
        impl $op for $vector {
            type Output = $vector;
            #[track_caller]
            fn $function(self, other: $vector) -> $vector {
                self.zip(other, |$a, $b| $value)
            }
        }

        impl $op<$lane> for $vector {
            type Output = $vector;
            #[track_caller]
            fn $function(self, other: $lane) -> $vector {
                $op::$function(self, $vector::splat(other))
            }
        }

        impl $assign for $vector {
            #[track_caller]
            fn $assign_function(&mut self, other: $vector) {
                *self = $op::$function(*self, other);
            }
        }

        impl $assign<$lane> for $vector {
            #[track_caller]
            fn $assign_function(&mut self, other: $lane) {
                *self = $op::$function(*self, other);
            }
        }
    )*};
}

macro_rules! every {
    ($($vector:ident $lane:ident;)*) => {$(
        impl Index<usize> for $vector {
            type Output = $lane;
            #[track_caller]
            fn index(&self, index: usize) -> &$lane {
                &bytemuck::cast_slice::<$vector, $lane>(std::slice::from_ref(self))[index]
            }
        }

        impl IndexMut<usize> for $vector {
            #[track_caller]
            fn index_mut(&mut self, index: usize) -> &mut $lane {
                &mut bytemuck::cast_slice_mut::<$vector, $lane>(std::slice::from_mut(self))[index]
            }
        }
    )*};
}
every! {
    F32x2 f32; F32x4 f32; U32x2 u32; U32x4 u32; I32x2 i32; I32x4 i32; F64x2 f64;
    F16x2 f16; F16x4 f16; F16x8 f16; Bf16x2 bf16; Bf16x4 bf16; Bf16x8 bf16;
}

macro_rules! floats {
    ($($vector:ident $lane:ident |$v:ident| $sqrt:expr, $abs:expr;)*) => {$(
        operators! { $vector $lane:
            Add add AddAssign add_assign |a, b| a + b;
            Sub sub SubAssign sub_assign |a, b| a - b;
            Mul mul MulAssign mul_assign |a, b| a * b;
            Div div DivAssign div_assign |a, b| a / b;
            Rem rem RemAssign rem_assign |a, b| a % b;
        }

        impl Neg for $vector {
            type Output = $vector;
            fn neg(self) -> $vector {
                self.each(|lane| -lane)
            }
        }

        impl $vector {
            /// `self * b + c`, rounded once.
            pub fn mul_add(self, b: $vector, c: $vector) -> $vector {
                self.fma(b, c)
            }

            /// The square root of each lane.
            pub fn sqrt(self) -> $vector {
                self.each(|$v| $sqrt)
            }

            /// The magnitude of each lane.
            pub fn abs(self) -> $vector {
                self.each(|$v| $abs)
            }

            /// The sum of the lanes, from the first to the last.
            pub fn sum(self) -> $lane {
                (1..Self::LANES).fold(self[0], |sum, index| sum + self[index])
            }
        }
    )*};
}

floats! {
    F32x2 f32 |v| v.sqrt(), v.abs();
    F32x4 f32 |v| v.sqrt(), v.abs();
    F64x2 f64 |v| v.sqrt(), v.abs();
    F16x2 f16 |v| f16::from_f32(v.to_f32().sqrt()), f16::from_bits(v.to_bits() & 0x7fff);
    F16x4 f16 |v| f16::from_f32(v.to_f32().sqrt()), f16::from_bits(v.to_bits() & 0x7fff);
    F16x8 f16 |v| f16::from_f32(v.to_f32().sqrt()), f16::from_bits(v.to_bits() & 0x7fff);
    Bf16x2 bf16 |v| bf16::from_f32(v.to_f32().sqrt()), bf16::from_bits(v.to_bits() & 0x7fff);
    Bf16x4 bf16 |v| bf16::from_f32(v.to_f32().sqrt()), bf16::from_bits(v.to_bits() & 0x7fff);
    Bf16x8 bf16 |v| bf16::from_f32(v.to_f32().sqrt()), bf16::from_bits(v.to_bits() & 0x7fff);
}

macro_rules! ints {
    ($($vector:ident $lane:ident;)*) => {$(
        operators! { $vector $lane:
            Add add AddAssign add_assign |a, b| a.wrapping_add(b);
            Sub sub SubAssign sub_assign |a, b| a.wrapping_sub(b);
            Mul mul MulAssign mul_assign |a, b| a.wrapping_mul(b);
            Div div DivAssign div_assign |a, b| a / b;
            Rem rem RemAssign rem_assign |a, b| a % b;
            BitAnd bitand BitAndAssign bitand_assign |a, b| a & b;
            BitOr bitor BitOrAssign bitor_assign |a, b| a | b;
            BitXor bitxor BitXorAssign bitxor_assign |a, b| a ^ b;
        }

        impl Not for $vector {
            type Output = $vector;
            fn not(self) -> $vector {
                self.each(|lane| !lane)
            }
        }

        impl $vector {
            /// The sum of the lanes; it wraps.
            pub fn sum(self) -> $lane {
                (1..Self::LANES).fold(self[0], |sum, index| sum.wrapping_add(self[index]))
            }
        }
    )*};
}
ints! { U32x2 u32; U32x4 u32; I32x2 i32; I32x4 i32; }

macro_rules! signed {
    ($($vector:ident)*) => {$(
        impl Neg for $vector {
            type Output = $vector;
            fn neg(self) -> $vector {
                self.each(i32::wrapping_neg)
            }
        }

        impl $vector {
            /// The magnitude of each lane; it wraps at the minimum.
            pub fn abs(self) -> $vector {
                self.each(i32::wrapping_abs)
            }
        }
    )*};
}
signed! { I32x2 I32x4 }
