//! What a user asked of a loop and cannot be had: said with its reason, at the place of the attribute.

use super::prefetch::{NoPipeline, Pipeline};
use super::trips;
use super::{MOST_COPIED_ASKED, MOST_ROUNDS_ASKED, MOST_ROUNDS_COUNTED, own_sizes};
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Function, LoopHint, RemarkKind};

/// Refuses what is still asked for once nothing more can be unrolled.
pub(super) fn refuse_the_rest(func: &mut Function) {
    let waits = |hint: Option<LoopHint>| match hint {
        Some(LoopHint::Full | LoopHint::By(_) | LoopHint::Prefetch(_)) => true,
        Some(LoopHint::Never) | None => false,
    };
    if !func.blocks.values().any(|block| block.asked.is_some() && waits(block.hint)) {
        return;
    }
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let loops = Loops::new(&cfg, &tree);
    let sizes = own_sizes(func, &loops);
    let mut refused = Vec::new();
    for (index, around) in loops.loops().iter().enumerate() {
        let header = &func.blocks[around.header];
        let Some(asked) = header.asked else { continue };
        let message = match header.hint {
            Some(LoopHint::Full) => whole(func, &cfg, &tree, &loops, index, sizes[index]),
            Some(LoopHint::By(by)) => too_large(by as usize, sizes[index]),
            Some(LoopHint::Prefetch(distance)) => ahead(func, &cfg, &tree, &loops, index, distance),
            Some(LoopHint::Never) | None => continue,
        };
        refused.push((asked, message));
    }
    refused.into_iter().for_each(|(asked, message)| func.remark(asked, RemarkKind::Refused(message)));
}

fn whole(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, index: usize, size: usize) -> String {
    match trips::count(func, cfg, tree, loops, index, MOST_ROUNDS_COUNTED) {
        Some(trips) if trips.rounds > MOST_ROUNDS_ASKED => format!(
            "expected a loop of at most {MOST_ROUNDS_ASKED} rounds, found {}\n\
             help: unroll by some of them: `#[unroll(8)]`",
            trips.rounds
        ),
        Some(trips) => too_large(trips.rounds as usize, size),
        None => "expected a loop whose number of rounds is known at compile time, found one that is known only when the \
                 kernel runs\nhelp: unroll by some of them, `#[unroll(4)]`, or make the bounds constants"
            .to_owned(),
    }
}

fn too_large(copies: usize, size: usize) -> String {
    format!(
        "expected a loop that is at most {MOST_COPIED_ASKED} instructions when it is unrolled, found {copies} times {size}\n\
         help: unroll by fewer rounds"
    )
}

fn ahead(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, index: usize, distance: u32) -> String {
    let (expected, help) = match Pipeline::new(func, cfg, tree, loops, index, distance) {
        Err(NoPipeline::NotCounted) => (
            "a loop that counts in equal steps to a bound that stays the same, found one whose next rounds are not known \
             beforehand",
            "loop over a range or a slice, or write `while i < end { …; i += step; }`",
        ),
        Err(NoPipeline::OtherExit) => (
            "a loop that runs to its bound, found one that may end before, where it would load what it does not need",
            "take out `break` and `return`, or leave the attribute out",
        ),
        Err(NoPipeline::Written) => (
            "a loop that loads what nobody writes meanwhile, found that it may write what it loads, or wait for others \
             that do",
            "load from a `&[T]` parameter",
        ),
        Err(NoPipeline::NotByCounter) => (
            "a loop that loads where its counter says, found that the places follow from what is computed in earlier rounds",
            "index with the counter, as `x[i]` or `x[i + offset]`",
        ),
        Err(NoPipeline::NoLoads) => (
            "a loop that loads in every round, found that it loads nothing, or only under a condition",
            "leave the attribute out",
        ),
        Ok(_) => ("a loop that is small enough to be copied, found a larger one", "load fewer rounds ahead"),
    };
    format!("expected {expected}\nhelp: {help}")
}
