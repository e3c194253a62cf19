//! The simulator against a GPU: every row of the tables, comparisons and conversions, on special and random bits.
//!
//! Ignored where there is no GPU to ask. What ptxas refuses is listed too: a row that no GPU has is a mistake.

use std::ffi::{CString, c_void};

use cudarc::driver::{CudaContext, DriverError, result};

use super::instructions::{kernel_of, results};
use crate::exec::binary::Binary;
use crate::exec::ternary::{Quaternary, Ternary};
use crate::exec::unary::Unary;
use crate::registers::{Class, FileSizes, Registers, Slot};

/// Bits that are special as integers or as floats of 16, 32 or 64 bits.
const SPECIAL: &[u64] = &[
    0,
    1,
    2,
    3,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x104,
    0x7fff,
    0x8000,
    0xffff,
    0x3c00,
    0x7c00,
    0x7e01,
    0x3f80_0000,
    0xbf80_0000,
    0x3f00_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0xffc0_0000,
    0x7f80_0001,
    0x8000_0000,
    0x8000_0001,
    0x007f_ffff,
    0x0080_0000,
    0x7f7f_ffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x4b00_0001,
    0x4f00_0000,
    0xcf00_0000,
    0x4049_0fdb,
    0x3dcc_cccd,
    0x3f80_0001,
    0x4020_0000,
    0xbfc0_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0xfff8_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x8000_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x7fef_ffff_ffff_ffff,
    0x3ff0_0000_1000_0000,
    0x3ff0_0000_3000_0000,
    0x41e0_0000_0000_0000,
    0x4009_21fb_5444_2d18,
    0x3fb9_9999_9999_999a,
    0x3fe0_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x4340_0000_0000_0001,
];

/// Rows of sources: special with special, then random bits with random exponents.
fn rows(sources: &[u32]) -> Vec<Vec<u64>> {
    let mut state = 0x1234_5678_9abc_def0u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    };
    let cut = |value: u64, bits: u32| if bits == 1 { value & 1 } else { value & (u64::MAX >> (64 - bits)) };
    let pick: Vec<Vec<u64>> = sources
        .iter()
        .map(|&bits| {
            let mut list: Vec<u64> = SPECIAL.iter().map(|&value| cut(value, bits)).collect();
            list.sort_unstable();
            list.dedup();
            list
        })
        .collect();
    let mut rows = Vec::new();
    if sources.len() <= 2 {
        let second = pick.get(1).cloned().unwrap_or_else(|| vec![0]);
        for &a in &pick[0] {
            rows.extend(second.iter().map(|&b| [a, b][..sources.len()].to_vec()));
        }
    }
    for turn in 0..1024 {
        let mix = |index: usize, bits: u32, random: &mut dyn FnMut() -> u64| {
            let list = &pick[index];
            if turn % 2 == 0 { list[(random() >> 20) as usize % list.len()] } else { cut(random(), bits) }
        };
        rows.push(sources.iter().enumerate().map(|(index, &bits)| mix(index, bits, &mut random)).collect());
    }
    rows
}

fn register(bits: u32, number: usize) -> String {
    let prefix = match bits {
        1 => "%p",
        8 | 32 => "%r",
        16 => "%h",
        _ => "%rd",
    };
    format!("{prefix}{number}")
}

