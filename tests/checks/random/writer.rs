//! Writes random kernels: accesses at random indices behind random guards, in loops, parts of slices and branches.

use ptx_gen::ir::{
    BinaryOp, Block, Coarsen, ConvertOp, Function, FunctionBuilder, IntCond, LoopHint, PanicKind, SourceLoc,
    Space, SpecialRegister, Type, Value, Variable,
};

use super::Random;

/// Places of one kernel that access memory.
pub const ACCESSES: usize = 6;
/// Slices with a length that launches choose.
pub const SLICES: usize = 3;
/// Elements of the table, whose length is a constant.
pub const TABLE: u32 = 50;
/// Scalar parameters; every second one has a sign.
pub const SCALARS: [Type; 6] = [Type::I64, Type::I64, Type::I32, Type::I32, Type::I16, Type::I8];

/// Assumptions that a kernel is compiled under.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    /// True if lengths have 64 bits.
    pub is_wide: bool,
    /// The block that all launches have.
    pub block: Option<[u32; 2]>,
    /// No launch has a block of more threads.
    pub max_threads: Option<u32>,
    /// Each thread does several elements, of launches along x.
    pub coarsen: Option<u32>,
    /// Elements of matrices, indices taken apart and whole steps are among the accesses.
    pub has_matrices: bool,
}

struct Writer<'r> {
    b: FunctionBuilder,
    random: &'r mut Random,
    slices: Vec<(Value, Value)>,
    /// Operands of indices, as numbers of 64 bits: uniform ones are equal in all threads, varying ones are not.
    uniform: Vec<Value>,
    varying: Vec<Value>,
    /// The element of the output that is this thread's.
    own: Value,
    /// The sum that the thread stores there.
    sum: Variable,
    /// The steps of the grid along x.
    stride: Value,
    line: u32,
    has_matrices: bool,
}

