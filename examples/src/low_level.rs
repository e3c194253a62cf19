//! Low level: what only PTX says, to the caches and of the machine.

pub mod caches;
pub mod registers;
