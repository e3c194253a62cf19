//! The run copy of the language's constructs.

use expect_test::{Expect, expect};
use proc_macro2::{Ident, Span};

use super::instance;
use crate::analyze::analyze;
use crate::contract::contract;

/// The functions of a kernel in the copy, one statement a line.
#[track_caller]
fn check(params: &str, body: &str, expected: Expect) {
    let item = format!("fn k({params}) {{ {body} }}").parse().expect("the test's source has Rust's tokens");
    let analysis = analyze(Default::default(), item);
    assert!(
        analysis.errors.is_empty(),
        "{:?}",
        analysis.errors.iter().map(|error| &error.message).collect::<Vec<_>>()
    );
    let mut text = String::new();
    for mut kernel in analysis.kernels.into_iter().flat_map(|kernel| kernel.instances) {
        contract(&mut kernel);
        let tokens = instance(&kernel, &Ident::new("copy", Span::call_site())).to_string();
        let (_, functions) = tokens.split_once(":: prelude :: * ;").unwrap_or(("", &tokens));
        text += functions.trim().trim_end_matches('}').trim();
    }
    let text = text.replace(" :: ", "::").replace(" ; ", " ;\n").replace("} unsafe", "}\n\nunsafe");
    let text = text.replace("# [derive", "\n# [derive").replace(" . ", ".").replace("run::", "");
    // The entry only passes the arguments on.
    let shown = text.split("\n\n").filter(|part| !part.contains("fn entry"));
    expected.assert_eq(&shown.collect::<Vec<_>>().join("\n\n"));
}

#[test]
fn elements_are_places_behind_checked_pointers() {
    check(
        "x: &[f32], y: &mut [f32]",
        "let i = global_idx().x; y[i] = x[i]; y[i] += 1.0;",
        expect![[r#"
        unsafe fn f0_k (mut x : Slice < f32 > , mut y : Slice < f32 >) -> () { unsafe { { let mut i : usize = (global_idx ()).x ;
        (* y.at (i)) = (* x.at (i)) ;
        { let value : f32 = 1f32 ;
        let at = & raw mut (* y.at (i)) ;
        * at = (* at) + value ;
        } ;
        } } }"#]],
    );
}

/// The second `a` is the variable with the number 2.
#[test]
fn a_variable_called_as_a_numbered_one() {
    check(
        "y: &mut [u32]",
        "let a = 1u32; let a = a + 10; let a_2 = 100u32; y[0] = a + a_2;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < u32 >) -> () { unsafe { { let mut a_1 : u32 = 1u32 ;
            let mut a_2_ : u32 = a_1.wrapping_add (10u32) ;
            let mut a_2 : u32 = 100u32 ;
            (* y.at (0usize)) = a_2_.wrapping_add (a_2) ;
            } } }"#]],
    );
}

#[test]
fn integers_wrap_and_shifts_mask() {
    check(
        "y: &mut [i32], a: i32, b: u8",
        "y[0] = (a + 1) * -a << b; y[1] -= -128i8 as i32;",
        expect![[r#"
        unsafe fn f0_k (mut y : Slice < i32 > , mut a : i32 , mut b : u8) -> () { unsafe { { (* y.at (0usize)) = ((a.wrapping_add (1i32)).wrapping_mul ((a.wrapping_neg ()))).wrapping_shl (b as u32) ;
        { let value : i32 = (- 128i8) as i32 ;
        let at = & raw mut (* y.at (1usize)) ;
        * at = (* at).wrapping_sub (value) ;
        } ;
        } } }"#]],
    );
}

#[test]
fn fused_sums_keep_the_order_of_evaluation() {
    check(
        "y: &mut [f32], a: f32, b: f32",
        "let mut s = a * b - 1.0; s += a * b; y[0] = b - a * s;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < f32 > , mut a : f32 , mut b : f32) -> () { unsafe { { let mut s : f32 = mul_add (a , b , - 1f32) ;
            { let a : f32 = a ;
            let b : f32 = b ;
            s = mul_add (a , b , s) ;
            } ;
            (* y.at (0usize)) = add_mul (b , - a , s) ;
            } } }"#]],
    );
}

