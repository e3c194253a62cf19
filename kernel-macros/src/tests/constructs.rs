//! Typed trees of the language's constructs besides scalars and loops: items, aggregates, references, patterns, closures,
//! iterators.

use super::{check, check_body, check_body_error, check_error};
use expect_test::expect;

#[test]
fn functions_and_generics() {
    check_body(
        "fn twice<T: Number>(v: T) -> T { v + v } y[0] = twice(a) + twice(u) as f32 + twice::<f32>(1.0);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                y[0usize] = Add.f32(Add.f32(twice(a), (twice(u): u32 as f32)), twice(1.0f32));
            }
            fn twice(v: f32) -> f32 {
                Add.f32(v, v)
            }
            fn twice(v: u32) -> u32 {
                Add.u32(v, v)
            }"#]],
    );
    check_body(
        "fn sum<const N: usize>(v: [f32; N]) -> f32 { let mut s = 0.0; for i in 0..N { s += v[i]; } s } y[0] = sum([a; 3]) + sum([1.0, a]);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                y[0usize] = Add.f32(sum([f32; 3][a; _]), sum([1.0f32, a]));
            }
            fn sum(v: [f32; 3]) -> f32 {
                let mut s: f32 = 0.0f32;
                #0: for i: usize in (0usize..3usize) {
                    s Add= v[i];
                };
                s
            }
            fn sum(v: [f32; 2]) -> f32 {
                let mut s: f32 = 0.0f32;
                #0: for i: usize in (0usize..2usize) {
                    s Add= v[i];
                };
                s
            }"#]],
    );
    check_body(
        "fn zero<T: Number>() -> T { T::ZERO } let v: u8 = zero(); y[0] = zero::<f32>();",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let v: u8 = zero();
            y[0usize] = zero();
        }
        fn zero() -> u8 {
            0u8
        }
        fn zero() -> f32 {
            0.0f32
        }"#]],
    );
}

#[test]
fn structs_and_operators() {
    check_body(
        "#[derive(Clone, Copy, PartialEq, Default)] struct V { x: f32, y: f32 }
         impl V { const ONE: V = V { x: 1.0, y: 1.0 }; fn new(x: f32, y: f32) -> Self { Self { x, y } } fn dot(&self, o: V) -> f32 { self.x * o.x + self.y * o.y } fn grow(&mut self) { self.x *= 2.0; } }
         impl core::ops::Add for V { type Output = V; fn add(self, o: V) -> V { V::new(self.x + o.x, self.y + o.y) } }
         impl core::ops::Mul<f32> for V { type Output = V; fn mul(self, s: f32) -> V { V { x: self.x * s, ..self } } }
         impl core::ops::AddAssign for V { fn add_assign(&mut self, o: V) { self.x += o.x; } }
         let mut v = V::new(a, 2.0) + V::ONE * 3.0; v += V::default(); v.grow(); let r = &v;
         if v == V::ONE { y[0] = r.dot(v); }",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                const ONE: V = [1.0f32, 1.0f32];
                let mut v: V = add(new(a, 2.0f32), mul(ONE, 3.0f32));
                add_assign(&mut v, V { 0: 0.0f32, 1: 0.0f32 });
                grow(&mut v);
                let r: &V = &v;
                if.() Eq.V(v, ONE) {
                    y[0usize] = dot(r, v);
                }
            }
            fn new(x: f32, y: f32) -> V {
                V { 0: x, 1: y }
            }
            fn mul(self: V, s: f32) -> V {
                V { 0: Mul.f32(self.0, s), ..self }
            }
            fn add(self: V, o: V) -> V {
                new(Add.f32(self.0, o.0), Add.f32(self.1, o.1))
            }
            fn add_assign(self: &mut V, o: V) {
                *self.0 Add= o.0;
            }
            fn grow(self: &mut V) {
                *self.0 Mul= 2.0f32;
            }
            fn dot(self: &V, o: V) -> f32 {
                Add.f32(Mul.f32(*self.0, o.0), Mul.f32(*self.1, o.1))
            }"#]],
    );
    check_body(
        "struct P<T> { v: T } impl<T: Number> P<T> { fn get(&self) -> T { self.v } } let p = P { v: 3u32 }; y[0] = p.get() as f32 + P { v: a }.get();",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let p#7: P<u32> = P<u32> { 0: 3u32 };
                y[0usize] = Add.f32((get(&p#7): u32 as f32), get(&P<f32> { 0: a }));
            }
            fn get(self: &P<u32>) -> u32 {
                *self.0
            }
            fn get(self: &P<f32>) -> f32 {
                *self.0
            }"#]],
    );
}

#[test]
fn references_and_slices() {
    check_body(
        "let mut v = [a; 4]; let r = &mut v; r[1] = 2.0; let s = &v[1..3]; let t: &[f32] = &v; y[0] = s[0] + t.len() as f32 + x[n..].len() as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let mut v: [f32; 4] = [f32; 4][a; _];
                let r: &mut [f32; 4] = &mut v;
                *r[1usize] = 2.0f32;
                let s: &[f32] = &(&v as &[f32])[1usize..3usize];
                let t: &[f32] = (&v as &[f32]);
                y[0usize] = Add.f32(Add.f32(s[0usize], (Len(t) -> usize: usize as f32)), (Len(&x[n..]) -> usize: usize as f32));
            }"#]],
    );
    check_body(
        "fn set(v: &mut f32, w: &[f32]) { *v = w[0]; } let mut m = a; set(&mut m, &[1.0, a]); set(&mut y[3], x);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let mut m: f32 = a;
                set(&mut m, (&[1.0f32, a] as &[f32]));
                set(&mut y[3usize], x);
            }
            fn set(v: &mut f32, w: &[f32]) {
                *v = w[0usize];
            }"#]],
    );
}

