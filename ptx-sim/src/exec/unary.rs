//! The table of instructions with one operand.

use crate::approx;
use crate::exact::{div64, sqrt64};
use crate::exec::table::operations;
use crate::float::{Float, Rounding, div32, narrow, propagate, sqrt32, widen};
use crate::integer::find_top_bit;
use crate::registers::{Class, Lane, Registers, Slot, apply1};
use crate::special_functions;

operations! {
    /// Instructions with one operand. Moves and conversions that every kernel has are here too, for speed.
    Unary by apply1[1] {
        "mov.b16" | "mov.u16" | "mov.s16" | "mov.b32" | "mov.u32" | "mov.s32" | "mov.f32"
            => Move32(a: u32) -> u32 = a;
        "mov.b64" | "mov.u64" | "mov.s64" | "mov.f64" => Move64(a: u64) -> u64 = a;
        "abs.s16" => AbsS16(a: i16) -> i16 = a.wrapping_abs();
        "abs.s32" => AbsS32(a: i32) -> i32 = a.wrapping_abs();
        "abs.s64" => AbsS64(a: i64) -> i64 = a.wrapping_abs();
        "neg.s16" => NegS16(a: i16) -> i16 = a.wrapping_neg();
        "neg.s32" => NegS32(a: i32) -> i32 = a.wrapping_neg();
        "neg.s64" => NegS64(a: i64) -> i64 = a.wrapping_neg();
        "not.b16" => Not16(a: u16) -> u16 = !a;
        "not.b32" => Not32(a: u32) -> u32 = !a;
        "not.b64" => Not64(a: u64) -> u64 = !a;
        "cnot.b16" => Cnot16(a: u16) -> u16 = u16::from(a == 0);
        "cnot.b32" => Cnot32(a: u32) -> u32 = u32::from(a == 0);
        "cnot.b64" => Cnot64(a: u64) -> u64 = u64::from(a == 0);
        "clz.b32" => Clz32(a: u32) -> u32 = a.leading_zeros();
        "clz.b64" => Clz64(a: u64) -> u32 = a.leading_zeros();
        "popc.b32" => Popc32(a: u32) -> u32 = a.count_ones();
        "popc.b64" => Popc64(a: u64) -> u32 = a.count_ones();
        "brev.b32" => Brev32(a: u32) -> u32 = a.reverse_bits();
        "brev.b64" => Brev64(a: u64) -> u64 = a.reverse_bits();
        "bfind.u32" => BfindU32(a: u32) -> u32 = find_top_bit(u64::from(a));
        "bfind.s32" => BfindS32(a: i32) -> u32 = find_top_bit(u64::from((a ^ (a >> 31)) as u32));
        "bfind.u64" => BfindU64(a: u64) -> u32 = find_top_bit(a);
        "bfind.s64" => BfindS64(a: i64) -> u32 = find_top_bit((a ^ (a >> 63)) as u64);
        "bfind.shiftamt.u32" => BfindShiftU32(a: u32) -> u32 = if a == 0 { u32::MAX } else { a.leading_zeros() };
        "bfind.shiftamt.s32" => BfindShiftS32(a: i32) -> u32 = {
            let a = a ^ (a >> 31);
            if a == 0 { u32::MAX } else { a.leading_zeros() }
        };
        "bfind.shiftamt.u64" => BfindShiftU64(a: u64) -> u32 = if a == 0 { u32::MAX } else { a.leading_zeros() };
        "bfind.shiftamt.s64" => BfindShiftS64(a: i64) -> u32 = {
            let a = a ^ (a >> 63);
            if a == 0 { u32::MAX } else { a.leading_zeros() }
        };

        "abs.f32" => AbsF32(a: f32) -> f32 = a.abs().canonical();
        // The sign of a NaN stays.
        "abs.f64" => AbsF64(a: f64) -> f64 = if a.is_nan() { propagate(a, [a]) } else { a.abs() };
        "neg.f32" => NegF32(a: f32) -> f32 = (-a).canonical();
        "neg.f64" => NegF64(a: f64) -> f64 = if a.is_nan() { propagate(a, [a]) } else { -a };
        "sqrt.rn.f32" | "sqrt.approx.f32" => SqrtF32(a: f32) -> f32 = a.sqrt().canonical();
        "sqrt.rz.f32" => SqrtZeroF32(a: f32) -> f32 = sqrt32(a, Rounding::Zero);
        "sqrt.rm.f32" => SqrtDownF32(a: f32) -> f32 = sqrt32(a, Rounding::Down);
        "sqrt.rp.f32" => SqrtUpF32(a: f32) -> f32 = sqrt32(a, Rounding::Up);
        "sqrt.rn.f64" => SqrtF64(a: f64) -> f64 = propagate(a.sqrt(), [a]);
        "rcp.rn.f32" => RcpF32(a: f32) -> f32 = (1.0 / a).canonical();
        "rcp.rn.f64" => RcpF64(a: f64) -> f64 = propagate(1.0 / a, [a]);
        "sqrt.rz.f64" => SqrtZeroF64(a: f64) -> f64 = sqrt64(a, Rounding::Zero);
        "sqrt.rm.f64" => SqrtDownF64(a: f64) -> f64 = sqrt64(a, Rounding::Down);
        "sqrt.rp.f64" => SqrtUpF64(a: f64) -> f64 = sqrt64(a, Rounding::Up);
        "rcp.rz.f32" => RcpZeroF32(a: f32) -> f32 = div32(1.0, a, Rounding::Zero);
        "rcp.rm.f32" => RcpDownF32(a: f32) -> f32 = div32(1.0, a, Rounding::Down);
        "rcp.rp.f32" => RcpUpF32(a: f32) -> f32 = div32(1.0, a, Rounding::Up);
        "rcp.rz.f64" => RcpZeroF64(a: f64) -> f64 = div64(1.0, a, Rounding::Zero);
        "rcp.rm.f64" => RcpDownF64(a: f64) -> f64 = div64(1.0, a, Rounding::Down);
        "rcp.rp.f64" => RcpUpF64(a: f64) -> f64 = div64(1.0, a, Rounding::Up);
        "rcp.approx.f64" => RcpApproxF64(a: f64) -> f64 = approx::reciprocal64(a);
        "rcp.approx.f32" => RcpApproxF32(a: f32) -> f32 = special_functions::reciprocal(a);
        "rcp.approx.ftz.f32" => RcpFlushedF32(a: f32) -> f32 = special_functions::reciprocal_flushed(a);
        "rsqrt.approx.f32" => RsqrtF32(a: f32) -> f32 = special_functions::reciprocal_root(a);
        "rsqrt.approx.ftz.f32" => RsqrtFlushedF32(a: f32) -> f32 = special_functions::reciprocal_root_flushed(a);
        "rsqrt.approx.f64" => RsqrtApproxF64(a: f64) -> f64 = approx::reciprocal_root64(a);
        "sin.approx.f32" => SinF32(a: f32) -> f32 = approx::sine(a);
        "cos.approx.f32" => CosF32(a: f32) -> f32 = approx::cosine(a);
        "ex2.approx.f32" => Ex2F32(a: f32) -> f32 = special_functions::exp2(a);
        "ex2.approx.ftz.f32" => Ex2FlushedF32(a: f32) -> f32 = special_functions::exp2_flushed(a);
        "lg2.approx.f32" => Lg2F32(a: f32) -> f32 = approx::log2(a);
        "tanh.approx.f32" => TanhF32(a: f32) -> f32 = approx::tanh(a);

        "cvt.u64.u32" => WidenU32(a: u32) -> u64 = u64::from(a);
        "cvt.s64.s32" => WidenS32(a: i32) -> i64 = i64::from(a);
        "cvt.u32.u64" | "cvt.s32.s64" | "cvt.u32.s64" | "cvt.s32.u64" => Narrow64(a: u64) -> u32 = a as u32;
        "cvt.rn.f32.s32" => S32ToF32(a: i32) -> f32 = a as f32;
        "cvt.rn.f32.u32" => U32ToF32(a: u32) -> f32 = a as f32;
        "cvt.rn.f64.s32" => S32ToF64(a: i32) -> f64 = f64::from(a);
        "cvt.rn.f64.u32" => U32ToF64(a: u32) -> f64 = f64::from(a);
        "cvt.rzi.s32.f32" => F32ToS32(a: f32) -> i32 = a as i32;
        "cvt.rzi.u32.f32" => F32ToU32(a: f32) -> u32 = a as u32;
        "cvt.f64.f32" => F32ToF64(a: f32) -> f64 = widen(a);
        "cvt.rn.f32.f64" => F64ToF32(a: f64) -> f32 = narrow(a);

        // Operations that the decoder puts around an instruction.
        "flush32" => Flush32(a: f32) -> f32 = a.flush();
        "flush_source32" => FlushSource32(a: f32) -> f32 = a.flush().canonical();
        "saturate32" => Saturate32(a: f32) -> f32 = a.saturate();
        "saturate64" => Saturate64(a: f64) -> f64 = a.saturate();
    }
}
