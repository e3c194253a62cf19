//! The IR of the language's constructs, as text.

mod aggregates;
mod arith;
mod attributes;
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
    lowered_with("", source)
}

/// The module of a kernel with these attributes that has one instance.
#[track_caller]
fn lowered_with(attr: &str, source: &str) -> ptx_gen::ir::Module {
    let attr = attr.parse().expect("the attributes have Rust's tokens");
    let item = source.parse().expect("the test's source has Rust's tokens");
    let analysis = analyze(attr, item);
    let errors: Vec<_> = analysis.errors.iter().map(|error| &error.message).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let mut kernel =
        analysis.kernels.into_iter().next().and_then(|kernel| kernel.instances.into_iter().next());
    let kernel = kernel.as_mut().expect("a kernel without mistakes has an instance");
    contract(kernel);
    let module = lower(kernel, None).module;
    ptx_gen::verify::verify(&module).unwrap_or_else(|errors| panic!("{errors}\n{module}"));
    module
}

/// The IR of a kernel, before any pass.
#[track_caller]
fn check(source: &str, expected: Expect) {
    check_with("", source, expected);
}

/// The IR of a kernel with these attributes, before any pass.
#[track_caller]
fn check_with(attr: &str, source: &str, expected: Expect) {
    let module = lowered_with(attr, source);
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
            kernel saxpy(param0 a: f32, param1 x: i64 ptr align 4 read_only, param2 x_len: i32, param3 y: i64 ptr align 4, param4 y_len: i32) {
                panic0 index "x"
                panic1 index "y"
                panic2 index "y"
            block0:
                v0: f32 = param0
                v1: i64 = param1
                v2: i64 = to_generic.global v1
                v3: i32 = param2
                v4: i64 = zext v3
                v5: i64 = param3
                v6: i64 = to_generic.global v5
                v7: i32 = param4
                v8: i64 = zext v7
                v9: i32 = special ctaid.x
                v10: i32 = special ntid.x
                v11: i32 = mul nuw v9, v10
                v12: i32 = special tid.x
                v13: i32 = add nuw v11, v12
                v14: i64 = zext v13
                v15: bool = icmp ult v14, v8
                branch v15, block1, block2
            block1:
                v16: bool = icmp ult v14, v4
                branch v16, block3, block4
            block3:
                v17: i64 = const 4
                v18: i64 = mul nuw v14, v17
                v19: i64 = add nuw v2, v18
                v20: f32 = load.generic v19
                v21: bool = icmp ult v14, v8
                branch v21, block5, block6
            block5:
                v22: i64 = const 4
                v23: i64 = mul nuw v14, v22
                v24: i64 = add nuw v6, v23
                v25: f32 = load.generic v24
                v26: f32 = fma v0, v20, v25
                v27: bool = icmp ult v14, v8
                branch v27, block7, block8
            block7:
                v28: i64 = const 4
                v29: i64 = mul nuw v14, v28
                v30: i64 = add nuw v6, v29
                store.generic v30, v26
                jump block2
            block2:
                return
            block4:
                panic panic0(v14, v4)
            block6:
                panic panic1(v14, v8)
            block8:
                panic panic2(v14, v8)
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
