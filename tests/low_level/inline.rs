//! PTX of one's own in kernels: operands of every kind and type, several results, declarations, memory, what it needs.

use kernel_runtime::cpu::CpuLaunch;
use kernel_runtime::prelude::*;
use kernel_runtime::{DeviceBuffer, Launch};

use crate::devices;

/// Runs a kernel everywhere; each result must be what is expected.
fn agree(
    expected: impl Fn(u32) -> u32,
    cpu: impl for<'a> Fn(&'a [u32], &'a mut [u32]) -> CpuLaunch<'a>,
    device: impl for<'a> Fn(&'a DeviceBuffer<u32>, &'a mut DeviceBuffer<u32>) -> Launch<'a>,
) {
    let x: Vec<u32> = (0..100u32).map(|k| k.wrapping_mul(0x9e37_79b9)).collect();
    let expected: Vec<u32> = x.iter().map(|&v| expected(v)).collect();
    let mut out = vec![0; 100];
    cpu(&x, &mut out).grid(2).block(64).run().expect("the CPU runs it");
    assert_eq!(out, expected, "on the CPU");
    for gpu in devices() {
        let (x, mut out) = (gpu.upload(&x).expect("there is room"), gpu.zeros(100).expect("there is room"));
        device(&x, &mut out).grid(2).block(64).run().expect("the device runs it");
        assert_eq!(out.to_vec().expect("it is there"), expected, "on {gpu}");
    }
}

/// Kernels from `x[i]` to `out[i]`, and what rustc makes of the same.
macro_rules! inline {
    ($($name:ident |$v:ident| $body:block = |$w:ident| $expected:expr;)*) => {$(
        mod $name {
            #[allow(unused_imports)]
            use kernel_runtime::prelude::*;

            #[kernel]
            #[allow(unused_braces, clippy::undocumented_unsafe_blocks)]
            pub fn kernel(x: &[u32], out: &mut [u32]) {
                let i = global_idx().x;
                if i < x.len() && i < out.len() {
                    let $v = x[i];
                    out[i] = $body;
                }
            }
        }

        #[test]
        fn $name() {
            agree(|$w| $expected, |x, out| $name::kernel::cpu(x, out), |x, out| $name::kernel(x, out));
        }
    )*};
}

