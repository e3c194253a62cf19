//! Occupancy of any kernel: curves over block size, registers and shared memory, what limits it, and what would lift it.
//!
//! `cargo run -p examples -- occupancy saxpy --svg plots` tells it in tables with bars and draws it. Without a name there is a line
//! for each kernel. Without a GPU, registers are estimated from PTX; `--registers` takes those of `ptxas -v`.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Cell;
use examples::plot::{self, Curve};
use kernel_runtime::occupancy::{KernelResources, Occupancy};
use kernel_runtime::prelude::*;
use kernel_runtime::{FunctionAttributes, Kernel};
use ptx::occupancy::{best_block_size, more_blocks, occupancy};
use ptx::target::Limits;
use serde::Serialize;

use super::{Json, bar, right, table};

/// Tells how full an SM gets, and why not fuller.
#[derive(Args)]
pub struct Options {
    /// Kernels of the examples; all of them in a table if none is named.
    kernels: Vec<String>,
    /// Only kernels whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// The CUDA device.
    #[arg(long, default_value_t = 0)]
    device: u32,
    /// A simulated device of this architecture, even where there is a GPU.
    #[arg(long)]
    arch: Option<Arch>,
    /// Threads per block; those of the best block size unless said otherwise.
    #[arg(long)]
    threads: Option<u32>,
    /// Dynamic shared memory per block in bytes.
    #[arg(long, default_value_t = 0)]
    shared: u32,
    /// Registers per thread instead of those that the device says.
    #[arg(long)]
    registers: Option<u32>,
    /// Draws the curves into this folder.
    #[arg(long)]
    svg: Option<PathBuf>,
    #[command(flatten)]
    json: Json,
}

pub fn run(options: &Options) -> Result<bool, String> {
    let gpu = match options.arch {
        Some(arch) => Gpu::simulator(arch),
        None => Gpu::cuda(options.device).unwrap_or_else(|_| Gpu::simulator(Arch::Sm90)),
    };
    println!("{}\n", gpu.describe());
    let only = options.only.as_deref().unwrap_or_default();
    let all: Vec<&Kernel> = examples::kernels().filter(|kernel| kernel.name().contains(only)).collect();
    if all.is_empty() {
        return Err(format!("no kernel's name contains `{only}`"));
    }
    let mut named: Vec<&Kernel> = Vec::new();
    for name in &options.kernels {
        // Without its parameters a kernel's name stands for all of its instances.
        let is_named = |kernel: &&Kernel| {
            kernel.name() == name || kernel.name().split("::<").next() == Some(name.as_str())
        };
        let before = named.len();
        named.extend(all.iter().copied().filter(is_named));
        if named.len() == before {
            let known: Vec<&str> = all.iter().map(|kernel| kernel.name()).collect();
            let known = known.join(", ");
            return Err(format!("expected the name of a kernel, found `{name}`\nhelp: one of {known}"));
        }
    }
    let kernels = if named.is_empty() { &all } else { &named };
    let subjects: Vec<Subject> =
        kernels.iter().map(|kernel| Subject::new(&gpu, kernel, options)).collect::<Result<_, _>>()?;
    if named.is_empty() {
        summary(&subjects);
    } else {
        subjects.iter().for_each(Subject::print);
    }
    if let Some(folder) = &options.svg {
        std::fs::create_dir_all(folder).map_err(|error| format!("`{}`: {error}", folder.display()))?;
        for subject in &subjects {
            let path = folder.join(format!("{}.svg", subject.file()));
            plot::curves(&path, &subject.title(), &subject.curves())?;
            println!("{}", path.display());
        }
    }
    options.json.write(&subjects.iter().map(Subject::record).collect::<Vec<_>>())?;
    Ok(true)
}

/// A kernel at a block size.
struct Subject {
    name: String,
    device: String,
    limits: Limits,
    attributes: FunctionAttributes,
    resources: KernelResources,
    threads: u32,
    best: u32,
    shared: u32,
}

