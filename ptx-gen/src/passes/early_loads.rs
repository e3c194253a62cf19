//! Loads before slow operations: of `y[i] /= s` all elements of an unrolled iteration are loaded before the first division.
//!
//! ptxas 13.0 makes a branch of a division, of a square root and of a division of 64-bit integers, with the rare cases behind it, and moves no load
//! from behind one to its front: the copies of an iteration would wait for memory one after the other. A load moves up in its block,
//! past stores that it does not overlap: to other elements of the same base, or where nobody writes what it reads.

use crate::ir::{
    BinaryOp, Block, CacheHints, Function, Inst, InstData, Space, Type, UnaryOp, Value, ValueDef,
};

/// Bytes that move in a block: they wait in registers.
const MOST_BYTES: u32 = 32;
/// Instructions of an address that move with its load.
const MOST_PARTS: usize = 12;

/// See the head of this file.
pub fn load_early(func: &mut Function) {
    for block in func.layout.clone() {
        load_early_in(func, block);
    }
}

fn load_early_in(func: &mut Function, block: Block) {
    let mut insts = std::mem::take(&mut func.blocks[block].insts);
    let mut bytes = 0;
    if let Some(first) = insts.iter().position(|&inst| is_slow(func, inst)) {
        for from in first + 1..insts.len() {
            let Some(mut load) = Read::of(func, insts[from]) else { continue };
            let Some(to) = load.place_in(func, &insts[first..from]).map(|to| first + to) else { continue };
            if bytes + load.bytes <= MOST_BYTES {
                let passed = insts[to..from].iter().copied();
                let (moved, stays): (Vec<Inst>, Vec<Inst>) =
                    passed.partition(|inst| load.parts.contains(inst));
                let all = moved.into_iter().chain([insts[from]]).chain(stays);
                let all: Vec<Inst> = all.collect();
                insts[to..=from].copy_from_slice(&all);
                bytes += load.bytes;
            }
        }
    }
    func.blocks[block].insts = insts;
}

/// Returns true for an operation that ptxas makes a branch of.
pub(super) fn is_slow(func: &Function, inst: Inst) -> bool {
    let is_long = func.results[inst].is_some_and(|result| func.ty(result) == Type::I64);
    match func.insts[inst] {
        InstData::Binary { op: BinaryOp::FDiv, .. } | InstData::Unary { op: UnaryOp::Sqrt, .. } => true,
        InstData::Binary {
            op: BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem,
            args,
            ..
        } => is_long && func.constant(args[1]).is_none(),
        _ => false,
    }
}

/// A load from global memory.
struct Read {
    /// Base of the address, and its constant distance from it.
    place: (Value, i64),
    bytes: u32,
    read_only: bool,
    /// The instructions that the address is computed by, of those that the load passes: they move with it.
    parts: Vec<Inst>,
    /// Operands of the load and of its parts.
    needed: Vec<Value>,
}

impl Read {
    fn of(func: &Function, inst: Inst) -> Option<Read> {
        match func.insts[inst] {
            InstData::Load { space: Space::Global, address, offset, read_only, cache, .. }
                if cache == CacheHints::NORMAL =>
            {
                let bytes = func.ty(func.results[inst]?).bytes();
                let place = place(func, address, offset);
                Some(Read { place, bytes, read_only, parts: Vec::new(), needed: vec![address] })
            }
            _ => None,
        }
    }

    /// The position of the first slow one among the instructions before it that it may pass.
    fn place_in(&mut self, func: &Function, before: &[Inst]) -> Option<usize> {
        let passed = before.iter().rev().take_while(|&&inst| self.may_pass(func, inst));
        let start = before.len() - passed.count();
        before[start..].iter().position(|&inst| is_slow(func, inst)).map(|slow| start + slow)
    }

    /// Returns true if the load, with its parts, gives the same before an instruction that comes before it.
    fn may_pass(&mut self, func: &Function, inst: Inst) -> bool {
        if func.results[inst].is_some_and(|result| self.needed.contains(&result)) {
            let data = &func.insts[inst];
            let moves = data.is_pure() && !is_slow(func, inst) && self.parts.len() < MOST_PARTS;
            if moves {
                self.parts.push(inst);
                data.visit_args(|arg| self.needed.push(arg));
            }
            return moves;
        }
        match func.insts[inst] {
            InstData::Store { space: Space::Global | Space::Generic, address, offset, value, .. } => {
                let (base, start) = place(func, address, offset);
                let is_apart = self.place.1 + i64::from(self.bytes) <= start
                    || start + i64::from(func.ty(value).bytes()) <= self.place.1;
                self.read_only || base == self.place.0 && is_apart
            }
            InstData::Store { .. } | InstData::Load { .. } => true,
            ref data => data.is_pure(),
        }
    }
}

