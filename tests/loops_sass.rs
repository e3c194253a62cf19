//! The effect of attributes of loops on the machine code: no more instructions than nvcc's, loads before the additions.

use examples::divergence::polygons;
use examples::{ilp, unrolling};
use kernel_runtime::Kernel;
use tests::toolchain::Sass;
use tests::toolchain::{Tool, require_or_skip};

const ARCHS: [&str; 3] = ["sm_75", "sm_80", "sm_90"];

/// The kernels `horner` and `horner_of_array` as they are written in CUDA C++.
const HORNER: [&str; 2] = [
    "
extern \"C\" __global__ void horner(float* x, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float at = x[i], value = 0.0f;
        #pragma unroll
        for (int k = 64; k >= 0; --k) value = value * at + 1.0f / (k + 1.0f);
        x[i] = value;
    }
}
",
    "
struct Coefficients {
    float c[65];
    constexpr Coefficients() : c() {
        for (int k = 0; k < 65; ++k) c[k] = 1.0f / (k + 1.0f);
    }
};
__constant__ constexpr Coefficients C;
extern \"C\" __global__ void horner_of_array(float* x, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float at = x[i], value = C.c[64];
        #pragma unroll
        for (int k = 63; k >= 0; --k) value = value * at + C.c[k];
        x[i] = value;
    }
}
",
];

#[test]
fn a_polynomial_unrolled_is_no_more_than_nvcc_makes() {
    let (Some(sass), Some(nvcc), Some(_)) =
        (require_or_skip(Sass::find()), require_or_skip(Tool::Nvcc.find()), require_or_skip(Tool::Cc.find()))
    else {
        return;
    };
    for arch in ARCHS {
        for (kernel, cuda) in
            [unrolling::horner::KERNEL, unrolling::horner_of_array::KERNEL].iter().zip(HORNER)
        {
            let mut functions =
                sass.functions_of_ptx(kernel.ptx(), arch).unwrap_or_else(|log| panic!("{log}"));
            // One element a thread, as in C++.
            let ours = functions.remove(kernel.variants()[0].usual().entry).expect("the entry");
            let theirs = sass.of_cuda(&nvcc, &[], cuda, arch);
            println!("{} on {arch}: {} instructions, {} by nvcc", kernel.name(), ours.len(), theirs.len());
            assert!(ours.len() <= theirs.len(), "on {arch}: {ours:#?}\nby nvcc: {theirs:#?}");
        }
    }
}

/// The largest number of loads from global memory in a row, without an addition of floats between.
fn loads_in_a_row(instructions: &[String]) -> usize {
    let (mut most, mut now) = (0, 0);
    for instruction in instructions {
        if instruction.contains("LDG") {
            now += 1;
        } else if instruction.contains("FADD") || instruction.contains("FFMA") {
            now = 0;
        }
        most = most.max(now);
    }
    most
}

#[test]
fn chains_load_before_they_add() {
    let Some(sass) = require_or_skip(Sass::find()) else { return };
    for arch in ARCHS {
        let row = |kernel: &Kernel| loads_in_a_row(&sass.of_ptx(kernel.ptx(), arch));
        let [one, four, ahead] =
            [&ilp::sum_one::KERNEL, &ilp::sum_ilp::KERNEL, &ilp::sum_ahead::KERNEL].map(row);
        println!("{arch}: {one} load in flight, {four} with `#[ilp(4)]`, {ahead} with `#[prefetch(2)]`");
        assert!(four >= 4, "on {arch}: {:#?}", sass.of_ptx(ilp::sum_ilp::KERNEL.ptx(), arch));
    }
}

/// A loop with several ways back to its header has one in the machine code, before which lanes meet: what the simulator does too.
#[test]
fn several_ways_back_are_one() {
    let Some(sass) = require_or_skip(Sass::find()) else { return };
    for arch in ARCHS {
        let functions = sass.functions_of_ptx(polygons::kernels::coverage_branches::KERNEL.ptx(), arch);
        for (name, code) in functions.unwrap_or_else(|log| panic!("{log}")) {
            let leads_back = |at: &usize| code[*at].branch_target.is_some_and(|to| to < code[*at].address);
            let back: Vec<usize> = (0..code.len()).filter(leads_back).collect();
            // The unrolled loop, and that of the iterations left.
            assert!((1..=2).contains(&back.len()), "{name} on {arch}: {code:#?}");
            for back in back {
                let meet = code[..back].iter().rposition(|inst| inst.opcode() == "BSYNC");
                let since = &code[meet.unwrap_or(back)..back];
                let straight = since.iter().all(|inst| inst.branch_target.is_none());
                assert!(!since.is_empty() && straight, "{name} on {arch}: {code:#?}");
            }
        }
    }
}
