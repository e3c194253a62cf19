//! Lowers prints to code that reserves room in the buffer for the record, and writes it there: see
//! [`output`](kernel_abi::output).
//!
//! The function gets the buffer's address as a hidden parameter, only if it prints: [`Function::print_param`].

use super::append::{Appender, TO_HOST};
use crate::ir::{
    AtomicOp, BinaryOp, Block, Entity, Function, InstData, IntCond, MemoryOrder, Param, ParamData, PrintSite,
    Space, Type, Value,
};
use kernel_abi::output;

/// Atomic operations take an address without offset.
const _: () = assert!(output::LEFT == 0);

/// See the head of this file.
pub fn lower_prints(func: &mut Function) {
    let prints = |func: &Function, block: Block| {
        func.blocks[block].insts.iter().position(|&inst| matches!(func.insts[inst], InstData::Print { .. }))
    };
    let mut param = None;
    let mut index = 0;
    while let Some(&block) = func.layout.get(index) {
        index += 1;
        let Some(at) = prints(func, block) else { continue };
        let param = *param.get_or_insert_with(|| {
            func.params.push(ParamData {
                name: output::PRINT_PARAM.into(),
                ty: Type::I64,
                read_only: false,
                min: 0,
                max: None,
                elements: None,
                map_of: None,
                source: String::new(),
                pointer_align: Some(output::ALIGN as u32),
            })
        });
        // The instructions after the print go to a new block, which is visited next.
        let rest = func.blocks[block].insts.split_off(at);
        let next = func.make_block();
        let Some((&print, rest)) = rest.split_first() else { continue };
        func.blocks[next].insts = rest.to_vec();
        let InstData::Print { site, args } = func.insts[print].clone() else { continue };
        let added = write_record(func, block, next, &Print { param, site, args, inst: print });
        func.layout.splice(index..index, added);
    }
}

/// A print on its way into the buffer.
struct Print {
    param: Param,
    site: PrintSite,
    args: Vec<Value>,
    inst: crate::ir::Inst,
}

