//! [`inline_ptx!`](crate::inline_ptx): what rustc sees of it.

/// PTX of your own in a kernel.
///
/// It is read and checked as PTX when the kernel is compiled: opcodes and modifiers, the registers' types, names that are declared.
/// The kernel then needs the version and the target that it needs. It runs on GPUs and on the simulator.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// #[kernel]
/// pub fn count(x: &[u32], out: &mut [u32]) {
///     let i = global_idx().x;
///     if i < x.len() && i < out.len() {
///         // SAFETY: it only computes.
///         out[i] = unsafe {
///             inline_ptx!(
///                 "popc.b32 {d}, {a};",
///                 d = out(u32), a = in(u32) x[i],
///                 options(pure, nomem),
///                 cpu = a.count_ones(),
///             )
///         };
///     }
/// }
///
/// let gpu = Gpu::simulator(Arch::Sm90);
/// let x = gpu.upload(&[0u32, 7, u32::MAX])?;
/// let mut out = gpu.zeros::<u32>(3)?;
/// count(&x, &mut out).over(3).run()?;
/// assert_eq!(out.to_vec()?, [0, 3, 32]);
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
///
/// The syntax follows [`core::arch::asm!`]. First come string literals, one line of PTX or more each; `{name}`, `{0}` or `{}` stands for an
/// operand, `{{` and `}}` for braces of PTX. Then:
///
/// | operand | meaning |
/// |---|---|
/// | `a = in(f32) value` | a register with the value |
/// | `d = out(f32)` | a register that is written: the value of the macro, or with several of them a tuple of all |
/// | `d = out(f32) place` | the same, assigned to a place: all of them have one, or none |
/// | `x = inout(u64) place`, `inout(u64) value => place` | read and written |
/// | `n = const 4` | a number in the text |
/// | `options(nomem)` | it neither reads nor writes memory, nor orders accesses |
/// | `options(pure, nomem)` | it only computes: it may be left out, repeated and moved |
/// | `cpu = a * b` | what the CPU copy does in its place, over the operands that are read, by their names; it panics without |
///
/// Types are those of registers: `bool`, `f16`, `bf16`, and numbers of 32 and 64 bits. Without `nomem` the PTX may read and write whatever
/// memory it has an address of, as `in(usize) pointer as usize`. Registers, labels and variables that it declares are its own, each time
/// that it is put somewhere: calls are inlined, and loops unrolled. Barriers and collectives in it are not analysed: where some threads do
/// not reach them is found by the simulator's sanitizer, not by the compiler.
///
/// # Safety
/// The PTX is correct, accesses only memory that the kernel may access in this way, and has the lanes that it waits for: whoever writes
/// `unsafe` around it promises that.
#[macro_export]
macro_rules! inline_ptx {
    ($($tokens:tt)*) => { $crate::__inline_ptx!(@template $($tokens)*) };
}

/// The operands of [`inline_ptx!`](crate::inline_ptx), one after the other: what is read, places, what is written without one, what the
/// CPU does.
#[doc(hidden)]
#[macro_export]
macro_rules! __inline_ptx {
    (@template $text:literal) => { $crate::__inline_ptx!(@operand [] [] [] []) };
    (@template $text:literal, $($rest:tt)*) => { $crate::__inline_ptx!(@more $($rest)*) };
    (@more) => { $crate::__inline_ptx!(@operand [] [] [] []) };
    (@more $text:literal) => { $crate::__inline_ptx!(@operand [] [] [] []) };
    (@more $text:literal, $($rest:tt)*) => { $crate::__inline_ptx!(@more $($rest)*) };
    (@more $($rest:tt)*) => { $crate::__inline_ptx!(@operand [] [] [] [] $($rest)*) };

    (@operand $ins:tt $places:tt $values:tt $cpu:tt options($($option:ident),* $(,)?) $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins $places $values $cpu $($($rest)*)?)
    };
    (@operand $ins:tt $places:tt $values:tt [] cpu = $cpu:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins $places $values [$cpu] $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] $places:tt $values:tt $cpu:tt $name:ident = in($ty:ty) $value:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* ($name, $ty, $value)] $places $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] $places:tt $values:tt $cpu:tt in($ty:ty) $value:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* (_, $ty, $value)] $places $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] $places:tt $values:tt $cpu:tt $name:ident = const $value:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* (_, _, $value)] $places $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] $places:tt $values:tt $cpu:tt const $value:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* (_, _, $value)] $places $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] [$($places:tt)*] $values:tt $cpu:tt $name:ident = inout($ty:ty) $value:expr => $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* ($name, $ty, $value)] [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] [$($places:tt)*] $values:tt $cpu:tt inout($ty:ty) $value:expr => $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* (_, $ty, $value)] [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] [$($places:tt)*] $values:tt $cpu:tt $name:ident = inout($ty:ty) $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* ($name, $ty, $place)] [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };
    (@operand [$($ins:tt)*] [$($places:tt)*] $values:tt $cpu:tt inout($ty:ty) $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand [$($ins)* (_, $ty, $place)] [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };
    (@operand $ins:tt $places:tt [$($values:tt)*] $cpu:tt out($ty:ty) $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins $places [$($values)* ($ty)] $cpu $($($rest)*)?)
    };
    (@operand $ins:tt $places:tt [$($values:tt)*] $cpu:tt $name:ident = out($ty:ty) $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins $places [$($values)* ($ty)] $cpu $($($rest)*)?)
    };
    (@operand $ins:tt [$($places:tt)*] $values:tt $cpu:tt out($ty:ty) $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };
    (@operand $ins:tt [$($places:tt)*] $values:tt $cpu:tt $name:ident = out($ty:ty) $place:expr $(, $($rest:tt)*)?) => {
        $crate::__inline_ptx!(@operand $ins [$($places)* ($place, $ty)] $values $cpu $($($rest)*)?)
    };

    (@operand $ins:tt [] [($ty:ty)] $cpu:tt) => { $crate::__inline_ptx!(@value $ins ($ty) $cpu) };
    (@operand $ins:tt [] [$(($ty:ty))*] $cpu:tt) => { $crate::__inline_ptx!(@value $ins ($($ty),*) $cpu) };
    (@operand $ins:tt [($place:expr, $ty:ty)] [] $cpu:tt) => {
        $place = $crate::__inline_ptx!(@value $ins ($ty) $cpu)
    };
    (@operand $ins:tt [$(($place:expr, $ty:ty))*] [] $cpu:tt) => {
        ($($place),*) = $crate::__inline_ptx!(@value $ins ($($ty),*) $cpu)
    };
    (@value [$(($name:tt, $in:ty, $value:expr))*] ($($ty:ty),*) [$($cpu:expr)?]) => {{
        #[allow(unused, clippy::all)]
        let ($($name,)*): ($($in,)*) = ($($value,)*);
        #[allow(unused, unused_parens, clippy::all)]
        let written: ($($ty),*) = $crate::inline::written();
        $(
            #[allow(unused, unused_parens, clippy::all)]
            let written = if $crate::inline::is_cpu() { $cpu } else { written };
        )?
        written
    }};
}

/// Returns true: on the CPU a `cpu` expression, which has the same type, runs in place of the PTX.
#[doc(hidden)]
pub fn is_cpu() -> bool {
    true
}

/// Never called: the check copy is compiled, and not run.
///
/// # Safety
/// As that of the PTX.
#[doc(hidden)]
pub unsafe fn written<T>() -> T {
    panic!("inline PTX runs in kernels only")
}
