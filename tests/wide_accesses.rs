//! Neighbouring accesses become wide ones without changing what a thread sees: random blocks of loads and stores, through
//! pointers that overlap, run on the simulator and by a few lines of Rust.

use ptx::target::Arch;
use ptx_gen::ir::{FunctionBuilder, Module, Param, Space, Type, Value};
use ptx_gen::select::select;
use ptx_gen::verify::verify;
use ptx_sim::{LaunchConfig, Memory, Program, launch};

/// Bytes of memory.
const SIZE: usize = 64;

/// A small generator of numbers: xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % limit
    }
}

/// One access: bytes at an offset from one of two pointers, the second one being somewhere behind the first.
struct Access {
    ty: Type,
    pointer: usize,
    offset: usize,
    /// The value that is stored, one that was loaded before; a load if none.
    stored: Option<usize>,
}

/// Accesses that often are neighbours, and what two pointers they go through.
fn random_accesses(random: &mut Random) -> ([usize; 2], Vec<Access>) {
    const TYPES: [Type; 8] =
        [Type::I32, Type::F32, Type::I64, Type::F16, Type::BF16, Type::I16, Type::I8, Type::F16x2];
    let starts = [0, 16 * random.below(3)];
    let mut accesses: Vec<Access> = Vec::new();
    let mut loads: Vec<Type> = Vec::new();
    for _ in 0..6 {
        let ty = TYPES[random.below(TYPES.len())];
        let bytes = ty.bytes() as usize;
        let pointer = random.below(2);
        let mut offset = random.below(3) * 8;
        let is_store = random.below(2) == 0;
        // Forwards or backwards, with a gap now and then.
        for _ in 0..1 + random.below(8) {
            let stored = loads.iter().rposition(|&loaded| loaded == ty).filter(|_| is_store);
            if offset + bytes <= SIZE - starts[pointer] {
                if stored.is_none() {
                    loads.push(ty);
                }
                accesses.push(Access { ty, pointer, offset, stored });
            }
            offset = match random.below(8) {
                0 => random.below(SIZE / 8) * 8,
                _ => offset + bytes,
            };
        }
    }
    (starts, accesses)
}

/// The PTX: the accesses, and then everything that was read written behind the memory.
fn kernel(accesses: &[Access]) -> String {
    let mut build = FunctionBuilder::new("test");
    let params: Vec<Param> =
        (0..2).map(|index| build.add_param(format!("p{index}"), Type::I64, Some(16))).collect();
    let entry = build.create_block();
    build.switch_to(entry);
    let pointers: Vec<Value> = params.into_iter().map(|param| build.param(param)).collect();
    let mut loaded = Vec::new();
    for access in accesses {
        let (address, offset) = (pointers[access.pointer], access.offset as i32);
        match access.stored {
            Some(value) => build.store(Space::Global, address, offset, loaded[value]),
            None => loaded.push(build.load(access.ty, Space::Global, address, offset, false)),
        }
    }
    for (index, value) in loaded.into_iter().enumerate() {
        build.store(Space::Global, pointers[0], (SIZE + 8 * index) as i32, value);
    }
    build.ret();
    let module = Module { functions: vec![build.finish()], ..Module::default() };
    let verified = verify(&module).unwrap_or_else(|errors| panic!("{errors}"));
    select(&verified, Arch::FLOOR).tree.to_string()
}

/// Expected contents of memory after the accesses.
fn expected(starts: [usize; 2], accesses: &[Access], memory: &[u8]) -> Vec<u8> {
    let mut memory = memory.to_vec();
    let mut loaded: Vec<Vec<u8>> = Vec::new();
    for access in accesses {
        let at = starts[access.pointer] + access.offset;
        let range = at..at + access.ty.bytes() as usize;
        match access.stored {
            Some(value) => memory[range].copy_from_slice(&loaded[value]),
            None => loaded.push(memory[range].to_vec()),
        }
    }
    for (index, value) in loaded.iter().enumerate() {
        memory[SIZE + 8 * index..][..value.len()].copy_from_slice(value);
    }
    memory
}

fn simulate(ptx: &str, starts: [usize; 2], bytes: &[u8]) -> Vec<u8> {
    let program = Program::load(ptx).unwrap_or_else(|error| panic!("{error}\n{ptx}"));
    let memory = Memory::new();
    let address = memory.allocate(bytes.len() as u64, 16);
    memory.write(address, bytes).expect("it was allocated");
    let pointers = starts.map(|start| (address + start as u64).to_le_bytes()).concat();
    let config = LaunchConfig { grid: [1; 3], block: [1; 3], dynamic_shared: 0 };
    let kernel = program.kernel("test").expect("the only one");
    launch(&program, kernel, &memory, &config, &pointers).unwrap_or_else(|fault| panic!("{fault}\n{ptx}"));
    let mut result = bytes.to_vec();
    memory.read(address, &mut result).expect("it was allocated");
    result
}

#[test]
fn wide_accesses_see_the_same_memory() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut wide = 0;
    for round in 0..600 {
        let (starts, accesses) = random_accesses(&mut random);
        let loads = accesses.iter().filter(|access| access.stored.is_none()).count();
        let memory: Vec<u8> = (0..SIZE + 8 * loads).map(|_| random.below(256) as u8).collect();
        let ptx = kernel(&accesses);
        wide += ptx.matches(".v2.").count() + ptx.matches(".v4.").count();
        let found = simulate(&ptx, starts, &memory);
        assert!(
            found == expected(starts, &accesses, &memory),
            "round {round}, pointers at {starts:?}:\n{ptx}"
        );
    }
    assert!(wide > 1200, "too few wide accesses to check anything: {wide}");
}
