//! Patterns of the typed tree.

use super::Checker;
use super::usefulness;
use crate::ast::{self, PatKind};
use crate::device::primitives;
use crate::diagnostics::Loc;
use crate::infer::{self, Ty as Inferred, axis, member_name};
use crate::resolve::Meaning;
use crate::typed::{self, Arm, BindMode, ConstValue, Constant, ExprKind as Typed, Pattern, Scalar, Ty};

const PATTERN_VALUE: &str =
    "expected a literal or a constant in a pattern, found something else\nhelp: compare with `if`";

impl<'p> Checker<'_, '_, 'p> {
    /// A pattern that must match always.
    pub(super) fn irrefutable(&mut self, pattern: &'p ast::Pattern, ty: &Ty) -> Pattern {
        let loc = pattern.loc;
        let built = self.pattern(pattern);
        let world = &*self.infer.world;
        if let Some(missing) = usefulness::missing(&[&built], ty, &world.structs, &world.enums) {
            let message = format!(
                "expected a pattern that always matches, found one that does not match `{missing}`\nhelp: write `let … else {{ … }}`, `if let` or `match`"
            );
            self.error(loc, message);
        }
        built
    }

    /// One of the arms must match.
    pub(super) fn must_be_exhaustive(&mut self, ty: &Ty, arms: &[Arm], loc: Loc) {
        let patterns: Vec<&Pattern> =
            arms.iter().filter(|arm| arm.guard.is_none()).map(|arm| &arm.pattern).collect();
        let world = &*self.infer.world;
        if let Some(missing) = usefulness::missing(&patterns, ty, &world.structs, &world.enums) {
            let help = match missing.as_str() {
                "_" => "add `_ => …`".to_owned(),
                missing => format!("add `{missing} => …`, or `_ => …`"),
            };
            let message = format!(
                "expected a `match` with an arm for every value, found none for `{missing}`\nhelp: {help}"
            );
            self.error(loc, message);
        }
    }

    /// A pattern.
    pub(super) fn pattern(&mut self, pattern: &'p ast::Pattern) -> Pattern {
        let info = self.infer.pat(pattern.id);
        let mut built = self.pattern_kind(pattern, &info);
        for _ in 0..info.derefs {
            built = Pattern::Deref(Box::new(built));
        }
        built
    }

    fn pattern_kind(&mut self, pattern: &'p ast::Pattern, info: &infer::PatInfo) -> Pattern {
        match &pattern.kind {
            PatKind::Wild | PatKind::Rest => Pattern::Wild,
            PatKind::Bind { inner, .. } => match self.infer.table.pat(pattern.id) {
                Meaning::Local(local) => {
                    self.bound.insert(local);
                    let mode = match info.by_ref {
                        Some(mutable) => BindMode::Ref { mutable },
                        None => BindMode::Value,
                    };
                    let inner = inner.as_ref().map(|inner| Box::new(self.pattern(inner)));
                    Pattern::Bind { local, mode, inner }
                }
                meaning => self.path_pattern(pattern, meaning, &info.ty),
            },
            PatKind::Path { .. } => {
                let meaning = self.infer.table.pat(pattern.id);
                self.path_pattern(pattern, meaning, &info.ty)
            }
            PatKind::Literal(literal) if let Inferred::Struct(..) = info.ty => {
                let value = self.value(literal);
                let value = self.primitive_constant(literal, &value);
                self.constant_pattern(value, &info.ty)
            }
            PatKind::Range { start, end, inclusive } if let Inferred::Struct(id, _) = info.ty => {
                self.primitive_range(pattern, (start.as_deref(), end.as_deref()), *inclusive, id)
            }
            PatKind::Literal(literal) => match self.pattern_value(literal) {
                Some(value) => Pattern::Constant(value),
                None => Pattern::Wild,
            },
            PatKind::Range { start, end, inclusive } => {
                let start = start.as_ref().and_then(|start| self.pattern_value(start));
                let end = end.as_ref().and_then(|end| self.pattern_value(end));
                self.range_must_hold(pattern, start, end, *inclusive);
                Pattern::Range { start, end, inclusive: *inclusive }
            }
            PatKind::Tuple(parts) => {
                let count = match &info.ty {
                    Inferred::Tuple(types) => types.len(),
                    _ => parts.len(),
                };
                Pattern::Fields(self.parts(parts, count))
            }
            PatKind::TupleStruct { parts, .. } => match self.infer.table.pat(pattern.id) {
                Meaning::DataVariant(id, index) => {
                    let count = self.infer.declared_count(id, index);
                    let parts = self.parts(parts, count);
                    self.data_variant_pattern(&info.ty, index, parts)
                }
                Meaning::Some => match self.parts(parts, 1).pop() {
                    Some((_, inner)) => Pattern::Some(Box::new(inner)),
                    None => Pattern::Some(Box::new(Pattern::Wild)),
                },
                _ => {
                    let count = match &info.ty {
                        Inferred::Struct(id, _) => self.infer.world.program.structs[id.0].fields.len(),
                        _ => parts.len(),
                    };
                    Pattern::Fields(self.parts(parts, count))
                }
            },
            PatKind::Struct { ty, fields, .. } => {
                let variant = self.infer.variant_of(ty.id);
                let fields = fields.iter().map(|(member, part)| {
                    let index = match info.ty {
                        Inferred::Struct(id, _) => self.infer.field_index(id, variant, member),
                        _ => axis(&member_name(member)),
                    };
                    (index.unwrap_or(0), self.pattern(part))
                });
                let fields = fields.collect();
                match variant {
                    Some(variant) => self.data_variant_pattern(&info.ty, variant, fields),
                    None => Pattern::Fields(fields),
                }
            }
            PatKind::Slice(parts) => self.slice_pattern(parts, &info.ty),
            // A slice is a reference already.
            PatKind::Ref { inner, .. } if matches!(info.ty, Inferred::Slice(..)) => self.pattern(inner),
            PatKind::Ref { inner, .. } => Pattern::Deref(Box::new(self.pattern(inner))),
            PatKind::Or(parts) => Pattern::Or(parts.iter().map(|part| self.pattern(part)).collect()),
        }
    }

