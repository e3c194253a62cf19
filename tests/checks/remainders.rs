//! Loops of every number of iterations: what an unrolled loop leaves is done under predicates, and what it loads early is checked.

use kernel_runtime::prelude::*;

/// The first CUDA device too, where there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

/// The message of a panic, and where it was.
fn message(result: Result<LaunchReport>) -> String {
    match result {
        Err(Error::KernelPanicked { message, thread, .. }) => format!("{message} in thread {}", thread[0]),
        other => format!("{other:?}"),
    }
}

#[kernel]
fn sparse_row(values: &[f32], columns: &[u32], start: usize, end: usize, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        let mut sum = 0.0;
        for j in start..end {
            sum += values[j] * x[columns[j] as usize];
        }
        y[i] = sum;
    }
}

#[test]
fn data_is_checked_in_whichever_iteration() {
    for gpu in devices() {
        let values: Vec<f32> = (0..16).map(|i| (i + 1) as f32).collect();
        let x: Vec<f32> = (0..8).map(|i| (i * i) as f32).collect();
        let of_x = gpu.upload(&x).unwrap();
        let of_values = gpu.upload(&values).unwrap();
        for start in 0..3 {
            for end in start..=16 {
                let columns: Vec<u32> = (0..16).map(|i| i * 5 % 8).collect();
                let mut y = gpu.zeros::<f32>(1).unwrap();
                let of_columns = gpu.upload(&columns).unwrap();
                sparse_row(&of_values, &of_columns, start, end, &of_x, &mut y).over(1).run().unwrap();
                let sum: f32 = (start..end).map(|j| values[j] * x[columns[j] as usize]).sum();
                assert_eq!(y.to_vec().unwrap(), [sum], "{start}..{end}");
                for bad in start..end {
                    let mut columns = columns.clone();
                    columns[bad] = 8 + bad as u32;
                    let of_columns = gpu.upload(&columns).unwrap();
                    let result = sparse_row(&of_values, &of_columns, start, end, &of_x, &mut y).over(1).run();
                    let expected = format!(
                        "index out of bounds: the len is 8 but the index is {} in thread 0",
                        columns[bad]
                    );
                    assert_eq!(message(result), expected, "{start}..{end}");
                }
            }
        }
    }
}

#[kernel]
fn row_maxima(columns: u32, x: &[f32], y: &mut [f32]) {
    let lane = thread_idx().x as u32;
    let mut most = f32::NEG_INFINITY;
    let mut c = lane;
    while c < columns {
        most = most.max(x[c as usize]);
        c += 32;
    }
    y[lane as usize] = most;
}

#[kernel]
fn scaled(by: f32, x: &[f32], y: &mut [f32]) {
    for i in (global_idx().x..y.len()).step_by(grid_dim().x * block_dim().x) {
        y[i] = by * x[i];
    }
}

#[kernel]
fn halved_in_place(by: f32, y: &mut [f32]) {
    let mut i = global_idx().x;
    while i < y.len() {
        y[i] = y[i] / by;
        i += grid_dim().x * block_dim().x;
    }
}

#[test]
fn strided_loops_of_every_length() {
    for gpu in devices() {
        for n in (0..40).chain((40..600).step_by(13)) {
            let x: Vec<f32> = (0..n).map(|i| (i * 37 % 101) as f32).collect();
            let of_x = gpu.upload(&x).unwrap();
            let mut y = gpu.zeros::<f32>(32).unwrap();
            row_maxima(n as u32, &of_x, &mut y).grid(1).block(32).run().unwrap();
            let most =
                |lane: usize| x.iter().skip(lane).step_by(32).copied().fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(y.to_vec().unwrap(), (0..32).map(most).collect::<Vec<_>>(), "{n}");

            let mut y = gpu.zeros::<f32>(n).unwrap();
            scaled(3.0, &of_x, &mut y).grid(2).block(16).run().unwrap();
            assert_eq!(y.to_vec().unwrap(), x.iter().map(|x| 3.0 * x).collect::<Vec<_>>(), "{n}");
            halved_in_place(2.0, &mut y).grid(3).block(8).run().unwrap();
            assert_eq!(y.to_vec().unwrap(), x.iter().map(|x| 1.5 * x).collect::<Vec<_>>(), "{n}");
        }
    }
}

