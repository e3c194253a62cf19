//! The PTX tree: what the emitter builds, the printer writes, the parser returns and the simulator decodes.
//!
//! The tree is syntax. A [`Name`] may be a register, a variable, a label or a function: the declarations in the same
//! module say which. Positions are those of the text that was parsed; what was built in memory has none.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

pub use super::opcode::{Keyword, Opcode, ScalarType, StateSpace};
pub use crate::target::PtxVersion;

/// An identifier of PTX, with its leading `%`, `$` or `_` and its component where it has one (`%tid.x`).
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    /// The name with this spelling.
    pub fn new(text: impl Into<Arc<str>>) -> Name {
        Name(text.into())
    }

    /// The spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

/// A position in PTX text: line and column, from one. Zero and zero for nodes that were not parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// Line, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

/// One PTX file.
#[derive(Clone, Debug)]
pub struct Module {
    /// `.version`.
    pub version: PtxVersion,
    /// `.target`, with what follows the architecture (`debug`, `texmode_unified`).
    pub target: Vec<String>,
    /// `.address_size` in bits: 64 in everything that we make, and where the text does not say.
    pub address_size: u32,
    /// Variables, functions and directives, in order.
    pub items: Vec<Item>,
}

/// An item at the top level of a module.
#[derive(Clone, Debug)]
pub enum Item {
    /// A variable outside any function.
    Variable(Variable),
    /// Registers outside any function: each thread has one of each, which all functions see. Texts before PTX 3.0 have them.
    Registers(Registers),
    /// `.entry` or `.func`, defined or declared.
    Function(Function),
    /// `.file index "path"`.
    File(File),
    /// `.pragma "text";` for the whole module.
    Pragma(String),
    /// `.alias name, aliasee;`
    Alias {
        /// The second name of the function.
        name: Name,
        /// The function.
        aliasee: Name,
    },
    /// `.section name { … }`: data for debuggers.
    Section(Section),
}

/// `.section name { … }`: data for debuggers, kept as text. Its labels are names that `.loc` with `inlined_at` may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Its name, with the leading dot: `.debug_str`.
    pub name: String,
    /// Text between the braces, as it was written.
    pub text: String,
}

/// `.file index "path"`: the source files that [`Location`]s name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The index that `.loc` uses, from one.
    pub index: u32,
    /// The path as given.
    pub path: String,
}

/// Visibility of a name in other modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Seen in this module only.
    Internal,
    /// `.visible`
    Visible,
    /// `.extern`
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A variable of any space but registers; also a parameter of a function.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its visibility; parameters and locals are internal.
    pub linkage: Linkage,
    /// Its state space.
    pub space: StateSpace,
    /// `.attribute(.managed)`: the host reaches it too.
    pub managed: bool,
    /// `.align`, in bytes.
    pub align: Option<u32>,
    /// Elements per vector: 1, or 2 or 4 for `.v2` and `.v4`.
    pub vector: u32,
    /// The type of an element.
    pub ty: ScalarType,
    /// `.ptr` of a kernel parameter: the space it points to and the alignment it promises.
    pub pointer: Option<Pointer>,
    /// Its name.
    pub name: Name,
    /// Array dimensions, outermost first; `None` for `[]`. Empty for a scalar.
    pub dimensions: Vec<Option<u64>>,
    /// The initial value.
    pub initializer: Option<Initializer>,
}

impl Variable {
    /// A scalar in `space` that only this module sees.
    pub fn new(space: StateSpace, ty: ScalarType, name: Name) -> Variable {
        Variable {
            linkage: Linkage::Internal,
            space,
            managed: false,
            align: None,
            vector: 1,
            ty,
            pointer: None,
            name,
            dimensions: Vec::new(),
            initializer: None,
        }
    }
}

/// `.ptr.space.align n` of a kernel parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    /// The space pointed to; generic when absent.
    pub space: Option<StateSpace>,
    /// Alignment of what is pointed to, in bytes.
    pub align: u32,
}

/// The initial value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Initializer {
    /// A number.
    Immediate(Immediate),
    /// The address of a variable or function, plus bytes; `generic(name)` when `generic`.
    Address {
        /// The variable or function.
        name: Name,
        /// Plus this many bytes.
        offset: i64,
        /// Written `generic(name)`.
        generic: bool,
    },
    /// `mask(value)`: the byte of the value that the mask selects, `0xFF00(name)`.
    Masked {
        /// Mask of one byte: `0xFF00`.
        mask: u64,
        /// Value whose byte is selected.
        value: Box<Initializer>,
    },
    /// `{a, b, …}`
    List(Vec<Initializer>),
}

