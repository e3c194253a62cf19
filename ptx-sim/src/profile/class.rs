//! Classes of instructions, by name: for the instruction mix, the operations that one counts as, its latency.

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($(#[$doc:meta])* $name:ident $text:literal $latency:literal;)*) => {
        /// A kind of instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Class { $($(#[$doc])* $name,)* }

        impl Class {
            /// Every class, in the order in which tables show them.
            pub const ALL: &[Class] = &[$(Class::$name,)*];

            /// A name for the reader.
            pub const fn as_str(self) -> &'static str {
                match self { $(Class::$name => $text,)* }
            }

            /// Cycles from the issue of an instruction to the issue of one that needs its result, about: measured by others on
            /// architectures from Volta to Hopper (Jia et al., arXiv 1804.06826; Luo et al., arXiv 2402.13499). What accesses
            /// to memory take depends on where the data is.
            pub(crate) const fn latency(self) -> u64 {
                match self { $(Class::$name => $latency,)* }
            }
        }
    };
}

classes! {
    /// Arithmetic on `f32`.
    Float32 "f32" 4;
    /// Arithmetic on `f64`.
    Float64 "f64" 8;
    /// Arithmetic on 16-bit floats, one or two a register.
    Half "f16, bf16" 5;
    /// Approximations of the special function unit: roots, reciprocals, exponentials, sines.
    Special "special functions" 18;
    /// Divisions and roots to the last bit, integer divisions: many instructions of the machine each.
    Division "division, exact roots" 60;
    /// Arithmetic and logic on integers.
    Integer "integer" 4;
    /// Fragments of matrices multiplied.
    Matrix "matrix product" 33;
    /// Conversions between types.
    Conversion "conversion" 6;
    /// Comparisons, selections, predicates.
    Compare "compare, select" 5;
    /// Moves between registers, of special registers and addresses.
    Move "move" 2;
    /// Parameters and constants.
    Parameter "parameter" 4;
    /// Loads.
    Load "load" 33;
    /// Stores.
    Store "store" 1;
    /// Atomic operations and reductions in memory.
    Atomic "atomic" 60;
    /// Copies that run beside the threads, and prefetches.
    Copy "asynchronous copy" 1;
    /// Shuffles, votes, matches and reductions of a warp.
    Collective "warp collective" 23;
    /// Barriers, fences and naps.
    Synchronization "barrier, fence" 16;
    /// Branches, calls and exits.
    Control "control" 8;
    /// Anything else.
    Other "other" 4;
}

/// Names of instructions whose class does not depend on the type.
const NAMES: &[(&[&str], Class)] = &[
    (&["mma", "wmma", "wgmma"], Class::Matrix),
    (&["rcp", "rsqrt", "sin", "cos", "lg2", "ex2", "tanh", "sqrt"], Class::Special),
    (&["div", "rem"], Class::Division),
    (&["cvt"], Class::Conversion),
    (&["setp", "set", "selp", "slct"], Class::Compare),
    (&["mov", "cvta", "isspacep", "mapa", "getctarank", "alloca", "stacksave", "stackrestore"], Class::Move),
    (&["ldu", "ldmatrix"], Class::Load),
    (&["stmatrix"], Class::Store),
    (&["atom", "red"], Class::Atomic),
    (&["prefetch", "prefetchu", "applypriority", "discard", "createpolicy"], Class::Copy),
    (&["shfl", "vote", "match", "redux", "activemask", "elect", "movmatrix"], Class::Collective),
    (
        &[
            "bar",
            "barrier",
            "membar",
            "fence",
            "mbarrier",
            "nanosleep",
            "griddepcontrol",
            "setmaxnreg",
            "tensormap",
        ],
        Class::Synchronization,
    ),
    (&["bra", "brx", "call", "ret", "exit", "trap", "brkpt", "}"], Class::Control),
];

/// Types of floating point by their name, with the class and the values in a register.
const TYPES: &[(&str, Class, u64)] = &[
    ("f32", Class::Float32, 1),
    ("f32x2", Class::Float32, 2),
    ("f64", Class::Float64, 1),
    ("f16", Class::Half, 1),
    ("bf16", Class::Half, 1),
    ("f16x2", Class::Half, 2),
    ("bf16x2", Class::Half, 2),
];

/// Operations of the floating-point instructions on each value.
const OPERATIONS: &[(&str, u64)] = &[
    ("fma", 2),
    ("mad", 2),
    ("add", 1),
    ("sub", 1),
    ("mul", 1),
    ("div", 1),
    ("sqrt", 1),
    ("rcp", 1),
    ("rsqrt", 1),
];

/// Classification of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) class: Class,
    /// Floating-point operations of each lane.
    pub(crate) lane_operations: u64,
    /// Operations of the warp together, in products of matrices.
    pub(crate) warp_operations: u64,
}

