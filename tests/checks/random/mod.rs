//! Random index expressions behind random guards: where the host's tests hold, the entry without checks does what the entry
//! with checks does, and the sanitizer finds no access outside.
//!
//! `CHECKS_FUZZ=1000000` in the environment asks for as many expressions, `CHECKS_SEED` for others.

mod arguments;
mod exact;
mod writer;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use arguments::Arguments;
use kernel_abi::panic::PanicRecord;
use kernel_runtime::prelude::*;
use ptx_gen::ir::{Module, Remark, RemarkKind, Type};
use ptx_gen::{CheckFreeKernel, compile};
use writer::{ACCESSES, SCALARS, Shape, TABLE, kernel};

/// Launches of each kernel, with other arguments.
const LAUNCHES: usize = 4;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
pub struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// The result of a run: a sum for each thread, or the line of the access that panicked.
type Ran = std::result::Result<Vec<u32>, u32>;

/// Runs one entry in the simulator; a fault is an error.
fn run(
    function: &kernel_runtime::PtxFunction,
    gpu: &Gpu,
    (arguments, shape): (&Arguments, Shape),
    lines: Option<&[u32]>,
) -> std::result::Result<Ran, String> {
    let told = |error: Error| error.to_string();
    let upload = |&len: &u32| {
        gpu.upload(&(0..len).map(|i| i.wrapping_mul(0x9e37_79b9)).collect::<Vec<u32>>()).map_err(told)
    };
    let slices = arguments.lengths.iter().map(upload).collect::<std::result::Result<Vec<_>, _>>()?;
    let table = upload(&TABLE)?;
    let threads: u32 = arguments.grid.iter().chain(&arguments.block).product();
    let elements = threads * shape.coarsen.unwrap_or(1);
    let mut out = gpu.zeros::<u32>(elements as usize).map_err(told)?;
    let mut record = gpu.zeros::<u64>(PanicRecord::BYTES.div_ceil(8)).map_err(told)?;
    let mut launch = function.launch();
    for (slice, len) in slices.iter().zip(arguments.lengths) {
        launch = launch.arg(slice);
        launch = if shape.is_wide { launch.arg(u64::from(len)) } else { launch.arg(len) };
    }
    for (ty, scalar) in SCALARS.into_iter().zip(arguments.scalars) {
        launch = match ty {
            Type::I8 => launch.arg(scalar as u8),
            Type::I16 => launch.arg(scalar as u16),
            Type::I32 => launch.arg(scalar as u32),
            _ => launch.arg(scalar),
        };
    }
    launch = launch.arg(&table).arg(&mut out);
    if lines.is_some() {
        launch = launch.arg(&mut record);
    }
    let ([x, y], [gx, gy]) = (arguments.block, arguments.grid);
    // SAFETY: the simulator refuses what is not the kernel's to access.
    unsafe { launch.grid((gx, gy)).block((x, y)).run() }.map_err(told)?;
    let words = record.to_vec().map_err(told)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes: &[u8; PanicRecord::BYTES] = bytes.first_chunk().ok_or("a short record")?;
    match (PanicRecord::read(bytes), lines) {
        (Some(record), Some(lines)) => Ok(Err(lines[record.site as usize])),
        (None, _) | (_, None) => Ok(Ok(out.to_vec().map_err(told)?)),
    }
}

/// Counts of all that was tried so far.
#[derive(Debug, Default)]
pub struct Seen {
    expressions: usize,
    /// Of them the ones that need no check in any launch.
    proved: usize,
    /// And those that need none where launch guards hold.
    tested: usize,
    /// Kernels with both versions, and those of them for which launches were found.
    kernels: usize,
    kernels_run: usize,
    /// Kernels of threads that do several elements.
    coarsened: usize,
    /// Launches of both entries, and those of them that no check that is left ended.
    launches: usize,
    finished: usize,
}

