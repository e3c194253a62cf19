//! A planted fault, its text, and the way to run it.

use std::fmt;

use expect_test::Expect;
use kernel_runtime::PtxLaunch;
use kernel_runtime::TensorMap;
use kernel_runtime::prelude::*;

/// Kinds of fault to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detector {
    OutOfGlobal,
    OutOfShared,
    OutOfLocal,
    Misaligned,
    Freed,
    MemoryWithoutValue,
    RegisterWithoutValue,
    SharedRace,
    GlobalRace,
    DivergentBarrier,
    MismatchedBarrier,
    MissingLane,
    MissingWait,
    MissingBulkWait,
    Deadlock,
    PhaseDeadlock,
    EndlessLoop,
    MissingProxyFence,
    MissingProductFence,
    PendingRegisters,
    UncommittedProduct,
    OperandUnderWay,
    PartialGroup,
    RegisterPool,
    BarrierMisuse,
    ReleasedTwice,
    StageOverwritten,
    WrongBytes,
    CopyAtTheEnd,
    EndedBlock,
    MatrixRows,
    TensorMap,
}

/// All of them, with what tables call them.
pub const DETECTORS: &[(Detector, &str)] = &[
    (Detector::OutOfGlobal, "out of bounds, global"),
    (Detector::OutOfShared, "out of bounds, shared"),
    (Detector::OutOfLocal, "out of bounds, local"),
    (Detector::Misaligned, "misaligned"),
    (Detector::Freed, "use after free"),
    (Detector::MemoryWithoutValue, "uninitialised memory"),
    (Detector::RegisterWithoutValue, "uninitialised register"),
    (Detector::SharedRace, "race, shared"),
    (Detector::GlobalRace, "race, global"),
    (Detector::DivergentBarrier, "divergent barrier"),
    (Detector::MismatchedBarrier, "mismatched barrier"),
    (Detector::MissingLane, "collective with a lane missing"),
    (Detector::MissingWait, "missing wait of a copy"),
    (Detector::MissingBulkWait, "missing wait of a bulk copy"),
    (Detector::Deadlock, "deadlock"),
    (Detector::PhaseDeadlock, "deadlock at a barrier in memory"),
    (Detector::EndlessLoop, "endless loop"),
    (Detector::MissingProxyFence, "missing proxy fence"),
    (Detector::MissingProductFence, "missing fence of a product"),
    (Detector::PendingRegisters, "registers of a product under way"),
    (Detector::UncommittedProduct, "product without a group or a wait"),
    (Detector::OperandUnderWay, "operand of a product not there, or overwritten"),
    (Detector::PartialGroup, "group with a warp missing"),
    (Detector::RegisterPool, "registers that a block does not have"),
    (Detector::BarrierMisuse, "barrier in memory beyond its life"),
    (Detector::ReleasedTwice, "stage released twice"),
    (Detector::StageOverwritten, "stage written before its release"),
    (Detector::WrongBytes, "wrong number of bytes"),
    (Detector::CopyAtTheEnd, "copy under way at the end"),
    (Detector::EndedBlock, "memory of a block that has ended"),
    (Detector::MatrixRows, "misaligned rows of matrices"),
    (Detector::TensorMap, "copy against its tensor map"),
];

/// Memory that the first parameter points to.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    /// So many words of zeros.
    Zeros(usize),
    /// So many words that nobody has written.
    Raw(usize),
    /// So many words that were freed before the launch; in the fault-free version they were not.
    Freed(usize),
    /// The parameter is a map of 16 × 16 `f32`, in boxes of 4 rows.
    Map,
}

/// A kernel with a fault, and without.
pub struct Case {
    pub name: &'static str,
    pub detector: Detector,
    pub blocks: u32,
    pub threads: u32,
    pub dynamic_shared: u32,
    pub data: Data,
    /// The body in PTX. Lines that begin with `-` are in the faulty kernel only, those with `+` in the fault-free one only.
    pub body: &'static str,
    pub expected: Expect,
}

const ALL: &[&[Case]] = &[
    super::bounds::CASES,
    super::values::CASES,
    super::races::CASES,
    super::barriers::CASES,
    super::lanes::CASES,
    super::copies::CASES,
    super::bulk::CASES,
    super::waiting::CASES,
    super::phases::CASES,
    super::products::CASES,
    super::groups::CASES,
    super::objects::CASES,
    super::clusters::CASES,
    super::tensors::CASES,
];

/// All of them.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    ALL.iter().copied().flatten()
}

/// One of the two kernels of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    Fault,
    Twin,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Version::Fault => "fault",
            Version::Twin => "twin",
        })
    }
}

/// Words of the second parameter, for results.
const RESULTS: usize = 1024;
/// Steps of a warp after which a loop counts as endless: the kernels make a few hundred.
const STEPS: u64 = 1 << 18;

