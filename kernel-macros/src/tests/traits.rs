//! Traits that share a name, and functions of traits by their paths: which of several is meant.

use expect_test::expect;

use super::{analyzed, check_body_error, check_error, errors_in};

/// The values of the functions that a kernel calls, by the text of its typed tree.
#[track_caller]
fn calls(source: &str, expected: &[&str], others: &[&str]) {
    let kernels = analyzed(source).unwrap_or_else(|errors| panic!("{}", errors_in(source, &errors)));
    let tree: String = kernels.iter().map(super::print::kernel).collect();
    for value in expected {
        assert!(tree.contains(value), "expected {value} in\n{tree}");
    }
    for value in others {
        assert!(!tree.contains(value), "expected no {value} in\n{tree}");
    }
}

#[track_caller]
fn in_module(items: &str, value: &str, expected: &[&str], others: &[&str]) {
    let areas = "mod a { pub trait Area { fn area(&self) -> f32 { 11.0 } } }
        mod b { pub trait Area { fn area(&self) -> f32 { 22.0 } } }";
    let source = format!(
        "mod m {{ {areas} pub struct S; {items} #[kernel] fn k(y: &mut [f32]) {{ y[0] = {value}; }} }}"
    );
    calls(&source, expected, others);
}

#[test]
fn traits_of_one_name() {
    in_module("use a::Area as Shape; impl Shape for S {}", "S.area()", &["11"], &["22"]);
    in_module("use b::Area as Shape; impl Shape for S {}", "S.area()", &["22"], &["11"]);
    in_module("use a::Area; impl b::Area for S {}", "<S as b::Area>::area(&S)", &["22"], &["11"]);
    let both = "impl a::Area for S {} impl b::Area for S {}";
    in_module(both, "<S as a::Area>::area(&S)", &["11"], &["22"]);
    in_module(both, "<S as b::Area>::area(&S)", &["22"], &["11"]);
    in_module(both, "b::Area::area(&S)", &["22"], &["11"]);
    let bound = format!("{both} fn of<T: b::Area>(v: &T) -> f32 {{ T::area(v) }}");
    in_module(&bound, "of(&S)", &["22"], &["11"]);
    in_module(
        "mod x { pub mod shapes { pub use super::super::b::Area; } } use x::*; impl shapes::Area for S {}",
        "b::Area::area(&S)",
        &["22"],
        &["11"],
    );
    // A `use` counts in its body.
    let bodies = "fn one() -> f32 { use a::Area; struct L; impl Area for L {} L.area() }
        fn two() -> f32 { use b::Area; struct L; impl Area for L {} L.area() }";
    in_module(bodies, "two()", &["22"], &["11"]);
    in_module(bodies, "one()", &["11"], &["22"]);
}

