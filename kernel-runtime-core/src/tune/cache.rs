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

/// Name of the format, in the file's header.
const FORMAT: &str = "kernel-runtime tuning";
/// Changes when entries do in a way that older programs would misread.
const VERSION: u64 = 1;

/// Key of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Key {
    /// Its path in Rust.
    pub(super) kernel: String,
    /// Name, architecture and size.
    pub(super) device: String,
    /// `over 2^20`
    pub(super) size: String,
}

/// Measurements and choice.
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

/// Puts entries into a file beside those of others that are in it. Readers see the old file or the new one, never a part; who writes meanwhile, in
/// this process or another, waits and adds to it.
pub(super) fn write(path: &Path, new: &[Entry]) -> Result<()> {
    let path = &behind_links(path);
    let _alone = Lock::take(path).map_err(|error| unwritable(path, &error))?;
    let there = read(path)?;
    let entries: BTreeMap<&Key, &Entry> = there.iter().chain(new).map(|entry| (&entry.key, entry)).collect();
    let document = Document { format: FORMAT, version: VERSION, entries: entries.into_values().collect() };
    let mut text = serde_json::to_string_pretty(&document)
        .map_err(|error| Error::Internal { what: format!("tunings cannot be written as JSON: {error}") })?;
    text.push('\n');
    replace(path, &text).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    unusable(path, &format!("it cannot be written: {error}"))
}

/// Links in a row after which the system gives up as well.
const MOST_LINKS: usize = 40;

/// The file that a path leads to, which need not be there: links to it stay what they are when it is replaced.
fn behind_links(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&path) else { break };
        // A relative one starts in the folder of the link.
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    path
}

/// The right to change a file, held by one at a time until it is dropped: a lock of the system's on a file beside it, for the file itself is
/// replaced. The system takes it back from a process that ends.
struct Lock {
    /// Locked.
    _file: fs::File,
    /// Its path.
    path: PathBuf,
}

impl Lock {
    /// Waits for whoever holds it.
    fn take(path: &Path) -> io::Result<Lock> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let path = path.with_file_name(format!(".{name}.lock"));
        loop {
            let file = fs::OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            match file.lock() {
                Ok(()) => {}
                // Of a file system without locks: then nobody is kept apart.
                Err(error) if error.kind() == io::ErrorKind::Unsupported => {}
                Err(error) => return Err(error),
            }
            // The file may be one that its holder before has removed: others may hold the one that has come in its place.
            if is_at(&file, &path)? {
                return Ok(Lock { _file: file, path });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is locked, so that everyone who waits for it sees that it is gone. What stays is empty and does no harm.
        if CAN_REMOVE {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Lock files are removed where it can be seen that one was.
const CAN_REMOVE: bool = cfg!(unix);

/// Returns true if an open file is the one that a path leads to.
#[cfg(unix)]
fn is_at(file: &fs::File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Nobody removes it.
#[cfg(not(unix))]
fn is_at(_: &fs::File, _: &Path) -> io::Result<bool> {
    Ok(true)
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let temporary = beside(path);
    let written = fs::File::create(&temporary).and_then(|mut file| {
        if let Ok(there) = fs::metadata(path) {
            file.set_permissions(there.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()
    });
    let replaced = written.and_then(|()| fs::rename(&temporary, path));
    if replaced.is_err() {
        // It may not exist; there is nobody to report to.
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

    /// The environment of [`case_writes`].
    const FILE: &str = "TUNING_FILE_OF_CASE";
    const NUMBER: &str = "TUNING_NUMBER_OF_CASE";
    const EACH: usize = 20;

    #[test]
    #[ignore = "a case that a test runs in several processes at once"]
    fn case_writes() {
        let (Ok(path), Ok(number)) = (std::env::var(FILE), std::env::var(NUMBER)) else { return };
        for index in 0..EACH {
            write(Path::new(&path), &[entry(&format!("k{number}_{index}"), "N = 1")]).unwrap();
        }
    }

    #[test]
    fn processes_and_threads_write_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tunings.json");
        let start = |number: usize| {
            let mut case = std::process::Command::new(std::env::current_exe().unwrap());
            case.args(["--exact", "tune::cache::tests::case_writes", "--ignored"]);
            case.env(FILE, &path).env(NUMBER, number.to_string()).stdout(std::process::Stdio::null()).spawn()
        };
        let processes: Vec<_> = (0..8).map(|number| start(number).unwrap()).collect();
        std::thread::scope(|scope| {
            for number in 8..10 {
                let path = &path;
                scope.spawn(move || {
                    for index in 0..EACH {
                        write(path, &[entry(&format!("k{number}_{index}"), "N = 1")]).unwrap();
                    }
                });
            }
        });
        processes.into_iter().for_each(|mut process| assert!(process.wait().unwrap().success()));
        assert_eq!(read(&path).unwrap().len(), 10 * EACH);
        let files = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(files, 1, "neither a temporary file nor a lock is left");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        let (file, link) = (elsewhere.path().join("real.json"), folder.path().join("tunings.json"));
        // One after the other, the second by a relative path; the file is not there yet.
        symlink(&file, folder.path().join("between.json")).unwrap();
        symlink("between.json", &link).unwrap();
        write(&link, &[entry("a::k", "N = 1")]).unwrap();
        write(&link, &[entry("b::k", "N = 1")]).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(read(&file).unwrap(), [entry("a::k", "N = 1"), entry("b::k", "N = 1")]);
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        // One that leads to itself is an error, not an endless search.
        let circle = folder.path().join("circle.json");
        symlink(&circle, &circle).unwrap();
        assert!(matches!(write(&circle, &[entry("a::k", "N = 1")]), Err(Error::TuningCache { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_as_they_are() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tunings.json");
        write(&path, &[entry("a::k", "N = 1")]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        write(&path, &[entry("b::k", "N = 1")]).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
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
