//! Kernels of applications: Rodinia's, Parboil's, HeCBench's and llm.c's longer ones, with structures, tiles and searches.

use kernel_runtime::prelude::*;

/// The tiles right of and below a tile of the diagonal, in the decomposition of a matrix into triangles (Rodinia, LUD).
#[kernel(block(32))]
pub fn lud_perimeter(dim: usize, offset: usize, m: &mut [f32]) {
    let mut diagonal = shared::<[[f32; 16]; 16]>();
    let mut row = shared::<[[f32; 16]; 16]>();
    let mut column = shared::<[[f32; 16]; 16]>();
    let ahead = (block_idx().x + 1) * 16;
    if thread_idx().x < 16 {
        let idx = thread_idx().x;
        let mut at = offset * dim + offset;
        for i in 0..8 {
            diagonal[i][idx] = m[at + idx];
            at += dim;
        }
        at = offset * dim + offset;
        for i in 0..16 {
            row[i][idx] = m[at + ahead + idx];
            at += dim;
        }
    } else {
        let idx = thread_idx().x - 16;
        let mut at = (offset + 8) * dim + offset;
        for i in 8..16 {
            diagonal[i][idx] = m[at + idx];
            at += dim;
        }
        at = (offset + ahead) * dim + offset;
        for i in 0..16 {
            column[i][idx] = m[at + idx];
            at += dim;
        }
    }
    barrier();
    if thread_idx().x < 16 {
        let idx = thread_idx().x;
        for i in 1..16 {
            for j in 0..i {
                row[i][idx] -= diagonal[i][j] * row[j][idx];
            }
        }
    } else {
        let idx = thread_idx().x - 16;
        for i in 0..16 {
            for j in 0..i {
                column[idx][i] -= column[idx][j] * diagonal[j][i];
            }
            column[idx][i] /= diagonal[i][i] + 4.0;
        }
    }
    barrier();
    if thread_idx().x < 16 {
        let idx = thread_idx().x;
        let mut at = (offset + 1) * dim + offset;
        for i in 1..16 {
            m[at + ahead + idx] = row[i][idx];
            at += dim;
        }
    } else {
        let idx = thread_idx().x - 16;
        let mut at = (offset + ahead) * dim + offset;
        for i in 0..16 {
            m[at + idx] = column[i][idx];
            at += dim;
        }
    }
}

/// The gain of opening another centre for each point (Rodinia, streamcluster).
#[kernel]
pub fn stream_cost(
    num: usize,
    dim: usize,
    centre: usize,
    centres: usize,
    coordinates: &[f32],
    weights: &[f32],
    costs: &[f32],
    assigned: &[u32],
    table: &[u32],
    switches: &mut [u32],
    work: &mut [f32],
) {
    let i = global_idx().x;
    if i < num {
        let mut distance = 0.0f32;
        for d in 0..dim {
            let difference = coordinates[d * num + i] - coordinates[d * num + centre];
            distance += difference * difference;
        }
        let cost = distance * weights[i];
        let current = costs[i];
        if cost < current {
            switches[i] = 1;
            work[i * (centres + 1) + centres] += cost - current;
        } else {
            let own = table[assigned[i] as usize] as usize;
            work[i * (centres + 1) + own] += current - cost;
        }
    }
}

