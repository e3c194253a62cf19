//! Bounds on a launch: the least cycles by each resource, and the regime.

use std::collections::BTreeMap;

use ptx::occupancy::Occupancy;

use super::hints::{Look, hints};
use super::machine::{ISSUE, Machine, NEAR};
use super::numbers::{percent, short, time};
use super::{Bound, Class, Estimate, Profile, Regime};
use crate::report::Remark;

/// Input of an estimate beyond the counts.
pub(super) struct Facts {
    pub(super) blocks: u64,
    pub(super) occupancy: Occupancy,
    /// Cycles that a block takes alone.
    pub(super) block_cycles: f64,
    /// Cycles by which a block takes longer for each warp instruction.
    pub(super) instruction_cycles: f64,
    /// The linear index of the block that executes the most, its warp instructions, and the one among the instructions that it executes
    /// most often.
    pub(super) heaviest_block: u64,
    pub(super) heaviest_instructions: u64,
    pub(super) heaviest_line: usize,
    /// Warps that accessed memory.
    pub(super) accessing_warps: u64,
    /// Warp instructions if all warps had as many as the busiest one of their block.
    pub(super) levelled_instructions: u64,
    /// Warps whose waiting was followed.
    pub(super) sampled_warps: u64,
    /// Cycles that these waited for loads whose address came from a chain of loads.
    pub(super) chained_cycles: u64,
    /// Registers of a thread without a limit, about.
    pub(super) wanted_registers: u32,
    /// The compiler's remarks on the version that ran.
    pub(super) remarks: &'static [Remark],
}

/// Times the average from which on a block counts as heavy.
const HEAVY: f64 = 1.75;

impl Facts {
    /// Instructions of the heaviest block over those of blocks on average, if it is out of proportion: it alone has more than half of what an
    /// SM executes when blocks are spread evenly.
    pub(super) fn heaviest_share(&self, warp_instructions: u64, sms: u32) -> Option<f64> {
        let share = self.heaviest_instructions as f64 * self.blocks as f64 / warp_instructions.max(1) as f64;
        let of_sm = warp_instructions as f64 / f64::from(sms.max(1));
        (share >= HEAVY && self.heaviest_instructions as f64 > 0.5 * of_sm).then_some(share)
    }
}

/// Seconds from the launch of an empty kernel to its end, about.
pub(crate) const LAUNCH: f64 = 2e-6;

impl Estimate {
    /// Before anything is known.
    pub(super) fn nothing() -> Estimate {
        Estimate {
            regime: Regime::Parallelism,
            reasons: Vec::new(),
            hints: Vec::new(),
            bounds: Vec::new(),
            intensity: 0.0,
            seconds: 0.0,
        }
    }
}

pub(super) fn estimate(profile: &Profile, facts: &Facts, machine: &Machine) -> Estimate {
    let bounds = bounds(profile, facts, machine);
    let hertz = f64::from(profile.device.clock_mhz) * 1e6;
    let greatest = bounds.first().cloned().unwrap_or_else(|| bound("nothing", Regime::Parallelism, 0.0));
    let seconds = greatest.cycles / hertz;
    let bytes = profile.footprint.0 + profile.footprint.1;
    let intensity = if bytes == 0 { 0.0 } else { profile.counts.operations as f64 / bytes as f64 };
    let regime = regime(&greatest, seconds, profile, facts);
    let mut estimate =
        Estimate { regime, reasons: Vec::new(), hints: Vec::new(), bounds, intensity, seconds };
    estimate.reasons = reasons(&estimate, profile, facts, machine, hertz);
    let filled = with_more_blocks(&estimate.bounds, profile, facts);
    estimate.hints = hints(&Look { profile, facts, bounds: &estimate.bounds, filled });
    estimate
}

fn bound(what: &str, regime: Regime, cycles: f64) -> Bound {
    Bound { what: what.to_owned(), regime, cycles }
}

/// The SMs that have work on average: the last wave of blocks leaves some without.
pub(super) fn busy_sms(profile: &Profile, facts: &Facts) -> f64 {
    let sms = u64::from(profile.device.sms.max(1));
    facts.blocks as f64 / facts.blocks.div_ceil(sms).max(1) as f64
}

/// Number of waves of blocks on an SM.
fn waves(profile: &Profile, facts: &Facts) -> f64 {
    let at_once = u64::from(profile.device.sms.max(1)) * u64::from(facts.occupancy.active_blocks.max(1));
    (facts.blocks as f64 / at_once as f64).max(1.0)
}