/// The beginning of every kernel: its pointers `%x` and `%y`, the thread `%t` of `%n`, the block `%b`, the index in the grid
/// `%i`, and the addresses of its own words.
const PRELUDE: &str = ".extern .shared .align 16 .b8 dynamic[];
.visible .entry KERNEL(.param PARAM, .param .u64 y)DIRECTIVES
{
.reg .pred %p<8>;
.reg .b32 %r<32>, %t, %b, %n, %i;
.reg .b64 %d<32>, %x, %y, %xi, %yi;
mov.u32 %t, %tid.x;
mov.u32 %b, %ctaid.x;
mov.u32 %n, %ntid.x;
mad.lo.u32 %i, %b, %n, %t;
ADDRESS
ld.param.u64 %y, [y];
cvta.to.global.u64 %y, %y;
mul.wide.u32 %xi, %i, 4;
add.u64 %yi, %y, %xi;
add.u64 %xi, %x, %xi;
";

impl Case {
    /// The architecture that its instructions need.
    pub fn arch(&self) -> Arch {
        let has = |words: &[&str]| words.iter().any(|word| self.body.contains(word));
        match (has(&["wgmma.", "setmaxnreg."]), has(&[".bulk.", "mbarrier", ".cluster", "stmatrix"])) {
            (true, _) => Arch::Sm90a,
            (false, true) => Arch::Sm90,
            (false, false) => Arch::Sm80,
        }
    }

    fn directives(&self) -> String {
        let cluster = if self.body.contains("barrier.cluster") { " .reqnctapercluster 2, 1, 1" } else { "" };
        let threads = self.threads;
        let size =
            if self.arch() == Arch::Sm90a { format!(" .reqntid {threads}, 1, 1") } else { String::new() };
        size + cluster
    }

    /// The kernel. Its lines of source are those of the body.
    pub fn text(&self, version: Version) -> String {
        let target = self.arch().name();
        let file = self.name;
        let mut text =
            format!(".version 8.0\n.target {target}\n.address_size 64\n.file 1 \"{file}\"\n{PRELUDE}");
        let (param, address) = match self.data {
            Data::Map => (".align 64 .b8 x[128]", "mov.b64 %x, x;\ncvta.param.u64 %x, %x;"),
            Data::Zeros(_) | Data::Raw(_) | Data::Freed(_) => {
                (".u64 x", "ld.param.u64 %x, [x];\ncvta.to.global.u64 %x, %x;")
            }
        };
        let parts = [
            ("KERNEL", self.name),
            ("PARAM", param),
            ("DIRECTIVES", &self.directives()),
            ("ADDRESS", address),
        ];
        for (part, by) in parts {
            text = text.replace(part, by);
        }
        for (number, line) in (1..).zip(self.body.lines()) {
            let line = match (line.chars().next(), version) {
                (Some('-'), Version::Twin) | (Some('+'), Version::Fault) => continue,
                (Some('-' | '+'), _) => &line[1..],
                _ => line,
            };
            let is_instruction = line.ends_with(';') && !line.trim_start().starts_with('.');
            if is_instruction {
                text.push_str(&format!(".loc 1 {number} 1\n"));
            }
            text.push_str(line);
            text.push('\n');
        }
        text + "ret;\n}\n"
    }
}

/// Runs a kernel; what the device says of it.
pub fn run(gpu: &Gpu, case: &Case, version: Version) -> std::result::Result<(), String> {
    let module = gpu.load_ptx(&case.text(version)).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let mut results = gpu.zeros::<u32>(RESULTS).unwrap();
    let mut launch = |launch: PtxLaunch<'_>| {
        let launch = launch.arg(&mut results).grid(case.blocks).block(case.threads);
        let launch = launch.shared(case.dynamic_shared);
        // Loops without an end are found by what they do.
        let launch = if case.detector == Detector::EndlessLoop { launch } else { launch.step_limit(STEPS) };
        // SAFETY: none; what the kernel does wrong is the point. A GPU's driver keeps it inside this process.
        unsafe { launch.run() }.map(drop).map_err(|error| error.to_string())
    };
    let kernel = module.function(case.name).unwrap().launch();
    match (case.data, version) {
        (Data::Zeros(words), _) | (Data::Freed(words), Version::Twin) => {
            launch(kernel.arg(&mut gpu.zeros::<u32>(words).unwrap()))
        }
        // SAFETY: any bits are a `u32`.
        (Data::Raw(words), _) => launch(kernel.arg(&mut unsafe { gpu.uninitialized::<u32>(words) }.unwrap())),
        (Data::Freed(words), Version::Fault) => {
            let address = gpu.zeros::<u32>(words).unwrap().as_device_ptr().address();
            launch(kernel.arg(address))
        }
        (Data::Map, _) => {
            let mut tensor = gpu.zeros::<f32>(256).unwrap();
            let map = TensorMap::of_mut(&mut tensor, &[16, 16], &[16, 4]).build().unwrap();
            launch(kernel.arg(&map))
        }
    }
}

/// Runs a kernel under the sanitizer, blocks one after the other: of two that race, the second is the one that is reported.
pub fn simulate(case: &Case, version: Version) -> std::result::Result<(), String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| run(&Gpu::simulator(case.arch().max(Arch::Sm90)), case, version))
        .map_err(|found| without_lines(&found.replace("0x100001001", "0xA")))
}

/// The text without the lines of this file in it, where buffers are made.
fn without_lines(text: &str) -> String {
    let mut parts = text.split(file!());
    let first = parts.next().unwrap_or_default().to_owned();
    let is_number = |c: char| c.is_ascii_digit() || c == ':';
    parts.fold(first, |text, part| text + "harness.rs" + part.trim_start_matches(is_number))
}
