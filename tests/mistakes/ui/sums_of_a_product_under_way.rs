use kernel_runtime::prelude::*;

#[kernel(block(128), arch(sm_80))]
fn product(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 32>), 2>>();
    let mut sum = warp::Acc::<f32, 16, 32>::zero();
    stages.multiply(a.columns().div_ceil(32), [0, 0], &mut sum, |(left, right), step| {
        sum.store(&mut c, [0, 0]);
        (left.load(&a, [0, 32 * step]), right.load(&b, [32 * step, 0]))
    });
    sum.store(&mut c, [16 * warp::warp_id(), 0]);
}

fn main() {}
