//! Adds instructions at the end of a block, for the passes that make code for records of the host.

use crate::ir::{
    BinaryOp, Block, BlockCall, CacheHints, Function, InlineData, InstData, IntCond, MemoryOrder,
    MemoryScope, Param, SourceLoc, Space, SpecialRegister, Type, Value,
};

/// Scope of the atomic operations that the host observes.
pub(super) const TO_HOST: MemoryScope = MemoryScope::System;

/// Adds instructions at the end of a block.
pub(super) struct Appender<'a> {
    pub(super) func: &'a mut Function,
    pub(super) block: Block,
    pub(super) location: SourceLoc,
}

impl Appender<'_> {
    pub(super) fn effect(&mut self, data: InstData) {
        let inst = self.func.make_inst(data, None, self.location);
        self.func.blocks[self.block].insts.push(inst);
    }

    pub(super) fn value(&mut self, data: InstData, ty: Type) -> Value {
        let (inst, value) = self.func.make_value(data, ty, self.location);
        self.func.blocks[self.block].insts.push(inst);
        value
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.value(InstData::Const { bits }, ty)
    }

    pub(super) fn special(&mut self, register: SpecialRegister) -> Value {
        self.value(InstData::Special { register }, Type::I32)
    }

    /// Computes a number of the operands' type.
    pub(super) fn binary(&mut self, op: BinaryOp, a: Value, b: Value) -> Value {
        let ty = self.func.ty(a);
        self.value(InstData::Binary { op, args: [a, b], no_unsigned_wrap: false }, ty)
    }

    pub(super) fn compare(&mut self, cond: IntCond, a: Value, b: Value) -> Value {
        self.value(InstData::IntCompare { cond, args: [a, b] }, Type::Bool)
    }

    /// Tests that all three are zero.
    pub(super) fn is_first(&mut self, registers: [SpecialRegister; 3]) -> Value {
        let [x, y, z] = registers.map(|register| self.special(register));
        let row = self.binary(BinaryOp::Or, x, y);
        let any = self.binary(BinaryOp::Or, row, z);
        let zero = self.constant(Type::I32, 0);
        self.compare(IntCond::Eq, any, zero)
    }

    /// Tests that a thread has claimed the panic record.
    pub(super) fn has_panicked(&mut self, record: Param) -> Value {
        let address = self.value(InstData::Param { param: record }, Type::I64);
        let load = InstData::AtomicLoad {
            space: Space::Global,
            scope: TO_HOST,
            order: MemoryOrder::Relaxed,
            address,
        };
        let claimed = self.value(load, Type::I32);
        let none = self.constant(Type::I32, 0);
        self.compare(IntCond::Ne, claimed, none)
    }

    /// Ends the launch, when what was written is there for the host.
    pub(super) fn stop_launch(&mut self) {
        self.effect(InstData::Fence { scope: TO_HOST, order: MemoryOrder::SeqCst });
        let trap = InlineData {
            text: "trap;".to_owned(),
            outs: Vec::new(),
            ins: Vec::new(),
            memory: true,
            collective: None,
        };
        let asm = self.func.inlines.push(trap);
        self.effect(InstData::InlineEffect { asm, args: Vec::new() });
        self.effect(InstData::Return);
    }

    pub(super) fn jump(&mut self, block: Block, args: Vec<Value>) {
        self.effect(InstData::Jump { target: BlockCall { block, args } });
    }

    /// Goes on at the first block if the condition holds, else at the other.
    pub(super) fn branch(&mut self, cond: Value, (block, args): (Block, Vec<Value>), if_false: Block) {
        let (if_true, if_false) =
            (BlockCall { block, args }, BlockCall { block: if_false, args: Vec::new() });
        self.effect(InstData::Branch { cond, if_true, if_false, hint: None });
    }

    /// Stores in global memory, at an offset from an address.
    pub(super) fn store_at(&mut self, address: Value, offset: i32, value: Value) {
        self.effect(InstData::Store {
            space: Space::Global,
            address,
            offset,
            align: None,
            value,
            cache: CacheHints::NORMAL,
        });
    }

    /// Stores a value at a constant offset from the address.
    pub(super) fn store(&mut self, address: Value, offset: usize, value: Value) {
        self.store_at(address, offset as i32, value);
    }

    /// Stores the block's and the thread's index, at these offsets from an address.
    pub(super) fn store_position(&mut self, address: Value, block: i32, thread: i32) {
        const BLOCK: [SpecialRegister; 3] =
            [SpecialRegister::CtaidX, SpecialRegister::CtaidY, SpecialRegister::CtaidZ];
        const THREAD: [SpecialRegister; 3] =
            [SpecialRegister::TidX, SpecialRegister::TidY, SpecialRegister::TidZ];
        for (start, registers) in [(block, BLOCK), (thread, THREAD)] {
            for (axis, register) in registers.into_iter().enumerate() {
                let value = self.value(InstData::Special { register }, Type::I32);
                self.store_at(address, start + 4 * axis as i32, value);
            }
        }
    }
}
