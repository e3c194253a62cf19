#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlFlow<B, C = ()> {
    Continue(C),
    Break(B),
}

impl<B, C> ControlFlow<B, C> {
    pub const fn is_break(&self) -> bool {
        matches!(*self, ControlFlow::Break(_))
    }
    pub const fn is_continue(&self) -> bool {
        matches!(*self, ControlFlow::Continue(_))
    }
    pub fn break_value(self) -> Option<B> {
        match self {
            ControlFlow::Continue(_) => None,
            ControlFlow::Break(value) => Some(value),
        }
    }
    pub fn continue_value(self) -> Option<C> {
        match self {
            ControlFlow::Continue(value) => Some(value),
            ControlFlow::Break(_) => None,
        }
    }
    pub fn map_break<T>(self, f: impl FnOnce(B) -> T) -> ControlFlow<T, C> {
        match self {
            ControlFlow::Continue(value) => ControlFlow::Continue(value),
            ControlFlow::Break(value) => ControlFlow::Break(f(value)),
        }
    }
    pub fn map_continue<T>(self, f: impl FnOnce(C) -> T) -> ControlFlow<B, T> {
        match self {
            ControlFlow::Continue(value) => ControlFlow::Continue(f(value)),
            ControlFlow::Break(value) => ControlFlow::Break(value),
        }
    }
    fn going_on(value: C) -> ControlFlow<B, C> {
        ControlFlow::Continue(value)
    }
    fn or_stop(self) -> Option<C> {
        self.continue_value()
    }
}
