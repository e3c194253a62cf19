//! Agreement of operations with constant folding: every operation of the IR, at every type, over values at the
//! edges of the types.
//!
//! Each kernel exists twice. In one the operands come from memory, and it is selected without any pass; in the other they
//! are constants, and it goes through the passes, which fold them in Rust's own arithmetic. Both run on the simulator,
//! and must store the same; so must a GPU, where there is one.

use std::io::Write as _;

use kernel_runtime::{Gpu, Kernel, KernelData, Launch, ParamData, ParamKind, Variant};
use ptx::check::requirements;
use ptx::target::Arch;
use ptx_gen::compile;
use ptx_gen::ir::{
    BinaryOp, ConvertOp, FloatCond, Function, FunctionBuilder, InstData, IntCond, Module, Space, Type,
    UnaryOp, Value, half,
};
use ptx_gen::select::select;
use ptx_gen::verify::{verify, verify_function};
use ptx_sim::{LaunchConfig, Memory, Program, launch};

/// Values of a type where operations change their minds.
fn edges(ty: Type) -> Vec<u64> {
    const FLOATS: [f64; 22] = [
        0.0,
        -0.0,
        0.5,
        1.0,
        1.5,
        -1.0,
        2.5,
        -2.5,
        -128.7,
        255.5,
        32767.9,
        65536.0,
        2147483648.0,
        -2147483649.0,
        4294967296.5,
        9.3e18,
        1.9e19,
        1e-45,
        3e38,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    match ty {
        Type::Bool => vec![0, 1],
        Type::F32 => FLOATS.map(|value| (value as f32).to_bits().into()).to_vec(),
        Type::F64 => FLOATS.map(f64::to_bits).to_vec(),
        // And the ends of the subnormal and normal numbers, and what lies between two others.
        Type::F16 => {
            let floats = FLOATS.map(|value| half::narrow(ty, value)).into_iter();
            floats.chain([1, 0x83ff, 0x0400, 0x0401, 0x3bff, 0x3c01, 0x7bff, 0xfe01]).collect()
        }
        Type::BF16 => {
            let floats = FLOATS.map(|value| half::narrow(ty, value)).into_iter();
            floats.chain([1, 0x807f, 0x0080, 0x0081, 0x3f7f, 0x3f81, 0x7f7f, 0xffc1]).collect()
        }
        Type::F16x2 | Type::BF16x2 => {
            let lane = if ty == Type::F16x2 { Type::F16 } else { Type::BF16 };
            let lanes = edges(lane);
            let others = lanes.iter().cycle().skip(5);
            lanes.iter().zip(others).map(|(low, high)| high << 16 | low).collect()
        }
        Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
            let (mask, bits) = (ty.mask(), u64::from(ty.bits()));
            let sign = 1 << (bits - 1);
            let mut values = vec![0, 1, 2, 7, bits - 1, bits, sign - 1, sign, sign + 1, mask - 1, mask];
            values.extend([0x5A, 0x0123_4567_89AB_CDEF & mask, 0xFEDC_BA98_7654_3210 & mask]);
            values
        }
    }
}

/// Makes the instruction of its operands.
type MakeInst = dyn Fn(&[Value]) -> InstData;

/// An operation, and the operands that it is tried on.
struct Trial {
    name: String,
    result: Type,
    operands: Vec<Type>,
    data: Box<MakeInst>,
    /// Tuples of operands.
    cases: Vec<Vec<u64>>,
}

impl Trial {
    fn new(
        name: String,
        operands: &[Type],
        result: Type,
        data: impl Fn(&[Value]) -> InstData + 'static,
    ) -> Trial {
        let mut cases = vec![Vec::new()];
        for &ty in operands {
            let longer = |case: &Vec<u64>| {
                let case = case.clone();
                edges(ty).into_iter().map(move |value| case.iter().copied().chain([value]).collect())
            };
            cases = cases.iter().flat_map(longer).collect();
        }
        // Three operands make very many cases: a part of them will do.
        let step = cases.len().div_ceil(600);
        let cases = cases.into_iter().step_by(step).collect();
        Trial { name, result, operands: operands.to_vec(), data: Box::new(data), cases }
    }

    /// The kernel with its operands in memory, or as constants. Both read and write 8 bytes for each value.
    fn kernel(&self, constants: bool) -> Function {
        let mut build = FunctionBuilder::new("test");
        // As a slice.
        let param = build.add_param("memory", Type::I64, Some(8));
        build.add_param("memory_len", Type::I32, None);
        let entry = build.create_block();
        build.switch_to(entry);
        let memory = build.param(param);
        let mut offset = 0;
        for case in &self.cases {
            let mut values = Vec::new();
            for (&ty, &bits) in self.operands.iter().zip(case) {
                values.push(match ty {
                    _ if constants => build.constant(ty, bits),
                    // The upper bits of the register are then what memory has there.
                    Type::I8 | Type::I16 => {
                        let word = build.load(Type::I32, Space::Global, memory, offset, false);
                        build.convert(ConvertOp::Truncate, word, ty)
                    }
                    _ => build.load(ty, Space::Global, memory, offset, false),
                });
                offset += 8;
            }
            let result = build.push((self.data)(&values), self.result);
            build.store(Space::Global, memory, offset, result);
            offset += 8;
        }
        build.ret();
        build.finish()
    }

