//! Mutability of the operands of `=` and `&mut`.

use super::Checker;
use crate::ast::{Expr, Origin};
use crate::builtins::Builtin;
use crate::infer::written;
use crate::resolve::Text;
use crate::typed::{self, ExprKind as Typed, LocalId, Ty};
use crate::views;

/// The use for which a place must be writable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// `=`
    Assign,
    /// `+=`
    Compound,
    /// `&mut`
    Borrow,
}

impl<'p> Checker<'_, '_, 'p> {
    /// A place that is assigned to.
    pub(super) fn assigned_place(&mut self, expr: &'p Expr, compound: bool) -> typed::Expr {
        let place = self.place_of(expr, true);
        let usage = if compound { Use::Compound } else { Use::Assign };
        self.writable(&place, expr, usage);
        if !self.is_in_library() && self.holds_captures(&place.ty) {
            self.error(
                expr.loc,
                "expected a value that can be assigned, found a closure that captures by `move`: two values of one closure would share \
                 what it captured\nhelp: keep what it captures in variables, and write the closure where it is called",
            );
        }
        place
    }

    /// Returns true in a function of the library. Its iterators replace those that have ended, with the closures in them.
    fn is_in_library(&self) -> bool {
        match self.infer.env.text {
            Text::Function(id) => self.infer.world.program.functions[id.0].is_library,
            _ => false,
        }
    }

    /// Returns true if the type holds a closure that may have captured by `move`. Such a value is known by its type alone: of each
    /// closure one value is alive at a time.
    fn holds_captures(&self, ty: &Ty) -> bool {
        typed::holds(ty, &self.infer.world.structs, |part| match part {
            Ty::Closure { owner, id } if *owner == self.infer.me => match &self.closures[id.0] {
                Some(closure) => closure.captures.as_ref().is_some_and(|captures| !captures.is_empty()),
                None => self.infer.text_closures[id.0].moves,
            },
            part => matches!(part, Ty::Closure { .. }),
        })
    }

    /// The place is referred to by `&mut`.
    pub(super) fn require_mutable(&mut self, place: &typed::Expr, expr: &Expr) {
        if let Ty::Atomic(_) = place.ty {
            let ty = written(&place.ty, &self.infer.world.structs, &self.infer.world.enums);
            let message = format!(
                "expected an atomic behind `&`, found `&mut` of an `{ty}`: others access it meanwhile\nhelp: write `&`, its methods \
                 change it all the same"
            );
            return self.error(expr.loc, message);
        }
        self.writable(place, expr, Use::Borrow);
    }

    fn writable(&mut self, place: &typed::Expr, expr: &Expr, usage: Use) {
        match &place.kind {
            Typed::Local(id) => self.writable_local(*id, expr, usage, true),
            Typed::Field { base, .. } => self.writable_part(base, expr, usage),
            Typed::Axis { .. } => self.error(
                expr.loc,
                "expected a variable or an element before `=`, found a field of a `Dim3`, which is a copy\nhelp: assign to a \
                 variable",
            ),
            Typed::Index { base, .. } => self.writable_element(base, expr, usage),
            Typed::Deref(inner) => self.writable_deref(inner, expr),
            Typed::Const(_) | Typed::Path(_) if usage != Use::Borrow => self.error(
                expr.loc,
                "expected a variable or an element before `=`, found a constant\nhelp: assign to a variable",
            ),
            Typed::Subslice { .. } | Typed::Unsize(_) if usage != Use::Borrow => {
                self.error(
                    expr.loc,
                    "expected a variable or an element before `=`, found a part of a slice\nhelp: assign to its elements in a loop",
                );
            }
            _ if usage == Use::Borrow => {}
            _ => self.error(
                expr.loc,
                "expected a variable or an element before `=`, found a value\nhelp: assign to a variable, or compare with \
                 `==`",
            ),
        }
    }

    /// Checks that the aggregate with the assigned part is writable.
    fn writable_part(&mut self, base: &typed::Expr, expr: &Expr, usage: Use) {
        match &base.kind {
            Typed::Local(id) => self.writable_local(*id, expr, usage, false),
            _ => self.writable(base, expr, usage),
        }
    }

