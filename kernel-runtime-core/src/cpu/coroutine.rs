//! Threads of a kernel as coroutines: fibers, each with a stack of its own, on the thread of the system that runs the launch.
//!
//! Tools that follow a program instruction by instruction, Miri and ThreadSanitizer, know nothing of fibers. For them, under `cfg(miri)` and
//! `cfg(cpu_threads)`, each coroutine is a thread of the system; only one of them runs at a time, so that everything else is the same.

#[cfg(not(any(miri, cpu_threads)))]
pub use fibers::{Coroutine, Stack, Yielder};
#[cfg(any(miri, cpu_threads))]
pub use threads::{Coroutine, Stack, Yielder};

use super::fiber::Wait;
use super::panics::Caught;

/// Why a coroutine has given control back, and what is left of it.
pub enum Resumed {
    /// It waits.
    Waits(Coroutine, Wait),
    /// It has ended, by a panic if there is one; its stack serves another.
    Ended(Stack, Option<Caught>),
}

/// The least stack that is given, in bytes: what formatting a panic takes, with much to spare.
const LEAST_STACK: usize = 64 << 10;

#[cfg(not(any(miri, cpu_threads)))]
mod fibers {
    use std::ops::Range;

    use corosensei::CoroutineResult;
    use corosensei::stack::{DefaultStack, Stack as _};

    use super::{Caught, LEAST_STACK, Resumed, Wait};
    use crate::cpu::overflow;

    /// The handle by which a coroutine suspends itself.
    pub type Yielder = corosensei::Yielder<u128, Wait>;

    /// A stack, with a page below it that nobody may touch. Memory is taken only as it is used.
    pub struct Stack(DefaultStack);

    impl Stack {
        /// With room for so many bytes.
        pub fn new(bytes: usize) -> Result<Stack, String> {
            // Beyond that no sum overflows, and no system has so much.
            let bytes = bytes.clamp(LEAST_STACK, isize::MAX as usize / 2);
            DefaultStack::new(bytes).map(Stack).map_err(|error| error.to_string())
        }
    }

    /// A thread of a kernel. One that waits is unwound when it is dropped.
    pub struct Coroutine {
        fiber: corosensei::Coroutine<u128, Wait, Option<Caught>, DefaultStack>,
        /// The addresses of its stack, the page that nobody may touch among them.
        stack: Range<usize>,
    }

    impl Coroutine {
        /// Does not run yet.
        ///
        /// # Safety
        /// Anything that the body borrows outlives this value, which is dropped.
        pub unsafe fn new<'b>(
            stack: Stack,
            body: impl FnOnce(&Yielder) -> Option<Caught> + 'b,
        ) -> Result<Coroutine, String> {
            let (Stack(stack), body) = (stack, move |yielder: &Yielder, _: u128| body(yielder));
            let addresses = stack.limit().get()..stack.base().get();
            // SAFETY: by this function's condition.
            let fiber = unsafe { corosensei::Coroutine::with_stack_unchecked(stack, body) };
            Ok(Coroutine { fiber, stack: addresses })
        }

        /// Lets it run until it waits or ends.
        pub fn resume(mut self, answer: u128) -> Resumed {
            let watch = overflow::watch(&self.stack);
            let result = self.fiber.resume(answer);
            drop(watch);
            match result {
                CoroutineResult::Yield(wait) => Resumed::Waits(self, wait),
                CoroutineResult::Return(caught) => Resumed::Ended(Stack(self.fiber.into_stack()), caught),
            }
        }
    }
}

#[cfg(any(miri, cpu_threads))]
mod threads {
    use std::mem;
    use std::panic::resume_unwind;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::thread::{Builder, JoinHandle};

    use super::{Caught, LEAST_STACK, Resumed, Wait};

    /// The size of a stack in bytes.
    pub struct Stack(usize);

    impl Stack {
        /// With room for so many bytes.
        pub fn new(bytes: usize) -> Result<Stack, String> {
            Ok(Stack(bytes.max(LEAST_STACK)))
        }
    }

    /// A message of a coroutine to its scheduler.
    enum Told {
        Waits(Wait),
        Ended(Option<Caught>),
    }

    /// The handle by which a coroutine suspends itself.
    pub struct Yielder {
        tell: Sender<Told>,
        answers: Receiver<u128>,
    }

    impl Yielder {
        /// Waits for an answer.
        pub fn suspend(&self, wait: Wait) -> u128 {
            // Without a scheduler this thread is unwound.
            let told = self.tell.send(Told::Waits(wait)).ok();
            match told.and_then(|()| self.answers.recv().ok()) {
                Some(answer) => answer,
                None => resume_unwind(Box::new("its launch is over")),
            }
        }
    }

    /// Something that goes to another thread though its type does not say so.
    struct Handed<T>(T);

    // SAFETY: a coroutine and its scheduler take turns: one of them waits on a channel while the other runs, which orders all that they do.
    unsafe impl<T> Send for Handed<T> {}

    impl<T> Handed<T> {
        fn take(self) -> T {
            self.0
        }
    }

    type Body = Box<dyn FnOnce(&Yielder) -> Option<Caught>>;

    /// A thread of a kernel. One that waits is unwound when it is dropped.
    pub struct Coroutine {
        /// None when it is to end.
        answers: Option<Sender<u128>>,
        told: Receiver<Told>,
        thread: Option<JoinHandle<()>>,
        stack: usize,
    }

    impl Coroutine {
        /// Does not run yet.
        ///
        /// # Safety
        /// Anything that the body borrows outlives this value, which is dropped.
        pub unsafe fn new<'b>(
            stack: Stack,
            body: impl FnOnce(&Yielder) -> Option<Caught> + 'b,
        ) -> Result<Coroutine, String> {
            let body: Box<dyn FnOnce(&Yielder) -> Option<Caught> + 'b> = Box::new(body);
            // SAFETY: by this function's condition: the thread has ended when this value is dropped.
            let body: Body = unsafe { mem::transmute(body) };
            let ((answer, answers), (tell, told)) = (channel(), channel());
            let (body, Stack(bytes)) = (Handed(body), stack);
            let run = move || {
                let (body, yielder) = (body.take(), Yielder { tell, answers });
                if yielder.answers.recv().is_ok() {
                    let caught = body(&yielder);
                    // Without a listener the result is of no use.
                    let _ = yielder.tell.send(Told::Ended(caught));
                }
            };
            let thread = Builder::new().stack_size(bytes).spawn(run).map_err(|error| error.to_string())?;
            Ok(Coroutine { answers: Some(answer), told, thread: Some(thread), stack: bytes })
        }

        /// Lets it run until it waits or ends.
        pub fn resume(self, answer: u128) -> Resumed {
            // It listens, for it lives.
            let _ = self.answers.as_ref().map(|answers| answers.send(answer));
            match self.told.recv() {
                Ok(Told::Waits(wait)) => Resumed::Waits(self, wait),
                Ok(Told::Ended(caught)) => Resumed::Ended(Stack(self.stack), caught),
                // Its body catches panics.
                Err(_) => Resumed::Ended(Stack(self.stack), None),
            }
        }
    }

    impl Drop for Coroutine {
        fn drop(&mut self) {
            self.answers = None;
            let _ = self.thread.take().map(JoinHandle::join);
        }
    }
}
