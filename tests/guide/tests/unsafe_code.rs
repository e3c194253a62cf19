//! The list of all `unsafe` code in safety.md: every file that has some is there, no other, and as much as it says.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files with Rust below a folder, without those of tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap();
        match path.is_dir() {
            true if name != "tests" => files(&path, found),
            false if name.ends_with(".rs") && !["tests.rs", "stress.rs"].contains(&&*name) => {
                found.push(path)
            }
            _ => {}
        }
    }
}

/// `unsafe` in a file, outside of comments and tests: blocks, impls, functions and traits.
fn count(text: &str) -> [usize; 3] {
    let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let mut counts = [0; 3];
    for pair in words.windows(2) {
        // `|x| unsafe {`, `(unsafe { … })`
        if pair[0].trim_start_matches(|c: char| !c.is_alphanumeric()) == "unsafe" {
            match pair[1] {
                "impl" => counts[1] += 1,
                "fn" | "trait" | "extern" => counts[2] += 1,
                _ => counts[0] += 1,
            }
        }
    }
    counts
}

/// Returns true if a name of the page, `cpu/run/*.rs` say, stands for the file.
fn stands_for(name: &str, file: &str) -> bool {
    match name.split_once('*') {
        None => name == file,
        Some((before, after)) => file
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .is_some_and(|rest| !rest.contains('/')),
    }
}

#[test]
fn all_unsafe_code_is_listed() {
    let page = read(&root().join("docs/src/safety.md"));
    let (_, list) = page.split_once("\n## All `unsafe` code").expect("the list of unsafe code");
    let names: BTreeSet<&str> = list.split('`').filter(|word| word.ends_with(".rs")).collect();
    let (mut all, mut files_with) = ([0; 3], Vec::new());
    for (folder, prefix) in [("kernel-runtime-core/src", ""), ("ptx-sim/src", "ptx-sim/src/")] {
        let (folder, mut found) = (root().join(folder), Vec::new());
        files(&folder, &mut found);
        for file in found {
            let counts = count(&read(&file));
            if counts != [0; 3] {
                files_with.push(format!("{prefix}{}", file.strip_prefix(&folder).unwrap().display()));
                all = std::array::from_fn(|kind| all[kind] + counts[kind]);
            }
        }
    }
    let missing: Vec<_> =
        files_with.iter().filter(|file| !names.iter().any(|name| stands_for(name, file))).collect();
    assert!(missing.is_empty(), "not in the list: {missing:?}");
    let extra: Vec<_> =
        names.iter().filter(|name| !files_with.iter().any(|file| stands_for(name, file))).collect();
    assert!(extra.is_empty(), "in the list, without `unsafe`: {extra:?}");
    let [blocks, impls, functions] = all;
    let sentence = format!("{blocks} blocks, {impls} impls, {functions} functions and traits");
    assert!(list.contains(&sentence), "expected in the list: {sentence}");
}
