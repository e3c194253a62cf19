//! From the typed tree to PTX, once for each architecture that `arch(…)` names; and the mistakes that show only then: what
//! passes refuse, what an architecture lacks, promises that cannot be kept.
//!
//! A kernel that names none is compiled for the oldest that has what it needs, and for those from which on the device library does
//! something another way, if that makes a difference.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use ptx::occupancy::{KernelResources, Limiter, Occupancy, best_block_size, block_limits, occupancy};
use ptx::target::Arch;
use ptx_gen::ir::{Remark, RemarkKind, SourceLoc};
use ptx_gen::{Called, CompileError, CompiledKernel, Lack};

use super::checks;
use crate::check::MAX_LOCAL;
use crate::diagnostics::{Diagnostics, Loc};
use crate::lower::{LoweredKernel, Places, lower};
use crate::typed::Kernel;

/// A kernel as compiled for one architecture.
pub struct CompiledVariant {
    /// The `.target`.
    pub target: Arch,
    /// The text.
    pub ptx: String,
    /// The compiler's results besides the text.
    pub facts: CompiledKernel,
    /// The calls that lead to lines of the text.
    pub called: Called,
    /// The source files that its panics name, by number.
    pub files: Vec<String>,
}

/// The variants of each kernel, oldest architecture first. All are compiled side by side.
pub fn compile(kernels: &[Kernel], diagnostics: &mut Diagnostics) -> Vec<Vec<CompiledVariant>> {
    let lowered: Vec<Vec<Target>> = kernels.iter().map(targets).collect();
    let jobs: Vec<&Target> = lowered.iter().flatten().collect();
    let compiled = in_parallel(&jobs);
    let mut compiled = compiled.into_iter();
    let each = kernels.iter().zip(&lowered).map(|(kernel, targets)| {
        let variants = finish(kernel, targets.iter().zip(compiled.by_ref()), diagnostics);
        if diagnostics.finish().is_ok() {
            check_min_blocks(kernel, &variants, diagnostics);
            check_occupancy(kernel, &variants, diagnostics);
        }
        if diagnostics.finish().is_err() { Vec::new() } else { variants }
    });
    each.collect()
}

/// The variants of a kernel of what was compiled for each target.
fn finish<'t>(
    kernel: &Kernel,
    results: impl Iterator<Item = (&'t Target, Option<CompiledModule>)>,
    diagnostics: &mut Diagnostics,
) -> Vec<CompiledVariant> {
    let mut variants: Vec<CompiledVariant> = Vec::new();
    // True if the library asks for an architecture that is older than what the kernel needs.
    let mut is_behind = false;
    for (target, compiled) in results {
        if !target.is_asked {
            variants.extend(target.finish(kernel, compiled, diagnostics));
            continue;
        }
        if matches!(compiled, Some(Err(CompileError::Target { .. }))) {
            is_behind = true;
            continue;
        }
        let Some(last) = variants.last() else { continue };
        let Some(more) = target.finish(kernel, compiled, diagnostics) else { continue };
        if more.target == last.target {
            (variants, is_behind) = (vec![more], false);
        } else if more.target > last.target && code(&more.ptx) != code(&last.ptx) {
            variants.push(more);
        }
    }
    if let Some(least) = variants.first_mut()
        && is_behind
    {
        let target = Target::new(kernel, Some((least.target, (&kernel.name).into())));
        let compiled = in_parallel(&[&target]).pop().flatten();
        if let Some(better) = target.finish(kernel, compiled, diagnostics) {
            *least = better;
        }
    }
    variants
}

/// The text behind its target.
fn code(ptx: &str) -> &str {
    ptx.split_once("\n.target ").and_then(|(_, rest)| rest.split_once('\n')).map_or(ptx, |(_, code)| code)
}

