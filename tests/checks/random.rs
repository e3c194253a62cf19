//! Random index expressions behind random guards: where the host's tests hold, the entry without checks does what the entry
//! with checks does, and the sanitizer finds no access outside.
//!
//! `CHECKS_FUZZ=1000000` in the environment asks for as many expressions, `CHECKS_SEED` for others.

use std::collections::BTreeSet;

use kernel_runtime::prelude::*;
use ptx_gen::host_test::{LaunchFacts, holds};
use ptx_gen::ir::{
    BinaryOp, ConvertOp, Function, FunctionBuilder, IntCond, Module, PanicKind, SourceLoc, Space, SpecialRegister,
    Type, Value,
};
use ptx_gen::panic::PanicRecord;
use ptx_gen::{CheckFreeKernel, compile};

/// Expressions of one kernel.
const ACCESSES: usize = 12;
/// Launches of each kernel, with other arguments.
const LAUNCHES: usize = 6;
const SLICES: usize = 3;
/// Scalars of 64 and of 32 bits.
const SCALARS: [Type; 4] = [Type::I64, Type::I64, Type::I32, Type::I32];

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

/// Writes a kernel: the place of the access with number `n` is line `n + 1`.
struct Writer<'r> {
    b: FunctionBuilder,
    random: &'r mut Random,
    slices: Vec<(Value, Value)>,
    /// What indices are made of, as numbers of 64 bits: by turns the same in all threads, and not.
    uniform: Vec<Value>,
    varying: Vec<Value>,
}

