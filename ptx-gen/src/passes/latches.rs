//! Gives a loop a separate latch block where an inner loop would jump back to its header.
//!
//! ptxas 13.0 overwrites a register that the inner loop still reads when the back edge of a loop is a branch out of the middle of
//! an inner one: of a selection among selections it takes the place of an operand. With a separate latch block, in which
//! [something is done](crate::select::select), it finds two loops and keeps the register.

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{Block, BlockCall, Function, InstData};

/// See the head of this file.
pub fn give_loops_their_latches(func: &mut Function) {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    for (index, around) in loops.loops().iter().enumerate() {
        for &latch in &around.latches {
            let is_inside = loops.innermost(latch) != Some(index);
            let ways = if is_inside { func.successors(latch).count() } else { 0 };
            // A block that only jumps back is no exit out of the middle.
            if ways > 1 {
                (0..ways).for_each(|way| split(func, latch, way, around.header));
            }
        }
    }
}

/// Splits an edge of a block, if it leads to `header`.
fn split(func: &mut Function, latch: Block, way: usize, header: Block) {
    let Some(terminator) = func.terminator(latch) else { return };
    let made = func.make_block();
    let Some(call) = func.insts[terminator].successors_mut().nth(way).filter(|call| call.block == header)
    else {
        return;
    };
    let target = std::mem::replace(call, BlockCall { block: made, args: Vec::new() });
    let jump = func.make_inst(InstData::Jump { target }, None, func.locations[terminator]);
    func.blocks[made].insts.push(jump);
    let after = func.layout.iter().position(|&block| block == latch).map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(after, made);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn an_inner_loop_that_goes_on_with_the_outer_one() {
        check(
            give_loops_their_latches,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = special tid.x
                jump block1(v1)
            block1(v2: i32):
                v3: bool = icmp ult v2, v0
                branch v3, block2, block9
            block2:
                jump block3(v2)
            block3(v4: i32):
                v5: i32 = add v4, v1
                v6: bool = icmp ult v5, v0
                branch v6, block1(v5), block4
            block4:
                v7: i32 = add v5, v0
                jump block3(v7)
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = special tid.x
                    jump block1(v1)
                block1(v2: i32):
                    v3: bool = icmp ult v2, v0
                    branch v3, block2, block9
                block2:
                    jump block3(v2)
                block3(v4: i32):
                    v5: i32 = add v4, v1
                    v6: bool = icmp ult v5, v0
                    branch v6, block10, block4
                block10:
                    jump block1(v5)
                block4:
                    v7: i32 = add v5, v0
                    jump block3(v7)
                block9:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_loop_alone() {
        check(
            give_loops_their_latches,
            "kernel k(param0 n: i32) {
            block0:
                v0: i32 = param0
                v1: i32 = special tid.x
                jump block1(v1)
            block1(v2: i32):
                v3: i32 = add v2, v0
                v4: bool = icmp ult v3, v0
                branch v4, block1(v3), block9
            block9:
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32) {
                block0:
                    v0: i32 = param0
                    v1: i32 = special tid.x
                    jump block1(v1)
                block1(v2: i32):
                    v3: i32 = add v2, v0
                    v4: bool = icmp ult v3, v0
                    branch v4, block1(v3), block9
                block9:
                    return
                }
            "#]],
        );
    }
}
