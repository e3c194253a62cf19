//! Divergence, reconvergence and progress.

use expect_test::expect;

use super::*;

#[test]
fn threads_know_who_they_are() {
    check(
        64,
        "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %laneid;\nadd.u32 %r1, %r1, %r2;\nand.b32 %r1, %r1, 1;",
        expect!["64×0"],
    );
}

#[test]
fn both_sides_of_a_branch_meet_again() {
    let stats = check(
        32,
        "mov.u32 %r2, %tid.x;
        setp.lt.u32 %p1, %r2, 8;
        @%p1 bra THEN;
        mov.u32 %r1, 2;
        bra JOIN;
        THEN:
        mov.u32 %r1, 1;
        JOIN:
        activemask.b32 %r3;
        setp.ne.u32 %p2, %r3, -1;
        @%p2 trap;",
        expect!["8×1 24×2"],
    );
    assert_eq!((stats.branches, stats.divergent_branches), (2, 1));
}

#[test]
fn nested_branches_meet_again() {
    check(
        32,
        "mov.u32 %r2, %tid.x;
        mov.u32 %r1, 0;
        setp.lt.u32 %p1, %r2, 16;
        @!%p1 bra OUTER_ELSE;
        setp.lt.u32 %p2, %r2, 4;
        @!%p2 bra INNER_ELSE;
        add.u32 %r1, %r1, 1;
        bra INNER_END;
        INNER_ELSE:
        add.u32 %r1, %r1, 2;
        INNER_END:
        activemask.b32 %r4;
        setp.eq.u32 %p3, %r4, 0xffff;
        @!%p3 trap;
        add.u32 %r1, %r1, 10;
        bra END;
        OUTER_ELSE:
        add.u32 %r1, %r1, 100;
        END:",
        expect!["4×11 12×12 16×100"],
    );
}

#[test]
fn lanes_leave_a_loop_after_their_own_number_of_turns() {
    let stats = check(
        32,
        "mov.u32 %r2, %tid.x;
        mov.u32 %r1, 0;
        and.b32 %r3, %r2, 3;
        LOOP:
        setp.eq.u32 %p1, %r3, 0;
        @%p1 bra DONE;
        add.u32 %r1, %r1, %r2;
        sub.u32 %r3, %r3, 1;
        bra LOOP;
        DONE:
        activemask.b32 %r4;
        setp.ne.u32 %p2, %r4, -1;
        @%p2 trap;",
        expect!["0 1 4 9 0 5 12 21 0 9 20 33 0 13 28 45 0 17 36 57 0 21 44 69 0 25 52 81 0 29 60 93"],
    );
    assert_eq!(stats.divergent_branches, 3);
}

#[test]
fn the_exit_of_a_loop_may_stand_before_its_body() {
    check(
        32,
        "mov.u32 %r1, 0;
        mov.u32 %r2, %tid.x;
        bra HEAD;
        EXIT:
        activemask.b32 %r4;
        setp.ne.u32 %p2, %r4, -1;
        @%p2 trap;
        bra END;
        HEAD:
        setp.ge.u32 %p1, %r1, %r2;
        @%p1 bra EXIT;
        add.u32 %r1, %r1, 1;
        bra HEAD;
        END:",
        expect!["0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31"],
    );
}

#[test]
fn early_exit_leaves_the_others_running() {
    check(
        40,
        "mov.u32 %r2, %tid.x;
        mov.u32 %r1, 7;
        setp.gt.u32 %p1, %r2, 9;
        @%p1 exit;
        bar.sync 0;",
        expect!["10×7 30×0"],
    );
}

#[test]
fn a_spin_lock_inside_a_warp_finishes() {
    // Each lane takes the lock at data[0], adds one to data[1] without atomics, and gives the lock back.
    let mut run = Run::block(32, 2);
    let stats = run
        .run(
            "SPIN:
            atom.global.cas.b32 %r1, [%rd0], 0, 1;
            setp.ne.u32 %p1, %r1, 0;
            @%p1 bra SPIN;
            ld.volatile.global.u32 %r2, [%rd0+4];
            add.u32 %r2, %r2, 1;
            st.volatile.global.u32 [%rd0+4], %r2;
            membar.gl;
            atom.global.exch.b32 %r3, [%rd0], 0;
            ret;",
        )
        .unwrap();
    assert_eq!(run.words, [0, 32]);
    assert!(stats.divergent_branches > 0);
}

/// As ptxas has it: one way back, before which lanes wait for each other.
#[test]
fn several_ways_back_are_one() {
    let stats = check(
        32,
        "mov.u32 %r2, %tid.x;
        and.b32 %r3, %r2, 1;
        setp.eq.u32 %p1, %r3, 0;
        mov.u32 %r1, 0;
        mov.u32 %r4, 0;
        LOOP:
        activemask.b32 %r5;
        setp.ne.u32 %p3, %r5, -1;
        @%p3 trap;
        setp.eq.u32 %p2, %r4, 8;
        @%p2 bra DONE;
        add.u32 %r4, %r4, 1;
        @%p1 bra EVEN;
        add.u32 %r1, %r1, 3;
        bra LOOP;
        EVEN:
        add.u32 %r1, %r1, 3;
        bra LOOP;
        DONE:",
        expect!["32×24"],
    );
    // In each iteration one, although the lanes that come back first could go on.
    assert_eq!(stats.divergent_branches, 8);
}

#[test]
fn a_warp_may_wait_for_a_later_one() {
    // Warp 0 spins on a flag that warp 1 sets.
    let mut run = Run::block(64, 2);
    run.run(
        "mov.u32 %r1, %tid.x;
        setp.ge.u32 %p1, %r1, 32;
        @%p1 bra SET;
        SPIN:
        ld.volatile.global.u32 %r2, [%rd0];
        setp.eq.u32 %p2, %r2, 0;
        @%p2 bra SPIN;
        st.global.u32 [%rd0+4], 5;
        ret;
        SET:
        st.volatile.global.u32 [%rd0], 1;
        ret;",
    )
    .unwrap();
    assert_eq!(run.words, [1, 5]);
}

#[test]
fn predicated_off_lanes_are_counted() {
    let stats = check(
        32,
        "mov.u32 %r2, %tid.x;\nmov.u32 %r1, 1;\nsetp.lt.u32 %p1, %r2, 24;\n@%p1 mov.u32 %r1, 2;",
        expect!["24×2 8×1"],
    );
    assert_eq!(stats.predicated_off_thread_instructions(), 8);
    assert_eq!(stats.warp_execution_efficiency(), 1.0);
}

#[test]
fn grids_and_blocks_have_three_dimensions() {
    let mut run = Run::block(1, 48);
    run.config = LaunchConfig { grid: [2, 2, 1], block: [2, 3, 2], dynamic_shared: 0 };
    run.run(
        "mov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %nctaid.x;\nmov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;
        mov.u32 %r2, %ntid.z;\nmov.u32 %r3, %tid.z;\nmad.lo.u32 %r1, %r1, %r2, %r3;
        mov.u32 %r2, %ntid.y;\nmov.u32 %r3, %tid.y;\nmad.lo.u32 %r1, %r1, %r2, %r3;
        mov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\nmad.lo.u32 %r1, %r1, %r2, %r3;
        mul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r1;\nret;",
    )
    .unwrap();
    assert_eq!(run.words, (0..48).collect::<Vec<u32>>());
}