#[test]
fn shared_memory_is_told_apart_by_number() {
    check(
        "y: &mut [u32]",
        "let mut t = shared::<[[u32; 4]; 2]>(); let u = shared::<[u32; 4]>(); t[1][2] = u[3]; barrier(); y[0] = t[0][1];",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < u32 >) -> () { unsafe { { let mut t : * mut [[u32 ;
            4] ;
            2] = shared::< [[u32 ;
            4] ;
            2] > (0usize) ;
            let mut u : * mut [u32 ;
            4] = shared::< [u32 ;
            4] > (1usize) ;
            (* at (& raw mut (* at (& raw mut (* t) , 1usize)) , 2usize)) = (* at (& raw mut (* u) , 3usize)) ;
            barrier () ;
            (* y.at (0usize)) = (* at (& raw mut (* at (& raw mut (* t) , 0usize)) , 1usize)) ;
            } } }"#]],
    );
}

#[test]
fn references_are_pointers() {
    check(
        "y: &mut [f32]",
        "fn bump(v: &mut f32) { *v += 1.0; } let mut a = [0.0; 3]; bump(&mut a[1]); let r = &a; y[0] = r[1]; bump(&mut 2.0);",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < f32 >) -> () { unsafe { let mut slot1 = slot::< f32 > () ;
            { let mut a : [f32 ;
            3] = [0f32 ;
            3] ;
            f1_bump ((& raw mut (* at (& raw mut a , 1usize)))) ;
            let mut r : * mut [f32 ;
            3] = (& raw mut a) ;
            (* y.at (0usize)) = (* at (& raw mut (* r) , 1usize)) ;
            f1_bump ((& raw mut * slot1.write (2f32))) ;
            } } }

            unsafe fn f1_bump (mut v : * mut f32) -> () { unsafe { { { let value : f32 = 1f32 ;
            let at = & raw mut (* v) ;
            * at = (* at) + value ;
            } ;
            } } }"#]],
    );
}

/// A closure and a function give references to literals, which are no slots of theirs; what is written through a reference is one.
#[test]
fn references_to_literals_outlive_the_body() {
    check(
        "y: &mut [u32]",
        "let name = |even: bool| -> &[u8] { if even { b\"ab\" } else { &[7; 3] } }; y[0] = name(y[1] == 0)[0] as u32 + *&5 + *&mut 6;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < u32 >) -> () { unsafe { let mut slot1 = slot () ;
            let mut slot2 = slot::< u32 > () ;
            { let mut name : Callable < dyn FnMut (bool) -> Slice < u8 > > = { let closure : Callable < dyn FnMut (bool) -> Slice < u8 > > = Callable::new (slot1.write (move | mut even : bool | -> Slice < u8 > { { if even { unsize (constant::< [u8 ;
            2] > (& const { [97u8 , 98u8] })) } else { unsize (constant::< [u8 ;
            3] > (& const { [7u8 ;
            3] })) } } })) ;
            closure } ;
            (* y.at (0usize)) = (((* ((* (name).get ()) ((* y.at (1usize)) == 0u32)).at (0usize)) as u32).wrapping_add ((* constant::< u32 > (& const { 5u32 })))).wrapping_add ((* (& raw mut * slot2.write (6u32)))) ;
            } } }"#]],
    );
}

#[test]
fn structs_are_printed_again() {
    check(
        "y: &mut [f32]",
        "#[derive(Clone, Copy)] struct P { a: f32, b: (i32, bool) } let p = P { b: (1, true), a: y[0] }; let P { a, b: (n, _) } = p; y[n as usize] = a + P { a: 2.0, ..p }.a;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < f32 >) -> () { unsafe { { let mut p : S0_P = S0_P { b : (1i32 , true ,) , a : (* y.at (0usize)) , } ;
            let mut a : f32 = poison () ;
            let mut n : i32 = poison () ;
            let _ = ({ a = p.a ;
            true } && { n = p.b.0 ;
            true }) ;
            (* y.at (n as usize)) = a + (S0_P { a : 2f32 , .. p }).a ;
            } } }"#]],
    );
}

