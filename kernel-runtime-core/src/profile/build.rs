//! A profile from what the simulator counted.

use std::collections::BTreeMap;

use ptx::occupancy::{Occupancy, occupancy};
use ptx::target::WARP_SIZE;

use super::estimate::{Facts, estimate};
use super::machine::Machine;
use super::source;
use super::{
    Class, Counts, Device, InstructionProfile, LineProfile, MemoryRow, MixRow, OccupancyPoint,
    OccupancyProfile, Profile, Resources,
};
use crate::attributes::DeviceAttributes;
use crate::backend::{Execution, LaunchConfig};
use crate::gpu::{Gpu, LoadedKernel};
use ptx_sim::{LaunchStats, LineStats};

impl Profile {
    /// The profile of a launch that has ended well, if it was asked for.
    pub(crate) fn of(
        execution: &Execution,
        loaded: &LoadedKernel,
        config: &LaunchConfig,
        gpu: &Gpu,
        kernel: &str,
    ) -> Option<Profile> {
        let (detailed, ptx) = execution.detailed.as_ref()?;
        let stats = execution.stats.as_ref()?;
        let attributes = loaded.function.attributes();
        let device = gpu.attributes();
        let machine = Machine::of(device.arch);
        let resources = attributes.resources(config.dynamic_shared);
        let occupied = |threads: u32| occupancy(&device.limits, &resources, threads, config.dynamic_shared);
        let launched = occupied(config.block.iter().product());
        let counts = stats.counts();
        let ptx: Vec<&str> = ptx.lines().collect();
        let (paths, lines) = by_line(stats);
        let files = source::files(&paths, &lines);
        let mut profile = Profile {
            kernel: kernel.to_owned(),
            grid: config.grid,
            block: config.block,
            elements: loaded.elements,
            dynamic_shared: config.dynamic_shared,
            device: Device {
                name: device.name.clone(),
                like: DeviceAttributes::simulated_like(device.arch).to_owned(),
                sms: device.sms,
                clock_mhz: device.clock_khz / 1000,
                memory_bandwidth: machine.memory_bytes_per_second(),
            },
            resources: Resources {
                registers: attributes.registers,
                static_shared: attributes.static_shared,
                local_bytes: attributes.local_bytes,
            },
            counts,
            mix: mix(&stats.lines),
            memory: memory(&stats.lines),
            footprint: (32 * detailed.read_sectors, 32 * detailed.written_sectors),
            occupancy: OccupancyProfile {
                max_warps: launched.max_warps,
                launched: point(launched),
                curve: (1..=attributes.max_threads.div_ceil(WARP_SIZE))
                    .map(|warps| point(occupied(attributes.max_threads.min(warps * WARP_SIZE))))
                    .collect(),
            },
            estimate: super::Estimate::nothing(),
            lines,
            instructions: stats.lines.iter().map(|line| instruction(line, &ptx)).collect(),
            files,
        };
        let facts = Facts {
            blocks: config.grid.iter().map(|&size| u64::from(size)).product(),
            occupancy: launched,
            block_cycles: match detailed.sampled_blocks {
                0 => 0.0,
                blocks => detailed.sampled_cycles as f64 / blocks as f64,
            },
            instruction_cycles: match detailed.sampled_instructions {
                0 => 0.0,
                instructions => detailed.sampled_cycles as f64 / instructions as f64,
            },
            heaviest_block: detailed.heaviest_block,
            heaviest_instructions: detailed.heaviest_instructions,
            heaviest_line: detailed.heaviest_line,
            accessing_warps: detailed.accessing_warps,
            levelled_instructions: detailed.levelled_instructions,
            sampled_warps: {
                let threads: u32 = config.block.iter().product();
                detailed.sampled_blocks * u64::from(threads.div_ceil(WARP_SIZE))
            },
            chained_cycles: detailed.chained_cycles,
            wanted_registers: attributes.wanted_registers,
            remarks: loaded.variant.remarks,
        };
        profile.estimate = estimate(&profile, &facts, machine);
        Some(profile)
    }
}

