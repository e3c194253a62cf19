//! Puts the parts together: the test, the elements all at once, and the loop over them one by one.

use std::collections::HashMap;

use super::form::{Form, Term, compute};
use super::index::{Code, Index};
use super::plan::{Decided, Place, Plan, Slot, Stream, Test};
use crate::ir::{
    BinaryOp, Block, BlockCall, CacheHints, Coarsen, EntityMap, Function, Inst, InstData, IntCond, LocalData,
    LocalVar, LoopHint, Space, Type, Value,
};
use crate::passes::unroll::copy::copy_region;

/// The most bytes of one access.
pub(super) const WIDEST: u32 = 16;

/// Local variables that hold the slots of the elements while the thread works on them.
struct Cells {
    /// By stream, slot and element.
    values: Vec<Vec<Vec<LocalVar>>>,
    /// Flags set once a slot was written; of slots that are written somewhere.
    flags: Vec<Vec<Vec<LocalVar>>>,
}

/// Carries out a plan.
pub(super) fn build(func: &mut Function, coarsen: Coarsen, index: &Index, plan: &Plan) {
    let Coarsen { by, location } = coarsen;
    let body: Vec<Block> = index.body(func).collect();
    let copies: Vec<HashMap<Block, Block>> = (0..by).map(|_| copy_region(func, &body)).collect();
    let cells = Cells::new(func, plan, by);
    let [ahead, write, latch, end] = [(); 4].map(|()| func.make_block());

    // Before: which way to go.
    let old = func.blocks[index.entry].insts.pop();
    let one_by_one = match old.map(|inst| func.insts[inst].clone()) {
        Some(InstData::Jump { target }) => target,
        _ => BlockCall { block: index.header, args: Vec::new() },
    };
    let mut code = Code { func, block: index.entry, location };
    let starts: Vec<Value> = plan.streams.iter().map(|stream| code.start(index, &stream.start)).collect();
    let all_at_once = code.tests(index, plan, &starts, by);
    let ahead_call = BlockCall { block: ahead, args: Vec::new() };
    code.branch(all_at_once, ahead_call, one_by_one);

    // All at once: reads, the copies, writes.
    code.block = ahead;
    let firsts: Vec<Value> =
        plan.streams.iter().zip(&starts).map(|(s, &at)| code.first(index, s, at)).collect();
    code.read_ahead(plan, &cells, &firsts, by);
    let one = code.constant(Type::I32, 1);
    let headers: Vec<Block> = (0..by).map(|_| code.func.make_block()).collect();
    code.jump(headers[0], Vec::new());
    for (number, copy) in copies.iter().enumerate() {
        code.block = headers[number];
        let k = code.constant(Type::I32, number as u64);
        let (narrow, wide) = code.element(index.base, k);
        code.jump(copy[&index.first], Vec::new());
        let next = headers.get(number + 1).copied().unwrap_or(write);
        let element = Element { number, narrow, wide, one, next };
        element.settle(code.func, index, plan, &cells, &body, copy);
    }
    code.block = write;
    let writes = code.write_behind(plan, &cells, &firsts, by, end);

    // One by one: the body as it is, in a loop.
    for &block in &body {
        redirect_returns(code.func, block, latch);
    }
    let number = code.func.blocks[index.header].params[0];
    code.block = latch;
    let step = code.constant(Type::I32, 1);
    let next = code.exact(BinaryOp::Add, [number, step]);
    let count = code.constant(Type::I32, by.into());
    let more = InstData::IntCompare { cond: IntCond::ULt, args: [next, count] };
    let more = code.value(more, Type::Bool);
    let again = BlockCall { block: index.header, args: vec![next] };
    code.branch(more, again, BlockCall { block: end, args: Vec::new() });
    code.func.blocks[index.header].hint = Some(LoopHint::Never);
    code.block = end;
    code.effect(InstData::Return);

    let mut layout = vec![index.entry, ahead];
    for (header, copy) in headers.iter().zip(&copies) {
        layout.push(*header);
        layout.extend(body.iter().map(|block| copy[block]));
    }
    layout.push(write);
    layout.extend(writes);
    layout.push(index.header);
    layout.extend(&body);
    layout.extend([latch, end]);
    func.layout = layout;
}

