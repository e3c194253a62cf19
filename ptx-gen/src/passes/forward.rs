//! Store-to-load forwarding: a load takes the value of an earlier load or store of the same memory, if no access in between
//! may have written it. A store of what is known to be there goes away: of a struct that was loaded and changed, the fields that stay.
//!
//! The known values are passed to a block from its only predecessor; where paths without loops join, from the block that dominates them, without what
//! the paths may have written. So a loop that waits for another thread reads again in each iteration. Two accesses don't alias if they are in different spaces, in different
//! variables, or at different constant distances from one address; constants and read-only memory stay known.
//! Barriers, fences, collectives and atomic operations end the knowledge of memory that other threads see.

use super::renames::Renames;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{BinaryOp, Block, Function, Inst, InstData, LocalVar, SharedVar, Space, Type, Value};

/// See the head of this file.
pub fn forward_memory(func: &mut Function) {
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let mut renames = Renames::new(func);
    // The blocks above that alone lead here, each with what is known at its end.
    let mut above: Vec<(Block, Known)> = Vec::new();
    for &block in tree.preorder() {
        while above.last().is_some_and(|(parent, _)| tree.idom(block) != Some(*parent)) {
            above.pop();
        }
        let mut known = match (above.last(), cfg.predecessors(block)) {
            (Some((parent, known)), [predecessor]) if parent == predecessor => known.clone(),
            (Some((parent, known)), _) => known.after_paths(func, &cfg, *parent, block),
            (None, _) => Known::default(),
        };
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let kept = insts.into_iter().filter(|&inst| {
            func.insts[inst].map_args(|value| renames.resolve(value));
            if known.has_stored(func, inst) {
                return false;
            }
            let read = known.inst(func, inst);
            if let (Some(value), Some(result)) = (read, func.results[inst]) {
                renames.replace(result, value);
            }
            read.is_none()
        });
        func.blocks[block].insts = kept.collect();
        above.push((block, known));
    }
    renames.apply(func);
}

/// Known value of a location in memory.
#[derive(Clone, Copy)]
struct Entry {
    place: Place,
    ty: Type,
    value: Value,
    /// Read-only.
    constant: bool,
}

/// A location in memory.
#[derive(Clone, Copy)]
pub(super) struct Place {
    space: Space,
    /// An address, and a constant distance from it in bytes.
    base: Value,
    offset: i64,
    bytes: u32,
    object: Option<Object>,
}

/// A variable that an address is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Object {
    Local(LocalVar),
    Shared(SharedVar),
}

impl Place {
    pub(super) fn new(func: &Function, space: Space, address: Value, offset: i32, ty: Type) -> Place {
        let (base, distance) = split(func, address);
        let object = object(func, base, OBJECT_DEPTH);
        Place { space, base, offset: distance.wrapping_add(offset.into()), bytes: ty.bytes(), object }
    }

    /// Returns true if it has all bytes of another location.
    pub(super) fn covers(&self, other: &Place) -> bool {
        let end = |place: &Place| place.offset.saturating_add(place.bytes.into());
        (self.space, self.base) == (other.space, other.base)
            && self.offset <= other.offset
            && end(other) <= end(self)
    }

    /// Returns true if two locations may share a byte.
    pub(super) fn may_meet(&self, other: &Place) -> bool {
        if self.base == other.base && self.space == other.space {
            let (start, end) = (self.offset, self.offset.saturating_add(self.bytes.into()));
            return start < other.offset.saturating_add(other.bytes.into()) && other.offset < end;
        }
        let same_object = match (self.object, other.object) {
            (Some(one), Some(another)) => one == another,
            (Some(_), None) | (None, Some(_)) | (None, None) => true,
        };
        self.space.meets(other.space) && same_object
    }
}

/// Maximum depth to which sums are followed back to a variable.
const OBJECT_DEPTH: u32 = 6;