#[test]
fn patterns() {
    check_body(
        "let (b, [c, .., d]) = (u, [1u32, 2, 3]); let v = match (b, p) { (0..=9, true) => c, (_, false) if d > 1 => 2, (n, _) => n }; y[0] = v as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let {0: b: u32, 1: {0: c: u32, 2: d: u32}} = (u, [1u32, 2u32, 3u32]);
                let v: u32 = match.u32 (b, p) {
                    {0: 0u32..=9u32, 1: true} => c,
                    {0: _, 1: false} if Gt.u32(d, 1u32) => 2u32,
                    {0: n#11: u32, 1: _} => n#11,
                };
                y[0usize] = (v: u32 as f32);
            }"#]],
    );
    check_body(
        "let o = if p { Some(u) } else { None }; if let Some(v @ 1..) = o && v < 9 { y[0] = v as f32; } let Some(w) = o else { return }; while let Some(0 | 5) = o { break; }",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let o: Option<u32> = if.Option<u32> p {
                    Some(u)
                } else {
                    None.Option<u32>
                };
                if.() ((let Some(v: u32 @ 1u32..) = o) && Lt.u32(v, 9u32)) {
                    y[0usize] = (v: u32 as f32);
                };
                let Some(w: u32) = o else {
                    return
                };
                #0: while (let Some(0u32 | 5u32) = o) {
                    break #0;
                }
            }"#]],
    );
    check_body(
        "#[derive(Clone, Copy)] #[repr(u8)] enum E { A, B = 7, C } let e = if p { E::B } else { E::C }; y[0] = match e { E::A => 1.0, E::B | E::C => e as u8 as f32 };",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let e: E = if.E p {
                    E#1
                } else {
                    E#2
                };
                y[0usize] = match.f32 e {
                    0u8 => 1.0f32,
                    7u8 | 8u8 => ((e: E as u8): u8 as f32),
                };
            }"#]],
    );
    check_body(
        "let t = &(a, u); let (b, c) = t; let &(d, _) = t; y[0] = *b + d + *c as f32;",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let t: &(f32, u32) = &(a, u);
            let &{0: ref b: &f32, 1: ref c: &u32} = t;
            let &{0: d: f32, 1: _} = t;
            y[0usize] = Add.f32(Add.f32(*b, d), (*c: u32 as f32));
        }"#]],
    );
    check_body(
        "let (mut b, mut c) = (a, u); (b, c) = (2.0, 3); (b, _) = (b, c); [b, y[0]] = [1.0, b];",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let {0: mut b: f32, 1: mut c: u32} = (a, u);
            let {0: part#9: f32, 1: part#10: u32} = (2.0f32, 3u32);
            b = part#9;
            c = part#10;
            let {0: part#11: f32, 1: _} = (b, c);
            b = part#11;
            let {0: part#12: f32, 1: part#13: f32} = [1.0f32, b];
            b = part#12;
            y[0usize] = part#13;
        }"#]],
    );
}

#[test]
fn closures() {
    check_body(
        "let scale = |v: f32| v * a; let add = |v, w| v + w; y[0] = add(scale(2.0), 1.0); fn apply<F: Fn(f32) -> f32>(f: F, v: f32) -> f32 { f(v) } y[1] = apply(scale, 3.0) + apply(|v| v + a, 1.0);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let scale: closure 0.0 = |v#8: f32| Mul.f32(v#8, a);
                let add: closure 0.1 = |v#10: f32, w: f32| Add.f32(v#10, w);
                y[0usize] = (add)((scale)(2.0f32), 1.0f32);
                y[1usize] = Add.f32(apply(scale, 3.0f32), apply(|v#12: f32| Add.f32(v#12, a), 1.0f32));
            }
            fn apply(f: closure 0.0, v: f32) -> f32 {
                (f)(v)
            }
            fn apply(f: closure 0.2, v: f32) -> f32 {
                (f)(v)
            }"#]],
    );
}

#[test]
fn iterators() {
    check_body(
        "for (i, v) in x.iter().enumerate() { y[i] = *v; } for (v, w) in y.iter_mut().zip(x) { *v += *w; }
         let s: f32 = x.iter().map(|v| v * 2.0).sum(); let m = (0..n).filter(|i| i % 2 == 0).fold(0, |s, i| s + i); let c = x.chunks_exact(4).any(|c| c[0] > s);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                #0: for {0: i#7: usize, 1: v#8: &f32} in x.iter().enumerate() {
                    y[i#7] = *v#8;
                };
                #1: for {0: v#9: &mut f32, 1: w: &f32} in y.iter().zip(x.iter()) {
                    *v#9 Add= *w;
                };
                let s#11: f32 = x.iter().map(|v#12: &f32| Mul.f32(*v#12, 2.0f32)).sum();
                let m: usize = (0usize..n).filter(|i#14: &usize| Eq.usize(Rem.usize(*i#14, 2usize), 0usize)).fold(0usize, |s#15: usize, i#16: usize| Add.usize(s#15, i#16));
                let c#17: bool = x.chunks_exact(4usize).any(|c#18: &[f32]| Gt.f32(c#18[0usize], s#11));
            }"#]],
    );
}

#[test]
fn vectors() {
    check_body(
        "let v = F32x4::load(x, n) * 2.0 + F32x4::splat(a); v.store(y, n); y[0] = v.x + v[1] + v.sum(); let mut w = F32x2::new(a, 1.0); w.y = 3.0;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let v: F32x4 = Add.F32x4(Mul.F32x4(VectorLoad(x, n) -> F32x4, VectorSplat(2.0f32) -> F32x4), VectorSplat(a) -> F32x4);
                VectorStore(v, y, n) -> ();
                y[0usize] = Add.f32(Add.f32(v.0, v[1usize]), VectorSum(v) -> f32);
                let mut w: F32x2 = VectorNew(a, 1.0f32) -> F32x2;
                w.1 = 3.0f32;
            }"#]],
    );
}