/// `.entry` or `.func`.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its visibility.
    pub linkage: Linkage,
    /// `.entry` if true, else `.func`.
    pub is_entry: bool,
    /// Its name.
    pub name: Name,
    /// Return parameters of a `.func`.
    pub returns: Vec<Variable>,
    /// Parameters.
    pub parameters: Vec<Variable>,
    /// `.maxntid` and its like, in order.
    pub directives: Vec<FunctionDirective>,
    /// The body; a declaration has none.
    pub body: Option<Vec<Statement>>,
    /// Its position in the text.
    pub position: Position,
}

/// Directive of a function: a promise about its launches, or a request to ptxas (PTX ISA, "Performance-Tuning Directives").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionDirective {
    /// `.maxntid x, y, z`
    MaxThreads([u32; 3]),
    /// `.reqntid x, y, z`
    RequiredThreads([u32; 3]),
    /// `.minnctapersm n`
    MinBlocksPerSm(u32),
    /// `.maxnreg n`
    MaxRegisters(u32),
    /// `.reqnctapercluster x, y, z`
    RequiredCluster([u32; 3]),
    /// `.maxclusterrank n`
    MaxClusterRank(u32),
    /// `.explicitcluster`
    ExplicitCluster,
    /// `.blocksareclusters`
    BlocksAreClusters,
    /// `.maxnctapersm n`, the old name of `.minnctapersm`
    MaxBlocksPerSm(u32),
    /// `.abi_preserve n`
    AbiPreserve(u32),
    /// `.abi_preserve_control n`
    AbiPreserveControl(u32),
    /// `.noreturn`
    NoReturn,
    /// `.pragma "text";` at function level
    Pragma(String),
}

/// One statement of a body and where it stands.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Its kind.
    pub kind: StatementKind,
    /// Its position in the text.
    pub position: Position,
}

impl From<StatementKind> for Statement {
    fn from(kind: StatementKind) -> Statement {
        Statement { kind, position: Position::default() }
    }
}

/// The statements of PTX.
#[derive(Clone, Debug)]
pub enum StatementKind {
    /// `.reg .b32 %r<8>;`
    Registers(Registers),
    /// A variable local to the function: shared, local, param.
    Variable(Variable),
    /// `name:`
    Label(Name),
    /// An instruction.
    Instruction(Instruction),
    /// `{ … }`
    Block(Vec<Statement>),
    /// `.loc file line column`
    Location(Location),
    /// `.loc file line column, function_name name, inlined_at file line column`
    InlinedLocation(InlinedLocation),
    /// `.pragma "text";`
    Pragma(String),
    /// `name: .branchtargets a, b;`
    BranchTargets {
        /// The name of the list.
        name: Name,
        /// The labels in it.
        targets: Vec<Name>,
    },
    /// `name: .calltargets f, g;`
    CallTargets {
        /// The name of the list.
        name: Name,
        /// The functions in it.
        targets: Vec<Name>,
    },
    /// `name: .callprototype (…) _ (…);`
    CallPrototype {
        /// The name of the prototype.
        name: Name,
        /// Return parameters.
        returns: Vec<Variable>,
        /// Parameters.
        parameters: Vec<Variable>,
        /// `.noreturn` and its like, in order.
        directives: Vec<FunctionDirective>,
    },
}

/// `.reg` with one name, or with a count for `name0 … name(n-1)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registers {
    /// Their type.
    pub ty: ScalarType,
    /// Elements per vector: 1, 2 or 4.
    pub vector: u32,
    /// The name, or the stem of the numbered names.
    pub name: Name,
    /// Number of numbered names, for `%r<8>`.
    pub count: Option<u32>,
}

/// `.loc file line column`: the source of the instructions that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// Index of a [`File`].
    pub file: u32,
    /// Line in it, from one.
    pub line: u32,
    /// Column in it, from one; zero when unknown.
    pub column: u32,
}

/// `.loc` of an instruction that was inlined: its own location, the inlined function, and the location of the call.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlinedLocation {
    /// Location of the instruction.
    pub location: Location,
    /// The label, in a [`Section`], of the name of the function that was inlined.
    pub function: Name,
    /// Bytes after the label.
    pub offset: u32,
    /// Location of the call.
    pub at: Location,
}

