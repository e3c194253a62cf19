//! `#[predicate]`, `#[branch]`

use crate::harness::same_results;

mod plain {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let v = x[i];
            if v > 2.0 {
                out[i] = v / 3.0;
            } else if v > -4.0 {
                out[i] = v * v;
                out[i] += 1.0;
            }
        }
    }
}

mod predicate {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let v = x[i];
            #[predicate]
            if v > 2.0 {
                out[i] = v / 3.0;
            } else if v > -4.0 {
                out[i] = v * v;
                out[i] += 1.0;
            }
        }
    }
}

mod branch {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let v = x[i];
            #[branch]
            if v > 2.0 {
                out[i] = v / 3.0;
            } else if v > -4.0 {
                out[i] = v * v;
                out[i] += 1.0;
            }
        }
    }
}

mod threshold {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let mut v = x[i];
            if v <= 0.5 {
                v = 0.0;
            }
            out[i] = v;
        }
    }
}

mod threshold_branch {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let mut v = x[i];
            #[branch]
            if v <= 0.5 {
                v = 0.0;
            }
            out[i] = v;
        }
    }
}

mod matched {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            match i % 5 {
                0 => out[i] = x[i],
                1 | 3 => out[i] = x[i] * 2.0,
                2 if x[i] > 1.0 => out[i] = 7.0,
                _ => {}
            }
        }
    }
}

mod matched_predicate {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            #[predicate]
            match i % 5 {
                0 => out[i] = x[i],
                1 | 3 => out[i] = x[i] * 2.0,
                2 if x[i] > 1.0 => out[i] = 7.0,
                _ => {}
            }
        }
    }
}

mod both_conditions {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let v = x[i];
            let far = if i >= 3 && x[i - 3] > v { Some(v) } else { None };
            if let Some(v) = far {
                out[i] = v;
            }
            if v > 0.0 && i.is_multiple_of(3) || v < -8.0 {
                out[i] = 4.0 - out[i];
            }
        }
    }
}

mod both_conditions_predicate {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn k(x: &[f32], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() && i < x.len() {
            let v = x[i];
            let far = if i >= 3 && x[i - 3] > v { Some(v) } else { None };
            #[predicate]
            if let Some(v) = far {
                out[i] = v;
            }
            #[predicate]
            if v > 0.0 && i.is_multiple_of(3) || v < -8.0 {
                out[i] = 4.0 - out[i];
            }
        }
    }
}

#[test]
fn predicates_change_nothing() {
    same_results!("predicate", predicate, plain);
    same_results!("predicate_match", matched_predicate, matched);
    same_results!("predicate_conditions", both_conditions_predicate, both_conditions);
}

#[test]
fn branches_change_nothing() {
    same_results!("branch", branch, plain);
    same_results!("branch_threshold", threshold_branch, threshold);
}
