//! The entries of a kernel for launches where checks cannot fail, and how a launch finds out that it is one.

use std::fmt;

use kernel_abi::guard::{HostOp, LaunchFacts, holds};

use super::Variant;

/// The version of a kernel with fewer checks, or none: for launches whose launch guards hold.
///
/// A check whose failure depends on lengths, scalar parameters and the shape of the launch only, given the conditions around it,
/// needs no thread to make it: the host evaluates one launch guard instead, before each launch, and takes the next version if it
/// fails, the one with all checks in the end. See [`Kernel::report`](crate::Kernel::report) for what became of each check.
#[derive(Clone, Copy, Debug)]
pub struct CheckFree {
    /// The launch guards: all of them have to hold.
    pub tests: &'static [HostTest],
    /// The entry, in the same PTX.
    pub variant: &'static Variant,
}

impl CheckFree {
    /// The first test that fails for a launch.
    pub(crate) fn failing(&self, launch: &LaunchFacts<'_>) -> Option<&'static HostTest> {
        self.tests.iter().find(|test| !holds(test.ops, launch))
    }
}

/// A test that the host makes before a launch, once instead of each thread.
#[derive(Clone, Copy, Debug)]
pub struct HostTest {
    /// The test as one would write it in Rust.
    pub text: &'static str,
    /// The source file of the first check that it stands for.
    pub file: &'static str,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
    /// The test as a program.
    #[doc(hidden)]
    pub ops: &'static [HostOp],
}

impl fmt::Display for HostTest {
    /// `y.len() <= x.len()` (src/lib.rs:12:9)
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` ({}:{}:{})", self.text, self.file, self.line, self.column)
    }
}

/// The version of its kernel that a launch took.
#[derive(Clone, Copy, Debug, Default)]
pub enum ChecksTaken {
    /// The kernel has only one: nothing in it depends on the launch.
    #[default]
    Only,
    /// The one without the checks that the launch guards stand for.
    CheckFree,
    /// The partly checked one, as this launch guard of the one without checks failed.
    Partly(&'static HostTest),
    /// The one with all checks, as this launch guard failed.
    Failed(&'static HostTest),
    /// The one with all checks, as [`Launch::checked`](crate::Launch::checked) asked for.
    Asked,
}

impl fmt::Display for ChecksTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChecksTaken::Only => f.write_str("the only entry"),
            ChecksTaken::CheckFree => f.write_str("the entry without checks"),
            ChecksTaken::Partly(test) => write!(f, "the entry with some checks: not {test}"),
            ChecksTaken::Failed(test) => write!(f, "the entry with checks: not {test}"),
            ChecksTaken::Asked => f.write_str("the entry with checks, as asked"),
        }
    }
}
