//! Panics inside kernels: where they happened, kept from the terminal.

use std::cell::RefCell;
use std::panic::PanicHookInfo;
use std::sync::Once;

use super::fiber;

/// A panic of a kernel's thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caught {
    /// Its message.
    pub message: String,
    /// The source file.
    pub file: String,
    /// The line, from one.
    pub line: u32,
    /// The column, from one.
    pub column: u32,
}

thread_local! {
    /// The last panic of a kernel's thread on this thread of the system.
    static LAST: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// Makes panics of kernels' threads be recorded instead of printed. Others go to the hook that was there.
pub fn install_hook() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if fiber::is_running() {
                LAST.set(Some(describe(info)));
            } else {
                previous(info);
            }
        }));
    });
}

fn describe(info: &PanicHookInfo<'_>) -> Caught {
    let (file, line, column) =
        info.location().map_or_else(Default::default, |at| (at.file().to_owned(), at.line(), at.column()));
    Caught { message: message(info.payload()), file, line, column }
}

fn message(payload: &dyn std::any::Any) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without text")
        .into()
}

/// The panic that ended a thread just now, with the payload that unwinding carried.
pub fn take(payload: &dyn std::any::Any) -> Caught {
    // Another hook may have been set over ours: then the place is unknown.
    LAST.take().unwrap_or_else(|| Caught {
        message: message(payload),
        file: String::new(),
        line: 0,
        column: 0,
    })
}
