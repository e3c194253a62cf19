//! Launch guards as the compiler makes them: [programs](kernel_abi::guard) that the host runs before a launch.
//!
//! A kernel with guards has two versions in the PTX: a checked one, and one without the checks that cannot fail if the guards hold.

use kernel_abi::guard::HostOp;

use crate::ir::{Function, SourceLoc};

/// A launch guard: where it holds, the kernel needs some of its checks no more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTest {
    /// The first check that needs it.
    pub location: SourceLoc,
    /// The test as one would write it in Rust.
    pub text: String,
    /// The test as a program: one step after the other, on a stack.
    pub ops: Vec<HostOp>,
}

/// Offset of each parameter in the bytes of all: the next multiple of its size.
pub(crate) fn offsets(func: &Function) -> Vec<u16> {
    let mut end = 0u32;
    let place = |bytes: u32| {
        let at = end.next_multiple_of(bytes.max(1));
        end = at + bytes;
        u16::try_from(at).unwrap_or(u16::MAX)
    };
    func.params.values().map(|param| param.ty.bytes().max(1)).map(place).collect()
}
