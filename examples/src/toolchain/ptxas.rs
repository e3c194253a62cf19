//! Assembling PTX with the real `ptxas`.
//!
//! Starting `ptxas` costs about 10 ms, a small kernel 1 ms, and `ptxas` takes many files at once: fifty modules take
//! 530 ms one by one and 66 ms together. So modules are assembled in batches, and a batch that fails is halved until
//! the failing modules stand alone with their own log.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;

use ptx::target::{Arch, Suffix};

use super::{MissingTool, Tool, require_or_skip};

/// The architectures that all PTX of the workspace is assembled for.
pub const EVERYWHERE: [Arch; 7] =
    [Arch::Sm75, Arch::Sm80, Arch::Sm86, Arch::Sm89, Arch::Sm90, Arch::Sm100, Arch::Sm120];

/// Modules that go into one run of `ptxas`.
const BATCH: usize = 48;

/// The log of `ptxas -v` for one module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Its entry functions, in the order of the log.
    pub entries: Vec<EntryReport>,
}

/// The log of `ptxas -v` for one entry function. Sizes are in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryReport {
    /// Its name in the PTX.
    pub name: String,
    /// Registers per thread.
    pub registers: u32,
    /// Named barriers per block.
    pub barriers: u32,
    /// Static shared memory per block.
    pub shared: u32,
    /// Stack frame per thread.
    pub stack: u32,
    /// Stores of registers that did not fit.
    pub spill_stores: u32,
    /// Loads of registers that did not fit.
    pub spill_loads: u32,
    /// The lines that say why it is slower than its text asks for: `wgmma` instructions that wait for each other.
    pub losses: Vec<String>,
}

/// The PTX assembler of a CUDA toolkit.
#[derive(Clone, Debug)]
pub struct Ptxas {
    path: PathBuf,
}

impl Ptxas {
    /// Finds it as [`Tool::find`] does.
    pub fn find() -> Result<Ptxas, MissingTool> {
        Ok(Ptxas { path: Tool::Ptxas.find()? })
    }

    /// Assembles one module for one architecture. The error is the log of `ptxas`, with the lines it complains of.
    pub fn assemble(&self, ptx: &str, arch: Arch) -> Result<Report, String> {
        let log = self.run(&[ptx], arch)?;
        Ok(parse_report(&log))
    }

    /// Assembles many modules for one architecture; the results are in the order of the modules.
    ///
    /// Entry functions of one name may occur in several modules, but those then cannot share a run.
    pub fn assemble_batch(&self, modules: &[&str], arch: Arch) -> Vec<Result<Report, String>> {
        if let [module] = modules {
            return vec![self.assemble(module, arch)];
        }
        match self.run(modules, arch) {
            Ok(log) => {
                let report = parse_report(&log);
                modules.iter().map(|module| Ok(report.restricted_to(module))).collect()
            }
            Err(_) => {
                let (first, second) = modules.split_at(modules.len() / 2);
                let mut results = self.assemble_batch(first, arch);
                results.extend(self.assemble_batch(second, arch));
                results
            }
        }
    }

    /// Assembles every module for all of [`EVERYWHERE`] that its `.target` allows (a target with a letter: for itself
    /// alone), on all cores; the results are in the order of the modules.
    pub fn assemble_everywhere(&self, modules: &[&str]) -> Vec<Vec<(Arch, Result<Report, String>)>> {
        let mut jobs = Vec::new();
        for &arch in Arch::ALL {
            let wanted = (0..modules.len()).filter(|&index| architectures(modules[index]).contains(&arch));
            jobs.extend(batches(modules, wanted).into_iter().map(|batch| (arch, batch)));
        }
        // Largest first would be better balanced; batches are of one size but for the last of each architecture.
        let queue = Mutex::new(jobs);
        let results = Mutex::new(vec![Vec::new(); modules.len()]);
        let worker = || {
            loop {
                let Some((arch, batch)) = queue.lock().expect("no worker panics with the lock").pop() else {
                    break;
                };
                let texts: Vec<&str> = batch.iter().map(|&index| modules[index]).collect();
                let assembled = self.assemble_batch(&texts, arch);
                let mut results = results.lock().expect("no worker panics with the lock");
                for (index, result) in batch.into_iter().zip(assembled) {
                    results[index].push((arch, result));
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(worker);
            }
        });
        let mut results = results.into_inner().expect("no worker panics with the lock");
        results.iter_mut().for_each(|of_module| of_module.sort_by_key(|&(arch, _)| arch));
        results
    }

