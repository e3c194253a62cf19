//! Loop unrolling: full, of loops with a constant trip count, if they ask for it or are small and index local arrays,
//! which become values once the indices are constants, or have [checks that constants decide](for_checks); and by the factor that a loop asks for. Loops that ask to
//! load ahead are pipelined ([`prefetch`]). Small loops that ask for nothing come last ([`unasked`]).

pub(super) mod copy;
mod counted;
pub(super) mod data_checks;
mod for_checks;
pub(super) mod hoist;
mod prefetch;
mod products;
mod refuse;
mod strides;
pub(super) mod trips;
mod unasked;

use std::cell::LazyCell;
use std::collections::HashMap;

use super::promote::{is_one_of_few, promote_locals, variable_indices};
use super::{checks, dce, fold, gvn, simplify_cfg};
use crate::analysis::{Cfg, DomTree, Loops, Ranges};
use crate::ir::{Block, Entity, EntityMap, Function, InstData, LocalVar, LoopHint, RemarkKind, Value};
use copy::Plan;
use counted::Counted;
use prefetch::Pipeline;
pub use prefetch::refuse_loops_without_loads;
pub use products::step_products;
pub use strides::{narrow_strides, strided_indices};
use trips::{Resolver, Trips};
pub use unasked::unroll_small_loops;

/// Iterations that are counted of a loop that asks to be unrolled by a factor.
const MOST_ROUNDS_COUNTED: u32 = 1 << 14;
/// Iterations of a loop that asks to be unrolled.
const MOST_ROUNDS_ASKED: u32 = 4096;
/// Instructions that such a loop may become.
const MOST_COPIED_ASKED: usize = 1 << 16;
/// Iterations of a loop that does not ask: no array with more elements fits the registers of a thread, 255.
const MOST_ROUNDS: u32 = 256;
/// Instructions that such a loop may become, before what is constant is folded: 32 elements, each compared with those behind it.
const MOST_COPIED: usize = 8192;

/// Loops in loops go from the inside outwards, and from the outside inwards where the outer counter is the inner bound.
const MOST_TURNS: usize = 12;

/// Unrolls the loops that say more of indices as copies, as [`unroll_loops`] does among others, and nothing else: those that index local
/// arrays, of which the elements may be parts of indices, `x[(i + steps[k]) as usize]`, and those with [checks that constants decide](for_checks).
pub fn unroll_for_indices(func: &mut Function) {
    let variables = func.locals.len();
    for _ in 0..MOST_TURNS {
        if !unroll(func, Which::ForIndices) {
            break;
        }
        tidy_and_compact(func);
    }
    forget_locals(func, variables);
}

/// See the head of this file.
pub fn unroll_loops(func: &mut Function) {
    let variables = func.locals.len();
    let mut waits = func.layout.iter().any(|&block| is_pipelined_first(func, block));
    for _ in 0..MOST_TURNS {
        if !unroll(func, Which::All { waits }) {
            // A loop that could not be pipelined does not hold others back any more.
            if !std::mem::replace(&mut waits, false) {
                break;
            }
            continue;
        }
        tidy_and_compact(func);
    }
    forget_locals(func, variables);
    refuse::refuse_the_rest(func);
}

/// Folds the constants of each iteration, and makes values of the variables that copies went through.
fn tidy(func: &mut Function) {
    fold_copies(func);
    promote_locals(func);
}

/// [`tidy`], with a new numbering of all blocks.
fn tidy_and_compact(func: &mut Function) {
    fold_copies(func);
    func.compact();
    promote_locals(func);
}

fn fold_copies(func: &mut Function) {
    simplify_cfg::simplify_cfg(func);
    fold::fold_constants(func);
    simplify_cfg::simplify_cfg(func);
    gvn::number_values(func);
    dce::eliminate_dead_code(func);
}

/// Removes the variables after these from the table; what needed them is a value again.
pub(super) fn forget_locals(func: &mut Function, keep: usize) {
    let mut is_used = func.locals.len() == keep;
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        is_used |= matches!(func.insts[inst], InstData::LocalAddress { var } if var.index() >= keep);
    }
    if !is_used {
        let all: EntityMap<LocalVar, _> = std::mem::take(&mut func.locals);
        for data in all.values().take(keep) {
            func.locals.push(data.clone());
        }
    }
}

/// Loops that may be unrolled.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    /// All, those that load ahead first if it waits for them.
    All { waits: bool },
    /// Those whose counters index local arrays, or decide checks.
    ForIndices,
}

