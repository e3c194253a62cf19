//! Coarsening without a request: the version of an element-wise kernel that launches with `.over(n)` take.
//!
//! The request of the source changes what a launch means: a thread does several elements in every launch, and a kernel may rely on
//! less than what is asked here. This version stands beside the plain ones, and a launch takes it only where all elements get
//! the same bits and nothing else differs:
//!
//! - the position of a thread enters by `global_idx().x` alone, and threads share nothing: as for the request;
//! - every element reads and writes the same places, whatever the data is: nothing is read ahead that the plain version
//!   would leave, and no store depends on a condition, which would keep it from a wide access;
//! - nothing can panic where the launch guards hold, so that no panic names another thread;
//! - elements at and beyond the `n` of the launch do nothing, though the last block goes farther than that of the plain version: a
//!   launch guard on the bound that the kernel compares its index with;
//! - buffers start at a multiple of the width of the accesses: launch guards.
//!
//! Loops are left out: what they compute pays for small accesses, and fewer threads would hide less of their latency.

use super::build::{self, WIDEST};
use super::form::{Forms, is_same_along_x};
use super::index::Index;
use super::plan::{Decided, Plan, Test, ends, parts};
use super::refuse;
use crate::analysis::{Cfg, DomTree, Loops, thread_index};
use crate::host_test::HostTest;
use crate::ir::{
    BlockData, Coarsen, ConvertOp, Function, Inst, InstData, IntCond, LaunchBounds, PanicKind, Param,
    RemarkKind, SourceLoc, Type, Value, ValueDef,
};
use crate::passes::{
    alignment, dce, fold, host_tests, promote::promote_locals, simplify_cfg, unroll::forget_locals,
};
use kernel_abi::guard::HostOp;

/// The most instructions of the copies of a body together: beyond them registers and the instruction cache get short, and the text
/// of a kernel long.
const MOST_INSTRUCTIONS: usize = 640;

/// The most elements of a launch whose kernel takes its index for a signed number: with the rest of the last block it is none below zero.
const MOST_SIGNED: u64 = 1 << 30;

/// The launch guard of that.
const SIGNED: &str = "over_elements <= 1 << 30";

/// A coarsened version of a kernel.
#[derive(Clone, Debug)]
pub struct Automatic {
    /// The function.
    pub func: Function,
    /// Number of elements of a thread.
    pub by: u32,
    /// Launch guards: all of them have to hold.
    pub tests: Vec<HostTest>,
}

/// The reason why an element-wise kernel has no coarsened version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declined {
    /// Its location.
    pub location: SourceLoc,
    /// The construct found.
    pub found: String,
}

