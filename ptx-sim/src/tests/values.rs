//! Values that nothing has written: programs that are right with them, each beside one with a fault.

use expect_test::{Expect, expect};

use super::*;

const VALUES: &str = include_str!("cuda/values.ptx");

/// Reports of a kernel that gets a buffer for results, one with 64 numbers, and a number.
fn outcome(text: &str, name: &str, threads: u32, number: u32) -> String {
    let program = Program::load(text).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let (out, input) = (memory.allocate(4096, 16), memory.allocate(256, 16));
    memory.fill(out, 0, 4096).unwrap();
    let numbers: Vec<u8> = (0..64u32).flat_map(u32::to_le_bytes).collect();
    memory.write(input, &numbers).unwrap();
    let kernel = program.kernel(name).unwrap_or_else(|| panic!("no kernel {name}"));
    let mut params = [out.to_le_bytes(), input.to_le_bytes(), u64::from(number).to_le_bytes()].concat();
    params.truncate(program.info(kernel).parameter_bytes as usize);
    let config = LaunchConfig { grid: [1; 3], block: [threads, 1, 1], dynamic_shared: 0 };
    let outcome = run(&program, kernel, &memory, &config, &params, &Options::default());
    let mut found: Vec<String> = outcome.reports.iter().map(ToString::to_string).collect();
    found.extend(outcome.result.err().map(|fault| fault.to_string()));
    found.join("\n").replace("0x1000000000", "0xA")
}

/// A program of `values.cu`.
fn check(name: &str, number: u32, expected: Expect) {
    expected.assert_eq(&outcome(VALUES, name, 32, number));
}

/// A body in PTX, with the thread in `%r2` and 16 bytes of its own for results at `%rd0`.
fn check_body(body: &str, expected: Expect) {
    let text = module(&format!(
        "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd2, %r2, 16;\nadd.s64 %rd0, %rd0, %rd2;\n{body}\nret;"
    ));
    expected.assert_eq(&outcome(&text, "test", 32, 0));
}

#[test]
fn padding_is_copied() {
    check("padding_in_shared", 0, expect![""]);
    check("padding_in_local", 2, expect![""]);
    check("padding_in_calls", 0, expect![""]);
    check(
        "missing_in_shared",
        0,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `_ZZ17missing_in_sharedE1s[31]`, where nothing was written (PTX line 127, `ld.shared.v4.f32`); `_ZZ17missing_in_sharedE1s` is a shared variable of 512 bytes, counted here in elements of 16
            help: write it before it is read: memory and registers have no first value
              in `missing_in_shared`, block (0, 0, 0), thread (0, 0, 0), PTX line 131, `st.global.f32`
              32 times"#]],
    );
    check(
        "missing_in_calls",
        1,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at local address 0x28, where nothing was written (PTX line 258, `ld.local.u32`)
            help: write it before it is read: memory and registers have no first value
              in `missing_in_calls`, block (0, 0, 0), thread (0, 0, 0), PTX line 276, `st.global.u32`
              32 times"#]],
    );
    check("missing_in_calls", 0, expect![""]);
}

