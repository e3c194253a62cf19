//! Random element-wise kernels as IR: wherever the launch guards of a coarsened version hold, it gives the bytes of the plain one.
//!
//! Slices of one to three integers an element, of all widths, some of them off alignment; launches over fewer and more elements
//! than the kernel's bound; kernels that are no element-wise ones among them. Everything is derived from a fixed seed.

use std::fmt::Write;

use kernel_abi::guard::{LaunchFacts, holds};
use kernel_runtime::{Arch, DeviceBuffer, Gpu};
use ptx_gen::compile;
use ptx_gen::ir::{Module, Param, parse_function};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % n as u64) as usize
    }
}

/// A slice of elements of some integers of one width.
struct Slice {
    bytes: usize,
    each: usize,
    written: bool,
}

impl Slice {
    fn stride(&self) -> usize {
        self.bytes * self.each
    }

    fn ty(&self) -> &'static str {
        ["i8", "i16", "i32", "i64"][self.bytes.trailing_zeros() as usize]
    }
}

/// A kernel over `i < n`, or over `i < len` of its last slice; and what it is made of.
fn kernel(random: &mut Random) -> (String, Vec<Slice>) {
    let count = 2 + random.below(2);
    let mut slices: Vec<Slice> = (0..count)
        .map(|number| Slice {
            bytes: 1 << random.below(4),
            each: [1, 1, 1, 2, 3][random.below(5)],
            written: number + 1 == count || random.below(3) == 0,
        })
        .collect();
    if random.below(3) == 0 {
        // As most kernels are: one type.
        let (bytes, each) = (slices[0].bytes, slices[0].each);
        slices.iter_mut().for_each(|slice| (slice.bytes, slice.each) = (bytes, each));
    }
    let mut text = "kernel k(".to_owned();
    for (number, slice) in slices.iter().enumerate() {
        let read_only = if slice.written { "" } else { " read_only" };
        let (p, bytes) = (2 * number, slice.bytes);
        let _ = write!(text, "param{p} s{number}: i64 ptr align {bytes}{read_only}, ");
        let _ = write!(text, "param{} s{number}_len: i32, ", p + 1);
    }
    let n = 2 * count;
    let _ = writeln!(text, "param{n} n: i32) {{\nblock0:");
    let mut next = 0;
    let mut value = |text: &mut String, ty: &str, data: &str| {
        let _ = writeln!(text, "v{next}: {ty} = {data}");
        next += 1;
        next - 1
    };
    let [block, size, thread] = ["ctaid.x", "ntid.x", "tid.x"]
        .map(|register| value(&mut text, "i32", &format!("special {register}")));
    let product = value(&mut text, "i32", &format!("mul nuw v{block}, v{size}"));
    let index = value(&mut text, "i32", &format!("add nuw v{product}, v{thread}"));
    let wide = value(&mut text, "i64", &format!("zext v{index}"));
    let bound = if random.below(2) == 0 { n } else { n - 1 };
    let limit = value(&mut text, "i32", &format!("param{bound}"));
    let less =
        value(&mut text, "bool", &format!("icmp {} v{index}, v{limit}", ["ult", "slt"][random.below(2)]));
    let _ = writeln!(text, "branch v{less}, block1, block2\nblock1:");
    let mut sum = value(&mut text, "i64", "const 77");
    let mut addresses = Vec::new();
    for (number, slice) in slices.iter().enumerate() {
        let start = value(&mut text, "i64", &format!("param{}", 2 * number));
        let stride = value(&mut text, "i64", &format!("const {}", slice.stride()));
        let offset = value(&mut text, "i64", &format!("mul nuw v{wide}, v{stride}"));
        let address = value(&mut text, "i64", &format!("add nuw v{start}, v{offset}"));
        addresses.push(address);
        for part in 0..slice.each {
            let flag = if slice.written { "" } else { " read_only" };
            let load = format!("load.global v{address} + {}{flag}", part * slice.bytes);
            let loaded = value(&mut text, slice.ty(), &load);
            let loaded = match slice.bytes {
                8 => loaded,
                _ => value(&mut text, "i64", &format!("zext v{loaded}")),
            };
            let op = ["add", "mul", "xor", "sub"][random.below(4)];
            sum = value(&mut text, "i64", &format!("{op} v{sum}, v{loaded}"));
            if random.below(3) == 0 {
                let less = value(&mut text, "bool", &format!("icmp ult v{sum}, v{loaded}"));
                sum = value(&mut text, "i64", &format!("select v{less}, v{wide}, v{sum}"));
            }
        }
    }
    let is_conditional = random.below(8) == 0;
    if is_conditional {
        let less = value(&mut text, "bool", &format!("icmp ult v{sum}, v{wide}"));
        let _ = writeln!(text, "branch v{less}, block2, block3\nblock3:");
    }
    for (slice, address) in slices.iter().zip(&addresses).filter(|(slice, _)| slice.written) {
        for part in 0..slice.each {
            let _ = match slice.bytes {
                8 => writeln!(text, "store.global v{address} + {}, v{sum}", part * slice.bytes),
                _ => {
                    let low = value(&mut text, slice.ty(), &format!("trunc_int v{sum}"));
                    writeln!(text, "store.global v{address} + {}, v{low}", part * slice.bytes)
                }
            };
        }
    }
    text += "jump block2\nblock2:\nreturn\n}";
    (text, slices)
}

