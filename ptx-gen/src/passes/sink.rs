//! Code sinking: a division, a root or a transcendental function that one side of a branch alone needs is computed there, with what is made
//! of it and what only it is made of. ptxas 13.0 leaves it where the PTX has it; a warp of which no lane takes that side goes
//! without.
//!
//! Loads stay: an early load waits less. Cheap operations stay, too, which leave a side short enough to be predicated. (Muchnick, "Advanced Compiler
//! Design and Implementation", section 13.3, has the placement of which this is the simplest case.)

use std::collections::{HashMap, HashSet};

use super::simplify_cfg::count_edges;
use crate::analysis::{Cfg, DomTree};
use crate::ir::{BinaryOp, Block, EntityMap, Function, Inst, InstData, UnaryOp, Value};

/// See the head of this file.
pub fn sink_expensive(func: &mut Function) {
    let has_some = func
        .layout
        .iter()
        .any(|&block| func.blocks[block].insts.iter().any(|&inst| is_expensive(func, &func.insts[inst])));
    if !has_some {
        return;
    }
    let cfg = Cfg::new(func);
    let tree = DomTree::new(&cfg);
    let edges = count_edges(func);
    let mut uses = uses(func);
    // In reverse postorder, so that an instruction that sank into a side may sink further from there.
    for &block in cfg.order() {
        let Some(terminator) = func.terminator(block) else { continue };
        let InstData::Branch { if_true, if_false, .. } = &func.insts[terminator] else { continue };
        for side in [if_true.block, if_false.block] {
            if edges[side] == 1 {
                sink(func, &tree, &mut uses, block, side);
            }
        }
    }
}

/// The blocks with uses of each value, a block for each use.
fn uses(func: &Function) -> EntityMap<Value, Vec<Block>> {
    let mut uses = EntityMap::<Value, Vec<Block>>::filled(func.values.len(), Vec::new());
    for &block in &func.layout {
        for &inst in &func.blocks[block].insts {
            func.insts[inst].visit_args(|arg| uses[arg].push(block));
        }
    }
    uses
}

fn is_expensive(func: &Function, data: &InstData) -> bool {
    match data {
        InstData::Unary { op, .. } => matches!(
            op,
            UnaryOp::Sqrt
                | UnaryOp::SinApprox
                | UnaryOp::CosApprox
                | UnaryOp::Exp2Approx
                | UnaryOp::Exp2Flushed
                | UnaryOp::Log2Approx
                | UnaryOp::RcpApprox
                | UnaryOp::RcpFlushed
                | UnaryOp::RsqrtApprox
                | UnaryOp::SqrtApprox
                | UnaryOp::TanhApprox
        ),
        InstData::Binary { op, args, .. } => match op {
            BinaryOp::FDiv | BinaryOp::FDivApprox => true,
            BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem => {
                func.constant(args[1]).is_none()
            }
            _ => false,
        },
        _ => false,
    }
}

/// Moves what only one side of a block's branch needs to that side.
fn sink(
    func: &mut Function,
    tree: &DomTree,
    uses: &mut EntityMap<Value, Vec<Block>>,
    block: Block,
    side: Block,
) {
    // Instructions that could move, last first, and their results.
    let (mut free, mut values) = (Vec::new(), HashSet::new());
    // Uses in this block by what moves.
    let mut gone = HashMap::<Value, usize>::new();
    for &inst in func.blocks[block].insts.iter().rev() {
        let (data, Some(result)) = (&func.insts[inst], func.results[inst]) else { continue };
        let here = uses[result].iter().filter(|&&user| user == block).count();
        let may = data.is_pure()
            && !matches!(data, InstData::Const { .. } | InstData::InlineOut { .. } | InstData::Inline { .. })
            && !uses[result].is_empty()
            && here == gone.get(&result).copied().unwrap_or(0)
            && uses[result].iter().all(|&user| user == block || tree.dominates(side, user));
        if may {
            data.visit_args(|arg| *gone.entry(arg).or_default() += 1);
            free.push(inst);
            values.insert(result);
        }
    }
    // Of these the expensive ones, what is made of them, and what nothing else is made of.
    let mut moved: HashSet<Inst> = HashSet::new();
    let mut made: HashSet<Value> = HashSet::new();
    for &inst in free.iter().rev() {
        let data = &func.insts[inst];
        let mut is_one = is_expensive(func, data);
        data.visit_args(|arg| is_one |= made.contains(&arg));
        if is_one {
            moved.insert(inst);
            made.extend(func.results[inst]);
        }
    }
    if moved.is_empty() {
        return;
    }
    let mut wanted = HashMap::<Value, usize>::new();
    for &inst in &free {
        let Some(result) = func.results[inst] else { continue };
        let here = uses[result].iter().filter(|&&user| user == block).count();
        if !moved.contains(&inst)
            && here > 0
            && wanted.get(&result) == Some(&here)
            && here == uses[result].len()
        {
            moved.insert(inst);
        }
        if moved.contains(&inst) {
            func.insts[inst].visit_args(|arg| *wanted.entry(arg).or_default() += 1);
        }
    }
    let order: Vec<Inst> =
        func.blocks[block].insts.iter().copied().filter(|inst| moved.contains(inst)).collect();
    func.blocks[block].insts.retain(|inst| !moved.contains(inst));
    for &inst in &order {
        func.insts[inst].visit_args(|arg| {
            if let Some(user) = uses[arg].iter_mut().find(|user| **user == block) {
                *user = side;
            }
        });
    }
    // Before the first that needs one of them: loads come before them.
    let needs = |&inst: &Inst| {
        let mut needs = false;
        func.insts[inst].visit_args(|arg| {
            needs |= order.iter().any(|&moved| func.results[moved] == Some(arg));
        });
        needs
    };
    let insts = &func.blocks[side].insts;
    let at = insts.iter().position(needs).unwrap_or(insts.len() - 1);
    func.blocks[side].insts.splice(at..at, order);
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::sink_expensive;
    use crate::passes::{check, check_stays};

    /// `let s = (a / b) * a` where `s` is used under a condition, and `more` before the branch.
    fn quotient(op: &str, more: &str) -> String {
        format!(
            "kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 a: f32, param3 b: f32) {{
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: f32 = param2
                v3: f32 = param3
                v4: i32 = const 9
                v5: f32 = fadd v2, v3
                v6: f32 = {op} v5, v3
                v7: f32 = fmul v6, v2
                v8: bool = icmp ult v1, v4
                {more}
                branch v8, block1, block2
            block1:
                v9: f32 = load.global v0
                v10: f32 = fadd v9, v7
                store.global v0, v10
                jump block2
            block2:
                return
            }}"
        )
    }

    #[test]
    fn a_quotient_with_its_sum_and_product() {
        check(
            sink_expensive,
            &quotient("fdiv", ""),
            expect![[r#"
            kernel k(param0 p: i64 ptr align 4, param1 n: i32, param2 a: f32, param3 b: f32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v4: i32 = const 9
                v8: bool = icmp ult v1, v4
                branch v8, block1, block2
            block1:
                v9: f32 = load.global v0
                v2: f32 = param2
                v3: f32 = param3
                v5: f32 = fadd v2, v3
                v6: f32 = fdiv v5, v3
                v7: f32 = fmul v6, v2
                v10: f32 = fadd v9, v7
                store.global v0, v10
                jump block2
            block2:
                return
            }
        "#]],
        );
    }

    #[test]
    fn what_stays() {
        check_stays(sink_expensive, &quotient("fmul", ""));
        check_stays(sink_expensive, &quotient("fdiv", "store.global v0 + 4, v7"));
    }
}
