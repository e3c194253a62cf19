//! Runs random functions before and after the passes: they must store the same and end in the same way.
//!
//! The functions are built as lowering builds them, of loops over ranges, guards and checked indices, with numbers near the
//! ends of their types, so that a check removed or a value narrowed without right is seen. No executed operation that is
//! marked `nuw` may wrap, in either version.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{CheckFree, PIPELINE};
use crate::host_test::offsets;
use crate::ir::{
    BinaryOp, Block, BlockCall, BranchHint, BranchWish, ConvertOp, Entity, EntityMap, Function,
    FunctionBuilder, InstData, IntCond, LocalVar, LoopHint, Module, PanicKind, Param, Space, SpecialRegister,
    Type, UnaryOp, Value, Variable,
};
use kernel_abi::eval;
use kernel_abi::guard::{LaunchFacts, holds};

/// A small generator of numbers: xorshift64.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.word() >> 33) as usize % limit
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// A number that is likely to be at an edge.
    fn number(&mut self) -> u64 {
        const EDGES: &[u64] =
            &[0, 1, 2, 3, 7, 8, 31, 32, 255, 256, 1023, 1 << 16, 1 << 31, (1 << 32) - 1, 1 << 32];
        match self.below(8) {
            0 => self.word(),
            1 => u64::MAX - self.below(4) as u64,
            2 => (1 << 31) - self.below(4) as u64,
            3 => (1 << 32) - 1 - self.below(4) as u64,
            4 | 5 => self.below(12) as u64,
            _ => self.pick(EDGES),
        }
    }
}

struct Generator<'r> {
    b: FunctionBuilder,
    random: &'r mut Random,
    words: Vec<Variable>,
    longs: Vec<Variable>,
    /// Values that never change: lengths and thread indices, as `i64`. Each is also the length of a slice.
    fixed: Vec<Value>,
    /// The blocks behind the loops around, for `break`.
    exits: Vec<Block>,
    /// Arrays of `LOCAL_LEN` elements of 8 bytes, and what refers to such elements by generic address.
    locals: Vec<LocalVar>,
    references: Vec<Variable>,
}

/// Elements of a local array.
const LOCAL_LEN: u64 = 4;

/// The parameters of every function: lengths, numbers and truths.
const PARAMS: [Type; 6] = [Type::I32, Type::I32, Type::I64, Type::I32, Type::I64, Type::Bool];

fn random_function(random: &mut Random) -> Function {
    let mut b = FunctionBuilder::new("k");
    let params: Vec<Param> =
        PARAMS.iter().enumerate().map(|(i, &ty)| b.add_param(format!("p{i}"), ty, None)).collect();
    let entry = b.create_block();
    b.switch_to(entry);
    let values: Vec<Value> = params.iter().map(|&param| b.param(param)).collect();
    let [tid, ntid] = [SpecialRegister::TidX, SpecialRegister::NtidX].map(|register| b.special(register));
    let mut fixed: Vec<Value> =
        [values[0], values[1], tid, ntid].map(|v| b.convert(ConvertOp::ZeroExtend, v, Type::I64)).to_vec();
    fixed.push(values[2]);
    let words: Vec<Variable> = (0..3).map(|_| b.declare(Type::I32)).collect();
    let longs: Vec<Variable> = (0..3).map(|_| b.declare(Type::I64)).collect();
    for (&variable, &value) in words.iter().zip([&values[3], &tid, &values[1]]) {
        b.define(variable, value);
    }
    for (&variable, &value) in longs.iter().zip([&values[4], &fixed[0], &fixed[2]]) {
        b.define(variable, value);
    }
    let locals: Vec<LocalVar> = (0..3).map(|_| b.add_local("a", 8 * LOCAL_LEN as u32, 8)).collect();
    let references: Vec<Variable> = (0..2).map(|_| b.declare(Type::I64)).collect();
    for (&reference, &local) in references.iter().zip(&locals) {
        let address = b.local_address(local);
        let address = b.to_generic(Space::Local, address);
        b.define(reference, address);
    }
    let mut generator = Generator { b, random, words, longs, fixed, exits: Vec::new(), locals, references };
    generator.block(3);
    generator.store();
    generator.b.ret();
    generator.b.finish()
}

