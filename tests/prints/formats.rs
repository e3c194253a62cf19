//! Formats: each kernel's texts are compiled by rustc as well.

#![allow(clippy::uninlined_format_args, clippy::print_literal, clippy::format_in_format_args)]

/// A kernel that prints texts of its thread's index, integer and float, and the same texts by `format!`.
macro_rules! texts {
    ($($name:ident |$i:ident, $x:ident, $f:ident| { $($before:tt)* } $([$($text:tt)*])*)*) => {$(
        mod $name {
            use kernel_runtime::prelude::*;

            #[kernel]
            #[allow(unused_variables, clippy::all)]
            pub fn texts(ints: &[i32], floats: &[f32]) {
                let $i = global_idx().x;
                let ($x, $f) = (ints[$i], floats[$i]);
                $($before)*
                $(println!($($text)*);)*
            }

            #[allow(unused_variables, clippy::all)]
            pub fn expected($i: usize, $x: i32, $f: f32) -> String {
                $($before)*
                [$(format!($($text)*)),*].map(|text| text + "\n").concat()
            }
        }

        #[test]
        fn $name() {
            crate::harness::check(
                $name::expected,
                |x, f| $name::texts::cpu(x, f),
                |x, f| $name::texts(x, f),
            );
        }
    )*};
}

texts! {
    plain_text |i, x, f| {}
        ["hello"]
        [""]
        ["{{}} }}{{ ä \\ \" \t %d %s"]
        [r#"raw "text" \n"#]

    integers |i, x, f| {}
        ["{} {:?} {x} {x:?}", x, x]
        ["{:x} {:#x} {:X} {:#010x} {:o} {:#o} {:b} {:#b} {:034b}", x, x, x, x, x, x, x, x, x]
        ["{:5} {:<5}| {:^7}| {:>9} {:+} {:05} {:*^12} {:->+8}", x, x, x, x, x, x, x, x]
        ["{:e} {:E} {:.2e} {:12.3e}", x, x, x, x]
        ["{:x?} {:X?} {:#x?} {:02x?}", x, x, x, x]

    floats |i, x, f| {}
        ["{} {:?} {f} {f:?}", f, f]
        ["{:.0} {:.3} {:8.2} {:<10.1}| {:+.4} {:010.3} {:^+12.2}|", f, f, f, f, f, f, f]
        ["{:e} {:E} {:.3e} {:15.2E} {:#?}", f, f, f, f, f]

    arguments |i, x, f| { let width = i % 12; let precision = i % 4; }
        ["{0} {1} {0} {}", i, x]
        ["{a} {b:?} {a:>6} {}", i, a = x, b = f]
        ["{:width$} {x:>width$} {f:width$.precision$} {f:.precision$}", i]
        ["{:1$} {:.*} {:>w$.*}", x, 9, f, precision, f, w = 14]
        ["{:>0$.1$} {2:e} {}", 12, 3, f]
        ["{x:#010x} {i:>8} {f:>8.3}"]
        ["{} {}", x.wrapping_mul(3) + 1, if x > 0 { f } else { -f },]

    all_scalars |i, x, f| { let half = f16::from_f32(f); let brain = bf16::from_f32(f); }
        ["{} {} {} {} {}", x as i8, x as i16, (x as i64).wrapping_mul(5_000_000_000), x as isize, x > 3]
        ["{} {} {} {} {}", x as u8, x as u16, x as u32, x as u64, i]
        ["{:x} {:#b} {:?} {:5}|{:<7?}|", x as i8, x as u16, x < 0, x < 0, x < 0]
        ["{} {:?} {:.3} {:e}", f as f64 / 3.0, f as f64 * 1e30, f as f64, f as f64]
        ["{} {:?} {:.2} {:8.1} {} {:?}", half, half, half, half, brain, brain]
        ["{} {} {}", u64::MAX - i as u64, i64::MIN + i as i64, f64::MIN_POSITIVE]

    references |i, x, f| { let r = &x; let rr = &r; let mut y = x; let m = &mut y; }
        ["{} {} {:x} {:?} {}", r, rr, r, &f, m]

    values_of_many_parts |i, x, f| {
        let pair = (x, f);
        let array = [x, x / 2, -1];
        let some = Some(f);
        let none: Option<(i32, bool)> = None;
    }
        ["{:?} {:#?} {:.1?}", pair, pair, pair]
        ["{:?} {:x?} {:5?} {array:?}", array, array, array]
        ["{:?} {:?} {:#?} {:?}", some, none, some, Some((x, x > 0))]
        ["{:?} {:?} {:?}", (), (x,), [[1u8, 2], [i as u8, 4]]]
        ["{:?}", F32x4::new(f, 1.0, -f, 0.5)]

    characters_and_wide_integers |i, x, f| {
        let c = (b'a' + i as u8 % 26) as char;
        let wide = (x as u128) << 60 | 5;
        let signed = -(x as i128) - 1;
    }
        ["{c} {c:?} {:>4}|{:<3}|{:?}", c, c, Some('\'')]
        ["{wide} {wide:?} {wide:#x} {:>50}", wide]
        ["{signed} {:?} {signed:+} {signed:e}", (signed, [c; 2])]

    structs_and_enums |i, x, f| {
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(C)]
        struct Point {
            x: f32,
            cells: [i16; 2],
        }
        #[derive(Clone, Copy, Debug)]
        struct Wrapper(i32, Option<Color>);
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(i8)]
        enum Color {
            Red = -3,
            Green = 5,
        }
        let point = Point { x: f, cells: [x as i16, 7] };
        let color = if x % 3 == 0 { Color::Red } else { Color::Green };
    }
        ["{:?} {:#?}", point, point]
        ["{:?} {:?} {:?}", Wrapper(x, Some(color)), color, Color::Green]
        ["{:?} {:?}", (point, color), [color; 2]]
}

/// Rust's own formatting panics there, which would be on the host.
mod widths_beyond_all {
    use kernel_runtime::prelude::*;

    #[kernel]
    pub fn texts(width: usize, precision: usize) {
        println!("{:1$}", 7u32, width);
        print!("{:.*};", precision, 0.5f32);
        assert!(width < 9 || precision > 9, "{width:width$}");
    }
}

#[test]
fn widths_beyond_all_are_said() {
    use kernel_runtime::{Arch, Error, Gpu, Prints};
    use widths_beyond_all::texts;

    let gpu = Gpu::simulator(Arch::Sm90);
    let most = u16::MAX as usize;
    let refused = |count: usize| format!("expected a width or precision of at most 65535, found {count}");
    for (width, precision, expected) in [
        (3, 1, "  7\n0.5;".to_owned()),
        (most + 1, 10, format!("{}\n0.5000000000;", refused(most + 1))),
        (2, usize::MAX, format!(" 7\n{}", refused(usize::MAX))),
    ] {
        let mut prints = Prints::default();
        let on_cpu = texts::cpu(width, precision).on_print(|printed| prints.texts.push(printed));
        on_cpu.grid(1).block(1).run().unwrap();
        let report = texts(width, precision).on(&gpu).grid(1).block(1).run().unwrap();
        for prints in [prints, report.prints] {
            assert_eq!(prints.of_thread([0; 3], [0; 3]), expected);
        }
    }
    let of_cpu = texts::cpu(1 << 40, 0).grid(1).block(1).run().unwrap_err();
    let of_device = texts(1 << 40, 0).on(&gpu).grid(1).block(1).run().unwrap_err();
    for error in [of_cpu, of_device] {
        let Error::KernelPanicked { message, .. } = error else { panic!("{error}") };
        assert_eq!(message, refused(1 << 40));
    }
}
