//! Times attention of `kernel-library`, and compares some of its rows with `f64`.
//!
//! `cargo run --release -p examples --bin attention [--size n]… [--rows n]… [--rounds n] [--backward]`. It needs a CUDA device, one of compute capability 9.0 for
//! the speed that it is about. There are 16,384 queries and keys in all, of 2,048 elements in all heads.

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;
use comfy_table::{Cell, CellAlignment, Table};
use examples::random;
use examples::tables;
use kernel_library::{AttentionElement, Layout, Workspace, attention};
use kernel_runtime::prelude::*;

/// Times attention.
#[derive(Parser)]
#[command(name = "attention")]
struct Options {
    /// Queries and keys of a head: divisors of 16,384. May be given several times.
    #[arg(long = "rows", default_values_t = [1024, 2048, 4096, 8192, 16384])]
    rows: Vec<usize>,
    /// Elements of a head: 64, 128 or 256. May be given several times.
    #[arg(long = "size", default_values_t = [128])]
    sizes: Vec<usize>,
    /// Timed runs of each.
    #[arg(long, default_value_t = 31)]
    rounds: usize,
    /// The backward pass, of heads of 64 and 128, as it is by default and the deterministic one; the gradients of the queries are compared.
    #[arg(long)]
    backward: bool,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
}

/// Queries of all sequences together, and the elements of all heads of each.
const QUERIES: usize = 16384;
const WIDTH: usize = 2048;
/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 3;
/// Rows that are compared.
const COMPARED: usize = 64;

type Outcome<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The elements, and how they are made.
struct Kind<T> {
    name: &'static str,
    of_f32: fn(f32) -> T,
    to_f32: fn(T) -> f32,
}

/// A pass that is measured.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Forward,
    Backward,
    Deterministic,
}

impl Pass {
    fn name(self) -> &'static str {
        match self {
            Pass::Forward => "forward",
            Pass::Backward => "backward",
            Pass::Deterministic => "deterministic",
        }
    }
}

/// The time of a call, the middle one of many, and the largest difference from `f64` in the rows that are compared.
fn measure<T: AttentionElement>(
    gpu: &Gpu,
    options: &Options,
    [rows, heads, size]: [usize; 3],
    (pass, causal): (Pass, bool),
    kind: &Kind<T>,
) -> Outcome<(Duration, f64)> {
    let is_backward = pass != Pass::Forward;
    let scale = 1.0 / (size as f32).sqrt();
    // Scores vary by some units, as those of real queries do.
    let numbers = |seed: u64, width: f32| -> Vec<T> {
        let numbers = random(seed, heads * rows * size).into_iter();
        numbers.map(|number| (kind.of_f32)(width * (number - 0.5))).collect()
    };
    let data = [numbers(60, 4.0), numbers(61, 4.0), numbers(62, 2.0), numbers(63, 2.0)];
    let [q, k, v, slopes] =
        [gpu.upload(&data[0])?, gpu.upload(&data[1])?, gpu.upload(&data[2])?, gpu.upload(&data[3])?];
    let zeros = vec![(kind.of_f32)(0.0); data[0].len()];
    let mut outputs = [gpu.upload(&zeros)?, gpu.upload(&zeros)?, gpu.upload(&zeros)?, gpu.upload(&zeros)?];
    let (mut sums, mut workspace) = (gpu.zeros::<f32>(heads * rows)?, Workspace::default());
    let stream = gpu.stream()?;
    let (mut first, mut last) = (stream.record()?, stream.record()?);
    let mut times = Vec::new();
    let [of_q, of_k, of_v, o] = &mut outputs;
    for round in 0..options.rounds + WARM_UP {
        stream.record_again(&mut first)?;
        let [q, k, v] = [&q, &k, &v].map(|matrix| matrix.matrix(heads * rows, size));
        let mut call =
            attention(q?, k?, v?, o.matrix_mut(heads * rows, size)?).heads(heads).layout(Layout::ByHead);
        if causal {
            call = call.causal();
        }
        if is_backward {
            call = call.log_sums(&mut sums);
        }
        if is_backward && round > 0 {
            let [of_q, of_k, of_v] =
                [&mut *of_q, &mut *of_k, &mut *of_v].map(|buffer| buffer.matrix_mut(heads * rows, size));
            let call = call
                .backward(slopes.matrix(heads * rows, size)?, [of_q?, of_k?, of_v?])
                .workspace(&mut workspace);
            match pass {
                Pass::Forward | Pass::Backward => call.start(&stream)?,
                Pass::Deterministic => call.deterministic().start(&stream)?,
            }
        } else {
            call.start(&stream)?;
        }
        stream.record_again(&mut last)?;
        stream.synchronize()?;
        if round >= WARM_UP {
            times.push(last.since(&first)?);
        }
    }
    times.sort_unstable();
    let found = if is_backward { of_q.to_vec()? } else { o.to_vec()? };
    let mut difference = 0.0f64;
    let wide = |of: usize, at: usize| f64::from((kind.to_f32)(data[of][at]));
    let product = |[a, b]: [usize; 2], row: usize, key: usize| -> f64 {
        (0..size).map(|at| wide(a, row * size + at) * wide(b, key * size + at)).sum()
    };
    for compared in 0..COMPARED {
        let row = (compared * heads * rows / COMPARED + 37 * compared) % (heads * rows);
        let (head, keys) = (row / rows * rows, if causal { row % rows + 1 } else { rows });
        let scores: Vec<f64> =
            (head..head + keys).map(|key| f64::from(scale) * product([0, 1], row, key)).collect();
        let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = scores.iter().map(|score| (score - largest).exp()).sum();
        let mut weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp() / total).collect();
        if is_backward {
            let changes: Vec<f64> = (head..head + keys).map(|key| product([3, 2], row, key)).collect();
            let mean: f64 = weights.iter().zip(&changes).map(|(weight, change)| weight * change).sum();
            let slopes = weights.iter_mut().zip(&changes);
            slopes.for_each(|(weight, change)| *weight *= f64::from(scale) * (change - mean));
        }
        // The values, or the keys in the backward pass.
        let of = if is_backward { 1 } else { 2 };
        for at in 0..size {
            let sum: f64 = weights
                .iter()
                .enumerate()
                .map(|(key, weight)| weight * wide(of, (head + key) * size + at))
                .sum();
            let found = f64::from((kind.to_f32)(found[row * size + at]));
            difference = difference.max((found - sum).abs());
        }
    }
    Ok((times[times.len() / 2], difference))
}

