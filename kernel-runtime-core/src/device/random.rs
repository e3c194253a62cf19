//! Generators of random numbers, as the host has them and type checking sees them. The compiler has them in its own library, for a kernel's run
//! copy too; both give the same numbers.

use bytemuck::{Pod, Zeroable};

/// Methods of both generators.
macro_rules! numbers {
    ($name:ident) => {
        impl $name {
            /// The next two words, the first one in the low half.
            pub const fn next_u64(&mut self) -> u64 {
                let low = self.next_u32() as u64;
                low | (self.next_u32() as u64) << 32
            }

            /// A number from 0 up to 1, without 1: the upper 24 bits of the next word as a fraction.
            pub const fn next_f32(&mut self) -> f32 {
                (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
            }

            /// A number from 0 up to 1, without 1: the upper 53 bits of the next two words as a fraction.
            pub const fn next_f64(&mut self) -> f64 {
                (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
            }
        }

        #[cfg(feature = "rand_core")]
        impl rand_core::TryRng for $name {
            type Error = rand_core::Infallible;

            fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
                Ok(self.next_u32())
            }

            fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
                Ok(self.next_u64())
            }

            fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
                for part in bytes.chunks_mut(4) {
                    let word = self.next_u32().to_le_bytes();
                    part.copy_from_slice(&word[..part.len()]);
                }
                Ok(())
            }
        }
    };
}

/// The factor of [`Pcg32`].
const FACTOR: u64 = 6_364_136_223_846_793_005;

/// PCG-XSH-RR 64/32 (O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number Generation", 2014):
/// two words of 64 bits, 2⁶⁴ numbers in each of 2⁶³ streams. The numbers are those of `pcg32_random_r` after `pcg32_srandom_r(seed, stream)`.
///
/// In kernels and on the host, with equal results. Not for secrets.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel]
/// fn noise(seed: u64, y: &mut [f32]) {
///     let i = global_idx().x;
///     if i < y.len() {
///         y[i] = Pcg32::new(seed, i as u64).next_f32();
///     }
/// }
///
/// let mut y = Gpu::simulator(Arch::Sm90).zeros::<f32>(100)?;
/// noise(7, &mut y).over(100).run()?;
/// assert_eq!(y.to_vec()?[42], Pcg32::new(7, 42).next_f32());
/// # Ok::<(), Error>(())
/// ```
#[doc(alias("pcg", "curand", "rng"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Pcg32 {
    state: u64,
    increment: u64,
}

impl Pcg32 {
    /// The beginning of a stream, of whose number the lower 63 bits count. Threads take streams of their own, by their indices.
    pub const fn new(seed: u64, stream: u64) -> Pcg32 {
        let increment = stream << 1 | 1;
        let state = increment.wrapping_add(seed).wrapping_mul(FACTOR).wrapping_add(increment);
        Pcg32 { state, increment }
    }

    /// The next word.
    pub const fn next_u32(&mut self) -> u32 {
        let before = self.state;
        self.state = before.wrapping_mul(FACTOR).wrapping_add(self.increment);
        let mixed = (((before >> 18) ^ before) >> 27) as u32;
        mixed.rotate_right((before >> 59) as u32)
    }

    /// Passes over so many words, in a time that grows with the logarithm of their number (Brown, "Random Number Generation with Arbitrary
    /// Strides", 1994).
    pub const fn skip(&mut self, count: u64) {
        let (mut factor, mut sum) = (1u64, 0u64);
        let (mut step_factor, mut step_sum) = (FACTOR, self.increment);
        let mut left = count;
        while left != 0 {
            if left & 1 == 1 {
                factor = factor.wrapping_mul(step_factor);
                sum = sum.wrapping_mul(step_factor).wrapping_add(step_sum);
            }
            step_sum = step_factor.wrapping_add(1).wrapping_mul(step_sum);
            step_factor = step_factor.wrapping_mul(step_factor);
            left >>= 1;
        }
        self.state = factor.wrapping_mul(self.state).wrapping_add(sum);
    }
}

numbers!(Pcg32);

/// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011): the seed is a key, by which a counter becomes four words. A
/// stream has 2⁶⁶ words, and any of them is at hand at once: [`skip`](Philox4x32::skip), or [`block`](Philox4x32::block), which has no state.
///
/// In kernels and on the host, with equal results. Not for secrets.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel]
/// fn noise(seed: u32, step: u32, y: &mut [u32]) {
///     let i = global_idx().x;
///     if i < y.len() {
///         y[i] = Philox4x32::block([seed, 0], [i as u32, step, 0, 0])[0];
///     }
/// }
///
/// let mut y = Gpu::simulator(Arch::Sm90).zeros::<u32>(100)?;
/// noise(7, 3, &mut y).over(100).run()?;
/// assert_eq!(y.to_vec()?[42], Philox4x32::block([7, 0], [42, 3, 0, 0])[0]);
/// # Ok::<(), Error>(())
/// ```
#[doc(alias("philox", "curand", "rng"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Philox4x32 {
    key: [u32; 2],
    /// Of the next block.
    counter: [u32; 4],
    /// The block before it.
    words: [u32; 4],
    /// Number of its words that were given.
    used: u32,
}

