//! Random kernels on matrices and volumes as people write them: stencils behind guards, halos, borders that are their own
//! neighbours, strips of several elements. In buffers of exactly the size that is indexed the entry without checks runs, none is left
//! in it, and the sanitizer finds no access outside.

use kernel_abi::guard::{LaunchFacts, holds};
use kernel_abi::panic::PanicRecord;
use kernel_runtime::prelude::*;
use ptx_gen::ir::{
    AtomicOp, BinaryOp, Block, ConvertOp, Function, FunctionBuilder, IntCond, MemoryOrder, MemoryScope,
    Module, PanicKind, RemarkKind, SourceLoc, Space, SpecialRegister, Type, UnaryOp, Value, Variable,
};
use ptx_gen::{CheckFreeKernel, compile};

use super::Random;

/// The type of sizes and coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Usize,
    U32,
    I32,
}

impl Number {
    fn ty(self) -> Type {
        match self {
            Number::Usize => Type::I64,
            Number::U32 | Number::I32 => Type::I32,
        }
    }

    fn cond(self, unsigned: IntCond, signed: IntCond) -> IntCond {
        if self == Number::I32 { signed } else { unsigned }
    }
}

/// Source of the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coordinates {
    /// The thread in the grid, an axis for each dimension.
    Grid,
    /// The thread along x, divided by the sizes.
    Divided,
    /// The outermost one counts in a loop.
    Loop,
    /// Rows by blocks; columns four at a time by their threads.
    Strips,
}

/// Treatment of the borders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Borders {
    /// Elements near them are left out.
    Interior,
    /// The buffers are larger by the distance on each side.
    Halo,
    /// Coordinates outside are clamped to the border.
    Clamped,
}

/// A side on which a coordinate is bounded.
#[derive(Clone, Copy, Debug)]
enum Bound {
    First,
    Last,
    /// Not the last one, where it is below the size.
    NotLast,
}

/// Notation of several conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `if a && b { … }`
    Branches,
    /// `let inside = a && b; if inside { … }`
    Named,
    /// `let border = !a || !b; if !border { … }`
    Negated,
}

/// A kernel of this family.
#[derive(Clone, Debug)]
pub struct Plan {
    number: Number,
    coordinates: Coordinates,
    borders: Borders,
    dimensions: usize,
    distance: u64,
    /// Neighbours: the distance along each dimension, the innermost first.
    offsets: Vec<[i64; 3]>,
    /// True if neighbours are reached from the index of the element, not from its coordinates.
    is_flat: bool,
    /// Notation of the guards.
    style: usize,
    form: Form,
}

impl Plan {
    pub(super) fn new(random: &mut Random) -> Plan {
        let dimensions = random.of(&[1, 2, 2, 2, 3]);
        let coordinates = match (dimensions, random.below(6)) {
            (1, _) | (_, 0..=2) => Coordinates::Grid,
            (_, 3) => Coordinates::Divided,
            (_, 4) => Coordinates::Loop,
            (2, _) => Coordinates::Strips,
            _ => Coordinates::Grid,
        };
        let borders = match coordinates {
            Coordinates::Strips => Borders::Interior,
            _ => random.of(&[Borders::Interior, Borders::Interior, Borders::Halo, Borders::Clamped]),
        };
        let distance = match (coordinates, borders) {
            (Coordinates::Strips, _) => 0,
            (_, Borders::Clamped) => 1,
            _ => random.of(&[0, 1, 1, 1, 2]),
        };
        let reach = distance as i64;
        let offsets = (0..=random.below(4)).map(|_| {
            std::array::from_fn(|axis| match axis < dimensions {
                true => random.below(2 * distance as usize + 1) as i64 - reach,
                false => 0,
            })
        });
        let offsets = offsets.collect();
        let is_flat = borders == Borders::Interior && random.below(2) == 0;
        let numbers = [Number::Usize, Number::Usize, Number::U32, Number::I32];
        Plan {
            number: if coordinates == Coordinates::Strips { Number::Usize } else { random.of(&numbers) },
            coordinates,
            borders,
            dimensions,
            distance,
            offsets,
            is_flat,
            style: random.below(4),
            form: random.of(&[Form::Branches, Form::Branches, Form::Named, Form::Negated]),
        }
    }

