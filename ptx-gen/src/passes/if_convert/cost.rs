//! Cost model of the instructions of a side.

use crate::ir::{BinaryOp, ConvertOp, Function, InstData, Type, UnaryOp};

/// Cost of executing an instruction speculatively; none if it must not be.
pub(in crate::passes) fn cost(func: &Function, data: &InstData, ty: Option<Type>) -> Option<u32> {
    // Two registers, so two instructions; slow units for doubles.
    let by_width = match ty? {
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::F32 => Some(1),
        Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2 => Some(1),
        Type::I64 => Some(2),
        Type::F64 => None,
    };
    match data {
        InstData::Const { .. }
        | InstData::Param { .. }
        | InstData::Special { .. }
        | InstData::SharedAddress { .. }
        | InstData::LocalAddress { .. }
        | InstData::InlineOut { .. }
        | InstData::ConstAddress { .. } => Some(0),
        InstData::Pack { .. } | InstData::Extract { .. } => Some(1),
        InstData::ToGeneric { .. } | InstData::MapShared { .. } => Some(1),
        InstData::Unary { op, .. } => match op {
            UnaryOp::Not | UnaryOp::Neg => by_width,
            UnaryOp::FNeg | UnaryOp::FAbs => Some(1),
            UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::RoundEven
            | UnaryOp::LeadingZeros
            | UnaryOp::TrailingZeros
            | UnaryOp::PopCount
            | UnaryOp::ReverseBits => by_width.map(|cost| 2 * cost),
            UnaryOp::SinApprox
            | UnaryOp::CosApprox
            | UnaryOp::Exp2Approx
            | UnaryOp::Exp2Flushed
            | UnaryOp::Log2Approx
            | UnaryOp::RcpApprox
            | UnaryOp::RcpFlushed
            | UnaryOp::Saturate
            | UnaryOp::RsqrtApprox
            | UnaryOp::SqrtApprox
            | UnaryOp::TanhApprox => Some(2),
            UnaryOp::Sqrt => None,
        },
        InstData::Binary { op, .. } => match op {
            BinaryOp::Add
            | BinaryOp::Sub
            | BinaryOp::UMin
            | BinaryOp::SMin
            | BinaryOp::UMax
            | BinaryOp::SMax
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Shl
            | BinaryOp::LShr
            | BinaryOp::AShr
            | BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FMin
            | BinaryOp::FMax
            | BinaryOp::CopySign => by_width,
            BinaryOp::Mul | BinaryOp::UMulHigh | BinaryOp::SMulHigh => by_width.map(|cost| 2 * cost),
            BinaryOp::FDivApprox => Some(3),
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem | BinaryOp::FDiv => None,
        },
        InstData::Fma { .. } => by_width,
        InstData::Select { .. } => Some(by_width.unwrap_or(2)),
        InstData::IntCompare { .. } | InstData::FloatCompare { .. } => Some(1),
        InstData::Convert { op, arg } => match op {
            ConvertOp::ZeroExtend
            | ConvertOp::SignExtend
            | ConvertOp::IndexExtend
            | ConvertOp::Truncate
            | ConvertOp::Bitcast => Some(1),
            ConvertOp::UIntToFloat
            | ConvertOp::SIntToFloat
            | ConvertOp::FloatToUInt
            | ConvertOp::FloatToSInt
            | ConvertOp::FloatToFloat => by_width.filter(|_| func.ty(*arg) != Type::F64).map(|cost| 2 * cost),
        },
        InstData::Load { .. }
        | InstData::Store { .. }
        | InstData::AtomicCas { .. }
        | InstData::AtomicRmw { .. }
        | InstData::AtomicLoad { .. }
        | InstData::AtomicStore { .. }
        | InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::ActiveMask
        | InstData::BarrierReduce { .. }
        | InstData::WarpBarrier { .. }
        | InstData::Fence { .. }
        | InstData::Print { .. }
        | InstData::Inline { .. }
        | InstData::InlineEffect { .. }
        | InstData::Guarded { .. }
        | InstData::Barrier
        | InstData::GridBarrier
        | InstData::ClusterBarrier { .. }
        | InstData::NamedBarrier { .. }
        | InstData::Jump { .. }
        | InstData::Branch { .. }
        | InstData::Return
        | InstData::Panic { .. } => None,
    }
}

/// About how many instructions it is, if it is to be done in any case.
pub(in crate::passes) fn weight(func: &Function, data: &InstData, ty: Option<Type>) -> u32 {
    if let Some(cost) = cost(func, data, ty) {
        return cost;
    }
    let wide = matches!(ty, Some(Type::I64 | Type::F64));
    match data {
        InstData::Binary {
            op: BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem, ..
        } => {
            if wide {
                70
            } else {
                20
            }
        }
        InstData::Binary { op: BinaryOp::FDiv, .. } | InstData::Unary { op: UnaryOp::Sqrt, .. } => {
            if wide {
                20
            } else {
                10
            }
        }
        _ => 2,
    }
}
