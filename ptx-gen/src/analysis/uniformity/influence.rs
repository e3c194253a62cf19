//! Influence region of a divergent branch: the blocks before reconvergence, and the join points among them.

use crate::analysis::{Cfg, DomTree, Loops, PostDomTree};
use crate::ir::{Block, EntityMap, Function, InlineAsm, Inst, InstData, Space};

/// The graph of the blocks that don't just end in a panic.
pub(super) struct Live {
    pub cfg: Cfg,
    pub dominators: DomTree,
    post_dominators: PostDomTree,
    homes: EntityMap<Inst, Option<Block>>,
    has_locals: bool,
    /// Number of blocks of the function, reachable or not.
    blocks: usize,
}

impl Live {
    pub fn new(func: &Function) -> Live {
        let dying = dying(func);
        let cfg = Cfg::without(func, |block| dying[block]);
        let mut homes = EntityMap::filled(func.insts.len(), None);
        for &block in cfg.order() {
            func.blocks[block].insts.iter().for_each(|&inst| homes[inst] = Some(block));
        }
        let (dominators, post_dominators) = (DomTree::new(&cfg), PostDomTree::new(&cfg));
        let (has_locals, blocks) = (!func.locals.is_empty(), func.blocks.len());
        Live { dominators, post_dominators, homes, has_locals, blocks, cfg }
    }

    /// The blocks that are reached from a branch without passing it or its end, both of which may be among them, in reverse postorder.
    fn reached(&self, branch: Block, end: Option<Block>) -> Vec<Block> {
        let mut seen = EntityMap::<Block, bool>::filled(self.blocks, false);
        let mut reached = Vec::new();
        let mut work = self.cfg.successors(branch).to_vec();
        while let Some(block) = work.pop() {
            if !std::mem::replace(&mut seen[block], true) {
                reached.push(block);
                if block != branch && Some(block) != end {
                    work.extend(self.cfg.successors(block));
                }
            }
        }
        reached.sort_unstable_by_key(|&block| self.cfg.position(block));
        reached
    }

    /// The block of an instruction.
    pub fn home(&self, inst: Inst) -> Option<Block> {
        self.homes[inst]
    }

    /// Returns true if an access may be to thread-private memory.
    pub fn may_be_own(&self, space: Space) -> bool {
        match space {
            Space::Local => true,
            Space::Generic => self.has_locals,
            Space::Global | Space::Shared | Space::Cluster | Space::Const => false,
        }
    }
}

/// The blocks from which every path panics, if they do nothing together with other threads first.
fn dying(func: &Function) -> EntityMap<Block, bool> {
    let mut dying = EntityMap::<Block, bool>::filled(func.blocks.len(), false);
    let waits = |&inst: &Inst| {
        let collective = |asm: InlineAsm| func.inlines[asm].collective.is_some();
        matches!(&func.insts[inst], InstData::Inline { asm, .. } if collective(*asm))
            || matches!(
                &func.insts[inst],
                InstData::Barrier
                    | InstData::GridBarrier
                    | InstData::ClusterBarrier { .. }
                    | InstData::NamedBarrier { .. }
                    | InstData::BarrierReduce { .. }
                    | InstData::WarpBarrier { .. }
                    | InstData::Shuffle { .. }
                    | InstData::Vote { .. }
                    | InstData::Match { .. }
                    | InstData::Redux { .. }
            )
    };
    let full = Cfg::new(func);
    let mut changed = true;
    while changed {
        changed = false;
        for &block in full.order().iter().rev().filter(|&&block| block != func.entry()) {
            let next = full.successors(block);
            let ends = match func.terminator(block).map(|inst| &func.insts[inst]) {
                Some(InstData::Panic { .. }) => true,
                _ => !next.is_empty() && next.iter().all(|&next| dying[next]),
            };
            if !dying[block] && ends && !func.blocks[block].insts.iter().any(waits) {
                dying[block] = true;
                changed = true;
            }
        }
    }
    dying
}

/// Influence region of a branch.
pub(super) struct Influence {
    touched: EntityMap<Block, bool>,
    /// Join points: blocks reached from both sides of the branch by disjoint paths, and the predecessors through which
    /// those paths come.
    pub meets: Vec<(Block, Vec<Block>)>,
}

