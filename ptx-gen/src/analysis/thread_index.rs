//! The index of a thread in the grid along x.

use crate::ir::{BinaryOp, ConvertOp, Function, InstData, SpecialRegister, Type, Value};

/// Recognises `block index * block size + thread index` along x; true if it may be beyond 32 bits.
pub fn thread_index(func: &Function, value: Value) -> Option<bool> {
    let widened = |value| match func.def(value) {
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => arg,
        _ => value,
    };
    let is = |value, wanted| match func.def(widened(value)) {
        Some(InstData::Special { register }) => *register == wanted,
        _ => false,
    };
    let both = |op, value| match func.def(value) {
        Some(&InstData::Binary { op: found, args, .. }) if found == op => Some(args),
        _ => None,
    };
    let [a, b] = both(BinaryOp::Add, value)?;
    let (product, _) = [(a, b), (b, a)].into_iter().find(|&(_, thread)| is(thread, SpecialRegister::TidX))?;
    let product = widened(product);
    let [a, b] = both(BinaryOp::Mul, product)?;
    let is_product = |[a, b]: [Value; 2]| is(a, SpecialRegister::CtaidX) && is(b, SpecialRegister::NtidX);
    (is_product([a, b]) || is_product([b, a])).then(|| func.ty(product) == Type::I64)
}
