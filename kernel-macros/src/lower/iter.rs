//! Iterators: all but those that drop items are a length and the item at each index, so that a loop over one counts from
//! zero, and items are read without checks of bounds.

use ptx_gen::ir::{BinaryOp as Op, Block as IrBlock, IntCond, PanicKind, Type, Value, Variable};

use super::aggregate::element_of;
use super::memory::Memory;
use super::place::Place;
use super::{Lowered, Lowerer, Values, layout};
use crate::typed::{Expr, Iter, IterKind, LoopId, Scalar, Ty};

/// An iterator that was evaluated.
pub(super) struct Items {
    source: Source,
    /// Number of items of the source; a `usize`.
    pub(super) len: Value,
    /// The stages that each item goes through, in order.
    stages: Vec<Stage>,
}

/// The source of the item at an index.
enum Source {
    /// `start + index`
    Range { start: Value, ty: Scalar },
    /// The address of the element at the index.
    Elements { address: Value, element: Ty },
    /// The element at the index, by value.
    Array { first: Memory, element: Ty },
    /// The slice from `index * size` on of `size` elements, or of those that are left.
    Chunks { address: Value, len: Value, size: Value, element: Ty, exact: bool },
    /// The slice of `size` elements from the index on.
    Windows { address: Value, size: Value, element: Ty },
    /// From the back.
    Rev { inner: Box<Source>, len: Value },
    /// Every so many.
    StepBy { inner: Box<Source>, step: Value },
    /// Without the first ones.
    Skip { inner: Box<Source>, count: Value },
    /// With the index.
    Enumerate(Box<Source>),
    /// Of both.
    Zip(Box<Source>, Box<Source>),
    /// Of the first, then of the second.
    Chain { first: Box<Source>, len: Value, second: Box<Source>, item: Ty },
    /// The referent of the item.
    Copied { inner: Box<Source>, ty: Ty },
    /// Again and again.
    Cycle { inner: Box<Source>, len: Value },
    /// The result of a function of the item.
    Map { inner: Box<Source>, function: Ty },
}

/// A stage of an item after adaptors that may drop items.
enum Stage {
    /// Dropped unless the function holds of a reference to it.
    Filter {
        function: Ty,
        item: Ty,
    },
    /// No more items unless the function holds.
    TakeWhile {
        function: Ty,
        item: Ty,
    },
    /// Dropped where the function gives `None`, else what it gives.
    FilterMap(Ty),
    /// No more items where the function gives `None`, else what it gives.
    MapWhile(Ty),
    /// Dropped until the function does not hold for once.
    SkipWhile {
        function: Ty,
        item: Ty,
        started: Variable,
    },
    /// No more items where the function, of a reference to the state and the item, gives `None`, else what it gives.
    Scan {
        function: Ty,
        state: Value,
    },
    Copied(Ty),
    Map(Ty),
}

/// Targets of jumps out of an item's code.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    /// The latch, for the next item.
    pub(super) next: IrBlock,
    /// The block after the loop.
    pub(super) exit: IrBlock,
}

impl Items {
    /// Returns true if every item of the source is yielded.
    pub(super) fn is_counted(&self) -> bool {
        self.stages.is_empty()
    }

    /// The items from the last to the first; all are yielded.
    pub(super) fn reversed(self) -> Items {
        let source = Source::Rev { inner: Box::new(self.source), len: self.len };
        Items { source, len: self.len, stages: self.stages }
    }

    /// Returns true if computing an item has no side effects.
    pub(super) fn is_pure(&self) -> bool {
        self.is_counted() && self.source.is_pure()
    }
}

/// Returns true for items that are in memory, of which there are less than 2⁶³.
fn is_of_memory(iter: &Iter) -> bool {
    match &iter.kind {
        IterKind::Slice(_)
        | IterKind::Array(_)
        | IterKind::ChunksExact { .. }
        | IterKind::Chunks { .. }
        | IterKind::Windows { .. } => true,
        IterKind::Rev(inner)
        | IterKind::StepBy(inner, _)
        | IterKind::Enumerate(inner)
        | IterKind::Take(inner, _)
        | IterKind::Skip(inner, _)
        | IterKind::Copied(inner)
        | IterKind::Map(inner, _) => is_of_memory(inner),
        IterKind::Zip(a, b) => is_of_memory(a) || is_of_memory(b),
        _ => false,
    }
}