/// An instruction, the bits of its sources, and whether it only approximates.
struct Case {
    text: String,
    sources: Vec<u32>,
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |text: &str, result: u32, sources: &[u32]| {
        let operands: Vec<String> =
            sources.iter().enumerate().map(|(index, &bits)| register(bits, index + 1)).collect();
        let text = format!("{text} {}, {};", register(result, 10), operands.join(", "));
        cases.push(Case { text, sources: sources.to_vec() });
    };
    let with_ftz = |text: &str| -> Vec<String> {
        let Some(stem) = text.strip_suffix(".f32") else { return vec![text.to_string()] };
        // Quotients rounded up or down to the least normal number are flushed by sm_90 and not here.
        let is_exception = text.starts_with("div.rm") || text.starts_with("div.rp");
        if is_exception || text.contains(".ftz") || text.starts_with("tanh") {
            return vec![text.to_string()];
        }
        if text.contains("cvt") || text.contains("mov") || text.contains("slct") || text.contains("copysign")
        {
            return vec![text.to_string()];
        }
        vec![text.to_string(), format!("{stem}.ftz.f32")]
    };
    let internal = ["flush32", "flush_source32", "saturate32", "saturate64"];
    for (texts, result, sources) in Unary::FORMS {
        for text in texts.iter().filter(|text| !internal.contains(text)).flat_map(|text| with_ftz(text)) {
            // The table says in what they are held.
            let (result, sources): (u32, &[u32]) = if text.starts_with("mov.") && text.ends_with("16") {
                (16, &[16])
            } else {
                (*result, sources)
            };
            add(&text.replace("approx.f64", "approx.ftz.f64"), result, sources);
        }
    }
    for (texts, result, sources) in Binary::FORMS {
        texts.iter().flat_map(|text| with_ftz(text)).for_each(|text| add(&text, *result, sources));
    }
    for (texts, result, sources) in Ternary::FORMS {
        // `fns` is defined for few of the bits tried here.
        let texts = texts.iter().filter(|text| **text != "fns.b32");
        for text in texts.flat_map(|text| with_ftz(text)) {
            let narrow = ["slct.b16", "slct.u16", "slct.s16"].iter().any(|start| text.starts_with(start));
            let (result, sources): (u32, &[u32]) =
                if narrow { (16, &[16, 16, 32]) } else { (*result, sources) };
            add(&text, result, sources);
        }
    }
    for (texts, result, sources) in Quaternary::FORMS {
        texts.iter().filter(|text| **text != "lop3.b32").for_each(|text| add(text, *result, sources));
    }
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"] {
        add(&format!("prmt.b32.{mode}"), 32, &[32, 32, 32]);
    }
    for (ty, bits) in [("s16", 16), ("u16", 16), ("s32", 32), ("u32", 32), ("s64", 64), ("u64", 64)] {
        for word in ["eq", "ne", "lt", "le", "gt", "ge"] {
            add(&format!("setp.{word}.{ty}"), 1, &[bits, bits]);
        }
    }
    for (ty, bits) in [("f32", 32), ("ftz.f32", 32), ("f64", 64)] {
        for word in
            ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
        {
            add(&format!("setp.{word}.{ty}"), 1, &[bits, bits]);
        }
    }
    for class in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"] {
        add(&format!("testp.{class}.f32"), 1, &[32]);
        add(&format!("testp.{class}.f64"), 1, &[64]);
    }
    conversions(&mut add);
    for form in ["add", "sub"] {
        let text = format!(
            "{form}.cc.u32 %r11, %r1, %r2;\n{form}c.cc.u32 %r12, %r2, %r1;\n{form}c.u32 %r10, %r1, 5;"
        );
        cases.push(Case { text, sources: vec![32, 32] });
    }
    for text in [
        "sub.cc.u32 %r11, %r1, %r2;\naddc.u32 %r10, 0, 0;",
        "add.cc.u32 %r11, %r1, %r2;\nsubc.u32 %r10, 5, 1;",
    ] {
        cases.push(Case { text: text.to_string(), sources: vec![32, 32] });
    }
    let text =
        "mad.lo.cc.u32 %r11, %r1, %r2, %r3;\nmadc.hi.cc.u32 %r12, %r1, %r2, %r3;\naddc.u32 %r10, 0, 0;";
    cases.push(Case { text: text.to_string(), sources: vec![32, 32, 32] });
    cases
}

fn conversions(add: &mut impl FnMut(&str, u32, &[u32])) {
    let integers =
        [("u8", 8), ("s8", 8), ("u16", 16), ("s16", 16), ("u32", 32), ("s32", 32), ("u64", 64), ("s64", 64)];
    let floats = [("f16", 16), ("f32", 32), ("f64", 64)];
    for (to, to_bits) in integers {
        for (from, from_bits) in integers {
            if to != from {
                add(&format!("cvt.{to}.{from}"), to_bits, &[from_bits]);
            }
            add(&format!("cvt.sat.{to}.{from}"), to_bits, &[from_bits]);
        }
        for (from, from_bits) in floats {
            for rounding in ["rni", "rzi", "rmi", "rpi"] {
                add(&format!("cvt.{rounding}.{to}.{from}"), to_bits, &[from_bits]);
            }
        }
    }
    for (to, to_bits) in floats {
        for (from, from_bits) in integers {
            for rounding in ["rn", "rz", "rm", "rp"] {
                add(&format!("cvt.{rounding}.{to}.{from}"), to_bits, &[from_bits]);
            }
        }
        for rounding in ["rni", "rzi", "rmi", "rpi"] {
            add(&format!("cvt.{rounding}.{to}.{to}"), to_bits, &[to_bits]);
        }
    }
    for form in [
        "cvt.rn.f32.f64",
        "cvt.rz.f32.f64",
        "cvt.rm.f32.f64",
        "cvt.rp.f32.f64",
        "cvt.rn.sat.f32.f64",
        "cvt.rn.ftz.f32.f64",
    ] {
        add(form, 32, &[64]);
    }
    for form in ["cvt.rn.f16.f32", "cvt.rz.f16.f32", "cvt.rn.bf16.f32", "cvt.rz.bf16.f32"] {
        add(form, 16, &[32]);
    }
    for form in ["cvt.f32.f16", "cvt.f32.bf16"] {
        add(form, 32, &[16]);
    }
    for form in ["cvt.f64.f32", "cvt.ftz.f64.f32"] {
        add(form, 64, &[32]);
    }
    for form in ["cvt.sat.f32.f32", "cvt.ftz.f32.f32", "cvt.ftz.sat.f32.f32"] {
        add(form, 32, &[32]);
    }
    for (ty, bits) in [("s32", 32), ("u32", 32), ("s64", 64)] {
        add(&format!("cvt.rzi.ftz.{ty}.f32"), bits, &[32]);
    }
}

