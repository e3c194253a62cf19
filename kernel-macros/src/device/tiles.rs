//! Matrices, tiles of them in shared memory, and the fragments that warps multiply by tensor cores.
//!
//! In no file that rustc compiles, for lengths of arrays are computed from the shapes: there `kernel_runtime::device::matrix`
//! declares the names. The layout of fragments is that of the PTX ISA, "Matrix Fragments for mma.m16n8k16": with g = lane / 4 and
//! t = lane mod 4 a lane holds columns 2t and 2t + 1 of rows g and g + 8 of each 16 × 8 elements.

// An element of matrices that tensor cores multiply. Parts are 32 bytes deep: 16 rows of so many on the left, eight columns on the right.
pub trait MatrixElement {
    // The elements of a part that a lane holds.
    type LeftPart;
    type RightPart;
    // The elements in 16 bytes of a row.
    type Chunk;
    // The type of their products' sums.
    type Sum;
    const CHUNK: usize;
    // A bit for each type of sums that there may be: of `SumElement::KIND`.
    const SUMS: u32;

    fn empty_chunk() -> Self::Chunk {
        <Self::Chunk>::splat(Self::ZERO)
    }

    fn empty_left() -> Self::LeftPart {
        <Self::LeftPart>::splat(Self::ZERO)
    }
    fn empty_right() -> Self::RightPart {
        <Self::RightPart>::splat(Self::ZERO)
    }

    // A chunk of which so many elements are at `from`, and the rest is zero.
    //
    // SAFETY: callers have them there.
    unsafe fn chunk_of(from: *const Self, count: usize) -> Self::Chunk {
        let mut chunk = Self::empty_chunk();
        #[unroll]
        for i in 0..Self::CHUNK {
            if i < count {
                chunk[i] = unsafe { from.add(i).read() };
            }
        }
        chunk
    }

    // The index of what this lane reads of a left part at this place of a tile; it is the same distance from the part in all parts of a column.
    fn left_place<const R: usize, const C: usize>(row: usize, column: usize) -> usize {
        let lane = warp::lane_id();
        swizzled::<Self, R, C>(row + lane % 16, column + Self::CHUNK * (lane / 16))
    }

    // SAFETY: callers have a part of a tile, and the index of `left_place`, as in all below.
    unsafe fn left_part<const R: usize, const C: usize>(tile: &[Self], place: usize) -> Self::LeftPart {
        unsafe { <Self::LeftPart>::load_matrix_unchecked(tile, place) }
    }

    // As `left_part`, of a tile of the transposed matrix, of elements of 16 bits: the row is a column of the part.
    unsafe fn turned_left_part<const R: usize, const C: usize>(tile: &[Self], row: usize, column: usize) -> Self::LeftPart {
        unsafe { <Self::LeftPart>::load_matrix_transposed_unchecked(tile, turned_place::<Self, R, C>(row, column, 8)) }
    }

    // Two right parts side by side.
    unsafe fn right_parts<const R: usize, const C: usize>(tile: &[Self], row: usize, column: usize) -> (Self::RightPart, Self::RightPart) {
        let lane = warp::lane_id();
        let place = swizzled::<Self, R, C>(row + lane % 16, column + 8 * (lane / 16));
        let both = unsafe { <Self::LeftPart>::load_matrix_transposed_unchecked(tile, place) };
        (<Self::RightPart>::new(both[0], both[1], both[2], both[3]), <Self::RightPart>::new(both[4], both[5], both[6], both[7]))
    }

    unsafe fn right_part<const R: usize, const C: usize>(tile: &[Self], row: usize, column: usize) -> Self::RightPart {
        let place = swizzled::<Self, R, C>(row + warp::lane_id() % 16, column);
        unsafe { <Self::RightPart>::load_matrix_transposed_unchecked(tile, place) }
    }

    // As the two above, of a tile of the transposed matrix: the row is a column of the part.
    unsafe fn turned_parts<const R: usize, const C: usize>(tile: &[Self], row: usize, column: usize) -> (Self::RightPart, Self::RightPart) {
        let both = unsafe { <Self::LeftPart>::load_matrix_unchecked(tile, turned_place::<Self, R, C>(row, column, 8)) };
        (<Self::RightPart>::new(both[0], both[1], both[2], both[3]), <Self::RightPart>::new(both[4], both[5], both[6], both[7]))
    }

    unsafe fn turned_part<const R: usize, const C: usize>(tile: &[Self], row: usize, column: usize) -> Self::RightPart {
        unsafe { <Self::RightPart>::load_matrix_unchecked(tile, turned_place::<Self, R, C>(row, column, 0)) }
    }

    // Adds the product of two parts to a part of the sums.
    fn multiply<P>(left: Self::LeftPart, right: Self::RightPart, sum: P) -> P;

    // A part of a left matrix from two parts of sums beside each other, each rounded to the nearest: of elements of 16 bits.
    fn left_of<P>(first: P, second: P) -> Self::LeftPart {
        Self::empty_left()
    }

    // Bits that say how groups of four warps multiply tiles of them: 1 with the right tile row by row, 2 with the transposed one.
    const GROUPS: u32 = 0;

    // Adds the products of 64 rows of a left tile and a right tile, given by descriptors of parts of 32 bytes along K, to the sums of four warps;
    // or of left parts in the lanes of the four, and a right tile. With `adds` of 0 the sums are not read.
    fn multiply_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        sums
    }

    // As above, of the transposed right tile.
    fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        sums
    }

    // As `multiply_tiles`, of the transposed left tile.
    fn multiply_turned_left_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        sums
    }

    // True if groups of four warps keep too few bits of their sums: the products of a tile are added to the others by the lanes.
    const ARE_PROMOTED: bool = false;

    // True if groups of four warps ignore bits of the elements: tiles that they multiply are filled with rounded ones.
    const IS_ROUNDED: bool = false;

    fn rounded_chunk(chunk: Self::Chunk) -> Self::Chunk {
        chunk
    }

    // The bits of an element of one byte.
    fn byte(self) -> u32 {
        0
    }
}

// The index of the row of 16 bytes that this lane names of right parts in a tile of the transposed matrix: of two parts, the second so many
// rows below; of one, of which `ldmatrix` takes the rows of 16 lanes, 0.
fn turned_place<T, const R: usize, const C: usize>(row: usize, column: usize, second: usize) -> usize {
    let lane = warp::lane_id();
    swizzled::<T, R, C>(row + lane % 8 + second * (lane / 16), column + T::CHUNK * (lane / 8 % 2))
}

// Returns true if all architectures that the kernel names are older than sm_80. One that names none is compiled for sm_80.
fn is_before_sm_80() -> bool {
    target::at_least(75) && !target::at_least(80)
}

impl MatrixElement for f16 {
    type LeftPart = F16x8;
    type RightPart = F16x4;
    type Chunk = F16x8;
    type Sum = f32;
    const CHUNK: usize = 8;
    const SUMS: u32 = 1 | 2;
    const GROUPS: u32 = 1 | 2;

    fn multiply_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_f16(sums, left, right, adds)
    }
    fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_f16_turned(sums, left, right, adds)
    }
    fn multiply_turned_left_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_f16_turned_left(sums, left, right, adds)
    }
    fn left_of<P>(first: P, second: P) -> F16x8 {
        let mut parts = [first, second];
        let mut left = F16x8::splat(f16::ZERO);
        #[unroll]
        for i in 0..8 {
            left[i] = parts[i / 4][i % 4].stored_as::<f16>();
        }
        left
    }

    fn multiply<P>(left: F16x8, right: F16x4, sum: P) -> P {
        if is_before_sm_80() {
            let sum = sum.plus_half_of_halves(
                F16x4::new(left[0], left[1], left[2], left[3]),
                F16x2::new(right[0], right[1]),
            );
            sum.plus_half_of_halves(
                F16x4::new(left[4], left[5], left[6], left[7]),
                F16x2::new(right[2], right[3]),
            )
        } else {
            sum.plus_halves(left, right)
        }
    }
}

// Sums that products of `f16` are added to.
trait HalfSums {
    fn plus_halves(self, left: F16x8, right: F16x4) -> Self;
    fn plus_half_of_halves(self, left: F16x4, right: F16x2) -> Self;
}

impl HalfSums for F32x4 {
    fn plus_halves(self, left: F16x8, right: F16x4) -> F32x4 {
        warp::mma(left, right, self)
    }
    fn plus_half_of_halves(self, left: F16x4, right: F16x2) -> F32x4 {
        warp::mma(left, right, self)
    }
}

impl HalfSums for F16x4 {
    fn plus_halves(self, left: F16x8, right: F16x4) -> F16x4 {
        warp::mma_f16(left, right, self)
    }
    fn plus_half_of_halves(self, left: F16x4, right: F16x2) -> F16x4 {
        warp::mma_f16_of_8_columns(left, right, self)
    }
}

impl MatrixElement for bf16 {
    type LeftPart = Bf16x8;
    type RightPart = Bf16x4;
    type Chunk = Bf16x8;
    type Sum = f32;
    const CHUNK: usize = 8;
    const SUMS: u32 = 1;
    const GROUPS: u32 = 1 | 2;

    fn multiply_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_bf16(sums, left, right, adds)
    }
    fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_bf16_turned(sums, left, right, adds)
    }
    fn multiply_turned_left_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_bf16_turned_left(sums, left, right, adds)
    }
    fn left_of<P>(first: P, second: P) -> Bf16x8 {
        let mut parts = [first, second];
        let mut left = Bf16x8::splat(bf16::ZERO);
        #[unroll]
        for i in 0..8 {
            left[i] = parts[i / 4][i % 4].stored_as::<bf16>();
        }
        left
    }

    fn multiply<P>(left: Bf16x8, right: Bf16x4, sum: P) -> P {
        warp::mma(left, right, sum)
    }
}

// The words of a tile.
fn words<T>(tile: &[T]) -> &[u32] {
    // SAFETY: tiles are aligned to 16 bytes, and whole chunks of them.
    unsafe { slice::from_raw_parts(tile.as_ptr().cast::<u32>(), 4 * tile.len() / T::CHUNK) }
}

// The word of four bytes from a column of a tile on, downwards.
//
// SAFETY: callers have four rows from there on.
unsafe fn word_of_column<T, const R: usize, const C: usize>(tile: &[T], row: usize, column: usize) -> u32 {
    let mut word = 0u32;
    #[unroll]
    for i in 0..4 {
        let byte = unsafe { *tile.get_unchecked(swizzled::<T, R, C>(row + i, column)) };
        word |= byte.byte() << (8 * i as u32);
    }
    word
}

// As `right_part` of bytes: `ldmatrix` does not transpose these.
unsafe fn right_bytes<T, const R: usize, const C: usize>(tile: &[T], row: usize, column: usize) -> U32x2 {
    let lane = warp::lane_id();
    let (row, column) = (row + 4 * (lane % 4), column + lane / 4);
    unsafe { U32x2::new(word_of_column::<T, R, C>(tile, row, column), word_of_column::<T, R, C>(tile, row + 16, column)) }
}

unsafe fn chunk_of_bytes<T>(from: *const T, count: usize) -> U32x4 {
    let mut chunk = U32x4::splat(0);
    #[unroll]
    for i in 0..16 {
        if i < count {
            chunk[i / 4] |= (unsafe { from.add(i).read() }).byte() << (8 * (i % 4) as u32);
        }
    }
    chunk
}

// The bits of an `f32` rounded to tf32: to ten bits behind the point, ties to even, as copies by tensor maps round them.
fn to_tf32(bits: u32) -> u32 {
    if target::at_least(90) {
        // SAFETY: a conversion (PTX ISA, "cvt").
        unsafe {
            inline_ptx!(
                "cvt.rn.tf32.f32 {to}, {from};",
                to = out(u32),
                from = in(u32) bits,
                options(pure, nomem),
                cpu = rounded_to_tf32(bits),
            )
        }
    } else if f32::from_bits(bits).is_nan() {
        0x7fff_ffff
    } else {
        // Products do not read the last 13 bits.
        bits + 0xfff + ((bits & 0x2000) >> 13)
    }
}

fn rounded_to_tf32(bits: u32) -> u32 {
    if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_e000 } else { (bits + 0xfff + (bits >> 13 & 1)) & !0x1fff }
}

// Products are of tf32: the fragments are rounded when they are loaded, tiles for groups of warps when they are filled.
impl MatrixElement for f32 {
    type LeftPart = U32x4;
    type RightPart = U32x2;
    type Chunk = F32x4;
    type Sum = f32;
    const CHUNK: usize = 4;
    const SUMS: u32 = 1;
    const GROUPS: u32 = 2;
    const IS_ROUNDED: bool = true;

    fn multiply_turned_tiles<P, L, D>(sums: P, left: L, right: D, adds: u32) -> P {
        warp::group_products_tf32_turned(sums, left, right, adds)
    }
    fn rounded_chunk(chunk: F32x4) -> F32x4 {
        let mut rounded = chunk;
        #[unroll]
        for i in 0..4 {
            rounded[i] = f32::from_bits(to_tf32(chunk[i].to_bits()));
        }
        rounded
    }

    fn empty_left() -> U32x4 {
        U32x4::splat(0)
    }
    fn empty_right() -> U32x2 {
        U32x2::splat(0)
    }
    unsafe fn left_part<const R: usize, const C: usize>(tile: &[f32], place: usize) -> U32x4 {
        let bits = unsafe { U32x4::load_matrix_unchecked(words(tile), place) };
        U32x4::new(to_tf32(bits[0]), to_tf32(bits[1]), to_tf32(bits[2]), to_tf32(bits[3]))
    }
    unsafe fn right_parts<const R: usize, const C: usize>(tile: &[f32], row: usize, column: usize) -> (U32x2, U32x2) {
        unsafe { (f32::right_part::<R, C>(tile, row, column), f32::right_part::<R, C>(tile, row, column + 8)) }
    }
    unsafe fn right_part<const R: usize, const C: usize>(tile: &[f32], row: usize, column: usize) -> U32x2 {
        let lane = warp::lane_id();
        let (row, column) = (row + lane % 4, column + lane / 4);
        unsafe {
            let upper = *tile.get_unchecked(swizzled::<f32, R, C>(row, column));
            let lower = *tile.get_unchecked(swizzled::<f32, R, C>(row + 4, column));
            U32x2::new(to_tf32(upper.to_bits()), to_tf32(lower.to_bits()))
        }
    }
    unsafe fn turned_parts<const R: usize, const C: usize>(tile: &[f32], row: usize, column: usize) -> (U32x2, U32x2) {
        let bits = unsafe { U32x4::load_matrix_unchecked(words(tile), turned_place::<f32, R, C>(row, column, 8)) };
        (U32x2::new(to_tf32(bits[0]), to_tf32(bits[1])), U32x2::new(to_tf32(bits[2]), to_tf32(bits[3])))
    }
    unsafe fn turned_part<const R: usize, const C: usize>(tile: &[f32], row: usize, column: usize) -> U32x2 {
        let bits = unsafe { U32x2::load_matrix_unchecked(words(tile), turned_place::<f32, R, C>(row, column, 0)) };
        U32x2::new(to_tf32(bits[0]), to_tf32(bits[1]))
    }

    fn multiply<P>(left: U32x4, right: U32x2, sum: P) -> P {
        warp::mma_tf32(left, right, sum)
    }
}

// Parts are two products of eight rows.
impl MatrixElement for f64 {
    type LeftPart = F64x2;
    type RightPart = f64;
    type Chunk = F64x2;
    type Sum = f64;
    const CHUNK: usize = 2;
    const SUMS: u32 = 8;

