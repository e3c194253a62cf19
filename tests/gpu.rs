//! Properties that only a GPU can show: kernels give what the simulator gives, bit for bit; the driver's occupancy is ours; a
//! panic comes back and the context stays usable.
//!
//! Without a CUDA device each test says so in one line and passes; with `REQUIRE_GPU=1` it fails. The binary needs
//! neither Rust nor the sources where it runs: build it with `cargo test --release -p tests --test gpu --no-run`.

use std::io::Write as _;
use std::thread;

use kernel_runtime::occupancy::{KernelResources, Occupancy};
use kernel_runtime::prelude::*;
use kernel_runtime::{CudaError, Kernel, KernelData, Launch, LaunchError, Variant};
use ptx::occupancy::{BestBlockSize, best_block_size, occupancy};
use ptx::target::MAX_THREADS_PER_BLOCK;
use tests::registers;

const ELEMENTS: usize = 1 << 16;

/// The first CUDA device, or none after saying that the test is skipped and why.
fn gpu() -> Option<Gpu> {
    let error = match Gpu::cuda(0) {
        Ok(gpu) => return Some(gpu),
        Err(error) => error,
    };
    let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
    assert!(!required, "{error}");
    let thread = thread::current();
    let reason = error.to_string();
    let line = reason.lines().next().unwrap_or_default();
    // Not `eprintln!`, which the test harness keeps to itself when a test passes; and in one piece.
    let skipped = format!("skipped {}: {line}\n", thread.name().unwrap_or("a test"));
    let _ = std::io::stderr().write_all(skipped.as_bytes());
    None
}

/// Approximate instructions of which the simulator has no exact model: results are near each other, as `check` says, and no more.
const UNMODELLED: [&str; 6] =
    ["sin.approx", "cos.approx", "lg2.approx", "tanh.approx", "sqrt.approx", "div.approx"];

#[test]
fn examples_agree_with_the_simulator_bit_for_bit() {
    let Some(gpu) = gpu() else { return };
    let simulator = Gpu::simulator(gpu.arch());
    for example in examples::examples() {
        let name = example.kernel.name();
        let [real, simulated] = [&gpu, &simulator].map(|device| {
            let outcome = (example.run)(device, ELEMENTS).unwrap_or_else(|error| panic!("{name}: {error}"));
            outcome.check().unwrap_or_else(|wrong| panic!("{name} on {device}: {wrong}"));
            outcome.output.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
        });
        if example
            .kernel
            .ptx()
            .split_whitespace()
            .any(|word| UNMODELLED.iter().any(|op| word.starts_with(op)))
        {
            continue;
        }
        // Groups of warps round sums in another order; those of whole numbers are exact.
        if example.kernel.variant(&gpu).unwrap().ptx.contains("wgmma") && name.starts_with("attention") {
            continue;
        }
        let different = real.iter().zip(&simulated).position(|(real, simulated)| real != simulated);
        assert_eq!(different, None, "{name}: the first element that differs");
    }
}

/// Every block size that anything could treat differently.
fn block_sizes() -> impl Iterator<Item = u32> {
    let ragged = [1, 2, 31, 33, 95, 100, 257, 1000, 1023];
    (1..=MAX_THREADS_PER_BLOCK / 32).map(|warps| 32 * warps).chain(ragged)
}

#[test]
fn the_drivers_occupancy_is_ours() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.attributes();
    let shared =
        [0, 1, 1024, 5000, 16 << 10, 48 << 10, 64 << 10, 100 << 10, device.limits.shared_per_block_optin];
    let mut compared = 0;
    for kernel in examples::kernels() {
        // Resources of either version, which blocks of the best size must fit, and those of the version that launches usually run.
        let either = kernel.attributes(&gpu).unwrap();
        let attributes = kernel.check_free_attributes(&gpu).unwrap().unwrap_or_else(|| either.clone());
        for dynamic_shared in shared {
            let resources: KernelResources = attributes.resources(dynamic_shared);
            for threads in block_sizes() {
                let told: Occupancy = kernel.max_active_blocks(&gpu, threads, dynamic_shared).unwrap();
                let computed = occupancy(&device.limits, &resources, threads, dynamic_shared);
                let case = format!("{} with {threads} threads, {dynamic_shared} bytes", kernel.name());
                assert_eq!(told, computed, "{case}: the driver's answer, and ours from {attributes}");
                compared += 1;
            }
            let told = kernel.best_block_size_with_shared(&gpu, dynamic_shared).ok();
            let best_with = |resources: &KernelResources| {
                best_block_size(&device.limits, resources, device.sms, None, |_| dynamic_shared)
            };
            let best = best_with(&resources).and_then(|best| match best.threads > either.max_threads {
                true => best_with(&either.resources(dynamic_shared)),
                false => Ok(best),
            });
            let best = best.ok().map(|best| BestBlockSize { elements: kernel.data().elements, ..best });
            assert_eq!(told, best, "{} with {dynamic_shared} bytes: best block size", kernel.name());
        }
    }
    assert!(compared > 1000);
}

