//! Fused iterators: what they start from, what is done to them, what consumes them. They are no values: `for` and the
//! consuming methods read the whole chain. Those that are values are in [`values`](super::values).

use std::rc::Rc;

use super::block::Tried;
use super::method::{Method, Step};
use super::{Adjust, Hint, Infer, Kind, Resolved, Ty};
use crate::ast::{Expr, ExprKind, GenericArg};
use crate::builtins::{self, Class};
use crate::device::library;
use crate::diagnostics::did_you_mean;
use crate::resolve::TypeMeaning;

/// The source of an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Source {
    Slice,
    Array,
    ChunksExact,
    Chunks,
    Windows,
}

/// An iterator adaptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Adaptor {
    Rev,
    StepBy,
    Enumerate,
    Zip,
    Take,
    Skip,
    Chain,
    Copied,
    Map,
    Filter,
    TakeWhile,
    FilterMap,
    MapWhile,
    SkipWhile,
    Scan,
    Cycle,
    /// `.into_iter()`, `.iter()` of what is one already.
    Same,
}

/// A method that consumes an iterator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Consume {
    Sum,
    Product,
    Min,
    Max,
    Fold,
    Reduce,
    ForEach,
    Any,
    All,
    Position,
    Find,
    Count,
    Last,
    Next,
    Nth,
    MinBy,
    MaxBy,
    MinByKey,
    MaxByKey,
    FindMap,
    TryFold,
    RPosition,
}

/// The adaptors that may drop items.
pub(super) const INEXACT_ADAPTORS: &[&str] =
    &["filter", "filter_map", "take_while", "map_while", "skip_while", "scan"];

/// Returns true for the name of an adaptor.
pub(super) fn is_adaptor(name: &str) -> bool {
    ADAPTORS.iter().any(|row| row.0 == name)
}

/// Returns true for the name of a method that consumes an iterator.
pub(super) fn is_consumer(name: &str) -> bool {
    CONSUMERS.iter().any(|row| row.0 == name)
}

/// Returns true for the name of a method that a fused chain has only before adaptors that may drop items.
pub(super) fn needs_exact(name: &str) -> bool {
    matches!(name, "nth" | "rposition") || ADAPTORS.iter().any(|row| row.0 == name && row.3)
}

/// The adaptors that may drop items, for messages.
const INEXACT: &str = "`filter`, `filter_map`, `take_while`, `map_while`, `skip_while` or `scan`";

/// An adaptor's name, how many arguments it takes, and whether the iterator before it must know its length.
const ADAPTORS: &[(&str, Adaptor, usize, bool)] = &[
    ("rev", Adaptor::Rev, 0, true),
    ("step_by", Adaptor::StepBy, 1, true),
    ("enumerate", Adaptor::Enumerate, 0, true),
    ("zip", Adaptor::Zip, 1, true),
    ("take", Adaptor::Take, 1, true),
    ("skip", Adaptor::Skip, 1, true),
    ("chain", Adaptor::Chain, 1, true),
    ("copied", Adaptor::Copied, 0, false),
    ("cloned", Adaptor::Copied, 0, false),
    ("map", Adaptor::Map, 1, false),
    ("filter", Adaptor::Filter, 1, false),
    ("take_while", Adaptor::TakeWhile, 1, false),
    ("filter_map", Adaptor::FilterMap, 1, false),
    ("map_while", Adaptor::MapWhile, 1, false),
    ("skip_while", Adaptor::SkipWhile, 1, false),
    ("scan", Adaptor::Scan, 2, false),
    ("cycle", Adaptor::Cycle, 0, true),
    ("into_iter", Adaptor::Same, 0, false),
];

