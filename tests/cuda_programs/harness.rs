//! The texts, the devices that they run on, and numbers to give them.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, PoisonError};

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, PtxFunction, PtxLaunch, PtxModule};
use tests::toolchain::Tool;

/// A source: its name, the architecture of the text that is kept, that text, and the older ones that it is compiled for.
pub struct Source {
    pub name: &'static str,
    pub arch: Arch,
    pub text: &'static [u8],
    pub older: &'static [Arch],
}

macro_rules! sources {
    ($($name:literal for $arch:ident, also $older:expr;)*) => {
        pub const SOURCES: &[Source] = &[$(Source {
            name: $name,
            arch: Arch::$arch,
            text: include_bytes!(concat!("ptx/", $name, ".ptx.gz")),
            older: $older,
        }),*];
    };
}

sources! {
    "algorithms" for Sm90, also &[Arch::Sm75, Arch::Sm86];
    "copies" for Sm90a, also &[];
    "cub" for Sm90, also &[Arch::Sm75, Arch::Sm80];
    "numbers" for Sm90, also &[Arch::Sm80, Arch::Sm89];
    "tensor" for Sm90a, also &[];
    "threads" for Sm90, also &[Arch::Sm75, Arch::Sm80];
}

/// The directory of the sources.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda_programs")
}

impl Source {
    /// The text that is kept.
    pub fn kept(&self) -> String {
        let mut text = String::new();
        let read = flate2::read::GzDecoder::new(self.text).read_to_string(&mut text);
        read.unwrap_or_else(|error| panic!("{}: {error}", self.name));
        text
    }

    /// The PTX that nvcc makes of it, where there is nvcc.
    pub fn compile(&self, arch: Arch) -> Option<String> {
        let nvcc = Tool::Nvcc.find().ok()?;
        let output = tempfile::NamedTempFile::new().unwrap();
        let run = Command::new(nvcc)
            .current_dir(directory())
            .args(["-std=c++17", "-ptx", &format!("-arch={arch}"), &format!("{}.cu", self.name), "-o"])
            .arg(output.path())
            .output()
            .unwrap();
        assert!(run.status.success(), "{}: {}", self.name, String::from_utf8_lossy(&run.stderr));
        Some(self.without_path(std::fs::read_to_string(output.path()).unwrap()))
    }

    /// `made`, with zeros for the hash of the source's path that nvcc puts into names of internal linkage
    /// (`_INTERNAL_99d1f709_6_cub_cu_f5a7610e`).
    fn without_path(&self, made: String) -> String {
        let file = format!("{}_cu", self.name);
        let unit = format!("_{}_{file}_", file.len());
        let Some(at) = made.find(&unit) else { return made };
        let is_hash = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let before = made.get(at - 8..at).filter(is_hash).expect("eight digits before the file's name");
        // A function that others see gives its name in the place of the second one.
        let after = made.get(at + unit.len()..at + unit.len() + 8).filter(is_hash).unwrap_or_default();
        let zeros = |hash: &str| "0".repeat(hash.len());
        made.replace(&format!("{before}{unit}{after}"), &format!("{}{unit}{}", zeros(before), zeros(after)))
    }
}

/// A text on a device.
#[derive(Clone)]
pub struct Device {
    module: PtxModule,
}

impl Device {
    /// Returns true if it runs the text that is kept, not one for an older architecture.
    pub fn is_newest(&self) -> bool {
        self.module.gpu().arch() >= Arch::Sm90
    }

    pub fn upload<T: Element>(&self, data: &[T]) -> DeviceBuffer<T> {
        self.module.gpu().upload(data).unwrap()
    }

    pub fn zeros<T: Element>(&self, len: usize) -> DeviceBuffer<T> {
        self.module.gpu().zeros(len).unwrap()
    }

    /// The kernel whose name this is, or contains this.
    fn function(&self, kernel: &str) -> PtxFunction {
        let mut names = self.module.functions();
        let name = names.find(|name| *name == kernel || (name.starts_with("_Z") && name.contains(kernel)));
        self.module.function(name.unwrap_or(kernel)).unwrap()
    }

    pub fn launch<'data>(&self, kernel: &str) -> PtxLaunch<'data> {
        self.function(kernel).launch()
    }

    /// The threads of the largest block that a kernel runs with: those that its `__launch_bounds__` say.
    pub fn max_threads(&self, kernel: &str) -> u32 {
        self.function(kernel).attributes().max_threads
    }
}

/// Runs a launch, in which nothing may be wrong.
pub fn run(launch: PtxLaunch<'_>) -> LaunchReport {
    // SAFETY: the programs stay inside the buffers that their tests give them.
    unsafe { launch.run() }.unwrap_or_else(|error| panic!("{error}"))
}

/// Devices that run a source: the simulator with the text that is kept, a GPU that runs it, and simulators of older
/// architectures with what nvcc makes for them now.
pub fn devices(source: &str) -> Vec<Device> {
    static KNOWN: LazyLock<Mutex<HashMap<&'static str, Vec<Device>>>> = LazyLock::new(Mutex::default);
    let source = SOURCES.iter().find(|known| known.name == source).unwrap();
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(source.name).or_insert_with(|| all_devices(source)).clone()
}

fn all_devices(source: &Source) -> Vec<Device> {
    let load = |gpu: &Gpu, text: &str| {
        let module = gpu.load_ptx(text).unwrap_or_else(|error| panic!("{} on {gpu}: {error}", source.name));
        Device { module }
    };
    let text = source.kept();
    let mut all = vec![load(&Gpu::simulator(source.arch), &text)];
    match Gpu::cuda(0) {
        Ok(gpu) if gpu.arch().can_run(source.arch) => all.push(load(&gpu, &text)),
        Ok(_) => {}
        Err(error) => {
            let required = std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1");
            assert!(!required, "{error}");
        }
    }
    for &arch in source.older {
        if let Some(text) = source.compile(arch) {
            all.push(load(&Gpu::simulator(arch), &text));
        }
    }
    all
}

/// Numbers that look random.
pub fn random(count: usize) -> Vec<u64> {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let step = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    std::iter::repeat_with(step).take(count).collect()
}

/// Compares within so many parts of the value, or of one if that is more.
#[track_caller]
pub fn close(what: &str, found: f64, expected: f64, bound: f64) {
    let same = found == expected || (found.is_nan() && expected.is_nan());
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(same || error <= bound, "{what}: {found} instead of {expected}");
}