/// Base of an address, and its constant distance from it.
fn place(func: &Function, address: Value, offset: i32) -> (Value, i64) {
    let (mut base, mut sum) = (address, i64::from(offset));
    while let ValueDef::Result(inst) = func.values[base].def
        && let InstData::Binary { op: BinaryOp::Add, args: [rest, more], .. } = func.insts[inst]
        && let Some(number) = func.constant(more)
        && let Ok(number) = i32::try_from(number as i64)
        && let Some(next) = sum.checked_add(number.into())
    {
        (base, sum) = (rest, next);
    }
    (base, sum)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, check_stays};
    use super::*;

    /// `y[i] /= s; y[i + 1] /= s;`, where the second element is loaded and stored like this.
    fn quotients(load: &str, store: &str) -> String {
        format!(
            "kernel k(param0 y: i64 ptr align 4, param1 s: f32, param2 x: i64 ptr align 4 read_only) {{
            block0:
                v0: i64 = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: f32 = load.global v0
                v4: f32 = fdiv v3, v1
                store.global v0, v4
                v5: i64 = const 4
                v6: i64 = add v0, v5
                v7: f32 = load.global {load}
                v8: f32 = fdiv v7, v1
                store.global {store}, v8
                return
            }}"
        )
    }

    #[test]
    fn both_elements_before_the_first_quotient() {
        check(
            load_early,
            &quotients("v6", "v6"),
            expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 s: f32, param2 x: i64 ptr align 4 read_only) {
            block0:
                v0: i64 = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: f32 = load.global v0
                v5: i64 = const 4
                v6: i64 = add v0, v5
                v7: f32 = load.global v6
                v4: f32 = fdiv v3, v1
                store.global v0, v4
                v8: f32 = fdiv v7, v1
                store.global v6, v8
                return
            }
        "#]],
        );
    }

    #[test]
    fn what_nobody_writes() {
        check(
            load_early,
            &quotients("v2 + 4 read_only", "v6"),
            expect![[r#"
            kernel k(param0 y: i64 ptr align 4, param1 s: f32, param2 x: i64 ptr align 4 read_only) {
            block0:
                v0: i64 = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: f32 = load.global v0
                v7: f32 = load.global v2 + 4 read_only
                v4: f32 = fdiv v3, v1
                store.global v0, v4
                v5: i64 = const 4
                v6: i64 = add v0, v5
                v8: f32 = fdiv v7, v1
                store.global v6, v8
                return
            }
        "#]],
        );
    }

    /// The address of the next iteration is computed of its counter: its parts move with the load, and what else needs them stays.
    #[test]
    fn parts_of_an_address_move_with_its_load() {
        check(
            load_early,
            "kernel k(param0 y: i64 ptr align 4, param1 s: f32, param2 x: i64 ptr align 4 read_only, param3 i: i32) {
            block0:
                v0: i64 = param0
                v1: f32 = param1
                v2: i64 = param2
                v3: i32 = param3
                v4: f32 = load.global v2 read_only
                v5: f32 = fdiv v4, v1
                store.global v0, v5
                v6: i32 = const 32
                v7: i32 = add v3, v6
                v8: i64 = zext v7
                v9: i64 = const 4
                v10: i64 = mul v8, v9
                v11: i64 = add v2, v10
                v12: f32 = load.global v11 read_only
                v13: f32 = fdiv v12, v1
                v14: i64 = add v0, v10
                store.global v14, v13
                return
            }",
            expect![[r#"
                kernel k(param0 y: i64 ptr align 4, param1 s: f32, param2 x: i64 ptr align 4 read_only, param3 i: i32) {
                block0:
                    v0: i64 = param0
                    v1: f32 = param1
                    v2: i64 = param2
                    v3: i32 = param3
                    v4: f32 = load.global v2 read_only
                    v6: i32 = const 32
                    v7: i32 = add v3, v6
                    v8: i64 = zext v7
                    v9: i64 = const 4
                    v10: i64 = mul v8, v9
                    v11: i64 = add v2, v10
                    v12: f32 = load.global v11 read_only
                    v5: f32 = fdiv v4, v1
                    store.global v0, v5
                    v13: f32 = fdiv v12, v1
                    v14: i64 = add v0, v10
                    store.global v14, v13
                    return
                }
            "#]],
        );
    }

    #[test]
    fn what_a_store_may_change() {
        // Another base, and an element that overlaps with the one stored.
        check_stays(load_early, &quotients("v2 + 4", "v6"));
        check_stays(load_early, &quotients("v0 + 2", "v6"));
        check_stays(load_early, &quotients("v6 - 4", "v6"));
    }

    #[test]
    fn nothing_slow_to_pass() {
        check_stays(load_early, &quotients("v6", "v6").replace("fdiv", "fmul"));
    }

    /// Nine elements: those that move wait in registers.
    #[test]
    fn no_more_than_registers() {
        let element = |number: u32| {
            let [load, quotient] = [1, 2].map(|step| 2 * number + step);
            format!(
                "v{load}: f32 = load.global v0 + {offset} v{quotient}: f32 = fdiv v{load}, v1 store.global v0 + {offset}, v{quotient}\n",
                offset = 4 * number
            )
        };
        let body: String = (1..=10).map(element).collect();
        let text = format!(
            "kernel k(param0 y: i64 ptr align 4, param1 s: f32) {{ block0: v0: i64 = param0 v1: f32 = param1 {body} return }}"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        load_early(&mut func);
        crate::passes::assert_valid("under test", &func);
        let insts = &func.blocks[func.entry()].insts;
        let loads = insts.iter().skip(2).take_while(|&&inst| Read::of(&func, inst).is_some());
        // The first one is there already.
        assert_eq!(loads.count(), 1 + MOST_BYTES as usize / 4);
    }
}
