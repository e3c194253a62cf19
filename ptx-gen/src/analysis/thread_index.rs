//! The index of a thread in the grid along x, and the sizes of its block.

use crate::ir::{BinaryOp, ConvertOp, Function, InstData, SpecialRegister, Type, Value};

/// Returns true if a value is that of a special register, or of a size of the block that is a constant because it is required.
pub fn is_register(func: &Function, value: Value, wanted: SpecialRegister) -> bool {
    match func.def(value) {
        Some(InstData::Special { register }) => *register == wanted,
        Some(&InstData::Const { bits }) => required_size(func, wanted) == Some(bits),
        _ => false,
    }
}

/// The size of the block along an axis, if that is the register and the kernel requires it.
pub fn required_size(func: &Function, register: SpecialRegister) -> Option<u64> {
    let axis = match register {
        SpecialRegister::NtidX => 0,
        SpecialRegister::NtidY => 1,
        SpecialRegister::NtidZ => 2,
        _ => return None,
    };
    func.bounds.block.map(|block| block[axis].into())
}

/// Recognises `block index * block size + thread index` along x; true if it may be beyond 32 bits.
pub fn thread_index(func: &Function, value: Value) -> Option<bool> {
    let widened = |value| match func.def(value) {
        Some(&InstData::Convert { op: ConvertOp::ZeroExtend, arg }) => arg,
        _ => value,
    };
    let is = |value, wanted| is_register(func, widened(value), wanted);
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
