//! Variables that live in memory: those whose address is taken, and those that contain an array.

use super::layout::Layout;
use super::visit;
use crate::typed::{BindMode, Expr, ExprKind, Function, LocalId, Pattern, Ty};

/// For each variable of the function true if it lives in memory.
pub(super) fn in_memory(function: &Function, types: Layout<'_>) -> Vec<bool> {
    let arrays = function.locals.iter().map(|local| types.has_array(&local.ty)).collect();
    let taken = std::cell::RefCell::new(arrays);
    let take = |place: &Expr| {
        if let Some(id) = root(place) {
            let mut taken: std::cell::RefMut<'_, Vec<bool>> = taken.borrow_mut();
            taken[id.0] = true;
        }
    };
    visit::function(
        function,
        &mut |expr| {
            if let ExprKind::Ref(place) = &expr.kind {
                take(place);
            }
        },
        &mut |pattern, place| {
            if binds_reference(pattern) {
                take(place);
            }
        },
    );
    taken.into_inner()
}

/// The variable that this place is, or is a part of.
fn root(place: &Expr) -> Option<LocalId> {
    match &place.kind {
        ExprKind::Local(id) => Some(*id),
        ExprKind::Field { base, .. } => root(base),
        ExprKind::Index { base, .. } if matches!(base.ty, Ty::Array(..) | Ty::Vector(..)) => root(base),
        _ => None,
    }
}

/// Returns true if the pattern binds a reference into the scrutinee itself.
pub(super) fn binds_reference(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Wild | Pattern::Constant(_) | Pattern::Range { .. } | Pattern::None => false,
        // The referent of a reference and the elements of a slice have addresses already.
        Pattern::Deref(_) | Pattern::Slice { .. } => false,
        Pattern::Bind { mode: BindMode::Ref { .. }, .. } => true,
        Pattern::Bind { mode: BindMode::Value, inner, .. } => inner.as_deref().is_some_and(binds_reference),
        Pattern::Fields(parts) => parts.iter().any(|(_, part)| binds_reference(part)),
        Pattern::Some(inner) | Pattern::Rest { pattern: inner, .. } => binds_reference(inner),
        Pattern::Or(alternatives) => alternatives.iter().any(binds_reference),
    }
}
