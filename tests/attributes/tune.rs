//! `tune(…)`: the instances give the same, the best is kept by launch size, in memory and in a file.

use std::fs;
use std::process::Command;

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;
use kernel_runtime::tune::Cost;
use kernel_runtime::{Tuned, Tuning};

use crate::harness::{check_ptx, devices, floats};

/// Each thread takes `EACH` elements, a grid's width apart.
#[kernel(tune(EACH = [1, 2, 4], block = [64, 256], per_thread = EACH))]
fn scale<const EACH: usize>(by: f32, x: &mut [f32]) {
    for step in 0..EACH {
        let i = global_idx().x + step * global_size().x;
        if i < x.len() {
            x[i] = by * x[i];
        }
    }
}

#[test]
fn the_chosen_instance_runs_once() {
    check_ptx("tune", scale::kernel::<4>());
    let expected: Vec<f32> = floats().iter().map(|x| 3.0 * x).collect();
    let mut on_cpu = floats();
    scale::cpu(3.0, &mut on_cpu).over(1000).run().unwrap();
    assert_eq!(on_cpu, expected);
    for gpu in devices() {
        let mut x = gpu.upload(&floats()).unwrap();
        let report = scale(3.0, &mut x).over(1000).run().unwrap();
        assert_eq!(x.to_vec().unwrap(), expected, "on {gpu}");
        let tuning = report.tuning.clone().unwrap();
        assert_eq!((tuning.rows.len(), tuning.estimated), (6, gpu.is_simulator()), "on {gpu}");
        let chosen = scale::TUNED.candidates()[tuning.chosen];
        assert_eq!((report.kernel, Some(report.block)), (chosen.kernel.name(), chosen.block), "on {gpu}");
        let threads = 1000usize.div_ceil(chosen.per_thread as usize);
        assert_eq!(report.grid[0], threads.div_ceil(report.block_threads() as usize) as u32, "on {gpu}");
        // By all costs that one is the cheapest.
        let best = tuning.best().and_then(|row| row.cost.value()).unwrap();
        assert!(tuning.rows.iter().all(|row| row.cost.value().unwrap() >= best), "{tuning}");
        assert!(report.to_string().ends_with(&format!(", tuned: {chosen}")), "{report}");
    }
}

#[test]
fn the_simulator_says_that_it_estimates() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&vec![1.0f32; 1 << 16]).unwrap();
    let tuning = scale(3.0, &mut x).over(1 << 16).run().unwrap().tuning.unwrap();
    let text = tuning.to_string();
    let first = text.lines().next().unwrap_or_default();
    expect!["scale, over 2^16, on simulator of sm_90, 132 SMs: estimated from the simulator's counts of PTX instructions, sectors and passes over shared memory"]
    .assert_eq(first);
    assert_eq!(text.lines().filter(|line| line.contains(" cycles")).count(), 6, "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("* EACH = ")).count(), 1, "{text}");
}

#[test]
fn sizes_are_chosen_for_apart() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.zeros::<f32>(5000).unwrap();
    assert!(scale::TUNED.tunings(&gpu).is_empty());
    for n in [1000, 1023, 1024, 2047, 5000] {
        scale(3.0, &mut x).over(n).run().unwrap();
    }
    scale(3.0, &mut x).grid(5).block(64).run().unwrap();
    let sizes: Vec<String> = scale::TUNED.tunings(&gpu).iter().map(|tuning| tuning.size.clone()).collect();
    assert_eq!(sizes, ["grid 2^2, block 64 × 1 × 1", "over 2^9", "over 2^10", "over 2^12"]);
    // Other devices know nothing of it.
    assert!(scale::TUNED.tunings(&Gpu::simulator(Arch::Sm90)).is_empty());
}

