//! Lowers barriers of the grid to code that counts blocks in the workspace of a cooperative launch.
//!
//! The driver gives its address in `%envreg1` and `%envreg2`; the word behind its first 4 bytes is that of cooperative groups, and
//! used as they do (`sync_grids`): the first thread of each block adds one, with a release, that of the first block so much that
//! the highest bit changes once all have arrived; then it waits for that bit, with an acquire. Block barriers before and after
//! take the block's other threads with it.
//!
//! A thread that panicked never arrives. If it was the first of its block, its block never does, and the others would wait for ever.
//! So where the kernel can panic, a waiting thread reads the panic record from time to time. If a thread has claimed it, the waiting one
//! takes back what it added, so that the word is fit for the next launch, and its block ends; so does a block without
//! its first thread. Either all blocks synchronise or none does: the word is changed only if it has the value seen.

use super::append::Appender;
use super::unroll::copy::call;
use crate::ir::{
    AtomicOp, BarrierOp, BinaryOp, Block, BlockCall, ConvertOp, Function, InstData, IntCond, MemoryOrder,
    MemoryScope, Param, Space, SpecialRegister, Type, Value,
};
use kernel_abi::panic::PanicRecord;

/// Offset of the barrier's word in the workspace, after the size of that.
const WORD: u64 = 4;

/// Looks at the word between two looks into the panic record, which lies far away: a power of two.
const LOOKS: u64 = 256;

/// The atomic operation takes an address without offset.
const _: () = assert!(PanicRecord::CLAIMED == 0);

/// See the head of this file.
pub fn lower_grid_barriers(func: &mut Function) {
    let is_barrier = |func: &Function, inst| matches!(func.insts[inst], InstData::GridBarrier);
    let mut end = None;
    let mut index = 0;
    while let Some(&block) = func.layout.get(index) {
        index += 1;
        let insts = &func.blocks[block].insts;
        let Some(at) = insts.iter().position(|&inst| is_barrier(func, inst)) else { continue };
        // The instructions after the barrier go to a new block, which is visited next.
        let rest = func.blocks[block].insts.split_off(at);
        let Some((&barrier, rest)) = rest.split_first() else { continue };
        let next = func.make_block();
        func.blocks[next].insts = rest.to_vec();
        let location = func.locations[barrier];
        let record = func.panic_param();
        let at = Appender { func, block, location };
        let added = match record {
            None => Meeting { at }.certain(next),
            Some(record) => {
                let end = *end.get_or_insert_with(|| at.func.make_block());
                Meeting { at }.unless_panicked(record, next, end)
            }
        };
        func.layout.splice(index..index, added);
    }
    if let Some(end) = end {
        func.layout.push(end);
        let mut at = Appender { func, block: end, location: Default::default() };
        at.effect(InstData::Return);
    }
}

/// One barrier on its way into code.
struct Meeting<'a> {
    at: Appender<'a>,
}

/// State of the first thread of a block after its arrival.
struct Arrived {
    /// The word's address.
    word: Value,
    /// Value that it added.
    added: Value,
    /// Value of the word before.
    before: Value,
}

