//! The PTX of every example goes through the real assembler, for every architecture, and the examples hold what their
//! tables say.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use kernel_runtime::{Arch, Gpu};
use tests::toolchain::{Report, assemble_all_everywhere};

/// A report for each architecture.
type Reports = Vec<(Arch, Report)>;

/// The reports of `ptxas` on each example, in order, for each architecture that has it: assembled once for all tests here.
fn assembled() -> Option<&'static [Reports]> {
    static REPORTS: LazyLock<Option<Vec<Reports>>> = LazyLock::new(|| {
        let modules: Vec<(&str, &str)> =
            examples::kernels().map(|kernel| (kernel.name(), kernel.ptx())).collect();
        assemble_all_everywhere(&modules)
    });
    REPORTS.as_deref()
}

#[test]
fn every_example_is_assembled_for_every_architecture() {
    let Some(reports) = assembled() else { return };
    for (kernel, reports) in examples::kernels().zip(reports) {
        let is_for_hopper = reports.iter().any(|&(arch, _)| [Arch::Sm90, Arch::Sm90a].contains(&arch));
        assert!(is_for_hopper, "{} is not for sm_90: {reports:?}", kernel.name());
        // With and without the checks that the host can make, and with several elements a thread.
        let variant = kernel.variants().last().unwrap();
        let mut names = vec![variant.entry];
        names.extend(variant.check_free.iter().map(|check_free| check_free.variant.entry));
        names.extend(variant.coarsened.map(|coarsened| coarsened.variant.entry));
        names.sort_unstable();
        for (arch, report) in reports {
            let mut found: Vec<&str> = report.entries.iter().map(|entry| entry.name.as_str()).collect();
            found.sort_unstable();
            assert_eq!(found, names, "{} on {arch}", kernel.name());
            for entry in &report.entries {
                // Of modules that are assembled together all are padded for the dynamic shared memory of one.
                let padded = variant.shared_bytes.next_multiple_of(16);
                let fits = [variant.shared_bytes, padded].contains(&entry.shared);
                assert!(fits, "{} on {arch}, of {} bytes: {entry:?}", kernel.name(), variant.shared_bytes);
                let spilled = entry.spill_stores + entry.spill_loads;
                assert!(spilled == 0 || examples::spills(kernel), "{} on {arch} spills", entry.name);
            }
        }
    }
}

#[test]
fn the_estimate_of_registers_is_near() {
    let Some(reports) = assembled() else { return };
    let mut far = Vec::new();
    for (kernel, reports) in examples::kernels().zip(reports) {
        let assembled = reports.iter().find(|(arch, _)| [Arch::Sm90, Arch::Sm90a].contains(arch));
        let Some((arch, report)) = assembled else { panic!("{}", kernel.name()) };
        let name = kernel.variants()[0].entry;
        let entry = report.entries.iter().find(|entry| entry.name == name);
        let Some(entry) = entry else { panic!("{}", kernel.name()) };
        let estimated = kernel.attributes(&Gpu::simulator(*arch)).unwrap().registers;
        if estimated.abs_diff(entry.registers) > 8 + entry.registers / 2 {
            far.push(format!(
                "{}: {estimated} registers estimated, {} needed",
                kernel.name(),
                entry.registers
            ));
        }
    }
    assert!(far.is_empty(), "{}", far.join("\n"));
}

#[test]
fn every_example_is_right_over_any_number_of_elements() {
    let gpu = Gpu::simulator(Arch::Sm80);
    // With more shared memory than the first has.
    let hopper = Gpu::simulator(Arch::Sm90a);
    let mut wrong = Vec::new();
    let mut beyond = HashSet::new();
    for n in [16, 1000, 4096 + 16] {
        for example in examples::examples() {
            let mut outcome = (example.run)(&gpu, n);
            if outcome.as_ref().err().is_some_and(examples::is_beyond_the_device) {
                beyond.insert(example.kernel.name());
                outcome = (example.run)(&hopper, n);
            }
            let outcome = outcome.map_err(|error| error.to_string());
            if let Err(problem) = outcome.and_then(|outcome| outcome.check()) {
                wrong.push(format!("{} ({}), n = {n}: {problem}", example.kernel.name(), example.about));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let large = ["matmul_groups::<f16>", "matmul_groups::<bf16>"];
    let with_clusters = ["blur", "cluster_sums", "cluster_histogram"];
    assert_eq!(beyond, large.into_iter().chain(with_clusters).collect());
}

#[test]
fn names_are_unique() {
    let names: HashSet<&str> = examples::kernels().map(|kernel| kernel.name()).collect();
    assert_eq!(names.len(), examples::kernels().count());
    assert!(names.len() >= 12);
}

/// "Every example kernel" of the README: each `#[kernel]` of the topics' files is in a table.
#[test]
fn every_kernel_of_the_topics_is_an_example() {
    let known: HashSet<&str> =
        examples::kernels().map(|kernel| kernel.name().split("::").next().unwrap_or_default()).collect();
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/src");
    let mut missing = Vec::new();
    let mut kernels = 0;
    let mut directories = vec![sources.clone()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            // Programs with kernels of their own, which their own tests run.
            let apart = ["bin", "chapter", "versus", "programs", "users"]
                .iter()
                .any(|name| path == sources.join(name));
            if path.is_dir() && !apart {
                directories.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                let mut lines = text.lines().map(str::trim_start);
                while let Some(line) = lines.next() {
                    if line.starts_with("#[kernel") && !line.starts_with("#[kernel_module") {
                        let head = lines.find(|line| line.contains("fn ")).unwrap();
                        let name = head.split("fn ").nth(1).unwrap();
                        let name = name.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap();
                        kernels += 1;
                        if !known.contains(name) {
                            missing.push(format!("{name} in {}", path.display()));
                        }
                    }
                }
            }
        }
    }
    assert!(kernels > 100, "{kernels} kernels found");
    assert!(missing.is_empty(), "in no table: {}", missing.join(", "));
}