    fn empty_right() -> f64 {
        0.0
    }
    fn left_place<const R: usize, const C: usize>(row: usize, column: usize) -> usize {
        let lane = warp::lane_id();
        swizzled::<f64, R, C>(row + lane / 4, column + lane % 4)
    }
    unsafe fn left_part<const R: usize, const C: usize>(tile: &[f64], place: usize) -> F64x2 {
        // Rows are permuted alike every eight.
        unsafe { F64x2::new(*tile.get_unchecked(place), *tile.get_unchecked(place + 8 * row_pitch::<f64, C>())) }
    }
    unsafe fn right_parts<const R: usize, const C: usize>(tile: &[f64], row: usize, column: usize) -> (f64, f64) {
        unsafe { (f64::right_part::<R, C>(tile, row, column), f64::right_part::<R, C>(tile, row, column + 8)) }
    }
    unsafe fn right_part<const R: usize, const C: usize>(tile: &[f64], row: usize, column: usize) -> f64 {
        let lane = warp::lane_id();
        unsafe { *tile.get_unchecked(swizzled::<f64, R, C>(row + lane % 4, column + lane / 4)) }
    }
    unsafe fn turned_parts<const R: usize, const C: usize>(tile: &[f64], row: usize, column: usize) -> (f64, f64) {
        unsafe { (f64::turned_part::<R, C>(tile, row, column), f64::turned_part::<R, C>(tile, row + 8, column)) }
    }
    unsafe fn turned_part<const R: usize, const C: usize>(tile: &[f64], row: usize, column: usize) -> f64 {
        let lane = warp::lane_id();
        unsafe { *tile.get_unchecked(swizzled::<f64, R, C>(row + lane / 4, column + lane % 4)) }
    }

    fn multiply<P>(left: F64x2, right: f64, sum: P) -> P {
        let upper = warp::mma_f64(left[0], right, F64x2::new(sum[0], sum[1]));
        let lower = warp::mma_f64(left[1], right, F64x2::new(sum[2], sum[3]));
        [upper[0], upper[1], lower[0], lower[1]]
    }
}

// Ends the kernel where products of such elements have no sums of this type.
fn check_sums<T, S>() {
    assert!(
        T::SUMS & S::KIND != 0,
        "expected operands whose products have sums of this type, found others\nhelp: sums of `f16` are `f32` or `f16`, of `bf16`, `f32`, `E4M3` \
         and `E5M2` `f32`, of `i8` and `u8` `i32`, of `f64` `f64`"
    );
}

// The first words of this lane and of the one that is so many away, in their order, if it is the lower of both; else the second words.
fn exchange(first: u32, second: u32, is_upper: bool, away: u32) -> (u32, u32) {
    let theirs = warp::shfl_xor(if is_upper { first } else { second }, away);
    if is_upper { (theirs, second) } else { (first, theirs) }
}

// A type of sums.
pub trait SumElement {
    // The sums that a lane holds of 16 × 8.
    type Part;
    const KIND: u32;
    fn zeros() -> Self::Part;
    fn stored_as<T>(self) -> T;
}

impl SumElement for f32 {
    type Part = F32x4;
    const KIND: u32 = 1;
    fn zeros() -> F32x4 {
        F32x4::splat(0.0)
    }
    fn stored_as<T>(self) -> T {
        T::of_f32(self)
    }
}

impl SumElement for f16 {
    type Part = F16x4;
    const KIND: u32 = 2;
    fn zeros() -> F16x4 {
        F16x4::splat(f16::ZERO)
    }
    fn stored_as<T>(self) -> T {
        T::of_f16(self)
    }
}

impl SumElement for i32 {
    type Part = I32x4;
    const KIND: u32 = 4;
    fn zeros() -> I32x4 {
        I32x4::splat(0)
    }
    fn stored_as<T>(self) -> T {
        T::of_i32(self)
    }
}

impl SumElement for f64 {
    type Part = [f64; 4];
    const KIND: u32 = 8;
    fn zeros() -> [f64; 4] {
        [0.0; 4]
    }
    fn stored_as<T>(self) -> T {
        T::of_f64(self)
    }
}

// A type that sums are stored as. A conversion that is not overridden is a mistake of the call.
pub trait OfSum {
    // Writes one, and if there are two the other beside it.
    //
    // SAFETY: callers have the place of so many.
    unsafe fn put(place: *mut Self, first: Self, second: Self, are_two: bool) {
        unsafe {
            if are_two && place.addr() % (2 * size_of::<Self>()) == 0 {
                Self::put_two(place, first, second);
            } else {
                place.write(first);
                if are_two {
                    place.add(1).write(second);
                }
            }
        }
    }
    // Writes two beside each other, at a multiple of their bytes.
    //
    // SAFETY: callers have the place of both.
    unsafe fn put_two(place: *mut Self, first: Self, second: Self) {
        unsafe {
            place.write(first);
            place.add(1).write(second);
        }
    }
    // Of elements of two bytes: two side by side as a word.
    const ARE_PAIRS: bool = false;
    fn pair(first: Self, second: Self) -> u32 {
        0
    }
    fn of_f32(sum: f32) -> Self {
        assert!(
            false,
            "expected a matrix of `f32`, `f16` or `bf16`, as sums of `f32` are stored, found one of other elements\nhelp: take one of these"
        );
        Self::ZERO
    }
    fn of_f16(sum: f16) -> Self {
        assert!(false, "expected a matrix of `f16`, as sums of `f16` are stored, found one of other elements\nhelp: take one of `f16`");
        Self::ZERO
    }
    fn of_i32(sum: i32) -> Self {
        assert!(false, "expected a matrix of `i32`, as sums of `i32` are stored, found one of other elements\nhelp: take one of `i32`, or make them \
                       `f32` first: `sum.map(|x| x as f32)`");
        Self::ZERO
    }
    fn of_f64(sum: f64) -> Self {
        assert!(false, "expected a matrix of `f64`, as sums of `f64` are stored, found one of other elements\nhelp: take one of `f64`");
        Self::ZERO
    }
}

impl OfSum for f32 {
    unsafe fn put_two(place: *mut f32, first: f32, second: f32) {
        unsafe { place.cast::<F32x2>().write(F32x2::new(first, second)) };
    }
    fn of_f32(sum: f32) -> f32 {
        sum
    }
}

impl OfSum for f16 {
    unsafe fn put_two(place: *mut f16, first: f16, second: f16) {
        unsafe { place.cast::<F16x2>().write(F16x2::new(first, second)) };
    }
    const ARE_PAIRS: bool = true;
    fn pair(first: f16, second: f16) -> u32 {
        (first.to_bits() as u32) | (second.to_bits() as u32) << 16
    }
    fn of_f32(sum: f32) -> f16 {
        f16::from_f32(sum)
    }
    fn of_f16(sum: f16) -> f16 {
        sum
    }
}

impl OfSum for bf16 {
    unsafe fn put_two(place: *mut bf16, first: bf16, second: bf16) {
        unsafe { place.cast::<Bf16x2>().write(Bf16x2::new(first, second)) };
    }
    const ARE_PAIRS: bool = true;
    fn pair(first: bf16, second: bf16) -> u32 {
        (first.to_bits() as u32) | (second.to_bits() as u32) << 16
    }
    fn of_f32(sum: f32) -> bf16 {
        bf16::from_f32(sum)
    }
}

impl OfSum for i32 {
    unsafe fn put_two(place: *mut i32, first: i32, second: i32) {
        unsafe { place.cast::<I32x2>().write(I32x2::new(first, second)) };
    }
    fn of_i32(sum: i32) -> i32 {
        sum
    }
}

impl OfSum for f64 {
    unsafe fn put_two(place: *mut f64, first: f64, second: f64) {
        unsafe { place.cast::<F64x2>().write(F64x2::new(first, second)) };
    }
    fn of_f64(sum: f64) -> f64 {
        sum
    }
}

// Nothing is stored as these.
impl OfSum for u32 {}
impl OfSum for i8 {}
impl OfSum for u8 {}
impl OfSum for i16 {}
impl OfSum for u16 {}
impl OfSum for i64 {}
impl OfSum for u64 {}
impl OfSum for usize {}
impl OfSum for isize {}

// Every element inside of the shape is in the slice, and its index is below 2³².
fn fits(len: usize, rows: usize, columns: usize, stride: usize) -> bool {
    if rows == 0 || columns == 0 {
        return true;
    }
    let least = (rows - 1) * stride + columns;
    (rows | stride) >> 32 == 0 && columns <= stride && least <= len && least >> 32 == 0
}

// The index of an element in the shape of a matrix that fits: below 2³², as the least length of a slice for it is.
//
// SAFETY: callers know that the element is in the shape.
unsafe fn place_in_matrix(at: [usize; 2], stride: usize) -> usize {
    // SAFETY: no index wraps, and the product is no more than the index.
    unsafe { (at[0] as u32).unchecked_mul(stride as u32).unchecked_add(at[1] as u32) as usize }
}

// Returns true if what is there is in global memory.
fn is_global<T>(place: *const T) -> bool {
    // SAFETY: a test of an address.
    unsafe {
        inline_ptx!(
            ".reg .pred %in_global;",
            "isspacep.global %in_global, {place};",
            "selp.b32 {is_global}, 1, 0, %in_global;",
            is_global = out(u32),
            place = in(usize) place as usize,
            options(pure, nomem),
            cpu = 1,
        ) != 0
    }
}

#[derive(Clone, Copy)]
pub struct Matrix<'a, T> {
    // Invariant: `fits` holds for the length and the shape.
    elements: &'a [T],
    rows: usize,
    columns: usize,
    stride: usize,
    // The address of a tensor map of it, or 0. It describes the matrix if `is_mapped`.
    map: usize,
    // Its elements are in global memory, the only one that copies past registers read.
    is_global: bool,
}

impl<'a, T> Matrix<'a, T> {
    pub fn new(elements: &'a [T], shape: [usize; 2]) -> Matrix<'a, T> {
        Matrix::<T>::with_stride(elements, shape, shape[1])
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a [T], rows: u32, columns: u32, stride: u32) -> Matrix<'a, T> {
        let map = tensor_map(elements);
        Self { elements, rows: rows as usize, columns: columns as usize, stride: stride as usize, map, is_global: true }
    }

    // The conditions of the host's `map_of_matrix`.
    fn is_mapped(&self) -> bool {
        let is_aligned = self.elements.as_ptr().addr() % 16 == 0 && self.stride % T::CHUNK == 0;
        self.map != 0 && is_aligned && self.rows != 0 && self.columns != 0
    }

    pub fn with_stride(elements: &'a [T], shape: [usize; 2], stride: usize) -> Matrix<'a, T> {
        let len = elements.len();
        assert!(
            fits(len, shape[0], shape[1], stride),
            "expected a slice with every row of a matrix of {} × {} elements, found {} elements and a row every {}",
            shape[0], shape[1], len, stride
        );
        Self { elements, rows: shape[0], columns: shape[1], stride, map: 0, is_global: is_global(elements.as_ptr()) }
    }

    // It has no map: that of all rows would copy those below, too.
    pub fn first_rows(&self, rows: usize) -> Matrix<'_, T> {
        Matrix {
            elements: self.elements,
            rows: rows.min(self.rows),
            columns: self.columns,
            stride: self.stride,
            map: 0,
            is_global: self.is_global,
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn at(&self, row: usize, column: usize) -> T {
        self[[row, column]]
    }

    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &self.elements[start..start + self.columns]
    }
}

impl<'a, T> Index<[usize; 2]> for Matrix<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 2]) -> &T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_matrix(at, self.stride)) }
    }
}

pub struct MatrixMut<'a, T> {
    // Invariant: as that of `Matrix`.
    elements: &'a mut [T],
    rows: usize,
    columns: usize,
    stride: usize,
}

impl<'a, T> MatrixMut<'a, T> {
    pub fn new(elements: &'a mut [T], shape: [usize; 2]) -> MatrixMut<'a, T> {
        MatrixMut::<T>::with_stride(elements, shape, shape[1])
    }

    // A parameter of a kernel: the launch has checked that it fits.
    pub fn of_parameter(elements: &'a mut [T], rows: u32, columns: u32, stride: u32) -> MatrixMut<'a, T> {
        Self { elements, rows: rows as usize, columns: columns as usize, stride: stride as usize }
    }

    pub fn with_stride(elements: &'a mut [T], shape: [usize; 2], stride: usize) -> MatrixMut<'a, T> {
        let len = elements.len();
        assert!(
            fits(len, shape[0], shape[1], stride),
            "expected a slice with every row of a matrix of {} × {} elements, found {} elements and a row every {}",
            shape[0], shape[1], len, stride
        );
        Self { elements, rows: shape[0], columns: shape[1], stride }
    }

    pub fn first_rows(&mut self, rows: usize) -> MatrixMut<'_, T> {
        MatrixMut { elements: &mut *self.elements, rows: rows.min(self.rows), columns: self.columns, stride: self.stride }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn at(&self, row: usize, column: usize) -> T {
        self[[row, column]]
    }

    pub fn row(&self, row: usize) -> &[T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &self.elements[start..start + self.columns]
    }

    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        assert!(row < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, row);
        let start = row * self.stride;
        &mut self.elements[start..start + self.columns]
    }
}

impl<'a, T> Index<[usize; 2]> for MatrixMut<'a, T> {
    type Output = T;

    fn index(&self, at: [usize; 2]) -> &T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked(place_in_matrix(at, self.stride)) }
    }
}

impl<'a, T> IndexMut<[usize; 2]> for MatrixMut<'a, T> {
    fn index_mut(&mut self, at: [usize; 2]) -> &mut T {
        assert!(at[0] < self.rows, "row out of bounds: the matrix has {} rows but the row is {}", self.rows, at[0]);
        assert!(at[1] < self.columns, "column out of bounds: the matrix has {} columns but the column is {}", self.columns, at[1]);
        // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
        unsafe { self.elements.get_unchecked_mut(place_in_matrix(at, self.stride)) }
    }
}

impl<'a> MatrixMut<'a, f32> {
    pub fn store_vector(&mut self, at: [usize; 2], values: F32x4) {
        if at[0] < self.rows && at[1] < self.columns {
            let count = self.columns - at[1];
            // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
            unsafe {
                let place = self.elements.as_mut_ptr().add(place_in_matrix(at, self.stride));
                if count >= 4 && place.addr() % 16 == 0 {
                    place.cast::<F32x4>().write(values);
                } else {
                    #[unroll]
                    for i in 0..4 {
                        if i < count {
                            place.add(i).write(values[i]);
                        }
                    }
                }
            }
        }
    }
}

// The elements from a row of a tile to the next. Rows of whole lines of 128 bytes are cut into panels of one line, which stand one behind the
// other: `wgmma` and copies by tensor maps know no others.
fn row_pitch<T, const C: usize>() -> usize {
    if C / T::CHUNK % 8 == 0 { 8 * T::CHUNK } else { C }
}

// The index of the element in a row and column of a tile of `R` rows of `C` elements.
//
// Chunks of 16 bytes are permuted by XOR within the largest power of two that divides their number in a row, up to eight, so
// that eight neighbouring rows' chunks of one column are in different banks: shared memory has a bank for each 4 of 128 bytes. Of rows of 32, 64
// and 128 bytes it is the swizzle of that width in a tensor map (CUDA driver API, "CUtensorMapSwizzle").
fn swizzled<T, const R: usize, const C: usize>(row: usize, column: usize) -> usize {
    let chunks = C / T::CHUNK;
    let pitch = row_pitch::<T, C>();
    let mut period = 8;
    if chunks % 8 != 0 {
        period = chunks & chunks.wrapping_neg();
    }
    let chunk = (column % pitch / T::CHUNK) ^ (row / (8 / period) % period);
    (column / pitch * R + row) * pitch + T::CHUNK * chunk + column % T::CHUNK
}

