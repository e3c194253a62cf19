//! The coarsened version of an element-wise kernel, and which launches take it.

use std::fmt;

use kernel_abi::guard::{LaunchFacts, holds};

use super::{HostTest, Variant};

/// The version of an element-wise kernel in which each thread does several consecutive elements by accesses of up to 16 bytes.
///
/// Launches with `.over(n)` take it where its launch guards hold: that no element at or beyond `n` would do anything, that buffers
/// start at multiples of the width of accesses, and what else keeps every check from failing. All elements get the same bits as in the plain
/// versions, and it never panics. Launches whose threads would then fill less than half of the device stay with the plain version, which is as
/// fast there. [`Launch::coarsened`](crate::Launch::coarsened) takes it for small launches too, or not at all, and `#[kernel(coarsen(1))]`
/// leaves it out.
#[derive(Clone, Copy, Debug)]
pub struct Coarsened {
    /// Number of elements of a thread.
    pub elements: u32,
    /// The launch guards: all of them have to hold.
    pub tests: &'static [HostTest],
    /// The entry, in the same PTX.
    pub variant: &'static Variant,
}

impl Coarsened {
    /// The first guard that fails for the launch that does the same elements one by one.
    pub(crate) fn failing(&self, launch: &LaunchFacts<'_>) -> Option<&'static HostTest> {
        self.tests.iter().find(|test| !holds(test.ops, launch))
    }
}

/// Outcome for the [coarsened version](Coarsened) of a kernel in a launch: taken, or why not.
#[derive(Clone, Copy, Debug, Default)]
pub enum Coarsening {
    /// The kernel has none, or not for this device.
    #[default]
    NoVersion,
    /// The launch took it.
    Taken {
        /// Number of elements of a thread.
        elements: u32,
    },
    /// The launch gave its grid, a cluster or a block of several dimensions.
    OtherShape,
    /// The launch asked for the plain version: [`coarsened(false)`](crate::Launch::coarsened) or [`checked(true)`](crate::Launch::checked).
    Asked,
    /// Its threads would fill less than half of the device, which then has all accesses under way at once in either version.
    Small {
        /// Number of threads that it would have.
        threads: u64,
        /// Number of threads of half of the device.
        least: u64,
    },
    /// It does not fit the launch: it needs too many registers for the block or the occupancy asked for, or its indices would not fit 32
    /// bits.
    DoesNotFit,
    /// This launch guard failed.
    Failed(&'static HostTest),
}

impl fmt::Display for Coarsening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const ONE: &str = "one element a thread";
        match self {
            Coarsening::NoVersion => f.write_str("no coarsened version"),
            Coarsening::Taken { elements } => write!(f, "{elements} elements a thread"),
            Coarsening::OtherShape => write!(f, "{ONE}: the launch does not leave its grid to `over`"),
            Coarsening::Asked => write!(f, "{ONE}: the launch asks for it"),
            Coarsening::Small { threads, least } => {
                write!(
                    f,
                    "{ONE}: {threads} threads of several would fill less than half of the device, {least}"
                )
            }
            Coarsening::DoesNotFit => {
                write!(f, "{ONE}: several take more registers, or larger indices, than fit the launch")
            }
            Coarsening::Failed(test) => write!(f, "{ONE}: not {test}"),
        }
    }
}
