//! Faults of which the record has to say exactly where: functions, closures, methods, loops; and what the launch looks like.

use crate::harness::faults;

const SOURCE: &str = include_str!("places.rs");
const FILE: &str = "faults/places.rs";

faults! {
    "the first thread" first_thread [] 3, 64, Others |armed, i, x, f, out| {
        /*@*/x[if armed && i == 0 { 600 } else { i }]
    }
    panics |t| { t == 0 => "index out of bounds: the len is 512 but the index is 600" }

    "the last thread" last_thread [] 8, 64, Others |armed, i, x, f, out| {
        /*@*/x[if armed && i == 511 { 600 } else { i }]
    }
    panics |t| { t == 511 => "index out of bounds: the len is 512 but the index is 600" }

    "the first thread of the last block, of part of a warp" last_block [] 5, 40, Others |armed, i, x, f, out| {
        let last = block_idx().x + 1 == grid_dim().x && thread_idx().x == 0;
        /*@*/x[if armed && last { 600 } else { i }]
    }
    panics |t| { t == 160 => "index out of bounds: the len is 512 but the index is 600" }

    "the middle of a grid and block of three axes" three_axes [] (2, 3, 2), (4, 2, 3), Others |armed, i, x, f, out| {
        let (t, b, n, g) = (thread_idx(), block_idx(), block_dim(), grid_dim());
        let block = (b.z * g.y + b.y) * g.x + b.x;
        let own = block * (n.x * n.y * n.z) + (t.z * n.y + t.y) * n.x + t.x;
        let k = if armed && own == 199 { own + 313 } else { own };
        out[own] = /*@*/x[k];
        return;
    }
    panics |t| { t == 199 => "index out of bounds: the len is 512 but the index is 512" }

    "a block of 512 threads" large_block [launch_bounds(512)] 1, 512, Others |armed, i, x, f, out| {
        /*@*/assert!(!(armed && i == 300), "{}", x[i] * 2);
        x[i]
    }
    panics |t| { t == 300 => "600" }

    "a device function" function [] 3, 64, Others |armed, i, x, f, out| {
        fn at(x: &[i32], k: usize) -> i32 {
            /*@*/x[k]
        }
        at(x, if armed && i == 65 { 555 } else { i }) + at(x, 3)
    }
    panics |t| { t == 65 => "index out of bounds: the len is 512 but the index is 555" }

    "a function that a function calls" function_in_function [] 3, 64, Others |armed, i, x, f, out| {
        fn half(v: i32) -> i32 {
            /*@*/assert!(v % 2 == 0, "{v} is odd");
            v / 2
        }
        fn quarter(v: i32) -> i32 { half(half(v)) }
        quarter(4 * x[i] + if armed && i == 66 { 2 } else { 0 })
    }
    panics |t| { t == 66 => "133 is odd" }

    "a function of any type" generic_function [] 3, 64, Others |armed, i, x, f, out| {
        fn nth<T: Copy, const N: usize>(values: [T; N], k: usize) -> T {
            /*@*/values[k]
        }
        let k = if armed && i == 67 { 3 } else { i % 3 };
        nth([1.5, 2.5, f[i]], i % 3) as i32 + nth([x[i], 2, 3], k) + nth([1u8, 2, 3, 4], i % 4) as i32
    }
    panics |t| { t == 67 => "index out of bounds: the len is 3 but the index is 3" }

    "a method" method [] 3, 64, Others |armed, i, x, f, out| {
        #[derive(Clone, Copy)]
        struct Range { low: i32, high: i32 }
        impl Range {
            fn len(self) -> i32 {
                /*@*/assert!(self.low <= self.high, "from {} to {}", self.low, self.high);
                self.high - self.low
            }
        }
        Range { low: x[i], high: if armed && i == 68 { 60 } else { 300 } }.len()
    }
    panics |t| { t == 68 => "from 68 to 60" }

    "an operator of one's own" operator [] 3, 64, Others |armed, i, x, f, out| {
        #[derive(Clone, Copy)]
        struct Part(i32);
        impl core::ops::Div for Part {
            type Output = Part;
            fn div(self, by: Part) -> Part { Part(/*@*/self.0 / by.0) }
        }
        (Part(x[i]) / Part(if armed && i == 69 { 0 } else { 2 })).0
    }
    panics |t| { t == 69 => "attempt to divide by zero" }

    "a closure" closure [] 3, 64, Others |armed, i, x, f, out| {
        let at = |k: usize| /*@*/x[2 * k];
        at(if armed && i == 71 { 256 } else { i })
    }
    panics |t| { t == 71 => "index out of bounds: the len is 512 but the index is 512" }

    "a closure in a closure" nested_closure [] 3, 64, Others |armed, i, x, f, out| {
        let outer = |k: usize| {
            let inner = |d: i32| /*@*/x[k] / d;
            inner(if armed && k == 72 { 0 } else { 2 }) + inner(1)
        };
        outer(i) + outer(1)
    }
    panics |t| { t == 72 => "attempt to divide by zero" }

    "a closure of an iterator" closure_of_iterator [] 3, 64, Others |armed, i, x, f, out| {
        let limit = if armed && i == 73 { 10 } else { 30 };
        x[..20].iter().map(|&v| {
            /*@*/assert!(v < limit, "{v} of thread {i}");
            v
        }).sum()
    }
    panics |t| { t == 73 => "10 of thread 73" }

    "a closure of an Option" closure_of_option [] 3, 64, Others |armed, i, x, f, out| {
        let some = if i == 5 { None } else { Some(i) };
        some.map(|k| /*@*/x[if armed && k == 74 { k + 500 } else { k }]).unwrap_or(-7)
    }
    panics |t| { t == 74 => "index out of bounds: the len is 512 but the index is 574" }

    "a round of a loop" round [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        let mut k = i;
        while k < i + 40 {
            /*@*/assert!(!(armed && k == 110 && i == 75), "round {} at {k}: {sum}", k - i);
            sum += x[k];
            k += 5;
        }
        sum
    }
    panics |t| { t == 75 => "round 35 at 110: 630" }

    "a round of a loop in a loop" nested_round [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        for row in 0..4usize {
            for column in (0..=row).rev() {
                let at = if armed && i == 76 && (row, column) == (3, 1) { 512 } else { 0 };
                sum += /*@*/x[at + 10 * row + column];
            }
        }
        sum
    }
    panics |t| { t == 76 => "index out of bounds: the len is 512 but the index is 543" }

    "a round of a loop that is unrolled" unrolled_round [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        #[unroll]
        for k in 0..6 {
            /*@*/assert!(!(armed && i == 77 && x[k] == 4), "round {k}: {sum}");
            sum += x[i + k];
        }
        sum
    }
    panics |t| { t == 77 => "round 4: 314" }

    "a round of a loop of several rounds in a turn" partly_unrolled_round [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        let n = if armed && i == 78 { 514 } else { 511 };
        #[unroll(4)]
        for k in 500..n {
            sum += /*@*/x[k];
        }
        sum
    }
    panics |t| { t == 78 => "index out of bounds: the len is 512 but the index is 512" }

    "a round of a loop in chains" chains [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        let n = if armed && i == 79 { 520 } else { 509 };
        #[ilp(4)]
        for k in 490..n {
            sum += /*@*/x[k];
        }
        sum
    }
    panics |t| { t == 79 => "index out of bounds: the len is 512 but the index is 512" }

    "a loop with loads ahead" loads_ahead [] 3, 64, Others |armed, i, x, f, out| {
        let mut sum = 0;
        let n = if armed && i == 80 { 514 } else { 509 };
        #[prefetch(2)]
        for k in 490..n {
            sum = sum * 3 % 1000 + /*@*/x[k];
        }
        sum
    }
    panics |t| { t == 80 => "index out of bounds: the len is 512 but the index is 512" }

    "an element of a coarsened kernel" coarsened [coarsen(4)] 1, 32, Any |armed, i, x, f, out| {
        let by = if armed && i == 82 { 0 } else { 2 };
        /*@*/x[i] / by
    }
    panics |t| { t == 20 => "attempt to divide by zero" }

    "a text with values after what is printed" after_a_print [] 2, 32, Others |armed, i, x, f, out| {
        if i % 20 == 3 {
            println!("thread {i} has {}", x[i]);
        }
        if armed && i == 43 { /*@*/panic!("{i} after {:?}", f[i]) }
        x[i]
    }
    panics |t| { t == 43 => "43 after 21.5" }

    "many values" many_values [] 2, 32, Others |armed, i, x, f, out| {
        let mut all = [0u64; 40];
        for k in 0..40 { all[k] = x[i + k] as u64; }
        if armed && i == 44 { /*@*/panic!("{:?}", all) }
        all[7] as i32
    }
    panics |t| {
        t == 44 => "[44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, \
                    64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83]"
    }

    "a lookup that chains over lines" chain_over_lines [] 2, 32, Others |armed, i, x, f, out| {
        let wanted = if armed && i == 45 { 600 } else { x[i] };
        let found = x
            .iter()
            .position(|&v| v == wanted)
            ./*@*/unwrap();
        found as i32
    }
    panics |t| { t == 45 => "called `Option::unwrap()` on a `None` value" }

    "an index of 64 bits" wide_index [index(u64)] 2, 32, Others |armed, i, x, f, out| {
        /*@*/x[if armed && i == 46 { 0x1_0000_0005 } else { i }]
    }
    panics |t| { t == 46 => "index out of bounds: the len is 512 but the index is 4294967301" }

    "one architecture's variant" variant [arch(sm_75, sm_90)] 2, 32, Others |armed, i, x, f, out| {
        if target::at_least(80) {
            /*@*/x[if armed && i == 47 { 530 } else { i }]
        } else {
            x[i]
        }
    }
    panics |t| { t == 47 => "index out of bounds: the len is 512 but the index is 530" }

    "a side of a condition on a value" side [] 2, 32, Others |armed, i, x, f, out| {
        if f[i] > 10.0 {
            if x[i] % 2 == 0 { /*@*/x[if armed && i == 48 { 4800 } else { 1 }] } else { x[i + 1] }
        } else {
            x[2]
        }
    }
    panics |t| { t == 48 => "index out of bounds: the len is 512 but the index is 4800" }

    "the second of two places" second_place [] 2, 32, Others |armed, i, x, f, out| {
        let a = /*@*/x[i + 1];
        let b = /*@*/x[if armed && i == 49 { 4900 } else { i }];
        a + b
    }
    panics |t| {
        t > 1000 => "the first place is fine";
        t == 49 => "index out of bounds: the len is 512 but the index is 4900";
    }
}