#[repr(align(16))]
pub struct SharedTile<T, const R: usize, const C: usize> {
    elements: [T; R * C],
}

impl<T, const R: usize, const C: usize> SharedTile<T, R, C> {
    // Each thread copies chunks of 16 bytes.
    pub fn load(&mut self, from: &Matrix<'_, T>, at: [usize; 2]) {
        warp::whole_block();
        let (first, threads) = block_rank();
        let mut loading = EmptyTile { tile: self }.load(from, at);
        loading.copy_parts(first, threads);
        close_copies();
        wait_for_copies::<0>();
        publish_to_groups();
    }

    // A chunk that is not aligned in the matrix or not whole is copied element by element.
    //
    // SAFETY: callers have a `chunk` below their number.
    unsafe fn load_chunk(&mut self, from: &Matrix<'_, T>, at: [usize; 2], chunk: usize) {
        let width = C / T::CHUNK;
        let part_row = chunk / width;
        let part_column = T::CHUNK * (chunk % width);
        let row = at[0] + part_row;
        let column = at[1] + part_column;
        let mut values = T::empty_chunk();
        if row < from.rows && column < from.columns {
            // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
            unsafe {
                let place = from.elements.as_ptr().add(row * from.stride + column);
                if from.columns - column >= T::CHUNK && place.addr() % 16 == 0 {
                    values = place.cast::<T::Chunk>().read();
                } else {
                    values = T::chunk_of(place, from.columns - column);
                }
                if target::has_warpgroups() {
                    values = T::rounded_chunk(values);
                }
            }
        }
        // SAFETY: the chunk is inside of the tile, which is aligned to 16 bytes, as are its chunks.
        unsafe {
            let place = self.elements.as_mut_ptr().add(swizzled::<T, R, C>(part_row, part_column));
            place.cast::<T::Chunk>().write(values);
        }
    }
}

impl<T, const R: usize, const C: usize> SharedTile<T, R, C> {
    pub fn at(&self, row: usize, column: usize) -> T {
        assert!(row < R && column < C, "expected an element of a tile of {} × {}, found [{}, {}]", R, C, row, column);
        check_readable::<T>();
        // SAFETY: the condition.
        unsafe { *self.elements.get_unchecked(swizzled::<T, R, C>(row, column)) }
    }
}

impl<const R: usize, const C: usize> SharedTile<f32, R, C> {
    pub fn vector_at(&self, row: usize, column: usize) -> F32x4 {
        assert!(
            row < R && column < C && column % 4 == 0,
            "expected four elements of a tile of {} × {}, from a column that is a multiple of 4, found [{}, {}]",
            R, C, row, column
        );
        check_readable::<f32>();
        // SAFETY: the condition; a chunk of a tile is aligned to 16 bytes.
        unsafe { self.elements.as_ptr().add(swizzled::<f32, R, C>(row, column)).cast::<F32x4>().read() }
    }
}

// Ends the kernel where tiles hold other elements than their matrix.
fn check_readable<T>() {
    assert!(
        !(T::IS_ROUNDED && target::may_have_warpgroups()),
        "expected a tile that holds the elements of its matrix, found one of `f32` in a kernel for `sm_90a`, where tiles hold them rounded to tf32\nhelp: \
         compile the kernel for `arch(sm_80)`, which newer devices run, too"
    );
}

impl<T, const R: usize, const C: usize> SharedTile<T, R, C> {
    // Writes 16 rows from this one on, which the lanes of a warp hold, of elements of 16 bits. A word of each lane goes to a bank of its own.
    //
    // SAFETY: callers have these rows in the tile, and nobody reads them.
    unsafe fn put_rows(&mut self, rows: &Left<T, 16, C>, row: usize) {
        let lane = warp::lane_id();
        #[unroll]
        for part in 0..C / 16 {
            #[unroll]
            for i in 0..4 {
                let place = swizzled::<T, R, C>(row + lane / 4 + 8 * (i % 2), 16 * part + 8 * (i / 2) + 2 * (lane % 4));
                unsafe { T::put_two(self.elements.as_mut_ptr().add(place), rows.parts[part][2 * i], rows.parts[part][2 * i + 1]) };
            }
        }
    }
}

// This thread's number in its block, and how many there are.
fn block_rank() -> (usize, usize) {
    let block = block_dim();
    let thread = thread_idx();
    ((thread.z * block.y + thread.y) * block.x + thread.x, block.x * block.y * block.z)
}

// Starts the copy of the chunk of 16 bytes at `from`, of which as many as `count` are there, to one of a tile. The rest is zero: by
// the source size of `cp.async` (PTX ISA, "Data Movement and Conversion Instructions: cp.async").
//
// SAFETY: callers have `count` elements at `from`, in global memory and aligned to 16 bytes, and a chunk of a tile at `to`.
unsafe fn start_copy<T>(from: *const T, count: usize, to: *mut T) {
    let bytes = (16 / T::CHUNK * count) as u32;
    unsafe {
        inline_ptx!(
            ".reg .b64 %from, %to;",
            "cvta.to.global.u64 %from, {from};",
            "cvta.to.shared.u64 %to, {to};",
            "cp.async.cg.shared.global [%to], [%from], 16, {bytes};",
            from = in(usize) from as usize,
            to = in(usize) to as usize,
            bytes = in(u32) bytes,
            cpu = {
                for i in 0..T::CHUNK {
                    let element = if i < count { (from as *const T).add(i).read() } else { T::ZERO };
                    (to as *mut T).add(i).write(element);
                }
            },
        );
    }
}

// Closes a group of the copies that this thread has started since the last one.
fn close_copies() {
    if target::at_least(80) {
        // SAFETY: it only counts.
        unsafe { inline_ptx!("cp.async.commit_group;", cpu = ()) };
    }
}

// Waits until no more than the youngest `N` groups of this thread are under way.
fn wait_for_copies<const N: usize>() {
    if target::at_least(80) {
        // SAFETY: it only waits.
        unsafe { inline_ptx!("cp.async.wait_group {n};", n = const N, cpu = ()) };
    }
}

// A tile that is to be filled: used up by the load that fills it.
pub struct EmptyTile<'a, T, const R: usize, const C: usize> {
    tile: &'a mut SharedTile<T, R, C>,
}

// The blocks of a cluster that fill a tile together: a bit for each, how many they are, and the number of this one among them.
#[derive(Clone, Copy)]
struct Sharers {
    blocks: u32,
    count: u32,
    number: u32,
}

// A tile and what it is to be filled with. The stages start the copies once all tiles of a stage are known.
pub struct LoadingTile<'a, T, const R: usize, const C: usize> {
    tile: &'a mut SharedTile<T, R, C>,
    from: Matrix<'a, T>,
    at: [usize; 2],
    // Only stages of clusters ask for them: in others each block fills its own.
    sharers: Sharers,
}

impl<'a, T, const R: usize, const C: usize> EmptyTile<'a, T, R, C> {
    pub fn load(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<'a, T, R, C> {
        LoadingTile { tile: self.tile, from: *from, at, sharers: Sharers { blocks: 0, count: 1, number: 0 } }
    }

    pub fn load_for_row(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<'a, T, R, C> {
        let number = cluster::block_idx().x as u32;
        let count = special::cluster_nctaid().x as u32;
        let first = cluster::block_rank() as u32 - number;
        LoadingTile { tile: self.tile, from: *from, at, sharers: Sharers { blocks: ((1 << count) - 1) << first, count, number } }
    }

    pub fn load_for_column(self, from: &Matrix<'_, T>, at: [usize; 2]) -> LoadingTile<'a, T, R, C> {
        let number = cluster::block_idx().y as u32;
        let size = special::cluster_nctaid();
        let first = cluster::block_rank() as u32 - number * size.x as u32;
        let mut blocks = 0u32;
        for other in 0..size.y {
            blocks |= 1 << (first + (other * size.x) as u32);
        }
        LoadingTile { tile: self.tile, from: *from, at, sharers: Sharers { blocks, count: size.y as u32, number } }
    }
}

impl<'a, T, const R: usize, const C: usize> LoadingTile<'a, T, R, C> {
    // Chunks of the tile are aligned where they are in the matrix, too, and `start_copy` may copy them.
    fn is_aligned(&self) -> bool {
        let from = self.from;
        from.is_global && from.elements.as_ptr().addr() % 16 == 0 && from.stride % T::CHUNK == 0 && self.at[1] % T::CHUNK == 0
    }

    // Returns true if the tile is inside of the matrix, uniformly over the block, and `copy_whole` may copy it.
    fn is_whole(&self) -> bool {
        let (_, threads) = block_rank();
        // Each step's chunks are so many whole rows below the last step's.
        let regular = threads % (C / T::CHUNK) == 0;
        let from = self.from;
        let rows_are_there = R <= from.rows && self.at[0] <= from.rows - R;
        let columns_are_there = C <= from.columns && self.at[1] <= from.columns - C;
        target::at_least(80) && regular && self.is_aligned() && rows_are_there && columns_are_there
    }

    // Starts one of so many equal parts of the copies.
    //
    // SAFETY: callers have asked `is_whole`.
    unsafe fn copy_whole(&mut self, part: usize, parts: usize) {
        let (first, threads) = block_rank();
        let width = C / T::CHUNK;
        let total = R * width;
        let part_row = first / width;
        let part_column = T::CHUNK * (first % width);
        let rows = threads / width;
        let stride = self.from.stride;
        // Wraps in threads that copy nothing.
        let place = ((self.at[0] + part_row) as u32 * stride as u32 + (self.at[1] + part_column) as u32) as usize;
        let from_first = self.from.elements.as_ptr().wrapping_add(place);
        let to_first = self.tile.elements.as_mut_ptr().wrapping_add(swizzled::<T, R, C>(part_row, part_column));
        let steps = (total + threads - 1) / threads;
        #[unroll]
        for step in part * steps / parts..(part + 1) * steps / parts {
            if total % threads == 0 || step * threads + first < total {
                // SAFETY: by the invariant of the matrix every chunk of a tile inside of its shape is in the slice, at an index
                // below 2³²; it is aligned, and the chunk of the tile is inside of it.
                unsafe {
                    let place = from_first.wrapping_add(place_in_matrix([step * rows, 0], stride));
                    // Rows are permuted alike every eight.
                    let to = if rows % 8 == 0 {
                        to_first.wrapping_add(step * rows * row_pitch::<T, C>())
                    } else {
                        self.tile.elements.as_mut_ptr().wrapping_add(swizzled::<T, R, C>(part_row + step * rows, part_column))
                    };
                    start_copy::<T>(place, T::CHUNK, to);
                }
            }
        }
    }

    // Taken by tiles at the edges, and by matrices that are not aligned: small. This thread is number `first` of so many that copy.
    fn copy_parts(&mut self, first: usize, threads: usize) {
        let width = C / T::CHUNK;
        let total = R * width;
        let from = self.from;
        // Elements that are to be rounded go through registers.
        let is_as_it_is = !(T::IS_ROUNDED && target::has_warpgroups());
        if target::at_least(80) && is_as_it_is && self.is_aligned() {
            #[unroll(1)]
            for step in 0..(total + threads - 1) / threads {
                let chunk = step * threads + first;
                if chunk < total {
                    let part_row = chunk / width;
                    let part_column = T::CHUNK * (chunk % width);
                    let row = self.at[0] + part_row;
                    let column = self.at[1] + part_column;
                    let mut count = 0;
                    if row < from.rows && column < from.columns {
                        count = T::CHUNK;
                        if from.columns - column < T::CHUNK {
                            count = from.columns - column;
                        }
                    }
                    let place = from.elements.as_ptr().wrapping_add(row * from.stride + column);
                    // SAFETY: by the invariant of the matrix so many elements are in the slice, at a chunk that is aligned; the chunk of
                    // the tile is inside of it.
                    unsafe {
                        let to = self.tile.elements.as_mut_ptr().add(swizzled::<T, R, C>(part_row, part_column));
                        start_copy::<T>(place, count, to);
                    }
                }
            }
        } else {
            #[unroll(1)]
            for step in 0..(total + threads - 1) / threads {
                let chunk = step * threads + first;
                if chunk < total {
                    // SAFETY: the condition.
                    unsafe { self.tile.load_chunk(&from, self.at, chunk) };
                }
            }
        }
    }

    fn copy(&mut self) {
        if self.is_whole() {
            // SAFETY: the condition.
            unsafe { self.copy_whole(0, 1) };
        } else {
            let (first, threads) = block_rank();
            self.copy_parts(first, threads);
        }
    }
}

// Barriers in shared memory that count arrivals and bytes (PTX ISA, "Parallel Synchronization and Communication Instructions: mbarrier"), by
// their addresses there. On the CPU there are none.

// The address in shared memory of what is there.
fn shared_address<T>(place: *const T) -> u32 {
    // SAFETY: a conversion of an address.
    unsafe {
        inline_ptx!(
            ".reg .b64 %in_shared;",
            "cvta.to.shared.u64 %in_shared, {place};",
            "cvt.u32.u64 {address}, %in_shared;",
            address = out(u32),
            place = in(usize) place as usize,
            options(pure, nomem),
            cpu = 0,
        )
    }
}

// SAFETY: callers have a word of shared memory there that nobody else uses.
unsafe fn start_barrier(barrier: u32, arrivals: u32) {
    unsafe {
        inline_ptx!(
            "mbarrier.init.shared::cta.b64 [{barrier}], {arrivals};",
            barrier = in(u32) barrier,
            arrivals = in(u32) arrivals,
            cpu = (),
        );
    }
}

// Makes barriers that were started known to what copies.
fn publish_barriers() {
    // SAFETY: fences.
    unsafe { inline_ptx!("fence.mbarrier_init.release.cluster;", "fence.proxy.async.shared::cta;", cpu = ()) };
}

// Orders what threads did with shared memory before what copies by maps and products by groups of warps do, and behind what they did.
fn fence_proxy() {
    // SAFETY: a fence.
    unsafe { inline_ptx!("fence.proxy.async.shared::cta;", cpu = ()) };
}

// As above where products by groups of warps may read what this thread wrote, once a barrier has come after it.
fn publish_to_groups() {
    if target::has_warpgroups() {
        fence_proxy();
    }
}

// The number of this warp's group of four, which is the same in all lanes, as everyone can see.
fn warpgroup() -> usize {
    warp::shfl_idx(warp::warp_id() as u32 / 4, 0) as usize
}

// Registers that the filling warps of a block of two or three more groups give to those, in shares of 8 of all 512 that a block of one
// thread in each partition's lanes has (PTX ISA, "Miscellaneous Instructions: setmaxnreg"). Blocks start with the same number in all warps.
struct Registers {}

impl Registers {
    fn give() -> Registers {
        let (_, threads) = block_rank();
        // SAFETY: all of the four warps come here, and the others take what these give.
        unsafe {
            if threads == 384 {
                inline_ptx!("setmaxnreg.dec.sync.aligned.u32 40;", cpu = ());
            }
            if threads == 512 {
                inline_ptx!("setmaxnreg.dec.sync.aligned.u32 32;", cpu = ());
            }
        }
        Registers {}
    }
    fn take_back(self) {
        let (_, threads) = block_rank();
        // SAFETY: as above; the others give back first.
        unsafe {
            if threads == 384 {
                inline_ptx!("setmaxnreg.inc.sync.aligned.u32 168;", cpu = ());
            }
            if threads == 512 {
                inline_ptx!("setmaxnreg.inc.sync.aligned.u32 128;", cpu = ());
            }
        }
    }
    fn take() -> Registers {
        let (_, threads) = block_rank();
        // SAFETY: as above.
        unsafe {
            if threads == 384 {
                inline_ptx!("setmaxnreg.inc.sync.aligned.u32 232;", cpu = ());
            }
            if threads == 512 {
                inline_ptx!("setmaxnreg.inc.sync.aligned.u32 160;", cpu = ());
            }
        }
        Registers {}
    }
    fn give_back(self) {
        let (_, threads) = block_rank();
        // SAFETY: as above.
        unsafe {
            if threads == 384 {
                inline_ptx!("setmaxnreg.dec.sync.aligned.u32 168;", cpu = ());
            }
            if threads == 512 {
                inline_ptx!("setmaxnreg.dec.sync.aligned.u32 128;", cpu = ());
            }
        }
    }
}

// SAFETY: callers have a barrier there, as in all below.
unsafe fn arrive(barrier: u32, arrivals: u32) {
    unsafe {
        inline_ptx!(
            "mbarrier.arrive.shared::cta.b64 _, [{barrier}], {arrivals};",
            barrier = in(u32) barrier,
            arrivals = in(u32) arrivals,
            cpu = (),
        );
    }
}

unsafe fn expect_bytes(barrier: u32, bytes: u32) {
    unsafe {
        inline_ptx!(
            "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{barrier}], {bytes};",
            barrier = in(u32) barrier,
            bytes = in(u32) bytes,
            cpu = (),
        );
    }
}

// Returns true if the phase of this parity is complete, after a while.
unsafe fn is_complete(barrier: u32, parity: u32) -> bool {
    unsafe {
        inline_ptx!(
            ".reg .pred %done;",
            "mbarrier.try_wait.parity.shared::cta.b64 %done, [{barrier}], {parity};",
            "selp.b32 {is_done}, 1, 0, %done;",
            is_done = out(u32),
            barrier = in(u32) barrier,
            parity = in(u32) parity,
            cpu = 1,
        ) != 0
    }
}

// Waits, unless a thread panicked, which arrives nowhere.
unsafe fn wait_for_phase(barrier: u32, parity: u32) {
    // SAFETY: as above.
    wait_until(|| unsafe { is_complete(barrier, parity) });
}

fn wait_until(is_complete: impl Fn() -> bool) {
    let mut looks = 0u32;
    #[unroll(1)]
    while !is_complete() {
        // The record lies far away.
        looks += 1;
        if looks % 64 == 0 && has_panicked() {
            // Copies may be under way, which threads that panic outlast.
            assert!(is_complete(), "expected other warps to fill or multiply a stage, found that one of them panicked");
        }
    }
}

// A barrier in shared memory at which so many warps arrive, each once in a phase. On the CPU it counts them.
#[derive(Clone, Copy)]
struct WarpBarrier<'a> {
    word: &'a AtomicU64,
    warps: usize,
}

