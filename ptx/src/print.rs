//! The PTX tree as text: `Display` for a module and for each of its parts.
//!
//! One tab per level, labels at column 0. What is printed parses to the same tree again.

use std::fmt::{self, Display, Formatter};

use super::tree::{
    Address, File, Function, FunctionDirective, Guard, Immediate, Initializer, InlinedLocation, Instruction,
    Item, Linkage, Location, Module, Operand, Pointer, Registers, Section, Statement, StatementKind,
    Variable,
};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, ".version {}", self.version)?;
        writeln!(f, ".target {}", self.target.join(", "))?;
        writeln!(f, ".address_size {}", self.address_size)?;
        let mut previous_was_line = false;
        for item in &self.items {
            // Items of one line stand together; functions and sections stand apart.
            let is_line = !matches!(item, Item::Function(_) | Item::Section(_));
            if !(is_line && previous_was_line) {
                writeln!(f)?;
            }
            previous_was_line = is_line;
            writeln!(f, "{item}")?;
        }
        Ok(())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Variable(variable) => write!(f, "{variable};"),
            Item::Registers(registers) => write!(f, "{registers};"),
            Item::Function(function) => function.fmt(f),
            Item::File(file) => file.fmt(f),
            Item::Pragma(text) => write!(f, ".pragma {};", Quoted(text)),
            Item::Alias { name, aliasee } => write!(f, ".alias {name}, {aliasee};"),
            Item::Section(Section { name, text }) => write!(f, ".section {name}\n{{{text}}}"),
        }
    }
}

impl Display for File {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".file {} {}", self.index, Quoted(&self.path))
    }
}

/// A string with its quotes; quotes and backslashes in it are escaped.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "\"{}\"", self.0.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

impl Linkage {
    /// The directive with a space after it, or nothing.
    const fn prefix(self) -> &'static str {
        match self {
            Linkage::Internal => "",
            Linkage::Visible => ".visible ",
            Linkage::Extern => ".extern ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        }
    }
}

/// The declaration without the semicolon: parameters of functions have none.
impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.linkage.prefix(), self.space)?;
        if self.managed {
            write!(f, " .attribute(.managed)")?;
        }
        if let Some(align) = self.align {
            write!(f, " .align {align}")?;
        }
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " .{}", self.ty)?;
        if let Some(Pointer { space, align }) = self.pointer {
            write!(f, " .ptr")?;
            if let Some(space) = space {
                write!(f, " .{space}")?;
            }
            write!(f, " .align {align}")?;
        }
        write!(f, " {}", self.name)?;
        for dimension in &self.dimensions {
            match dimension {
                Some(size) => write!(f, "[{size}]")?,
                None => write!(f, "[]")?,
            }
        }
        match &self.initializer {
            Some(initializer) => write!(f, " = {initializer}"),
            None => Ok(()),
        }
    }
}

impl Display for Initializer {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Initializer::Immediate(immediate) => immediate.fmt(f),
            Initializer::Address { name, offset, generic } => {
                if *generic { write!(f, "generic({name})") } else { name.fmt(f) }?;
                if *offset != 0 { write!(f, "+{offset}") } else { Ok(()) }
            }
            Initializer::Masked { mask, value } => write!(f, "{mask:#X}({value})"),
            Initializer::List(elements) => write!(f, "{{{}}}", Commas(elements)),
        }
    }
}

/// Elements with commas between them.
struct Commas<'a, T>(&'a [T]);

impl<T: Display> Display for Commas<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, element) in self.0.iter().enumerate() {
            write!(f, "{}{element}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{} ", self.linkage.prefix(), if self.is_entry { ".entry" } else { ".func" })?;
        if !self.returns.is_empty() {
            write!(f, "({}) ", Commas(&self.returns))?;
        }
        write!(f, "{}(", self.name)?;
        for (i, parameter) in self.parameters.iter().enumerate() {
            write!(f, "{}\n\t{parameter}", if i == 0 { "" } else { "," })?;
        }
        write!(f, "{})", if self.parameters.is_empty() { "" } else { "\n" })?;
        for directive in &self.directives {
            write!(f, "\n{directive}")?;
        }
        match &self.body {
            Some(body) => write!(f, "\n{}", Body { statements: body, level: 0 }),
            None => write!(f, ";"),
        }
    }
}

