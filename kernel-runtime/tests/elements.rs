//! `#[derive(Element)]` of structs with fields of the user's own types, enums among them.

use kernel_runtime::bytemuck::checked::try_pod_read_unaligned;
use kernel_runtime::prelude::*;

#[kernel_module]
mod machines {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(u8)]
    pub enum State {
        Idle,
        Busy,
        Done = 7,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Slot {
        pub states: [State; 3],
        pub level: u8,
        pub id: u32,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C)]
    pub struct Machine {
        pub slots: [Slot; 2],
        pub at: F32x2,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(transparent)]
    pub struct First(pub State);

    #[kernel]
    pub fn step(machines: &mut [Machine], first: First, last: &mut [State]) {
        let i = global_idx().x;
        if let Some(machine) = machines.get_mut(i) {
            for slot in machine.slots.iter_mut() {
                for state in &mut slot.states {
                    *state = match state {
                        State::Idle => State::Busy,
                        State::Busy => State::Done,
                        State::Done => first.0,
                    };
                }
                slot.id += slot.states[0] as u32;
            }
            machine.at.x += 1.0;
            last[i] = machine.slots[1].states[2];
        }
    }
}

use machines::{First, Machine, Slot, State};

#[test]
fn enums_are_fields_of_elements() -> Result<()> {
    let slot = |state| Slot { states: [state, State::Idle, State::Done], level: 9, id: 1 };
    let machine = Machine { slots: [slot(State::Idle), slot(State::Busy)], at: F32x2::new(1.0, 2.0) };
    let gpu = Gpu::simulator(Arch::Sm90);
    let mut machines = gpu.upload(&[machine; 3])?;
    let mut last = gpu.upload(&[State::Done; 3])?;
    machines::step(&mut machines, First(State::Idle), &mut last).over(3).run()?;

    let slot = |state, id| Slot { states: [state, State::Busy, State::Idle], level: 9, id };
    let after = Machine { slots: [slot(State::Busy, 2), slot(State::Done, 8)], at: F32x2::new(2.0, 2.0) };
    assert_eq!((machines.to_vec()?, last.to_vec()?), (vec![after; 3], vec![State::Idle; 3]));
    let (mut machines, mut last) = ([machine; 3], [State::Done; 3]);
    machines::step::cpu(&mut machines, First(State::Idle), &mut last).over(3).run()?;
    assert_eq!((machines, last), ([after; 3], [State::Idle; 3]));
    assert_eq!(gpu.zeros::<Slot>(1)?.to_vec()?, [Slot { states: [State::Idle; 3], level: 0, id: 0 }]);
    Ok(())
}

#[test]
fn bytes_that_are_no_variant_are_no_value() {
    let read = |states: [u8; 3]| {
        let [a, b, c] = states;
        try_pod_read_unaligned::<Slot>(&[a, b, c, 255, 1, 0, 0, 0])
    };
    assert_eq!(
        read([0, 1, 7]),
        Ok(Slot { states: [State::Idle, State::Busy, State::Done], level: 255, id: 1 })
    );
    assert!(read([0, 1, 2]).is_err());
    assert!(read([8, 1, 7]).is_err());
    let mut bytes = [0; 24];
    assert!(try_pod_read_unaligned::<Machine>(&bytes).is_ok());
    bytes[8] = 3;
    assert!(try_pod_read_unaligned::<Machine>(&bytes).is_err());
    assert!(try_pod_read_unaligned::<First>(&[6]).is_err());
}
