//! Stacks of threads: as large as it takes, and a message where that is not enough.

use std::hint::black_box;
use std::process::{Command, Output};

use expect_test::expect;

use crate::cpu::CpuLaunch;
use crate::device::{barrier, thread_idx};
use crate::kernel::{Kernel, KernelData};

// SAFETY: it has no PTX.
static DEEP: Kernel = unsafe { Kernel::new(&KernelData { name: "deep", ..KernelData::EMPTY }) };
/// A kernel whose variables take so much is refused.
// SAFETY: it has no PTX.
static LARGE: Kernel = unsafe { Kernel::new(&KernelData { cpu_variables: 3 << 20, ..KernelData::EMPTY }) };
// SAFETY: it has no PTX.
static ENDLESS: Kernel = unsafe { Kernel::new(&KernelData { cpu_variables: u64::MAX, ..KernelData::EMPTY }) };

/// Takes so many times 64 KiB of stack.
#[inline(never)]
fn deep(levels: usize) -> u8 {
    let mut bytes = [0u8; 64 << 10];
    black_box(&mut bytes)[levels] = 1;
    let deeper = if levels > 0 { deep(levels - 1) } else { 0 };
    deeper.wrapping_add(black_box(&bytes)[levels])
}

fn launch(kernel: &'static Kernel, body: impl Fn() + 'static) -> CpuLaunch<'static> {
    // SAFETY: the body does nothing that a thread of a kernel may not do.
    unsafe { CpuLaunch::new(kernel, body) }
}

#[test]
fn stacks_are_as_large_as_asked() {
    let body = || {
        barrier();
        assert_eq!(deep(40), 41);
        barrier();
    };
    launch(&LARGE, body).grid(1).block(4).run().unwrap();
    launch(&DEEP, body).stack(8 << 20).grid(2).block(4).run().unwrap();
}

/// Stacks that no system gives are an error.
#[cfg(not(any(miri, cpu_threads)))]
#[test]
fn stacks_beyond_all_memory_are_refused() {
    for bytes in [usize::MAX, 1 << 62, 1 << 50] {
        let error = launch(&DEEP, || ()).stack(bytes).grid(1).block(1).run().unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("no memory for the stack of a thread") && text.contains(".stack(bytes)"),
            "{text}"
        );
    }
    let error = launch(&ENDLESS, || ()).grid(1).block(1).run().unwrap_err();
    assert!(error.to_string().contains("no memory for the stack"), "{error}");
}

#[test]
#[ignore = "a case that a test runs in a process of its own: it ends it"]
fn case_overflows() {
    // From a thread that Rust has not made a stack for handlers for, as well.
    #[cfg(unix)]
    if std::env::var("CASE_THREAD").is_ok_and(|thread| thread == "without") {
        let none = libc::stack_t { ss_sp: std::ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        // SAFETY: the pointer is valid, and no handler runs on this thread.
        unsafe { libc::sigaltstack(&none, std::ptr::null_mut()) };
    }
    let body = || {
        barrier();
        if thread_idx().x == 2 {
            deep(100);
        }
    };
    launch(&DEEP, body).stack(1 << 20).grid(1).block(4).run().unwrap();
}

#[test]
#[ignore = "a case that a test runs in a process of its own: it ends it"]
fn case_faults() {
    launch(&DEEP, || ()).grid(1).block(4).run().unwrap();
    // SAFETY: there is none: the process is to end by it.
    unsafe { black_box(8 as *const u8).read_volatile() };
}

fn run(case: &str, thread: &str) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("cpu::tests::stack::{case}"), "--ignored", "--nocapture"]);
    command.env("CASE_THREAD", thread).output().unwrap()
}

#[cfg(all(target_os = "linux", not(any(miri, cpu_threads))))]
#[test]
fn an_overflow_names_the_kernel() {
    use std::os::unix::process::ExitStatusExt as _;
    for thread in ["with", "without"] {
        let output = run("case_overflows", thread);
        let told = String::from_utf8(output.stderr).unwrap();
        let told: Vec<&str> = told.lines().filter(|line| !line.is_empty()).collect();
        expect![[r#"
            kernel `deep` on the CPU: a thread has overflowed its stack of 1048576 bytes
            help: give threads more, `.stack(8388608)` before `.run()`, or keep large arrays in buffers"#]]
        .assert_eq(&told.join("\n"));
        assert_eq!(output.status.signal(), Some(libc::SIGABRT));
    }
    // Other faults are what they were.
    let output = run("case_faults", "with");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!String::from_utf8(output.stderr).unwrap().contains("overflowed its stack"));
}