#[test]
fn a_launch_may_fix_what_is_tuned() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&floats()).unwrap();
    let report = scale(2.0, &mut x).over(1000).block(64).run().unwrap();
    assert_eq!((report.block, report.tuning.unwrap().rows.len()), ([64, 1, 1], 3));
    let report = scale::instance::<2>(2.0, &mut x).over(1000).run().unwrap();
    assert_eq!((report.kernel, report.tuning.as_ref().unwrap().rows.len()), ("scale::<2>", 2));
    assert_eq!(report.tuning.unwrap().size, "over 2^9, only scale::<2>");
    let report = scale::instance::<4>(2.0, &mut x).over(1000).block(256).run().unwrap();
    assert_eq!((report.kernel, report.grid, report.tuning.is_none()), ("scale::<4>", [1, 1, 1], true));
    let expected: Vec<f32> = floats().iter().map(|x| 8.0 * x).collect();
    assert_eq!(x.to_vec().unwrap(), expected);
    let error = scale(2.0, &mut x).over(1000).block(96).run().unwrap_err();
    expect![[r#"
        launch of `scale` refused: the block is 96 × 1 × 1, but `tune` lists the sizes 64, 256
        help: leave `.block` out, or add the size to the list"#]]
    .assert_eq(&error.to_string());
}

/// Swaps neighbours, in blocks of `BLOCK` threads.
#[kernel(instances(T = [i32, u32]), tune(BLOCK = [64, 128], block = BLOCK))]
fn rotate<T: Copy, const BLOCK: usize>(x: &[T], out: &mut [T]) {
    let mut tile = shared::<[T; BLOCK]>();
    let (i, t) = (global_idx().x, thread_idx().x);
    if i < x.len() {
        tile[t] = x[i];
    }
    barrier();
    if i < out.len() {
        out[i] = tile[t ^ 1];
    }
}

#[test]
fn a_parameter_may_be_the_block_size() {
    let x: Vec<i32> = (0..1024).collect();
    let expected: Vec<i32> = (0..1024).map(|i| i ^ 1).collect();
    let mut on_cpu = vec![0; 1024];
    rotate::cpu(&x, &mut on_cpu).over(1024).run().unwrap();
    assert_eq!(on_cpu, expected);
    assert_eq!(rotate::kernel::<u32, 128>().data().bounds.block, Some([128, 1, 1]));
    assert_eq!(rotate::tuned::<u32>().name(), "rotate::<u32>");
    for gpu in devices() {
        let x = gpu.upload(&x).unwrap();
        let mut out = gpu.zeros::<i32>(1024).unwrap();
        let report = rotate(&x, &mut out).over(1024).run().unwrap();
        assert_eq!(out.to_vec().unwrap(), expected, "on {gpu}");
        let names: Vec<String> = report.tuning.unwrap().rows.iter().map(|row| row.instance()).collect();
        assert_eq!(names, ["BLOCK = 64", "BLOCK = 128"]);
        assert_eq!(rotate::tuned::<i32>().tunings(&gpu).len(), 1);
        assert!(rotate::tuned::<u32>().tunings(&gpu).is_empty());
    }
}

/// Only the block size is tuned: the kernel is not generic.
#[kernel(tune(block = [32, (16, 4)]))]
fn fill(out: &mut [u32]) {
    let i = global_idx().x + global_idx().y * global_size().x;
    if i < out.len() {
        out[i] = 7;
    }
}

#[test]
fn a_kernel_without_parameters_is_tuned_over_blocks() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u32>(100).unwrap();
    let report = fill(&mut out).over(100).run().unwrap();
    assert_eq!(out.to_vec().unwrap(), [7; 100]);
    assert_eq!((report.kernel, fill::KERNEL.name(), fill::TUNED.name()), ("fill", "fill", "fill"));
    let names: Vec<String> = fill::TUNED.candidates().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["block = 32", "block = 16 × 4"]);
}

/// A struct that is shared with the host, and a kernel that takes it.
#[kernel_module]
pub mod shapes {
    use kernel_runtime::prelude::*;

    /// A line: `y = slope * x + start`.
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    pub struct Line {
        /// By how much it rises.
        pub slope: f32,
        /// The value of `y` at `x = 0`.
        pub start: f32,
    }

    /// Sums of two lines, by two ways of writing it.
    #[kernel(tune(METHOD = [false, true], FROM = [-1, 0], block = [32, 64]), launch_bounds(64))]
    pub fn draw<const METHOD: bool, const FROM: i32>(line: Line, lines: &[Line], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < lines.len() {
            let x = (FROM + i as i32 - FROM) as f32;
            let own = if METHOD { lines[i] } else { Line { slope: lines[i].slope, start: lines[i].start } };
            out[i] = (line.slope + own.slope) * x + line.start + own.start;
        }
    }
}

#[test]
fn kernels_of_modules_with_structs_are_tuned() {
    let lines = [shapes::Line { slope: 1.0, start: 0.25 }; 40];
    let gpu = Gpu::simulator(Arch::Sm90);
    let on_gpu = gpu.upload(&lines).unwrap();
    let mut out = gpu.zeros::<f32>(40).unwrap();
    let line = shapes::Line { slope: 2.0, start: 0.5 };
    let report = shapes::draw(line, &on_gpu, &mut out).over(40).run().unwrap();
    assert_eq!(out.to_vec().unwrap()[..3], [0.75, 3.75, 6.75]);
    let names: Vec<String> = shapes::draw::TUNED.candidates().iter().map(ToString::to_string).collect();
    assert_eq!(names.len(), 8);
    assert_eq!(
        names[..3],
        [
            "METHOD = false, FROM = -1, block = 32",
            "METHOD = false, FROM = -1, block = 64",
            "METHOD = false, FROM = 0, block = 32",
        ]
    );
    assert!(report.tuning.is_some());
    let mut on_cpu = [0.0; 40];
    shapes::draw::cpu(line, &lines, &mut on_cpu).over(40).run().unwrap();
    assert_eq!(on_cpu[..], out.to_vec().unwrap());
}