#[test]
fn half_precision() {
    check_body(
        "let h = f16::from_f32(a); let g = h * h + f16::ONE; y[0] = g.to_f32() + bf16::from_f32(a).to_f32();",
        expect![[r#"
        fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
            let h: f16 = (a: f32 as f16);
            let g: f16 = Add.f16(Mul.f16(h, h), 1.0f16);
            y[0usize] = Add.f32((g: f16 as f32), ((a: f32 as bf16): bf16 as f32));
        }"#]],
    );
}

#[test]
fn panics() {
    check_body(
        "assert!(n > 0, \"n is {n}\"); let o = Some(u); y[0] = o.expect(\"there is one\") as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                if.() Not(Gt.usize(n, 0usize)) {
                    panic("n is {n}", n);
                };
                let o: Option<u32> = Some(u);
                y[0usize] = (match.u32 o {
                    Some(value: u32) => value,
                    None => panic("there is one", ),
                }: u32 as f32);
            }"#]],
    );
}

#[test]
fn constants_by_functions() {
    check_body(
        "const fn fib(n: u32) -> u32 { let mut a = 0; let mut b = 1; let mut i = 0; while i < n { let c = a + b; a = b; b = c; i += 1; } a }
         const F: u32 = fib(10); const T: [u32; 3] = [F, fib(3), { let mut s = 0; let mut i = 0; while i < 4 { s += i; i += 1; } s }]; const P: (f32, Option<u8>) = (1.5, Some(3));
         let v = [0u8; F as usize]; y[0] = T[u as usize] as f32 + P.0 + v[0] as f32;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                const T: [u32; 3] = [55u32, 2u32, 6u32];
                const P: (f32, Option<u8>) = [1.5f32, Some(3u8)];
                let v: [u8; 55] = [u8; 55][0u8; _];
                y[0usize] = Add.f32(Add.f32((T[(u: u32 as usize)]: u32 as f32), P.0), (v[0usize]: u8 as f32));
            }
            fn fib(n: u32) -> u32 {
                let mut a: u32 = 0u32;
                let mut b: u32 = 1u32;
                let mut i: u32 = 0u32;
                #0: while Lt.u32(i, n) {
                    let c: u32 = Add.u32(a, b);
                    a = b;
                    b = c;
                    i Add= 1u32;
                };
                a
            }"#]],
    );
}

