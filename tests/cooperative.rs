//! Launches of cooperative kernels: how many blocks they may have, what is refused, and what a race is between blocks that do not wait.

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;

/// Twice what is 1000 elements on.
#[kernel(cooperative)]
pub fn shifted(x: &[u32], work: &mut [u32], out: &mut [u32]) {
    let mut i = global_idx().x;
    while i < x.len() {
        work[i] = x[i] * 2;
        i += global_size().x;
    }
    grid_barrier();
    let mut i = global_idx().x;
    while i < x.len() {
        out[i] = work[(i + 1000) % x.len()];
        i += global_size().x;
    }
}

/// Shifts as `shifted` does, but waits for its own block only.
#[kernel(cooperative)]
pub fn hasty(x: &[u32], work: &mut [u32], out: &mut [u32]) {
    let i = global_idx().x;
    work[i] = x[i] * 2;
    barrier();
    out[i] = work[(i + 1000) % x.len()];
}

/// Shifts as `shifted` does, with block sizes to choose from.
#[kernel(cooperative, tune(block = [64, 128]))]
pub fn tuned(x: &[u32], work: &mut [u32], out: &mut [u32]) {
    let mut i = global_idx().x;
    while i < x.len() {
        work[i] = x[i] * 2;
        i += global_size().x;
    }
    grid_barrier();
    let mut i = global_idx().x;
    while i < x.len() {
        out[i] = work[(i + 1000) % x.len()];
        i += global_size().x;
    }
}

/// Blocks of half an SM.
#[kernel(cooperative, block(1024))]
pub fn large(out: &mut [u32]) {
    out[global_idx().x] = 1;
    grid_barrier();
}

const LEN: usize = 8192;

/// The simulator, and a GPU if there is one; a failure without where one is required.
fn devices() -> Vec<Gpu> {
    let mut devices = vec![Gpu::simulator(Arch::Sm90)];
    match Gpu::cuda(0) {
        Ok(gpu) => devices.push(gpu),
        Err(error) => assert!(std::env::var("REQUIRE_GPU").as_deref() != Ok("1"), "{error}"),
    }
    devices
}

fn refused(result: Result<LaunchReport>, expected: Expect) {
    expected.assert_eq(&result.map_or_else(|error| error.to_string(), |_| "it ran".into()));
}

struct Buffers {
    x: DeviceBuffer<u32>,
    work: DeviceBuffer<u32>,
    out: DeviceBuffer<u32>,
}

impl Buffers {
    fn new(gpu: &Gpu) -> Result<Buffers> {
        let x: Vec<u32> = (0..LEN as u32).collect();
        Ok(Buffers { x: gpu.upload(&x)?, work: gpu.zeros(LEN)?, out: gpu.zeros(LEN)? })
    }

    fn launch(&mut self) -> kernel_runtime::Launch<'_> {
        shifted(&self.x, &mut self.work, &mut self.out)
    }

    fn assert_shifted(&self) -> Result<()> {
        let expected: Vec<u32> = (0..LEN as u32).map(|i| (i + 1000) % LEN as u32 * 2).collect();
        assert_eq!(self.out.to_vec()?, expected);
        Ok(())
    }
}

