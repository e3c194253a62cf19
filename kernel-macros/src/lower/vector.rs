//! Vectors: their lanes together, and in slices of lanes.

use ptx_gen::ir::{BinaryOp as Op, IntCond, PanicKind, Value};

use super::aggregate::element_of;
use super::memory::Memory;
use super::{Lowered, Lowerer, Values};
use crate::typed::{BinaryOp, Expr, Ty};

impl Lowerer<'_> {
    /// `v.sum()`: the lanes in order.
    pub(super) fn sum_of_lanes(&mut self, vector: &Expr) -> Lowered {
        let lanes = self.expr(vector)?;
        let scalar = self.types.scalar(&vector.ty);
        let mut sum = lanes[0];
        for &lane in &lanes[1..] {
            sum = self.binary_values(BinaryOp::Add, (sum, scalar), (lane, scalar));
        }
        Ok(vec![sum])
    }

    /// `F32x4::load(slice, i)`
    pub(super) fn load_vector(&mut self, args: &[Expr], ty: &Ty) -> Lowered {
        let slice = self.expr(&args[0])?;
        let index = self.scalar(&args[1])?;
        let place = self.vector_in_slice(&slice, element_of(&args[0].ty), index, ty);
        Ok(self.read_memory(&place))
    }

    /// `v.store(slice, i)`
    pub(super) fn store_vector(&mut self, args: &[Expr]) -> Lowered {
        let values = self.expr(&args[0])?;
        let slice = self.expr(&args[1])?;
        let index = self.scalar(&args[2])?;
        let place = self.vector_in_slice(&slice, element_of(&args[1].ty), index, &args[0].ty);
        self.write_memory(&place, &values);
        Ok(Values::new())
    }

    /// The vector that begins with the element at `index`, once bounds and alignment are checked.
    fn vector_in_slice(&mut self, slice: &[Value], lane: &Ty, index: Value, ty: &Ty) -> Memory {
        let lanes = self.types.part_count(ty) as u64;
        // `index + lanes <= len`, so that nothing wraps.
        let last = self.i64(lanes - 1);
        let len = self.b.binary(Op::UMax, slice[1], last);
        let starts = self.b.binary_nuw(Op::Sub, len, last);
        let inside = self.b.int_compare(IntCond::ULt, index, starts);
        let count = self.i64(lanes);
        let end = self.b.binary(Op::Add, index, count);
        self.check(inside, PanicKind::SliceEnd, vec![end, slice[1]]);
        let first = Memory::behind(slice[0], lane.clone());
        let place = Memory { ty: ty.clone(), ..self.element_of_memory(&first, lane, index) };
        let address = self.generic_address(&place);
        let mask = self.i64(self.types.align_of(ty) - 1);
        let beyond = self.b.binary(Op::And, address, mask);
        let aligned = self.is_zero(beyond, IntCond::Eq);
        self.check(aligned, PanicKind::Misaligned, vec![index, count]);
        place
    }
}
