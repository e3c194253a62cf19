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

/// Each block fills a tile; each reads that of the next one of its cluster, at a place that the host gives.
#[kernel(cluster(4), block(64))]
fn rotate(at: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t] = (1000 * cluster::block_rank() + t) as u32;
    cluster::sync();
    let next = cluster::shared(&tile, (cluster::block_rank() + 1) % cluster::blocks());
    out[i] = next[at[i] as usize];
}

/// As `rotate`, in clusters that not every device holds.
#[kernel(cluster(4, 4), nonportable_cluster, block(32))]
fn rotate_sixteen(out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let block = block_idx().y * grid_dim().x + block_idx().x;
    tile[thread_idx().x] = (100 * block + thread_idx().x) as u32;
    cluster::sync();
    let next = cluster::shared(&tile, (cluster::block_rank() + 1) % cluster::blocks());
    out[32 * block + thread_idx().x] = next[31 - thread_idx().x];
}

/// As `rotate`, but waits for its own block only.
#[kernel(cluster(4), block(64))]
fn rotate_early(at: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let (i, t) = (global_idx().x, thread_idx().x);
    tile[t] = (1000 * cluster::block_rank() + t) as u32;
    barrier();
    let next = cluster::shared(&tile, (cluster::block_rank() + 1) % cluster::blocks());
    out[i] = next[at[i] as usize];
}

