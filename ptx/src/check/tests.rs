//! Tests of accepted modules, of reported violations and of the header computed for a module.

use expect_test::{Expect, expect};

use super::{check as check_module, requirements};
use crate::parse::parse;

const REGISTERS: &str = "
    .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<8>; .reg .u32 %u<4>; .reg .f32 %f<8>; .reg .b64 %rd<4>; .reg .f64 %d<4>;
    .reg .v4 .f32 %v; .shared .align 4 .b8 tile[64];
";

/// The errors of a body under a header, then what the module needs.
fn check_with(header: &str, body: &str, expect: Expect) {
    let text = format!("{header} .address_size 64 .entry k(.param .u64 x) {{ {REGISTERS}\n{body}\n}}");
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut shown: String =
        check_module(&module).err().unwrap_or_default().iter().map(|error| format!("{error}\n")).collect();
    let (version, target) = requirements(&module);
    shown.push_str(&format!("needs {version} {target}"));
    expect.assert_eq(&shown);
}

fn check(body: &str, expect: Expect) {
    check_with(".version 6.3 .target sm_75", body, expect);
}

#[test]
fn accepted() {
    check(
        "start: mov.u32 %r1, %tid.x; mov.u64 %rd1, tile; mov.u64 %rd1, tile+4; mov.b64 %rd2, {%r1, %r2}; mov.b32 {%h1, %h2}, %r1;
         ld.param.u64 %rd1, [x]; ld.global.u8 %r1, [%rd1+3]; ld.global.v4.f32 {%f1, _, %f3, %f4}, [%rd1]; ld.global.v4.f32 %v, [%rd1];
         st.shared.f32 [tile+4], %f1; st.shared.f32 [%r1], 0f3F800000; add.f32 %f1, %v.x, %r1; setp.lt.and.s32 %p1|%p2, %r1, 3, !%p3;
         @!%p1 bra start; shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1; mul.wide.u32 %rd1, %u1, 4; selp.f32 %f1, %f2, 0f00000000, %p1;
         atom.global.add.u32 _, [%rd1], 1; cvt.u8.u32 %h1, %r1; bar.sync 0; ret;",
        expect!["needs 6.3 sm_75"],
    );
}

