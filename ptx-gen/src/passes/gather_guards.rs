//! Coalescing of guards: of `if i + k < n { y[i + k] = …; }` for each `k` below 4 the last is asked first.
//!
//! A chain of branches that each go around an access gets a test before it, that all of them hold. Where they do, a copy of the chain runs in which
//! the [ranges](crate::analysis::Ranges) prove them: its loads start together, and neighbours become wide accesses. Where not, as at the end of a
//! buffer, the chain itself runs.

use std::collections::HashSet;

use super::checks::panics;
use super::gather_checks::{Group, Versioned, is_plain, version_chains};
use super::simplify_cfg::simplify_cfg;
use crate::analysis::{Cfg, Ranges};
use crate::ir::{Block, BlockCall, Function, Inst, InstData, Space, Value};

/// Guards that one test is worth.
const FEWEST: usize = 3;
/// Instructions of a chain: it comes twice.
const MOST_INSTS: usize = 200;
/// Instructions in front of the first guard that are copied with the chain.
const MOST_BEFORE: usize = 16;

/// See the head of this file.
pub fn gather_guards(func: &mut Function) {
    let chains = chains(func);
    if version_chains(func, chains) {
        simplify_cfg(func);
    }
}

/// A branch around a block with accesses, which goes on where the branch does.
#[derive(Clone)]
struct Guard {
    block: Block,
    cond: Value,
    /// The condition of the accesses.
    truth: bool,
    /// The block with the accesses.
    inside: Block,
    /// The block behind them.
    join: Block,
}

impl Guard {
    fn of(func: &Function, cfg: &Cfg, block: Block) -> Option<Guard> {
        let inst = func.terminator(block)?;
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[inst] else { return None };
        [(true, if_true, if_false), (false, if_false, if_true)].into_iter().find_map(
            |(truth, inner, outer)| {
                let (inner_block, join) = (inner.block, outer.block);
                let is_around = inner_block != join
                    && matches!(cfg.predecessors(inner_block), [_])
                    && matches!(cfg.successors(inner_block), [next] if *next == join)
                    && is_plain(func, inner_block)
                    && !panics(func, join)
                    && func.blocks[inner_block].insts.iter().any(|&inst| is_access(func, inst));
                is_around.then_some(Guard { block, cond: *cond, truth, inside: inner_block, join })
            },
        )
    }
}

/// Guards one after the other, with nothing but accesses and arithmetic between them.
struct Chain {
    guards: Vec<Guard>,
    /// The blocks behind the first branch and before the last join.
    rest: Vec<Block>,
}

/// The chains of a function, none of which has a guard of another.
fn chains(func: &Function) -> Vec<Chain> {
    let cfg = Cfg::new(func);
    let mut seen = HashSet::new();
    let mut chain_from = |&start: &Block| {
        if !cfg.is_reachable(start) || seen.contains(&start) {
            return None;
        }
        let mut guards = vec![Guard::of(func, &cfg, start)?];
        let mut rest = Vec::new();
        while let Some(last) = guards.last() {
            let join = last.join;
            rest.push(last.inside);
            // Others may come to the last block alone.
            let is_own = cfg.predecessors(join).len() == 2 && is_plain(func, join) && !seen.contains(&join);
            let Some(next) = Guard::of(func, &cfg, join).filter(|_| is_own) else { break };
            rest.push(join);
            guards.push(next);
        }
        seen.extend(guards.iter().map(|guard| guard.block));
        let count: usize = rest.iter().map(|&block| func.blocks[block].insts.len()).sum();
        (guards.len() >= FEWEST && count <= MOST_INSTS).then_some(Chain { guards, rest })
    };
    func.layout.iter().filter_map(&mut chain_from).collect()
}

impl Versioned for Chain {
    // The conditions of what follows the chain are to be asked again there.
    const MERGES_VALUES: bool = false;

    fn first(&self) -> Block {
        self.guards[0].block
    }

    fn rest(&self) -> &[Block] {
        &self.rest
    }

