//! The control-flow graph: predecessors, successors and reverse postorder of the blocks that can be reached.

use crate::ir::{Block, Entity, EntityMap, Function};

/// Edges between the reachable blocks of a function.
#[derive(Clone, Debug)]
pub struct Cfg {
    /// The predecessors of all blocks; those of a block are a part of it.
    incoming: Vec<Block>,
    predecessors: EntityMap<Block, Part>,
    outgoing: EntityMap<Block, Successors>,
    order: Vec<Block>,
    position: EntityMap<Block, Option<u32>>,
}

/// A part of a list: its start and its end.
#[derive(Clone, Copy, Debug, Default)]
struct Part {
    start: u32,
    end: u32,
}

/// A terminator has two successors at most.
#[derive(Clone, Copy, Debug)]
struct Successors {
    blocks: [Block; 2],
    count: u8,
}

impl Cfg {
    /// Walks the function from its entry.
    pub fn new(func: &Function) -> Cfg {
        Cfg::without(func, |_| false)
    }

    /// Walks the function from its entry without the edges into blocks that are left out.
    pub fn without(func: &Function, left_out: impl Fn(Block) -> bool) -> Cfg {
        let count = func.blocks.len();
        let none = Successors { blocks: [Block::from_index(0); 2], count: 0 };
        let ways = |block: Block| {
            let mut ways = none;
            for (place, next) in
                ways.blocks.iter_mut().zip(func.successors(block).filter(|&next| !left_out(next)))
            {
                *place = next;
                ways.count += 1;
            }
            ways
        };
        let mut cfg = Cfg {
            incoming: Vec::new(),
            predecessors: EntityMap::filled(count, Part::default()),
            outgoing: EntityMap::filled(count, none),
            order: Vec::with_capacity(func.layout.len()),
            position: EntityMap::filled(count, None),
        };
        let mut seen = EntityMap::<Block, bool>::filled(count, false);
        let mut stack = Vec::new();
        let mut enter = |cfg: &mut Cfg, stack: &mut Vec<(Block, u8)>, block: Block| {
            if !std::mem::replace(&mut seen[block], true) {
                cfg.outgoing[block] = ways(block);
                stack.push((block, cfg.outgoing[block].count));
            }
        };
        if let Some(&entry) = func.layout.first() {
            enter(&mut cfg, &mut stack, entry);
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
            let next = cfg.outgoing[block].blocks[usize::from(*left)];
            enter(&mut cfg, &mut stack, next);
        }
        cfg.order.reverse();
        cfg.number_predecessors();
        cfg
    }

    /// Fills in the positions of the blocks in their order, and their predecessors.
    fn number_predecessors(&mut self) {
        let Cfg { incoming, predecessors, outgoing, order, position } = self;
        for (index, &block) in order.iter().enumerate() {
            position[block] = Some(index as u32);
            let Successors { blocks, count } = outgoing[block];
            blocks.iter().take(count.into()).for_each(|&next| predecessors[next].end += 1);
        }
        let mut end = 0;
        for &block in order.iter() {
            let part = &mut predecessors[block];
            let count = part.end;
            *part = Part { start: end, end };
            end += count;
        }
        let Some(&any) = order.first() else { return };
        incoming.resize(end as usize, any);
        for &block in order.iter() {
            let Successors { blocks, count } = outgoing[block];
            for &next in blocks.iter().take(count.into()) {
                let part = &mut predecessors[next];
                incoming[part.end as usize] = block;
                part.end += 1;
            }
        }
    }

    /// The blocks that go to `block`, once for each edge, unreachable ones left out.
    pub fn predecessors(&self, block: Block) -> &[Block] {
        let Part { start, end } = self.predecessors[block];
        &self.incoming[start as usize..end as usize]
    }

    /// The blocks that `block` goes to, once for each edge.
    pub fn successors(&self, block: Block) -> &[Block] {
        let Successors { blocks, count } = &self.outgoing[block];
        &blocks[..usize::from(*count)]
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
