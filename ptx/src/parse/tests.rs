//! Texts and their trees, mistakes and their errors, and texts at random.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::parse;

/// Parses and prints; what is printed must parse and print the same.
fn check(text: &str, expect: Expect) {
    let shown = match parse(text) {
        Ok(module) => {
            let printed = module.to_string();
            assert_eq!(parse(&printed).expect("what is printed parses").to_string(), printed);
            printed
        }
        Err(error) => error.to_string(),
    };
    expect.assert_eq(&shown);
}

/// Checks the statements of one function as [`check`] does a module; shows only them, one tab less deep.
fn check_body(body: &str, expect: Expect) {
    let printed = match parse(&format!(".version 9.0 .target sm_90 .address_size 64 .func f()\n{{{body}}}")) {
        Ok(module) => module.to_string(),
        Err(error) => return expect.assert_eq(&error.to_string()),
    };
    assert_eq!(parse(&printed).expect("what is printed parses").to_string(), printed);
    let body = printed.split_once("{\n").expect("a body").1.trim_end().replace("\n\t", "\n");
    expect.assert_eq(body.trim_start_matches('\t').strip_suffix("}").expect("a body"));
}

#[test]
fn modifiers_are_put_into_order() {
    check_body(
        "ld.cg.global.b32 %r1, [%rd1];
         st.global.release.gpu.b32 [%rd1], %r1;
         fma.rn.f16x2.relu %r1, %r1, %r1, %r1;
         cvt.f32.rn.f64 %f1, %fd1;
         wmma.mma.col.row.sync.aligned.m16n16k16.f32.f32 {}, {}, {}, {};
         bar.warp.sync -1;
         bar.sync.warp -1;
         add.f32.lo %f1, %f1, %f1;",
        expect![[r#"
            ld.global.cg.b32 %r1, [%rd1];
            st.release.gpu.global.b32 [%rd1], %r1;
            fma.rn.relu.f16x2 %r1, %r1, %r1, %r1;
            cvt.rn.f32.f64 %f1, %fd1;
            wmma.mma.sync.aligned.col.row.m16n16k16.f32.f32 {}, {}, {}, {};
            bar.warp.sync -1;
            bar.sync.warp -1;
            add.f32.lo %f1, %f1, %f1;
        "#]],
    );
}

const ITEMS: &str = r#"
        .version 8.5
        .target sm_90a, debug
        .address_size 64
        // globals
        .visible .global .align 4 .b8 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
        .extern .shared .align 16 .b8 dynamic[];
        .global .attribute(.managed) .align 8 .u64 addresses[] = { table, generic(table)+4, f, 0, 0xFFFFFFFFFFFFFFFF };
        .global .b8 bytes[2] = {0xFF(table), 0xFF00(generic(table)) };
        .const .v4 .f32 ones, twos = {0f40000000, 0f40000000, 2.0, 1e1};
        .extern .func (.param .b32 result) vprintf (.param .b64 a, .param .align 8 .b8 b[16]);
        .weak .func stop() .noreturn ;
        .file 1 "/a/b.cu", 123, 4
        .alias second, stop;
        .pragma "nounroll";
        .visible .entry k (.param .u64 .ptr .global .align 16 p, .param .align 8 .b8 s[24])
        .maxntid 256, 1 .minnctapersm 2 .maxnreg 64 .reqnctapercluster 2 4 .explicitcluster .maxclusterrank 8
        { ret; }
        .entry bare { }
        .section .debug_str
        {
        $L__info_string0:
        .b8 95, 0 { }
        }
        "#;

const STATEMENTS: &str = r#"
        .reg .pred %p<3>, q; .reg .v2 .f32 v;
        .shared .align 8 .b64 barrier; .local .f32 a[WARP_SZ*2], b;
        .loc 1 2 3
        .loc 1 2 3, function_name $L__info_string0, inlined_at 1 5 6
        .loc 1 2 3, function_name .debug_str+16, inlined_at 1 5 6
        start: { .reg .b32 t; mov.u32 t, 1;; { } }
        .pragma "nounroll";
        targets: .branchtargets start, end;
        prototype: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;
        brx.idx.uni %r1, targets;
        end:
        "#;

const OPERANDS: &str = r#"
        @!%p1 ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, _, %f3, %v.x}, [%rd1+-16];
        st.shared::cta.b32 [x + 4*2 - 1], -5; ld.local.u64 %rd1, [16];
        shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1; setp.lt.and.f32 %p1|_, %f1, 0d3FF0000000000000, !%p2;
        mov.u64 %rd1, table+8; mov.u32 %r1, %tid.x; mov.u32 %r1, WARP_SZ;
        call.uni (retval0), vprintf, (param0, param1); call %rd5, (), prototype; call f;
        cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
        tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f5, %f6}];
        mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
        vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;
        "#;

