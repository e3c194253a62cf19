//! Our kernels beside the same ones in CUDA C++: the pairs, and how they are checked, timed and compared.
//!
//! `examples/cuda/<topic>.cu` holds the C++. nvcc makes PTX of it with `-O3`; both texts go through the same driver, in one
//! process, so that what differs is the PTX. The program `versus` prints what this measures.

mod code;
mod pairs;

pub use code::{Classes, Code, Disassembler};
pub use pairs::{Set, pairs};

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use kernel_runtime::prelude::*;
use kernel_runtime::{ChecksTaken, Coarsening, Kernel, Launch, PtxFunction, PtxLaunch, PtxModule};
use rayon::prelude::*;

use crate::random;
use crate::toolchain::Tool;

/// A kernel of ours and one of C++, on the same data.
pub struct Pair {
    /// Ours.
    pub kernel: &'static Kernel,
    /// The file of the other, `cuda/<topic>.cu`.
    pub topic: &'static str,
    /// Its name there.
    pub twin: &'static str,
    /// Description in a few words.
    pub what: &'static str,
    /// The feature that C++ lacks and ours is written with, an attribute or a type; such a pair is no part of the mean.
    pub attribute: Option<&'static str>,
    /// The lengths of the inputs and of the output, for so many elements.
    pub lens: fn(usize) -> Lens,
    /// Bytes of global memory read and written, for so many elements.
    pub bytes: fn(usize) -> u64,
    /// A launch of ours.
    pub ours: for<'a> fn(&'a mut Data) -> Launch<'a>,
    /// The launch of the other.
    pub theirs: for<'a> fn(&PtxFunction, &'a mut Data) -> PtxLaunch<'a>,
    /// The largest difference of results, by the larger of them or by the inputs, whichever is more (sums may cancel); 0 asks for
    /// the same bits.
    pub tolerance: f32,
}

/// Lengths in elements.
#[derive(Clone, Copy, Debug)]
pub struct Lens {
    /// Of the inputs.
    pub x: usize,
    /// Of the second one.
    pub y: usize,
    /// Of the output, which is what kernels in place change.
    pub out: usize,
    /// Vectors of four in each input and in the output, of kernels that take vectors; 0 of others.
    pub vectors: usize,
    /// Lengths and contents of the inputs of kernels that work on more than numbers from −0.5 to 0.5.
    pub other: Other,
}

impl Lens {
    /// Of nothing.
    pub const NONE: Lens = Lens { x: 0, y: 0, out: 0, vectors: 0, other: Other::NONE };
}

/// Lengths and contents of what few kernels take.
#[derive(Clone, Copy, Debug)]
pub struct Other {
    /// The length of the third input.
    pub z: usize,
    /// The length of what is changed beside the output; zeros at first.
    pub more: usize,
    /// Bytes of the input and of the output of kernels on bytes.
    pub bytes: [usize; 2],
    /// Starts of rows, or indices.
    pub starts: fn(usize) -> Vec<u32>,
    /// Columns, or indices.
    pub columns: fn(usize) -> Vec<u32>,
    /// The initial integers that are changed.
    pub counts: fn(usize) -> Vec<u32>,
    /// Words that are read.
    pub words: fn(usize) -> Vec<u32>,
    /// Halves of the input of kernels on these, and of their output in pairs.
    pub halves: [usize; 2],
}

impl Other {
    /// Nothing.
    pub const NONE: Other = Other {
        z: 0,
        more: 0,
        bytes: [0, 0],
        starts: no_numbers,
        columns: no_numbers,
        counts: no_numbers,
        words: no_numbers,
        halves: [0, 0],
    };
}

fn no_numbers(_: usize) -> Vec<u32> {
    Vec::new()
}

/// The largest number among the inputs.
const LARGEST_INPUT: f32 = 0.5;

/// Buffers that a pair works on: numbers from −0.5 to 0.5.
pub struct Data {
    /// The elements that were asked for.
    pub n: usize,
    /// Blocks of one per SM.
    pub blocks: u32,
    /// The first input.
    pub x: DeviceBuffer<f32>,
    /// The second input.
    pub y: DeviceBuffer<f32>,
    /// The output, with numbers in it.
    pub out: DeviceBuffer<f32>,
    /// Four weights.
    pub weights: DeviceBuffer<f32>,
    /// The first input in vectors.
    pub x4: DeviceBuffer<F32x4>,
    /// The second input in vectors.
    pub y4: DeviceBuffer<F32x4>,
    /// The output in vectors.
    pub out4: DeviceBuffer<F32x4>,
    /// The third input.
    pub z: DeviceBuffer<f32>,
    /// The buffer that is changed beside the output.
    pub more: DeviceBuffer<f32>,
    /// The input of kernels on bytes.
    pub bytes: DeviceBuffer<u8>,
    /// The output of kernels on bytes.
    pub out_bytes: DeviceBuffer<u8>,
    /// Starts of rows, or indices.
    pub starts: IndexBuffer<u32>,
    /// Columns, or indices.
    pub columns: IndexBuffer<u32>,
    /// Integers that are changed.
    pub counts: DeviceBuffer<u32>,
    /// Words that are read.
    pub words: DeviceBuffer<u32>,
    /// The input of kernels on halves.
    pub halves: DeviceBuffer<f16>,
    /// As above, in pairs.
    pub pairs: DeviceBuffer<F16x2>,
    /// The output of kernels on pairs.
    pub out_pairs: DeviceBuffer<F16x2>,
    initial: Vec<f32>,
    initial_counts: Vec<u32>,
}

