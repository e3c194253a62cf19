//! The same kernels on a GPU, beside compute-sanitizer.
//!
//! `DETECTOR=past_the_end:fault cargo test -p tests --test detectors -- --ignored --exact gpu::one --nocapture` runs one kernel;
//! `cargo test -p tests --test detectors -- --ignored --exact gpu::beside_compute_sanitizer --nocapture` runs all of them under
//! every tool of compute-sanitizer and prints what each found.

use std::collections::BTreeMap;
use std::env;
use std::process::Command;
use std::time::Duration;

use kernel_runtime::Gpu;
use rayon::prelude::*;
use tests::toolchain::Tool;

use crate::harness::{Case, DETECTORS, Version, cases, run, simulate};

/// Seconds after which a kernel on the GPU counts as hanging: the longest takes milliseconds, compute-sanitizer some more.
const PATIENCE: u64 = 15;
/// Processes that use the GPU at once.
const AT_ONCE: usize = 8;
/// The variable that names a kernel.
const VARIABLE: &str = "DETECTOR";

#[test]
#[ignore = "runs the kernel that DETECTOR names on a GPU"]
fn one() {
    let named =
        env::var(VARIABLE).unwrap_or_else(|_| panic!("{VARIABLE}=name:fault or {VARIABLE}=name:twin"));
    let (name, version) = named.split_once(':').unwrap_or((&named, "fault"));
    let version = if version == "twin" { Version::Twin } else { Version::Fault };
    let case = cases().find(|case| case.name == name).unwrap_or_else(|| panic!("no kernel `{name}`"));
    let gpu = Gpu::cuda(0).unwrap_or_else(|error| panic!("{error}"));
    // A kernel that hangs cannot be asked to stop.
    std::thread::spawn(|| {
        std::thread::sleep(Duration::from_secs(PATIENCE));
        println!("{HANGS}");
        std::process::abort();
    });
    match run(&gpu, case, version) {
        Ok(()) => println!("{named} came to its end"),
        Err(error) => println!("{named}: {error}"),
    }
}

const HANGS: &str = "hangs";

/// The tools of compute-sanitizer.
const TOOLS: [&str; 4] = ["memcheck", "initcheck", "racecheck", "synccheck"];

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

#[test]
#[ignore = "needs a GPU and compute-sanitizer, and takes minutes"]
fn beside_compute_sanitizer() {
    let sanitizer = Tool::ComputeSanitizer.find().unwrap_or_else(|missing| panic!("{missing}"));
    let only = env::var(VARIABLE).unwrap_or_default();
    let chosen: Vec<&Case> = cases().filter(|case| case.name.contains(&only)).collect();
    let look = |case: &Case, version: Version, tool: &str| {
        let output = Command::new(&sanitizer)
            .args(["--tool", tool, "--print-limit", "1000"])
            .arg(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "gpu::one", "--nocapture"])
            .env(VARIABLE, format!("{}:{version}", case.name))
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", sanitizer.display()));
        findings(&String::from_utf8_lossy(&output.stdout))
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().unwrap();
    let rows: Vec<Vec<String>> = pool.install(|| {
        let row = |case: &&Case| {
            let all = |version| TOOLS.map(|tool| look(case, version, tool));
            let simulated = |version| kind(&simulate(case, version).err().unwrap_or_default());
            let detector = DETECTORS.iter().find(|(detector, _)| *detector == case.detector);
            let mut row = vec![detector.map_or("", |(_, name)| name).to_owned(), case.name.to_owned()];
            row.push(simulated(Version::Fault));
            row.extend(all(Version::Fault));
            let twins = all(Version::Twin).into_iter().chain([simulated(Version::Twin)]);
            let twins: Vec<String> = twins.filter(|found| found != NOTHING).collect();
            row.push(if twins.is_empty() { NOTHING.to_owned() } else { twins.join("; ") });
            row
        };
        chosen.par_iter().map(row).collect()
    });
    println!("| detector | kernel | simulator | {} | twin, all tools |", TOOLS.join(" | "));
    println!("|{}", "---|".repeat(4 + TOOLS.len()));
    rows.iter().for_each(|row| println!("| {} |", row.join(" | ")));
}

const NOTHING: &str = "–";

/// What the simulator says, without the details.
fn kind(found: &str) -> String {
    let heads = found.lines().filter(|line| !line.starts_with(' ') && !line.starts_with("help"));
    let head = |line: &str| {
        let text = line.rsplit_once("simulator: ").map_or(line, |(_, text)| text);
        text.split(&[':', ','][..]).next().unwrap_or(text).to_owned()
    };
    let heads: Vec<String> = heads.map(head).collect();
    if heads.is_empty() { NOTHING.to_owned() } else { heads.join("; ") }
}

/// What compute-sanitizer says: each different finding once, with how often.
fn findings(output: &str) -> String {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for line in output.lines() {
        if line.trim() == HANGS {
            *found.entry(HANGS.to_owned()).or_insert(0) += 1;
        }
        // Details are indented by four.
        let Some(text) = line.strip_prefix("========= ").filter(|text| !text.starts_with(' ')) else {
            continue;
        };
        if text.is_empty() || CHATTER.iter().any(|chatter| text.starts_with(chatter)) {
            continue;
        }
        let text = text.split(" at ").next().unwrap_or(text).trim_start_matches("Error: ");
        *found.entry(text.replace('|', "/")).or_insert(0) += 1;
    }
    let found: Vec<String> = found
        .into_iter()
        .map(|(text, count)| if count == 1 { text } else { format!("{text} ×{count}") })
        .collect();
    if found.is_empty() { NOTHING.to_owned() } else { found.join("; ") }
}
