//! Kernels that share functions, types and constants in a `#[kernel_module]`, and libraries linked within a crate and from
//! another.

#![allow(clippy::multiple_bound_locations)] // of the launch functions
#![allow(unused_imports, unused_qualifications)] // `nested` names things by all the ways there are

use kernel_runtime::prelude::*;
use tests::geometry::geometry;

/// A library of this crate.
#[device_library]
mod waves {
    pub fn triangle(x: f32) -> f32 {
        let f = x - x.floor();
        if f < 0.5 { 2.0 * f } else { 2.0 - 2.0 * f }
    }

    #[device]
    pub fn twice<F: Fn(f32) -> f32>(f: F, x: f32) -> f32 {
        f(f(x))
    }
}

#[kernel_module(link(geometry, waves))]
mod scene {
    use super::waves;
    use core::f32::consts::PI;
    use kernel_runtime::prelude::*;
    use tests::geometry::geometry::{self, Point, length};

    const SCALE: f32 = 2.0;

    #[derive(Clone, Copy, PartialEq)]
    enum Side {
        Left,
        Right,
    }

    impl Side {
        fn of(p: Point) -> Side {
            if p.x < 0.0 { Side::Left } else { Side::Right }
        }
    }

    #[device]
    fn height<const N: usize>(p: Point) -> f32 {
        let mut sum = 0.0;
        for i in 0..N {
            sum += waves::triangle(p.x * (i as f32 + 1.0) / SCALE);
        }
        sum
    }

    #[kernel]
    pub fn lengths(points: &[Point], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let moved = points[i] * SCALE + geometry::Point { x: 1.0, y: 0.0 };
            out[i] = match Side::of(moved) {
                Side::Left => -length(moved),
                Side::Right => geometry::length(moved) + Point::ORIGIN.x,
            };
        }
    }

    #[kernel(launch_bounds(128))]
    pub fn heights(points: &[Point], out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let base = PI;
            out[i] = height::<3>(points[i]) + waves::twice(|x| x * base, 1.0);
        }
    }

    #[kernel(instances(T = [f32, i32], N = [1, 4]))]
    pub fn fill<T: Number, const N: usize>(value: T, out: &mut [T]) {
        let i = global_idx().x;
        for k in 0..N {
            if i * N + k < out.len() {
                out[i * N + k] = value + value;
            }
        }
    }

    /// The results, computed by the host with the kernels' functions.
    pub fn expected(points: &[Point]) -> Vec<f32> {
        points.iter().map(|p| height::<3>(*p) + waves::twice(|x| x * PI, 1.0)).collect()
    }
}

fn points() -> Vec<geometry::Point> {
    (0..40).map(|i| geometry::Point { x: i as f32 * 0.25 - 5.0, y: 3.0 - i as f32 }).collect()
}

#[test]
fn a_linked_library_of_another_crate() -> Result<()> {
    let points = points();
    let expected: Vec<f32> = points
        .iter()
        .map(|p| {
            let moved = *p * 2.0 + geometry::Point { x: 1.0, y: 0.0 };
            let length = moved.x.mul_add(moved.x, moved.y * moved.y).sqrt().min(geometry::FAR);
            if moved.x < 0.0 { -length } else { length }
        })
        .collect();
    let close = |found: &[f32]| {
        for (want, got) in expected.iter().zip(found) {
            assert!((want - got).abs() <= want.abs() * 1e-6, "{want} {got}");
        }
    };
    let mut out = vec![0.0; points.len()];
    scene::lengths::cpu(&points, &mut out).over(points.len()).run()?;
    close(&out);
    let gpu = Gpu::simulator(Arch::Sm90);
    let (given, mut out) = (gpu.upload(&points)?, gpu.zeros::<f32>(points.len())?);
    scene::lengths(&given, &mut out).over(points.len()).run()?;
    close(&out.to_vec()?);
    assert_eq!(geometry::describe(points[0]), "(-5, 3)");
    Ok(())
}

