//! Intervals of unsigned numbers, and what operations make of them.

use crate::analysis::thread_index;
use crate::ir::{
    BinaryOp, ConvertOp, Function, InstData, IntCond, ParamData, SpecialRegister, Type, UnaryOp, Value,
};

/// The numbers from `lo` to `hi`, both included; never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The least.
    pub lo: u64,
    /// The greatest.
    pub hi: u64,
}

impl Interval {
    /// The interval of `x` with so many low bits cleared.
    pub(super) fn without_low_bits(self, bits: u32) -> Interval {
        let mask = u64::MAX.checked_shl(bits).unwrap_or(0);
        Interval::new(self.lo & mask, self.hi & mask)
    }

    /// Everything that fits the type.
    pub const fn full(ty: Type) -> Interval {
        Interval { lo: 0, hi: ty.mask() }
    }

    /// One number.
    pub const fn exact(value: u64) -> Interval {
        Interval { lo: value, hi: value }
    }

    /// From `lo` to `hi`, which is not less.
    pub const fn new(lo: u64, hi: u64) -> Interval {
        Interval { lo, hi }
    }

    /// The number, if it is only one.
    pub fn single(self) -> Option<u64> {
        (self.lo == self.hi).then_some(self.lo)
    }

    /// The intersection.
    pub fn intersect(self, other: Interval) -> Option<Interval> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        (lo <= hi).then_some(Interval { lo, hi })
    }

    /// The smallest interval that contains both.
    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    /// Returns true if it contains all of `other`.
    pub fn contains(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Returns true if all of it is not negative as a signed number of this many bits.
    pub fn is_non_negative(self, bits: u32) -> bool {
        self.hi < 1 << (bits - 1)
    }
}

/// The results of an operation on one value of a type.
pub(super) fn unary(op: UnaryOp, ty: Type, a: Interval) -> Interval {
    let full = Interval::full(ty);
    let (bits, mask) = (u64::from(ty.bits()), ty.mask());
    let leading_zeros = |value: u64| u64::from(value.leading_zeros()) - (64 - bits);
    match op {
        UnaryOp::Not => Interval::new(mask - a.hi, mask - a.lo),
        UnaryOp::Neg if a.hi == 0 => a,
        UnaryOp::Neg if a.lo > 0 => Interval::new(mask - a.hi + 1, mask - a.lo + 1),
        UnaryOp::LeadingZeros => Interval::new(leading_zeros(a.hi), leading_zeros(a.lo)),
        UnaryOp::TrailingZeros | UnaryOp::PopCount => Interval::new(0, bits),
        UnaryOp::Neg | UnaryOp::ReverseBits => full,
        UnaryOp::FNeg
        | UnaryOp::FAbs
        | UnaryOp::Sqrt
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundEven
        | UnaryOp::SinApprox
        | UnaryOp::CosApprox
        | UnaryOp::Exp2Approx
        | UnaryOp::Exp2Flushed
        | UnaryOp::Log2Approx
        | UnaryOp::RcpApprox
        | UnaryOp::RcpFlushed
        | UnaryOp::Saturate
        | UnaryOp::RsqrtApprox
        | UnaryOp::SqrtApprox
        | UnaryOp::TanhApprox => full,
    }
}

