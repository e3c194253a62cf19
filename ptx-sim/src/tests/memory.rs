//! Loads, stores, atomic operations, variables, generic addresses.

use expect_test::expect;

use super::*;

#[test]
fn narrow_and_wide_elements() {
    let mut run = Run::block(1, 8);
    run.words[0] = 0x8001_fe80;
    run.run(
        "ld.global.u8 %r1, [%rd0];
        ld.global.s8 %r2, [%rd0];
        ld.global.u16 %h1, [%rd0+2];
        ld.global.s16 %r3, [%rd0+2];
        ld.global.s8 %rd1, [%rd0+1];
        cvt.u32.u16 %r4, %h1;
        st.global.v4.u32 [%rd0+16], {%r1, %r2, %r3, %r4};
        st.global.u64 [%rd0+8], %rd1;
        st.global.u8 [%rd0+5], %r3;
        st.global.u16 [%rd0+6], %r2;
        ret;",
    )
    .unwrap();
    let hex: Vec<String> = run.words.iter().map(|word| format!("{word:08x}")).collect();
    expect!["8001fe80 ff800100 fffffffe ffffffff 00000080 ffffff80 ffff8001 00008001"]
        .assert_eq(&hex.join(" "));
}

#[test]
fn local_memory_is_per_thread() {
    check(
        64,
        ".local .align 4 .b8 stack[64];
        mov.u32 %r2, %tid.x;
        mov.u64 %rd1, stack;
        cvta.local.u64 %rd2, %rd1;
        and.b32 %r3, %r2, 15;
        mul.wide.u32 %rd3, %r3, 4;
        add.s64 %rd4, %rd1, %rd3;
        st.local.u32 [%rd4], %r2;
        add.s64 %rd5, %rd2, %rd3;
        ld.u32 %r1, [%rd5];
        sub.u32 %r1, %r1, %r2;",
        expect!["64×0"],
    );
}

#[test]
fn variables_of_the_module() {
    let text = module(
        "ld.const.u32 %r1, [table+4];
        mov.u64 %rd1, pointer;
        ld.global.u64 %rd2, [%rd1];
        ld.global.u32 %r2, [%rd2];
        add.u32 %r1, %r1, %r2;
        ld.global.u32 %r2, [counter];
        add.u32 %r2, %r2, 1;
        st.global.u32 [counter], %r2;
        st.global.v2.u32 [%rd0], {%r1, %r2};
        ret;",
    );
    let text = text.replace(
        ".visible",
        ".const .align 4 .u32 table[3] = {10, 20, 30};
        .global .align 4 .u32 counter = 7;
        .global .align 8 .u64 pointer = table+8;
        .visible",
    );
    let program = Program::load(&text).unwrap();
    let mut run = Run::block(1, 2);
    run.run_program(&program).unwrap();
    assert_eq!(run.words, [50, 8]);
    // Another memory has variables of its own; the same one keeps them.
    let memory = Memory::new();
    let data = memory.allocate(8, 8);
    for count in 8..10u32 {
        launch(&program, program.kernel("test").unwrap(), &memory, &run.config, &data.to_le_bytes()).unwrap();
        let mut bytes = [0; 4];
        memory.read(program.variable("counter", &memory).unwrap().0, &mut bytes).unwrap();
        assert_eq!(u32::from_le_bytes(bytes), count);
    }
}

#[test]
fn atomic_operations() {
    let mut run = Run::block(32, 16);
    run.words[2] = 5;
    run.words[3] = u32::MAX;
    run.run(
        "mov.u32 %r1, %tid.x;
        atom.global.add.u32 %r2, [%rd0], %r1;
        red.global.max.u32 [%rd0+4], %r1;
        red.global.min.s32 [%rd0+8], -4;
        red.global.and.b32 [%rd0+12], 0xff;
        red.global.xor.b32 [%rd0+16], %r1;
        red.global.inc.u32 [%rd0+20], 9;
        red.global.dec.u32 [%rd0+24], 9;
        red.global.add.f32 [%rd0+28], 0f3F000000;
        red.global.add.u64 [%rd0+32], 0x100000001;
        red.global.add.f64 [%rd0+40], 0d3FE0000000000000;
        atom.global.cas.b32 %r3, [%rd0+48], %r1, 77;
        ret;",
    )
    .unwrap();
    let hex: Vec<String> = run.words.iter().map(|word| format!("{word:x}")).collect();
    expect!["1f0 1f fffffffc ff 0 2 8 41800000 20 20 0 40300000 4d 0 0 0"].assert_eq(&hex.join(" "));
}

