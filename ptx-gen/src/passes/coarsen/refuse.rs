//! Reasons why a kernel is not element-wise, in words, each at the instruction that shows it.

use super::index::Index;
use crate::ir::{Function, Inst, InstData, Param, SourceLoc, SpecialRegister};

/// A reason why a kernel cannot be coarsened.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) location: SourceLoc,
    /// The construct found.
    pub(super) found: String,
    /// The proposed remedy.
    pub(super) help: String,
}

/// Remedy where there is no better one.
const LEAVE_OUT: &str = "leave `coarsen` out: only what a thread does with its own element can be repeated";

/// The instructions of the body that no element has to itself.
pub(super) fn effects(func: &Function, index: &Index) -> Vec<Refusal> {
    found(func, index, LEAVE_OUT, |data| effect(func, data))
}

/// The registers that the body reads beside the index, where they differ between a thread that does one element and one
/// that does several.
pub(super) fn registers(func: &Function, index: &Index) -> Vec<Refusal> {
    const INDEX: &str = "take the element's index from `global_idx().x`, or leave `coarsen` out";
    let mut refusals = found(func, index, INDEX, |data| match data {
        InstData::Special { register } => register_found(*register),
        _ => None,
    });
    // `global_size()` is made of two: what is known of the first is said.
    refusals.dedup_by_key(|refusal| refusal.location);
    refusals
}

/// The instructions of the body that are something, with what to do.
fn found(
    func: &Function,
    index: &Index,
    help: &str,
    what: impl Fn(&InstData) -> Option<&'static str>,
) -> Vec<Refusal> {
    let insts = index.body(func).flat_map(|block| &func.blocks[block].insts);
    let found = insts.filter_map(|&inst| {
        let found = what(&func.insts[inst])?.to_owned();
        Some(Refusal { location: func.locations[inst], found, help: help.to_owned() })
    });
    found.collect()
}

/// Description of an instruction whose effect is shared between elements.
pub(super) fn effect(func: &Function, data: &InstData) -> Option<&'static str> {
    let found = match data {
        InstData::SharedAddress { .. } => "shared memory",
        InstData::AtomicCas { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. } => "an atomic operation",
        InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::ActiveMask => "a collective operation of the warp",
        InstData::Barrier
        | InstData::GridBarrier
        | InstData::ClusterBarrier { .. }
        | InstData::NamedBarrier { .. }
        | InstData::BarrierReduce { .. }
        | InstData::WarpBarrier { .. } => "a barrier",
        InstData::Fence { .. } => "a fence",
        InstData::Print { .. } => "a `println!`",
        InstData::Inline { asm, .. } if func.inlines[*asm].collective.is_some() => {
            "a collective operation of the warp"
        }
        InstData::Inline { .. } | InstData::InlineEffect { .. } => "inline PTX",
        InstData::Guarded { access, .. } => return effect(func, access),
        InstData::Special { .. }
        | InstData::InlineOut { .. }
        | InstData::Const { .. }
        | InstData::Unary { .. }
        | InstData::Binary { .. }
        | InstData::Fma { .. }
        | InstData::Select { .. }
        | InstData::IntCompare { .. }
        | InstData::FloatCompare { .. }
        | InstData::Convert { .. }
        | InstData::Pack { .. }
        | InstData::Extract { .. }
        | InstData::Param { .. }
        | InstData::LocalAddress { .. }
        | InstData::ConstAddress { .. }
        | InstData::ToGeneric { .. }
        | InstData::MapShared { .. }
        | InstData::Load { .. }
        | InstData::Store { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => return None,
    };
    Some(found)
}

