//! The functions and methods that the language knows: one table.

use ptx_gen::ir::SpecialRegister;

use crate::typed::Scalar;

/// A function or method with a meaning of its own on the GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// `thread_idx() -> Dim3`: `%tid`.
    ThreadIdx,
    /// `block_idx() -> Dim3`: `%ctaid`.
    BlockIdx,
    /// `block_dim() -> Dim3`: `%ntid`.
    BlockDim,
    /// `grid_dim() -> Dim3`: `%nctaid`.
    GridDim,
    /// `global_idx() -> Dim3`: block index × block size + thread index, per axis. A launch checks that it fits 32 bits.
    GlobalIdx,
    /// `global_size() -> Dim3`: grid size × block size, per axis. A launch checks that it fits 32 bits.
    GlobalSize,
    /// `warp::warp_id() -> usize`: the thread's linear index in its block, over 32.
    WarpId,
    /// `special::smid()`, `warp::lane_mask_lt()`: a register, as PTX names it.
    Special(SpecialRegister),
    /// `special::clusterid() -> Dim3`: a register for each axis.
    SpecialAxes([SpecialRegister; 3]),
    /// `warp::lane_id() -> usize`, `cluster::block_rank()`: a register as an index.
    SpecialIndex(SpecialRegister),
    /// `nanosleep(ns)`
    Nanosleep,
    /// `barrier()`: `bar.sync 0`.
    Barrier,
    /// `barrier_of_warps(id, threads)`, `arrival_of_warps(id, threads)`: `bar.sync` and `bar.arrive` of a barrier with a number and a count of
    /// threads; for the device library alone.
    NamedBarrier {
        /// True if the thread waits.
        waits: bool,
    },
    /// `grid_barrier()`: waits for all blocks of a cooperative launch.
    GridBarrier,
    /// `cluster::sync()`: `barrier.cluster`.
    ClusterBarrier,
    /// `cluster::shared(&tile, rank)`, `cluster::shared_mut(&mut tile, rank)`: another block's variable in shared memory; `mapa`.
    ClusterShared {
        /// It may be written.
        mutable: bool,
    },
    /// `cluster::address(address, rank)`: an address of shared memory in another block; `mapa`; for the device library alone.
    ClusterAddress,
    /// `thread_fence_block()`, `thread_fence()`, `thread_fence_system()`: orders memory accesses for the block, the device,
    /// everything.
    FenceBlock,
    /// See [`Builtin::FenceBlock`].
    FenceDevice,
    /// See [`Builtin::FenceBlock`].
    FenceSystem,
    /// `fence(Ordering::AcqRel, Scope::Block)`: as those, with an order.
    Fence,
    /// `shared::<[T; N]>()`: static shared memory; the type is that of the call.
    Shared,
    /// `shared_dyn::<T>()`: dynamic shared memory; the type is that of the call.
    SharedDyn,
    /// `size_of::<T>()`: a constant.
    SizeOf,
    /// `align_of::<T>()`: a constant.
    AlignOf,
    /// `target::at_least(90)`: whether the code is for this architecture or a newer one; a constant.
    TargetAtLeast,
    /// `target::has_warpgroups()`: whether groups of four warps multiply tiles by `wgmma`; a constant, for the device library alone.
    TargetHasWarpgroups,
    /// `target::converts_small_floats()`: whether there are instructions that convert floats of four and six bits; a constant, for the device library
    /// alone.
    TargetConvertsSmallFloats,
    /// `target::may_have_warpgroups()`: whether they do on an architecture that the kernel names; a constant, for the device library alone.
    TargetMayHaveWarpgroups,
    /// `target::block_threads()`: how many threads the kernel's `block` says that a block has, 0 without it; a constant, for the device library alone.
    TargetBlockThreads,
    /// `warp::party()`: the warps of a block that come here together; for the device library.
    Party,
    /// `warp::whole_block()`: all threads of a block come here together; for the device library.
    WholeBlock,
    /// `has_panicked()`: whether a thread of the launch panicked; for waits of the device library.
    HasPanicked,
    /// `tensor_map(slice)`: the address of the tensor map of a matrix whose elements these are, a parameter's, or 0; for the device library
    /// alone.
    TensorMap,
    /// `warp::sync()`: waits for the other threads of the warp.
    WarpSync,
    /// `warp::active_mask() -> u32`
    ActiveMask,
    /// `warp::ballot(p) -> u32`
    Ballot,
    /// `warp::any(p) -> bool`
    WarpAny,
    /// `warp::all(p) -> bool`
    WarpAll,
    /// `warp::match_any(v) -> u32`: the lanes with the same value.
    MatchAny,
    /// `warp::ballot_sync(mask, p)`; the mask says which lanes take part.
    BallotSync,
    /// `warp::any_sync(mask, p)`
    WarpAnySync,
    /// `warp::all_sync(mask, p)`
    WarpAllSync,
    /// `warp::match_any_sync(mask, v)`
    MatchAnySync,
    /// `warp::shfl_up_sync(mask, value, delta)`
    ShflUpSync,
    /// `warp::shfl_down_sync(mask, value, delta)`
    ShflDownSync,
    /// `warp::shfl_xor_sync(mask, value, lane_mask)`
    ShflXorSync,
    /// `warp::shfl_idx_sync(mask, value, lane)`
    ShflIdxSync,
    /// `warp::shfl_up_width(value, delta, width)`: within segments of a constant number of lanes.
    ShflUpWidth,
    /// `warp::shfl_down_width(value, delta, width)`
    ShflDownWidth,
    /// `warp::shfl_xor_width(value, lane_mask, width)`
    ShflXorWidth,
    /// `warp::shfl_idx_width(value, lane, width)`
    ShflIdxWidth,
    /// `warp::shfl_up_width_sync(mask, value, delta, width)`
    ShflUpWidthSync,
    /// `warp::shfl_down_width_sync(mask, value, delta, width)`
    ShflDownWidthSync,
    /// `warp::shfl_xor_width_sync(mask, value, lane_mask, width)`
    ShflXorWidthSync,
    /// `warp::shfl_idx_width_sync(mask, value, lane, width)`
    ShflIdxWidthSync,
    /// `warp::match_all(v) -> bool`: whether all lanes have the same value.
    MatchAll,
    /// `warp::match_all_sync(mask, v)`
    MatchAllSync,
    /// `warp::sync_mask(mask)`: waits for the lanes of the mask.
    WarpSyncMask,
    /// `block::count(p) -> u32`: in how many threads of the block it holds; a barrier, as the next two.
    BlockCount,
    /// `block::any(p) -> bool`
    BlockAny,
    /// `block::all(p) -> bool`
    BlockAll,
    /// `dot4(a, b, c)`: the products of four bytes each, added to `c`: `dp4a`.
    Dot4,
    /// `warp::mma(a, b, c)`: a product of matrices whose elements the lanes of a warp hold in vectors, and a sum.
    Mma,
    /// `warp::mma_sparse(a, b, c, metadata)`: the same of a left matrix of which two of each four neighbours in a row are there.
    MmaSparse,
    /// Other products, for the device library alone: rustc knows no such functions.
    MmaOf(Product),
    /// `warp::group_products_f16(sums, left, right, adds)`: products of tiles in shared memory by four warps, added to the sums, parts of 16 × 8
    /// of each warp, unless `adds` is 0; the tiles are arrays of descriptors, one for each product, or the left one parts in registers. For the device library alone.
    GroupProducts(GroupOperands),
    /// `warp::redux_add_sync(mask, v)`: what the lanes of the mask make of their integers of 32 bits, by one instruction of sm_80.
    ReduxAdd,
    /// `warp::redux_min_sync(mask, v)`
    ReduxMin,
    /// `warp::redux_max_sync(mask, v)`
    ReduxMax,
    /// `warp::redux_and_sync(mask, v)`
    ReduxAnd,
    /// `warp::redux_or_sync(mask, v)`
    ReduxOr,
    /// `warp::redux_xor_sync(mask, v)`
    ReduxXor,

    /// `fast::sin(x)`: `sin.approx`; of `f32`, as all of `fast`.
    FastSin,
    /// `fast::cos(x)`: `cos.approx`
    FastCos,
    /// `fast::exp2(x)`: `ex2.approx`
    FastExp2,
    /// `fast::exp2_ftz(x)`: `ex2.approx.ftz`
    FastExp2Ftz,
    /// `fast::log2(x)`: `lg2.approx`
    FastLog2,
    /// `fast::tanh(x)`: `tanh.approx`
    FastTanh,
    /// `fast::sqrt(x)`: `sqrt.approx`
    FastSqrt,
    /// `fast::rsqrt(x)`: `rsqrt.approx`
    FastRsqrt,
    /// `fast::recip(x)`: `rcp.approx`
    FastRecip,
    /// `fast::recip_ftz(x)`: `rcp.approx.ftz`
    FastRecipFtz,
    /// `fast::saturate(x)`: `cvt.sat`
    FastSaturate,
    /// `fast::div(a, b)`: `div.approx`
    FastDiv,

    /// `F32x4::new(a, b, c, d)`
    VectorNew,
    /// `F32x4::splat(a)`; also made where an operator has a scalar on its right.
    VectorSplat,
    /// `F32x4::from_array([a, b, c, d])`
    VectorFromArray,
    /// `v.to_array()`
    VectorToArray,
    /// `F32x4::load(slice, i)`: elements `i..i + 4` of a slice of lanes; the address must be aligned to the vector.
    VectorLoad,
    /// `F16x8::load_matrix(slice, i)`: elements of matrices of 8 × 8 in shared memory, of each of which eight lanes name the rows.
    LoadMatrix,
    /// `F16x8::load_matrix_transposed(slice, i)`
    LoadMatrixTransposed,
    /// [`Builtin::LoadMatrix`] without checks, for the device library alone: rustc knows no such function.
    LoadMatrixUnchecked,
    /// [`Builtin::LoadMatrixTransposed`] without checks.
    LoadMatrixTransposedUnchecked,
    /// `v.store(slice, i)`: the vector, the slice, the index.
    VectorStore,
    /// `v.sum()`: lanes added in order.
    VectorSum,
    /// `warp::shfl_up(value, delta: u32)`.
    ///
    /// Values of shuffles are scalars and vectors of any width.
    ShflUp,
    /// `warp::shfl_down(value, delta: u32)`.
    ShflDown,
    /// `warp::shfl_xor(value, mask: u32)`.
    ShflXor,
    /// `warp::shfl_idx(value, lane: u32)`.
    ShflIdx,
    /// `.len()` of a slice, or of `shared_dyn`.
    Len,
    /// `slice.get_unchecked(i)`, `slice.get_unchecked_mut(i)`: the slice, the index; a reference without a check.
    GetUnchecked,
    /// `p.add(n)`: within what the pointer is made from.
    PtrAdd,
    /// `p.offset(n)`, `p.wrapping_add(n)`, `p.wrapping_offset(n)`: anywhere.
    PtrOffset,
    /// `p.sub(n)`, `p.wrapping_sub(n)`
    PtrSub,
    /// `p.byte_add(n)`, `p.byte_offset(n)` and their wrapping forms.
    PtrByteOffset,
    /// `p.byte_sub(n)` and its wrapping form.
    PtrByteSub,
    /// `p.read()`
    PtrRead,
    /// `p.write(value)`
    PtrWrite,
    /// `p.read_volatile()`
    PtrReadVolatile,
    /// `p.write_volatile(value)`
    PtrWriteVolatile,
    /// `p.is_null()`
    PtrIsNull,
    /// `p.offset_from(q)`: in elements.
    PtrOffsetFrom,
    /// `ptr::null()`, `ptr::null_mut()`
    PtrNull,
    /// `slice.as_ptr()`, `slice.as_mut_ptr()`
    SliceAsPtr,
    /// `slice::from_raw_parts(p, len)`, `from_raw_parts_mut`
    SliceFromRaw,

    /// `f.sqrt()`; of a vector too, as `abs`, `min`, `max`, `mul_add`: by lane.
    Sqrt,
    /// `abs()` of floats and signed integers (wraps at `MIN`).
    Abs,
    /// `min` of floats and integers.
    Min,
    /// `max` of floats and integers.
    Max,
    /// `clamp` of floats and integers; unlike Rust's it does not check `min <= max`: it is `max(lo)`, then `min(hi)`, NaN kept.
    Clamp,
    /// `a.mul_add(b, c)`
    MulAdd,
    /// `floor`
    Floor,
    /// `ceil`
    Ceil,
    /// `trunc`
    Trunc,
    /// `round_ties_even`
    RoundTiesEven,
    /// `copysign`
    Copysign,
    /// `recip`
    Recip,
    /// `is_nan`
    IsNan,
    /// `is_infinite`
    IsInfinite,
    /// `is_finite`
    IsFinite,
    /// `to_bits`
    ToBits,
    /// `f32::from_bits(u32)`, `f64::from_bits(u64)`
    FromBits,

    /// `wrapping_add`
    WrappingAdd,
    /// `wrapping_sub`
    WrappingSub,
    /// `wrapping_mul`
    WrappingMul,
    /// `unchecked_add`
    UncheckedAdd,
    /// `unchecked_sub`
    UncheckedSub,
    /// `unchecked_mul`
    UncheckedMul,
    /// `mul_hi`: the high half of the product
    MulHi,
    /// `wrapping_neg`
    WrappingNeg,
    /// `wrapping_shl(u32)`
    WrappingShl,
    /// `wrapping_shr(u32)`
    WrappingShr,
    /// `abs_diff`
    AbsDiff,
    /// `unsigned_abs`
    UnsignedAbs,
    /// `signum` of signed integers
    Signum,
    /// `count_ones`
    CountOnes,
    /// `count_zeros`
    CountZeros,
    /// `leading_zeros`
    LeadingZeros,
    /// `trailing_zeros`
    TrailingZeros,
    /// `rotate_left(u32)`
    RotateLeft,
    /// `rotate_right(u32)`
    RotateRight,
    /// `reverse_bits`
    ReverseBits,
    /// `swap_bytes`
    SwapBytes,
    /// `is_power_of_two`
    IsPowerOfTwo,
}

