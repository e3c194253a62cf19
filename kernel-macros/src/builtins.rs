//! The functions, methods and constants that the language knows: one table.

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
    /// `warp::lane_id() -> usize`: `%laneid`.
    LaneId,
    /// `warp::warp_id() -> usize`: the thread's linear index in its block, over 32.
    WarpId,
    /// `barrier()`: `bar.sync 0`.
    Barrier,
    /// `shared::<[T; N]>()`: static shared memory; the type is that of the call.
    Shared,
    /// `warp::shfl_up(value, delta: u32)`.
    ShflUp,
    /// `warp::shfl_down(value, delta: u32)`.
    ShflDown,
    /// `warp::shfl_xor(value, mask: u32)`.
    ShflXor,
    /// `warp::shfl_idx(value, lane: u32)`.
    ShflIdx,
    /// `.len()` of a slice or a shared array.
    Len,

    /// `f.sqrt()`
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
