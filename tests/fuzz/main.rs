//! Texts with mistakes in them, made of texts that compilers wrote: the parser and the check say what is wrong or take them, and
//! the simulator loads and runs what they take; nothing panics, hangs, or takes much memory.
//!
//! A few seconds each; `FUZZ_SECONDS=3600` says for how long, `FUZZ_SEED=7` begins elsewhere. What fails is in a file that the
//! failure names.

mod corpus;
mod memory;
mod mutate;
mod parser;
mod simulator;
mod watch;
