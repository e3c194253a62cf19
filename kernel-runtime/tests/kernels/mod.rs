//! Kernels written by hand, for tests of the runtime alone.

#[allow(dead_code)]
pub mod graphs;
#[allow(dead_code)]
pub mod streams;

use kernel_runtime::{
    Arch, Bounds, Candidate, ElementType, Kernel, KernelData, Launch, PanicKind, PanicSite, ParamData,
    ParamKind, ScalarType, SliceArg, SliceMutArg, Tuned, TunedData, Variant,
};

const F32: ElementType = ElementType::of::<f32>("f32");

/// `y[i] = a * x[i] + y[i]` for `i < y.len()`; an index beyond `x` panics.
// SAFETY: the data describes the parameters of its PTX.
pub static SAXPY: Kernel = unsafe { Kernel::new(&SAXPY_DATA) };

const SAXPY_DATA: KernelData = KernelData {
    name: "saxpy",
    variants: &[Variant {
        target: Arch::Sm90,
        entry: "saxpy",
        ptx: include_str!("saxpy.ptx"),
        panics: &[PanicSite {
            kind: PanicKind::Index,
            format: None,
            message: None,
            file: "saxpy.rs",
            line: 10,
            column: 20,
            calls: &[],
        }],
        has_panic_param: true,
        ..Variant::EMPTY
    }],
    params: &[
        ParamData { name: "a", kind: ParamKind::Scalar(ScalarType::F32) },
        ParamData { name: "x", kind: ParamKind::Slice { element: F32, mutable: false } },
        ParamData { name: "y", kind: ParamKind::Slice { element: F32, mutable: true } },
    ],
    bounds: Bounds { max_threads: Some(256), min_blocks: Some(8), ..Bounds::NONE },
    file: "saxpy.rs",
    line: 7,
    ..KernelData::EMPTY
};

/// The launch function that a macro would make.
pub fn saxpy<'gpu>(a: f32, x: impl SliceArg<'gpu, f32>, y: impl SliceMutArg<'gpu, f32>) -> Launch<'gpu> {
    // SAFETY: the arguments are those of the parameters.
    described(unsafe { Launch::new(&SAXPY) }, a, x, y)
}

fn described<'gpu>(
    mut launch: Launch<'gpu>,
    a: f32,
    x: impl SliceArg<'gpu, f32>,
    y: impl SliceMutArg<'gpu, f32>,
) -> Launch<'gpu> {
    launch.scalar("a", a);
    launch.slice("x", x);
    launch.slice_mut("y", y);
    launch
}

/// `saxpy` in blocks that all run at once.
#[allow(dead_code)]
// SAFETY: as above.
pub static TOGETHER: Kernel = unsafe {
    Kernel::new(&KernelData {
        bounds: Bounds { max_threads: Some(256), cooperative: true, ..Bounds::NONE },
        ..SAXPY_DATA
    })
};

/// Its launch function.
#[allow(dead_code)]
pub fn together<'gpu>(a: f32, x: impl SliceArg<'gpu, f32>, y: impl SliceMutArg<'gpu, f32>) -> Launch<'gpu> {
    // SAFETY: as above.
    described(unsafe { Launch::new(&TOGETHER) }, a, x, y)
}

/// `saxpy` with the block size tuned.
#[allow(dead_code)]
// SAFETY: the candidates are one kernel.
pub static TUNED: Tuned = unsafe {
    Tuned::new(&TunedData {
        name: "saxpy",
        module: "kernels",
        candidates: &[
            Candidate {
                settings: &[("block", "64")],
                kernel: &SAXPY,
                block: Some([64, 1, 1]),
                per_thread: 1,
            },
            Candidate {
                settings: &[("block", "128")],
                kernel: &SAXPY,
                block: Some([128, 1, 1]),
                per_thread: 1,
            },
            Candidate {
                settings: &[("block", "512")],
                kernel: &SAXPY,
                block: Some([512, 1, 1]),
                per_thread: 1,
            },
        ],
    })
};

/// The launch function of a tuned kernel.
#[allow(dead_code)]
pub fn tuned<'gpu>(a: f32, x: impl SliceArg<'gpu, f32>, y: impl SliceMutArg<'gpu, f32>) -> Launch<'gpu> {
    // SAFETY: as above.
    described(unsafe { Launch::tuned(&TUNED) }, a, x, y)
}

/// PTX that no assembler takes.
#[allow(dead_code)]
// SAFETY: it is never loaded.
pub static WRONG: Kernel = unsafe {
    Kernel::new(&KernelData {
        name: "wrong",
        variants: &[Variant {
            target: Arch::Sm90,
            entry: "wrong",
            ptx: ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry wrong() {\n    bar.sink 0;\n}\n",
            ..Variant::EMPTY
        }],
        file: "wrong.rs",
        line: 3,
        ..KernelData::EMPTY
    })
};
