//! The passes between lowering and selection, one a file; their order is the table [`PIPELINE`].
//!
//! A pass takes a function that the verifier accepts and leaves one: in tests the verifier runs after each.

pub mod addresses;
pub mod alignment;
mod append;
pub mod block_shape;
mod carried_bools;
pub mod carried_pairs;
pub mod checks;
pub mod cluster_memory;
pub mod coarsen;
pub mod common;
mod common_tails;
pub mod conditional_checks;
pub mod dce;
pub mod dead_stores;
pub mod describe;
#[cfg(test)]
mod differential;
pub mod div_rem;
pub mod divergence;
pub mod early_loads;
mod exits;
pub mod float_indices;
pub mod fold;
pub mod forward;
pub mod gather_checks;
pub mod gather_guards;
pub mod group_products;
pub mod gvn;
pub mod host_tests;
pub mod if_convert;
mod index_bounds;
pub mod invariants;
mod join_checks;
pub mod latches;
pub mod late_uses;
pub mod limits;
pub mod loop_entries;
pub mod low_counters;
pub mod lower_grid_barriers;
pub mod lower_panics;
pub mod lower_prints;
pub mod narrow;
pub mod near_divisions;
mod partial_loads;
pub mod promote;
pub mod reciprocals;
mod renames;
pub mod saturation;
pub mod share_addresses;
pub mod simplify_cfg;
pub mod sink;
pub mod spaces;
pub mod step_tests;
pub mod thread_branches;
pub mod unlocks;
pub mod unroll;
pub mod version_loops;
pub mod whole_warps;

use std::collections::HashSet;

use crate::host_test::HostTest;
use crate::ir::{Function, Module, RemarkKind};
use crate::passes::host_tests::Doubtful;
use crate::tensor_map;
use crate::verify::MAX_CONST_BYTES;

/// Changes one function.
pub type Pass = fn(&mut Function);

