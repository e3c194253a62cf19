//! Floats of 16 bits, collectives and constant data, as PTX.

use expect_test::expect;

use super::{check, check_for};
use ptx::target::Arch;

#[test]
fn f16_arithmetic() {
    check(
        "kernel k(param0 a: f16, param1 p: i64 ptr align 2) {
         block0:
            v0: f16 = param0
            v1: i64 = param1
            v2: f16 = load.global v1
            v3: f16 = const 1.5
            v4: f16 = fadd v0, v3
            v5: f16 = fma v4, v2, v0
            v6: f16 = fdiv v5, v2
            v7: f16 = fneg v6
            v8: bool = fcmp ne v7, v0
            v9: f16 = select v8, v7, v3
            v10: i16 = bitcast v9
            store.global v1, v9
            store.global v1 + 2, v3
            store.global v1 + 4, v10
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .b16 k_a,
            	.param .u64 .ptr .global .align 2 k_p
            )
            {
            	.reg .pred %p<1>;
            	.reg .b32 %r<1>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<3>;
            	.reg .b16 %h<9>;
            	ld.param.b16 %h0, [k_a];
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.global.b16 %h1, [%rd1];
            	mov.b16 %h2, 15872;
            	add.rn.f16 %h3, %h0, %h2;
            	fma.rn.f16 %h4, %h3, %h1, %h0;
            	cvt.f32.f16 %f0, %h4;
            	cvt.f32.f16 %f1, %h1;
            	div.rn.f32 %f2, %f0, %f1;
            	cvt.rn.f16.f32 %h5, %f2;
            	xor.b16 %h6, %h5, 32768;
            	setp.neu.f16 %p0, %h6, %h0;
            	mov.b16 %h7, 15872;
            	selp.b16 %h8, %h6, %h7, %p0;
            	cvt.u32.u16 %r0, %h8;
            	st.global.b16 [%rd1], %h8;
            	st.global.b16 [%rd1+2], 15872;
            	st.global.u16 [%rd1+4], %r0;
            	ret;
            }
        "#]],
    );
}

#[test]
fn bf16_arithmetic() {
    check(
        "kernel k(param0 a: bf16, param1 p: i64 ptr align 4) {
         block0:
            v0: bf16 = param0
            v1: i64 = param1
            v2: bf16x2 = pack v0, v0
            v3: bf16x2 = load.global v1
            v4: bf16x2 = fadd v2, v3
            v5: bf16x2 = fmul v4, v3
            v6: bf16x2 = fmin v5, v3
            v7: bf16 = extract.1 v6
            v8: bool = fcmp lt v7, v0
            v9: f32 = f2f v7
            v10: i64 = zext v8
            v11: bf16 = u2f v10
            store.global v1, v9
            store.global v1 + 4, v11
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .b16 k_a,
            	.param .u64 .ptr .global .align 4 k_p
            )
            {
            	.reg .pred %p<2>;
            	.reg .b32 %r<16>;
            	.reg .b64 %rd<4>;
            	.reg .f32 %f<5>;
            	.reg .b16 %h<4>;
            	ld.param.b16 %h0, [k_a];
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	mov.b32 %r0, {%h0, %h0};
            	ld.global.b32 %r1, [%rd1];
            	mov.b32 %r2, 1065369472;
            	fma.rn.bf16x2 %r3, %r0, %r2, %r1;
            	mov.b32 %r4, 2147516416;
            	fma.rn.bf16x2 %r5, %r3, %r1, %r4;
            	min.bf16x2 %r6, %r5, %r1;
            	mov.b32 {%h1, %h2}, %r6;
            	cvt.u32.u16 %r7, %h2;
            	shl.b32 %r8, %r7, 16;
            	mov.b32 %f0, %r8;
            	cvt.u32.u16 %r9, %h0;
            	shl.b32 %r10, %r9, 16;
            	mov.b32 %f1, %r10;
            	setp.lt.f32 %p0, %f0, %f1;
            	cvt.u32.u16 %r11, %h2;
            	shl.b32 %r12, %r11, 16;
            	mov.b32 %f2, %r12;
            	selp.b64 %rd2, 1, 0, %p0;
            	cvt.rz.f32.u64 %f3, %rd2;
            	cvt.rzi.u64.f32 %rd3, %f3;
            	setp.ne.b64 %p1, %rd2, %rd3;
            	mov.b32 %r13, %f3;
            	or.b32 %r14, %r13, 1;
            	selp.b32 %r15, %r14, %r13, %p1;
            	mov.b32 %f4, %r15;
            	cvt.rn.bf16.f32 %h3, %f4;
            	st.global.f32 [%rd1], %f2;
            	st.global.b16 [%rd1+4], %h3;
            	ret;
            }
        "#]],
    );
}

