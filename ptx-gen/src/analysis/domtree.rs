//! Dominators and post-dominators, by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).

use super::cfg::Cfg;
use crate::ir::{Block, Entity, EntityMap};

/// Dominator tree: block `a` dominates `b` if every path from the entry to `b` passes `a`.
#[derive(Clone, Debug)]
pub struct DomTree {
    idom: EntityMap<Block, Option<Block>>,
    /// First and last visit of a depth-first walk of the tree, from 1: nested intervals are ancestry. 0 if unreachable.
    visit: EntityMap<Block, (u32, u32)>,
    /// Preorder of the tree.
    preorder: Vec<Block>,
}

impl DomTree {
    /// The dominators of the reachable blocks.
    pub fn new(cfg: &Cfg) -> DomTree {
        let order = cfg.order();
        let numbers = |&block: &Block| cfg.predecessors(block).iter().filter_map(|&b| cfg.position(b));
        let idoms = immediate_dominators(&Lists::new(order.iter().map(numbers)));

        let count = order.iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let mut tree = DomTree {
            idom: EntityMap::filled(count, None),
            visit: EntityMap::filled(count, (0, 0)),
            preorder: Vec::with_capacity(order.len()),
        };
        // The first child of each node, and the next child of its parent.
        let (mut first, mut next) = (vec![None; order.len()], vec![None; order.len()]);
        for (number, idom) in idoms.iter().enumerate().skip(1).rev() {
            if let Some(idom) = *idom {
                tree.idom[order[number]] = Some(order[idom as usize]);
                next[number] = first[idom as usize].replace(number as u32);
            }
        }
        let mut time = 0;
        let mut stack = if order.is_empty() { Vec::new() } else { vec![(0u32, false)] };
        while let Some((number, done)) = stack.pop() {
            let block = order[number as usize];
            time += 1;
            if done {
                tree.visit[block].1 = time;
                continue;
            }
            tree.visit[block] = (time, time);
            tree.preorder.push(block);
            stack.push((number, true));
            let children = stack.len();
            let mut child = first[number as usize];
            while let Some(number) = child {
                stack.push((number, false));
                child = next[number as usize];
            }
            stack[children..].reverse();
        }
        tree
    }

    /// The closest block that dominates `block` and is not it; none for the entry and for unreachable blocks.
    pub fn idom(&self, block: Block) -> Option<Block> {
        self.idom.get(block).copied().flatten()
    }

    /// Returns true if every path from the entry to `b` passes `a`; a block dominates itself. False of unreachable blocks.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        // Blocks made after the tree are unknown, so unreachable.
        let (Some(&(first_a, last_a)), Some(&(first_b, last_b))) = (self.visit.get(a), self.visit.get(b))
        else {
            return false;
        };
        first_a != 0 && first_a <= first_b && last_b <= last_a
    }

    /// [`dominates`](Self::dominates), and not the same block.
    pub fn strictly_dominates(&self, a: Block, b: Block) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The reachable blocks, each after those that dominate it, subtree by subtree.
    pub fn preorder(&self) -> &[Block] {
        &self.preorder
    }
}

/// Post-dominator tree: block `a` post-dominates `b` if every path from `b` to the end of the thread passes `a`.
#[derive(Clone, Debug)]
pub struct PostDomTree {
    ipdom: EntityMap<Block, Option<Block>>,
    depth: EntityMap<Block, Option<u32>>,
}

impl PostDomTree {
    /// The post-dominators of the reachable blocks; all that end the thread count as one exit.
    pub fn new(cfg: &Cfg) -> PostDomTree {
        // Depth-first from the exits over the edges backwards; number 0 is the exit that all share.
        let count = cfg.order().iter().map(|b| b.index() + 1).max().unwrap_or(0);
        let mut seen = EntityMap::<Block, bool>::filled(count, false);
        let mut postorder = Vec::with_capacity(cfg.order().len());
        for &exit in cfg.order().iter().filter(|&&block| cfg.successors(block).is_empty()) {
            seen[exit] = true;
            let mut stack = vec![(exit, 0)];
            while let Some((block, next)) = stack.last_mut() {
                let block = *block;
                let Some(&predecessor) = cfg.predecessors(block).get(*next) else {
                    postorder.push(block);
                    stack.pop();
                    continue;
                };
                *next += 1;
                if !seen[predecessor] {
                    seen[predecessor] = true;
                    stack.push((predecessor, 0));
                }
            }
        }
        postorder.reverse();
        let order = postorder;
        let mut number = EntityMap::<Block, Option<u32>>::filled(count, None);
        for (index, &block) in order.iter().enumerate() {
            number[block] = Some(index as u32 + 1);
        }
        let numbers = |&block: &Block| {
            let next = cfg.successors(block);
            // Successors that never end the thread don't count.
            next.is_empty().then_some(0).into_iter().chain(next.iter().filter_map(|&next| number[next]))
        };
        let mut successors = Lists::default();
        successors.push(std::iter::empty());
        order.iter().for_each(|block| successors.push(numbers(block)));
        let idoms = immediate_dominators(&successors);
        let mut tree =
            PostDomTree { ipdom: EntityMap::filled(count, None), depth: EntityMap::filled(count, None) };
        for (index, &block) in order.iter().enumerate() {
            let parent = idoms[index + 1].filter(|&parent| parent > 0).map(|p| order[p as usize - 1]);
            tree.ipdom[block] = parent;
            tree.depth[block] =
                Some(parent.and_then(|parent| tree.depth[parent]).map_or(1, |depth| depth + 1));
        }
        tree
    }

    /// The closest block, not `block` itself, that every path from it to the end of the thread passes. None if the paths
    /// only meet at the end, and for blocks from which the thread never ends.
    pub fn ipdom(&self, block: Block) -> Option<Block> {
        self.ipdom.get(block).copied().flatten()
    }