impl Writer<'_> {
    fn number(&mut self, bits: u64) -> Value {
        self.b.constant(Type::I64, bits)
    }

    /// A number that is the same in all threads.
    fn size(&mut self) -> Value {
        match self.random.below(8) {
            0 => {
                let bits = self.random.of(&[0, 1, 2, 3, 4, 7, 8, 16, 31, 32, 33, 64]);
                self.number(bits)
            }
            1 => {
                let [a, b] = [self.leaf_size(), self.leaf_size()];
                let op = self.random.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::UMin, BinaryOp::UMax]);
                self.b.binary(op, a, b)
            }
            _ => self.leaf_size(),
        }
    }

    fn leaf_size(&mut self) -> Value {
        let index = self.random.below(self.uniform.len());
        self.uniform[index]
    }

    fn leaf(&mut self) -> Value {
        match self.random.below(6) {
            0 => self.size(),
            1 => {
                let bits = self.random.of(&[0, 1, 2, 3, 5, 16, 255, u64::MAX]);
                self.number(bits)
            }
            _ => {
                let index = self.random.below(self.varying.len());
                self.varying[index]
            }
        }
    }

    fn expression(&mut self, depth: u32) -> Value {
        if depth == 0 || self.random.below(5) == 0 {
            return self.leaf();
        }
        let a = self.expression(depth - 1);
        match self.random.below(16) {
            0..=3 => {
                let b = self.expression(depth - 1);
                self.b.binary(BinaryOp::Add, a, b)
            }
            4 | 5 => {
                let b = self.expression(depth - 1);
                self.b.binary(BinaryOp::Sub, a, b)
            }
            6..=8 => {
                let b = self.size();
                self.b.binary(BinaryOp::Mul, a, b)
            }
            9 => {
                let by = self.random.of(&[1, 2, 4, 31]);
                let by = self.number(by);
                let op = self.random.of(&[BinaryOp::Shl, BinaryOp::LShr, BinaryOp::AShr]);
                self.b.binary(op, a, by)
            }
            10 => {
                let b = self.size();
                let one = self.number(1);
                let b = self.b.binary(BinaryOp::UMax, b, one);
                let op = self.random.of(&[BinaryOp::UDiv, BinaryOp::URem]);
                self.b.binary(op, a, b)
            }
            11 => {
                let mask = self.random.of(&[1, 7, 15, 63, 0xff]);
                let mask = self.number(mask);
                let op = self.random.of(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                self.b.binary(op, a, mask)
            }
            12 => {
                let b = self.expression(depth - 1);
                let op =
                    self.random.of(&[BinaryOp::UMin, BinaryOp::UMax, BinaryOp::SMin, BinaryOp::SMax, BinaryOp::Or]);
                self.b.binary(op, a, b)
            }
            13 => {
                // Through 32 bits, with or without the sign.
                let low = self.b.convert(ConvertOp::Truncate, a, Type::I32);
                let b = self.b.constant(Type::I32, self.random.of(&[1, 2, 3, 0xffff_ffff]));
                let op = self.random.of(&[BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul]);
                let low = self.b.binary(op, low, b);
                let extend = self.random.of(&[ConvertOp::ZeroExtend, ConvertOp::SignExtend]);
                self.b.convert(extend, low, Type::I64)
            }
            14 => {
                let [x, y] = [self.leaf(), self.size()];
                let cond = self.b.int_compare(IntCond::ULt, x, y);
                let b = self.expression(depth - 1);
                self.b.select(cond, a, b)
            }
            _ => a,
        }
    }

    /// Goes on only where this holds; the rest is skipped.
    fn guard(&mut self, index: Value, skip: ptx_gen::ir::Block) {
        let bound = match self.random.below(4) {
            0 => self.size(),
            _ => {
                let slice = self.random.below(SLICES);
                self.slices[slice].1
            }
        };
        let subject = match self.random.below(5) {
            0 => self.leaf(),
            1 => {
                let more = self.random.of(&[1, 2, 3]);
                let more = self.number(more);
                self.b.binary(BinaryOp::Add, index, more)
            }
            _ => index,
        };
        let cond = self.random.of(&[
            IntCond::ULt,
            IntCond::ULt,
            IntCond::ULt,
            IntCond::ULe,
            IntCond::SLt,
            IntCond::UGe,
            IntCond::Ne,
        ]);
        let holds = self.b.int_compare(cond, subject, bound);
        let inside = self.b.create_block();
        self.b.branch(holds, inside, skip);
        self.b.seal(inside);
        self.b.switch_to(inside);
    }

    /// `slice[index]`, checked; the element is added to the sum.
    fn access(&mut self, number: usize, sum: ptx_gen::ir::Variable) {
        self.b.set_location(SourceLoc { line: number as u32 + 1, column: 1, ..SourceLoc::default() });
        let skip = self.b.create_block();
        let index = match self.random.below(3) {
            0 => self.expression(1),
            1 => self.expression(2),
            _ => self.expression(3),
        };
        // Guards of the leaves make the sums of them bounded.
        for _ in 0..self.random.below(3) {
            let varying = self.random.below(self.varying.len());
            let subject = if self.random.below(2) == 0 { index } else { self.varying[varying] };
            self.guard(subject, skip);
        }
        let slice = self.random.below(SLICES);
        let (pointer, len) = self.slices[slice];
        let [inside, outside] = [self.b.create_block(), self.b.create_block()];
        let fits = self.b.int_compare(IntCond::ULt, index, len);
        self.b.branch(fits, inside, outside);
        self.b.seal(outside);
        self.b.switch_to(outside);
        let site = self.b.panic_site(PanicKind::Index);
        self.b.panic(site, &[index, len]);
        self.b.seal(inside);
        self.b.switch_to(inside);
        let four = self.number(4);
        let offset = self.b.binary_nuw(BinaryOp::Mul, index, four);
        let address = self.b.binary_nuw(BinaryOp::Add, pointer, offset);
        let element = self.b.load(Type::I32, Space::Global, address, 0, true);
        let before = self.b.read(sum);
        let three = self.b.constant(Type::I32, 3);
        let scaled = self.b.binary(BinaryOp::Mul, before, three);
        let after = self.b.binary(BinaryOp::Add, scaled, element);
        self.b.define(sum, after);
        self.b.jump(skip, &[]);
        self.b.seal(skip);
        self.b.switch_to(skip);
    }

    /// `for k in 0..end { … }`, where counting goes up to 6 at most.
    fn in_loop(&mut self, number: usize, sum: ptx_gen::ir::Variable) {
        let counter = self.b.declare(Type::I64);
        let beside = self.b.declare(Type::I64);
        let zero = self.number(0);
        self.b.define(counter, zero);
        let start = self.leaf();
        self.b.define(beside, start);
        let (end, step) = (self.size(), self.size());
        let most = self.number(6);
        let end = self.b.binary(BinaryOp::UMin, end, most);
        let [head, body, exit] = [self.b.create_block(), self.b.create_block(), self.b.create_block()];
        self.b.jump(head, &[]);
        self.b.switch_to(head);
        let now = self.b.read(counter);
        let more = self.b.int_compare(IntCond::ULt, now, end);
        self.b.branch(more, body, exit);
        self.b.seal(body);
        self.b.switch_to(body);
        let known = self.varying.len();
        let moving = self.b.read(beside);
        self.varying.extend([now, moving]);
        self.access(number, sum);
        self.varying.truncate(known);
        let one = self.number(1);
        let next = self.b.binary_nuw(BinaryOp::Add, now, one);
        self.b.define(counter, next);
        let grows = match self.random.below(3) {
            0 => self.b.binary(BinaryOp::LShr, moving, one),
            _ => self.b.binary(BinaryOp::Add, moving, step),
        };
        self.b.define(beside, grows);
        self.b.jump(head, &[]);
        self.b.seal(head);
        self.b.seal(exit);
        self.b.switch_to(exit);
    }
}

