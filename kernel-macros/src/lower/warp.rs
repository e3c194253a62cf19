//! Collectives of a warp: shuffles and votes; votes of a block.

use ptx::tree::ScalarType;
use ptx_gen::inline::placeholder;
use ptx_gen::ir::{
    BarrierOp, BinaryOp as Op, Collective, ConvertOp, InlineData, IntCond, MatchMode, ReduxOp, ShuffleMode,
    Type, Value, VoteMode,
};

use super::{Lowered, Lowerer, Values};
use crate::builtins::{GroupOperands, Product};
use crate::typed::Expr;

/// The lanes that take part in a shuffle: all.
const ALL_LANES: u64 = 0xffff_ffff;

/// The operands of a shuffle.
#[derive(Clone, Copy)]
struct Shuffle {
    mode: ShuffleMode,
    /// Distance, mask or lane.
    lane: Value,
    /// The segments (PTX ISA, `shfl.sync`): bits 12:8 are those that all lanes of one have in common, bits 4:0 its first lane
    /// for `up`, else its last.
    clamp: Value,
    members: Value,
}

impl Lowerer<'_> {
    /// A shuffle of a value, lane by lane of a vector; with a width, within segments of so many lanes.
    pub(super) fn shuffle(&mut self, mode: ShuffleMode, args: &[Expr], with_width: bool) -> Lowered {
        let (members, args) = self.members(args, if with_width { 3 } else { 2 })?;
        let values = self.expr(&args[0])?;
        let mut lane = self.scalar(&args[1])?;
        let bits = self.b.ty(lane).bits();
        if bits != 32 {
            let to_lane = if bits > 32 { ConvertOp::Truncate } else { ConvertOp::ZeroExtend };
            lane = self.b.convert(to_lane, lane, Type::I32);
        }
        let last = match mode {
            ShuffleMode::Up => 0,
            ShuffleMode::Down | ShuffleMode::Xor | ShuffleMode::Idx => 0x1f,
        };
        let mut clamp = self.b.constant(Type::I32, last);
        if with_width {
            let width = self.scalar(&args[2])?;
            let (all, eight) = (self.b.constant(Type::I32, 32), self.b.constant(Type::I32, 8));
            let others = self.b.binary(Op::Sub, all, width);
            let segment = self.b.binary(Op::Shl, others, eight);
            clamp = self.b.binary(Op::Or, segment, clamp);
        }
        let how = Shuffle { mode, lane, clamp, members };
        // Lanes of 16 bits go in pairs.
        if let Some(ty @ (Type::F16 | Type::BF16)) = values.first().map(|&value| self.b.ty(value))
            && values.len() % 2 == 0
            && values.iter().all(|&value| self.b.ty(value) == ty)
        {
            let pairs = values.chunks_exact(2).map(|pair| self.shuffle_pair([pair[0], pair[1]], ty, how));
            return Ok(pairs.collect::<Vec<_>>().concat());
        }
        Ok(values.into_iter().map(|value| self.shuffle_value(value, how)).collect())
    }

    /// Two values of 16 bits as one of 32.
    fn shuffle_pair(&mut self, pair: [Value; 2], ty: Type, how: Shuffle) -> [Value; 2] {
        let [low, high] = pair.map(|value| {
            let bits = self.b.convert(ConvertOp::Bitcast, value, Type::I16);
            self.b.convert(ConvertOp::ZeroExtend, bits, Type::I32)
        });
        let sixteen = self.b.constant(Type::I32, 16);
        let high = self.b.binary(Op::Shl, high, sixteen);
        let word = self.b.binary(Op::Or, low, high);
        let moved = self.shuffle_value(word, how);
        let high = self.b.binary(Op::LShr, moved, sixteen);
        [moved, high].map(|word| {
            let bits = self.b.convert(ConvertOp::Truncate, word, Type::I16);
            self.b.convert(ConvertOp::Bitcast, bits, ty)
        })
    }

    fn shuffle_value(&mut self, value: Value, how: Shuffle) -> Value {
        if self.b.ty(value) == Type::Bool {
            let wide = self.b.convert(ConvertOp::ZeroExtend, value, Type::I32);
            let moved = self.shuffle_value(wide, how);
            return self.is_zero(moved, IntCond::Ne);
        }
        self.b.shuffle(how.mode, value, [how.lane, how.clamp, how.members])
    }

    /// The member mask of a collective: its first argument if it has `count + 1` of them, else all lanes.
    fn members<'a>(&mut self, args: &'a [Expr], count: usize) -> Lowered<(Value, &'a [Expr])> {
        match args.split_first() {
            Some((members, rest)) if rest.len() == count => Ok((self.scalar(members)?, rest)),
            _ => Ok((self.b.constant(Type::I32, ALL_LANES), args)),
        }
    }

    /// `warp::ballot(p)` and its like.
    pub(super) fn vote(&mut self, mode: VoteMode, args: &[Expr]) -> Lowered {
        let (members, args) = self.members(args, 1)?;
        let pred = self.scalar(&args[0])?;
        Ok(vec![self.b.vote(mode, pred, members)])
    }

    /// `warp::match_any(v)`, `warp::match_all(v)`: values are the same if their bits are, vectors if their lanes are.
    pub(super) fn match_lanes(&mut self, mode: MatchMode, args: &[Expr]) -> Lowered {
        let (members, args) = self.members(args, 1)?;
        let lanes = self.expr(&args[0])?.into_iter().map(|value| {
            let bits = self.word_of(value);
            self.b.match_lanes(mode, bits, members)
        });
        let lanes: Values = lanes.collect();
        let same = lanes[1..].iter().fold(lanes[0], |same, &lane| self.b.binary(Op::And, same, lane));
        Ok(vec![match mode {
            MatchMode::Any => same,
            MatchMode::All => self.is_zero(same, IntCond::Ne),
        }])
    }

    /// The bits of a scalar as an integer of 32 or 64.
    fn word_of(&mut self, value: Value) -> Value {
        let ty = self.b.ty(value);
        let bits = match ty.bits() {
            16 => Type::I16,
            32 => Type::I32,
            _ => Type::I64,
        };
        let value = if ty.is_float() { self.b.convert(ConvertOp::Bitcast, value, bits) } else { value };
        if ty.bits() < 32 { self.b.convert(ConvertOp::ZeroExtend, value, Type::I32) } else { value }
    }

    /// A barrier with a number, which the library has checked to be a constant.
    pub(super) fn named_barrier(&mut self, waits: bool, args: &[Expr]) -> Lowered {
        let id = self.scalar(&args[0])?;
        let threads = self.scalar(&args[1])?;
        let threads = self.b.convert(ConvertOp::Truncate, threads, Type::I32);
        let id = self.b.function().constant(id).unwrap_or_default() as u32;
        self.b.named_barrier(id, threads, waits);
        Ok(Values::new())
    }

    /// `block::any(p)` and its like.
    pub(super) fn vote_of_block(&mut self, op: BarrierOp, args: &[Expr]) -> Lowered {
        let pred = self.scalar(&args[0])?;
        Ok(vec![self.b.barrier_reduce(op, pred)])
    }

    /// `warp::redux_add_sync(mask, v)`: the operation for signed and for unsigned integers.
    pub(super) fn redux(&mut self, args: &[Expr], [signed, unsigned]: [ReduxOp; 2]) -> Lowered {
        let (members, args) = self.members(args, 1)?;
        let value = self.scalar(&args[0])?;
        let op = if self.types.scalar(&args[0].ty).is_signed() { signed } else { unsigned };
        Ok(vec![self.b.redux(op, value, members)])
    }

    /// `dot4(a, b, c)`: one `dp4a` (PTX ISA).
    pub(super) fn dot4(&mut self, args: &[Expr]) -> Lowered {
        let operands: Values = args.iter().map(|arg| self.scalar(arg)).collect::<Result<_, _>>()?;
        let [a, b] = [0, 1].map(|index| match self.types.scalar(&args[index].ty).is_signed() {
            true => "s32",
            false => "u32",
        });
        let registers: Vec<String> = (0..4).map(placeholder).collect();
        let text = format!("dp4a.{a}.{b} {};", registers.join(", "));
        let (outs, ins) = (vec![Type::I32], vec![Type::I32; 3]);
        let asm = self.b.add_inline(InlineData { text, outs, ins, memory: false, collective: None });
        Ok(self.b.inline(asm, operands, false))
    }

    /// `warp::mma(a, b, c)`, or another product: one `mma.sync` (PTX ISA, "Matrix Fragments for mma"). Elements of 16 bits go in pairs.
    pub(super) fn matrix_product(&mut self, product: Option<Product>, args: &[Expr]) -> Lowered {
        let mut operands = Values::new();
        let mut registers = Vec::new();
        for arg in args {
            let values = self.expr(arg)?;
            let before = operands.len();
            match self.b.ty(values[0]) {
                Type::F16 | Type::BF16 => {
                    operands.extend(values.chunks_exact(2).map(|pair| self.b.pack(pair[0], pair[1])));
                }
                _ => operands.extend(values),
            }
            registers.push(before..operands.len());
        }
        let ins: Vec<Type> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let outs = ins[registers[2].clone()].to_vec();
        let instruction = product.map_or_else(
            || {
                let element = if ins[0] == Type::F16x2 { "f16" } else { "bf16" };
                // Four elements of K in each register of the right matrix, over the four lanes of a column.
                let k = 8 * registers[1].len();
                let sparse = if registers.len() > 3 { ".sp::ordered_metadata" } else { "" };
                format!("mma{sparse}.sync.aligned.m16n8k{k}.row.col.f32.{element}.{element}.f32")
            },
            |product| product.instruction().to_owned(),
        );
        let group = |registers: std::ops::Range<usize>| {
            format!("{{{}}}", registers.map(placeholder).collect::<Vec<_>>().join(", "))
        };
        let count = outs.len();
        let mut groups = vec![group(0..count)];
        let after_results = |range: &std::ops::Range<usize>| range.start + count..range.end + count;
        groups.extend(registers.iter().take(3).map(|range| group(after_results(range))));
        // The metadata of a sparse product, of which the first lanes of each four have what counts.
        groups
            .extend(registers.iter().skip(3).map(|range| format!("{}, 0", placeholder(range.start + count))));
        let text = format!("{instruction} {};", groups.join(", "));
        let asm = self.b.add_inline(InlineData {
            text,
            outs,
            ins,
            memory: false,
            collective: Some(Collective::Warp),
        });
        let sums = self.b.inline(asm, operands, false);
        let lanes = sums.into_iter().flat_map(|sum| match self.b.ty(sum) {
            Type::F16x2 => vec![self.b.extract(sum, 0), self.b.extract(sum, 1)],
            _ => vec![sum],
        });
        Ok(lanes.collect())
    }

    /// `warp::group_products_f16(sums, left, right, adds)` and its like: a committed group of `wgmma` (PTX ISA, "Asynchronous Warpgroup Level Matrix
    /// Instructions") and the wait for it in one text. The sums of its instructions stay in the same registers: `ptxas` serialises a group that
    /// anything else moves.
    pub(super) fn group_products(&mut self, of: GroupOperands, args: &[Expr]) -> Lowered {
        let sums = self.expr(&args[0])?;
        let [mut left, right] = [self.expr(&args[1])?, self.expr(&args[2])?];
        let count = sums.len();
        // Elements in registers, two in each, four registers for a product; or a descriptor for each.
        let in_registers = self.b.ty(left[0]) != Type::I64;
        if in_registers {
            left = left.chunks_exact(2).map(|pair| self.b.pack(pair[0], pair[1])).collect();
        }
        let register = if self.b.ty(sums[0]) == Type::F32 { ScalarType::F32 } else { ScalarType::B32 };
        // A warp has 16 rows of the sums, a lane half a column of them.
        let (instruction, more) = of.instruction(count * 2, in_registers);
        let adds = self.expr(&args[3])?;
        let mut text = String::from(".reg .pred %first, %add;\n");
        for index in 0..count {
            text += &format!("mov.{register} {}, {};\n", placeholder(index), placeholder(count + index));
        }
        let flag = placeholder(2 * count + left.len() + right.len());
        text +=
            &format!("setp.ne.u32 %first, {flag}, 0;\nsetp.eq.u32 %add, 0, 0;\nwgmma.fence.sync.aligned;\n");
        let registers = (0..count).map(placeholder).collect::<Vec<_>>().join(", ");
        for step in 0..right.len() {
            let a = match in_registers {
                true => format!(
                    "{{{}}}",
                    (0..4).map(|at| placeholder(2 * count + 4 * step + at)).collect::<Vec<_>>().join(", ")
                ),
                false => placeholder(2 * count + step),
            };
            let b = placeholder(2 * count + left.len() + step);
            let adds = if step == 0 { "%first" } else { "%add" };
            text += &format!("{instruction} {{{registers}}}, {a}, {b}, {adds}{more};\n");
        }
        text += "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;";
        let operands: Values = [sums, left, right, adds].concat();
        let ins: Vec<Type> = operands.iter().map(|&value| self.b.ty(value)).collect();
        let outs = ins[..count].to_vec();
        let asm = self.b.add_inline(InlineData {
            text,
            outs,
            ins,
            memory: true,
            collective: Some(Collective::Warpgroup),
        });
        Ok(self.b.inline(asm, operands, false))
    }

    /// `warp::party()`, `warp::whole_block()`
    pub(super) fn marker(&mut self, collective: Collective) -> Values {
        let asm = self.b.add_inline(InlineData {
            text: String::new(),
            outs: Vec::new(),
            ins: Vec::new(),
            memory: true,
            collective: Some(collective),
        });
        self.b.inline(asm, Values::new(), false)
    }

    /// `warp::sync()`, `warp::sync_mask(mask)`
    pub(super) fn warp_sync(&mut self, args: &[Expr]) -> Lowered {
        let (members, _) = self.members(args, 0)?;
        self.b.warp_barrier(members);
        Ok(Values::new())
    }
}