/// The passes in the order in which they run.
pub const PIPELINE: &[(&str, Pass)] = &[
    ("coarsen_index", coarsen::check_index),
    // Before dead code is removed.
    ("loads", unroll::refuse_loops_without_loads),
    // First, so that all others see what memory is accessed.
    ("spaces", spaces::infer_spaces),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("fold", fold::fold_constants),
    ("gvn", gvn::number_values),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("dce", dce::eliminate_dead_code),
    ("compact", Function::compact),
    // Once offsets are constants, and before the passes that look at what values are.
    ("promote", promote::promote_locals),
    ("compact", Function::compact),
    // Here conditions are values, and loops and branches still those of the source.
    ("divergence", divergence::refuse_divergence),
    ("whole_warps", whole_warps::refuse_partial_warps),
    // Of what gives an `Option`: behind the question it is known what is given.
    ("thread_known", thread_branches::thread_known_branches),
    ("step_tests", step_tests::compare_counters),
    ("unroll", unroll::unroll_loops),
    // Of arrays whose other indices are constants by now.
    ("elements", promote::select_elements),
    ("compact", Function::compact),
    ("forward", forward::forward_memory),
    // Once addresses are plain, and before the checks, which find what holds for all elements of a thread.
    ("coarsen", coarsen::coarsen_threads),
    ("checks", checks::remove_decided_checks),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    // Of the copies of iterations, once no check is between them.
    ("dead_stores", dead_stores::remove_dead_stores),
    // Of the checks that are left, in loops first.
    ("version_loops", version_loops::version_loops),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    // Before counters get the bits that they need.
    ("low_counters", low_counters::version_low_counters),
    ("gather_checks", gather_checks::gather_checks),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("gather_guards", gather_guards::gather_guards),
    // Once nothing more is asked of the shape of launches.
    ("block_shape", block_shape::fold_block_shape),
    ("float_indices", float_indices::narrow_float_indices),
    ("narrow", narrow::narrow_to_32_bits),
    // After the values of their iterations are proved to fit.
    ("strides", unroll::narrow_strides),
    ("fold", fold::fold_constants),
    // Of values that are seen to be extended.
    ("words", promote::narrow_words),
    ("addresses", addresses::split_addresses),
    ("gvn", gvn::number_values),
    ("dce", dce::eliminate_dead_code),
    // Of the checks that are left, and before what is common to a side and the code behind it moves.
    ("conditional_checks", conditional_checks::hoist_conditional_checks),
    ("common", common::hoist_common_code),
    // Before sides are converted: they are shorter without what all of them end with.
    ("common_tails", common_tails::sink_common_tails),
    // After the checks, which want to see branches; once what is not needed is gone from their sides.
    ("if_convert", if_convert::convert_ifs),
    ("short_circuit", if_convert::fold_short_circuits),
    ("fold", fold::fold_constants),
    ("simplify_cfg", simplify_cfg::simplify_cfg),
    ("gvn", gvn::number_values),
    ("dce", dce::eliminate_dead_code),
    ("invariants", invariants::hoist_invariants),
    ("products", unroll::step_products),
    ("unroll_small", unroll::unroll_small_loops),
    // Of the copies of iterations.
    ("gather_guards", gather_guards::gather_guards),
    // Before values are folded: what is packed again is the pair.
    ("carried_pairs", carried_pairs::carry_pairs),
    // Once nothing more is asked of ranges, and before equal products are shared.
    ("near_divisions", near_divisions::subtract_divisors),
    ("div_rem", div_rem::pair_remainders),
    ("reciprocals", reciprocals::multiply_by_reciprocals),
    // Of the branches and choices that are left, once the loops are those that stay.
    ("thread_branches", thread_branches::thread_branches),
    ("addresses", addresses::split_addresses),
    ("fold", fold::fold_constants),
    ("gvn", gvn::number_values),
    // From one copy of an iteration to the next.
    ("forward", forward::forward_memory),
    // Once the copies of iterations are there, and equal comparisons are one.
    ("conditions", invariants::hoist_conditions),
    // Of the branches that are left, once the copies of iterations are there and equal operands are one value.
    ("equal_choices", if_convert::merge_equal_choices),
    // Of the loops that stay, once nothing more is asked of their form.
    ("exits", exits::merge_exits),
    // Once the copies of iterations are there, and their addresses without constants.
    ("share_addresses", share_addresses::share_addresses),
    // Once equal addresses are one value, and ways are threaded.
    ("partial_loads", partial_loads::load_once),
    ("dce", dce::eliminate_dead_code),
    // Once sides are no longer executed by all.
    ("sink", sink::sink_expensive),
    // Once accesses have one address and offsets.
    ("early_loads", early_loads::load_early),
    ("late_uses", late_uses::sink_past_checks),
    ("describe", describe::describe),
    // Once checks are described by their branches, and nothing more stands before loads.
    ("join_checks", join_checks::join_checks),
    // Once nothing more is simplified, which would undo it.
    ("carried_bools", carried_bools::carry_bools_as_integers),
    ("saturation", saturation::keep_nan_of_saturations),
    ("latches", latches::give_loops_their_latches),
    ("unlocks", unlocks::exchange_to_unlock),
    // Last, so that what only these blocks need is computed there and keeps no register elsewhere.
    ("lower_prints", lower_prints::lower_prints),
    // These two see panics as such.
    ("group_products", group_products::meet_before_products),
    ("cluster_memory", cluster_memory::keep_blocks),
    ("lower_panics", lower_panics::lower_panics),
    // A thread that waits for the grid reads the panic record, if there is one by now.
    ("lower_grid_barriers", lower_grid_barriers::lower_grid_barriers),
];

/// The pass before which launch guards are searched: conditions are values by then, and loops still those of
/// the source.
const HOST_TESTS_BEFORE: &str = "divergence";

