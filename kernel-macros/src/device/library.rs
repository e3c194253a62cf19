//! The device library as data for the compiler: the text of its files, and which function stands behind which method.
//!
//! A file is parsed when a kernel mentions a method of it; all its functions are free, a method's receiver is their first
//! argument.

use std::collections::{BTreeSet, HashMap};
use std::sync::OnceLock;

use super::{collectives, numbers, primitives};
use crate::attrs::KernelAttrs;
use crate::builtins::Class;
use crate::typed::{BinaryOp, Scalar};

/// A file of the library.
#[derive(Debug)]
pub struct LibraryFile {
    /// Its name.
    pub name: &'static str,
    /// Its text. The `use` lines in it are for rustc.
    pub text: &'static str,
    /// The files with what it uses.
    pub uses: &'static [&'static str],
}

/// The syntax of a library function's call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `x.name(…)`, also `f32::name(x, …)`.
    Method,
    /// `warp::name(…)`, `block::name(…)`, `fast::name(…)`.
    Path(&'static str),
    /// An operator: its name is the token.
    Operator,
}

/// The types that a method is for, or the first argument of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// This one.
    Only(Scalar),
    /// Any of a class.
    Any(Class),
}

impl Receiver {
    /// Returns true if the scalar type is a valid receiver.
    pub fn holds(self, scalar: Scalar) -> bool {
        match self {
            Receiver::Only(only) => only == scalar,
            Receiver::Any(class) => class.holds(scalar),
        }
    }
}

/// A method or function that the library has for the user.
#[derive(Debug)]
pub struct Method {
    /// Its name as the user writes it.
    pub name: &'static str,
    /// The syntax of its call.
    pub form: Form,
    /// The types of its receiver.
    pub receiver: Receiver,
    /// Also for vectors of these.
    pub vectors: bool,
    /// The number of the argument whose type decides, of a function.
    pub decides: usize,
    /// The function behind it.
    pub function: &'static str,
    /// The file with that function.
    pub file: &'static str,
}

/// Every method and function.
pub fn methods() -> impl Iterator<Item = &'static Method> + Clone {
    METHODS.iter().chain(collectives::rows())
}

/// The method or function `name` for a receiver, or an argument that decides, of this type.
pub fn find(form: Form, name: &str, receiver: Scalar) -> Option<&'static Method> {
    methods().find(|row| row.form == form && row.name == name && row.receiver.holds(receiver))
}

/// The function `name` for vectors with such lanes.
pub fn find_for_vectors(form: Form, name: &str, lane: Scalar) -> Option<&'static Method> {
    methods().find(|row| row.vectors && row.form == form && row.name == name && row.receiver.holds(lane))
}

/// The path by which users know a function of the library, or its own name.
pub fn shown(function: &str) -> String {
    let row = METHODS.iter().find(|row| row.function == function);
    match row.map(|row| row.form) {
        Some(Form::Path(module)) => format!("{module}::{}", row.map_or(function, |row| row.name)),
        Some(Form::Method | Form::Operator) | None => function.to_owned(),
    }
}

/// The number of the argument whose type decides which function of this name it is.
pub fn deciding_argument(form: Form, name: &str) -> usize {
    methods().find(|row| row.form == form && row.name == name).map_or(0, |row| row.decides)
}

/// The argument that the functions of this name take, for messages: `a number or a vector of such`.
pub fn expected(form: Form, name: &str) -> String {
    // The last row is the most general one.
    match methods().filter(|row| row.form == form && row.name == name).last() {
        Some(Method { receiver: Receiver::Any(class), vectors: true, .. }) => {
            format!("{} or a vector of such", class.name())
        }
        Some(Method { receiver: Receiver::Any(class), .. }) => class.name().to_owned(),
        Some(Method { receiver: Receiver::Only(scalar), .. }) => format!("`{}`", scalar.name()),
        None => "a value".to_owned(),
    }
}

/// The attribute under which a method is compiled from another function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Under {
    /// `fast_math`: the hardware's approximations, those that CUDA's `-use_fast_math` takes.
    FastMath,
    /// `checks(overflow)`: what panics when it overflows, as Rust's own do in debug builds.
    OverflowChecks,
}

const fn substitute_row(
    under: Under,
    name: &'static str,
    receiver: Receiver,
    function: &'static str,
    file: &'static str,
) -> (Under, Method) {
    (under, row(name, Form::Method, receiver, function, file))
}

const fn fast_row(name: &'static str, function: &'static str) -> (Under, Method) {
    substitute_row(Under::FastMath, name, Receiver::Only(Scalar::F32), function, "fast")
}

/// The methods that have another function under an attribute of the kernel.
const SUBSTITUTES: &[(Under, Method)] = &[
    fast_row("sin", "fast_sin"),
    fast_row("cos", "fast_cos"),
    fast_row("tan", "fast_tan"),
    fast_row("sin_cos", "fast_sin_cos"),
    fast_row("exp", "fast_exp"),
    fast_row("exp2", "fast_exp2"),
    fast_row("exp10", "fast_exp10"),
    fast_row("ln", "fast_ln"),
    fast_row("log2", "fast_log2"),
    fast_row("log10", "fast_log10"),
    fast_row("log", "fast_log"),
    fast_row("powf", "fast_powf"),
    fast_row("tanh", "fast_tanh"),
    fast_row("rsqrt", "fast_rsqrt"),
    substitute_row(
        Under::OverflowChecks,
        "pow",
        Receiver::Any(Class::Int),
        "checked_power_int",
        "integer_panics",
    ),
    substitute_row(
        Under::OverflowChecks,
        "next_power_of_two",
        Receiver::Any(Class::Unsigned),
        "checked_power_of_two_unsigned",
        "integer_panics",
    ),
    substitute_row(
        Under::OverflowChecks,
        "next_multiple_of",
        Receiver::Any(Class::Unsigned),
        "checked_multiple_unsigned",
        "integer_panics",
    ),
];

/// Returns the function that replaces a method in a kernel with these attributes, if there is one.
pub fn substitute(attrs: &KernelAttrs, name: &str, receiver: Scalar) -> Option<&'static Method> {
    let holds = |under: Under| match under {
        Under::FastMath => attrs.fast_math,
        Under::OverflowChecks => attrs.overflow_checks,
    };
    let mut rows = SUBSTITUTES.iter().filter(|(under, _)| holds(*under)).map(|(_, method)| method);
    rows.find(|method| method.name == name && method.receiver.holds(receiver))
}

/// The name of the method of `f32` that this function is, if the hardware has an approximation that `fast_math` takes in its place.
pub fn exact(function: &str) -> Option<&'static str> {
    let rows =
        SUBSTITUTES.iter().filter(|(under, _)| *under == Under::FastMath).map(|(_, method)| method.name);
    rows.into_iter().find(|name| function.strip_suffix("_f32") == Some(*name))
}

/// The help for one who looks for the elements of a type of products.
pub fn help_for_parts(name: &str) -> Option<&'static str> {
    match name {
        "Acc" => Some(
            "its elements have no number: change each by `sum.map(|value| …)`, or by `map_at`, which knows its row and column",
        ),
        "Left" | "Right" => {
            Some("its elements have no number: change them in the tile that it is loaded from")
        }
        _ => None,
    }
}

/// Returns true for a struct of the library that is plain data, as one of the user's: `Reverse<T>`, `u128`.
pub fn is_value(name: &str) -> bool {
    let name = name.split('<').next().unwrap_or(name);
    ["Reverse", "Wrapping", "Saturating"].contains(&name)
        || GENERATORS.contains(&name)
        || primitives::ALL.contains(&name)
}

/// Returns true if operators in this function of the library panic on overflow.
pub fn checks_overflow(function: &str) -> bool {
    const OF_ITEMS: [&str; 7] = [
        "iterator_sum_of_",
        "iterator_product_of_",
        "iterator_successor",
        "option_sum",
        "option_product",
        "result_sum",
        "result_product",
    ];
    OF_ITEMS.iter().any(|of| function.starts_with(of))
        || SUBSTITUTES
            .iter()
            .any(|(under, method)| *under == Under::OverflowChecks && method.function == function)
}

/// The receivers of the methods of this name, for messages: `a float`.
pub fn receivers(name: &str) -> Option<&'static str> {
    let row = methods().find(|row| row.form == Form::Method && row.name == name)?;
    Some(match row.receiver {
        Receiver::Only(Scalar::Bool) => "a `bool`",
        Receiver::Only(Scalar::U8) => "a `u8`",
        Receiver::Only(scalar) if scalar.is_float() => Class::Float.name(),
        Receiver::Only(_) => Class::Int.name(),
        Receiver::Any(class) => class.name(),
    })
}

/// The library by the names that users write: found once, as a crate has many kernels.
struct Index {
    /// Every item of every file, in order.
    items: Vec<LibraryItem>,
    /// The number of the item with a name.
    by_name: HashMap<&'static str, usize>,
    /// The items that an item mentions.
    mentions: Vec<OnceLock<Vec<usize>>>,
    /// The methods and functions of each name, with their substitutes.
    methods: HashMap<&'static str, Vec<&'static Method>>,
    /// The numbers of the files of [`OTHER_METHODS`] by the names of their methods.
    other_files: HashMap<&'static str, Vec<usize>>,
    /// The items of these files by the names of the methods that they are.
    other_items: HashMap<&'static str, Vec<usize>>,
    /// The items of these files that are no methods: the references that `min` and `max` of an iterator keep.
    other_parts: Vec<usize>,
}

