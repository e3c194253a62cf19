//! Constants: scalars, aggregates, and tables of them.

use super::layout;
use super::memory::Memory;
use super::{Lowerer, Values};
use crate::typed::{ConstValue, Constant, Ty};

impl Lowerer<'_> {
    /// A constant of a scalar type.
    pub(super) fn constant(&mut self, value: ConstValue) -> Values {
        vec![self.b.constant(layout::scalar_type(value.ty), value.bits)]
    }

    /// The SSA values of a constant.
    pub(super) fn constant_values(&mut self, value: &Constant, ty: &Ty) -> Values {
        match (value, ty) {
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

    /// A value of this type whose every bit is zero: `None` of an `Option`.
    pub(super) fn zeros(&mut self, ty: &Ty) -> Values {
        self.types.flatten(ty).into_iter().map(|ty| self.b.constant(ty, 0)).collect()
    }

    /// The constant in memory, to be indexed or referred to.
    pub(super) fn constant_in_memory(&mut self, value: &Constant, ty: &Ty) -> Memory {
        let values = self.constant_values(value, ty);
        self.temporary(ty, &values)
    }
}
