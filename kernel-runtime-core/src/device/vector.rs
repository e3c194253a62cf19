//! Vectors of a few lanes, at most 16 bytes: what a GPU loads and stores at once.

mod arithmetic;
mod half;
mod matrix;

pub use half::half_from_f64;
pub use matrix::MatrixRows;

use ::half::{bf16, f16};
use bytemuck::{Pod, Zeroable};
use kernel_abi::panic::PanicKind;

use super::numeric::{Bits, Combine};

/// A vector type.
///
/// # Safety
/// It consists of `LANES` values of its `Lane` and of nothing else.
pub unsafe trait Vector: Pod {
    /// Type of a lane.
    type Lane: Lane;
    /// Number of lanes.
    const LANES: usize;

    /// The lane at an index.
    #[track_caller]
    fn lane(&self, index: usize) -> Self::Lane {
        bytemuck::cast_slice::<Self, Self::Lane>(std::slice::from_ref(self))[index]
    }

    /// Replaces the lane at an index.
    #[track_caller]
    fn set_lane(&mut self, index: usize, value: Self::Lane) {
        bytemuck::cast_slice_mut::<Self, Self::Lane>(std::slice::from_mut(self))[index] = value;
    }

    /// Combines two vectors lane by lane.
    #[track_caller]
    fn zip(mut self, other: Self, combine: impl Fn(Self::Lane, Self::Lane) -> Self::Lane) -> Self {
        for index in 0..Self::LANES {
            self.set_lane(index, combine(self.lane(index), other.lane(index)));
        }
        self
    }

    /// Replaces each lane.
    fn each(self, change: impl Fn(Self::Lane) -> Self::Lane) -> Self {
        self.zip(self, |lane, _| change(lane))
    }
}

/// A lane of a vector.
pub trait Lane: Pod + PartialOrd {
    /// The smaller one, as on a GPU: the one that is not NaN, −0 below +0.
    fn lane_min(self, other: Self) -> Self;
    /// The larger one, as on a GPU.
    fn lane_max(self, other: Self) -> Self;
}

macro_rules! lanes {
    (ints: $($int:ident)*; floats: $($float:ident)*) => {
        $(impl Lane for $int {
            fn lane_min(self, other: $int) -> $int { self.min(other) }
            fn lane_max(self, other: $int) -> $int { self.max(other) }
        })*
        $(impl Lane for $float {
            fn lane_min(self, other: $float) -> $float { crate::cpu::run::Float::min(self, other) }
            fn lane_max(self, other: $float) -> $float { crate::cpu::run::Float::max(self, other) }
        })*
    };
}
lanes! { ints: i32 u32; floats: f16 bf16 f32 f64 }

/// Panics as a kernel does if a vector cannot be at this index of a slice.
#[track_caller]
pub fn check_vector_access(len: usize, lanes: usize, index: usize) {
    let (kind, values) = if index >= len || len - index < lanes {
        (PanicKind::SliceEnd, [index.wrapping_add(lanes), len])
    } else if !index.is_multiple_of(lanes) {
        (PanicKind::Misaligned, [index, lanes])
    } else {
        return;
    };
    std::panic::panic_any(kind.message(None, &values.map(|value| value as u64)));
}

macro_rules! vectors {
    ($($name:ident $lane:ident $count:literal $align:literal $($field:ident)*;)*) => {$(
        #[doc = concat!(stringify!($count), " lanes of type `", stringify!($lane), "`, aligned to ", stringify!($align), " bytes.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        #[repr(C, align($align))]
        pub struct $name {
            $(
                #[doc = concat!("Lane `", stringify!($field), "`.")]
                pub $field: $lane,
            )*
        }

        const _: () = assert!(size_of::<$name>() == $align && size_of::<[$lane; $count]>() == $align);
        // SAFETY: the lanes are plain data, and by the assertion above nothing else is in it.
        unsafe impl Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl Pod for $name {}

        // SAFETY: the struct has these fields, and by the assertion above no others.
        unsafe impl Vector for $name {
            type Lane = $lane;
            const LANES: usize = $count;
        }

        impl $name {
            /// Number of lanes.
            pub const LANES: usize = $count;

            /// From its lanes.
            #[allow(clippy::too_many_arguments)]
            pub const fn new($($field: $lane),*) -> $name {
                $name { $($field),* }
            }

            /// A vector with one value in every lane.
            pub const fn splat(value: $lane) -> $name {
                $name { $($field: value),* }
            }

            /// From an array of its lanes.
            pub const fn from_array(lanes: [$lane; $count]) -> $name {
                let [$($field),*] = lanes;
                $name { $($field),* }
            }

            /// Its lanes.
            pub const fn to_array(self) -> [$lane; $count] {
                [$(self.$field),*]
            }

            /// The elements of a slice from an index on.
            ///
            /// # Panics
            /// If they are not all there, or the index is no multiple of their number.
            #[track_caller]
            pub fn load(slice: &[$lane], index: usize) -> $name {
                check_vector_access(slice.len(), $count, index);
                $name::from_array(std::array::from_fn(|lane| slice[index + lane]))
            }

            /// Writes its lanes over the elements of a slice from an index on.
            ///
            /// # Panics
            /// If they are not all there, or the index is no multiple of their number.
            #[track_caller]
            pub fn store(self, slice: &mut [$lane], index: usize) {
                check_vector_access(slice.len(), $count, index);
                slice[index..index + $count].copy_from_slice(&self.to_array());
            }

            /// The smaller one of each lane: the one that is not NaN, −0 below +0.
            pub fn min(self, other: $name) -> $name {
                self.zip(other, Lane::lane_min)
            }

            /// The larger one of each lane: the one that is not NaN, −0 below +0.
            pub fn max(self, other: $name) -> $name {
                self.zip(other, Lane::lane_max)
            }
        }

        impl Combine for $name {
            fn plus(self, other: $name) -> $name { self + other }
            fn times(self, other: $name) -> $name { self * other }
            fn least(self, other: $name) -> $name { self.min(other) }
            fn greatest(self, other: $name) -> $name { self.max(other) }
        }
    )*};
}

vectors! {
    F32x2 f32 2 8 x y;
    F32x4 f32 4 16 x y z w;
    U32x2 u32 2 8 x y;
    U32x4 u32 4 16 x y z w;
    I32x2 i32 2 8 x y;
    I32x4 i32 4 16 x y z w;
    F64x2 f64 2 16 x y;
    F16x2 f16 2 4 x y;
    F16x4 f16 4 8 x y z w;
    F16x8 f16 8 16 l0 l1 l2 l3 l4 l5 l6 l7;
    Bf16x2 bf16 2 4 x y;
    Bf16x4 bf16 4 8 x y z w;
    Bf16x8 bf16 8 16 l0 l1 l2 l3 l4 l5 l6 l7;
}

macro_rules! bits {
    ($($name:ident)*) => {$(impl Bits for $name {})*};
}
bits! { U32x2 U32x4 I32x2 I32x4 }
