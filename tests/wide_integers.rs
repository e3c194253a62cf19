//! `u128` and `i128`: what kernels compute is what rustc's do, over numbers at the edges and random ones of every length.

use kernel_runtime::prelude::*;

/// A module of a type and the one with the other sign: its function is for the host and for kernels.
macro_rules! operations {
    ($module:ident, $ty:ident, $other:ident) => {
        #[kernel_module]
        mod $module {
            use kernel_runtime::prelude::*;

            #[device]
            pub fn results(x: $ty, y: $ty) -> [$ty; 44] {
                let n = (x & 127) as u32;
                let d = if y == 0 || y == !0 { 1 } else { y };
                [
                    x.wrapping_add(y),
                    x.wrapping_sub(y),
                    x.wrapping_mul(y),
                    x / d,
                    x % d,
                    x & y,
                    x | y,
                    x ^ y,
                    !x,
                    x << n,
                    x >> n,
                    x.rotate_left(n),
                    x.rotate_right(n),
                    x.swap_bytes(),
                    x.reverse_bits(),
                    x.min(y),
                    x.max(y),
                    x.wrapping_neg(),
                    x.checked_add(y).unwrap_or((1 << 70) - 1) & !(0xff << 50),
                    x.checked_sub(y).unwrap_or(8),
                    x.overflowing_add(y).0,
                    x.overflowing_sub(y).1 as $ty,
                    (x as f64).to_bits() as $ty,
                    (x as f32).to_bits() as $ty,
                    (x < y) as u64 as $ty,
                    x.cmp(&y) as i32 as $ty,
                    (x % 1_000_000_007) * 3,
                    x.count_ones() as $ty
                        + x.leading_zeros() as $ty * 1000
                        + x.trailing_zeros() as $ty * 1_000_000,
                    if x == y || x >= $ty::MAX { 1 } else { 2 },
                    y as u8 as $ty,
                    y as i16 as $ty,
                    x as $other as $ty,
                    x.div_euclid(d),
                    x.rem_euclid(d),
                    x.checked_div(y).unwrap_or(3) ^ x.checked_rem(y).unwrap_or(5),
                    x.checked_div_euclid(y).unwrap_or(3) ^ x.checked_rem_euclid(y).unwrap_or(5),
                    x.checked_mul(y).unwrap_or(77),
                    x.overflowing_mul(y).1 as $ty,
                    x.saturating_add(y),
                    x.saturating_sub(y),
                    x.saturating_mul(y),
                    (x >> (n / 2 + 64)).checked_pow(n / 40 + 1).unwrap_or(9),
                    x.abs_diff(y) as $ty,
                    x.checked_ilog2().map_or(200, |n| n as $ty),
                ]
            }

            #[kernel]
            pub fn each(x: &[$ty], out: &mut [$ty]) {
                let i = global_idx().x;
                if 2 * i + 1 < x.len() {
                    for (k, result) in results(x[2 * i], x[2 * i + 1]).iter().enumerate() {
                        out[44 * i + k] = *result;
                    }
                }
            }
        }
    };
}

operations!(unsigned, u128, i128);
operations!(signed, i128, u128);

/// Pairs of numbers: those at the edges with one another, and random ones of every length.
fn numbers() -> Vec<u128> {
    let edges =
        [0, 1, u128::MAX, 1 << 127, u128::MAX >> 1, 1 << 64, (1 << 64) - 1, 1 << 63, (1 << 32) - 1, 3 << 95];
    let mut numbers: Vec<u128> = edges.iter().flat_map(|a| edges.iter().flat_map(|b| [*a, *b])).collect();
    let mut state = 1u128;
    for _ in 0..2000 {
        state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(99);
        let mixed = state ^ state >> 64;
        numbers.push(mixed >> (state >> 121));
    }
    numbers
}

#[test]
fn unsigned_results() -> Result<()> {
    let x = numbers();
    let want: Vec<u128> = x.chunks(2).flat_map(|pair| unsigned::results(pair[0], pair[1])).collect();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u128>(want.len())?;
    unsigned::each(&gpu.upload(&x)?, &mut out).over(x.len() / 2).run()?;
    let mut on_cpu = vec![0; want.len()];
    unsigned::each::cpu(&x, &mut on_cpu).over(x.len() / 2).run()?;
    assert_eq!(out.to_vec()?, want);
    assert_eq!(on_cpu, want);
    Ok(())
}

#[test]
fn signed_results() -> Result<()> {
    let x: Vec<i128> = numbers().into_iter().map(|x| x as i128).collect();
    let want: Vec<i128> = x.chunks(2).flat_map(|pair| signed::results(pair[0], pair[1])).collect();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<i128>(want.len())?;
    signed::each(&gpu.upload(&x)?, &mut out).over(x.len() / 2).run()?;
    let mut on_cpu = vec![0; want.len()];
    signed::each::cpu(&x, &mut on_cpu).over(x.len() / 2).run()?;
    assert_eq!(out.to_vec()?, want);
    assert_eq!(on_cpu, want);
    Ok(())
}

/// Adds a parameter, an element and what is in shared memory.
#[kernel]
fn memory(v: u128, x: &[u128], out: &mut [u128]) {
    let i = global_idx().x;
    let mut tile = shared::<[u128; 32]>();
    tile[thread_idx().x] = 1;
    barrier();
    if i < out.len() {
        out[i] = v + x[i] * 2 + tile[31 - thread_idx().x];
    }
}

#[test]
fn parameters_elements_and_shared_memory() -> Result<()> {
    let x: Vec<u128> = (0..64).map(|i| i << 100).collect();
    let want: Vec<u128> = x.iter().map(|v| v * 2 + 6).collect();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<u128>(64)?;
    memory(5, &gpu.upload(&x)?, &mut out).grid(2).block(32).run()?;
    let mut on_cpu = vec![0; 64];
    memory::cpu(5, &x, &mut on_cpu).grid(2).block(32).run()?;
    assert_eq!(out.to_vec()?, want);
    assert_eq!(on_cpu, want);
    Ok(())
}
