//! HeCBench, and what tutorials of convolutional networks and attention begin with: indices are `i32` where the originals have `int`.

use kernel_runtime::prelude::*;

/// A filter of 3 by 3 for each channel, padded with zeros.
#[kernel]
pub fn depthwise_conv(channels: i32, height: i32, width: i32, x: &[f32], filters: &[f32], out: &mut [f32]) {
    let column = global_idx().x as i32;
    let row = global_idx().y as i32;
    let channel = block_idx().z as i32;
    if column < width && row < height && channel < channels {
        let mut sum = 0.0;
        for ky in 0..3 {
            for kx in 0..3 {
                let y = row + ky - 1;
                let x_ = column + kx - 1;
                if y >= 0 && y < height && x_ >= 0 && x_ < width {
                    sum += x[((channel * height + y) * width + x_) as usize]
                        * filters[(channel * 9 + ky * 3 + kx) as usize];
                }
            }
        }
        out[((channel * height + row) * width + column) as usize] = sum;
    }
}

/// The mean of each window of two by two.
#[kernel]
pub fn average_pool(height: usize, width: usize, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x;
    let row = global_idx().y;
    if row < height / 2 && column < width / 2 {
        let mut sum = 0.0;
        for y in 0..2 {
            for x_ in 0..2 {
                sum += x[(2 * row + y) * width + 2 * column + x_];
            }
        }
        out[row * (width / 2) + column] = sum / 4.0;
    }
}

/// A matrix product with indices as in C.
#[kernel]
pub fn matmul_int(m: i32, n: i32, k: i32, a: &[f32], b: &[f32], c: &mut [f32]) {
    let row = (block_idx().y * block_dim().y + thread_idx().y) as i32;
    let column = (block_idx().x * block_dim().x + thread_idx().x) as i32;
    if row < m && column < n {
        let mut sum = 0.0;
        for i in 0..k {
            sum += a[(row * k + i) as usize] * b[(i * n + column) as usize];
        }
        c[(row * n + column) as usize] = sum;
    }
}

/// A step of the heat equation in three dimensions, a thread for each column of cells.
#[kernel]
pub fn laplace3d(nx: i32, ny: i32, nz: i32, u1: &[f32], u2: &mut [f32]) {
    let i = global_idx().x as i32;
    let j = global_idx().y as i32;
    if i < nx && j < ny {
        let plane = nx * ny;
        let mut at = i + j * nx;
        for k in 0..nz {
            if i == 0 || i == nx - 1 || j == 0 || j == ny - 1 || k == 0 || k == nz - 1 {
                u2[at as usize] = u1[at as usize];
            } else {
                u2[at as usize] = (u1[(at - 1) as usize]
                    + u1[(at + 1) as usize]
                    + u1[(at - nx) as usize]
                    + u1[(at + nx) as usize]
                    + u1[(at - plane) as usize]
                    + u1[(at + plane) as usize])
                    * (1.0 / 6.0);
            }
            at += plane;
        }
    }
}

/// Averages and differences of pairs of a signal.
#[kernel]
pub fn haar(n: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    let half = n / 2;
    if i < half {
        let a = x[2 * i];
        let b = x[2 * i + 1];
        out[i] = (a + b) * 0.707_106_77;
        out[half + i] = (a - b) * 0.707_106_77;
    }
}

/// Distances of places, pairs of latitude and longitude, to one.
#[kernel]
pub fn nearest(count: usize, latitude: f32, longitude: f32, places: &[f32], distances: &mut [f32]) {
    let i = global_idx().x;
    if i < count {
        let dy = latitude - places[2 * i];
        let dx = longitude - places[2 * i + 1];
        distances[i] = (dx * dx + dy * dy).sqrt();
    }
}

/// Products of queries and keys, where a key is not after its query.
#[kernel]
pub fn causal_scores(length: i32, size: i32, scale: f32, q: &[f32], k: &[f32], scores: &mut [f32]) {
    let key = global_idx().x as i32;
    let query = global_idx().y as i32;
    if query < length && key < length {
        if key > query {
            scores[(query * length + key) as usize] = -10000.0;
        } else {
            let mut sum = 0.0;
            for d in 0..size {
                sum += q[(query * size + d) as usize] * k[(key * size + d) as usize];
            }
            scores[(query * length + key) as usize] = sum * scale;
        }
    }
}

/// Normalisation of each channel of images with known statistics.
#[kernel]
pub fn batchnorm(
    total: usize,
    channels: usize,
    pixels: usize,
    mean: &[f32],
    variance: &[f32],
    x: &[f32],
    out: &mut [f32],
) {
    let i = global_idx().x;
    if i < total {
        let channel = (i / pixels) % channels;
        out[i] = (x[i] - mean[channel]) / (variance[channel] * variance[channel] + 1e-5).sqrt();
    }
}

