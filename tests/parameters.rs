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

#[kernel_module]
mod forces {
    use kernel_runtime::prelude::*;

    /// Of what kind something is.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(u8)]
    pub enum Side {
        /// On the left.
        Left,
        /// On the right.
        Right = 5,
    }

    /// A force that acts on bodies.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C, u32)]
    pub enum Force {
        /// Nothing.
        None,
        /// One that is equal everywhere.
        Pull([f32; 2]) = 4,
        /// Towards a place.
        Spring {
            /// Its strength.
            strength: f64,
            /// Of which side.
            side: Side,
            /// Of how many.
            count: [u8; 7],
        },
    }

    /// A force for some time: an element with an enum with data in it.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Phase {
        /// The force.
        pub force: Force,
        /// Others.
        pub others: [Force; 2],
        /// Its time.
        pub time: f64,
    }

    /// An enum of such.
    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C, u16)]
    pub enum Plan {
        /// Nothing to do.
        Idle,
        /// A phase.
        Once(Phase),
        /// Two forces.
        Twice(Force, [Force; 2]),
    }

    fn amount(force: Force) -> f32 {
        match force {
            Force::None => 0.0,
            Force::Pull([x, y]) => x + 2.0 * y,
            Force::Spring { strength, side: Side::Left, count } => strength as f32 * count[3] as f32,
            Force::Spring { strength, side: Side::Right, count } => -strength as f32 * count[6] as f32,
        }
    }

    #[kernel]
    pub fn apply(force: Force, phase: Phase, x: &mut [f32], changed: &mut [Force]) {
        let i = global_idx().x;
        if i < x.len() && i < changed.len() {
            x[i] += amount(force) + phase.others.iter().map(|other| amount(*other)).sum::<f32>();
            x[i] += amount(phase.force) * phase.time as f32;
            // In memory there are zeros where the variant holds nothing.
            changed[i] = if i.is_multiple_of(2) { force } else { phase.force };
        }
    }

    #[kernel]
    pub fn run(plans: &[Plan], last: Plan, x: &mut [f32], out: &mut [Phase]) {
        let i = global_idx().x;
        if i < plans.len() && i < x.len() && i < out.len() {
            let plan = if i == 0 { last } else { plans[i] };
            x[i] = match plan {
                Plan::Idle => -1.0,
                Plan::Once(phase) => amount(phase.force) + phase.time as f32,
                Plan::Twice(first, [second, third]) => amount(first) + amount(second) + amount(third),
            };
            if let Plan::Once(phase) = plan {
                out[i] = Phase { others: [phase.force; 2], ..phase };
            }
        }
    }

    #[kernel]
    pub fn pick(from: [[Force; 2]; 3], out: &mut [Force]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = from[i / 2 % 3][i % 2];
        }
    }

    #[kernel(instances(T = [Force, f32]))]
    pub fn fill<T: Copy>(value: T, x: &mut [T]) {
        let i = global_idx().x;
        if i < x.len() {
            x[i] = value;
        }
    }

    /// Tuples with arrays in them, and in those.
    #[kernel]
    pub fn weigh(weights: (f32, [u32; 2]), parts: ((u8, i64), [F32x2; 2]), x: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() {
            let ((scale, shift), [low, high]) = parts;
            x[i] = weights.0 * weights.1[i % 2] as f32 + scale as f32 + shift as f32 + low.x * high.y;
        }
    }
}

