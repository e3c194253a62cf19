//! Places: variables, their fields, elements with their bounds checks, what references refer to; and assignment to them.

use ptx_gen::ir::{IntCond, PanicKind, Space, UnaryOp, Value};
use quote::ToTokens;

use super::memory::Memory;
use super::{Lowered, Lowerer, Values};
use crate::typed::{BinaryOp, Constant, Expr, ExprKind, LocalId, Ty};

/// Something with a value; all but `Value` and `Constant` can be assigned to.
#[derive(Clone)]
pub(super) enum Place<'k> {
    /// A variable that lives in registers, or a part of one.
    Local {
        /// Of the current function.
        id: LocalId,
        /// The number of the first SSA value.
        first: usize,
        /// The part's type.
        ty: Ty,
    },
    /// Memory.
    Memory(Memory),
    /// A value without a place.
    Value {
        /// It.
        values: Values,
        /// Its type.
        ty: Ty,
    },
    /// A constant, read only as far as it is used.
    Constant {
        /// It.
        value: &'k Constant,
        /// Its type.
        ty: Ty,
    },
    /// A lane of a vector in registers, by an index that is known only when the kernel runs.
    Lane {
        /// The vector.
        vector: Box<Place<'k>>,
        /// Below the number of lanes.
        index: Value,
    },
}

/// A length, or a number of lanes.
#[derive(Clone, Copy)]
pub(super) enum Length {
    /// Known now.
    Fixed(u64),
    /// A `usize`.
    Value(Value),
}

/// Returns true if the expression is a place rather than a value.
pub(super) fn is_place(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Local(_) | ExprKind::Deref(_) | ExprKind::Const(_) => true,
        ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => {
            matches!(base.ty, Ty::Slice { .. }) || is_place(base)
        }
        _ => false,
    }
}

