//! Takes constants out of the sums that addresses are made of: `base + (i + 1) * 4` becomes `(base + i * 4) + 4`.
//!
//! Neighbouring elements then share one address, and the constant goes into the offset of the access. An index that was
//! added up in 32 bits counts if the sum is known not to wrap; so does one in shared memory, where addresses have 32 bits.
//!
//! Neighbours whose sum may wrap without its constant share the address of the lowest: of `row * width + (i - 1)` and
//! `row * width + (i + 1)`, if their sums do not wrap and the lowest is accessed wherever the other is; of
//! [`ConvertOp::IndexExtend`], of which a constant may be taken out that is not negative, everywhere.

use std::collections::{HashMap, HashSet};

use crate::inline;
use crate::ir::{BinaryOp, Block, ConvertOp, EntityMap, Function, Inst, InstData, SourceLoc, Type, Value};

/// See the head of this file.
pub fn split_addresses(func: &mut Function) {
    let is_address = addresses(func);
    let mut lowest = lowest_indices(func);
    for index in 0..func.layout.len() {
        let block = func.layout[index];
        lowest.exact = lowest_exact_indices(func, block);
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let address = func.results[inst].filter(|&value| is_address.get(value) == Some(&true));
            if let Some((rest, offset)) = address.and_then(|address| split(func, &lowest, address)) {
                rebuild(func, inst, &rest, offset, &mut out);
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
        let data = &func.insts[*inst];
        if let Some((_, address)) = data.access() {
            is_address[address] = true;
        }
        if let InstData::Inline { asm, args, .. } | InstData::InlineEffect { asm, args } = data {
            for (input, &arg) in args.iter().enumerate() {
                is_address[arg] |= inline::is_address(&func.inlines[*asm], input);
            }
        }
    }
    is_address
}

/// Value without the constants of its sums.
enum Rest {
    Value(Value),
    Sum(Box<[Rest; 2]>),
    /// Multiplied or shifted by a constant.
    Scaled(BinaryOp, Box<Rest>, Value),
    Widened(Box<Rest>, Type),
    /// The lowest of the indices that differ by constants, extended.
    Index(ConvertOp, Terms, u64),
}

/// Values and their factors modulo 2³², in order.
type Terms = Vec<(Value, u32)>;

/// The lowest and the greatest constant of the indices that are sums of the same terms.
type Constants = HashMap<Terms, (i64, i64)>;

#[derive(Default)]
struct Lowest {
    /// Of the operands of [`ConvertOp::IndexExtend`].
    signed: Constants,
    /// Of the sums that do not wrap in the addresses of the accesses of a block.
    exact: Constants,
}

impl Lowest {
    /// The index without the constant that it has beyond the lowest of its terms, and that constant.
    fn share(
        constants: &Constants,
        extension: ConvertOp,
        (terms, constant): (Terms, i64),
    ) -> Option<(Rest, i64)> {
        let &(least, most) = constants.get(&terms)?;
        let is_shared = least < most && most - least <= MOST_TAKEN;
        is_shared.then(|| (Rest::Index(extension, terms, least as u64 & Type::I32.mask()), constant - least))
    }
}

fn add_constant(constants: &mut Constants, (terms, constant): (Terms, i64)) {
    let known = constants.entry(terms).or_insert((constant, constant));
    *known = (known.0.min(constant), known.1.max(constant));
}

/// The greatest constant that is taken out of an index.
const MOST_TAKEN: i64 = 1 << 20;

/// Finds the sums that are extended as indices.
fn lowest_indices(func: &Function) -> Lowest {
    let mut lowest = Lowest::default();
    for inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        if let InstData::Convert { op: ConvertOp::IndexExtend, arg } = func.insts[*inst] {
            add_constant(&mut lowest.signed, terms(func, arg));
        }
    }
    lowest
}

/// Finds the sums that do not wrap in the addresses that a block accesses, all of which are exact there, if one without its constant may wrap.
fn lowest_exact_indices(func: &Function, block: Block) -> Constants {
    let (mut constants, mut kept) = (Constants::new(), HashSet::new());
    let accesses = func.blocks[block].insts.iter().filter_map(|&inst| func.insts[inst].access());
    let mut work: Vec<_> = accesses.map(|(_, address)| (address, MOST_DEPTH)).collect();
    while let Some((value, depth)) = work.pop() {
        match func.def(value) {
            Some(InstData::Binary { op: BinaryOp::Add, args, .. }) if depth > 0 => {
                work.extend(args.map(|arg| (arg, depth - 1)));
            }
            Some(InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args, .. }) if depth > 0 => {
                work.push((args[0], depth - 1));
            }
            Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) if func.ty(arg) == Type::I32 => {
                let (terms, constant) = exact_terms(func, arg);
                let taken = peel(func, &Lowest::default(), arg, Wraps::Widened, MOST_DEPTH);
                if taken.map_or(0, |(_, constant)| constant) != constant {
                    kept.insert(terms.clone());
                }
                add_constant(&mut constants, (terms, constant));
            }
            _ => {}
        }
    }
    constants.retain(|terms, _| kept.contains(terms));
    constants
}