/// The relative error that an approximation may have; `None` for a result that must be equal.
fn tolerance(text: &str) -> Option<f64> {
    let bounds = [
        ("sin.approx", 1e-5),
        ("cos.approx", 1e-5),
        ("tanh.approx", 1e-3),
        (".approx", 3e-6),
        (".full", 3e-6),
    ];
    bounds.iter().find(|(word, _)| text.contains(word)).map(|&(_, bound)| bound)
}

fn close(text: &str, row: &[u64], gpu: u64, ours: u64) -> bool {
    let Some(bound) = tolerance(text) else { return false };
    if text.contains("f64") {
        let (gpu, ours) = (f64::from_bits(gpu), f64::from_bits(ours));
        return (gpu.is_nan() && ours.is_nan()) || ((gpu - ours) / ours).abs() < bound;
    }
    let (gpu, ours) = (f64::from(f32::from_bits(gpu as u32)), f64::from(f32::from_bits(ours as u32)));
    if text.starts_with("sin") || text.starts_with("cos") {
        // The manual bounds the error only for arguments of moderate size.
        return f32::from_bits(row[0] as u32).abs() > 3.2 || (gpu - ours).abs() < bound;
    }
    if text.starts_with("lg2") && (gpu - ours).abs() < 3e-7 {
        return true;
    }
    let tiny = 1e-37;
    ((gpu - ours) / ours).abs() < bound
        || (gpu.abs() < tiny && ours.abs() < tiny)
        || (gpu.abs() > 1e38 && ours.abs() > 1e38)
}

/// The result of a kernel on a GPU: the first word of each row after it, or nothing where it refuses the text.
fn on_gpu(ptx: &str, rows: &[Vec<u64>]) -> Option<Vec<u64>> {
    let text = CString::new(ptx).ok()?;
    // SAFETY: the image is a string that ends in a zero, and a context is current.
    let module = unsafe { result::module::load_data(text.as_ptr().cast()) }.ok()?;
    let run = || -> Result<Vec<u64>, DriverError> {
        // SAFETY: the module was loaded just now and is unloaded below.
        let function = unsafe { result::module::get_function(module, c"test".to_owned()) }?;
        let mut out = Vec::new();
        for rows in rows.chunks(512) {
            let stride = rows[0].len() + 1;
            let mut words: Vec<u64> =
                rows.iter().flat_map(|row| std::iter::once(0).chain(row.iter().copied())).collect();
            // SAFETY: the buffer has the size of `words`; the kernel has one parameter, which points to it, and reads
            // and writes one row a thread; the copy back waits for it.
            unsafe {
                let mut buffer = result::malloc_sync(8 * words.len())?;
                result::memcpy_htod_sync(buffer, &words)?;
                let mut parameters = [(&raw mut buffer).cast::<c_void>()];
                let block = (rows.len() as u32, 1, 1);
                result::launch_kernel(function, (1, 1, 1), block, 0, std::ptr::null_mut(), &mut parameters)?;
                result::memcpy_dtoh_sync(&mut words, buffer)?;
                result::free_sync(buffer)?;
            }
            out.extend(words.chunks(stride).map(|row| row[0]));
        }
        Ok(out)
    };
    let out = run().expect("the GPU runs it");
    // SAFETY: nothing uses the module any more.
    unsafe { result::module::unload(module) }.expect("the module is unloaded");
    Some(out)
}

