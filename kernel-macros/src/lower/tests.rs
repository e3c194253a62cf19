//! What the constructs of the language become, as textual IR.
