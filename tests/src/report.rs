//! Reports of kernels, held against their PTX.

use std::collections::BTreeSet;

use kernel_runtime::{Kernel, RemarkKind, Report, Variant};

/// Counts in the text of a kernel what its report says.
///
/// # Panics
///
/// If they differ.
pub fn holds_against_ptx(kernel: &Kernel) {
    let variant = kernel.variants().last().expect("a kernel is compiled to something");
    entry_holds(kernel, variant, &kernel.report_of(variant));
    for check_free in variant.check_free {
        entry_holds(kernel, check_free.variant, &kernel.report_of(check_free.variant));
    }
    if let Some(coarsened) = variant.coarsened {
        entry_holds(kernel, coarsened.variant, &kernel.report_of(coarsened.variant));
    }
}

/// The lines of an entry.
fn body(variant: &Variant) -> impl Iterator<Item = &str> {
    let head = format!(".entry {}(", variant.entry);
    let lines = variant.ptx.lines().skip_while(move |line| !line.contains(&head));
    lines.take_while(|line| *line != "}").map(str::trim)
}

fn entry_holds(kernel: &Kernel, variant: &Variant, report: &Report) {
    let name = format!("{}, entry {}", kernel.name(), variant.entry);
    let instructions = body(variant).filter(|line| line.ends_with(';') && !line.starts_with('.'));
    let instructions: Vec<&str> = instructions.collect();
    let words = instructions.iter().map(|line| {
        let line =
            line.strip_prefix('@').and_then(|rest| rest.split_once(' ')).map_or(*line, |(_, rest)| rest);
        line.split([' ', ';']).next().unwrap_or_default().split('.').collect::<Vec<_>>()
    });
    let words: Vec<Vec<&str>> = words.collect();
    let in_text = |holds: &dyn Fn(&[&str]) -> bool| words.iter().filter(|words| holds(words)).count();
    let in_report = |holds: fn(&RemarkKind) -> bool| -> usize {
        report.remarks.iter().filter(|remark| holds(&remark.kind)).map(|remark| remark.count as usize).sum()
    };

    let is_wide = |words: &[&str]| words.contains(&"v2") || words.contains(&"v4");
    let loads = in_text(&|words| words[0] == "ld" && is_wide(words));
    assert_eq!(in_report(|kind| matches!(kind, RemarkKind::WideLoad { .. })), loads, "wide loads of {name}");
    let stores = in_text(&|words| words[0] == "st" && is_wide(words));
    assert_eq!(
        in_report(|kind| matches!(kind, RemarkKind::WideStore { .. })),
        stores,
        "wide stores of {name}"
    );

    const SPACES: [&str; 6] = ["global", "shared", "shared::cluster", "local", "const", "param"];
    let generic = in_text(&|words| {
        ["ld", "st", "atom", "red"].contains(&words[0]) && !words.iter().any(|word| SPACES.contains(word))
    });
    assert_eq!(in_report(|kind| *kind == RemarkKind::GenericAccess), generic, "generic accesses of {name}");

    let divisions = in_text(&|words| {
        ["div", "rem"].contains(&words[0]) && ["u64", "s64"].contains(words.last().unwrap_or(&""))
    });
    assert_eq!(in_report(|kind| *kind == RemarkKind::Division64), divisions, "divisions of {name}");

    let fused = in_text(&|words| words[0] == "fma");
    assert!(in_report(|kind| *kind == RemarkKind::Contracted) <= fused, "multiply-adds of {name}");

    assert_eq!(checks_in_report(report), checks_in_text(variant, &instructions), "checks of {name}");
    assert_eq!(report.checks_left() > 0, variant.has_panic_param, "the panic record of {name}");
    let local = in_report(|kind| matches!(kind, RemarkKind::LocalMemory { .. }));
    assert_eq!(local > 0, report.local_bytes > 0, "local memory of {name}");
}

/// Locations of checks with their kinds: file, line, column and kind.
type Checks<'c> = BTreeSet<(&'c str, u32, u32, String)>;

fn checks_in_report(report: &Report) -> Checks<'static> {
    let checks = report.remarks.iter().filter_map(|remark| match remark.kind {
        RemarkKind::CheckLeft { check, .. } => {
            Some((remark.file, remark.line, remark.column, format!("{check:?}")))
        }
        _ => None,
    });
    checks.collect()
}

/// Checks by the code that fills the panic record: the number of the location is its word at offset 4.
fn checks_in_text<'v>(variant: &'v Variant, instructions: &[&'v str]) -> Checks<'v> {
    let record = instructions.iter().position(|line| line.contains("_$panic]"));
    let Some(record) = record else { return Checks::new() };
    let stored = |lines: &[&'v str]| {
        let mut lines = lines.iter();
        lines.find_map(|line| line.strip_prefix("st.global.u32 [")?.strip_suffix(';')?.split_once("+4], "))
    };
    let sites: Vec<&str> = match stored(&instructions[record..]) {
        Some((_, site)) => vec![site],
        // The function that fills it gets the number as an argument, of each call another one.
        None => {
            let function = variant.ptx.split_once(&format!(".func {}_$panics(", variant.entry));
            let (function, _) =
                function.and_then(|(_, function)| function.split_once("\n}\n")).unwrap_or_default();
            let lines: Vec<&str> = function.lines().map(str::trim).collect();
            let (_, site) = stored(&lines).expect("the record gets the number of the place");
            let loaded = format!("ld.param.b32 {site}, [{}_$panics_", variant.entry);
            match lines.iter().find_map(|line| line.strip_prefix(&*loaded)?.strip_suffix("];")) {
                Some(argument) => {
                    let passed = format!("st.param.b32 [argument{argument}], ");
                    let passed = |line: &&'v str| line.strip_prefix(&*passed)?.strip_suffix(';');
                    instructions.iter().filter_map(passed).collect()
                }
                None => vec![site],
            }
        }
    };
    let numbers_of = |site: &str| -> Vec<usize> {
        let moved = |line: &&str| {
            line.strip_prefix("mov.b32 ")?
                .strip_suffix(';')?
                .strip_prefix(site)?
                .strip_prefix(", ")?
                .parse()
                .ok()
        };
        match site.parse() {
            Ok(number) => vec![number],
            Err(_) => instructions.iter().filter_map(moved).collect(),
        }
    };
    let numbers: BTreeSet<usize> = sites.into_iter().flat_map(numbers_of).collect();
    let sites = numbers.into_iter().map(|number| &variant.panics[number]);
    sites.map(|site| (site.file, site.line, site.column, format!("{:?}", site.kind))).collect()
}