impl<'a> WarpBarrier<'a> {
    fn address(self) -> u32 {
        shared_address(self.word as *const AtomicU64)
    }

    // By one thread, a barrier of the block before all others.
    fn start(self) {
        // SAFETY: nobody else uses the word.
        unsafe {
            inline_ptx!(
                "mbarrier.init.shared::cta.b64 [{barrier}], {warps};",
                barrier = in(u32) self.address(),
                warps = in(u32) self.warps as u32,
                cpu = self.word.store(0, device::Ordering::Relaxed),
            );
        }
    }

    // By all lanes of a warp: what they did before is done for those who wait.
    fn arrive(self) {
        warp::sync();
        if warp::lane_id() == 0 {
            // SAFETY: the barrier is started.
            unsafe {
                inline_ptx!(
                    "mbarrier.arrive.shared::cta.b64 _, [{barrier}];",
                    barrier = in(u32) self.address(),
                    cpu = {
                        self.word.fetch_add(1, device::Ordering::Release);
                    },
                );
            }
        }
    }

    // Waits for the phase of this parity.
    fn wait(self, parity: u32) {
        wait_until(|| self.is_complete(parity));
    }

    fn is_complete(self, parity: u32) -> bool {
        // SAFETY: the barrier is started.
        unsafe {
            if target::at_least(90) {
                inline_ptx!(
                    ".reg .pred %done;",
                    "mbarrier.try_wait.parity.shared::cta.b64 %done, [{barrier}], {parity};",
                    "selp.b32 {is_done}, 1, 0, %done;",
                    is_done = out(u32),
                    barrier = in(u32) self.address(),
                    parity = in(u32) parity,
                    cpu = self.is_counted(parity) as u32,
                ) != 0
            } else {
                inline_ptx!(
                    ".reg .pred %done;",
                    "mbarrier.test_wait.parity.shared::cta.b64 %done, [{barrier}], {parity};",
                    "selp.b32 {is_done}, 1, 0, %done;",
                    is_done = out(u32),
                    barrier = in(u32) self.address(),
                    parity = in(u32) parity,
                    cpu = self.is_counted(parity) as u32,
                ) != 0
            }
        }
    }

    fn is_counted(self, parity: u32) -> bool {
        self.word.load(device::Ordering::Acquire) as u32 / self.warps as u32 % 2 != parity
    }

    // By one thread, when all are done with it.
    fn end(self) {
        // SAFETY: the barrier is started.
        unsafe { inline_ptx!("mbarrier.inval.shared::cta.b64 [{barrier}];", barrier = in(u32) self.address(), cpu = ()) };
    }
}

// A tile that the warps which read stages fill together, 16 rows each, and then read: used up by the call that does so. It is handed over as a
// value, by which `ldmatrix` sees that the tile is in shared memory.
pub struct Exchange<'a, T, const R: usize, const C: usize> {
    tile: &'a mut SharedTile<T, R, C>,
    // All rows are there, and all are done with them.
    full: WarpBarrier<'a>,
    empty: WarpBarrier<'a>,
    // That of the phase of the next rows.
    parity: &'a mut u32,
}

impl<'a, T, const R: usize, const C: usize> Exchange<'a, T, R, C> {
    pub fn share(self, rows: &Left<T, 16, C>, meanwhile: impl FnOnce(), read: impl FnOnce(&SharedTile<T, R, C>)) {
        warp::party();
        let parity = *self.parity;
        self.empty.wait(parity ^ 1);
        // SAFETY: the tile has 16 rows for each warp, and all are done with it.
        unsafe { self.tile.put_rows(rows, 16 * warp::warp_id()) };
        publish_to_groups();
        self.full.arrive();
        meanwhile();
        self.full.wait(parity);
        read(&*self.tile);
        self.empty.arrive();
        *self.parity = parity ^ 1;
    }
}

// By all threads of the block, as the next.
fn start_exchange(full: WarpBarrier<'_>, empty: WarpBarrier<'_>) {
    let (rank, _) = block_rank();
    if rank == 0 {
        full.start();
        empty.start();
    }
    barrier();
}

fn end_exchange(full: WarpBarrier<'_>, empty: WarpBarrier<'_>) {
    let (rank, _) = block_rank();
    // The code behind may write the tile and the words.
    barrier();
    if rank == 0 {
        full.end();
        empty.end();
    }
    barrier();
}

// As `copy_box`, to the same place in each block of the cluster whose bit is set, where it counts at the barrier of the block.
//
// SAFETY: as of `copy_box`, in each of them.
unsafe fn copy_box_to_all(map: usize, row: usize, column: usize, to: u32, barrier: u32, blocks: u32) {
    unsafe {
        inline_ptx!(
            ".reg .b16 %blocks;",
            "cvt.u16.u32 %blocks, {blocks};",
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [{to}], [{map}, {{{column}, {row}}}], [{barrier}], %blocks;",
            to = in(u32) to,
            map = in(usize) map,
            column = in(u32) column as u32,
            row = in(u32) row as u32,
            barrier = in(u32) barrier,
            blocks = in(u32) blocks,
            cpu = (),
        );
    }
}

// Copies a box of a matrix to shared memory, where it counts at a barrier.
//
// SAFETY: callers have a map there, room for a box, and a barrier.
unsafe fn copy_box(map: usize, row: usize, column: usize, to: u32, barrier: u32) {
    unsafe {
        inline_ptx!(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [{to}], [{map}, {{{column}, {row}}}], [{barrier}];",
            to = in(u32) to,
            map = in(usize) map,
            column = in(u32) column as u32,
            row = in(u32) row as u32,
            barrier = in(u32) barrier,
            cpu = (),
        );
    }
}

// The warps that fill tiles beside those that multiply them.
const FILLING_WARPS: usize = 4;

// The rows that four warps multiply, and the bytes in a row of panels: those of a box.
const GROUP_ROWS: usize = 64;
const PANEL_BYTES: usize = 128;

// Returns true if `wgmma` has a shape for such sums of products with right tiles of so many columns, which are whole panels.
fn have_group_shape<T, S, const Q: usize, const W: usize, const TURNED: u32>() -> bool {
    Q % (8 * T::CHUNK) == 0
        && W <= 256
        && T::GROUPS & TURNED != 0
        && S::KIND != 2
        && (S::KIND != 4 || W % 16 == 0 || W < 32)
}

// A descriptor of a matrix in panels at this address of shared memory (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout"):
// swizzled by 128 bytes, from eight rows to the next 1,024 bytes, from a panel to the next so many along M or N. Of the address it has 18 bits:
// those above number the block in its cluster.
fn descriptor(address: u32, panel: usize) -> u64 {
    let fields = (1 << 62) | (1024 / 16) << 32 | (panel as u64 / 16) << 16;
    fields | ((address & 0x3ffff) >> 4) as u64
}

// Descriptors of the parts of a right tile of P rows, 32 bytes along K each.
fn right_descriptors<T, const TURNED: u32, const D: usize, const P: usize>(address: u32) -> [u64; D / (2 * T::CHUNK)] {
    let first = descriptor(address, if TURNED == 1 { P * PANEL_BYTES } else { 16 });
    let mut parts = [0u64; D / (2 * T::CHUNK)];
    #[unroll]
    for part in 0..D / (2 * T::CHUNK) {
        let bytes = if TURNED == 1 { 2 * T::CHUNK * part * PANEL_BYTES } else { part / 4 * P * PANEL_BYTES + part % 4 * 32 };
        parts[part] = first + (bytes / 16) as u64;
    }
    parts
}

// The place of a tile of C in bands of eight rows of tiles, column by column in each: neighbours in time share the rows and columns that they
// read, which stay in the cache.
fn place_of_tile(index: usize, rows: usize, columns: usize) -> [usize; 2] {
    let in_band = (8 * columns).max(1);
    let band = 8 * (index / in_band);
    let height = (rows - band).min(8).max(1);
    let inside = index % in_band;
    [band + inside % height, inside / height]
}

// The number of times that all blocks of a cluster take a tile each, and the tile of this block the `index`-th time, which may be beyond the last row or column.
fn tiles_of<G: Sharing>(rows: usize, columns: usize) -> usize {
    let size = G::tiles();
    rows.div_ceil(size[0]) * columns.div_ceil(size[1])
}

fn tile_of<G: Sharing>(index: usize, rows: usize, columns: usize) -> [usize; 2] {
    let (size, place) = (G::tiles(), G::place());
    let first = place_of_tile(index, rows.div_ceil(size[0]), columns.div_ceil(size[1]));
    [first[0] * size[0] + place[0], first[1] * size[1] + place[1]]
}

impl<'a, T, const R: usize, const C: usize> LoadingTile<'a, T, R, C> {
    // Copies by boxes of 64 rows of 128 bytes, which begin at a multiple of 16 bytes of a row.
    fn is_mapped(&self) -> bool {
        R % GROUP_ROWS == 0
            && C % (8 * T::CHUNK) == 0
            && self.at[1] % T::CHUNK == 0
            && self.from.is_mapped()
    }

    // SAFETY: callers have asked `is_mapped`, and have a barrier.
    unsafe fn copy_boxes(&self, barrier: u32) {
        let to = shared_address(self.tile.elements.as_ptr());
        let width = 8 * T::CHUNK;
        #[unroll]
        for panel in 0..C / width {
            #[unroll]
            for rows in 0..R / GROUP_ROWS {
                let part = (R * panel + GROUP_ROWS * rows) * PANEL_BYTES;
                unsafe {
                    copy_box(
                        self.from.map,
                        self.at[0] + GROUP_ROWS * rows,
                        self.at[1] + width * panel,
                        to + part as u32,
                        barrier,
                    );
                }
            }
        }
    }

    // Copies this block's share of the boxes to all that share the tile.
    //
    // SAFETY: callers have asked `is_mapped`, and have a barrier, in each of those blocks.
    unsafe fn copy_shared_boxes(&self, barrier: u32) {
        if self.sharers.count == 1 {
            unsafe { self.copy_boxes(barrier) };
        } else {
            let to = shared_address(self.tile.elements.as_ptr());
            let width = 8 * T::CHUNK;
            #[unroll]
            for panel in 0..C / width {
                #[unroll]
                for rows in 0..R / GROUP_ROWS {
                    let part = (R * panel + GROUP_ROWS * rows) * PANEL_BYTES;
                    if (R / GROUP_ROWS * panel + rows) as u32 % self.sharers.count == self.sharers.number {
                        unsafe {
                            copy_box_to_all(
                                self.from.map,
                                self.at[0] + GROUP_ROWS * rows,
                                self.at[1] + width * panel,
                                to + part as u32,
                                barrier,
                                self.sharers.blocks,
                            );
                        }
                    }
                }
            }
        }
    }
}

// A stage of a pipeline: a tile, or a tuple of stages.
pub trait Stage {
    type Empty;
    type Loading;
    const BYTES: usize;
    fn to_fill(&mut self) -> Self::Empty;
    // Starts the copies, by all threads of the block.
    fn copy(loading: Self::Loading);
    // Starts them by this thread, number `first` of so many.
    fn copy_parts(loading: Self::Loading, first: usize, threads: usize);
    // Returns true if all can be copied by maps.
    fn are_mapped(loading: &Self::Loading) -> bool;
    // SAFETY: callers have asked `are_mapped`, and have a barrier.
    unsafe fn copy_boxes(loading: &Self::Loading, barrier: u32);
    // As that, what blocks of a cluster share each its part for all of them.
    unsafe fn copy_shared_boxes(loading: &Self::Loading, barrier: u32);
}

impl<T, const R: usize, const C: usize> Stage for SharedTile<T, R, C> {
    type Empty = EmptyTile<'_, T, R, C>;
    type Loading = LoadingTile<'_, T, R, C>;
    const BYTES: usize = R * C * 16 / T::CHUNK;
    fn to_fill(&mut self) -> EmptyTile<'_, T, R, C> {
        EmptyTile { tile: self }
    }
    fn copy(mut loading: LoadingTile<'_, T, R, C>) {
        loading.copy();
    }
    fn copy_parts(mut loading: LoadingTile<'_, T, R, C>, first: usize, threads: usize) {
        loading.copy_parts(first, threads);
    }
    fn are_mapped(loading: &LoadingTile<'_, T, R, C>) -> bool {
        loading.is_mapped()
    }
    unsafe fn copy_boxes(loading: &LoadingTile<'_, T, R, C>, barrier: u32) {
        unsafe { loading.copy_boxes(barrier) };
    }
    unsafe fn copy_shared_boxes(loading: &LoadingTile<'_, T, R, C>, barrier: u32) {
        unsafe { loading.copy_shared_boxes(barrier) };
    }
}