/// An instruction, with its guard.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// `@p` or `@!p`.
    pub guard: Option<Guard>,
    /// Its opcode.
    pub opcode: Opcode,
    /// Everything after the opcode, in order.
    pub modifiers: Vec<Modifier>,
    /// Destination first, as PTX writes them.
    pub operands: Vec<Operand>,
}

/// `@p` or `@!p`: the threads for which it does not hold skip the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate register.
    pub predicate: Name,
    /// `@!p`.
    pub negated: bool,
}

/// A word after the opcode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modifier {
    /// A type.
    Type(ScalarType),
    /// A state space.
    Space(StateSpace),
    /// The shape of a matrix product, `m16n8k16`.
    Shape(MatrixShape),
    /// Anything else.
    Keyword(Keyword),
}

/// The shape of a matrix product, `m16n8k16`: an m × k matrix times a k × n matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatrixShape {
    /// Rows of the product.
    pub m: u16,
    /// Columns of the product.
    pub n: u16,
    /// Summands of each element.
    pub k: u16,
}

impl MatrixShape {
    /// The shape that PTX spells so.
    pub fn from_word(text: &str) -> Option<MatrixShape> {
        let (m, rest) = text.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        let size = |digits: &str| digits.parse().ok().filter(|_| !digits.starts_with(['+', '0']));
        Some(MatrixShape { m: size(m)?, n: size(n)?, k: size(k)? })
    }
}

impl fmt::Display for MatrixShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "m{}n{}k{}", self.m, self.n, self.k)
    }
}

impl Modifier {
    /// The modifier that PTX spells so, without its dot.
    pub fn from_word(text: &str) -> Option<Modifier> {
        static WORDS: LazyLock<HashMap<&str, Modifier>> = LazyLock::new(|| {
            let keywords = Keyword::ALL.iter().map(|&word| (word.as_str(), Modifier::Keyword(word)));
            let types = ScalarType::ALL.iter().map(|&ty| (ty.as_str(), Modifier::Type(ty)));
            let spaces = StateSpace::ALL.iter().map(|&space| (space.as_str(), Modifier::Space(space)));
            keywords.chain(types).chain(spaces).collect()
        });
        WORDS.get(text).copied().or_else(|| MatrixShape::from_word(text).map(Modifier::Shape))
    }
}

impl fmt::Display for Modifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Modifier::Type(ty) => ty.fmt(f),
            Modifier::Space(space) => space.fmt(f),
            Modifier::Shape(shape) => shape.fmt(f),
            Modifier::Keyword(keyword) => keyword.fmt(f),
        }
    }
}

impl From<ScalarType> for Modifier {
    fn from(ty: ScalarType) -> Modifier {
        Modifier::Type(ty)
    }
}

impl From<StateSpace> for Modifier {
    fn from(space: StateSpace) -> Modifier {
        Modifier::Space(space)
    }
}

impl From<Keyword> for Modifier {
    fn from(keyword: Keyword) -> Modifier {
        Modifier::Keyword(keyword)
    }
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A register, special register, variable, label or function.
    Name(Name),
    /// `!p`
    Not(Name),
    /// `-r` of a product that is subtracted, in the video instructions.
    Negative(Name),
    /// A number.
    Immediate(Immediate),
    /// `[base + offset]`
    Address(Address),
    /// `{a, b}`
    Vector(Vec<Operand>),
    /// `variable+4`: the address of a variable plus bytes, or an integer register plus a number.
    Offset(Name, i64),
    /// `p|q`: two destinations. Either may be `_`, an unused result.
    Pair(Name, Name),
    /// `(a, b)` of a call.
    Group(Vec<Operand>),
    /// `_`: an unused result.
    Discard,
}

/// `[base + offset]`, for tensor copies with coordinates: `[base, {x, y}]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Address {
    /// A register or variable; absent for a plain number.
    pub base: Option<Name>,
    /// Added to it, in bytes.
    pub offset: i64,
    /// Further operands inside the brackets.
    pub coordinates: Vec<Operand>,
}

/// A literal. Floating-point literals keep their bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Immediate {
    /// An integer that fits `i64`.
    Int(i64),
    /// An integer beyond `i64::MAX`.
    Unsigned(u64),
    /// `0f3F800000`: the bits of an `f32`.
    F32(u32),
    /// `0d3FF0000000000000`: the bits of an `f64`.
    F64(u64),
}
