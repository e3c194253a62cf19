//! Patterns: tests of a place that jump where it does not match, and what they bind. `match`, `let … else`.
//!
//! A pattern is tested as a whole first and binds afterwards. Only alternatives (`a | b`) bind while they are tested: which
//! of them matched is known only there.

use ptx_gen::ir::{BinaryOp as Op, Block as IrBlock, FloatCond, IntCond, UnaryOp as IrUnary, Value};

use super::aggregate::element_of;
use super::memory::Memory;
use super::place::Place;
use super::slots::binds_reference;
use super::{Lowered, Lowerer, Values};
use crate::typed::{Arm, BindMode, Block, BranchAttr, ConstValue, Expr, LocalId, Pattern, Scalar, Ty};

/// The effect of a binding: it declares its variable, or assigns one that an alternative declared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Declares,
    Assigns,
}

impl<'k> Lowerer<'k> {
    /// The place that patterns are tested on; a value that is referred to gets a place in memory.
    fn scrutinee(&mut self, expr: &Expr, referred_to: bool) -> Lowered<Place<'k>> {
        let place = self.place(expr)?;
        match place {
            Place::Value { .. } | Place::Constant { .. } if referred_to => {
                Ok(Place::Memory(self.in_memory_somewhere(&place)))
            }
            place => Ok(place),
        }
    }

    /// `let pattern = init;`
    pub(super) fn let_pattern(&mut self, pattern: &Pattern, init: &Expr) -> Lowered<()> {
        match pattern {
            Pattern::Wild => {
                self.place(init)?;
            }
            Pattern::Bind { local, mode: BindMode::Value, inner: None } => self.bind_expr(*local, init)?,
            _ => {
                let place = self.scrutinee(init, binds_reference(pattern))?;
                self.matched(pattern, &place)?;
            }
        }
        Ok(())
    }

    /// `let pattern = init else { … };`
    pub(super) fn let_else(&mut self, pattern: &Pattern, init: &Expr, otherwise: &Block) -> Lowered<()> {
        let (fail, go) = (self.b.create_block(), self.b.create_block());
        let place = self.scrutinee(init, binds_reference(pattern))?;
        self.test_whole(pattern, &place, Some(fail))?;
        self.bind_matched(pattern, &place, Binding::Declares);
        self.b.jump(go, &[]);
        if self.enter(fail).is_ok() {
            // It does not come back.
            let _ = self.block(otherwise);
        }
        self.enter(go)
    }

    /// `let pattern = value` in a condition: goes on where it matches, with what it binds.
    pub(super) fn branch_on_pattern(
        &mut self,
        pattern: &Pattern,
        value: &Expr,
        if_false: IrBlock,
    ) -> Lowered<()> {
        let hint = self.hint.take();
        let place = self.scrutinee(value, binds_reference(pattern));
        self.hint = hint;
        let place = place?;
        self.test_whole(pattern, &place, Some(if_false))?;
        self.bind_matched(pattern, &place, Binding::Declares);
        Ok(())
    }

    /// A pattern that matches always, on a value.
    pub(super) fn bind_value(&mut self, pattern: &Pattern, values: Values, ty: &Ty) -> Lowered<()> {
        match pattern {
            Pattern::Bind { local, mode: BindMode::Value, inner: None } => self.bind(*local, values),
            _ => {
                let mut place = Place::Value { values, ty: ty.clone() };
                if binds_reference(pattern) {
                    place = Place::Memory(self.in_memory_somewhere(&place));
                }
                self.matched(pattern, &place)?;
            }
        }
        Ok(())
    }

    /// A pattern that is known to match.
    fn matched(&mut self, pattern: &Pattern, place: &Place<'k>) -> Lowered<()> {
        self.test_whole(pattern, place, None)?;
        self.bind_matched(pattern, place, Binding::Declares);
        Ok(())
    }

    /// `match value { … }`: the arms in order; the last needs no test, as one of them matches.
    pub(super) fn match_value(
        &mut self,
        value: &Expr,
        arms: &[Arm],
        attr: Option<BranchAttr>,
        ty: &Ty,
    ) -> Lowered {
        let hint = self.branch_hint(attr);
        let referred_to = arms.iter().any(|arm| binds_reference(&arm.pattern));
        let place = self.scrutinee(value, referred_to)?;
        let (join, result) = self.block_taking(ty);
        if let Ty::Scalar(scalar) = value.ty
            && let Some(pieces) = super::switch::pieces(arms, scalar)
        {
            let number = self.read_place(&place)[0];
            let around = std::mem::replace(&mut self.hint, hint);
            let blocks = self.switch(number, scalar, &pieces, arms.len());
            self.hint = around;
            for (arm, block) in arms.iter().zip(blocks) {
                // Earlier arms may match all that one would.
                if self.enter(block).is_ok() {
                    self.bind_matched(&arm.pattern, &place, Binding::Declares);
                    let values = self.expr(&arm.body);
                    self.jump_with(join, values);
                }
            }
            self.enter(join)?;
            return Ok(result);
        }
        for (index, arm) in arms.iter().enumerate() {
            let is_last = index + 1 == arms.len() && arm.guard.is_none();
            let otherwise = (!is_last).then(|| self.b.create_block());
            let around = std::mem::replace(&mut self.hint, hint);
            let matched = self.arm(arm, &place, otherwise);
            self.hint = around;
            if matched.is_ok() {
                let values = self.expr(&arm.body);
                self.jump_with(join, values);
            }
            match otherwise {
                Some(otherwise) if self.enter(otherwise).is_ok() => {}
                _ => break,
            }
        }
        if self.b.is_reachable() {
            // No arm matches: rustc refuses such a `match`.
            let zeros = self.zeros(ty);
            self.b.jump(join, &zeros);
        }
        self.enter(join)?;
        Ok(result)
    }

    /// The test, the bindings and the guard of an arm. The guard is asked for each alternative that matches until it holds.
    fn arm(&mut self, arm: &Arm, place: &Place<'k>, otherwise: Option<IrBlock>) -> Lowered<()> {
        let (Some(guard), Some(otherwise)) = (&arm.guard, otherwise) else {
            self.test_whole(&arm.pattern, place, otherwise)?;
            self.bind_matched(&arm.pattern, place, Binding::Declares);
            return Ok(());
        };
        let holds = self.b.create_block();
        let mut alternatives = arm.pattern.alternatives();
        let Some(last) = alternatives.pop() else { return Ok(()) };
        if !alternatives.is_empty() {
            let mut bound = Vec::new();
            bindings(&last, &mut bound);
            for local in bound {
                self.declare(local);
            }
        }
        let binding = if alternatives.is_empty() { Binding::Declares } else { Binding::Assigns };
        for alternative in alternatives {
            let next = self.b.create_block();
            if self.test_whole(&alternative, place, Some(next)).is_ok() {
                self.bind_matched(&alternative, place, binding);
                self.branch_on(guard, holds, next);
            }
            if self.enter(next).is_err() {
                return self.enter(holds);
            }
        }
        if self.test_whole(&last, place, Some(otherwise)).is_ok() {
            self.bind_matched(&last, place, binding);
            self.branch_on(guard, holds, otherwise);
        }
        self.enter(holds)
    }

    // Tests.

    /// Tests a pattern that is part of no other: declares what its alternatives bind, once for all of them, those within others too.
    fn test_whole(&mut self, pattern: &Pattern, place: &Place<'k>, fail: Option<IrBlock>) -> Lowered<()> {
        let mut bound = Vec::new();
        bound_by_alternatives(pattern, &mut bound);
        for local in bound {
            self.declare(local);
        }
        self.test(pattern, place, fail)
    }

    /// Goes on if the pattern matches, else to `fail`; without `fail` it is known to match.
    fn test(&mut self, pattern: &Pattern, place: &Place<'k>, fail: Option<IrBlock>) -> Lowered<()> {
        if !needs_test(pattern, fail.is_some()) {
            return Ok(());
        }
        match (pattern, fail) {
            (Pattern::Bind { inner: Some(inner), .. }, _) => self.test(inner, place, fail),
            (Pattern::Fields(parts), _) => {
                for (index, part) in parts {
                    if needs_test(part, fail.is_some()) {
                        let place = self.part(place, *index);
                        self.test(part, &place, fail)?;
                    }
                }
                Ok(())
            }
            (Pattern::Deref(inner), _) => {
                let place = self.behind_place(place);
                self.test(inner, &place, fail)
            }
            (Pattern::Slice { before, rest, after }, _) => {
                self.test_slice((before, rest.as_deref(), after), place, fail)
            }
            (Pattern::Some(inner), _) => {
                if let Some(fail) = fail {
                    let is_some = self.is_some(place);
                    self.go_on_if(is_some, fail)?;
                }
                let value = self.part(place, 0);
                self.test(inner, &value, fail)
            }
            (Pattern::Or(alternatives), Some(fail)) if alternatives.iter().all(Pattern::is_plain) => {
                let holds = self.plain_condition(pattern, place);
                self.go_on_if(holds, fail)
            }
            (Pattern::Or(alternatives), _) => self.test_alternatives(alternatives, place, fail),
            (Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None, Some(fail)) => {
                let holds = self.plain_condition(pattern, place);
                self.go_on_if(holds, fail)
            }
            (
                Pattern::Wild
                | Pattern::Rest { .. }
                | Pattern::Bind { inner: None, .. }
                | Pattern::Constant(_)
                | Pattern::Range { .. }
                | Pattern::None,
                _,
            ) => Ok(()),
        }
    }

    fn go_on_if(&mut self, holds: Value, fail: IrBlock) -> Lowered<()> {
        let go = self.b.create_block();
        self.b.hinted_branch(holds, go, fail, self.hint);
        self.enter(go)
    }

    /// The condition of a pattern that [`is_plain`].
    fn plain_condition(&mut self, pattern: &Pattern, place: &Place<'k>) -> Value {
        match pattern {
            Pattern::Constant(constant) => {
                let value = self.read_place(place)[0];
                self.equals_constant(value, *constant)
            }
            Pattern::Range { start, end, inclusive } => {
                let value = self.read_place(place)[0];
                let lower =
                    start.map(|start| self.compare_constant(value, start, (IntCond::UGe, FloatCond::Ge)));
                let upper =
                    if *inclusive { (IntCond::ULe, FloatCond::Le) } else { (IntCond::ULt, FloatCond::Lt) };
                let upper = end.map(|end| self.compare_constant(value, end, upper));
                match (lower, upper) {
                    (Some(lower), Some(upper)) => self.b.binary(Op::And, lower, upper),
                    (Some(bound), None) | (None, Some(bound)) => bound,
                    (None, None) => self.bool(true),
                }
            }
            Pattern::None => {
                let is_some = self.is_some(place);
                self.b.unary(IrUnary::Not, is_some)
            }
            Pattern::Or(alternatives) => {
                let mut any = None;
                for alternative in alternatives {
                    let holds = self.plain_condition(alternative, place);
                    any = Some(match any {
                        Some(any) => self.b.binary(Op::Or, any, holds),
                        None => holds,
                    });
                }
                any.unwrap_or_else(|| self.bool(false))
            }
            Pattern::Wild
            | Pattern::Bind { .. }
            | Pattern::Fields(_)
            | Pattern::Rest { .. }
            | Pattern::Slice { .. }
            | Pattern::Some(_)
            | Pattern::Deref(_) => self.bool(true),
        }
    }

    fn equals_constant(&mut self, value: Value, constant: ConstValue) -> Value {
        if constant.ty == Scalar::Bool {
            return if constant.bits == 1 { value } else { self.b.unary(IrUnary::Not, value) };
        }
        let constant_value = self.constant(constant)[0];
        self.equal_scalars(value, constant_value, constant.ty)
    }

    fn compare_constant(&mut self, value: Value, bound: ConstValue, cond: (IntCond, FloatCond)) -> Value {
        let constant = self.constant(bound)[0];
        match bound.ty.is_float() {
            true => self.b.float_compare(cond.1, value, constant),
            false => self.b.int_compare(super::range::order(bound.ty, cond.0), value, constant),
        }
    }

    /// Alternatives that bind something, or look into something: one after the other.
    fn test_alternatives(
        &mut self,
        alternatives: &[Pattern],
        place: &Place<'k>,
        fail: Option<IrBlock>,
    ) -> Lowered<()> {
        let go = self.b.create_block();
        for (index, alternative) in alternatives.iter().enumerate() {
            let is_last = index + 1 == alternatives.len();
            let otherwise = if is_last { fail } else { Some(self.b.create_block()) };
            self.test(alternative, place, otherwise)?;
            self.bind_matched(alternative, place, Binding::Assigns);
            self.b.jump(go, &[]);
            if let (false, Some(otherwise)) = (is_last, otherwise)
                && self.enter(otherwise).is_err()
            {
                // The alternatives so far match always.
                break;
            }
        }
        self.enter(go)
    }

    // Slices.

    fn test_slice(
        &mut self,
        (before, rest, after): (&[Pattern], Option<&Pattern>, &[Pattern]),
        place: &Place<'k>,
        fail: Option<IrBlock>,
    ) -> Lowered<()> {
        if let Some(fail) = fail {
            let len = self.read_place(place)[1];
            let wanted = self.i64((before.len() + after.len()) as u64);
            let cond = if rest.is_some() { IntCond::UGe } else { IntCond::Eq };
            let fits = self.b.int_compare(cond, len, wanted);
            self.go_on_if(fits, fail)?;
        }
        for (index, pattern) in before.iter().enumerate() {
            if needs_test(pattern, fail.is_some()) {
                let element = self.element_from_front(place, index);
                self.test(pattern, &element, fail)?;
            }
        }
        for (index, pattern) in after.iter().enumerate() {
            if needs_test(pattern, fail.is_some()) {
                let element = self.element_from_back(place, after.len() - index);
                self.test(pattern, &element, fail)?;
            }
        }
        match rest {
            Some(rest) if needs_test(rest, fail.is_some()) => {
                let rest_place = self.middle(place, before.len(), after.len());
                self.test(rest, &rest_place, fail)
            }
            _ => Ok(()),
        }
    }

    fn element_from_front(&mut self, slice: &Place<'k>, index: usize) -> Place<'k> {
        let index = self.i64(index as u64);
        self.slice_element(slice, index)
    }

    /// The element so many before the end.
    fn element_from_back(&mut self, slice: &Place<'k>, distance: usize) -> Place<'k> {
        let len = self.read_place(slice)[1];
        let distance = self.i64(distance as u64);
        let index = self.b.binary_nuw(Op::Sub, len, distance);
        self.slice_element(slice, index)
    }

    fn slice_element(&mut self, slice: &Place<'k>, index: Value) -> Place<'k> {
        let ty = self.ty_of(slice);
        let element = element_of(&ty);
        let address = self.read_place(slice)[0];
        let first = Memory::behind(address, element.clone());
        Place::Memory(self.element_of_memory(&first, element, index))
    }

    /// A slice without so many elements at its ends.
    fn middle(&mut self, slice: &Place<'k>, before: usize, after: usize) -> Place<'k> {
        let ty = self.ty_of(slice);
        let values = self.read_place(slice);
        let (start, cut) = (self.i64(before as u64), self.i64((before + after) as u64));
        let address = self.slice_from(values[0], element_of(&ty), start);
        let len = self.b.binary_nuw(Op::Sub, values[1], cut);
        Place::Value { values: vec![address, len], ty }
    }

    // Bindings.

    /// Binds what a pattern that matched binds.
    fn bind_matched(&mut self, pattern: &Pattern, place: &Place<'k>, how: Binding) {
        match pattern {
            Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
            Pattern::Bind { local, mode, inner } => {
                self.bind_place(*local, *mode, place, how);
                inner.iter().for_each(|inner| self.bind_matched(inner, place, how));
            }
            Pattern::Fields(parts) => {
                for (index, part) in parts.iter().filter(|(_, part)| binds_after(part)) {
                    let place = match part {
                        Pattern::Rest { ty, .. } => self.rest(place, *index, ty),
                        _ => self.part(place, *index),
                    };
                    self.bind_matched(part, &place, how);
                }
            }
            Pattern::Rest { pattern, .. } => self.bind_matched(pattern, place, how),
            Pattern::Slice { before, rest, after } => {
                for (index, pattern) in before.iter().enumerate().filter(|(_, part)| binds_after(part)) {
                    let element = self.element_from_front(place, index);
                    self.bind_matched(pattern, &element, how);
                }
                for (index, pattern) in after.iter().enumerate().filter(|(_, part)| binds_after(part)) {
                    let element = self.element_from_back(place, after.len() - index);
                    self.bind_matched(pattern, &element, how);
                }
                if let Some(rest) = rest.as_deref().filter(|rest| binds_after(rest)) {
                    let place = self.middle(place, before.len(), after.len());
                    self.bind_matched(rest, &place, how);
                }
            }
            Pattern::Some(inner) => {
                if binds_after(inner) {
                    let value = self.part(place, 0);
                    self.bind_matched(inner, &value, how);
                }
            }
            Pattern::Deref(inner) => {
                if binds_after(inner) {
                    let place = self.behind_place(place);
                    self.bind_matched(inner, &place, how);
                }
            }
            // Bound by the alternative that matched.
            Pattern::Or(_) => {}
        }
    }

    fn bind_place(&mut self, local: LocalId, mode: BindMode, place: &Place<'k>, how: Binding) {
        let values = match mode {
            // The rest of a slice is a slice already; a slice in a tuple behind a reference is referred to: `&&[T]`.
            BindMode::Ref { .. } if matches!(self.local_ty(local), Ty::Slice { .. }) => {
                self.read_place(place)
            }
            BindMode::Ref { .. } => vec![self.address_of(place)],
            BindMode::Value => self.read_place(place),
        };
        match how {
            Binding::Declares => self.bind(local, values),
            Binding::Assigns => self.write_local(local, 0, &values),
        }
    }
}

/// Returns true if the pattern has a test, or alternatives of which the matching one must be found.
fn needs_test(pattern: &Pattern, can_fail: bool) -> bool {
    match pattern {
        Pattern::Wild | Pattern::Rest { .. } => false,
        Pattern::Bind { inner, .. } => inner.as_deref().is_some_and(|inner| needs_test(inner, can_fail)),
        Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => can_fail,
        Pattern::Fields(parts) => parts.iter().any(|(_, part)| needs_test(part, can_fail)),
        Pattern::Slice { before, rest, after } => {
            can_fail
                || before.iter().chain(rest.as_deref()).chain(after).any(|part| needs_test(part, can_fail))
        }
        Pattern::Some(inner) => can_fail || needs_test(inner, can_fail),
        Pattern::Deref(inner) => needs_test(inner, can_fail),
        Pattern::Or(alternatives) => {
            let mut bound = Vec::new();
            alternatives.iter().for_each(|alternative| bindings(alternative, &mut bound));
            !bound.is_empty() || can_fail && alternatives.iter().all(|part| needs_test(part, can_fail))
        }
    }
}

/// Returns true if the pattern binds a variable after its test.
fn binds_after(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None | Pattern::Or(_) => {
            false
        }
        Pattern::Bind { .. } | Pattern::Rest { .. } => true,
        Pattern::Fields(parts) => parts.iter().any(|(_, part)| binds_after(part)),
        Pattern::Slice { before, rest, after } => {
            before.iter().chain(rest.as_deref()).chain(after).any(binds_after)
        }
        Pattern::Some(inner) | Pattern::Deref(inner) => binds_after(inner),
    }
}

/// The variables that alternatives in a pattern bind.
fn bound_by_alternatives(pattern: &Pattern, out: &mut Vec<LocalId>) {
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
        Pattern::Bind { inner, .. } => inner.iter().for_each(|inner| bound_by_alternatives(inner, out)),
        Pattern::Fields(parts) => parts.iter().for_each(|(_, part)| bound_by_alternatives(part, out)),
        Pattern::Rest { pattern, .. } => bound_by_alternatives(pattern, out),
        Pattern::Slice { before, rest, after } => {
            before
                .iter()
                .chain(rest.as_deref())
                .chain(after)
                .for_each(|part| bound_by_alternatives(part, out));
        }
        Pattern::Some(inner) | Pattern::Deref(inner) => bound_by_alternatives(inner, out),
        Pattern::Or(_) => bindings(pattern, out),
    }
}

/// The variables that a pattern binds.
fn bindings(pattern: &Pattern, out: &mut Vec<LocalId>) {
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => {}
        Pattern::Bind { local, inner, .. } => {
            out.push(*local);
            inner.iter().for_each(|inner| bindings(inner, out));
        }
        Pattern::Fields(parts) => parts.iter().for_each(|(_, part)| bindings(part, out)),
        Pattern::Rest { pattern, .. } => bindings(pattern, out),
        Pattern::Slice { before, rest, after } => {
            before.iter().chain(rest.as_deref()).chain(after).for_each(|part| bindings(part, out));
        }
        Pattern::Some(inner) | Pattern::Deref(inner) => bindings(inner, out),
        // Each binds the same.
        Pattern::Or(alternatives) => alternatives.iter().take(1).for_each(|first| bindings(first, out)),
    }
}
