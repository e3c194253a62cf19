//! Writes what the tests of random programs run: `random_programs.rs`, kernels full of random arithmetic,
//! `random_kernels.rs`, kernels with all constructs, and `random_accesses.rs`, kernels with indices of every origin.
//!
//! Equal seeds give equal programs. The first two never panic. `RANDOM_KERNELS` and `RANDOM_SEED` in the
//! environment ask for other kernels than the usual ones.

#[path = "random_accesses/generator.rs"]
mod accesses;
#[path = "random_programs/generate.rs"]
mod generate;
#[path = "random_kernels/generator/mod.rs"]
mod generator;

use std::path::Path;

/// Kernels of `random_kernels.rs`, and half as many of `random_accesses.rs`, unless the environment says otherwise.
const KERNELS: usize = 200;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=random_programs/generate.rs");
    println!("cargo::rerun-if-changed=random_kernels/generator");
    println!("cargo::rerun-if-changed=random_accesses/generator.rs");
    let out = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    let write = |name: &str, text: String| {
        std::fs::write(Path::new(&out).join(name), text).expect("OUT_DIR can be written");
    };
    write(
        "random_programs.rs",
        generate::file(0x5eed_2026, generate::KERNELS, generate::PROGRAMS_PER_KERNEL),
    );
    let count = number("RANDOM_KERNELS").unwrap_or(KERNELS as u64) as usize;
    let seed = number("RANDOM_SEED").unwrap_or(2026);
    write("random_kernels.rs", generator::file(seed, count));
    write("random_accesses.rs", accesses::file(seed, count / 2));
}

/// The number in a variable of the environment.
fn number(name: &str) -> Option<u64> {
    println!("cargo::rerun-if-env-changed={name}");
    let text = std::env::var(name).ok()?;
    Some(
        text.parse().unwrap_or_else(|error| panic!("expected a number in `{name}`, found `{text}`: {error}")),
    )
}
