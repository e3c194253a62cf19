//! Barriers, shared memory, shuffles, votes, matches, reductions.

use expect_test::{Expect, expect};

use super::*;

#[test]
fn a_block_sums_through_shared_memory() {
    check(
        64,
        ".shared .align 4 .b32 tile[64];
        mov.u32 %r2, %tid.x;
        mov.u64 %rd1, tile;
        mul.wide.u32 %rd2, %r2, 4;
        add.s64 %rd2, %rd1, %rd2;
        st.shared.u32 [%rd2], %r2;
        mov.u32 %r3, 32;
        LOOP:
        bar.sync 0;
        setp.ge.u32 %p1, %r2, %r3;
        @%p1 bra SKIP;
        mul.wide.u32 %rd3, %r3, 4;
        add.s64 %rd3, %rd2, %rd3;
        ld.shared.u32 %r4, [%rd3];
        ld.shared.u32 %r5, [%rd2];
        add.u32 %r4, %r4, %r5;
        st.shared.u32 [%rd2], %r4;
        SKIP:
        shr.u32 %r3, %r3, 1;
        setp.ne.u32 %p2, %r3, 0;
        @%p2 bra LOOP;
        bar.sync 0;
        ld.shared.u32 %r1, [tile];",
        expect!["64×2016"],
    );
}

#[test]
fn dynamic_shared_memory_follows_the_static() {
    let mut run = Run::block(1, 2);
    run.config.dynamic_shared = 8;
    run.run(
        ".shared .align 4 .b8 small[5];
        mov.u32 %r1, dynamic;
        st.shared.u32 [%r1+4], 9;
        ld.shared.u32 %r2, [dynamic+4];
        cvta.shared.u64 %rd1, 148;
        ld.u32 %r3, [%rd1];
        add.u32 %r2, %r2, %r3;
        st.global.v2.u32 [%rd0], {%r1, %r2};
        ret;",
    )
    .unwrap();
    // At the next multiple of 16, and beyond a gap of 128 bytes.
    assert_eq!(run.words, [144, 18]);
}

/// A shuffle of the lane numbers (plus 100), in `%r1`; threads for which `p` is false add 1000.
fn check_shuffle(form: &str, lane: &str, clamp: &str, expected: Expect) {
    let body = format!(
        "mov.u32 %r2, %laneid;
        add.u32 %r3, %r2, 100;
        shfl.sync.{form}.b32 %r1|%p1, %r3, {lane}, {clamp}, -1;
        @!%p1 add.u32 %r1, %r1, 1000;"
    );
    check(32, &body, expected);
}

#[test]
fn shuffles_of_every_mode_and_width() {
    check_shuffle(
        "down",
        "16",
        "0x1f",
        expect![
            "116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131 1116 1117 1118 1119 1120 1121 1122 1123 1124 1125 1126 1127 1128 1129 1130 1131"
        ],
    );
    check_shuffle(
        "down",
        "1",
        "0x181f",
        expect![
            "101 102 103 104 105 106 107 1107 109 110 111 112 113 114 115 1115 117 118 119 120 121 122 123 1123 125 126 127 128 129 130 131 1131"
        ],
    );
    check_shuffle(
        "up",
        "1",
        "0",
        expect![
            "1100 100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130"
        ],
    );
    check_shuffle(
        "up",
        "3",
        "0x1c00",
        expect![
            "1100 1101 1102 100 1104 1105 1106 104 1108 1109 1110 108 1112 1113 1114 112 1116 1117 1118 116 1120 1121 1122 120 1124 1125 1126 124 1128 1129 1130 128"
        ],
    );
    check_shuffle(
        "bfly",
        "5",
        "0x1f",
        expect![
            "105 104 107 106 101 100 103 102 113 112 115 114 109 108 111 110 121 120 123 122 117 116 119 118 129 128 131 130 125 124 127 126"
        ],
    );
    check_shuffle("idx", "9", "0x181f", expect!["8×101 8×109 8×117 8×125"]);
    check_shuffle(
        "idx",
        "%r2",
        "0x1f",
        expect![
            "100 101 102 103 104 105 106 107 108 109 110 111 112 113 114 115 116 117 118 119 120 121 122 123 124 125 126 127 128 129 130 131"
        ],
    );
    check_shuffle(
        "down",
        "4",
        "0x1807",
        expect![
            "104 105 106 107 1104 1105 1106 1107 112 113 114 115 1112 1113 1114 1115 120 121 122 123 1120 1121 1122 1123 128 129 130 131 1128 1129 1130 1131"
        ],
    );
}

