//! The reductions and scans that have an operation in their name: a row for each operation, from which the functions come, as
//! text for the compiler, and the names that users call them by.

use super::library::{Form, Method, Receiver};
use crate::builtins::Class;
use crate::typed::Scalar;

/// The file of the generated functions.
pub const FILE: &str = "collectives";

/// A function for warps: of all lanes, of segments, of the lanes of a mask, of both.
macro_rules! warp_functions {
    ($kind:literal $op:literal $bound:literal: $all:expr; $width:expr; $mask:expr; $both:expr) => {
        concat!(
            concat!("pub fn warp_", $kind, "_", $op, "<T: ", $bound, ">(v: T) -> T { "),
            $all,
            " }\n",
            concat!("pub fn warp_", $kind, "_", $op, "_width<T: ", $bound, ">(v: T, width: u32) -> T { "),
            $width,
            " }\n",
            concat!("pub fn warp_", $kind, "_", $op, "_sync<T: ", $bound, ">(mask: u32, v: T) -> T { "),
            $mask,
            " }\n",
            concat!(
                "pub fn warp_",
                $kind,
                "_",
                $op,
                "_width_sync<T: ",
                $bound,
                ">(mask: u32, v: T, width: u32) -> T { "
            ),
            $both,
            " }\n",
        )
    };
}

/// The rows of what [`warp_functions`] makes.
macro_rules! warp_rows {
    ($kind:literal $op:literal $class:ident $vectors:literal) => {
        [
            row("warp", concat!($kind, "_", $op), concat!("warp_", $kind, "_", $op), Class::$class, $vectors),
            row(
                "warp",
                concat!($kind, "_", $op, "_width"),
                concat!("warp_", $kind, "_", $op, "_width"),
                Class::$class,
                $vectors,
            ),
            masked(row(
                "warp",
                concat!($kind, "_", $op, "_sync"),
                concat!("warp_", $kind, "_", $op, "_sync"),
                Class::$class,
                $vectors,
            )),
            masked(row(
                "warp",
                concat!($kind, "_", $op, "_width_sync"),
                concat!("warp_", $kind, "_", $op, "_width_sync"),
                Class::$class,
                $vectors,
            )),
        ]
    };
}

macro_rules! operations {
    ($($op:literal $class:ident $bound:literal $combine:literal $none:literal $exclusive_vectors:literal;)*) => {
        /// The names of the operations.
        pub const OPERATIONS: &[&str] = &[$($op),*];

        /// The functions.
        pub const TEXT: &str = concat!("use super::block_collectives::*;\nuse super::warp_collectives::*;\n", $(
            warp_functions!("reduce" $op $bound:
                concat!("warp_reduce(v, 32, ", $combine, ")"); concat!("warp_reduce(v, width, ", $combine, ")");
                concat!("warp_reduce_members(mask, v, 32, ", $combine, ")");
                concat!("warp_reduce_members(mask, v, width, ", $combine, ")")),
            warp_functions!("scan" $op $bound:
                concat!("warp_scan(u32::MAX, v, 32, ", $combine, ")"); concat!("warp_scan(u32::MAX, v, width, ", $combine, ")");
                concat!("warp_scan_members(mask, v, 32, ", $combine, ")");
                concat!("warp_scan_members(mask, v, width, ", $combine, ")")),
            warp_functions!("exclusive_scan" $op $bound:
                concat!("warp_before(warp_scan(u32::MAX, v, 32, ", $combine, "), 32, ", $none, ")");
                concat!("warp_before(warp_scan(u32::MAX, v, width, ", $combine, "), width, ", $none, ")");
                concat!("warp_before_members(mask, warp_scan_members(mask, v, 32, ", $combine, "), 32, ", $none, ")");
                concat!("warp_before_members(mask, warp_scan_members(mask, v, width, ", $combine, "), width, ", $none, ")")),
            concat!("pub fn block_reduce_", $op, "<T: ", $bound, ">(v: T) -> T { block_reduce(v, ", $combine, ") }\n"),
            concat!("pub fn block_scan_", $op, "<T: ", $bound, ">(v: T) -> T { block_scan(v, ", $combine, ") }\n"),
            concat!("pub fn block_exclusive_scan_", $op, "<T: ", $bound, ">(v: T) -> T { block_before(v, ", $none, ", ", $combine, ") }\n"),
        )*);

        /// The functions by their names in user code, a group for each kind.
        const ROWS: &[&[Method]] = &[$(
            &warp_rows!("reduce" $op $class true),
            &warp_rows!("scan" $op $class true),
            &warp_rows!("exclusive_scan" $op $class $exclusive_vectors),
            &[
                row("block", concat!("reduce_", $op), concat!("block_reduce_", $op), Class::$class, true),
                row("block", concat!("scan_", $op), concat!("block_scan_", $op), Class::$class, true),
                row("block", concat!("exclusive_scan_", $op), concat!("block_exclusive_scan_", $op), Class::$class, $exclusive_vectors),
            ],
        )*];
    };
}