impl Source {
    fn is_pure(&self) -> bool {
        match self {
            Source::Range { .. }
            | Source::Elements { .. }
            | Source::Array { .. }
            | Source::Chunks { .. }
            | Source::Windows { .. } => true,
            Source::Rev { inner, .. }
            | Source::StepBy { inner, .. }
            | Source::Skip { inner, .. }
            | Source::Enumerate(inner)
            | Source::Cycle { inner, .. }
            | Source::Copied { inner, .. } => inner.is_pure(),
            Source::Zip(a, b) | Source::Chain { first: a, second: b, .. } => a.is_pure() && b.is_pure(),
            Source::Map { .. } => false,
        }
    }
}

/// Returns true if some of the iterator's items may be dropped, depending on their values.
fn drops_items(iter: &Iter) -> bool {
    match &iter.kind {
        IterKind::Filter(..)
        | IterKind::TakeWhile(..)
        | IterKind::FilterMap(..)
        | IterKind::MapWhile(..)
        | IterKind::SkipWhile(..)
        | IterKind::Scan(..) => true,
        IterKind::Map(inner, _) | IterKind::Copied(inner) => drops_items(inner),
        IterKind::Range { .. }
        | IterKind::Slice(_)
        | IterKind::Array(_)
        | IterKind::ChunksExact { .. }
        | IterKind::Chunks { .. }
        | IterKind::Windows { .. }
        | IterKind::Rev(_)
        | IterKind::StepBy(..)
        | IterKind::Enumerate(_)
        | IterKind::Zip(..)
        | IterKind::Take(..)
        | IterKind::Skip(..)
        | IterKind::Cycle(_)
        | IterKind::Chain(..) => false,
    }
}

impl<'k> Lowerer<'k> {
    /// Evaluates the parts of an iterator.
    pub(super) fn items(&mut self, iter: &Iter) -> Lowered<Items> {
        let outer = self.at(iter.span);
        let items = self.items_kind(iter);
        self.back_at(outer);
        items
    }

    fn items_kind(&mut self, iter: &Iter) -> Lowered<Items> {
        if !drops_items(iter) {
            let (source, len) = self.source(iter)?;
            return Ok(Items { source, len, stages: Vec::new() });
        }
        match &iter.kind {
            IterKind::Filter(inner, function) => {
                let item = inner.item.clone();
                self.with_stage(inner, Some(function), Stage::Filter { function: function.ty.clone(), item })
            }
            IterKind::TakeWhile(inner, function) => {
                let item = inner.item.clone();
                self.with_stage(
                    inner,
                    Some(function),
                    Stage::TakeWhile { function: function.ty.clone(), item },
                )
            }
            IterKind::FilterMap(inner, function) => {
                self.with_stage(inner, Some(function), Stage::FilterMap(function.ty.clone()))
            }
            IterKind::MapWhile(inner, function) => {
                self.with_stage(inner, Some(function), Stage::MapWhile(function.ty.clone()))
            }
            IterKind::SkipWhile(inner, function) => {
                let (item, no) = (inner.item.clone(), self.bool(false));
                let started = self.variables(&[no])[0];
                let stage = Stage::SkipWhile { function: function.ty.clone(), item, started };
                self.with_stage(inner, Some(function), stage)
            }
            IterKind::Scan(inner, init, function) => {
                let mut items = self.items(inner)?;
                let values = self.expr(init)?;
                let place = self.temporary(&init.ty, &values);
                let state = self.generic_address(&place);
                self.expr(function)?;
                items.stages.push(Stage::Scan { function: function.ty.clone(), state });
                Ok(items)
            }
            IterKind::Map(inner, function) => {
                self.with_stage(inner, Some(function), Stage::Map(function.ty.clone()))
            }
            IterKind::Copied(inner) => self.with_stage(inner, None, Stage::Copied(iter.item.clone())),
            _ => unreachable!("only these come after items were dropped"),
        }
    }

