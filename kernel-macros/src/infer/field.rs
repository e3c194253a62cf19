//! Fields, elements, and values of structs.

use std::rc::Rc;

use super::method::{has_len, names_len};
use super::{Adjust, Hint, Infer, Resolved, Ty};
use crate::ast::{Expr, ExprKind, StructDeclId, Type, TypeId};
use crate::device::library;
use crate::diagnostics::did_you_mean;
use crate::resolve::TypeMeaning;

/// The fields of a `Dim3`, and of vectors of up to four lanes.
pub(crate) const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// The number of a lane or axis.
pub(crate) fn axis(name: &str) -> Option<usize> {
    AXES.iter().position(|axis| *axis == name)
}

/// A field's name or number, as written.
pub(crate) fn member_name(member: &syn::Member) -> String {
    match member {
        syn::Member::Named(name) => name.to_string(),
        syn::Member::Unnamed(index) => index.index.to_string(),
    }
}

fn member_loc(member: &syn::Member) -> crate::diagnostics::Loc {
    match member {
        syn::Member::Named(name) => name.into(),
        syn::Member::Unnamed(index) => index.span.into(),
    }
}

impl<'p> Infer<'_, 'p> {
    /// `base.member`, through references.
    pub(super) fn field(&mut self, expr: &'p Expr, base: &'p Expr, member: &'p syn::Member) -> Ty {
        let ty = self.operand(base, &Hint::None);
        let mut place = self.known(&ty);
        loop {
            match self.field_ty(&place, member) {
                Some(ty) => return ty,
                None => match &place {
                    Ty::Ref(inner, _) | Ty::Shared(inner) => {
                        let inner = inner.clone();
                        self.adjust(base, [Adjust::Deref]);
                        place = self.known(&inner);
                    }
                    own => match self.dereferenced(own, false) {
                        Some((adjust, target)) => {
                            self.adjust(base, [adjust]);
                            place = self.known(&target);
                        }
                        None => break,
                    },
                },
            }
        }
        if place != Ty::Error {
            self.report_no_field(base, member, &ty, (&place, None));
        }
        let _ = expr;
        Ty::Error
    }

    /// The type of the field of a `Dim3` or a vector with this name.
    pub(super) fn axis_type(&self, ty: &Ty, name: &str) -> Option<Ty> {
        let (field, count) = match ty {
            Ty::Dim3 => (Ty::USIZE, 3),
            Ty::Vector(scalar, lanes) => (Ty::Scalar(*scalar), *lanes as usize),
            _ => return None,
        };
        (axis(name)? < count).then_some(field)
    }

    pub(super) fn field_ty(&mut self, place: &Ty, member: &syn::Member) -> Option<Ty> {
        let name = member_name(member);
        match place {
            Ty::Dim3 | Ty::Vector(..) => self.axis_type(place, &name),
            Ty::Tuple(parts) => parts.get(name.parse::<usize>().ok()?).cloned(),
            Ty::Struct(id, args) => {
                let index = self.field_index(*id, None, member)?;
                Some(self.world.struct_fields(&mut self.vars, *id, args)[index].clone())
            }
            _ => None,
        }
    }

    /// The number of a struct's field, or of a variant's. An enum itself has none.
    pub(crate) fn field_index(
        &self,
        id: StructDeclId,
        variant: Option<usize>,
        member: &syn::Member,
    ) -> Option<usize> {
        self.declared(id, variant).iter().position(|(field, _)| field == member)
    }

    /// The fields of a struct or of a variant, as declared.
    pub(super) fn declared(&self, id: StructDeclId, variant: Option<usize>) -> &'p [(syn::Member, Type)] {
        let program = self.world.program;
        let decl = &program.structs[id.0];
        match (variant.and_then(|index| decl.variant(index)), &decl.variants) {
            (Some(variant), _) => decl.variant_fields(variant),
            (None, Some(_)) => &[],
            (None, None) => &decl.fields,
        }
    }

    /// Number of a variant's fields.
    pub(crate) fn declared_count(&self, id: StructDeclId, variant: usize) -> usize {
        self.declared(id, Some(variant)).len()
    }

    /// The struct, or the variant with the enum's name before it.
    pub(super) fn name_of(&self, id: StructDeclId, variant: Option<usize>) -> String {
        match variant {
            Some(variant) => self.variant_name(id, variant),
            None => self.world.program.structs[id.0].name.to_string(),
        }
    }

    /// `E::V`
    pub(super) fn variant_name(&self, id: StructDeclId, index: usize) -> String {
        let decl = &self.world.program.structs[id.0];
        let name = decl.variant(index).map(|variant| variant.name.to_string()).unwrap_or_default();
        match decl.scope.is_library {
            true => name,
            false => format!("{}::{name}", decl.name),
        }
    }

    /// The variant that a type's path names.
    pub(crate) fn variant_of(&self, ty: TypeId) -> Option<usize> {
        match self.table.ty(ty) {
            TypeMeaning::Variant(_, index) => Some(index),
            _ => None,
        }
    }

    /// A struct or enum with arguments that are not known yet.
    pub(super) fn any_of(&mut self, id: StructDeclId) -> Ty {
        Ty::Struct(id, self.world.program.structs[id.0].generics.iter().map(|_| self.vars.any()).collect())
    }

    fn report_no_field(
        &mut self,
        base: &Expr,
        member: &syn::Member,
        ty: &Ty,
        (place, variant): (&Ty, Option<usize>),
    ) {
        let name = member_name(member);
        let loc = member_loc(member);
        let found = self.describe(ty);
        let message = match place {
            Ty::Dim3 => format!("expected a field of `Dim3`, found `{name}`\nhelp: write `.x`, `.y` or `.z`"),
            Ty::Vector(_, lanes) => {
                let names: Vec<&str> =
                    ["`.x`", "`.y`", "`.z`", "`.w`"].into_iter().take(*lanes as usize).collect();
                let help = match *lanes {
                    8 => "write `v[i]`".to_owned(),
                    _ => format!("write {}, or `v[i]`", names.join(", ")),
                };
                format!("expected a lane of {found}, found `{name}`\nhelp: {help}")
            }
            Ty::Struct(id, _) => {
                let fields = self.declared(*id, variant);
                let fields: Vec<String> = fields.iter().map(|field| member_name(&field.0)).collect();
                let is_enum = variant.is_none() && self.world.program.structs[id.0].variants.is_some();
                let method = !self.impl_functions(place, &name).is_empty();
                let help = match did_you_mean(&name, fields.iter().map(String::as_str)) {
                    _ if method => format!("call the method: `.{name}()`"),
                    _ if is_enum => "take it apart with `match` or `if let`".to_owned(),
                    Some(near) => format!("did you mean `{near}`?"),
                    None if let Some(of) = self.tile_type(place) => match library::help_for_parts(&of) {
                        Some(help) => help.to_owned(),
                        None => "it has methods, no fields of its own".to_owned(),
                    },
                    None if fields.is_empty() => "it has no fields".to_owned(),
                    None => format!("it has `{}`", fields.join("`, `")),
                };
                let found = variant.map_or(found, |index| format!("`{}`", self.variant_name(*id, index)));
                format!("expected a field of {found}, found `{name}`\nhelp: {help}")
            }
            Ty::Tuple(parts) => format!(
                "expected a field of {found}, found `{name}`\nhelp: write `.0`{}",
                if parts.len() > 1 { format!(" to `.{}`", parts.len() - 1) } else { String::new() }
            ),
            Ty::Var(_) => {
                self.report_unknown_before(base, place, &format!(".{name}"));
                return;
            }
            _ => {
                let help = match crate::builtins::method(&name) {
                    Some(_) => format!("call the method: `.{name}()`"),
                    None if matches!(place, Ty::Iter(..) | Ty::Range(_)) => {
                        format!("call the method: `.{name}()`")
                    }
                    None if has_len(place) && names_len(&name) => "write `.len()`".to_owned(),
                    None if self.is_scalar_like(place) => "a number has no fields".to_owned(),
                    None => "only structs, tuples, vectors and `Dim3` have fields".to_owned(),
                };
                format!(
                    "expected a struct, a tuple or a `Dim3` before `.{name}`, found {found}\nhelp: {help}"
                )
            }
        };
        self.error(loc, message);
    }

    /// `base[index]`, through references.
    pub(super) fn index(&mut self, expr: &'p Expr, base: &'p Expr, index: &'p Expr) -> Ty {
        let ty = self.operand(base, &Hint::None);
        let mut place = self.known(&ty);
        let is_range = matches!(index.kind, ExprKind::Range { .. });
        let mut of_array = false;
        let element = loop {
            match &place {
                Ty::Slice(element, mutable) => break Some((element.clone(), *mutable)),
                Ty::Array(element, _) => {
                    let element = element.clone();
                    if is_range {
                        let mutable = self.through_mutable(&ty);
                        self.adjust(base, [Adjust::Ref(mutable), Adjust::Unsize(mutable)]);
                        break Some((element, mutable));
                    }
                    of_array = true;
                    break Some((element, true));
                }
                Ty::SharedDyn(element) => {
                    let element = element.clone();
                    self.adjust(base, [Adjust::Unsize(true)]);
                    break Some((element, true));
                }
                Ty::Vector(scalar, _) if !is_range => break Some((Rc::new(Ty::Scalar(*scalar)), true)),
                Ty::Ref(inner, _) | Ty::Shared(inner) => {
                    let inner = inner.clone();
                    self.adjust(base, [Adjust::Deref]);
                    place = self.known(&inner);
                }
                Ty::Struct(..) => {
                    let of_library = self.tile_type(&place).is_some();
                    let has_own = !self.trait_functions("Index", &place, "index").is_empty();
                    let target = match has_own || of_library {
                        true => None,
                        false => self.dereferenced(&place, false),
                    };
                    match target {
                        Some((adjust, target)) => {
                            self.adjust(base, [adjust]);
                            place = self.known(&target);
                        }
                        None => return self.user_index(expr, base, index, &place),
                    }
                }
                Ty::Error => break None,
                Ty::Var(_) => {
                    let place = place.clone();
                    self.report_unknown_before(base, &place, "[");
                    break None;
                }
                _ => {
                    let found = self.describe(&ty);
                    let help = match &place {
                        Ty::Tuple(_) => "write `.0`".to_owned(),
                        Ty::Option(_) => {
                            "take the value out of it first: `unwrap()`, or `if let Some(v) = …`".to_owned()
                        }
                        Ty::Ptr(..) => {
                            "take a slice instead of the pointer, or write `*pointer.add(i)` in `unsafe`"
                                .to_owned()
                        }
                        _ => "index a `&[T]` parameter or an array".to_owned(),
                    };
                    let message =
                        format!("expected a slice or an array before `[`, found {found}\nhelp: {help}");
                    self.error(base.loc, message);
                    break None;
                }
            }
        };
        if is_range {
            self.fused = true;
            self.operand(index, &Hint::Must(Ty::Range(Rc::new(Ty::USIZE))));
            return match element {
                Some((element, mutable)) => Ty::Slice(element, mutable),
                None => Ty::Error,
            };
        }
        let Some((element, mut mutable)) = element else {
            self.operand(index, &Hint::None);
            return Ty::Error;
        };
        let found = self.expr(index, &Hint::Must(Ty::USIZE));
        if let Ty::Struct(id, ends) = self.vars.shallow(&found)
            && (self.is_of_library(id, "Range") || self.is_of_library(id, "RangeInclusive"))
            && !matches!(place, Ty::Vector(..))
        {
            if !self.vars.try_unify(&ends[0], &Ty::USIZE) {
                let found = self.describe(&found);
                let message =
                    format!("expected `usize` or `Range<usize>`, found {found}\nhelp: make its ends `usize`");
                self.error(index.loc, message);
                return Ty::Error;
            }
            if of_array {
                mutable = self.through_mutable(&ty);
                self.adjust(base, [Adjust::Ref(mutable), Adjust::Unsize(mutable)]);
            }
            self.resolved.insert(expr.id, Resolved::RangeIndex);
            return Ty::Slice(element, mutable);
        }
        self.operand_found(index, found, &Ty::USIZE);
        self.vars.shallow(&element)
    }

    /// Returns true if no shared reference prevents writing through a value of this type.
    fn through_mutable(&mut self, ty: &Ty) -> bool {
        let mut ty = self.vars.shallow(ty);
        loop {
            match &ty {
                Ty::Ref(_, false) => return false,
                Ty::Ref(inner, true) | Ty::Shared(inner) => ty = self.vars.shallow(&inner.clone()),
                _ => return true,
            }
        }
    }

    fn user_index(&mut self, expr: &'p Expr, base: &'p Expr, index: &'p Expr, place: &Ty) -> Ty {
        let found = self.trait_functions("Index", place, "index");
        let index_ty = self.operand(index, &Hint::None);
        let mut expected = None;
        for (id, function, args) in found {
            let own = self.world.self_type(&mut self.vars, id, &args);
            let (params, result) = self.world.signature(&mut self.vars, function, &args);
            let fits = params.len() == 2
                && self.vars.attempt(|vars| {
                    vars.unify(&own, place).is_ok() && vars.unify(&params[1], &index_ty).is_ok()
                });
            if !fits {
                expected = expected.or(params.get(1).cloned());
                continue;
            }
            let mut of_mut = None;
            for (id, function, args) in self.trait_functions("IndexMut", place, "index_mut") {
                let own = self.world.self_type(&mut self.vars, id, &args);
                let (params, _) = self.world.signature(&mut self.vars, function, &args);
                let fits = params.len() == 2
                    && self.vars.attempt(|vars| {
                        vars.unify(&own, place).is_ok() && vars.unify(&params[1], &index_ty).is_ok()
                    });
                if fits {
                    of_mut = Some((function, args));
                    break;
                }
            }
            self.resolved.insert(expr.id, Resolved::UserIndex((function, args), of_mut));
            return match self.vars.shallow(&result) {
                Ty::Ref(inner, _) => self.vars.shallow(&inner),
                _ => Ty::Error,
            };
        }
        if index_ty != Ty::Error {
            let found = self.describe(place);
            if let Some(expected) = expected {
                let help = match &self.vars.resolve(&expected) {
                    Ty::Array(_, len) if let Ty::Const(len) = &**len => {
                        let places = ["i", "j", "k"].into_iter().take(len.bits as usize).collect::<Vec<_>>();
                        format!("write all in one: `x[[{}]]`", places.join(", "))
                    }
                    _ => "that is what its `core::ops::Index` takes".to_owned(),
                };
                let (expected, other) = (self.describe(&expected), self.describe(&index_ty));
                let message =
                    format!("expected {expected} as the index of {found}, found {other}\nhelp: {help}");
                self.error(index.loc, message);
                return Ty::Error;
            }
            let of_library = self.tile_type(place).and_then(|name| library::help_for_use(&name));
            let help = of_library.unwrap_or("implement `core::ops::Index` for it, or write a method");
            let message = format!("expected a slice or an array before `[`, found {found}\nhelp: {help}");
            self.error(base.loc, message);
        }
        Ty::Error
    }

    /// `S { a, b: value, ..base }`
    pub(super) fn struct_expr(
        &mut self,
        expr: &'p Expr,
        written: &'p Type,
        fields: &'p [(syn::Member, Expr)],
        base: Option<&'p Expr>,
        hint: &Hint,
    ) -> Ty {
        let env = self.env.clone();
        let ty = self.world.lower_type(&mut self.vars, &env, written);
        let ty = self.vars.shallow(&ty);
        let variant = self.variant_of(written.id);
        let Ty::Struct(id, args) = &ty else {
            if ty != Ty::Error {
                let found = self.describe(&ty);
                self.error(
                    expr.loc,
                    format!("expected a struct before `{{`, found {found}\nhelp: name a struct"),
                );
            }
            for (_, value) in fields {
                self.expr(value, &Hint::None);
            }
            return Ty::Error;
        };
        if let Hint::Must(expected) | Hint::Literal(expected) = hint {
            let _ = self.vars.try_unify(&ty, expected);
        }
        let decl = &self.world.program.structs[id.0];
        let mut types = match variant {
            Some(variant) => self.world.variant_fields(&mut self.vars, *id, variant, args),
            None if decl.variants.is_some() => {
                let message =
                    format!("expected a variant, found the enum `{0}`\nhelp: name one: `{0}::…`", decl.name);
                self.error(written.loc, message);
                for (_, value) in fields {
                    self.expr(value, &Hint::None);
                }
                return Ty::Error;
            }
            None => self.world.struct_fields(&mut self.vars, *id, args),
        };
        let is_open = self.is_open(args);
        let mut held = Vec::new();
        let mut given = vec![false; types.len()];
        let mut unknown = 0;
        let bounds = self.world.struct_callables(&mut self.vars, *id, args);
        let outer = self.bounds.len();
        self.bounds.extend(bounds);
        for (member, value) in fields {
            let Some(index) = self.field_index(*id, variant, member) else {
                self.expr(value, &Hint::None);
                self.report_no_field(value, member, &ty, (&ty, variant));
                unknown += 1;
                continue;
            };
            if given[index] {
                let name = member_name(member);
                self.error(
                    member_loc(member),
                    format!("expected each field once, found `{name}` again\nhelp: leave one of them out"),
                );
            }
            given[index] = true;
            if is_open {
                types = self.fields_of(*id, variant, args);
            }
            self.operand(value, &Hint::Must(types[index].clone()));
            held.push((index, value, types[index].clone()));
        }
        self.bounds.truncate(outer);
        if is_open {
            self.decide_fields((*id, variant), args, &held);
        }
        match base {
            Some(base) => {
                self.operand(base, &Hint::Must(ty.clone()));
            }
            // In the library a field that is left out has any value. A field by a wrong name is one mistake.
            None if given.iter().filter(|given| !**given).count() > unknown && !self.in_library() => {
                let missing: Vec<String> = self
                    .declared(*id, variant)
                    .iter()
                    .zip(&given)
                    .filter(|(_, given)| !**given)
                    .map(|((member, _), _)| format!("`{}`", member_name(member)))
                    .collect();
                let message = format!(
                    "expected every field of `{}`, found none for {}\nhelp: add {}{}",
                    self.name_of(*id, variant),
                    missing.join(", "),
                    if missing.len() == 1 { "it" } else { "them" },
                    if variant.is_some() { "" } else { ", or `..base`" }
                );
                self.error(expr.loc, message);
            }
            None => {}
        }
        ty
    }

    /// Returns true if the generic arguments are not all known yet.
    pub(super) fn is_open(&self, args: &[Ty]) -> bool {
        args.iter().any(|arg| super::types::holds_variable(&self.vars.resolve(arg)))
    }

    /// The types of the fields of a struct or variant, as far as the arguments are known by now.
    pub(super) fn fields_of(&mut self, id: StructDeclId, variant: Option<usize>, args: &Rc<[Ty]>) -> Vec<Ty> {
        match variant {
            Some(variant) => self.world.variant_fields(&mut self.vars, id, variant, args),
            None => self.world.struct_fields(&mut self.vars, id, args),
        }
    }

    /// Holds the values of fields to their types once more: that of a field `T::Name` is known only when another field has
    /// decided `T`.
    pub(super) fn decide_fields(
        &mut self,
        (id, variant): (StructDeclId, Option<usize>),
        args: &Rc<[Ty]>,
        held: &[(usize, &'p Expr, Ty)],
    ) {
        let types = self.fields_of(id, variant, args);
        for (index, value, ty) in held {
            if !self.vars.try_unify(ty, &types[*index]) {
                self.report_mismatch(value, &types[*index], ty);
            }
        }
    }

    pub(super) fn report_unknown_before(&mut self, expr: &Expr, ty: &Ty, what: &str) {
        let found = self.describe(ty);
        let help = match self.local_name(expr) {
            Some(name) => {
                format!("write the type of `{name}` where it is declared: `{name}: {}`", self.example(ty))
            }
            None => "give the value to a variable with a type: `let value: f32 = …;`".to_owned(),
        };
        let message = format!(
            "expected a known type before `{what}`, found {found} whose type is not decided yet\nhelp: {help}"
        );
        self.error(expr.loc, message);
    }

    /// The name of the variable that an expression is.
    pub(super) fn local_name(&self, expr: &Expr) -> Option<String> {
        match self.table.expr(expr.id) {
            crate::resolve::Meaning::Local(id) => Some(self.text_locals[id.0].name.to_string()),
            _ => None,
        }
    }
}