/// Terms of a sum, down to those that may wrap, and the sum of its constants.
fn exact_terms(func: &Function, sum: Value) -> (Terms, i64) {
    let (mut terms, mut constant, mut work) = (Terms::new(), 0i64, vec![sum]);
    while let Some(value) = work.pop() {
        let parts = match func.def(value) {
            Some(&InstData::Binary { op, args: [a, b], no_unsigned_wrap: true })
                if terms.len() + work.len() < MOST_TERMS =>
            {
                Some((op, a, b, func.constant(b)))
            }
            _ => None,
        };
        match parts {
            // Below 2³².
            Some((BinaryOp::Add, a, _, Some(number))) => {
                constant += number as i64;
                work.push(a);
            }
            Some((BinaryOp::Sub, a, _, Some(number))) => {
                constant -= number as i64;
                work.push(a);
            }
            Some((BinaryOp::Add, a, b, None)) => work.extend([a, b]),
            _ => terms.push((value, 1)),
        }
    }
    terms.sort();
    (terms, constant)
}

/// Terms of a sum modulo 2³², and the sum of its constants. A product of a sum with a constant, `(3 * i + 1) * 3`, has those of `9 * i` and 3.
fn terms(func: &Function, sum: Value) -> (Terms, i64) {
    let (mut terms, mut constant, mut work) = (Terms::new(), 0u32, vec![(sum, 1u32)]);
    while let Some((value, by)) = work.pop() {
        let parts = match func.def(value) {
            Some(&InstData::Binary { op, args: [a, b], .. }) if terms.len() + work.len() < MOST_TERMS => {
                Some((op, a, b))
            }
            _ => None,
        };
        match parts.map(|(op, a, b)| (op, a, b, func.constant(b).map(|number| number as u32))) {
            Some((BinaryOp::Add, a, _, Some(number))) => {
                constant = constant.wrapping_add(number.wrapping_mul(by));
                work.push((a, by));
            }
            Some((BinaryOp::Sub, a, _, Some(number))) => {
                constant = constant.wrapping_sub(number.wrapping_mul(by));
                work.push((a, by));
            }
            Some((BinaryOp::Add, a, b, None)) if by == 1 => work.extend([(a, by), (b, by)]),
            Some((BinaryOp::Mul, a, _, Some(number))) if is_scaled(func, a) => {
                work.push((a, by.wrapping_mul(number)));
            }
            Some((BinaryOp::Mul, a, _, Some(number))) => terms.push((a, by.wrapping_mul(number))),
            _ => terms.push((value, by)),
        }
    }
    terms.sort();
    (terms, i64::from(constant as i32))
}

/// Returns true for a sum or a product with a constant.
fn is_scaled(func: &Function, value: Value) -> bool {
    match func.def(value) {
        Some(&InstData::Binary {
            op: BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, args: [_, b], ..
        }) => func.constant(b).is_some(),
        _ => false,
    }
}

/// Wrapping that permits a constant to be taken out of a sum.
#[derive(Clone, Copy, PartialEq)]
enum Wraps {
    /// Anything: addresses of 64 bits wrap like their sums.
    Address,
    /// Constants of sums that do not wrap.
    ShortAddress,
    /// Constants of sums none of which wraps, as the result is widened.
    Widened,
    /// Constants of a part of such a sum, which may get no larger.
    PartWidened,
}

/// Maximum number of terms into which an index is decomposed.
const MOST_TERMS: usize = 8;
/// Maximum depth of the search for constants.
const MOST_DEPTH: u32 = 8;