/// A kernel of random accesses that leaves a sum for each thread.
fn kernel(random: &mut Random) -> Function {
    let mut b = FunctionBuilder::new("k");
    let entry = b.create_block();
    b.seal(entry);
    b.switch_to(entry);
    let mut slices = Vec::new();
    for number in 0..SLICES {
        let pointer = b.add_param(format!("s{number}"), Type::I64, Some(4));
        b.set_read_only(pointer);
        let len = b.add_param(format!("s{number}_len"), Type::I32, None);
        let (pointer, len) = (b.param(pointer), b.param(len));
        slices.push((pointer, b.convert(ConvertOp::ZeroExtend, len, Type::I64)));
    }
    let mut uniform: Vec<Value> = slices.iter().map(|slice| slice.1).collect();
    for (number, ty) in SCALARS.into_iter().enumerate() {
        let param = b.add_param(format!("n{number}"), ty, None);
        let value = b.param(param);
        uniform.push(match ty {
            Type::I64 => value,
            _ if number % 2 == 0 => b.convert(ConvertOp::ZeroExtend, value, Type::I64),
            _ => b.convert(ConvertOp::SignExtend, value, Type::I64),
        });
    }
    let out = b.add_param("out", Type::I64, Some(4));
    let out = b.param(out);
    let registers = [
        SpecialRegister::TidX,
        SpecialRegister::CtaidX,
        SpecialRegister::NtidX,
        SpecialRegister::NctaidX,
        SpecialRegister::TidY,
    ];
    let [tid, block, threads, blocks, tid_y] = registers.map(|register| b.special(register));
    let before = b.binary_nuw(BinaryOp::Mul, block, threads);
    let global = b.binary_nuw(BinaryOp::Add, before, tid);
    let wide = |b: &mut FunctionBuilder, value| b.convert(ConvertOp::ZeroExtend, value, Type::I64);
    uniform.extend([threads, blocks].map(|value| wide(&mut b, value)));
    let varying = [tid, block, global, tid_y].map(|value| wide(&mut b, value)).to_vec();
    let sum = b.declare(Type::I32);
    let zero = b.constant(Type::I32, 0);
    b.define(sum, zero);
    let own = varying[2];
    let mut writer = Writer { b, random, slices, uniform, varying };
    for number in 0..ACCESSES {
        if writer.random.below(3) == 0 {
            writer.in_loop(number, sum);
        } else {
            writer.access(number, sum);
        }
    }
    let mut b = writer.b;
    let four = b.constant(Type::I64, 4);
    let offset = b.binary_nuw(BinaryOp::Mul, own, four);
    let address = b.binary_nuw(BinaryOp::Add, out, offset);
    let value = b.read(sum);
    b.store(Space::Global, address, 0, value);
    b.ret();
    b.finish()
}