/// Fluxes through the faces of cells of an unstructured grid (Rodinia, CFD).
#[kernel]
pub fn cfd_flux(cells: usize, neighbours: &[u32], normals: &[f32], variables: &[f32], fluxes: &mut [f32]) {
    let i = global_idx().x;
    if i < cells {
        let density = variables[i] + 1.0;
        let mx = variables[i + cells];
        let my = variables[i + 2 * cells];
        let mz = variables[i + 3 * cells];
        let energy = variables[i + 4 * cells] + 2.0;
        let (vx, vy, vz) = (mx / density, my / density, mz / density);
        let speed2 = vx * vx + vy * vy + vz * vz;
        let speed = speed2.sqrt();
        let pressure = 0.4 * (energy - 0.5 * density * speed2);
        let sound = (1.4 * pressure / density).sqrt();
        let mut flux = 0.0f32;
        let mut flux_x = 0.0f32;
        let mut flux_y = 0.0f32;
        let mut flux_energy = 0.0f32;
        for j in 0..4 {
            let neighbour = neighbours[i + j * cells] as i32;
            let nx = normals[i + j * cells];
            let ny = normals[i + (j + 4) * cells];
            let nz = normals[i + (j + 8) * cells];
            let length = (nx * nx + ny * ny + nz * nz).sqrt();
            if neighbour >= 0 {
                let n = neighbour as usize;
                let density_n = variables[n] + 1.0;
                let mx_n = variables[n + cells];
                let my_n = variables[n + 2 * cells];
                let mz_n = variables[n + 3 * cells];
                let energy_n = variables[n + 4 * cells] + 2.0;
                let (vx_n, vy_n, vz_n) = (mx_n / density_n, my_n / density_n, mz_n / density_n);
                let speed2_n = vx_n * vx_n + vy_n * vy_n + vz_n * vz_n;
                let pressure_n = 0.4 * (energy_n - 0.5 * density_n * speed2_n);
                let sound_n = (1.4 * pressure_n / density_n).sqrt();
                let mut factor = -length * 0.2 * 0.5 * (speed + speed2_n.sqrt() + sound + sound_n);
                flux += factor * (density - density_n);
                flux_energy += factor * (energy - energy_n);
                flux_x += factor * (mx - mx_n);
                flux_y += factor * (my - my_n);
                factor = 0.5 * nx;
                flux += factor * (mx_n + mx);
                flux_energy += factor * (vx_n * (energy_n + pressure_n) + vx * (energy + pressure));
                flux_x += factor * (vx_n * mx_n + pressure_n + vx * mx + pressure);
                flux_y += factor * (vx_n * my_n + vx * my);
                factor = 0.5 * ny;
                flux += factor * (my_n + my);
                flux_energy += factor * (vy_n * (energy_n + pressure_n) + vy * (energy + pressure));
                flux_x += factor * (vx_n * my_n + vx * my);
                flux_y += factor * (vy_n * my_n + pressure_n + vy * my + pressure);
            } else if neighbour == -1 {
                flux_x += nx * pressure;
                flux_y += ny * pressure;
            } else if neighbour == -2 {
                let factor = 0.5 * nx;
                flux += factor * (1.2 + mx);
                flux_x += factor * (1.9 + vx * mx + pressure);
                flux_y += factor * (vx * my);
                flux_energy += factor * (2.1 + vx * (energy + pressure));
            }
        }
        fluxes[i] = flux;
        fluxes[i + cells] = flux_x;
        fluxes[i + 2 * cells] = flux_y;
        fluxes[i + 3 * cells] = flux_energy;
    }
}

/// Forces between the particles of a box and of the boxes around it, 100 in each (Rodinia, LavaMD).
#[kernel(block(128))]
pub fn lavamd(side: i32, alpha: f32, positions: &[F32x4], charges: &[f32], forces: &mut [F32x4]) {
    let mut home = shared::<[F32x4; 100]>();
    let mut other = shared::<[F32x4; 100]>();
    let mut charge = shared::<[f32; 100]>();
    let a2 = 2.0 * alpha * alpha;
    let t = thread_idx().x;
    let own = block_idx().x as i32;
    let bx = own % side;
    let by = own / side % side;
    let bz = own / (side * side);
    let mut i = t;
    while i < 100 {
        home[i] = positions[own as usize * 100 + i];
        i += 128;
    }
    barrier();
    for dz in -1..=1 {
        for dy in -1..=1 {
            for dx in -1..=1 {
                let (x, y, z) = (bx + dx, by + dy, bz + dz);
                if x >= 0 && x < side && y >= 0 && y < side && z >= 0 && z < side {
                    let first = ((z * side + y) * side + x) as usize * 100;
                    let mut i = t;
                    while i < 100 {
                        other[i] = positions[first + i];
                        charge[i] = charges[first + i];
                        i += 128;
                    }
                    barrier();
                    let mut i = t;
                    while i < 100 {
                        let a = home[i];
                        let mut force = forces[own as usize * 100 + i];
                        for j in 0..100 {
                            let b = other[j];
                            let r2 = a.w + b.w - (a.x * b.x + a.y * b.y + a.z * b.z);
                            let v = (-a2 * r2).exp();
                            let fs = 2.0 * v;
                            force.w += charge[j] * v;
                            force.x += charge[j] * (fs * (a.x - b.x));
                            force.y += charge[j] * (fs * (a.y - b.y));
                            force.z += charge[j] * (fs * (a.z - b.z));
                        }
                        forces[own as usize * 100 + i] = force;
                        i += 128;
                    }
                    barrier();
                }
            }
        }
    }
}