/// Maximum number of searches for guards: another one follows if more checks turn out to be left than before.
const HOST_TEST_ROUNDS: usize = 3;

/// The pass that coarsens where the source asks for it, in whose place the coarsened version without a request is made.
const COARSEN: &str = "coarsen";

/// The end of the name of the coarsened entry.
const COARSENED: &str = "__coarsened";

/// A clone of a kernel without the checks that cannot fail in launches where the guards hold: the check-free one or, with those checks whose
/// guards buffers of exactly the size may fail, the partly checked one.
#[derive(Clone, Debug)]
pub struct CheckFree {
    /// The kernel's index in the module.
    pub kernel: usize,
    /// The clone's.
    pub twin: usize,
    /// All of them must hold.
    pub tests: Vec<HostTest>,
}

/// The coarsened clone of an element-wise kernel, for launches with `.over(n)` where the guards hold.
#[derive(Clone, Debug)]
pub struct Coarsened {
    /// The kernel's index in the module.
    pub kernel: usize,
    /// The clone's.
    pub clone: usize,
    /// Number of consecutive elements of a thread.
    pub by: u32,
    /// All of them must hold, those of the clone without checks among them.
    pub tests: Vec<HostTest>,
}

/// The clones of the kernels of a module, which come after them, and which kernels take blocks of any size.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    /// Those without checks, in front of the partly checked one of the same kernel.
    pub check_free: Vec<CheckFree>,
    /// Those that do several elements a thread.
    pub coarsened: Vec<Coarsened>,
    /// By kernel: nothing depends on how the threads of a launch are divided into blocks.
    pub ignores_blocks: Vec<bool>,
}

/// Runs every pass over every function. The module was verified. A kernel with checks that launch guards decide gets a check-free
/// clone, and an element-wise kernel a coarsened one, after the other functions.
pub fn run_pipeline(module: &mut Module) -> Versions {
    run_passes(module, PIPELINE)
}

