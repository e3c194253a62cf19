//! Records the state of a function after optimisation, by source location: loops, branches, checks, multiply-adds,
//! indices of 64 bits, local memory. Changes nothing else.
//!
//! The passes record their transformations; here their remarks are checked against the code left. Dead code is no part of
//! a report, and a check is proved only where every copy of it is.

mod indices;

use std::collections::{HashMap, HashSet};

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, Function, Inst, InstData, LocalVar, PanicKind, PanicSiteData, RemarkKind, SourceLoc};

/// See the head of this file.
pub fn describe(func: &mut Function) {
    let mut found: Vec<(SourceLoc, RemarkKind)> = Vec::new();
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    // Blocks that panic, and for each check how many branches go there.
    let mut left: Vec<(SourceLoc, PanicKind)> = Vec::new();
    let mut branches: HashMap<(SourceLoc, PanicKind), usize> = HashMap::new();
    let mut conditions = Vec::new();
    let mut of_loops: HashSet<SourceLoc> =
        (0..loops.loops().len()).map(|index| loops.location(func, index)).collect();
    for &block in cfg.order() {
        let Some(inst) = func.terminator(block) else { continue };
        if let InstData::Panic { site, .. } = func.insts[inst] {
            let PanicSiteData { kind: check, location, .. } = func.panics[site];
            left.push((location, check));
            *branches.entry((location, check)).or_default() += cfg.predecessors(block).len();
        } else if let InstData::Branch { .. } = func.insts[inst] {
            match whose(func, &loops, block) {
                Whose::Check => {}
                Whose::Loop => {
                    of_loops.insert(func.locations[inst]);
                }
                Whose::Condition => conditions.push(func.locations[inst]),
            }
        }
    }
    // A loop also has tests before it: whether it runs at all, and which form of it.
    conditions.retain(|location| !of_loops.contains(location));
    found.extend(conditions.into_iter().map(|location| (location, RemarkKind::KeptBranch)));
    found.extend(kept_loops(func, &loops));
    found.extend(
        indices::wide_indices(func, &cfg).into_iter().map(|location| (location, RemarkKind::Index64)),
    );
    found.extend(local_memory(func));
    let mut fused: HashMap<SourceLoc, u32> = HashMap::new();
    for inst in all(func).filter(|&inst| matches!(func.insts[inst], InstData::Fma { .. })) {
        *fused.entry(func.locations[inst]).or_default() += 1;
    }
    // Loop versioning has told the checks that are left in the loops that run where its tests fail.
    let mut in_front: HashMap<(SourceLoc, PanicKind), usize> = HashMap::new();
    func.remarks.retain(|remark| match remark.kind {
        RemarkKind::CheckProved { check } => !branches.contains_key(&(remark.location, check)),
        RemarkKind::CheckLeft { check, .. } => {
            *in_front.entry((remark.location, check)).or_default() += 1;
            false
        }
        // No more than are left.
        RemarkKind::Contracted => match fused.get_mut(&remark.location) {
            Some(left @ 1..) => {
                *left -= 1;
                true
            }
            Some(0) | None => false,
        },
        _ => true,
    });
    let checks = left.into_iter().map(|place @ (location, check)| {
        let in_front = in_front.get(&place).is_some_and(|told| branches.get(&place) <= Some(told));
        (location, RemarkKind::CheckLeft { check, in_front })
    });
    checks.chain(found).for_each(|(location, kind)| func.remark(location, kind));
}

/// The instructions that run.
fn all(func: &Function) -> impl Iterator<Item = Inst> {
    func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().copied())
}

/// Construct of the source that a branch belongs to.
enum Whose {
    /// One side panics.
    Check,
    /// It decides between another iteration of a loop and its end.
    Loop,
    /// A condition of the source.
    Condition,
}

