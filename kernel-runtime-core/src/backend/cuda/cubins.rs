//! Machine code that the driver has compiled, cached in a folder: a file for each PTX text, kind of device and version of the driver.
//!
//! Nothing that is wrong with a file or the folder stops a program: the driver then compiles again. Whoever may write into the folder
//! decides what runs on the device, as with a program's own file.

use std::ffi::{OsString, c_void};
use std::fs;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::context::Current;
use super::sys::*;
use crate::error::CudaError;
use crate::gpu::lock;

/// Names the folder where a program names none.
const VARIABLE: &str = "KERNEL_CUBIN_CACHE";

/// The folder, if there is one.
#[derive(Debug)]
pub(super) struct Cubins {
    folder: Mutex<Option<PathBuf>>,
}

/// Key of a cached file: everything that the machine code depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'a> {
    /// The driver's version of CUDA.
    pub(super) driver: (u32, u32),
    /// The device's compute capability: machine code of one runs on all devices that have it.
    pub(super) device: (u32, u32),
    /// The PTX text that is compiled.
    pub(super) ptx: &'a str,
}

impl Cubins {
    /// The folder that the environment names.
    pub(super) fn from_environment() -> Cubins {
        let named = std::env::var_os(VARIABLE).filter(|value: &OsString| !value.is_empty());
        Cubins { folder: Mutex::new(named.map(PathBuf::from)) }
    }

    /// Another folder, from here on.
    pub(super) fn keep_in(&self, folder: PathBuf) {
        *lock(&self.folder) = Some(folder);
    }

    /// The machine code: from the cache, or compiled by the driver and then cached. None without a folder, and where
    /// the driver fails, whose error loading the text itself will report. None for texts with `setmaxnreg` too, which the
    /// driver's linker does not regard: on an H100 attention spilled 1,224 bytes so, and none where the driver loads the text.
    pub(super) fn code(&self, current: &Current, key: Key) -> Option<Vec<u8>> {
        let folder = lock(&self.folder).clone()?;
        if key.ptx.contains("setmaxnreg") {
            return None;
        }
        if let Some(code) = read(&folder, key) {
            return Some(code);
        }
        let code = compile(current, key.ptx).ok()?;
        // The folder may be read-only, or full.
        let _ = write(&folder, key, &code);
        Some(code)
    }

    /// Forgets what the driver has refused.
    pub(super) fn forget(&self, key: Key) {
        if let Some(folder) = lock(&self.folder).as_deref() {
            let _ = fs::remove_file(path(folder, key));
        }
    }
}

/// The header of a file: the key, then length and hash of the machine code.
fn header(key: Key, code: &[u8]) -> String {
    let Key { driver, device, ptx } = key;
    let (text, sum) = (hash(ptx.as_bytes()), hash(code));
    format!(
        "kernel-runtime cubin 1\ndriver {}.{}\ndevice {}.{}\nptx {} {text:032x}\ncode {} {sum:032x}\n\n",
        driver.0,
        driver.1,
        device.0,
        device.1,
        ptx.len(),
        code.len()
    )
}

/// A name for each key.
fn path(folder: &Path, key: Key) -> PathBuf {
    folder.join(format!("{:032x}.cubin", hash(header(key, &[]).as_bytes())))
}

/// The code, if the file is whole and for nothing else.
fn read(folder: &Path, key: Key) -> Option<Vec<u8>> {
    let file = fs::read(path(folder, key)).ok()?;
    let end = file.windows(2).position(|pair| pair == b"\n\n")? + 2;
    let (found, code) = file.split_at(end);
    (found == header(key, code).as_bytes()).then(|| code.to_vec())
}

/// Writes the file beside its place, so that nobody reads half of it.
fn write(folder: &Path, key: Key, code: &[u8]) -> std::io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    fs::create_dir_all(folder)?;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let unfinished = folder.join(format!("{}-{number}.unfinished", std::process::id()));
    let mut file = header(key, code).into_bytes();
    file.extend_from_slice(code);
    let written = fs::write(&unfinished, file).and_then(|()| fs::rename(&unfinished, path(folder, key)));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}

