//! The compiler's report on a kernel: [`Kernel::report`](crate::Kernel::report).

use std::fmt;

pub use kernel_abi::remark::{RemarkKind, RemarkTopic};

use ptx::target::Arch;

use crate::kernel::{HostTest, KernelData, Variant};
use ptx_sim::Program;

/// Remark of the compiler on a place of the source. A place has one of each kind, however often its code was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// Kind of the remark.
    pub kind: RemarkKind,
    /// Of how many copies of the code: those of an unrolled loop, of a function that is called several times.
    pub count: u32,
    /// The source file.
    pub file: &'static str,
    /// The line, from one; zero for code that stands nowhere in the source.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

impl fmt::Display for Remark {
    /// `src/lib.rs:12:9: index in bounds: proved, no check ×4`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place(), self.text())
    }
}

impl Remark {
    /// `file:line:column`
    pub fn place(&self) -> String {
        match self.line {
            0 => "made by the compiler".to_owned(),
            line => format!("{}:{line}:{}", self.file, self.column),
        }
    }

    fn text(&self) -> String {
        match self.count {
            0 | 1 => self.kind.to_string(),
            count => format!("{} ×{count}", self.kind),
        }
    }
}

/// The compiler's report on a kernel, place by place, with the resources that the kernel needs.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel]
/// fn scale(factor: f32, y: &mut [f32]) {
///     let i = global_idx().x;
///     if i < y.len() {
///         y[i] *= factor;
///     }
/// }
///
/// let report = scale::KERNEL.report();
/// assert_eq!(report.checks_left(), 0);
/// println!("{report}");
/// ```
#[derive(Clone, Debug)]
pub struct Report {
    /// The kernel's name in Rust.
    pub kernel: &'static str,
    /// The source file.
    pub file: &'static str,
    /// The line of the definition.
    pub line: u32,
    /// The architecture that the PTX is for.
    pub target: Arch,
    /// The compiler's remarks, in the order of the source.
    pub remarks: &'static [Remark],
    /// The launch guards that the host evaluates before each launch to do without the checks that are not left; if one of them fails, it
    /// takes the version with all checks. None if the kernel has only one version.
    pub tests: &'static [HostTest],
    /// Registers of 32 bits that a thread needs at least, an estimate from the PTX: as many as are in use at once, and no
    /// more than `maxnreg` allows. The assembler's number is [`Kernel::attributes`](crate::Kernel::attributes) on a GPU.
    /// None for PTX that the simulator does not know.
    pub registers: Option<u32>,
    /// Static shared memory per block, in bytes.
    pub shared_bytes: u32,
    /// Local memory per thread in bytes, without registers that are spilled.
    pub local_bytes: u32,
}

impl Report {
    pub(crate) fn new(data: &'static KernelData, variant: &Variant) -> Report {
        let program = Program::load(variant.ptx).ok();
        let info = program.as_ref().and_then(|program| Some(program.info(program.kernel(variant.entry)?)));
        let bound = |registers: u32, most: Option<u32>| most.map_or(registers, |most| registers.min(most));
        Report {
            kernel: data.name,
            file: data.file,
            line: data.line,
            target: variant.target,
            remarks: variant.remarks,
            tests: &[],
            registers: info.map(|info| bound(info.register_estimate, info.max_registers)),
            shared_bytes: variant.shared_bytes,
            local_bytes: info.map_or(0, |info| info.local_bytes),
        }
    }

    /// The remarks on a topic.
    pub fn on(&self, topic: RemarkTopic) -> impl Iterator<Item = &'static Remark> + use<> {
        self.remarks.iter().filter(move |remark| remark.kind.topic() == topic)
    }

    /// At how many places the compiler says what `asked` is looking for.
    pub fn places(&self, asked: impl Fn(&RemarkKind) -> bool) -> usize {
        self.remarks.iter().filter(|remark| asked(&remark.kind)).count()
    }

    /// At how many places a check is done when the kernel runs, those among them that a test in front of a loop stands for.
    pub fn checks_left(&self) -> usize {
        self.places(|kind| matches!(kind, RemarkKind::CheckLeft { .. }))
    }

    /// At how many places a [test of the host](Report::tests) stands for the check.
    pub fn checks_tested(&self) -> usize {
        self.places(|kind| matches!(kind, RemarkKind::CheckTested { .. }))
    }

    /// At how many places all checks were proved.
    pub fn checks_proved(&self) -> usize {
        self.places(|kind| matches!(kind, RemarkKind::CheckProved { .. }))
    }
}

impl fmt::Display for Report {
    /// A table by topic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kernel, file, line, target, registers, shared_bytes, local_bytes, .. } = self;
        write!(f, "{kernel} ({file}:{line}) for {target}: ")?;
        if let Some(registers) = registers {
            write!(f, "about {registers} registers (estimated from PTX), ")?;
        }
        writeln!(f, "{shared_bytes} bytes of shared memory, {local_bytes} bytes of local memory")?;
        for test in self.tests {
            writeln!(f, "  tested by the host before each launch: {test}")?;
        }
        let width = self.remarks.iter().map(|remark| remark.place().chars().count()).max().unwrap_or(0);
        for &(topic, heading) in RemarkTopic::TABLE {
            let mut remarks = self.on(topic).peekable();
            if remarks.peek().is_some() {
                writeln!(f, "  {heading}")?;
            }
            for remark in remarks {
                writeln!(f, "    {:width$}  {}", remark.place(), remark.text())?;
            }
        }
        Ok(())
    }
}
