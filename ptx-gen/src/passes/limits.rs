//! Limits of 64-bit index arguments: with a launch guard `n < 1 << 31`, all indices computed from `n` have 32 bits in
//! the version of the kernel that is launched where it holds.
//!
//! A parameter is limited if it takes part in addresses or in comparisons with indices, through sums, products, quotients and
//! their like. One that meets 64-bit data from memory, or takes part in hashes (exclusive or, products with large
//! constants), is no index: a guard would keep launches from the check-free version for nothing.

use crate::analysis::{Ranges, axis_of_thread_index, thread_index};
use crate::host_test::{HostTest, offsets};
use crate::ir::{
    BinaryOp, ConvertOp, Entity, EntityMap, Function, Inst, InstData, Param, ParamData, SourceLoc,
    SpecialRegister, Type, Value, ValueDef,
};
use crate::passes::checks::Check;
use crate::passes::host_tests;
use kernel_abi::guard::{HostOp, LAUNCH_REGISTERS};

/// The greatest index argument of launches that need 32 bits only: a product of two fits 64 bits whatever is added, and so does
/// the sum of two 32.
const MAX: u64 = i32::MAX as u64;

/// The greatest index argument of launches that need 32 bits only where signed sums of two are computed: `x as i32 - 1 + width as i32`.
const MAX_OF_SIGNED_SUMS: u64 = MAX >> 1;

/// The most threads along x of launches that need 32 bits only: sums of an index and a parameter fit.
const MOST_THREADS: u64 = 1 << 31;

/// Integers of 64 bits that are left in a kernel for which it is tried to limit the lengths of its slices.
pub const FEWEST_WIDE: usize = 6;

/// Limits the index parameters, and returns the launch guards for that, each with its parameter.
pub fn limit_indices(func: &mut Function) -> Vec<HostTest> {
    // Slices may have 2³² elements and more.
    if lengths(func, Type::I64).next().is_some() {
        return Vec::new();
    }
    let params = index_params(func);
    limit_params(func, params)
}

/// Limits the lengths of a kernel's slices, and returns the launch guards for that: `(low + high) / 2` of indices that lengths bound has 33 bits.
pub fn limit_lengths(func: &mut Function) -> Vec<HostTest> {
    if lengths(func, Type::I64).next().is_some() {
        return Vec::new();
    }
    let location_of = |param: Param| {
        let mut reads = insts(func);
        let read =
            reads.find(|&inst| matches!(func.insts[inst], InstData::Param { param: read } if read == param));
        Some((param, func.locations[read?]))
    };
    let (open, limited): (Vec<Param>, Vec<Param>) =
        lengths(func, Type::I32).partition(|&param| is_open(func, param));
    let found: Vec<(Param, SourceLoc)> = open.into_iter().filter_map(location_of).collect();
    let mut tests: Vec<HostTest> = found.into_iter().map(|found| limit(func, found)).collect();
    // Those that loops go up to may have their limits already.
    if !(tests.is_empty() && limited.is_empty()) {
        limit_computed(func, &mut tests);
    }
    tests
}

/// Limits the 32-bit lengths and sizes of views that loops go up to by steps of more than one, and returns the launch guards for that: the last counter
/// of `(t..x.columns()).step_by(256)` may have 33 bits, so that its loop would not be the one that ptxas unrolls.
pub fn limit_ends(func: &mut Function) -> Vec<HostTest> {
    let param_of = |value: Value| match func.def(value) {
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => match func.def(arg) {
            Some(&InstData::Param { param }) if func.ty(arg) == Type::I32 => Some(param),
            _ => None,
        },
        _ => None,
    };
    let nexts = |counter: Value| {
        let ValueDef::Param(block) = func.values[counter].def else { return Vec::new() };
        let position = func.blocks[block].params.iter().position(|&param| param == counter);
        let calls = insts(func).flat_map(|inst| func.insts[inst].successors());
        let to_block = calls.filter(|call| call.block == block);
        to_block.filter_map(|call| position.map(|at| call.args[at])).collect::<Vec<Value>>()
    };
    let steps = |counter: Value| {
        nexts(counter).into_iter().any(|next| match func.def(next) {
            Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) => {
                [(a, b), (b, a)].into_iter().any(|(from, by)| from == counter && func.constant(by) != Some(1))
            }
            _ => false,
        })
    };
    let checks: Vec<Value> =
        func.layout.iter().filter_map(|&block| Some(Check::of(func, block)?.cond)).collect();
    let mut ends: Vec<(Param, SourceLoc)> = Vec::new();
    for inst in insts(func) {
        // The test of a loop, or the distance that it tests.
        let pairs = match func.insts[inst] {
            InstData::IntCompare { args: [a, b], .. } => [Some((a, b)), Some((b, a))],
            InstData::Binary { op: BinaryOp::Sub, args: [end, counter], .. } => [Some((counter, end)), None],
            _ => continue,
        };
        if func.results[inst].is_some_and(|cond| checks.contains(&cond)) {
            continue;
        }
        for (counter, end) in pairs.into_iter().flatten() {
            if func.ty(counter) == Type::I64
                && let Some(param) = param_of(end)
                && is_open(func, param)
                && !ends.iter().any(|(known, _)| *known == param)
                && steps(counter)
            {
                ends.push((param, func.locations[inst]));
            }
        }
    }
    ends.into_iter().map(|end| limit(func, end)).collect()
}

