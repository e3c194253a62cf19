//! The host's cost of a launch: through a kernel's typed function, and through `cudarc`, which checks neither arguments nor shape.
//!
//! Both launch the same PTX in one process, in turn; the table has medians and their ratio, and how often the typed launch asks the heap
//! for memory once it has been done before. It needs a CUDA device.
//!
//! A launch that is left to a stream is timed until the call returns; one that is waited for until the kernel is over.
//!
//! A second table compares a thousand launches with a graph of them, which is asked for at once.

use std::alloc::{GlobalAlloc, Layout, System};
use std::error::Error;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use comfy_table::{Cell, Table};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, LaunchConfig, PushKernelArg};
use cudarc::nvrtc::Ptx;
use examples::tables::{self, right};
use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;

/// Times each kind of launch is measured, in turn with the other.
const ROUNDS: usize = 101;
/// Launches in a row, after which the device is waited for: fewer than CUDA lets be under way.
const LAUNCHES: usize = 400;
/// Launches of a graph.
const OF_A_GRAPH: usize = 1000;
/// Elements of the kernel with buffers: nothing, compared with the launch.
const ELEMENTS: usize = 256;

/// Does nothing.
#[kernel]
pub fn empty() {}

/// `y = a x + y`, and panics where `x` is too short.
#[kernel]
pub fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
    let i = global_idx().x;
    if i < y.len() {
        y[i] = a * x[i] + y[i];
    }
}

/// Counts what the heap is asked for.
struct Counting;

static ASKED: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: the system's allocator does all of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ASKED.fetch_add(1, Ordering::Relaxed);
        // SAFETY: by this function's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        // SAFETY: by this function's condition.
        unsafe { System.dealloc(start, layout) }
    }
}

/// Compares the host's cost of launches here and by `cudarc`, on the first CUDA device.
#[derive(Parser)]
struct Options {}