impl Data {
    /// Data of so many elements for a pair.
    ///
    /// # Errors
    /// The device has no memory for it.
    pub fn new(gpu: &Gpu, pair: &Pair, n: usize) -> Result<Data> {
        let lens = (pair.lens)(n);
        let Other { z, more, bytes, starts, columns, counts, words, halves } = lens.other;
        let [x, y, initial, z] = [(1, lens.x), (2, lens.y), (3, lens.out), (6, z)].map(|(seed, len)| {
            let mut numbers = random(seed, len);
            numbers.par_iter_mut().for_each(|number| *number -= 0.5);
            numbers
        });
        let initial_counts = counts(n);
        let of_halves: Vec<f16> =
            random(8, halves[0]).into_iter().map(|number| f16::from_f32(number - 0.5)).collect();
        let of_pairs: Vec<F16x2> = of_halves.chunks_exact(2).map(|two| F16x2::new(two[0], two[1])).collect();
        Ok(Data {
            n,
            blocks: gpu.attributes().sms,
            x: gpu.upload(&x)?,
            y: gpu.upload(&y)?,
            out: gpu.upload(&initial)?,
            weights: gpu.upload(&[0.1, 0.4, 0.3, 0.2])?,
            x4: gpu.upload(&vectors(4, lens.vectors))?,
            y4: gpu.upload(&vectors(5, lens.vectors))?,
            out4: gpu.zeros(lens.vectors)?,
            z: gpu.upload(&z)?,
            more: gpu.zeros(more)?,
            bytes: gpu.upload(&random_bytes(bytes[0]))?,
            out_bytes: gpu.zeros(bytes[1])?,
            starts: gpu.upload_indices(&starts(n))?,
            columns: gpu.upload_indices(&columns(n))?,
            counts: gpu.upload(&initial_counts)?,
            words: gpu.upload(&words(n))?,
            halves: gpu.upload(&of_halves)?,
            pairs: gpu.upload(&of_pairs)?,
            out_pairs: gpu.zeros(halves[1] / 2)?,
            initial,
            initial_counts,
        })
    }

    /// The contents of all outputs.
    ///
    /// # Errors
    /// Errors of the device.
    pub fn results(&self) -> Result<Vec<f32>> {
        let mut all = self.out.to_vec()?;
        all.extend(self.out4.to_vec()?.into_iter().flat_map(F32x4::to_array));
        all.extend(self.more.to_vec()?);
        all.extend(self.out_bytes.to_vec()?.into_iter().map(f32::from));
        all.extend(self.counts.to_vec()?.into_iter().map(|count| count as f32));
        all.extend(self.out_pairs.to_vec()?.into_iter().flat_map(F16x2::to_array).map(f16::to_f32));
        Ok(all)
    }

    /// The outputs as they were at first.
    fn reset(&mut self) -> Result<()> {
        self.out.copy_from_slice(&self.initial)?;
        self.counts.copy_from_slice(&self.initial_counts)?;
        self.more.set_zero()?;
        self.out_bytes.set_zero()?;
        self.out_pairs.set_zero()?;
        self.out4.set_zero()
    }
}

/// So many vectors of numbers from −0.5 to 0.5.
fn vectors(seed: u64, len: usize) -> Vec<F32x4> {
    let numbers = random(seed, 4 * len);
    let vector = |part: &[f32]| F32x4::new(part[0], part[1], part[2], part[3]) - F32x4::splat(0.5);
    numbers.par_chunks_exact(4).map(vector).collect()
}

fn random_bytes(len: usize) -> Vec<u8> {
    random(7, len).into_par_iter().map(|number| (number * 256.0) as u8).collect()
}

/// The source of the PTX of C++.
#[derive(Clone, Debug)]
pub enum Source {
    /// nvcc makes it.
    Nvcc(PathBuf),
    /// `<topic>.ptx` in this folder.
    Folder(PathBuf),
}

