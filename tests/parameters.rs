//! Modules of kernels, generic kernels, and parameters and elements that are not scalars: on the simulator and the CPU copy.

use kernel_runtime::prelude::*;

#[kernel_module]
mod bodies {
    use core::marker::PhantomData;
    use kernel_runtime::device::Float;
    use kernel_runtime::prelude::*;

    /// Three coordinates.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Vec3 {
        /// Along x.
        pub x: f32,
        /// Along y.
        pub y: f32,
        /// Along z.
        pub z: f32,
    }

    impl std::ops::Add for Vec3 {
        type Output = Vec3;
        fn add(self, other: Vec3) -> Vec3 {
            Vec3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
        }
    }

    impl Vec3 {
        /// Each coordinate times a number.
        pub fn scale(self, k: f32) -> Vec3 {
            Vec3 { x: self.x * k, y: self.y * k, z: self.z * k }
        }
    }

    /// Position and motion of something.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Body {
        /// The position.
        pub at: Vec3,
        /// The velocity.
        pub speed: Vec3,
        /// The mass.
        pub mass: f64,
        /// Of what kind.
        pub kind: [u16; 4],
    }

    /// A step of the motion: passed by value, with padding, and so no element.
    #[derive(Clone, Copy, Debug)]
    #[repr(C)]
    pub struct Step {
        /// True if bodies move.
        pub on: bool,
        /// The duration.
        pub time: f32,
        /// The acceleration.
        pub pull: Vec3,
        /// Kinds that bodies take on.
        pub kinds: [u8; 3],
        /// Mass that bodies gain.
        pub gain: f64,
    }

    /// The mode of a kernel.
    #[derive(Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    pub enum Mode {
        /// Nothing.
        Rest = 3,
        /// Something.
        Move = 7,
    }

    /// A length in some unit.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
    #[repr(C)]
    pub struct Length<U> {
        /// The number.
        pub value: f32,
        /// The unit.
        pub unit: PhantomData<U>,
    }

    /// Has a number of feet.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Feet;

    #[kernel]
    pub fn longer(by: Length<Feet>, x: &mut [Length<Feet>]) {
        let i = global_idx().x;
        if i < x.len() {
            x[i] = Length { value: x[i].value + by.value, unit: PhantomData };
        }
    }

    const HALF: f32 = 0.5;

    #[device]
    fn moved(body: Body, step: &Step) -> Body {
        let speed = body.speed + step.pull.scale(step.time);
        Body { at: body.at + (body.speed + speed).scale(HALF * step.time), speed, ..body }
    }

    #[kernel(fp_contract(off))]
    pub fn advance(step: Step, bodies: &mut [Body], mode: Mode) {
        let i = global_idx().x;
        if i < bodies.len() && step.on && mode == Mode::Move {
            let mut body = moved(bodies[i], &step);
            body.mass += step.gain;
            body.kind[i % 4] = step.kinds[i % 3] as u16;
            bodies[i] = body;
        }
    }

    #[kernel]
    pub fn lanes(offset: F32x4, x: &[F32x4], y: &mut [F32x4], halves: &mut [f16], scale: bf16) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] = x[i] * 2.0 + offset;
            halves[i] = f16::from_f32(y[i].x) * f16::from_f32(scale.to_f32());
        }
    }

    #[kernel(instances(T = [f32, f64], N = [2, 4], FIRST = [true]))]
    pub fn sum_of<T: Float, const N: usize, const FIRST: bool>(start: T, x: &[T], y: &mut [T]) {
        let i = global_idx().x;
        let mut sum = start;
        for j in 0..N {
            sum += x[i * N + j];
        }
        y[i] = if FIRST { sum } else { T::ZERO };
    }
}

use bodies::{Body, Mode, Step, Vec3};

fn vec3(x: f32, y: f32, z: f32) -> Vec3 {
    Vec3 { x, y, z }
}

fn bodies(count: usize) -> Vec<Body> {
    let body = |i: usize| {
        let k = i as f32;
        Body { at: vec3(k, -k, 0.5), speed: vec3(1.0, k, 2.0), mass: k.into(), kind: [i as u16, 1, 2, 3] }
    };
    (0..count).map(body).collect()
}

const STEP: Step =
    Step { on: true, time: 0.5, pull: Vec3 { x: 0.0, y: -9.81, z: 0.25 }, kinds: [7, 8, 9], gain: 0.125 };

