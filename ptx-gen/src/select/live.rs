//! Live ranges of registers: where each holds a value that is still needed, as intervals of positions.
//!
//! Positions number the blocks one after the other. A block's parameters are written at its first position; an
//! instruction reads at one position and writes at the next; the terminator and the copies of the edges read at the last
//! one. Ranges are computed only for the registers that are asked about, each by walking from its uses up to its
//! definition (Brandner, Boissinot, Darte, Dupont de Dinechin, Rastello, "Computing Liveness Sets for SSA-Form
//! Programs", 2011).

use super::machine::{Body, Terminator, VReg};
use crate::ir::{Block, EntityMap};

/// Positions at which a register is live: disjoint half-open intervals in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Range {
    intervals: Vec<(u32, u32)>,
}

impl Range {
    /// Returns true if two live ranges have a position in common.
    pub fn overlaps(&self, other: &Range) -> bool {
        let (few, many) = match self.intervals.len() < other.intervals.len() {
            true => (&self.intervals, &other.intervals),
            false => (&other.intervals, &self.intervals),
        };
        let mut from = 0;
        few.iter().any(|&(start, end)| {
            from += first(&many[from..], |interval| interval.1 > start);
            many.get(from).is_some_and(|interval| interval.0 < end)
        })
    }

    /// Takes in another range, rather a small one into a large one: the arguments of a parameter may be thousands.
    pub fn merge(&mut self, mut other: Range) {
        if self.intervals.len() < other.intervals.len() {
            std::mem::swap(self, &mut other);
        }
        if other.intervals.len() > self.intervals.len() / 8 {
            self.intervals.extend(other.intervals);
            return self.normalise();
        }
        for (start, end) in other.intervals {
            let from = first(&self.intervals, |interval| interval.1 >= start);
            let to = from + first(&self.intervals[from..], |interval| interval.0 > end);
            let touched = &self.intervals[from..to];
            let start = touched.first().map_or(start, |interval| interval.0.min(start));
            let end = touched.last().map_or(end, |interval| interval.1.max(end));
            self.intervals.splice(from..to, [(start, end)]);
        }
    }

    fn normalise(&mut self) {
        self.intervals.sort_unstable();
        self.intervals.dedup_by(|next, kept| {
            let touches = next.0 <= kept.1;
            if touches {
                kept.1 = kept.1.max(next.1);
            }
            touches
        });
    }
}

/// The index of the first interval of which `holds` is true, as it is of all after it: near the start rather than far from it.
fn first(intervals: &[(u32, u32)], holds: impl Fn(&(u32, u32)) -> bool) -> usize {
    let mut bound = 1;
    while bound < intervals.len() && !holds(&intervals[bound - 1]) {
        bound *= 2;
    }
    intervals[..bound.min(intervals.len())].partition_point(|interval| !holds(interval))
}

/// First and last position of a block.
#[derive(Clone, Copy, Default)]
struct Extent {
    start: u32,
    end: u32,
}

/// Computes the ranges of the registers for which `wanted` holds; the others get empty ones.
pub fn ranges(body: &Body, wanted: &EntityMap<VReg, bool>) -> EntityMap<VReg, Range> {
    let extents = extents(body);
    let predecessors = predecessors(body);
    let mut points: EntityMap<VReg, Points> = EntityMap::filled(body.regs.len(), Points::default());
    for &block in &body.layout {
        collect_points(body, block, extents[block], wanted, &mut points);
    }
    let mut ranges = EntityMap::filled(body.regs.len(), Range::default());
    // The last register for which each block was found to be live on entry.
    let mut live_in: EntityMap<Block, Option<VReg>> = EntityMap::filled(body.blocks.len(), None);
    let mut pending = Vec::new();
    for reg in body.regs.keys() {
        let Some((home, written)) = points[reg].definition else { continue };
        // A dead value still takes its register for the moment of the write.
        let intervals = &mut ranges[reg].intervals;
        intervals.push((written, written + 1));
        for &(block, read) in &points[reg].uses {
            if block == home && written <= read {
                intervals.push((written, read + 1));
            } else {
                intervals.push((extents[block].start, read + 1));
                pending.push(block);
            }
        }
        while let Some(block) = pending.pop() {
            if live_in[block].replace(reg) == Some(reg) {
                continue;
            }
            for &predecessor in &predecessors[block] {
                let Extent { start, end } = extents[predecessor];
                if predecessor == home {
                    intervals.push((written, end));
                } else {
                    intervals.push((start, end));
                    pending.push(predecessor);
                }
            }
        }
        ranges[reg].normalise();
    }
    ranges
}

/// Definition and uses of a register.
#[derive(Clone, Default)]
struct Points {
    definition: Option<(Block, u32)>,
    uses: Vec<(Block, u32)>,
}

fn extents(body: &Body) -> EntityMap<Block, Extent> {
    let mut extents = EntityMap::filled(body.blocks.len(), Extent::default());
    let mut start = 0;
    for &block in &body.layout {
        let end = start + 2 * body.blocks[block].insts.len() as u32 + 2;
        extents[block] = Extent { start, end };
        start = end;
    }
    extents
}

fn predecessors(body: &Body) -> EntityMap<Block, Vec<Block>> {
    let mut predecessors: EntityMap<Block, Vec<Block>> = EntityMap::filled(body.blocks.len(), Vec::new());
    for &block in &body.layout {
        for edge in body.blocks[block].terminator.edges() {
            predecessors[edge.target].push(block);
        }
    }
    predecessors
}

fn collect_points(
    body: &Body,
    block: Block,
    extent: Extent,
    wanted: &EntityMap<VReg, bool>,
    points: &mut EntityMap<VReg, Points>,
) {
    let data = &body.blocks[block];
    let define = |points: &mut EntityMap<VReg, Points>, reg: VReg, position: u32| {
        if wanted[reg] {
            points[reg].definition = Some((block, position));
        }
    };
    let read = |points: &mut EntityMap<VReg, Points>, reg: Option<VReg>, position: u32| {
        if let Some(reg) = reg.filter(|&reg| wanted[reg]) {
            points[reg].uses.push((block, position));
        }
    };
    for &param in &data.params {
        define(points, param, extent.start);
    }
    let mut position = extent.start + 1;
    for inst in &data.insts {
        // Statements of the user's own may write before they have read everything.
        let last_read = position + u32::from(inst.inline.is_some());
        inst.sources().for_each(|reg| read(points, Some(reg), last_read));
        inst.destinations().for_each(|dst| define(points, dst, position + 1));
        position += 2;
    }
    if let Terminator::Branch { cond, .. } = &data.terminator {
        read(points, Some(cond.reg), position);
    }
    for (_, source) in data.terminator.edges().flat_map(|edge| &edge.copies) {
        read(points, source.register(), position);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(intervals: &[(u32, u32)]) -> Range {
        Range { intervals: intervals.to_vec() }
    }

    #[test]
    fn half_open_intervals_may_touch() {
        assert!(!range(&[(0, 4), (8, 9)]).overlaps(&range(&[(4, 8), (9, 12)])));
        assert!(range(&[(0, 4), (8, 9)]).overlaps(&range(&[(5, 6), (8, 12)])));
    }

    #[test]
    fn merging_joins_what_touches() {
        let mut merged = range(&[(0, 4), (10, 12)]);
        merged.merge(range(&[(4, 6), (20, 21)]));
        assert_eq!(merged, range(&[(0, 6), (10, 12), (20, 21)]));
    }
}