/// The negative of `i8::MIN` is itself, and so is its absolute value; in a register of 32 bits it is 128.
#[test]
fn absolute_values() {
    check(
        "kernel k(param0 a: i32, param1 b: i64, param2 p: i64 ptr align 8) {
         block0:
            v0: i32 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i32 = neg v0
            v4: i32 = smax v0, v3
            v5: i64 = neg v1
            v6: i64 = smax v5, v1
            v7: i32 = load.global v2
            v8: i32 = smax v7, v3
            v9: i8 = load.global v2
            v10: i8 = neg v9
            v11: i8 = smax v9, v10
            store.global v2, v4
            store.global v2 + 8, v6
            store.global v2 + 16, v8
            store.global v2 + 20, v11
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u32 k_a,
            	.param .u64 k_b,
            	.param .u64 .ptr .global .align 8 k_p
            )
            {
            	.reg .b32 %r<10>;
            	.reg .b64 %rd<4>;
            	ld.param.u32 %r0, [k_a];
            	ld.param.u64 %rd0, [k_b];
            	ld.param.u64 %rd1, [k_p];
            	cvta.to.global.u64 %rd2, %rd1;
            	neg.s32 %r1, %r0;
            	abs.s32 %r2, %r0;
            	abs.s64 %rd3, %rd0;
            	ld.global.u32 %r3, [%rd2];
            	max.s32 %r4, %r3, %r1;
            	ld.global.u8 %r5, [%rd2];
            	cvt.s32.s8 %r6, %r5;
            	neg.s32 %r7, %r5;
            	cvt.s32.s8 %r8, %r7;
            	max.s32 %r9, %r6, %r8;
            	st.global.u32 [%rd2], %r2;
            	st.global.u64 [%rd2+8], %rd3;
            	st.global.u32 [%rd2+16], %r4;
            	st.global.u8 [%rd2+20], %r9;
            	ret;
            }
        "#]],
    );
}

