//! The index of a thread in the grid along an axis, and the sizes of its block.

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

/// The registers of the index of a block, its size and the index of a thread along an axis.
type Axis = [SpecialRegister; 3];

const X: Axis = [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX];
const Y: Axis = [SpecialRegister::CtaidY, SpecialRegister::NtidY, SpecialRegister::TidY];
const Z: Axis = [SpecialRegister::CtaidZ, SpecialRegister::NtidZ, SpecialRegister::TidZ];

/// Recognises `block index * block size + thread index` along x; true if it may be beyond 32 bits.
pub fn thread_index(func: &Function, value: Value) -> Option<bool> {
    thread_index_along(func, value, X)
}

/// The registers of the numbers of blocks and of threads in one along the axis that a value is the index of a thread along.
pub fn axis_of_thread_index(func: &Function, value: Value) -> Option<[SpecialRegister; 2]> {
    use SpecialRegister::{NctaidX, NctaidY, NctaidZ};
    let axes = [(X, NctaidX), (Y, NctaidY), (Z, NctaidZ)];
    let is_along = |&(axis, _): &(Axis, SpecialRegister)| thread_index_along(func, value, axis).is_some();
    axes.into_iter().find(is_along).map(|([_, size, _], blocks)| [blocks, size])
}

fn thread_index_along(func: &Function, value: Value, [block, size, thread]: Axis) -> Option<bool> {
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
    let (product, _) = [(a, b), (b, a)].into_iter().find(|&(_, other)| is(other, thread))?;
    let product = widened(product);
    let [a, b] = both(BinaryOp::Mul, product)?;
    let is_product = |[a, b]: [Value; 2]| is(a, block) && is(b, size);
    (is_product([a, b]) || is_product([b, a])).then(|| func.ty(product) == Type::I64)
}