impl<A: Stage, B: Stage> Stage for (A, B) {
    type Empty = (A::Empty, B::Empty);
    type Loading = (A::Loading, B::Loading);
    const BYTES: usize = A::BYTES + B::BYTES;
    fn to_fill(&mut self) -> (A::Empty, B::Empty) {
        (self.0.to_fill(), self.1.to_fill())
    }
    fn copy(loading: (A::Loading, B::Loading)) {
        A::copy(loading.0);
        B::copy(loading.1);
    }
    fn copy_parts(loading: (A::Loading, B::Loading), first: usize, threads: usize) {
        A::copy_parts(loading.0, first, threads);
        B::copy_parts(loading.1, first, threads);
    }
    fn are_mapped(loading: &(A::Loading, B::Loading)) -> bool {
        A::are_mapped(&loading.0) && B::are_mapped(&loading.1)
    }
    unsafe fn copy_boxes(loading: &(A::Loading, B::Loading), barrier: u32) {
        unsafe {
            A::copy_boxes(&loading.0, barrier);
            B::copy_boxes(&loading.1, barrier);
        }
    }
    unsafe fn copy_shared_boxes(loading: &(A::Loading, B::Loading), barrier: u32) {
        unsafe {
            A::copy_shared_boxes(&loading.0, barrier);
            B::copy_shared_boxes(&loading.1, barrier);
        }
    }
}

impl<A: Stage, B: Stage, D: Stage> Stage for (A, B, D) {
    type Empty = (A::Empty, B::Empty, D::Empty);
    type Loading = (A::Loading, B::Loading, D::Loading);
    const BYTES: usize = A::BYTES + B::BYTES + D::BYTES;
    fn to_fill(&mut self) -> (A::Empty, B::Empty, D::Empty) {
        (self.0.to_fill(), self.1.to_fill(), self.2.to_fill())
    }
    fn copy(loading: (A::Loading, B::Loading, D::Loading)) {
        A::copy(loading.0);
        B::copy(loading.1);
        D::copy(loading.2);
    }
    fn copy_parts(loading: (A::Loading, B::Loading, D::Loading), first: usize, threads: usize) {
        A::copy_parts(loading.0, first, threads);
        B::copy_parts(loading.1, first, threads);
        D::copy_parts(loading.2, first, threads);
    }
    fn are_mapped(loading: &(A::Loading, B::Loading, D::Loading)) -> bool {
        A::are_mapped(&loading.0) && B::are_mapped(&loading.1) && D::are_mapped(&loading.2)
    }
    unsafe fn copy_boxes(loading: &(A::Loading, B::Loading, D::Loading), barrier: u32) {
        unsafe {
            A::copy_boxes(&loading.0, barrier);
            B::copy_boxes(&loading.1, barrier);
            D::copy_boxes(&loading.2, barrier);
        }
    }
    unsafe fn copy_shared_boxes(loading: &(A::Loading, B::Loading, D::Loading), barrier: u32) {
        unsafe {
            A::copy_shared_boxes(&loading.0, barrier);
            B::copy_shared_boxes(&loading.1, barrier);
            D::copy_shared_boxes(&loading.2, barrier);
        }
    }
}

// The blocks whose stages are filled and emptied together.
trait Sharing {
    const ARE_MANY: bool;
    fn blocks() -> usize;
    // The number of the block's cluster, and how many there are.
    fn number() -> usize;
    fn count() -> usize;
    // The tiles that they multiply at a time, along rows and columns, and the block's among them.
    fn tiles() -> [usize; 2];
    fn place() -> [usize; 2];
    // Waits for all threads of them.
    fn meet();
    // SAFETY: callers have a barrier there, in each of the blocks.
    unsafe fn arrive(barrier: u32);
    // SAFETY: callers have asked `are_mapped`, and have a barrier, in each of the blocks.
    unsafe fn copy_boxes<S: Stage>(loading: &S::Loading, barrier: u32);
}

// Each block for itself.
struct Alone {}

impl Sharing for Alone {
    const ARE_MANY: bool = false;
    fn blocks() -> usize {
        1
    }
    fn number() -> usize {
        block_idx().x
    }
    fn count() -> usize {
        grid_dim().x
    }
    fn tiles() -> [usize; 2] {
        [1, 1]
    }
    fn place() -> [usize; 2] {
        [0, 0]
    }
    fn meet() {
        barrier();
    }
    unsafe fn arrive(barrier: u32) {
        unsafe { arrive(barrier, 1) };
    }
    unsafe fn copy_boxes<S: Stage>(loading: &S::Loading, barrier: u32) {
        unsafe { S::copy_boxes(loading, barrier) };
    }
}

// The blocks of a cluster, each of which fills a part of what they share, in the stages of all of them.
struct InCluster {}

impl Sharing for InCluster {
    const ARE_MANY: bool = true;
    fn blocks() -> usize {
        cluster::blocks()
    }
    fn number() -> usize {
        let (at, size) = (special::clusterid(), special::nclusterid());
        (at.z * size.y + at.y) * size.x + at.x
    }
    fn count() -> usize {
        let size = special::nclusterid();
        size.x * size.y * size.z
    }
    fn tiles() -> [usize; 2] {
        let size = special::cluster_nctaid();
        [size.y * size.z, size.x]
    }
    fn place() -> [usize; 2] {
        let at = cluster::block_idx();
        [at.z * special::cluster_nctaid().y + at.y, at.x]
    }
    fn meet() {
        cluster::sync();
    }
    unsafe fn arrive(barrier: u32) {
        #[unroll(1)]
        for rank in 0..cluster::blocks() {
            unsafe {
                inline_ptx!(
                    "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [{barrier}];",
                    barrier = in(u32) cluster::address(barrier, rank as u32),
                    cpu = (),
                );
            }
        }
    }
    unsafe fn copy_boxes<S: Stage>(loading: &S::Loading, barrier: u32) {
        unsafe { S::copy_shared_boxes(loading, barrier) };
    }
}

pub struct Stages<S, const N: usize> {
    stages: [S; N],
}

impl<S, const N: usize> Stages<S, N> {
    // Starts the copies of all steps but the last that stages have room for: group `step` of each thread holds its copies of that step, and beyond
    // the last step groups are empty.
    fn fill_first(&mut self, steps: usize, fill: impl FnMut(S::Empty, usize) -> S::Loading) {
        #[unroll(1)]
        for step in 0..N - 1 {
            if step < steps {
                S::copy(fill(self.stages[step].to_fill(), step));
            }
            close_copies();
        }
    }

    pub fn run(&mut self, steps: usize, fill: impl FnMut(S::Empty, usize) -> S::Loading, drain: impl FnMut(&S)) {
        self.fill_first(steps, fill);
        let mut full = 0;
        let mut empty = N - 1;
        #[unroll(1)]
        for step in 0..steps {
            // Of the N - 1 groups that are closed, this step's is the oldest. After the barrier it is there for all threads, and all of
            // them are done with the step before, in whose stage the next copies land.
            wait_for_copies::<{ N - 2 }>();
            publish_to_groups();
            barrier();
            let next = step + (N - 1);
            if next < steps {
                // SAFETY: there are N stages, and `empty` is below that.
                let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                S::copy(fill(stage.to_fill(), next));
            }
            close_copies();
            // SAFETY: as above.
            let stage = unsafe { &*self.stages.as_ptr().add(full) };
            drain(stage);
            empty = full;
            full += 1;
            if full == N {
                full = 0;
            }
        }
        // The code behind may write the stages.
        barrier();
    }

    // As `run`, where registers are filled while others are multiplied, also from one stage to the next: the barrier comes before the last part's products.
    pub fn run_in_parts<const P: usize, F>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty, usize) -> S::Loading,
        load: impl Fn(&S, usize) -> F,
        multiply: impl FnMut(&F),
    ) {
        assert!(P > 0, "expected one part of a stage or more, found none\nhelp: write how many the second closure is called for: `run_in_parts::<16, _>(…)`");
        self.fill_first(steps, fill);
        if steps > 0 {
            wait_for_copies::<{ N - 2 }>();
            publish_to_groups();
            barrier();
            let mut part = load(&self.stages[0], 0);
            let mut full = 0;
            let mut empty = N - 1;
            #[unroll(1)]
            for step in 0..steps {
                // SAFETY: there are N stages, and `full` and `empty` are below that, as in all below.
                let mut stage = unsafe { &*self.stages.as_ptr().add(full) };
                #[unroll]
                for i in 0..P {
                    if i + 1 == P {
                        // The last step has no next one: it reads its own stage again.
                        empty = full;
                        if step + 1 < steps {
                            full += 1;
                            if full == N {
                                full = 0;
                            }
                        }
                        // As in `run`: all threads have read the last part of this stage.
                        wait_for_copies::<{ N - 2 }>();
                        publish_to_groups();
                        barrier();
                        stage = unsafe { &*self.stages.as_ptr().add(full) };
                    }
                    let next = load(stage, (i + 1) % P);
                    if i == 0 {
                        let ahead = step + (N - 1);
                        if ahead < steps {
                            let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                            S::copy(fill(stage.to_fill(), ahead));
                        }
                        close_copies();
                    }
                    multiply(&part);
                    part = next;
                }
            }
        }
        // The code behind may write the stages.
        barrier();
    }

    pub fn run_specialized<A>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty, usize) -> S::Loading,
        state: A,
        drain: impl FnMut(&mut A, &S, usize),
        finish: impl FnOnce(A),
    ) {
        assert!(
            target::block_threads() == 0 || (target::block_threads() % 128 == 0 && target::block_threads() > 128),
            "expected a block of four warps that fill stages, and of groups of four that read them, found `block` with {} threads\nhelp: write \
             `block(256)`, `block(384)` or `block(512)`",
            target::block_threads()
        );
        let (rank, threads) = block_rank();
        assert!(
            threads % 128 == 0 && threads > 128,
            "expected a block of four warps that fill stages, and of groups of four that read them, found {} threads\nhelp: write `block(256)`, \
             `block(384)` or `block(512)`",
            threads
        );
        if target::has_warpgroups() {
            // Panels of tensor maps begin at multiples of 1,024 bytes.
            if S::BYTES % 1024 == 0 {
                self.run_by_roles(steps, fill, state, drain, finish);
            } else {
                self.run_by_all(steps, fill, state, drain, finish);
            }
        } else {
            self.run_by_all(steps, fill, state, drain, finish);
        }
    }

    pub fn run_exchanging<A, T, const R: usize, const C: usize>(
        &mut self,
        tile: &mut SharedTile<T, R, C>,
        steps: usize,
        fill: impl FnMut(S::Empty, usize) -> S::Loading,
        state: A,
        drain: impl FnMut(&mut A, &S, Exchange<'_, T, R, C>, usize),
        finish: impl FnOnce(A),
    ) {
        let (_, threads) = block_rank();
        assert!(
            !is_before_sm_80(),
            "expected an architecture from sm_80 on, whose barriers count warps, found older ones only\nhelp: write `arch(sm_80)`"
        );
        assert!(
            T::CHUNK == 8,
            "expected a tile of `f16` or `bf16`, whose rows warps exchange, found one of other elements\nhelp: take one of `f16`"
        );
        assert!(
            C % 16 == 0,
            "expected a tile of a multiple of 16 columns, as the left matrix has that a warp stores in it, found {}\nhelp: take {}",
            C, (C + 15) / 16 * 16
        );
        assert!(
            threads == 2 * R + 32 * FILLING_WARPS,
            "expected a tile of 16 rows for each warp that reads stages, {} in a block of {} threads, found one of {} rows\nhelp: make it as many, \
             or write `block({})`",
            threads / 2 - 16 * FILLING_WARPS, threads, R, 2 * R + 32 * FILLING_WARPS
        );
        let words = shared::<[AtomicU64; 2]>();
        let full = WarpBarrier { word: &words[0], warps: R / 16 };
        let empty = WarpBarrier { word: &words[1], warps: R / 16 };
        start_exchange(full, empty);
        let mut parity = 0u32;
        self.run_specialized(
            steps,
            fill,
            state,
            |state, stage, step| {
                // Those that come here come to all exchanges.
                warp::party();
                drain(state, stage, Exchange { tile: &mut *tile, full, empty, parity: &mut parity }, step);
            },
            finish,
        );
        end_exchange(full, empty);
    }

    fn run_by_all<A>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty, usize) -> S::Loading,
        mut state: A,
        drain: impl FnMut(&mut A, &S, usize),
        finish: impl FnOnce(A),
    ) {
        let (rank, threads) = block_rank();
        let mut step = 0;
        self.run(steps, fill, |stage| {
            if rank < threads - 32 * FILLING_WARPS {
                drain(&mut state, stage, step);
            }
            step += 1;
        });
        if rank < threads - 32 * FILLING_WARPS {
            finish(state);
        }
    }

    // The state is none of the filling warps', which have few registers.
    fn run_by_roles<A>(
        &mut self,
        steps: usize,
        fill: impl FnMut(S::Empty, usize) -> S::Loading,
        mut state: A,
        drain: impl FnMut(&mut A, &S, usize),
        finish: impl FnOnce(A),
    ) {
        let (rank, threads) = block_rank();
        let words = shared::<[u64; 2 * N]>();
        let barriers = shared_address(words.as_ptr());
        self.start_barriers::<Alone>(barriers, threads / 32 - FILLING_WARPS);
        let group = warpgroup();
        let mut stage = 0;
        let mut parity = 0u32;
        if group == threads / 128 - 1 {
            let registers = Registers::give();
            #[unroll(1)]
            for step in 0..steps {
                // SAFETY: `stage` is below N; the barriers are started.
                unsafe { self.fill_stage::<Alone>(barriers, stage, parity, |empty| fill(empty, step)) };
                stage += 1;
                if stage == N {
                    stage = 0;
                    parity ^= 1;
                }
            }
            // SAFETY: as above.
            unsafe { self.wait_for_copies(barriers, stage, parity) };
            registers.take_back();
        } else {
            let registers = Registers::take();
            #[unroll(1)]
            for step in 0..steps {
                let full = barriers + 8 * stage as u32;
                // SAFETY: as above.
                unsafe {
                    wait_for_phase(full, parity);
                    drain(&mut state, &*self.stages.as_ptr().add(stage), step);
                    warp::sync();
                    if rank % 32 == 0 {
                        arrive(full + 8 * N as u32, 1);
                    }
                }
                stage += 1;
                if stage == N {
                    stage = 0;
                    parity ^= 1;
                }
            }
            finish(state);
            registers.give_back();
        }
        self.end_barriers::<Alone>(barriers);
    }

    // Starts two barriers for each stage: it is full, at which each filling warp arrives and bytes count, and it is empty, at which so many
    // of those who read it arrive. Their phases have the parity of the rounds through all stages.
    fn start_barriers<G: Sharing>(&self, barriers: u32, readers: usize) {
        assert!(
            shared_address(self.stages.as_ptr()) % 1024 == 0,
            "expected stages at a multiple of 1024 bytes of shared memory, found others before them\nhelp: make them the first element of the dynamic \
             shared memory"
        );
        let (rank, _) = block_rank();
        if rank == 0 {
            #[unroll]
            for stage in 0..2 * N {
                // SAFETY: nobody else uses the words.
                unsafe { start_barrier(barriers + 8 * stage as u32, if stage < N { FILLING_WARPS } else { readers * G::blocks() } as u32) };
            }
            publish_barriers();
        }
        G::meet();
        // Copies by maps, and products, come after what threads did with shared memory before.
        fence_proxy();
    }

    fn end_barriers<G: Sharing>(&self, barriers: u32) {
        let (rank, _) = block_rank();
        // The code behind may write the stages and the barriers.
        G::meet();
        if rank == 0 {
            #[unroll]
            for stage in 0..2 * N {
                // SAFETY: all are done with them.
                unsafe { inline_ptx!("mbarrier.inval.shared::cta.b64 [{barrier}];", barrier = in(u32) barriers + 8 * stage as u32, cpu = ()) };
            }
        }
        barrier();
    }

    // Waits until all stages are full that were filled, as one of the filling threads, of which `stage` would be the next: those who read
    // them may panic, and the block must not end while copies write its memory.
    //
    // SAFETY: callers have started the barriers.
    unsafe fn wait_for_copies(&self, barriers: u32, mut stage: usize, mut parity: u32) {
        for _ in 0..N {
            if stage == 0 {
                stage = N;
                parity ^= 1;
            }
            stage -= 1;
            unsafe { wait_for_phase(barriers + 8 * stage as u32, parity) };
        }
    }

    // Fills a stage once it is empty, as one of the filling threads: by tensor maps where they can.
    //
    // SAFETY: callers have started the barriers, and the stage is below N.
    unsafe fn fill_stage<G: Sharing>(&mut self, barriers: u32, stage: usize, parity: u32, fill: impl FnMut(S::Empty) -> S::Loading) {
        let (rank, _) = block_rank();
        let full = barriers + 8 * stage as u32;
        unsafe {
            wait_for_phase(full + 8 * N as u32, parity ^ 1);
            let place = &mut *self.stages.as_mut_ptr().add(stage);
            let loading = fill(place.to_fill());
            if S::are_mapped(&loading) {
                if rank % 128 == 0 {
                    expect_bytes(full, S::BYTES as u32);
                    G::copy_boxes::<S>(&loading, full);
                }
            } else {
                S::copy_parts(loading, rank % (32 * FILLING_WARPS), 32 * FILLING_WARPS);
                inline_ptx!("cp.async.wait_all;", "fence.proxy.async.shared::cta;", cpu = ());
            }
            // However each thread filled its part: they may have been given other matrices.
            warp::sync();
            if rank % 32 == 0 {
                arrive(full, 1);
            }
        }
    }
}

