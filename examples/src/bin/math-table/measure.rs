//! Runs a function over many inputs, a chunk at a time: the device computes the next one while the host's threads compare
//! the last with the reference.

use std::sync::mpsc;

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::error::{self, Worst};
use crate::kernels::{Binary, Pairs, Unary};

/// Numbers of inputs to measure.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// f32 inputs of functions of one argument: 2³², or fewer, evenly spread.
    pub all: u64,
    /// Inputs of the others.
    pub random: u64,
    /// Inputs of one launch.
    pub chunk: usize,
}

impl Extent {
    /// Everything.
    pub const FULL: Extent = Extent { all: 1 << 32, random: 100_000_000, chunk: 1 << 24 };
    /// An extent that the simulator measures in seconds.
    pub const QUICK: Extent = Extent { all: 2048, random: 1024, chunk: 2048 };
}

/// Runs `produce` for every chunk and hands what it gives to `compare` on another thread.
fn pipeline<T: Send>(
    chunks: u64,
    mut produce: impl FnMut(u64) -> Result<T>,
    compare: impl Fn(u64, T) -> Worst + Sync,
) -> Result<Worst> {
    std::thread::scope(|scope| {
        // One chunk waits while one is compared and one is computed.
        let (sender, receiver) = mpsc::sync_channel::<(u64, T)>(1);
        let compare = &compare;
        let comparing = scope.spawn(move || {
            receiver.iter().fold(Worst::default(), |worst, (chunk, data)| worst.or(compare(chunk, data)))
        });
        let mut outcome = Ok(());
        for chunk in 0..chunks {
            match produce(chunk) {
                // It fails only if the other thread has panicked, which `join` tells.
                Ok(data) => {
                    if sender.send((chunk, data)).is_err() {
                        break;
                    }
                }
                Err(error) => {
                    outcome = Err(error);
                    break;
                }
            }
        }
        drop(sender);
        let worst = comparing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        outcome.map(|()| worst)
    })
}

/// The worst of `count` results, by all threads.
fn worst_of(count: usize, one: impl Fn(usize) -> ([f64; 2], f64) + Sync) -> Worst {
    const TILE: usize = 1 << 12;
    (0..count.div_ceil(TILE))
        .into_par_iter()
        .map(|tile| {
            let mut worst = Worst::default();
            for i in tile * TILE..count.min((tile + 1) * TILE) {
                let (at, error) = one(i);
                worst.add(at, error);
            }
            worst
        })
        .reduce(Worst::default, Worst::or)
}

/// An f32 function of one argument, over all bit patterns or evenly spread ones.
pub fn unary_f32(gpu: &Gpu, function: &Unary, extent: Extent) -> Result<Worst> {
    // An odd step comes to every pattern of low bits too.
    let step = if extent.all == 1 << 32 { 1 } else { ((1_u64 << 32) / extent.all) as u32 + 1 };
    let chunk = extent.chunk.min(extent.all as usize);
    let first = |index: u64| step.wrapping_mul((index * chunk as u64) as u32);
    let mut y = gpu.zeros::<f32>(chunk)?;
    pipeline(
        extent.all / chunk as u64,
        |index| {
            (function.run_f32)(first(index), step, &mut y)?;
            y.to_vec()
        },
        |index, results: Vec<f32>| {
            worst_of(results.len(), |i| {
                let x = f32::from_bits(first(index).wrapping_add(step.wrapping_mul(i as u32)));
                let x = f64::from(x);
                (
                    [x, 0.0],
                    if x < function.from { 0.0 } else { error::of_f32(results[i], (function.near)(x)) },
                )
            })
        },
    )
}

/// A number for each index, without a pattern (Steele, Lea and Flood, *Fast splittable pseudorandom number generators*,
/// 2014: the finaliser of SplitMix).
fn random(index: u64) -> u64 {
    let mut z = index.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// From 0 to 1.
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * 2f64.powi(-53)
}

/// Arguments that every function is tried at.
const SPECIAL: [f64; 20] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.0,
    -2.0,
    3.0,
    -3.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    -5e-324,
    1e-310,
];

/// The argument of an index: the special ones, then by turns a bit pattern and a number of one of the ranges.
fn argument(function: &Unary, index: u64) -> f64 {
    if let Some(&special) = SPECIAL.get(index as usize) {
        return special;
    }
    let bits = random(index);
    let kinds = function.ranges.len() as u64 + 1;
    match function.ranges.get((index % kinds) as usize) {
        Some(&(low, high)) => low + (high - low) * unit(bits),
        None => f64::from_bits(bits),
    }
}