impl Index {
    fn get() -> &'static Index {
        static INDEX: OnceLock<Index> = OnceLock::new();
        INDEX.get_or_init(|| {
            let items: Vec<LibraryItem> = (0..FILES.len()).flat_map(cut).collect();
            let mut index = Index {
                by_name: items.iter().enumerate().map(|(number, item)| (item.name, number)).collect(),
                mentions: items.iter().map(|_| OnceLock::new()).collect(),
                methods: HashMap::new(),
                other_files: HashMap::new(),
                other_items: HashMap::new(),
                other_parts: Vec::new(),
                items,
            };
            for row in methods().chain(SUBSTITUTES.iter().map(|(_, method)| method)) {
                index.methods.entry(row.name).or_default().push(row);
            }
            for (file, names) in OTHER_METHODS {
                let Some(file) = file_number(file) else { continue };
                for name in *names {
                    index.other_files.entry(name).or_default().push(file);
                }
                let items = index.items.iter().enumerate().filter(|(_, item)| item.file == file);
                for (number, item) in items {
                    match item.name.split_once('_') {
                        Some((_, method)) => index.other_items.entry(method).or_default().push(number),
                        None => index.other_parts.push(number),
                    }
                }
            }
            index
        })
    }

    /// The files with everything that stands behind these names, methods' and functions' alike.
    fn files_for(&self, mentioned: &BTreeSet<String>) -> [bool; FILES.len()] {
        let of_scalars = mentioned.iter().flat_map(|name| self.methods.get(&**name)).flatten();
        let of_scalars = of_scalars.filter_map(|row| file_number(row.file));
        let of_others = mentioned.iter().flat_map(|name| self.other_files.get(&**name)).flatten();
        let mut wanted: Vec<usize> = of_scalars.chain(of_others.copied()).collect();
        let mut files = [false; FILES.len()];
        while let Some(file) = wanted.pop() {
            if !std::mem::replace(&mut files[file], true) {
                wanted.extend(FILES[file].uses.iter().filter_map(|name| file_number(name)));
            }
        }
        files
    }

    /// The items whose names are words of an item's text.
    fn mentions(&self, item: usize) -> &[usize] {
        self.mentions[item].get_or_init(|| {
            let words = self.items[item].text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let mut mentions: Vec<usize> = words.filter_map(|word| self.by_name.get(word).copied()).collect();
            mentions.sort_unstable();
            mentions.dedup();
            mentions
        })
    }
}

fn file_number(name: &str) -> Option<usize> {
    FILES.iter().position(|file| file.name == name)
}

/// The files with everything that stands behind these names, methods' and functions' alike, in a fixed order.
#[cfg(test)]
pub fn files_for(mentioned: &BTreeSet<String>) -> Vec<&'static LibraryFile> {
    let wanted = Index::get().files_for(mentioned);
    FILES.iter().zip(wanted).filter(|(_, wanted)| *wanted).map(|(file, _)| file).collect()
}

/// Declares the `Result` of the library, whose variants are known by their own names, too. It is in no file that rustc compiles,
/// for there it is Rust's own.
pub const RESULT: &str = "#[derive(Clone, Copy, PartialEq, Debug)] pub enum Result<T, E> { Ok(T), Err(E) }";

/// A type of the library that users name: `warp::Acc`, `SharedTile`.
#[derive(Debug)]
pub struct LibraryType {
    /// The module of [`kernel_runtime::device`](https://docs.rs/kernel-runtime) that it is in, or none.
    pub module: Option<&'static str>,
    /// Its name.
    pub name: &'static str,
    /// The names of the types that its elements may be; any, if it has none here.
    pub elements: &'static [&'static str],
    /// Help for others.
    pub help: &'static str,
    /// Numbers of which its constant parameters, in order, have to be multiples.
    pub multiples: &'static [Multiple],
}

/// A number of elements.
#[derive(Clone, Copy, Debug)]
pub enum Multiple {
    /// So many.
    Of(u64),
    /// Those in so many bytes.
    Bytes(u64),
}

impl Multiple {
    /// The number for elements of so many bits.
    pub fn of(self, bits: u32) -> u64 {
        match self {
            Multiple::Of(number) => number,
            Multiple::Bytes(bytes) => bytes * 8 / u64::from(bits),
        }
    }
}

/// The elements of matrices that tensor cores multiply.
const MATRIX_ELEMENTS: &[&str] =
    &["f16", "bf16", "i8", "u8", "f32", "f64", FLOATS_OF_8_BITS[0], FLOATS_OF_8_BITS[1]];

const OTHER_ELEMENTS: &str =
    "convert the matrices to one of them, or multiply in a loop without tensor cores";

const OTHER_SUMS: &str = "sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`";

/// The type of the library for tiles that are filled in turns. It has two or more.
pub const STAGES: &str = "Stages";

/// The types of [`TILES`]. Shapes of fragments are whole numbers of the smallest product's, 16 × 8 × 32 bytes, tiles have rows of whole
/// chunks of 16 bytes.
#[rustfmt::skip]
pub const TILE_TYPES: &[LibraryType] = {
    use Multiple::{Bytes, Of};
    const fn row(module: Option<&'static str>, name: &'static str, elements: &'static [&'static str], help: &'static str, multiples: &'static [Multiple]) -> LibraryType {
        LibraryType { module, name, elements, help, multiples }
    }
    &[
        row(Some("warp"), "Left",       MATRIX_ELEMENTS, OTHER_ELEMENTS, &[Of(16), Bytes(32)]),
        row(Some("warp"), "Right",      MATRIX_ELEMENTS, OTHER_ELEMENTS, &[Bytes(32), Of(8)]),
        row(Some("warp"), "Acc",        &["f32", "f16", "i32", "f64"], OTHER_SUMS, &[Of(16), Of(8)]),
        row(Some("warp"), "Rows",       &[], "", &[Of(16)]),
        row(None,         "SharedTile", MATRIX_ELEMENTS, OTHER_ELEMENTS, &[Of(1), Bytes(16)]),
        row(None,         STAGES,       &[], "", &[Of(1)]),
        row(None,         "Matrix",     &[], "", &[]),
        row(None,         "MatrixMut",  &[], "", &[]),
        row(None,         "Volume",     &[], "", &[]),
        row(None,         "VolumeMut",  &[], "", &[]),
    ]
};

impl LibraryType {
    /// Its path as a program mentions it at the least.
    pub fn path(&self) -> String {
        self.module.iter().chain([&self.name]).copied().collect::<Vec<_>>().join("::")
    }
}

/// Help for a value of one of [`TILE_TYPES`] where another is expected.
pub fn help_for_value(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "EmptyTile" => "load it: `tile.load(&matrix, [row, column])`",
        "LoadingTile" => {
            "return the loads of all tiles of the stage, in their order: `(left.load(…), right.load(…))`"
        }
        _ => return None,
    })
}

/// Help for what one of [`TILE_TYPES`] does not have: an index, an operator, a method.
pub fn help_for_use(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "SharedTile" => {
            "fill it by `tile.load(&matrix, [row, column])`, and read it by `warp::Left::<f16, 32, 32>::load(&tile, [0, 0])` or `tile.at(row, column)`"
        }
        STAGES => {
            "`run`, `run_specialized`, `multiply`, `multiply_tiles` and their like hand its stages over when they are there"
        }
        "EmptyTile" => "load it: `tile.load(&matrix, [row, column])`",
        "LoadingTile" => "return it: it is not there yet",
        "Left" | "Right" => "multiply it: `sum.mma(&left, &right)`",
        "Rows" => {
            "change it by `rows.map(|x| …)` and `rows.zip(others, |x, y| …)`, and sums by it: `sum.map_rows(rows, |sum, x| …)`"
        }
        name if GENERATORS.contains(&name) => {
            "it has `next_u32`, `next_u64`, `next_f32`, `next_f64` and `skip`"
        }
        name if FLOATS_OF_8_BITS.contains(&name) || SMALL_FLOATS.contains(&name) => {
            "convert its operands with `to_f32()`, and the result back with `from_f32`"
        }
        "Acc" => {
            "add products by `sum.mma(&left, &right)`, change sums by `sum.map(|x| …)`, and store them by `sum.store(&mut matrix, [row, column])`"
        }
        _ => return None,
    })
}

/// Help for a function of one of [`TILE_TYPES`] that it does not have.
pub fn help_for_making(ty: &str) -> Option<&'static str> {
    Some(match ty {
        "SharedTile" => "make it in shared memory: `let mut tile = shared::<SharedTile<f16, 32, 32>>();`",
        STAGES => {
            "make them in shared memory: `let mut stages = shared::<Stages<SharedTile<f16, 32, 32>, 2>>();`"
        }
        "Left" => "load it: `warp::Left::<f16, 32, 32>::load(&tile, [0, 0])`",
        "Right" => "load it: `warp::Right::<f16, 32, 32>::load(&tile, [0, 0])`",
        "Rows" => {
            "make it from one number, `warp::Rows::<f32, 16>::splat(0.0)`, or of sums: `sum.row_max()`, `sum.row_sum()`"
        }
        _ => return None,
    })
}

/// An example of one of [`TILE_TYPES`] with its generic arguments.
pub fn example_type(ty: &str) -> Option<String> {
    let row = TILE_TYPES.iter().find(|row| row.name == ty && row.module.is_some())?;
    let element = row.elements.first()?;
    Some(format!("{}<{element}, 32, 32>", row.path()))
}

/// Help for a method of [`TILE_TYPES`] that is there for other arguments only.
pub fn help_for_method(ty: &str, method: &str) -> Option<&'static str> {
    match (ty, method) {
        (
            STAGES,
            "multiply_transposed" | "multiply_transposed_tiles" | "multiply_transposed_tiles_promoted",
        ) => Some(
            "multiply stages of two tiles of the same elements and with as many columns, the right one of the transposed matrix: \
             `Stages<(SharedTile<i8, 64, 64>, SharedTile<i8, 128, 64>), 3>`",
        ),
        (STAGES, "multiply" | "multiply_tiles") => Some(
            "multiply stages of two tiles of the same elements, the left one with as many columns as the right one has rows: \
             `Stages<(SharedTile<f16, 64, 32>, SharedTile<f16, 32, 128>), 3>`",
        ),
        ("MatrixMut", "store_vector") => Some("store single elements: `y[[row, column]] = value`"),
        ("SharedTile", "vector_at") => Some("take single elements: `tile.at(row, column)`"),
        ("Acc", "add_to") => Some("add sums of `f32`, to a matrix of `AtomicF32`; store others"),
        ("Matrix" | "MatrixMut" | "Volume" | "VolumeMut", "height" | "nrows" | "num_rows") => {
            Some("write `rows()`")
        }
        ("Matrix" | "MatrixMut" | "Volume" | "VolumeMut", "width" | "ncols" | "cols" | "num_cols") => {
            Some("write `columns()`")
        }
        _ => None,
    }
}

