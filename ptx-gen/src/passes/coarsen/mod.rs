//! Several elements a thread: of a kernel that works element by element, thread `t` does those from `n * t` on.
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
//! thread's own index only, and nothing is shared by threads. What stands against it is refused, as an error at its place.

mod build;
mod form;
mod index;
mod plan;
mod refuse;

use super::promote::promote_locals;
use super::{dce, simplify_cfg};
use crate::ir::{Coarsen, Function, RemarkKind};
use index::Index;
use plan::Plan;
use refuse::Refusal;

/// See the head of this file.
pub fn coarsen_threads(func: &mut Function) {
    let Some(coarsen) = func.coarsen else { return };
    simplify_cfg::remove_unreachable(func);
    dce::eliminate_dead_code(func);
    let mut coarse = func.clone();
    match coarsen_by(&mut coarse, coarsen) {
        Ok(()) => {
            *func = coarse;
            promote_locals(func);
            func.remark(coarsen.location, RemarkKind::Coarsened { by: coarsen.by });
        }
        Err(refusals) => {
            for Refusal { location, found, help } in refusals {
                let by = coarsen.by;
                let message = format!(
                    "expected a kernel that works element by element, as `coarsen({by})` needs it, found {found}\n\
                     help: {help}"
                );
                func.remark(location, RemarkKind::Refused(message));
            }
        }
    }
}

fn coarsen_by(func: &mut Function, coarsen: Coarsen) -> Result<(), Vec<Refusal>> {
    let Some(index) = Index::split(func, coarsen) else {
        return Err(vec![refuse::no_index(coarsen.location)]);
    };
    dce::eliminate_dead_code(func);
    let plan = Plan::new(func, &index)?;
    build::build(func, coarsen, &index, &plan);
    Ok(())
}

#[cfg(test)]
mod tests;