    /// Elements of a buffer along a dimension of a size.
    fn extent(&self, size: u64) -> u64 {
        if self.borders == Borders::Halo { size + 2 * self.distance } else { size }
    }

    fn len(&self, sizes: &[u64]) -> u32 {
        sizes.iter().map(|&size| self.extent(size)).product::<u64>() as u32
    }
}

struct Writer<'p> {
    b: FunctionBuilder,
    plan: &'p Plan,
    /// The innermost first.
    sizes: Vec<Value>,
    slice: [Value; 2],
    sum: Variable,
    line: u32,
    /// The index of the element, if the coordinates are made from it.
    element: Option<Value>,
}

impl Writer<'_> {
    fn number(&mut self, number: i64) -> Value {
        let ty = self.plan.number.ty();
        self.b.constant(ty, number as u64 & ty.mask())
    }

    fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        self.b.binary(op, a, b)
    }

    fn plus(&mut self, a: Value, number: i64) -> Value {
        if number == 0 {
            return a;
        }
        let by = self.number(number.abs());
        self.binary(if number > 0 { BinaryOp::Add } else { BinaryOp::Sub }, a, by)
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        let cond = self.plan.number.cond(IntCond::ULt, IntCond::SLt);
        self.b.int_compare(cond, a, b)
    }

    fn at_least(&mut self, a: Value, b: Value) -> Value {
        let cond = self.plan.number.cond(IntCond::UGe, IntCond::SGe);
        self.b.int_compare(cond, a, b)
    }

    fn more(&mut self, a: Value, b: Value) -> Value {
        let cond = self.plan.number.cond(IntCond::UGt, IntCond::SGt);
        self.b.int_compare(cond, a, b)
    }

    /// Goes on where it holds.
    fn guard(&mut self, cond: Value, skip: Block) {
        let inside = self.b.create_block();
        self.b.branch(cond, inside, skip);
        self.b.seal(inside);
        self.b.switch_to(inside);
    }

    /// The thread in the grid along an axis.
    fn thread(&mut self, axis: usize) -> Value {
        let [block, threads, thread] = [
            [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX],
            [SpecialRegister::CtaidY, SpecialRegister::NtidY, SpecialRegister::TidY],
            [SpecialRegister::CtaidZ, SpecialRegister::NtidZ, SpecialRegister::TidZ],
        ][axis]
            .map(|register| self.b.special(register));
        let before = self.b.binary_nuw(BinaryOp::Mul, block, threads);
        let index = self.b.binary_nuw(BinaryOp::Add, before, thread);
        let wide = self.b.convert(ConvertOp::ZeroExtend, index, Type::I64);
        match self.plan.number {
            Number::Usize => wide,
            Number::U32 | Number::I32 => self.b.convert(ConvertOp::Truncate, wide, Type::I32),
        }
    }

    /// The index of an element of these coordinates.
    fn index(&mut self, coordinates: &[Value]) -> Value {
        let by = if self.plan.borders == Borders::Halo { 2 * self.plan.distance as i64 } else { 0 };
        let mut index = coordinates[coordinates.len() - 1];
        for axis in (0..coordinates.len() - 1).rev() {
            let extent = self.sizes[axis];
            let extent = self.plus(extent, by);
            let before = self.binary(BinaryOp::Mul, index, extent);
            index = self.binary(BinaryOp::Add, before, coordinates[axis]);
        }
        index
    }

    fn check(&mut self, cond: Value, kind: PanicKind, values: &[Value]) {
        let [inside, outside] = [self.b.create_block(), self.b.create_block()];
        self.b.branch(cond, inside, outside);
        self.b.seal(outside);
        self.b.switch_to(outside);
        let site = self.b.panic_site(kind);
        self.b.panic(site, values);
        self.b.seal(inside);
        self.b.switch_to(inside);
    }

    /// `a / by` or `a % by`, checked as Rust does.
    fn divided(&mut self, [unsigned, signed]: [BinaryOp; 2], a: Value, by: Value) -> Value {
        self.locate();
        let zero = self.number(0);
        let divides = self.b.int_compare(IntCond::Ne, by, zero);
        self.check(divides, PanicKind::DivideByZero, &[]);
        if self.plan.number != Number::I32 {
            return self.binary(unsigned, a, by);
        }
        let [least, minus_one] = [0x8000_0000, 0xffff_ffff].map(|bits| self.b.constant(Type::I32, bits));
        let [other_a, other_b] =
            [(a, least), (by, minus_one)].map(|(a, b)| self.b.int_compare(IntCond::Ne, a, b));
        let fits = self.b.binary(BinaryOp::Or, other_a, other_b);
        self.check(fits, PanicKind::DivideOverflow, &[]);
        self.binary(signed, a, by)
    }

    fn locate(&mut self) {
        self.line += 1;
        self.b.set_location(SourceLoc { line: self.line, column: 1, ..SourceLoc::default() });
    }

    /// `slice[index]`, checked.
    fn load(&mut self, index: Value) {
        self.locate();
        let index = match self.plan.number {
            Number::Usize => index,
            Number::U32 => self.b.convert(ConvertOp::ZeroExtend, index, Type::I64),
            Number::I32 => self.b.convert(ConvertOp::SignExtend, index, Type::I64),
        };
        let [pointer, len] = self.slice;
        let fits = self.b.int_compare(IntCond::ULt, index, len);
        self.check(fits, PanicKind::Index, &[index, len]);
        let four = self.b.constant(Type::I64, 4);
        let offset = self.b.binary_nuw(BinaryOp::Mul, index, four);
        let address = self.b.binary_nuw(BinaryOp::Add, pointer, offset);
        let element = self.b.load(Type::I32, Space::Global, address, 0, true);
        let (before, three) = (self.b.read(self.sum), self.b.constant(Type::I32, 3));
        let scaled = self.b.binary(BinaryOp::Mul, before, three);
        let after = self.b.binary(BinaryOp::Add, scaled, element);
        self.b.define(self.sum, after);
    }

    /// Leaves out what is not in the slice, or too near to a border.
    fn guards(&mut self, coordinates: &[Value], skip: Block) {
        let distance = match self.plan.borders {
            Borders::Interior => self.plan.distance as i64,
            Borders::Halo | Borders::Clamped => 0,
        };
        let conditions: Vec<(usize, Bound)> = (0..coordinates.len())
            .flat_map(|axis| [Bound::First, Bound::Last, Bound::NotLast].map(|bound| (axis, bound)))
            .collect();
        match self.plan.form {
            Form::Branches => {
                for (axis, bound) in conditions {
                    if let Some(cond) = self.condition(coordinates[axis], axis, bound, distance) {
                        self.guard(cond, skip);
                    }
                }
            }
            Form::Named | Form::Negated => {
                let is_negated = self.plan.form == Form::Negated;
                let mut known = None;
                for (axis, bound) in conditions {
                    known = self.and_also(known, is_negated, |writer| {
                        writer.condition(coordinates[axis], axis, bound, distance)
                    });
                }
                match known {
                    Some(border) if is_negated => {
                        let inside = self.b.create_block();
                        self.b.branch(border, skip, inside);
                        self.b.seal(inside);
                        self.b.switch_to(inside);
                    }
                    Some(inside) => self.guard(inside, skip),
                    None => {}
                }
            }
        }
    }

    /// `known && next`, of which the second is computed where the first holds; of negated ones `known || !next`.
    fn and_also(
        &mut self,
        known: Option<Value>,
        is_negated: bool,
        next: impl FnOnce(&mut Self) -> Option<Value>,
    ) -> Option<Value> {
        let Some(known) = known else {
            let next = next(self)?;
            return Some(if is_negated { self.b.unary(UnaryOp::Not, next) } else { next });
        };
        let both = self.b.declare(Type::Bool);
        self.b.define(both, known);
        let [more, join] = [self.b.create_block(), self.b.create_block()];
        match is_negated {
            true => self.b.branch(known, join, more),
            false => self.b.branch(known, more, join),
        }
        self.b.seal(more);
        self.b.switch_to(more);
        if let Some(next) = next(self) {
            let next = if is_negated { self.b.unary(UnaryOp::Not, next) } else { next };
            self.b.define(both, next);
        }
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
        Some(self.b.read(both))
    }

    /// The condition that a coordinate keeps this distance from a border, if one is needed.
    fn condition(&mut self, at: Value, axis: usize, bound: Bound, distance: i64) -> Option<Value> {
        let (size, style) = (self.sizes[axis], self.plan.style);
        // `at < size && at + 1 != size`
        let is_split = style == 3 && distance == 1;
        match bound {
            Bound::First if distance > 0 && style == 0 => {
                let least = self.number(distance);
                Some(self.at_least(at, least))
            }
            Bound::First if distance > 0 => {
                let below = self.number(distance - 1);
                Some(self.more(at, below))
            }
            Bound::First if self.plan.number == Number::I32 && style == 2 => {
                let zero = self.number(0);
                Some(self.at_least(at, zero))
            }
            Bound::First => None,
            Bound::Last if is_split => Some(self.less(at, size)),
            Bound::Last if style < 2 => {
                let end = self.plus(at, distance);
                Some(self.less(end, size))
            }
            Bound::Last => {
                let end = self.plus(size, -distance);
                Some(self.less(at, end))
            }
            Bound::NotLast => is_split.then(|| {
                let next = self.plus(at, 1);
                self.b.int_compare(IntCond::Ne, next, size)
            }),
        }
    }

    /// The element a step away, or the border.
    fn clamped(&mut self, at: Value, size: Value, offset: i64) -> Value {
        let border = if offset > 0 { self.plus(size, -1) } else { self.number(0) };
        let moved = |writer: &mut Self| writer.plus(at, offset);
        match self.plan.style {
            // `if at == border { at } else { at + offset }`
            0 | 1 => {
                let ty = self.plan.number.ty();
                let chosen = self.b.declare(ty);
                self.b.define(chosen, at);
                let is_border = match (self.plan.style, offset) {
                    (0, _) => self.b.int_compare(IntCond::Eq, at, border),
                    (_, 1) => self.at_least(at, border),
                    _ => self.at_least(border, at),
                };
                let [other, both] = [self.b.create_block(), self.b.create_block()];
                self.b.branch(is_border, both, other);
                self.b.seal(other);
                self.b.switch_to(other);
                let moved = moved(self);
                self.b.define(chosen, moved);
                self.b.jump(both, &[]);
                self.b.seal(both);
                self.b.switch_to(both);
                self.b.read(chosen)
            }
            // `(at + 1).min(size - 1)`, `at.max(1) - 1`
            _ if offset > 0 => {
                let moved = moved(self);
                let op = if self.plan.number == Number::I32 { BinaryOp::SMin } else { BinaryOp::UMin };
                self.binary(op, moved, border)
            }
            _ => {
                let one = self.number(1);
                let op = if self.plan.number == Number::I32 { BinaryOp::SMax } else { BinaryOp::UMax };
                let least = self.binary(op, at, one);
                self.plus(least, -1)
            }
        }
    }

    fn accesses(&mut self, coordinates: &[Value]) {
        let plan = self.plan;
        for offsets in &plan.offsets {
            let index = match plan.borders {
                Borders::Interior if plan.is_flat => {
                    let mut index = self.element.unwrap_or_else(|| self.index(coordinates));
                    for (axis, &offset) in offsets.iter().enumerate().take(coordinates.len()) {
                        let mut step = self.number(offset.abs());
                        for inner in 0..axis {
                            step = self.binary(BinaryOp::Mul, step, self.sizes[inner]);
                        }
                        index = match offset {
                            0 => index,
                            1.. => self.binary(BinaryOp::Add, index, step),
                            _ => self.binary(BinaryOp::Sub, index, step),
                        };
                    }
                    index
                }
                _ => {
                    let mut moved = Vec::new();
                    for (axis, (&at, &offset)) in coordinates.iter().zip(offsets).enumerate() {
                        let reach = plan.distance as i64;
                        moved.push(match plan.borders {
                            Borders::Interior => self.plus(at, offset),
                            Borders::Halo => self.plus(at, offset + reach),
                            Borders::Clamped if offset == 0 => at,
                            Borders::Clamped => self.clamped(at, self.sizes[axis], offset),
                        });
                    }
                    self.index(&moved)
                }
            };
            self.load(index);
        }
    }

    /// `for at in (first..end).step_by(by) { body }`
    fn count(&mut self, first: Value, end: Value, by: i64, body: impl FnOnce(&mut Self, Value)) {
        let counter = self.b.declare(self.plan.number.ty());
        self.b.define(counter, first);
        let [header, inside, exit] = [(); 3].map(|()| self.b.create_block());
        self.b.jump(header, &[]);
        self.b.switch_to(header);
        let at = self.b.read(counter);
        let goes_on = self.less(at, end);
        self.b.branch(goes_on, inside, exit);
        self.b.seal(inside);
        self.b.switch_to(inside);
        body(self, at);
        let next = self.plus(at, by);
        self.b.define(counter, next);
        self.b.jump(header, &[]);
        self.b.seal(header);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    fn body(&mut self) {
        let plan = self.plan;
        let skip = self.b.create_block();
        match plan.coordinates {
            Coordinates::Grid => {
                let coordinates: Vec<Value> = (0..plan.dimensions).map(|axis| self.thread(axis)).collect();
                self.guards(&coordinates, skip);
                self.accesses(&coordinates);
            }
            Coordinates::Divided => {
                let id = self.thread(0);
                let all = self.sizes.clone();
                let whole =
                    all[1..].iter().fold(all[0], |so_far, &size| self.binary(BinaryOp::Mul, so_far, size));
                let inside = self.less(id, whole);
                self.guard(inside, skip);
                self.element = Some(id);
                let (mut rest, mut coordinates) = (id, Vec::new());
                for &size in &all[..all.len() - 1] {
                    coordinates.push(self.divided([BinaryOp::URem, BinaryOp::SRem], rest, size));
                    rest = self.divided([BinaryOp::UDiv, BinaryOp::SDiv], rest, size);
                }
                coordinates.push(rest);
                if plan.borders == Borders::Interior && plan.distance > 0 {
                    self.guards(&coordinates, skip);
                }
                self.accesses(&coordinates);
            }
            Coordinates::Loop => {
                let inner: Vec<Value> = (0..plan.dimensions - 1).map(|axis| self.thread(axis)).collect();
                self.guards(&inner, skip);
                let distance = if plan.borders == Borders::Interior { plan.distance as i64 } else { 0 };
                let (first, size) = (self.number(distance), self.sizes[plan.dimensions - 1]);
                let end = self.plus(size, -distance);
                self.count(first, end, 1, |writer, at| {
                    writer.accesses(&[&inner[..], &[at]].concat());
                });
            }
            Coordinates::Strips => {
                let row = self.thread(1);
                let inside = self.less(row, self.sizes[1]);
                self.guard(inside, skip);
                let (four, width, lane) = (self.number(4), self.sizes[0], self.thread(0));
                let rest = self.binary(BinaryOp::URem, width, four);
                let end = self.binary(BinaryOp::Sub, width, rest);
                let first = self.binary(BinaryOp::Mul, lane, four);
                self.count(first, end, 128, |writer, at| {
                    for more in 0..4 {
                        let column = writer.plus(at, more);
                        let index = writer.index(&[column, row]);
                        writer.load(index);
                    }
                });
            }
        }
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }
}

