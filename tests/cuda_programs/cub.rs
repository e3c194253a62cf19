//! CUB: the kernels of whole devices, launched as its dispatch does, and the algorithms of blocks and warps.

use crate::harness::{Device, devices, random, run};
use kernel_runtime::prelude::DeviceBuffer;

/// Elements that a block takes: of a reduction, of a scan, of a pass of a sort.
fn tile_sizes(device: &Device) -> [usize; 3] {
    let mut sizes = device.zeros::<u32>(3);
    run(device.launch("tile_sizes").arg(&mut sizes).grid(1).block(1));
    sizes.to_vec().unwrap().iter().map(|&size| size as usize).collect::<Vec<_>>().try_into().unwrap()
}

#[test]
fn a_sum_of_the_device() {
    for device in devices("cub") {
        let [tile, ..] = tile_sizes(&device);
        let (n, blocks) = (9 * tile + 123, 4);
        let data: Vec<i32> = random(n).iter().map(|&value| value as i32 >> 8).collect();
        let (x, mut partial, mut total) =
            (device.upload(&data), device.zeros::<i32>(blocks), device.zeros::<i32>(1));
        // As `GridEvenShare::DispatchInit` says: big shares first, then those of whole tiles.
        let tiles = n.div_ceil(tile);
        let (average, big) = (tiles / blocks, tiles % blocks);
        let share = [tiles, big, (average + 1) * tile, average * tile, big * tile, n, blocks, n, n, 0];
        let share: Vec<u8> = share.iter().flat_map(|&field| (field as u32).to_le_bytes()).collect();
        let launch = device.launch("18DeviceReduceKernel").arg(&x).arg(&mut partial).arg(n as u32);
        run(launch.arg(&share[..]).arg(&[0u8][..]).arg(&[0u8][..]).grid(blocks as u32).block(256));
        let launch = device.launch(
            "DeviceReduceSingleTileKernelINS2_10policy_hubIijN4cuda3std3__44plusIvEEE10Policy1000EPiSC_iS9",
        );
        let launch = launch.arg(&partial).arg(&mut total).arg(blocks as i32).arg(&[0u8][..]).arg(7);
        run(launch.arg(&[0u8][..]).grid(1).block(256));
        assert_eq!(total.to_vec().unwrap(), [data.iter().fold(7i32, |sum, value| sum.wrapping_add(*value))]);
    }
}

#[test]
fn a_scan_of_the_device() {
    for device in devices("cub") {
        let [_, tile, _] = tile_sizes(&device);
        let n = 5 * tile + 77;
        let tiles = n.div_ceil(tile);
        let data: Vec<i32> = random(n).iter().map(|&value| value as i32 % 1000).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(n));
        let mut state = device.zeros::<u64>(32 + tiles);
        run(device.launch("DeviceScanInitKernel").arg(&mut state).arg(tiles as i32).grid(1).block(128));
        let launch = device.launch("16DeviceScanKernel").arg(&x).arg(&mut y).arg(&mut state).arg(0);
        let threads = device.max_threads("16DeviceScanKernel");
        run(launch.arg(&[0u8][..]).arg(&[0u8][..]).arg(n as u32).grid(tiles as u32).block(threads));
        let sums = data.iter().scan(0i32, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        assert_eq!(y.to_vec().unwrap(), sums.collect::<Vec<i32>>());
    }
}