/// Coarsens a kernel for launches with `.over(n)`. Otherwise the reason, if the kernel is such that one would expect it.
pub fn coarsen_automatically(func: &Function) -> Result<Automatic, Option<Declined>> {
    let mut func = func.clone();
    // Indices that are proved to be in bounds are low halves of what they were.
    fold::fold_constants(&mut func);
    simplify_cfg::simplify_cfg(&mut func);
    dce::eliminate_dead_code(&mut func);
    let location = index_location(&func).ok_or(None)?;
    let is_signed = read_as_unsigned(&mut func);
    let mut body = func.clone();
    let index = Index::split(&mut body, Coarsen { by: 2, location }).ok_or(None)?;
    dce::eliminate_dead_code(&mut body);
    let is_alone = refuse::registers(&body, &index).is_empty() && refuse::effects(&body, &index).is_empty();
    if !is_alone || reads_other_registers(&body, &index) || takes_pointers(&body) {
        return Err(None);
    }
    let mut insts = index.body(&body).flat_map(|block| &body.blocks[block].insts);
    if !insts.any(|&inst| matches!(body.insts[inst], InstData::Store { .. })) {
        return Err(None);
    }
    let plan = Plan::new(&body, &index).map_err(|refusals| {
        let refusal = refusals.into_iter().next()?;
        Some(Declined { location: refusal.location, found: refusal.found })
    })?;
    let by = suits(&body, &index, &plan, location).map_err(Some)?;
    if by == 1 {
        return Err(None);
    }
    let mut tests = vec![bounded(&body, &index, &plan).map_err(Some)?];
    if is_signed {
        let ops = vec![HostOp::Over, HostOp::Number(MOST_SIGNED), HostOp::AtMost];
        tests.push(HostTest { location, text: SIGNED.to_owned(), ops });
    }
    let coarsen = Coarsen { by, location };
    let Some(index) = Index::split(&mut func, coarsen) else { return Err(None) };
    dce::eliminate_dead_code(&mut func);
    let Ok(mut plan) = Plan::new(&func, &index) else { return Err(None) };
    tests.extend(aligned(&func, &mut plan, by));
    if tests.len() > host_tests::MOST_TESTS {
        return Err(None);
    }
    build::build(&mut func, coarsen, &index, &plan);
    let variables = func.locals.len();
    promote_locals(&mut func);
    forget_locals(&mut func, variables);
    func.coarsen = Some(coarsen);
    func.remark(location, RemarkKind::Coarsened { by });
    Ok(Automatic { func, by, tests })
}

/// Widens thread indices with zeros where they are widened as signed numbers, which is the same below 2³¹. Returns true if there were any.
fn read_as_unsigned(func: &mut Function) -> bool {
    let insts: Vec<Inst> = func.layout.iter().flat_map(|&block| func.blocks[block].insts.clone()).collect();
    let mut any = false;
    for inst in insts {
        if let InstData::Convert { op: ConvertOp::SignExtend | ConvertOp::IndexExtend, arg } =
            func.insts[inst]
            && func.ty(arg) == Type::I32
            && thread_index(func, arg).is_some()
        {
            func.insts[inst] = InstData::Convert { op: ConvertOp::ZeroExtend, arg };
            any = true;
        }
    }
    any
}

/// Returns true if nothing that a thread does depends on how threads are divided into blocks.
pub fn ignores_blocks(func: &Function) -> bool {
    let LaunchBounds { cluster, max_cluster, cooperative, .. } = func.bounds;
    if cooperative || cluster.is_some() || max_cluster.is_some() {
        return false;
    }
    let mut body = func.clone();
    simplify_cfg::simplify_cfg(&mut body);
    dce::eliminate_dead_code(&mut body);
    let Some(location) = index_location(&body) else { return false };
    let Some(index) = Index::split(&mut body, Coarsen { by: 2, location }) else { return false };
    dce::eliminate_dead_code(&mut body);
    let shares = |block| {
        let block: &BlockData = &body.blocks[block];
        block.insts.iter().any(|&inst| {
            let data = &body.insts[inst];
            refuse::effect(&body, data).is_some() && !data.is_atomic()
        })
    };
    refuse::registers(&body, &index).is_empty()
        && !reads_other_registers(&body, &index)
        && !index.body(&body).any(shares)
}

/// The location of the computation of the thread's index.
fn index_location(func: &Function) -> Option<SourceLoc> {
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let mut found =
        insts.filter(|&&inst| func.results[inst].is_some_and(|value| thread_index(func, value).is_some()));
    found.next().map(|&inst| func.locations[inst])
}

/// Returns true if the body reads a register that differs between threads, clocks and the like among them.
fn reads_other_registers(func: &Function, index: &Index) -> bool {
    let mut insts = index.body(func).flat_map(|block| &func.blocks[block].insts);
    insts.any(|&inst| match func.insts[inst] {
        InstData::Special { register } => !is_same_along_x(register),
        _ => false,
    })
}