    fn with_stage(&mut self, inner: &Iter, function: Option<&Expr>, stage: Stage) -> Lowered<Items> {
        let mut items = self.items(inner)?;
        if let Some(function) = function {
            self.expr(function)?;
        }
        items.stages.push(stage);
        Ok(items)
    }

    /// The source of an iterator that drops nothing, and its length.
    fn source(&mut self, iter: &Iter) -> Lowered<(Source, Value)> {
        Ok(match &iter.kind {
            IterKind::Range { start, end, inclusive } => {
                let ty = self.types.scalar(&iter.item);
                let (start, end) = (self.scalar(start)?, self.scalar(end)?);
                let len = self.range_len(ty, start, end, *inclusive);
                (Source::Range { start, ty }, len)
            }
            IterKind::Slice(slice) => {
                let values = self.expr(slice)?;
                let element = element_of(&slice.ty).clone();
                (Source::Elements { address: values[0], element }, values[1])
            }
            IterKind::Array(array) => {
                let place = self.place(array)?;
                let first = match &place {
                    // The array may be written while it is gone through.
                    Place::Memory(memory) => {
                        let copy = self.slot(&memory.ty, "temporary".to_owned());
                        self.copy(memory, &copy);
                        copy
                    }
                    _ => self.in_memory_somewhere(&place),
                };
                let len = self.i64(self.types.part_count(&array.ty) as u64);
                (Source::Array { first, element: iter.item.clone() }, len)
            }
            IterKind::ChunksExact { slice, size } => {
                let (address, len, size, element) =
                    self.parts_of(iter, slice, size, "chunk size must be non-zero")?;
                let count = self.b.binary(Op::UDiv, len, size);
                (Source::Chunks { address, len, size, element, exact: true }, count)
            }
            IterKind::Chunks { slice, size } => {
                let (address, len, size, element) =
                    self.parts_of(iter, slice, size, "chunk size must be non-zero")?;
                let count = self.divided_up(len, size);
                (Source::Chunks { address, len, size, element, exact: false }, count)
            }
            IterKind::Windows { slice, size } => {
                let (address, len, size, element) =
                    self.parts_of(iter, slice, size, "window size must be non-zero")?;
                // As many as there are places for the last element: from number `size - 1` on.
                let one = self.i64(1);
                let skipped = self.b.binary_nuw(Op::Sub, size, one);
                let count = self.less_or_zero(len, skipped);
                (Source::Windows { address, size, element }, count)
            }
            IterKind::Rev(inner) => {
                let (inner, len) = self.source(inner)?;
                (Source::Rev { inner: Box::new(inner), len }, len)
            }
            IterKind::StepBy(inner, step) => {
                let (inner, len) = self.source(inner)?;
                let step = self.step(iter, step)?;
                let len = self.divided_up(len, step);
                (Source::StepBy { inner: Box::new(inner), step }, len)
            }
            IterKind::Enumerate(inner) => {
                let (inner, len) = self.source(inner)?;
                (Source::Enumerate(Box::new(inner)), len)
            }
            IterKind::Zip(a, b) => {
                let (a, len_a) = self.source(a)?;
                let (b, len_b) = self.source(b)?;
                let len = self.b.binary(Op::UMin, len_a, len_b);
                (Source::Zip(Box::new(a), Box::new(b)), len)
            }
            IterKind::Take(inner, count) => {
                let (inner, len) = self.source(inner)?;
                let count = self.scalar(count)?;
                (inner, self.b.binary(Op::UMin, len, count))
            }
            IterKind::Skip(inner, count) => {
                let (inner, len) = self.source(inner)?;
                let count = self.scalar(count)?;
                let len = self.less_or_zero(len, count);
                (Source::Skip { inner: Box::new(inner), count }, len)
            }
            IterKind::Chain(a, b) => {
                let (first, len) = self.source(a)?;
                let (second, len_b) = self.source(b)?;
                // Of slices and arrays it fits; of numbers, and of what goes round and round, it may not.
                let total = match [a, b].into_iter().all(|part| is_of_memory(part)) {
                    true => self.b.binary_nuw(Op::Add, len, len_b),
                    false => {
                        let most = self.i64(u64::MAX);
                        let left = self.b.binary_nuw(Op::Sub, most, len);
                        let more = self.b.binary(Op::UMin, left, len_b);
                        self.b.binary_nuw(Op::Add, len, more)
                    }
                };
                let (first, second) = (Box::new(first), Box::new(second));
                (Source::Chain { first, len, second, item: iter.item.clone() }, total)
            }
            IterKind::Cycle(inner) => {
                let (inner, len) = self.source(inner)?;
                let (zero, most) = (self.i64(0), self.i64(u64::MAX));
                let is_empty = self.is_zero(len, IntCond::Eq);
                let total = self.b.select(is_empty, zero, most);
                (Source::Cycle { inner: Box::new(inner), len }, total)
            }
            IterKind::Copied(inner) => {
                let (inner, len) = self.source(inner)?;
                (Source::Copied { inner: Box::new(inner), ty: iter.item.clone() }, len)
            }
            IterKind::Map(inner, function) => {
                let (inner, len) = self.source(inner)?;
                self.expr(function)?;
                (Source::Map { inner: Box::new(inner), function: function.ty.clone() }, len)
            }
            IterKind::Filter(..)
            | IterKind::TakeWhile(..)
            | IterKind::FilterMap(..)
            | IterKind::MapWhile(..)
            | IterKind::SkipWhile(..)
            | IterKind::Scan(..) => {
                unreachable!("checking admits only what needs no index after items were dropped")
            }
        })
    }

