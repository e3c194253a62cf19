//! Known best instances of a device's tuned kernels: in memory, and in a file where one is named.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use super::cache::{Entry, Key, Line, parse, read, write};
use super::measure::{Measured, measure};
use super::report::{Cost, Tuning, TuningRow};
use super::{Candidate, Tuned};
use crate::attributes::DeviceAttributes;
use crate::error::{Error, Result};
use crate::gpu::{Gpu, lock};
use crate::kernel::Kernel;
use crate::launch::{Args, Shape};

/// Names the cache file where a program names none.
const VARIABLE: &str = "KERNEL_TUNING_CACHE";

/// The choices for one device.
#[derive(Default)]
pub(crate) struct Store {
    state: Mutex<State>,
    /// Held while instances are timed, so that two threads don't disturb each other, or do the same twice.
    measuring: Mutex<()>,
}

#[derive(Default)]
struct State {
    /// By the address of the kernel's data, which lives as long as the program.
    tunings: HashMap<(usize, SizeClass), Arc<Tuning>>,
    /// Entries of cache files, and those measured here.
    entries: BTreeMap<Key, Entry>,
    file: File,
}

/// The file that choices are kept in.
#[derive(Default)]
enum File {
    /// The environment has not been asked.
    #[default]
    Unknown,
    None,
    At(PathBuf),
}

/// Launches for which one choice is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct SizeClass {
    /// `over` or `grid`.
    what: &'static str,
    /// The power of two below the size.
    exponent: u32,
    /// The parameters that the launch fixes.
    block: Option<[u32; 3]>,
    shared: u32,
    /// The name of the only instance that the launch allows.
    only: Option<&'static str>,
}

impl SizeClass {
    fn of(shape: &Shape, only: Option<&'static Kernel>) -> SizeClass {
        let grid = || shape.grid.map_or(0, |grid| grid.into_iter().map(u64::from).product());
        let (what, size) = match (shape.over, shape.over_each) {
            (Some(n), _) => ("over", n as u64),
            (None, Some(extents)) => {
                ("over", extents.iter().fold(1, |all: u64, &n| all.saturating_mul(n as u64)))
            }
            (None, None) => ("grid", grid()),
        };
        let exponent = size.max(1).ilog2();
        let only = only.map(Kernel::name);
        SizeClass { what, exponent, block: shape.block, shared: shape.dynamic_shared, only }
    }
}

impl fmt::Display for SizeClass {
    /// `over 2^20`, `grid 2^7, block 16 × 16 × 1, 1024 bytes shared`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} 2^{}", self.what, self.exponent)?;
        if let Some([x, y, z]) = self.block {
            write!(f, ", block {x} × {y} × {z}")?;
        }
        match self.shared {
            0 => {}
            bytes => write!(f, ", {bytes} bytes shared")?,
        }
        match self.only {
            None => Ok(()),
            Some(kernel) => write!(f, ", only {kernel}"),
        }
    }
}

impl Store {
    /// The choice for a launch: known, read, or measured now.
    pub(crate) fn choose(
        &self,
        tuned: &'static Tuned,
        allowed: &[usize],
        args: &Args<'_>,
        gpu: &Gpu,
        shape: &Shape,
        only: Option<&'static Kernel>,
    ) -> Result<Arc<Tuning>> {
        let class = SizeClass::of(shape, only);
        let known = |state: &State| state.tunings.get(&(address(tuned), class)).cloned();
        if let Some(tuning) = known(&lock(&self.state)) {
            return Ok(tuning);
        }
        // The host copies what the launch borrows. Before the lock: what is done with texts that were printed may launch tuned kernels.
        args.borrowed().wait()?;
        let _one_at_a_time = lock(&self.measuring);
        let (path, read) = {
            let mut state = lock(&self.state);
            if let Some(tuning) = known(&state) {
                return Ok(tuning);
            }
            state.ask_environment()?;
            let path = match &state.file {
                File::At(path) => Some(path.clone()),
                File::None | File::Unknown => None,
            };
            (path, state.entries.get(&key(tuned, gpu, class)).cloned())
        };
        let fingerprint = fingerprint(tuned.candidates());
        let (entry, from_cache, mut notes) =
            match read.map(|entry| usable(entry, tuned, allowed, &fingerprint)) {
                Some(Ok(entry)) => (entry, true, Vec::new()),
                unusable => {
                    let notes = unusable.and_then(std::result::Result::err).into_iter().collect();
                    let measured = measure(tuned, allowed, args, gpu, shape)?;
                    (describe(tuned, gpu, class, fingerprint, &measured), false, notes)
                }
            };
        let mut state = lock(&self.state);
        if !from_cache {
            let new = (entry.key.clone(), entry.clone());
            if let Some(path) = path
                && let Err(error) = write(&path, std::slice::from_ref(&entry))
            {
                notes.push(error.to_string());
            }
            state.entries.extend([new]);
        }
        let tuning = Arc::new(tuning(tuned, allowed, &entry, from_cache, notes));
        state.tunings.insert((address(tuned), class), tuning.clone());
        Ok(tuning)
    }

    /// The choices for one kernel, by size class.
    pub(crate) fn of(&self, tuned: &Tuned) -> Vec<Arc<Tuning>> {
        let state = lock(&self.state);
        let own = state.tunings.iter().filter(|((address, _), _)| *address == self::address(tuned));
        let mut own: Vec<_> = own.map(|((_, class), tuning)| (class, tuning.clone())).collect();
        own.sort_by_key(|(class, _)| (class.what, class.exponent, class.block, class.shared, class.only));
        own.into_iter().map(|(_, tuning)| tuning).collect()
    }

