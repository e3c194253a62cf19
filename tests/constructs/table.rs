//! The documentation's table of constructs lists every test of this crate, and no other.

use std::fmt::Write;
use std::path::Path;

use tests::toolchain::assemble_all_everywhere;

/// Sections of the table with their constructs.
const SECTIONS: &[(&str, &[(&str, &str)])] = &[
    ("Expressions", crate::expressions::TABLE),
    ("Control flow", crate::control::TABLE),
    ("Tuples and arrays", crate::aggregates::TABLE),
    ("Patterns", crate::patterns::TABLE),
    ("Structs", crate::structs::TABLE),
    ("Enums and `Option`", crate::enums::TABLE),
    ("Enums with data and `Result`", crate::enums_with_data::TABLE),
    ("Functions", crate::functions::TABLE),
    ("Generics", crate::generics::TABLE),
    ("Traits", crate::traits::TABLE),
    ("Closures", crate::closures::TABLE),
    ("References and slices", crate::references::TABLE),
    ("Unsafe code", crate::unsafety::TABLE),
    ("Iterators", crate::iterators::TABLE),
    ("Iterators that are values", crate::iterator_values::TABLE),
    ("Order", crate::order::TABLE),
    ("Programs", crate::programs::TABLE),
    ("Methods of numbers", crate::methods::TABLE),
    ("Mathematical functions", crate::math::TABLE),
    ("`f16` and `bf16`", crate::small_floats::TABLE),
    ("Vectors", crate::vectors::TABLE),
    ("Threads together", crate::together::TABLE),
    ("Blocks together", crate::grid::TABLE),
    ("Atomics", crate::atomics::TABLE),
];

fn table() -> String {
    let mut text = String::from(
        "# Constructs\n\nEach row is a kernel in `tests/constructs`, compiled by `#[kernel]` and by rustc, run on the simulator, on the CPU, \
         and on a GPU where there is one, with equal results.\n",
    );
    for (section, rows) in SECTIONS {
        writeln!(text, "\n## {section}\n\n| construct | test |\n|---|---|").expect("a `String` takes it");
        for (title, name) in *rows {
            let name = name.trim_start_matches("constructs::");
            writeln!(text, "| {} | `{name}` |", title.replace('|', "\\|")).expect("a `String` takes it");
        }
    }
    text
}

/// `UPDATE_EXPECT=1` writes the table anew.
#[test]
fn the_documentation_lists_every_construct() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel-macros/src/constructs.md");
    expect_test::expect_file![path].assert_eq(&table());
}

#[test]
fn there_are_at_least_two_hundred() {
    let count: usize = SECTIONS.iter().map(|(_, rows)| rows.len()).sum();
    assert!(count >= 200, "{count} constructs");
}

#[test]
fn ptxas_takes_every_construct_for_every_architecture() {
    let modules: Vec<(&str, String)> = [
        crate::expressions::modules(),
        crate::control::modules(),
        crate::aggregates::modules(),
        crate::patterns::modules(),
        crate::structs::modules(),
        crate::enums::modules(),
        crate::enums_with_data::modules(),
        crate::functions::modules(),
        crate::generics::modules(),
        crate::traits::modules(),
        crate::closures::modules(),
        crate::references::modules(),
        crate::unsafety::modules(),
        crate::iterators::modules(),
        crate::iterator_values::modules(),
        crate::order::modules(),
        crate::programs::modules(),
        crate::methods::modules(),
        crate::math::modules(),
        crate::small_floats::modules(),
        crate::vectors::modules(),
        crate::together::modules(),
        crate::grid::modules(),
        crate::atomics::modules(),
    ]
    .concat();
    let modules: Vec<(&str, &str)> = modules.iter().map(|(name, ptx)| (*name, &**ptx)).collect();
    let Some(reports) = assemble_all_everywhere(&modules) else { return };
    assert_eq!(reports.len(), modules.len());
}