/// A call by a dot of a type with two traits says neither.
#[test]
fn methods_of_two_traits_of_one_name() {
    check_error(
        "mod m { mod a { pub trait Area { fn area(&self) -> f32; } } mod b { pub trait Area { fn area(&self) -> f32; } }
        struct S; impl a::Area for S { fn area(&self) -> f32 { 1.0 } } impl b::Area for S { fn area(&self) -> f32 { 2.0 } }
        fn of<T: b::Area>(v: &T) -> f32 { v.area() }
        #[kernel] fn k(y: &mut [f32]) { y[0] = of(&S); } }",
        expect![[r#"
            3:43 `v.area()`: expected one `area` of `S`, found that of `Area` and that of another `impl`
            help: give the one of `Area` another name"#]],
    );
}

#[test]
fn traits_beside_those_of_operators() {
    let items = "mod own { pub trait Add { fn add(self, o: f32) -> f32 where Self: Sized { 22.0 } } }
        use core::ops::Add; #[derive(Clone, Copy)] struct V(f32);
        impl Add for V { type Output = f32; fn add(self, o: V) -> f32 { 11.0 } } impl own::Add for V {}";
    let source =
        |value: &str| format!("mod m {{ {items} #[kernel] fn k(y: &mut [f32]) {{ y[0] = {value}; }} }}");
    calls(&source("V(1.0) + V(2.0)"), &["11"], &["22"]);
    calls(&source("<V as own::Add>::add(V(1.0), 5.0)"), &["22"], &["11"]);
}

/// A bound by a trait of the standard library is not one by a trait of that name.
#[test]
fn bounds_of_standard_traits() {
    check_error(
        "mod m { mod own { pub trait Sum { fn sum(&self) -> f32; } pub struct Vec3(pub f32); impl Sum for Vec3 { fn sum(&self) -> f32 { self.0 } } }
        fn all<T: core::iter::Sum<T> + Copy>(v: &[T]) -> T { v.iter().copied().sum() }
        #[kernel] fn k(x: &[f32], y: &mut [f32]) { y[0] = all(x) + own::Sum::sum(&own::Vec3(1.0)); } }",
        expect![["accepted"]],
    );
}

/// `Ord::max(a, b)` is not the type's own `max`.
#[test]
fn standard_functions_beside_own_methods() {
    let type_with = "use core::cmp::Ordering; #[derive(Clone, Copy, PartialEq, Eq)] struct V(i32);
        impl PartialOrd for V { fn partial_cmp(&self, o: &V) -> Option<Ordering> { Some(Ord::cmp(self, o)) } }
        impl Ord for V { fn cmp(&self, o: &V) -> Ordering { self.0.cmp(&o.0) } fn max(self, o: V) -> V { V(11) } }
        impl V { fn max(self, o: V) -> V { V(22) } fn cmp(&self, o: &V) -> Ordering { V(33).0.cmp(&o.0) } }";
    let source = |value: &str| format!("fn k(y: &mut [i32]) {{ {type_with} y[0] = {value}; }}");
    calls(&source("Ord::max(V(1), V(2)).0"), &["11"], &["22"]);
    calls(&source("V(1).max(V(2)).0"), &["22"], &["11"]);
    calls(&source("Ord::cmp(&V(1), &V(2)) as i32"), &[], &["33"]);
    calls(&source("V(1).cmp(&V(2)) as i32"), &["33"], &[]);
    calls(&source("{ let mut v = [V(1), V(2)]; v.sort_by(Ord::cmp); v[0].0 }"), &[], &["33"]);
    calls(&source("Some(V(1)).map_or(0, |v| core::cmp::Ord::max(v, V(3)).0)"), &["11"], &["22"]);
}

/// `units::into` is the function of a module, `Celsius::into` that of a trait.
#[test]
fn functions_called_into() {
    calls(
        "mod m { mod units { pub fn into(v: i32) -> f64 { 11.0 } }
        #[kernel] fn k(y: &mut [f64], n: i32) { y[0] = Some(n).map_or(0.0, units::into); } }",
        &["11"],
        &[],
    );
    let own =
        "use core::convert::Into; struct C(f32); impl From<C> for f32 { fn from(c: C) -> f32 { 11.0 } }";
    for path in ["C::into", "Into::into"] {
        calls(
            &format!("fn k(y: &mut [f32]) {{ {own} y[0] = Some(C(1.0)).map_or(0.0, {path}); }}"),
            &["11"],
            &[],
        );
    }
}

/// `T::from(4)` of a trait of one's own, whose parameter decides the literal.
#[test]
fn literals_for_own_conversions() {
    calls(
        "fn k(y: &mut [f32]) { trait Unit { fn from(v: i32) -> Self; } impl Unit for f32 { fn from(v: i32) -> f32 { v as f32 * 0.5 } }
        fn u<T: Unit>() -> T { T::from(4) } y[0] = u(); }",
        &["0.5"],
        &[],
    );
    let both = "trait Unit { fn from(v: i32) -> Self; } #[derive(Clone, Copy)] struct S(f32);
        impl From<i32> for S { fn from(v: i32) -> S { S(22.0) } } impl Unit for S { fn from(v: i32) -> S { S(11.0) } }
        impl Unit for f32 { fn from(v: i32) -> f32 { 33.0 } }
        fn unit<T: Unit>() -> T { T::from(4) } fn exact<T: From<u8>>() -> T { T::from(4) }
        fn qualified<T: Unit + From<i32>>() -> T { <T as From<i32>>::from(4) }";
    let source = |value: &str| format!("fn k(y: &mut [f32]) {{ {both} y[0] = {value}; }}");
    calls(&source("unit::<S>().0"), &["11"], &["22"]);
    calls(&source("qualified::<S>().0"), &["22"], &["11"]);
    calls(&source("exact::<f32>()"), &[], &["33"]);
}

/// The arguments of a trait in a qualified path say which impl gives the associated type.
#[test]
fn associated_types_by_arguments() {
    check_body_error(
        "use core::ops::Mul; #[derive(Clone, Copy)] struct At(f32);
        impl Mul<i32> for At { type Output = u8; fn mul(self, o: i32) -> u8 { 1 } } impl Mul<f32> for At { type Output = f32; fn mul(self, o: f32) -> f32 { o } }
        fn scaled<I: Iterator>(it: &mut I, by: f32) -> Option<<I::Item as Mul<f32>>::Output> where I::Item: Mul<f32> { Some(it.next()? * by) }
        y[0] = scaled(&mut x.iter().map(|v| At(*v)), a).unwrap_or(0.0);",
        expect![["accepted"]],
    );
}

/// Lanes of shuffles whose type is known by what follows.
#[test]
fn lanes_that_are_decided_later() {
    check_body_error(
        "let up = |v: f32, d| warp::shfl_up(v, d); y[0] = up(a, warp::lane_id());",
        expect![["accepted"]],
    );
    check_body_error(
        "let d = 1; y[0] = warp::shfl_up(a, d); let e: i32 = d; y[1] = e as f32;",
        expect![["accepted"]],
    );
    check_body_error(
        "let d = 1; y[0] = warp::shfl_up(a, d); let e: u8 = d; y[1] = e as f32;",
        expect![[r#"
        2:36 `d`: expected `u32`, found `u8`
        help: convert with `as u32`"#]],
    );
    check_body_error(
        "y[0] = warp::shfl_up(a, 1.0);",
        expect![[r#"
        2:25 `1.0`: expected `u32`, found a float
        help: write `1`"#]],
    );
}

/// The module's own name in paths from the root of the crate, beside a function of that name.
#[test]
fn functions_with_the_name_of_the_module() {
    calls(
        "mod blur { #[device] pub fn blur(v: f32) -> f32 { v * 11.0 } pub mod inner { #[device] pub fn twice(v: f32) -> f32 { crate::blur::blur(v) } }
        #[kernel] fn k(y: &mut [f32]) { y[0] = inner::twice(crate::blur::blur(1.0)) + crate::filters::blur::blur(2.0); } }",
        &["11"],
        &[],
    );
}

/// A type's own methods by reference beside those by value: those of `Iterator` and of an `Ord` are meant, of a generic type it is open.
#[test]
fn own_methods_by_reference_beside_those_by_value() {
    let kernel = |methods: &str, value: &str| {
        format!(
            "#[kernel] fn k(y: &mut [f32]) {{ #[derive(Clone, Copy, PartialEq, PartialOrd)] struct S(f32); impl S {{ {methods} }} y[0] = {value}; }}"
        )
    };
    // No `Ord`: the type's own.
    calls(&kernel("fn max(&self, other: S) -> f32 { other.0 * 11.0 }", "S(1.0).max(S(2.0))"), &["11"], &[]);
    let ordered = |derives: &str, order: &str| {
        format!(
            "#[kernel] fn k(y: &mut [f32]) {{ #[derive(Clone, Copy, PartialEq, Eq, {derives})] struct S(i32); {order}
            impl S {{ fn max(&self, other: S) -> S {{ S(other.0 * 11) }} }} y[0] = S(1).max(S(y.len() as i32)).0 as f32; }}"
        )
    };
    calls(&ordered("PartialOrd, Ord", ""), &[], &["11"]);
    calls(
        &ordered(
            "Debug",
            "impl PartialOrd for S { fn partial_cmp(&self, o: &S) -> Option<core::cmp::Ordering> { Some(self.cmp(o)) } }
            impl Ord for S { fn cmp(&self, o: &S) -> core::cmp::Ordering { o.0.cmp(&self.0) } }",
        ),
        &[],
        &["11"],
    );
    check_error(
        "#[kernel] fn k(y: &mut [f32]) { #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)] struct S<T>(T);
        impl<T: Copy> S<T> { fn max(&self, other: S<T>) -> S<T> { other } } y[0] = S(1).max(S(2)).0 as f32; }",
        expect![[r#"
            2:89 `max`: expected one `max` of `S<_>`, found one by reference and that of its order, which takes the value where the type's arguments are `Ord`
            help: give yours another name"#]],
    );
    calls(&kernel("fn max(&self, by: f32) -> f32 { by * 11.0 }", "S(1.0).max(2.0)"), &["11"], &[]);
    calls(&kernel("fn max(self, other: S) -> f32 { other.0 * 11.0 }", "S(1.0).max(S(2.0))"), &["11"], &[]);
}
