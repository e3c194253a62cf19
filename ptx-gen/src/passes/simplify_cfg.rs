//! Simplifies the control-flow graph: branches that are decided become jumps, blocks that cannot be reached go, jumps over
//! empty blocks go straight on, blocks that follow each other become one, parameters that are always the same value
//! become that value.

use super::checks::remark_proved;
use super::renames::Renames;
use crate::ir::{Block, BlockCall, BlockData, EntityMap, Function, InstData, SourceLoc, Value};

/// See the head of this file.
pub fn simplify_cfg(func: &mut Function) {
    loop {
        let decided = decide_branches(func);
        let reached = remove_unreachable(func);
        // Only of code that runs.
        for &(_, not_taken) in decided.iter().filter(|(block, _)| reached[*block]) {
            remark_proved(func, not_taken);
        }
        let mut changed = !decided.is_empty();
        changed |= thread_jumps(func);
        changed |= drop_same_params(func);
        changed |= merge_blocks(func);
        if !changed {
            return;
        }
    }
}

/// Makes jumps of branches on constants, and of branches whose sides are the same. Returns their blocks, and where they do
/// not go.
fn decide_branches(func: &mut Function) -> Vec<(Block, Block)> {
    let mut decided = Vec::new();
    for index in 0..func.layout.len() {
        let Some(terminator) = func.terminator(func.layout[index]) else { continue };
        let InstData::Branch { cond, if_true, if_false, .. } = &func.insts[terminator] else { continue };
        let (target, other) = match func.constant(*cond) {
            Some(0) => (if_false, if_true),
            Some(_) => (if_true, if_false),
            None if if_true == if_false => (if_true, if_true),
            None => continue,
        };
        decided.push((func.layout[index], other.block));
        func.insts[terminator] = InstData::Jump { target: target.clone() };
    }
    decided
}

/// Takes blocks that no path from the entry reaches out of the layout. Returns which are reached.
pub(super) fn remove_unreachable(func: &mut Function) -> EntityMap<Block, bool> {
    let mut reached = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    let mut work = vec![func.entry()];
    reached[func.entry()] = true;
    while let Some(block) = work.pop() {
        for next in func.successors(block) {
            if !std::mem::replace(&mut reached[next], true) {
                work.push(next);
            }
        }
    }
    func.layout.retain(|&block| reached[block]);
    reached
}

/// Number of edges into each block.
pub(super) fn count_edges(func: &Function) -> EntityMap<Block, u32> {
    let mut count = EntityMap::filled(func.blocks.len(), 0);
    for &block in &func.layout {
        func.successors(block).for_each(|next| count[next] += 1);
    }
    count
}

/// Redirects jumps to blocks that only jump on.
///
/// An edge of a branch keeps a separate block where arguments are passed: there the copies for them will stand.
fn thread_jumps(func: &mut Function) -> bool {
    // Jump of each empty block; only blocks whose parameters have no other uses.
    let mut onward: EntityMap<Block, Option<BlockCall>> = EntityMap::filled(func.blocks.len(), None);
    let mut any = false;
    for &block in &func.layout {
        if let [only] = func.blocks[block].insts[..]
            && let InstData::Jump { target } = &func.insts[only]
            && target.block != block
        {
            onward[block] = Some(target.clone());
            any = true;
        }
    }
    if !any {
        return false;
    }
    forget_blocks_with_visible_params(func, &mut onward);
    let mut changed = false;
    let mut hints = Vec::new();
    for index in 0..func.layout.len() {
        let Some(terminator) = func.terminator(func.layout[index]) else { continue };
        let mut data = std::mem::replace(&mut func.insts[terminator], InstData::Return);
        let is_jump = matches!(data, InstData::Jump { .. });
        for call in data.successors_mut() {
            // As many steps as there are blocks: empty blocks may go in circles.
            for _ in 0..func.layout.len() {
                let Some(next) = &onward[call.block] else { break };
                if !(is_jump || next.args.is_empty()) {
                    break;
                }
                let params = &func.blocks[call.block].params;
                let argument = |value: Value| match params.iter().position(|&param| param == value) {
                    Some(position) => call.args[position],
                    None => value,
                };
                hints.push((call.block, next.block));
                *call = BlockCall {
                    block: next.block,
                    args: next.args.iter().map(|&arg| argument(arg)).collect(),
                };
                changed = true;
            }
        }
        func.insts[terminator] = data;
    }
    // A header that is jumped over passes its hint and location to the next block, which is the header now.
    for (over, next) in hints {
        let BlockData { source, hint, asked, .. } = func.blocks[over];
        let next = &mut func.blocks[next];
        if next.hint.is_none() {
            (next.hint, next.asked) = (hint, asked);
        }
        if next.source.line == 0 {
            next.source = source;
        }
    }
    // In a circle of empty blocks the jumps only chase each other.
    changed && {
        let before = func.layout.len();
        remove_unreachable(func);
        func.layout.len() < before
    }
}

