//! Pointers into a device's memory, for kernels that take raw ones.

use std::fmt;
use std::marker::PhantomData;

use crate::buffer::DeviceBuffer;
use crate::element::Element;
use crate::gpu::Gpu;
use crate::stream::Uses;

/// An address in a device's memory: what an `unsafe fn` kernel takes for `*const T` and `*mut T`.
///
/// It is a number: the host cannot follow it, and it keeps nothing alive. [`DeviceBuffer::as_device_ptr`] makes one. A launch that is
/// given one does not wait for what other streams do with the buffer, nor they for it.
///
/// ```
/// use kernel_runtime::prelude::*;
///
/// /// # Safety
/// /// There are `n` elements behind each pointer.
/// #[kernel]
/// pub unsafe fn reverse(x: *const f32, y: *mut f32, n: usize) {
///     let i = global_idx().x;
///     if i < n {
///         unsafe { y.add(i).write(*x.add(n - 1 - i)) };
///     }
/// }
///
/// let gpu = Gpu::simulator(Arch::Sm90);
/// let x = gpu.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let mut y = gpu.zeros::<f32>(3)?;
/// // A buffer stands for its pointer; a pointer of one's own may lie anywhere in it.
/// let second = x.as_device_ptr().wrapping_add(1);
/// // SAFETY: `x` has three elements from its second one on, and `y` has three.
/// unsafe { reverse(second, &mut y, 3) }.over(3).run()?;
/// assert_eq!(y.to_vec()?, [4.0, 3.0, 2.0]);
/// # Ok::<(), kernel_runtime::Error>(())
/// ```
pub struct DevicePtr<T> {
    address: u64,
    to: PhantomData<fn() -> T>,
}

impl<T> DevicePtr<T> {
    /// The pointer to an address.
    pub const fn from_address(address: u64) -> DevicePtr<T> {
        DevicePtr { address, to: PhantomData }
    }

    /// The pointer that points nowhere.
    pub const fn null() -> DevicePtr<T> {
        DevicePtr::from_address(0)
    }

    /// Returns true if it is null.
    pub const fn is_null(self) -> bool {
        self.address == 0
    }

    /// Its address.
    pub const fn address(self) -> u64 {
        self.address
    }

    /// So many elements further on.
    #[must_use]
    pub const fn wrapping_add(self, count: usize) -> DevicePtr<T> {
        DevicePtr::from_address(self.address.wrapping_add((count as u64).wrapping_mul(size_of::<T>() as u64)))
    }

    /// So many elements before.
    #[must_use]
    pub const fn wrapping_sub(self, count: usize) -> DevicePtr<T> {
        DevicePtr::from_address(self.address.wrapping_sub((count as u64).wrapping_mul(size_of::<T>() as u64)))
    }

    /// A pointer to the same address, of another type.
    #[must_use]
    pub const fn cast<U>(self) -> DevicePtr<U> {
        DevicePtr::from_address(self.address)
    }
}

// Derived implementations would ask for the same of `T`.
impl<T> Clone for DevicePtr<T> {
    fn clone(&self) -> DevicePtr<T> {
        *self
    }
}
impl<T> Copy for DevicePtr<T> {}
impl<T> PartialEq for DevicePtr<T> {
    fn eq(&self, other: &DevicePtr<T>) -> bool {
        self.address == other.address
    }
}
impl<T> Eq for DevicePtr<T> {}
impl<T> fmt::Debug for DevicePtr<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DevicePtr<{}>({:#x})", std::any::type_name::<T>(), self.address)
    }
}

/// Arguments for a parameter `*const T`: a [`DevicePtr<T>`], or `&DeviceBuffer<T>`, which is borrowed as for a slice.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `*const {T}` takes `DevicePtr<{T}>` or `&DeviceBuffer<{T}>`, found `{Self}`",
    label = "expected a pointer into the device's memory",
    note = "`buffer.as_device_ptr()` gives one; a pointer of the host means nothing there"
)]
pub trait PointerArg<'gpu, T: Element>: private::Sealed {
    #[doc(hidden)]
    fn pointer(self) -> PointerRef<'gpu>;
}

/// Arguments for a parameter `*mut T`: a [`DevicePtr<T>`], or `&mut DeviceBuffer<T>`, which is borrowed as for a slice.
#[diagnostic::on_unimplemented(
    message = "a kernel's parameter `*mut {T}` takes `DevicePtr<{T}>` or `&mut DeviceBuffer<{T}>`, found `{Self}`",
    label = "expected a pointer into the device's memory",
    note = "`buffer.as_device_ptr()` gives one; a pointer of the host means nothing there"
)]
pub trait PointerMutArg<'gpu, T: Element>: private::Sealed {
    #[doc(hidden)]
    fn pointer(self) -> PointerRef<'gpu>;
}

mod private {
    pub trait Sealed {}
}

/// An address, and what is known of a buffer that stands for it: its device, and who uses it.
#[derive(Clone, Copy, Debug)]
pub struct PointerRef<'gpu> {
    pub(crate) address: u64,
    pub(crate) buffer: Option<(&'gpu Gpu, &'gpu Uses)>,
}

impl<'gpu> PointerRef<'gpu> {
    fn to<T: Element>(buffer: &'gpu DeviceBuffer<T>) -> PointerRef<'gpu> {
        PointerRef { address: buffer.address(), buffer: Some((buffer.gpu(), buffer.uses())) }
    }
}

impl<T> private::Sealed for DevicePtr<T> {}
impl<T: Element> private::Sealed for &DeviceBuffer<T> {}
impl<T: Element> private::Sealed for &mut DeviceBuffer<T> {}

impl<'gpu, T: Element> PointerArg<'gpu, T> for DevicePtr<T> {
    fn pointer(self) -> PointerRef<'gpu> {
        PointerRef { address: self.address, buffer: None }
    }
}

impl<'gpu, T: Element> PointerMutArg<'gpu, T> for DevicePtr<T> {
    fn pointer(self) -> PointerRef<'gpu> {
        PointerRef { address: self.address, buffer: None }
    }
}

impl<'gpu, T: Element> PointerArg<'gpu, T> for &'gpu DeviceBuffer<T> {
    fn pointer(self) -> PointerRef<'gpu> {
        PointerRef::to(self)
    }
}

impl<'gpu, T: Element> PointerMutArg<'gpu, T> for &'gpu mut DeviceBuffer<T> {
    fn pointer(self) -> PointerRef<'gpu> {
        PointerRef::to(self)
    }
}