/// Unrolls every loop that is to be and has none inside that is. Whether there was one.
fn unroll(func: &mut Function, which: Which) -> bool {
    let may_help = !func.locals.is_empty();
    let asks = |&block: &Block| {
        matches!(func.blocks[block].hint, Some(LoopHint::Full | LoopHint::By(_) | LoopHint::Prefetch(_)))
    };
    let takes_all = which != Which::ForIndices;
    let is_asked = takes_all && func.layout.iter().any(asks);
    if !(may_help || is_asked || for_checks::may_have_some(func)) {
        return false;
    }
    simplify_cfg::remove_unreachable(func);
    let waits = which == Which::All { waits: true };
    if takes_all
        && func.layout.iter().any(|&block| matches!(func.blocks[block].hint, Some(LoopHint::By(_))))
        && !(waits && func.layout.iter().any(|&block| is_pipelined_first(func, block)))
    {
        // A check implied by a test that will be made once for several iterations must not be made in each.
        checks::remove_decided_checks(func);
        simplify_cfg::simplify_cfg(func);
    }
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let chosen = choose(func, &cfg, &tree, &loops, which);
    go(func, &cfg, &loops, &chosen).is_some()
}

/// Unrolls the loops that were chosen, each as it was, unless one inside was. Returns the headers of the loops that do several
/// iterations in one from then on and may do more; `None` if nothing was unrolled.
fn go(func: &mut Function, cfg: &Cfg, loops: &Loops, chosen: &[Option<Way>]) -> Option<Vec<Block>> {
    let mut has_chosen_inside = vec![false; loops.loops().len()];
    // Inner loops come after those around them.
    for (index, way) in chosen.iter().enumerate().rev() {
        if let Some(parent) = loops.loops()[index].parent {
            has_chosen_inside[parent] |= has_chosen_inside[index] || way.is_some();
        }
    }
    let next: Vec<(usize, &Way, Vec<Block>)> = (0..chosen.len())
        .filter(|&index| !has_chosen_inside[index])
        .filter_map(|index| Some((index, chosen[index].as_ref()?, copy::region(func, cfg, loops, index))))
        .collect();
    // Other ways than a copy for each iteration name values, which stay those of the loops until each is unrolled.
    let at_once = next.iter().all(|(_, way, _)| matches!(way, Way::Whole(_)));
    if at_once {
        let regions: Vec<&[Block]> = next.iter().map(|(.., region)| &region[..]).collect();
        copy::spill_live_out_of(func, &regions);
    }
    let mut unrolled = None;
    for (index, way, region) in next.into_iter().rev() {
        let around = &loops.loops()[index];
        func.remark(loops.location(func, index), way.remark());
        let headers: &mut Vec<Block> = unrolled.get_or_insert_default();
        match way {
            Way::Whole(trips) => {
                if !at_once {
                    copy::spill_live_out(func, &region);
                }
                copy::unroll_fully(func, around, &region, trips);
            }
            Way::Exactly(trips, by) => {
                copy::unroll_exactly(func, around, &region, trips, *by);
                headers.push(around.header);
            }
            Way::AtMost(counted, passes) => copy::unroll_at_most(func, around, &region, counted, *passes),
            Way::WithRemainder(plan, by) => {
                let header = copy::unroll_with_remainder(func, cfg, around, &region, plan, *by);
                headers.extend((!plan.is_final).then_some(header));
            }
            Way::WithTests(by) => copy::unroll_with_tests(func, around, &region, *by),
            Way::Ahead(pipeline, distance) => {
                prefetch::prefetch(func, cfg, around, &region, pipeline, *distance);
            }
        }
    }
    unrolled
}

/// Returns true if the loop of this header waits for its loads to be moved: every check is still there then, so that each load
/// has its own before it.
fn is_pipelined_first(func: &Function, header: Block) -> bool {
    matches!(func.blocks[header].hint, Some(LoopHint::Prefetch(_)))
}

/// Ways of unrolling a loop.
#[derive(Clone)]
enum Way {
    /// A copy for each iteration.
    Whole(Trips),
    /// So many copies, of which one has the last iteration.
    Exactly(Trips, u32),
    /// Copies with a test each, which passes at most so often.
    AtMost(Counted, u32),
    /// So many copies, and the loop for the rest.
    WithRemainder(Plan, u32),
    /// So many copies, each with its tests.
    WithTests(u32),
    /// Loads so many iterations ahead.
    Ahead(Pipeline, u32),
}

impl Way {
    fn remark(&self) -> RemarkKind {
        match self {
            Way::Whole(trips) => RemarkKind::UnrolledWhole { rounds: trips.rounds },
            Way::Exactly(_, copies)
            | Way::AtMost(_, copies)
            | Way::WithRemainder(_, copies)
            | Way::WithTests(copies) => RemarkKind::UnrolledBy { copies: *copies },
            Way::Ahead(pipeline, rounds) => {
                RemarkKind::LoadsAhead { rounds: *rounds, loads: pipeline.load_count() }
            }
        }
    }
}