/// A product of matrices by [`Builtin::MmaOf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Product {
    /// Of `i8`, four in each word.
    I8,
    /// Of `u8`.
    U8,
    /// Of 8 × 16 `i8`.
    I8Of8Rows,
    /// Of 8 × 16 `u8`.
    U8Of8Rows,
    /// Of `E4M3`, four in each word.
    E4m3,
    /// Of `E5M2`.
    E5m2,
    /// Of `f32` that are rounded to tf32.
    Tf32,
    /// Of 8 × 4 `f64`.
    F64,
    /// Of `f16`, with sums in `f16`.
    F16,
    /// Of 16 × 8 `f16`, with sums in `f16`.
    F16Of8Columns,
}

impl Product {
    /// The instruction (PTX ISA, "Multiply-and-Accumulate Instruction: mma").
    pub fn instruction(self) -> &'static str {
        match self {
            Product::I8 => "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
            Product::U8 => "mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32",
            Product::I8Of8Rows => "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32",
            Product::U8Of8Rows => "mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32",
            Product::E4m3 => "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32",
            Product::E5m2 => "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e5m2.f32",
            Product::Tf32 => "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
            Product::F64 => "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
            Product::F16 => "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
            Product::F16Of8Columns => "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16",
        }
    }
}

/// The operands of [`Builtin::GroupProducts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupOperands {
    /// `f16`, the right matrix row by row.
    F16,
    /// `f16`, the right matrix column by column, as all below.
    F16Turned,
    /// `bf16`, the right matrix row by row.
    Bf16,
    /// `bf16`.
    Bf16Turned,
    /// `f16`, both matrices with their rows along K.
    F16TurnedLeft,
    /// `bf16`, likewise.
    Bf16TurnedLeft,
    /// `i8`.
    I8Turned,
    /// `u8`.
    U8Turned,
    /// `E4M3`.
    E4m3Turned,
    /// `E5M2`.
    E5m2Turned,
    /// `f32`, of which the bits of tf32 count.
    Tf32Turned,
}

