//! The tables are well formed, and forms match what they should.

use expect_test::{Expect, expect};

use super::*;
use crate::parse::parse_instruction;

/// The form of each instruction and what it needs, by its modifiers.
fn check(instructions: &str, expect: Expect) {
    let show = |text: &str| {
        let instruction = parse_instruction(text).unwrap_or_else(|error| panic!("{error}"));
        let found =
            forms(instruction.opcode).iter().find_map(|form| form.matches(&instruction.modifiers).ok());
        match found {
            None => format!("{text} none\n"),
            Some(found) => {
                let ptx = found.needs.iter().map(|needs| needs.ptx).max();
                let targets = found.needs.iter().flat_map(|needs| &needs.targets);
                let targets: String = targets.map(|target| format!(" {target}")).collect();
                let ptx = ptx.map(|ptx| ptx.to_string()).unwrap_or_default();
                format!("{text} {}: {ptx}{targets}\n", found.form)
            }
        }
    };
    expect.assert_eq(
        &instructions.lines().map(str::trim).filter(|text| !text.is_empty()).map(show).collect::<String>(),
    );
}

#[test]
fn every_row_parses() {
    let all = Opcode::ALL.iter().flat_map(|opcode| forms(*opcode));
    assert!(all.map(|form| form.examples().len()).sum::<usize>() > 1000);
}

#[test]
fn forms_and_needs() {
    check(
        "add.sat.s32 %r1, %r2, %r3;
         add.sat.u32 %r1, %r2, %r3;
         ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
         ld.relaxed.cluster.shared::cluster.u32 %r1, [%r2];
         atom.global.add.f64 %fd1, [%rd1], %fd2;
         cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2;
         bar.sync 0;
         mul.wide.u64 %rd1, %rd2, %rd3;",
        expect![[r#"
            add.sat.s32 %r1, %r2, %r3; add.sat.s32 d, a, a: 1.0
            add.sat.u32 %r1, %r2, %r3; none
            ld.global.nc.L1::no_allocate.L2::256B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1]; ld.global.nc{.EVICT1}{.L2::cache_hint@7.4:80}{.FETCH}.ACCESS dv+, m, h: 7.4 sm_80
            ld.relaxed.cluster.shared::cluster.u32 %r1, [%r2]; ld.relaxed|acquire.SCOPE{.STRONG}{.EVICT1@7.4}{.L2::cache_hint@7.4:80}{.FETCH@7.4}.ACCESS dv+, m, h: 7.8 sm_90 sm_90
            atom.global.add.f64 %fd1, [%rd1], %fd2; atom{.SEM}{.SCOPE@6.0}{.STRONG}.add{.L2::cache_hint@7.4:80}.ADDABLE d, m, a, h: 5.0
            cvt.rn.satfinite.e2m1x2.f32 %b1, %f1, %f2; cvt.rn.satfinite{.relu}.e2m1x2.f32 d:b8, a:U, a:U: 8.6 sm_100a sm_120a
            bar.sync 0; bar.sync a:b32, a:b32?: 1.0
            mul.wide.u64 %rd1, %rd2, %rd3; none
        "#]],
    );
}
