//! Places: variables and elements of slices and shared arrays, with their bounds checks, and assignment to them.

use ptx_gen::ir::{BinaryOp as Op, ConvertOp, IntCond, PanicKind, Space, Type, UnaryOp, Value};

use super::{Lowered, Lowerer, Values, layout};
use crate::typed::{BinaryOp, Expr, ExprKind, LocalId, Scalar, Ty};

/// Something that can be assigned to.
pub(super) enum Place {
    /// A variable.
    Local(LocalId),
    /// Memory.
    Memory(Memory),
}

/// A value in memory.
pub(super) struct Memory {
    space: Space,
    address: Value,
    ty: Ty,
    read_only: bool,
}

/// Something with elements.
struct Indexable {
    /// Its first element.
    first: Memory,
    /// How many there are.
    len: Value,
}

impl Lowerer<'_> {
    /// Evaluates a place down to its address, checks included.
    pub(super) fn place(&mut self, expr: &Expr) -> Lowered<Place> {
        match &expr.kind {
            ExprKind::Local(id) => Ok(Place::Local(*id)),
            ExprKind::Index { base, index } => {
                let outer = self.at(expr.span);
                let element = self.element(base, index);
                self.back_at(outer);
                Ok(Place::Memory(element?))
            }
            ExprKind::Literal(_)
            | ExprKind::Path { .. }
            | ExprKind::Const(_)
            | ExprKind::Unary { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Logical { .. }
            | ExprKind::MulAdd { .. }
            | ExprKind::Cast(_)
            | ExprKind::Axis { .. }
            | ExprKind::Call { .. }
            | ExprKind::Assign { .. }
            | ExprKind::AssignOp { .. }
            | ExprKind::AssignMulAdd { .. }
            | ExprKind::Block(_)
            | ExprKind::If { .. }
            | ExprKind::Loop { .. }
            | ExprKind::While { .. }
            | ExprKind::For { .. }
            | ExprKind::Break { .. }
            | ExprKind::Continue { .. }
            | ExprKind::Return => unreachable!("checking admits only variables and elements as places"),
        }
    }

    /// The element of `base` at `index`, after its bounds check.
    fn element(&mut self, base: &Expr, index: &Expr) -> Lowered<Memory> {
        let Indexable { first, len } = self.indexable(base)?;
        let index = self.scalar(index)?;
        let inside = self.b.int_compare(IntCond::ULt, index, len);
        self.check(inside, PanicKind::Index, vec![index, len]);
        // After the check the offset is below the size of the allocation: nothing wraps.
        let offset = match first.space.address_type() {
            Type::I32 => self.b.convert(ConvertOp::Truncate, index, Type::I32),
            _ => index,
        };
        let offset = match layout::size_of(&first.ty) {
            1 => offset,
            size => {
                let size = self.b.constant(first.space.address_type(), size);
                self.b.binary_nuw(Op::Mul, offset, size)
            }
        };
        let address = self.b.binary_nuw(Op::Add, first.address, offset);
        Ok(Memory { address, ..first })
    }

    fn indexable(&mut self, base: &Expr) -> Lowered<Indexable> {
        Ok(match &base.ty {
            Ty::Slice { element, mutable } => {
                let values = self.expr(base)?;
                let first = Memory {
                    space: Space::Global,
                    address: values[0],
                    ty: Ty::Scalar(*element),
                    read_only: !mutable,
                };
                Indexable { first, len: values[1] }
            }
            Ty::Shared(array) => {
                let address = self.scalar(base)?;
                let whole = Memory { space: Space::Shared, address, ty: (**array).clone(), read_only: false };
                self.array_elements(whole)
            }
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Array(..) => {
                unreachable!("checking admits only slices and arrays under an index")
            }
        })
    }

    fn array_elements(&mut self, whole: Memory) -> Indexable {
        match whole.ty {
            Ty::Array(element, len) => {
                Indexable { first: Memory { ty: *element, ..whole }, len: self.i64(len) }
            }
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Slice { .. } | Ty::Shared(_) => {
                unreachable!("checking admits only arrays in shared memory")
            }
        }
    }

    /// The value in a place. That of an array in shared memory is its address.
    pub(super) fn read_place(&mut self, place: &Place) -> Values {
        match place {
            Place::Local(id) => self.read_local(*id),
            Place::Memory(Memory { ty: Ty::Array(..), address, .. }) => vec![*address],
            Place::Memory(memory) => with_offsets(&memory.ty)
                .map(|(ty, offset)| self.b.load(ty, memory.space, memory.address, offset, memory.read_only))
                .collect(),
        }
    }

    fn write_place(&mut self, place: &Place, values: &[Value]) {
        match place {
            Place::Local(id) => self.write_local(*id, values),
            Place::Memory(memory) => {
                for ((_, offset), &value) in with_offsets(&memory.ty).zip(values) {
                    self.b.store(memory.space, memory.address, offset, value);
                }
            }
        }
    }

    /// `place = value`: the value is evaluated first, as in Rust.
    pub(super) fn assign(&mut self, place: &Expr, value: &Expr) -> Lowered {
        let values = self.expr(value)?;
        let place = self.place(place)?;
        self.write_place(&place, &values);
        Ok(Values::new())
    }

    /// `place op= value`: for scalars the value is evaluated first, as in Rust.
    pub(super) fn assign_op(&mut self, op: BinaryOp, place: &Expr, value: &Expr) -> Lowered {
        let rhs = self.scalar(value)?;
        let target = self.place(place)?;
        let old = self.read_place(&target)[0];
        let new = self.binary_values(op, (old, scalar_of(&place.ty)), (rhs, scalar_of(&value.ty)));
        self.write_place(&target, &[new]);
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
        let mut a = self.scalar(a)?;
        let b = self.scalar(b)?;
        let target = self.place(place)?;
        let old = self.read_place(&target)[0];
        if negate_product {
            a = self.b.unary(UnaryOp::FNeg, a);
        }
        let new = self.b.fma(a, b, old);
        self.write_place(&target, &[new]);
        Ok(Values::new())
    }
}

/// The SSA types of a value in memory, with their offsets in bytes.
fn with_offsets(ty: &Ty) -> impl Iterator<Item = (Type, i32)> {
    layout::flatten(ty).into_iter().scan(0, |offset, ty| {
        let at = *offset;
        *offset += ty.bytes() as i32;
        Some((ty, at))
    })
}

/// The scalar that this type is.
///
/// Operators apply to scalars only: whatever else comes here is a mistake of checking.
pub(super) fn scalar_of(ty: &Ty) -> Scalar {
    match ty {
        Ty::Scalar(scalar) => *scalar,
        Ty::Unit | Ty::Never | Ty::Dim3 | Ty::Slice { .. } | Ty::Array(..) | Ty::Shared(_) => {
            unreachable!("checking admits operators on scalars only, not on {ty:?}")
        }
    }
}