    /// Initial memory of both kernels: operands with something arbitrary above them, and zeros for the results.
    fn memory(&self) -> Vec<u64> {
        let above = |(&bits, ty): (&u64, &Type)| match ty {
            Type::I8 | Type::I16 => bits | 0xD1B5_4A32_D192_ED03 << ty.bits(),
            _ => bits,
        };
        let words = |case: &Vec<u64>| {
            let operands: Vec<u64> = case.iter().zip(&self.operands).map(above).collect();
            operands.into_iter().chain([0])
        };
        self.cases.iter().flat_map(words).collect()
    }

    /// PTX of the kernel with operands in memory: selected for `target`, without any pass.
    fn computed(&self, target: Arch) -> Result<String, String> {
        let plain = module(self.kernel(false));
        let verified = verify(&plain).map_err(|errors| errors.to_string())?;
        let mut tree = select(&verified, target).tree;
        let (version, needed) = requirements(&tree);
        (tree.version, tree.target) = (version, vec![needed.name().to_owned()]);
        Ok(tree.to_string())
    }

    /// PTX of the kernel with constant operands, which the passes fold.
    fn folded(&self) -> Result<String, String> {
        let compiled = compile(&module(self.kernel(true)), None).map_err(|error| error.to_string())?;
        Ok(compiled.ptx)
    }

    /// Describes where the results of two runs differ.
    fn compare(&self, computed: &[u64], folded: &[u64]) -> Result<(), String> {
        let width = self.operands.len() + 1;
        for ((case, a), b) in self.cases.iter().zip(computed.chunks(width)).zip(folded.chunks(width)) {
            let [a, b] = [a, b].map(|memory| memory[width - 1]);
            if a != b && !(is_nan(self.result, a) && is_nan(self.result, b)) {
                let name = &self.name;
                return Err(format!("{name} of {case:x?}: computed {a:#x}, folded {b:#x}"));
            }
        }
        Ok(())
    }

    /// Runs both kernels on the simulator and describes where they differ.
    fn run(&self) -> Result<(), String> {
        let [computed, folded] = [self.computed(Arch::FLOOR)?, self.folded()?];
        let [computed, folded] = [computed, folded].map(|ptx| simulate(&ptx, &self.memory()));
        self.compare(&computed?, &folded?)
    }

    /// Compares the folded kernel on the simulator with the plain one on a GPU.
    fn run_on(&self, gpu: &Gpu) -> Result<(), String> {
        let folded = simulate(&self.folded()?, &self.memory())?;
        let element = kernel_runtime::ElementType::of::<u64>("u64");
        let memory = ParamData { name: "memory", kind: ParamKind::Slice { element, mutable: true } };
        // Kernels live as long as the program.
        // SAFETY: the PTX is made of the words' function, which takes one slice.
        let kernel: &'static Kernel = Box::leak(Box::new(unsafe {
            Kernel::new(Box::leak(Box::new(KernelData {
                name: "test",
                variants: vec![Variant {
                    entry: "test",
                    ptx: self.computed(gpu.arch())?.leak(),
                    target: gpu.arch(),
                    ..Variant::EMPTY
                }]
                .leak(),
                params: vec![memory].leak(),
                file: file!(),
                line: line!(),
                ..KernelData::EMPTY
            })))
        }));
        let told = |error: kernel_runtime::Error| format!("{}: {error}", self.name);
        let mut words = gpu.upload(&self.memory()).map_err(told)?;
        // SAFETY: the kernel takes the words, and is launched with one thread.
        let mut launch = unsafe { Launch::new(kernel) };
        launch.slice_mut("memory", &mut words);
        launch.grid(1).block(1).run().map_err(told)?;
        self.compare(&words.to_vec().map_err(told)?, &folded)
    }
}

fn module(function: Function) -> Module {
    Module { functions: vec![function], ..Module::default() }
}

fn is_nan(ty: Type, bits: u64) -> bool {
    match ty {
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        Type::F16 | Type::BF16 => half::widen(ty, bits).is_nan(),
        // In either lane; the other one is seen where none is.
        Type::F16x2 => [bits, bits >> 16].iter().any(|lane| half::widen(Type::F16, lane & 0xffff).is_nan()),
        Type::BF16x2 => [bits, bits >> 16].iter().any(|lane| half::widen(Type::BF16, lane & 0xffff).is_nan()),
        Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => false,
    }
}