/// The results of an operation on two values of a type; `exact` says that the result of an addition, subtraction,
/// multiplication or left shift is not wrapped.
pub(super) fn binary(op: BinaryOp, ty: Type, a: Interval, b: Interval, exact: bool) -> Interval {
    let full = Interval::full(ty);
    let (bits, mask) = (ty.bits(), ty.mask());
    // From exact bounds: as they are, cut off where the result is known not to wrap, or anything.
    let bounds = |lo: u128, hi: u128| match (u64::try_from(lo), u64::try_from(hi)) {
        (Ok(lo), Ok(hi)) if hi <= mask => Interval::new(lo, hi),
        (Ok(lo), _) if exact && lo <= mask => Interval::new(lo, mask),
        _ => full,
    };
    let wide = u128::from;
    match op {
        BinaryOp::Add => {
            let modulus = wide(mask) + 1;
            let (lo, hi) = (wide(a.lo) + wide(b.lo), wide(a.hi) + wide(b.hi));
            // All sums wrap: a number is subtracted by adding its complement.
            if lo >= modulus && !exact { bounds(lo - modulus, hi - modulus) } else { bounds(lo, hi) }
        }
        BinaryOp::Sub if a.lo >= b.hi => Interval::new(a.lo - b.hi, a.hi - b.lo),
        BinaryOp::Sub if exact && a.hi >= b.lo => Interval::new(0, a.hi - b.lo),
        BinaryOp::Sub if a.hi < b.lo => {
            Interval::new(a.lo.wrapping_sub(b.hi) & mask, a.hi.wrapping_sub(b.lo) & mask)
        }
        BinaryOp::Mul => bounds(wide(a.lo) * wide(b.lo), wide(a.hi) * wide(b.hi)),
        BinaryOp::UMulHigh => {
            let high = |a: u64, b: u64| ((wide(a) * wide(b)) >> bits) as u64;
            Interval::new(high(a.lo, b.lo), high(a.hi, b.hi))
        }
        BinaryOp::SMulHigh if a.is_non_negative(bits) && b.is_non_negative(bits) => {
            binary(BinaryOp::UMulHigh, ty, a, b, exact)
        }
        BinaryOp::UDiv => Interval::new(a.lo / b.hi.max(1), a.hi / b.lo.max(1)),
        BinaryOp::URem if a.hi < b.lo => a,
        BinaryOp::URem => Interval::new(0, a.hi.min(b.hi.saturating_sub(1))),
        BinaryOp::SDiv if a.is_non_negative(bits) && b.is_non_negative(bits) => {
            binary(BinaryOp::UDiv, ty, a, b, exact)
        }
        BinaryOp::SRem if a.is_non_negative(bits) && b.is_non_negative(bits) => {
            binary(BinaryOp::URem, ty, a, b, exact)
        }
        // The remainder has the dividend's sign and is no larger.
        BinaryOp::SRem if a.is_non_negative(bits) => Interval::new(0, a.hi),
        BinaryOp::UMin => Interval::new(a.lo.min(b.lo), a.hi.min(b.hi)),
        BinaryOp::UMax => Interval::new(a.lo.max(b.lo), a.hi.max(b.hi)),
        BinaryOp::SMin if a.is_non_negative(bits) && b.is_non_negative(bits) => {
            binary(BinaryOp::UMin, ty, a, b, exact)
        }
        BinaryOp::SMax if a.is_non_negative(bits) && b.is_non_negative(bits) => {
            binary(BinaryOp::UMax, ty, a, b, exact)
        }
        BinaryOp::SMax if a.is_non_negative(bits) => Interval::new(a.lo, mask >> 1),
        BinaryOp::SMax if b.is_non_negative(bits) => Interval::new(b.lo, mask >> 1),
        BinaryOp::And => match (a.single(), b.single()) {
            (Some(a), Some(b)) => Interval::exact(a & b),
            // A mask of all but some low bits.
            (None, Some(high)) if high == ty.mask() & u64::MAX.wrapping_shl(high.trailing_zeros()) => {
                a.without_low_bits(high.trailing_zeros())
            }
            _ => Interval::new(0, a.hi.min(b.hi)),
        },
        BinaryOp::Or => Interval::new(a.lo.max(b.lo), all_ones(a.hi | b.hi)),
        BinaryOp::Xor => Interval::new(0, all_ones(a.hi | b.hi)),
        BinaryOp::Shl if b.hi < u64::from(bits) => bounds(wide(a.lo) << b.lo, wide(a.hi) << b.hi),
        BinaryOp::LShr if b.hi < u64::from(bits) => Interval::new(a.lo >> b.hi, a.hi >> b.lo),
        BinaryOp::LShr => Interval::new(0, a.hi),
        BinaryOp::AShr if a.is_non_negative(bits) => binary(BinaryOp::LShr, ty, a, b, exact),
        BinaryOp::Sub
        | BinaryOp::SMulHigh
        | BinaryOp::SDiv
        | BinaryOp::SRem
        | BinaryOp::SMin
        | BinaryOp::SMax
        | BinaryOp::Shl
        | BinaryOp::AShr => full,
        BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign
        | BinaryOp::FDivApprox => full,
    }
}

