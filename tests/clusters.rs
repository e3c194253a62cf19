//! Clusters of blocks: their barrier and their places, on the CPU, the simulator and a GPU.

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;

/// Each block writes to memory; each reads what its neighbour in the cluster wrote.
#[kernel(cluster(2, 2), block(32))]
fn neighbours(work: &mut [u32], out: &mut [u32]) {
    let at = cluster::block_idx();
    let rank = cluster::block_rank();
    let block = block_idx().y * grid_dim().x + block_idx().x;
    let first = block - at.y * grid_dim().x - at.x;
    let i = 32 * block + thread_idx().x;
    work[i] = (1000 * rank + thread_idx().x) as u32;
    cluster::sync();
    let next = (rank + 1) % cluster::blocks();
    let other = first + next / 2 * grid_dim().x + next % 2;
    out[i] = work[32 * other + thread_idx().x];
}

/// As `neighbours`, but waits for its own block only.
#[kernel(cluster(2, 2), block(32))]
fn hasty(work: &mut [u32], out: &mut [u32]) {
    let at = cluster::block_idx();
    let rank = cluster::block_rank();
    let block = block_idx().y * grid_dim().x + block_idx().x;
    let first = block - at.y * grid_dim().x - at.x;
    let i = 32 * block + thread_idx().x;
    work[i] = (1000 * rank + thread_idx().x) as u32;
    barrier();
    let next = (rank + 1) % cluster::blocks();
    let other = first + next / 2 * grid_dim().x + next % 2;
    out[i] = work[32 * other + thread_idx().x];
}

/// A loop whose rounds the clusters choose, with their own index.
#[kernel(launch_bounds(64, 1, 8))]
fn rounds(out: &[AtomicU32]) {
    for _ in 0..special::clusterid().x + 1 {
        if thread_idx().x == 0 {
            out[block_idx().x].fetch_add(1, Ordering::Relaxed);
        }
        cluster::sync();
    }
    if thread_idx().x == 0 {
        // All blocks of the cluster have made as many rounds.
        let first = block_idx().x - cluster::block_rank();
        let mut total = 0;
        for block in 0..cluster::blocks() {
            total += out[first + block].load(Ordering::Relaxed);
        }
        assert!(total as usize == cluster::blocks() * (special::clusterid().x + 1));
    }
}

/// A thread of the first block panics before the barrier; nobody waits for it.
#[kernel(cluster(2), block(64))]
fn one_panics(limit: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    assert!(i as u32 != limit[0], "thread {i} is the one");
    cluster::sync();
    out[i] = 1;
}

/// The simulator, and a GPU with clusters if there is one; a failure without where one is required.
fn devices() -> Vec<Gpu> {
    let mut devices = vec![Gpu::simulator(Arch::Sm90)];
    match Gpu::cuda(0) {
        Ok(gpu) if gpu.arch() >= Arch::Sm90 => devices.push(gpu),
        Ok(_) => {}
        Err(error) => assert!(std::env::var("REQUIRE_GPU").as_deref() != Ok("1"), "{error}"),
    }
    devices
}

fn refused<T>(result: Result<T>, expected: Expect) {
    expected.assert_eq(&result.map_or_else(|error| error.to_string(), |_| "it ran".into()));
}

const LEN: usize = 4 * 4 * 32;

fn shifted() -> Vec<u32> {
    let of = |i: usize| {
        let (block, thread) = (i / 32, i % 32);
        let rank = block / 4 % 2 * 2 + block % 2;
        (1000 * ((rank + 1) % 4) + thread) as u32
    };
    (0..LEN).map(of).collect()
}

#[test]
fn blocks_of_a_cluster_wait_for_each_other() -> Result<()> {
    let (mut work, mut out) = ([0; LEN], [0; LEN]);
    neighbours::cpu(&mut work, &mut out).grid((4, 4)).run()?;
    assert_eq!(out.to_vec(), shifted(), "on the CPU");
    for gpu in devices() {
        let (mut work, mut out) = (gpu.zeros::<u32>(LEN)?, gpu.zeros::<u32>(LEN)?);
        neighbours(&mut work, &mut out).grid((4, 4)).run()?;
        assert_eq!(out.to_vec()?, shifted(), "on {gpu}");
    }
    Ok(())
}

#[test]
fn without_the_barrier_it_is_a_race() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (mut work, mut out) = (gpu.zeros::<u32>(LEN)?, gpu.zeros::<u32>(LEN)?);
    refused(
        hasty(&mut work, &mut out).grid((4, 4)).run(),
        expect![[r#"
        kernel `hasty` stopped by the simulator: race: write of `work[32]` and a read of thread (0, 0, 0) of block number 0 (PTX line 225, `ld.global.u32`, from tests/clusters.rs:33:14), and nothing orders them; `work` is a buffer of 512 `u32` made at tests/clusters.rs:107:36
        help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, or let the blocks of a cooperative kernel meet at `grid_barrier()`
          in `hasty__check_free`, block (1, 0, 0), thread (0, 0, 0), PTX line 197, `st.global.u32`, from tests/clusters.rs:29:5
          508 times"#]],
    );
    Ok(())
}

#[test]
fn clusters_choose_their_rounds() -> Result<()> {
    for blocks in [1, 2, 8] {
        let mut out = [0; 16];
        rounds::cpu(&mut out).grid(16).block(64).cluster(blocks).run()?;
        let expected: Vec<u32> = (0..16).map(|block| block / blocks + 1).collect();
        assert_eq!(out.to_vec(), expected, "on the CPU");
        for gpu in devices() {
            let mut out = gpu.zeros::<u32>(16)?;
            rounds(&mut out).grid(16).block(64).cluster(blocks).run()?;
            assert_eq!(out.to_vec()?, expected, "on {gpu}");
        }
    }
    Ok(())
}

#[test]
fn nobody_waits_for_a_thread_that_panicked() -> Result<()> {
    let mut out = [0; 256];
    refused(
        one_panics::cpu(&[5], &mut out).grid(4).run(),
        expect![[r#"
        kernel `one_panics` panicked at tests/clusters.rs:60:5: thread 5 is the one
        in thread (5, 0, 0) of block (0, 0, 0)"#]],
    );
    assert_eq!(out.iter().sum::<u32>(), 255, "on the CPU");
    for gpu in devices() {
        let (limit, mut out) = (gpu.upload(&[5])?, gpu.zeros::<u32>(256)?);
        refused(
            one_panics(&limit, &mut out).grid(4).run(),
            expect![[r#"
            kernel `one_panics` panicked at tests/clusters.rs:60:5: thread 5 is the one
            in thread (5, 0, 0) of block (0, 0, 0)"#]],
        );
        assert_eq!(out.to_vec()?.iter().sum::<u32>(), 255, "on {gpu}");
    }
    Ok(())
}

#[test]
fn ptxas_takes_them() {
    let kernels = [
        ("neighbours", &neighbours::KERNEL),
        ("rounds", &rounds::KERNEL),
        ("one_panics", &one_panics::KERNEL),
    ];
    for (name, kernel) in kernels {
        let ptx = kernel.ptx();
        let arrive = ptx.find("barrier.cluster.arrive.release.aligned;");
        let wait = ptx.find("barrier.cluster.wait.acquire.aligned;");
        assert!(arrive.is_some() && arrive < wait, "{ptx}");
        if tests::toolchain::assemble_all_everywhere(&[(name, ptx)]).is_none() {
            return;
        }
    }
}
