//! Address space inference: finds the memory that a generic address names, and accesses it directly.
//!
//! The front end makes every reference a generic address. If all origins of an address, through sums, selections
//! and parameters of blocks, are of one space, the access is to that space, by an address of that space that is computed
//! beside the generic one. An address that only comes from parameters of read-only memory makes the load
//! read-only. Inline PTX whose text converts an operand by `cvta.to.shared` is given the address of that space. The analysis is optimistic, from nothing known up a lattice to a fixed point, as in "Infer address
//! spaces" of LLVM.

use std::collections::HashMap;

use super::{dce, simplify_cfg};
use crate::analysis::Cfg;
use crate::inline;
use crate::ir::{
    BinaryOp, Block, ConvertOp, EntityMap, Function, InlineAsm, Inst, InstData, Param, SourceLoc, Space,
    Type, Value, ValueDef,
};

/// See the head of this file.
pub fn infer_spaces(func: &mut Function) {
    infer(func);
}

/// Infers the spaces; returns true if any access changed.
pub(super) fn infer(func: &mut Function) -> bool {
    let conversions = conversions(func);
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if conversions.is_empty() && !insts.any(|&inst| is_generic(func, inst)) {
        return false;
    }
    simplify_cfg::remove_unreachable(func);
    let cfg = Cfg::new(func);
    let origins = Origins::new(func, &cfg, conversions);
    let needed = origins.needed(func);
    let Some(needed) = needed else { return false };
    let shadows = EntityMap::filled(func.values.len(), None);
    let texts = HashMap::new();
    Rewriter { shadows, func, origins, needed, texts, out: Vec::new() }.run(cfg.order());
    dce::eliminate_dead_code(func);
    true
}

fn is_generic(func: &Function, inst: Inst) -> bool {
    func.insts[inst].access().is_some_and(|(space, _)| space == Space::Generic)
}

/// Origin of a number as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Nothing has been seen yet.
    Unknown,
    /// Numbers of the source, which are never accessed: the address in a `None`, say.
    Constant,
    /// No address, as far as is seen.
    Integer,
    /// A generic address of one space, and the parameter with read-only memory that it comes from.
    Pointer { space: Space, read_only: bool, from: Option<Param> },
    /// It may be of several.
    Mixed,
}

impl Origin {
    fn join(self, other: Origin) -> Origin {
        use Origin::{Constant, Integer, Mixed, Pointer, Unknown};
        match (self, other) {
            (Unknown, other) | (other, Unknown) => other,
            (Constant, other) | (other, Constant) => other,
            (Integer, Integer) => Integer,
            (
                Pointer { space: a, read_only, from },
                Pointer { space: b, read_only: is_read_only, from: also },
            ) if a == b => Pointer {
                space: a,
                read_only: read_only && is_read_only,
                from: from.filter(|_| from == also),
            },
            (Integer | Mixed | Pointer { .. }, Integer | Mixed | Pointer { .. }) => Mixed,
        }
    }

    /// Of a sum; of a difference if `other` is what is subtracted.
    fn plus(self, other: Origin) -> Origin {
        use Origin::{Constant, Integer, Mixed, Pointer, Unknown};
        match (self, other) {
            (Unknown, _) | (_, Unknown) => Unknown,
            (Mixed, _) | (_, Mixed) | (Pointer { .. }, Pointer { .. }) => Mixed,
            (pointer @ Pointer { .. }, Constant | Integer)
            | (Constant | Integer, pointer @ Pointer { .. }) => pointer,
            (Constant, Constant) => Constant,
            (Constant | Integer, Constant | Integer) => Integer,
        }
    }
}

/// Facts about an access by a generic address.
struct Access {
    /// The space of the address.
    space: Space,
    /// A load reads memory that no one writes.
    read_only: bool,
    /// The parameter that a loaded number is below.
    below: Option<Param>,
}

/// The inputs of inline PTX that it converts to addresses of a space.
type Conversions = HashMap<InlineAsm, Vec<(usize, Space)>>;

