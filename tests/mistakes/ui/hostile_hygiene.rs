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

macro_rules! closure {
    ($called:ident) => {
        #[kernel]
        fn closure(y: &mut [u32]) {
            fn pick(a: u32) -> u32 {
                a + 1
            }
            let pick = |a: u32| a + 100;
            y[0] = $called(5);
        }
    };
}
closure!(pick);

fn main() {}