#[test]
fn structs_are_parameters_and_elements() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut on_cpu = bodies(10);
    bodies::advance::cpu(STEP, &mut on_cpu, Mode::Move).over(10).run()?;
    assert_eq!(on_cpu[3].kind, [3, 1, 2, 7]);
    assert_eq!(on_cpu[3].speed, vec3(1.0, 3.0 - 9.81 * 0.5, 2.125));
    let mut buffer = gpu.upload(&bodies(10))?;
    bodies::advance(STEP, &mut buffer, Mode::Move).over(10).run()?;
    assert_eq!(buffer.to_vec()?, on_cpu);
    bodies::advance(STEP, &mut buffer, Mode::Rest).over(10).run()?;
    bodies::advance(Step { on: false, ..STEP }, &mut buffer, Mode::Move).over(10).run()?;
    assert_eq!(buffer.to_vec()?, on_cpu);
    Ok(())
}

#[test]
fn elements_have_units() -> Result<()> {
    use bodies::{Feet, Length, longer};
    let length = |value| Length::<Feet> { value, ..Length::default() };
    let mut on_cpu = vec![length(1.0), length(2.0)];
    let mut buffer = Gpu::simulator(Arch::Sm90).upload(&on_cpu)?;
    longer::cpu(length(0.5), &mut on_cpu).over(2).run()?;
    longer(length(0.5), &mut buffer).over(2).run()?;
    assert_eq!(on_cpu, [length(1.5), length(2.5)]);
    assert_eq!(buffer.to_vec()?, on_cpu);
    Ok(())
}

#[test]
fn vectors_and_halves_are_parameters_and_elements() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x: Vec<F32x4> = (0..20).map(|i| F32x4::new(i as f32, 1.0, 2.0, 3.0)).collect();
    let (offset, scale) = (F32x4::new(0.5, 1.5, 2.5, 3.5), bf16::from_f32(3.0));
    let (mut y, mut halves) = (vec![F32x4::default(); 20], vec![f16::ZERO; 20]);
    bodies::lanes::cpu(offset, &x, &mut y, &mut halves, scale).over(20).run()?;
    assert_eq!((y[2], halves[2].to_f32()), (F32x4::new(4.5, 3.5, 6.5, 9.5), 13.5));
    let (x, mut out, mut out_halves) = (gpu.upload(&x)?, gpu.zeros(20)?, gpu.zeros(20)?);
    bodies::lanes(offset, &x, &mut out, &mut out_halves, scale).over(20).run()?;
    assert_eq!((out.to_vec()?, out_halves.to_vec()?), (y, halves));
    Ok(())
}

#[test]
fn instances_are_picked_by_their_arguments() -> Result<()> {
    use bodies::sum_of;
    let gpu = Gpu::simulator(Arch::Sm90);
    let names: Vec<&str> = sum_of::INSTANCES.iter().map(|(text, _)| *text).collect();
    assert_eq!(names, ["f32, 2, true", "f32, 4, true", "f64, 2, true", "f64, 4, true"]);
    assert_eq!(sum_of::kernel::<f64, 4, true>().name(), "sum_of::<f64, 4, true>");
    let (x, mut y) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [0.0; 4]);
    sum_of::cpu::<f64, 2, true>(0.5, &x, &mut y).grid(1).block(4).run()?;
    assert_eq!(y, [3.5, 7.5, 11.5, 15.5]);
    let x = gpu.upload(&x.map(|v| v as f32))?;
    let mut y = gpu.zeros::<f32>(2)?;
    sum_of::<f32, 4, true>(1.0, &x, &mut y).grid(1).block(2).run()?;
    assert_eq!(y.to_vec()?, [11.0, 27.0]);
    Ok(())
}

/// Sums of each byte and its neighbours, of rows whose lengths are no powers of two.
#[kernel]
fn neighbours_in_rows(rows: &[[u8; 36]], sums: &mut [[u16; 34]]) {
    let i = global_idx().x;
    if i < rows.len() && i < sums.len() {
        for (sum, around) in sums[i].iter_mut().zip(rows[i].windows(3)) {
            *sum = around.iter().map(|byte| *byte as u16).sum();
        }
    }
}