/// Compiles a kernel and compares its entries. An error is what is wrong.
fn try_one(
    random: &mut Random,
    gpu: &Gpu,
    has_matrices: bool,
    seen: &mut Seen,
) -> std::result::Result<(), String> {
    let mut shape = Shape { is_wide: random.below(3) == 0, has_matrices, ..Shape::default() };
    match random.below(6) {
        0 => shape.block = Some(random.of(&[[32, 1], [16, 2], [64, 1]])),
        1 => shape.max_threads = Some(32),
        2 => shape.coarsen = Some(random.of(&[2, 4])),
        _ => {}
    }
    let module = Module { files: vec!["random.rs".into()], functions: vec![kernel(random, shape)] };
    let compiled = compile(&module, None).map_err(|error| error.to_string())?;
    let facts = &compiled.kernels[0];
    seen.expressions += ACCESSES;
    let left = |remarks: &[Remark]| -> BTreeSet<u32> {
        let left = remarks.iter().filter(|remark| matches!(remark.kind, RemarkKind::CheckLeft { .. }));
        left.map(|remark| remark.location.line).collect()
    };
    let checked = left(&facts.remarks);
    seen.proved += ACCESSES - checked.len();
    for CheckFreeKernel { name, tests, takes_panic_record, remarks, .. } in &facts.check_free {
        let unproved = left(remarks);
        seen.tested += checked.difference(&unproved).count();
        seen.kernels += 1;
        seen.coarsened +=
            usize::from(remarks.iter().any(|remark| matches!(remark.kind, RemarkKind::Coarsened { .. })));
        let lines: Vec<u32> = facts.panics.values().map(|site| site.location.line).collect();
        let mut entries = None;
        for _ in 0..LAUNCHES {
            let Some(arguments) = Arguments::that_meet(tests, shape, random) else { continue };
            let [with, without] = match &entries {
                Some(entries) => entries,
                None => {
                    let text = gpu.load_ptx(&compiled.ptx).map_err(|error| error.to_string())?;
                    let function = |name: &str| text.function(name).map_err(|error| error.to_string());
                    seen.kernels_run += 1;
                    entries.insert([function(&facts.name)?, function(name)?])
                }
            };
            seen.launches += 1;
            let context = |wrong: String| {
                let texts = tests.iter().map(|test| test.text.as_str()).collect::<Vec<_>>().join("; ");
                let tested = remarks.iter().filter_map(|remark| match &remark.kind {
                    RemarkKind::CheckTested { test, .. } => {
                        Some(format!("line {}: {test}\n", remark.location.line))
                    }
                    _ => None,
                });
                let (tested, ir) = (tested.collect::<String>(), &module.functions[0]);
                format!("{wrong}\n{arguments:?}, {shape:?}\ntests: {texts}\n{tested}{ir}\n{}", compiled.ptx)
            };
            let launch = (&arguments, shape);
            let expected = run(with, gpu, launch, Some(&lines)).map_err(context)?;
            let found =
                run(without, gpu, launch, takes_panic_record.then_some(&lines[..])).map_err(context)?;
            seen.finished += usize::from(expected.is_ok());
            let agree = match (&found, &expected) {
                (Ok(found), Ok(expected)) => found == expected,
                // The thread that panics first may differ.
                (Err(line), Err(_)) => unproved.contains(line),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
            };
            // A check that is left out would have failed.
            let needed = matches!(&expected, Err(line) if !unproved.contains(line));
            if !agree || needed {
                return Err(context(format!("without checks {found:?}, with checks {expected:?}")));
            }
        }
    }
    Ok(())
}

impl Seen {
    fn add(&mut self, other: &Seen) {
        self.expressions += other.expressions;
        self.proved += other.proved;
        self.tested += other.tested;
        self.kernels += other.kernels;
        self.kernels_run += other.kernels_run;
        self.coarsened += other.coarsened;
        self.launches += other.launches;
        self.finished += other.finished;
    }
}

/// Tries kernels on all cores, each with a seed of its own, with elements of matrices or without, until one shows something wrong: what that is, after the seed.
pub fn try_many(first: u64, expressions: usize, has_matrices: bool) -> (Seen, Option<String>) {
    let kernels = expressions.div_ceil(ACCESSES) as u64;
    let (next, all) = (AtomicU64::new(0), Mutex::new((Seen::default(), None)));
    let work = || {
        let (mut seen, mut wrong) = (Seen::default(), None);
        let gpu = Gpu::simulator(Arch::Sm90);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= kernels || wrong.is_some() {
                break;
            }
            let seed = first.wrapping_add(number);
            let mut random = Random(seed.wrapping_mul(0xd134_2543_de82_ef95));
            if let Err(text) = try_one(&mut random, &gpu, has_matrices, &mut seen) {
                wrong = Some(format!("CHECKS_FUZZ=1 CHECKS_SEED={seed}: {text}"));
                next.store(kernels, Ordering::Relaxed);
            }
        }
        if let Ok(mut all) = all.lock() {
            all.0.add(&seen);
            all.1 = all.1.take().or(wrong);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    all.into_inner().unwrap_or_default()
}

#[test]
fn nothing_is_accessed_outside() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = number("CHECKS_FUZZ").unwrap_or(800) as usize;
    let (seen, wrong) = try_many(number("CHECKS_SEED").unwrap_or(1), wanted, true);
    if let Some(wrong) = wrong {
        panic!("{wrong}");
    }
    println!("{seen:?}");
    if wanted > 100 {
        assert!(seen.tested * 20 > seen.expressions, "few expressions have tests: {seen:?}");
        assert!(
            seen.kernels_run * 3 > seen.kernels,
            "few kernels have launches that meet the tests: {seen:?}"
        );
    }
}

/// Kernels that showed something wrong once: tests with alternatives that are too long together were left out; `coarsen` tested
/// sums of what is not known before the elements, and took it that they do not wrap there; a loop that a check ends counted in 32 bits.
#[test]
fn what_was_wrong_once() {
    for seed in [900_001_131, 1064, 27_371, 4243] {
        assert_eq!(try_many(seed, 1, false).1, None, "{seed}");
    }
}
