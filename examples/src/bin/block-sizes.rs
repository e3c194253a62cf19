//! Occupancy by block size, from 32 to 1024 threads, with its limiter and the time beside it: the block size that
//! `over(n)` takes, against all others.

use std::process::ExitCode;

use comfy_table::{Cell, CellAlignment, Table, presets};
use examples::occupancy::saxpy;
use kernel_runtime::prelude::*;

const ELEMENTS: usize = 1 << 20;

/// Runs of each size on a GPU, of which the fastest counts.
const RUNS_ON_A_GPU: usize = 10;

fn main() -> ExitCode {
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

    let mut table = Table::new();
    table.load_style(presets::UTF8_BORDERS_ONLY);
    table.set_header(["threads", "blocks per SM", "occupancy", "limited by", "time", ""]);
    for threads in (1..=32).map(|warps| 32 * warps) {
        let occupancy = saxpy::KERNEL.max_active_blocks(&gpu, threads, 0)?;
        let mut fastest = saxpy(2.0, &x, &mut y).over(ELEMENTS).block(threads).run()?.time;
        for _ in 1..runs {
            fastest = fastest.min(saxpy(2.0, &x, &mut y).over(ELEMENTS).block(threads).run()?.time);
        }
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        table.add_row([
            right(threads.to_string()),
            right(occupancy.active_blocks.to_string()),
            right(format!("{:.1} %", 100.0 * occupancy.fraction())),
            Cell::new(occupancy.limiters),
            right(format!("{fastest:.1?}")),
            Cell::new(if threads == best.threads { "chosen by `over(n)`" } else { "" }),
        ]);
    }
    println!("{table}\n{best}");
    if gpu.is_simulator() {
        println!("The times are those of the simulator: how occupancy changes them, only a GPU shows.");
    }
    Ok(())
}
