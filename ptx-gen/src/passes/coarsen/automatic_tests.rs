//! Coarsened versions that nobody asked for: which kernels get one, with which launch guards, and why others do not.

use std::time::Instant;

use expect_test::{Expect, expect};

use crate::compile::compile;
use crate::ir::{Coarsen, Function, Module, Param, RemarkKind, parse_function};

/// A kernel of a body. The thread's index is `v5`, `v12` in 64 bits; the buffers `x` and `y` are in `v0` and `v1`, their lengths in `v2` and
/// `v3`, and `n` is in `v4`.
#[track_caller]
fn kernel(element: &str, body: &str) -> Function {
    let text = format!(
        "kernel k(param0 x: i64 ptr align {element} read_only, param1 x_len: i32, param2 y: i64 ptr align {element}, \
         param3 y_len: i32, param4 n: i32) {{
            panic0 index
         block0:
            v0: i64 = param0
            v1: i64 = param2
            v2: i32 = param1
            v3: i32 = param3
            v4: i32 = param4
            v6: i32 = special ctaid.x
            v7: i32 = special ntid.x
            v8: i32 = mul nuw v6, v7
            v9: i32 = special tid.x
            v5: i32 = add nuw v8, v9
            v12: i64 = zext v5
            v90: i64 = const {element}
            v91: i64 = mul nuw v12, v90
            v92: i64 = add nuw v0, v91
            v93: i64 = add nuw v1, v91
            {body}
         }}"
    );
    let mut func = parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    // As lowering names the lengths of slices.
    let params: Vec<Param> = func.params.keys().collect();
    for param in params {
        if let Some(slice) = func.params[param].name.strip_suffix("_len") {
            func.params[param].source = format!("{slice}.len()");
        }
    }
    func
}

/// The coarsened entry of a kernel of a body, its launch guards, and the remark on it.
#[track_caller]
fn check_body(element: &str, body: &str, expected: Expect) {
    let func = kernel(element, body);
    let module = Module { files: vec!["k.rs".to_owned()], functions: vec![func] };
    let compiled = compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
    let kernel = &compiled.kernels[0];
    let mut lines = Vec::new();
    if let Some(version) = &kernel.coarsened {
        let wide = version.remarks.iter().filter_map(|remark| match remark.kind {
            RemarkKind::WideLoad { bytes } => Some(format!("load {bytes}")),
            RemarkKind::WideStore { bytes } => Some(format!("store {bytes}")),
            _ => None,
        });
        let tests = version.tests.iter().map(|test| test.text.clone());
        lines.push(format!(
            "{}: {} elements, {}",
            version.name,
            version.elements,
            wide.collect::<Vec<_>>().join(", ")
        ));
        lines.extend(tests);
        assert!(compiled.ptx.contains(&format!(".entry {}(", version.name)));
    }
    let said = kernel.remarks.iter().filter(|remark| {
        matches!(remark.kind, RemarkKind::CoarsenedOver { .. } | RemarkKind::NotCoarsened { .. })
    });
    lines.extend(said.map(|remark| format!("remark: {}", remark.kind)));
    lines.push(format!("ignores blocks: {}", kernel.ignores_blocks));
    expected.assert_eq(&lines.join("\n"));
}

/// `if i < y.len() { y[i] = 2 * x[i] }`
const CHECKED: &str = "v10: bool = icmp ult v5, v3
    branch v10, block1, block2
 block1:
    v11: bool = icmp ult v5, v2
    branch v11, block3, block4
 block3:
    v16: TYPE = load.global v92 read_only
    v17: TYPE = add v16, v16
    store.global v93, v17
    jump block2
 block4:
    v19: i64 = zext v2
    panic panic0(v12, v19)
 block2:
    return";