impl Philox4x32 {
    /// The beginning of a stream, whose number is the upper half of the counter. Threads take streams of their own, by their indices.
    pub const fn new(seed: u64, stream: u64) -> Philox4x32 {
        let counter = [0, 0, stream as u32, (stream >> 32) as u32];
        Philox4x32 { key: [seed as u32, (seed >> 32) as u32], counter, words: [0; 4], used: 4 }
    }

    /// The four words of a counter: a function of its arguments alone.
    pub const fn block(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
        let [mut k0, mut k1] = key;
        let [mut a, mut b, mut c, mut d] = counter;
        let mut round = 0;
        while round < 10 {
            let (left, right) = (0xd251_1f53 * a as u64, 0xcd9e_8d57 * c as u64);
            (a, b, c, d) =
                ((right >> 32) as u32 ^ b ^ k0, right as u32, (left >> 32) as u32 ^ d ^ k1, left as u32);
            k0 = k0.wrapping_add(0x9e37_79b9);
            k1 = k1.wrapping_add(0xbb67_ae85);
            round += 1;
        }
        [a, b, c, d]
    }

    /// The next four words at once. Words that are left of the block before are given afterwards.
    pub const fn next_block(&mut self) -> [u32; 4] {
        let words = Philox4x32::block(self.key, self.counter);
        self.step(1);
        words
    }

    /// Passes over so many blocks. The upper half of the counter is the stream's.
    const fn step(&mut self, blocks: u64) {
        let at = (self.counter[0] as u64 | (self.counter[1] as u64) << 32).wrapping_add(blocks);
        self.counter[0] = at as u32;
        self.counter[1] = (at >> 32) as u32;
    }

    /// The next word.
    pub const fn next_u32(&mut self) -> u32 {
        if self.used >= 4 {
            self.words = self.next_block();
            self.used = 0;
        }
        let [a, b, c, d] = self.words;
        let word = match self.used {
            0 => a,
            1 => b,
            2 => c,
            _ => d,
        };
        self.used += 1;
        word
    }

    /// Passes over so many words, in no time.
    pub const fn skip(&mut self, count: u64) {
        let left = 4u64.saturating_sub(self.used as u64);
        if count < left {
            self.used += count as u32;
        } else {
            let beyond = count - left;
            self.step(beyond / 4);
            self.used = 4;
            if !beyond.is_multiple_of(4) {
                self.words = self.next_block();
                self.used = (beyond % 4) as u32;
            }
        }
    }
}

numbers!(Philox4x32);

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of Random123, `tests/kat_vectors`: counter, key, result.
    #[test]
    fn philox_has_the_published_words() {
        let row = |counter, key, words| assert_eq!(Philox4x32::block(key, counter), words);
        row([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        row([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        row(
            [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
            [0xa409_3822, 0x299f_31d0],
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
        );
    }

    /// The output of `pcg32-demo` for the first round.
    #[test]
    fn pcg_has_the_published_words() {
        let mut rng = Pcg32::new(42, 54);
        let words = [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330, 0x83d2_f293, 0xbfa4_784b, 0xcbed_606e];
        assert_eq!(words.map(|_| rng.next_u32()), words);
    }

    #[test]
    fn what_is_skipped_is_not_given() {
        for (before, count) in [(0, 0), (1, 2), (1, 3), (3, 1), (2, 9), (4, 4), (5, 1000), (7, 8)] {
            let (mut pcg, mut philox) = (Pcg32::new(3, 9), Philox4x32::new(3, 9));
            (0..before).for_each(|_| (_, _) = (pcg.next_u32(), philox.next_u32()));
            let (mut stepped_pcg, mut stepped_philox) = (pcg, philox);
            pcg.skip(count);
            philox.skip(count);
            (0..count).for_each(|_| (_, _) = (stepped_pcg.next_u32(), stepped_philox.next_u32()));
            let next = [(); 6].map(|()| (pcg.next_u32(), philox.next_u32()));
            assert_eq!(
                next,
                [(); 6].map(|()| (stepped_pcg.next_u32(), stepped_philox.next_u32())),
                "{before} {count}"
            );
        }
        let mut far = Philox4x32::new(1, 2);
        far.skip(u64::MAX);
        assert_eq!(far.next_u32(), Philox4x32::block([1, 0], [u32::MAX, 0x3fff_ffff, 2, 0])[3]);
    }

    #[test]
    fn fractions_are_below_one() {
        let mut rng = Philox4x32::new(0, 0);
        let sum: f64 = (0..10_000).map(|_| f64::from(rng.next_f32()) + rng.next_f64()).sum();
        assert!((sum / 20_000.0 - 0.5).abs() < 0.01, "{sum}");
        assert_eq!((u32::MAX >> 8) as f32 * (1.0 / 16_777_216.0), 1.0f32.next_down());
    }

    #[cfg(feature = "rand_core")]
    #[test]
    fn a_generator_of_the_crate_rand() {
        use rand_core::Rng;
        let (mut rng, mut same) = (Pcg32::new(1, 2), Pcg32::new(1, 2));
        let mut bytes = [0; 6];
        Rng::fill_bytes(&mut rng, &mut bytes);
        let (first, second) = (same.next_u32().to_le_bytes(), same.next_u32().to_le_bytes());
        assert_eq!((&bytes[..4], &bytes[4..]), (&first[..], &second[..2]));
        assert_eq!(Rng::next_u64(&mut rng), same.next_u64());
    }
}