impl GroupOperands {
    /// The instruction for so many columns, and the operands behind its descriptors (PTX ISA, "wgmma.mma_async").
    pub fn instruction(self, columns: usize, in_registers: bool) -> (String, &'static str) {
        // Of floats the signs of the matrices; of 16 bits also whether each in shared memory has its rows along M or N.
        let [by_rows, by_columns] = match in_registers {
            true => [", 1, 1, 1", ", 1, 1, 0"],
            false => [", 1, 1, 0, 1", ", 1, 1, 0, 0"],
        };
        let both_by_rows = ", 1, 1, 1, 1";
        let (types, more) = match self {
            GroupOperands::F16TurnedLeft => ("k16.f32.f16.f16", both_by_rows),
            GroupOperands::Bf16TurnedLeft => ("k16.f32.bf16.bf16", both_by_rows),
            GroupOperands::F16 => ("k16.f32.f16.f16", by_rows),
            GroupOperands::F16Turned => ("k16.f32.f16.f16", by_columns),
            GroupOperands::Bf16 => ("k16.f32.bf16.bf16", by_rows),
            GroupOperands::Bf16Turned => ("k16.f32.bf16.bf16", by_columns),
            GroupOperands::I8Turned => ("k32.s32.s8.s8", ""),
            GroupOperands::U8Turned => ("k32.s32.u8.u8", ""),
            GroupOperands::E4m3Turned => ("k32.f32.e4m3.e4m3", ", 1, 1"),
            GroupOperands::E5m2Turned => ("k32.f32.e5m2.e5m2", ", 1, 1"),
            GroupOperands::Tf32Turned => ("k8.f32.tf32.tf32", ", 1, 1"),
        };
        (format!("wgmma.mma_async.sync.aligned.m64n{columns}{types}"), more)
    }
}

/// The syntax of a builtin's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `name(…)`, also behind `device::`
    Function,
    /// `warp::name(…)`
    Warp,
    /// `fast::name(…)`
    Fast,
    /// `block::name(…)`
    Block,
    /// `cluster::name(…)`
    Cluster,
    /// `special::name(…)`
    Special,
    /// `target::name(…)`
    Target,
    /// `value.name(…)`, also `f32::name(value, …)`
    Method,
    /// `f32::name(…)`
    Associated,
    /// `vector.name(…)`
    VectorMethod,
    /// `F32x4::name(…)`
    VectorAssociated,
    /// `ptr::name(…)` of `core`
    Pointer,
    /// `slice::name(…)` of `core`
    Slice,
    /// `mem::name::<T>()` of `core`, also by its name alone
    Memory,
}

/// A set of scalar types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `f16`, `bf16`, `f32`, `f64`
    Float,
    /// `f32`
    F32,
    /// Every integer.
    Int,
    /// `i32`, `u32`
    Word,
    /// Signed integers.
    Signed,
    /// Unsigned integers.
    Unsigned,
    /// Integers and floats.
    Number,
    /// Signed integers and floats.
    SignedOrFloat,
    /// Integers and `bool`.
    IntOrBool,
    /// All.
    Scalar,
}

impl Class {
    /// Returns true if the scalar type is in the class.
    pub fn holds(self, scalar: Scalar) -> bool {
        match self {
            Class::Float => scalar.is_float(),
            Class::F32 => scalar == Scalar::F32,
            Class::Int => scalar.is_int(),
            Class::Word => matches!(scalar, Scalar::I32 | Scalar::U32),
            Class::Signed => scalar.is_signed(),
            Class::Unsigned => scalar.is_int() && !scalar.is_signed(),
            Class::Number => scalar != Scalar::Bool,
            Class::SignedOrFloat => scalar.is_signed() || scalar.is_float(),
            Class::IntOrBool => !scalar.is_float(),
            Class::Scalar => true,
        }
    }

    /// The class's name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Class::Float => "a float",
            Class::F32 => "an `f32`",
            Class::Int => "an integer",
            Class::Word => "an `i32` or `u32`",
            Class::Signed => "a signed integer",
            Class::Unsigned => "an unsigned integer",
            Class::Number => "a number",
            Class::SignedOrFloat => "a signed integer or a float",
            Class::IntOrBool => "an integer or a `bool`",
            Class::Scalar => "a scalar",
        }
    }
}

/// The type of an argument or a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// That of the receiver, or of the first argument.
    Same,
    /// This one.
    Fixed(Scalar),
    /// A vector of so many of these.
    Vector(Scalar, u32),
    /// The unsigned integer as wide as the receiver.
    Unsigned,
    /// A lane, a distance of lanes or a mask of lane numbers: one of [`LANE_OPERANDS`].
    LaneOperand,
    /// `()`
    Unit,
    /// `Dim3`
    Dim3,
    /// `Ordering`
    Order,
    /// `Scope`
    Scope,
    /// That in `shared::<T>()`.
    Shared,
    /// That of a vector's lanes.
    Lane,
    /// An array of a vector's lanes.
    LaneArray,
    /// `&[lane]`
    LaneSlice,
    /// `&mut [lane]`
    LaneSliceMut,
    /// The right matrix's vector of a product whose left matrix has the type [`Slot::Same`]: half as many lanes.
    RightFragment,
    /// That of a product whose left matrix is sparse: as many lanes.
    SparseRight,
    /// The vector of the sum of such a product.
    Accumulator,
}

/// The types that the lane, distance or mask of a shuffle may have: those of `warp::LaneOperand`.
pub const LANE_OPERANDS: [Scalar; 3] = [Scalar::U32, Scalar::Usize, Scalar::I32];

/// A row of the table.
#[derive(Debug)]
pub struct Signature {
    /// The builtin.
    pub builtin: Builtin,
    /// The syntax of its call.
    pub form: Form,
    /// Its name.
    pub name: &'static str,
    /// The types that [`Slot::Same`] may be.
    pub class: Class,
    /// The arguments, without a receiver.
    pub params: &'static [Slot],
    /// The result.
    pub result: Slot,
}

