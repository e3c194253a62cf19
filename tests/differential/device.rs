//! Indices of threads, shared memory, barriers, shuffles.

use crate::harness::cases;

mod kernels {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn positions(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let t = thread_idx();
        let b = block_idx();
        let size = block_dim();
        let grid = grid_dim();
        let g = global_idx();
        let all = global_size();
        let thread = (t.z * size.y + t.y) * size.x + t.x;
        let block = (b.z * grid.y + b.y) * grid.x + b.x;
        let i = block * (size.x * size.y * size.z) + thread;
        let place = (g.z * all.y + g.y) * all.x + g.x;
        out[i] = (place * 10_000 + warp::warp_id() * 100 + warp::lane_id()) as u64;
        results[i] = floats[i] + (ints[i] - n) as f32;
    }

    #[kernel]
    pub fn block_sum(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let mut partial = shared::<[i64; 128]>();
        let t = thread_idx().x;
        partial[t] = ints[global_idx().x] as i64 * n as i64;
        barrier();
        let mut width = block_dim().x / 2;
        while width > 0 {
            if t < width {
                partial[t] += partial[t + width];
            }
            barrier();
            width /= 2;
        }
        if t == 0 {
            out[block_idx().x] = partial[0] as u64;
            results[block_idx().x] = floats[block_idx().x];
        }
    }

    #[kernel(block(16, 16))]
    pub fn transpose(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        const TILE: usize = 16;
        let mut tile = shared::<[[f32; TILE + 1]; TILE]>();
        let mut numbers = shared::<[u64; TILE * TILE]>();
        let x = thread_idx().x;
        let y = thread_idx().y;
        let base = block_idx().x * TILE * TILE;
        tile[y][x] = floats[base + y * TILE + x];
        numbers[y * TILE + x] = ints[base + y * TILE + x] as u64 + n as u64;
        barrier();
        tile[y][x] += 0.5;
        barrier();
        results[base + y * TILE + x] = tile[x][y];
        out[base + y * TILE + x] = numbers[x * TILE + y] + tile.len() as u64 + tile[0].len() as u64;
    }

    #[kernel]
    pub fn shuffles(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let i = global_idx().x;
        let lane = warp::lane_id();
        let up = warp::shfl_up(ints[i], 3);
        let down = warp::shfl_down(ints[i] as u32, 5);
        let other = warp::shfl_xor(ints[i] as i64 * n as i64, 9);
        let chosen = warp::shfl_idx(ints[i] as u64 * 77, (lane as u32 * 7 + 1) & 31);
        out[i] = (up as u64) ^ (down as u64) << 7 ^ (other as u64) ^ chosen;
        let mut sum = floats[i].clamp(-100.0, 100.0);
        for k in (0..5u32).rev() {
            sum += warp::shfl_xor(sum, 1 << k);
        }
        let wide = warp::shfl_down(sum as f64 / 3.0, 1);
        results[i] = wide as f32;
    }

    #[kernel(launch_bounds(256, 2))]
    pub fn sum_by_shuffles(n: i32, ints: &[i32], floats: &[f32], out: &mut [u64], results: &mut [f32]) {
        let mut warps = shared::<[f32; 32]>();
        let i = global_idx().x;
        let mut sum = floats[i].clamp(-1000.0, 1000.0);
        for k in 0..5u32 {
            sum += warp::shfl_down(sum, 16 >> k);
        }
        if warp::lane_id() == 0 {
            warps[warp::warp_id()] = sum;
        }
        barrier();
        if warp::warp_id() == 0 {
            let count = block_dim().x / 32;
            let mut total = if warp::lane_id() < count { warps[warp::lane_id()] } else { 0.0 };
            for k in 0..5u32 {
                total += warp::shfl_down(total, 16 >> k);
            }
            if thread_idx().x == 0 {
                results[block_idx().x] = total;
                out[block_idx().x] = (ints[i] + n) as u64;
            }
        }
    }

    #[kernel]
    pub fn threads_that_end_early(
        n: i32,
        ints: &[i32],
        floats: &[f32],
        out: &mut [u64],
        results: &mut [f32],
    ) {
        let mut tile = shared::<[f32; 128]>();
        let t = thread_idx().x;
        if t < n as usize {
            tile[t] = floats[t];
        }
        barrier();
        if t >= n as usize {
            return;
        }
        results[global_idx().x] = tile[n as usize - 1 - t];
        out[global_idx().x] = ints[t] as u64;
    }
}

cases! { kernels:
    positions: (2, 2, 2), (5, 3, 4);
    block_sum: 4, 128;
    transpose: 2, (16, 16);
    shuffles: 4, 128;
    sum_by_shuffles: 2, 256;
    threads_that_end_early: 4, 128;
}