/// Methods of iterators that the language does not have, and what to write instead.
const OTHERS: &[(&str, &str)] = &[
    (
        "unzip",
        "there is no heap on the GPU: write a `for` loop that fills two arrays or slices, or fold into a pair: `.fold((a, b), |(a, b), (x, y)| …)`",
    ),
    (
        "partition",
        "there is no heap on the GPU: write `.filter(…)` twice, or fold into a pair: `.fold((yes, no), |(yes, no), item| …)`",
    ),
    ("size_hint", "write `.len()`, or `.count()`"),
    (
        "fuse",
        "leave it out: iterators of ranges and slices go on giving `None`; of another one stop at the first",
    ),
    ("try_rfold", "write `.rev().try_fold(…)`"),
    ("try_reduce", "write `.try_fold(first, …)`"),
    ("sorted", "sort an array or a part of a slice: `values.sort_unstable()`"),
    ("sorted_by", "sort an array or a part of a slice: `values.sort_unstable_by(…)`"),
    ("sorted_by_key", "sort an array or a part of a slice: `values.sort_unstable_by_key(…)`"),
    ("to_vec", "there is no heap on the GPU: write a `for` loop that fills an array or a slice"),
];

/// A consuming method's name and how many arguments it takes.
const CONSUMERS: &[(&str, Consume, usize)] = &[
    ("sum", Consume::Sum, 0),
    ("product", Consume::Product, 0),
    ("min", Consume::Min, 0),
    ("max", Consume::Max, 0),
    ("fold", Consume::Fold, 2),
    ("reduce", Consume::Reduce, 1),
    ("for_each", Consume::ForEach, 1),
    ("any", Consume::Any, 1),
    ("all", Consume::All, 1),
    ("position", Consume::Position, 1),
    ("find", Consume::Find, 1),
    ("count", Consume::Count, 0),
    ("last", Consume::Last, 0),
    ("next", Consume::Next, 0),
    ("nth", Consume::Nth, 1),
    ("min_by", Consume::MinBy, 1),
    ("max_by", Consume::MaxBy, 1),
    ("min_by_key", Consume::MinByKey, 1),
    ("max_by_key", Consume::MaxByKey, 1),
    ("find_map", Consume::FindMap, 1),
    ("try_fold", Consume::TryFold, 2),
    ("rposition", Consume::RPosition, 1),
];