impl Cells {
    fn new(func: &mut Function, plan: &Plan, by: u32) -> Cells {
        let mut row = |name: &str, bytes: u32| -> Vec<LocalVar> {
            let data = || LocalData { name: name.to_owned(), bytes, align: bytes };
            (0..by).map(|_| func.locals.push(data())).collect()
        };
        let mut cells = Cells { values: Vec::new(), flags: Vec::new() };
        for stream in &plan.streams {
            cells.values.push(stream.slots.iter().map(|slot| row("element", slot.ty.bytes())).collect());
            cells.flags.push(stream.slots.iter().map(|_| row("written", Type::I32.bytes())).collect());
        }
        cells
    }

    fn value(&self, place: Place, number: usize) -> LocalVar {
        self.values[place.stream][place.slot][number]
    }

    fn flag(&self, place: Place, number: usize) -> LocalVar {
        self.flags[place.stream][place.slot][number]
    }
}

impl Code<'_> {
    fn load_local(&mut self, var: LocalVar, ty: Type) -> Value {
        let address = self.value(InstData::LocalAddress { var }, Space::Local.address_type());
        let load = InstData::Load {
            space: Space::Local,
            address,
            offset: 0,
            align: None,
            read_only: false,
            below: None,
            cache: CacheHints::NORMAL,
        };
        self.value(load, ty)
    }

    fn store_local(&mut self, var: LocalVar, value: Value) {
        let address = self.value(InstData::LocalAddress { var }, Space::Local.address_type());
        self.effect(InstData::Store {
            space: Space::Local,
            address,
            offset: 0,
            align: None,
            value,
            cache: CacheHints::NORMAL,
        });
    }

    /// The address of a stream's piece for index 0.
    fn start(&mut self, index: &Index, start: &Form) -> Value {
        let mut replaced = HashMap::new();
        let mut sum = None;
        let is_pointer = |func: &Function, value| match func.def(value) {
            Some(&InstData::Param { param }) => func.params[param].pointer_align.is_some(),
            _ => false,
        };
        // The pointer first.
        let (pointer, rest): (Vec<Term>, Vec<Term>) =
            start.terms.iter().copied().partition(|term| is_pointer(self.func, term.value));
        for term in pointer.into_iter().chain(rest) {
            let value = compute(self.func, index.entry, &mut replaced, term.value);
            let value = self.resize(value, Type::I64);
            let value = match term.by {
                1 => value,
                by => {
                    let by = self.constant(Type::I64, by);
                    self.binary(BinaryOp::Mul, [value, by])
                }
            };
            sum = Some(match sum {
                Some(sum) => self.binary(BinaryOp::Add, [sum, value]),
                None => value,
            });
        }
        let constant = self.constant(Type::I64, start.constant);
        match sum {
            Some(sum) if start.constant == 0 => sum,
            Some(sum) => self.binary(BinaryOp::Add, [sum, constant]),
            None => constant,
        }
    }

    /// The address of the piece of the thread's first element.
    fn first(&mut self, index: &Index, stream: &Stream, start: Value) -> Value {
        let base = self.resize(index.base, Type::I64);
        let step = self.constant(Type::I64, stream.start.index);
        let offset = self.exact(BinaryOp::Mul, [base, step]);
        self.binary(BinaryOp::Add, [start, offset])
    }

    /// Emits the test that the fast path applies to all elements of the thread.
    fn tests(&mut self, index: &Index, plan: &Plan, starts: &[Value], by: u32) -> Value {
        let zero = self.constant(Type::I32, 0);
        let last = self.constant(Type::I32, (by - 1).into());
        let [first, last] = [zero, last].map(|number| {
            let (narrow, wide) = self.element(index.base, number);
            HashMap::from([(index.narrow, narrow), (index.wide, wide)])
        });
        let mut tests = Vec::new();
        self.aligned(plan, starts, by, &mut tests);
        for decided in &plan.decided {
            self.decided(decided, first.clone(), last.clone(), &mut tests);
        }
        let mut tests = tests.into_iter();
        let Some(mut all) = tests.next() else { return self.constant(Type::Bool, 1) };
        for test in tests {
            all = self.binary(BinaryOp::And, [all, test]);
        }
        all
    }

    /// Addresses have to be multiples of the widest access that the elements of a thread allow.
    fn aligned(&mut self, plan: &Plan, starts: &[Value], by: u32, tests: &mut Vec<Value>) {
        for width in [2, 4, 8, WIDEST] {
            let mut bits = None;
            for (stream, &start) in plan.streams.iter().zip(starts) {
                let is_plain = stream.start.terms.len() == 1;
                if stream.width(by) != width || is_plain && stream.align >= width {
                    continue;
                }
                bits = Some(match bits {
                    Some(bits) => self.binary(BinaryOp::Or, [bits, start]),
                    None => start,
                });
            }
            if let Some(bits) = bits {
                let low = self.resize(bits, Type::I32);
                let mask = self.constant(Type::I32, (width - 1).into());
                let low = self.binary(BinaryOp::And, [low, mask]);
                let zero = self.constant(Type::I32, 0);
                let aligned = InstData::IntCompare { cond: IntCond::Eq, args: [low, zero] };
                tests.push(self.value(aligned, Type::Bool));
            }
        }
    }

    fn decided(
        &mut self,
        decided: &Decided,
        mut first: HashMap<Value, Value>,
        mut last: HashMap<Value, Value>,
        tests: &mut Vec<Value>,
    ) {
        let block = self.block;
        match decided.test {
            Test::Uniform => {
                let value = compute(self.func, block, &mut HashMap::new(), decided.value);
                tests.push(match decided.holds {
                    true => value,
                    false => {
                        let truth = self.constant(Type::Bool, 1);
                        self.binary(BinaryOp::Xor, [value, truth])
                    }
                });
            }
            Test::Bound { cond, sum, limit, upper, may_wrap } => {
                let limit = compute(self.func, block, &mut HashMap::new(), limit);
                let decisive = if upper { &mut last } else { &mut first };
                let decisive = compute(self.func, block, decisive, sum);
                tests.push(self.value(InstData::IntCompare { cond, args: [decisive, limit] }, Type::Bool));
                if may_wrap {
                    let [first, last] = [first, last].map(|mut at| compute(self.func, block, &mut at, sum));
                    let cond = if cond == cond.unsigned() { IntCond::ULe } else { IntCond::SLe };
                    let grows = InstData::IntCompare { cond, args: [first, last] };
                    tests.push(self.value(grows, Type::Bool));
                }
            }
        }
    }

    /// Reads the elements, stream after stream.
    fn read_ahead(&mut self, plan: &Plan, cells: &Cells, firsts: &[Value], by: u32) {
        let zero = self.constant(Type::I32, 0);
        for (number, stream) in plan.streams.iter().enumerate() {
            for element in 0..by {
                for (slot_number, slot) in stream.in_order() {
                    let place = Place { stream: number, slot: slot_number };
                    if slot.ahead {
                        let (offset, align) = stream.place(slot, element, by);
                        let value = self.value(
                            InstData::Load {
                                space: Space::Global,
                                address: firsts[number],
                                offset,
                                align,
                                read_only: slot.read_only,
                                below: None,
                                cache: slot.loads,
                            },
                            slot.ty,
                        );
                        self.store_local(cells.value(place, element as usize), value);
                    }
                    if slot.stored {
                        self.store_local(cells.flag(place, element as usize), zero);
                    }
                }
            }
        }
    }

    /// Writes the elements that were written. Returns the blocks that this takes, all but the current one.
    fn write_behind(
        &mut self,
        plan: &Plan,
        cells: &Cells,
        firsts: &[Value],
        by: u32,
        end: Block,
    ) -> Vec<Block> {
        let mut blocks = Vec::new();
        for (number, stream) in plan.streams.iter().enumerate() {
            for element in 0..by {
                for (slot_number, slot) in stream.in_order().filter(|(_, slot)| slot.stored) {
                    let place = Place { stream: number, slot: slot_number };
                    let flag = self.load_local(cells.flag(place, element as usize), Type::I32);
                    let zero = self.constant(Type::I32, 0);
                    let written = InstData::IntCompare { cond: IntCond::Ne, args: [flag, zero] };
                    let written = self.value(written, Type::Bool);
                    let [store, next] = [(); 2].map(|()| self.func.make_block());
                    let [to_store, to_next] =
                        [store, next].map(|block| BlockCall { block, args: Vec::new() });
                    self.branch(written, to_store, to_next);
                    self.block = store;
                    let value = self.load_local(cells.value(place, element as usize), slot.ty);
                    let (offset, align) = stream.place(slot, element, by);
                    let address = firsts[number];
                    self.effect(InstData::Store {
                        space: Space::Global,
                        address,
                        offset,
                        align,
                        value,
                        cache: slot.stores,
                    });
                    self.jump(next, Vec::new());
                    self.block = next;
                    blocks.extend([store, next]);
                }
            }
        }
        self.jump(end, Vec::new());
        blocks
    }
}

