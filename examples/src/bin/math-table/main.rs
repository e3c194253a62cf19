//! The largest error of every math function, as a table in Markdown.
//!
//! `cargo run --release -p examples --bin math-table` computes f32 functions of one argument for all 2³² inputs on the device
//! and compares them with the exact values, which the host has to within an ulp of f64; and f64 functions, and those of two
//! arguments, for 10⁸ random inputs, the f64 ones against correctly rounded values. `--quick` takes a sample that the
//! simulator can do; further arguments name the functions to measure. It fails if an error is above the bound in the table of
//! kernels.

mod error;
mod kernels;
mod measure;
mod reference;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use comfy_table::{Table, presets};
use kernel_runtime::prelude::*;

use self::error::Worst;
use self::kernels::{BINARY, UNARY};
use self::measure::Extent;

/// Measures the largest error of every math function, as a table in Markdown.
#[derive(Parser)]
struct Options {
    /// Takes a sample of the inputs, which the simulator can do.
    #[arg(long)]
    quick: bool,
    /// Functions; all of them if none is named.
    functions: Vec<String>,
}

fn main() -> ExitCode {
    sigpipe::reset();
    let Options { quick, functions } = Options::parse();
    let names: Vec<&str> = functions.iter().map(String::as_str).collect();
    let known = |name: &str| UNARY.iter().any(|f| f.name == name) || BINARY.iter().any(|f| f.name == name);
    if let Some(unknown) = names.iter().find(|name| !known(name)) {
        eprintln!("no function `{unknown}`; functions: {}", all_names().join(", "));
        return ExitCode::FAILURE;
    }
    match measure_all(&names, if quick { Extent::QUICK } else { Extent::FULL }) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn all_names() -> Vec<&'static str> {
    UNARY.iter().map(|f| f.name).chain(BINARY.iter().map(|f| f.name)).collect()
}

/// Prints the table; whether every error is within its bound.
fn measure_all(names: &[&str], extent: Extent) -> Result<bool> {
    let gpu = Gpu::new()?;
    let start = Instant::now();
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN);
    table.set_header([
        "function",
        "f32: largest error, ulp",
        "at",
        "f64: steps from the rounded value",
        "at",
        "specials",
    ]);
    let mut good = true;
    let wanted = |name: &str| names.is_empty() || names.contains(&name);
    for function in UNARY.iter().filter(|function| wanted(function.name)) {
        let single = measure::unary_f32(&gpu, function, extent)?;
        let double = measure::unary_f64(&gpu, function, extent)?;
        let within = is_within(&single, function.bound_f32) && is_within(&double, function.bound_f64 as f64);
        table.add_row(row(function.name, 1, &single, &double));
        progress(function.name, within, start);
        good &= within;
    }
    for function in BINARY.iter().filter(|function| wanted(function.name)) {
        let single = measure::binary_f32(&gpu, function, extent)?;
        let double = measure::binary_f64(&gpu, function, extent)?;
        let within = is_within(&single, function.bound_f32) && is_within(&double, function.bound_f64 as f64);
        table.add_row(row(function.name, 2, &single, &double));
        progress(function.name, within, start);
        good &= within;
    }
    println!(
        "{}; {} inputs of f32 functions of one argument, {} of the others\n",
        gpu.describe(),
        extent.all,
        extent.random
    );
    println!("{table}");
    Ok(good)
}

fn is_within(worst: &Worst, bound: f64) -> bool {
    worst.wrong_specials == 0 && worst.error <= bound
}

fn progress(name: &str, within: bool, start: Instant) {
    let verdict = if within { "" } else { ": above its bound" };
    eprintln!("{:4.0} s  {name}{verdict}", start.elapsed().as_secs_f64());
}

fn row(name: &str, arguments: usize, single: &Worst, double: &Worst) -> [String; 6] {
    let at = |worst: &Worst, digits: fn(f64) -> String| {
        worst.at[..arguments].iter().map(|&x| digits(x)).collect::<Vec<_>>().join(", ")
    };
    let wrong = single.wrong_specials + double.wrong_specials;
    [
        format!("`{name}`"),
        format!("{:.3}", single.error),
        // The shortest digits that give the f32 back.
        at(single, |x| format!("{:e}", x as f32)),
        format!("{}", double.error),
        at(double, |x| format!("{x:e}")),
        if wrong == 0 { "right".to_owned() } else { format!("{wrong} wrong") },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_within_the_bounds() {
        assert!(measure_all(&[], Extent::QUICK).unwrap());
    }
}