/// Splits an address that is a sum, but not yet of a value and a constant.
fn split(func: &Function, lowest: &Lowest, address: Value) -> Option<(Rest, i32)> {
    let &InstData::Binary { op: BinaryOp::Add, args, .. } = func.def(address)? else { return None };
    let wraps = if func.ty(address) == Type::I64 { Wraps::Address } else { Wraps::ShortAddress };
    if func.constant(args[1]).is_some() {
        peel(func, lowest, args[0], wraps, MOST_DEPTH)?;
    }
    let (rest, offset) = peel(func, lowest, address, wraps, MOST_DEPTH)?;
    Some((rest, offset.try_into().ok()?))
}

/// Takes the constants out of a value; none if there is none.
fn peel(func: &Function, lowest: &Lowest, value: Value, wraps: Wraps, depth: u32) -> Option<(Rest, i64)> {
    let depth = depth.checked_sub(1)?;
    let inside = if wraps == Wraps::Widened { Wraps::PartWidened } else { wraps };
    let part = |value| peel(func, lowest, value, inside, depth);
    match *func.def(value)? {
        InstData::Binary { op, args: [a, b], no_unsigned_wrap: nuw } => {
            let is_exact = match wraps {
                Wraps::Address => true,
                Wraps::ShortAddress | Wraps::Widened | Wraps::PartWidened => nuw,
            };
            let may_take = is_exact || wraps == Wraps::ShortAddress;
            match (op, func.constant(b)) {
                (BinaryOp::Add | BinaryOp::Sub, Some(constant)) => {
                    let constant =
                        if func.ty(b) == Type::I64 { constant as i64 } else { constant.try_into().ok()? };
                    let taken = match op {
                        BinaryOp::Add => constant,
                        _ if wraps == Wraps::PartWidened => return None,
                        _ => constant.checked_neg()?,
                    };
                    match (is_exact, part(a)) {
                        (true, Some((rest, more))) => Some((rest, taken.checked_add(more)?)),
                        (true, None) => Some((Rest::Value(a), taken)),
                        (false, _) => None,
                    }
                }
                (BinaryOp::Add, None) if may_take => {
                    let (left, right) = (part(a), part(b));
                    if left.is_none() && right.is_none() {
                        return None;
                    }
                    let (left, first) = left.unwrap_or((Rest::Value(a), 0));
                    let (right, second) = right.unwrap_or((Rest::Value(b), 0));
                    Some((Rest::Sum(Box::new([left, right])), first.checked_add(second)?))
                }
                (BinaryOp::Mul | BinaryOp::Shl, Some(scale)) if may_take => {
                    let (rest, constant) = part(a)?;
                    let by: i64 = match op {
                        BinaryOp::Mul => scale.try_into().ok()?,
                        _ if scale < 31 => 1 << scale,
                        _ => return None,
                    };
                    Some((Rest::Scaled(op, Box::new(rest), b), constant.checked_mul(by)?))
                }
                _ => None,
            }
        }
        InstData::Convert { op: ConvertOp::ZeroExtend, arg } if inside != Wraps::PartWidened => {
            if func.ty(arg) == Type::I32
                && let Some(split) =
                    Lowest::share(&lowest.exact, ConvertOp::ZeroExtend, exact_terms(func, arg))
            {
                return Some(split);
            }
            let (rest, constant) = peel(func, lowest, arg, Wraps::Widened, depth)?;
            Some((Rest::Widened(Box::new(rest), func.ty(arg)), constant))
        }
        InstData::Convert { op: ConvertOp::IndexExtend, arg } => {
            Lowest::share(&lowest.signed, ConvertOp::IndexExtend, terms(func, arg))
        }
        _ => None,
    }
}

/// Makes the address without the constant, and of the old instruction the sum of both.
fn rebuild(func: &mut Function, inst: Inst, rest: &Rest, offset: i32, out: &mut Vec<Inst>) {
    let location = func.locations[inst];
    let Some(ty) = func.results[inst].map(|address| func.ty(address)) else { return };
    let address = make(func, rest, (ty, false), location, out);
    let constant =
        push(func, out, InstData::Const { bits: i64::from(offset) as u64 & ty.mask() }, ty, location);
    func.insts[inst] =
        InstData::Binary { op: BinaryOp::Add, args: [address, constant], no_unsigned_wrap: false };
}

