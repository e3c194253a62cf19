//! Checks that the host decides: which tests kernels have, which entry launches take, and that nothing is accessed outside
//! where checks are left out.

mod exact_sizes;
mod examples;
mod launches;
mod random;
mod remainders;
mod signed;
