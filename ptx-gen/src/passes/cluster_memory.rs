//! Keeps the shared memory of each block of a cluster alive while other blocks access it.
//!
//! Shared memory is a block's from when it starts until its last thread exits (CUDA C++ programming guide, "Distributed Shared
//! Memory"). So no thread accesses another block's before a barrier of the cluster, nor after its last one: where paths of the function
//! have none there, this adds one before the first instruction, or before every return.
//!
//! Threads that panic exit, for nobody waits for them (PTX ISA, "exit", "barrier.cluster"). If all threads of a block panic, the last of them stays: it
//! arrives at every barrier of the cluster until the others come to the one at the end. It learns of that in shared memory: before that barrier
//! every thread writes the number of blocks of the cluster to each block. Blocks without other threads count up to that number
//! themselves. So where a function can panic, both barriers are added: the first one after the words of shared memory are set to zero.

use std::collections::HashSet;

use super::append::Appender;
use crate::ir::{
    AtomicOp, BinaryOp, Block, CacheHints, Function, Inst, InstData, IntCond, MemoryOrder, MemoryScope,
    SharedData, SharedVar, Space, SpecialRegister, Type, Value,
};

/// The words in shared memory: no name of a variable of the source.
const WORDS: &str = "$cluster";
/// Offset of the number of threads of the block that have panicked.
const PANICKED: i32 = 0;
/// Offset of the number of blocks that need nobody to stay.
const LEFT: i32 = 4;

/// Bytes of shared memory that a kernel may get beside its own.
pub const BYTES: u32 = 8;

/// See the head of this file.
pub fn keep_blocks(func: &mut Function) {
    if !func.maps_shared() {
        return;
    }
    let ends = func.layout.iter().filter_map(|&block| func.terminator(block));
    let panics = ends.into_iter().any(|inst| matches!(func.insts[inst], InstData::Panic { .. }));
    let words = SharedData { name: WORDS.to_owned(), bytes: BYTES, align: 4 };
    let words = panics.then(|| func.shared.push(words));
    if panics || reaches(func, func.entry(), 0, &is_access) {
        start(func, words);
    }
    if panics || is_accessed_last(func) {
        end(func, words);
    }
}

/// Returns true if the instruction may access another block's shared memory.
fn is_access(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let by_text = matches!(data, InstData::Inline { .. } | InstData::InlineEffect { .. });
    by_text || data.access().is_some_and(|(space, _)| matches!(space, Space::Cluster | Space::Generic))
}

/// Returns true if some such instruction can be reached from a place in a block without a barrier of the cluster between.
fn reaches(func: &Function, block: Block, from: usize, is_such: &dyn Fn(&Function, Inst) -> bool) -> bool {
    let mut seen = HashSet::new();
    let mut work = vec![(block, from)];
    while let Some((block, from)) = work.pop() {
        let insts = &func.blocks[block].insts[from..];
        let barrier =
            insts.iter().position(|&inst| matches!(func.insts[inst], InstData::ClusterBarrier { .. }));
        let before = &insts[..barrier.unwrap_or(insts.len())];
        if before.iter().any(|&inst| is_such(func, inst)) {
            return true;
        }
        if barrier.is_none()
            && let Some(last) = func.terminator(block)
        {
            let next = func.insts[last].successors().map(|call| call.block);
            work.extend(next.filter(|next| seen.insert(*next)).map(|next| (next, 0)));
        }
    }
    false
}

fn is_accessed_last(func: &Function) -> bool {
    let is_return = |func: &Function, inst: Inst| matches!(func.insts[inst], InstData::Return);
    func.layout.iter().any(|&block| {
        let insts = func.blocks[block].insts.iter().enumerate();
        let mut accesses = insts.filter(|(_, inst)| is_access(func, **inst));
        accesses.any(|(index, _)| reaches(func, block, index + 1, &is_return))
    })
}

/// Adds the barrier before the first instruction.
fn start(func: &mut Function, words: Option<SharedVar>) {
    let block = func.entry();
    let rest = std::mem::take(&mut func.blocks[block].insts);
    let mut at = Code { at: Appender { func, block, location: Default::default() } };
    if let Some(words) = words {
        let is_first = at.at.is_first([SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ]);
        let (address, zero) = (at.words(words), at.at.constant(Type::I32, 0));
        for offset in [PANICKED, LEFT] {
            let (align, cache) = (None, CacheHints::NORMAL);
            let store = InstData::Store { space: Space::Shared, address, offset, align, value: zero, cache };
            at.at.effect(InstData::Guarded { cond: is_first, holds: true, access: Box::new(store) });
        }
    }
    at.at.effect(InstData::ClusterBarrier { aligned: true });
    func.blocks[block].insts.extend(rest);
}

