//! Patterns on constants.

use super::bind;
use crate::literal::{to_float, to_int};
use crate::typed::{ConstValue, Constant, Pattern, Ty};

/// Returns true if the value matches, and sets the variables that the pattern binds.
pub(super) fn matches(locals: &mut [Option<Constant>], pattern: &Pattern, value: &Constant) -> bool {
    match (pattern, value) {
        (Pattern::Wild, _) => true,
        (Pattern::Bind { local, inner, .. }, _) => {
            bind(locals, *local, value);
            inner.as_ref().is_none_or(|inner| matches(locals, inner, value))
        }
        (Pattern::Constant(constant), Constant::Scalar(value)) => order(*value, *constant) == Some(0),
        (Pattern::Range { start, end, inclusive }, Constant::Scalar(value)) => {
            let above = start.is_none_or(|start| order(*value, start).is_some_and(|order| order >= 0));
            let below = end.is_none_or(|end| {
                order(*value, end).is_some_and(|order| if *inclusive { order <= 0 } else { order < 0 })
            });
            above && below
        }
        (Pattern::Fields(fields), Constant::Aggregate(parts)) => {
            fields.iter().all(|(index, part)| match part {
                Pattern::Rest { ty: Ty::Array(_, len), pattern } => {
                    let rest = &parts[*index..*index + *len as usize];
                    matches(locals, pattern, &Constant::Aggregate(rest.to_vec()))
                }
                _ => matches(locals, part, &parts[*index]),
            })
        }
        (Pattern::Slice { before, rest, after }, Constant::Aggregate(parts)) => {
            let given = before.len() + after.len();
            if parts.len() < given || rest.is_none() && parts.len() != given {
                return false;
            }
            let (front, others) = parts.split_at(before.len());
            let (middle, back) = others.split_at(others.len() - after.len());
            let rest =
                rest.as_ref().is_none_or(|rest| matches(locals, rest, &Constant::Aggregate(middle.to_vec())));
            rest && before
                .iter()
                .zip(front)
                .chain(after.iter().zip(back))
                .all(|(part, value)| matches(locals, part, value))
        }
        (Pattern::Some(inner), Constant::Option(Some(value))) => matches(locals, inner, value),
        (Pattern::None, Constant::Option(None)) => true,
        (Pattern::Deref(inner), _) => matches(locals, inner, value),
        (Pattern::Or(parts), _) => parts.iter().any(|part| matches(locals, part, value)),
        (
            Pattern::Constant(_)
            | Pattern::Range { .. }
            | Pattern::Fields(_)
            | Pattern::Rest { .. }
            | Pattern::Slice { .. }
            | Pattern::Some(_)
            | Pattern::None,
            _,
        ) => false,
    }
}

fn order(a: ConstValue, b: ConstValue) -> Option<i32> {
    let order = match a.ty.is_float() {
        true => to_float(a).partial_cmp(&to_float(b))?,
        false => to_int(a).cmp(&to_int(b)),
    };
    Some(order as i32)
}