/// Computes what is left, as a number of this type, which does not wrap if the second is true.
fn make(
    func: &mut Function,
    rest: &Rest,
    (ty, no_unsigned_wrap): (Type, bool),
    location: SourceLoc,
    out: &mut Vec<Inst>,
) -> Value {
    let mut part = |func: &mut Function, rest| make(func, rest, (ty, no_unsigned_wrap), location, out);
    let data = match rest {
        Rest::Value(value) => return *value,
        Rest::Sum(parts) => {
            let args = [part(func, &parts[0]), part(func, &parts[1])];
            InstData::Binary { op: BinaryOp::Add, args, no_unsigned_wrap }
        }
        Rest::Scaled(op, rest, by) => {
            InstData::Binary { op: *op, args: [part(func, rest), *by], no_unsigned_wrap }
        }
        // Smaller sums than those that do not wrap.
        Rest::Widened(rest, narrow) => {
            let arg = make(func, rest, (*narrow, true), location, out);
            InstData::Convert { op: ConvertOp::ZeroExtend, arg }
        }
        Rest::Index(op, terms, constant) => {
            let mut sum = None;
            let mut add = |func: &mut Function, out: &mut Vec<Inst>, value: Value| {
                sum = Some(match sum {
                    None => value,
                    Some(before) => {
                        let data = InstData::Binary {
                            op: BinaryOp::Add,
                            args: [before, value],
                            no_unsigned_wrap: false,
                        };
                        push(func, out, data, Type::I32, location)
                    }
                });
                sum
            };
            for &(mut term, by) in terms {
                if by != 1 {
                    let by = push(func, out, InstData::Const { bits: by.into() }, Type::I32, location);
                    let data =
                        InstData::Binary { op: BinaryOp::Mul, args: [term, by], no_unsigned_wrap: false };
                    term = push(func, out, data, Type::I32, location);
                }
                add(func, out, term);
            }
            let constant = push(func, out, InstData::Const { bits: *constant }, Type::I32, location);
            let Some(arg) = add(func, out, constant) else { return constant };
            InstData::Convert { op: *op, arg }
        }
    };
    push(func, out, data, ty, location)
}

