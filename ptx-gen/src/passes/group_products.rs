//! Keeps groups of four warps whole at the instructions that they execute together (`wgmma`).
//!
//! A thread that panics exits. If a group executes such an instruction without it, the device stops with an illegal instruction and the
//! context is lost, instead of the panic's message (seen on an H100). So where some threads of a group may have panicked before the
//! instruction, the group's threads meet at an mbarrier in shared memory first. One that exited never arrives: the others find the panic record claimed
//! and exit, too. A loop without panics that contains the instruction is entered with a whole group and keeps it: they meet in front of
//! it.
//!
//! Threads that read the panic record exit as well, from waits that would have no end. The instructions behind such a wait are not
//! reached, unless the wait ends for some warps of a group only, in the moment in which others give up.

use std::collections::{BTreeSet, HashSet};

use super::append::Appender;
use crate::analysis::uniformity::Group;
use crate::analysis::{Cfg, DomTree, Loops, Uniformity};
use crate::ir::{
    BinaryOp, Block, BlockCall, BlockShape, Collective, Function, InlineAsm, InlineData, Inst, InstData,
    IntCond, Param, RemarkKind, SharedData, SharedVar, SourceLoc, SpecialRegister, Type, Value,
};
use ptx::target::DEFAULT_SHARED_PER_BLOCK;

/// The barriers in shared memory, one for each group: no name of a variable of the source.
const BARRIERS: &str = "$groups";
/// The most groups of a block: 1,024 threads.
const GROUPS: u32 = 8;
/// The threads of a group.
const THREADS: u64 = 128;
/// The registers with a thread's place in its block.
const THREAD: [SpecialRegister; 3] = [SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ];

/// Looks at the barrier between two looks into the panic record, which lies far away: a power of two.
const LOOKS: u64 = 64;

/// See the head of this file.
pub fn meet_before_products(func: &mut Function) {
    let places = meetings(func);
    if places.is_empty() {
        return;
    }
    let location = places
        .first()
        .map_or(SourceLoc::default(), |&(block, at)| func.locations[func.blocks[block].insts[at]]);
    let parts = Parts::new(func);
    // From the back, so that the places before stay where they are.
    for (block, at) in places.into_iter().rev() {
        parts.meet(func, block, at);
    }
    parts.start(func);
    let end = func
        .shared
        .values()
        .fold(0, |end: u64, data| end.next_multiple_of(data.align.into()) + u64::from(data.bytes));
    if end > DEFAULT_SHARED_PER_BLOCK.into() {
        let message = format!(
            "expected at most {DEFAULT_SHARED_PER_BLOCK} bytes of static shared memory in a kernel, found {end} with the {} that a product by groups of \
             four warps takes behind checks\nhelp: make the kernel's arrays smaller, or dynamic by `shared_dyn`",
            8 * parts.groups
        );
        func.remark(location, RemarkKind::Refused(message));
    }
}

/// The places in blocks where groups meet: each once.
fn meetings(func: &Function) -> BTreeSet<(Block, usize)> {
    let cfg = Cfg::new(func);
    let loops = Loops::new(&cfg, &DomTree::new(&cfg));
    let divergent_panics = divergent_panics(func);
    let mut places = BTreeSet::new();
    for &block in cfg.order() {
        for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
            if is_product(func, inst)
                && reach(&cfg, block).iter().any(|before| divergent_panics.contains(before))
            {
                places.insert(in_front_of_loops(func, &cfg, &loops, &divergent_panics, (block, at)));
            }
        }
    }
    places
}

/// Returns true if a group of four warps executes the instruction together.
fn is_product(func: &Function, inst: Inst) -> bool {
    let asm = match func.insts[inst] {
        InstData::Inline { asm, .. } | InstData::InlineEffect { asm, .. } => asm,
        _ => return false,
    };
    func.inlines[asm].collective == Some(Collective::Warpgroup)
}

