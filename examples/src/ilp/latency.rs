//! Latency: additions that wait for each other leave issue slots empty. More chains fill them, or more warps; and loads that are
//! made before the values are needed.

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use crate::runs::from_slice;
use crate::{Example, Outcome, random};

/// `STEPS` additions in a chain, on values of one type. One warp has nothing else to do while it waits.
#[kernel(instances(T = [f32, f64]))]
pub fn accumulate<T: Number>(steps: usize, x: &[T], out: &mut [T]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let step = x[i];
        let mut sum = T::ZERO;
        for _ in 0..steps {
            sum += step;
        }
        out[i] = sum;
    }
}

/// The additions in two chains.
#[kernel]
pub fn accumulate_two(steps: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < out.len() {
        let step = x[i];
        let mut a = 0.0f32;
        let mut b = 0.0f32;
        for _ in 0..steps / 2 {
            a += step;
            b += step;
        }
        out[i] = a + b;
    }
}

/// Rows of 32 elements, each a weighted polynomial of what was loaded: the loop waits for a load in every iteration.
#[kernel]
pub fn weigh(columns: usize, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x;
    if column < columns && column < out.len() {
        let mut sum = 0.0f32;
        for row in 0..32 {
            let value = x[row * columns + column];
            sum += ((value + 0.5) * value + 0.25) * value;
        }
        out[column] = sum;
    }
}

/// The weighted rows with the load of the next iteration made before the work of this one.
#[kernel]
pub fn weigh_ahead(columns: usize, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x;
    if column < columns && column < out.len() {
        let mut sum = 0.0f32;
        #[prefetch(1)]
        for row in 0..32 {
            let value = x[row * columns + column];
            sum += ((value + 0.5) * value + 0.25) * value;
        }
        out[column] = sum;
    }
}

const TOPIC: &str = "ilp";
const STEPS: usize = 1024;

/// Runs of the kernels.
pub static EXAMPLES: &[Example] = &[
    Example::new(
        accumulate::kernel::<f32>(),
        TOPIC,
        "1,024 additions in a chain, f32, one warp",
        8,
        |gpu, _| sums(gpu, 32, |x, out| accumulate::<f32>(STEPS, x, out).grid(1).block(32).run()),
    ),
    Example::new(
        accumulate::kernel::<f64>(),
        TOPIC,
        "1,024 additions in a chain, f64, one warp",
        16,
        |gpu, _| {
            let host: Vec<f64> = steps(32).into_iter().map(f64::from).collect();
            let x = gpu.upload(&host)?;
            let mut out = gpu.zeros::<f64>(32)?;
            let report = accumulate::<f64>(STEPS, &x, &mut out).grid(1).block(32).run()?;
            let output = out.to_vec()?.into_iter().map(|sum| sum as f32).collect();
            let expected = host.into_iter().map(|step| (step * STEPS as f64) as f32).collect();
            Ok(Outcome { report, output, expected, tolerance: 0.0 })
        },
    ),
    Example::new(&accumulate_two::KERNEL, TOPIC, "1,024 additions in two chains, one warp", 8, |gpu, _| {
        sums(gpu, 32, |x, out| accumulate_two(STEPS, x, out).grid(1).block(32).run())
    }),
    Example::new(accumulate::kernel::<f32>(), TOPIC, "1,024 additions in a chain, 16 warps", 8, |gpu, _| {
        sums(gpu, 512, |x, out| accumulate::<f32>(STEPS, x, out).grid(1).block(512).run())
    }),
    Example::new(&weigh::KERNEL, TOPIC, "loads and their use, plain", 4, |gpu, n| {
        weighed(gpu, n, |columns, x, out| weigh(columns, x, out).over(columns).run())
    }),
    Example::new(&weigh_ahead::KERNEL, TOPIC, "loads ahead of their use, #[prefetch(1)]", 4, |gpu, n| {
        weighed(gpu, n, |columns, x, out| weigh_ahead(columns, x, out).over(columns).run())
    }),
];

/// Eighths, whose sums are exact in any order.
fn steps(n: usize) -> Vec<f32> {
    random(22, n).into_iter().map(|x| (x * 64.0).floor() / 8.0).collect()
}

fn sums(
    gpu: &Gpu,
    threads: usize,
    launch: impl FnOnce(&DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let host = steps(threads);
    let expected = host.iter().map(|step| step * STEPS as f32).collect();
    from_slice(gpu, &host, expected, 0.0, launch)
}

fn weighed(
    gpu: &Gpu,
    n: usize,
    launch: impl FnOnce(usize, &DeviceBuffer<f32>, &mut DeviceBuffer<f32>) -> Result<LaunchReport>,
) -> Result<Outcome> {
    let columns = n.div_ceil(32);
    let host = random(23, 32 * columns);
    let weigh = |sum: f32, value: f32| (value + 0.5).mul_add(value, 0.25).mul_add(value, sum);
    let sum = |column: usize| (0..32).fold(0.0, |sum, row| weigh(sum, host[row * columns + column]));
    let expected = (0..columns).into_par_iter().map(sum).collect();
    from_slice(gpu, &host, expected, 0.0, |x, out| launch(columns, x, out))
}
