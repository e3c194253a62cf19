//! What constructs look like in the run copy.