fn rows_of<T: AttentionElement>(
    table: &mut Table,
    gpu: &Gpu,
    options: &Options,
    kind: &Kind<T>,
) -> Outcome<()> {
    let passes = match options.backward {
        true => &[Pass::Backward, Pass::Deterministic][..],
        false => &[Pass::Forward],
    };
    for (size, causal) in options.sizes.iter().flat_map(|&size| [(size, false), (size, true)]) {
        for (&rows, &pass) in options.rows.iter().flat_map(|rows| passes.iter().map(move |pass| (rows, pass)))
        {
            let heads = WIDTH / size * (QUERIES / rows).max(1);
            let (time, difference) = measure(gpu, options, [rows, heads, size], (pass, causal), kind)?;
            // Two products of two operations each, five in the backward pass; half of them where only the keys before a query count.
            let products = if pass == Pass::Forward { 2.0 } else { 5.0 };
            let operations =
                2.0 * products * (heads * rows * rows * size) as f64 / if causal { 2.0 } else { 1.0 };
            let speed = operations / time.as_secs_f64() / 1e12;
            let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(kind.name),
                Cell::new(pass.name()),
                number(size.to_string()),
                Cell::new(if causal { "causal" } else { "all keys" }),
                number(rows.to_string()),
                number(format!("{time:.1?}")),
                number(format!("{speed:.0}")),
                number(format!("{difference:.1e}")),
            ]);
        }
    }
    Ok(())
}

fn run(options: &Options) -> Outcome<()> {
    let gpu = Gpu::cuda(options.device)?;
    println!("{}\n{QUERIES} queries of {WIDTH} elements in all heads\n", gpu.describe());
    let mut table = tables::table([
        "elements",
        "pass",
        "of a head",
        "keys",
        "rows",
        "time",
        "TFLOP/s",
        "largest difference",
    ]);
    let halves = Kind { name: "f16", of_f32: f16::from_f32, to_f32: f16::to_f32 };
    rows_of(&mut table, &gpu, options, &halves)?;
    let brains = Kind { name: "bf16", of_f32: bf16::from_f32, to_f32: bf16::to_f32 };
    rows_of(&mut table, &gpu, options, &brains)?;
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