impl Stream {
    /// The widest access that the pieces of one thread allow, in bytes.
    pub(super) fn width(&self, by: u32) -> u32 {
        // For pieces that start off alignment, as in `y[i + 1]`, no higher alignment is required of the buffer.
        let bytes = (self.start.index * u64::from(by)) | self.start.constant;
        1 << bytes.trailing_zeros().min(WIDEST.trailing_zeros())
    }

    /// The slots with their numbers, in the order of memory.
    fn in_order(&self) -> impl Iterator<Item = (usize, &Slot)> {
        let mut slots: Vec<(usize, &Slot)> = self.slots.iter().enumerate().collect();
        slots.sort_by_key(|(_, slot)| slot.offset);
        slots.into_iter()
    }

    /// Offset of a slot of an element from the thread's first piece, and its alignment if above the natural one.
    fn place(&self, slot: &Slot, element: u32, by: u32) -> (i32, Option<u32>) {
        let offset = element as i32 * self.start.index as i32 + slot.offset;
        let align = 1 << (offset as u32 | self.width(by)).trailing_zeros();
        (offset, Some(align).filter(|&align| align > slot.ty.bytes()))
    }
}

/// One of the copies of the body.
struct Element {
    number: usize,
    narrow: Value,
    wide: Value,
    /// The constant 1.
    one: Value,
    /// The block after it.
    next: Block,
}

