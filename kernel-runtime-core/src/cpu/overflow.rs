//! Overflows of fibers' stacks, reported before they end the program: the system by itself says no more than that there was a fault.
//!
//! Below each stack is a page that nobody may touch. A handler of such faults looks whether it was that page of the fiber that runs, says so, and
//! aborts, as Rust does where a thread's stack overflows. Every other fault goes to the handler that was there before.

#[cfg(all(
    any(target_os = "linux", target_os = "macos", target_os = "freebsd"),
    not(any(miri, cpu_threads))
))]
pub use handler::{Kernel, watch};
#[cfg(any(
    miri,
    cpu_threads,
    not(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))
))]
pub use nothing::Kernel;
#[cfg(not(any(miri, cpu_threads)))]
#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
pub use nothing::watch;

#[cfg(all(
    any(target_os = "linux", target_os = "macos", target_os = "freebsd"),
    not(any(miri, cpu_threads))
))]
mod handler {
    use std::cell::Cell;
    use std::ffi::{c_int, c_void};
    use std::fmt::{self, Write as _};
    use std::marker::PhantomData;
    use std::mem::{self, MaybeUninit};
    use std::ops::Range;
    use std::ptr;
    use std::sync::OnceLock;

    /// Nothing has to be made before these are used, and nothing to be dropped: a handler may read them.
    #[derive(Clone, Copy)]
    struct Watched {
        /// End of the stack of the fiber that runs, the page below it included. Zero while none runs.
        limit: usize,
        bytes: usize,
        kernel: &'static str,
    }

    thread_local! {
        static WATCHED: Cell<Watched> = const { Cell::new(Watched { limit: 0, bytes: 0, kernel: "" }) };
    }

    /// The signal actions that were installed before, and the size of a page.
    struct Before {
        signals: [(c_int, libc::sigaction); 2],
        page: usize,
    }

    static BEFORE: OnceLock<Before> = OnceLock::new();

    /// While it lives, faults on this thread may be overflows of the stacks of a kernel's threads.
    pub struct Kernel {
        /// Of the launch around this one.
        outer: &'static str,
        /// For the handler, where this thread had no stack for one.
        own_stack: Option<Box<[MaybeUninit<u8>]>>,
        one_thread: PhantomData<*const ()>,
    }

    /// Room for the handler, whatever registers the system saves there.
    const HANDLER_STACK: usize = 128 << 10;

    impl Kernel {
        /// Of this name.
        pub fn new(name: &'static str) -> Kernel {
            BEFORE.get_or_init(install);
            let outer = WATCHED.get().kernel;
            WATCHED.set(Watched { kernel: name, ..WATCHED.get() });
            Kernel { outer, own_stack: handler_stack(), one_thread: PhantomData }
        }
    }

    impl Drop for Kernel {
        fn drop(&mut self) {
            WATCHED.set(Watched { kernel: self.outer, ..WATCHED.get() });
            if self.own_stack.is_some() {
                let none = libc::stack_t {
                    ss_sp: ptr::null_mut(),
                    ss_flags: libc::SS_DISABLE,
                    ss_size: HANDLER_STACK,
                };
                // SAFETY: the pointer is valid. No handler runs on it, for this does.
                unsafe { libc::sigaltstack(&none, ptr::null_mut()) };
            }
        }
    }

    /// Gives this thread a stack for handlers, if it has none. Rust's own threads have one.
    fn handler_stack() -> Option<Box<[MaybeUninit<u8>]>> {
        let mut there = MaybeUninit::<libc::stack_t>::uninit();
        // SAFETY: the pointer is valid; where the call succeeds it has been written.
        let there =
            unsafe { (libc::sigaltstack(ptr::null(), there.as_mut_ptr()) == 0).then(|| there.assume_init()) };
        if there.is_none_or(|there| there.ss_flags & libc::SS_DISABLE == 0) {
            return None;
        }
        let mut memory = Box::new_uninit_slice(HANDLER_STACK);
        let stack = libc::stack_t { ss_sp: memory.as_mut_ptr().cast(), ss_flags: 0, ss_size: HANDLER_STACK };
        // SAFETY: the memory is there until `Kernel` is dropped, which takes it back from the system first.
        (unsafe { libc::sigaltstack(&stack, ptr::null_mut()) } == 0).then_some(memory)
    }

