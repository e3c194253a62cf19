//! The interpreter loop: runs a group of lanes that share a program counter until something has to be decided.

pub(crate) mod access;
pub(crate) mod addresses;
pub(crate) mod asynchronous;
mod atomic;
pub(crate) mod binary;
pub(crate) mod bulk;
pub(crate) mod collective;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod group;
pub mod matrix;
pub(crate) mod mbarrier;
pub(crate) mod packed;
pub(crate) mod peers;
mod table;
pub mod tensor_map;
pub(crate) mod ternary;
pub(crate) mod unary;
pub(crate) mod video;

use super::fault::Misdeed;
use super::op::{AtomicFunction, Barrier, Collective, Inst, Logic, Op, Predicate, Space, Warpgroup};
use super::profile::Profile;
use super::registers::{FULL, LANES, Registers, Slot, lanes};
use super::sanitize::{BlockChecks, Check, Kind, Targets, check_access, note_reads, note_store};
use access::Memories;
use addresses::{Addresses, Wrong};

/// A group of lanes and the conditions under which it runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub(super) lanes: u32,
    /// Lanes of the warp that are threads of the block.
    pub(super) exist: u32,
    /// Those of them that have not exited.
    pub(super) live: u32,
    /// The program counter of a group that is ahead: the two reconverge there.
    pub(super) limit: usize,
    /// There is no other group, so that jumps need nobody's consent.
    pub(super) alone: bool,
    /// Steps of the warp at which to stop, checked where control jumps.
    pub(super) deadline: u64,
}

/// Why a group stopped. The program counter says where: at the instruction for waits, after it otherwise.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// Another group is here, or may be after a jump, or the time is up.
    Reschedule,
    /// Some lanes jump, the others go on.
    Diverged { taken: u32, target: u32 },
    /// Some lanes go to one of the operations of a table, the others go on after the instruction.
    Switched { lanes: u32, table: u32, index: Slot },
    /// Some lanes call a function, the others go on after the instruction.
    Called { lanes: u32, site: u32 },
    /// Some lanes return from a function, the others go on after the instruction.
    Returned { lanes: u32 },
    /// Some lanes are at an operation of the whole warp.
    Matrix { lanes: u32, index: u32 },
    /// Some lanes are at an operation on products or registers of a group of warps.
    Warpgroup { lanes: u32, what: Warpgroup },
    /// Some lanes do something asynchronous.
    Asynchronous { lanes: u32, index: u32 },
    /// Some lanes exit, the others go on.
    Exited { lanes: u32 },
    /// Some lanes wait for others of their member mask, the others go on after the instruction.
    AwaitsMembers { lanes: u32 },
    /// Some lanes arrive at the barrier of the cluster, or wait there, the others go on after it.
    Cluster { lanes: u32, wait: bool },
    /// Some lanes are at a barrier, the others go on after it.
    Barrier { lanes: u32, barrier: Barrier },
}

/// The state of the machine that a group runs on.
pub(super) struct Machine<'a, 'b> {
    pub(super) code: &'a [Inst],
    pub(super) registers: &'a mut Registers,
    pub(super) memories: &'a mut Memories<'b>,
    pub(super) profile: &'a mut Profile,
    pub(super) pc: &'a mut usize,
    pub(super) steps: &'a mut u64,
}

/// The sanitizer and the warp that it looks at.
pub(super) struct Watch<'a, 'b> {
    pub(super) checks: &'a mut BlockChecks<'b>,
    pub(super) warp: usize,
}