impl Display for FunctionDirective {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FunctionDirective::MaxThreads(size) => write!(f, ".maxntid {}", Commas(size)),
            FunctionDirective::RequiredThreads(size) => write!(f, ".reqntid {}", Commas(size)),
            FunctionDirective::MinBlocksPerSm(count) => write!(f, ".minnctapersm {count}"),
            FunctionDirective::MaxBlocksPerSm(count) => write!(f, ".maxnctapersm {count}"),
            FunctionDirective::MaxRegisters(count) => write!(f, ".maxnreg {count}"),
            FunctionDirective::RequiredCluster(size) => write!(f, ".reqnctapercluster {}", Commas(size)),
            FunctionDirective::MaxClusterRank(count) => write!(f, ".maxclusterrank {count}"),
            FunctionDirective::ExplicitCluster => write!(f, ".explicitcluster"),
            FunctionDirective::BlocksAreClusters => write!(f, ".blocksareclusters"),
            FunctionDirective::AbiPreserve(count) => write!(f, ".abi_preserve {count}"),
            FunctionDirective::AbiPreserveControl(count) => write!(f, ".abi_preserve_control {count}"),
            FunctionDirective::NoReturn => write!(f, ".noreturn"),
            FunctionDirective::Pragma(text) => write!(f, ".pragma {};", Quoted(text)),
        }
    }
}

/// `{ … }` at a level of indentation.
struct Body<'a> {
    statements: &'a [Statement],
    level: usize,
}

impl Display for Body<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Body { statements, level } = *self;
        writeln!(f, "{{")?;
        for statement in statements {
            match &statement.kind {
                StatementKind::Label(_)
                | StatementKind::BranchTargets { .. }
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => writeln!(f, "{}", statement.kind)?,
                StatementKind::Block(inner) => {
                    writeln!(f, "{}{}", Tabs(level + 1), Body { statements: inner, level: level + 1 })?;
                }
                StatementKind::Registers(_)
                | StatementKind::Variable(_)
                | StatementKind::Instruction(_)
                | StatementKind::Location(_)
                | StatementKind::InlinedLocation(_)
                | StatementKind::Pragma(_) => writeln!(f, "{}{}", Tabs(level + 1), statement.kind)?,
            }
        }
        write!(f, "{}}}", Tabs(level))
    }
}

struct Tabs(usize);

impl Display for Tabs {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        (0..self.0).try_for_each(|_| f.write_str("\t"))
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

/// One line, but for blocks; no indentation.
impl Display for StatementKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            StatementKind::Registers(registers) => registers.fmt(f),
            StatementKind::Variable(variable) => write!(f, "{variable};"),
            StatementKind::Label(name) => write!(f, "{name}:"),
            StatementKind::Instruction(instruction) => instruction.fmt(f),
            StatementKind::Block(statements) => Body { statements, level: 0 }.fmt(f),
            StatementKind::Location(location) => write!(f, ".loc {location}"),
            StatementKind::InlinedLocation(InlinedLocation { location, function, offset, at }) => {
                write!(f, ".loc {location}, function_name {function}")?;
                if *offset != 0 {
                    write!(f, "+{offset}")?;
                }
                write!(f, ", inlined_at {at}")
            }
            StatementKind::Pragma(text) => write!(f, ".pragma {};", Quoted(text)),
            StatementKind::BranchTargets { name, targets } => {
                write!(f, "{name}: .branchtargets {};", Commas(targets))
            }
            StatementKind::CallTargets { name, targets } => {
                write!(f, "{name}: .calltargets {};", Commas(targets))
            }
            StatementKind::CallPrototype { name, returns, parameters, directives } => {
                write!(f, "{name}: .callprototype ")?;
                if !returns.is_empty() {
                    write!(f, "({}) ", Commas(returns))?;
                }
                write!(f, "_ ({})", Commas(parameters))?;
                for directive in directives {
                    write!(f, " {directive}")?;
                }
                write!(f, ";")
            }
        }
    }
}

impl Display for Registers {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, ".reg ")?;
        if self.vector > 1 {
            write!(f, ".v{} ", self.vector)?;
        }
        write!(f, ".{} {}", self.ty, self.name)?;
        match self.count {
            Some(count) => write!(f, "<{count}>;"),
            None => write!(f, ";"),
        }
    }
}