/// Forgets empty blocks with a parameter that is used outside their own jump.
fn forget_blocks_with_visible_params(func: &Function, onward: &mut EntityMap<Block, Option<BlockCall>>) {
    let candidates =
        func.layout.iter().filter(|&&b| onward[b].is_some() && !func.blocks[b].params.is_empty());
    let mut owner: EntityMap<Value, Option<Block>> = EntityMap::new();
    for &block in candidates {
        if owner.is_empty() {
            owner = EntityMap::filled(func.values.len(), None);
        }
        func.blocks[block].params.iter().for_each(|&param| owner[param] = Some(block));
    }
    if owner.is_empty() {
        return;
    }
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].visit_args(|value| {
                if let Some(home) = owner[value]
                    && home != block
                {
                    onward[home] = None;
                }
            });
        }
    }
}

/// Value of a parameter over all edges.
#[derive(Clone, Copy)]
enum Incoming {
    Nothing,
    Same(Value),
    Different,
}

/// Replaces parameters that have the same value on every edge.
fn drop_same_params(func: &mut Function) -> bool {
    let mut incoming: EntityMap<Value, Incoming> = EntityMap::filled(func.values.len(), Incoming::Nothing);
    for &block in &func.layout {
        let Some(terminator) = func.terminator(block) else { continue };
        for call in func.insts[terminator].successors() {
            for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                if arg == param {
                    continue;
                }
                incoming[param] = match incoming[param] {
                    Incoming::Nothing => Incoming::Same(arg),
                    Incoming::Same(other) if other == arg || same_constant(func, other, arg) => {
                        Incoming::Same(other)
                    }
                    Incoming::Same(_) | Incoming::Different => Incoming::Different,
                };
            }
        }
    }
    let mut renames = Renames::new(func);
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        for position in 0..func.blocks[block].params.len() {
            let param = func.blocks[block].params[position];
            let Incoming::Same(value) = incoming[param] else { continue };
            let value = match func.constant(value) {
                // Equal constants of different blocks: a new one, since neither need dominate.
                Some(bits) => {
                    let constant = InstData::Const { bits };
                    let (inst, value) = func.make_value(constant, func.ty(param), SourceLoc::default());
                    func.blocks[block].insts.insert(0, inst);
                    value
                }
                None => value,
            };
            renames.replace(param, value);
        }
    }
    if renames.any() {
        func.retain_block_params(|param| renames.resolve(param) == param);
        renames.apply(func);
    }
    renames.any()
}

fn same_constant(func: &Function, a: Value, b: Value) -> bool {
    func.constant(a).is_some_and(|bits| func.constant(b) == Some(bits))
}

