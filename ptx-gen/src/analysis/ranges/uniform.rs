//! Values that instructions make of parameters and the shape of the launch alone, so that the host can compute them too.

use super::interval::{self, Interval};
use crate::ir::{ConvertOp, Function, InstData, Space, Type, Value};
use kernel_abi::guard::LAUNCH_REGISTERS;

/// More instructions than a host shall compute for one value.
const MOST: u32 = 24;

/// Returns true if the host can compute the value, an integer or a truth value.
pub(super) fn is_known_to_host(func: &Function, value: Value) -> bool {
    let mut left = MOST;
    is_known(func, value, &mut left)
}

fn is_known(func: &Function, value: Value, left: &mut u32) -> bool {
    let is_whole = |value: Value| func.ty(value).is_int() || func.ty(value) == Type::Bool;
    if !is_whole(value) {
        return false;
    }
    let Some(fewer) = left.checked_sub(1) else { return false };
    *left = fewer;
    let Some(data) = func.def(value) else { return false };
    match data {
        InstData::Const { .. } => true,
        InstData::Special { register } => LAUNCH_REGISTERS.iter().any(|(known, _)| known == register),
        InstData::Param { .. } => true,
        InstData::Unary { arg, .. } => is_known(func, *arg, left),
        // A pointer that the host passes is the generic address too.
        InstData::ToGeneric { space: Space::Global, address } => {
            matches!(func.def(*address), Some(InstData::Param { .. }))
        }
        InstData::Binary { args, .. } | InstData::IntCompare { args, .. } => {
            args.iter().all(|&arg| is_known(func, arg, left))
        }
        InstData::Select { cond, if_true, if_false } => {
            [cond, if_true, if_false].into_iter().all(|&arg| is_known(func, arg, left))
        }
        InstData::Convert { op, arg } => match op {
            ConvertOp::ZeroExtend | ConvertOp::SignExtend | ConvertOp::IndexExtend | ConvertOp::Truncate => {
                is_known(func, *arg, left)
            }
            ConvertOp::UIntToFloat
            | ConvertOp::SIntToFloat
            | ConvertOp::FloatToUInt
            | ConvertOp::FloatToSInt
            | ConvertOp::FloatToFloat
            | ConvertOp::Bitcast => false,
        },
        _ => false,
    }
}

/// Interval of a value as the host computes it in any launch. The ranges don't serve: a value computed behind a branch lies in
/// them only in launches where a thread takes that branch, and the host computes it always.
pub(super) fn reach(func: &Function, value: Value) -> Interval {
    let ty = func.ty(value);
    let of = |value: Value| reach(func, value);
    match func.def(value) {
        Some(InstData::Const { bits }) => Interval::exact(*bits),
        Some(InstData::Special { register }) => interval::special(*register, func),
        Some(InstData::Param { param }) => interval::param(&func.params[*param]),
        Some(InstData::Unary { op, arg }) => interval::unary(*op, ty, of(*arg)),
        // Nothing is said of results that wrap.
        Some(InstData::Binary { op, args: [a, b], .. }) => interval::binary(*op, ty, of(*a), of(*b), false),
        Some(InstData::Select { if_true, if_false, .. }) => of(*if_true).join(of(*if_false)),
        Some(InstData::Convert { op, arg }) => interval::convert(*op, func.ty(*arg), ty, of(*arg)),
        Some(_) | None => Interval::full(ty),
    }
}
