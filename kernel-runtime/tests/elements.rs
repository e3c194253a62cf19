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

#[kernel_module]
mod rays {
    use kernel_runtime::prelude::*;

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(u8)]
    pub enum Phase {
        Idle,
        Busy,
        Done = 7,
    }

    #[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
    #[repr(C, u32)]
    pub enum Hit {
        #[default]
        Miss,
        At {
            t: f32,
            id: u32,
        },
        Far(f64),
        Small(u8, i16, [u8; 3]),
        Many([u32; 5], Phase),
    }

    #[derive(Clone, Copy, Debug, PartialEq, Element)]
    #[repr(C, u8)]
    pub enum Op {
        Nop,
        Push(i64) = 7,
        Pair { a: u8, b: i16 } = 9,
        Add = 3,
    }

    impl Hit {
        pub fn next(self, op: &Op) -> Hit {
            match (self, *op) {
                (Hit::Miss, Op::Push(v)) => Hit::Far(v as f64),
                (Hit::Miss, _) => Hit::At { t: 0.5, id: 9 },
                (Hit::At { t, id }, Op::Pair { a, b }) => Hit::Small(a, b, [id as u8, t as u8, 3]),
                (Hit::At { id, .. }, _) => Hit::Many([id, 1, 2, 3, u32::MAX], Phase::Done),
                (Hit::Far(t), Op::Add) => Hit::At { t: t as f32, id: 77 },
                (Hit::Far(_) | Hit::Many(_, Phase::Done), _) => Hit::Miss,
                (other, _) => other,
            }
        }
    }

    #[kernel]
    pub fn step(from: &[Hit], hits: &mut [Hit], ops: &mut [Op], same: &mut [u32]) {
        let i = global_idx().x;
        if i < hits.len() && i < from.len() && i < ops.len() && i < same.len() {
            same[i] =
                (from[i] == hits[i]) as u32 + from.iter().filter(|hit| **hit == from[i]).count() as u32 * 10;
            hits[i] = from[i].next(&ops[i]);
            match &mut hits[i] {
                Hit::At { t, .. } => *t += 1.0,
                Hit::Many(words, state) => {
                    words[1] += words[0];
                    *state = Phase::Idle;
                }
                Hit::Small(.., bytes) => bytes[2] = 200,
                Hit::Miss | Hit::Far(_) => {}
            }
            let mut kept = [Op::Nop, ops[i], Op::Pair { a: i as u8, b: -2 }];
            kept.rotate_left(i % 3);
            ops[i] = kept[1];
        }
    }

    /// # Safety
    /// As many bytes are behind the pointer as `to` has.
    #[kernel]
    pub unsafe fn bytes(from: *const u8, to: &mut [u8]) {
        let i = global_idx().x;
        if i < to.len() {
            // SAFETY: as many bytes are there as `to` has.
            to[i] = unsafe { *from.add(i) };
        }
    }

    /// # Safety
    /// The four bytes from `at` on are behind the pointer, aligned.
    #[kernel]
    pub unsafe fn spoil(hits: *mut u8, at: usize, number: u32) {
        if global_idx().x == 0 {
            // SAFETY: callers have four bytes there.
            unsafe { *hits.add(at).cast::<u32>() = number };
        }
    }
}

use machines::{First, Machine, Slot, State};
use rays::{Hit, Op, Phase};

/// Values of every variant, beside operations of every variant.
fn hits_and_ops() -> (Vec<Hit>, Vec<Op>) {
    let hits = [
        Hit::Miss,
        Hit::At { t: 1.5, id: 300 },
        Hit::Far(-2.25),
        Hit::Small(255, -7, [1, 2, 3]),
        Hit::Many([1, 2, 3, 4, 5], Phase::Done),
        Hit::Many([1, 2, 3, 4, 5], Phase::Busy),
    ];
    let ops = [Op::Nop, Op::Push(-(1 << 40)), Op::Pair { a: 250, b: -300 }, Op::Add];
    let pairs = hits.iter().flat_map(|hit| ops.iter().map(move |op| (*hit, *op)));
    pairs.unzip()
}

#[test]
fn enums_with_data_are_elements() -> Result<()> {
    let (from, ops) = hits_and_ops();
    let n = from.len();
    let mut before = vec![Hit::Far(3.0); n];
    before[4] = from[4];
    let (mut hits, mut after, mut same) = (before.clone(), ops.clone(), vec![0; n]);
    rays::step::cpu(&from, &mut hits, &mut after, &mut same).over(n).run()?;
    let count = |hit: &Hit| from.iter().filter(|other| *other == hit).count() as u32 * 10;
    for i in 0..n {
        let mut next = from[i].next(&ops[i]);
        match &mut next {
            Hit::At { t, .. } => *t += 1.0,
            Hit::Many(words, state) => (words[1], *state) = (words[1] + words[0], Phase::Idle),
            Hit::Small(.., bytes) => bytes[2] = 200,
            Hit::Miss | Hit::Far(_) => {}
        }
        assert_eq!(hits[i], next, "{i}");
        assert_eq!(same[i], count(&from[i]) + u32::from(i == 4), "{i}");
    }
    let gpu = Gpu::simulator(Arch::Sm90);
    let (on_gpu, mut hits_there) = (gpu.upload(&from)?, gpu.upload(&before)?);
    let (mut ops_there, mut same_there) = (gpu.upload(&ops)?, gpu.zeros::<u32>(n)?);
    rays::step(&on_gpu, &mut hits_there, &mut ops_there, &mut same_there).over(n).run()?;
    assert_eq!(hits_there.to_vec()?, hits);
    assert_eq!(ops_there.to_vec()?, after);
    assert_eq!(same_there.to_vec()?, same);
    // Whatever wrote them, bytes that hold nothing are zero: those of a copy from the host are the same.
    let bytes = |hits: &DeviceBuffer<Hit>| {
        let mut bytes = gpu.zeros::<u8>(hits.bytes())?;
        let start = hits.as_device_ptr().cast::<u8>();
        // SAFETY: so many bytes are there.
        unsafe { rays::bytes(start, &mut bytes).over(hits.bytes()).run()? };
        bytes.to_vec()
    };
    assert_eq!(bytes(&hits_there)?, bytes(&gpu.upload(&hits)?)?);
    assert_eq!(gpu.zeros::<Hit>(2)?.to_vec()?, [Hit::Miss; 2]);
    Ok(())
}

#[test]
fn an_invalid_variant_is_told_with_its_element() -> Result<()> {
    let gpu = Gpu::simulator(Arch::Sm90);
    let hits = gpu.upload(&[Hit::Far(1.0), Hit::Many([0; 5], Phase::Done)])?;
    let start = hits.as_device_ptr().cast::<u8>();
    // SAFETY: the last field of the second element.
    unsafe { rays::spoil(start, size_of::<Hit>() + 28, 5).on(&gpu).over(1).run()? };
    let message = hits.to_vec().unwrap_err().to_string();
    assert!(
        message.starts_with("element 1 of the buffer is not a valid `elements::rays::Hit`: 0x04 was found"),
        "{message}"
    );
    // SAFETY: the number of the first element.
    unsafe { rays::spoil(start, 0, 0x1203).on(&gpu).over(1).run()? };
    let message = hits.to_vec().unwrap_err().to_string();
    assert!(
        message.starts_with("element 0 of the buffer is not a valid `elements::rays::Hit`: 0x1203 was found"),
        "{message}"
    );
    Ok(())
}

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
