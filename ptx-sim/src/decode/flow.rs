//! Control flow: basic blocks, and the order in which a diverged warp should run them.
//!
//! The interpreter always runs the group of lanes with the smallest program counter. That makes lanes reconverge as
//! early as they can when every block stands behind all blocks on the ways to it: loops are contiguous, and what follows
//! a loop comes after the whole of it. Such an order is the weak topological order of Bourdoncle ("Efficient chaotic
//! iteration strategies with widenings", 1993). An immediate post-dominator then comes after everything that it
//! post-dominates, so lanes meet there at the latest.
//!
//! A loop with several back edges has a [latch](Piece::Latch) behind all its blocks, through which they lead. Lanes that
//! are back early wait there for the rest of the iteration, as ptxas has it: it makes one back edge of them, with a `BSYNC` before.
//! Without the latch they would be at the smallest counter, and run ahead on their own.

use std::ops::Range;

/// Successors of an instruction in the control-flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// To the next instruction.
    Next,
    /// To an instruction by index; also to the next if conditional.
    Branch { target: usize, conditional: bool },
    /// To one of the instructions of a table; also to the next if conditional.
    Switch { table: usize, conditional: bool },
    /// To nowhere; also to the next if conditional.
    Exit { conditional: bool },
}

/// Units of the code layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A basic block, as a half-open range of instructions.
    Block(Range<usize>),
    /// The common latch of the loop whose header starts at this instruction. Edges from before it and not from before that block
    /// come here.
    Latch(usize),
}

/// Basic blocks and latches, in the order in which to lay them out. Unreachable blocks are absent.
pub(super) fn order(flows: &[Flow], tables: &[Vec<u32>]) -> Vec<Piece> {
    let blocks = blocks(flows, tables);
    let block_at = |instruction: usize| blocks.partition_point(|block| block.end <= instruction);
    let successors: Vec<Vec<usize>> =
        blocks.iter().map(|block| successors(flows, tables, block, block_at)).collect();
    if blocks.is_empty() {
        return Vec::new();
    }
    let mut search =
        Search { successors: &successors, number: vec![0; blocks.len()], count: 0, stack: Vec::new() };
    let mut reversed = Vec::new();
    search.visit(0, &mut reversed);
    reversed.reverse();
    let mut position = vec![usize::MAX; blocks.len()];
    let mut ways_back = vec![0; blocks.len()];
    for (index, vertex) in reversed.iter().enumerate() {
        let Vertex::Block(block) = *vertex else { continue };
        position[block] = index;
        // Headers stand before all blocks of their loops.
        let back = |next: &&usize| position[**next] <= index;
        successors[block].iter().filter(back).for_each(|&next| ways_back[next] += 1);
    }
    let piece = |vertex: Vertex| match vertex {
        Vertex::Block(block) => Some(Piece::Block(blocks[block].clone())),
        Vertex::Latch(header) => (ways_back[header] > 1).then(|| Piece::Latch(blocks[header].start)),
    };
    reversed.into_iter().filter_map(piece).collect()
}

fn blocks(flows: &[Flow], tables: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut leaders = vec![0];
    for (index, flow) in flows.iter().enumerate() {
        match *flow {
            Flow::Next => {}
            Flow::Branch { target, .. } => leaders.extend([target, index + 1]),
            Flow::Switch { table, .. } => {
                leaders.extend(tables[table].iter().map(|&target| target as usize));
                leaders.push(index + 1);
            }
            Flow::Exit { .. } => leaders.push(index + 1),
        }
    }
    leaders.sort_unstable();
    leaders.dedup();
    leaders.retain(|&leader| leader < flows.len());
    let ends = leaders.iter().skip(1).copied().chain([flows.len()]);
    leaders
        .iter()
        .copied()
        .zip(ends)
        .map(|(start, end)| start..end)
        .filter(|block| !block.is_empty())
        .collect()
}

/// The blocks that can follow one, the one that it falls into last: it is laid out next to it where that is possible.
fn successors(
    flows: &[Flow],
    tables: &[Vec<u32>],
    block: &Range<usize>,
    block_at: impl Fn(usize) -> usize,
) -> Vec<usize> {
    let mut result = Vec::new();
    let falls = match flows[block.end - 1] {
        Flow::Next => true,
        Flow::Branch { target, conditional } => {
            result.push(block_at(target));
            conditional
        }
        Flow::Switch { table, conditional } => {
            result.extend(tables[table].iter().map(|&target| block_at(target as usize)));
            conditional
        }
        Flow::Exit { conditional } => conditional,
    };
    if falls && block.end < flows.len() {
        result.push(block_at(block.end));
    }
    result
}