/// Bytes before and after each slice, which nobody may touch.
const AROUND: usize = 64;

#[test]
fn random_kernels_agree() {
    let mut random = Random(20_261_122);
    let gpu = Gpu::simulator(Arch::Sm90);
    // Versions, launches of them, launches that a guard kept from them: off alignment, and beyond what the launch is over.
    let (mut versions, mut taken, mut misaligned, mut beyond) = (0, 0, 0, 0);
    for _ in 0..150 {
        let (text, slices) = kernel(&mut random);
        let mut func = parse_function(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        // As lowering names the lengths of slices.
        let params: Vec<Param> = func.params.keys().collect();
        for param in params {
            if let Some(slice) = func.params[param].name.strip_suffix("_len") {
                func.params[param].source = format!("{slice}.len()");
            }
        }
        let module = Module { files: vec!["random.rs".into()], functions: vec![func] };
        let compiled = compile(&module, None).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let Some(version) = &compiled.kernels[0].coarsened else { continue };
        versions += 1;
        let loaded = gpu.load_ptx(&compiled.ptx).unwrap_or_else(|error| panic!("{error}\n{}", compiled.ptx));
        let entries = ["k", &version.name].map(|name| loaded.function(name).unwrap());
        for _ in 0..4 {
            let len = 1 + random.below(200);
            let n = if random.below(3) == 0 { 1 + random.below(len) } else { len };
            let over = match random.below(4) {
                0 => 1 + random.below(len),
                1 => len + random.below(40),
                _ => len,
            };
            let block = [32, 64, 96][random.below(3)];
            let offsets: Vec<usize> = slices
                .iter()
                .map(|slice| if random.below(6) == 0 { slice.bytes * random.below(16) } else { 0 })
                .collect();
            let seed = random.below(1 << 20);
            let upload = || -> Vec<DeviceBuffer<u8>> {
                let bytes = |i: usize| ((i + seed).wrapping_mul(0x9e37_79b9) >> 11) as u8;
                let size = |slice: &Slice| len * slice.stride() + 4 * AROUND;
                slices
                    .iter()
                    .map(|s| gpu.upload(&(0..size(s)).map(bytes).collect::<Vec<_>>()).unwrap())
                    .collect()
            };
            let blocks = [1, version.elements as usize].map(|each| over.div_ceil(block * each) as u32);
            let run = |which: usize| {
                let buffers = upload();
                let mut launch = entries[which].launch();
                let mut params: Vec<u8> = Vec::new();
                for (buffer, offset) in buffers.iter().zip(&offsets) {
                    let address = buffer.as_device_ptr().address() + (AROUND + offset) as u64;
                    launch = launch.arg(address).arg(len as u32);
                    params.resize(params.len().next_multiple_of(8), 0);
                    params.extend(address.to_le_bytes());
                    params.extend((len as u32).to_le_bytes());
                }
                params.extend((n as u32).to_le_bytes());
                let facts = LaunchFacts {
                    params: &params,
                    block: [block as u32, 1, 1],
                    grid: [blocks[1] * version.elements, 1, 1],
                    dynamic_shared: 0,
                    over: Some(over as u64),
                };
                let failed: Vec<&str> = version
                    .tests
                    .iter()
                    .filter(|test| !holds(&test.ops, &facts))
                    .map(|test| test.text.as_str())
                    .collect();
                if which == 1 && !failed.is_empty() {
                    return Err(failed.join(", "));
                }
                // SAFETY: the simulator refuses what is not the kernel's to access.
                unsafe { launch.arg(n as u32).grid(blocks[which]).block(block as u32).run() }
                    .unwrap_or_else(|error| panic!("{error}\n{text}\n{}", compiled.ptx));
                Ok(buffers.iter().map(|buffer| buffer.to_vec().unwrap()).collect::<Vec<_>>())
            };
            match run(1) {
                Ok(found) => {
                    taken += 1;
                    assert_eq!(run(0).unwrap(), found, "{len} {n} {over} {block}\n{text}\n{}", compiled.ptx);
                }
                Err(failed) if failed.contains("addr()") => misaligned += 1,
                Err(failed) => {
                    assert!(failed.contains("over_elements"), "{failed}");
                    beyond += 1;
                }
            }
        }
    }
    assert!(versions >= 60, "{versions} coarsened versions");
    assert!(taken >= 100 && misaligned >= 20 && beyond >= 20, "{taken} {misaligned} {beyond}");
}
