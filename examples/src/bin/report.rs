//! The compiler's report on the kernels of the examples: `cargo run -p examples --bin report -- saxpy` prints it line by
//! line, and without a name there is a table of all. Where `ptxas` is found, registers and spills are its own.

use std::process::ExitCode;

use clap::Parser;
use comfy_table::Cell;
use examples::tables::{self, right};
use examples::toolchain::{EntryReport, Ptxas};
use kernel_runtime::{Arch, Kernel, RemarkKind, Report, Variant};

/// The architecture that kernels are assembled for, if they run there.
const ARCH: Arch = Arch::Sm90;

/// Tells what the compiler did with kernels of the examples.
#[derive(Parser)]
struct Options {
    /// Kernels, line by line; all of them in a table if none is named.
    kernels: Vec<String>,
}

fn main() -> ExitCode {
    sigpipe::reset();
    let Options { kernels: names } = Options::parse();
    if names.is_empty() {
        summary();
        return ExitCode::SUCCESS;
    }
    let mut found_all = true;
    for name in &names {
        match examples::kernels().find(|kernel| kernel.name() == name) {
            Some(kernel) => detail(kernel),
            None => {
                let known: Vec<&str> = examples::kernels().map(Kernel::name).collect();
                eprintln!("expected the name of a kernel, found `{name}`\nhelp: one of {}", known.join(", "));
                found_all = false;
            }
        }
    }
    if found_all { ExitCode::SUCCESS } else { ExitCode::from(2) }
}

/// The report of one kernel, and what `ptxas` says, of each variant.
fn detail(kernel: &Kernel) {
    print!("{}", kernel.report());
    for variant in kernel.variants() {
        // The usual version was reported above.
        if !variant.check_free.is_empty() || kernel.variants().len() > 1 {
            print!("with all checks: {}", kernel.report_of(variant));
        }
        let assembled = Ptxas::find().map_err(|missing| missing.to_string());
        match assembled.and_then(|ptxas| assemble(&ptxas, variant)) {
            Ok((arch, EntryReport { registers, spill_stores, spill_loads, stack, .. })) => println!(
                "  ptxas for {arch}: {registers} registers, {spill_stores} bytes of spill stores, {spill_loads} bytes of \
                 spill loads, {stack} bytes of stack\n"
            ),
            Err(reason) => println!("  without ptxas: {reason}\n"),
        }
    }
}

/// The resources of a kernel by `ptxas`, with the architecture, or the reason why there are none.
fn assemble(ptxas: &Ptxas, variant: &Variant) -> Result<(Arch, EntryReport), String> {
    let arch = if ARCH.can_run(variant.target) { ARCH } else { variant.target };
    let entry = ptxas.assemble(variant.ptx, arch)?.entries.into_iter().next();
    entry.map(|entry| (arch, entry)).ok_or_else(|| "its log has no kernel".to_owned())
}

/// A column of the summary.
struct Column {
    heading: &'static str,
    /// At how many places this is said.
    asked: fn(&RemarkKind) -> bool,
}

const COLUMNS: &[Column] = &[
    Column {
        heading: "unrolled",
        asked: |kind| matches!(kind, RemarkKind::UnrolledWhole { .. } | RemarkKind::UnrolledBy { .. }),
    },
    Column { heading: "loops kept", asked: |kind| *kind == RemarkKind::KeptLoop },
    Column { heading: "predicated", asked: |kind| *kind == RemarkKind::Predicated },
    Column { heading: "branches", asked: |kind| *kind == RemarkKind::KeptBranch },
    Column { heading: "proved", asked: |kind| matches!(kind, RemarkKind::CheckProved { .. }) },
    Column { heading: "tested", asked: |kind| matches!(kind, RemarkKind::CheckTested { .. }) },
    Column { heading: "left", asked: |kind| matches!(kind, RemarkKind::CheckLeft { .. }) },
    Column {
        heading: "wide",
        asked: |kind| matches!(kind, RemarkKind::WideLoad { .. } | RemarkKind::WideStore { .. }),
    },
    Column { heading: "fused", asked: |kind| *kind == RemarkKind::Contracted },
    Column { heading: "64-bit", asked: |kind| matches!(kind, RemarkKind::Index64 | RemarkKind::Division64) },
];

/// A line for each kernel: at how many places of its source what was done.
fn summary() {
    let ptxas = Ptxas::find();
    let counts = COLUMNS.iter().map(|column| column.heading);
    let assembled = ["ptxas", "spills"].into_iter().filter(|_| ptxas.is_ok());
    let header = ["kernel"].into_iter().chain(counts).chain(["shared", "local", "estimate"]);
    let mut table = tables::table(header.chain(assembled).collect::<Vec<_>>());
    let unknown = || "?".to_owned();
    for kernel in examples::kernels() {
        let report = kernel.report();
        let mut row = vec![Cell::new(kernel.name())];
        row.extend(COLUMNS.iter().map(|column| right(report.places(column.asked).to_string())));
        let Report { shared_bytes, local_bytes, registers, .. } = report;
        row.extend([shared_bytes, local_bytes].map(|bytes| right(bytes.to_string())));
        row.push(right(registers.map_or_else(unknown, |registers| registers.to_string())));
        if let (Ok(ptxas), Some(variant)) = (&ptxas, kernel.variants().last()) {
            let numbers = match assemble(ptxas, variant) {
                Ok((_, entry)) => {
                    [entry.registers, entry.spill_stores + entry.spill_loads].map(|n| n.to_string())
                }
                Err(reason) => {
                    eprintln!("{}: {reason}", kernel.name());
                    [unknown(), unknown()]
                }
            };
            row.extend(numbers.map(right));
        }
        table.add_row(row);
    }
    println!("{table}");
    println!(
        "Places of the source; shared memory per block and local memory per thread in bytes; registers per thread,"
    );
    match ptxas {
        Ok(_) => println!(
            "estimated from PTX, and those that ptxas needs for {ARCH} or newer, with the bytes that it spills."
        ),
        Err(missing) => println!("estimated from PTX. {missing}"),
    }
}