/// Fills the end of `block`, and new blocks that go on at `next`; answers with those and `next`, in the order of the text.
fn write_record(func: &mut Function, block: Block, next: Block, print: &Print) -> [Block; 3] {
    let [write, lose] = [func.make_block(), func.make_block()];
    let location = func.locations[print.inst];
    let size = output::record_bytes(print.args.len());
    let mut at = Appender { func, block, location };
    let add = |at: &mut Appender<'_>, address: Value, amount: i64| {
        let value = at.constant(Type::I64, amount as u64);
        let data = InstData::AtomicRmw {
            op: AtomicOp::Add,
            space: Space::Global,
            scope: TO_HOST,
            order: MemoryOrder::Relaxed,
            address,
            value,
        };
        at.value(data, Type::I64)
    };

    let buffer = at.value(InstData::Param { param: print.param }, Type::I64);
    let left = add(&mut at, buffer, -(size as i64));
    let needed = at.constant(Type::I64, size as u64);
    let fits = at.value(InstData::IntCompare { cond: IntCond::SGe, args: [left, needed] }, Type::Bool);
    at.branch(fits, (write, Vec::new()), lose);

    at.block = write;
    // The record ends where what was left ends.
    let end = at.value(
        InstData::Binary { op: BinaryOp::Add, args: [buffer, left], no_unsigned_wrap: false },
        Type::I64,
    );
    let tail = output::RECORDS as i32 - output::TAIL as i32;
    let first = tail - 8 * print.args.len() as i32;
    for (index, &arg) in print.args.iter().enumerate() {
        at.store_at(end, first + 8 * index as i32, arg);
    }
    at.store_position(end, tail + output::BLOCK as i32, tail + output::THREAD as i32);
    let site = at.constant(Type::I32, print.site.index() as u64);
    at.store_at(end, tail + output::SITE as i32, site);
    let mark = at.constant(Type::I32, output::WRITTEN.into());
    at.store_at(end, tail + output::MARK as i32, mark);
    at.jump(next, Vec::new());

    at.block = lose;
    let distance = at.constant(Type::I64, output::LOST as u64);
    let lost = at.value(
        InstData::Binary { op: BinaryOp::Add, args: [buffer, distance], no_unsigned_wrap: false },
        Type::I64,
    );
    add(&mut at, lost, 1);
    at.jump(next, Vec::new());
    [write, lose, next]
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn prints_take_room_and_write() {
        check(
            lower_prints,
            "kernel k(param0 n: i64) {
                print0 format 3 words 0 @0:3:4
                print1 format 4 words 2 @0:4:4
            block0:
                v0: i64 = param0
                print print0 @0:3:4
                v1: i64 = add v0, v0
                print print1(v0, v1) @0:4:4
                return
            }",
            expect![[r#"
                kernel k(param0 n: i64, param1 $print: i64 ptr align 8) {
                    print0 format 3 words 0 @0:3:4
                    print1 format 4 words 2 @0:4:4
                block0:
                    v0: i64 = param0
                    v2: i64 = param1 @0:3:4
                    v3: i64 = const -32 @0:3:4
                    v4: i64 = atomic_add.global.sys v2, v3 @0:3:4
                    v5: i64 = const 32 @0:3:4
                    v6: bool = icmp sge v4, v5 @0:3:4
                    branch v6, block2, block3 @0:3:4
                block2:
                    v7: i64 = add v2, v4 @0:3:4
                    v8: i32 = special ctaid.x @0:3:4
                    store.global v7 - 16, v8 @0:3:4
                    v9: i32 = special ctaid.y @0:3:4
                    store.global v7 - 12, v9 @0:3:4
                    v10: i32 = special ctaid.z @0:3:4
                    store.global v7 - 8, v10 @0:3:4
                    v11: i32 = special tid.x @0:3:4
                    store.global v7 - 4, v11 @0:3:4
                    v12: i32 = special tid.y @0:3:4
                    store.global v7, v12 @0:3:4
                    v13: i32 = special tid.z @0:3:4
                    store.global v7 + 4, v13 @0:3:4
                    v14: i32 = const 0 @0:3:4
                    store.global v7 + 8, v14 @0:3:4
                    v15: i32 = const 1 @0:3:4
                    store.global v7 + 12, v15 @0:3:4
                    jump block1 @0:3:4
                block3:
                    v16: i64 = const 8 @0:3:4
                    v17: i64 = add v2, v16 @0:3:4
                    v18: i64 = const 1 @0:3:4
                    v19: i64 = atomic_add.global.sys v17, v18 @0:3:4
                    jump block1 @0:3:4
                block1:
                    v1: i64 = add v0, v0
                    v20: i64 = param1 @0:4:4
                    v21: i64 = const -48 @0:4:4
                    v22: i64 = atomic_add.global.sys v20, v21 @0:4:4
                    v23: i64 = const 48 @0:4:4
                    v24: bool = icmp sge v22, v23 @0:4:4
                    branch v24, block5, block6 @0:4:4
                block5:
                    v25: i64 = add v20, v22 @0:4:4
                    store.global v25 - 32, v0 @0:4:4
                    store.global v25 - 24, v1 @0:4:4
                    v26: i32 = special ctaid.x @0:4:4
                    store.global v25 - 16, v26 @0:4:4
                    v27: i32 = special ctaid.y @0:4:4
                    store.global v25 - 12, v27 @0:4:4
                    v28: i32 = special ctaid.z @0:4:4
                    store.global v25 - 8, v28 @0:4:4
                    v29: i32 = special tid.x @0:4:4
                    store.global v25 - 4, v29 @0:4:4
                    v30: i32 = special tid.y @0:4:4
                    store.global v25, v30 @0:4:4
                    v31: i32 = special tid.z @0:4:4
                    store.global v25 + 4, v31 @0:4:4
                    v32: i32 = const 1 @0:4:4
                    store.global v25 + 8, v32 @0:4:4
                    v33: i32 = const 1 @0:4:4
                    store.global v25 + 12, v33 @0:4:4
                    jump block4 @0:4:4
                block6:
                    v34: i64 = const 8 @0:4:4
                    v35: i64 = add v20, v34 @0:4:4
                    v36: i64 = const 1 @0:4:4
                    v37: i64 = atomic_add.global.sys v35, v36 @0:4:4
                    jump block4 @0:4:4
                block4:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn a_function_that_does_not_print_gets_no_parameter() {
        check(
            lower_prints,
            "kernel k() { print0 format 0 words 0 block0: return }",
            expect![[r#"
                kernel k() {
                    print0 format 0 words 0
                block0:
                    return
                }
            "#]],
        );
    }
}