/// Returns true if a parameter of the launch has no limit yet.
fn is_open(func: &Function, param: Param) -> bool {
    func.params[param].max.is_none_or(|max| max > MAX)
}

/// The parameters that are lengths of slices, of this type.
fn lengths(func: &Function, ty: Type) -> impl Iterator<Item = Param> {
    let is_length = move |(_, param): &(Param, &ParamData)| {
        param.ty == ty && param.pointer_align.is_none() && param.source_name().ends_with(".len()")
    };
    func.params.iter().filter(is_length).map(|(param, _)| param)
}

/// Limits these parameters and what is computed of them.
fn limit_params(func: &mut Function, params: Vec<(Param, SourceLoc)>) -> Vec<HostTest> {
    let mut tests: Vec<HostTest> = params.into_iter().map(|found| limit(func, found)).collect();
    if !tests.is_empty() {
        limit_computed(func, &mut tests);
    }
    tests
}

/// Limits a parameter, and returns the launch guard for that.
fn limit(func: &mut Function, (param, location): (Param, SourceLoc)) -> HostTest {
    let at = HostOp::Param { at: offsets(func)[param.index()], ty: func.params[param].ty };
    let max = if is_term_of_signed_sum(func, param) { MAX_OF_SIGNED_SUMS } else { MAX };
    let text = format!("{} < 1 << {}", func.params[param].source_name(), max.count_ones());
    func.params[param].max = Some(max);
    HostTest { location, text, ops: vec![at, HostOp::Number(max), HostOp::AtMost] }
}

/// Limits what is computed of parameters that have limits.
fn limit_computed(func: &mut Function, tests: &mut Vec<HostTest>) {
    limit_uniform(func, tests);
    limit_shares(func, tests);
    limit_threads(func, tests);
}

/// Returns true if a parameter, as a number of 32 bits, is added to another one that is no constant.
fn is_term_of_signed_sum(func: &Function, param: Param) -> bool {
    let is_low = |value: Value| match func.def(value) {
        Some(&InstData::Convert { op: ConvertOp::Truncate, arg }) => {
            func.ty(value) == Type::I32
                && matches!(func.def(arg), Some(InstData::Param { param: read }) if *read == param)
        }
        _ => false,
    };
    insts(func).any(|inst| match func.insts[inst] {
        InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => {
            is_low(a) && func.constant(b).is_none() || is_low(b) && func.constant(a).is_none()
        }
        _ => false,
    })
}

/// Limits the threads along x where a number of 64 bits is computed of their indices or of those of blocks: `x + 1` of the last one of 2³²
/// threads has 33 bits.
fn limit_threads(func: &mut Function, tests: &mut Vec<HostTest>) {
    let is_index = |value: Value| {
        let value = match func.def(value) {
            Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => arg,
            _ => value,
        };
        let is_block =
            matches!(func.def(value), Some(InstData::Special { register: SpecialRegister::CtaidX }));
        is_block || thread_index(func, value).is_some()
    };
    let found = insts(func).find(|&inst| match func.insts[inst] {
        InstData::Binary { op: BinaryOp::Add | BinaryOp::Mul | BinaryOp::Shl, args, .. } => {
            let is_wide = func.results[inst].is_some_and(|result| func.ty(result) == Type::I64);
            is_wide && args.into_iter().any(is_index)
        }
        _ => false,
    });
    let Some(found) = found.filter(|_| func.coarsen.is_none()) else { return };
    let registers = [SpecialRegister::NctaidX, SpecialRegister::NtidX].map(HostOp::Launch);
    let ops = vec![registers[0], registers[1], HostOp::Mul, HostOp::Number(MOST_THREADS), HostOp::AtMost];
    let text = "grid_dim().x * block_dim().x <= 1 << 31".to_owned();
    tests.push(HostTest { location: func.locations[found], text, ops });
    func.most_threads_x = Some(MOST_THREADS);
}