fn kernel(plan: &Plan) -> Function {
    let mut b = FunctionBuilder::new("k");
    let entry = b.create_block();
    b.seal(entry);
    b.switch_to(entry);
    let mut sizes = Vec::new();
    for name in &["width", "height", "depth"][..plan.dimensions] {
        let param = b.add_param(*name, plan.number.ty(), None);
        sizes.push(b.param(param));
    }
    let pointer = b.add_param("x", Type::I64, Some(4));
    b.set_read_only(pointer);
    let len = b.add_param("x_len", Type::I32, None);
    let (pointer, len) = (b.param(pointer), b.param(len));
    let len = b.convert(ConvertOp::ZeroExtend, len, Type::I64);
    let out = b.add_param("out", Type::I64, Some(4));
    let out = b.param(out);
    let sum = b.declare(Type::I32);
    let zero = b.constant(Type::I32, 0);
    b.define(sum, zero);
    let mut writer = Writer { b, plan, sizes, slice: [pointer, len], sum, line: 0, element: None };
    writer.body();
    let mut b = writer.b;
    // The sums of all threads, in any order.
    let value = b.read(sum);
    b.atomic(AtomicOp::Add, Space::Global, (MemoryScope::Device, MemoryOrder::Relaxed), out, value);
    b.ret();
    b.finish()
}