/// A matrix element of one byte, as text: its name, and what it does not share with the others.
macro_rules! byte_element {
    ($name:literal, $($own:literal),*) => {
        concat!("impl MatrixElement for ", $name, " {", include_str!("tiles_of_bytes.in"), $($own,)* "}\n")
    };
}

/// An integer as such an element: its name, and those of its products.
macro_rules! byte_integer {
    ($name:literal, $product:literal, $of_groups:literal) => {
        byte_element!(
            $name,
            "type Sum = i32;
                const SUMS: u32 = 4;
                fn byte(self) -> u32 { self as u8 as u32 }
                fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P { warp::", $of_groups, "(sums, left, right, adds) }
                fn multiply<P>(left: U32x4, right: U32x2, sum: P) -> P {
                    if is_before_sm_80() {
                        let (mut upper, mut lower) = (I32x2::new(sum[0], sum[1]), I32x2::new(sum[2], sum[3]));
                        #[unroll]
                        for i in 0..2 {
                            upper = warp::", $product, "_of_8_rows(left[2 * i], right[i], upper);
                            lower = warp::", $product, "_of_8_rows(left[2 * i + 1], right[i], lower);
                        }
                        I32x4::new(upper[0], upper[1], lower[0], lower[1])
                    } else {
                        warp::", $product, "(left, right, sum)
                    }
                }"
        )
    };
}

/// Declares [`TILE_TYPES`] and their methods.
pub const TILES: &str = concat!(
    include_str!("tiles.rs"),
    include_str!("volumes.rs"),
    byte_integer!("i8", "mma_s8", "group_products_i8_turned"),
    byte_integer!("u8", "mma_u8", "group_products_u8_turned"),
);

/// The generators of random numbers.
pub const GENERATORS: &[&str] = &["Philox4x32", "Pcg32"];

/// Declares [`GENERATORS`].
const RANDOM: &str = include_str!("random.rs");

/// The floats of eight bits.
pub const FLOATS_OF_8_BITS: &[&str] = &["E4M3", "E5M2"];

/// Declares one of them. Products below compute capability 8.9 are of `f16`, in which its values are exact: of each four neighbours along K first
/// those of the lower half, in both matrices.
macro_rules! float_of_8_bits {
    ($name:literal, $ptx:literal, $constants:literal, $from_f32:literal, $to_f16:literal) => {
        concat!(
            "#[derive(Clone, Copy, Default, Element)] #[repr(transparent)] pub struct ", $name, "(u8);
            impl ", $name, " {
                pub const ZERO: Self = Self(0);
                pub const MIN_POSITIVE_SUBNORMAL: Self = Self(1);
                ", $constants, "
                pub const fn from_bits(bits: u8) -> Self { Self(bits) }
                pub const fn to_bits(self) -> u8 { self.0 }
                pub fn from_f32(x: f32) -> Self {
                    if target::at_least(89) {
                        let bits = unsafe {
                            inline_ptx!(
                                \".reg .b16 %pair;\",
                                \"cvt.rn.satfinite.", $ptx, "x2.f32 %pair, {zero}, {x};\",
                                \"cvt.u32.u16 {bits}, %pair;\",
                                bits = out(u32),
                                x = in(f32) x,
                                zero = in(f32) 0.0,
                                options(pure, nomem),
                                cpu = Self::nearest(x),
                            )
                        };
                        Self(bits as u8)
                    } else {
                        Self(Self::nearest(x) as u8)
                    }
                }
                fn nearest(x: f32) -> u32 {
                    let magnitude = x.to_bits() & 0x7fff_ffff;
                    let sign = x.to_bits() >> 24 & 0x80;
                    ", $from_f32, "
                }
                pub fn to_f16(self) -> f16 {
                    if target::at_least(89) {
                        let bits = unsafe {
                            inline_ptx!(
                                \".reg .b16 %pair;\",
                                \"cvt.u16.u32 %pair, {from};\",
                                \"cvt.rn.f16x2.", $ptx, "x2 {bits}, %pair;\",
                                bits = out(u32),
                                from = in(u32) self.0 as u32,
                                options(pure, nomem),
                                cpu = self.widened().to_bits() as u32,
                            )
                        };
                        f16::from_bits(bits as u16)
                    } else {
                        self.widened()
                    }
                }
                fn widened(self) -> f16 {
                    ", $to_f16, "
                }
                pub fn to_f32(self) -> f32 { self.to_f16().to_f32() }
                pub fn is_nan(self) -> bool { self.to_f16().is_nan() }
            }
            impl PartialEq for ", $name, " { fn eq(&self, other: &Self) -> bool { self.to_f16() == other.to_f16() } }
            impl PartialOrd for ", $name, " { fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> { self.to_f16().partial_cmp(&other.to_f16()) } }
            impl From<", $name, "> for f32 { fn from(x: ", $name, ") -> f32 { x.to_f32() } }
            "
        )
    };
}

/// Declares [`FLOATS_OF_8_BITS`] ("OCP 8-bit Floating Point Specification", 2023). What is too large becomes the largest number, as CUDA's
/// conversions do by default. Subnormal numbers are rounded by adding a power of two whose last bit is the least of them.
const FLOATS: &str = concat!(
    float_of_8_bits!(
        "E4M3",
        "e4m3",
        "pub const ONE: Self = Self(0x38); pub const MAX: Self = Self(0x7e); pub const MIN: Self = Self(0xfe); pub const NAN: Self = Self(0x7f);
        pub const MIN_POSITIVE: Self = Self(0x08); pub const EPSILON: Self = Self(0x20);",
        "if magnitude > 0x7f80_0000 { return 0x7f; }
        if magnitude < 121 << 23 { return sign | ((f32::from_bits(magnitude) + 16384.0).to_bits() - 0x4680_0000); }
        sign | ((magnitude + 0x7_ffff + (magnitude >> 20 & 1)) >> 20).min(0x7e + (120 << 3)) - (120 << 3)",
        "let magnitude = f16::from_bits((self.0 as u16 & 0x7f) << 7) * f16::from_bits(0x5c00);
        let bits = if self.0 & 0x7f == 0x7f { 0x7fff } else { magnitude.to_bits() };
        f16::from_bits(bits | (self.0 as u16 & 0x80) << 8)"
    ),
    float_of_8_bits!(
        "E5M2",
        "e5m2",
        "pub const ONE: Self = Self(0x3c); pub const MAX: Self = Self(0x7b); pub const MIN: Self = Self(0xfb); pub const NAN: Self = Self(0x7f);
        pub const INFINITY: Self = Self(0x7c); pub const NEG_INFINITY: Self = Self(0xfc);
        pub const MIN_POSITIVE: Self = Self(0x04); pub const EPSILON: Self = Self(0x34);",
        "if magnitude > 0x7f80_0000 { return 0x7f; }
        if magnitude < 113 << 23 { return sign | ((f32::from_bits(magnitude) + 128.0).to_bits() - 0x4300_0000); }
        sign | ((magnitude + 0xf_ffff + (magnitude >> 21 & 1)) >> 21).min(0x7b + (112 << 2)) - (112 << 2)",
        "f16::from_bits((self.0 as u16) << 8)"
    ),
);

/// Other floats of few bits: of six and four bits, two of four in a byte, and scales of blocks of such.
pub const SMALL_FLOATS: &[&str] = &["E2M3", "E3M2", "E2M1", "E2M1x2", "UE4M3", "E8M0"];

/// Declares one without infinity or NaN: its name, the type of two in PTX and the bits of that, its own bits, those of fraction, the bias, the largest magnitude,
/// and the powers of two that widening multiplies by, as `f16`.
macro_rules! small_float {
    ($name:literal, $ptx:literal, $register:literal, $bits:literal, $fraction:literal, $bias:literal, $largest:literal, $power:literal, $constants:literal) => {
        concat!(
            "#[derive(Clone, Copy, Default, Element)] #[repr(transparent)] pub struct ", $name, "(u8);
            impl ", $name, " {
                pub const ZERO: Self = Self(0);
                pub const MIN_POSITIVE_SUBNORMAL: Self = Self(1);
                pub const MIN_POSITIVE: Self = Self(1 << ", $fraction, ");
                pub const MAX: Self = Self(", $largest, ");
                pub const MIN: Self = Self(", $largest, " | 1 << (", $bits, " - 1));
                ", $constants, "
                pub const fn from_bits(bits: u8) -> Self { Self(bits & ((1 << ", $bits, ") - 1)) }
                pub const fn to_bits(self) -> u8 { self.0 & ((1 << ", $bits, ") - 1) }
                pub fn from_f32(x: f32) -> Self { Self(Self::two_from_f32(x, 0.0) as u8) }
                fn two_from_f32(low: f32, high: f32) -> u32 {
                    if target::converts_small_floats() {
                        unsafe {
                            inline_ptx!(
                                \".reg .b", $register, " %pair;\",
                                \"cvt.rn.satfinite.", $ptx, "x2.f32 %pair, {high}, {low};\",
                                \"cvt.u32.u", $register, " {bits}, %pair;\",
                                bits = out(u32),
                                low = in(f32) low,
                                high = in(f32) high,
                                options(pure, nomem),
                                cpu = Self::two_nearest(low, high),
                            )
                        }
                    } else {
                        Self::two_nearest(low, high)
                    }
                }
                fn two_nearest(low: f32, high: f32) -> u32 {
                    Self::nearest(low) | Self::nearest(high) << (", $register, " / 2)
                }
                fn nearest(x: f32) -> u32 {
                    let magnitude = x.to_bits() & 0x7fff_ffff;
                    if magnitude > 0x7f80_0000 { return ", $largest, "; }
                    let sign = x.to_bits() >> 31 << (", $bits, " - 1);
                    let least = 128u32 - ", $bias, ";
                    if magnitude < least << 23 {
                        let last = (least + 23 - ", $fraction, ") << 23;
                        return sign | ((f32::from_bits(magnitude) + f32::from_bits(last)).to_bits() - last);
                    }
                    let shift = 23u32 - ", $fraction, ";
                    let start = (127u32 - ", $bias, ") << ", $fraction, ";
                    let even = magnitude >> shift & 1;
                    sign | ((magnitude + ((1 << (shift - 1)) - 1) + even) >> shift).min(", $largest, " + start) - start
                }
                pub fn to_f16(self) -> f16 { f16::from_bits(Self::two_to_f16(self.to_bits() as u32) as u16) }
                fn two_to_f16(bits: u32) -> u32 {
                    if target::converts_small_floats() {
                        unsafe {
                            inline_ptx!(
                                \".reg .b", $register, " %pair;\",
                                \"cvt.u", $register, ".u32 %pair, {from};\",
                                \"cvt.rn.f16x2.", $ptx, "x2 {bits}, %pair;\",
                                bits = out(u32),
                                from = in(u32) bits,
                                options(pure, nomem),
                                cpu = Self::two_widened(bits),
                            )
                        }
                    } else {
                        Self::two_widened(bits)
                    }
                }
                fn two_widened(bits: u32) -> u32 {
                    Self::widened(bits) | Self::widened(bits >> (", $register, " / 2)) << 16
                }
                fn widened(bits: u32) -> u32 {
                    let magnitude = (bits & ((1 << (", $bits, " - 1)) - 1)) << (10 - ", $fraction, ");
                    let value = f16::from_bits(magnitude as u16) * f16::from_bits(", $power, ");
                    value.to_bits() as u32 | (bits >> (", $bits, " - 1) & 1) << 15
                }
                pub fn to_f32(self) -> f32 { self.to_f16().to_f32() }
            }
            impl PartialEq for ", $name, " { fn eq(&self, other: &Self) -> bool { self.to_f16() == other.to_f16() } }
            impl PartialOrd for ", $name, " { fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> { self.to_f16().partial_cmp(&other.to_f16()) } }
            impl From<", $name, "> for f32 { fn from(x: ", $name, ") -> f32 { x.to_f32() } }
            "
        )
    };
}

