//! Cost of accesses: sectors of global memory, passes over shared memory and bank conflicts.

use super::*;

/// One access of a warp whose lane `tid` is at `%r2` bytes, in a buffer of global memory or a tile of shared memory.
fn access(setup: &str, instruction: &str) -> LaunchStats {
    let body = format!(
        ".shared .align 16 .b8 tile[8192];
        .reg .b32 %q<4>;
        .reg .b64 %g;
        mov.u32 %r1, %tid.x;
        {setup}
        mov.u32 %r3, tile;
        add.u32 %r3, %r3, %r2;
        cvt.u64.u32 %g, %r2;
        add.u64 %g, %g, %rd0;
        mov.u32 %q0, 0; mov.u32 %q1, 0; mov.u32 %q2, 0; mov.u32 %q3, 0;
        mov.u64 %rd1, 0; mov.u64 %rd2, 0;
        {instruction}
        ret;"
    );
    let program = Program::load(&module(&body)).unwrap_or_else(|error| panic!("{error}"));
    // Unwatched: nothing has been written where it reads.
    Run::block(32, 2048).outcome(&program, false).result.unwrap_or_else(|fault| panic!("{fault}"))
}

/// Requests, sectors, the sectors of packed accesses, bytes.
#[track_caller]
fn global(setup: &str, instruction: &str, expected: (u64, u64, u64, u64)) {
    let stats = access(setup, instruction);
    let found = (stats.global_requests, stats.sectors, stats.ideal_sectors, stats.global_bytes);
    assert_eq!(found, expected, "{setup}: requests, sectors, ideal sectors, bytes");
    assert_eq!((stats.shared_requests, stats.wavefronts), (0, 0));
    assert_eq!(stats.lines.iter().map(|line| line.counts.sectors).sum::<u64>(), expected.1);
}

/// Requests, passes, passes without conflicts, conflicts.
#[track_caller]
fn shared(setup: &str, instruction: &str, expected: (u64, u64, u64, u64)) {
    let stats = access(setup, instruction);
    let found = (stats.shared_requests, stats.wavefronts, stats.ideal_wavefronts, stats.bank_conflicts());
    assert_eq!(found, expected, "{setup}: requests, wavefronts, ideal wavefronts, conflicts");
    assert_eq!((stats.global_requests, stats.sectors), (0, 0));
    assert_eq!(stats.lines.iter().map(|line| line.counts.wavefronts).sum::<u64>(), expected.1);
}

const STORE_GLOBAL: &str = "st.global.u32 [%g], %q0;";
const STORE_SHARED: &str = "st.shared.u32 [%r3], %q0;";

#[test]
fn sectors_of_a_request() {
    // Packed: 128 bytes in 4 sectors. The order of the lanes is all the same.
    global("shl.b32 %r2, %r1, 2;", STORE_GLOBAL, (1, 4, 4, 128));
    global("sub.u32 %r2, 31, %r1; shl.b32 %r2, %r2, 2;", STORE_GLOBAL, (1, 4, 4, 128));
    // Not at the start of a sector: one more.
    global("shl.b32 %r2, %r1, 2; add.u32 %r2, %r2, 4;", STORE_GLOBAL, (1, 5, 4, 128));
    // Every other word; a word of every sector, and farther apart.
    global("shl.b32 %r2, %r1, 3;", STORE_GLOBAL, (1, 8, 4, 128));
    global("shl.b32 %r2, %r1, 5;", STORE_GLOBAL, (1, 32, 4, 128));
    global("shl.b32 %r2, %r1, 7;", STORE_GLOBAL, (1, 32, 4, 128));
    // All lanes in one word.
    global("mov.u32 %r2, 64;", "ld.global.u32 %q0, [%g];", (1, 1, 4, 128));
    global("mov.u32 %r2, 64;", "red.global.add.u32 [%g], %q0;", (1, 1, 4, 128));
    // Wider and narrower values.
    global("shl.b32 %r2, %r1, 3;", "ld.global.u64 %rd1, [%g];", (1, 8, 8, 256));
    global("shl.b32 %r2, %r1, 4;", "ld.global.v4.u32 {%q0, %q1, %q2, %q3}, [%g];", (1, 16, 16, 512));
    global("mov.u32 %r2, %r1;", "ld.global.u8 %q0, [%g];", (1, 1, 1, 32));
    // Half of the lanes, and none: an instruction that no lane does asks for nothing.
    global("shl.b32 %r2, %r1, 2; setp.lt.u32 %p1, %r1, 16;", "@%p1 st.global.u32 [%g], %q0;", (1, 2, 2, 64));
    global("shl.b32 %r2, %r1, 2; setp.lt.u32 %p1, %r1, 0;", "@%p1 st.global.u32 [%g], %q0;", (0, 0, 0, 0));
}

