//! Tuples, structs, arrays, `Option`s and slices as values, and their comparison.

use ptx_gen::ir::{BinaryOp as Op, FloatCond, IntCond, PanicKind, UnaryOp as IrUnary, Value};

use super::memory::Memory;
use super::place::Place;
use super::{Lowered, Lowerer, Values};
use crate::typed::{self, BinaryOp, Expr, ExprKind, Scalar, Ty};

impl<'k> Lowerer<'k> {
    /// The values of several expressions in order.
    pub(super) fn concat(&mut self, parts: &[Expr]) -> Lowered {
        let mut values = Values::new();
        for part in parts {
            values.extend(self.expr(part)?);
        }
        Ok(values)
    }

    /// `[value; N]`
    pub(super) fn repeated(&mut self, value: &Expr, ty: &Ty) -> Lowered {
        let values = self.expr(value)?;
        let len = self.types.part_count(ty);
        Ok(values.iter().copied().cycle().take(values.len() * len).collect())
    }

    /// `S { a, b, ..base }`: the fields in the order of the text.
    pub(super) fn struct_value(&mut self, fields: &[(usize, Expr)], base: Option<&Expr>, ty: &Ty) -> Lowered {
        let parts = self.types.parts(ty);
        let mut values: Vec<Option<Values>> = vec![None; parts.len()];
        for (index, field) in fields {
            values[*index] = Some(self.expr(field)?);
        }
        if let Some(base) = base {
            let base = self.place(base)?;
            for (index, slot) in values.iter_mut().enumerate().filter(|(_, slot)| slot.is_none()) {
                let part = self.part(&base, index);
                *slot = Some(self.read_place(&part));
            }
        }
        let mut all = Values::new();
        for (values, part) in values.into_iter().zip(parts) {
            match values {
                Some(values) => all.extend(values),
                None => all.extend(self.zeros(&part.ty)),
            }
        }
        Ok(all)
    }

    /// `Some(value)`
    pub(super) fn some(&mut self, mut values: Values) -> Values {
        values.push(self.bool(true));
        values
    }

    /// `&place`: its address; of a value that of a temporary.
    pub(super) fn reference(&mut self, of: &Expr, ty: &Ty) -> Lowered {
        // A reborrow of a slice is the slice.
        if let (ExprKind::Deref(inner), Ty::Slice { .. }) = (&of.kind, &of.ty) {
            return self.expr(inner);
        }
        if self.types.has_array(&of.ty) && !super::place::is_place(of) {
            let slot = self.slot(&of.ty, "temporary".to_owned());
            self.expr_into(of, &slot)?;
            return Ok(vec![self.generic_address(&slot)]);
        }
        let mut place = self.place(of)?;
        if let (Place::Constant { .. }, Ty::Ref { mutable: true, .. }) = (&place, ty) {
            place = Place::Value { values: self.read_place(&place), ty: of.ty.clone() };
        }
        Ok(vec![self.address_of(&place)])
    }

    /// Loads the tag of the `Option` in a place: true for `Some`.
    pub(super) fn is_some(&mut self, place: &Place<'k>) -> Value {
        let flag = self.part(place, 1);
        self.read_place(&flag)[0]
    }

    // Slices.

    /// An array behind a reference, or a shared one, as a slice.
    pub(super) fn unsize(&mut self, of: &Expr) -> Lowered {
        let values = self.expr(of)?;
        let (memory, len) = match &of.ty {
            Ty::Ref { inner, .. } => {
                (Memory::behind(values[0], (**inner).clone()), self.types.part_count(inner))
            }
            Ty::Shared(inner) => {
                let space = ptx_gen::ir::Space::Shared;
                let memory = Memory { space, address: values[0], offset: 0, ty: (**inner).clone() };
                (memory, self.types.part_count(inner))
            }
            Ty::Array(..) => (self.temporary(&of.ty, &values), self.types.part_count(&of.ty)),
            Ty::SharedDyn(element) => return Ok(self.dynamic_shared(element)),
            _ => return Ok(values),
        };
        let address = self.generic_address(&memory);
        Ok(vec![address, self.i64(len as u64)])
    }