    /// One run over these modules; the log of `ptxas` either way.
    fn run(&self, modules: &[&str], arch: Arch) -> Result<String, String> {
        let describe = |what: &str, error: std::io::Error| format!("{what}: {error}");
        let folder = tempfile::tempdir().map_err(|e| describe("cannot make a temporary folder", e))?;
        let mut command = Command::new(&self.path);
        command.current_dir(folder.path()).arg("-v").arg(format!("-arch={arch}")).args(["-o", "out.cubin"]);
        let mut sources = 0;
        for (index, module) in modules.iter().enumerate() {
            let file = file_name(index);
            let text = with_sources_from(&mut sources, module);
            fs::write(folder.path().join(&file), text).map_err(|e| describe("cannot write the PTX", e))?;
            command.arg(file);
        }
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|e| describe(&format!("cannot run {}", self.path.display()), e))?;
        let mut log = String::from_utf8_lossy(&output.stderr).into_owned();
        log.push_str(&String::from_utf8_lossy(&output.stdout));
        if output.status.success() { Ok(log) } else { Err(explain(&log, modules, arch, folder.path())) }
    }
}

/// `ptxas` names the file in its complaints.
fn file_name(index: usize) -> String {
    format!("module{index}.ptx")
}

/// A module whose source files have the numbers after `taken`, which counts them: all modules of a run share a table of files.
fn with_sources_from(taken: &mut usize, module: &str) -> String {
    let before = *taken;
    let mut text = String::with_capacity(module.len());
    for line in module.split_inclusive('\n') {
        let directive = line.trim_start();
        if !directive.starts_with(".file ") && !directive.starts_with(".loc ") {
            text.push_str(line);
            continue;
        }
        *taken += usize::from(directive.starts_with(".file "));
        let mut is_number = false;
        for word in line.split_inclusive(' ') {
            match word.trim_end().parse::<usize>() {
                Ok(number) if is_number => {
                    let _ = write!(text, "{} ", before + number);
                }
                _ => text.push_str(word),
            }
            is_number = [".file ", ".loc ", "inlined_at "].contains(&word.trim_start());
        }
    }
    text
}

/// The log for a reader: every complaint with the line of PTX that it is about.
fn explain(log: &str, modules: &[&str], arch: Arch, folder: &Path) -> String {
    let log = log.replace(&format!("{}/", folder.display()), "");
    let mut text = format!("ptxas -arch={arch} refused the PTX:\n");
    for complaint in log.lines().filter(|line| !line.contains("info    :") && !line.starts_with("    ")) {
        let place = complaint.strip_prefix("ptxas module").and_then(|rest| rest.split_once(".ptx, line "));
        let source = place.and_then(|(file, rest)| {
            let number = rest.split(';').next()?.trim().parse::<usize>().ok()?;
            modules.get(file.parse::<usize>().ok()?)?.lines().nth(number.checked_sub(1)?)
        });
        text.push_str(complaint);
        text.push('\n');
        if let Some(source) = source {
            let _ = writeln!(text, "    | {}", source.trim());
        }
    }
    text
}

/// The indices in groups whose entry functions have different names, as one run of `ptxas` needs.
fn batches(modules: &[&str], indices: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut batches: Vec<(HashSet<&str>, Vec<usize>)> = Vec::new();
    for index in indices {
        let names: HashSet<&str> = entry_names(modules[index]).collect();
        let free = batches.iter_mut().find(|(used, batch)| batch.len() < BATCH && used.is_disjoint(&names));
        match free {
            Some((used, batch)) => {
                used.extend(names);
                batch.push(index);
            }
            None => batches.push((names, vec![index])),
        }
    }
    batches.into_iter().map(|(_, batch)| batch).collect()
}

/// The names of the entry functions of a PTX text.
fn entry_names(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.split(".entry").skip(1).map(|rest| {
        let rest = rest.trim_start();
        let end =
            rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_$%".contains(c))).unwrap_or(rest.len());
        &rest[..end]
    })
}