impl<'k> Lowerer<'k> {
    /// Evaluates a place down to its address, checks included. A value is a place that nobody else knows.
    pub(super) fn place(&mut self, expr: &Expr) -> Lowered<Place<'k>> {
        let outer = self.at(expr.span);
        let place = self.place_kind(expr);
        self.back_at(outer);
        place
    }

    fn place_kind(&mut self, expr: &Expr) -> Lowered<Place<'k>> {
        match &expr.kind {
            ExprKind::Local(id) => Ok(self.local_place(*id)),
            ExprKind::Const(id) => {
                let constant = &self.function().consts[id.0];
                Ok(Place::Constant { value: &constant.value, ty: constant.ty.clone() })
            }
            ExprKind::Field { base, index } => {
                let base = self.place(base)?;
                Ok(self.part(&base, *index))
            }
            ExprKind::Deref(inner) => self.behind(inner),
            ExprKind::Index { base, index } => self.element(base, index),
            _ => Ok(Place::Value { values: self.expr_kind(expr)?, ty: expr.ty.clone() }),
        }
    }

    fn local_place(&mut self, id: LocalId) -> Place<'k> {
        match self.storage(id) {
            super::frame::Storage::Slot(memory) => Place::Memory(memory),
            _ => Place::Local { id, first: 0, ty: self.local_ty(id).clone() },
        }
    }

    /// The referent of a reference or of a handle of shared memory.
    fn behind(&mut self, reference: &Expr) -> Lowered<Place<'k>> {
        let values = self.expr(reference)?;
        Ok(match &reference.ty {
            Ty::Shared(inner) => Place::Memory(Memory {
                space: Space::Shared,
                address: values[0],
                offset: 0,
                ty: (**inner).clone(),
            }),
            Ty::Ref { inner, .. } | Ty::Ptr { inner, .. } => {
                Place::Memory(Memory::behind(values[0], (**inner).clone()))
            }
            // The referent of a slice is unsized: the slice itself stands for it.
            ty => Place::Value { values, ty: ty.clone() },
        })
    }

    /// The referent of the reference in a place.
    pub(super) fn behind_place(&mut self, place: &Place<'k>) -> Place<'k> {
        let values = self.read_place(place);
        match self.ty_of(place) {
            Ty::Ref { inner, .. } => Place::Memory(Memory::behind(values[0], *inner)),
            ty => Place::Value { values, ty },
        }
    }

    /// The type of what is in a place.
    pub(super) fn ty_of(&self, place: &Place<'k>) -> Ty {
        match place {
            Place::Local { ty, .. } | Place::Value { ty, .. } | Place::Constant { ty, .. } => ty.clone(),
            Place::Memory(memory) => memory.ty.clone(),
            Place::Lane { vector, .. } => Ty::Scalar(self.types.scalar(&self.ty_of(vector))),
        }
    }

    /// A field, element or lane of a place, by number; of an `Option` its value and whether it is there.
    pub(super) fn part(&mut self, place: &Place<'k>, index: usize) -> Place<'k> {
        match place {
            Place::Local { id, first, ty } => {
                let part = self.types.part(ty, index);
                Place::Local { id: *id, first: first + part.first, ty: part.ty }
            }
            Place::Memory(memory) => Place::Memory(self.part_of_memory(memory, index)),
            Place::Value { values, ty } => {
                let part = self.types.part(ty, index);
                let count = self.types.count(&part.ty);
                Place::Value { values: values[part.first..part.first + count].to_vec(), ty: part.ty }
            }
            Place::Constant { value, ty } => {
                let part = self.types.part(ty, index);
                match value {
                    Constant::Aggregate(parts) => Place::Constant { value: &parts[index], ty: part.ty },
                    Constant::Option(Some(inner)) if index == 0 => {
                        Place::Constant { value: inner, ty: part.ty }
                    }
                    Constant::Option(_) | Constant::Scalar(_) => {
                        let values = self.read_place(place);
                        let count = self.types.count(&part.ty);
                        Place::Value { values: values[part.first..part.first + count].to_vec(), ty: part.ty }
                    }
                }
            }
            Place::Lane { .. } => unreachable!("a lane has no parts"),
        }
    }

    /// The elements of an array from `first` on, as an array of this type.
    pub(super) fn rest(&mut self, place: &Place<'k>, first: usize, ty: &Ty) -> Place<'k> {
        let count = self.types.count(ty);
        if count == 0 {
            return Place::Value { values: Values::new(), ty: ty.clone() };
        }
        match self.part(place, first) {
            Place::Local { id, first, .. } => Place::Local { id, first, ty: ty.clone() },
            Place::Memory(memory) => Place::Memory(Memory { ty: ty.clone(), ..memory }),
            Place::Value { .. } | Place::Constant { .. } | Place::Lane { .. } => {
                let start = self.types.part(&self.ty_of(place), first).first;
                let values = self.read_place(place);
                Place::Value { values: values[start..start + count].to_vec(), ty: ty.clone() }
            }
        }
    }

    // Elements.

    /// The element of `base` at `index`, after its bounds check.
    fn element(&mut self, base: &Expr, index: &Expr) -> Lowered<Place<'k>> {
        if let Ty::Slice { element, .. } = &base.ty {
            let slice = self.expr(base)?;
            let index = self.scalar(index)?;
            self.check_index(index, Length::Value(slice[1]), base);
            let first = Memory::behind(slice[0], (**element).clone());
            return Ok(Place::Memory(self.element_of_memory(&first, element, index)));
        }
        let place = match &base.ty {
            Ty::Shared(_) | Ty::Ref { .. } => self.behind(base)?,
            _ => self.place(base)?,
        };
        let index = self.scalar(index)?;
        let ty = self.ty_of(&place);
        self.check_index(index, Length::Fixed(self.types.part_count(&ty) as u64), base);
        Ok(self.element_at(&place, index))
    }

    /// The element of an array or vector at an index within its bounds.
    pub(super) fn element_at(&mut self, base: &Place<'k>, index: Value) -> Place<'k> {
        let ty = self.ty_of(base);
        let known = self.b.function().constant(index).map(|index| index as usize);
        if let Some(index) = known.filter(|&index| index < self.types.part_count(&ty)) {
            return self.part(base, index);
        }
        if let (Ty::Vector(..), Place::Local { .. } | Place::Value { .. }) = (&ty, base) {
            return Place::Lane { vector: Box::new(base.clone()), index };
        }
        let first = match base {
            Place::Constant { value, ty } => self.constant_table(value, ty),
            _ => self.in_memory_somewhere(base),
        };
        let element = self.types.part(&ty, 0).ty;
        Place::Memory(self.element_of_memory(&first, &element, index))
    }

    /// Goes on if the index is below the length of `base`; the thread panics if not.
    fn check_index(&mut self, index: Value, len: Length, base: &Expr) {
        let known = self.b.function().constant(index);
        let len = match len {
            Length::Fixed(len) if known.is_some_and(|index| index < len) => return,
            Length::Fixed(len) => self.i64(len),
            Length::Value(len) => len,
        };
        let inside = self.b.int_compare(IntCond::ULt, index, len);
        let indexed = self.name_of(base);
        self.check_in(inside, PanicKind::Index, vec![index, len], indexed);
    }

    /// The user's own notation of a place, for panics: `x`, `self.items`, `pair.0`. None for other values, and in the library,
    /// whose names the user does not know.
    pub(super) fn name_of(&self, expr: &Expr) -> Option<String> {
        let function = self.kernel.function(self.current);
        match &expr.kind {
            _ if function.is_library => None,
            ExprKind::Local(id) => Some(function.locals[id.0].name.to_string()),
            ExprKind::Const(id) => Some(function.consts[id.0].name.to_string()),
            ExprKind::Field { base, index } => {
                let name = self.name_of(base)?;
                match &base.ty {
                    Ty::Struct(id) => {
                        let field = self.kernel.structs[id.0].fields.get(*index)?;
                        Some(format!("{name}.{}", field.member.to_token_stream()))
                    }
                    Ty::Tuple(_) => Some(format!("{name}.{index}")),
                    _ => None,
                }
            }
            ExprKind::Index { base, .. } => Some(format!("{}[_]", self.name_of(base)?)),
            ExprKind::Deref(inner) | ExprKind::Ref(inner) | ExprKind::Unsize(inner) => self.name_of(inner),
            _ => None,
        }
    }

    /// The place if it is memory, or a copy of its value in memory.
    pub(super) fn in_memory_somewhere(&mut self, place: &Place<'k>) -> Memory {
        match place {
            Place::Memory(memory) => memory.clone(),
            Place::Constant { value, ty } => self.constant_in_memory(value, ty),
            Place::Local { .. } | Place::Value { .. } | Place::Lane { .. } => {
                let values = self.read_place(place);
                let ty = self.ty_of(place);
                self.temporary(&ty, &values)
            }
        }
    }

    /// The address of a place, as references have it.
    pub(super) fn address_of(&mut self, place: &Place<'k>) -> Value {
        let memory = self.in_memory_somewhere(place);
        self.generic_address(&memory)
    }

    // Reading and writing.

    /// The value in a place.
    pub(super) fn read_place(&mut self, place: &Place<'k>) -> Values {
        match place {
            Place::Local { id, first, ty } => {
                let count = self.types.count(ty);
                self.read_local(*id, *first, count)
            }
            Place::Memory(memory) => self.read_memory(memory),
            Place::Value { values, .. } => values.clone(),
            Place::Constant { value, ty } => self.constant_values(value, ty),
            Place::Lane { vector, index } => {
                let lanes = self.read_place(vector);
                let mut value = lanes[0];
                for (number, &lane) in lanes.iter().enumerate().skip(1) {
                    let is_it = self.is_number(*index, number);
                    value = self.b.select(is_it, lane, value);
                }
                vec![value]
            }
        }
    }

    /// Gives the place a new value.
    pub(super) fn write_place(&mut self, place: &Place<'k>, values: &[Value]) {
        match place {
            Place::Local { id, first, .. } => self.write_local(*id, *first, values),
            Place::Memory(memory) => self.write_memory(memory, values),
            Place::Lane { vector, index } => {
                let old = self.read_place(vector);
                let new: Values = (0..old.len())
                    .map(|number| {
                        let is_it = self.is_number(*index, number);
                        self.b.select(is_it, values[0], old[number])
                    })
                    .collect();
                self.write_place(vector, &new);
            }
            // A field of a value that nobody can see any more.
            Place::Value { .. } | Place::Constant { .. } => {}
        }
    }

    fn is_number(&mut self, index: Value, number: usize) -> Value {
        let number = self.i64(number as u64);
        self.b.int_compare(IntCond::Eq, index, number)
    }

    /// `place = value`: the value is evaluated first, as in Rust.
    pub(super) fn assign(&mut self, place: &Expr, value: &Expr) -> Lowered {
        if self.types.has_array(&place.ty) && is_place(value) {
            let mut from = self.place(value)?;
            // Evaluating the place may change the source.
            if !changes_nothing(place)
                && let Place::Memory(memory) = &from
            {
                let copy = self.slot(&memory.ty, "temporary".to_owned());
                self.copy(memory, &copy);
                from = Place::Memory(copy);
            }
            let to = self.place(place)?;
            match (&from, &to) {
                (Place::Memory(from), Place::Memory(to)) => self.copy(from, to),
                _ => {
                    let values = self.read_place(&from);
                    self.write_place(&to, &values);
                }
            }
            return Ok(Values::new());
        }
        let values = self.expr(value)?;
        let place = self.place(place)?;
        self.write_place(&place, &values);
        Ok(Values::new())
    }

    /// `place op= value`: for scalars the value is evaluated first, as in Rust.
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr) -> Lowered {
        let rhs = self.expr(value)?;
        let target = self.place(place)?;
        let old = self.read_place(&target);
        let new = self.binary_lanes(op, (&old, &place.ty), (&rhs, &value.ty));
        self.write_place(&target, &new);
        Ok(Values::new())
    }

    /// `place = ±(a * b) + place`, rounded once.
    pub(super) fn assign_mul_add(
        &mut self,
        place: &Expr,
        a: &Expr,
        b: &Expr,
        negate_product: bool,
    ) -> Lowered {
        let mut a = self.expr(a)?;
        let b = self.expr(b)?;
        let target = self.place(place)?;
        let old = self.read_place(&target);
        if negate_product {
            a = self.unary_lanes(UnaryOp::FNeg, &a);
        }
        self.contracted();
        let new = self.fma_lanes(&a, &b, &old);
        self.write_place(&target, &new);
        Ok(Values::new())
    }
}

/// Returns true for an expression that writes nothing and calls nothing.
fn changes_nothing(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Path(_) | ExprKind::Local(_) | ExprKind::Const(_) => true,
        ExprKind::Field { base: inner, .. }
        | ExprKind::Axis { base: inner, .. }
        | ExprKind::Deref(inner)
        | ExprKind::Ref(inner)
        | ExprKind::Cast(inner)
        | ExprKind::Unary { arg: inner, .. } => changes_nothing(inner),
        ExprKind::Index { base, index } => changes_nothing(base) && changes_nothing(index),
        ExprKind::Binary { lhs, rhs, .. } => changes_nothing(lhs) && changes_nothing(rhs),
        _ => false,
    }
}
