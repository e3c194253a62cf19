//! The kernels of the detectors on a GPU, beside compute-sanitizer.
//!
//! `DETECTOR=past_the_end:fault cargo test -p tests --test detectors -- --ignored --exact gpu::one --nocapture` runs one kernel;
//! `cargo test -p tests --test detectors -- --ignored --exact gpu::beside_compute_sanitizer --nocapture` runs all of them under
//! every tool of compute-sanitizer and prints what each found, a row at a time; it ends within five minutes, whatever hangs.
//! `beside_compute_sanitizer.md` is what it printed on an H200.

use std::collections::BTreeMap;
use std::env;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use kernel_runtime::Gpu;
use tests::limited::{self, Ran};
use tests::toolchain::Tool;

use crate::harness::{Case, DETECTORS, Detector, Version, cases, run, simulate};

/// Time after which a kernel on the GPU counts as hanging: the longest takes milliseconds, under compute-sanitizer some more.
const PATIENCE: Duration = Duration::from_secs(5);
/// Time that compute-sanitizer has for one kernel, its own start included.
const FOR_A_KERNEL: Duration = Duration::from_secs(20);
/// Time that it has for all fault-free kernels, one after the other.
const FOR_THE_TWINS: Duration = Duration::from_secs(50);
/// Time for everything.
const FOR_ALL: Duration = Duration::from_secs(240);
/// The most processes that use the GPU at once.
const AT_ONCE: usize = 16;
/// The variable that names a kernel.
const VARIABLE: &str = "DETECTOR";

/// A kernel that hangs cannot be asked to stop: the process ends when the time is up.
fn end_after(patience: Duration) {
    thread::spawn(move || {
        thread::sleep(patience);
        println!("{HANGS}");
        std::process::abort();
    });
}

fn gpu() -> Gpu {
    Gpu::cuda(0).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "runs the kernel that DETECTOR names on a GPU"]
fn one() {
    let named =
        env::var(VARIABLE).unwrap_or_else(|_| panic!("{VARIABLE}=name:fault or {VARIABLE}=name:twin"));
    let (name, version) = named.split_once(':').unwrap_or((&named, "fault"));
    let version = if version == "twin" { Version::Twin } else { Version::Fault };
    let case = cases().find(|case| case.name == name).unwrap_or_else(|| panic!("no kernel `{name}`"));
    let gpu = gpu();
    end_after(PATIENCE);
    match run(&gpu, case, version) {
        Ok(()) => println!("{named} came to its end"),
        Err(error) => println!("{named}: {error}"),
    }
}

#[test]
#[ignore = "runs all kernels without a fault on a GPU"]
fn twins() {
    let gpu = gpu();
    end_after(FOR_THE_TWINS);
    for case in chosen() {
        if let Err(error) = run(&gpu, case, Version::Twin) {
            println!("{}: {error}", case.name);
        }
    }
}

const HANGS: &str = "hangs";

/// The tools of compute-sanitizer.
const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

/// The kernels that the variable asks for, by a part of the name, those last that may never end: they keep the GPU busy.
fn chosen() -> Vec<&'static Case> {
    let only = env::var(VARIABLE).unwrap_or_default();
    let mut chosen: Vec<&Case> = cases().filter(|case| case.name.contains(&only)).collect();
    let hang = [Detector::Deadlock, Detector::PhaseDeadlock, Detector::EndlessLoop];
    chosen.sort_by_key(|case| hang.contains(&case.detector));
    chosen
}

/// A tool of compute-sanitizer on one test of this program.
fn look(sanitizer: &Path, tool: &str, test: &str, named: &str, limit: Duration) -> Ran {
    let mut command = Command::new(sanitizer);
    command.args(["--tool", tool, "--print-limit", "1000"]);
    command.arg(env::current_exe().unwrap_or_else(|error| panic!("{error}")));
    command.args(["--ignored", "--exact", test, "--nocapture"]).env(VARIABLE, named);
    limited::run(&mut command, limit).unwrap_or_else(|error| panic!("{}: {error}", sanitizer.display()))
}