inline! {
    one_value |v| { unsafe { inline_ptx!("add.u32 {d}, {a}, {b};", d = out(u32), a = in(u32) v, b = in(u32) 7, options(pure, nomem), cpu = a.wrapping_add(b)) } }
        = |v| v.wrapping_add(7);
    without_names |v| { unsafe { inline_ptx!("xor.b32 {}, {}, {};", out(u32), in(u32) v, in(u32) v >> 3, cpu = v ^ (v >> 3)) } }
        = |v| v ^ (v >> 3);
    by_number |v| { unsafe { inline_ptx!("sub.u32 {2}, {1}, {0};", in(u32) 5, in(u32) v, out(u32), cpu = v.wrapping_sub(5)) } }
        = |v| v.wrapping_sub(5);
    two_values |v| {
        let (low, high) = unsafe {
            inline_ptx!(
                "mul.lo.u32 {low}, {a}, {b};",
                "mul.hi.u32 {high}, {a}, {b};",
                low = out(u32), high = out(u32), a = in(u32) v, b = in(u32) 0x1234_5678,
                options(pure, nomem),
                cpu = (a.wrapping_mul(b), ((a as u64 * b as u64) >> 32) as u32),
            )
        };
        low ^ high
    } = |v| v.wrapping_mul(0x1234_5678) ^ ((u64::from(v) * 0x1234_5678) >> 32) as u32;
    only_the_second_value |v| {
        let (_, high) = unsafe {
            inline_ptx!("mul.lo.u32 {0}, {2}, 77;", "mul.hi.u32 {1}, {2}, 77;", out(u32), out(u32), in(u32) v, options(pure, nomem),
                cpu = (v.wrapping_mul(77), ((v as u64 * 77) >> 32) as u32))
        };
        high
    } = |v| ((u64::from(v) * 77) >> 32) as u32;
    places |v| {
        let mut pair = (v, 0);
        let sum: u32;
        unsafe {
            inline_ptx!("add.u32 {s}, {a}, 1;", "not.b32 {t}, {a};", s = out(u32) sum, t = out(u32) pair.1, a = in(u32) pair.0,
                cpu = (a.wrapping_add(1), !a));
        }
        sum ^ pair.1.rotate_left(3)
    } = |v| v.wrapping_add(1) ^ (!v).rotate_left(3);
    read_and_written |v| {
        let mut s = v;
        for k in 0..4 {
            unsafe { inline_ptx!("mad.lo.u32 {s}, {s}, {s}, {k};", s = inout(u32) s, k = in(u32) k, cpu = s.wrapping_mul(s).wrapping_add(k)) };
        }
        let t: u32;
        unsafe { inline_ptx!("shl.b32 {s}, {s}, {n};", s = inout(u32) s => t, n = const 2 + 1, options(pure, nomem), cpu = s << 3) };
        t ^ s
    } = |v| { let s = (0..4).fold(v, |s, k| s.wrapping_mul(s).wrapping_add(k)); (s << 3) ^ s };
    written_before_all_is_read |v| {
        let mut s = v;
        let mut k = 0;
        while k < 5 {
            s = unsafe { inline_ptx!("mov.u32 {d}, 3;", "add.u32 {d}, {d}, {a};", d = out(u32), a = in(u32) s, cpu = a.wrapping_add(3)) };
            k += 1;
        }
        s
    } = |v| v.wrapping_add(15);
    declarations |v| {
        let mut s = 0;
        #[unroll]
        for k in 0..3u32 {
            s += unsafe {
                inline_ptx!(
                    ".reg .pred %big;
                     .reg .b32 %half;
                     shr.u32 %half, {a}, 1;
                     setp.gt.u32 %big, {a}, {limit};
                     @%big bra $small;
                     mov.u32 %half, {k};
                     $small:
                     mov.u32 {d}, %half;",
                    d = out(u32), a = in(u32) v, k = in(u32) k, limit = const 1u32 << 31,
                    cpu = if a > 1 << 31 { a >> 1 } else { k },
                ) >> 4
            };
        }
        s
    } = |v| (0..3).map(|k| (if v > 1 << 31 { v >> 1 } else { k }) >> 4).sum();
    predicates |v| {
        let odd = v % 2 == 1;
        let both = unsafe { inline_ptx!("and.pred {p}, {q}, {r};", p = out(bool), q = in(bool) odd, r = in(bool) v > 9, options(pure, nomem), cpu = q && r) };
        both as u32
    } = |v| u32::from(v % 2 == 1 && v > 9);
    wide |v| {
        let w = v as u64 * 0x1_0000_0001;
        let (lo, hi) = unsafe { inline_ptx!("mov.b64 {{{lo}, {hi}}}, {w};", lo = out(u32), hi = out(u32), w = in(u64) w, options(pure, nomem), cpu = (w as u32, (w >> 32) as u32)) };
        lo.wrapping_sub(hi) ^ hi
    } = |v| { let w = u64::from(v) * 0x1_0000_0001; (w as u32).wrapping_sub((w >> 32) as u32) ^ (w >> 32) as u32 };
    floats |v| {
        let f = (v >> 20) as f32;
        let g = unsafe { inline_ptx!("fma.rz.f32 {d}, {f}, {c}, {f};", d = out(f32), f = in(f32) f, c = const 0.5f32, options(pure, nomem), cpu = f * 1.5) };
        let h = unsafe { inline_ptx!("neg.f64 {d}, {a};", d = out(f64), a = in(f64) g as f64, options(pure, nomem), cpu = -a) };
        (-h) as u32
    } = |v| ((v >> 20) as f32 * 1.5) as u32;
    halves |v| {
        let h = f16::from_f32((v & 255) as f32);
        let g = unsafe { inline_ptx!("add.rn.f16 {d}, {a}, {a};", d = out(f16), a = in(f16) h, options(pure, nomem), cpu = a + a) };
        g.to_f32() as u32
    } = |v| (v & 255) * 2;
    memory |v| {
        let mut cell = [v, 1];
        let p = cell.as_mut_ptr();
        let old = unsafe {
            inline_ptx!("ld.u32 {old}, [{p} + 4];", "st.u32 [{p} + 4], {v};", old = out(u32), p = in(usize) p as usize, v = in(u32) v,
                cpu = { let p = p as *mut u32; let old = *p.add(1); *p.add(1) = v; old })
        };
        old + cell[1]
    } = |v| v.wrapping_add(1);
    generic |v| {
        fn twice<T: Number>(a: T) -> T { unsafe { inline_ptx!("add.s32 {d}, {a}, {a};", d = out(T), a = in(T) a, options(pure, nomem), cpu = a + a) } }
        twice(v >> 1) ^ twice((v >> 1) as i32) as u32
    } = |v| { let t = (v >> 1).wrapping_mul(2); t ^ t };
}

#[kernel]
fn lanes(out: &mut [u32]) {
    let i = global_idx().x;
    if i < out.len() {
        // SAFETY: it only reads a register.
        out[i] = unsafe { inline_ptx!("mov.u32 {lane}, %laneid;", lane = out(u32), options(nomem)) };
    }
}