#[test]
fn blocks_with_atomics_run_in_order() {
    let text = module("mov.u32 %r1, %ctaid.x;\natom.global.exch.b32 %r2, [%rd0], %r1;\nret;");
    let program = Program::load(&text).unwrap();
    let mut run = Run::block(1, 1);
    run.config.grid = [100, 1, 1];
    run.run_program(&program).unwrap();
    assert_eq!(run.words, [99]);
    assert!(program.info(program.kernel("test").unwrap()).has_global_atomics);
}

#[test]
fn information_about_a_kernel() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.shared .align 8 .b8 unused[100];
        .visible .entry k(.param .u32 a, .param .u64 b, .param .align 16 .b8 c[20])
        .maxntid 128, 1, 1 .minnctapersm 4\n{
        .reg .b32 %r<3>;
        .shared .align 8 .b8 own[12];
        .local .b32 l[3];
        mov.u32 %r1, own;
        bar.sync 2;
        ret;\n}\n";
    let program = Program::load(text).unwrap();
    let info = program.info(program.kernel("k").unwrap());
    let parameters: Vec<(u32, u32)> = info.parameters.iter().map(|p| (p.offset, p.bytes)).collect();
    assert_eq!(parameters, [(0, 4), (8, 8), (16, 20)]);
    assert_eq!((info.parameter_bytes, info.static_shared_bytes, info.local_bytes), (36, 12, 12));
    assert_eq!((info.max_threads, info.min_blocks_per_sm, info.barriers), (Some([128, 1, 1]), Some(4), 3));
}

/// Parameters of calls are in registers on a GPU: they count as no local memory.
#[test]
fn a_call_takes_no_local_memory() {
    let text = ".version 8.0\n.target sm_80\n.address_size 64\n.func f(.param .b64 f_0, .param .b32 f_1)\n{\n        ret;\n}
        .visible .entry k()\n{
        .local .b32 l[3];
        {
        .param .b64 a;
        .param .b32 b;
        st.param.b64 [a], 1;
        st.param.b32 [b], 2;
        call f, (a, b);
        }
        ret;\n}\n";
    let program = Program::load(text).unwrap();
    assert_eq!(program.info(program.kernel("k").unwrap()).local_bytes, 12);
}

#[test]
fn vectors_of_eight_and_registers_of_128_bits() {
    let mut run = Run::block(1, 24);
    run.words[..8].copy_from_slice(&[1, 2, 3, 4, 5, 6, 7, 8]);
    run.run(
        ".reg .b128 %q<3>;
        ld.global.v8.b32 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd0];
        st.global.v8.b32 [%rd0+32], {%r8, %r7, %r6, %r5, %r4, %r3, %r2, %r1};
        ld.global.b128 %q1, [%rd0];
        mov.b128 {%rd1, %rd2}, %q1;
        mov.b128 %q2, {%rd2, %rd1};
        st.global.b128 [%rd0+64], %q2;
        ld.global.v4.b64 {%rd3, %rd4, %rd5, %rd6}, [%rd0];
        add.s64 %rd3, %rd3, %rd6;
        st.global.b64 [%rd0+80], %rd3;
        ret;",
    )
    .unwrap();
    assert_eq!(run.words, [1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1, 3, 4, 1, 2, 8, 10, 0, 0]);
}

#[test]
fn initial_values_of_one_byte_of_an_address_each() {
    let bytes: Vec<String> = (0..8).map(|byte| format!("{:#x}(table)", 0xffu64 << (8 * byte))).collect();
    let text = module(
        "ld.global.u64 %rd1, [pointer];\nld.global.u32 %r1, [%rd1+4];\nst.global.u32 [%rd0], %r1;\nret;",
    )
    .replace(
        ".visible",
        &format!(
            ".global .align 4 .u32 table[2] = {{5, 6}};\n.global .align 8 .b8 pointer[8] = {{{}}};\n.visible",
            bytes.join(", ")
        ),
    );
    let mut run = Run::block(1, 1);
    run.run_program(&Program::load(&text).unwrap()).unwrap();
    assert_eq!(run.words, [6]);
}

