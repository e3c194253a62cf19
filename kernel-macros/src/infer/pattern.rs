//! Patterns: the types of what they bind, and the references that they go through silently.

use std::rc::Rc;

use super::field::{AXES, axis};
use super::{Hint, Infer, PatInfo, Ty};
use crate::ast::{Expr, ExprKind, PatKind, Pattern, StructDeclId, VariantForm};
use crate::builtins::Class;
use crate::resolve::{Meaning, TypeMeaning};

/// The binding mode of the names in a pattern.
#[derive(Clone, Copy)]
enum Mode {
    /// By value.
    Move,
    /// Below a dereferenced reference: by a reference, and whether it is `&mut`.
    Ref(bool),
    /// On the place that a slice refers to, for which the slice's type stands: the elements are bound by value.
    Unsized,
}

impl Mode {
    /// The mode below one more reference.
    fn below(self, mutable: bool) -> Mode {
        match self {
            Mode::Move | Mode::Unsized => Mode::Ref(mutable),
            Mode::Ref(outer) => Mode::Ref(outer && mutable),
        }
    }

    /// The reference by which a name is bound, and whether it is `&mut`.
    fn reference(self) -> Option<bool> {
        match self {
            Mode::Move | Mode::Unsized => None,
            Mode::Ref(mutable) => Some(mutable),
        }
    }
}

