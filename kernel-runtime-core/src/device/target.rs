//! The architecture that the kernel is compiled for.

use crate::cpu::fiber;

/// Returns true if the code is compiled for an architecture of this number or a newer one: 90 is `sm_90`, `sm_90a` and everything
/// later. A constant in each variant of `arch(…)`; code that it rules out is not compiled there.
///
/// On the CPU the launch says which variant it stands for: [`CpuLaunch::target`](crate::cpu::CpuLaunch::target).
pub fn at_least(number: u32) -> bool {
    fiber::position("target::at_least").target.number() >= number
}