/// Adds the barrier before every return.
fn end(func: &mut Function, words: Option<SharedVar>) {
    let ends = |func: &Function, block: Block| {
        func.terminator(block).filter(|&inst| matches!(func.insts[inst], InstData::Return))
    };
    let returns: Vec<(Block, Inst)> =
        func.layout.iter().filter_map(|&block| Some((block, ends(func, block)?))).collect();
    let Some(&(_, first)) = returns.first() else { return };
    let (location, end) = (func.locations[first], func.make_block());
    for (block, inst) in returns {
        func.blocks[block].insts.pop();
        let location = func.locations[inst];
        Appender { func, block, location }.jump(end, Vec::new());
    }
    func.layout.push(end);
    let mut at = Code { at: Appender { func, block: end, location } };
    if let Some(words) = words {
        let left = at.address(words, LEFT);
        let count = at.at.special(SpecialRegister::ClusterNctaRank);
        at.in_each_block(left, |at, address| {
            at.at.effect(InstData::AtomicStore {
                space: Space::Cluster,
                scope: MemoryScope::Device,
                order: MemoryOrder::Relaxed,
                address,
                value: count,
            });
        });
    }
    at.at.effect(InstData::ClusterBarrier { aligned: false });
    at.at.effect(InstData::Return);
}

/// Adds what a thread does after its panic, in place of a return: the last one of its block stays. The blocks that are made are in the layout.
pub(super) fn after_panic(at: Appender<'_>) {
    let known = at.func.shared.iter().find(|(_, data)| data.name == WORDS).map(|(var, _)| var);
    let mut at = Code { at };
    let Some(words) = known else { return at.at.effect(InstData::Return) };
    let [stay, wait, leave, exit] = std::array::from_fn(|_| at.at.func.make_block());
    let sizes = [SpecialRegister::NtidX, SpecialRegister::NtidY, SpecialRegister::NtidZ];
    let [width, height, depth] = sizes.map(|of| at.at.special(of));
    let layer = at.at.binary(BinaryOp::Mul, width, height);
    let threads = at.at.binary(BinaryOp::Mul, layer, depth);
    let one = at.at.constant(Type::I32, 1);
    let others = at.at.binary(BinaryOp::Sub, threads, one);
    let panicked = at.address(words, PANICKED);
    let before = at.add(Space::Shared, panicked, one);
    let is_last = at.at.compare(IntCond::Eq, before, others);
    at.at.branch(is_last, (stay, Vec::new()), exit);

    at.begin(stay);
    let left = at.address(words, LEFT);
    at.in_each_block(left, |at, address| {
        at.add(Space::Cluster, address, one);
    });
    at.at.jump(wait, Vec::new());

    at.begin(wait);
    at.at.effect(InstData::ClusterBarrier { aligned: false });
    let load = InstData::AtomicLoad {
        space: Space::Shared,
        scope: MemoryScope::Device,
        order: MemoryOrder::Relaxed,
        address: left,
    };
    let now = at.at.value(load, Type::I32);
    let count = at.at.special(SpecialRegister::ClusterNctaRank);
    let nobody = at.at.compare(IntCond::UGe, now, count);
    at.at.branch(nobody, (leave, Vec::new()), wait);

    // The others may have written that on their way to a barrier that is still to come.
    at.begin(leave);
    at.at.effect(InstData::ClusterBarrier { aligned: false });
    at.at.jump(exit, Vec::new());

    at.begin(exit);
    at.at.effect(InstData::Return);
}

/// Adds code at the end of a block.
struct Code<'a> {
    at: Appender<'a>,
}