/// A launch: the sizes, the innermost first.
#[derive(Clone, Debug)]
struct Sizes {
    sizes: Vec<u64>,
    len: u32,
    grid: [u32; 3],
    block: [u32; 3],
}

impl Sizes {
    fn new(random: &mut Random, plan: &Plan, least: u64) -> Sizes {
        let most = if plan.dimensions == 1 { 300 } else { 40 };
        let sizes: Vec<u64> =
            (0..plan.dimensions).map(|_| least + random.below(most - least as usize) as u64).collect();
        let block = match plan.coordinates {
            Coordinates::Strips => [32, 2, 1],
            _ => random.of(&[[32, 1, 1], [16, 4, 1], [8, 4, 2], [5, 3, 1]]),
        };
        let threads: [u64; 3] = match plan.coordinates {
            Coordinates::Divided => [sizes.iter().product(), 1, 1],
            Coordinates::Strips => [32, sizes[1], 1],
            Coordinates::Grid => std::array::from_fn(|axis| sizes.get(axis).copied().unwrap_or(1)),
            Coordinates::Loop => std::array::from_fn(|axis| match axis + 1 < sizes.len() {
                true => sizes[axis],
                false => 1,
            }),
        };
        let grid = std::array::from_fn(|axis| (threads[axis] as u32).div_ceil(block[axis]).max(1));
        Sizes { len: plan.len(&sizes), sizes, grid, block }
    }