#[test]
fn items() {
    check(
        ITEMS,
        expect![[r#"
            .version 8.5
            .target sm_90a, debug
            .address_size 64

            .visible .global .align 4 .b8 table[2][3] = {{1, 2, 3}, {4, 5, 6}};
            .extern .shared .align 16 .b8 dynamic[];
            .global .attribute(.managed) .align 8 .u64 addresses[] = {table, generic(table)+4, f, 0, 18446744073709551615};
            .global .b8 bytes[2] = {0xFF(table), 0xFF00(generic(table))};
            .const .v4 .f32 ones;
            .const .v4 .f32 twos = {0f40000000, 0f40000000, 0d4000000000000000, 0d4024000000000000};

            .extern .func (.param .b32 result) vprintf(
            	.param .b64 a,
            	.param .align 8 .b8 b[16]
            );

            .weak .func stop()
            .noreturn;

            .file 1 "/a/b.cu"
            .alias second, stop;
            .pragma "nounroll";

            .visible .entry k(
            	.param .u64 .ptr .global .align 16 p,
            	.param .align 8 .b8 s[24]
            )
            .maxntid 256, 1, 1
            .minnctapersm 2
            .maxnreg 64
            .reqnctapercluster 2, 4, 1
            .explicitcluster
            .maxclusterrank 8
            {
            	ret;
            }

            .entry bare()
            {
            }

            .section .debug_str
            {
                    $L__info_string0:
                    .b8 95, 0 { }
                    }
        "#]],
    );
}

#[test]
fn statements() {
    check_body(
        STATEMENTS,
        expect![[r#"
            .reg .pred %p<3>;
            .reg .pred q;
            .reg .v2 .f32 v;
            .shared .align 8 .b64 barrier;
            .local .f32 a[64];
            .local .f32 b;
            .loc 1 2 3
            .loc 1 2 3, function_name $L__info_string0, inlined_at 1 5 6
            .loc 1 2 3, function_name .debug_str+16, inlined_at 1 5 6
            start:
            {
            	.reg .b32 t;
            	mov.u32 t, 1;
            	{
            	}
            }
            .pragma "nounroll";
            targets: .branchtargets start, end;
            prototype: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;
            brx.idx.uni %r1, targets;
            end:
        "#]],
    );
}

#[test]
fn operands() {
    check_body(
        OPERANDS,
        expect![[r#"
            	@!%p1 ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, _, %f3, %v.x}, [%rd1+-16];
            	st.shared::cta.b32 [x+7], -5;
            	ld.local.u64 %rd1, [16];
            	shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;
            	setp.lt.and.f32 %p1|_, %f1, 0d3FF0000000000000, !%p2;
            	mov.u64 %rd1, table+8;
            	mov.u32 %r1, %tid.x;
            	mov.u32 %r1, 32;
            	call.uni (retval0), vprintf, (param0, param1);
            	call %rd5, (), prototype;
            	call f;
            	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];
            	tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f5, %f6}];
            	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};
            	vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;
        "#]],
    );
}

#[test]
fn constants() {
    check_body(
        "mov.b64 %a, 0x1F; mov.b64 %a, 017; mov.b64 %a, 0b11U; mov.b64 %a, 12U; mov.b64 %a, 18446744073709551615;
         mov.b64 %a, -9223372036854775808; mov.b64 %a, (4 * 8) + 2 << 1; mov.b64 %a, 1 ? -(2) : ~3; mov.b64 %a, !0;
         mov.b64 %a, (.u64)-1 / 2; mov.b64 %a, 7 % 4 == 3 && 2 > 1; mov.b64 %a, -1 >> 1; mov.b64 %a, 0xF & ~1 | 1 ^ 3;
         mov.f32 %a, 0F3f800000; mov.f32 %a, -0f3f800000; mov.f64 %a, 1.5e-3; mov.f64 %a, 1e3; mov.f64 %a, 1.0 + 2.0;",
        expect![[r#"
            	mov.b64 %a, 31;
            	mov.b64 %a, 15;
            	mov.b64 %a, 3;
            	mov.b64 %a, 12;
            	mov.b64 %a, 18446744073709551615;
            	mov.b64 %a, -9223372036854775808;
            	mov.b64 %a, 68;
            	mov.b64 %a, -2;
            	mov.b64 %a, 1;
            	mov.b64 %a, 9223372036854775807;
            	mov.b64 %a, 1;
            	mov.b64 %a, -1;
            	mov.b64 %a, 14;
            	mov.f32 %a, 0f3F800000;
            	mov.f32 %a, 0fBF800000;
            	mov.f64 %a, 0d3F589374BC6A7EFA;
            	mov.f64 %a, 0d408F400000000000;
            	mov.f64 %a, 0d4008000000000000;
        "#]],
    );
}

#[test]
fn mistakes() {
    check("", expect!["ptx:1:1: expected '.version', which begins every module, found the end of the text"]);
    check(".version 9", expect!["ptx:1:10: expected a version such as 8.0, found '9'"]);
    check(
        ".version 9.0 .target sm_90 .global .f33 x;",
        expect!["ptx:1:36: expected a type, an alignment or a name, found '.f33'"],
    );
    check(
        ".version 9.0 .target sm_90 .section .debug_str { {",
        expect!["ptx:1:51: expected '}' at the end of the section, found the end of the text"],
    );
    check_body("add.s32 %r1, ;", expect!["ptx:2:15: expected an operand, found ';'"]);
    check_body("\n  adds.s32 %r1, %r2, %r3;", expect!["ptx:3:3: expected an instruction, found 'adds'"]);
    check_body("add.s33 %r1, %r2, %r3;", expect!["ptx:2:5: expected a modifier of 'add', found '.s33'"]);
    check_body("add.s32 %r1, %r2 %r3;", expect!["ptx:2:19: expected ',' or ';', found '%r3'"]);
    check_body(
        "mov.b32 %r1, 1 / 0;",
        expect!["ptx:2:17: expected operands that this operator takes, found '/'"],
    );
    check_body("mov.b32 %r1, 0f3F80;", expect!["ptx:2:15: expected a number, found '0f3F80'"]);
    check_body(
        "mov.b32 %r1, 1.0 + 1;",
        expect!["ptx:2:19: expected operands that this operator takes, found '+'"],
    );
    check_body("ld.b32 %r1, [%r1+%r2];", expect!["ptx:2:19: expected a number, found '%r2'"]);
    check_body(&"{".repeat(1000), expect!["ptx:2:67: expected no more than 64 levels of nesting, found '{'"]);
    check_body(
        &format!("mov.b32 %r1, {}", "(".repeat(100_000)),
        expect!["ptx:2:80: expected no more than 64 levels of nesting, found '('"],
    );
    check_body(
        &format!("mov.b32 %r1, {}", "-".repeat(100_000)),
        expect!["ptx:2:80: expected no more than 64 levels of nesting, found '-'"],
    );
}

/// Pieces that mutated texts get: what the language is made of, and what it is not.
const PIECES: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ",",
    ";",
    ":",
    "@",
    "!",
    "|",
    "+",
    "-",
    "~",
    "?",
    "=",
    "_",
    "%",
    "$",
    ".",
    "::",
    "//",
    "/*",
    "*/",
    "\"",
    "\\",
    "\n",
    " ",
    "0",
    "0x",
    "0f",
    "1.5e",
    "99999999999999999999",
    "é",
    "\0",
    ".reg",
    ".f32",
    ".param",
    ".loc",
    ".section",
    "add",
    "call",
    "generic",
    "WARP_SZ",
    "%r1",
    "x",
    "0xFF(",
];

/// One mutation: deletes so many characters at a position, and puts a piece there.
fn mutations() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Option<&'static str>)>> {
    let piece = prop::option::of(prop::sample::select(PIECES));
    prop::collection::vec(
        (any::<prop::sample::Index>(), prop_oneof![Just(0usize), 0..4usize, 0..200usize], piece),
        1..8,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn no_text_makes_it_panic(mutations in mutations(), in_body in any::<bool>()) {
        let mut text: Vec<char> = if in_body {
            format!(".version 9.0 .target sm_90 .func f()\n{{{STATEMENTS}{OPERANDS}}}").chars().collect()
        } else {
            ITEMS.chars().collect()
        };
        for (place, deleted, piece) in mutations {
            let start = place.index(text.len() + 1);
            let end = text.len().min(start + deleted);
            text.splice(start..end, piece.unwrap_or("").chars());
        }
        let text: String = text.into_iter().collect();
        if let Ok(module) = parse(&text) {
            let printed = module.to_string();
            let again = parse(&printed).map(|module| module.to_string());
            prop_assert_eq!(again, Ok(printed));
        }
    }

    #[test]
    fn no_heap_of_pieces_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let _ = parse(&format!(".version 9.0 .target sm_90 .func f() {{ {}", pieces.join(" ")));
        let _ = parse(&pieces.concat());
    }
}
