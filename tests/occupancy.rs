//! The occupancy arithmetic against the driver of an H200 (recorded) and against NVIDIA's own header.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use ptx::occupancy::{
    Carveout, KernelResources, Limiter, SharedLimit, best_block_size, block_limits, occupancy,
};
use ptx::target::{Arch, DEFAULT_SHARED_PER_BLOCK, MAX_BARRIERS_PER_BLOCK, MAX_THREADS_PER_BLOCK};
use tests::toolchain::{Tool, require_or_skip};

#[test]
fn the_recorded_answers_of_an_h200() {
    let rows = include_str!("data/occupancy_h200.csv").lines().skip(1);
    let mut checked = 0;
    for row in rows {
        let numbers: Vec<u32> = row.split(',').map(|number| number.parse().unwrap()).collect();
        let &[registers, static_shared, threads, dynamic_shared, expected] = numbers.as_slice() else {
            panic!("malformed row: {row}")
        };
        let kernel = KernelResources {
            registers,
            static_shared,
            shared_limit: SharedLimit::OptIn,
            ..KernelResources::default()
        };
        let found = occupancy(Arch::Sm90.limits(), &kernel, threads, dynamic_shared);
        assert_eq!(found.active_blocks, expected, "{row}: {found}");
        checked += 1;
    }
    assert_eq!(checked, 6462);
}

/// One question for both sides.
#[derive(Debug)]
struct Question {
    arch: Arch,
    kernel: KernelResources,
    threads: u32,
    dynamic_shared: u32,
    /// For the best block size: bytes of dynamic shared memory of a block, and of each of its threads.
    shared_base: u32,
    shared_per_thread: u32,
    sms: u32,
}

/// One answer: active blocks, what each resource allows, the best block size and its grid (0, 0 where none fits).
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    active_blocks: u32,
    registers: u32,
    shared: u32,
    warps: u32,
    blocks: u32,
    barriers: u32,
    best: (u32, u32),
}

#[test]
fn random_configurations_equal_the_official_header() {
    const QUESTIONS: usize = 200_000;
    let Some(header) = require_or_skip(Tool::OccupancyHeader.find()) else { return };
    let Some(compiler) = require_or_skip(Tool::Cc.find()) else { return };
    let mut random = Random(0x0CC0_9A9C);
    let questions: Vec<Question> = (0..QUESTIONS).map(|_| Question::random(&mut random)).collect();
    let answers = ask_header(&header, &compiler, &questions);
    assert_eq!(answers.lines().count(), QUESTIONS);
    let mut launchable = 0;
    for (question, line) in questions.iter().zip(answers.lines()) {
        let ours = question.answer();
        assert_eq!(ours, read_answer(line), "ours is left, the header's right, for {question:?}");
        launchable += usize::from(ours.active_blocks > 0);
    }
    // The comparison is worth something only if neither outcome is rare.
    assert!((QUESTIONS / 4..QUESTIONS * 3 / 4).contains(&launchable), "{launchable} launchable");
}

impl Question {
    fn random(random: &mut Random) -> Question {
        let arch = random.pick(Arch::ALL);
        let kernel = KernelResources {
            registers: random.upto(255),
            static_shared: random.size(DEFAULT_SHARED_PER_BLOCK),
            barriers: random.upto(MAX_BARRIERS_PER_BLOCK),
            max_threads: random.threads(MAX_THREADS_PER_BLOCK),
            shared_limit: random.pick(&[SharedLimit::Default, SharedLimit::OptIn]),
            carveout: match random.upto(2) {
                0 => Carveout::Percent(random.upto(100) as u8),
                _ => Carveout::Default,
            },
        };
        Question {
            arch,
            kernel,
            threads: random.threads(MAX_THREADS_PER_BLOCK + 64),
            dynamic_shared: random.size(arch.limits().shared_per_sm + 4096),
            shared_base: random.size(arch.limits().shared_per_block_optin),
            shared_per_thread: random.size(200),
            sms: 1 + random.upto(200),
        }
    }