#[test]
fn minima_of_f16_depend_on_the_target() {
    let text = "kernel k(param0 p: i64 ptr align 4) {
         block0:
            v1: i64 = param0
            v2: f16x2 = load.global v1
            v3: f16x2 = load.global v1 + 4
            v4: f16x2 = fmax v2, v3
            store.global v1, v4
            return
         }";
    check_for(
        Arch::Sm80,
        text,
        expect![[r#"
        .visible .entry k(
        	.param .u64 .ptr .global .align 4 k_p
        )
        {
        	.reg .b32 %r<3>;
        	.reg .b64 %rd<2>;
        	ld.param.u64 %rd0, [k_p];
        	cvta.to.global.u64 %rd1, %rd0;
        	ld.global.b32 %r0, [%rd1];
        	ld.global.b32 %r1, [%rd1+4];
        	max.f16x2 %r2, %r0, %r1;
        	st.global.b32 [%rd1], %r2;
        	ret;
        }
    "#]],
    );
    check_for(
        Arch::Sm75,
        text,
        expect![[r#"
        .visible .entry k(
        	.param .u64 .ptr .global .align 4 k_p
        )
        {
        	.reg .b32 %r<3>;
        	.reg .b64 %rd<2>;
        	.reg .f32 %f<6>;
        	.reg .b16 %h<6>;
        	ld.param.u64 %rd0, [k_p];
        	cvta.to.global.u64 %rd1, %rd0;
        	ld.global.b32 %r0, [%rd1];
        	ld.global.b32 %r1, [%rd1+4];
        	mov.b32 {%h0, %h1}, %r0;
        	mov.b32 {%h2, %h3}, %r1;
        	cvt.f32.f16 %f0, %h0;
        	cvt.f32.f16 %f1, %h2;
        	max.f32 %f2, %f0, %f1;
        	cvt.rn.f16.f32 %h4, %f2;
        	cvt.f32.f16 %f3, %h1;
        	cvt.f32.f16 %f4, %h3;
        	max.f32 %f5, %f3, %f4;
        	cvt.rn.f16.f32 %h5, %f5;
        	mov.b32 %r2, {%h4, %h5};
        	st.global.b32 [%rd1], %r2;
        	ret;
        }
    "#]],
    );
}

#[test]
fn collectives() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 q: bool) {
         block0:
            v0: i64 = param0
            v1: bool = param1
            v2: i32 = const -1
            v3: bool = not v1
            v4: i32 = vote.ballot v3, v2
            v5: bool = vote.any v1, v2
            v6: i32 = match.any v0, v2
            v7: i32 = match.all v4, v2
            v8: i32 = redux.smax v7, v2
            v9: i32 = active_mask
            v10: i32 = barrier.popc v5
            v11: bool = barrier.and v3
            warp_barrier v9
            named_barrier.arrive 3, v2
            named_barrier.sync 4, v9
            fence.gpu
            v12: i64 = special globaltimer
            v13: i32 = const 1
            v14: i64 = shuffle.bfly v12, v13, v2, v2
            v15: i32 = add v6, v8
            v16: i32 = add v15, v10
            v17: i32 = zext v11
            v18: i32 = special lanemask_lt
            store.global v0, v14
            store.global v0 + 8, v16
            store.global v0 + 12, v17
            store.global v0 + 16, v18
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .u8 k_q
            )
            {
            	.reg .pred %p<3>;
            	.reg .b32 %r<15>;
            	.reg .b64 %rd<4>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u8 %r0, [k_q];
            	setp.ne.b32 %p0, %r0, 0;
            	vote.sync.ballot.b32 %r1, !%p0, -1;
            	vote.sync.any.pred %p1, %p0, -1;
            	match.any.sync.b64 %r2, %rd1, -1;
            	match.all.sync.b32 %r3, %r1, -1;
            	redux.sync.max.s32 %r4, %r3, -1;
            	activemask.b32 %r5;
            	bar.red.popc.u32 %r6, 0, %p1;
            	bar.red.and.pred %p2, 0, !%p0;
            	bar.warp.sync %r5;
            	bar.arrive 3, -1;
            	bar.sync 4, %r5;
            	fence.sc.gpu;
            	mov.u64 %rd2, %globaltimer;
            	mov.b64 {%r7, %r8}, %rd2;
            	shfl.sync.bfly.b32 %r9, %r7, 1, -1, -1;
            	shfl.sync.bfly.b32 %r10, %r8, 1, -1, -1;
            	mov.b64 %rd3, {%r9, %r10};
            	add.s32 %r11, %r2, %r4;
            	add.s32 %r12, %r11, %r6;
            	selp.b32 %r13, 1, 0, %p2;
            	mov.u32 %r14, %lanemask_lt;
            	st.global.u64 [%rd1], %rd3;
            	st.global.v2.u32 [%rd1+8], {%r12, %r13};
            	st.global.u32 [%rd1+16], %r14;
            	ret;
            }
        "#]],
    );
}

#[test]
fn constant_data() {
    check(
        r#"kernel k(param0 p: i64 ptr align 8, param1 n: i32) {
            const0 "[i16; 4]": 8 align 2 "01000200ffff0480"
            const1 unused: 1 align 1 "00"
         block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i64 = address const0
            v3: i64 = zext v1
            v4: i64 = const 2
            v5: i64 = mul v3, v4
            v6: i64 = add v2, v5
            v7: i16 = load.const v6
            v8: i16 = load.const v2 + 2
            store.global v0, v7
            store.global v0 + 2, v8
            return
         }"#,
        expect![[r#"
            .const .align 2 .b8 k_$5bi16$3b$204$5d$const0[8] = {1, 0, 2, 0, 255, 255, 4, 128};

            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .u32 k_n
            )
            {
            	.reg .b32 %r<3>;
            	.reg .b64 %rd<5>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [k_n];
            	mul.wide.u32 %rd2, %r0, 2;
            	mov.u64 %rd3, k_$5bi16$3b$204$5d$const0;
            	add.s64 %rd4, %rd3, %rd2;
            	ld.const.u16 %r1, [%rd4];
            	ld.const.u16 %r2, [k_$5bi16$3b$204$5d$const0+2];
            	st.global.v2.u16 [%rd1], {%r1, %r2};
            	ret;
            }
        "#]],
    );
}

