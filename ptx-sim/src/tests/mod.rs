//! Tests of whole kernels, written as PTX.

mod calls;
mod conformance;
mod control;
mod cuda;
mod endless;
mod faults;
mod guesses;
mod instructions;
mod matrix;
mod memory;
mod rows;
mod sanitizer;
mod sharing;
mod speed;
mod traffic;
mod values;

use expect_test::Expect;

use super::*;

/// A kernel `test` with a pointer parameter, registers of every class, and this body.
fn module(body: &str) -> String {
    format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 dynamic[];\n\
         .visible .entry test(.param .u64 data)\n{{\n\
         .reg .pred %p<20>;\n.reg .b16 %h<20>;\n.reg .b32 %r<40>;\n.reg .f32 %f<20>;\n.reg .b64 %rd<40>;\n\
         .reg .f64 %fd<20>;\nld.param.u64 %rd0, [data];\n{body}\n}}\n"
    )
}

/// One launch of a kernel that has a buffer.
struct Run {
    config: LaunchConfig,
    words: Vec<u32>,
    limits: Limits,
}

impl Run {
    /// One block of so many threads over a buffer of zeros.
    fn block(threads: u32, words: usize) -> Run {
        let config = LaunchConfig { grid: [1, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
        Run { config, words: vec![0; words], limits: Limits::steps(1 << 20) }
    }

    /// Runs the body; the buffer has what it left.
    fn run(&mut self, body: &str) -> Result<LaunchStats, Fault> {
        let program = Program::load(&module(body)).unwrap_or_else(|error| panic!("{error}"));
        self.run_program(&program)
    }

    /// Runs it with and without the sanitizer, which must not change anything, nor find anything that is no fault.
    fn run_program(&mut self, program: &Program) -> Result<LaunchStats, Fault> {
        let words = self.words.clone();
        let watched = self.outcome(program, true);
        let found: Vec<String> = watched.reports.iter().map(ToString::to_string).collect();
        let seen = std::mem::replace(&mut self.words, words);
        let result = self.outcome(program, false).result;
        if let Ok(stats) = &result {
            assert!(found.is_empty(), "{}", found.join("\n"));
            assert_eq!(
                (stats, seen),
                (&watched.result.unwrap_or_else(|fault| panic!("{fault}")), self.words.clone())
            );
        }
        result
    }

    fn outcome(&mut self, program: &Program, sanitize: bool) -> Outcome {
        let memory = Memory::new();
        let bytes = 4 * self.words.len();
        let address = memory.allocate(bytes as u64, 4);
        let raw: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(address, &raw).unwrap();
        let kernel = program.kernel("test").unwrap();
        let options = Options { limits: self.limits, sanitize, ..Options::default() };
        let outcome = run(program, kernel, &memory, &self.config, &address.to_le_bytes(), &options);
        let mut raw = vec![0; bytes];
        memory.read(address, &mut raw).unwrap();
        self.words = raw
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
            .collect();
        outcome
    }
}

/// Stores `%r1` of each thread at its index: the end of most bodies below.
const STORE: &str = "mov.u32 %r30, %tid.x;\nmul.wide.u32 %rd30, %r30, 4;\nadd.s64 %rd30, %rd0, %rd30;\n\
                     st.global.u32 [%rd30], %r1;\nret;\n";

/// Runs a body in one block, after which every thread stores `%r1`, and compares the values as runs of equal ones.
fn check(threads: u32, body: &str, expected: Expect) -> LaunchStats {
    let mut run = Run::block(threads, threads as usize);
    let stats = run.run(&format!("{body}\n{STORE}")).unwrap_or_else(|fault| panic!("{fault}"));
    expected.assert_eq(&runs(&run.words));
    stats
}

/// `3×7 5` for 7, 7, 7, 5.
fn runs(words: &[u32]) -> String {
    let groups: Vec<String> = words
        .chunk_by(|a, b| a == b)
        .map(|group| match group.len() {
            1 => group[0].to_string(),
            count => format!("{count}×{}", group[0]),
        })
        .collect();
    groups.join(" ")
}

/// The fault that a body ends in.
fn check_fault(threads: u32, body: &str, expected: Expect) {
    let fault = Run::block(threads, 64).run(body).expect_err("a fault");
    // Addresses of allocations are an implementation detail.
    expected.assert_eq(&fault.to_string().replace("0x1000000000", "0xA"));
}
