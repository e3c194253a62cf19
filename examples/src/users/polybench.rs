//! PolyBench/GPU: linear algebra and stencils, a thread for each element or row.

use kernel_runtime::prelude::*;

/// `tmp = A x`, a thread for each row.
#[kernel]
pub fn atax_rows(nx: usize, ny: usize, a: &[f32], x: &[f32], tmp: &mut [f32]) {
    let i = global_idx().x;
    if i < nx {
        let mut sum = 0.0f32;
        for j in 0..ny {
            sum += a[i * ny + j] * x[j];
        }
        tmp[i] = sum;
    }
}

/// `y = Aᵀ tmp`, a thread for each column.
#[kernel]
pub fn atax_columns(nx: usize, ny: usize, a: &[f32], tmp: &[f32], y: &mut [f32]) {
    let j = global_idx().x;
    if j < ny {
        let mut sum = 0.0f32;
        for i in 0..nx {
            sum += a[i * ny + j] * tmp[i];
        }
        y[j] = sum;
    }
}

/// `y = α A x + β B x`.
#[kernel]
pub fn gesummv(n: usize, alpha: f32, beta: f32, a: &[f32], b: &[f32], x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < n {
        let mut tmp = 0.0f32;
        let mut sum = 0.0f32;
        for j in 0..n {
            tmp += a[i * n + j] * x[j];
            sum += b[i * n + j] * x[j];
        }
        y[i] = alpha * tmp + beta * sum;
    }
}

/// `C = α A B + β C`, a thread for each element of `C`.
#[kernel]
pub fn gemm(ni: usize, nj: usize, nk: usize, alpha: f32, beta: f32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < ni && j < nj {
        let mut sum = c[i * nj + j] * beta;
        for k in 0..nk {
            sum += alpha * a[i * nk + k] * b[k * nj + j];
        }
        c[i * nj + j] = sum;
    }
}

/// `C = α A Aᵀ + β C`: both operands along rows.
#[kernel]
pub fn syrk(n: usize, m: usize, alpha: f32, beta: f32, a: &[f32], c: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < n && j < n {
        let mut sum = c[i * n + j] * beta;
        for k in 0..m {
            sum += alpha * a[i * m + k] * a[j * m + k];
        }
        c[i * n + j] = sum;
    }
}

/// A step of the five-point Jacobi iteration.
#[kernel]
pub fn jacobi2d(n: usize, a: &[f32], b: &mut [f32]) {
    let i = global_idx().y;
    let j = global_idx().x;
    if i >= 1 && i < n - 1 && j >= 1 && j < n - 1 {
        b[i * n + j] = 0.2
            * (a[i * n + j]
                + a[i * n + (j - 1)]
                + a[i * n + (1 + j)]
                + a[(1 + i) * n + j]
                + a[(i - 1) * n + j]);
    }
}

/// The step of the electric field across rows.
#[kernel]
pub fn fdtd2d_ey(nx: usize, ny: usize, source: f32, hz: &[f32], ey: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < nx && j < ny {
        if i == 0 {
            ey[i * ny + j] = source;
        } else {
            ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
        }
    }
}

/// The step of the magnetic field; `ex` has a column more, `ey` a row more.
#[kernel]
pub fn fdtd2d_hz(nx: usize, ny: usize, ex: &[f32], ey: &[f32], hz: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < nx && j < ny {
        hz[i * ny + j] = hz[i * ny + j]
            - 0.7
                * (ex[i * (ny + 1) + (j + 1)] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
    }
}

/// A 3 × 3 convolution with constant weights.
#[kernel]
pub fn conv2d(ni: i32, nj: i32, a: &[f32], b: &mut [f32]) {
    let j = global_idx().x as i32;
    let i = global_idx().y as i32;
    if i < ni - 1 && j < nj - 1 && i > 0 && j > 0 {
        b[(i * nj + j) as usize] = 0.2 * a[((i - 1) * nj + (j - 1)) as usize]
            + 0.5 * a[((i - 1) * nj + j) as usize]
            + -0.8 * a[((i - 1) * nj + (j + 1)) as usize]
            + -0.3 * a[(i * nj + (j - 1)) as usize]
            + 0.6 * a[(i * nj + j) as usize]
            + -0.9 * a[(i * nj + (j + 1)) as usize]
            + 0.4 * a[((i + 1) * nj + (j - 1)) as usize]
            + 0.7 * a[((i + 1) * nj + j) as usize]
            + 0.1 * a[((i + 1) * nj + (j + 1)) as usize];
    }
}

/// A step of the heat equation in three dimensions.
#[kernel]
pub fn heat3d(width: usize, height: usize, depth: usize, a: &[f32], b: &mut [f32]) {
    let x = global_idx().x;
    let y = global_idx().y;
    let z = global_idx().z;
    if x >= 1 && x + 1 < width && y >= 1 && y + 1 < height && z >= 1 && z + 1 < depth {
        let at = (z * height + y) * width + x;
        let layer = width * height;
        b[at] = a[at]
            + 0.125 * (a[at - layer] - 2.0 * a[at] + a[at + layer])
            + 0.125 * (a[at - width] - 2.0 * a[at] + a[at + width])
            + 0.125 * (a[at - 1] - 2.0 * a[at] + a[at + 1]);
    }
}

/// The means of the columns.
#[kernel]
pub fn correlation_mean(n: usize, m: usize, data: &[f32], mean: &mut [f32]) {
    let j = global_idx().x;
    if j < m {
        let mut sum = 0.0f32;
        for i in 0..n {
            sum += data[i * m + j];
        }
        mean[j] = sum / n as f32;
    }
}

/// Columns with their means taken off, divided by their deviations.
#[kernel]
pub fn correlation_reduce(n: usize, m: usize, mean: &[f32], deviation: &[f32], data: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < n && j < m {
        let centred = data[i * m + j] - mean[j];
        data[i * m + j] = centred / ((n as f32).sqrt() * (deviation[j] + 2.0));
    }
}