    /// The arguments as PTX lays them out, with addresses that are multiples of all that tests ask for.
    fn bytes(&self, plan: &Plan) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut push = |value: u64, size: usize| {
            bytes.resize(bytes.len().next_multiple_of(size), 0);
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        };
        self.sizes.iter().for_each(|&size| push(size, plan.number.ty().bytes() as usize));
        push(0, 8);
        push(self.len.into(), 4);
        push(0, 8);
        bytes
    }

    fn run(
        &self,
        plan: &Plan,
        function: &kernel_runtime::PtxFunction,
        gpu: &Gpu,
        takes_panic_record: bool,
    ) -> std::result::Result<Option<u32>, String> {
        let told = |error: Error| error.to_string();
        let x: Vec<u32> = (0..self.len).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let x = gpu.upload(&x).map_err(told)?;
        let mut out = gpu.zeros::<u32>(1).map_err(told)?;
        let mut record = gpu.zeros::<u64>(PanicRecord::BYTES.div_ceil(8)).map_err(told)?;
        let mut launch = function.launch();
        for &size in &self.sizes {
            launch = if plan.number == Number::Usize { launch.arg(size) } else { launch.arg(size as u32) };
        }
        launch = launch.arg(&x).arg(self.len).arg(&mut out);
        if takes_panic_record {
            launch = launch.arg(&mut record);
        }
        let ([gx, gy, gz], [bx, by, bz]) = (self.grid, self.block);
        // SAFETY: the simulator refuses what is not the kernel's to access.
        unsafe { launch.grid((gx, gy, gz)).block((bx, by, bz)).run() }.map_err(told)?;
        let words = record.to_vec().map_err(told)?;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let bytes: &[u8; PanicRecord::BYTES] = bytes.first_chunk().ok_or("a short record")?;
        match PanicRecord::read(bytes) {
            Some(_) => Ok(None),
            None => Ok(Some(out.to_vec().map_err(told)?[0])),
        }
    }
}