/// Each instance adds another number.
#[kernel(tune(N = [1, 2, 3]))]
fn add<const N: i32>(x: &mut [i32]) {
    let i = global_idx().x;
    if i < x.len() {
        x[i] += if i < 10 { 1 } else { N };
    }
}

#[test]
fn instances_that_differ_are_an_error() {
    for gpu in devices() {
        let mut x = gpu.upload(&[40i32; 20]).unwrap();
        let error = add(&mut x).over(20).run().unwrap_err();
        assert!(matches!(error, Error::InstancesDiffer { .. }), "{error}");
        expect![[r#"
            instances of `add` differ: element 10 of `x` is 41 with `N = 1`, and 42 with `N = 2`
            help: only what changes the speed can be tuned; sums of floats in another order give other results"#]]
        .assert_eq(&error.to_string());
        assert_eq!(x.to_vec().unwrap(), [40; 20], "the buffer is as it was");
        // One of them alone differs from none.
        add::instance::<3>(&mut x).over(20).run().unwrap();
        assert_eq!(x.to_vec().unwrap()[9..11], [41, 43]);
    }
}

/// Some instances need more shared memory than a launch leaves.
#[kernel(tune(WORDS = [1024, 8192]))]
fn heavy<const WORDS: usize>(out: &mut [f32]) {
    let mut tile = shared::<[f32; WORDS]>();
    let t = thread_idx().x;
    tile[t] = 1.0;
    barrier();
    if t < out.len() {
        out[t] = tile[t];
    }
}

#[test]
fn what_cannot_run_is_left_out() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<f32>(32).unwrap();
    let tuning = heavy(&mut out).grid(1).block(32).shared(200 << 10).run().unwrap().tuning.unwrap();
    assert_eq!(out.to_vec().unwrap(), [1.0; 32]);
    assert!(matches!(&tuning.rows[1].cost, Cost::Skipped(_)));
    let text = masked(&tuning);
    expect![[r#"
        heavy, grid 2^0, block 32 × 1 × 1, 204800 bytes shared, on simulator of sm_90, 132 SMs: estimated from the simulator's counts of PTX instructions, sectors and passes over shared memory
        * WORDS = 1024  about … cycles
          WORDS = 8192  left out: a block needs 237568 bytes of shared memory (32768 static and 204800 dynamic), the device allows 232448"#]]
    .assert_eq(&text);
    // A launch without any instance that can run reports the reason.
    let error = heavy(&mut out).grid(1).block(32).shared(300 << 10).run().unwrap_err();
    expect![[r#"
        launch of `heavy::<1024>` refused: a block needs 311296 bytes of shared memory (4096 static and 307200 dynamic), the device allows 232448
        help: use smaller tiles"#]]
    .assert_eq(&error.to_string());
}

/// Without numbers of cycles, which change with the compiler.
fn masked(tuning: &Tuning) -> String {
    let word = |(before, word): (&str, &str)| match (before, word.parse::<u64>()) {
        ("about", Ok(_)) => "…".to_owned(),
        _ => word.to_owned(),
    };
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let before = std::iter::once("").chain(words.iter().copied());
        before.zip(words.iter().copied()).map(word).collect::<Vec<_>>().join(" ")
    };
    tuning.to_string().lines().map(line).collect::<Vec<_>>().join("\n")
}

/// The first table of a kernel on a device, after a launch over so many elements.
fn tuned(gpu: &Gpu, n: usize) -> Result<(Tuning, Vec<f32>)> {
    let mut x = gpu.upload(&vec![1.0f32; n])?;
    let report = scale(2.0, &mut x).over(n).run()?;
    let tuning = report.tuning.as_deref().cloned();
    Ok((tuning.expect("several instances"), x.to_vec()?))
}

fn simulator() -> Gpu {
    Gpu::simulator(Arch::Sm90)
}

#[test]
fn choices_are_kept_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tunings.json");
    let first = simulator();
    first.tuning_cache(&path).unwrap();
    let (measured, _) = tuned(&first, 1000).unwrap();
    assert!(!measured.from_cache && measured.note.is_none(), "{measured}");
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains("\"kernel\": \"attributes::tune::scale\""), "{text}");
    assert!(text.contains("\"device\": \"simulator of sm_90, 132 SMs\""), "{text}");

    // Another run of the program, or another program.
    let second = simulator();
    second.tuning_cache(&path).unwrap();
    let (read, x) = tuned(&second, 1000).unwrap();
    assert!(read.from_cache && x == [2.0; 1000], "{read}");
    assert_eq!((read.chosen, read.rows.len()), (measured.chosen, measured.rows.len()));
    assert!(read.rows.iter().zip(&measured.rows).all(|(read, measured)| read.cost == measured.cost));
    // Of other sizes and architectures it says nothing.
    assert!(!tuned(&second, 5000).unwrap().0.from_cache);
    let other = Gpu::simulator(Arch::Sm80);
    other.tuning_cache(&path).unwrap();
    assert!(!tuned(&other, 1000).unwrap().0.from_cache);
    let entries = fs::read_to_string(&path).unwrap().matches("\"chosen\"").count();
    assert_eq!(entries, 3, "all of them are in the file");

    // A program may have the text in itself; nothing is written then.
    let shipped = simulator();
    shipped.load_tunings(&text).unwrap();
    assert!(tuned(&shipped, 1000).unwrap().0.from_cache);
}

#[test]
fn what_was_measured_before_the_file_is_named_goes_into_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tunings.json");
    let first = simulator();
    tuned(&first, 1000).unwrap();
    first.tuning_cache(&path).unwrap();
    let second = simulator();
    second.tuning_cache(&path).unwrap();
    assert!(tuned(&second, 1000).unwrap().0.from_cache);
}

#[test]
fn a_changed_kernel_is_measured_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tunings.json");
    let first = simulator();
    first.tuning_cache(&path).unwrap();
    tuned(&first, 1000).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let changed = |text: String, expected: Expect| {
        fs::write(&path, text).unwrap();
        let gpu = simulator();
        gpu.tuning_cache(&path).unwrap();
        let (tuning, _) = tuned(&gpu, 1000).unwrap();
        assert!(!tuning.from_cache, "{tuning}");
        expected.assert_eq(&tuning.note.unwrap());
        // The file is right again.
        let gpu = simulator();
        gpu.tuning_cache(&path).unwrap();
        assert!(tuned(&gpu, 1000).unwrap().0.from_cache);
    };
    changed(
        text.replace("\"fingerprint\": \"", "\"fingerprint\": \"0"),
        expect!["the cache file's entry was not used: the kernel has changed since"],
    );
    changed(
        text.replace("\"chosen\": \"EACH", "\"chosen\": \"OTHER"),
        expect![
            "the cache file's entry was not used: it has chosen `OTHER = 1, block = 64`, which is no instance"
        ],
    );
}

