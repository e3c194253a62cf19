//! The whole path with a kernel written by hand: buffers, a launch, its checks, its panics, occupancy.

use expect_test::{Expect, expect};
use kernel_runtime::{Arch, DeviceBuffer, Error, Gpu, Launch, Result};

mod kernels;
use kernels::{SAXPY, WRONG, saxpy};

fn gpu() -> Gpu {
    Gpu::simulator(Arch::Sm90)
}

#[test]
fn it_computes() -> Result<()> {
    let gpu = gpu();
    let n = 10_000;
    let host: Vec<f32> = (0..n).map(|i| i as f32 / 7.0).collect();
    let x = gpu.upload(&host)?;
    let mut y = gpu.upload(&vec![1.5f32; n])?;
    let report = saxpy(2.0, &x, &mut y).over(n).run()?;
    let expected: Vec<f32> = host.iter().map(|&x| 2.0f32.mul_add(x, 1.5)).collect();
    assert_eq!(y.to_vec()?, expected);
    assert_eq!((report.block, report.grid), ([256, 1, 1], [40, 1, 1]));
    assert!(report.stats.is_some_and(|stats| stats.warp_execution_efficiency() > 0.99));
    Ok(())
}

#[test]
fn shapes_are_free() -> Result<()> {
    let gpu = gpu();
    let x = gpu.upload(&[1.0f32; 100])?;
    for (grid, block) in [(1, 128), (4, 32), (100, 1), (2, 64)] {
        let mut y = gpu.zeros::<f32>(100)?;
        saxpy(3.0, &x, &mut y).grid(grid).block(block).on(&gpu).run()?;
        assert_eq!(y.to_vec()?, [3.0; 100]);
    }
    Ok(())
}

#[test]
fn a_panic_comes_back_and_the_device_stays_usable() -> Result<()> {
    let gpu = gpu();
    let short = gpu.upload(&[1.0f32; 70])?;
    let mut y = gpu.zeros::<f32>(100)?;
    let error = saxpy(2.0, &short, &mut y).grid(2).block(64).run().unwrap_err();
    let Error::KernelPanicked { block, thread, message, line, .. } = &error else { panic!("{error}") };
    assert_eq!((*block, *line), ([1, 0, 0], 10));
    let index = 64 + thread[0];
    assert!((70..100).contains(&index));
    assert_eq!(*message, format!("index out of bounds: the len is 70 but the index is {index}"));
    // Other threads ran on, and the record is clear again.
    assert_eq!(y.to_vec()?[..70], [2.0; 70]);
    let long = gpu.upload(&[1.0f32; 100])?;
    saxpy(2.0, &long, &mut y).grid(2).block(64).run()?;
    assert_eq!(y.to_vec()?[70..], [2.0; 30]);
    Ok(())
}

fn check(launch: Launch<'_>, expected: Expect) {
    expected.assert_eq(&launch.run().map_or_else(|error| error.to_string(), |_| "ran".to_owned()));
}

#[test]
fn launches_are_checked() -> Result<()> {
    let (gpu, other) = (gpu(), gpu());
    let x = gpu.upload(&[1.0f32; 10])?;
    let mut y = gpu.zeros::<f32>(10)?;
    let mut elsewhere = other.zeros::<f32>(10)?;
    check(
        saxpy(1.0, &x, &mut y).grid(1).block(257),
        expect![[r#"
        launch of `saxpy` refused: the block has 257 threads, but 256 is the most: its `launch_bounds` say so
        help: launch smaller blocks, or raise the bound"#]],
    );
    check(
        saxpy(1.0, &x, &mut elsewhere).over(10),
        expect![[r#"
        launch of `saxpy` refused: argument `y` is on another simulator of sm_90, but the launch is on simulator of sm_90
        help: pass buffers of one device, and that device to `.on`"#]],
    );
    check(
        saxpy(1.0, &x, &mut y).over(10).on(&other),
        expect![[r#"
        launch of `saxpy` refused: argument `x` is on another simulator of sm_90, but the launch is on simulator of sm_90
        help: pass buffers of one device, and that device to `.on`"#]],
    );
    check(
        saxpy(1.0, &x, &mut y).over(10).shared(1 << 20),
        expect![[r#"
        launch of `saxpy` refused: a block needs 1048576 bytes of shared memory (0 static and 1048576 dynamic), the device allows 232448
        help: use smaller tiles"#]],
    );
    // SAFETY: it does not run: see the errors.
    let mut few = unsafe { Launch::new(&SAXPY) };
    few.scalar("a", 1.0f64);
    check(
        few.over(1).on(&gpu),
        expect!["launch of `saxpy` refused: expected `a`: `f32` as argument 1, found `a`: `f64`"],
    );
    // SAFETY: as above.
    let mut none = unsafe { Launch::new(&SAXPY) };
    none.scalar("a", 1.0f32);
    check(
        none.over(1),
        expect![[r#"
        launch of `saxpy` refused: no device is named
        help: say which with `.on(&gpu)`; a kernel with buffers runs on their device"#]],
    );
    Ok(())
}

#[test]
fn occupancy_names_its_limiter() -> Result<()> {
    let gpu = gpu();
    let best = SAXPY.best_block_size(&gpu)?;
    assert_eq!((best.threads, best.blocks), (256, 8 * 132));
    let half = SAXPY.max_active_blocks(&gpu, 32, 0)?;
    expect!["32 blocks of 32 threads per SM, 50 % occupancy, limited by block slots"]
        .assert_eq(&half.to_string());
    assert!(SAXPY.attributes(&gpu)?.registers_estimated);
    Ok(())
}

#[test]
fn buffers_copy_and_check_lengths() -> Result<()> {
    let gpu = gpu();
    let mut flags: DeviceBuffer<bool> = gpu.upload(&[true, false, true])?;
    assert_eq!(flags.to_vec()?, [true, false, true]);
    flags.set_zero()?;
    let mut host = [true; 3];
    flags.copy_to_slice(&mut host)?;
    assert_eq!(host, [false; 3]);
    expect![[r#"
        copy between a buffer of 3 elements and 2 elements on the host
        help: both sides of a copy have the same length; for a part of the buffer, copy to or from `buffer.slice_mut(a..b)?` or `buffer.slice(a..b)?`"#]]
    .assert_eq(&flags.copy_from_slice(&[true; 2]).unwrap_err().to_string());
    assert!(gpu.upload::<u64>(&[])?.to_vec()?.is_empty());
    let error = gpu.zeros::<f64>(usize::MAX).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
    Ok(())
}

#[test]
fn without_a_gpu_the_simulator_says_why() -> Result<()> {
    let gpu = Gpu::new()?;
    assert_eq!(gpu.fallback_reason().is_some(), gpu.is_simulator());
    if let Some(Error::Cuda(kernel_runtime::CudaError::NoDriver { .. })) = gpu.fallback_reason() {
        expect!["simulator of sm_90, 132 SMs and 141 GiB as H200 has; not a GPU: no CUDA driver: the library libcuda.so.1 was not found"]
            .assert_eq(&gpu.describe());
    }
    Ok(())
}

#[test]
fn wrong_ptx_is_refused_with_its_place() {
    // SAFETY: it is never loaded.
    let error = unsafe { Launch::new(&WRONG) }.over(1).on(&gpu()).run().unwrap_err().to_string();
    assert!(
        error.starts_with("kernel `wrong` (wrong.rs:3) could not be loaded on simulator of sm_90: "),
        "{error}"
    );
    assert!(error.contains('5') && error.contains("sink"), "{error}");
}
