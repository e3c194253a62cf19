//! A second choice from PolyBench, Rodinia, HeCBench, llm.c and the CUDA samples: triangles, recurrences, windows, turned images,
//! binary searches.

use kernel_runtime::prelude::*;

/// The upper triangle of the covariance matrix, a thread for each row (PolyBench).
#[kernel]
pub fn covariance(n: usize, m: usize, data: &[f32], symmetric: &mut [f32]) {
    let j1 = global_idx().x;
    if j1 < m {
        for j2 in j1..m {
            let mut sum = 0.0f32;
            for i in 0..n {
                sum += data[i * m + j1] * data[i * m + j2];
            }
            symmetric[j1 * m + j2] = sum / (n as f32 - 1.0);
        }
    }
}

/// The new weights between two layers and their change (Rodinia, backprop).
#[kernel]
pub fn adjust_weights(
    inputs: usize,
    hidden: usize,
    delta: &[f32],
    layer: &[f32],
    weights: &mut [f32],
    old: &mut [f32],
) {
    let x = global_idx().x;
    let y = global_idx().y;
    if x < hidden && y < inputs {
        let at = (hidden + 1) * (y + 1) + x + 1;
        let change = 0.3 * delta[x + 1] * layer[y + 1] + 0.3 * old[at];
        weights[at] += change;
        old[at] = change;
    }
}

/// The time step of each cell of a fluid: density, three momenta and energy, one after the other (Rodinia, cfd).
#[kernel]
pub fn step_factor(cells: usize, variables: &[f32], areas: &[f32], factors: &mut [f32]) {
    let i = global_idx().x;
    if i < cells {
        let density = variables[i] + 1.0;
        let mx = variables[i + cells];
        let my = variables[i + 2 * cells];
        let mz = variables[i + 3 * cells];
        let energy = variables[i + 4 * cells] + 2.0;
        let vx = mx / density;
        let vy = my / density;
        let vz = mz / density;
        let speed2 = vx * vx + vy * vy + vz * vz;
        let pressure = 0.4 * (energy - 0.5 * density * speed2);
        let sound = (1.4 * pressure / density).sqrt();
        factors[i] = 0.5 / ((areas[i] + 1.0).sqrt() * (speed2.sqrt() + sound));
    }
}

/// Systems of three diagonals by Thomas's algorithm, a thread for each, elements of systems beside each other (HeCBench, thomas).
#[kernel]
pub fn thomas(systems: usize, size: usize, lower: &[f32], upper: &[f32], scratch: &mut [f32], d: &mut [f32]) {
    let s = global_idx().x;
    if s < systems {
        scratch[s] = upper[s] / 4.0;
        d[s] = d[s] / 4.0;
        for i in 1..size {
            let at = i * systems + s;
            let before = (i - 1) * systems + s;
            let m = 1.0 / (4.0 - lower[at] * scratch[before]);
            scratch[at] = upper[at] * m;
            d[at] = (d[at] - lower[at] * d[before]) * m;
        }
        for i in (0..size - 1).rev() {
            d[i * systems + s] -= scratch[i * systems + s] * d[(i + 1) * systems + s];
        }
    }
}

/// Scores of attention by queries and keys out of a packed tensor, a thread for each (llm.c, attention_query_key_kernel1).
#[kernel]
pub fn query_key(b: i32, t: i32, c: i32, heads: i32, packed: &[f32], scores: &mut [f32]) {
    let i = global_idx().x as i32;
    let total = b * heads * t * t;
    if i < total {
        let t2 = i % t;
        let t1 = (i / t) % t;
        if t2 > t1 {
            scores[i as usize] = f32::NEG_INFINITY;
            return;
        }
        let h = (i / (t * t)) % heads;
        let batch = i / (heads * t * t);
        let c3 = c * 3;
        let size = c / heads;
        let query = batch * t * c3 + t1 * c3 + h * size;
        let key = batch * t * c3 + t2 * c3 + h * size + c;
        let mut value = 0.0f32;
        for k in 0..size {
            value += packed[(query + k) as usize] * packed[(key + k) as usize];
        }
        scores[i as usize] = value * (1.0 / (size as f32).sqrt());
    }
}

/// A layer of convolutions with stride and padding, a thread for each output (HeCBench, Darknet).
#[kernel]
pub fn conv_layer(
    channels: i32,
    height: i32,
    width: i32,
    filters: i32,
    size: i32,
    stride: i32,
    padding: i32,
    x: &[f32],
    weights: &[f32],
    out: &mut [f32],
) {
    let out_height = (height + 2 * padding - size) / stride + 1;
    let out_width = (width + 2 * padding - size) / stride + 1;
    let i = global_idx().x as i32;
    if i < filters * out_height * out_width {
        let ox = i % out_width;
        let oy = (i / out_width) % out_height;
        let filter = i / (out_width * out_height);
        let mut sum = 0.0f32;
        for c in 0..channels {
            for ky in 0..size {
                for kx in 0..size {
                    let y = oy * stride - padding + ky;
                    let x0 = ox * stride - padding + kx;
                    if y >= 0 && y < height && x0 >= 0 && x0 < width {
                        sum += x[((c * height + y) * width + x0) as usize]
                            * weights[(((filter * channels + c) * size + ky) * size + kx) as usize];
                    }
                }
            }
        }
        out[i as usize] = sum;
    }
}

