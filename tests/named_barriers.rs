//! Barriers with numbers, for some of a block's warps: on the CPU, the simulator and a GPU.

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;

/// Two warps fill tiles that two others read, two tiles in turn: each side waits for the other one alone.
#[kernel(block(128))]
fn handed_over(x: &[u32], out: &mut [u32]) {
    let mut tiles = shared::<[[u32; 64]; 2]>();
    let t = thread_idx().x;
    let rounds = x.len() / 64;
    if warp::warp_id() < 2 {
        for round in 0..rounds {
            // The tile is empty.
            if round % 2 == 0 {
                barrier::named::<1>(128);
            } else {
                barrier::named::<2>(128);
            }
            tiles[round % 2][t] = x[64 * round + t];
            if round % 2 == 0 {
                barrier::arrive::<3>(128);
            } else {
                barrier::arrive::<4>(128);
            }
        }
    } else {
        barrier::arrive::<1>(128);
        barrier::arrive::<2>(128);
        for round in 0..rounds {
            if round % 2 == 0 {
                barrier::named::<3>(128);
            } else {
                barrier::named::<4>(128);
            }
            out[64 * round + t - 64] = tiles[round % 2][127 - t];
            if round + 2 < rounds {
                if round % 2 == 0 {
                    barrier::arrive::<1>(128);
                } else {
                    barrier::arrive::<2>(128);
                }
            }
        }
    }
}

/// Each pair of warps exchanges through a tile of its own, as often as the host says.
#[kernel(block(128))]
fn pairs(rounds: &[u32], out: &mut [u32]) {
    let mut tiles = shared::<[[u32; 64]; 2]>();
    let (t, pair) = (thread_idx().x % 64, warp::warp_id() / 2);
    let mut v = thread_idx().x as u32;
    for _ in 0..rounds[pair] {
        tiles[pair][t] = v;
        if pair == 0 {
            barrier::named::<5>(64);
        } else {
            barrier::named::<15>(64);
        }
        let next = tiles[pair][(t + 33) % 64];
        if pair == 0 {
            barrier::named::<5>(64);
        } else {
            barrier::named::<15>(64);
        }
        v = next + 1;
    }
    out[thread_idx().x] = v;
}

/// The warps beyond the barrier's read what those at it wrote.
#[kernel(block(96))]
fn outsiders(out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let t = thread_idx().x;
    if warp::warp_id() < 2 {
        tile[t] = t as u32;
        barrier::named::<1>(64);
        out[t] = tile[63 - t];
    } else {
        out[t] = tile[t - 64];
    }
}

/// Waits for so many threads as the host says.
#[kernel(block(96))]
fn counted(threads: usize, out: &mut [u32]) {
    if warp::warp_id() < 2 {
        barrier::named::<7>(threads);
    }
    out[thread_idx().x] = 1;
}

/// A thread of the warps that others wait for panics.
#[kernel(block(64))]
fn one_panics(limit: u32, out: &mut [u32]) {
    let i = thread_idx().x;
    if warp::warp_id() == 0 {
        assert!(i as u32 != limit, "thread {i} is the one");
        barrier::arrive::<1>(64);
    } else {
        barrier::named::<1>(64);
    }
    out[i] = 1;
}

/// The simulator, and a GPU if there is one.
fn devices() -> impl Iterator<Item = Gpu> {
    [Gpu::simulator(Arch::Sm90)].into_iter().chain(Gpu::cuda(0))
}

fn refused<T>(result: Result<T>, expected: Expect) {
    expected.assert_eq(&result.map_or_else(|error| error.to_string(), |_| "it ran".into()));
}

