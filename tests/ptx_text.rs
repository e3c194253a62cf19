//! Our PTX text against the real `ptxas`: what we print of nvcc's texts is assembled, and the table of instruction forms
//! agrees with it, word by word: each form exists from the version and target on that the table says, and not before.

use std::collections::{BTreeMap, BTreeSet};

use ptx::check::check;
use ptx::forms::{
    Form, Kind, Match, Shape, TypeRef, coordinates_of, forms, image_offsets_of, space_of, types_of,
    vector_of, words_of_name,
};
use ptx::parse::{parse, parse_instruction};
use ptx::target::Arch;
use ptx::tree::{
    Address, Immediate, Instruction, Keyword, Modifier, Name, Opcode, Operand, PtxVersion, ScalarType,
    StateSpace,
};
use tests::toolchain::{Ptxas, Tool, require_or_skip};

/// PTX written by nvcc, from the tests of the parser.
const TEXTS: &[(&str, &str)] = &[
    ("floats", include_str!("../ptx/tests/data/floats.ptx")),
    ("integers", include_str!("../ptx/tests/data/integers.ptx")),
    ("collectives", include_str!("../ptx/tests/data/collectives.ptx")),
    ("calls", include_str!("../ptx/tests/data/calls.ptx")),
    ("tensor", include_str!("../ptx/tests/data/tensor.ptx")),
];

#[test]
fn printed_texts_are_assembled() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    for (name, text) in TEXTS {
        let module = parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let printed = module.to_string();
        let before = ptxas.assemble(text, Arch::Sm90).unwrap_or_else(|log| panic!("{name}: {log}"));
        let after = ptxas.assemble(&printed, Arch::Sm90).unwrap_or_else(|log| panic!("{name}: {log}"));
        assert_eq!(before, after, "{name}: printed again it assembles to something else");
    }
}

/// The instructions of `cuda::ptx`, NVIDIA's functions around PTX, as `asm` statements with registers for their operands.
fn instructions_of_libcudacxx(header: &str) -> Vec<String> {
    let mut instructions = Vec::new();
    for statement in
        header.split("asm").skip(1).filter(|rest| rest.starts_with('(') || rest.starts_with(" volatile("))
    {
        // Strings before the first colon are the text, those before a parenthesis after it say where operands are.
        let (mut text, mut operands, mut in_text) = (String::new(), Vec::new(), true);
        let mut parts = statement.split('"');
        let mut outside = parts.next().unwrap_or_default();
        while let (Some(inside), Some(after)) = (parts.next(), parts.next()) {
            in_text &= !outside.contains(':');
            if in_text {
                text.push_str(&inside.replace("\\n", "\n").replace("\\t", " "));
            } else if after.trim_start().starts_with('(') {
                operands.push(inside.trim_start_matches(['=', '+']));
            }
            outside = after;
            if after.contains(");") {
                break;
            }
        }
        for (index, constraint) in operands.iter().enumerate().rev() {
            let operand = match *constraint {
                "l" => format!("%rd{index}"),
                "h" => format!("%h{index}"),
                "f" => format!("%f{index}"),
                "d" => format!("%fd{index}"),
                "n" => "1".to_owned(),
                _ => format!("%r{index}"),
            };
            text = text.replace(&format!("%{index}"), &operand.replace('%', "%%"));
        }
        instructions.push(text.replace("%%", "%"));
    }
    instructions
}