/// The blocks that end in a branch by which some threads of a group may go on to a panic, while others do not. Those behind a look
/// into the panic record are left out.
fn divergent_panics(func: &Function) -> HashSet<Block> {
    let looks = |block: Block| func.blocks[block].insts.iter().any(|&inst| func.reads_panic_record(inst));
    let uniformity = Uniformity::new(func, BlockShape::default());
    let lives = |block: Block| uniformity.cfg().position(block).is_some();
    // The analysis takes a branch into a panic for none: only its condition is asked for.
    let parts = |block: Block| {
        let varies = |inst| match func.insts[inst] {
            InstData::Branch { cond, .. } => uniformity.of(cond).varies_in(Group::Warpgroup),
            _ => false,
        };
        func.terminator(block).is_some_and(varies)
            || !uniformity.parted_before(block, Group::Warpgroup).is_empty()
    };
    let without_looks = Cfg::without(func, looks);
    let mut divergent_panics = HashSet::new();
    for &block in without_looks.order().iter().filter(|&&block| lives(block)) {
        if without_looks.successors(block).iter().any(|&next| !lives(next)) && parts(block) {
            divergent_panics.insert(block);
        }
    }
    divergent_panics
}

/// The blocks from which a block can be reached; itself only in a loop.
fn reach(cfg: &Cfg, block: Block) -> HashSet<Block> {
    let mut seen = HashSet::new();
    let mut work = vec![block];
    while let Some(block) = work.pop() {
        work.extend(cfg.predecessors(block).iter().copied().filter(|&before| seen.insert(before)));
    }
    seen
}

/// Moves a place out of the loops that nobody leaves by a panic, to the end of the only block that goes there. That block is in the
/// loop around, so that it runs once where the loop is entered once.
fn in_front_of_loops(
    func: &Function,
    cfg: &Cfg,
    loops: &Loops,
    divergent_panics: &HashSet<Block>,
    (mut block, mut at): (Block, usize),
) -> (Block, usize) {
    let mut innermost = loops.innermost(block);
    while let Some(index) = innermost {
        let around = &loops.loops()[index];
        innermost = around.parent;
        let mut entries =
            cfg.predecessors(around.header).iter().filter(|from| !around.latches.contains(from));
        let (Some(&entry), None) = (entries.next(), entries.next()) else { break };
        if around.blocks.iter().any(|block| divergent_panics.contains(block))
            || loops.innermost(entry) != around.parent
        {
            break;
        }
        (block, at) = (entry, func.blocks[entry].insts.len() - 1);
    }
    (block, at)
}

/// Parts of the function that its meetings share.
struct Parts {
    barriers: SharedVar,
    groups: u32,
    record: Param,
    arrive: InlineAsm,
    look: InlineAsm,
}

impl Parts {
    fn new(func: &mut Function) -> Parts {
        let groups = func.bounds.block.map_or(GROUPS, |[x, y, z]| (x * y * z).div_ceil(THREADS as u32));
        let barriers = SharedData { name: BARRIERS.to_owned(), bytes: 8 * groups, align: 8 };
        let text = |text: &str, outs: &[Type], ins: &[Type]| InlineData {
            text: text.to_owned(),
            outs: outs.to_vec(),
            ins: ins.to_vec(),
            memory: true,
            collective: None,
        };
        let look = ".reg .pred %met;\nmbarrier.try_wait.shared::cta.b64 %met, [%_op1], %_op2;\nselp.b32 %_op0, 1, 0, %met;";
        Parts {
            barriers: func.shared.push(barriers),
            groups,
            record: func.last_panic_param(),
            arrive: func.inlines.push(text(
                "mbarrier.arrive.shared::cta.b64 %_op0, [%_op1];",
                &[Type::I64],
                &[Type::I32],
            )),
            look: func.inlines.push(text(look, &[Type::I32], &[Type::I32, Type::I64])),
        }
    }

    /// Starts the barriers before the first instruction.
    fn start(&self, func: &mut Function) {
        let text = (0..self.groups)
            .map(|group| format!("mbarrier.init.shared::cta.b64 [%_op0+{}], {THREADS};", 8 * group));
        let text = text.collect::<Vec<_>>().join("\n");
        let start =
            InlineData { text, outs: Vec::new(), ins: vec![Type::I32], memory: true, collective: None };
        let asm = func.inlines.push(start);
        let block = func.entry();
        let [first, rest] = std::array::from_fn(|_| func.make_block());
        func.blocks[rest].insts = std::mem::take(&mut func.blocks[block].insts);
        func.layout.splice(1..1, [first, rest]);
        let mut at = Appender { func, block, location: SourceLoc::default() };
        let is_first = at.is_first(THREAD);
        at.branch(is_first, (first, Vec::new()), rest);
        at.block = first;
        let address = at.value(InstData::SharedAddress { var: self.barriers }, Type::I32);
        at.effect(InstData::InlineEffect { asm, args: vec![address] });
        at.jump(rest, Vec::new());
        let mut at = Appender { func, block: rest, location: SourceLoc::default() };
        let insts = std::mem::take(&mut at.func.blocks[rest].insts);
        at.effect(InstData::Barrier);
        at.func.blocks[rest].insts.extend(insts);
    }

