//! Kernels of textual IR, and the PTX that they become.

mod operations;

use expect_test::{Expect, expect};

use super::select;
use crate::ir::parse::parse_module;
use crate::verify::verify;
use ptx::target::Arch;

/// Selects a module without passes but the one that selection cannot do without: what is seen is its own work.
#[track_caller]
fn check(text: &str, expect: Expect) {
    check_for(Arch::FLOOR, text, expect);
}

/// Checks the PTX selected for a target.
#[track_caller]
fn check_for(target: Arch, text: &str, expect: Expect) {
    let mut module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    module.functions.iter_mut().for_each(crate::passes::lower_panics::lower_panics);
    let verified = verify(&module).unwrap_or_else(|errors| panic!("{errors}"));
    let text = select(&verified, target).tree.to_string();
    // The header says nothing about selection.
    let (_, text) = text.split_once(".address_size 64\n\n").unwrap_or(("", &text));
    expect.assert_eq(text);
}

/// Accesses under a condition: addresses and conversions are computed in any case.
#[test]
fn guarded_accesses() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 n: i32) {
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = special tid.x
                v3: bool = icmp ult v2, v1
                v4: bool = not v3
                v5: f32 = guard v3 load.global v0 + 8
                v6: bool = guard not v3 load.global v0
                v7: f32 = fadd v5, v5
                guard v3 store.global v0 + 8, v7
                guard v4 store.global v0, v6
                v8: i32 = guard v4 atomic_add.global.gpu v0, v1
                guard not v4 store.global v0 + 4, v8
                return
            }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .u32 k_n
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<5>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<2>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [k_n];
            	mov.u32 %r1, %tid.x;
            	setp.lt.u32 %p0, %r1, %r0;
            	@%p0 ld.global.f32 %f0, [%rd1+8];
            	@!%p0 mov.b32 %f0, 0;
            	@!%p0 ld.global.u8 %r2, [%rd1];
            	@%p0 mov.b32 %r2, 0;
            	setp.ne.b32 %p1, %r2, 0;
            	add.rn.f32 %f1, %f0, %f0;
            	@%p0 st.global.f32 [%rd1+8], %f1;
            	selp.b32 %r3, 1, 0, %p1;
            	@!%p0 st.global.u8 [%rd1], %r3;
            	@!%p0 atom.relaxed.gpu.global.add.u32 %r4, [%rd1], %r0;
            	@%p0 mov.b32 %r4, 0;
            	@%p0 st.global.u32 [%rd1+4], %r4;
            	ret;
            }
        "#]],
    );
}

