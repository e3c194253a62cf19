//! The table of the effects.

use std::time::Duration;

use kernel_runtime::prelude::*;
use rayon::prelude::*;

use super::{Compared, Effect, Lab, Measured};
use crate::divergence::costly_branch;
use crate::host::{self, ring};
use crate::instructions::segments::kernels::{crossings_comparison, crossings_division, crossings_straddle};
use crate::instructions::segments::{self, Test};
use crate::occupancy::{saxpy, scale};
use crate::{Outcome, random};

const fn effect(
    row: u32,
    topic: &'static str,
    title: &'static str,
    elements: usize,
    compared: Compared,
    shows: &'static str,
) -> Effect {
    Effect { row, topic, title, shows, elements, compared }
}

use Compared::{Apart, Assembled, Examples, Runs};

/// All of them, in the order of the chapter.
pub static EFFECTS: &[Effect] = &[
    effect(
        1,
        "occupancy",
        "element-wise kernels beside a copy of 16 bytes a thread",
        1 << 19,
        Apart(&[
            "copy_16_bytes",
            "scale",
            "scale_coarse",
            "vector_add",
            "vector_add_coarse",
            "vector_add_by_four",
        ]),
        "With four elements a thread the accesses are as wide as the copy's, and so is the bandwidth.",
    ),
    effect(
        2,
        "occupancy",
        "occupancy by block size",
        1 << 19,
        Runs(block_sizes),
        "32 threads fill half of an H200's SM, 64 all of it, 768 three quarters, 1024 all.",
    ),
    effect(
        3,
        "occupancy",
        "registers: the same work with more values alive, and under caps",
        1 << 12,
        Assembled(&["live", "live_capped", "live_bounded"]),
        "More values alive are fewer warps; a cap below what is needed spills, one above costs nothing.",
    ),
    effect(
        4,
        "occupancy",
        "one element a thread, or four",
        1 << 19,
        Examples(&[("one_element", ""), ("four_elements", "")]),
        "Fewer warps with more loads under way in each.",
    ),
    effect(
        5,
        "occupancy",
        "tiles in shared memory",
        1 << 19,
        Examples(&[("reverse_tiles", "")]),
        "Blocks are dealt to an SM like cards until the next one's tile does not fit.",
    ),
    effect(
        6,
        "divergence",
        "a threshold",
        1 << 19,
        Examples(&[
            ("threshold_branch", ""),
            ("threshold_predicate", ""),
            ("threshold_select", ""),
            ("threshold_max", ""),
        ]),
        "With the branch each warp goes both ways; predicated, all lanes go one.",
    ),
    effect(
        7,
        "divergence",
        "a threshold between two costly sides",
        1 << 19,
        Examples(&[("costly_branch", ""), ("costly_predicate", ""), ("costly_above", "five launches")]),
        "Where warps go both ways the predicate costs no more; sorting the elements first has to pay for itself.",
    ),
    effect(
        8,
        "divergence",
        "a costly side that is rarely wanted",
        1 << 19,
        Examples(&[("rare_predicated", ""), ("rare_voted", ""), ("rare_async", ""), ("rare_bulk", "")]),
        "After a vote, warps skip what none of their lanes wants; tiles that are copied ahead are not waited for.",
    ),
    effect(
        9,
        "divergence",
        "rare long work, alone or from a queue",
        1 << 19,
        Examples(&[("dive_alone", ""), ("dive_from_queue", "")]),
        "Blocks scout, and dive when their queues hold enough for whole warps: nearly all lanes are active.",
    ),
    effect(
        10,
        "divergence",
        "forces within a cutoff, sorted by place or not",
        1 << 20,
        Examples(&[("forces", "")]),
        "Sorted, lanes of a warp agree more often on who is near, and tiles that are too far apart are seen by their boxes.",
    ),
    effect(
        11,
        "divergence",
        "corrections for cells at the edges of a polygon, with branches and with arithmetic",
        1 << 14,
        Examples(&[("coverage_branches", ""), ("coverage_arithmetic", "")]),
        "Whether an edge passes a cell, ends in it or cuts its corner is multipliers and clamped coordinates: nothing is left to disagree about.",
    ),
    effect(
        12,
        "divergence",
        "blocks of a fixed shape, or of the shape of the box",
        1 << 14,
        Examples(&[("boxes_fixed", ""), ("boxes_virtual", "")]),
        "A shape that fits leaves fewer threads idle.",
    ),
    effect(
        13,
        "divergence",
        "two sides by the warp, or by the lane",
        1 << 19,
        Examples(&[("branch_by_warp", ""), ("branch_by_lane", "")]),
        "What the whole warp decides costs one side.",
    ),
    effect(
        14,
        "warp",
        "sums of blocks",
        1 << 18,
        Examples(&[("sum_shared", ""), ("sum_shuffles", ""), ("sum_warps", ""), ("sum_block", "")]),
        "The attributes are as short as they look: no more instructions than shuffles by hand.",
    ),
    effect(
        14,
        "warp",
        "maxima of blocks",
        1 << 18,
        Examples(&[
            ("max_shared", ""),
            ("max_shuffles", ""),
            ("max_warps", ""),
            ("max_block", ""),
            ("max_redux", ""),
        ]),
        "One instruction of sm_80 takes the place of five shuffles.",
    ),
    effect(
        14,
        "warp",
        "dot products of blocks",
        1 << 18,
        Examples(&[("dot_shared", ""), ("dot_shuffles", ""), ("dot_block", "")]),
        "As with sums.",
    ),
    effect(
        14,
        "warp",
        "scans of blocks",
        1 << 19,
        Examples(&[("scan_shared", ""), ("scan_shuffles", ""), ("scan_warps", ""), ("scan_block", "")]),
        "Two barriers a step through shared memory, one in all with shuffles.",
    ),
    effect(
        15,
        "warp",
        "counts of 64 numbers, most of them the same few",
        1 << 19,
        Examples(&[("histogram_plain", ""), ("histogram_matched", ""), ("histogram_shared", "")]),
        "Lanes with the same number agree on it, and one counts for all; a block counts for itself first.",
    ),
    effect(
        15,
        "warp",
        "the numbers above a bound, side by side",
        1 << 19,
        Examples(&[("compact_plain", ""), ("compact_ballot", "")]),
        "One atomic operation of a warp takes the place of one for each number.",
    ),
    effect(
        16,
        "ilp",
        "sums at one block per SM",
        1 << 19,
        Examples(&[("sum_one", ""), ("sum_four", ""), ("sum_ilp", ""), ("sum_ahead", "")]),
        "Four accumulators are four loads under way: three to four times as fast where there are few warps.",
    ),
    effect(
        17,
        "ilp",
        "a chain of multiply-adds, or four",
        1 << 19,
        Examples(&[("chain_dependent", ""), ("chain_independent", "")]),
        "The same work waits less for itself.",
    ),
    effect(
        18,
        "ilp",
        "loops that are unrolled",
        1 << 19,
        Examples(&[("dot", ""), ("dot_by_two", ""), ("dot_unroll_two", ""), ("dot_unrolled", "")]),
        "Unrolled loops count and branch less often; short ones are unrolled without being asked, and `#[unroll(2)]` holds that back.",
    ),
    effect(
        18,
        "ilp",
        "a weighted sum of four neighbours",
        1 << 18,
        Examples(&[("four_taps", ""), ("four_taps_unrolled", ""), ("four_taps_written_out", "")]),
        "Written out, the weights are arguments: nothing is left to load but the elements.",
    ),
    effect(
        19,
        "ilp",
        "additions that wait for each other",
        1 << 10,
        Examples(&[("accumulate", ""), ("accumulate_two", "")]),
        "16 warps take no longer than one: a chain leaves the issue slots to others.",
    ),
    effect(
        20,
        "ilp",
        "loads ahead of their use",
        1 << 19,
        Examples(&[("weigh", ""), ("weigh_ahead", "")]),
        "The next load is under way while this one's value is used.",
    ),
    effect(
        22,
        "instructions",
        "a polynomial of degree 64, 32 times an element",
        1 << 19,
        Examples(&[
            ("powers_f64", "in the talk 40,862 µs"),
            ("powers_f32", "in the talk 6,198 µs, 6.59 × faster"),
            ("running_power", "in the talk 455 µs, 89.8 × faster"),
            ("horner_unfused", "in the talk 319 µs, 128 × faster"),
            ("horner_fused", "in the talk 171 µs, 239 × faster"),
            ("estrin_horner", ""),
        ]),
        "A ladder: every step is fewer or cheaper instructions.",
    ),
    effect(
        23,
        "instructions",
        "crossings of segments with coordinates up to 1e19, 1e18 and 100",
        1 << 14,
        Runs(crossings),
        "The larger the numbers, the more divisions take their slow way, and products overflow, so that crossings are missed; \
         boxes skip work where whole warps agree.",
    ),
    effect(
        24,
        "instructions",
        "angles below a limit",
        1 << 19,
        Examples(&[("angle_acos", ""), ("angle_cosine", "")]),
        "The cosine decreases: it can be compared as it is.",
    ),
    effect(
        25,
        "instructions",
        "functions, accurate and fast",
        1 << 18,
        Apart(&["exp_accurate", "exp_fast", "sin_accurate", "sin_fast", "ln_accurate", "ln_fast"]),
        "The hardware's approximation is one instruction or two; `math-table` tells the errors.",
    ),
    effect(
        26,
        "instructions",
        "indices of 32 and of 64 bits",
        1 << 14,
        Examples(&[("quantiles", ""), ("quantiles_wide", "")]),
        "Wide indices take more registers and instructions.",
    ),
    effect(
        27,
        "intensity",
        "two kernels, or one",
        1 << 19,
        Examples(&[("roots", "two launches"), ("sine_roots", "")]),
        "What stays in registers does not move: half the bytes.",
    ),
    effect(
        28,
        "intensity",
        "rows of 8,192 elements, L2 normalisation",
        1 << 19,
        Examples(&[("l2_two_passes", ""), ("l2_registers", "")]),
        "A row that is kept in registers is read once.",
    ),
    effect(
        29,
        "intensity",
        "rows of 8,192 elements, softmax and norms",
        1 << 19,
        Apart(&["softmax", "layer_norm", "rms_norm"]),
        "All of them are as fast as memory, if the row is read once.",
    ),
    effect(
        30,
        "intensity",
        "matrix products of 256 × 256",
        1 << 18,
        Examples(&[
            ("matmul_naive", ""),
            ("matmul_tiled", ""),
            ("matmul_registers", ""),
            ("matmul_double_buffered", ""),
            ("matmul_async", ""),
        ]),
        "Each element that is loaded serves more multiply-adds.",
    ),
    effect(
        31,
        "intensity",
        "tiles in a pipeline",
        1 << 19,
        Examples(&[("tiles_in_turn", ""), ("tiles_in_stages", ""), ("tiles_async", "")]),
        "Loads under way while another tile is worked on, in registers or past them; half the barriers.",
    ),
    effect(
        32,
        "intensity",
        "weights in global or in shared memory",
        1 << 14,
        Examples(&[("filter_plain", ""), ("filter_staged", "")]),
        "A weight that is read serves four elements.",
    ),
    effect(
        33,
        "intensity",
        "squares, loaded or computed again",
        1 << 19,
        Examples(&[("squares_loaded", ""), ("squares_again", "")]),
        "An instruction costs less than four bytes.",
    ),
    effect(
        34,
        "intensity",
        "matrices, which way they are walked through",
        1 << 19,
        Examples(&[("double_along_rows", ""), ("double_along_columns", "")]),
        "Along columns each lane has a sector of its own.",
    ),
    effect(
        34,
        "intensity",
        "matrices, transposed",
        1 << 19,
        Examples(&[("transpose_direct", ""), ("transpose_tiles", "")]),
        "Through tiles both sides go along rows; without padding, all lanes have the same bank.",
    ),
    effect(
        35,
        "intensity",
        "matrix products by tensor cores",
        1 << 18,
        Apart(&["matmul_tensor"]),
        "An instruction multiplies 16 × 8 by 16 elements; copies, loads of fragments and products are under way at once.",
    ),
    effect(
        40,
        "low level",
        "cache operators and prefetches",
        1 << 14,
        Examples(&[("gain_in_l2", ""), ("gain_streamed", ""), ("gain_prefetched", ""), ("gain_in_bulk", "")]),
        "What is read once need not displace what is read again.",
    ),
    effect(
        41,
        "host",
        "copies beside kernels",
        1 << 14,
        Runs(streams),
        "In chunks over several streams, copies both ways and kernels go on at once; what stays on the device needs none.",
    ),
    effect(
        42,
        "host",
        "many small launches",
        1 << 10,
        Runs(graphs),
        "A graph is asked for once: its launches cost the host next to nothing.",
    ),
    effect(
        43,
        "host",
        "an all-reduce over devices in a ring",
        1 << 14,
        Runs(all_reduces),
        "Each device sends nearly two arrays, however many there are, and all ways are busy at once.",
    ),
];