#[test]
fn files_of_others_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("package.json");
    fs::write(&path, "{\"name\": \"other\"}").unwrap();
    let gpu = simulator();
    let error = gpu.tuning_cache(&path).unwrap_err().to_string();
    expect![[r#"
        the tuning cache FOLDER/package.json cannot be used: expected the format "kernel-runtime tuning", found none: it is a file of something else
        help: name another file, or delete it: what it says is measured again"#]]
    .assert_eq(&error.replace(&*folder.path().to_string_lossy(), "FOLDER"));
    assert!(matches!(gpu.load_tunings("{").unwrap_err(), Error::TuningCache { .. }));
    // The device is usable without.
    assert_eq!(tuned(&gpu, 1000).unwrap().1, [2.0; 1000]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"name\": \"other\"}");
    // A file that cannot be written stops no launch.
    let gpu = simulator();
    gpu.tuning_cache(folder.path().join("missing").join("tunings.json")).unwrap();
    let (tuning, x) = tuned(&gpu, 1000).unwrap();
    assert_eq!(x, [2.0; 1000]);
    assert!(tuning.note.is_some_and(|note| note.contains("it cannot be written: ")));
}

/// In a process of its own, for the environment belongs to the process.
#[test]
fn the_environment_may_name_the_file() {
    const VARIABLE: &str = "KERNEL_TUNING_CACHE";
    if std::env::var_os(VARIABLE).is_some() {
        let (tuning, _) = tuned(&simulator(), 1000).unwrap();
        println!("from the cache: {}", tuning.from_cache);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tunings.json");
    let run = || {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "tune::the_environment_may_name_the_file", "--nocapture"])
            .env(VARIABLE, &path)
            .output()
            .unwrap();
        (child.status.success(), String::from_utf8_lossy(&child.stdout).into_owned())
    };
    for expected in ["from the cache: false", "from the cache: true"] {
        let (success, output) = run();
        assert!(success && output.contains(expected), "{output}");
    }
    fs::write(&path, "[]").unwrap();
    let (success, output) = run();
    assert!(!success, "{output}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "[]");
}

/// All threads at once ask for the choice: it is found once.
#[test]
fn threads_share_a_choice() {
    let gpu = simulator();
    let chosen: Vec<usize> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| tuned(&gpu, 1000).unwrap().0.chosen)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(chosen.iter().all(|&one| one == chosen[0]), "{chosen:?}");
    let all: &'static Tuned = scale::TUNED;
    assert_eq!(all.tunings(&gpu).len(), 1);
}
