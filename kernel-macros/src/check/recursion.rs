//! Functions that call themselves are refused: every call is put in place of the body.

use crate::diagnostics::Loc;
use crate::infer::world::World;
use crate::typed::FnId;

/// Reports each call that closes a circle.
pub(super) fn check(world: &mut World<'_>) {
    let mut states = vec![State::New; world.instances.len()];
    let mut circles = Vec::new();
    // An explicit stack: chains of calls may be long.
    let mut stack = vec![(FnId(0), 0)];
    states[0] = State::Open;
    while let Some((id, next)) = stack.last_mut() {
        let Some((callee, loc)) = world.instances[id.0].calls.get(*next).copied() else {
            states[id.0] = State::Done;
            stack.pop();
            continue;
        };
        *next += 1;
        match states[callee.0] {
            State::New => {
                states[callee.0] = State::Open;
                stack.push((callee, 0));
            }
            State::Open => circles.push((callee, loc)),
            State::Done => {}
        }
    }
    for (callee, loc) in circles {
        report(world, loc, callee);
    }
}

#[derive(Clone, Copy)]
enum State {
    New,
    Open,
    Done,
}

/// This call leads back to where it stands.
pub(super) fn report(world: &mut World<'_>, loc: Loc, callee: FnId) {
    let name = &world.program.functions[world.instances[callee.0].function.0].name;
    let message = format!(
        "expected a function that does not call itself, found a call that leads back to `{name}`\nhelp: recursion is not possible on the GPU: write a loop"
    );
    world.diagnostics.error_at_first(loc, message);
}