    /// Takes choices from a cache file's text.
    pub(crate) fn load(&self, text: &str) -> Result<()> {
        let entries =
            parse(text).map_err(|reason| Error::TuningCache { path: "in the program".to_owned(), reason })?;
        lock(&self.state).entries.extend(entries.into_iter().map(|entry| (entry.key.clone(), entry)));
        Ok(())
    }

    /// Names the cache file, and reads it if it is there. What was measured before goes into it.
    pub(crate) fn keep_in(&self, path: PathBuf) -> Result<()> {
        let mut state = lock(&self.state);
        let found = read(&path)?;
        let measured: Vec<Entry> = state.entries.values().cloned().collect();
        if !measured.is_empty() {
            write(&path, &measured)?;
        }
        state.entries.extend(found.into_iter().map(|entry| (entry.key.clone(), entry)));
        state.file = File::At(path);
        Ok(())
    }
}

impl State {
    /// Reads the file that the environment names, once.
    fn ask_environment(&mut self) -> Result<()> {
        if let File::Unknown = self.file {
            self.file = match std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
                None => File::None,
                Some(path) => {
                    let path = PathBuf::from(path);
                    let found = read(&path)?;
                    self.entries.extend(found.into_iter().map(|entry| (entry.key.clone(), entry)));
                    File::At(path)
                }
            };
        }
        Ok(())
    }
}

fn address(tuned: &Tuned) -> usize {
    std::ptr::from_ref(tuned.data) as usize
}

fn key(tuned: &Tuned, gpu: &Gpu, class: SizeClass) -> Key {
    Key {
        kernel: format!("{}::{}", tuned.data.module, tuned.data.name),
        device: device(gpu.attributes()),
        size: class.to_string(),
    }
}

/// Identity of devices that are equal for tuning: without the number that one of several has.
fn device(attributes: &DeviceAttributes) -> String {
    let DeviceAttributes { name, arch, sms, .. } = attributes;
    let name = name.split(" (CUDA device").next().unwrap_or(name);
    // The simulator's name says it already.
    match name.ends_with(&format!(" {arch}")) {
        true => format!("{name}, {sms} SMs"),
        false => format!("{name}, {arch}, {sms} SMs"),
    }
}

/// A number that changes when what is chosen from does: FNV-1a (Fowler, Noll, Vo) over the settings and the PTX, without
/// the lines that say where the source was.
fn fingerprint(candidates: &[Candidate]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |text: &str| {
        for byte in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for candidate in candidates {
        add(&candidate.to_string());
        add(&format!("{:?} {}", candidate.block, candidate.per_thread));
        let is_place =
            |line: &&str| [".loc", ".file", "//"].iter().any(|start| line.trim_start().starts_with(start));
        let texts = candidate.kernel.data().variants.iter().map(|variant| variant.ptx);
        texts.flat_map(str::lines).filter(|line| !is_place(line)).for_each(&mut add);
    }
    format!("{hash:016x}")
}

/// An entry of a cache file if it speaks of these candidates; else why it does not.
fn usable(
    entry: Entry,
    tuned: &'static Tuned,
    allowed: &[usize],
    fingerprint: &str,
) -> std::result::Result<Entry, String> {
    if entry.fingerprint != fingerprint {
        return Err("the cache file's entry was not used: the kernel has changed since".to_owned());
    }
    match index(tuned, allowed, &entry.chosen) {
        Some(_) => Ok(entry),
        None => Err(format!(
            "the cache file's entry was not used: it has chosen `{}`, which is no instance",
            entry.chosen
        )),
    }
}

fn index(tuned: &'static Tuned, allowed: &[usize], name: &str) -> Option<usize> {
    allowed.iter().copied().find(|&index| tuned.candidates()[index].to_string() == name)
}

/// The measurements as the cache file has them.
fn describe(
    tuned: &'static Tuned,
    gpu: &Gpu,
    class: SizeClass,
    fingerprint: String,
    measured: &Measured,
) -> Entry {
    let name = |index: usize| tuned.candidates()[index].to_string();
    let line = |(index, cost): &(usize, Cost)| Line { instance: name(*index), cost: cost.clone() };
    Entry {
        key: key(tuned, gpu, class),
        fingerprint,
        estimated: gpu.is_simulator(),
        chosen: name(measured.chosen),
        instances: measured.costs.iter().map(line).collect(),
    }
}

/// An entry as the program sees it.
fn tuning(
    tuned: &'static Tuned,
    allowed: &[usize],
    entry: &Entry,
    from_cache: bool,
    notes: Vec<String>,
) -> Tuning {
    let chosen = index(tuned, allowed, &entry.chosen).unwrap_or(allowed[0]);
    let rows = allowed.iter().map(|&index| {
        let candidate = &tuned.candidates()[index];
        let name = candidate.to_string();
        let line = entry.instances.iter().find(|line| line.instance == name);
        let cost =
            line.map_or_else(|| Cost::Skipped("not in the cache file".to_owned()), |line| line.cost.clone());
        TuningRow { settings: candidate.settings, cost, chosen: index == chosen }
    });
    Tuning {
        kernel: tuned.name(),
        device: entry.key.device.clone(),
        size: entry.key.size.clone(),
        estimated: entry.estimated,
        from_cache,
        rows: rows.collect(),
        chosen,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}