/// The arguments of a launch.
struct Arguments {
    lengths: [u32; SLICES],
    scalars: [u64; 4],
    grid: u32,
    block: [u32; 2],
}

impl Arguments {
    fn new(random: &mut Random) -> Arguments {
        let lengths = std::array::from_fn(|_| random.of(&[0, 1, 7, 16, 32, 64, 100, 500, 2000]));
        let scalars = std::array::from_fn(|_| match random.below(8) {
            0 => random.of(&[u64::MAX, 1 << 63, 1 << 32, 0xffff_ffff, 0x8000_0000, 0x7fff_ffff]),
            _ => random.below(40) as u64,
        });
        Arguments {
            lengths,
            scalars,
            grid: random.of(&[1, 2, 3]),
            block: random.of(&[[1, 1], [8, 1], [16, 2], [32, 1], [40, 1]]),
        }
    }

    /// As PTX lays them out, with addresses that tests do not ask for.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for len in self.lengths {
            bytes.extend_from_slice(&[0; 8]);
            bytes.extend_from_slice(&u64::from(len).to_le_bytes());
        }
        // The last length is followed by a scalar of 8 bytes.
        for (ty, scalar) in SCALARS.into_iter().zip(self.scalars) {
            bytes.extend_from_slice(&scalar.to_le_bytes()[..ty.bytes() as usize]);
        }
        bytes
    }
}

/// What a run gave: a sum for each thread, or the line of the access that panicked.
type Ran = std::result::Result<Vec<u32>, u32>;

/// Runs one entry in the simulator; a fault is an error.
fn run(
    function: &kernel_runtime::PtxFunction,
    gpu: &Gpu,
    arguments: &Arguments,
    lines: Option<&[u32]>,
) -> std::result::Result<Ran, String> {
    let told = |error: Error| error.to_string();
    let mut launch = function.launch();
    let slices: Vec<DeviceBuffer<u32>> = arguments
        .lengths
        .iter()
        .map(|&len| gpu.upload(&(0..len).map(|i| i.wrapping_mul(0x9e37_79b9)).collect::<Vec<u32>>()))
        .collect::<Result<_>>()
        .map_err(told)?;
    let threads = arguments.grid * arguments.block[0] * arguments.block[1];
    let mut out = gpu.zeros::<u32>(threads as usize).map_err(told)?;
    let mut record = gpu.zeros::<u64>(PanicRecord::BYTES.div_ceil(8)).map_err(told)?;
    for (slice, len) in slices.iter().zip(arguments.lengths) {
        launch = launch.arg(slice).arg(len);
    }
    for (ty, scalar) in SCALARS.into_iter().zip(arguments.scalars) {
        launch = if ty == Type::I64 { launch.arg(scalar) } else { launch.arg(scalar as u32) };
    }
    launch = launch.arg(&mut out);
    if lines.is_some() {
        launch = launch.arg(&mut record);
    }
    // SAFETY: the simulator refuses what is not the kernel's to access.
    unsafe { launch.grid(arguments.grid).block((arguments.block[0], arguments.block[1])).run() }.map_err(told)?;
    let words = record.to_vec().map_err(told)?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let bytes: &[u8; PanicRecord::BYTES] = bytes.first_chunk().ok_or("a short record")?;
    match (PanicRecord::read(bytes), lines) {
        (Some(record), Some(lines)) => Ok(Err(lines[record.site as usize])),
        (None, _) | (_, None) => Ok(Ok(out.to_vec().map_err(told)?)),
    }
}