/// Data that stays on the device, and data that is copied there and back in chunks.
fn streams(lab: &Lab, elements: usize) -> Result<Vec<Measured>, String> {
    let gpu = &lab.gpu;
    let host = host::input(elements);
    let said = |error: Error| error.to_string();
    let x = gpu.upload(&host).map_err(said)?;
    let expected: Vec<f32> =
        host.par_iter().map(|&value| crate::divergence::costly_reference(value)).collect();
    let resident = lab.measure(&costly_branch::KERNEL, "what is there already", || {
        let mut out = gpu.zeros(elements)?;
        let report = costly_branch(0.0, &x, &mut out).over(elements).run()?;
        Ok(Outcome { report, output: out.to_vec()?, expected: expected.clone(), tolerance: 1e-5 })
    })?;
    let mut all = vec![Measured { bytes_per_second: None, ..resident.clone() }];
    for (chunks, streams) in [(1, 1), (8, 1), (8, 2), (8, 4), (32, 4)] {
        let mut runs = Vec::new();
        for _ in 0..if gpu.is_simulator() { 1 } else { lab.rounds.max(1) } {
            runs.push(host::stream(gpu, elements, chunks, streams).map_err(said)?);
        }
        runs.sort_by_key(host::Timeline::total);
        let run = &runs[runs.len() / 2];
        let same = |(&found, &wanted): (&f32, &f32)| (found - wanted).abs() <= 1e-5 * wanted.abs();
        if run.output.len() != elements || !run.output.iter().zip(&expected).all(same) {
            return Err(format!("{chunks} chunks over {streams} streams gave something else"));
        }
        // The host's clock says nothing of a device.
        let seconds = (!gpu.is_simulator()).then(|| run.total().as_secs_f64());
        all.push(Measured {
            variant: format!("copied there and back, chunks: {chunks}, streams: {streams}"),
            seconds,
            bytes_per_second: seconds.map(|seconds| 8.0 * elements as f64 / seconds),
            counted: None,
            note: match gpu.is_simulator() {
                true => "right".to_owned(),
                false => format!("{:.1} chunks under way", run.at_once()),
            },
            ..resident.clone()
        });
    }
    Ok(all)
}

