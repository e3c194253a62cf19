//! Groups, votes, locks, atomic operations, barriers.

use crate::harness::{devices, random, run};

#[test]
fn groups_of_threads() {
    for device in devices("threads") {
        let data: Vec<i32> = random(64).iter().map(|&value| (value % 1000) as i32).collect();
        let (x, mut out) = (device.upload(&data), device.zeros::<i32>(64 * 8));
        run(device.launch("groups").arg(&x).arg(&mut out).grid(1).block(64));
        let found = out.to_vec().unwrap();
        for (i, found) in found.chunks(8).enumerate() {
            let (tile, warp) = (&data[i / 8 * 8..][..8], &data[i / 32 * 32..][..32]);
            let v = data[i];
            let same: Vec<usize> = (0..32).filter(|&lane| warp[lane] & 3 == v & 3).collect();
            let odd: Vec<usize> = (0..32).filter(|&lane| warp[lane] & 1 == 1).collect();
            let before: i32 = odd.iter().filter(|&&lane| lane < i % 32).map(|&lane| warp[lane]).sum();
            let third: Vec<i32> = warp.iter().copied().filter(|w| (w % 3 == 0) == (v % 3 == 0)).collect();
            let rank = same.iter().position(|&lane| lane == i % 32).unwrap();
            let expected = [
                tile.iter().sum(),
                tile[..=i % 8].iter().sum(),
                tile[(i % 8) ^ 3] + i as i32 / 8,
                same.iter().map(|&lane| warp[lane]).max().unwrap(),
                (same.len() * 100 + rank) as i32,
                if v & 1 == 1 { before * 64 + odd.len() as i32 } else { -1 },
                i32::from(tile.iter().any(|&w| w > 900)) * 4
                    + i32::from(tile.iter().all(|&w| w > 100)) * 2
                    + i32::from(tile[0] & 4 != 0),
                third.iter().fold(0u32, |bits, w| bits | 1 << (w % 31)) as i32,
            ];
            assert_eq!(found, expected, "thread {i}");
        }
    }
}

#[test]
fn a_scan_that_looks_back() {
    for device in devices("threads") {
        let blocks = 12;
        let data: Vec<u32> = random(256 * blocks).iter().map(|&value| (value % 100) as u32).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<u32>(data.len()));
        let (mut state, mut ticket) = (device.zeros::<u64>(blocks), device.zeros::<u32>(1));
        let launch = device.launch("look_back").arg(&x).arg(&mut y).arg(&mut state).arg(&mut ticket);
        run(launch.grid(blocks as u32).block(256));
        let sums = data.iter().scan(0, |sum, value| {
            *sum += value;
            Some(*sum)
        });
        assert_eq!(y.to_vec().unwrap(), sums.collect::<Vec<u32>>());
    }
}