    fn writable_element(&mut self, base: &typed::Expr, expr: &Expr, usage: Use) {
        match &base.ty {
            Ty::Slice { mutable: true, .. } => {
                if let Typed::Unsize(inner) = &base.kind
                    && let Ty::SharedDyn(_) = inner.ty
                {
                    self.writable_part(inner, expr, usage);
                }
            }
            Ty::Slice { element, mutable: false } => {
                let element = written(element, &self.infer.world.structs, &self.infer.world.enums);
                let message = match &base.kind {
                    Typed::Local(id) => {
                        let name = &self.locals[id.0].name;
                        format!(
                            "expected a slice that can be written, found `{name}: &[{element}]`\nhelp: declare it `{name}: &mut [{element}]`"
                        )
                    }
                    _ => format!(
                        "expected a slice that can be written, found a `&[{element}]`\nhelp: take it by `&mut` where it comes from"
                    ),
                };
                self.error(expr.loc, message);
            }
            _ => self.writable_part(base, expr, usage),
        }
    }

    fn writable_deref(&mut self, inner: &typed::Expr, expr: &Expr) {
        match &inner.ty {
            Ty::Ref { mutable: true, .. } => {}
            Ty::Ref { inner: to, mutable: false } => {
                let to = written(to, &self.infer.world.structs, &self.infer.world.enums);
                let message = match &inner.kind {
                    Typed::Local(id) if self.is_self(*id) => {
                        "expected a place that can be written, found one behind `&self`\nhelp: declare it `&mut self`".to_owned()
                    }
                    Typed::Local(id) if to.starts_with("SharedTile<") => {
                        let name = &self.locals[id.0].name;
                        format!(
                            "expected a tile that can be filled, found one that is only read, `{name}: &{to}`\nhelp: stages are filled by the closure \
                             that starts their loads; load other tiles where `{name}` comes from, and take it by `&mut`"
                        )
                    }
                    Typed::Local(id) => {
                        let name = &self.locals[id.0].name;
                        format!("expected a place that can be written, found one behind `{name}: &{to}`\nhelp: take it by `&mut`")
                    }
                    Typed::Call { builtin: Builtin::ClusterShared { .. }, .. } => {
                        format!("expected a place that can be written, found one behind a `&{to}`\nhelp: write `cluster::shared_mut(…)`")
                    }
                    _ => format!("expected a place that can be written, found one behind a `&{to}`\nhelp: take it by `&mut`"),
                };
                self.error(expr.loc, message);
            }
            Ty::Ptr { inner: to, mutable: false } => {
                let to = written(to, &self.infer.world.structs, &self.infer.world.enums);
                let message = format!(
                    "expected a place that can be written, found one behind a `*const {to}`\nhelp: take a `*mut {to}` where it \
                     comes from"
                );
                self.error(expr.loc, message);
            }
            Ty::Shared(_) => match &inner.kind {
                Typed::Local(id) if !self.locals[id.0].mutable => {
                    let local = &self.locals[id.0];
                    let name = &local.name;
                    let message = format!(
                        "expected a mutable shared array, found `{name}`\nhelp: declare it `let mut {name}`"
                    );
                    self.error(expr.loc, message);
                }
                _ => {}
            },
            _ => {}
        }
    }

    fn is_self(&self, id: LocalId) -> bool {
        self.locals[id.0].name == "self"
    }

    fn writable_local(&mut self, id: LocalId, expr: &Expr, usage: Use, whole: bool) {
        let local = &self.locals[id.0];
        if local.mutable {
            return;
        }
        let name = local.name.to_string();
        let origin = self.infer.text_locals.get(id.0).map_or(Origin::Pattern, |local| local.origin);
        let message = match origin {
            // That it is assigned once is for rustc to see.
            Origin::LetUninit if usage == Use::Assign && whole => return,
            Origin::Param if name == "self" => {
                "expected a mutable variable, found `self`\nhelp: declare it `mut self`".to_owned()
            }
            Origin::Pattern
                if views::is_made_of(&local.name, self.locals.iter().map(|it| it.name.to_string())) =>
            {
                format!(
                    "expected a mutable variable, found the parameter `{name}`\nhelp: declare it `mut {name}`"
                )
            }
            Origin::Param | Origin::ClosureParam => format!(
                "expected a mutable variable, found the parameter `{name}`\nhelp: declare it `mut {name}`"
            ),
            Origin::Pattern | Origin::LetUninit => {
                let help = match self.by_let.contains(&id) || origin == Origin::LetUninit {
                    true => format!("declare it `let mut {name}`"),
                    false => format!("declare it `mut {name}`"),
                };
                format!("expected a mutable variable, found `{name}`\nhelp: {help}")
            }
        };
        self.error(expr.loc, message);
    }
}