    /// The slices and indices of the guards; none if one of them compares something else.
    fn groups(&self, func: &Function) -> Option<Vec<Group>> {
        let mut groups = Vec::new();
        for (number, guard) in self.guards.iter().enumerate() {
            Group::add(&mut groups, func, number, (guard.cond, guard.truth))?;
        }
        Some(groups)
    }

    /// The first branch moves, with the accesses before it that need no guard.
    fn split(&self, func: &mut Function, start: Block) {
        let unguarded = first_access(func, self.first());
        func.blocks[start].insts = func.blocks[self.first()].insts.split_off(unguarded);
    }

    fn proved(
        &self,
        ranges: &Ranges<'_>,
        func: &Function,
        _: &[Group],
        copied: &dyn Fn(Block) -> Block,
    ) -> Option<Vec<(Inst, BlockCall)>> {
        let mut decided = Vec::new();
        for guard in &self.guards {
            let block = copied(guard.block);
            let inst = func.terminator(block)?;
            match &func.insts[inst] {
                InstData::Branch { cond, if_true, if_false, .. } => {
                    if !ranges.proves_that(*cond, guard.truth, block) {
                        return None;
                    }
                    decided.push((inst, if guard.truth { if_true.clone() } else { if_false.clone() }));
                }
                InstData::Jump { .. } => {}
                _ => return None,
            }
        }
        Some(decided)
    }
}

/// The position of the first access of those that a block ends with, beside arithmetic; that of its branch if there is none.
fn first_access(func: &Function, block: Block) -> usize {
    let insts = &func.blocks[block].insts;
    let last = insts.len() - 1;
    let behind = insts.len().saturating_sub(MOST_BEFORE);
    let is_movable = |&inst: &Inst| {
        let data = &func.insts[inst];
        data.is_pure() || matches!(data, InstData::Load { .. } | InstData::Store { .. })
    };
    let plain = insts[..last].iter().rposition(|inst| !is_movable(inst)).map_or(0, |at| at + 1);
    let from = plain.max(behind);
    insts[from..last].iter().position(|&inst| is_access(func, inst)).map_or(last, |at| from + at)
}

