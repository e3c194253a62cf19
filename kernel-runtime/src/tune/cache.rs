//! The cache file: JSON, an entry for each kernel, device and size class.
//!
//! It may be shared: what other programs have written in it stays. A file that is no cache file is never overwritten.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use serde::{Deserialize, Serialize};

use super::report::Cost;
use crate::error::{Error, Result};

/// What the file says that it is.
const FORMAT: &str = "kernel-runtime tuning";
/// Changes when entries do in a way that older programs would misread.
const VERSION: u64 = 1;

/// What an entry is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    /// Its path in Rust.
    pub(super) kernel: String,
    /// Name, architecture and size.
    pub(super) device: String,
    /// `over 2^20`
    pub(super) size: String,
}

/// What was measured and chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    #[serde(flatten)]
    pub(super) key: Key,
    /// Changes with the kernel.
    pub(super) fingerprint: String,
    /// The simulator's estimates.
    pub(super) estimated: bool,
    /// The instance to run: `UNROLL = 4, block = 128`.
    pub(super) chosen: String,
    /// All that could be chosen from.
    pub(super) instances: Vec<Line>,
}

/// An instance and its cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(super) instance: String,
    #[serde(flatten)]
    pub(super) cost: Cost,
}

#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    version: u64,
    entries: Vec<&'a Entry>,
}

/// The entries of a file; of one that is not there, none.
pub(super) fn read(path: &Path) -> Result<Vec<Entry>> {
    match fs::read_to_string(path) {
        Ok(text) => parse(&text).map_err(|reason| unusable(path, &reason)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(unusable(path, &format!("it cannot be read: {error}"))),
    }
}

fn unusable(path: &Path, reason: &str) -> Error {
    Error::TuningCache { path: path.display().to_string(), reason: reason.to_owned() }
}

/// The entries in a file's text; an error is what is wrong with it.
pub(crate) fn parse(text: &str) -> std::result::Result<Vec<Entry>, String> {
    let json: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| format!("expected JSON as this library writes it, found something else: {error}"))?;
    let format = json.get("format").and_then(serde_json::Value::as_str);
    if format != Some(FORMAT) {
        let found = format.map_or("none".to_owned(), |format| format!("\"{format}\""));
        return Err(format!(
            "expected the format \"{FORMAT}\", found {found}: it is a file of something else"
        ));
    }
    let version = json.get("version").and_then(serde_json::Value::as_u64);
    if version != Some(VERSION) {
        let found = version.map_or("none".to_owned(), |version| version.to_string());
        return Err(format!("expected version {VERSION} of the format, found {found}"));
    }
    let entries = json.get("entries").cloned().unwrap_or_default();
    serde_json::from_value(entries).map_err(|error| format!("one of its entries is not whole: {error}"))
}

/// Puts entries into a file beside those of others that are in it. Readers see the old file or the new one, never a part.
pub(super) fn write(path: &Path, new: &[Entry]) -> Result<()> {
    let there = read(path)?;
    let entries: BTreeMap<&Key, &Entry> = there.iter().chain(new).map(|entry| (&entry.key, entry)).collect();
    let document = Document { format: FORMAT, version: VERSION, entries: entries.into_values().collect() };
    let mut text = serde_json::to_string_pretty(&document)
        .map_err(|error| Error::Internal { what: format!("tunings cannot be written as JSON: {error}") })?;
    text.push('\n');
    replace(path, &text).map_err(|error| unusable(path, &format!("it cannot be written: {error}")))
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let temporary = beside(path);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // It may not be there; there is nobody to tell.
        let _ = fs::remove_file(&temporary);
    }
    replaced
}

/// A name in the same folder that nobody else takes.
fn beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.{}.{number}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn entry(kernel: &str, chosen: &str) -> Entry {
        Entry {
            key: Key {
                kernel: kernel.to_owned(),
                device: "NVIDIA H200, sm_90, 132 SMs".to_owned(),
                size: "over 2^20".to_owned(),
            },
            fingerprint: "0123456789abcdef".to_owned(),
            estimated: false,
            chosen: chosen.to_owned(),
            instances: vec![
                Line { instance: "N = 1".to_owned(), cost: Cost::Nanoseconds(1234.5) },
                Line { instance: "N = 4".to_owned(), cost: Cost::Skipped("too large".to_owned()) },
            ],
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tunings.json");
        assert_eq!(read(&path).unwrap(), []);
        write(&path, &[entry("b::k", "N = 1")]).unwrap();
        expect![[r#"
            {
              "format": "kernel-runtime tuning",
              "version": 1,
              "entries": [
                {
                  "kernel": "b::k",
                  "device": "NVIDIA H200, sm_90, 132 SMs",
                  "size": "over 2^20",
                  "fingerprint": "0123456789abcdef",
                  "estimated": false,
                  "chosen": "N = 1",
                  "instances": [
                    {
                      "instance": "N = 1",
                      "nanoseconds": 1234.5
                    },
                    {
                      "instance": "N = 4",
                      "skipped": "too large"
                    }
                  ]
                }
              ]
            }
        "#]]
        .assert_eq(&fs::read_to_string(&path).unwrap());
        // Another program's entry stays, one of the same kernel, device and size is replaced.
        write(&path, &[entry("a::k", "N = 1"), entry("b::k", "N = 4")]).unwrap();
        assert_eq!(read(&path).unwrap(), [entry("a::k", "N = 1"), entry("b::k", "N = 4")]);
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "no temporary file is left");
    }

    fn refused(text: &str, expected: Expect) {
        expected.assert_eq(&parse(text).unwrap_err());
    }

    #[test]
    fn files_of_others_are_refused_and_left_alone() {
        refused(
            "not json",
            expect![
                "expected JSON as this library writes it, found something else: expected ident at line 1 column 2"
            ],
        );
        refused(
            "{\"format\": \"kernel-runtime tuning\", \"version\": 1, \"entries\": [{\"kernel\"",
            expect![
                "expected JSON as this library writes it, found something else: EOF while parsing an object at line 1 column 71"
            ],
        );
        refused(
            "{\"name\": \"package.json\"}",
            expect![[
                r#"expected the format "kernel-runtime tuning", found none: it is a file of something else"#
            ]],
        );
        refused(
            "{\"format\": \"kernel-runtime tuning\", \"version\": 2}",
            expect!["expected version 1 of the format, found 2"],
        );
        refused(
            "{\"format\": \"kernel-runtime tuning\", \"version\": 1, \"entries\": [{\"kernel\": \"k\"}]}",
            expect!["one of its entries is not whole: missing field `fingerprint`"],
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("package.json");
        fs::write(&path, "{}").unwrap();
        let error = write(&path, &[entry("a::k", "N = 1")]).unwrap_err();
        assert!(matches!(error, Error::TuningCache { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    }
}
