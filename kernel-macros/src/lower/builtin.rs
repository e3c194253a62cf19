//! Functions and methods that the language knows.

use ptx_gen::ir::{
    BinaryOp as Op, ConvertOp, FloatCond, InstData, IntCond, ShuffleMode, SpecialRegister, Type,
    UnaryOp as IrUnary, Value,
};

use super::place::scalar_of;
use super::{Lowered, Lowerer, Values, layout};
use crate::builtins::Builtin;
use crate::typed::{Expr, ExprKind, Scalar, Ty};

const THREAD: [SpecialRegister; 3] = [SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ];
const BLOCK: [SpecialRegister; 3] =
    [SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ];
const BLOCK_SIZE: [SpecialRegister; 3] =
    [SpecialRegister::NtidX, SpecialRegister::NtidY, SpecialRegister::NtidZ];
const GRID_SIZE: [SpecialRegister; 3] =
    [SpecialRegister::NctaidX, SpecialRegister::NctaidY, SpecialRegister::NctaidZ];

/// The lanes that take part in a shuffle: all.
const ALL_LANES: u64 = 0xffff_ffff;

impl Lowerer<'_> {
    /// A call of a builtin, of type `ty`.
    pub(super) fn call(&mut self, builtin: Builtin, args: &[Expr], ty: &Ty) -> Lowered {
        match builtin {
            Builtin::ThreadIdx
            | Builtin::BlockIdx
            | Builtin::BlockDim
            | Builtin::GridDim
            | Builtin::GlobalIdx
            | Builtin::GlobalSize => Ok((0..3).map(|axis| self.position(builtin, axis)).collect()),
            Builtin::LaneId => {
                let lane = self.b.special(SpecialRegister::LaneId);
                Ok(vec![self.b.convert(ConvertOp::ZeroExtend, lane, Type::I64)])
            }
            Builtin::WarpId => Ok(vec![self.warp_id()]),
            Builtin::Barrier => {
                self.b.push_effect(InstData::Barrier);
                Ok(Values::new())
            }
            Builtin::Shared => Ok(self.shared_variable(ty, "shared".into())),
            Builtin::Len => self.len(&args[0]),
            Builtin::ShflUp => self.shuffle(ShuffleMode::Up, args),
            Builtin::ShflDown => self.shuffle(ShuffleMode::Down, args),
            Builtin::ShflXor => self.shuffle(ShuffleMode::Xor, args),
            Builtin::ShflIdx => self.shuffle(ShuffleMode::Idx, args),
            Builtin::Sqrt
            | Builtin::Abs
            | Builtin::Min
            | Builtin::Max
            | Builtin::Clamp
            | Builtin::MulAdd
            | Builtin::Floor
            | Builtin::Ceil
            | Builtin::Trunc
            | Builtin::RoundTiesEven
            | Builtin::Copysign
            | Builtin::Recip
            | Builtin::IsNan
            | Builtin::IsInfinite
            | Builtin::IsFinite
            | Builtin::ToBits
            | Builtin::FromBits
            | Builtin::WrappingAdd
            | Builtin::WrappingSub
            | Builtin::WrappingMul
            | Builtin::WrappingNeg
            | Builtin::WrappingShl
            | Builtin::WrappingShr
            | Builtin::AbsDiff
            | Builtin::UnsignedAbs
            | Builtin::Signum
            | Builtin::CountOnes
            | Builtin::CountZeros
            | Builtin::LeadingZeros
            | Builtin::TrailingZeros
            | Builtin::RotateLeft
            | Builtin::RotateRight
            | Builtin::ReverseBits
            | Builtin::SwapBytes
            | Builtin::IsPowerOfTwo => {
                let values = args.iter().map(|arg| self.scalar(arg)).collect::<Lowered>()?;
                let receiver = scalar_of(&args[0].ty);
                Ok(vec![self.arithmetic_builtin(builtin, &values, receiver, scalar_of(ty))])
            }
        }
    }

    /// `.x`, `.y`, `.z`; of a call only the axis asked for is computed.
    pub(super) fn axis(&mut self, base: &Expr, axis: usize) -> Lowered {
        match &base.kind {
            ExprKind::Call { builtin, args } if args.is_empty() => Ok(vec![self.position(*builtin, axis)]),
            _ => Ok(vec![self.expr(base)?[axis]]),
        }
    }

    /// One axis of where a thread is, as a `usize`. Special registers have 32 bits, and a launch checks that products fit.
    fn position(&mut self, builtin: Builtin, axis: usize) -> Value {
        let value = if builtin == Builtin::GlobalIdx {
            let block = self.b.special(BLOCK[axis]);
            let size = self.b.special(BLOCK_SIZE[axis]);
            let before = self.b.binary_nuw(Op::Mul, block, size);
            let thread = self.b.special(THREAD[axis]);
            self.b.binary_nuw(Op::Add, before, thread)
        } else if builtin == Builtin::GlobalSize {
            let grid = self.b.special(GRID_SIZE[axis]);
            let size = self.b.special(BLOCK_SIZE[axis]);
            self.b.binary_nuw(Op::Mul, grid, size)
        } else {
            let registers = [
                (Builtin::ThreadIdx, THREAD),
                (Builtin::BlockIdx, BLOCK),
                (Builtin::BlockDim, BLOCK_SIZE),
                (Builtin::GridDim, GRID_SIZE),
            ];
            let row = registers.iter().find(|row| row.0 == builtin);
            let (_, registers) = row.expect("only these have the type Dim3");
            self.b.special(registers[axis])
        };
        self.b.convert(ConvertOp::ZeroExtend, value, Type::I64)
    }

    /// The thread's index in its block, x fastest, over 32. A block has at most 1024 threads.
    fn warp_id(&mut self) -> Value {
        let z = self.b.special(THREAD[2]);
        let height = self.b.special(BLOCK_SIZE[1]);
        let rows = self.b.binary_nuw(Op::Mul, z, height);
        let y = self.b.special(THREAD[1]);
        let row = self.b.binary_nuw(Op::Add, rows, y);
        let width = self.b.special(BLOCK_SIZE[0]);
        let before = self.b.binary_nuw(Op::Mul, row, width);
        let x = self.b.special(THREAD[0]);
        let linear = self.b.binary_nuw(Op::Add, before, x);
        let five = self.b.constant(Type::I32, 5);
        let warp = self.b.binary(Op::LShr, linear, five);
        self.b.convert(ConvertOp::ZeroExtend, warp, Type::I64)
    }

    /// Declares a variable in static shared memory; its value is its address.
    pub(super) fn shared_variable(&mut self, ty: &Ty, name: String) -> Values {
        let (Ty::Shared(inner) | Ty::Array(inner, _)) = ty else {
            unreachable!("checking gives `shared` its type")
        };
        let bytes = u32::try_from(layout::size_of(inner)).unwrap_or(u32::MAX);
        let align = layout::align_of(inner) as u32;
        let name = self.unique_shared_name(name);
        let var = self.b.add_shared(name, bytes, align);
        vec![self.b.push(InstData::SharedAddress { var }, Type::I32)]
    }

    fn unique_shared_name(&mut self, name: String) -> String {
        let mut unique = name.clone();
        let mut number = 1;
        while self.b.function().shared.values().any(|data| data.name == unique) {
            unique = format!("{name}_{number}");
            number += 1;
        }
        unique
    }

    fn len(&mut self, of: &Expr) -> Lowered {
        let values = self.expr(of)?;
        match &of.ty {
            Ty::Slice { .. } => Ok(vec![values[1]]),
            Ty::Shared(inner) => match **inner {
                Ty::Array(_, len) => Ok(vec![self.i64(len)]),
                Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Slice { .. } | Ty::Shared(_) => {
                    unreachable!("checking admits only arrays in shared memory")
                }
            },
            Ty::Unit | Ty::Never | Ty::Scalar(_) | Ty::Dim3 | Ty::Array(..) => {
                unreachable!("checking admits `len` of slices and shared arrays only")
            }
        }
    }

    // Shuffles.

    fn shuffle(&mut self, mode: ShuffleMode, args: &[Expr]) -> Lowered {
        let value = self.scalar(&args[0])?;
        let lane = self.scalar(&args[1])?;
        Ok(vec![self.shuffle_value(mode, value, lane)])
    }

    /// A value of any type by shuffles of 32 bits.
    fn shuffle_value(&mut self, mode: ShuffleMode, value: Value, lane: Value) -> Value {
        let ty = self.b.ty(value);
        match ty {
            Type::I32 | Type::F32 | Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => {
                self.shuffle_word(mode, value, lane)
            }
            Type::I8 | Type::I16 => {
                let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
                let moved = self.shuffle_word(mode, wide, lane);
                self.b.convert(ConvertOp::Truncate, moved, ty)
            }
            Type::Bool => {
                let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
                let moved = self.shuffle_word(mode, wide, lane);
                self.is_zero(moved, IntCond::Ne)
            }
            Type::I64 => {
                let half = self.i64(32);
                let low = self.b.convert(ConvertOp::Truncate, value, Type::I32);
                let high = self.b.binary(Op::LShr, value, half);
                let high = self.b.convert(ConvertOp::Truncate, high, Type::I32);
                let low = self.shuffle_word(mode, low, lane);
                let high = self.shuffle_word(mode, high, lane);
                let low = self.b.convert(ConvertOp::ZeroExtend, low, Type::I64);
                let high = self.b.convert(ConvertOp::ZeroExtend, high, Type::I64);
                let high = self.b.binary(Op::Shl, high, half);
                self.b.binary(Op::Or, high, low)
            }
            Type::F64 => {
                let bits = self.b.convert(ConvertOp::Bitcast, value, Type::I64);
                let moved = self.shuffle_value(mode, bits, lane);
                self.b.convert(ConvertOp::Bitcast, moved, Type::F64)
            }
        }
    }

    fn shuffle_word(&mut self, mode: ShuffleMode, value: Value, lane: Value) -> Value {
        // The segment is the warp: mask 0 in bits 12:8; the clamp is its first lane for `up`, else its last.
        let clamp = match mode {
            ShuffleMode::Up => 0,
            ShuffleMode::Down | ShuffleMode::Xor | ShuffleMode::Idx => 0x1f,
        };
        let clamp = self.b.constant(Type::I32, clamp);
        let members = self.b.constant(Type::I32, ALL_LANES);
        let ty = self.b.ty(value);
        self.b.push(InstData::Shuffle { mode, value, lane, clamp, members }, ty)
    }

    // Arithmetic.

    /// Functions of scalars; `ty` is the receiver's type, `result` that of the call.
    fn arithmetic_builtin(&mut self, builtin: Builtin, args: &[Value], ty: Scalar, result: Scalar) -> Value {
        let arg = |index: usize| args[index];
        let pick = |float, signed, unsigned| match () {
            () if ty.is_float() => float,
            () if ty.is_signed() => signed,
            () => unsigned,
        };
        match builtin {
            Builtin::Sqrt => self.b.unary(IrUnary::Sqrt, arg(0)),
            Builtin::Floor => self.b.unary(IrUnary::Floor, arg(0)),
            Builtin::Ceil => self.b.unary(IrUnary::Ceil, arg(0)),
            Builtin::Trunc => self.b.unary(IrUnary::Trunc, arg(0)),
            Builtin::RoundTiesEven => self.b.unary(IrUnary::RoundEven, arg(0)),
            Builtin::Copysign => self.b.binary(Op::CopySign, arg(0), arg(1)),
            Builtin::MulAdd => self.b.fma(arg(0), arg(1), arg(2)),
            Builtin::Recip => {
                let one = self.float(ty, 1.0);
                self.b.binary(Op::FDiv, one, arg(0))
            }
            Builtin::Abs if ty.is_float() => self.b.unary(IrUnary::FAbs, arg(0)),
            Builtin::Abs | Builtin::UnsignedAbs => {
                let negated = self.b.unary(IrUnary::Neg, arg(0));
                // MIN is its own negation, so it stays, as `wrapping_abs` has it.
                self.b.binary(Op::SMax, arg(0), negated)
            }
            Builtin::Min => self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), arg(0), arg(1)),
            Builtin::Max => self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1)),
            Builtin::Clamp => {
                let raised = self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1));
                let clamped = self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), raised, arg(2));
                if !ty.is_float() {
                    return clamped;
                }
                let is_nan = self.b.float_compare(FloatCond::Ne, arg(0), arg(0));
                self.b.select(is_nan, arg(0), clamped)
            }
            Builtin::IsNan => self.b.float_compare(FloatCond::Ne, arg(0), arg(0)),
            Builtin::IsInfinite => self.compare_with_infinity(FloatCond::Eq, arg(0), ty),
            Builtin::IsFinite => self.compare_with_infinity(FloatCond::Lt, arg(0), ty),
            Builtin::ToBits | Builtin::FromBits => {
                self.b.convert(ConvertOp::Bitcast, arg(0), layout::scalar_type(result))
            }
            Builtin::WrappingAdd => self.b.binary(Op::Add, arg(0), arg(1)),
            Builtin::WrappingSub => self.b.binary(Op::Sub, arg(0), arg(1)),
            Builtin::WrappingMul => self.b.binary(Op::Mul, arg(0), arg(1)),
            Builtin::WrappingNeg => self.b.unary(IrUnary::Neg, arg(0)),
            Builtin::WrappingShl => self.shift(Op::Shl, arg(0), arg(1)),
            Builtin::WrappingShr => self.shift(pick(Op::LShr, Op::AShr, Op::LShr), arg(0), arg(1)),
            Builtin::AbsDiff => {
                let larger = self.b.binary(pick(Op::FMax, Op::SMax, Op::UMax), arg(0), arg(1));
                let smaller = self.b.binary(pick(Op::FMin, Op::SMin, Op::UMin), arg(0), arg(1));
                self.b.binary(Op::Sub, larger, smaller)
            }
            Builtin::Signum => {
                let ty = self.b.ty(arg(0));
                let (one, minus_one) = (self.b.constant(ty, 1), self.b.constant(ty, u64::MAX));
                let at_most = self.b.binary(Op::SMin, arg(0), one);
                self.b.binary(Op::SMax, at_most, minus_one)
            }
            Builtin::CountOnes => self.count(IrUnary::PopCount, arg(0)),
            Builtin::CountZeros => {
                let inverted = self.b.unary(IrUnary::Not, arg(0));
                self.count(IrUnary::PopCount, inverted)
            }
            Builtin::LeadingZeros => self.count(IrUnary::LeadingZeros, arg(0)),
            Builtin::TrailingZeros => self.count(IrUnary::TrailingZeros, arg(0)),
            Builtin::RotateLeft => self.rotate(Op::Shl, Op::LShr, arg(0), arg(1)),
            Builtin::RotateRight => self.rotate(Op::LShr, Op::Shl, arg(0), arg(1)),
            Builtin::ReverseBits => self.b.unary(IrUnary::ReverseBits, arg(0)),
            Builtin::SwapBytes => self.swap_bytes(arg(0)),
            Builtin::IsPowerOfTwo => {
                let ones = self.count(IrUnary::PopCount, arg(0));
                let one = self.b.constant(Type::I32, 1);
                self.b.int_compare(IntCond::Eq, ones, one)
            }
            Builtin::ThreadIdx
            | Builtin::BlockIdx
            | Builtin::BlockDim
            | Builtin::GridDim
            | Builtin::GlobalIdx
            | Builtin::GlobalSize
            | Builtin::LaneId
            | Builtin::WarpId
            | Builtin::Barrier
            | Builtin::Shared
            | Builtin::ShflUp
            | Builtin::ShflDown
            | Builtin::ShflXor
            | Builtin::ShflIdx
            | Builtin::Len => unreachable!("`call` sends only functions of scalars here"),
        }
    }

    fn float(&mut self, ty: Scalar, value: f64) -> Value {
        match layout::scalar_type(ty) {
            Type::F32 => self.b.constant(Type::F32, u64::from((value as f32).to_bits())),
            ty => self.b.constant(ty, value.to_bits()),
        }
    }

    fn compare_with_infinity(&mut self, cond: FloatCond, value: Value, ty: Scalar) -> Value {
        let magnitude = self.b.unary(IrUnary::FAbs, value);
        let infinity = self.float(ty, f64::INFINITY);
        self.b.float_compare(cond, magnitude, infinity)
    }

    /// A count as the `u32` that Rust gives.
    fn count(&mut self, op: IrUnary, value: Value) -> Value {
        let count = self.b.unary(op, value);
        self.resize(count, Scalar::U32, Type::I32)
    }

    fn shift(&mut self, op: Op, value: Value, amount: Value) -> Value {
        let amount = self.resize(amount, Scalar::U32, self.b.ty(value));
        self.b.binary(op, value, amount)
    }

    /// Two shifts; amounts count modulo the width, so the other way is by the negated amount.
    fn rotate(&mut self, forth: Op, back: Op, value: Value, amount: Value) -> Value {
        let amount = self.resize(amount, Scalar::U32, self.b.ty(value));
        let rest = self.b.unary(IrUnary::Neg, amount);
        let forth = self.b.binary(forth, value, amount);
        let back = self.b.binary(back, value, rest);
        self.b.binary(Op::Or, forth, back)
    }

    fn rotate_by(&mut self, value: Value, amount: u64) -> Value {
        let amount = self.b.constant(Type::I32, amount);
        self.rotate(Op::Shl, Op::LShr, value, amount)
    }

    fn swap_bytes(&mut self, value: Value) -> Value {
        match self.b.ty(value) {
            Type::I16 => self.rotate_by(value, 8),
            Type::I32 => {
                let (even, odd) =
                    (self.b.constant(Type::I32, 0x00ff_00ff), self.b.constant(Type::I32, 0xff00_ff00));
                let left = self.rotate_by(value, 8);
                let left = self.b.binary(Op::And, left, even);
                let right = self.rotate_by(value, 24);
                let right = self.b.binary(Op::And, right, odd);
                self.b.binary(Op::Or, left, right)
            }
            Type::I64 => {
                let half = self.i64(32);
                let low = self.b.convert(ConvertOp::Truncate, value, Type::I32);
                let high = self.b.binary(Op::LShr, value, half);
                let high = self.b.convert(ConvertOp::Truncate, high, Type::I32);
                let (low, high) = (self.swap_bytes(low), self.swap_bytes(high));
                let low = self.b.convert(ConvertOp::ZeroExtend, low, Type::I64);
                let high = self.b.convert(ConvertOp::ZeroExtend, high, Type::I64);
                let low = self.b.binary(Op::Shl, low, half);
                self.b.binary(Op::Or, low, high)
            }
            Type::Bool | Type::I8 | Type::F32 | Type::F64 => value,
            Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => value,
        }
    }
}
