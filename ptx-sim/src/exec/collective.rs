//! Exchanges among the lanes of a warp: shuffles, votes, matches, reductions.

use crate::exec::addresses::Wrong;
use crate::fault::Misdeed;
use crate::op::{Collective, ReduxMode, ShuffleMode, VoteMode};
use crate::registers::{LANES, Registers, Slot, lanes};

/// Runs a collective for those of the lanes `on` whose members have all come, and returns those that must wait for
/// others. `live` are the lanes of the warp that exist and have not exited.
pub(super) fn run(
    registers: &mut Registers,
    on: u32,
    (exist, live): (u32, u32),
    members: Slot,
    what: &Collective,
) -> Result<u32, Wrong> {
    let masks = registers.w[members.index()];
    let mut left = on;
    let mut waiting = 0;
    while left != 0 {
        let first = left.trailing_zeros() as usize;
        let members = masks[first];
        let group =
            lanes(left).filter(|&lane| masks[lane] == members).fold(0, |group, lane| group | 1 << lane);
        left &= !group;
        if let Some(lane) = lanes(group & !members).next() {
            return Err(Box::new((lane, Misdeed::NotMember { lane: lane as u32, members })));
        }
        if members & live & !group == 0 {
            exchange(registers, group, members, (exist, live), what)?;
        } else {
            waiting |= group;
        }
    }
    Ok(waiting)
}

fn exchange(
    registers: &mut Registers,
    group: u32,
    members: u32,
    (exist, live): (u32, u32),
    what: &Collective,
) -> Result<(), Wrong> {
    match *what {
        Collective::Shuffle { mode, target, valid, source, lane, clamp } => {
            let values = registers.w[source.index()];
            let (offsets, clamps) = (registers.w[lane.index()], registers.w[clamp.index()]);
            let mut inside = 0;
            let mut result = [0; LANES];
            for lane in lanes(group) {
                let (from, holds) = source_lane(mode, lane as u32, offsets[lane], clamps[lane]);
                if group >> from & 1 == 0 {
                    let (reader, exited) = (lane as u32, exist & !live);
                    let misdeed = Misdeed::AbsentLane { lane: reader, from, members, exist, exited };
                    return Err(Box::new((lane, misdeed)));
                }
                result[lane] = values[from as usize];
                inside |= u32::from(holds) << lane;
            }
            lanes(group).for_each(|lane| registers.w[target.index()][lane] = result[lane]);
            if let Some(valid) = valid {
                registers.set_predicate(valid, group, inside);
            }
        }
        Collective::Vote { mode, target, source } => {
            let votes = source.lanes(registers) & group;
            let holds = match mode {
                VoteMode::All => votes == group,
                VoteMode::Any => votes != 0,
                VoteMode::Uniform => votes == group || votes == 0,
                VoteMode::Ballot => {
                    lanes(group).for_each(|lane| registers.w[target.index()][lane] = votes);
                    return Ok(());
                }
            };
            registers.set_predicate(target, group, if holds { group } else { 0 });
        }
        Collective::Match { all, wide, target, valid, source } => {
            let value = |registers: &Registers, lane: usize| {
                if wide {
                    registers.d[source.index()][lane]
                } else {
                    u64::from(registers.w[source.index()][lane])
                }
            };
            let values: [u64; LANES] = std::array::from_fn(|lane| value(registers, lane));
            let mut matched = 0;
            for lane in lanes(group) {
                let equal =
                    lanes(group).filter(|&other| values[other] == values[lane]).fold(0, |m, l| m | 1 << l);
                let result = if all && equal != group { 0 } else { equal };
                matched |= u32::from(result != 0) << lane;
                registers.w[target.index()][lane] = result;
            }
            if let Some(valid) = valid {
                registers.set_predicate(valid, group, matched);
            }
        }
        Collective::Redux { mode, target, source } => {
            let values = lanes(group).map(|lane| registers.w[source.index()][lane]);
            let result = values.reduce(|a, b| reduce(mode, a, b)).unwrap_or(0);
            lanes(group).for_each(|lane| registers.w[target.index()][lane] = result);
        }
        Collective::Elect { target, leader } => {
            let first = group.trailing_zeros();
            lanes(group).for_each(|lane| registers.w[leader.index()][lane] = first);
            registers.set_predicate(target, group, 1 << first);
        }
        Collective::Synchronize => {}
    }
    Ok(())
}

/// The lane that `lane` reads from, and whether it is in range (PTX ISA, `shfl.sync`). Out of range it is itself.
pub(crate) fn source_lane(mode: ShuffleMode, lane: u32, offset: u32, clamp: u32) -> (u32, bool) {
    let (offset, clamp, segment) = (offset & 31, clamp & 31, clamp >> 8 & 31);
    let greatest = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (from, holds) = match mode {
        ShuffleMode::Up => {
            let from = lane.wrapping_sub(offset);
            (from, from as i32 >= greatest as i32)
        }
        ShuffleMode::Down => (lane + offset, lane + offset <= greatest),
        ShuffleMode::Butterfly => (lane ^ offset, lane ^ offset <= greatest),
        ShuffleMode::Index => {
            let from = least | (offset & !segment);
            (from, from <= greatest)
        }
    };
    if holds { (from, true) } else { (lane, false) }
}

fn reduce(mode: ReduxMode, a: u32, b: u32) -> u32 {
    match mode {
        ReduxMode::Add => a.wrapping_add(b),
        ReduxMode::And => a & b,
        ReduxMode::Or => a | b,
        ReduxMode::Xor => a ^ b,
        ReduxMode::MinUnsigned => a.min(b),
        ReduxMode::MaxUnsigned => a.max(b),
        ReduxMode::MinSigned => (a as i32).min(b as i32) as u32,
        ReduxMode::MaxSigned => (a as i32).max(b as i32) as u32,
    }
}