impl Meeting<'_> {
    /// Without panics: every first thread arrives. Returns the new blocks, `next` last.
    fn certain(mut self, next: Block) -> Vec<Block> {
        let [arrive, look, met] = self.blocks();
        self.split(arrive, call(met, &[]));
        self.at.block = arrive;
        let arrived = self.arrive();
        self.at.jump(look, Vec::new());
        self.at.block = look;
        let (_, all) = self.look(&arrived);
        self.branch(all, call(met, &[]), call(look, &[]));
        self.at.block = met;
        self.at.effect(InstData::Barrier);
        self.at.jump(next, Vec::new());
        vec![arrive, look, met, next]
    }

    /// Threads may have panicked: then the block goes on at `end`.
    fn unless_panicked(mut self, record: Param, next: Block, end: Block) -> Vec<Block> {
        let [arrive, look, wait, ask, leave, stay, met] = self.blocks();
        let count = self.at.func.add_block_param(look, Type::I32);
        let seen = self.at.func.add_block_param(leave, Type::I32);
        let has_met = self.at.func.add_block_param(met, Type::Bool);
        let no = self.at.constant(Type::Bool, 0);
        self.split(arrive, call(met, &[no]));

        self.at.block = arrive;
        let arrived = self.arrive();
        let yes = self.at.constant(Type::Bool, 1);
        let none = self.at.constant(Type::I32, 0);
        self.at.jump(look, vec![none]);

        self.at.block = look;
        let (now, all) = self.look(&arrived);
        self.branch(all, call(met, &[yes]), call(wait, &[]));

        self.at.block = wait;
        let one = self.at.constant(Type::I32, 1);
        let more = self.at.binary(BinaryOp::Add, count, one);
        let mask = self.at.constant(Type::I32, LOOKS - 1);
        let more = self.at.binary(BinaryOp::And, more, mask);
        let due = self.at.compare(IntCond::Eq, more, none);
        self.branch(due, call(ask, &[]), call(look, &[more]));

        self.at.block = ask;
        let panicked = self.at.has_panicked(record);
        self.branch(panicked, call(leave, &[now]), call(look, &[more]));

        self.at.block = leave;
        let less = self.at.binary(BinaryOp::Sub, seen, arrived.added);
        let exchange = InstData::AtomicCas {
            space: Space::Global,
            scope: MemoryScope::Device,
            order: MemoryOrder::Relaxed,
            address: arrived.word,
            expected: seen,
            desired: less,
        };
        let found = self.at.value(exchange, Type::I32);
        let left = self.at.compare(IntCond::Eq, found, seen);
        self.branch(left, call(met, &[no]), call(stay, &[]));

        // Somebody came or left just now; if it was the last to come, all have met.
        self.at.block = stay;
        let all = self.has_flipped(&arrived, found);
        self.branch(all, call(look, &[none]), call(leave, &[found]));

        self.at.block = met;
        let reduce = InstData::BarrierReduce { op: BarrierOp::Or, pred: has_met };
        let all = self.at.value(reduce, Type::Bool);
        self.branch(all, call(next, &[]), call(end, &[]));
        vec![arrive, look, wait, ask, leave, stay, met, next]
    }

    fn blocks<const N: usize>(&mut self) -> [Block; N] {
        std::array::from_fn(|_| self.at.func.make_block())
    }

    /// Waits for the block; its first thread goes on at `arrive`.
    fn split(&mut self, arrive: Block, others: BlockCall) {
        self.at.effect(InstData::Barrier);
        let first = self.at.is_first([SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ]);
        self.branch(first, call(arrive, &[]), others);
    }

    fn arrive(&mut self) -> Arrived {
        let [x, y, z] = [SpecialRegister::NctaidX, SpecialRegister::NctaidY, SpecialRegister::NctaidZ]
            .map(|register| self.at.special(register));
        let layer = self.at.binary(BinaryOp::Mul, x, y);
        let blocks = self.at.binary(BinaryOp::Mul, layer, z);
        // With the ones of the others this makes 2³¹.
        let all = self.at.constant(Type::I32, 0x8000_0001);
        let others = self.at.binary(BinaryOp::Sub, all, blocks);
        let one = self.at.constant(Type::I32, 1);
        let first =
            self.at.is_first([SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ]);
        let select = InstData::Select { cond: first, if_true: others, if_false: one };
        let added = self.at.value(select, Type::I32);
        let word = self.word();
        let add = InstData::AtomicRmw {
            op: AtomicOp::Add,
            space: Space::Global,
            scope: MemoryScope::Device,
            order: MemoryOrder::Release,
            address: word,
            value: added,
        };
        let before = self.at.value(add, Type::I32);
        Arrived { word, added, before }
    }

    /// Address of the barrier's word.
    fn word(&mut self) -> Value {
        let [high, low] = [SpecialRegister::EnvReg1, SpecialRegister::EnvReg2].map(|register| {
            let half = self.at.special(register);
            self.at.value(InstData::Convert { op: ConvertOp::ZeroExtend, arg: half }, Type::I64)
        });
        let by = self.at.constant(Type::I64, 32);
        let high = self.at.binary(BinaryOp::Shl, high, by);
        let start = self.at.binary(BinaryOp::Or, high, low);
        let distance = self.at.constant(Type::I64, WORD);
        self.at.binary(BinaryOp::Add, start, distance)
    }

    /// Current value of the word, and true if all blocks have arrived.
    fn look(&mut self, arrived: &Arrived) -> (Value, Value) {
        let load = InstData::AtomicLoad {
            space: Space::Global,
            scope: MemoryScope::Device,
            order: MemoryOrder::Acquire,
            address: arrived.word,
        };
        let now = self.at.value(load, Type::I32);
        (now, self.has_flipped(arrived, now))
    }

    /// Compares the highest bit with its value before: true if it has changed.
    fn has_flipped(&mut self, arrived: &Arrived, now: Value) -> Value {
        let changes = self.at.binary(BinaryOp::Xor, now, arrived.before);
        let zero = self.at.constant(Type::I32, 0);
        self.at.compare(IntCond::SLt, changes, zero)
    }

    fn branch(&mut self, cond: Value, if_true: BlockCall, if_false: BlockCall) {
        self.at.effect(InstData::Branch { cond, if_true, if_false, hint: None });
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn blocks_meet() {
        check(
            lower_grid_barriers,
            "kernel k(param0 n: i64) bounds(cooperative) {
            block0:
                v0: i64 = param0
                grid_barrier @0:3:4
                grid_barrier @0:4:4
                return
            }",
            expect![[r#"
                kernel k(param0 n: i64) bounds(cooperative) {
                block0:
                    v0: i64 = param0
                    barrier @0:3:4
                    v1: i32 = special tid.x @0:3:4
                    v2: i32 = special tid.y @0:3:4
                    v3: i32 = special tid.z @0:3:4
                    v4: i32 = or v1, v2 @0:3:4
                    v5: i32 = or v4, v3 @0:3:4
                    v6: i32 = const 0 @0:3:4
                    v7: bool = icmp eq v5, v6 @0:3:4
                    branch v7, block2, block4 @0:3:4
                block2:
                    v8: i32 = special nctaid.x @0:3:4
                    v9: i32 = special nctaid.y @0:3:4
                    v10: i32 = special nctaid.z @0:3:4
                    v11: i32 = mul v8, v9 @0:3:4
                    v12: i32 = mul v11, v10 @0:3:4
                    v13: i32 = const 0x80000001 @0:3:4
                    v14: i32 = sub v13, v12 @0:3:4
                    v15: i32 = const 1 @0:3:4
                    v16: i32 = special ctaid.x @0:3:4
                    v17: i32 = special ctaid.y @0:3:4
                    v18: i32 = special ctaid.z @0:3:4
                    v19: i32 = or v16, v17 @0:3:4
                    v20: i32 = or v19, v18 @0:3:4
                    v21: i32 = const 0 @0:3:4
                    v22: bool = icmp eq v20, v21 @0:3:4
                    v23: i32 = select v22, v14, v15 @0:3:4
                    v24: i32 = special envreg1 @0:3:4
                    v25: i64 = zext v24 @0:3:4
                    v26: i32 = special envreg2 @0:3:4
                    v27: i64 = zext v26 @0:3:4
                    v28: i64 = const 32 @0:3:4
                    v29: i64 = shl v25, v28 @0:3:4
                    v30: i64 = or v29, v27 @0:3:4
                    v31: i64 = const 4 @0:3:4
                    v32: i64 = add v30, v31 @0:3:4
                    v33: i32 = atomic_add.global.gpu.release v32, v23 @0:3:4
                    jump block3 @0:3:4
                block3:
                    v34: i32 = atomic_load.global.gpu.acquire v32 @0:3:4
                    v35: i32 = xor v34, v33 @0:3:4
                    v36: i32 = const 0 @0:3:4
                    v37: bool = icmp slt v35, v36 @0:3:4
                    branch v37, block4, block3 @0:3:4
                block4:
                    barrier @0:3:4
                    jump block1 @0:3:4
                block1:
                    barrier @0:4:4
                    v38: i32 = special tid.x @0:4:4
                    v39: i32 = special tid.y @0:4:4
                    v40: i32 = special tid.z @0:4:4
                    v41: i32 = or v38, v39 @0:4:4
                    v42: i32 = or v41, v40 @0:4:4
                    v43: i32 = const 0 @0:4:4
                    v44: bool = icmp eq v42, v43 @0:4:4
                    branch v44, block6, block8 @0:4:4
                block6:
                    v45: i32 = special nctaid.x @0:4:4
                    v46: i32 = special nctaid.y @0:4:4
                    v47: i32 = special nctaid.z @0:4:4
                    v48: i32 = mul v45, v46 @0:4:4
                    v49: i32 = mul v48, v47 @0:4:4
                    v50: i32 = const 0x80000001 @0:4:4
                    v51: i32 = sub v50, v49 @0:4:4
                    v52: i32 = const 1 @0:4:4
                    v53: i32 = special ctaid.x @0:4:4
                    v54: i32 = special ctaid.y @0:4:4
                    v55: i32 = special ctaid.z @0:4:4
                    v56: i32 = or v53, v54 @0:4:4
                    v57: i32 = or v56, v55 @0:4:4
                    v58: i32 = const 0 @0:4:4
                    v59: bool = icmp eq v57, v58 @0:4:4
                    v60: i32 = select v59, v51, v52 @0:4:4
                    v61: i32 = special envreg1 @0:4:4
                    v62: i64 = zext v61 @0:4:4
                    v63: i32 = special envreg2 @0:4:4
                    v64: i64 = zext v63 @0:4:4
                    v65: i64 = const 32 @0:4:4
                    v66: i64 = shl v62, v65 @0:4:4
                    v67: i64 = or v66, v64 @0:4:4
                    v68: i64 = const 4 @0:4:4
                    v69: i64 = add v67, v68 @0:4:4
                    v70: i32 = atomic_add.global.gpu.release v69, v60 @0:4:4
                    jump block7 @0:4:4
                block7:
                    v71: i32 = atomic_load.global.gpu.acquire v69 @0:4:4
                    v72: i32 = xor v71, v70 @0:4:4
                    v73: i32 = const 0 @0:4:4
                    v74: bool = icmp slt v72, v73 @0:4:4
                    branch v74, block8, block7 @0:4:4
                block8:
                    barrier @0:4:4
                    jump block5 @0:4:4
                block5:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn who_waits_looks_for_panics() {
        check(
            |func| {
                super::super::lower_panics::lower_panics(func);
                lower_grid_barriers(func);
            },
            "kernel k(param0 n: i64) bounds(cooperative) {
                panic0 divide_by_zero @0:3:4
            block0:
                v0: i64 = param0
                v1: i64 = const 0
                v2: bool = icmp eq v0, v1
                branch v2, block1, block2
            block1:
                panic panic0 @0:3:4
            block2:
                grid_barrier @0:4:4
                return
            }",
            expect![[r#"
                kernel k(param0 n: i64, param1 $panic: i64 ptr align 8) bounds(cooperative) {
                    panic0 divide_by_zero @0:3:4
                block0:
                    v0: i64 = param0
                    v1: i64 = const 0
                    v2: bool = icmp eq v0, v1
                    branch v2, block1, block2
                block1:
                    v3: i32 = const 0 @0:3:4
                    v4: i64 = const 0 @0:3:4
                    v5: i64 = const 0 @0:3:4
                    jump block5(v3, v4, v5) @0:3:4
                block2:
                    v27: bool = const false @0:4:4
                    barrier @0:4:4
                    v28: i32 = special tid.x @0:4:4
                    v29: i32 = special tid.y @0:4:4
                    v30: i32 = special tid.z @0:4:4
                    v31: i32 = or v28, v29 @0:4:4
                    v32: i32 = or v31, v30 @0:4:4
                    v33: i32 = const 0 @0:4:4
                    v34: bool = icmp eq v32, v33 @0:4:4
                    branch v34, block8, block14(v27) @0:4:4
                block8:
                    v35: i32 = special nctaid.x @0:4:4
                    v36: i32 = special nctaid.y @0:4:4
                    v37: i32 = special nctaid.z @0:4:4
                    v38: i32 = mul v35, v36 @0:4:4
                    v39: i32 = mul v38, v37 @0:4:4
                    v40: i32 = const 0x80000001 @0:4:4
                    v41: i32 = sub v40, v39 @0:4:4
                    v42: i32 = const 1 @0:4:4
                    v43: i32 = special ctaid.x @0:4:4
                    v44: i32 = special ctaid.y @0:4:4
                    v45: i32 = special ctaid.z @0:4:4
                    v46: i32 = or v43, v44 @0:4:4
                    v47: i32 = or v46, v45 @0:4:4
                    v48: i32 = const 0 @0:4:4
                    v49: bool = icmp eq v47, v48 @0:4:4
                    v50: i32 = select v49, v41, v42 @0:4:4
                    v51: i32 = special envreg1 @0:4:4
                    v52: i64 = zext v51 @0:4:4
                    v53: i32 = special envreg2 @0:4:4
                    v54: i64 = zext v53 @0:4:4
                    v55: i64 = const 32 @0:4:4
                    v56: i64 = shl v52, v55 @0:4:4
                    v57: i64 = or v56, v54 @0:4:4
                    v58: i64 = const 4 @0:4:4
                    v59: i64 = add v57, v58 @0:4:4
                    v60: i32 = atomic_add.global.gpu.release v59, v50 @0:4:4
                    v61: bool = const true @0:4:4
                    v62: i32 = const 0 @0:4:4
                    jump block9(v62) @0:4:4
                block9(v24: i32):
                    v63: i32 = atomic_load.global.gpu.acquire v59 @0:4:4
                    v64: i32 = xor v63, v60 @0:4:4
                    v65: i32 = const 0 @0:4:4
                    v66: bool = icmp slt v64, v65 @0:4:4
                    branch v66, block14(v61), block10 @0:4:4
                block10:
                    v67: i32 = const 1 @0:4:4
                    v68: i32 = add v24, v67 @0:4:4
                    v69: i32 = const 255 @0:4:4
                    v70: i32 = and v68, v69 @0:4:4
                    v71: bool = icmp eq v70, v62 @0:4:4
                    branch v71, block11, block9(v70) @0:4:4
                block11:
                    v72: i64 = param1 @0:4:4
                    v73: i32 = atomic_load.global.sys v72 @0:4:4
                    v74: i32 = const 0 @0:4:4
                    v75: bool = icmp ne v73, v74 @0:4:4
                    branch v75, block12(v63), block9(v70) @0:4:4
                block12(v25: i32):
                    v76: i32 = sub v25, v50 @0:4:4
                    v77: i32 = cas.global.gpu v59, v25, v76 @0:4:4
                    v78: bool = icmp eq v77, v25 @0:4:4
                    branch v78, block14(v27), block13 @0:4:4
                block13:
                    v79: i32 = xor v77, v60 @0:4:4
                    v80: i32 = const 0 @0:4:4
                    v81: bool = icmp slt v79, v80 @0:4:4
                    branch v81, block9(v62), block12(v77) @0:4:4
                block14(v26: bool):
                    v82: bool = barrier.or v26 @0:4:4
                    branch v82, block6, block7 @0:4:4
                block6:
                    return
                block5(v6: i32, v7: i64, v8: i64):
                    v9: i64 = param1
                    v10: i32 = const 0
                    v11: i32 = const 1
                    v12: i32 = cas.global.sys v9, v10, v11
                    v13: bool = icmp eq v12, v10
                    branch v13, block3(v9, v6, v7, v8), block4
                block3(v14: i64, v15: i32, v16: i64, v17: i64):
                    store.global v14 + 4, v15
                    store.global v14 + 8, v16
                    store.global v14 + 16, v17
                    v18: i32 = special ctaid.x
                    store.global v14 + 24, v18
                    v19: i32 = special ctaid.y
                    store.global v14 + 28, v19
                    v20: i32 = special ctaid.z
                    store.global v14 + 32, v20
                    v21: i32 = special tid.x
                    store.global v14 + 36, v21
                    v22: i32 = special tid.y
                    store.global v14 + 40, v22
                    v23: i32 = special tid.z
                    store.global v14 + 44, v23
                    jump block4
                block4:
                    return
                block7:
                    return
                }
            "#]],
        );
    }
}