#[test]
fn libcudacxx_is_accepted() {
    let Some(header) = require_or_skip(Tool::OccupancyHeader.find()) else { return };
    let headers = header.with_file_name("cccl/cuda/__ptx/instructions/generated");
    let Ok(headers) = std::fs::read_dir(&headers) else {
        panic!("{}: expected the headers of the package nvidia-cuda-cccl", headers.display());
    };
    let mut seen = BTreeSet::new();
    for header in headers {
        let header = std::fs::read_to_string(header.expect("a header").path()).expect("a header");
        seen.extend(instructions_of_libcudacxx(&header));
    }
    assert!(seen.len() > 1500, "{} instructions: are they written in another way?", seen.len());
    let mut wrong = String::new();
    for text in seen {
        let refusals = [Arch::Sm90a, Arch::Sm100a, Arch::Sm120a].map(|arch| {
            let module = format!(
                ".version 9.0\n.target {arch}\n.address_size 64\n.entry k()\n{{\n.reg .b16 %h<160>;.reg .b32 %r<160>;\
                 .reg .b64 %rd<160>;.reg .f32 %f<160>;.reg .f64 %fd<160>;\n{{ {text}\n}}\n}}\n"
            );
            match parse(&module) {
                Ok(module) => check(&module).err().map(|errors| errors[0].to_string()),
                Err(error) => Some(error.to_string()),
            }
        });
        if let [Some(first), Some(second), Some(third)] = refusals {
            wrong.push_str(&format!("{text}\n{first}\n{second}\n{third}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every register type that an operand may have.
const REGISTERS: &[(ScalarType, &str)] = &[
    (ScalarType::Pred, "%p"),
    (ScalarType::B8, "%c"),
    (ScalarType::B16, "%h"),
    (ScalarType::B32, "%r"),
    (ScalarType::B64, "%rd"),
    (ScalarType::B128, "%rq"),
];

fn name(text: &str) -> Operand {
    Operand::Name(Name::from(text))
}

/// A register of so many bits.
fn register(bits: u32, index: usize) -> Operand {
    Operand::Name(numbered(bits, index))
}

fn numbered(bits: u32, index: usize) -> Name {
    let (_, stem) =
        REGISTERS.iter().find(|(ty, _)| ty.bits() >= bits).expect("no type is wider than 128 bits");
    Name::new(format!("{stem}{index}"))
}

/// A number that the instruction takes for an operand of a type.
fn number_for(instruction: &Instruction, ty: TypeRef) -> i64 {
    let has = |word: Keyword| instruction.modifiers.contains(&word.into());
    match instruction.opcode {
        Opcode::Applypriority | Opcode::Discard | Opcode::Fence => 128,
        Opcode::Tensormap if has(Keyword::CpFenceproxy) => 128,
        Opcode::St | Opcode::Mma | Opcode::Tensormap => 0,
        // A selector of metadata, or a number of groups.
        Opcode::Wgmma if ty == TypeRef::Fixed(ScalarType::U32) => 0,
        Opcode::Pmevent | Opcode::Wgmma | Opcode::Tcgen05 => 1,
        _ => 16,
    }
}

/// Operands as the form asks for; `None` where it takes some that an instruction alone cannot have.
fn operands(form: &Form, instruction: &Instruction, full: bool) -> Option<Vec<Operand>> {
    let has_hint = instruction.modifiers.iter().any(|modifier| modifier.to_string() == "L2::cache_hint");
    let wanted = form.operands.iter().filter(|shape| shape.kind != Kind::CachePolicy || has_hint);
    let wanted = wanted.filter(|shape| full || !shape.optional);
    wanted.enumerate().map(|(index, shape)| operand(*shape, instruction, index)).collect()
}

fn operand(shape: Shape, instruction: &Instruction, index: usize) -> Option<Operand> {
    let bits = match shape.ty {
        TypeRef::Fixed(ty) => ty.bits(),
        TypeRef::Modifier(at) => types_of(instruction).nth(at)?.bits(),
        TypeRef::Wide => types_of(instruction).next()?.bits() * 2,
    };
    // Accesses of bytes go through registers of 16 bits.
    let bits = if shape.wider { bits.max(16) } else { bits };
    let several =
        |count: usize| Operand::Vector((0..count).map(|element| register(bits, index + element)).collect());
    Some(match shape.kind {
        Kind::Destination
        | Kind::DestinationAndPredicate
        | Kind::Source
        | Kind::Register
        | Kind::MoveSource => register(bits, index),
        Kind::DestinationWithPredicate => Operand::Pair(numbered(bits, index), Name::from("%p3")),
        Kind::Sink => Operand::Discard,
        Kind::Destinations(Some(count)) | Kind::Sources(Some(count)) => several(count),
        Kind::Destinations(None) | Kind::Sources(None) => match vector_of(instruction) {
            1 => register(bits, index),
            count => several(count),
        },
        Kind::Immediate => Operand::Immediate(Immediate::Int(number_for(instruction, shape.ty))),
        Kind::Predicate => name("%p3"),
        Kind::Unpacked | Kind::Packed => {
            Operand::Vector(vec![register(bits / 2, index), register(bits / 2, index + 1)])
        }
        Kind::Address => {
            let space = space_of(instruction);
            let base = match space {
                Some(StateSpace::Param) if instruction.opcode == Opcode::St => "local_param",
                Some(StateSpace::ParamFunc) => "local_param",
                Some(StateSpace::Param | StateSpace::ParamEntry) => "param0",
                _ => "%rd7",
            };
            Operand::Address(Address { base: Some(base.into()), offset: 0, coordinates: Vec::new() })
        }
        Kind::Tensor => {
            let coordinates = (0..coordinates_of(instruction)).map(|at| register(32, at)).collect();
            let coordinates = vec![Operand::Vector(coordinates)];
            Operand::Address(Address { base: Some("%rd7".into()), offset: 0, coordinates })
        }
        Kind::TensorMemory => {
            Operand::Address(Address { base: Some("%r7".into()), offset: 0, coordinates: Vec::new() })
        }
        Kind::ImageOffsets => {
            Operand::Vector((0..image_offsets_of(instruction)).map(|at| register(16, at)).collect())
        }
        Kind::CachePolicy => name("%rd6"),
        Kind::Part | Kind::SignedPart | Kind::DestinationPart | Kind::Lanes | Kind::DestinationLanes => {
            register(bits, index)
        }
        Kind::Name | Kind::Any => return None,
    })
}

/// Forms that `ptxas` takes although the manual does not: the table follows the manual, as an older `ptxas` may be strict.
const LENIENT: &[&str] = &[
    "cp.async.",
    "fence.acquire.",
    "mbarrier.arrive.release.cta.",
    "mbarrier.test_wait.acquire.cta.",
    "mbarrier.test_wait.parity.acquire.cta.",
    "fence.release.",
    "cvt.rn.satfinite.f16.f32",
    "cvt.rz.satfinite.f16.f32",
    "cvt.rm.bf16.f32",
    "cvt.rp.bf16.f32",
];

/// An instruction, and what the table says that it needs.
struct Example {
    text: String,
    needs: Vec<(PtxVersion, Vec<Arch>)>,
    /// The version that no longer has it, on every target here.
    until: Option<PtxVersion>,
}

impl Example {
    fn version(&self) -> PtxVersion {
        self.needs.iter().map(|(version, _)| *version).max().expect("each form needs a version")
    }

    /// The lowest target that provides all.
    fn arch(&self) -> Option<Arch> {
        let provides = |arch: &Arch| {
            let met = |any: &Vec<Arch>| any.is_empty() || any.iter().any(|needed| arch.provides(*needed));
            self.needs.iter().all(|(_, any)| met(any))
        };
        Arch::ALL.iter().copied().find(provides)
    }

    /// The highest target without a letter that does not provide all.
    fn insufficient_arch(&self) -> Option<Arch> {
        let plain = [Arch::Sm75, Arch::Sm80, Arch::Sm86, Arch::Sm87, Arch::Sm89, Arch::Sm90, Arch::Sm100];
        let provides = |arch: &Arch| {
            let met = |any: &Vec<Arch>| any.is_empty() || any.iter().any(|needed| arch.provides(*needed));
            self.needs.iter().all(|(_, any)| met(any))
        };
        plain.into_iter().rfind(|arch| !provides(arch))
    }
}

/// Opcodes that cannot stand alone in a test: they need a directive or a location, or end the thread.
const NOT_ALONE: &[Opcode] = &[Opcode::Ret, Opcode::Exit, Opcode::Trap, Opcode::Brkpt, Opcode::Setmaxnreg];

fn examples() -> Vec<Example> {
    let mut examples = Vec::new();
    let opcodes = Opcode::ALL.iter().filter(|opcode| !NOT_ALONE.contains(opcode));
    for form in opcodes.flat_map(|opcode| forms(*opcode)) {
        for modifiers in form.examples() {
            let found: Match = form.matches(&modifiers).expect("an example of a form has that form");
            let until = found.needs.iter().filter_map(|needs| needs.until).map(|end| end.version).min();
            let needs =
                found.needs.iter().map(|needs| (needs.ptx, needs.targets.clone())).collect::<Vec<_>>();
            for full in [false, true] {
                let mut instruction = Instruction {
                    guard: None,
                    opcode: form.opcode,
                    modifiers: modifiers.clone(),
                    operands: Vec::new(),
                };
                let Some(operands) = operands(form, &instruction, full) else { continue };
                instruction.operands = operands;
                examples.push(Example { text: instruction.to_string(), needs: needs.clone(), until });
            }
        }
    }
    // One text may be an example of several forms: it needs what the first of them does.
    let mut seen = BTreeSet::new();
    examples.retain(|example| seen.insert(example.text.clone()));
    examples
}

/// Reads instructions under one header; for each whether `ptxas` took it, or what it said.
fn read_by(ptxas: &Ptxas, version: PtxVersion, arch: Arch, texts: &[&str]) -> Vec<Result<(), String>> {
    let mut module =
        format!(".version {version}\n.target {arch}\n.address_size 64\n.entry k(.param .u64 param0)\n{{\n");
    for (ty, stem) in REGISTERS {
        if *ty != ScalarType::B128 || version >= PtxVersion::new(8, 3) {
            module.push_str(&format!(".reg .{ty} {stem}<160>;\n"));
        }
    }
    module.push_str(".param .align 16 .b8 local_param[64];\n");
    let first = module.lines().count() + 1;
    texts.iter().for_each(|text| module.push_str(&format!("{text}\n")));
    // A mistake of our own at the end: `ptxas` reads everything and then stops. Generating code for such a heap of
    // unrelated instructions shows nothing more, and makes it crash.
    module.push_str("mistake;\n}\n");
    let log = ptxas.assemble(&module, arch).expect_err("the mistake at the end is refused");
    let mut complaints: BTreeMap<usize, &str> = BTreeMap::new();
    for line in log.lines() {
        let place = line.split_once(", line ").and_then(|(_, rest)| rest.split_once(';'));
        if let Some((number, message)) = place
            && let Ok(number) = number.parse()
            && message.contains("error")
        {
            complaints.entry(number).or_insert(message.trim());
        }
    }
    assert!(!complaints.is_empty(), "{log}");
    let result =
        |index: usize| complaints.get(&(first + index)).map_or(Ok(()), |message| Err((*message).to_owned()));
    (0..texts.len()).map(result).collect()
}

#[test]
fn forms_exist_when_the_table_says() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let examples = examples();
    let mut groups: BTreeMap<(PtxVersion, Arch, bool), Vec<&Example>> = BTreeMap::new();
    for example in &examples {
        let arch = example.arch().unwrap_or_else(|| panic!("{}: no target provides it", example.text));
        let version = example.version().max(arch.min_ptx());
        // Some forms had ended before the first target here.
        let exists = example.until.is_none_or(|until| version < until);
        groups.entry((version, arch, exists)).or_default().push(example);
        if let Some(until) = example.until {
            groups.entry((until.max(version), arch, false)).or_default().push(example);
        }
        // The version before, as far as the target has it.
        if version > arch.min_ptx() {
            let before = PREVIOUS.windows(2).find(|pair| pair[1] == (version.major, version.minor));
            let (major, minor) = before.map(|pair| pair[0]).expect("a version of the list");
            groups.entry((PtxVersion::new(major, minor), arch, false)).or_default().push(example);
        }
        if let Some(arch) = example.insufficient_arch() {
            groups.entry((PtxVersion::new(9, 0), arch, false)).or_default().push(example);
        }
    }
    let mut wrong = String::new();
    for ((version, arch, expected), examples) in groups {
        let texts: Vec<&str> = examples.iter().map(|example| example.text.as_str()).collect();
        for (text, result) in texts.iter().zip(read_by(&ptxas, version, arch, &texts)) {
            match (expected, result) {
                (true, Err(message)) => {
                    wrong.push_str(&format!("{text} fails on {version} {arch}: {message}\n"))
                }
                (false, Ok(())) if !LENIENT.iter().any(|start| text.starts_with(start)) => {
                    wrong.push_str(&format!("{text} exists on {version} {arch}\n"))
                }
                (true, Ok(())) | (false, _) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The versions of PTX from that of sm_75 on.
const PREVIOUS: &[(u32, u32)] = &[
    (6, 3),
    (6, 4),
    (6, 5),
    (7, 0),
    (7, 1),
    (7, 2),
    (7, 3),
    (7, 4),
    (7, 5),
    (7, 6),
    (7, 7),
    (7, 8),
    (8, 0),
    (8, 1),
    (8, 2),
    (8, 3),
    (8, 4),
    (8, 5),
    (8, 6),
    (8, 7),
    (8, 8),
    (9, 0),
];

/// `ptxas` takes modifiers in any order, as long as types, state spaces and the like keep theirs, and so does the parser, which puts them into
/// that of the manual.
#[test]
fn modifiers_stand_in_any_order() {
    let Some(ptxas) = require_or_skip(Ptxas::find()) else { return };
    let mut groups: BTreeMap<(PtxVersion, Arch), Vec<String>> = BTreeMap::new();
    for example in examples().into_iter().filter(|example| example.until.is_none()).step_by(3) {
        let arch = example.arch().unwrap_or_else(|| panic!("{}: no target provides it", example.text));
        let mut instruction = parse_instruction(&example.text).expect("parses");
        let modifiers = &mut instruction.modifiers;
        // A later word comes first behind the name of the operation.
        let name = words_of_name(instruction.opcode, modifiers);
        let found = (name + 1..modifiers.len())
            .rfind(|&at| matches!(modifiers[at], Modifier::Keyword(word) if moves(word)));
        let Some(at) = found else { continue };
        modifiers[name..=at].rotate_right(1);
        let moved = instruction.to_string();
        assert_eq!(parse_instruction(&moved).expect("parses").to_string(), example.text, "{moved}");
        groups.entry((example.version().max(arch.min_ptx()), arch)).or_default().push(moved);
    }
    let mut wrong = String::new();
    for ((version, arch), texts) in groups {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for (text, result) in texts.iter().zip(read_by(&ptxas, version, arch, &texts)) {
            if let Err(message) = result {
                wrong.push_str(&format!("{text} fails on {version} {arch}: {message}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Returns true if a word says the same wherever it stands.
fn moves(word: Keyword) -> bool {
    use Keyword::{And, B4x16P64, B6x16P32, B8x16, Col, Or, Popc, Row, Xor};
    use Keyword::{L2EvictFirst, L2EvictLast, L2EvictNormal, L2EvictUnchanged};
    let priorities = [L2EvictNormal, L2EvictUnchanged, L2EvictFirst, L2EvictLast];
    ![Row, Col, And, Or, Xor, Popc, B8x16, B4x16P64, B6x16P32].contains(&word) && !priorities.contains(&word)
}
