//! The programs, each with its options, and what they share: where they run, and what they write besides tables.
//!
//! Each returns true if all that it saw was right.

pub mod all;
pub mod chapter;
pub mod list;
pub mod occupancy;
pub mod roofline;
pub mod tune;
pub mod versus;

use std::path::PathBuf;

use clap::Args;
use examples::Example;
use examples::tables::{right, table};
use kernel_runtime::prelude::*;
use serde::Serialize;

/// The device that a program runs on.
#[derive(Args)]
pub struct Device {
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// The simulator even where there is a GPU.
    #[arg(long)]
    simulator: bool,
}

impl Device {
    /// The CUDA device, or the simulator where there is none.
    fn gpu(&self) -> Gpu {
        let cuda = if self.simulator { None } else { Gpu::cuda(self.device).ok() };
        cuda.unwrap_or_else(|| Gpu::simulator(Arch::Sm90))
    }
}

/// Output besides tables.
#[derive(Args)]
pub struct Json {
    /// Writes what was found here as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

impl Json {
    /// Writes it, if it was asked for.
    fn write(&self, found: &impl Serialize) -> Result<(), String> {
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(found).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| format!("`{}`: {error}", path.display()))
    }
}

/// The examples whose kernel or topic contains a name.
fn named(only: &str) -> Result<Vec<&'static Example>, String> {
    let is_asked =
        |example: &&Example| [example.kernel.name(), example.topic].iter().any(|name| name.contains(only));
    let asked: Vec<&Example> = examples::examples().filter(is_asked).collect();
    if asked.is_empty() {
        let mut topics: Vec<&str> = examples::examples().map(|example| example.topic).collect();
        topics.dedup();
        return Err(format!("no example or topic contains `{only}`\nhelp: topics are {}", topics.join(", ")));
    }
    Ok(asked)
}

/// A block for each twentieth.
fn bar(fraction: f64) -> String {
    let filled = (20.0 * fraction).round().clamp(0.0, 20.0) as usize;
    "█".repeat(filled) + &"░".repeat(20 - filled)
}
