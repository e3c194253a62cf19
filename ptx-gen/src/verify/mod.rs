//! The verifier: what the rest of the compiler may take for granted.
//!
//! References ([`structure`]): every value, block, parameter, shared variable, panic site and file that is named exists.
//!
//! Structure ([`structure`]):
//! - the layout has a block, and no block twice; the entry takes no parameters, and nothing jumps to it;
//! - every block ends in its only terminator; jumps go to blocks of the layout;
//! - an instruction and a block parameter is in one block only, at one position, and its value's definition agrees;
//! - kernels, parameters and shared variables have unique names, which PTX allows;
//! - alignments are powers of two, only `i64` parameters are pointers, shared variables have a size, launch bounds are
//!   not zero and agree.
//!
//! Typing ([`typing`]): an instruction has a result exactly if its kind has one; operands and results have the types that
//! the table of [`typing`] gives; constants fit; `no_unsigned_wrap` stands only where it means something; jumps pass one
//! value of the right type for each parameter; a panic brings as many values as its kind takes; only memory that can be
//! constant is loaded `read_only`, and constant memory is not written; alignments are powers of two and no less than the
//! type's.
//!
//! Dominance ([`dominance`]): every use is dominated by its definition.
//!
//! Every error is collected. A function whose references are broken is not looked at further, and dominance is checked
//! only where structure holds.

mod dominance;
mod structure;
mod typing;

use std::fmt;
use std::ops::Deref;

pub use self::structure::MAX_CONST_BYTES;
use crate::ir::{Block, Function, Inst, Module};

/// A module that holds everything that the verifier checks.
#[derive(Clone, Copy, Debug)]
pub struct Verified<'a>(&'a Module);

impl Deref for Verified<'_> {
    type Target = Module;
    fn deref(&self) -> &Module {
        self.0
    }
}

/// Everything that is wrong with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyErrors(pub Vec<VerifyError>);

/// One thing that is wrong: where, and what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The kernel; empty for an error of the module itself.
    pub function: String,
    /// The block.
    pub block: Option<Block>,
    /// The instruction as text.
    pub inst: Option<String>,
    /// The message: expected and found.
    pub message: String,
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.function.is_empty() {
            f.write_str("module")?;
        } else {
            write!(f, "kernel {}", self.function)?;
        }
        if let Some(block) = self.block {
            write!(f, ", {block}")?;
        }
        if let Some(inst) = &self.inst {
            write!(f, ", `{inst}`")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl fmt::Display for VerifyErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the IR is not valid:")?;
        self.0.iter().try_for_each(|error| write!(f, "\n  {error}"))
    }
}

impl std::error::Error for VerifyError {}
impl std::error::Error for VerifyErrors {}

/// Checks everything that the head of this file lists.
///
/// # Errors
/// All that is wrong.
pub fn verify(module: &Module) -> Result<Verified<'_>, VerifyErrors> {
    let mut errors = Vec::new();
    structure::check_module(module, &mut errors);
    for func in &module.functions {
        verify_into(func, module.files.len(), &mut errors);
    }
    if errors.is_empty() { Ok(Verified(module)) } else { Err(VerifyErrors(errors)) }
}

/// Checks one function, without the files of its module.
///
/// # Errors
/// All that is wrong.
pub fn verify_function(func: &Function) -> Result<(), VerifyErrors> {
    let mut errors = Vec::new();
    verify_into(func, usize::MAX, &mut errors);
    if errors.is_empty() { Ok(()) } else { Err(VerifyErrors(errors)) }
}

fn verify_into(func: &Function, files: usize, errors: &mut Vec<VerifyError>) {
    let mut report = Report { func, errors };
    if !structure::check_references(func, files, &mut report) {
        return;
    }
    let sound = structure::check(func, &mut report);
    typing::check(func, &mut report);
    if sound {
        dominance::check(func, &mut report);
    }
}

/// Collects the errors of one function.
struct Report<'a> {
    func: &'a Function,
    errors: &'a mut Vec<VerifyError>,
}

