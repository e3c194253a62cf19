//! Pipelines, copies in bulk, tensors; clusters of blocks.

use half::bf16;
use kernel_runtime::{Swizzle, TensorMap};

use crate::harness::{devices, random, run};

#[test]
fn pipelines_of_copies() {
    for device in devices("copies") {
        let tiles = 5;
        let data: Vec<f32> = random(2 * tiles * 256).iter().map(|&value| (value % 100) as f32).collect();
        let (x, mut sums) = (device.upload(&data), device.zeros::<f32>(2));
        run(device.launch("pipeline_sums").arg(&x).arg(&mut sums).arg(tiles as i32).grid(2).block(64));
        let expected: Vec<f32> = data.chunks(tiles * 256).map(|part| part.iter().sum()).collect();
        assert_eq!(sums.to_vec().unwrap(), expected);
        let data: Vec<i32> = (0..128 * tiles as i32).map(|i| i * i % 1000).collect();
        let (x, mut out) = (device.upload(&data), device.zeros::<i32>(128));
        run(device.launch("pipeline_groups").arg(&x).arg(&mut out).arg(tiles as i32).grid(1).block(128));
        let sum = |t: usize| data.chunks(128).map(|part| part[(t + 1) % 128]).sum();
        assert_eq!(out.to_vec().unwrap(), (0..128).map(sum).collect::<Vec<i32>>());
    }
}

#[test]
fn copies_in_bulk() {
    for device in devices("copies") {
        let data: Vec<i32> = (0..768).map(|i| i * 3).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(768));
        run(device.launch("bulk_reverse").arg(&x).arg(&mut y).grid(3).block(64));
        let expected: Vec<i32> = data.chunks(256).flat_map(|part| part.iter().rev().copied()).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
        let mut sums = device.zeros::<i32>(64);
        run(device.launch("bulk_add").arg(&mut sums).grid(5).block(64));
        assert_eq!(sums.to_vec().unwrap(), (0..64).map(|t| 10 * t).collect::<Vec<i32>>());
    }
}

#[test]
fn a_tensor_is_transposed() {
    // 40 columns and 32 rows; the boxes begin 8 columns before the first.
    let (width, height) = (40usize, 32usize);
    for device in devices("copies") {
        let data: Vec<i32> = (0..(width * height) as i32).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(32 * 64));
        let sizes = [width as u64, height as u64];
        let from = TensorMap::of(&x, &sizes, &[32, 32]).build().unwrap();
        let to = TensorMap::of_mut(&mut y, &[32, 64], &[32, 32]).build().unwrap();
        run(device.launch("tensor_transpose").arg(&from).arg(&to).grid((2, 1)).block(128));
        let found = y.to_vec().unwrap();
        for (index, found) in found.into_iter().enumerate() {
            let (row, column) = (index % 32, (index / 32).wrapping_sub(8));
            let expected = if column < width { data[row * width + column] } else { 0 };
            assert_eq!(found, expected, "{index}");
        }
    }
}

#[test]
fn a_tensor_is_added() {
    for device in devices("copies") {
        let data: Vec<f32> = random(16 * 12 * 8).iter().map(|&value| (value % 50) as f32).collect();
        let (x, mut y) = (device.upload(&data), device.upload(&[1f32; 16 * 4 * 8]));
        let from = TensorMap::of(&x, &[16, 12, 8], &[8, 8, 4]).steps(&[1, 2, 1]).build().unwrap();
        let to = TensorMap::of_mut(&mut y, &[16, 4, 8], &[8, 4, 4]).build().unwrap();
        run(device.launch("tensor_add").arg(&from).arg(&to).grid((2, 2)).block(1));
        for (index, found) in y.to_vec().unwrap().into_iter().enumerate() {
            let (x, y, z) = (index % 16, index / 16 % 4, index / 64);
            assert_eq!(found, 1.0 + data[x + 16 * (2 + 2 * y) + 192 * z], "{index}");
        }
    }
}

#[test]
fn a_product_of_tensors() {
    for device in devices("copies") {
        let matrix = |count: usize, step: u64| -> Vec<bf16> {
            let value = |value: &u64| bf16::from_f32((value / step % 9) as f32 - 4.0);
            random(count).iter().map(value).collect()
        };
        let (a, b) = (matrix(64 * 64, 1), matrix(64 * 32, 1000));
        let (x, y, mut c) = (device.upload(&a), device.upload(&b), device.zeros::<f32>(64 * 32));
        let left = TensorMap::of(&x, &[64, 64], &[64, 64]).swizzle(Swizzle::B128).build().unwrap();
        let right = TensorMap::of(&y, &[64, 32], &[64, 32]).swizzle(Swizzle::B128).build().unwrap();
        let launch = device.launch("tensor_product").arg(&left).arg(&right).arg(&mut c);
        run(launch.grid(1).block(128).shared(8192 + 4096 + 64));
        for (index, found) in c.to_vec().unwrap().into_iter().enumerate() {
            let (row, column) = (index / 32, index % 32);
            let sum: f32 = (0..64).map(|k| a[row * 64 + k].to_f32() * b[column * 64 + k].to_f32()).sum();
            assert_eq!(found, sum, "{row}, {column}");
        }
    }
}

#[test]
fn a_histogram_of_a_cluster() {
    for device in devices("copies") {
        let data: Vec<u8> = random(3000).iter().map(|&value| value as u8).collect();
        let (x, mut bins) = (device.upload(&data), device.zeros::<u32>(256));
        let launch = device.launch("cluster_histogram").arg(&x).arg(&mut bins).arg(3000);
        run(launch.grid(8).block(96));
        let mut expected = vec![0; 256];
        data.iter().for_each(|&value| expected[usize::from(value)] += 1);
        assert_eq!(bins.to_vec().unwrap(), expected);
    }
}

#[test]
fn blocks_of_a_cluster_in_a_ring() {
    for device in devices("copies") {
        for size in [1usize, 2, 4, 8] {
            let mut out = device.zeros::<i32>(8 * 32);
            let launch = device.launch("cluster_ring").arg(&mut out).arg(3).grid(8).block(32);
            run(launch.cluster(size as u32));
            let found = out.to_vec().unwrap();
            for (index, found) in found.into_iter().enumerate() {
                let (block, thread) = (index / 32, index % 32);
                let from = block / size * size + (block + 3) % size;
                assert_eq!(found, (from * 100 + (thread ^ 1)) as i32 + 3, "clusters of {size}, {index}");
            }
        }
    }
}

#[test]
fn a_tile_for_all_of_a_cluster() {
    for device in devices("copies") {
        let data: Vec<i32> = random(32 * 16).iter().map(|&value| (value % 30) as i32).collect();
        let (x, mut out) = (device.upload(&data), device.zeros::<i32>(4 * 32));
        let map = TensorMap::of(&x, &[32, 16], &[16, 8]).build().unwrap();
        run(device.launch("cluster_multicast").arg(&map).arg(&mut out).grid(4).block(32));
        // Each thread has every 32nd element of its tile: two rows apart.
        let sum = |block: usize, thread: usize| -> i32 {
            let rows = (0..4).map(|i| block / 2 * 8 + thread / 16 + 2 * i);
            rows.map(|row| data[row * 32 + 16 + thread % 16]).sum()
        };
        for (index, found) in out.to_vec().unwrap().into_iter().enumerate() {
            let (block, thread) = (index / 32, index % 32);
            assert_eq!(found, sum(block, thread) * 1000 + sum(block ^ 1, thread % 4), "{index}");
        }
    }
}