const U32: Slot = Slot::Fixed(Scalar::U32);
const USIZE: Slot = Slot::Fixed(Scalar::Usize);
const U64: Slot = Slot::Fixed(Scalar::U64);
const BOOL: Slot = Slot::Fixed(Scalar::Bool);
const F64: Slot = Slot::Fixed(Scalar::F64);
const WORDS_2: Slot = Slot::Vector(Scalar::U32, 2);
const WORDS_4: Slot = Slot::Vector(Scalar::U32, 4);
const I32X2: Slot = Slot::Vector(Scalar::I32, 2);
const I32X4: Slot = Slot::Vector(Scalar::I32, 4);
const F32X4: Slot = Slot::Vector(Scalar::F32, 4);
const F64X2: Slot = Slot::Vector(Scalar::F64, 2);
const F16X2: Slot = Slot::Vector(Scalar::F16, 2);
const F16X4: Slot = Slot::Vector(Scalar::F16, 4);
const F16X8: Slot = Slot::Vector(Scalar::F16, 8);

/// Every function and method of the language; `len` belongs to slices and shared arrays, whatever its class says.
#[rustfmt::skip]
pub static TABLE: &[Signature] = {
    use Builtin as B;
    use SpecialRegister as R;
    use Form::{Associated, Block, Cluster, Fast, Function, Method, Special, Target, VectorAssociated, VectorMethod, Warp};
    use Slot::{Accumulator, Dim3, Lane, LaneArray, LaneOperand, LaneSlice, LaneSliceMut, Order, RightFragment, Same, Scope, Shared, SparseRight, Unit, Unsigned};
    const fn row(builtin: Builtin, form: Form, name: &'static str, class: Class, params: &'static [Slot], result: Slot) -> Signature {
        Signature { builtin, form, name, class, params, result }
    }
    &[
        row(B::ThreadIdx,    Function, "thread_idx",  Class::Scalar, &[], Dim3),
        row(B::BlockIdx,     Function, "block_idx",   Class::Scalar, &[], Dim3),
        row(B::BlockDim,     Function, "block_dim",   Class::Scalar, &[], Dim3),
        row(B::GridDim,      Function, "grid_dim",    Class::Scalar, &[], Dim3),
        row(B::GlobalIdx,    Function, "global_idx",  Class::Scalar, &[], Dim3),
        row(B::GlobalSize,   Function, "global_size", Class::Scalar, &[], Dim3),
        row(B::Barrier,      Function, "barrier",     Class::Scalar, &[], Unit),
        row(B::NamedBarrier { waits: true },  Function, "barrier_of_warps", Class::Scalar, &[USIZE, USIZE], Unit),
        row(B::NamedBarrier { waits: false }, Function, "arrival_of_warps", Class::Scalar, &[USIZE, USIZE], Unit),
        row(B::GridBarrier,  Function, "grid_barrier", Class::Scalar, &[], Unit),
        row(B::FenceBlock,   Function, "thread_fence_block",  Class::Scalar, &[], Unit),
        row(B::FenceDevice,  Function, "thread_fence",        Class::Scalar, &[], Unit),
        row(B::FenceSystem,  Function, "thread_fence_system", Class::Scalar, &[], Unit),
        row(B::Fence,        Function, "fence",       Class::Scalar, &[Order, Scope], Unit),
        row(B::Dot4,         Function, "dot4",        Class::Word,   &[Same, Same, Same], Same),
        row(B::Shared,       Function, "shared",      Class::Scalar, &[], Shared),
        row(B::SharedDyn,    Function, "shared_dyn",  Class::Scalar, &[], Shared),
        row(B::SizeOf,       Form::Memory, "size_of",  Class::Scalar, &[], USIZE),
        row(B::AlignOf,      Form::Memory, "align_of", Class::Scalar, &[], USIZE),
        row(B::TargetAtLeast, Target,  "at_least",    Class::Scalar, &[U32], BOOL),
        row(B::TargetHasWarpgroups, Target, "has_warpgroups", Class::Scalar, &[], BOOL),
        row(B::TargetConvertsSmallFloats, Target, "converts_small_floats", Class::Scalar, &[], BOOL),
        row(B::TargetMayHaveWarpgroups, Target, "may_have_warpgroups", Class::Scalar, &[], BOOL),
        row(B::TargetBlockThreads, Target, "block_threads", Class::Scalar, &[], USIZE),
        row(B::HasPanicked,  Function, "has_panicked", Class::Scalar, &[], BOOL),
        row(B::TensorMap,    Function, "tensor_map",  Class::Scalar, &[Same], USIZE),
        row(B::SpecialIndex(R::LaneId), Warp, "lane_id",     Class::Scalar, &[], USIZE),
        row(B::WarpId,       Warp,     "warp_id",     Class::Scalar, &[], USIZE),
        row(B::Special(R::LaneMaskEq), Warp, "lane_mask_eq", Class::Scalar, &[], U32),
        row(B::Special(R::LaneMaskLt), Warp, "lane_mask_lt", Class::Scalar, &[], U32),
        row(B::Special(R::LaneMaskLe), Warp, "lane_mask_le", Class::Scalar, &[], U32),
        row(B::Special(R::LaneMaskGt), Warp, "lane_mask_gt", Class::Scalar, &[], U32),
        row(B::Special(R::LaneMaskGe), Warp, "lane_mask_ge", Class::Scalar, &[], U32),
        row(B::Special(R::WarpId),     Special, "warpid",      Class::Scalar, &[], U32),
        row(B::Special(R::NwarpId),    Special, "nwarpid",     Class::Scalar, &[], U32),
        row(B::Special(R::SmId),       Special, "smid",        Class::Scalar, &[], U32),
        row(B::Special(R::NsmId),      Special, "nsmid",       Class::Scalar, &[], U32),
        row(B::Special(R::GridId),     Special, "gridid",      Class::Scalar, &[], U64),
        row(B::Special(R::Clock),      Special, "clock",       Class::Scalar, &[], U32),
        row(B::Special(R::Clock64),    Special, "clock64",     Class::Scalar, &[], U64),
        row(B::Special(R::GlobalTimer), Special, "globaltimer", Class::Scalar, &[], U64),
        row(B::Special(R::DynamicSharedSize), Special, "dynamic_smem_size", Class::Scalar, &[], U32),
        row(B::Special(R::TotalSharedSize),   Special, "total_smem_size",   Class::Scalar, &[], U32),
        row(B::Special(R::ClusterCtaRank),    Special, "cluster_ctarank",   Class::Scalar, &[], U32),
        row(B::Special(R::ClusterNctaRank),   Special, "cluster_nctarank",  Class::Scalar, &[], U32),
        row(B::SpecialAxes([R::ClusterCtaidX, R::ClusterCtaidY, R::ClusterCtaidZ]),    Special, "cluster_ctaid",  Class::Scalar, &[], Dim3),
        row(B::SpecialAxes([R::ClusterNctaidX, R::ClusterNctaidY, R::ClusterNctaidZ]), Special, "cluster_nctaid", Class::Scalar, &[], Dim3),
        row(B::SpecialAxes([R::ClusterIdX, R::ClusterIdY, R::ClusterIdZ]),             Special, "clusterid",      Class::Scalar, &[], Dim3),
        row(B::SpecialAxes([R::NclusterIdX, R::NclusterIdY, R::NclusterIdZ]),          Special, "nclusterid",     Class::Scalar, &[], Dim3),
        row(B::ClusterBarrier, Cluster, "sync",       Class::Scalar, &[], Unit),
        row(B::ClusterShared { mutable: false }, Cluster, "shared",     Class::Scalar, &[Same, USIZE], Same),
        row(B::ClusterShared { mutable: true },  Cluster, "shared_mut", Class::Scalar, &[Same, USIZE], Same),
        row(B::ClusterAddress, Cluster, "address", Class::Scalar, &[U32, U32], U32),
        row(B::SpecialIndex(R::ClusterCtaRank),  Cluster, "block_rank", Class::Scalar, &[], USIZE),
        row(B::SpecialIndex(R::ClusterNctaRank), Cluster, "blocks",     Class::Scalar, &[], USIZE),
        row(B::SpecialAxes([R::ClusterCtaidX, R::ClusterCtaidY, R::ClusterCtaidZ]), Cluster, "block_idx", Class::Scalar, &[], Dim3),
        row(B::Nanosleep,    Function, "nanosleep",   Class::Scalar, &[U32], Unit),
        row(B::ShflUp,       Warp,     "shfl_up",     Class::Scalar, &[Same, LaneOperand], Same),
        row(B::ShflDown,     Warp,     "shfl_down",   Class::Scalar, &[Same, LaneOperand], Same),
        row(B::ShflXor,      Warp,     "shfl_xor",    Class::Scalar, &[Same, LaneOperand], Same),
        row(B::ShflIdx,      Warp,     "shfl_idx",    Class::Scalar, &[Same, LaneOperand], Same),
        row(B::Party,        Warp,     "party",       Class::Scalar, &[], Unit),
        row(B::WholeBlock,   Warp,     "whole_block", Class::Scalar, &[], Unit),
        row(B::WarpSync,     Warp,     "sync",        Class::Scalar, &[], Unit),
        row(B::ActiveMask,   Warp,     "active_mask", Class::Scalar, &[], U32),
        row(B::Ballot,       Warp,     "ballot",      Class::Scalar, &[BOOL], U32),
        row(B::WarpAny,      Warp,     "any",         Class::Scalar, &[BOOL], BOOL),
        row(B::WarpAll,      Warp,     "all",         Class::Scalar, &[BOOL], BOOL),
        row(B::MatchAny,     Warp,     "match_any",   Class::Scalar, &[Same], U32),
        row(B::BallotSync,   Warp,     "ballot_sync", Class::Scalar, &[U32, BOOL], U32),
        row(B::WarpAnySync,  Warp,     "any_sync",    Class::Scalar, &[U32, BOOL], BOOL),
        row(B::WarpAllSync,  Warp,     "all_sync",    Class::Scalar, &[U32, BOOL], BOOL),
        row(B::MatchAnySync, Warp,     "match_any_sync", Class::Scalar, &[U32, Same], U32),
        row(B::ShflUpSync,   Warp,     "shfl_up_sync",   Class::Scalar, &[U32, Same, LaneOperand], Same),
        row(B::ShflDownSync, Warp,     "shfl_down_sync", Class::Scalar, &[U32, Same, LaneOperand], Same),
        row(B::ShflXorSync,  Warp,     "shfl_xor_sync",  Class::Scalar, &[U32, Same, LaneOperand], Same),
        row(B::ShflIdxSync,  Warp,     "shfl_idx_sync",  Class::Scalar, &[U32, Same, LaneOperand], Same),
        row(B::ShflUpWidth,       Warp, "shfl_up_width",        Class::Scalar, &[Same, LaneOperand, U32], Same),
        row(B::ShflDownWidth,     Warp, "shfl_down_width",      Class::Scalar, &[Same, LaneOperand, U32], Same),
        row(B::ShflXorWidth,      Warp, "shfl_xor_width",       Class::Scalar, &[Same, LaneOperand, U32], Same),
        row(B::ShflIdxWidth,      Warp, "shfl_idx_width",       Class::Scalar, &[Same, LaneOperand, U32], Same),
        row(B::ShflUpWidthSync,   Warp, "shfl_up_width_sync",   Class::Scalar, &[U32, Same, LaneOperand, U32], Same),
        row(B::ShflDownWidthSync, Warp, "shfl_down_width_sync", Class::Scalar, &[U32, Same, LaneOperand, U32], Same),
        row(B::ShflXorWidthSync,  Warp, "shfl_xor_width_sync",  Class::Scalar, &[U32, Same, LaneOperand, U32], Same),
        row(B::ShflIdxWidthSync,  Warp, "shfl_idx_width_sync",  Class::Scalar, &[U32, Same, LaneOperand, U32], Same),
        row(B::ShflIdx,      Warp,     "broadcast",      Class::Scalar, &[Same, LaneOperand], Same),
        row(B::ShflIdxSync,  Warp,     "broadcast_sync", Class::Scalar, &[U32, Same, LaneOperand], Same),
        row(B::MatchAll,     Warp,     "match_all",      Class::Scalar, &[Same], BOOL),
        row(B::MatchAllSync, Warp,     "match_all_sync", Class::Scalar, &[U32, Same], BOOL),
        row(B::WarpSyncMask, Warp,     "sync_mask",      Class::Scalar, &[U32], Unit),
        row(B::BlockCount,   Block,    "count",       Class::Scalar, &[BOOL], U32),
        row(B::BlockAny,     Block,    "any",         Class::Scalar, &[BOOL], BOOL),
        row(B::BlockAll,     Block,    "all",         Class::Scalar, &[BOOL], BOOL),
        row(B::Mma,          Warp,     "mma",         Class::Float,  &[Same, RightFragment, Accumulator], Accumulator),
        row(B::MmaSparse,    Warp,     "mma_sparse",  Class::Float,  &[Same, SparseRight, Accumulator, U32], Accumulator),
        row(B::MmaOf(Product::I8),        Warp, "mma_s8",           Class::Scalar, &[WORDS_4, WORDS_2, I32X4], I32X4),
        row(B::MmaOf(Product::U8),        Warp, "mma_u8",           Class::Scalar, &[WORDS_4, WORDS_2, I32X4], I32X4),
        row(B::MmaOf(Product::I8Of8Rows), Warp, "mma_s8_of_8_rows", Class::Scalar, &[U32, U32, I32X2], I32X2),
        row(B::MmaOf(Product::U8Of8Rows), Warp, "mma_u8_of_8_rows", Class::Scalar, &[U32, U32, I32X2], I32X2),
        row(B::MmaOf(Product::E4m3),      Warp, "mma_e4m3",         Class::Scalar, &[WORDS_4, WORDS_2, F32X4], F32X4),
        row(B::MmaOf(Product::E5m2),      Warp, "mma_e5m2",         Class::Scalar, &[WORDS_4, WORDS_2, F32X4], F32X4),
        row(B::MmaOf(Product::Tf32),      Warp, "mma_tf32",         Class::Scalar, &[WORDS_4, WORDS_2, F32X4], F32X4),
        row(B::MmaOf(Product::F64),       Warp, "mma_f64",          Class::Scalar, &[F64, F64, F64X2], F64X2),
        row(B::MmaOf(Product::F16),       Warp, "mma_f16",          Class::Scalar, &[F16X8, F16X4, F16X4], F16X4),
        row(B::MmaOf(Product::F16Of8Columns), Warp, "mma_f16_of_8_columns", Class::Scalar, &[F16X4, F16X2, F16X4], F16X4),
        row(B::GroupProducts(GroupOperands::F16), Warp, "group_products_f16", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::F16Turned), Warp, "group_products_f16_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::Bf16), Warp, "group_products_bf16", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::Bf16Turned), Warp, "group_products_bf16_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::F16TurnedLeft), Warp, "group_products_f16_turned_left", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::Bf16TurnedLeft), Warp, "group_products_bf16_turned_left", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::I8Turned), Warp, "group_products_i8_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::U8Turned), Warp, "group_products_u8_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::E4m3Turned), Warp, "group_products_e4m3_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::E5m2Turned), Warp, "group_products_e5m2_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::GroupProducts(GroupOperands::Tf32Turned), Warp, "group_products_tf32_turned", Class::Scalar, &[Same, Same, Same, U32], Same),
        row(B::ReduxAdd,     Warp,     "redux_add_sync", Class::Word, &[U32, Same], Same),
        row(B::ReduxMin,     Warp,     "redux_min_sync", Class::Word, &[U32, Same], Same),
        row(B::ReduxMax,     Warp,     "redux_max_sync", Class::Word, &[U32, Same], Same),
        row(B::ReduxAnd,     Warp,     "redux_and_sync", Class::Word, &[U32, Same], Same),
        row(B::ReduxOr,      Warp,     "redux_or_sync", Class::Word, &[U32, Same], Same),
        row(B::ReduxXor,     Warp,     "redux_xor_sync", Class::Word, &[U32, Same], Same),
        row(B::Len,          Method,   "len",         Class::Scalar, &[], USIZE),

        row(B::VectorSplat,     VectorAssociated, "splat",      Class::Number, &[Lane], Same),
        row(B::VectorFromArray, VectorAssociated, "from_array", Class::Number, &[LaneArray], Same),
        row(B::VectorLoad,      VectorAssociated, "load",       Class::Number, &[LaneSlice, USIZE], Same),
        row(B::LoadMatrix,      VectorAssociated, "load_matrix", Class::Float, &[LaneSlice, USIZE], Same),
        row(B::LoadMatrixTransposed, VectorAssociated, "load_matrix_transposed", Class::Float, &[LaneSlice, USIZE], Same),
        row(B::LoadMatrixUnchecked,           VectorAssociated, "load_matrix_unchecked",            Class::Number, &[LaneSlice, USIZE], Same),
        row(B::LoadMatrixTransposedUnchecked, VectorAssociated, "load_matrix_transposed_unchecked", Class::Number, &[LaneSlice, USIZE], Same),
        row(B::VectorToArray,   VectorMethod,     "to_array",   Class::Number, &[], LaneArray),
        row(B::VectorStore,     VectorMethod,     "store",      Class::Number, &[LaneSliceMut, USIZE], Unit),
        row(B::VectorSum,       VectorMethod,     "sum",        Class::Number, &[], Lane),
        row(B::Sqrt,            VectorMethod,     "sqrt",       Class::Float,  &[], Same),
        row(B::Abs,             VectorMethod,     "abs",        Class::SignedOrFloat, &[], Same),
        row(B::Min,             VectorMethod,     "min",        Class::Number, &[Same], Same),
        row(B::Max,             VectorMethod,     "max",        Class::Number, &[Same], Same),
        row(B::MulAdd,          VectorMethod,     "mul_add",    Class::Float,  &[Same, Same], Same),

        row(B::Sqrt,          Method,  "sqrt",            Class::Float,         &[], Same),
        row(B::Abs,           Method,  "abs",             Class::SignedOrFloat, &[], Same),
        row(B::Min,           Method,  "min",             Class::Number,        &[Same], Same),
        row(B::Max,           Method,  "max",             Class::Number,        &[Same], Same),
        row(B::Clamp,         Method,  "clamp",           Class::Number,        &[Same, Same], Same),
        row(B::MulAdd,        Method,  "mul_add",         Class::Float,         &[Same, Same], Same),
        row(B::Floor,         Method,  "floor",           Class::Float,         &[], Same),
        row(B::Ceil,          Method,  "ceil",            Class::Float,         &[], Same),
        row(B::Trunc,         Method,  "trunc",           Class::Float,         &[], Same),
        row(B::RoundTiesEven, Method,  "round_ties_even", Class::Float,         &[], Same),
        row(B::Copysign,      Method,  "copysign",        Class::Float,         &[Same], Same),
        row(B::Recip,         Method,  "recip",           Class::Float,         &[], Same),
        row(B::IsNan,         Method,  "is_nan",          Class::Float,         &[], BOOL),
        row(B::IsInfinite,    Method,  "is_infinite",     Class::Float,         &[], BOOL),
        row(B::IsFinite,      Method,  "is_finite",       Class::Float,         &[], BOOL),
        row(B::ToBits,        Method,  "to_bits",         Class::Float,         &[], Unsigned),
        row(B::FromBits,      Associated, "from_bits",    Class::Float,         &[Unsigned], Same),

        row(B::WrappingAdd,   Method,  "wrapping_add",    Class::Int,      &[Same], Same),
        row(B::WrappingSub,   Method,  "wrapping_sub",    Class::Int,      &[Same], Same),
        row(B::WrappingMul,   Method,  "wrapping_mul",    Class::Int,      &[Same], Same),
        row(B::UncheckedAdd,  Method,  "unchecked_add",   Class::Int,      &[Same], Same),
        row(B::UncheckedSub,  Method,  "unchecked_sub",   Class::Int,      &[Same], Same),
        row(B::UncheckedMul,  Method,  "unchecked_mul",   Class::Int,      &[Same], Same),
        row(B::MulHi,         Method,  "mul_hi",          Class::Int,      &[Same], Same),
        row(B::WrappingNeg,   Method,  "wrapping_neg",    Class::Int,      &[], Same),
        row(B::WrappingShl,   Method,  "wrapping_shl",    Class::Int,      &[U32], Same),
        row(B::WrappingShr,   Method,  "wrapping_shr",    Class::Int,      &[U32], Same),
        row(B::AbsDiff,       Method,  "abs_diff",        Class::Int,      &[Same], Unsigned),
        row(B::UnsignedAbs,   Method,  "unsigned_abs",    Class::Signed,   &[], Unsigned),
        row(B::Signum,        Method,  "signum",          Class::Signed,   &[], Same),
        row(B::CountOnes,     Method,  "count_ones",      Class::Int,      &[], U32),
        row(B::CountZeros,    Method,  "count_zeros",     Class::Int,      &[], U32),
        row(B::LeadingZeros,  Method,  "leading_zeros",   Class::Int,      &[], U32),
        row(B::TrailingZeros, Method,  "trailing_zeros",  Class::Int,      &[], U32),
        row(B::RotateLeft,    Method,  "rotate_left",     Class::Int,      &[U32], Same),
        row(B::RotateRight,   Method,  "rotate_right",    Class::Int,      &[U32], Same),
        row(B::ReverseBits,   Method,  "reverse_bits",    Class::Int,      &[], Same),
        row(B::SwapBytes,     Method,  "swap_bytes",      Class::Int,      &[], Same),
        row(B::IsPowerOfTwo,  Method,  "is_power_of_two", Class::Unsigned, &[], BOOL),

        row(B::FastSin,      Fast,     "sin",         Class::F32, &[Same], Same),
        row(B::FastCos,      Fast,     "cos",         Class::F32, &[Same], Same),
        row(B::FastExp2,     Fast,     "exp2",        Class::F32, &[Same], Same),
        row(B::FastExp2Ftz,  Fast,     "exp2_ftz",    Class::F32, &[Same], Same),
        row(B::FastLog2,     Fast,     "log2",        Class::F32, &[Same], Same),
        row(B::FastTanh,     Fast,     "tanh",        Class::F32, &[Same], Same),
        row(B::FastSqrt,     Fast,     "sqrt",        Class::F32, &[Same], Same),
        row(B::FastRsqrt,    Fast,     "rsqrt",       Class::F32, &[Same], Same),
        row(B::FastRecip,    Fast,     "recip",       Class::F32, &[Same], Same),
        row(B::FastRecipFtz, Fast,     "recip_ftz",   Class::F32, &[Same], Same),
        row(B::FastSaturate, Fast,     "saturate",    Class::F32, &[Same], Same),
        row(B::FastDiv,      Fast,     "div",         Class::F32, &[Same, Same], Same),

        row(B::PtrNull,      Form::Pointer, "null",               Class::Scalar, &[], Unit),
        row(B::PtrNull,      Form::Pointer, "null_mut",           Class::Scalar, &[], Unit),
        row(B::PtrRead,      Form::Pointer, "read",               Class::Scalar, &[USIZE], Same),
        row(B::PtrWrite,     Form::Pointer, "write",              Class::Scalar, &[USIZE, Same], Unit),
        row(B::PtrReadVolatile,  Form::Pointer, "read_volatile",  Class::Scalar, &[USIZE], Same),
        row(B::PtrWriteVolatile, Form::Pointer, "write_volatile", Class::Scalar, &[USIZE, Same], Unit),
        row(B::SliceFromRaw, Form::Slice,   "from_raw_parts",     Class::Scalar, &[USIZE, USIZE], Unit),
        row(B::SliceFromRaw, Form::Slice,   "from_raw_parts_mut", Class::Scalar, &[USIZE, USIZE], Unit),
    ]
};

