//! The arguments of a launch, laid out as PTX lays out kernel parameters: each at its natural alignment.

use std::sync::Arc;

use kernel_abi::tensor_map::{self, TensorMapParam};

use crate::backend::Params;
use crate::buffer::DeviceBuffer;
use crate::device::Atomic;
use crate::element::{Element, ElementType};
use crate::error::{LaunchError, Result};
use crate::gpu::Gpu;
use crate::indices::{BufferIndices, IndexBuffer, IndexElement};
use crate::kernel::{KernelData, ParamData, ParamKind, Variant};
use crate::lent::Lent;
use crate::pointer::PointerRef;
use crate::shaped::{BufferMatrix, BufferMatrixMut, BufferVolume, BufferVolumeMut, LentMatrix, LentVolume};
use crate::sliced::{BufferSlice, BufferSliceMut};
use crate::stream::{Access, Inner, Mark, OneThread, Ticket, Uses};
use crate::tensor_map::{TensorMap, map_of_matrix};

/// Arguments for a parameter `&[T]`: `&DeviceBuffer<T>`, or an `Option` of it, of which `None` is a slice without elements.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `&[{T}]` takes `&DeviceBuffer<{T}>`, found `{Self}`",
    label = "expected `&DeviceBuffer<{T}>`",
    note = "data of the host goes to the GPU first: `let x = gpu.upload(&data)?;`, then pass `&x`",
    note = "a buffer of another element type, or one passed by value or as `&mut x`, does not fit either: of a variable `x: &mut DeviceBuffer<{T}>` pass `&*x`"
)]
pub trait SliceArg<'gpu, T: Element>: private::Sealed {
    /// None without elements.
    #[doc(hidden)]
    fn buffer(self) -> Option<BufferRef<'gpu>>;
}

/// Arguments for a parameter `&mut [T]`: `&mut DeviceBuffer<T>`, or an `Option` of it, of which `None` is a slice without elements.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `&mut [{T}]` takes `&mut DeviceBuffer<{T}>`, found `{Self}`",
    label = "expected `&mut DeviceBuffer<{T}>`",
    note = "the kernel writes to it: pass `&mut y`, and declare it `let mut y = gpu.zeros(n)?;`",
    note = "data of the host goes to the GPU first: `let mut y = gpu.upload(&data)?;`"
)]
pub trait SliceMutArg<'gpu, T: Element>: private::Sealed {
    /// None without elements.
    #[doc(hidden)]
    fn buffer(self) -> Option<BufferRef<'gpu>>;
}

/// Arguments for a parameter `Option<&[T]>`: `Some(&x)` of a [`DeviceBuffer`] or `None`; a part of a buffer is passed without `Some`.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `Option<&[{T}]>` takes `Some(&x)` of a `DeviceBuffer<{T}>`, a part of one, or `None`, found `{Self}`",
    label = "expected `Option<&DeviceBuffer<{T}>>` or `BufferSlice<'_, {T}>`",
    note = "pass a part as it is, without `Some`: `x.slice(a..b)?`",
    note = "data of the host goes to the GPU first: `let x = gpu.upload(&data)?;`, then pass `Some(&x)`"
)]
pub trait OptionalSliceArg<'gpu, T: Element>: private::Sealed {
    #[doc(hidden)]
    fn buffer(self) -> Option<BufferRef<'gpu>>;
}

/// Arguments for a parameter `Option<&mut [T]>`: `Some(&mut y)` of a [`DeviceBuffer`] or `None`; a part of a buffer is passed without `Some`.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `Option<&mut [{T}]>` takes `Some(&mut y)` of a `DeviceBuffer<{T}>`, a part of one, or `None`, found `{Self}`",
    label = "expected `Option<&mut DeviceBuffer<{T}>>` or `&mut BufferSliceMut<'_, {T}>`",
    note = "pass a part as it is, without `Some`: `&mut y.slice_mut(a..b)?`",
    note = "the kernel writes to it: pass `Some(&mut y)`, and declare it `let mut y = gpu.zeros(n)?;`"
)]
pub trait OptionalSliceMutArg<'gpu, T: Element>: private::Sealed {
    #[doc(hidden)]
    fn buffer(self) -> Option<BufferRef<'gpu>>;
}

/// Arguments for a parameter `&[AtomicU32]` and its like: `&mut DeviceBuffer<u32>`, lent to all threads.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `&[{A}]` takes a `&mut DeviceBuffer` of plain numbers, found `{Self}`",
    label = "expected `&mut DeviceBuffer<{A}::Value>`: of `u32` for `AtomicU32`",
    note = "all threads change it: pass `&mut counts`, and declare it `let mut counts = gpu.zeros::<u32>(n)?;`"
)]
pub trait AtomicsArg<'gpu, A: Atomic>: private::Sealed {
    #[doc(hidden)]
    fn buffer(self) -> BufferRef<'gpu>;
}

