use kernel_runtime::prelude::*;

macro_rules! two {
    ($given:ident, $value:expr) => {
        #[kernel]
        fn two(y: &mut [u32]) {
            let $given = 1;
            let v = 2;
            y[0] = $value + v;
        }
    };
}
two!(v, v);

fn main() {}
