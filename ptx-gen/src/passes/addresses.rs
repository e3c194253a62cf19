//! Takes constants out of scaled indices in addresses: `base + (i + 1) * 4` becomes `(base + i * 4) + 4`.
//!
//! Neighbouring elements then share one address, and the constant goes into the offset of the access. An index that was
//! added up in 32 bits counts if the sum is known not to wrap; so does one in shared memory, where addresses have 32 bits.

use crate::ir::{BinaryOp, ConvertOp, EntityMap, Function, Inst, InstData, SourceLoc, Type, Value};

/// See the head of this file.
pub fn split_addresses(func: &mut Function) {
    let is_address = addresses(func);
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let is_address = func.results[inst].is_some_and(|value| is_address.get(value) == Some(&true));
            if let Some(split) = is_address.then(|| split(func, inst)).flatten() {
                rebuild(func, inst, split, &mut out);
            }
            out.push(inst);
        }
        func.blocks[block].insts = out;
    }
}

/// The values that are addresses of accesses.
fn addresses(func: &Function) -> EntityMap<Value, bool> {
    let mut is_address = EntityMap::filled(func.values.len(), false);
    for inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let Some((_, address)) = func.insts[*inst].access() {
            is_address[address] = true;
        }
    }
    is_address
}

/// `base + (index + constant) * scale`.
struct Split {
    base: Value,
    /// The multiplication or shift, without the index.
    op: BinaryOp,
    scale: Value,
    /// The index without its constant, and how it is widened, if it is.
    index: Value,
    widen: Option<ConvertOp>,
    /// `constant * scale`, in bytes.
    offset: i32,
}

/// Matches an addition that is an address.
fn split(func: &Function, inst: Inst) -> Option<Split> {
    let &InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } = &func.insts[inst] else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(base, product)| {
        let &InstData::Binary { op, args: [scaled, scale], .. } = func.def(product)? else { return None };
        let by: i64 = match (op, func.constant(scale)?) {
            (BinaryOp::Mul, by) => by.try_into().ok()?,
            (BinaryOp::Shl, shift) if shift < 31 => 1 << shift,
            _ => return None,
        };
        let (widen, sum) = match *func.def(scaled)? {
            InstData::Convert { op: op @ ConvertOp::ZeroExtend, arg } => (Some(op), arg),
            _ => (None, scaled),
        };
        let &InstData::Binary { op: sum_op, args: [index, constant], no_unsigned_wrap } = func.def(sum)?
        else {
            return None;
        };
        // What wraps at 32 bits is another address; at 64 bits addresses wrap in the same way.
        if func.ty(sum) != Type::I64 && !no_unsigned_wrap {
            return None;
        }
        let constant = func.constant(constant)?;
        let constant = if func.ty(sum) == Type::I64 { constant as i64 } else { constant.try_into().ok()? };
        let constant = match sum_op {
            BinaryOp::Add => constant,
            BinaryOp::Sub => constant.checked_neg()?,
            _ => return None,
        };
        let offset = constant.checked_mul(by)?.try_into().ok()?;
        Some(Split { base, op, scale, index, widen, offset })
    })
}

/// Makes the address without the constant, and of the old instruction the sum of both.
fn rebuild(func: &mut Function, inst: Inst, split: Split, out: &mut Vec<Inst>) {
    let Split { base, op, scale, mut index, widen, offset } = split;
    let location = func.locations[inst];
    let ty = func.ty(base);
    let mut make = |data| push(func, out, data, ty, location);
    if let Some(op) = widen {
        index = make(InstData::Convert { op, arg: index });
    }
    let product = make(InstData::Binary { op, args: [index, scale], no_unsigned_wrap: false });
    let address =
        make(InstData::Binary { op: BinaryOp::Add, args: [base, product], no_unsigned_wrap: false });
    let constant = make(InstData::Const { bits: i64::from(offset) as u64 & ty.mask() });
    func.insts[inst] =
        InstData::Binary { op: BinaryOp::Add, args: [address, constant], no_unsigned_wrap: false };
}

fn push(func: &mut Function, out: &mut Vec<Inst>, data: InstData, ty: Type, location: SourceLoc) -> Value {
    let (inst, value) = func.make_value(data, ty, location);
    out.push(inst);
    value
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, gvn};
    use super::*;

    #[test]
    fn neighbours_share_an_address() {
        check(
            |func| {
                split_addresses(func);
                gvn::number_values(func);
            },
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = zext v1
                v3: i64 = const 4
                v4: i64 = mul nuw v2, v3
                v5: i64 = add nuw v0, v4
                v6: f32 = load.global v5
                v7: i32 = const 1
                v8: i32 = add nuw v1, v7
                v9: i64 = zext v8
                v10: i64 = mul nuw v9, v3
                v11: i64 = add nuw v0, v10
                store.global v11, v6
                v12: i32 = sub nuw v1, v7
                v13: i64 = zext v12
                v14: i64 = mul nuw v13, v3
                v15: i64 = add nuw v0, v14
                store.global v15, v6
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = zext v1
                    v3: i64 = const 4
                    v4: i64 = mul nuw v2, v3
                    v5: i64 = add nuw v0, v4
                    v6: f32 = load.global v5
                    v7: i32 = const 1
                    v8: i32 = add nuw v1, v7
                    v9: i64 = zext v8
                    v10: i64 = mul nuw v9, v3
                    v11: i64 = add v5, v3
                    store.global v11, v6
                    v12: i32 = sub nuw v1, v7
                    v13: i64 = zext v12
                    v14: i64 = mul nuw v13, v3
                    v23: i64 = const -4
                    v15: i64 = add v5, v23
                    store.global v15, v6
                    return
                }
            "#]],
        );
    }

    #[test]
    fn sums_that_may_wrap_stay() {
        check(
            split_addresses,
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 1
                v3: i32 = add v1, v2
                v4: i64 = zext v3
                v5: i64 = const 4
                v6: i64 = mul v4, v5
                v7: i64 = add v0, v6
                store.global v7, v3
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 1
                    v3: i32 = add v1, v2
                    v4: i64 = zext v3
                    v5: i64 = const 4
                    v6: i64 = mul v4, v5
                    v7: i64 = add v0, v6
                    store.global v7, v3
                    return
                }
            "#]],
        );
    }
}