#[test]
fn approximations() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 x: f32) {
         block0:
            v0: i64 = param0
            v1: f32 = param1
            v2: f32 = sin_approx v1
            v3: f32 = ex2_approx v2
            v4: f32 = tanh_approx v3
            v5: f32 = fdiv_approx v4, v1
            v6: f32 = ex2_flushed v5
            v7: f32 = rcp_flushed v6
            v8: f32 = saturate v7
            store.global v0, v8
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .f32 k_x
            )
            {
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<8>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.f32 %f0, [k_x];
            	sin.approx.f32 %f1, %f0;
            	ex2.approx.f32 %f2, %f1;
            	tanh.approx.f32 %f3, %f2;
            	div.approx.f32 %f4, %f3, %f0;
            	ex2.approx.ftz.f32 %f5, %f4;
            	rcp.approx.ftz.f32 %f6, %f5;
            	cvt.sat.f32.f32 %f7, %f6;
            	st.global.f32 [%rd1], %f7;
            	ret;
            }
        "#]],
    );
}

#[test]
fn neighbours_are_accessed_at_once() {
    check(
        "kernel k(param0 p: i64 ptr align 4, param1 i: i32) {
            shared0 tile: 1024 align 16
         block0:
            v0: i64 = param0
            v1: f32 = load.global v0 align 16 read_only
            v2: f32 = load.global v0 + 4 read_only
            v3: f32 = load.global v0 + 8 read_only
            v4: f32 = load.global v0 + 12 read_only
            v5: i32 = load.global v0 + 16
            v6: f32 = load.global v0 + 20
            v7: i32 = load.global v0 + 24
            v8: i32 = param1
            v9: i32 = const 8
            v10: i32 = mul v8, v9
            v11: i32 = address shared0
            v12: i32 = add v11, v10
            store.shared v12, v1
            store.shared v12 + 4, v2
            store.shared v12 + 8, v3
            store.shared v12 + 12, v4
            store.shared v11 + 32, v5
            store.shared v11 + 36, v6
            store.shared v11 + 40, v7
            store.shared v11 + 44, v9
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 4 k_p,
            	.param .u32 k_i
            )
            {
            	.reg .b32 %r<6>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<5>;
            	.shared .align 16 .b8 k_tile[1024];
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [k_i];
            	mov.u32 %r1, k_tile;
            	ld.global.nc.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];
            	ld.global.v2.b32 {%r2, %f4}, [%rd1+16];
            	ld.global.u32 %r3, [%rd1+24];
            	mad.lo.s32 %r4, %r0, 8, %r1;
            	st.shared.v2.f32 [%r4], {%f0, %f1};
            	st.shared.v2.f32 [%r4+8], {%f2, %f3};
            	mov.b32 %r5, 8;
            	st.shared.v4.b32 [k_tile+32], {%r2, %f4, %r3, %r5};
            	ret;
            }
        "#]],
    );
}

#[test]
fn what_may_be_the_same_memory_stays_in_order() {
    check(
        "kernel k(param0 p: i64 ptr align 16, param1 q: i64 ptr align 16) {
         block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i32 = load.global v0
            store.global v0 + 8, v2
            v3: i32 = load.global v0 + 4
            store.global v1, v3
            v4: i32 = load.global v0 + 16
            store.global v1 + 4, v4
            v5: i32 = load.global v0 + 20
            store.global v1 + 16, v5
            store.shared v5, v5
            barrier
            store.global v1 + 20, v5
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 16 k_p,
            	.param .u64 .ptr .global .align 16 k_q
            )
            {
            	.reg .b32 %r<4>;
            	.reg .b64 %rd<4>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u64 %rd2, [k_q];
            	cvta.to.global.u64 %rd3, %rd2;
            	ld.global.v2.u32 {%r0, %r1}, [%rd1];
            	st.global.u32 [%rd1+8], %r0;
            	st.global.u32 [%rd3], %r1;
            	ld.global.u32 %r2, [%rd1+16];
            	st.global.u32 [%rd3+4], %r2;
            	ld.global.u32 %r3, [%rd1+20];
            	st.global.u32 [%rd3+16], %r3;
            	st.shared.u32 [%r3], %r3;
            	bar.sync 0;
            	st.global.u32 [%rd3+20], %r3;
            	ret;
            }
        "#]],
    );
}