#[test]
fn a_linked_library_of_this_crate() -> Result<()> {
    let points = points();
    let gpu = Gpu::simulator(Arch::Sm90);
    let (given, mut out) = (gpu.upload(&points)?, gpu.zeros::<f32>(points.len())?);
    scene::heights(&given, &mut out).over(points.len()).run()?;
    assert_eq!(out.to_vec()?, scene::expected(&points));
    Ok(())
}

#[test]
fn instances_in_a_module() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut ints = gpu.zeros::<i32>(10)?;
    scene::fill::<i32, 4>(21, &mut ints).over(3).run()?;
    assert_eq!(ints.to_vec()?, [42; 10]);
    let mut floats = gpu.zeros::<f32>(3)?;
    scene::fill::<f32, 1>(1.5, &mut floats).over(3).run()?;
    assert_eq!(floats.to_vec()?, [3.0; 3]);
    Ok(())
}

/// `use`s that begin with names which other ones bring.
#[kernel_module]
mod brought {
    use kernel_runtime::prelude::*;
    use turns::left as to_the_left;

    mod compass {
        #[derive(Clone, Copy, PartialEq)]
        pub enum Way {
            North,
            East,
        }
        pub mod turns {
            pub fn left(by: i32) -> i32 {
                by * 10
            }
        }
    }
    use compass::{Way, turns};

    #[kernel]
    pub fn ways(out: &mut [i32]) {
        use Way::{East, North};
        use turns::left;
        let i = global_idx().x;
        if i < out.len() {
            let way = if i.is_multiple_of(2) { North } else { East };
            out[i] = left(i as i32) + to_the_left(3) + (way == Way::East) as i32;
        }
    }
}

/// As above, by a glob.
#[kernel_module]
mod brought_by_glob {
    use compass::*;
    use kernel_runtime::prelude::*;

    mod compass {
        pub enum Side {
            Near,
            Far,
        }
    }

    #[kernel]
    pub fn sides(out: &mut [i32]) {
        use Side::{Far, Near};
        let i = global_idx().x;
        if i < out.len() {
            let side = if i.is_multiple_of(2) { Near } else { Far };
            out[i] = match side {
                Near => 1,
                Far => 2,
            };
        }
    }
}

#[test]
fn uses_of_names_that_uses_bring() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut out = gpu.zeros::<i32>(3)?;
    brought::ways(&mut out).over(3).run()?;
    assert_eq!(out.to_vec()?, [30, 41, 50]);
    brought_by_glob::sides(&mut out).over(3).run()?;
    assert_eq!(out.to_vec()?, [1, 2, 1]);
    Ok(())
}

/// A kernel whose block is a constant of the module, and one of which nothing is used but what it consists of.
#[deny(dead_code)]
mod named {
    use kernel_runtime::prelude::*;

    #[kernel_module]
    pub mod constants {
        use kernel_runtime::prelude::*;

        pub const BLOCK: usize = 64;

        #[kernel(block(BLOCK))]
        pub fn reversed(y: &mut [u32]) {
            let mut tile = shared::<[u32; BLOCK]>();
            let t = thread_idx().x;
            tile[t] = t as u32;
            barrier();
            y[t] = tile[BLOCK - 1 - t];
        }
    }

    #[kernel]
    fn unlaunched(y: &mut [u32]) {
        y[0] = 1;
    }

    pub fn name() -> &'static str {
        unlaunched::KERNEL.name()
    }
}

#[test]
fn attributes_know_constants_of_their_module() -> Result<()> {
    let gpu = Gpu::new()?;
    let mut y = gpu.zeros::<u32>(named::constants::BLOCK)?;
    let report = named::constants::reversed(&mut y).grid(1).run()?;
    assert_eq!(report.block, [64, 1, 1]);
    assert_eq!(y.to_vec()?, (0..64).rev().collect::<Vec<_>>());
    assert_eq!(named::name(), "unlaunched");
    Ok(())
}