impl Report<'_> {
    fn function(&mut self, message: impl Into<String>) {
        self.push(None, None, message);
    }

    fn block(&mut self, block: Block, message: impl Into<String>) {
        self.push(Some(block), None, message);
    }

    fn inst(&mut self, block: Block, inst: Inst, message: impl Into<String>) {
        let text = self.func.display_inst(inst).to_string();
        self.push(Some(block), Some(text), message);
    }

    fn push(&mut self, block: Option<Block>, inst: Option<String>, message: impl Into<String>) {
        let function = self.func.name.clone();
        self.errors.push(VerifyError { function, block, inst, message: message.into() });
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::ir::{BlockCall, Entity, InstData, Value, ValueDef, parse_module};

    /// The errors of a module whose text is given, after a change that the text cannot express.
    #[track_caller]
    fn check_changed(text: &str, change: impl FnOnce(&mut Function), expect: Expect) {
        let mut module = parse_module(text).expect("the module parses");
        change(&mut module.functions[0]);
        let errors = verify(&module)
            .err()
            .map_or(String::new(), |errors| errors.0.iter().map(|error| format!("{error}\n")).collect());
        expect.assert_eq(&errors);
    }

    /// The errors of a module.
    #[track_caller]
    fn check_module(text: &str, expect: Expect) {
        check_changed(text, |_| {}, expect);
    }

    /// The errors of a kernel with this body.
    #[track_caller]
    fn check(body: &str, expect: Expect) {
        check_module(&format!("kernel k(param0 n: i32) {{\n{body}\n}}"), expect);
    }

    #[test]
    fn accepts_a_loop() {
        check(
            "block0: v0: i32 = const 0 v1: i32 = param0 jump block1(v0)
             block1(v2: i32): v3: bool = icmp ult v2, v1 branch v3, block2, block3
             block2: v4: i32 = const 1 v5: i32 = add nuw v2, v4 jump block1(v5)
             block3: return",
            expect![[""]],
        );
    }

    // References.

    #[test]
    fn references() {
        check(
            "block0: v0: i32 = param1 v1: i32 = address shared0 panic panic0",
            expect![[r#"
                kernel k, block0, `v0: i32 = param1`: `param1` does not exist
                kernel k, block0, `v1: i32 = address shared0`: `shared0` does not exist
                kernel k, block0, `panic panic0`: `panic0` does not exist
            "#]],
        );
        check(
            "block0: return @0:3:4",
            expect![[r#"
                kernel k, block0, `return @0:3:4`: file 0 does not exist
            "#]],
        );
        check(
            "panic0 index @2:3:4 block0: return",
            expect![[r#"
                kernel k: file 2 of `panic0` does not exist
            "#]],
        );
    }

    #[test]
    fn values_and_blocks_that_do_not_exist() {
        let missing = |func: &mut Function| {
            let value = Value::from_index(9);
            func.insts[Inst::from_index(1)].map_args(|_| value);
        };
        check_changed(
            "kernel k() { block0: v0: bool = const true branch v0, block1, block1 block1: return }",
            missing,
            expect![[r#"
                kernel k, block0, `branch v9, block1, block1`: `v9` does not exist
            "#]],
        );
        check_changed(
            "kernel k() { block0: jump block1 block1: return }",
            |func| {
                let target = BlockCall { block: Block::from_index(7), args: vec![] };
                func.insts[Inst::from_index(0)] = InstData::Jump { target };
            },
            expect![[r#"
                kernel k, block0, `jump block7`: `block7` does not exist
            "#]],
        );
    }

    // Structure.

    #[test]
    fn layout() {
        check_changed(
            "kernel k() { block0: return }",
            |func| func.layout.clear(),
            expect![[r#"
                kernel k: the kernel has no block
            "#]],
        );
        check_changed(
            "kernel k() { block0: return }",
            |func| func.layout.push(func.layout[0]),
            expect![[r#"
                kernel k, block0: the block is in the layout twice
                kernel k, block0, `return`: the instruction is in two places
            "#]],
        );
        check_changed(
            "kernel k() { block0: jump block1 block1: return }",
            |func| func.layout.truncate(1),
            expect![[r#"
                kernel k, block0, `jump block1`: `block1` is not in the layout
            "#]],
        );
    }

    #[test]
    fn entry() {
        check(
            "block0(v0: i32): v1: bool = const true branch v1, block0(v0), block1 block1: return",
            expect![[r#"
                kernel k, block0: the entry takes parameters: expected none, found 1
                kernel k, block0, `branch v1, block0(v0), block1`: the entry is no target of jumps
            "#]],
        );
    }

    #[test]
    fn terminators() {
        check(
            "block0: return return",
            expect![[r#"
                kernel k, block0, `return`: a terminator stands before the end of the block
            "#]],
        );
        check(
            "block0: barrier",
            expect![[r#"
                kernel k, block0: the block does not end in a terminator
            "#]],
        );
        check_changed(
            "kernel k() { block0: return }",
            |func| func.blocks[Block::from_index(0)].insts.clear(),
            expect![[r#"
                kernel k, block0: the block does not end in a terminator
            "#]],
        );
    }

    #[test]
    fn definitions() {
        check_changed(
            "kernel k() { block0: v0: i32 = const 1 jump block1(v0) block1(v1: i32): return }",
            |func| {
                func.values[Value::from_index(1)].def = ValueDef::Param(Block::from_index(0));
                func.values[Value::from_index(0)].def = ValueDef::Param(Block::from_index(0));
            },
            expect![[r#"
                kernel k, block0, `v0: i32 = const 1`: `v0` is defined here but says that it is defined elsewhere
                kernel k, block1: `v1` is a parameter here but says that it is defined elsewhere
            "#]],
        );
        check_changed(
            "kernel k() { block0: v0: i32 = const 1 jump block1(v0, v0) block1(v1: i32, v2: i32): return }",
            |func| func.blocks[Block::from_index(1)].params = vec![Value::from_index(1); 2],
            expect![[r#"
                kernel k, block1: the parameter `v1` is in two places
            "#]],
        );
    }

    #[test]
    fn names() {
        check_module(
            "kernel k(param0 a: i32, param1 a: i32) { shared0 s: 4 align 4 shared1 s: 4 align 4 block0: return }
             kernel k() { block0: return }
             kernel \"a-b\"(param0 \"1\": i32) { block0: return }",
            expect![[r#"
                module: two kernels are named `k`
                module: the kernel's name `a-b` is no PTX identifier
                kernel k: two parameters are named `a`
                kernel k: two shared variables are named `s`
                kernel a-b: the parameter's name `1` is no PTX identifier
            "#]],
        );
    }

    #[test]
    fn alignments_and_bounds() {
        check_module(
            "kernel k(param0 p: i64 ptr align 3, param1 q: i32 ptr align 4)
                 bounds(max_threads 64, min_blocks 0, block 128 1 1) {
                 shared0 s: 0 align 12
                 block0: return
             }
             kernel m() bounds(max_threads 0) { block0: return }",
            expect![[r#"
                kernel k: `param0` is aligned to 3 bytes: expected a power of two
                kernel k: `param1` is a pointer of type `i32`: expected `i64`
                kernel k: `shared0` is aligned to 12 bytes: expected a power of two
                kernel k: the launch bounds promise no threads or blocks
                kernel k: blocks of 128 threads exceed the launch bound of 64
                kernel m: the launch bounds promise no threads or blocks
            "#]],
        );
    }

    // Typing.

    #[test]
    fn results() {
        check(
            "block0: v0: i32 = const 0 v1: i32 = store.shared v0, v0 neg v0 v2: i32 = return",
            expect![[r#"
                kernel k, block0, `v1: i32 = store.shared v0, v0`: the instruction has no result, but `v1` is made of it
                kernel k, block0, `neg v0`: the instruction has a result, but no value takes it
                kernel k, block0, `v2: i32 = return`: the instruction has no result, but `v2` is made of it
            "#]],
        );
    }

    #[test]
    fn constants() {
        check_changed(
            "kernel k() { block0: v0: bool = const true return }",
            |func| func.insts[Inst::from_index(0)] = InstData::Const { bits: 2 },
            expect![[r#"
                kernel k, block0, `v0: bool = const 0x2`: the constant has bits outside `bool`
            "#]],
        );
    }

    #[test]
    fn operations() {
        check(
            "block0:
             v0: i32 = const 0 v1: f32 = const 0.0 v2: bool = const true v3: i64 = const 0
             v4: i32 = fneg v0
             v5: bool = not v2
             v6: bool = neg v2
             v7: f32 = add v1, v1
             v8: i64 = add v0, v0
             v9: i32 = add v0, v3
             v10: i32 = and nuw v0, v0
             v11: i32 = fadd v0, v0
             v12: bool = xor v2, v2
             v13: f32 = fma v1, v1, v0
             v14: i32 = select v0, v0, v0
             v15: i32 = select v2, v0, v3
             v16: i32 = icmp eq v0, v0
             v17: bool = icmp ult v2, v2
             v18: bool = icmp eq v2, v2
             v19: bool = fcmp lt v0, v0
             v20: i64 = special tid.x
             v21: i64 = param0
             return",
            expect![[r#"
                kernel k, block0, `v4: i32 = fneg v0`: operand `v0`: expected a float or a pair of them, found `i32`
                kernel k, block0, `v6: bool = neg v2`: operand `v2`: expected an integer, found `bool`
                kernel k, block0, `v7: f32 = add v1, v1`: operand `v1`: expected an integer, found `f32`
                kernel k, block0, `v8: i64 = add v0, v0`: operand `v0`: expected `i64`, found `i32`
                kernel k, block0, `v8: i64 = add v0, v0`: operand `v0`: expected `i64`, found `i32`
                kernel k, block0, `v9: i32 = add v0, v3`: operand `v3`: expected `i32`, found `i64`
                kernel k, block0, `v10: i32 = and nuw v0, v0`: `nuw` means nothing here: expected it on `add`, `sub`, `mul` or `shl`
                kernel k, block0, `v11: i32 = fadd v0, v0`: operand `v0`: expected a float or a pair of them, found `i32`
                kernel k, block0, `v13: f32 = fma v1, v1, v0`: operand `v0`: expected `f32`, found `i32`
                kernel k, block0, `v14: i32 = select v0, v0, v0`: operand `v0`: expected `bool`, found `i32`
                kernel k, block0, `v15: i32 = select v2, v0, v3`: operand `v3`: expected `i32`, found `i64`
                kernel k, block0, `v16: i32 = icmp eq v0, v0`: the result: expected `bool`, found `i32`
                kernel k, block0, `v17: bool = icmp ult v2, v2`: operand `v2`: expected an integer, found `bool`
                kernel k, block0, `v19: bool = fcmp lt v0, v0`: operand `v0`: expected a float, found `i32`
                kernel k, block0, `v20: i64 = special tid.x`: the result: expected `i32`, found `i64`
                kernel k, block0, `v21: i64 = param0`: the result: expected `i32`, found `i64`
            "#]],
        );
    }

    #[test]
    fn conversions() {
        check(
            "block0:
             v0: i32 = const 0 v1: f32 = const 0.0 v2: bool = const true v3: f64 = const 0.0
             v4: i64 = zext v2
             v5: i32 = zext v0
             v6: i16 = sext v0
             v7: i64 = trunc_int v0
             v8: f32 = u2f v2
             v9: i32 = f2u v0
             v10: f32 = f2f v1
             v11: f64 = bitcast v0
             v12: f32 = bitcast v0
             v13: f32 = f2f v3
             return",
            expect![[r#"
                kernel k, block0, `v5: i32 = zext v0`: `zext` goes from an integer or `bool` to a wider integer, not from `i32` to `i32`
                kernel k, block0, `v6: i16 = sext v0`: `sext` goes from an integer to a wider one, not from `i32` to `i16`
                kernel k, block0, `v7: i64 = trunc_int v0`: `trunc_int` goes from an integer to a narrower one, not from `i32` to `i64`
                kernel k, block0, `v8: f32 = u2f v2`: `u2f` goes from an integer to a float, not from `bool` to `f32`
                kernel k, block0, `v9: i32 = f2u v0`: `f2u` goes from a float to an integer, not from `i32` to `i32`
                kernel k, block0, `v10: f32 = f2f v1`: `f2f` goes from a float to another float, not from `f32` to `f32`
                kernel k, block0, `v11: f64 = bitcast v0`: `bitcast` goes from an integer or float to another type of the same width, not from `i32` to `f64`
            "#]],
        );
    }

    #[test]
    fn memory() {
        check(
            "shared0 s: 64 align 4
             block0:
             v0: i32 = const 0 v1: i64 = const 0 v2: f32 = const 0.0
             v3: i32 = load.global v0
             v4: i32 = load.shared v1
             v5: i32 = load.shared v0 read_only
             store.global v0, v2
             v6: i64 = address shared0
             v7: f32 = cas.global.gpu v1, v2, v2
             v8: i16 = cas.global.gpu v1, v0, v0
             v9: i32 = cas.local.gpu v1, v0, v0
             v10: i64 = shuffle.up v1, v0, v0, v0
             v11: i32 = shuffle.up v0, v1, v0, v0
             return",
            expect![[r#"
                kernel k, block0, `v3: i32 = load.global v0`: operand `v0`: expected `i64`, found `i32`
                kernel k, block0, `v4: i32 = load.shared v1`: operand `v1`: expected `i32`, found `i64`
                kernel k, block0, `v5: i32 = load.shared v0 read_only`: memory of the space `shared` is never read-only: expected `global`
                kernel k, block0, `store.global v0, v2`: operand `v0`: expected `i64`, found `i32`
                kernel k, block0, `v6: i64 = address shared0`: the result: expected `i32`, found `i64`
                kernel k, block0, `v7: f32 = cas.global.gpu v1, v2, v2`: the result: expected `i32` or `i64`, found `f32`
                kernel k, block0, `v8: i16 = cas.global.gpu v1, v0, v0`: the result: expected `i32` or `i64`, found `i16`
                kernel k, block0, `v8: i16 = cas.global.gpu v1, v0, v0`: operand `v0`: expected `i16`, found `i32`
                kernel k, block0, `v8: i16 = cas.global.gpu v1, v0, v0`: operand `v0`: expected `i16`, found `i32`
                kernel k, block0, `v9: i32 = cas.local.gpu v1, v0, v0`: memory of the space `local` has no atomic operations
                kernel k, block0, `v11: i32 = shuffle.up v0, v1, v0, v0`: operand `v1`: expected `i32`, found `i64`
            "#]],
        );
    }

    #[test]
    fn terminator_operands() {
        check(
            "panic0 index
             block0:
             v0: i32 = const 0 v1: i64 = const 0
             branch v0, block1, block2(v0)
             block1: panic panic0(v0)
             block2(v2: i64, v3: i32): panic panic0(v1, v0)",
            expect![[r#"
                kernel k, block0, `branch v0, block1, block2(v0)`: operand `v0`: expected `bool`, found `i32`
                kernel k, block0, `branch v0, block1, block2(v0)`: `block2` takes 2 arguments, found 1
                kernel k, block0, `branch v0, block1, block2(v0)`: operand `v0`: expected `i64`, found `i32`
                kernel k, block1, `panic panic0(v0)`: a panic of kind `index` takes 2 arguments, found 1
                kernel k, block1, `panic panic0(v0)`: operand `v0`: expected `i64`, found `i32`
                kernel k, block2, `panic panic0(v1, v0)`: operand `v0`: expected `i64`, found `i32`
            "#]],
        );
    }

    // Dominance.

    #[test]
    fn dominance() {
        check(
            "block0: v0: i32 = neg v1 v1: i32 = const 0 v2: bool = const true branch v2, block1, block2
             block1: v3: i32 = const 1 jump block3(v3)
             block2: jump block3(v3)
             block3(v4: i32): v5: i32 = neg v3 v6: i32 = neg v4 return",
            expect![[r#"
                kernel k, block0, `v0: i32 = neg v1`: `v1` is used before its definition
                kernel k, block2, `jump block3(v3)`: `v3` is used where its definition in block1 does not dominate
                kernel k, block3, `v5: i32 = neg v3`: `v3` is used where its definition in block1 does not dominate
            "#]],
        );
        check_changed(
            "kernel k() { block0: v0: i32 = const 0 v1: i32 = neg v0 return }",
            |func| func.blocks[Block::from_index(0)].insts = vec![Inst::from_index(1), Inst::from_index(2)],
            expect![[r#"
                kernel k, block0, `v1: i32 = neg v0`: `v0` is in no block
            "#]],
        );
        check("block0: return block1: v0: i32 = neg v1 v1: i32 = const 0 return", expect![[""]]);
    }

    #[test]
    fn floats_of_16_bits_and_pairs() {
        check(
            "block0: v0: f16 = const 1.0 v1: bf16 = const 1.0 v2: f16x2 = pack v0, v0
             v3: f16x2 = fadd v2, v2 v4: bf16 = f2f v0 v5: i16 = bitcast v0 v6: i32 = bitcast v2 return",
            expect![[""]],
        );
        check(
            "block0: v0: f16 = const 1.0 v1: bf16 = const 1.0 v2: f16x2 = pack v0, v1 v3: f32 = pack v0, v0
             v4: bf16 = extract.0 v2 v5: f16 = extract.1 v0 v6: bool = fcmp lt v2, v2 v7: f32 = f2f v2
             v8: f16 = sin_approx v0 v9: f16 = fadd v0, v1 return",
            expect![[r#"
                kernel k, block0, `v2: f16x2 = pack v0, v1`: operand `v1`: expected `f16`, found `bf16`
                kernel k, block0, `v3: f32 = pack v0, v0`: the result: expected a pair of floats, found `f32`
                kernel k, block0, `v4: bf16 = extract.0 v2`: the result: expected `f16`, found `bf16`
                kernel k, block0, `v5: f16 = extract.1 v0`: operand `v0`: expected a pair of floats, found `f16`
                kernel k, block0, `v6: bool = fcmp lt v2, v2`: operand `v2`: expected a float, found `f16x2`
                kernel k, block0, `v7: f32 = f2f v2`: `f2f` goes from a float to another float, not from `f16x2` to `f32`
                kernel k, block0, `v8: f16 = sin_approx v0`: operand `v0`: expected `f32`, found `f16`
                kernel k, block0, `v9: f16 = fadd v0, v1`: operand `v1`: expected `f16`, found `bf16`
            "#]],
        );
    }

    #[test]
    fn collectives() {
        check(
            "block0: v0: i32 = param0 v1: bool = const true
             v2: bool = vote.ballot v1, v0 v3: i32 = vote.any v1, v0 v4: i32 = vote.ballot v0, v0
             v5: f32 = const 1.0 v6: i32 = match.any v5, v0 v7: i64 = redux.add v0, v0
             v8: bool = barrier.popc v1 v9: i32 = special clock64 v10: bool = shuffle.up v1, v0, v0, v0
             warp_barrier v1 named_barrier.sync 16, v0 named_barrier.arrive 0, v1 return",
            expect![[r#"
                kernel k, block0, `v2: bool = vote.ballot v1, v0`: the result: expected `i32`, found `bool`
                kernel k, block0, `v3: i32 = vote.any v1, v0`: the result: expected `bool`, found `i32`
                kernel k, block0, `v4: i32 = vote.ballot v0, v0`: operand `v0`: expected `bool`, found `i32`
                kernel k, block0, `v6: i32 = match.any v5, v0`: operand `v5`: expected `i32` or `i64`, found `f32`
                kernel k, block0, `v7: i64 = redux.add v0, v0`: the result: expected `i32`, found `i64`
                kernel k, block0, `v8: bool = barrier.popc v1`: the result: expected `i32`, found `bool`
                kernel k, block0, `v9: i32 = special clock64`: the result: expected `i64`, found `i32`
                kernel k, block0, `v10: bool = shuffle.up v1, v0, v0, v0`: the result: expected any type but `bool`, found `bool`
                kernel k, block0, `warp_barrier v1`: operand `v1`: expected `i32`, found `bool`
                kernel k, block0, `named_barrier.sync 16, v0`: barrier 16: expected a number from 1 to 15
                kernel k, block0, `named_barrier.arrive 0, v1`: barrier 0: expected a number from 1 to 15
                kernel k, block0, `named_barrier.arrive 0, v1`: operand `v1`: expected `i32`, found `bool`
            "#]],
        );
    }

    #[test]
    fn guards() {
        check(
            "block0: v0: i32 = param0 v1: bool = const true
             v2: f32 = guard v0 load.shared v0 guard v1 store.shared v1, v0 v3: i32 = guard v1 neg v0
             guard not v1 barrier guard v1 guard v1 store.shared v0, v0 return",
            expect![[r#"
                kernel k, block0, `v2: f32 = guard v0 load.shared v0`: operand `v0`: expected `bool`, found `i32`
                kernel k, block0, `guard v1 store.shared v1, v0`: operand `v1`: expected `i32`, found `bool`
                kernel k, block0, `v3: i32 = guard v1 neg v0`: only accesses to memory have guards, and one guard each
                kernel k, block0, `guard not v1 barrier`: only accesses to memory have guards, and one guard each
                kernel k, block0, `guard v1 guard v1 store.shared v0, v0`: only accesses to memory have guards, and one guard each
            "#]],
        );
    }

    #[test]
    fn constant_data() {
        check(
            "const0 a: 4 align 3 \"00000000\" const1 b: 0 align 1 \"\"
             block0: v0: i64 = address const0 v1: i64 = load.const v0 align 4 store.const v0, v0
             v2: i64 = load.const v0 align 24 v3: i64 = address const7 return",
            expect![[r#"
                kernel k, block0, `v3: i64 = address const7`: `const7` does not exist
            "#]],
        );
        check(
            "const0 a: 4 align 3 \"00000000\" const1 b: 0 align 1 \"\"
             block0: v0: i64 = address const0 v1: i64 = load.const v0 align 4 store.const v0, v0
             v2: i64 = load.const v0 align 24 v3: i64 = load.const v0 read_only return",
            expect![[r#"
                kernel k: `const0` is aligned to 3 bytes: expected a power of two
                kernel k: `const1` has no size
                kernel k, block0, `v1: i64 = load.const v0 align 4`: aligned to 4 bytes: expected a power of two, at least 8
                kernel k, block0, `store.const v0, v0`: memory of the space `const` is not written
                kernel k, block0, `v2: i64 = load.const v0 align 24`: aligned to 24 bytes: expected a power of two, at least 8
                kernel k, block0, `v3: i64 = load.const v0 read_only`: memory of the space `const` is never read-only: expected `global`
            "#]],
        );
        let too_much = |func: &mut Function| {
            let bytes = vec![0; 65_537];
            func.consts.push(crate::ir::ConstData { name: "large".into(), bytes, align: 4 });
        };
        check_changed(
            "kernel k() { block0: return }",
            too_much,
            expect![[r#"
            module: the kernels have 65537 bytes of constant data: expected at most 65536
        "#]],
        );
    }

    #[test]
    fn texts_of_panics() {
        check(
            "panic0 message \"a text\" panic1 index \"x\" panic2 unwrap \"x\" block0: return",
            expect![[r#"
                kernel k: `panic2` of kind `unwrap` has a text of its own: expected `message`, `formatted`, or a kind of an index
            "#]],
        );
    }
}