    /// Number of values of a range; of all 2⁶⁴ numbers one less, which nobody gets to.
    fn range_len(&mut self, ty: Scalar, start: Value, end: Value, inclusive: bool) -> Value {
        let cond = super::range::order(ty, if inclusive { IntCond::ULe } else { IntCond::ULt });
        let nonempty = self.b.int_compare(cond, start, end);
        let distance = self.b.binary(Op::Sub, end, start);
        // The difference as an unsigned number is exact for signed ones too.
        let distance = self.resize(distance, Scalar::Usize, Type::I64);
        let len = match inclusive {
            true => {
                let one = self.i64(1);
                let len = self.b.binary(Op::Add, distance, one);
                match self.b.function().constant(end) {
                    Some(bits) if ty.bits() == 64 && bits == u64::MAX >> u32::from(ty.is_signed()) => {
                        self.b.binary(Op::UMax, distance, len)
                    }
                    _ => len,
                }
            }
            false => distance,
        };
        let zero = self.i64(0);
        match self.b.function().constant(start) {
            // `0..n` has `n` values if `n` is not negative.
            Some(0) if !inclusive && !ty.is_signed() => self.resize(end, ty, Type::I64),
            _ => self.b.select(nonempty, len, zero),
        }
    }

    /// The slice and the size of its parts, which is not zero.
    fn parts_of(
        &mut self,
        iter: &Iter,
        slice: &Expr,
        size: &Expr,
        message: &str,
    ) -> Lowered<(Value, Value, Value, Ty)> {
        let values = self.expr(slice)?;
        let size = self.scalar(size)?;
        if self.b.function().constant(size).is_none_or(|size| size == 0) {
            let outer = self.at(iter.span);
            let nonzero = self.is_zero(size, IntCond::Ne);
            self.check_message(nonzero, message);
            self.back_at(outer);
        }
        Ok((values[0], values[1], size, element_of(&slice.ty).clone()))
    }

    /// The step of `step_by`, which is not zero.
    fn step(&mut self, iter: &Iter, step: &Expr) -> Lowered<Value> {
        let value = self.scalar(step)?;
        let outer = self.at(iter.span);
        if self.b.function().constant(value).is_none_or(|bits| bits == 0) {
            let nonzero = self.is_zero(value, IntCond::Ne);
            self.check(nonzero, PanicKind::ZeroStep, vec![]);
        }
        self.back_at(outer);
        Ok(value)
    }

    /// `a - b`, or zero if `b` is greater.
    fn less_or_zero(&mut self, a: Value, b: Value) -> Value {
        let least = self.b.binary(Op::UMin, a, b);
        self.b.binary_nuw(Op::Sub, a, least)
    }

