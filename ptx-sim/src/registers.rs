//! The registers of a warp: one array of 32 lanes per register, in three files by class.
//!
//! Immediates, special registers and addresses of variables are registers too, which nothing writes: an operand of an
//! operation is always a slot, and the interpreter never asks what kind of operand it has.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// The mask of a warp whose lanes are all active.
pub(crate) const FULL: u32 = u32::MAX;

/// Register file that a register is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    /// Predicates: a mask of lanes.
    P,
    /// Up to 32 bits. Narrower values sit in the low bits, what is above them is never read.
    W,
    /// 64 bits.
    D,
}

/// A register in the file of its class. The operation that holds the slot knows the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Slot(pub(crate) u16);

impl Slot {
    #[inline(always)]
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Number of registers in each file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileSizes {
    pub(crate) p: usize,
    pub(crate) w: usize,
    pub(crate) d: usize,
}

/// The three files of one warp.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Registers {
    pub(crate) p: Vec<u32>,
    pub(crate) w: Vec<[u32; LANES]>,
    pub(crate) d: Vec<[u64; LANES]>,
}

impl Registers {
    pub(crate) fn new(sizes: FileSizes) -> Registers {
        Registers { p: vec![0; sizes.p], w: vec![[0; LANES]; sizes.w], d: vec![[0; LANES]; sizes.d] }
    }

    /// Sets the lanes of `mask` in a predicate.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, slot: Slot, mask: u32, value: u32) {
        let p = &mut self.p[slot.index()];
        *p = (*p & !mask) | (value & mask);
    }
}

/// A type that a lane can hold, as the operations compute with it.
pub(crate) trait Lane: Copy {
    /// The file it lives in.
    const CLASS: Class;
    /// The type of a lane's value in the file.
    type Bits: Copy;
    fn of(bits: Self::Bits) -> Self;
    fn bits(self) -> Self::Bits;
    /// The low bits of a number.
    fn of_u64(raw: u64) -> Self;
    fn to_u64(self) -> u64;
    fn file(registers: &Registers) -> &[[Self::Bits; LANES]];
    fn file_mut(registers: &mut Registers) -> &mut [[Self::Bits; LANES]];
}

macro_rules! lanes {
    ($($ty:ty, $class:ident, $file:ident, $bits:ty, |$raw:ident| $of:expr, |$value:ident| $to:expr;)*) => {$(
        impl Lane for $ty {
            const CLASS: Class = Class::$class;
            type Bits = $bits;
            #[inline(always)]
            fn of($raw: $bits) -> $ty { $of }
            #[inline(always)]
            fn bits(self) -> $bits { let $value = self; $to }
            #[inline(always)]
            fn of_u64(raw: u64) -> $ty { Lane::of(raw as $bits) }
            #[inline(always)]
            fn to_u64(self) -> u64 { u64::from(self.bits()) }
            #[inline(always)]
            fn file(registers: &Registers) -> &[[$bits; LANES]] { &registers.$file }
            #[inline(always)]
            fn file_mut(registers: &mut Registers) -> &mut [[$bits; LANES]] { &mut registers.$file }
        }
    )*};
}

lanes! {
    u8, W, w, u32, |raw| raw as u8, |value| u32::from(value);
    i8, W, w, u32, |raw| raw as i8, |value| value as u32;
    u16, W, w, u32, |raw| raw as u16, |value| u32::from(value);
    i16, W, w, u32, |raw| raw as i16, |value| value as u32;
    u32, W, w, u32, |raw| raw, |value| value;
    i32, W, w, u32, |raw| raw as i32, |value| value as u32;
    f32, W, w, u32, |raw| f32::from_bits(raw), |value| value.to_bits();
    u64, D, d, u64, |raw| raw, |value| value;
    i64, D, d, u64, |raw| raw as i64, |value| value as u64;
    f64, D, d, u64, |raw| f64::from_bits(raw), |value| value.to_bits();
}

/// The lanes of a mask, lowest first.
#[inline(always)]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if mask == 0 {
            return None;
        }
        let lane = mask.trailing_zeros() as usize;
        mask &= mask - 1;
        Some(lane)
    })
}

macro_rules! apply {
    ($($name:ident[$n:literal]($($x:ident: $t:ident),+);)*) => {$(
        /// Applies `f` in the lanes of `mask`. With all of them active the loop has no conditions and vectorises.
        #[inline(always)]
        pub(crate) fn $name<$($t: Lane,)+ R: Lane>(
            registers: &mut Registers,
            mask: u32,
            target: Slot,
            sources: [Slot; $n],
            f: impl Fn($($t),+) -> R,
        ) {
            let [$($x),+] = sources;
            $(let $x = $t::file(registers)[$x.index()];)+
            let target = &mut R::file_mut(registers)[target.index()];
            if mask == FULL {
                for lane in 0..LANES {
                    target[lane] = f($($t::of($x[lane])),+).bits();
                }
            } else {
                for lane in lanes(mask) {
                    target[lane] = f($($t::of($x[lane])),+).bits();
                }
            }
        }
    )*};
}

apply! {
    apply1[1](a: A);
    apply2[2](a: A, b: B);
    apply3[3](a: A, b: B, c: C);
    apply4[4](a: A, b: B, c: C, d: D);
}

/// The mask of lanes in which `f` holds; lanes outside `mask` may be anything.
#[inline(always)]
pub(crate) fn compare<T: Lane>(registers: &Registers, a: Slot, b: Slot, f: impl Fn(T, T) -> bool) -> u32 {
    let (a, b) = (&T::file(registers)[a.index()], &T::file(registers)[b.index()]);
    let mut mask = 0;
    for lane in 0..LANES {
        mask |= u32::from(f(T::of(a[lane]), T::of(b[lane]))) << lane;
    }
    mask
}