    /// Patterns by position, `..` left out.
    fn parts(&mut self, parts: &'p [ast::Pattern], count: usize) -> Vec<(usize, Pattern)> {
        let rest = parts.iter().position(infer::is_rest);
        let mut built = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let position = match rest {
                Some(rest) if index == rest => continue,
                Some(rest) if index > rest => index + count - parts.len(),
                _ => index,
            };
            built.push((position, self.pattern(part)));
        }
        built
    }

    fn slice_pattern(&mut self, parts: &'p [ast::Pattern], ty: &Inferred) -> Pattern {
        let rest = parts.iter().position(infer::holds_rest);
        if let Inferred::Array(_, len) = ty {
            let count = match **len {
                Inferred::Const(len) => len.bits as usize,
                _ => parts.len(),
            };
            let mut fields = Vec::new();
            for (index, part) in parts.iter().enumerate() {
                let position = match rest {
                    Some(rest) if index == rest => {
                        fields.extend(self.array_rest(part).map(|rest| (index, rest)));
                        continue;
                    }
                    Some(rest) if index > rest => index + count - parts.len(),
                    _ => index,
                };
                fields.push((position, self.pattern(part)));
            }
            return Pattern::Fields(fields);
        }
        let (before, after) = match rest {
            Some(rest) => (&parts[..rest], &parts[rest + 1..]),
            None => (parts, &[][..]),
        };
        let before = before.iter().map(|part| self.pattern(part)).collect();
        let after = after.iter().map(|part| self.pattern(part)).collect();
        let rest = rest.map(|rest| {
            Box::new(match (&parts[rest].kind, self.infer.table.pat(parts[rest].id)) {
                (PatKind::Bind { .. }, Meaning::Local(local)) => {
                    self.bound.insert(local);
                    Pattern::Bind { local, mode: BindMode::Value, inner: None }
                }
                _ => Pattern::Wild,
            })
        });
        Pattern::Slice { before, rest, after }
    }

    /// `rest @ ..` of an array; `None` for `..`.
    fn array_rest(&mut self, part: &'p ast::Pattern) -> Option<Pattern> {
        let PatKind::Bind { .. } = part.kind else { return None };
        let Meaning::Local(local) = self.infer.table.pat(part.id) else { return None };
        let info = self.infer.pat(part.id);
        self.bound.insert(local);
        let mode = match info.by_ref {
            Some(mutable) => BindMode::Ref { mutable },
            None => BindMode::Value,
        };
        let ty = self.infer.intern(&info.ty);
        Some(Pattern::Rest { ty, pattern: Box::new(Pattern::Bind { local, mode, inner: None }) })
    }

    fn path_pattern(&mut self, pattern: &'p ast::Pattern, meaning: Meaning, ty: &Inferred) -> Pattern {
        match meaning {
            Meaning::None => Pattern::None,
            Meaning::Struct(_) => Pattern::Fields(Vec::new()),
            Meaning::Known(value) => Pattern::Constant(value),
            Meaning::ConstParam(index) => match self.infer.env.args.get(index) {
                Some(Inferred::Const(value)) => Pattern::Constant(*value),
                _ => Pattern::Wild,
            },
            Meaning::Variant(id, index) => self.variant_pattern(id, index),
            Meaning::DataVariant(_, index) => self.data_variant_pattern(ty, index, Vec::new()),
            Meaning::Const(id) => {
                let value = self.infer.world.const_value(id, &std::rc::Rc::from([]));
                self.constant_pattern(value.map(|(_, value)| value), ty)
            }
            Meaning::Associated => self.associated_pattern(pattern, ty),
            _ => Pattern::Wild,
        }
    }

    fn variant_pattern(&mut self, id: ast::EnumDeclId, index: usize) -> Pattern {
        let id = self.infer.world.intern_enum(id);
        let def = &self.infer.world.enums[id.0];
        Pattern::Constant(crate::literal::wrap_int(def.repr, def.variants[index].1))
    }

    /// A variant of an enum with data: its discriminant, and the patterns of its fields where they are.
    fn data_variant_pattern(&mut self, ty: &Inferred, index: usize, parts: Vec<(usize, Pattern)>) -> Pattern {
        let Ty::Struct(id) = self.infer.intern(ty) else { return Pattern::Wild };
        let world = &self.infer.world;
        let def = &world.structs[id.0];
        let (Some(Ty::Enum(tag)), Some(variant)) =
            (def.fields.first().map(|field| &field.ty), def.variants.get(index))
        else {
            return Pattern::Wild;
        };
        let tag = &world.enums[tag.0];
        let mut fields =
            vec![(0, Pattern::Constant(crate::literal::wrap_int(tag.repr, tag.variants[index].1)))];
        fields.extend(parts.into_iter().map(|(part, pattern)| (variant.fields[part].1, pattern)));
        Pattern::Fields(fields)
    }

    fn associated_pattern(&mut self, pattern: &'p ast::Pattern, ty: &Inferred) -> Pattern {
        let PatKind::Path { path, of } = &pattern.kind else { return Pattern::Wild };
        let value = self.infer.associated_constant(path, of.as_deref());
        self.constant_pattern(value, ty)
    }

    fn constant_pattern(&mut self, value: Option<Constant>, ty: &Inferred) -> Pattern {
        let Some(value) = value else { return Pattern::Wild };
        let ty = self.infer.intern(ty);
        self.equals_constant(&value, &ty)
    }

    /// The pattern that a constant of this type matches, and nothing else. References in it lead to what it is compared with.
    fn equals_constant(&self, value: &Constant, ty: &Ty) -> Pattern {
        let parts = match (value, ty) {
            (value, Ty::Ref { inner, .. }) => {
                return Pattern::Deref(Box::new(self.equals_constant(value, inner)));
            }
            (Constant::Scalar(value), _) => return Pattern::Constant(*value),
            (Constant::Option(None), _) => return Pattern::None,
            (Constant::Option(Some(value)), Ty::Option(inner)) => {
                return Pattern::Some(Box::new(self.equals_constant(value, inner)));
            }
            (Constant::Option(Some(_)), _) => return Pattern::Wild,
            (Constant::Aggregate(parts), _) => parts,
        };
        let fields: Vec<(usize, &Ty)> = match ty {
            Ty::Slice { element, .. } => {
                let before = parts.iter().map(|part| self.equals_constant(part, element)).collect();
                return Pattern::Slice { before, rest: None, after: Vec::new() };
            }
            Ty::Array(element, _) => (0..parts.len()).map(|index| (index, &**element)).collect(),
            Ty::Tuple(types) => types.iter().enumerate().collect(),
            Ty::Struct(id) => {
                let def = &self.infer.world.structs[id.0];
                let has = |index: usize| index == 0 || self.holds_field(def, parts, index);
                let fields = def.fields.iter().map(|field| &field.ty).enumerate();
                fields.filter(|(index, _)| def.variants.is_empty() || has(*index)).collect()
            }
            _ => {
                let part = |part| self.equals_constant(part, &Ty::Unit);
                return Pattern::Fields(parts.iter().map(part).enumerate().collect());
            }
        };
        let part = |(index, ty): (usize, &Ty)| Some((index, self.equals_constant(parts.get(index)?, ty)));
        Pattern::Fields(fields.into_iter().filter_map(part).collect())
    }

    /// Returns true if the variant of a constant, an enum with data, has this field of the enum.
    fn holds_field(&self, def: &typed::StructDef, parts: &[Constant], index: usize) -> bool {
        let (Some(Constant::Scalar(tag)), Some(Ty::Enum(id))) =
            (parts.first(), def.fields.first().map(|field| &field.ty))
        else {
            return false;
        };
        let of_tag = &self.infer.world.enums[id.0];
        let is_tag = |variant: &(_, i128)| crate::literal::wrap_int(of_tag.repr, variant.1).bits == tag.bits;
        let variant = of_tag.variants.iter().position(is_tag).and_then(|at| def.variants.get(at));
        variant.is_some_and(|variant| variant.fields.iter().any(|field| field.1 == index))
    }

    /// The value of a literal or constant of a primitive type that is a struct of the library.
    fn primitive_constant(&mut self, expr: &ast::Expr, built: &typed::Expr) -> Option<Constant> {
        let value = match &built.kind {
            Typed::Struct { fields, .. } => {
                let part = |field: &(usize, typed::Expr)| match field.1.kind {
                    Typed::Literal(value) => Some(Constant::Scalar(value)),
                    _ => None,
                };
                fields.iter().map(part).collect::<Option<_>>().map(Constant::Aggregate)
            }
            // `-5`, where the operator is a function of the library.
            Typed::Invoke { args, .. }
                if let (ast::ExprKind::Unary { op: typed::UnaryOp::Neg, arg }, [of]) =
                    (&expr.kind, &args[..]) =>
            {
                return self.primitive_constant(arg, of).map(negated_words);
            }
            Typed::Const(id) => Some(self.consts[id.0].value.clone()),
            Typed::Literal(_) => return None,
            _ => None,
        };
        if value.is_none() {
            self.error(expr.loc, PATTERN_VALUE);
        }
        value
    }

    /// A range of one of these types.
    fn primitive_range(
        &mut self,
        pattern: &ast::Pattern,
        ends: (Option<&'p ast::Expr>, Option<&'p ast::Expr>),
        inclusive: bool,
        id: ast::StructDeclId,
    ) -> Pattern {
        let mut end = |end: Option<&'p ast::Expr>| -> Option<Vec<ConstValue>> {
            let built = end.map(|end| (end, self.value(end)));
            match built.and_then(|(end, built)| self.primitive_constant(end, &built)) {
                Some(Constant::Aggregate(parts)) => parts.iter().map(super::call::scalar).collect(),
                _ => None,
            }
        };
        let (start, end) = (end(ends.0), end(ends.1));
        let name = self.infer.world.program.structs[id.0].name.to_string();
        if primitives::WIDE.contains(&name.as_str()) {
            let is_signed = name == primitives::WIDE[1];
            return match wide_range(start.as_deref(), end.as_deref(), inclusive, is_signed) {
                Some(found) => found,
                None => self.empty_range(pattern),
            };
        }
        let first = |end: Option<Vec<ConstValue>>| end.and_then(|parts| parts.first().copied());
        let (start, end) = (first(start), first(end));
        self.range_must_hold(pattern, start, end, inclusive);
        Pattern::Fields(vec![(0, Pattern::Range { start, end, inclusive })])
    }

    fn empty_range(&mut self, pattern: &ast::Pattern) -> Pattern {
        self.error(
            pattern.loc,
            "expected a range that holds a value, found an empty one\nhelp: write the smaller bound first",
        );
        Pattern::Wild
    }

    /// The value of a literal or constant in a pattern.
    fn pattern_value(&mut self, expr: &'p ast::Expr) -> Option<ConstValue> {
        let built = self.value(expr);
        fn of(checker: &Checker<'_, '_, '_>, expr: &typed::Expr) -> Option<ConstValue> {
            match &expr.kind {
                Typed::Literal(value) | Typed::Path(value) => Some(*value),
                Typed::Const(id) => super::call::scalar(&checker.consts[id.0].value),
                Typed::Unary { op: typed::UnaryOp::Neg, arg } => {
                    let value = of(checker, arg)?;
                    Some(match value.ty.is_float() {
                        true => crate::literal::from_float(value.ty, -crate::literal::to_float(value)),
                        false => crate::literal::wrap_int(value.ty, -crate::literal::to_int(value)),
                    })
                }
                _ => None,
            }
        }
        let value = of(self, &built);
        if value.is_none() {
            self.error(expr.loc, PATTERN_VALUE);
        }
        value
    }

    fn range_must_hold(
        &mut self,
        pattern: &ast::Pattern,
        start: Option<ConstValue>,
        end: Option<ConstValue>,
        inclusive: bool,
    ) {
        let (Some(start), Some(end)) = (start, end) else { return };
        let holds = match start.ty {
            ty if ty.is_float() => {
                let (start, end) = (crate::literal::to_float(start), crate::literal::to_float(end));
                if inclusive { start <= end } else { start < end }
            }
            Scalar::Bool => true,
            _ => {
                let (start, end) = (crate::literal::to_int(start), crate::literal::to_int(end));
                if inclusive { start <= end } else { start < end }
            }
        };
        if !holds {
            self.empty_range(pattern);
        }
    }
}

