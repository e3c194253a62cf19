//! Findings of the sanitizer: one report a cause, with the first occurrence and the number of them.

use std::collections::HashSet;
use std::fmt;

use crate::fault::{Misdeed, Place, SourceLine, Unwritten};

/// A finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The illegal operation.
    pub misdeed: Misdeed,
    /// By whom and where, the first time.
    pub place: Place,
    /// Number of occurrences: accesses of threads.
    pub count: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n  {}", self.misdeed, self.place)?;
        match self.count {
            1 => Ok(()),
            count => write!(f, "\n  {count} times"),
        }
    }
}

/// Operations that identify a cause: that of the access, and that of the other access.
type Cause = (std::mem::Discriminant<Misdeed>, usize, usize);

/// Returns true for the same mistake at the same lines of source, in copies of the instructions: those of an unrolled loop, say.
fn is_one_cause(a: &Report, b: &Report) -> bool {
    let (Some(of_a), Some([own, other])) = (lines(a), lines(b)) else { return false };
    std::mem::discriminant(&a.misdeed) == std::mem::discriminant(&b.misdeed)
        && (of_a == [own, other] || of_a == [other, own])
}

/// The lines of source of the access and of the other one, if the PTX gives both.
fn lines(report: &Report) -> Option<[&SourceLine; 2]> {
    let own = &report.place.code;
    Some([own.source.as_ref()?, report.misdeed.other().unwrap_or(own).source.as_ref()?])
}

/// Distance of the threads of a conflict.
fn distance(misdeed: &Misdeed) -> u8 {
    match misdeed {
        Misdeed::Race { other, .. } => other.distance(),
        _ => 0,
    }
}

/// The findings of a launch.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    all: Vec<(Cause, u64, Report)>,
}

impl Reports {
    /// Adds a finding of a block with this linear index, at an operation; `other` is that of the other access.
    pub(crate) fn add(
        &mut self,
        block: u64,
        (at, other): (usize, usize),
        misdeed: Misdeed,
        place: impl FnOnce() -> Place,
    ) {
        // The two sides of a race are one cause, whichever came second; a guess is one whatever it meets.
        let at = if misdeed.is_warning() { other } else { at };
        let cause = (std::mem::discriminant(&misdeed), at.min(other), at.max(other));
        match self.all.iter_mut().find(|(known, ..)| *known == cause) {
            None => self.all.push((cause, block, Report { misdeed, place: place(), count: 1 })),
            Some((_, first, report)) => {
                report.count += 1;
                // Of a race the farthest threads: what orders them orders the others as well. Then the first block.
                let order = |misdeed: &Misdeed, block: u64| (std::cmp::Reverse(distance(misdeed)), block);
                if order(&misdeed, block) < order(&report.misdeed, *first) {
                    *first = block;
                    (report.misdeed, report.place) = (misdeed, place());
                }
            }
        }
    }

    /// Returns the reports in the order of the code. Of the uses of a missing value only the first is one, and none where there is a race:
    /// its writer has not come yet. A copy without a wait for it is reported as that, and neither as a race nor as unfinished.
    pub(crate) fn finish(&mut self) -> Vec<Report> {
        let waits =
            self.all.iter().filter(|(.., report)| matches!(report.misdeed, Misdeed::MissingWait { .. }));
        let missing: HashSet<(usize, usize)> = waits.map(|((_, at, other), ..)| (*at, *other)).collect();
        self.all.retain(|((_, at, other), _, report)| {
            let race = matches!(report.misdeed, Misdeed::Race { .. });
            let unfinished = matches!(report.misdeed, Misdeed::UnfinishedCopy { .. });
            let is_told = (race && missing.contains(&(*at, *other)))
                || (unfinished && missing.iter().any(|(a, b)| a == at || b == at));
            !is_told
        });
        let races = || self.all.iter().filter(|(.., report)| matches!(report.misdeed, Misdeed::Race { .. }));
        let racing: HashSet<usize> = races().flat_map(|((_, at, other), ..)| [*at, *other]).collect();
        let unordered: HashSet<(usize, usize)> = races().map(|((_, at, other), ..)| (*at, *other)).collect();
        let no_barrier: HashSet<usize> = self
            .all
            .iter()
            .filter(|(.., report)| matches!(report.misdeed, Misdeed::NoBarrier { .. }))
            .flat_map(|((_, at, other), ..)| [*at, *other])
            .collect();
        self.all.retain(|((_, at, other), _, report)| match report.misdeed {
            Misdeed::Uninitialized { .. } => !racing.contains(at) && !no_barrier.contains(at),
            // Of one cause are the use and where the value comes from, in any order.
            Misdeed::UninitializedUse { .. } => !racing.contains(at) && !racing.contains(other),
            // A fence would not order what no barrier orders.
            Misdeed::MissingProxyFence { .. } => !unordered.contains(&(*at, *other)),
            _ => true,
        });
        // Of too narrow a scope first: what such accesses hand over races because of it.
        let is_narrow = |report: &Report| matches!(report.misdeed, Misdeed::NarrowScope { .. });
        self.all.sort_by_key(|((_, at, other), _, report)| (!is_narrow(report), *at, *other));
        let mut told: HashSet<Unwritten> = HashSet::new();
        self.all.retain(|(.., report)| match &report.misdeed {
            Misdeed::UninitializedUse { origin, .. } => {
                told.insert(Unwritten { touch: None, ..(**origin).clone() })
            }
            _ => true,
        });
        let mut found: Vec<Report> = Vec::new();
        for (.., report) in self.all.drain(..) {
            match found.iter_mut().find(|earlier| is_one_cause(earlier, &report)) {
                Some(earlier) => {
                    let count = earlier.count + report.count;
                    if distance(&report.misdeed) > distance(&earlier.misdeed) {
                        *earlier = report;
                    }
                    earlier.count = count;
                }
                None => found.push(report),
            }
        }
        found
    }
}
