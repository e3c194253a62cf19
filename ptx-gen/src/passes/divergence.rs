//! Refuses barriers that not all threads of a block, cluster or grid reach together, and collectives of a full warp that not all its
//! lanes reach.
//!
//! A barrier waits for every thread of the block, of the cluster, or of the grid, a collective with all 32 lanes as its members for every lane. One that
//! is under a divergent condition, in a loop that they leave in different iterations, or after a `return` of
//! some, is an error of the source. Threads that panicked are not waited for.
//!
//! Runs once variables are values and before anything is unrolled or moved, so that the locations are those of the source.

use std::collections::BTreeSet;

use crate::analysis::uniformity::{ALL_LANES, Group};
use crate::analysis::{DomTree, Uniformity};
use crate::ir::{
    Block, BlockShape, Collective, Function, Inst, InstData, RemarkKind, SourceLoc, Space, Value,
};

/// See the head of this file.
pub fn refuse_divergence(func: &mut Function) {
    refuse_lonely_blocks(func);
    refuse_counts(func);
    refuse_parted_threads(func);
    remove_markers(func);
}

fn refuse_parted_threads(func: &mut Function) {
    if !func
        .layout
        .iter()
        .flat_map(|&block| &func.blocks[block].insts)
        .any(|&inst| waits_for(func, inst).is_some())
    {
        return;
    }
    // The shape of the block, where a kernel leaves it open, may be assumed: launches are held to it.
    let mut refused = Vec::new();
    for shape in BlockShape::ALL {
        refused = mistakes(func, *shape);
        if refused.is_empty() {
            func.shape = func.shape.max(*shape);
            return;
        }
    }
    for (location, message) in refused {
        func.remark(location, RemarkKind::Refused(message));
    }
}

/// Removes the instructions without text, which only say who comes.
fn remove_markers(func: &mut Function) {
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        func.blocks[block].insts = insts.into_iter().filter(|&inst| !is_marker(func, inst)).collect();
    }
}

/// Blocks that need not run at once cannot wait for each other.
fn refuse_lonely_blocks(func: &mut Function) {
    if func.bounds.cooperative {
        return;
    }
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let barriers = insts.filter(|&&inst| matches!(func.insts[inst], InstData::GridBarrier));
    let places: BTreeSet<SourceLoc> = barriers.map(|&inst| func.locations[inst]).collect();
    for location in places {
        func.remark(location, RemarkKind::Refused(LONELY.into()));
    }
}

/// A barrier with a number takes no more threads than blocks have, and one number of them from all lanes of a warp.
fn refuse_counts(func: &mut Function) {
    let counts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).filter_map(|&inst| {
        let InstData::NamedBarrier { threads, .. } = func.insts[inst] else { return None };
        Some((func.locations[inst], threads))
    });
    let counts: Vec<(SourceLoc, Value)> = counts.collect();
    if counts.is_empty() {
        return;
    }
    let block = func.bounds.block.map(|shape| shape.iter().product::<u32>());
    let most = block
        .map(|threads| (threads, "block"))
        .or(func.bounds.max_threads.map(|threads| (threads, "launch_bounds")));
    let uniformity = Uniformity::new(func, BlockShape::WholeWarps);
    let mut refused = BTreeSet::new();
    for (location, threads) in counts {
        match (func.constant(threads), most) {
            (Some(count), Some((most, attribute))) if count > u64::from(most) => {
                refused.insert((location, format!(
                    "expected at most the threads of a block, {most} by `{attribute}`, found a barrier for {count}\nhelp: count the threads that \
                     come to it"
                )));
            }
            (None, _) if uniformity.of(threads).varies_in(Group::Warp) => {
                refused.insert((location, "expected the same number of threads in all lanes of a warp, found one that varies within warps\n\
                     help: compute it from what all lanes have, such as `warp::warp_id()`".to_owned()));
            }
            _ => {}
        }
    }
    for (location, message) in refused {
        func.remark(location, RemarkKind::Refused(message));
    }
}

const LONELY: &str = "expected a kernel whose blocks all run at once, as only those can wait for each other, found one without \
                      `cooperative`\nhelp: write `#[kernel(cooperative)]`";