/// Launches so many kernels, and returns the time that it took and an element of the result.
type Launcher = fn(&Gpu, usize) -> Result<(Duration, f32)>;

/// Many launches, one by one and as a graph; fewer on the simulator, for which each is work.
fn graphs(lab: &Lab, _: usize) -> Result<Vec<Measured>, String> {
    let gpu = &lab.gpu;
    let launches = if gpu.is_simulator() { 20 } else { 1000 };
    let said = |error: Error| error.to_string();
    // Each way is run twice.
    let expected = (0..2 * launches).fold(1.0, |y, _| y * host::FACTOR);
    let alone = lab.measure(&scale::KERNEL, "one launch", || {
        let mut y = gpu.upload(&[1.0f32; host::SMALL])?;
        let report = scale(host::FACTOR, &mut y).over(host::SMALL).run()?;
        Ok(Outcome { report, output: y.to_vec()?, expected: vec![host::FACTOR; host::SMALL], tolerance: 0.0 })
    })?;
    let ways: [(&str, Launcher); 2] =
        [("each asked for", host::launch_each), ("as a graph", host::launch_graph)];
    let mut all = Vec::new();
    for (way, launch) in ways {
        let mut times = Vec::new();
        for _ in 0..if gpu.is_simulator() { 1 } else { lab.rounds.max(1) } {
            let (time, found) = launch(gpu, launches).map_err(said)?;
            if found != expected {
                return Err(format!("{launches} launches, {way}: found {found:?}, expected {expected:?}"));
            }
            times.push(time);
        }
        times.sort_unstable();
        let time = times[times.len() / 2].as_secs_f64();
        let real = !gpu.is_simulator();
        all.push(Measured {
            variant: format!("{launches} launches, {way}"),
            // The simulator's time for a launch is no cost of launches.
            seconds: real.then_some(time),
            bytes_per_second: None,
            counted: None,
            note: match real {
                true => format!("{:.2} µs a launch", 1e6 * time / launches as f64),
                false => "right".to_owned(),
            },
            ..alone.clone()
        });
    }
    Ok(all)
}