/// Classifies the branch at the end of a block.
fn whose(func: &Function, loops: &Loops, block: Block) -> Whose {
    let panics = |next: Block| {
        func.terminator(next).is_some_and(|inst| matches!(func.insts[inst], InstData::Panic { .. }))
    };
    if func.successors(block).any(panics) {
        return Whose::Check;
    }
    let Some(index) = loops.innermost(block) else { return Whose::Condition };
    let around = &loops.loops()[index];
    let leaves = func.successors(block).filter(|&next| !loops.contains(index, next)).count() == 1;
    if leaves && (block == around.header || around.latches.contains(&block)) {
        Whose::Loop
    } else {
        Whose::Condition
    }
}

/// Loops without a remark of a transformation.
fn kept_loops(func: &Function, loops: &Loops) -> Vec<(SourceLoc, RemarkKind)> {
    let is_other = |kind: &RemarkKind| {
        matches!(
            kind,
            RemarkKind::UnrolledBy { .. } | RemarkKind::LoadsAhead { .. } | RemarkKind::Coarsened { .. }
        )
    };
    let changed: HashSet<SourceLoc> =
        func.remarks.iter().filter(|remark| is_other(&remark.kind)).map(|remark| remark.location).collect();
    let locations = (0..loops.loops().len()).map(|index| loops.location(func, index));
    let kept = locations.filter(|location| !changed.contains(location));
    kept.map(|location| (location, RemarkKind::KeptLoop)).collect()
}

