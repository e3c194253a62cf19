//! Wide accesses: loads, or stores, of adjacent memory in one block become one instruction of up to 16 bytes.
//!
//! Loads move up to the first of them and stores down to the last, if no access in between may alias them. The known
//! alignment limits their number: the alignment that an access states of its address, and the one that follows from the
//! computation of the address.

use std::collections::HashMap;

use super::address::memory_modifiers;
use super::lower::{Lowering, memory_scalar};
use super::machine::{Class, Operand, VReg, int, words::*};
use crate::analysis::multiples::{WIDEST, said_alignment, trailing_zeros};
use crate::ir::{Block, CacheHints, Inst, InstData, Space, Type, Value};
use ptx::tree::{Keyword, Modifier, Opcode, ScalarType};

/// Maximum number of accesses that a part of a group may move over: a value loaded long before its use needs a register all
/// the way.
const FARTHEST: usize = 64;

/// Accesses that become one.
#[derive(Debug)]
pub(super) struct Group {
    space: Space,
    base: Value,
    /// Of the first one, in bytes.
    offset: i32,
    read_only: bool,
    cache: CacheHints,
    /// Value of each: the result of a load, or the value stored.
    values: Vec<Value>,
}

/// Role of an access in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Here the whole group is accessed, by its number.
    Whole(usize),
    /// It happens elsewhere.
    Part,
}

/// The wide accesses of a function.
#[derive(Debug, Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
    roles: HashMap<Inst, Role>,
}

impl Groups {
    /// Role of an instruction, if it is part of a wide access.
    pub(super) fn role(&self, inst: Inst) -> Option<Role> {
        self.roles.get(&inst).copied()
    }
}

/// An access, or something that orders accesses.
struct Event {
    inst: Inst,
    /// Position among the events of the block; the parts of a group share one position.
    position: usize,
    access: Option<Access>,
}

struct Access {
    is_store: bool,
    space: Space,
    base: Value,
    offset: i32,
    ty: Type,
    value: Value,
    read_only: bool,
    cache: CacheHints,
    grouped: bool,
}

impl Access {
    /// Returns true if the memory is read-only.
    fn is_constant(&self) -> bool {
        self.read_only || self.space == Space::Const
    }

    /// Location of the access, or of one so many elements behind it, as a key.
    fn place(&self, step: i64) -> (Space, Value, u32, bool, CacheHints, i64) {
        let bytes = self.ty.bytes();
        let offset = i64::from(self.offset) + step * i64::from(bytes);
        (self.space, self.base, bytes, self.read_only, self.cache, offset)
    }

    fn end(&self) -> i64 {
        i64::from(self.offset) + i64::from(self.ty.bytes())
    }

    /// Returns true if the two accesses must keep their order.
    fn conflicts(&self, other: &Access) -> bool {
        if !self.is_store && !other.is_store || self.is_constant() || other.is_constant() {
            return false;
        }
        if self.space == other.space && self.base == other.base {
            return i64::from(self.offset) < other.end() && i64::from(other.offset) < self.end();
        }
        self.space.meets(other.space)
    }
}

impl Event {
    /// Returns true if an access may not move over this event.
    fn stops(&self, access: &Access) -> bool {
        match &self.access {
            Some(other) => access.conflicts(other),
            None => !access.is_constant(),
        }
    }
}

/// Returns true if the instruction keeps the order of memory accesses around it.
fn orders_memory(data: &InstData) -> bool {
    match data {
        InstData::Shuffle { .. }
        | InstData::Vote { .. }
        | InstData::Match { .. }
        | InstData::Redux { .. }
        | InstData::ActiveMask
        | InstData::Special { .. } => false,
        other => !other.is_pure(),
    }
}