/// A unit of work: the fault-free kernels under a tool, or one kernel under one tool.
#[derive(Clone, Copy)]
enum Task {
    Twins(usize),
    Kernel(usize, usize),
}

#[test]
#[ignore = "needs a GPU and compute-sanitizer, and takes more than a minute"]
fn beside_compute_sanitizer() {
    let start = Instant::now();
    let sanitizer = Tool::ComputeSanitizer.find().unwrap_or_else(|missing| panic!("{missing}"));
    let chosen = chosen();
    // A tool that does not work reports so for each kernel: one is tried first.
    let Some(first) = chosen.first() else { panic!("no kernel is named so") };
    let probe = look(&sanitizer, TOOLS[0], "gpu::one", &format!("{}:twin", first.name), 2 * FOR_A_KERNEL);
    assert_eq!(findings(&probe), NOTHING, "compute-sanitizer does not work here:\n{}", probe.output);

    let twins = (0..TOOLS.len()).map(Task::Twins);
    let kernels =
        (0..chosen.len()).flat_map(|case| (0..TOOLS.len()).map(move |tool| Task::Kernel(case, tool)));
    let tasks: Vec<Task> = twins.chain(kernels).collect();
    let cells: Mutex<Vec<[Option<String>; TOOLS.len()]>> =
        Mutex::new(vec![[const { None }; 4]; chosen.len()]);
    let in_twins: Mutex<[String; TOOLS.len()]> = Mutex::default();
    let next = AtomicUsize::new(0);
    let only = env::var(VARIABLE).unwrap_or_default();
    println!(
        "| detector | kernel | simulator | {} |\n|{}",
        TOOLS.join(" | "),
        "---|".repeat(3 + TOOLS.len())
    );
    let worker = || {
        while let Some(&task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let left = FOR_ALL.saturating_sub(start.elapsed());
            match task {
                Task::Twins(tool) => {
                    let ran = look(&sanitizer, TOOLS[tool], "gpu::twins", &only, left.min(FOR_THE_TWINS));
                    in_twins.lock().unwrap_or_else(PoisonError::into_inner)[tool] = by_kernel(&ran);
                }
                Task::Kernel(index, tool) => {
                    let named = format!("{}:{}", chosen[index].name, Version::Fault);
                    let found = match left.is_zero() {
                        true => "no time left".to_owned(),
                        false => {
                            let limit = left.min(FOR_A_KERNEL);
                            findings(&look(&sanitizer, TOOLS[tool], "gpu::one", &named, limit))
                        }
                    };
                    let mut cells = cells.lock().unwrap_or_else(PoisonError::into_inner);
                    cells[index][tool] = Some(found);
                    let row: Vec<String> = cells[index].iter().flatten().cloned().collect();
                    drop(cells);
                    if row.len() == TOOLS.len() {
                        println!("{}", row_of(chosen[index], &row));
                    }
                }
            }
        }
    };
    thread::scope(|scope| {
        let at_once = thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
        (0..at_once).for_each(|_| drop(scope.spawn(worker)));
    });
    println!("\n| tool | found in the twins |\n|---|---|");
    let in_twins = in_twins.into_inner().unwrap_or_else(PoisonError::into_inner);
    TOOLS.iter().zip(in_twins).for_each(|(tool, found)| println!("| {tool} | {found} |"));
    println!("\n{} kernels in {:.0} s", chosen.len(), start.elapsed().as_secs_f64());
}

/// A row of the table, with what each tool has found.
fn row_of(case: &Case, found: &[String]) -> String {
    let detector = DETECTORS.iter().find(|(detector, _)| *detector == case.detector);
    let simulated = kind(&simulate(case, Version::Fault).err().unwrap_or_default());
    let detector = detector.map_or("", |(_, name)| name);
    format!("| {detector} | {} | {simulated} | {} |", case.name, found.join(" | "))
}

/// Lines of compute-sanitizer that report nothing, by how they begin.
const CHATTER: &[&str] = &[
    "COMPUTE-SANITIZER",
    "ERROR SUMMARY",
    "RACECHECK SUMMARY",
    "LEAK SUMMARY",
    "Target application returned",
    "Error: process didn't terminate",
    "Program hit",
    "Warning",
];

