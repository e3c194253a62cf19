//! Calls, recursion, pointers to functions, branches by table, printing.

use expect_test::{Expect, expect};

use super::*;

/// Runs a body with functions before it in the module, as [`check`] does.
fn check_functions(threads: u32, functions: &str, body: &str, expected: Expect) {
    let text = module(&format!("{body}\n{STORE}"))
        .replace(".visible .entry", &format!("{functions}\n.visible .entry"));
    let program = Program::load(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut run = Run::block(threads, threads as usize);
    run.run_program(&program).unwrap_or_else(|fault| panic!("{fault}"));
    expected.assert_eq(&runs(&run.words));
}

const TWICE: &str =
    ".func (.param .b32 result) twice(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];
    add.u32 %r2, %r1, %r1;\nst.param.b32 [result], %r2;\nret;\n}";
const PLUS_FIVE: &str =
    ".func (.param .b32 result) plus_five(.param .b32 x)\n{\n.reg .b32 %r<3>;\nld.param.u32 %r1, [x];
    add.u32 %r2, %r1, 5;\nst.param.b32 [result], %r2;\nret;\n}";

/// `%r1 = f(%r2)` as nvcc writes it.
fn call(target: &str, callee: &str, source: &str, prototype: &str) -> String {
    format!(
        "{{\n.param .b32 a;\nst.param.b32 [a], {source};\n.param .b32 retval0;\ncall.uni (retval0), {callee}, (a){prototype};
        ld.param.b32 {target}, [retval0];\n}}\n"
    )
}

#[test]
fn a_function_returns_a_value() {
    let body = format!("mov.u32 %r2, %tid.x;\n{}", call("%r1", "twice", "%r2", ""));
    check_functions(4, TWICE, &body, expect!["0 2 4 6"]);
}

#[test]
fn a_declared_function_is_the_one_defined_later() {
    let functions = format!(".func (.param .b32 result) twice(.param .b32 x);\n{TWICE}");
    check_functions(
        2,
        &functions,
        &format!("mov.u32 %r2, 21;\n{}", call("%r1", "twice", "%r2", "")),
        expect!["2×42"],
    );
}

#[test]
fn registers_are_parameters_too() {
    let functions = ".func (.reg .u32 sum, .reg .u64 wide) add(.reg .u32 a, .reg .u32 b)\n{
        add.u32 sum, a, b;\ncvt.u64.u32 wide, sum;\nret;\n}";
    let body = "mov.u32 %r2, %tid.x;\ncall (%r1, %rd1), add, (%r2, 7);\ncvt.u32.u64 %r3, %rd1;\nadd.u32 %r1, %r1, %r3;";
    check_functions(3, functions, body, expect!["14 16 18"]);
}

#[test]
fn structures_go_by_value() {
    let functions =
        ".func (.param .align 4 .b8 result[12]) turn(.param .align 4 .b8 x[12])\n{\n.reg .b32 %r<4>;
        ld.param.b32 %r1, [x];\nld.param.b32 %r2, [x+4];\nld.param.b32 %r3, [x+8];\nst.param.b32 [x], 0;
        st.param.b32 [result], %r3;\nst.param.b32 [result+4], %r1;\nst.param.b32 [result+8], %r2;\nret;\n}";
    let body =
        "mov.u32 %r2, %tid.x;\n{\n.param .align 4 .b8 p[12];\nst.param.b32 [p], %r2;\nst.param.b32 [p+4], 10;
        st.param.b32 [p+8], 100;\n.param .align 4 .b8 q[12];\ncall (q), turn, (p);\nld.param.b32 %r3, [q];
        ld.param.b32 %r4, [q+4];\nld.param.b32 %r5, [p];\n}\nadd.u32 %r1, %r3, %r4;\nadd.u32 %r1, %r1, %r5;";
    check_functions(3, functions, body, expect!["100 102 104"]);
}

