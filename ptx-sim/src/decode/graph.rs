//! The functions of a module: what they are called, who calls whom, and which may be active more than once.

use std::collections::{HashMap, HashSet};

use ptx::tree::{self, Opcode, Operand, Statement, StatementKind};

/// First of the addresses of functions, in no window of a memory.
const FIRST_ADDRESS: u64 = 0x0800_0000_0000;
const ADDRESS_STEP: u64 = 16;

/// Index of a function in its module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct FunctionId(pub(super) usize);

impl FunctionId {
    /// The value of a pointer to the function.
    pub(super) fn address(self) -> u64 {
        FIRST_ADDRESS + ADDRESS_STEP * self.0 as u64
    }
}

/// References of a body to other functions.
#[derive(Default)]
struct Mentions {
    calls: HashSet<FunctionId>,
    /// Functions whose address it takes.
    addresses: HashSet<FunctionId>,
    calls_pointers: bool,
}

/// The functions of a module that can be called, with and without a body.
#[derive(Default)]
pub(super) struct Functions<'a> {
    names: HashMap<String, FunctionId>,
    functions: Vec<&'a tree::Function>,
    mentions: Vec<Mentions>,
    /// Functions whose address is taken, anywhere in the module.
    pointed_at: HashSet<FunctionId>,
}

impl<'a> Functions<'a> {
    /// The functions of a module. Of a declaration and a definition the definition counts.
    pub(super) fn new(module: &'a tree::Module) -> Functions<'a> {
        let mut all = Functions::default();
        for item in &module.items {
            if let tree::Item::Function(function) = item {
                match all.names.get(function.name.as_str()) {
                    Some(&id) if function.body.is_some() => all.functions[id.0] = function,
                    Some(_) => {}
                    None => {
                        all.names.insert(function.name.to_string(), FunctionId(all.functions.len()));
                        all.functions.push(function);
                    }
                }
            }
        }
        for item in &module.items {
            if let tree::Item::Alias { name, aliasee } = item
                && let Some(&id) = all.names.get(aliasee.as_str())
            {
                all.names.insert(name.to_string(), id);
            }
        }
        for function in all.functions.clone() {
            let mut mentions = Mentions::default();
            all.scan(function.body.as_deref().unwrap_or_default(), &mut mentions);
            all.pointed_at.extend(mentions.addresses.iter().copied());
            all.mentions.push(mentions);
        }
        all
    }

    fn scan(&self, body: &[Statement], mentions: &mut Mentions) {
        for statement in body {
            match &statement.kind {
                StatementKind::Block(inner) => self.scan(inner, mentions),
                StatementKind::Instruction(instruction) if instruction.opcode == Opcode::Call => {
                    let callee = instruction.operands.iter().find_map(|operand| match operand {
                        Operand::Name(name) => Some(self.find(name.as_str())),
                        _ => None,
                    });
                    match callee.flatten() {
                        Some(id) => _ = mentions.calls.insert(id),
                        None => mentions.calls_pointers = true,
                    }
                }
                StatementKind::Instruction(instruction) => {
                    for operand in &instruction.operands {
                        if let Operand::Name(name) = operand
                            && let Some(id) = self.find(name.as_str())
                        {
                            mentions.addresses.insert(id);
                        }
                    }
                }
                StatementKind::Registers(_)
                | StatementKind::Variable(_)
                | StatementKind::Label(_)
                | StatementKind::Location(_)
                | StatementKind::InlinedLocation(_)
                | StatementKind::Pragma(_)
                | StatementKind::BranchTargets { .. }
                | StatementKind::CallTargets { .. }
                | StatementKind::CallPrototype { .. } => {}
            }
        }
    }

    pub(super) fn find(&self, name: &str) -> Option<FunctionId> {
        self.names.get(name).copied()
    }

    pub(super) fn get(&self, id: FunctionId) -> &'a tree::Function {
        self.functions[id.0]
    }

    /// Notes that an initial value holds the address of a function.
    pub(super) fn point_at(&mut self, id: FunctionId) {
        self.pointed_at.insert(id);
    }

    fn successors(&self, id: FunctionId) -> Vec<FunctionId> {
        let mentions = &self.mentions[id.0];
        let mut all = mentions.calls.clone();
        if mentions.calls_pointers {
            all.extend(self.pointed_at.iter().copied());
        }
        let mut sorted: Vec<FunctionId> = all.into_iter().collect();
        sorted.sort_unstable();
        sorted
    }

    /// The functions that one can get to by calls, in the order of the text.
    pub(super) fn reachable(&self, from: FunctionId) -> Vec<FunctionId> {
        let mut seen = HashSet::new();
        let mut stack = self.successors(from);
        while let Some(id) = stack.pop() {
            if seen.insert(id) {
                stack.extend(self.successors(id));
            }
        }
        let mut sorted: Vec<FunctionId> = seen.into_iter().collect();
        sorted.sort_unstable();
        sorted
    }

    /// Returns true if a function can call itself, directly or through others.
    pub(super) fn is_recursive(&self, id: FunctionId) -> bool {
        self.reachable(id).contains(&id)
    }
}
