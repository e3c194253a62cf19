//! Planted faults and their fault-free versions: the simulator's sanitizer finds each fault once, and nothing in the others.
//!
//! These kernels run on a GPU as well, one at a time, where compute-sanitizer can look at them: see `gpu`.

mod barriers;
mod bounds;
mod bulk;
mod clusters;
mod copies;
mod gpu;
mod groups;
mod harness;
mod lanes;
mod objects;
mod phases;
mod products;
mod races;
mod tensors;
mod values;
mod waiting;

use std::collections::BTreeMap;

use harness::{DETECTORS, Version, cases, simulate};
use kernel_runtime::Arch;
use tests::toolchain::{Ptxas, require_or_skip};

#[test]
fn every_fault_is_found_once() {
    for case in cases() {
        let found = simulate(case, Version::Fault);
        case.expected.assert_eq(&found.err().unwrap_or_default());
    }
}

#[test]
fn nothing_is_found_in_the_twins() {
    let found = cases().filter_map(|case| {
        simulate(case, Version::Twin).err().map(|found| format!("{}: {found}", case.name))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_detector_has_three_faults() {
    let mut count = BTreeMap::new();
    for case in cases() {
        *count.entry(case.detector).or_insert(0) += 1;
    }
    assert!(count.values().all(|&count| count >= 3), "{count:?}");
    assert_eq!(count.len(), DETECTORS.len());
}

#[test]
fn the_assembler_takes_them() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    for version in [Version::Fault, Version::Twin] {
        for arch in [Arch::Sm90, Arch::Sm90a] {
            let chosen: Vec<_> = cases().filter(|case| case.arch().max(Arch::Sm90) == arch).collect();
            let texts: Vec<String> = chosen.iter().map(|case| case.text(version)).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            for (case, made) in chosen.iter().zip(ptxas.assemble_batch(&texts, arch)) {
                made.unwrap_or_else(|log| panic!("{} ({version}): {log}", case.name));
            }
        }
    }
}