#[test]
fn saxpy() {
    check(
        "kernel saxpy(param0 a: f32, param1 x: i64 ptr align 4, param2 y: i64 ptr align 4, param3 n: i32) bounds(max_threads 256, min_blocks 8) {
         block0:
            v0: i32 = special ctaid.x
            v1: i32 = special ntid.x
            v2: i32 = special tid.x
            v3: i32 = mul v0, v1
            v4: i32 = add v3, v2
            v5: i32 = param3
            v6: bool = icmp ult v4, v5
            branch v6, block1, block2
         block1:
            v7: i64 = zext v4
            v8: i64 = const 4
            v9: i64 = mul v7, v8
            v10: i64 = param1
            v11: i64 = add v10, v9
            v12: f32 = load.global v11 read_only
            v13: i64 = param2
            v14: i64 = add v13, v9
            v15: f32 = load.global v14
            v16: f32 = param0
            v17: f32 = fma v16, v12, v15
            store.global v14, v17
            jump block2
         block2:
            return
         }",
        expect![[r#"
            .visible .entry saxpy(
            	.param .f32 saxpy_a,
            	.param .u64 .ptr .global .align 4 saxpy_x,
            	.param .u64 .ptr .global .align 4 saxpy_y,
            	.param .u32 saxpy_n
            )
            .maxntid 256, 1, 1
            .minnctapersm 8
            {
            	.reg .pred %p<1>;
            	.reg .b32 %r<5>;
            	.reg .b64 %rd<7>;
            	.reg .f32 %f<4>;
            	ld.param.f32 %f0, [saxpy_a];
            	ld.param.u64 %rd0, [saxpy_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u64 %rd2, [saxpy_y];
            	cvta.to.global.u64 %rd3, %rd2;
            	ld.param.u32 %r0, [saxpy_n];
            	mov.u32 %r1, %ctaid.x;
            	mov.u32 %r2, %ntid.x;
            	mov.u32 %r3, %tid.x;
            	mad.lo.s32 %r4, %r1, %r2, %r3;
            	setp.ge.u32 %p0, %r4, %r0;
            	@%p0 bra $L__BB0_0;
            	mul.wide.u32 %rd4, %r4, 4;
            	add.s64 %rd5, %rd1, %rd4;
            	ld.global.nc.f32 %f1, [%rd5];
            	add.s64 %rd6, %rd3, %rd4;
            	ld.global.f32 %f2, [%rd6];
            	fma.rn.f32 %f3, %f0, %f1, %f2;
            	st.global.f32 [%rd6], %f3;
            $L__BB0_0:
            	ret;
            }
        "#]],
    );
}

#[test]
fn a_loop_carries_its_values_in_registers() {
    check(
        "kernel sum(param0 x: i64 ptr align 4, param1 n: i32, param2 out: i64 ptr align 4) {
         block0:
            v0: i32 = special tid.x
            v1: f32 = const 0.0
            v2: i32 = param1
            v3: i32 = const 256
            v30: i64 = param0
            v31: i64 = param2
            jump block1(v0, v1)
         block1(v4: i32, v5: f32):
            v6: bool = icmp ult v4, v2
            branch v6, block2, block3
         block2:
            v7: i64 = zext v4
            v8: i64 = const 2
            v9: i64 = shl v7, v8
            v10: i64 = add v30, v9
            v11: f32 = load.global v10
            v12: f32 = fadd v5, v11
            v13: i32 = add v4, v3
            jump block1(v13, v12)
         block3:
            store.global v31, v5
            return
         }",
        expect![[r#"
            .visible .entry sum(
            	.param .u64 .ptr .global .align 4 sum_x,
            	.param .u32 sum_n,
            	.param .u64 .ptr .global .align 4 sum_out
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<2>;
            	.reg .b64 %rd<6>;
            	.reg .f32 %f<2>;
            	ld.param.u64 %rd0, [sum_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [sum_n];
            	ld.param.u64 %rd2, [sum_out];
            	cvta.to.global.u64 %rd3, %rd2;
            	mov.u32 %r1, %tid.x;
            	mov.f32 %f0, 0f00000000;
            	setp.ge.u32 %p0, %r1, %r0;
            	@%p0 bra $L__BB0_1;
            $L__BB0_0:
            	mul.wide.u32 %rd4, %r1, 4;
            	add.s64 %rd5, %rd1, %rd4;
            	ld.global.f32 %f1, [%rd5];
            	add.rn.f32 %f0, %f0, %f1;
            	add.s32 %r1, %r1, 256;
            	setp.lt.u32 %p1, %r1, %r0;
            	@%p1 bra $L__BB0_0;
            $L__BB0_1:
            	st.global.f32 [%rd3], %f0;
            	ret;
            }
        "#]],
    );
}

#[test]
fn swapped_parameters_take_a_register_more() {
    check(
        "kernel swap(param0 out: i64 ptr align 4, param1 n: i32) {
         block0:
            v0: i32 = const 1
            v1: i32 = const 2
            v2: i32 = const 0
            v3: i32 = param1
            v30: i64 = param0
            jump block1(v0, v1, v2)
         block1(v4: i32, v5: i32, v6: i32):
            v7: i32 = add v6, v0
            v8: bool = icmp slt v7, v3
            branch v8, block1(v5, v4, v7), block2
         block2:
            store.global v30, v4
            store.global v30 + 4, v5
            return
         }",
        expect![[r#"
            .visible .entry swap(
            	.param .u64 .ptr .global .align 4 swap_out,
            	.param .u32 swap_n
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<5>;
            	.reg .b64 %rd<2>;
            	ld.param.u64 %rd0, [swap_out];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [swap_n];
            	mov.b32 %r1, 1;
            	mov.b32 %r2, 2;
            	mov.b32 %r3, 0;
            	add.s32 %r3, %r3, 1;
            	setp.ge.s32 %p0, %r3, %r0;
            	@%p0 bra $L__BB0_1;
            $L__BB0_0:
            	mov.b32 %r4, %r1;
            	mov.b32 %r1, %r2;
            	mov.b32 %r2, %r4;
            	add.s32 %r3, %r3, 1;
            	setp.lt.s32 %p1, %r3, %r0;
            	@%p1 bra $L__BB0_0;
            $L__BB0_1:
            	st.global.u32 [%rd1], %r1;
            	st.global.u32 [%rd1+4], %r2;
            	ret;
            }
        "#]],
    );
}

/// Lanes leave the loop one after the other: what ends those that panic is a function.
#[test]
fn panics_in_loops_are_calls() {
    check(
        "file 0 \"src/lib.rs\"
         kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 first: i32) {
            panic0 index @0:3:4
         block0:
            v0: i32 = param2
            v1: i64 = param1
            v2: i64 = param0
            v3: i64 = const 4
            jump block1(v0)
         block1(v4: i32):
            v5: i64 = zext v4
            v6: bool = icmp ult v5, v1 @0:3:4
            branch v6, block2, block4 @0:3:4
         block2:
            v7: i64 = mul v5, v3 @0:3:4
            v8: i64 = add v2, v7 @0:3:4
            v9: i32 = load.global v8 @0:3:4
            v10: bool = icmp ne v9, v4 @0:4:4
            branch v10, block1(v9), block3 @0:4:4
         block3:
            store.global v2, v9 @0:5:1
            return
         block4:
            panic panic0(v5, v1) @0:3:4
         }",
        expect![[r#"
            .file 1 "src/lib.rs"

            .func k_$panics(
            	.param .b64 k_$panics_0,
            	.param .b32 k_$panics_1,
            	.param .b64 k_$panics_2
            )
            {
            	.reg .pred %p<1>;
            	.reg .b32 %r<8>;
            	.reg .b64 %rd<3>;
            	ld.param.b64 %rd0, [k_$panics_0];
            	ld.param.b32 %r0, [k_$panics_1];
            	ld.param.b64 %rd1, [k_$panics_2];
            	atom.relaxed.sys.global.cas.b32 %r1, [%rd0], 0, 1;
            	setp.ne.u32 %p0, %r1, 0;
            	@%p0 bra $L__BB1_0;
            	st.global.u32 [%rd0+4], 0;
            	cvt.u64.u32 %rd2, %r0;
            	st.global.u64 [%rd0+8], %rd2;
            	st.global.u64 [%rd0+16], %rd1;
            	mov.u32 %r2, %ctaid.x;
            	st.global.u32 [%rd0+24], %r2;
            	mov.u32 %r3, %ctaid.y;
            	st.global.u32 [%rd0+28], %r3;
            	mov.u32 %r4, %ctaid.z;
            	st.global.u32 [%rd0+32], %r4;
            	mov.u32 %r5, %tid.x;
            	st.global.u32 [%rd0+36], %r5;
            	mov.u32 %r6, %tid.y;
            	st.global.u32 [%rd0+40], %r6;
            	mov.u32 %r7, %tid.z;
            	st.global.u32 [%rd0+44], %r7;
            $L__BB1_0:
            	exit;
            }

            .visible .entry k(
            	.param .u64 .ptr .global .align 4 k_x,
            	.param .u64 k_n,
            	.param .u32 k_first,
            	.param .u64 .ptr .global .align 8 k_$panic
            )
            {
            	.reg .pred %p<3>;
            	.reg .b32 %r<2>;
            	.reg .b64 %rd<8>;
            	ld.param.u64 %rd0, [k_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u64 %rd2, [k_n];
            	ld.param.u32 %r0, [k_first];
            	cvt.u64.u32 %rd3, %r0;
            	.loc 1 3 4
            	setp.ge.u64 %p0, %rd3, %rd2;
            	@%p0 bra $L__BB0_2;
            $L__BB0_0:
            	mul.wide.u32 %rd4, %r0, 4;
            	add.s64 %rd5, %rd1, %rd4;
            	ld.global.u32 %r1, [%rd5];
            	.loc 1 4 4
            	setp.eq.u32 %p1, %r1, %r0;
            	@%p1 bra $L__BB0_1;
            	mov.b32 %r0, %r1;
            	cvt.u64.u32 %rd3, %r0;
            	.loc 1 3 4
            	setp.lt.u64 %p2, %rd3, %rd2;
            	@%p2 bra $L__BB0_0;
            	bra.uni $L__BB0_2;
            $L__BB0_1:
            	.loc 1 5 1
            	st.global.u32 [%rd1], %r1;
            	ret;
            $L__BB0_2:
            	ld.param.u64 %rd6, [k_$panic];
            	cvta.to.global.u64 %rd7, %rd6;
            	{
            		.param .b64 argument0;
            		.param .b32 argument1;
            		.param .b64 argument2;
            		st.param.b64 [argument0], %rd7;
            		st.param.b32 [argument1], %r0;
            		st.param.b64 [argument2], %rd2;
            		call k_$panics, (argument0, argument1, argument2);
            	}
            	ret;
            }
        "#]],
    );
}

/// Checks of one loop with different sites and values, behind which the kernel ends at once: each calls the function of panics itself, so that they
/// do not meet. Where something is stored first, the call is common.
#[test]
fn checks_in_front_of_the_end() {
    let calls = |end: &str| {
        let text = format!(
            "kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 first: i32) {{
            panic0 index
            panic1 divide_by_zero
         block0:
            v0: i32 = param2
            v1: i64 = param1
            v2: i64 = param0
            v3: i64 = const 4
            v11: i32 = const 0
            jump block1(v0)
         block1(v4: i32):
            v5: i64 = zext v4
            v6: bool = icmp ult v5, v1
            branch v6, block2, block4
         block2:
            v7: i64 = mul v5, v3
            v8: i64 = add v2, v7
            v9: i32 = load.global v8
            v12: bool = icmp ne v9, v11
            branch v12, block5, block6
         block5:
            v13: i32 = udiv v0, v9
            store.global v8, v13
            v10: bool = icmp ne v13, v4
            branch v10, block1(v13), block3
         block3:
            {end}
            return
         block4:
            panic panic0(v5, v1)
         block6:
            panic panic1
         }}"
        );
        let mut module = parse_module(&text).unwrap_or_else(|error| panic!("{error}"));
        module.functions.iter_mut().for_each(crate::passes::lower_panics::lower_panics);
        let verified = verify(&module).unwrap_or_else(|errors| panic!("{errors}"));
        let text = select(&verified, Arch::FLOOR).tree.to_string();
        text.lines().filter(|line| line.trim_start().starts_with("call k_$panics")).count()
    };
    assert_eq!(calls(""), 2);
    assert_eq!(calls("store.global v2, v9"), 1);
}

#[test]
fn panics_are_cold() {
    check(
        "file 0 \"src/lib.rs\"
         kernel k(param0 x: i64 ptr align 4, param1 n: i64, param2 d: i32) {
            panic0 index @0:3:4
            panic1 divide_by_zero @0:4:5
         block0:
            v0: i32 = special tid.x
            v1: i64 = zext v0
            v2: i64 = param1
            v3: bool = icmp ult v1, v2 @0:3:4
            branch v3, block1, block2 @0:3:4
         block1:
            v4: i32 = param2
            v5: i32 = const 0
            v6: bool = icmp eq v4, v5 @0:4:5
            branch v6, block3, block4 @0:4:5
         block2:
            panic panic0(v1, v2) @0:3:4
         block3:
            panic panic1 @0:4:5
         block4:
            v7: i64 = const 4
            v8: i64 = mul v1, v7 @0:5:1
            v9: i64 = param0
            v10: i64 = add v9, v8 @0:5:1
            v11: i32 = udiv v0, v4 @0:4:5
            store.global v10, v11 @0:5:1
            return
         }",
        expect![[r#"
            .file 1 "src/lib.rs"

            .visible .entry k(
            	.param .u64 .ptr .global .align 4 k_x,
            	.param .u64 k_n,
            	.param .u32 k_d,
            	.param .u64 .ptr .global .align 8 k_$panic
            )
            {
            	.reg .pred %p<3>;
            	.reg .b32 %r<11>;
            	.reg .b64 %rd<9>;
            	ld.param.u64 %rd0, [k_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u64 %rd2, [k_n];
            	ld.param.u32 %r0, [k_d];
            	mov.u32 %r1, %tid.x;
            	cvt.u64.u32 %rd3, %r1;
            	.loc 1 3 4
            	setp.ge.u64 %p0, %rd3, %rd2;
            	@%p0 bra $L__BB0_0;
            	.loc 1 4 5
            	setp.eq.u32 %p1, %r0, 0;
            	@%p1 bra $L__BB0_1;
            	.loc 1 5 1
            	mul.wide.u32 %rd4, %r1, 4;
            	add.s64 %rd5, %rd1, %rd4;
            	.loc 1 4 5
            	div.u32 %r2, %r1, %r0;
            	.loc 1 5 1
            	st.global.u32 [%rd5], %r2;
            	ret;
            $L__BB0_0:
            	.loc 1 3 4
            	cvt.u64.u32 %rd6, %r1;
            	mov.b32 %r3, 0;
            	bra.uni $L__BB0_2;
            $L__BB0_1:
            	.loc 1 4 5
            	mov.b32 %r3, 1;
            	mov.b64 %rd6, 0;
            	mov.b64 %rd2, 0;
            $L__BB0_2:
            	ld.param.u64 %rd7, [k_$panic];
            	cvta.to.global.u64 %rd8, %rd7;
            	atom.relaxed.sys.global.cas.b32 %r4, [%rd8], 0, 1;
            	setp.ne.u32 %p2, %r4, 0;
            	@%p2 bra $L__BB0_3;
            	st.global.u32 [%rd8+4], %r3;
            	st.global.u64 [%rd8+8], %rd6;
            	st.global.u64 [%rd8+16], %rd2;
            	mov.u32 %r5, %ctaid.x;
            	st.global.u32 [%rd8+24], %r5;
            	mov.u32 %r6, %ctaid.y;
            	st.global.u32 [%rd8+28], %r6;
            	mov.u32 %r7, %ctaid.z;
            	st.global.u32 [%rd8+32], %r7;
            	mov.u32 %r8, %tid.x;
            	st.global.u32 [%rd8+36], %r8;
            	mov.u32 %r9, %tid.y;
            	st.global.u32 [%rd8+40], %r9;
            	mov.u32 %r10, %tid.z;
            	st.global.u32 [%rd8+44], %r10;
            $L__BB0_3:
            	ret;
            }
        "#]],
    );
}

/// Selects the body of a kernel over `v0: i64`, a pointer, and shows its code alone, without the frame.
#[track_caller]
fn check_body(text: &str, expect: Expect) {
    let text = format!("kernel k(param0 x: i64 ptr align 8) {{ block0: v0: i64 = param0 {text} return }}");
    let module = parse_module(&text).unwrap_or_else(|error| panic!("{error}"));
    let verified = verify(&module).unwrap_or_else(|errors| panic!("{errors}"));
    let text = select(&verified, Arch::FLOOR).tree.to_string();
    let (_, code) = text.split_once("cvta.to.global.u64 %rd1, %rd0;\n").unwrap_or(("", &text));
    expect.assert_eq(&code.replace("\tret;\n}\n", "").replace('\t', ""));
}

#[test]
fn narrow_integers_are_extended_where_it_matters() {
    check_body(
        "v1: i8 = load.global v0
         v2: i8 = load.global v0 + 1
         v3: i8 = add v1, v2
         v4: i8 = udiv v3, v1
         v5: bool = icmp slt v3, v2
         v6: i8 = select v5, v4, v3
         store.global v0, v6
         v7: i32 = sext v3
         store.global v0 + 4, v7",
        expect![[r#"
            	ld.global.u8 %r0, [%rd1];
            	ld.global.u8 %r1, [%rd1+1];
            	cvt.s32.s8 %r2, %r1;
            	add.s32 %r3, %r0, %r1;
            	cvt.s32.s8 %r4, %r3;
            	and.b32 %r5, %r3, 255;
            	div.u32 %r6, %r5, %r0;
            	setp.lt.s32 %p0, %r4, %r2;
            	selp.b32 %r7, %r6, %r3, %p0;
            	st.global.u8 [%rd1], %r7;
            	st.global.u32 [%rd1+4], %r4;
        "#]],
    );
}

#[test]
fn shift_amounts_are_taken_modulo_the_width() {
    check_body(
        "v1: i32 = load.global v0
         v2: i64 = load.global v0 + 8
         v3: i32 = const 33
         v4: i32 = shl v1, v3
         v5: i32 = lshr v4, v1
         v6: i64 = zext v5
         v7: i64 = ashr v2, v6
         v8: i64 = shl v7, v2
         store.global v0, v8",
        expect![[r#"
            	ld.global.u32 %r0, [%rd1];
            	ld.global.u64 %rd2, [%rd1+8];
            	shl.b32 %r1, %r0, 1;
            	and.b32 %r2, %r0, 31;
            	shr.u32 %r3, %r1, %r2;
            	and.b32 %r4, %r3, 63;
            	shr.s64 %rd3, %rd2, %r4;
            	cvt.u32.u64 %r5, %rd2;
            	and.b32 %r6, %r5, 63;
            	shl.b64 %rd4, %rd3, %r6;
            	st.global.u64 [%rd1], %rd4;
        "#]],
    );
}

#[test]
fn addresses_fold() {
    check_body(
        "v1: i32 = load.global v0
         v2: i64 = sext v1
         v3: i64 = const 12
         v4: i64 = mul v2, v3
         v5: i64 = add v0, v4
         v6: i64 = const -4
         v7: i64 = add v5, v6
         v8: f32 = load.global v7 + 20
         v9: i64 = load.global v0 + 8
         v10: i64 = const 8
         v11: i64 = mul v9, v10
         v12: i64 = add v0, v11
         store.global v12, v8",
        expect![[r#"
            	ld.global.u32 %r0, [%rd1];
            	mul.wide.s32 %rd2, %r0, 12;
            	add.s64 %rd3, %rd1, %rd2;
            	ld.global.f32 %f0, [%rd3+16];
            	ld.global.u64 %rd4, [%rd1+8];
            	shl.b64 %rd5, %rd4, 3;
            	add.s64 %rd6, %rd1, %rd5;
            	st.global.f32 [%rd6], %f0;
        "#]],
    );
}

#[test]
fn one_over_a_number_is_its_reciprocal() {
    check_body(
        "v1: f32 = load.global v0
         v2: f32 = const 0x3f800000
         v3: f32 = fdiv v2, v1
         v4: f32 = fdiv v1, v3
         v5: f32 = const 0x40000000
         v6: f32 = fdiv v5, v4
         store.global v0, v6
         v7: f64 = load.global v0 + 8
         v8: f64 = const 0x3ff0000000000000
         v9: f64 = fdiv v8, v7
         v10: f64 = fdiv v7, v9
         store.global v0 + 8, v10",
        expect![[r#"
            ld.global.f32 %f0, [%rd1];
            rcp.rn.f32 %f1, %f0;
            div.rn.f32 %f2, %f0, %f1;
            div.rn.f32 %f3, 0f40000000, %f2;
            st.global.f32 [%rd1], %f3;
            ld.global.f64 %fd0, [%rd1+8];
            rcp.rn.f64 %fd1, %fd0;
            div.rn.f64 %fd2, %fd0, %fd1;
            st.global.f64 [%rd1+8], %fd2;
        "#]],
    );
}

#[test]
fn comparisons_fold() {
    check_body(
        "v1: f32 = load.global v0
         v2: i32 = load.global v0 + 4
         v3: i32 = const 7
         v4: bool = icmp ugt v3, v2
         v5: f32 = const 1.0
         v6: bool = fcmp lt v1, v5
         v7: bool = not v6
         v8: bool = and v4, v7
         v9: i32 = zext v8
         store.global v0, v9
         v10: bool = load.global v0 + 9
         v11: bool = xor v10, v4
         v12: bool = const false
         v13: bool = icmp eq v11, v12
         store.global v0 + 10, v13",
        expect![[r#"
            ld.global.v2.b32 {%f0, %r0}, [%rd1];
            setp.lt.u32 %p0, %r0, 7;
            setp.geu.and.f32 %p1, %f0, 0f3F800000, %p0;
            selp.b32 %r1, 1, 0, %p1;
            st.global.u32 [%rd1], %r1;
            ld.global.u8 %r2, [%rd1+9];
            setp.ne.b32 %p2, %r2, 0;
            xor.pred %p3, %p2, %p0;
            selp.b32 %r3, 0, 1, %p3;
            st.global.u8 [%rd1+10], %r3;
        "#]],
    );
}

#[test]
fn a_negated_comparison_of_floats_is_negated_again_by_a_branch() {
    check(
        "kernel k(param0 x: i64 ptr align 8, param1 a: f32, param2 b: f32, param3 p: bool) {
         block0:
            v0: i64 = param0
            v1: f32 = param1
            v2: f32 = param2
            v3: bool = param3
            v4: bool = fcmp lt v1, v2
            v5: bool = not v4
            v6: bool = or v5, v3
            branch v6, block1, block2
         block1:
            store.global v0, v1
            jump block2
         block2:
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_x,
            	.param .f32 k_a,
            	.param .f32 k_b,
            	.param .u8 k_p
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<1>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<2>;
            	ld.param.u64 %rd0, [k_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.f32 %f0, [k_a];
            	ld.param.f32 %f1, [k_b];
            	ld.param.u8 %r0, [k_p];
            	setp.ne.b32 %p0, %r0, 0;
            	setp.lt.and.f32 %p1, %f0, %f1, !%p0;
            	@%p1 bra $L__BB0_0;
            	st.global.f32 [%rd1], %f0;
            $L__BB0_0:
            	ret;
            }
        "#]],
    );
}

#[test]
fn floats_become_integers_as_in_rust() {
    check_body(
        "v1: f32 = load.global v0
         v2: i32 = f2s v1
         store.global v0, v2
         v3: i8 = f2u v1
         store.global v0, v3
         v4: i64 = f2s v1
         store.global v0, v4
         v5: f64 = load.global v0
         v6: i16 = f2s v5
         store.global v0, v6",
        expect![[r#"
            ld.global.f32 %f0, [%rd1];
            cvt.rzi.s32.f32 %r0, %f0;
            st.global.u32 [%rd1], %r0;
            cvt.rzi.u8.f32 %r1, %f0;
            st.global.u8 [%rd1], %r1;
            cvt.rzi.s64.f32 %rd2, %f0;
            setp.num.f32 %p0, %f0, %f0;
            selp.b64 %rd3, %rd2, 0, %p0;
            st.global.u64 [%rd1], %rd3;
            ld.global.f64 %fd0, [%rd1];
            cvt.rzi.s32.f64 %r2, %fd0;
            setp.num.f64 %p1, %fd0, %fd0;
            selp.b32 %r3, %r2, 0, %p1;
            max.s32 %r4, %r3, -32768;
            min.s32 %r5, %r4, 32767;
            st.global.u16 [%rd1], %r5;
        "#]],
    );
}

#[test]
fn floats_are_rounded_as_they_become_integers() {
    check_body(
        "v1: f32 = load.global v0
         v2: f32 = floor v1
         v3: i32 = f2s v2
         store.global v0, v3
         v4: f32 = round_even v1
         v5: i8 = f2u v4
         store.global v0, v5
         v6: f64 = load.global v0
         v7: f64 = ceil v6
         v8: i64 = f2s v7
         store.global v0, v8
         store.global v0, v7",
        expect![[r#"
            ld.global.f32 %f0, [%rd1];
            cvt.rmi.s32.f32 %r0, %f0;
            st.global.u32 [%rd1], %r0;
            cvt.rni.u8.f32 %r1, %f0;
            st.global.u8 [%rd1], %r1;
            ld.global.f64 %fd0, [%rd1];
            cvt.rpi.f64.f64 %fd1, %fd0;
            cvt.rpi.s64.f64 %rd2, %fd0;
            setp.num.f64 %p0, %fd0, %fd0;
            selp.b64 %rd3, %rd2, 0, %p0;
            st.global.u64 [%rd1], %rd3;
            st.global.f64 [%rd1], %fd1;
        "#]],
    );
}

#[test]
fn bits_are_counted() {
    check_body(
        "v1: i8 = load.global v0
         v2: i8 = ctz v1
         store.global v0, v2
         v3: i8 = clz v1
         store.global v0, v3
         v4: i64 = load.global v0
         v5: i64 = ctz v4
         v6: i32 = trunc_int v5
         store.global v0, v6
         v7: i64 = popc v4
         store.global v0, v7
         v8: i8 = load.global v0
         v9: i8 = brev v8
         v10: i16 = sext v9
         v11: i16 = const 3
         v12: i16 = smax v10, v11
         store.global v0, v12",
        expect![[r#"
            	ld.global.u8 %r0, [%rd1];
            	or.b32 %r1, %r0, 256;
            	brev.b32 %r2, %r1;
            	clz.b32 %r3, %r2;
            	st.global.u8 [%rd1], %r3;
            	clz.b32 %r4, %r0;
            	sub.s32 %r5, %r4, 24;
            	st.global.u8 [%rd1], %r5;
            	ld.global.u64 %rd2, [%rd1];
            	brev.b64 %rd3, %rd2;
            	clz.b64 %r6, %rd3;
            	st.global.u32 [%rd1], %r6;
            	popc.b64 %r7, %rd2;
            	cvt.u64.u32 %rd4, %r7;
            	st.global.u64 [%rd1], %rd4;
            	ld.global.u8 %r8, [%rd1];
            	brev.b32 %r9, %r8;
            	shr.u32 %r10, %r9, 24;
            	cvt.s32.s8 %r11, %r10;
            	max.s32 %r12, %r11, 3;
            	st.global.u16 [%rd1], %r12;
        "#]],
    );
}

#[test]
fn local_variables_and_generic_addresses() {
    check(
        "kernel k(param0 i: i32, param1 x: i64 ptr align 4 read_only) {
            shared0 tile: 64 align 4
            local0 unused: 64 align 4
            local1 \"a[]\": 64 align 4
         block0:
            v0: i32 = param0
            v1: i64 = address local1
            v2: i64 = const 8
            v3: i64 = add v1, v2
            store.local v3 + 4, v0
            v4: i64 = zext v0
            v5: i64 = const 4
            v6: i64 = mul v4, v5
            v7: i64 = add v1, v6
            v8: i32 = load.local v7
            v9: i64 = to_generic.local v1
            v10: i32 = address shared0
            v11: i64 = to_generic.shared v10
            v12: i64 = param1
            v13: i64 = to_generic.global v12
            store.generic v9 + 4, v8
            store.generic v11, v8
            store.generic v13, v8
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u32 k_i,
            	.param .u64 .ptr .global .align 4 k_x
            )
            {
            	.reg .b32 %r<3>;
            	.reg .b64 %rd<10>;
            	.shared .align 4 .b8 k_tile[64];
            	.local .align 4 .b8 k_a$5b$5d$local1[64];
            	ld.param.u32 %r0, [k_i];
            	ld.param.u64 %rd0, [k_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	mov.u32 %r1, k_tile;
            	st.local.u32 [k_a$5b$5d$local1+12], %r0;
            	mul.wide.u32 %rd2, %r0, 4;
            	mov.u64 %rd3, k_a$5b$5d$local1;
            	add.s64 %rd4, %rd3, %rd2;
            	ld.local.u32 %r2, [%rd4];
            	mov.u64 %rd5, k_a$5b$5d$local1;
            	cvta.local.u64 %rd6, %rd5;
            	cvt.u64.u32 %rd7, %r1;
            	cvta.shared.u64 %rd8, %rd7;
            	cvta.global.u64 %rd9, %rd1;
            	st.u32 [%rd6+4], %r2;
            	st.u32 [%rd8], %r2;
            	st.u32 [%rd9], %r2;
            	ret;
            }
        "#]],
    );
}

#[test]
fn loops_that_stay_say_so_at_their_header() {
    check(
        "kernel k(param0 n: i32, param1 x: i64 ptr align 4) {
         block0:
            v0: i32 = param0
            v1: i64 = param1
            v2: i32 = const 0
            v3: i32 = const 1
            jump block1(v2)
         block1(v4: i32) nounroll:
            v5: bool = icmp ult v4, v0
            branch v5, block2, block3
         block2:
            store.global v1, v4
            v6: i32 = add v4, v3
            jump block1(v6)
         block3:
            jump block4(v2)
         block4(v7: i32) nounroll:
            store.global v1, v7
            v8: i32 = add v7, v3
            v9: bool = icmp ult v8, v0
            branch v9, block4(v8), block5
         block5:
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u32 k_n,
            	.param .u64 .ptr .global .align 4 k_x
            )
            {
            	.reg .pred %p<3>;
            	.reg .b32 %r<3>;
            	.reg .b64 %rd<2>;
            	ld.param.u32 %r0, [k_n];
            	ld.param.u64 %rd0, [k_x];
            	cvta.to.global.u64 %rd1, %rd0;
            	mov.b32 %r1, 0;
            	setp.ge.u32 %p0, %r1, %r0;
            	@%p0 bra $L__BB0_1;
            $L__BB0_0:
            	.pragma "nounroll";
            	st.global.u32 [%rd1], %r1;
            	add.s32 %r1, %r1, 1;
            	setp.lt.u32 %p1, %r1, %r0;
            	@%p1 bra $L__BB0_0;
            $L__BB0_1:
            	mov.b32 %r2, 0;
            $L__BB0_2:
            	.pragma "nounroll";
            	st.global.u32 [%rd1], %r2;
            	add.s32 %r2, %r2, 1;
            	setp.lt.u32 %p2, %r2, %r0;
            	@%p2 bra $L__BB0_2;
            	ret;
            }
        "#]],
    );
}

#[test]
fn dynamic_shared_memory_is_declared_outside() {
    check(
        "kernel k() {
            shared0 tile: 16 align 4
            shared1 dynamic: 0 align 16
         block0:
            v0: i32 = special dynamic_smem_size
            v1: i32 = address shared0
            v2: i32 = address shared1
            store.shared v1, v0
            store.shared v2, v0
            return
         }",
        expect![[r#"
            .extern .shared .align 16 .b8 k_dynamic[];

            .visible .entry k()
            {
            	.reg .b32 %r<1>;
            	.shared .align 4 .b8 k_tile[16];
            	mov.u32 %r0, %dynamic_smem_size;
            	st.shared.u32 [k_tile], %r0;
            	st.shared.u32 [k_dynamic], %r0;
            	ret;
            }
        "#]],
    );
}

/// A linker that puts dynamic shared memory at the very end of the static finds an aligned place there.
#[test]
fn static_shared_memory_ends_where_dynamic_may_begin() {
    check(
        "kernel k() {
            shared0 words: 64 align 8
            shared1 groups: 24 align 8
            shared2 stages: 0 align 1024
         block0:
            v0: i32 = special dynamic_smem_size
            v1: i32 = address shared0
            v2: i32 = address shared1
            v3: i32 = address shared2
            store.shared v1, v0
            store.shared v2, v0
            store.shared v3, v0
            return
         }",
        expect![[r#"
            .extern .shared .align 1024 .b8 k_stages[];

            .visible .entry k()
            {
            	.reg .b32 %r<1>;
            	.shared .align 8 .b8 k_words[64];
            	.shared .align 8 .b8 k_groups[960];
            	mov.u32 %r0, %dynamic_smem_size;
            	st.shared.u32 [k_words], %r0;
            	st.shared.u32 [k_groups], %r0;
            	st.shared.u32 [k_stages], %r0;
            	ret;
            }
        "#]],
    );
}

/// `.ftz` stands wherever `f32` is computed, compared or converted, and nowhere else: floats of 16 bits that are computed by
/// way of `f32` keep their subnormal numbers.
#[test]
fn subnormal_numbers_are_flushed() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 a: f32, param2 d: f64, param3 h: f16, param4 b: bf16, param5 n: i32) ftz {
        block0:
            v0: i64 = param0
            v1: f32 = param1
            v2: f64 = param2
            v3: f16 = param3
            v4: bf16 = param4
            v5: i32 = param5
            v10: f32 = fadd v1, v1
            v11: f32 = fma v10, v1, v1
            v12: f32 = fdiv_approx v11, v1
            v13: f32 = sqrt v12
            v14: f32 = tanh_approx v13
            v15: f32 = ex2_approx v14
            v31: f32 = rcp_flushed v15
            v16: f32 = fneg v31
            v17: f32 = fmin v16, v1
            v18: f32 = copysign v17, v1
            v19: f32 = floor v18
            v20: bool = fcmp lt v19, v1
            v21: f32 = select v20, v19, v1
            v22: i32 = f2s v21
            v23: f64 = f2f v21
            v24: f32 = f2f v2
            v25: f32 = s2f v5
            v26: f64 = fadd v2, v23
            v27: f16 = f2f v24
            v28: f32 = f2f v3
            v29: bf16 = fdiv v4, v4
            v30: bool = fcmp lt v29, v4
            store.global v0, v22
            store.global v0, v25
            store.global v0, v26
            store.global v0, v27
            store.global v0, v28
            store.global v0, v29
            store.global v0, v30
            return
        }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .f32 k_a,
            	.param .f64 k_d,
            	.param .b16 k_h,
            	.param .b16 k_b,
            	.param .u32 k_n
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<11>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<21>;
            	.reg .f64 %fd<3>;
            	.reg .b16 %h<4>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.f32 %f0, [k_a];
            	ld.param.f64 %fd0, [k_d];
            	ld.param.b16 %h0, [k_h];
            	ld.param.b16 %h1, [k_b];
            	ld.param.u32 %r0, [k_n];
            	add.rn.ftz.f32 %f1, %f0, %f0;
            	fma.rn.ftz.f32 %f2, %f1, %f0, %f0;
            	div.approx.ftz.f32 %f3, %f2, %f0;
            	sqrt.rn.ftz.f32 %f4, %f3;
            	tanh.approx.f32 %f5, %f4;
            	ex2.approx.ftz.f32 %f6, %f5;
            	rcp.approx.ftz.f32 %f7, %f6;
            	neg.ftz.f32 %f8, %f7;
            	min.ftz.f32 %f9, %f8, %f0;
            	copysign.f32 %f10, %f0, %f9;
            	cvt.rmi.ftz.f32.f32 %f11, %f10;
            	setp.lt.ftz.f32 %p0, %f11, %f0;
            	selp.f32 %f12, %f11, %f0, %p0;
            	cvt.rzi.ftz.s32.f32 %r1, %f12;
            	cvt.ftz.f64.f32 %fd1, %f12;
            	cvt.rn.ftz.f32.f64 %f13, %fd0;
            	cvt.rn.f32.s32 %f14, %r0;
            	add.rn.f64 %fd2, %fd0, %fd1;
            	cvt.rn.f16.f32 %h2, %f13;
            	cvt.f32.f16 %f15, %h0;
            	cvt.u32.u16 %r2, %h1;
            	shl.b32 %r3, %r2, 16;
            	mov.b32 %f16, %r3;
            	cvt.u32.u16 %r4, %h1;
            	shl.b32 %r5, %r4, 16;
            	mov.b32 %f17, %r5;
            	div.rn.f32 %f18, %f16, %f17;
            	cvt.rn.bf16.f32 %h3, %f18;
            	cvt.u32.u16 %r6, %h3;
            	shl.b32 %r7, %r6, 16;
            	mov.b32 %f19, %r7;
            	cvt.u32.u16 %r8, %h1;
            	shl.b32 %r9, %r8, 16;
            	mov.b32 %f20, %r9;
            	setp.lt.f32 %p1, %f19, %f20;
            	st.global.u32 [%rd1], %r1;
            	st.global.f32 [%rd1], %f14;
            	st.global.f64 [%rd1], %fd2;
            	st.global.b16 [%rd1], %h2;
            	st.global.f32 [%rd1], %f15;
            	st.global.b16 [%rd1], %h3;
            	selp.b32 %r10, 1, 0, %p1;
            	st.global.u8 [%rd1], %r10;
            	ret;
            }
        "#]],
    );
}

/// A symbol is there once in a module, whatever the source calls its parameters, variables and kernels.
#[test]
fn symbols_of_one_name() {
    check(
        "kernel k(param0 tile: i64 ptr align 4, param1 _free: i32) {
            shared0 tile: 128 align 4
            shared1 dynamic: 0 align 4
            block0:
                v0: i64 = param0
                v1: i32 = param1
                v2: i32 = address shared0
                store.shared v2, v1
                return
            }
        kernel k_(param0 _free: i64 ptr align 4) {
            block0:
                return
            }
        kernel k__free(param0 x: i32) {
            block0:
                return
            }",
        expect![[r#"
            .extern .shared .align 4 .b8 k_dynamic[];

            .visible .entry k(
            	.param .u64 .ptr .global .align 4 k_tile,
            	.param .u32 k__free$2
            )
            {
            	.reg .b32 %r<1>;
            	.shared .align 4 .b8 k_tile$2[128];
            	ld.param.u32 %r0, [k__free$2];
            	st.shared.u32 [k_tile$2], %r0;
            	ret;
            }

            .visible .entry k_(
            	.param .u64 .ptr .global .align 4 k___free
            )
            {
            	ret;
            }

            .visible .entry k__free(
            	.param .u32 k__free_x
            )
            {
            	ret;
            }
        "#]],
    );
}
