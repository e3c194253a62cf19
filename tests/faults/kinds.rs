//! Each kind of panic, in one thread.

use crate::harness::faults;

const SOURCE: &str = include_str!("kinds.rs");
const FILE: &str = "faults/kinds.rs";

faults! {
    "a slice's element" slice_read [] 3, 64, Others |armed, i, x, f, out| {
        let k = if armed && i == 70 { 999 } else { i };
        /*@*/x[k]
    }
    panics |t| { t == 70 => "index out of bounds: the len is 512 but the index is 999" }

    "an element that is written" slice_write [] 3, 64, Others |armed, i, x, f, out| {
        let k = if armed && i == 3 { out.len() } else { i };
        /*@*/out[k] = 5;
        6
    }
    panics |t| { t == 3 => "index out of bounds: the len is 512 but the index is 512" }

    "an element that is changed" slice_update [] 1, 64, Others |armed, i, x, f, out| {
        let k = if armed && i == 33 { usize::MAX } else { i };
        /*@*/out[k] += x[i];
        out[i]
    }
    panics |t| { t == 33 => "index out of bounds: the len is 512 but the index is 18446744073709551615" }

    "an index below zero" negative [] 3, 64, Others |armed, i, x, f, out| {
        /*@*/x[if armed && i == 1 { i - 2 } else { i }]
    }
    panics |t| { t == 1 => "index out of bounds: the len is 512 but the index is 18446744073709551615" }

    "an array's element" array [] 2, 32, Others |armed, i, x, f, out| {
        let mut a = [x[i], 2, 3];
        a[1] = x[i + 1];
        /*@*/a[if armed && i == 40 { i } else { i % 3 }]
    }
    panics |t| { t == 40 => "index out of bounds: the len is 3 but the index is 40" }

    "a row of an array of arrays" array_row [] 2, 32, Others |armed, i, x, f, out| {
        let a = [[x[i]; 4], [7; 4], [8; 4]];
        /*@*/a[if armed && i == 9 { 3 } else { 1 }][i % 4]
    }
    panics |t| { t == 9 => "index out of bounds: the len is 3 but the index is 3" }

    "a part's element" part [] 2, 32, Others |armed, i, x, f, out| {
        let part = &x[100..110];
        /*@*/part[if armed && i == 11 { 10 } else { i % 10 }]
    }
    panics |t| { t == 11 => "index out of bounds: the len is 10 but the index is 10" }

    "a part of a part" part_of_part [] 2, 32, Others |armed, i, x, f, out| {
        let part = &x[100..120][5..];
        let part = &/*@*/part[..if armed && i == 63 { 16 } else { 15 }];
        part[i % 15]
    }
    panics |t| { t == 63 => "range end index 16 out of range for slice of length 15" }

    "a range that ends before it starts" range_order [] 2, 32, Others |armed, i, x, f, out| {
        let end = if armed && i == 20 { 19 } else { i + 2 };
        (&/*@*/x[i..end]).len() as i32
    }
    panics |t| { t == 20 => "slice index starts at 20 but ends at 19" }

    "a range that starts behind the end" range_start [] 2, 32, Others |armed, i, x, f, out| {
        (&/*@*/x[if armed && i == 21 { 513 } else { i }..]).len() as i32
    }
    panics |t| { t == 21 => "range start index 513 out of range for slice of length 512" }

    "a range that includes its end" range_inclusive [] 2, 32, Others |armed, i, x, f, out| {
        (&/*@*/x[i..=if armed && i == 22 { 512 } else { i }]).len() as i32
    }
    panics |t| { t == 22 => "range end index 513 out of range for slice of length 512" }

    "an element of shared memory" shared [] 2, 32, Others |armed, i, x, f, out| {
        let mut tile = shared::<[i32; 32]>();
        tile[thread_idx().x] = x[i];
        barrier();
        /*@*/tile[if armed && i == 50 { 32 } else { 31 - thread_idx().x }]
    }
    panics |t| { t == 50 => "index out of bounds: the len is 32 but the index is 32" }

    "a column of a tile" tile [] 2, 32, Others |armed, i, x, f, out| {
        let mut tile = shared::<[[i32; 8]; 4]>();
        let t = thread_idx().x;
        tile[t / 8][t % 8] = x[i];
        barrier();
        /*@*/tile[t / 8][if armed && i == 51 { 8 } else { 7 - t % 8 }]
    }
    panics |t| { t == 51 => "index out of bounds: the len is 8 but the index is 8" }

    "a vector's lane" lane [] 2, 32, Others |armed, i, x, f, out| {
        let v = F32x4::new(f[i], 1.0, 2.0, 3.0);
        (/*@*/v[if armed && i == 52 { 4 } else { i % 4 }] * 2.0) as i32
    }
    panics |t| { t == 52 => "index out of bounds: the len is 4 but the index is 4" }

    "a vector across the end" vector_end [] 2, 32, Others |armed, i, x, f, out| {
        /*@*/F32x4::load(f, if armed && i == 53 { 512 } else { 4 * i }).x as i32
    }
    panics |t| { t == 53 => "range end index 516 out of range for slice of length 512" }

    "a vector off alignment" misaligned [] 2, 32, Others |armed, i, x, f, out| {
        /*@*/F32x4::load(f, if armed && i == 54 { 6 } else { 4 * i }).x as i32
    }
    panics |t| { t == 54 => "misaligned vector access: counted from the start of the buffer, the index must be a multiple of 4; in this slice it is 6" }

    "panic!" panic_alone [] 2, 32, Others |armed, i, x, f, out| {
        if armed && i == 32 { /*@*/panic!(); }
        x[i]
    }
    panics |t| { t == 32 => "explicit panic" }

    "panic! with a text" panic_text [] 2, 32, Others |armed, i, x, f, out| {
        if armed && i == 33 { /*@*/panic!("{{nothing}} to do: 100 %"); }
        x[i]
    }
    panics |t| { t == 33 => "{{nothing}} to do: 100 %" }

    "panic! with values" panic_values [] 2, 32, Others |armed, i, x, f, out| {
        let width = 7;
        if armed && i == 34 {
            /*@*/panic!("{i} {:?} {0:>width$} {:#06x} {:.2e} {} {:?}", x[i], x[3] - 9, f[i] * 3.0, f[i] > 4.0, (i as u8, Some(f[1])));
        }
        x[i]
    }
    panics |t| { t == 34 => "34 34      34 0xfffffffa 5.10e1 true (34, Some(0.5))" }

    "assert!" assert_alone [] 2, 32, Others |armed, i, x, f, out| {
        /*@*/assert!(!armed || x[i] != 35);
        x[i]
    }
    panics |t| { t == 35 => "assertion failed: !armed || x[i] != 35" }

    "assert! with values" assert_values [] 2, 32, Others |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 36), "{} of {}: {f:.1}", i, x.len(), f = f[i]);
        x[i]
    }
    panics |t| { t == 36 => "36 of 512: 18.0" }

    "assert_eq!" assert_eq [] 2, 32, Others |armed, i, x, f, out| {
        let expected = if armed && i == 37 { 3 } else { i as i32 };
        /*@*/assert_eq!(x[i], expected);
        x[i]
    }
    panics |t| { t == 37 => "assertion `left == right` failed\n  left: 37\n right: 3" }

    "assert_eq! with a text" assert_eq_text [] 2, 32, Others |armed, i, x, f, out| {
        let expected = if armed && i == 38 { f32::NAN } else { f[i] };
        /*@*/assert_eq!(f[i], expected, "element {i} of {:?}", [x[0], x[1]]);
        x[i]
    }
    panics |t| { t == 38 => "assertion `left == right` failed: element 38 of [0, 1]\n  left: 19.0\n right: NaN" }

    "assert_eq! of arrays" assert_eq_arrays [] 2, 32, Others |armed, i, x, f, out| {
        /*@*/assert_eq!([x[i], -1], [i as i32, if armed && i == 39 { 5 } else { -1 }]);
        x[i]
    }
    panics |t| { t == 39 => "assertion `left == right` failed\n  left: [39, -1]\n right: [39, 5]" }

    "assert_eq! of structs" assert_eq_structs [] 2, 32, Others |armed, i, x, f, out| {
        #[derive(Clone, Copy, Debug, PartialEq)]
        struct Point { x: f32, on: Option<bool> }
        let on = if armed && i == 40 { None } else { Some(true) };
        /*@*/assert_eq!(Point { x: f[i], on: Some(true) }, Point { x: f[i], on });
        x[i]
    }
    panics |t| {
        t == 40 => "assertion `left == right` failed\n  left: Point {{ x: 20.0, on: Some(true) }}\n right: Point {{ x: 20.0, on: None }}"
    }

    "assert_ne!" assert_ne [] 2, 32, Others |armed, i, x, f, out| {
        let other = if armed && i == 41 { 41 } else { -5 };
        /*@*/assert_ne!(x[i], other);
        x[i]
    }
    panics |t| { t == 41 => "assertion `left != right` failed\n  left: 41\n right: 41" }

    "unreachable!" unreachable [] 2, 32, Others |armed, i, x, f, out| {
        match (armed, i) {
            (true, 42) => /*@*/unreachable!(),
            (_, i) => x[i],
        }
    }
    panics |t| { t == 42 => "internal error: entered unreachable code" }

    "unreachable! with a value" unreachable_value [] 2, 32, Others |armed, i, x, f, out| {
        match (armed, i) {
            (true, 43) => /*@*/unreachable!("at {i}"),
            (_, i) => x[i],
        }
    }
    panics |t| { t == 43 => "internal error: entered unreachable code: at 43" }

    "todo!" todo [] 2, 32, Others |armed, i, x, f, out| {
        if armed && i == 44 { /*@*/todo!("part {}", i / 2) }
        x[i]
    }
    panics |t| { t == 44 => "not yet implemented: part 22" }

    "unimplemented!" unimplemented [] 2, 32, Others |armed, i, x, f, out| {
        if armed && i == 45 { /*@*/unimplemented!() } else { x[i] }
    }
    panics |t| { t == 45 => "not implemented" }

    "unwrap of nothing" unwrap [] 2, 32, Others |armed, i, x, f, out| {
        let found = x[..50].iter().position(|&v| v == i as i32 % 50 + if armed && i == 46 { 4 } else { 0 });
        found./*@*/unwrap() as i32
    }
    panics |t| { t == 46 => "called `Option::unwrap()` on a `None` value" }

    "expect of nothing" expect [] 2, 32, Others |armed, i, x, f, out| {
        *x.get(if armed && i == 47 { 512 } else { i })
            ./*@*/expect("an element {of} x")
    }
    panics |t| { t == 47 => "an element {{of}} x" }

    "a division by zero" division [] 2, 32, Others |armed, i, x, f, out| {
        let by = if armed && i == 48 { 0 } else { 3 };
        /*@*/x[i] / by
    }
    panics |t| { t == 48 => "attempt to divide by zero" }

    "a division by zero of 64 bits, assigned" division_assigned [] 2, 32, Others |armed, i, x, f, out| {
        let mut v = x[i] as u64;
        /*@*/v /= if armed && i == 49 { 0 } else { 3 };
        v as i32
    }
    panics |t| { t == 49 => "attempt to divide by zero" }

    "a remainder by zero" remainder [] 2, 32, Others |armed, i, x, f, out| {
        let by = if armed && i == 50 { 0 } else { 3u32 };
        /*@*/(x[i] as u32 % by) as i32
    }
    panics |t| { t == 50 => "attempt to calculate the remainder with a divisor of zero" }

    "MIN / -1" division_overflows [] 2, 32, Others |armed, i, x, f, out| {
        let (a, b) = if armed && i == 51 { (i32::MIN, -1) } else { (x[i], 2) };
        /*@*/a / b
    }
    panics |t| { t == 51 => "attempt to divide with overflow" }

    "MIN % -1" remainder_overflows [] 2, 32, Others |armed, i, x, f, out| {
        let (a, b) = if armed && i == 52 { (i64::MIN, -1) } else { (x[i] as i64, 7) };
        /*@*/(a % b) as i32
    }
    panics |t| { t == 52 => "attempt to calculate the remainder with overflow" }

    "chunks of nothing" chunks_exact [] 2, 32, Others |armed, i, x, f, out| {
        let mut sum = 0;
        for chunk in x[..12]./*@*/chunks_exact(if armed && i == 53 { 0 } else { 3 }) {
            sum += chunk[0];
        }
        sum
    }
    panics |t| { t == 53 => "chunk size must be non-zero" }

    "windows of nothing" windows [] 2, 32, Others |armed, i, x, f, out| {
        x[..12]./*@*/windows(if armed && i == 54 { 0 } else { 3 }).map(|w| w[0]).sum()
    }
    panics |t| { t == 54 => "window size must be non-zero" }

    "a step of zero" step_by [] 2, 32, Others |armed, i, x, f, out| {
        let mut sum = 0;
        for k in (0..12)./*@*/step_by(if armed && i == 55 { 0 } else { 5 }) {
            sum += x[k];
        }
        sum
    }
    panics |t| { t == 55 => "assertion failed: step != 0" }

    "copy_from_slice of another length" copy_from_slice [] 2, 32, Others |armed, i, x, f, out| {
        let mut a = [0; 4];
        a./*@*/copy_from_slice(&x[i..i + if armed && i == 56 { 5 } else { 4 }]);
        a[3]
    }
    panics |t| { t == 56 => "copy_from_slice: source slice length (5) does not match destination slice length (4)" }

    "split_at behind the end" split_at [] 2, 32, Others |armed, i, x, f, out| {
        let (a, b) = x./*@*/split_at(if armed && i == 57 { 513 } else { i });
        a.len() as i32 - b.len() as i32
    }
    panics |t| { t == 57 => "mid > len" }

    "swap of what is not there" swap [] 2, 32, Others |armed, i, x, f, out| {
        let mut a = [x[i], 5, 6];
        a./*@*/swap(0, if armed && i == 58 { 3 } else { 2 });
        a[0]
    }
    panics |t| { t == 58 => "index out of bounds: the len is 3 but the index is 3" }

    "the root of a negative number" isqrt [] 2, 32, Others |armed, i, x, f, out| {
        (if armed && i == 59 { -1 } else { x[i] })./*@*/isqrt()
    }
    panics |t| { t == 59 => "argument of integer square root cannot be negative" }

    "the logarithm of zero" ilog [] 2, 32, Others |armed, i, x, f, out| {
        (if armed && i == 60 { 0 } else { x[i] + 1 })./*@*/ilog2() as i32
    }
    panics |t| { t == 60 => "argument of integer logarithm must be positive" }

    "Euclid's remainder by zero" rem_euclid [] 2, 32, Others |armed, i, x, f, out| {
        x[i]./*@*/rem_euclid(if armed && i == 62 { 0 } else { 5 })
    }
    panics |t| { t == 62 => "attempt to calculate the remainder with a divisor of zero" }
}