macro_rules! view_args {
    ($($argument:ident: $of:literal takes $buffer:ident or $lent:ident, $made:literal, $message:literal, $note:literal;)*) => {$(
        #[doc = concat!("Arguments for a parameter `", $of, "<'_, T>`: what [`DeviceBuffer`] makes by `", $made, "`.")]
        #[diagnostic::on_unimplemented(message = $message, label = "expected a buffer with a shape", note = $note)]
        pub trait $argument<'gpu, T: Element>: private::Sealed {
            #[doc(hidden)]
            fn view(self) -> ViewRef<'gpu>;
        }

        impl<T: Element> private::Sealed for $buffer<'_, T> {}

        impl<'gpu, T: Element> $argument<'gpu, T> for $buffer<'gpu, T> {
            fn view(self) -> ViewRef<'gpu> {
                ViewRef { buffer: BufferRef::of(self.part), sizes: self.sizes }
            }
        }

        impl<'gpu, T: Element> $argument<'gpu, T> for $lent<'gpu, T> {
            fn view(self) -> ViewRef<'gpu> {
                ViewRef { buffer: BufferRef::of(self.part), sizes: self.sizes }
            }
        }
    )*};
}
view_args! {
    MatrixArg: "Matrix" takes BufferMatrix or LentMatrix, "x.matrix(rows, columns)?",
        "a kernel's parameter `Matrix<'_, {T}>` takes `x.matrix(rows, columns)?` of a buffer of `{T}`, found `{Self}`",
        "a function of the host that hands it on has a parameter `BufferMatrix<'_, {T}>`";
    MatrixMutArg: "MatrixMut" takes BufferMatrixMut or LentMatrix, "y.matrix_mut(rows, columns)?",
        "a kernel's parameter `MatrixMut<'_, {T}>` takes `y.matrix_mut(rows, columns)?` of a buffer of `{T}`, found `{Self}`",
        "a function of the host that hands it on has a parameter `BufferMatrixMut<'_, {T}>`";
    VolumeArg: "Volume" takes BufferVolume or LentVolume, "x.volume(depth, rows, columns)?",
        "a kernel's parameter `Volume<'_, {T}>` takes `x.volume(depth, rows, columns)?` of a buffer of `{T}`, found `{Self}`",
        "a function of the host that hands it on has a parameter `BufferVolume<'_, {T}>`";
    VolumeMutArg: "VolumeMut" takes BufferVolumeMut or LentVolume, "y.volume_mut(depth, rows, columns)?",
        "a kernel's parameter `VolumeMut<'_, {T}>` takes `y.volume_mut(depth, rows, columns)?` of a buffer of `{T}`, found `{Self}`",
        "a function of the host that hands it on has a parameter `BufferVolumeMut<'_, {T}>`";
}

/// A borrowed buffer with the sizes of a view of it, every element of which is in the buffer.
#[derive(Clone, Copy, Debug)]
pub struct ViewRef<'gpu> {
    buffer: BufferRef<'gpu>,
    sizes: [u32; 3],
}

/// Arguments for a parameter `Indices<'_, T>`: [`&IndexBuffer<T>`](IndexBuffer), or what [`DeviceBuffer::indices`] makes.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `Indices<'_, {T}>` takes indices that the host has validated, found `{Self}`",
    label = "expected `&IndexBuffer<{T}>` or `BufferIndices<'_, {T}>`",
    note = "upload them by `let col = gpu.upload_indices(&data)?;` and pass `&col`; or pass `col.indices()?` of a buffer of `{T}`"
)]
pub trait IndicesArg<'gpu, T: IndexElement>: private::Sealed {
    /// The buffer, and what all of its elements are below.
    #[doc(hidden)]
    fn indices(self) -> (BufferRef<'gpu>, usize);
}

impl<'gpu, T: IndexElement> IndicesArg<'gpu, T> for BufferIndices<'gpu, T> {
    fn indices(self) -> (BufferRef<'gpu>, usize) {
        (BufferRef::new(self.buffer), self.bound)
    }
}

impl<'gpu, T: IndexElement> IndicesArg<'gpu, T> for &'gpu IndexBuffer<T> {
    fn indices(self) -> (BufferRef<'gpu>, usize) {
        (BufferRef::new(self), self.bound())
    }
}

mod private {
    pub trait Sealed {}
}

impl<T> private::Sealed for BufferIndices<'_, T> {}
impl<T> private::Sealed for &IndexBuffer<T> {}