#[test]
fn without_an_answer_for_the_cpu() {
    let mut out = [0; 4];
    let error = lanes::cpu(&mut out).over(4).run().expect_err("the CPU knows no PTX");
    assert!(error.to_string().contains("say what does in its place, `inline_ptx!(…, cpu = …)`"), "{error}");
    for gpu in devices() {
        let mut out = gpu.zeros(40).expect("there is room");
        lanes(&mut out).grid(1).block(64).run().expect("it runs");
        assert_eq!(out.to_vec().expect("it is there"), (0..40).map(|k| k % 32).collect::<Vec<u32>>());
    }
}

/// Needs sm_80.
#[kernel]
fn sum(x: &[u32], out: &mut [u32]) {
    let i = global_idx().x;
    // SAFETY: every lane of the warp comes here.
    out[i] = unsafe {
        inline_ptx!("redux.sync.add.u32 {d}, {a}, 0xffffffff;", d = out(u32), a = in(u32) x[i], options(nomem), cpu = warp::reduce_add(a))
    };
}

#[test]
fn it_raises_the_target() {
    assert_eq!(lanes::KERNEL.variants()[0].target, Arch::Sm75);
    assert_eq!(sum::KERNEL.variants()[0].target, Arch::Sm80);
    let gpu = Gpu::simulator(Arch::Sm90);
    let (x, mut out) =
        (gpu.upload(&[3u32; 32]).expect("there is room"), gpu.zeros(32).expect("there is room"));
    sum(&x, &mut out).grid(1).block(32).run().expect("it runs");
    assert_eq!(out.to_vec().expect("it is there"), [96; 32]);
    let mut out = [0; 32];
    sum::cpu(&[3; 32], &mut out).grid(1).block(32).run().expect("it runs");
    assert_eq!(out, [96; 32]);
}

#[test]
fn ptxas_takes_it() {
    let kernels = [
        ("two_values", two_values::kernel::KERNEL.ptx()),
        ("declarations", declarations::kernel::KERNEL.ptx()),
        ("predicates", predicates::kernel::KERNEL.ptx()),
        ("halves", halves::kernel::KERNEL.ptx()),
        ("memory", memory::kernel::KERNEL.ptx()),
        ("wide", wide::kernel::KERNEL.ptx()),
        ("lanes", lanes::KERNEL.ptx()),
    ];
    let named =
        kernels.map(|(name, ptx)| (name, ptx.replace("entry kernel(", &format!("entry kernel_{name}("))));
    let modules: Vec<(&str, &str)> = named.iter().map(|(name, ptx)| (*name, ptx.as_str())).collect();
    for module in modules {
        if tests::toolchain::assemble_all_everywhere(&[module]).is_none() {
            return;
        }
    }
}

/// Memory of the tensor cores of compute capability 10.0: 32 columns, written and read back.
#[kernel(arch(sm_100a), block(128))]
fn tensor_memory(out: &mut [u32]) {
    let place = shared::<[u32; 4]>();
    let i = global_idx().x;
    // SAFETY: each warp that allocates columns frees them, and all its lanes come here.
    let read = unsafe {
        inline_ptx!(
            ".reg .b64 %at; .reg .b32 %base, %to;",
            "cvta.to.shared.u64 %at, {place};",
            "cvt.u32.u64 %to, %at;",
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%to], 32;",
            "ld.shared.b32 %base, [%to];",
            "tcgen05.st.sync.aligned.32x32b.x1.b32 [%base], {{{value}}};",
            "tcgen05.wait::st.sync.aligned;",
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {{{read}}}, [%base];",
            "tcgen05.wait::ld.sync.aligned;",
            "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32;",
            place = in(usize) place.as_ptr().add(thread_idx().x / 32) as usize,
            value = in(u32) i as u32,
            read = out(u32),
        )
    };
    if i < out.len() {
        out[i] = read;
    }
}

/// There is no such GPU at hand: the assembler takes it, and the simulator says what it lacks.
#[test]
fn tensor_memory_is_for_the_assembler() {
    let variant = &tensor_memory::KERNEL.variants()[0];
    if let Some(ptxas) = tests::toolchain::require_or_skip(tests::toolchain::Ptxas::find()) {
        ptxas.assemble(variant.ptx, Arch::Sm100a).expect("it is PTX");
    }
    let gpu = Gpu::simulator(Arch::Sm100a);
    let mut out = gpu.zeros(128).expect("there is room");
    let error = tensor_memory(&mut out).grid(1).run().expect_err("the simulator has no tensor memory");
    assert!(error.to_string().contains("tcgen05"), "{error}");
}

#[test]
fn pure_ptx_is_left_out_where_nobody_wants_it() {
    let ptx = only_the_second_value::kernel::KERNEL.ptx();
    assert_eq!(ptx.matches("mul.hi.u32").count(), 1, "{ptx}");
    let ptx = declarations::kernel::KERNEL.ptx();
    // Three copies of the body, each with names of its own.
    assert_eq!(ptx.matches(".reg .pred %big;").count(), 3, "{ptx}");
}