    /// Adds a meeting of the thread's group in front of an instruction.
    fn meet(&self, func: &mut Function, block: Block, index: usize) {
        let rest = func.blocks[block].insts.split_off(index);
        let location = rest.first().map_or(SourceLoc::default(), |&inst| func.locations[inst]);
        let [look, wait, ask, leave, met] = std::array::from_fn(|_| func.make_block());
        func.blocks[met].insts = rest;
        let place = func.layout.iter().position(|&other| other == block).map_or(0, |place| place + 1);
        func.layout.splice(place..place, [look, wait, ask, leave, met]);
        let count = func.add_block_param(look, Type::I32);

        let mut at = Appender { func, block, location };
        let barrier = self.barrier(&mut at);
        let arrival = InstData::Inline { asm: self.arrive, args: vec![barrier], pure: false };
        let arrival = at.value(arrival, Type::I64);
        let none = at.constant(Type::I32, 0);
        at.jump(look, vec![none]);

        at.block = look;
        let done = InstData::Inline { asm: self.look, args: vec![barrier, arrival], pure: false };
        let done = at.value(done, Type::I32);
        let done = at.compare(IntCond::Ne, done, none);
        at.branch(done, (met, Vec::new()), wait);

        at.block = wait;
        let one = at.constant(Type::I32, 1);
        let more = at.binary(BinaryOp::Add, count, one);
        let mask = at.constant(Type::I32, LOOKS - 1);
        let more = at.binary(BinaryOp::And, more, mask);
        let early = at.compare(IntCond::Ne, more, none);
        at.branch(early, (look, vec![more]), ask);

        at.block = ask;
        let panicked = at.has_panicked(self.record);
        let again = BlockCall { block: look, args: vec![none] };
        let leaves = BlockCall { block: leave, args: Vec::new() };
        at.effect(InstData::Branch { cond: panicked, if_true: leaves, if_false: again, hint: None });

        at.block = leave;
        at.effect(InstData::Return);
    }