#[test]
fn the_device_is_as_the_table_of_targets_says() {
    let Some(gpu) = gpu() else { return };
    let device = gpu.attributes();
    assert!(device.sms > 0 && device.memory_bytes > 1 << 30 && device.clock_khz > 100_000, "{device:?}");
    if device.compute_capability == device.arch.compute_capability() {
        assert_eq!(device.limits, *device.arch.limits());
    }
    assert!(gpu.fallback_reason().is_none() && !gpu.is_simulator());
    assert_eq!(Gpu::new().unwrap(), gpu, "the first device is one, however often it is opened");
}

#[test]
fn function_attributes_are_told() {
    let Some(gpu) = gpu() else { return };
    for kernel in examples::kernels() {
        let attributes = kernel.attributes(&gpu).unwrap();
        assert!((1..=255).contains(&attributes.registers) && !attributes.registers_estimated, "{attributes}");
        let spills = attributes.local_bytes > 0;
        assert!(!spills || examples::spills(kernel), "{} spills: {attributes}", kernel.name());
        assert_eq!(attributes.static_shared, kernel.variant(&gpu).unwrap().shared_bytes, "{}", kernel.name());
        assert_eq!(attributes.binary_version, Some(gpu.attributes().compute_capability));
        // `.maxntid` lowers what the driver tells; for `.reqntid` it still tells what the registers allow.
        let bounds = &kernel.data().bounds;
        let bound = bounds.max_threads.filter(|_| bounds.block.is_none()).unwrap_or(MAX_THREADS_PER_BLOCK);
        assert!(attributes.max_threads <= bound, "{}: {attributes}", kernel.name());
    }
}

/// Reads `x[index]` without a guard.
#[kernel]
fn read_at(index: usize, x: &[f32], y: &mut [f32]) {
    y[global_idx().x] = x[index];
}

#[test]
fn a_panic_comes_back_and_the_context_stays_usable() {
    let Some(gpu) = gpu() else { return };
    let x = gpu.upload(&[1.5f32; 10]).unwrap();
    let mut y = gpu.zeros::<f32>(64).unwrap();
    for round in 0..3 {
        let error = read_at(10 + round, &x, &mut y).grid(2).block(32).run().unwrap_err();
        let Error::KernelPanicked { kernel, message, file, line, thread, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*message, format!("index out of bounds: the len is 10 but the index is {}", 10 + round));
        assert_eq!(
            (*kernel, file.ends_with("gpu.rs"), *line > 100, thread[0] < 32),
            ("read_at", true, true, true)
        );
        // Neither the error nor the record stays behind.
        read_at(9, &x, &mut y).grid(2).block(32).run().unwrap();
        assert_eq!(y.to_vec().unwrap(), [1.5; 64]);
    }
    // All panic on the GPU where all panic on the simulator, whoever is first.
    let simulator = Gpu::simulator(gpu.arch());
    let x = simulator.upload(&[1.5f32; 10]).unwrap();
    let mut y = simulator.zeros::<f32>(64).unwrap();
    let error = read_at(10, &x, &mut y).grid(2).block(32).run().unwrap_err();
    assert!(matches!(error, Error::KernelPanicked { .. }), "{error}");
}

#[test]
fn launches_from_many_threads_do_not_mix() {
    let Some(gpu) = gpu() else { return };
    thread::scope(|scope| {
        for number in 0..8usize {
            let gpu = &gpu;
            scope.spawn(move || {
                let value = number as f32;
                let x = gpu.upload(&[value; 20]).unwrap();
                let mut y = gpu.zeros::<f32>(32).unwrap();
                for round in 0..50 {
                    // Half of them panic, each with an index of its own.
                    let index = if round % 2 == 0 { 5 } else { 100 + number };
                    let result = read_at(index, &x, &mut y).grid(1).block(32).run();
                    match result {
                        Ok(_) => assert_eq!((index, y.to_vec().unwrap()), (5, vec![value; 32])),
                        Err(Error::KernelPanicked { message, .. }) => {
                            assert!(message.ends_with(&format!(" {index}")), "{number}: {message}")
                        }
                        Err(error) => panic!("{error}"),
                    }
                }
            });
        }
    });
}

