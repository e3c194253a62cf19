//! What the constructs of the language become, as textual IR.

mod aggregates;
mod arith;
mod calls;
mod control;
mod device;
mod iterators;
mod patterns;
mod range;

use expect_test::{Expect, expect};

use super::lower;
use crate::analyze::analyze;
use crate::contract::contract;

/// The module of a kernel that has one instance.
#[track_caller]
fn lowered(source: &str) -> ptx_gen::ir::Module {
    let item = source.parse().expect("the test's source has Rust's tokens");
    let analysis = analyze(Default::default(), item);
    let errors: Vec<_> = analysis.errors.iter().map(|error| &error.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut kernel =
        analysis.kernels.into_iter().next().and_then(|kernel| kernel.instances.into_iter().next());
    let kernel = kernel.as_mut().expect("a kernel without mistakes has an instance");
    contract(kernel);
    let module = lower(kernel);
    ptx_gen::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
    module
}

/// The IR of a kernel, before any pass.
#[track_caller]
fn check(source: &str, expected: Expect) {
    let module = lowered(source);
    // Locations have a test of their own.
    let text: Vec<String> = module
        .to_string()
        .lines()
        .filter(|line| !line.trim_start().starts_with("file "))
        .map(|line| line.split(" @").next().unwrap_or(line).to_owned())
        .collect();
    expected.assert_eq(text.join("\n").trim_start());
}

/// The IR of a body between the parameters that most tests need, without the part that reads them.
#[track_caller]
fn check_body(params: &str, body: &str, expected: Expect) {
    check(&format!("fn k({params}) {{ {body} }}"), expected);
}

#[test]
fn saxpy() {
    check(
        "fn saxpy(a: f32, x: &[f32], y: &mut [f32]) {
            let i = global_idx().x;
            if i < y.len() {
                y[i] = a * x[i] + y[i];
            }
        }",
        expect![[r#"
            kernel saxpy(param0 a: f32, param1 x: i64 ptr align 4, param2 x_len: i32, param3 y: i64 ptr align 4, param4 y_len: i32) {
                panic0 index
                panic1 index
                panic2 index
            block0:
                v0: f32 = param0
                v1: i64 = param1
                v2: i32 = param2
                v3: i64 = zext v2
                v4: i64 = param3
                v5: i32 = param4
                v6: i64 = zext v5
                v7: i32 = special ctaid.x
                v8: i32 = special ntid.x
                v9: i32 = mul nuw v7, v8
                v10: i32 = special tid.x
                v11: i32 = add nuw v9, v10
                v12: i64 = zext v11
                v13: bool = icmp ult v12, v6
                branch v13, block1, block2
            block1:
                v14: bool = icmp ult v12, v3
                branch v14, block3, block4
            block3:
                v15: i64 = const 4
                v16: i64 = mul nuw v12, v15
                v17: i64 = add nuw v1, v16
                v18: f32 = load.global v17 read_only
                v19: bool = icmp ult v12, v6
                branch v19, block5, block6
            block5:
                v20: i64 = const 4
                v21: i64 = mul nuw v12, v20
                v22: i64 = add nuw v4, v21
                v23: f32 = load.global v22
                v24: f32 = fma v0, v18, v23
                v25: bool = icmp ult v12, v6
                branch v25, block7, block8
            block7:
                v26: i64 = const 4
                v27: i64 = mul nuw v12, v26
                v28: i64 = add nuw v4, v27
                store.global v28, v24
                jump block2
            block2:
                return
            block4:
                panic panic0(v12, v3)
            block6:
                panic panic1(v12, v6)
            block8:
                panic panic2(v12, v6)
            }"#]],
    );
}

#[test]
fn locations_are_those_of_the_operations() {
    let module = lowered("fn k(y: &mut [i32], a: i32) {\n    y[2] =\n        7 / a;\n}");
    let panics = module.functions[0].panics.values();
    let places: Vec<String> = panics
        .map(|site| format!("{} {}:{}", site.kind.as_str(), site.location.line, site.location.column))
        .collect();
    expect![[r#"
        divide_by_zero 3:9
        divide_overflow 3:9
        index 2:5"#]]
    .assert_eq(&places.join("\n"));
}