impl Code<'_> {
    /// Goes on in a block, the next one of the layout.
    fn begin(&mut self, block: Block) {
        self.at.func.layout.push(block);
        self.at.block = block;
    }

    fn words(&mut self, var: SharedVar) -> Value {
        self.at.value(InstData::SharedAddress { var }, Type::I32)
    }

    fn address(&mut self, var: SharedVar, offset: i32) -> Value {
        let words = self.words(var);
        let offset = self.at.constant(Type::I32, offset as u64);
        self.at.binary(BinaryOp::Add, words, offset)
    }

    /// Adds to a word; returns its value before.
    fn add(&mut self, space: Space, address: Value, value: Value) -> Value {
        let add = InstData::AtomicRmw {
            op: AtomicOp::Add,
            space,
            scope: MemoryScope::Device,
            order: MemoryOrder::Relaxed,
            address,
            value,
        };
        self.at.value(add, Type::I32)
    }

    /// Does something with a location of each block of the cluster, in a loop.
    fn in_each_block(&mut self, address: Value, act: impl FnOnce(&mut Self, Value)) {
        let [each, next] = std::array::from_fn(|_| self.at.func.make_block());
        let rank = self.at.func.add_block_param(each, Type::I32);
        let count = self.at.special(SpecialRegister::ClusterNctaRank);
        let zero = self.at.constant(Type::I32, 0);
        self.at.jump(each, vec![zero]);
        self.begin(each);
        let there = self.at.value(InstData::MapShared { address, rank }, Type::I32);
        act(self, there);
        let one = self.at.constant(Type::I32, 1);
        let following = self.at.binary(BinaryOp::Add, rank, one);
        let more = self.at.compare(IntCond::ULt, following, count);
        self.at.branch(more, (each, vec![following]), next);
        self.begin(next);
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn barriers_where_paths_have_none() {
        check(
            keep_blocks,
            "kernel k(param0 n: i32, param1 y: i64 ptr align 4) bounds(cluster 2 1 1) {
                shared0 s: 64 align 4
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i32 = address shared0
                v3: i32 = special cluster_ctarank
                v4: bool = icmp ult v3, v0
                branch v4, block1, block2
            block1:
                return
            block2:
                v5: i32 = map_shared v2, v0
                v6: f32 = load.cluster v5
                store.global v1, v6
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 y: i64 ptr align 4) bounds(cluster 2 1 1) {
                    shared0 s: 64 align 4
                block0:
                    cluster_barrier
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i32 = address shared0
                    v3: i32 = special cluster_ctarank
                    v4: bool = icmp ult v3, v0
                    branch v4, block1, block2
                block1:
                    jump block3
                block2:
                    v5: i32 = map_shared v2, v0
                    v6: f32 = load.cluster v5
                    store.global v1, v6
                    jump block3
                block3:
                    cluster_barrier.divergent
                    return
                }
            "#]],
        );
    }

    /// Nothing is added where the source has them.
    #[test]
    fn barriers_of_the_source() {
        check(
            keep_blocks,
            "kernel k(param0 n: i32, param1 y: i64 ptr align 4) bounds(cluster 2 1 1) {
                shared0 s: 64 align 4
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i32 = address shared0
                v5: i32 = map_shared v2, v0
                cluster_barrier
                v6: f32 = load.cluster v5
                store.global v1, v6
                cluster_barrier
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 y: i64 ptr align 4) bounds(cluster 2 1 1) {
                    shared0 s: 64 align 4
                block0:
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i32 = address shared0
                    v5: i32 = map_shared v2, v0
                    cluster_barrier
                    v6: f32 = load.cluster v5
                    store.global v1, v6
                    cluster_barrier
                    return
                }
            "#]],
        );
    }

    #[test]
    fn threads_that_panic() {
        check(
            |func| {
                keep_blocks(func);
                super::super::lower_panics::lower_panics(func);
            },
            "kernel k(param0 n: i32, param1 y: i64 ptr align 4, param2 $panic: i64 ptr align 8) bounds(cluster 2 1 1) {
                shared0 s: 64 align 4
                panic0 divide_by_zero @0:3:4
            block0:
                v0: i32 = param0
                v1: i64 = param1
                v2: i32 = address shared0
                v3: i32 = const 0
                cluster_barrier
                v4: bool = icmp eq v3, v0
                branch v4, block1, block2
            block1:
                panic panic0 @0:3:4
            block2:
                v5: i32 = map_shared v2, v0
                v6: f32 = load.cluster v5
                store.global v1, v6
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 y: i64 ptr align 4, param2 $panic: i64 ptr align 8) bounds(cluster 2 1 1) {
                    shared0 s: 64 align 4
                    shared1 $cluster: 8 align 4
                    panic0 divide_by_zero @0:3:4
                block0:
                    v7: i32 = special tid.x
                    v8: i32 = special tid.y
                    v9: i32 = special tid.z
                    v10: i32 = or v7, v8
                    v11: i32 = or v10, v9
                    v12: i32 = const 0
                    v13: bool = icmp eq v11, v12
                    v14: i32 = address shared1
                    v15: i32 = const 0
                    guard v13 store.shared v14, v15
                    guard v13 store.shared v14 + 4, v15
                    cluster_barrier
                    v0: i32 = param0
                    v1: i64 = param1
                    v2: i32 = address shared0
                    v3: i32 = const 0
                    cluster_barrier
                    v4: bool = icmp eq v3, v0
                    branch v4, block1, block2
                block1:
                    v27: i32 = const 0 @0:3:4
                    v28: i64 = const 0 @0:3:4
                    v29: i64 = const 0 @0:3:4
                    jump block8(v27, v28, v29) @0:3:4
                block2:
                    v5: i32 = map_shared v2, v0
                    v6: f32 = load.cluster v5
                    store.global v1, v6
                    jump block3
                block3:
                    v16: i32 = address shared1
                    v17: i32 = const 4
                    v18: i32 = add v16, v17
                    v19: i32 = special cluster_nctarank
                    v21: i32 = special cluster_nctarank
                    v22: i32 = const 0
                    jump block4(v22)
                block4(v20: i32):
                    v23: i32 = map_shared v18, v20
                    atomic_store.cluster.gpu v23, v19
                    v24: i32 = const 1
                    v25: i32 = add v20, v24
                    v26: bool = icmp ult v25, v21
                    branch v26, block4(v25), block5
                block5:
                    cluster_barrier.divergent
                    return
                block8(v30: i32, v31: i64, v32: i64):
                    v33: i64 = param2
                    v34: i32 = const 0
                    v35: i32 = const 1
                    v36: i32 = cas.global.sys v33, v34, v35
                    v37: bool = icmp eq v36, v34
                    branch v37, block6(v33, v30, v31, v32), block7
                block6(v38: i64, v39: i32, v40: i64, v41: i64):
                    store.global v38 + 4, v39
                    store.global v38 + 8, v40
                    store.global v38 + 16, v41
                    v42: i32 = special ctaid.x
                    store.global v38 + 24, v42
                    v43: i32 = special ctaid.y
                    store.global v38 + 28, v43
                    v44: i32 = special ctaid.z
                    store.global v38 + 32, v44
                    v45: i32 = special tid.x
                    store.global v38 + 36, v45
                    v46: i32 = special tid.y
                    store.global v38 + 40, v46
                    v47: i32 = special tid.z
                    store.global v38 + 44, v47
                    jump block7
                block7:
                    v48: i32 = special ntid.x
                    v49: i32 = special ntid.y
                    v50: i32 = special ntid.z
                    v51: i32 = mul v48, v49
                    v52: i32 = mul v51, v50
                    v53: i32 = const 1
                    v54: i32 = sub v52, v53
                    v55: i32 = address shared1
                    v56: i32 = const 0
                    v57: i32 = add v55, v56
                    v58: i32 = atomic_add.shared.gpu v57, v53
                    v59: bool = icmp eq v58, v54
                    branch v59, block9, block12
                block9:
                    v60: i32 = address shared1
                    v61: i32 = const 4
                    v62: i32 = add v60, v61
                    v64: i32 = special cluster_nctarank
                    v65: i32 = const 0
                    jump block13(v65)
                block13(v63: i32):
                    v66: i32 = map_shared v62, v63
                    v67: i32 = atomic_add.cluster.gpu v66, v53
                    v68: i32 = const 1
                    v69: i32 = add v63, v68
                    v70: bool = icmp ult v69, v64
                    branch v70, block13(v69), block14
                block14:
                    jump block10
                block10:
                    cluster_barrier.divergent
                    v71: i32 = atomic_load.shared.gpu v62
                    v72: i32 = special cluster_nctarank
                    v73: bool = icmp uge v71, v72
                    branch v73, block11, block10
                block11:
                    cluster_barrier.divergent
                    jump block12
                block12:
                    return
                }
            "#]],
        );
    }
}