impl<'p> Infer<'_, 'p> {
    /// Refuses `x.iter().sum() / n` and `x.iter().sum().sqrt()`, also through a variable: to rustc a sum is of the type that is written,
    /// or of what it is for.
    pub(super) fn refuse_open_sum(&mut self, expr: &Expr) {
        let ty = self.exprs[expr.id.0].clone();
        if self.open_sums.is_empty() || !self.is_any(&ty) {
            return;
        }
        let ty = self.vars.shallow(&ty);
        if let Some(index) = self.open_sums.iter().position(|row| self.vars.shallow(&row.2) == ty) {
            let (_, name, result, of) = self.open_sums.remove(index);
            self.report_open_sum(name, &result, &of);
        }
    }

    /// Refuses the sums whose type nothing decided, or that are for another one.
    pub(super) fn refuse_open_sums(&mut self) {
        for (expr, name, result, of) in std::mem::take(&mut self.open_sums) {
            if self.is_any(&result) {
                self.report_open_sum(name, &result, &of);
            } else if !self.vars.try_unify(&result, &of) {
                match (self.vars.shallow(&result), self.vars.shallow(&of)) {
                    // The sum has the type of what it adds, and is converted then.
                    (Ty::Scalar(to), Ty::Scalar(from)) => {
                        let help = format!("write `.{name}::<{}>() as {}`", from.name(), to.name());
                        self.report_types(expr, &result, &of, &help);
                    }
                    _ => self.report_mismatch(expr, &result, &of),
                }
            }
        }
    }

    fn report_open_sum(&mut self, name: &proc_macro2::Ident, result: &Ty, of: &Ty) {
        let ty = match self.known(of) {
            Ty::Scalar(scalar) => scalar.name(),
            _ => "f32",
        };
        self.error(name, format!("expected the type of the `{name}`, which nothing decides here\nhelp: write `.{name}::<{ty}>()`"));
        let _ = self.vars.try_unify(result, of);
    }

    /// The item type of an iterator: the operand of `for`, which is `of`, or the argument of `zip` or `chain`.
    pub(super) fn iterated(&mut self, expr: &'p Expr, of: Option<&'p Expr>) -> Ty {
        self.fused = !self.needs_values(expr);
        let ty = self.operand(expr, &Hint::None);
        let known = self.known(&ty);
        if let Some(of) = of
            && let Some(item) = self
                .iterated_value(of, &known)
                .or_else(|| self.iterated_option(of, &known))
                .or_else(|| self.iterated_by_trait(of, &known))
        {
            return item;
        }
        match known {
            Ty::Range(item) => {
                self.int_range(expr, &item);
                self.vars.shallow(&item)
            }
            Ty::Iter(item, _) => self.vars.shallow(&item),
            Ty::Slice(element, mutable) => self.vars.shallow(&element).reference(mutable),
            Ty::Array(element, _) => self.vars.shallow(&element),
            Ty::Ref(inner, mutable) => match self.known(&inner) {
                Ty::Array(element, _) => {
                    self.adjust(expr, [Adjust::Unsize(mutable)]);
                    self.vars.shallow(&element).reference(mutable)
                }
                place => self.refuse_iterated(expr, &ty, &place),
            },
            Ty::Error => Ty::Error,
            place => self.refuse_iterated(expr, &ty, &place),
        }
    }

    fn refuse_iterated(&mut self, expr: &Expr, ty: &Ty, place: &Ty) -> Ty {
        let found = self.describe(ty);
        let help = match place {
            Ty::Shared(_) | Ty::SharedDyn(_) => "write `.iter()`, or `.iter_mut()`".to_owned(),
            Ty::Scalar(_) => "write a range: `0..n`".to_owned(),
            Ty::Var(_) => "write its type".to_owned(),
            Ty::Struct(..) | Ty::Enum(_) => format!(
                "loop over a field that is an array or a slice, or write `impl IntoIterator for {}`",
                self.describe(place).trim_matches('`')
            ),
            _ => "loop over a range, an array, or a slice".to_owned(),
        };
        let message = format!("expected something to loop over, found {found}\nhelp: {help}");
        // The result of an `impl` of a module is no iterator here: rustc reports that at the `impl`.
        let program = self.world.program;
        let found = self.trait_functions("IntoIterator", ty, "into_iter");
        match found.iter().any(|(id, ..)| program.impls[id.0].scope.blocks.is_empty()) {
            false => self.error(expr.loc, message),
            true => self.world.diagnostics.error_known_to_rustc(expr.loc, message),
        }
        Ty::Error
    }

    fn int_range(&mut self, expr: &'p Expr, item: &Ty) {
        let ExprKind::Range { start, end, .. } = &expr.kind else { return };
        match (start, end) {
            (Some(start), Some(_)) => self.claim(item, Class::Int, start.loc, ".."),
            (None, _) => self
                .error(expr.loc, "expected a range that has a start, found one without\nhelp: write `0..n`"),
            (Some(_), None) => self.error(
                expr.loc,
                "expected a range that ends, found one without an end\nhelp: write `a..b`, or `loop`",
            ),
        }
    }

    /// A method of a slice that makes an iterator.
    pub(super) fn slice_method(
        &mut self,
        call: &Method<'p>,
        name: &str,
        step: &Step,
        element: &Ty,
        mutable: bool,
    ) -> Option<Ty> {
        let element = self.vars.shallow(element);
        if let [range, rest @ ..] = call.args
            && library::RANGE_METHODS.contains(&name)
            && let ExprKind::Range { start, end, inclusive } = &range.kind
        {
            let behind = library::range_method(name, start.is_some(), end.is_some(), *inclusive);
            return self.range_method(call, step, (range, rest), &behind);
        }
        let (source, writes, sized) = match name {
            "len" if call.args.is_empty() => {
                let row = builtins::method("len")?;
                // A part of an array is one that is written only if it is asked for: `t[1..].len()` asks for no `mut t`.
                // So is what the user's own `deref` gives.
                let is_part = matches!(call.receiver.kind, ExprKind::Index { .. })
                    || matches!(step.path.last(), Some(Adjust::Own(_)));
                self.as_slice(call.receiver, step, mutable && !is_part);
                self.resolved.insert(call.expr.id, Resolved::Builtin(row));
                return Some(Ty::USIZE);
            }
            "get_unchecked" | "get_unchecked_mut" => {
                return Some(self.get_unchecked(call, name == "get_unchecked_mut", step, element, mutable));
            }
            "as_ptr" | "as_mut_ptr" => {
                return Some(self.as_pointer(call, name == "as_mut_ptr", step, element, mutable));
            }
            "into_iter"
                if matches!(step.place, Ty::Array(..)) && step.path.is_empty() && call.args.is_empty() =>
            {
                if !call.fused {
                    return self.array_value(call);
                }
                self.resolved.insert(call.expr.id, Resolved::Source(Source::Array));
                return Some(Ty::Iter(Rc::new(element), true));
            }
            "into_iter" => (Source::Slice, mutable, false),
            "iter" => (Source::Slice, false, false),
            "iter_mut" => (Source::Slice, true, false),
            "chunks_exact" => (Source::ChunksExact, false, true),
            "chunks_exact_mut" => (Source::ChunksExact, true, true),
            "chunks" => (Source::Chunks, false, true),
            "chunks_mut" => (Source::Chunks, true, true),
            "windows" => (Source::Windows, false, true),
            _ => return None,
        };
        if !call.fused && call.args.len() == usize::from(sized) {
            return self.slice_value(call, step, source, writes, mutable);
        }
        if call.args.len() != usize::from(sized) {
            self.report_count(call.expr.loc, name, usize::from(sized), call.args.len());
            self.all(call.args);
            return Some(Ty::Error);
        }
        for arg in call.args {
            self.operand(arg, &Hint::Must(Ty::USIZE));
        }
        if writes && !mutable {
            self.report_shared_slice(call.receiver);
        }
        self.as_slice(call.receiver, step, writes);
        self.resolved.insert(call.expr.id, Resolved::Source(source));
        let item = match sized {
            true => Ty::Slice(Rc::new(element), writes),
            false => element.reference(writes),
        };
        Some(Ty::Iter(Rc::new(item), true))
    }

    /// `slice.get(a..b)`: a function of the library that takes the ends of the range.
    fn range_method(
        &mut self,
        call: &Method<'p>,
        step: &Step,
        (range, rest): (&'p Expr, &'p [Expr]),
        behind: &str,
    ) -> Option<Ty> {
        let function = self.world.library.get(&format!("slice_{behind}")).copied()?;
        let types = self.function_args(function, None, None);
        let (params, result) = self.signature_for(function, &types, &call.hint);
        let writes = matches!(self.vars.shallow(params.first()?), Ty::Slice(_, true));
        self.as_slice(call.receiver, step, writes);
        let mut ends = 0;
        if let ExprKind::Range { start, end, .. } = &range.kind {
            for end in start.iter().chain(end) {
                self.operand(end, &Hint::Must(Ty::USIZE));
                ends += 1;
            }
        }
        self.exprs[range.id.0] = Ty::Range(Rc::new(Ty::USIZE));
        let expected = params.len().saturating_sub(ends);
        if rest.len() + 1 != expected {
            self.report_count(call.expr.loc, &call.name.to_string(), expected, rest.len() + 1);
            self.all(rest);
            return Some(Ty::Error);
        }
        for (param, arg) in params[1 + ends..].to_vec().iter().zip(rest) {
            self.operand(arg, &Hint::Must(param.clone()));
        }
        let receiver = self.adjusted_ty(call.receiver);
        if let (true, Ty::Slice(_, false)) = (writes, &receiver) {
            self.report_shared_slice(call.receiver);
            return Some(Ty::Error);
        }
        let _ = self.vars.try_unify(&params[0], &receiver);
        self.resolved.insert(call.expr.id, Resolved::Invoke(function, types));
        Some(self.vars.shallow(&result))
    }

    /// `slice.get_unchecked(i)`
    fn get_unchecked(
        &mut self,
        call: &Method<'p>,
        writes: bool,
        step: &Step,
        element: Ty,
        mutable: bool,
    ) -> Ty {
        let [index] = call.args else {
            self.report_count(call.expr.loc, &call.name.to_string(), 1, call.args.len());
            self.all(call.args);
            return Ty::Error;
        };
        if matches!(index.kind, ExprKind::Range { .. }) {
            let message = "expected an index, found a range: there are no parts of slices without checks\nhelp: index the \
                           slice with the range, or make one of a pointer: `slice::from_raw_parts(x.as_ptr().add(start), len)`";
            self.error(index.loc, message);
            return Ty::Error;
        }
        self.operand(index, &Hint::Must(Ty::USIZE));
        if writes && !mutable {
            self.report_shared_slice(call.receiver);
        }
        self.as_slice(call.receiver, step, writes);
        self.resolved.insert(call.expr.id, Resolved::Builtin(&builtins::GET_UNCHECKED));
        element.reference(writes)
    }

    /// A method of a range or an iterator.
    pub(super) fn iterator_method(&mut self, call: &Method<'p>, place: &Ty) -> Ty {
        let name = call.name.to_string();
        let (item, exact) = match place {
            Ty::Range(item) => (self.vars.shallow(item), true),
            Ty::Iter(item, exact) => (self.vars.shallow(item), *exact),
            _ => return Ty::Error,
        };
        if let (Ty::Range(_), "contains", [arg]) = (place, name.as_str(), call.args) {
            self.coerce(arg, &item.reference(false));
            self.resolved.insert(call.expr.id, Resolved::Contains);
            return Ty::BOOL;
        }
        if let Ty::Range(_) = place {
            self.int_range(call.receiver, &item);
        }
        if let (Ty::Iter(..) | Ty::Range(_), "len") = (place, name.as_str())
            && exact
            && call.args.is_empty()
        {
            self.resolved.insert(call.expr.id, Resolved::Consume(Consume::Count));
            return Ty::USIZE;
        }
        if let Some((_, adaptor, count, needs_exact)) = ADAPTORS.iter().find(|row| row.0 == name) {
            if call.args.len() != *count {
                self.report_count(call.expr.loc, &name, *count, call.args.len());
                self.all(call.args);
                return Ty::Error;
            }
            if *needs_exact && !exact {
                return self.report_inexact(call);
            }
            self.resolved.insert(call.expr.id, Resolved::Adaptor(*adaptor));
            return self.adaptor(call, *adaptor, item, exact);
        }
        if let Some((_, consume, count)) = CONSUMERS.iter().find(|row| row.0 == name) {
            if call.args.len() != *count {
                self.report_count(call.expr.loc, &name, *count, call.args.len());
                self.all(call.args);
                return Ty::Error;
            }
            if matches!(consume, Consume::Nth | Consume::RPosition) && !exact {
                return self.report_inexact(call);
            }
            self.resolved.insert(call.expr.id, Resolved::Consume(*consume));
            return self.consume(call, *consume, item);
        }
        self.no_iterator_method(call, &name)
    }

    /// Reports a method that iterators have not.
    pub(super) fn no_iterator_method(&mut self, call: &Method<'p>, name: &str) -> Ty {
        self.all(call.args);
        // A target collection that is not supported was reported at its type.
        if matches!(name, "collect" | "unzip" | "partition") && self.is_told(call) {
            return Ty::Error;
        }
        let names = ADAPTORS.iter().map(|row| row.0).chain(CONSUMERS.iter().map(|row| row.0));
        let to = match &call.hint {
            Hint::Must(ty) if name == "collect" => self.known(ty),
            _ => Ty::Error,
        };
        // The values in options and results are collected, too.
        let to = self.world.tried_value(&to).map_or(to, |value| self.vars.shallow(&value));
        if let Ty::Array(..) | Ty::Struct(..) | Ty::Enum(_) = &to {
            let found = self.describe(&to);
            let help = match &to {
                _ if !self.trait_functions("FromIterator", &to, "from_iter").is_empty() => {
                    "convert the items by `.map(…)` to those of its `impl FromIterator`".to_owned()
                }
                Ty::Array(..) => {
                    "write `core::array::from_fn(|k| …)`, or a `for` loop that fills it".to_owned()
                }
                _ => format!("write `impl FromIterator<…> for {}`", found.trim_matches('`')),
            };
            let message = format!("expected a type that can be collected, found {found}\nhelp: {help}");
            self.error(call.name, message);
            return Ty::Error;
        }
        let instead = OTHERS.iter().find(|row| row.0 == name);
        let help = match did_you_mean(name, names).filter(|_| instead.is_none()) {
            _ if let Some((_, instead)) = instead => (*instead).to_owned(),
            Some(near) => format!("did you mean `{near}`?"),
            None if name == "collect" => {
                "there is no heap on the GPU: write a `for` loop that fills an array or a slice".to_owned()
            }
            None => "write a `for` loop: this method is not supported yet".to_owned(),
        };
        self.error(call.name, format!("expected a method of an iterator, found `{name}`\nhelp: {help}"));
        Ty::Error
    }

    /// Reports a method that counts items, after an adaptor that may drop some.
    fn report_inexact(&mut self, call: &Method<'p>) -> Ty {
        self.all(call.args);
        let name = call.name;
        let message = format!(
            "expected an iterator that knows its length before `.{name}`, found one after {INEXACT}\nhelp: write `.{name}` before \
             them, or an `if` in the loop"
        );
        self.error(name, message);
        Ty::Error
    }

    /// Returns true if a mistake in the call's result type was reported already.
    fn is_told(&mut self, call: &Method<'p>) -> bool {
        let is_mistake = |arg: &GenericArg| match arg {
            GenericArg::Type(ty) => self.world.names.of(self.env.text).ty(ty.id) == TypeMeaning::Error,
            GenericArg::Const(_) => false,
        };
        let of_generics = call.generics.is_some_and(|generics| generics.args.iter().any(is_mistake));
        let is_error = |ty: &Ty| self.vars.shallow(ty) == Ty::Error;
        let is_wrong = |ty: &Ty| match self.vars.shallow(ty) {
            Ty::Tuple(parts) => parts.iter().any(is_error),
            ty => is_error(&ty),
        };
        of_generics || matches!(&call.hint, Hint::Must(ty) if is_wrong(ty))
    }

    fn adaptor(&mut self, call: &Method<'p>, adaptor: Adaptor, item: Ty, exact: bool) -> Ty {
        let iter = |item: Ty| Ty::Iter(Rc::new(item), exact);
        match adaptor {
            Adaptor::Rev | Adaptor::Cycle | Adaptor::Same => iter(item),
            Adaptor::StepBy | Adaptor::Take | Adaptor::Skip => {
                self.operand(&call.args[0], &Hint::Must(Ty::USIZE));
                iter(item)
            }
            Adaptor::Enumerate => iter(Ty::tuple(vec![Ty::USIZE, item])),
            Adaptor::Zip => {
                let other = self.iterated(&call.args[0], None);
                self.must_be_exact(&call.args[0]);
                iter(Ty::tuple(vec![item, other]))
            }
            Adaptor::Chain => {
                let other = self.iterated(&call.args[0], None);
                self.must_be_exact(&call.args[0]);
                if !self.vars.try_unify(&item, &other) {
                    self.report_mismatch(&call.args[0], &item, &other);
                }
                iter(item)
            }
            Adaptor::Copied => match &item {
                Ty::Ref(inner, _) => iter(self.vars.shallow(inner)),
                Ty::Error => Ty::Error,
                other => {
                    let found = self.describe(other);
                    self.error(call.name, format!("expected an iterator of references, found one of {found}\nhelp: leave `.{}()` out", call.name));
                    iter(item)
                }
            },
            Adaptor::Map => {
                let result = self.vars.any();
                self.callable_arg(&call.args[0], &[item], &result);
                iter(result)
            }
            Adaptor::Filter | Adaptor::TakeWhile | Adaptor::SkipWhile => {
                self.callable_arg(&call.args[0], &[item.clone().reference(false)], &Ty::BOOL);
                Ty::Iter(Rc::new(item), false)
            }
            Adaptor::Scan => {
                let state = self.operand(&call.args[0], &Hint::None);
                let result = self.vars.any();
                self.callable_arg(&call.args[1], &[state.reference(true), item], &Ty::option(result.clone()));
                Ty::Iter(Rc::new(result), false)
            }
            Adaptor::FilterMap | Adaptor::MapWhile => {
                let result = self.vars.any();
                self.callable_arg(&call.args[0], &[item], &Ty::option(result.clone()));
                Ty::Iter(Rc::new(result), false)
            }
        }
    }

    /// `min` and `max` of what is no integer: an order that is derived, or one of an `impl`.
    pub(super) fn has_order(&mut self, ty: &Ty) -> bool {
        let is_derived = !self.holds_reference(ty) && self.comparable(ty, false).is_ok();
        !matches!(ty, Ty::Scalar(_) | Ty::Var(_)) && (is_derived || self.has_own_key(ty))
    }

    /// Returns true if an `impl PartialOrd` is the order of the type, or of what is in it.
    pub(crate) fn has_own_key(&mut self, ty: &Ty) -> bool {
        self.has_own_order(ty) || self.order_of_parts(ty, "partial_cmp").is_some()
    }

    /// Returns true if an `impl PartialOrd` is the type's order.
    pub(crate) fn has_own_order(&mut self, ty: &Ty) -> bool {
        self.overloaded("PartialOrd", "partial_cmp", ty, Some(ty)).is_some()
    }

    fn must_be_exact(&mut self, arg: &'p Expr) {
        if let Ty::Iter(_, false) = self.vars.shallow(&self.exprs[arg.id.0]) {
            self.error(
                arg.loc,
                format!("expected an iterator that knows its length, found one after {INEXACT}\nhelp: write an `if` in the loop"),
            );
        }
    }

    /// The value in the items of `sum` and `product`, where they are options or results: the first without one ends it.
    pub(super) fn summed_value(&self, item: &Ty) -> Option<Ty> {
        match self.world.tried(item)? {
            Tried::Option | Tried::Result => self.world.tried_value(item),
            Tried::ControlFlow => None,
        }
    }

    fn consume(&mut self, call: &Method<'p>, consume: Consume, item: Ty) -> Ty {
        match consume {
            Consume::Sum | Consume::Product if let Some(value) = self.summed_value(&item) => {
                let result = self.asked_type(call).unwrap_or_else(|| item.clone());
                if !self.vars.try_unify(&result, &item) {
                    self.report_mismatch(call.receiver, &result, &item);
                    return Ty::Error;
                }
                let name = if consume == Consume::Sum { "sum" } else { "product" };
                self.claim(&value, Class::Number, call.name.into(), name);
                item
            }
            Consume::Sum | Consume::Product => {
                let of = match &item {
                    Ty::Ref(inner, _) => self.vars.shallow(inner),
                    other => other.clone(),
                };
                let env = self.env.clone();
                let written = call.generics.and_then(|generics| generics.args.first());
                let result = match (written, &call.hint) {
                    (Some(arg), _) => self.world.lower_arg(&mut self.vars, &env, arg),
                    (None, Hint::None | Hint::Literal(_)) if !self.in_library() && of != Ty::Error => {
                        let name = if consume == Consume::Sum { "sum" } else { "product" };
                        if self.claimed(of.clone(), Class::Number, call.name.into(), name) == Ty::Error {
                            return Ty::Error;
                        }
                        let result = self.vars.any();
                        self.open_sums.push((call.expr, call.name, result.clone(), of));
                        return result;
                    }
                    (None, _) => of.clone(),
                };
                if !self.vars.try_unify(&result, &of) {
                    self.report_mismatch(call.receiver, &result, &of);
                }
                let name = if consume == Consume::Sum { "sum" } else { "product" };
                self.claim(&of, Class::Number, call.name.into(), name);
                result
            }
            Consume::Min | Consume::Max => {
                let of = match &item {
                    Ty::Ref(inner, _) => self.vars.shallow(inner),
                    other => other.clone(),
                };
                let is_int = match of {
                    Ty::Scalar(scalar) => scalar.is_int(),
                    Ty::Var(var) => self.vars.kind(var) == Kind::Int,
                    Ty::Error => return Ty::Error,
                    _ => false,
                };
                if !is_int && !self.has_order(&of) {
                    let found = self.describe(&item);
                    let help = match &item {
                        _ if matches!(of, Ty::Struct(..) | Ty::Enum(_)) => format!(
                            "write `#[derive(PartialEq, Eq, PartialOrd, Ord)]` above `{}`",
                            self.describe(&of).trim_matches('`')
                        ),
                        _ if !matches!(of, Ty::Scalar(_) | Ty::Var(_)) => {
                            format!("compare by a number: `.{}_by_key(|value| …)`", call.name)
                        }
                        _ => format!("write `.{}_by(|a, b| a.total_cmp(b))`", call.name),
                    };
                    self.error(call.name, format!("expected an iterator of integers before `.{}()`, found one of {found}\nhelp: {help}", call.name));
                    return Ty::Error;
                }
                Ty::option(item)
            }
            Consume::Fold => {
                let init = match &call.hint {
                    Hint::Must(ty) => self.operand(&call.args[0], &Hint::Literal(ty.clone())),
                    Hint::None | Hint::Literal(_) => self.operand(&call.args[0], &Hint::None),
                };
                if let Hint::Must(ty) = &call.hint {
                    let _ = self.vars.try_unify(&init, ty);
                }
                self.callable_arg(&call.args[1], &[init.clone(), item], &init);
                init
            }
            Consume::MinBy | Consume::MaxBy => {
                let order = self.world.ordering();
                let reference = item.clone().reference(false);
                self.callable_arg(&call.args[0], &[reference.clone(), reference], &order);
                Ty::option(item)
            }
            Consume::MinByKey | Consume::MaxByKey => {
                let key = self.vars.any();
                self.callable_arg(&call.args[0], &[item.clone().reference(false)], &key);
                let known = self.known(&key);
                let order = match self.has_own_key(&known) {
                    true => Ok(()),
                    false if self.holds_reference(&known) => Err(known.clone()),
                    false => self.comparable(&known, false),
                };
                if let Err(part) = order {
                    let found = self.describe(&part);
                    self.error(
                        call.args[0].loc,
                        format!("expected a key that has an order, found {found}\nhelp: give a number, or a tuple of numbers"),
                    );
                }
                self.keys.insert(call.expr.id, key);
                Ty::option(item)
            }
            Consume::FindMap => {
                let result = self.vars.any();
                self.callable_arg(&call.args[0], &[item], &Ty::option(result.clone()));
                Ty::option(result)
            }
            Consume::TryFold => {
                let result = match &call.hint {
                    Hint::Must(ty) => self.known(ty),
                    Hint::None | Hint::Literal(_) => self.vars.any(),
                };
                let init = self.world.tried_value(&result).map_or(Hint::None, Hint::Literal);
                let init = self.operand(&call.args[0], &init);
                self.callable_arg(&call.args[1], &[init.clone(), item], &result);
                self.tried(call, &result, &init)
            }
            Consume::RPosition => {
                self.callable_arg(&call.args[0], &[item], &Ty::BOOL);
                Ty::option(Ty::USIZE)
            }
            Consume::Reduce => {
                self.callable_arg(&call.args[0], &[item.clone(), item.clone()], &item);
                Ty::option(item)
            }
            Consume::ForEach => {
                self.callable_arg(&call.args[0], &[item], &Ty::Unit);
                Ty::Unit
            }
            Consume::Any | Consume::All => {
                self.callable_arg(&call.args[0], &[item], &Ty::BOOL);
                Ty::BOOL
            }
            Consume::Position => {
                self.callable_arg(&call.args[0], &[item], &Ty::BOOL);
                Ty::option(Ty::USIZE)
            }
            Consume::Find => {
                self.callable_arg(&call.args[0], &[item.clone().reference(false)], &Ty::BOOL);
                Ty::option(item)
            }
            Consume::Count => Ty::USIZE,
            Consume::Last | Consume::Next => Ty::option(item),
            Consume::Nth => {
                self.operand(&call.args[0], &Hint::Must(Ty::USIZE));
                Ty::option(item)
            }
        }
    }
}
