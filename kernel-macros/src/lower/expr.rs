//! Expressions, blocks and statements: which part of lowering each one belongs to.

use ptx_gen::ir::Value;

use super::{Lowered, Lowerer, Values, layout};
use crate::builtins::Builtin;
use crate::typed::{Block, ConstValue, Expr, ExprKind, Stmt};

impl Lowerer<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Lowered {
        let outer = self.at(expr.span);
        let values = self.expr_kind(expr);
        self.back_at(outer);
        values
    }

    fn expr_kind(&mut self, expr: &Expr) -> Lowered {
        match &expr.kind {
            ExprKind::Literal(value) | ExprKind::Path { value, .. } => Ok(self.constant(*value)),
            ExprKind::Const(id) => Ok(self.constant(self.kernel.consts[id.0].value)),
            ExprKind::Local(id) => Ok(self.read_local(*id)),
            ExprKind::Unary { op, arg } => self.unary(*op, arg),
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            ExprKind::Logical { and, lhs, rhs } => self.logical(*and, lhs, rhs),
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => {
                self.mul_add([a, b, c], *negate_product, *negate_c, *product_first)
            }
            ExprKind::Cast(arg) => self.cast(arg, &expr.ty),
            ExprKind::Axis { base, axis } => self.axis(base, *axis),
            ExprKind::Index { .. } => {
                let place = self.place(expr)?;
                Ok(self.read_place(&place))
            }
            ExprKind::Call { builtin, args } => self.call(*builtin, args, &expr.ty),
            ExprKind::Assign { place, value } => self.assign(place, value),
            ExprKind::AssignOp { op, place, value } => self.assign_op(*op, place, value),
            ExprKind::AssignMulAdd { place, a, b, negate_product } => {
                self.assign_mul_add(place, a, b, *negate_product)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { cond, then, otherwise } => {
                self.if_else(cond, then, otherwise.as_deref(), &expr.ty)
            }
            ExprKind::Loop { id, body, .. } => self.endless_loop(*id, body, &expr.ty),
            ExprKind::While { id, cond, body, .. } => self.while_loop(*id, cond, body),
            ExprKind::For { id, local, range, body, .. } => self.for_loop(*id, *local, range, body),
            ExprKind::Break { target, value, .. } => self.break_loop(*target, value.as_deref()),
            ExprKind::Continue { target, .. } => self.continue_loop(*target),
            ExprKind::Return => self.return_thread(),
        }
    }

    /// Lowers an expression with one SSA value, as a scalar has.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Lowered<Value> {
        Ok(self.expr(expr)?[0])
    }

    fn constant(&mut self, value: ConstValue) -> Values {
        vec![self.b.constant(layout::scalar_type(value.ty), value.bits)]
    }

    /// Lowers a block to the value of its last expression.
    pub(super) fn block(&mut self, block: &Block) -> Lowered {
        for stmt in &block.stmts {
            self.stmt(stmt)?;
        }
        match &block.value {
            Some(value) => self.expr(value),
            None => Ok(Values::new()),
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Lowered<()> {
        match stmt {
            Stmt::Let { local: Some(id), init: Some(init), span } => {
                let outer = self.at(*span);
                let values = if let ExprKind::Call { builtin: Builtin::Shared, .. } = &init.kind {
                    self.shared_variable(&init.ty, layout::symbol(&self.kernel.local(*id).name))
                } else {
                    self.expr(init)?
                };
                self.bind(*id, values);
                self.back_at(outer);
            }
            Stmt::Let { local: Some(id), init: None, .. } => {
                self.declare(*id);
            }
            Stmt::Let { local: None, init: Some(expr), .. } | Stmt::Expr(expr) => {
                self.expr(expr)?;
            }
            Stmt::Let { local: None, init: None, .. } | Stmt::Const(_) => {}
        }
        Ok(())
    }
}