#[test]
fn padding_of_a_vector() {
    let stored = "st.global.v4.u32 [%rd0], {%r2, %r2, %r2, %r3};\n";
    check_body(stored, expect![""]);
    check_body(
        &format!("{stored}ld.global.u32 %r4, [%rd0+8];\nst.global.u32 [%rd0+1024], %r4;"),
        expect![""],
    );
    // A read of it is reported.
    check_body(
        &format!(
            "{stored}bar.sync 0;\nld.global.u32 %r4, [%rd0+12];\nadd.u32 %r4, %r4, 1;\nst.global.u32 [%rd0+1024], %r4;"
        ),
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 17, `st.global.v4.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 21, `st.global.u32`
              32 times"#]],
    );
    // Nothing but what is missing is no padding.
    check_body(
        "st.global.v2.u32 [%rd0], {%r3, %r4};",
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 17, `st.global.v2.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `st.global.v2.u32`
              32 times"#]],
    );
    check_body(
        "st.global.u32 [%rd0], %r3;",
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from a register that nothing has written, read at PTX line 17, `st.global.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 17, `st.global.u32`
              32 times"#]],
    );
}

#[test]
fn loads_ahead_of_their_condition() {
    check("speculated", 0, expect![""]);
    check(
        "speculated_too_far",
        0,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at local address 0x10, where nothing was written (PTX line 360, `ld.local.u32`)
            help: write it before it is read: memory and registers have no first value
              in `speculated_too_far`, block (0, 0, 0), thread (4, 0, 0), PTX line 364, `st.global.u32`
              4 times"#]],
    );
    check("masked_sum", 20, expect![""]);
    check(
        "unmasked_sum",
        20,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `_ZZ12unmasked_sumE1s[20]`, where nothing was written (PTX line 611, `ld.shared.f32`); `_ZZ12unmasked_sumE1s` is a shared variable of 128 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `unmasked_sum`, block (0, 0, 0), thread (0, 0, 0), PTX line 638, `st.global.f32`
              32 times"#]],
    );
    check("unmasked_sum", 32, expect![""]);
}

#[test]
fn shared_memory_that_is_read_and_discarded() {
    let load = ".shared .align 4 .b32 s[32];\nmov.u32 %r5, s;\nld.shared.u32 %r3, [%r5+4];\n";
    check_body(load, expect![""]);
    check_body(&format!("{load}mov.u32 %r3, 1;\nst.global.u32 [%rd0], %r3;"), expect![""]);
    check_body(
        &format!("{load}add.u32 %r3, %r3, 1;\nst.global.u32 [%rd0], %r3;"),
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `s[1]`, where nothing was written (PTX line 19, `ld.shared.u32`); `s` is a shared variable of 128 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 21, `st.global.u32`
              32 times"#]],
    );
}

#[test]
fn bits_of_a_word() {
    check("bit_fields", 0, expect![""]);
    check(
        "missing_bit_field",
        0,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of 4 bytes at local address 0xc, where nothing was written (PTX line 717, `ld.local.u32`)
            help: write it before it is read: memory and registers have no first value
              in `missing_bit_field`, block (0, 0, 0), thread (0, 0, 0), PTX line 723, `st.global.u32`
              32 times"#]],
    );
}

#[test]
fn lanes_without_a_value() {
    check("partial_shuffle", 20, expect![""]);
    check(
        "whole_shuffle",
        20,
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `_ZZ13whole_shuffleE1s[31]`, where nothing was written (PTX line 828, `ld.shared.u32`); `_ZZ13whole_shuffleE1s` is a shared variable of 128 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `whole_shuffle`, block (0, 0, 0), thread (0, 0, 0), PTX line 849, `st.global.u32`"#]],
    );
    check("whole_shuffle", 32, expect![""]);
}

#[test]
fn uses() {
    check(
        "missing_in_branch",
        20,
        expect![[r#"
            whether this is executed depends on an uninitialised value: it comes from the read of `_ZZ17missing_in_branchE1s[21]`, where nothing was written (PTX line 890, `ld.shared.u32`); `_ZZ17missing_in_branchE1s` is a shared variable of 128 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `missing_in_branch`, block (0, 0, 0), thread (20, 0, 0), PTX line 892, `bra`
              12 times"#]],
    );
    check("missing_in_branch", 32, expect![""]);
    check(
        "missing_in_address",
        20,
        expect![[r#"
            the address of this access depends on an uninitialised value: it comes from the read of `_ZZ18missing_in_addressE1s[21]`, where nothing was written (PTX line 932, `ld.shared.u32`); `_ZZ18missing_in_addressE1s` is a shared variable of 128 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `missing_in_address`, block (0, 0, 0), thread (20, 0, 0), PTX line 936, `ld.global.u32`
              12 times"#]],
    );
    let unset = "setp.ge.u32 %p1, %r2, 8;\n@%p1 mov.u32 %r3, 1;\n@%p1 mov.u64 %rd1, %rd0;\n";
    check_body(
        &format!("{unset}atom.global.add.u32 %r4, [%rd0], %r3;"),
        expect![[r#"
            this atomic operation has an uninitialised operand: it comes from a register that nothing has written, read at PTX line 20, `atom.global.add.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `atom.global.add.u32`
              8 times"#]],
    );
    check_body(
        &format!("{unset}redux.sync.add.s32 %r4, %r3, -1;"),
        expect![[r#"
            this operation of the warp has an uninitialised operand: it comes from a register that nothing has written, read at PTX line 20, `redux.sync.add.s32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `redux.sync.add.s32`
              8 times"#]],
    );
    check_body(
        &format!("{unset}shfl.sync.idx.b32 %r4, %r2, %r3, 31, -1;"),
        expect![[r#"
            this operation of the warp has an uninitialised operand: it comes from a register that nothing has written, read at PTX line 20, `shfl.sync.idx.b32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `shfl.sync.idx.b32`
              8 times"#]],
    );
    check_body(
        &format!("{unset}ld.global.u32 %r4, [%rd1];"),
        expect![[r#"
            the address of this access depends on an uninitialised value: it comes from a register that nothing has written, read at PTX line 20, `ld.global.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `ld.global.u32`
              8 times"#]],
    );
    check_body(&format!("{unset}setp.eq.u32 %p2, %r3, 1;\nvote.sync.any.pred %p3, %p2, -1;"), expect![""]);
    check_body(
        &format!("{unset}setp.ne.u32 %p2, %r3, 1;\nvote.sync.any.pred %p3, %p2, -1;\n@%p3 bra END;\nEND:"),
        expect![[r#"
            whether this is executed depends on an uninitialised value: it comes from a register that nothing has written, read at PTX line 20, `setp.ne.u32`
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 22, `bra`
              32 times"#]],
    );
}

#[test]
fn what_is_overwritten_in_time() {
    check("overwritten", 20, expect![""]);
}

#[test]
fn an_exchange_takes_what_is_there() {
    let shared = ".shared .align 4 .b32 s;\natom.shared.exch.b32 %r3, [s], %r2;\nbar.sync 0;\n";
    check_body(shared, expect![""]);
    check_body(
        &format!("{shared}st.global.u32 [%rd0], %r3;"),
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `s[0]`, where nothing was written (PTX line 18, `atom.shared.exch.b32`); `s` is a shared variable of 4 bytes, counted here in elements of 4
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 20, `st.global.u32`"#]],
    );
}

#[test]
fn rows_of_a_matrix() {
    // Eight of sixteen rows are set, and as many are stored.
    let product = ".shared .align 16 .b8 s[512];\nmov.u32 %r5, s;\nand.b32 %r6, %r2, 15;\nshr.u32 %r7, %r2, 4;
        mad.lo.u32 %r8, %r6, 32, %r5;\nmad.lo.u32 %r8, %r7, 16, %r8;\nmov.u32 %r9, 0x3c003c00;\nsetp.lt.u32 %p1, %r6, 8;
        @%p1 st.shared.v4.u32 [%r8], {%r9, %r9, %r9, %r9};\nbar.sync 0;
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%r8];\nmov.f32 %f9, 0f00000000;
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r10, %r11, %r12, %r13}, {%r9, %r9},
            {%f9, %f9, %f9, %f9};\nst.global.v2.f32 [%rd0], {%f1, %f2};\n";
    check_body(product, expect![""]);
    check_body(
        &format!("{product}st.global.f32 [%rd0+8], %f3;"),
        expect![[r#"
            the kernel leaves an uninitialised value in global memory: it comes from the read of `s[17]`, where nothing was written (PTX line 27, `ldmatrix.sync.aligned.m8n8.x4.shared.b16`); `s` is a shared variable of 512 bytes, counted here in elements of 16
            help: write it before it is read: memory and registers have no first value
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 32, `st.global.f32`
              32 times"#]],
    );
}