const NOTHING: &str = "–";

/// The kinds of fault that the simulator reports, without the details.
fn kind(found: &str) -> String {
    let heads = found.lines().filter(|line| !line.starts_with(' ') && !line.starts_with("help"));
    let head = |line: &str| {
        let text = line.rsplit_once("simulator: ").map_or(line, |(_, text)| text);
        text.split(&[':', ','][..]).next().unwrap_or(text).to_owned()
    };
    let heads: Vec<String> = heads.map(head).collect();
    if heads.is_empty() { NOTHING.to_owned() } else { heads.join("; ") }
}

/// The lines of compute-sanitizer, without what begins them; details of a finding are indented by four.
fn lines(output: &str) -> impl Iterator<Item = &str> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("========= "));
    lines.filter(|text| !text.is_empty() && !CHATTER.iter().any(|chatter| text.starts_with(chatter)))
}

/// The first words of a finding.
fn heading(line: &str) -> String {
    line.split(" at ").next().unwrap_or(line).trim_start_matches("Error: ").replace('|', "/")
}

/// The findings of compute-sanitizer: each different one once, with its count.
fn findings(ran: &Ran) -> String {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for line in lines(&ran.output).filter(|line| !line.starts_with(' ')) {
        *found.entry(heading(line)).or_insert(0) += 1;
    }
    let mut found: Vec<String> = found
        .into_iter()
        .map(|(text, count)| if count == 1 { text } else { format!("{text} ×{count}") })
        .collect();
    if ran.timed_out {
        found.push("timeout".to_owned());
    } else if ran.output.lines().any(|line| line.trim() == HANGS) {
        found.push(HANGS.to_owned());
    }
    if found.is_empty() { NOTHING.to_owned() } else { found.join("; ") }
}

/// The findings of compute-sanitizer in many kernels: each different one once, with the kernels.
fn by_kernel(ran: &Ran) -> String {
    let names: Vec<&str> = cases().map(|case| case.name).collect();
    let mut found: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let mut last = None;
    for line in lines(&ran.output) {
        if !line.starts_with(' ') {
            last = Some(heading(line));
        }
        let of = |name: &&&str| line.contains(&format!("{name}+0x")) || line.contains(&format!("{name}("));
        if let (Some(heading), Some(name)) = (&last, names.iter().find(of)) {
            let kernels = found.entry(heading.clone()).or_default();
            if !kernels.contains(name) {
                kernels.push(name);
            }
        } else if !line.starts_with(' ') {
            found.entry(heading(line)).or_default();
        }
    }
    let mut found: Vec<String> = found
        .into_iter()
        .map(
            |(text, kernels)| {
                if kernels.is_empty() { text } else { format!("{text} ({})", kernels.join(", ")) }
            },
        )
        .collect();
    if ran.timed_out || ran.output.lines().any(|line| line.trim() == HANGS) {
        found.push("timeout".to_owned());
    }
    if found.is_empty() { NOTHING.to_owned() } else { found.join("; ") }
}

#[test]
fn what_compute_sanitizer_says_is_understood() {
    let output = "\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at past_the_end+0x90 in a.cu:3
=========     by thread (36,0,0) in block (1,0,0)
========= Invalid __global__ read of size 4 bytes
=========     at past_the_end+0x90 in a.cu:3
========= Error: Race reported between Write access at neighbour_reads+0x70
=========     and Read access at neighbour_reads+0x90 [4 hazards]
hangs
========= ERROR SUMMARY: 3 errors
";
    let ran = Ran { output: output.to_owned(), timed_out: false };
    assert_eq!(
        findings(&ran),
        "Invalid __global__ read of size 4 bytes ×2; Race reported between Write access; hangs"
    );
    assert_eq!(
        by_kernel(&ran),
        "Invalid __global__ read of size 4 bytes (past_the_end); Race reported between Write access; timeout"
    );
    let ran = Ran { output: "hello\n".to_owned(), timed_out: true };
    assert_eq!(findings(&ran), "timeout");
}