/// An address as another one and a constant distance.
fn split(func: &Function, mut address: Value) -> (Value, i64) {
    let mut offset = 0i64;
    while let Some(&InstData::Binary { op, args: [base, by], .. }) = func.def(address) {
        let Some(bits) = func.constant(by) else { break };
        let by = kernel_abi::eval::signed(func.ty(by), bits);
        match op {
            BinaryOp::Add => offset = offset.wrapping_add(by),
            BinaryOp::Sub => offset = offset.wrapping_sub(by),
            _ => break,
        }
        address = base;
    }
    (address, offset)
}

/// The variable that an address is in, if that is seen.
fn object(func: &Function, address: Value, depth: u32) -> Option<Object> {
    let depth = depth.checked_sub(1)?;
    match func.def(address)? {
        InstData::LocalAddress { var } => Some(Object::Local(*var)),
        InstData::SharedAddress { var } => Some(Object::Shared(*var)),
        InstData::ToGeneric { address, .. } => object(func, *address, depth),
        InstData::Binary { op: BinaryOp::Add, args: [a, b], .. } => {
            object(func, *a, depth).or_else(|| object(func, *b, depth))
        }
        InstData::Binary { op: BinaryOp::Sub, args: [a, _], .. } => object(func, *a, depth),
        _ => None,
    }
}

/// Known memory at a program point: the latest value last.
#[derive(Clone, Default)]
struct Known(Vec<Entry>);

/// Maximum number of known locations: each access examines all of them.
const MOST_ENTRIES: usize = 48;
/// Maximum number of blocks of paths that join.
const MOST_ON_PATHS: usize = 16;

impl Known {
    /// The memory that is still known where paths from a dominating block join.
    fn after_paths(&self, func: &Function, cfg: &Cfg, from: Block, join: Block) -> Known {
        let mut blocks: Vec<Block> = Vec::new();
        let mut left = cfg.predecessors(join).to_vec();
        while let Some(block) = left.pop() {
            if block == from || blocks.contains(&block) {
                continue;
            }
            // This block is the header of a loop, which paths come back to.
            if block == join || blocks.len() >= MOST_ON_PATHS || self.0.is_empty() {
                return Known::default();
            }
            blocks.push(block);
            left.extend(cfg.predecessors(block));
        }
        if has_cycle(cfg, &blocks) {
            return Known::default();
        }
        let mut known = self.clone();
        for &inst in blocks.iter().flat_map(|&block| &func.blocks[block].insts) {
            known.forget(func, inst);
        }
        known
    }

    /// Returns true for a store of the value that is known to be there. Stores to shared memory stay: the sanitizer reports races by them.
    fn has_stored(&self, func: &Function, inst: Inst) -> bool {
        let InstData::Store {
            space: space @ (Space::Global | Space::Local),
            address,
            offset,
            value,
            cache,
            ..
        } = func.insts[inst]
        else {
            return false;
        };
        let ty = func.ty(value);
        let place = Place::new(func, space, address, offset, ty);
        !cache.is_volatile()
            && self.0.iter().any(|entry| {
                entry.ty == ty
                    && entry.value == value
                    && (entry.place.space, entry.place.base, entry.place.offset)
                        == (space, place.base, place.offset)
            })
    }

    /// Goes past an instruction; the value if it reads what is known.
    fn inst(&mut self, func: &Function, inst: Inst) -> Option<Value> {
        match func.insts[inst] {
            // Each of them reads.
            InstData::Load { cache, .. } if cache.is_volatile() => {}
            InstData::Load { space, address, offset, read_only, .. } => {
                let result = func.results[inst]?;
                let ty = func.ty(result);
                let place = Place::new(func, space, address, offset, ty);
                let same = |entry: &&Entry| {
                    entry.ty == ty
                        && entry.place.space == space
                        && (entry.place.base, entry.place.offset) == (place.base, place.offset)
                };
                if let Some(entry) = self.0.iter().rev().find(same) {
                    return Some(entry.value);
                }
                let constant = read_only || space == Space::Const;
                self.learn(Entry { place, ty, value: result, constant });
            }
            InstData::Store { space, address, offset, value, .. } => {
                self.forget(func, inst);
                let ty = func.ty(value);
                let place = Place::new(func, space, address, offset, ty);
                self.learn(Entry { place, ty, value, constant: false });
            }
            _ => self.forget(func, inst),
        }
        None
    }