/// Limits launch-uniform products, sums and differences too, which the host computes for it: divisors of indices, operands of
/// comparisons and minima with them, numbers that become floats, and steps added to indices around loops.
fn limit_uniform(func: &mut Function, tests: &mut Vec<HostTest>) {
    let ranges = Ranges::new(func);
    let mut found: Vec<(Value, SourceLoc)> = Vec::new();
    let mut take = |value: Value, location: SourceLoc| {
        let is_product = matches!(func.def(value), Some(InstData::Binary { .. }));
        let is_new = !found.iter().any(|(known, _)| *known == value);
        if is_product
            && is_new
            && func.ty(value) == Type::I64
            && !ranges.fits_u32(value)
            && ranges.is_uniform(value)
        {
            found.push((value, location));
        }
    };
    for inst in insts(func) {
        let location = func.locations[inst];
        match &func.insts[inst] {
            InstData::Binary { op: BinaryOp::UDiv | BinaryOp::URem, args, .. }
                if !ranges.is_uniform(args[0]) =>
            {
                take(args[1], location);
            }
            InstData::Convert { op: ConvertOp::UIntToFloat, arg } => take(*arg, location),
            InstData::IntCompare { args: [a, b], .. }
            | InstData::Binary { op: BinaryOp::UMin | BinaryOp::UMax, args: [a, b], .. } => {
                for (value, other) in [(*a, *b), (*b, *a)] {
                    if !ranges.is_uniform(other) {
                        take(value, location);
                    }
                }
            }
            data if data.is_terminator() => {
                for call in data.successors() {
                    for (&arg, &param) in call.args.iter().zip(&func.blocks[call.block].params) {
                        if let Some(&InstData::Binary { op: BinaryOp::Add, args: [a, b], .. }) = func.def(arg)
                            && (a == param || b == param)
                        {
                            take(if a == param { b } else { a }, location);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let programs: Vec<_> = found
        .into_iter()
        .filter_map(|(value, location)| {
            let (ops, text) = host_tests::uniform_program(func, value)?;
            Some((value, location, ops, text))
        })
        .collect();
    for (value, location, mut ops, text) in programs {
        ops.extend([HostOp::Number(MAX), HostOp::AtMost]);
        tests.push(HostTest { location, text: format!("{text} < 1 << 31"), ops });
        extend_low(func, value);
    }
}

/// Limits products of the index of a block or of a thread with a launch-uniform number, where what a block or a thread begins
/// with is counted from, or sums with it are compared: `block_idx().x * part`. That of an address alone is below a length, and a comparison
/// of the product itself says how many blocks or threads have a share: guards are made of it as it is.
fn limit_shares(func: &mut Function, tests: &mut Vec<HostTest>) {
    if func.coarsen.is_some() {
        return;
    }
    let ranges = Ranges::new(func);
    let users = Users::new(func);
    let checks: Vec<Value> =
        func.layout.iter().filter_map(|&block| Some(Check::of(func, block)?.cond)).collect();
    let mut found: Vec<(Value, HostTest)> = Vec::new();
    for inst in insts(func) {
        let (InstData::Binary { op: BinaryOp::Mul, args: [a, b], .. }, Some(product)) =
            (&func.insts[inst], func.results[inst])
        else {
            continue;
        };
        if func.ty(product) != Type::I64
            || ranges.fits_u32(product)
            || !users.is_counted(func, product, &checks)
        {
            continue;
        }
        let shares = [(*a, *b), (*b, *a)].into_iter().find_map(|(index, part)| {
            let (mut ops, text) = counts(func, index)?;
            let (of_part, part) = host_tests::uniform_program(func, part)?;
            ops.extend(of_part);
            ops.extend([HostOp::Mul, HostOp::Number(MOST_THREADS), HostOp::AtMost]);
            Some(HostTest {
                location: func.locations[inst],
                text: format!("{text} * {part} <= 1 << 31"),
                ops,
            })
        });
        found.extend(shares.map(|test| (product, test)));
    }
    for (product, test) in found {
        if !tests.iter().any(|known| known.ops == test.ops) {
            tests.push(test);
        }
        extend_low(func, product);
    }
}

/// The number of blocks or of threads of a launch that an index of one is below, as the host computes it, and its text.
fn counts(func: &Function, index: Value) -> Option<(Vec<HostOp>, String)> {
    let widened = match func.def(index) {
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => arg,
        _ => index,
    };
    let text = |register| {
        let known = LAUNCH_REGISTERS.iter().find(|(known, _)| *known == register);
        known.map_or("", |(_, text)| text).to_owned()
    };
    if let Some([blocks, threads]) = axis_of_thread_index(func, widened) {
        let ops = vec![HostOp::Launch(blocks), HostOp::Launch(threads), HostOp::Mul];
        return Some((ops, format!("{} * {}", text(blocks), text(threads))));
    }
    let Some(&InstData::Special { register }) = func.def(widened) else { return None };
    let blocks = match register {
        SpecialRegister::CtaidX => SpecialRegister::NctaidX,
        SpecialRegister::CtaidY => SpecialRegister::NctaidY,
        SpecialRegister::CtaidZ => SpecialRegister::NctaidZ,
        _ => return None,
    };
    Some((vec![HostOp::Launch(blocks)], text(blocks)))
}

/// Replaces a value by its low 31 bits in all uses.
fn extend_low(func: &mut Function, value: Value) {
    let ValueDef::Result(definition) = func.values[value].def else { return };
    let Some(block) =
        func.layout.iter().copied().find(|&block| func.blocks[block].insts.contains(&definition))
    else {
        return;
    };
    let location = func.locations[definition];
    // Below 2³¹: the mask shows it to the ranges.
    let (number, most) = func.make_value(InstData::Const { bits: MAX }, Type::I64, location);
    let mask = InstData::Binary { op: BinaryOp::And, args: [value, most], no_unsigned_wrap: false };
    let (and, known) = func.make_value(mask, Type::I64, location);
    let users: Vec<Inst> = insts(func).collect();
    for user in users {
        func.insts[user].map_args(|arg| if arg == value { known } else { arg });
    }
    let at = func.blocks[block].insts.iter().position(|&inst| inst == definition).map_or(0, |at| at + 1);
    func.blocks[block].insts.splice(at..at, [number, and]);
}

/// The 64-bit index parameters, and the locations of their first uses as such.
fn index_params(func: &Function) -> Vec<(Param, SourceLoc)> {
    let candidates: Vec<(Param, Value)> = insts(func)
        .filter_map(|inst| match func.insts[inst] {
            InstData::Param { param } => Some((param, func.results[inst]?)),
            _ => None,
        })
        .filter(|&(param, value)| func.ty(value) == Type::I64 && func.params[param].pointer_align.is_none())
        .collect();
    if candidates.is_empty() {
        return Vec::new();
    }
    let users = Users::new(func);
    let is_data =
        users.reached(func, |data| data.access().is_some() || matches!(data, InstData::Shuffle { .. }));
    let is_address = addresses(func);
    let mut found = Vec::new();
    for (param, value) in candidates {
        if let Some(location) = users.index_use(func, value, &is_data, &is_address)
            && !found.iter().any(|(known, _)| *known == param)
        {
            found.push((param, location));
        }
    }
    found
}

fn insts(func: &Function) -> impl Iterator<Item = Inst> {
    func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().copied())
}

/// Addresses of accesses, and the terms of their sums.
pub(super) fn addresses(func: &Function) -> EntityMap<Value, bool> {
    let mut is_address = EntityMap::filled(func.values.len(), false);
    let mut work: Vec<Value> =
        insts(func).filter_map(|inst| func.insts[inst].access()).map(|(_, address)| address).collect();
    while let Some(value) = work.pop() {
        if std::mem::replace(&mut is_address[value], true) {
            continue;
        }
        match func.def(value) {
            Some(&InstData::Binary { op: BinaryOp::Add, args, .. }) => work.extend(args),
            Some(&InstData::ToGeneric { address, .. }) => work.push(address),
            _ => {}
        }
    }
    is_address
}

/// The instructions that use each value, and the block parameters that it is passed for.
struct Users {
    insts: EntityMap<Value, Vec<Inst>>,
    params: EntityMap<Value, Vec<Value>>,
}

impl Users {
    fn new(func: &Function) -> Users {
        let count = func.values.len();
        let mut users = Users {
            insts: EntityMap::filled(count, Vec::new()),
            params: EntityMap::filled(count, Vec::new()),
        };
        for inst in insts(func) {
            let data = &func.insts[inst];
            if data.is_terminator() {
                for call in data.successors() {
                    for (&arg, &param) in call.args.iter().zip(&func.blocks[call.block].params) {
                        users.params[arg].push(param);
                    }
                }
            } else {
                data.visit_args(|arg| users.insts[arg].push(inst));
            }
        }
        users
    }

    /// Returns true if a sum with a value is compared, other than in these checks, or it goes round a loop, and the value itself is not compared.
    fn is_counted(&self, func: &Function, value: Value, checks: &[Value]) -> bool {
        let is_check = |inst: Inst| func.results[inst].is_some_and(|cond| checks.contains(&cond));
        let is_comparison = |inst: Inst| matches!(func.insts[inst], InstData::IntCompare { .. });
        if self.insts[value].iter().any(|&inst| is_comparison(inst) && !is_check(inst)) {
            return false;
        }
        let (mut work, mut seen) = (vec![value], vec![value]);
        while let Some(value) = work.pop() {
            if !self.params[value].is_empty() {
                return true;
            }
            for &inst in &self.insts[value] {
                match func.insts[inst] {
                    InstData::IntCompare { .. } if is_check(inst) => {}
                    InstData::IntCompare { .. }
                    | InstData::Binary { op: BinaryOp::UMin | BinaryOp::UMax, .. } => return true,
                    InstData::Binary { op: BinaryOp::Add, .. } => {
                        if let Some(sum) = func.results[inst].filter(|sum| !seen.contains(sum)) {
                            seen.push(sum);
                            work.push(sum);
                        }
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// The 64-bit numbers computed from the results of some instructions, and nothing narrower in between.
    fn reached(&self, func: &Function, starts: impl Fn(&InstData) -> bool) -> EntityMap<Value, bool> {
        let mut reached = EntityMap::filled(func.values.len(), false);
        let mut work: Vec<Value> = insts(func)
            .filter(|&inst| starts(&func.insts[inst]))
            .filter_map(|inst| func.results[inst])
            .collect();
        while let Some(value) = work.pop() {
            if func.ty(value) != Type::I64 || std::mem::replace(&mut reached[value], true) {
                continue;
            }
            let results = self.insts[value].iter().filter(|&&inst| func.insts[inst].access().is_none());
            work.extend(results.filter_map(|&inst| func.results[inst]));
            work.extend(&self.params[value]);
        }
        reached
    }

    /// Location of the first use of a parameter in an index; none if there is none, or if it has other uses besides.
    fn index_use(
        &self,
        func: &Function,
        param: Value,
        is_data: &EntityMap<Value, bool>,
        is_address: &EntityMap<Value, bool>,
    ) -> Option<SourceLoc> {
        let mut seen = EntityMap::<Value, bool>::filled(func.values.len(), false);
        let (mut work, mut first) = (vec![param], None);
        while let Some(value) = work.pop() {
            if std::mem::replace(&mut seen[value], true) {
                continue;
            }
            if is_data[value] {
                return None;
            }
            work.extend(&self.params[value]);
            for &inst in &self.insts[value] {
                let data = &func.insts[inst];
                let mut meets_data = false;
                data.visit_args(|arg| meets_data |= is_data[arg]);
                let result = func.results[inst];
                let (goes_on, is_index) = match *data {
                    InstData::Binary { op, args, .. } => match op {
                        BinaryOp::Mul if func.constant(args[1]).is_some_and(|by| by > MAX) => return None,
                        // A hash adds large constants, too; the complement of a small number is subtracted.
                        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
                            (true, result.is_some_and(|result| is_address[result]))
                        }
                        BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem => (true, true),
                        BinaryOp::UMin | BinaryOp::UMax | BinaryOp::SMin | BinaryOp::SMax => (true, false),
                        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr | BinaryOp::And
                            if func.constant(args[1]).is_some() =>
                        {
                            (true, false)
                        }
                        _ => return None,
                    },
                    InstData::IntCompare { .. } => (false, true),
                    InstData::Select { .. } | InstData::Convert { op: ConvertOp::Truncate, .. } => {
                        (true, false)
                    }
                    _ => (false, false),
                };
                if meets_data && (goes_on || is_index) {
                    return None;
                }
                if is_index && first.is_none() {
                    first = Some(func.locations[inst]);
                }
                if let Some(result) = result.filter(|&result| goes_on && func.ty(result) == Type::I64) {
                    work.push(result);
                }
            }
        }
        first
    }
}

/// Number of instructions and block parameters of 64-bit integers, except addresses: those that limits are for.
pub fn wide_integers(func: &Function) -> usize {
    let mut is_address = addresses(func);
    for value in func.values.keys() {
        // The offset in an address.
        let is_offset = matches!(func.def(value), Some(InstData::Binary { op: BinaryOp::Mul | BinaryOp::Shl, args, .. })
            if func.constant(args[1]).is_some());
        is_address[value] |= is_offset;
    }
    let is_wide = |value: Value| {
        func.ty(value) == Type::I64
            && !is_address[value]
            && match (func.def(value), func.values[value].def) {
                (Some(data), _) => matches!(data, InstData::Binary { .. } | InstData::Select { .. }),
                (None, ValueDef::Param(_)) => true,
                (None, ValueDef::Result(_)) => false,
            }
    };
    let compares = insts(func).filter(|&inst| match func.insts[inst] {
        InstData::IntCompare { args, .. } => func.ty(args[0]) == Type::I64,
        _ => false,
    });
    let params = func.layout.iter().flat_map(|&block| func.blocks[block].params.iter().copied());
    let results = insts(func).filter_map(|inst| func.results[inst]);
    params.chain(results).filter(|&value| is_wide(value)).count() + compares.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tests of a kernel's limits.
    #[track_caller]
    fn check(body: &str, expected: &[&str]) {
        let text = format!(
            "kernel k(param0 n: i64, param1 m: i64, param2 x: i64 ptr align 4, param3 x_len: i32) {{
             block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = param2
                v3: i32 = param3
                v4: i32 = special tid.x
                v5: i64 = zext v4
                v6: i64 = const 4
                {body}
                return
             }}"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        let tests: Vec<String> = limit_indices(&mut func).into_iter().map(|test| test.text).collect();
        assert_eq!(tests, expected);
        crate::passes::assert_valid("limits", &func);
        let again = crate::ir::parse_function(&func.to_string()).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.to_string(), func.to_string());
    }

    /// `while at < x.len() { at += 256 }`, also by the distance that is left; of a loop that steps by one the last counter has 32 bits.
    #[test]
    fn what_loops_step_to() {
        let tests = |step: u32, goes_on: &str| {
            let text = format!(
                "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32, param2 m: i64) {{
                 block0:
                    v0: i64 = param0
                    v1: i32 = param1
                    v2: i64 = param2
                    v3: i32 = special tid.x
                    v4: i64 = zext v3
                    v5: i64 = zext v1
                    v6: i64 = const {step}
                    jump block1(v4)
                 block1(v7: i64):
                    {goes_on}
                    branch v8, block2, block3
                 block2:
                    v9: i64 = add v0, v7
                    store.global v9, v3
                    v10: i64 = add v7, v6
                    jump block1(v10)
                 block3:
                    return
                 }}"
            );
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
            let tests: Vec<String> = limit_ends(&mut func).into_iter().map(|test| test.text).collect();
            crate::passes::assert_valid("limits", &func);
            (tests, func.params.values().map(|param| param.max).collect::<Vec<_>>())
        };
        let is_below = "v8: bool = icmp ult v7, v5";
        let limited = (vec!["x_len < 1 << 31".to_owned()], vec![None, Some(MAX), None]);
        assert_eq!(tests(256, is_below), limited);
        assert_eq!(tests(256, "v11: i64 = sub nuw v5, v7 v8: bool = icmp ugt v11, v6"), limited);
        assert_eq!(tests(1, is_below), (Vec::new(), vec![None; 3]));
        assert_eq!(tests(256, "v8: bool = icmp ult v7, v2"), (Vec::new(), vec![None; 3]));
    }

    /// A length that has a limit, as loops go up to it, is no reason to leave open what is computed of the lengths.
    #[test]
    fn what_is_computed_of_lengths_that_have_limits() {
        let text = "kernel k(param0 x: i64 ptr align 4, param1 x_len: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = special ctaid.x
                v2: i64 = zext v1
                v3: i64 = const 1
                v4: i64 = add v2, v3
                store.global v0, v4
                return
            }";
        let tests = |max: Option<u64>| {
            let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
            for param in func.params.keys().skip(1) {
                func.params[param].source = "x.len()".to_owned();
                func.params[param].max = max;
            }
            limit_lengths(&mut func).into_iter().map(|test| test.text).collect::<Vec<String>>()
        };
        assert_eq!(tests(Some(MAX)), ["grid_dim().x * block_dim().x <= 1 << 31"]);
        assert_eq!(tests(None), [""; 0]);
    }

    #[test]
    fn what_addresses_are_made_of() {
        check(
            "v10: i64 = mul v5, v0
             v11: i64 = mul v10, v6
             v12: i64 = add v2, v11
             store.global v12, v4",
            &["n < 1 << 31"],
        );
        check(
            "v10: bool = icmp ult v5, v0
             store.global v2, v10",
            &["n < 1 << 31"],
        );
        check(
            "v10: i64 = udiv v5, v1
             store.global v2, v10",
            &["m < 1 << 31"],
        );
    }

    /// `let start = block_idx().x * n; let end = start + n;`: compared, but not where a length says so, nor where no
    /// launch has so many blocks.
    #[test]
    fn what_a_block_begins_with() {
        let share_along = |axis: &str, part: &str, what: &str| {
            format!(
                "v10: i32 = special ctaid.{axis}
                 v11: i64 = zext v10
                 v12: i64 = mul v11, {part}
                 v13: i64 = add v12, v0
                 {what}"
            )
        };
        let share = |part: &str, what: &str| share_along("y", part, what);
        let compared = "v14: bool = icmp ult v13, v1 store.global v2, v14";
        check(&share("v0", compared), &["n < 1 << 31", "m < 1 << 31", "grid_dim().y * n <= 1 << 31"]);
        check(&share("v6", compared), &["n < 1 << 31", "m < 1 << 31"]);
        let along_x = [
            "n < 1 << 31",
            "m < 1 << 31",
            "grid_dim().x * 4 <= 1 << 31",
            "grid_dim().x * block_dim().x <= 1 << 31",
        ];
        check(&share_along("x", "v6", compared), &along_x);
        // `global_idx().y * n`
        let of_thread = "v20: i32 = special ctaid.y v21: i32 = special ntid.y v22: i32 = mul v20, v21 v23: i32 = special tid.y v24: i32 = add v22, v23
             v25: i64 = zext v24 v26: i64 = mul v25, v0 v27: i64 = add v26, v6 v28: bool = icmp ult v27, v1 store.global v2, v28";
        check(of_thread, &["n < 1 << 31", "m < 1 << 31", "grid_dim().y * block_dim().y * n <= 1 << 31"]);
        // The product itself tells how many blocks have a share.
        let few = "v14: bool = icmp ult v12, v1 v15: bool = icmp ult v13, v1 store.global v2, v14 store.global v2, v15";
        check(&share("v0", few), &["n < 1 << 31", "m < 1 << 31"]);
        let accessed = "v14: i64 = mul v13, v6 v15: i64 = add v2, v14 store.global v15, v4";
        check(&share("v0", accessed), &["n < 1 << 31"]);
    }

    #[test]
    fn hashes_and_data_are_no_indices() {
        check(
            "v10: i64 = const 6364136223846793005
             v11: i64 = mul v0, v10
             v12: i64 = add v11, v5
             v13: i64 = urem v12, v6
             store.global v2, v13",
            &[],
        );
        check(
            "v10: i64 = xor v0, v5
             v11: i64 = urem v10, v6
             store.global v2, v11",
            &[],
        );
        check(
            "v10: i64 = load.global v2
             v11: bool = icmp ult v10, v0
             store.global v2, v11",
            &[],
        );
        check("store.global v2, v0", &[]);
    }

    /// `for row in 0..n { x[row * m + …] }`.
    #[test]
    fn around_loops() {
        check(
            "v10: i64 = const 0
             v11: i64 = const 1
             jump block1(v10)
             block1(v12: i64):
             v13: bool = icmp ult v12, v0
             branch v13, block2, block3
             block2:
             v14: i64 = mul v12, v1
             v15: i64 = add v14, v5
             v16: i64 = mul v15, v6
             v17: i64 = add v2, v16
             store.global v17, v4
             v18: i64 = add v12, v11
             jump block1(v18)
             block3:",
            &["n < 1 << 31", "m < 1 << 31"],
        );
    }
}