#[test]
#[ignore = "needs a GPU"]
fn the_simulator_agrees_with_a_gpu() {
    let context = CudaContext::new(0).expect("a GPU");
    context.bind_to_thread().expect("a context");
    let (mut wrong, mut refused, mut checked) = (0, Vec::new(), 0);
    for Case { text, sources } in cases() {
        let rows = rows(&sources);
        let ours = results(&text, &rows);
        let ptx =
            kernel_of(&text, sources.len()).replace(".version 8.0", ".version 8.6").replace("sm_80", "sm_90");
        let Some(gpu) = on_gpu(&ptx, &rows) else {
            refused.push(text);
            continue;
        };
        let differ = |index: &usize| {
            gpu[*index] != ours[*index] && !close(&text, &rows[*index], gpu[*index], ours[*index])
        };
        let different: Vec<usize> = (0..rows.len()).filter(differ).collect();
        checked += rows.len();
        if !different.is_empty() {
            wrong += 1;
            println!("{text}: {} of {} differ", different.len(), rows.len());
            for &index in different.iter().take(6) {
                println!("    {:x?} → GPU {:x}, simulator {:x}", rows[index], gpu[index], ours[index]);
            }
        }
    }
    println!("{checked} results compared; {} instructions refused:", refused.len());
    refused.iter().for_each(|text| println!("    {text}"));
    assert_eq!(wrong, 0, "instructions that differ");
}

#[test]
#[ignore = "needs a GPU"]
fn the_rows_agree_with_a_gpu() {
    let context = CudaContext::new(0).expect("a GPU");
    context.bind_to_thread().expect("a context");
    let (mut wrong, mut checked) = (0, 0);
    for (text, rows) in super::rows::all() {
        let sources: Vec<Vec<u64>> = rows.iter().map(|(sources, _)| sources.clone()).collect();
        let ptx = kernel_of(text, sources[0].len())
            .replace(".version 8.0", ".version 8.6")
            .replace("sm_80", "sm_90");
        let Some(gpu) = on_gpu(&ptx, &sources) else {
            println!("refused: {text}");
            continue;
        };
        for ((sources, expected), gpu) in rows.iter().zip(gpu) {
            checked += 1;
            if *expected != gpu {
                wrong += 1;
                println!("{text} {sources:x?}: expected {expected:x}, the GPU gives {gpu:x}");
            }
        }
    }
    println!("{checked} results compared");
    assert_eq!(wrong, 0, "results that differ");
}

/// The results of rows of the tables, computed outside the interpreter: without the vectors that it is compiled for.
macro_rules! without_vectors {
    ($table:ident, $text:expr, $rows:expr) => {
        $table::from_text($text).map(|f| {
            let (result, classes) = f.classes();
            let mut registers = Registers::new(FileSizes { p: 1, w: 8, d: 8 });
            let sources = std::array::from_fn(|index| Slot(index as u16));
            let mut out = Vec::new();
            for row in $rows {
                for (index, (&value, class)) in row.iter().zip(classes).enumerate() {
                    match class {
                        Class::D => registers.d[index] = [value; 32],
                        Class::W | Class::P => registers.w[index] = [value as u32; 32],
                    }
                }
                f.run(&mut registers, u32::MAX, Slot(7), sources);
                out.push(if result == Class::D { registers.d[7][5] } else { u64::from(registers.w[7][5]) });
            }
            out
        })
    };
}

#[test]
fn results_do_not_depend_on_the_vectors_of_the_processor() {
    let mut compared = 0;
    for Case { text, sources } in cases() {
        let rows = rows(&sources);
        let name = text.split(' ').next().unwrap_or_default();
        let plain = without_vectors!(Unary, name, &rows)
            .or_else(|| without_vectors!(Binary, name, &rows))
            .or_else(|| without_vectors!(Ternary, name, &rows))
            .or_else(|| without_vectors!(Quaternary, name, &rows));
        let Some(plain) = plain else { continue };
        // Narrow results are stored with 16 bits.
        let mask = if text.contains("%h10") { 0xffff } else { u64::MAX };
        for ((row, plain), vector) in rows.iter().zip(plain).zip(results(&text, &rows)) {
            assert_eq!(plain & mask, vector, "{text} {row:x?}");
        }
        compared += 1;
    }
    assert!(compared > 200, "{compared}");
}

#[test]
fn every_instruction_of_the_tables_runs() {
    for Case { text, sources } in cases() {
        let rows: Vec<Vec<u64>> = rows(&sources).into_iter().step_by(97).collect();
        assert_eq!(results(&text, &rows).len(), rows.len());
    }
}