impl<T: Element> private::Sealed for &DeviceBuffer<T> {}
impl<T: Element> private::Sealed for Option<&DeviceBuffer<T>> {}
impl<T: Element> private::Sealed for &mut DeviceBuffer<T> {}
impl<T: Element> private::Sealed for Option<&mut DeviceBuffer<T>> {}
impl<T: Element> private::Sealed for Lent<'_, T> {}
impl<T: Element> private::Sealed for LentMatrix<'_, T> {}
impl<T: Element> private::Sealed for LentVolume<'_, T> {}
impl<T: Element> private::Sealed for BufferSlice<'_, T> {}
impl<T: Element> private::Sealed for &mut BufferSliceMut<'_, T> {}

impl<'gpu, T: Element> SliceArg<'gpu, T> for &'gpu DeviceBuffer<T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::new(self))
    }
}

impl<'gpu, T: Element> SliceMutArg<'gpu, T> for &'gpu mut DeviceBuffer<T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::new(self))
    }
}

impl<'gpu, A: Atomic> AtomicsArg<'gpu, A> for &'gpu mut DeviceBuffer<A::Value> {
    fn buffer(self) -> BufferRef<'gpu> {
        BufferRef::new(self)
    }
}

impl<'gpu, T: Element> SliceArg<'gpu, T> for Lent<'gpu, T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::of(self.as_part()))
    }
}

impl<'gpu, T: Element> SliceMutArg<'gpu, T> for Lent<'gpu, T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::of(self.as_part()))
    }
}

// Behind the others: rustc lists what takes a slice in the order of the source.
impl<'gpu, T: IndexElement> SliceArg<'gpu, T> for &'gpu IndexBuffer<T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::new(self))
    }
}

impl<'gpu, A: Atomic> AtomicsArg<'gpu, A> for Lent<'gpu, A::Value> {
    fn buffer(self) -> BufferRef<'gpu> {
        BufferRef::of(self.as_part())
    }
}

impl<'gpu, T: Element> SliceArg<'gpu, T> for BufferSlice<'gpu, T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::of(self))
    }
}

impl<'gpu, T: Element> SliceArg<'gpu, T> for Option<&'gpu DeviceBuffer<T>> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        self.map(BufferRef::new)
    }
}

impl<'gpu, T: Element> SliceMutArg<'gpu, T> for &'gpu mut BufferSliceMut<'_, T> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        Some(BufferRef::of(self.as_slice()))
    }
}

impl<'gpu, T: Element> SliceMutArg<'gpu, T> for Option<&'gpu mut DeviceBuffer<T>> {
    fn buffer(self) -> Option<BufferRef<'gpu>> {
        self.map(|buffer| BufferRef::new(buffer))
    }
}

impl<'gpu, A: Atomic> AtomicsArg<'gpu, A> for &'gpu mut BufferSliceMut<'_, A::Value> {
    fn buffer(self) -> BufferRef<'gpu> {
        BufferRef::of(self.as_slice())
    }
}

/// Arguments as for a slice, of which `None` alone needs the `Option`: no other `Option` may be here, or its type would be open.
macro_rules! optional_args {
    ($($argument:ident by $slice:ident: $($ty:ty),+;)*) => {$($(
        impl<'gpu, T: Element> $argument<'gpu, T> for $ty {
            fn buffer(self) -> Option<BufferRef<'gpu>> {
                $slice::<'gpu, T>::buffer(self)
            }
        }
    )+)*};
}
optional_args! {
    OptionalSliceArg by SliceArg: Option<&'gpu DeviceBuffer<T>>, &'gpu DeviceBuffer<T>, BufferSlice<'gpu, T>, Lent<'gpu, T>;
    OptionalSliceMutArg by SliceMutArg:
        Option<&'gpu mut DeviceBuffer<T>>, &'gpu mut DeviceBuffer<T>, &'gpu mut BufferSliceMut<'_, T>, Lent<'gpu, T>;
}

/// A borrowed buffer or a part of one, its element type left behind.
#[derive(Clone, Copy, Debug)]
pub struct BufferRef<'gpu> {
    gpu: &'gpu Gpu,
    address: u64,
    len: usize,
    uses: &'gpu Uses,
    /// It may be another argument as well.
    is_lent: bool,
}

