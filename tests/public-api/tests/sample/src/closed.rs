/// Exported by name.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exported<T> {
    /// Seen.
    pub seen: T,
    unseen: u32,
    #[doc(hidden)]
    pub hidden: u32,
}

pub struct Unexported;
pub(crate) struct Crate;

impl<T: Copy> Exported<T> {
    /// A method.
    #[inline]
    pub fn method(&self, by: impl Into<u32>) -> Result<T, u32> {
        let _ = by;
        Ok(self.seen)
    }

    #[doc(hidden)]
    pub fn hidden(&self) {}

    fn private(&self) {}
}

impl<T> Exported<T> {
    fn private_too(&self) {}
}

impl Unexported {
    pub fn unreachable(&self) {}
}

pub trait Trait: Sized {
    type Item;
    fn required(self) -> Self::Item;
    fn provided(&self) -> u32 {
        1
    }
    #[doc(hidden)]
    fn hidden(&self) {}
}

impl Trait for f32 {
    type Item = f32;
    fn required(self) -> f32 {
        self
    }
}

impl Drop for Exported<u32> {
    fn drop(&mut self) {}
}

impl Drop for Unexported {
    fn drop(&mut self) {}
}

pub use inner::NotPassedOn;

mod inner {
    pub struct NotPassedOn;
}
