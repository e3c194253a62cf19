//! The forms of asynchronous copies and of barriers in memory.

use ptx_gen::ptx::tree::{Instruction, Keyword, Operand, ScalarType, StateSpace};

use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::backend::sim::exec::asynchronous::{Asynchronous, Change, Taken};
use crate::backend::sim::op::{Op, Space};
use crate::backend::sim::registers::{Class, Slot};

impl Decoder<'_> {
    fn push_asynchronous(&mut self, what: Asynchronous) {
        let index = self.asynchronous.len() as u32;
        self.asynchronous.push(what);
        self.push(Op::Asynchronous { index });
    }

    fn word(&mut self, operand: &Operand) -> Result<Slot, Refusal> {
        self.source(operand, Class::W, ScalarType::U32)
    }

    fn number(operand: &Operand) -> Result<u32, Refusal> {
        match operand {
            Operand::Immediate(immediate) => Ok(super::immediate_bits(*immediate, ScalarType::U32) as u32),
            _ => Err(Refusal::new("expected a number")),
        }
    }

    /// `cp.async` and what belongs to it.
    pub(super) fn copy(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        if !words.take(Keyword::Async) {
            return Err(Refusal::new("the simulator does not have this copy"));
        }
        let bulk = words.take(Keyword::Bulk);
        if words.take(Keyword::CommitGroup) {
            words.finish()?;
            // Bulk copies are complete at once.
            match bulk {
                true => self.push(Op::Nothing),
                false => self.push_asynchronous(Asynchronous::Commit),
            }
            return Ok(());
        }
        if words.take(Keyword::WaitGroup) {
            words.take(Keyword::Read);
            words.finish()?;
            let [but] = operands(instruction)?;
            let but = Self::number(but)?;
            match bulk {
                true => self.push(Op::Nothing),
                false => self.push_asynchronous(Asynchronous::Wait { but }),
            }
            return Ok(());
        }
        if words.take(Keyword::WaitAll) {
            words.finish()?;
            self.push_asynchronous(Asynchronous::WaitAll);
            return Ok(());
        }
        if words.take(Keyword::Mbarrier) {
            words.take(Keyword::Arrive);
            words.take(Keyword::Noinc);
            let space = words.space();
            words.ty()?;
            words.finish()?;
            let [address] = operands(instruction)?;
            let address = self.address(address, space)?;
            self.push_asynchronous(Asynchronous::ArriveOnCopies { address });
            return Ok(());
        }
        let hinted = words.take(Keyword::L2CacheHint);
        if bulk {
            return self.bulk(instruction, words, hinted);
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

    /// `cp.async.bulk` between shared and global memory.
    fn bulk(&mut self, instruction: &Instruction, mut words: Words<'_>, hinted: bool) -> Result<(), Refusal> {
        if words.take(Keyword::Prefetch) {
            self.push(Op::Nothing);
            return Ok(());
        }
        let (to, from) = (words.space(), words.space());
        let with_barrier = words.take(Keyword::MbarrierCompleteTxBytes);
        words.take(Keyword::BulkGroup);
        words.finish()?;
        if (to, from) == (Some(StateSpace::SharedCluster), Some(StateSpace::SharedCta)) {
            return Err(Refusal::new("copies between the blocks of a cluster are not simulated"));
        }
        let expected = 3 + usize::from(with_barrier) + usize::from(hinted);
        let [target, source, bytes, rest @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected two addresses and a size"));
        };
        if instruction.operands.len() != expected {
            return Err(Refusal::new(format!("expected {expected} operands")));
        }
        let barrier = match (with_barrier, rest) {
            (true, [barrier, ..]) => Some(self.address(barrier, Some(StateSpace::Shared))?),
            _ => None,
        };
        let bytes = self.word(bytes)?;
        let (to, from) = (self.address(target, to)?, self.address(source, from)?);
        self.push_asynchronous(Asynchronous::Bulk { to, from, bytes, barrier });
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
