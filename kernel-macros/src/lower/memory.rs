//! Values in memory: addresses, slots of variables, reading, writing and copying scalar by scalar.

use ptx_gen::ir::{
    BinaryOp as Op, ConvertOp, IntCond, LocalVar, MemoryOrder, MemoryScope, Space, Type, Value,
};

use super::place::{Place, is_place};
use super::{Lowered, Lowerer, Values};
use crate::typed::{Expr, ExprKind, Ty};

/// A value in memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    pub(super) space: Space,
    pub(super) address: Value,
    /// Added to the address, in bytes.
    pub(super) offset: u64,
    pub(super) ty: Ty,
}

/// Copies and fills of more scalars than this are loops.
const MOST_IN_LINE: usize = 64;

/// The largest offset of a place from its address: accesses have offsets of 32 bits with a sign, and the scalars of a value are at most
/// `MAX_LOCAL` bytes further on.
const MOST_OFFSET: u64 = i32::MAX as u64 / 2;

impl Memory {
    /// The referent of a reference.
    pub(super) fn behind(address: Value, ty: Ty) -> Memory {
        Memory { space: Space::Generic, address, offset: 0, ty }
    }
}

impl Lowerer<'_> {
    /// A new variable in the thread's own memory.
    pub(super) fn slot(&mut self, ty: &Ty, name: String) -> Memory {
        self.new_slot(ty, name).0
    }

    /// As [`Lowerer::slot`], and the variable itself if it has any bytes.
    pub(super) fn new_slot(&mut self, ty: &Ty, name: String) -> (Memory, Option<LocalVar>) {
        let bytes = u32::try_from(self.types.size_of(ty)).unwrap_or(u32::MAX);
        let align = self.types.align_of(ty) as u32;
        let (address, var) = match bytes {
            // Nothing is ever read or written there.
            0 => (self.i64(u64::from(align)), None),
            _ => {
                let var = self.b.add_local(name, bytes, align);
                (self.b.local_address(var), Some(var))
            }
        };
        (Memory { space: Space::Local, address, offset: 0, ty: ty.clone() }, var)
    }

    /// A new variable in memory with these values.
    pub(super) fn temporary(&mut self, ty: &Ty, values: &[Value]) -> Memory {
        let slot = self.slot(ty, "temporary".to_owned());
        self.write_memory(&slot, values);
        slot
    }

    /// The address, as references have it.
    pub(super) fn generic_address(&mut self, memory: &Memory) -> Value {
        let base = match memory.space {
            Space::Generic => memory.address,
            _ if self.types.size_of(&memory.ty) == 0 && memory.space == Space::Local => memory.address,
            space => self.b.to_generic(space, memory.address),
        };
        if memory.offset == 0 {
            return base;
        }
        let offset = self.i64(memory.offset);
        self.b.binary_nuw(Op::Add, base, offset)
    }

    /// A field, element or lane by its number.
    pub(super) fn part_of_memory(&mut self, memory: &Memory, index: usize) -> Memory {
        let part = self.types.part(&memory.ty, index);
        let offset = memory.offset.saturating_add(part.offset);
        if offset <= MOST_OFFSET {
            return Memory { offset, ty: part.ty, ..*memory };
        }
        let offset = self.b.constant(memory.space.address_type(), offset);
        let address = self.b.binary_nuw(Op::Add, memory.address, offset);
        Memory { address, offset: 0, ty: part.ty, ..*memory }
    }

    /// The element at `index` in an array with elements of type `ty`; the sum stays within one allocation, so nothing wraps.
    pub(super) fn element_of_memory(&mut self, first: &Memory, ty: &Ty, index: Value) -> Memory {
        let size = self.types.size_of(ty);
        let known = self.b.function().constant(index);
        let offset = known.and_then(|index| index.checked_mul(size)?.checked_add(first.offset));
        if let Some(offset) = offset.filter(|&offset| offset <= MOST_OFFSET) {
            return Memory { offset, ty: ty.clone(), ..*first };
        }
        let offset = match first.space.address_type() {
            Type::I32 => self.b.convert(ConvertOp::Truncate, index, Type::I32),
            _ => index,
        };
        let offset = match size {
            1 => offset,
            size => {
                let size = self.b.constant(first.space.address_type(), size);
                self.b.binary_nuw(Op::Mul, offset, size)
            }
        };
        let address = self.b.binary_nuw(Op::Add, first.address, offset);
        Memory { address, ty: ty.clone(), ..*first }
    }

    /// The value in memory.
    pub(super) fn read_memory(&mut self, memory: &Memory) -> Values {
        if self.types.has_union(&memory.ty) {
            return self.read_union(memory);
        }
        let scalars = self.types.scalars(&memory.ty);
        let aligned = self.types.align_of(&memory.ty);
        scalars
            .into_iter()
            .map(|(ty, at)| {
                if self.is_volatile {
                    return self.read_volatile(memory, ty, at);
                }
                let (offset, align) = ((memory.offset + at) as i32, alignment_at(aligned, at));
                self.b.load_aligned(ty, memory.space, memory.address, offset, self.cache, align)
            })
            .collect()
    }

    /// Reads one scalar so many bytes from a value's start, by an access of its own.
    fn read_volatile(&mut self, memory: &Memory, ty: Type, at: u64) -> Value {
        let address = self.address_at(memory, at);
        let order = (MemoryScope::System, MemoryOrder::Volatile);
        if ty != Type::Bool {
            return self.b.atomic_load(ty, memory.space, order, address);
        }
        let byte = self.b.atomic_load(Type::I8, memory.space, order, address);
        let zero = self.b.constant(Type::I8, 0);
        self.b.int_compare(IntCond::Ne, byte, zero)
    }

    /// The address so many bytes from a value's start.
    fn address_at(&mut self, memory: &Memory, at: u64) -> Value {
        match memory.offset + at {
            0 => memory.address,
            offset => {
                let offset = self.b.constant(memory.space.address_type(), offset);
                self.b.binary_nuw(Op::Add, memory.address, offset)
            }
        }
    }

    /// The value in memory, of a type with an enum in it whose variants share their bytes: what the variant does not have is zero.
    fn read_union(&mut self, memory: &Memory) -> Values {
        let mut values = Values::new();
        for index in 0..self.types.part_count(&memory.ty) {
            let part = self.part_of_memory(memory, index);
            let read = self.read_memory(&part);
            let held = self.held(&memory.ty, index, &values, read);
            values.extend(held);
        }
        values
    }

    /// The value of which each scalar was read from its place, also of those that share their bytes.
    pub(super) fn of_places(&mut self, ty: &Ty, read: &[Value]) -> Values {
        if !self.types.has_union(ty) {
            return read.to_vec();
        }
        let mut values = Values::new();
        for (index, part) in self.types.parts(ty).into_iter().enumerate() {
            let own = &read[part.first..part.first + self.types.count(&part.ty)];
            let own = self.of_places(&part.ty, own);
            let held = self.held(ty, index, &values, own);
            values.extend(held);
        }
        values
    }

    /// A part of a value, or zero if it is of a variant that the value is not. The parts before it are `before`.
    fn held(&mut self, ty: &Ty, index: usize, before: &[Value], mut part: Values) -> Values {
        let variants = self.types.union_variants(ty);
        let holder = variants.iter().flatten().find(|row| row.1.contains(&index));
        if let (Some((number, _)), Some(&tag)) = (holder, before.first()) {
            let number = self.constant(*number)[0];
            let is_held = self.b.int_compare(IntCond::Eq, tag, number);
            for (value, ty) in part.iter_mut().zip(self.types.flatten(&self.types.part(ty, index).ty)) {
                let zero = self.b.constant(ty, 0);
                *value = self.b.select(is_held, *value, zero);
            }
        }
        part
    }

    /// Writes the whole value.
    pub(super) fn write_memory(&mut self, memory: &Memory, values: &[Value]) {
        self.write_scalars(memory, 0, values);
    }

    /// Writes the scalars of the value from number `first` on.
    pub(super) fn write_scalars(&mut self, memory: &Memory, first: usize, values: &[Value]) {
        let scalars = self.types.scalars(&memory.ty);
        if self.types.has_union(&memory.ty) {
            return self.write_union(memory, scalars.into_iter().skip(first).zip(values.iter().copied()));
        }
        for ((_, at), &value) in scalars.into_iter().skip(first).zip(values) {
            self.write_at(memory, at, value);
        }
    }

    /// Writes scalars of which some share their bytes: all but those of one variant are zero, so that their bits together are what is there.
    /// Bytes between them and behind them, to the end of the value, become zero.
    fn write_union(&mut self, memory: &Memory, scalars: impl Iterator<Item = ((Type, u64), Value)>) {
        let mut scalars: Vec<((Type, u64), Value)> = scalars.collect();
        // A larger one before those that share its bytes: each is aligned to its size, so that all of these are within it.
        scalars.sort_by_key(|((ty, at), _)| (*at, std::cmp::Reverse(ty.bytes())));
        let mut end = scalars.first().map_or(0, |row| row.0.1);
        let mut rest = &scalars[..];
        while let [((ty, at), value), ..] = rest {
            let stop = at + u64::from(ty.bytes());
            let count = rest.iter().take_while(|((_, other), _)| *other < stop).count();
            let (shared, behind) = rest.split_at(count);
            let value = match shared {
                [_] => *value,
                _ => self.joined(shared, *ty, *at),
            };
            self.write_zeros(memory, end, *at);
            self.write_at(memory, *at, value);
            (end, rest) = (stop, behind);
        }
        self.write_zeros(memory, end, self.types.size_of(&memory.ty));
    }

    /// The bits of several scalars, which begin at `first` or behind it, as an integer as wide as the first type.
    fn joined(&mut self, scalars: &[((Type, u64), Value)], whole: Type, first: u64) -> Value {
        let word = word_of(whole.bytes().into());
        let mut bits = self.b.constant(word, 0);
        for ((ty, at), value) in scalars {
            let own = word_of(ty.bytes().into());
            let mut wide = *value;
            if *ty == Type::Bool {
                wide = self.b.convert(ConvertOp::ZeroExtend, wide, own);
            } else if *ty != own {
                wide = self.b.convert(ConvertOp::Bitcast, wide, own);
            }
            if own != word {
                wide = self.b.convert(ConvertOp::ZeroExtend, wide, word);
            }
            let by = self.b.constant(word, (at - first) * 8);
            let moved = self.b.binary(Op::Shl, wide, by);
            bits = self.b.binary(Op::Or, bits, moved);
        }
        bits
    }

    /// Writes one scalar so many bytes from a value's start.
    fn write_at(&mut self, memory: &Memory, at: u64, value: Value) {
        if self.is_volatile {
            let address = self.address_at(memory, at);
            let value = match self.b.ty(value) {
                Type::Bool => self.b.convert(ConvertOp::ZeroExtend, value, Type::I8),
                _ => value,
            };
            let order = (MemoryScope::System, MemoryOrder::Volatile);
            return self.b.atomic_store(memory.space, order, address, value);
        }
        let align = alignment_at(self.types.align_of(&memory.ty), at);
        self.b.store_aligned(
            memory.space,
            memory.address,
            (memory.offset + at) as i32,
            value,
            self.cache,
            align,
        );
    }

    /// Writes zeros between two offsets, in the widest words that are aligned there.
    fn write_zeros(&mut self, memory: &Memory, mut at: u64, end: u64) {
        while at < end {
            let fits = |bytes: &u64| at.is_multiple_of(*bytes) && at + bytes <= end;
            let bytes = [8, 4, 2].into_iter().find(fits).unwrap_or(1);
            let zero = self.b.constant(word_of(bytes), 0);
            self.write_at(memory, at, zero);
            at += bytes;
        }
    }

    /// Copies a value; both places are of one type and do not overlap, unless they are the same.
    pub(super) fn copy(&mut self, from: &Memory, to: &Memory) {
        let ty = &from.ty;
        if self.types.count(ty) <= MOST_IN_LINE || self.types.union_variants(ty).is_some() {
            let values = self.read_memory(from);
            return self.write_memory(to, &values);
        }
        if let Ty::Array(element, len) = ty {
            let len = self.i64(*len);
            self.repeat(len, |this, index| {
                let from = this.element_of_memory(from, element, index);
                let to = this.element_of_memory(to, element, index);
                this.copy(&from, &to);
            });
            return;
        }
        for index in 0..self.types.part_count(ty) {
            let (from, to) = (self.part_of_memory(from, index), self.part_of_memory(to, index));
            self.copy(&from, &to);
        }
    }

    /// Gives every element of an array the same value.
    fn fill(&mut self, to: &Memory, element: &Ty, len: u64, values: &[Value]) {
        if values.len().saturating_mul(len as usize) <= MOST_IN_LINE {
            for index in 0..len as usize {
                let part = self.part_of_memory(to, index);
                self.write_memory(&part, values);
            }
            return;
        }
        let len = self.i64(len);
        self.repeat(len, |this, index| {
            let part = this.element_of_memory(to, element, index);
            this.write_memory(&part, values);
        });
    }

    /// Lowers an expression whose value goes to memory that nobody else knows yet.
    pub(super) fn expr_into(&mut self, expr: &Expr, to: &Memory) -> Lowered<()> {
        let outer = self.at(expr.span);
        let done = self.expr_kind_into(expr, to);
        self.back_at(outer);
        done
    }

    fn expr_kind_into(&mut self, expr: &Expr, to: &Memory) -> Lowered<()> {
        match (&expr.kind, &expr.ty) {
            (ExprKind::Array(parts) | ExprKind::Tuple(parts), _) => {
                for (index, part) in parts.iter().enumerate() {
                    let place = self.part_of_memory(to, index);
                    self.expr_into(part, &place)?;
                }
            }
            // A variant of an enum with data has some of its fields: the others are to be zero.
            (ExprKind::Struct { fields, base: None }, ty) if fields.len() == self.types.part_count(ty) => {
                for (index, field) in fields {
                    let place = self.part_of_memory(to, *index);
                    self.expr_into(field, &place)?;
                }
            }
            (ExprKind::Repeat(value), Ty::Array(element, len)) => {
                let values = self.expr(value)?;
                self.fill(to, element, *len, &values);
            }
            (ExprKind::Block(block), _) => {
                self.stmts(block)?;
                if let Some(value) = &block.value {
                    self.expr_into(value, to)?;
                }
            }
            _ => self.value_into(expr, to)?,
        }
        Ok(())
    }

    /// Writes a value that is complete before anything is written: `to` may occur in it.
    pub(super) fn value_into(&mut self, expr: &Expr, to: &Memory) -> Lowered<()> {
        if let (ExprKind::Repeat(value), Ty::Array(element, len)) = (&expr.kind, &expr.ty) {
            let values = self.expr(value)?;
            self.fill(to, element, *len, &values);
        } else if is_place(expr) {
            match self.place(expr)? {
                Place::Memory(from) => self.copy(&from, to),
                place => {
                    let values = self.read_place(&place);
                    self.write_memory(to, &values);
                }
            }
        } else {
            let values = self.expr(expr)?;
            self.write_memory(to, &values);
        }
        Ok(())
    }
}

/// The integer of so many bytes, at most eight.
const fn word_of(bytes: u64) -> Type {
    match bytes {
        1 => Type::I8,
        2 => Type::I16,
        4 => Type::I32,
        _ => Type::I64,
    }
}

/// The alignment of an address `at` bytes after a multiple of `aligned`.
fn alignment_at(aligned: u64, at: u64) -> u32 {
    let own = 1 << at.trailing_zeros().min(16);
    own.min(aligned) as u32
}
