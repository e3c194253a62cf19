//! Profiles of kernels whose counts are known, and which regime they are in.

use expect_test::{Expect, expect};

use super::{Profile, Regime};
use crate::{
    Arch, ElementType, Gpu, Kernel, KernelData, Launch, PanicKind, ParamData, ParamKind, Remark, RemarkKind,
    Variant,
};

/// A kernel `k(x, y)` of two buffers, whose body has `%i` (index), `%x` and `%y` (addresses of its element of 4 bytes).
fn text(body: &str) -> String {
    text_of(".param .u64 x, .param .u64 y", body)
}

fn text_of(parameters: &str, body: &str) -> String {
    format!(
        ".version 7.0
.target sm_75
.address_size 64
.file 1 \"no/such/file.rs\"
.const .align 4 .b8 constants[128];
.visible .entry k({parameters})
{{
    .reg .pred %p<4>;
    .reg .b32 %i, %t, %n, %r<16>;
    .reg .f32 %f<16>;
    .reg .f64 %d<4>;
    .reg .b64 %x, %y, %o, %rd<16>;
    .shared .align 4 .b8 tile[4224];
    .loc 1 1 1
    ld.param.u64 %x, [x];
    ld.param.u64 %y, [y];
    mov.u32 %t, %tid.x;
    mov.u32 %i, %ctaid.x;
    mov.u32 %n, %ntid.x;
    mad.lo.s32 %i, %i, %n, %t;
    mul.wide.u32 %o, %i, 4;
    add.s64 %x, %x, %o;
    add.s64 %y, %y, %o;
    .loc 1 2 1
{body}
    .loc 1 9 1
    ret;
}}
"
    )
}

fn profile(body: &str, blocks: u32, threads: u32) -> Profile {
    profile_on(Arch::Sm90, body, blocks, threads)
}

fn profile_on(arch: Arch, body: &str, blocks: u32, threads: u32) -> Profile {
    let gpu = Gpu::simulator(arch);
    let elements = (blocks * threads) as usize;
    let x = gpu.upload(&vec![1.0f32; 32 * elements]).unwrap();
    let mut y = gpu.zeros::<f32>(elements).unwrap();
    let module = gpu.load_ptx(&text(body)).unwrap();
    let launch = module.function("k").unwrap().launch().arg(&x).arg(&mut y).grid(blocks).block(threads);
    // SAFETY: every body stays inside the buffers. What they race for does not matter here.
    let report = unsafe { launch.sanitize(false).profile().run() }.unwrap();
    report.profile().unwrap().clone()
}

/// The hints of a kernel about whose line 2 the compiler made this remark.
fn hints_with(remark: RemarkKind, body: &str, blocks: u32, threads: u32) -> Vec<String> {
    const X_AND_Y: [ParamData; 2] = [
        ParamData { name: "x", kind: ParamKind::Slice { element: F32, mutable: false } },
        ParamData { name: "y", kind: ParamKind::Slice { element: F32, mutable: true } },
    ];
    const F32: ElementType = ElementType::of::<f32>("f32");
    let remark = Remark { kind: remark, count: 1, file: "no/such/file.rs", line: 2, column: 1 };
    let parameters = ".param .u64 x, .param .u32 x_len, .param .u64 y, .param .u32 y_len";
    let variant = Variant {
        target: Arch::Sm75,
        entry: "k",
        ptx: text_of(parameters, body).leak(),
        remarks: vec![remark].leak(),
        ..Variant::EMPTY
    };
    let variants = vec![variant].leak();
    let data = KernelData { name: "k", variants, params: &X_AND_Y, ..KernelData::EMPTY };
    // SAFETY: the data describes the parameters of its PTX, and the arguments are those.
    let (kernel, launch) = unsafe {
        let kernel: &Kernel = Box::leak(Box::new(Kernel::new(Box::leak(Box::new(data)))));
        (kernel, Launch::new(kernel))
    };
    let gpu = Gpu::simulator(Arch::Sm90);
    let elements = (blocks * threads) as usize;
    let (x, mut y) = (gpu.upload(&vec![1.0f32; 32 * elements]).unwrap(), gpu.zeros::<f32>(elements).unwrap());
    let mut launch = launch;
    launch.slice("x", &x);
    launch.slice_mut("y", &mut y);
    let report = launch.grid(blocks).block(threads).profile().run().unwrap();
    assert_eq!(kernel.name(), report.kernel);
    report.profile().unwrap().estimate.hints.clone()
}

