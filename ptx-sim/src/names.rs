//! Names of memory for messages: parameters, buffers and shared variables as the program calls them, in place of addresses.
//!
//! Threads fault at addresses. When a launch is over, [`Names`] fills in what these are: the parameter whose value points to the
//! allocation, the line that made it, the shared variable at an offset. Names are those of the PTX, without the kernel's name, which
//! the compiler puts before each.

use std::panic::Location;
use std::sync::Arc;

use super::fault::{Awaited, Fault, Misdeed, NamedTouch, Subject, Touch};
use super::memory::View;
use super::program::{Kernel, SharedVariable};

/// The origin of an allocation: what its elements are, and who asked for it.
#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// The type of an element.
    pub element: &'static str,
    /// Its size in bytes.
    pub element_bytes: usize,
    /// The line that asked for the memory.
    pub made: &'static Location<'static>,
}

/// The names that a launch has for its memory.
pub(crate) struct Names<'a> {
    pub(crate) kernel: &'a Kernel,
    /// The values of the parameters.
    pub(crate) params: &'a [u8],
    pub(crate) view: &'a View,
    /// Offset of dynamic shared memory, and its size.
    pub(crate) dynamic: (u64, u64),
}

/// Farther from its end than this an access has nothing to do with an allocation.
const NEAR: i64 = 8 << 20;

/// A variable and the bytes of it that are accessed.
struct Found {
    /// Its name in the program, if it has one.
    name: Option<String>,
    /// Its size.
    bytes: u64,
    /// The access from its start on.
    offset: i64,
    /// Size of its elements, if it is known.
    element_bytes: Option<usize>,
    /// Its kind and origin.
    whole: String,
}

impl Names<'_> {
    /// Fills in the names in a fault.
    pub(crate) fn fault(&self, fault: &mut Fault) {
        match fault {
            Fault::Thread { misdeed, .. } => self.misdeed(misdeed),
            Fault::Deadlock { waiting, .. } => {
                for waiting in waiting {
                    if let Awaited::Change { touch, .. } | Awaited::Phase { touch, .. } = &mut waiting.awaited
                    {
                        self.touch(touch);
                    }
                }
            }
            Fault::Launch { .. } | Fault::Cancelled { .. } => {}
        }
    }

    /// Fills in the names in a finding.
    pub(crate) fn misdeed(&self, misdeed: &mut Misdeed) {
        if let Some(touch) = misdeed.touch_mut() {
            self.touch(touch);
        }
    }

    fn touch(&self, touch: &mut NamedTouch) {
        touch.subject = self.find(&touch.touch).map(|found| Arc::new(found.subject(touch.bytes)));
    }

    fn find(&self, touch: &Touch) -> Option<Found> {
        match touch.space {
            "global" | "generic" => self.find_global(touch.address),
            "shared" => self.find_shared(touch.address),
            _ => None,
        }
    }

    fn find_global(&self, address: u64) -> Option<Found> {
        let (base, bytes, label, freed) = self.view.nearest_labelled(address)?;
        let label = label?;
        let offset = (address as i64).wrapping_sub(base as i64);
        if offset < -NEAR || offset > bytes as i64 + NEAR {
            return None;
        }
        let (count, element) = (bytes / label.element_bytes.max(1) as u64, label.element);
        let made = format!("buffer of {count} `{element}` made at {}", label.made);
        let whole = if freed { format!("{made}, which was dropped") } else { made };
        Some(Found {
            name: self.parameter(base, bytes),
            bytes,
            offset,
            element_bytes: Some(label.element_bytes),
            whole,
        })
    }

    /// The parameter that points to an allocation.
    fn parameter(&self, base: u64, bytes: u64) -> Option<String> {
        let found = self.kernel.info.parameters.iter().find(|parameter| {
            let start = parameter.offset as usize;
            let value = self.params.get(start..start + 8).filter(|_| parameter.bytes == 8);
            let value = value.and_then(|value| value.try_into().ok()).map(u64::from_le_bytes);
            value.is_some_and(|value| value >= base && value - base < bytes.max(1))
        });
        found.map(|parameter| self.plain(&parameter.name))
    }

    fn find_shared(&self, address: u64) -> Option<Found> {
        // Addresses have 32 bits there: those before the start wrap.
        let address = i64::from(address as u32 as i32);
        let place = |variable: &SharedVariable| match variable.place {
            Some((offset, bytes)) => (i64::from(offset), u64::from(bytes)),
            None => (self.dynamic.0 as i64, self.dynamic.1),
        };
        // The one that the address is in, else the nearest.
        let distance = |variable: &&SharedVariable| {
            let (offset, bytes) = place(variable);
            (offset - address).max(address - (offset + bytes as i64 - 1)).max(0)
        };
        let variable = self.kernel.shared.iter().min_by_key(distance)?;
        let (offset, bytes) = place(variable);
        let whole = match variable.place {
            Some(_) => format!("shared variable of {bytes} bytes"),
            None => format!("dynamic shared array of {bytes} bytes"),
        };
        let name = Some(self.plain(&variable.name));
        Some(Found { name, bytes, offset: address - offset, element_bytes: None, whole })
    }

    /// A name of the PTX as the source has it.
    fn plain(&self, name: &str) -> String {
        let kernel = &*self.kernel.info.name;
        // Versions of a kernel are called after it.
        let base = kernel.split("__").next().unwrap_or(kernel);
        let stripped = |kernel: &str| name.strip_prefix(kernel)?.strip_prefix('_').map(str::to_owned);
        stripped(kernel).or_else(|| stripped(base)).unwrap_or_else(|| name.to_owned())
    }
}