    /// In the order that the harness reads.
    fn write(&self, text: &mut String) {
        let Question { arch, kernel, .. } = self;
        let ((major, minor), limits) = (arch.compute_capability(), arch.limits());
        let carveout = match kernel.carveout {
            Carveout::Default => -1,
            Carveout::Percent(part) => i32::from(part),
        };
        writeln!(
            text,
            "{major} {minor} {} {} {} {} {} {}  {} {} {} {} {} {carveout}  {} {}  {} {} {}",
            limits.threads_per_sm,
            limits.registers_per_block,
            limits.registers_per_sm,
            limits.shared_per_sm,
            limits.shared_per_block_optin,
            limits.shared_reserved_per_block,
            kernel.registers,
            kernel.static_shared,
            kernel.barriers,
            kernel.max_threads,
            u32::from(kernel.shared_limit == SharedLimit::OptIn),
            self.threads,
            self.dynamic_shared,
            self.shared_base,
            self.shared_per_thread,
            self.sms,
        )
        .unwrap();
    }

    fn answer(&self) -> Answer {
        let limits = self.arch.limits();
        // The header asks for the launch bounds only when it searches the best block size.
        let any_size = KernelResources { max_threads: MAX_THREADS_PER_BLOCK, ..self.kernel };
        let allowed = block_limits(limits, &any_size, self.threads, self.dynamic_shared);
        let of = |wanted: Limiter| allowed.iter().find(|&&(limiter, _)| limiter == wanted).unwrap().1;
        let shared = |threads| self.shared_base + self.shared_per_thread * threads;
        let best = best_block_size(limits, &self.kernel, self.sms, None, shared);
        Answer {
            active_blocks: occupancy(limits, &any_size, self.threads, self.dynamic_shared).active_blocks,
            registers: of(Limiter::Registers),
            shared: of(Limiter::SharedMemory),
            // The header counts a block that is too large as one that lacks warps.
            warps: of(Limiter::Warps).min(of(Limiter::BlockSize)),
            blocks: of(Limiter::Blocks),
            barriers: of(Limiter::Barriers),
            best: best.map_or((0, 0), |best| (best.threads, best.blocks)),
        }
    }
}

fn read_answer(line: &str) -> Answer {
    // C's INT_MAX stands for a resource that the kernel does not use.
    let unlimited = |number: u32| if number == i32::MAX as u32 { u32::MAX } else { number };
    let numbers: Vec<u32> = line.split(' ').map_while(|number| number.parse().ok()).map(unlimited).collect();
    let &[active_blocks, registers, shared, warps, blocks, barriers, threads, grid] = numbers.as_slice()
    else {
        panic!("the header refused a question: {line}")
    };
    Answer { active_blocks, registers, shared, warps, blocks, barriers, best: (threads, grid) }
}

/// Compiles the harness against the header and runs it over all questions.
fn ask_header(header: &Path, compiler: &Path, questions: &[Question]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (program, input) = (folder.path().join("harness"), folder.path().join("questions"));
    let compiled = Command::new(compiler)
        .args(["-std=c11", "-O1", "-o"])
        .arg(&program)
        .arg("-I")
        .arg(header.parent().unwrap())
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/occupancy_harness.c"))
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let mut text = String::new();
    questions.iter().for_each(|question| question.write(&mut text));
    fs::write(&input, text).unwrap();
    let output = Command::new(&program).stdin(File::open(&input).unwrap()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// SplitMix64, so that every run asks the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// 0 to `most`, both included.
    fn upto(&mut self, most: u32) -> u32 {
        (self.next() % (u64::from(most) + 1)) as u32
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.upto(from.len() as u32 - 1) as usize]
    }

    /// Sizes crowd at zero and at multiples of what memory is allocated in, where arithmetic goes wrong.
    fn size(&mut self, most: u32) -> u32 {
        match self.upto(3) {
            0 => 0,
            1 => self.upto(most),
            2 => self.upto(most / 16),
            _ => (self.upto(most / 128) * 128 + self.upto(2)).saturating_sub(1).min(most),
        }
    }

    /// Block sizes, half of them whole warps.
    fn threads(&mut self, most: u32) -> u32 {
        let threads = 1 + self.upto(most - 1);
        if self.upto(1) == 0 { threads } else { threads.next_multiple_of(32).min(most) }
    }
}