/// The architectures to assemble a PTX text for. Text without a readable `.target` goes to all: `ptxas` will complain.
fn architectures(ptx: &str) -> Vec<Arch> {
    let directive = ptx.lines().find_map(|line| line.trim_start().strip_prefix(".target"));
    let target =
        directive.and_then(|rest| rest.split([',', ' ', '\t']).find_map(|word| word.parse::<Arch>().ok()));
    match target {
        None => EVERYWHERE.to_vec(),
        Some(target) => match target.suffix() {
            Suffix::None => EVERYWHERE.into_iter().filter(|arch| arch.can_run(target)).collect(),
            Suffix::ArchSpecific | Suffix::FamilySpecific => vec![target],
        },
    }
}

impl Report {
    fn restricted_to(&self, module: &str) -> Report {
        let names: HashSet<&str> = entry_names(module).collect();
        let own = self.entries.iter().filter(|entry| names.contains(entry.name.as_str()));
        Report { entries: own.cloned().collect() }
    }
}

/// Reads the log of `ptxas -v`.
fn parse_report(log: &str) -> Report {
    let mut report = Report::default();
    // Device functions have properties of their own in the log; they are not the entry's.
    let mut in_entry = false;
    for line in log.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let name = rest.split('\'').next().unwrap_or(rest).to_owned();
            report.entries.push(EntryReport { name, ..EntryReport::default() });
        }
        let Some(entry) = report.entries.last_mut() else { continue };
        if line.contains("Potential Performance Loss") {
            entry.losses.push(line.to_owned());
        }
        if let Some((_, name)) = line.split_once("Function properties for ") {
            in_entry = name.trim() == entry.name;
        }
        in_entry |= line.contains(": Used ");
        if !in_entry {
            continue;
        }
        // `0 bytes stack frame, 4 bytes spill stores`, `Used 8 registers, used 1 barriers, 512 bytes smem`
        let fields: [(&str, &mut u32); 6] = [
            ("bytes stack frame", &mut entry.stack),
            ("bytes spill stores", &mut entry.spill_stores),
            ("bytes spill loads", &mut entry.spill_loads),
            ("registers", &mut entry.registers),
            ("barriers", &mut entry.barriers),
            ("bytes smem", &mut entry.shared),
        ];
        for (unit, field) in fields {
            let number = line.split(',').find_map(|part| part.trim_end().strip_suffix(unit));
            if let Some(value) = number.and_then(|text| text.trim_end().rsplit(' ').next()?.parse().ok()) {
                *field = value;
            }
        }
    }
    report
}

/// Assembles one PTX text for every architecture of [`EVERYWHERE`] that its `.target` allows. `None` where `ptxas` is
/// missing and may be: the test is skipped.
///
/// # Panics
///
/// If `ptxas` refuses the text: the message has its log. Also if it is missing and required.
pub fn assemble_everywhere(ptx: &str) -> Option<Vec<(Arch, Report)>> {
    assemble_all_everywhere(&[("the module", ptx)]).and_then(|mut reports| reports.pop())
}

/// [`assemble_everywhere`] for many texts, each with a name for the reader, much faster than one by one. Entry
/// functions should have different names: texts that share one cannot share a run of `ptxas`.
///
/// # Panics
///
/// As [`assemble_everywhere`], after trying all: the message has every complaint.
pub fn assemble_all_everywhere(modules: &[(&str, &str)]) -> Option<Vec<Vec<(Arch, Report)>>> {
    let ptxas = require_or_skip(Ptxas::find())?;
    let texts: Vec<&str> = modules.iter().map(|&(_, ptx)| ptx).collect();
    let mut complaints = String::new();
    let mut reports = Vec::new();
    for (&(name, _), results) in modules.iter().zip(ptxas.assemble_everywhere(&texts)) {
        let mut accepted = Vec::new();
        for (arch, result) in results {
            match result {
                Ok(report) => accepted.push((arch, report)),
                Err(log) => {
                    let _ = writeln!(complaints, "{name}: {log}");
                }
            }
        }
        reports.push(accepted);
    }
    assert!(complaints.is_empty(), "{complaints}");
    Some(reports)
}
