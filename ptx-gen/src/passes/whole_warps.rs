//! Refuses collectives of a full warp in kernels whose blocks cannot have whole warps only, and those of four warps in kernels whose blocks
//! may have others.
//!
//! The last warp of a block of 48 threads has 16 lanes; a collective that names all 32 as its members would wait for lanes
//! that are not there (PTX ISA, "shfl.sync": the behavior is undefined).

use super::divergence::waits_for;
use crate::analysis::uniformity::Group;
use crate::ir::{Function, InstData, RemarkKind, SourceLoc};
use ptx::target::WARP_SIZE;

/// Threads of a warpgroup.
const WARPGROUP_SIZE: u32 = 4 * WARP_SIZE;

const BY_MASK: &str = ", or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`";

/// See the head of this file.
pub fn refuse_partial_warps(func: &mut Function) {
    refuse_partial_groups(func);
    let bounds = &func.bounds;
    let block = bounds.block.map(|shape| (shape.iter().product::<u32>(), "block"));
    let bound = bounds.max_threads.filter(|&threads| threads < WARP_SIZE);
    let (threads, attribute) = match (block, bound) {
        (Some(block), _) => block,
        (None, Some(threads)) => (threads, "launch_bounds"),
        (None, None) => return,
    };
    if threads % WARP_SIZE == 0 {
        return;
    }
    let mut places: Vec<(SourceLoc, bool)> = Vec::new();
    let mut of_blocks: Vec<SourceLoc> = Vec::new();
    for inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let location = func.locations[*inst];
        // Instructions of the whole warp take no mask.
        let takes_mask =
            !matches!(func.insts[*inst], InstData::Inline { .. } | InstData::NamedBarrier { .. });
        match waits_for(func, *inst) {
            Some(Group::Warp) if !places.iter().any(|place| place.0 == location) => {
                places.push((location, takes_mask));
            }
            Some(Group::Block | Group::Cluster | Group::Grid) if !of_blocks.contains(&location) => {
                of_blocks.push(location)
            }
            Some(_) | None => {}
        }
    }
    // Collectives of a block take its last warp as it is: what they exchange comes from lanes that are there.
    places.retain(|place| !of_blocks.contains(&place.0));
    let whole = threads.next_multiple_of(WARP_SIZE);
    let message = format!(
        "expected blocks of whole warps, for all {WARP_SIZE} lanes take part here, found `{attribute}` with {threads} threads: the \
         last warp has {}\nhelp: make it {whole} threads",
        threads % WARP_SIZE
    );
    // The block is one mistake, however many collectives it has.
    if let Some(&(place, takes_mask)) = places.iter().min() {
        let others = if takes_mask { BY_MASK } else { "" };
        func.remark(place, RemarkKind::Refused(format!("{message}{others}")));
    }
}

/// Refuses instructions of four warps where blocks may have others.
fn refuse_partial_groups(func: &mut Function) {
    let threads = func.bounds.block.map(|shape| shape.iter().product::<u32>());
    if threads.is_some_and(|threads| threads % WARPGROUP_SIZE == 0) {
        return;
    }
    let message = match threads {
        Some(threads) => format!(
            "expected blocks of whole groups of four warps, which multiply together here, found `block` with {threads} threads\nhelp: make \
             it {} threads",
            threads.next_multiple_of(WARPGROUP_SIZE)
        ),
        None => format!(
            "expected blocks of whole groups of four warps, which multiply together here, found a kernel that takes blocks of any size\nhelp: \
             name the size, a multiple of {WARPGROUP_SIZE}: `#[kernel(block({WARPGROUP_SIZE}))]`"
        ),
    };
    let insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    let of_groups = insts.filter(|&&inst| waits_for(func, inst) == Some(Group::Warpgroup));
    let first = of_groups.map(|&inst| func.locations[inst]).min();
    if let Some(place) = first {
        func.remark(place, RemarkKind::Refused(message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::refuse_partial_warps;
    use expect_test::{Expect, expect};

    /// The remarks on a kernel with these bounds that votes with these members.
    fn refused(bounds: &str, members: u64, expected: Expect) {
        let text = format!(
            "kernel k() bounds({bounds}) {{\nblock0:\n    v0: i32 = const {members:#x}\n    v1: bool = const true\n    v2: bool = vote.any v1, v0\n    return\n}}\n"
        );
        let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
        refuse_partial_warps(&mut func);
        let remarks: Vec<String> = func.remarks.iter().map(|remark| remark.kind.to_string()).collect();
        expected.assert_eq(&remarks.join("\n"));
    }

    #[test]
    fn blocks_of_whole_warps() {
        refused(
            "block 48 1 1",
            0xffff_ffff,
            expect![[r#"
            expected blocks of whole warps, for all 32 lanes take part here, found `block` with 48 threads: the last warp has 16
            help: make it 64 threads, or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`"#]],
        );
        refused(
            "max_threads 16",
            0xffff_ffff,
            expect![[r#"
            expected blocks of whole warps, for all 32 lanes take part here, found `launch_bounds` with 16 threads: the last warp has 16
            help: make it 32 threads, or name the lanes that come, by a mask of them alone: `mask = m` in the attribute, or a function that ends in `_sync`"#]],
        );
        refused("block 16 4 1", 0xffff_ffff, expect![[""]]);
        refused("max_threads 48", 0xffff_ffff, expect![[""]]);
        // A mask in the source takes care of absent lanes.
        refused("block 48 1 1", 0xffff, expect![[""]]);
    }

    #[test]
    fn blocks_of_whole_groups() {
        let refused = |bounds: &str, expected: Expect| {
            let text = format!(
                "kernel k(){bounds} {{\n    inline0 \"mov.b32 %_op0, 1;\" out(i32) in collective of warpgroup\nblock0:\n    v0: i32 = inline inline0\n    return\n}}\n"
            );
            let mut func = crate::ir::parse_function(&text).unwrap_or_else(|error| panic!("{error}"));
            refuse_partial_warps(&mut func);
            let remarks: Vec<String> = func.remarks.iter().map(|remark| remark.kind.to_string()).collect();
            expected.assert_eq(&remarks.join("\n"));
        };
        refused(
            " bounds(block 96 1 1)",
            expect![[r#"
            expected blocks of whole groups of four warps, which multiply together here, found `block` with 96 threads
            help: make it 128 threads"#]],
        );
        refused(
            "",
            expect![[r#"
            expected blocks of whole groups of four warps, which multiply together here, found a kernel that takes blocks of any size
            help: name the size, a multiple of 128: `#[kernel(block(128))]`"#]],
        );
        refused(" bounds(block 64 4 1)", expect![[""]]);
    }

    #[test]
    fn nothing_changes() {
        let text = "kernel k() bounds(block 64 1 1) {\nblock0:\n    return\n}\n";
        check(
            refuse_partial_warps,
            text,
            expect![["kernel k() bounds(block 64 1 1) {\nblock0:\n    return\n}\n"]],
        );
    }
}