/// Sums over rings of devices: as many simulators as are asked for, or GPUs where there are so many.
fn all_reduces(lab: &Lab, elements: usize) -> Result<Vec<Measured>, String> {
    let gpu = &lab.gpu;
    let said = |error: Error| error.to_string();
    let there = if gpu.is_simulator() { u32::MAX } else { Gpu::cuda_devices().map_err(said)? };
    let mut all: Vec<Measured> = Vec::new();
    let alone = lab.measure(&ring::accumulate::KERNEL, "a sum on one device", || {
        let arrays = ring::arrays(2, elements);
        let (x, mut y) = (gpu.upload(&arrays[0])?, gpu.upload(&arrays[1])?);
        let report = ring::accumulate(&x, &mut y).over(elements).run()?;
        Ok(Outcome { report, output: y.to_vec()?, expected: ring::sum(&arrays), tolerance: 0.0 })
    })?;
    let bytes_per_second = alone.bytes_per_second.map(|per_second| 12.0 * elements as f64 * per_second);
    all.push(Measured { bytes_per_second, ..alone.clone() });
    for devices in [1, 2, 4, 8] {
        let variant = format!("all-reduce over {devices}");
        let unknown =
            Measured { variant, seconds: None, bytes_per_second: None, counted: None, ..alone.clone() };
        if devices > there {
            all.push(Measured { note: format!("not run: there are {there} GPUs"), ..unknown });
            continue;
        }
        let device = |number: u32| match gpu.is_simulator() {
            true => Ok(Gpu::simulator(gpu.arch())),
            false => Gpu::cuda(number),
        };
        let gpus = (0..devices).map(device).collect::<Result<Vec<Gpu>>>().map_err(said)?;
        let (time, found) =
            ring::run(&gpus, elements, if gpu.is_simulator() { 1 } else { lab.rounds }).map_err(said)?;
        let expected = ring::sum(&ring::arrays(gpus.len(), elements));
        if let Some(rank) = found.iter().position(|array| *array != expected) {
            return Err(format!("all-reduce over {devices}: device {rank} has something else than the sum"));
        }
        // The host's clock says nothing of simulators. Each device sends and receives so many bytes.
        let seconds = (!gpu.is_simulator()).then_some(time.as_secs_f64());
        let sent = 2.0 * f64::from(devices - 1) / f64::from(devices) * 4.0 * elements as f64;
        let bytes_per_second = seconds.filter(|_| devices > 1).map(|seconds| sent / seconds);
        let note = format!("right; {:.2} MB sent by each", sent / 1e6);
        all.push(Measured { seconds, bytes_per_second, note, ..unknown });
    }
    Ok(all)
}