/// The least number of the form 2ⁿ − 1 that is not below.
fn all_ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

/// The results of a conversion.
pub(super) fn convert(op: ConvertOp, from: Type, to: Type, a: Interval) -> Interval {
    match op {
        ConvertOp::ZeroExtend => a,
        ConvertOp::SignExtend | ConvertOp::IndexExtend if a.is_non_negative(from.bits()) => a,
        ConvertOp::Truncate if a.hi <= to.mask() => a,
        ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate => Interval::full(to),
        ConvertOp::UIntToFloat
        | ConvertOp::SIntToFloat
        | ConvertOp::FloatToUInt
        | ConvertOp::FloatToSInt
        | ConvertOp::FloatToFloat
        | ConvertOp::Bitcast => Interval::full(to),
    }
}

/// Decides a comparison of values of this many bits by their intervals alone; none if it may be either.
pub(super) fn compare(cond: IntCond, bits: u32, a: Interval, b: Interval) -> Option<bool> {
    // Signed order is unsigned order where the signs are equal.
    let sign = |i: Interval| [i.lo, i.hi].map(|value| value >> (bits - 1) & 1);
    let ([a_lo, a_hi], [b_lo, b_hi]) = (sign(a), sign(b));
    let pure = a_lo == a_hi && b_lo == b_hi;
    let signed_less = |or_equal: bool, a: Interval, b: Interval, a_sign: u64, b_sign: u64| {
        if !pure {
            None
        } else if a_sign != b_sign {
            Some(a_sign == 1)
        } else {
            less(or_equal, a, b)
        }
    };
    match cond {
        IntCond::Eq => equal(a, b),
        IntCond::Ne => equal(a, b).map(|equal| !equal),
        IntCond::ULt => less(false, a, b),
        IntCond::ULe => less(true, a, b),
        IntCond::UGt => less(false, b, a),
        IntCond::UGe => less(true, b, a),
        IntCond::SLt => signed_less(false, a, b, a_lo, b_lo),
        IntCond::SLe => signed_less(true, a, b, a_lo, b_lo),
        IntCond::SGt => signed_less(false, b, a, b_lo, a_lo),
        IntCond::SGe => signed_less(true, b, a, b_lo, a_lo),
    }
}

fn equal(a: Interval, b: Interval) -> Option<bool> {
    if a.intersect(b).is_none() {
        return Some(false);
    }
    (a.single().is_some() && a == b).then_some(true)
}

fn less(or_equal: bool, a: Interval, b: Interval) -> Option<bool> {
    if a.hi < b.lo || or_equal && a.hi == b.lo {
        Some(true)
    } else if a.lo > b.hi || !or_equal && a.lo == b.hi {
        Some(false)
    } else {
        None
    }
}