/// Declares [`SMALL_FLOATS`] ("OCP Microscaling Formats (MX) Specification", 2023). NaN becomes the largest number where there is none (PTX ISA,
/// "cvt"). A scale of type `E8M0` is a power of two, of a number's magnitude.
const FEW_BITS: &str = concat!(
    small_float!("E2M3", "e2m3", 16, 6, 3, 1, 0x1f, 0x7400, "pub const ONE: Self = Self(0x08); pub const EPSILON: Self = Self(0x01);"),
    small_float!("E3M2", "e3m2", 16, 6, 2, 3, 0x1f, 0x6c00, "pub const ONE: Self = Self(0x0c); pub const EPSILON: Self = Self(0x04);"),
    small_float!("E2M1", "e2m1", 8, 4, 1, 1, 0x7, 0x7400, "pub const ONE: Self = Self(0x2); pub const EPSILON: Self = Self(0x1);"),
    "#[derive(Clone, Copy, Default, Element)] #[repr(transparent)] pub struct E2M1x2(u8);
    impl E2M1x2 {
        pub const ZERO: Self = Self(0);
        pub const fn new(low: E2M1, high: E2M1) -> Self { Self(low.to_bits() | high.to_bits() << 4) }
        pub const fn from_bits(bits: u8) -> Self { Self(bits) }
        pub const fn to_bits(self) -> u8 { self.0 }
        pub const fn low(self) -> E2M1 { E2M1::from_bits(self.0) }
        pub const fn high(self) -> E2M1 { E2M1::from_bits(self.0 >> 4) }
        pub fn from_f32(values: [f32; 2]) -> Self { Self(E2M1::two_from_f32(values[0], values[1]) as u8) }
        pub fn to_f16(self) -> [f16; 2] {
            let bits = E2M1::two_to_f16(self.0 as u32);
            [f16::from_bits(bits as u16), f16::from_bits((bits >> 16) as u16)]
        }
        pub fn to_f32(self) -> [f32; 2] {
            let values = self.to_f16();
            [values[0].to_f32(), values[1].to_f32()]
        }
    }
    impl PartialEq for E2M1x2 { fn eq(&self, other: &Self) -> bool { self.low() == other.low() && self.high() == other.high() } }

    #[derive(Clone, Copy, Default, Element)] #[repr(transparent)] pub struct UE4M3(u8);
    impl UE4M3 {
        pub const ZERO: Self = Self(0); pub const ONE: Self = Self(0x38); pub const MAX: Self = Self(0x7e); pub const NAN: Self = Self(0x7f);
        pub const MIN_POSITIVE: Self = Self(0x08); pub const MIN_POSITIVE_SUBNORMAL: Self = Self(0x01); pub const EPSILON: Self = Self(0x20);
        pub const fn from_bits(bits: u8) -> Self { Self(bits & 0x7f) }
        pub const fn to_bits(self) -> u8 { self.0 & 0x7f }
        pub fn from_f32(x: f32) -> Self { if x < 0.0 { Self(0) } else { Self(E4M3::from_f32(x).to_bits() & 0x7f) } }
        pub fn to_f16(self) -> f16 { E4M3::from_bits(self.to_bits()).to_f16() }
        pub fn to_f32(self) -> f32 { self.to_f16().to_f32() }
        pub fn is_nan(self) -> bool { self.to_bits() == 0x7f }
    }
    impl PartialEq for UE4M3 { fn eq(&self, other: &Self) -> bool { self.to_f16() == other.to_f16() } }
    impl PartialOrd for UE4M3 { fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> { self.to_f16().partial_cmp(&other.to_f16()) } }
    impl From<UE4M3> for f32 { fn from(x: UE4M3) -> f32 { x.to_f32() } }

    #[derive(Clone, Copy, Default, Element)] #[repr(transparent)] pub struct E8M0(u8);
    impl E8M0 {
        pub const ONE: Self = Self(0x7f); pub const MIN: Self = Self(0); pub const MAX: Self = Self(0xfe); pub const NAN: Self = Self(0xff);
        pub const fn from_bits(bits: u8) -> Self { Self(bits) }
        pub const fn to_bits(self) -> u8 { self.0 }
        pub fn from_f32(x: f32) -> Self {
            let magnitude = x.to_bits() & 0x7fff_ffff;
            if magnitude > 0x7f80_0000 { return Self(0xff); }
            let up = (magnitude & 0x7f_ffff != 0 && magnitude > 0x40_0000) as u32;
            Self(((magnitude >> 23) + up).min(0xfe) as u8)
        }
        pub fn from_f32_down(x: f32) -> Self {
            let magnitude = x.to_bits() & 0x7fff_ffff;
            if magnitude > 0x7f80_0000 { return Self(0xff); }
            Self((magnitude >> 23).min(0xfe) as u8)
        }
        pub fn to_f32(self) -> f32 {
            if self.0 == 0xff { return f32::NAN; }
            f32::from_bits(if self.0 == 0 { 0x40_0000 } else { (self.0 as u32) << 23 })
        }
        pub fn is_nan(self) -> bool { self.0 == 0xff }
    }
    impl PartialEq for E8M0 { fn eq(&self, other: &Self) -> bool { self.to_f32() == other.to_f32() } }
    impl PartialOrd for E8M0 { fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> { self.to_f32().partial_cmp(&other.to_f32()) } }
    impl From<E8M0> for f32 { fn from(x: E8M0) -> f32 { x.to_f32() } }
    "
);

/// Declares what [`TILES`] have of [`FLOATS_OF_8_BITS`].
macro_rules! tiles_of_floats {
    ($name:literal, $product:literal) => {
        concat!(
            byte_element!(
                $name,
                "type Sum = f32;
                    const SUMS: u32 = 1;
                    const ARE_PROMOTED: bool = true;
                    fn byte(self) -> u32 { self.to_bits() as u32 }
                    fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P { warp::group_products_", $product, "_turned(sums, left, right, adds) }
                    fn multiply<P>(left: U32x4, right: U32x2, sum: P) -> P {
                        if target::at_least(89) {
                            warp::mma_", $product, "(left, right, sum)
                        } else {
                            let mut sum = sum;
                            #[unroll]
                            for half in 0..2 {
                                let mut of_left = F16x8::splat(f16::ZERO);
                                let mut of_right = F16x4::splat(f16::ZERO);
                                #[unroll]
                                for i in 0..8 {
                                    of_left[i] = ", $name, "::from_bits((left[i / 2] >> (16 * half + 8 * (i % 2)) as u32) as u8).to_f16();
                                }
                                #[unroll]
                                for i in 0..4 {
                                    of_right[i] = ", $name, "::from_bits((right[i / 2] >> (16 * half + 8 * (i % 2)) as u32) as u8).to_f16();
                                }
                                sum = f16::multiply(of_left, of_right, sum);
                            }
                            sum
                        }
                    }"
            ),
            "impl OfSum for ", $name, " { fn of_f32(sum: f32) -> ", $name, " { ", $name, "::from_f32(sum) } }\n"
        )
    };
}

/// Declares what [`TILES`] have of [`FLOATS_OF_8_BITS`].
pub const TILES_OF_FLOATS: &str = concat!(tiles_of_floats!("E4M3", "e4m3"), tiles_of_floats!("E5M2", "e5m2"));

/// The trait that stands for the library's iterators where a program's names are collected.
pub const ITERATOR: &str = "Iterator";

/// The name under which a program asks for the functions behind its operators that compare: those of numbers need none.
pub const COMPARISONS: &str = "a == b";

/// The methods that an operator asks where its operands are no numbers, if it compares.
pub fn methods_of_comparison(operator: BinaryOp) -> &'static [&'static str] {
    match operator {
        BinaryOp::Eq | BinaryOp::Ne => &["eq"],
        BinaryOp::Lt => &["partial_cmp", "lt"],
        BinaryOp::Le => &["partial_cmp", "le"],
        BinaryOp::Gt => &["partial_cmp", "gt"],
        BinaryOp::Ge => &["partial_cmp", "ge"],
        _ => &[],
    }
}

/// Declares the iterators that are values.
pub const ITERATORS: &str = include_str!("iterators.rs");