impl Lowering<'_> {
    /// Finds the wide accesses of every block.
    pub(super) fn find_groups(&self) -> Groups {
        let mut groups = Groups::default();
        // Cold blocks run at most once per thread, so they are left out.
        for &block in self.flow.postorder.iter().filter(|&&block| !self.flow.cold[block]) {
            let mut events = self.events(block);
            if events.len() > 1 {
                self.group_block(&mut events, &mut groups);
            }
        }
        groups
    }

    fn events(&self, block: Block) -> Vec<Event> {
        let events = self.func.blocks[block].insts.iter().filter_map(|&inst| {
            let data = &self.func.insts[inst];
            let access = match *data {
                InstData::Load { space, address, offset, read_only, cache, .. } => {
                    let value = self.func.results[inst]?;
                    Some((false, space, address, offset, value, read_only, cache))
                }
                InstData::Store { space, address, offset, value, cache, .. } => {
                    Some((true, space, address, offset, value, false, cache))
                }
                _ if orders_memory(data) => None,
                _ => return None,
            };
            let access = access.map(|(is_store, space, address, offset, value, read_only, cache)| {
                let (base, offset) = self.base_and_offset(address, offset);
                let ty = self.func.ty(value);
                Access { is_store, space, base, offset, ty, value, read_only, cache, grouped: false }
            });
            Some((inst, access))
        });
        let events = events.enumerate();
        events.map(|(position, (inst, access))| Event { inst, position, access }).collect()
    }

    fn group_block(&self, events: &mut [Event], groups: &mut Groups) {
        let alignments = self.alignments(events);
        for is_store in [false, true] {
            let accesses: Vec<(usize, &Access)> = events
                .iter()
                .enumerate()
                .filter_map(|(index, event)| Some((index, event.access.as_ref()?)))
                .filter(|(_, access)| access.is_store == is_store && access.ty != Type::Bool)
                .collect();
            let starts_some = |access: &Access| self.alignment(access, &alignments) >= 2 * access.ty.bytes();
            let mut firsts: Vec<(usize, &Access)> =
                accesses.iter().copied().filter(|(_, access)| starts_some(access)).collect();
            if firsts.is_empty() {
                continue;
            }
            // By where they are: of overlapping groups the first ones win.
            firsts.sort_by_key(|(index, access)| (access.place(0), *index));
            let mut places: HashMap<_, Vec<usize>> = HashMap::new();
            for &(index, access) in &accesses {
                places.entry(access.place(0)).or_default().push(index);
            }
            // Those that may follow each, one step after another.
            let next = |access: &Access, step| places.get(&access.place(step)).cloned();
            let chains: Vec<(usize, Vec<Vec<usize>>)> = firsts
                .into_iter()
                .map(|(index, access)| (index, (1..16).map_while(|step| next(access, step)).collect()))
                .collect();
            for (first, steps) in chains {
                self.group_at(first, &steps, &alignments, events, groups);
            }
        }
    }

    /// Makes the widest group that starts with this access.
    fn group_at(
        &self,
        first: usize,
        steps: &[Vec<usize>],
        alignments: &Alignments,
        events: &mut [Event],
        groups: &mut Groups,
    ) {
        let Some(access) = events[first].access.as_ref().filter(|access| !access.grouped) else { return };
        let (ty, bytes, align) = (access.ty, access.ty.bytes(), self.alignment(access, alignments));
        for width in [WIDEST, WIDEST / 2, WIDEST / 4].into_iter().filter(|&width| width <= align) {
            let count = (width / bytes) as usize;
            if count < 2 || count > steps.len() + 1 || !is_vector(ty, count) {
                continue;
            }
            let free = |index: &&usize| events[**index].access.as_ref().is_some_and(|a| !a.grouped);
            let rest = steps[..count - 1].iter().map(|step| step.iter().find(free).copied());
            let Some(members) = std::iter::once(Some(first)).chain(rest).collect::<Option<Vec<usize>>>()
            else {
                continue;
            };
            if self.group_members(&members, events, groups) {
                return;
            }
        }
    }

    /// Makes a group of these accesses, which are neighbours in this order, if they may come together.
    fn group_members(&self, members: &[usize], events: &mut [Event], groups: &mut Groups) -> bool {
        let accesses: Option<Vec<&Access>> =
            members.iter().map(|&index| events[index].access.as_ref()).collect();
        let Some(accesses) = accesses else { return false };
        let first = accesses[0];
        // Floats of 16 bits live in registers of that size, and don't mix with others.
        let halves = |access: &&Access| Class::of(access.ty) == Class::B16;
        if accesses.iter().any(halves) && !accesses.iter().all(halves) {
            return false;
        }
        let positions = members.iter().map(|&index| events[index].position);
        let place = if first.is_store { positions.max() } else { positions.min() };
        let Some(place) = place else { return false };
        // Events that have moved came from no farther away.
        let near = place.saturating_sub(2 * FARTHEST)..(place + 2 * FARTHEST).min(events.len());
        let may_move = |(&index, access): (&usize, &&Access)| {
            let from = events[index].position;
            let between = from.min(place)..=from.max(place);
            let others = near.clone().filter(|&other| other != index);
            from.abs_diff(place) < FARTHEST
                && others
                    .map(|other| &events[other])
                    .filter(|event| between.contains(&event.position))
                    .all(|event| !event.stops(access))
        };
        if !members.iter().zip(&accesses).all(may_move) {
            return false;
        }
        let Access { space, base, offset, read_only, cache, .. } = *first;
        let values = accesses.iter().map(|access| access.value).collect();
        groups.groups.push(Group { space, base, offset, read_only, cache, values });
        let number = groups.groups.len() - 1;
        for &index in members {
            let event = &mut events[index];
            let role = if event.position == place { Role::Whole(number) } else { Role::Part };
            groups.roles.insert(event.inst, role);
            event.position = place;
            if let Some(access) = &mut event.access {
                access.grouped = true;
            }
        }
        true
    }

    /// Base of an access, looking through added constants, and its offset.
    fn base_and_offset(&self, address: Value, offset: i32) -> (Value, i32) {
        let (mut base, mut offset) = (self.flow.resolve(address), offset);
        while let Some((inner, sum)) = self.folded(base, offset) {
            (base, offset) = (self.flow.resolve(inner), sum);
        }
        (base, offset)
    }

    // Alignment.

    /// Alignments that the accesses of a block state: by space and base, pairs of an offset and the alignment of its address.
    fn alignments(&self, events: &[Event]) -> Alignments {
        let mut alignments = Alignments::new();
        for event in events {
            if let (Some(access), Some(align)) = (&event.access, said_alignment(&self.func.insts[event.inst]))
            {
                alignments.entry((access.space, access.base)).or_default().push((access.offset, align));
            }
        }
        alignments
    }

    /// Known alignment of an access's address, at most `WIDEST`.
    fn alignment(&self, access: &Access, alignments: &Alignments) -> u32 {
        let of_offset = |offset: i64| match offset.trailing_zeros() {
            zeros if zeros >= WIDEST.trailing_zeros() => WIDEST,
            zeros => 1 << zeros,
        };
        let offset = i64::from(access.offset);
        let made = (1 << trailing_zeros(self.func, access.base).min(4)).min(of_offset(offset));
        let said = alignments.get(&(access.space, access.base)).into_iter().flatten();
        let said = said.map(|&(at, align)| align.min(of_offset(offset - i64::from(at))));
        said.chain([made]).max().unwrap_or(1)
    }

    // Code.

    /// Loads a group, if any part of it has a use.
    pub(super) fn load_group(&mut self, groups: &Groups, number: usize) {
        let group = &groups.groups[number];
        if group.values.iter().all(|&value| self.values[value].is_none()) {
            return;
        }
        let regs: Vec<VReg> = group
            .values
            .iter()
            .map(|&value| {
                let class = Class::of(self.func.ty(value));
                self.values[value].unwrap_or_else(|| self.temp(class))
            })
            .collect();
        let address = self.address(group.base, group.offset);
        if regs.len() <= 4 {
            let modifiers = self.modifiers(group, regs.len());
            return self.emit_vector_dst(&regs, Opcode::Ld, &modifiers, vec![address]);
        }
        let parts = (4 / self.func.ty(group.values[0]).bytes()) as usize;
        let words: Vec<VReg> = regs.chunks(parts).map(|_| self.temp(Class::B32)).collect();
        let modifiers = self.modifiers(group, words.len());
        self.emit_vector_dst(&words, Opcode::Ld, &modifiers, vec![address]);
        let used: Vec<bool> = group.values.iter().map(|&value| self.values[value].is_some()).collect();
        for ((&word, regs), used) in words.iter().zip(regs.chunks(parts)).zip(used.chunks(parts)) {
            if self.class(regs[0]) == Class::B16 {
                self.unpack_into(word, Class::B16, [regs[0], regs[1]]);
                continue;
            }
            // A part with zeros above it, which are those of the second operand.
            let selectors: &[i64] =
                if parts == 2 { &[0x4410, 0x4432] } else { &[0x4440, 0x4441, 0x4442, 0x4443] };
            for ((&reg, &selector), _) in regs.iter().zip(selectors).zip(used).filter(|(_, used)| **used) {
                self.emit(reg, Opcode::Prmt, &[B32], vec![word.into(), int(0), int(selector)]);
            }
        }
    }

    /// Writes a group.
    pub(super) fn store_group(&mut self, groups: &Groups, number: usize) {
        let group = &groups.groups[number];
        let address = self.address(group.base, group.offset);
        let mut regs: Vec<VReg> = group.values.iter().map(|&value| self.reg(value)).collect();
        let bytes = self.func.ty(group.values[0]).bytes();
        if regs.len() > 4 {
            if bytes == 1 {
                // Bytes to halves.
                regs = regs.chunks(2).map(|bytes| self.joined(bytes, 0x0040)).collect();
            }
            regs = regs.chunks(2).map(|halves| self.joined(halves, 0x5410)).collect();
        }
        let modifiers = self.modifiers(group, regs.len());
        let operands = std::iter::once(address).chain(regs.into_iter().map(Operand::Reg)).collect();
        self.emit_vector_source(None, Opcode::St, &modifiers, operands);
    }

    /// A word of two parts: floats of 16 bits, or the low parts of integers, which the selector picks.
    fn joined(&mut self, parts: &[VReg], selector: i64) -> VReg {
        let word = self.temp(Class::B32);
        match self.class(parts[0]) {
            Class::B16 => self.pack([parts[0], parts[1]], word),
            _ => {
                let operands = vec![parts[0].into(), parts[1].into(), int(selector)];
                self.emit(word, Opcode::Prmt, &[B32], operands);
            }
        }
        word
    }

    /// Modifiers after the opcode: of a vector of so many registers.
    fn modifiers(&self, group: &Group, count: usize) -> Vec<Modifier> {
        let mut modifiers = memory_modifiers(group.space, group.read_only, group.cache);
        let types = group.values.iter().map(|&value| self.func.ty(value));
        let first = self.func.ty(group.values[0]);
        let same = types.clone().all(|ty| ty == first);
        let element = match first.bytes() {
            _ if count < group.values.len() => ScalarType::B32,
            _ if same => memory_scalar(first),
            1 => ScalarType::B8,
            2 => ScalarType::B16,
            4 => ScalarType::B32,
            _ => ScalarType::B64,
        };
        let vector = if count == 2 { Keyword::V2 } else { Keyword::V4 };
        modifiers.extend([Modifier::Keyword(vector), Modifier::Type(element)]);
        modifiers
    }
}

/// By space and base: offsets, and what base and offset together are a multiple of.
type Alignments = HashMap<(Space, Value), Vec<(i32, u32)>>;

/// Returns true if PTX has a vector of so many: more than four short ones are two or four words.
fn is_vector(ty: Type, count: usize) -> bool {
    matches!(count, 2 | 4) || count <= 16 && matches!(ty.bytes() as usize * count, 8 | 16)
}