/// A cluster counts in one table, of which each block has a part; only some threads go on to the end.
#[kernel(cluster(2, 2), block(32))]
fn spread_histogram(x: &[u32], counts: &[AtomicU32]) {
    let own = shared::<[AtomicU32; 16]>();
    let (t, rank) = (thread_idx().x, cluster::block_rank());
    if t < 16 {
        own[t].store(0, Ordering::Relaxed);
    }
    cluster::sync();
    let i = 32 * (block_idx().y * grid_dim().x + block_idx().x) + t;
    if i < x.len() {
        let bin = x[i] as usize % 64;
        cluster::shared(&own, bin / 16)[bin % 16].fetch_add(1, Ordering::Relaxed);
    }
    cluster::sync();
    if t >= 16 {
        return;
    }
    if 16 * rank + t < counts.len() {
        counts[16 * rank + t].fetch_add(own[t].load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// Blocks write into the dynamic shared memory of the other one, and read what is in their own.
#[kernel(cluster(2), block(32))]
fn hand_over(x: &[f32], out: &mut [f32]) {
    let mut own = shared_dyn::<f32>();
    let (i, t) = (global_idx().x, thread_idx().x);
    let other = cluster::shared_mut(&mut own, cluster::block_rank() ^ 1);
    if i < x.len() && t < other.len() {
        other[t] = x[i];
    }
    cluster::sync();
    if i < out.len() && t < own.len() {
        out[i] = own[t];
    }
}

/// The last block reads what the others have in their memory twice; all threads of the first block may have panicked before that.
#[kernel(cluster(3), block(64))]
fn dead_block(limit: &[u32], out: &mut [u32]) {
    let mut tile = shared::<[u32; 64]>();
    let (i, t, rank) = (global_idx().x, thread_idx().x, cluster::block_rank());
    tile[t] = (1000 * rank + t) as u32;
    cluster::sync();
    assert!(i as u32 >= limit[0], "too small");
    cluster::sync();
    barrier();
    out[i] = cluster::shared(&tile, 0)[t];
    cluster::sync();
    out[i] += cluster::shared(&tile, 1)[63 - t];
}

/// A place that no block of the cluster has, asked for by one thread: of several a GPU lets any be the first to panic.
#[kernel(cluster(2), block(32))]
fn beyond(rank: usize, out: &mut [u32]) {
    let mut tile = shared::<[u32; 32]>();
    let i = global_idx().x;
    tile[thread_idx().x] = 7;
    cluster::sync();
    out[i] = cluster::shared(&tile, if i == 37 { rank } else { 0 })[thread_idx().x];
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
    // Which of both comes first, and of which element, is a matter of which block runs first.
    let error = hasty(&mut work, &mut out).grid((4, 4)).run().expect_err("nothing orders them").to_string();
    for part in [
        "race: ",
        "`work[",
        "tests/clusters.rs:29:5",
        "tests/clusters.rs:33:14",
        "those of a cluster at `cluster::sync()`",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
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
fn blocks_read_the_memory_of_others() -> Result<()> {
    let at: Vec<u32> = (0..512).map(|i| (i * 7 + 3) % 64).collect();
    let expected: Vec<u32> = (0..512).map(|i| (i / 64 + 1) % 4 * 1000 + at[i as usize]).collect();
    let mut out = [0; 512];
    rotate::cpu(&at, &mut out).grid(8).run()?;
    assert_eq!(out.to_vec(), expected, "on the CPU");
    for gpu in devices() {
        let (at, mut out) = (gpu.upload(&at)?, gpu.zeros::<u32>(512)?);
        rotate(&at, &mut out).grid(8).run()?;
        assert_eq!(out.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

#[test]
fn clusters_of_sixteen_blocks() -> Result<()> {
    let of = |i: usize| {
        let (block, thread) = (i / 32, i % 32);
        let (y, x) = (block / 8, block % 8);
        let next = (4 * (y % 4) + x % 4 + 1) % 16;
        let next = (y / 4 * 4 + next / 4) * 8 + x / 4 * 4 + next % 4;
        (100 * next + 31 - thread) as u32
    };
    let expected: Vec<u32> = (0..64 * 32).map(of).collect();
    let mut out = vec![0; expected.len()];
    rotate_sixteen::cpu(&mut out).grid((8, 8)).run()?;
    assert_eq!(out, expected, "on the CPU");
    for gpu in devices() {
        if rotate_sixteen::KERNEL.max_active_clusters(&gpu, (4, 4), 32, 0)? == 0 {
            continue;
        }
        let mut out = gpu.zeros::<u32>(expected.len())?;
        rotate_sixteen(&mut out).grid((8, 8)).run()?;
        assert_eq!(out.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

#[test]
fn clusters_that_run_at_once() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    // 32 blocks on each of 132 multiprocessors.
    assert_eq!(rotate_sixteen::KERNEL.max_active_clusters(&gpu, (4, 4), 32, 0)?, 264);
    // One.
    assert_eq!(rotate_sixteen::KERNEL.max_active_clusters(&gpu, (4, 4), 32, 200_000)?, 8);
    assert_eq!(rotate_sixteen::KERNEL.max_active_clusters(&gpu, (4, 4), 32, 1 << 20)?, 0);
    assert_eq!(rounds::KERNEL.max_active_clusters(&gpu, 8, 64, 0)?, 528);
    refused(
        rounds::KERNEL.max_active_clusters(&gpu, 16, 64, 0),
        expect![
            "launch of `rounds` refused: the cluster has 16 blocks, but 8 is the most: more are not portable"
        ],
    );
    refused(
        rotate::KERNEL.max_active_clusters(&gpu, 2, 64, 0),
        expect![[r#"
        launch of `rotate` refused: the cluster is 2 × 1 × 1, but the kernel says `cluster(4, 1, 1)`
        help: launch with exactly this cluster, or leave `.cluster` out"#]],
    );
    for gpu in devices() {
        let most = rotate::KERNEL.max_active_clusters(&gpu, 4, 64, 0)?;
        assert!(most > 0 && most <= 32 * gpu.attributes().sms / 4, "{most} on {gpu}");
    }
    Ok(())
}

#[test]
fn an_index_beyond_the_array_panics() -> Result<()> {
    let mut at = vec![0; 512];
    at[77] = 64;
    refused(
        rotate::cpu(&at, &mut [0; 512]).grid(8).run(),
        expect![[r#"
            kernel `rotate` panicked at tests/clusters.rs:73:14: `next`: index out of bounds: the len is 64 but the index is 64
            in thread (13, 0, 0) of block (1, 0, 0)
            help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more; if it is that in the block, launch blocks of no more threads than there are elements, which `#[kernel(block(128))]` fixes"#]],
    );
    for gpu in devices() {
        let (at, mut out) = (gpu.upload(&at)?, gpu.zeros::<u32>(512)?);
        refused(
            rotate(&at, &mut out).grid(8).run(),
            expect![[r#"
                kernel `rotate` panicked at tests/clusters.rs:73:14: `next`: index out of bounds: the len is 64 but the index is 64
                in thread (13, 0, 0) of block (1, 0, 0)
                help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more; if it is that in the block, launch blocks of no more threads than there are elements, which `#[kernel(block(128))]` fixes"#]],
        );
    }
    Ok(())
}

#[test]
fn a_rank_beyond_the_cluster_panics() -> Result<()> {
    refused(
        beyond::cpu(2, &mut [0; 64]).grid(2).run(),
        expect![[r#"
            kernel `beyond` panicked at tests/clusters.rs:158:14: index out of bounds: the len is 2 but the index is 2
            in thread (5, 0, 0) of block (1, 0, 0)
            help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more"#]],
    );
    for gpu in devices() {
        let mut out = gpu.zeros::<u32>(64)?;
        refused(
            beyond(2, &mut out).grid(2).run(),
            expect![[r#"
                kernel `beyond` panicked at tests/clusters.rs:158:14: index out of bounds: the len is 2 but the index is 2
                in thread (5, 0, 0) of block (1, 0, 0)
                help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more"#]],
        );
        beyond(1, &mut out).grid(2).run()?;
        assert_eq!(out.to_vec()?, [7; 64]);
    }
    Ok(())
}

#[test]
fn races_across_blocks_are_found() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let (at, mut out) = (gpu.upload(&[5; 512])?, gpu.zeros::<u32>(512)?);
    refused(
        rotate_early(&at, &mut out).grid(8).run(),
        expect![[r#"
            kernel `rotate_early` stopped by the simulator: race: read of `tile[5]` and a write of thread (5, 0, 0) of block number 1 (PTX line 211, `st.shared.u32`, from tests/clusters.rs:92:5), and nothing orders them; `tile` is a shared variable of 256 bytes, counted here in elements of 4
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `rotate_early`, block (0, 0, 0), thread (0, 0, 0), PTX line 232, `ld.shared::cluster.u32`, from tests/clusters.rs:95:14
              512 times"#]],
    );
    Ok(())
}

#[test]
fn a_histogram_over_the_memory_of_a_cluster() -> Result<()> {
    let x: Vec<u32> = (0..500).map(|i| i * i % 97).collect();
    let mut expected = [0; 64];
    x.iter().for_each(|value| expected[*value as usize % 64] += 1);
    let mut counts = [0; 64];
    spread_histogram::cpu(&x, &mut counts).grid((4, 4)).run()?;
    assert_eq!(counts, expected, "on the CPU");
    for gpu in devices() {
        let (x, mut counts) = (gpu.upload(&x)?, gpu.zeros::<u32>(64)?);
        spread_histogram(&x, &mut counts).grid((4, 4)).run()?;
        assert_eq!(counts.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

#[test]
fn blocks_write_the_memory_of_others() -> Result<()> {
    let x: Vec<f32> = (0..128).map(|i| i as f32).collect();
    let expected: Vec<f32> = (0..128).map(|i| (i ^ 32) as f32).collect();
    let mut out = [0.0; 128];
    hand_over::cpu(&x, &mut out).grid(4).shared(128).run()?;
    assert_eq!(out.to_vec(), expected, "on the CPU");
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&x)?, gpu.zeros::<f32>(128)?);
        hand_over(&x, &mut out).grid(4).shared(128).run()?;
        assert_eq!(out.to_vec()?, expected, "on {gpu}");
    }
    Ok(())
}

/// The memory of a block whose threads have all panicked stays, and nobody waits for it.
#[test]
fn a_block_that_panicked_keeps_its_memory() -> Result<()> {
    // None of the first cluster's blocks, some threads of the first, all of it, two blocks and a part, the whole cluster.
    for limit in [0, 1, 63, 64, 130, 192] {
        let expected: Vec<u32> =
            (0..384).map(|i| if i < limit { 0 } else { i % 64 + 1000 + 63 - i % 64 }).collect();
        let mut out = [0; 384];
        let ran = dead_block::cpu(&[limit], &mut out).grid(6).run();
        assert_eq!(ran.is_err(), limit > 0);
        assert_eq!(out.to_vec(), expected, "on the CPU, limit {limit}");
        for gpu in devices() {
            let (limits, mut out) = (gpu.upload(&[limit])?, gpu.zeros::<u32>(384)?);
            let ran = dead_block(&limits, &mut out).grid(6).run();
            match ran {
                Ok(_) => assert_eq!(limit, 0),
                Err(error) => assert!(error.to_string().contains("too small"), "{error}"),
            }
            assert_eq!(out.to_vec()?, expected, "on {gpu}, limit {limit}");
        }
    }
    Ok(())
}

#[test]
fn reads_and_atomics_are_of_the_cluster() {
    for (ptx, text) in [
        (rotate::KERNEL.ptx(), "ld.shared::cluster.u32"),
        (spread_histogram::KERNEL.ptx(), "red.relaxed.gpu.shared::cluster.add.u32"),
        (hand_over::KERNEL.ptx(), "st.shared::cluster.f32"),
    ] {
        assert!(ptx.contains(text) && ptx.contains("mapa.shared::cluster.u32"), "{text} in {ptx}");
    }
}

/// Blocks that read each other's memory, the second time without a barrier before they end.
const LATE: &str = "
.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b32 cell;
.visible .entry late(.param .u64 out) .explicitcluster .reqnctapercluster 2, 1, 1
{
    .reg .b32 %r<8>;
    .reg .b64 %y<3>;
    mov.u32 %r1, %cluster_ctarank;
    mov.u32 %r2, cell;
    st.shared.u32 [%r2], %r1;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    xor.b32 %r3, %r1, 1;
    mapa.shared::cluster.u32 %r4, %r2, %r3;
    ld.shared::cluster.u32 %r5, [%r4];
    ld.param.u64 %y1, [out];
    cvta.to.global.u64 %y1, %y1;
    mul.wide.u32 %y2, %r1, 4;
    add.u64 %y1, %y1, %y2;
    st.global.u32 [%y1], %r5;
    // The last barrier.
    ret;
}";

#[test]
fn accesses_to_blocks_that_have_ended_are_found() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let run = |text: &str| -> Result<Vec<u32>> {
        let module = gpu.load_ptx(text)?;
        let mut out = gpu.zeros::<u32>(2)?;
        let function = module.function("late")?;
        // SAFETY: the function writes two elements.
        unsafe { function.launch().arg(&mut out).grid(2).block(1).run()? };
        out.to_vec()
    };
    refused(
        run(LATE),
        expect![[r#"
            kernel `late` stopped by the simulator: read of `cell[0]` is in block 0 of the cluster, which has ended
            help: let the blocks wait for each other before they end: `cluster::sync()`, in PTX `barrier.cluster`
              in `late`, block (1, 0, 0), thread (0, 0, 0), PTX line 17, `ld.shared::cluster.u32`"#]],
    );
    let clean = LATE.replace("// The last barrier.", "barrier.cluster.arrive; barrier.cluster.wait;");
    assert_eq!(run(&clean)?, [1, 0]);
    Ok(())
}

#[test]
fn ptxas_takes_them() {
    let kernels = [
        ("neighbours", &neighbours::KERNEL),
        ("rounds", &rounds::KERNEL),
        ("one_panics", &one_panics::KERNEL),
        ("rotate_sixteen", &rotate_sixteen::KERNEL),
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