/// A kernel in IR, for an architecture or for none.
struct Target {
    /// No architecture is named, and the device library does something another way from this one on.
    is_asked: bool,
    arch: Option<(Arch, Loc)>,
    lowered: LoweredKernel,
    /// The mistakes that lowering found.
    is_refused: bool,
}

fn targets(kernel: &Kernel) -> Vec<Target> {
    if !kernel.attrs.archs.is_empty() {
        return kernel.attrs.archs.iter().map(|&arch| Target::new(kernel, Some(arch))).collect();
    }
    let mut targets = vec![Target::new(kernel, None)];
    if !targets[0].is_refused {
        for arch in targets[0].lowered.asked.clone() {
            let target = Target::new(kernel, Some((arch, (&kernel.name).into())));
            targets.push(Target { is_asked: true, ..target });
        }
    }
    targets
}

type CompiledModule = Result<ptx_gen::Compiled, CompileError>;

/// Stack of a thread that compiles: more than [`nesting`](crate::nesting) gives the deepest kernel.
const STACK: usize = 32 << 20;

/// Compiles what is not refused, by as many threads as the machine has, in the order of the targets.
fn in_parallel(targets: &[&Target]) -> Vec<Option<CompiledModule>> {
    let jobs: Vec<_> = targets
        .iter()
        .map(|target| {
            (!target.is_refused).then_some((&target.lowered.module, target.arch.map(|(arch, _)| arch)))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(job) = jobs.get(index)
        {
            done.push((index, job.map(|(module, arch)| ptx_gen::compile(module, arch))));
        }
        done
    };
    let others = thread::available_parallelism().map_or(1, usize::from).min(jobs.len()).saturating_sub(1);
    let mut done = thread::scope(|scope| {
        // A thread that cannot be spawned leaves its work to the others.
        let workers: Vec<_> = (0..others)
            .filter_map(|_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok())
            .collect();
        let mut done = work();
        for worker in workers {
            done.extend(worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        done
    });
    done.sort_unstable_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, compiled)| compiled).collect()
}

/// The message for a call of the library's whose loops are unrolled by the number of threads, of a kernel without `block(…)`.
const NO_BLOCK: &str = "expected a kernel that says how many threads its blocks have, as the loads of this call are dealt out among them, \
                        found none\nhelp: write `#[kernel(block(128))]`";

impl Target {
    fn new(kernel: &Kernel, arch: Option<(Arch, Loc)>) -> Target {
        let lowered = lower(kernel, arch.map(|(arch, _)| arch));
        let mut remarks = lowered.module.functions.iter().flat_map(|func| &func.remarks);
        let is_refused =
            remarks.any(|remark| matches!(remark.kind, RemarkKind::Refused(_) | RemarkKind::RefusedLoop(_)));
        Target { is_asked: false, arch, lowered, is_refused }
    }

    /// The variant; none after a mistake, which is reported.
    fn finish(
        &self,
        kernel: &Kernel,
        compiled: Option<CompiledModule>,
        diagnostics: &mut Diagnostics,
    ) -> Option<CompiledVariant> {
        let Target { arch, lowered: LoweredKernel { module, places, library_loops, .. }, .. } = self;
        let remarks = module.functions.iter().flat_map(|func| &func.remarks);
        if refuse_remarks(remarks, (kernel, places, library_loops), diagnostics) {
            return None;
        }
        let compiled = match compiled? {
            Ok(compiled) => compiled,
            Err(CompileError::Target { arch: found, lacks, .. }) => {
                refuse_target(found, arch.map(|(_, loc)| loc), &lacks, (kernel, places), diagnostics);
                return None;
            }
            Err(error @ (CompileError::Invalid(_) | CompileError::BrokenByPasses(_))) => {
                // Checking admits only what lowers to valid IR.
                let message = format!(
                    "this kernel shows a mistake of the compiler; please report it with the kernel's text\n{error}"
                );
                diagnostics.error(&kernel.name, message);
                return None;
            }
        };
        let facts = compiled.kernels.into_iter().next()?;
        if refuse_remarks(&facts.remarks, (kernel, places, library_loops), diagnostics) {
            return None;
        }
        if u64::from(facts.local_bytes) > MAX_LOCAL {
            let message = format!(
                "expected at most {MAX_LOCAL} bytes of a thread's own memory, found {} in all its variables\nhelp: use smaller arrays, or \
                 buffers that the kernel takes as slices",
                facts.local_bytes
            );
            diagnostics.error(&kernel.name, message);
        }
        if kernel.attrs.deny_checks && diagnostics.finish().is_ok() {
            refuse_checks(&facts, (kernel, places), diagnostics);
        }
        let files = module.files.clone();
        Some(CompiledVariant {
            target: compiled.target,
            ptx: compiled.ptx,
            facts,
            called: compiled.called,
            files,
        })
    }
}

/// Reports what was refused of a kernel on the way; whether anything was.
fn refuse_remarks<'r>(
    remarks: impl IntoIterator<Item = &'r Remark>,
    (kernel, places, library_loops): (&Kernel, &Places, &HashSet<SourceLoc>),
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut any = false;
    for Remark { location, kind, .. } in remarks {
        let message = match kind {
            RemarkKind::RefusedLoop(_)
                if library_loops.contains(location) && kernel.attrs.bounds.block.is_none() =>
            {
                NO_BLOCK
            }
            RemarkKind::Refused(message) | RemarkKind::RefusedLoop(message) => message,
            _ => continue,
        };
        let place = places.get(location).copied();
        diagnostics.error(place.unwrap_or_else(|| (&kernel.name).into()), message);
        any = true;
    }
    any
}

