//! Visits the parts of expressions of the typed tree, to change them.

use crate::typed::{Block, Consumer, Expr, ExprKind, Function, Iter, IterKind, Stmt};

/// Calls `expr` with the outermost expressions of a function, and with its closures' bodies.
pub fn function(function: &mut Function, expr: &mut dyn FnMut(&mut Expr)) {
    function.closures.iter_mut().for_each(|closure| expr(&mut closure.body));
    block(&mut function.body, expr);
}

/// Calls `expr` with the outermost expressions of a block, in order.
pub fn block(b: &mut Block, expr: &mut dyn FnMut(&mut Expr)) {
    for stmt in &mut b.stmts {
        match stmt {
            Stmt::Declare(_) => {}
            Stmt::Let { init, otherwise, .. } => {
                expr(init);
                otherwise.iter_mut().for_each(|otherwise| block(otherwise, expr));
            }
            Stmt::Expr(e) => expr(e),
        }
    }
    b.value.iter_mut().for_each(|value| expr(value));
}

/// Calls `expr` with each part of an expression, in order. Closures' bodies stand with their function.
pub fn children(e: &mut Expr, expr: &mut dyn FnMut(&mut Expr)) {
    match &mut e.kind {
        ExprKind::Literal(_)
        | ExprKind::Path(_)
        | ExprKind::Local(_)
        | ExprKind::Const(_)
        | ExprKind::Closure(_)
        | ExprKind::Function
        | ExprKind::Unit
        | ExprKind::Variant(_)
        | ExprKind::None
        | ExprKind::Fence { .. }
        | ExprKind::Continue { .. } => {}
        ExprKind::Unary { arg, .. }
        | ExprKind::Cast(arg)
        | ExprKind::Axis { base: arg, .. }
        | ExprKind::Field { base: arg, .. }
        | ExprKind::Repeat(arg)
        | ExprKind::Some(arg)
        | ExprKind::Deref(arg)
        | ExprKind::Ref(arg)
        | ExprKind::Unsize(arg)
        | ExprKind::Let { value: arg, .. } => expr(arg),
        ExprKind::Binary { lhs, rhs, .. } | ExprKind::Logical { lhs, rhs, .. } => {
            expr(lhs);
            expr(rhs);
        }
        ExprKind::MulAdd { a, b, c, .. } => [a, b, c].into_iter().for_each(|part| expr(part)),
        ExprKind::Index { base, index } => {
            expr(base);
            expr(index);
        }
        ExprKind::Subslice { base, start, end, .. } => {
            expr(base);
            start.iter_mut().chain(end).for_each(|part| expr(part));
        }
        ExprKind::Tuple(parts)
        | ExprKind::Array(parts)
        | ExprKind::Call { args: parts, .. }
        | ExprKind::Invoke { args: parts, .. }
        | ExprKind::Panic { args: parts, .. }
        | ExprKind::Print { args: parts, .. } => parts.iter_mut().for_each(expr),
        ExprKind::InlinePtx(ptx) => ptx.ins.iter_mut().chain(&mut ptx.cpu).for_each(expr),
        ExprKind::Struct { fields, base } => {
            fields.iter_mut().for_each(|(_, value)| expr(value));
            base.iter_mut().for_each(|base| expr(base));
        }
        ExprKind::InvokeValue { callee, args } => {
            expr(callee);
            args.iter_mut().for_each(expr);
        }
        ExprKind::Atomic(access) => {
            expr(&mut access.place);
            access.args.iter_mut().for_each(expr);
        }
        ExprKind::Consume { iter, how } => {
            iterator(iter, expr);
            consumer(how, expr);
        }
        ExprKind::Match { value, arms, .. } => {
            expr(value);
            for arm in arms {
                arm.guard.iter_mut().for_each(&mut *expr);
                expr(&mut arm.body);
            }
        }
        ExprKind::Assign { place, value } | ExprKind::AssignOp { place, value, .. } => {
            expr(place);
            expr(value);
        }
        ExprKind::AssignMulAdd { place, a, b, .. } => [place, a, b].into_iter().for_each(|part| expr(part)),
        ExprKind::Block(b) | ExprKind::Labeled { body: b, .. } | ExprKind::Loop { body: b, .. } => {
            block(b, expr)
        }
        ExprKind::If { cond, then, otherwise, .. } => {
            expr(cond);
            block(then, expr);
            otherwise.iter_mut().for_each(|otherwise| expr(otherwise));
        }
        ExprKind::While { cond, body, .. } => {
            expr(cond);
            block(body, expr);
        }
        ExprKind::For { iter, body, .. } => {
            iterator(iter, expr);
            block(body, expr);
        }
        ExprKind::Break { value, .. } | ExprKind::Return(value) => {
            value.iter_mut().for_each(|value| expr(value));
        }
    }
}

/// Calls `expr` with each part of an iterator, in order.
pub fn iterator(iter: &mut Iter, expr: &mut dyn FnMut(&mut Expr)) {
    match &mut iter.kind {
        IterKind::Range { start, end, .. } => {
            expr(start);
            expr(end);
        }
        IterKind::Slice(of) | IterKind::Array(of) => expr(of),
        IterKind::ChunksExact { slice, size }
        | IterKind::Chunks { slice, size }
        | IterKind::Windows { slice, size } => {
            expr(slice);
            expr(size);
        }
        IterKind::Rev(of) | IterKind::Enumerate(of) | IterKind::Copied(of) | IterKind::Cycle(of) => {
            iterator(of, expr);
        }
        IterKind::StepBy(of, with)
        | IterKind::Take(of, with)
        | IterKind::Skip(of, with)
        | IterKind::Map(of, with)
        | IterKind::Filter(of, with)
        | IterKind::TakeWhile(of, with)
        | IterKind::FilterMap(of, with)
        | IterKind::MapWhile(of, with)
        | IterKind::SkipWhile(of, with) => {
            iterator(of, expr);
            expr(with);
        }
        IterKind::Scan(of, init, with) => {
            iterator(of, expr);
            expr(init);
            expr(with);
        }
        IterKind::Zip(a, b) | IterKind::Chain(a, b) => {
            iterator(a, expr);
            iterator(b, expr);
        }
    }
}

fn consumer(how: &mut Consumer, expr: &mut dyn FnMut(&mut Expr)) {
    match how {
        Consumer::Sum
        | Consumer::Product
        | Consumer::Extreme { .. }
        | Consumer::Count
        | Consumer::Last
        | Consumer::First => {}
        Consumer::Fold(init, with) | Consumer::TryFold(init, with) => {
            expr(init);
            expr(with);
        }
        Consumer::Reduce(with)
        | Consumer::ExtremeBy { order: with, .. }
        | Consumer::ExtremeByKey { key: with, .. }
        | Consumer::RPosition(with)
        | Consumer::ForEach(with)
        | Consumer::Any(with)
        | Consumer::All(with)
        | Consumer::Position(with)
        | Consumer::Find(with) => expr(with),
    }
}