/// Types of [`ITERATORS`], and others of the standard library, that users name, by their modules.
pub const STANDARD_TYPES: &[(&str, &str)] = &[
    ("ops", "Range"),
    ("ops", "RangeInclusive"),
    ("slice", "Iter"),
    ("slice", "IterMut"),
    ("slice", "Chunks"),
    ("slice", "ChunksExact"),
    ("slice", "Windows"),
    ("iter", "Peekable"),
    ("iter", "Enumerate"),
    ("iter", "Rev"),
    ("iter", "Skip"),
    ("iter", "StepBy"),
    ("iter", "Take"),
    ("iter", "Cycle"),
    ("iter", "Copied"),
    ("iter", "Zip"),
    ("iter", "Chain"),
    ("cmp", "Reverse"),
    ("marker", PHANTOM),
    ("mem", "MaybeUninit"),
    ("ptr", "NonNull"),
    ("num", "TryFromIntError"),
    ("num", "Wrapping"),
    ("num", "Saturating"),
    ("ops", CONTROL_FLOW),
];

/// The module of `core` that has a type of the library's which is data.
pub fn standard_module(name: &str) -> Option<&'static str> {
    match name {
        "NonZero" => Some("num"),
        _ => STANDARD_TYPES.iter().find(|row| row.1 == name).map(|row| row.0),
    }
}

/// Those whose names are others in [`ITERATORS`].
pub const RENAMED_TYPES: &[(&str, &str, &str)] =
    &[("array", "IntoIter", "ArrayIter"), ("iter", "Cloned", "Copied")];

/// Declares `core::cmp::Reverse`. What is derived compares the right side with the left one: see [`StructDef::reversed`]; the impls are for
/// values with an order of their own.
///
/// [`StructDef::reversed`]: crate::typed::StructDef
const REVERSE: &str = "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)] pub struct Reverse<T>(pub T); \
    #[automatically_derived] impl<T> PartialEq for Reverse<T> { fn eq(&self, b: &Self) -> bool { self.0 == b.0 } } \
    #[automatically_derived] impl<T> PartialOrd for Reverse<T> { fn partial_cmp(&self, b: &Self) -> Option<Ordering> { b.0.partial_cmp(&self.0) } } \
    #[automatically_derived] impl<T> Ord for Reverse<T> { fn cmp(&self, b: &Self) -> Ordering { b.0.cmp(&self.0) } }";

/// The name of `core::ops::ControlFlow`.
pub const CONTROL_FLOW: &str = "ControlFlow";

/// Declares [`CONTROL_FLOW`]. Its variants are in the order of those of `Result`: what goes on, what ends early.
const CONTROL_FLOWS: &str = include_str!("control_flow.rs");

/// The name of `core::marker::PhantomData`.
pub const PHANTOM: &str = "PhantomData";

/// Declares [`PHANTOM`].
const PHANTOM_DATA: &str = "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Element)] #[repr(C)] pub struct PhantomData<T>;";

/// Declares `core::mem::MaybeUninit`, a struct around any value: a store that nothing reads costs nothing.
const MAYBE_UNINIT: &str = "#[derive(Clone, Copy)] #[repr(transparent)] pub struct MaybeUninit<T> { value: T } \
    impl<T> MaybeUninit<T> { \
        pub const fn new(value: T) -> MaybeUninit<T> { MaybeUninit { value } } \
        pub const fn uninit() -> MaybeUninit<T> { MaybeUninit {} } \
        pub const fn write(&mut self, value: T) -> &mut T { self.value = value; &mut self.value } \
        pub const unsafe fn assume_init(self) -> T { self.value } \
        pub const unsafe fn assume_init_read(&self) -> T { self.value } \
        pub const unsafe fn assume_init_ref(&self) -> &T { &self.value } \
        pub const unsafe fn assume_init_mut(&mut self) -> &mut T { &mut self.value } \
    }";

/// Declares `core::ptr::NonNull`.
const NON_NULL: &str = "#[derive(Clone, Copy, PartialEq, Eq)] #[repr(transparent)] pub struct NonNull<T> { pointer: *mut T } \
    impl<T> NonNull<T> { \
        pub const fn new(pointer: *mut T) -> Option<NonNull<T>> { if pointer.is_null() { None } else { Some(NonNull { pointer }) } } \
        pub const unsafe fn new_unchecked(pointer: *mut T) -> NonNull<T> { NonNull { pointer } } \
        pub const fn as_ptr(self) -> *mut T { self.pointer } \
        pub const unsafe fn as_ref<'a>(&self) -> &'a T { unsafe { &*self.pointer } } \
        pub const unsafe fn as_mut<'a>(&mut self) -> &'a mut T { unsafe { &mut *self.pointer } } \
        pub const fn cast<U>(self) -> NonNull<U> { NonNull { pointer: self.pointer as *mut U } } \
        pub const unsafe fn add(self, count: usize) -> NonNull<T> { NonNull { pointer: unsafe { self.pointer.add(count) } } } \
        pub const unsafe fn sub(self, count: usize) -> NonNull<T> { NonNull { pointer: unsafe { self.pointer.sub(count) } } } \
        pub const unsafe fn offset(self, count: isize) -> NonNull<T> { NonNull { pointer: unsafe { self.pointer.offset(count) } } } \
        pub const unsafe fn read(self) -> T { unsafe { *self.pointer } } \
        pub const unsafe fn write(self, value: T) { unsafe { *self.pointer = value } } \
    }";

/// Declares what `try_from` and `try_into` between integers are: the value fits if it comes back with its sign.
const TRY_FROM_INT: &str = "#[derive(Clone, Copy, PartialEq, Eq, Debug)] pub struct TryFromIntError(()); \
    pub fn integer_try_from<T: Int, U: Int>(v: T) -> Result<U, TryFromIntError> { \
        let to = v as U; \
        if to as T == v && (to < U::ZERO) == (v < T::ZERO) { Ok(to) } else { Err(TryFromIntError(())) } \
    }";

/// Texts that a program needs if it mentions one of the names.
pub const BY_NAME: &[(&[&str], &str)] = &[
    (&["Reverse"], REVERSE),
    (&["Wrapping"], numbers::WRAPPING),
    (&["Saturating"], numbers::SATURATING),
    (numbers::NON_ZERO, numbers::NON_ZEROS),
    (&[CONTROL_FLOW], CONTROL_FLOWS),
    (SMALL_FLOATS, FEW_BITS),
    // Also those that the text before has mentioned.
    (FLOATS_OF_8_BITS, FLOATS),
    (GENERATORS, RANDOM),
    (&[PHANTOM], PHANTOM_DATA),
    (&["MaybeUninit"], MAYBE_UNINIT),
    (&["NonNull"], NON_NULL),
    (primitives::WIDE, primitives::WIDE_INTEGERS),
    (&[primitives::CHAR], primitives::CHARACTERS),
    (&["try_from", "try_into", "TryFromIntError"], TRY_FROM_INT),
];

/// Names without which a program needs no iterators that are values.
const ITERATOR_WORDS: &[&str] = &[
    ITERATOR,
    "IntoIterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Sum",
    "Product",
    "FromIterator",
    "Range",
    "RangeInclusive",
    "peekable",
    "flat_map",
    "flatten",
    "by_ref",
    "inspect",
    "remainder",
    "split",
    "chunk_by",
    "rchunks",
    "rchunks_exact",
    "rchunks_mut",
    "rchunks_exact_mut",
    "next_back",
    "nth_back",
    "rfold",
    "rfind",
    "try_for_each",
    // The module of functions that make them.
    "iter::",
];

/// Returns true for a method that compares with another value or iterator.
pub fn is_comparison(method: &str) -> bool {
    matches!(method, "eq" | "ne" | "cmp" | "partial_cmp" | "lt" | "le" | "gt" | "ge")
}

/// Returns true if a program that mentions these names needs [`ITERATORS`].
pub fn needs_iterators(mentioned: impl Fn(&str) -> bool) -> bool {
    const INEXACT: &[&str] = &["filter", "filter_map", "take_while", "map_while", "skip_while", "scan"];
    const EXACT: &[&str] =
        &["enumerate", "zip", "take", "skip", "step_by", "chain", "rev", "nth", "cycle", "rposition"];
    let is_wide = || primitives::WIDE.iter().any(|name| mentioned(name));
    ITERATOR_WORDS.iter().any(|name| mentioned(name))
        || is_wide()
        || STANDARD_TYPES.iter().any(|(module, name)| match *module {
            "iter" => mentioned(name),
            "slice" => mentioned(&format!("slice::{name}")),
            _ => false,
        })
        || INEXACT.iter().any(|name| mentioned(name)) && EXACT.iter().any(|name| mentioned(name))
}

/// A function or constant of the library, as text.
#[derive(Clone, Copy, Debug)]
pub struct LibraryItem {
    /// Its name; no other item of the library has it.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// The number of its file.
    file: usize,
}

/// The functions behind these names and everything that they use, item by item: most of a file is not needed, and parsing takes time.
pub fn items_for(mentioned: &BTreeSet<String>) -> Vec<LibraryItem> {
    let index = Index::get();
    let files = index.files_for(mentioned);
    let methods = mentioned.iter().flat_map(|name| index.methods.get(&**name)).flatten();
    let methods = methods.filter_map(|row| index.by_name.get(row.function));
    let others = mentioned.iter().flat_map(|name| index.other_items.get(&**name)).flatten();
    let mut wanted: Vec<usize> = methods.chain(others).chain(&index.other_parts).copied().collect();
    let mut chosen = BTreeSet::new();
    while let Some(item) = wanted.pop() {
        if files[index.items[item].file] && chosen.insert(item) {
            wanted.extend(index.mentions(item));
        }
    }
    chosen.into_iter().map(|item| index.items[item]).collect()
}