/// [`run_pipeline`] with these passes.
fn run_passes(module: &mut Module, passes: &[(&str, Pass)]) -> Versions {
    let split = passes.iter().position(|(name, _)| *name == HOST_TESTS_BEFORE).unwrap_or(passes.len());
    let (first, rest) = passes.split_at(split);
    let (mut clones, mut versions) = (Vec::new(), Versions::default());
    let count = module.functions.len();
    let constants = |func: &Function| -> usize {
        func.consts.values().map(|data| data.bytes.len().next_multiple_of(16)).sum()
    };
    let mut constant_bytes: usize = module.functions.iter().map(constants).sum();
    for (kernel, func) in module.functions.iter_mut().enumerate() {
        // One element a thread is what a kernel does anyway; asked for, it is to stay so.
        let is_kept = func.coarsen.is_some_and(|coarsen| coarsen.by == 1);
        func.coarsen = func.coarsen.filter(|_| !is_kept);
        let may_coarsen = !is_kept && func.coarsen.is_none();
        run(func, first);
        tensor_map::remove_unused(func);
        let mut before = func.clone();
        let ignores_blocks = coarsen::automatic::ignores_blocks(&before);
        versions.ignores_blocks.push(ignores_blocks);
        let may_coarsen = may_coarsen && ignores_blocks;
        run(func, rest);
        let mut left = host_tests::left(func);
        if !left.is_empty() {
            unroll::unroll_for_indices(&mut before);
            loop_entries::give_loops_one_entry(&mut before);
        }
        let mut limited = before.clone();
        let mut limits = limits::limit_indices(&mut limited);
        let has_limits = !limits.is_empty();
        if has_limits || !left.is_empty() {
            limits.extend(limits::limit_ends(&mut limited));
        }
        let mut free = without_checks(func, [&before, &limited], &limits, &mut left, rest, Doubtful::Tested);
        // Of slices alone lengths are what indices are computed of.
        let wide = limits::wide_integers(free.version.as_ref().map_or(&*func, |(twin, _)| twin));
        if !has_limits && wide >= limits::FEWEST_WIDE {
            let mut short = limited.clone();
            let more = limits::limit_lengths(&mut short);
            if !more.is_empty() {
                let of_lengths = [&limits[..], &more].concat();
                let with_limits =
                    without_checks(func, [&before, &short], &of_lengths, &mut left, rest, Doubtful::Tested);
                let fewer = |(twin, _): &Guarded| limits::wide_integers(twin) < wide;
                if with_limits.version.as_ref().is_some_and(fewer) {
                    (free, limited, limits) = (with_limits, short, of_lengths);
                }
            }
        }
        let WithoutChecks { version: free, start: uncoarsened, has_doubtful } = free;
        let mut free: Vec<Guarded> = free.into_iter().collect();
        if left.is_empty() && free.is_empty() {
            let mut twin = func.clone();
            twin.name += host_tests::SUFFIX;
            let tests = alignment::align_slices(&mut twin, host_tests::MOST_TESTS);
            free.extend(Some((twin, tests)).filter(|(_, tests)| !tests.is_empty()));
        } else if has_doubtful && !free.is_empty() {
            let found = without_checks(func, [&before, &limited], &limits, &mut left, rest, Doubtful::Left);
            free.extend(found.version.map(|(mut twin, tests)| {
                twin.name = format!("{}{}", func.name, host_tests::PARTLY_CHECKED);
                (twin, tests)
            }));
        }
        let first = clones.len();
        for (twin, tests) in free {
            // A clone has its own constants.
            let bytes = constant_bytes + constants(&twin);
            if bytes <= MAX_CONST_BYTES {
                constant_bytes = bytes;
                versions.check_free.push(CheckFree { kernel, twin: count + clones.len(), tests });
                clones.push(twin);
            }
        }
        let usual = clones.get_mut(first);
        if may_coarsen {
            let (start, guards) = uncoarsened.unwrap_or_else(|| {
                let found = host_tests::find(&before, &left, Doubtful::Tested);
                (found.without_known(&before), Vec::new())
            });
            let coarsened = coarsened(&start, &func.name, rest).map(|mut coarsened| {
                coarsened.tests.extend(guards);
                coarsened
            });
            let remark = match &coarsened {
                Ok(version) => version
                    .func
                    .coarsen
                    .map(|coarsen| (coarsen.location, RemarkKind::CoarsenedOver { by: coarsen.by })),
                Err(declined) => declined.clone().map(|declined| {
                    (declined.location, RemarkKind::NotCoarsened { found: declined.found.into() })
                }),
            };
            if let Some((location, kind)) = remark {
                [Some(&mut *func), usual]
                    .into_iter()
                    .flatten()
                    .for_each(|to| to.remark(location, kind.clone()));
            }
            if let Ok(coarsen::automatic::Automatic { func: clone, by, tests }) = coarsened
                && constant_bytes + constants(&clone) <= MAX_CONST_BYTES
            {
                constant_bytes += constants(&clone);
                versions.coarsened.push(Coarsened { kernel, clone: count + clones.len(), by, tests });
                clones.push(clone);
            }
        }
    }
    module.functions.extend(clones);
    versions
}

/// A function, and the launch guards under which it may run in place of another.
type Guarded = (Function, Vec<HostTest>);

/// Results of the search for a version of a kernel without checks.
#[derive(Default)]
struct WithoutChecks {
    /// The version, if it is worth its guards.
    version: Option<Guarded>,
    /// The function that the passes from [`HOST_TESTS_BEFORE`] on made it of.
    start: Option<Guarded>,
    /// Some of its guards are [doubtful](Doubtful).
    has_doubtful: bool,
}

