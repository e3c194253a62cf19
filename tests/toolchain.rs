//! The assembler of the toolchain module itself: reports, logs, batches, and which architectures a text goes to.

use expect_test::expect;
use ptx::target::Arch;
use tests::toolchain::{
    EVERYWHERE, Ptxas, Report, Tool, assemble_all_everywhere, assemble_everywhere, require_or_skip,
};

/// A kernel that copies one number through shared memory, with a barrier.
fn copy_kernel(name: &str, version: &str, target: &str) -> String {
    format!(
        "\
.version {version}
.target {target}
.address_size 64

.visible .entry {name}(.param .u64 from, .param .u64 to) {{
    .shared .align 4 .b8 tile[128];
    .reg .b32 %r<4>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r2, [%rd4];
    mov.u32 %r3, tile;
    st.shared.u32 [%r3], %r2;
    bar.sync 0;
    ld.shared.u32 %r2, [%r3];
    st.global.u32 [%rd5], %r2;
    ret;
}}
"
    )
}

fn architectures(assembled: &[(Arch, Report)]) -> String {
    assembled.iter().map(|(arch, _)| arch.name()).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_report_tells_registers_spills_shared_memory_and_barriers() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let report = ptxas.assemble(&copy_kernel("copy", "6.3", "sm_75"), Arch::Sm90).unwrap();
    let [entry] = report.entries.as_slice() else { panic!("one entry expected: {report:?}") };
    assert_eq!((entry.name.as_str(), entry.barriers, entry.shared), ("copy", 1, 128));
    assert_eq!((entry.stack, entry.spill_stores, entry.spill_loads), (0, 0, 0));
    assert!((4..32).contains(&entry.registers), "{entry:?}");
}

#[test]
fn the_error_has_the_log_and_the_line() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let wrong = copy_kernel("copy", "6.3", "sm_75").replace("bar.sync 0", "bar.sink 0");
    let log = ptxas.assemble(&wrong, Arch::Sm90).unwrap_err();
    let expected = expect![[r#"
        ptxas -arch=sm_90 refused the PTX:
        ptxas module0.ptx, line 18; error   : Unknown modifier '.sink'
            | bar.sink 0;
        ptxas module0.ptx, line 18; error   : Barrier modifier required for instruction 'bar'
            | bar.sink 0;
        ptxas fatal   : Ptx assembly aborted due to errors
    "#]];
    expected.assert_eq(&log);
}

#[test]
fn a_text_goes_to_every_architecture_that_its_target_allows() {
    let Some(assembled) = assemble_everywhere(&copy_kernel("copy", "6.3", "sm_75")) else { return };
    assert_eq!(architectures(&assembled), "sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120");
    let Some(assembled) = assemble_everywhere(&copy_kernel("copy", "7.8", "sm_89")) else { return };
    assert_eq!(architectures(&assembled), "sm_89 sm_90 sm_100 sm_120");
    let Some(assembled) = assemble_everywhere(&copy_kernel("copy", "8.0", "sm_90a")) else { return };
    assert_eq!(architectures(&assembled), "sm_90a");
}

#[test]
fn the_lowest_versions_of_the_table_are_those_of_ptxas() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    // The step below each: PTX 6.3 follows 6.2, 7.0 follows 6.5, 8.0 follows 7.8, 9.0 follows 8.8.
    let below = |major: u32, minor: u32| match (major, minor) {
        (7, 0) => (6, 5),
        (8, 0) => (7, 8),
        (9, 0) => (8, 8),
        _ => (major, minor - 1),
    };
    for &arch in Arch::ALL {
        let lowest = arch.min_ptx();
        let text = |version: String| copy_kernel("copy", &version, arch.name());
        ptxas.assemble(&text(lowest.to_string()), arch).unwrap();
        let (major, minor) = below(lowest.major, lowest.minor);
        let refused = ptxas.assemble(&text(format!("{major}.{minor}")), arch);
        assert!(refused.is_err(), "{arch} is in PTX {major}.{minor} already");
    }
}

#[test]
fn in_a_batch_only_the_wrong_module_is_refused() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let mut texts: Vec<String> =
        (0..100).map(|number| copy_kernel(&format!("copy{number}"), "6.3", "sm_75")).collect();
    texts[37] = texts[37].replace("bar.sync", "bar.sink");
    // Equal names are allowed, and so are newer targets among older.
    texts[50] = copy_kernel("copy3", "7.8", "sm_90");
    let modules: Vec<&str> = texts.iter().map(String::as_str).collect();
    for (number, results) in ptxas.assemble_everywhere(&modules).into_iter().enumerate() {
        assert_eq!(results.len(), if number == 50 { 3 } else { EVERYWHERE.len() });
        for (arch, result) in results {
            assert_eq!(result.is_err(), number == 37, "module {number} on {arch}: {result:?}");
            assert!(result.is_err() || result.is_ok_and(|report| report.entries.len() == 1));
        }
    }
}

#[test]
fn every_complaint_is_told_with_its_module() {
    if require_or_skip(Ptxas::find()).is_none() {
        return;
    }
    let right = copy_kernel("right", "6.3", "sm_75");
    let wrong = copy_kernel("wrong", "6.3", "sm_75").replace("bar.sync", "bar.sink");
    let modules = [("the right one", right.as_str()), ("the wrong one", wrong.as_str())];
    let panic = std::panic::catch_unwind(|| assemble_all_everywhere(&modules)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert_eq!(message.matches("the wrong one: ptxas -arch=").count(), EVERYWHERE.len(), "{message}");
    assert!(!message.contains("the right one"), "{message}");
}

#[test]
fn the_disassembler_and_the_compiler_are_there() {
    for tool in [Tool::Nvcc, Tool::Nvdisasm] {
        let Some(path) = require_or_skip(tool.find()) else { return };
        let output = std::process::Command::new(path).arg("--version").output().unwrap();
        assert!(output.status.success(), "{tool:?}: {output:?}");
    }
}
