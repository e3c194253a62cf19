//! Generators of random numbers: those of `kernel_runtime::device`, where they are described, as the compiler takes them. In no file that rustc
//! compiles.

#[derive(Clone, Copy, PartialEq, Eq, Debug, Element)]
#[repr(C)]
pub struct Pcg32 {
    state: u64,
    increment: u64,
}

impl Pcg32 {
    pub const fn new(seed: u64, stream: u64) -> Pcg32 {
        let increment = stream << 1 | 1;
        let state = increment.wrapping_add(seed).wrapping_mul(6364136223846793005).wrapping_add(increment);
        Pcg32 { state, increment }
    }
    pub const fn next_u32(&mut self) -> u32 {
        let before = self.state;
        self.state = before.wrapping_mul(6364136223846793005).wrapping_add(self.increment);
        let mixed = ((before >> 18 ^ before) >> 27) as u32;
        mixed.rotate_right((before >> 59) as u32)
    }
    pub const fn next_u64(&mut self) -> u64 {
        let low = self.next_u32() as u64;
        low | (self.next_u32() as u64) << 32
    }
    pub const fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }
    pub const fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
    pub const fn skip(&mut self, count: u64) {
        let (mut factor, mut sum) = (1u64, 0u64);
        let (mut step_factor, mut step_sum) = (6364136223846793005u64, self.increment);
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

#[derive(Clone, Copy, PartialEq, Eq, Debug, Element)]
#[repr(C)]
pub struct Philox4x32 {
    key: [u32; 2],
    counter: [u32; 4],
    words: [u32; 4],
    used: u32,
}

impl Philox4x32 {
    pub const fn new(seed: u64, stream: u64) -> Philox4x32 {
        let counter = [0, 0, stream as u32, (stream >> 32) as u32];
        Philox4x32 { key: [seed as u32, (seed >> 32) as u32], counter, words: [0; 4], used: 4 }
    }
    pub const fn block(key: [u32; 2], counter: [u32; 4]) -> [u32; 4] {
        let [mut k0, mut k1] = key;
        let [mut a, mut b, mut c, mut d] = counter;
        let mut round = 0;
        #[unroll]
        while round < 10 {
            let (left, right) = (0xd251_1f53 * a as u64, 0xcd9e_8d57 * c as u64);
            (a, b, c, d) = ((right >> 32) as u32 ^ b ^ k0, right as u32, (left >> 32) as u32 ^ d ^ k1, left as u32);
            k0 = k0.wrapping_add(0x9e37_79b9);
            k1 = k1.wrapping_add(0xbb67_ae85);
            round += 1;
        }
        [a, b, c, d]
    }
    pub const fn next_block(&mut self) -> [u32; 4] {
        let words = Philox4x32::block(self.key, self.counter);
        self.step(1);
        words
    }
    const fn step(&mut self, blocks: u64) {
        let at = (self.counter[0] as u64 | (self.counter[1] as u64) << 32).wrapping_add(blocks);
        self.counter[0] = at as u32;
        self.counter[1] = (at >> 32) as u32;
    }
    pub const fn next_u32(&mut self) -> u32 {
        if self.used == 4 {
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
    pub const fn next_u64(&mut self) -> u64 {
        let low = self.next_u32() as u64;
        low | (self.next_u32() as u64) << 32
    }
    pub const fn next_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }
    pub const fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }
    pub const fn skip(&mut self, count: u64) {
        let left = 4 - self.used as u64;
        if count < left {
            self.used += count as u32;
        } else {
            let beyond = count - left;
            self.step(beyond / 4);
            self.used = 4;
            if beyond % 4 != 0 {
                self.words = self.next_block();
                self.used = (beyond % 4) as u32;
            }
        }
    }
}