/// The block sizes at which the occupancy of small blocks, of the driver's choice and of large ones shows.
const BLOCKS: [u32; 8] = [32, 64, 128, 256, 384, 512, 768, 1024];

fn block_sizes(lab: &Lab, elements: usize) -> Result<Vec<Measured>, String> {
    let (host_x, host_y) = (random(1, elements), random(2, elements));
    let expected: Vec<f32> = host_x.iter().zip(&host_y).map(|(&x, &y)| 2.5f32.mul_add(x, y)).collect();
    let gpu = &lab.gpu;
    let run = |block: u32| {
        let (x, mut y) = (gpu.upload(&host_x)?, gpu.upload(&host_y)?);
        let report = saxpy(2.5, &x, &mut y).over(elements).block(block).run()?;
        Ok(Outcome { report, output: y.to_vec()?, expected: expected.clone(), tolerance: 0.0 })
    };
    let best = saxpy::KERNEL.best_block_size(gpu).map_err(|error| error.to_string())?.threads;
    let measure = |&block: &u32| {
        let measured = lab.measure(&saxpy::KERNEL, &format!("a x + y, {block} threads"), || run(block))?;
        let bytes = 12.0 * elements as f64;
        let note = if block == best { "chosen by `over(n)`".to_owned() } else { String::new() };
        let bytes_per_second = measured.bytes_per_second.map(|per_second| per_second * bytes);
        Ok(Measured { bytes_per_second, note, ..measured })
    };
    BLOCKS.iter().map(measure).collect()
}

