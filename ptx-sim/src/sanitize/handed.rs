//! Values that are missing in arguments and results: calls hand them over as they are.

use super::BlockChecks;
use super::values::{Origin, Register, Source, Undefined};
use crate::fault::Touch;
use crate::registers::Class;

/// Destination of an argument or result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Destination {
    Register(Register),
    /// Bytes of the local memory of the warp, from here on.
    Local(usize),
}

/// An argument or a result of a lane: the undefined bits of each byte, and their origin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Missing {
    masks: Vec<u8>,
    origin: Origin,
}

/// A transfer that takes effect when the values are in their places.
#[derive(Debug)]
pub(crate) struct Handed {
    lane: usize,
    to: Destination,
    missing: Missing,
}

impl BlockChecks<'_> {
    /// Undefined bits of an argument or result of a lane.
    pub(crate) fn missing_of(
        &mut self,
        warp: usize,
        lane: usize,
        pc: usize,
        from: Destination,
        bytes: usize,
    ) -> Missing {
        match from {
            Destination::Register(register) => {
                self.values[warp].note_read(register, 1 << lane, pc);
                self.values[warp].get(register).map_or_else(Missing::default, |undefined| Missing {
                    masks: undefined.bits[lane].to_le_bytes().to_vec(),
                    origin: undefined.origins[lane],
                })
            }
            Destination::Local(start) => {
                let Some((masks, origin)) = self.missing_local(warp, start as u64, bytes) else {
                    return Missing::default();
                };
                let address =
                    (start as u64).checked_rem(u64::from(self.kernel.info.frame_bytes)).unwrap_or(0);
                let touch = Touch { space: "local", write: false, address, bytes: bytes as u32 };
                let partly = masks.iter().any(|&mask| mask != u8::MAX);
                let source = Source::Memory { touch, partly };
                Missing { masks, origin: origin.unwrap_or(Origin { pc, source }) }
            }
        }
    }

    /// Hands it over once the value is in its place.
    pub(crate) fn hand_over(&mut self, lane: usize, to: Destination, missing: Missing) {
        self.handed.push(Handed { lane, to, missing });
    }

    /// The values are in their places.
    pub(crate) fn handed_over(&mut self, warp: usize) {
        for Handed { lane, to, missing: Missing { masks, origin } } in std::mem::take(&mut self.handed) {
            match to {
                Destination::Register(register) => {
                    let whole = match register.0 {
                        Class::P => 1,
                        Class::W => u64::from(u32::MAX),
                        Class::D => u64::MAX,
                    };
                    let bits = masks.iter().take(8).rev().fold(0, |bits, &mask| bits << 8 | u64::from(mask));
                    self.values[warp].set_lane(register, lane, bits & whole, origin);
                }
                Destination::Local(start) => self.lose_local(warp, start as u64, &masks, origin),
            }
        }
    }

    /// The undefined registers among some, to be given back when a call is over.
    pub(crate) fn save(&self, warp: usize, registers: &[Register]) -> Vec<(Register, Undefined)> {
        let kept = |&register: &Register| Some((register, self.values[warp].get(register)?.clone()));
        registers.iter().filter_map(kept).collect()
    }

    /// Gives lanes the registers back that they had.
    pub(crate) fn restore(
        &mut self,
        warp: usize,
        on: u32,
        registers: &[Register],
        saved: &[(Register, Undefined)],
    ) {
        for &register in registers {
            match saved.iter().find(|(known, _)| *known == register) {
                Some((_, undefined)) => self.values[warp].set(register, on, undefined),
                None => self.values[warp].define(register, on),
            }
        }
    }
}
