//! Constants: their values, by evaluating the typed tree as rustc does.

use std::rc::Rc;

use super::Checker;
use super::interpret::Machine;
use crate::ast::{ConstDeclId, Expr};
use crate::infer::world::{ConstState, World};
use crate::infer::{Env, Infer, NO_INSTANCE, Ty};
use crate::resolve::Text;
use crate::typed::{self, ConstId, Constant, ExprKind};

impl Checker<'_, '_, '_> {
    /// A constant that is mentioned.
    pub(super) fn constant(&mut self, id: ConstDeclId, args: Rc<[Ty]>) -> ExprKind {
        let key = (id, args);
        if let Some(known) = self.const_ids.get(&key) {
            return ExprKind::Const(*known);
        }
        let Some((ty, value)) = self.infer.world.const_value(id, &key.1) else {
            return ExprKind::Literal(super::expr::NOTHING);
        };
        let ty = self.infer.intern(&ty);
        let name = self.infer.world.program.consts[id.0].name.clone();
        let number = ConstId(self.consts.len());
        self.consts.push(typed::Const { name, ty, value });
        self.const_ids.insert(key, number);
        ExprKind::Const(number)
    }
}

impl<'p> World<'p> {
    /// The arguments of a constant that is mentioned where generic parameters stand for these.
    pub fn const_args(&self, id: ConstDeclId, args: &Rc<[Ty]>) -> Rc<[Ty]> {
        let owner = self.program.consts[id.0].owner;
        let count = owner.map_or(0, |id| self.program.impls[id.0].generics.len());
        args.iter().take(count).cloned().collect()
    }

    /// The type and the value of a constant; evaluated on its first use.
    pub fn const_value(&mut self, id: ConstDeclId, args: &Rc<[Ty]>) -> Option<(Ty, Constant)> {
        let program = self.program;
        let decl = &program.consts[id.0];
        let key = (id, args.clone());
        match self.consts.get(&key) {
            None => {}
            Some(ConstState::Open) => {
                let message = format!(
                    "expected a constant with a value, found `{0}`, which depends on itself\nhelp: write its value",
                    decl.name
                );
                self.diagnostics.error(&decl.name, message);
                self.consts.insert(key, ConstState::Error);
                return None;
            }
            Some(ConstState::Value(ty, value)) => return Some((ty.clone(), value.clone())),
            Some(ConstState::Error) => return None,
        }
        self.consts.insert(key.clone(), ConstState::Open);
        let env = Env::new(Text::Const(id), args.clone());
        let mut infer = Infer::new(self, env.clone(), NO_INSTANCE);
        let ty = infer.world.lower_type(&mut infer.vars, &env, &decl.ty);
        let value = self.evaluate_as(&env, &decl.init, &ty);
        // A constant that depends on itself was marked meanwhile.
        if let Some(ConstState::Open) = self.consts.get(&key) {
            let state = value.map_or(ConstState::Error, |value| ConstState::Value(ty, value));
            self.consts.insert(key.clone(), state);
        }
        match self.consts.get(&key) {
            Some(ConstState::Value(ty, value)) => Some((ty.clone(), value.clone())),
            _ => None,
        }
    }

    /// The value of a constant expression of this type, in the scope of a text.
    pub fn evaluate_as(&mut self, env: &Env, expr: &'p Expr, ty: &Ty) -> Option<Constant> {
        self.evaluate(env, expr, Some(ty))
    }

    /// The value of a constant expression of whatever type it is.
    pub fn evaluate_any(&mut self, env: &Env, expr: &'p Expr) -> Option<Constant> {
        self.evaluate(env, expr, None)
    }

    fn evaluate(&mut self, env: &Env, expr: &'p Expr, ty: Option<&Ty>) -> Option<Constant> {
        let errors = self.diagnostics.count();
        let mut infer = Infer::new(self, env.clone(), NO_INSTANCE);
        infer.alone(expr, ty);
        // A mistake in it may have been reported before.
        if infer.world.diagnostics.count() > errors || infer.expr_ty(expr.id) == Ty::Error {
            return None;
        }
        let mut checker = Checker::new(&mut infer);
        let built = checker.value(expr);
        let (locals, consts, formats) = (checker.locals.len(), checker.consts, checker.formats);
        if infer.world.diagnostics.count() > errors {
            return None;
        }
        let result = Machine::new(self, expr.loc).run(&built, vec![None; locals], (&consts, &formats));
        match result {
            Ok(value) => Some(value),
            Err(message) => {
                if let Some(message) = message {
                    self.diagnostics.error(expr.loc, message);
                }
                None
            }
        }
    }
}