/// Runs a group with the widest vectors that this machine has. The results are the same with any.
pub(super) fn run(
    machine: &mut Machine<'_, '_>,
    turn: Turn,
    watch: Option<&mut Watch<'_, '_>>,
) -> Result<Event, Wrong> {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
    {
        return match (&watch, &machine.memories.detail) {
            // SAFETY: the features that the function is compiled for were detected just now.
            (None, None) => unsafe { run_wide(machine, turn) },
            // SAFETY: as above.
            (Some(_), _) | (_, Some(_)) => unsafe { run_wide_watched(machine, turn, watch) },
        };
    }
    run_loop::<true>(machine, turn, watch)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_wide(machine: &mut Machine<'_, '_>, turn: Turn) -> Result<Event, Wrong> {
    run_loop::<false>(machine, turn, None)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
fn run_wide_watched(
    machine: &mut Machine<'_, '_>,
    turn: Turn,
    watch: Option<&mut Watch<'_, '_>>,
) -> Result<Event, Wrong> {
    run_loop::<true>(machine, turn, watch)
}

/// With `WATCHED` there may be a watch, and a profile may look beyond counting; without, no trace of it is compiled.
#[inline(always)]
fn run_loop<const WATCHED: bool>(
    machine: &mut Machine<'_, '_>,
    turn: Turn,
    mut watch: Option<&mut Watch<'_, '_>>,
) -> Result<Event, Wrong> {
    let Machine { code, registers, memories, profile, pc, steps } = machine;
    let code: &[Inst] = code;
    let active = u64::from(turn.lanes.count_ones());
    loop {
        let at = **pc;
        let inst = &code[at];
        let on = turn.lanes & inst.guard.lanes(registers);
        let counter = &mut profile.counters[at];
        counter.issued += 1;
        counter.active += active;
        counter.enabled += u64::from(on.count_ones());
        **steps += 1;
        // Lanes whose access has an address without a value: it is reported, and they end there.
        let mut lost = 0;
        if WATCHED && let Some(watch) = &mut watch {
            lost = watch.checks.follow(registers, watch.warp, (turn.lanes, on), at, inst);
        }
        if WATCHED && let Some(detail) = &mut memories.detail {
            detail.issue(registers, on, at, &inst.op);
        }
        match inst.op {
            Op::Unary { f, target, sources } => f.run(registers, on, target, sources),
            Op::Binary { f, target, sources } => f.run(registers, on, target, sources),
            Op::Ternary { f, target, sources } => f.run(registers, on, target, sources),
            Op::Quaternary { f, target, sources } => f.run(registers, on, target, sources),
            Op::Convert { how, target, source } => how.run(registers, on, target, source),
            Op::Packed { how, target, sources } => how.run(registers, on, target, sources),
            Op::Video { how, target, sources } => how.run(registers, on, target, sources),
            Op::Compare { f, negated, a, b, combine, with, target, inverse } => {
                let holds = f.run(registers, a, b) ^ 0u32.wrapping_sub(u32::from(negated));
                let with = with.lanes(registers);
                registers.set_predicate(target, on, combine.apply(holds, with));
                if let Some(inverse) = inverse {
                    registers.set_predicate(inverse, on, combine.apply(!holds, with));
                }
            }
            Op::Select32 { target, a, b, condition } => {
                let condition = condition.lanes(registers);
                select(&mut registers.w, on, target, a, b, condition);
            }
            Op::Select64 { target, a, b, condition } => {
                let condition = condition.lanes(registers);
                select(&mut registers.d, on, target, a, b, condition);
            }
            Op::Logic { f, target, a, b } => logic(registers, on, f, target, a, b),
            Op::Carry { wide, subtract, carry_in, carry_out, target, a, b, flag } => {
                // A difference is a + !b + 1: its carry, in and out, is that there is no borrow.
                let borrows = 0u32.wrapping_sub(u32::from(subtract));
                let flags = if carry_in { registers.p[flag.index()] ^ borrows } else { 0 };
                let carries = if wide {
                    add_with_carry(&mut registers.d, on, subtract, flags, target, a, b, add64)
                } else {
                    add_with_carry(&mut registers.w, on, subtract, flags, target, a, b, add32)
                };
                if carry_out {
                    registers.set_predicate(flag, on, carries ^ borrows);
                }
            }
            Op::Pack { target, parts, count, bits } => {
                pack(registers, on, target, &parts[..count as usize], bits)
            }
            Op::Unpack { source, parts, count, bits } => {
                unpack(registers, on, source, &parts[..count as usize], bits)
            }
            Op::Load(ref access) => {
                if WATCHED && let Some(watch) = &mut watch {
                    let values = &access.values[..usize::from(access.count)];
                    let (address, size) = (&access.address, u32::from(access.size));
                    let targets = Targets::Values { signed: access.signed };
                    let check =
                        Check { kind: Kind::Load, address, size, values, targets, order: access.order };
                    let Watch { checks, warp, .. } = &mut **watch;
                    let addresses = Addresses::compute(registers, on & !lost, address, check.bytes());
                    let both = (&**registers, &addresses);
                    let allowed = check_access(checks, both, memories, *warp, on & !lost, &check, at).lanes;
                    let traffic = &mut profile.traffic[at];
                    if allowed == on && on != 0 {
                        access::load_at(registers, memories, allowed, access, &addresses, traffic)?;
                        note_reads(checks);
                    } else if allowed != 0 {
                        access::load(registers, memories, allowed, access, traffic)?;
                        note_reads(checks);
                    }
                    if allowed != on {
                        **pc = at + 1;
                        return Ok(Event::Exited { lanes: on & !allowed });
                    }
                } else if on != 0 {
                    access::load(registers, memories, on, access, &mut profile.traffic[at])?;
                }
            }
            Op::Store(ref access) => {
                if WATCHED && let Some(watch) = &mut watch {
                    let values = &access.values[..usize::from(access.count)];
                    let (address, size) = (&access.address, u32::from(access.size));
                    let targets = Targets::Nowhere;
                    let check =
                        Check { kind: Kind::Store, address, size, values, targets, order: access.order };
                    let Watch { checks, warp } = &mut **watch;
                    let addresses = Addresses::compute(registers, on & !lost, address, check.bytes());
                    let both = (&**registers, &addresses);
                    let allowed = check_access(checks, both, memories, *warp, on & !lost, &check, at);
                    if allowed.lanes != 0 {
                        let traffic = &mut profile.traffic[at];
                        if allowed.lanes == on {
                            access::store_at(registers, memories, on, access, &addresses, traffic)?;
                        } else {
                            access::store(registers, memories, allowed.lanes, access, traffic)?;
                        }
                        if access.order.is_strong() {
                            access::remember_store(
                                registers,
                                memories,
                                allowed.lanes,
                                access,
                                (&addresses, at),
                            );
                        }
                        note_store(checks, registers, memories, *warp, allowed.changed, &check, at);
                        if !checks.is_clean(*warp) {
                            checks.store_values(registers, memories, *warp, allowed.lanes, &check, at);
                        }
                    }
                    if allowed.lanes != on {
                        **pc = at + 1;
                        return Ok(Event::Exited { lanes: on & !allowed.lanes });
                    }
                } else if on != 0 {
                    access::store(registers, memories, on, access, &mut profile.traffic[at])?;
                }
            }
            Op::Atomic(ref operation) => {
                if WATCHED && let Some(watch) = &mut watch {
                    let (address, size) = (&operation.address, u32::from(operation.size));
                    let values = &[operation.operand];
                    // An exchange depends on nothing that is there.
                    let targets = match (operation.function, operation.old) {
                        (AtomicFunction::Exchange, Some(old)) => Targets::Old(old),
                        _ => Targets::Nowhere,
                    };
                    let kind = Kind::Atomic;
                    let check = Check { kind, address, size, values, targets, order: operation.order };
                    // In the order of the blocks, as the operation itself.
                    if on != 0 && operation.address.space != Space::Shared {
                        memories.entry.be_first();
                    }
                    let Watch { checks, warp, .. } = &mut **watch;
                    let addresses = Addresses::compute(registers, on & !lost, address, size);
                    let both = (&**registers, &addresses);
                    let allowed = check_access(checks, both, memories, *warp, on & !lost, &check, at).lanes;
                    if allowed != 0 {
                        let traffic = &mut profile.traffic[at];
                        atomic::atomic(registers, memories, allowed, (operation, at), traffic)?;
                    }
                    if allowed != on {
                        **pc = at + 1;
                        return Ok(Event::Exited { lanes: on & !allowed });
                    }
                } else if on != 0 {
                    let traffic = &mut profile.traffic[at];
                    atomic::atomic(registers, memories, on, (operation, at), traffic)?;
                }
            }
            Op::AtomicWide(ref operation) => {
                let mut allowed = on;
                if WATCHED && let Some(watch) = &mut watch {
                    if on != 0 && operation.address.space != Space::Shared {
                        memories.entry.be_first();
                    }
                    let (address, values) = (&operation.address, &operation.new);
                    let (kind, targets) = (Kind::Atomic, Targets::Nowhere);
                    let check = Check { kind, address, size: 8, values, targets, order: operation.order };
                    let Watch { checks, warp, .. } = &mut **watch;
                    let addresses = Addresses::compute(registers, on & !lost, address, 16);
                    let both = (&**registers, &addresses);
                    allowed = check_access(checks, both, memories, *warp, on & !lost, &check, at).lanes;
                }
                if allowed != 0 {
                    atomic::wide(registers, memories, allowed, operation, &mut profile.traffic[at])?;
                }
                if allowed != on {
                    **pc = at + 1;
                    return Ok(Event::Exited { lanes: on & !allowed });
                }
            }
            Op::IsSpace { target, space, address } => {
                let addresses = &registers.d[address.index()];
                let inside = lanes(on).filter(|&lane| addresses::space_at(addresses[lane]) == space);
                let inside = inside.fold(0, |mask, lane| mask | 1 << lane);
                registers.set_predicate(target, on, inside);
            }
            Op::Collective { members, ref what } => {
                let members_of = registers.w[members.index()];
                let waiting = collective::run(registers, on, (turn.exist, turn.live), members, what)?;
                if WATCHED && let Some(watch) = &mut watch {
                    watch.checks.exchanged(watch.warp, on & !waiting);
                }
                if WATCHED && let (Some(watch), Collective::Synchronize) = (&mut watch, what) {
                    let mut done = on & !waiting;
                    while done != 0 {
                        let lanes = members_of[done.trailing_zeros() as usize] & done;
                        watch.checks.warp_sync(watch.warp, lanes);
                        done &= !lanes;
                    }
                }
                if waiting != 0 {
                    // Lanes that wait have not issued the instruction yet.
                    let counter = &mut profile.counters[at];
                    counter.issued -= u64::from(waiting == turn.lanes);
                    counter.active -= u64::from(waiting.count_ones());
                    counter.enabled -= u64::from(waiting.count_ones());
                    return Ok(Event::AwaitsMembers { lanes: waiting });
                }
            }
            Op::ActiveMask { target } => {
                lanes(on).for_each(|lane| registers.w[target.index()][lane] = on);
            }
            Op::Barrier(barrier) => {
                if on != 0 {
                    return Ok(Event::Barrier { lanes: on, barrier });
                }
            }
            Op::ClusterBarrier { wait } => {
                if on != 0 {
                    return Ok(Event::Cluster { lanes: on, wait });
                }
            }
            Op::Clock { target, wide } => {
                for lane in lanes(on) {
                    if wide {
                        registers.d[target.index()][lane] = **steps;
                    } else {
                        registers.w[target.index()][lane] = **steps as u32;
                    }
                }
            }
            Op::Branch { target } => {
                if on == turn.lanes {
                    **pc = target as usize;
                    if turn.alone && **steps < turn.deadline {
                        continue;
                    }
                    return Ok(Event::Reschedule);
                }
                if on != 0 {
                    profile.traffic[at].divergent += 1;
                    **pc = at + 1;
                    return Ok(Event::Diverged { taken: on, target });
                }
            }
            Op::Switch { table, index } => {
                if on != 0 {
                    return Ok(Event::Switched { lanes: on, table, index });
                }
            }
            Op::Call { site } => {
                if on != 0 {
                    return Ok(Event::Called { lanes: on, site });
                }
            }
            Op::Return => {
                if on != 0 {
                    return Ok(Event::Returned { lanes: on });
                }
            }
            Op::Matrix { index } => {
                if on != 0 {
                    return Ok(Event::Matrix { lanes: on, index });
                }
            }
            Op::Asynchronous { index } => {
                if on != 0 {
                    return Ok(Event::Asynchronous { lanes: on, index });
                }
            }
            Op::Exit => {
                if on != 0 {
                    **pc = at + 1;
                    return Ok(Event::Exited { lanes: on });
                }
            }
            Op::Trap => {
                if on != 0 {
                    return Err(Box::new((on.trailing_zeros() as usize, Misdeed::Trap)));
                }
            }
            Op::Fence { wide, of_barrier } => {
                if WATCHED
                    && on != 0
                    && let Some(watch) = &mut watch
                {
                    watch.checks.fence(watch.warp, wide, of_barrier);
                }
            }
            Op::ProxyFence { only_barriers } => {
                if WATCHED
                    && on != 0
                    && let Some(watch) = &mut watch
                {
                    watch.checks.proxy_fence(watch.warp, only_barriers);
                }
            }
            Op::Warpgroup(what) => {
                if on != 0 {
                    return Ok(Event::Warpgroup { lanes: on, what });
                }
            }
            Op::Nothing => {}
        }
        **pc = at + 1;
        if **pc == turn.limit {
            return Ok(Event::Reschedule);
        }
    }
}

#[inline(always)]
fn select<T: Copy>(file: &mut [[T; LANES]], on: u32, target: Slot, a: Slot, b: Slot, condition: u32) {
    let (a, b) = (file[a.index()], file[b.index()]);
    let target = &mut file[target.index()];
    if on == FULL {
        for lane in 0..LANES {
            target[lane] = if condition >> lane & 1 == 1 { a[lane] } else { b[lane] };
        }
    } else {
        lanes(on).for_each(|lane| target[lane] = if condition >> lane & 1 == 1 { a[lane] } else { b[lane] });
    }
}

#[inline(always)]
fn logic(registers: &mut Registers, on: u32, f: Logic, target: Slot, a: Predicate, b: Predicate) {
    let value = f.apply(a.lanes(registers), b.lanes(registers));
    registers.set_predicate(target, on, value);
}

/// `a + b + carry`, and the carry out of it.
type Adder<T> = fn(T, T, bool, bool) -> (T, bool);

fn add32(a: u32, b: u32, carry: bool, subtract: bool) -> (u32, bool) {
    if subtract {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u32::from(carry));
        return (difference, first | second);
    }
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u32::from(carry));
    (sum, first | second)
}