/// For whom an instruction waits.
pub(super) fn waits_for(func: &Function, inst: Inst) -> Option<Group> {
    let full = |members: &Value| (func.constant(*members) == Some(ALL_LANES)).then_some(Group::Warp);
    match &func.insts[inst] {
        InstData::GridBarrier => Some(Group::Grid),
        InstData::ClusterBarrier { .. } => Some(Group::Cluster),
        InstData::Barrier | InstData::BarrierReduce { .. } => Some(Group::Block),
        // Warps come to it each for itself, but as a whole.
        InstData::NamedBarrier { .. } => Some(Group::Warp),
        InstData::Shuffle { members, .. }
        | InstData::Vote { members, .. }
        | InstData::Match { members, .. }
        | InstData::Redux { members, .. }
        | InstData::WarpBarrier { members } => full(members),
        // The threads that inline PTX of the user waits for are unknown.
        InstData::Inline { asm, .. } => func.inlines[*asm].collective.map(|collective| match collective {
            Collective::Warp => Group::Warp,
            Collective::Warpgroup => Group::Warpgroup,
            Collective::Party | Collective::Block => Group::Block,
        }),
        // Of instructions without results only markers wait.
        InstData::InlineEffect { .. } => is_marker(func, inst).then_some(Group::Block),
        InstData::InlineOut { .. }
        | InstData::Guarded { .. }
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
        | InstData::Special { .. }
        | InstData::Param { .. }
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
        | InstData::ActiveMask
        | InstData::Fence { .. }
        | InstData::Print { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => None,
    }
}

/// Returns true if the warps of a party come to the instruction together.
fn is_of_party(func: &Function, inst: Inst) -> bool {
    let InstData::InlineEffect { asm, .. } = func.insts[inst] else { return false };
    func.inlines[asm].collective == Some(Collective::Party)
}

/// Returns true if the instruction only says who comes to it together.
fn is_marker(func: &Function, inst: Inst) -> bool {
    let InstData::InlineEffect { asm, .. } = func.insts[inst] else { return false };
    matches!(func.inlines[asm].collective, Some(Collective::Party | Collective::Block))
}

/// The block with the last instruction of a party before this one on all ways to it, if there is one.
fn party_before(func: &Function, dominators: &DomTree, (block, inst): (Block, Inst)) -> Option<Block> {
    let insts = &func.blocks[block].insts;
    let before = insts.iter().take_while(|&&other| other != inst);
    if before.into_iter().any(|&other| is_of_party(func, other)) {
        return Some(block);
    }
    let above = std::iter::successors(dominators.idom(block), |&block| dominators.idom(block));
    above.into_iter().find(|&block| func.blocks[block].insts.iter().any(|&other| is_of_party(func, other)))
}

/// Locations that not all threads waited for reach, with the message for each: one for each condition, at the first location that it keeps them from,
/// and for the most threads if that waits for several groups.
fn mistakes(func: &Function, shape: BlockShape) -> Vec<(SourceLoc, String)> {
    let uniformity = Uniformity::new(func, shape);
    let dominators = DomTree::new(uniformity.cfg());
    let mut found: Vec<(SourceLoc, Group, (SourceLoc, String))> = Vec::new();
    for &block in uniformity.blocks() {
        for &inst in &func.blocks[block].insts {
            let Some(group) = waits_for(func, inst) else { continue };
            let location = func.locations[inst];
            let known = found.iter().position(|(place, ..)| *place == location);
            if known.is_some_and(|index| found[index].1 as usize >= group as usize) {
                continue;
            }
            let mut known_branches = Vec::new();
            if is_of_party(func, inst) {
                let Some(before) = party_before(func, &dominators, (block, inst)) else { continue };
                known_branches = uniformity.parted_before(before, group);
            }
            let Some(branch) = fault(func, &uniformity, block, group, &known_branches) else { continue };
            let condition = func.terminator(branch).map_or(location, |inst| func.locations[inst]);
            let message = message(func, &uniformity, (block, inst), branch, group);
            let mistake = (location, group, (condition, message));
            match known {
                Some(index) => found[index] = mistake,
                None => found.push(mistake),
            }
        }
    }
    let mut told = BTreeSet::new();
    found.sort_by_key(|(location, ..)| *location);
    found.retain(|(_, _, (condition, _))| told.insert(*condition));
    found.into_iter().map(|(location, _, (_, message))| (location, message)).collect()
}

/// The branch to name: the last one before the block, if it comes after one. Those that are known do not count.
fn fault(
    func: &Function,
    uniformity: &Uniformity<'_>,
    block: Block,
    group: Group,
    known: &[Block],
) -> Option<Block> {
    let mut branches = uniformity.parted_before(block, group);
    branches.retain(|branch| !known.contains(branch));
    let position = |block| uniformity.cfg().position(block);
    let last = branches.iter().rfind(|&&branch| position(branch) < position(block)).or(branches.first())?;
    // A loop that makes its first test before it has the condition twice.
    let place = func.terminator(*last).map(|inst| func.locations[inst]);
    let same = |branch: &&Block| func.terminator(**branch).map(|inst| func.locations[inst]) == place;
    let mut tests = branches.iter().filter(same);
    Some(*tests.find(|&&branch| uniformity.leaves_loop_around(branch, block)).unwrap_or(last))
}

fn message(
    func: &Function,
    uniformity: &Uniformity<'_>,
    (block, inst): (Block, Inst),
    branch: Block,
    group: Group,
) -> String {
    let location = func.locations[inst];
    let place = |location: SourceLoc| format!("{}:{}", location.line, location.column);
    let in_blocks = uniformity.of_branch(branch).varies_in(Group::Block);
    let between = if in_blocks { "between threads" } else { "between blocks" };
    let (all, varies) = match group {
        Group::Block if is_of_party(func, inst) => ("all warps that read stages", "between them"),
        Group::Grid => ("all threads of the grid", between),
        Group::Cluster => ("all threads of the cluster", between),
        Group::Block => ("all threads of the block", "between threads"),
        Group::Warpgroup => ("the four warps of a group", "within groups of four warps"),
        Group::Warp => ("all 32 lanes of the warp", "within warps"),
    };
    let condition = place(func.terminator(branch).map_or(location, |inst| func.locations[inst]));
    let origin = uniformity.origin(branch, group);
    let racing = origin.and_then(|origin| origin.writer.map(|writer| (origin.inst, writer)));
    let origin = origin.map_or(String::new(), |origin| {
        let written =
            origin.writer.map(|writer| format!(" and written at {}", place(func.locations[writer])));
        format!(
            ", as it depends on {}, read at {}{}",
            origin.describe(func),
            place(origin.location(func)),
            written.unwrap_or_default()
        )
    });
    if let Some((load, _)) = racing {
        let help = match func.insts[load] {
            InstData::Load { space: Space::Shared, .. } => {
                "put a `barrier()` between the write and the read, and in a loop another between the read and the next write"
            }
            _ => {
                "read it in one thread, and hand it to the others in shared memory: `if thread_idx().x == 0 { first[0] = v[0]; } \
                 barrier(); let value = first[0];`"
            }
        };
        return format!(
            "expected {all} to come here together, found a condition at {condition} that varies {varies}{origin}\nhelp: {help}"
        );
    }
    let others = match group {
        Group::Warpgroup | Group::Block | Group::Cluster | Group::Grid => "",
        // Instructions of the whole warp take no mask.
        Group::Warp
            if matches!(func.insts[inst], InstData::Inline { .. } | InstData::NamedBarrier { .. }) =>
        {
            ""
        }
        Group::Warp => {
            ", or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`"
        }
    };
    if let Some(left) = early_return(func, uniformity, (block, location), branch) {
        let help = "help: let them stay: put what they must not do under the condition, and give a neutral value here";
        return format!(
            "expected {all} to come here together, but some have left by the `return` at {}: the condition at {condition} varies {varies}{origin}\n{help}{others}",
            place(left)
        );
    }
    if uniformity.leaves_loop_around(branch, block) {
        return format!(
            "expected {all} to come here together, but they leave the loop in different rounds: its condition at {condition} varies {varies}{origin}\nhelp: make as many rounds in every thread, and put what only some do under a condition{others}"
        );
    }
    format!(
        "expected {all} to come here together, found a condition at {condition} that varies {varies}{origin}\nhelp: move it out of the condition{others}"
    )
}

/// The `return` by which threads leave that the branch sends elsewhere, if one stands between the two in the text.
fn early_return(
    func: &Function,
    uniformity: &Uniformity<'_>,
    (block, location): (Block, SourceLoc),
    branch: Block,
) -> Option<SourceLoc> {
    let cfg = uniformity.cfg();
    let reachable = |starts: &[Block], without: &[Block]| {
        let mut seen: Vec<Block> = without.to_vec();
        let mut work = starts.to_vec();
        let mut reached = Vec::new();
        while let Some(next) = work.pop() {
            if !seen.contains(&next) {
                seen.push(next);
                reached.push(next);
                work.extend(cfg.successors(next));
            }
        }
        reached
    };
    let condition = func.locations[func.terminator(branch)?];
    let elsewhere = reachable(cfg.successors(branch), &[block, branch]);
    let onward = reachable(&[block], &[]);
    let returns = elsewhere.into_iter().filter(|left| !onward.contains(left));
    let places = returns.filter_map(|left| {
        let last = func.terminator(left)?;
        matches!(func.insts[last], InstData::Return).then_some(func.locations[last])
    });
    places.filter(|place| condition <= *place && *place < location).min()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::ir::parse_function;

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let mut func = parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        super::super::assert_valid("none yet", &func);
        refuse_divergence(&mut func);
        let mut out = format!("{:?}\n", func.shape);
        for remark in &func.remarks {
            let SourceLoc { line, column, .. } = remark.location;
            writeln!(out, "{line}:{column}: {}", remark.kind).expect("writing to a string");
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn a_barrier_under_a_condition() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x @0:2:9
                v1: i32 = param0
                v2: bool = icmp ult v0, v1
                branch v2, block1, block2 @0:3:4
            block1:
                barrier @0:4:9
                jump block2
            block2:
                barrier @0:5:5
                return
            }",
            expect![[r#"
                Any
                4:9: expected all threads of the block to come here together, found a condition at 3:4 that varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: move it out of the condition
            "#]],
        );
    }

    /// Threads that share work without waiting for each other come all the same; the marker of that is gone afterwards.
    #[test]
    fn markers_of_blocks() {
        let text = |cond: &str| {
            format!(
                "kernel k(param0 n: i32) {{
                inline0 \"\" out in memory collective of block
                block0:
                    v0: i32 = special tid.x @0:2:9
                    v1: i32 = param0
                    v2: i32 = const 64
                    v3: bool = icmp ult v0, v2
                    v4: bool = icmp ult v1, v2
                    branch {cond}, block1, block2 @0:3:4
                block1:
                    inline_effect inline0() @0:4:9
                    jump block2
                block2:
                    return
                }}"
            )
        };
        check(
            &text("v4"),
            expect![[r#"
            Any
        "#]],
        );
        check(
            &text("v3"),
            expect![[r#"
            Any
            4:9: expected all threads of the block to come here together, found a condition at 3:4 that varies between threads, as it depends on the warp, read at 2:9
            help: move it out of the condition
        "#]],
        );
        let mut func = parse_function(&text("v4")).unwrap();
        assert!(func.to_string().contains("collective of block"));
        refuse_divergence(&mut func);
        assert!(!func.to_string().contains("inline_effect"));
    }

    /// The first instruction of a party parts it from the others; behind it all of the party come.
    #[test]
    fn parties() {
        let text = |cond: &str| {
            format!(
                "kernel k(param0 n: i32) {{
                inline0 \"\" out in memory collective of party
                block0:
                    v0: i32 = special tid.x @0:2:9
                    v1: i32 = param0
                    v2: bool = icmp ult v0, v1
                    v3: bool = icmp eq v1, v1
                    branch v2, block1, block4 @0:3:4
                block1:
                    inline_effect inline0() @0:4:9
                    v4: i32 = const 64
                    v5: bool = icmp ult v0, v4
                    v6: bool = icmp ult v1, v4
                    branch {cond}, block2, block3 @0:5:9
                block2:
                    inline_effect inline0() @0:6:9
                    jump block3
                block3:
                    jump block4
                block4:
                    return
                }}"
            )
        };
        check(
            &text("v6"),
            expect![[r#"
            Any
        "#]],
        );
        check(
            &text("v5"),
            expect![[r#"
            Any
            6:9: expected all warps that read stages to come here together, found a condition at 5:9 that varies between them, as it depends on the warp, read at 2:9
            help: move it out of the condition
        "#]],
        );
        let mut func = parse_function(&text("v6")).unwrap();
        refuse_divergence(&mut func);
        assert!(!func.to_string().contains("inline_effect"));
    }

    #[test]
    fn threads_that_left() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x @0:2:9
                v1: i32 = param0
                v2: bool = icmp ult v0, v1
                branch v2, block2, block1 @0:3:4
            block1:
                return @0:4:9
            block2:
                barrier @0:5:5
                return @0:1:1
            }",
            expect![[r#"
                Any
                5:5: expected all threads of the block to come here together, but some have left by the `return` at 4:9: the condition at 3:4 varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: let them stay: put what they must not do under the condition, and give a neutral value here
            "#]],
        );
    }

    #[test]
    fn panics_and_uniform_conditions_are_no_matter() {
        check(
            "kernel k(param0 n: i32) {
            panic0 index
            block0:
                v0: i32 = special tid.x @0:2:9
                v1: i32 = param0
                v2: bool = icmp ult v0, v1
                branch v2, block2, block1
            block1:
                v7: i64 = zext v0
                panic panic0(v7, v7)
            block2:
                v3: i32 = const 0
                v4: bool = icmp eq v1, v3
                branch v4, block3, block4
            block3:
                barrier
                jump block4
            block4:
                jump block5(v3)
            block5(v5: i32):
                v6: bool = icmp ult v5, v1
                barrier
                v8: i32 = const 1
                v9: i32 = add v5, v8
                branch v6, block5(v9), block6
            block6:
                return
            }",
            expect![[r#"
                Any
            "#]],
        );
    }

    /// A barrier of the grid under a condition on a value.
    #[track_caller]
    fn grid(bounds: &str, value: &str, expect: Expect) {
        check(
            &format!(
                "kernel k(param0 n: i32, param1 x: i64 ptr align 4) {bounds} {{
                    shared0 s: 64 align 4
                block0:
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i32 = address shared0
                    v3: i32 = special ctaid.y @0:1:9
                    v4: i32 = special tid.x @0:1:19
                    {value} @0:2:9
                    v6: bool = icmp ult v5, v0
                    branch v6, block1, block2 @0:3:4
                block1:
                    barrier @0:4:9
                    jump block2
                block2:
                    branch v6, block3, block4 @0:3:5
                block3:
                    grid_barrier @0:5:9
                    jump block4
                block4:
                    return
                }}"
            ),
            expect,
        );
    }

    #[test]
    fn barriers_of_the_grid() {
        let bounds = "bounds(cooperative)";
        grid(
            "",
            "v5: i32 = param0",
            expect![[r#"
            Any
            5:9: expected a kernel whose blocks all run at once, as only those can wait for each other, found one without `cooperative`
            help: write `#[kernel(cooperative)]`
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = param0",
            expect![[r#"
            Any
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = special nctaid.x",
            expect![[r#"
            Any
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = load.global v1",
            expect![[r#"
            Any
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = load.shared v2",
            expect![[r#"
            Any
            5:9: expected all threads of the grid to come here together, found a condition at 3:5 that varies between blocks, as it depends on shared memory, of which each block has its own, read at 2:9
            help: move it out of the condition
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = special ctaid.x",
            expect![[r#"
            Any
            5:9: expected all threads of the grid to come here together, found a condition at 3:5 that varies between blocks, as it depends on `block_idx().x`, read at 2:9
            help: move it out of the condition
        "#]],
        );
        grid(
            bounds,
            "v5: i32 = add v3, v4",
            expect![[r#"
                Any
                4:9: expected all threads of the block to come here together, found a condition at 3:4 that varies between threads, as it depends on `thread_idx().x`, read at 1:19
                help: move it out of the condition
                5:9: expected all threads of the grid to come here together, found a condition at 3:5 that varies between threads, as it depends on `thread_idx().x`, read at 1:19
                help: move it out of the condition
            "#]],
        );
        grid(
            bounds,
            "v7: bool = const true v5: i32 = barrier.popc v7",
            expect![[r#"
            Any
            5:9: expected all threads of the grid to come here together, found a condition at 3:5 that varies between blocks, as it depends on what the threads of a block say together, read at 2:9
            help: move it out of the condition
        "#]],
        );
    }

    /// A barrier of clusters of 2 × 1 blocks under a condition on a value.
    #[track_caller]
    fn cluster(value: &str, expect: Expect) {
        check(
            &format!(
                "kernel k(param0 n: i32) bounds(cluster 2 1 1) {{
                    shared0 s: 64 align 4
                block0:
                    v0: i32 = param0
                    v2: i32 = address shared0
                    v3: i32 = special ctaid.x @0:1:9
                    v4: i32 = special tid.x @0:1:19
                    v7: i32 = const 2
                    v8: i32 = const 1
                    {value} @0:2:9
                    v6: bool = icmp ult v5, v0
                    branch v6, block1, block2 @0:3:4
                block1:
                    barrier @0:4:9
                    jump block2
                block2:
                    branch v6, block3, block4 @0:3:5
                block3:
                    cluster_barrier @0:5:9
                    jump block4
                block4:
                    return
                }}"
            ),
            expect,
        );
    }

    #[test]
    fn barriers_of_clusters() {
        // The cluster's own index, its size, and what is the same for all its blocks.
        for uniform in ["special clusterid.x", "special cluster_nctarank", "udiv v3, v7", "lshr v3, v8"] {
            cluster(
                &format!("v5: i32 = {uniform}"),
                expect![[r#"
                Any
            "#]],
            );
        }
        cluster(
            "v5: i32 = udiv v3, v8",
            expect![[r#"
            Any
            5:9: expected all threads of the cluster to come here together, found a condition at 3:5 that varies between blocks, as it depends on `block_idx().x`, read at 1:9
            help: move it out of the condition
        "#]],
        );
        cluster(
            "v5: i32 = special cluster_ctarank",
            expect![[r#"
            Any
            5:9: expected all threads of the cluster to come here together, found a condition at 3:5 that varies between blocks, as it depends on `cluster::block_rank()`, read at 2:9
            help: move it out of the condition
        "#]],
        );
        cluster(
            "v5: i32 = special cluster_ctaid.x",
            expect![[r#"
            Any
            5:9: expected all threads of the cluster to come here together, found a condition at 3:5 that varies between blocks, as it depends on `cluster::block_idx().x`, read at 2:9
            help: move it out of the condition
        "#]],
        );
        cluster(
            "v5: i32 = load.shared v2",
            expect![[r#"
            Any
            5:9: expected all threads of the cluster to come here together, found a condition at 3:5 that varies between blocks, as it depends on shared memory, of which each block has its own, read at 2:9
            help: move it out of the condition
        "#]],
        );
        cluster(
            "v5: i32 = add v4, v3",
            expect![[r#"
                Any
                4:9: expected all threads of the block to come here together, found a condition at 3:4 that varies between threads, as it depends on `thread_idx().x`, read at 1:19
                help: move it out of the condition
                5:9: expected all threads of the cluster to come here together, found a condition at 3:5 that varies between threads, as it depends on `thread_idx().x`, read at 1:19
                help: move it out of the condition
            "#]],
        );
    }

    #[test]
    fn loops_that_threads_leave_in_different_rounds() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x @0:2:9
                v1: i32 = param0
                v2: i32 = special ntid.x
                jump block1(v0)
            block1(v3: i32):
                v4: bool = icmp ult v3, v1
                branch v4, block2, block3 @0:3:4
            block2:
                barrier @0:4:9
                v5: i32 = add v3, v2
                jump block1(v5)
            block3:
                v6: bool = icmp ult v3, v2
                branch v6, block4, block5 @0:6:4
            block4:
                barrier @0:7:9
                jump block5
            block5:
                return
            }",
            expect![[r#"
                Any
                4:9: expected all threads of the block to come here together, but they leave the loop in different rounds: its condition at 3:4 varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: make as many rounds in every thread, and put what only some do under a condition
                7:9: expected all threads of the block to come here together, found a condition at 6:4 that varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: move it out of the condition
            "#]],
        );
    }

    /// A loop-invariant value computed in the loop does not depend on the iteration in which a thread left it.
    #[test]
    fn constants_in_loops_that_threads_leave_in_different_rounds() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x
                v1: i32 = param0
                v2: i32 = special ntid.x
                jump block1(v0)
            block1(v3: i32):
                v4: i32 = const 1
                v5: i32 = add v1, v4
                v6: i32 = add v3, v4
                v7: bool = icmp ult v6, v2
                branch v7, block1(v6), block2(v4)
            block2(v8: i32):
                barrier @0:7:9
                v9: i32 = add v8, v5
                v10: bool = icmp ult v9, v2
                branch v10, block2(v9), block5
            block5:
                return
            }",
            expect![[r#"
                Any
            "#]],
        );
    }

    /// A collective under a comparison of a register with a number.
    #[track_caller]
    fn first_lanes(bounds: &str, register: &str, bound: u32, expect: Expect) {
        check(
            &format!(
                "kernel k() {bounds} {{
                block0:
                    v0: i32 = special {register} @0:2:9
                    v1: i32 = const {bound}
                    v2: bool = icmp ult v0, v1
                    v3: i32 = const 0xffffffff
                    branch v2, block1, block2 @0:3:4
                block1:
                    warp_barrier v3 @0:4:9
                    jump block2
                block2:
                    return
                }}"
            ),
            expect,
        );
    }

    #[test]
    fn the_first_warp_of_a_block_whose_shape_is_known() {
        first_lanes(
            "bounds(block 64 1 1)",
            "tid.x",
            32,
            expect![[r#"
            Any
        "#]],
        );
    }

    #[test]
    fn the_first_warp_of_any_block() {
        first_lanes(
            "",
            "tid.x",
            32,
            expect![[r#"
            Line
        "#]],
        );
    }

    #[test]
    fn the_first_row() {
        first_lanes(
            "",
            "tid.y",
            1,
            expect![[r#"
            WholeWarps
        "#]],
        );
    }

    #[test]
    fn half_a_row() {
        first_lanes(
            "bounds(block 16 16 1)",
            "tid.y",
            1,
            expect![[r#"
            Any
            4:9: expected all 32 lanes of the warp to come here together, found a condition at 3:4 that varies within warps, as it depends on `thread_idx().y`, read at 2:9
            help: move it out of the condition, or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`
        "#]],
        );
    }

    #[test]
    fn less_than_a_warp() {
        first_lanes(
            "bounds(block 64 1 1)",
            "laneid",
            30,
            expect![[r#"
            Any
            4:9: expected all 32 lanes of the warp to come here together, found a condition at 3:4 that varies within warps, as it depends on the lane, read at 2:9
            help: move it out of the condition, or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`
        "#]],
        );
    }

    /// An instruction of four warps where a number made of the thread's is below one.
    #[track_caller]
    fn groups_below(bounds: &str, shift: u32, expect: Expect) {
        check(
            &format!(
                "kernel k() {bounds} {{
                inline0 \"mov.b32 %_op0, 1;\" out(i32) in collective of warpgroup
                block0:
                    v0: i32 = special tid.x @0:2:9
                    v1: i32 = const 5
                    v2: i32 = lshr v0, v1
                    v3: i32 = const {shift}
                    v4: i32 = lshr v2, v3
                    v5: i32 = const 1
                    v6: bool = icmp ult v4, v5
                    branch v6, block1, block2 @0:3:4
                block1:
                    v7: i32 = inline inline0 @0:4:9
                    jump block2
                block2:
                    return
                }}"
            ),
            expect,
        );
    }

    #[test]
    fn the_first_group_of_warps() {
        groups_below(
            "bounds(block 384 1 1)",
            2,
            expect![[r#"
            Any
        "#]],
        );
    }

    #[test]
    fn two_warps_of_a_group() {
        groups_below(
            "bounds(block 384 1 1)",
            1,
            expect![[r#"
            Any
            4:9: expected the four warps of a group to come here together, found a condition at 3:4 that varies within groups of four warps, as it depends on the warp, read at 2:9
            help: move it out of the condition
        "#]],
        );
    }

    /// A warp for each row of a matrix.
    #[test]
    fn warps_in_the_grid() {
        check(
            "kernel k(param0 rows: i32) {
            block0:
                v0: i32 = special ctaid.x
                v1: i32 = special ntid.x
                v2: i32 = mul nuw v0, v1
                v3: i32 = special tid.x @0:2:9
                v4: i32 = add nuw v2, v3
                v5: i64 = zext v4
                v6: i64 = const 32
                v7: i64 = udiv v5, v6
                v8: i32 = param0
                v9: i64 = zext v8
                v10: bool = icmp ult v7, v9
                branch v10, block1, block2 @0:3:5
            block1:
                v11: i32 = const 0xffffffff
                warp_barrier v11 @0:4:9
                jump block2
            block2:
                return
            }",
            expect![[r#"
                WholeWarps
            "#]],
        );
    }

    /// The sum of a butterfly is the same in all lanes.
    #[test]
    fn a_sum_over_the_warp() {
        check(
            "kernel k(param0 x: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i32 = special laneid @0:2:9
                v2: i64 = zext v1
                v3: i64 = const 2
                v4: i64 = shl v2, v3
                v5: i64 = add v0, v4
                v6: f32 = load.global v5
                v7: i32 = const 16
                v8: i32 = const 31
                v9: i32 = const 0xffffffff
                v10: f32 = shuffle.bfly v6, v7, v8, v9 @0:3:9
                v11: f32 = fadd v6, v10
                v12: i32 = const 8
                v13: f32 = shuffle.bfly v11, v12, v8, v9 @0:4:9
                v14: f32 = fadd v11, v13
                v15: i32 = const 4
                v16: f32 = shuffle.bfly v14, v15, v8, v9 @0:5:9
                v17: f32 = fadd v14, v16
                v18: i32 = const 2
                v19: f32 = shuffle.bfly v17, v18, v8, v9 @0:6:9
                v20: f32 = fadd v19, v17
                v21: bool = fcmp gt v20, v6
                v22: i32 = const 1
                v23: f32 = shuffle.bfly v20, v22, v8, v9 @0:6:9
                v24: f32 = fadd v20, v23
                v25: f32 = const 1.0
                v26: bool = fcmp gt v24, v25
                branch v26, block1, block2 @0:7:9
            block1:
                warp_barrier v9 @0:8:9
                branch v21, block3, block2 @0:9:9
            block3:
                warp_barrier v9 @0:10:9
                jump block2
            block2:
                return
            }",
            expect![[r#"
                Any
                10:9: expected all 32 lanes of the warp to come here together, found a condition at 9:9 that varies within warps, as it depends on the lane, read at 2:9
                help: move it out of the condition, or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`
            "#]],
        );
    }

    /// The counter of a loop that lanes leave in different iterations varies after it, and so does a value that depends on the
    /// path taken.
    #[test]
    fn what_comes_out_of_divergent_code() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special tid.x @0:2:9
                v1: i32 = param0
                v2: i32 = const 0
                v3: i32 = const 1
                jump block1(v2)
            block1(v4: i32):
                v5: i32 = add v4, v3
                v6: bool = icmp ult v5, v0
                branch v6, block1(v5), block2 @0:3:3
            block2:
                v7: bool = icmp ult v5, v1
                branch v7, block3, block4 @0:4:4
            block3:
                barrier @0:5:5
                jump block4
            block4:
                v8: bool = icmp eq v0, v1
                branch v8, block5, block6 @0:6:6
            block5:
                jump block7(v2)
            block6:
                jump block7(v3)
            block7(v9: i32):
                v10: bool = icmp eq v9, v1
                branch v10, block8, block9 @0:7:7
            block8:
                barrier @0:8:8
                jump block9
            block9:
                return
            }",
            expect![[r#"
                Any
                5:5: expected all threads of the block to come here together, found a condition at 4:4 that varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: move it out of the condition
                8:8: expected all threads of the block to come here together, found a condition at 7:7 that varies between threads, as it depends on `thread_idx().x`, read at 2:9
                help: move it out of the condition
            "#]],
        );
    }

    /// Both sides of a varying condition go straight to the header of a loop: the counter begins alike on both.
    #[test]
    fn sides_that_bring_the_same() {
        check(
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = special laneid @0:2:9
                v1: i32 = param0
                v2: i32 = const 0
                v3: i32 = const 1
                v4: bool = icmp ult v0, v3
                branch v4, block1, block2 @0:3:4
            block1:
                store.shared v2, v3
                jump block3(v2, v3)
            block2:
                jump block3(v2, v2)
            block3(v5: i32, v6: i32):
                barrier @0:5:5
                v7: i32 = add v5, v3
                v8: bool = icmp ult v7, v1
                branch v8, block3(v7, v6), block4 @0:6:6
            block4:
                v9: bool = icmp ult v6, v1
                branch v9, block5, block6 @0:7:7
            block5:
                barrier @0:8:8
                jump block6
            block6:
                return
            }",
            expect![[r#"
                Any
                8:8: expected all threads of the block to come here together, found a condition at 7:7 that varies between threads, as it depends on the lane, read at 2:9
                help: move it out of the condition
            "#]],
        );
    }

    /// The content of thread-private memory varies if the stored values did, or if only some threads stored.
    #[test]
    fn memory_of_the_thread() {
        for (value, expect) in [
            (
                "v1",
                expect![[r#"
                Any
            "#]],
            ),
            (
                "v0",
                expect![[r#"
                Any
                5:5: expected all threads of the block to come here together, found a condition at 4:4 that varies between threads, as it depends on the lane, read at 2:9
                help: move it out of the condition
            "#]],
            ),
        ] {
            check(
                &format!(
                    "kernel k(param0 n: i32) {{
                    local0 a: 16 align 4
                    block0:
                        v0: i32 = special laneid @0:2:9
                        v1: i32 = param0
                        v2: i64 = address local0
                        v3: i64 = zext v1
                        v4: i64 = add v2, v3
                        store.local v4, {value} @0:3:3
                        v5: i32 = load.local v4
                        v6: bool = icmp ult v5, v1
                        branch v6, block1, block2 @0:4:4
                    block1:
                        barrier @0:5:5
                        jump block2
                    block2:
                        return
                    }}"
                ),
                expect,
            );
        }
    }

    /// A barrier under a condition on what a load reads, in a loop with barriers here and there.
    #[track_caller]
    fn flag_in_a_loop(before: &str, between: &str, after: &str, expect: Expect) {
        check(
            &format!(
                "kernel k(param0 x: i64 ptr align 4, param1 y: i64 ptr align 4) bounds(cooperative) {{
                shared0 s: 64 align 4
                shared1 t: 64 align 4
                block0:
                    v0: i32 = special tid.x @0:1:1
                    v1: i32 = address shared0
                    v2: i32 = address shared1
                    v3: i64 = param0
                    v4: i64 = param1
                    v5: i32 = const 0
                    v6: bool = icmp eq v0, v5
                    jump block1
                block1:
                    {before}
                    branch v6, block2, block3 @0:2:2
                block2:
                    store.shared v1, v0 @0:3:3
                    store.global v3, v0 @0:3:4
                    jump block3
                block3:
                    {between}
                    {after}
                    branch v8, block1, block4 @0:6:6
                block4:
                    return
                }}"
            ),
            expect,
        );
    }

    const SHARED: &str = "v7: i32 = load.shared v1 @0:4:4 v8: bool = icmp eq v7, v5";
    const OTHER: &str = "v7: i32 = load.shared v2 @0:4:4 v8: bool = icmp eq v7, v5";
    const BESIDE: &str = "v7: i32 = load.shared v1 + 4 @0:4:4 v8: bool = icmp eq v7, v5";
    const GLOBAL: &str = "v7: i32 = load.global v3 @0:4:4 v8: bool = icmp eq v7, v5";

    /// One barrier is not enough: a thread that is ahead writes the flag of the next iteration while others read the current one.
    #[test]
    fn a_flag_that_is_written_again_while_others_read_it() {
        flag_in_a_loop(
            "",
            "barrier @0:5:5",
            SHARED,
            expect![[r#"
            Any
            5:5: expected all threads of the block to come here together, found a condition at 6:6 that varies between threads, as it depends on shared memory that another thread may write meanwhile, read at 4:4 and written at 3:3
            help: put a `barrier()` between the write and the read, and in a loop another between the read and the next write
        "#]],
        );
    }

    #[test]
    fn a_flag_between_two_barriers() {
        flag_in_a_loop(
            "",
            "barrier @0:5:5",
            &format!("{SHARED} barrier @0:5:6"),
            expect![[r#"
            Any
        "#]],
        );
        flag_in_a_loop(
            "barrier @0:5:4",
            "barrier @0:5:5",
            SHARED,
            expect![[r#"
            Any
        "#]],
        );
        // No thread writes another variable, or another location of the same.
        flag_in_a_loop(
            "",
            "barrier @0:5:5",
            OTHER,
            expect![[r#"
            Any
        "#]],
        );
        flag_in_a_loop(
            "",
            "barrier @0:5:5",
            BESIDE,
            expect![[r#"
            Any
        "#]],
        );
    }

    /// Other blocks are not kept out by barriers of this one.
    #[test]
    fn a_flag_of_all_blocks() {
        flag_in_a_loop(
            "barrier @0:5:4",
            "barrier @0:5:5",
            GLOBAL,
            expect![[r#"
                Any
                5:4: expected all threads of the block to come here together, found a condition at 6:6 that varies between threads, as it depends on memory that another thread may write meanwhile, read at 4:4 and written at 3:4
                help: read it in one thread, and hand it to the others in shared memory: `if thread_idx().x == 0 { first[0] = v[0]; } barrier(); let value = first[0];`
            "#]],
        );
        flag_in_a_loop(
            "grid_barrier @0:5:4",
            "grid_barrier @0:5:5",
            GLOBAL,
            expect![[r#"
            Any
        "#]],
        );
    }
}