/// Macros whose arguments and values are expressions of several parts: one value each, to the host and to kernels.
#[kernel_module]
mod macros {
    use kernel_runtime::prelude::*;

    macro_rules! square {
        ($x:expr) => {
            $x * $x
        };
    }
    macro_rules! polynomial {
        ($x:expr; $c0:literal) => { $c0 };
        ($x:expr; $c0:literal, $($c:literal),*) => { $c0 + $x * polynomial!($x; $($c),*) };
    }
    macro_rules! largest {
        ($a:expr) => { $a };
        ($a:expr, $($rest:expr),+) => {{ let (a, b) = ($a, largest!($($rest),+)); if a > b { a } else { b } }};
    }

    /// `(x + 1)² + 2 (3 + x (2 + 4x)) - max(x, 7, 2x)`
    pub fn mixed(x: i32) -> i32 {
        square!(x + 1) + 2 * polynomial!(x; 3, 2, 4) - largest!(x, 7, 2 * x)
    }

    #[kernel]
    pub fn run(y: &mut [i32]) {
        let i = global_idx().x;
        if i < y.len() {
            y[i] = mixed(i as i32);
        }
    }
}

#[test]
fn macros_keep_expressions_whole() -> Result<()> {
    let expected: Vec<i32> =
        (0..20).map(|x| (x + 1) * (x + 1) + 2 * (3 + x * (2 + 4 * x)) - x.max(7).max(2 * x)).collect();
    assert_eq!((0..20).map(macros::mixed).collect::<Vec<_>>(), expected);
    let mut y = [0; 20];
    macros::run::cpu(&mut y).over(20).run()?;
    assert_eq!(y, expected[..]);
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut y = gpu.zeros::<i32>(20)?;
    macros::run(&mut y).over(20).run()?;
    assert_eq!(y.to_vec()?, expected);
    Ok(())
}