/// One step of a bitonic sort.
#[kernel]
pub fn bitonic_step(n: u32, j: u32, k: u32, values: &mut [u32]) {
    let i = global_idx().x as u32;
    let partner = i ^ j;
    if i < n && partner < n && partner > i {
        let a = values[i as usize];
        let b = values[partner as usize];
        let ascending = (i & k) == 0;
        if (a > b) == ascending {
            values[i as usize] = b;
            values[partner as usize] = a;
        }
    }
}

/// Points in a quarter of a circle.
#[kernel]
pub fn monte_carlo_pi(rounds: u32, counts: &mut [u32]) {
    let i = global_idx().x;
    if i < counts.len() {
        let mut state = (i as u32).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let mut inside = 0;
        for _ in 0..rounds {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let x = (state >> 8) as f32 / 16_777_216.0;
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let y = (state >> 8) as f32 / 16_777_216.0;
            if x * x + y * y <= 1.0 {
                inside += 1;
            }
        }
        counts[i] = inside;
    }
}

/// Sums of seven neighbours, by shared memory with a halo.
#[kernel]
pub fn stencil_shared(n: i32, x: &[f32], out: &mut [f32]) {
    const RADIUS: i32 = 3;
    let mut tile = shared::<[f32; 256 + 6]>();
    let global = global_idx().x as i32;
    let local = thread_idx().x as i32 + RADIUS;
    tile[local as usize] = if global < n { x[global as usize] } else { 0.0 };
    if (thread_idx().x as i32) < RADIUS {
        let left = global - RADIUS;
        let right = global + block_dim().x as i32;
        tile[(local - RADIUS) as usize] = if left >= 0 { x[left as usize] } else { 0.0 };
        tile[(local + block_dim().x as i32) as usize] = if right < n { x[right as usize] } else { 0.0 };
    }
    barrier();
    if global < n {
        let mut sum = 0.0;
        for offset in -RADIUS..=RADIUS {
            sum += tile[(local + offset) as usize];
        }
        out[global as usize] = sum;
    }
}

/// The logarithm of softmax of each row, a block for each.
#[kernel]
pub fn log_softmax(columns: usize, x: &[f32], out: &mut [f32]) {
    let mut parts = shared::<[f32; 256]>();
    let row = block_idx().x;
    let t = thread_idx().x;
    let mut most = f32::MIN;
    let mut i = t;
    while i < columns {
        most = most.max(x[row * columns + i]);
        i += 256;
    }
    parts[t] = most;
    barrier();
    let mut half = 128;
    while half > 0 {
        if t < half {
            parts[t] = parts[t].max(parts[t + half]);
        }
        barrier();
        half /= 2;
    }
    let most = parts[0];
    barrier();
    let mut sum = 0.0;
    let mut i = t;
    while i < columns {
        sum += (x[row * columns + i] - most).exp();
        i += 256;
    }
    parts[t] = sum;
    barrier();
    let mut half = 128;
    while half > 0 {
        if t < half {
            parts[t] += parts[t + half];
        }
        barrier();
        half /= 2;
    }
    let log = parts[0].ln();
    let mut i = t;
    while i < columns {
        out[row * columns + i] = x[row * columns + i] - most - log;
        i += 256;
    }
}

/// For each box the ones among the next 32 that it covers by more than a threshold, as bits.
#[kernel]
pub fn overlaps(count: usize, threshold: f32, boxes: &[F32x4], masks: &mut [u32]) {
    let i = global_idx().x;
    if i < count {
        let a = boxes[i];
        let area = (a.z - a.x) * (a.w - a.y);
        let mut mask = 0u32;
        for bit in 0..32 {
            let j = i + 1 + bit;
            if j < count {
                let b = boxes[j];
                let width = (a.z.min(b.z) - a.x.max(b.x)).max(0.0);
                let height = (a.w.min(b.w) - a.y.max(b.y)).max(0.0);
                let both = width * height;
                let union = area + (b.z - b.x) * (b.w - b.y) - both;
                if both > threshold * union {
                    mask |= 1 << bit;
                }
            }
        }
        masks[i] = mask;
    }
}

/// One step of all shortest paths.
#[kernel]
pub fn floyd_warshall(n: usize, k: usize, before: &[f32], after: &mut [f32]) {
    let j = global_idx().x;
    let i = global_idx().y;
    if i < n && j < n {
        let through = before[i * n + k] + before[k * n + j];
        let direct = before[i * n + j];
        after[i * n + j] = if through < direct { through } else { direct };
    }
}