impl Generator<'_> {
    fn block(&mut self, depth: usize) {
        for _ in 0..1 + self.random.below(4) {
            match self.random.below(if depth == 0 { 10 } else { 24 }) {
                0 => self.store(),
                1 | 2 => self.assign(),
                3 => {
                    let index = self.long();
                    let len = self.bound();
                    self.index(index, len);
                }
                4 => self.divide(),
                5 | 6 => self.local(),
                7 => self.place(),
                8 => self.leave(),
                9 => self.signed(),
                10 | 11 => self.condition(depth - 1),
                12 => self.array(depth - 1),
                13 => self.search(),
                14 => self.merge(),
                15 => self.segment(depth - 1),
                16 => self.halves(),
                17 => self.powers(),
                18..=22 => self.walk(),
                _ => self.range(depth - 1),
            }
        }
    }

    fn pick_fixed(&mut self) -> Value {
        let at = self.random.below(self.fixed.len());
        self.fixed[at]
    }

    /// A length: one that stays as a rule, but not always.
    fn bound(&mut self) -> Value {
        if self.random.below(3) > 0 { self.pick_fixed() } else { self.long() }
    }

    fn word(&mut self) -> Value {
        if self.random.below(3) == 0 {
            let bits = self.random.number();
            return self.b.constant(Type::I32, bits);
        }
        let variable = self.random.pick(&self.words);
        self.b.read(variable)
    }

    fn long(&mut self) -> Value {
        match self.random.below(5) {
            0 => {
                let bits = self.random.number();
                self.b.constant(Type::I64, bits)
            }
            1 => self.pick_fixed(),
            2 => {
                let word = self.word();
                let op = self.random.pick(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
                self.b.convert(op, word, Type::I64)
            }
            _ => {
                let variable = self.random.pick(&self.longs);
                self.b.read(variable)
            }
        }
    }

    fn store(&mut self) {
        let address = self.long();
        let value = if self.random.below(2) == 0 { self.word() } else { self.long() };
        self.b.store(Space::Global, address, 0, value);
    }

    fn assign(&mut self) {
        const OPS: &[BinaryOp] = &[
            BinaryOp::Add,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Shl,
            BinaryOp::LShr,
            BinaryOp::AShr,
            BinaryOp::UMin,
            BinaryOp::UMax,
            BinaryOp::SMin,
            BinaryOp::SMax,
            BinaryOp::UMulHigh,
            BinaryOp::SMulHigh,
        ];
        let op = self.random.pick(OPS);
        if self.random.below(3) == 0 {
            let (a, c) = (self.word(), self.word());
            let value = match self.random.below(6) {
                0 => {
                    let long = self.long();
                    self.b.convert(ConvertOp::Truncate, long, Type::I32)
                }
                1 => self.b.unary(UnaryOp::Neg, a),
                2 => self.b.unary(UnaryOp::PopCount, a),
                _ => self.b.binary(op, a, c),
            };
            let variable = self.random.pick(&self.words);
            self.b.define(variable, value);
        } else {
            let (a, c) = (self.long(), self.long());
            let value = match self.random.below(8) {
                0 => {
                    let cond = self.cond();
                    self.b.select(cond, a, c)
                }
                1 => self.b.unary(UnaryOp::Not, a),
                _ => self.b.binary(op, a, c),
            };
            let variable = self.random.pick(&self.longs);
            self.b.define(variable, value);
        }
    }

    fn cond(&mut self) -> Value {
        let cond = self.random.pick(IntCond::ALL);
        if self.random.below(3) == 0 {
            let (a, b) = (self.word(), self.word());
            return self.b.int_compare(cond, a, b);
        }
        let (a, b) = (self.long(), self.long());
        self.b.int_compare(cond, a, b)
    }

    /// Panics unless the condition holds.
    fn check(&mut self, holds: Value, kind: PanicKind, args: &[Value]) {
        let [inside, outside] = [self.b.create_block(), self.b.create_block()];
        self.b.branch(holds, inside, outside);
        self.b.seal(inside);
        self.b.seal(outside);
        self.b.switch_to(outside);
        let site = self.b.panic_site(kind);
        self.b.panic(site, args);
        self.b.switch_to(inside);
    }

    /// A checked access.
    fn index(&mut self, index: Value, len: Value) {
        let index = match self.random.below(7) {
            // `base + 4 * index + k`
            6 => {
                let [by, k] = [1 + self.random.below(4), self.random.below(6)]
                    .map(|k| self.b.constant(Type::I64, k as u64));
                let start = self.b.binary(BinaryOp::Mul, index, by);
                let sum = self.b.binary(BinaryOp::Add, start, k);
                if self.random.below(2) == 0 {
                    let base = self.long();
                    self.b.binary(BinaryOp::Add, base, sum)
                } else {
                    sum
                }
            }
            0 | 1 => {
                let k = self.random.below(3) as u64;
                let k = self.b.constant(Type::I64, k);
                let op = self.random.pick(&[BinaryOp::Add, BinaryOp::Sub]);
                self.b.binary(op, index, k)
            }
            // `row * width + column`
            2 => {
                let (width, column) = (self.pick_fixed(), self.long());
                let start = self.b.binary(BinaryOp::Mul, index, width);
                self.b.binary(BinaryOp::Add, start, column)
            }
            // `index.min(len - 1)`
            3 if self.random.below(2) == 0 => {
                let one = self.b.constant(Type::I64, 1);
                let last = self.b.binary(BinaryOp::Sub, len, one);
                self.b.binary(BinaryOp::UMin, index, last)
            }
            _ => index,
        };
        let value = self.element(index, len);
        let variable = self.random.pick(&self.longs);
        self.b.define(variable, value);
    }

    /// Checks an index and loads the element: of the slice of this length, if there is one, so that the run sees an access beyond it.
    fn element(&mut self, index: Value, len: Value) -> Value {
        let inside = self.b.int_compare(IntCond::ULt, index, len);
        self.check(inside, PanicKind::Index, &[index, len]);
        let size = self.b.constant(Type::I64, 8);
        let offset = self.b.binary(BinaryOp::Mul, index, size);
        match self.fixed.iter().position(|&fixed| fixed == len).filter(|_| self.random.below(3) > 0) {
            Some(slice) => {
                let base = self.b.constant(Type::I64, SLICES + SLICE * slice as u64);
                let address = self.b.binary(BinaryOp::Add, base, offset);
                self.b.load(Type::I64, Space::Global, address, 0, self.random.below(3) == 0)
            }
            None => self.b.load(Type::I64, Space::Global, offset, 4, false),
        }
    }

    /// `if … { break }`, out of the innermost loop.
    fn leave(&mut self) {
        let Some(&exit) = self.exits.last() else { return };
        let stays = self.b.create_block();
        let cond = self.cond();
        self.b.branch(cond, exit, stays);
        self.b.seal(stays);
        self.b.switch_to(stays);
    }

    /// A binary search, the ends of which may be such that it finds an end or none.
    fn search(&mut self) {
        let [head, body, above, below, exit] = [0; 5].map(|_| self.b.create_block());
        let [first, last] = [0; 2].map(|_| self.b.declare(Type::I64));
        let [zero, one, two] = [0, 1, 2].map(|k| self.b.constant(Type::I64, k));
        let len = self.pick_fixed();
        let start = if self.random.below(3) > 0 { zero } else { self.long() };
        let end = if self.random.below(3) > 0 { len } else { self.long() };
        let key = self.long();
        self.b.define(first, start);
        self.b.define(last, end);
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let [low, high] = [first, last].map(|variable| self.b.read(variable));
        let cond = self.random.pick(&[IntCond::ULt, IntCond::ULt, IntCond::ULt, IntCond::ULe, IntCond::Ne]);
        let more = self.b.int_compare(cond, low, high);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let middle = if self.random.below(2) == 0 {
            let distance = self.b.binary(BinaryOp::Sub, high, low);
            let half = self.b.binary(BinaryOp::LShr, distance, one);
            self.b.binary(BinaryOp::Add, low, half)
        } else {
            let sum = self.b.binary(BinaryOp::Add, low, high);
            self.b.binary(BinaryOp::UDiv, sum, two)
        };
        let value = self.element(middle, len);
        let is_less = self.b.int_compare(IntCond::ULt, value, key);
        self.b.branch(is_less, above, below);
        self.b.seal(above);
        self.b.seal(below);
        self.b.switch_to(above);
        let next = self.b.binary(BinaryOp::Add, middle, one);
        self.b.define(first, next);
        self.b.jump(head, &[]);
        self.b.switch_to(below);
        let next = if self.random.below(4) > 0 { middle } else { self.b.binary(BinaryOp::Sub, middle, one) };
        self.b.define(last, next);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
        let variable = self.random.pick(&self.longs);
        let found = self.b.read(first);
        self.b.define(variable, found);
    }

    /// `while i < n && j < m { if x[i] < y[j] { i += 1 } else { j += 1 } }`
    fn merge(&mut self) {
        let [head, second, body, left, right, exit] = [0; 6].map(|_| self.b.create_block());
        let [i, j] = [0; 2].map(|_| self.b.declare(Type::I64));
        let one = self.b.constant(Type::I64, 1);
        let ends = [0; 2].map(|_| self.bound());
        for counter in [i, j] {
            let start = if self.random.below(2) == 0 { self.long() } else { self.b.constant(Type::I64, 0) };
            self.b.define(counter, start);
        }
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let now = [i, j].map(|counter| self.b.read(counter));
        let more = [0, 1].map(|side| self.b.int_compare(IntCond::ULt, now[side], ends[side]));
        if self.random.below(2) == 0 {
            let both = self.b.binary(BinaryOp::And, more[0], more[1]);
            self.b.branch(both, second, exit);
            self.b.seal(second);
            self.b.switch_to(second);
            self.b.jump(body, &[]);
        } else {
            self.b.branch(more[0], second, exit);
            self.b.seal(second);
            self.b.switch_to(second);
            self.b.branch(more[1], body, exit);
        }
        self.b.seal(body);
        self.b.switch_to(body);
        let values = [0, 1].map(|side| self.element(now[side], ends[side]));
        if self.random.below(2) == 0 {
            let at = self.b.binary(BinaryOp::Add, now[0], now[1]);
            self.b.store(Space::Global, at, 0, values[0]);
        }
        let is_less = self.b.int_compare(IntCond::ULt, values[0], values[1]);
        self.b.branch(is_less, left, right);
        for (side, block) in [left, right].into_iter().enumerate() {
            self.b.seal(block);
            self.b.switch_to(block);
            let next = self.b.binary(BinaryOp::Add, now[side], one);
            self.b.define([i, j][side], next);
            self.b.jump(head, &[]);
        }
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// `for j in starts[i]..starts[i + 1]`, as rows of sparse matrices have it.
    fn segment(&mut self, depth: usize) {
        let (row, len) = (self.long(), self.pick_fixed());
        let one = self.b.constant(Type::I64, 1);
        let next = self.b.binary(BinaryOp::Add, row, one);
        let ends = [(row, 7), (next, 15)].map(|(index, mask)| {
            let value = self.element(index, len);
            let mask = self.b.constant(Type::I64, mask);
            self.b.binary(BinaryOp::And, value, mask)
        });
        self.range_over(ends[0], ends[1], false, depth);
    }

    /// `for i in start..end { sum += x[(base + i) * by + k] }`, `start..=end` or their `rev()`, with ends that are loaded, and nothing else in
    /// the loop as a rule.
    fn walk(&mut self) {
        let (row, of_rows) = (self.long(), self.pick_fixed());
        let mask = self.b.constant(Type::I64, 15);
        let [start, end] = [0, 1].map(|next| {
            let next = self.b.constant(Type::I64, next);
            let index = self.b.binary(BinaryOp::Add, row, next);
            let value = self.element(index, of_rows);
            if self.random.below(8) == 0 { value } else { self.b.binary(BinaryOp::And, value, mask) }
        });
        let bases = [self.long(), self.long(), self.pick_fixed()];
        let sum = self.random.pick(&self.longs);
        let counter = self.b.declare(Type::I64);
        let [head, body, exit] = [0; 3].map(|_| self.b.create_block());
        let one = self.b.constant(Type::I64, 1);
        match self.random.below(4) {
            0 => {
                let nonempty = self.b.int_compare(IntCond::ULe, start, end);
                self.b.define(counter, start);
                self.b.branch(nonempty, body, exit);
                let i = self.walk_inside(body, counter, sum, &bases);
                let more = self.b.int_compare(IntCond::ULt, i, end);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = self.b.binary_nuw(BinaryOp::Add, i, one);
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
            1 => {
                let last = self.b.binary(BinaryOp::Sub, end, one);
                let nonempty = self.b.int_compare(IntCond::ULt, start, end);
                self.b.define(counter, last);
                self.b.branch(nonempty, body, exit);
                let i = self.walk_inside(body, counter, sum, &bases);
                let more = self.b.int_compare(IntCond::ULt, start, i);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = self.b.binary_nuw(BinaryOp::Sub, i, one);
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
            _ => {
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let more = self.b.int_compare(IntCond::ULt, i, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.walk_inside(body, counter, sum, &bases);
                let next = self.b.binary_nuw(BinaryOp::Add, i, one);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
        }
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// An iteration of such a loop, and its counter.
    fn walk_inside(&mut self, body: Block, counter: Variable, sum: Variable, bases: &[Value]) -> Value {
        self.b.switch_to(body);
        let i = self.b.read(counter);
        for _ in 0..1 + self.random.below(2) {
            let len = self.pick_fixed();
            let mut index = i;
            for _ in 0..self.random.below(4) {
                index = self.walk_step(index, bases);
            }
            let value = self.element(index, len);
            let before = self.b.read(sum);
            let after = self.b.binary(BinaryOp::Add, before, value);
            self.b.define(sum, after);
        }
        if self.random.below(4) == 0 {
            self.store();
        }
        i
    }

    /// An operation that an index is made by, in 64 or 32 bits.
    fn walk_step(&mut self, index: Value, bases: &[Value]) -> Value {
        let is_word = self.random.below(4) == 0;
        let ty = if is_word { Type::I32 } else { Type::I64 };
        let low = |this: &mut Self, value| match is_word {
            true => this.b.convert(ConvertOp::Truncate, value, Type::I32),
            false => value,
        };
        let base = self.random.pick(bases);
        let (index, base) = (low(self, index), low(self, base));
        let bits = if self.random.below(8) == 0 { self.random.number() } else { self.random.below(6) as u64 };
        let constant = self.b.constant(ty, bits & ty.mask());
        let (op, args) = match self.random.below(12) {
            0 => (BinaryOp::Mul, [index, constant]),
            1 | 2 => (BinaryOp::Mul, [index, base]),
            3 | 4 => (BinaryOp::Add, [index, base]),
            5 => (BinaryOp::Add, [index, constant]),
            6 => (BinaryOp::Sub, [index, constant]),
            7 => (BinaryOp::Sub, [base, index]),
            8 => (BinaryOp::And, [index, constant]),
            9 => (BinaryOp::UMin, [index, base]),
            10 => (BinaryOp::LShr, [index, self.b.constant(ty, bits & 3)]),
            _ => (BinaryOp::URem, [index, self.b.constant(ty, (bits & ty.mask()).max(1))]),
        };
        let result = self.b.binary(op, args[0], args[1]);
        if is_word { self.b.convert(ConvertOp::ZeroExtend, result, Type::I64) } else { result }
    }

    /// `while half > 0 { if i < half { x[i] += x[i + half] }; half /= 2 }`
    fn halves(&mut self) {
        let [head, body, then, join, exit] = [0; 5].map(|_| self.b.create_block());
        let half = self.b.declare(Type::I64);
        let [zero, one] = [0, 1].map(|k| self.b.constant(Type::I64, k));
        let (len, i) = (self.pick_fixed(), self.pick_fixed());
        let start = if self.random.below(2) == 0 { len } else { self.long() };
        let start = self.b.binary(BinaryOp::LShr, start, one);
        self.b.define(half, start);
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let now = self.b.read(half);
        let cond = self.random.pick(&[IntCond::UGt, IntCond::Ne, IntCond::SGt]);
        let more = self.b.int_compare(cond, now, zero);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let is_low = self.b.int_compare(IntCond::ULt, i, now);
        self.b.branch(is_low, then, join);
        self.b.seal(then);
        self.b.switch_to(then);
        let other = self.b.binary(BinaryOp::Add, i, now);
        self.index(other, len);
        self.index(i, len);
        self.store();
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
        let next = self.b.binary(BinaryOp::LShr, now, one);
        self.b.define(half, next);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// `while power <= 16 { x[2 * (i - low) + low + power]; if low == 0 { x[i + power / 2] }; power *= 2 }` with `low` for `i % power`.
    fn powers(&mut self) {
        let [head, body, then, join, exit] = [0; 5].map(|_| self.b.create_block());
        let power = self.b.declare(Type::I64);
        let [zero, one, two] = [0, 1, 2].map(|k| self.b.constant(Type::I64, k));
        let size = self.random.pick(&[4, 8, 16]);
        let mask = self.b.constant(Type::I64, size - 1);
        let i = self.long();
        let i = if self.random.below(4) > 0 { self.b.binary(BinaryOp::And, i, mask) } else { i };
        let size = size * self.random.pick(&[1, 1, 2]) - self.random.below(3) as u64 / 2;
        let len = if self.random.below(4) > 0 { self.b.constant(Type::I64, size) } else { self.bound() };
        let start = self.random.pick(&[1, 2, 2, 3]);
        let start = self.b.constant(Type::I64, start);
        let last = self.b.constant(Type::I64, size);
        self.b.define(power, start);
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let now = self.b.read(power);
        let cond = self.random.pick(&[IntCond::ULe, IntCond::ULt, IntCond::SLt]);
        let more = self.b.int_compare(cond, now, last);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let low = match self.random.below(2) {
            0 => {
                let mask = self.b.binary(BinaryOp::Sub, now, one);
                self.b.binary(BinaryOp::And, i, mask)
            }
            _ => self.b.binary(BinaryOp::URem, i, now),
        };
        let whole = self.b.binary(BinaryOp::Sub, i, low);
        let twice = self.b.binary(BinaryOp::Shl, whole, one);
        let near = self.b.binary(BinaryOp::Add, twice, low);
        let far = self.b.binary(BinaryOp::Add, near, now);
        self.index(near, len);
        self.index(far, len);
        let is_first = self.b.int_compare(IntCond::Eq, low, zero);
        self.b.branch(is_first, then, join);
        self.b.seal(then);
        self.b.switch_to(then);
        let half = self.b.binary(BinaryOp::LShr, now, one);
        let other = self.b.binary(BinaryOp::Add, i, half);
        self.index(other, len);
        self.store();
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
        let next = match self.random.below(2) {
            0 => self.b.binary(BinaryOp::Shl, now, one),
            _ => self.b.binary(BinaryOp::Mul, now, two),
        };
        self.b.define(power, next);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// A checked access at an index that is loaded from where nobody writes, `x[columns[i]]`; its value is added to a variable, and
    /// stored now and then.
    fn gather(&mut self, i: Value, end: Value) {
        if self.random.below(2) == 0 {
            let inside = self.b.int_compare(IntCond::ULt, i, end);
            self.check(inside, PanicKind::Index, &[i, end]);
        }
        let size = self.b.constant(Type::I64, 8);
        let offset = self.b.binary(BinaryOp::Mul, i, size);
        let base = self.b.constant(Type::I64, READ_ONLY);
        let address = self.b.binary(BinaryOp::Add, base, offset);
        let is_read_only = self.random.below(3) > 0;
        let mut index = self.b.load(Type::I64, Space::Global, address, 0, is_read_only);
        if self.random.below(4) > 0 {
            let mask = self.random.pick(&[7, 15, 31]);
            let mask = self.b.constant(Type::I64, mask);
            index = self.b.binary(BinaryOp::And, index, mask);
        }
        let len = self.pick_fixed();
        let join = self.b.create_block();
        if self.random.below(3) == 0 {
            let then = self.b.create_block();
            let cond = self.cond();
            self.b.branch(cond, then, join);
            self.b.seal(then);
            self.b.switch_to(then);
        }
        let inside = self.b.int_compare(IntCond::ULt, index, len);
        self.check(inside, PanicKind::Index, &[index, len]);
        let offset = self.b.binary(BinaryOp::Mul, index, size);
        let value = self.b.load(Type::I64, Space::Global, offset, 4, false);
        let variable = self.random.pick(&self.longs);
        let before = self.b.read(variable);
        let sum = self.b.binary(BinaryOp::Add, before, value);
        self.b.define(variable, sum);
        if self.random.below(3) == 0 {
            self.b.store(Space::Global, offset, 4, sum);
        }
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
    }

    /// An element of a local array by its address there, or by a generic one.
    fn local_element(&mut self) -> (Space, Value) {
        if self.random.below(4) == 0 {
            let reference = self.random.pick(&self.references);
            return (Space::Generic, self.b.read(reference));
        }
        let local = self.random.pick(&self.locals);
        let mut space = Space::Local;
        let mut address = self.b.local_address(local);
        if self.random.below(2) == 0 {
            (space, address) = (Space::Generic, self.b.to_generic(Space::Local, address));
        }
        let offset = if self.random.below(3) > 0 {
            let index = self.random.below(LOCAL_LEN as usize) as u64;
            self.b.constant(Type::I64, 8 * index)
        } else {
            let (index, most) = (self.long(), self.b.constant(Type::I64, LOCAL_LEN - 1));
            let index = self.b.binary(BinaryOp::And, index, most);
            let size = self.b.constant(Type::I64, 8);
            self.b.binary_nuw(BinaryOp::Mul, index, size)
        };
        (space, self.b.binary_nuw(BinaryOp::Add, address, offset))
    }

    /// Reads or writes local memory, or takes a reference to it.
    fn local(&mut self) {
        let (space, address) = self.local_element();
        // Now and then the upper half of an element by itself.
        let half = if self.random.below(8) == 0 { 4 } else { 0 };
        match self.random.below(8) {
            0..3 => {
                let value = if half == 4 { self.word() } else { self.long() };
                self.b.store(space, address, half, value);
            }
            3..6 => {
                let (ty, variables) =
                    if half == 4 { (Type::I32, &self.words) } else { (Type::I64, &self.longs) };
                let variable = self.random.pick(variables);
                let value = self.b.load(ty, space, address, half, false);
                self.b.define(variable, value);
            }
            6 => {
                let truth = self.cond();
                self.b.store(space, address, 0, truth);
                let value = self.b.load(Type::Bool, space, address, 0, false);
                let value = self.b.convert(ConvertOp::ZeroExtend, value, Type::I64);
                let variable = self.random.pick(&self.longs);
                self.b.define(variable, value);
            }
            _ => {
                let reference = self.random.pick(&self.references);
                let address = match space {
                    Space::Generic => address,
                    _ => self.b.to_generic(space, address),
                };
                self.b.define(reference, address);
            }
        }
    }

    /// Fills a new array in one loop and reads it in another.
    fn array(&mut self, depth: usize) {
        let local = self.b.add_local("filled", 8 * LOCAL_LEN as u32, 8);
        let element = |this: &mut Self, i| {
            let address = this.b.local_address(local);
            let address = this.b.to_generic(Space::Local, address);
            let size = this.b.constant(Type::I64, 8);
            let offset = this.b.binary_nuw(BinaryOp::Mul, i, size);
            this.b.binary_nuw(BinaryOp::Add, address, offset)
        };
        self.each_element(|this, i| {
            if this.random.below(2) == 0 {
                this.block(depth);
            }
            let address = element(this, i);
            let value = this.long();
            this.b.store(Space::Generic, address, 0, value);
        });
        self.each_element(|this, i| {
            let address = element(this, i);
            let variable = this.random.pick(&this.longs);
            let before = this.b.read(variable);
            let value = this.b.load(Type::I64, Space::Generic, address, 0, false);
            let sum = this.b.binary(BinaryOp::Add, before, value);
            this.b.define(variable, sum);
        });
    }

    /// `for i in 0..LOCAL_LEN`
    fn each_element(&mut self, body: impl FnOnce(&mut Self, Value)) {
        let [head, inside, exit] = [0; 3].map(|_| self.b.create_block());
        let [zero, one, len] = [0, 1, LOCAL_LEN].map(|k| self.b.constant(Type::I64, k));
        let i = self.b.add_block_param(head, Type::I64);
        self.b.jump(head, &[zero]);
        self.b.switch_to(head);
        let more = self.b.int_compare(IntCond::ULt, i, len);
        self.b.branch(more, inside, exit);
        self.b.seal(inside);
        self.b.switch_to(inside);
        body(self, i);
        let next = self.b.binary_nuw(BinaryOp::Add, i, one);
        self.b.jump(head, &[next]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// Reads or writes one of a few locations in global memory, some of which overlap.
    fn place(&mut self) {
        let (base, half) = (self.fixed[0], 4 * self.random.below(4) as i32);
        let address = match self.random.below(3) {
            0 => {
                let by = self.b.constant(Type::I64, 8);
                self.b.binary(BinaryOp::Add, base, by)
            }
            1 if self.random.below(3) == 0 => self.fixed[1],
            _ => base,
        };
        let (ty, variables) =
            if self.random.below(3) == 0 { (Type::I32, &self.words) } else { (Type::I64, &self.longs) };
        let variable = self.random.pick(variables);
        if self.random.below(3) == 0 {
            let value = self.b.read(variable);
            self.b.store(Space::Global, address, half, value);
        } else {
            let value = self.b.load(ty, Space::Global, address, half, false);
            self.b.define(variable, value);
        }
    }

    fn divide(&mut self) {
        let (a, d) = (self.long(), self.long());
        let zero = self.b.constant(Type::I64, 0);
        let nonzero = self.b.int_compare(IntCond::Ne, d, zero);
        self.check(nonzero, PanicKind::DivideByZero, &[]);
        // Now and then both, in either order.
        for _ in 0..1 + self.random.below(3) {
            let op = self.random.pick(&[BinaryOp::UDiv, BinaryOp::URem]);
            let value = self.b.binary(op, a, d);
            let variable = self.random.pick(&self.longs);
            self.b.define(variable, value);
        }
    }

    /// An index that a few steps of signed arithmetic compute, `x[((a - 3) % 5).max(0)]`, under a signed guard now and then.
    fn signed(&mut self) {
        const OPS: &[BinaryOp] = &[
            BinaryOp::SRem,
            BinaryOp::SRem,
            BinaryOp::SDiv,
            BinaryOp::URem,
            BinaryOp::UDiv,
            BinaryOp::SMax,
            BinaryOp::SMin,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Shl,
            BinaryOp::AShr,
            BinaryOp::LShr,
            BinaryOp::And,
        ];
        let is_word = self.random.below(2) == 0;
        let (ty, mut value) = if is_word { (Type::I32, self.word()) } else { (Type::I64, self.long()) };
        for _ in 0..1 + self.random.below(4) {
            let small = self.random.below(40) as u64;
            let bits = match self.random.below(4) {
                0 | 1 => small,
                2 => small.wrapping_neg(),
                _ => self.random.number(),
            } & ty.mask();
            let op = self.random.pick(OPS);
            // By zero and by minus one a check comes first.
            if bits == 0 || bits == ty.mask() {
                continue;
            }
            let by = self.b.constant(ty, bits);
            let operands = match op {
                BinaryOp::Sub | BinaryOp::Shl if self.random.below(3) == 0 => [by, value],
                _ => [value, by],
            };
            value = self.b.binary(op, operands[0], operands[1]);
        }
        let index = match is_word {
            true => {
                let extend = self.random.pick(&[ConvertOp::SignExtend, ConvertOp::ZeroExtend]);
                self.b.convert(extend, value, Type::I64)
            }
            false => value,
        };
        let len = self.bound();
        let join = self.b.create_block();
        if self.random.below(2) == 0 {
            let (zero, then) = (self.b.constant(ty, 0), self.b.create_block());
            let mut inside = self.b.int_compare(IntCond::SGe, value, zero);
            if self.random.below(2) == 0 {
                let cond = self.random.pick(&[IntCond::SLt, IntCond::SLe, IntCond::ULt]);
                let end = if is_word { self.b.convert(ConvertOp::Truncate, len, Type::I32) } else { len };
                let below = self.b.int_compare(cond, value, end);
                inside = self.b.binary(BinaryOp::And, inside, below);
            }
            self.b.branch(inside, then, join);
            self.b.seal(then);
            self.b.switch_to(then);
        }
        self.index(index, len);
        let (variable, value) = if is_word {
            (self.random.pick(&self.words), value)
        } else {
            (self.random.pick(&self.longs), value)
        };
        self.b.define(variable, value);
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
    }

    fn condition(&mut self, depth: usize) {
        let mut cond = self.cond();
        if self.random.below(3) == 0 {
            let other = self.cond();
            let op = self.random.pick(&[BinaryOp::And, BinaryOp::Or]);
            cond = self.b.binary(op, cond, other);
        }
        let [yes, no, end] = [0; 3].map(|_| self.b.create_block());
        let wish = match self.random.below(6) {
            0 | 1 => Some(BranchWish::Predicate),
            2 => Some(BranchWish::Keep),
            _ => None,
        };
        let hint = wish.map(|wish| BranchHint { wish, location: Default::default() });
        self.b.hinted_branch(cond, yes, no, hint);
        self.b.seal(yes);
        self.b.seal(no);
        self.b.switch_to(yes);
        self.block(depth);
        self.b.jump(end, &[]);
        self.b.switch_to(no);
        if self.random.below(2) == 0 {
            self.block(depth);
        }
        self.b.jump(end, &[]);
        self.b.seal(end);
        self.b.switch_to(end);
    }

    /// A loop over a range in one of the shapes of lowering; its counter is seen by what is inside.
    fn range(&mut self, depth: usize) {
        let is_constant = self.random.below(3) == 0;
        let (start, end) = match is_constant {
            true => [2, 7]
                .map(|limit| {
                    let bits = self.random.below(limit) as u64;
                    self.b.constant(Type::I64, bits)
                })
                .into(),
            false => (self.long(), self.bound()),
        };
        self.range_over(start, end, is_constant, depth);
    }

    fn range_over(&mut self, start: Value, end: Value, is_constant: bool, depth: usize) {
        let counter = self.b.declare(Type::I64);
        let step = match self.random.below(2) {
            _ if is_constant => self.b.constant(Type::I64, 1),
            0 => {
                let k = 1 + self.random.below(3) as u64;
                self.b.constant(Type::I64, k)
            }
            // Steps of zero are refused before the loop in what is lowered; here they run until the limit.
            _ => self.pick_fixed(),
        };
        let [head, body, exit] = [0; 3].map(|_| self.b.create_block());
        let shape = self.random.below(11);
        self.exits.push(exit);
        if self.random.below(3) == 0 {
            let header = if matches!(shape, 0 | 2 | 4 | 6..=9) { head } else { body };
            let hint = self.random.pick(&[
                LoopHint::Full,
                LoopHint::By(2),
                LoopHint::By(3),
                LoopHint::By(4),
                LoopHint::Prefetch(1),
                LoopHint::Prefetch(2),
                LoopHint::Prefetch(3),
                LoopHint::Never,
            ]);
            self.b.set_loop_hint(header, hint);
        }
        let one = self.b.constant(Type::I64, 1);
        match shape {
            // while i < end { …; i += step }
            0 => {
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let more = self.b.int_compare(IntCond::ULt, i, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                self.inside(i, end, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // (start..end).step_by(step)
            1 => {
                let nonempty = self.b.int_compare(IntCond::ULt, start, end);
                self.b.define(counter, start);
                self.b.branch(nonempty, body, exit);
                self.b.switch_to(body);
                let i = self.b.read(counter);
                self.inside(i, end, depth);
                let distance = self.b.binary_nuw(BinaryOp::Sub, end, i);
                let more = self.b.int_compare(IntCond::ULt, step, distance);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = self.b.binary_nuw(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
            // while i + 3 * step < end { x[i]; x[i + 2 * step]; …; i += 4 * step }
            2 => {
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let times = |this: &mut Self, k| {
                    let k = this.b.constant(Type::I64, k);
                    this.b.binary(BinaryOp::Mul, step, k)
                };
                let ahead = times(self, 3);
                let ahead = self.b.binary(BinaryOp::Add, i, ahead);
                let more = self.b.int_compare(IntCond::ULt, ahead, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                let k = 1 + self.random.below(4) as u64;
                let further = times(self, k);
                let further = self.b.binary(BinaryOp::Add, i, further);
                self.index(further, end);
                self.inside(i, end, depth);
                let turn = times(self, 4);
                let next = self.b.binary(BinaryOp::Add, i, turn);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // while i < end { …; i += step } of signed numbers
            4 => {
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let cond = self.random.pick(&[IntCond::SLt, IntCond::SLe, IntCond::ULe]);
                let more = self.b.int_compare(cond, i, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                self.inside(i, end, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // while i + a + b < end { x[i + a]; …; i += step }
            6 => {
                let terms = [self.pick_fixed(), self.long()];
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let first = self.b.binary(BinaryOp::Add, i, terms[0]);
                let both = self.b.binary(BinaryOp::Add, first, terms[1]);
                let more = self.b.int_compare(IntCond::ULt, both, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                self.index(first, end);
                self.inside(i, end, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // while i * width + column < end { x[i * width + column]; …; i += step }
            7 => {
                let (width, column) = (self.pick_fixed(), self.long());
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                let at = self.b.binary(BinaryOp::Mul, i, width);
                let at = self.b.binary(BinaryOp::Add, at, column);
                let more = self.b.int_compare(IntCond::ULt, at, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                self.index(at, end);
                self.inside(i, end, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // loop { …; i += step; if i >= end { break } }
            8 => {
                self.b.define(counter, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(counter);
                self.inside(i, end, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(counter, next);
                let more = self.b.int_compare(IntCond::ULt, next, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // while i < end { …; i += step } of 32 bits
            9 => {
                let word = self.b.declare(Type::I32);
                let [start, end, step] =
                    [start, end, step].map(|value| self.b.convert(ConvertOp::Truncate, value, Type::I32));
                self.b.define(word, start);
                self.b.jump(head, &[]);
                self.b.switch_to(head);
                let i = self.b.read(word);
                let cond = self.random.pick(&[IntCond::ULt, IntCond::ULt, IntCond::SLt, IntCond::Ne]);
                let more = self.b.int_compare(cond, i, end);
                self.b.branch(more, body, exit);
                self.b.seal(body);
                self.b.switch_to(body);
                let extend = self.random.pick(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
                let index = self.b.convert(extend, i, Type::I64);
                let len = self.bound();
                self.inside(index, len, depth);
                let next = self.b.binary(BinaryOp::Add, i, step);
                self.b.define(word, next);
                self.b.jump(head, &[]);
                self.b.seal(head);
            }
            // start..=end
            10 => {
                let nonempty = self.b.int_compare(IntCond::ULe, start, end);
                self.b.define(counter, start);
                self.b.branch(nonempty, body, exit);
                self.b.switch_to(body);
                let i = self.b.read(counter);
                if self.random.below(2) == 0 {
                    let before = self.b.binary(BinaryOp::Sub, i, one);
                    let len = self.bound();
                    self.index(before, len);
                }
                self.inside(i, end, depth);
                let cond = self.random.pick(&[IntCond::ULt, IntCond::ULt, IntCond::SLt]);
                let more = self.b.int_compare(cond, i, end);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = match self.random.below(3) {
                    0 => self.b.binary(BinaryOp::Add, i, one),
                    _ => self.b.binary_nuw(BinaryOp::Add, i, one),
                };
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
            // (start..=end).rev().step_by(step)
            5 => {
                let nonempty = self.b.int_compare(IntCond::ULe, start, end);
                self.b.define(counter, end);
                self.b.branch(nonempty, body, exit);
                self.b.switch_to(body);
                let i = self.b.read(counter);
                self.inside(i, end, depth);
                let distance = self.b.binary_nuw(BinaryOp::Sub, i, start);
                let more = self.b.int_compare(IntCond::ULe, step, distance);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = self.b.binary_nuw(BinaryOp::Sub, i, step);
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
            // (start..end).rev()
            _ => {
                let last = self.b.binary(BinaryOp::Sub, end, one);
                let nonempty = self.b.int_compare(IntCond::ULt, start, end);
                self.b.define(counter, last);
                self.b.branch(nonempty, body, exit);
                self.b.switch_to(body);
                let i = self.b.read(counter);
                self.inside(i, end, depth);
                let more = self.b.int_compare(IntCond::ULt, start, i);
                self.b.branch(more, head, exit);
                self.b.seal(head);
                self.b.switch_to(head);
                let next = self.b.binary_nuw(BinaryOp::Sub, i, one);
                self.b.define(counter, next);
                self.b.jump(body, &[]);
                self.b.seal(body);
            }
        }
        self.exits.pop();
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    fn inside(&mut self, i: Value, end: Value, depth: usize) {
        if self.random.below(4) == 0 {
            return (0..1 + self.random.below(2)).for_each(|_| self.gather(i, end));
        }
        self.index(i, end);
        let variable = self.random.pick(&self.longs);
        self.b.define(variable, i);
        self.block(depth);
    }
}

/// End of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    Return,
    Panic(PanicKind, Vec<u64>),
    /// It took too long.
    Limit,
    /// It loaded from this address, beyond the slice that it is of: only what was miscompiled does, or whose offsets wrap.
    Beyond(u64),
}

/// Start of memory that is loaded from as if nobody wrote it: so high that no store is likely to be there.
const READ_ONLY: u64 = 0x5a5a_0000_0000_0000;

/// The start of the first slice, and the distance from one to the next: one for each of [`Generator::fixed`], of so many elements.
const SLICES: u64 = 0x2bad_0000_0000_0000;
const SLICE: u64 = 1 << 40;

/// Base of local memory in the generic address space.
const LOCAL_WINDOW: u64 = 0x7ead_0000_0000_0000;

/// Memory: local memory, zeros at first, as parts never written read once they are values; and global memory, which at first
/// gives values that depend on the address alone.
struct Memory {
    local: Vec<u8>,
    /// The bytes that were written.
    global: HashMap<u64, u8>,
    /// The addresses that were read.
    read: HashSet<u64>,
    /// The lengths of the slices.
    lens: [u64; 5],
    /// The first address beyond the slice that it is of.
    beyond: Option<u64>,
}

impl Memory {
    fn new(func: &Function, lens: [u64; 5]) -> Memory {
        let local = vec![0; 64 * (2 + func.locals.len())];
        Memory { local, global: HashMap::new(), read: HashSet::new(), lens, beyond: None }
    }

    /// Returns true for an address beyond the slice that it is of. A slice as long as the distance to the next one or longer has no end.
    fn is_beyond(&self, address: u64) -> bool {
        let Some(offset) = address.checked_sub(SLICES) else { return false };
        let len = usize::try_from(offset / SLICE).ok().and_then(|slice| self.lens.get(slice));
        len.is_some_and(|&len| len < SLICE / 8 && offset % SLICE / 8 >= len)
    }

    /// Each local variable has as much room as any.
    fn local_address(var: LocalVar) -> u64 {
        64 * (1 + var.index() as u64)
    }

    /// The bytes of local memory that an access is to, if it is to such.
    fn local(&mut self, space: Space, address: u64, len: u32) -> Option<&mut [u8]> {
        let start = match space {
            Space::Local => address as usize,
            Space::Generic => usize::try_from(address.checked_sub(LOCAL_WINDOW)?).ok()?,
            _ => return None,
        };
        if space == Space::Generic && start >= self.local.len() {
            return None;
        }
        Some(&mut self.local[start..start + len as usize])
    }

    fn load(&mut self, space: Space, address: u64, ty: Type) -> u64 {
        let word = match self.local(space, address, ty.bytes()) {
            Some(bytes) => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
            None => {
                self.read.insert(address);
                self.beyond = self.beyond.or(Some(address).filter(|&address| self.is_beyond(address)));
                let mut bytes = [0; 8];
                for (at, byte) in from(address).zip(&mut bytes[..ty.bytes() as usize]) {
                    *byte = self.global_byte(at);
                }
                u64::from_le_bytes(bytes)
            }
        };
        if ty == Type::Bool { u64::from(word & 0xff != 0) } else { word & ty.mask() }
    }

    /// A byte of global memory: as it was written, or else as at first.
    fn global_byte(&self, address: u64) -> u8 {
        self.global.get(&address).copied().unwrap_or_else(|| Memory::first_byte(address))
    }

    /// A byte of global memory before anything is written: one of the word around it.
    fn first_byte(address: u64) -> u8 {
        let mut hasher = DefaultHasher::new();
        (address / 8).hash(&mut hasher);
        // Small numbers now and then, since they are the interesting ones.
        let word = hasher.finish();
        (if word & 3 == 0 { word >> 60 } else { word }).to_le_bytes()[address as usize % 8]
    }

    /// The bytes of global memory that are others than at first, with their addresses in order.
    fn changes(&self) -> Vec<(u64, u8)> {
        let others = self.global.iter().filter(|&(&address, &byte)| byte != Memory::first_byte(address));
        let mut changes: Vec<(u64, u8)> = others.map(|(&address, &byte)| (address, byte)).collect();
        changes.sort_unstable();
        changes
    }

    /// Writes. Returns true if others see it: if it changes what is there.
    fn store(&mut self, space: Space, address: u64, ty: Type, value: u64) -> bool {
        let bytes = &value.to_le_bytes()[..ty.bytes() as usize];
        if let Some(local) = self.local(space, address, ty.bytes()) {
            local.copy_from_slice(bytes);
            return false;
        }
        let changes = from(address).zip(bytes).any(|(at, &byte)| self.global_byte(at) != byte);
        self.global.extend(from(address).zip(bytes.iter().copied()));
        changes
    }
}

/// This address and those after it.
fn from(address: u64) -> impl Iterator<Item = u64> {
    (0..).map(move |distance| address.wrapping_add(distance))
}

/// Outcome of a run.
struct Outcome {
    /// Its stores in order, those that change nothing aside.
    stores: Vec<(u64, u64)>,
    /// Memory at the end: a store that another one overwrites leaves nothing.
    changes: Vec<(u64, u8)>,
    end: End,
    /// The addresses that it read.
    read: HashSet<u64>,
}

/// Runs a function.
fn run(func: &Function, params: &[u64], registers: [u64; 2], most_steps: usize) -> Outcome {
    const MOST_STORES: usize = 200;
    let mut values: EntityMap<Value, Option<u64>> = EntityMap::filled(func.values.len(), None);
    let mut stores = Vec::new();
    let outcome =
        |stores, memory: Memory, end| Outcome { stores, changes: memory.changes(), end, read: memory.read };
    let [tid, ntid] = registers;
    let mut memory = Memory::new(func, [params[0], params[1], tid, ntid, params[2]]);
    let mut block: Block = func.entry();
    let mut steps = 0;
    loop {
        let mut next: Option<BlockCall> = None;
        for &inst in &func.blocks[block].insts {
            steps += 1;
            if let Some(address) = memory.beyond {
                return outcome(stores, memory, End::Beyond(address));
            }
            if steps > most_steps || stores.len() > MOST_STORES {
                return outcome(stores, memory, End::Limit);
            }
            let get =
                |value: Value| values[value].unwrap_or_else(|| panic!("{value} is not computed\n{func}"));
            let result = match &func.insts[inst] {
                InstData::Const { bits } => *bits,
                InstData::Unary { op, arg } => {
                    eval::unary(*op, func.ty(*arg), get(*arg)).expect("an integer")
                }
                InstData::Binary { op, args: [a, b], no_unsigned_wrap } => {
                    let ty = func.ty(*a);
                    let (a, b) = (get(*a), get(*b));
                    let result =
                        eval::binary(*op, ty, a, b).unwrap_or_else(|| panic!("{a} {op} {b}\n{func}"));
                    if *no_unsigned_wrap {
                        let exact = match op {
                            BinaryOp::Add => u128::from(a) + u128::from(b),
                            BinaryOp::Sub => u128::from(a).wrapping_sub(b.into()),
                            BinaryOp::Mul => u128::from(a) * u128::from(b),
                            BinaryOp::Shl => u128::from(a) << (b % u64::from(ty.bits())),
                            _ => result.into(),
                        };
                        assert_eq!(exact, result.into(), "{} wraps\n{func}", func.display_inst(inst));
                    }
                    result
                }
                InstData::Select { cond, if_true, if_false } => {
                    get(if get(*cond) == 1 { *if_true } else { *if_false })
                }
                InstData::IntCompare { cond, args: [a, b] } => {
                    eval::int_compare(*cond, func.ty(*a), get(*a), get(*b)).into()
                }
                InstData::Convert { op, arg } => {
                    let to = func.results[inst].map_or(Type::I64, |result| func.ty(result));
                    eval::convert(*op, func.ty(*arg), to, get(*arg)).expect("an integer")
                }
                InstData::Special { register: SpecialRegister::TidX } => tid,
                InstData::Special { register: SpecialRegister::NtidX } => ntid,
                InstData::Param { param } => params[param.index()],
                InstData::LocalAddress { var } => Memory::local_address(*var),
                InstData::ToGeneric { space: Space::Local, address } => LOCAL_WINDOW + get(*address),
                InstData::ToGeneric { address, .. } => get(*address),
                InstData::Load { space, address, offset, .. } => {
                    let address = get(*address).wrapping_add_signed((*offset).into());
                    let ty = func.results[inst].map_or(Type::I64, |result| func.ty(result));
                    memory.load(*space, address, ty)
                }
                InstData::Store { space, address, offset, value, .. } => {
                    let address = get(*address).wrapping_add_signed((*offset).into());
                    let value_of = get(*value);
                    if memory.store(*space, address, func.ty(*value), value_of) {
                        stores.push((address, value_of));
                    }
                    continue;
                }
                InstData::Guarded { cond, holds, access } => match (&**access, (get(*cond) == 1) == *holds) {
                    (InstData::Load { .. }, false) => 0,
                    (InstData::Load { space, address, offset, .. }, true) => {
                        let address = get(*address).wrapping_add_signed((*offset).into());
                        let ty = func.results[inst].map_or(Type::I64, |result| func.ty(result));
                        memory.load(*space, address, ty)
                    }
                    (InstData::Store { space, address, offset, value, .. }, true) => {
                        let address = get(*address).wrapping_add_signed((*offset).into());
                        let value_of = get(*value);
                        if memory.store(*space, address, func.ty(*value), value_of) {
                            stores.push((address, value_of));
                        }
                        continue;
                    }
                    (_, false) => continue,
                    (other, true) => panic!("{other:?} is not generated"),
                },
                InstData::Jump { target } => {
                    next = Some(target.clone());
                    continue;
                }
                InstData::Branch { cond, if_true, if_false, .. } => {
                    next = Some(if get(*cond) == 1 { if_true.clone() } else { if_false.clone() });
                    continue;
                }
                InstData::Return => return outcome(stores, memory, End::Return),
                InstData::Panic { site, args } => {
                    let args = args.iter().map(|&arg| get(arg)).collect();
                    return outcome(stores, memory, End::Panic(func.panics[*site].kind, args));
                }
                other => panic!("{other:?} is not generated"),
            };
            let value = func.results[inst].expect("these have results");
            values[value] = Some(result);
        }
        let next = next.expect("a block ends in a terminator");
        let args: Vec<u64> = next.args.iter().map(|&arg| values[arg].expect("computed")).collect();
        for (&param, arg) in func.blocks[next.block].params.iter().zip(args) {
            values[param] = Some(arg);
        }
        block = next.block;
    }
}

/// A run may take this long before the passes; some leave more instructions, for others to remove.
const MOST_STEPS: usize = 20_000;

/// Compares one function with what the passes make of it, on several inputs; how many runs came to their end.
fn compare(seed: u64) -> usize {
    let mut random = Random(seed);
    let before = random_function(&mut random);
    super::assert_valid("none yet", &before);
    let mut after = before.clone();
    let mut versions = Vec::new();
    for (name, pass) in PIPELINE.iter().filter(|(name, _)| *name != "lower_panics") {
        pass(&mut after);
        super::assert_valid(name, &after);
        versions.push((name, after.clone()));
    }
    let mut ended = 0;
    for _ in 0..12 {
        let params: Vec<u64> = PARAMS.iter().map(|ty| random.number() & ty.mask()).collect();
        let ntid = 1 + random.below(1024) as u64;
        let registers = [random.below(ntid as usize) as u64, ntid];
        let Outcome { changes, end, read, .. } = run(&before, &params, registers, MOST_STEPS);
        if matches!(end, End::Limit | End::Beyond(_)) {
            continue;
        }
        ended += 1;
        for (name, version) in &versions {
            let now = run(version, &params, registers, 4 * MOST_STEPS);
            let (end_now, read_now) = (now.end, now.read);
            // A load made ahead reads the address anyway, if nothing before it ended the run.
            let reads_more = end == End::Return && !read_now.is_subset(&read);
            assert!(
                changes == now.changes && end == end_now && !reads_more,
                "seed {seed}, after `{name}`, with {params:?} and {registers:?}:\n\
                 {end:?} became {end_now:?}\n{before}\n{version}"
            );
        }
    }
    ended
}

/// Compares one function with its check-free and partly checked versions, in launches where the guards of these hold; the number of launches that
/// came to their end.
fn compare_check_free(seed: u64) -> usize {
    let mut random = Random(seed);
    let before = random_function(&mut random);
    let offsets = offsets(&before);
    let passes: Vec<_> = PIPELINE.iter().copied().filter(|(name, _)| *name != "lower_panics").collect();
    let mut module = Module { files: Vec::new(), functions: vec![before.clone()] };
    let versions = super::run_passes(&mut module, &passes);
    let mut ended = 0;
    for _ in 0..12 {
        let words: Vec<u64> = PARAMS.iter().map(|ty| random.number() & ty.mask()).collect();
        let ntid = 1 + random.below(1024) as u64;
        let registers = [random.below(ntid as usize) as u64, ntid];
        let mut params = vec![0; usize::from(offsets[PARAMS.len() - 1]) + 1];
        for ((word, ty), &at) in words.iter().zip(PARAMS).zip(&offsets) {
            let (at, bytes) = (usize::from(at), ty.bytes().max(1) as usize);
            params[at..at + bytes].copy_from_slice(&word.to_le_bytes()[..bytes]);
        }
        let [block, grid] = [[ntid as u32, 1, 1], [1, 1, 1]];
        let facts = LaunchFacts { params: &params, block, grid, dynamic_shared: 0, over: None };
        let holds = |version: &&CheckFree| version.tests.iter().all(|test| holds(&test.ops, &facts));
        let mut taken = versions.check_free.iter().filter(holds).peekable();
        if taken.peek().is_none() {
            continue;
        }
        let Outcome { changes, end, read, .. } = run(&before, &words, registers, MOST_STEPS);
        if matches!(end, End::Limit | End::Beyond(_)) {
            continue;
        }
        ended += 1;
        for CheckFree { twin, .. } in taken {
            let version = &module.functions[*twin];
            let now = run(version, &words, registers, 4 * MOST_STEPS);
            let reads_more = end == End::Return && !now.read.is_subset(&read);
            assert!(
                changes == now.changes && end == now.end && !reads_more,
                "seed {seed}, with {words:?} and {registers:?}:\n\
                 {end:?} became {:?}\n{before}\n{version}",
                now.end
            );
        }
    }
    ended
}

/// The number of runs that ended, of functions of as many seeds as the environment says.
fn of_seeds(compare: fn(u64) -> usize) -> usize {
    let seeds = std::env::var("PASS_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(200u64);
    let first = std::env::var("PASS_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64);
    (first..first + seeds).map(|seed| compare(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))).sum()
}

#[test]
fn passes_keep_what_functions_do() {
    assert!(of_seeds(compare) > 0, "some runs end");
}

#[test]
fn check_free_versions_do_the_same_where_guards_hold() {
    assert!(of_seeds(compare_check_free) > 0, "some guards hold");
}

/// Comparisons mean something for [`version_loops`](super::version_loops) as it gives a good part of the functions another loop.
#[test]
fn loops_get_versions_in_many_functions() {
    let is_versioned = |seed: u64| {
        let mut func = random_function(&mut Random(seed));
        for (name, pass) in PIPELINE {
            let before = func.layout.len();
            pass(&mut func);
            if *name == "version_loops" {
                return func.layout.len() > before;
            }
        }
        false
    };
    let versioned =
        (1..=200u64).filter(|seed| is_versioned(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))).count();
    assert!(versioned >= 30, "{versioned} of 200 functions");
}

/// A loop in a loop, each iteration of which has a branch: with its test at the start or at the end, and stores in it or behind it.
fn nest(cond: IntCond, step: u64, start: Option<u64>, tests_first: bool, stores: bool) -> Function {
    let first = start.map_or("v3: i32 = param3".to_owned(), |start| format!("v3: i32 = const {start}"));
    let test = format!("v16: bool = icmp {cond} v12, v1");
    let (at_start, at_end) = if tests_first {
        (format!("{test}\n branch v16, block4, block7"), "jump block8".to_owned())
    } else {
        ("jump block4".to_owned(), format!("{test}\n branch v16, block8, block7"))
    };
    let store = if stores { "store.global v7, v12" } else { "" };
    let text = format!(
        "kernel k(param0 n: i32, param1 end: i32, param2 x: i32, param3 start: i32) {{
        block0:
            v0: i32 = param0
            v1: i32 = param1
            v2: i32 = param2
            {first}
            v4: i32 = const 0
            v5: i32 = const 1
            v6: i32 = const {step}
            v7: i64 = const 4096
            jump block1(v4, v2)
        block1(v10: i32, v11: i32):
            v9: bool = icmp ult v10, v0
            branch v9, block2, block9
        block2:
            jump block3(v3, v11)
        block3(v12: i32, v13: i32):
            {at_start}
        block4:
            v14: i32 = and v12, v5
            v15: bool = icmp eq v14, v4
            branch v15, block5, block6(v13)
        block5:
            {store}
            v17: i32 = mul v13, v12
            v18: i32 = add v17, v2
            jump block6(v18)
        block6(v19: i32):
            {at_end}
        block8:
            v20: i32 = add v12, v6
            jump block3(v20, v19)
        block7:
            store.global v7, v13
            v21: i32 = add v10, v5
            jump block1(v21, v13)
        block9:
            return
        }}"
    );
    crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// Loops that a few iterations, or none, take to the end of their type, and some beyond it, for ever.
#[test]
fn unrolled_inner_loops_have_the_same_iterations() {
    const EDGES: [u64; 5] = [0, 1, 1 << 31, (1 << 31) - 3, u32::MAX as u64 - 2];
    let (mut unrolled, mut ended) = (0, 0);
    for cond in [IntCond::SLt, IntCond::SLe, IntCond::ULt, IntCond::ULe] {
        for (step, tests_first, stores) in [1, 2, 3].into_iter().flat_map(|step| {
            [(step, true, true), (step, true, false), (step, false, true), (step, false, false)]
        }) {
            for start in EDGES.map(Some).into_iter().chain([None]) {
                let before = nest(cond, step, start, tests_first, stores);
                super::assert_valid("none yet", &before);
                let mut after = before.clone();
                super::unroll::unroll_small_loops(&mut after);
                super::assert_valid("unroll_small", &after);
                unrolled += usize::from(after.layout.len() > before.layout.len());
                for first in start.map_or(EDGES.to_vec(), |start| vec![start]) {
                    for distance in -2i64..=13 {
                        let end = first.wrapping_add_signed(distance) & Type::I32.mask();
                        let params = [2, end, 5, first];
                        let Outcome { stores, end, .. } = run(&before, &params, [0, 1], MOST_STEPS);
                        let Outcome { stores: stores_now, end: end_now, .. } =
                            run(&after, &params, [0, 1], 4 * MOST_STEPS);
                        ended += usize::from(end != End::Limit);
                        let count = stores.len().min(stores_now.len());
                        let same = match end {
                            End::Limit => stores[..count] == stores_now[..count] && end_now == End::Limit,
                            End::Return | End::Panic(..) | End::Beyond(_) => {
                                stores == stores_now && end == end_now
                            }
                        };
                        assert!(
                            same,
                            "{params:?}: {stores:?} {end:?} became {stores_now:?} {end_now:?}\n{before}\n{after}"
                        );
                    }
                }
            }
        }
    }
    assert!(unrolled > 200 && ended > 5000, "{unrolled} loops were unrolled, {ended} runs ended");
}
