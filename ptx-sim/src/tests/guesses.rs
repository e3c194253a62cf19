//! Compare-and-swap loops whose first read is plain: a warning, once; other plain reads beside atomic operations are races.

use expect_test::{Expect, expect};

use super::*;

const GUESSES: &str = include_str!("cuda/guesses.ptx");

/// Reports of a kernel of two blocks of 64 threads, blocks one after the other.
fn check(name: &str, expected: Expect) {
    let program = Program::load(GUESSES).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let out = memory.allocate(1024, 16);
    memory.fill(out, 0, 1024).unwrap();
    let kernel = program.kernel(name).unwrap_or_else(|| panic!("no kernel {name}"));
    let config = LaunchConfig { grid: [2, 1, 1], block: [64, 1, 1], dynamic_shared: 0 };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let options = Options::default();
    let outcome = pool.install(|| run(&program, kernel, &memory, &config, &out.to_le_bytes(), &options));
    assert_eq!(outcome.result.err(), None);
    let show = |report: &Report| {
        let kind = if report.misdeed.is_warning() { "warning" } else { "error" };
        format!("{kind}: {report}")
    };
    let found: Vec<String> = outcome.reports.iter().map(show).collect();
    expected.assert_eq(&found.join("\n").replace("0x1000000000", "0xA"));
}

#[test]
fn loops_of_the_programming_guide() {
    check(
        "cas_sum",
        expect![[r#"
        warning: write of 8 bytes at global address 0xA00 and a read of thread (31, 0, 0) (PTX line 27, `ld.global.u64`): the read is plain, the other atomic. The memory model calls this a race; it does no harm, as a compare-and-swap checks what was read
        help: make the first read of the loop a relaxed atomic load, `volatile` in CUDA C++
          in `cas_sum`, block (0, 0, 0), thread (0, 0, 0), PTX line 33, `atom.global.cas.b64`
          200 times"#]],
    );
    check(
        "cas_max",
        expect![[r#"
        warning: write of 4 bytes at global address 0xA00 and a read of thread (31, 0, 0) (PTX line 58, `ld.global.u32`): the read is plain, the other atomic. The memory model calls this a race; it does no harm, as a compare-and-swap checks what was read
        help: make the first read of the loop a relaxed atomic load, `volatile` in CUDA C++
          in `cas_max`, block (0, 0, 0), thread (1, 0, 0), PTX line 66, `atom.global.cas.b32`
          98 times"#]],
    );
    check(
        "cas_shared",
        expect![[r#"
            warning: write of `_ZZ10cas_sharedE1s[0]` and a read of thread (31, 0, 0) (PTX line 97, `ld.shared.u32`): the read is plain, the other atomic. The memory model calls this a race; it does no harm, as a compare-and-swap checks what was read
            help: make the first read of the loop a relaxed atomic load, `volatile` in CUDA C++
              in `cas_shared`, block (0, 0, 0), thread (0, 0, 0), PTX line 105, `atom.shared.cas.b32`
              68 times"#]],
    );
}

#[test]
fn what_no_compare_and_swap_checks() {
    check(
        "plain_read",
        expect![[r#"
            error: race: write of 4 bytes at global address 0xA00 and a read of thread (62, 0, 0) of block number 0 (PTX line 135, `ld.global.u32`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `plain_read`, block (1, 0, 0), thread (0, 0, 0), PTX line 134, `atom.global.add.u32`
              127 times"#]],
    );
    check(
        "plain_write",
        expect![[r#"
            warning: write of 8 bytes at global address 0xA00 and a read of thread (31, 0, 0) (PTX line 174, `ld.global.u64`): the read is plain, the other atomic. The memory model calls this a race; it does no harm, as a compare-and-swap checks what was read
            help: make the first read of the loop a relaxed atomic load, `volatile` in CUDA C++
              in `plain_write`, block (0, 0, 0), thread (0, 0, 0), PTX line 180, `atom.global.cas.b64`
              196 times
            error: race: write of 8 bytes at global address 0xA00 and a read of thread (31, 0, 0) (PTX line 174, `ld.global.u64`), and nothing orders them
            help: lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic
              in `plain_write`, block (1, 0, 0), thread (0, 0, 0), PTX line 170, `st.global.u64`
              2 times
            error: race: write of 8 bytes at global address 0xA00 and a write of thread (63, 0, 0) of block number 0 (PTX line 180, `atom.global.cas.b64`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `plain_write`, block (1, 0, 0), thread (0, 0, 0), PTX line 170, `st.global.u64`
              2 times"#]],
    );
}