/// Cuts a file into items: each begins at the start of a line and ends before the next one that does.
fn cut(file: usize) -> impl Iterator<Item = LibraryItem> {
    let text = FILES[file].text;
    let starts = text.match_indices("\npub ").map(|(at, _)| at + 1);
    // The attributes of an enum, its derives, belong to it.
    let starts = starts.map(|at| match text[at..].starts_with("pub enum ") {
        true => text[..at]
            .rfind("\n\n")
            .map_or(at, |before| text[before..at].find("\n#[").map_or(at, |to| before + to + 1)),
        false => at,
    });
    let starts: Vec<usize> = text.starts_with("pub ").then_some(0).into_iter().chain(starts).collect();
    let ends: Vec<usize> = starts.iter().skip(1).copied().chain([text.len()]).collect();
    starts.into_iter().zip(ends).filter_map(move |(start, end)| {
        let mut text = text[start..end].trim_end();
        // The comments of the next one.
        while let Some((before, last)) = text.rsplit_once('\n')
            && (last.starts_with("//") || last.starts_with("#["))
        {
            text = before.trim_end();
        }
        let item = &text[text.find("pub ")?..];
        let after =
            ["pub fn ", "pub const ", "pub enum "].iter().find_map(|start| item.strip_prefix(start))?;
        let name = after.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
        Some(LibraryItem { name, text, file })
    })
}

macro_rules! files {
    ($($name:ident: $($uses:ident)*;)*) => {
        /// Every file of the library.
        pub const FILES: &[LibraryFile] = &[
            LibraryFile {
                name: collectives::FILE,
                text: collectives::TEXT,
                uses: &["block_collectives", "warp_collectives"],
            },
            LibraryFile {
                name: collectives::WORD_FILE,
                text: collectives::WORD_TEXT,
                uses: &["warp_collectives"],
            },
            $(LibraryFile {
                name: stringify!($name),
                text: include_str!(concat!(stringify!($name), ".rs")),
                uses: &[$(stringify!($uses)),*],
            }),*
        ];
    };
}

#[rustfmt::skip]
files! {
    arg_collectives: block_collectives warp_collectives;
    block_collectives: warp_collectives;
    array:;
    ascii:;
    cache:;
    memory:;
    values:;
    extreme:;
    erf_f32: exp_f32 scale;
    erf_f64: exp_f64 scale;
    exp_f32: scale;
    exp_f64: scale;
    fast:;
    gamma_f32: exp_f32 power_f32 scale;
    gamma_f64: power_f64;
    gamma_log: log_f32 log_f64 trig_pi;
    halves: ordering;
    hyperbolic_f32: exp_f32 log_f32;
    hyperbolic_f64: exp_f64 log_f64;
    integer:;
    integer_mixed:;
    integer_panics:;
    integer_roots:;
    integer_signed:;
    integer_unsigned:;
    inverse_trig_f32:;
    inverse_trig_f64:;
    log_f32:;
    log_f64:;
    named_barriers:;
    norm:;
    option:;
    ordering:;
    slice_order: ordering slice_split;
    partition:;
    result:;
    payne_hanek:;
    power_f32: log_f32;
    power_f64: exp_f64 log_f64 scale;
    remainder: scale;
    rounding: scale;
    scale:;
    slice:;
    slice_split:;
    slice_part:;
    trig_f32: exp_f32 payne_hanek;
    trig_f64: exp_f64 payne_hanek scale;
    trig_pi: exp_f32 exp_f64 trig_f32 trig_f64;
    warp_collectives:;
}

/// Files with the methods of types that are no scalars: `option_map` is `Option`'s `map`, `slice_first` is a slice's `first`.
pub const OTHER_METHODS: &[(&str, &[&str])] = &[
    (
        "result",
        &[
            "is_ok",
            "is_err",
            "is_ok_and",
            "is_err_and",
            "inspect",
            "inspect_err",
            "ok",
            "err",
            "map",
            "map_err",
            "map_or",
            "map_or_else",
            "and",
            "and_then",
            "or",
            "or_else",
            "unwrap_or",
            "unwrap_or_else",
            "unwrap_or_default",
            "unwrap",
            "unwrap_err",
            "transpose",
            "as_ref",
            "as_mut",
            "copied",
            "cloned",
            "sum",
            "product",
        ],
    ),
    (
        "option",
        &[
            "is_some",
            "is_none",
            "is_some_and",
            "is_none_or",
            "inspect",
            "unwrap",
            "unwrap_or",
            "unwrap_or_else",
            "unwrap_or_default",
            "map",
            "map_or",
            "map_or_else",
            "and",
            "and_then",
            "or",
            "or_else",
            "xor",
            "filter",
            "zip",
            "unzip",
            "flatten",
            "copied",
            "cloned",
            "as_ref",
            "as_mut",
            "take",
            "take_if",
            "replace",
            "insert",
            "get_or_insert",
            "get_or_insert_with",
            "ok_or",
            "ok_or_else",
            "transpose",
            "sum",
            "product",
        ],
    ),
    (
        "slice",
        &[
            "as_ref",
            "as_slice",
            "as_mut",
            "as_mut_slice",
            "is_empty",
            "first",
            "last",
            "get",
            "first_mut",
            "last_mut",
            "get_mut",
            "swap",
            "fill",
            "fill_with",
            "reverse",
            "copy_from_slice",
            "clone_from_slice",
            "contains",
            "eq",
            "starts_with",
            "ends_with",
            "strip_prefix",
            "strip_suffix",
            "split_at",
            "split_at_checked",
            "split_first",
            "split_last",
        ],
    ),
    (
        "slice_split",
        &[
            "split_at_mut",
            "split_at_mut_checked",
            "split_first_mut",
            "split_last_mut",
            "swap_with_slice",
            "as_chunks_mut",
        ],
    ),
    (
        "slice_part",
        &[
            "get",
            "get_mut",
            "first_chunk",
            "last_chunk",
            "split_first_chunk",
            "split_last_chunk",
            "first_chunk_mut",
            "last_chunk_mut",
            "split_first_chunk_mut",
            "split_last_chunk_mut",
            "copy_within",
            "try_into",
            "as_chunks",
            "as_flattened",
            "as_flattened_mut",
        ],
    ),
    (
        "ascii",
        &[
            "eq_ignore_ascii_case",
            "make_ascii_uppercase",
            "make_ascii_lowercase",
            "trim_ascii",
            "trim_ascii_start",
            "trim_ascii_end",
        ],
    ),
    ("partition", &["per_thread", "chunk_per_thread", "per_warp", "per_block"]),
    ("array", &["map", "each_ref"]),
    (
        "ordering",
        &[
            "Less",
            "Equal",
            "Greater",
            "cmp",
            "partial_cmp",
            "lt",
            "le",
            "gt",
            "ge",
            "min_by",
            "max_by",
            "reverse",
            "then",
            "then_with",
            "is_lt",
            "is_le",
            "is_gt",
            "is_ge",
            "is_eq",
            "is_ne",
        ],
    ),
    (
        "slice_order",
        &[
            "sort",
            "sort_unstable",
            "sort_by",
            "sort_unstable_by",
            "sort_by_key",
            "sort_unstable_by_key",
            "is_sorted",
            "is_sorted_by",
            "is_sorted_by_key",
            "select_nth_unstable",
            "select_nth_unstable_by",
            "select_nth_unstable_by_key",
            "partition_point",
            "binary_search",
            "binary_search_by",
            "binary_search_by_key",
            "rotate_left",
            "rotate_right",
        ],
    ),
    (
        "values",
        &[
            "max",
            "min",
            "abs",
            "default",
            "sqrt",
            "floor",
            "ceil",
            "trunc",
            "recip",
            "wrapping_add",
            "wrapping_mul",
            "count_ones",
            "wrapping_sub",
            "leading_zeros",
            "trailing_zeros",
            "swap_bytes",
            "reverse_bits",
            "rotate_left",
            "rotate_right",
            "mul_add",
            "clamp",
            "total_cmp",
            "partial_cmp",
            "cmp",
            "is_ascii",
            "is_ascii_digit",
            "is_ascii_alphabetic",
            "is_ascii_alphanumeric",
            "is_ascii_uppercase",
            "is_ascii_lowercase",
            "is_ascii_whitespace",
            "is_ascii_punctuation",
            "is_ascii_hexdigit",
            "is_ascii_graphic",
            "is_ascii_control",
            "to_ascii_uppercase",
            "to_ascii_lowercase",
        ],
    ),
    ("extreme", &["min", "max", "min_by_key", "max_by_key"]),
];

/// The methods of slices, for messages.
pub fn slice_methods() -> impl Iterator<Item = &'static str> {
    let of_slices = OTHER_METHODS.iter().filter(|row| row.0.starts_with("slice"));
    of_slices.flat_map(|row| row.1).copied()
}

/// The methods of slices that take a range.
pub const RANGE_METHODS: &[&str] = &["get", "get_mut", "copy_within"];

/// The function of the library behind one of [`RANGE_METHODS`], which takes the ends of the range that are there.
pub fn range_method(method: &str, start: bool, end: bool, inclusive: bool) -> String {
    let ends = match (start, end, inclusive) {
        (true, true, false) => "",
        (true, true, true) => "_inclusive",
        (true, false, _) => "_from",
        (false, true, false) => "_to",
        (false, true, true) => "_to_inclusive",
        (false, false, _) => "_full",
    };
    format!("{method}_range{ends}")
}

/// The methods that give each thread a part of a slice for itself.
pub fn partitions() -> impl Iterator<Item = &'static str> {
    OTHER_METHODS.iter().filter(|row| row.0 == "partition").flat_map(|row| row.1).copied()
}

macro_rules! methods {
    (
        floats { $($float:literal $f32:ident $f64:ident in $f32_file:ident $f64_file:ident;)* }
        integers { $($int:literal $class:ident $int_function:ident in $int_file:ident;)* }
        widths { $($method:literal in $file:ident: $($ty:ident $function:ident)*;)* }
        collectives { $($module:literal $collective:literal $collective_class:ident $collective_function:ident
                        in $collective_file:ident;)* }
        fast { $($fast:literal $fast_function:ident in $fast_file:ident;)* }
        paths { $($path_module:literal $path:literal $path_function:ident in $path_file:ident;)* }
        operators { $($token:literal $operator_type:ident $operator:ident in $operator_file:ident;)* }
    ) => {
        /// The functions that users can call, without the reductions and scans that have one function for each operation: see [`methods`].
        const METHODS: &[Method] = &[
            $(row($float, Form::Method, Receiver::Only(Scalar::F32), stringify!($f32), stringify!($f32_file)),
              row($float, Form::Method, Receiver::Only(Scalar::F64), stringify!($f64), stringify!($f64_file)),)*
            $(row($int, Form::Method, Receiver::Any(Class::$class), stringify!($int_function), stringify!($int_file)),)*
            $($(row($method, Form::Method, Receiver::Only(Scalar::$ty), stringify!($function), stringify!($file)),)*)*
            $(row($collective, Form::Path($module), Receiver::Any(Class::$collective_class),
                  stringify!($collective_function), stringify!($collective_file)),)*
            $(row($fast, Form::Path("fast"), Receiver::Only(Scalar::F32), stringify!($fast_function),
                  stringify!($fast_file)),)*
            $(row($path, Form::Path($path_module), Receiver::Any(Class::Scalar), stringify!($path_function), stringify!($path_file)),)*
            $(row($token, Form::Operator, Receiver::Only(Scalar::$operator_type), stringify!($operator),
                  stringify!($operator_file)),)*
        ];
    };
}