#[test]
fn shorter_numbers_are_neighbours_too() {
    check(
        "kernel k(param0 p: i64 ptr align 16) {
         block0:
            v0: i64 = param0
            v1: f16 = load.global v0
            v2: f16 = load.global v0 + 2
            v3: f16 = load.global v0 + 4
            v4: f16 = load.global v0 + 6
            v5: f16 = load.global v0 + 8
            v6: f16 = load.global v0 + 10
            v7: f16 = load.global v0 + 12
            v8: f16 = load.global v0 + 14
            v9: i8 = load.global v0 + 16
            v10: i8 = load.global v0 + 17
            v11: i32 = sext v9
            v12: i32 = zext v10
            store.global v0 + 32, v1
            store.global v0 + 34, v2
            store.global v0 + 36, v3
            store.global v0 + 38, v4
            store.global v0 + 40, v5
            store.global v0 + 42, v6
            store.global v0 + 44, v7
            store.global v0 + 46, v8
            store.global v0 + 48, v11
            store.global v0 + 52, v12
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 16 k_p
            )
            {
            	.reg .b32 %r<10>;
            	.reg .b64 %rd<2>;
            	.reg .b16 %h<8>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%rd1];
            	mov.b32 {%h0, %h1}, %r0;
            	mov.b32 {%h2, %h3}, %r1;
            	mov.b32 {%h4, %h5}, %r2;
            	mov.b32 {%h6, %h7}, %r3;
            	ld.global.s8 %r4, [%rd1+16];
            	ld.global.u8 %r5, [%rd1+17];
            	mov.b32 %r6, {%h0, %h1};
            	mov.b32 %r7, {%h2, %h3};
            	mov.b32 %r8, {%h4, %h5};
            	mov.b32 %r9, {%h6, %h7};
            	st.global.v4.b32 [%rd1+32], {%r6, %r7, %r8, %r9};
            	st.global.v2.u32 [%rd1+48], {%r4, %r5};
            	ret;
            }
        "#]],
    );
}

/// An atomic operation whose old value is unused is `red`, unless it acquires or exchanges.
#[test]
fn reductions_and_orders() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 x: f32) {
         block0:
            v0: i64 = param0
            v1: f32 = param1
            v2: i32 = const 1
            v3: bool = fcmp lt v1, v1
            v4: f32 = atomic_fadd.global.gpu v0, v1
            v5: i32 = atomic_or.global.cta.release v0, v2
            v6: i32 = atomic_or.global.gpu.acquire v0, v2
            v7: i32 = atomic_exchange.global.sys.acq_rel v0, v2
            v8: i32 = guard v3 atomic_add.global.gpu v0, v2
            v9: i32 = atomic_load.global.gpu.acquire v0
            atomic_store.global.gpu.release v0, v9
            v10: i32 = cas.global.gpu.acq_rel v0, v9, v2
            fence.gpu
            fence.sys.acq_rel
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .f32 k_x
            )
            {
            	.reg .pred %p<1>;
            	.reg .b32 %r<4>;
            	.reg .b64 %rd<2>;
            	.reg .f32 %f<1>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.f32 %f0, [k_x];
            	setp.lt.f32 %p0, %f0, %f0;
            	red.relaxed.gpu.global.add.f32 [%rd1], %f0;
            	red.release.cta.global.or.b32 [%rd1], 1;
            	atom.acquire.gpu.global.or.b32 %r0, [%rd1], 1;
            	atom.acq_rel.sys.global.exch.b32 %r1, [%rd1], 1;
            	@%p0 red.relaxed.gpu.global.add.u32 [%rd1], 1;
            	ld.acquire.gpu.global.u32 %r2, [%rd1];
            	st.release.gpu.global.u32 [%rd1], %r2;
            	atom.acq_rel.gpu.global.cas.b32 %r3, [%rd1], %r2, 1;
            	fence.sc.gpu;
            	fence.acq_rel.sys;
            	ret;
            }
        "#]],
    );
}