/// `F32x4::new`: takes a scalar for each lane.
pub static VECTOR_NEW: Signature = Signature {
    builtin: Builtin::VectorNew,
    form: Form::VectorAssociated,
    name: "new",
    class: Class::Number,
    params: &[],
    result: Slot::Same,
};

/// A row for what inference knows the types of.
const fn typed_elsewhere(builtin: Builtin, name: &'static str) -> Signature {
    Signature { builtin, form: Form::Method, name, class: Class::Scalar, params: &[], result: Slot::Unit }
}

/// `slice.get_unchecked(i)` and `get_unchecked_mut`.
pub static GET_UNCHECKED: Signature = typed_elsewhere(Builtin::GetUnchecked, "get_unchecked");
/// `slice.as_ptr()` and `as_mut_ptr`.
pub static SLICE_AS_PTR: Signature = typed_elsewhere(Builtin::SliceAsPtr, "as_ptr");

/// The type of a parameter or of the result of a pointer method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointerSlot {
    /// `usize`
    Count,
    /// `isize`
    Distance,
    /// The pointee type.
    Pointee,
    /// A pointer of the same type.
    Same,
    /// A `*const` pointer to the same.
    Const,
    /// `bool`
    Bool,
    /// `()`
    Unit,
}

/// A method of pointers.
#[derive(Debug)]
pub struct PointerMethod {
    /// The builtin, its name and its form.
    pub signature: Signature,
    /// Its arguments.
    pub params: &'static [PointerSlot],
    /// Its result.
    pub result: PointerSlot,
    /// Of `*mut` only.
    pub writes: bool,
}

