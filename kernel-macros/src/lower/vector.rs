//! Vectors: their lanes together, and in slices of lanes.

use ptx_gen::inline::placeholder;
use ptx_gen::ir::{BinaryOp as Op, Collective, InlineData, InstData, IntCond, PanicKind, Space, Type, Value};

use super::aggregate::element_of;
use super::layout::scalar_type;
use super::memory::Memory;
use super::{Lowered, Lowerer, Values};
use crate::builtins::Builtin;
use crate::typed::{BinaryOp, Expr, Ty};

/// Bits in a row of a matrix that `ldmatrix` loads.
const BITS_OF_ROW: u32 = 128;

const NOT_IN_SHARED_MEMORY: &str = "expected rows of a matrix in shared memory, found a slice that may be elsewhere\nhelp: hand over a \
     variable made with `shared::<[f16; N]>()`, by its name or as a part of it: `&tile[start..]`";

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

    /// `F16x8::load_matrix(slice, i)` and its like: one `ldmatrix` (PTX ISA), once each lane has checked its row of eight elements. The
    /// registers are pairs of lanes of the vector, or its words.
    pub(super) fn load_matrix(&mut self, builtin: Builtin, args: &[Expr], ty: &Ty) -> Lowered {
        let transposed =
            matches!(builtin, Builtin::LoadMatrixTransposed | Builtin::LoadMatrixTransposedUnchecked);
        let unchecked =
            matches!(builtin, Builtin::LoadMatrixUnchecked | Builtin::LoadMatrixTransposedUnchecked);
        let slice = self.expr(&args[0])?;
        let index = self.scalar(&args[1])?;
        let lane = element_of(&args[0].ty);
        let scalar = self.types.scalar(lane);
        let row = Ty::Vector(scalar, BITS_OF_ROW / scalar.bits());
        let place = match unchecked {
            true => self.vector_in_slice_unchecked(&slice, lane, index, &row),
            false => self.vector_in_slice(&slice, lane, index, &row),
        };
        // The library's elements are those of tiles, which are nowhere else.
        if self.shared_memory(slice[0]).is_none() && !(unchecked && self.function().is_library) {
            self.refuse(NOT_IN_SHARED_MEMORY.to_owned());
        }
        let address = self.generic_address(&place);
        let (register, lanes) = match scalar_type(scalar) {
            Type::BF16 => (Type::BF16x2, 2),
            Type::F16 => (Type::F16x2, 2),
            word => (word, 1),
        };
        let count = self.types.part_count(ty) / lanes;
        let outs: Vec<String> = (0..count).map(placeholder).collect();
        let (outs, trans) = (outs.join(", "), if transposed { ".trans" } else { "" });
        let text = format!(
            ".reg .b64 %row;\ncvta.to.shared.u64 %row, {};\nldmatrix.sync.aligned.m8n8.x{count}{trans}.shared.b16 {{{outs}}}, [%row];",
            placeholder(count)
        );
        let (outs, ins) = (vec![register; count], vec![Type::I64]);
        let asm = self.b.add_inline(InlineData {
            text,
            outs,
            ins,
            memory: true,
            collective: Some(Collective::Warp),
        });
        let registers = self.b.inline(asm, vec![address], false);
        if lanes == 1 {
            return Ok(registers);
        }
        Ok(registers
            .into_iter()
            .flat_map(|pair| [self.b.extract(pair, 0), self.b.extract(pair, 1)])
            .collect())
    }

    /// The address in the shared space of the variable with an element at this generic address, if it is known to be of one.
    fn shared_memory(&mut self, address: Value) -> Option<Value> {
        match self.b.function().def(address) {
            Some(&InstData::ToGeneric { space: Space::Shared, address }) => Some(address),
            Some(&InstData::Binary { op: Op::Add | Op::Sub, args: [base, offset], .. }) => {
                self.shared_memory(base).or_else(|| self.shared_memory(offset))
            }
            _ => None,
        }
    }

    /// Aligns the shared variable that a slice is part of, if it is one, so that vectors may begin at multiples of their lanes.
    fn align_shared_variable(&mut self, slice: Value, align: u64) {
        let Some(address) = self.shared_memory(slice) else { return };
        let mut address = address;
        while let Some(&InstData::Binary { args: [base, _], .. }) = self.b.function().def(address) {
            address = base;
        }
        if let Some(&InstData::SharedAddress { var }) = self.b.function().def(address) {
            let data = &mut self.b.function().shared[var];
            data.align = data.align.max(align as u32);
        }
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
        let place = self.vector_in_slice_unchecked(slice, lane, index, ty);
        let address = self.generic_address(&place);
        let mask = self.i64(self.types.align_of(ty) - 1);
        let beyond = self.b.binary(Op::And, address, mask);
        let aligned = self.is_zero(beyond, IntCond::Eq);
        self.check(aligned, PanicKind::Misaligned, vec![index, count]);
        place
    }

    /// The vector that begins with the element at `index`.
    fn vector_in_slice_unchecked(&mut self, slice: &[Value], lane: &Ty, index: Value, ty: &Ty) -> Memory {
        self.align_shared_variable(slice[0], self.types.align_of(ty));
        let first = Memory::behind(slice[0], lane.clone());
        Memory { ty: ty.clone(), ..self.element_of_memory(&first, lane, index) }
    }
}