fn conversions(func: &Function) -> Conversions {
    let all = func.inlines.iter().map(|(asm, data)| (asm, inline::conversions(data)));
    all.filter(|(_, conversions)| !conversions.is_empty()).collect()
}

struct Origins {
    of: EntityMap<Value, Origin>,
    conversions: Conversions,
}

impl Origins {
    fn new(func: &Function, cfg: &Cfg, conversions: Conversions) -> Origins {
        let of = EntityMap::filled(func.values.len(), Origin::Unknown);
        let mut origins = Origins { of, conversions };
        while origins.sweep(func, cfg.order()) {}
        origins
    }

    /// Looks at every instruction once more. Whether more is known of a parameter than before.
    fn sweep(&mut self, func: &Function, order: &[Block]) -> bool {
        let mut changed = false;
        for &block in order {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                if let Some(result) = func.results[inst]
                    && func.ty(result) == Type::I64
                {
                    self.of[result] = self.transfer(func, data);
                }
                for call in data.successors() {
                    for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                        if func.ty(param) == Type::I64 {
                            let joined = self.of[param].join(self.of[arg]);
                            changed |= joined != self.of[param];
                            self.of[param] = joined;
                        }
                    }
                }
            }
        }
        changed
    }

    fn transfer(&self, func: &Function, data: &InstData) -> Origin {
        match *data {
            InstData::Const { .. } => Origin::Constant,
            InstData::ToGeneric { space, address } => {
                let is_global = space == Space::Global;
                let from = is_global.then(|| read_only_param(func, address, READ_ONLY_DEPTH)).flatten();
                Origin::Pointer { space, read_only: from.is_some(), from }
            }
            InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => self.of[a].plus(self.of[b]),
            InstData::Binary { op: BinaryOp::Sub, args: [a, b], .. } => match (self.of[a], self.of[b]) {
                // A distance.
                (Origin::Pointer { .. }, Origin::Pointer { .. }) => Origin::Integer,
                (_, Origin::Pointer { .. }) => Origin::Mixed,
                (a, b) => a.plus(b),
            },
            InstData::Select { if_true, if_false, .. } => self.of[if_true].join(self.of[if_false]),
            _ => Origin::Integer,
        }
    }

    /// The origin of the address of this access if it is a generic one of which the space is known: a pointer.
    fn access(&self, func: &Function, inst: Inst) -> Option<Access> {
        let data = &func.insts[inst];
        let (Space::Generic, address) = data.access()? else { return None };
        let Origin::Pointer { space, read_only, from } = self.of[address] else { return None };
        let is_atomic = data.is_atomic();
        // Only these two have atomic operations, and constants are not written.
        let is_store = matches!(data, InstData::Store { .. });
        let exists = match space {
            Space::Global | Space::Shared | Space::Cluster => true,
            Space::Local | Space::Generic => !is_atomic,
            Space::Const => !is_atomic && !is_store,
        };
        let below = from.and_then(|param| func.params[param].elements).and_then(|limit| {
            let ty = func.results[inst].map(|result| func.ty(result));
            (ty == Some(limit.ty)).then_some(limit.below)
        });
        exists.then_some(Access { space, read_only, below })
    }

    /// The addresses among the arguments of inline PTX that it converts to those of the space that they are of, by their index.
    fn converted(&self, func: &Function, inst: Inst) -> Vec<(usize, Space)> {
        let (InstData::Inline { asm, args, .. } | InstData::InlineEffect { asm, args }) = &func.insts[inst]
        else {
            return Vec::new();
        };
        let conversions = self.conversions.get(asm).into_iter().flatten().copied();
        let is_of = |&(input, space): &(usize, Space)| matches!(self.of[args[input]], Origin::Pointer { space: of, .. } if of == space);
        conversions.filter(is_of).collect()
    }

    /// The generic addresses that are needed in their own space too; none if no access changes.
    fn needed(&self, func: &Function) -> Option<EntityMap<Value, bool>> {
        let mut needed = EntityMap::<Value, bool>::filled(func.values.len(), false);
        let mut work = Vec::new();
        let mut arguments: EntityMap<Value, Vec<Value>> = EntityMap::new();
        let mut any = false;
        for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            if self.access(func, inst).is_some() {
                any = true;
                work.extend(func.insts[inst].access().map(|(_, address)| address));
            }
            for (input, _) in self.converted(func, inst) {
                any = true;
                work.extend(inline_args(&func.insts[inst]).get(input));
            }
        }
        while let Some(value) = work.pop() {
            let Origin::Pointer { .. } = self.of[value] else { continue };
            if std::mem::replace(&mut needed[value], true) {
                continue;
            }
            match func.values[value].def {
                ValueDef::Result(inst) => match &func.insts[inst] {
                    InstData::ToGeneric { .. } => {}
                    data => data.visit_args(|arg| work.push(arg)),
                },
                ValueDef::Param(_) => {
                    if arguments.is_empty() {
                        arguments = all_arguments(func);
                    }
                    work.extend(&arguments[value]);
                }
            }
        }
        any.then_some(needed)
    }
}

