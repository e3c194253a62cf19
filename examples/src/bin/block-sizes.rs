//! Occupancy by block size, from 32 to 1024 threads, with its limiter and the time beside it: the block size that
//! `over(n)` takes, against all others.

use std::process::ExitCode;

use clap::Parser;
use comfy_table::Cell;
use examples::occupancy::saxpy;
use examples::tables::{self, right};
use kernel_runtime::prelude::*;

const ELEMENTS: usize = 1 << 20;

/// Runs of each size on a GPU, of which the fastest counts.
const RUNS_ON_A_GPU: usize = 10;

/// Shows the occupancy of a kernel by block size, and its time on a GPU.
#[derive(Parser)]
struct Options {}

fn main() -> ExitCode {
    sigpipe::reset();
    let Options {} = Options::parse();
    match sweep() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn sweep() -> Result<()> {
    let gpu = Gpu::new()?;
    println!("{}\nsaxpy over {ELEMENTS} elements: {}\n", gpu.describe(), saxpy::KERNEL.attributes(&gpu)?);
    let runs = if gpu.is_simulator() { 1 } else { RUNS_ON_A_GPU };
    let best = saxpy::KERNEL.best_block_size(&gpu)?;
    let x = gpu.upload(&examples::random(1, ELEMENTS))?;
    let mut y = gpu.zeros::<f32>(ELEMENTS)?;

    // The time that the simulator takes is no time of a kernel: how occupancy changes that, only a GPU shows.
    let measured: &[&str] = if gpu.is_simulator() { &["instructions", ""] } else { &["time", ""] };
    let mut table =
        tables::table([&["threads", "blocks per SM", "occupancy", "limited by"], measured].concat());
    for threads in (1..=32).map(|warps| 32 * warps) {
        let occupancy = saxpy::KERNEL.max_active_blocks(&gpu, threads, 0)?;
        let report = saxpy(2.0, &x, &mut y).over(ELEMENTS).block(threads).run()?;
        let mut fastest = report.time;
        for _ in 1..runs {
            fastest = fastest.min(saxpy(2.0, &x, &mut y).over(ELEMENTS).block(threads).run()?.time);
        }
        table.add_row([
            right(threads.to_string()),
            right(occupancy.active_blocks.to_string()),
            right(format!("{:.1} %", 100.0 * occupancy.fraction())),
            Cell::new(occupancy.limiters),
            right(match &report.stats {
                Some(stats) => stats.warp_instructions.to_string(),
                None => format!("{fastest:.1?}"),
            }),
            Cell::new(if threads == best.threads { "chosen by `over(n)`" } else { "" }),
        ]);
    }
    println!("{table}\n{best}");
    Ok(())
}
