//! `%` of floats: what the IR computes is what Rust computes, over numbers at the edges and random bits.

use ptx_gen::compile;
use ptx_gen::ir::{BinaryOp, ConvertOp, FunctionBuilder, Module, Space, SpecialRegister, Type, half};
use ptx_sim::{LaunchConfig, Memory, Program, launch};

/// A kernel whose every thread reads two numbers, 8 bytes apart, and writes the remainder over the first.
fn kernel(ty: Type) -> String {
    let mut build = FunctionBuilder::new("test");
    let param = build.add_param("memory", Type::I64, Some(8));
    let entry = build.create_block();
    build.switch_to(entry);
    let memory = build.param(param);
    let [block, size, thread] =
        [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX].map(|r| build.special(r));
    let before = build.binary_nuw(BinaryOp::Mul, block, size);
    let index = build.binary_nuw(BinaryOp::Add, before, thread);
    let index = build.convert(ConvertOp::ZeroExtend, index, Type::I64);
    let sixteen = build.constant(Type::I64, 16);
    let offset = build.binary_nuw(BinaryOp::Mul, index, sixteen);
    let address = build.binary_nuw(BinaryOp::Add, memory, offset);
    let [x, y] = [0, 8].map(|offset| build.load(ty, Space::Global, address, offset, false));
    let remainder = build.float_remainder(x, y);
    build.store(Space::Global, address, 0, remainder);
    build.ret();
    let module = Module { functions: vec![build.finish()], ..Module::default() };
    compile(&module, None).unwrap_or_else(|error| panic!("{error}")).ptx
}

/// The number with these bits, of which the remainder is exact as an `f64` if it is shorter.
fn widen(ty: Type, bits: u64) -> f64 {
    match ty {
        Type::F32 => f32::from_bits(bits as u32).into(),
        Type::F64 => f64::from_bits(bits),
        _ => half::widen(ty, bits),
    }
}

/// Numbers at the edges, with both signs: few and many digits, and a number of random ones.
fn numbers(ty: Type) -> Vec<u64> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let random = std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state & ty.mask()
    });
    let infinity = match ty {
        Type::F32 => f32::INFINITY.to_bits().into(),
        Type::F64 => f64::INFINITY.to_bits(),
        Type::F16 => 0x7c00,
        _ => 0x7f80,
    };
    let fraction = infinity & infinity.wrapping_neg();
    let one = (infinity >> 1) & infinity;
    let edges = [
        0,
        1,
        2,
        3,
        fraction - 1,
        fraction,
        fraction + 1,
        one - 1,
        one,
        one + 1,
        one + fraction / 2,
        one + 5 * fraction / 4,
        infinity - fraction,
        infinity - 1,
        infinity,
        infinity + 1,
    ];
    let sign = 1 << (ty.bits() - 1);
    edges.into_iter().flat_map(|bits| [bits, bits | sign]).chain(random.take(96)).collect()
}

#[test]
fn remainders_are_those_of_rust() {
    for ty in [Type::F32, Type::F64, Type::F16, Type::BF16] {
        let numbers = numbers(ty);
        let pairs: Vec<[u64; 2]> =
            numbers.iter().flat_map(|&x| numbers.iter().map(move |&y| [x, y])).collect();
        assert_eq!(pairs.len() % 128, 0, "blocks are full");
        let ptx = kernel(ty);
        let program = Program::load(&ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
        let memory = Memory::new();
        let mut bytes: Vec<u8> = pairs.iter().flatten().flat_map(|bits| bits.to_le_bytes()).collect();
        let address = memory.allocate(bytes.len() as u64, 8);
        memory.write(address, &bytes).expect("it was allocated");
        let kernel = program.kernel("test").expect("the only one");
        let grid = [pairs.len() as u32 / 128, 1, 1];
        let config = LaunchConfig { grid, block: [128, 1, 1], dynamic_shared: 0 };
        launch(&program, kernel, &memory, &config, &address.to_le_bytes()).unwrap_or_else(|f| panic!("{f}"));
        memory.read(address, &mut bytes).expect("it was allocated");
        for ([x, y], result) in pairs.into_iter().zip(bytes.chunks_exact(16)) {
            let bits =
                result.iter().take(8).rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)) & ty.mask();
            let [x, y, found] = [x, y, bits].map(|bits| widen(ty, bits));
            let expected = x % y;
            let same = expected.is_nan() && found.is_nan() || expected.to_bits() == found.to_bits();
            assert!(same, "{ty}: {x:e} % {y:e}: expected {expected:e}, found {found:e}");
        }
    }
}