    /// Forgets what an instruction may have written, or what may be written before it.
    fn forget(&mut self, func: &Function, inst: Inst) {
        self.forget_by(func, &func.insts[inst]);
    }

    fn forget_by(&mut self, func: &Function, data: &InstData) {
        match *data {
            InstData::Load { .. } => {}
            InstData::Guarded { ref access, .. } => self.forget_by(func, access),
            InstData::Store { space, address, offset, value, .. } => {
                let place = Place::new(func, space, address, offset, func.ty(value));
                self.0.retain(|entry| entry.constant || !entry.place.may_meet(&place));
            }
            InstData::Inline { asm, .. } if !func.inlines[asm].sees_memory() => {}
            ref data if sees_memory(data) => {
                // A generic address may be of thread-private memory.
                let spares_local = match data {
                    InstData::Inline { asm, .. } | InstData::InlineEffect { asm, .. } => {
                        !func.inlines[*asm].memory
                    }
                    data => data.access().is_none_or(|(space, _)| space != Space::Generic),
                };
                self.0.retain(|entry| entry.constant || spares_local && entry.place.space == Space::Local);
            }
            _ => {}
        }
    }

    fn learn(&mut self, entry: Entry) {
        if self.0.len() >= MOST_ENTRIES {
            self.0.remove(0);
        }
        self.0.push(entry);
    }
}

/// Returns true if there is a loop of these blocks.
fn has_cycle(cfg: &Cfg, blocks: &[Block]) -> bool {
    // Blocks without a predecessor among those left are taken away, until there are none.
    let mut left = blocks.to_vec();
    while !left.is_empty() {
        let rest: Vec<Block> = left
            .iter()
            .filter(|&&block| cfg.predecessors(block).iter().any(|from| left.contains(from)))
            .copied()
            .collect();
        if rest.len() == left.len() {
            return true;
        }
        left = rest;
    }
    false
}