/// The check-free clone of a kernel, given as the passes from [`HOST_TESTS_BEFORE`] on take it, without limits and with. Checks that no launch
/// fails are taken from the kernel itself.
fn without_checks(
    func: &mut Function,
    [before, limited]: [&Function; 2],
    limits: &[HostTest],
    left: &mut HashSet<host_tests::Check>,
    rest: &[(&str, Pass)],
    doubtful: Doubtful,
) -> WithoutChecks {
    let (mut limited, mut limits) = (limited.clone(), limits.to_vec());
    let mut result = WithoutChecks::default();
    // The checks that are left often change nothing of what is found: the function given to the passes for the checked version, and what they made
    // of `result.start`.
    let (mut checked, mut passed) = (None, None);
    for round in 1..=HOST_TEST_ROUNDS {
        if left.is_empty() && limits.is_empty() {
            break;
        }
        let mut found = host_tests::find(before, left, doubtful);
        // Those that go in spite of doubtful guards have gone already.
        if found.proves_some() && doubtful == Doubtful::Tested {
            let start = found.checked(before);
            if checked.as_ref() != Some(&start) {
                *func = start.clone();
                run(func, rest);
                checked = Some(start);
            }
        }
        if !limits.is_empty() {
            found = host_tests::find(&limited, left, doubtful).knowing(&found, &limits);
        }
        if found.limit_blocks(&mut limited, &mut limits) {
            found = host_tests::find(&limited, left, doubtful).knowing(&found, &limits);
        }
        let Some(start) = found.check_free(&limited, &limits) else { break };
        result.has_doubtful = found.has_doubtful;
        let is_known = result.start.as_ref() == Some(&start);
        let mut twin = passed.take().filter(|_| is_known).unwrap_or_else(|| {
            let mut twin = start.0.clone();
            run(&mut twin, rest);
            twin
        });
        let mut tests = start.1.clone();
        result.start = Some(start);
        // Some may have been proved by checks that are gone.
        let count_before = left.len();
        left.extend(host_tests::left(&twin));
        if left.len() == count_before || round == HOST_TEST_ROUNDS {
            // Another entry has to be worth its tests.
            let [left, all] = [&twin, &*func].map(|func| host_tests::left(func).len());
            let is_worth_it = match doubtful {
                Doubtful::Tested => {
                    tests.len() > limits.len()
                        || left < all
                        || limits::wide_integers(&twin) < limits::wide_integers(func)
                }
                // The checked version is there anyway.
                Doubtful::Left => left <= all / 2,
            };
            if !is_worth_it {
                break;
            }
            let most = host_tests::MOST_TESTS.saturating_sub(tests.len());
            tests.extend(alignment::align_slices(&mut twin, most));
            result.version = Some((twin, tests));
            break;
        }
        passed = Some(twin);
    }
    result
}

/// The coarsened version of a kernel of this name, given as the passes from [`HOST_TESTS_BEFORE`] on take it, without the checks that
/// launch guards decide.
fn coarsened(
    before: &Function,
    name: &str,
    passes: &[(&str, Pass)],
) -> Result<coarsen::automatic::Automatic, Option<coarsen::automatic::Declined>> {
    let at = passes.iter().position(|(name, _)| *name == COARSEN).unwrap_or(passes.len());
    let (ahead, behind) = passes.split_at(at);
    let mut func = before.clone();
    run(&mut func, ahead);
    let mut version = coarsen::automatic::coarsen_automatically(&func)?;
    version.func.name = format!("{name}{COARSENED}");
    run(&mut version.func, behind.get(1..).unwrap_or_default());
    match coarsen::automatic::left(&version.func) {
        Some(declined) => Err(Some(declined)),
        None => Ok(version),
    }
}

fn run(func: &mut Function, passes: &[(&str, Pass)]) {
    let dumps = std::env::var("KERNEL_DUMP_IR").is_ok_and(|wanted| wanted == func.name);
    for (_name, pass) in passes {
        pass(func);
        if dumps {
            eprintln!("=== {_name}\n{func}");
        }
        #[cfg(test)]
        assert_valid(_name, func);
    }
}