/// Interval of a special register (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"),
/// given the function's launch bounds.
pub(super) fn special(register: SpecialRegister, func: &Function) -> Interval {
    const MOST_THREADS: [u64; 3] = [1024, 1024, 64];
    const MOST_BLOCKS: [u64; 3] = [(1 << 31) - 1, 65_535, 65_535];
    let threads = |axis: usize| match func.bounds.block {
        Some(block) => Interval::exact(block[axis].into()),
        None => {
            let bounds = [func.bounds.max_threads, func.most_block[axis]].into_iter().flatten();
            let bound = bounds.map(u64::from).min().unwrap_or(u64::MAX).max(1);
            Interval::new(1, MOST_THREADS[axis].min(bound))
        }
    };
    let blocks = |axis: usize| {
        let most = most_threads(func, axis).map_or(u64::MAX, |most| most / threads(axis).lo.max(1));
        Interval::new(1, MOST_BLOCKS[axis].min(most.max(1)))
    };
    let below = |count: Interval| Interval::new(0, count.hi.saturating_sub(1));
    let shape = func.bounds.cluster.map(|shape| shape.map(u64::from));
    let cluster = match shape {
        Some(shape) => Interval::exact(shape.iter().product()),
        None => Interval::new(1, func.bounds.max_cluster.unwrap_or(u32::MAX).into()),
    };
    let in_cluster = |axis: usize| shape.map_or(cluster, |shape| Interval::exact(shape[axis]));
    match register {
        SpecialRegister::TidX => below(threads(0)),
        SpecialRegister::TidY => below(threads(1)),
        SpecialRegister::TidZ => below(threads(2)),
        SpecialRegister::NtidX => threads(0),
        SpecialRegister::NtidY => threads(1),
        SpecialRegister::NtidZ => threads(2),
        SpecialRegister::CtaidX => below(blocks(0)),
        SpecialRegister::CtaidY => below(blocks(1)),
        SpecialRegister::CtaidZ => below(blocks(2)),
        SpecialRegister::NctaidX => blocks(0),
        SpecialRegister::NctaidY => blocks(1),
        SpecialRegister::NctaidZ => blocks(2),
        SpecialRegister::ClusterNctaidX => in_cluster(0),
        SpecialRegister::ClusterNctaidY => in_cluster(1),
        SpecialRegister::ClusterNctaidZ => in_cluster(2),
        SpecialRegister::ClusterCtaidX => below(in_cluster(0)),
        SpecialRegister::ClusterCtaidY => below(in_cluster(1)),
        SpecialRegister::ClusterCtaidZ => below(in_cluster(2)),
        SpecialRegister::ClusterNctaRank => cluster,
        SpecialRegister::ClusterCtaRank => below(cluster),
        SpecialRegister::NclusterIdX => Interval::new(1, blocks(0).hi),
        SpecialRegister::NclusterIdY => Interval::new(1, blocks(1).hi),
        SpecialRegister::NclusterIdZ => Interval::new(1, blocks(2).hi),
        SpecialRegister::ClusterIdX => below(blocks(0)),
        SpecialRegister::ClusterIdY => below(blocks(1)),
        SpecialRegister::ClusterIdZ => below(blocks(2)),
        SpecialRegister::LaneId => Interval::new(0, 31),
        SpecialRegister::WarpId => Interval::new(0, 63),
        SpecialRegister::DynamicSharedSize => Interval::new(0, 1 << 20),
        SpecialRegister::LaneMaskLt
        | SpecialRegister::LaneMaskLe
        | SpecialRegister::LaneMaskEq
        | SpecialRegister::LaneMaskGe
        | SpecialRegister::LaneMaskGt
        | SpecialRegister::SmId
        | SpecialRegister::NsmId
        | SpecialRegister::NwarpId
        | SpecialRegister::GridId
        | SpecialRegister::TotalSharedSize
        | SpecialRegister::Clock
        | SpecialRegister::Clock64
        | SpecialRegister::GlobalTimer
        | SpecialRegister::EnvReg1
        | SpecialRegister::EnvReg2 => Interval::new(0, register.ty().mask()),
    }
}

/// The most threads along an axis, where that is known. A thread that does several elements has indices beyond it.
fn most_threads(func: &Function, axis: usize) -> Option<u64> {
    func.most_threads_x.filter(|_| axis == 0 && func.coarsen.is_none())
}

/// The indices along x of threads of the grid, if that is what the value is and something is known of them.
pub(super) fn index_of_thread(func: &Function, value: Value) -> Option<Interval> {
    let most = most_threads(func, 0)?;
    thread_index(func, value)?;
    Some(Interval::new(0, most.saturating_sub(1)))
}

/// The numbers that are passed for a parameter.
pub(super) fn param(data: &ParamData) -> Interval {
    let full = Interval::full(data.ty);
    full.intersect(Interval::new(data.min, data.max.unwrap_or(full.hi))).unwrap_or(full)
}

/// The numbers below what is passed for a parameter.
pub(super) fn below(data: &ParamData, ty: Type) -> Interval {
    let full = Interval::full(ty);
    full.intersect(Interval::new(0, param(data).hi.saturating_sub(1))).unwrap_or(full)
}

