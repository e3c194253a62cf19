//! CUDA samples and image processing.

use kernel_runtime::prelude::*;

/// A matrix transposed, written along columns.
#[kernel]
pub fn transpose_naive(width: u32, height: u32, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x as u32;
    let row = global_idx().y as u32;
    if column < width && row < height {
        out[(column * height + row) as usize] = x[(row * width + column) as usize];
    }
}

/// Counts of bytes, in global memory.
#[kernel]
pub fn histogram(n: usize, x: &[u8], counts: &[AtomicU32]) {
    let mut i = global_idx().x;
    while i < n {
        counts[x[i] as usize].fetch_add(1, Ordering::Relaxed);
        i += global_size().x;
    }
}

/// Prices of European options: calls, then puts.
#[kernel]
pub fn black_scholes(
    n: usize,
    rate: f32,
    volatility: f32,
    stock: &[f32],
    strike: &[f32],
    years: &[f32],
    out: &mut [f32],
) {
    fn cumulative(d: f32) -> f32 {
        let k = 1.0 / (1.0 + 0.2316419 * d.abs());
        let polynomial = k
            * (0.319_381_53 + k * (-0.356_563_78 + k * (1.781_477_9 + k * (-1.821_255_9 + k * 1.330_274_5))));
        let tail = 0.398_942_3 * (-0.5 * d * d).exp() * polynomial;
        if d > 0.0 { 1.0 - tail } else { tail }
    }
    let i = global_idx().x;
    if i < n {
        let s = stock[i] + 5.0;
        let x = strike[i] + 5.0;
        let t = years[i] + 1.0;
        let root = t.sqrt();
        let d1 = ((s / x).ln() + (rate + 0.5 * volatility * volatility) * t) / (volatility * root);
        let d2 = d1 - volatility * root;
        let discounted = x * (-rate * t).exp();
        out[i] = s * cumulative(d1) - discounted * cumulative(d2);
        out[n + i] = discounted * (1.0 - cumulative(d2)) - s * (1.0 - cumulative(d1));
    }
}

/// Escape times of points of the plane.
#[kernel]
pub fn mandelbrot(width: usize, height: usize, rounds: u32, counts: &mut [u32]) {
    let px = global_idx().x;
    let py = global_idx().y;
    if px < width && py < height {
        let cx = px as f32 / width as f32 * 3.0 - 2.0;
        let cy = py as f32 / height as f32 * 2.0 - 1.0;
        let mut x = 0.0f32;
        let mut y = 0.0f32;
        let mut round = 0;
        while round < rounds && x * x + y * y < 4.0 {
            let next = x * x - y * y + cx;
            y = 2.0 * x * y + cy;
            x = next;
            round += 1;
        }
        counts[py * width + px] = round;
    }
}

/// A generation of Conway's game on a torus.
#[kernel]
pub fn game_of_life(width: usize, height: usize, now: &[u8], next: &mut [u8]) {
    let x = global_idx().x;
    let y = global_idx().y;
    if x < width && y < height {
        let left = (x + width - 1) % width;
        let right = (x + 1) % width;
        let up = (y + height - 1) % height;
        let down = (y + 1) % height;
        let neighbours = (now[up * width + left] & 1)
            + (now[up * width + x] & 1)
            + (now[up * width + right] & 1)
            + (now[y * width + left] & 1)
            + (now[y * width + right] & 1)
            + (now[down * width + left] & 1)
            + (now[down * width + x] & 1)
            + (now[down * width + right] & 1);
        let lives = neighbours == 3 || (neighbours == 2 && now[y * width + x] & 1 == 1);
        next[y * width + x] = lives as u8;
    }
}

/// The inclusive sums of each block's elements, after Hillis and Steele.
#[kernel(block(256))]
pub fn scan_block(n: usize, x: &[f32], out: &mut [f32]) {
    let mut sums = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let i = global_idx().x;
    sums[t] = if i < n { x[i] } else { 0.0 };
    barrier();
    let mut offset = 1;
    while offset < 256 {
        let mut value = sums[t];
        if t >= offset {
            value += sums[t - offset];
        }
        barrier();
        sums[t] = value;
        barrier();
        offset *= 2;
    }
    if i < n {
        out[i] = sums[t];
    }
}

