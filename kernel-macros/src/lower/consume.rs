//! `for`, and what else consumes an iterator: `sum`, `fold`, `any`, …

use ptx_gen::ir::{BinaryOp as Op, Block as IrBlock, IntCond, Value, Variable};

use super::iter::Items;
use super::memory::Memory;
use super::{Loop, Lowered, Lowerer, Values, layout};
use crate::typed::{BinaryOp, Block, Consumer, Expr, Iter, LoopId, Pattern, Scalar, Ty};

impl Lowerer<'_> {
    /// `for pattern in iter { … }`
    pub(super) fn for_loop(&mut self, id: LoopId, pattern: &Pattern, iter: &Iter, body: &Block) -> Lowered {
        if super::range::is_range(iter) {
            return self.for_range(id, pattern, iter, body);
        }
        let items = self.items(iter)?;
        self.each_of_loop(Some(id), &items, |this, item, _, ends| {
            let mut done = Ok(());
            this.in_loop(Loop { id, exit: ends.exit, next: ends.next }, |this| {
                done = this.bind_value(pattern, item, &iter.item);
                if done.is_ok() {
                    done = this.block(body).map(drop);
                }
            });
            done
        })?;
        Ok(Values::new())
    }

    /// Lowers the consumer of an iterator, with a result of type `ty`.
    pub(super) fn consume(&mut self, iter: &Iter, how: &Consumer, ty: &Ty) -> Lowered {
        let items = self.items(iter)?;
        match how {
            Consumer::Sum => self.accumulate(&items, iter, BinaryOp::Add, ty),
            Consumer::Product => self.accumulate(&items, iter, BinaryOp::Mul, ty),
            Consumer::Extreme { max } => self.extreme(&items, iter, *max, ty),
            Consumer::ExtremeBy { max, order } => self.extreme_by(&items, *max, order, ty),
            Consumer::ExtremeByKey { max, key, ty: of_keys } => {
                self.extreme_by_key(&items, *max, (key, of_keys), ty)
            }
            Consumer::TryFold(init, function) => self.try_fold(&items, init, function),
            Consumer::RPosition(function) => {
                let len = items.len;
                let mut found = self.position_of(&items.reversed(), function)?;
                // From the back, and that back again.
                let one = self.i64(1);
                let last = self.b.binary(Op::Sub, len, one);
                found[0] = self.b.binary(Op::Sub, last, found[0]);
                Ok(found)
            }
            Consumer::Fold(init, function) => self.fold(&items, init, function),
            Consumer::Reduce(function) => self.reduce(&items, function, ty),
            Consumer::ForEach(function) => {
                self.expr(function)?;
                self.each(&items, |this, item, _, _| this.call_value(&function.ty, vec![item]).map(drop))?;
                Ok(Values::new())
            }
            Consumer::Any(function) => self.any(&items, function, true),
            Consumer::All(function) => self.any(&items, function, false),
            Consumer::Position(function) => self.position_of(&items, function),
            Consumer::Find(function) => self.find(&items, iter, function, ty),
            Consumer::Count if items.is_pure() => Ok(vec![items.len]),
            Consumer::Count => {
                let zero = self.i64(0);
                let count = self.variables(&[zero]);
                self.each(&items, |this, _, _, _| {
                    this.increment(count[0]);
                    Ok(())
                })?;
                Ok(self.values_of(&count))
            }
            Consumer::First => {
                let first = self.none(ty);
                self.each(&items, |this, item, _, ends| {
                    this.set_some(&first, item);
                    this.b.jump(ends.exit, &[]);
                    Err(super::Diverges)
                })?;
                Ok(self.values_of(&first))
            }
            Consumer::Last => {
                let last = self.none(ty);
                self.each(&items, |this, item, _, _| {
                    this.set_some(&last, item);
                    Ok(())
                })?;
                Ok(self.values_of(&last))
            }
        }
    }

    // Variables that a loop changes.

    pub(super) fn variables(&mut self, values: &[Value]) -> Vec<Variable> {
        let types: Vec<_> = values.iter().map(|&value| self.b.ty(value)).collect();
        let variables: Vec<Variable> = types.into_iter().map(|ty| self.b.declare(ty)).collect();
        self.assign_values(&variables, values);
        variables
    }

    fn values_of(&mut self, variables: &[Variable]) -> Values {
        variables.iter().map(|&variable| self.b.read(variable)).collect()
    }

    fn assign_values(&mut self, variables: &[Variable], values: &[Value]) {
        variables.iter().zip(values).for_each(|(&variable, &value)| self.b.define(variable, value));
    }

    fn increment(&mut self, variable: Variable) {
        let one = self.i64(1);
        let old = self.b.read(variable);
        let new = self.b.binary_nuw(Op::Add, old, one);
        self.b.define(variable, new);
    }

    /// A variable of type `Option` that begins with `None`.
    fn none(&mut self, ty: &Ty) -> Vec<Variable> {
        let zeros = self.zeros(ty);
        self.variables(&zeros)
    }

    fn set_some(&mut self, option: &[Variable], value: Values) {
        let values = self.some(value);
        self.assign_values(option, &values);
    }

    // Consumers.

    /// The items, or what they refer to.
    fn behind_item(&mut self, item: Values, ty: &Ty) -> Values {
        match ty {
            Ty::Ref { inner, .. } => {
                let values = self.read_memory(&Memory::behind(item[0], (**inner).clone()));
                self.behind_item(values, inner)
            }
            _ => item,
        }
    }

    /// `sum` and `product`.
    fn accumulate(&mut self, items: &Items, iter: &Iter, op: BinaryOp, ty: &Ty) -> Lowered {
        let scalar = self.types.scalar(ty);
        let neutral = match op {
            BinaryOp::Mul => self.number(scalar, 1.0),
            // −0.0 changes nothing, not even −0.0.
            _ if scalar.is_float() => self.number(scalar, -0.0),
            _ => self.number(scalar, 0.0),
        };
        let neutral = vec![neutral; self.types.count(ty)];
        let total = self.variables(&neutral);
        self.each(items, |this, item, _, _| {
            let item = this.behind_item(item, &iter.item);
            let old = this.values_of(&total);
            let new = this.binary_lanes(op, (&old, ty), (&item, ty));
            this.assign_values(&total, &new);
            Ok(())
        })?;
        Ok(self.values_of(&total))
    }

    /// `min` and `max`: of equal ones the first and the last.
    fn extreme(&mut self, items: &Items, iter: &Iter, max: bool, ty: &Ty) -> Lowered {
        let of = pointee(&iter.item);
        let best = self.none(ty);
        let (flag, value) = best.split_last().expect("an `Option` has a flag");
        self.each(items, |this, item, _, _| {
            let old = this.values_of(value);
            let (old_value, new_value) = (
                this.behind_best(&old, *flag, &iter.item, &item),
                this.behind_item(item.clone(), &iter.item),
            );
            // `min` keeps the old one if it is less or equal, `max` only if the new one is less.
            let keep = match max {
                true => this.compare_parts(BinaryOp::Lt, &new_value, &old_value, of),
                false => this.compare_parts(BinaryOp::Le, &old_value, &new_value, of),
            };
            let had = this.b.read(*flag);
            let keep = this.b.binary(Op::And, had, keep);
            let new: Values =
                old.iter().zip(&item).map(|(&old, &new)| this.b.select(keep, old, new)).collect();
            this.set_some(&best, new);
            Ok(())
        })?;
        Ok(self.values_of(&best))
    }

    /// The value that the best item so far is or refers to; of none, that of the new item.
    fn behind_best(&mut self, best: &[Value], flag: Variable, ty: &Ty, item: &[Value]) -> Values {
        if !matches!(ty, Ty::Ref { .. }) {
            return best.to_vec();
        }
        let had = self.b.read(flag);
        let address = self.b.select(had, best[0], item[0]);
        self.behind_item(vec![address], ty)
    }

    /// `min_by` and `max_by`: of equal ones the first and the last.
    fn extreme_by(&mut self, items: &Items, max: bool, order: &Expr, ty: &Ty) -> Lowered {
        self.expr(order)?;
        let best = self.none(ty);
        let (flag, value) = best.split_last().expect("an `Option` has a flag");
        let Ty::Option(inner) = ty else { unreachable!("checking gives `min_by` its type") };
        self.each(items, |this, item, _, _| {
            let had = this.b.read(*flag);
            let old = this.values_of(value);
            let first = item.clone();
            let compare = |this: &mut Self| {
                let references = [&old, &item].map(|values| {
                    let place = this.temporary(inner, values);
                    vec![this.generic_address(&place)]
                });
                let order_of = this.call_value(&order.ty, references.to_vec())?[0];
                let greater = this.number(Scalar::I8, 1.0);
                let is_greater = this.b.int_compare(IntCond::Eq, order_of, greater);
                let chosen = old.iter().zip(&item).map(|(&old, &new)| match max {
                    true => this.b.select(is_greater, old, new),
                    false => this.b.select(is_greater, new, old),
                });
                Ok(chosen.collect())
            };
            let new = this.choose(had, inner, compare, |_| Ok(first))?;
            this.set_some(&best, new);
            Ok(())
        })?;
        Ok(self.values_of(&best))
    }

    /// `min_by_key` and `max_by_key`: of equal ones the first and the last; each key is computed once.
    fn extreme_by_key(&mut self, items: &Items, max: bool, (key, of_keys): (&Expr, &Ty), ty: &Ty) -> Lowered {
        self.expr(key)?;
        let best = self.none(ty);
        let zeros = self.zeros(of_keys);
        let best_key = self.variables(&zeros);
        let (flag, value) = best.split_last().expect("an `Option` has a flag");
        let Ty::Option(inner) = ty else { unreachable!("checking gives `min_by_key` its type") };
        self.each(items, |this, item, _, _| {
            let place = this.temporary(inner, &item);
            let address = this.generic_address(&place);
            let new_key = this.call_value(&key.ty, vec![vec![address]])?;
            let (had, old, old_key) = (this.b.read(*flag), this.values_of(value), this.values_of(&best_key));
            let keep = match max {
                true => this.compare_parts(BinaryOp::Lt, &new_key, &old_key, of_keys),
                false => this.compare_parts(BinaryOp::Le, &old_key, &new_key, of_keys),
            };
            let keep = this.b.binary(Op::And, had, keep);
            let mut choose = |old: &[Value], new: &[Value]| -> Values {
                old.iter().zip(new).map(|(&old, &new)| this.b.select(keep, old, new)).collect()
            };
            let (item, key) = (choose(&old, &item), choose(&old_key, &new_key));
            this.set_some(&best, item);
            this.assign_values(&best_key, &key);
            Ok(())
        })?;
        Ok(self.values_of(&best))
    }

    fn try_fold(&mut self, items: &Items, init: &Expr, function: &Expr) -> Lowered {
        let init = self.expr(init)?;
        self.expr(function)?;
        let total = self.variables(&init);
        let yes = self.bool(true);
        let goes_on = self.variables(&[yes]);
        self.each(items, |this, item, _, ends| {
            let old = this.values_of(&total);
            let mut new = this.call_value(&function.ty, vec![old, item])?;
            let flag = new.pop().expect("an `Option` has a flag");
            let (go, stop) = (this.b.create_block(), this.b.create_block());
            this.b.branch(flag, go, stop);
            if this.enter(stop).is_ok() {
                let no = this.bool(false);
                this.assign_values(&goes_on, &[no]);
                this.b.jump(ends.exit, &[]);
            }
            this.enter(go)?;
            this.assign_values(&total, &new);
            Ok(())
        })?;
        let mut result = self.values_of(&total);
        result.extend(self.values_of(&goes_on));
        Ok(result)
    }

    fn fold(&mut self, items: &Items, init: &Expr, function: &Expr) -> Lowered {
        let init = self.expr(init)?;
        self.expr(function)?;
        let total = self.variables(&init);
        self.each(items, |this, item, _, _| {
            let old = this.values_of(&total);
            let new = this.call_value(&function.ty, vec![old, item])?;
            this.assign_values(&total, &new);
            Ok(())
        })?;
        Ok(self.values_of(&total))
    }

    fn reduce(&mut self, items: &Items, function: &Expr, ty: &Ty) -> Lowered {
        self.expr(function)?;
        let total = self.none(ty);
        let (flag, value) = total.split_last().expect("an `Option` has a flag");
        let Ty::Option(inner) = ty else { unreachable!("checking gives `reduce` its type") };
        self.each(items, |this, item, _, _| {
            let had = this.b.read(*flag);
            let old = this.values_of(value);
            let first = item.clone();
            let new = this.choose(
                had,
                inner,
                |this| this.call_value(&function.ty, vec![old, item]),
                |_| Ok(first),
            )?;
            this.set_some(&total, new);
            Ok(())
        })?;
        Ok(self.values_of(&total))
    }

    /// `any`, and `all`, which stops at the first item of which the function does not hold.
    fn any(&mut self, items: &Items, function: &Expr, stop_at: bool) -> Lowered {
        let (join, result) = self.block_taking(&Ty::Scalar(Scalar::Bool));
        let stopped = self.b.create_block();
        if self.stop_at(items, function, stop_at, stopped).is_ok() {
            let value = self.bool(!stop_at);
            self.b.jump(join, &[value]);
        }
        if self.enter(stopped).is_ok() {
            let value = self.bool(stop_at);
            self.b.jump(join, &[value]);
        }
        self.enter(join)?;
        Ok(result)
    }

    /// Goes to `stopped` at the first item of which the function holds, or does not; else past the items.
    fn stop_at(&mut self, items: &Items, function: &Expr, stop_at: bool, stopped: IrBlock) -> Lowered<()> {
        self.expr(function)?;
        self.each(items, |this, item, _, ends| {
            let holds = this.call_value(&function.ty, vec![item])?[0];
            match stop_at {
                true => this.b.branch(holds, stopped, ends.next),
                false => this.b.branch(holds, ends.next, stopped),
            }
            Err(super::Diverges)
        })
    }

    /// A branch on `any` or `all`: no truth value is made of it.
    pub(super) fn branch_on_any(
        &mut self,
        (iter, function, stop_at): (&Iter, &Expr, bool),
        if_true: IrBlock,
        if_false: IrBlock,
    ) -> Lowered<()> {
        let items = self.items(iter)?;
        let (stopped, past) = if stop_at { (if_true, if_false) } else { (if_false, if_true) };
        self.stop_at(&items, function, stop_at, stopped)?;
        self.b.jump(past, &[]);
        Ok(())
    }

    fn position_of(&mut self, items: &Items, function: &Expr) -> Lowered {
        self.expr(function)?;
        let none = self.none(&Ty::Option(Box::new(Ty::Scalar(Scalar::Usize))));
        let zero = self.i64(0);
        let count = if items.is_counted() { Vec::new() } else { self.variables(&[zero]) };
        self.each(items, |this, item, index, ends| {
            let holds = this.call_value(&function.ty, vec![item])?[0];
            let index = match count.first() {
                Some(&count) => this.b.read(count),
                None => index,
            };
            let (found, more) = (this.b.create_block(), this.b.create_block());
            this.b.branch(holds, found, more);
            this.enter(found)?;
            this.set_some(&none, vec![index]);
            this.b.jump(ends.exit, &[]);
            this.enter(more)?;
            count.iter().for_each(|&count| this.increment(count));
            Ok(())
        })?;
        Ok(self.values_of(&none))
    }

    fn find(&mut self, items: &Items, iter: &Iter, function: &Expr, ty: &Ty) -> Lowered {
        self.expr(function)?;
        let result = self.none(ty);
        self.each(items, |this, item, _, ends| {
            let holds = this.holds_of(&function.ty, &item, &iter.item)?;
            let found = this.b.create_block();
            this.b.branch(holds, found, ends.next);
            this.enter(found)?;
            this.set_some(&result, item);
            this.b.jump(ends.exit, &[]);
            Err(super::Diverges)
        })?;
        Ok(self.values_of(&result))
    }

    /// A small number as a scalar of this type.
    pub(super) fn number(&mut self, scalar: Scalar, value: f64) -> Value {
        let constant = match scalar.is_float() {
            true => crate::literal::from_float(scalar, value),
            false => crate::literal::wrap_int(scalar, value as i128),
        };
        self.b.constant(layout::scalar_type(scalar), constant.bits)
    }
}

/// The type behind all references.
fn pointee(ty: &Ty) -> &Ty {
    match ty {
        Ty::Ref { inner, .. } => pointee(inner),
        _ => ty,
    }
}