impl Source {
    /// The folder if one is given, else nvcc.
    ///
    /// # Errors
    /// nvcc is missing; the text says how to get it.
    pub fn find(folder: Option<PathBuf>) -> Result<Source, String> {
        match folder {
            Some(folder) => Ok(Source::Folder(folder)),
            None => match Tool::Nvcc.find() {
                Ok(nvcc) => Ok(Source::Nvcc(nvcc)),
                Err(missing) => Err(format!("{missing}\nhelp: or give a folder of PTX with `--ptx`")),
            },
        }
    }

    /// The PTX of a topic for an architecture.
    ///
    /// # Errors
    /// It cannot be made or read.
    pub fn ptx(&self, topic: &str, arch: Arch) -> Result<String, String> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| format!("`{}`: {error}", path.display()))
        };
        match self {
            Source::Folder(folder) => read(&folder.join(topic).with_extension("ptx")),
            Source::Nvcc(nvcc) => {
                let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
                let made = folder.path().join("twin.ptx");
                let source = folder.path().join("twin.cu");
                std::fs::write(&source, twins(topic)?)
                    .map_err(|error| format!("`{}`: {error}", source.display()))?;
                let mut command = Command::new(nvcc);
                command.args(["-O3", "-ptx", "-arch", arch.name(), "-o"]).arg(&made).arg(&source);
                let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
                if !output.status.success() {
                    return Err(format!("{command:?}: {}", String::from_utf8_lossy(&output.stderr)));
                }
                read(&made)
            }
        }
    }
}

/// The C++ of the topics, which programs carry with them: they run where the repository is not.
static TWINS: &[(&str, &str)] = &[
    ("applications", include_str!("../cuda/applications.cu")),
    ("clusters", include_str!("../cuda/clusters.cu")),
    ("divergence", include_str!("../cuda/divergence.cu")),
    ("hecbench", include_str!("../cuda/hecbench.cu")),
    ("suites", include_str!("../cuda/suites.cu")),
    ("ilp", include_str!("../cuda/ilp.cu")),
    ("instructions", include_str!("../cuda/instructions.cu")),
    ("intensity", include_str!("../cuda/intensity.cu")),
    ("learning", include_str!("../cuda/learning.cu")),
    ("occupancy", include_str!("../cuda/occupancy.cu")),
    ("polybench", include_str!("../cuda/polybench.cu")),
    ("rodinia", include_str!("../cuda/rodinia.cu")),
    ("samples", include_str!("../cuda/samples.cu")),
    ("unrolling", include_str!("../cuda/unrolling.cu")),
    ("warp", include_str!("../cuda/warp.cu")),
];

/// The C++ of a topic.
fn twins(topic: &str) -> Result<&'static str, String> {
    let found = TWINS.iter().find(|(known, _)| *known == topic);
    found.map(|(_, text)| *text).ok_or_else(|| format!("there is no C++ for the topic `{topic}`"))
}

/// The C++ kernels on a device.
pub struct Twins {
    modules: HashMap<&'static str, (String, PtxModule)>,
}

impl Twins {
    /// Loads those of these pairs.
    ///
    /// # Errors
    /// nvcc or the device refuses one.
    pub fn load(gpu: &Gpu, source: &Source, pairs: &[&Pair]) -> Result<Twins, String> {
        let mut modules = HashMap::new();
        for pair in pairs {
            if !modules.contains_key(pair.topic) {
                let text = source.ptx(pair.topic, gpu.arch())?;
                let module = gpu.load_ptx(&text).map_err(|error| error.to_string())?;
                modules.insert(pair.topic, (text, module));
            }
        }
        Ok(Twins { modules })
    }

    /// The C++ kernel of a pair.
    ///
    /// # Errors
    /// The file has none of that name, or it was not asked for.
    pub fn function(&self, pair: &Pair) -> Result<PtxFunction, String> {
        let (_, module) =
            self.modules.get(pair.topic).ok_or_else(|| format!("`{}` was not loaded", pair.topic))?;
        module.function(pair.twin).map_err(|error| error.to_string())
    }

    /// Writes the PTX of each topic into a folder, where [`Source::Folder`] finds it.
    ///
    /// # Errors
    /// Errors of the file system.
    pub fn save(&self, folder: &Path) -> Result<(), String> {
        std::fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        for (topic, (text, _)) in &self.modules {
            let path = folder.join(topic).with_extension("ptx");
            std::fs::write(&path, text).map_err(|error| format!("`{}`: {error}", path.display()))?;
        }
        Ok(())
    }

    /// The PTX of the C++ file of a pair.
    pub fn text(&self, pair: &Pair) -> Option<&str> {
        self.modules.get(pair.topic).map(|(text, _)| text.as_str())
    }
}

