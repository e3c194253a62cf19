//! The table of instructions with two operands.

use crate::exact::div64;
use crate::exec::table::operations;
use crate::float::{
    Float, Rounding, add32, add64, div32, div32_approx, mul32, mul32_flushed, mul64, propagate, sub64,
};
use crate::integer::{Integer, bit_mask};
use crate::registers::{Class, Lane, Registers, Slot, apply2};

operations! {
    /// Instructions with two operands.
    Binary by apply2[2] {
        "add.u16" | "add.s16" => Add16(a: u16, b: u16) -> u16 = a.wrapping_add(b);
        "add.u32" | "add.s32" => Add32(a: u32, b: u32) -> u32 = a.wrapping_add(b);
        "add.u64" | "add.s64" => Add64(a: u64, b: u64) -> u64 = a.wrapping_add(b);
        "add.sat.s32" => AddSatS32(a: i32, b: i32) -> i32 = a.saturating_add(b);
        "sub.u16" | "sub.s16" => Sub16(a: u16, b: u16) -> u16 = a.wrapping_sub(b);
        "sub.u32" | "sub.s32" => Sub32(a: u32, b: u32) -> u32 = a.wrapping_sub(b);
        "sub.u64" | "sub.s64" => Sub64(a: u64, b: u64) -> u64 = a.wrapping_sub(b);
        "sub.sat.s32" => SubSatS32(a: i32, b: i32) -> i32 = a.saturating_sub(b);
        "mul.lo.u16" | "mul.lo.s16" => MulLo16(a: u16, b: u16) -> u16 = a.wrapping_mul(b);
        "mul.lo.u32" | "mul.lo.s32" => MulLo32(a: u32, b: u32) -> u32 = a.wrapping_mul(b);
        "mul.lo.u64" | "mul.lo.s64" => MulLo64(a: u64, b: u64) -> u64 = a.wrapping_mul(b);
        "mul.hi.u16" => MulHiU16(a: u16, b: u16) -> u16 = ((u32::from(a) * u32::from(b)) >> 16) as u16;
        "mul.hi.s16" => MulHiS16(a: i16, b: i16) -> i16 = ((i32::from(a) * i32::from(b)) >> 16) as i16;
        "mul.hi.u32" => MulHiU32(a: u32, b: u32) -> u32 = ((u64::from(a) * u64::from(b)) >> 32) as u32;
        "mul.hi.s32" => MulHiS32(a: i32, b: i32) -> i32 = ((i64::from(a) * i64::from(b)) >> 32) as i32;
        "mul.hi.u64" => MulHiU64(a: u64, b: u64) -> u64 = ((u128::from(a) * u128::from(b)) >> 64) as u64;
        "mul.hi.s64" => MulHiS64(a: i64, b: i64) -> i64 = ((i128::from(a) * i128::from(b)) >> 64) as i64;
        "mul.wide.u16" => MulWideU16(a: u16, b: u16) -> u32 = u32::from(a) * u32::from(b);
        "mul.wide.s16" => MulWideS16(a: i16, b: i16) -> i32 = i32::from(a) * i32::from(b);
        "mul.wide.u32" => MulWideU32(a: u32, b: u32) -> u64 = u64::from(a) * u64::from(b);
        "mul.wide.s32" => MulWideS32(a: i32, b: i32) -> i64 = i64::from(a) * i64::from(b);
        "mul24.lo.u32" => Mul24LoU32(a: u32, b: u32) -> u32 = (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff);
        "mul24.lo.s32" => Mul24LoS32(a: i32, b: i32) -> i32 = (a << 8 >> 8).wrapping_mul(b << 8 >> 8);
        "mul24.hi.u32" => Mul24HiU32(a: u32, b: u32) -> u32
            = ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32;
        "mul24.hi.s32" => Mul24HiS32(a: i32, b: i32) -> i32
            = ((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32;
        "div.u16" => DivU16(a: u16, b: u16) -> u16 = a.divide(b);
        "div.s16" => DivS16(a: i16, b: i16) -> i16 = a.divide(b);
        "div.u32" => DivU32(a: u32, b: u32) -> u32 = a.divide(b);
        "div.s32" => DivS32(a: i32, b: i32) -> i32 = a.divide(b);
        "div.u64" => DivU64(a: u64, b: u64) -> u64 = a.divide(b);
        "div.s64" => DivS64(a: i64, b: i64) -> i64 = a.divide(b);
        "rem.u16" => RemU16(a: u16, b: u16) -> u16 = a.remainder(b);
        "rem.s16" => RemS16(a: i16, b: i16) -> i16 = a.remainder(b);
        "rem.u32" => RemU32(a: u32, b: u32) -> u32 = a.remainder(b);
        "rem.s32" => RemS32(a: i32, b: i32) -> i32 = a.remainder(b);
        "rem.u64" => RemU64(a: u64, b: u64) -> u64 = a.remainder(b);
        "rem.s64" => RemS64(a: i64, b: i64) -> i64 = a.remainder(b);
        "min.u16" => MinU16(a: u16, b: u16) -> u16 = a.min(b);
        "min.s16" => MinS16(a: i16, b: i16) -> i16 = a.min(b);
        "min.u32" => MinU32(a: u32, b: u32) -> u32 = a.min(b);
        "min.s32" => MinS32(a: i32, b: i32) -> i32 = a.min(b);
        "min.relu.s32" => MinReluS32(a: i32, b: i32) -> i32 = a.min(b).max(0);
        "min.u64" => MinU64(a: u64, b: u64) -> u64 = a.min(b);
        "min.s64" => MinS64(a: i64, b: i64) -> i64 = a.min(b);
        "max.u16" => MaxU16(a: u16, b: u16) -> u16 = a.max(b);
        "max.s16" => MaxS16(a: i16, b: i16) -> i16 = a.max(b);
        "max.u32" => MaxU32(a: u32, b: u32) -> u32 = a.max(b);
        "max.s32" => MaxS32(a: i32, b: i32) -> i32 = a.max(b);
        "max.relu.s32" => MaxReluS32(a: i32, b: i32) -> i32 = a.max(b).max(0);
        "max.u64" => MaxU64(a: u64, b: u64) -> u64 = a.max(b);
        "max.s64" => MaxS64(a: i64, b: i64) -> i64 = a.max(b);
        "and.b16" => And16(a: u16, b: u16) -> u16 = a & b;
        "and.b32" => And32(a: u32, b: u32) -> u32 = a & b;
        "and.b64" => And64(a: u64, b: u64) -> u64 = a & b;
        "or.b16" => Or16(a: u16, b: u16) -> u16 = a | b;
        "or.b32" => Or32(a: u32, b: u32) -> u32 = a | b;
        "or.b64" => Or64(a: u64, b: u64) -> u64 = a | b;
        "xor.b16" => Xor16(a: u16, b: u16) -> u16 = a ^ b;
        "xor.b32" => Xor32(a: u32, b: u32) -> u32 = a ^ b;
        "xor.b64" => Xor64(a: u64, b: u64) -> u64 = a ^ b;
        "shl.b16" => Shl16(a: u16, b: u32) -> u16 = a.shift_left(b);
        "shl.b32" => Shl32(a: u32, b: u32) -> u32 = a.shift_left(b);
        "shl.b64" => Shl64(a: u64, b: u32) -> u64 = a.shift_left(b);
        "shr.u16" | "shr.b16" => ShrU16(a: u16, b: u32) -> u16 = a.shift_right(b);
        "shr.s16" => ShrS16(a: i16, b: u32) -> i16 = a.shift_right(b);
        "shr.u32" | "shr.b32" => ShrU32(a: u32, b: u32) -> u32 = a.shift_right(b);
        "shr.s32" => ShrS32(a: i32, b: u32) -> i32 = a.shift_right(b);
        "shr.u64" | "shr.b64" => ShrU64(a: u64, b: u32) -> u64 = a.shift_right(b);
        "shr.s64" => ShrS64(a: i64, b: u32) -> i64 = a.shift_right(b);
        "bmsk.clamp.b32" => BmskClamp(a: u32, b: u32) -> u32 = bit_mask(a, b);
        "bmsk.wrap.b32" => BmskWrap(a: u32, b: u32) -> u32 = bit_mask(a & 31, b & 31);
        "szext.clamp.s32" => SzextClampS32(a: i32, b: u32) -> i32
            = if b == 0 { 0 } else if b >= 32 { a } else { a << (32 - b) >> (32 - b) };
        "szext.clamp.u32" => SzextClampU32(a: u32, b: u32) -> u32
            = if b == 0 { 0 } else if b >= 32 { a } else { a << (32 - b) >> (32 - b) };
        "szext.wrap.s32" => SzextWrapS32(a: i32, b: u32) -> i32
            = if b & 31 == 0 { 0 } else { a << (32 - (b & 31)) >> (32 - (b & 31)) };
        "szext.wrap.u32" => SzextWrapU32(a: u32, b: u32) -> u32
            = if b & 31 == 0 { 0 } else { a << (32 - (b & 31)) >> (32 - (b & 31)) };

        "add.ftz.f32" | "add.rn.ftz.f32" => AddFtzF32(a: f32, b: f32) -> f32 = (a.flush() + b.flush()).flush().canonical();
        "sub.ftz.f32" | "sub.rn.ftz.f32" => SubFtzF32(a: f32, b: f32) -> f32 = (a.flush() - b.flush()).flush().canonical();
        "mul.ftz.f32" | "mul.rn.ftz.f32" => MulFtzF32(a: f32, b: f32) -> f32 = mul32_flushed(a, b);
        "add.f32" | "add.rn.f32" => AddF32(a: f32, b: f32) -> f32 = (a + b).canonical();
        "add.rz.f32" => AddZeroF32(a: f32, b: f32) -> f32 = add32(a, b, Rounding::Zero);
        "add.rm.f32" => AddDownF32(a: f32, b: f32) -> f32 = add32(a, b, Rounding::Down);
        "add.rp.f32" => AddUpF32(a: f32, b: f32) -> f32 = add32(a, b, Rounding::Up);
        "sub.f32" | "sub.rn.f32" => SubF32(a: f32, b: f32) -> f32 = (a - b).canonical();
        "sub.rz.f32" => SubZeroF32(a: f32, b: f32) -> f32 = add32(a, -b, Rounding::Zero);
        "sub.rm.f32" => SubDownF32(a: f32, b: f32) -> f32 = add32(a, -b, Rounding::Down);
        "sub.rp.f32" => SubUpF32(a: f32, b: f32) -> f32 = add32(a, -b, Rounding::Up);
        "mul.f32" | "mul.rn.f32" => MulF32(a: f32, b: f32) -> f32 = (a * b).canonical();
        "mul.rz.f32" => MulZeroF32(a: f32, b: f32) -> f32 = mul32(a, b, Rounding::Zero);
        "mul.rm.f32" => MulDownF32(a: f32, b: f32) -> f32 = mul32(a, b, Rounding::Down);
        "mul.rp.f32" => MulUpF32(a: f32, b: f32) -> f32 = mul32(a, b, Rounding::Up);
        "div.approx.f32" => DivApproxF32(a: f32, b: f32) -> f32 = div32_approx(a, b);
        "div.rn.f32" | "div.full.f32" => DivF32(a: f32, b: f32) -> f32 = (a / b).canonical();
        "div.rz.f32" => DivZeroF32(a: f32, b: f32) -> f32 = div32(a, b, Rounding::Zero);
        "div.rm.f32" => DivDownF32(a: f32, b: f32) -> f32 = div32(a, b, Rounding::Down);
        "div.rp.f32" => DivUpF32(a: f32, b: f32) -> f32 = div32(a, b, Rounding::Up);
        "min.f32" => MinF32(a: f32, b: f32) -> f32 = a.lesser(b);
        "max.f32" => MaxF32(a: f32, b: f32) -> f32 = a.greater(b);
        "min.NaN.f32" => MinNanF32(a: f32, b: f32) -> f32 = a.lesser_or_nan(b);
        "max.NaN.f32" => MaxNanF32(a: f32, b: f32) -> f32 = a.greater_or_nan(b);
        // PTX takes the sign from the first operand, the magnitude from the second.
        "copysign.f32" => CopysignF32(a: f32, b: f32) -> f32 = b.copysign(a);

        "add.f64" | "add.rn.f64" => AddF64(a: f64, b: f64) -> f64 = propagate(a + b, [b, a]);
        "add.rz.f64" => AddZeroF64(a: f64, b: f64) -> f64 = add64(a, b, Rounding::Zero);
        "add.rm.f64" => AddDownF64(a: f64, b: f64) -> f64 = add64(a, b, Rounding::Down);
        "add.rp.f64" => AddUpF64(a: f64, b: f64) -> f64 = add64(a, b, Rounding::Up);
        "sub.f64" | "sub.rn.f64" => SubF64(a: f64, b: f64) -> f64 = propagate(a - b, [b, a]);
        "sub.rz.f64" => SubZeroF64(a: f64, b: f64) -> f64 = sub64(a, b, Rounding::Zero);
        "sub.rm.f64" => SubDownF64(a: f64, b: f64) -> f64 = sub64(a, b, Rounding::Down);
        "sub.rp.f64" => SubUpF64(a: f64, b: f64) -> f64 = sub64(a, b, Rounding::Up);
        "mul.f64" | "mul.rn.f64" => MulF64(a: f64, b: f64) -> f64 = propagate(a * b, [b, a]);
        "mul.rz.f64" => MulZeroF64(a: f64, b: f64) -> f64 = mul64(a, b, Rounding::Zero);
        "mul.rm.f64" => MulDownF64(a: f64, b: f64) -> f64 = mul64(a, b, Rounding::Down);
        "mul.rp.f64" => MulUpF64(a: f64, b: f64) -> f64 = mul64(a, b, Rounding::Up);
        "div.rn.f64" => DivF64(a: f64, b: f64) -> f64 = propagate(a / b, [a, b]);
        "div.rz.f64" => DivZeroF64(a: f64, b: f64) -> f64 = div64(a, b, Rounding::Zero);
        "div.rm.f64" => DivDownF64(a: f64, b: f64) -> f64 = div64(a, b, Rounding::Down);
        "div.rp.f64" => DivUpF64(a: f64, b: f64) -> f64 = div64(a, b, Rounding::Up);
        "min.f64" => MinF64(a: f64, b: f64) -> f64 = propagate(a.lesser(b), [b, a]);
        "max.f64" => MaxF64(a: f64, b: f64) -> f64 = propagate(a.greater(b), [b, a]);
        "copysign.f64" => CopysignF64(a: f64, b: f64) -> f64 = b.copysign(a);
    }
}
