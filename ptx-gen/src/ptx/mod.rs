//! PTX text: one tree that the emitter builds, the parser reads back and the simulator runs.
//!
//! ```text
//! select → tree → print → text → lex → parse → tree → check, simulator
//! ```

pub mod check;
pub mod forms;
pub mod keyword;
pub mod lex;
pub mod opcode;
pub mod parse;
mod print;
pub mod selector;
pub mod special;
pub mod tree;
mod vocabulary;
