//! Makes exchanges of atomic stores that lanes of the same warp may wait for, where all of them converge afterwards.
//!
//! ptxas 13.0 moves the wait for a warp's lanes, which it puts before barriers and collectives, above stores that come before it,
//! those with a release among them. A lane that gives back a lock then waits for its neighbours first, and they for the lock:
//! a hang, in nvcc's code of `cuda::atomic_ref` as well (`sm_90` and later). It moves no wait above an exchange.

use crate::analysis::{Cfg, DomTree, Loops};
use crate::ir::{AtomicOp, Block, EntityMap, Function, InstData};

/// See the head of this file.
pub fn exchange_to_unlock(func: &mut Function) {
    let stores = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if !stores.clone().any(|&inst| matches!(func.insts[inst], InstData::AtomicStore { .. })) {
        return;
    }
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let has = |block: Block, what: fn(&InstData) -> bool| {
        func.blocks[block].insts.iter().any(|&inst| what(&func.insts[inst]))
    };
    // A thread that waits for a store makes atomic reads in a loop.
    let waiting =
        loops.loops().iter().filter(|found| found.blocks.iter().any(|&block| has(block, reads_atomically)));
    let after_waiting =
        reached(func, waiting.flat_map(|found| found.blocks.iter().copied()), |b| cfg.successors(b));
    let converging = cfg.order().iter().copied().filter(|&block| has(block, converges));
    let before_converging =
        reached(func, converging.flat_map(|block| cfg.predecessors(block).iter().copied()), |b| {
            cfg.predecessors(b)
        });
    let mut unlocks: Vec<(Block, usize)> = Vec::new();
    for &block in cfg.order().iter().filter(|&&block| after_waiting[block]) {
        let mut converges_later = before_converging[block];
        for (at, &inst) in func.blocks[block].insts.iter().enumerate().rev() {
            converges_later |= converges(&func.insts[inst]);
            if converges_later && matches!(func.insts[inst], InstData::AtomicStore { .. }) {
                unlocks.push((block, at));
            }
        }
    }
    for (block, at) in unlocks {
        let inst = func.blocks[block].insts[at];
        let InstData::AtomicStore { space, scope, order, address, value } = func.insts[inst] else {
            continue;
        };
        let exchange = InstData::AtomicRmw { op: AtomicOp::Exchange, space, scope, order, address, value };
        let (exchange, _) = func.make_value(exchange, func.ty(value), func.locations[inst]);
        func.blocks[block].insts[at] = exchange;
    }
}

/// Returns true if it reads memory that other threads may have written.
fn reads_atomically(data: &InstData) -> bool {
    match data {
        InstData::AtomicCas { .. } | InstData::AtomicRmw { .. } | InstData::AtomicLoad { .. } => true,
        InstData::Guarded { access, .. } => reads_atomically(access),
        _ => false,
    }
}

/// Returns true if lanes of a warp wait for each other there. For inline PTX that is unknown.
pub(super) fn converges(data: &InstData) -> bool {
    matches!(
        data,
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
            | InstData::Inline { .. }
            | InstData::InlineEffect { .. }
    )
}

/// The blocks that can be reached from these, which are among them.
fn reached<'c>(
    func: &Function,
    from: impl Iterator<Item = Block>,
    ways: impl Fn(Block) -> &'c [Block],
) -> EntityMap<Block, bool> {
    let mut reached = EntityMap::filled(func.blocks.len(), false);
    let mut work: Vec<Block> = from.collect();
    while let Some(block) = work.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            work.extend(ways(block));
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn a_lock_before_a_barrier() {
        check(
            exchange_to_unlock,
            "kernel k(param0 p: i64) {
            block0:
                v0: i64 = param0
                v1: i32 = const 0
                v2: i32 = const 1
                atomic_store.global.gpu v0, v1
                jump block1
            block1:
                v3: i32 = cas.global.gpu.acquire v0, v1, v2
                v4: bool = icmp eq v3, v1
                branch v4, block2, block1
            block2:
                atomic_store.global.gpu.release v0, v1
                barrier
                atomic_store.global.gpu.release v0, v2
                return
            }",
            expect![[r#"
                kernel k(param0 p: i64) {
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: i32 = const 1
                    atomic_store.global.gpu v0, v1
                    jump block1
                block1:
                    v3: i32 = cas.global.gpu.acquire v0, v1, v2
                    v4: bool = icmp eq v3, v1
                    branch v4, block2, block1
                block2:
                    v5: i32 = atomic_exchange.global.gpu.release v0, v1
                    barrier
                    atomic_store.global.gpu.release v0, v2
                    return
                }
            "#]],
        );
    }

    #[test]
    fn nobody_waits_or_nothing_converges() {
        let waits =
            "jump block1 block1: v5: i32 = atomic_load.global.gpu v0 branch v2, block1, block2 block2:";
        for then in ["barrier", waits] {
            let text = format!(
                "kernel k(param0 p: i64) {{
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0
                    v2: bool = const true
                    atomic_store.global.gpu v0, v1
                    {then}
                    atomic_store.global.gpu.release v0, v1
                    return
                }}"
            );
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
            let before = func.to_string();
            exchange_to_unlock(&mut func);
            assert_eq!(func.to_string(), before);
        }
    }
}