/// A run of both on the same data, whose buffers are as long as what is indexed and no longer.
pub struct Checked {
    /// The difference as an error, if there is one.
    pub results: Result<(), String>,
    /// The version of our kernel that ran.
    pub checks: ChecksTaken,
    /// Its coarsened version in launches of any size: taken, or why not.
    pub coarsening: Coarsening,
}

/// Runs both once on the same data. A kernel with a coarsened version has to give the same bits with and without it.
///
/// # Errors
/// A launch fails.
pub fn check(gpu: &Gpu, pair: &Pair, twin: &PtxFunction, n: usize) -> Result<Checked> {
    let mut data = Data::new(gpu, pair, n)?;
    let before = data.results()?;
    let checks = (pair.ours)(&mut data).run()?.checks;
    let ours = data.results()?;
    data.reset()?;
    let coarsening = (pair.ours)(&mut data).coarsened(true).run()?.coarsening;
    let by_several = data.results()?;
    data.reset()?;
    (pair.ours)(&mut data).coarsened(false).run()?;
    let one_by_one = data.results()?;
    let is_equal = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
    let keeps_bits =
        !matches!(coarsening, Coarsening::Taken { .. }) || by_several.iter().zip(&one_by_one).all(is_equal);
    data.reset()?;
    run_theirs(pair, twin, &mut data)?;
    let theirs = data.results()?;
    let agree = |a: f32, b: f32| {
        let allowed = pair.tolerance * a.abs().max(b.abs()).max(LARGEST_INPUT);
        a.to_bits() == b.to_bits() || (pair.tolerance > 0.0 && (a - b).abs() <= allowed)
    };
    let differs = ours.iter().zip(&theirs).position(|(&a, &b)| !agree(a, b));
    let results = match differs {
        _ if ours == before => Err("ours wrote nothing".to_owned()),
        _ if !keeps_bits => Err("the coarsened version gives other bits than the plain one".to_owned()),
        None => Ok(()),
        Some(i) => Err(format!("element {i} is {} of ours and {} of C++", ours[i], theirs[i])),
    };
    Ok(Checked { results, checks, coarsening })
}

fn run_theirs(pair: &Pair, twin: &PtxFunction, data: &mut Data) -> Result<LaunchReport> {
    // SAFETY: the C++ kernel is given the lengths of its buffers, holds every index against them, and writes only its output, which
    // is lent to it mutably.
    unsafe { (pair.theirs)(twin, data).run() }
}

/// The times of both.
#[derive(Clone, Debug, Default)]
pub struct Times {
    /// Ours, a round each.
    pub ours: Vec<Duration>,
    /// Those of C++.
    pub theirs: Vec<Duration>,
}

/// Rounds that warm up caches and clocks.
const WARM_UP: usize = 3;

/// Times both in turns, the one that starts changing with the round.
///
/// # Errors
/// A launch fails.
pub fn time(gpu: &Gpu, pair: &Pair, twin: &PtxFunction, n: usize, rounds: usize) -> Result<Times> {
    let mut data = Data::new(gpu, pair, n)?;
    let mut times = Times::default();
    for round in 0..rounds + WARM_UP {
        for turn in 0..2 {
            let is_ours = (round + turn) % 2 == 0;
            let report =
                if is_ours { (pair.ours)(&mut data).run()? } else { run_theirs(pair, twin, &mut data)? };
            if round >= WARM_UP {
                if is_ours { &mut times.ours } else { &mut times.theirs }.push(report.time);
            }
        }
    }
    Ok(times)
}

impl Times {
    /// The medians of both.
    pub fn medians(&self) -> (Duration, Duration) {
        (quantile(&self.ours, 0.5), quantile(&self.theirs, 0.5))
    }

    /// Ours by theirs: the quotient of the medians.
    pub fn ratio(&self) -> f64 {
        let (ours, theirs) = self.medians();
        ours.as_secs_f64() / theirs.as_secs_f64()
    }

    /// Half the distance of the quartiles of the quotients of each round, which tells how far the ratio is to be trusted.
    pub fn spread(&self) -> f64 {
        let mut ratios: Vec<f64> = self
            .ours
            .iter()
            .zip(&self.theirs)
            .map(|(ours, theirs)| ours.as_secs_f64() / theirs.as_secs_f64())
            .collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let at = |part: f64| ratios.get((ratios.len() as f64 * part) as usize).copied().unwrap_or_default();
        (at(0.75) - at(0.25)) / 2.0
    }
}

fn quantile(times: &[Duration], part: f64) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times.get((times.len() as f64 * part) as usize).copied().unwrap_or_default()
}

/// The geometric mean; none of nothing.
pub fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let logs: Vec<f64> = ratios.map(f64::ln).collect();
    (!logs.is_empty()).then(|| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
}