#[test]
fn wrong_modifiers() {
    check(
        "add.rn.s32 %r1, %r2, %r3;",
        expect![[r#"
        ptx:5:1: in `k`: expected modifiers as in `add{.RND}{.ftz}{.sat}.f32 d, a, a`, found `.s32`
            add.rn.s32 %r1, %r2, %r3;
        needs 6.3 sm_75"#]],
    );
    check(
        "div.f32 %f1, %f2, %f3;",
        expect![[r#"
        ptx:5:1: in `k`: expected modifiers as in `div.INT d, a, a`, found `.f32`
            div.f32 %f1, %f2, %f3;
        needs 6.3 sm_75"#]],
    );
    check(
        "ld.v4.b64 {%rd1, %rd2, %rd3, %rd1}, [%rd1];",
        expect![[r#"
        ptx:5:1: in `k`: expected modifiers as in `ld{.weak@6.0}{.const|global|local|param|param::entry@8.3|param::func@8.3|SHARED}{.ca|cg|cs|lu|cv}{.L2::cache_hint@7.4:80}{.FETCH@7.4}.ACCESS dv+, m, h`, found `.v4`
            ld.v4.b64 {%rd1, %rd2, %rd3, %rd1}, [%rd1];
        needs 6.3 sm_75"#]],
    );
    check(
        "txq.width.b32 %r1, [%rd1];",
        expect![[r#"
        ptx:5:1: in `k`: the table of instruction forms has no `txq`
            txq.width.b32 %r1, [%rd1];
        needs 6.3 sm_75"#]],
    );
}

#[test]
fn instructions_of_tensor_memory() {
    check(
        "tcgen05.wait::ld.sync.aligned;",
        expect![[r#"
        ptx:5:1: in `k`: expected .version 8.6 or later, found 6.3
            tcgen05.wait::ld.sync.aligned;
        ptx:5:1: in `k`: expected a target that provides sm_100f or sm_110f, found sm_75
            tcgen05.wait::ld.sync.aligned;
        needs 8.8 sm_100f"#]],
    );
    check(
        "tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r1, %r2, %r3}, [%r1];",
        expect![[r#"
        ptx:5:1: in `k`: operand 1: expected a vector of 4, found one of 3: `{%r1, %r2, %r3}`
            tcgen05.ld.sync.aligned.16x256b.x1.b32 {%r1, %r2, %r3}, [%r1];
        needs 6.3 sm_75"#]],
    );
    check(
        "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%rd1];",
        expect![[r#"
        ptx:5:1: in `k`: operand 2: expected a register for .b32, found `%rd1`, a .b64 register
            tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%rd1];
        needs 6.3 sm_75"#]],
    );
    check(
        "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%rd1, {%r1, %r2, %r3, %r1}], {%r1};",
        expect![[r#"
            ptx:5:1: in `k`: operand 2: expected a vector of 2, found one of 1: `{%r1}`
                cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%rd1, {%r1, %r2, %r3, %r1}], {%r1};
            needs 6.3 sm_75"#]],
    );
}

#[test]
fn wrong_operands() {
    check(
        "add.s32 %r1, %r2;",
        expect![[r#"
        ptx:5:1: in `k`: expected operands as in `add.INT d, a, a`, found 2 of them
            add.s32 %r1, %r2;
        needs 6.3 sm_75"#]],
    );
    check(
        "add.f32 %f1, %f2, %u3;",
        expect![[r#"
        ptx:5:1: in `k`: operand 3: expected a register for .f32, found `%u3`, a .u32 register
            add.f32 %f1, %f2, %u3;
        needs 6.3 sm_75"#]],
    );
    check(
        "add.f32 %f1, %f2, 1;",
        expect![[r#"
        ptx:5:1: in `k`: operand 3: expected a number for .f32, found `1`
            add.f32 %f1, %f2, 1;
        needs 6.3 sm_75"#]],
    );
    check(
        "add.s32 %r1, %r2, %r8;",
        expect![[r#"
        ptx:5:1: in `k`: operand 3: expected a name that is declared, found `%r8`
            add.s32 %r1, %r2, %r8;
        needs 6.3 sm_75"#]],
    );
    check(
        "add.s32 %r1, %r2, %rd1;",
        expect![[r#"
        ptx:5:1: in `k`: operand 3: expected a register for .s32, found `%rd1`, a .b64 register
            add.s32 %r1, %r2, %rd1;
        needs 6.3 sm_75"#]],
    );
    check(
        "mul.wide.u32 %r1, %r2, %r3;",
        expect![[r#"
        ptx:5:1: in `k`: operand 1: expected a register for .u64, found `%r1`, a .b32 register
            mul.wide.u32 %r1, %r2, %r3;
        needs 6.3 sm_75"#]],
    );
    check(
        "ld.global.u32 %r1, [tile];",
        expect![[r#"
        ptx:5:1: in `k`: operand 2: expected an address in .global, found `tile`, a variable in .shared
            ld.global.u32 %r1, [tile];
        needs 6.3 sm_75"#]],
    );
    check(
        "ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];",
        expect![[r#"
        ptx:5:1: in `k`: operand 1: expected a vector of 2, found one of 3: `{%f1, %f2, %f3}`
            ld.global.v2.f32 {%f1, %f2, %f3}, [%rd1];
        needs 6.3 sm_75"#]],
    );
    check(
        "ld.global.u32 %h1, [%rd1];",
        expect![[r#"
        ptx:5:1: in `k`: operand 1: expected a register for .u32, found `%h1`, a .b16 register
            ld.global.u32 %h1, [%rd1];
        needs 6.3 sm_75"#]],
    );
    check(
        "@%r1 ret;",
        expect![[r#"
        ptx:5:1: in `k`: expected a predicate register after '@', found `%r1`, a .b32 register
            @%r1 ret;
        needs 6.3 sm_75"#]],
    );
    check(
        "bra nowhere;",
        expect![[r#"
        ptx:5:1: in `k`: operand 1: expected a name that is declared, found `nowhere`
            bra nowhere;
        needs 6.3 sm_75"#]],
    );
    check(
        "mov.u64 %rd1, %tid.x;",
        expect![[r#"
        ptx:5:1: in `k`: operand 2: expected a register for .u64, found `%tid.x`, a special register of .u32
            mov.u64 %rd1, %tid.x;
        needs 6.3 sm_75"#]],
    );
}

#[test]
fn headers() {
    check(
        "fence.acq_rel.gpu; abs.f16 %h1, %h2;",
        expect![[r#"
        ptx:5:20: in `k`: expected .version 6.5 or later, found 6.3
            abs.f16 %h1, %h2;
        needs 6.5 sm_75"#]],
    );
    check(
        "cp.async.ca.shared.global [%r1], [%rd1], 16;",
        expect![[r#"
        ptx:5:1: in `k`: expected .version 7.0 or later, found 6.3
            cp.async.ca.shared.global [%r1], [%rd1], 16;
        ptx:5:1: in `k`: expected a target that provides sm_80, found sm_75
            cp.async.ca.shared.global [%r1], [%rd1], 16;
        needs 7.0 sm_80"#]],
    );
    check(
        "mov.u32 %r1, %cluster_ctarank;",
        expect![[r#"
        ptx:5:1: in `k`: expected .version 7.8 or later, found 6.3
            mov.u32 %r1, %cluster_ctarank;
        ptx:5:1: in `k`: expected a target that provides sm_90, found sm_75
            mov.u32 %r1, %cluster_ctarank;
        needs 7.8 sm_90"#]],
    );
    check_with(
        ".version 8.0 .target sm_90",
        "setmaxnreg.inc.sync.aligned.u32 64;",
        expect![[r#"
            ptx:5:1: in `k`: expected a target that provides sm_90a or sm_100f or sm_110f or sm_120f, found sm_90
                setmaxnreg.inc.sync.aligned.u32 64;
            needs 8.0 sm_90a"#]],
    );
    check_with(
        ".version 6.3 .target sm_80",
        "ret;",
        expect![[r#"
        expected .version 7.0 or later, found 6.3
            .target
        needs 6.3 sm_75"#]],
    );
    check_with(
        ".version 6.3 .target sm_1000",
        "ret;",
        expect![[r#"
        expected a target that provides a target of the table, found sm_1000
            .target
        needs 6.3 sm_75"#]],
    );
}
