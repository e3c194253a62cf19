//! `dot4`: four bytes by four, of each signedness, everywhere.

use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, Gpu};
use tests::cuda_or_skip;

use super::Random;

#[kernel]
fn dots(a: &[u32], b: &[u32], both: &mut [u32], mixed: &mut [i32]) {
    let i = global_idx().x;
    if i < a.len() {
        both[i] = dot4(a[i], b[i], 7);
        mixed[3 * i] = dot4(a[i] as i32, b[i], -7);
        mixed[3 * i + 1] = dot4(a[i], b[i] as i32, i32::MAX);
        mixed[3 * i + 2] = dot4(a[i] as i32, b[i] as i32, mixed[3 * i + 2]);
    }
}

#[test]
fn dots_of_bytes() {
    let mut random = Random(0x2545_f491_4f6c_dd1d);
    let mut words = || -> Vec<u32> {
        let drawn: Vec<u32> = (0..100).map(|_| (random.number(false) * 1e9) as i64 as u32).collect();
        [vec![0, u32::MAX, 0x8080_8080, 0x7f7f_7f7f], drawn].concat()
    };
    let (a, b) = (words(), words());
    let sum = |a: u32, b: u32, signed: [bool; 2], start: i64| -> i64 {
        let byte = |byte: u8, signed: bool| if signed { i64::from(byte as i8) } else { i64::from(byte) };
        let pairs = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        pairs.fold(start, |sum, (a, b)| sum + byte(a, signed[0]) * byte(b, signed[1]))
    };
    let (mut both, mut mixed) = (Vec::new(), Vec::new());
    for (&a, &b) in a.iter().zip(&b) {
        both.push(sum(a, b, [false; 2], 7) as u32);
        mixed.push(sum(a, b, [true, false], -7) as i32);
        mixed.push(sum(a, b, [false, true], i64::from(i32::MAX)) as i32);
        mixed.push(sum(a, b, [true; 2], 5) as i32);
    }
    let (mut on_cpu, mut mixed_on_cpu) = (vec![0; both.len()], vec![5; mixed.len()]);
    dots::cpu(&a, &b, &mut on_cpu, &mut mixed_on_cpu).grid(1).block(128).run().expect("runs on the CPU");
    assert_eq!((&on_cpu, &mixed_on_cpu), (&both, &mixed), "on the CPU");
    for gpu in [Some(Gpu::simulator(Arch::Sm75)), cuda_or_skip()].into_iter().flatten() {
        let mut found = gpu.zeros::<u32>(both.len()).unwrap();
        let mut found_mixed = gpu.upload(&vec![5; mixed.len()]).unwrap();
        dots(&gpu.upload(&a).unwrap(), &gpu.upload(&b).unwrap(), &mut found, &mut found_mixed)
            .over(a.len())
            .run()
            .expect("runs");
        assert_eq!((found.to_vec().unwrap(), found_mixed.to_vec().unwrap()), (both.clone(), mixed.clone()));
    }
    assert!(dots::KERNEL.ptx().contains("dp4a.s32.u32"));
}
