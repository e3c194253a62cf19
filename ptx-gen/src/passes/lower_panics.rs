//! Lowers panics to jumps to one cold block at the end, which claims the panic record and fills it.
//!
//! The function gets the address of the record as a hidden parameter, only if it can still panic:
//! [`Function::panic_param`]. The record is a [`PanicRecord`]; the first thread that swaps `claimed` from 0 to 1, at
//! system scope since the host reads it, writes the rest. Every panicking thread then ends.
//!
//! Few values go to the common block as its arguments. A panic with more claims the record itself and writes them, so
//! that it costs the others no registers.
//!
//! Copies by tensor maps that a thread has started go on without it. They write the shared memory of the block, which must not end before them (PTX
//! ISA, "cp.async.bulk.tensor"): where there are maps, a thread that panicked stays for as long as copies may take.
//!
//! A barrier for a number of threads does not count those that have ended (PTX ISA, "barrier"): who waits there for one that panicked would wait for
//! ever. In a kernel with such barriers a panic ends the launch, by a trap, once the record is written.

use super::append::{Appender, TO_HOST};
use crate::ir::{
    BinaryOp, Block, Entity, Function, Inst, InstData, IntCond, MemoryOrder, Param, SourceLoc, Space,
    SpecialRegister, Type, Value,
};
use kernel_abi::panic::PanicRecord;

/// The atomic operation takes an address without offset.
const _: () = assert!(PanicRecord::CLAIMED == 0);

/// So many values go to the common block: an index and a length.
const COMMON_ARGS: usize = 2;

/// Nanoseconds for which a thread that panicked stays where copies may be under way, which take microseconds.
const TIME_OF_COPIES: u64 = 100_000;

/// See the head of this file.
pub fn lower_panics(func: &mut Function) {
    let panics = |block: &Block| {
        let inst = func.terminator(*block)?;
        matches!(func.insts[inst], InstData::Panic { .. }).then_some((*block, inst))
    };
    let sites: Vec<(Block, Inst)> = func.layout.iter().filter_map(panics).collect();
    if sites.is_empty() {
        return;
    }
    let param = func.last_panic_param();
    let mut cold = ColdBlocks { param, common: None, fill: func.make_block(), end: func.make_block() };
    for (block, inst) in sites {
        let InstData::Panic { site, args } = std::mem::replace(&mut func.insts[inst], InstData::Return)
        else {
            continue;
        };
        let location = func.locations[inst];
        func.blocks[block].insts.pop();
        let mut at = Appender { func, block, location };
        let site = at.constant(Type::I32, site.index() as u64);
        match args.split_at_checked(COMMON_ARGS) {
            Some((common, more)) if !more.is_empty() => cold.write_many(at, site, common, more),
            Some(_) | None => {
                let mut values = vec![site];
                values.extend(args);
                while values.len() < 1 + COMMON_ARGS {
                    values.push(at.constant(Type::I64, 0));
                }
                let common = *cold.common.get_or_insert_with(|| at.func.make_block());
                at.jump(common, values);
            }
        }
    }
    cold.finish(func);
}

/// The blocks that panics share.
struct ColdBlocks {
    param: Param,
    /// Claims the record; its parameters are the site and the first values.
    common: Option<Block>,
    /// Writes site and values, block and thread; its parameters are the record's address, the site and the first values.
    fill: Block,
    /// Ends the thread.
    end: Block,
}

impl ColdBlocks {
    /// A panic whose values are more than the common block takes.
    fn write_many(&mut self, mut at: Appender<'_>, site: Value, common: &[Value], more: &[Value]) {
        let write = at.func.make_block();
        let after = at.func.layout.iter().position(|&block| block == at.block).map_or(0, |index| index + 1);
        at.func.layout.insert(after, write);
        let record = self.claim(&mut at, |_| (write, Vec::new()));
        at.block = write;
        for (&value, index) in more.iter().zip(COMMON_ARGS..) {
            at.store(record, PanicRecord::arg(index), value);
        }
        at.jump(self.fill, [&[record, site], common].concat());
    }

