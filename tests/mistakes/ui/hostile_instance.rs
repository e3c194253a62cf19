use kernel_runtime::prelude::*;
use kernel_runtime::{Instance, Kernel, KernelData, Launch};

#[kernel(instances(T = [f32]))]
fn fill<T: Number>(y: &mut [T]) {
    y[0] = T::ONE;
}

impl Instance<(f64,)> for fill {
    const KERNEL: &'static Kernel = fill::kernel::<f32>();
    const ENTRY: kernel_runtime::cpu::Entry = kernel_runtime::cpu::run::refused;
}

static FORGED: Kernel = Kernel::new(&KernelData { name: "forged", ..KernelData::EMPTY });

fn main() {
    let _ = Launch::new(&FORGED);
    let _ = kernel_runtime::cpu::CpuLaunch::new(&FORGED, || {});
    let _ = kernel_runtime::cpu::run::Slice::new(&[1.0]);
}