#[test]
fn a_grid_that_does_not_fit_is_refused() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut buffers = Buffers::new(&gpu)?;
    refused(
        buffers.launch().grid(1057).block(256).run(),
        expect![[r#"
        launch of `shifted` refused: the grid has 1057 blocks of 256 threads, but those of a cooperative launch all run at once, and the device holds 1056, 8 on each of 132 SMs
        help: launch at most 1056 blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements in a loop of stride `global_size().x`"#]],
    );
    refused(
        buffers.launch().over(1 << 20).block(1024).run(),
        expect![[r#"
        launch of `shifted` refused: the grid has 1024 blocks of 1024 threads, but those of a cooperative launch all run at once, and the device holds 264, 2 on each of 132 SMs
        help: launch at most 264 blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements in a loop of stride `global_size().x`"#]],
    );
    refused(
        buffers.launch().grid((20, 20)).block((32, 32)).run(),
        expect![[r#"
        launch of `shifted` refused: the grid has 400 blocks of 1024 threads, but those of a cooperative launch all run at once, and the device holds 264, 2 on each of 132 SMs
        help: launch at most 264 blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements in a loop of stride `global_size().x`"#]],
    );
    refused(
        buffers.launch().grid(4).block(256).cluster(2).run(),
        expect![[r#"
        launch of `shifted` refused: a cooperative kernel is launched in clusters: its blocks wait for the whole grid
        help: leave `.cluster` out"#]],
    );
    refused(
        buffers.launch().grid(4).block(256).fill().run(),
        expect![[r#"
        launch of `shifted` refused: `fill` was given with `over` or `grid`
        help: `fill` chooses the grid; leave one of them out"#]],
    );
    let mut out = gpu.zeros::<u32>(4096)?;
    refused(
        large(&mut out).grid(265).run(),
        expect![[r#"
        launch of `large` refused: the grid has 265 blocks of 1024 threads, but those of a cooperative launch all run at once, and the device holds 264, 2 on each of 132 SMs
        help: launch at most 264 blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements in a loop of stride `global_size().x`"#]],
    );
    Ok(())
}

#[test]
fn over_launches_what_fits() -> Result<()> {
    for gpu in devices() {
        let mut buffers = Buffers::new(&gpu)?;
        buffers.launch().over(LEN).run()?;
        buffers.assert_shifted()?;
    }
    Ok(())
}

#[test]
fn fill_launches_as_many_as_run_at_once() -> Result<()> {
    for gpu in devices() {
        let mut buffers = Buffers::new(&gpu)?;
        // Few blocks, so that the simulator has them done soon.
        let shared = gpu.attributes().limits.shared_per_block_optin - 4096;
        let report = buffers.launch().block(64).shared(shared).fill().run()?;
        buffers.assert_shifted()?;
        let occupancy = shifted::KERNEL.max_active_blocks(&gpu, 64, shared)?;
        let most = occupancy.active_blocks * gpu.attributes().sms;
        let [blocks, 1, 1] = report.grid else { panic!("{:?}", report.grid) };
        assert_eq!(blocks, most);
        // As many as that and no more.
        buffers.launch().block(64).shared(shared).grid(blocks).run()?;
        let error = buffers.launch().block(64).shared(shared).grid(blocks + 1).run().expect_err("one more");
        assert!(error.to_string().contains(&format!("the device holds {blocks},")), "{error}");
    }
    Ok(())
}

#[test]
fn streams_and_graphs_launch_them() -> Result<()> {
    for gpu in devices() {
        let mut buffers = Buffers::new(&gpu)?;
        let stream = gpu.stream()?;
        buffers.launch().grid(8).block(128).start(&stream)?;
        stream.synchronize()?;
        buffers.assert_shifted()?;

        let mut buffers = Buffers::new(&gpu)?;
        let (work, out) = (buffers.work.lend(), buffers.out.lend());
        let graph = gpu.graph(|recording| {
            for _ in 0..3 {
                recording.set_zero(out)?;
                shifted(&buffers.x, work, out).grid(8).block(128).record(recording)?;
            }
            Ok(())
        })?;
        for _ in 0..3 {
            graph.run()?;
        }
        drop(graph);
        buffers.assert_shifted()?;
    }
    Ok(())
}

#[test]
fn tuned_ones_wait_as_well() -> Result<()> {
    for gpu in devices() {
        let mut buffers = Buffers::new(&gpu)?;
        let Buffers { x, work, out } = &mut buffers;
        tuned(&*x, work, out).over(LEN).run()?;
        buffers.assert_shifted()?;
        let mut buffers = Buffers::new(&gpu)?;
        let Buffers { x, work, out } = &mut buffers;
        // One block on each SM.
        let shared = gpu.attributes().limits.shared_per_block_optin - 4096;
        tuned(&*x, work, out).shared(shared).fill().run()?;
        buffers.assert_shifted()?;
    }
    Ok(())
}

/// The profiler follows blocks that wait for each other.
#[test]
fn they_are_profiled() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut buffers = Buffers::new(&gpu)?;
    let report = buffers.launch().grid(16).block(128).profile().run()?;
    buffers.assert_shifted()?;
    let profile = report.profile()?;
    assert!(profile.counts.global_requests >= 4 * LEN as u64 / 32, "{}", profile.counts.global_requests);
    Ok(())
}

#[test]
fn without_a_barrier_of_the_grid_it_is_a_race() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let Buffers { x, mut work, mut out } = Buffers::new(&gpu)?;
    let error = hasty(&x, &mut work, &mut out).over(LEN).block(128).run().expect_err("a race");
    assert!(matches!(error, Error::Fault { .. }), "{error}");
    assert!(error.to_string().contains("race: "), "{error}");
    Ok(())
}