fn add64(a: u64, b: u64, carry: bool, subtract: bool) -> (u64, bool) {
    if subtract {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u64::from(carry));
        return (difference, first | second);
    }
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

#[expect(clippy::too_many_arguments, reason = "one per field of the operation")]
fn add_with_carry<T: Copy>(
    file: &mut [[T; LANES]],
    on: u32,
    subtract: bool,
    flags: u32,
    target: Slot,
    a: Slot,
    b: Slot,
    add: Adder<T>,
) -> u32 {
    let mut carries = 0;
    for lane in lanes(on) {
        let carry = flags >> lane & 1 == 1;
        let (sum, out) = add(file[a.index()][lane], file[b.index()][lane], carry, subtract);
        file[target.index()][lane] = sum;
        carries |= u32::from(out) << lane;
    }
    carries
}

fn pack(registers: &mut Registers, on: u32, target: Slot, parts: &[Slot], bits: u8) {
    let mask = u64::MAX >> (64 - bits);
    let wide = parts.len() * usize::from(bits) == 64;
    for lane in lanes(on) {
        let value = parts
            .iter()
            .rev()
            .fold(0u64, |value, part| (value << bits) | u64::from(registers.w[part.index()][lane]) & mask);
        if wide {
            registers.d[target.index()][lane] = value;
        } else {
            registers.w[target.index()][lane] = value as u32;
        }
    }
}

fn unpack(registers: &mut Registers, on: u32, source: Slot, parts: &[Slot], bits: u8) {
    let mask = u64::MAX >> (64 - bits);
    let wide = parts.len() * usize::from(bits) == 64;
    for lane in lanes(on) {
        let mut value = if wide {
            registers.d[source.index()][lane]
        } else {
            u64::from(registers.w[source.index()][lane])
        };
        for part in parts {
            registers.w[part.index()][lane] = (value & mask) as u32;
            value >>= bits;
        }
    }
}
