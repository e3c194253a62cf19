//! Ctrl-C during a simulation.
#![cfg(target_os = "linux")]

use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

use kernel_runtime::Progress;
use kernel_runtime::prelude::*;

/// Long, so that it runs when the signal comes, and without a state that repeats.
#[kernel]
fn long(n: u64, y: &mut [u64]) {
    let mut x = n;
    for i in 0..n {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(i);
    }
    y[0] = x;
}

/// The test program starts itself, to be ended by a signal.
const CHILD: &str = "KERNEL_TEST_INTERRUPTED";

#[test]
fn a_signal_ends_the_program_and_says_where_it_was() {
    if std::env::var_os(CHILD).is_some() {
        // A program that a shell has started in the background ignores the signal, and so do those that it starts.
        // SAFETY: no handler is replaced that anybody relies on.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        let mut y = Gpu::simulator(Arch::Sm90).zeros::<u64>(1).unwrap();
        let progress = Progress::new();
        let seen = progress.clone();
        std::thread::spawn(move || {
            while seen.blocks() == 0 {
                std::thread::yield_now();
            }
            println!("\nstarted");
        });
        let _ = long(1 << 40, &mut y).grid(1).block(1).step_limit(1 << 32).progress(&progress).run();
        unreachable!("the launch ended");
    }
    let test = "a_signal_ends_the_program_and_says_where_it_was";
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "started"));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(2), "{told}");
    assert!(told.contains("interrupted: the launch was here\n  in `long"), "{told}");
    assert!(told.contains("thread (0, 0, 0)") && told.contains("tests/interrupt.rs:"), "{told}");
}
