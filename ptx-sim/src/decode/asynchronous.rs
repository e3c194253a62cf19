//! The forms of asynchronous copies and of barriers in memory.

use ptx::tree::{self, Instruction, Keyword, Opcode, Operand, ScalarType, StateSpace};

use super::access::{ATOMICS, atomic_function};
use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::exec::asynchronous::{Asynchronous, Taken};
use crate::exec::bulk::{Bulk, Reduction, StoreAsync, Tensor};
use crate::exec::mbarrier::Change;
use crate::op::{Op, Space};
use crate::registers::{Class, Slot};

/// The numbers of dimensions of tensors.
const RANKS: &[(Keyword, usize)] = &[
    (Keyword::Dim1d, 1),
    (Keyword::Dim2d, 2),
    (Keyword::Dim3d, 3),
    (Keyword::Dim4d, 4),
    (Keyword::Dim5d, 5),
];

/// Decodes the function and the type of a bulk reduction.
fn reduction(words: &mut Words<'_>) -> Result<Reduction, Refusal> {
    let ty = words.ty()?;
    let function = atomic_function(words, ty)?;
    Ok(Reduction { function, size: ty.bits() / 8 })
}

impl Decoder<'_> {
    fn push_asynchronous(&mut self, what: Asynchronous) {
        let index = self.asynchronous.len() as u32;
        self.asynchronous.push(what);
        self.push(Op::Asynchronous { index });
    }

    fn word(&mut self, operand: &Operand) -> Result<Slot, Refusal> {
        self.source(operand, Class::W, ScalarType::U32)
    }

    pub(super) fn number(operand: &Operand) -> Result<u32, Refusal> {
        match operand {
            Operand::Immediate(immediate) => Ok(super::immediate_bits(*immediate, ScalarType::U32) as u32),
            _ => Err(Refusal::new("expected a number")),
        }
    }

    /// `cp.async` and what belongs to it.
    pub(super) fn copy(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let reduces = words.take(Keyword::Reduce);
        if !words.take(Keyword::Async) {
            return Err(Refusal::new("the simulator does not have this copy"));
        }
        let bulk = words.take(Keyword::Bulk);
        if words.take(Keyword::CommitGroup) {
            words.finish()?;
            self.push_asynchronous(if bulk { Asynchronous::CommitBulk } else { Asynchronous::Commit });
            return Ok(());
        }
        if words.take(Keyword::WaitGroup) {
            words.take(Keyword::Read);
            words.finish()?;
            let [but] = operands(instruction)?;
            let but = Self::number(but)?;
            self.push_asynchronous(match bulk {
                true => Asynchronous::WaitBulk { but },
                false => Asynchronous::Wait { but },
            });
            return Ok(());
        }
        if words.take(Keyword::WaitAll) {
            words.finish()?;
            self.push_asynchronous(Asynchronous::WaitAll);
            return Ok(());
        }
        if words.take(Keyword::Mbarrier) {
            words.take(Keyword::Arrive);
            let counted = words.take(Keyword::Noinc);
            let space = words.space();
            words.ty()?;
            words.finish()?;
            let [address] = operands(instruction)?;
            let address = self.address(address, space)?;
            self.push_asynchronous(Asynchronous::ArriveOnCopies { address, counted });
            return Ok(());
        }
        let hinted = words.take(Keyword::L2CacheHint);
        if bulk && words.take(Keyword::Tensor) {
            return self.tensor(instruction, words, hinted);
        }
        if bulk {
            return self.bulk(instruction, words, hinted, reduces);
        }
        for word in [Keyword::Ca, Keyword::Cg, Keyword::L264B, Keyword::L2128B, Keyword::L2256B] {
            words.take(word);
        }
        let ignore = words.take(Keyword::IgnoreOob);
        let (to, from) = (words.space(), words.space());
        words.finish()?;
        if ignore {
            return Err(Refusal::new("`.ignore_oob` is not simulated"));
        }
        let [target, source, size, rest @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected two addresses and a size"));
        };
        let bytes = Self::number(size)?;
        if !matches!(bytes, 4 | 8 | 16) {
            return Err(Refusal::new(format!("a copy of {bytes} bytes: there are 4, 8 and 16")));
        }
        let taken = match rest {
            [] => Taken::All,
            [_] if hinted => Taken::All,
            [operand, ..] => match self.predicate(operand) {
                Ok(skip) if !matches!(operand, Operand::Immediate(_)) => Taken::Unless(skip),
                Ok(_) | Err(_) => Taken::Bytes(self.word(operand)?),
            },
        };
        let (to, from) = (self.address(target, to)?, self.address(source, from)?);
        self.push_asynchronous(Asynchronous::Copy { to, from, bytes, taken });
        Ok(())
    }

    /// `cp.async.bulk` between shared and global memory, or the blocks of a cluster, and `cp.reduce.async.bulk`.
    fn bulk(
        &mut self,
        instruction: &Instruction,
        mut words: Words<'_>,
        hinted: bool,
        reduces: bool,
    ) -> Result<(), Refusal> {
        if words.take(Keyword::Prefetch) {
            self.push(Op::Nothing);
            return Ok(());
        }
        let (to, from) = (words.space(), words.space());
        let with_barrier = words.take(Keyword::MbarrierCompleteTxBytes);
        words.take(Keyword::BulkGroup);
        let multicast = words.take(Keyword::MulticastCluster);
        words.take(Keyword::Noftz);
        let reduction = if reduces { Some(reduction(&mut words)?) } else { None };
        words.finish()?;
        let expected = 3 + usize::from(with_barrier) + usize::from(multicast) + usize::from(hinted);
        let [target, source, bytes, rest @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected two addresses and a size"));
        };
        if instruction.operands.len() != expected {
            return Err(Refusal::new(format!("expected {expected} operands")));
        }
        let (barrier, rest) = match (with_barrier, rest) {
            (true, [barrier, rest @ ..]) => (Some(self.address(barrier, Some(StateSpace::Shared))?), rest),
            (_, rest) => (None, rest),
        };
        let multicast = match rest {
            [blocks, ..] if multicast => Some(self.source(blocks, Class::W, ScalarType::U16)?),
            _ => None,
        };
        let bytes = self.word(bytes)?;
        let (to, from) = (self.address(target, to)?, self.address(source, from)?);
        let bulk = Bulk { to, from, bytes, barrier, reduction, multicast };
        self.push_asynchronous(Asynchronous::Bulk(bulk));
        Ok(())
    }

    /// `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor`.
    fn tensor(
        &mut self,
        instruction: &Instruction,
        mut words: Words<'_>,
        hinted: bool,
    ) -> Result<(), Refusal> {
        if words.take(Keyword::Prefetch) {
            self.push(Op::Nothing);
            return Ok(());
        }
        let rank =
            words.take_any(RANKS).ok_or_else(|| Refusal::new("the number of dimensions is missing"))?;
        let (to, from) = (words.space(), words.space());
        let loads = words.take(Keyword::MbarrierCompleteTxBytes);
        words.take(Keyword::Tile);
        words.take(Keyword::BulkGroup);
        let multicast = words.take(Keyword::MulticastCluster);
        let reduction = words.take_any(ATOMICS);
        for (word, name) in [(Keyword::Im2col, "im2col"), (Keyword::Im2colNoOffs, "im2col_no_offs")] {
            if words.take(word) {
                return Err(Refusal::new(format!("tensors as `.{name}` are not simulated: `.tile` is")));
            }
        }
        words.finish()?;
        let expected = 2 + usize::from(loads) + usize::from(multicast) + usize::from(hinted);
        let [first, second, rest @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected two addresses"));
        };
        if instruction.operands.len() != expected {
            return Err(Refusal::new(format!("expected {expected} operands")));
        }
        let (shared, map, space) = if loads { (first, second, to) } else { (second, first, from) };
        let Operand::Address(place) = map else { return Err(Refusal::new("expected a tensor map")) };
        let written = match place.coordinates.as_slice() {
            [Operand::Vector(written)] => written.as_slice(),
            written => written,
        };
        if written.len() != rank {
            return Err(Refusal::new(format!("expected {rank} coordinates, found {}", written.len())));
        }
        let mut coordinates = Vec::new();
        for coordinate in written {
            coordinates.push(self.source(coordinate, Class::W, ScalarType::S32)?);
        }
        let bare = tree::Address { coordinates: Vec::new(), ..place.clone() };
        let map = self.address(&Operand::Address(bare), None)?;
        let shared = self.address(shared, space)?;
        let barrier = match rest {
            [barrier, ..] if loads => Some(self.address(barrier, Some(StateSpace::Shared))?),
            _ => None,
        };
        let multicast = match rest {
            [_, blocks, ..] if multicast => Some(self.source(blocks, Class::W, ScalarType::U16)?),
            _ => None,
        };
        let tensor = Tensor { map, coordinates, shared, barrier, multicast, reduction };
        self.push_asynchronous(Asynchronous::Tensor(tensor));
        Ok(())
    }

    /// `st.async` and `red.async`.
    pub(super) fn store_async(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        words.take(Keyword::Async);
        for word in [Keyword::Weak, Keyword::Relaxed, Keyword::Cluster, Keyword::MbarrierCompleteTxBytes] {
            words.take(word);
        }
        let space = words.space();
        let count = words.take_any(&[(Keyword::V2, 2), (Keyword::V4, 4)]).unwrap_or(1);
        let (ty, reduction) = if instruction.opcode == Opcode::Red {
            let Reduction { function, size } = reduction(&mut words)?;
            (if size == 8 { ScalarType::B64 } else { ScalarType::B32 }, Some(function))
        } else {
            (words.ty()?, None)
        };
        words.finish()?;
        let (size, class) = if ty.bits() == 64 { (8, Class::D) } else { (4, Class::W) };
        let [target, source, barrier] = operands(instruction)?;
        let mut values = Vec::new();
        for operand in &*self.elements(source, count)? {
            values.push(self.source(operand, class, ty)?);
        }
        let (to, barrier) = (self.address(target, space)?, self.address(barrier, space)?);
        self.push_asynchronous(Asynchronous::Store(StoreAsync { to, values, size, barrier, reduction }));
        Ok(())
    }

    /// `mbarrier`
    pub(super) fn mbarrier(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let operation = [
            Keyword::Init,
            Keyword::Inval,
            Keyword::ArriveDrop,
            Keyword::Arrive,
            Keyword::CompleteTx,
            Keyword::TestWait,
            Keyword::TryWait,
            Keyword::PendingCount,
        ]
        .into_iter()
        .find(|word| words.take(*word));
        let expect = words.take(Keyword::ExpectTx);
        let parity = words.take(Keyword::Parity);
        for word in [
            Keyword::NoComplete,
            Keyword::Release,
            Keyword::Acquire,
            Keyword::Relaxed,
            Keyword::Cta,
            Keyword::Cluster,
        ] {
            words.take(word);
        }
        let space = words.space();
        words.ty()?;
        words.finish()?;
        let all = instruction.operands.as_slice();
        let wrong = || Refusal::new("the number of operands does not fit the operation");
        if operation == Some(Keyword::PendingCount) {
            let [target, state] = operands(instruction)?;
            let state = self.source(state, Class::D, ScalarType::B64)?;
            let target = self.target(target, Class::W)?;
            self.push_asynchronous(Asynchronous::PendingCount { target, state });
            return Ok(());
        }
        let (address, change) = match (operation, all) {
            (Some(Keyword::Init), [address, count]) => (address, Change::Init { count: self.word(count)? }),
            (Some(Keyword::Inval), [address]) => (address, Change::Invalidate),
            (Some(Keyword::CompleteTx), [address, bytes]) => {
                (address, Change::Complete { bytes: self.word(bytes)? })
            }
            (None, [address, bytes]) if expect => (address, Change::Expect { bytes: self.word(bytes)? }),
            (Some(word @ (Keyword::Arrive | Keyword::ArriveDrop)), all) => {
                let drop = word == Keyword::ArriveDrop;
                let (state, address, rest) = match all {
                    [address @ Operand::Address(_), rest @ ..] => (None, address, rest),
                    [Operand::Discard, address, rest @ ..] => (None, address, rest),
                    [state, address, rest @ ..] => (Some(self.target(state, Class::D)?), address, rest),
                    _ => return Err(wrong()),
                };
                let number = match rest {
                    [] => None,
                    [number] => Some(self.word(number)?),
                    _ => return Err(wrong()),
                };
                let (count, expect) = if expect { (None, number) } else { (number, None) };
                (address, Change::Arrive { state, count, expect, drop })
            }
            (Some(Keyword::TestWait | Keyword::TryWait), [target, address, which, ..]) => {
                let change = if parity {
                    let parity = self.word(which)?;
                    Change::TestParity { target: self.target(target, Class::P)?, parity }
                } else {
                    let state = self.source(which, Class::D, ScalarType::B64)?;
                    Change::Test { target: self.target(target, Class::P)?, state }
                };
                (address, change)
            }
            _ => return Err(wrong()),
        };
        let address = self.address(address, space)?;
        if !matches!(address.space, Space::Shared | Space::Generic) {
            return Err(Refusal::new("barriers are in shared memory"));
        }
        self.push_asynchronous(Asynchronous::Barrier { address, change });
        Ok(())
    }
}