impl<'gpu> BufferRef<'gpu> {
    fn new<T: Element>(buffer: &'gpu DeviceBuffer<T>) -> BufferRef<'gpu> {
        BufferRef::of(buffer.as_slice())
    }

    fn of<T: Element>(part: BufferSlice<'gpu, T>) -> BufferRef<'gpu> {
        let (gpu, address, len, uses) = (part.gpu(), part.address(), part.len(), part.uses());
        BufferRef { gpu, address, len, uses, is_lent: part.is_lent }
    }

    /// The device that it is on.
    pub(crate) fn gpu(&self) -> &'gpu Gpu {
        self.gpu
    }

    /// Its address in the device's memory.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Its length in elements.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns true if both are handles on one buffer: parts of a buffer that are borrowed apart share no element.
    pub(crate) fn is_same(&self, other: &BufferRef<'_>) -> bool {
        std::ptr::eq(self.uses, other.uses) && self.address == other.address
    }

    /// Uses by streams of the buffer that it is in.
    pub(crate) fn uses(&self) -> &'gpu Uses {
        self.uses
    }
}

/// Buffers that need no memory from the heap: more than nearly every kernel takes.
const INLINE_BUFFERS: usize = 8;

/// The buffers that a launch borrows, and how it uses them.
#[derive(Clone, Debug)]
pub(crate) struct Borrowed<'gpu> {
    inline: [Option<(&'gpu Uses, Access)>; INLINE_BUFFERS],
    count: usize,
    /// Those beyond.
    more: Vec<(&'gpu Uses, Access)>,
    /// Some may be borrowed by handles that lend them.
    _one_thread: OneThread,
}

impl<'gpu> Borrowed<'gpu> {
    #[inline]
    pub(crate) const fn new() -> Borrowed<'gpu> {
        Borrowed { inline: [None; INLINE_BUFFERS], count: 0, more: Vec::new(), _one_thread: OneThread::new() }
    }

    pub(crate) fn push(&mut self, uses: &'gpu Uses, access: Access) {
        match self.inline.get_mut(self.count) {
            Some(place) => {
                *place = Some((uses, access));
                self.count += 1;
            }
            None => self.more.push((uses, access)),
        }
    }

    #[inline]
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'gpu Uses, Access)> {
        self.inline[..self.count].iter().flatten().chain(&self.more).copied()
    }

    /// Makes a stream wait for what must not go on at the same time.
    #[inline]
    pub(crate) fn order(&self, stream: &Arc<Inner>) -> Result<()> {
        for (uses, access) in self.all() {
            uses.order(access, stream)?;
        }
        Ok(())
    }

    /// Enters the launch as a use of all.
    #[inline]
    pub(crate) fn enter(&self, stream: &Arc<Inner>, ticket: Ticket) {
        self.all().for_each(|(uses, access)| uses.enter(access, stream, ticket));
    }

    /// Forgets what the launch, which is over, has waited for: what was there when it was [ordered](Borrowed::order), after `before`.
    pub(crate) fn ended(&self, before: Mark) {
        self.all().for_each(|(uses, access)| uses.ended(access, before));
    }

    /// Waits until the host may do what the launch does.
    pub(crate) fn wait(&self) -> Result<()> {
        self.all().map(|(uses, access)| uses.wait(access)).fold(Ok(()), Result::and)
    }
}

/// Most bytes that the parameters of a kernel take on every architecture (PTX ISA, "Kernel Function Parameters").
const MAX_BYTES: usize = 4352;
/// Bytes of arguments that need no memory from the heap: more than nearly every kernel takes.
const INLINE: usize = 192;

/// The arguments given so far. The first mistake is kept, and reported when the launch is run.
#[derive(Clone, Debug)]
pub(crate) struct Args<'gpu> {
    bytes: ArgBytes,
    count: usize,
    /// On the heap: the arguments are moved more often than mistaken.
    mistake: Option<Box<LaunchError>>,
    /// The first buffer and its device.
    first: Option<(&'static str, &'gpu Gpu)>,
    /// The first buffer on another device than that.
    elsewhere: Option<(&'static str, &'gpu Gpu)>,
    /// The slices that the kernel writes; noted only for kernels that are tuned, to spare others the memory.
    outputs: Option<Vec<Output>>,
    borrowed: Borrowed<'gpu>,
}

/// A slice that the kernel writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    /// The parameter's name.
    pub(crate) name: &'static str,
    /// Type of its elements.
    pub(crate) element: ElementType,
    /// Its address in the device's memory.
    pub(crate) address: u64,
    /// Its length in elements.
    pub(crate) len: usize,
    /// Offset of its address in the bytes of the arguments.
    pub(crate) at: usize,
}

impl Output {
    /// Its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.len * self.element.bytes
    }
}