/// Returns true if other threads may write the memory that this one reads next, at or before this instruction.
fn sees_memory(data: &InstData) -> bool {
    !data.is_pure() && !data.is_terminator()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    /// A store under a predicate may have been made.
    #[test]
    fn guarded_stores() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 i: i64) {
                local0 a: 8 align 4
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: bool = icmp eq v0, v1
                v3: f32 = const 1.0
                v4: f32 = const 2.0
                v5: i64 = address local0
                store.local v5, v3
                store.local v5 + 4, v3
                guard v2 store.local v5, v4
                v6: f32 = load.local v5
                v7: f32 = load.local v5 + 4
                v8: f32 = fadd v6, v7
                store.global v0, v8
                v9: f32 = load.global v0 + 4
                guard v2 store.global v0, v3
                v10: f32 = load.global v0
                v11: f32 = load.global v0 + 4
                v12: f32 = fadd v9, v10
                v13: f32 = fadd v11, v12
                store.global v0, v13
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i64) {
                    local0 a: 8 align 4
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: bool = icmp eq v0, v1
                    v3: f32 = const 1.0
                    v4: f32 = const 2.0
                    v5: i64 = address local0
                    store.local v5, v3
                    store.local v5 + 4, v3
                    guard v2 store.local v5, v4
                    v6: f32 = load.local v5
                    v8: f32 = fadd v6, v3
                    store.global v0, v8
                    v9: f32 = load.global v0 + 4
                    guard v2 store.global v0, v3
                    v10: f32 = load.global v0
                    v12: f32 = fadd v9, v10
                    v13: f32 = fadd v9, v12
                    store.global v0, v13
                    return
                }
            "#]],
        );
    }

    #[test]
    fn stores_and_loads_of_one_place() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 i: i64) {
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = add v0, v1
                v3: i64 = const 4
                v4: i64 = add v2, v3
                v5: f32 = load.global v2 + 4
                v6: f32 = load.global v4
                v7: f32 = fadd v5, v6
                store.global v4, v7
                v8: f32 = load.global v2
                v9: f32 = load.global v4
                v10: f32 = fadd v8, v9
                store.global v2, v10
                v11: f32 = load.global v4
                v12: i32 = load.global v4
                store.global v0, v11
                v13: f32 = load.global v4
                store.global v0, v13
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i64) {
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = add v0, v1
                    v3: i64 = const 4
                    v4: i64 = add v2, v3
                    v5: f32 = load.global v2 + 4
                    v7: f32 = fadd v5, v5
                    store.global v4, v7
                    v8: f32 = load.global v2
                    v10: f32 = fadd v8, v7
                    store.global v2, v10
                    v12: i32 = load.global v4
                    store.global v0, v7
                    v13: f32 = load.global v4
                    store.global v0, v13
                    return
                }
            "#]],
        );
    }

    #[test]
    fn variables_and_spaces_are_apart() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 i: i64, param2 j: i32, param3 c: bool) {
                shared0 s: 64 align 4
                shared1 t: 64 align 4
                local0 a: 64 align 4
                local1 b: 64 align 4
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: i64 = address local0
                v3: i64 = add v2, v1
                v4: i64 = address local1
                v5: i64 = add v1, v4
                v6: i32 = param2
                v7: i32 = address shared0
                v8: i32 = add v7, v6
                v9: i32 = address shared1
                v10: i32 = add v9, v6
                store.local v3, v6
                store.shared v8, v6
                store.local v5, v7
                store.shared v10, v7
                v11: i32 = load.local v3
                v12: i32 = load.shared v8
                store.global v0, v11
                store.global v0, v12
                barrier
                v13: i32 = load.local v3
                v14: i32 = load.shared v8
                v15: i32 = load.global v0
                v16: i32 = load.global v0 + 4 read_only
                barrier
                v17: i32 = load.global v0 + 4 read_only
                store.global v0, v13
                store.local v2 + 4, v14
                v18: i32 = load.local v3
                v19: i32 = load.local v5
                store.global v0, v18
                store.global v0, v19
                store.global v0, v15
                store.global v0, v16
                store.global v0, v17
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 i: i64, param2 j: i32, param3 c: bool) {
                    shared0 s: 64 align 4
                    shared1 t: 64 align 4
                    local0 a: 64 align 4
                    local1 b: 64 align 4
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: i64 = address local0
                    v3: i64 = add v2, v1
                    v4: i64 = address local1
                    v5: i64 = add v1, v4
                    v6: i32 = param2
                    v7: i32 = address shared0
                    v8: i32 = add v7, v6
                    v9: i32 = address shared1
                    v10: i32 = add v9, v6
                    store.local v3, v6
                    store.shared v8, v6
                    store.local v5, v7
                    store.shared v10, v7
                    store.global v0, v6
                    barrier
                    v14: i32 = load.shared v8
                    v15: i32 = load.global v0
                    v16: i32 = load.global v0 + 4 read_only
                    barrier
                    store.global v0, v6
                    store.local v2 + 4, v14
                    v18: i32 = load.local v3
                    store.global v0, v18
                    store.global v0, v7
                    store.global v0, v15
                    store.global v0, v16
                    return
                }
            "#]],
        );
    }

    #[test]
    fn stores_of_what_is_there() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 y: i64 ptr align 4, param2 c: bool) {
                shared0 s: 64 align 4
            block0:
                v0: i64 = param0
                v1: i64 = param1
                v2: bool = param2
                v3: i32 = address shared0
                v4: f32 = load.global v0
                v5: f32 = load.global v0 + 4
                v6: f32 = load.shared v3
                v7: f32 = fadd v4, v5
                branch v2, block1, block2
            block1:
                store.global v0 + 8, v7
                jump block2
            block2:
                store.global v0, v4
                store.global v0 + 4, v7
                store.global v0 + 4, v7
                store.shared v3, v6
                store.global v1, v7
                store.global v0, v4
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 y: i64 ptr align 4, param2 c: bool) {
                    shared0 s: 64 align 4
                block0:
                    v0: i64 = param0
                    v1: i64 = param1
                    v2: bool = param2
                    v3: i32 = address shared0
                    v4: f32 = load.global v0
                    v5: f32 = load.global v0 + 4
                    v6: f32 = load.shared v3
                    v7: f32 = fadd v4, v5
                    branch v2, block1, block2
                block1:
                    store.global v0 + 8, v7
                    jump block2
                block2:
                    store.global v0 + 4, v7
                    store.shared v3, v6
                    store.global v1, v7
                    store.global v0, v4
                    return
                }
            "#]],
        );
    }

    #[test]
    fn paths_that_join() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 c: bool) {
            block0:
                v0: i64 = param0
                v1: bool = param1
                v2: i32 = load.global v0
                v3: i32 = load.global v0 + 4
                branch v1, block1, block2
            block1:
                store.global v0 + 4, v2
                jump block3
            block2:
                jump block3
            block3:
                v4: i32 = load.global v0
                v5: i32 = load.global v0 + 4
                store.global v0 + 8, v4
                store.global v0 + 12, v5
                jump block4
            block4:
                v6: i32 = load.global v0
                v7: bool = icmp eq v6, v4
                branch v7, block4, block5
            block5:
                v8: i32 = load.global v0
                store.global v0 + 16, v8
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 c: bool) {
                block0:
                    v0: i64 = param0
                    v1: bool = param1
                    v2: i32 = load.global v0
                    v3: i32 = load.global v0 + 4
                    branch v1, block1, block2
                block1:
                    store.global v0 + 4, v2
                    jump block3
                block2:
                    jump block3
                block3:
                    v5: i32 = load.global v0 + 4
                    store.global v0 + 8, v2
                    store.global v0 + 12, v5
                    jump block4
                block4:
                    v6: i32 = load.global v0
                    v7: bool = icmp eq v6, v2
                    branch v7, block4, block5
                block5:
                    store.global v0 + 16, v6
                    return
                }
            "#]],
        );
    }

    #[test]
    fn through_blocks_with_one_way_in() {
        check(
            forward_memory,
            "kernel k(param0 x: i64 ptr align 4, param1 c: bool) {
            block0:
                v0: i64 = param0
                v1: bool = param1
                v2: i32 = load.global v0
                branch v1, block1, block2
            block1:
                v3: i32 = load.global v0
                store.global v0, v1
                jump block3(v3)
            block2:
                v4: i32 = load.global v0
                branch v1, block3(v4), block4
            block4:
                v5: i32 = load.global v0
                v6: bool = icmp eq v5, v2
                branch v6, block4, block5
            block5:
                return
            block3(v7: i32):
                v8: i32 = load.global v0
                store.global v0 + 4, v8
                store.global v0 + 8, v7
                return
            }",
            expect![[r#"
                kernel k(param0 x: i64 ptr align 4, param1 c: bool) {
                block0:
                    v0: i64 = param0
                    v1: bool = param1
                    v2: i32 = load.global v0
                    branch v1, block1, block2
                block1:
                    store.global v0, v1
                    jump block3(v2)
                block2:
                    branch v1, block3(v2), block4
                block4:
                    v5: i32 = load.global v0
                    v6: bool = icmp eq v5, v2
                    branch v6, block4, block5
                block5:
                    return
                block3(v7: i32):
                    v8: i32 = load.global v0
                    store.global v0 + 4, v8
                    store.global v0 + 8, v7
                    return
                }
            "#]],
        );
    }
}