impl<T, const R: usize, const D: usize, const C: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, D, C>), N> {
    pub fn multiply<S, const M: usize, const W: usize>(
        &mut self,
        steps: usize,
        at: [usize; 2],
        sum: &mut Acc<S, M, W>,
        fill: impl FnMut((EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>), usize) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, D, C>),
    ) {
        assert!(
            D % (2 * T::CHUNK) == 0,
            "expected stages that are a multiple of {} deep, as tensor cores multiply them, found tiles with {} columns on the left and {} \
             rows on the right\nhelp: take {}: what is beyond the edges of a matrix is zero when it is loaded",
            2 * T::CHUNK, D, D, (D + 2 * T::CHUNK - 1) / (2 * T::CHUNK) * (2 * T::CHUNK)
        );
        assert!(
            M <= R && W <= C,
            "expected sums of at most {} × {}, which the tiles of a stage give, found {} × {}\nhelp: make the tiles larger, or the sums smaller",
            R, C, M, W
        );
        self.multiply_by::<S, M, W, { 2 * T::CHUNK }>(steps, at[0], sum, fill, |right, k| {
            Right::<T, { 2 * T::CHUNK }, W>::load(right, [k, at[1]])
        });
    }
}

impl<T, const R: usize, const D: usize, const C: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, C, D>), N> {
    pub fn multiply_transposed<S, const M: usize, const W: usize>(
        &mut self,
        steps: usize,
        at: [usize; 2],
        sum: &mut Acc<S, M, W>,
        fill: impl FnMut((EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>), usize) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, C, D>),
    ) {
        assert!(
            D % (2 * T::CHUNK) == 0,
            "expected stages that are a multiple of {} deep, as tensor cores multiply them, found tiles with {} columns\nhelp: take {}: what \
             is beyond the edges of a matrix is zero when it is loaded",
            2 * T::CHUNK, D, (D + 2 * T::CHUNK - 1) / (2 * T::CHUNK) * (2 * T::CHUNK)
        );
        assert!(
            M <= R && W <= C,
            "expected sums of at most {} × {}, which the tiles of a stage give, found {} × {}\nhelp: make the tiles larger, or the sums smaller",
            R, C, M, W
        );
        self.multiply_by::<S, M, W, { 2 * T::CHUNK }>(steps, at[0], sum, fill, |right, k| {
            Right::<T, { 2 * T::CHUNK }, W>::load_transposed(right, [at[1], k])
        });
    }
}

impl<T, const R: usize, const D: usize, const P: usize, const Q: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, P, Q>), N> {
    // As `run`, but the fragments of a part, 32 bytes deep, are loaded before the products of the part before it, also from one stage to
    // the next: tensor cores have work while the loads and the barrier are waited for.
    fn multiply_by<S, const M: usize, const W: usize, const K: usize>(
        &mut self,
        steps: usize,
        row: usize,
        sum: &mut Acc<S, M, W>,
        fill: impl FnMut((EmptyTile<'_, T, R, D>, EmptyTile<'_, T, P, Q>), usize) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, P, Q>),
        right_at: impl Fn(&SharedTile<T, P, Q>, usize) -> Right<T, K, W>,
    ) {
        self.fill_first(steps, fill);
        if steps > 0 {
            wait_for_copies::<{ N - 2 }>();
            barrier();
            let mut left = Left::<T, M, K>::load(&self.stages[0].0, [row, 0]);
            let mut right = right_at(&self.stages[0].1, 0);
            let mut full = 0;
            let mut empty = N - 1;
            let mut step = 0;
            let mut is_filled = false;
            // While what is copied is whole, so that one block of instructions has copies, loads and products to schedule.
            #[unroll(1)]
            while step + (N - 1) < steps {
                // All threads have loaded the last fragments of the step before: the barrier in it came after that.
                // SAFETY: there are N stages, and `empty` is below that.
                let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                let (mut of_left, mut of_right) = fill(stage.to_fill(), step + (N - 1));
                if !of_left.is_whole() || !of_right.is_whole() {
                    of_left.copy();
                    of_right.copy();
                    is_filled = true;
                    break;
                }
                full = self.multiply_stage::<S, M, W, K>(full, true, row, &mut left, &mut right, sum, right_at, |part| {
                    // SAFETY: the condition.
                    unsafe {
                        of_left.copy_whole(part, D / K);
                        of_right.copy_whole(part, D / K);
                    }
                });
                step += 1;
                empty += 1;
                if empty == N {
                    empty = 0;
                }
            }
            #[unroll(1)]
            while step < steps {
                if !is_filled && step + (N - 1) < steps {
                    // SAFETY: as above.
                    let stage = unsafe { &mut *self.stages.as_mut_ptr().add(empty) };
                    let (mut of_left, mut of_right) = fill(stage.to_fill(), step + (N - 1));
                    of_left.copy();
                    of_right.copy();
                }
                is_filled = false;
                full = self.multiply_stage::<S, M, W, K>(full, step + 1 < steps, row, &mut left, &mut right, sum, right_at, |part| {});
                step += 1;
                empty += 1;
                if empty == N {
                    empty = 0;
                }
            }
        }
        // The code behind may write the stages.
        barrier();
    }

    // Multiplies a stage, whose first fragments are there, beside parts of the copies of a step, which it closes. Leaves the first
    // fragments of the next stage, and returns its number.
    fn multiply_stage<S, const M: usize, const W: usize, const K: usize>(
        &self,
        full: usize,
        goes_on: bool,
        row: usize,
        left: &mut Left<T, M, K>,
        right: &mut Right<T, K, W>,
        sum: &mut Acc<S, M, W>,
        right_at: impl Fn(&SharedTile<T, P, Q>, usize) -> Right<T, K, W>,
        copy: impl FnMut(usize),
    ) -> usize {
        let parts = D / K;
        #[unroll]
        for part in 1..parts {
            // SAFETY: there are N stages, and `full` is below that.
            let stage = unsafe { &*self.stages.as_ptr().add(full) };
            let next_left = Left::<T, M, K>::load(&stage.0, [row, K * part]);
            let next_right = right_at(&stage.1, K * part);
            // Behind the loads, which the next products wait for.
            copy(part - 1);
            sum.mma(left, right);
            *left = next_left;
            *right = next_right;
        }
        copy(parts - 1);
        close_copies();
        // Of the N - 1 youngest groups that are closed, the next step's is the oldest.
        wait_for_copies::<{ N - 2 }>();
        barrier();
        // Behind the last step its own stage once more, which nobody fills.
        let mut next = full;
        if goes_on {
            next = full + 1;
            if next == N {
                next = 0;
            }
        }
        // SAFETY: as above.
        let stage = unsafe { &*self.stages.as_ptr().add(next) };
        let next_left = Left::<T, M, K>::load(&stage.0, [row, 0]);
        let next_right = right_at(&stage.1, 0);
        sum.mma(left, right);
        *left = next_left;
        *right = next_right;
        next
    }
}

impl<T, const R: usize, const D: usize, const P: usize, const Q: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, P, Q>), N> {
    // The sums of all tiles of a matrix of this shape, of which each block takes those that are apart by the number of blocks, each cluster as many at a
    // time as it has blocks. Warps have 16 rows each. With `PROMOTED` of 1 the products of a stage are added to the others by the lanes.
    fn tiles_by<S, G: Sharing, const W: usize, const K: usize, const TURNED: u32, const PROMOTED: u32>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, P, Q>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, P, Q>),
        drain: impl FnMut(Acc<S, 16, W>, [usize; 2]),
        right_at: impl Fn(&SharedTile<T, P, Q>, usize) -> Right<T, K, W>,
    ) {
        check_sums::<T, S>();
        assert!(
            !T::ARE_PROMOTED || W <= 192,
            "expected at most 192 columns of sums, of which there are two sets for elements of 8 bits, found {}\nhelp: make the right tiles smaller",
            W
        );
        assert!(
            PROMOTED == 0 || W <= 192,
            "expected at most 192 columns of sums, of which there are two sets where those of a stage are added to the others, found {}\nhelp: make the right \
             tiles smaller",
            W
        );
        assert!(
            target::block_threads() == 0 || (R % 16 == 0 && target::block_threads() == 2 * R + 32 * FILLING_WARPS),
            "expected a block of {} threads, four warps that fill tiles and one for each 16 of {} rows that are multiplied, found `block` with \
             {}\nhelp: write `block({})`",
            2 * R + 32 * FILLING_WARPS, R, target::block_threads(), 2 * R + 32 * FILLING_WARPS
        );
        let (_, threads) = block_rank();
        assert!(
            R % 16 == 0 && threads == 2 * R + 32 * FILLING_WARPS,
            "expected a block of {} threads, four warps that fill tiles and one for each 16 of {} rows that are multiplied, found {}\nhelp: \
             write `block({})`",
            2 * R + 32 * FILLING_WARPS, R, threads, 2 * R + 32 * FILLING_WARPS
        );
        let rows = (shape[0] + R - 1) / R;
        let columns = (shape[1] + W - 1) / W;
        if target::has_warpgroups() {
            if R % GROUP_ROWS == 0 && D % (8 * T::CHUNK) == 0 && have_group_shape::<T, S, Q, W, TURNED>() {
                self.tiles_by_groups::<S, G, W, TURNED, PROMOTED>(rows, columns, steps, fill, drain);
            } else {
                self.tiles_by_warps::<S, G, W, K, PROMOTED>(rows, columns, steps, fill, drain, right_at);
            }
        } else {
            self.tiles_by_warps::<S, G, W, K, PROMOTED>(rows, columns, steps, fill, drain, right_at);
        }
    }

    fn tiles_by_warps<S, G: Sharing, const W: usize, const K: usize, const PROMOTED: u32>(
        &mut self,
        rows: usize,
        columns: usize,
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, P, Q>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, P, Q>),
        drain: impl FnMut(Acc<S, 16, W>, [usize; 2]),
        right_at: impl Fn(&SharedTile<T, P, Q>, usize) -> Right<T, K, W>,
    ) {
        let row = 16 * warp::warp_id();
        #[unroll(1)]
        for index in (G::number()..tiles_of::<G>(rows, columns)).step_by(G::count()) {
            let tile = tile_of::<G>(index, rows, columns);
            let at = [R * tile[0], W * tile[1]];
            let mut sum = Acc::<S, 16, W>::zero();
            self.run(
                steps,
                |stage, step| fill(stage, at, step),
                |stage| {
                    if row < R {
                        let mut product = if PROMOTED == 1 { Acc::<S, 16, W>::zero() } else { sum };
                        #[unroll]
                        for part in 0..D / K {
                            let left = Left::<T, 16, K>::load(&stage.0, [row, K * part]);
                            let right = right_at(&stage.1, K * part);
                            product.mma(&left, &right);
                        }
                        sum = if PROMOTED == 1 { sum.zip(product, |sum, product| sum + product) } else { product };
                    }
                },
            );
            if row < R && (!G::ARE_MANY || tile[0] < rows && tile[1] < columns) {
                drain(sum, [at[0] + row, at[1]]);
            }
        }
    }

    // Four warps fill stages, and each other four multiply 64 rows of them: nobody waits for the block.
    fn tiles_by_groups<S, G: Sharing, const W: usize, const TURNED: u32, const PROMOTED: u32>(
        &mut self,
        rows: usize,
        columns: usize,
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, P, Q>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, P, Q>),
        drain: impl FnMut(Acc<S, 16, W>, [usize; 2]),
    ) {
        let (rank, _) = block_rank();
        let words = shared::<[u64; 2 * N]>();
        let barriers = shared_address(words.as_ptr());
        self.start_barriers::<G>(barriers, R / GROUP_ROWS);
        let group = warpgroup();
        let mut stage = 0;
        let mut parity = 0u32;
        if group == R / GROUP_ROWS {
            let registers = Registers::give();
            #[unroll(1)]
            for index in (G::number()..tiles_of::<G>(rows, columns)).step_by(G::count()) {
                let tile = tile_of::<G>(index, rows, columns);
                let at = [R * tile[0], W * tile[1]];
                #[unroll(1)]
                for step in 0..steps {
                    // SAFETY: `stage` is below N; the barriers are started.
                    unsafe { self.fill_stage::<G>(barriers, stage, parity, |empty| fill(empty, at, step)) };
                    stage += 1;
                    if stage == N {
                        stage = 0;
                        parity ^= 1;
                    }
                }
            }
            // SAFETY: as above.
            unsafe { self.wait_for_copies(barriers, stage, parity) };
            registers.take_back();
        } else {
            let registers = Registers::take();
            #[unroll(1)]
            for index in (G::number()..tiles_of::<G>(rows, columns)).step_by(G::count()) {
                let tile = tile_of::<G>(index, rows, columns);
                let mut sum = Acc::<S, 16, W>::zero();
                #[unroll(1)]
                for step in 0..steps {
                    let full = barriers + 8 * stage as u32;
                    // SAFETY: as above.
                    unsafe {
                        wait_for_phase(full, parity);
                        let place = self.stages.as_ptr().add(stage);
                        let before = if PROMOTED == 1 { Acc::<S, 16, W>::zero() } else { sum };
                        let product = before.plus_group_tiles::<T, TURNED, R, D, P, Q>(&(*place).0, group, &(*place).1, 1 - PROMOTED);
                        if rank % 128 == 0 {
                            G::arrive(full + 8 * N as u32);
                        }
                        sum = if PROMOTED == 1 { sum.zip(product, |sum, product| sum + product) } else { product };
                    }
                    stage += 1;
                    if stage == N {
                        stage = 0;
                        parity ^= 1;
                    }
                }
                if !G::ARE_MANY || tile[0] < rows && tile[1] < columns {
                    drain(sum, [R * tile[0] + 16 * warp::warp_id(), W * tile[1]]);
                }
            }
            registers.give_back();
        }
        self.end_barriers::<G>(barriers);
    }
}

