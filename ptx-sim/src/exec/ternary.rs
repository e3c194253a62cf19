//! The tables of instructions with three and four operands.

use crate::exact::fma64;
use crate::exec::table::operations;
use crate::float::{Float, Rounding, fma32, fma32_flushed, propagate};
use crate::integer::{
    byte_differences, dot2, dot4, extract_field, extract_signed_field, find_nth_set, funnel_left,
    funnel_right, insert_field, logic3, permute,
};
use crate::registers::{Class, Lane, Registers, Slot, apply3, apply4};

operations! {
    /// Instructions with three operands.
    Ternary by apply3[3] {
        "mad.lo.u16" | "mad.lo.s16" => MadLo16(a: u16, b: u16, c: u16) -> u16 = a.wrapping_mul(b).wrapping_add(c);
        "mad.lo.u32" | "mad.lo.s32" => MadLo32(a: u32, b: u32, c: u32) -> u32 = a.wrapping_mul(b).wrapping_add(c);
        "mad.lo.u64" | "mad.lo.s64" => MadLo64(a: u64, b: u64, c: u64) -> u64 = a.wrapping_mul(b).wrapping_add(c);
        "mad.hi.u16" => MadHiU16(a: u16, b: u16, c: u16) -> u16
            = (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c);
        "mad.hi.s16" => MadHiS16(a: i16, b: i16, c: i16) -> i16
            = (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c);
        "mad.hi.u32" => MadHiU32(a: u32, b: u32, c: u32) -> u32
            = (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c);
        "mad.hi.s32" => MadHiS32(a: i32, b: i32, c: i32) -> i32
            = (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c);
        "mad.hi.sat.s32" => MadHiSatS32(a: i32, b: i32, c: i32) -> i32
            = (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c);
        "mad.hi.u64" => MadHiU64(a: u64, b: u64, c: u64) -> u64
            = (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c);
        "mad.hi.s64" => MadHiS64(a: i64, b: i64, c: i64) -> i64
            = (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c);
        "mad.wide.u16" => MadWideU16(a: u16, b: u16, c: u32) -> u32 = (u32::from(a) * u32::from(b)).wrapping_add(c);
        "mad.wide.s16" => MadWideS16(a: i16, b: i16, c: i32) -> i32 = (i32::from(a) * i32::from(b)).wrapping_add(c);
        "mad.wide.u32" => MadWideU32(a: u32, b: u32, c: u64) -> u64 = (u64::from(a) * u64::from(b)).wrapping_add(c);
        "mad.wide.s32" => MadWideS32(a: i32, b: i32, c: i64) -> i64 = (i64::from(a) * i64::from(b)).wrapping_add(c);
        "mad24.lo.u32" => Mad24LoU32(a: u32, b: u32, c: u32) -> u32
            = (a & 0xff_ffff).wrapping_mul(b & 0xff_ffff).wrapping_add(c);
        "mad24.lo.s32" => Mad24LoS32(a: i32, b: i32, c: i32) -> i32
            = (a << 8 >> 8).wrapping_mul(b << 8 >> 8).wrapping_add(c);
        "mad24.hi.u32" => Mad24HiU32(a: u32, b: u32, c: u32) -> u32
            = (((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> 16) as u32).wrapping_add(c);
        "mad24.hi.s32" => Mad24HiS32(a: i32, b: i32, c: i32) -> i32
            = (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32).wrapping_add(c);
        "mad24.hi.sat.s32" => Mad24HiSatS32(a: i32, b: i32, c: i32) -> i32
            = (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> 16) as i32).saturating_add(c);
        "sad.u16" => SadU16(a: u16, b: u16, c: u16) -> u16 = a.abs_diff(b).wrapping_add(c);
        "sad.s16" => SadS16(a: i16, b: i16, c: u16) -> u16 = a.abs_diff(b).wrapping_add(c);
        "sad.u32" => SadU32(a: u32, b: u32, c: u32) -> u32 = a.abs_diff(b).wrapping_add(c);
        "sad.s32" => SadS32(a: i32, b: i32, c: u32) -> u32 = a.abs_diff(b).wrapping_add(c);
        "sad.u64" => SadU64(a: u64, b: u64, c: u64) -> u64 = a.abs_diff(b).wrapping_add(c);
        "sad.s64" => SadS64(a: i64, b: i64, c: u64) -> u64 = a.abs_diff(b).wrapping_add(c);
        "bfe.u32" => BfeU32(a: u32, b: u32, c: u32) -> u32 = extract_field(u64::from(a), 32, b, c) as u32;
        "bfe.s32" => BfeS32(a: u32, b: u32, c: u32) -> u32 = extract_signed_field(u64::from(a), 32, b, c) as u32;
        "bfe.u64" => BfeU64(a: u64, b: u32, c: u32) -> u64 = extract_field(a, 64, b, c);
        "bfe.s64" => BfeS64(a: u64, b: u32, c: u32) -> u64 = extract_signed_field(a, 64, b, c);
        "prmt.b32" => Prmt(a: u32, b: u32, c: u32) -> u32 = permute(a, b, c);
        "shf.l.clamp.b32" => ShfLeftClamp(a: u32, b: u32, c: u32) -> u32 = funnel_left(a, b, c.min(32));
        "shf.l.wrap.b32" => ShfLeftWrap(a: u32, b: u32, c: u32) -> u32 = funnel_left(a, b, c & 31);
        "shf.r.clamp.b32" => ShfRightClamp(a: u32, b: u32, c: u32) -> u32 = funnel_right(a, b, c.min(32));
        "shf.r.wrap.b32" => ShfRightWrap(a: u32, b: u32, c: u32) -> u32 = funnel_right(a, b, c & 31);
        "fns.b32" => Fns(a: u32, b: u32, c: i32) -> u32 = find_nth_set(a, b, c);
        "dp4a.u32.u32" => Dp4aUU(a: u32, b: u32, c: u32) -> u32 = dot4(a, b, c, false, false);
        "dp4a.u32.s32" => Dp4aUS(a: u32, b: u32, c: u32) -> u32 = dot4(a, b, c, false, true);
        "dp4a.s32.u32" => Dp4aSU(a: u32, b: u32, c: u32) -> u32 = dot4(a, b, c, true, false);
        "dp4a.s32.s32" => Dp4aSS(a: u32, b: u32, c: u32) -> u32 = dot4(a, b, c, true, true);
        "dp2a.lo.u32.u32" => Dp2aLoUU(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, false, false, false);
        "dp2a.lo.u32.s32" => Dp2aLoUS(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, false, true, false);
        "dp2a.lo.s32.u32" => Dp2aLoSU(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, true, false, false);
        "dp2a.lo.s32.s32" => Dp2aLoSS(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, true, true, false);
        "dp2a.hi.u32.u32" => Dp2aHiUU(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, false, false, true);
        "dp2a.hi.u32.s32" => Dp2aHiUS(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, false, true, true);
        "dp2a.hi.s32.u32" => Dp2aHiSU(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, true, false, true);
        "dp2a.hi.s32.s32" => Dp2aHiSS(a: u32, b: u32, c: u32) -> u32 = dot2(a, b, c, true, true, true);
        // The one pair of video instructions that nvcc writes: absolute differences of bytes.
        "vabsdiff4.u32.u32.u32" => Vabsdiff4(a: u32, b: u32, _c: u32) -> u32 = byte_differences(a, b);
        "vabsdiff4.u32.u32.u32.add" => Vabsdiff4Add(a: u32, b: u32, c: u32) -> u32
            = byte_differences(a, b).to_le_bytes().iter().fold(c, |sum, &byte| sum.wrapping_add(u32::from(byte)));
        "slct.b16.s32" | "slct.u16.s32" | "slct.s16.s32" | "slct.b32.s32" | "slct.u32.s32" | "slct.s32.s32"
            | "slct.f32.s32" => Slct32(a: u32, b: u32, c: i32) -> u32 = if c >= 0 { a } else { b };
        "slct.b64.s32" | "slct.u64.s32" | "slct.s64.s32" | "slct.f64.s32"
            => Slct64(a: u64, b: u64, c: i32) -> u64 = if c >= 0 { a } else { b };
        "slct.b32.f32" | "slct.u32.f32" | "slct.s32.f32" | "slct.f32.f32"
            => Slct32F32(a: u32, b: u32, c: f32) -> u32 = if c >= 0.0 { a } else { b };
        "slct.b64.f32" | "slct.u64.f32" | "slct.s64.f32" | "slct.f64.f32"
            => Slct64F32(a: u64, b: u64, c: f32) -> u64 = if c >= 0.0 { a } else { b };

        "fma.rn.ftz.f32" | "mad.rn.ftz.f32" => FmaFtzF32(a: f32, b: f32, c: f32) -> f32 = fma32_flushed(a, b, c);
        "fma.rn.f32" | "mad.rn.f32" => FmaF32(a: f32, b: f32, c: f32) -> f32 = a.mul_add(b, c).canonical();
        "fma.rz.f32" | "mad.rz.f32" => FmaZeroF32(a: f32, b: f32, c: f32) -> f32 = fma32(a, b, c, Rounding::Zero);
        "fma.rm.f32" | "mad.rm.f32" => FmaDownF32(a: f32, b: f32, c: f32) -> f32 = fma32(a, b, c, Rounding::Down);
        "fma.rp.f32" | "mad.rp.f32" => FmaUpF32(a: f32, b: f32, c: f32) -> f32 = fma32(a, b, c, Rounding::Up);
        "fma.rn.f64" | "mad.rn.f64" => FmaF64(a: f64, b: f64, c: f64) -> f64 = propagate(a.mul_add(b, c), [b, c, a]);
        "fma.rz.f64" | "mad.rz.f64" => FmaZeroF64(a: f64, b: f64, c: f64) -> f64 = fma64(a, b, c, Rounding::Zero);
        "fma.rm.f64" | "mad.rm.f64" => FmaDownF64(a: f64, b: f64, c: f64) -> f64 = fma64(a, b, c, Rounding::Down);
        "fma.rp.f64" | "mad.rp.f64" => FmaUpF64(a: f64, b: f64, c: f64) -> f64 = fma64(a, b, c, Rounding::Up);
    }
}

operations! {
    /// Instructions with four operands.
    Quaternary by apply4[4] {
        "bfi.b32" => Bfi32(a: u32, b: u32, c: u32, d: u32) -> u32
            = insert_field(u64::from(a), u64::from(b), 32, c, d) as u32;
        "bfi.b64" => Bfi64(a: u64, b: u64, c: u32, d: u32) -> u64 = insert_field(a, b, 64, c, d);
        "lop3.b32" => Lop3(a: u32, b: u32, c: u32, table: u32) -> u32 = logic3(a, b, c, table);
    }
}
