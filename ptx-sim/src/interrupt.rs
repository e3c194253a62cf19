//! Ctrl-C during a simulation: says what was running where, then ends the program as it would have ended without.
//!
//! While launches run, and nobody else handles the signal, a handler notes it; the next round of any block stops the launch with its
//! location. A second Ctrl-C ends the program at once.

pub use signal::{Watch, end_program, is_requested};

#[cfg(all(any(target_os = "linux", target_os = "macos", target_os = "freebsd"), not(miri)))]
mod signal {
    use std::ffi::c_int;
    use std::mem;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Mutex, PoisonError};

    static REQUESTED: AtomicBool = AtomicBool::new(false);
    /// Number of launches that run.
    static RUNNING: Mutex<usize> = Mutex::new(0);

    /// Notes signals while it lives.
    #[derive(Debug)]
    pub struct Watch(());

    impl Watch {
        /// Begins to note signals, unless the program handles them itself.
        #[allow(clippy::new_without_default)]
        pub fn new() -> Watch {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            *running += 1;
            if *running == 1 {
                exchange(libc::SIG_DFL, note as *const () as libc::sighandler_t);
            }
            Watch(())
        }
    }

    impl Drop for Watch {
        fn drop(&mut self) {
            let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
            *running -= 1;
            if *running == 0 {
                exchange(note as *const () as libc::sighandler_t, libc::SIG_DFL);
            }
        }
    }

    /// Returns true if the program is to end.
    #[inline]
    pub fn is_requested() -> bool {
        REQUESTED.load(Ordering::Relaxed)
    }

    /// Ends the program by the signal that was noted.
    pub fn end_program() {
        REQUESTED.store(false, Ordering::Relaxed);
        exchange(note as *const () as libc::sighandler_t, libc::SIG_DFL);
        // SAFETY: it takes a number.
        unsafe { libc::raise(libc::SIGINT) };
    }

    extern "C" fn note(_signal: c_int) {
        REQUESTED.store(true, Ordering::Relaxed);
        exchange(note as *const () as libc::sighandler_t, libc::SIG_DFL);
    }

    /// Replaces the handler `from`; leaves others as they are.
    fn exchange(from: libc::sighandler_t, to: libc::sighandler_t) {
        // SAFETY: all zeros are such a value, the pointers are valid, and the handler does only what handlers may: `sigaction` is one of the
        // functions that they may call.
        unsafe {
            let mut now: libc::sigaction = mem::zeroed();
            if libc::sigaction(libc::SIGINT, ptr::null(), &mut now) == 0 && now.sa_sigaction == from {
                let mut next: libc::sigaction = mem::zeroed();
                next.sa_sigaction = to;
                next.sa_flags = libc::SA_RESTART;
                libc::sigaction(libc::SIGINT, &next, ptr::null_mut());
            }
        }
    }
}

#[cfg(not(all(any(target_os = "linux", target_os = "macos", target_os = "freebsd"), not(miri))))]
mod signal {
    /// Notes nothing here.
    #[derive(Debug)]
    pub struct Watch(());

    impl Watch {
        /// Notes nothing here.
        #[allow(clippy::new_without_default)]
        pub fn new() -> Watch {
            Watch(())
        }
    }

    /// Returns false: no signal is noted here.
    pub fn is_requested() -> bool {
        false
    }

    /// Does nothing: no signal is noted here.
    pub fn end_program() {}
}
