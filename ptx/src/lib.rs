//! NVIDIA's PTX: one tree that a compiler builds, the parser reads back and a simulator runs.
//!
//! ```text
//! a compiler → tree → print → text → lex → parse → tree → check, a simulator
//! ```
//!
//! ```
//! let text = ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry nothing()\n{\n\tret;\n}\n";
//! let module = ptx::parse::parse(text)?;
//! assert!(ptx::check::check(&module).is_ok());
//! assert_eq!(ptx::parse::parse(&module.to_string())?.to_string(), module.to_string());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`forms`] is the one table of instructions: their modifiers and operands, and the PTX version and architecture that have them. Two
//! parts stand beside the text: [`target`], the table of architectures, and [`occupancy`], the arithmetic of how many blocks fit
//! a multiprocessor.

pub mod check;
pub mod forms;
pub mod keyword;
pub mod lex;
pub mod occupancy;
pub mod opcode;
pub mod parse;
mod print;
pub mod selector;
pub mod special;
pub mod target;
pub mod tree;
mod vocabulary;