#[test]
fn a_radix_sort_of_the_device() {
    for device in devices("cub") {
        let [.., tile] = tile_sizes(&device);
        let n = 3 * tile + 1001;
        let blocks = n.div_ceil(tile);
        let keys: Vec<u32> = random(n).iter().map(|&value| value as u32).collect();
        let values: Vec<i32> = (0..n as i32).collect();
        let mut buffers: [(DeviceBuffer<u32>, DeviceBuffer<i32>); 2] =
            [(device.upload(&keys), device.upload(&values)), (device.zeros(n), device.zeros(n))];
        let mut bins = device.zeros::<u32>(4 * 256);
        let launch =
            device.launch("DeviceRadixSortHistogramKernel").arg(&mut bins).arg(&buffers[0].0).arg(n as u32);
        let threads = device.max_threads("DeviceRadixSortHistogramKernel");
        run(launch.arg(0).arg(32).arg(&[0u8][..]).grid(3).block(threads));
        let launch = device.launch("DeviceRadixSortExclusiveSumKernel").arg(&mut bins);
        run(launch.grid(4).block(256));
        let starts = bins.to_vec().unwrap();
        let threads = device.max_threads("DeviceRadixSortOnesweepKernel");
        for pass in 0..4usize {
            let mut look_back = device.zeros::<i32>(blocks * 256);
            let mut counter = device.zeros::<i32>(1);
            let start = device.upload(&starts[pass * 256..][..256]);
            let [from, to] = &mut buffers;
            let launch = device.launch("DeviceRadixSortOnesweepKernel").arg(&mut look_back).arg(&mut counter);
            let launch = launch.arg(0u64).arg(&start).arg(&mut to.0).arg(&from.0).arg(&mut to.1).arg(&from.1);
            let launch = launch.arg(n as i32).arg(8 * pass as i32).arg(8).arg(&[0u8][..]);
            run(launch.grid(blocks as u32).block(threads));
            buffers.swap(0, 1);
        }
        let mut expected: Vec<(u32, i32)> = keys.into_iter().zip(values).collect();
        expected.sort();
        let found = buffers[0].0.to_vec().unwrap().into_iter().zip(buffers[0].1.to_vec().unwrap());
        assert!(found.eq(expected), "not sorted");
    }
}

#[test]
fn a_merge_sort_of_a_block() {
    for device in devices("cub") {
        let mut data: Vec<i32> = random(512).iter().map(|&value| value as i32).collect();
        let mut x = device.upload(&data);
        // CUB reads one element beyond those that there are, and does not use it.
        run(device.launch("block_merge_sort").arg(&mut x).grid(1).block(128).sanitize(false));
        data.sort_by(|a, b| b.cmp(a));
        assert_eq!(x.to_vec().unwrap(), data);
    }
}

#[test]
fn a_histogram_of_a_block() {
    for device in devices("cub") {
        let data: Vec<u8> = random(512).iter().map(|&value| (value % 61) as u8).collect();
        let (x, mut bins) = (device.upload(&data), device.zeros::<u32>(64));
        run(device.launch("block_histogram").arg(&x).arg(&mut bins).grid(1).block(128));
        let mut expected = vec![0; 64];
        data.iter().for_each(|&value| expected[usize::from(value)] += 1);
        assert_eq!(bins.to_vec().unwrap(), expected);
    }
}

#[test]
fn scans_and_reductions_of_warps() {
    for device in devices("cub") {
        let data: Vec<i32> = random(128).iter().map(|&value| (value % 500) as i32).collect();
        let (x, mut y, mut longest) =
            (device.upload(&data), device.zeros::<i32>(128), device.zeros::<i32>(8));
        run(device.launch("warps").arg(&x).arg(&mut y).arg(&mut longest).grid(1).block(128));
        let (found, longest) = (y.to_vec().unwrap(), longest.to_vec().unwrap());
        for warp in 0..4 {
            let part = &data[32 * warp..][..32];
            let total: i32 = part.iter().sum();
            for lane in 0..32 {
                assert_eq!(found[32 * warp + lane], part[..lane].iter().sum::<i32>() + 1000 * total);
            }
            let most = *part.iter().max().unwrap();
            assert_eq!(longest[2 * warp], most);
            assert_eq!(data[longest[2 * warp + 1] as usize], most);
        }
    }
}

#[test]
fn an_exchange_of_a_block() {
    for device in devices("cub") {
        let data: Vec<i32> = (0..256).map(|i| i * i).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(256));
        run(device.launch("exchange").arg(&x).arg(&mut y).grid(1).block(64));
        assert_eq!(y.to_vec().unwrap(), data);
    }
}