impl<'gpu> Args<'gpu> {
    #[inline]
    pub(super) fn new() -> Args<'gpu> {
        let (bytes, borrowed) = (ArgBytes::new(), Borrowed::new());
        Args { bytes, count: 0, mistake: None, first: None, elsewhere: None, outputs: None, borrowed }
    }

    /// For a cooperative kernel: CUDA 13.0 captures no such launch whose arguments come as one piece.
    #[cold]
    pub(super) fn one_by_one() -> Args<'gpu> {
        Args { bytes: ArgBytes::with_starts(), ..Args::new() }
    }

    /// For a kernel that is tuned: notes what it writes.
    pub(super) fn noting_outputs(self) -> Args<'gpu> {
        Args { outputs: Some(Vec::new()), ..self }
    }

    /// The slices that the kernel writes, where they are noted.
    pub(crate) fn outputs(&self) -> &[Output] {
        self.outputs.as_deref().unwrap_or_default()
    }

    /// A copy of the arguments with other memory for the outputs, in the order of [`outputs`](Args::outputs); it is borrowed as well.
    pub(crate) fn redirected<'copies>(&self, copies: &'copies [DeviceBuffer<u8>]) -> Args<'copies>
    where
        'gpu: 'copies,
    {
        let mut args: Args<'copies> = self.clone();
        for (output, copy) in self.outputs().iter().zip(copies) {
            args.bytes.replace(output.at, &copy.address().to_ne_bytes());
            args.borrowed.push(copy.uses(), Access::Write);
        }
        args
    }

    pub(super) fn scalar<T: Element>(&mut self, params: &[ParamData], name: &'static str, value: T) {
        self.optional(params, name, Some(value));
    }

    /// A scalar, or zeros in its place.
    pub(super) fn optional<T: Element>(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        value: Option<T>,
    ) {
        let matches =
            |kind: &ParamKind| matches!(kind, ParamKind::Scalar(ty) if ty.bytes() == size_of::<T>());
        self.next(params, name, matches, || format!("`{}`", std::any::type_name::<T>()));
        match &value {
            Some(value) => self.bytes.push(&T::bytes_of(std::slice::from_ref(value)), size_of::<T>()),
            None => self.bytes.push(&[0; 8][..size_of::<T>().min(8)], size_of::<T>()),
        }
    }

    /// # Safety
    /// The parameter's description says where scalars are in a `T`.
    pub(super) unsafe fn value<T: Copy + 'static>(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        value: T,
    ) {
        let whole = ElementType::of::<T>(std::any::type_name::<T>());
        // SAFETY: by the condition above; all bytes of a scalar are initialised.
        unsafe { self.scalars(params, name, whole, (&raw const value).cast()) };
    }

    /// As [`value`](Args::value), of a type that may have bytes which hold nothing.
    ///
    /// # Safety
    /// As of [`value`](Args::value), and `P` is `T`, or an array of it, or an array of such arrays.
    pub(super) unsafe fn elements<T: Element, P: Copy>(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        value: &P,
    ) {
        let whole = ElementType::of::<P>(std::any::type_name::<P>());
        let mut bytes = vec![0; size_of::<P>()];
        // SAFETY: by the condition above.
        unsafe { crate::element::write::<T, P>(value, &mut bytes, 0) };
        // SAFETY: by the condition above; there are as many bytes as a value has.
        unsafe { self.scalars(params, name, whole, bytes.as_ptr()) };
    }

    /// The scalars of a value, each from its place.
    ///
    /// # Safety
    /// `value` points to a value of this type, and the parameter's description says where in it initialised scalars are.
    unsafe fn scalars(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        whole: ElementType,
        value: *const u8,
    ) {
        let kind = params.get(self.count).map(|param| param.kind);
        let matches = |kind: &ParamKind| match kind {
            ParamKind::Scalar(scalar) => scalar.bytes() == whole.bytes,
            ParamKind::Value { ty, .. } => *ty == whole,
            ParamKind::Slice { .. } | ParamKind::Pointer { .. } => false,
        };
        if !self.next(params, name, matches, || format!("`{whole}`")) {
            return;
        }
        let mut push = |offset: usize, bytes: usize| {
            // SAFETY: a scalar is there, by the condition above.
            let scalar = unsafe { std::slice::from_raw_parts(value.add(offset), bytes) };
            self.bytes.push(scalar, bytes);
        };
        match kind {
            Some(ParamKind::Scalar(scalar)) => push(0, scalar.bytes()),
            Some(ParamKind::Value { scalars, .. }) => {
                scalars.iter().for_each(|(offset, scalar)| push(*offset, scalar.bytes()));
            }
            Some(ParamKind::Slice { .. } | ParamKind::Pointer { .. }) | None => {}
        }
    }

    pub(super) fn slice(
        &mut self,
        kernel: &KernelData,
        name: &'static str,
        kind: ParamKind,
        buffer: Option<BufferRef<'gpu>>,
    ) {
        self.next(kernel.params, name, |expected| *expected == kind, || kind.to_string());
        let Some(buffer) = buffer else {
            self.bytes.push(&0u64.to_ne_bytes(), 8);
            let bytes = if kernel.wide_index { 8 } else { 4 };
            return self.bytes.push(&0u64.to_ne_bytes()[..bytes], bytes);
        };
        let writes = matches!(kind, ParamKind::Slice { mutable: true, .. });
        let access = if writes { Access::Write } else { Access::Read };
        // The rule that the borrow checker enforces for other buffers.
        let conflicts = |(uses, other): (&Uses, Access)| {
            std::ptr::eq(uses, buffer.uses) && (access, other) != (Access::Read, Access::Read)
        };
        if buffer.is_lent && self.borrowed.all().any(conflicts) {
            self.mistake.get_or_insert_with(|| LaunchError::LentTwice { argument: name }.into());
        }
        self.borrowed.push(buffer.uses, access);
        self.lies_on(name, buffer.gpu);
        let short = u32::try_from(buffer.len);
        if short.is_err() && !kernel.wide_index {
            let mistake = LaunchError::SliceTooLong { argument: name, length: buffer.len };
            self.mistake.get_or_insert_with(|| mistake.into());
            return;
        }
        self.bytes.push(&buffer.address.to_ne_bytes(), 8);
        if let (Some(outputs), ParamKind::Slice { element, mutable: true, .. }) = (&mut self.outputs, kind) {
            let at = self.bytes.as_slice().len() - 8;
            outputs.push(Output { name, element, address: buffer.address, len: buffer.len, at });
        }
        match short {
            Ok(length) if !kernel.wide_index => self.bytes.push(&length.to_ne_bytes(), 4),
            _ => self.bytes.push(&(buffer.len as u64).to_ne_bytes(), 8),
        }
    }

    /// A view: its buffer and its sizes, the arguments of four parameters.
    pub(super) fn view(
        &mut self,
        kernel: &KernelData,
        [name, sizes @ ..]: [&'static str; 4],
        kind: ParamKind,
        view: ViewRef<'gpu>,
    ) {
        self.slice(kernel, name, kind, Some(view.buffer));
        for (name, size) in sizes.into_iter().zip(view.sizes) {
            self.scalar(kernel.params, name, size);
        }
    }

    pub(super) fn pointer(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        kind: ParamKind,
        pointer: PointerRef<'gpu>,
    ) {
        self.next(params, name, |expected| *expected == kind, || kind.to_string());
        if let Some((gpu, uses)) = pointer.buffer {
            self.lies_on(name, gpu);
            let writes = matches!(kind, ParamKind::Pointer { mutable: true, .. });
            self.borrowed.push(uses, if writes { Access::Write } else { Access::Read });
        }
        self.bytes.push(&pointer.address.to_ne_bytes(), 8);
    }

    /// Notes the device of an argument.
    fn lies_on(&mut self, name: &'static str, device: &'gpu Gpu) {
        match self.first {
            None => self.first = Some((name, device)),
            Some((_, gpu)) if gpu != device => {
                self.elsewhere.get_or_insert((name, device));
            }
            Some(_) => {}
        }
    }

    /// Compares an argument with the kernel's description. The launch function that the macro makes cannot be wrong
    /// here; what is written by hand can.
    fn next(
        &mut self,
        params: &[ParamData],
        name: &'static str,
        matches: impl Fn(&ParamKind) -> bool,
        found: impl Fn() -> String,
    ) -> bool {
        let param = params.get(self.count);
        self.count += 1;
        let fits = param.is_some_and(|param| matches(&param.kind));
        if !fits {
            let mistake = LaunchError::Argument {
                index: self.count,
                expected: param
                    .map_or("no more".to_owned(), |param| format!("`{}`: {}", param.name, param.kind)),
                found: format!("`{name}`: {}", found()),
            };
            self.mistake.get_or_insert_with(|| mistake.into());
        }
        fits
    }

    /// The device of the first buffer.
    #[inline]
    pub(super) fn device(&self) -> Option<&'gpu Gpu> {
        self.first.map(|(_, gpu)| gpu)
    }

    /// Returns the first mistake as an error; `gpu` is the device of the launch.
    #[inline]
    pub(super) fn check(&mut self, params: &[ParamData], gpu: &Gpu) -> Result<(), LaunchError> {
        let is_here = |device: Option<(&str, &Gpu)>| device.is_none_or(|(_, device)| device == gpu);
        let is_right = self.mistake.is_none()
            && self.count == params.len()
            && is_here(self.first)
            && self.elsewhere.is_none();
        if is_right { Ok(()) } else { self.refuse(params, gpu) }
    }

    /// The first mistake of arguments that [`check`](Self::check) has found to have one.
    #[cold]
    fn refuse(&mut self, params: &[ParamData], gpu: &Gpu) -> Result<(), LaunchError> {
        if let Some(mistake) = self.mistake.take() {
            return Err(*mistake);
        }
        if let Some(missing) = params.get(self.count) {
            let expected = format!("`{}`: {}", missing.name, missing.kind);
            return Err(LaunchError::Argument { index: self.count + 1, expected, found: "none".to_owned() });
        }
        let mut buffers = [self.first, self.elsewhere].into_iter().flatten();
        match buffers.find(|&(_, device)| device != gpu) {
            Some((argument, device)) => {
                let (expected, found) = (gpu.to_string(), device.name_beside(gpu));
                Err(LaunchError::OtherDevice { argument, expected, found })
            }
            None => Ok(()),
        }
    }

    /// The buffers.
    #[inline]
    pub(crate) fn borrowed(&self) -> &Borrowed<'gpu> {
        &self.borrowed
    }

    /// The bytes of the arguments so far.
    #[inline]
    pub(super) fn bytes(&self) -> &[u8] {
        self.bytes.as_slice()
    }

    /// All bytes, without hidden parameters.
    #[inline]
    pub(crate) fn params(&self) -> &ArgBytes {
        &self.bytes
    }

    /// The bytes followed by the tensor maps of matrices among them, if there are any.
    pub(super) fn mapped(
        &self,
        kernel: &KernelData,
        maps: &[TensorMapParam],
        gpu: &Gpu,
    ) -> Result<Option<Box<ArgBytes>>> {
        if maps.is_empty() {
            return Ok(None);
        }
        let mut bytes = Box::new(self.bytes.clone());
        for map in maps {
            let at = usize::from(map.at);
            let address = u64::from_ne_bytes(self.bytes.read(at));
            let sizes_at = at + 8 + if kernel.wide_index { 8 } else { 4 };
            let sizes = [0, 4, 8].map(|offset| u32::from_ne_bytes(self.bytes.read(sizes_at + offset)));
            bytes.push(&map_of_matrix(gpu, address, sizes, map.element_bytes)?, tensor_map::ALIGN as usize);
        }
        Ok(Some(bytes))
    }

    /// Refuses more bytes than a launch takes, with those of the hidden parameters.
    #[inline]
    pub(super) fn check_size(&self, variant: &Variant) -> Result<(), LaunchError> {
        let own = match (self.bytes.as_slice().len(), variant.maps.len()) {
            (own, 0) => own,
            (own, count) => own.next_multiple_of(tensor_map::ALIGN as usize) + count * TensorMap::BYTES,
        };
        let found = match usize::from(variant.has_print_param) + usize::from(variant.has_panic_param) {
            0 => own,
            count => own.next_multiple_of(HIDDEN_BYTES) + count * HIDDEN_BYTES,
        };
        match found > MAX_BYTES {
            true => Err(LaunchError::TooManyArguments { found, limit: MAX_BYTES }),
            false => Ok(()),
        }
    }
}