/// Runs the kernel `test` with one thread over these numbers.
fn simulate(ptx: &str, words: &[u64]) -> Result<Vec<u64>, String> {
    let program = Program::load(ptx).map_err(|error| format!("{error}\n{ptx}"))?;
    let memory = Memory::new();
    let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let address = memory.allocate(bytes.len() as u64, 8);
    memory.write(address, &bytes).map_err(|error| format!("{error:?}"))?;
    let kernel = program.kernel("test").ok_or("no kernel")?;
    let config = LaunchConfig { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
    let params = [address.to_le_bytes(), (words.len() as u64).to_le_bytes()].concat();
    let launched = launch(&program, kernel, &memory, &config, &params[..12]);
    launched.map_err(|fault| format!("{fault}\n{ptx}"))?;
    memory.read(address, &mut bytes).map_err(|error| format!("{error:?}"))?;
    Ok(bytes.chunks_exact(8).map(|word| word.try_into().map_or(0, u64::from_le_bytes)).collect())
}

/// Returns true if the IR defines the result of the operation for these operands.
fn is_defined(op: BinaryOp, ty: Type, [a, b]: [u64; 2]) -> bool {
    match op {
        BinaryOp::UDiv | BinaryOp::URem => b != 0,
        BinaryOp::SDiv | BinaryOp::SRem => b != 0 && (a != 1 << (ty.bits() - 1) || b != ty.mask()),
        _ => true,
    }
}

fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for &ty in Type::ALL {
        for &op in UnaryOp::ALL {
            trials.push(Trial::new(format!("{op} {ty}"), &[ty], ty, move |v| InstData::Unary {
                op,
                arg: v[0],
            }));
        }
        for &op in BinaryOp::ALL {
            let data =
                move |v: &[Value]| InstData::Binary { op, args: [v[0], v[1]], no_unsigned_wrap: false };
            let mut trial = Trial::new(format!("{op} {ty}"), &[ty, ty], ty, data);
            trial.cases.retain(|case| is_defined(op, ty, [case[0], case[1]]));
            trials.push(trial);
        }
        for &cond in IntCond::ALL {
            let data = move |v: &[Value]| InstData::IntCompare { cond, args: [v[0], v[1]] };
            trials.push(Trial::new(format!("icmp {cond} {ty}"), &[ty, ty], Type::Bool, data));
        }
        for &cond in FloatCond::ALL {
            let data = move |v: &[Value]| InstData::FloatCompare { cond, args: [v[0], v[1]] };
            trials.push(Trial::new(format!("fcmp {cond} {ty}"), &[ty, ty], Type::Bool, data));
        }
        for (&op, &to) in ConvertOp::ALL.iter().flat_map(|op| Type::ALL.iter().map(move |to| (op, to))) {
            let data = move |v: &[Value]| InstData::Convert { op, arg: v[0] };
            trials.push(Trial::new(format!("{op} {ty} to {to}"), &[ty], to, data));
        }
        let fma = |v: &[Value]| InstData::Fma { args: [v[0], v[1], v[2]] };
        trials.push(Trial::new(format!("fma {ty}"), &[ty; 3], ty, fma));
        let select = |v: &[Value]| InstData::Select { cond: v[0], if_true: v[1], if_false: v[2] };
        trials.push(Trial::new(format!("select {ty}"), &[Type::Bool, ty, ty], ty, select));
    }
    // A trial that the verifier refuses has no meaning.
    trials.retain(|trial| verify_function(&trial.kernel(false)).is_ok());
    trials
}

/// Tries every operation.
fn try_all(run: impl Fn(&Trial) -> Result<(), String>) {
    let trials = trials();
    assert!(trials.len() > 200, "most trials were dropped: {}", trials.len());
    let failures: Vec<String> = trials.iter().filter_map(|trial| run(trial).err()).collect();
    let (failed, all) = (failures.len(), trials.len());
    assert!(failures.is_empty(), "{failed} of {all} operations:\n{}", failures.join("\n"));
}

#[test]
fn computed_equals_folded() {
    try_all(Trial::run);
}

/// Approximations of the hardware of which the simulator has no exact model.
const UNMODELLED: [&str; 6] =
    ["sin_approx", "cos_approx", "lg2_approx", "tanh_approx", "sqrt_approx", "fdiv_approx"];

/// Without a CUDA device this says so and passes; with `REQUIRE_GPU=1` it fails.
#[test]
fn a_gpu_computes_what_is_folded() {
    match Gpu::cuda(0) {
        Ok(gpu) => try_all(|trial| {
            if UNMODELLED.iter().any(|name| trial.name.starts_with(name)) {
                Ok(())
            } else {
                trial.run_on(&gpu)
            }
        }),
        Err(error) if std::env::var("REQUIRE_GPU").is_ok_and(|value| value == "1") => panic!("{error}"),
        Err(_) => {
            // Not `eprintln!`, which the test harness keeps to itself when a test passes.
            let _ = std::io::stderr().write_all(b"skipped a_gpu_computes_what_is_folded: no CUDA device\n");
        }
    }
}