#[test]
fn generic_addresses_say_which_memory_they_are_in() {
    let spaces = ["global", "shared", "local", "const", "param"];
    let mut body = ".shared .b32 s;\n.local .b32 l;\n".to_string();
    // The generic address of a variable of each space.
    for (index, variable) in ["g", "s", "l", "c", "data"].iter().enumerate() {
        body += &format!("mov.u64 %rd1, {variable};\ncvta.{}.u64 %rd{}, %rd1;\n", spaces[index], 10 + index);
    }
    for (row, _) in spaces.iter().enumerate() {
        body += "mov.u32 %r1, 0;\n";
        for (bit, space) in spaces.iter().enumerate() {
            body += &format!(
                "isspacep.{space} %p1, %rd{};\nselp.b32 %r2, {}, 0, %p1;\nor.b32 %r1, %r1, %r2;\n",
                10 + row,
                1 << bit
            );
        }
        body += &format!("st.global.u32 [%rd0+{}], %r1;\n", 4 * row);
    }
    let text = module(&(body + "ld.u64 %rd20, [%rd14];\nst.global.u64 [%rd0+24], %rd20;\nret;"))
        .replace(".visible", ".const .b32 c = 1;\n.global .b32 g = 2;\n.visible");
    let mut run = Run::block(1, 8);
    run.run_program(&Program::load(&text).unwrap()).unwrap();
    assert_eq!(run.words[..5], [1, 2, 4, 8, 16]);
    // The value of the parameter, read by its generic address, is the address of the buffer.
    assert_eq!(run.words[6..], [0, 0x1000]);
}

#[test]
fn atomic_sums_of_halves_and_vectors() {
    let mut run = Run::block(32, 8);
    run.run(
        "mov.b16 %h1, 0x3c00;
        mov.b32 %r1, 0x40003c00;
        red.global.add.noftz.f16 [%rd0], %h1;
        red.global.add.noftz.f16x2 [%rd0+4], %r1;
        mov.b32 %r2, 0x40003f80;
        red.global.add.noftz.bf16x2 [%rd0+8], %r2;
        mov.f32 %f1, 0f3F800000;
        mov.f32 %f2, 0f40000000;
        red.global.v2.f32.add [%rd0+16], {%f1, %f2};
        ret;",
    )
    .unwrap();
    let hex: Vec<String> = run.words.iter().map(|word| format!("{word:x}")).collect();
    // 32 and 64 as f16, bf16 and f32.
    expect!["5000 54005000 42804200 0 42000000 42800000 0 0"].assert_eq(&hex.join(" "));
}

/// Two warps meet at a barrier in the shared memory that is reserved for the system, as tiles of several warps of cooperative
/// groups do, with the user's own memory in use.
#[test]
fn reserved_shared_memory_is_not_the_users() {
    let body = "
        .shared .align 4 .b32 mine[64];
        mov.u32 %r2, %tid.x;
        shl.b32 %r3, %r2, 2;
        mov.u32 %r4, mine;
        add.u32 %r3, %r3, %r4;
        // Every bit of the user's memory is set: a barrier there would never open.
        mov.u32 %r5, -1;
        st.shared.b32 [%r3], %r5;
        mov.u32 %r6, %reserved_smem_offset_1;
        cvt.u64.u32 %rd1, %r6;
        cvta.shared.u64 %rd1, %rd1;
        // The leader of each warp clears its bit, whatever the memory held; then the block is there.
        and.b32 %r7, %r2, 31;
        shr.u32 %r8, %r2, 5;
        mov.u32 %r9, 1;
        shl.b32 %r9, %r9, %r8;
        not.b32 %r10, %r9;
        setp.ne.u32 %p1, %r7, 0;
        @%p1 bra CLEARED;
        red.and.release.cta.b32 [%rd1], %r10;
    CLEARED:
        bar.sync 0;
        @%p1 bra MET;
        atom.or.acq_rel.cta.b32 %r11, [%rd1], %r9;
        or.b32 %r11, %r11, %r9;
        and.b32 %r11, %r11, 3;
        setp.eq.u32 %p2, %r11, 3;
        @%p2 bra LAST;
    SPIN:
        ld.acquire.cta.u32 %r12, [%rd1];
        and.b32 %r12, %r12, %r9;
        setp.ne.u32 %p2, %r12, 0;
        @%p2 bra SPIN;
        bra MET;
    LAST:
        red.and.release.cta.b32 [%rd1], -4;
    MET:
        bar.warp.sync -1;
        ld.shared.b32 %r13, [%r3];
        mov.u32 %r14, %reserved_smem_offset_begin;
        mov.u32 %r15, %reserved_smem_offset_end;
        // The user's own words, behind what is reserved, which holds the 288 bytes that cooperative groups count on.
        setp.ge.u32 %p3, %r4, %r15;
        setp.ge.and.u32 %p3, %r6, %r14, %p3;
        add.u32 %r16, %r6, 288;
        setp.le.and.u32 %p3, %r16, %r15, %p3;
        selp.b32 %r1, %r13, 0, %p3;";
    check(64, body, expect!["64×4294967295"]);
    let program = Program::load(&module(&format!("{body}\n{STORE}"))).unwrap();
    let info = program.info(program.kernel("test").unwrap());
    assert_eq!((info.static_shared_bytes, info.reserved_shared_bytes), (256, 1024));
}