/// A recursive Gaussian filter along columns, forwards and then backwards (CUDA samples, recursiveGaussian).
#[kernel]
pub fn recursive_gaussian(
    width: usize,
    height: usize,
    a0: f32,
    a1: f32,
    b1: f32,
    b2: f32,
    image: &[f32],
    out: &mut [f32],
) {
    let x = global_idx().x;
    if x < width {
        let mut xp = image[x];
        let mut yp = image[x] * 0.5;
        let mut yb = yp;
        for y in 0..height {
            let xc = image[y * width + x];
            let yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
            out[y * width + x] = yc;
            xp = xc;
            yb = yp;
            yp = yc;
        }
        let last = image[(height - 1) * width + x];
        let (mut xn, mut xa, mut yn, mut ya) = (last, last, last * 0.5, last * 0.5);
        for y in (0..height).rev() {
            let xc = image[y * width + x];
            let yc = a0 * xn + a1 * xa - b1 * yn - b2 * ya;
            xa = xn;
            xn = xc;
            ya = yn;
            yn = yc;
            out[y * width + x] += yc;
        }
    }
}

/// Means of `2 · radius + 1` columns by a running sum, a thread for each row; the edges are repeated (CUDA samples, boxFilter).
#[kernel]
pub fn box_filter(width: usize, height: usize, radius: usize, x: &[f32], out: &mut [f32]) {
    let row = global_idx().x;
    if row < height && radius < width {
        let scale = 1.0 / (2 * radius + 1) as f32;
        let line = row * width;
        let mut sum = x[line] * radius as f32;
        for i in 0..radius + 1 {
            sum += x[line + i];
        }
        out[line] = sum * scale;
        for i in 1..width {
            let next = if i + radius < width { i + radius } else { width - 1 };
            let gone = if i > radius + 1 { i - radius - 1 } else { 0 };
            sum += x[line + next];
            sum -= x[line + gone];
            out[line + i] = sum * scale;
        }
    }
}

/// A filter whose weights fall with the distance and with the difference of brightness (CUDA samples, bilateralFilter).
#[kernel]
pub fn bilateral(
    width: i32,
    height: i32,
    radius: i32,
    steepness: f32,
    gaussian: &[f32],
    x: &[f32],
    out: &mut [f32],
) {
    let column = global_idx().x as i32;
    let row = global_idx().y as i32;
    if column < width && row < height {
        let centre = x[(row * width + column) as usize];
        let mut sum = 0.0f32;
        let mut total = 0.0f32;
        for i in -radius..=radius {
            for j in -radius..=radius {
                let cy = (row + i).max(0).min(height - 1);
                let cx = (column + j).max(0).min(width - 1);
                let pixel = x[(cy * width + cx) as usize];
                let apart = pixel - centre;
                let weight = (gaussian[(i + radius) as usize] + 1.0)
                    * (gaussian[(j + radius) as usize] + 1.0)
                    * (-(apart * apart) * steepness).exp();
                sum += weight * pixel;
                total += weight;
            }
        }
        out[(row * width + column) as usize] = sum / total;
    }
}

/// A step of the Ising model: the spins of one colour of a board whose edges meet, others by their neighbours (HeCBench, ising).
#[kernel]
pub fn ising(
    rows: usize,
    columns: usize,
    temperature: f32,
    chance: &[f32],
    others: &[f32],
    spins: &mut [f32],
) {
    let id = global_idx().x;
    let row = id / columns;
    let column = id % columns;
    if row < rows {
        let below = if row + 1 < rows { row + 1 } else { 0 };
        let above = if row >= 1 { row - 1 } else { rows - 1 };
        let right = if column + 1 < columns { column + 1 } else { 0 };
        let left = if column >= 1 { column - 1 } else { columns - 1 };
        let beside = if row % 2 == 1 { right } else { left };
        let sum = others[above * columns + column]
            + others[row * columns + column]
            + others[below * columns + column]
            + others[row * columns + beside];
        let spin = spins[row * columns + column];
        let ratio = (-2.0 * temperature * sum * spin).exp();
        if chance[row * columns + column] < ratio {
            spins[row * columns + column] = -spin;
        }
    }
}

/// The first of the sorted numbers that is not smaller, for each of the others (HeCBench, bsearch).
#[kernel]
pub fn lower_bound(count: usize, queries: usize, sorted: &[u32], wanted: &[u32], found: &mut [u32]) {
    let i = global_idx().x;
    if i < queries {
        let key = wanted[i];
        let mut first = 0;
        let mut last = count;
        while first < last {
            let middle = first + (last - first) / 2;
            if sorted[middle] < key {
                first = middle + 1;
            } else {
                last = middle;
            }
        }
        found[i] = first as u32;
    }
}

/// An image turned by an angle, between four pixels, black where there is none (CUDA samples, NPP's rotation).
#[kernel]
pub fn rotate(width: i32, height: i32, sine: f32, cosine: f32, x: &[f32], out: &mut [f32]) {
    let column = global_idx().x as i32;
    let row = global_idx().y as i32;
    if column < width && row < height {
        let cx = (width / 2) as f32;
        let cy = (height / 2) as f32;
        let dx = column as f32 - cx;
        let dy = row as f32 - cy;
        let sx = dx * cosine - dy * sine + cx;
        let sy = dx * sine + dy * cosine + cy;
        let x0 = sx.floor() as i32;
        let y0 = sy.floor() as i32;
        let mut value = 0.0f32;
        if x0 >= 0 && x0 + 1 < width && y0 >= 0 && y0 + 1 < height {
            let fx = sx - x0 as f32;
            let fy = sy - y0 as f32;
            let at = y0 * width + x0;
            let above = x[at as usize] * (1.0 - fx) + x[(at + 1) as usize] * fx;
            let below = x[(at + width) as usize] * (1.0 - fx) + x[(at + width + 1) as usize] * fx;
            value = above * (1.0 - fy) + below * fy;
        }
        out[(row * width + column) as usize] = value;
    }
}