/// Chooses the loops to be unrolled.
fn choose(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, which: Which) -> Vec<Option<Way>> {
    let waits = which == Which::All { waits: true };
    let takes_all = which != Which::ForIndices;
    let mut sizes = own_sizes(func, loops);
    let mut known: Vec<Option<Trips>> = vec![None; loops.loops().len()];
    let mut chosen: Vec<Option<Way>> = vec![None; loops.loops().len()];
    let pipelines = waits && func.layout.iter().any(|&block| is_pipelined_first(func, block));
    // From the inside outwards, so that sizes are those after unrolling.
    for (index, around) in loops.loops().iter().enumerate().rev() {
        match func.blocks[around.header].hint {
            Some(LoopHint::By(by)) if !pipelines && takes_all => {
                chosen[index] = several(func, cfg, tree, loops, index, by, sizes[index]);
                sizes[index] = sizes[index].saturating_mul(by as usize);
            }
            // Not once checks were removed: each load needs its own.
            Some(LoopHint::Prefetch(distance)) if waits => {
                chosen[index] = ahead(func, cfg, tree, loops, index, distance, sizes[index]);
                sizes[index] = sizes[index].saturating_mul(distance as usize + 2);
            }
            Some(LoopHint::Full | LoopHint::By(_) | LoopHint::Prefetch(_) | LoopHint::Never) | None => {}
        }
        let (most_rounds, most_copied) = match func.blocks[around.header].hint {
            Some(LoopHint::Full) => (MOST_ROUNDS_ASKED, MOST_COPIED_ASKED),
            Some(LoopHint::Never | LoopHint::By(_) | LoopHint::Prefetch(_)) => (0, 0),
            None => (MOST_ROUNDS, MOST_COPIED),
        };
        let trips = trips::count(func, cfg, tree, loops, index, most_rounds);
        let trips = trips.filter(|trips| sizes[index].saturating_mul(trips.rounds as usize) <= most_copied);
        let mut size = sizes[index];
        if let Some(trips) = trips {
            size = size.saturating_mul(trips.rounds as usize + 1);
            if func.blocks[around.header].hint == Some(LoopHint::Full) && takes_all {
                chosen[index] = Some(Way::Whole(trips.clone()));
            }
            known[index] = Some(trips);
        }
        if let Some(parent) = around.parent {
            sizes[parent] = sizes[parent].saturating_add(size);
        }
    }
    let later = known_later(func, cfg, tree, loops, &known, &sizes);
    for index in for_checks::choose(func, loops, &known, &sizes, !takes_all) {
        chosen[index] = known[index].clone().map(Way::Whole);
    }
    for index in loops_of_arrays(func, cfg, loops, &known, &later) {
        // (A loop that asks for something else has no known trip count.)
        chosen[index] = known[index].clone().map(Way::Whole);
    }
    chosen
}

/// A loop in loops that are known, or will be.
#[derive(Clone)]
struct Nest {
    /// Counters of the loop and of those around it, in their first and in their last iterations.
    ends: [HashMap<Value, u64>; 2],
    /// Number of times that its body runs.
    copies: usize,
}

/// Counters of loops that are constants once loops around them are unrolled: `j` of `for j in i + 1..9` in `for i in 0..5`, `n` of
/// `n += 1` in both. They are counted in the first and in the last iteration of these, and are small then.
fn known_later(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    known: &[Option<Trips>],
    sizes: &[usize],
) -> Vec<Vec<Value>> {
    let mut later = vec![Vec::new(); known.len()];
    let mut nests: Vec<Option<Nest>> = vec![None; known.len()];
    // Outer loops come before those in them.
    for (index, around) in loops.loops().iter().enumerate() {
        let outside = match around.parent {
            Some(parent) => nests[parent].clone(),
            None => Some(Nest { ends: Default::default(), copies: 1 }),
        };
        let trips = |given: &HashMap<Value, u64>| match &known[index] {
            Some(trips) if given.is_empty() => Some(trips.clone()),
            None if func.blocks[around.header].hint.is_some() => None,
            Some(_) | None => trips::count_given(func, cfg, tree, loops, index, MOST_ROUNDS, given),
        };
        let Some(Nest { mut ends, copies }) = outside else { continue };
        let [Some(first), Some(last)] = [trips(&ends[0]), trips(&ends[1])] else { continue };
        for (given, (trips, end)) in ends.iter_mut().zip([(&first, 0), (&last, 1)]) {
            given.extend(trips.counters.iter().copied().zip(trips.ends[end].iter().copied()));
        }
        // On the average: of `i + 1..n`, and of a distance that is halved.
        let copies = copies.saturating_mul((first.rounds + last.rounds) as usize).div_ceil(2);
        if sizes[index].saturating_mul(copies) <= MOST_COPIED {
            later[index] = first.counters;
        } else if known[index].is_none() {
            continue;
        }
        nests[index] = Some(Nest { ends, copies });
    }
    later
}