#[test]
fn enums_with_data_are_parameters_and_fields_of_elements() -> Result<()> {
    use forces::{Force, Phase, Plan, Side, apply, fill, pick, run};
    let spring = |side| Force::Spring { strength: 1.5, side, count: [1, 2, 3, 4, 5, 6, 7] };
    let forces = [Force::None, Force::Pull([1.0, 2.0]), spring(Side::Left), spring(Side::Right)];
    let gpu = Gpu::simulator(Arch::Sm90);
    for force in forces {
        for other in forces {
            let phase = Phase { force: other, others: [force, Force::Pull([0.5, 0.0])], time: 2.0 };
            let (mut x, mut changed) = ([1.0; 3], [Force::None; 3]);
            apply::cpu(force, phase, &mut x, &mut changed).over(3).run()?;
            assert_eq!(changed, [force, other, force]);
            let (mut on_gpu, mut changed_on_gpu) = (gpu.upload(&[1.0f32; 3])?, gpu.zeros::<Force>(3)?);
            apply(force, phase, &mut on_gpu, &mut changed_on_gpu).over(3).run()?;
            assert_eq!((on_gpu.to_vec()?, changed_on_gpu.to_vec()?), (x.to_vec(), changed.to_vec()));

            let plans = [Plan::Idle, Plan::Once(phase), Plan::Twice(other, [force, other]), Plan::Idle];
            let (mut x, mut out) = ([0.0; 4], [phase; 4]);
            run::cpu(&plans, Plan::Twice(force, [force; 2]), &mut x, &mut out).over(4).run()?;
            assert_eq!(out[1].others, [other; 2]);
            let (mut on_gpu, mut out_on_gpu) = (gpu.zeros::<f32>(4)?, gpu.upload(&[phase; 4])?);
            let last = Plan::Twice(force, [force; 2]);
            run(&gpu.upload(&plans)?, last, &mut on_gpu, &mut out_on_gpu).over(4).run()?;
            assert_eq!((on_gpu.to_vec()?, out_on_gpu.to_vec()?), (x.to_vec(), out.to_vec()));
            assert_eq!(gpu.upload(&plans)?.to_vec()?, plans);
        }
        let from = [[force, forces[1]], [forces[3], force], [forces[2]; 2]];
        let mut picked = [Force::None; 6];
        pick::cpu(from, &mut picked).over(6).run()?;
        assert_eq!(picked, *from.as_flattened());
        let mut picked = gpu.zeros::<Force>(6)?;
        pick(from, &mut picked).over(6).run()?;
        assert_eq!(picked.to_vec()?, *from.as_flattened());
        let mut filled = gpu.zeros::<Force>(2)?;
        fill::<Force>(force, &mut filled).over(2).run()?;
        assert_eq!(filled.to_vec()?, [force; 2]);
    }
    Ok(())
}

#[test]
fn tuples_with_arrays_are_parameters() -> Result<()> {
    let weights = (0.5, [4, 6]);
    let parts = ((3, -1), [F32x2::new(2.0, 0.0), F32x2::new(0.0, 10.0)]);
    let mut x = [0.0; 2];
    forces::weigh::cpu(weights, parts, &mut x).over(2).run()?;
    assert_eq!(x, [24.0, 25.0]);
    let mut on_gpu = Gpu::simulator(Arch::Sm90).zeros::<f32>(2)?;
    forces::weigh(weights, parts, &mut on_gpu).over(2).run()?;
    assert_eq!(on_gpu.to_vec()?, x);
    Ok(())
}

#[kernel]
fn shifted(x: &[f32], by: Option<&[f32]>, sum: Option<&mut [f32]>, y: &mut [f32]) {
    let i = global_idx().x;
    if i < x.len() && i < y.len() {
        y[i] = x[i] + by.map_or(0.5, |by| by[i % by.len()]);
        if let Some(sum) = sum
            && i < sum.len()
        {
            sum[i] += y[i];
        }
    }
}

#[test]
fn parts_and_whole_buffers_are_given_for_options() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let x = gpu.upload(&[1.0f32, 2.0, 3.0])?;
    let (mut sum, mut y) = (gpu.zeros::<f32>(4)?, gpu.zeros::<f32>(3)?);
    shifted(&x, None, None, &mut y).over(3).run()?;
    assert_eq!(y.to_vec()?, [1.5, 2.5, 3.5]);
    shifted(&x, x.slice(1..)?, &mut sum.slice_mut(2..)?, &mut y).over(3).run()?;
    assert_eq!((y.to_vec()?, sum.to_vec()?), (vec![3.0, 5.0, 5.0], vec![0.0, 0.0, 3.0, 5.0]));
    shifted(&x, Some(&x), Some(&mut sum), &mut y).over(3).run()?;
    assert_eq!((y.to_vec()?, sum.to_vec()?), (vec![2.0, 4.0, 6.0], vec![2.0, 4.0, 9.0, 5.0]));
    shifted(&x, &x, &mut sum, &mut y).over(3).run()?;
    assert_eq!(sum.to_vec()?, [4.0, 8.0, 15.0, 5.0]);
    Ok(())
}
