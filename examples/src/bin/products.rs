//! Times the products of matrices of `kernel-library`.
//!
//! `cargo run --release -p examples --bin products [--size n]… [--rounds n]`. It needs a CUDA device, one of compute capability 9.0 for the speed that it
//! is about. Results are compared by the test `library`.

use std::process::ExitCode;

use clap::Parser;
use comfy_table::{Cell, CellAlignment, Table};
use examples::random;
use examples::tables;
use kernel_library::{Activation, MatmulElement, matmul};
use kernel_runtime::prelude::*;

/// Times products of matrices.
#[derive(Parser)]
#[command(name = "products")]
struct Options {
    /// Rows and columns. May be given several times.
    #[arg(long = "size", default_values_t = [1024, 2048, 4096, 8192])]
    sizes: Vec<usize>,
    /// Timed runs of each.
    #[arg(long, default_value_t = 31)]
    rounds: usize,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
}

/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 3;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Ways to multiply matrices of an element: whether the right one is transposed, and whether there are a bias and an activation.
const WAYS: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

/// Adds a row for each way at each size.
fn measure<T: MatmulElement>(
    table: &mut Table,
    gpu: &Gpu,
    options: &Options,
    name: &str,
    of_f32: fn(f32) -> T,
) -> Outcome<()> {
    let stream = gpu.stream()?;
    let (mut first, mut last) = (stream.record()?, stream.record()?);
    for &size in &options.sizes {
        let numbers = |seed: u64| -> Vec<T> {
            random(seed, size * size).into_iter().map(|x| of_f32(x - 0.5)).collect()
        };
        let (a, b) = (gpu.upload(&numbers(40))?, gpu.upload(&numbers(41))?);
        let bias = gpu.zeros::<f32>(size)?;
        let mut c = gpu.zeros::<T::Output>(size * size)?;
        for (transposed, finished) in WAYS {
            // Launches one behind the other, some milliseconds of them: the time of the host is none of theirs.
            let launches = ((1u64 << 39) / (size as u64).pow(3)).clamp(1, 100) as u32;
            let mut times = Vec::new();
            for round in 0..options.rounds + WARM_UP {
                stream.record_again(&mut first)?;
                for _ in 0..launches {
                    let (a, b) = (a.matrix(size, size)?, b.matrix(size, size)?);
                    let mut product = matmul(a, b, c.matrix_mut(size, size)?);
                    if transposed {
                        product = product.transposed();
                    }
                    if finished {
                        product = product.bias(&bias).activation(Activation::Gelu);
                    }
                    product.start(&stream)?;
                }
                stream.record_again(&mut last)?;
                stream.synchronize()?;
                if round >= WARM_UP {
                    times.push(last.since(&first)? / launches);
                }
            }
            times.sort_unstable();
            let time = times[times.len() / 2];
            let speed = 2.0 * (size as f64).powi(3) / time.as_secs_f64() / 1e12;
            let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(name),
                Cell::new(if transposed { "A Bᵀ" } else { "A B" }),
                Cell::new(if finished { "bias, GELU" } else { "" }),
                number(size.to_string()),
                number(format!("{time:.1?}")),
                number(format!("{speed:.0}")),
            ]);
        }
    }
    Ok(())
}

fn run(options: &Options) -> Outcome<()> {
    let gpu = Gpu::cuda(options.device)?;
    println!("{}\n", gpu.describe());
    let mut table = tables::table(["elements", "product", "then", "size", "time", "TFLOP/s"]);
    measure(&mut table, &gpu, options, "f16", f16::from_f32)?;
    measure(&mut table, &gpu, options, "bf16", bf16::from_f32)?;
    measure(&mut table, &gpu, options, "f32 as tf32", |x: f32| x)?;
    measure(&mut table, &gpu, options, "E4M3", E4M3::from_f32)?;
    measure(&mut table, &gpu, options, "E5M2", E5M2::from_f32)?;
    println!("{table}");
    Ok(())
}

fn main() -> ExitCode {
    sigpipe::reset();
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