/// Accelerations of bodies by all others, tiles of them in shared memory.
#[kernel(block(256))]
pub fn nbody(n: usize, bodies: &[F32x4], accelerations: &mut [F32x4]) {
    let mut tile = shared::<[F32x4; 256]>();
    let i = global_idx().x;
    let own = if i < n { bodies[i] } else { F32x4::splat(0.0) };
    let mut ax = 0.0f32;
    let mut ay = 0.0f32;
    let mut az = 0.0f32;
    let mut first = 0;
    while first < n {
        let j = first + thread_idx().x;
        tile[thread_idx().x] = if j < n { bodies[j] } else { F32x4::splat(0.0) };
        barrier();
        for k in 0..256 {
            let other = tile[k];
            let dx = other.x - own.x;
            let dy = other.y - own.y;
            let dz = other.z - own.z;
            let squares = dx * dx + dy * dy + dz * dz + 0.01;
            let inverse = 1.0 / squares.sqrt();
            let pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        barrier();
        first += 256;
    }
    if i < n {
        accelerations[i] = F32x4::new(ax, ay, az, 0.0);
    }
}

/// Colours as shades of grey: three bytes to one.
#[kernel]
pub fn rgb_to_grey(width: usize, height: usize, rgb: &[u8], grey: &mut [u8]) {
    let x = global_idx().x;
    let y = global_idx().y;
    if x < width && y < height {
        let at = y * width + x;
        let r = rgb[3 * at] as f32;
        let g = rgb[3 * at + 1] as f32;
        let b = rgb[3 * at + 2] as f32;
        grey[at] = (0.299 * r + 0.587 * g + 0.114 * b) as u8;
    }
}

/// Edges, after Sobel.
#[kernel]
pub fn sobel(width: usize, height: usize, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x;
    let row = global_idx().y;
    if column >= 1 && column < width - 1 && row >= 1 && row < height - 1 {
        let at = row * width + column;
        let gx = x[at - width + 1] + 2.0 * x[at + 1] + x[at + width + 1]
            - x[at - width - 1]
            - 2.0 * x[at - 1]
            - x[at + width - 1];
        let gy = x[at + width - 1] + 2.0 * x[at + width] + x[at + width + 1]
            - x[at - width - 1]
            - 2.0 * x[at - width]
            - x[at - width + 1];
        out[at] = (gx * gx + gy * gy).sqrt();
    }
}

/// The median of each pixel's neighbours, by sorting.
#[kernel]
pub fn median(width: usize, height: usize, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x;
    let row = global_idx().y;
    if column > 0 && row > 0 && column + 1 < width && row + 1 < height {
        let mut window = [0.0f32; 9];
        for dy in 0..3 {
            for dx in 0..3 {
                window[dy * 3 + dx] = x[(row + dy - 1) * width + column + dx - 1];
            }
        }
        for i in 0..5 {
            for j in i + 1..9 {
                let (a, b) = (window[i], window[j]);
                window[i] = a.min(b);
                window[j] = a.max(b);
            }
        }
        out[row * width + column] = window[4];
    }
}

/// The mean of a square around each pixel, as much of it as there is.
#[kernel]
pub fn box_blur(width: i32, height: i32, radius: i32, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x as i32;
    let row = global_idx().y as i32;
    if column < width && row < height {
        let mut sum = 0.0f32;
        let mut count = 0;
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let cx = column + dx;
                let cy = row + dy;
                if cx >= 0 && cx < width && cy >= 0 && cy < height {
                    sum += x[(cy * width + cx) as usize];
                    count += 1;
                }
            }
        }
        out[(row * width + column) as usize] = sum / count as f32;
    }
}

/// An image at another size, between four pixels.
#[kernel]
pub fn bilinear(
    width: usize,
    height: usize,
    out_width: usize,
    out_height: usize,
    x: &[f32],
    out: &mut [f32],
) {
    let ox = global_idx().x;
    let oy = global_idx().y;
    if ox < out_width && oy < out_height {
        let sx = ox as f32 * (width - 1) as f32 / out_width as f32;
        let sy = oy as f32 * (height - 1) as f32 / out_height as f32;
        let x0 = sx as usize;
        let y0 = sy as usize;
        let x1 = (x0 + 1).min(width - 1);
        let y1 = (y0 + 1).min(height - 1);
        let fx = sx - x0 as f32;
        let fy = sy - y0 as f32;
        let above = x[y0 * width + x0] * (1.0 - fx) + x[y0 * width + x1] * fx;
        let below = x[y1 * width + x0] * (1.0 - fx) + x[y1 * width + x1] * fx;
        out[oy * out_width + ox] = above * (1.0 - fy) + below * fy;
    }
}

/// A filter along rows, staged in shared memory with a halo of eight on both sides.
#[kernel(block(128))]
pub fn convolution_rows(width: usize, height: usize, weights: &[f32], x: &[f32], out: &mut [f32]) {
    let mut tile = shared::<[f32; 144]>();
    let t = thread_idx().x;
    let column = block_idx().x * 128 + t;
    let row = block_idx().y;
    if row < height {
        tile[t + 8] = if column < width { x[row * width + column] } else { 0.0 };
        if t < 8 {
            tile[t] = if column >= 8 { x[row * width + column - 8] } else { 0.0 };
            tile[t + 136] = if column + 128 < width { x[row * width + column + 128] } else { 0.0 };
        }
        barrier();
        if column < width {
            let mut sum = 0.0f32;
            for k in 0..17 {
                sum += weights[k] * tile[t + k];
            }
            out[row * width + column] = sum;
        }
    }
}

/// A thread sums every 256th element of its block's part, then the block halves.
#[kernel]
pub fn reduce(n: usize, x: &[f32], out: &mut [f32]) {
    let mut sums = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let mut i = block_idx().x * block_dim().x * 2 + t;
    let mut sum = 0.0f32;
    while i < n {
        sum += x[i];
        if i + block_dim().x < n {
            sum += x[i + block_dim().x];
        }
        i += block_dim().x * 2 * grid_dim().x;
    }
    sums[t] = sum;
    barrier();
    let mut half = block_dim().x / 2;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
        }
        barrier();
        half /= 2;
    }
    if t == 0 {
        out[block_idx().x] = sums[0];
    }
}