/// Returns true if the type of the instruction's result is all that is known of it.
pub(super) fn is_opaque(data: &InstData) -> bool {
    match data {
        InstData::Const { .. }
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Select { .. }
        | InstData::IntCompare { .. }
        | InstData::Convert { .. }
        | InstData::Param { .. }
        | InstData::Load { below: Some(_), .. }
        | InstData::Special { .. } => false,
        InstData::Inline { .. }
        | InstData::InlineOut { .. }
        | InstData::InlineEffect { .. }
        | InstData::Fma { .. }
        | InstData::FloatCompare { .. }
        | InstData::Pack { .. }
        | InstData::Extract { .. }
        | InstData::SharedAddress { .. }
        | InstData::LocalAddress { .. }
        | InstData::ConstAddress { .. }
        | InstData::ToGeneric { .. }
        | InstData::MapShared { .. }
        | InstData::Load { .. }
        | InstData::Store { .. }
        | InstData::AtomicCas { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. }
        | InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::ActiveMask
        | InstData::BarrierReduce { .. }
        | InstData::WarpBarrier { .. }
        | InstData::Fence { .. }
        | InstData::Print { .. }
        | InstData::Guarded { .. }
        | InstData::Barrier
        | InstData::GridBarrier
        | InstData::ClusterBarrier { .. }
        | InstData::NamedBarrier { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every interval of 3-bit numbers, so that operations can be tried on all of their members. The smallest type has
    /// eight bits, so the intervals are placed at both ends of it.
    fn intervals() -> Vec<Interval> {
        let ends = [0u64, 1, 2, 3, 7, 8, 9, 100, 126, 127, 128, 129, 200, 253, 254, 255];
        let pairs = ends.iter().flat_map(|&lo| ends.iter().map(move |&hi| (lo, hi)));
        pairs.filter(|(lo, hi)| lo <= hi && hi - lo < 12).map(|(lo, hi)| Interval::new(lo, hi)).collect()
    }

    #[test]
    fn operations_hold_every_result() {
        use kernel_abi::eval;
        for &op in BinaryOp::ALL {
            for a in intervals() {
                for b in intervals() {
                    let result = binary(op, Type::I8, a, b, false);
                    for x in a.lo..=a.hi {
                        for y in b.lo..=b.hi {
                            let Some(z) = eval::binary(op, Type::I8, x, y) else { continue };
                            assert!(result.lo <= z && z <= result.hi, "{x} {op} {y} = {z}: {result:?}");
                        }
                    }
                }
            }
        }
        for &op in UnaryOp::ALL {
            for a in intervals() {
                let result = unary(op, Type::I8, a);
                for x in a.lo..=a.hi {
                    let Some(y) = eval::unary(op, Type::I8, x) else { continue };
                    assert!(result.lo <= y && y <= result.hi, "{op} {x} = {y}: {result:?}");
                }
            }
        }
        for &cond in IntCond::ALL {
            for a in intervals() {
                for b in intervals() {
                    let Some(result) = compare(cond, 8, a, b) else { continue };
                    for x in a.lo..=a.hi {
                        for y in b.lo..=b.hi {
                            assert_eq!(eval::int_compare(cond, Type::I8, x, y), result, "{x} {cond} {y}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn conversions_hold_every_result() {
        for op in [ConvertOp::ZeroExtend, ConvertOp::SignExtend, ConvertOp::Truncate] {
            let (from, to) = match op {
                ConvertOp::Truncate => (Type::I16, Type::I8),
                _ => (Type::I8, Type::I16),
            };
            for a in intervals().into_iter().chain([Interval::new(250, 260)]).filter(|a| a.hi <= from.mask())
            {
                let result = convert(op, from, to, a);
                for x in a.lo..=a.hi {
                    let y = kernel_abi::eval::convert(op, from, to, x).expect("integers convert");
                    assert!(result.lo <= y && y <= result.hi, "{op} {x} = {y}: {result:?}");
                }
            }
        }
    }
}