#[test]
fn recursion_of_a_different_depth_in_each_lane() {
    // Fibonacci numbers, each call with a local variable whose address goes to the next.
    let functions = ".func (.param .b32 result) fib(.param .b32 n, .param .b64 counter)\n{\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;
        .reg .pred %p<2>;\n.local .align 4 .b32 mine;\nld.param.u32 %r1, [n];\nld.param.u64 %rd1, [counter];
        ld.u32 %r5, [%rd1];\nadd.u32 %r5, %r5, 1;\nst.u32 [%rd1], %r5;
        setp.lt.u32 %p1, %r1, 2;\n@%p1 bra SMALL;\nst.local.u32 [mine], 0;\nmov.u64 %rd2, mine;\ncvta.local.u64 %rd2, %rd2;
        sub.u32 %r2, %r1, 1;\n{\n.param .b32 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b32 [a], %r2;\nst.param.b64 [b], %rd2;
        call (r), fib, (a, b);\nld.param.b32 %r3, [r];\n}
        sub.u32 %r2, %r1, 2;\n{\n.param .b32 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b32 [a], %r2;\nst.param.b64 [b], %rd2;
        call (r), fib, (a, b);\nld.param.b32 %r4, [r];\n}
        ld.local.u32 %r6, [mine];\nsetp.ne.u32 %p1, %r6, 2;\n@%p1 trap;
        add.u32 %r1, %r3, %r4;\nSMALL:\nst.param.b32 [result], %r1;\nret;\n}";
    let body = ".local .align 4 .b32 calls;\nst.local.u32 [calls], 0;\nmov.u64 %rd1, calls;\ncvta.local.u64 %rd1, %rd1;
        mov.u32 %r2, %tid.x;\n{\n.param .b32 a;\n.param .b64 b;\n.param .b32 r;\nst.param.b32 [a], %r2;\nst.param.b64 [b], %rd1;
        call (r), fib, (a, b);\nld.param.b32 %r1, [r];\n}\nactivemask.b32 %r3;\nsetp.ne.u32 %p1, %r3, 0x3f;\n@%p1 trap;";
    check_functions(6, functions, body, expect!["0 2×1 2 3 5"]);
}

#[test]
fn lanes_call_different_functions_through_pointers() {
    let functions =
        format!("{TWICE}\n{PLUS_FIVE}\n.global .align 8 .u64 functions[2] = {{twice, plus_five}};");
    let body = format!(
        "mov.u32 %r2, %tid.x;\nand.b32 %r3, %r2, 1;\nmul.wide.u32 %rd1, %r3, 8;\nmov.u64 %rd2, functions;
        add.s64 %rd1, %rd1, %rd2;\nld.global.u64 %rd3, [%rd1];\n{}",
        call(
            "%r1",
            "%rd3",
            "%r2",
            ", prototype;\nprototype: .callprototype (.param .b32 _) _ (.param .b32 _)"
        )
        .replace(", prototype;\nprototype: .callprototype (.param .b32 _) _ (.param .b32 _);", ", prototype;")
        .replace(
            "{\n.param .b32 a",
            "{\nprototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n.param .b32 a"
        )
    );
    check_functions(6, &functions, &body, expect!["0 6 4 2×8 10"]);
}

#[test]
fn a_pointer_may_come_from_mov() {
    let body =
        format!("mov.u32 %r2, 4;\nmov.u64 %rd3, plus_five;\n{}", call("%r1", "%rd3", "%r2", ", plus_five"));
    check_functions(1, PLUS_FIVE, &body, expect!["9"]);
}

#[test]
fn lanes_that_do_not_call_wait_after_the_call() {
    let body = format!(
        "mov.u32 %r2, %tid.x;\nmov.u32 %r1, 0;\nsetp.gt.u32 %p1, %r2, 2;\n@%p1 bra SKIP;\n{}SKIP:\nactivemask.b32 %r3;
        add.u32 %r1, %r1, %r3;",
        call("%r1", "twice", "%r2", "")
    );
    check_functions(5, TWICE, &body, expect!["31 33 35 2×31"]);
}