    /// Claims the record and goes on at a block if it was free, with arguments; both may depend on the record's address,
    /// which is the answer.
    fn claim(&self, at: &mut Appender<'_>, next: impl FnOnce(Value) -> (Block, Vec<Value>)) -> Value {
        let record = at.value(InstData::Param { param: self.param }, Type::I64);
        let (unclaimed, claimed) = (at.constant(Type::I32, 0), at.constant(Type::I32, 1));
        let swap = InstData::AtomicCas {
            space: Space::Global,
            scope: TO_HOST,
            order: MemoryOrder::Relaxed,
            address: record,
            expected: unclaimed,
            desired: claimed,
        };
        let found = at.value(swap, Type::I32);
        let first =
            at.value(InstData::IntCompare { cond: IntCond::Eq, args: [found, unclaimed] }, Type::Bool);
        at.branch(first, next(record), self.end);
        record
    }

    fn finish(self, func: &mut Function) {
        let types = [Type::I64, Type::I32].into_iter().chain([Type::I64; COMMON_ARGS]);
        let types: Vec<Type> = types.collect();
        let params = |func: &mut Function, block, types: &[Type]| -> Vec<Value> {
            types.iter().map(|&ty| func.add_block_param(block, ty)).collect()
        };
        if let Some(common) = self.common {
            let values = params(func, common, &types[1..]);
            func.layout.push(common);
            let mut at = Appender { func, block: common, location: SourceLoc::default() };
            self.claim(&mut at, |record| (self.fill, [vec![record], values].concat()));
        }
        let values = params(func, self.fill, &types);
        let (record, site, args) = (values[0], values[1], &values[2..]);
        func.layout.extend([self.fill, self.end]);
        let mut at = Appender { func, block: self.fill, location: SourceLoc::default() };
        at.store(record, PanicRecord::SITE, site);
        for (index, &value) in args.iter().enumerate() {
            at.store(record, PanicRecord::arg(index), value);
        }
        at.store_position(record, PanicRecord::BLOCK as i32, PanicRecord::THREAD as i32);
        at.jump(self.end, Vec::new());
        at.block = self.end;
        if waits_for_numbers(at.func) {
            // The record is written by then, and what waits ends with the launch.
            outlast_copies(&mut at);
            at.stop_launch();
            return;
        }
        if at.func.params.values().any(|data| data.map_of.is_some()) {
            outlast_copies(&mut at);
        }
        super::cluster_memory::after_panic(at);
    }
}

/// Returns true if threads wait at barriers for a number of others, of which one that panicked would be missing.
fn waits_for_numbers(func: &Function) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(|&inst| matches!(func.insts[inst], InstData::NamedBarrier { .. }))
}