/// The three tables as one: each test with and without boxes, at each scale.
fn crossings(lab: &Lab, pairs: usize) -> Result<Vec<Measured>, String> {
    let kernel = |test: Test, boxes: bool| match (test, boxes) {
        (Test::Division, false) => crossings_division::kernel::<false>(),
        (Test::Division, true) => crossings_division::kernel::<true>(),
        (Test::Comparison, false) => crossings_comparison::kernel::<false>(),
        (Test::Comparison, true) => crossings_comparison::kernel::<true>(),
        (Test::Straddle, false) => crossings_straddle::kernel::<false>(),
        (Test::Straddle, true) => crossings_straddle::kernel::<true>(),
    };
    let mut all = Vec::new();
    for (scale, of_scale) in [(1e19, "1e19"), (1e18, "1e18"), (1e2, "100")] {
        for (test, of_test) in [
            (Test::Division, "division"),
            (Test::Comparison, "no division"),
            (Test::Straddle, "straddle test"),
        ] {
            for (boxes, of_boxes) in [(false, ""), (true, ", boxes")] {
                let found = std::cell::Cell::new(0.0);
                let run = || -> Result<Outcome> {
                    // Each thread does all pairs of its segment.
                    let outcome = segments::run(&lab.gpu, pairs.min(1 << 24), scale, test, boxes)?;
                    found.set(outcome.output.iter().map(|&crossed| f64::from(crossed)).sum::<f64>());
                    Ok(outcome)
                };
                let variant = format!("up to {of_scale}, {of_test}{of_boxes}");
                let measured = lab.measure(kernel(test, boxes), &variant, run)?;
                let note = format!("{} crossings", found.get());
                all.push(Measured { bytes_per_second: None, note, ..measured });
            }
        }
    }
    Ok(all)
}
