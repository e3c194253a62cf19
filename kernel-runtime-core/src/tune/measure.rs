//! Trial runs: every instance on copies of what the launch writes, first for equal results, then for time.

use std::time::Duration;

use super::estimate;
use super::outputs::Copies;
use super::report::Cost;
use super::{Candidate, Tuned};
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::launch::{Args, Prepared, Shape};

/// Time on the device to spend on rounds: beyond the fewest, no more of them than fit.
const BUDGET: Duration = Duration::from_millis(300);
/// Runs of each instance whose median counts; odd, so that there is a middle one.
const FEWEST_ROUNDS: usize = 5;
const MOST_ROUNDS: usize = 21;

/// Result of the trial runs.
pub(super) struct Measured {
    /// By the index of the candidate.
    pub(super) costs: Vec<(usize, Cost)>,
    /// The index of the cheapest.
    pub(super) chosen: usize,
}

/// A candidate that runs, on the copies.
struct Trial<'gpu> {
    index: usize,
    prepared: Prepared<'gpu, 'gpu>,
}

/// Runs the candidates with these indices. Nothing uses the buffers of the launch any more: the host copies them.
///
/// # Errors
///
/// [`Error::InstancesDiffer`]; what the kernel itself does wrong; where no candidate can run, why the first cannot.
pub(super) fn measure(
    tuned: &'static Tuned,
    allowed: &[usize],
    args: &Args<'_>,
    gpu: &Gpu,
    shape: &Shape,
) -> Result<Measured> {
    let copies = Copies::new(gpu, args.outputs())?;
    let redirected = args.redirected(copies.buffers());
    let (mut trials, mut costs, mut first_error) = (Vec::new(), Vec::new(), None);
    for &index in allowed {
        let candidate = &tuned.candidates()[index];
        match Prepared::new(candidate.kernel, &redirected, gpu, &candidate.shape(shape)) {
            Ok(prepared) => trials.push(Trial { index, prepared }),
            Err(error) => {
                costs.push((index, Cost::Skipped(reason(&error))));
                first_error.get_or_insert(error);
            }
        }
    }
    let found = match gpu.is_simulator() {
        true => estimate_all(tuned, &trials, &copies, gpu)?,
        false => time_all(tuned, &trials, &copies, gpu)?,
    };
    costs.extend(found);
    costs.sort_by_key(|&(index, _)| index);
    let runnable = costs.iter().filter_map(|(index, cost)| Some((*index, cost.value()?)));
    // Of equals the first.
    let best = runnable.reduce(|best, next| if next.1 < best.1 { next } else { best });
    match (best, first_error) {
        (Some((chosen, _)), _) => Ok(Measured { costs, chosen }),
        (None, Some(error)) => Err(error),
        (None, None) => Err(Error::Internal { what: "a tuned kernel without instances".to_owned() }),
    }
}

/// Why a candidate cannot run, on one line and without advice.
fn reason(error: &Error) -> String {
    let text = match error {
        Error::Launch { reason, .. } => reason.to_string(),
        other => other.to_string(),
    };
    text.lines().next().unwrap_or_default().to_owned()
}

/// Runs every trial once, compares the results, and returns the values of `run`.
fn verify<T>(
    tuned: &'static Tuned,
    trials: &[Trial<'_>],
    copies: &Copies<'_>,
    mut run: impl FnMut(&Trial<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut worth = Vec::with_capacity(trials.len());
    let mut expected: Option<(&Candidate, Vec<Vec<u8>>)> = None;
    for trial in trials {
        copies.restore()?;
        worth.push(run(trial)?);
        let candidate = &tuned.candidates()[trial.index];
        let Some((first, expected)) = &expected else {
            expected = Some((candidate, copies.read()?));
            continue;
        };
        if let Some(different) = copies.compare(expected)? {
            return Err(Error::InstancesDiffer {
                kernel: tuned.name(),
                instances: Box::new([first.to_string(), candidate.to_string()]),
                argument: different.argument,
                index: different.index,
                values: Box::new(different.values),
            });
        }
    }
    Ok(worth)
}

/// Costs by what the simulator counts in one run of each.
fn estimate_all(
    tuned: &'static Tuned,
    trials: &[Trial<'_>],
    copies: &Copies<'_>,
    gpu: &Gpu,
) -> Result<Vec<(usize, Cost)>> {
    verify(tuned, trials, copies, |trial| {
        let stats = trial.prepared.execute(gpu)?.stats.unwrap_or_default();
        let cycles = estimate::cycles(&stats, trial.prepared.config(), gpu.attributes());
        Ok((trial.index, Cost::EstimatedCycles(cycles)))
    })
}

/// Costs by the device's own clock.
fn time_all(
    tuned: &'static Tuned,
    trials: &[Trial<'_>],
    copies: &Copies<'_>,
    gpu: &Gpu,
) -> Result<Vec<(usize, Cost)>> {
    let first = verify(tuned, trials, copies, |trial| Ok(trial.prepared.execute(gpu)?.time))?;
    let mut times = vec![Vec::new(); trials.len()];
    for round in 0..rounds(first.iter().sum()) {
        // In turn, each round beginning with another one: what changes with time, clocks say, hits all alike.
        for step in 0..trials.len() {
            let turn = (round + step) % trials.len();
            copies.restore()?;
            times[turn].push(trials[turn].prepared.execute(gpu)?.time);
        }
    }
    let cost = |(trial, times): (&Trial<'_>, &mut Vec<Duration>)| {
        (trial.index, Cost::Nanoseconds(median(times).as_nanos() as f64))
    };
    Ok(trials.iter().zip(&mut times).map(cost).collect())
}

/// The number of rounds to run when one takes so long.
fn rounds(round: Duration) -> usize {
    let fit = BUDGET.as_nanos() / round.as_nanos().max(1);
    let rounds = usize::try_from(fit).unwrap_or(MOST_ROUNDS).clamp(FEWEST_ROUNDS, MOST_ROUNDS);
    rounds | 1
}

/// The middle one of an odd number of times.
fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_are_odd_and_bounded() {
        assert_eq!(rounds(Duration::ZERO), MOST_ROUNDS);
        assert_eq!(rounds(Duration::from_micros(10)), MOST_ROUNDS);
        assert_eq!(rounds(Duration::from_millis(30)), 11);
        assert_eq!(rounds(Duration::from_secs(10)), FEWEST_ROUNDS);
        let mut times = [5, 1, 9].map(Duration::from_micros);
        assert_eq!(median(&mut times), Duration::from_micros(5));
    }
}