#[test]
fn what_is_even_is_kept() {
    for device in devices("threads") {
        let data: Vec<i32> = random(3000).iter().map(|&value| (value % 10_000) as i32).collect();
        let (x, mut y, mut count) = (device.upload(&data), device.zeros::<i32>(3000), device.zeros::<i32>(1));
        let launch = device.launch("compact").arg(&x).arg(&mut y).arg(&mut count).arg(3000);
        run(launch.grid(4).block(128));
        let mut expected: Vec<i32> = data.into_iter().filter(|value| value % 2 == 0).collect();
        let mut found = y.to_vec().unwrap();
        found.truncate(count.to_vec().unwrap()[0] as usize);
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_histogram_of_what_matches() {
    for device in devices("threads") {
        let data: Vec<u8> = random(1000).iter().map(|&value| (value % 13) as u8).collect();
        let (x, mut bins) = (device.upload(&data), device.zeros::<u32>(13));
        run(device.launch("matched_histogram").arg(&x).arg(&mut bins).arg(1000).grid(8).block(128));
        let mut expected = vec![0; 13];
        data.iter().for_each(|&value| expected[usize::from(value)] += 1);
        assert_eq!(bins.to_vec().unwrap(), expected);
    }
}

#[test]
fn everybody_takes_the_lock() {
    for device in devices("threads") {
        let (mut lock, mut value) = (device.zeros::<i32>(1), device.zeros::<i32>(1));
        run(device.launch("locked").arg(&mut lock).arg(&mut value).arg(3).grid(3).block(64));
        assert_eq!(value.to_vec().unwrap(), [3 * 3 * 64]);
    }
}

#[test]
fn atomic_operations() {
    for device in devices("threads") {
        let (blocks, n) = (2u32, 256i64);
        let (mut ints, mut words) = (device.zeros::<i32>(5), device.upload(&[u32::MAX, 0, 0, 0]));
        let (mut longs, mut floats) = (device.zeros::<u64>(3), device.zeros::<f32>(2));
        let mut doubles = device.upload(&[0.0, 1.0, 1.0]);
        let launch = device.launch("atomics").arg(&mut ints).arg(&mut words).arg(&mut longs).arg(&mut floats);
        run(launch.arg(&mut doubles).grid(blocks).block(128));
        let sum = n * (n - 1) / 2;
        assert_eq!(ints.to_vec().unwrap(), [sum as i32, -sum as i32, 1 - n as i32, n as i32 - 1, 0]);
        // 256 times up to 10 and around, and from 0 down from 7.
        assert_eq!(words.to_vec().unwrap(), [0, u32::MAX, 256 % 11, 0]);
        let expected = [(sum as u64) << 30, ((n - 1) * (n - 1)) as u64, (-3 * n) as u64];
        assert_eq!(longs.to_vec().unwrap(), expected);
        assert_eq!(floats.to_vec().unwrap(), [128.0, 76.0]);
        assert_eq!(doubles.to_vec().unwrap(), [0.25 * sum as f64, 1.0, 1.0]);
    }
}

#[test]
fn producers_and_consumers() {
    for device in devices("threads") {
        let rounds = 5;
        let data: Vec<i32> = (0..32 * rounds).map(|i| i * 7 % 100).collect();
        let (x, mut y) = (device.upload(&data), device.zeros::<i32>(32));
        run(device.launch("split_barriers").arg(&x).arg(&mut y).arg(rounds).grid(1).block(64));
        let sum = |t: usize| data.chunks(32).map(|part| 2 * (part[t] + part[(t + 1) % 32])).sum();
        assert_eq!(y.to_vec().unwrap(), (0..32).map(sum).collect::<Vec<i32>>());
    }
}

#[test]
fn the_whole_grid_meets() {
    for device in devices("threads") {
        let n = 3 * 64;
        let mut expected: Vec<i32> = random(n).iter().map(|&value| (value % 10) as i32).collect();
        let (mut data, mut sums) = (device.upload(&expected), device.zeros::<i32>(3));
        let launch = device.launch("whole_grid").arg(&mut data).arg(&mut sums).arg(4);
        run(launch.grid(3).block(64).cooperative());
        for _ in 0..4 {
            expected = (0..n).map(|i| expected[i] + expected[(i + 1) % n]).collect();
        }
        assert_eq!(data.to_vec().unwrap(), expected);
        assert_eq!(
            sums.to_vec().unwrap(),
            expected.chunks(64).map(|part| part.iter().sum()).collect::<Vec<i32>>()
        );
    }
}

#[test]
fn sixteen_bytes_at_once() {
    for device in devices("threads").into_iter().filter(|device| device.is_newest()) {
        let (mut pair, mut old) = (device.upload(&[0u64, 0, 7, 8]), device.zeros::<u64>(128));
        run(device.launch("of_16_bytes").arg(&mut pair).arg(&mut old).grid(1).block(64));
        let found = pair.to_vec().unwrap();
        assert_eq!(found[..2], [63 * 32, 64 * 64]);
        // Of the exchanges each took what another left: all but the last one's are in `old`, with what was there first.
        let mut seen: Vec<Vec<u64>> = old.to_vec().unwrap().chunks(2).map(<[u64]>::to_vec).collect();
        assert!(seen.contains(&vec![7, 8]) && !seen.contains(&found[2..].to_vec()));
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 64);
    }
}
