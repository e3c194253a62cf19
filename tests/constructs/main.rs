//! One kernel for each construct of the language, with results equal to those of rustc.
//!
//! A body is written once and compiled twice: by `#[kernel]`, and by rustc as the function `expected`, the oracle. The
//! kernel's results on the simulator, on its CPU copy, and on a GPU where there is one, must equal those of `expected` in
//! every bit. What threads do together has no such oracle: there, the CPU copy is compared with the others, and both with
//! numbers that the test states. `table.rs` keeps the documentation's table of constructs true.

// `iterator_values::for_option` is about them.
#![allow(for_loops_over_fallibles)]
// `functions::standard_paths` names things by longer paths than it needs.
#![allow(unused_qualifications)]

mod harness;

mod aggregates;
mod atomics;
mod closures;
mod control;
mod enums;
mod enums_with_data;
mod expressions;
mod functions;
mod generics;
mod grid;
mod iterator_values;
mod iterators;
mod math;
mod methods;
mod order;
mod patterns;
mod programs;
mod references;
mod small_floats;
mod structs;
mod table;
mod together;
mod traits;
mod unsafety;
mod vectors;