#[test]
fn instances() {
    check(
        "#[kernel(instances(T = [f32, u32], N = [2]))] fn k<T: Number, const N: usize>(x: &[T], y: &mut [T]) { let mut s = T::ZERO; for i in 0..N { s += x[i]; } y[0] = s; }",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32]) {
                let mut s: f32 = 0.0f32;
                #0: for i: usize in (0usize..2usize) {
                    s Add= x[i];
                };
                y[0usize] = s;
            }
            fn k(x: &[u32], y: &mut [u32]) {
                let mut s: u32 = 0u32;
                #0: for i: usize in (0usize..2usize) {
                    s Add= x[i];
                };
                y[0usize] = s;
            }"#]],
    );
}

#[test]
fn orders() {
    check_body(
        "let o = u.cmp(&3); y[0] = match o { core::cmp::Ordering::Less => 1.0, _ => 2.0 }; let m = x.iter().max_by(|a, b| a.total_cmp(b)); let b = (u, a) < (3, 2.0);",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let o: Ordering = order_cmp(&u, &3u32);
                y[0usize] = match.f32 o {
                    -1i8 => 1.0f32,
                    _ => 2.0f32,
                };
                let m: Option<&f32> = x.iter().max_by(|a#9: &&f32, b#10: &&f32| total_cmp_f32(**a#9, &**b#10));
                let b#11: bool = Lt.(u32, f32)((u, a#2), (3u32, 2.0f32));
            }"#]],
    );
}

#[test]
fn computed_arguments_have_their_parameters_types() {
    check_error(
        "fn k(n: usize, y: &mut [f32]) {
            struct Row<const N: usize> { values: [f32; N] }
            impl<const N: usize> Row<N> { fn last(&self) -> usize { N - 1 } }
            let row = Row::<{ 2 * 4 }> { values: [0.0; 8] };
            y[row.last()] = row.values[n];
        }",
        expect!["accepted"],
    );
}