#[test]
fn bank_conflicts_of_a_request() {
    shared("shl.b32 %r2, %r1, 2;", STORE_SHARED, (1, 1, 1, 0));
    // Stride 2: two lanes to a bank; stride 3 is free of conflicts, as every odd one is.
    shared("shl.b32 %r2, %r1, 3;", STORE_SHARED, (1, 2, 1, 1));
    shared("mul.lo.u32 %r2, %r1, 12;", STORE_SHARED, (1, 1, 1, 0));
    // The column of a tile of 32 words a row: all lanes to one bank. A word of padding in each row makes it none.
    shared("shl.b32 %r2, %r1, 7;", STORE_SHARED, (1, 32, 1, 31));
    shared("mul.lo.u32 %r2, %r1, 132;", STORE_SHARED, (1, 1, 1, 0));
    // All lanes to one word, and pairs of lanes to one word, are no conflict.
    shared("mov.u32 %r2, 64;", "ld.shared.u32 %q0, [%r3];", (1, 1, 1, 0));
    shared("shr.u32 %r2, %r1, 1; shl.b32 %r2, %r2, 2;", "ld.shared.u32 %q0, [%r3];", (1, 1, 1, 0));
    // Wide values go in halves and quarters of the warp.
    shared("shl.b32 %r2, %r1, 3;", "ld.shared.u64 %rd1, [%r3];", (1, 2, 2, 0));
    shared("shl.b32 %r2, %r1, 4;", "ld.shared.u64 %rd1, [%r3];", (1, 4, 2, 2));
    shared("shl.b32 %r2, %r1, 4;", "ld.shared.v4.u32 {%q0, %q1, %q2, %q3}, [%r3];", (1, 4, 4, 0));
    shared("shl.b32 %r2, %r1, 5;", "ld.shared.v4.u32 {%q0, %q1, %q2, %q3}, [%r3];", (1, 8, 4, 4));
    // Lanes that are switched off meet nobody.
    shared("shl.b32 %r2, %r1, 7; setp.lt.u32 %p1, %r1, 4;", "@%p1 st.shared.u32 [%r3], %q0;", (1, 4, 1, 3));
}

/// Copies between both memories cost in both; rows of matrices are accesses of 16 bytes by 8 lanes.
#[test]
fn copies_and_rows_of_matrices_cost_too() {
    let copy = "cp.async.ca.shared.global [%r3], [%g], 16; cp.async.wait_all;";
    let stats = access("shl.b32 %r2, %r1, 4;", copy);
    assert_eq!((stats.global_requests, stats.sectors, stats.ideal_sectors), (1, 16, 16));
    assert_eq!((stats.shared_requests, stats.wavefronts, stats.bank_conflicts()), (1, 4, 0));
    let rows = |setup: &str| {
        let tile = "st.shared.v4.u32 [%r3], {%q0, %q1, %q2, %q3}; bar.sync 0;";
        let load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%q0, %q1, %q2, %q3}, [%r3];";
        let (before, both) = (access(setup, tile), access(setup, &format!("{tile}\n{load}")));
        (both.shared_requests - before.shared_requests, both.wavefronts - before.wavefronts)
    };
    assert_eq!(rows("shl.b32 %r2, %r1, 4;"), (1, 4));
    // Rows of 128 bytes: the eight of a matrix meet in the same banks; with 16 bytes of padding they do not.
    assert_eq!(rows("shl.b32 %r2, %r1, 7;"), (1, 32));
    assert_eq!(rows("mul.lo.u32 %r2, %r1, 144;"), (1, 4));
}