impl Found {
    fn subject(self, bytes: u32) -> Subject {
        let Found { name, bytes: all, offset, element_bytes, whole } = self;
        let access = i64::from(bytes.max(1));
        // Without a type elements are taken to be as large as the access.
        let size = element_bytes.map_or(access, |bytes| bytes.max(1) as i64);
        let (first, within) = (offset.div_euclid(size), offset.rem_euclid(size));
        let last = (offset + access - 1).div_euclid(size);
        let inside = match (within, access == size) {
            (0, true) => String::new(),
            _ if first == last => format!("bytes {within} to {} of ", within + access - 1),
            _ => String::new(),
        };
        let part = match (&name, first == last) {
            (Some(name), true) => format!("{inside}`{name}[{first}]`"),
            (Some(name), false) => format!("`{name}[{first}..{}]`", last + 1),
            (None, true) => format!("{inside}element {first} of a buffer"),
            (None, false) => format!("elements {first} to {last} of a buffer"),
        };
        let name = name.map_or_else(|| "it".to_owned(), |name| format!("`{name}`"));
        let is_untyped = element_bytes.is_none() && offset >= 0 && (offset as u64) < all;
        let counted =
            if is_untyped { format!(", counted here in elements of {access}") } else { String::new() };
        let beyond = beyond(offset, access, all as i64, element_bytes.map(|bytes| bytes.max(1) as i64));
        Subject { part, beyond, whole: format!("{name} is a {whole}{counted}") }
    }
}

/// The distance between a variable of so many bytes and an access outside of it: `3 elements past its end`
fn beyond(offset: i64, access: i64, bytes: i64, element_bytes: Option<i64>) -> Option<String> {
    let counted = |distance: i64| match element_bytes {
        Some(size) if distance % size == 0 => number(distance / size, "element"),
        _ => number(distance, "byte"),
    };
    match offset {
        offset if offset < 0 => Some(format!("{} before its start", counted(-offset))),
        offset if offset == bytes => Some("right past its end".to_owned()),
        offset if offset > bytes => Some(format!("{} past its end", counted(offset - bytes))),
        offset if offset + access > bytes => {
            Some(format!("{} of it past its end", counted(offset + access - bytes)))
        }
        _ => None,
    }
}

/// `1 element`, `3 elements`
fn number(count: i64, of: &str) -> String {
    format!("{count} {of}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::beyond;

    #[test]
    fn distances_from_a_variable() {
        let said =
            |offset, access, bytes, element| beyond(offset, access, bytes, element).unwrap_or_default();
        assert_eq!(said(4000, 4, 3988, Some(4)), "3 elements past its end");
        assert_eq!(said(3988, 4, 3988, Some(4)), "right past its end");
        assert_eq!(said(3992, 4, 3988, Some(4)), "1 element past its end");
        assert_eq!(said(3990, 4, 3988, Some(4)), "2 bytes past its end");
        assert_eq!(said(112, 16, 120, Some(4)), "2 elements of it past its end");
        assert_eq!(said(-8, 4, 120, Some(4)), "2 elements before its start");
        assert_eq!(said(-1, 4, 120, None), "1 byte before its start");
        assert_eq!(said(160, 4, 128, None), "32 bytes past its end");
        assert_eq!(said(16, 4, 128, None), "");
    }
}
