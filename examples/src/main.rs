//! The programs about the kernels, as one: `cargo run --release -p examples` runs and checks every example,
//! `cargo run --release -p examples -- chapter` and the like show what they are about.

mod programs;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use programs::{all, chapter, list, occupancy, roofline, tune, versus};

/// Runs every example and checks it against plain Rust, or one of the programs below.
#[derive(Parser)]
#[command(name = "run-examples", args_conflicts_with_subcommands = true)]
struct CommandLine {
    #[command(subcommand)]
    program: Option<Program>,
    #[command(flatten)]
    all: all::Options,
}

#[derive(Subcommand)]
enum Program {
    Chapter(chapter::Options),
    List(list::Options),
    Occupancy(occupancy::Options),
    Roofline(roofline::Options),
    Tune(tune::Options),
    Versus(versus::Options),
}

fn main() -> ExitCode {
    sigpipe::reset(); // `… | head` ends this program as it does others.
    let options = CommandLine::parse();
    let went_well = match &options.program {
        None => all::run(&options.all),
        Some(Program::Chapter(options)) => chapter::run(options),
        Some(Program::List(options)) => list::run(options),
        Some(Program::Occupancy(options)) => occupancy::run(options),
        Some(Program::Roofline(options)) => roofline::run(options),
        Some(Program::Tune(options)) => tune::run(options),
        Some(Program::Versus(options)) => versus::run(options),
    };
    match went_well {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