const COPY: &str = "ld.global.f32 %f1, [%x]; st.global.f32 [%y], %f1;";

/// The lines, with what is counted exactly.
fn check_lines(profile: &Profile, expected: Expect) {
    let line = |line: &super::LineProfile| {
        let counts = &line.counts;
        format!(
            "{}: {} issued, {} lanes, {} operations, {} sectors of {}, {} passes of {}\n",
            profile.place(line),
            counts.warp_instructions,
            counts.predicated_on_thread_instructions,
            counts.operations,
            counts.sectors,
            counts.ideal_sectors,
            counts.wavefronts,
            counts.ideal_wavefronts
        )
    };
    expected.assert_eq(&profile.lines.iter().map(line).collect::<String>());
}

#[test]
fn counts_by_line_add_up() {
    let found = profile(COPY, 4, 64);
    check_lines(
        &found,
        expect![[r#"
        no/such/file.rs:1: 72 issued, 2304 lanes, 0 operations, 0 sectors of 0, 0 passes of 0
        no/such/file.rs:2: 16 issued, 512 lanes, 0 operations, 64 sectors of 64, 0 passes of 0
        no/such/file.rs:9: 8 issued, 256 lanes, 0 operations, 0 sectors of 0, 0 passes of 0
    "#]],
    );
    assert_eq!(found.footprint, (4 * 64 * 4, 4 * 64 * 4));
    assert_eq!(
        found.mix.iter().map(|row| row.warp_instructions).sum::<u64>(),
        found.counts.warp_instructions
    );
    let by_instruction = found.instructions.iter().map(|one| one.counts.warp_instructions).sum::<u64>();
    assert_eq!(by_instruction, found.counts.warp_instructions);
    let whats: Vec<&str> = found.memory.iter().map(|row| row.what.as_str()).collect();
    assert_eq!(whats, ["global loads", "global stores"]);
}

#[test]
fn what_was_loaded_before_is_near() {
    let found = profile("ld.global.f32 %f1, [%x]; ld.global.f32 %f2, [%x]; st.global.f32 [%y], %f2;", 2, 32);
    assert_eq!((found.counts.sectors, found.counts.near_sectors), (2 * 12, 2 * 4));
    assert_eq!(found.footprint, (2 * 128, 2 * 128));
}

#[test]
fn accesses_that_waste_are_hinted_at() {
    let strided = "mul.wide.u32 %rd1, %i, 124; add.s64 %rd1, %x, %rd1; ld.global.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    let column =
        "mov.u32 %r1, tile; shl.b32 %r2, %t, 7; add.u32 %r1, %r1, %r2; st.shared.f32 [%r1], 0f00000000;";
    let divergent =
        "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra ODD; add.u32 %r2, %r1, 1; add.u32 %r2, %r2, 1;
         add.u32 %r2, %r2, 1; add.u32 %r2, %r2, 1; ODD:";
    let hints = [strided, column, divergent].map(|body| {
        let found = profile(body, 1, 32);
        let first = found.estimate.hints.first().cloned().unwrap_or_default();
        format!("{first}\n")
    });
    expect![[r#"
        77.8 % of the sectors of global memory are more than packed accesses take; most at no/such/file.rs:2: neighbouring lanes are 128 bytes apart: let neighbouring threads access neighbouring elements, of an array for each field instead of one of structs; a thread with several elements takes them at a distance of the number of threads
        96.9 % of the passes over shared memory are bank conflicts; most at no/such/file.rs:2: lanes access different words of one bank, which are 32 words apart: neighbouring lanes are 128 bytes apart: let them access neighbouring words, or, in a column of a shared matrix, make its rows longer by an element, `[[f32; 33]; 32]`
        88.2 % of the lanes were active, the others were elsewhere; most at no/such/file.rs:2, with 16.0 of 32 lanes on average, where they part most often at no/such/file.rs:2: sort or part the data so that the lanes of a warp go one way; let a condition on the thread's index hold for whole warps, `t < n` rather than `t % 2 == 0`; give parts of few elements fewer lanes, `warp::reduce_add_width(v, 8)`
    "#]]
    .assert_eq(&hints.concat());
}

/// A kernel with one cause of slowness, and one without it.
struct Case {
    /// Part of the hint.
    hint: &'static str,
    slow: (String, u32, u32),
    fast: (String, u32, u32),
}

/// A loop of so many iterations.
fn counting(iterations: u32) -> String {
    format!(
        "mov.u32 %r2, 0; LOOP: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, {iterations}; @%p1 bra LOOP; st.global.u32 [%y], %r2;"
    )
}

#[test]
fn each_cause_has_its_hint() {
    let copy = |threads: u32| (COPY.to_owned(), 8192 / threads, threads);
    let many = |text: &str| (text.to_owned(), 64, 128);
    let held = |count: usize| {
        let of_each = |what: fn(usize) -> String| (0..count).map(what).collect::<String>();
        let (loads, sums) = (
            of_each(|k| format!("cvt.rn.f32.u32 %g{k}, %i;")),
            of_each(|k| format!("add.f32 %f1, %f1, %g{k};")),
        );
        move |chase: &str| {
            format!(
                ".reg .f32 %g<256>; mov.f32 %f1, 0f00000000; {loads} {chase} {sums} st.global.f32 [%y], %f1;"
            )
        }
    };
    let of = |hint, slow: &str, fast: &str| Case { hint, slow: many(slow), fast: many(fast) };
    let constant =
        "mov.u64 %rd1, constants; and.b32 %r1, %t, 31; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
        ld.const.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    let uniform = "ld.const.f32 %f1, [constants+8]; st.global.f32 [%y], %f1;";
    let windows = (0..16).map(|k| format!("ld.global.f32 %f1, [%x+{}]; add.f32 %f2, %f2, %f1;", 4 * k));
    let windows =
        format!("mov.f32 %f2, 0f00000000; {} st.global.f32 [%y], %f2;", windows.collect::<String>());
    let bytes =
        "cvt.u64.u32 %rd1, %i; ld.param.u64 %rd2, [x]; add.s64 %rd2, %rd2, %rd1; ld.global.u8 %r1, [%rd2];
        ld.param.u64 %rd3, [y]; add.s64 %rd3, %rd3, %rd1; st.global.u8 [%rd3], %r1;";
    let stray = "ld.global.f32 %f1, [%x]; cvt.f64.f32 %d1, %f1; add.f64 %d1, %d1, %d1; cvt.rn.f32.f64 %f1, %d1; st.global.f32 [%y], %f1;";
    let meant = "mov.f64 %d1, 0d3ff0000000000000; add.f64 %d1, %d1, %d1; cvt.rzi.u32.f64 %r1, %d1; st.global.u32 [%y], %r1;";
    let floats =
        |body: &str| format!("ld.global.f32 %f1, [%x]; {} st.global.f32 [%y], %f1;", body.repeat(32));
    let integers = |body: &str| format!("mov.u32 %r1, %i; {} st.global.u32 [%y], %r1;", body.repeat(32));
    let one_block = "mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 7; @%p1 bra END;";
    let chase = "ld.volatile.global.u32 %r1, [%rd1]; and.b32 %r1, %r1, 0; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %x, %rd2;";
    let chase = format!("mov.u64 %rd1, %x; {}", chase.repeat(8));
    let spaced = "ld.volatile.global.u32 %r1, [%x]; st.global.u32 [%y], %r1;".repeat(8);
    let fenced = |fence: &str| format!("{fence} red.global.add.u32 [%y], 1;").repeat(4);
    let wide = |ty: &str| {
        let (division, same) =
            (format!("div.{ty} %q, %q, %m;").repeat(32), "cvt.u64.u32 %q, %i; cvt.u64.u32 %m, %n;");
        match ty {
            "u64" => {
                format!(".reg .b64 %q, %m; {same} {division} cvt.u32.u64 %r1, %q; st.global.u32 [%y], %r1;")
            }
            _ => format!(
                ".reg .b32 %q, %m; mov.u32 %q, %i; mov.u32 %m, %n; {division} st.global.u32 [%y], %q;"
            ),
        }
    };
    let of_lanes = |bytes: u32| {
        let load = |k: usize| {
            format!(
                "ld.global.f32 %f1, [%rd1+{}]; add.f32 %f2, %f2, %f1; st.shared.f32 [tile], %f2;",
                512 * k
            )
        };
        let loads: String = (0..40).map(load).collect();
        format!(
            "mov.f32 %f2, 0f00000000; and.b32 %r1, %t, 31; mul.wide.u32 %rd1, %r1, {bytes}; ld.param.u64 %rd2, [x]; add.s64 %rd1, %rd2, %rd1; {loads} st.global.f32 [%y], %f2;"
        )
    };
    let row = |k: usize| format!("ld.global.f32 %f1, [%rd1+{}]; st.shared.f32 [tile], %f1;", 512 * k);
    let table: String = (0..32).map(row).collect();
    let table = format!(
        "mul.wide.u32 %rd1, %t, 4; ld.param.u64 %rd2, [x]; add.s64 %rd1, %rd2, %rd1; {table} st.global.f32 [%y], %f1;"
    );
    let shuffled = "mov.u32 %r1, tile; mul.lo.u32 %r2, %i, %i; mul.lo.u32 %r2, %r2, 10628; and.b32 %r2, %r2, 4092; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %i;"
        .to_owned();
    let shifted = "ld.global.f32 %f1, [%x+4]; st.global.f32 [%y], %f1;";
    let all_shifted = "ld.global.f32 %f1, [%x+4]; st.global.f32 [%x+1028], %f1;";
    let words = |shift: u32| {
        format!(
            "mov.u32 %r1, tile; shr.b32 %r2, %t, {shift}; shl.b32 %r2, %r2, 2; add.u32 %r1, %r1, %r2; {}",
            "atom.shared.add.u32 %r3, [%r1], 1;".repeat(4)
        )
    };
    let most_end = "mov.u32 %r1, %ctaid.x; setp.gt.u32 %p1, %r1, 3; @%p1 bra END; ";
    let products = |ty: &str| {
        let product = match ty {
            "u64" => "mul.lo.u64 %rd1, %rd1, %rd1;",
            _ => "mul.lo.u32 %r1, %r1, %r1;",
        };
        let (products, same) = (product.repeat(64), "cvt.u64.u32 %rd1, %i; mov.u32 %r1, %i;");
        format!("{same} {products} cvt.u32.u64 %r2, %rd1; add.u32 %r2, %r2, %r1; st.global.u32 [%y], %r2;")
    };
    let barriers = |count: usize| {
        let body =
            "st.shared.u32 [tile], %i; bar.sync 0; ld.shared.u32 %r1, [tile]; bar.sync 0;".repeat(count);
        format!("{body} st.global.u32 [%y], %r1;")
    };
    let lane = |last: u32| {
        let work = "add.u32 %r2, %r2, 1;".repeat(32);
        format!(
            "mov.u32 %r2, 0; and.b32 %r1, %t, 31; setp.gt.u32 %p1, %r1, {last}; @%p1 bra END; {work} END: st.global.u32 [%y], %r2;"
        )
    };
    let column = |pitch: u32| {
        format!(
            "mov.u32 %r1, tile; mul.lo.u32 %r2, %t, {pitch}; and.b32 %r2, %r2, 4095; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], %i;"
        )
    };
    let scattered = "mul.lo.u32 %r1, %i, %i; mul.lo.u32 %r1, %r1, 10628; and.b32 %r1, %r1, 131068; cvt.u64.u32 %rd1, %r1; ld.param.u64 %rd2, [x]; add.s64 %rd1, %rd2, %rd1;
        ld.global.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    let far = "mul.wide.u32 %rd1, %i, 2048; and.b64 %rd1, %rd1, 131071; ld.param.u64 %rd2, [x]; add.s64 %rd1, %rd2, %rd1; ld.global.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    let strided = "mul.wide.u32 %rd1, %i, 124; ld.param.u64 %rd2, [x]; add.s64 %rd1, %rd2, %rd1; ld.global.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    // Pairs of lanes; sixteen counters in two sectors.
    let pairs = "shr.b32 %r1, %i, 1; mul.wide.u32 %rd1, %r1, 512; and.b64 %rd1, %rd1, 131071; and.b32 %r2, %i, 1; mul.wide.u32 %rd3, %r2, 4; ld.param.u64 %rd2, [x];
        add.s64 %rd1, %rd2, %rd1; add.s64 %rd1, %rd1, %rd3; ld.global.f32 %f1, [%rd1]; st.global.f32 [%y], %f1;";
    let counters = "and.b32 %r1, %t, 15; mul.wide.u32 %rd1, %r1, 4; ld.param.u64 %rd2, [y]; add.s64 %rd1, %rd2, %rd1; red.global.add.u32 [%rd1], 1;";
    let one_of_block =
        "setp.ne.u32 %p1, %t, 0; @%p1 bra END; ld.param.u64 %rd1, [y]; red.global.add.u32 [%rd1], 1; END:";
    let loads = |kind: &str| {
        format!("{} st.global.f32 [%y], %f1;", format!("ld{kind}.global.f32 %f1, [%x];").repeat(8))
    };
    let until = |last: u32| {
        format!(
            "setp.gt.u32 %p1, %t, {last}; @%p1 bra MEET; {} MEET: bar.sync 0; st.global.u32 [%y], %i;",
            counting(200)
        )
    };
    let cases = [
        of("2 lanes access neighbouring elements, the next 2 others", pairs, strided),
        of(
            "atomic operations in global memory go to 64 bytes, 8 of each block to each word",
            counters,
            "red.global.add.u32 [%y], 1;",
        ),
        of("are on one address", "ld.param.u64 %rd1, [y]; red.global.add.u32 [%rd1], 1;", one_of_block),
        Case {
            hint: "are on one address",
            slow: ("ld.param.u64 %rd1, [y]; red.global.add.u32 [%rd1], 1;".to_owned(), 64, 128),
            fast: (one_of_block.to_owned(), 4096, 32),
        },
        of("loads past the caches", &loads(".volatile"), &loads("")),
        of("the busiest warp of a block executes 3", &until(31), &until(127)),
        of("load what is independent before", &spaced, &chase),
        of("each load needs the address that the one before brought", &chase, &spaced),
        of("fences of `Ordering::SeqCst`", &fenced("fence.sc.gpu;"), &fenced("fence.acq_rel.gpu;")),
        of("they are of 64 bits", &wide("u64"), &wide("u32")),
        Case {
            hint: "blocks load the same 16.4 k bytes of global memory",
            slow: (table.clone(), 4096, 128),
            fast: (table, 1024, 128),
        },
        of("all lanes of a warp load the same element", &of_lanes(0), &of_lanes(4)),
        // Two loads of one line, and one of another line that takes as many sectors as each of them.
        of("are 124 bytes apart", &format!("{strided} {strided} .loc 1 3 1 {scattered}"), scattered),
        of("look-ups at places that data decide", &shuffled, &column(128)),
        of("more than packed accesses take", strided, shifted),
        of("are 124 bytes apart", strided, far),
        of("are 2048 bytes apart, as in a column", far, strided),
        of("have no common distance", scattered, strided),
        of("begin inside of a sector", all_shifted, shifted),
        Case {
            hint: "are 128 bytes apart: let them access neighbouring words, or, in a column",
            slow: (column(128), 64, 32),
            fast: (column(132), 64, 32),
        },
        Case {
            hint: "are 16 bytes apart: let them access neighbouring words, of an array for each field",
            slow: (column(16), 64, 32),
            fast: (column(4), 64, 32),
        },
        of("lanes of each atomic operation in shared memory meet at one word", &words(5), &words(0)),
        of("let the lanes share what one does", &lane(0), &lane(15)),
        of("`t < n` rather than `t % 2 == 0`", &lane(15), &lane(31)),
        of(
            "only 6.2 % of the warps access memory",
            &format!("{most_end} st.global.u32 [%y], %i; END:"),
            COPY,
        ),
        of("products of integers of 64 bits", &products("u64"), &products("u32")),
        of("barriers of its block", &barriers(8), &barriers(1)),
        Case {
            hint: "133 blocks for 132 SMs are 2 for some and 1 for others",
            slow: (products("u64").repeat(40), 133, 512),
            fast: (products("u64").repeat(40), 132, 512),
        },
        Case { hint: "without a thread: take a multiple of 32", slow: copy(16), fast: copy(64) },
        of("loads of constants take 32", constant, uniform),
        of(
            "are on one address",
            "ld.param.u64 %rd1, [y]; red.global.add.u32 [%rd1], 1;",
            "red.global.add.u32 [%y], 1;",
        ),
        of("blocks load each sector of global memory", &windows, COPY),
        of("is written 4 times on average", &"st.global.u32 [%y], %i;".repeat(4), "st.global.u32 [%y], %i;"),
        of("lanes access a byte of global memory at a time", bytes, COPY),
        of("compute in f64", stray, meant),
        of(
            "divisions and remainders of integers",
            &integers("div.u32 %r1, %r1, %n;"),
            &integers("shr.u32 %r1, %r1, 1;"),
        ),
        of(
            "exact to the last bit",
            &floats("div.rn.f32 %f1, %f1, %f1;"),
            &floats("div.approx.f32 %f1, %f1, %f1;"),
        ),
        Case {
            hint: "block number 7 executes",
            slow: (format!("{one_block} {} END:", counting(2000)), 64, 64),
            fast: (counting(40), 64, 64),
        },
        Case { hint: "4 blocks for 132 SMs", slow: (counting(2000), 4, 64), fast: (counting(2000), 264, 64) },
        Case {
            hint: "limited by shared memory: a block has 44224 bytes of shared memory",
            slow: (format!(".shared .align 4 .b8 big[40000]; {chase}"), 1024, 128),
            fast: (chase.clone(), 1024, 128),
        },
        Case {
            hint: "limited by registers: a thread has about",
            slow: (held(200)(&chase), 1024, 128),
            fast: (held(8)(&chase), 1024, 128),
        },
        Case {
            hint: "limited by block slots: blocks of 64 threads would put 64 warps there",
            slow: (chase.clone(), 8192, 32),
            fast: (chase, 1024, 256),
        },
    ];
    let mut wrong = Vec::new();
    for Case { hint, slow, fast } in cases {
        for (body, blocks, threads, is_wanted) in
            [(slow.0, slow.1, slow.2, true), (fast.0, fast.1, fast.2, false)]
        {
            let found = profile(&body, blocks, threads).estimate.hints;
            if found.iter().any(|found| found.contains(hint)) != is_wanted {
                wrong.push((hint, is_wanted, found));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Kernels that have what a hint looks for, but not for a cause that the hint's advice removes.
#[test]
fn hints_are_silent_where_they_do_not_help() {
    // A third of the warps each: by block, and by warp.
    let parts = |by: &str| {
        format!(
            "{by} rem.u32 %r1, %r1, 3; setp.eq.u32 %p1, %r1, 0; @%p1 bra FIRST; setp.eq.u32 %p1, %r1, 1; @%p1 bra SECOND;
             st.global.u32 [%y], %i; bra END; FIRST: ld.global.u32 %r2, [%x]; st.global.u32 [%y], %r2; bra END;
             SECOND: st.global.u32 [%y], %t; END:"
        )
    };
    // One block is full, the other one has a single element.
    let one_more = format!("setp.gt.u32 %p1, %i, 1024; @%p1 bra END; {COPY} END:");
    let work = (0..64).map(|k| format!("fma.rn.f32 %f{}, %f1, %f1, %f1;", 2 + k % 8)).collect::<String>();
    let steps =
        format!("st.shared.f32 [tile], %f1; bar.sync 0; {work} ld.shared.f32 %f10, [tile]; bar.sync 0;")
            .repeat(8);
    let product = format!("mov.f32 %f1, 0f3f800000; {steps} st.global.f32 [%y], %f9;");
    let cases = [
        ("have nothing to do", parts("mov.u32 %r1, %ctaid.x;"), 64, 128),
        ("have nothing to do", parts("shr.u32 %r1, %t, 5;"), 64, 192),
        ("times as many instructions as blocks do on average", one_more, 2, 1024),
        ("barriers of its block", product, 1024, 256),
    ];
    for (hint, body, blocks, threads) in cases {
        let found = profile(&body, blocks, threads);
        let hints = &found.estimate.hints;
        assert!(!hints.iter().any(|found| found.contains(hint)), "{hint}: {found}");
        let stalls = &found.counts.stalls;
        let at_barriers = stalls.get(super::Stall::Barrier) as f64 / stalls.total() as f64;
        assert!(at_barriers > 0.15 || !hint.starts_with("barriers"), "{at_barriers}: {found}");
    }
}

/// Hints that come from what the compiler says of a line, and from what the launch makes of it.
#[test]
fn remarks_are_hints_where_they_matter() {
    let check = |in_front| RemarkKind::CheckLeft { check: PanicKind::Index, in_front };
    let exact = RemarkKind::ExactFunction { name: "sin" };
    let work = "fma.rn.f32 %f1, %f1, %f1, %f1;".repeat(64);
    let computed = format!("mov.f32 %f1, 0f3f800000; {work} st.global.f32 [%y], %f1;");
    let mostly_work = format!(
        "mov.f32 %f1, 0f3f800000; mov.u32 %r2, 0; LOOP: {work} add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 8; @%p1 bra LOOP; st.global.f32 [%y], %f1;"
    );
    let looped = counting(200);
    let cases: [(&str, [(RemarkKind, &str); 2]); 4] = [
        ("a check is done at run time in a line with 16.7 %", [(check(false), COPY), (check(true), COPY)]),
        ("a check is done at run time", [(check(false), COPY), (RemarkKind::Contracted, COPY)]),
        (
            "which is not unrolled: `#[unroll]`",
            [(RemarkKind::KeptLoop, &looped), (RemarkKind::KeptLoop, &mostly_work)],
        ),
        ("in a line with `sin`, exact to the last bits", [(exact.clone(), &computed), (exact, COPY)]),
    ];
    for (hint, [(slow, slow_body), (fast, fast_body)]) in cases {
        let found = hints_with(slow, slow_body, 1024, 128);
        assert!(found.iter().any(|found| found.contains(hint)), "{hint}: {found:#?}");
        let found = hints_with(fast, fast_body, 1024, 128);
        assert!(!found.iter().any(|found| found.contains(hint)), "no {hint}: {found:#?}");
    }
}

#[test]
fn constants_are_no_global_memory() {
    let found = profile("ld.const.f32 %f1, [constants]; st.global.f32 [%y], %f1;", 2, 64);
    assert_eq!((found.counts.constant_requests, found.counts.constant_passes), (4, 4));
    assert_eq!((found.counts.global_requests, found.footprint), (4, (0, 512)));
}

#[test]
fn one_long_block_is_a_bound() {
    let body =
        format!("mov.u32 %r1, %ctaid.x; setp.ne.u32 %p1, %r1, 7; @%p1 bra END; {} END:", counting(2000));
    let found = profile(&body, 64, 64);
    let first = found.estimate.bounds.first().unwrap();
    assert_eq!((first.what.as_str(), first.regime), ("the longest block", Regime::Parallelism));
}

/// On a small device, which little work fills.
#[test]
fn regimes() {
    let arithmetic = "fma.rn.f32 %f2, %f1, %f1, %f1; fma.rn.f32 %f3, %f1, %f1, %f1;".repeat(64);
    let arithmetic = format!("mov.f32 %f1, 0f3f800000; {arithmetic} st.global.f32 [%y], %f3;");
    // Each load needs the one before, and none finds its value in the first-level cache.
    let chase = "ld.volatile.global.u32 %r1, [%rd1]; and.b32 %r1, %r1, 0; cvt.u64.u32 %rd2, %r1; add.s64 %rd1, %x, %rd2;";
    let chase = format!("mov.u64 %rd1, %x; {}", chase.repeat(8));
    let cases: &[(&str, &str, u32, Regime)] = &[
        ("copy", COPY, 1024, Regime::Bandwidth),
        ("arithmetic", &arithmetic, 1024, Regime::Compute),
        ("chase", &chase, 384, Regime::Latency),
        ("few blocks", &chase, 4, Regime::Parallelism),
        ("nearly nothing", "", 1, Regime::Parallelism),
    ];
    for (name, body, blocks, expected) in cases {
        let found = profile_on(Arch::Sm87, body, *blocks, 128);
        assert_eq!(found.estimate.regime, *expected, "{name}: {found}");
    }
}

#[test]
fn the_same_every_time() {
    let body =
        "and.b32 %r1, %t, 7; mul.wide.u32 %rd1, %r1, 4; add.s64 %rd1, %x, %rd1; ld.global.f32 %f1, [%rd1];
         bar.sync 0; st.global.f32 [%y], %f1;";
    let first = profile(body, 100, 96);
    assert!(first.counts.stalls.get(super::Stall::Barrier) > 0, "{:?}", first.counts.stalls);
    assert!(first.counts.stalls.get(super::Stall::Memory) > 0, "{:?}", first.counts.stalls);
    for _ in 0..4 {
        assert_eq!(profile(body, 100, 96), first);
    }
}

#[test]
fn json_and_back() {
    let found = profile(COPY, 4, 64);
    assert_eq!(Profile::from_json(&found.to_json()).unwrap(), found);
    assert!(Profile::from_json("{}").unwrap_err().contains("missing field"));
}

#[test]
fn as_text() {
    expect![[r#"
        k: 4 blocks of 64 threads on simulator of sm_90 (speeds of H200)
          bound by too little parallelism
            waiting of warps takes the most, 566 cycles (286 ns) at least; of memory bandwidth, second-level cache takes the most, 2.0 % of that
            the launch itself takes longer: about 2 µs
            4 blocks leave 128 of 132 SMs without work
            with many more such blocks it would be bound by memory bandwidth: device memory
            occupancy is 100 %, limited by warp slots and block slots
          worth a look
            97.7 % of the waiting of warps is for memory; most at no/such/file.rs:2
          cycles at least, by resource
            waiting of warps            ██████████      566    286 ns
            second-level cache          ▎              11.1   5.62 ns
            issue of instructions       ▏                 6   3.03 ns
            integer units               ▏                 4   2.02 ns
            first-level cache           ▏                 4   2.02 ns
            device memory                              0.84   0.43 ns
          counted (instructions of PTX)
            warp instructions               96
            thread instructions             3.07 k
            warp execution efficiency       100 %
            without lanes off by predicate  100 %
            branch efficiency               100 %
            floating-point operations       0
            memory touched, read            1.02 kB
            memory touched, written         1.02 kB
            occupancy                       100 %: 32 × 64 threads per SM, limited by warp slots and block slots
          instruction mix
            integer                     ███▍         33.3 %
            move                        ██▌          25.0 %
            parameter                   █▋           16.7 %
            load                        ▉             8.3 %
            store                       ▉             8.3 %
            control                     ▉             8.3 %
          memory
                                          requests     bytes   sectors     ideal  in cache    passes     ideal
            global loads                         8    1.02 k        32        32         0
            global stores                        8    1.02 k        32        32
          by line
                                              instr     lanes     waits   sectors     ideal
            no/such/file.rs:1  ███████▌      75.0 %     100 %     0.0 %
            no/such/file.rs:2  █▋            16.7 %     100 %     100 %         4         4
            no/such/file.rs:9  ▉              8.3 %     100 %     0.0 %
    "#]].assert_eq(&profile(COPY, 4, 64).to_string());
}

#[test]
fn a_page_is_complete_in_itself() {
    let page = profile(COPY, 4, 64).to_html();
    for wanted in ["<svg", "bound by", "no/such/file.rs", "ld.global.f32 %f1, [%x]; st.global.f32 [%y], %f1;"]
    {
        assert!(page.contains(wanted), "{wanted}");
    }
    for foreign in ["http://", "https://", "src=", "@import", "<link"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    let opened = page.matches("<table").count();
    assert_eq!(opened, page.matches("</table>").count());
    assert_eq!(page.matches("<tr").count(), page.matches("</tr>").count());
}

#[test]
fn only_what_was_asked_for() {
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut y = gpu.zeros::<f32>(32).unwrap();
    let module = gpu.load_ptx(&text("")).unwrap();
    let x = gpu.zeros::<f32>(32).unwrap();
    let launch = module.function("k").unwrap().launch().arg(&x).arg(&mut y).grid(1).block(32);
    // SAFETY: it accesses nothing.
    let report = unsafe { launch.run() }.unwrap();
    expect![[r#"
        the launch of `k` on simulator of sm_90 has no profile
        help: say `.profile()` before `.run()`"#]]
    .assert_eq(&report.profile().unwrap_err().to_string());
}

/// A profile may come from a file: whatever counts are in it, it is shown.
#[test]
fn counts_of_no_launch_are_shown() {
    fn replace(json: &mut serde_json::Value, number: u64) {
        match json {
            serde_json::Value::Object(fields) => fields.values_mut().for_each(|value| replace(value, number)),
            serde_json::Value::Array(values) => values.iter_mut().for_each(|value| replace(value, number)),
            serde_json::Value::Number(old) if old.is_u64() => *json = number.into(),
            _ => {}
        }
    }
    let known: serde_json::Value = serde_json::from_str(&profile(COPY, 2, 64).to_json()).unwrap();
    // All alike, and each field in turn against the others.
    for fields in [&["warp_instructions"][..], &["branches"], &["predicated_on_thread_instructions"], &[]] {
        for number in [0, 1, u64::MAX] {
            let mut json = known.clone();
            let all = json["lines"].as_array_mut().unwrap().iter_mut().map(|line| &mut line["counts"]);
            for counts in all {
                match fields {
                    [] => replace(counts, number),
                    fields => fields.iter().for_each(|field| counts[*field] = number.into()),
                }
            }
            json["counts"] = json["lines"][0]["counts"].clone();
            let profile = Profile::from_json(&json.to_string()).unwrap();
            assert!(!profile.to_html().is_empty() && !profile.to_string().is_empty());
            let _ = profile.counts.branch_efficiency() + profile.counts.warp_execution_efficiency();
        }
    }
}
