//! `if`, `loop`, `while`, labelled blocks, `break`, `continue`, and conditions that stop early.

use ptx_gen::ir::{
    BinaryOp as Op, Block as IrBlock, BranchHint, BranchWish, LoopHint, RemarkKind, Type, Value,
};

use super::arith::is_comparison;
use super::expr::binds;
use super::{Diverges, Loop, Lowered, Lowerer, Values};
use crate::builtins::Builtin;
use crate::typed::{
    BinaryOp, Block, BranchAttr, Consumer, Expr, ExprKind, LoopAsk, LoopAttr, LoopId, Scalar, Ty, UnaryOp,
};

impl Lowerer<'_> {
    /// Makes a block with a parameter for each SSA value of `ty`.
    pub(super) fn block_taking(&mut self, ty: &Ty) -> (IrBlock, Values) {
        let block = self.b.create_block();
        let types = self.types.flatten(ty);
        let params = types.into_iter().map(|ty| self.b.add_block_param(block, ty)).collect();
        (block, params)
    }

    /// Ends the jumps to `block` and goes on there, if there was any.
    pub(super) fn enter(&mut self, block: IrBlock) -> Lowered<()> {
        self.b.seal(block);
        if !self.b.is_jump_target(block) {
            return Err(Diverges);
        }
        self.b.switch_to(block);
        Ok(())
    }

    /// Jumps with the values of an expression, if control comes past it.
    pub(super) fn jump_with(&mut self, target: IrBlock, values: Lowered) {
        if let Ok(values) = values {
            self.b.jump(target, &values);
        }
    }

    /// Goes to one of two blocks by a condition. `&&`, `||` and `!` become jumps, so that each part guards what follows, and
    /// sees what a pattern before it bound.
    pub(super) fn branch_on(&mut self, cond: &Expr, if_true: IrBlock, if_false: IrBlock) {
        match &cond.kind {
            ExprKind::Logical { and, lhs, rhs } => {
                let more = self.b.create_block();
                let (on_true, on_false) = if *and { (more, if_false) } else { (if_true, more) };
                self.branch_on(lhs, on_true, on_false);
                if self.enter(more).is_ok() {
                    self.branch_on(rhs, if_true, if_false);
                }
            }
            ExprKind::Unary { op: UnaryOp::Not, arg } => self.branch_on(arg, if_false, if_true),
            // The branch that is dead on this architecture is not lowered: it may need instructions that the architecture lacks.
            ExprKind::Call { builtin: Builtin::TargetAtLeast, args } => {
                let decided = if self.target_at_least(args) { if_true } else { if_false };
                self.b.jump(decided, &[]);
            }
            ExprKind::Call { builtin: Builtin::TargetHasWarpgroups, .. } => {
                let decided = if self.target_has_warpgroups() { if_true } else { if_false };
                self.b.jump(decided, &[]);
            }
            ExprKind::Let { pattern, value } => {
                let outer = self.at(cond.span);
                if self.branch_on_pattern(pattern, value, if_false).is_ok() {
                    self.b.jump(if_true, &[]);
                }
                self.back_at(outer);
            }
            ExprKind::Consume { iter, how: Consumer::Any(function) } => {
                let _ = self.branch_on_any((iter, function, true), if_true, if_false);
            }
            ExprKind::Consume { iter, how: Consumer::All(function) } => {
                let _ = self.branch_on_any((iter, function, false), if_true, if_false);
            }
            _ => {
                // The hint is for this branch, and not for those inside its condition.
                let hint = self.hint.take();
                if let Ok(holds) = self.scalar(cond) {
                    let outer = self.at(cond.span);
                    self.b.hinted_branch(holds, if_true, if_false, hint);
                    self.back_at(outer);
                }
                self.hint = hint;
            }
        }
    }

    /// A condition as a value, by way of jumps.
    pub(super) fn condition(&mut self, cond: &Expr) -> Lowered {
        let (yes, no) = (self.b.create_block(), self.b.create_block());
        let (join, result) = self.block_taking(&Ty::Scalar(Scalar::Bool));
        self.branch_on(cond, yes, no);
        for (block, value) in [(yes, true), (no, false)] {
            if self.enter(block).is_ok() {
                let value = self.bool(value);
                self.b.jump(join, &[value]);
            }
        }
        self.enter(join)?;
        Ok(result)
    }

    /// `a && b`, `a || b` as a value.
    pub(super) fn logical(&mut self, and: bool, lhs: &Expr, rhs: &Expr) -> Lowered {
        let lhs = self.scalar(lhs)?;
        if is_plain(rhs, self.function().checks_overflow, &mut { MOST_OPERATIONS + 1 }) {
            let rhs = self.scalar(rhs)?;
            return Ok(vec![self.b.binary(if and { Op::And } else { Op::Or }, lhs, rhs)]);
        }
        let (more, short) = (self.b.create_block(), self.b.create_block());
        let (join, result) = self.block_taking(&Ty::Scalar(Scalar::Bool));
        let (on_true, on_false) = if and { (more, short) } else { (short, more) };
        self.b.branch(lhs, on_true, on_false);
        self.enter(short)?;
        let decided = self.b.constant(Type::Bool, u64::from(!and));
        self.b.jump(join, &[decided]);
        self.enter(more)?;
        let rhs = self.expr(rhs);
        self.jump_with(join, rhs);
        self.enter(join)?;
        Ok(result)
    }

    pub(super) fn if_else(
        &mut self,
        cond: &Expr,
        (then, otherwise): (&Block, Option<&Expr>),
        attr: Option<BranchAttr>,
        ty: &Ty,
    ) -> Lowered {
        let then_block = self.b.create_block();
        let (join, result) = self.block_taking(ty);
        let else_block = if otherwise.is_some() { self.b.create_block() } else { join };
        let hint = self.branch_hint(attr);
        let one_branch = hint.is_some_and(|hint| hint.wish == BranchWish::Predicate) && !binds(cond);
        if one_branch && let ExprKind::Logical { .. } | ExprKind::Unary { .. } = &cond.kind {
            // With several branches the sides would be reached on several ways.
            let holds = self.scalar(cond)?;
            self.b.hinted_branch(holds, then_block, else_block, hint);
        } else {
            let around = std::mem::replace(&mut self.hint, hint);
            self.branch_on(cond, then_block, else_block);
            self.hint = around;
        }
        if self.enter(then_block).is_ok() {
            let values = self.block(then);
            self.jump_with(join, values);
        }
        if let Some(otherwise) = otherwise
            && self.enter(else_block).is_ok()
        {
            let values = match &otherwise.kind {
                // The attribute of `if` applies to its `else if` too.
                ExprKind::If { cond, then, otherwise: next, attr: None } if attr.is_some() => {
                    let outer = self.at(otherwise.span);
                    let values = self.if_else(cond, (then, next.as_deref()), attr, &otherwise.ty);
                    self.back_at(outer);
                    values
                }
                _ => self.expr(otherwise),
            };
            self.jump_with(join, values);
        }
        self.enter(join)?;
        Ok(result)
    }

    /// The hint that an attribute gives to the branches of its statement.
    pub(super) fn branch_hint(&mut self, attr: Option<BranchAttr>) -> Option<BranchHint> {
        let BranchAttr { predicate, loc } = attr?;
        let wish = if predicate { BranchWish::Predicate } else { BranchWish::Keep };
        // Branches in the library have no location in the user's text.
        let location = if self.function().is_library { self.location } else { self.locate(loc) };
        Some(BranchHint { wish, location })
    }

    /// One of two values of the same type, by a condition.
    pub(super) fn choose(
        &mut self,
        cond: Value,
        ty: &Ty,
        if_true: impl FnOnce(&mut Self) -> Lowered,
        if_false: impl FnOnce(&mut Self) -> Lowered,
    ) -> Lowered {
        let (yes, no) = (self.b.create_block(), self.b.create_block());
        let (join, result) = self.block_taking(ty);
        self.b.branch(cond, yes, no);
        if self.enter(yes).is_ok() {
            let values = if_true(self);
            self.jump_with(join, values);
        }
        if self.enter(no).is_ok() {
            let values = if_false(self);
            self.jump_with(join, values);
        }
        self.enter(join)?;
        Ok(result)
    }

    /// `loop { … }`
    pub(super) fn endless_loop(&mut self, id: LoopId, body: &Block, ty: &Ty) -> Lowered {
        let header = self.b.create_block();
        let (exit, result) = self.block_taking(ty);
        self.ask_of_loop(id, header);
        self.b.jump(header, &[]);
        self.b.switch_to(header);
        self.in_loop(Loop { id, exit, next: header }, |this| {
            if this.block(body).is_ok() {
                this.b.jump(header, &[]);
            }
        });
        self.b.seal(header);
        self.enter(exit)?;
        Ok(result)
    }

    /// `'a: { … }`
    pub(super) fn labeled_block(&mut self, id: LoopId, body: &Block, ty: &Ty) -> Lowered {
        let (exit, result) = self.block_taking(ty);
        // Nothing continues a block.
        self.in_loop(Loop { id, exit, next: exit }, |this| {
            let values = this.block(body);
            this.jump_with(exit, values);
        });
        self.enter(exit)?;
        Ok(result)
    }

    /// `while cond { … }`
    pub(super) fn while_loop(&mut self, id: LoopId, cond: &Expr, body: &Block) -> Lowered {
        let (header, inside, exit) = (self.b.create_block(), self.b.create_block(), self.b.create_block());
        self.ask_of_loop(id, header);
        self.b.jump(header, &[]);
        self.b.switch_to(header);
        self.in_loop(Loop { id, exit, next: header }, |this| {
            this.branch_on(cond, inside, exit);
            if this.enter(inside).is_ok() && this.block(body).is_ok() {
                this.b.jump(header, &[]);
            }
        });
        self.b.seal(header);
        self.enter(exit)?;
        Ok(Values::new())
    }

    /// Passes on the attribute of a loop.
    pub(super) fn ask_of_loop(&mut self, id: LoopId, header: IrBlock) {
        let Some(&Some(LoopAttr { ask, loc })) = self.function().loops.get(id.0) else { return };
        let hint = match ask {
            LoopAsk::Whole => LoopHint::Full,
            // The chains rotate: unrolled by their number, each copy of the body has one of them.
            LoopAsk::By(rounds) | LoopAsk::Chains(rounds) => LoopHint::By(rounds),
            LoopAsk::Stay => LoopHint::Never,
            LoopAsk::Ahead(rounds) => LoopHint::Prefetch(rounds),
        };
        if let LoopAsk::Chains(chains) = ask {
            let location = self.location;
            self.b.function().remark(location, RemarkKind::Chains { chains });
        }
        // A loop in the library has no location in the user's text: that of the call stands for it.
        let asked = if self.function().is_library {
            self.library_loops.insert(self.location);
            self.location
        } else {
            self.locate(loc)
        };
        self.b.ask_of_loop(header, hint, asked);
    }

    /// Lowers what is inside a loop.
    pub(super) fn in_loop(&mut self, around: Loop, inside: impl FnOnce(&mut Self)) {
        self.frame().loops.push(around);
        inside(self);
        self.frame().loops.pop();
    }

    fn loop_with(&mut self, id: LoopId) -> Loop {
        let loops = self.frame().loops.iter();
        *loops.rev().find(|l| l.id == id).expect("checking resolves labels to loops around them")
    }

    pub(super) fn break_loop(&mut self, target: LoopId, value: Option<&Expr>) -> Lowered {
        let values = match value {
            Some(value) => self.expr(value)?,
            None => Values::new(),
        };
        let exit = self.loop_with(target).exit;
        self.b.jump(exit, &values);
        Err(Diverges)
    }

    pub(super) fn continue_loop(&mut self, target: LoopId) -> Lowered {
        let next = self.loop_with(target).next;
        self.b.jump(next, &[]);
        Err(Diverges)
    }
}