macro_rules! scaled {
    ($(#[$doc:meta])* $vis:vis $name:ident, $ty:ty, $by:expr, $range:pat, $body:block) => {
        $(#[$doc])*
        #[kernel_module]
        $vis mod $name {
            use kernel_runtime::prelude::*;

            /// Times what the macro was given.
            pub fn scaled(x: i32) -> $ty {
                match x {
                    $range => x * $by,
                    _ => other() * $by,
                }
            }

            fn other() -> $ty $body

            #[kernel]
            pub fn run(y: &mut [i32]) {
                let i = global_idx().x;
                if i < y.len() {
                    y[i] = scaled(i as i32) - $by;
                }
            }
        }
    };
}
scaled!(
    /// A module of a macro's.
    pub(crate) by_a_sum, i32, 1 + 2, 0..=8 | 10, { let a = 4; a - 5 }
);

#[test]
fn fragments_of_macros_outside_stay_whole() -> Result<()> {
    assert_eq!((by_a_sum::scaled(5), by_a_sum::scaled(9)), (15, -3));
    let expected = [-3, 0, 3, 6];
    let mut y = [0; 4];
    by_a_sum::run::cpu(&mut y).over(4).run()?;
    assert_eq!(y, expected);
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut y = gpu.zeros::<i32>(4)?;
    by_a_sum::run(&mut y).over(4).run()?;
    assert_eq!(y.to_vec()?, expected);
    Ok(())
}

#[kernel_module]
mod by_macro {
    use kernel_runtime::prelude::*;

    pub trait Weigh: Copy {
        fn weigh(self) -> Self;
    }

    macro_rules! weigh {
        ($type:ty) => {
            impl Weigh for $type {
                fn weigh(self) -> Self {
                    let by = 1.0 / (1.0 + self);
                    [1.0, 2.0].iter().rev().fold(0.0, |sum, &a| (sum + a) * by)
                }
            }
        };
    }
    weigh!(f32);
    weigh!(f64);

    #[kernel(instances(T = [f32, f64]))]
    pub fn weights<T: Weigh>(x: &[T], out: &mut [T]) {
        let i = global_idx().x;
        if i < out.len() {
            out[i] = x[i].weigh();
        }
    }
}

/// A closure captures what the same macro declares: both have the macro's hygiene, in the copy for the host, too.
#[test]
fn closures_of_a_macro_capture_its_variables() -> Result<()> {
    let gpu = Gpu::new()?;
    let x = gpu.upload(&[1.0f32, 3.0])?;
    let mut out = gpu.zeros::<f32>(2)?;
    by_macro::weights::<f32>(&x, &mut out).over(2).run()?;
    assert_eq!(out.to_vec()?, [1.0, 0.375]);
    let mut out = [0.0f64; 2];
    by_macro::weights::cpu::<f64>(&[1.0, 3.0], &mut out).over(2).run()?;
    assert_eq!(out, [1.0, 0.375]);
    Ok(())
}

#[kernel_module]
mod by_associated_types {
    use kernel_runtime::prelude::*;

    pub trait Fold {
        type Item: Copy;
        type Output;
        fn fold(items: &[Self::Item]) -> Self::Output;
    }

    pub struct Count;
    impl Fold for Count {
        type Item = u8;
        type Output = u32;
        fn fold(items: &[u8]) -> u32 {
            items.iter().filter(|&&item| item != 0).count() as u32
        }
    }

    pub struct Mean<const SCALE: u32>;
    impl<const SCALE: u32> Fold for Mean<SCALE> {
        type Item = f32;
        type Output = f64;
        fn fold(items: &[f32]) -> f64 {
            items.iter().sum::<f32>() as f64 / items.len() as f64 * SCALE as f64
        }
    }

    /// The types of the elements are those of the instance; the type itself is no data.
    #[kernel(instances(F = [Count, Mean<2>]))]
    pub fn fold_rows<F: Fold>(columns: usize, x: &[F::Item], out: &mut [<F as Fold>::Output]) {
        let row = global_idx().x;
        if row < out.len() {
            out[row] = F::fold(&x[row * columns..(row + 1) * columns]);
        }
    }
}

#[test]
fn parameters_of_associated_types() -> Result<()> {
    use by_associated_types::{Count, Mean, fold_rows};
    let gpu = Gpu::new()?;
    let x = gpu.upload(&[3u8, 0, 1, 1])?;
    let mut out = gpu.zeros::<u32>(2)?;
    fold_rows::<Count>(2, &x, &mut out).over(2).run()?;
    assert_eq!(out.to_vec()?, [1, 2]);
    let mut out = [0.0f64; 2];
    fold_rows::cpu::<Mean<2>>(2, &[1.0, 2.0, 3.0, 5.0], &mut out).over(2).run()?;
    assert_eq!(out, [3.0, 8.0]);
    Ok(())
}

/// A library whose type has two ways to it.
#[device_library]
mod units {
    pub mod length {
        use kernel_runtime::prelude::*;

        #[derive(Clone, Copy, Debug, PartialEq, Element)]
        #[repr(C)]
        pub struct Metres(pub f32);
    }
    pub mod named {
        pub use super::length::Metres;

        pub fn twice(Metres(length): Metres) -> Metres {
            Metres(2.0 * length)
        }
    }
}

#[kernel_module(link(units))]
mod renamed {
    use super::units::named::{self, Metres as Length};
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn twice(x: &mut [Length]) {
        let i = global_idx().x;
        if i < x.len() {
            x[i] = named::twice(x[i]);
        }
    }
}

#[test]
fn types_of_a_library_by_other_names() {
    use units::length::Metres;
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&[Metres(1.0), Metres(2.5)]).unwrap();
    renamed::twice(&mut x).over(2).run().unwrap();
    assert_eq!(x.to_vec().unwrap(), [Metres(2.0), Metres(5.0)]);
}

/// A library that is built on another.
#[device_library(link(waves))]
mod sums {
    use super::waves::{self, triangle};

    pub trait Series {
        const TERMS: u32;
        fn term(k: u32, x: f32) -> f32;
        fn sum(x: f32) -> f32 {
            (1..=Self::TERMS).map(|k| Self::term(k, x)).sum()
        }
    }

    pub struct Triangles;
    impl Series for Triangles {
        const TERMS: u32 = 3;
        fn term(k: u32, x: f32) -> f32 {
            triangle(x * k as f32) / k as f32
        }
    }

    pub fn doubled(x: f32) -> f32 {
        waves::twice(|v| v + v, x)
    }
}

#[kernel_module(link(waves, sums))]
mod on_both {
    use super::sums::{self, Series, Triangles};
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn series(x: &mut [f32]) {
        let i = global_idx().x;
        if i < x.len() {
            x[i] = Triangles::sum(x[i]) + sums::doubled(x[i]) + super::waves::triangle(0.25);
        }
    }
}

#[test]
fn a_library_is_built_on_another() {
    use sums::Series;
    let data: Vec<f32> = (0..20).map(|k| k as f32 * 0.375).collect();
    let expected: Vec<f32> = data.iter().map(|&x| sums::Triangles::sum(x) + 4.0 * x + 0.5).collect();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&data).unwrap();
    on_both::series(&mut x).over(20).run().unwrap();
    assert_eq!(x.to_vec().unwrap(), expected);
    let mut x = data;
    on_both::series::cpu(&mut x).over(20).run().unwrap();
    assert_eq!(x, expected);
}

