//! Functions over the 32 lanes of a warp.
//!
//! All lanes that have not ended take part. A name that ends in `_sync` takes a mask before the value: the lanes in it take part,
//! a bit each, with any gaps, and each of them comes with the same mask. A name with `_width` takes a width after the rest: the
//! lanes of each segment of so many are by themselves; it is 1, 2, 4, 8, 16 or 32. Attributes of `let` say the same with
//! `mask = m` and `width = n`.
//!
//! As in CUDA, a lane whose source would be outside the warp, or its segment, keeps its own value; a source that has ended, or
//! that the block does not have, is an error on the CPU.

use std::panic::Location;

use bytemuck::Pod;
use kernel_abi::operators::ShuffleMode;

pub use super::by_operator::warp::{arg_max, arg_min, exclusive_scan, reduce, scan};
pub use super::collectives::named::*;
pub use super::collectives::redux::*;
pub use super::collectives::{Word, broadcast, broadcast_sync, count, count_sync};
pub use super::matrix::{Acc, Left, Right, Rows};
use super::vector::{Bf16x2, Bf16x4, Bf16x8, F16x2, F16x4, F16x8, F32x4, Vector};
use crate::cpu::fiber::{self, Collective, Wait};
use crate::element::Element;
use ptx_sim::matrix;

/// Lanes in a warp.
pub const SIZE: usize = 32;

/// The thread's lane in its warp, 0 to 31.
pub fn lane_id() -> usize {
    fiber::position("warp::lane_id").linear() % SIZE
}

/// The warp's index in its block: the thread's linear index, x fastest, over 32.
pub fn warp_id() -> usize {
    fiber::position("warp::warp_id").linear() / SIZE
}

macro_rules! lane_masks {
    ($($name:ident |$bit:ident| $mask:expr, $doc:literal;)*) => {$(
        #[doc = $doc]
        pub fn $name() -> u32 {
            let $bit = 1u32 << (fiber::position(concat!("warp::", stringify!($name))).linear() % SIZE);
            $mask
        }
    )*};
}
lane_masks! {
    lane_mask_eq |bit| bit, "`%lanemask_eq`: this lane, as a bit.";
    lane_mask_lt |bit| bit - 1, "`%lanemask_lt`: the lanes below this one, a bit each.";
    lane_mask_le |bit| bit | (bit - 1), "`%lanemask_le`: the lanes up to this one.";
    lane_mask_gt |bit| !(bit | (bit - 1)), "`%lanemask_gt`: the lanes above this one.";
    lane_mask_ge |bit| !(bit - 1), "`%lanemask_ge`: the lanes from this one on.";
}

/// Waits for the other lanes of the warp. Writes before it are seen after it.
#[doc(alias = "__syncwarp")]
#[track_caller]
pub fn sync() {
    collective(Collective::Sync, None, 0, 0);
}

/// Waits for the other lanes of `mask`. Writes before it are seen after it.
#[doc(alias = "__syncwarp")]
#[track_caller]
pub fn sync_mask(mask: u32) {
    collective(Collective::Sync, Some(mask), 0, 0);
}

/// The lanes that run together now.
#[doc(alias = "__activemask")]
#[track_caller]
pub fn active_mask() -> u32 {
    collective(Collective::ActiveMask, None, 0, 0) as u32
}

macro_rules! votes {
    ($($name:ident $masked:ident $kind:ident $result:ty, $cuda:literal, $doc:literal, |$answer:ident| $convert:expr;)*) => {$(
        #[doc = $doc]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $name(condition: bool) -> $result {
            let $answer = collective(Collective::$kind, None, condition.into(), 0);
            $convert
        }

        #[doc = concat!($doc, " The lanes of `mask` take part.")]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $masked(mask: u32, condition: bool) -> $result {
            let $answer = collective(Collective::$kind, Some(mask), condition.into(), 0);
            $convert
        }
    )*};
}
votes! {
    ballot ballot_sync Ballot u32, "__ballot_sync", "The lanes where the condition holds, a bit each.", |answer| answer as u32;
    any any_sync Ballot bool, "__any_sync", "Whether the condition holds in any lane.", |answer| answer != 0;
    all all_sync All bool, "__all_sync", "Whether the condition holds in every lane.", |answer| answer != 0;
}

