//! Kernels of textual IR, and the PTX that they become.

use expect_test::{Expect, expect};

use super::select;
use crate::ir::parse::parse_module;
use crate::verify::verify;

/// Selects a module without passes: what is seen is the work of selection alone.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let verified = verify(&module).unwrap_or_else(|errors| panic!("{errors}"));
    let mut tree = select(&verified);
    // The header says nothing about selection.
    tree.items.retain(|item| matches!(item, crate::ptx::tree::Item::Function(_)));
    let text = tree.to_string();
    let body = text.split_once("\n\n").map_or("", |(_, body)| body);
    expect.assert_eq(body);
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

/// Compiles a module, passes included.
#[track_caller]
fn check_compiled(text: &str, expect: Expect) {
    let module = parse_module(text).unwrap_or_else(|error| panic!("{error}"));
    let compiled = crate::compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
    expect.assert_eq(&compiled.ptx);
}

#[test]
fn panics_are_cold() {
    check_compiled(
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
            .version 6.3
            .target sm_75
            .address_size 64

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
            	.reg .b64 %rd<8>;
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
            	mov.b32 %r3, 0;
            	bra.uni $L__BB0_2;
            $L__BB0_1:
            	.loc 1 4 5
            	mov.b32 %r3, 1;
            	mov.b64 %rd3, 0;
            	mov.b64 %rd2, 0;
            $L__BB0_2:
            	ld.param.u64 %rd6, [k_$panic];
            	cvta.to.global.u64 %rd7, %rd6;
            	atom.relaxed.sys.global.cas.b32 %r4, [%rd7], 0, 1;
            	setp.ne.u32 %p2, %r4, 0;
            	@%p2 bra $L__BB0_3;
            	st.global.u32 [%rd7+4], %r3;
            	st.global.u64 [%rd7+8], %rd3;
            	st.global.u64 [%rd7+16], %rd2;
            	mov.u32 %r5, %ctaid.x;
            	st.global.u32 [%rd7+24], %r5;
            	mov.u32 %r6, %ctaid.y;
            	st.global.u32 [%rd7+28], %r6;
            	mov.u32 %r7, %ctaid.z;
            	st.global.u32 [%rd7+32], %r7;
            	mov.u32 %r8, %tid.x;
            	st.global.u32 [%rd7+36], %r8;
            	mov.u32 %r9, %tid.y;
            	st.global.u32 [%rd7+40], %r9;
            	mov.u32 %r10, %tid.z;
            	st.global.u32 [%rd7+44], %r10;
            $L__BB0_3:
            	ret;
            }
        "#]],
    );
}
