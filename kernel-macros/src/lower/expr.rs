//! Expressions, blocks and statements: which part of lowering each one belongs to.

use ptx_gen::ir::{InlineData, Type, Value};

use super::{Lowered, Lowerer, Values, layout};
use crate::builtins::Builtin;
use crate::typed::{BindMode, Block, ConstValue, Expr, ExprKind, InlinePtx, Pattern, Scalar, Stmt, Ty};

impl Lowerer<'_> {
    /// Lowers an expression.
    pub(super) fn expr(&mut self, expr: &Expr) -> Lowered {
        let outer = self.at(expr.span);
        let values = self.expr_kind(expr);
        self.back_at(outer);
        values
    }

    pub(super) fn expr_kind(&mut self, expr: &Expr) -> Lowered {
        match &expr.kind {
            ExprKind::Literal(value) | ExprKind::Path(value) => Ok(self.constant(*value)),
            ExprKind::Local(_)
            | ExprKind::Const(_)
            | ExprKind::Field { .. }
            | ExprKind::Deref(_)
            | ExprKind::Index { .. } => {
                let place = self.place(expr)?;
                Ok(self.read_place(&place))
            }
            ExprKind::Closure(id) => {
                self.make_closure(*id);
                Ok(Values::new())
            }
            ExprKind::Function | ExprKind::Unit => Ok(Values::new()),
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.concat(parts),
            ExprKind::Repeat(value) => self.repeated(value, &expr.ty),
            ExprKind::Struct { fields, base } => self.struct_value(fields, base.as_deref(), &expr.ty),
            ExprKind::Variant(index) => Ok(self.variant(&expr.ty, *index)),
            ExprKind::Some(value) => {
                let values = self.expr(value)?;
                Ok(self.some(values))
            }
            ExprKind::None => Ok(self.zeros(&expr.ty)),
            ExprKind::Ref(of) => self.reference(of, &expr.ty),
            ExprKind::Unsize(of) => self.unsize(of),
            ExprKind::Subslice { base, start, end, inclusive } => {
                self.subslice(base, start.as_deref(), end.as_deref(), *inclusive)
            }
            ExprKind::Unary { op, arg } => self.unary(*op, arg),
            ExprKind::Binary { op, lhs, rhs } => self.binary(*op, lhs, rhs),
            ExprKind::Logical { and, lhs, rhs } if !binds(lhs) && !binds(rhs) => self.logical(*and, lhs, rhs),
            ExprKind::Logical { .. } | ExprKind::Let { .. } => self.condition(expr),
            ExprKind::MulAdd { a, b, c, negate_product, negate_c, product_first } => {
                self.mul_add([a, b, c], *negate_product, *negate_c, *product_first)
            }
            ExprKind::Cast(arg) => self.cast(arg, &expr.ty),
            ExprKind::Axis { base, axis } => self.axis(base, *axis),
            ExprKind::Call { builtin, args } => self.call(*builtin, args, &expr.ty),
            ExprKind::Atomic(access) => self.atomic(access),
            ExprKind::Fence { order, scope } => Ok(self.atomic_fence(*order, *scope)),
            ExprKind::Invoke { function, args } => self.invoke(*function, args),
            ExprKind::InvokeValue { callee, args } => self.invoke_value(callee, args),
            ExprKind::Consume { iter, how } => self.consume(iter, how, &expr.ty),
            ExprKind::InlinePtx(ptx) => self.inline_ptx(ptx),
            ExprKind::Panic { format, args } => self.panic(*format, args),
            ExprKind::Print { format, args } => self.print(*format, args),
            ExprKind::Match { value, arms, attr } => self.match_value(value, arms, *attr, &expr.ty),
            ExprKind::Assign { place, value } => self.assign(place, value),
            ExprKind::AssignOp { op, place, value } => self.assign_op(*op, place, value),
            ExprKind::AssignMulAdd { place, a, b, negate_product } => {
                self.assign_mul_add(place, a, b, *negate_product)
            }
            ExprKind::Block(block) => self.block(block),
            ExprKind::Labeled { id, body, .. } => self.labeled_block(*id, body, &expr.ty),
            ExprKind::If { cond, then, otherwise, attr } => {
                self.if_else(cond, (then, otherwise.as_deref()), *attr, &expr.ty)
            }
            ExprKind::Loop { id, body, .. } => self.endless_loop(*id, body, &expr.ty),
            ExprKind::While { id, cond, body, .. } => self.while_loop(*id, cond, body),
            ExprKind::For { id, pattern, iter, body, .. } => self.for_loop(*id, pattern, iter, body),
            ExprKind::Break { target, value } => self.break_loop(*target, value.as_deref()),
            ExprKind::Continue { target } => self.continue_loop(*target),
            ExprKind::Return(value) => self.return_value(value.as_deref()),
        }
    }

    /// Lowers an expression with one SSA value, as a scalar has.
    pub(super) fn scalar(&mut self, expr: &Expr) -> Lowered<Value> {
        Ok(self.expr(expr)?[0])
    }

    fn inline_ptx(&mut self, ptx: &InlinePtx) -> Lowered {
        let args = ptx.ins.iter().map(|value| self.scalar(value)).collect::<Lowered<Values>>()?;
        let types = |scalars: Vec<Scalar>| scalars.into_iter().map(layout::scalar_type).collect();
        let asm = self.b.add_inline(InlineData {
            text: ptx.text.clone(),
            outs: types(ptx.outs.iter().map(|ty| self.types.scalar(ty)).collect()),
            ins: types(ptx.ins.iter().map(|value| self.types.scalar(&value.ty)).collect()),
            memory: ptx.memory,
            collective: None,
        });
        Ok(self.b.inline(asm, args, ptx.pure))
    }

    fn variant(&mut self, ty: &Ty, index: usize) -> Values {
        let value: ConstValue = self.types.variant(ty, index);
        self.constant(value)
    }

    /// Lowers a block to the value of its last expression.
    pub(super) fn block(&mut self, block: &Block) -> Lowered {
        self.stmts(block)?;
        match &block.value {
            Some(value) => self.expr(value),
            None => Ok(Values::new()),
        }
    }

    /// Lowers the statements of a block.
    pub(super) fn stmts(&mut self, block: &Block) -> Lowered<()> {
        block.stmts.iter().try_for_each(|stmt| self.stmt(stmt))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Lowered<()> {
        match stmt {
            Stmt::Declare(id) => {
                self.declare(*id);
                Ok(())
            }
            Stmt::Let { pattern, init, otherwise, span } => {
                let outer = self.at(*span);
                let done = match (pattern, &init.kind, otherwise) {
                    (
                        Pattern::Bind { local, mode: BindMode::Value, inner: None },
                        ExprKind::Call { builtin: Builtin::Shared, .. },
                        None,
                    ) => {
                        let name = layout::symbol(&self.function().local(*local).name);
                        let values = self.shared_variable(&init.ty, name);
                        self.bind(*local, values);
                        Ok(())
                    }
                    (
                        Pattern::Bind { local, mode: BindMode::Value, inner: None },
                        ExprKind::Call { builtin: Builtin::SharedDyn, .. },
                        None,
                    ) => {
                        let name = layout::symbol(&self.function().local(*local).name);
                        self.dynamic_name.get_or_insert(name);
                        self.let_pattern(pattern, init)
                    }
                    (_, _, None) => self.let_pattern(pattern, init),
                    (_, _, Some(otherwise)) => self.let_else(pattern, init, otherwise),
                };
                self.back_at(outer);
                done
            }
            Stmt::Expr(expr) => {
                self.expr(expr)?;
                Ok(())
            }
        }
    }

    /// A constant `bool`.
    pub(super) fn bool(&mut self, value: bool) -> Value {
        self.b.constant(Type::Bool, u64::from(value))
    }
}

/// Returns true if the condition contains a pattern.
pub(super) fn binds(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Let { .. } => true,
        ExprKind::Logical { lhs, rhs, .. } => binds(lhs) || binds(rhs),
        _ => false,
    }
}