macro_rules! matches {
    ($($name:ident $masked:ident $kind:ident $result:ty, $cuda:literal, $doc:literal, |$answer:ident| $convert:expr;)*) => {$(
        #[doc = $doc]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $name<T: Element>(value: T) -> $result {
            let $answer = collective(Collective::$kind, None, to_bits(value), 0);
            $convert
        }

        #[doc = concat!($doc, " The lanes of `mask` take part.")]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $masked<T: Element>(mask: u32, value: T) -> $result {
            let $answer = collective(Collective::$kind, Some(mask), to_bits(value), 0);
            $convert
        }
    )*};
}
matches! {
    match_any match_any_sync MatchAny u32, "__match_any_sync", "The lanes that have the same value, a bit each.", |answer| answer as u32;
    match_all match_all_sync MatchAll bool, "__match_all_sync", "Whether every lane has the same value.", |answer| answer != 0;
}

/// The types of a lane, of a distance of lanes and of a mask of their numbers: `u32`, `usize`, as [`lane_id`] is, and `i32`, as
/// a literal is. The low 32 bits count.
#[diagnostic::on_unimplemented(
    message = "a lane, a distance of lanes or a mask of their numbers is a `u32`, a `usize` or an `i32`, found `{Self}`",
    label = "convert with `as u32`"
)]
pub trait LaneOperand: sealed::Lane {
    /// The low 32 bits.
    fn bits(self) -> u32;
}

macro_rules! lane_operands {
    ($($ty:ident)*) => {$(
        impl sealed::Lane for $ty {}
        impl LaneOperand for $ty {
            fn bits(self) -> u32 {
                self as u32
            }
        }
    )*};
}
lane_operands! { u32 usize i32 }

macro_rules! shuffles {
    ($($mode:ident $operand:ident: $name:ident $masked:ident $segment:ident $masked_segment:ident, $cuda:literal, $doc:literal;)*) => {$(
        #[doc = $doc]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $name<T: Element>(value: T, $operand: impl LaneOperand) -> T {
            shuffle(ShuffleMode::$mode, None, value, $operand.bits(), 32)
        }

        #[doc = concat!($doc, " The lanes of `mask` take part.")]
        #[doc(alias = $cuda)]
        #[track_caller]
        pub fn $masked<T: Element>(mask: u32, value: T, $operand: impl LaneOperand) -> T {
            shuffle(ShuffleMode::$mode, Some(mask), value, $operand.bits(), 32)
        }

        #[doc = concat!($doc, " Each segment of `width` lanes is by itself; 1, 2, 4, 8, 16 or 32.")]
        #[track_caller]
        pub fn $segment<T: Element>(value: T, $operand: impl LaneOperand, width: u32) -> T {
            shuffle(ShuffleMode::$mode, None, value, $operand.bits(), width)
        }

        #[doc = concat!($doc, " The lanes of `mask` take part; each segment of `width` lanes is by itself.")]
        #[track_caller]
        pub fn $masked_segment<T: Element>(
            mask: u32,
            value: T,
            $operand: impl LaneOperand,
            width: u32,
        ) -> T {
            shuffle(ShuffleMode::$mode, Some(mask), value, $operand.bits(), width)
        }
    )*};
}
shuffles! {
    Up delta: shfl_up shfl_up_sync shfl_up_width shfl_up_width_sync, "__shfl_up_sync", "The value of the lane `delta` below.";
    Down delta: shfl_down shfl_down_sync shfl_down_width shfl_down_width_sync, "__shfl_down_sync", "The value of the lane `delta` above.";
    Xor lane_mask: shfl_xor shfl_xor_sync shfl_xor_width shfl_xor_width_sync, "__shfl_xor_sync",
        "The value of the lane whose number differs in the bits of `lane_mask`.";
    Idx lane: shfl_idx shfl_idx_sync shfl_idx_width shfl_idx_width_sync, "__shfl_sync", "The value of `lane`.";
}

/// A shuffle within segments (PTX ISA, `shfl.sync`).
#[track_caller]
fn shuffle<T: Element>(mode: ShuffleMode, mask: Option<u32>, value: T, operand: u32, width: u32) -> T {
    let bits = to_bits(value);
    if width == 32 {
        return from_bits(collective(Collective::Shuffle(mode), mask, bits, operand));
    }
    let (lane, operand) = (lane_id() as u32, operand % 32);
    let first = lane & width.wrapping_neg();
    let last = first + (width - 1);
    let source = match mode {
        ShuffleMode::Up => lane.checked_sub(operand).filter(|&from| from >= first),
        ShuffleMode::Down => Some(lane + operand).filter(|&from| from <= last),
        ShuffleMode::Xor => Some(lane ^ operand).filter(|&from| from <= last),
        ShuffleMode::Idx => Some(first | operand & (width - 1)),
    };
    let source = source.unwrap_or(lane);
    from_bits(collective(Collective::Shuffle(ShuffleMode::Idx), mask, bits, source))
}