impl Element {
    /// Makes a copy of the body work on this element.
    fn settle(
        &self,
        func: &mut Function,
        index: &Index,
        plan: &Plan,
        cells: &Cells,
        body: &[Block],
        copy: &HashMap<Block, Block>,
    ) {
        let mut decided: EntityMap<Value, Option<bool>> = EntityMap::filled(func.values.len(), None);
        plan.decided.iter().for_each(|known| decided[known.value] = Some(known.holds));
        for block in body {
            let new = copy[block];
            let originals = func.blocks[*block].insts.clone();
            let insts = std::mem::take(&mut func.blocks[new].insts);
            for (original, inst) in originals.into_iter().zip(insts) {
                func.insts[inst].map_args(|value| match value {
                    value if value == index.narrow => self.narrow,
                    value if value == index.wide => self.wide,
                    value => value,
                });
                let known = func.results[original].and_then(|value| decided.get(value).copied().flatten());
                if let Some(holds) = known {
                    func.insts[inst] = InstData::Const { bits: holds.into() };
                }
                match plan.places.get(&original) {
                    Some(place) => self.access(func, plan, cells, *place, new, inst),
                    None => func.blocks[new].insts.push(inst),
                }
            }
            redirect_returns(func, new, self.next);
        }
    }

    /// Makes an access at the element's index one to its cell.
    fn access(
        &self,
        func: &mut Function,
        plan: &Plan,
        cells: &Cells,
        place: Place,
        block: Block,
        inst: Inst,
    ) {
        let slot = &plan.streams[place.stream].slots[place.slot];
        let (value, flag) = (cells.value(place, self.number), cells.flag(place, self.number));
        let location = func.locations[inst];
        let mut code = Code { func, block, location };
        match code.func.insts[inst] {
            InstData::Store { value: stored, .. } => {
                code.store_local(value, stored);
                code.store_local(flag, self.one);
            }
            _ if slot.ahead => {
                let address = code.value(InstData::LocalAddress { var: value }, Space::Local.address_type());
                code.func.insts[inst] = InstData::Load {
                    space: Space::Local,
                    address,
                    offset: 0,
                    align: None,
                    read_only: false,
                    below: None,
                    cache: CacheHints::NORMAL,
                };
                code.func.blocks[block].insts.push(inst);
            }
            // A slot not written is still in memory.
            ref load if slot.stored => {
                let load = load.clone();
                let before = code.value(load, slot.ty);
                let flag = code.load_local(flag, Type::I32);
                let zero = code.constant(Type::I32, 0);
                let written = InstData::IntCompare { cond: IntCond::Ne, args: [flag, zero] };
                let written = code.value(written, Type::Bool);
                let now = code.load_local(value, slot.ty);
                code.func.insts[inst] = InstData::Select { cond: written, if_true: now, if_false: before };
                code.func.blocks[block].insts.push(inst);
            }
            _ => code.func.blocks[block].insts.push(inst),
        }
    }
}

/// Lets a block that ends the thread go on.
fn redirect_returns(func: &mut Function, block: Block, next: Block) {
    let Some(terminator) = func.terminator(block) else { return };
    if func.insts[terminator] == InstData::Return {
        func.insts[terminator] = InstData::Jump { target: BlockCall { block: next, args: Vec::new() } };
    }
}
