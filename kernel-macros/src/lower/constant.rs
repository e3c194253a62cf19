//! Constants: scalars, aggregates, and tables of them in memory.

use ptx_gen::ir::Space;

use super::layout;
use super::memory::Memory;
use super::{Lowerer, Values};
use crate::typed::{self, ConstValue, Constant, Ty};

/// Constant memory of a module, in bytes (CUDA C++ Programming Guide, technical specifications).
const MAX_CONSTANTS: u64 = 64 * 1024;

impl Lowerer<'_> {
    /// A constant of a scalar type.
    pub(super) fn constant(&mut self, value: ConstValue) -> Values {
        vec![self.b.constant(layout::scalar_type(value.ty), value.bits)]
    }

    /// The SSA values of a constant.
    pub(super) fn constant_values(&mut self, value: &Constant, ty: &Ty) -> Values {
        match (value, ty) {
            (_, Ty::Ref { inner, .. }) => {
                let memory = self.constant_in_memory(value, inner);
                vec![self.generic_address(&memory)]
            }
            (Constant::Aggregate(parts), Ty::Slice { element, .. }) => {
                let memory = self.constant_in_memory(value, &Ty::Array(element.clone(), parts.len() as u64));
                vec![self.generic_address(&memory), self.i64(parts.len() as u64)]
            }
            (Constant::Scalar(value), _) => self.constant(*value),
            (Constant::Option(Some(value)), Ty::Option(inner)) => {
                let mut values = self.constant_values(value, inner);
                values.push(self.bool(true));
                values
            }
            // Nobody looks at the value of `None`.
            (Constant::Option(_), _) => self.zeros(ty),
            (Constant::Aggregate(parts), _) => {
                let mut values = Values::new();
                for (index, part) in parts.iter().enumerate() {
                    let ty = self.types.part(ty, index).ty;
                    values.extend(self.constant_values(part, &ty));
                }
                values
            }
        }
    }

    /// A value of this type whose every bit is zero: `None` of an `Option`, a field that a variant does not have.
    pub(super) fn zeros(&mut self, ty: &Ty) -> Values {
        self.types.flatten(ty).into_iter().map(|ty| self.b.constant(ty, 0)).collect()
    }

    /// The constant in memory, to be indexed by a number that is known only when the kernel runs.
    pub(super) fn constant_table(&mut self, value: &Constant, ty: &Ty) -> Memory {
        if self.holds_address(ty) {
            let values = self.constant_values(value, ty);
            return self.temporary(ty, &values);
        }
        let size = self.types.size_of(ty);
        let mut bytes = vec![0; size.min(MAX_CONSTANTS) as usize];
        if size <= MAX_CONSTANTS {
            self.write_constant(value, ty, &mut bytes);
        }
        let align = self.types.align_of(ty) as u32;
        let known =
            self.b.function().consts.iter().find(|(_, data)| data.bytes == bytes && data.align >= align);
        let var = match known.map(|(var, _)| var) {
            Some(var) => var,
            None => {
                self.count_constants(size, u64::from(align));
                self.b.add_const("table", bytes, align)
            }
        };
        let address = self.b.const_address(var);
        Memory { space: Space::Const, address, offset: 0, ty: ty.clone() }
    }

    /// Returns true if values of the type hold addresses, which are known only when the kernel is loaded.
    fn holds_address(&self, ty: &Ty) -> bool {
        let is_address = |part: &Ty| matches!(part, Ty::Ref { .. } | Ty::Ptr { .. } | Ty::Slice { .. });
        typed::holds(ty, &self.kernel.structs, is_address)
    }

    /// Refuses the table with which there are too many.
    fn count_constants(&mut self, size: u64, align: u64) {
        let before = self.table_bytes;
        let total = before.next_multiple_of(align.max(1)).saturating_add(size);
        self.table_bytes = total.min(MAX_CONSTANTS + 1);
        if total > MAX_CONSTANTS && before <= MAX_CONSTANTS {
            self.refuse(format!(
                "expected at most {MAX_CONSTANTS} bytes of constants that are indexed in a kernel, found {total} with this one\nhelp: \
                 pass the table in a buffer, as a slice"
            ));
        }
    }

    fn write_constant(&self, value: &Constant, ty: &Ty, bytes: &mut [u8]) {
        match (value, ty) {
            (Constant::Scalar(value), _) => {
                // Fields of an enum's variants may share bytes: what the variant does not have is zero.
                bytes.iter_mut().zip(value.bits.to_le_bytes()).for_each(|(byte, bits)| *byte |= bits);
            }
            (Constant::Option(Some(inner)), Ty::Option(inner_ty)) => {
                let size = self.types.size_of(inner_ty) as usize;
                self.write_constant(inner, inner_ty, &mut bytes[..size]);
                bytes[size] = 1;
            }
            (Constant::Option(_), _) => {}
            (Constant::Aggregate(parts), _) => {
                for (index, value) in parts.iter().enumerate() {
                    let part = self.types.part(ty, index);
                    let (at, size) = (part.offset as usize, self.types.size_of(&part.ty) as usize);
                    self.write_constant(value, &part.ty, &mut bytes[at..at + size]);
                }
            }
        }
    }

    /// The constant in memory that references may refer to: arrays are where all threads read them, the rest is copied.
    pub(super) fn constant_in_memory(&mut self, value: &Constant, ty: &Ty) -> Memory {
        if self.types.has_array(ty) && self.types.size_of(ty) > 0 {
            return self.constant_table(value, ty);
        }
        let values = self.constant_values(value, ty);
        self.temporary(ty, &values)
    }
}
