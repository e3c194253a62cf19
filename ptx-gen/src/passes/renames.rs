//! Values that a pass found to be others, to be replaced all at once.

use crate::ir::{EntityMap, Function, Value};

/// A map from values to those that replace them.
pub(super) struct Renames {
    to: EntityMap<Value, Option<Value>>,
    any: bool,
}

impl Renames {
    pub(super) fn new(func: &Function) -> Renames {
        Renames { to: EntityMap::filled(func.values.len(), None), any: false }
    }

    /// `old` is `new` from now on. `old` was not replaced before.
    pub(super) fn replace(&mut self, old: Value, new: Value) {
        let new = self.resolve(new);
        if new != old {
            self.to[old] = Some(new);
            self.any = true;
        }
    }

    /// Current replacement of the value.
    pub(super) fn resolve(&self, mut value: Value) -> Value {
        // Values that were made after the map are new names themselves.
        while let Some(&Some(next)) = self.to.get(value) {
            value = next;
        }
        value
    }

    /// Returns true if anything was replaced.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Replaces every use in the layout.
    pub(super) fn apply(&self, func: &mut Function) {
        if !self.any {
            return;
        }
        let Function { layout, blocks, insts, .. } = func;
        for &block in layout.iter() {
            for &inst in &blocks[block].insts {
                insts[inst].map_args(|value| self.resolve(value));
            }
        }
    }
}