/// A failure.
enum Finding {
    /// The entry without checks does something else.
    Wrong(String),
    /// It does not run, or has checks.
    Slow(String),
}

/// Compiles a kernel, runs it in buffers of exactly its size, and in some for sizes of which tests may say no.
fn try_one(random: &mut Random, gpu: &Gpu) -> std::result::Result<(), Finding> {
    let plan = Plan::new(random);
    let module = Module { files: vec!["exact.rs".into()], functions: vec![kernel(&plan)] };
    let compiled = compile(&module, None).map_err(|error| Finding::Wrong(error.to_string()))?;
    let facts = &compiled.kernels[0];
    let told = |wrong: &str| format!("{wrong}\n{plan:?}\n{}", module.functions[0]);
    let Some(CheckFreeKernel { name, tests, takes_panic_record, remarks, .. }) = facts.check_free.first()
    else {
        return match facts.remarks.iter().any(|remark| matches!(remark.kind, RemarkKind::CheckLeft { .. })) {
            true => Err(Finding::Slow(told("no entry without checks"))),
            false => Ok(()),
        };
    };
    let texts = tests.iter().map(|test| test.text.as_str()).collect::<Vec<_>>().join("\n");
    if let Some(left) = remarks.iter().find(|remark| matches!(remark.kind, RemarkKind::CheckLeft { .. })) {
        let line = left.location.line;
        return Err(Finding::Slow(told(&format!("a check is left in line {line}; tests:\n{texts}"))));
    }
    let text = gpu.load_ptx(&compiled.ptx).map_err(|error| Finding::Wrong(error.to_string()))?;
    let function = |name: &str| text.function(name).map_err(|error| Finding::Wrong(error.to_string()));
    let [with, without] = [function(&facts.name)?, function(name)?];
    let least = 2 * plan.distance + 2;
    let launches =
        [Sizes::new(random, &plan, least), Sizes::new(random, &plan, least), Sizes::new(random, &plan, 0)];
    for (launch, is_exact) in launches.iter().zip([true, true, false]) {
        let params = launch.bytes(&plan);
        let seen = LaunchFacts {
            params: &params,
            block: launch.block,
            grid: launch.grid,
            dynamic_shared: 0,
            over: None,
        };
        if let Some(failed) = tests.iter().find(|test| !holds(&test.ops, &seen)) {
            if is_exact {
                return Err(Finding::Slow(told(&format!("not {}: {launch:?}", failed.text))));
            }
            continue;
        }
        let context =
            |wrong: String| Finding::Wrong(told(&format!("{wrong}: {launch:?}\n{texts}\n{}", compiled.ptx)));
        let expected = launch.run(&plan, &with, gpu, true).map_err(context)?;
        let found = launch.run(&plan, &without, gpu, *takes_panic_record).map_err(context)?;
        if found.is_none() || found != expected {
            return Err(context(format!("without checks {found:?}, with checks {expected:?}")));
        }
    }
    Ok(())
}

/// `EXACT_FUZZ=10000` in the environment asks for as many kernels, `EXACT_SEED` for others.
#[test]
fn buffers_of_exactly_the_size_need_no_checks() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (kernels, first) = (number("EXACT_FUZZ").unwrap_or(200), number("EXACT_SEED").unwrap_or(1));
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut slow: Vec<String> = Vec::new();
    for seed in first..first + kernels {
        let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95));
        match try_one(&mut random, &gpu) {
            Ok(()) => {}
            Err(Finding::Wrong(text)) => panic!("EXACT_FUZZ=1 EXACT_SEED={seed}: {text}"),
            Err(Finding::Slow(text)) => slow.push(format!("EXACT_FUZZ=1 EXACT_SEED={seed}: {text}")),
        }
    }
    println!("{} of {kernels} kernels need checks", slow.len());
    slow.iter()
        .flat_map(|text| text.lines().filter(|line| line.starts_with("Plan")))
        .for_each(|plan| println!("{plan}"));
    // Proofs of many terms are given up: sixteen kernels of 1,000, most of them in three dimensions.
    assert!(slow.len() as u64 * 50 <= kernels, "{} of {kernels} kernels; the first: {}", slow.len(), slow[0]);
}
