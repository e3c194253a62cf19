//! Finds the computation of the thread's index in a kernel, and replaces it by the index of an element.

use crate::analysis::thread_index;
use crate::ir::{
    BinaryOp, Block, BlockCall, Coarsen, ConvertOp, Function, InstData, SourceLoc, SpecialRegister, Type,
    Value,
};
use crate::passes::renames::Renames;

/// The index of the element that the body works on.
#[derive(Debug)]
pub(super) struct Index {
    /// The new entry. It computes `base`, and goes to `header` with the number 0.
    pub(super) entry: Block,
    /// Takes the number of an element of the thread, computes `narrow` and `wide`, and goes to the body.
    pub(super) header: Block,
    /// The first block of the body.
    pub(super) first: Block,
    /// The index of the thread's first element: `i64` if `is_wide`, else `i32`.
    pub(super) base: Value,
    /// The index as `i32`.
    pub(super) narrow: Value,
    /// The index as `i64`.
    pub(super) wide: Value,
    /// Indices may be beyond 32 bits.
    pub(super) is_wide: bool,
}

/// Adds instructions at the end of a block.
pub(super) struct Code<'f> {
    pub(super) func: &'f mut Function,
    pub(super) block: Block,
    pub(super) location: SourceLoc,
}

impl Code<'_> {
    pub(super) fn value(&mut self, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.func.blocks[self.block].insts.push(inst);
        value
    }

    pub(super) fn effect(&mut self, data: InstData) {
        let inst = self.func.make_inst(data, None, self.location);
        self.func.blocks[self.block].insts.push(inst);
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.value(InstData::Const { bits: bits & ty.mask() }, ty)
    }

    pub(super) fn binary(&mut self, op: BinaryOp, args: [Value; 2]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(InstData::Binary { op, args, no_unsigned_wrap: false }, ty)
    }

    /// The exact result fits.
    pub(super) fn exact(&mut self, op: BinaryOp, args: [Value; 2]) -> Value {
        let ty = self.func.ty(args[0]);
        self.value(InstData::Binary { op, args, no_unsigned_wrap: true }, ty)
    }

    /// With zeros if it becomes wider.
    pub(super) fn resize(&mut self, value: Value, to: Type) -> Value {
        let from = self.func.ty(value);
        let op = if from.bits() < to.bits() { ConvertOp::ZeroExtend } else { ConvertOp::Truncate };
        if from == to { value } else { self.value(InstData::Convert { op, arg: value }, to) }
    }

    pub(super) fn jump(&mut self, block: Block, args: Vec<Value>) {
        self.effect(InstData::Jump { target: BlockCall { block, args } });
    }

    pub(super) fn branch(&mut self, cond: Value, if_true: BlockCall, if_false: BlockCall) {
        self.effect(InstData::Branch { cond, if_true, if_false, hint: None });
    }
}

impl Index {
    /// Puts two blocks before the body, the header with the index of an element instead of the thread's. None if
    /// the kernel does not ask for that.
    pub(super) fn split(func: &mut Function, coarsen: Coarsen) -> Option<Index> {
        let found: Vec<(Value, bool)> = func
            .layout
            .iter()
            .flat_map(|&block| &func.blocks[block].insts)
            .filter_map(|&inst| func.results[inst])
            .filter_map(|value| Some((value, thread_index(func, value)?)))
            .collect();
        if found.is_empty() {
            return None;
        }
        let is_wide = found.iter().any(|&(_, is_wide)| is_wide);
        let first = func.entry();
        let [entry, header] = [(); 2].map(|()| func.make_block());
        let ty = if is_wide { Type::I64 } else { Type::I32 };

        let mut code = Code { func, block: entry, location: coarsen.location };
        let registers = [SpecialRegister::CtaidX, SpecialRegister::NtidX, SpecialRegister::TidX];
        let [block, size, thread] = registers.map(|register| {
            let value = code.value(InstData::Special { register }, register.ty());
            code.resize(value, ty)
        });
        let before = code.exact(BinaryOp::Mul, [block, size]);
        let thread = code.exact(BinaryOp::Add, [before, thread]);
        let by = code.constant(ty, coarsen.by.into());
        let base = code.exact(BinaryOp::Mul, [thread, by]);
        let zero = code.constant(Type::I32, 0);
        code.jump(header, vec![zero]);

        let number = code.func.add_block_param(header, Type::I32);
        code.block = header;
        let (narrow, wide) = code.element(base, number);
        code.jump(first, Vec::new());

        let mut renames = Renames::new(func);
        for (value, _) in found {
            renames.replace(value, if func.ty(value) == Type::I64 { wide } else { narrow });
        }
        renames.apply(func);
        func.layout.splice(0..0, [entry, header]);
        Some(Index { entry, header, first, base, narrow, wide, is_wide })
    }
}

impl Index {
    /// The blocks of the body.
    pub(super) fn body<'f>(&self, func: &'f Function) -> impl Iterator<Item = Block> + use<'f> {
        let (entry, header) = (self.entry, self.header);
        func.layout.iter().copied().filter(move |&block| block != entry && block != header)
    }
}

impl Code<'_> {
    /// The index of an element by its number in the thread, in both widths.
    pub(super) fn element(&mut self, base: Value, number: Value) -> (Value, Value) {
        let number = self.resize(number, self.func.ty(base));
        let index = self.exact(BinaryOp::Add, [base, number]);
        (self.resize(index, Type::I32), self.resize(index, Type::I64))
    }
}
