//! CUDA's names: one error each, and the help compiles when it is followed.

use super::analyzed;
use crate::cuda_names::{FUNCTIONS, Row, VALUES};

const VARIABLES: &str =
    "let (x, y, z, a, b, c) = (v, v, v, v, v, v); let (i, j) = (u, u); let h = f16::from_f32(v);
    let (condition, value) = (u > 2, v); let _ = (x, y, z, a, b, c, i, j, h, condition, value, k);";

fn kernel(body: &str) -> String {
    format!("fn kernel(v: f32, u: u32, k: i32) {{ {VARIABLES} {body} }}")
}

#[track_caller]
fn check((name, code, _): &Row, wrong: &str) {
    let Err(errors) = analyzed(&kernel(&format!("let _ = {wrong};"))) else { panic!("`{name}` is accepted") };
    let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let help = format!("help: write `{code}`");
    assert!(matches!(messages[..], [one] if one.contains(&help)), "{name}: {messages:#?}");
    if let Err(errors) = analyzed(&kernel(&format!("{code};"))) {
        panic!("the help for `{name}`, `{code}`: {errors:#?}");
    }
}

#[test]
fn functions() {
    FUNCTIONS.iter().for_each(|row| check(row, &format!("{}(v)", row.0)));
}

#[test]
fn values() {
    VALUES.iter().for_each(|row| check(row, row.0));
}
