//! Locks between the lanes of a warp, warps and blocks; and who waits for ever.

use kernel_runtime::Error;
use kernel_runtime::cpu::CpuError;
use kernel_runtime::prelude::*;

use crate::devices;

/// Every thread adds what it has under the lock, by plain accesses.
#[kernel]
pub fn locked_sum(lock: &[AtomicU32], x: &[u32], sum: &mut [u32]) {
    let i = global_idx().x;
    if i < x.len() {
        loop {
            if lock[0].compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                sum[0] = sum[0] * 3 % 1009 + x[i];
                sum[1] += 1;
                lock[0].store(0, Ordering::Release);
                break;
            }
        }
    }
}

/// As each thread's number is its turn, the order is known: a ticket lock.
#[kernel]
pub fn in_turn(turn: &[AtomicU32], x: &[u32], sum: &mut [u32]) {
    let i = global_idx().x;
    if i < x.len() {
        while turn[0].load(Ordering::Acquire) != i as u32 {}
        sum[0] = sum[0] * 3 % 1009 + x[i];
        turn[0].store(i as u32 + 1, Ordering::Release);
    }
}

/// Locks in shared memory, one for every two lanes.
#[kernel(block(64))]
pub fn shared_locks(x: &[u32], sums: &mut [u32]) {
    let locks = shared::<[AtomicU32; 16]>();
    let mut own = shared::<[u32; 16]>();
    let t = thread_idx().x;
    if t < 16 {
        locks[t].store(0, Ordering::Relaxed);
        own[t] = 0;
    }
    barrier();
    let k = t / 2 % 16;
    while locks[k].compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
    own[k] += x[t];
    locks[k].store(0, Ordering::Release);
    barrier();
    if t < 16 && block_idx().x == 0 {
        sums[t] = own[t];
    }
}

