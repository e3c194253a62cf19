//! The CUDA back end against a stand-in for the driver, compiled with the C compiler: errors of drivers that are
//! missing, old or broken, and the whole path of a launch.
//!
//! The stand-in is found as the real driver would be, by the name of its library. So each case is a process of its own:
//! this test starts itself again.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use expect_test::{Expect, expect};
use kernel_runtime::cudarc::driver::CudaContext;
use kernel_runtime::cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use kernel_runtime::{Arch, CudaError, DeviceBuffer, Error, Gpu, Launch, Stream, Swizzle, TensorMap};

mod counting;
mod kernels;
use kernels::{SAXPY, TUNED, WRONG, saxpy, together, tuned};
use kernels::{graphs, streams};

/// The folders with the stand-in and with one that lacks a function; none without a C compiler.
fn drivers() -> Option<&'static (PathBuf, PathBuf)> {
    static DRIVERS: OnceLock<Option<(PathBuf, PathBuf)>> = OnceLock::new();
    DRIVERS.get_or_init(|| Some((compile("whole", &[])?, compile("lacking", &["-DMISSING"])?))).as_ref()
}

fn compile(name: &str, options: &[&str]) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/driver/fake.c");
    let mut compiler = Command::new(std::env::var("CC").unwrap_or("gcc".to_owned()));
    compiler
        .args(["-shared", "-fPIC", "-w", "-o"])
        .arg(folder.join("libcuda.so.1"))
        .arg(source)
        .args(options);
    match compiler.status() {
        Ok(status) => {
            assert!(status.success(), "{compiler:?}");
            Some(folder)
        }
        Err(error) => {
            eprintln!("skipped: {compiler:?}: {error}");
            None
        }
    }
}

