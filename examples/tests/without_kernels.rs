//! Parts of the examples that no kernel is needed for. They stand here and not beside what they test, so that the kernels are compiled once.

use std::collections::HashSet;

use examples::chapter::{Compared, EFFECTS, named};
use examples::cublas;
use examples::examples;
use examples::host::ring;
use examples::instructions::segments::kernels::{boxes_touch, by_comparison, by_division, by_straddle};
use examples::instructions::segments::{Steps, exact, scaled};
use examples::plot::{Steps as Lines, labels, number, steps, ticks};
use examples::tables::{right, table};
use examples::toolchain::{Instruction, parse_listing};
use kernel_runtime::prelude::*;

#[test]
fn effects_are_of_examples_and_all_examples_are_in_effects() {
    let mut seen = HashSet::new();
    for effect in EFFECTS {
        let names: Vec<&str> = match effect.compared {
            Compared::Examples(kernels) => kernels.iter().map(|&(name, _)| name).collect(),
            Compared::Assembled(kernels) | Compared::Apart(kernels) => kernels.to_vec(),
            Compared::Runs(_) => continue,
        };
        for name in names {
            assert!(named(name).next().is_some(), "{}: {name}", effect.title);
            seen.extend(named(name).map(|example| example.kernel.name()));
        }
    }
    let elsewhere = |name: &str| {
        ["saxpy", "crossings", "sweep::<", "matmul_groups::<", "attention_128::<"]
            .iter()
            .any(|known| name.starts_with(known))
            || APART.contains(&name)
    };
    let missing: Vec<&str> = examples().map(|example| example.kernel.name()).collect();
    let missing: Vec<&str> =
        missing.into_iter().filter(|&name| !seen.contains(name) && !elsewhere(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Examples that other programs are about.
const APART: &[&str] = &[
    "threshold_coarse",
    "hypotenuse",
    "horner",
    "horner_of_array",
    "multiply_add_peak",
    "threads_per_sm",
    "scattered",
    "sum_by_last_block",
    "heat_step",
    "heat_together",
    "sum_together",
    "blur",
    "cluster_sums",
    "cluster_histogram",
    "matmul_dp4a",
    "matmul_half2",
    "matmul_sparse",
    "matmul_elements::<f32>",
    "matmul_small_floats::<E4M3>",
    "matmul_small_floats::<E5M2>",
    "matmul_bytes::<i8>",
];

/// Every pair of segments between points of a grid of 4 × 4: points, ends that touch, segments on one line, apart and overlapping.
#[test]
fn degenerate_segments_are_told_exactly() {
    let points: Vec<[i32; 2]> = (0..16).map(|at| [at % 4, at / 4]).collect();
    let ends = |a: &[i32; 2]| points.iter().map(|b| [a[0], a[1], b[0], b[1]]).collect::<Vec<Steps>>();
    let all: Vec<Steps> = points.iter().flat_map(ends).collect();
    for scale in [1e2, 1e18] {
        for &a in &all {
            for &b in &all {
                let (first, second) = (scaled(a, scale), scaled(b, scale));
                let found = [by_division, by_comparison, by_straddle].map(|test| test(first, second));
                assert_eq!(found, [exact(a, b); 3], "{a:?} and {b:?}, up to {scale}");
                assert!(boxes_touch(first, second) || !exact(a, b), "{a:?} and {b:?}, up to {scale}");
            }
        }
    }
}

#[test]
fn names_cover_neither_points_nor_each_other() {
    let points = [(100, 100), (100, 100), (104, 103), (150, 100), (400, 300)];
    let names = ["vector_add", "vector_add_coarse", "saxpy", "scale", "softmax"];
    let placed = labels(&points, &names);
    let boxes: Vec<[i32; 4]> = points
        .iter()
        .zip(&placed)
        .zip(names)
        .map(|((point, by), name)| {
            let (x, y) = (point.0 + by.0, point.1 + by.1);
            [x, y, x + 7 * name.len() as i32, y + 15]
        })
        .collect();
    for (index, a) in boxes.iter().enumerate() {
        for b in &boxes[index + 1..] {
            assert!(a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1], "{a:?} {b:?}");
        }
    }
    assert_eq!(placed[4], (9, -7));
}

#[test]
fn numbers_of_axes() {
    assert_eq!(
        [0.1, 1.0, 100_000.0, 62.5, 0.0].map(|value| number(&value)),
        ["0.1", "1", "100000", "62.5", "0"]
    );
}

#[test]
fn ratios_have_round_labels() {
    assert_eq!(ticks(0.85, 1.15), [0.9, 1.0, 1.1]);
    assert_eq!(ticks(0.31, 2.1), [0.4, 0.5, 0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0]);
    assert_eq!(ticks(0.1, 11.0), [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0]);
}

/// A block of 33 threads has as many warps as one of 64: what holds at a point holds back to the one before.
#[test]
fn steps_hold_back_and_leave_out_what_does_not_launch() {
    let points = [(1.0, Some(5.0)), (2.0, Some(4.0)), (3.0, None), (4.0, None), (5.0, Some(2.0))];
    let lines = vec![vec![(1.0, 5.0), (1.0, 5.0), (1.0, 4.0), (2.0, 4.0)], vec![(4.0, 2.0), (5.0, 2.0)]];
    assert_eq!(steps(&points), Lines { lines, gaps: vec![(2.0, 4.0)] });
}

#[test]
fn tables_fit_the_terminal() {
    let mut table = table(["kernel", "what it is about", "number"]);
    table.set_width(40);
    table.add_row([
        "saxpy".into(),
        "a sentence that is longer than the terminal is wide".into(),
        right("1".into()),
    ]);
    let widths: Vec<usize> = table.to_string().lines().map(|line| line.chars().count()).collect();
    assert!(widths.iter().all(|&width| width <= 40), "{widths:?}");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_is_no_panic() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut list = std::process::Command::new(env!("CARGO_BIN_EXE_run-examples"));
    let output = list.arg("list").stdout(writer).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&output.status), Some(13), "SIGPIPE");
}

#[test]
fn a_library_that_is_not_there_is_told() {
    let error = cublas::open(vec!["/nowhere/libcublas.so.13".into()]).err().unwrap();
    let text = error.to_string();
    assert!(text.starts_with("cuBLAS was not found: /nowhere/libcublas.so.13: "), "{text}");
    assert!(text.contains("set CUBLAS to the path"), "{text}");
}

#[test]
fn a_listing() {
    let listing = "
.text.first:
    /*0000*/                   LDC R1, c[0x0][0x28] ;
.L_x_1:
    /*0010*/              @!P0 FADD R2, R3, R4 ;
    /*0020*/               @P0 BRA `(.L_x_1) ;
    /*0030*/                   NOP;
.text.second:
    /*0000*/                   EXIT ;
";
    let functions = parse_listing(listing);
    let first = &functions["first"];
    assert_eq!(first.iter().map(Instruction::opcode).collect::<Vec<_>>(), ["LDC", "FADD", "BRA"]);
    assert_eq!(first[2].branch_target, Some(0x10));
    assert_eq!(functions["second"].len(), 1);
}

#[test]
fn every_device_gets_the_sum() {
    for devices in 1..=5 {
        let gpus: Vec<Gpu> = (0..devices).map(|_| Gpu::simulator(Arch::Sm90)).collect();
        for len in [1, 7, 64, 1000] {
            let (_, found) = ring::run(&gpus, len, 1).unwrap();
            let expected = ring::sum(&ring::arrays(devices, len));
            assert_eq!(found, vec![expected; devices], "{devices} devices, {len} elements");
        }
    }
}
