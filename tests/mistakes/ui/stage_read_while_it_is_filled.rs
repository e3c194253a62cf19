use kernel_runtime::prelude::*;

#[kernel(block(128), arch(sm_80))]
fn product(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>) {
    let mut stages = shared::<Stages<(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 32>), 2>>();
    let mut sum = warp::Acc::<f32, 16, 32>::zero();
    stages.run(
        a.columns().div_ceil(32),
        |(left, right), step| {
            let loading = left.load(&a, [0, 32 * step]);
            let rows = warp::Left::<f16, 16, 32>::load(left, [0, 0]);
            (loading, right.load(&b, [32 * step, 0]))
        },
        |(left, right)| {
            let rows = warp::Left::<f16, 16, 32>::load(left, [0, 0]);
            sum.mma(&rows, &warp::Right::<f16, 32, 32>::load(right, [0, 0]));
        },
    );
    sum.store(&mut c, [16 * warp::warp_id(), 0]);
}

fn main() {}
