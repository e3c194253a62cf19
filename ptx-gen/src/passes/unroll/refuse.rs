//! Refusals of a user's request for a loop: reported with the reason, at the location of the attribute.

use super::prefetch::{NoPipeline, Pipeline};
use super::trips;
use super::{MOST_COPIED_ASKED, MOST_ROUNDS_ASKED, own_sizes};
use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Function, LoopHint, RemarkKind};

/// Refuses the requests that are left once nothing more can be unrolled.
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
            Some(LoopHint::Full) => Some(whole(func, &cfg, &tree, &loops, index, sizes[index])),
            Some(LoopHint::By(by)) => Some(too_large(by as usize, sizes[index])),
            Some(LoopHint::Prefetch(distance)) => ahead(func, &cfg, &tree, &loops, index, distance),
            Some(LoopHint::Never) | None => continue,
        };
        refused.extend(message.map(|message| (asked, message)));
    }
    refused.into_iter().for_each(|(asked, message)| func.remark(asked, RemarkKind::RefusedLoop(message)));
}

fn whole(func: &Function, cfg: &Cfg, tree: &DomTree, loops: &Loops, index: usize, size: usize) -> String {
    /// So many iterations are counted to report their number.
    const MOST_ROUNDS_TOLD: u32 = 1 << 17;
    match trips::count(func, cfg, tree, loops, index, MOST_ROUNDS_TOLD) {
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

fn ahead(
    func: &Function,
    cfg: &Cfg,
    tree: &DomTree,
    loops: &Loops,
    index: usize,
    distance: u32,
) -> Option<String> {
    match Pipeline::new(func, cfg, tree, loops, index, distance) {
        Err(NoPipeline::Unneeded) => None,
        Err(why) => Some(without_pipeline(why)),
        Ok(_) => Some(
            "expected a loop that is small enough to be copied, found a larger one\nhelp: load fewer rounds ahead".to_owned(),
        ),
    }
}

/// Reason why a loop cannot load ahead.
pub(super) fn without_pipeline(why: NoPipeline) -> String {
    let (expected, help) = match why {
        NoPipeline::NotCounted => (
            "a loop that counts in equal steps to a bound that stays the same, found one whose next rounds are not known \
             beforehand",
            "loop over a range or a slice, or write `while i < end { …; i += step; }`",
        ),
        NoPipeline::OtherExit => (
            "a loop that runs to its bound, found one that may end before, where it would load what it does not need",
            "take out `break` and `return`, or leave the attribute out",
        ),
        NoPipeline::Written => (
            "a loop that loads what nobody writes meanwhile, found that it may write what it loads, or wait for others \
             that do",
            "load from a `&[T]` parameter",
        ),
        NoPipeline::NotByCounter => (
            "a loop that loads where its counter says, found that the places follow from what is computed in earlier rounds",
            "index with the counter, as `x[i]` or `x[i + offset]`",
        ),
        NoPipeline::Checked => (
            "a loop whose checks before the load follow from its counter, found one that follows from what is computed in the round",
            "compute the length or the condition before the loop",
        ),
        NoPipeline::NoLoads | NoPipeline::Unneeded => (
            "a loop that loads in every round, found that it loads nothing, or only under a condition",
            "leave the attribute out",
        ),
        NoPipeline::Same => (
            "a loop that loads something new in every round, found that it always loads from the same place",
            "load it before the loop, and leave the attribute out",
        ),
    };
    format!("expected {expected}\nhelp: {help}")
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use crate::passes::unroll::unroll_loops;

    /// The remarks on a loop `while i < n { …; i += step }` whose body stores, loads and asks for this.
    #[track_caller]
    fn check(hint: &str, [n, step, body]: [&str; 3], expect: Expect) {
        let text = format!(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32) {{
                panic0 index
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 0
                v3: i32 = {n}
                jump block1(v2)
            block1(v5: i32) {hint} @0:3:5:
                v6: bool = icmp ult v5, v3
                branch v6, block2, block4
            block2:
                v7: i64 = zext v5
                v8: i64 = add v0, v7
                {body}
                v9: i32 = {step}
                v10: i32 = add v5, v9
                jump block1(v10)
            block4:
                return
            }}"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        unroll_loops(&mut func);
        let mut out = String::new();
        for remark in &func.remarks {
            let place = (remark.location.line, remark.location.column);
            writeln!(out, "{place:?}: {}", remark.kind).expect("writing to a string");
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn what_cannot_be_had() {
        let load = "v11: i32 = load.global v8\n v12: i32 = add v11, v5\n store.shared v5, v12";
        check(
            "unroll",
            ["const 5", "const 1", load],
            expect![[r#"
            (0, 0): loop unrolled whole: 5 rounds
        "#]],
        );
        check(
            "unroll",
            ["param1", "const 1", load],
            expect![[r#"
            (3, 5): expected a loop whose number of rounds is known at compile time, found one that is known only when the kernel runs
            help: unroll by some of them, `#[unroll(4)]`, or make the bounds constants
        "#]],
        );
        check(
            "unroll",
            ["const 5000", "const 1", load],
            expect![[r#"
            (3, 5): expected a loop of at most 4096 rounds, found 5000
            help: unroll by some of them: `#[unroll(8)]`
        "#]],
        );
        check(
            "unroll",
            ["const 20000", "const 1", load],
            expect![[r#"
                (3, 5): expected a loop of at most 4096 rounds, found 20000
                help: unroll by some of them: `#[unroll(8)]`
            "#]],
        );
        check(
            "unroll 40000",
            ["param1", "const 1", load],
            expect![[r#"
                (3, 5): expected a loop that is at most 65536 instructions when it is unrolled, found 40000 times 8
                help: unroll by fewer rounds
            "#]],
        );
        check(
            "prefetch 2",
            ["param1", "param1", load],
            expect![[r#"
                (0, 0): 1 load of a round made 2 rounds ahead
            "#]],
        );
        check(
            "prefetch 2",
            ["load.shared v5", "load.global v8", load],
            expect![[r#"
            (3, 5): expected a loop that counts in equal steps to a bound that stays the same, found one whose next rounds are not known beforehand
            help: loop over a range or a slice, or write `while i < end { …; i += step; }`
        "#]],
        );
        check(
            "prefetch 2",
            ["param1", "const 1", &format!("{load}\n store.global v8, v5")],
            expect![[r#"
            (3, 5): expected a loop that loads what nobody writes meanwhile, found that it may write what it loads, or wait for others that do
            help: load from a `&[T]` parameter
        "#]],
        );
        check(
            "prefetch 2",
            ["param1", "const 1", &format!("{load}\n barrier")],
            expect![[r#"
            (3, 5): expected a loop that loads what nobody writes meanwhile, found that it may write what it loads, or wait for others that do
            help: load from a `&[T]` parameter
        "#]],
        );
        let checked = "v11: i32 = load.shared v5
                v12: bool = icmp ult v5, v11
                branch v12, block6, block5
            block5:
                panic panic0(v7, v7)
            block6:
                v13: i32 = load.global v8
                store.shared v5, v13";
        check(
            "prefetch 2",
            ["param1", "const 1", checked],
            expect![[r#"
                (3, 5): expected a loop whose checks before the load follow from its counter, found one that follows from what is computed in the round
                help: compute the length or the condition before the loop
            "#]],
        );
        check("prefetch 2", ["param1", "const 1", "store.shared v5, v5"], expect![""]);
        let chased = "v11: i64 = load.shared v5\n v12: i64 = add v8, v11\n v13: i32 = load.global v12\n store.shared v5, v13";
        check(
            "prefetch 2",
            ["param1", "const 1", chased],
            expect![[r#"
            (3, 5): expected a loop that loads what nobody writes meanwhile, found that it may write what it loads, or wait for others that do
            help: load from a `&[T]` parameter
        "#]],
        );
    }
}