#[kernel_module]
mod nested {
    pub mod shapes {
        pub use self::disc::Disc;
        pub mod disc {
            use crate::nested::traits::*;

            #[derive(Clone, Copy)]
            pub struct Disc(pub f32);
            impl Area for Disc {
                const SIDES: u32 = 0;
                fn area(&self) -> f32 {
                    crate::nested::sizes::TABLE[2] * self.0 * self.0
                }
            }
        }
        pub mod square {
            use super::super::traits::{Area, Sized as Bounded};

            #[derive(Clone, Copy)]
            pub struct Square(pub f32);
            impl Area for Square {
                fn area(&self) -> f32 {
                    self.0 * self.0
                }
            }
            impl super::super::traits::Sized for Square {
                fn side(&self) -> f32 {
                    self.0
                }
            }
            pub fn twice(square: Square) -> f32 {
                2.0 * square.side() + Bounded::side(&square)
            }
        }
    }

    /// Of the same name as a trait in another module.
    pub mod others {
        pub trait Area {
            fn edge(&self) -> f32;
        }
        impl Area for f32 {
            fn edge(&self) -> f32 {
                *self + 1.0
            }
        }
    }

    pub mod traits {
        pub trait Area {
            const SIDES: u32 = 4;
            fn area(&self) -> f32;
            fn tagged(&self) -> f32 {
                self.area() + Self::SIDES as f32 * 1000.0
            }
        }
        pub trait Sized {
            fn side(&self) -> f32;
        }
    }

    mod sizes {
        pub const TABLE: [f32; 4] = super::scales::ramp(0.5);
    }
    mod scales {
        pub const fn ramp(step: f32) -> [f32; 4] {
            [0.0, step, step * 2.0, step * 3.0]
        }
        pub fn scaled(x: f32) -> f32 {
            x * 4.0
        }
        pub fn halved(x: f32) -> f32 {
            x * 0.5
        }
    }

    use kernel_runtime::prelude::*;

    fn both(x: f32) -> f32 {
        use scales::*;
        let one = scaled(x);
        if one > 10.0 {
            use self::scales::halved as smaller;
            return smaller(one);
        }
        crate::nested::scales::halved(one) + 0.25
    }