    /// While it lives, a fiber runs on a stack of these addresses.
    pub struct Watch {
        outer: Watched,
        one_thread: PhantomData<*const ()>,
    }

    /// A fiber runs.
    pub fn watch(stack: &Range<usize>) -> Watch {
        let outer = WATCHED.get();
        WATCHED.set(Watched { limit: stack.start, bytes: stack.len(), ..outer });
        Watch { outer, one_thread: PhantomData }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            WATCHED.set(self.outer);
        }
    }

    fn install() -> Before {
        // SAFETY: a number is asked for.
        let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
        let signals = [libc::SIGSEGV, libc::SIGBUS].map(|signal| {
            // SAFETY: all zeros are such a value; the pointers are valid, and the handler does only what handlers may.
            unsafe {
                let mut before: libc::sigaction = mem::zeroed();
                let mut own: libc::sigaction = mem::zeroed();
                own.sa_sigaction = on_fault as *const () as usize;
                own.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                libc::sigaction(signal, &own, &mut before);
                (signal, before)
            }
        });
        Before { signals, page }
    }

    /// Text of a fixed size: a handler asks for no memory.
    struct Text {
        bytes: [u8; 512],
        len: usize,
    }

    impl fmt::Write for Text {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            let count = text.len().min(self.bytes.len() - self.len);
            self.bytes[self.len..self.len + count].copy_from_slice(&text.as_bytes()[..count]);
            self.len += count;
            Ok(())
        }
    }

    extern "C" fn on_fault(signal: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
        let Watched { limit, bytes, kernel } = WATCHED.get();
        let before = BEFORE.get();
        let page = before.map_or(4096, |before| before.page);
        // SAFETY: the system gives a valid pointer, and such a signal an address.
        let address = unsafe { (*info).si_addr() }.addr();
        if limit != 0 && (limit..limit + page).contains(&address) {
            let mut text = Text { bytes: [0; 512], len: 0 };
            let _ = write!(
                text,
                "\nkernel `{kernel}` on the CPU: a thread has overflowed its stack of {} bytes\n\
                 help: give threads more, `.stack({})` before `.run()`, or keep large arrays in buffers\n",
                bytes - page,
                (bytes * 4).next_power_of_two()
            );
            // SAFETY: so many bytes are there; the program ends here.
            unsafe {
                libc::write(libc::STDERR_FILENO, text.bytes.as_ptr().cast(), text.len);
                libc::abort();
            }
        }
        let known = before.and_then(|before| before.signals.iter().find(|(known, _)| *known == signal));
        // SAFETY: what was installed before is called as it was to be called; where that was nothing, the access faults again, and the system does
        // what it does then.
        unsafe {
            match known {
                Some((_, known)) if ![libc::SIG_DFL, libc::SIG_IGN].contains(&known.sa_sigaction) => {
                    if known.sa_flags & libc::SA_SIGINFO != 0 {
                        let call: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                            mem::transmute(known.sa_sigaction);
                        call(signal, info, context);
                    } else {
                        let call: extern "C" fn(c_int) = mem::transmute(known.sa_sigaction);
                        call(signal);
                    }
                }
                _ => {
                    let mut default: libc::sigaction = mem::zeroed();
                    default.sa_sigaction = libc::SIG_DFL;
                    libc::sigaction(signal, &default, ptr::null_mut());
                }
            }
        }
    }
}

#[cfg(any(miri, cpu_threads, not(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))))]
mod nothing {
    /// Stub for systems without a handler, and for threads of the system in place of fibers: the system's own message has to do.
    pub struct Kernel;

    impl Kernel {
        /// Of this name.
        pub fn new(_: &'static str) -> Kernel {
            Kernel
        }
    }

    /// Watches nothing here.
    #[cfg(not(any(miri, cpu_threads)))]
    pub struct Watch;

    /// A fiber runs.
    #[cfg(not(any(miri, cpu_threads)))]
    pub fn watch(_: &std::ops::Range<usize>) -> Watch {
        Watch
    }
}