/// The elements that a lane holds of the left matrix of [`mma`], in pairs of neighbours in a row.
///
/// With g = lane / 4 and t = lane mod 4 these are, in order, columns 2t and 2t + 1 of row g, then of row g + 8; and, of 16 columns,
/// columns 2t + 8 and 2t + 9 of the same rows (PTX ISA, "Matrix Fragments for mma").
pub trait LeftFragment: Vector + sealed::Sealed {
    /// The elements of the right matrix: rows 2t and 2t + 1 of column g; and, of 16 rows, rows 2t + 8 and 2t + 9.
    type Right: Vector;
}

mod sealed {
    pub trait Lane {}

    /// The type of the elements and the number of columns.
    pub trait Sealed {
        /// `bf16`, else `f16`.
        const BRAIN: bool;
        const COLUMNS: u32;
    }
}

macro_rules! left_fragments {
    ($($left:ident $right:ident $brain:literal $columns:literal;)*) => {$(
        impl LeftFragment for $left {
            type Right = $right;
        }
        impl sealed::Sealed for $left {
            const BRAIN: bool = $brain;
            const COLUMNS: u32 = $columns;
        }
    )*};
}
left_fragments! {
    F16x8 F16x4 false 16;
    F16x4 F16x2 false 8;
    Bf16x8 Bf16x4 true 16;
    Bf16x4 Bf16x2 true 8;
}

/// D = A B + C by the tensor cores: A of 16 rows, B of 8 columns, C and D of 16 × 8 `f32`.
///
/// All 32 lanes take part. Each holds elements of the matrices in vectors, laid out as [`LeftFragment`] says; of C and D columns 2t and
/// 2t + 1 of row g, then of row g + 8. `F16x8` and `Bf16x8` have 16 columns of A and need sm_80, as `Bf16x4` does; `F16x4` has 8
/// columns and needs sm_75. Products are exact. PTX leaves the order and the precision of the sums open: here they are exact up to `f64`
/// and rounded once.
#[track_caller]
pub fn mma<A: LeftFragment>(a: A, b: A::Right, c: F32x4) -> F32x4 {
    let element = if A::BRAIN { matrix::Element::Bf16 } else { matrix::Element::F16 };
    product([16, A::COLUMNS], [element, matrix::Element::F32], &a, &b, c, None)
}

/// D = A B + C as [`mma`] computes it, of a matrix A in which two of each four neighbours in a row are kept and the others are zero: at the
/// speed of a product of half the depth.
///
/// `a` holds the kept elements, laid out as for `mma`; B has as many rows as A has columns with its zeros, 32 for `F16x8` and `Bf16x8`, 16 for
/// `F16x4` and `Bf16x4`: `b` has rows 2t and 2t + 1 of column g, then those 8, 16 and 24 below. The metadata has two bits for each kept element, its
/// place among the four, in ascending order: lane 4g has, from the lowest bits on, those of the first eight kept elements of row g and then of row
/// g + 8; of 32 columns lane 4g + 1 has those of the next eight of both (PTX ISA, "Sparse matrix storage"). What the other lanes hand over is
/// ignored. [`Sparse24`](crate::Sparse24) prunes a matrix on the host and makes both. Needs sm_80.
#[track_caller]
pub fn mma_sparse<A: LeftFragment>(a: A, b: A, c: F32x4, metadata: u32) -> F32x4 {
    let element = if A::BRAIN { matrix::Element::Bf16 } else { matrix::Element::F16 };
    product([16, 2 * A::COLUMNS], [element, matrix::Element::F32], &a, &b, c, Some(metadata))
}

/// D = A B + C with these rows and columns of A, of these types of elements and of sums; of an A with metadata where half of it is kept.
#[track_caller]
fn product<C: Pod>(
    [rows, depth]: [u32; 2],
    [element, sum]: [matrix::Element; 2],
    a: &impl Pod,
    b: &impl Pod,
    c: C,
    metadata: Option<u32>,
) -> C {
    let sparse = metadata.is_some();
    let what = Collective::Product(matrix::Shape { rows, depth, sparse, element, sum });
    let (value, more) = (bits_of(a), [bits_of(b), bits_of(&c)]);
    let (operand, at) = (metadata.unwrap_or(0), Location::caller());
    let sum = fiber::suspend(Wait::Warp { what, mask: None, value, more, operand, at });
    bytemuck::pod_read_unaligned(&sum.to_ne_bytes()[..size_of::<C>()])
}