#[test]
fn tiles_are_handed_over() -> Result<()> {
    let x: Vec<u32> = (0..64 * 9).map(|i| i * 7 + 1).collect();
    let expected: Vec<u32> = (0..64 * 9).map(|i| x[i / 64 * 64 + 63 - i % 64]).collect();
    let mut out = vec![0; x.len()];
    handed_over::cpu(&x, &mut out).grid(1).run()?;
    assert_eq!(out, expected, "on the CPU");
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&x)?, gpu.zeros::<u32>(x.len())?);
        handed_over(&x, &mut out).grid(1).run()?;
        assert_eq!(out.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

#[test]
fn pairs_of_warps_have_their_own_pace() -> Result<()> {
    let rounds = [3, 8];
    let expected: Vec<u32> = (0..128)
        .map(|i| {
            let pair = i / 64;
            (64 * pair + (i % 64 + 33 * rounds[pair as usize]) % 64) + rounds[pair as usize]
        })
        .collect();
    let mut out = [0; 128];
    pairs::cpu(&rounds, &mut out).grid(1).run()?;
    assert_eq!(out.to_vec(), expected, "on the CPU");
    for gpu in devices() {
        let (rounds, mut out) = (gpu.upload(&rounds)?, gpu.zeros::<u32>(128)?);
        pairs(&rounds, &mut out).grid(1).run()?;
        assert_eq!(out.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

/// A barrier orders those that come to it, and no others.
#[test]
fn others_are_not_ordered() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(96)?;
    let error = outsiders(&mut out).grid(1).run().expect_err("nothing orders them").to_string();
    for part in ["race: ", "`tile[", "tests/named_barriers.rs:78:9", "tests/named_barriers.rs:82:18"] {
        assert!(error.contains(part), "{part}: {error}");
    }
    Ok(())
}

#[test]
fn a_barrier_that_nobody_completes() -> Result<()> {
    refused(
        counted::cpu(96, &mut [0; 96]).grid(1).run(),
        expect![
            "kernel `counted` stopped on the CPU: block [0, 0, 0] hangs: warp 0 waits at barrier 7 for 96 threads, of which 64 have come, at tests/named_barriers.rs:90:9; warp 1 waits at barrier 7 for 96 threads, of which 64 have come, at tests/named_barriers.rs:90:9; each barrier opens when as many threads have come as it is for"
        ],
    );
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(96)?;
    refused(
        counted(96, &mut out).grid(1).run(),
        expect![[r#"
            kernel `counted` stopped by the simulator: deadlock in `counted`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait at barrier 7 for 96 threads, of which 64 have come (PTX line 130, `bar.sync`, from tests/named_barriers.rs:90:9)
              warp 1 lanes 0xffffffff wait at barrier 7 for 96 threads, of which 64 have come (PTX line 130, `bar.sync`, from tests/named_barriers.rs:90:9)
            help: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the threads of their warps"#]],
    );
    Ok(())
}

#[test]
fn counts_that_are_none() -> Result<()> {
    refused(
        counted::cpu(48, &mut [0; 96]).grid(1).run(),
        expect![[r#"
        kernel `counted` panicked at tests/named_barriers.rs:90:9: expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found 48
        in thread (0, 0, 0) of block (0, 0, 0)"#]],
    );
    refused(
        counted::cpu(128, &mut [0; 96]).grid(1).run(),
        expect![[r#"
        kernel `counted` panicked at tests/named_barriers.rs:90:9: expected at most the threads of a block, found a barrier for 128
        in thread (0, 0, 0) of block (0, 0, 0)"#]],
    );
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(96)?;
    refused(
        counted(48, &mut out).grid(1).run(),
        expect![[r#"
        kernel `counted` panicked at tests/named_barriers.rs:90:9: expected a number of threads that is a multiple of 32, as whole warps come to a barrier, found 48
        in thread (0, 0, 0) of block (0, 0, 0)"#]],
    );
    refused(
        counted(128, &mut out).grid(1).run(),
        expect![[r#"
        kernel `counted` panicked at tests/named_barriers.rs:90:9: expected at most the threads of a block, found a barrier for 128
        in thread (0, 0, 0) of block (0, 0, 0)"#]],
    );
    Ok(())
}

/// It ends the launch, as a thread that has ended is not counted. On a GPU it ends the context, too.
#[test]
fn nobody_waits_for_ever_for_a_thread_that_panicked() -> Result<()> {
    refused(
        one_panics::cpu(5, &mut [0; 64]).grid(1).run(),
        expect![[r#"
        kernel `one_panics` panicked at tests/named_barriers.rs:100:9: thread 5 is the one
        in thread (5, 0, 0) of block (0, 0, 0)"#]],
    );
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(64)?;
    refused(
        one_panics(5, &mut out).grid(1).run(),
        expect![[r#"
        kernel `one_panics` panicked at tests/named_barriers.rs:100:9: thread 5 is the one
        in thread (5, 0, 0) of block (0, 0, 0)"#]],
    );
    one_panics(64, &mut out).grid(1).run()?;
    assert_eq!(out.to_vec()?, [1; 64]);
    Ok(())
}

#[test]
fn ptxas_takes_them() {
    let kernels = [
        ("handed_over", handed_over::KERNEL.ptx()),
        ("pairs", pairs::KERNEL.ptx()),
        ("counted", counted::KERNEL.ptx()),
        ("one_panics", one_panics::KERNEL.ptx()),
    ];
    assert!(kernels[0].1.contains("bar.sync 1, 128;") && kernels[0].1.contains("bar.arrive 3, 128;"));
    let Some(reports) = tests::toolchain::assemble_all_everywhere(&kernels) else { return };
    assert!(reports.iter().all(|of| !of.is_empty()));
}