#[test]
fn arrays_of_any_length_are_elements() -> Result<()> {
    let rows: Vec<[u8; 36]> = (0..50).map(|i| std::array::from_fn(|k| (i * 7 + k * 11) as u8)).collect();
    let expected: Vec<[u16; 34]> = rows
        .iter()
        .map(|row| std::array::from_fn(|k| row[k..k + 3].iter().map(|byte| *byte as u16).sum()))
        .collect();
    let mut sums = vec![[0; 34]; 50];
    neighbours_in_rows::cpu(&rows, &mut sums).over(50).run()?;
    assert_eq!(sums, expected);
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut sums = gpu.zeros::<[u16; 34]>(50)?;
    neighbours_in_rows(&gpu.upload(&rows)?, &mut sums).over(50).run()?;
    assert_eq!(sums.to_vec()?, expected);
    Ok(())
}

#[kernel_module]
mod nested {
    use core::num::{NonZeroU32, Saturating, Wrapping};
    use kernel_runtime::prelude::*;

    pub mod shapes {
        use kernel_runtime::prelude::*;

        /// Two coordinates.
        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[repr(C)]
        pub struct Point {
            /// Along x.
            pub x: f32,
            /// Along y.
            pub y: f32,
        }

        /// One of them.
        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[repr(u8)]
        pub enum Axis {
            /// The first.
            X,
            /// The second.
            Y,
        }
    }

    mod inner {
        mod deep {
            use kernel_runtime::prelude::*;

            /// Of a module that nobody sees.
            #[derive(Clone, Copy, Debug, PartialEq, Element)]
            #[repr(C)]
            pub struct Texel(pub u32);
        }
        pub use deep::Texel;
    }
    pub use inner::Texel as Pixel;

    /// Types by the way to their module, by another name, and those of `core::num`.
    #[kernel]
    pub fn pick(
        points: &[shapes::Point],
        axis: shapes::Axis,
        pixels: &[Pixel],
        by: NonZeroU32,
        step: Saturating<u8>,
        out: &mut [f32],
        levels: &mut [Saturating<u8>],
        counts: &mut [Wrapping<u16>],
    ) {
        let i = global_idx().x;
        if i < out.len() {
            let along = match axis {
                shapes::Axis::X => points[i].x,
                shapes::Axis::Y => points[i].y,
            };
            out[i] = along + (pixels[i].0 / by) as f32;
            levels[i] += step;
            counts[i] -= 2;
        }
    }

    /// Instances of such types.
    #[kernel(instances(P = [shapes::Point, Pixel]))]
    pub fn copy<P: Copy>(from: &[P], to: &mut [P]) {
        let i = global_idx().x;
        if i < to.len() {
            to[i] = from[i];
        }
    }
}

#[test]
fn types_of_nested_modules_and_of_core_num() -> Result<()> {
    use core::num::{NonZeroU32, Saturating, Wrapping};
    use nested::shapes::{Axis, Point};
    use nested::{Pixel, copy, pick};

    let gpu = Gpu::simulator(Arch::Sm90);
    let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }];
    let from = gpu.upload(&points)?;
    let pixels = gpu.upload(&[Pixel(10), Pixel(20)])?;
    let (mut out, mut levels) = (gpu.zeros::<f32>(2)?, gpu.upload(&[Saturating(250u8), Saturating(3)])?);
    let mut counts = gpu.upload(&[Wrapping(1u16), Wrapping(7)])?;
    let by = NonZeroU32::MIN.saturating_add(4);
    pick(&from, Axis::Y, &pixels, by, Saturating(20), &mut out, &mut levels, &mut counts).over(2).run()?;
    assert_eq!(out.to_vec()?, [4.0, 8.0]);
    assert_eq!(levels.to_vec()?, [Saturating(255), Saturating(23)]);
    assert_eq!(counts.to_vec()?, [Wrapping(u16::MAX), Wrapping(5)]);

    let mut to = gpu.upload(&[Pixel(0), Pixel(0)])?;
    copy::<Pixel>(&pixels, &mut to).over(2).run()?;
    assert_eq!(to.to_vec()?, [Pixel(10), Pixel(20)]);
    let mut to = gpu.upload(&[Point { x: 0.0, y: 0.0 }; 2])?;
    copy::<Point>(&from, &mut to).over(2).run()?;
    assert_eq!(to.to_vec()?, points);
    Ok(())
}