/// Every method of pointers but casts.
#[rustfmt::skip]
pub static POINTER_METHODS: &[PointerMethod] = {
    use Builtin as B;
    use PointerSlot::{Bool, Const, Count, Distance, Pointee, Same, Unit};
    const fn row(builtin: Builtin, name: &'static str, params: &'static [PointerSlot], result: PointerSlot) -> PointerMethod {
        PointerMethod { signature: typed_elsewhere(builtin, name), params, result, writes: matches!(builtin, Builtin::PtrWrite | Builtin::PtrWriteVolatile) }
    }
    &[
        row(B::PtrAdd,        "add",                  &[Count],    Same),
        row(B::PtrSub,        "sub",                  &[Count],    Same),
        row(B::PtrOffset,     "offset",               &[Distance], Same),
        row(B::PtrOffset,     "wrapping_add",         &[Count],    Same),
        row(B::PtrSub,        "wrapping_sub",         &[Count],    Same),
        row(B::PtrOffset,     "wrapping_offset",      &[Distance], Same),
        row(B::PtrByteOffset, "byte_add",             &[Count],    Same),
        row(B::PtrByteSub,    "byte_sub",             &[Count],    Same),
        row(B::PtrByteOffset, "byte_offset",          &[Distance], Same),
        row(B::PtrByteOffset, "wrapping_byte_add",    &[Count],    Same),
        row(B::PtrByteSub,    "wrapping_byte_sub",    &[Count],    Same),
        row(B::PtrByteOffset, "wrapping_byte_offset", &[Distance], Same),
        row(B::PtrRead,       "read",                 &[],         Pointee),
        row(B::PtrWrite,      "write",                &[Pointee],  Unit),
        row(B::PtrReadVolatile,  "read_volatile",     &[],         Pointee),
        row(B::PtrWriteVolatile, "write_volatile",    &[Pointee],  Unit),
        row(B::PtrIsNull,     "is_null",              &[],         Bool),
        row(B::PtrOffsetFrom, "offset_from",          &[Const],    Distance),
    ]
};