/// Volatile accesses stay, as many as they are, and have no scope.
#[test]
fn volatile_accesses() {
    check(
        "kernel k(param0 p: i64 ptr align 8) {
         block0:
            v0: i64 = param0
            v1: i32 = atomic_load.global.sys.volatile v0
            v2: i32 = atomic_load.global.sys.volatile v0
            v3: i8 = atomic_load.global.sys.volatile v0
            atomic_store.global.sys.volatile v0, v2
            atomic_store.global.sys.volatile v0, v2
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p
            )
            {
            	.reg .b32 %r<3>;
            	.reg .b64 %rd<2>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.volatile.global.u32 %r0, [%rd1];
            	ld.volatile.global.u32 %r1, [%rd1];
            	ld.volatile.global.u8 %r2, [%rd1];
            	st.volatile.global.u32 [%rd1], %r1;
            	st.volatile.global.u32 [%rd1], %r1;
            	ret;
            }
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 x: f32) {
            shared0 counts: 64 align 4
         block0:
            v0: i64 = param0
            v1: f32 = param1
            v2: i32 = const 1
            v3: i64 = const 16
            v4: i64 = add v0, v3
            v5: f32 = atomic_fadd.global.gpu v4, v1
            v6: i32 = address shared0
            v7: i32 = atomic_add.shared.cta v6, v2
            v8: i64 = to_generic.global v0
            v9: i64 = atomic_smax.generic.sys v8, v3
            v10: i32 = atomic_load.shared.cta v6
            fence.cta
            atomic_store.global.gpu v0, v10
            v11: f16 = f2f v1
            v12: f16 = atomic_fadd.global.gpu v0, v11
            v13: f32 = atomic_exchange.global.gpu v0, v5
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .f32 k_x
            )
            {
            	.reg .b32 %r<1>;
            	.reg .b64 %rd<3>;
            	.reg .f32 %f<3>;
            	.reg .b16 %h<1>;
            	.shared .align 4 .b8 k_counts[64];
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.f32 %f0, [k_x];
            	atom.relaxed.gpu.global.add.f32 %f1, [%rd1+16], %f0;
            	red.relaxed.cta.shared.add.u32 [k_counts], 1;
            	cvta.global.u64 %rd2, %rd1;
            	red.relaxed.sys.max.s64 [%rd2], 16;
            	ld.relaxed.cta.shared.u32 %r0, [k_counts];
            	fence.sc.cta;
            	st.relaxed.gpu.global.u32 [%rd1], %r0;
            	cvt.rn.f16.f32 %h0, %f0;
            	red.relaxed.gpu.global.add.noftz.f16 [%rd1], %h0;
            	atom.relaxed.gpu.global.exch.b32 %f2, [%rd1], %f1;
            	ret;
            }
        "#]],
    );
}

#[test]
fn carries_and_borrows() {
    check(
        "kernel k(param0 p: i64 ptr align 8) {
         block0:
            v0: i64 = param0
            v1: i64 = load.global v0
            v2: i64 = load.global v0 + 8
            v3: i64 = load.global v0 + 16
            v4: i64 = load.global v0 + 24
            v5: i64 = add v1, v3
            v6: bool = icmp ult v5, v1
            v7: i64 = add v2, v4
            v8: i64 = zext v6
            v9: i64 = add v7, v8
            store.global v0, v5
            store.global v0 + 8, v9
            v10: i64 = mul v1, v2
            v11: i64 = add v10, v3
            v12: bool = icmp ugt v3, v11
            v13: i64 = umulhi v1, v2
            v14: i64 = zext v12
            v15: i64 = add v14, v13
            v16: i64 = add v11, v4
            v17: bool = icmp ult v16, v4
            v18: i64 = zext v17
            v19: i64 = add v15, v18
            store.global v0 + 16, v16
            store.global v0 + 24, v19
            v20: i64 = sub v1, v3
            v21: bool = icmp ult v1, v3
            v22: i64 = sub v2, v4
            v23: i64 = zext v21
            v24: i64 = sub v22, v23
            store.global v0 + 32, v20
            store.global v0 + 40, v24
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p
            )
            {
            	.reg .b64 %rd<14>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.global.u64 %rd2, [%rd1];
            	ld.global.u64 %rd3, [%rd1+8];
            	ld.global.u64 %rd4, [%rd1+16];
            	ld.global.u64 %rd5, [%rd1+24];
            	add.cc.u64 %rd6, %rd2, %rd4;
            	addc.u64 %rd7, %rd3, %rd5;
            	st.global.u64 [%rd1], %rd6;
            	st.global.u64 [%rd1+8], %rd7;
            	mad.lo.cc.u64 %rd8, %rd2, %rd3, %rd4;
            	madc.hi.u64 %rd9, %rd2, %rd3, 0;
            	add.cc.u64 %rd10, %rd8, %rd5;
            	addc.u64 %rd11, %rd9, 0;
            	st.global.u64 [%rd1+16], %rd10;
            	st.global.u64 [%rd1+24], %rd11;
            	sub.cc.u64 %rd12, %rd2, %rd4;
            	subc.u64 %rd13, %rd3, %rd5;
            	st.global.u64 [%rd1+32], %rd12;
            	st.global.u64 [%rd1+40], %rd13;
            	ret;
            }
        "#]],
    );
}

