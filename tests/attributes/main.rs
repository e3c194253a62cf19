//! The effect of attributes on kernels: the PTX changes, the results do not.
//!
//! Each attribute has a file with pairs of kernels, one with it and one without. Both run on the CPU, the simulator and a GPU
//! where there is one, and give the same bits. The PTX of the one with the attribute is kept in
//! `tests/filetests/attributes`, and `ptxas` assembles it where it is found.

mod harness;

mod arch;
mod bounds;
mod branches;
mod coarsen;
mod coarsened;
mod collectives;
mod disjoint;
mod fast_math;
mod loops;
mod overflow;
mod registers;
mod tune;
mod wide_index;