#[test]
fn a_shuffle_writes_where_it_reads() {
    check(
        32,
        "mov.u32 %r1, %laneid;\nshfl.sync.bfly.b32 %r1, %r1, 31, 31, -1;",
        expect!["31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0"],
    );
}

#[test]
fn votes_see_the_members_only() {
    check(
        32,
        "mov.u32 %r2, %laneid;
        setp.lt.u32 %p1, %r2, 5;
        vote.sync.ballot.b32 %r1, %p1, -1;
        vote.sync.any.pred %p2, %p1, -1;
        vote.sync.all.pred %p3, %p1, -1;
        vote.sync.uni.pred %p4, %p1, -1;
        @%p2 add.u32 %r1, %r1, 100;
        @%p3 add.u32 %r1, %r1, 1000;
        @%p4 add.u32 %r1, %r1, 10000;
        setp.gt.u32 %p5, %r2, 29;
        @%p5 vote.sync.ballot.b32 %r1, !%p1, 0xc0000000;",
        expect!["30×131 2×3221225472"],
    );
}

#[test]
fn lanes_with_equal_values_find_each_other() {
    check(
        32,
        "mov.u32 %r2, %laneid;
        shr.u32 %r3, %r2, 3;
        match.any.sync.b32 %r1, %r3, -1;
        match.all.sync.b32 %r4|%p1, %r3, -1;
        @%p1 trap;
        match.all.sync.b32 %r4|%p1, 7, -1;
        @!%p1 trap;",
        expect!["8×255 8×65280 8×16711680 8×4278190080"],
    );
}

#[test]
fn reductions_over_a_warp() {
    check(
        32,
        "mov.u32 %r2, %laneid;
        sub.u32 %r2, %r2, 3;
        redux.sync.add.s32 %r3, %r2, -1;
        redux.sync.min.s32 %r4, %r2, -1;
        redux.sync.max.u32 %r5, %r2, -1;
        redux.sync.or.b32 %r6, %r2, -1;
        mad.lo.s32 %r1, %r4, 1000, %r3;
        setp.ne.u32 %p1, %r5, -1;
        @%p1 trap;
        setp.ne.u32 %p1, %r6, -1;
        @%p1 trap;",
        expect!["32×4294964696"],
    );
}

#[test]
fn a_collective_waits_for_lanes_that_come_later() {
    // Lanes 0–7 go a longer way to the same shuffle.
    check(
        32,
        "mov.u32 %r2, %laneid;
        mov.u32 %r3, 0;
        setp.lt.u32 %p1, %r2, 8;
        @!%p1 bra SHUFFLE;
        mov.u32 %r3, 50;
        SHUFFLE:
        shfl.sync.idx.b32 %r1, %r3, 3, 31, -1;",
        expect!["32×50"],
    );
}

#[test]
fn a_barrier_can_reduce_and_count() {
    check(
        64,
        "mov.u32 %r2, %tid.x;
        setp.lt.u32 %p1, %r2, 37;
        bar.red.popc.u32 %r1, 1, %p1;
        bar.red.and.pred %p2, 1, %p1;
        bar.red.or.pred %p3, 1, %p1;
        @%p2 trap;
        @!%p3 trap;",
        expect!["64×37"],
    );
}

#[test]
fn producers_arrive_and_consumers_wait() {
    check(
        64,
        ".shared .align 4 .b32 slot;
        mov.u32 %r1, %tid.x;
        setp.ge.u32 %p1, %r1, 32;
        @%p1 bra CONSUME;
        setp.eq.u32 %p2, %r1, 7;
        @%p2 st.shared.u32 [slot], 70;
        bar.arrive 3, 64;
        bra END;
        CONSUME:
        bar.sync 3, 64;
        ld.shared.u32 %r1, [slot];
        END:",
        expect![
            "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32×70"
        ],
    );
}

#[test]
fn bank_conflicts_and_sectors_are_counted() {
    let stats = check(
        32,
        ".shared .align 4 .b32 tile[1024];
        mov.u32 %r2, %tid.x;
        shl.b32 %r3, %r2, 7;
        mov.u32 %r4, tile;
        add.u32 %r3, %r3, %r4;
        shl.b32 %r5, %r2, 2;
        add.u32 %r5, %r5, %r4;
        st.shared.u32 [%r5], 0;
        bar.sync 0;
        st.shared.u32 [%r3], 1;
        ld.shared.u32 %r1, [%r5];",
        expect!["1 31×0"],
    );
    assert_eq!((stats.shared_requests, stats.wavefronts, stats.bank_conflicts()), (3, 34, 31));
    assert_eq!((stats.global_requests, stats.sectors), (1, 4));
}
