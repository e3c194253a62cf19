//! Bounds on a launch: the least cycles by each resource, the regime, and advice on a faster kernel.

use std::collections::BTreeMap;

use ptx::occupancy::Occupancy;

use super::machine::{ISSUE, Machine};
use super::numbers::{percent, short, time};
use super::{Bound, Class, Counts, Estimate, Profile, Regime, Stall};

/// Input of an estimate beyond the counts.
pub(super) struct Facts {
    pub(super) blocks: u64,
    pub(super) occupancy: Occupancy,
    /// Cycles that a block takes alone.
    pub(super) block_cycles: f64,
}

/// Seconds from the launch of an empty kernel to its end, about.
const LAUNCH: f64 = 2e-6;

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
    estimate.hints = hints(profile, facts);
    estimate
}

fn bound(what: &str, regime: Regime, cycles: f64) -> Bound {
    Bound { what: what.to_owned(), regime, cycles }
}

/// The share of the SMs that have work on average: the last wave of blocks leaves some without.
fn busy_sms(profile: &Profile, facts: &Facts) -> f64 {
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
        bound("first-level cache", Regime::Bandwidth, near / sms),
        bound("second-level cache", Regime::Bandwidth, far / sms),
        bound(MEMORY, Regime::Bandwidth, memory),
        bound("waiting of warps", Regime::Latency, facts.block_cycles * waves(profile, facts)),
    ]);
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
    let all = bounds.iter().map(|bound| Bound { cycles: filled(bound), ..bound.clone() });
    all.max_by(|a, b| a.cycles.total_cmp(&b.cycles))
}

/// The bound that all SMs share.
const MEMORY: &str = "device memory";

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

/// Advice on a faster kernel, with the lines that contribute most.
fn hints(profile: &Profile, facts: &Facts) -> Vec<String> {
    let counts = &profile.counts;
    let mut hints = Vec::new();
    let place = |most: fn(&Counts) -> u64| profile.line_with_most(most).map(|line| profile.place(line));
    let mut say = |what: String, most: fn(&Counts) -> u64, advice: &str| {
        let place = place(most).map_or_else(String::new, |place| format!("; most at {place}"));
        let advice = if advice.is_empty() { String::new() } else { format!(": {advice}") };
        hints.push(format!("{what}{place}{advice}"));
    };
    let part = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let excess = part(counts.excess_sectors(), counts.sectors);
    if excess > 0.1 {
        let text =
            format!("{} of the sectors of global memory are more than packed accesses take", percent(excess));
        say(
            text,
            Counts::excess_sectors,
            "let neighbouring threads access neighbouring elements, along the rows of a matrix, of an array for each field instead of one of structs",
        );
    }
    let conflicts = part(counts.bank_conflicts(), counts.wavefronts);
    if conflicts > 0.1 {
        let text = format!("{} of the passes over shared memory are bank conflicts", percent(conflicts));
        say(
            text,
            Counts::bank_conflicts,
            "lanes access different words of one bank: make the rows of the shared array longer by an element, `[[f32; 33]; 32]`",
        );
    }
    let efficiency = counts.warp_execution_efficiency();
    if efficiency < 0.9 {
        let text = format!("{} of the lanes were active, the others were elsewhere", percent(efficiency));
        let parting = place(|counts| counts.divergent_branches);
        let advice = parting.map_or_else(String::new, |place| {
            format!("they part most often at {place}: sort or part the data so that the lanes of a warp go one way")
        });
        say(text, |counts| 32 * counts.warp_instructions - counts.thread_instructions, &advice);
    }
    let off = part(
        counts.thread_instructions - counts.predicated_on_thread_instructions,
        counts.thread_instructions,
    );
    if off > 0.1 {
        let text = format!("{} of the active lanes were switched off by a predicate", percent(off));
        say(text, |counts| counts.thread_instructions - counts.predicated_on_thread_instructions, "");
    }
    if counts.local_requests > 0 {
        let text = format!("{} accesses to local memory", short(counts.local_requests as f64));
        say(
            text,
            |counts| counts.local_requests,
            "index local arrays by constants, and unroll the loops that do, `#[unroll]`",
        );
    }
    if let Some(stall) = counts.stalls.most() {
        let share = part(counts.stalls.get(stall), counts.stalls.total());
        let text = format!("{} of the waiting of warps is for {}", percent(share), stall.as_str());
        // One function each: what is most of all decides where.
        say(
            text,
            match stall {
                Stall::Memory => |counts| counts.stalls.get(Stall::Memory),
                Stall::Shared => |counts| counts.stalls.get(Stall::Shared),
                Stall::Barrier => |counts| counts.stalls.get(Stall::Barrier),
                Stall::Arithmetic => |counts| counts.stalls.get(Stall::Arithmetic),
                Stall::Special => |counts| counts.stalls.get(Stall::Special),
                Stall::Matrix => |counts| counts.stalls.get(Stall::Matrix),
                Stall::Collective => |counts| counts.stalls.get(Stall::Collective),
            },
            "",
        );
    }
    if facts.occupancy.fraction() < 0.5 {
        let better = profile.occupancy.curve.iter().max_by_key(|point| point.active_warps);
        if let Some(better) = better.filter(|point| point.active_warps > facts.occupancy.active_warps) {
            hints.push(format!(
                "blocks of {} threads would put {} warps on an SM instead of {}",
                better.threads, better.active_warps, facts.occupancy.active_warps
            ));
        }
    }
    hints
}
