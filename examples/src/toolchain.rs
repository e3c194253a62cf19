//! NVIDIA's tools that programs show and tests compare against: where they are, and what to do where they are not.
//!
//! Nothing of them is needed to use the project. A test that wants one asks [`require_or_skip`]: it is skipped with
//! one clear line where the tool is missing, and fails there when `REQUIRE_CUDA_TOOLS=1` is set, as `.ci/run` does.

mod ptxas;
mod sass;

pub use ptxas::{EVERYWHERE, EntryReport, Ptxas, Report, assemble_all_everywhere, assemble_everywhere};
pub use sass::{Instruction, Sass, parse as parse_listing};

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A program or file of a toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// The PTX assembler.
    Ptxas,
    /// The CUDA C++ compiler.
    Nvcc,
    /// The disassembler.
    Nvdisasm,
    /// The official occupancy arithmetic, a C header.
    OccupancyHeader,
    /// The sanitizer of kernels on a GPU.
    ComputeSanitizer,
    /// The profiler of kernels on a GPU, Nsight Compute.
    Ncu,
    /// A C compiler.
    Cc,
}

/// One row of the table of tools.
struct Row {
    /// The environment variable that overrides the search.
    variable: &'static str,
    /// The path below the root of a CUDA toolkit, or the program's bare name.
    path: &'static str,
    /// Instructions for getting it.
    how: &'static str,
}

const CUDA_TOOLS: &str = "run .ci/cuda-tools, which installs it from PyPI into .venv";

const CUDA_TOOLKIT: &str = "install the CUDA toolkit";

impl Tool {
    const fn row(self) -> Row {
        let (variable, path, how) = match self {
            Tool::Ptxas => ("PTXAS", "bin/ptxas", CUDA_TOOLS),
            Tool::Nvcc => ("NVCC", "bin/nvcc", CUDA_TOOLS),
            Tool::Nvdisasm => ("NVDISASM", "bin/nvdisasm", CUDA_TOOLS),
            Tool::OccupancyHeader => ("CUDA_OCCUPANCY_HEADER", "include/cuda_occupancy.h", CUDA_TOOLS),
            Tool::ComputeSanitizer => ("COMPUTE_SANITIZER", "bin/compute-sanitizer", CUDA_TOOLKIT),
            Tool::Ncu => ("NCU", "bin/ncu", CUDA_TOOLKIT),
            Tool::Cc => ("CC", "gcc", "install gcc with the system's package manager"),
        };
        Row { variable, path, how }
    }

    /// Looks for it: the environment variable, then the repository's `.venv`, then the toolkits and programs on
    /// `PATH`. A variable that is set decides, even when it names nothing.
    pub fn find(self) -> Result<PathBuf, MissingTool> {
        let Row { variable, path, how } = self.row();
        if let Some(named) = env::var_os(variable).filter(|value| !value.is_empty()) {
            // `CC=gcc` names a program on PATH, `PTXAS=/opt/cuda/bin/ptxas` a file.
            let places = [PathBuf::from(&named)].into_iter().chain(search_path().map(|dir| dir.join(&named)));
            return first_file(places).ok_or_else(|| MissingTool {
                what: format!("{} (the environment variable {variable} says so)", named.display()),
                how: format!("correct or unset {variable}"),
            });
        }
        let roots = wheel_roots().into_iter();
        let roots = roots.chain(search_path().filter_map(|dir| dir.parent().map(Path::to_owned)));
        let in_toolkits = roots.map(|root| root.join(path));
        let on_path = search_path().map(|dir| dir.join(path.rsplit('/').next().unwrap_or(path)));
        first_file(in_toolkits.chain(on_path)).ok_or_else(|| MissingTool {
            what: path.to_owned(),
            how: format!("{how}, or set {variable} to its path"),
        })
    }
}

/// The root of the repository.
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Roots of toolkits in the wheels: `.venv/lib/python3.*/site-packages/nvidia/cu13`.
fn wheel_roots() -> Vec<PathBuf> {
    let pythons = fs::read_dir(repository().join(".venv/lib")).into_iter().flatten().flatten();
    pythons.map(|python| python.path().join("site-packages/nvidia/cu13")).collect()
}

/// The folders of `PATH`.
pub(crate) fn search_path() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

fn first_file(mut places: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    places.find(|place| place.is_file())
}

/// A tool was not found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} is missing: {how}")]
pub struct MissingTool {
    what: String,
    how: String,
}

/// The tool, or `None` after saying that the test is skipped and why.
///
/// # Panics
///
/// If the tool is missing and `REQUIRE_CUDA_TOOLS=1` is set.
pub fn require_or_skip<T>(found: Result<T, MissingTool>) -> Option<T> {
    match found {
        Ok(tool) => Some(tool),
        Err(missing) if env::var("REQUIRE_CUDA_TOOLS").is_ok_and(|value| value == "1") => {
            panic!("{missing}\nREQUIRE_CUDA_TOOLS=1 forbids skipping this test")
        }
        Err(missing) => {
            let thread = std::thread::current();
            let test = thread.name().unwrap_or("a test");
            // Not `eprintln!`, which the test harness keeps to itself when a test passes.
            let _ = writeln!(std::io::stderr(), "skipped {test}: {missing}");
            None
        }
    }
}
