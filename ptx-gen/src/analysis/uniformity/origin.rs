//! Origin of the variance of a condition, for messages.

use super::races::Races;
use super::{Cause, Group, Uniformity};
use crate::ir::{Block, Function, Inst, InstData, SourceLoc, Space, SpecialRegister, Value, ValueDef};

/// An instruction whose result differs between threads by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The instruction.
    pub inst: Inst,
    /// True if only differences between warps matter.
    pub by_warp: bool,
    /// Of a load a write that it races with.
    pub writer: Option<Inst>,
}

impl Origin {
    /// Noun for it in the terms of the source.
    pub fn describe(self, func: &Function) -> &'static str {
        match &func.insts[self.inst] {
            InstData::Special { register } => match register {
                SpecialRegister::TidX | SpecialRegister::TidY | SpecialRegister::TidZ if self.by_warp => {
                    "the warp"
                }
                SpecialRegister::TidX => "`thread_idx().x`",
                SpecialRegister::TidY => "`thread_idx().y`",
                SpecialRegister::TidZ => "`thread_idx().z`",
                SpecialRegister::CtaidX => "`block_idx().x`",
                SpecialRegister::CtaidY => "`block_idx().y`",
                SpecialRegister::CtaidZ => "`block_idx().z`",
                SpecialRegister::ClusterCtaRank => "`cluster::block_rank()`",
                SpecialRegister::ClusterCtaidX => "`cluster::block_idx().x`",
                SpecialRegister::ClusterCtaidY => "`cluster::block_idx().y`",
                SpecialRegister::ClusterCtaidZ => "`cluster::block_idx().z`",
                SpecialRegister::LaneId => "the lane",
                SpecialRegister::LaneMaskLt
                | SpecialRegister::LaneMaskLe
                | SpecialRegister::LaneMaskEq
                | SpecialRegister::LaneMaskGe
                | SpecialRegister::LaneMaskGt => "a mask of lanes",
                SpecialRegister::Clock | SpecialRegister::Clock64 | SpecialRegister::GlobalTimer => "a clock",
                SpecialRegister::WarpId | SpecialRegister::SmId => "where the warp runs",
                _ => "a special register",
            },
            InstData::AtomicRmw { .. } | InstData::AtomicCas { .. } => "what an atomic operation returns",
            InstData::AtomicLoad { .. } => "an atomic load, by which threads may read different values",
            InstData::Shuffle { .. } => "the value of another lane",
            InstData::Vote { .. } => "the lanes that vote",
            InstData::Match { .. } => "the lanes with the same value",
            InstData::ActiveMask => "the lanes that are active",
            InstData::Redux { .. } => "a reduction over the warp",
            InstData::BarrierReduce { .. } => "what the threads of a block say together",
            InstData::Load { space: Space::Shared | Space::Cluster, .. } if self.writer.is_some() => {
                "shared memory that another thread may write meanwhile"
            }
            InstData::Load { .. } if self.writer.is_some() => {
                "memory that another thread may write meanwhile"
            }
            InstData::Load { .. } => "shared memory, of which each block has its own",
            InstData::Inline { asm, .. } if func.inlines[*asm].collective.is_some() => {
                "what an instruction of the whole warp gives each lane"
            }
            InstData::Inline { .. } | InstData::InlineOut { .. } => "what inline PTX writes",
            _ => "a value of the thread's own",
        }
    }

    /// Its location in the source.
    pub fn location(self, func: &Function) -> SourceLoc {
        func.locations[self.inst]
    }
}

impl Uniformity<'_> {
    /// Origin of the variance of the branch at the end of a block.
    pub fn origin(&self, branch: Block, group: Group) -> Option<Origin> {
        let start = self.condition(branch)?;
        // Rather variance within warps; else between them.
        let variance = self.of_branch(branch);
        let group = match group {
            _ if variance.lanes != 0 => Group::Warp,
            Group::Cluster | Group::Grid if variance.warps != 0 => Group::Block,
            Group::Warp | Group::Warpgroup | Group::Block | Group::Cluster | Group::Grid => group,
        };
        let by_warp = matches!(group, Group::Warpgroup | Group::Block);
        let mut seen = Vec::new();
        let mut cause = self.cause_at(start, branch, group);
        loop {
            // Every step goes to a cause that was known before; the list only guards against a mistake in that.
            if seen.contains(&cause) {
                return None;
            }
            seen.push(cause);
            cause = match cause? {
                Cause::Value(value) => match (self.causes[value][group as usize]?, self.maker(value)) {
                    (Cause::Itself, Some(inst)) => {
                        let writer = self.races.contains(inst).then(|| Races::writer(self.func, inst));
                        return Some(Origin { inst, by_warp, writer: writer.flatten() });
                    }
                    (Cause::Itself, None) => return None,
                    (next, _) => Some(next),
                },
                Cause::Branch(block) => self.cause_at(self.condition(block)?, block, group),
                Cause::Store(inst) => match self.func.insts[inst] {
                    InstData::Store { value, address, .. } => {
                        let home = self.live.home(inst)?;
                        let data = self.cause_at(value, home, group);
                        data.or_else(|| self.cause_at(address, home, group)).or_else(|| {
                            let parted = self.parting.iter().filter(|(_, influence)| influence.touches(home));
                            let mut parted = parted.map(|(block, _)| *block);
                            parted.find(|&block| self.of_branch(block).shows_in(group)).map(Cause::Branch)
                        })
                    }
                    _ => None,
                },
                Cause::Itself => None,
            };
        }
    }

    fn maker(&self, value: Value) -> Option<Inst> {
        match self.func.values[value].def {
            ValueDef::Result(inst) => Some(inst),
            ValueDef::Param(_) => None,
        }
    }
}