/// Maximum number of sums, products and bit operations that `&&` and `||` compute although the left side decides.
const MOST_OPERATIONS: u32 = 4;

/// Returns true if evaluation is cheap and has no side effects, so that both sides of `&&` may be evaluated: one block has the
/// facts of both then. With `checks_overflow`, operators may panic. `operations` is the number of those that are still cheap.
fn is_plain(expr: &Expr, checks_overflow: bool, operations: &mut u32) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) | ExprKind::Path(_) | ExprKind::Local(_) | ExprKind::Const(_) => true,
        ExprKind::Field { base, .. } => is_plain(base, checks_overflow, operations),
        ExprKind::Unary { op, arg } => {
            (*op != UnaryOp::Neg || !checks_overflow) && is_plain(arg, checks_overflow, operations)
        }
        ExprKind::Binary { op, lhs, rhs } => {
            let is_cheap = match op {
                _ if is_comparison(*op) => matches!(lhs.ty, Ty::Scalar(_)),
                BinaryOp::Add
                | BinaryOp::Sub
                | BinaryOp::Mul
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor => {
                    *operations = operations.saturating_sub(1);
                    matches!(lhs.ty, Ty::Scalar(scalar) if scalar.is_int())
                        && !checks_overflow
                        && *operations > 0
                }
                _ => false,
            };
            is_cheap
                && is_plain(lhs, checks_overflow, operations)
                && is_plain(rhs, checks_overflow, operations)
        }
        _ => false,
    }
}