/// Refuses the checks that remain in the check-free version, which runs if the launch guards hold.
fn refuse_checks(
    facts: &CompiledKernel,
    (kernel, places): (&Kernel, &Places),
    diagnostics: &mut Diagnostics,
) {
    let remarks = facts.check_free.first().map_or(&facts.remarks, |twin| &twin.remarks);
    for Remark { location, kind, .. } in remarks {
        let RemarkKind::CheckLeft { check, .. } = kind else { continue };
        let (found, help) = checks::left(*check);
        let message = format!(
            "expected no check that is left, as the kernel says `deny_checks`, found {found}, which nothing proves\nhelp: {help}"
        );
        diagnostics.error(places.get(location).copied().unwrap_or_else(|| (&kernel.name).into()), message);
    }
}

/// Says where something is needed that the architecture lacks: once for each place.
fn refuse_target(
    arch: Arch,
    written: Option<Loc>,
    lacks: &[Lack],
    (kernel, places): (&Kernel, &Places),
    diagnostics: &mut Diagnostics,
) {
    let elsewhere = written.unwrap_or_else(|| (&kernel.name).into());
    let mut told = Vec::new();
    for Lack { location, statement, needed } in lacks {
        if told.contains(location) {
            continue;
        }
        told.push(*location);
        let words = statement.trim_start_matches(['@', '!']);
        let instruction = words.split([' ', ';']).find(|word| !word.starts_with('%')).unwrap_or(words);
        let message = format!(
            "expected what `{arch}` has, as the kernel's `arch` names it, found `{instruction}`, which needs {needed}\nhelp: leave \
             `{arch}` out of `arch`, or do it another way there: `if target::at_least(…) {{ … }} else {{ … }}`"
        );
        diagnostics.error(places.get(location).copied().unwrap_or(elsewhere), message);
    }
    if told.is_empty() {
        let message =
            format!("expected what `{arch}` has, found a kernel that needs more\nhelp: leave it out");
        diagnostics.error(elsewhere, message);
    }
}

/// The architectures that a variant may run on: the one that is written, or all that have what it needs.
fn devices(kernel: &Kernel, variant: &CompiledVariant) -> Vec<Arch> {
    match kernel.attrs.archs.is_empty() {
        true => Arch::ALL.iter().copied().filter(|arch| arch.can_run(variant.target)).collect(),
        false => vec![variant.target],
    }
}