/// Sums over the samples of k-space for each voxel (Parboil, MRI-Q).
#[kernel]
pub fn mri_q(
    samples: usize,
    voxels: usize,
    k: &[F32x4],
    x: &[f32],
    y: &[f32],
    z: &[f32],
    real: &mut [f32],
    imaginary: &mut [f32],
) {
    let voxel = global_idx().x;
    if voxel < voxels {
        let (px, py, pz) = (x[voxel], y[voxel], z[voxel]);
        let mut sum_real = real[voxel];
        let mut sum_imaginary = imaginary[voxel];
        for s in 0..samples {
            let angle = 6.283_185_5 * (k[s].x * px + k[s].y * py + k[s].z * pz);
            sum_real += k[s].w * angle.cos();
            sum_imaginary += k[s].w * angle.sin();
        }
        real[voxel] = sum_real;
        imaginary[voxel] = sum_imaginary;
    }
}

/// Angles between pairs of galaxies, counted in bins that a binary search finds (Parboil, TPACF).
#[kernel]
pub fn tpacf(n: usize, bins: usize, x: &[f32], y: &[f32], z: &[f32], limits: &[f32], counts: &[AtomicU32]) {
    let i = global_idx().x;
    if i < n {
        let (xi, yi, zi) = (x[i], y[i], z[i]);
        for j in i + 1..n {
            let dot = xi * x[j] + yi * y[j] + zi * z[j];
            let mut low = 0;
            let mut high = bins;
            while high > low + 1 {
                let middle = (low + high) / 2;
                if dot >= limits[middle] {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            let bin = if dot >= limits[low] {
                low
            } else if dot < limits[high] {
                high + 1
            } else {
                high
            };
            counts[bin].fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// Potentials of atoms within a cutoff, at the points of a lattice (Parboil, CUTCP).
#[kernel]
pub fn cutcp(
    nx: usize,
    ny: usize,
    atoms: usize,
    spacing: f32,
    cutoff: f32,
    atom: &[F32x4],
    lattice: &mut [f32],
) {
    let i = global_idx().x;
    let j = global_idx().y;
    let k = block_idx().z;
    if i < nx && j < ny {
        let (x, y, z) = (i as f32 * spacing, j as f32 * spacing, k as f32 * spacing);
        let cutoff2 = cutoff * cutoff;
        let mut energy = 0.0f32;
        for a in 0..atoms {
            let dx = atom[a].x - x;
            let dy = atom[a].y - y;
            let dz = atom[a].z - z;
            let r2 = dx * dx + dy * dy + dz * dz;
            if r2 < cutoff2 {
                let s = 1.0 - r2 / cutoff2;
                energy += atom[a].w * (1.0 / (r2 + 0.01).sqrt()) * s * s;
            }
        }
        lattice[(k * ny + j) * nx + i] = energy;
    }
}

/// Sums of absolute differences of blocks of four by four to those around their place in the frame before (Parboil, SAD).
#[kernel]
pub fn sad(width: i32, height: i32, range: i32, frames: &[u8], sums: &mut [u32]) {
    let block = global_idx().x as i32;
    let position = global_idx().y as i32;
    let across = width / 4;
    let positions = (2 * range + 1) * (2 * range + 1);
    if block < across * (height / 4) && position < positions {
        let bx = block % across * 4;
        let by = block / across * 4;
        let dx = position % (2 * range + 1) - range;
        let dy = position / (2 * range + 1) - range;
        let mut sum = 0;
        for y in 0..4 {
            for x in 0..4 {
                let rx = (bx + x + dx).clamp(0, width - 1);
                let ry = (by + y + dy).clamp(0, height - 1);
                let now = frames[((by + y) * width + bx + x) as usize] as i32;
                let before = frames[((height + ry) * width + rx) as usize] as i32;
                sum += (now - before).abs();
            }
        }
        sums[(block * positions + position) as usize] = sum as u32;
    }
}

/// Attention of one query to the positions before it, a block for each head (llama2.cu).
#[kernel(block(128))]
pub fn attention_decode(
    length: usize,
    heads: usize,
    size: usize,
    queries: &[f32],
    keys: &[f32],
    values: &[f32],
    scores: &mut [f32],
    out: &mut [f32],
) {
    let mut parts = shared::<[f32; 128]>();
    let head = block_idx().x;
    let tid = thread_idx().x;
    let mut most = f32::NEG_INFINITY;
    for t in (tid..length).step_by(128) {
        let mut score = 0.0f32;
        for i in 0..size {
            score += queries[head * size + i] * keys[(t * heads + head) * size + i];
        }
        score /= (size as f32).sqrt();
        scores[head * length + t] = score;
        most = most.max(score);
    }
    parts[tid] = most;
    barrier();
    let mut half = 64;
    while half > 0 {
        if tid < half {
            parts[tid] = parts[tid].max(parts[tid + half]);
        }
        barrier();
        half /= 2;
    }
    let most = parts[0];
    barrier();
    let mut sum = 0.0f32;
    for t in (tid..length).step_by(128) {
        let power = (scores[head * length + t] - most).exp();
        scores[head * length + t] = power;
        sum += power;
    }
    parts[tid] = sum;
    barrier();
    let mut half = 64;
    while half > 0 {
        if tid < half {
            parts[tid] += parts[tid + half];
        }
        barrier();
        half /= 2;
    }
    let sum = parts[0];
    for i in (tid..size).step_by(128) {
        let mut value = 0.0f32;
        for t in 0..length {
            value += scores[head * length + t] / sum * values[(t * heads + head) * size + i];
        }
        out[head * size + i] = value;
    }
}

/// The gradient of GELU (llm.c).
#[kernel]
pub fn gelu_backward(n: usize, x: &[f32], dout: &[f32], dx: &mut [f32]) {
    let i = global_idx().x;
    if i < n {
        let value = x[i];
        let cube = 0.044715 * value * value * value;
        let argument = 0.797_884_6 * (value + cube);
        let tanh = argument.tanh();
        let cosh = argument.cosh();
        let sech2 = 1.0 / (cosh * cosh);
        let local =
            0.5 * (1.0 + tanh) + value * 0.5 * sech2 * 0.797_884_6 * (1.0 + 3.0 * 0.044715 * value * value);
        dx[i] = local * dout[i];
    }
}

/// The gradient of the logits by the loss, through softmax (llm.c).
#[kernel]
pub fn crossentropy_backward(
    rows: usize,
    vocabulary: usize,
    losses: &[f32],
    probabilities: &[f32],
    targets: &[u32],
    logits: &mut [f32],
) {
    let i = global_idx().x;
    if i < rows * vocabulary {
        let row = i / vocabulary;
        let token = i % vocabulary;
        let indicator = if token == targets[row] as usize { 1.0 } else { 0.0 };
        logits[i] += (probabilities[i] - indicator) * losses[row];
    }
}

/// Normalisation of each group of channels of an image, a block for each (HeCBench, llm.c).
#[kernel(block(256))]
pub fn group_norm(
    channels: usize,
    groups: usize,
    pixels: usize,
    x: &[f32],
    weight: &[f32],
    bias: &[f32],
    out: &mut [f32],
) {
    let mut sums = shared::<[f32; 256]>();
    let mut squares = shared::<[f32; 256]>();
    let t = thread_idx().x;
    let in_group = channels / groups;
    let count = in_group * pixels;
    let first = block_idx().x * count;
    let group = block_idx().x % groups;
    let mut sum = 0.0f32;
    let mut square = 0.0f32;
    for i in (t..count).step_by(256) {
        let value = x[first + i];
        sum += value;
        square += value * value;
    }
    sums[t] = sum;
    squares[t] = square;
    barrier();
    let mut half = 128;
    while half > 0 {
        if t < half {
            sums[t] += sums[t + half];
            squares[t] += squares[t + half];
        }
        barrier();
        half /= 2;
    }
    let mean = sums[0] / count as f32;
    let variance = squares[0] / count as f32 - mean * mean;
    let scale = 1.0 / (variance + 1e-5).sqrt();
    for i in (t..count).step_by(256) {
        let channel = group * in_group + i / pixels;
        out[first + i] = (x[first + i] - mean) * scale * weight[channel] + bias[channel];
    }
}

/// The smallest byte in a square around each pixel (HeCBench, morphology).
#[kernel]
pub fn erode(width: i32, height: i32, radius: i32, image: &[u8], out: &mut [u8]) {
    let x = global_idx().x as i32;
    let y = global_idx().y as i32;
    if x < width && y < height {
        let mut least = 255u8;
        for dy in -radius..=radius {
            for dx in -radius..=radius {
                let (px, py) = (x + dx, y + dy);
                if px >= 0 && px < width && py >= 0 && py < height {
                    let value = image[(py * width + px) as usize];
                    if value < least {
                        least = value;
                    }
                }
            }
        }
        out[(y * width + x) as usize] = least;
    }
}

/// A step of the wavelet transform of rows by lifting, mirrored at the borders (Rodinia, DWT2D).
#[kernel]
pub fn dwt_lifting(width: usize, height: usize, x: &[f32], out: &mut [f32]) {
    let i = global_idx().x;
    let row = global_idx().y;
    let half = width / 2;
    if i < half && row < height {
        let at = row * width + 2 * i;
        let even = x[at];
        let next = if i + 1 < half { x[at + 2] } else { even };
        let detail = x[at + 1] - 0.5 * (even + next);
        let before = if i > 0 { x[at - 1] - 0.5 * (x[at - 2] + even) } else { detail };
        out[row * width + i] = even + 0.25 * (before + detail);
        out[row * width + half + i] = detail;
    }
}

/// Steps of Hodgkin and Huxley's model of nerve cells (HeCBench, after Rodinia's myocyte).
#[kernel]
pub fn hodgkin_huxley(cells: usize, steps: u32, dt: f32, current: f32, state: &mut [f32]) {
    let i = global_idx().x;
    if i < cells {
        let mut v = state[i] - 65.0;
        let mut m = state[i + cells];
        let mut h = state[i + 2 * cells];
        let mut n = state[i + 3 * cells];
        for _ in 0..steps {
            let alpha_m = 0.1 * (v + 40.0) / (1.0 - (-(v + 40.0) / 10.0).exp());
            let beta_m = 4.0 * (-(v + 65.0) / 18.0).exp();
            let alpha_h = 0.07 * (-(v + 65.0) / 20.0).exp();
            let beta_h = 1.0 / (1.0 + (-(v + 35.0) / 10.0).exp());
            let alpha_n = 0.01 * (v + 55.0) / (1.0 - (-(v + 55.0) / 10.0).exp());
            let beta_n = 0.125 * (-(v + 65.0) / 80.0).exp();
            let sodium = 120.0 * m * m * m * h * (v - 50.0);
            let potassium = 36.0 * n * n * n * n * (v + 77.0);
            let leak = 0.3 * (v + 54.387);
            v += dt * (current - sodium - potassium - leak);
            m += dt * (alpha_m * (1.0 - m) - beta_m * m);
            h += dt * (alpha_h * (1.0 - h) - beta_h * h);
            n += dt * (alpha_n * (1.0 - n) - beta_n * n);
        }
        state[i] = v + 65.0;
        state[i + cells] = m;
        state[i + 2 * cells] = h;
        state[i + 3 * cells] = n;
    }
}

/// Likelihoods of the places of an object by the pixels around them (Rodinia, particle filter).
#[kernel]
pub fn particle_likelihood(
    particles: usize,
    ones: usize,
    columns: i32,
    frames: i32,
    frame: i32,
    size: i32,
    xs: &[f32],
    ys: &[f32],
    offsets: &[f32],
    image: &[u8],
    likelihood: &mut [f32],
) {
    let i = global_idx().x;
    if i < particles {
        let mut sum = 0.0f32;
        for o in 0..ones {
            let x = (40.0 * xs[i]).round() as i32 + (10.0 * offsets[2 * o + 1]) as i32;
            let y = (40.0 * ys[i]).round() as i32 + (10.0 * offsets[2 * o]) as i32;
            let mut at = (x * columns * frames + y * frames + frame).abs();
            if at >= size {
                at = 0;
            }
            let pixel = image[at as usize] as f32;
            sum += ((pixel - 100.0) * (pixel - 100.0) - (pixel - 228.0) * (pixel - 228.0)) / 50.0;
        }
        likelihood[i] = sum / ones as f32;
    }
}