/// Each thread adds to `EACH` elements, a grid's width apart.
#[kernel(tune(EACH = [1, 2, 4], block = [64, 256], per_thread = EACH))]
fn add_up<const EACH: usize>(x: &[f32], y: &mut [f32]) {
    for step in 0..EACH {
        let i = global_idx().x + step * global_size().x;
        if i < x.len() && i < y.len() {
            y[i] += x[i];
        }
    }
}

#[test]
fn instances_are_timed_once_and_the_best_is_kept() {
    let Some(gpu) = gpu() else { return };
    let n = 1 << 22;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tunings.json");
    gpu.tuning_cache(&path).unwrap();
    let x = gpu.upload(&vec![1.0f32; n]).unwrap();
    let mut y = gpu.zeros::<f32>(n).unwrap();
    for round in 1..=3 {
        let report = add_up(&x, &mut y).over(n).run().unwrap();
        assert_eq!(y.to_vec().unwrap(), vec![round as f32; n], "the buffer is changed once by each launch");
        let tuning = report.tuning.clone().unwrap();
        assert!(!tuning.estimated && !tuning.from_cache && tuning.note.is_none(), "{tuning}");
        assert_eq!(tuning.rows.len(), 6, "{tuning}");
        let costs: Vec<f64> = tuning.rows.iter().filter_map(|row| row.cost.value()).collect();
        let best = tuning.best().and_then(|row| row.cost.value()).unwrap();
        assert_eq!(costs.iter().copied().reduce(f64::min), Some(best), "{tuning}");
        // 48 MiB move: no time is shorter than 5 µs, none longer than 100 ms.
        assert!(costs.iter().all(|&time| (5e3..1e8).contains(&time)), "{tuning}");
        if round == 1 {
            println!("{tuning}\n{report}");
        }
    }
    assert_eq!(add_up::TUNED.tunings(&gpu).len(), 1);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"nanoseconds\"") && !text.contains("CUDA device"), "{text}");
    // Nothing that is left takes memory: more than half of the device's, in turn.
    let bytes = gpu.attributes().memory_bytes as usize / 2;
    drop(gpu.zeros::<u8>(bytes).unwrap());
}

/// The instances give different results.
#[kernel(tune(N = [1, 2]))]
fn differing<const N: u32>(y: &mut [u32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] += N;
    }
}

#[test]
fn instances_that_differ_are_named_and_change_nothing() {
    let Some(gpu) = gpu() else { return };
    let mut y = gpu.upload(&[5u32; 100]).unwrap();
    let error = differing(&mut y).over(100).run().unwrap_err();
    let Error::InstancesDiffer { instances, argument, index, values, .. } = &error else { panic!("{error}") };
    assert_eq!((*argument, *index), ("y", 0));
    assert_eq!(instances[..], ["N = 1", "N = 2"]);
    assert_eq!(values[..], ["6", "7"]);
    assert_eq!(y.to_vec().unwrap(), [5; 100]);
}