impl Writer<'_> {
    fn number(&mut self, bits: u64) -> Value {
        self.b.constant(Type::I64, bits)
    }

    fn one_of(&mut self, choices: &[u64]) -> Value {
        let bits = self.random.of(choices);
        self.number(bits)
    }

    /// A number that is the same in all threads.
    fn size(&mut self) -> Value {
        match self.random.below(10) {
            0 => self.one_of(&[0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64, 100]),
            1 => {
                let [a, b] = [self.leaf_size(), self.leaf_size()];
                self.arithmetic(a, b)
            }
            2 => {
                let a = self.leaf_size();
                let b = self.one_of(&[1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63]);
                let op = self.random.of(&[
                    BinaryOp::Sub,
                    BinaryOp::UDiv,
                    BinaryOp::URem,
                    BinaryOp::And,
                    BinaryOp::Or,
                    BinaryOp::UMax,
                    BinaryOp::Shl,
                    BinaryOp::LShr,
                    BinaryOp::Mul,
                ]);
                self.b.binary(op, a, b)
            }
            _ => self.leaf_size(),
        }
    }

    fn arithmetic(&mut self, a: Value, b: Value) -> Value {
        let op = self.random.of(&[
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::UMin,
            BinaryOp::UMax,
            BinaryOp::Or,
            BinaryOp::Xor,
        ]);
        self.b.binary(op, a, b)
    }

    fn leaf_size(&mut self) -> Value {
        let index = self.random.below(self.uniform.len());
        self.uniform[index]
    }

    fn leaf(&mut self) -> Value {
        match self.random.below(6) {
            0 => self.size(),
            1 => self.one_of(&[0, 1, 2, 3, 5, 16, 255, u64::MAX]),
            _ => {
                let index = self.random.below(self.varying.len());
                self.varying[index]
            }
        }
    }

    fn expression(&mut self, depth: u32) -> Value {
        if depth == 0 || self.random.below(5) == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        match self.random.below(19) {
            0..=3 => {
                let b = self.expression(depth - 1);
                self.b.binary(BinaryOp::Add, a, b)
            }
            4 | 5 => {
                let b = self.expression(depth - 1);
                self.b.binary(BinaryOp::Sub, a, b)
            }
            6..=8 => {
                let b = self.size();
                self.b.binary(BinaryOp::Mul, a, b)
            }
            9 => {
                let by = self.one_of(&[1, 2, 4, 31, 33, 62, 63, 64, 65]);
                let op = self.random.of(&[BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr]);
                self.b.binary(op, a, by)
            }
            10 => {
                let b = self.size();
                let one = self.number(1);
                let b = self.b.binary(BinaryOp::UMax, b, one);
                let op = self.random.of(&[BinaryOp::UDiv, BinaryOp::URem]);
                self.b.binary(op, a, b)
            }
            11 => {
                let mask = self.one_of(&[1, 7, 15, 63, 0xff, 0xffff_ffff, !7]);
                let op = self.random.of(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                self.b.binary(op, a, mask)
            }
            12 => {
                let b = self.expression(depth - 1);
                let op = self.random.of(&[
                    BinaryOp::UMin,
                    BinaryOp::UMax,
                    BinaryOp::SMin,
                    BinaryOp::SMax,
                    BinaryOp::Or,
                    BinaryOp::And,
                ]);
                self.b.binary(op, a, b)
            }
            13..=15 => self.narrow(a),
            16 => {
                let [x, y] = [self.leaf(), self.size()];
                let cond = self.random.of(IntCond::ALL);
                let cond = self.b.int_compare(cond, x, y);
                let b = self.expression(depth - 1);
                self.b.select(cond, a, b)
            }
            17 => {
                let b = self.one_of(&[1, 2, 3, 7, 32]);
                let op = self.random.of(&[BinaryOp::SDiv, BinaryOp::SRem, BinaryOp::UDiv, BinaryOp::URem]);
                self.b.binary(op, a, b)
            }
            _ => a,
        }
    }

    /// Through fewer bits, and back with the sign or without.
    fn narrow(&mut self, a: Value) -> Value {
        let ty = self.random.of(&[Type::I32, Type::I32, Type::I32, Type::I16, Type::I8]);
        let mut low = self.b.convert(ConvertOp::Truncate, a, ty);
        for _ in 0..self.random.below(3) {
            let (b, op) = match self.random.below(3) {
                0 => {
                    let other = self.size();
                    (
                        self.b.convert(ConvertOp::Truncate, other, ty),
                        self.random.of(&[
                            BinaryOp::Add,
                            BinaryOp::Sub,
                            BinaryOp::Mul,
                            BinaryOp::SMin,
                            BinaryOp::UMax,
                        ]),
                    )
                }
                1 => {
                    let bits = self.random.of(&[1, 2, 3, ty.mask(), ty.mask() - 3, ty.mask() / 2]);
                    (
                        self.b.constant(ty, bits),
                        self.random.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::SMax]),
                    )
                }
                _ => {
                    let bits = self.random.of(&[1, 2, 3, 7]);
                    let ops = [
                        BinaryOp::SDiv,
                        BinaryOp::SRem,
                        BinaryOp::AShr,
                        BinaryOp::LShr,
                        BinaryOp::Shl,
                        BinaryOp::URem,
                        BinaryOp::UDiv,
                    ];
                    (self.b.constant(ty, bits), self.random.of(&ops))
                }
            };
            low = self.b.binary(op, low, b);
        }
        let extend = self.random.of(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
        self.b.convert(extend, low, Type::I64)
    }

    fn new_block(&mut self) -> Block {
        self.b.create_block()
    }

    /// Goes on in a new block if the condition holds, else in another.
    fn branch(&mut self, cond: Value, other: Block) {
        let inside = self.new_block();
        self.b.branch(cond, inside, other);
        self.b.seal(inside);
        self.b.switch_to(inside);
    }

    fn check(&mut self, cond: Value, kind: PanicKind, values: &[Value]) {
        let [inside, outside] = [self.new_block(), self.new_block()];
        self.b.branch(cond, inside, outside);
        self.b.seal(outside);
        self.b.switch_to(outside);
        let site = match kind {
            PanicKind::Message => self.b.panic_message("asserted"),
            kind => self.b.panic_site(kind),
        };
        self.b.panic(site, values);
        self.b.seal(inside);
        self.b.switch_to(inside);
    }

    /// Goes on only where this holds; the rest is skipped.
    fn guard(&mut self, index: Value, skip: Block) {
        let bound = match self.random.below(4) {
            0 => self.size(),
            _ => {
                let slice = self.random.below(self.slices.len());
                self.slices[slice].1
            }
        };
        let subject = match self.random.below(6) {
            0 => self.leaf(),
            1 => {
                let more = self.one_of(&[1, 2, 3]);
                self.b.binary(BinaryOp::Add, index, more)
            }
            2 => {
                let more = self.size();
                self.b.binary(BinaryOp::Add, index, more)
            }
            _ => index,
        };
        let cond = self.random.of(&[
            IntCond::ULt,
            IntCond::ULt,
            IntCond::ULt,
            IntCond::ULe,
            IntCond::SLt,
            IntCond::SGe,
            IntCond::UGe,
            IntCond::Ne,
            IntCond::Eq,
        ]);
        let holds = self.b.int_compare(cond, subject, bound);
        self.branch(holds, skip);
    }

    fn guards(&mut self, index: Value, skip: Block) {
        for _ in 0..self.random.below(3) {
            let varying = self.random.below(self.varying.len());
            let subject = if self.random.below(2) == 0 { index } else { self.varying[varying] };
            self.guard(subject, skip);
        }
    }

    fn element(&mut self, pointer: Value, index: Value) -> Value {
        let four = self.number(4);
        let offset = self.b.binary_nuw(BinaryOp::Mul, index, four);
        self.b.binary_nuw(BinaryOp::Add, pointer, offset)
    }

    /// `slice[index]`, checked; the element is added to the sum.
    fn access(&mut self) {
        let skip = self.new_block();
        let depth = self.random.below(3) as u32 + 1;
        let index = self.expression(depth);
        self.guards(index, skip);
        let slice = self.random.below(self.slices.len());
        self.load(slice, index);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    fn load(&mut self, slice: usize, index: Value) -> Value {
        let (pointer, len) = self.slices[slice];
        let fits = self.b.int_compare(IntCond::ULt, index, len);
        self.check(fits, PanicKind::Index, &[index, len]);
        let address = self.element(pointer, index);
        let element = self.b.load(Type::I32, Space::Global, address, 0, true);
        self.add(element);
        element
    }

    fn add(&mut self, more: Value) {
        let before = self.b.read(self.sum);
        let three = self.b.constant(Type::I32, 3);
        let scaled = self.b.binary(BinaryOp::Mul, before, three);
        let after = self.b.binary(BinaryOp::Add, scaled, more);
        self.b.define(self.sum, after);
    }

    /// A part of a slice, from there to there, accessed at an index of its own.
    fn part(&mut self) {
        let skip = self.new_block();
        let [start, end] = [self.expression(1), self.expression(1)];
        self.guards(start, skip);
        let slice = self.random.below(self.slices.len());
        let (pointer, len) = self.slices[slice];
        let end = match self.random.below(3) {
            0 => {
                let inside = self.b.int_compare(IntCond::ULe, start, len);
                self.check(inside, PanicKind::SliceStart, &[start, len]);
                len
            }
            _ => {
                let end = match self.random.below(2) {
                    0 => self.b.binary(BinaryOp::Add, start, end),
                    _ => end,
                };
                let ordered = self.b.int_compare(IntCond::ULe, start, end);
                self.check(ordered, PanicKind::SliceOrder, &[start, end]);
                let inside = self.b.int_compare(IntCond::ULe, end, len);
                self.check(inside, PanicKind::SliceEnd, &[end, len]);
                end
            }
        };
        let part_len = self.b.binary_nuw(BinaryOp::Sub, end, start);
        let address = self.element(pointer, start);
        self.slices.push((address, part_len));
        self.uniform.push(part_len);
        let index = self.expression(2);
        self.guards(index, skip);
        self.load(self.slices.len() - 1, index);
        self.slices.pop();
        self.uniform.pop();
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    /// `a / b` or `a % b` of anything, checked.
    fn division(&mut self) {
        let [a, b] = [self.expression(1), self.size()];
        let zero = self.number(0);
        let (op, kind) = self
            .random
            .of(&[(BinaryOp::UDiv, PanicKind::DivideByZero), (BinaryOp::URem, PanicKind::RemainderByZero)]);
        let divides = self.b.int_compare(IntCond::Ne, b, zero);
        self.check(divides, kind, &[]);
        let result = self.b.binary(op, a, b);
        self.varying.push(result);
        let low = self.b.convert(ConvertOp::Truncate, result, Type::I32);
        self.add(low);
    }

    /// `assert!` of something that is the same in all threads.
    fn assertion(&mut self) {
        let [a, b] = [self.size(), self.size()];
        let cond = self.random.of(IntCond::ALL);
        let holds = self.b.int_compare(cond, a, b);
        self.check(holds, PanicKind::Message, &[]);
    }

    /// Two ways, each with a number of its own that goes on.
    fn two_ways(&mut self) {
        let chosen = self.b.declare(Type::I64);
        let [subject, bound] = match self.random.below(2) {
            0 => [self.size(), self.size()],
            _ => [self.leaf(), self.size()],
        };
        let cond = self.random.of(IntCond::ALL);
        let cond = self.b.int_compare(cond, subject, bound);
        let [yes, no, both] = [self.new_block(), self.new_block(), self.new_block()];
        self.b.branch(cond, yes, no);
        for side in [yes, no] {
            self.b.seal(side);
            self.b.switch_to(side);
            if self.random.below(3) == 0 {
                self.access();
            }
            let value = self.expression(2);
            self.b.define(chosen, value);
            // So that it stays a branch.
            if self.random.below(2) == 0 {
                let address = self.own;
                let low = self.b.convert(ConvertOp::Truncate, value, Type::I32);
                self.b.store(Space::Global, address, 0, low);
            }
            self.b.jump(both, &[]);
        }
        self.b.seal(both);
        self.b.switch_to(both);
        let chosen = self.b.read(chosen);
        self.varying.push(chosen);
    }

    /// Writes the body of a loop iteration, in which these values are known too.
    fn round(&mut self, more: &[Value]) {
        let (known, sizes) = (self.varying.len(), self.uniform.len());
        self.varying.extend(more);
        match self.random.below(5) {
            0 => self.part(),
            1 => {
                self.two_ways();
                self.access();
            }
            _ => self.access(),
        }
        self.varying.truncate(known);
        self.uniform.truncate(sizes);
    }

    fn hint(&mut self, head: Block) {
        match self.random.below(6) {
            0 => self.b.set_loop_hint(head, LoopHint::By(2)),
            1 => self.b.set_loop_hint(head, LoopHint::By(3)),
            2 => self.b.set_loop_hint(head, LoopHint::Never),
            _ => {}
        }
    }

    /// `for k in 0..end { … }`, where counting goes up to 6 at most, with something beside that grows by what is maybe known in the
    /// middle of an iteration only.
    fn counting(&mut self) {
        let [counter, beside] = [(); 2].map(|()| self.b.declare(Type::I64));
        let zero = self.number(0);
        self.b.define(counter, zero);
        let start = self.leaf();
        self.b.define(beside, start);
        let (end, step) = (self.size(), self.size());
        let most = self.number(6);
        let end = self.b.binary(BinaryOp::UMin, end, most);
        let [head, body, exit] = [self.new_block(), self.new_block(), self.new_block()];
        self.b.jump(head, &[]);
        self.hint(head);
        self.b.switch_to(head);
        let now = self.b.read(counter);
        let more = self.b.int_compare(IntCond::ULt, now, end);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let moving = self.b.read(beside);
        self.round(&[now, moving]);
        let step = match self.random.below(3) {
            0 => {
                let [a, b] = [self.leaf_size(), self.leaf_size()];
                let ordered = self.b.int_compare(IntCond::UGe, a, b);
                self.branch(ordered, exit);
                self.b.binary(BinaryOp::Sub, a, b)
            }
            _ => step,
        };
        let one = self.number(1);
        let next = self.b.binary_nuw(BinaryOp::Add, now, one);
        self.b.define(counter, next);
        let grows = match self.random.below(3) {
            0 => self.b.binary(BinaryOp::LShr, moving, one),
            _ => self.b.binary(BinaryOp::Add, moving, step),
        };
        self.b.define(beside, grows);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// `for k in 0..end { x[y[k]] }`: indices that are data, as they are or brought into a small range.
    fn gathering(&mut self) {
        let counter = self.b.declare(Type::I64);
        let zero = self.number(0);
        self.b.define(counter, zero);
        let most = self.number(20);
        let end = self.size();
        let end = self.b.binary(BinaryOp::UMin, end, most);
        let [head, body, exit] = [self.new_block(), self.new_block(), self.new_block()];
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let now = self.b.read(counter);
        let more = self.b.int_compare(IntCond::ULt, now, end);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let at = match self.random.below(3) {
            0 => {
                let row = self.leaf();
                self.b.binary(BinaryOp::Add, row, now)
            }
            1 => {
                let stride = self.size();
                self.b.binary(BinaryOp::Mul, now, stride)
            }
            _ => now,
        };
        let [indices, elements] = [(); 2].map(|()| self.random.below(self.slices.len()));
        let index = self.load(indices, at);
        let index = self.b.convert(ConvertOp::ZeroExtend, index, Type::I64);
        let index = match self.random.below(4) {
            0 => index,
            1 => {
                let (len, one) = (self.slices[elements].1, self.number(1));
                let len = self.b.binary(BinaryOp::UMax, len, one);
                self.b.binary(BinaryOp::URem, index, len)
            }
            _ => {
                let mask = self.one_of(&[0, 1, 3, 7, 15, 31]);
                self.b.binary(BinaryOp::And, index, mask)
            }
        };
        let join = self.new_block();
        if self.random.below(3) == 0 {
            self.guard(index, join);
        }
        self.load(elements, index);
        self.b.jump(join, &[]);
        self.b.seal(join);
        self.b.switch_to(join);
        let one = self.number(1);
        let next = self.b.binary_nuw(BinaryOp::Add, now, one);
        self.b.define(counter, next);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// The end of a range with few elements, and where it starts.
    fn range(&mut self) -> [Value; 2] {
        let slice = self.random.below(SLICES);
        let end = match self.random.below(3) {
            0 => self.slices[slice].1,
            _ => {
                let (end, most) = (self.size(), self.number(40));
                self.b.binary(BinaryOp::UMin, end, most)
            }
        };
        [self.leaf(), end]
    }

    fn step_of_range(&mut self) -> Value {
        match self.random.below(3) {
            0 => self.stride,
            1 => self.one_of(&[1, 2, 3, 7, 8, 32]),
            _ => {
                let (size, one) = (self.size(), self.number(1));
                self.b.binary(BinaryOp::UMax, size, one)
            }
        }
    }

    /// `while i < end { …; i += step }`, with a small trip count.
    fn striding(&mut self) {
        let [at, left] = [(); 2].map(|()| self.b.declare(Type::I64));
        let ([start, end], step) = (self.range(), self.step_of_range());
        let rounds = self.number(8);
        self.b.define(at, start);
        self.b.define(left, rounds);
        let [head, body, exit] = [self.new_block(), self.new_block(), self.new_block()];
        self.b.jump(head, &[]);
        self.hint(head);
        self.b.switch_to(head);
        let now = self.b.read(at);
        let more = self.b.int_compare(IntCond::ULt, now, end);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        self.round(&[now, now]);
        let rounds = self.b.read(left);
        let (one, zero) = (self.number(1), self.number(0));
        let fewer = self.b.binary(BinaryOp::Sub, rounds, one);
        self.b.define(left, fewer);
        let more = self.b.int_compare(IntCond::Ne, fewer, zero);
        self.branch(more, exit);
        let next = self.b.binary(BinaryOp::Add, now, step);
        self.b.define(at, next);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// `for i in (start..end).step_by(step)` as the front end writes it, or downwards by ones.
    fn stepping(&mut self) {
        let at = self.b.declare(Type::I64);
        let ([start, end], step) = (self.range(), self.step_of_range());
        let is_down = self.random.below(3) == 0;
        let one = self.number(1);
        let start = match (is_down, self.random.below(2)) {
            (true, _) => self.number(0),
            (false, 0) => start,
            (false, _) => self.one_of(&[0, 1, 2]),
        };
        let [body, exit] = [self.new_block(), self.new_block()];
        let some = self.b.int_compare(IntCond::ULt, start, end);
        self.branch(some, exit);
        let first = if is_down { self.b.binary(BinaryOp::Sub, end, one) } else { start };
        self.b.define(at, first);
        self.b.jump(body, &[]);
        self.hint(body);
        self.b.switch_to(body);
        let now = self.b.read(at);
        self.round(&[now, now]);
        let next = if is_down {
            let more = self.b.int_compare(IntCond::ULt, start, now);
            self.branch(more, exit);
            self.b.binary_nuw(BinaryOp::Sub, now, one)
        } else {
            let left = self.b.binary_nuw(BinaryOp::Sub, end, now);
            let more = self.b.int_compare(IntCond::ULt, step, left);
            self.branch(more, exit);
            self.b.binary_nuw(BinaryOp::Add, now, step)
        };
        self.b.define(at, next);
        self.b.jump(body, &[]);
        self.b.seal(body);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }

    /// `row * width + column`, a few rows and columns away, where branches keep some distance from the borders.
    fn matrix(&mut self) {
        let skip = self.new_block();
        let [row, column, height, width] = [self.leaf(), self.leaf(), self.leaf_size(), self.leaf_size()];
        let is_signed = self.random.below(4) == 0;
        for (at, size) in [(row, height), (column, width)] {
            if self.random.below(4) != 0 {
                let least = self.one_of(&[0, 1, 1, 2, 8]);
                let cond = if is_signed { IntCond::SGe } else { IntCond::UGe };
                let holds = self.b.int_compare(cond, at, least);
                self.branch(holds, skip);
            }
            let distance = self.one_of(&[0, 1, 1, 2, 8]);
            let [subject, bound] = match self.random.below(3) {
                0 => [at, size],
                1 => [self.b.binary(BinaryOp::Add, at, distance), size],
                _ => [at, self.b.binary(BinaryOp::Sub, size, distance)],
            };
            let cond = if is_signed { IntCond::SLt } else { IntCond::ULt };
            let holds = self.b.int_compare(cond, subject, bound);
            self.branch(holds, skip);
        }
        let slice = self.random.below(SLICES);
        let row = if self.random.below(3) == 0 { self.clamped(row, height) } else { row };
        let before = self.b.binary(BinaryOp::Mul, row, width);
        let mut index = self.b.binary(BinaryOp::Add, before, column);
        for _ in 0..self.random.below(3) {
            let by = match self.random.below(2) {
                0 => width,
                _ => self.one_of(&[1, 1, 2, 8]),
            };
            let op = self.random.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Sub]);
            index = self.b.binary(op, index, by);
        }
        self.load(slice, index);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    /// The next row, or the last one again; the one before, or the first one again.
    fn clamped(&mut self, row: Value, height: Value) -> Value {
        let (chosen, one, zero) = (self.b.declare(Type::I64), self.number(1), self.number(0));
        self.b.define(chosen, row);
        let is_up = self.random.below(2) == 0;
        let last = self.b.binary(BinaryOp::Sub, height, one);
        let is_border = self.b.int_compare(IntCond::Eq, row, if is_up { last } else { zero });
        let [other, both] = [self.new_block(), self.new_block()];
        self.b.branch(is_border, both, other);
        self.b.seal(other);
        self.b.switch_to(other);
        let moved = self.b.binary(if is_up { BinaryOp::Add } else { BinaryOp::Sub }, row, one);
        self.b.define(chosen, moved);
        self.b.jump(both, &[]);
        self.b.seal(both);
        self.b.switch_to(both);
        self.b.read(chosen)
    }

    /// An index below a product of sizes, taken apart by them and put together in another order.
    fn taken_apart(&mut self) {
        let skip = self.new_block();
        let [a, b, c] = [(); 3].map(|()| self.leaf_size());
        let [inner, all] = [(); 2].map(|()| self.new_block());
        let zero = self.number(0);
        for (size, next) in [(b, inner), (c, all)] {
            let divides = self.b.int_compare(IntCond::Ne, size, zero);
            self.b.branch(divides, next, skip);
            self.b.seal(next);
            self.b.switch_to(next);
        }
        let part = self.b.binary(BinaryOp::Mul, b, c);
        let whole = self.b.binary(BinaryOp::Mul, a, part);
        let at = self.leaf();
        let inside = self.b.int_compare(IntCond::ULt, at, whole);
        self.branch(inside, skip);
        let divides = self.b.int_compare(IntCond::Ne, part, zero);
        self.branch(divides, skip);
        let first = self.b.binary(BinaryOp::UDiv, at, part);
        let rest = self.b.binary(BinaryOp::URem, at, part);
        let second = self.b.binary(BinaryOp::UDiv, rest, c);
        let third = self.b.binary(BinaryOp::URem, at, c);
        let mut parts = [(first, a), (second, b), (third, c)];
        let swapped = self.random.below(3);
        parts.swap(0, swapped);
        let mut index = parts[0].0;
        for (part, size) in &parts[1..] {
            let scaled = self.b.binary(BinaryOp::Mul, index, *size);
            index = self.b.binary(BinaryOp::Add, scaled, *part);
        }
        let slice = self.random.below(SLICES);
        self.load(slice, index);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    /// A loop over the largest multiple of a power of two in a size, in steps of that power.
    fn whole_steps(&mut self) {
        let skip = self.new_block();
        let size = self.leaf_size();
        let power = self.random.of(&[2u64, 4, 8]);
        let low = self.number(power - 1);
        let rest = self.b.binary(BinaryOp::And, size, low);
        let end = self.b.binary(BinaryOp::Sub, size, rest);
        let (at, by) = (self.leaf(), self.number(power));
        let at = self.b.binary(BinaryOp::Mul, at, by);
        let inside = self.b.int_compare(IntCond::ULt, at, end);
        self.branch(inside, skip);
        let more = self.one_of(&[0, 1, 3, power - 1, power]);
        let index = self.b.binary(BinaryOp::Add, at, more);
        let slice = self.random.below(SLICES);
        self.load(slice, index);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    /// An element of the table, as an index: nothing is known of it but what branches say.
    fn data(&mut self) -> Value {
        let (pointer, len) = self.slices[SLICES];
        let at = self.leaf();
        let at = self.b.binary(BinaryOp::URem, at, len);
        let address = self.element(pointer, at);
        let element = self.b.load(Type::I32, Space::Global, address, 0, true);
        let index = self.b.convert(ConvertOp::ZeroExtend, element, Type::I64);
        match self.random.below(2) {
            0 => index,
            _ => {
                let most = self.one_of(&[3, 31, 255]);
                self.b.binary(BinaryOp::And, index, most)
            }
        }
    }

    /// Sums of parts of an index on one side of a branch, where a part is small, and then the index.
    fn computed_elsewhere(&mut self) {
        let [skip, both] = [self.new_block(), self.new_block()];
        let q = if self.random.below(2) == 0 { self.data() } else { self.leaf() };
        let (p, k) = (self.leaf(), self.size());
        let op = self.random.of(&[BinaryOp::Add, BinaryOp::Add, BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
        let few = self.one_of(&[1, 2, 5, 30]);
        let is_few = self.b.int_compare(IntCond::ULt, q, few);
        self.branch(is_few, both);
        let sum = self.b.binary(op, q, k);
        self.guard(sum, both);
        if self.random.below(2) == 0 {
            let slice = self.random.below(SLICES);
            self.load(slice, sum);
        }
        let low = self.b.convert(ConvertOp::Truncate, sum, Type::I32);
        let own = self.own;
        self.b.store(Space::Global, own, 0, low);
        self.b.jump(both, &[]);
        self.b.seal(both);
        self.b.switch_to(both);
        let index = match (self.random.below(3), op) {
            (0 | 1, BinaryOp::Add) => {
                let sum = self.b.binary(BinaryOp::Add, p, q);
                self.b.binary(BinaryOp::Add, sum, k)
            }
            (_, op) => {
                let sum = self.b.binary(op, q, k);
                self.b.binary(BinaryOp::Add, p, sum)
            }
        };
        self.guards(index, skip);
        let slice = self.random.below(SLICES);
        self.load(slice, index);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    fn statement(&mut self) {
        self.line += 1;
        self.b.set_location(SourceLoc { line: self.line, column: 1, ..SourceLoc::default() });
        match self.random.below(if self.has_matrices { 20 } else { 12 }) {
            12 | 13 => self.matrix(),
            14 => self.taken_apart(),
            15 => self.whole_steps(),
            16 | 17 => self.computed_elsewhere(),
            18 | 19 => self.gathering(),
            0..=3 => self.access(),
            4 | 5 => self.counting(),
            6 => self.striding(),
            7 => self.stepping(),
            8 => self.part(),
            9 => {
                self.two_ways();
                self.access();
            }
            10 => {
                self.division();
                self.access();
            }
            _ => {
                if self.random.below(3) == 0 {
                    self.assertion();
                }
                self.access();
            }
        }
    }
}

/// A kernel of random accesses that leaves a sum for each thread. The place of the access with number `n` is line `n + 1`.
pub fn kernel(random: &mut Random, shape: Shape) -> Function {
    let mut b = FunctionBuilder::new("k");
    let bounds = &mut b.function().bounds;
    bounds.block = shape.block.map(|[x, y]| [x, y, 1]);
    bounds.max_threads = shape.max_threads;
    b.function().coarsen = shape.coarsen.map(|by| Coarsen { by, location: SourceLoc::default() });
    let entry = b.create_block();
    b.seal(entry);
    b.switch_to(entry);
    let mut slices = Vec::new();
    for number in 0..SLICES {
        let pointer = b.add_param(format!("s{number}"), Type::I64, Some(4));
        b.set_read_only(pointer);
        let len_ty = if shape.is_wide { Type::I64 } else { Type::I32 };
        let len = b.add_param(format!("s{number}_len"), len_ty, None);
        let (pointer, len) = (b.param(pointer), b.param(len));
        let len = if shape.is_wide { len } else { b.convert(ConvertOp::ZeroExtend, len, Type::I64) };
        slices.push((pointer, len));
    }
    let mut uniform: Vec<Value> = slices.iter().map(|slice| slice.1).collect();
    for (number, ty) in SCALARS.into_iter().enumerate() {
        let param = b.add_param(format!("n{number}"), ty, None);
        let value = b.param(param);
        uniform.push(match ty {
            Type::I64 => value,
            _ if number % 2 == 0 => b.convert(ConvertOp::ZeroExtend, value, Type::I64),
            _ => b.convert(ConvertOp::SignExtend, value, Type::I64),
        });
    }
    let table = b.add_param("table", Type::I64, Some(4));
    b.set_read_only(table);
    let table = b.param(table);
    let entries = b.constant(Type::I64, TABLE.into());
    slices.push((table, entries));
    let out = b.add_param("out", Type::I64, Some(4));
    let out = b.param(out);
    let place = |b: &mut FunctionBuilder, registers: [SpecialRegister; 3]| {
        let [block, threads, thread] = registers.map(|register| b.special(register));
        let before = b.binary_nuw(BinaryOp::Mul, block, threads);
        ([block, threads, thread], b.binary_nuw(BinaryOp::Add, before, thread))
    };
    let wide = |b: &mut FunctionBuilder, value| b.convert(ConvertOp::ZeroExtend, value, Type::I64);
    let ([block, threads, tid], x) =
        place(&mut b, [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX]);
    let (stride, varying, own) = match shape.coarsen {
        // Nothing but the index of an element is known along x.
        Some(_) => {
            let x = wide(&mut b, x);
            (b.constant(Type::I64, 16), vec![x, x, x], x)
        }
        None => {
            let ([_, threads_y, tid_y], y) =
                place(&mut b, [SpecialRegister::CtaidY, SpecialRegister::NtidY, SpecialRegister::TidY]);
            let [blocks, blocks_y] =
                [SpecialRegister::NctaidX, SpecialRegister::NctaidY].map(|register| b.special(register));
            let size = b.binary_nuw(BinaryOp::Mul, threads, blocks);
            let stride = wide(&mut b, size);
            uniform.extend([threads, blocks, threads_y, blocks_y].map(|value| wide(&mut b, value)));
            uniform.push(stride);
            let mut varying = [tid, block, tid_y, x, y, x].map(|value| wide(&mut b, value)).to_vec();
            // The index in wrapping arithmetic, as people write it too.
            let before = b.binary(BinaryOp::Mul, block, threads);
            let index = b.binary(BinaryOp::Add, tid, before);
            varying.push(b.convert(ConvertOp::SignExtend, index, Type::I64));
            let [x, y] = [x, y].map(|value| wide(&mut b, value));
            let before = b.binary(BinaryOp::Mul, y, stride);
            let own = b.binary(BinaryOp::Add, before, x);
            (stride, varying, own)
        }
    };
    let four = b.constant(Type::I64, 4);
    let offset = b.binary(BinaryOp::Mul, own, four);
    let own = b.binary(BinaryOp::Add, out, offset);
    let sum = b.declare(Type::I32);
    let zero = b.constant(Type::I32, 0);
    b.define(sum, zero);
    let mut writer = Writer {
        b,
        random,
        slices,
        uniform,
        varying,
        own,
        sum,
        stride,
        line: 0,
        has_matrices: shape.has_matrices,
    };
    (0..ACCESSES).for_each(|_| writer.statement());
    let mut b = writer.b;
    let value = b.read(sum);
    b.store(Space::Global, own, 0, value);
    b.ret();
    b.finish()
}