/// The local variables that are left: where their address was first taken they were declared.
fn local_memory(func: &Function) -> Vec<(SourceLoc, RemarkKind)> {
    let mut seen: HashSet<LocalVar> = HashSet::new();
    let mut found = Vec::new();
    for inst in all(func) {
        if let InstData::LocalAddress { var } = func.insts[inst]
            && seen.insert(var)
        {
            found.push((func.locations[inst], RemarkKind::LocalMemory { bytes: func.locals[var].bytes }));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::passes::assert_valid;

    /// The remarks on a function: after the whole pipeline up to here.
    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        assert_valid("none yet", &func);
        for (name, pass) in crate::passes::PIPELINE {
            pass(&mut func);
            if *name == "describe" {
                break;
            }
        }
        let lines = func.remarks.iter().map(|remark| {
            let SourceLoc { line, column, .. } = remark.location;
            format!("{line}:{column} {}\n", remark.kind)
        });
        expect.assert_eq(&lines.collect::<String>());
    }

    /// `for j in start..end { sum += x[index] }`: a test in front of the loop stands for the check of its counter; that of an index from
    /// memory stays.
    #[test]
    fn checks_in_front_of_their_loop() {
        let text = |index: &str| {
            format!(
                "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 ends: i64 ptr align 4) {{
                    panic0 index @0:5:9
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i64 = param2
                    v4: i32 = load.global v3
                    v5: i32 = load.global v3 + 4
                    v6: i64 = zext v4
                    v7: i64 = zext v5
                    v8: i32 = const 0
                    v9: i64 = const 1
                    v10: i64 = const 4
                    jump block1(v6, v8)
                block1(v11: i64, v12: i32):
                    v13: bool = icmp ult v11, v7
                    branch v13, block2, block5 @0:4:5
                block2:
                    v21: i32 = load.global v3 + 8
                    v14: i64 = {index}
                    v15: bool = icmp ult v14, v2
                    branch v15, block3, block4 @0:5:9
                block3:
                    v16: i64 = mul nuw v14, v10
                    v17: i64 = add nuw v0, v16
                    v18: i32 = load.global v17
                    v19: i32 = add v12, v18
                    store.global v3 + 8, v19
                    v20: i64 = add nuw v11, v9
                    jump block1(v20, v19)
                block4:
                    panic panic0(v14, v2)
                block5:
                    store.global v3, v12
                    return
                }}"
            )
        };
        check(
            &text("add v11, v9"),
            expect![[r#"
            4:5 loop unrolled by 4
            5:9 index in bounds: tested in front of the loop, in it only where that fails
        "#]],
        );
        check(
            &text("zext v21"),
            expect![[r#"
            5:9 index in bounds: checked at run time
            4:5 loop kept
        "#]],
        );
    }

    /// Dead code says nothing: neither its check nor its branch.
    #[test]
    fn code_that_never_runs() {
        check(
            "kernel k(param0 n: i32) {
                panic0 index @0:5:1
            block0:
                v0: bool = const false
                v1: i32 = param0
                v2: i32 = const 3
                v3: i64 = zext v1
                branch v0, block1, block9 @0:1:1
            block1:
                v4: bool = icmp ult v1, v2 @0:5:1
                branch v4, block2, block3 @0:5:1
            block3:
                panic panic0(v3, v3) @0:5:1
            block2:
                store.shared v1, v1 @0:6:1
                jump block9
            block9:
                return
            }",
            expect![[""]],
        );
    }

    /// The guard is a branch, the check under it proved, the other one left.
    #[test]
    fn proved_and_left() {
        check(
            "kernel k(param0 n: i32, param1 m: i32) {
                panic0 index @0:3:9
                panic1 index @0:4:9
            block0:
                v0: i32 = special tid.x
                v5: i64 = zext v0
                v6: i32 = param0
                v7: i64 = zext v6
                v8: bool = icmp ult v5, v7
                branch v8, block1, block9 @0:2:8
            block1:
                v9: i32 = param0
                v10: i64 = zext v9
                v11: bool = icmp ult v5, v10
                branch v11, block2, block3 @0:3:9
            block3:
                panic panic0(v5, v10) @0:3:9
            block2:
                v12: i32 = param1
                v13: i64 = zext v12
                v14: bool = icmp ult v5, v13
                branch v14, block4, block5 @0:4:9
            block5:
                panic panic1(v5, v13) @0:4:9
            block4:
                store.shared v0, v0
                jump block9
            block9:
                return
            }",
            expect![[r#"
                3:9 index in bounds: proved, no check
                4:9 index in bounds: checked at run time
                2:8 branch kept
            "#]],
        );
    }

    #[test]
    fn loops_and_sides() {
        check(
            "kernel k(param0 n: i32, param1 p: i64 ptr align 4) {
            block0:
                v0: i32 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                v3: i64 = param1
                jump block1(v1, v1) @0:2:1
            block1(v4: i32, v5: i32):
                v6: bool = icmp ult v4, v0
                branch v6, block2, block9 @0:2:1
            block2:
                v7: i32 = load.global v3
                v8: bool = icmp ult v7, v0
                branch v8, block3, block4(v5) @0:3:4
            block3:
                v9: i32 = add v5, v7
                jump block4(v9)
            block4(v10: i32):
                v11: bool = icmp eq v10, v0
                branch v11, block5, block6 @0:4:4
            block5:
                store.global v3, v10
                jump block6
            block6:
                v12: i32 = add v4, v2
                jump block1(v12, v10) @0:2:1
            block9:
                store.global v3 + 4, v5
                return
            }",
            expect![[r#"
                3:4 no branch: values selected or predicated
                2:1 loop unrolled by 4
                4:4 branch kept
                4:4 branch kept
                4:4 branch kept
                4:4 branch kept
                4:4 branch kept
            "#]],
        );
    }

    /// An index read from memory may be anything; one of 32 bits is none of 64.
    #[test]
    fn wide_indices() {
        check(
            "kernel k(param0 p: i64 ptr align 8, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = load.global v0 @0:2:1
                v2: i64 = const 3
                v3: i64 = shl v1, v2
                v4: i64 = add v0, v3
                v5: i64 = load.global v4 @0:3:1
                v6: i32 = special tid.x
                v7: i64 = zext v6
                v8: i64 = shl v7, v2
                v9: i64 = add v0, v8
                store.global v9 + 8, v5 @0:4:1
                return
            }",
            expect![[r#"
                3:1 index of 64 bits
            "#]],
        );
    }
}