/// Arguments passed for each parameter of a block.
fn all_arguments(func: &Function) -> EntityMap<Value, Vec<Value>> {
    let mut arguments = EntityMap::filled(func.values.len(), Vec::new());
    for terminator in func.layout.iter().filter_map(|&block| func.terminator(block)) {
        for call in func.insts[terminator].successors() {
            for (&param, &arg) in func.blocks[call.block].params.iter().zip(&call.args) {
                arguments[param].push(arg);
            }
        }
    }
    arguments
}

/// Maximum depth to which sums are followed back to a parameter.
const READ_ONLY_DEPTH: u32 = 8;

/// The parameter of read-only memory that an address of global memory comes from.
fn read_only_param(func: &Function, address: Value, depth: u32) -> Option<Param> {
    let depth = depth.checked_sub(1)?;
    match func.def(address)? {
        InstData::Param { param } => Some(*param).filter(|&param| func.params[param].read_only),
        InstData::Binary { op: BinaryOp::Add, args, .. } => {
            args.iter().find_map(|&arg| read_only_param(func, arg, depth))
        }
        InstData::Binary { op: BinaryOp::Sub, args, .. } => read_only_param(func, args[0], depth),
        _ => None,
    }
}

fn inline_args(data: &InstData) -> &[Value] {
    match data {
        InstData::Inline { args, .. } | InstData::InlineEffect { args, .. } => args,
        _ => &[],
    }
}

struct Rewriter<'f> {
    func: &'f mut Function,
    origins: Origins,
    needed: EntityMap<Value, bool>,
    /// The address in its own space of each generic address that is needed there.
    shadows: EntityMap<Value, Option<Value>>,
    /// Inline PTX without the conversions of these inputs.
    texts: HashMap<(InlineAsm, Vec<usize>), InlineAsm>,
    /// The instructions of the block so far.
    out: Vec<Inst>,
}