impl Kind {
    /// Of an instruction with its modifiers, as `fma.rn.f32`.
    pub(crate) fn of(instruction: &str) -> Kind {
        let mut words = instruction.split('.');
        let name = words.next().unwrap_or_default();
        let modifiers: Vec<&str> = words.flat_map(|word| word.split("::")).collect();
        let float = modifiers
            .iter()
            .find_map(|&word| TYPES.iter().find(|(ty, ..)| *ty == word))
            .map(|&(_, class, values)| (class, values));
        let has = |word: &str| modifiers.contains(&word);
        let class = match name {
            // The exact ones are sequences; f64 has no others.
            "sqrt" | "rcp" if !has("approx") => Class::Division,
            "div" if has("approx") => Class::Special,
            "ld" | "st" if has("param") || has("const") => Class::Parameter,
            "ld" => Class::Load,
            "st" => Class::Store,
            "cp" if has("commit_group") || has("wait_group") || has("wait_all") => Class::Synchronization,
            "cp" => Class::Copy,
            "wmma" if has("load") => Class::Load,
            "wmma" if has("store") => Class::Store,
            "wgmma" if !has("mma_async") => Class::Synchronization,
            _ => match (NAMES.iter().find(|(names, _)| names.contains(&name)), float) {
                (Some(&(_, class)), _) => class,
                (None, Some((class, _))) => class,
                (None, None) if modifiers.is_empty() => Class::Other,
                (None, None) if has("pred") => Class::Compare,
                (None, None) => Class::Integer,
            },
        };
        let counted = OPERATIONS.iter().find(|(counted, _)| *counted == name);
        let lane_operations = match (class, float, counted) {
            (Class::Matrix, ..) => 0,
            (_, Some((_, values)), Some(&(_, operations))) => values * operations,
            _ => 0,
        };
        let warp_operations = if class == Class::Matrix { product(&modifiers, name) } else { 0 };
        Kind { class, lane_operations, warp_operations }
    }
}

/// 2MNK of a product of fragments; of a `wgmma` the part of each of its four warps.
fn product(modifiers: &[&str], name: &str) -> u64 {
    let shape = modifiers.iter().find_map(|word| {
        let (m, rest) = word.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some([m.parse::<u64>().ok()?, n.parse().ok()?, k.parse().ok()?])
    });
    let warps = if name == "wgmma" { 4 } else { 1 };
    shape.map_or(0, |[m, n, k]| 2 * m * n * k / warps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(instructions: &[&str], expected: Expect) {
        let lines = instructions.iter().map(|&instruction| {
            let Kind { class, lane_operations, warp_operations } = Kind::of(instruction);
            format!("{instruction}: {}, {lane_operations} a lane, {warp_operations} a warp\n", class.as_str())
        });
        expected.assert_eq(&lines.collect::<String>());
    }

    #[test]
    fn kinds() {
        check(
            &[
                "fma.rn.f32",
                "add.s32",
                "mul.rn.f16x2",
                "sqrt.approx.ftz.f32",
                "sqrt.rn.f32",
                "div.rn.f64",
                "div.approx.f32",
                "rem.u32",
                "ld.param.u64",
                "ld.global.nc.f32",
                "atom.global.add.f32",
                "red.shared.add.u32",
                "cvt.rn.f32.s32",
                "setp.lt.f32",
                "and.pred",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
                "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16",
                "wgmma.wait_group.sync.aligned",
                "wmma.load.a.sync.aligned.m16n16k16.shared.row.f16",
                "cp.async.ca.shared.global",
                "cp.async.wait_group",
                "bar.sync",
                "shfl.sync.down.b32",
                "ret",
            ],
            expect![[r#"
                fma.rn.f32: f32, 2 a lane, 0 a warp
                add.s32: integer, 0 a lane, 0 a warp
                mul.rn.f16x2: f16, bf16, 2 a lane, 0 a warp
                sqrt.approx.ftz.f32: special functions, 1 a lane, 0 a warp
                sqrt.rn.f32: division, exact roots, 1 a lane, 0 a warp
                div.rn.f64: division, exact roots, 1 a lane, 0 a warp
                div.approx.f32: special functions, 1 a lane, 0 a warp
                rem.u32: division, exact roots, 0 a lane, 0 a warp
                ld.param.u64: parameter, 0 a lane, 0 a warp
                ld.global.nc.f32: load, 0 a lane, 0 a warp
                atom.global.add.f32: atomic, 0 a lane, 0 a warp
                red.shared.add.u32: atomic, 0 a lane, 0 a warp
                cvt.rn.f32.s32: conversion, 0 a lane, 0 a warp
                setp.lt.f32: compare, select, 0 a lane, 0 a warp
                and.pred: compare, select, 0 a lane, 0 a warp
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32: matrix product, 0 a lane, 4096 a warp
                wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16: matrix product, 0 a lane, 65536 a warp
                wgmma.wait_group.sync.aligned: barrier, fence, 0 a lane, 0 a warp
                wmma.load.a.sync.aligned.m16n16k16.shared.row.f16: load, 0 a lane, 0 a warp
                cp.async.ca.shared.global: asynchronous copy, 0 a lane, 0 a warp
                cp.async.wait_group: barrier, fence, 0 a lane, 0 a warp
                bar.sync: barrier, fence, 0 a lane, 0 a warp
                shfl.sync.down.b32: warp collective, 0 a lane, 0 a warp
                ret: control, 0 a lane, 0 a warp
            "#]],
        );
    }
}