/// FNV-1a with 128 bits (RFC 9923).
fn hash(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    bytes.iter().fold(BASIS, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// A link that is under way.
struct Link<'a> {
    current: &'a Current,
    state: CUlinkState,
}

impl Drop for Link<'_> {
    fn drop(&mut self) {
        // SAFETY: created once, destroyed once; nobody is there to tell of a failure.
        let _ = unsafe { self.current.driver().cuLinkDestroy(self.state) };
    }
}

/// Has the driver compile a text for the device, as if it loaded it.
fn compile(current: &Current, ptx: &str) -> Result<Vec<u8>, CudaError> {
    let driver = current.driver();
    // Profilers then show the lines that `.loc` names.
    let mut options = [CU_JIT_GENERATE_LINE_INFO];
    let mut values: [*mut c_void; 1] = [ptr::without_provenance_mut(1)];
    let mut state = ptr::null_mut();
    // SAFETY: both arrays have an element, and a context is current.
    unsafe { driver.cuLinkCreate_v2(1, options.as_mut_ptr(), values.as_mut_ptr(), &mut state) }?;
    let link = Link { current, state };
    let mut text = ptx.as_bytes().to_vec();
    text.push(0);
    // SAFETY: the text ends with NUL, which its size counts; the driver does not change it; there are no further options.
    unsafe {
        driver.cuLinkAddData_v2(
            link.state,
            CU_JIT_INPUT_PTX,
            text.as_mut_ptr().cast(),
            text.len(),
            c"kernel".as_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    }?;
    let (mut code, mut bytes) = (ptr::null_mut(), 0);
    // SAFETY: both pointers are valid.
    unsafe { driver.cuLinkComplete(link.state, &mut code, &mut bytes) }?;
    // SAFETY: the driver gives so many bytes, which are there until the link is destroyed.
    Ok(unsafe { std::slice::from_raw_parts(code.cast::<u8>(), bytes) }.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: Key = Key { driver: (13, 0), device: (9, 0), ptx: ".version 8.0\n\n" };

    #[test]
    fn what_is_written_is_read_for_the_same_key_only() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("made when it is needed");
        assert_eq!(read(&folder, KEY), None);
        // The code may look like a header's end.
        for code in [b"\n\ncode\n\n".as_slice(), b""] {
            write(&folder, KEY, code).unwrap();
            assert_eq!(read(&folder, KEY).as_deref(), Some(code));
        }
        for other in [
            Key { driver: (13, 1), ..KEY },
            Key { device: (8, 0), ..KEY },
            Key { ptx: ".version 8.0\n", ..KEY },
        ] {
            assert_ne!(path(&folder, other), path(&folder, KEY));
            // Even under the other's name.
            fs::copy(path(&folder, KEY), path(&folder, other)).unwrap();
            assert_eq!(read(&folder, other), None);
        }
        let unfinished = |entry: fs::DirEntry| entry.path().extension().is_none_or(|end| end != "cubin");
        assert!(!fs::read_dir(&folder).unwrap().flatten().any(unfinished));
    }

    #[test]
    fn files_that_are_not_whole_are_none() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), KEY, b"machine code").unwrap();
        let file = path(folder.path(), KEY);
        let whole = fs::read(&file).unwrap();
        for end in 0..whole.len() {
            fs::write(&file, &whole[..end]).unwrap();
            assert_eq!(read(folder.path(), KEY), None, "{end} bytes");
            let mut changed = whole.clone();
            changed[end] ^= 1;
            fs::write(&file, changed).unwrap();
            assert_eq!(read(folder.path(), KEY), None, "byte {end} changed");
        }
        fs::write(&file, whole).unwrap();
        assert_eq!(read(folder.path(), KEY).as_deref(), Some(b"machine code".as_slice()));
    }

    #[test]
    fn a_folder_that_cannot_be_is_an_error_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a file");
        fs::write(&file, "").unwrap();
        assert!(write(&file, KEY, b"code").is_err());
        assert_eq!(read(&file, KEY), None);
    }

    #[test]
    fn hashes_are_those_of_the_definition() {
        // Of the reference implementation (http://www.isthe.com/chongo/tech/comp/fnv).
        assert_eq!(hash(b""), 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d);
        assert_eq!(hash(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
