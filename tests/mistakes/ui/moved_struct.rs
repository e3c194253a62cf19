use kernel_runtime::prelude::*;

#[kernel]
fn k(n: i32, x: &[i32], y: &mut [i32]) {
    struct Token {
        id: i32,
    }
    fn take(t: Token) -> i32 {
        t.id
    }
    let t = Token { id: n };
    y[0] = take(t) + t.id;
}

fn main() {}