/// Refuses `launch_bounds(…, min_blocks)` where the shared memory of so many blocks is beyond an SM.
fn check_min_blocks(kernel: &Kernel, variants: &[CompiledVariant], diagnostics: &mut Diagnostics) {
    let attrs = &kernel.attrs;
    let Some(min_blocks) = attrs.bounds.min_blocks else { return };
    let held = variants.iter().flat_map(|variant| {
        let kernel_of =
            KernelResources { static_shared: variant.facts.shared_bytes, ..KernelResources::default() };
        let blocks = move |arch: Arch| {
            let limits = block_limits(arch.limits(), &kernel_of, 32, 0);
            limits.into_iter().find(|row| row.0 == Limiter::SharedMemory).map_or(u32::MAX, |row| row.1)
        };
        devices(kernel, variant).into_iter().map(move |arch| (blocks(arch), arch, variant.facts.shared_bytes))
    });
    let judge = match attrs.archs.is_empty() {
        true => held.max_by_key(|row| row.0),
        false => held.min_by_key(|row| row.0),
    };
    if let Some((blocks, arch, bytes)) = judge
        && blocks < min_blocks
    {
        let on = if attrs.archs.is_empty() { "any architecture".to_owned() } else { format!("`{arch}`") };
        let message = format!(
            "expected at most {blocks} blocks per SM, as many as the shared memory of {on} holds with {bytes} bytes each, found \
             {min_blocks}\nhelp: ask for fewer blocks, or use less shared memory"
        );
        let written = attrs.written.get("launch_bounds").copied();
        diagnostics.error(written.unwrap_or_else(|| (&kernel.name).into()), message);
    }
}

/// Refuses `occupancy(min = …)` where no number of registers reaches it: with what is certain before an assembler runs, the
/// size of blocks and their shared memory. With no architecture named, one that reaches it is enough.
fn check_occupancy(kernel: &Kernel, variants: &[CompiledVariant], diagnostics: &mut Diagnostics) {
    let attrs = &kernel.attrs;
    let Some(least) = attrs.min_occupancy else { return };
    let mut reached = Vec::new();
    for variant in variants {
        let devices = devices(kernel, variant);
        reached.extend(devices.into_iter().filter_map(|arch| Some((arch, most(arch, &variant.facts)?))));
    }
    let fraction = |reached: &&(Arch, Occupancy)| (reached.1.fraction() * 1e6) as u64;
    let judge = match attrs.archs.is_empty() {
        true => reached.iter().max_by_key(fraction),
        false => reached.iter().min_by_key(fraction),
    };
    if let Some((arch, found)) = judge
        && found.fraction() < f64::from(least)
    {
        let on = if attrs.archs.is_empty() { "any architecture".to_owned() } else { format!("`{arch}`") };
        let message = format!(
            "expected at least {} % of an SM's warps, found at most {found}, on {on}\nhelp: use smaller blocks or less shared \
             memory, or ask for less",
            (1000.0 * least).round() / 10.0
        );
        let written = attrs.written.get("occupancy").copied();
        diagnostics.error(written.unwrap_or_else(|| (&kernel.name).into()), message);
    }
}

/// The highest occupancy that a launch within the bounds can have, with few enough registers; none if no block fits.
fn most(arch: Arch, facts: &CompiledKernel) -> Option<Occupancy> {
    let limits = arch.limits();
    let resources = KernelResources { static_shared: facts.shared_bytes, ..KernelResources::default() };
    match facts.bounds.block {
        Some(block) => Some(occupancy(limits, &resources, block.iter().product(), 0)),
        None => best_block_size(limits, &resources, 1, facts.bounds.max_threads, |_| 0)
            .ok()
            .map(|best| best.occupancy),
    }
}
