//! The calls that lead to the instructions of a text, for messages that name an instruction by its line.
//!
//! `.loc` names the call of an inlined function by `inlined_at`, from PTX 7.2 on; a table beside the text serves drivers that are older, and has
//! the calls around that one, too.

use crate::ir::{Call, Function, SourceLoc};

/// Calls whose functions were put in place, and the lines of the text that come from them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Called {
    /// The location of each call, and the index of the call of the function that it is in, which comes before it.
    pub sites: Vec<(SourceLoc, Option<usize>)>,
    /// The lines of PTX, from one, from which on instructions come from another call than those before: that with this index, or none, in the body of
    /// the kernel itself. Before the first there are none.
    pub lines: Vec<(u32, Option<usize>)>,
}

impl Called {
    /// The index of a call of a function that was put in place.
    fn site(&mut self, func: &Function, call: Call) -> usize {
        let location = func.calls[call];
        let site = (location, location.caller.map(|outer| self.site(func, outer)));
        self.sites.iter().position(|known| *known == site).unwrap_or_else(|| {
            self.sites.push(site);
            self.sites.len() - 1
        })
    }
}

/// The calls that lead to each line. `callers` has that of each `.loc` of each function, in the order of the text.
pub(super) fn called(ptx: &str, functions: &[Function], callers: &[Vec<Option<Call>>]) -> Called {
    let mut called = Called::default();
    let of_functions = functions.iter().zip(callers);
    let mut callers =
        of_functions.flat_map(|(func, callers)| callers.iter().map(move |caller| (func, *caller)));
    let mut last = None;
    for (line, text) in (1..).zip(ptx.lines()) {
        let caller = match text.trim_start().starts_with(".loc ") {
            true => callers.next().and_then(|(func, caller)| caller.map(|call| called.site(func, call))),
            // A function begins in its own body.
            false if text.contains(".entry ") || text.contains(".func ") => None,
            false => continue,
        };
        if caller != last {
            called.lines.push((line, caller));
            last = caller;
        }
    }
    called
}

#[cfg(test)]
mod tests {
    use crate::compile;
    use crate::ir::{FunctionBuilder, Module, SourceLoc, Space, Type};

    fn at(line: u32) -> SourceLoc {
        SourceLoc { line, column: 1, ..SourceLoc::default() }
    }

    /// A store in a function that is called within another one, which is called twice.
    #[test]
    fn calls_within_calls_lead_to_a_line() {
        let mut b = FunctionBuilder::new("k");
        let block = b.create_block();
        b.switch_to(block);
        let parameter = b.add_param("x", Type::I64, None);
        let x = b.param(parameter);
        let store = |b: &mut FunctionBuilder, offset: i32| {
            let value = b.constant(Type::I32, 1);
            b.store(Space::Global, x, offset, value);
        };
        for (call, offset) in [(10, 0), (20, 4)] {
            b.set_location(at(call));
            b.begin_call();
            b.set_location(at(3));
            b.begin_call();
            b.set_location(at(1));
            store(&mut b, offset);
            b.end_call();
            b.end_call();
        }
        b.set_location(at(30));
        store(&mut b, 8);
        b.ret();
        let module = Module { files: vec!["k.rs".into()], functions: vec![b.finish()] };
        let compiled = compile(&module, None).unwrap();
        let lines: Vec<&str> = compiled.ptx.lines().collect();
        let found = compiled.called.lines.iter().map(|&(line, site)| {
            let mut calls = Vec::new();
            let mut next = site;
            while let Some((location, outer)) = next.map(|site| compiled.called.sites[site]) {
                calls.push(location.line);
                next = outer;
            }
            (lines[line as usize - 1].trim(), calls)
        });
        let found: Vec<(&str, Vec<u32>)> = found.collect();
        assert_eq!(
            found,
            [(".loc 1 1 1", vec![3, 10]), (".loc 1 1 1", vec![3, 20]), (".loc 1 30 1", vec![])]
        );
    }
}