type Outcome<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    sigpipe::reset();
    let Options {} = Options::parse();
    match Gpu::cuda(0).map_err(Into::into).and_then(measure) {
        Ok([launches, graphs]) => {
            println!("{launches}\n\n{graphs}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// A kernel as `cudarc` loads it.
fn load(context: &Arc<CudaContext>, kernel: &Kernel, gpu: &Gpu) -> Outcome<CudaFunction> {
    let variant = kernel.variant(gpu)?;
    Ok(context.load_module(Ptx::from_src(variant.ptx))?.load_function(variant.entry)?)
}

fn measure(gpu: Gpu) -> Outcome<[Table; 2]> {
    println!("{}\n", gpu.describe());
    let context = CudaContext::new(0)?;
    let theirs = context.new_stream()?;
    let ours = gpu.stream()?;
    let [their_empty, their_saxpy] =
        [load(&context, &empty::KERNEL, &gpu)?, load(&context, &saxpy::KERNEL, &gpu)?];
    let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let full = LaunchConfig { block_dim: (256, 1, 1), ..one };

    let ones = vec![1.0f32; ELEMENTS];
    let (x, mut y) = (gpu.upload(&ones)?, gpu.zeros::<f32>(ELEMENTS)?);
    let (their_x, mut their_y) = (theirs.clone_htod(&ones)?, theirs.alloc_zeros::<f32>(ELEMENTS)?);
    // The kernel takes the length of each slice, and where a thread writes that panics.
    let (length, mut record) = (ELEMENTS as u32, theirs.alloc_zeros::<u64>(64)?);
    let mut compare = Compare { theirs: theirs.clone(), ours: &ours, rows: Vec::new() };

    compare.started(
        "empty kernel, left to a stream",
        // SAFETY: it has no parameters.
        || Ok(unsafe { theirs.launch_builder(&their_empty).launch(one) }.map(drop)?),
        || Ok(empty().grid(1).block(32).start(&ours)?),
    )?;
    compare.waited_for(
        "empty kernel, waited for",
        || {
            // SAFETY: it has no parameters.
            unsafe { theirs.launch_builder(&their_empty).launch(one) }?;
            Ok(theirs.synchronize()?)
        },
        || Ok(empty().grid(1).block(32).start(&ours).and_then(|()| ours.synchronize())?),
    )?;
    compare.waited_for(
        "empty kernel, run and timed by events",
        || {
            let flags = Some(cudarc::driver::sys::CUevent_flags::CU_EVENT_DEFAULT);
            let start = theirs.record_event(flags)?;
            // SAFETY: it has no parameters.
            unsafe { theirs.launch_builder(&their_empty).launch(one) }?;
            let stop = theirs.record_event(flags)?;
            theirs.synchronize()?;
            black_box(start.elapsed_ms(&stop)?);
            Ok(())
        },
        || Ok(empty().grid(1).block(32).on(&gpu).run().map(|report| drop(black_box(report)))?),
    )?;
    compare.started(
        "saxpy of two buffers, left to a stream",
        || {
            let mut launch = theirs.launch_builder(&their_saxpy);
            launch.arg(&1.0f32).arg(&their_x).arg(&length).arg(&mut their_y).arg(&length).arg(&mut record);
            // SAFETY: the parameters are these, in this order, and the buffers have so many elements.
            Ok(unsafe { launch.launch(full) }.map(drop)?)
        },
        || Ok(saxpy(1.0, &x, &mut y).grid(1).block(256).start(&ours)?),
    )?;

    // Both have done the same.
    if y.to_vec()? != theirs.clone_dtoh(&their_y)? {
        return Err("the results differ".into());
    }
    Ok([compare.table(), graphs(&gpu, &theirs, &their_empty)?])
}

/// A thousand launches one by one, and as a graph, each until all are over.
fn graphs(gpu: &Gpu, theirs: &Arc<CudaStream>, their_empty: &CudaFunction) -> Outcome<Table> {
    let ours = gpu.stream()?;
    let one = LaunchConfig { grid_dim: (1, 1, 1), block_dim: (32, 1, 1), shared_mem_bytes: 0 };
    let launch_theirs = || -> Outcome<()> {
        // SAFETY: it has no parameters.
        Ok((0..OF_A_GRAPH)
            .try_for_each(|_| unsafe { theirs.launch_builder(their_empty).launch(one) }.map(drop))?)
    };
    theirs.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
    launch_theirs()?;
    let their_graph = theirs.end_capture(CUgraphInstantiate_flags(0))?.ok_or("cudarc captured nothing")?;
    let graph =
        gpu.graph(|graph| (0..OF_A_GRAPH).try_for_each(|_| empty().grid(1).block(32).record(graph)))?;
    // Each asks for the thousand launches.
    type Ask<'a> = Box<dyn FnMut() -> Outcome<()> + 'a>;
    let mut ways: [(&str, Ask<'_>); 4] = [
        ("cudarc, one by one", Box::new(launch_theirs)),
        (
            "typed, one by one",
            Box::new(|| Ok((0..OF_A_GRAPH).try_for_each(|_| empty().grid(1).block(32).start(&ours))?)),
        ),
        ("cudarc, as a graph", Box::new(|| Ok(their_graph.launch()?))),
        ("typed, as a graph", Box::new(|| Ok(graph.start(&ours)?))),
    ];
    // Until the call returns, and until the kernels are over.
    let mut times = [const { (Vec::new(), Vec::new()) }; 4];
    for round in 0..=ROUNDS {
        for ((_, ask), (asked, over)) in ways.iter_mut().zip(&mut times) {
            let start = Instant::now();
            ask()?;
            let returned = start.elapsed();
            theirs.synchronize()?;
            ours.synchronize()?;
            // The first round is for what is done once.
            if round > 0 {
                asked.push(returned);
                over.push(start.elapsed());
            }
        }
    }
    let medians: Vec<_> = times.iter_mut().map(|(asked, over)| (median(asked), median(over))).collect();
    let one_by_one = medians[1].1;
    let what = format!("{OF_A_GRAPH} empty kernels");
    let header = [&what, "until the call returns", "until all are over", "per kernel", "÷ typed, one by one"];
    let mut table = tables::table(header);
    for ((name, _), &(asked, over)) in ways.iter().zip(&medians) {
        let times = [asked, over, over / OF_A_GRAPH as u32].map(|time| format!("{time:.2?}"));
        let ratio = format!("{:.3}", over.as_secs_f64() / one_by_one.as_secs_f64());
        let cells = times.into_iter().chain([ratio]);
        let cells = cells.map(right);
        table.add_row([Cell::new(name)].into_iter().chain(cells));
    }
    Ok(table)
}

/// One kind of launch: medians per launch, and how often ours asked the heap.
struct Row {
    what: &'static str,
    theirs: Duration,
    ours: Duration,
    asked: f64,
}

struct Compare<'a> {
    theirs: Arc<CudaStream>,
    ours: &'a Stream,
    rows: Vec<Row>,
}

impl Compare<'_> {
    /// Launches in a row, waited for when the clock has stopped.
    fn started(
        &mut self,
        what: &'static str,
        theirs: impl FnMut() -> Outcome<()>,
        ours: impl FnMut() -> Outcome<()>,
    ) -> Outcome<()> {
        self.measure(what, LAUNCHES, theirs, ours)
    }

    /// Launches that wait for themselves.
    fn waited_for(
        &mut self,
        what: &'static str,
        theirs: impl FnMut() -> Outcome<()>,
        ours: impl FnMut() -> Outcome<()>,
    ) -> Outcome<()> {
        self.measure(what, LAUNCHES / 4, theirs, ours)
    }

    fn measure(
        &mut self,
        what: &'static str,
        launches: usize,
        mut theirs: impl FnMut() -> Outcome<()>,
        mut ours: impl FnMut() -> Outcome<()>,
    ) -> Outcome<()> {
        let (mut their_times, mut our_times, mut asked) = (Vec::new(), Vec::new(), 0);
        for round in 0..=ROUNDS {
            for turn in 0..2 {
                // The first round is for what is done once.
                let warm = round > 0;
                let before = ASKED.load(Ordering::Relaxed);
                let start = Instant::now();
                if turn == round % 2 {
                    (0..launches).try_for_each(|_| theirs())?;
                } else {
                    (0..launches).try_for_each(|_| ours())?;
                }
                let time = start.elapsed() / launches as u32;
                let after = ASKED.load(Ordering::Relaxed);
                self.theirs.synchronize()?;
                self.ours.synchronize()?;
                match (warm, turn == round % 2) {
                    (false, _) => {}
                    (true, true) => their_times.push(time),
                    (true, false) => {
                        our_times.push(time);
                        asked += after - before;
                    }
                }
            }
        }
        let asked = asked as f64 / (ROUNDS * launches) as f64;
        self.rows.push(Row { what, theirs: median(&mut their_times), ours: median(&mut our_times), asked });
        Ok(())
    }

    fn table(&self) -> Table {
        let header = ["launch", "cudarc", "typed", "typed ÷ cudarc", "allocations per typed launch"];
        let mut table = tables::table(header);
        for Row { what, theirs, ours, asked } in &self.rows {
            table.add_row([
                Cell::new(what),
                right(format!("{theirs:.2?}")),
                right(format!("{ours:.2?}")),
                right(format!("{:.3}", ours.as_secs_f64() / theirs.as_secs_f64())),
                right(format!("{asked:.2}")),
            ]);
        }
        table
    }
}

/// The middle one of an odd number of times.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