/// Runs one of the cases below in a process that finds this driver, and tells what it prints.
fn run(case: &str, driver: &Path, environment: &[(&str, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", case, "--ignored", "--nocapture"]).env("LD_LIBRARY_PATH", driver);
    let output = command.envs(environment.iter().copied()).output().unwrap();
    let [stdout, stderr] = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(output.status.success(), "{case}:\n{stdout}{stderr}");
    let said = stdout.lines().filter_map(|line| line.strip_prefix("> "));
    // The library is opened twice: to see whether it is there, and to stay.
    let left = stderr.lines().rfind(|line| line.starts_with("left behind"));
    said.chain(left).map(|line| format!("{line}\n")).collect()
}

/// Prints for [`run`] to see.
fn say(text: impl std::fmt::Display) {
    // The harness prints the test's name without an end of line.
    println!();
    text.to_string().lines().for_each(|line| println!("> {line}"));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_open() {
    match Gpu::cuda(0) {
        Ok(gpu) => say(gpu.describe()),
        Err(error) => {
            say(error);
            // Whatever the driver is like, there is the simulator.
            assert!(Gpu::new().unwrap().is_simulator());
        }
    }
}

fn check_open(environment: &[(&str, &str)], expected: Expect) {
    if let Some((driver, _)) = drivers() {
        expected.assert_eq(&run("case_open", driver, environment));
    }
}

#[test]
fn drivers_that_do_not_work_are_told() {
    check_open(
        &[],
        expect![[r#"
        Fake (CUDA device 0), sm_90, 132 SMs, 16 GiB, CUDA 13.0
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]],
    );
    check_open(
        &[("FAKE_CUDA_VERSION", "11080")],
        expect![[r#"
        the CUDA driver is too old: expected one of CUDA 12.0 or later, found CUDA 11.8
        help: update NVIDIA's driver
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]],
    );
    check_open(
        &[("FAKE_CUDA_INIT", "100")],
        expect![[r#"
        the CUDA driver finds no device: no CUDA-capable device is detected
        help: check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or use `Gpu::simulator`
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]],
    );
    check_open(
        &[("FAKE_CUDA_INIT", "803")],
        expect![[r#"
        cuInit failed: unknown error (803), described by the fake
        help: the driver's library and kernel module differ in version; reboot or reinstall
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]],
    );
    // A number that this program has never heard of.
    check_open(
        &[("FAKE_CUDA_INIT", "4711")],
        expect![[r#"
        cuInit failed: unknown error (4711), which the driver does not describe
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]],
    );
    if let Some((_, lacking)) = drivers() {
        expect![[r#"
            the CUDA driver is too old: expected one of CUDA 12.0 or later, found a driver without the function cuGetErrorName
            help: update NVIDIA's driver
            left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
        "#]].assert_eq(&run("case_open", lacking, &[]));
    }
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_launch() {
    let gpu = Gpu::cuda(0).unwrap();
    assert_eq!(Gpu::cuda(0).unwrap(), gpu);
    let x = gpu.upload(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = gpu.upload(&[0.5f32; 3]).unwrap();
    let report = saxpy(2.0, &x, &mut y).over(3).run().unwrap();
    say(&report);
    assert_eq!(y.to_vec().unwrap(), [2.5, 4.5, 6.5]);
    y.set_zero().unwrap();
    assert_eq!(y.to_vec().unwrap(), [0.0; 3]);

    let mut longer = gpu.zeros::<f32>(5).unwrap();
    say(saxpy(2.0, &x, &mut longer).grid(3).block(2).run().unwrap_err());
    assert_eq!(longer.to_vec().unwrap()[..3], [2.0, 4.0, 6.0]);
    saxpy(2.0, &x, &mut y).grid(1).block(2).shared(100_000).run().unwrap();

    saxpy(2.0, &x, &mut y).grid((4, 1)).block(2).cluster((2, 1)).run().unwrap();
    say(saxpy(2.0, &x, &mut y).grid(3).block(2).cluster(2).run().unwrap_err());

    // The stand-in runs along x only.
    say(saxpy(2.0, &x, &mut y).grid(1).block((2, 2)).run().unwrap_err());

    say(SAXPY.attributes(&gpu).unwrap());
    say(SAXPY.best_block_size(&gpu).unwrap());
    say(SAXPY.max_active_blocks(&gpu, 32, 0).unwrap());
    say(SAXPY.max_active_blocks(&gpu, 32, 110_000).unwrap());
    say(SAXPY.max_active_blocks(&gpu, 512, 0).unwrap());
    say(SAXPY.max_active_blocks(&gpu, 32, 1 << 20).unwrap());
    say(SAXPY.max_active_clusters(&gpu, (2, 1), 256, 0).unwrap());
    say(SAXPY.max_active_clusters(&gpu, 8, 256, 1 << 20).unwrap());
    // SAFETY: it is never loaded.
    say(unsafe { Launch::new(&WRONG) }.over(1).on(&gpu).run().unwrap_err());
    say(gpu.zeros::<f64>(1 << 40).unwrap_err());
    say(Gpu::cuda(1).unwrap_err());
    assert_eq!(Gpu::cuda_devices().unwrap(), 1);

    // From another thread, and after the handle is gone: buffers keep the device.
    drop(gpu);
    std::thread::scope(|scope| {
        scope.spawn(|| saxpy(1.0, &x, &mut y).over(3).run().unwrap());
    });
    let error = saxpy(1.0, &x, &mut y).over(0).run().unwrap_err();
    assert!(matches!(error, Error::Launch { .. }));
}

#[test]
fn a_launch_goes_all_the_way() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        saxpy: 1 × 1 × 1 blocks of 256 × 1 × 1 threads on Fake (CUDA device 0), 250.0µs
        kernel `saxpy` panicked at saxpy.rs:10:20: index out of bounds: the len is 3 but the index is 3
        in thread (1, 0, 0) of block (1, 0, 0)
        help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more
        clusters of 2 blocks
        launch of `saxpy` refused: the grid has 3 blocks along x, which is no multiple of the cluster's 2
        help: launch 4 blocks along x; the kernel has to compare its index with the length
        kernel `saxpy` failed on Fake (CUDA device 0): cuLaunchKernel failed: CUDA_ERROR_INVALID_VALUE (1), described by the fake
        18 registers, 0 bytes of local memory, 0 bytes of static shared memory, at most 256 threads per block
        256 threads per block, 1056 blocks fill the device: 8 blocks of 256 threads per SM, 100 % occupancy, limited by warp slots
        32 blocks of 32 threads per SM, 50 % occupancy, limited by block slots
        2 blocks of 32 threads per SM, 3.1 % occupancy, limited by shared memory
        a block of 512 threads does not fit an SM, because of the block size
        a block of 32 threads does not fit an SM, because of shared memory
        512
        0
        kernel `wrong` (wrong.rs:3) could not be loaded on Fake (CUDA device 0): cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (218), described by the fake
        help: the PTX is wrong; please report it with the kernel
        ptxas application ptx input, line 5; error   : Unknown modifier '.sink'
            | bar.sink 0;
        out of memory on Fake (CUDA device 0): 8192.0 GiB (8796093022208 bytes) asked for, 1000 bytes of 2.0 KiB (2000 bytes) free
        help: drop buffers that are no longer needed, or work in smaller pieces
        no CUDA device 1: expected a number below 1, the devices that the driver finds
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]].assert_eq(&run("case_launch", driver, &[]));
}

/// A kernel of maps of tensors. The stand-in does not read it: it copies the map to the buffer.
const COPY_MAP: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .entry copy_map(.param .u64 out, .param .align 128 .b8 map[128])
{
    ret;
}
";

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_tensor_map() {
    let gpu = Gpu::cuda(0).unwrap();
    let x = gpu.zeros::<f32>(16 * 12 * 8).unwrap();
    let mut out = gpu.zeros::<u64>(16).unwrap();
    let map = TensorMap::of(&x, &[16, 12, 8], &[8, 8, 4]).steps(&[1, 2, 1]).swizzle(Swizzle::B32);
    let map = map.build().unwrap();
    let kernel = gpu.load_ptx(COPY_MAP).unwrap().function("copy_map").unwrap();
    // SAFETY: what the stand-in does with it is to fill the buffer.
    unsafe { kernel.launch().arg(&mut out).arg(&map).grid(1).block(1).run() }.unwrap();
    let words = out.to_vec().unwrap();
    assert_eq!(words[0], x.as_device_ptr().address());
    say(format!("{:x?}", &words[1..]));
}

/// ptxas may leave room before parameters that are aligned to much, as maps are: a buffer of all arguments would be read wrongly.
#[test]
fn maps_of_tensors_arrive() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        [10307, 10, c, 8, 0, 0, 0, 40, 300, 0, 0, 2000800010008, 10004, 0, 0]
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]]
    .assert_eq(&run("case_tensor_map", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_attributes_of_launches() {
    let gpu = Gpu::cuda(0).unwrap();
    let x = gpu.upload(&[1.0f32; 600]).unwrap();
    let mut y = gpu.zeros::<f32>(600).unwrap();
    together(2.0, &x, &mut y).over(600).run().unwrap();
    together(2.0, &x, &mut y).block(256).fill().run().unwrap();
    assert_eq!(y.to_vec().unwrap(), [4.0; 600]);
    say(together(2.0, &x, &mut y).over(1 << 20).run().unwrap_err());
    saxpy(2.0, &x, &mut y).block(256).fill().run().unwrap();

    say(gpu.set_aside_l2(3000).unwrap());
    say(gpu.set_aside_l2(1 << 30).unwrap_err());
    say(gpu.l2_set_aside().unwrap());
    let written = y.l2_window(100..=199);
    saxpy(2.0, &x, &mut y).over(600).keep_in_l2(&x, 0.5).run().unwrap();
    together(2.0, &x, &mut y).over(600).keep_in_l2(written, 1.0).run().unwrap();
    saxpy(2.0, &x, &mut y).over(600).keep_in_l2(x.l2_window(600..), 1.0).run().unwrap();
    say(saxpy(2.0, &x, &mut y).over(600).keep_in_l2(&x, 1.5).run().unwrap_err());
    let large = gpu.zeros::<f32>(1 << 26).unwrap();
    say(saxpy(2.0, &x, &mut y).over(600).keep_in_l2(&large, 1.0).run().unwrap_err());
    gpu.reset_l2().unwrap();
}

#[test]
fn launches_have_attributes() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        all 3 blocks at once
        all 1056 blocks at once
        launch of `saxpy` refused: the grid has 4096 blocks of 256 threads, but those of a cooperative launch all run at once, and the device holds 1056, 8 on each of 132 SMs
        help: launch at most 1056 blocks (`.fill()` launches as many as there is room for), and let each thread go over its elements in a loop of stride `global_size().x`
        3072
        1073741824 bytes of the second-level cache are to be set aside, but Fake (CUDA device 0) sets at most 39321600 aside
        help: set that much aside, and keep the part of the buffer that is used most, or a part of the accesses
        3072
        2400 bytes kept at a ratio of 0.5
        all 3 blocks at once
        400 bytes kept at a ratio of 1
        launch of `saxpy` refused: `keep_in_l2` with a hit ratio of 1.5: expected the part of the accesses that is kept, from 0 to 1
        help: write 1.0 for all of them
        launch of `saxpy` refused: `keep_in_l2` with 268435456 bytes, but the device takes at most 134217728
        help: keep a part, `buffer.l2_window(..n)`
        the cache keeps nothing
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]].assert_eq(&run("case_attributes_of_launches", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_two_devices() {
    let gpus = [Gpu::cuda(0).unwrap(), Gpu::cuda(1).unwrap()];
    assert_eq!(Gpu::cuda_devices().unwrap(), 2);
    assert_ne!(gpus[0], gpus[1]);
    let x = gpus[0].upload(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = gpus[1].zeros::<f32>(3).unwrap();
    y.copy_from(&x).unwrap();
    saxpy(1.0, &x, &mut y).over(3).run().map(drop).unwrap_or_else(say);
    let stream = gpus[1].stream().unwrap();
    let own = gpus[1].upload(&[1.0f32; 3]).unwrap();
    // Work that the stream still has to do goes first.
    saxpy(10.0, &own, &mut y).over(3).start(&stream).unwrap();
    let mut back = gpus[0].zeros::<f32>(3).unwrap();
    back.copy_from(&y).unwrap();
    assert_eq!(back.to_vec().unwrap(), [11.0, 12.0, 13.0]);
    // From the other device in the stream's turn, which the next copy to the host waits for.
    saxpy(10.0, &own, &mut y).over(3).start(&stream).unwrap();
    stream.copy(&x, &mut y).unwrap();
    assert_eq!(y.to_vec().unwrap(), [1.0, 2.0, 3.0]);
    let here = gpus[0].upload(&[1.0f32; 3]).unwrap();
    stream.copy(&here, &mut back).unwrap_or_else(say);
    say(saxpy(1.0, &own, &mut y).over(3).keep_in_l2(&x, 1.0).run().unwrap_err());
    // On one device, and by way of the host where one is a simulator.
    let mut again = gpus[0].zeros::<f32>(3).unwrap();
    again.copy_from(&back).unwrap();
    let simulator = Gpu::simulator(Arch::Sm90);
    let mut simulated = simulator.zeros::<f32>(3).unwrap();
    simulated.copy_from(&again).unwrap();
    again.set_zero().unwrap();
    again.copy_from(&simulated).unwrap();
    assert_eq!(again.to_vec().unwrap(), [11.0, 12.0, 13.0]);
    say(again.copy_from(&gpus[1].zeros(4).unwrap()).unwrap_err());
    let empty = gpus[1].zeros::<f32>(0).unwrap();
    gpus[0].zeros::<f32>(0).unwrap().copy_from(&empty).unwrap();
}

#[test]
fn two_devices_copy_between_them() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        a way to device 0
        a way to device 1
        12 bytes from device to device
        launch of `saxpy` refused: argument `y` is on Fake (CUDA device 1), but the launch is on Fake (CUDA device 0)
        help: pass buffers of one device, and that device to `.on`
        12 bytes from device to device
        12 bytes from device to device
        argument `to` is on Fake (CUDA device 0), but expected on Fake (CUDA device 1)
        help: streams, events and buffers of one device go together; `to.copy_from(&from)` copies from one to another
        launch of `saxpy` refused: argument `keep_in_l2` is on Fake (CUDA device 0), but the launch is on Fake (CUDA device 1)
        help: pass buffers of one device, and that device to `.on`
        copy from 4 elements to 3 elements
        help: both sides of a copy have the same length
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]].assert_eq(&run("case_two_devices", driver, &[("FAKE_CUDA_DEVICES", "2")]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_tuned() {
    let gpu = Gpu::cuda(0).unwrap();
    let x = gpu.upload(&[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = gpu.upload(&[0.5f32; 3]).unwrap();
    // In place: the trial runs change copies only.
    for expected in [[2.5, 4.5, 6.5], [4.5, 8.5, 12.5]] {
        say(tuned(2.0, &x, &mut y).over(3).run().unwrap());
        assert_eq!(y.to_vec().unwrap(), expected);
    }
    say(&TUNED.tunings(&gpu)[0]);
    // A panic in a trial is the launch's, and nothing is known then.
    let mut longer = gpu.zeros::<f32>(9).unwrap();
    say(tuned(2.0, &x, &mut longer).over(9).run().unwrap_err());
    assert_eq!(longer.to_vec().unwrap(), [0.0; 9]);
    assert_eq!(TUNED.tunings(&gpu).len(), 1);
}

#[test]
fn instances_are_timed() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        saxpy: 1 × 1 × 1 blocks of 128 × 1 × 1 threads on Fake (CUDA device 0), 250.0µs, tuned: block = 128
        saxpy: 1 × 1 × 1 blocks of 128 × 1 × 1 threads on Fake (CUDA device 0), 250.0µs, tuned: block = 128
        saxpy, over 2^1, on Fake, sm_90, 132 SMs: medians of times on the device
          block = 64   500.00µs, 2.00 × the best
        * block = 128  250.00µs
          block = 512  left out: the block has 512 threads, but 256 is the most: its `launch_bounds` say so
        kernel `saxpy` panicked at saxpy.rs:10:20: index out of bounds: the len is 3 but the index is 3
        in thread (3, 0, 0) of block (0, 0, 0)
        help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]]
    .assert_eq(&run("case_tuned", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_streams() {
    let gpu = Gpu::cuda(0).unwrap();
    for (name, check) in streams::CHECKS.iter().chain(graphs::CHECKS) {
        match check(&gpu) {
            Ok(()) => say(name),
            Err(error) => say(format!("{name}: {error}")),
        }
    }
}

/// The stand-in does nothing of what streams are asked for before somebody waits, so that whatever is not ordered shows; and it
/// ends the process when memory is freed that is still to be used.
#[test]
fn streams_are_ordered() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        streams wait for each other where buffers say so
        reads go on beside each other
        the host comes after
        buffers may be dropped while they are used
        what is leaked harms nothing
        a panic comes back once, at the next synchronisation
        each launch has a record of its own
        a panic comes back from the buffer
        a panic of one stream is not told by another
        events order and time
        threads share a stream
        tuned kernels start as well
        nothing is copied where there is nothing
        a graph does what was recorded, each time
        copies and zeros are recorded
        streams and graphs wait for each other where buffers say so
        arguments and work are updated
        a panic in a graph comes back once
        each launch of a graph has a record of its own
        graphs and what they use may be dropped or leaked while they run
        a graph is timed
        mistakes leave the graph as it was
        values that a graph wrote are looked at
        recordings are not exchanged
        what is not there has no elements
        left behind: 1 contexts, 6 memories, 1 modules, 6 events, 4 streams, 1 graphs
    "#]]
    .assert_eq(&run("case_streams", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_allocations() {
    let gpu = Gpu::cuda(0).unwrap();
    let stream = gpu.stream().unwrap();
    let x = gpu.upload(&[1.0f32; 3]).unwrap();
    let mut y = gpu.zeros::<f32>(3).unwrap();
    let mut count = |what: &str, launch: &mut dyn FnMut(&mut DeviceBuffer<f32>)| {
        launch(&mut y);
        let before = counting::asked();
        (0..2000).for_each(|_| launch(&mut y));
        say(format!("{what}: {} allocations", counting::asked() - before));
    };
    count("left to a stream", &mut |y| saxpy(1.0, &x, y).over(3).start(&stream).unwrap());
    count("in clusters", &mut |y| {
        saxpy(1.0, &x, y).grid(4).block(32).cluster(2).start(&stream).unwrap();
    });
    count("waited for", &mut |y| drop(saxpy(1.0, &x, y).over(3).run().unwrap()));
    count("both", &mut |y| {
        saxpy(1.0, &x, &mut *y).grid(1).block(32).start(&stream).unwrap();
        drop(saxpy(1.0, &x, y).grid(1).block(32).run().unwrap());
        stream.synchronize().unwrap();
    });
    let lent = y.lend();
    let graph =
        gpu.graph(|graph| (0..10).try_for_each(|_| saxpy(1.0, &x, lent).over(3).record(graph))).unwrap();
    graph.start(&stream).unwrap();
    let before = counting::asked();
    (0..2000).for_each(|_| graph.start(&stream).unwrap());
    say(format!("a graph: {} allocations", counting::asked() - before));
    drop(graph);
    drop(stream);
}

#[test]
fn launches_allocate_nothing_after_the_first() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        left to a stream: 0 allocations
        in clusters: 0 allocations
        waited for: 0 allocations
        both: 0 allocations
        a graph: 0 allocations
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]]
    .assert_eq(&run("case_allocations", driver, &[]).replace("clusters of 2 blocks\n", ""));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_graph_account() {
    let gpu = Gpu::cuda(0).unwrap();
    let stream = gpu.stream().unwrap();
    let x = gpu.upload(&[1.0f32; 3]).unwrap();
    let mut y = gpu.zeros::<f32>(3).unwrap();
    let y = y.lend();
    let account = gpu.account();
    let graph = gpu.graph(|graph| saxpy(1.0, &x, y).over(3).record(graph)).unwrap();
    (0..2).for_each(|_| graph.start(&stream).unwrap());
    stream.synchronize().unwrap();
    let graphs = account.graphs();
    say(format!("{} starts, {} untimed", graphs.starts, graphs.untimed));
}

/// Starts of graphs count where the driver has no events for their time.
#[test]
fn graphs_without_a_time_are_counted() {
    let Some((driver, _)) = drivers() else { return };
    let said =
        |environment| run("case_graph_account", driver, environment).lines().next().unwrap().to_owned();
    assert_eq!(said(&[]), "2 starts, 0 untimed");
    assert_eq!(said(&[("FAKE_CUDA_RECORDS", "2")]), "2 starts, 2 untimed");
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_calls() {
    let gpu = Gpu::cuda(0).unwrap();
    let stream = gpu.stream().unwrap();
    let x = gpu.upload(&[1.0f32; 3]).unwrap();
    let mut y = gpu.zeros::<f32>(3).unwrap();
    for round in ["first", "again"] {
        say(round);
        say("left to a stream:");
        saxpy(1.0, &x, &mut y).over(3).start(&stream).unwrap();
        say("in clusters:");
        saxpy(1.0, &x, &mut y).grid(4).block(32).cluster(2).start(&stream).unwrap();
        say("synchronized:");
        stream.synchronize().unwrap();
        say("waited for:");
        saxpy(1.0, &x, &mut y).over(3).run().unwrap();
    }
    say("end");
}

/// The driver calls of each call of ours are those expected. A launch makes those that `cudarc`'s makes and no more.
#[test]
fn launches_make_no_call_too_many() {
    let traced = drivers().and_then(|_| compile("traced", &["-DTRACED", "-finstrument-functions"]));
    let Some(driver) = traced else { return };
    let calls = run("case_calls", &driver, &[]);
    let (_, calls) = calls.split_once("again\n").unwrap();
    let (calls, _) = calls.split_once("end\n").unwrap();
    expect![[r#"
        left to a stream:
        cuCtxGetCurrent
        cuLaunchKernel
        in clusters:
        cuCtxGetCurrent
        cuLaunchKernelEx
        clusters of 2 blocks
        synchronized:
        cuCtxGetCurrent
        cuStreamSynchronize
        waited for:
        cuCtxGetCurrent
        cuEventRecord
        cuCtxGetCurrent
        cuLaunchKernel
        cuCtxGetCurrent
        cuEventRecord
        cuCtxGetCurrent
        cuStreamSynchronize
        cuCtxGetCurrent
        cuEventElapsedTime
    "#]]
    .assert_eq(calls);
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_cudarc() {
    let context = CudaContext::new(0).unwrap();
    let theirs = context.new_stream().unwrap();
    let data = [1.0f32, 2.0, 3.0];
    let slice = theirs.clone_htod(&data).unwrap();

    let gpu = Gpu::try_from(&context).unwrap();
    assert_eq!(gpu, Gpu::cuda(0).unwrap());
    assert_eq!(gpu.cudarc_context().unwrap(), context);
    // Work queued on both is done in order, and nothing before somebody waits.
    // SAFETY: nobody captures the stream.
    let stream = unsafe { Stream::from_cudarc(&theirs) }.unwrap();
    let x = DeviceBuffer::try_from(slice).unwrap();
    let mut y = gpu.upload(&[1.0f32; 3]).unwrap();
    saxpy(2.0, &x, &mut y).over(3).start(&stream).unwrap();
    saxpy(1.0, &x, &mut y).over(3).start(&gpu.stream().unwrap()).unwrap();
    let slice = y.into_cudarc(&theirs).unwrap();
    let back = theirs.clone_dtoh(&slice).unwrap();
    // The stand-in takes every copy for one of page-locked memory.
    theirs.synchronize().unwrap();
    say(format!("{back:?}"));
    let mut longer = gpu.zeros::<f32>(4).unwrap();
    saxpy(1.0, &x, &mut longer).over(4).start(&stream).unwrap();
    say(stream.synchronize().unwrap_err());

    // Nothing has no memory.
    let none = gpu.zeros::<f32>(0).unwrap().into_cudarc(&theirs);
    say(format!("{:?}", none.map(|slice| slice.len()).map_err(|error| error.to_string())));

    let simulator = Gpu::simulator(Arch::Sm90);
    say(simulator.cudarc_context().unwrap_err());
    say(simulator.zeros::<f32>(3).unwrap().into_cudarc(&theirs).unwrap_err());
    let elsewhere = CudaContext::new_non_primary(0, 0).unwrap();
    say(Gpu::try_from(&elsewhere).unwrap_err());
}

/// A buffer or stream that moves from one owner to the other is freed once, and in its own context.
#[test]
fn cudarc_and_this_share_a_device() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        [4.0, 7.0, 10.0]
        kernel `saxpy` panicked at saxpy.rs:10:20: index out of bounds: the len is 3 but the index is 3
        in thread (3, 0, 0) of block (0, 0, 0)
        help: compare the index with the length before the access. Where it is the thread's own: `.over(n)` launches whole blocks, so the last one may have threads with indices of `n` and more
        Ok(0)
        simulator of sm_90 has no context of CUDA's
        help: open a CUDA device with `Gpu::cuda(0)`
        simulator of sm_90 has no context of CUDA's
        help: open a CUDA device with `Gpu::cuda(0)`
        the context is not the primary one of CUDA device 0
        help: make its context with `CudaContext::new(0)`, or take that of `Gpu::cudarc_context`
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]]
    .assert_eq(&run("case_cudarc", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_cudarc_by_events() {
    let context = CudaContext::new(0).unwrap();
    let (theirs, other) = (context.new_stream().unwrap(), context.new_stream().unwrap());
    let gpu = Gpu::try_from(&context).unwrap();
    let (ours, third) = (gpu.stream().unwrap(), gpu.stream().unwrap());
    // SAFETY: nobody captures the stream.
    let stream = unsafe { Stream::from_cudarc(&theirs) }.unwrap();
    let x = theirs.clone_htod(&[1.0f32, 2.0, 3.0, 4.0]).unwrap();
    let mut y = theirs.clone_htod(&[10.0f32; 4]).unwrap();
    saxpy(0.0, &gpu.zeros(1).unwrap(), &mut gpu.zeros(1).unwrap()).over(1).run().unwrap();

    // A wait of the host fails from here on.
    let_waits_fail(Some("201"));
    {
        let (view, mut view_mut) = (x.slice(1..), y.slice_mut(..3));
        // SAFETY: neither is forgotten.
        let (x, mut y) =
            unsafe { (stream.borrow(&view).unwrap(), stream.borrow_mut(&mut view_mut).unwrap()) };
        say(format!("{} {}", x.as_slice().len(), y.as_slice().len()));
        saxpy(1.0, x.as_slice(), &mut y.as_mut_slice()).over(3).start(&ours).unwrap();
        saxpy(100.0, x.as_slice(), &mut y.as_mut_slice()).over(3).start(&third).unwrap();
        // SAFETY: an error is nothing to forget.
        say(unsafe { ours.borrow(&view) }.unwrap_err());
    }
    // Work that `cudarc` gives another stream comes after both kernels, and ours after that.
    let mut twice = other.alloc_zeros::<f32>(4).unwrap();
    other.memcpy_dtod(&y, &mut twice).unwrap();
    let mut twice = DeviceBuffer::try_from(twice).unwrap();
    let x = DeviceBuffer::try_from(x).unwrap();
    saxpy(1000.0, &x, &mut twice).over(4).start(&ours).unwrap();
    let twice = twice.into_cudarc(&theirs).unwrap();
    // On another stream than that which the slice was made for.
    let back = other.clone_dtoh(&twice).unwrap();
    let_waits_fail(None);
    other.synchronize().unwrap();
    say(format!("{back:?}"));
}

/// The stand-in does what streams are asked for when somebody waits: what is not ordered does not happen in time.
#[test]
fn cudarc_and_this_share_memory_without_a_wait() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        3 3
        the stream is none of `cudarc`'s, which has to know of the borrow
        help: borrow the memory by a stream that `Stream::from_cudarc` has made; launches that use it may be on any stream
        [1212.0, 2313.0, 3414.0, 4010.0]
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams
    "#]]
    .assert_eq(&run("case_cudarc_by_events", driver, &[]));
}

/// Makes every wait for a stream fail with this error, or none.
fn let_waits_fail(code: Option<&str>) {
    // SAFETY: each case is a process of its own, whose other thread, that of the harness, only waits.
    unsafe {
        match code {
            Some(code) => std::env::set_var("FAKE_CUDA_WAIT", code),
            None => std::env::remove_var("FAKE_CUDA_WAIT"),
        }
    }
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_failed_waits() {
    let gpu = Gpu::cuda(0).unwrap();
    let x = gpu.upload(&[1.0f32; 3]).unwrap();
    let buffers = || [(); 4].map(|()| gpu.zeros::<f32>(3).unwrap());

    // Waits that fail for ever: the memory stays, whoever gives it back.
    let stream = gpu.stream().unwrap();
    let [mut ran, mut started, mut read, mut given] = buffers();
    saxpy(1.0, &x, &mut started).over(3).start(&stream).unwrap();
    saxpy(1.0, &x, &mut read).over(3).start(&stream).unwrap();
    saxpy(1.0, &x, &mut given).over(3).start(&stream).unwrap();
    let_waits_fail(Some("201"));
    say(saxpy(1.0, &x, &mut ran).over(3).run().unwrap_err());
    say(read.to_vec().unwrap_err());
    // A second look finds the kernel where it was.
    say(read.to_vec().unwrap_err());
    // Events order what follows, without a wait. `cudarc` would wait when it frees the memory.
    let context = gpu.cudarc_context().unwrap();
    std::mem::forget(given.into_cudarc(&context.new_stream().unwrap()).unwrap());
    let [mut lent, ..] = buffers();
    let lent = lent.lend();
    let graph = gpu.graph(|graph| saxpy(1.0, &x, lent).over(3).record(graph)).unwrap();
    assert!(graph.run().is_err());
    assert!(lent.to_vec().is_err());
    drop((ran, started, graph));
    let_waits_fail(None);
    drop(read);

    // Waits that fail for a while: the memory is free afterwards.
    let [mut ran, mut started, ..] = buffers();
    saxpy(1.0, &x, &mut started).over(3).start(&stream).unwrap();
    let_waits_fail(Some("201"));
    assert!(saxpy(1.0, &x, &mut ran).over(3).run().is_err());
    assert!(started.to_vec().is_err());
    let_waits_fail(None);
    say(format!("{:?} {:?}", ran.to_vec().unwrap(), started.to_vec().unwrap()));
}

/// The stand-in ends the process when memory is freed that a kernel is still to use.
#[test]
fn a_wait_that_fails_frees_nothing() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        kernel `saxpy` failed on Fake (CUDA device 0): cuStreamSynchronize failed: CUDA_ERROR_INVALID_CONTEXT (201), described by the fake
        a stream on Fake (CUDA device 0) failed after launches of `saxpy`: cuStreamSynchronize failed: CUDA_ERROR_INVALID_CONTEXT (201), described by the fake
        a stream on Fake (CUDA device 0) failed: cuStreamSynchronize failed: CUDA_ERROR_INVALID_CONTEXT (201), described by the fake
        [0.0, 0.0, 0.0] [1.0, 1.0, 1.0]
        left behind: 1 contexts, 3 memories, 0 modules, 2 events, 1 streams
    "#]].assert_eq(&run("case_failed_waits", driver, &[]));
}

#[test]
#[ignore = "a case that the tests run in a process of its own"]
fn case_captured() {
    let context = CudaContext::new(0).unwrap();
    let theirs = context.new_stream().unwrap();
    let gpu = Gpu::try_from(&context).unwrap();
    // SAFETY: what is asked for while the stream is captured is refused, which is the point here.
    let stream = unsafe { Stream::from_cudarc(&theirs) }.unwrap();
    let x = gpu.upload(&[1.0f32; 3]).unwrap();
    let mut y = gpu.zeros::<f32>(3).unwrap();
    let pinned = gpu.pinned_from(&[2.0f32; 3]).unwrap();
    saxpy(1.0, &x, &mut y).over(3).start(&stream).unwrap();
    stream.synchronize().unwrap();

    theirs.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED).unwrap();
    say(saxpy(1.0, &x, &mut y).over(3).start(&stream).unwrap_err());
    let copied = stream.copy_to_device(&pinned, &mut y);
    let zeroed = stream.set_zero(&mut y);
    let recorded = stream.record().map(drop);
    for refused in [copied, zeroed, recorded] {
        assert!(matches!(refused, Err(Error::Cuda(CudaError::Captured))), "{refused:?}");
    }
    // Others go on.
    saxpy(1.0, &x, &mut y).over(3).run().unwrap();
    let flags = CUgraphInstantiate_flags::CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
    let graph = theirs.end_capture(flags).ok().flatten();
    say(format!("{:?}, {}", y.to_vec().unwrap(), graph.is_some()));
    saxpy(1.0, &x, &mut y).over(3).start(&stream).unwrap();
    say(format!("{:?}", y.to_vec().unwrap()));
}

/// Work that is captured would be done whenever the graph is launched: long after the buffers are gone.
#[test]
fn nothing_is_asked_of_captured_streams() {
    let Some((driver, _)) = drivers() else { return };
    expect![[r#"
        kernel `saxpy` failed on Fake (CUDA device 0): the stream is being captured: what it is asked for would be done again whenever that graph is launched, also when its buffers are gone
        help: end the capture first; `gpu.graph(…)` records launches and copies, and keeps their buffers
        [2.0, 2.0, 2.0], false
        [3.0, 3.0, 3.0]
        left behind: 0 contexts, 0 memories, 0 modules, 0 events, 0 streams, 1 graphs
    "#]].assert_eq(&run("case_captured", driver, &[]));
}
