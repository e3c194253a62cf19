//! The time of each phase of `#[kernel]` on a kernel of thirty lines.
//!
//! A user's debug build may compile the macro without optimisation, so that is what counts:
//! `cargo bench -p kernel-macros --profile dev`. Prints medians; nothing here can fail.

// Items that only the macros or their unit tests use are dead code here.
#![allow(dead_code, unused_imports, unused_macros)]

// A procedural macro's crate exports nothing but macros, so its phases are compiled into this program once more: its root stands beside theirs.
mod analyze;
mod ast;
mod atomics;
mod attrs;
mod builtins;
mod called;
mod chains;
mod check;
mod closed;
mod closure_copies;
mod configured;
mod constants;
mod contract;
mod copy;
mod crate_name;
mod cuda_names;
mod declarative;
mod device;
mod diagnostics;
mod expand;
mod host;
mod infer;
mod literal;
mod lower;
mod module;
mod nesting;
mod own_path;
mod parse;
mod partitions;
mod resolve;
mod typed;
mod views;
mod walk;

use std::hint::black_box;
use std::time::{Duration, Instant};

use proc_macro2::TokenStream;

/// Thirty lines: a tile in shared memory, loops, a guard, arithmetic.
const KERNEL: &str = r"
pub fn smooth(width: usize, weight: f32, x: &[f32], y: &mut [f32]) {
    const TILE: usize = 258;
    let mut tile = shared::<[f32; 258]>();
    let t = thread_idx().x;
    let i = global_idx().x;
    if i < x.len() {
        tile[t + 1] = x[i];
    }
    if t == 0 && i > 0 {
        tile[0] = x[i - 1];
    }
    if t == block_dim().x - 1 && i + 1 < x.len() {
        tile[t + 2] = x[i + 1];
    }
    barrier();
    let mut sum = 0.0;
    for k in 0..3 {
        let value = tile[(t + k) % TILE];
        sum += weight * value;
    }
    let row = i / width;
    let column = i % width;
    let edge = row == 0 || column == 0 || column == width - 1;
    if !edge && i < y.len() {
        let scale = if sum > 1.0 { sum.sqrt() } else { 1.0 };
        y[i] = sum / scale;
    } else if i < y.len() {
        y[i] = x[i] * 0.5;
    }
}";

/// Number of runs of each phase.
const ROUNDS: usize = 101;

fn tokens() -> TokenStream {
    KERNEL.parse().expect("the kernel is Rust")
}

fn kernel() -> typed::Kernel {
    let mut analysis = analyze::analyze(TokenStream::new(), tokens());
    let mut kernel = analysis.kernels.remove(0).instances.pop().expect("the kernel is right");
    contract::contract(&mut kernel);
    kernel
}

/// Runs `phase` on what `input` makes and prints its median time.
fn measure<I, O>(name: &str, mut input: impl FnMut() -> I, mut phase: impl FnMut(I) -> O) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let input = input();
            let start = Instant::now();
            black_box(phase(black_box(input)));
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{name:<20} {:>8.3} ms", times[ROUNDS / 2].as_secs_f64() * 1e3);
}

fn main() {
    let optimised = if cfg!(debug_assertions) { "unoptimised" } else { "optimised" };
    println!(
        "a kernel of {} lines, the macro {optimised}, medians of {ROUNDS}",
        KERNEL.trim().lines().count()
    );
    let name = proc_macro2::Ident::new("copy_0", proc_macro2::Span::call_site());
    measure("analyze", tokens, |item| analyze::analyze(TokenStream::new(), item));
    measure("lower", kernel, |kernel| lower::lower(&kernel, None));
    measure("compile", || lower::lower(&kernel(), None).module, |module| ptx_gen::compile(&module, None));
    measure("the copy for the CPU", kernel, |kernel| host::instance(&kernel, &name));
    measure("expand, all of it", tokens, |item| expand::expand(TokenStream::new(), item));
}