/// Functions of CUDA or Rust that one might write, and what they are called here.
const OTHER_NAMES: &[(&str, &str)] = &[
    ("__syncthreads", "write `barrier()`"),
    ("syncthreads", "write `barrier()`"),
    ("sizeof", "write `size_of::<f32>()`"),
    ("alignof", "write `align_of::<f32>()`"),
    ("sync_threads", "write `barrier()`"),
    ("index_1d", "write `global_idx().x`"),
    ("index_2d", "write `global_idx()`, which has `.x` and `.y`"),
    ("sync_grid", "write `grid_barrier()`"),
    ("grid_sync", "write `grid_barrier()`"),
    ("this_grid", "for `this_grid().sync()` write `grid_barrier()`"),
    ("this_cluster", "for `this_cluster().sync()` write `cluster::sync()`"),
    ("cluster_sync", "write `cluster::sync()`"),
    ("cluster_barrier", "write `cluster::sync()`"),
    ("__shfl_down_sync", "write `warp::shfl_down(value, delta)`, or `warp::shfl_down_sync` with the mask"),
    ("__shfl_up_sync", "write `warp::shfl_up(value, delta)`, or `warp::shfl_up_sync` with the mask"),
    ("__shfl_xor_sync", "write `warp::shfl_xor(value, lane_mask)`, or `warp::shfl_xor_sync` with the mask"),
    ("__shfl_sync", "write `warp::shfl_idx(value, lane)`, or `warp::shfl_idx_sync` with the mask"),
    ("__ballot_sync", "write `warp::ballot(condition)`, or `warp::ballot_sync` with the mask"),
    ("__any_sync", "write `warp::any(condition)`, or `warp::any_sync` with the mask"),
    ("__all_sync", "write `warp::all(condition)`, or `warp::all_sync` with the mask"),
    ("__match_any_sync", "write `warp::match_any(value)`, or `warp::match_any_sync` with the mask"),
    ("__match_all_sync", "write `warp::match_all(value)`, or `warp::match_all_sync` with the mask"),
    ("__reduce_add_sync", "write `warp::reduce_add(value)`, or `warp::reduce_add_sync` with the mask"),
    ("__syncwarp", "write `warp::sync()`, or `warp::sync_mask` with the mask"),
    ("__nanosleep", "write `nanosleep(ns)`"),
    ("clock", "write `special::clock()`"),
    ("clock64", "write `special::clock64()`"),
    ("smid", "write `special::smid()`"),
    ("__ldg", "index a `&[T]`: what is read through it is read by `ld.global.nc` as it is"),
    ("__ldca", "write `cache::load_ca(&x[i])`"),
    ("__ldcg", "write `cache::load_cg(&x[i])`"),
    ("__ldcs", "write `cache::load_cs(&x[i])`"),
    ("__ldlu", "write `cache::load_lu(&x[i])`"),
    ("__ldcv", "write `cache::load_cv(&x[i])`"),
    ("__stwb", "write `cache::store_wb(&mut y[i], value)`"),
    ("__stcg", "write `cache::store_cg(&mut y[i], value)`"),
    ("__stcs", "write `cache::store_cs(&mut y[i], value)`"),
    ("__stwt", "write `cache::store_wt(&mut y[i], value)`"),
    ("__activemask", "write `warp::active_mask()`"),
    ("atomicAdd", "take a `&[AtomicU32]` and write `x[i].fetch_add(value, Ordering::Relaxed)`"),
    ("atomicSub", "take a `&[AtomicU32]` and write `x[i].fetch_sub(value, Ordering::Relaxed)`"),
    ("atomicMin", "take a `&[AtomicU32]` and write `x[i].fetch_min(value, Ordering::Relaxed)`"),
    ("atomicMax", "take a `&[AtomicU32]` and write `x[i].fetch_max(value, Ordering::Relaxed)`"),
    ("atomicAnd", "take a `&[AtomicU32]` and write `x[i].fetch_and(value, Ordering::Relaxed)`"),
    ("atomicOr", "take a `&[AtomicU32]` and write `x[i].fetch_or(value, Ordering::Relaxed)`"),
    ("atomicXor", "take a `&[AtomicU32]` and write `x[i].fetch_xor(value, Ordering::Relaxed)`"),
    (
        "atomicCAS",
        "take a `&[AtomicU32]` and write `x[i].compare_exchange(old, new, Ordering::Relaxed, Ordering::Relaxed)`",
    ),
    ("atomicExch", "take a `&[AtomicU32]` and write `x[i].swap(value, Ordering::Relaxed)`"),
    ("atomic_add", "take a `&[AtomicU32]` and write `x[i].fetch_add(value, Ordering::Relaxed)`"),
    ("__threadfence", "write `thread_fence()`, or `fence(Ordering::AcqRel, Scope::Device)`"),
    ("__threadfence_block", "write `thread_fence_block()`, or `fence(Ordering::AcqRel, Scope::Block)`"),
    ("__threadfence_system", "write `thread_fence_system()`, or `fence(Ordering::AcqRel, Scope::System)`"),
    ("thread_id", "write `thread_idx().x`"),
    ("rev", "put the range in parentheses: `(start..end).rev()`"),
    ("step_by", "put the range in parentheses: `(start..end).step_by(n)`"),
    ("unwrap", "use the value itself"),
];

