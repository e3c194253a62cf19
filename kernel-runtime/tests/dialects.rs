//! PTX in the dialects of others: what the simulator makes of it, and what it refuses. `ptxas` reads the same texts in `tests`.
//!
//! `UPDATE_EXPECT=1` writes what it finds into the files.

#[path = "dialects/cases.rs"]
mod cases;

use std::fmt::Write as _;

use cases::{Case, FILES, OUTCOME, REFUSED};
use kernel_runtime::prelude::*;

/// Words of the buffer; each starts as 256 times its index, plus 7.
const WORDS: u32 = 64;

fn initial(index: u32) -> u32 {
    256 * index + 7
}

/// The words that a text changes, as `index:value`, or why it is refused.
fn outcome(case: &Case) -> String {
    let gpu = Gpu::simulator(Arch::Sm90);
    let module = match gpu.load_ptx(&case.module()) {
        Ok(module) => module,
        Err(error) => {
            let message = error.to_string();
            let reason = message.split_once(": ").map_or(message.as_str(), |(_, reason)| reason);
            return format!("{REFUSED}{}", reason.lines().next().unwrap_or_default());
        }
    };
    let mut out = gpu.upload(&(0..WORDS).map(initial).collect::<Vec<_>>()).unwrap();
    let name = module.functions().next().unwrap_or_else(|| panic!("{}: no kernel", case.name));
    let kernel = module.function(name).unwrap_or_else(|error| panic!("{}: {error}", case.name));
    // SAFETY: the kernels of the files write the first 64 words of their only parameter at most.
    let ran = unsafe { kernel.launch().arg(&mut out).grid(1).block(32).sanitize(false).run() };
    ran.unwrap_or_else(|error| panic!("{}: {error}", case.name));
    let words = out.to_vec().unwrap();
    let changed = (0..WORDS).zip(words).filter(|&(index, word)| word != initial(index));
    changed.map(|(index, word)| format!("{index}:{word}")).collect::<Vec<_>>().join(" ")
}

fn check(file: &str) {
    let cases = cases::cases(file);
    let found: Vec<String> = cases.iter().map(outcome).collect();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let path = cases::directory().join(format!("{file}.ptx"));
        let before = std::fs::read_to_string(&path).unwrap();
        let mut text = before.split("//// ").next().unwrap_or_default().to_owned();
        for (Case { name, source, .. }, found) in cases.iter().zip(&found) {
            write!(text, "//// {name}\n{source}{OUTCOME}{found}\n").unwrap();
        }
        std::fs::write(path, text).unwrap();
        return;
    }
    let differs = |(case, found): &(&Case, &String)| case.outcome != **found;
    let wrong: Vec<String> = cases
        .iter()
        .zip(&found)
        .filter(differs)
        .map(|(case, found)| format!("{}: expected {}, found {found}", case.name, case.outcome))
        .collect();
    assert!(wrong.is_empty(), "{file}:\n{}", wrong.join("\n"));
    assert!(file != "refused" || cases.iter().all(Case::is_refused), "a text of {file} is taken");
}

macro_rules! files {
    ($($name:ident)*) => {
        $(#[test] fn $name() { check(stringify!($name)); })*

        #[test]
        fn every_file_is_tested() {
            assert_eq!(FILES, [$(stringify!($name)),*]);
        }
    };
}

files! { vectors operands scopes collectives refused video }
