//! Analyses that lowering needs before it starts: reachable blocks in post-order, use counts, and cold blocks.

use crate::ir::entity::Entity;
use crate::ir::{Block, EntityMap, Function, Inst, InstData, Value};

/// Facts about a function.
pub struct Flow {
    /// The reachable blocks, each after its successors but for the edges that go back.
    pub postorder: Vec<Block>,
    /// Number of uses of each value by reachable instructions, arguments of blocks included.
    pub uses: EntityMap<Value, u32>,
    /// The blocks that run only when a thread panics.
    pub cold: EntityMap<Block, bool>,
    /// The block that computes each value; none for parameters of blocks.
    homes: EntityMap<Value, Option<Block>>,
    /// The value that each value stands for: itself, or for a parameter of a block with one predecessor, the argument passed.
    resolved: EntityMap<Value, Value>,
}

impl Flow {
    /// Looks at every reachable instruction once.
    pub fn new(func: &Function) -> Flow {
        let postorder = postorder(func);
        let resolved = resolve(func, &postorder);
        let cold = cold(func, &postorder);
        let uses = EntityMap::filled(func.values.len(), 0);
        let homes = EntityMap::filled(func.values.len(), None);
        let mut flow = Flow { postorder, uses, cold, homes, resolved };
        for index in 0..flow.postorder.len() {
            let block = flow.postorder[index];
            for &inst in &func.blocks[block].insts {
                if let Some(value) = func.results[inst] {
                    flow.homes[value] = Some(block);
                }
                visit_args(&func.insts[inst], |value| {
                    let value = flow.resolved[value];
                    flow.uses[value] += 1;
                });
            }
        }
        flow
    }

    /// Returns true if a value is computed in this block and has a single use.
    pub fn serves_one(&self, value: Value, block: Block) -> bool {
        let value = self.resolve(value);
        self.uses[value] == 1 && self.homes[value] == Some(block)
    }

    /// Returns true if a value is computed outside the cold blocks.
    pub fn is_hot(&self, value: Value) -> bool {
        self.homes[value].is_some_and(|block| !self.cold[block])
    }

    /// The value that stands for this one.
    pub fn resolve(&self, value: Value) -> Value {
        self.resolved[value]
    }
}

/// Calls `visit` with every value used, without the copy that [`InstData::visit_args`] makes of argument lists.
fn visit_args(data: &InstData, mut visit: impl FnMut(Value)) {
    match data {
        InstData::Jump { target } => target.args.iter().copied().for_each(visit),
        InstData::Branch { cond, if_true, if_false, .. } => {
            visit(*cond);
            if_true.args.iter().chain(&if_false.args).copied().for_each(visit);
        }
        other => other.visit_args(visit),
    }
}

fn postorder(func: &Function) -> Vec<Block> {
    let mut order = Vec::with_capacity(func.layout.len());
    let mut seen = vec![false; func.blocks.len()];
    let entry = func.entry();
    seen[entry.index()] = true;
    // Each entry: a block, its successors last one first.
    let mut stack = vec![(entry, successors(func, entry))];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(next) if !seen[next.index()] => {
                seen[next.index()] = true;
                stack.push((next, successors(func, next)));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

fn successors(func: &Function, block: Block) -> Vec<Block> {
    let mut successors: Vec<Block> = func.successors(block).collect();
    successors.reverse();
    successors
}

fn resolve(func: &Function, postorder: &[Block]) -> EntityMap<Value, Value> {
    let mut ways_in = vec![0u32; func.blocks.len()];
    for &block in postorder {
        func.successors(block).for_each(|next| ways_in[next.index()] += 1);
    }
    let mut resolved = EntityMap::new();
    for value in func.values.keys() {
        resolved.push(value);
    }
    // Reverse post-order: an argument is resolved before the parameter that takes it.
    for &block in postorder.iter().rev() {
        let Some(terminator) = func.terminator(block) else { continue };
        for call in func.insts[terminator].successors() {
            if ways_in[call.block.index()] == 1 {
                for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                    resolved[param] = resolved[arg];
                }
            }
        }
    }
    resolved
}

/// A block is cold if it reads or claims the panic record, and so are those from which only cold ones can be reached,
/// and those that are reached only from cold ones.
fn cold(func: &Function, postorder: &[Block]) -> EntityMap<Block, bool> {
    let mut cold = EntityMap::filled(func.blocks.len(), false);
    let is_cold =
        |inst: Inst| matches!(func.insts[inst], InstData::Panic { .. }) || func.reads_panic_record(inst);
    for &block in postorder {
        let mut next = func.successors(block).peekable();
        cold[block] = next.peek().is_some() && next.all(|next| cold[next])
            || func.blocks[block].insts.iter().any(|&inst| is_cold(inst));
    }
    let mut reached_hot: EntityMap<Block, bool> = EntityMap::filled(func.blocks.len(), false);
    for &block in postorder.iter().rev() {
        cold[block] |= block != func.entry() && !reached_hot[block];
        if !cold[block] {
            func.successors(block).for_each(|next| reached_hot[next] = true);
        }
    }
    cold
}