    /// `a / b`, rounded up.
    fn divided_up(&mut self, a: Value, b: Value) -> Value {
        let whole = self.b.binary(Op::UDiv, a, b);
        let rest = self.b.binary(Op::URem, a, b);
        let more = self.is_zero(rest, IntCond::Ne);
        let more = self.b.convert(ptx_gen::ir::ConvertOp::ZeroExtend, more, Type::I64);
        self.b.binary_nuw(Op::Add, whole, more)
    }

    // Items.

    /// The item at an index below the length.
    fn item(&mut self, source: &Source, index: Value) -> Lowered {
        Ok(match source {
            Source::Range { start, ty } => {
                let index = self.resize(index, Scalar::Usize, layout::scalar_type(*ty));
                match ty.is_signed() {
                    true => vec![self.b.binary(Op::Add, *start, index)],
                    false => vec![self.b.binary_nuw(Op::Add, *start, index)],
                }
            }
            Source::Elements { address, element } => vec![self.slice_from(*address, element, index)],
            Source::Array { first, element } => {
                let place = self.element_of_memory(first, element, index);
                self.read_memory(&place)
            }
            Source::Chunks { address, len, size, element, exact } => {
                let start = self.b.binary_nuw(Op::Mul, index, *size);
                let address = self.slice_from(*address, element, start);
                let len = match exact {
                    true => *size,
                    false => {
                        let left = self.b.binary_nuw(Op::Sub, *len, start);
                        self.b.binary(Op::UMin, left, *size)
                    }
                };
                vec![address, len]
            }
            Source::Windows { address, size, element } => {
                vec![self.slice_from(*address, element, index), *size]
            }
            Source::Rev { inner, len } => {
                let one = self.i64(1);
                let last = self.b.binary_nuw(Op::Sub, *len, one);
                let index = self.b.binary_nuw(Op::Sub, last, index);
                self.item(inner, index)?
            }
            Source::StepBy { inner, step } => {
                let index = self.b.binary_nuw(Op::Mul, index, *step);
                self.item(inner, index)?
            }
            Source::Skip { inner, count } => {
                let index = self.b.binary_nuw(Op::Add, index, *count);
                self.item(inner, index)?
            }
            Source::Cycle { inner, len } => {
                let index = self.b.binary(Op::URem, index, *len);
                self.item(inner, index)?
            }
            Source::Enumerate(inner) => {
                let mut values = vec![index];
                values.extend(self.item(inner, index)?);
                values
            }
            Source::Zip(a, b) => {
                let mut values = self.item(a, index)?;
                values.extend(self.item(b, index)?);
                values
            }
            Source::Chain { first, len, second, item } => {
                let in_first = self.b.int_compare(IntCond::ULt, index, *len);
                return self.choose(
                    in_first,
                    item,
                    |this| this.item(first, index),
                    |this| {
                        let index = this.b.binary_nuw(Op::Sub, index, *len);
                        this.item(second, index)
                    },
                );
            }
            Source::Copied { inner, ty } => {
                let reference = self.item(inner, index)?;
                self.read_memory(&Memory::behind(reference[0], ty.clone()))
            }
            Source::Map { inner, function } => {
                let item = self.item(inner, index)?;
                self.call_value(function, vec![item])?
            }
        })
    }

