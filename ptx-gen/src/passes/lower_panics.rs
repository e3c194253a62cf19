//! Turns panics into jumps to one cold block at the end, which claims the panic record and fills it.
//!
//! The function gets the address of the record as a hidden last parameter, only if it can still panic:
//! [`Function::panic_param`]. The record is a [`PanicRecord`]; the first thread that swaps `claimed` from 0 to 1, at
//! system scope since the host reads it, writes the rest. Every panicking thread then ends.

use crate::ir::{
    Block, BlockCall, Entity, Function, Inst, InstData, IntCond, MemoryOrder, MemoryScope, Param, ParamData, SourceLoc,
    Space, SpecialRegister, Type, Value,
};
use crate::panic::{PANIC_PARAM, PanicRecord};

/// The atomic operation takes an address without offset.
const _: () = assert!(PanicRecord::CLAIMED == 0);

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
    let cold = func.make_block();
    for (block, inst) in sites {
        let InstData::Panic { site, args } = std::mem::replace(&mut func.insts[inst], InstData::Return)
        else {
            continue;
        };
        let location = func.locations[inst];
        func.blocks[block].insts.pop();
        let mut at = Appender { func, block, location };
        let mut values = vec![at.constant(Type::I32, site.index() as u64)];
        values.extend(args.into_iter().take(PanicRecord::ARGS));
        while values.len() < 1 + PanicRecord::ARGS {
            values.push(at.constant(Type::I64, 0));
        }
        at.effect(InstData::Jump { target: BlockCall { block: cold, args: values } });
    }
    let param = func.params.push(ParamData {
        name: PANIC_PARAM.into(),
        ty: Type::I64,
        read_only: false,
        source: String::new(),
        pointer_align: Some(PanicRecord::ALIGN as u32),
    });
    fill_cold_block(func, cold, param);
}

fn fill_cold_block(func: &mut Function, cold: Block, param: Param) {
    let site = func.add_block_param(cold, Type::I32);
    let args: [Value; PanicRecord::ARGS] = std::array::from_fn(|_| func.add_block_param(cold, Type::I64));
    let [write, end] = [func.make_block(), func.make_block()];
    func.layout.extend([cold, write, end]);

    let mut at = Appender { func, block: cold, location: SourceLoc::default() };
    let record = at.value(InstData::Param { param }, Type::I64);
    let (unclaimed, claimed) = (at.constant(Type::I32, 0), at.constant(Type::I32, 1));
    let swap = InstData::AtomicCas {
        space: Space::Global,
        scope: MemoryScope::System,
        order: MemoryOrder::Relaxed,
        address: record,
        expected: unclaimed,
        desired: claimed,
    };
    let found = at.value(swap, Type::I32);
    let first = at.value(InstData::IntCompare { cond: IntCond::Eq, args: [found, unclaimed] }, Type::Bool);
    let [if_true, if_false] = [write, end].map(|block| BlockCall { block, args: Vec::new() });
    at.effect(InstData::Branch { cond: first, if_true, if_false, hint: None });

    at.block = write;
    at.store(record, PanicRecord::SITE, site);
    for (index, arg) in args.into_iter().enumerate() {
        at.store(record, PanicRecord::FIRST_ARG + 8 * index, arg);
    }
    const AXES: [(usize, [SpecialRegister; 3]); 2] = [
        (PanicRecord::BLOCK, [SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ]),
        (PanicRecord::THREAD, [SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ]),
    ];
    for (start, registers) in AXES {
        for (axis, register) in registers.into_iter().enumerate() {
            let value = at.value(InstData::Special { register }, Type::I32);
            at.store(record, start + 4 * axis, value);
        }
    }
    at.effect(InstData::Jump { target: BlockCall { block: end, args: Vec::new() } });
    at.block = end;
    at.effect(InstData::Return);
}

/// Adds instructions at the end of a block.
struct Appender<'a> {
    func: &'a mut Function,
    block: Block,
    location: SourceLoc,
}

impl Appender<'_> {
    fn effect(&mut self, data: InstData) {
        let inst = self.func.make_inst(data, None, self.location);
        self.func.blocks[self.block].insts.push(inst);
    }

    fn value(&mut self, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.func.blocks[self.block].insts.push(inst);
        value
    }

    fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.value(InstData::Const { bits }, ty)
    }

    fn store(&mut self, record: Value, offset: usize, value: Value) {
        self.effect(InstData::Store {
            space: Space::Global,
            address: record,
            offset: offset as i32,
            align: None,
            value,
        });
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

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
                    jump block3(v3, v4, v5) @0:3:4
                block2:
                    v6: i32 = const 1 @0:4:4
                    jump block3(v6, v0, v1) @0:4:4
                block3(v7: i32, v8: i64, v9: i64):
                    v10: i64 = param1
                    v11: i32 = const 0
                    v12: i32 = const 1
                    v13: i32 = cas.global.sys v10, v11, v12
                    v14: bool = icmp eq v13, v11
                    branch v14, block4, block5
                block4:
                    store.global v10 + 4, v7
                    store.global v10 + 8, v8
                    store.global v10 + 16, v9
                    v15: i32 = special ctaid.x
                    store.global v10 + 24, v15
                    v16: i32 = special ctaid.y
                    store.global v10 + 28, v16
                    v17: i32 = special ctaid.z
                    store.global v10 + 32, v17
                    v18: i32 = special tid.x
                    store.global v10 + 36, v18
                    v19: i32 = special tid.y
                    store.global v10 + 40, v19
                    v20: i32 = special tid.z
                    store.global v10 + 44, v20
                    jump block5
                block5:
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