impl Rewriter<'_> {
    fn run(mut self, order: &[Block]) {
        for &block in order {
            for index in 0..self.func.blocks[block].params.len() {
                let param = self.func.blocks[block].params[index];
                if let Some(space) = self.space(param) {
                    self.shadows[param] = Some(self.func.add_block_param(block, space.address_type()));
                }
            }
        }
        for &block in order {
            for inst in std::mem::take(&mut self.func.blocks[block].insts) {
                self.inst(inst);
            }
            self.func.blocks[block].insts = std::mem::take(&mut self.out);
        }
    }

    /// The space of a generic address that is needed there.
    fn space(&self, value: Value) -> Option<Space> {
        match self.origins.of[value] {
            Origin::Pointer { space, .. } if self.needed[value] => Some(space),
            Origin::Pointer { .. } | Origin::Unknown | Origin::Constant | Origin::Integer | Origin::Mixed => {
                None
            }
        }
    }

    fn inst(&mut self, inst: Inst) {
        let location = self.func.locations[inst];
        if let Some(result) = self.func.results[inst]
            && self.needed.get(result) == Some(&true)
            && let Some(space) = self.space(result)
        {
            self.out.push(inst);
            self.shadows[result] = Some(self.shadow(inst, space));
            return;
        }
        if let Some(Access { space, read_only, below }) = self.origins.access(self.func, inst)
            && let Some((_, generic)) = self.func.insts[inst].access()
        {
            let direct = self.direct(generic, space, location);
            if let Some((old_space, address)) = self.func.insts[inst].access_mut() {
                (*old_space, *address) = (space, direct);
            }
            if let InstData::Load { read_only: is_read_only, below: limit, .. } = &mut self.func.insts[inst] {
                *is_read_only |= read_only;
                *limit = limit.or(below);
            }
        }
        self.drop_conversions(inst, location);
        if self.func.insts[inst].is_terminator() {
            self.pass_arguments(inst, location);
        }
        self.out.push(inst);
    }

    /// Hands inline PTX the addresses that it would convert.
    fn drop_conversions(&mut self, inst: Inst, location: SourceLoc) {
        let converted = self.origins.converted(self.func, inst);
        if converted.is_empty() {
            return;
        }
        let mut data = std::mem::replace(&mut self.func.insts[inst], InstData::Return);
        if let InstData::Inline { asm, args, .. } | InstData::InlineEffect { asm, args } = &mut data {
            for &(input, space) in &converted {
                args[input] = self.direct(args[input], space, location);
            }
            let inputs = converted.iter().map(|&(input, _)| input).collect();
            let texts = &mut self.func.inlines;
            *asm = *self.texts.entry((*asm, inputs)).or_insert_with(|| {
                let text = texts[*asm].clone();
                let text =
                    converted.iter().fold(text, |text, &(input, _)| inline::without_conversion(&text, input));
                texts.push(text)
            });
        }
        self.func.insts[inst] = data;
    }

    /// Computes the result of an instruction as an address of its space.
    fn shadow(&mut self, inst: Inst, space: Space) -> Value {
        let location = self.func.locations[inst];
        let ty = space.address_type();
        let data = match self.func.insts[inst] {
            InstData::ToGeneric { address, .. } => return address,
            InstData::Binary { op, args: [a, b], no_unsigned_wrap } => {
                let mut half = |value| match self.needed[value] {
                    true => self.direct(value, space, location),
                    false => self.distance(value, ty, no_unsigned_wrap, location),
                };
                InstData::Binary { op, args: [half(a), half(b)], no_unsigned_wrap }
            }
            InstData::Select { cond, if_true, if_false } => InstData::Select {
                cond,
                if_true: self.direct(if_true, space, location),
                if_false: self.direct(if_false, space, location),
            },
            // Nothing else has a pointer's origin.
            ref other => other.clone(),
        };
        self.push(data, ty, location)
    }

    /// A generic address as one of its space; a constant among such addresses stays what it is.
    fn direct(&mut self, generic: Value, space: Space, location: SourceLoc) -> Value {
        match self.shadows.get(generic) {
            Some(&Some(direct)) => direct,
            Some(None) | None => self.distance(generic, space.address_type(), false, location),
        }
    }

    /// A distance between addresses, in the width of this space's. `exact` if the sum is known not to wrap, so that the
    /// distance does not either.
    fn distance(&mut self, distance: Value, ty: Type, exact: bool, location: SourceLoc) -> Value {
        if ty == Type::I64 {
            return distance;
        }
        let data = match self.func.def(distance) {
            Some(InstData::Const { bits }) => InstData::Const { bits: bits & ty.mask() },
            Some(&InstData::Convert { op: ConvertOp::ZeroExtend | ConvertOp::SignExtend, arg })
                if self.func.ty(arg) == ty =>
            {
                return arg;
            }
            Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap })
                if matches!(op, BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub)
                    && self.func.constant(b).is_some() =>
            {
                let exact = exact && no_unsigned_wrap;
                let args = [a, b].map(|arg| self.distance(arg, ty, exact, location));
                InstData::Binary { op, args, no_unsigned_wrap: exact }
            }
            _ => InstData::Convert { op: ConvertOp::Truncate, arg: distance },
        };
        self.push(data, ty, location)
    }

    /// Passes the addresses for the parameters that were added.
    fn pass_arguments(&mut self, inst: Inst, location: SourceLoc) {
        let mut data = std::mem::replace(&mut self.func.insts[inst], InstData::Return);
        for call in data.successors_mut() {
            for index in 0..call.args.len() {
                let param = self.func.blocks[call.block].params[index];
                if let Some(space) = self.space(param) {
                    let direct = self.direct(call.args[index], space, location);
                    call.args.push(direct);
                }
            }
        }
        self.func.insts[inst] = data;
    }

    fn push(&mut self, data: InstData, ty: Type, location: SourceLoc) -> Value {
        let (inst, value) = self.func.make_value(data, ty, location);
        self.out.push(inst);
        value
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    #[test]
    fn parameters() {
        check(
            infer_spaces,
            "kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4, param2 i: i32) {
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i64 = param1
                v3: i64 = to_generic.global v2
                v4: i32 = param2
                v5: i64 = zext v4
                v6: i64 = const 4
                v7: i64 = mul nuw v5, v6
                v8: i64 = add nuw v1, v7
                v9: f32 = load.generic v8
                v10: i64 = add nuw v3, v7
                v11: f32 = load.generic v10
                v12: f32 = fadd v9, v11
                store.generic v10, v12
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4, param2 i: i32) {
                block0:
                    v0: i64 = param0
                    v2: i64 = param1
                    v4: i32 = param2
                    v5: i64 = zext v4
                    v6: i64 = const 4
                    v7: i64 = mul nuw v5, v6
                    v13: i64 = add nuw v0, v7
                    v9: f32 = load.global v13 read_only
                    v14: i64 = add nuw v2, v7
                    v11: f32 = load.global v14
                    v12: f32 = fadd v9, v11
                    store.global v14, v12
                    return
                }
            "#]],
        );
    }

    #[test]
    fn limits_of_elements() {
        // A load of another type reads no element, and one from either of two slices has no limit.
        check(
            infer_spaces,
            "kernel k(param0 x: i64 ptr align 4 read_only elements i32 below param1, param1 n: i64 max 4294967296, param2 z: i64 ptr align 4 read_only, param3 c: bool, param4 y: i64 ptr align 4) {
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i64 = param2
                v3: i64 = to_generic.global v2
                v4: i32 = load.generic v1 + 4
                v5: i16 = load.generic v1
                v6: bool = param3
                v7: i64 = select v6, v1, v3
                v8: i32 = load.generic v7
                v9: i32 = load.generic v3
                v10: i32 = add v4, v8
                v11: i32 = add v9, v10
                v12: i32 = zext v5
                v13: i32 = add v11, v12
                v14: i64 = param4
                store.global v14, v13
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4 read_only elements i32 below param1, param1 n: i64 max 4294967296, param2 z: i64 ptr align 4 read_only, param3 c: bool, param4 y: i64 ptr align 4) {
                block0:
                    v0: i64 = param0
                    v2: i64 = param2
                    v4: i32 = load.global v0 + 4 read_only below param1
                    v5: i16 = load.global v0 read_only
                    v6: bool = param3
                    v15: i64 = select v6, v0, v2
                    v8: i32 = load.global v15 read_only
                    v9: i32 = load.global v2 read_only
                    v10: i32 = add v4, v8
                    v11: i32 = add v9, v10
                    v12: i32 = zext v5
                    v13: i32 = add v11, v12
                    v14: i64 = param4
                    store.global v14, v13
                    return
                }
            "#]],
        );
    }

    #[test]
    fn shared_memory_has_short_addresses() {
        check(
            infer_spaces,
            "kernel k(param0 i: i32, param1 j: i64) {
                shared0 tile: 1024 align 4
            block0:
                v0: i32 = address shared0
                v1: i64 = to_generic.shared v0
                v2: i32 = param0
                v3: i64 = zext v2
                v4: i64 = const 4
                v5: i64 = mul nuw v3, v4
                v6: i64 = add nuw v1, v5
                v7: i32 = load.generic v6 + 8
                v8: i64 = param1
                v9: i64 = mul v8, v4
                v10: i64 = add v6, v9
                v11: i32 = cas.generic.cta v10, v7, v7
                v12: i64 = sub v10, v4
                store.generic v12, v12
                return
            }",
            expect![[r#"
                kernel k(param0 i: i32, param1 j: i64) {
                    shared0 tile: 1024 align 4
                block0:
                    v0: i32 = address shared0
                    v1: i64 = to_generic.shared v0
                    v2: i32 = param0
                    v3: i64 = zext v2
                    v4: i64 = const 4
                    v5: i64 = mul nuw v3, v4
                    v6: i64 = add nuw v1, v5
                    v13: i32 = const 4
                    v14: i32 = mul nuw v2, v13
                    v15: i32 = add nuw v0, v14
                    v7: i32 = load.shared v15 + 8
                    v8: i64 = param1
                    v9: i64 = mul v8, v4
                    v10: i64 = add v6, v9
                    v16: i32 = trunc_int v8
                    v17: i32 = const 4
                    v18: i32 = mul v16, v17
                    v19: i32 = add v15, v18
                    v11: i32 = cas.shared.cta v19, v7, v7
                    v12: i64 = sub v10, v4
                    v20: i32 = const 4
                    v21: i32 = sub v19, v20
                    store.shared v21, v12
                    return
                }
            "#]],
        );
    }

    #[test]
    fn through_loops_and_choices() {
        check(
            infer_spaces,
            "kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4 read_only, param2 c: bool) {
                local0 a: 16 align 4
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i64 = param1
                v3: i64 = to_generic.global v2
                v4: bool = param2
                v5: i64 = select v4, v1, v3
                v6: i64 = const 0
                v7: i64 = address local0
                v8: i64 = to_generic.local v7
                v9: i64 = const 4
                v10: i32 = const 7
                branch v4, block1(v5, v6), block1(v1, v8)
            block1(v11: i64, v12: i64):
                v13: i32 = load.generic v11
                store.generic v12, v13
                v14: i64 = add v11, v9
                v15: i64 = add v12, v9
                branch v4, block1(v14, v15), block2
            block2:
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4 read_only, param1 y: i64 ptr align 4 read_only, param2 c: bool) {
                    local0 a: 16 align 4
                block0:
                    v0: i64 = param0
                    v2: i64 = param1
                    v4: bool = param2
                    v18: i64 = select v4, v0, v2
                    v6: i64 = const 0
                    v7: i64 = address local0
                    v9: i64 = const 4
                    branch v4, block1(v18, v6), block1(v0, v7)
                block1(v16: i64, v17: i64):
                    v13: i32 = load.global v16 read_only
                    store.local v17, v13
                    v19: i64 = add v16, v9
                    v20: i64 = add v17, v9
                    branch v4, block1(v19, v20), block2
                block2:
                    return
                }
            "#]],
        );
    }

    #[test]
    fn mixed_addresses_stay() {
        check(
            infer_spaces,
            "kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 c: bool) {
                local0 a: 16 align 4
                local1 b: 16 align 4
            block0:
                v0: i64 = param0
                v1: i64 = to_generic.global v0
                v2: i64 = address local0
                v3: i64 = to_generic.local v2
                v4: bool = param2
                v5: i64 = select v4, v1, v3
                v6: i32 = load.generic v5
                v7: i64 = param1
                v8: i32 = load.generic v7
                v9: i64 = add v1, v3
                store.generic v9, v8
                v10: i32 = cas.generic.gpu v3, v6, v8
                v11: i64 = address local1
                v12: i64 = to_generic.local v11
                store.generic v12, v3
                v13: i64 = load.generic v12
                store.generic v13, v10
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 c: bool) {
                    local0 a: 16 align 4
                    local1 b: 16 align 4
                block0:
                    v0: i64 = param0
                    v1: i64 = to_generic.global v0
                    v2: i64 = address local0
                    v3: i64 = to_generic.local v2
                    v4: bool = param2
                    v5: i64 = select v4, v1, v3
                    v6: i32 = load.generic v5
                    v7: i64 = param1
                    v8: i32 = load.generic v7
                    v9: i64 = add v1, v3
                    store.generic v9, v8
                    v10: i32 = cas.generic.gpu v3, v6, v8
                    v11: i64 = address local1
                    store.local v11, v3
                    v13: i64 = load.local v11
                    store.generic v13, v10
                    return
                }
            "#]],
        );
    }

    #[test]
    fn inline_ptx_is_given_the_address_that_it_converts() {
        check(
            infer_spaces,
            r#"kernel k(param0 i: i32, param1 x: i64 ptr align 4) {
                shared0 tile: 1024 align 16
                inline0 ".reg .b64 %a;\ncvta.to.shared.u64 %a, %_op0;\nst.shared.b32 [%a], 1;" out in(i64) memory
                inline1 ".reg .b64 %a;\ncvta.to.shared.u64 %a, %_op0;\nadd.u64 %a, %a, 8;\nst.shared.b32 [%a], 1;" out in(i64) memory
                inline2 ".reg .b64 %a;\ncvta.to.global.u64 %a, %_op0;\nst.global.b32 [%a+4], 1;" out in(i64) memory
            block0:
                v0: i32 = address shared0
                v1: i64 = to_generic.shared v0
                v2: i32 = param0
                v3: i64 = zext v2
                v4: i64 = add v1, v3
                inline_effect inline0(v4)
                inline_effect inline1(v4)
                inline_effect inline2(v4)
                v5: i64 = param1
                v6: i64 = to_generic.global v5
                inline_effect inline2(v6)
                inline_effect inline0(v6)
                return
            }"#,
            expect![[r#"
                kernel k(param0 i: i32, param1 x: i64 ptr align 4) {
                    shared0 tile: 1024 align 16
                    inline0 ".reg .b64 %a;\ncvta.to.shared.u64 %a, %_op0;\nst.shared.b32 [%a], 1;" out in(i64) memory
                    inline1 ".reg .b64 %a;\ncvta.to.shared.u64 %a, %_op0;\nadd.u64 %a, %a, 8;\nst.shared.b32 [%a], 1;" out in(i64) memory
                    inline2 ".reg .b64 %a;\ncvta.to.global.u64 %a, %_op0;\nst.global.b32 [%a+4], 1;" out in(i64) memory
                    inline3 "st.shared.b32 [%_op0], 1;" out in(i32) memory
                    inline4 ".reg .b64 %a;\ncvt.u64.u32 %a, %_op0;\nadd.u64 %a, %a, 8;\nst.shared.b32 [%a], 1;" out in(i32) memory
                    inline5 "st.global.b32 [%_op0+4], 1;" out in(i64) memory
                block0:
                    v0: i32 = address shared0
                    v1: i64 = to_generic.shared v0
                    v2: i32 = param0
                    v3: i64 = zext v2
                    v4: i64 = add v1, v3
                    v7: i32 = add v0, v2
                    inline_effect inline3(v7)
                    inline_effect inline4(v7)
                    inline_effect inline2(v4)
                    v5: i64 = param1
                    v6: i64 = to_generic.global v5
                    inline_effect inline5(v5)
                    inline_effect inline0(v6)
                    return
                }
            "#]],
        );
    }
}