/// Appends blocks to the only block that goes to them, if it goes nowhere else.
fn merge_blocks(func: &mut Function) -> bool {
    let edges = count_edges(func);
    let mut renames = Renames::new(func);
    let mut merged = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    let mut any = false;
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        if merged[block] {
            continue;
        }
        while let Some(terminator) = func.terminator(block) {
            let InstData::Jump { target } = &func.insts[terminator] else { break };
            let (next, args) = (target.block, target.args.clone());
            if edges[next] != 1 || next == block || next == func.entry() {
                break;
            }
            let next_data = std::mem::take(&mut func.blocks[next]);
            for (&param, arg) in next_data.params.iter().zip(args) {
                renames.replace(param, arg);
            }
            func.blocks[block].insts.pop();
            func.blocks[block].insts.extend(next_data.insts);
            merged[next] = true;
            any = true;
        }
    }
    if any {
        func.layout.retain(|&block| !merged[block]);
        renames.apply(func);
    }
    any
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn decided_branches_and_what_they_leave() {
        check(
            simplify_cfg,
            "kernel k() {
            block0:
                v0: bool = const true
                v1: i32 = const 7
                branch v0, block1(v1), block2
            block1(v2: i32):
                v3: i32 = neg v2
                return
            block2:
                jump block2
            }",
            expect![[r#"
                kernel k() {
                block0:
                    v0: bool = const true
                    v1: i32 = const 7
                    v4: i32 = const 7
                    v3: i32 = neg v4
                    return
                }
            "#]],
        );
    }

    #[test]
    fn empty_blocks_are_jumped_over() {
        check(
            simplify_cfg,
            "kernel k(param0 c: bool, param1 p: i32) {
            block0:
                v0: bool = param0
                branch v0, block1, block2
            block1:
                jump block3
            block2:
                v1: i32 = param1
                store.shared v1, v1
                jump block3
            block3:
                return
            }",
            expect![[r#"
                kernel k(param0 c: bool, param1 p: i32) {
                block0:
                    v0: bool = param0
                    branch v0, block3, block2
                block2:
                    v1: i32 = param1
                    store.shared v1, v1
                    jump block3
                block3:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn the_copies_of_an_edge_keep_their_block() {
        check(
            simplify_cfg,
            "kernel k(param0 c: bool, param1 p: i32) {
            block0:
                v0: bool = param0
                v1: i32 = param1
                v2: i32 = const 0
                branch v0, block1, block2
            block1:
                jump block3(v1)
            block2:
                jump block4(v2)
            block4(v4: i32):
                jump block3(v4)
            block3(v3: i32):
                store.shared v1, v3
                return
            }",
            expect![[r#"
                kernel k(param0 c: bool, param1 p: i32) {
                block0:
                    v0: bool = param0
                    v1: i32 = param1
                    v2: i32 = const 0
                    branch v0, block1, block2
                block1:
                    jump block3(v1)
                block2:
                    jump block3(v2)
                block3(v3: i32):
                    store.shared v1, v3
                    return
                }
            "#]],
        );
    }

    #[test]
    fn loops_of_empty_blocks_stay() {
        check(
            simplify_cfg,
            "kernel k() {
            block0:
                jump block1
            block1:
                jump block2
            block2:
                jump block1
            }",
            expect![[r#"
                kernel k() {
                block0:
                    jump block2
                block2:
                    jump block2
                }
            "#]],
        );
    }

    #[test]
    fn parameters_that_never_change_go() {
        check(
            simplify_cfg,
            "kernel k(param0 c: bool, param1 p: i32) {
            block0:
                v0: bool = param0
                v1: i32 = param1
                v8: i32 = const 5
                jump block1(v1, v1, v8)
            block1(v2: i32, v3: i32, v4: i32):
                v5: i32 = const 5
                store.shared v2, v4
                branch v0, block1(v2, v4, v5), block2
            block2:
                store.shared v3, v3
                return
            }",
            expect![[r#"
                kernel k(param0 c: bool, param1 p: i32) {
                block0:
                    v0: bool = param0
                    v1: i32 = param1
                    v8: i32 = const 5
                    jump block1(v1)
                block1(v3: i32):
                    v9: i32 = const 5
                    v5: i32 = const 5
                    store.shared v1, v9
                    branch v0, block1(v9), block2
                block2:
                    store.shared v3, v3
                    return
                }
            "#]],
        );
    }

    #[test]
    fn parameters_of_empty_blocks_that_are_used_elsewhere_stay() {
        check(
            simplify_cfg,
            "kernel k(param0 c: bool) {
            block0:
                v0: bool = param0
                v1: i32 = const 1
                v2: i32 = const 2
                branch v0, block1, block2
            block1:
                jump block3(v1)
            block2:
                jump block3(v2)
            block3(v3: i32):
                jump block4
            block4:
                store.shared v1, v3
                branch v0, block4, block5
            block5:
                return
            }",
            expect![[r#"
                kernel k(param0 c: bool) {
                block0:
                    v0: bool = param0
                    v1: i32 = const 1
                    v2: i32 = const 2
                    branch v0, block1, block2
                block1:
                    jump block3(v1)
                block2:
                    jump block3(v2)
                block3(v3: i32):
                    jump block4
                block4:
                    store.shared v1, v3
                    branch v0, block4, block5
                block5:
                    return
                }
            "#]],
        );
    }
}
