//! Loops that never end: reported at once where their state repeats, after some seconds where it does not.

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};

use super::*;

/// The fault of a body in so many blocks of so many threads, over 64 zeros, with the limits that a launch has by default.
fn fault(blocks: u32, threads: u32, workers: usize, sanitize: bool, body: &str) -> (String, Duration) {
    let text = module(&format!("mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n{body}\nret;"));
    let program = Program::load(&text).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let address = memory.allocate(256, 4);
    memory.fill(address, 0, 256).unwrap();
    let config = LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let options = Options { sanitize, ..Options::default() };
    let kernel = program.kernel("test").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
    let start = Instant::now();
    let outcome = pool.install(|| run(&program, kernel, &memory, &config, &address.to_le_bytes(), &options));
    let found = outcome.result.err().map_or(String::new(), |fault| fault.to_string());
    (found.replace("0x1000000000", "0xA"), start.elapsed())
}

/// Compares what is said, with the sanitizer and without, on one worker and on several.
fn check(blocks: u32, threads: u32, body: &str, expected: Expect) {
    let ways = [(1, true), (1, false), (3, true), (3, false)];
    let found = ways.map(|(workers, sanitize)| fault(blocks, threads, workers, sanitize, body));
    for (text, time) in &found {
        assert_eq!(*text, found[0].0);
        // Far below what the budget of steps takes; this is not optimised, and others may be busy.
        assert!(*time < Duration::from_secs(20), "{time:?}");
    }
    expected.assert_eq(&found[0].0);
}

#[test]
fn a_loop_that_changes_nothing() {
    check(
        1,
        1,
        "LOOP:\nbra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `bra`"#]],
    );
    check(
        2,
        64,
        "LOOP:\nadd.u32 %r4, %r2, 1;\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `add.u32`"#]],
    );
}

#[test]
fn a_loop_that_only_counts_how_often_it_runs() {
    // The sequence that halves and triples from zero: the number that it tests stays, the counter, which is stored behind it, does not.
    let body = "mov.u32 %r5, 0;\nmov.u32 %r4, 0;\nLOOP:\nand.b32 %r1, %r4, 1;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra EVEN;
        mul.lo.u32 %r4, %r4, 3;\nadd.u32 %r4, %r4, 1;\nbra NEXT;\nEVEN:\nshr.u32 %r4, %r4, 1;\nNEXT:\nadd.u32 %r5, %r5, 1;
        setp.ne.u32 %p1, %r4, 1;\n@%p1 bra LOOP;\nst.global.u32 [%rd0], %r5;";
    check(
        1,
        32,
        body,
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 19, `and.b32`"#]],
    );
    // One that ends is none, also where what it stores is all that changes until the last iteration.
    let ends = "mov.u32 %r5, 0;\nLOOP:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100000;\n@%p1 bra LOOP;";
    check(1, 32, ends, expect![""]);
}

#[test]
fn a_loop_that_stores_what_is_there() {
    // The index that nobody moves: after the first iteration each store writes the value that it finds.
    check(
        2,
        64,
        "mul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nLOOP:\nst.global.u32 [%rd1], %r2;\nsetp.lt.u32 %p1, %r2, 64;
        @%p1 bra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 19, `st.global.u32`"#]],
    );
    // One that ends is none.
    let ends = "mov.u32 %r5, 0;\nLOOP:\nst.global.u32 [%rd0], 1;\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 100000;\n@%p1 bra LOOP;";
    check(1, 32, ends, expect![""]);
}

