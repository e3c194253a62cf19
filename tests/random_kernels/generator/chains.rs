//! Chains of iterators: over ranges and arrays, through adaptors, to one value, or kept in a variable.

use super::types::{Shape, Ty};
use super::{Generator, Var};

/// A chain so far.
struct Chain {
    text: String,
    item: Ty,
    /// `ExactSizeIterator`.
    is_exact: bool,
    /// `DoubleEndedIterator`.
    is_from_back: bool,
}

/// Types of whose ranges the length is known.
const COUNTED: [&str; 5] = ["i32", "u32", "u8", "i16", "usize"];

impl Generator {
    /// A value that depends on an item.
    fn of_item(&mut self, item: &Ty, ty: &Ty) -> (String, String) {
        let name = self.fresh("e");
        self.scope.push(Var { name: name.clone(), ty: item.clone(), mutable: false });
        let value = self.expr(ty, 1);
        self.scope.pop();
        (name, value)
    }

    /// A condition on an item.
    fn condition(&mut self, item: &Ty) -> (String, String) {
        let name = self.fresh("e");
        let bound = self.random.below(40);
        let ty = self.types.name(item);
        let op = self.random.pick(&["<", ">", "!=", "<="]);
        let by = 2 + self.random.below(5);
        let value = match self.random.below(3) {
            0 => format!("{name} {op} {bound}{ty}"),
            1 => format!("{name} % {by}{ty} {op} 1{ty}"),
            _ => format!("({name} ^ {bound}{ty}) & 3{ty} {op} 2{ty}"),
        };
        (name, value)
    }

    /// A range, or the elements of an array of integers.
    fn source(&mut self) -> Chain {
        let arrays: Vec<(String, Ty)> = self
            .all_places(false)
            .into_iter()
            .filter_map(|(place, ty)| match self.types.shape(&ty) {
                Shape::Array(element, _) if matches!(self.types.shape(&element), Shape::Int) => {
                    Some((place, *element))
                }
                _ => None,
            })
            .collect();
        if !arrays.is_empty() && self.random.one_in(2) {
            let (place, item) = arrays[self.random.below(arrays.len())].clone();
            let text = match self.random.below(3) {
                0 => format!("{place}.into_iter()"),
                1 => format!("{place}.iter().copied()"),
                _ => format!("{place}.iter().map(|e| *e)"),
            };
            return Chain { text, item, is_exact: true, is_from_back: true };
        }
        let item = Ty::Scalar(self.random.pick(&COUNTED));
        let name = self.types.name(&item);
        let (start, len) = (self.random.below(9), self.random.below(8));
        let text = format!("({start}{name}..{}{name})", start + len);
        Chain { text, item, is_exact: true, is_from_back: true }
    }

    /// A source and adaptors behind it.
    fn chain(&mut self) -> Chain {
        let mut chain = self.source();
        for _ in 0..self.random.below(4) {
            self.adapt(&mut chain);
        }
        chain
    }

    fn adapt(&mut self, chain: &mut Chain) {
        let (item, few) = (chain.item.clone(), self.random.below(5));
        match self.random.below(14) {
            0 | 1 => {
                let ty = self.types.int(&mut self.random);
                let (name, value) = self.of_item(&item, &ty);
                chain.text += &format!(".map(|{name}| {value})");
                chain.item = ty;
            }
            2 => {
                let (name, holds) = self.condition(&item);
                chain.text += &format!(".filter(|&{name}| {holds})");
                chain.is_exact = false;
            }
            3 => {
                let (name, holds) = self.condition(&item);
                chain.text += &format!(".take_while(|&{name}| {holds})");
                (chain.is_exact, chain.is_from_back) = (false, false);
            }
            4 => {
                let (name, holds) = self.condition(&item);
                chain.text += &format!(".skip_while(|&{name}| {holds})");
                (chain.is_exact, chain.is_from_back) = (false, false);
            }
            5 => {
                chain.text += &format!(".take({few})");
                chain.is_from_back &= chain.is_exact;
            }
            6 => {
                chain.text += &format!(".skip({few})");
                chain.is_from_back &= chain.is_exact;
            }
            7 => {
                chain.text += &format!(".step_by({})", 1 + few);
                chain.is_from_back &= chain.is_exact;
            }
            8 if chain.is_from_back => chain.text += ".rev()",
            9 => {
                let name = self.types.name(&item);
                chain.text += &format!(".enumerate().map(|(k, e)| e ^ k as {name})");
                chain.is_from_back &= chain.is_exact;
            }
            10 => {
                let other = self.source();
                let name = self.types.name(&item);
                chain.text += &format!(".zip({}).map(|(a, b)| a.wrapping_sub(b as {name}))", other.text);
                chain.is_from_back &= chain.is_exact;
            }
            11 => {
                let name = self.types.name(&item);
                let values: Vec<String> = (0..1 + few).map(|value| format!("{value}{name}")).collect();
                chain.text += &format!(".chain([{}])", values.join(", "));
                chain.is_exact = false;
            }
            12 => {
                let name = self.types.name(&item);
                let (e, holds) = self.condition(&item);
                chain.text += &format!(
                    ".scan(1{name}, |s, {e}| {{ *s = s.wrapping_mul(3{name}) ^ {e}; if {holds} {{ Some(*s) }} else {{ None }} }})"
                );
                (chain.is_exact, chain.is_from_back) = (false, false);
            }
            _ => {
                let (name, holds) = self.condition(&item);
                chain.text +=
                    &format!(".filter_map(|{name}| if {holds} {{ Some({name} >> 1) }} else {{ None }})");
                chain.is_exact = false;
            }
        }
    }

