//! PTX as text: loaded, launched, and refused with what is wrong.

use std::time::{Duration, Instant};

use expect_test::{Expect, expect};
use kernel_runtime::prelude::*;
use kernel_runtime::{Arch, PtxFunction};

const TEXT: &str = "
.version 7.0
.target sm_75
.address_size 64
.global .align 4 .u32 calls;

.visible .entry scale(.param .u64 x, .param .u32 n, .param .f32 a)
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    ld.param.f32 %f1, [a];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.s32 %r5, %r2, %r3, %r4;
    setp.ne.u32 %p1, %r5, 0;
    @%p1 bra NEXT;
    ld.global.u32 %r6, [calls];
    add.u32 %r6, %r6, 1;
    st.global.u32 [calls], %r6;
NEXT:
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra END;
    mul.wide.u32 %rd2, %r5, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f2, [%rd3];
    mul.rn.f32 %f3, %f2, %f1;
    st.global.f32 [%rd3], %f3;
END:
    ret;
}

.visible .entry pair(.param .u64 out, .param .align 4 .b8 values[8]) .reqntid 1, 1, 1
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [values];
    ld.param.u32 %r2, [values+4];
    ld.global.u32 %r3, [calls];
    st.global.u32 [%rd1], %r1;
    st.global.u32 [%rd1+4], %r2;
    st.global.u32 [%rd1+8], %r3;
    ret;
}
";

/// The simulator, and a GPU where there is one.
fn devices() -> Vec<Gpu> {
    let mut all = vec![Gpu::simulator(Arch::Sm90)];
    all.extend(Gpu::cuda(0).ok());
    all
}

fn function(name: &str) -> Result<PtxFunction> {
    Gpu::simulator(Arch::Sm90).load_ptx(TEXT)?.function(name)
}

#[test]
fn kernels_of_a_text_share_its_variables() -> Result<()> {
    for gpu in devices() {
        let module = gpu.load_ptx(TEXT)?;
        assert_eq!(module.functions().collect::<Vec<_>>(), ["scale", "pair"]);
        let mut x = gpu.upload(&(0..1000).map(|i| i as f32).collect::<Vec<f32>>())?;
        let scale = module.function("scale")?;
        // SAFETY: the kernel stays below `n`.
        let report = unsafe { scale.launch().arg(&mut x).arg(1000u32).arg(0.5f32).over(1000).run()? };
        assert_eq!(report.kernel, "scale");
        // SAFETY: as above; a signed length is as good.
        unsafe { scale.launch().arg(&mut x).arg(1000i32).arg(4.0f32).grid(4).block(256).run()? };
        assert_eq!(x.to_vec()?, (0..1000).map(|i| 2.0 * i as f32).collect::<Vec<f32>>());
        let mut out = gpu.zeros::<u32>(3)?;
        let values = [7u32, 8].map(u32::to_ne_bytes).concat();
        // SAFETY: one thread writes three words.
        unsafe { module.function("pair")?.launch().arg(&mut out).arg(&values[..]).grid(1).run()? };
        assert_eq!(out.to_vec()?, [7, 8, 2]);
    }
    Ok(())
}

#[test]
fn structs_are_passed_by_reference() -> Result<()> {
    #[derive(Clone, Copy, Element)]
    #[repr(C)]
    struct Pair {
        first: u32,
        second: f32,
    }

    for gpu in devices() {
        let pair = gpu.load_ptx(TEXT)?.function("pair")?;
        let mut out = gpu.zeros::<u32>(3)?;
        // SAFETY: one thread writes three words.
        unsafe { pair.launch().arg(&mut out).arg(&Pair { first: 3, second: 1.5 }).grid(1).run()? };
        assert_eq!(out.to_vec()?[..2], [3, 1.5f32.to_bits()]);
        // SAFETY: as above.
        unsafe { pair.launch().arg(&mut out).arg(&[4u16, 5, 6, 7]).grid(1).run()? };
        assert_eq!(out.to_vec()?[..2], [4 | 5 << 16, 6 | 7 << 16]);
        // SAFETY: it is refused.
        let error = unsafe { pair.launch().arg(&mut out).arg(&[1u32; 3]).grid(1).run() };
        check(
            error,
            expect![
                "launch of `pair` refused: expected `values`: 8 bytes as argument 2, found a reference to a value of 12 bytes"
            ],
        );
        // SAFETY: it is refused.
        #[expect(clippy::needless_borrows_for_generic_args, reason = "references are what is refused")]
        let error = unsafe { pair.launch().arg(&0u64).arg(&[1u32; 2]).grid(1).run() };
        check(
            error,
            expect![
                "launch of `pair` refused: expected `out`: `.u64` as argument 1, found a reference to a value of 8 bytes"
            ],
        );
    }
    Ok(())
}