    /// Returns true if every path from `b` to the end of the thread passes `a`; a block post-dominates itself.
    pub fn post_dominates(&self, a: Block, b: Block) -> bool {
        let depth = |block| self.depth.get(block).copied().flatten();
        let (Some(depth_a), Some(mut depth_b)) = (depth(a), depth(b)) else { return a == b };
        let mut block = b;
        while depth_b > depth_a {
            let Some(parent) = self.ipdom(block) else { return false };
            block = parent;
            depth_b -= 1;
        }
        block == a
    }
}

/// A list of numbers for each node, all in one.
#[derive(Default)]
struct Lists {
    numbers: Vec<u32>,
    ends: Vec<usize>,
}

impl Lists {
    fn new(lists: impl Iterator<Item = impl Iterator<Item = u32>>) -> Lists {
        let mut all = Lists::default();
        lists.for_each(|list| all.push(list));
        all
    }

    fn push(&mut self, list: impl Iterator<Item = u32>) {
        self.numbers.extend(list);
        self.ends.push(self.numbers.len());
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, node: usize) -> &[u32] {
        let start = node.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start..self.ends[node]]
    }
}

/// Immediate dominators of nodes numbered in reverse postorder, 0 being the root, from their predecessors.
fn immediate_dominators(predecessors: &Lists) -> Vec<Option<u32>> {
    let mut idom: Vec<Option<u32>> = vec![None; predecessors.len()];
    if idom.is_empty() {
        return idom;
    }
    idom[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for node in 1..predecessors.len() {
            let mut new = None;
            for &predecessor in predecessors.get(node) {
                if idom[predecessor as usize].is_some() {
                    new = Some(new.map_or(predecessor, |other| intersect(&idom, predecessor, other)));
                }
            }
            if new.is_some() && idom[node] != new {
                idom[node] = new;
                changed = true;
            }
        }
    }
    idom
}

/// The closest common ancestor so far: fingers walk up by reverse postorder number.
fn intersect(idom: &[Option<u32>], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        let finger = if a > b { &mut a } else { &mut b };
        *finger = idom[*finger as usize].unwrap_or(0);
    }
    a
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::ir::parse_function;

    /// One line for each block: its immediate dominator and post-dominator. Edges are given as `0 -> 1 2, 1 -> 3`.
    fn check(edges: &str, expect: Expect) {
        let mut text = String::from("kernel k() {\n");
        for (index, block) in edges.split(", ").enumerate() {
            let (from, to) = block.split_once(" ->").expect("an arrow");
            let condition = format!("v{index}: bool = const true\n");
            let terminator = match to.split_whitespace().collect::<Vec<_>>()[..] {
                [] => "return".into(),
                [a] => format!("jump block{a}"),
                [a, b] => format!("branch v{index}, block{a}, block{b}"),
                _ => panic!("at most two successors"),
            };
            writeln!(text, "block{from}:\n{condition}{terminator}").expect("writing to a string");
        }
        let func = parse_function(&(text + "}")).expect("a function");
        let cfg = Cfg::new(&func);
        let (dom, post) = (DomTree::new(&cfg), PostDomTree::new(&cfg));
        let mut out = String::new();
        for &block in &func.layout {
            let show = |block: Option<Block>| block.map_or("-".into(), |block| block.to_string());
            writeln!(out, "{block}: {} {}", show(dom.idom(block)), show(post.ipdom(block)))
                .expect("writing to a string");
            for &other in &func.layout {
                assert_eq!(dom.dominates(block, other), reaches_only_through(&func, block, other));
            }
        }
        expect.assert_eq(&out);
    }

    /// Dominance by definition: without `a`, `b` cannot be reached, though it can with it.
    fn reaches_only_through(func: &crate::ir::Function, a: Block, b: Block) -> bool {
        let reachable = |without: Option<Block>| {
            let mut seen = vec![];
            let mut stack = vec![func.entry()];
            while let Some(block) = stack.pop() {
                if Some(block) != without && !seen.contains(&block) {
                    seen.push(block);
                    stack.extend(func.successors(block));
                }
            }
            seen.contains(&b)
        };
        reachable(None) && !reachable(Some(a))
    }

    #[test]
    fn diamond() {
        check(
            "0 -> 1 2, 1 -> 3, 2 -> 3, 3 ->",
            expect![[r#"
                block0: - block3
                block1: block0 block3
                block2: block0 block3
                block3: block0 -
            "#]],
        );
    }

    #[test]
    fn loop_with_two_exits() {
        check(
            "0 -> 1, 1 -> 2 4, 2 -> 3 5, 3 -> 1, 4 -> 5, 5 ->",
            expect![[r#"
                block0: - block1
                block1: block0 block5
                block2: block1 block5
                block3: block2 block1
                block4: block1 block5
                block5: block1 -
            "#]],
        );
    }

    #[test]
    fn irreducible() {
        check(
            "0 -> 1 2, 1 -> 2, 2 -> 1 3, 3 ->",
            expect![[r#"
                block0: - block2
                block1: block0 block2
                block2: block0 block3
                block3: block2 -
            "#]],
        );
    }

    #[test]
    fn two_ends_and_an_endless_loop() {
        check(
            "0 -> 1 2, 1 -> 3 4, 2 -> 2, 3 ->, 4 ->",
            expect![[r#"
                block0: - block1
                block1: block0 -
                block2: block0 -
                block3: block1 -
                block4: block1 -
            "#]],
        );
    }

    #[test]
    fn unreachable_blocks_have_none() {
        check(
            "0 -> 2, 1 -> 2, 2 ->",
            expect![[r#"
                block0: - block2
                block1: - -
                block2: block0 -
            "#]],
        );
    }
}