    /// The result of a chain, as an integer of this type.
    pub(super) fn chain_to_int(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let chain = self.chain();
        let (to, item, text) = (self.types.name(ty), self.types.name(&chain.item), chain.text);
        let few = self.random.below(4);
        match self.random.below(13) {
            0 | 1 => format!("({text}.sum::<{item}>() as {to})"),
            2 => format!("({text}.count() as {to})"),
            3 => format!("({text}.product::<{item}>() as {to})"),
            4 => {
                let extreme = self.random.pick(&["min", "max", "last"]);
                format!("({text}.{extreme}().unwrap_or({few}{item}) as {to})")
            }
            5 => format!("{text}.fold({few}{to}, |s, e| (s << 1) ^ e as {to})"),
            6 => format!("({text}.reduce(|a, b| (a << 1) ^ b).unwrap_or({few}{item}) as {to})"),
            7 => {
                let (name, holds) = self.condition(&chain.item);
                format!("({text}.position(|{name}| {holds}).unwrap_or(77) as {to})")
            }
            8 => {
                let (name, holds) = self.condition(&chain.item);
                format!("({text}.find(|&{name}| {holds}).unwrap_or({few}{item}) as {to})")
            }
            9 => format!("({text}.nth({few}).unwrap_or({few}{item}) as {to})"),
            10 => {
                let key = self.random.pick(&["min_by_key", "max_by_key"]);
                format!("({text}.{key}(|e| *e & 5{item}).unwrap_or({few}{item}) as {to})")
            }
            11 if chain.is_exact && chain.is_from_back => {
                let (name, holds) = self.condition(&chain.item);
                format!("({text}.rposition(|{name}| {holds}).unwrap_or(77) as {to})")
            }
            11 if chain.is_from_back => {
                let (name, holds) = self.condition(&chain.item);
                format!("({text}.rfind(|&{name}| {holds}).unwrap_or({few}{item}) as {to})")
            }
            _ => format!(
                "({text}.try_fold({few}{item}, |s, e| if e == s {{ None }} else {{ Some(s.wrapping_add(e)) }}).unwrap_or({few}{item}) as {to})"
            ),
        }
    }

    /// A condition that a chain comes to.
    pub(super) fn chain_to_bool(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(&Ty::BOOL);
        }
        let chain = self.chain();
        let (name, holds) = self.condition(&chain.item);
        match self.random.below(4) {
            0 => format!("{}.any(|{name}| {holds})", chain.text),
            1 => format!("{}.all(|{name}| {holds})", chain.text),
            2 => {
                let other = self.chain();
                let item = self.types.name(&chain.item);
                format!("{}.eq({}.map(|e| e as {item}))", chain.text, other.text)
            }
            _ => format!("{}.is_sorted()", chain.text),
        }
    }

    /// A chain in a variable, from which some items are taken before the rest.
    pub(super) fn kept_chain(&mut self) -> String {
        let chain = self.chain();
        let (kept, item) = (self.fresh("it"), self.types.name(&chain.item));
        let mut text = format!("let mut {kept} = {};\n", chain.text);
        let mut parts = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let few = self.random.below(3);
            let (name, holds) = self.condition(&chain.item);
            let taken = match self.random.below(7) {
                0 if chain.is_from_back => "next_back()".to_owned(),
                1 => format!("nth({few})"),
                2 => format!("find(|&{name}| {holds})"),
                3 if chain.is_from_back => format!("nth_back({few})"),
                4 => format!("by_ref().take({few}).reduce(|a, b| a ^ b)"),
                _ => "next()".to_owned(),
            };
            let part = self.bind(chain.item.clone(), true);
            text += &format!("let mut {part} = {kept}.{taken}.unwrap_or(9{item});\n");
            parts.push(part);
        }
        let rest = self.bind(chain.item.clone(), true);
        if chain.is_exact && self.random.one_in(2) {
            text += &format!("let mut {rest} = {kept}.len() as {item};");
        } else {
            text += &format!("let mut {rest} = {kept}.fold(1{item}, |s, e| s.wrapping_mul(3{item}) ^ e);");
        }
        text
    }
}
