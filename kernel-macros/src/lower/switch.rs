//! `match` on an integer with many constants and ranges: a binary search among them.

use ptx_gen::ir::{Block as IrBlock, IntCond, Value};

use super::{Lowered, Lowerer};
use crate::literal::{int_range, to_int, wrap_int};
use crate::typed::{Arm, ConstValue, Expr, ExprKind, Pattern, Scalar, Ty, UnaryOp};

/// With fewer pieces than this the arms are tried in order.
const FEWEST_PIECES: usize = 9;

/// Arms that are numbers, and few arms, are tried in order by up to so many comparisons: they select a number without a branch, and what
/// several numbers go to is one branch, where a search has one for each, at which lanes with different data part.
const MOST_COMPARISONS: usize = 8;

/// Arms, the last among them, that are few.
const FEW_ARMS: usize = 4;

/// Numbers one after the other that go to the same arm, up to the next piece.
pub(super) struct Piece {
    start: i128,
    arm: usize,
}

/// The numbers of an integer type in pieces, in order, by the arm that they go to; none if the arms ask for something
/// else, or are too few.
pub(super) fn pieces(arms: &[Arm], scalar: Scalar) -> Option<Vec<Piece>> {
    let (last, others) = arms.split_last()?;
    if !scalar.is_int() || arms.iter().any(|arm| arm.guard.is_some()) {
        return None;
    }
    if !matches!(last.pattern, Pattern::Wild | Pattern::Bind { inner: None, .. }) {
        intervals(&last.pattern, scalar)?;
    }
    let (least, most) = int_range(scalar);
    let mut pieces = vec![Piece { start: least, arm: others.len() }];
    let mut comparisons = 0;
    // An earlier arm goes before a later one.
    for (arm, Arm { pattern, .. }) in others.iter().enumerate().rev() {
        for (start, end) in intervals(pattern, scalar)? {
            comparisons += if start == end || start == least || end == most { 1 } else { 2 };
            cover(&mut pieces, start, end, arm);
        }
    }
    let are_few = || arms.len() <= FEW_ARMS || arms.iter().all(|arm| is_number(&arm.body));
    if comparisons <= MOST_COMPARISONS && are_few() {
        return None;
    }
    pieces.retain(|piece| piece.start <= most);
    pieces.dedup_by_key(|piece| piece.arm);
    (pieces.len() >= FEWEST_PIECES).then_some(pieces)
}

/// Returns true if an expression is a number that is written there, or a constant's name.
fn is_number(body: &Expr) -> bool {
    match &body.kind {
        ExprKind::Literal(_) | ExprKind::Path(_) => true,
        ExprKind::Unary { op: UnaryOp::Neg, arg } => is_number(arg),
        ExprKind::Const(_) => matches!(body.ty, Ty::Scalar(_)),
        _ => false,
    }
}

/// The first and the last number of each interval that matches.
fn intervals(pattern: &Pattern, scalar: Scalar) -> Option<Vec<(i128, i128)>> {
    match pattern {
        Pattern::Constant(value) => Some(vec![(to_int(*value), to_int(*value))]),
        Pattern::Range { start, end, inclusive } => {
            let (least, most) = int_range(scalar);
            let bound = |bound: &Option<ConstValue>, open| bound.map_or(open, to_int);
            let open = i128::from(!inclusive && end.is_some());
            Some(vec![(bound(start, least), bound(end, most) - open)])
        }
        Pattern::Or(alternatives) => {
            let all = alternatives.iter().map(|alternative| intervals(alternative, scalar));
            Some(all.collect::<Option<Vec<_>>>()?.concat())
        }
        Pattern::Wild
        | Pattern::Bind { .. }
        | Pattern::Fields(_)
        | Pattern::Rest { .. }
        | Pattern::Slice { .. }
        | Pattern::Some(_)
        | Pattern::None
        | Pattern::Deref(_) => None,
    }
}

/// Gives the numbers from `start` to `end` to an arm.
fn cover(pieces: &mut Vec<Piece>, start: i128, end: i128, arm: usize) {
    if start > end {
        return;
    }
    let after = pieces.iter().rev().find(|piece| piece.start <= end + 1).map_or(arm, |piece| piece.arm);
    pieces.retain(|piece| piece.start < start || piece.start > end + 1);
    pieces.extend([Piece { start, arm }, Piece { start: end + 1, arm: after }]);
    pieces.sort_by_key(|piece| piece.start);
}

impl Lowerer<'_> {
    /// Goes to the block of the arm that matches, one for each arm.
    pub(super) fn switch(
        &mut self,
        value: Value,
        scalar: Scalar,
        pieces: &[Piece],
        arms: usize,
    ) -> Vec<IrBlock> {
        let blocks: Vec<IrBlock> = (0..arms).map(|_| self.b.create_block()).collect();
        // It never fails: every number goes somewhere.
        let _ = self.search(value, scalar, (pieces, int_range(scalar).1), &blocks);
        blocks
    }

    /// Goes on by which of the pieces, the last of which ends with `most`, the value is in.
    fn search(
        &mut self,
        value: Value,
        scalar: Scalar,
        (pieces, most): (&[Piece], i128),
        blocks: &[IrBlock],
    ) -> Lowered<()> {
        let block = |piece: &Piece| blocks[piece.arm];
        match pieces {
            [] => {}
            [piece] => self.b.jump(block(piece), &[]),
            // One number among others that go to the same arm.
            [before, one, after] if before.arm == after.arm && after.start == one.start + 1 => {
                let is_it = self.compare_number(IntCond::Eq, value, scalar, one.start);
                self.b.hinted_branch(is_it, block(one), block(before), self.hint);
            }
            [before, one] if one.start == most => {
                let is_it = self.compare_number(IntCond::Eq, value, scalar, one.start);
                self.b.hinted_branch(is_it, block(one), block(before), self.hint);
            }
            _ => {
                let (low, high) = pieces.split_at(pieces.len() / 2);
                let middle = high[0].start;
                let below = self.compare_number(IntCond::ULt, value, scalar, middle);
                let (low_block, high_block) = (self.b.create_block(), self.b.create_block());
                self.b.hinted_branch(below, low_block, high_block, self.hint);
                self.enter(low_block)?;
                self.search(value, scalar, (low, middle - 1), blocks)?;
                self.enter(high_block)?;
                self.search(value, scalar, (high, most), blocks)?;
            }
        }
        Ok(())
    }

    fn compare_number(&mut self, cond: IntCond, value: Value, scalar: Scalar, number: i128) -> Value {
        let number = self.constant(wrap_int(scalar, number))[0];
        self.b.int_compare(super::range::order(scalar, cond), value, number)
    }
}