fn point(occupancy: Occupancy) -> OccupancyPoint {
    OccupancyPoint {
        threads: occupancy.block_threads,
        active_blocks: occupancy.active_blocks,
        active_warps: occupancy.active_warps,
        limited_by: occupancy.limiters.to_string(),
    }
}

fn instruction(line: &LineStats, ptx: &[&str]) -> InstructionProfile {
    let text = line.code.ptx_line.checked_sub(1).and_then(|index| ptx.get(index as usize));
    let text = text.map_or(&*line.code.instruction, |text| text.trim());
    InstructionProfile {
        ptx_line: line.code.ptx_line,
        text: text.to_owned(),
        name: line.code.instruction.to_string(),
        class: line.class,
        counts: line.counts,
        pattern: line.pattern,
    }
}

/// The files in the order in which they come, and the lines of each; instructions of no line last.
fn by_line(stats: &LaunchStats) -> (Vec<String>, Vec<LineProfile>) {
    let mut paths: Vec<String> = Vec::new();
    let mut lines: BTreeMap<(usize, u32), LineProfile> = BTreeMap::new();
    for (index, instruction) in stats.lines.iter().enumerate() {
        let (file, number) = match &instruction.code.source {
            Some(source) => {
                let known = paths.iter().position(|path| **path == *source.file);
                let file = known.unwrap_or_else(|| {
                    paths.push(source.file.to_string());
                    paths.len() - 1
                });
                (Some(file), source.line)
            }
            None => (None, 0),
        };
        let line = lines.entry((file.unwrap_or(usize::MAX), number)).or_insert_with(|| LineProfile {
            file,
            line: number,
            counts: Counts::default(),
            instructions: Vec::new(),
        });
        line.counts.add(&instruction.counts);
        line.instructions.push(index);
    }
    (paths, lines.into_values().collect())
}

fn mix(lines: &[LineStats]) -> Vec<MixRow> {
    let row = |&class: &Class| {
        let mut all = Counts::default();
        lines.iter().filter(|line| line.class == class).for_each(|line| all.add(&line.counts));
        MixRow {
            class,
            warp_instructions: all.warp_instructions,
            thread_instructions: all.predicated_on_thread_instructions,
            operations: all.operations,
        }
    };
    Class::ALL.iter().map(row).filter(|row| row.warp_instructions > 0).collect()
}

/// Names of accesses, by their class.
const ACCESSES: &[(Class, &str)] = &[
    (Class::Load, "loads"),
    (Class::Store, "stores"),
    (Class::Atomic, "atomic operations"),
    (Class::Copy, "asynchronous copies"),
];

fn memory(lines: &[LineStats]) -> Vec<MemoryRow> {
    let mut rows = Vec::new();
    for (space, uses) in [("global", true), ("shared", true), ("local", false)] {
        for &(class, name) in ACCESSES {
            let mut all = Counts::default();
            lines.iter().filter(|line| line.class == class).for_each(|line| all.add(&line.counts));
            let what = format!("{space} {name}");
            let empty = MemoryRow {
                what,
                requests: 0,
                bytes: None,
                sectors: None,
                ideal_sectors: None,
                near_sectors: None,
                wavefronts: None,
                ideal_wavefronts: None,
            };
            rows.push(match (space, uses) {
                ("global", _) => MemoryRow {
                    requests: all.global_requests,
                    bytes: Some(all.global_bytes),
                    sectors: Some(all.sectors),
                    ideal_sectors: Some(all.ideal_sectors),
                    near_sectors: (class == Class::Load).then_some(all.near_sectors),
                    ..empty
                },
                (_, true) => MemoryRow {
                    requests: all.shared_requests,
                    wavefronts: Some(all.wavefronts),
                    ideal_wavefronts: Some(all.ideal_wavefronts),
                    ..empty
                },
                (_, false) => {
                    MemoryRow { requests: all.local_requests, bytes: Some(all.local_bytes), ..empty }
                }
            });
        }
    }
    rows.retain(|row| row.requests > 0);
    rows
}
