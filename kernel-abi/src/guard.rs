//! Launch guards, tested by the host before a launch: small programs over the kernel's parameters and the shape of the launch.
//!
//! Numbers are exact: a guard with a number beyond 128 bits fails, so that nothing is taken for small because it wrapped.

use crate::eval;
use crate::operators::{BinaryOp, ConvertOp, IntCond, SpecialRegister, UnaryOp};
use crate::types::Type;

/// A step of a launch guard: it takes its operands from the stack, the last one first, and leaves its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOp {
    /// The bits of a parameter.
    Param {
        /// Offset in the bytes of all parameters.
        at: u16,
        /// Its type.
        ty: Type,
    },
    /// Threads per block, blocks per grid, bytes of dynamic shared memory.
    Launch(SpecialRegister),
    /// Number of elements that the launch is over: the `n` of `.over(n)`; unknown where the launch gives its grid.
    Over,
    /// A number.
    Number(u64),
    /// The exact sum.
    Add,
    /// The exact difference.
    Sub,
    /// The exact product.
    Mul,
    /// The quotient, rounded down; by numbers above zero only.
    Div,
    /// The greater one.
    Max,
    /// Unary operation on the bits of a value, as the device does it.
    Unary(UnaryOp, Type),
    /// Binary operation on the bits of two values, as the device does it.
    Binary(BinaryOp, Type),
    /// Comparison of the bits of two values, as the device does it.
    Compare(IntCond, Type),
    /// Conversion of bits of the first type to the second, as the device does it.
    Convert(ConvertOp, Type, Type),
    /// The first number times the second plus the third, rounded once, as the device does it.
    Fma(Type),
    /// Of a truth value and two others the first of these if it is true.
    Select,
    /// True if the first number is at most the second.
    AtMost,
    /// True if it is false.
    Not,
    /// True if both are true.
    And,
    /// True if one is true.
    Or,
}

/// A launch as tests see it.
#[derive(Clone, Copy, Debug)]
pub struct LaunchFacts<'l> {
    /// The arguments, laid out as PTX lays out parameters.
    pub params: &'l [u8],
    /// Threads per block.
    pub block: [u32; 3],
    /// Blocks.
    pub grid: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub dynamic_shared: u32,
    /// The `n` of `.over(n)`, if that chose the grid.
    pub over: Option<u64>,
}

/// Maximum depth of the stack.
const STACK: usize = 16;

/// Returns true if a guard holds for a launch. Nothing is allocated.
pub fn holds(ops: &[HostOp], launch: &LaunchFacts<'_>) -> bool {
    let mut stack = Stack { numbers: [None; STACK], len: 0 };
    for op in ops {
        if stack.step(*op, launch).is_none() {
            return false;
        }
    }
    stack.len == 1 && stack.numbers[0] == Some(1)
}

/// Returns true if a program leaves one value and never overflows the stack.
pub fn fits_stack(ops: &[HostOp]) -> bool {
    let mut depth = 0usize;
    for op in ops {
        let Some(below) = depth.checked_sub(op.operands()) else { return false };
        depth = below + 1;
        if depth > STACK {
            return false;
        }
    }
    depth == 1
}

impl HostOp {
    fn operands(self) -> usize {
        match self {
            HostOp::Param { .. } | HostOp::Launch(_) | HostOp::Over | HostOp::Number(_) => 0,
            HostOp::Unary(..) | HostOp::Convert(..) | HostOp::Not => 1,
            HostOp::Add
            | HostOp::Sub
            | HostOp::Mul
            | HostOp::Div
            | HostOp::Max
            | HostOp::Binary(..)
            | HostOp::Compare(..)
            | HostOp::AtMost
            | HostOp::And
            | HostOp::Or => 2,
            HostOp::Select | HostOp::Fma(_) => 3,
        }
    }
}

/// None: a number that is not known, as it is too large or was divided by zero.
type Number = Option<i128>;

struct Stack {
    numbers: [Number; STACK],
    len: usize,
}

impl Stack {
    fn pop(&mut self) -> Option<Number> {
        self.len = self.len.checked_sub(1)?;
        Some(self.numbers[self.len])
    }

    /// One step. None for what is no program.
    fn step(&mut self, op: HostOp, launch: &LaunchFacts<'_>) -> Option<()> {
        let operands = op.operands();
        let [mut a, mut b, mut c] = [None; 3];
        if operands > 2 {
            c = self.pop()?;
        }
        if operands > 1 {
            b = self.pop()?;
        }
        if operands > 0 {
            a = self.pop()?;
        }
        *self.numbers.get_mut(self.len)? = apply(op, [a, b, c], launch);
        self.len += 1;
        Some(())
    }
}