    /// The item at an index, if it is not dropped: then control goes on at one of the ends.
    fn staged_item(&mut self, items: &Items, index: Value, ends: Ends) -> Lowered {
        let mut item = self.item(&items.source, index)?;
        for stage in &items.stages {
            item = match stage {
                Stage::Map(function) => self.call_value(function, vec![item])?,
                Stage::Copied(ty) => self.read_memory(&Memory::behind(item[0], ty.clone())),
                Stage::Filter { function, item: ty } => {
                    self.keep_if(function, &item, ty, ends.next)?;
                    item
                }
                Stage::TakeWhile { function, item: ty } => {
                    self.keep_if(function, &item, ty, ends.exit)?;
                    item
                }
                Stage::FilterMap(function) => {
                    let option = self.call_value(function, vec![item])?;
                    self.some_or(option, ends.next)?
                }
                Stage::SkipWhile { function, item: ty, started } => {
                    let (test, start, go) =
                        (self.b.create_block(), self.b.create_block(), self.b.create_block());
                    let has_started = self.b.read(*started);
                    self.b.branch(has_started, go, test);
                    if self.enter(test).is_ok()
                        && let Ok(holds) = self.holds_of(function, &item, ty)
                    {
                        self.b.branch(holds, ends.next, start);
                        self.enter(start)?;
                        let yes = self.bool(true);
                        self.b.define(*started, yes);
                        self.b.jump(go, &[]);
                    }
                    self.enter(go)?;
                    item
                }
                Stage::Scan { function, state } => {
                    let option = self.call_value(function, vec![vec![*state], item])?;
                    self.some_or(option, ends.exit)?
                }
                Stage::MapWhile(function) => {
                    let option = self.call_value(function, vec![item])?;
                    self.some_or(option, ends.exit)?
                }
            };
        }
        Ok(item)
    }

    fn keep_if(&mut self, function: &Ty, item: &[Value], ty: &Ty, otherwise: IrBlock) -> Lowered<()> {
        let holds = self.holds_of(function, item, ty)?;
        let go = self.b.create_block();
        self.b.branch(holds, go, otherwise);
        self.enter(go)
    }

    /// The value of an `Option`; control goes on at `otherwise` if it is `None`.
    fn some_or(&mut self, mut option: Values, otherwise: IrBlock) -> Lowered {
        let flag = option.pop().expect("an `Option` has a flag");
        let go = self.b.create_block();
        self.b.branch(flag, go, otherwise);
        self.enter(go)?;
        Ok(option)
    }

    /// A predicate of a reference to the item.
    pub(super) fn holds_of(&mut self, function: &Ty, item: &[Value], ty: &Ty) -> Lowered<Value> {
        let place = self.temporary(ty, item);
        let address = self.generic_address(&place);
        Ok(self.call_value(function, vec![vec![address]])?[0])
    }

    // Loops.

    /// A loop over the items.
    pub(super) fn each(
        &mut self,
        items: &Items,
        body: impl FnOnce(&mut Self, Values, Value, Ends) -> Lowered<()>,
    ) -> Lowered<()> {
        self.each_of_loop(None, items, body)
    }

    /// A loop over the items that stands for a loop of the user's.
    pub(super) fn each_of_loop(
        &mut self,
        id: Option<LoopId>,
        items: &Items,
        body: impl FnOnce(&mut Self, Values, Value, Ends) -> Lowered<()>,
    ) -> Lowered<()> {
        self.count_to(id, items.len, |this, index, ends| {
            let item = this.staged_item(items, index, ends)?;
            body(this, item, index, ends)
        })
    }

    /// Lowers a body that runs `len` times, with the index of the iteration.
    pub(super) fn repeat(&mut self, len: Value, body: impl FnOnce(&mut Self, Value)) {
        let _ = self.count_to(None, len, |this, index, _| {
            body(this, index);
            Ok(())
        });
    }

    fn count_to(
        &mut self,
        id: Option<LoopId>,
        len: Value,
        body: impl FnOnce(&mut Self, Value, Ends) -> Lowered<()>,
    ) -> Lowered<()> {
        let (header, inside, next, exit) =
            (self.b.create_block(), self.b.create_block(), self.b.create_block(), self.b.create_block());
        let index = self.b.add_block_param(header, Type::I64);
        if let Some(id) = id {
            self.ask_of_loop(id, header);
        }
        let zero = self.i64(0);
        self.b.jump(header, &[zero]);
        self.b.switch_to(header);
        let more = self.b.int_compare(IntCond::ULt, index, len);
        self.b.branch(more, inside, exit);
        self.enter(inside)?;
        if body(self, index, Ends { next, exit }).is_ok() {
            self.b.jump(next, &[]);
        }
        if self.enter(next).is_ok() {
            let one = self.i64(1);
            let index = self.b.binary_nuw(Op::Add, index, one);
            self.b.jump(header, &[index]);
        }
        self.b.seal(header);
        self.enter(exit)
    }
}