impl<'p> Infer<'_, 'p> {
    /// A pattern that is tested on something of this type.
    pub(super) fn pattern(&mut self, pattern: &'p Pattern, ty: &Ty) {
        self.pattern_in(pattern, ty, Mode::Move);
    }

    /// A pattern that is tested on the place of an expression of this type: on `*slice` and `slice[a..b]` it looks at what the
    /// slice refers to.
    pub(super) fn pattern_on(&mut self, pattern: &'p Pattern, value: &Expr, ty: &Ty) {
        let is_place_of_slice = match &value.kind {
            // Of a reference to a slice, or by an `impl Deref` of the user's.
            ExprKind::Deref(slice) => {
                let of = self.known(&self.exprs[slice.id.0].clone());
                matches!(of, Ty::Slice(..) | Ty::Struct(..) | Ty::Enum(_))
            }
            _ => self.is_unsized(value),
        };
        let is_slice = matches!(self.known(ty), Ty::Slice(..));
        let mode = if is_place_of_slice && is_slice { Mode::Unsized } else { Mode::Move };
        self.pattern_in(pattern, ty, mode);
    }

    fn pattern_in(&mut self, pattern: &'p Pattern, ty: &Ty, mode: Mode) {
        // Names and `_` bind the place itself; other patterns dereference references.
        let looks_through = match &pattern.kind {
            PatKind::Wild | PatKind::Rest | PatKind::Or(_) | PatKind::Ref { .. } => false,
            PatKind::Bind { .. } => {
                !matches!(self.table.pat(pattern.id), Meaning::Local(_) | Meaning::Error | Meaning::Nothing)
            }
            _ => true,
        };
        let (mut place, mut mode, mut derefs) = (self.known(ty), mode, 0);
        while looks_through && let Ty::Ref(inner, mutable) = &place {
            mode = mode.below(*mutable);
            derefs += 1;
            place = self.known(&inner.clone());
        }
        let mut info = PatInfo { ty: place.clone(), derefs, by_ref: None };
        match &pattern.kind {
            PatKind::Wild | PatKind::Rest => {}
            PatKind::Bind { local, by_ref, inner } => match self.table.pat(pattern.id) {
                Meaning::Local(bound) => {
                    let _ = local;
                    info.by_ref = by_ref.or(mode.reference());
                    if let (Mode::Unsized, Ty::Slice(..), None) = (mode, &place, by_ref) {
                        let name = &self.text_locals[bound.0].name;
                        let message = format!(
                            "expected a pattern for elements, found the name `{name}` for the slice itself, whose length is not \
                             known\nhelp: take a reference: `&x[a..b]` instead of `x[a..b]`, `x` instead of `*x`"
                        );
                        self.error(pattern.loc, message);
                    }
                    let binds = match info.by_ref {
                        Some(mutable) => place.clone().reference(mutable),
                        None => place.clone(),
                    };
                    let known = self.locals[bound.0].clone();
                    if !self.vars.try_unify(&known, &binds) {
                        let (expected, found) = (self.describe(&known), self.describe(&binds));
                        let name = &self.text_locals[bound.0].name;
                        let message = format!(
                            "expected `{name}` to be of one type in each alternative, {expected}, found {found}\nhelp: bind the same in each"
                        );
                        self.error(pattern.loc, message);
                    }
                    if let Some(inner) = inner {
                        self.pattern_in(inner, &place, mode);
                    }
                }
                Meaning::Error | Meaning::Nothing => {}
                _ => self.constant_pattern(pattern, &place, None),
            },
            PatKind::Literal(literal) => {
                self.operand(literal, &Hint::Must(place.clone()));
            }
            PatKind::Path { of, .. } => {
                let of = of.as_deref();
                match self.table.pat(pattern.id) {
                    Meaning::Associated => {
                        let ty = self.path_type(of);
                        self.constant_pattern(pattern, &place, Some(ty));
                    }
                    _ => self.constant_pattern(pattern, &place, None),
                }
            }
            PatKind::Range { start, end, .. } => {
                for part in [start, end].into_iter().flatten() {
                    self.operand(part, &Hint::Must(place.clone()));
                }
                if self.primitive(&place).is_none() {
                    self.claim(&place, Class::Number, pattern.loc, "..=");
                }
            }
            PatKind::Tuple(parts) => self.tuple_pattern(pattern, parts, &place, mode),
            PatKind::TupleStruct { parts, .. } => self.tuple_struct_pattern(pattern, parts, &place, mode),
            PatKind::Struct { ty: written, fields, rest } => {
                let env = self.env.clone();
                let ty = self.world.lower_type(&mut self.vars, &env, written);
                let variant = self.variant_of(written.id);
                self.struct_pattern(pattern, (&ty, variant), fields, *rest, &place, mode);
            }
            PatKind::Slice(parts) => self.slice_pattern(pattern, parts, &place, mode),
            PatKind::Ref { inner, mutable } => {
                let mut inner_mode = Mode::Move;
                let inside = match &place {
                    Ty::Ref(inside, found) if found == mutable || matches!(mode, Mode::Ref(_)) => {
                        inside.clone()
                    }
                    Ty::Slice(_, found) if found == mutable && !matches!(mode, Mode::Unsized) => {
                        inner_mode = Mode::Unsized;
                        Rc::new(place.clone())
                    }
                    Ty::Error => Rc::new(Ty::Error),
                    _ => {
                        let inside = Rc::new(self.vars.any());
                        let wanted = Ty::Ref(inside.clone(), *mutable);
                        if !self.vars.try_unify(&place, &wanted) {
                            let found = self.describe(&place);
                            let help = match (&place, mode) {
                                (Ty::Ref(..) | Ty::Slice(..), Mode::Move | Mode::Ref(_)) if *mutable => {
                                    "write `&` instead of `&mut`"
                                }
                                (Ty::Ref(..) | Ty::Slice(..), Mode::Move | Mode::Ref(_)) => {
                                    "write `&mut` instead of `&`"
                                }
                                _ => "leave the `&` out",
                            };
                            self.error(
                                pattern.loc,
                                format!(
                                    "expected a pattern for {found}, found one for a reference\nhelp: {help}"
                                ),
                            );
                            let _ = self.vars.try_unify(&inside, &Ty::Error);
                        }
                        inside
                    }
                };
                self.pattern_in(inner, &inside, inner_mode);
            }
            PatKind::Or(parts) => {
                for part in parts {
                    self.pattern_in(part, ty, mode);
                }
            }
        }
        info.ty = place;
        self.pats[pattern.id.0] = Some(info);
    }

    /// Unifies the pattern's type with that of the place, or reports a mismatch.
    fn fits(&mut self, pattern: &Pattern, place: &Ty, ty: &Ty) -> bool {
        if self.vars.try_unify(place, ty) {
            return *place != Ty::Error;
        }
        let (expected, found) = (self.describe(place), self.describe(ty));
        let help = match (place, ty) {
            (Ty::Option(_), _) => "write `Some(…)`, or `None`",
            (place, _) if self.world.of_result(place).is_some() => "write `Ok(…)`, or `Err(…)`",
            (_, ty) if self.world.of_result(ty).is_some() => "it is no `Result`: leave `Ok(…)` out",
            (_, Ty::Option(_)) => "it is no `Option`: leave `Some(…)` out",
            _ => "write a pattern of that type, or a name",
        };
        self.error(
            pattern.loc,
            format!("expected a pattern for {expected}, found one for {found}\nhelp: {help}"),
        );
        false
    }

    /// The type that a pattern names, with variables for what it leaves open.
    pub(super) fn named_type(&mut self, pattern: &'p Pattern) -> Option<Ty> {
        let (meaning, parts): (_, &[Pattern]) = match &pattern.kind {
            PatKind::Or(parts) => return parts.iter().find_map(|part| self.named_type(part)),
            PatKind::Tuple(parts) if !parts.iter().any(is_rest) => {
                let types = parts.iter().map(|part| self.named_type(part).unwrap_or_else(|| self.vars.any()));
                return Some(Ty::tuple(types.collect()));
            }
            PatKind::Struct { ty: written, .. } => match self.table.ty(written.id) {
                TypeMeaning::Variant(id, _) => (Meaning::Struct(id), &[]),
                TypeMeaning::Nothing | TypeMeaning::Error => return None,
                _ => {
                    let env = self.env.clone();
                    return Some(self.world.lower_type(&mut self.vars, &env, written));
                }
            },
            PatKind::Bind { inner: Some(inner), .. } => return self.named_type(inner),
            PatKind::TupleStruct { parts, .. } => (self.table.pat(pattern.id), parts),
            PatKind::Bind { .. } | PatKind::Path { .. } => (self.table.pat(pattern.id), &[]),
            PatKind::Wild
            | PatKind::Rest
            | PatKind::Literal(_)
            | PatKind::Range { .. }
            | PatKind::Tuple(_)
            | PatKind::Slice(_)
            | PatKind::Ref { .. } => return None,
        };
        let (ty, fields) = match meaning {
            Meaning::Variant(id, _) => return Some(Ty::Enum(id)),
            Meaning::None => return Some(Ty::option(self.vars.any())),
            Meaning::Some => {
                let some = self.vars.any();
                (Ty::option(some.clone()), vec![some])
            }
            Meaning::DataVariant(id, variant) => match self.any_of(id) {
                Ty::Struct(id, args) => {
                    let fields = self.world.variant_fields(&mut self.vars, id, variant, &args);
                    (Ty::Struct(id, args), fields)
                }
                other => (other, Vec::new()),
            },
            Meaning::Struct(id) => (self.any_of(id), Vec::new()),
            Meaning::SelfStruct(id) => {
                let args = self.env.args.clone();
                (self.world.self_type(&mut self.vars, id, &args), Vec::new())
            }
            _ => return None,
        };
        for (part, field) in parts.iter().take_while(|part| !is_rest(part)).zip(&fields) {
            if let Some(named) = self.named_type(part) {
                let _ = self.vars.try_unify(field, &named);
            }
        }
        Some(ty)
    }

    fn constant_pattern(&mut self, pattern: &'p Pattern, place: &Ty, of: Option<Ty>) {
        let meaning = self.table.pat(pattern.id);
        let ty = match meaning {
            Meaning::Const(id) => self.const_type(id),
            Meaning::ConstParam(index) => match self.env.args.get(index) {
                Some(Ty::Const(value)) => Ty::Scalar(value.ty),
                _ => Ty::Error,
            },
            Meaning::Known(value) => Ty::Scalar(value.ty),
            Meaning::Struct(id) => self.any_of(id),
            Meaning::Variant(id, _) => Ty::Enum(id),
            Meaning::DataVariant(id, index) => {
                self.must_be_unit(pattern, id, index);
                self.any_of(id)
            }
            Meaning::None => Ty::option(self.vars.any()),
            Meaning::Associated => match of {
                Some(of) => self.associated_pattern(pattern, &of),
                None => Ty::Error,
            },
            _ => Ty::Error,
        };
        self.fits(pattern, place, &ty);
    }

    /// A unit variant is all that a path alone stands for.
    fn must_be_unit(&mut self, pattern: &Pattern, id: StructDeclId, index: usize) {
        let name = self.variant_name(id, index);
        let help = match self.world.program.structs[id.0].variant(index).map(|variant| variant.form) {
            Some(VariantForm::Tuple) => format!("write `{name}(..)`"),
            Some(VariantForm::Named) => format!("write `{name} {{ .. }}`"),
            Some(VariantForm::Unit) | None => return,
        };
        self.error(
            pattern.loc,
            format!("expected a pattern for what `{name}` holds, found none\nhelp: {help}"),
        );
    }

    fn const_type(&mut self, id: crate::ast::ConstDeclId) -> Ty {
        let program = self.world.program;
        let env = super::Env::new(crate::resolve::Text::Const(id), Rc::from([]));
        self.world.lower_type(&mut self.vars, &env, &program.consts[id.0].ty)
    }

    fn associated_pattern(&mut self, pattern: &'p Pattern, of: &Ty) -> Ty {
        let PatKind::Path { path, .. } = &pattern.kind else { return Ty::Error };
        let name = super::path::last_name(path);
        match self.associated(pattern.loc, of, &name) {
            super::path::Associated::Const(id, args) => {
                let program = self.world.program;
                let env = super::Env::new(crate::resolve::Text::Const(id), args);
                return self.world.lower_type(&mut self.vars, &env, &program.consts[id.0].ty);
            }
            super::path::Associated::Ambiguous => return Ty::Error,
            _ => {}
        }
        if let Ty::Scalar(scalar) = of
            && let Some(value) = crate::constants::of_scalar(*scalar, &name)
        {
            return Ty::Scalar(value.ty);
        }
        let found = self.describe(of);
        self.error(
            pattern.loc,
            format!(
                "expected a constant of {found}, found the unknown name `{name}`\nhelp: compare with `if`"
            ),
        );
        Ty::Error
    }

    fn tuple_pattern(&mut self, pattern: &'p Pattern, parts: &'p [Pattern], place: &Ty, mode: Mode) {
        let rest = parts.iter().position(is_rest);
        let types: Vec<Ty> = match place {
            Ty::Tuple(types) => types.to_vec(),
            Ty::Unit => Vec::new(),
            Ty::Var(_) if rest.is_none() => {
                let types: Vec<Ty> = parts.iter().map(|_| self.vars.any()).collect();
                let _ = self.vars.try_unify(place, &Ty::tuple(types.clone()));
                types
            }
            Ty::Error => Vec::new(),
            _ => {
                let found = self.describe(place);
                self.error(pattern.loc, format!("expected a pattern for {found}, found one for a tuple\nhelp: write a pattern of that type, or a name"));
                Vec::new()
            }
        };
        let known = matches!(self.vars.shallow(place), Ty::Tuple(_) | Ty::Unit);
        self.parts(pattern, parts, rest, known.then_some(&types), mode, "the tuple");
    }

    /// Patterns of fields by position, `..` among them.
    fn parts(
        &mut self,
        pattern: &'p Pattern,
        parts: &'p [Pattern],
        rest: Option<usize>,
        types: Option<&Vec<Ty>>,
        mode: Mode,
        what: &str,
    ) {
        let given = parts.len() - usize::from(rest.is_some());
        let types = match types {
            Some(types) if given == types.len() || rest.is_some() && given <= types.len() => types,
            Some(types) => {
                let message = format!(
                    "expected {} pattern{} for {what}, found {given}\nhelp: {}",
                    types.len(),
                    if types.len() == 1 { "" } else { "s" },
                    if given > types.len() { "leave the rest out" } else { "write `..` for the rest" }
                );
                self.error(pattern.loc, message);
                &Vec::new()
            }
            None => &Vec::new(),
        };
        for (index, part) in parts.iter().enumerate() {
            let ty = match rest {
                Some(rest) if index == rest => continue,
                Some(rest) if index > rest => types.get((index + types.len()).wrapping_sub(parts.len())),
                _ => types.get(index),
            };
            let ty = ty.cloned().unwrap_or(Ty::Error);
            self.pattern_in(part, &ty, mode);
        }
    }

    fn tuple_struct_pattern(&mut self, pattern: &'p Pattern, parts: &'p [Pattern], place: &Ty, mode: Mode) {
        let ty = match self.table.pat(pattern.id) {
            Meaning::Some => {
                let some = self.vars.any();
                let fits = self.fits(pattern, place, &Ty::option(some.clone()));
                let types = vec![self.vars.shallow(&some)];
                let rest = parts.iter().position(is_rest);
                self.parts(pattern, parts, rest, fits.then_some(&types), mode, "`Some`");
                return;
            }
            Meaning::DataVariant(id, index) => {
                let ty = self.any_of(id);
                let fits = self.fits(pattern, place, &ty);
                let name = self.variant_name(id, index);
                let types = match &ty {
                    Ty::Struct(id, args) if fits => {
                        self.world.variant_fields(&mut self.vars, *id, index, args)
                    }
                    _ => Vec::new(),
                };
                let decl = &self.world.program.structs[id.0];
                if let Some(variant) = decl.variant(index)
                    && variant.form != VariantForm::Tuple
                {
                    let help = match variant.form {
                        VariantForm::Named => format!("write `{name} {{ … }}`"),
                        VariantForm::Tuple | VariantForm::Unit => format!("write `{name}`"),
                    };
                    let message = format!(
                        "expected a variant with fields in parentheses, found `{name}`\nhelp: {help}"
                    );
                    self.error(pattern.loc, message);
                    self.parts(pattern, parts, None, None, mode, "");
                    return;
                }
                let rest = parts.iter().position(is_rest);
                self.parts(pattern, parts, rest, fits.then_some(&types), mode, &format!("`{name}`"));
                return;
            }
            Meaning::Struct(id) => self.any_of(id),
            Meaning::SelfStruct(id) => {
                let args = self.env.args.clone();
                self.world.self_type(&mut self.vars, id, &args)
            }
            _ => Ty::Error,
        };
        let fits = self.fits(pattern, place, &ty);
        let rest = parts.iter().position(is_rest);
        let types = match &ty {
            Ty::Struct(id, args) if fits => Some(self.world.struct_fields(&mut self.vars, *id, args)),
            _ => None,
        };
        self.parts(pattern, parts, rest, types.as_ref(), mode, "the struct");
    }

    fn struct_pattern(
        &mut self,
        pattern: &'p Pattern,
        (ty, variant): (&Ty, Option<usize>),
        fields: &'p [(syn::Member, Pattern)],
        rest: bool,
        place: &Ty,
        mode: Mode,
    ) {
        let ty = self.vars.shallow(ty);
        let fits = self.fits(pattern, place, &ty);
        let (types, whole) = match &ty {
            Ty::Struct(id, args) => {
                let types = match variant {
                    Some(variant) => self.world.variant_fields(&mut self.vars, *id, variant, args),
                    None => self.world.struct_fields(&mut self.vars, *id, args),
                };
                (types, self.name_of(*id, variant))
            }
            ty => {
                let axes = AXES.iter().map_while(|name| self.axis_type(ty, name)).collect();
                (axes, self.describe(ty).trim_matches('`').to_owned())
            }
        };
        let mut missing: Vec<usize> = (0..types.len()).collect();
        for (member, part) in fields {
            let index = match &ty {
                Ty::Struct(id, _) => self.field_index(*id, variant, member),
                _ => axis(&super::field::member_name(member)).filter(|axis| *axis < types.len()),
            };
            if index.is_none() && fits {
                let found = match variant {
                    Some(_) => format!("`{whole}`"),
                    None => self.describe(&ty),
                };
                let name = super::field::member_name(member);
                self.error(
                    part.loc,
                    format!("expected a field of {found}, found `{name}`\nhelp: leave it out"),
                );
            }
            let field = index.filter(|_| fits).map_or(Ty::Error, |index| types[index].clone());
            missing.retain(|other| Some(*other) != index);
            self.pattern_in(part, &field, mode);
        }
        if !rest
            && fits
            && let Some(first) = missing.first()
        {
            let name = match &ty {
                Ty::Struct(id, _) => super::field::member_name(&self.declared(*id, variant)[*first].0),
                _ => AXES[*first].to_owned(),
            };
            let message = format!(
                "expected every field of `{whole}`, found no pattern for `{name}`\nhelp: add it, or `..`"
            );
            self.error(pattern.loc, message);
        }
    }

    fn slice_pattern(&mut self, pattern: &'p Pattern, parts: &'p [Pattern], place: &Ty, mode: Mode) {
        let rest = parts.iter().position(holds_rest);
        let given = parts.len() - usize::from(rest.is_some());
        let (element, rest_ty, element_mode) = match place {
            Ty::Array(element, len) => {
                let rest_len = match self.vars.shallow(len) {
                    Ty::Const(len)
                        if rest.is_some() && given as u64 <= len.bits || given as u64 == len.bits =>
                    {
                        len.bits - given as u64
                    }
                    Ty::Const(len) => {
                        let message = format!(
                            "expected {} patterns for the array, found {given}\nhelp: {}",
                            len.bits,
                            if given as u64 > len.bits {
                                "leave the rest out"
                            } else {
                                "write `..` for the rest"
                            }
                        );
                        self.error(pattern.loc, message);
                        0
                    }
                    unknown => {
                        let _ = self.vars.try_unify(&unknown, &Ty::len(given as u64));
                        0
                    }
                };
                (self.vars.shallow(element), Ty::Array(element.clone(), Rc::new(Ty::len(rest_len))), mode)
            }
            Ty::Slice(element, mutable) => {
                let element_mode = match mode {
                    Mode::Unsized => Mode::Move,
                    Mode::Move | Mode::Ref(_) => mode.below(*mutable),
                };
                (self.vars.shallow(element), place.clone(), element_mode)
            }
            Ty::Var(_) if rest.is_none() => {
                let element = self.vars.any();
                let _ = self.vars.try_unify(place, &Ty::array(element.clone(), given as u64));
                (element, Ty::Error, mode)
            }
            Ty::Error => (Ty::Error, Ty::Error, mode),
            _ => {
                let found = self.describe(place);
                self.error(pattern.loc, format!("expected a pattern for {found}, found one for an array or a slice\nhelp: write a pattern of that type, or a name"));
                (Ty::Error, Ty::Error, mode)
            }
        };
        for part in parts {
            if is_rest(part) {
                continue;
            }
            match &part.kind {
                PatKind::Bind { inner: Some(inner), .. } if is_rest(inner) => {
                    self.rest_binding(part, &rest_ty, mode)
                }
                _ => self.pattern_in(part, &element, element_mode),
            }
        }
    }

    /// `rest @ ..`: of a slice a slice, of an array an array or a reference to one.
    fn rest_binding(&mut self, part: &'p Pattern, ty: &Ty, mode: Mode) {
        let Meaning::Local(bound) = self.table.pat(part.id) else { return };
        let PatKind::Bind { by_ref, .. } = &part.kind else { return };
        if let (Ty::Slice(..), Mode::Unsized, None) = (ty, mode, by_ref) {
            self.error(
                part.loc,
                "expected a reference to the rest of the slice, found its elements, whose number is not known\nhelp: write `ref` before the name",
            );
        }
        let of_slice = match (by_ref, mode) {
            (Some(mutable), _) => *mutable,
            (None, Mode::Ref(mutable)) => mutable,
            (None, Mode::Move | Mode::Unsized) => true,
        };
        let by_ref = match (ty, by_ref) {
            (Ty::Slice(..), _) => None,
            (_, Some(mutable)) => Some(*mutable),
            (_, None) => mode.reference(),
        };
        let binds = match (ty, by_ref) {
            (Ty::Slice(element, mutable), _) => Ty::Slice(element.clone(), *mutable && of_slice),
            (ty, Some(mutable)) => ty.clone().reference(mutable),
            (ty, None) => ty.clone(),
        };
        let known = self.locals[bound.0].clone();
        let _ = self.vars.try_unify(&known, &binds);
        self.pats[part.id.0] = Some(PatInfo { ty: ty.clone(), derefs: 0, by_ref });
    }
}

/// `..`
pub(crate) fn is_rest(pattern: &Pattern) -> bool {
    matches!(pattern.kind, PatKind::Rest)
}

/// `..` or `rest @ ..`
pub(crate) fn holds_rest(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatKind::Bind { inner: Some(inner), .. } => is_rest(inner),
        _ => is_rest(pattern),
    }
}