    #[kernel]
    pub fn areas(x: &mut [f32]) {
        use crate::nested::others::Area as _;
        use shapes::{Disc, square};
        use traits::Area;
        let i = global_idx().x;
        if i < x.len() {
            let area = match i % 3 {
                0 => Disc(x[i]).tagged(),
                1 => square::Square(x[i]).tagged() + square::twice(square::Square(x[i])),
                _ => x[i].edge(),
            };
            x[i] = area + both(x[i]);
        }
    }

    pub fn expected(i: usize, x: f32) -> f32 {
        let area = match i % 3 {
            0 => x * x,
            1 => x * x + 4000.0 + 3.0 * x,
            _ => x + 1.0,
        };
        area + if 4.0 * x > 10.0 { 2.0 * x } else { 2.0 * x + 0.25 }
    }
}

#[test]
fn modules_in_any_order_by_paths_from_the_root() {
    let data: Vec<f32> = (0..20).map(|k| k as f32 * 0.5).collect();
    let expected: Vec<f32> = data.iter().enumerate().map(|(i, &x)| nested::expected(i, x)).collect();
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&data).unwrap();
    nested::areas(&mut x).over(20).run().unwrap();
    assert_eq!(x.to_vec().unwrap(), expected);
    let mut x = data;
    nested::areas::cpu(&mut x).over(20).run().unwrap();
    assert_eq!(x, expected);
}

/// Traits that share a name, and a function with the name of the module.
#[kernel_module]
mod namesakes {
    pub mod a {
        pub trait Area {
            fn area(&self) -> f32 {
                1.0
            }
        }
    }
    pub mod b {
        pub trait Area {
            fn area(&self) -> f32 {
                20.0
            }
        }
        pub trait Add {
            fn add(self, by: f32) -> f32;
        }
        pub fn into(v: usize) -> f32 {
            v as f32 * 0.5
        }
    }

    use a::Area as Shape;
    use core::ops::Add;
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy)]
    pub struct Disc(f32);
    impl Shape for Disc {}
    impl b::Area for Disc {}
    impl Add for Disc {
        type Output = f32;
        fn add(self, other: Disc) -> f32 {
            self.0 + other.0
        }
    }
    impl b::Add for Disc {
        fn add(self, by: f32) -> f32 {
            self.0 * 1000.0 + by
        }
    }

    fn by_bound<T: b::Area>(shape: &T) -> f32 {
        T::area(shape)
    }

    fn with_a(x: f32) -> f32 {
        use a::Area;
        struct Local(f32);
        impl Area for Local {}
        let local = Local(x);
        local.area() + local.0
    }

    fn with_b(x: f32) -> f32 {
        use b::Area;
        struct Local(f32);
        impl Area for Local {}
        let local = Local(x);
        local.area() + local.0
    }

    pub fn namesakes(x: f32) -> f32 {
        x + 4000.0
    }

    #[kernel]
    pub fn values(out: &mut [f32]) {
        let i = global_idx().x;
        if i < out.len() {
            let (x, disc) = (out[i], Disc(out[i]));
            out[i] = match i {
                0 => <Disc as a::Area>::area(&disc),
                1 => <Disc as b::Area>::area(&disc),
                2 => Shape::area(&disc),
                3 => by_bound(&disc),
                4 => with_a(x),
                5 => with_b(x),
                6 => disc + disc,
                7 => b::Add::add(disc, 1.0),
                8 => Some(i).map_or(0.0, b::into),
                _ => crate::namesakes::namesakes(x),
            };
        }
    }
}

#[test]
fn traits_of_one_name() {
    let data = [2.0f32; 10];
    let expected = [1.0, 20.0, 1.0, 20.0, 3.0, 22.0, 4.0, 2001.0, 4.0, 4002.0];
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.upload(&data).unwrap();
    namesakes::values(&mut x).over(10).run().unwrap();
    assert_eq!(x.to_vec().unwrap(), expected);
    let mut x = data;
    namesakes::values::cpu(&mut x).over(10).run().unwrap();
    assert_eq!(x, expected);
}