/// A hidden parameter is an address.
const HIDDEN_BYTES: usize = 8;

/// Something for each hidden parameter, in the order in which they follow the others.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hidden<T> {
    /// For the print buffer.
    pub(crate) print: T,
    /// For the panic record.
    pub(crate) panic: T,
}

/// The bytes of arguments, on the heap only when there are many.
#[derive(Clone, Debug)]
pub(crate) struct ArgBytes {
    inline: [u8; INLINE],
    len: usize,
    /// All bytes, once they outgrow `inline`.
    spilled: Vec<u8>,
    /// The offset of each argument, if it is needed.
    starts: Option<Vec<usize>>,
}

impl ArgBytes {
    #[inline]
    pub(crate) const fn new() -> ArgBytes {
        ArgBytes { inline: [0; INLINE], len: 0, spilled: Vec::new(), starts: None }
    }

    /// None so far, for a kernel that wants its parameters at multiples of up to `align`.
    pub(crate) fn aligned_to(align: usize) -> ArgBytes {
        if align > Params::ALIGN { ArgBytes::with_starts() } else { ArgBytes::new() }
    }

    /// None so far, and where each begins will be known.
    fn with_starts() -> ArgBytes {
        ArgBytes { starts: Some(Vec::new()), ..ArgBytes::new() }
    }

