//! Writes `random_programs.rs`: kernels full of random arithmetic, for the test of that name.
//!
//! Each kernel holds many programs, one expression each; a thread takes one row of inputs, so one launch runs every program
//! on every row. The same seed gives the same programs each time. Programs never panic: divisors are odd and positive.

#[path = "random_programs/generate.rs"]
mod generate;

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=random_programs/generate.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let text = generate::file(0x5eed_2026, generate::KERNELS, generate::PROGRAMS_PER_KERNEL);
    std::fs::write(Path::new(&out).join("random_programs.rs"), text).expect("OUT_DIR can be written");
}