#[kernel]
fn padded_rows(width: i32, rows: i32, columns: &[i32], x: &[f32], y: &mut [f32]) {
    let row = global_idx().x as i32;
    if row < rows {
        let mut sum = 0.0;
        for k in 0..width {
            let column = columns[(k * rows + row) as usize];
            if column >= 0 {
                sum += x[column as usize];
            }
        }
        y[row as usize] = sum;
    }
}

#[kernel]
fn causal(taps: i32, x: &[f32], y: &mut [f32]) {
    let t = global_idx().x as i32;
    if t < y.len() as i32 {
        let mut sum = 0.0;
        for k in 0..taps {
            let from = t - (taps - 1) + k;
            if from >= 0 {
                sum += x[from as usize];
            }
        }
        y[t as usize] = sum;
    }
}

#[test]
fn checks_behind_conditions() {
    for gpu in devices() {
        let x: Vec<f32> = (0..7).map(|i| (1 << i) as f32).collect();
        let of_x = gpu.upload(&x).unwrap();
        for width in 0..12i32 {
            let rows = 5;
            let columns: Vec<i32> = (0..width * rows).map(|i| i * 3 % 9 - 2).collect();
            let mut y = gpu.zeros::<f32>(rows as usize).unwrap();
            padded_rows(width, rows, &gpu.upload(&columns).unwrap(), &of_x, &mut y).over(5).run().unwrap();
            let sum = |row: usize| -> f32 {
                columns
                    .iter()
                    .skip(row)
                    .step_by(5)
                    .filter(|&&column| column >= 0)
                    .map(|&column| x[column as usize])
                    .sum()
            };
            assert_eq!(y.to_vec().unwrap(), (0..5).map(sum).collect::<Vec<_>>(), "{width}");
            for bad in 0..width {
                let mut columns = columns.clone();
                columns[(bad * rows + 3) as usize] = 7 + bad;
                let result =
                    padded_rows(width, rows, &gpu.upload(&columns).unwrap(), &of_x, &mut y).over(5).run();
                let expected =
                    format!("index out of bounds: the len is 7 but the index is {} in thread 3", 7 + bad);
                assert_eq!(message(result), expected, "{width}");
            }

            let mut y = gpu.zeros::<f32>(7).unwrap();
            causal(width, &of_x, &mut y).over(7).run().unwrap();
            let sum = |t: usize| -> f32 { x[(t + 1).saturating_sub(width as usize)..=t].iter().sum() };
            let sums = (0..7).map(|t| if width == 0 { 0.0 } else { sum(t) });
            assert_eq!(y.to_vec().unwrap(), sums.collect::<Vec<_>>(), "{width}");
            let mut longer = gpu.zeros::<f32>(8).unwrap();
            let result = causal(width, &of_x, &mut longer).over(8).run();
            if width > 0 {
                assert_eq!(
                    message(result),
                    "index out of bounds: the len is 7 but the index is 7 in thread 7"
                );
            } else {
                assert!(result.is_ok());
            }
        }
    }
}

#[kernel]
fn sums_relative_to_the_most(columns: usize, x: &[f32], y: &mut [f32]) {
    let row = global_idx().x;
    if row < y.len() {
        let (mut most, mut sum) = (f32::NEG_INFINITY, 0.0);
        for &value in &x[row * columns..(row + 1) * columns] {
            if value > most {
                sum = sum * (most - value).exp() + 1.0;
                most = value;
            } else {
                sum += (value - most).exp();
            }
        }
        y[row] = most + sum.ln();
    }
}

/// The loads of all iterations of an unrolled one come before their branches.
#[test]
fn branches_in_iterations() {
    for gpu in devices() {
        for columns in 1..14usize {
            let x: Vec<f32> = (0..5 * columns).map(|i| (i * 29 % 17) as f32 / 8.0).collect();
            let mut y = gpu.zeros::<f32>(5).unwrap();
            let of_x = gpu.upload(&x).unwrap();
            sums_relative_to_the_most(columns, &of_x, &mut y).over(5).run().unwrap();
            let mut expected = [0.0f32; 5];
            sums_relative_to_the_most::cpu(columns, &x, &mut expected).over(5).run().unwrap();
            assert_eq!(y.to_vec().unwrap(), expected, "{columns}");
        }
    }
}