fn push(func: &mut Function, out: &mut Vec<Inst>, data: InstData, ty: Type, location: SourceLoc) -> Value {
    let (inst, value) = func.make_value(data, ty, location);
    out.push(inst);
    value
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::{check, dce, gvn};
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

    /// `(3 * i + 1) * 3` lies three behind `9 * i`.
    #[test]
    fn constants_in_products_of_indices() {
        check(
            |func| {
                split_addresses(func);
                gvn::number_values(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = const 9
                v3: i32 = mul v1, v2
                v4: i64 = sext_index v3
                v5: i64 = const 4
                v6: i64 = mul v4, v5
                v7: i64 = add v0, v6
                v8: f32 = load.global v7
                v9: i32 = const 3
                v10: i32 = mul v1, v9
                v11: i32 = const 1
                v12: i32 = add v10, v11
                v13: i32 = mul v12, v9
                v14: i64 = sext_index v13
                v15: i64 = mul v14, v5
                v16: i64 = add v0, v15
                store.global v16, v8
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = const 9
                    v3: i32 = mul v1, v2
                    v5: i64 = const 4
                    v19: i32 = const 0
                    v20: i32 = add v3, v19
                    v21: i64 = sext_index v20
                    v22: i64 = mul v21, v5
                    v23: i64 = add v0, v22
                    v24: i64 = const 0
                    v7: i64 = add v23, v24
                    v8: f32 = load.global v7
                    v32: i64 = const 12
                    v16: i64 = add v23, v32
                    store.global v16, v8
                    return
                }
            "#]],
        );
    }

    #[test]
    fn constants_inside_of_sums() {
        check(
            |func| {
                split_addresses(func);
                gvn::number_values(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 row: i64) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i64 = param2
                v3: i64 = zext v1
                v4: i64 = add v2, v3
                v5: i64 = const 2
                v6: i64 = shl v4, v5
                v7: i64 = add v0, v6
                v8: f32 = load.global v7
                v9: i32 = const 256
                v10: i32 = add nuw v1, v9
                v11: i64 = zext v10
                v12: i64 = add v2, v11
                v13: i64 = shl v12, v5
                v14: i64 = add v0, v13
                store.global v14, v8
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 row: i64) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i64 = zext v1
                    v4: i64 = add v2, v3
                    v5: i64 = const 2
                    v6: i64 = shl v4, v5
                    v7: i64 = add v0, v6
                    v8: f32 = load.global v7
                    v19: i64 = const 1024
                    v14: i64 = add v7, v19
                    store.global v14, v8
                    return
                }
            "#]],
        );
    }

    #[test]
    fn parts_of_widened_sums_get_no_larger() {
        // `(i - 1) + j` may fit where `i + j` does not.
        check(
            split_addresses,
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 1
                v4: i32 = sub nuw v1, v3
                v5: i32 = add nuw v4, v2
                v6: i64 = zext v5
                v7: i64 = add v0, v6
                store.global v7, v3
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 1
                    v4: i32 = sub nuw v1, v3
                    v5: i32 = add nuw v4, v2
                    v6: i64 = zext v5
                    v7: i64 = add v0, v6
                    store.global v7, v3
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

    /// Of indices in 32 bits that may wrap elsewhere, those of accesses share the address of the lowest.
    #[test]
    fn signed_neighbours_share_the_lowest() {
        check(
            |func| {
                split_addresses(func);
                gvn::number_values(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 1
                v4: i64 = const 4
                v5: i32 = sub v1, v3
                v6: i32 = add v2, v5
                v7: i64 = sext_index v6
                v8: i64 = mul v7, v4
                v9: i64 = add v0, v8
                store.global v9, v1
                v10: i32 = add v2, v1
                v11: i64 = sext_index v10
                v12: i64 = mul v11, v4
                v13: i64 = add v0, v12
                store.global v13, v1
                v14: i32 = add v2, v3
                v15: i32 = add v1, v14
                v16: i64 = sext_index v15
                v17: i64 = mul v16, v4
                v18: i64 = add v0, v17
                store.global v18, v1
                v19: i64 = sext v15
                v20: i64 = mul v19, v4
                v21: i64 = add v0, v20
                store.global v21, v2
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v3: i32 = const 1
                    v4: i64 = const 4
                    v22: i32 = add v1, v2
                    v23: i32 = const -1
                    v24: i32 = add v22, v23
                    v25: i64 = sext_index v24
                    v26: i64 = mul v25, v4
                    v27: i64 = add v0, v26
                    v28: i64 = const 0
                    v9: i64 = add v27, v28
                    store.global v9, v1
                    v13: i64 = add v27, v4
                    store.global v13, v1
                    v14: i32 = add v2, v3
                    v15: i32 = add v1, v14
                    v42: i64 = const 8
                    v18: i64 = add v27, v42
                    store.global v18, v1
                    v19: i64 = sext v15
                    v20: i64 = mul v19, v4
                    v21: i64 = add v0, v20
                    store.global v21, v2
                    return
                }
            "#]],
        );
    }

    /// `j·w + (i − 1)` does not wrap, but `j·w + i` may: what is accessed in the same block shares the address of the lowest, what is
    /// accessed elsewhere does not.
    #[test]
    fn exact_neighbours_share_the_lowest() {
        check(
            |func| {
                split_addresses(func);
                gvn::number_values(func);
                dce::eliminate_dead_code(func);
            },
            "kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
             block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = param2
                v3: i32 = const 1
                v4: i64 = const 4
                v5: i32 = sub nuw v1, v3
                v6: i32 = add nuw v2, v5
                v7: i64 = zext v6
                v8: i64 = mul v7, v4
                v9: i64 = add v0, v8
                store.global v9, v1
                v10: i32 = add nuw v1, v3
                v11: i32 = add nuw v2, v10
                v12: i64 = zext v11
                v13: i64 = mul v12, v4
                v14: i64 = add v0, v13
                store.global v14, v1
                v15: bool = icmp eq v1, v2
                branch v15, block1, block2
             block1:
                v16: i32 = const 2
                v17: i32 = sub nuw v1, v16
                v18: i32 = add nuw v2, v17
                v19: i64 = zext v18
                v20: i64 = mul v19, v4
                v21: i64 = add v0, v20
                store.global v21, v2
                jump block2
             block2:
                return
             }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i32, param2 j: i32) {
                block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i32 = param2
                    v4: i64 = const 4
                    v22: i32 = add v1, v2
                    v23: i32 = const -1
                    v24: i32 = add v22, v23
                    v25: i64 = zext v24
                    v26: i64 = mul v25, v4
                    v27: i64 = add v0, v26
                    v28: i64 = const 0
                    v9: i64 = add v27, v28
                    store.global v9, v1
                    v35: i64 = const 8
                    v14: i64 = add v27, v35
                    store.global v14, v1
                    v15: bool = icmp eq v1, v2
                    branch v15, block1, block2
                block1:
                    v16: i32 = const 2
                    v17: i32 = sub nuw v1, v16
                    v18: i32 = add nuw v2, v17
                    v19: i64 = zext v18
                    v20: i64 = mul v19, v4
                    v21: i64 = add v0, v20
                    store.global v21, v2
                    jump block2
                block2:
                    return
                }
            "#]],
        );
    }
}