#[test]
fn patterns_are_conditions() {
    check(
        "y: &mut [i32], a: i32",
        "let v = Some(a); if let Some(n @ 1..=5) = v && n != 3 { y[0] = n; } y[1] = match (a, v) { (0, _) => 1, (k, Some(j)) if j > k => j, _ => 2 };",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < i32 > , mut a : i32) -> () { unsafe { let mut n : i32 = poison () ;
            let mut slot1 = slot::< (i32 , Option < i32 > ,) > () ;
            let mut k : i32 = poison () ;
            let mut j : i32 = poison () ;
            { let mut v : Option < i32 > = Option::Some (a) ;
            if (({ (is_some (& raw mut v) && (* payload (& raw mut v)) >= 1i32 && (* payload (& raw mut v)) <= 5i32 && { n = (* payload (& raw mut v)) ;
            true }) }) && (n != 3i32)) { (* y.at (0usize)) = n ;
            } ;
            (* y.at (1usize)) = { let matched = (& raw mut * slot1.write ((a , v ,))) ;
            if ((* matched).0 == 0i32) { 1i32 } else if ({ k = (* matched).0 ;
            true } && is_some (& raw mut (* matched).1) && { j = (* payload (& raw mut (* matched).1)) ;
            true }) && (j > k) { j } else { let _ = true ;
            2i32 } } ;
            } } }"#]],
    );
}

#[test]
fn a_pattern_that_does_not_match_leaves() {
    check(
        "y: &mut [i32], a: i32",
        "let Some(b) = (if a > 0 { Some(a) } else { None }) else { return; }; y[0] = b;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < i32 > , mut a : i32) -> () { unsafe { let mut slot1 = slot::< Option < i32 > > () ;
            { let mut b : i32 = poison () ;
            let matched = (& raw mut * slot1.write (if (a > 0i32) { Option::Some (a) } else { < Option < i32 > >::None })) ;
            if ! (is_some (& raw mut (* matched)) && { b = (* payload (& raw mut (* matched))) ;
            true }) { return ;
            } (* y.at (0usize)) = b ;
            } } }"#]],
    );
}

#[test]
fn closures_live_in_slots_and_capture_by_pointer() {
    check(
        "y: &mut [f32], k: f32",
        "let mut sum = 0.0; let mut add = |v: f32| sum += v * k; add(1.0); fn twice(f: impl Fn(f32) -> f32) -> f32 { f(f(1.0)) } y[0] = twice(move |v| v + k); y[1] = sum;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < f32 > , mut k : f32) -> () { unsafe { let mut slot1 = slot () ;
            let mut slot2 = slot () ;
            { let mut sum : f32 = 0f32 ;
            let mut add : Callable < dyn FnMut (f32) -> () > = { let at_k = & raw mut k ;
            let at_sum = & raw mut sum ;
            let closure : Callable < dyn FnMut (f32) -> () > = Callable::new (slot1.write (move | mut v_4 : f32 | -> () { { let a : f32 = v_4 ;
            let b : f32 = (* at_k) ;
            (* at_sum) = mul_add (a , b , (* at_sum)) ;
            } })) ;
            closure } ;
            (* (add).get ()) (1f32) ;
            (* y.at (0usize)) = f1_twice ({ let mut k = k ;
            let closure : Callable < dyn FnMut (f32) -> f32 > = Callable::new (slot2.write (move | mut v_5 : f32 | -> f32 { v_5 + k })) ;
            closure }) ;
            (* y.at (1usize)) = sum ;
            } } }

            unsafe fn f1_twice (mut f : Callable < dyn FnMut (f32) -> f32 >) -> f32 { unsafe { { (* (f).get ()) ((* (f).get ()) (1f32)) } } }"#]],
    );
}