// The operation on two values, and the result of an exclusive scan in the first lane.
operations! {
    "add" Number    "Number" "|a, b| a + b"    "T::default()" true;
    "mul" Number    "Number" "|a, b| a * b"    "T::ONE"       false;
    "min" Number    "Number" "|a, b| a.min(b)" "T::MAX"       false;
    "max" Number    "Number" "|a, b| a.max(b)" "T::MIN"       false;
    "and" IntOrBool "Bits"   "|a, b| a & b"    "v | !v"       true;
    "or"  IntOrBool "Bits"   "|a, b| a | b"    "v & !v"       true;
    "xor" IntOrBool "Bits"   "|a, b| a ^ b"    "v & !v"       true;
}

/// The file of the generated functions for integers of 32 bits, for which the hardware has an instruction from sm_80 on.
pub const WORD_FILE: &str = "word_collectives";

macro_rules! words {
    ($($op:literal $combine:literal;)*) => {
        /// The functions for integers of 32 bits.
        pub const WORD_TEXT: &str = concat!("use super::warp_collectives::*;\n", $(
            concat!("pub fn warp_reduce_", $op, "_word<T: Int>(v: T) -> T {\n    if target::at_least(80) { warp::redux_", $op,
                "_sync(u32::MAX, v) } else { warp_reduce(v, 32, ", $combine, ") }\n}\n"),
            concat!("pub fn warp_reduce_", $op, "_sync_word<T: Int>(mask: u32, v: T) -> T {\n    if target::at_least(80) { warp::redux_",
                $op, "_sync(mask, v) } else { warp_reduce_members(mask, v, 32, ", $combine, ") }\n}\n"),
        )*);

        const WORDS: &[Method] = &[$(
            word(Scalar::I32, concat!("reduce_", $op), concat!("warp_reduce_", $op, "_word")),
            word(Scalar::U32, concat!("reduce_", $op), concat!("warp_reduce_", $op, "_word")),
            masked(word(Scalar::I32, concat!("reduce_", $op, "_sync"), concat!("warp_reduce_", $op, "_sync_word"))),
            masked(word(Scalar::U32, concat!("reduce_", $op, "_sync"), concat!("warp_reduce_", $op, "_sync_word"))),
        )*];
    };
}

words! {
    "add" "|a, b| a + b";
    "min" "|a, b| a.min(b)";
    "max" "|a, b| a.max(b)";
    "and" "|a, b| a & b";
    "or"  "|a, b| a | b";
    "xor" "|a, b| a ^ b";
}

/// Functions with a special implementation for a type: before the others, so that they are found first.
const SPECIAL: &[Method] = &[
    vote("reduce_and", "warp_reduce_and_bool"),
    masked(vote("reduce_and_sync", "warp_reduce_and_sync_bool")),
    vote("reduce_or", "warp_reduce_or_bool"),
    masked(vote("reduce_or_sync", "warp_reduce_or_sync_bool")),
    vote("reduce_xor", "warp_reduce_xor_bool"),
    masked(vote("reduce_xor_sync", "warp_reduce_xor_sync_bool")),
];

/// Every row.
pub fn rows() -> impl Iterator<Item = &'static Method> + Clone {
    SPECIAL.iter().chain(WORDS).chain(ROWS.iter().copied().flatten())
}

const fn row(
    module: &'static str,
    name: &'static str,
    function: &'static str,
    class: Class,
    vectors: bool,
) -> Method {
    let receiver = Receiver::Any(class);
    Method { name, form: Form::Path(module), receiver, vectors, decides: 0, function, file: FILE }
}

/// The first argument is a mask.
const fn masked(row: Method) -> Method {
    Method { decides: 1, ..row }
}

const fn vote(name: &'static str, function: &'static str) -> Method {
    special(Scalar::Bool, name, function, "warp_collectives")
}

const fn word(scalar: Scalar, name: &'static str, function: &'static str) -> Method {
    special(scalar, name, function, WORD_FILE)
}

const fn special(scalar: Scalar, name: &'static str, function: &'static str, file: &'static str) -> Method {
    let (form, receiver) = (Form::Path("warp"), Receiver::Only(scalar));
    Method { name, form, receiver, vectors: false, decides: 0, function, file }
}
