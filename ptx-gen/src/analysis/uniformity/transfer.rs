//! Transfer functions of the uniformity analysis: variance of a result by that of the operands.

use super::variance::WARPS;
use super::{Cause, Group, Uniformity, Variance};
use crate::ir::{
    BinaryOp, Block, Inst, InstData, IntCond, ShuffleMode, Space, SpecialRegister, Type, Value, VoteMode,
};

/// Every lane of a warp takes part.
pub const ALL_LANES: u64 = 0xffff_ffff;

impl Uniformity<'_> {
    /// Variance of the result of an instruction.
    pub(super) fn transfer(&self, block: Block, inst: Inst, result: Value) -> Variance {
        let data = &self.func.insts[inst];
        let of = |value: Value| self.at(value, block);
        let computed = self.operands(block, data);
        match data {
            InstData::Const { .. }
            | InstData::Param { .. }
            | InstData::SharedAddress { .. }
            | InstData::LocalAddress { .. }
            | InstData::ConstAddress { .. } => Variance::UNIFORM,
            InstData::Special { register } => self.special(*register),
            InstData::Unary { .. }
            | InstData::Fma { .. }
            | InstData::Select { .. }
            | InstData::FloatCompare { .. }
            | InstData::Convert { .. }
            | InstData::Pack { .. }
            | InstData::Extract { .. }
            | InstData::ToGeneric { .. }
            | InstData::MapShared { .. } => computed,
            InstData::Binary { op, args, .. } => {
                computed.intersection(self.binary(*op, *args, self.func.ty(result)))
            }
            InstData::IntCompare { cond, args } => computed.intersection(self.compare(*cond, *args)),
            // Threads that read at different times may read what another has written between.
            InstData::Load { .. } if self.races.contains(inst) => Variance::ANY,
            InstData::Load { space, .. } => match space {
                Space::Local => computed.union(self.own_memory.0),
                // One block's memory, whoever reads it.
                Space::Cluster => computed.union(Variance::BY_CLUSTER),
                // Each block has its own shared memory.
                Space::Generic if self.live.may_be_own(*space) => {
                    computed.union(self.own_memory.0).union(Variance::BY_BLOCK)
                }
                Space::Generic | Space::Shared => computed.union(Variance::BY_BLOCK),
                Space::Global | Space::Const => computed,
            },
            InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } | InstData::AtomicLoad { .. } => {
                Variance::ANY
            }
            InstData::Shuffle { mode, value, lane, clamp, members } => {
                self.shuffle(*mode, [of(*value), of(*lane), of(*clamp), of(*members)], [*lane, *clamp])
            }
            // The lanes of the last warp, some of which may be missing.
            InstData::Vote { mode: VoteMode::Ballot, members, .. } | InstData::Redux { members, .. } => {
                Variance::BY_WARP.union(of(*members))
            }
            InstData::Vote { pred, members, .. } => {
                let voted = of(*pred);
                let warps = if voted.varies_in(Group::Warp) { WARPS } else { voted.warps };
                Variance { lanes: 0, warps, ..voted }.union(of(*members))
            }
            // The result of a predicated access that is not made may be anything.
            InstData::Match { .. } | InstData::ActiveMask | InstData::Guarded { .. } => Variance::ANY,
            InstData::Inline { asm, args, .. } if self.func.inlines[*asm].computes_alone() => {
                args.iter().fold(Variance::default(), |all, &arg| all.union(of(arg)))
            }
            // It may read thread-private registers and memory.
            InstData::Inline { .. } | InstData::InlineOut { .. } => Variance::ANY,
            InstData::BarrierReduce { .. } => Variance::BY_BLOCK,
            InstData::Store { .. }
            | InstData::AtomicStore { .. }
            | InstData::WarpBarrier { .. }
            | InstData::InlineEffect { .. }
            | InstData::Fence { .. }
            | InstData::Print { .. }
            | InstData::Barrier
            | InstData::GridBarrier
            | InstData::ClusterBarrier { .. }
            | InstData::NamedBarrier { .. }
            | InstData::Jump { .. }
            | InstData::Branch { .. }
            | InstData::Return
            | InstData::Panic { .. } => Variance::UNIFORM,
        }
    }

    /// Cause of this variance of the result of an instruction.
    pub(super) fn cause(&self, block: Block, inst: Inst, group: Group) -> Option<Cause> {
        let mut cause = None;
        self.func.insts[inst].visit_args(|arg| cause = cause.or_else(|| self.cause_at(arg, block, group)));
        if self.races.contains(inst) {
            return cause.or(Some(Cause::Itself));
        }
        let own = matches!(self.func.insts[inst], InstData::Load { .. });
        cause
            .or_else(|| self.own_memory.1[group as usize].filter(|_| own).map(Cause::Store))
            .or(Some(Cause::Itself))
    }

    fn operands(&self, block: Block, data: &InstData) -> Variance {
        let mut variance = Variance::UNIFORM;
        data.visit_args(|arg| variance = variance.union(self.at(arg, block)));
        variance
    }

    fn special(&self, register: SpecialRegister) -> Variance {
        match register {
            SpecialRegister::TidX => self.threads.index(0),
            SpecialRegister::TidY => self.threads.index(1),
            SpecialRegister::TidZ => self.threads.index(2),
            SpecialRegister::NtidX | SpecialRegister::NtidY | SpecialRegister::NtidZ => Variance::UNIFORM,
            SpecialRegister::CtaidX | SpecialRegister::CtaidY | SpecialRegister::CtaidZ => Variance::BY_BLOCK,
            SpecialRegister::NctaidX | SpecialRegister::NctaidY | SpecialRegister::NctaidZ => {
                Variance::UNIFORM
            }
            SpecialRegister::NsmId
            | SpecialRegister::NwarpId
            | SpecialRegister::GridId
            | SpecialRegister::TotalSharedSize
            | SpecialRegister::ClusterNctaidX
            | SpecialRegister::ClusterNctaidY
            | SpecialRegister::ClusterNctaidZ
            | SpecialRegister::NclusterIdX
            | SpecialRegister::NclusterIdY
            | SpecialRegister::NclusterIdZ
            | SpecialRegister::ClusterNctaRank
            | SpecialRegister::DynamicSharedSize
            | SpecialRegister::EnvReg1
            | SpecialRegister::EnvReg2 => Variance::UNIFORM,
            SpecialRegister::ClusterCtaidX
            | SpecialRegister::ClusterCtaidY
            | SpecialRegister::ClusterCtaidZ
            | SpecialRegister::ClusterCtaRank => Variance::BY_RANK,
            SpecialRegister::ClusterIdX | SpecialRegister::ClusterIdY | SpecialRegister::ClusterIdZ => {
                Variance::BY_CLUSTER
            }
            SpecialRegister::LaneId
            | SpecialRegister::LaneMaskLt
            | SpecialRegister::LaneMaskLe
            | SpecialRegister::LaneMaskEq
            | SpecialRegister::LaneMaskGe
            | SpecialRegister::LaneMaskGt => Variance::BY_LANE,
            // They may change between two readings, and lanes need not read at once.
            SpecialRegister::WarpId
            | SpecialRegister::SmId
            | SpecialRegister::Clock
            | SpecialRegister::Clock64
            | SpecialRegister::GlobalTimer => Variance::ANY,
        }
    }

    /// Variance of a result that is known to be less than that of the operands.
    fn binary(&self, op: BinaryOp, [a, b]: [Value; 2], ty: Type) -> Variance {
        if let Some(variance) = self.butterfly(op, [a, b]).or_else(|| self.butterfly(op, [b, a])) {
            return variance;
        }
        let lane = || self.is_lane_on_base(a);
        let number = self.number(b);
        let shifted = match (op, number) {
            (BinaryOp::LShr, Some(by)) if by < 32 => Some(by),
            (BinaryOp::UDiv, Some(by)) if by.is_power_of_two() => Some(by.trailing_zeros().into()),
            _ => None,
        };
        if let Some(by) = shifted
            && let Some(before) = self.shift_of_thread(a)
        {
            return from_bit_of_thread(before + by);
        }
        let quotient = match op {
            BinaryOp::UDiv => number,
            BinaryOp::LShr => number.and_then(|by| 1_u64.checked_shl(by as u32)),
            _ => None,
        };
        if quotient.is_some_and(|by| self.is_cluster(a, by)) {
            return Variance { ranks: false, ..Variance::ANY };
        }
        match (op, number) {
            (BinaryOp::LShr | BinaryOp::AShr, Some(by)) if by < ty.bits().into() && lane() => from_bit(by),
            (BinaryOp::UDiv, Some(by)) if by != 0 && (by.is_power_of_two() || by % 32 == 0) && lane() => {
                from_bit(by.trailing_zeros().into())
            }
            // With a power of two a negative quotient would be rounded up; numbers of threads are none.
            (BinaryOp::URem, Some(by)) if by.is_power_of_two() && lane() => below_bit(by - 1),
            (BinaryOp::And, Some(mask)) if lane() => below_bit(mask),
            _ => Variance::ANY,
        }
    }

    /// `v + shfl_xor(v, 16)` is the same in both lanes that exchange.
    fn butterfly(&self, op: BinaryOp, [own, other]: [Value; 2]) -> Option<Variance> {
        let exchanges = match op {
            BinaryOp::FAdd | BinaryOp::FMul | BinaryOp::FMin | BinaryOp::FMax => true,
            _ => op.is_commutative(),
        };
        let exchanged = |value| match self.func.def(value) {
            Some(&InstData::Shuffle { mode: ShuffleMode::Xor, value, lane, clamp, .. }) => {
                let distance = self.number(lane).filter(|by| by.is_power_of_two() && *by < 32)?;
                let whole = self.number(clamp)? >> 8 & distance == 0;
                whole.then_some((value, distance as u8))
            }
            _ => None,
        };
        // Narrow values are widened for the exchange, and cut after it.
        let (moved, distance) = exchanged(other).or_else(|| match self.func.def(other) {
            Some(&InstData::Convert { arg, .. }) => exchanged(arg),
            _ => None,
        })?;
        let same = moved == own
            || matches!(self.func.def(moved), Some(&InstData::Convert { arg, .. }) if arg == own);
        (exchanges && same).then_some(Variance { lanes: Variance::ANY.lanes & !distance, ..Variance::ANY })
    }

    /// Variance of a comparison that is less than that of its operands: warps lie on one side of a multiple of 32.
    fn compare(&self, cond: IntCond, [a, b]: [Value; 2]) -> Variance {
        let by_warp = |cond: IntCond, lane: Value, bound: Value| {
            let after = match cond {
                IntCond::ULt | IntCond::UGe | IntCond::SLt | IntCond::SGe => self.is_base(bound),
                IntCond::ULe | IntCond::UGt | IntCond::SLe | IntCond::SGt => {
                    self.number(bound).is_some_and(|bound| bound % 32 == 31)
                }
                IntCond::Eq | IntCond::Ne => false,
            };
            after && self.is_lane_on_base(lane)
        };
        if by_warp(cond, a, b) || by_warp(cond.swapped(), b, a) { Variance::BY_WARP } else { Variance::ANY }
    }

    /// Variance of a shuffle's result, by those of the value, the source lane, the clamp and the members.
    fn shuffle(&self, mode: ShuffleMode, parts: [Variance; 4], [lane, clamp]: [Value; 2]) -> Variance {
        let [value, asked, clamps, members] = parts;
        let all = value.union(asked).union(clamps).union(members);
        if value.lanes == 0 {
            // All hold the same.
            return value;
        }
        let clamp = self.number(clamp).filter(|clamp| clamp & 0x1f == 0x1f);
        let Some(segment) = clamp.map(|clamp| (clamp >> 8 & 0x1f) as u8) else {
            return all.union(Variance::BY_LANE);
        };
        let stays = |distance: u64| distance < 32 && distance as u8 & segment == 0;
        let lanes = match mode {
            // Each segment has its own source lane.
            ShuffleMode::Idx => asked.lanes | segment,
            ShuffleMode::Xor if self.number(lane).is_some_and(stays) => value.lanes,
            ShuffleMode::Xor | ShuffleMode::Up | ShuffleMode::Down => Variance::ANY.lanes,
        };
        Variance { lanes: lanes | members.lanes, ..value.union(asked).union(members) }
    }
}

/// Variance of the bits of a thread's number in its block from `bit` on.
fn from_bit_of_thread(bit: u64) -> Variance {
    let warps = if bit < 7 { WARPS << bit.saturating_sub(5) & WARPS } else { WARPS & !3 };
    Variance { warps, ..from_bit(bit) }
}

/// Variance of the bits from `bit` on of a lane's number on top of a multiple of 32.
fn from_bit(bit: u64) -> Variance {
    Variance { lanes: if bit < 5 { 0x1f << bit & 0x1f } else { 0 }, ..Variance::BY_WARP }
}

/// Variance of the bits that a mask keeps of a lane's number on top of a multiple of 32.
fn below_bit(mask: u64) -> Variance {
    Variance { lanes: mask as u8 & 0x1f, warps: if mask >> 5 != 0 { WARPS } else { 0 }, ..Variance::BY_BLOCK }
}