fn check<T>(result: Result<T>, expected: Expect) {
    expected.assert_eq(&result.err().expect("an error").to_string());
}

#[test]
fn what_is_wrong_with_a_text() {
    let gpu = Gpu::simulator(Arch::Sm90);
    check(
        gpu.load_ptx(&TEXT.replace("mul.rn.f32", "mul.rn.f31")),
        expect![[r#"
            the PTX could not be loaded on simulator of sm_90: ptx:31:11: expected a modifier of 'mul', found '.f31'
            help: mend the text: `ptxas -arch=sm_90 FILE` assembles it without a GPU, and says where it is wrong"#]],
    );
    check(
        gpu.load_ptx(&TEXT.replace("%f3, %f2, %f1", "%f3, %f2, %rd1")),
        expect![[r#"
            the PTX could not be loaded on simulator of sm_90: ptx:31:5: in `scale`: operand 3: expected a register for .f32, found `%rd1`, a .b64 register
                mul.rn.f32 %f3, %f2, %rd1;
            help: mend the text: `ptxas -arch=sm_90 FILE` assembles it without a GPU, and says where it is wrong"#]],
    );
    check(
        gpu.load_ptx(&TEXT.replace("sm_75", "sm_100")),
        expect![[r#"
            the PTX could not be loaded on simulator of sm_90: its PTX is for sm_100, which sm_90 does not run
            help: open a device that runs it, as `Gpu::simulator` of sm_100 does, or compile for sm_90"#]],
    );
    check(
        function("scala"),
        expect![[r#"
        the PTX has no `.entry` named `scala`: it has `scale`, `pair`
        help: ask for one of these names; C++ compilers mangle those of kernels that are not `extern "C"`"#]],
    );
}

#[test]
fn what_is_wrong_with_a_launch() -> Result<()> {
    let scale = function("scale")?;
    let (here, elsewhere) = (Gpu::simulator(Arch::Sm90), Gpu::simulator(Arch::Sm90));
    let x = here.zeros::<f32>(4)?;
    let y = elsewhere.zeros::<f32>(4)?;
    let module = here.load_ptx(TEXT)?;
    let on_here = module.function("scale")?;
    // SAFETY: none of these launches starts.
    unsafe {
        check(
            scale.launch().arg(1u64).arg(2.5f32).arg(1.0f32).grid(1).block(1).run(),
            expect!["launch of `scale` refused: expected `n`: `.u32` as argument 2, found `f32`"],
        );
        check(
            scale.launch().arg(1u64).arg(2u64).arg(1.0f32).grid(1).block(1).run(),
            expect!["launch of `scale` refused: expected `n`: `.u32` as argument 2, found `u64`"],
        );
        check(
            scale.launch().arg(1u64).arg(2u32).grid(1).block(1).run(),
            expect!["launch of `scale` refused: expected `a`: `.f32` as argument 3, found none"],
        );
        check(
            scale.launch().arg(1u64).arg(2u32).arg(1f32).arg(1f32).grid(1).block(1).run(),
            expect!["launch of `scale` refused: expected no more as argument 4, found `f32`"],
        );
        check(
            on_here.launch().arg(&x).arg(&x).arg(1f32).grid(1).block(1).run(),
            expect!["launch of `scale` refused: expected `n`: `.u32` as argument 2, found a buffer"],
        );
        check(
            on_here.launch().arg(&y).arg(1u32).arg(1f32).grid(1).block(1).run(),
            expect![[r#"
            launch of `scale` refused: argument `x` is on another simulator of sm_90, but the launch is on simulator of sm_90
            help: pass buffers of one device, and that device to `.on`"#]],
        );
        check(
            on_here.launch().arg(&x).arg(1u32).arg(1f32).block(1).run(),
            expect![[r#"
            launch of `scale` refused: the grid size is missing
            help: say `.over(n)` for n threads, or `.grid(blocks).block(threads)`"#]],
        );
        check(
            function("pair")?.launch().arg(1u64).arg(&[0u8; 4][..]).grid(1).run(),
            expect!["launch of `pair` refused: expected `values`: 8 bytes as argument 2, found 4 bytes"],
        );
        check(
            function("pair")?.launch().arg(1u64).arg(&[0u8; 8][..]).grid(1).block(2).run(),
            expect![[r#"
            launch of `pair` refused: the block is 2 × 1 × 1, but the kernel says `block(1, 1, 1)`
            help: launch with exactly this block, or leave `.block` out"#]],
        );
        // On a GPU this is an error of the driver; the simulator knows the buffer.
        let outside =
            on_here.launch().arg(&x).arg(5u32).arg(1f32).grid(1).block(8).run().unwrap_err().to_string();
        assert!(
            outside.contains(
                "read of `x[4]` is out of bounds, right past its end: `x` is a buffer of 4 `f32` made at "
            ),
            "{outside}"
        );
        assert!(
            outside.contains("block (0, 0, 0), thread (4, 0, 0), PTX line 30, `ld.global.f32`"),
            "{outside}"
        );
    }
    Ok(())
}

/// A kernel that holds so many values at once: loads of all of them, whose order no assembler may change, before all uses.
fn hungry(values: u32, directives: &str) -> String {
    let mut text = format!(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry hungry(.param .u64 x) {directives}\n{{\n\
         .reg .b32 %r<{values}>;\n.reg .b32 %sum;\n.reg .b64 %rd;\nld.param.u64 %rd, [x];\n"
    );
    (0..values).for_each(|i| text += &format!("ld.volatile.global.u32 %r{i}, [%rd+{}];\n", 4 * i));
    text += "mov.u32 %sum, 0;\n";
    (0..values).for_each(|i| text += &format!("mad.lo.u32 %sum, %sum, 3, %r{};\n", values - 1 - i));
    text + "st.volatile.global.u32 [%rd], %sum;\nret;\n}\n"
}

#[test]
fn estimated_registers_refuse_no_launch() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut x = gpu.zeros::<u32>(100)?;
    let mut launch = |directives: &str, threads: u32| {
        let hungry = gpu.load_ptx(&hungry(100, directives))?.function("hungry")?;
        assert!(hungry.attributes().registers_estimated);
        // SAFETY: every thread reads the 100 elements, and writes the first.
        unsafe { hungry.launch().arg(&mut x).grid(1).block(threads).sanitize(false).run() }
    };
    // As many registers as are live at once: 65,536 of them are enough for 512 threads and more, not for 1,024.
    let report = launch("", 1024)?;
    let most = report.estimated_max_threads.expect("a warning");
    assert!((512..=640).contains(&most), "{most}");
    assert!(report.to_string().contains("warning: its registers, as estimated"), "{report}");
    assert_eq!(launch("", most)?.estimated_max_threads, None);
    // With bounds `ptxas` gives out no more than fit.
    assert_eq!(launch(".maxntid 1024, 1, 1", 1024)?.estimated_max_threads, None);
    assert_eq!(launch(".maxnreg 64", 1024)?.estimated_max_threads, None);
    assert_eq!(launch(".maxntid 512, 1, 1 .minnctapersm 2", 512)?.estimated_max_threads, None);
    Ok(())
}

/// A loop that polls memory by a counter, so that its state is never the same.
const POLLS: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry polls(.param .u64 flag)
{
    .reg .pred %p;
    .reg .b32 %r;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [flag];
    mov.u64 %rd2, 0;
LOOP:
    add.u64 %rd2, %rd2, 1;
    ld.volatile.global.u32 %r, [%rd1];
    setp.eq.u32 %p, %r, 0;
    @%p bra LOOP;
    ret;
}
";

#[test]
fn a_launch_says_how_long_a_loop_may_be_in_vain() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let flag = gpu.zeros::<u32>(1)?;
    let polls = gpu.load_ptx(POLLS)?.function("polls")?;
    let start = Instant::now();
    // SAFETY: it reads the one element.
    let stopped = unsafe { polls.launch().arg(&flag).grid(1).block(1).patience(Duration::ZERO).run() };
    let error = stopped.unwrap_err().to_string();
    assert!(error.contains("loop until `flag[0]` changes, which nobody does"), "{error}");
    // Three seconds are what it is given by default.
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    Ok(())
}

/// A text's bounds on a kernel's block are its own affair: a product beyond all numbers is no more than a bound that nobody reaches.
#[test]
fn bounds_whose_product_overflows_are_bounds() {
    for (directive, runs) in [
        (".maxntid 65536, 65536, 2", true),
        (".maxntid 4294967295, 4294967295, 4294967295", true),
        (".maxntid 4294967295, 0, 4294967295", false),
        (".reqntid 65536, 65536, 2", false),
    ] {
        let text = format!(
            ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k() {directive} {{ ret; }}"
        );
        let gpu = Gpu::simulator(Arch::Sm90);
        let module = gpu.load_ptx(&text).unwrap();
        let kernel = module.function("k").unwrap();
        // SAFETY: the kernel does nothing.
        let ran = unsafe { kernel.launch().grid(1).block(32).run() };
        assert_eq!(ran.is_ok(), runs, "{directive}: {ran:?}");
        let _ = kernel.best_block_size(0);
    }
}