/// Waits for as long as copies may take.
fn outlast_copies(at: &mut Appender<'_>) {
    let timer = InstData::Special { register: SpecialRegister::GlobalTimer };
    let [wait, end] = std::array::from_fn(|_| at.func.make_block());
    let start = at.value(timer.clone(), Type::I64);
    at.jump(wait, Vec::new());
    at.func.layout.extend([wait, end]);
    at.block = wait;
    let now = at.value(timer, Type::I64);
    let passed = at.binary(BinaryOp::Sub, now, start);
    let time = at.constant(Type::I64, TIME_OF_COPIES);
    let is_early = at.compare(IntCond::ULt, passed, time);
    at.branch(is_early, (wait, Vec::new()), end);
    at.block = end;
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    /// A wait has asked for the record already, and what is printed came after it.
    #[test]
    fn the_record_is_the_last_parameter() {
        check(
            lower_panics,
            "kernel k(param0 n: i32, param1 $panic: i64 ptr align 8, param2 $print: i64 ptr align 8) {
                panic0 divide_by_zero @0:3:4
            block0:
                v0: i64 = param1
                v1: i64 = param2
                v2: i32 = atomic_load.global.sys.relaxed v0
                store.global v1, v2
                panic panic0 @0:3:4
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 $print: i64 ptr align 8, param2 $panic: i64 ptr align 8) {
                    panic0 divide_by_zero @0:3:4
                block0:
                    v0: i64 = param2
                    v1: i64 = param1
                    v2: i32 = atomic_load.global.sys v0
                    store.global v1, v2
                    v3: i32 = const 0 @0:3:4
                    v4: i64 = const 0 @0:3:4
                    v5: i64 = const 0 @0:3:4
                    jump block3(v3, v4, v5) @0:3:4
                block3(v6: i32, v7: i64, v8: i64):
                    v9: i64 = param2
                    v10: i32 = const 0
                    v11: i32 = const 1
                    v12: i32 = cas.global.sys v9, v10, v11
                    v13: bool = icmp eq v12, v10
                    branch v13, block1(v9, v6, v7, v8), block2
                block1(v14: i64, v15: i32, v16: i64, v17: i64):
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
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn threads_that_panic_outlast_copies_by_maps() {
        check(
            lower_panics,
            "kernel k(param0 a: i64 ptr align 2, param1 a_map: i64 ptr align 64 map_of param0 of 2, param2 $panic: i64 ptr align 8) {
                panic0 divide_by_zero @0:3:4
            block0:
                v0: i64 = param1
                panic panic0 @0:3:4
            }",
            expect![[r#"
                kernel k(param0 a: i64 ptr align 2, param1 a_map: i64 ptr align 64 map_of param0 of 2, param2 $panic: i64 ptr align 8) {
                    panic0 divide_by_zero @0:3:4
                block0:
                    v0: i64 = param1
                    v1: i32 = const 0 @0:3:4
                    v2: i64 = const 0 @0:3:4
                    v3: i64 = const 0 @0:3:4
                    jump block3(v1, v2, v3) @0:3:4
                block3(v4: i32, v5: i64, v6: i64):
                    v7: i64 = param2
                    v8: i32 = const 0
                    v9: i32 = const 1
                    v10: i32 = cas.global.sys v7, v8, v9
                    v11: bool = icmp eq v10, v8
                    branch v11, block1(v7, v4, v5, v6), block2
                block1(v12: i64, v13: i32, v14: i64, v15: i64):
                    store.global v12 + 4, v13
                    store.global v12 + 8, v14
                    store.global v12 + 16, v15
                    v16: i32 = special ctaid.x
                    store.global v12 + 24, v16
                    v17: i32 = special ctaid.y
                    store.global v12 + 28, v17
                    v18: i32 = special ctaid.z
                    store.global v12 + 32, v18
                    v19: i32 = special tid.x
                    store.global v12 + 36, v19
                    v20: i32 = special tid.y
                    store.global v12 + 40, v20
                    v21: i32 = special tid.z
                    store.global v12 + 44, v21
                    jump block2
                block2:
                    v22: i64 = special globaltimer
                    jump block4
                block4:
                    v23: i64 = special globaltimer
                    v24: i64 = sub v23, v22
                    v25: i64 = const 100000
                    v26: bool = icmp ult v24, v25
                    branch v26, block4, block5
                block5:
                    return
                }
            "#]],
        );
    }

    /// A thread that ends does not let go those that wait there.
    #[test]
    fn panics_stop_launches_with_barriers_for_some() {
        check(
            lower_panics,
            "kernel k(param0 n: i32, param1 $panic: i64 ptr align 8) {
                panic0 divide_by_zero @0:3:4
            block0:
                v0: i32 = param0
                v1: i32 = const 64
                named_barrier.sync 1, v1
                panic panic0 @0:3:4
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 $panic: i64 ptr align 8) {
                    inline0 "trap;" out in memory
                    panic0 divide_by_zero @0:3:4
                block0:
                    v0: i32 = param0
                    v1: i32 = const 64
                    named_barrier.sync 1, v1
                    v2: i32 = const 0 @0:3:4
                    v3: i64 = const 0 @0:3:4
                    v4: i64 = const 0 @0:3:4
                    jump block3(v2, v3, v4) @0:3:4
                block3(v5: i32, v6: i64, v7: i64):
                    v8: i64 = param1
                    v9: i32 = const 0
                    v10: i32 = const 1
                    v11: i32 = cas.global.sys v8, v9, v10
                    v12: bool = icmp eq v11, v9
                    branch v12, block1(v8, v5, v6, v7), block2
                block1(v13: i64, v14: i32, v15: i64, v16: i64):
                    store.global v13 + 4, v14
                    store.global v13 + 8, v15
                    store.global v13 + 16, v16
                    v17: i32 = special ctaid.x
                    store.global v13 + 24, v17
                    v18: i32 = special ctaid.y
                    store.global v13 + 28, v18
                    v19: i32 = special ctaid.z
                    store.global v13 + 32, v19
                    v20: i32 = special tid.x
                    store.global v13 + 36, v20
                    v21: i32 = special tid.y
                    store.global v13 + 40, v21
                    v22: i32 = special tid.z
                    store.global v13 + 44, v22
                    jump block2
                block2:
                    v23: i64 = special globaltimer
                    jump block4
                block4:
                    v24: i64 = special globaltimer
                    v25: i64 = sub v24, v23
                    v26: i64 = const 100000
                    v27: bool = icmp ult v25, v26
                    branch v27, block4, block5
                block5:
                    fence.sys
                    inline_effect inline0
                    return
                }
            "#]],
        );
    }

    #[test]
    fn panics_share_one_block() {
        check(
            lower_panics,
            "kernel k(param0 n: i64) {
                panic0 divide_by_zero @0:3:4
                panic1 index @0:4:4
            block0:
                v0: i64 = param0
                v1: i64 = const 0
                v2: bool = icmp eq v0, v1
                branch v2, block1, block2
            block1:
                panic panic0 @0:3:4
            block2:
                panic panic1(v0, v1) @0:4:4
            }",
            expect![[r#"
                kernel k(param0 n: i64, param1 $panic: i64 ptr align 8) {
                    panic0 divide_by_zero @0:3:4
                    panic1 index @0:4:4
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
                    v6: i32 = const 1 @0:4:4
                    jump block5(v6, v0, v1) @0:4:4
                block5(v7: i32, v8: i64, v9: i64):
                    v10: i64 = param1
                    v11: i32 = const 0
                    v12: i32 = const 1
                    v13: i32 = cas.global.sys v10, v11, v12
                    v14: bool = icmp eq v13, v11
                    branch v14, block3(v10, v7, v8, v9), block4
                block3(v15: i64, v16: i32, v17: i64, v18: i64):
                    store.global v15 + 4, v16
                    store.global v15 + 8, v17
                    store.global v15 + 16, v18
                    v19: i32 = special ctaid.x
                    store.global v15 + 24, v19
                    v20: i32 = special ctaid.y
                    store.global v15 + 28, v20
                    v21: i32 = special ctaid.z
                    store.global v15 + 32, v21
                    v22: i32 = special tid.x
                    store.global v15 + 36, v22
                    v23: i32 = special tid.y
                    store.global v15 + 40, v23
                    v24: i32 = special tid.z
                    store.global v15 + 44, v24
                    jump block4
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_panic_with_many_values_writes_them_itself() {
        check(
            lower_panics,
            "kernel k(param0 n: i64) {
                panic0 formatted format 0 words 3 @0:3:4
            block0:
                v0: i64 = param0
                panic panic0(v0, v0, v0) @0:3:4
            }",
            expect![[r#"
                kernel k(param0 n: i64, param1 $panic: i64 ptr align 8) {
                    panic0 formatted format 0 words 3 @0:3:4
                block0:
                    v0: i64 = param0
                    v1: i32 = const 0 @0:3:4
                    v2: i64 = param1 @0:3:4
                    v3: i32 = const 0 @0:3:4
                    v4: i32 = const 1 @0:3:4
                    v5: i32 = cas.global.sys v2, v3, v4 @0:3:4
                    v6: bool = icmp eq v5, v3 @0:3:4
                    branch v6, block3, block2 @0:3:4
                block3:
                    store.global v2 + 48, v0 @0:3:4
                    jump block1(v2, v1, v0, v0) @0:3:4
                block1(v7: i64, v8: i32, v9: i64, v10: i64):
                    store.global v7 + 4, v8
                    store.global v7 + 8, v9
                    store.global v7 + 16, v10
                    v11: i32 = special ctaid.x
                    store.global v7 + 24, v11
                    v12: i32 = special ctaid.y
                    store.global v7 + 28, v12
                    v13: i32 = special ctaid.z
                    store.global v7 + 32, v13
                    v14: i32 = special tid.x
                    store.global v7 + 36, v14
                    v15: i32 = special tid.y
                    store.global v7 + 40, v15
                    v16: i32 = special tid.z
                    store.global v7 + 44, v16
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_function_that_cannot_panic_gets_no_parameter() {
        check(
            lower_panics,
            "kernel k(param0 n: i64) { panic0 divide_by_zero block0: return }",
            expect![[r#"
                kernel k(param0 n: i64) {
                    panic0 divide_by_zero
                block0:
                    return
                }
            "#]],
        );
    }
}
