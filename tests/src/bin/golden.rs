//! The golden set: the PTX of every kernel of the workspace's targets and documentation, for three architectures.
//!
//! ```sh
//! cargo run -p tests --bin golden                   # compares with tests/data/golden.txt, and fails if anything differs
//! cargo run -p tests --bin golden -- --bless        # writes tests/data/golden.txt
//! cargo run -p tests --bin golden -- --against REV  # shows the differences from what the compiler of REV makes
//! ```
//!
//! `--from DIRECTORY` takes dumps that a build has left there with `KERNEL_DUMP_PTX=DIRECTORY KERNEL_DUMP_ARCHS=sm_75,sm_80,sm_90`, and
//! compiles nothing.
//!
//! The set holds a hash and the number of instructions of each text. Lines that only say where in the source an instruction comes
//! from (`.loc`, `.file`) do not count, so that a comment above a kernel changes nothing.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use clap::Parser;

/// Architectures that kernels without `arch(…)` are compiled for, beside the lowest that has what they need.
const ARCHS: &str = "sm_75,sm_80,sm_90";
/// Packages whose targets hold kernels, and those whose documentation does.
const PACKAGES: [&str; 3] = ["examples", "kernel-runtime", "tests"];
const DOCUMENTED: [&str; 3] = ["kernel-macros", "kernel-runtime", "kernel-runtime-core"];

/// Compares the PTX of every kernel with the golden set.
#[derive(Parser)]
struct Arguments {
    /// Write the golden set instead of comparing with it.
    #[arg(long, conflicts_with = "against")]
    bless: bool,
    /// Compare the texts with those of another commit's compiler and sources.
    #[arg(long, value_name = "REV")]
    against: Option<String>,
    /// Read the dumps of a build instead of compiling everything.
    #[arg(long, value_name = "DIRECTORY")]
    from: Option<PathBuf>,
}

type Texts = BTreeMap<String, String>;
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("golden: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the tests have no workspace")?;
    let scratch = root.join("target/golden");
    let new = match &arguments.from {
        Some(dumps) => texts(dumps, &scratch)?,
        None => collect(root, &scratch)?,
    };
    let recorded = root.join("tests/data/golden.txt");
    if arguments.bless {
        fs::write(&recorded, summary(&new))?;
        println!("{} texts in {}", new.len(), recorded.display());
        return Ok(ExitCode::SUCCESS);
    }
    let Some(revision) = &arguments.against else {
        return Ok(report(&parse(&fs::read_to_string(&recorded)?), &parse(&summary(&new))));
    };
    let old = scratch.join(revision.replace('/', "_"));
    let tree = old.join("tree");
    if !tree.exists() {
        let add = ["worktree", "add", "--force", "--detach"];
        command(Command::new("git").current_dir(root).args(add).arg(&tree).arg(revision))?;
    }
    collect(&tree, &old)?;
    let (old, new) = (old.join("texts"), scratch.join("texts"));
    let mut diff = Command::new("git");
    diff.args(["--no-pager", "diff", "--no-index", "--stat", "--patch"]).args([old, new]);
    Ok(if diff.status()?.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Compiles everything below `root` anew, with dumps, and reads these.
fn collect(root: &Path, scratch: &Path) -> Result<Texts, Failure> {
    let (build, dumps) = (scratch.join("build"), scratch.join("ptx"));
    if dumps.exists() {
        fs::remove_dir_all(&dumps)?;
    }
    let cargo = |arguments: &[&str], packages: &[&str]| {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(arguments);
        packages.iter().for_each(|package| {
            cargo.args(["-p", package]);
        });
        cargo.env("CARGO_TARGET_DIR", &build).env("KERNEL_DUMP_PTX", &dumps).env("KERNEL_DUMP_ARCHS", ARCHS);
        command(&mut cargo)
    };
    // Only what is compiled is dumped.
    cargo(&["clean", "--quiet"], &PACKAGES)?;
    cargo(&["check", "--quiet", "--all-targets"], &PACKAGES)?;
    cargo(&["test", "--quiet", "--doc"], &DOCUMENTED)?;
    texts(&dumps, scratch)
}

/// The texts of a directory of dumps, which are left in `texts` of `scratch` as far as they count.
fn texts(dumps: &Path, scratch: &Path) -> Result<Texts, Failure> {
    let counted = scratch.join("texts");
    if counted.exists() {
        fs::remove_dir_all(&counted)?;
    }
    let mut texts = Texts::new();
    read(dumps, dumps, &mut texts)?;
    for (name, text) in &texts {
        let path = counted.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&counted))?;
        fs::write(path, text)?;
    }
    Ok(texts)
}

fn command(command: &mut Command) -> Result<(), Failure> {
    let status = command.status()?;
    if status.success() { Ok(()) } else { Err(format!("{command:?}: {status}").into()) }
}

/// The texts below a directory by their path in it, without what only says where the source is.
fn read(root: &Path, directory: &Path, texts: &mut Texts) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory)? {
        paths.push(entry?.path());
    }
    for path in paths {
        if path.is_dir() {
            read(root, &path, texts)?;
        } else {
            let text = fs::read_to_string(&path)?;
            let counts = |line: &&str| !matches!(line.trim_start().split(' ').next(), Some(".loc" | ".file"));
            let text = text.lines().filter(counts).fold(String::new(), |text, line| text + line + "\n");
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            texts.insert(name, text);
        }
    }
    Ok(())
}

/// The golden set: a line for each text, its name, hash and number of instructions.
fn summary(texts: &Texts) -> String {
    let mut lines = String::new();
    for (name, text) in texts {
        let instructions = text.lines().filter(|line| line.trim_end().ends_with(';')).count();
        lines += &format!("{name} {:016x} {instructions}\n", hash(text.as_bytes()));
    }
    lines
}

/// FNV-1a, which is the same on every machine and with every release of Rust.
fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

fn parse(summary: &str) -> Texts {
    let rows = summary.lines().filter_map(|line| line.split_once(' '));
    rows.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
}

/// Prints the rows that differ.
fn report(old: &Texts, new: &Texts) -> ExitCode {
    let mut differences = 0;
    for (name, row) in old {
        match new.get(name) {
            Some(found) if found == row => continue,
            Some(found) => println!("changed  {name}: {row} -> {found}"),
            None => println!("gone     {name}"),
        }
        differences += 1;
    }
    for name in new.keys().filter(|name| !old.contains_key(*name)) {
        println!("new      {name}");
        differences += 1;
    }
    println!("{} texts, {differences} differ", new.len());
    if differences == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