/// The low word is used before the high word is computed, or its comparison elsewhere.
#[test]
fn carries_that_are_compared() {
    check(
        "kernel k(param0 p: i64 ptr align 8) {
         block0:
            v0: i64 = param0
            v1: i64 = load.global v0
            v2: i64 = load.global v0 + 8
            v3: i64 = add v1, v2
            v4: bool = icmp ult v3, v1
            store.global v0, v3
            v5: i64 = zext v4
            v6: i64 = add v2, v5
            store.global v0 + 8, v6
            v7: i64 = add v1, v6
            v8: bool = icmp ult v7, v1
            v9: i64 = zext v8
            v10: i64 = add v2, v9
            v11: i64 = select v8, v7, v10
            store.global v0 + 16, v11
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p
            )
            {
            	.reg .pred %p<2>;
            	.reg .b64 %rd<11>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.global.u64 %rd2, [%rd1];
            	ld.global.u64 %rd3, [%rd1+8];
            	add.s64 %rd4, %rd2, %rd3;
            	setp.lt.u64 %p0, %rd4, %rd2;
            	st.global.u64 [%rd1], %rd4;
            	selp.b64 %rd5, 1, 0, %p0;
            	add.s64 %rd6, %rd3, %rd5;
            	st.global.u64 [%rd1+8], %rd6;
            	add.s64 %rd7, %rd2, %rd6;
            	setp.lt.u64 %p1, %rd7, %rd2;
            	selp.b64 %rd8, 1, 0, %p1;
            	add.s64 %rd9, %rd3, %rd8;
            	selp.b64 %rd10, %rd7, %rd9, %p1;
            	st.global.u64 [%rd1+16], %rd10;
            	ret;
            }
        "#]],
    );
}

/// Rotations of 32 bits by what is no constant are funnel shifts; shifts of different values, or by other amounts, are none, nor are those of 64
/// bits.
#[test]
fn rotations_by_variables() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 a: i32, param2 b: i32, param3 n: i32, param4 w: i64, param5 m: i64) {
         block0:
            v0: i64 = param0
            v1: i32 = param1
            v2: i32 = param2
            v3: i32 = param3
            v4: i32 = neg v3
            v5: i32 = shl v1, v3
            v6: i32 = lshr v1, v4
            v7: i32 = or v5, v6
            v8: i32 = lshr v2, v3
            v9: i32 = shl v2, v4
            v10: i32 = or v8, v9
            v11: i32 = or v5, v8
            v12: i32 = shl v1, v2
            v13: i32 = or v12, v6
            v14: i32 = ashr v1, v4
            v15: i32 = or v5, v14
            v16: i64 = param4
            v17: i64 = param5
            v18: i64 = neg v17
            v19: i64 = shl v16, v17
            v20: i64 = lshr v16, v18
            v21: i64 = or v19, v20
            store.global v0, v7
            store.global v0 + 4, v10
            store.global v0 + 8, v11
            store.global v0 + 12, v13
            store.global v0 + 16, v15
            store.global v0 + 24, v21
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .u32 k_a,
            	.param .u32 k_b,
            	.param .u32 k_n,
            	.param .u64 k_w,
            	.param .u64 k_m
            )
            {
            	.reg .b32 %r<23>;
            	.reg .b64 %rd<8>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u32 %r0, [k_a];
            	ld.param.u32 %r1, [k_b];
            	ld.param.u32 %r2, [k_n];
            	ld.param.u64 %rd2, [k_w];
            	ld.param.u64 %rd3, [k_m];
            	neg.s32 %r3, %r2;
            	and.b32 %r4, %r2, 31;
            	shl.b32 %r5, %r0, %r4;
            	and.b32 %r6, %r3, 31;
            	shr.u32 %r7, %r0, %r6;
            	shf.l.wrap.b32 %r8, %r0, %r0, %r2;
            	and.b32 %r9, %r2, 31;
            	shr.u32 %r10, %r1, %r9;
            	shf.r.wrap.b32 %r11, %r1, %r1, %r2;
            	or.b32 %r12, %r5, %r10;
            	and.b32 %r13, %r1, 31;
            	shl.b32 %r14, %r0, %r13;
            	or.b32 %r15, %r14, %r7;
            	and.b32 %r16, %r3, 31;
            	shr.s32 %r17, %r0, %r16;
            	or.b32 %r18, %r5, %r17;
            	neg.s64 %rd4, %rd3;
            	cvt.u32.u64 %r19, %rd3;
            	and.b32 %r20, %r19, 63;
            	shl.b64 %rd5, %rd2, %r20;
            	cvt.u32.u64 %r21, %rd4;
            	and.b32 %r22, %r21, 63;
            	shr.u64 %rd6, %rd2, %r22;
            	or.b64 %rd7, %rd5, %rd6;
            	st.global.v2.u32 [%rd1], {%r8, %r11};
            	st.global.v2.u32 [%rd1+8], {%r12, %r15};
            	st.global.u32 [%rd1+16], %r18;
            	st.global.u64 [%rd1+24], %rd7;
            	ret;
            }
        "#]],
    );
}