/// The negative of an integer of 128 bits.
fn negated_words(value: Constant) -> Constant {
    let Constant::Aggregate(parts) = &value else { return value };
    let [Constant::Scalar(low), Constant::Scalar(high)] = parts[..] else { return value };
    let negated = (u128::from(high.bits) << 64 | u128::from(low.bits)).wrapping_neg();
    let word = |bits: u64| Constant::Scalar(ConstValue { ty: Scalar::U64, bits });
    Constant::Aggregate(vec![word(negated as u64), word((negated >> 64) as u64)])
}

/// A range of integers of 128 bits, each two words of which the lower comes first: one of upper words, and where they are those of the ends
/// one of lower words. None if it is empty.
fn wide_range(
    start: Option<&[ConstValue]>,
    end: Option<&[ConstValue]>,
    inclusive: bool,
    is_signed: bool,
) -> Option<Pattern> {
    // With the sign turned, signed integers have the order of unsigned ones.
    let sign = if is_signed { 1 << 63 } else { 0 };
    let ordered = |parts: &[ConstValue]| match parts {
        [low, high] => u128::from(high.bits ^ sign) << 64 | u128::from(low.bits),
        _ => 0,
    };
    let first = start.map_or(0, ordered);
    let last = match end.map(ordered) {
        Some(last) if inclusive => last,
        Some(last) => last.checked_sub(1)?,
        None => u128::MAX,
    };
    if first > last {
        return None;
    }
    let word = |bits: u64| Some(ConstValue { ty: Scalar::U64, bits });
    let words = |from: u64, to: u64| Pattern::Range { start: word(from), end: word(to), inclusive: true };
    let mut parts = Vec::new();
    let mut add = |from: u64, to: u64, low: (u64, u64)| {
        // The numbers on both sides of 0 are no neighbours once the sign is turned back.
        let around = sign != 0 && from < sign && to >= sign;
        let pieces = if around { vec![(from, sign - 1), (sign, to)] } else { vec![(from, to)] };
        parts.extend(pieces.into_iter().map(|(from, to)| {
            let high = (1, words(from ^ sign, to ^ sign));
            Pattern::Fields(if low == (0, u64::MAX) {
                vec![high]
            } else {
                vec![high, (0, words(low.0, low.1))]
            })
        }));
    };
    let ((above, low), (below, high)) =
        (((first >> 64) as u64, first as u64), ((last >> 64) as u64, last as u64));
    if above == below {
        add(above, above, (low, high));
    } else {
        add(above, above, (low, u64::MAX));
        if below - above > 1 {
            add(above + 1, below - 1, (0, u64::MAX));
        }
        add(below, below, (0, high));
    }
    match parts.len() {
        1 => parts.pop(),
        _ => Some(Pattern::Or(parts)),
    }
}