/// The products that the library's fragments are made of: of words that hold four bytes or a tf32, of `f16` with sums of that type, of `f64`.
pub(crate) mod products {
    use super::product;
    use crate::device::{F16x2, F16x4, F16x8, F32x4, F64x2, I32x2, I32x4, U32x2, U32x4};
    use ptx_sim::matrix::Element;

    macro_rules! products {
        ($($name:ident($a:ty, $b:ty, $c:ty) [$rows:literal $depth:literal] $element:expr, $sum:expr;)*) => {$(
            #[doc = concat!("`warp::", stringify!($name), "`")]
            #[track_caller]
            pub fn $name(a: $a, b: $b, c: $c) -> $c {
                product([$rows, $depth], [$element, $sum], &a, &b, c, None)
            }
        )*};
    }
    macro_rules! of_groups {
        ($($name:ident)*) => {$(
            #[doc = concat!("`warp::", stringify!($name), "`, which copies do not call: they have no groups of warps.")]
            pub fn $name<P, L, D>(sums: P, _left: L, _right: D, _adds: u32) -> P {
                sums
            }
        )*};
    }
    of_groups! {
        group_products_f16 group_products_f16_turned group_products_bf16 group_products_bf16_turned
        group_products_f16_turned_left group_products_bf16_turned_left
        group_products_i8_turned group_products_u8_turned group_products_e4m3_turned group_products_e5m2_turned
        group_products_tf32_turned
    }

    products! {
        mma_s8(U32x4, U32x2, I32x4) [16 32] Element::Signed(8), Element::Signed(32);
        mma_u8(U32x4, U32x2, I32x4) [16 32] Element::Unsigned(8), Element::Signed(32);
        mma_s8_of_8_rows(u32, u32, I32x2) [8 16] Element::Signed(8), Element::Signed(32);
        mma_u8_of_8_rows(u32, u32, I32x2) [8 16] Element::Unsigned(8), Element::Signed(32);
        mma_e4m3(U32x4, U32x2, F32x4) [16 32] Element::E4m3, Element::F32;
        mma_e5m2(U32x4, U32x2, F32x4) [16 32] Element::E5m2, Element::F32;
        mma_tf32(U32x4, U32x2, F32x4) [16 8] Element::Tf32, Element::F32;
        mma_f64(f64, f64, F64x2) [8 4] Element::F64, Element::F64;
        mma_f16(F16x8, F16x4, F16x4) [16 16] Element::F16, Element::F16;
        mma_f16_of_8_columns(F16x4, F16x2, F16x4) [16 8] Element::F16, Element::F16;
    }
}

/// The elements that a lane gets of matrices of 8 × 8 with these rows: those of a lane, as `ldmatrix` gives them.
#[track_caller]
pub(crate) fn load_matrix<V: Vector>(row: &impl Vector, transposed: bool) -> V {
    let found = collective(Collective::Matrices(transposed), None, bits_of(row), 0);
    bytemuck::pod_read_unaligned(&found.to_ne_bytes()[..size_of::<V>()])
}

/// The bytes of a value of at most 16.
fn bits_of<V: Pod>(value: &V) -> u128 {
    const { assert!(size_of::<V>() <= 16, "what a lane hands over has at most 16 bytes") };
    let mut bytes = [0; 16];
    bytes[..size_of::<V>()].copy_from_slice(bytemuck::bytes_of(value));
    u128::from_ne_bytes(bytes)
}

/// The bytes of a value of at most 16.
fn to_bits<T: Element>(value: T) -> u128 {
    const { assert!(size_of::<T>() <= 16, "a value that lanes exchange has at most 16 bytes") };
    let mut bytes = [0; 16];
    bytes[..size_of::<T>()].copy_from_slice(&T::bytes_of(std::slice::from_ref(&value)));
    u128::from_ne_bytes(bytes)
}

fn from_bits<T: Element>(bits: u128) -> T {
    // They are those of another lane's value.
    bytemuck::checked::pod_read_unaligned(&bits.to_ne_bytes()[..size_of::<T>()])
}

#[track_caller]
fn collective(what: Collective, mask: Option<u32>, value: u128, operand: u32) -> u128 {
    let at = Location::caller();
    fiber::suspend(Wait::Warp { what, mask, value, more: [0; 2], operand, at })
}
