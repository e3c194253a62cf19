//! Constructs in `unsafe`: elements without checks, raw pointers, functions that rely on their callers.

// Rust has a method for some of them.
#![allow(unnecessary_transmutes)]

crate::harness::constructs! {
    "`unsafe` blocks" unsafe_block -> i32 |i, x, f| { let v = unsafe { *x.get_unchecked(i) }; let w = unsafe { let k = (i + 1) % 50; *x.get_unchecked(k) + 1 }; v * w }
    "`unsafe fn`" unsafe_function -> i32 |i, x, f| { unsafe fn at(s: &[i32], i: usize) -> i32 { unsafe { *s.get_unchecked(i) } } unsafe { at(x, i) * 2 + at(x, 49 - i) } }
    "`unsafe` methods" unsafe_method -> i32 |i, x, f| { struct Window { start: usize } impl Window { unsafe fn at(&self, s: &[i32], k: usize) -> i32 { unsafe { *s.get_unchecked(self.start + k) } } } let w = Window { start: i / 2 }; unsafe { w.at(x, 0) + w.at(x, 1) * 3 } }
    "`get_unchecked` of arrays and parts" get_unchecked_array -> i32 |i, x, f| { let a = [x[i], 2, 3, 4]; let s = &x[i / 2..]; unsafe { *a.get_unchecked(i % 4) + *s.get_unchecked(1) } }
    "`get_unchecked_mut`" get_unchecked_mut -> i32 |i, x, f| { let mut a = [0; 5]; unsafe { *a.get_unchecked_mut(i % 5) = x[i]; *a.get_unchecked_mut(2) += 7; } a[0] + a[1] * 2 + a[2] * 3 + a[3] * 4 + a[4] * 5 }
    "`as_ptr`, `add`, `*p`" pointer_read -> i32 |i, x, f| { let p = x.as_ptr(); unsafe { *p.add(i) * 3 + *p.add(49).sub(i) } }
    "`as_mut_ptr`, `write`, `read`" pointer_write -> i32 |i, x, f| { let mut a = [1, 2, 3, 4]; let p = a.as_mut_ptr(); unsafe { p.add(i % 4).write(x[i]); *p.add(1) += 10; p.read() + p.add(1).read() * 2 + *p.add(2) * 3 + *p.add(3) * 4 } }
    "`offset` and its like" pointer_offset -> i32 |i, x, f| { let p = x.as_ptr(); let back = -(i as isize % 7); unsafe { let q = p.add(20).offset(back); *q + *p.wrapping_add(i) + *p.byte_add(4 * (i / 2)) + *q.wrapping_sub(3).wrapping_offset(1) + *q.byte_sub(8).byte_offset(4) } }
    "`offset_from`, `==`, `<`" pointer_distance -> i32 |i, x, f| { let (p, q) = unsafe { (x.as_ptr().add(i), x.as_ptr().add(25)) }; let d = unsafe { p.offset_from(q) }; d as i32 * 8 + (p == q) as i32 * 4 + (p < q) as i32 * 2 + (p >= q) as i32 }
    "null pointers" null_pointer -> i32 |i, x, f| { let p: *const i32 = if i % 3 == 0 { core::ptr::null() } else { &x[i] }; let q = core::ptr::null_mut::<f32>(); if p.is_null() { q.is_null() as i32 } else { unsafe { *p } } }
    "`&raw const`, `&raw mut`" raw_reference -> i32 |i, x, f| { let mut t = (x[i], [1, 2, 3]); let p = &raw mut t.1[i % 3]; let q = &raw const t.0; unsafe { *p += 5; *q + *p } }
    "references as pointers and back" pointer_to_reference -> i32 |i, x, f| { fn bump(v: &mut i32) { *v += 3; } let mut v = x[i]; let p: *mut i32 = &mut v; let q = p as *const i32; unsafe { bump(&mut *p); let r = &*q; *r * 2 } }
    "pointers cast to other types" pointer_cast -> i32 |i, x, f| { let v = [f[i], 2.0]; let p = v.as_ptr().cast::<u32>(); let b = x.as_ptr() as *const u8; unsafe { (*p.add(1) >> 16) as i32 + p.read() as i32 / 65_536 + *b.add(4 * i) as i32 } }
    "pointers as numbers" pointer_number -> i32 |i, x, f| { let p = x.as_ptr(); let n = p as usize + 4 * i; let q = n as *const i32; unsafe { *q + (n - p.addr()) as i32 } }
    "`cast_mut`, `cast_const`" pointer_mutability -> i32 |i, x, f| { let mut a = [x[i], 5]; let p = a.as_mut_ptr(); let q: *const i32 = p; unsafe { *q.cast_mut() += 1; *p.cast_const() + *q.add(1) } }
    "pointers in structs" pointer_field -> i32 |i, x, f| { #[derive(Clone, Copy)] struct Row { start: *const i32, len: usize } impl Row { unsafe fn sum(self) -> i32 { let mut s = 0; for k in 0..self.len { s += unsafe { *self.start.add(k) }; } s } } let r = Row { start: unsafe { x.as_ptr().add(i / 2) }, len: i % 5 }; unsafe { r.sum() } }
    "pointers carried by loops" pointer_loop -> i32 |i, x, f| { let mut p = x.as_ptr(); let end = unsafe { p.add(i) }; let mut s = 0; while p != end { s += unsafe { *p }; p = unsafe { p.add(1) }; } s }
    "pointers chosen at run time" pointer_chosen -> i32 |i, x, f| { let a = [7, 8, 9]; let p = if x[i] > 0 { a.as_ptr() } else { x.as_ptr() }; unsafe { *p.add(i % 3) } }
    "pointers to pointers" pointer_to_pointer -> i32 |i, x, f| { let p = &raw const x[i]; let pp = &raw const p; unsafe { **pp + 1 } }
    "pointers to structs and arrays" pointer_to_struct -> i32 |i, x, f| { #[derive(Clone, Copy)] struct P { a: i32, b: [i32; 3] } let mut s = P { a: x[i], b: [1, 2, 3] }; let p = &raw mut s; unsafe { (*p).b[i % 3] += (*p).a; let q = &raw mut (*p).b; (*q)[1] *= 2; let t = p.read(); t.a + t.b[0] + t.b[1] + t.b[2] } }
    "slices made of pointers" slice_from_pointer -> i32 |i, x, f| { let s = unsafe { core::slice::from_raw_parts(x.as_ptr().add(i / 2), i % 20 + 1) }; let mut a = [1, 2, 3]; let t = unsafe { core::slice::from_raw_parts_mut(a.as_mut_ptr(), 2) }; t[1] = s[s.len() - 1]; s.len() as i32 + a[0] + a[1] + a[2] }
    "functions that take pointers" pointer_parameter -> i32 |i, x, f| { unsafe fn swap<T: Copy>(a: *mut T, b: *mut T) { unsafe { let t = *a; *a = *b; *b = t; } } let (mut a, mut b) = (x[i], 4); unsafe { swap(&mut a, &mut b) }; a * 100 + b }
    "`transmute` of plain data" transmute -> u32 |i, x, f| {
        #[derive(Clone, Copy)] #[repr(C)] struct Pair { low: u16, high: i16 }
        let word: u32 = unsafe { core::mem::transmute(f[i]) };
        let pair: Pair = unsafe { core::mem::transmute(word) };
        let bytes = unsafe { core::mem::transmute::<[u32; 2], [u8; 8]>([x[i] as u32, word]) };
        word.rotate_left(3) ^ pair.low as u32 ^ (pair.high as u32) << 7 ^ bytes[i % 8] as u32 * 1000 ^ unsafe { core::mem::transmute::<i32, u32>(x[i]) }
    }
    "`MaybeUninit`" maybe_uninit -> i32 |i, x, f| {
        use core::mem::MaybeUninit;
        struct Column<T, const N: usize> { values: [MaybeUninit<T>; N], len: usize }
        impl<T: Copy, const N: usize> Column<T, N> {
            const fn new() -> Self { Column { values: [const { MaybeUninit::uninit() }; N], len: 0 } }
            fn push(&mut self, value: T) -> bool { match self.values.get_mut(self.len) { Some(slot) => { slot.write(value); self.len += 1; true } None => false } }
            // SAFETY: the first `len` are written.
            fn iter(&self) -> impl Iterator<Item = T> + '_ { self.values.iter().take(self.len).map(|value| unsafe { value.assume_init() }) }
        }
        let mut column = Column::<(i32, u8), 6>::new(); let mut refused = 0;
        for v in &x[..=i % 9] { if !column.push((*v, 3)) { refused += 1; } }
        let mut one = MaybeUninit::<i32>::uninit(); *one.write(x[i]) += 2; let two = MaybeUninit::new(5);
        // SAFETY: both are written.
        let both = unsafe { *one.assume_init_mut() *= 2; *one.assume_init_ref() + two.assume_init() };
        column.iter().map(|(v, k)| v * k as i32).sum::<i32>() + refused * 10_000 + both
    }
    "`read_volatile`, `write_volatile`, `ptr::read` and `ptr::write`" volatile -> i32 |i, x, f| {
        #[derive(Clone, Copy)] #[repr(C)] struct Mixed { on: bool, byte: i8, wide: i64, half: [u16; 3] }
        let mut a = [x[i], 2, 3];
        let mut mixed = Mixed { on: x[i] > 0, byte: -3, wide: 1 << 40, half: [1, 2, 3] };
        // SAFETY: all of them lead to places of their own.
        unsafe {
            core::ptr::write_volatile(&mut a[i % 3], 7);
            let p = a.as_mut_ptr();
            p.add(1).write_volatile(p.read_volatile() + 1);
            core::ptr::write(&mut a[2], core::ptr::read(&a[1]) * 2);
            let mut read = core::ptr::read_volatile(&raw const mixed);
            read.on = !read.on;
            read.half[i % 3] += 9;
            std::ptr::write_volatile(&mut mixed, read);
            core::ptr::read_volatile(&x[i]) + core::ptr::read_volatile(&x[49 - i]) * 2 + a[0] * 3 + a[1] * 5 + core::ptr::read_volatile(&a[2]) * 7
                + mixed.on as i32 * 1000 + mixed.byte as i32 + (mixed.wide >> 38) as i32 + mixed.half[0] as i32 * 11 + mixed.half[2] as i32 * 13 + (f[i] as i32 & 0)
        }
    }
    "`ptr::swap`, `replace`, `copy`, `copy_nonoverlapping` and `write_bytes`" pointer_copies -> i32 |i, x, f| {
        use core::ptr;
        let mut a = [x[i], 2, 3, 4, 5, 6, 7, 8];
        let mut b = [0i32; 4];
        let n = i % 3 + 1;
        // SAFETY: within the arrays.
        let before = unsafe {
            let p = a.as_mut_ptr();
            ptr::copy_nonoverlapping(p.add(i % 5), b.as_mut_ptr(), n);
            ptr::copy(p, p.add(n), 4);
            ptr::copy(p.add(3), p.add(1), n);
            ptr::swap(&mut b[0], p.add(7));
            ptr::write_bytes(p.add(6), i as u8, 1);
            ptr::replace(p.add(i % 8), 9)
        };
        a.iter().chain(&b).fold(before, |s, v| s.wrapping_mul(3).wrapping_add(*v))
    }
    "`NonNull`" non_null -> i32 |i, x, f| {
        use core::ptr::{self, NonNull};
        #[derive(Clone, Copy)] struct Node { value: i32, next: Option<NonNull<Node>> }
        let mut last = Node { value: x[i], next: None };
        let mut nodes = [Node { value: 2, next: NonNull::new(&raw mut last) }, Node { value: 3, next: NonNull::new(ptr::null_mut()) }];
        let first = NonNull::new(nodes.as_mut_ptr()).unwrap();
        // SAFETY: nodes point to nodes of the array, or to `last`.
        unsafe {
            let mut at = first.add(i % 2);
            at.as_mut().value += 10;
            let mut sum = at.read().value;
            while let Some(next) = at.as_ref().next { sum = sum * 5 + next.as_ref().value; at = next; }
            let mut word = 5u32;
            NonNull::new_unchecked(&raw mut word).cast::<i32>().write(-x[i]);
            #[derive(Clone, Copy, PartialEq)] struct Ring { next: *const Ring, id: i32 }
            let own = Ring { next: ptr::null(), id: x[i] };
            sum += (own == Ring { id: x[i], ..own }) as i32 + (own == Ring { id: 3, ..own }) as i32 * 2;
            sum * 100 + word as i32 * 3 + nodes[0].value + (at == first) as i32 + (*at.as_ptr()).value
        }
    }
}