fn register_found(register: SpecialRegister) -> Option<&'static str> {
    let found = match register {
        SpecialRegister::TidX => "`thread_idx().x` by itself",
        SpecialRegister::CtaidX => "`block_idx().x` by itself",
        SpecialRegister::NtidX => "`block_dim().x`, or another use of the block's width",
        SpecialRegister::NctaidX => "the size of the grid along x",
        SpecialRegister::LaneId
        | SpecialRegister::LaneMaskLt
        | SpecialRegister::LaneMaskLe
        | SpecialRegister::LaneMaskEq
        | SpecialRegister::LaneMaskGe
        | SpecialRegister::LaneMaskGt
        | SpecialRegister::WarpId => "the thread's place in its warp",
        SpecialRegister::NwarpId => "the number of the block's warps",
        SpecialRegister::ClusterCtaidX
        | SpecialRegister::ClusterCtaidY
        | SpecialRegister::ClusterCtaidZ
        | SpecialRegister::ClusterNctaidX
        | SpecialRegister::ClusterNctaidY
        | SpecialRegister::ClusterNctaidZ
        | SpecialRegister::ClusterIdX
        | SpecialRegister::ClusterIdY
        | SpecialRegister::ClusterIdZ
        | SpecialRegister::NclusterIdX
        | SpecialRegister::NclusterIdY
        | SpecialRegister::NclusterIdZ
        | SpecialRegister::ClusterCtaRank
        | SpecialRegister::ClusterNctaRank => "the block's place in its cluster",
        SpecialRegister::TidY
        | SpecialRegister::TidZ
        | SpecialRegister::NtidY
        | SpecialRegister::NtidZ
        | SpecialRegister::CtaidY
        | SpecialRegister::CtaidZ
        | SpecialRegister::NctaidY
        | SpecialRegister::NctaidZ
        | SpecialRegister::SmId
        | SpecialRegister::NsmId
        | SpecialRegister::GridId
        | SpecialRegister::TotalSharedSize
        | SpecialRegister::DynamicSharedSize
        | SpecialRegister::Clock
        | SpecialRegister::Clock64
        | SpecialRegister::GlobalTimer
        | SpecialRegister::EnvReg1
        | SpecialRegister::EnvReg2 => return None,
    };
    Some(found)
}

/// The kernel never asks for its index.
pub(super) fn no_index(location: SourceLoc) -> Refusal {
    let help = "index the elements with `global_idx().x`, or leave `coarsen` out".to_owned();
    Refusal { location, found: "a kernel without `global_idx().x`".to_owned(), help }
}

/// There is no element to do.
pub(super) fn nothing_written(func: &Function) -> Refusal {
    let location = func.coarsen.map_or_else(SourceLoc::default, |coarsen| coarsen.location);
    Refusal {
        location,
        found: "a kernel that writes nothing".to_owned(),
        help: "leave `coarsen` out".to_owned(),
    }
}

fn verb(func: &Function, inst: Inst) -> &'static str {
    if matches!(func.insts[inst], InstData::Store { .. }) { "write" } else { "read" }
}

/// Refuses an access to a buffer with stores, elsewhere than at the thread's own index.
pub(super) fn other_index(func: &Function, inst: Inst, param: Param) -> Refusal {
    let (location, name) = (func.locations[inst], &func.params[param].name);
    let (found, help) = match func.insts[inst] {
        InstData::Store { .. } => (
            format!("a write to `{name}` at an index other than the thread's own"),
            format!("write `{name}[i]` with `i = global_idx().x`, or leave `coarsen` out"),
        ),
        _ => (
            format!("a read of `{name}`, which the kernel writes, at an index other than the thread's own"),
            format!("read `{name}[i]` with `i = global_idx().x`, or from a copy of the buffer"),
        ),
    };
    Refusal { location, found, help }
}

/// Parts of an element are accessed as different types.
pub(super) fn overlap(func: &Function, inst: Inst, param: Param) -> Refusal {
    let name = &func.params[param].name;
    let found = format!("accesses to `{name}` of which one covers only a part of another");
    Refusal { location: func.locations[inst], found, help: LEAVE_OUT.to_owned() }
}

/// Refuses an access to an unknown buffer.
pub(super) fn unknown_buffer(func: &Function, inst: Inst) -> Refusal {
    let found = format!("a {} through a reference that is not followed to its element", verb(func, inst));
    let help = "index the parameter itself, as `y[i]` does, or leave `coarsen` out".to_owned();
    Refusal { location: func.locations[inst], found, help }
}
