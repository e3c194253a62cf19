//! Natural loops: a block that dominates one that jumps back to it, and all that reaches that jump without passing it.

use super::cfg::Cfg;
use super::domtree::DomTree;
use crate::ir::{Block, Entity, EntityMap, Function, SourceLoc};

/// A loop. Those that share a header are one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The only block through which it is entered.
    pub header: Block,
    /// The blocks that jump back to the header.
    pub latches: Vec<Block>,
    /// Its blocks in reverse postorder, the header first, those of inner loops included.
    pub blocks: Vec<Block>,
    /// The loop around it: an index into [`Loops::loops`].
    pub parent: Option<usize>,
}

/// The loops of a function.
#[derive(Clone, Debug)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: EntityMap<Block, Option<usize>>,
}

impl Loops {
    /// Finds them.
    pub fn new(cfg: &Cfg, tree: &DomTree) -> Loops {
        let count = cfg.order().iter().map(|block| block.index() + 1).max().unwrap_or(0);
        let mut loops: Vec<Loop> = Vec::new();
        let mut innermost: EntityMap<Block, Option<usize>> = EntityMap::filled(count, None);
        // The last loop that a block was found to be in, from 1.
        let mut inside = EntityMap::<Block, usize>::filled(count, 0);
        // Outer headers come first in this order, so that inner loops take their blocks from outer ones.
        for &header in cfg.order() {
            let jumps_back = |&&latch: &&Block| tree.dominates(header, latch);
            let mut latches: Vec<Block> =
                cfg.predecessors(header).iter().filter(jumps_back).copied().collect();
            latches.dedup();
            if latches.is_empty() {
                continue;
            }
            let number = loops.len() + 1;
            inside[header] = number;
            let mut blocks = vec![header];
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if std::mem::replace(&mut inside[block], number) != number {
                    blocks.push(block);
                    work.extend(cfg.predecessors(block));
                }
            }
            let parent = innermost[header];
            blocks.sort_unstable_by_key(|&block| cfg.position(block));
            for &block in &blocks {
                innermost[block] = Some(loops.len());
            }
            loops.push(Loop { header, latches, blocks, parent });
        }
        Loops { loops, innermost }
    }

    /// Every loop, outer ones before those inside them.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// The innermost loop that a block is in: an index into [`loops`](Self::loops).
    pub fn innermost(&self, block: Block) -> Option<usize> {
        self.innermost.get(block).copied().flatten()
    }

    /// Returns true if a block is in a loop, or in one inside it; `index` is the loop's in [`loops`](Self::loops).
    pub fn contains(&self, index: usize, block: Block) -> bool {
        let mut around = self.innermost(block);
        // Loops inside come after.
        while let Some(inner) = around.filter(|&inner| inner > index) {
            around = self.loops[inner].parent;
        }
        around == Some(index)
    }

    /// Source location of a loop, by its index in [`loops`](Self::loops): the header's `source`, else the first location of the
    /// terminators of its header and latches.
    pub fn location(&self, func: &Function, index: usize) -> SourceLoc {
        let Loop { header, latches, .. } = &self.loops[index];
        if func.blocks[*header].source.line != 0 {
            return func.blocks[*header].source;
        }
        let ends = latches.iter().chain([header]).filter_map(|&block| func.terminator(block));
        let known = ends.map(|inst| func.locations[inst]).filter(|location| location.line != 0);
        known.min().unwrap_or_default()
    }

    /// In how many loops a block is.
    pub fn depth(&self, block: Block) -> u32 {
        let mut depth = 0;
        let mut around = self.innermost(block);
        while let Some(index) = around {
            depth += 1;
            around = self.loops[index].parent;
        }
        depth
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;

    #[track_caller]
    fn check(text: &str, expect: Expect) {
        let func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
        let cfg = Cfg::new(&func);
        let loops = Loops::new(&cfg, &DomTree::new(&cfg));
        let mut out = String::new();
        for Loop { header, latches, blocks, parent } in loops.loops() {
            writeln!(out, "{header}: from {latches:?}, {blocks:?}, in {parent:?}")
                .expect("writing to a string");
        }
        let depths: Vec<u32> = func.layout.iter().map(|&block| loops.depth(block)).collect();
        writeln!(out, "depths {depths:?}").expect("writing to a string");
        expect.assert_eq(&out);
    }

    #[test]
    fn nested_loops_and_one_after() {
        check(
            "kernel k(param0 c: bool) {
            block0: v0: bool = param0 jump block1
            block1: branch v0, block2, block5
            block2: branch v0, block3, block4
            block3: branch v0, block2, block1
            block4: jump block1
            block5: branch v0, block5, block6
            block6: return
            }",
            expect![[r#"
                block1: from [block3, block4], [block1, block2, block3, block4], in None
                block2: from [block3], [block2, block3], in Some(0)
                block5: from [block5], [block5], in None
                depths [0, 1, 2, 2, 1, 1, 0]
            "#]],
        );
    }

    #[test]
    fn no_loops_and_irreducible_cycles() {
        check(
            "kernel k(param0 c: bool) {
            block0: v0: bool = param0 branch v0, block1, block2
            block1: jump block2
            block2: branch v0, block1, block3
            block3: return
            }",
            expect![[r#"
                depths [0, 0, 0, 0]
            "#]],
        );
    }
}