/// An f64 function of one argument.
pub fn unary_f64(gpu: &Gpu, function: &Unary, extent: Extent) -> Result<Worst> {
    let chunk = extent.chunk.min(extent.random as usize);
    let mut y = gpu.zeros::<f64>(chunk)?;
    let mut input = gpu.zeros::<f64>(chunk)?;
    pipeline(
        extent.random.div_ceil(chunk as u64),
        |index| {
            let start = index * chunk as u64;
            let x: Vec<f64> =
                (0..chunk as u64).into_par_iter().map(|i| argument(function, start + i)).collect();
            input.copy_from_slice(&x)?;
            (function.run_f64)(&input, &mut y)?;
            Ok((x, y.to_vec()?))
        },
        |_, (x, results)| {
            worst_of(x.len(), |i| {
                let x = x[i];
                (
                    [x, 0.0],
                    if x < function.from { 0.0 } else { error::of_f64(results[i], (function.rounded)(x)) },
                )
            })
        },
    )
}

/// The arguments of an index for a function of two: the special ones with each other, then at random. `limit` is the largest
/// exponent of a power that is finite.
fn pair(pairs: Pairs, index: u64, limit: f64, from_bits: fn(u64) -> f64) -> [f64; 2] {
    let specials = SPECIAL.len() as u64;
    if index < specials * specials {
        return [SPECIAL[(index / specials) as usize], SPECIAL[(index % specials) as usize]];
    }
    let (a, b) = (random(2 * index), random(2 * index + 1));
    let base = match index % 4 {
        0 => from_bits(a),
        1 => from_bits(a).abs(),
        2 => 0.5 + unit(a),
        _ => 1.0 + 0.1 * unit(a),
    };
    match pairs {
        Pairs::Plane if index.is_multiple_of(2) => [base, from_bits(b)],
        Pairs::Plane => [base, base * (16.0 * unit(b) - 8.0)],
        Pairs::Power | Pairs::WholePower => {
            let exponent = limit * (2.1 * unit(b) - 1.05) / base.abs().log2();
            let exponent =
                if index.is_multiple_of(4) && pairs == Pairs::Power { from_bits(b) } else { exponent };
            [base, if pairs == Pairs::Power { exponent } else { exponent.round().clamp(-2e9, 2e9) }]
        }
    }
}

/// A whole number that an `as i32` keeps, where the second argument becomes one.
fn whole(pairs: Pairs, [x, y]: [f64; 2]) -> [f64; 2] {
    match pairs {
        Pairs::WholePower => [x, f64::from(y as i32)],
        Pairs::Plane | Pairs::Power => [x, y],
    }
}

/// An f32 function of two arguments.
pub fn binary_f32(gpu: &Gpu, function: &Binary, extent: Extent) -> Result<Worst> {
    let chunk = extent.chunk.min(extent.random as usize);
    let (mut x, mut y, mut z) =
        (gpu.zeros::<f32>(chunk)?, gpu.zeros::<f32>(chunk)?, gpu.zeros::<f32>(chunk)?);
    let argument = |index| {
        let [x, y] = pair(function.pairs, index, 150.0, |bits| f32::from_bits((bits >> 32) as u32).into());
        // An f32 of a whole number is whole as well.
        whole(function.pairs, [x, y]).map(|v| v as f32)
    };
    pipeline(
        extent.random.div_ceil(chunk as u64),
        |index| {
            let start = index * chunk as u64;
            let (xs, ys): (Vec<f32>, Vec<f32>) =
                (0..chunk as u64).into_par_iter().map(|i| argument(start + i).into()).unzip();
            x.copy_from_slice(&xs)?;
            y.copy_from_slice(&ys)?;
            (function.run_f32)(&x, &y, &mut z)?;
            Ok((xs, ys, z.to_vec()?))
        },
        |_, (xs, ys, results)| {
            worst_of(xs.len(), |i| {
                let at = [f64::from(xs[i]), f64::from(ys[i])];
                let [a, b] = whole(function.pairs, at);
                (at, error::of_f32(results[i], (function.rounded)(a, b)))
            })
        },
    )
}

/// An f64 function of two arguments.
pub fn binary_f64(gpu: &Gpu, function: &Binary, extent: Extent) -> Result<Worst> {
    let chunk = extent.chunk.min(extent.random as usize);
    let (mut x, mut y, mut z) =
        (gpu.zeros::<f64>(chunk)?, gpu.zeros::<f64>(chunk)?, gpu.zeros::<f64>(chunk)?);
    pipeline(
        extent.random.div_ceil(chunk as u64),
        |index| {
            let start = index * chunk as u64;
            let (xs, ys): (Vec<f64>, Vec<f64>) = (0..chunk as u64)
                .into_par_iter()
                .map(|i| {
                    whole(function.pairs, pair(function.pairs, start + i, 1080.0, f64::from_bits)).into()
                })
                .unzip();
            x.copy_from_slice(&xs)?;
            y.copy_from_slice(&ys)?;
            (function.run_f64)(&x, &y, &mut z)?;
            Ok((xs, ys, z.to_vec()?))
        },
        |_, (xs, ys, results)| {
            worst_of(xs.len(), |i| {
                ([xs[i], ys[i]], error::of_f64(results[i], (function.rounded)(xs[i], ys[i])))
            })
        },
    )
}