/// Two shifts of 64 bits that share no bit of their results are added; others, and those of 32 bits, are not.
#[test]
fn rotations() {
    check(
        "kernel k(param0 p: i64 ptr align 8, param1 a: i64, param2 b: i64, param3 c: i32) {
         block0:
            v0: i64 = param0
            v1: i64 = param1
            v2: i64 = param2
            v3: i32 = param3
            v4: i64 = const 13
            v5: i64 = const 51
            v6: i64 = shl v1, v4
            v7: i64 = lshr v1, v5
            v8: i64 = or v6, v7
            v9: i64 = or v7, v6
            v10: i64 = lshr v2, v5
            v11: i64 = or v6, v10
            v12: i64 = const 50
            v13: i64 = lshr v1, v12
            v14: i64 = or v6, v13
            v15: i64 = const 64
            v16: i64 = shl v1, v15
            v17: i64 = lshr v1, v15
            v18: i64 = or v16, v17
            v19: i64 = ashr v1, v5
            v20: i64 = or v6, v19
            v21: i32 = const 7
            v22: i32 = const 25
            v23: i32 = shl v3, v21
            v24: i32 = lshr v3, v22
            v25: i32 = or v23, v24
            store.global v0, v8
            store.global v0 + 8, v9
            store.global v0 + 16, v11
            store.global v0 + 24, v14
            store.global v0 + 32, v18
            store.global v0 + 40, v20
            store.global v0 + 48, v25
            return
         }",
        expect![[r#"
            .visible .entry k(
            	.param .u64 .ptr .global .align 8 k_p,
            	.param .u64 k_a,
            	.param .u64 k_b,
            	.param .u32 k_c
            )
            {
            	.reg .b32 %r<4>;
            	.reg .b64 %rd<17>;
            	ld.param.u64 %rd0, [k_p];
            	cvta.to.global.u64 %rd1, %rd0;
            	ld.param.u64 %rd2, [k_a];
            	ld.param.u64 %rd3, [k_b];
            	ld.param.u32 %r0, [k_c];
            	shl.b64 %rd4, %rd2, 13;
            	shr.u64 %rd5, %rd2, 51;
            	add.s64 %rd6, %rd4, %rd5;
            	add.s64 %rd7, %rd5, %rd4;
            	shr.u64 %rd8, %rd3, 51;
            	or.b64 %rd9, %rd4, %rd8;
            	shr.u64 %rd10, %rd2, 50;
            	or.b64 %rd11, %rd4, %rd10;
            	shl.b64 %rd12, %rd2, 0;
            	shr.u64 %rd13, %rd2, 0;
            	or.b64 %rd14, %rd12, %rd13;
            	shr.s64 %rd15, %rd2, 51;
            	or.b64 %rd16, %rd4, %rd15;
            	shl.b32 %r1, %r0, 7;
            	shr.u32 %r2, %r0, 25;
            	or.b32 %r3, %r1, %r2;
            	st.global.u64 [%rd1], %rd6;
            	st.global.u64 [%rd1+8], %rd7;
            	st.global.u64 [%rd1+16], %rd9;
            	st.global.u64 [%rd1+24], %rd11;
            	st.global.u64 [%rd1+32], %rd14;
            	st.global.u64 [%rd1+40], %rd16;
            	st.global.u32 [%rd1+48], %r3;
            	ret;
            }
        "#]],
    );
}
