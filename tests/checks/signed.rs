//! Indices of signed numbers, as CUDA programs compute them: windows cut at both borders, neighbours clamped to them, causal filters.

use kernel_runtime::prelude::*;
use kernel_runtime::{ChecksTaken, Kernel};

/// The first CUDA device too, where there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// The checks that the check-free version keeps.
fn left(kernel: &Kernel) -> Vec<String> {
    let text = kernel.report().to_string();
    text.lines().filter(|line| line.contains("checked at run time")).map(str::to_owned).collect()
}

#[kernel]
fn pooled(
    height: i32,
    width: i32,
    window: i32,
    stride: i32,
    padding: i32,
    x: &[f32],
    out_width: i32,
    y: &mut [f32],
) {
    let ox = global_idx().x as i32;
    let oy = global_idx().y as i32;
    if ox >= out_width {
        return;
    }
    let y0 = (oy * stride - padding).max(0);
    let x0 = (ox * stride - padding).max(0);
    let y1 = (oy * stride - padding + window).min(height);
    let x1 = (ox * stride - padding + window).min(width);
    let mut most = f32::NEG_INFINITY;
    for iy in y0..y1 {
        for ix in x0..x1 {
            most = most.max(x[(iy * width + ix) as usize]);
        }
    }
    y[(oy * out_width + ox) as usize] = most;
}

#[kernel]
fn slopes(width: i32, height: i32, x: &[f32], y: &mut [f32]) {
    let (cx, cy) = (global_idx().x as i32, global_idx().y as i32);
    if cx < width && cy < height {
        let left = (cx - 1).max(0);
        let right = (cx + 1).min(width - 1);
        y[(cy * width + cx) as usize] = x[(cy * width + right) as usize] - x[(cy * width + left) as usize];
    }
}

#[kernel]
fn filtered(length: i32, taps: i32, x: &[f32], weights: &[f32], y: &mut [f32]) {
    let t = global_idx().x as i32;
    if t < length {
        let mut sum = 0.0;
        for k in 0..taps {
            let from = t - (taps - 1) + k;
            if from >= 0 {
                sum += weights[k as usize] * x[from as usize];
            }
        }
        y[t as usize] = sum;
    }
}

/// Runs a launch with buffers of the exact size, and with one element less: that never reads or writes outside, which the simulator
/// would report as such, but panics or does not need the element.
fn exact_or_short(gpu: &Gpu, len: usize, mut launch: impl FnMut(&DeviceBuffer<f32>) -> Result<LaunchReport>) {
    let x: Vec<f32> = (0..len).map(|i| (i * 7 % 23) as f32).collect();
    let report = launch(&gpu.upload(&x).unwrap()).unwrap();
    assert!(matches!(report.checks, ChecksTaken::CheckFree), "{report}");
    match launch(&gpu.upload(&x[1..]).unwrap()) {
        Ok(report) => assert!(!matches!(report.checks, ChecksTaken::CheckFree), "{report}"),
        Err(Error::KernelPanicked { message, .. }) => {
            assert!(message.starts_with("index out of bounds"), "{message}")
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn windows_cut_at_the_borders() {
    assert_eq!(left(&pooled::KERNEL), [""; 0]);
    for gpu in devices() {
        for (height, width) in [(1, 1), (2, 5), (5, 3), (6, 6)] {
            for (window, stride, padding) in
                [(1, 1, 0), (2, 2, 0), (3, 1, 1), (3, 2, 1), (4, 3, 2), (2, 3, 0)]
            {
                let out = |size: i32| (size + 2 * padding - window) / stride + 1;
                let (rows, columns) = (out(height).max(1), out(width).max(1));
                let mut results = Vec::new();
                exact_or_short(&gpu, (height * width) as usize, |x| {
                    let mut y = gpu.zeros::<f32>((rows * columns) as usize).unwrap();
                    let launch = pooled(height, width, window, stride, padding, x, columns, &mut y);
                    let report = launch.grid((1, rows as u32)).block(columns as u32).run();
                    results.push((x.to_vec().unwrap(), y.to_vec().unwrap()));
                    report
                });
                let (x, y) = &results[0];
                let most = |at: i32| {
                    let (oy, ox) = (at / columns, at % columns);
                    let range = |o: i32, size: i32| {
                        (o * stride - padding).max(0)..(o * stride - padding + window).min(size)
                    };
                    let values = range(oy, height)
                        .flat_map(|iy| range(ox, width).map(move |ix| x[(iy * width + ix) as usize]));
                    values.fold(f32::NEG_INFINITY, f32::max)
                };
                assert_eq!(*y, (0..rows * columns).map(most).collect::<Vec<_>>());
            }
        }
    }
}

#[test]
fn neighbours_clamped_to_the_borders() {
    assert_eq!(left(&slopes::KERNEL), [""; 0]);
    for gpu in devices() {
        for (width, height) in [(1, 1), (1, 4), (4, 1), (5, 3)] {
            let mut results = Vec::new();
            exact_or_short(&gpu, (height * width) as usize, |x| {
                let mut y = gpu.zeros::<f32>((width * height) as usize).unwrap();
                let report = slopes(width, height, x, &mut y).grid((1, 2)).block((8, 2)).run();
                results.push((x.to_vec().unwrap(), y.to_vec().unwrap()));
                report
            });
            let (x, y) = &results[0];
            let slope = |at: i32| {
                let (row, c) = (at / width * width, at % width);
                x[(row + (c + 1).min(width - 1)) as usize] - x[(row + (c - 1).max(0)) as usize]
            };
            assert_eq!(*y, (0..width * height).map(slope).collect::<Vec<_>>());
        }
    }
}

#[test]
fn filters_that_look_back() {
    assert_eq!(left(&filtered::KERNEL), [""; 0]);
    for gpu in devices() {
        for (length, taps) in [(1, 1), (1, 3), (9, 1), (9, 4), (9, 9), (9, 12)] {
            let weights: Vec<f32> = (0..taps).map(|k| (k + 1) as f32).collect();
            let of_weights = gpu.upload(&weights).unwrap();
            let mut results = Vec::new();
            exact_or_short(&gpu, length as usize, |x| {
                let mut y = gpu.zeros::<f32>(length as usize).unwrap();
                let report = filtered(length, taps, x, &of_weights, &mut y).grid(1).block(16).run();
                results.push((x.to_vec().unwrap(), y.to_vec().unwrap()));
                report
            });
            let (x, y) = &results[0];
            let sum = |t: i32| -> f32 {
                let taps = (0..taps).filter(|k| t - (taps - 1) + k >= 0);
                taps.clone()
                    .map(|k| weights[k as usize] * x[(t - (weights.len() as i32 - 1) + k) as usize])
                    .sum()
            };
            assert_eq!(*y, (0..length).map(sum).collect::<Vec<_>>());
        }
    }
}