#[test]
fn buffers_hold_what_is_copied() {
    let Some(gpu) = gpu() else { return };
    let data: Vec<u64> = (0..100_001u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let mut buffer = gpu.upload(&data).unwrap();
    assert_eq!(buffer.to_vec().unwrap(), data);
    buffer.set_zero().unwrap();
    assert_eq!(buffer.to_vec().unwrap(), vec![0; data.len()]);
    assert_eq!(gpu.upload(&[true, false]).unwrap().to_vec().unwrap(), [true, false]);
    assert!(gpu.upload::<i16>(&[]).unwrap().to_vec().unwrap().is_empty());
    // Memory comes back: more than the device has, in turn.
    let bytes = gpu.attributes().memory_bytes as usize / 4;
    for _ in 0..8 {
        drop(gpu.zeros::<u8>(bytes).unwrap());
    }
    let error = gpu.zeros::<u8>(1 << 50).unwrap_err();
    assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
}

#[test]
fn a_refused_module_comes_with_the_assemblers_log() {
    let Some(gpu) = gpu() else { return };
    // SAFETY: it is never loaded.
    static WRONG: Kernel = unsafe {
        Kernel::new(&KernelData {
            name: "wrong",
            variants: &[Variant {
                entry: "wrong",
                ptx: ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry wrong() {\n    bar.sink 0;\n}\n",
                ..Variant::EMPTY
            }],
            file: "wrong.rs",
            line: 3,
            ..KernelData::EMPTY
        })
    };
    // SAFETY: as above.
    let error = unsafe { Launch::new(&WRONG) }.over(1).on(&gpu).run().unwrap_err().to_string();
    assert!(error.starts_with("kernel `wrong` (wrong.rs:3) could not be loaded on "), "{error}");
    assert!(error.contains("line 5") && error.contains("\n    | bar.sink 0;"), "{error}");
    // The context is not harmed.
    assert!(gpu.upload(&[1u8]).is_ok());
}

#[test]
fn a_device_that_is_not_there_is_told() {
    let Some(_) = gpu() else { return };
    let error = Gpu::cuda(1000).unwrap_err();
    assert!(matches!(error, Error::Cuda(CudaError::NoSuchDevice { ordinal: 1000, .. })), "{error}");
}

#[test]
fn launch_bounds_cap_registers() {
    let Some(gpu) = gpu() else { return };
    let count = |kernel: &Kernel| kernel.attributes(&gpu).unwrap().registers;
    assert!(count(&registers::free::KERNEL) > 64);
    // 8 blocks of 256 threads share the 65 536 registers of an SM.
    if gpu.attributes().limits.threads_per_sm >= 2048 {
        assert_eq!(count(&registers::eight_blocks::KERNEL), 32);
    }
    assert!(count(&registers::at_most_40::KERNEL) <= 40);
    assert_eq!(registers::free::KERNEL.spilled_bytes(&gpu).unwrap(), Some(0));
    assert!(registers::at_most_40::KERNEL.spilled_bytes(&gpu).unwrap() > Some(0));
}

#[test]
fn broken_promises_are_told_before_a_launch() {
    let Some(gpu) = gpu() else { return };
    let (x, mut y) = (gpu.zeros::<f32>(512).unwrap(), gpu.zeros::<f32>(512).unwrap());
    let error = registers::half_full(1, &x, &mut y).grid(2).block(256).run().unwrap_err();
    assert!(matches!(error, Error::Launch { reason: LaunchError::Occupancy { .. }, .. }), "{error}");
    if gpu.attributes().limits.threads_per_sm >= 2048 {
        let error = registers::never_spills(1, &x, &mut y).grid(2).block(256).run().unwrap_err();
        assert!(matches!(error, Error::Spills { spilled: 1.., .. }), "{error}");
        println!("{error}");
    }
}

/// A cluster of four blocks, each of which says which it is.
#[kernel(cluster(4), block(32))]
fn in_clusters(y: &mut [u32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = block_idx().x as u32;
    }
}

#[test]
fn clusters_launch() {
    let Some(gpu) = gpu() else { return };
    if gpu.attributes().compute_capability < (9, 0) {
        return;
    }
    let mut y = gpu.zeros::<u32>(1000).unwrap();
    let report = in_clusters(&mut y).over(1000).run().unwrap();
    assert_eq!(report.grid, [32, 1, 1]);
    assert!(y.to_vec().unwrap().iter().enumerate().all(|(i, &block)| block as usize == i / 32));
}

#[test]
fn machine_code_is_kept_and_taken_again() {
    let Some(gpu) = gpu() else { return };
    let folder = tempfile::tempdir().unwrap();
    let text = examples::occupancy::saxpy::KERNEL.ptx();
    let files = || -> Vec<std::path::PathBuf> {
        let entries = std::fs::read_dir(folder.path()).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().unwrap() == "cubin")
            .collect()
    };
    gpu.cubin_cache(folder.path());
    let load = || {
        let module = gpu.load_ptx(text).unwrap();
        module.function(examples::occupancy::saxpy::KERNEL.variants()[0].entry).unwrap();
    };
    load();
    // Other tests load kernels of their own meanwhile; this one's is loaded twice.
    let first = files();
    assert!(!first.is_empty());
    let contents: Vec<Vec<u8>> = first.iter().map(|path| std::fs::read(path).unwrap()).collect();
    load();
    for (path, content) in first.iter().zip(&contents) {
        assert!(
            content.windows(4).any(|bytes| bytes == b"\x7fELF"),
            "{} has no machine code",
            path.display()
        );
        // A file that is broken is made again.
        std::fs::write(path, &content[..content.len() / 2]).unwrap();
    }
    load();
    let whole =
        first.iter().zip(&contents).filter(|(path, content)| std::fs::read(path).unwrap() == **content);
    assert!(whole.count() > 0, "the file that was broken is not whole again");
    // Kernels whose warps hand registers to each other are compiled beside it: the driver's linker makes them spill, which
    // `function_attributes_are_told` sees.
    for example in examples::examples().filter(|example| example.kernel.name().starts_with("matmul_groups")) {
        match (example.run)(&gpu, ELEMENTS) {
            Ok(outcome) => assert_eq!(outcome.check(), Ok(()), "{}", example.kernel.name()),
            Err(error) => assert!(examples::is_beyond_the_device(&error), "{error}"),
        }
    }
}
