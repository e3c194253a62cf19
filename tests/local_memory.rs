//! Sizes of local memory by `ptxas`, for every architecture.

use std::fmt::Write as _;

use expect_test::expect;
use ptx_gen::compile;
use ptx_gen::ir::parse_module;
use tests::toolchain::assemble_everywhere;

#[test]
fn stack_frames_everywhere() {
    let module = parse_module(include_str!("filetests/memory.ir")).unwrap_or_else(|error| panic!("{error}"));
    let ptx = compile(&module, None).unwrap_or_else(|error| panic!("{error}")).ptx;
    let Some(reports) = assemble_everywhere(&ptx) else { return };
    let mut frames = String::new();
    for (arch, report) in reports {
        let mut entries: Vec<_> =
            report.entries.iter().map(|entry| format!("{} {}", entry.name, entry.stack)).collect();
        entries.sort_unstable();
        writeln!(frames, "{arch}: {}", entries.join(", ")).expect("writing to a string");
    }
    expect![[r#"
        sm_75: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_80: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_86: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_89: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_90: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_100: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
        sm_120: histogram 4096, mixed 256, sort 0, sort__check_free 0, tile 0, tile__check_free 0
    "#]]
    .assert_eq(&frames);
}