#[test]
fn a_loop_that_changes_only_what_decides_nothing() {
    // A step of zero: what is stored counts for ever, and no branch or address depends on it.
    let counts = "mul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nLOOP:\nld.global.u32 %r4, [%rd1];\nadd.u32 %r4, %r4, 1;
        st.global.u32 [%rd1], %r4;\nsetp.lt.u32 %p1, %r2, 64;\n@%p1 bra LOOP;";
    check(
        1,
        64,
        counts,
        expect![[r#"
        the loop never ends: what it depends on is as it was, and nothing changes it
        help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 19, `ld.global.u32`"#]],
    );
    // Atomically, of several blocks.
    let atomics = "LOOP:\natom.global.add.u32 %r4, [%rd0], 1;\nsetp.lt.u32 %p1, %r2, 64;\n@%p1 bra LOOP;";
    check(
        2,
        32,
        atomics,
        expect![[r#"
        the loop never ends: what it depends on is as it was, and nothing changes it
        help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `atom.global.add.u32`"#]],
    );
    // Those that end by what they store do.
    let ends = "LOOP:\nld.volatile.global.u32 %r4, [%rd0];\nadd.u32 %r4, %r4, 1;\nst.volatile.global.u32 [%rd0], %r4;
        setp.lt.u32 %p1, %r4, 100000;\n@%p1 bra LOOP;";
    check(1, 1, ends, expect![""]);
    let ends = "LOOP:\natom.global.add.u32 %r4, [%rd0], 1;\nsetp.lt.u32 %p1, %r4, 100000;\n@%p1 bra LOOP;";
    check(1, 32, ends, expect![""]);
    let ends = ".shared .b32 s;\nst.shared.u32 [s], 0;\nbar.warp.sync -1;\nLOOP:\natom.shared.add.u32 %r4, [s], 1;\nld.volatile.shared.u32 %r5, [s];
        setp.lt.u32 %p1, %r5, 100000;\n@%p1 bra LOOP;";
    check(1, 32, ends, expect![""]);
}

#[test]
fn a_flag_that_nobody_sets() {
    let wait = "LOOP:\nld.volatile.global.u32 %r4, [%rd0+8];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;";
    check(
        1,
        32,
        wait,
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xffffffff loop until the 4 bytes at global address 0xA08 change, which nobody does: it is 0 (PTX line 17, `ld.volatile.global.u32`)
            help: let a thread that runs write there"#]],
    );
    check(
        4,
        32,
        &format!("setp.ne.u32 %p2, %r3, 2;\n@%p2 bra END;\n{wait}\nEND:"),
        expect![[r#"
            deadlock in `test`, block (2, 0, 0):
              warp 0 lanes 0xffffffff loop until the 4 bytes at global address 0xA08 change, which nobody does: it is 0 (PTX line 19, `ld.volatile.global.u32`)
            help: let a thread that runs write there. 1 block comes after this one, and may not begin before it is over: wait for earlier blocks only, launch a kernel for each of the steps, or let all blocks run at once, in a cooperative launch, `#[kernel(cooperative)]`"#]],
    );
    // With the other warp at a barrier.
    check(
        1,
        64,
        &format!("setp.ge.u32 %p2, %r2, 32;\n@%p2 bra END;\n{wait}\nEND:\nbar.sync 0;"),
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xffffffff loop until the 4 bytes at global address 0xA08 change, which nobody does: it is 0 (PTX line 19, `ld.volatile.global.u32`)
              warp 1 lanes 0xffffffff wait at barrier 0 (PTX line 23, `bar.sync`)
            help: let a thread that runs write there"#]],
    );
    // Waits longer each time, up to a limit.
    check(
        1,
        32,
        "mov.u32 %r5, 1;\nLOOP:\nnanosleep.u32 %r5;\nshl.b32 %r5, %r5, 1;\nmin.u32 %r5, %r5, 256;
        ld.acquire.gpu.global.u32 %r4, [%rd0+8];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xffffffff loop until the 4 bytes at global address 0xA08 change, which nobody does: it is 0 (PTX line 21, `ld.acquire.gpu.global.u32`)
            help: let a thread that runs write there"#]],
    );
}

#[test]
fn a_lock_that_is_not_given_back() {
    check(
        1,
        32,
        "SPIN:\natom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xfffffffe loop until the 4 bytes at global address 0xA00 change, which nobody does: thread (0, 0, 0) of block number 0 took it last (PTX line 17, `atom.global.cas.b32`) (PTX line 17, `atom.global.cas.b32`)
            help: let a thread that runs write there, and give a lock back on every path; several locks are taken in one order by all threads"#]],
    );
    check(
        4,
        32,
        "SPIN:\natom.global.exch.b32 %r1, [%rd0], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xfffffffe loop until the 4 bytes at global address 0xA00 change, which nobody does: thread (0, 0, 0) of block number 0 took it last (PTX line 17, `atom.global.exch.b32`) (PTX line 17, `atom.global.exch.b32`)
            help: let a thread that runs write there, and give a lock back on every path; several locks are taken in one order by all threads. 3 blocks come after this one, and may not begin before it is over: wait for earlier blocks only, launch a kernel for each of the steps, or let all blocks run at once, in a cooperative launch, `#[kernel(cooperative)]`"#]],
    );
}

/// A word that is zero, or whose value an exchange has not put there, is no lock that somebody holds.
#[test]
fn a_lock_that_nobody_holds_has_no_owner() {
    let given_back = "atom.global.exch.b32 %r1, [%rd0], 1;\natom.global.exch.b32 %r1, [%rd0], 0;";
    let stored = "atom.global.exch.b32 %r1, [%rd0], 1;\nst.relaxed.gpu.global.u32 [%rd0], 0;";
    let by_another = "atom.global.exch.b32 %r1, [%rd0], 1;\natom.global.exch.b32 %r1, [%rd0], 0;\natom.global.or.b32 %r1, [%rd0], 1;";
    for (before, value) in [(given_back, 0), (stored, 0), (by_another, 1)] {
        let loops = format!(
            "{before}\nLOOP:\nld.volatile.global.u32 %r4, [%rd0];\nsetp.eq.u32 %p1, %r4, {value};\n@%p1 bra LOOP;"
        );
        let (fault, _) = fault(1, 1, 1, false, &loops);
        assert!(
            fault.contains(&format!(
                "global address 0xA00 change, which nobody does: it is {value} (PTX line"
            )),
            "{before}: {fault}"
        );
    }
}

/// Memory that is read by plain loads is not meant to change meanwhile.
#[test]
fn a_loop_that_skips_its_step() {
    check(
        2,
        64,
        "mov.u32 %r5, 0;\nLOOP:\nld.global.u32 %r4, [%rd0+8];\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;\nadd.u32 %r5, %r5, 1;
        setp.lt.u32 %p1, %r5, 8;\n@%p1 bra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 18, `ld.global.u32`"#]],
    );
}

/// Two warps, each with the lock that the other one waits for.
#[test]
fn two_locks_in_two_orders() {
    check(
        1,
        64,
        ".shared .b32 s[3];\nmov.u32 %r4, s;\nshr.b32 %r5, %r2, 5;\nmad.lo.u32 %r5, %r5, 4, %r4;\nxor.b32 %r6, %r5, 4;
        and.b32 %r1, %r2, 31;\nsetp.ne.u32 %p2, %r1, 0;\n@!%p2 st.shared.u32 [%r5], 0;\n@!%p2 st.shared.u32 [s+8], 0;\nbar.sync 0;\n@%p2 bra END;
        FIRST:\natom.shared.cas.b32 %r1, [%r5], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra FIRST;\natom.shared.add.u32 %r1, [s+8], 1;
        MEET:\nld.volatile.shared.u32 %r1, [s+8];\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra MEET;
        SECOND:\natom.shared.cas.b32 %r1, [%r6], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SECOND;\nEND:",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0x00000001 loop until `s[1]` changes, which nobody does: thread (32, 0, 0) of block number 0 took it last (PTX line 28, `atom.shared.cas.b32`); `s` is a shared variable of 12 bytes, counted here in elements of 4 (PTX line 37, `atom.shared.cas.b32`)
              warp 1 lanes 0x00000001 loop until `s[0]` changes, which nobody does: thread (0, 0, 0) of block number 0 took it last (PTX line 28, `atom.shared.cas.b32`); `s` is a shared variable of 12 bytes, counted here in elements of 4 (PTX line 37, `atom.shared.cas.b32`)
            help: let a thread that runs write there, and give a lock back on every path; several locks are taken in one order by all threads"#]],
    );
}

#[test]
fn a_flag_that_is_set_in_time() {
    // The other warp computes for long before.
    check(
        1,
        64,
        "setp.ge.u32 %p2, %r2, 32;\n@%p2 bra SET;\nLOOP:\nld.volatile.global.u32 %r4, [%rd0+8];
        setp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;\nbra END;
        SET:\nmov.u32 %r5, 0;\nCOUNT:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 200000;\n@%p1 bra COUNT;
        st.volatile.global.u32 [%rd0+8], 1;\nEND:",
        expect![""],
    );
}

#[test]
fn a_flag_that_another_block_sets() {
    let hand_over = "setp.ne.u32 %p2, %r3, 0;\n@%p2 bra SET;\nLOOP:\nld.acquire.gpu.global.u32 %r4, [%rd0+8];
        setp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;\nbra END;
        SET:\nmov.u32 %r5, 0;\nCOUNT:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 200000;\n@%p1 bra COUNT;
        st.release.gpu.global.u32 [%rd0+8], 1;\nEND:";
    for sanitize in [true, false] {
        assert_eq!(fault(2, 1, 3, sanitize, hand_over).0, "");
    }
}

#[test]
fn a_loop_that_polls_by_a_counter() {
    let (found, _) = fault(
        1,
        32,
        1,
        false,
        "mov.u64 %rd1, 0;\nLOOP:\nadd.u64 %rd1, %rd1, 1;\nld.volatile.global.u32 %r4, [%rd0+8];
        setp.eq.u32 %p1, %r4, 0;\n@%p1 bra LOOP;",
    );
    expect![[r#"
        deadlock in `test`, block (0, 0, 0):
          warp 0 lanes 0xffffffff loop until the 4 bytes at global address 0xA08 change, which nobody does: it is 0 (PTX line 19, `ld.volatile.global.u32`)
        help: let a thread that runs write there"#]].assert_eq(&found);
}
