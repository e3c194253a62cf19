//! The machine code of both by the assembler: registers, spills, and the instructions of sm_NN by class, those of the hottest loop too.

use std::collections::BTreeMap;

use kernel_runtime::Arch;

use crate::toolchain::{Instruction, MissingTool, Ptxas, Sass};

/// Properties of the machine code of one kernel.
#[derive(Clone, Debug)]
pub struct Code {
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of registers stored because they did not fit.
    pub spills: u32,
    /// Instructions by class.
    pub all: Classes,
    /// Those of the hottest loop: the longest one that has no loop in it. Empty without loops.
    pub hot: Classes,
    /// The widest access to global memory, in bits; 0 without any.
    pub widest: u32,
    /// Integer instructions that are parts of 64-bit arithmetic, but those that make addresses of an index of 32 bits.
    pub wide_integers: u32,
}

/// Number of instructions of each class.
pub type Classes = BTreeMap<&'static str, u32>;

/// NVIDIA's assembler and disassembler.
pub struct Disassembler {
    ptxas: Ptxas,
    sass: Sass,
}

impl Disassembler {
    /// Finds them.
    ///
    /// # Errors
    /// One is missing.
    pub fn find() -> Result<Disassembler, MissingTool> {
        Ok(Disassembler { ptxas: Ptxas::find()?, sass: Sass::find()? })
    }

    /// Returns the properties of the machine code of a kernel of a PTX text.
    ///
    /// # Errors
    /// The assembler refuses the text, or the text has no such kernel.
    pub fn code(&self, ptx: &str, kernel: &str, arch: Arch) -> Result<Code, String> {
        let missing = || format!("the PTX has no kernel `{kernel}`");
        let report = self.ptxas.assemble(ptx, arch)?;
        let entry = report.entries.into_iter().find(|entry| entry.name == kernel).ok_or_else(missing)?;
        let functions = self.sass.functions_of_ptx(ptx, arch.name())?;
        let instructions = functions.get(kernel).ok_or_else(missing)?;
        Ok(Code {
            registers: entry.registers,
            spills: entry.spill_stores,
            all: classes(instructions),
            hot: hottest_loop(instructions).map(classes).unwrap_or_default(),
            widest: instructions.iter().map(global_bits).max().unwrap_or(0),
            wide_integers: instructions.iter().filter(|it| is_wide_integer(it)).count() as u32,
        })
    }
}

impl Code {
    /// All instructions.
    pub fn instructions(&self) -> u32 {
        self.all.values().sum()
    }
}

/// Opcodes by class, by their first letters; the first that fits counts.
const CLASSES: &[(&str, &[&str])] = &[
    ("global", &["LDG", "STG", "LDGSTS", "ATOMG", "REDG", "RED", "UBLKCP"]),
    ("shared", &["LDS", "STS", "LDSM", "ATOMS"]),
    ("local", &["LDL", "STL"]),
    ("constant", &["LDC", "ULDC"]),
    ("float", &["FADD", "FMUL", "FFMA", "FSETP", "FSEL", "FMNMX", "FCHK", "FSET", "FSWZ"]),
    ("double", &["DADD", "DMUL", "DFMA", "DSETP", "DMNMX"]),
    ("half", &["H"]),
    ("special", &["MUFU"]),
    ("convert", &["F2", "I2", "F2F"]),
    ("control", &["BRA", "BSSY", "BSYNC", "BREAK", "EXIT", "RET", "CALL", "WARPSYNC", "YIELD"]),
    ("warp", &["SHFL", "VOTE", "MATCH", "REDUX", "BAR"]),
];

fn class(instruction: &Instruction) -> &'static str {
    let opcode = instruction.opcode();
    let fits = |(_, starts): &&(&str, &[&str])| starts.iter().any(|start| opcode.starts_with(start));
    CLASSES.iter().find(fits).map_or("integer", |(class, _)| class)
}

fn classes(instructions: &[Instruction]) -> Classes {
    let mut classes = Classes::new();
    for instruction in instructions {
        *classes.entry(class(instruction)).or_default() += 1;
    }
    classes
}

/// The longest stretch between a backward branch and its target that holds no other backward branch.
fn hottest_loop(instructions: &[Instruction]) -> Option<&[Instruction]> {
    let back = |end: usize| {
        let target = instructions[end].branch_target?;
        let start = instructions[..=end].iter().position(|instruction| instruction.address == target)?;
        // The padding at the end branches to itself.
        (start < end).then_some((start, end))
    };
    let loops: Vec<(usize, usize)> = (0..instructions.len()).filter_map(back).collect();
    let is_inner = |&&(start, end): &&(usize, usize)| {
        loops.iter().all(|&(inner, last)| (inner, last) == (start, end) || inner < start || last > end)
    };
    let longest = loops.iter().filter(is_inner).max_by_key(|(start, end)| end - start);
    longest.map(|&(start, end)| &instructions[start..=end])
}

/// Returns true for a part of 64-bit integer arithmetic: an instruction with a carry from the lower half, on 64 bits, or a call of the
/// division. Left out are `IMAD.WIDE` and `LEA.HI.X`, which make an address of a base and an index of 32 bits.
fn is_wide_integer(instruction: &Instruction) -> bool {
    let mut parts = instruction.opcode().split('.');
    let name = parts.next().unwrap_or_default();
    match name {
        "CALL" => true,
        "IADD3" | "IADD" | "UIADD3" | "IMAD" | "UIMAD" | "ISETP" | "UISETP" => {
            parts.any(|part| matches!(part, "X" | "EX" | "64"))
        }
        "SHF" | "USHF" | "I2F" | "F2I" => parts.any(|part| matches!(part, "U64" | "S64")),
        _ => false,
    }
}

/// The width of an access to global memory, in bits; 0 of others.
fn global_bits(instruction: &Instruction) -> u32 {
    let mut parts = instruction.opcode().split('.');
    if !matches!(parts.next(), Some("LDG" | "STG")) {
        return 0;
    }
    let width = parts.find_map(|part| match part {
        "256" => Some(256),
        "128" => Some(128),
        "64" => Some(64),
        "U16" | "S16" => Some(16),
        "U8" | "S8" => Some(8),
        _ => None,
    });
    width.unwrap_or(32)
}