/// A lock that lanes give back before all of the warp exchange something.
#[kernel(block(32))]
pub fn locked_then_shuffled(lock: &[AtomicU32], x: &[u32], sums: &mut [u32]) {
    let t = thread_idx().x;
    while lock[0].compare_exchange_weak(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {}
    sums[32] += x[t];
    lock[0].store(0, Ordering::Release);
    sums[t] = warp::shfl_xor(x[t], 1);
}

/// The first thread waits for what nobody does.
#[kernel]
#[allow(dead_code, reason = "it is run on the CPU only")]
pub fn waits_for_ever(flag: &[AtomicU32]) {
    if global_idx().x == 3 {
        while flag[0].load(Ordering::Acquire) == 0 {}
    }
}

/// The first block waits for the second one.
#[kernel]
#[allow(dead_code, reason = "it is run on the CPU only")]
pub fn waits_for_later_block(flag: &[AtomicU32]) {
    if block_idx().x == 0 {
        while flag[0].load(Ordering::Acquire) == 0 {}
    } else {
        flag[0].store(1, Ordering::Release);
    }
}

/// Blocks and threads: lanes of a warp, warps, blocks, and all of them. Few, as each waits for many turns of the others.
const SHAPES: [(u32, u32); 4] = [(1, 12), (1, 34), (3, 1), (2, 33)];

fn numbers(threads: u32) -> Vec<u32> {
    (0..threads).map(|i| i * 7 % 31).collect()
}

#[test]
fn every_thread_gets_the_lock_once() {
    for (grid, block) in SHAPES {
        let threads = grid * block;
        // The order is open, so all have the same number.
        let x = vec![5; threads as usize];
        let expected = [(0..threads).fold(0, |sum, _| sum * 3 % 1009 + 5), threads];
        let (mut lock, mut sum) = ([0], [0; 2]);
        locked_sum::cpu(&mut lock, &x, &mut sum).grid(grid).block(block).run().unwrap();
        assert_eq!((sum, lock), (expected, [0]), "{grid} blocks of {block} on the CPU");
        for gpu in devices() {
            let x = gpu.upload(&x).unwrap();
            let (mut lock, mut sum) = (gpu.zeros(1).unwrap(), gpu.zeros(2).unwrap());
            let launch = locked_sum(&mut lock, &x, &mut sum).grid(grid).block(block).run();
            launch.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
            assert_eq!(sum.to_vec().unwrap(), expected, "{grid} blocks of {block} on {}", gpu.describe());
            assert_eq!(lock.to_vec().unwrap(), [0]);
        }
    }
}

#[test]
fn threads_take_turns() {
    for (grid, block) in SHAPES {
        let x = numbers(grid * block);
        let expected = [x.iter().fold(0, |sum, x| sum * 3 % 1009 + x)];
        let (mut turn, mut sum) = ([0], [0]);
        in_turn::cpu(&mut turn, &x, &mut sum).grid(grid).block(block).run().unwrap();
        assert_eq!((sum, turn), (expected, [grid * block]), "{grid} blocks of {block} on the CPU");
        for gpu in devices() {
            let x = gpu.upload(&x).unwrap();
            let (mut turn, mut sum) = (gpu.zeros(1).unwrap(), gpu.zeros(1).unwrap());
            let launch = in_turn(&mut turn, &x, &mut sum).grid(grid).block(block).run();
            launch.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
            assert_eq!(sum.to_vec().unwrap(), expected, "{grid} blocks of {block} on {}", gpu.describe());
        }
    }
}

#[test]
fn locks_in_shared_memory() {
    let x = numbers(64);
    let expected: Vec<u32> = (0..16).map(|k| [0, 1, 32, 33].iter().map(|j| x[2 * k + j]).sum()).collect();
    let mut sums = vec![0; 16];
    shared_locks::cpu(&x, &mut sums).grid(2).block(64).run().unwrap();
    assert_eq!(sums, expected, "on the CPU");
    for gpu in devices() {
        let x = gpu.upload(&x).unwrap();
        let mut sums = gpu.zeros(16).unwrap();
        let launch = shared_locks(&x, &mut sums).grid(2).block(64).run();
        launch.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        assert_eq!(sums.to_vec().unwrap(), expected, "on {}", gpu.describe());
    }
}

/// A store before a wait for the warp's lanes: the code that ptxas 13.0 makes of it hangs from `sm_90` on.
#[test]
fn a_lock_before_a_shuffle() {
    let x = numbers(32);
    let expected: Vec<u32> = (0..32).map(|t| x[t ^ 1]).chain([x.iter().sum()]).collect();
    let (mut lock, mut sums) = ([0], vec![0; 33]);
    locked_then_shuffled::cpu(&mut lock, &x, &mut sums).grid(1).block(32).run().unwrap();
    assert_eq!(sums, expected, "on the CPU");
    for gpu in devices() {
        let x = gpu.upload(&x).unwrap();
        let (mut lock, mut sums) = (gpu.zeros(1).unwrap(), gpu.zeros(33).unwrap());
        let launch = locked_then_shuffled(&mut lock, &x, &mut sums).grid(1).block(32).run();
        launch.unwrap_or_else(|error| panic!("on {}: {error}", gpu.describe()));
        assert_eq!(sums.to_vec().unwrap(), expected, "on {}", gpu.describe());
    }
}

#[test]
fn who_waits_for_ever_is_told_on_the_cpu() {
    let error = waits_for_ever::cpu(&mut [0]).grid(1).block(32).run().unwrap_err();
    let Error::Cpu { kernel, reason: CpuError::Spins { block, thread, at } } = &error else {
        panic!("expected `Spins`, found {error}")
    };
    assert_eq!((*kernel, *block, *thread), ("waits_for_ever", [0; 3], [3, 0, 0]));
    assert!(at.contains("locks.rs"), "{at}");
    assert!(error.to_string().contains("waits for an atomic to change"), "{error}");
    // The flag is there: nobody waits.
    waits_for_ever::cpu(&mut [1]).grid(1).block(32).run().unwrap();
}

#[test]
fn blocks_on_the_cpu_do_not_wait_for_later_ones() {
    let error = waits_for_later_block::cpu(&mut [0]).grid(2).block(1).run().unwrap_err();
    assert!(matches!(error, Error::Cpu { reason: CpuError::Spins { .. }, .. }), "{error}");
    assert!(error.to_string().contains("none may wait for a later one"), "{error}");
}