/// Returns true if a parameter is a raw pointer, which may point to what another one does.
fn takes_pointers(func: &Function) -> bool {
    let slices: Vec<Param> = func.params.keys().filter_map(|param| func.slice_of(param)).collect();
    func.params.iter().any(|(param, data)| data.pointer_align.is_some() && !slices.contains(&param))
}

/// The number of elements of a thread that make the widest accesses, or what is against any.
fn suits(func: &Function, index: &Index, plan: &Plan, location: SourceLoc) -> Result<u32, Declined> {
    let declined =
        |inst: Inst, found: &str| Err(Declined { location: func.locations[inst], found: found.to_owned() });
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    if !loops.loops().is_empty() {
        let found = "a loop, whose iterations keep a thread busy with one element".to_owned();
        return Err(Declined { location: loops.location(func, 0), found });
    }
    let body = || index.body(func).flat_map(|block| func.blocks[block].insts.iter().copied());
    if let Some(inst) = body().find(|&inst| matches!(func.insts[inst], InstData::LocalAddress { .. })) {
        return declined(inst, "an array in the memory of the thread");
    }
    if let Some(inst) = plan.conditional {
        let what = match func.insts[inst] {
            InstData::Store { .. } => "a write that not every element makes",
            _ => "a read that not every element makes",
        };
        return declined(inst, what);
    }
    if let Some(inst) = plan.elsewhere {
        return declined(inst, "a read at an index other than the thread's own");
    }
    let at = |stream: usize| {
        let places = plan.places.iter().filter(|(_, place)| place.stream == stream);
        places.map(|(&inst, _)| func.locations[inst]).min().unwrap_or_default()
    };
    let mut by = WIDEST;
    for (number, stream) in plan.streams.iter().enumerate() {
        let decline = |found: &str| Err(Declined { location: at(number), found: found.to_owned() });
        if stream.root(func).is_none() || stream.start.constant != 0 {
            return decline("accesses that do not start at the start of the slice");
        }
        if stream.slots.iter().any(|slot| slot.ty == Type::Bool) {
            return decline("elements of type `bool`");
        }
        by = by.min(WIDEST >> stream.start.index.trailing_zeros().min(WIDEST.trailing_zeros()));
    }
    let size = body().count();
    while by > 1 && (by as usize + 1) * size > MOST_INSTRUCTIONS {
        by /= 2;
        // Accesses of less than a word are no gain.
        let is_gain = by > 1 && plan.streams.iter().any(|stream| u64::from(by) * stream.start.index >= 8);
        if !is_gain {
            let found = format!("a body of {size} instructions, too many to repeat");
            return Err(Declined { location, found });
        }
    }
    Ok(by)
}