impl Influence {
    /// Computes the influence region of the branch at the end of a block.
    ///
    /// Each block gets a label: the last block on the way to it that all paths there passed. Where paths with different
    /// labels come together they join. Paths back to the branch begin anew.
    pub fn new(live: &Live, branch: Block) -> Influence {
        let cfg = &live.cfg;
        let count = live.blocks;
        let end = live.post_dominators.ipdom(branch);
        let mut labels = EntityMap::<Block, Option<Block>>::filled(count, None);
        let mut meets = EntityMap::<Block, bool>::filled(count, false);
        for &side in cfg.successors(branch) {
            match labels[side] {
                // Both sides of the branch are the same block: they bring different arguments.
                Some(_) => meets[side] = true,
                None => labels[side] = Some(side),
            }
        }
        let sides: Vec<Block> = cfg.successors(branch).to_vec();
        let reached = live.reached(branch, end);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in &reached {
                if meets[block] {
                    continue;
                }
                let mut label = sides.contains(&block).then_some(block);
                for &from in cfg.predecessors(block) {
                    if from == branch || Some(from) == end {
                        continue;
                    }
                    let Some(brought) = labels[from] else { continue };
                    match label {
                        None => label = Some(brought),
                        Some(known) if known != brought => {
                            meets[block] = true;
                            label = Some(block);
                        }
                        Some(_) => {}
                    }
                }
                changed |= labels[block] != label;
                labels[block] = label;
            }
        }
        let mut touched = EntityMap::filled(count, false);
        for &block in &reached {
            touched[block] = labels[block].is_some() && Some(block) != end;
        }
        let comes_apart = |from: Block, to: Block| {
            from == branch || Some(from) != end && labels[from].is_some_and(|label| label != to)
        };
        let meeting = reached.iter().filter(|&&block| meets[block]).map(|&block| {
            let mut from = cfg.predecessors(block).to_vec();
            from.retain(|&from| comes_apart(from, block));
            (block, from)
        });
        Influence { touched, meets: meeting.collect() }
    }

    /// Returns true if the block is reached before all threads reconverge.
    pub fn touches(&self, block: Block) -> bool {
        self.touched.get(block).copied().unwrap_or(false)
    }
}

/// The code between branches and where their sides meet again, those that just end in a panic left out.
pub struct Region {
    live: Live,
    loops: Loops,
}

impl Region {
    /// Of any branch of a function.
    pub fn new(func: &Function) -> Region {
        let live = Live::new(func);
        let loops = Loops::new(&live.cfg, &live.dominators);
        Region { live, loops }
    }

    /// The ways out of a block that don't just end in a panic.
    pub fn successors(&self, block: Block) -> &[Block] {
        self.live.cfg.successors(block)
    }

    /// Position of a block in reverse postorder.
    pub fn position(&self, block: Block) -> Option<u32> {
        self.live.cfg.position(block)
    }

    /// The blocks of both sides of a branch, in reverse postorder; none if the sides meet only at the thread's end.
    pub fn sides(&self, branch: Block) -> Option<Vec<Block>> {
        self.live.post_dominators.ipdom(branch)?;
        Some(self.between(branch, self.successors(branch).to_vec()))
    }

    /// The blocks of one side of a branch, in reverse postorder: up to where the sides meet, or to the thread's end.
    pub fn side(&self, branch: Block, first: Block) -> Vec<Block> {
        let is_there = self.successors(branch).contains(&first);
        self.between(branch, if is_there { vec![first] } else { Vec::new() })
    }

    fn between(&self, branch: Block, mut work: Vec<Block>) -> Vec<Block> {
        let end = self.live.post_dominators.ipdom(branch);
        let mut inside = Vec::new();
        while let Some(block) = work.pop() {
            if Some(block) != end && block != branch && !inside.contains(&block) {
                inside.push(block);
                work.extend(self.successors(block));
            }
        }
        inside.sort_by_key(|&block| self.position(block));
        inside
    }

    /// Returns true if a block is in a loop that does not contain a branch.
    pub fn is_in_loop_inside(&self, block: Block, branch: Block) -> bool {
        self.loops.innermost(block).is_some_and(|around| !self.loops.contains(around, branch))
    }

    /// Returns true if a block continues or leaves a loop around a branch, other than at the point of reconvergence.
    pub fn leaves(&self, block: Block, branch: Block) -> bool {
        let Some(around) = self.loops.innermost(branch) else { return false };
        let end = self.live.post_dominators.ipdom(branch);
        let header = self.loops.loops()[around].header;
        let out = |&next: &Block| next == header || !self.loops.contains(around, next);
        self.successors(block).iter().any(out) && end != Some(header)
            || end.is_some_and(|end| !self.loops.contains(around, end))
    }
}