const fn row(
    name: &'static str,
    form: Form,
    receiver: Receiver,
    function: &'static str,
    file: &'static str,
) -> Method {
    Method { name, form, receiver, vectors: false, decides: 0, function, file }
}

#[rustfmt::skip]
methods! {
    floats {
        "total_cmp"        total_cmp_f32        total_cmp_f64        in ordering ordering;
        "exp"              exp_f32              exp_f64              in exp_f32 exp_f64;
        "exp2"             exp2_f32             exp2_f64             in exp_f32 exp_f64;
        "exp10"            exp10_f32            exp10_f64            in exp_f32 exp_f64;
        "exp_m1"           exp_m1_f32           exp_m1_f64           in exp_f32 exp_f64;
        "ln"               ln_f32               ln_f64               in log_f32 log_f64;
        "log2"             log2_f32             log2_f64             in log_f32 log_f64;
        "log10"            log10_f32            log10_f64            in log_f32 log_f64;
        "ln_1p"            ln_1p_f32            ln_1p_f64            in log_f32 log_f64;
        "log"              log_f32              log_f64              in log_f32 log_f64;
        "sin"              sin_f32              sin_f64              in trig_f32 trig_f64;
        "cos"              cos_f32              cos_f64              in trig_f32 trig_f64;
        "tan"              tan_f32              tan_f64              in trig_f32 trig_f64;
        "sin_cos"          sin_cos_f32          sin_cos_f64          in trig_f32 trig_f64;
        "sinpi"            sinpi_f32            sinpi_f64            in trig_pi trig_pi;
        "cospi"            cospi_f32            cospi_f64            in trig_pi trig_pi;
        "asin"             asin_f32             asin_f64             in inverse_trig_f32 inverse_trig_f64;
        "acos"             acos_f32             acos_f64             in inverse_trig_f32 inverse_trig_f64;
        "atan"             atan_f32             atan_f64             in inverse_trig_f32 inverse_trig_f64;
        "atan2"            atan2_f32            atan2_f64            in inverse_trig_f32 inverse_trig_f64;
        "sinh"             sinh_f32             sinh_f64             in hyperbolic_f32 hyperbolic_f64;
        "cosh"             cosh_f32             cosh_f64             in hyperbolic_f32 hyperbolic_f64;
        "tanh"             tanh_f32             tanh_f64             in hyperbolic_f32 hyperbolic_f64;
        "asinh"            asinh_f32            asinh_f64            in hyperbolic_f32 hyperbolic_f64;
        "acosh"            acosh_f32            acosh_f64            in hyperbolic_f32 hyperbolic_f64;
        "atanh"            atanh_f32            atanh_f64            in hyperbolic_f32 hyperbolic_f64;
        "powf"             powf_f32             powf_f64             in power_f32 power_f64;
        "powi"             powi_f32             powi_f64             in power_f32 power_f64;
        "cbrt"             cbrt_f32             cbrt_f64             in power_f32 power_f64;
        "hypot"            hypot_f32            hypot_f64            in power_f32 power_f64;
        "norm3d"           norm3d_f32           norm3d_f64           in norm norm;
        "rsqrt"            rsqrt_f32            rsqrt_f64            in norm norm;
        "rcbrt"            rcbrt_f32            rcbrt_f64            in power_f32 power_f64;
        "erf"              erf_f32              erf_f64              in erf_f32 erf_f64;
        "erfc"             erfc_f32             erfc_f64             in erf_f32 erf_f64;
        "tgamma"           tgamma_f32           tgamma_f64           in gamma_f32 gamma_f64;
        "lgamma"           lgamma_f32           lgamma_f64           in gamma_log gamma_log;
        "round"            round_f32            round_f64            in rounding rounding;
        "fract"            fract_f32            fract_f64            in rounding rounding;
        "signum"           signum_f32           signum_f64           in rounding rounding;
        "to_degrees"       to_degrees_f32       to_degrees_f64       in rounding rounding;
        "to_radians"       to_radians_f32       to_radians_f64       in rounding rounding;
        "next_up"          next_up_f32          next_up_f64          in rounding rounding;
        "next_down"        next_down_f32        next_down_f64        in rounding rounding;
        "midpoint"         midpoint_f32         midpoint_f64         in rounding rounding;
        "ldexp"            ldexp_f32            ldexp_f64            in rounding rounding;
        "is_sign_negative" is_sign_negative_f32 is_sign_negative_f64 in rounding rounding;
        "is_sign_positive" is_sign_positive_f32 is_sign_positive_f64 in rounding rounding;
        "is_normal"        is_normal_f32        is_normal_f64        in rounding rounding;
        "is_subnormal"     is_subnormal_f32     is_subnormal_f64     in rounding rounding;
        "rem_euclid"       rem_euclid_f32       rem_euclid_f64       in remainder remainder;
        "div_euclid"       div_euclid_f32       div_euclid_f64       in remainder remainder;
    }
    integers {
        "pow"                       Int      pow_int                            in integer;
        "wrapping_pow"              Int      pow_int                            in integer;
        "overflowing_add"           Int      overflowing_add_int                in integer;
        "overflowing_sub"           Int      overflowing_sub_int                in integer;
        "overflowing_mul"           Int      overflowing_mul_int                in integer;
        "overflowing_neg"           Int      overflowing_neg_int                in integer;
        "overflowing_pow"           Int      overflowing_pow_int                in integer;
        "overflowing_shl"           Int      overflowing_shl_int                in integer;
        "overflowing_shr"           Int      overflowing_shr_int                in integer;
        "checked_add"               Int      checked_add_int                    in integer;
        "checked_sub"               Int      checked_sub_int                    in integer;
        "checked_mul"               Int      checked_mul_int                    in integer;
        "checked_div"               Int      checked_div_int                    in integer;
        "checked_rem"               Int      checked_rem_int                    in integer;
        "checked_div_euclid"        Int      checked_div_euclid_int             in integer;
        "checked_rem_euclid"        Int      checked_rem_euclid_int             in integer;
        "checked_neg"               Int      checked_neg_int                    in integer;
        "checked_pow"               Int      checked_pow_int                    in integer;
        "checked_shl"               Int      checked_shl_int                    in integer;
        "checked_shr"               Int      checked_shr_int                    in integer;
        "checked_ilog2"             Int      checked_ilog2_int                  in integer;
        "checked_ilog"              Int      checked_ilog_int                   in integer;
        "saturating_div"            Int      saturating_div_int                 in integer;
        "wrapping_div"              Int      wrapping_div_int                   in integer;
        "wrapping_rem"              Int      wrapping_rem_int                   in integer;
        "saturating_add"            Int      saturating_add_int                 in integer;
        "saturating_sub"            Int      saturating_sub_int                 in integer;
        "saturating_mul"            Int      saturating_mul_int                 in integer;
        "saturating_pow"            Int      saturating_pow_int                 in integer;
        "rem_euclid"                Int      rem_euclid_int                     in integer;
        "div_euclid"                Int      div_euclid_int                     in integer;
        "midpoint"                  Int      midpoint_int                       in integer;
        "leading_ones"              Int      leading_ones_int                   in integer;
        "trailing_ones"             Int      trailing_ones_int                  in integer;
        "unbounded_shl"             Int      unbounded_shl_int                  in integer;
        "unbounded_shr"             Int      unbounded_shr_int                  in integer;
        "ilog2"                     Int      ilog2_int                          in integer;
        "ilog"                      Int      ilog_int                           in integer;
        "wrapping_abs"              Signed   wrapping_abs_signed                in integer_signed;
        "overflowing_abs"           Signed   overflowing_abs_signed             in integer_signed;
        "checked_abs"               Signed   checked_abs_signed                 in integer_signed;
        "saturating_abs"            Signed   saturating_abs_signed              in integer_signed;
        "saturating_neg"            Signed   saturating_neg_signed              in integer_signed;
        "is_positive"               Signed   is_positive_signed                 in integer_signed;
        "is_negative"               Signed   is_negative_signed                 in integer_signed;
        "next_power_of_two"         Unsigned next_power_of_two_unsigned         in integer_unsigned;
        "checked_next_power_of_two" Unsigned checked_next_power_of_two_unsigned in integer_unsigned;
        "div_ceil"                  Unsigned div_ceil_unsigned                  in integer_unsigned;
        "next_multiple_of"          Unsigned next_multiple_of_unsigned          in integer_unsigned;
        "checked_next_multiple_of"  Unsigned checked_next_multiple_of_unsigned  in integer_unsigned;
        "is_multiple_of"            Unsigned is_multiple_of_unsigned            in integer_unsigned;
        "wrapping_add_signed"       Unsigned wrapping_add_other_int             in integer_mixed;
        "checked_add_signed"        Unsigned checked_add_signed_unsigned        in integer_mixed;
        "saturating_add_signed"     Unsigned saturating_add_signed_unsigned     in integer_mixed;
        "wrapping_add_unsigned"     Signed   wrapping_add_other_int             in integer_mixed;
        "wrapping_sub_unsigned"     Signed   wrapping_sub_other_int             in integer_mixed;
        "carrying_add"              Unsigned carrying_add_unsigned              in integer_unsigned;
        "borrowing_sub"             Unsigned borrowing_sub_unsigned             in integer_unsigned;
        "carrying_mul"              Unsigned carrying_mul_unsigned              in integer_unsigned;
    }
    widths {
        "isqrt" in integer_roots: I8 isqrt_i8 I16 isqrt_i16 I32 isqrt_i32 I64 isqrt_i64 Isize isqrt_isize
            U8 isqrt_u8 U16 isqrt_u16 U32 isqrt_u32 U64 isqrt_u64 Usize isqrt_usize;
        "ilog10" in integer_roots: I8 ilog10_i8 I16 ilog10_i16 I32 ilog10_i32 I64 ilog10_i64 Isize ilog10_isize
            U8 ilog10_u8 U16 ilog10_u16 U32 ilog10_u32 U64 ilog10_u64 Usize ilog10_usize;
        "checked_ilog10" in integer_roots: I8 checked_ilog10_i8 I16 checked_ilog10_i16 I32 checked_ilog10_i32
            I64 checked_ilog10_i64 Isize checked_ilog10_isize U8 checked_ilog10_u8 U16 checked_ilog10_u16
            U32 checked_ilog10_u32 U64 checked_ilog10_u64 Usize checked_ilog10_usize;
        "total_cmp"        in halves: F16 total_cmp_f16 Bf16 total_cmp_bf16;
        "signum"           in halves: F16 signum_f16 Bf16 signum_bf16;
        "is_sign_negative" in halves: F16 is_sign_negative_f16 Bf16 is_sign_negative_bf16;
        "is_sign_positive" in halves: F16 is_sign_positive_f16 Bf16 is_sign_positive_bf16;
        "is_normal"        in halves: F16 is_normal_f16 Bf16 is_normal_bf16;
        "then"      in option: Bool bool_then;
        "then_some" in option: Bool bool_then_some;
        "is_ascii" in ascii: U8 ascii_is_ascii;
        "is_ascii_digit" in ascii: U8 ascii_is_digit;
        "is_ascii_alphabetic" in ascii: U8 ascii_is_alphabetic;
        "is_ascii_alphanumeric" in ascii: U8 ascii_is_alphanumeric;
        "is_ascii_uppercase" in ascii: U8 ascii_is_uppercase;
        "is_ascii_lowercase" in ascii: U8 ascii_is_lowercase;
        "is_ascii_whitespace" in ascii: U8 ascii_is_whitespace;
        "is_ascii_punctuation" in ascii: U8 ascii_is_punctuation;
        "is_ascii_hexdigit" in ascii: U8 ascii_is_hexdigit;
        "is_ascii_graphic" in ascii: U8 ascii_is_graphic;
        "is_ascii_control" in ascii: U8 ascii_is_control;
        "make_ascii_uppercase" in ascii: U8 ascii_make_uppercase;
        "make_ascii_lowercase" in ascii: U8 ascii_make_lowercase;
        "to_ascii_uppercase" in ascii: U8 ascii_to_uppercase;
        "to_ascii_lowercase" in ascii: U8 ascii_to_lowercase;
        "eq_ignore_ascii_case" in ascii: U8 ascii_eq_ignore_case;
    }
    collectives {
        "warp"  "redux_add"    Word   warp_redux_add     in warp_collectives;
        "warp"  "redux_min"    Word   warp_redux_min     in warp_collectives;
        "warp"  "redux_max"    Word   warp_redux_max     in warp_collectives;
        "warp"  "redux_and"    Word   warp_redux_and     in warp_collectives;
        "warp"  "redux_or"     Word   warp_redux_or      in warp_collectives;
        "warp"  "redux_xor"    Word   warp_redux_xor     in warp_collectives;
        "warp"  "reduce"         Scalar warp_reduce_by         in warp_collectives;
        "warp"  "scan"           Scalar warp_scan_by           in warp_collectives;
        "warp"  "exclusive_scan" Scalar warp_exclusive_scan_by in warp_collectives;
        "block" "reduce"         Scalar block_reduce_by         in block_collectives;
        "block" "scan"           Scalar block_scan_by           in block_collectives;
        "block" "exclusive_scan" Scalar block_exclusive_scan_by in block_collectives;
        "warp"  "arg_max"        Number warp_arg_max        in arg_collectives;
        "warp"  "arg_min"        Number warp_arg_min        in arg_collectives;
        "block" "arg_max"        Number block_arg_max       in arg_collectives;
        "block" "arg_min"        Number block_arg_min       in arg_collectives;
        "warp"  "count"          Scalar warp_count          in warp_collectives;
        "warp"  "count_sync"     Scalar warp_count_sync     in warp_collectives;
    }
    fast {
        "tan"      fast_tan      in fast;
        "exp"      fast_exp      in fast;
        "exp10"    fast_exp10    in fast;
        "ln"       fast_ln       in fast;
        "log10"    fast_log10    in fast;
        "powf"     fast_powf     in fast;
        "sin_cos"  fast_sin_cos  in fast;
    }
    paths {
        "barrier" "named"  barrier_named  in named_barriers;
        "barrier" "arrive" barrier_arrive in named_barriers;
        "mem"   "swap"    mem_swap      in memory;
        "mem"   "replace" mem_replace   in memory;
        "mem"   "take"    mem_take      in memory;
        "mem"   "transmute" mem_transmute in memory;
        "mem"   "drop"    mem_drop      in memory;
        "ptr"   "swap"    ptr_swap      in memory;
        "ptr"   "replace" ptr_replace   in memory;
        "ptr"   "copy"    ptr_copy      in memory;
        "ptr"   "copy_nonoverlapping" ptr_copy_nonoverlapping in memory;
        "ptr"   "write_bytes" ptr_write_bytes in memory;
        "convert" "identity" convert_identity in memory;
        "array" "from_fn" array_from_fn in memory;
        "cmp" "min"        cmp_min        in extreme;
        "cmp" "max"        cmp_max        in extreme;
        "cmp" "min_by"     cmp_min_by     in ordering;
        "cmp" "max_by"     cmp_max_by     in ordering;
        "cmp" "min_by_key" cmp_min_by_key in extreme;
        "cmp" "max_by_key" cmp_max_by_key in extreme;
        "iter"  "repeat"     iter_repeat     in iterators;
        "iter"  "repeat_n"   iter_repeat_n   in iterators;
        "iter"  "once"       iter_once       in iterators;
        "iter"  "from_fn"    iter_from_fn    in iterators;
        "iter"  "successors" iter_successors in iterators;
        "iter"  "repeat_with" iter_repeat_with in iterators;
        "hint"  "spin_loop" hint_spin_loop in memory;
        "cache" "load_ca"                      cache_load_ca                      in cache;
        "cache" "load_cg"                      cache_load_cg                      in cache;
        "cache" "load_cs"                      cache_load_cs                      in cache;
        "cache" "load_lu"                      cache_load_lu                      in cache;
        "cache" "load_cv"                      cache_load_cv                      in cache;
        "cache" "load_evict_unchanged"         cache_load_evict_unchanged         in cache;
        "cache" "load_evict_first"             cache_load_evict_first             in cache;
        "cache" "load_evict_last"              cache_load_evict_last              in cache;
        "cache" "load_no_allocate"             cache_load_no_allocate             in cache;
        "cache" "load_l2_64b"                  cache_load_l2_64b                  in cache;
        "cache" "load_l2_128b"                 cache_load_l2_128b                 in cache;
        "cache" "load_l2_256b"                 cache_load_l2_256b                 in cache;
        "cache" "load_ca_l2_64b"               cache_load_ca_l2_64b               in cache;
        "cache" "load_ca_l2_128b"              cache_load_ca_l2_128b              in cache;
        "cache" "load_ca_l2_256b"              cache_load_ca_l2_256b              in cache;
        "cache" "load_cg_l2_64b"               cache_load_cg_l2_64b               in cache;
        "cache" "load_cg_l2_128b"              cache_load_cg_l2_128b              in cache;
        "cache" "load_cg_l2_256b"              cache_load_cg_l2_256b              in cache;
        "cache" "load_cs_l2_64b"               cache_load_cs_l2_64b               in cache;
        "cache" "load_cs_l2_128b"              cache_load_cs_l2_128b              in cache;
        "cache" "load_cs_l2_256b"              cache_load_cs_l2_256b              in cache;
        "cache" "load_evict_unchanged_l2_64b"  cache_load_evict_unchanged_l2_64b  in cache;
        "cache" "load_evict_unchanged_l2_128b" cache_load_evict_unchanged_l2_128b in cache;
        "cache" "load_evict_unchanged_l2_256b" cache_load_evict_unchanged_l2_256b in cache;
        "cache" "load_evict_first_l2_64b"      cache_load_evict_first_l2_64b      in cache;
        "cache" "load_evict_first_l2_128b"     cache_load_evict_first_l2_128b     in cache;
        "cache" "load_evict_first_l2_256b"     cache_load_evict_first_l2_256b     in cache;
        "cache" "load_evict_last_l2_64b"       cache_load_evict_last_l2_64b       in cache;
        "cache" "load_evict_last_l2_128b"      cache_load_evict_last_l2_128b      in cache;
        "cache" "load_evict_last_l2_256b"      cache_load_evict_last_l2_256b      in cache;
        "cache" "load_no_allocate_l2_64b"      cache_load_no_allocate_l2_64b      in cache;
        "cache" "load_no_allocate_l2_128b"     cache_load_no_allocate_l2_128b     in cache;
        "cache" "load_no_allocate_l2_256b"     cache_load_no_allocate_l2_256b     in cache;
        "cache" "store_wb"                     cache_store_wb                     in cache;
        "cache" "store_cg"                     cache_store_cg                     in cache;
        "cache" "store_cs"                     cache_store_cs                     in cache;
        "cache" "store_wt"                     cache_store_wt                     in cache;
        "cache" "store_evict_unchanged"        cache_store_evict_unchanged        in cache;
        "cache" "store_evict_first"            cache_store_evict_first            in cache;
        "cache" "store_evict_last"             cache_store_evict_last             in cache;
        "cache" "store_no_allocate"            cache_store_no_allocate            in cache;
        "cache" "prefetch_l1"                  cache_prefetch_l1                  in cache;
        "cache" "prefetch_l2"                  cache_prefetch_l2                  in cache;
    }
    operators {
        "%" F32 rem_f32 in remainder;
        "%" F64 rem_f64 in remainder;
    }
}