impl<T, const R: usize, const D: usize, const C: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, D, C>), N> {
    pub fn multiply_tiles<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, D, C>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        self.tiles_by::<S, Alone, C, { 2 * T::CHUNK }, 1, 0>(shape, steps, fill, drain, |right, k| {
            Right::<T, { 2 * T::CHUNK }, C>::load(right, [k, 0])
        });
    }

    pub fn multiply_tiles_by_clusters<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, D, C>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, D, C>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        self.tiles_by::<S, InCluster, C, { 2 * T::CHUNK }, 1, 0>(shape, steps, fill, drain, |right, k| {
            Right::<T, { 2 * T::CHUNK }, C>::load(right, [k, 0])
        });
    }
}

impl<T, const R: usize, const D: usize, const C: usize, const N: usize> Stages<(SharedTile<T, R, D>, SharedTile<T, C, D>), N> {
    pub fn multiply_transposed_tiles<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        self.tiles_by::<S, Alone, C, { 2 * T::CHUNK }, 2, 0>(shape, steps, fill, drain, |right, k| {
            Right::<T, { 2 * T::CHUNK }, C>::load_transposed(right, [0, k])
        });
    }

    pub fn multiply_transposed_tiles_by_clusters<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        self.tiles_by::<S, InCluster, C, { 2 * T::CHUNK }, 2, 0>(shape, steps, fill, drain, |right, k| {
            Right::<T, { 2 * T::CHUNK }, C>::load_transposed(right, [0, k])
        });
    }

    pub fn multiply_transposed_tiles_promoted<S>(
        &mut self,
        shape: [usize; 2],
        steps: usize,
        fill: impl FnMut(
            (EmptyTile<'_, T, R, D>, EmptyTile<'_, T, C, D>), [usize; 2], usize
        ) -> (LoadingTile<'_, T, R, D>, LoadingTile<'_, T, C, D>),
        drain: impl FnMut(Acc<S, 16, C>, [usize; 2]),
    ) {
        self.tiles_by::<S, Alone, C, { 2 * T::CHUNK }, 2, 1>(shape, steps, fill, drain, |right, k| {
            Right::<T, { 2 * T::CHUNK }, C>::load_transposed(right, [0, k])
        });
    }
}

// Returns true if a part of these sizes begins in the tile where it fits, at a multiple of so many columns.
fn is_part<const R: usize, const C: usize>(at: [usize; 2], rows: usize, columns: usize, multiple: usize) -> bool {
    at[0] <= R - rows && at[1] <= C - columns && at[1] % multiple == 0
}

#[derive(Clone, Copy)]
pub struct Left<T, const M: usize, const K: usize> {
    // Row by row, 16 rows of 32 bytes each.
    parts: [T::LeftPart; M * K / (32 * T::CHUNK)],
}

impl<T, const M: usize, const K: usize> Left<T, M, K> {
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Left<T, M, K> {
        assert!(
            M <= R && K <= C,
            "expected a tile of at least {} × {}, as large as the fragment, found one of {} × {}\nhelp: make the tile larger, or the fragment \
             smaller",
            M, K, R, C
        );
        assert!(
            is_part::<R, C>(at, M, K, T::CHUNK),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of {}, found them at [{}, {}]",
            M, K, R, C, T::CHUNK, at[0], at[1]
        );
        let mut parts = [T::empty_left(); M * K / (32 * T::CHUNK)];
        #[unroll]
        for k in 0..K / (2 * T::CHUNK) {
            // Rows are permuted alike every eight.
            let place = T::left_place::<R, C>(at[0], at[1] + 2 * T::CHUNK * k);
            #[unroll]
            for i in 0..M / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    parts[i * (K / (2 * T::CHUNK)) + k] = T::left_part::<R, C>(&tile.elements, place + 16 * i * row_pitch::<T, C>());
                }
            }
        }
        Self { parts }
    }
}

impl<T, const M: usize, const K: usize> Left<T, M, K> {
    pub fn load_transposed<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Left<T, M, K> {
        check_transposed::<T>();
        assert!(
            K <= R && M <= C,
            "expected a tile of at least {} × {}, as large as the transposed fragment, found one of {} × {}\nhelp: make the tile larger, or \
             the fragment smaller",
            K, M, R, C
        );
        assert!(
            is_part::<R, C>(at, K, M, T::CHUNK),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of {}, found them at [{}, {}]",
            K, M, R, C, T::CHUNK, at[0], at[1]
        );
        let mut parts = [T::empty_left(); M * K / (32 * T::CHUNK)];
        #[unroll]
        for k in 0..K / (2 * T::CHUNK) {
            #[unroll]
            for i in 0..M / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    parts[i * (K / (2 * T::CHUNK)) + k] =
                        T::turned_left_part::<R, C>(&tile.elements, at[0] + 2 * T::CHUNK * k, at[1] + 16 * i);
                }
            }
        }
        Self { parts }
    }
}

// Ends the kernel where the left matrix cannot be transposed as it is loaded.
fn check_transposed<T>() {
    assert!(
        T::CHUNK == 8,
        "expected a tile of `f16` or `bf16`, which tensor cores load transposed, found one of other elements\nhelp: store the transposed matrix, or \
         take one of `f16`"
    );
}

#[derive(Clone, Copy)]
pub struct Right<T, const K: usize, const N: usize> {
    // Row by row, 32 bytes × 8 each.
    parts: [T::RightPart; K * N / (16 * T::CHUNK)],
}

impl<T, const K: usize, const N: usize> Right<T, K, N> {
    pub fn load<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Right<T, K, N> {
        assert!(
            K <= R && N <= C,
            "expected a tile of at least {} × {}, as large as the fragment, found one of {} × {}\nhelp: make the tile larger, or the fragment \
             smaller",
            K, N, R, C
        );
        assert!(
            is_part::<R, C>(at, K, N, 8),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of 8, found them at [{}, {}]",
            K, N, R, C, at[0], at[1]
        );
        let mut parts = [T::empty_right(); K * N / (16 * T::CHUNK)];
        #[unroll]
        for k in 0..K / (2 * T::CHUNK) {
            let row = at[0] + 2 * T::CHUNK * k;
            // Two parts at once.
            #[unroll]
            for j in 0..N / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    let both = T::right_parts::<R, C>(&tile.elements, row, at[1] + 16 * j);
                    parts[k * (N / 8) + 2 * j] = both.0;
                    parts[k * (N / 8) + 2 * j + 1] = both.1;
                }
            }
            if N % 16 != 0 {
                // SAFETY: as above.
                unsafe {
                    parts[k * (N / 8) + N / 8 - 1] = T::right_part::<R, C>(&tile.elements, row, at[1] + N - 8);
                }
            }
        }
        Self { parts }
    }

    pub fn load_transposed<const R: usize, const C: usize>(tile: &SharedTile<T, R, C>, at: [usize; 2]) -> Right<T, K, N> {
        assert!(
            N <= R && K <= C,
            "expected a tile of at least {} × {}, as large as the transposed fragment, found one of {} × {}\nhelp: make the tile larger, or \
             the fragment smaller",
            N, K, R, C
        );
        assert!(
            is_part::<R, C>(at, N, K, T::CHUNK),
            "expected {} × {} elements of a tile of {} × {}, from a column that is a multiple of {}, found them at [{}, {}]",
            N, K, R, C, T::CHUNK, at[0], at[1]
        );
        let mut parts = [T::empty_right(); K * N / (16 * T::CHUNK)];
        #[unroll]
        for k in 0..K / (2 * T::CHUNK) {
            let column = at[1] + 2 * T::CHUNK * k;
            #[unroll]
            for j in 0..N / 16 {
                // SAFETY: the part is in the tile, and chunks are aligned.
                unsafe {
                    let both = T::turned_parts::<R, C>(&tile.elements, at[0] + 16 * j, column);
                    parts[k * (N / 8) + 2 * j] = both.0;
                    parts[k * (N / 8) + 2 * j + 1] = both.1;
                }
            }
            if N % 16 != 0 {
                // SAFETY: as above.
                unsafe {
                    parts[k * (N / 8) + N / 8 - 1] = T::turned_part::<R, C>(&tile.elements, at[0] + N - 8, column);
                }
            }
        }
        Self { parts }
    }
}

#[derive(Clone, Copy)]
pub struct Acc<S, const M: usize, const N: usize> {
    // Row by row, 16 × 8 elements each.
    parts: [S::Part; M * N / 128],
}

impl<S, const M: usize, const N: usize> Acc<S, M, N> {
    pub fn zero() -> Acc<S, M, N> {
        Self { parts: [S::zeros(); M * N / 128] }
    }

    pub fn mma<T, const K: usize>(&mut self, left: &Left<T, M, K>, right: &Right<T, K, N>) {
        check_sums::<T, S>();
        let depth = K / (2 * T::CHUNK);
        #[unroll]
        for k in 0..depth {
            #[unroll]
            for i in 0..M / 16 {
                #[unroll]
                for j in 0..N / 8 {
                    let place = i * (N / 8) + j;
                    self.parts[place] =
                        T::multiply(left.parts[i * depth + k], right.parts[k * (N / 8) + j], self.parts[place]);
                }
            }
        }
    }

    pub fn mma_tiles<T, const R: usize, const D: usize>(&mut self, left: &SharedTile<T, R, D>, right: &SharedTile<T, D, N>) {
        *self = self.plus_tiles::<T, 1, R, D, D, N>(left, right, 1, |k| Right::<T, { 2 * T::CHUNK }, N>::load(right, [k, 0]));
    }

    pub fn mma_tiles_transposed<T, const R: usize, const D: usize>(&mut self, left: &SharedTile<T, R, D>, right: &SharedTile<T, N, D>) {
        *self = self.plus_tiles::<T, 2, R, D, N, D>(left, right, 1, |k| Right::<T, { 2 * T::CHUNK }, N>::load_transposed(right, [0, k]));
    }

    pub fn of_tiles<T, const R: usize, const D: usize>(left: &SharedTile<T, R, D>, right: &SharedTile<T, D, N>) -> Acc<S, M, N> {
        Self::zero().plus_tiles::<T, 1, R, D, D, N>(left, right, 0, |k| Right::<T, { 2 * T::CHUNK }, N>::load(right, [k, 0]))
    }

    pub fn of_tiles_transposed<T, const R: usize, const D: usize>(left: &SharedTile<T, R, D>, right: &SharedTile<T, N, D>) -> Acc<S, M, N> {
        Self::zero().plus_tiles::<T, 2, R, D, N, D>(left, right, 0, |k| Right::<T, { 2 * T::CHUNK }, N>::load_transposed(right, [0, k]))
    }

    pub fn mma_tile<T, const D: usize>(&mut self, left: &Left<T, M, D>, right: &SharedTile<T, D, N>) {
        self.add_tile::<T, 1, D, D, N>(left, right, |k| Right::<T, { 2 * T::CHUNK }, N>::load(right, [k, 0]));
    }

    pub fn mma_tile_transposed<T, const D: usize>(&mut self, left: &Left<T, M, D>, right: &SharedTile<T, N, D>) {
        self.add_tile::<T, 2, D, N, D>(left, right, |k| Right::<T, { 2 * T::CHUNK }, N>::load_transposed(right, [0, k]));
    }

    pub fn mma_left_transposed<T, const D: usize, const R: usize, const C: usize>(
        &mut self,
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
    ) {
        *self = self.plus_left_transposed::<T, D, R, C>(left, right, at, 1);
    }

    pub fn of_left_transposed<T, const D: usize, const R: usize, const C: usize>(
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
    ) -> Acc<S, M, N> {
        Self::zero().plus_left_transposed::<T, D, R, C>(left, right, at, 0)
    }

    fn plus_left_transposed<T, const D: usize, const R: usize, const C: usize>(
        self,
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
        adds: u32,
    ) -> Acc<S, M, N> {
        check_sums::<T, S>();
        check_transposed::<T>();
        assert!(
            M == 16 && D % 16 == 0 && R % GROUP_ROWS == 0 && C % 64 == 0 && N % 64 == 0 && N <= C,
            "expected sums of 16 rows and a multiple of 64 columns, and tiles of multiples of 16 rows and 64 columns, found {} × {} of tiles of {} × {} \
             and {} × {}\nhelp: make them multiples",
            M, N, D, R, D, C
        );
        assert!(
            at[0] <= R - GROUP_ROWS && at[0] % GROUP_ROWS == 0 && at[1] <= C - N && at[1] % 64 == 0,
            "expected 64 × {} elements of a product of {} × {}, from multiples of 64 on, found them at [{}, {}]",
            N, R, C, at[0], at[1]
        );
        if target::has_warpgroups() {
            if N <= 256 && S::KIND == 1 {
                // Panels of 64 columns: the same in all lanes, as everyone can see.
                let panels = warp::shfl_idx((at[0] / 64 << 16 | at[1] / 64) as u32, 0);
                let of_panel = (D * PANEL_BYTES) as u32;
                let lefts = right_descriptors::<T, 1, D, D>(shared_address(left.elements.as_ptr()) + (panels >> 16) * of_panel);
                let rights = right_descriptors::<T, 1, D, D>(shared_address(right.elements.as_ptr()) + (panels & 0xffff) * of_panel);
                Acc { parts: T::multiply_turned_left_tiles(self.parts, lefts, rights, adds) }
            } else {
                self.plus_turned_fragments::<T, D, R, C>(left, right, at)
            }
        } else {
            self.plus_turned_fragments::<T, D, R, C>(left, right, at)
        }
    }

    fn plus_turned_fragments<T, const D: usize, const R: usize, const C: usize>(
        self,
        left: &SharedTile<T, D, R>,
        right: &SharedTile<T, D, C>,
        at: [usize; 2],
    ) -> Acc<S, M, N> {
        let mut sum = self;
        #[unroll]
        for part in 0..D / 16 {
            let left = Left::<T, M, 16>::load_transposed(left, [16 * part, at[0] + 16 * (warp::warp_id() % 4)]);
            sum.mma(&left, &Right::<T, 16, N>::load(right, [16 * part, at[1]]));
        }
        sum
    }

    fn plus_tiles<T, const TURNED: u32, const R: usize, const D: usize, const P: usize, const Q: usize>(
        self,
        left: &SharedTile<T, R, D>,
        right: &SharedTile<T, P, Q>,
        adds: u32,
        right_at: impl Fn(usize) -> Right<T, { 2 * T::CHUNK }, N>,
    ) -> Acc<S, M, N> {
        check_sums::<T, S>();
        assert!(
            D % (2 * T::CHUNK) == 0,
            "expected tiles that are a multiple of {} deep, as tensor cores multiply them, found {}\nhelp: take {}: what is beyond the edges of a \
             matrix is zero when it is loaded",
            2 * T::CHUNK, D, (D + 2 * T::CHUNK - 1) / (2 * T::CHUNK) * (2 * T::CHUNK)
        );
        if target::has_warpgroups() {
            // Stages may have been filled with elements that are not rounded.
            let is_whole = M == 16 && R % GROUP_ROWS == 0 && D % (8 * T::CHUNK) == 0;
            if is_whole && !T::IS_ROUNDED && have_group_shape::<T, S, Q, N, TURNED>() {
                let group = warpgroup();
                assert!(
                    group < R / GROUP_ROWS,
                    "expected a left tile with 16 rows for each warp that multiplies it, found one of {} rows and a warp of group {} of four\nhelp: \
                     make the tile larger, or let fewer warps multiply it",
                    R, group
                );
                self.plus_group_tiles::<T, TURNED, R, D, P, Q>(left, group, right, adds)
            } else {
                self.plus_fragments::<T, R, D>(left, right_at)
            }
        } else {
            self.plus_fragments::<T, R, D>(left, right_at)
        }
    }