impl Subject {
    fn new(gpu: &Gpu, kernel: &'static Kernel, options: &Options) -> Result<Subject, String> {
        let said = |error: Error| format!("{}: {error}", kernel.name());
        let usual = kernel.check_free_attributes(gpu).map_err(said)?;
        let mut attributes = match usual {
            Some(attributes) => attributes,
            None => kernel.attributes(gpu).map_err(said)?,
        };
        if let Some(registers) = options.registers {
            attributes = FunctionAttributes { registers, registers_estimated: false, ..attributes };
        }
        let limits = gpu.attributes().limits;
        let resources = attributes.resources(options.shared);
        let best = best_block_size(&limits, &resources, gpu.attributes().sms, None, |_| options.shared);
        let best = best.map_err(|none| format!("{}: {none}", kernel.name()))?.threads;
        let threads = options.threads.unwrap_or(best);
        let (name, device) = (kernel.name().to_owned(), gpu.to_string());
        Ok(Subject { name, device, limits, attributes, resources, threads, best, shared: options.shared })
    }

    fn at(&self) -> Occupancy {
        occupancy(&self.limits, &self.resources, self.threads, self.shared)
    }

    /// By block size, in whole warps.
    fn by_threads(&self) -> Vec<Occupancy> {
        let sizes = (1..=32).map(|warps| 32 * warps);
        sizes.map(|threads| occupancy(&self.limits, &self.resources, threads, self.shared)).collect()
    }

    /// By registers per thread.
    fn by_registers(&self) -> Vec<(u32, Occupancy)> {
        let with = |registers: u32| {
            let resources = KernelResources { registers, ..self.resources };
            (registers, occupancy(&self.limits, &resources, self.threads, self.shared))
        };
        (16..=self.limits.registers_per_thread).map(with).collect()
    }

    /// By bytes of shared memory per block, static and dynamic, in steps of a kilobyte.
    fn by_shared(&self) -> Vec<(u32, Occupancy)> {
        let with = |kilobytes: u32| {
            let bytes = kilobytes << 10;
            let resources = KernelResources { static_shared: 0, ..self.attributes.resources(bytes) };
            let resources = KernelResources { registers: self.resources.registers, ..resources };
            (bytes, occupancy(&self.limits, &resources, self.threads, bytes))
        };
        (0..=self.limits.shared_per_block_optin >> 10).map(with).collect()
    }

    fn print(&self) {
        println!("{}\n{}", self.title(), self.attributes);
        let mut table = table(["threads", "blocks per SM", "occupancy", "", "limited by", ""]);
        for found in self.by_threads() {
            let mut note = Vec::new();
            if found.block_threads == self.best {
                note.push("chosen by `over(n)`");
            }
            if found.block_threads == self.threads {
                note.push("← looked at");
            }
            table.add_row([
                right(found.block_threads.to_string()),
                right(found.active_blocks.to_string()),
                right(percent(&found)),
                Cell::new(bar(found.fraction())),
                Cell::new(found.limiters),
                Cell::new(note.join(", ")),
            ]);
        }
        println!("{table}");
        println!("blocks of {} threads, by what they need:", self.threads);
        steps(["registers up to", "blocks per SM", "occupancy", ""], &self.by_registers());
        steps(["shared bytes up to", "blocks per SM", "occupancy", ""], &self.by_shared());
        println!("{}", self.at());
        println!("{}\n", self.advice());
    }

    /// Ways to raise the occupancy.
    fn advice(&self) -> String {
        let now = self.at();
        if now.active_warps == now.max_warps {
            return "An SM is full: occupancy has nothing more to give.".to_owned();
        }
        let best = occupancy(&self.limits, &self.resources, self.best, self.shared);
        let mut advice = Vec::new();
        if best.active_warps > now.active_warps {
            advice.push(format!("Blocks of {} threads have {}.", self.best, percent(&best)));
        }
        if let Some(more) = more_blocks(&self.limits, &self.resources, self.threads, self.shared) {
            advice.push(format!("{more}."));
        }
        if advice.is_empty() {
            advice.push(format!("No number of registers or bytes lifts it: {}.", now.limiters));
        }
        advice.join("\n")
    }

    fn title(&self) -> String {
        format!("{} on {}", self.name, self.device)
    }

    /// The name without what file systems do not like.
    fn file(&self) -> String {
        let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
        self.name.chars().map(plain).collect::<String>().trim_end_matches('-').to_owned()
    }