/// File, line and column, as `.loc` takes them.
impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.file, self.line, self.column)
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(Guard { predicate, negated }) = &self.guard {
            write!(f, "@{}{predicate} ", if *negated { "!" } else { "" })?;
        }
        self.opcode.fmt(f)?;
        for modifier in &self.modifiers {
            write!(f, ".{modifier}")?;
        }
        if !self.operands.is_empty() {
            write!(f, " {}", Commas(&self.operands))?;
        }
        write!(f, ";")
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(name) => name.fmt(f),
            Operand::Not(name) => write!(f, "!{name}"),
            Operand::Negative(name) => write!(f, "-{name}"),
            Operand::Immediate(immediate) => immediate.fmt(f),
            Operand::Address(address) => address.fmt(f),
            Operand::Vector(elements) => write!(f, "{{{}}}", Commas(elements)),
            Operand::Offset(name, offset) => write!(f, "{name}+{offset}"),
            Operand::Pair(first, second) => write!(f, "{first}|{second}"),
            Operand::Group(elements) => write!(f, "({})", Commas(elements)),
            Operand::Discard => write!(f, "_"),
        }
    }
}

impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.base, self.offset) {
            (Some(base), 0) => write!(f, "[{base}")?,
            (Some(base), offset) => write!(f, "[{base}+{offset}")?,
            (None, offset) => write!(f, "[{offset}")?,
        }
        for coordinate in &self.coordinates {
            write!(f, ", {coordinate}")?;
        }
        write!(f, "]")
    }
}

impl Display for Immediate {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match *self {
            Immediate::Int(value) => value.fmt(f),
            Immediate::Unsigned(value) => value.fmt(f),
            Immediate::F32(bits) => write!(f, "0f{bits:08X}"),
            Immediate::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::tree::{Keyword, Name, Opcode, PtxVersion, ScalarType, StateSpace};

    fn check(item: impl Display, expect: Expect) {
        expect.assert_eq(&item.to_string());
    }

    fn name(text: &str) -> Operand {
        Operand::Name(text.into())
    }

    #[test]
    fn a_kernel() {
        let add = Instruction {
            guard: Some(Guard { predicate: "%p1".into(), negated: true }),
            opcode: Opcode::Add,
            modifiers: vec![Keyword::Rn.into(), ScalarType::F32.into()],
            operands: vec![name("%f1"), name("%f2"), Operand::Immediate(Immediate::F32(0x3f80_0000))],
        };
        let load = Instruction {
            guard: None,
            opcode: Opcode::Ld,
            modifiers: vec![StateSpace::Param.into(), ScalarType::U64.into()],
            operands: vec![
                name("%rd1"),
                Operand::Address(Address { base: Some("x".into()), offset: -8, coordinates: vec![] }),
            ],
        };
        let registers = |ty, name: &str, count| {
            StatementKind::Registers(Registers { ty, vector: 1, name: name.into(), count })
        };
        let body = vec![
            registers(ScalarType::F32, "%f", Some(3)),
            StatementKind::Location(Location { file: 1, line: 2, column: 3 }),
            StatementKind::Instruction(load),
            StatementKind::Label("$L0".into()),
            StatementKind::Block(vec![StatementKind::Instruction(add).into()]),
        ];
        let pointer = Some(Pointer { space: Some(StateSpace::Global), align: 16 });
        let x = Variable { pointer, ..Variable::new(StateSpace::Param, ScalarType::U64, "x".into()) };
        let function = Function {
            linkage: Linkage::Visible,
            is_entry: true,
            name: "kernel".into(),
            returns: vec![],
            parameters: vec![x, Variable::new(StateSpace::Param, ScalarType::U32, "n".into())],
            directives: vec![
                FunctionDirective::MaxThreads([256, 1, 1]),
                FunctionDirective::MinBlocksPerSm(8),
            ],
            body: Some(body.into_iter().map(Statement::from).collect()),
            position: Default::default(),
        };
        let tile = Variable {
            align: Some(4),
            dimensions: vec![Some(32), None],
            ..Variable::new(StateSpace::Shared, ScalarType::F32, Name::new("tile"))
        };
        let module = Module {
            version: PtxVersion::new(8, 0),
            target: vec!["sm_90a".into(), "debug".into()],
            address_size: 64,
            items: vec![
                Item::File(File { index: 1, path: "a\\\"b\".rs".into() }),
                Item::Variable(tile),
                Item::Function(function),
            ],
        };
        check(
            module,
            expect![[r#"
                .version 8.0
                .target sm_90a, debug
                .address_size 64

                .file 1 "a\\\"b\".rs"
                .shared .align 4 .f32 tile[32][];

                .visible .entry kernel(
                	.param .u64 .ptr .global .align 16 x,
                	.param .u32 n
                )
                .maxntid 256, 1, 1
                .minnctapersm 8
                {
                	.reg .f32 %f<3>;
                	.loc 1 2 3
                	ld.param.u64 %rd1, [x+-8];
                $L0:
                	{
                		@!%p1 add.rn.f32 %f1, %f2, 0f3F800000;
                	}
                }
            "#]],
        );
    }
}