/// Refuses what a pass made of a function if the verifier does.
#[cfg(test)]
fn assert_valid(pass: &str, func: &Function) {
    if let Err(errors) = crate::verify::verify_function(func) {
        panic!("after the pass `{pass}`: {errors}\n{func}");
    }
}

/// Compares what a pass makes of a function, both as text.
#[cfg(test)]
#[track_caller]
fn check(pass: impl FnOnce(&mut Function), text: &str, expect: expect_test::Expect) {
    let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
    assert_valid("none yet", &func);
    pass(&mut func);
    assert_valid("under test", &func);
    expect.assert_eq(&func.to_string());
}

/// Asserts that a pass leaves a function as it is.
#[cfg(test)]
#[track_caller]
fn check_stays(pass: impl FnOnce(&mut Function), text: &str) {
    let mut func = crate::ir::parse_function(text).unwrap_or_else(|error| panic!("{error}"));
    assert_valid("none yet", &func);
    let before = func.to_string();
    pass(&mut func);
    assert_eq!(func.to_string(), before);
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;
    use crate::ir::{
        BinaryOp, ConvertOp, FunctionBuilder, InstData, IntCond, PanicKind, Space, SpecialRegister, Type,
        Value,
    };

    /// A kernel of about 50 instructions for each copy: checked accesses of slices in loops, as 5 lines of Rust give.
    fn large_kernel(turns: usize) -> Function {
        let mut b = FunctionBuilder::new("large");
        let mut slice = |name: &str| {
            let pointer = b.add_param(name, Type::I64, Some(4));
            (pointer, b.add_param(format!("{name}_len"), Type::I32, None))
        };
        let slices = [slice("x"), slice("y"), slice("z")];
        let entry = b.create_block();
        b.switch_to(entry);
        let slices = slices.map(|(pointer, len)| {
            let len = b.param(len);
            (b.param(pointer), b.convert(ConvertOp::ZeroExtend, len, Type::I64))
        });
        let [block, size, thread] =
            [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX].map(|r| b.special(r));
        let before = b.binary_nuw(BinaryOp::Mul, block, size);
        let thread = b.binary_nuw(BinaryOp::Add, before, thread);
        let thread = b.convert(ConvertOp::ZeroExtend, thread, Type::I64);
        let sum = b.declare(Type::F32);
        let zero = b.constant(Type::F32, 0);
        b.define(sum, zero);
        for turn in 0..turns {
            let (_, len) = slices[turn % 2];
            let i = b.declare(Type::I64);
            let start = b.constant(Type::I64, 0);
            b.define(i, start);
            let [head, body, exit] = [b.create_block(), b.create_block(), b.create_block()];
            b.jump(head, &[]);
            b.switch_to(head);
            let now = b.read(i);
            let more = b.int_compare(IntCond::ULt, now, len);
            b.branch(more, body, exit);
            b.seal(body);
            b.switch_to(body);
            for distance in 0..3 {
                let distance = b.constant(Type::I64, distance);
                let index = b.binary(BinaryOp::Add, now, distance);
                let address = element(&mut b, slices[0], index);
                let value = b.load(Type::F32, Space::Global, address, 0, true);
                let before = b.read(sum);
                let after = b.fma(value, value, before);
                b.define(sum, after);
            }
            let one = b.constant(Type::I64, 1);
            let next = b.binary_nuw(BinaryOp::Add, now, one);
            b.define(i, next);
            b.jump(head, &[]);
            b.seal(head);
            b.seal(exit);
            b.switch_to(exit);
        }
        let [write, end] = [b.create_block(), b.create_block()];
        let inside = b.int_compare(IntCond::ULt, thread, slices[2].1);
        b.branch(inside, write, end);
        b.seal(write);
        b.switch_to(write);
        let address = element(&mut b, slices[2], thread);
        let value = b.read(sum);
        b.store(Space::Global, address, 0, value);
        b.jump(end, &[]);
        b.seal(end);
        b.switch_to(end);
        b.ret();
        b.finish()
    }

    /// The address of an element of a slice, after its check.
    fn element(b: &mut FunctionBuilder, (pointer, len): (Value, Value), index: Value) -> Value {
        let [inside, outside] = [b.create_block(), b.create_block()];
        let fits = b.int_compare(IntCond::ULt, index, len);
        b.branch(fits, inside, outside);
        b.seal(outside);
        b.switch_to(outside);
        let site = b.panic_site(PanicKind::Index);
        b.panic(site, &[index, len]);
        b.seal(inside);
        b.switch_to(inside);
        let four = b.constant(Type::I64, 4);
        let offset = b.binary_nuw(BinaryOp::Mul, index, four);
        b.binary_nuw(BinaryOp::Add, pointer, offset)
    }

    /// With pointers as generic addresses, as the front end makes them, the same PTX results.
    #[test]
    fn generic_parameters_make_the_same_ptx() {
        let direct = large_kernel(6);
        let mut generic = direct.clone();
        let entry = generic.entry();
        let mut renamed = Vec::new();
        for index in (0..generic.blocks[entry].insts.len()).rev() {
            let inst = generic.blocks[entry].insts[index];
            let (InstData::Param { param }, Some(address)) = (&generic.insts[inst], generic.results[inst])
            else {
                continue;
            };
            if generic.params[*param].pointer_align.is_none() {
                continue;
            }
            let param = *param;
            generic.params[param].read_only = generic.params[param].name == "x";
            let data = InstData::ToGeneric { space: Space::Global, address };
            let (convert, converted) = generic.make_value(data, Type::I64, Default::default());
            generic.blocks[entry].insts.insert(index + 1, convert);
            renamed.push((address, converted));
        }
        for inst in generic.insts.keys() {
            let data = &mut generic.insts[inst];
            if !matches!(data, InstData::ToGeneric { .. }) {
                data.map_args(|arg| renamed.iter().find(|(old, _)| *old == arg).map_or(arg, |(_, new)| *new));
            }
            if let Some((space, _)) = data.access_mut() {
                *space = Space::Generic;
            }
            if let InstData::Load { read_only, .. } = data {
                *read_only = false;
            }
        }
        let [direct, generic] = [direct, generic].map(|func| {
            let module = Module { files: Vec::new(), functions: vec![func] };
            crate::compile::compile(&module, None).unwrap_or_else(|error| panic!("{error}")).ptx
        });
        assert_eq!(direct, generic);
    }

    /// Prints how long each pass takes: `cargo test -p ptx-gen pass_times -- --ignored --nocapture`.
    #[test]
    #[ignore = "a measurement"]
    fn pass_times() {
        for turns in [6, 12, 24, 48, 96] {
            let original = large_kernel(turns);
            assert_valid("none yet", &original);
            let count: usize = original.blocks.values().map(|block| block.insts.len()).sum();
            let mut times = vec![Duration::MAX; PIPELINE.len()];
            for _ in 0..200 / turns {
                let mut func = original.clone();
                for ((_, pass), time) in PIPELINE.iter().zip(&mut times) {
                    let start = Instant::now();
                    pass(&mut func);
                    *time = (*time).min(start.elapsed());
                }
            }
            for ((name, _), time) in PIPELINE.iter().zip(&times) {
                println!("{name:14}{time:>12.1?}");
            }
            let module = Module { files: Vec::new(), functions: vec![original.clone()] };
            let start = Instant::now();
            crate::compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
            println!("all with selection {:.1?}", start.elapsed());
            let blocks = original.layout.len();
            println!("{count} instructions, {blocks} blocks: {:.1?}\n", times.iter().sum::<Duration>());
        }
    }
}