    fn curves(&self) -> [Curve; 3] {
        let now = self.at();
        let height = |found: &Occupancy| 100.0 * found.fraction();
        let mark = |x: u32, words: String| vec![(f64::from(x), height(&now), words)];
        // Blocks of which an SM holds none do not launch.
        let launches = |found: &Occupancy| (found.active_blocks > 0).then(|| height(found));
        let of = |points: Vec<(u32, Occupancy)>| {
            points.iter().map(|(x, found)| (f64::from(*x), launches(found))).collect::<Vec<_>>()
        };
        let y = "occupancy in %";
        let used = self.resources.static_shared + self.shared;
        let kilobytes = of(self.by_shared()).into_iter().map(|(bytes, height)| (bytes / 1024.0, height));
        let by_threads = self.by_threads().into_iter().map(|found| (found.block_threads, found)).collect();
        [
            Curve {
                caption: format!(
                    "{} registers per thread, {used} bytes of shared memory per block",
                    self.resources.registers
                ),
                x: "threads per block",
                y,
                points: of(by_threads),
                marks: mark(self.threads, format!("{}: {}", percent(&now), now.limiters)),
                top: 100.0,
            },
            Curve {
                caption: format!("blocks of {} threads", self.threads),
                x: "registers per thread",
                y,
                points: of(self.by_registers()),
                marks: mark(self.resources.registers, format!("{} registers", self.resources.registers)),
                top: 100.0,
            },
            Curve {
                caption: format!("blocks of {} threads", self.threads),
                x: "shared memory per block in KiB",
                y,
                points: kilobytes.collect(),
                marks: vec![(f64::from(used) / 1024.0, height(&now), format!("{used} bytes"))],
                top: 100.0,
            },
        ]
    }

    fn record(&self) -> Record<'_> {
        let now = self.at();
        let point = |x: u32, found: &Occupancy| Point {
            x,
            blocks: found.active_blocks,
            occupancy: found.fraction(),
            limited_by: found.limiters.to_string(),
        };
        Record {
            kernel: &self.name,
            device: &self.device,
            registers: self.resources.registers,
            registers_estimated: self.attributes.registers_estimated,
            shared_bytes: self.resources.static_shared + self.shared,
            at: point(self.threads, &now),
            advice: self.advice(),
            by_threads: self.by_threads().iter().map(|found| point(found.block_threads, found)).collect(),
            by_registers: self.by_registers().iter().map(|(x, found)| point(*x, found)).collect(),
            by_shared_bytes: self.by_shared().iter().map(|(x, found)| point(*x, found)).collect(),
        }
    }
}

/// A line for each kernel, at its best block size.
fn summary(subjects: &[Subject]) {
    let mut table =
        table(["kernel", "registers", "shared", "threads", "occupancy", "limited by", "for more"]);
    for subject in subjects {
        let now = subject.at();
        let more = more_blocks(&subject.limits, &subject.resources, subject.threads, subject.shared);
        let about = if subject.attributes.registers_estimated { "~" } else { "" };
        table.add_row([
            Cell::new(&subject.name),
            right(format!("{about}{}", subject.resources.registers)),
            right((subject.resources.static_shared + subject.shared).to_string()),
            right(subject.threads.to_string()),
            right(percent(&now)),
            Cell::new(now.limiters),
            Cell::new(more.map_or_else(String::new, |more| match (more.registers, more.shared) {
                (0, shared) => format!("−{shared} bytes"),
                (registers, 0) => format!("−{registers} registers"),
                (registers, shared) => format!("−{registers} registers, −{shared} bytes"),
            })),
        ]);
    }
    println!("{table}\nThe best block size of each; registers with ~ are estimated from PTX.");
}

/// Prints the points at which the number of blocks changes.
fn steps(header: [&'static str; 4], points: &[(u32, Occupancy)]) {
    let mut table = table(header);
    for (index, (x, found)) in points.iter().enumerate() {
        if points.get(index + 1).is_none_or(|(_, next)| next.active_blocks != found.active_blocks) {
            table.add_row([
                right(x.to_string()),
                right(found.active_blocks.to_string()),
                right(percent(found)),
                Cell::new(bar(found.fraction())),
            ]);
        }
    }
    println!("{table}");
}

fn percent(found: &Occupancy) -> String {
    format!("{:.1} %", 100.0 * found.fraction())
}

/// A kernel's record in JSON.
#[derive(Serialize)]
struct Record<'a> {
    kernel: &'a str,
    device: &'a str,
    registers: u32,
    registers_estimated: bool,
    shared_bytes: u32,
    at: Point,
    advice: String,
    by_threads: Vec<Point>,
    by_registers: Vec<Point>,
    by_shared_bytes: Vec<Point>,
}

#[derive(Serialize)]
struct Point {
    x: u32,
    blocks: u32,
    occupancy: f64,
    limited_by: String,
}
