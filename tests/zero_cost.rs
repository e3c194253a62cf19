//! A struct costs nothing: a kernel on a 3-vector with operators makes as many SASS instructions as the same kernel on
//! three scalars.

// The kernels are read, not launched.
#![allow(dead_code)]

use kernel_runtime::Kernel;
use kernel_runtime::prelude::*;
use tests::toolchain::Sass;
use tests::toolchain::require_or_skip;

/// A spring that pulls each point to the origin, with friction, in steps.
#[kernel]
fn with_structs(steps: u32, x: &mut [f32], y: &mut [f32], z: &mut [f32]) {
    use core::ops::{Add, Mul, Sub};
    #[derive(Clone, Copy)]
    struct Vec3 {
        x: f32,
        y: f32,
        z: f32,
    }
    impl Vec3 {
        const ZERO: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 0.0 };
        fn dot(self, other: Vec3) -> f32 {
            self.x * other.x + self.y * other.y + self.z * other.z
        }
        fn pull(&mut self, force: Vec3, time: f32) {
            *self = *self + force * time;
        }
    }
    impl Add for Vec3 {
        type Output = Vec3;
        fn add(self, other: Vec3) -> Vec3 {
            Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
        }
    }
    impl Sub for Vec3 {
        type Output = Vec3;
        fn sub(self, other: Vec3) -> Vec3 {
            Vec3 { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
        }
    }
    impl Mul<f32> for Vec3 {
        type Output = Vec3;
        fn mul(self, by: f32) -> Vec3 {
            Vec3 { x: self.x * by, y: self.y * by, z: self.z * by }
        }
    }

    let i = global_idx().x;
    if i < x.len() && i < y.len() && i < z.len() {
        let mut at = Vec3 { x: x[i], y: y[i], z: z[i] };
        let mut speed = Vec3::ZERO;
        for _ in 0..steps {
            let stretch = at.dot(at).sqrt();
            let force = Vec3::ZERO - at * stretch - speed * 0.5;
            speed.pull(force, 0.01);
            at.pull(speed, 0.01);
        }
        x[i] = at.x;
        y[i] = at.y;
        z[i] = at.z;
    }
}

/// The kernel without a struct, the same operations in the same order: products are fused within one expression, so within
/// `dot` and not between the functions.
#[kernel(fp_contract(off))]
fn with_scalars(steps: u32, x: &mut [f32], y: &mut [f32], z: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() && i < z.len() {
        let (mut ax, mut ay, mut az) = (x[i], y[i], z[i]);
        let (mut sx, mut sy, mut sz) = (0.0f32, 0.0f32, 0.0f32);
        for _ in 0..steps {
            let stretch = (az.mul_add(az, ax.mul_add(ax, ay * ay))).sqrt();
            let (fx, fy, fz) =
                (0.0 - ax * stretch - sx * 0.5, 0.0 - ay * stretch - sy * 0.5, 0.0 - az * stretch - sz * 0.5);
            sx += fx * 0.01;
            sy += fy * 0.01;
            sz += fz * 0.01;
            ax += sx * 0.01;
            ay += sy * 0.01;
            az += sz * 0.01;
        }
        x[i] = ax;
        y[i] = ay;
        z[i] = az;
    }
}

#[test]
fn a_struct_of_scalars_costs_nothing() {
    let Some(sass) = require_or_skip(Sass::find()) else { return };
    for arch in ["sm_75", "sm_80", "sm_90"] {
        let count = |kernel: &Kernel| sass.of_ptx(kernel.ptx(), arch).len();
        let (structs, scalars) = (count(&with_structs::KERNEL), count(&with_scalars::KERNEL));
        println!("{arch}: {structs} instructions with structs, {scalars} with scalars");
        assert_eq!(structs, scalars, "on {arch}: with structs (left), with scalars (right)");
    }
}
