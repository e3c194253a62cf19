//! Planted faults and the correct versions of the same code.

use expect_test::{Expect, expect};

use super::*;

/// A buffer that the host has not written.
const RAW: usize = usize::MAX;

/// Checks the reports of the sanitizer for a body in `blocks` blocks of `threads` threads over 64 zeros.
fn check(blocks: u32, threads: u32, body: &str, expected: Expect) {
    check_program(blocks, threads, &module(&format!("{body}\nret;")), 64, expected);
}

fn check_program(blocks: u32, threads: u32, text: &str, words: usize, expected: Expect) {
    // Blocks one after the other: of two that race, the second is the one that is reported.
    expected.assert_eq(&findings(1, blocks, threads, text, words));
}

/// The findings of a launch on so many workers.
fn findings(workers: usize, blocks: u32, threads: u32, text: &str, words: usize) -> String {
    let program = Program::load(text).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let bytes = if words == RAW { 256 } else { 4 * words as u64 };
    let address = memory.allocate(bytes, 4);
    if words != RAW {
        memory.fill(address, 0, bytes).unwrap();
    }
    let config = LaunchConfig { grid: [blocks, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let options = Options { limits: Limits::steps(1 << 20), ..Options::default() };
    let kernel = program.kernel("test").unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(workers).build().unwrap();
    let outcome = pool.install(|| run(&program, kernel, &memory, &config, &address.to_le_bytes(), &options));
    let mut found: Vec<String> = outcome.reports.iter().map(ToString::to_string).collect();
    found.extend(outcome.result.err().map(|fault| fault.to_string()));
    found.join("\n").replace("0x1000000000", "0xA")
}

/// Thread index in %r2, its word in %rd1; a shared array `s` of 64 words with the thread's own at %r3, the next at %r4.
const SHARED: &str = ".shared .align 4 .b32 s[64];\nmov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;
shl.b32 %r3, %r2, 2;\nmov.u32 %r5, s;\nadd.u32 %r3, %r3, %r5;\nadd.u32 %r4, %r2, 1;\nrem.u32 %r4, %r4, %ntid.x;
shl.b32 %r4, %r4, 2;\nadd.u32 %r4, %r4, %r5;\n";

fn shared(body: &str) -> String {
    let ntid = SHARED.replace("rem.u32 %r4, %r4, %ntid.x;", "mov.u32 %r6, %ntid.x;\nrem.u32 %r4, %r4, %r6;");
    format!("{ntid}{body}")
}

#[test]
fn every_illegal_access_is_told_and_counted() {
    check(
        1,
        64,
        "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 8;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r2;
        ld.global.u32 %r3, [%rd0+2];",
        expect![[r#"
            write of 4 bytes at global address 0x100000000100 is out of bounds: it goes beyond the end of the 256 bytes at 0xA00
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 17, `st.global.u32`
              32 times
            read of 4 bytes at global address 0xA02 is misaligned: the address must be a multiple of 4
            help: begin at such an address, or make accesses of fewer bytes
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 18, `ld.global.u32`
              32 times"#]],
    );
    // The correct version.
    check(
        1,
        64,
        "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r2;",
        expect![""],
    );
}

#[test]
fn what_follows_from_an_illegal_access_is_not_told() {
    check(
        1,
        32,
        "mov.u32 %r2, %laneid;\nsetp.eq.u32 %p1, %r2, 3;\n@%p1 ld.global.u32 %r3, [%rd0+256];
        shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1;\nst.global.u32 [%rd0], 0;",
        expect![[r#"
            read of 4 bytes at global address 0x100000000100 is out of bounds: it goes beyond the end of the 256 bytes at 0xA00
              in `test`, block (0, 0, 0), thread (3, 0, 0), PTX line 16, `ld.global.u32`"#]],
    );
}

#[test]
fn shared_and_local_memory_have_bounds() {
    check(
        1,
        1,
        ".shared .b32 s;\n.local .b32 l;\nst.shared.u32 [s+8], 1;",
        expect![[r#"
            write of `s[2]` is out of bounds, 4 bytes past its end: `s` is a shared variable of 4 bytes
            help: compare the index with the length before the access
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `st.shared.u32`"#]],
    );
    check(
        1,
        1,
        ".local .b32 l;\nst.local.u32 [l+4], 1;",
        expect![[r#"
            write of 4 bytes at local address 0x4 is out of bounds: it goes beyond the end of the 4 bytes at 0x0
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `st.local.u32`"#]],
    );
}

#[test]
fn freed_memory() {
    let program = Program::load(&module("ld.global.u32 %r1, [%rd0+8];\nret;")).unwrap();
    let memory = Memory::new();
    let address = memory.allocate(64, 4);
    memory.fill(address, 0, 64).unwrap();
    memory.free(address).unwrap();
    let config = LaunchConfig { grid: [1, 1, 1], block: [1, 1, 1], dynamic_shared: 0 };
    let fault = launch(&program, program.kernel("test").unwrap(), &memory, &config, &address.to_le_bytes());
    expect![[r#"
        read of 4 bytes at global address 0xA08 uses memory that was freed: 64 bytes at 0xA00
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `ld.global.u32`"#]]
    .assert_eq(&fault.unwrap_err().to_string().replace("0x1000000000", "0xA"));
}

#[test]
fn memory_without_a_value() {
    let text =
        module("ld.global.u32 %r1, [%rd0+4];\nst.global.u32 [%rd0], %r1;\nld.global.u32 %r1, [%rd0];\nret;");
    check_program(
        1,
        1,
        &text,
        RAW,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at global address 0xA04, where nothing was written (PTX line 14, `ld.global.u32`)
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `st.global.u32`"#]],
    );
    check_program(1, 1, &text, 64, expect![""]);
    check(
        1,
        32,
        &shared("ld.shared.u32 %r1, [%r3];\nst.global.u32 [%rd1], %r1;"),
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `s[0]`, where nothing was written (PTX line 26, `ld.shared.u32`); `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `st.global.u32`
              32 times"#]],
    );
    check(1, 32, &shared("st.shared.u32 [%r3], 1;\nld.shared.u32 %r1, [%r3];"), expect![""]);
    check(
        1,
        1,
        ".local .b32 l[2];\nst.local.u32 [l], 1;\nld.local.u32 %r1, [l+4];\nst.global.u32 [%rd0], %r1;",
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at local address 0x4, where nothing was written (PTX line 16, `ld.local.u32`)
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `st.global.u32`"#]],
    );
}

#[test]
fn registers_without_a_value() {
    check(
        1,
        32,
        "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 mov.u32 %r1, 1;\nadd.u32 %r3, %r1, 1;
        mul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r3;",
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 17, `add.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (5, 0, 0), PTX line 20, `st.global.u32`
              27 times"#]],
    );
    // Handed on and used where it has a value only.
    check(
        1,
        32,
        "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 5;\n@%p1 mov.u32 %r1, 1;\nmov.u32 %r4, %r1;\n@%p1 add.u32 %r3, %r4, 1;",
        expect![""],
    );
}

#[test]
fn a_missing_barrier_is_a_race() {
    check(
        1,
        64,
        &shared("st.shared.u32 [%r3], %r2;\nld.shared.u32 %r1, [%r4];\nst.global.u32 [%rd1], %r1;"),
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 27, `ld.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 26, `st.shared.u32`
              64 times"#]],
    );
    check(
        1,
        64,
        &shared(
            "st.shared.u32 [%r3], %r2;\nbar.sync 0;\nld.shared.u32 %r1, [%r4];\nst.global.u32 [%rd1], %r1;",
        ),
        expect![""],
    );
    // Read, then written for the next iteration without a second barrier.
    check(
        1,
        64,
        &shared(
            "mov.u32 %r7, 0;\nLOOP:\nadd.u32 %r8, %r2, %r7;\nst.shared.u32 [%r3], %r8;\nbar.sync 0;
            ld.shared.u32 %r1, [%r4];\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 3;\n@%p1 bra LOOP;",
        ),
        expect![[r#"
            race: read of `s[0]` and a write of thread (0, 0, 0) (PTX line 29, `st.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (63, 0, 0), PTX line 31, `ld.shared.u32`
              128 times"#]],
    );
}

#[test]
fn copies_of_an_instruction_in_an_unrolled_loop_are_one_cause() {
    let race = |line: u32| {
        format!(
            "add.u32 %r2, %r2, 1;\n.loc 1 {line} 9\nst.shared.u32 [%r3], %r2;\n.loc 1 7 5\nld.shared.u32 %r1, [%r4];\nbar.sync 0;\n"
        )
    };
    let text = |lines: [u32; 2]| {
        module(&format!("{}ret;", shared(&lines.map(race).concat())))
            .replace(".visible", ".file 1 \"scan.rs\"\n.visible")
    };
    check_program(
        1,
        64,
        &text([6, 6]),
        256,
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 31, `ld.shared.u32`, from scan.rs:7:5), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `st.shared.u32`, from scan.rs:6:9
              128 times"#]],
    );
    check_program(
        1,
        64,
        &text([6, 8]),
        256,
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 31, `ld.shared.u32`, from scan.rs:7:5), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `st.shared.u32`, from scan.rs:6:9
              64 times
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 37, `ld.shared.u32`, from scan.rs:7:5), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 35, `st.shared.u32`, from scan.rs:8:9
              64 times"#]],
    );
}

#[test]
fn lanes_of_a_warp_need_a_barrier_too() {
    check(
        1,
        32,
        &shared("st.shared.u32 [%r3], %r2;\nld.shared.u32 %r1, [%r4];"),
        expect![[r#"
            race: read of `s[1]` and a write of thread (1, 0, 0) (PTX line 26, `st.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 27, `ld.shared.u32`
              32 times"#]],
    );
    check(
        1,
        32,
        &shared("st.shared.u32 [%r3], %r2;\nbar.warp.sync -1;\nld.shared.u32 %r1, [%r4];"),
        expect![""],
    );
    // A barrier of the warp is none for other warps.
    check(
        1,
        64,
        &shared(
            "st.shared.u32 [%r3], %r2;\nbar.warp.sync -1;\nbar.sync 0;\nst.shared.u32 [%r3], 7;\nbar.warp.sync -1;\nld.shared.u32 %r1, [%r4];",
        ),
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 31, `ld.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `st.shared.u32`
              2 times"#]],
    );
}

/// `bins[k] += 1` by all threads: no barrier can stand between its read and its write.
#[test]
fn what_one_line_does_no_barrier_parts() {
    let text = "mov.u32 %r5, s;\n.loc 1 6 9\nld.shared.u32 %r1, [%r5];\nadd.u32 %r1, %r1, %r2;\nst.shared.u32 [%r5], %r1;\n.loc 1 7 1\n";
    let set = "st.shared.u32 [%r3], 0;\nbar.sync 0;\n";
    let program = module(&format!("{}ret;", shared(&format!("{set}{text}"))))
        .replace(".visible", ".file 1 \"bins.rs\"\n.visible");
    check_program(
        1,
        64,
        &program,
        256,
        expect![[r#"
        race: read of `s[0]` and a write of thread (31, 0, 0) (PTX line 33, `st.shared.u32`, from bins.rs:6:9), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
        help: no barrier parts what one line does: where threads meet in an element, make it one atomic operation, `fetch_add` say, or give each an element of its own; where they meet in two iterations of a loop, put a barrier between these
          in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 31, `ld.shared.u32`, from bins.rs:6:9
          187 times"#]],
    );
}

/// A tile of equal numbers that is loaded again while others still read it: the barrier is missing whatever the numbers are.
#[test]
fn what_is_there_already_written_behind_a_read() {
    check(
        1,
        64,
        &shared("st.shared.u32 [%r3], 7;\nbar.sync 0;\nld.shared.u32 %r1, [%r4];\nst.shared.u32 [%r3], 7;"),
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 28, `ld.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `st.shared.u32`
              63 times"#]],
    );
    check(
        1,
        64,
        &shared(
            "st.shared.u32 [%r3], 7;\nbar.sync 0;\nld.shared.u32 %r1, [%r4];\nbar.sync 0;\nst.shared.u32 [%r3], 7;",
        ),
        expect![[r#""#]],
    );
}

/// A counter of shared memory that one thread sets to zero, by an atomic store, while others count already.
#[test]
fn atomics_come_after_the_first_write() {
    let counting = |store: &str, between: &str, count: &str| {
        shared(&format!("setp.eq.u32 %p1, %r2, 0;\n@%p1 {store};\n{between}\n{count};"))
    };
    let (store, add) = ("st.relaxed.cta.shared.u32 [s], 0", "atom.relaxed.cta.shared.add.u32 %r1, [s], 1");
    // Lanes of the first warp, and those of the second.
    check(
        1,
        64,
        &counting(store, "", add),
        expect![[r#"
            write of `s[0]` needs a value that may not be there yet: the first one comes by a write of thread (0, 0, 0) (PTX line 27, `st.relaxed.cta.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between the first write and this access; `warp::sync()` (PTX `bar.warp.sync`) is enough if only this warp uses it
              in `test`, block (0, 0, 0), thread (1, 0, 0), PTX line 29, `atom.relaxed.cta.shared.add.u32`
              63 times"#]],
    );
    // Ordered for the first warp only.
    check(
        1,
        64,
        &counting(store, "bar.warp.sync -1;", add),
        expect![[r#"
            write of `s[0]` needs a value that may not be there yet: the first one comes by a write of thread (0, 0, 0) (PTX line 27, `st.relaxed.cta.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between the first write and this access
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `atom.relaxed.cta.shared.add.u32`
              32 times"#]],
    );
    check(1, 64, &counting(store, "bar.sync 0;", add), expect![[r#""#]]);
    // An exchange gives the first value, a load needs one.
    check(
        1,
        64,
        &counting(
            "atom.relaxed.cta.shared.exch.b32 %r1, [s], 0",
            "bar.warp.sync -1;",
            "ld.acquire.cta.shared.u32 %r1, [s]",
        ),
        expect![[r#"
            read of `s[0]` needs a value that may not be there yet: the first one comes by a write of thread (0, 0, 0) (PTX line 27, `atom.relaxed.cta.shared.exch.b32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between the first write and this access
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 29, `ld.acquire.cta.shared.u32`
              32 times"#]],
    );
    // All write it, and it is read behind a barrier.
    check(
        1,
        64,
        &shared("st.relaxed.cta.shared.u32 [s], 0;\nbar.sync 0;\nld.relaxed.cta.shared.u32 %r1, [s];"),
        expect![[r#""#]],
    );
    // The second time there is a value: what comes first is up to the kernel.
    check(
        1,
        64,
        &shared(&format!("{store};\nbar.sync 0;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 {store};\n{add};")),
        expect![[r#""#]],
    );
}

/// Bytes of one word that each have a first write of their own.
#[test]
fn first_writes_are_of_bytes() {
    let bytes = |read: &str| {
        shared(&format!(
            "add.u32 %r6, %r5, %r2;\nxor.b32 %r7, %r2, 1;\nadd.u32 %r7, %r5, %r7;\nst.volatile.shared.u8 [%r6], 1;\nld.volatile.shared.u8 %r1, [{read}];"
        ))
    };
    check(1, 64, &bytes("%r6"), expect![""]);
    check(
        1,
        64,
        &bytes("%r7"),
        expect![[r#"
        read of `s[1]` needs a value that may not be there yet: the first one comes by a write of thread (1, 0, 0) (PTX line 29, `st.volatile.shared.u8`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 1
        help: put a barrier between the first write and this access; `warp::sync()` (PTX `bar.warp.sync`) is enough if only this warp uses it
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 30, `ld.volatile.shared.u8`
          64 times"#]],
    );
}

/// Threads that are behind a write: their own, or one of another thread that is ordered.
#[test]
fn one_of_several_first_writes_is_enough() {
    let correct = |threads: u32, body: &str| check(1, threads, &shared(body), expect![""]);
    correct(64, "st.relaxed.cta.shared.u32 [s], 1;\nld.relaxed.cta.shared.u32 %r1, [s];");
    correct(
        64,
        "atom.relaxed.cta.shared.exch.b32 %r1, [s], 1;\natom.relaxed.cta.shared.add.u32 %r1, [s], 1;",
    );
    // A vote of the threads of a slot: whoever wrote last has won.
    correct(
        64,
        "and.b32 %r6, %r2, 7;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r6, %r5;\nst.relaxed.cta.shared.u32 [%r6], %r2;
        ld.relaxed.cta.shared.u32 %r1, [%r6];",
    );
    // The first lane of each warp, on behalf of its warp.
    correct(
        64,
        "and.b32 %r6, %r2, 31;\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 st.relaxed.cta.shared.u32 [s], 0;\nbar.warp.sync -1;
        atom.relaxed.cta.shared.add.u32 %r1, [s], 1;",
    );
    // A barrier of those threads that use it.
    correct(
        96,
        "setp.eq.u32 %p1, %r2, 0;\n@%p1 st.relaxed.cta.shared.u32 [s], 0;\nsetp.ge.u32 %p1, %r2, 64;\n@%p1 bra DONE;
        bar.sync 1, 64;\natom.relaxed.cta.shared.add.u32 %r1, [s], 1;\nDONE:",
    );
}

/// A first write that is handed over by a flag.
#[test]
fn a_flag_orders_the_first_write() {
    let flag = |release: &str, acquire: &str| {
        shared(&format!(
            "setp.eq.u32 %p1, %r2, 0;\n@%p1 st.shared.u32 [s+4], 0;\nbar.sync 0;\n@%p1 st.relaxed.cta.shared.u32 [s], 0;
            @%p1 st.{release}.cta.shared.u32 [s+4], 1;\nWAIT:\nld.{acquire}.cta.shared.u32 %r1, [s+4];
            setp.ne.u32 %p2, %r1, 1;\n@%p2 bra WAIT;\natom.relaxed.cta.shared.add.u32 %r1, [s], 1;"
        ))
    };
    check(1, 64, &flag("release", "acquire"), expect![""]);
    check(
        1,
        64,
        &flag("relaxed", "relaxed"),
        expect![[r#"
        write of `s[0]` needs a value that may not be there yet: the first one comes by a write of thread (0, 0, 0) (PTX line 29, `st.relaxed.cta.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
        help: put a barrier between the first write and this access; `warp::sync()` (PTX `bar.warp.sync`) is enough if only this warp uses it
          in `test`, block (0, 0, 0), thread (1, 0, 0), PTX line 35, `atom.relaxed.cta.shared.add.u32`
          63 times"#]],
    );
}

/// Blocks of a cluster that take part: one of them keeps the flag, or writes the value as well.
#[test]
fn first_writes_in_a_cluster() {
    let cluster = |first_block: &str, second_block: &str| {
        let meet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;";
        let body = format!(
            ".shared .align 4 .b32 s[2];\nmov.u32 %r5, s;\nmapa.shared::cluster.u32 %r6, %r5, 0;\nmapa.shared::cluster.u32 %r7, %r5, 1;
            mov.u32 %r2, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 st.shared.u32 [s+4], 0;\n{meet}
            mov.u32 %r3, %ctaid.x;\nsetp.ne.u32 %p2, %r3, 0;\n@%p2 bra SECOND;\n@%p1 st.relaxed.cluster.shared.u32 [s], 0;\n{first_block}
            bra DONE;\nSECOND:\n{second_block}\nDONE:\n{meet}\nret;"
        );
        let text = module(&body).replace("sm_80", "sm_90");
        text.replace("u64 data)\n", "u64 data) .reqnctapercluster 2, 1, 1\n")
    };
    let add = "atom.relaxed.cluster.shared.add.u32 %r1, [s], 1;";
    let wait = |load: &str| format!("WAIT:\nld.{load};\nsetp.ne.u32 %p3, %r1, 1;\n@%p3 bra WAIT;\n{add}");
    let flag = wait("acquire.cluster.shared::cluster.u32 %r1, [%r7+4]");
    let flag = format!("@%p1 st.release.cluster.shared::cluster.u32 [%r7+4], 1;\n{flag}");
    check_program(2, 64, &cluster(&flag, ""), 64, expect![""]);
    let flag = wait("acquire.gpu.global.u32 %r1, [%rd0]");
    let both =
        "@%p1 st.relaxed.cluster.shared::cluster.u32 [%r6], 0;\n@%p1 st.release.gpu.global.u32 [%rd0], 1;";
    check_program(2, 64, &cluster(&flag, both), 64, expect![""]);
    // The flag of another block does not hand over what that block has not seen.
    let none = "@%p1 st.release.gpu.global.u32 [%rd0], 1;";
    check_program(
        2,
        64,
        &cluster(&flag, none),
        64,
        expect![[r#"
        write of `s[0]` needs a value that may not be there yet: the first one comes by a write of thread (0, 0, 0) (PTX line 26, `st.relaxed.cluster.shared.u32`), and nothing orders them; `s` is a shared variable of 8 bytes, counted here in elements of 4
        help: put a barrier between the first write and this access; `warp::sync()` (PTX `bar.warp.sync`) is enough if only this warp uses it
          in `test`, block (0, 0, 0), thread (1, 0, 0), PTX line 31, `atom.relaxed.cluster.shared.add.u32`
          63 times"#]],
    );
}

/// A store of zeros by a warp to words that have them already and, next to them, to new ones: it is no write of the former.
#[test]
fn lanes_that_change_nothing_beside_a_first_write() {
    let halves = |first: u32| {
        shared(&format!(
            "shr.u32 %r6, %r2, 5;\nsetp.eq.u32 %p1, %r6, {first};\nand.b32 %r6, %r2, 31;\nshl.b32 %r6, %r6, 2;\nadd.u32 %r6, %r6, %r5;
            @%p1 st.shared.u32 [%r6], 0;\nbar.sync 0;\n@!%p1 st.shared.u32 [%r6+64], 0;\n@%p1 ld.shared.u32 %r1, [s+64];"
        ))
    };
    // Read before it is written once more.
    check(
        1,
        64,
        &halves(0),
        expect![[r#"
        race: write of `s[16]` and a read of thread (31, 0, 0) (PTX line 34, `ld.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
        help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
          in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 33, `st.shared.u32`"#]],
    );
    // Read after.
    check(1, 64, &halves(1), expect![""]);
}

/// Zeros are in the simulator's memory before anybody writes them.
#[test]
fn a_first_write_of_zeros_counts() {
    check(
        1,
        64,
        &shared("st.shared.u32 [%r3], 0;\nbar.warp.sync -1;\nld.shared.u32 %r1, [%r4];"),
        expect![[r#"
            race: write of `s[32]` and a read of thread (31, 0, 0) (PTX line 28, `ld.shared.u32`), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 26, `st.shared.u32`
              2 times"#]],
    );
    check(
        1,
        64,
        &shared("st.shared.u32 [%r3], 0;\nbar.sync 0;\nld.shared.u32 %r1, [%r4];"),
        expect![[r#""#]],
    );
    // All threads write one place, and each reads it.
    check(
        1,
        32,
        &shared("st.shared.u32 [s], 0;\nbar.warp.sync -1;\nld.shared.u32 %r1, [s];"),
        expect![[r#""#]],
    );
}

#[test]
fn threads_that_write_one_place() {
    check(
        1,
        32,
        "mov.u32 %r2, %tid.x;\nst.global.u32 [%rd0], %r2;",
        expect![[r#"
            race: write of 4 bytes at global address 0xA00 and a write of thread (1, 0, 0) (PTX line 15, `st.global.u32`), and nothing orders them
            help: no barrier parts what one line does: where threads meet in an element, make it one atomic operation, `fetch_add` say, or give each an element of its own; where they meet in two iterations of a loop, put a barrier between these
              in `test`, block (0, 0, 0), thread (2, 0, 0), PTX line 15, `st.global.u32`
              30 times"#]],
    );
    // All of them the same value; neighbours of a byte each.
    check(2, 64, "st.global.u32 [%rd0], 1;", expect![""]);
    check(
        1,
        32,
        "mov.u32 %r2, %tid.x;\ncvt.u64.u32 %rd1, %r2;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u8 [%rd1], %r2;",
        expect![""],
    );
}

#[test]
fn blocks_are_concurrent() {
    check(
        2,
        1,
        "mov.u32 %r2, %ctaid.x;\nadd.u32 %r2, %r2, 1;\nld.global.u32 %r3, [%rd0];\nst.global.u32 [%rd0], %r2;",
        expect![[r#"
            race: read of 4 bytes at global address 0xA00 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 16, `ld.global.u32`
            race: write of 4 bytes at global address 0xA00 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 17, `st.global.u32`"#]],
    );
    // Atomic on both sides.
    check(8, 32, "red.global.add.u32 [%rd0], 1;", expect![""]);
    // One side is not.
    check(
        1,
        64,
        "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 red.global.add.u32 [%rd0], 1;\n@!%p1 ld.global.u32 %r3, [%rd0];",
        expect![[r#"
            race: read of 4 bytes at global address 0xA00 and a write of thread (31, 0, 0) (PTX line 16, `red.global.add.u32`), and nothing orders them
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 17, `ld.global.u32`
              32 times"#]],
    );
}

#[test]
fn what_is_released_and_acquired_is_ordered() {
    // The last block to finish sums what the others left: the threadFenceReduction sample.
    let last_block = "mov.u32 %r2, %ctaid.x;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1+8], %r2;
        FENCE\natom.global.add.u32 %r3, [%rd0], 1;\nsetp.ne.u32 %p1, %r3, 3;\n@%p1 bra END;
        ld.global.u32 %r4, [%rd0+8];\nld.global.u32 %r5, [%rd0+12];\nEND:";
    check(4, 1, &last_block.replace("FENCE", "membar.gl;"), expect![""]);
    check(
        4,
        1,
        &last_block.replace("FENCE", ""),
        expect![[r#"
            race: read of 4 bytes at global address 0xA0c and a write of thread (0, 0, 0) of block number 1 (PTX line 17, `st.global.u32`), and nothing orders them
            help: the kernel acquires, but releases nothing: let who writes the flag do so, `Ordering::Release` (PTX line 19, `atom.global.add.u32`); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (3, 0, 0), thread (0, 0, 0), PTX line 23, `ld.global.u32`"#]],
    );
    // One warp hands data to another by a flag.
    let flag = "mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, 32;\n@%p1 bra TAKE;\nsetp.ne.u32 %p2, %r2, 0;\n@%p2 bra END;
        st.global.u32 [%rd0+8], 5;\nst.release.gpu.global.u32 [%rd0], 1;\nbra END;
        TAKE:\nld.acquire.gpu.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TAKE;\nld.global.u32 %r4, [%rd0+8];\nEND:";
    check(1, 64, flag, expect![""]);
    check(
        1,
        64,
        &flag.replace("release", "relaxed"),
        expect![[r#"
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) (PTX line 19, `st.global.u32`), and nothing orders them
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 26, `ld.global.u32`
              32 times"#]],
    );
}

#[test]
fn flags_that_blocks_set_at_once() {
    // They wait for the first one, then set the same flags one after the other, so that stores meet: each finds a flag unset, and another's store
    // before its own is noted.
    let body = "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra WAIT;\nst.release.gpu.global.u32 [%rd0], 1;\nbra END;
        WAIT:\nld.acquire.gpu.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra WAIT;\nmov.u64 %rd1, %rd0;\nadd.s64 %rd2, %rd0, 16376;
        NEXT:\nadd.s64 %rd1, %rd1, 4;\nst.global.u32 [%rd1], 1;\nsetp.lt.u64 %p1, %rd1, %rd2;\n@%p1 bra NEXT;\nEND:";
    let text = module(&format!("{body}\nret;"));
    for _ in 0..50 {
        assert_eq!(findings(3, 3, 1, &text, 4096), "");
    }
    // Of different values one is an error.
    let differ = text.replace("[%rd1], 1", "[%rd1], %r2");
    let found = findings(1, 3, 1, &differ, 4096);
    assert!(
        found.contains("race: write of 4 bytes at global address 0xA04 and a write of thread (0, 0, 0)"),
        "{found}"
    );
}

/// Block 0 leaves data and says so at a flag; block 1 waits for the flag and takes them.
const HAND_OVER: &str = "mov.u32 %r2, %ctaid.x;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra TAKE;
    st.global.u32 [%rd0+8], 5;\nst.release.gpu.global.u32 [%rd0], 1;\nbra END;
    TAKE:\nld.acquire.gpu.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TAKE;\nld.global.u32 %r4, [%rd0+8];\nEND:";

#[test]
fn relaxed_accesses_hand_nothing_over() {
    check(2, 1, HAND_OVER, expect![""]);
    check(
        2,
        1,
        &HAND_OVER.replace("acquire", "relaxed"),
        expect![[r#"
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: the kernel releases, but acquires nothing: let who reads the flag do so, `Ordering::Acquire` (PTX line 21, `ld.relaxed.gpu.global.u32`); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 24, `ld.global.u32`"#]],
    );
    check(
        2,
        1,
        &HAND_OVER.replace("release", "relaxed"),
        expect![[r#"
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: the kernel acquires, but releases nothing: let who writes the flag do so, `Ordering::Release` (PTX line 18, `st.relaxed.gpu.global.u32`); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 24, `ld.global.u32`"#]],
    );
    // Fences make up for both, at either side.
    let fenced = HAND_OVER.replace("acquire", "relaxed").replace("release", "relaxed");
    let fenced = fenced.replace("st.relaxed", "fence.acq_rel.gpu;\nst.relaxed");
    let fenced = fenced.replace("ld.global.u32 %r4", "fence.acq_rel.gpu;\nld.global.u32 %r4");
    check(2, 1, &fenced, expect![""]);
    // A fence that other blocks do not see does not.
    check(
        2,
        1,
        &fenced.replacen("fence.acq_rel.gpu", "fence.acq_rel.cta", 1),
        expect![[r#"
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: what is of the scope of a block orders no other blocks: take that of the device (PTX line 18, `fence.acq_rel.cta`); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 26, `ld.global.u32`"#]],
    );
}

#[test]
fn what_comes_after_the_release_is_not_handed_over() {
    let late = HAND_OVER.replace("bra END", "st.global.u32 [%rd0+12], 6;\nbra END").replace("+8];", "+12];");
    check(
        2,
        1,
        &late,
        expect![[r#"
            race: read of 4 bytes at global address 0xA0c and a write of thread (0, 0, 0) of block number 0 (PTX line 19, `st.global.u32`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 25, `ld.global.u32`"#]],
    );
    // Nor what another place was released for.
    let elsewhere = HAND_OVER
        .replace("ld.acquire.gpu.global.u32 %r3, [%rd0]", "ld.acquire.gpu.global.u32 %r3, [%rd0+16]");
    let elsewhere = elsewhere.replace("bra END", "st.relaxed.gpu.global.u32 [%rd0+16], 1;\nbra END");
    check(
        2,
        1,
        &elsewhere,
        expect![[r#"
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 25, `ld.global.u32`"#]],
    );
}

#[test]
fn atomics_of_a_block_are_none_for_other_blocks() {
    check(2, 32, "red.relaxed.gpu.global.add.u32 [%rd0], 1;", expect![""]);
    check(1, 64, "red.relaxed.cta.global.add.u32 [%rd0], 1;", expect![""]);
    check(
        2,
        32,
        "red.relaxed.cta.global.add.u32 [%rd0], 1;",
        expect![[r#"
        race: write of 4 bytes at global address 0xA00 and a write of thread (31, 0, 0) of block number 0 (PTX line 14, `red.relaxed.cta.global.add.u32`), atomic at block scope, in different blocks
        help: leave `.block()` out of both: then they are atomic among the threads of the device
          in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 14, `red.relaxed.cta.global.add.u32`"#]],
    );
    check(
        2,
        1,
        &HAND_OVER.replace(".gpu", ".cta"),
        expect![[r#"
            race: read of 4 bytes at global address 0xA00 and a write of thread (0, 0, 0) of block number 0 (PTX line 18, `st.release.cta.global.u32`), atomic at block scope, in different blocks
            help: leave `.block()` out of both: then they are atomic among the threads of the device
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 21, `ld.acquire.cta.global.u32`
            race: read of 4 bytes at global address 0xA08 and a write of thread (0, 0, 0) of block number 0 (PTX line 17, `st.global.u32`), and nothing orders them
            help: what is of the scope of a block orders no other blocks: take that of the device (PTX line 18, `st.release.cta.global.u32`); else no barrier of a block orders blocks: let each write a part of its own, make both atomic, launch a kernel for each of the steps, hand over what is written by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire` (an exchange with both, `Ordering::AcqRel`), or let the blocks meet: those of a cluster at `cluster::sync()`, those of a cooperative kernel at `grid_barrier()`
              in `test`, block (1, 0, 0), thread (0, 0, 0), PTX line 24, `ld.global.u32`"#]],
    );
}

#[test]
fn a_block_that_acquires_hands_on() {
    // Block 0 to block 1, block 1 to block 2; in block 1 one warp takes and another gives, with a barrier between.
    let chain = "mov.u32 %r2, %ctaid.x;\nmov.u32 %r5, %tid.x;\nsetp.eq.u32 %p1, %r2, 0;\n@!%p1 bra SECOND;
        setp.eq.u32 %p2, %r5, 0;\n@%p2 st.global.u32 [%rd0+8], 5;\n@%p2 st.release.gpu.global.u32 [%rd0], 1;\nbra END;
        SECOND:\nsetp.eq.u32 %p1, %r2, 1;\n@!%p1 bra THIRD;\nsetp.ge.u32 %p2, %r5, 32;\n@%p2 bra MEET;
        TAKE:\nld.acquire.gpu.global.u32 %r3, [%rd0];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra TAKE;
        MEET:\nBARRIER\nsetp.eq.u32 %p2, %r5, 32;\n@%p2 st.release.gpu.global.u32 [%rd0+4], 1;\nbra END;
        THIRD:\nld.acquire.gpu.global.u32 %r3, [%rd0+4];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra THIRD;\nld.global.u32 %r4, [%rd0+8];\nEND:";
    check(3, 64, &chain.replace("BARRIER", "bar.sync 0;"), expect![""]);
}

#[test]
fn named_barriers_order_those_who_meet_there() {
    let pair = "mov.u32 %r2, %tid.x;\nsetp.ge.u32 %p1, %r2, 32;\n@%p1 bra TAKE;\nmul.wide.u32 %rd1, %r2, 4;\nadd.s64 %rd1, %rd0, %rd1;
        st.global.u32 [%rd1], %r2;\nbar.arrive 1, 64;\nbra END;\nTAKE:\nbar.sync 1, 64;\nld.global.u32 %r3, [%rd0];\nEND:";
    check(1, 64, pair, expect![""]);
    check(
        1,
        64,
        &pair.replace(
            "st.global.u32 [%rd1], %r2;\nbar.arrive 1, 64;",
            "bar.arrive 1, 64;\nst.global.u32 [%rd1], 9;",
        ),
        expect![[r#"
            race: read of 4 bytes at global address 0xA00 and a write of thread (0, 0, 0) (PTX line 20, `st.global.u32`), and nothing orders them
            help: put a barrier between them, make both atomic, or hand over by an atomic store with `Ordering::Release` and a load with `Ordering::Acquire`
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 24, `ld.global.u32`
              32 times"#]],
    );
}

#[test]
fn a_lock_orders_those_who_hold_it() {
    // As in `control`: a spin lock inside a warp; the fence before the lock is given back is what releases.
    let lock = "SPIN:\natom.global.cas.b32 %r1, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra SPIN;
        ld.global.u32 %r2, [%rd0+4];\nadd.u32 %r2, %r2, 1;\nst.global.u32 [%rd0+4], %r2;
        membar.gl;\natom.global.exch.b32 %r3, [%rd0], 0;";
    check(2, 64, lock, expect![""]);
}

#[test]
fn both_lines_of_the_source_are_named() {
    let text = module(&shared(
        ".loc 1 10 3\nst.shared.u32 [%r3], %r2;\n.loc 1 12 7\nld.shared.u32 %r1, [%r4];\nret;",
    ))
    .replace(".visible", ".file 1 \"src/k.rs\"\n.visible");
    check_program(
        1,
        32,
        &text,
        64,
        expect![[r#"
            race: read of `s[1]` and a write of thread (1, 0, 0) (PTX line 28, `st.shared.u32`, from src/k.rs:10:3), and nothing orders them; `s` is a shared variable of 256 bytes, counted here in elements of 4
            help: lanes of a warp are in no order: put a barrier between them, or, if no other warp accesses this, `warp::sync()`, in PTX `bar.warp.sync`, or make both atomic
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 30, `ld.shared.u32`, from src/k.rs:12:7
              32 times"#]],
    );
}

#[test]
fn waiting_for_ever() {
    check(
        1,
        64,
        "mov.u32 %r2, %tid.x;\nsetp.lt.u32 %p1, %r2, 32;\n@%p1 bra A;\nbar.sync 1;\nbra END;\nA:\nbar.sync 0;\nEND:",
        expect![[r#"
            barrier 0 waits for all threads of the block, but warp 1 waits at barrier 1 (PTX line 17, `bar.sync`)
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `bar.sync`"#]],
    );
    check(
        1,
        1,
        "LOOP:\nbra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `bra`"#]],
    );
}