/// The launch guard that no element at or beyond the launch's number does anything: on a condition on the index that all stores
/// depend on.
fn bounded(func: &Function, index: &Index, plan: &Plan) -> Result<HostTest, Declined> {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let forms = Forms::new(func, index);
    let blocks: Vec<_> = index.body(func).filter(|&block| cfg.is_reachable(block)).collect();
    let stores = || {
        blocks.iter().filter(|&&block| {
            func.blocks[block].insts.iter().any(|&inst| matches!(func.insts[inst], InstData::Store { .. }))
        })
    };
    let guards_all = |value: Value, holds: bool| {
        blocks.iter().any(|&block| {
            let Some(InstData::Branch { cond, if_true, if_false, .. }) =
                func.terminator(block).map(|inst| &func.insts[inst])
            else {
                return false;
            };
            let (truth, target) = match (ends(func, if_true.block), ends(func, if_false.block)) {
                (false, true) => (true, if_true.block),
                (true, false) => (false, if_false.block),
                _ => return false,
            };
            parts(func, *cond, truth).contains(&(value, holds))
                && cfg.predecessors(target) == [block]
                && stores().all(|&store| tree.dominates(target, store))
        })
    };
    let guard = |decided: &Decided| {
        let Test::Bound { cond, sum, limit, upper: true, .. } = decided.test else { return None };
        if !guards_all(decided.value, decided.holds) {
            return None;
        }
        let form = forms.number(sum);
        let is_index = form.index == 1 && form.constant == 0;
        let exact = func.ty(sum) == Type::I64 && !index.is_wide && form.constant < 1 << 32;
        if form.index == 0 || !form.terms.is_empty() || !(is_index || exact) {
            return None;
        }
        let (mut ops, text) = host_tests::uniform_program(func, limit)?;
        // The first element beyond the launch has to be beyond the limit.
        let mut first = text_of(form.index, form.constant);
        let below = match cond {
            IntCond::ULt | IntCond::SLt => 0,
            IntCond::ULe | IntCond::SLe => 1,
            _ => return None,
        };
        if below == 1 {
            ops.extend([HostOp::Number(1), HostOp::Add]);
        }
        ops.push(HostOp::Over);
        if form.index != 1 {
            ops.extend([HostOp::Number(form.index), HostOp::Mul]);
        }
        if form.constant != 0 {
            ops.extend([HostOp::Number(form.constant), HostOp::Add]);
        }
        ops.push(HostOp::AtMost);
        let signed = cond != cond.unsigned();
        if signed {
            // An index that is negative as a signed number would be below the limit, and so would a limit be that is negative.
            ops.extend([HostOp::Over, HostOp::Number(MOST_SIGNED), HostOp::AtMost, HostOp::And]);
            first = format!("{first} && {SIGNED}");
        }
        let location = match func.values[decided.value].def {
            ValueDef::Result(inst) => func.locations[inst],
            ValueDef::Param { .. } => SourceLoc::default(),
        };
        let order = if below == 1 { "<" } else { "<=" };
        Some(HostTest { location, text: format!("{text} {order} {first}"), ops })
    };
    plan.decided.iter().find_map(guard).ok_or_else(|| Declined {
        location: stores()
            .flat_map(|&block| &func.blocks[block].insts)
            .find(|&&inst| matches!(func.insts[inst], InstData::Store { .. }))
            .map_or_else(SourceLoc::default, |&inst| func.locations[inst]),
        found: "a write that no comparison of the index with a length or an argument bounds".to_owned(),
    })
}

/// `2 * over_elements + 1`
fn text_of(factor: u64, constant: u64) -> String {
    let product = if factor == 1 { "over_elements".to_owned() } else { format!("{factor} * over_elements") };
    if constant == 0 { product } else { format!("{product} + {constant}") }
}

/// Launch guards that the accesses are aligned, which then need no test of the device.
fn aligned(func: &Function, plan: &mut Plan, by: u32) -> Vec<HostTest> {
    let mut widths: Vec<(Param, u32, SourceLoc)> = Vec::new();
    let places: Vec<(usize, SourceLoc)> =
        plan.places.iter().map(|(&inst, place)| (place.stream, func.locations[inst])).collect();
    for (number, stream) in plan.streams.iter_mut().enumerate() {
        let width = stream.width(by);
        let Some(param) = stream.root(func).filter(|_| width > stream.align) else { continue };
        stream.align = width;
        let at = places.iter().filter(|(of, _)| *of == number).map(|(_, location)| *location).min();
        match widths.iter_mut().find(|(known, ..)| *known == param) {
            Some((_, known, _)) => *known = width.max(*known),
            None => widths.push((param, width, at.unwrap_or_default())),
        }
    }
    widths.into_iter().map(|(param, width, at)| alignment::guard(func, param, width, at)).collect()
}

/// The check that keeps a coarsened version from being taken, as it may fail whatever the launch guards say.
pub fn left(func: &Function) -> Option<Declined> {
    let (location, kind) = host_tests::left(func).into_iter().min()?;
    let found = match kind {
        PanicKind::Index => "an index that no launch guard keeps in bounds",
        _ => "a check that no launch guard decides",
    };
    Some(Declined { location, found: found.to_owned() })
}
