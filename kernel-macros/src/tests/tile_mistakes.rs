//! Mistakes with tiles, fragments and stages: each is one error, at the token that is marked in its text.

use expect_test::expect_file;

use super::{analyzed, errors_in};

/// Each begins with a line `## what it is`; the token of its error is between « and ».
const MISTAKES: &str = include_str!("tile_mistakes.txt");

/// The kernel around the mistakes.
fn kernel(body: &str) -> String {
    format!(
        "#[kernel(block(128), arch(sm_80))]
fn k(a: Matrix<'_, f16>, b: Matrix<'_, f16>, mut c: MatrixMut<'_, f32>, mut counts: MatrixMut<'_, u32>, rows: usize, x: &[f16]) {{
let mut tile = shared::<SharedTile<f16, 32, 32>>();
let mut stages = shared::<Stages<(SharedTile<f16, 32, 32>, SharedTile<f16, 32, 32>), 2>>();
let mut tall = shared::<Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 32>), 2>>();
let mut sum = warp::Acc::<f32, 32, 32>::zero();
let row = 32 * block_idx().x;
{body}
}}"
    )
}

#[test]
fn each_is_one_error() {
    let mut report = String::new();
    let mut wrong = 0;
    for mistake in MISTAKES.split("## ").skip(1) {
        let (name, body) = mistake.split_once('\n').unwrap();
        let marked = &body[body.find('«').unwrap() + '«'.len_utf8()..body.find('»').unwrap()];
        let source = kernel(&body.replace(['«', '»'], ""));
        let errors = match analyzed(&source) {
            Ok(kernels) => crate::expand::Compiled::all(kernels).1,
            Err(errors) => errors,
        };
        let text = errors_in(&source, &errors);
        if errors.len() != 1 || !text.contains(&format!("`{marked}`: ")) {
            wrong += 1;
            report += &format!("WRONG, not one at `{marked}`: ");
        }
        report += &format!("{name}\n{text}\n\n");
    }
    expect_file!["tile_mistakes_expected.txt"].assert_eq(&report);
    assert_eq!(wrong, 0, "mistakes that are not one error at the marked token");
}