#[test]
fn element_wise() {
    check_body(
        "4",
        &CHECKED.replace("TYPE", "i32"),
        expect![[r#"
        k__coarsened: 4 elements, load 16, store 16
        y.len() <= over_elements
        y.addr() % 16 == 0
        x.addr() % 16 == 0
        y.len() <= x.len()
        remark: 4 elements a thread in launches with `.over(n)`
        ignores blocks: true"#]],
    );
    check_body(
        "8",
        &CHECKED.replace("TYPE", "i64"),
        expect![[r#"
        k__coarsened: 2 elements, load 16, store 16
        y.len() <= over_elements
        y.addr() % 16 == 0
        x.addr() % 16 == 0
        y.len() <= x.len()
        remark: 2 elements a thread in launches with `.over(n)`
        ignores blocks: true"#]],
    );
    check_body(
        "2",
        &CHECKED.replace("TYPE", "i16"),
        expect![[r#"
        k__coarsened: 8 elements, load 16, store 16
        y.len() <= over_elements
        y.addr() % 16 == 0
        x.addr() % 16 == 0
        y.len() <= x.len()
        remark: 8 elements a thread in launches with `.over(n)`
        ignores blocks: true"#]],
    );
    check_body(
        "1",
        &CHECKED.replace("TYPE", "i8"),
        expect![[r#"
        k__coarsened: 16 elements, load 16, store 16
        y.len() <= over_elements
        y.addr() % 16 == 0
        x.addr() % 16 == 0
        y.len() <= x.len()
        remark: 16 elements a thread in launches with `.over(n)`
        ignores blocks: true"#]],
    );
    // Without checks: the bound is an argument.
    check_body(
        "4",
        "v10: bool = icmp ult v5, v4
            branch v10, block1, block2
         block1:
            v16: i32 = load.global v92 read_only
            store.global v93, v16
            jump block2
         block2:
            return",
        expect![[r#"
            k__coarsened: 4 elements, load 16, store 16
            n <= over_elements
            y.addr() % 16 == 0
            x.addr() % 16 == 0
            remark: 4 elements a thread in launches with `.over(n)`
            ignores blocks: true"#]],
    );
}

#[test]
fn signed_indices_and_several_elements_a_thread_already() {
    check_body(
        "4",
        "v10: bool = icmp slt v5, v4
            branch v10, block1, block2
         block1:
            v16: i32 = load.global v92 read_only
            store.global v93, v16
            jump block2
         block2:
            return",
        expect![[r#"
            k__coarsened: 4 elements, load 16, store 16
            n <= over_elements && over_elements <= 1 << 30
            y.addr() % 16 == 0
            x.addr() % 16 == 0
            remark: 4 elements a thread in launches with `.over(n)`
            ignores blocks: true"#]],
    );
    // `let i = global_idx().x as i32`, whose low half is the index of accesses that are proved to be in bounds.
    check_body(
        "4",
        "v10: bool = icmp slt v5, v4
            branch v10, block1, block2
         block1:
            v13: i64 = sext v5
            v14: i32 = trunc_int v13
            v15: i64 = zext v14
            v16: i64 = mul nuw v15, v90
            v17: i64 = add nuw v0, v16
            v18: i64 = add nuw v1, v16
            v19: i32 = load.global v17 read_only
            store.global v18, v19
            jump block2
         block2:
            return",
        expect![[r#"
            k__coarsened: 4 elements, load 16, store 16
            n <= over_elements && over_elements <= 1 << 30
            y.addr() % 16 == 0
            x.addr() % 16 == 0
            remark: 4 elements a thread in launches with `.over(n)`
            ignores blocks: true"#]],
    );
    // `if 2 * i + 1 < n { y[2 * i] = 0; y[2 * i + 1] = 0 }`
    check_body(
        "4",
        "v20: i64 = zext v4
            v21: i64 = const 2
            v22: i64 = mul nuw v12, v21
            v23: i64 = const 1
            v24: i64 = add nuw v22, v23
            v10: bool = icmp ult v24, v20
            branch v10, block1, block2
         block1:
            v25: i64 = mul nuw v22, v90
            v26: i64 = add nuw v1, v25
            v27: i32 = const 0
            store.global v26, v27
            store.global v26 + 4, v27
            jump block2
         block2:
            return",
        expect![[r#"
            k__coarsened: 2 elements, store 16
            n <= 2 * over_elements + 1
            y.addr() % 16 == 0
            remark: 2 elements a thread in launches with `.over(n)`
            ignores blocks: true"#]],
    );
}

#[test]
fn declined() {
    let bounded = |rest: &str| {
        format!(
            "v10: bool = icmp ult v5, v4
                branch v10, block1, block2
             block1:
                {rest}
             block2:
                return"
        )
    };
    // A write under a condition on data; a read under one; a read at a neighbour; one at an index from memory.
    check_body(
        "4",
        &bounded(
            "v16: i32 = load.global v92 read_only
             v17: i32 = const 0
             v18: bool = icmp ugt v16, v17
             branch v18, block3, block2
         block3:
             store.global v93, v16
             jump block2",
        ),
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a write that not every element makes
            ignores blocks: true"#]],
    );
    check_body(
        "4",
        &bounded(
            "v16: i32 = load.global v92 read_only
             v17: i32 = const 0
             v18: bool = icmp ugt v16, v17
             branch v18, block3, block4(v17)
         block3:
             v19: i32 = load.global v93
             jump block4(v19)
         block4(v20: i32):
             store.global v93, v20
             jump block2",
        ),
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a read that not every element makes
            ignores blocks: true"#]],
    );
    check_body(
        "4",
        &bounded(
            "v16: i32 = load.global v92 + 4 read_only
             store.global v93, v16
             jump block2",
        ),
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a read at an index other than the thread's own
            ignores blocks: true"#]],
    );
    check_body(
        "4",
        &bounded(
            "v16: i32 = load.global v92 read_only
             v17: i64 = zext v16
             v18: i64 = mul nuw v17, v90
             v19: i64 = add nuw v0, v18
             v20: i32 = load.global v19 read_only
             store.global v93, v20
             jump block2",
        ),
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a read at an index other than the thread's own
            ignores blocks: true"#]],
    );
    // A loop; shared with other threads; a clock, of which nothing is said.
    check_body(
        "4",
        &bounded(
            "v16: i32 = load.global v92 read_only
             jump block3(v16)
         block3(v17: i32):
             v18: i32 = mul v17, v17
             v19: bool = icmp ult v18, v4
             branch v19, block3(v18), block4
         block4:
             store.global v93, v18
             jump block2",
        ),
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a loop, whose iterations keep a thread busy with one element
            ignores blocks: true"#]],
    );
    check_body(
        "4",
        &bounded(
            "v16: i32 = special tid.x
             store.global v93, v16
             jump block2",
        ),
        expect!["ignores blocks: false"],
    );
    check_body(
        "4",
        &bounded(
            "v16: i32 = special clock
             store.global v93, v16
             jump block2",
        ),
        expect!["ignores blocks: false"],
    );
}

/// Prints how long a kernel takes to compile with a coarsened version and without one: `cargo test -p ptx-gen coarsening_times -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
fn coarsening_times() {
    for coarsen in [None, Some(Coarsen { by: 1, location: Default::default() })] {
        let func = kernel("4", &CHECKED.replace("TYPE", "i32"));
        let module = Module { files: vec!["k.rs".to_owned()], functions: vec![Function { coarsen, ..func }] };
        let start = Instant::now();
        for _ in 0..100 {
            compile(&module, None).unwrap_or_else(|error| panic!("{error}"));
        }
        println!("{coarsen:?}: {:.1?}", start.elapsed() / 100);
    }
}

#[test]
fn without_a_bound() {
    check_body(
        "4",
        "v16: i32 = const 1
            store.global v93, v16
            return",
        expect![[r#"
            remark: one element a thread with `.over(n)`, for a write that no comparison of the index with a length or an argument bounds
            ignores blocks: true"#]],
    );
}