/// Chooses the way of unrolling a loop that asks for a factor.
fn several(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    by: u32,
    size: usize,
) -> Option<Way> {
    if by < 2 || size.saturating_mul(by as usize) > MOST_COPIED_ASKED {
        return None;
    }
    let plan = Plan::new(func, tree, loops, index).filter(|plan| plan.counted.admits(func, by.into()));
    let has_checks = plan.as_ref().is_some_and(|plan| !plan.checks.is_empty());
    match (trips::count(func, cfg, tree, loops, index, MOST_ROUNDS_COUNTED), plan) {
        (Some(trips), _) if trips.rounds <= by => Some(Way::Whole(trips)),
        // Checks can be made for several iterations at once where the loop itself is there for those that fail.
        (Some(trips), _) if !has_checks => Some(Way::Exactly(trips, by)),
        (_, Some(plan)) => Some(Way::WithRemainder(plan, by)),
        (Some(trips), None) => Some(Way::Exactly(trips, by)),
        (None, None) => Some(Way::WithTests(by)),
    }
}

/// Chooses the way of prefetching in a loop that asks for it.
fn ahead(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    distance: u32,
    size: usize,
) -> Option<Way> {
    if distance == 0 || size.saturating_mul(distance as usize + 2) > MOST_COPIED_ASKED {
        return None;
    }
    let pipeline = Pipeline::new(func, cfg, tree, loops, index, distance).ok()?;
    Some(Way::Ahead(pipeline, distance))
}

/// The instructions in each loop, without those of loops inside, and without constants and conversions of integers: most are a counter's, and fold
/// once it is a constant.
fn own_sizes(func: &Function, loops: &Loops) -> Vec<usize> {
    let mut sizes = vec![0; loops.loops().len()];
    let is_counted = |data: &InstData| match data {
        InstData::Const { .. } => false,
        InstData::Convert { op, .. } => !op.is_of_integers(),
        _ => true,
    };
    for &block in &func.layout {
        if let Some(index) = loops.innermost(block) {
            let insts = &func.blocks[block].insts;
            sizes[index] += insts.iter().filter(|&&inst| is_counted(&func.insts[inst])).count();
        }
    }
    sizes
}

/// The loops whose counters are all that is not constant in the indices of local arrays, but for indices of a few values by which
/// [elements are selected](super::promote::select_elements), so that unrolling them makes values of the arrays; those of `later` are unrolled once the loops around them are.
fn loops_of_arrays(
    func: &Function,
    cfg: &Cfg,
    loops: &Loops,
    known: &[Option<Trips>],
    later: &[Vec<Value>],
) -> Vec<usize> {
    let mut wanted = Vec::new();
    if func.locals.is_empty() || known.iter().all(Option::is_none) {
        return wanted;
    }
    let mut counters: EntityMap<Value, Option<usize>> = EntityMap::filled(func.values.len(), None);
    for (index, trips) in known.iter().enumerate() {
        for &counter in trips.iter().flat_map(|trips| &trips.counters).chain(&later[index]) {
            counters[counter] = Some(index);
        }
    }
    let of_loop =
        |(index, trips): (usize, &Option<Trips>)| ends_early(func, cfg, loops, index, trips.as_ref());
    let ends_early = known.iter().enumerate().map(of_loop).collect();
    let tree = &DomTree::new(cfg);
    let resolver = Resolver { func, counters, ends_early, loops, cfg, tree };
    let ranges = LazyCell::new(|| Ranges::new(func));
    for indices in variable_indices(func) {
        let mut needed = Vec::new();
        let mut is_known = |(index, block)| {
            let before = needed.len();
            let is_constant = resolver.resolves(index, block, &mut needed);
            if !is_constant {
                needed.truncate(before);
            }
            is_constant || is_one_of_few(func, &ranges, index, block)
        };
        if indices.into_iter().all(&mut is_known) {
            wanted.extend(needed);
        }
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// Returns true if a loop may be left, other than by a panic, before the test that ends its last iteration.
fn ends_early(func: &Function, cfg: &Cfg, loops: &Loops, index: usize, trips: Option<&Trips>) -> bool {
    let leaves = |&&block: &&Block| {
        let mut next = cfg.successors(block).iter();
        next.any(|&next| !loops.contains(index, next) && !checks::panics(func, next))
    };
    let mut ways_out = loops.loops()[index].blocks.iter().filter(leaves);
    match trips {
        Some(trips) => ways_out.any(|&block| block != trips.exit),
        None => ways_out.count() > 1,
    }
}

#[cfg(test)]
mod tests;