fn is_access(func: &Function, inst: Inst) -> bool {
    matches!(
        func.insts[inst],
        InstData::Load { space: Space::Global, .. } | InstData::Store { space: Space::Global, .. }
    )
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `y[i] = a; if i + k < n { y[i + k] = a; }` for each `k` from 1 to 3, with the lengths and what is between.
    fn tail(lengths: [&str; 3], between: &str) -> String {
        let mut text = "kernel k(param0 y: i64 ptr align 4, param1 n: i32, param2 i: i32, param3 a: f32, param4 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: f32 = param3
                v4: i32 = param4
                v5: i64 = zext v2
                v6: i64 = zext v1
                v7: i64 = zext v4
                v8: i64 = const 4
                v9: i64 = mul nuw v5, v8
                v10: i64 = add nuw v0, v9
                v11: bool = icmp ult v5, v6
                branch v11, block1, block9
            block1:
                store.global v10, v3
"
        .to_owned();
        for (k, length) in (1..4).zip(lengths) {
            let (v, block, next) = (10 * k + 10, 2 * k, 2 * k + 1);
            text += &format!(
                "v{v}: i64 = const {k}
                v{}: i64 = add nuw v5, v{v}
                v{}: bool = icmp ult v{}, {length}
                branch v{}, block{block}, block{next}
            block{block}:
                store.global v10 + {}, v3
                jump block{next}
            block{next}:
                {between}
",
                v + 1,
                v + 2,
                v + 1,
                v + 2,
                4 * k,
            );
        }
        text + "jump block9
            block9:
                return
            }"
    }

    #[test]
    fn neighbours_at_the_end_of_a_slice() {
        check(
            gather_guards,
            &tail(["v6"; 3], ""),
            expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 n: i32, param2 i: i32, param3 a: f32, param4 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: f32 = param3
                v4: i32 = param4
                v5: i64 = zext v2
                v6: i64 = zext v1
                v7: i64 = zext v4
                v8: i64 = const 4
                v9: i64 = mul nuw v5, v8
                v10: i64 = add nuw v0, v9
                v11: bool = icmp ult v5, v6
                branch v11, block1, block9
            block1:
                v43: i64 = const 3
                v44: i64 = add v5, v43
                v45: bool = icmp ult v44, v6
                branch v45, block11, block10
            block11:
                store.global v10, v3
                v46: i64 = const 1
                v47: i64 = add nuw v5, v46
                v48: bool = icmp ult v47, v6
                store.global v10 + 4, v3
                v49: i64 = const 2
                v50: i64 = add nuw v5, v49
                v51: bool = icmp ult v50, v6
                store.global v10 + 8, v3
                v52: i64 = const 3
                v53: i64 = add nuw v5, v52
                v54: bool = icmp ult v53, v6
                store.global v10 + 12, v3
                jump block9
            block10:
                store.global v10, v3
                v20: i64 = const 1
                v21: i64 = add nuw v5, v20
                v22: bool = icmp ult v21, v6
                branch v22, block2, block3
            block2:
                store.global v10 + 4, v3
                jump block3
            block3:
                v30: i64 = const 2
                v31: i64 = add nuw v5, v30
                v32: bool = icmp ult v31, v6
                branch v32, block4, block5
            block4:
                store.global v10 + 8, v3
                jump block5
            block5:
                v40: i64 = const 3
                v41: i64 = add nuw v5, v40
                v42: bool = icmp ult v41, v6
                branch v42, block6, block9
            block6:
                store.global v10 + 12, v3
                jump block9
            block9:
                return
            }
        "#]],
        );
    }

    #[test]
    fn guards_of_two_lengths() {
        check(
            gather_guards,
            &tail(["v6", "v7", "v6"], ""),
            expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 n: i32, param2 i: i32, param3 a: f32, param4 m: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: f32 = param3
                v4: i32 = param4
                v5: i64 = zext v2
                v6: i64 = zext v1
                v7: i64 = zext v4
                v8: i64 = const 4
                v9: i64 = mul nuw v5, v8
                v10: i64 = add nuw v0, v9
                v11: bool = icmp ult v5, v6
                branch v11, block1, block9
            block1:
                v43: i64 = const 3
                v44: i64 = add v5, v43
                v45: bool = icmp ult v44, v6
                v46: i64 = const 2
                v47: i64 = add v5, v46
                v48: bool = icmp ult v47, v7
                v58: bool = and v45, v48
                branch v58, block11, block10
            block11:
                store.global v10, v3
                v49: i64 = const 1
                v50: i64 = add nuw v5, v49
                v51: bool = icmp ult v50, v6
                store.global v10 + 4, v3
                v52: i64 = const 2
                v53: i64 = add nuw v5, v52
                v54: bool = icmp ult v53, v7
                store.global v10 + 8, v3
                v55: i64 = const 3
                v56: i64 = add nuw v5, v55
                v57: bool = icmp ult v56, v6
                store.global v10 + 12, v3
                jump block9
            block10:
                store.global v10, v3
                v20: i64 = const 1
                v21: i64 = add nuw v5, v20
                v22: bool = icmp ult v21, v6
                branch v22, block2, block3
            block2:
                store.global v10 + 4, v3
                jump block3
            block3:
                v30: i64 = const 2
                v31: i64 = add nuw v5, v30
                v32: bool = icmp ult v31, v7
                branch v32, block4, block5
            block4:
                store.global v10 + 8, v3
                jump block5
            block5:
                v40: i64 = const 3
                v41: i64 = add nuw v5, v40
                v42: bool = icmp ult v41, v6
                branch v42, block6, block9
            block6:
                store.global v10 + 12, v3
                jump block9
            block9:
                return
            }
        "#]],
        );
    }

    #[test]
    fn threads_that_meet_between() {
        check_stays(gather_guards, &tail(["v6"; 3], "barrier"));
    }
}