    /// Address of the barrier of the thread's group.
    fn barrier(&self, at: &mut Appender<'_>) -> Value {
        let [x, y, z] = THREAD.map(|register| at.special(register));
        let [width, height] =
            [SpecialRegister::NtidX, SpecialRegister::NtidY].map(|register| at.special(register));
        let layer = at.binary(BinaryOp::Mul, z, height);
        let row = at.binary(BinaryOp::Add, layer, y);
        let row = at.binary(BinaryOp::Mul, row, width);
        let thread = at.binary(BinaryOp::Add, row, x);
        let by = at.constant(Type::I32, THREADS.ilog2().into());
        let group = at.binary(BinaryOp::LShr, thread, by);
        let bytes = at.constant(Type::I32, 8);
        let offset = at.binary(BinaryOp::Mul, group, bytes);
        let start = at.value(InstData::SharedAddress { var: self.barriers }, Type::I32);
        at.binary(BinaryOp::Add, start, offset)
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::check;
    use super::*;

    /// A thread may have panicked before the first product; none does in the loop of the second.
    #[test]
    fn in_front_of_the_product_and_of_its_loop() {
        check(
            meet_before_products,
            "kernel k(param0 n: i32, param1 y: i64 ptr align 4) bounds(block 128 1 1) {
                panic0 divide_by_zero @0:3:4
                inline0 \"wgmma.fence.sync.aligned;\" out(f32) in(f32) memory collective of warpgroup
            block0:
                v0: i32 = param0
                v1: i32 = special tid.x
                v2: f32 = const 0x0
                v3: bool = icmp eq v0, v1
                branch v3, block1, block2
            block1:
                panic panic0
            block2:
                jump block3(v1, v2)
            block3(v4: i32, v5: f32):
                v6: f32 = inline inline0(v5)
                v7: i32 = const 1
                v8: i32 = add v4, v7
                v9: bool = icmp ult v8, v0
                branch v9, block3(v8, v6), block4
            block4:
                v10: i64 = param1
                store.global v10, v6
                return
            }",
            expect![[r#"
                kernel k(param0 n: i32, param1 y: i64 ptr align 4, param2 $panic: i64 ptr align 8) bounds(block 128 1 1) {
                    shared0 $groups: 8 align 8
                    inline0 "wgmma.fence.sync.aligned;" out(f32) in(f32) memory collective of warpgroup
                    inline1 "mbarrier.arrive.shared::cta.b64 %_op0, [%_op1];" out(i64) in(i32) memory
                    inline2 ".reg .pred %met;\nmbarrier.try_wait.shared::cta.b64 %met, [%_op1], %_op2;\nselp.b32 %_op0, 1, 0, %met;" out(i32) in(i32, i64) memory
                    inline3 "mbarrier.init.shared::cta.b64 [%_op0+0], 128;" out in(i32) memory
                    panic0 divide_by_zero @0:3:4
                block0:
                    v40: i32 = special tid.x
                    v41: i32 = special tid.y
                    v42: i32 = special tid.z
                    v43: i32 = or v40, v41
                    v44: i32 = or v43, v42
                    v45: i32 = const 0
                    v46: bool = icmp eq v44, v45
                    branch v46, block10, block11
                block10:
                    v47: i32 = address shared0
                    inline_effect inline3(v47)
                    jump block11
                block11:
                    barrier
                    v0: i32 = param0
                    v1: i32 = special tid.x
                    v2: f32 = const 0.0
                    v3: bool = icmp eq v0, v1
                    branch v3, block1, block2
                block1:
                    panic panic0
                block2:
                    v12: i32 = special tid.x
                    v13: i32 = special tid.y
                    v14: i32 = special tid.z
                    v15: i32 = special ntid.x
                    v16: i32 = special ntid.y
                    v17: i32 = mul v14, v16
                    v18: i32 = add v17, v13
                    v19: i32 = mul v18, v15
                    v20: i32 = add v19, v12
                    v21: i32 = const 7
                    v22: i32 = lshr v20, v21
                    v23: i32 = const 8
                    v24: i32 = mul v22, v23
                    v25: i32 = address shared0
                    v26: i32 = add v25, v24
                    v27: i64 = inline inline1(v26)
                    v28: i32 = const 0
                    jump block5(v28)
                block5(v11: i32):
                    v29: i32 = inline inline2(v26, v27)
                    v30: bool = icmp ne v29, v28
                    branch v30, block9, block6
                block6:
                    v31: i32 = const 1
                    v32: i32 = add v11, v31
                    v33: i32 = const 63
                    v34: i32 = and v32, v33
                    v35: bool = icmp ne v34, v28
                    branch v35, block5(v34), block7
                block7:
                    v36: i64 = param2
                    v37: i32 = atomic_load.global.sys v36
                    v38: i32 = const 0
                    v39: bool = icmp ne v37, v38
                    branch v39, block8, block5(v28)
                block8:
                    return
                block9:
                    jump block3(v1, v2)
                block3(v4: i32, v5: f32):
                    v6: f32 = inline inline0(v5)
                    v7: i32 = const 1
                    v8: i32 = add v4, v7
                    v9: bool = icmp ult v8, v0
                    branch v9, block3(v8, v6), block4
                block4:
                    v10: i64 = param1
                    store.global v10, v6
                    return
                }
            "#]],
        );
    }

    /// Nothing panics but whole blocks, what follows a look into the record, and what comes after the product.
    #[test]
    fn whole_groups() {
        let text = "kernel k(param0 n: i32, param1 y: i64 ptr align 4, param2 $panic: i64 ptr align 8) bounds(block 128 1 1) {
                panic0 divide_by_zero @0:3:4
                inline0 \"wgmma.fence.sync.aligned;\" out(f32) in(f32) memory collective of warpgroup
            block0:
                v0: i32 = param0
                v10: i32 = const 7
                v11: bool = icmp eq v0, v10
                branch v11, block5, block2
            block5:
                v1: i64 = param2
                v2: i32 = atomic_load.global.sys.relaxed v1
                v3: bool = icmp eq v2, v0
                branch v3, block1, block2
            block1:
                panic panic0
            block2:
                v8: i32 = const 5
                v9: bool = icmp eq v0, v8
                branch v9, block1, block4
            block4:
                v4: f32 = const 0x0
                v5: f32 = inline inline0(v4)
                v6: i32 = special tid.x
                v7: bool = icmp eq v0, v6
                branch v7, block1, block3
            block3:
                return
            }";
        let before = crate::ir::parse_function(text).unwrap();
        let mut after = before.clone();
        meet_before_products(&mut after);
        assert_eq!(after.to_string(), before.to_string());
    }
}