fn apply(op: HostOp, [a, b, c]: [Number; 3], launch: &LaunchFacts<'_>) -> Number {
    let bits = |number: Number| u64::try_from(number?).ok();
    match op {
        HostOp::Param { at, ty } => {
            let (at, bytes) = (usize::from(at), ty.bytes().max(1) as usize);
            let mut word = [0; 8];
            word.get_mut(..bytes)?.copy_from_slice(launch.params.get(at..at + bytes)?);
            Some(u64::from_le_bytes(word).into())
        }
        HostOp::Launch(register) => launch.register(register).map(i128::from),
        HostOp::Over => launch.over.map(i128::from),
        HostOp::Number(number) => Some(number.into()),
        HostOp::Add => a?.checked_add(b?),
        HostOp::Sub => a?.checked_sub(b?),
        HostOp::Mul => a?.checked_mul(b?),
        HostOp::Div => b.filter(|&b| b > 0).and_then(|b| Some(a?.div_euclid(b))),
        HostOp::Max => Some(a?.max(b?)),
        HostOp::Unary(op, ty) => eval::unary(op, ty, bits(a)?).map(i128::from),
        HostOp::Binary(op, ty) => eval::binary(op, ty, bits(a)?, bits(b)?).map(i128::from),
        HostOp::Compare(cond, ty) => Some(eval::int_compare(cond, ty, bits(a)?, bits(b)?).into()),
        HostOp::Convert(op, from, to) => eval::convert(op, from, to, bits(a)?).map(i128::from),
        HostOp::Fma(ty) => eval::fma(ty, [bits(a)?, bits(b)?, bits(c)?]).map(i128::from),
        HostOp::Select => match a? {
            0 => c,
            _ => b,
        },
        // An unknown number proves nothing.
        HostOp::AtMost => Some(matches!((a, b), (Some(a), Some(b)) if a <= b).into()),
        HostOp::Not => Some((a? == 0).into()),
        HostOp::And => Some((a == Some(1) && b == Some(1)).into()),
        HostOp::Or => Some((a == Some(1) || b == Some(1)).into()),
    }
}

impl LaunchFacts<'_> {
    fn register(&self, register: SpecialRegister) -> Option<u32> {
        let index = LAUNCH_REGISTERS.iter().position(|(known, _)| *known == register)?;
        let [[bx, by, bz], [gx, gy, gz]] = [self.block, self.grid];
        [bx, by, bz, gx, gy, gz, self.dynamic_shared].get(index).copied()
    }
}

/// The registers that are the same for all threads of a launch and known before it, and what Rust calls them.
pub const LAUNCH_REGISTERS: [(SpecialRegister, &str); 7] = [
    (SpecialRegister::NtidX, "block_dim().x"),
    (SpecialRegister::NtidY, "block_dim().y"),
    (SpecialRegister::NtidZ, "block_dim().z"),
    (SpecialRegister::NctaidX, "grid_dim().x"),
    (SpecialRegister::NctaidY, "grid_dim().y"),
    (SpecialRegister::NctaidZ, "grid_dim().z"),
    (SpecialRegister::DynamicSharedSize, "dynamic_shared_bytes"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const LAUNCH: LaunchFacts<'_> = LaunchFacts {
        params: &[7, 0, 0, 0, 9, 0, 0, 0],
        block: [256, 2, 1],
        grid: [4, 1, 1],
        dynamic_shared: 64,
        over: Some(1000),
    };

    #[track_caller]
    fn check(ops: &[HostOp], expected: bool) {
        assert!(fits_stack(ops), "{ops:?}");
        assert_eq!(holds(ops, &LAUNCH), expected, "{ops:?}");
    }

    #[test]
    fn numbers_are_exact() {
        let [seven, nine] = [0, 4].map(|at| HostOp::Param { at, ty: Type::I32 });
        let most = HostOp::Number(u64::MAX);
        check(&[seven, nine, HostOp::AtMost], true);
        check(&[nine, seven, HostOp::AtMost], false);
        check(&[seven, seven, HostOp::AtMost], true);
        // Beyond 64 bits, and beyond 128, where nothing is known.
        check(&[most, most, HostOp::Mul, most, HostOp::AtMost], false);
        check(&[most, most, most, HostOp::Mul, HostOp::Mul, most, HostOp::AtMost], false);
        check(&[seven, most, most, most, HostOp::Mul, HostOp::Mul, HostOp::AtMost], false);
        // Below zero, rounded down.
        let minus_one = [seven, HostOp::Number(8), HostOp::Sub];
        check(&[&minus_one[..], &[nine, HostOp::Div, HostOp::Number(0), HostOp::AtMost]].concat(), true);
        check(&[seven, HostOp::Number(0), HostOp::Div, nine, HostOp::AtMost], false);
    }

    #[test]
    fn the_number_of_elements_of_a_launch() {
        let ops = [HostOp::Over, HostOp::Number(1000), HostOp::AtMost];
        check(&ops, true);
        check(&[HostOp::Number(1001), HostOp::Over, HostOp::AtMost], false);
        // Nothing is known of a launch that gives its grid.
        assert!(!holds(&ops, &LaunchFacts { over: None, ..LAUNCH }));
    }

    #[test]
    fn launches_and_the_arithmetic_of_the_device() {
        let [threads, blocks] = [SpecialRegister::NtidX, SpecialRegister::NctaidX].map(HostOp::Launch);
        let seven = HostOp::Param { at: 0, ty: Type::I32 };
        check(&[threads, blocks, HostOp::Mul, HostOp::Number(1024), HostOp::AtMost], true);
        check(&[threads, blocks, HostOp::Mul, HostOp::Number(1023), HostOp::AtMost], false);
        check(
            &[HostOp::Launch(SpecialRegister::DynamicSharedSize), HostOp::Number(64), HostOp::AtMost],
            true,
        );
        let wrapped = [seven, HostOp::Number(8), HostOp::Binary(BinaryOp::Sub, Type::I32)];
        check(&[&wrapped[..], &[HostOp::Number(0xffff_fffe), HostOp::AtMost]].concat(), false);
        let odd = [seven, HostOp::Number(1), HostOp::Binary(BinaryOp::And, Type::I32), HostOp::Number(1)];
        check(&[&odd[..], &[HostOp::Compare(IntCond::Eq, Type::I32)]].concat(), true);
        check(&[&odd[..], &[HostOp::Compare(IntCond::Eq, Type::I32), HostOp::Not]].concat(), false);
    }
}