/// The cycles that each resource takes, the most first.
fn bounds(profile: &Profile, facts: &Facts, machine: &Machine) -> Vec<Bound> {
    let counts = &profile.counts;
    let sms = busy_sms(profile, facts);
    let mut pipes: BTreeMap<&str, f64> = BTreeMap::new();
    let mut matrix = 0.0;
    for row in &profile.mix {
        if let Some((name, cycles)) = machine.pipe(row.class) {
            *pipes.entry(name).or_default() += cycles * row.warp_instructions as f64;
        }
        if row.class == Class::Matrix {
            matrix += row.operations as f64 / machine.matrix_operations();
        }
    }
    // A request takes a cycle for each line of 128 bytes, and one at least.
    let near: f64 = (profile.instructions.iter())
        .map(|instruction| &instruction.counts)
        .map(|counts| {
            (counts.global_requests as f64).max(counts.sectors as f64 / 4.0) + counts.local_requests as f64
        })
        .sum();
    let far = 32.0 * (counts.sectors - counts.near_sectors) as f64 / machine.l2_bytes();
    let memory_per_cycle = machine.memory_bytes_per_second() / (f64::from(profile.device.clock_mhz) * 1e6);
    let memory = (profile.footprint.0 + profile.footprint.1) as f64 / memory_per_cycle;
    let mut all: Vec<Bound> =
        pipes.into_iter().map(|(name, cycles)| bound(name, Regime::Compute, cycles / sms)).collect();
    all.extend([
        bound("issue of instructions", Regime::Compute, counts.warp_instructions as f64 / ISSUE / sms),
        bound("products of matrices", Regime::Compute, matrix / sms),
        bound("shared memory", Regime::Bandwidth, counts.wavefronts as f64 / sms),
        bound(NEAR, Regime::Bandwidth, near / sms),
        bound("second-level cache", Regime::Bandwidth, far / sms),
        bound(MEMORY, Regime::Bandwidth, memory),
        bound("constant cache", Regime::Bandwidth, counts.constant_passes as f64 / sms),
        bound("waiting of warps", Regime::Latency, facts.block_cycles * waves(profile, facts)),
    ]);
    // About as much longer than the sampled ones as it has more instructions.
    if facts.heaviest_share(counts.warp_instructions, profile.device.sms).is_some() {
        let cycles = facts.instruction_cycles * facts.heaviest_instructions as f64;
        all.push(bound(LONGEST, Regime::Parallelism, cycles));
    }
    all.retain(|bound| bound.cycles > 0.0);
    all.sort_by(|a, b| b.cycles.total_cmp(&a.cycles));
    all
}

/// The greatest bound if there were many more such blocks: enough to fill the device over and over.
fn with_more_blocks(bounds: &[Bound], profile: &Profile, facts: &Facts) -> Option<Bound> {
    let sms = f64::from(profile.device.sms.max(1));
    let at_once = sms * f64::from(facts.occupancy.active_blocks.max(1));
    let filled = |bound: &Bound| match bound.regime {
        Regime::Latency => facts.block_cycles * facts.blocks as f64 / at_once,
        // Not a matter of how many SMs are busy.
        _ if bound.what == MEMORY => bound.cycles,
        Regime::Compute | Regime::Bandwidth | Regime::Parallelism => {
            bound.cycles * busy_sms(profile, facts) / sms
        }
    };
    // One block that is long stays so.
    let all = bounds.iter().filter(|bound| bound.regime != Regime::Parallelism);
    let all = all.map(|bound| Bound { cycles: filled(bound), ..bound.clone() });
    all.max_by(|a, b| a.cycles.total_cmp(&b.cycles))
}

/// The bound of a block that alone takes longer than the others.
pub(super) const LONGEST: &str = "the longest block";

/// The bound that all SMs share.
pub(super) const MEMORY: &str = "device memory";

fn regime(greatest: &Bound, seconds: f64, profile: &Profile, facts: &Facts) -> Regime {
    match greatest.regime {
        _ if seconds < LAUNCH => Regime::Parallelism,
        // Waiting would be hidden if there were more to do meanwhile.
        Regime::Latency if waves(profile, facts) <= 1.0 || facts.occupancy.fraction() < 0.25 => {
            Regime::Parallelism
        }
        regime => regime,
    }
}

/// The table of bounds, in words.
fn reasons(
    estimate: &Estimate,
    profile: &Profile,
    facts: &Facts,
    machine: &Machine,
    hertz: f64,
) -> Vec<String> {
    let mut reasons = Vec::new();
    let Some(first) = estimate.bounds.first() else { return vec!["nothing was executed".to_owned()] };
    let mut sentence = format!(
        "{} takes the most, {} cycles ({}) at least",
        first.what,
        short(first.cycles),
        time(estimate.seconds)
    );
    if let Some(second) = estimate.bounds.iter().find(|bound| bound.regime != first.regime) {
        let part = percent(second.cycles / first.cycles);
        sentence.push_str(&format!(
            "; of {}, {} takes the most, {part} of that",
            second.regime.as_str(),
            second.what
        ));
    }
    reasons.push(sentence);
    let occupancy = &facts.occupancy;
    if estimate.seconds < LAUNCH {
        reasons.push(format!("the launch itself takes longer: about {}", time(LAUNCH)));
    }
    let sms = u64::from(profile.device.sms);
    let at_once = sms * u64::from(occupancy.active_blocks.max(1));
    if facts.blocks < sms {
        reasons.push(format!(
            "{} blocks leave {} of {sms} SMs without work",
            facts.blocks,
            sms - facts.blocks
        ));
    } else if facts.blocks < at_once {
        reasons
            .push(format!("{} blocks do not fill the device, which holds {at_once} at once", facts.blocks));
    }
    if estimate.regime == Regime::Parallelism
        && let Some(bound) = with_more_blocks(&estimate.bounds, profile, facts)
    {
        let regime = bound.regime.as_str();
        reasons.push(format!("with many more such blocks it would be bound by {regime}: {}", bound.what));
    }
    if estimate.bounds.iter().any(|bound| bound.regime == Regime::Latency) {
        reasons.push(format!(
            "occupancy is {}, limited by {}",
            percent(occupancy.fraction()),
            occupancy.limiters
        ));
    }
    if estimate.intensity > 0.0 {
        let ridge =
            machine.operations() * f64::from(profile.device.sms) * hertz / machine.memory_bytes_per_second();
        reasons.push(format!(
            "{} floating-point operations per byte of memory touched; the f32 units of {} are as fast as its memory at {}",
            short(estimate.intensity),
            profile.device.like,
            short(ridge)
        ));
    }
    reasons
}