#[test]
fn iterators_are_the_standard_library_s() {
    check(
        "x: &[f32], y: &mut [f32]",
        "for (i, v) in x.iter().enumerate().skip(1).step_by(2) { y[i] = *v; } y[0] = x.chunks_exact(4).map(|c| c[0]).sum(); let m = x.iter().copied().filter(|v| *v > 0.0).fold(0.0, |a, b| a + b); y[1] = m;",
        expect![[r#"
            unsafe fn f0_k (mut x : Slice < f32 > , mut y : Slice < f32 >) -> () { unsafe { let mut slot1 = slot () ;
            let mut slot2 = slot () ;
            let mut slot3 = slot () ;
            { 'loop0 : for mut item in x.iter ().enumerate ().skip (1usize).step_by (step (2usize)) { let mut i : usize = poison () ;
            let mut v_3 : * mut f32 = poison () ;
            let _ = ({ i = item.0 ;
            true } && { v_3 = item.1 ;
            true }) ;
            { (* y.at (i)) = (* v_3) ;
            } } ;
            (* y.at (0usize)) = sum (x.chunks_exact (4usize).map ({ let f = { let closure : Callable < dyn FnMut (Slice < f32 >) -> f32 > = Callable::new (slot1.write (move | mut c : Slice < f32 > | -> f32 { (* c.at (0usize)) })) ;
            closure } ;
            move | a | (* f.get ()) (a) })) ;
            let mut m : f32 = x.iter ().map (| pointer | * pointer).filter (by_pointer ({ let f = { let closure : Callable < dyn FnMut (* mut f32) -> bool > = Callable::new (slot2.write (move | mut v_6 : * mut f32 | -> bool { (* v_6) > 0f32 })) ;
            closure } ;
            move | a | (* f.get ()) (a) })).fold (0f32 , { let f = { let closure : Callable < dyn FnMut (f32 , f32) -> f32 > = Callable::new (slot3.write (move | mut a : f32 , mut b : f32 | -> f32 { a + b })) ;
            closure } ;
            move | a , b | (* f.get ()) (a , b) }) ;
            (* y.at (1usize)) = m ;
            } } }"#]],
    );
}

#[test]
fn loops_and_blocks_have_labels() {
    check(
        "y: &mut [i32], n: i32",
        "let mut i = 0; let k = 'a: loop { if i > n { break i; } let b = 'b: { if i == 2 { break 'b 1; } if i == 3 { continue 'a; } 2 }; i += b; }; y[0] = k;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < i32 > , mut n : i32) -> () { unsafe { { let mut i : i32 = 0i32 ;
            let mut k : i32 = 'loop0 : loop { if (i > n) { break 'loop0 i ;
            } ;
            let mut b : i32 = 'loop1 : { if (i == 2i32) { break 'loop1 1i32 ;
            } ;
            if (i == 3i32) { continue 'loop0 ;
            } ;
            2i32 } ;
            { let value : i32 = b ;
            i = i.wrapping_add (value) ;
            } ;
            } ;
            (* y.at (0usize)) = k ;
            } } }"#]],
    );
}

#[test]
fn what_differs_from_rust_is_a_function() {
    check(
        "y: &mut [f32], a: f32, k: i32",
        "y[0] = a.max(1.0).sqrt(); y[1] = k.abs().clamp(0, 9) as f32; y[2] = f32::from_bits(7);",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < f32 > , mut a : f32 , mut k : i32) -> () { unsafe { { (* y.at (0usize)) = (max (a , 1f32)).sqrt () ;
            (* y.at (1usize)) = (clamp_int (k.wrapping_abs () , 0i32 , 9i32)) as f32 ;
            (* y.at (2usize)) = < f32 >::from_bits (7u32) ;
            } } }"#]],
    );
}

#[test]
fn constants_are_values() {
    check(
        "y: &mut [u32]",
        "const N: u32 = 1 << 4; const T: [u32; 3] = [1, N, 3]; y[0] = T[y.len() % 3] + u32::MAX;",
        expect![[r#"
            unsafe fn f0_k (mut y : Slice < u32 >) -> () { const k0_T : [u32 ;
            3] = [1u32 , 16u32 , 3u32] ;
            unsafe { { (* y.at (0usize)) = (* at (constant (& k0_T) , (y.len ()) % 3usize)).wrapping_add (4294967295u32) ;
            } } }"#]],
    );
}
