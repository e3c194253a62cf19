//! Faults name the thread, the instruction and the source.

use std::sync::Arc;

use expect_test::{Expect, expect};

use super::*;
use crate::SourceLine;

#[test]
fn out_of_bounds() {
    check_fault(
        1,
        "ld.global.u32 %r1, [%rd0+256];\nret;",
        expect![[r#"
        read of 4 bytes at global address 0x100000000100 is out of bounds: it goes beyond the end of the 256 bytes at 0xA00
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `ld.global.u32`"#]],
    );
    check_fault(
        1,
        "st.global.v2.u32 [%rd0+-8], {%r1, %r2};\nret;",
        expect![[r#"
        write of 8 bytes at global address 0xffffffffff8 is out of bounds: 8 bytes before the 256 bytes at 0xA00
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `st.global.v2.u32`"#]],
    );
    check_fault(
        1,
        "mov.u64 %rd1, 0;\nst.global.u32 [%rd1], %r1;\nret;",
        expect![[r#"
        write of 4 bytes at global address 0x0 is out of bounds: 17592186044416 bytes before the 256 bytes at 0xA00
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `st.global.u32`"#]],
    );
    check_fault(
        40,
        "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd1, %r1, 8;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 [%rd1], %r1;\nret;",
        expect![[r#"
            write of 4 bytes at global address 0x100000000100 is out of bounds: it goes beyond the end of the 256 bytes at 0xA00
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 17, `st.global.u32`"#]],
    );
    check_fault(
        1,
        ".shared .b32 s;\nst.shared.u32 [s+4], 1;\nret;",
        expect![[r#"
            write of `s[1]` is out of bounds, right past its end: `s` is a shared variable of 4 bytes
            help: compare the index with the length before the access
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `st.shared.u32`"#]],
    );
}

#[test]
fn misaligned() {
    check_fault(
        1,
        "ld.global.u32 %r1, [%rd0+2];\nret;",
        expect![[r#"
            read of 4 bytes at global address 0xA02 is misaligned: the address must be a multiple of 4
            help: begin at such an address, or make accesses of fewer bytes
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `ld.global.u32`"#]],
    );
    check_fault(
        1,
        "ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+8];\nret;",
        expect![[r#"
            read of 16 bytes at global address 0xA08 is misaligned: the address must be a multiple of 16
            help: begin at such an address, or make accesses of fewer bytes
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `ld.global.v4.u32`"#]],
    );
}

#[test]
fn source_lines() {
    let text = module(".loc 1 12 5\nld.global.u32 %r1, [%rd0+4096];\nret;")
        .replace(".visible", ".file 1 \"k.rs\"\n.visible");
    let program = Program::load(&text).unwrap();
    let fault = Run::block(1, 4).run_program(&program).unwrap_err();
    let Fault::Thread { place, .. } = fault else { panic!("{fault}") };
    assert_eq!(place.code.source.unwrap().to_string(), "k.rs:12:5");
}

#[test]
fn lines_of_inlined_functions_have_that_of_the_call() {
    let header = ".visible";
    let files = ".file 1 \"k.cu\"\n.file 2 \"atomics.h\"\n.visible";
    let faulty = "ld.global.u32 %r1, [%rd0+4096];\nret;";
    let check = |locations: &str, expected: &str| {
        let text = module(&format!("{locations}\n{faulty}")).replace(header, files);
        let fault = Run::block(1, 4).run_program(&Program::load(&text).unwrap()).unwrap_err();
        let Fault::Thread { place, .. } = fault else { panic!("{fault}") };
        let text = place.code.to_string();
        assert_eq!(text.split_once(", from ").map(|(_, lines)| lines), Some(expected));
    };
    // A call within a call, whose own location comes before.
    let nested = ".loc 2 112 3, function_name $L__name, inlined_at 1 4 9\n.loc 2 60 7, function_name $L__name, inlined_at 2 112 3";
    check(nested, "atomics.h:60:7, called at k.cu:4:9");
    // The rest is inlined no more.
    check(&format!("{nested}\n.loc 1 5 9"), "k.cu:5:9");
    // Calls that go round, as no compiler writes them.
    let round = ".loc 2 1 1, function_name $L__name, inlined_at 2 2 2\n.loc 2 2 2, function_name $L__name, inlined_at 2 1 1";
    check(round, "atomics.h:2:2, called at atomics.h:2:2");
}

#[test]
fn calls_that_the_compiler_knows_are_named() {
    let text = module("ld.global.u32 %r1, [%rd0+4096];\nret;");
    let mut program = Program::load(&text).unwrap();
    let at = |line| SourceLine { file: "k.rs".into(), line, column: 5 };
    let line = 1 + text.lines().position(|line| line.contains("4096")).unwrap() as u32;
    program.set_calls(|of| if of == line { [at(3), at(9)].into() } else { Arc::default() });
    let fault = Run::block(1, 4).run_program(&program).unwrap_err();
    let Fault::Thread { place, .. } = fault else { panic!("{fault}") };
    assert_eq!(
        place.code.to_string(),
        format!("PTX line {line}, `ld.global.u32`, called at k.rs:3:5, called at k.rs:9:5")
    );
}

#[test]
fn accesses_beyond_a_shared_variable() {
    let check_beyond = |body: &str, expected: Expect| {
        let text = module(&format!(
            ".shared .align 4 .b8 left[256];\n.shared .align 4 .b8 right[256];\n{body}\nret;"
        ));
        let mut run = Run::block(1, 4);
        run.config.dynamic_shared = 64;
        let outcome = run.outcome(&Program::load(&text).unwrap(), true);
        let found: Vec<String> = outcome.reports.iter().map(ToString::to_string).collect();
        expected.assert_eq(&found.join("\n"));
    };
    // Into the next one on a GPU; a vector of which half is inside; before the second; behind the last, where the dynamic memory is.
    check_beyond(
        "st.shared.u32 [left+256], 1;\nst.shared.u32 [right], 1;",
        expect![[r#"
        write of `left[64]` is out of bounds, right past its end: `left` is a shared variable of 256 bytes
        help: compare the index with the length before the access
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `st.shared.u32`"#]],
    );
    check_beyond(
        "ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [left+240];\nld.shared.u64 %rd1, [left+256];",
        expect![[r#"
        read of `left[32]` is out of bounds, right past its end: `left` is a shared variable of 256 bytes
        help: compare the index with the length before the access
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `ld.shared.u64`"#]],
    );
    check_beyond(
        "atom.shared.add.u32 %r1, [right+-4], 1;",
        expect![[r#"
        write of `right[-1]` is out of bounds, 4 bytes before its start: `right` is a shared variable of 256 bytes
        help: compare the index with the length before the access
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `atom.shared.add.u32`"#]],
    );
    check_beyond(
        "st.shared.u32 [right+256], 1;\nst.shared.u32 [dynamic], 1;\nst.shared.u32 [dynamic+-4], 1;",
        expect![[r#"
        write of `right[64]` is out of bounds, right past its end: `right` is a shared variable of 256 bytes
        help: compare the index with the length before the access
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `st.shared.u32`"#]],
    );
}

#[test]
fn gaps_between_shared_variables_count_nowhere() {
    let text = module(
        ".shared .align 128 .b8 first[200];\n.shared .align 256 .b8 second[4];\nmov.u32 %r1, %total_smem_size;\nst.global.u32 [%rd0], %r1;\nst.shared.u32 [first], 1;\nst.shared.u32 [second], 1;\nst.shared.u32 [dynamic], 1;\nret;",
    );
    let program = Program::load(&text).unwrap();
    assert_eq!(program.info(program.kernel("test").unwrap()).static_shared_bytes, 260);
    let mut run = Run::block(1, 1);
    for (dynamic, all) in [(0, 260), (64, 272 + 64)] {
        run.config.dynamic_shared = dynamic;
        let result = run.run_program(&program);
        assert_eq!((run.words[0], result.is_ok()), (all, dynamic > 0));
    }
}

#[test]
fn barriers_with_too_few_threads() {
    check_fault(
        128,
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 64;\n@!%p1 ret;\nbar.sync 1, 128;\nret;",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait at barrier 1 for 128 threads, of which 64 have come (PTX line 17, `bar.sync`)
              warp 1 lanes 0xffffffff wait at barrier 1 for 128 threads, of which 64 have come (PTX line 17, `bar.sync`)
            help: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the threads of their warps"#]],
    );
    check_fault(
        128,
        "mov.u32 %r1, %tid.x;\nsetp.lt.u32 %p1, %r1, 32;\n@%p1 bra WAIT;\nsetp.lt.u32 %p1, %r1, 64;\n@%p1 bar.arrive 1, 96;\nret;\nWAIT:\nbar.sync 1, 96;\nret;",
        expect![[r#"
            deadlock in `test`, block (0, 0, 0):
              warp 0 lanes 0xffffffff wait at barrier 1 for 96 threads, of which 64 have come (PTX line 21, `bar.sync`)
            help: let as many threads come to the barrier as it waits for, or wait for as many as come: the multiple of 32 that is the threads of their warps"#]],
    );
}

#[test]
fn grids_that_meet_without_a_cooperative_launch() {
    // Cooperative groups trap where the address of their memory is 0.
    check_fault(
        1,
        "mov.u32 %r1, %envreg1;\nmov.u32 %r2, %envreg2;\nor.b32 %r1, %r1, %r2;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 trap;\nret;",
        expect![[r#"
            the kernel trapped: it synchronises the grid, but the launch is not cooperative
            help: launch it with `.cooperative()`
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 18, `trap`"#]],
    );
}

#[test]
fn barriers_that_not_all_lanes_reach() {
    check_fault(
        64,
        "mov.u32 %r1, %tid.x;
        setp.lt.u32 %p1, %r1, 40;
        @%p1 bra A;
        bar.sync 1;
        ret;
        A:
        bar.sync 0;
        ret;",
        expect![[r#"
            only lanes 0xffffff00 of the warp have come to this barrier, lanes 0x000000ff are elsewhere (PTX line 20, `bar.sync`)
              in `test`, block (0, 0, 0), thread (40, 0, 0), PTX line 17, `bar.sync`"#]],
    );
}

#[test]
fn deadlock() {
    check_fault(
        64,
        "mov.u32 %r1, %tid.x;
        setp.lt.u32 %p1, %r1, 32;
        @%p1 bra A;
        bar.sync 1;
        ret;
        A:
        bar.sync 0;
        ret;",
        expect![[r#"
            barrier 0 waits for all threads of the block, but warp 1 waits at barrier 1 (PTX line 17, `bar.sync`)
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `bar.sync`"#]],
    );
    check_fault(
        32,
        "mov.u32 %r1, %tid.x;
        setp.lt.u32 %p1, %r1, 16;
        @%p1 bra A;
        bar.warp.sync -1;
        ret;
        A:
        shfl.sync.idx.b32 %r1, %r1, 0, 31, -1;
        ret;",
        expect![[r#"
            lanes 0x0000ffff of the member mask 0xffffffff do not come here: they are elsewhere (PTX line 20, `shfl.sync.idx.b32`)
              in `test`, block (0, 0, 0), thread (16, 0, 0), PTX line 17, `bar.warp.sync`"#]],
    );
}

#[test]
fn shuffles_from_lanes_that_are_not_there() {
    check_fault(
        20,
        "shfl.sync.down.b32 %r1, %r2, 16, 31, -1;\nret;",
        expect![[r#"
            lane 4 reads lane 20, which is no thread: the number of threads of the block is no multiple of 32; the mask is 0xffffffff
            help: launch blocks of whole warps, with threads that have a neutral value, or leave out of the mask what is no thread
              in `test`, block (0, 0, 0), thread (4, 0, 0), PTX line 14, `shfl.sync.down.b32`"#]],
    );
    check_fault(
        32,
        "mov.u32 %r1, %laneid;\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 shfl.sync.idx.b32 %r1, %r2, 9, 31, 0xff;\nret;",
        expect![[r#"
            lane 0 reads lane 9, which is not in the member mask; the mask is 0x000000ff
            help: put it into the mask, or read a lane that is in it
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `shfl.sync.idx.b32`"#]],
    );
    check_fault(
        32,
        "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xff;\nret;",
        expect![[r#"
            lane 8 is not in its own member mask 0x000000ff
            help: let the mask name every lane that comes here, and no other: what a ballot on the condition gives, where all lanes are still together
              in `test`, block (0, 0, 0), thread (8, 0, 0), PTX line 14, `shfl.sync.idx.b32`"#]],
    );
}

#[test]
fn traps_and_endless_loops() {
    check_fault(
        33,
        "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 32;\n@%p1 trap;\nret;",
        expect![[r#"
            the kernel trapped
              in `test`, block (0, 0, 0), thread (32, 0, 0), PTX line 16, `trap`"#]],
    );
    check_fault(
        1,
        "LOOP:\nbra LOOP;",
        expect![[r#"
            the loop never ends: what it depends on is as it was, and nothing changes it
            help: change in the loop what its condition depends on; to wait for another thread, read atomically what that thread writes, and launch no more blocks than run at once
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `bra`"#]],
    );
    check_fault(
        32,
        "bar.sync 0, 48;\nret;",
        expect![[r#"
        barrier 0 with 48 threads: there are 16 barriers, and counts are multiples of 32 up to the block
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `bar.sync`"#]],
    );
    check_fault(
        32,
        "bar.sync 9223372036854775807;\nret;",
        expect![[r#"
        barrier 4294967295 with 32 threads: there are 16 barriers, and counts are multiples of 32 up to the block
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 14, `bar.sync`"#]],
    );
}

#[test]
fn impossible_launches() {
    let mut run = Run::block(2048, 1);
    expect!["cannot launch `test`: 2048 threads in a block of [2048, 1, 1]: at most 1024, and 64 in z"]
        .assert_eq(&run.run("ret;").unwrap_err().to_string());
    let refused = |config: LaunchConfig, cooperative: bool| {
        let program = Program::load(&module("ret;")).unwrap();
        let options = Options { cooperative, ..Options::default() };
        let memory = Memory::new();
        let data = memory.allocate(8, 8);
        let kernel = program.kernel("test").unwrap();
        crate::run(&program, kernel, &memory, &config, &data.to_le_bytes(), &options)
            .result
            .unwrap_err()
            .to_string()
    };
    let config = LaunchConfig { grid: [1, 1, 1], block: [32, 1, 1], dynamic_shared: u32::MAX };
    expect!["cannot launch `test`: 4294967295 bytes of dynamic shared memory: at most 262144"]
        .assert_eq(&refused(config, false));
    let config = LaunchConfig { grid: [i32::MAX as u32, 65535, 65535], dynamic_shared: 0, ..config };
    expect!["cannot launch `test`: 18446744073709551615 threads of a cooperative grid, which run together: at most 1048576"]
        .assert_eq(&refused(config, true));
}

/// Checks the error of loading a body.
fn check_load(body: &str, expected: Expect) {
    expected.assert_eq(&Program::load(&module(body)).unwrap_err().to_string());
}

#[test]
fn what_is_not_simulated_is_an_error_when_loading() {
    check_load(
        "txq.width.b32 %r1, [%rd0];",
        expect![[r#"
            ptx:14:1: `txq.width.b32`: textures and surfaces are not simulated
            help: read the data through a pointer instead"#]],
    );
    check_load(
        "add.u32 %r1, %rd2, %r3;",
        expect![[r#"
            ptx:14:1: in `test`: operand 2: expected a register for .u32, found `%rd2`, a .b64 register
                add.u32 %r1, %rd2, %r3;"#]],
    );
    check_load(
        "add.u32 %r1, %x, %r3;",
        expect![[r#"
        ptx:14:1: in `test`: operand 2: expected a name that is declared, found `%x`
            add.u32 %r1, %x, %r3;"#]],
    );
    check_load(
        "{ .reg .b32 %many<2000000000>; }\nret;",
        expect![[r#"
        `%many`: expected at most 1048576 registers in a function, found 2000000160
        help: declare as many as are used"#]],
    );
    check_load(
        "{ .shared .align 128 .b8 tile[4294967295]; .shared .align 128 .b8 more[4]; }\nret;",
        expect!["`tile`: more than 64 MiB of memory"],
    );
    check_load(
        "{ .local .align 2147483648 .b8 far[4]; .local .align 2147483648 .b8 farther[4]; }\nret;",
        expect!["`far`: an alignment beyond 1 MiB"],
    );
    check_load(
        "bra NOWHERE;",
        expect![[r#"
        ptx:14:1: in `test`: operand 1: expected a name that is declared, found `NOWHERE`
            bra NOWHERE;"#]],
    );
    check_load(
        "tex.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%rd1, {%f4, %f5}];",
        expect![[r#"
            ptx:14:1: `tex.2d.v4.f32.f32`: textures and surfaces are not simulated
            help: read the data through a pointer instead"#]],
    );
    check_load(
        "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r2, %r2}], [%r3], {%h1};",
        expect![
            "ptx:14:1: `cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes`: tensors as `.im2col` are not simulated: `.tile` is"
        ],
    );
    check_load(
        "ld.global.b128 %r1, [%rd0];",
        expect![[r#"
            ptx:14:1: in `test`: operand 1: expected a register for .b128, found `%r1`, a .b32 register
                ld.global.b128 %r1, [%rd0];"#]],
    );
}

#[test]
fn malformed_text_says_where_and_what_was_expected() {
    for (body, expected) in [
        (
            "add.u32 %r1, %r2;",
            expect![[r#"
            ptx:14:1: in `test`: expected operands as in `add.INT d, a, a`, found 2 of them
                add.u32 %r1, %r2;"#]],
        ),
        ("add.u32 %r1 %r2, %r3;", expect!["ptx:14:13: expected ',' or ';', found '%r2'"]),
        (
            "add.u32 5, %r2, %r3;",
            expect![[r#"
            ptx:14:1: in `test`: operand 1: expected a register for .u32, found `5`
                add.u32 5, %r2, %r3;"#]],
        ),
        (
            "  setp.eq.u32 %r1, %r2, %r3;",
            expect![[r#"
            ptx:14:3: in `test`: operand 1: expected a register for .pred, found `%r1`, a .b32 register
                setp.eq.u32 %r1, %r2, %r3;"#]],
        ),
        (
            "@%r1 add.u32 %r1, %r2, %r3;",
            expect![[r#"
            ptx:14:1: in `test`: expected a predicate register after '@', found `%r1`, a .b32 register
                @%r1 add.u32 %r1, %r2, %r3;"#]],
        ),
        (
            "ld.global.u32 %r1, %r2;",
            expect![[r#"
            ptx:14:1: in `test`: operand 2: expected an address in brackets, found `%r2`
                ld.global.u32 %r1, %r2;"#]],
        ),
        (
            "mov.b64 %rd1, {%r1};",
            expect![[r#"
                ptx:14:1: in `test`: operand 1: expected a vector of 2 or 4 that fills .b64, found `%rd1`, a .b64 register
                    mov.b64 %rd1, {%r1};"#]],
        ),
        (
            "fma.rn.f32 %f1, %f2, %rd1, %f3;",
            expect![[r#"
            ptx:14:1: in `test`: operand 3: expected a register for .f32, found `%rd1`, a .b64 register
                fma.rn.f32 %f1, %f2, %rd1, %f3;"#]],
        ),
        ("\n\tadz.u32 %r1, %r2, %r3;", expect!["ptx:15:2: expected an instruction, found 'adz'"]),
        ("add.u33 %r1, %r2, %r3;", expect!["ptx:14:4: expected a modifier of 'add', found '.u33'"]),
        ("add.u32 %r1, %r2, 0x;", expect!["ptx:14:19: expected a number, found '0x'"]),
        (
            "{ add.u32 %r1, %r2, %r3;",
            expect!["ptx:16:1: expected a statement or '}', found the end of the text"],
        ),
        (
            "add.rn.u32 %r1, %r2, %r3;",
            expect![[r#"
            ptx:14:1: `add.rn.u32`: the simulator does not have this instruction
            help: expected modifiers as in `add{.RND}{.ftz}{.sat}.f32 d, a, a`, found `.u32`"#]],
        ),
        (
            "st.param.u32 [%r1], %r2;",
            expect!["ptx:14:1: `st.param.u32`: parameters of a kernel are read-only"],
        ),
        (
            "mul.u32 %r1, %r2, %r3;",
            expect![[r#"
            ptx:14:1: `mul.u32`: the simulator does not have this instruction
            help: expected modifiers as in `mul.lo|hi.INT d, a, a`, found `.u32`"#]],
        ),
    ] {
        check_load(body, expected);
    }
}
