//! The `#[kernel]` attribute.
#![allow(dead_code)] // Until the phases that read the typed tree land.

mod analyze;
mod ast;
mod attrs;
mod builtins;
mod check;
mod constants;
mod contract;
mod diagnostics;
mod host;
mod infer;
mod literal;
mod lower;
mod parse;
mod resolve;
#[cfg(test)]
mod tests;
mod typed;
