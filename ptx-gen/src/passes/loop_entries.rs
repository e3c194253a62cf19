//! Gives each loop one edge by which it is entered, from a block of its own if need be.
//!
//! [Bounds](crate::analysis::Ranges) of what a loop counts begin with the values that enter it: with one edge they are those of one block,
//! where a variable that two sides of a branch set differently is one value, `let mut at = if i == 0 { c } else { c - 1 }`.

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, BlockCall, Function, InstData, Value};

/// See the head of this file.
pub fn give_loops_one_entry(func: &mut Function) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    for around in loops.loops() {
        let header = around.header;
        let mut outside: Vec<Block> = cfg.predecessors(header).to_vec();
        outside.retain(|block| !around.latches.contains(block));
        outside.dedup();
        let calls = |func: &Function| -> Vec<BlockCall> {
            let ends = outside.iter().filter_map(|&block| func.terminator(block));
            ends.flat_map(|end| func.insts[end].successors().filter(|call| call.block == header).cloned())
                .collect()
        };
        let entries = calls(func);
        let [first, others @ ..] = &entries[..] else { continue };
        if !others.is_empty() {
            let is_same =
                (0..first.args.len()).map(|at| others.iter().all(|it| it.args[at] == first.args[at]));
            enter_by_block(func, header, &outside, &first.args, &is_same.collect::<Vec<_>>());
        }
    }
}

/// Makes the edges from these blocks to a header lead to a block before it, which takes what they pass, but for what is the same of all.
fn enter_by_block(func: &mut Function, header: Block, from: &[Block], args: &[Value], is_same: &[bool]) {
    let made = func.make_block();
    let pass = |(&arg, &is_same): (&Value, &bool)| match is_same {
        true => arg,
        false => func.add_block_param(made, func.ty(arg)),
    };
    let args: Vec<Value> = args.iter().zip(is_same).map(pass).collect();
    let mut location = Default::default();
    for &block in from {
        let Some(end) = func.terminator(block) else { continue };
        location = func.locations[end];
        for call in func.insts[end].successors_mut().filter(|call| call.block == header) {
            call.block = made;
            let mut is_same = is_same.iter();
            call.args.retain(|_| is_same.next() == Some(&false));
        }
    }
    let jump = func.make_inst(InstData::Jump { target: BlockCall { block: header, args } }, None, location);
    func.blocks[made].insts.push(jump);
    let at = func.layout.iter().position(|&block| block == header).unwrap_or(func.layout.len());
    func.layout.insert(at, made);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    #[test]
    fn both_sides_of_a_branch_enter() {
        check(
            give_loops_one_entry,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = special tid.x
                v2: bool = icmp ult v1, v0
                branch v2, block1(v0, v1), block2
            block2:
                v3: i32 = add v1, v0
                jump block1(v0, v3)
            block1(v4: i32, v5: i32):
                v6: i32 = add v5, v4
                v7: bool = icmp ult v6, v0
                branch v7, block1(v4, v6), block9
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = special tid.x
                    v2: bool = icmp ult v1, v0
                    branch v2, block10(v1), block2
                block2:
                    v3: i32 = add v1, v0
                    jump block10(v3)
                block10(v8: i32):
                    jump block1(v0, v8)
                block1(v4: i32, v5: i32):
                    v6: i32 = add v5, v4
                    v7: bool = icmp ult v6, v0
                    branch v7, block1(v4, v6), block9
                block9:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn one_entry() {
        check_stays(
            give_loops_one_entry,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                jump block1(v0)
            block1(v1: i32):
                v2: i32 = add v1, v0
                v3: bool = icmp ult v2, v0
                branch v3, block1(v2), block9
            block9:
                return
            }",
        );
    }
}
