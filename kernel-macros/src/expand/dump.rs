//! Dumps of the PTX of every kernel, as files: `KERNEL_DUMP_PTX=target/ptx cargo build`.
//!
//! A file holds one variant of one instance: `DIRECTORY/CRATE/FILE/KERNEL.ARGUMENTS.TARGET.ptx`. Kernels of one name in one file
//! are numbered in their order, so that the same source always gives the same names. With `KERNEL_DUMP_ARCHS=sm_75,sm_90`
//! kernels without `arch(…)` are also compiled, for the dump alone, for each architecture of the list that has what they need.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::{env, fs, io};

use ptx::target::Arch;

use super::instances::Compiled;
use crate::diagnostics::Diagnostics;
use crate::lower::lower;

/// The directory that dumps are written to; relative ones start where rustc runs, at the root of the workspace.
const DIRECTORY: &str = "KERNEL_DUMP_PTX";
/// Architectures beside those that kernels name, separated by commas.
const ARCHS: &str = "KERNEL_DUMP_ARCHS";

/// The number of dumps that have each name. One process of rustc expands one crate, in the order of its source.
static NAMES: Mutex<Option<HashMap<PathBuf, u32>>> = Mutex::new(None);

/// Writes the variants of an instance where the environment asks for it.
pub fn dump(compiled: &Compiled, diagnostics: &mut Diagnostics) {
    let Some(directory) = env::var_os(DIRECTORY).filter(|directory| !directory.is_empty()) else { return };
    let written = texts(compiled).and_then(|texts| {
        let stem = stem(compiled);
        let write = |(target, text): (Arch, String)| {
            let path = Path::new(&directory).join(&stem);
            write(&path, target, &text).map_err(|error| {
                format!(
                    "expected a directory that can be written to in the environment variable `{DIRECTORY}`, found `{}`: {error}",
                    directory.display()
                )
            })
        };
        texts.into_iter().try_for_each(write)
    });
    if let Err(message) = written {
        diagnostics.error(&compiled.kernel.name, message);
    }
}

/// The PTX for each target: the kernel's own variants, then those that the environment adds.
fn texts(compiled: &Compiled) -> Result<Vec<(Arch, String)>, String> {
    let own = compiled.variants.iter().map(|variant| (variant.target, variant.ptx.clone()));
    let mut texts: Vec<(Arch, String)> = own.collect();
    // A kernel with `arch(…)` says itself what it is compiled for.
    if compiled.kernel.attrs.archs.is_empty() {
        for arch in added_archs()? {
            let known = texts.iter().any(|&(target, _)| target == arch);
            if known || !compiled.variants.iter().any(|variant| arch.provides(variant.target)) {
                continue;
            }
            if let Ok(other) = ptx_gen::compile(&lower(&compiled.kernel, Some(arch)).module, Some(arch)) {
                texts.push((arch, other.ptx));
            }
        }
    }
    Ok(texts)
}

fn added_archs() -> Result<Vec<Arch>, String> {
    let list = env::var(ARCHS).unwrap_or_default();
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    let arch = |name: &str| {
        name.parse().map_err(|_| {
            format!("expected architectures as in `sm_75,sm_90` in the environment variable `{ARCHS}`, found `{name}`")
        })
    };
    names.map(arch).collect()
}

/// `CRATE/FILE/KERNEL.ARGUMENTS`, without the target and the extension.
fn stem(compiled: &Compiled) -> PathBuf {
    let kernel = &compiled.kernel;
    let crate_name = env::var("CARGO_CRATE_NAME").unwrap_or_else(|_| "crate".to_owned());
    let file = kernel.name.span().file();
    // Directories above differ between machines: those of generated files are hashes.
    let mut parts: Vec<_> =
        Path::new(&file).components().rev().take(2).map(|part| part.as_os_str()).collect();
    parts.reverse();
    let file = parts.join("-".as_ref());
    let arguments = compiled.arguments_text();
    let dot = if arguments.is_empty() { "" } else { "." };
    let name = format!("{}{dot}{arguments}", kernel.name);
    [crate_name, file.to_string_lossy().into_owned(), name].iter().map(|part| plain(part)).collect()
}

/// A name that every file system takes.
fn plain(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn write(stem: &Path, target: Arch, text: &str) -> io::Result<()> {
    let mut path = stem.as_os_str().to_owned();
    path.push(format!(".{target}"));
    let number = {
        let mut names = NAMES.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let number = names.get_or_insert_default().entry(PathBuf::from(&path)).or_default();
        *number += 1;
        *number
    };
    if number > 1 {
        path.push(format!(".{number}"));
    }
    path.push(".ptx");
    let path = PathBuf::from(path);
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    fs::write(path, text)
}