    /// `&base[start..end]`, checked as Rust does.
    pub(super) fn subslice(
        &mut self,
        base: &Expr,
        start: Option<&Expr>,
        end: Option<&Expr>,
        inclusive: bool,
    ) -> Lowered {
        let slice = self.expr(base)?;
        let (address, len) = (slice[0], slice[1]);
        let element = element_of(&base.ty).clone();
        let indexed = self.name_of(base);
        let first = match start {
            Some(start) => Some(self.scalar(start)?),
            None => None,
        };
        let last = match end {
            Some(end) => Some(self.scalar(end)?),
            None => None,
        };
        let end = match last {
            Some(last) if inclusive => {
                let one = self.i64(1);
                Some(self.b.binary(Op::Add, last, one))
            }
            last => last,
        };
        if let (Some(last), Some(end)) = (last.filter(|_| inclusive), end) {
            // `..=usize::MAX` has no end that could be compared: that the last element is there comes first.
            let inside = self.b.int_compare(IntCond::ULt, last, len);
            let told = self.b.binary(Op::UMax, last, end);
            self.check_in(inside, PanicKind::SliceEnd, vec![told, len], indexed.clone());
        }
        if let (Some(start), Some(end)) = (first, end) {
            self.check_order(start, end, indexed.clone());
        }
        match (first, end) {
            (_, Some(_)) if inclusive => {}
            (_, Some(end)) => {
                let inside = self.b.int_compare(IntCond::ULe, end, len);
                self.check_in(inside, PanicKind::SliceEnd, vec![end, len], indexed);
            }
            (Some(start), None) => {
                let inside = self.b.int_compare(IntCond::ULe, start, len);
                self.check_in(inside, PanicKind::SliceStart, vec![start, len], indexed);
            }
            (None, None) => {}
        }
        let end = end.unwrap_or(len);
        let Some(start) = first else { return Ok(vec![address, end]) };
        let len = self.b.binary_nuw(Op::Sub, end, start);
        let address = self.slice_from(address, &element, start);
        Ok(vec![address, len])
    }

    fn check_order(&mut self, start: Value, end: Value, indexed: Option<String>) {
        let function = self.b.function();
        if let (Some(start), Some(end)) = (function.constant(start), function.constant(end))
            && start <= end
        {
            return;
        }
        let ordered = self.b.int_compare(IntCond::ULe, start, end);
        self.check_in(ordered, PanicKind::SliceOrder, vec![start, end], indexed);
    }

    /// The address of the element at an index of a slice, or of its end.
    pub(super) fn slice_from(&mut self, address: Value, element: &Ty, index: Value) -> Value {
        let first = Memory::behind(address, element.clone());
        let memory = self.element_of_memory(&first, element, index);
        self.generic_address(&memory)
    }

    // Comparison.

    /// `a == b` of any type, part by part.
    pub(super) fn equal(&mut self, a: &[Value], b: &[Value], ty: &Ty) -> Value {
        match ty {
            Ty::Scalar(scalar) => self.equal_scalars(a[0], b[0], *scalar),
            Ty::Enum(_) | Ty::Ptr { .. } => self.b.int_compare(IntCond::Eq, a[0], b[0]),
            Ty::Option(inner) => {
                let last = a.len() - 1;
                let same_kind = self.b.int_compare(IntCond::Eq, a[last], b[last]);
                if self.reads_memory(inner) {
                    let both = self.b.binary(Op::And, a[last], b[last]);
                    let same = self.if_so(both, |this| this.equal(&a[..last], &b[..last], inner));
                    let neither = self.b.binary(Op::Or, a[last], b[last]);
                    let neither = self.b.unary(IrUnary::Not, neither);
                    return self.b.binary(Op::Or, neither, same);
                }
                let same_value = self.equal(&a[..last], &b[..last], inner);
                let none = self.b.unary(IrUnary::Not, a[last]);
                let same_if_some = self.b.binary(Op::Or, none, same_value);
                self.b.binary(Op::And, same_kind, same_if_some)
            }
            Ty::Ref { inner, .. } => {
                let read =
                    |this: &mut Self, address| this.read_memory(&Memory::behind(address, (**inner).clone()));
                let (a, b) = (read(self, a[0]), read(self, b[0]));
                self.equal(&a, &b, inner)
            }
            Ty::Tuple(_) | Ty::Struct(_) | Ty::Array(..) | Ty::Vector(..) | Ty::Dim3 => {
                let mut all = None;
                for part in self.types.parts(ty) {
                    let range = part.first..part.first + self.types.count(&part.ty);
                    let same = self.equal(&a[range.clone()], &b[range], &part.ty);
                    all = Some(match all {
                        Some(all) => self.b.binary(Op::And, all, same),
                        None => same,
                    });
                }
                match all {
                    Some(all) => all,
                    None => self.bool(true),
                }
            }
            Ty::Unit | Ty::Never => self.bool(true),
            Ty::Atomic(_)
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => unreachable!("checking admits no comparison of {ty:?}"),
        }
    }

