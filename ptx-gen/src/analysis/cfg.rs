//! The control-flow graph: predecessors, successors and reverse postorder of the blocks that can be reached.

use crate::ir::{Block, EntityMap, Function};

/// Edges between the reachable blocks of a function.
#[derive(Clone, Debug)]
pub struct Cfg {
    predecessors: EntityMap<Block, Vec<Block>>,
    successors: EntityMap<Block, Vec<Block>>,
    order: Vec<Block>,
    position: EntityMap<Block, Option<u32>>,
}

impl Cfg {
    /// Walks the function from its entry.
    pub fn new(func: &Function) -> Cfg {
        Cfg::without(func, |_| false)
    }

    /// Walks the function from its entry without the edges into blocks that are left out.
    pub fn without(func: &Function, left_out: impl Fn(Block) -> bool) -> Cfg {
        let ways = |block: Block| func.successors(block).filter(|&next| !left_out(next)).collect::<Vec<_>>();
        let count = func.blocks.len();
        let mut cfg = Cfg {
            predecessors: EntityMap::filled(count, Vec::new()),
            successors: EntityMap::filled(count, Vec::new()),
            order: Vec::with_capacity(func.layout.len()),
            position: EntityMap::filled(count, None),
        };
        let mut seen = EntityMap::<Block, bool>::filled(count, false);
        let mut stack = Vec::new();
        if let Some(&entry) = func.layout.first() {
            cfg.successors[entry] = ways(entry);
            seen[entry] = true;
            stack.push((entry, cfg.successors[entry].len()));
        }
        while let Some((block, left)) = stack.last_mut() {
            let block = *block;
            if *left == 0 {
                cfg.order.push(block);
                stack.pop();
                continue;
            }
            // The last successor first, so that in reverse postorder the true side of a branch comes first.
            *left -= 1;
            let next = cfg.successors[block][*left];
            if !seen[next] {
                seen[next] = true;
                cfg.successors[next] = ways(next);
                stack.push((next, cfg.successors[next].len()));
            }
        }
        cfg.order.reverse();
        for (position, &block) in cfg.order.iter().enumerate() {
            cfg.position[block] = Some(position as u32);
            for index in 0..cfg.successors[block].len() {
                let next = cfg.successors[block][index];
                cfg.predecessors[next].push(block);
            }
        }
        cfg
    }

    /// The blocks that go to `block`, once for each edge, unreachable ones left out.
    pub fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block]
    }

    /// The blocks that `block` goes to, once for each edge.
    pub fn successors(&self, block: Block) -> &[Block] {
        &self.successors[block]
    }

    /// The reachable blocks in reverse postorder: the entry first, and every block after those that dominate it.
    pub fn order(&self) -> &[Block] {
        &self.order
    }

    /// The position of a block in [`order`](Self::order).
    pub fn position(&self, block: Block) -> Option<u32> {
        self.position.get(block).copied().flatten()
    }

    /// Returns true if the block is reachable from the entry.
    pub fn is_reachable(&self, block: Block) -> bool {
        self.position(block).is_some()
    }
}