/// A basic block by index, or the end of the loop that one heads.
#[derive(Clone, Copy)]
enum Vertex {
    Block(usize),
    Latch(usize),
}

/// Bourdoncle's recursive strategy. Partitions are built back to front.
struct Search<'a> {
    successors: &'a [Vec<usize>],
    /// 0: not visited; `usize::MAX`: placed.
    number: Vec<usize>,
    count: usize,
    stack: Vec<usize>,
}

impl Search<'_> {
    fn visit(&mut self, vertex: usize, reversed: &mut Vec<Vertex>) -> usize {
        self.stack.push(vertex);
        self.count += 1;
        self.number[vertex] = self.count;
        let mut head = self.count;
        let mut is_loop = false;
        for &next in &self.successors[vertex] {
            let least = if self.number[next] == 0 { self.visit(next, reversed) } else { self.number[next] };
            if least <= head {
                head = least;
                is_loop = true;
            }
        }
        if head == self.number[vertex] {
            self.number[vertex] = usize::MAX;
            while let Some(element) = self.stack.pop() {
                if element == vertex {
                    break;
                }
                // Part of the loop that `vertex` heads: visited again, as a component.
                self.number[element] = 0;
            }
            if is_loop {
                reversed.push(Vertex::Latch(vertex));
                for &next in &self.successors[vertex] {
                    if self.number[next] == 0 {
                        self.visit(next, reversed);
                    }
                }
            }
            reversed.push(Vertex::Block(vertex));
        }
        head
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(flows: &[Flow], expected: Expect) {
        let words = |piece: &Piece| match piece {
            Piece::Block(block) => format!("{}-{}", block.start, block.end - 1),
            Piece::Latch(header) => format!("latch({header})"),
        };
        let order: Vec<String> = order(flows, &[]).iter().map(words).collect();
        expected.assert_eq(&order.join(" "));
    }

    const EXIT: Flow = Flow::Exit { conditional: false };

    fn jump(target: usize) -> Flow {
        Flow::Branch { target, conditional: false }
    }

    fn branch(target: usize) -> Flow {
        Flow::Branch { target, conditional: true }
    }

    #[test]
    fn text_order_is_kept_where_it_is_good() {
        check(&[branch(3), Flow::Next, jump(4), Flow::Next, EXIT], expect!["0-0 1-2 3-3 4-4"]);
    }

    #[test]
    fn what_follows_a_loop_comes_after_it() {
        // 0 → 1; 1: header, leaves to 2 (the exit, written first) or goes on to 3, which jumps back.
        check(&[Flow::Next, branch(3), EXIT, jump(1)], expect!["0-0 1-1 3-3 2-2"]);
    }

    #[test]
    fn unreachable_blocks_are_dropped() {
        check(&[jump(2), EXIT, EXIT], expect!["0-0 2-2"]);
    }

    #[test]
    fn nested_loops_stay_contiguous() {
        // 1: outer header; 2: inner header; 3: inner latch; 4: outer latch; 5: exit.
        check(
            &[Flow::Next, branch(5), branch(4), jump(2), jump(1), EXIT],
            expect!["0-0 1-1 2-2 3-3 4-4 5-5"],
        );
    }

    #[test]
    fn several_ways_back_meet_behind_the_loop() {
        // 0: header, leaves to 4; 1: goes back or on to 2, which goes back or on to 3, which goes back.
        check(&[branch(4), branch(0), branch(0), jump(0), EXIT], expect!["0-0 1-1 2-2 3-3 latch(0) 4-4"]);
    }

    #[test]
    fn latches_of_nested_loops_nest() {
        // 1: outer header; 2: inner header, which 3 and 4 go back to; 5 and 6 go back to the outer one; 7: exit.
        check(
            &[Flow::Next, branch(7), branch(5), branch(2), jump(2), branch(1), jump(1), EXIT],
            expect!["0-0 1-1 2-2 3-3 4-4 latch(2) 5-5 6-6 latch(1) 7-7"],
        );
    }
}