#[test]
fn patterns_on_the_place_of_a_slice_bind_values() {
    check_body(
        "fn sum(s: &[f32]) -> f32 { match *s { [] => 0.0, [a, b] => a + b, [a, ref rest @ ..] => a + rest.len() as f32 } } y[0] = sum(x);
         if let [a, b] = x[n..n + 2] { y[1] = a * b; } let &[a, b] = x else { return }; let r = &x; if let [c, ..] = *r { y[2] = *c; } y[3] = a + b;",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                y[0usize] = sum(x);
                if.() (let [a#7: f32, b#8: f32 |  | ] = &x[n..Add.usize(n, 2usize)]) {
                    y[1usize] = Mul.f32(a#7, b#8);
                };
                let [a#9: f32, b#10: f32 |  | ] = x else {
                    return
                };
                let r: &&[f32] = &x;
                if.() (let [ref c: &f32 | _ @ .. | ] = *r) {
                    y[2usize] = *c;
                };
                y[3usize] = Add.f32(a#9, b#10);
            }
            fn sum(s: &[f32]) -> f32 {
                match.f32 s {
                    [ |  | ] => 0.0f32,
                    [a#1: f32, b: f32 |  | ] => Add.f32(a#1, b),
                    [a#3: f32 | rest: &[f32] @ .. | ] => Add.f32(a#3, (Len(rest) -> usize: usize as f32)),
                }
            }"#]],
    );
    check_body_error(
        "if let [a, rest @ ..] = *x { y[0] = a + rest[0]; }",
        expect![[r#"
        2:12 `rest @ ..`: expected a reference to the rest of the slice, found its elements, whose number is not known
        help: write `ref` before the name"#]],
    );
    check_body_error(
        "if let &mut [a, b] = x { y[0] = a + b; }",
        expect![[r#"
        2:8 `&mut [a, b]`: expected a pattern for `&[f32]`, found one for a reference
        help: write `&` instead of `&mut`"#]],
    );
}

#[test]
fn a_field_of_an_associated_type_of_an_open_argument() {
    let items = "trait Model { type State: Copy; fn start(self) -> Self::State; }
         #[derive(Clone, Copy)] struct A; impl Model for A { type State = u8; fn start(self) -> u8 { 3 } }
         #[derive(Clone, Copy)] struct Run<M: Model> { state: M::State, model: M }
         #[derive(Clone, Copy)] struct Pair<M: Model>(M, M::State);
         #[derive(Clone, Copy)] enum Step<M: Model> { Done, At { state: M::State, model: M } }";
    check_body(
        &format!(
            "{items} let r = Run {{ state: 7, model: A }}; let q = Pair(A, 9); let s = Step::At {{ state: 1, model: A }};
             if let Step::At {{ state, .. }} = s {{ y[0] = (r.state + q.1 + state) as f32; }}"
        ),
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                let r: Run<A> = Run<A> { 0: 7u8, 1: A {  } };
                let q: Pair<A> = Pair<A> { 0: A {  }, 1: 9u8 };
                let s: Step<A> = Step<A> { 0: Step#1, 1: 1u8, 2: A {  } };
                if.() (let {0: true, 1: state: u8} = s) {
                    y[0usize] = (Add.u8(Add.u8(r.0, q.1), state): u8 as f32);
                }
            }"#]],
    );
    check_body_error(
        &format!("{items} let r = Run {{ state: 7.5, model: A }};"),
        expect![[r#"
        6:117 `7.5`: expected `u8`, found a float
        help: convert with `as u8`"#]],
    );
    check_body_error(
        &format!("{items} let q = Pair(A, true);"),
        expect![[r#"
        6:112 `true`: expected `u8`, found `bool`
        help: convert with `as u8`"#]],
    );
}

#[test]
fn literals_before_a_question_mark_fall_back() {
    check_body(
        "#[derive(Clone, Copy)] struct E(i64); impl From<i32> for E { fn from(code: i32) -> E { E(code as i64) } } impl From<u8> for E { fn from(code: u8) -> E { E(code as i64) } }
         #[derive(Clone, Copy)] struct F(u8); impl From<u8> for F { fn from(code: u8) -> F { F(code) } }
         fn first(o: Option<f32>) -> Result<f32, E> { Ok(o.ok_or(-3)?) } fn second(o: Option<f32>) -> Result<f32, F> { Ok(o.ok_or(3)?) }
         fn third(o: Option<f32>) -> Result<f32, i64> { Ok(o.ok_or(-3)?) }
         if let (Ok(v), Ok(w), Ok(u)) = (first(Some(a)), second(Some(a)), third(Some(a))) { y[0] = v + w + u; }",
        expect![[r#"
            fn k(x: &[f32], y: &mut [f32], a: f32, n: usize, k: i32, u: u32, p: bool) {
                if.() (let {0: {0: false, 1: v: f32}, 1: {0: false, 1: w: f32}, 2: {0: false, 1: u#9: f32}} = (first(Some(a)), second(Some(a)), third(Some(a)))) {
                    y[0usize] = Add.f32(Add.f32(v, w), u#9);
                }
            }
            fn first(o: Option<f32>) -> Result<f32, E> {
                Result<f32, E> { 0: Result#0, 1: match.f32 option_ok_or(o, Neg(3i32)) {
                    {0: false, 1: value#2: f32} => value#2,
                    {0: true, 2: error: i32} => return Result<f32, E> { 0: Result#1, 2: from(error) },
                } }
            }
            fn second(o: Option<f32>) -> Result<f32, F> {
                Result<f32, F> { 0: Result#0, 1: match.f32 option_ok_or(o, 3u8) {
                    {0: false, 1: value#2: f32} => value#2,
                    {0: true, 2: error: u8} => return Result<f32, F> { 0: Result#1, 2: from(error) },
                } }
            }
            fn third(o: Option<f32>) -> Result<f32, i64> {
                Result<f32, i64> { 0: Result#0, 1: match.f32 option_ok_or(o, Neg(3i32)) {
                    {0: false, 1: value#2: f32} => value#2,
                    {0: true, 2: error: i32} => return Result<f32, i64> { 0: Result#1, 2: (error: i32 as i64) },
                } }
            }
            fn from(code: i32) -> E {
                E { 0: (code: i32 as i64) }
            }
            fn from(code: u8) -> F {
                F { 0: code }
            }"#]],
    );
}

/// Asks for the length of a part, for which the array need not be mutable.
#[test]
fn lengths_of_parts_of_arrays() {
    check_body_error("let t = [1u32; 9]; y[t[n..].len()] = t[..n].len() as f32;", expect!["accepted"]);
    check_body_error(
        "let t = [[1u32; 9]; 2]; y[t[1][n..].len()] = y[n..].len() as f32;",
        expect!["accepted"],
    );
}
