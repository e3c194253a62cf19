//! Thread coarsening: in an element-wise kernel, thread `t` does several elements, those from `n * t` on.
//!
//! ```text
//! if all n elements are inside every bound, and the buffers are aligned {
//!     reads of all elements; the body n times on what was read; writes of all elements
//! } else {
//!     for k in 0..n { the body for element n * t + k }
//! }
//! ```
//!
//! In the first part the reads stand together at the start and the writes at the end, so that selection makes wide accesses
//! of them; the bounds were tested before. Nothing is written that the body does not write, and nothing is read outside of
//! buffers. This needs that no element sees what another writes: a buffer that is written is accessed at the
//! thread's own index only, and nothing is shared by threads. Kernels for which this does not hold are refused, with a location.

pub mod automatic;
mod build;
mod form;
mod index;
mod plan;
mod refuse;

use super::promote::promote_locals;
use super::unroll::forget_locals;
use super::{dce, fold, simplify_cfg};
use crate::ir::{Coarsen, Function, RemarkKind};
use index::Index;
use plan::Plan;
use refuse::Refusal;

/// Refuses a kernel that uses its position in the grid other than for the index of its element. This comes before other passes, which
/// replace several reads of a register by one instruction.
pub fn check_index(func: &mut Function) {
    let Some(coarsen) = func.coarsen.filter(|coarsen| coarsen.by > 1) else { return };
    let mut body = func.clone();
    fold::fold_constants(&mut body);
    simplify_cfg::simplify_cfg(&mut body);
    let refusals = match Index::split(&mut body, coarsen) {
        Some(index) => {
            dce::eliminate_dead_code(&mut body);
            refuse::registers(&body, &index)
        }
        None => vec![refuse::no_index(coarsen.location)],
    };
    refuse(func, coarsen, refusals);
}

/// See the head of this file.
pub fn coarsen_threads(func: &mut Function) {
    let Some(coarsen) = func.coarsen.filter(|coarsen| coarsen.by > 1) else { return };
    simplify_cfg::remove_unreachable(func);
    dce::eliminate_dead_code(func);
    let mut coarse = func.clone();
    match coarsen_by(&mut coarse, coarsen) {
        Ok(()) => {
            let variables = func.locals.len();
            *func = coarse;
            promote_locals(func);
            forget_locals(func, variables);
            func.remark(coarsen.location, RemarkKind::Coarsened { by: coarsen.by });
        }
        Err(refusals) => refuse(func, coarsen, refusals),
    }
}

/// Leaves a kernel as it is if there are any refusals.
fn refuse(func: &mut Function, Coarsen { by, .. }: Coarsen, refusals: Vec<Refusal>) {
    for Refusal { location, found, help } in refusals {
        let message = format!(
            "expected a kernel that works element by element, as `coarsen({by})` needs it, found {found}\nhelp: {help}"
        );
        func.remark(location, RemarkKind::Refused(message));
        func.coarsen = None;
    }
}

fn coarsen_by(func: &mut Function, coarsen: Coarsen) -> Result<(), Vec<Refusal>> {
    let Some(index) = Index::split(func, coarsen) else {
        return Err(vec![refuse::no_index(coarsen.location)]);
    };
    dce::eliminate_dead_code(func);
    let refusals = refuse::registers(func, &index);
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let plan = Plan::new(func, &index)?;
    build::build(func, coarsen, &index, &plan);
    Ok(())
}

#[cfg(test)]
mod automatic_tests;
#[cfg(test)]
mod tests;