/// The help for a name of another language, or of a form that the language does not have.
pub fn other_name(name: &str) -> Option<String> {
    let here = OTHER_NAMES.iter().find(|row| row.0 == name).map(|row| row.1.to_owned());
    here.or_else(|| crate::cuda_names::help(name))
}

/// The functions of a warp with so many arguments that do what one with fewer does, with a mask of lanes before these or a width
/// after them.
pub fn with_more_arguments(name: &str, count: usize) -> Vec<String> {
    let extended = |row: &&Signature| row.name.strip_prefix(name).is_some_and(|more| more.starts_with('_'));
    let rows = TABLE.iter().filter(|row| row.form == Form::Warp && row.params.len() == count);
    let described = rows.filter(extended).map(|row| {
        let mask = if row.name.ends_with("_sync") { "mask, " } else { "" };
        let width = if row.name.contains("_width") { ", width" } else { "" };
        format!("`warp::{}({mask}…{width})`", row.name)
    });
    described.collect()
}

/// Names before a function's own that may be written.
const DEVICE_PREFIXES: &[&[&str]] =
    &[&[], &["device"], &["kernel_runtime", "device"], &["kernel_runtime", "prelude"]];

/// The function that a path names.
pub fn function(path: &[String]) -> Option<&'static Signature> {
    let (name, prefix) = path.split_last()?;
    let of_form = |form| TABLE.iter().find(|row| row.form == form && row.name == name);
    let is_device = |prefix: &[String]| DEVICE_PREFIXES.iter().any(|known| *known == prefix);
    let is_core = |prefix: &[String]| prefix.is_empty() || prefix == ["core"] || prefix == ["std"];
    match prefix.split_last() {
        Some((warp, rest)) if warp == "warp" && is_device(rest) => of_form(Form::Warp),
        Some((fast, rest)) if fast == "fast" && is_device(rest) => of_form(Form::Fast),
        Some((block, rest)) if block == "block" && is_device(rest) => of_form(Form::Block),
        Some((cluster, rest)) if cluster == "cluster" && is_device(rest) => of_form(Form::Cluster),
        Some((special, rest)) if special == "special" && is_device(rest) => of_form(Form::Special),
        Some((target, rest)) if target == "target" && is_device(rest) => of_form(Form::Target),
        Some((ptr, rest)) if ptr == "ptr" && is_core(rest) => of_form(Form::Pointer),
        Some((slice, rest)) if slice == "slice" && is_core(rest) => of_form(Form::Slice),
        Some((mem, rest)) if mem == "mem" && is_core(rest) => of_form(Form::Memory),
        None if of_form(Form::Memory).is_some() => of_form(Form::Memory),
        Some(_) | None if is_device(prefix) => of_form(Form::Function),
        Some(_) | None => None,
    }
}

/// The method or associated function `name`, for a path `f32::name`.
pub fn associated(name: &str) -> Option<&'static Signature> {
    TABLE.iter().find(|row| matches!(row.form, Form::Method | Form::Associated) && row.name == name)
}

/// The method with this name.
pub fn method(name: &str) -> Option<&'static Signature> {
    TABLE.iter().find(|row| row.form == Form::Method && row.name == name)
}

/// The method of vectors with this name.
pub fn vector_method(name: &str) -> Option<&'static Signature> {
    TABLE.iter().find(|row| row.form == Form::VectorMethod && row.name == name)
}

/// The function `F32x4::name`; `new` is [`VECTOR_NEW`].
pub fn vector_associated(name: &str) -> Option<&'static Signature> {
    TABLE.iter().find(|row| row.form == Form::VectorAssociated && row.name == name)
}

/// The unsigned integer of the same width.
pub fn unsigned(scalar: Scalar) -> Scalar {
    match scalar {
        Scalar::Bool | Scalar::I8 | Scalar::U8 => Scalar::U8,
        Scalar::I16 | Scalar::U16 | Scalar::F16 | Scalar::Bf16 => Scalar::U16,
        Scalar::I32 | Scalar::U32 | Scalar::F32 => Scalar::U32,
        Scalar::I64 | Scalar::U64 | Scalar::F64 => Scalar::U64,
        Scalar::Isize | Scalar::Usize => Scalar::Usize,
    }
}

/// The type of the other operand of `x.checked_add_signed(y)` and its like: the integer of the same width with the other sign.
pub fn other_operand(method: &str, of: Scalar) -> Option<Scalar> {
    let is_mixed = ["_add_signed", "_add_unsigned", "_sub_unsigned"].iter().any(|end| method.ends_with(end));
    match of {
        of if !is_mixed || !of.is_int() => None,
        Scalar::U8 => Some(Scalar::I8),
        Scalar::U16 => Some(Scalar::I16),
        Scalar::U32 => Some(Scalar::I32),
        Scalar::U64 => Some(Scalar::I64),
        Scalar::Usize => Some(Scalar::Isize),
        of => Some(unsigned(of)),
    }
}

/// Returns true for an exchange of values between the lanes of a warp.
pub fn is_shuffle(builtin: Builtin) -> bool {
    TABLE.iter().any(|row| row.builtin == builtin && row.form == Form::Warp && row.name.starts_with("shfl_"))
}
