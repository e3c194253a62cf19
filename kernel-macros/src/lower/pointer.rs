//! Raw pointers: generic addresses, as references are, and what is done without checks.

use ptx_gen::ir::{BinaryOp as Op, IntCond, Value};

use super::aggregate::element_of;
use super::memory::Memory;
use super::{Lowered, Lowerer, Values};
use crate::builtins::Builtin;
use crate::typed::{Expr, Ty};

impl Lowerer<'_> {
    /// A function or method of pointers, or one that makes one; `ty` is that of its value.
    pub(super) fn pointer_call(&mut self, builtin: Builtin, args: &[Expr], ty: &Ty) -> Lowered {
        let pointee = args.first().map_or(&Ty::Unit, |pointer| pointee(&pointer.ty));
        let size = self.types.size_of(pointee);
        Ok(match builtin {
            Builtin::PtrNull => self.zeros(ty),
            Builtin::SliceAsPtr => vec![self.expr(&args[0])?[0]],
            Builtin::SliceFromRaw => self.concat(args)?,
            Builtin::PtrRead | Builtin::PtrReadVolatile => {
                let address = self.scalar(&args[0])?;
                self.is_volatile = builtin == Builtin::PtrReadVolatile;
                let values = self.read_memory(&Memory::behind(address, pointee.clone()));
                self.is_volatile = false;
                values
            }
            Builtin::PtrWrite | Builtin::PtrWriteVolatile => {
                let address = self.scalar(&args[0])?;
                let values = self.expr(&args[1])?;
                self.is_volatile = builtin == Builtin::PtrWriteVolatile;
                self.write_memory(&Memory::behind(address, pointee.clone()), &values);
                self.is_volatile = false;
                Values::new()
            }
            Builtin::PtrIsNull => {
                let (address, null) = (self.scalar(&args[0])?, self.i64(0));
                vec![self.b.int_compare(IntCond::Eq, address, null)]
            }
            Builtin::PtrAdd => {
                let (address, count) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                vec![self.slice_from(address, pointee, count)]
            }
            Builtin::PtrOffset => self.moved(args, Op::Add, size)?,
            Builtin::PtrSub => self.moved(args, Op::Sub, size)?,
            Builtin::PtrByteOffset => self.moved(args, Op::Add, 1)?,
            Builtin::PtrByteSub => self.moved(args, Op::Sub, 1)?,
            Builtin::PtrOffsetFrom => {
                let (to, from) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
                let (bytes, size) = (self.b.binary(Op::Sub, to, from), self.i64(size.max(1)));
                vec![self.b.binary(Op::SDiv, bytes, size)]
            }
            _ => unreachable!("{builtin:?} is not of pointers"),
        })
    }

    /// The pointer so many times `size` bytes further on, or back. The number may be negative.
    fn moved(&mut self, args: &[Expr], op: Op, size: u64) -> Lowered {
        let (address, count) = (self.scalar(&args[0])?, self.scalar(&args[1])?);
        let bytes: Value = match size {
            1 => count,
            size => {
                let size = self.i64(size);
                self.b.binary(Op::Mul, count, size)
            }
        };
        Ok(vec![self.b.binary(op, address, bytes)])
    }

    /// `slice.get_unchecked(index)`: the address of the element.
    pub(super) fn get_unchecked(&mut self, slice: &Expr, index: &Expr) -> Lowered {
        let element = element_of(&slice.ty).clone();
        let first = self.expr(slice)?[0];
        let index = self.scalar(index)?;
        Ok(vec![self.slice_from(first, &element, index)])
    }
}

fn pointee(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ptr { inner, .. } => inner,
        other => other,
    }
}