    /// Appends a value at the next multiple of its alignment.
    pub(crate) fn push(&mut self, value: &[u8], align: usize) {
        let start = self.len.next_multiple_of(align);
        if let Some(starts) = &mut self.starts {
            starts.push(start);
        }
        self.len = start + value.len();
        if self.spilled.is_empty() {
            if let Some(place) = self.inline.get_mut(start..self.len) {
                place.copy_from_slice(value);
                return;
            }
            self.spilled.extend_from_slice(&self.inline);
        }
        self.spilled.resize(start, 0);
        self.spilled.extend_from_slice(value);
    }

    /// The bytes from `at` on, which are there.
    fn read<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.as_slice()[at..at + N]);
        bytes
    }

    /// Puts other bytes where some are.
    fn replace(&mut self, at: usize, value: &[u8]) {
        let all = if self.spilled.is_empty() { &mut self.inline[..] } else { &mut self.spilled };
        all[at..at + value.len()].copy_from_slice(value);
    }

    /// A copy of the bytes, followed by these addresses.
    pub(crate) fn with_hidden(&self, hidden: Hidden<Option<u64>>) -> ArgBytes {
        let mut bytes = self.clone();
        for address in [hidden.print, hidden.panic].into_iter().flatten() {
            bytes.push(&address.to_ne_bytes(), HIDDEN_BYTES);
        }
        bytes
    }

    /// For a launch.
    #[inline]
    pub(crate) fn as_params(&self) -> Params<'_> {
        Params { bytes: self.as_slice(), starts: self.starts.as_deref().unwrap_or_default() }
    }

    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        if self.spilled.is_empty() { &self.inline[..self.len] } else { &self.spilled }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_at_their_natural_alignment() {
        let mut bytes = ArgBytes::new();
        bytes.push(&[1], 1);
        bytes.push(&[2; 4], 4);
        bytes.push(&[3; 8], 8);
        bytes.push(&[4; 2], 2);
        let expected = [1, 0, 0, 0, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4];
        assert_eq!(bytes.as_slice(), expected);
    }

    /// The argument bytes of a kernel of one slice for a slice of this length, or the reason of its refusal.
    fn slice_of(len: usize, wide_index: bool) -> Result<Vec<u8>, String> {
        let element = ElementType::of::<u8>("u8");
        let kind = ParamKind::Slice { element, mutable: false };
        let params: &'static [ParamData] = Box::leak(Box::new([ParamData { name: "x", kind }]));
        let kernel = KernelData { params, wide_index, ..KernelData::EMPTY };
        let gpu = Gpu::simulator(crate::Arch::Sm90);
        let mut args = Args::new();
        let uses = Uses::default();
        args.slice(
            &kernel,
            "x",
            kind,
            Some(BufferRef { gpu: &gpu, address: 0x1000, len, uses: &uses, is_lent: false }),
        );
        args.check(params, &gpu).map_err(|error| error.to_string())?;
        Ok(args.bytes().to_vec())
    }

    #[test]
    fn lengths_are_as_wide_as_the_kernel_says() {
        let [address, tail] = [[0, 0x10, 0, 0, 0, 0, 0, 0], [5, 0, 0, 0, 1, 0, 0, 0]];
        assert_eq!(slice_of(5, false), Ok([&address[..], &[5, 0, 0, 0]].concat()));
        assert_eq!(slice_of(5, true), Ok([&address[..], &[5, 0, 0, 0, 0, 0, 0, 0]].concat()));
        assert_eq!(slice_of((1 << 32) + 5, true), Ok([address, tail].concat()));
        expect_test::expect![[r#"
            argument `x` has 4294967301 elements, but a kernel takes at most 4294967295
            help: write `#[kernel(index(u64))]` for lengths of 64 bits, or launch over parts of the buffer"#]]
        .assert_eq(&slice_of((1 << 32) + 5, false).unwrap_err());
    }

    #[test]
    fn starts_are_known_where_parameters_are_aligned_to_much() {
        let starts = |align: usize| {
            let mut bytes = ArgBytes::aligned_to(align);
            bytes.push(&[1; 8], 8);
            bytes.push(&[2; 128], align);
            bytes.push(&[3; 4], 4);
            bytes.as_params().starts.to_vec()
        };
        assert_eq!(starts(16), [0; 0]);
        assert_eq!(starts(64), [0, 64, 192]);
        assert_eq!(starts(128), [0, 128, 256]);
    }

    #[test]
    fn many_arguments_move_to_the_heap() {
        let mut bytes = ArgBytes::new();
        let mut expected = Vec::new();
        for number in 0..100u64 {
            bytes.push(&number.to_ne_bytes(), 8);
            expected.extend_from_slice(&number.to_ne_bytes());
            assert_eq!(bytes.as_slice(), expected);
        }
        bytes.push(&[7], 1);
        bytes.push(&[8; 8], 8);
        expected.extend_from_slice(&[7, 0, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8, 8, 8, 8, 8]);
        assert_eq!(bytes.as_slice(), expected);
    }
}
