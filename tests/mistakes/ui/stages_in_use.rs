use kernel_runtime::prelude::*;

#[kernel(block(128), arch(sm_80))]
fn product(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 32>), 2>>();
    let mut sum = warp::Acc::<f32, 16, 32>::zero();
    stages.run(
        a.columns().div_ceil(32),
        |(left, right), step| (left.load(&a, [0, 32 * step]), right.load(&b, [32 * step, 0])),
        |(left, right)| {
            stages.run(1, |(left, right), _| (left.load(&a, [0, 0]), right.load(&b, [0, 0])), |_| {});
        },
    );
    sum.store(&mut c, [16 * warp::warp_id(), 0]);
}

fn main() {}