    fn plus_fragments<T, const R: usize, const D: usize>(
        self,
        left: &SharedTile<T, R, D>,
        right_at: impl Fn(usize) -> Right<T, { 2 * T::CHUNK }, N>,
    ) -> Acc<S, M, N> {
        let mut sum = self;
        #[unroll]
        for part in 0..D / (2 * T::CHUNK) {
            let left = Left::<T, M, { 2 * T::CHUNK }>::load(left, [M * warp::warp_id(), 2 * T::CHUNK * part]);
            sum.mma(&left, &right_at(2 * T::CHUNK * part));
        }
        sum
    }

    fn add_tile<T, const TURNED: u32, const D: usize, const P: usize, const Q: usize>(
        &mut self,
        left: &Left<T, M, D>,
        right: &SharedTile<T, P, Q>,
        right_at: impl Fn(usize) -> Right<T, { 2 * T::CHUNK }, N>,
    ) {
        check_sums::<T, S>();
        if target::has_warpgroups() {
            if M == 16 && T::CHUNK == 8 && have_group_shape::<T, S, Q, N, TURNED>() {
                let rights = right_descriptors::<T, TURNED, D, P>(shared_address(right.elements.as_ptr()));
                *self = self.plus_group::<T, TURNED, _, _>(left.parts, rights, 1);
            } else {
                self.add_left::<T, D>(left, right_at);
            }
        } else {
            self.add_left::<T, D>(left, right_at);
        }
    }

    fn add_left<T, const D: usize>(&mut self, left: &Left<T, M, D>, right_at: impl Fn(usize) -> Right<T, { 2 * T::CHUNK }, N>) {
        let depth = D / (2 * T::CHUNK);
        #[unroll]
        for k in 0..depth {
            let mut part = Left::<T, M, { 2 * T::CHUNK }> { parts: [T::empty_left(); M / 16] };
            #[unroll]
            for i in 0..M / 16 {
                part.parts[i] = left.parts[i * depth + k];
            }
            self.mma(&part, &right_at(2 * T::CHUNK * k));
        }
    }

    // These sums, with the product of the 64 rows of a left tile that are this group's and a right tile.
    fn plus_group_tiles<T, const TURNED: u32, const R: usize, const D: usize, const P: usize, const Q: usize>(
        self,
        left: &SharedTile<T, R, D>,
        group: usize,
        right: &SharedTile<T, P, Q>,
        adds: u32,
    ) -> Acc<S, M, N> {
        let left = descriptor(shared_address(left.elements.as_ptr()) + (group * GROUP_ROWS * PANEL_BYTES) as u32, 16);
        let mut lefts = [0u64; D / (2 * T::CHUNK)];
        #[unroll]
        for part in 0..D / (2 * T::CHUNK) {
            lefts[part] = left + ((part / 4 * R * PANEL_BYTES + part % 4 * 32) / 16) as u64;
        }
        let rights = right_descriptors::<T, TURNED, D, P>(shared_address(right.elements.as_ptr()));
        if T::ARE_PROMOTED && adds != 0 {
            self.zip(Self::zero().plus_group::<T, TURNED, _, _>(lefts, rights, 0), |sum, product| sum + product)
        } else {
            self.plus_group::<T, TURNED, _, _>(lefts, rights, adds)
        }
    }

    // These sums, with products that four warps make together, of which each has its part.
    fn plus_group<T, const TURNED: u32, L, D>(self, left: L, right: D, adds: u32) -> Acc<S, M, N> {
        if TURNED == 1 {
            Acc { parts: T::multiply_tiles(self.parts, left, right, adds) }
        } else {
            Acc { parts: T::multiply_turned_tiles(self.parts, left, right, adds) }
        }
    }

    pub fn to_left<T>(self) -> Left<T, M, N> {
        assert!(
            T::CHUNK == 8,
            "expected a left matrix of `f16` or `bf16`, whose elements the lanes hold as they do sums, found one of others\nhelp: take one of `f16`"
        );
        assert!(
            N % 16 == 0,
            "expected sums of a multiple of 16 columns, as a left matrix has, found {}\nhelp: take {}",
            N, (N + 15) / 16 * 16
        );
        let mut parts = [T::empty_left(); M * N / (32 * T::CHUNK)];
        #[unroll]
        for part in 0..M * N / 256 {
            parts[part] = T::left_of(self.parts[2 * part], self.parts[2 * part + 1]);
        }
        Left { parts }
    }

    pub fn row_max(&self) -> Rows<S, M> {
        self.reduce_rows(|a, b| a.max(b))
    }

    pub fn row_min(&self) -> Rows<S, M> {
        self.reduce_rows(|a, b| a.min(b))
    }

    pub fn row_sum(&self) -> Rows<S, M> {
        self.reduce_rows(|a, b| a + b)
    }

    // A row lies in the four lanes of a quarter.
    fn reduce_rows(&self, f: impl Fn(S, S) -> S) -> Rows<S, M> {
        let mut rows = [self.parts[0][0]; M / 8];
        #[unroll]
        for half in 0..M / 8 {
            let first = self.parts[half / 2 * (N / 8)];
            let mut all = f(first[2 * (half % 2)], first[2 * (half % 2) + 1]);
            #[unroll]
            for j in 1..N / 8 {
                let part = self.parts[half / 2 * (N / 8) + j];
                all = f(all, f(part[2 * (half % 2)], part[2 * (half % 2) + 1]));
            }
            all = f(all, warp::shfl_xor(all, 1));
            rows[half] = f(all, warp::shfl_xor(all, 2));
        }
        Rows { rows }
    }

    pub fn map_rows<U, V>(self, rows: Rows<U, M>, f: impl Fn(S, U) -> V) -> Acc<V, M, N> {
        let mut parts = [V::zeros(); M * N / 128];
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                parts[part][i] = f(self.parts[part][i], rows.rows[part / (N / 8) * 2 + i / 2]);
            }
        }
        Acc { parts }
    }

    pub fn zip<U, V>(self, others: Acc<U, M, N>, f: impl Fn(S, U) -> V) -> Acc<V, M, N> {
        let mut parts = [V::zeros(); M * N / 128];
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                parts[part][i] = f(self.parts[part][i], others.parts[part][i]);
            }
        }
        Acc { parts }
    }

    pub fn map<V>(self, f: impl Fn(S) -> V) -> Acc<V, M, N> {
        let mut parts = [V::zeros(); M * N / 128];
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                parts[part][i] = f(self.parts[part][i]);
            }
        }
        Acc { parts }
    }

    pub fn map_at<V>(self, f: impl Fn(usize, usize, S) -> V) -> Acc<V, M, N> {
        let lane = warp::lane_id();
        let mut parts = [V::zeros(); M * N / 128];
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                let row = 16 * (part / (N / 8)) + lane / 4 + 8 * (i / 2);
                let column = 8 * (part % (N / 8)) + 2 * (lane % 4) + i % 2;
                parts[part][i] = f(row, column, self.parts[part][i]);
            }
        }
        Acc { parts }
    }

    pub fn for_each(&self, mut f: impl FnMut(usize, usize, S)) {
        let lane = warp::lane_id();
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for i in 0..4 {
                let row = 16 * (part / (N / 8)) + lane / 4 + 8 * (i / 2);
                let column = 8 * (part % (N / 8)) + 2 * (lane % 4) + i % 2;
                f(row, column, self.parts[part][i]);
            }
        }
    }

    pub fn store<T: OfSum<S>>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        // A sum of the place and the size may wrap.
        let is_inside = M <= to.rows && at[0] <= to.rows - M && N <= to.columns && at[1] <= to.columns - N;
        let is_aligned = to.elements.as_ptr().addr() % 16 == 0 && to.stride % 8 == 0 && at[1] % 8 == 0;
        if warp::all(is_inside && is_aligned) {
            // SAFETY: what was just asked.
            unsafe {
                if T::ARE_PAIRS && N % 32 == 0 {
                    self.store_chunks(to, at);
                } else {
                    self.store_inside(to, at);
                }
            }
        } else {
            self.store_pairs(to, at);
        }
    }

    // Stores sums that are all in the matrix, two beside each other at once.
    //
    // SAFETY: callers have a matrix with room for all, whose chunks of 16 bytes are aligned.
    unsafe fn store_inside<T>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        let lane = warp::lane_id();
        #[unroll]
        for half in 0..M / 8 {
            let row = at[0] + 8 * half + lane / 4;
            let place = unsafe { to.elements.as_mut_ptr().add(row * to.stride + at[1] + 2 * (lane % 4)) };
            #[unroll]
            for j in 0..N / 8 {
                let part = self.parts[half / 2 * (N / 8) + j];
                let first: T = part[2 * (half % 2)].stored_as::<T>();
                let second: T = part[2 * (half % 2) + 1].stored_as::<T>();
                unsafe { T::put_two(place.add(8 * j), first, second) };
            }
        }
    }

    // Stores sums that are all in the matrix as elements of two bytes. Of four lanes with a row, each gets 8 columns beside each other, which it
    // stores at once: a warp stores whole sectors of 32 bytes.
    //
    // SAFETY: callers have a matrix with room for all, whose chunks of 16 bytes are aligned.
    unsafe fn store_chunks<T>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        let lane = warp::lane_id();
        #[unroll]
        for half in 0..M / 8 {
            let row = at[0] + 8 * half + lane / 4;
            let place = unsafe { to.elements.as_mut_ptr().add(row * to.stride + at[1] + 8 * (lane % 4)) };
            #[unroll]
            for group in 0..N / 32 {
                let mut words = [0u32; 4];
                #[unroll]
                for j in 0..4 {
                    let part = self.parts[half / 2 * (N / 8) + 4 * group + j];
                    let first: T = part[2 * (half % 2)].stored_as::<T>();
                    let second: T = part[2 * (half % 2) + 1].stored_as::<T>();
                    words[j] = T::pair(first, second);
                }
                // A transposition of 4 × 4 words: of pairs of lanes, then of those two apart.
                let (a, b) = exchange(words[0], words[1], lane % 2 != 0, 1);
                let (c, d) = exchange(words[2], words[3], lane % 2 != 0, 1);
                let (first, third) = exchange(a, c, lane % 4 >= 2, 2);
                let (second, fourth) = exchange(b, d, lane % 4 >= 2, 2);
                unsafe { place.add(32 * group).cast::<U32x4>().write(U32x4::new(first, second, third, fourth)) };
            }
        }
    }

    fn store_pairs<T>(&self, to: &mut MatrixMut<'_, T>, at: [usize; 2]) {
        let lane = warp::lane_id();
        #[unroll]
        for part in 0..M * N / 128 {
            #[unroll]
            for half in 0..2 {
                let row = at[0] + 16 * (part / (N / 8)) + lane / 4 + 8 * half;
                let column = at[1] + 8 * (part % (N / 8)) + 2 * (lane % 4);
                if row < to.rows && column < to.columns {
                    let first: T = self.parts[part][2 * half].stored_as::<T>();
                    let second: T = self.parts[part][2 * half + 1].stored_as::<T>();
                    // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
                    unsafe {
                        let place = to.elements.as_mut_ptr().add(row * to.stride + column);
                        T::put(place, first, second, to.columns - column > 1);
                    }
                }
            }
        }
    }
}

impl<const M: usize, const N: usize> Acc<f32, M, N> {
    pub fn add_to(&self, to: &Matrix<'_, AtomicF32>, at: [usize; 2]) {
        let lane = warp::lane_id();
        // A sum of the place and the size may wrap.
        let is_inside = M <= to.rows && at[0] <= to.rows - M && N <= to.columns && at[1] <= to.columns - N;
        let is_aligned = to.elements.as_ptr().addr() % 8 == 0 && to.stride % 2 == 0 && at[1] % 2 == 0;
        if target::at_least(90) && to.is_global && is_inside && is_aligned {
            #[unroll]
            for half in 0..M / 8 {
                // SAFETY: by the invariant of the matrix every element in its shape is in the slice.
                let row = unsafe { place_in_matrix([at[0] + 8 * half + lane / 4, at[1] + 2 * (lane % 4)], to.stride) };
                #[unroll]
                for j in 0..N / 8 {
                    let part = self.parts[half / 2 * (N / 8) + j];
                    // SAFETY: as above; elements are aligned by pairs.
                    unsafe { add_two(to.elements, row + 8 * j, part[2 * (half % 2)], part[2 * (half % 2) + 1]) };
                }
            }
        } else {
            #[unroll]
            for part in 0..M * N / 128 {
                #[unroll]
                for i in 0..4 {
                    let row = at[0] + 16 * (part / (N / 8)) + lane / 4 + 8 * (i / 2);
                    let column = at[1] + 8 * (part % (N / 8)) + 2 * (lane % 4) + i % 2;
                    if row < to.rows && column < to.columns {
                        // SAFETY: as above.
                        let element = unsafe { to.elements.get_unchecked(place_in_matrix([row, column], to.stride)) };
                        element.fetch_add(self.parts[part][i], device::Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

// Adds to two elements beside each other, each in one step.
//
// SAFETY: callers have them in global memory, at a multiple of 8 bytes.
unsafe fn add_two(to: &[AtomicF32], index: usize, first: f32, second: f32) {
    unsafe {
        inline_ptx!(
            ".reg .b64 %to;",
            "cvta.to.global.u64 %to, {place};",
            "red.relaxed.gpu.global.add.v2.f32 [%to], {{{first}, {second}}};",
            place = in(usize) to.as_ptr().add(index) as usize,
            first = in(f32) first,
            second = in(f32) second,
            cpu = {
                to.get_unchecked(index).fetch_add(first, device::Ordering::Relaxed);
                to.get_unchecked(index + 1).fetch_add(second, device::Ordering::Relaxed);
            },
        );
    }
}

#[derive(Clone, Copy)]
pub struct Rows<T, const M: usize> {
    // Those of this lane's sums: its quarter's, every eight.
    rows: [T; M / 8],
}

impl<T, const M: usize> Rows<T, M> {
    pub fn splat(value: T) -> Rows<T, M> {
        Self { rows: [value; M / 8] }
    }

    pub fn from_fn(f: impl Fn(usize) -> T) -> Rows<T, M> {
        let lane = warp::lane_id();
        let mut rows = [f(lane / 4); M / 8];
        #[unroll]
        for half in 1..M / 8 {
            rows[half] = f(lane / 4 + 8 * half);
        }
        Self { rows }
    }

    pub fn for_each(self, mut f: impl FnMut(usize, T)) {
        let lane = warp::lane_id();
        if lane % 4 == 0 {
            #[unroll]
            for half in 0..M / 8 {
                f(lane / 4 + 8 * half, self.rows[half]);
            }
        }
    }

    pub fn map<U>(self, f: impl Fn(T) -> U) -> Rows<U, M> {
        let mut rows = [f(self.rows[0]); M / 8];
        #[unroll]
        for row in 1..M / 8 {
            rows[row] = f(self.rows[row]);
        }
        Rows { rows }
    }

    pub fn zip<U, V>(self, other: Rows<U, M>, f: impl Fn(T, U) -> V) -> Rows<V, M> {
        let mut rows = [f(self.rows[0], other.rows[0]); M / 8];
        #[unroll]
        for row in 1..M / 8 {
            rows[row] = f(self.rows[row], other.rows[row]);
        }
        Rows { rows }
    }
}
