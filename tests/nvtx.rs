//! Ranges arrive at a profiler: a library of ours that is injected as `nsys` injects its own, and logs the calls that it receives.

use std::path::Path;
use std::process::Command;

use kernel_runtime::nvtx;
use tests::toolchain::{Tool, require_or_skip};

/// The variable that names the profiler's log, for the test that runs under it.
const LOG: &str = "NVTX_TEST_LOG";

/// As `nvtxTypes.h` has it.
const PROFILER: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Function)(void);
typedef struct { size_t bytes; int (*functions)(unsigned, Function***, unsigned*); } Callbacks;
typedef struct { size_t bytes; uint32_t version; uint32_t reserved; void (*set_version)(uint32_t); } VersionInfo;

static FILE* out;
static int depth = 0;

static int push(const char* name) { fprintf(out, "%d begins: %s\n", depth, name); return depth++; }
static int pop(void) { fprintf(out, "%d ends\n", --depth); fflush(out); return depth; }
static void mark(const char* name) { fprintf(out, "%d mark: %s\n", depth, name); }

int InitializeInjectionNvtx2(const void* (*table)(uint32_t)) {
    const Callbacks* callbacks = table(1);
    const VersionInfo* version = table(3);
    Function** functions = 0;
    unsigned count = 0;
    if (!callbacks || callbacks->bytes < sizeof *callbacks || table(2) || !version || version->version != 3) return 0;
    version->set_version(3);
    if (callbacks->functions(2, &functions, &count) || !callbacks->functions(1, &functions, &count) || count != 16) return 0;
    out = fopen(getenv("NVTX_TEST_LOG"), "w");
    if (!out) return 0;
    *functions[2] = (Function)mark;
    *functions[9] = (Function)push;
    *functions[11] = (Function)pop;
    return 1;
}
"#;

/// Runs the test of this name in a process of its own, under the profiler, and returns the profiler's log.
fn profiled(library: &Path, log: &Path) -> String {
    let program = std::env::current_exe().expect("the path of this test");
    let mut command = Command::new(program);
    command.args(["--exact", "what_is_profiled"]).env("NVTX_INJECTION64_PATH", library).env(LOG, log);
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    std::fs::read_to_string(log).unwrap_or_default()
}

#[test]
fn ranges_arrive() {
    let Some(cc) = require_or_skip(Tool::Cc.find()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [source, library, log] = ["profiler.c", "profiler.so", "log"].map(|name| folder.path().join(name));
    std::fs::write(&source, PROFILER).expect("it is written");
    let mut compile = Command::new(cc);
    compile.args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source);
    let output = compile.output().expect("the compiler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let told = "0 begins: outer\n1 mark: a mark␀\n1 begins: inner\n1 ends\n0 ends\n";
    assert_eq!(profiled(&library, &log), told);
    // A library that is none leaves a program that runs.
    std::fs::remove_file(&log).expect("it was there");
    assert_eq!(profiled(&source, &log), "");
}

/// Without a profiler this only shows that nothing happens.
#[test]
fn what_is_profiled() {
    let _outer = nvtx::range("outer");
    nvtx::mark("a mark\0");
    let inner = nvtx::range("inner");
    drop(inner);
}
