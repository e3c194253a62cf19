//! Errors of the library's functions.

use thiserror::Error;

/// A result with an [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A mistake in what a function of the library is given, or a failed launch.
#[derive(Error)]
#[non_exhaustive]
pub enum Error {
    /// Sizes that do not fit each other.
    #[error("expected {expected}, found {found}\nhelp: {help}")]
    Shape {
        /// The sizes that would do.
        expected: String,
        /// Those that there are.
        found: String,
        /// The way to mend it.
        help: &'static str,
    },
    /// Of the kernel's launch.
    #[error(transparent)]
    Kernel(#[from] kernel_runtime::Error),
}

/// As `Display`: what `main` and `unwrap` print.
impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}