    /// Returns true if comparing values of the type follows a reference.
    fn reads_memory(&self, ty: &Ty) -> bool {
        typed::holds(ty, &self.kernel.structs, |part| matches!(part, Ty::Ref { .. }))
    }

    /// `condition && …`, computed where the condition holds.
    fn if_so(&mut self, condition: Value, then: impl FnOnce(&mut Self) -> Value) -> Value {
        let ty = Ty::Scalar(Scalar::Bool);
        let value =
            self.choose(condition, &ty, |this| Ok(vec![then(this)]), |this| Ok(vec![this.bool(false)]));
        match value {
            Ok(values) => values[0],
            // Nothing reaches it.
            Err(_) => self.bool(false),
        }
    }

    /// `a < b`, `<=`, `>` or `>=` of any type, as derived: the first parts that differ decide.
    pub(super) fn compare_parts(&mut self, op: BinaryOp, a: &[Value], b: &[Value], ty: &Ty) -> Value {
        let or_equal = matches!(op, BinaryOp::Le | BinaryOp::Ge);
        let strictly = if matches!(op, BinaryOp::Lt | BinaryOp::Le) { BinaryOp::Lt } else { BinaryOp::Gt };
        match ty {
            Ty::Scalar(_) | Ty::Enum(_) | Ty::Ptr { .. } => {
                let scalar = self.types.scalar(ty);
                self.binary_values(op, (a[0], scalar), (b[0], scalar))
            }
            Ty::Option(inner) => {
                // `None` is the least.
                let last = a.len() - 1;
                let (less, more) =
                    if strictly == BinaryOp::Lt { (a[last], b[last]) } else { (b[last], a[last]) };
                let both = self.b.binary(Op::And, less, more);
                let values = if self.reads_memory(inner) {
                    self.if_so(both, |this| this.compare_parts(op, &a[..last], &b[..last], inner))
                } else {
                    let values = self.compare_parts(op, &a[..last], &b[..last], inner);
                    self.b.binary(Op::And, both, values)
                };
                let none = self.b.unary(IrUnary::Not, less);
                let decided = if or_equal { none } else { self.b.binary(Op::And, none, more) };
                self.b.binary(Op::Or, decided, values)
            }
            Ty::Ref { inner, .. } => {
                let read =
                    |this: &mut Self, address| this.read_memory(&Memory::behind(address, (**inner).clone()));
                let (a, b) = (read(self, a[0]), read(self, b[0]));
                self.compare_parts(op, &a, &b, inner)
            }
            Ty::Tuple(_) | Ty::Struct(_) | Ty::Array(..) => {
                let reversed = matches!(ty, Ty::Struct(id) if self.kernel.structs[id.0].reversed);
                let (a, b) = if reversed { (b, a) } else { (a, b) };
                let mut later = None;
                for part in self.types.parts(ty).into_iter().rev() {
                    let range = part.first..part.first + self.types.count(&part.ty);
                    let (a, b) = (&a[range.clone()], &b[range]);
                    later = Some(match later {
                        None => self.compare_parts(op, a, b, &part.ty),
                        Some(later) => {
                            let decided = self.compare_parts(strictly, a, b, &part.ty);
                            let same = self.equal(a, b, &part.ty);
                            let later = self.b.binary(Op::And, same, later);
                            self.b.binary(Op::Or, decided, later)
                        }
                    });
                }
                match later {
                    Some(later) => later,
                    None => self.bool(or_equal),
                }
            }
            Ty::Unit | Ty::Never => self.bool(or_equal),
            Ty::Vector(..)
            | Ty::Dim3
            | Ty::Atomic(_)
            | Ty::Slice { .. }
            | Ty::Shared(_)
            | Ty::SharedDyn(_)
            | Ty::Closure { .. }
            | Ty::Function(_) => unreachable!("checking admits no order of {ty:?}"),
        }
    }

    /// Comparison of scalars as `==` has it: NaN is equal to nothing.
    pub(super) fn equal_scalars(&mut self, a: Value, b: Value, scalar: Scalar) -> Value {
        if scalar.is_float() {
            self.b.float_compare(FloatCond::Eq, a, b)
        } else {
            self.b.int_compare(IntCond::Eq, a, b)
        }
    }
}

/// The type of a slice's elements.
pub(super) fn element_of(slice: &Ty) -> &Ty {
    match slice {
        Ty::Slice { element, .. } => element,
        Ty::Ref { inner, .. } => element_of(inner),
        _ => unreachable!("checking gives slices their type, not {slice:?}"),
    }
}
