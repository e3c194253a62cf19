//! The `#[kernel]` attribute.
#![allow(dead_code)] // Until the phases that read the typed tree land.

mod attrs;
mod builtins;
mod contract;
mod host;
mod lower;
mod typed;