/// What was seen so far.
#[derive(Debug, Default)]
struct Seen {
    expressions: usize,
    /// Of them the ones that need no check where tests hold.
    tested: usize,
    proved: usize,
    launches: usize,
    /// Launches for which all tests held.
    held: usize,
}

/// Compiles a kernel and compares its entries. An error is what is wrong.
fn try_one(random: &mut Random, gpu: &Gpu, seen: &mut Seen) -> std::result::Result<(), String> {
    let module = Module { files: vec!["random.rs".into()], functions: vec![kernel(random)] };
    let compiled = compile(&module, None).map_err(|error| error.to_string())?;
    let facts = &compiled.kernels[0];
    seen.expressions += ACCESSES;
    let left = |remarks: &[ptx_gen::ir::Remark]| -> BTreeSet<u32> {
        let left = remarks.iter().filter(|remark| matches!(remark.kind, ptx_gen::ir::RemarkKind::CheckLeft { .. }));
        left.map(|remark| remark.location.line).collect()
    };
    let checked = left(&facts.remarks);
    seen.proved += ACCESSES - checked.len();
    let Some(CheckFreeKernel { name, tests, takes_panic_record, remarks, .. }) = &facts.check_free else {
        return Ok(());
    };
    let unproved = left(remarks);
    seen.tested += checked.difference(&unproved).count();
    let lines: Vec<u32> = facts.panics.values().map(|site| site.location.line).collect();
    let text = gpu.load_ptx(&compiled.ptx).map_err(|error| error.to_string())?;
    let [with, without] = [&facts.name, name].map(|name| text.function(name).map_err(|error| error.to_string()));
    let (with, without) = (with?, without?);
    for _ in 0..LAUNCHES {
        let arguments = Arguments::new(random);
        let (params, [x, y]) = (arguments.bytes(), arguments.block);
        let launch =
            LaunchFacts { params: &params, block: [x, y, 1], grid: [arguments.grid, 1, 1], dynamic_shared: 0 };
        seen.launches += 1;
        if !tests.iter().all(|test| holds(&test.ops, &launch)) {
            continue;
        }
        seen.held += 1;
        let texts = || tests.iter().map(|test| test.text.as_str()).collect::<Vec<_>>().join("; ");
        let context = |wrong: String| {
            let Arguments { lengths, scalars, grid, block } = &arguments;
            format!(
                "{wrong}\nlengths {lengths:?}, scalars {scalars:?}, grid {grid}, block {block:?}\ntests: {}\n{}",
                texts(),
                compiled.ptx
            )
        };
        let found = run(&without, gpu, &arguments, takes_panic_record.then_some(&lines[..])).map_err(context)?;
        let expected = run(&with, gpu, &arguments, Some(&lines)).map_err(context)?;
        let agree = match (&found, &expected) {
            (Ok(found), Ok(expected)) => found == expected,
            // Which of several threads is first may differ.
            (Err(line), Err(_)) => unproved.contains(line),
            (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
        };
        // A check that is left out would have failed.
        let needed = matches!(&expected, Err(line) if !unproved.contains(line));
        if !agree || needed {
            return Err(context(format!("without checks {found:?}, with checks {expected:?}")));
        }
    }
    Ok(())
}

#[test]
fn nothing_is_accessed_outside() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let wanted = number("CHECKS_FUZZ").unwrap_or(1200) as usize;
    let mut random = Random(number("CHECKS_SEED").unwrap_or(1));
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut seen = Seen::default();
    while seen.expressions < wanted {
        let seed = random.0;
        if let Err(wrong) = try_one(&mut random, &gpu, &mut seen) {
            panic!("CHECKS_SEED={seed}: {wrong}");
        }
    }
    println!("{seen:?}");
    assert!(seen.tested * 20 > seen.expressions, "few expressions have tests: {seen:?}");
    assert!(seen.held * 20 > seen.launches, "few launches meet the tests: {seen:?}");
}
