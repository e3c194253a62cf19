//! Each kind of overflow under `checks(overflow)`.

use crate::harness::faults;

const SOURCE: &str = include_str!("overflow.rs");
const FILE: &str = "faults/overflow.rs";

faults! {
    "a sum" sum [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let a = if armed && i == 33 { i32::MAX } else { x[i] };
        /*@*/a + x[1]
    }
    panics |t| { t == 33 => "attempt to add with overflow" }

    "a sum that is assigned, of 8 bits" sum_assigned [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let mut a = x[i] as u8;
        /*@*/a += if armed && i == 34 { 222 } else { 100 };
        a as i32
    }
    panics |t| { t == 34 => "attempt to add with overflow" }

    "a difference" difference [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let less = if armed && i == 35 { i + 1 } else { i };
        /*@*/(i - less) as i32
    }
    panics |t| { t == 35 => "attempt to subtract with overflow" }

    "a product of 64 bits" product [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let a = if armed && i == 36 { 1 << 62 } else { x[i] as i64 };
        /*@*/(a * (x[i] as i64 - 34)) as i32
    }
    panics |t| { t == 36 => "attempt to multiply with overflow" }

    "a negation" negation [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let a = if armed && i == 37 { i16::MIN } else { x[i] as i16 };
        /*@*/(-a) as i32
    }
    panics |t| { t == 37 => "attempt to negate with overflow" }

    "a shift to the left" shift_left [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        /*@*/x[i] << if armed && i == 38 { 32 } else { 31 }
    }
    panics |t| { t == 38 => "attempt to shift left with overflow" }

    "a shift to the right by a negative number" shift_right [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        /*@*/x[i] >> if armed && i == 39 { x[1] - 2 } else { 3 }
    }
    panics |t| { t == 39 => "attempt to shift right with overflow" }

    "an absolute value" absolute [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        (if armed && i == 40 { i32::MIN } else { 4 - x[i] })./*@*/abs()
    }
    panics |t| { t == 40 => "attempt to negate with overflow" }

    "a power" power [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        (x[i] % 7)./*@*/pow(if armed && i == 41 { 12 } else { 11 })
    }
    panics |t| { t == 41 => "attempt to multiply with overflow" }

    "the sum of an iterator" sum_of_iterator [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let limit = if armed && i == 42 { 30 } else { 20 };
        x[..limit].iter().map(|&v| v as u8)./*@*/sum::<u8>() as i32
    }
    panics |t| { t == 42 => "attempt to add with overflow" }

    "an index that overflows before it is used" index [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let back = if armed && i == 43 { 44 } else { 0 };
        x[/*@*/i - back]
    }
    panics |t| { t == 43 => "attempt to subtract with overflow" }

    "the round of a loop that overflows" round [checks(overflow)] 2, 32, Others |armed, i, x, f, out| {
        let mut product = 1i32;
        for k in 1..if armed && i == 44 { 20 } else { 12 } {
            /*@*/product *= k;
        }
        product
    }
    panics |t| { t == 44 => "attempt to multiply with overflow" }
}