#[test]
fn branches_by_table() {
    check(
        6,
        "mov.u32 %r2, %tid.x;\nrem.u32 %r3, %r2, 3;\nlist: .branchtargets A, B, C;\nbrx.idx %r3, list;
        A:\nmov.u32 %r1, 10;\nbra END;\nB:\nmov.u32 %r1, 20;\nbra END;\nC:\nmov.u32 %r1, 30;
        END:\nactivemask.b32 %r4;\nsetp.ne.u32 %p1, %r4, 63;\n@%p1 trap;",
        expect!["10 20 30 10 20 30"],
    );
    check_fault(
        1,
        "list: .branchtargets A;\nmov.u32 %r1, 3;\nbrx.idx %r1, list;\nA:\nret;",
        expect![[r#"
            the index 3 of a branch by table of 1 targets is out of range
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 16, `brx.idx`"#]],
    );
}

#[test]
fn memory_on_the_stack() {
    check(
        3,
        "mov.u32 %r2, %tid.x;\nstacksave.u64 %rd5;\ncvt.u64.u32 %rd1, %r2;\nadd.s64 %rd1, %rd1, 4;
        alloca.u64 %rd2, %rd1, 16;\nalloca.u64 %rd3, 4;\nst.local.u32 [%rd2], %r2;\nst.local.u32 [%rd3], 7;
        ld.local.u32 %r3, [%rd2];\nld.local.u32 %r4, [%rd3];\nadd.u32 %r1, %r3, %r4;\nstackrestore.u64 %rd5;
        alloca.u64 %rd4, 4;\nsetp.ne.u64 %p1, %rd4, %rd2;\n@%p1 trap;",
        expect!["7 8 9"],
    );
}

/// Checks the output that a module prints.
fn check_print(threads: u32, body: &str, strings: &str, expected: Expect) {
    let text = module(body).replace(
        ".visible .entry",
        &format!(
            "{strings}\n.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible .entry"
        ),
    );
    let program = Program::load(&text).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let data = memory.allocate(64, 8);
    let config = LaunchConfig { grid: [2, 1, 1], block: [threads, 1, 1], dynamic_shared: 0 };
    let kernel = program.kernel("test").unwrap();
    let outcome = run(&program, kernel, &memory, &config, &data.to_le_bytes(), &Options::default());
    outcome.result.unwrap_or_else(|fault| panic!("{fault}"));
    expected.assert_eq(&outcome.printed);
}

/// A text that is as long as `%65536d` makes it, printed by 2,048 threads, is cut.
#[test]
fn output_has_an_end() {
    let text = module(
        ".local .align 8 .b8 args[8];\nmov.u64 %rd1, format;\nmov.u64 %rd3, args;\ncvta.local.u64 %rd3, %rd3;
        st.local.u32 [args], %r0;\n{ .param .b64 f; .param .b64 a; .param .b32 r;\nst.param.b64 [f], %rd1;
        st.param.b64 [a], %rd3;\ncall (r), vprintf, (f, a); }\nret;",
    );
    let declared = ".global .align 1 .b8 format[8] = {37, 54, 53, 53, 51, 54, 100, 0};
        .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.visible .entry";
    let program =
        Program::load(&text.replace(".visible .entry", declared)).unwrap_or_else(|error| panic!("{error}"));
    let memory = Memory::new();
    let data = memory.allocate(64, 8);
    let config = LaunchConfig { grid: [4, 1, 1], block: [512, 1, 1], dynamic_shared: 0 };
    let options = Options { sanitize: false, ..Options::default() };
    let kernel = program.kernel("test").unwrap();
    let outcome = run(&program, kernel, &memory, &config, &data.to_le_bytes(), &options);
    outcome.result.unwrap_or_else(|fault| panic!("{fault}"));
    assert!(outcome.printed.ends_with("\n… only 64 MiB of output are kept\n"));
    assert!(outcome.printed.len() < (64 << 20) + 64, "{}", outcome.printed.len());
}

#[test]
fn printing() {
    let strings = ".global .align 1 .b8 format[18] = {98, 108, 111, 99, 107, 32, 37, 100, 32, 37, 115, 58, 32, 37, 103, 10, 0};
        .global .align 1 .b8 name[4] = {120, 61, 121, 0};";
    let body = ".local .align 8 .b8 args[24];\nmov.u32 %r1, %ctaid.x;\nst.local.u32 [args], %r1;\nmov.u64 %rd1, name;
        cvta.global.u64 %rd1, %rd1;\nst.local.u64 [args+8], %rd1;\nmov.u32 %r2, %tid.x;\ncvt.rn.f64.u32 %fd1, %r2;
        mul.f64 %fd1, %fd1, 0d3FE0000000000000;\nst.local.f64 [args+16], %fd1;\nmov.u64 %rd2, args;
        cvta.local.u64 %rd2, %rd2;\nmov.u64 %rd3, format;\ncvta.global.u64 %rd3, %rd3;
        {\n.param .b64 a;\nst.param.b64 [a], %rd3;\n.param .b64 b;\nst.param.b64 [b], %rd2;\n.param .b32 r;
        call.uni (r), vprintf, (a, b);\nld.param.b32 %r3, [r];\n}\nsetp.ne.u32 %p1, %r3, 3;\n@%p1 trap;\nret;";
    check_print(
        2,
        body,
        strings,
        expect![[r#"
            block 0 x=y: 0
            block 0 x=y: 0.5
            block 1 x=y: 0
            block 1 x=y: 0.5
        "#]],
    );
}

#[test]
fn failed_assertions_say_which() {
    let text = module(
        "mov.u64 %rd1, text;\ncvta.global.u64 %rd1, %rd1;\n{\n.param .b64 a;\nst.param.b64 [a], %rd1;\n.param .b64 b;
        st.param.b64 [b], %rd1;\n.param .b32 c;\nst.param.b32 [c], 7;\n.param .b64 d;\nst.param.b64 [d], %rd1;
        .param .b64 e;\nst.param.b64 [e], 1;\ncall.uni __assertfail, (a, b, c, d, e);\n}\nret;",
    )
    .replace(
        ".visible .entry",
        ".global .align 1 .b8 text[4] = {120, 62, 48, 0};\n.extern .func __assertfail(.param .b64 a, .param .b64 b,
        .param .b32 c, .param .b64 d, .param .b64 e) .noreturn;\n.visible .entry",
    );
    let fault = Run::block(1, 1).run_program(&Program::load(&text).unwrap()).unwrap_err();
    expect![[r#"
        assertion `x>0` failed in `x>0`, x>0:7
          in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 30, `call.uni`"#]]
    .assert_eq(&fault.to_string());
}

#[test]
fn what_is_wrong_with_calls() {
    let endless = ".func endless()\n{\n.local .b32 x;\ncall endless;\nret;\n}";
    let text =
        module("call endless;\nret;").replace(".visible .entry", &format!("{endless}\n.visible .entry"));
    let fault = Run::block(1, 1).run_program(&Program::load(&text).unwrap()).unwrap_err();
    assert!(fault.to_string().contains("endless recursion?"), "{fault}");
    check_fault(
        1,
        "mov.u64 %rd1, 4;\ncall %rd1, list;\nret;",
        expect![[r#"
            0x4 is not the address of a function of this module that anything takes the address of
              in `test`, block (0, 0, 0), thread (0, 0, 0), PTX line 15, `call`"#]],
    );
    let load = |body: &str, functions: &str| {
        let text = module(body).replace(".visible .entry", &format!("{functions}\n.visible .entry"));
        Program::load(&text).unwrap_err().to_string()
    };
    expect!["ptx:15:1: `call`: `missing` has no body in this module, and the simulator itself has only vprintf, __assertfail, malloc, free"]
        .assert_eq(&load("call missing;\nret;", ".extern .func missing();"));
    expect!["ptx:24:1: `call`: the function has 1 results, the call 0"]
        .assert_eq(&load("{\n.param .b32 a;\ncall twice, (a);\n}\nret;", TWICE));
}
