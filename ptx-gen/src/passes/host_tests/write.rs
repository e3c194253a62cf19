//! Writes demands as tests: as programs for the host, and as text in Rust's notation.

use crate::analysis::{Atom, AtomData, Atoms, Demand, FloatBound, Poly, Term};
use crate::host_test::{HostTest, offsets};
use crate::ir::{
    BinaryOp, ConvertOp, Entity, Function, InstData, IntCond, Param, SourceLoc, SpecialRegister, Type,
    UnaryOp, Value,
};
use kernel_abi::guard::{HostOp, LAUNCH_REGISTERS, fits_stack};

/// Longer programs than a test shall have.
const MOST_STEPS: usize = 160;

pub(super) struct Writer<'w> {
    func: &'w Function,
    atoms: &'w Atoms,
    /// Offset of each parameter.
    offsets: Vec<u16>,
}

impl<'w> Writer<'w> {
    pub(super) fn new(func: &'w Function, atoms: &'w Atoms) -> Writer<'w> {
        Writer { func, atoms, offsets: offsets(func) }
    }

    /// Returns true if there is a program for each part of the demand.
    pub(super) fn can_write(&self, demand: &Demand) -> bool {
        let fits = |ops: Vec<HostOp>| ops.len() <= MOST_STEPS && fits_stack(&ops);
        let mut polys = demand.not_negative.iter();
        polys.all(|poly| self.program(poly).is_some_and(fits))
            && demand.truths.iter().all(|&truth| fits(self.truth_program(truth)))
    }

    /// A test for each part of a demand.
    pub(super) fn each(&self, demand: &Demand, location: SourceLoc) -> Vec<HostTest> {
        let orders = demand.not_negative.iter().filter_map(|poly| {
            let ops = self.program(poly)?;
            Some(HostTest { location, text: self.order(poly), ops })
        });
        let truths = demand.truths.iter().map(|truth| HostTest {
            location,
            text: self.truth(*truth),
            ops: self.truth_program(*truth),
        });
        orders.chain(truths).collect()
    }

    /// One test that any of these demands meets.
    pub(super) fn any(&self, demands: &[Demand], location: SourceLoc) -> Option<HostTest> {
        let mut ops = Vec::new();
        for (index, demand) in demands.iter().enumerate() {
            let polys = demand.not_negative.iter().map(|poly| self.program(poly));
            let truths = demand.truths.iter().map(|truth| Some(self.truth_program(*truth)));
            for (part, program) in polys.chain(truths).enumerate() {
                ops.extend(program?);
                ops.extend((part > 0).then_some(HostOp::And));
            }
            ops.extend((index > 0).then_some(HostOp::Or));
        }
        let fits = ops.len() <= MOST_STEPS && fits_stack(&ops);
        fits.then(|| HostTest { location, text: self.text(demands), ops })
    }

    /// All of these, any of which is enough.
    pub(super) fn text(&self, demands: &[Demand]) -> String {
        let one = |demand: &Demand| {
            let orders = demand.not_negative.iter().map(|poly| self.order(poly));
            let truths = demand.truths.iter().map(|truth| self.truth(*truth));
            orders.chain(truths).collect::<Vec<_>>().join(" && ")
        };
        demands.iter().map(one).collect::<Vec<_>>().join(" || ")
    }

    // Programs.

    /// Program that a polynomial is not negative: its negative terms, moved to the other side, are at most the others.
    pub(super) fn program(&self, poly: &Poly) -> Option<Vec<HostOp>> {
        let mut ops = Vec::new();
        for positive in [false, true] {
            self.side(poly, positive, &mut ops)?;
        }
        ops.push(HostOp::AtMost);
        Some(ops)
    }

    /// The sum of the terms with this sign, without it.
    fn side(&self, poly: &Poly, positive: bool, ops: &mut Vec<HostOp>) -> Option<()> {
        let terms = poly.terms().iter().filter(|(_, by)| (*by > 0) == positive);
        let start = ops.len();
        for (atoms, by) in terms {
            let before = ops.len();
            let by = u64::try_from(by.unsigned_abs()).ok()?;
            if by != 1 || atoms.is_empty() {
                ops.push(HostOp::Number(by));
            }
            for &atom in atoms {
                let is_first = ops.len() == before;
                self.atom(atom, ops)?;
                ops.extend((!is_first).then_some(HostOp::Mul));
            }
            ops.extend((before > start).then_some(HostOp::Add));
        }
        if ops.len() == start {
            ops.push(HostOp::Number(0));
        }
        Some(())
    }

    fn number(&self, poly: &Poly, ops: &mut Vec<HostOp>) -> Option<()> {
        self.side(poly, true, ops)?;
        if poly.terms().iter().any(|(_, by)| *by < 0) {
            self.side(poly, false, ops)?;
            ops.push(HostOp::Sub);
        }
        Some(())
    }

    fn atom(&self, atom: Atom, ops: &mut Vec<HostOp>) -> Option<()> {
        match self.atoms.data(atom) {
            AtomData::Launch(register) => ops.push(HostOp::Launch(*register)),
            AtomData::Param(param) => ops.push(self.param(*param)),
            AtomData::Uniform(value) => self.value(*value, ops),
            AtomData::Float(bound) => self.float_bound(bound, ops)?,
            AtomData::Quotient(a, b) | AtomData::Greater(a, b) => {
                self.number(a, ops)?;
                self.number(b, ops)?;
                let is_quotient = matches!(self.atoms.data(atom), AtomData::Quotient(..));
                ops.push(if is_quotient { HostOp::Div } else { HostOp::Max });
            }
        }
        (ops.len() <= MOST_STEPS).then_some(())
    }

    fn param(&self, param: Param) -> HostOp {
        HostOp::Param { at: self.offsets[param.index()], ty: self.func.params[param].ty }
    }

    /// A value that the host can compute, and its text.
    pub(super) fn uniform(&self, value: Value) -> Option<(Vec<HostOp>, String)> {
        let mut ops = Vec::new();
        self.value(value, &mut ops);
        let fits = ops.len() <= MOST_STEPS && fits_stack(&ops);
        fits.then(|| (ops, self.value_text(value, true)))
    }

    fn truth_program(&self, (value, truth): (Value, bool)) -> Vec<HostOp> {
        let mut ops = Vec::new();
        self.value(value, &mut ops);
        ops.extend((!truth).then_some(HostOp::Not));
        ops
    }

    /// Emits the operations that compute the greatest index, unknown where a float is negative that must not be.
    fn float_bound(&self, bound: &FloatBound, ops: &mut Vec<HostOp>) -> Option<()> {
        for &float in &bound.not_negative {
            self.value_given(float, &bound.leaves, ops)?;
            ops.extend([HostOp::Number(self.func.ty(float).mask() >> 1), HostOp::AtMost]);
        }
        self.value_given(bound.index, &bound.leaves, ops)?;
        for _ in &bound.not_negative {
            ops.extend([HostOp::Number(0), HostOp::Number(0), HostOp::Div, HostOp::Select]);
        }
        Some(())
    }

    /// Emits the operations that compute a value, given other values for some.
    fn value_given(&self, value: Value, given: &[(Value, Poly)], ops: &mut Vec<HostOp>) -> Option<()> {
        if ops.len() > MOST_STEPS {
            return None;
        }
        let (ty, data) = (self.func.ty(value), self.func.def(value)?);
        match *data {
            InstData::Convert { op: ConvertOp::UIntToFloat, arg } => {
                match given.iter().find(|(known, _)| *known == arg) {
                    Some((_, most)) => self.number(most, ops)?,
                    None => self.value(arg, ops),
                }
                ops.push(HostOp::Convert(ConvertOp::UIntToFloat, Type::I64, ty));
            }
            InstData::Fma { args } => {
                args.into_iter().try_for_each(|arg| self.value_given(arg, given, ops))?;
                ops.push(HostOp::Fma(ty));
            }
            InstData::Unary { arg, .. } | InstData::Convert { arg, .. } => {
                self.value_given(arg, given, ops)?;
                self.operation(value, ops);
            }
            InstData::Binary { args, .. } => {
                args.into_iter().try_for_each(|arg| self.value_given(arg, given, ops))?;
                self.operation(value, ops);
            }
            _ => self.value(value, ops),
        }
        Some(())
    }

    /// Emits the operations that compute a value, as the instructions do.
    fn value(&self, value: Value, ops: &mut Vec<HostOp>) {
        let Some(data) = self.func.def(value) else { return };
        data.visit_args(|arg| self.value(arg, ops));
        self.operation(value, ops);
    }

    /// Emits the operation of which a value is the result, its operands being there.
    fn operation(&self, value: Value, ops: &mut Vec<HostOp>) {
        let ty = self.func.ty(value);
        let Some(data) = self.func.def(value) else { return };
        match *data {
            InstData::Const { bits } => ops.push(HostOp::Number(bits)),
            InstData::Special { register } => ops.push(HostOp::Launch(register)),
            InstData::Param { param } => ops.push(self.param(param)),
            InstData::Unary { op, .. } => ops.push(HostOp::Unary(op, ty)),
            InstData::Binary { op, .. } => ops.push(HostOp::Binary(op, ty)),
            InstData::IntCompare { cond, args } => {
                ops.push(HostOp::Compare(cond, self.func.ty(args[0])));
            }
            InstData::Convert { op, arg } => ops.push(HostOp::Convert(op, self.func.ty(arg), ty)),
            InstData::Select { .. } => ops.push(HostOp::Select),
            // Nothing else is known to the host.
            _ => {}
        }
    }

    // Texts.

    fn order(&self, poly: &Poly) -> String {
        let of_sign = |positive: bool| {
            let terms = poly.terms().iter().filter(move |(_, by)| (*by > 0) == positive);
            // The number comes last.
            let (numbers, products): (Vec<_>, Vec<_>) = terms.partition(|(atoms, _)| atoms.is_empty());
            products.into_iter().chain(numbers).collect::<Vec<_>>()
        };
        let [low, high] = [of_sign(false), of_sign(true)];
        if let ([(atoms, -1)], [(none, most)]) = (&low[..], &high[..])
            && let ([atom], []) = (&atoms[..], &none[..])
            && let AtomData::Param(param) = self.atoms.data(*atom)
            && *most == i128::from(self.func.params[*param].ty.mask() >> 1)
        {
            return format!("{} >= 0", self.atom_text(*atom));
        }
        let side = |terms: &[Term]| match terms {
            [] => "0".to_owned(),
            [(atoms, by)] => self.product(atoms, by.unsigned_abs(), false),
            terms => terms
                .iter()
                .map(|(atoms, by)| self.product(atoms, by.unsigned_abs(), true))
                .collect::<Vec<_>>()
                .join(" + "),
        };
        format!("{} <= {}", side(&low), side(&high))
    }

    /// The product of atoms and a number; `inner` if it is a term of a sum.
    fn product(&self, atoms: &[Atom], by: u128, inner: bool) -> String {
        let number = (by != 1 || atoms.is_empty()).then(|| number_text(by, inner || !atoms.is_empty()));
        let factors = atoms.iter().map(|&atom| self.atom_text(atom));
        number.into_iter().chain(factors).collect::<Vec<_>>().join(" * ")
    }

    fn poly(&self, poly: &Poly) -> String {
        let mut text = String::new();
        let (below, above): (Vec<_>, Vec<_>) = poly.terms().iter().rev().partition(|(_, by)| *by < 0);
        for (sign, terms) in [(" + ", above), (" - ", below)] {
            for (atoms, by) in terms {
                match (text.is_empty(), sign) {
                    (true, " + ") => {}
                    (true, _) => text.push('-'),
                    (false, sign) => text.push_str(sign),
                }
                text += &self.product(&atoms, by.unsigned_abs(), poly.terms().len() > 1);
            }
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn atom_text(&self, atom: Atom) -> String {
        let part = |poly: &Poly| match poly.terms() {
            [] => self.poly(poly),
            // Alone or a number: nothing around it binds tighter.
            [(atoms, 1)] if atoms.len() == 1 => self.poly(poly),
            [(atoms, 0..)] if atoms.is_empty() => number_text(poly.terms()[0].1.unsigned_abs(), true),
            _ => format!("({})", self.poly(poly)),
        };
        match self.atoms.data(atom) {
            AtomData::Launch(register) => register_text(*register),
            AtomData::Param(param) => self.func.params[*param].source_name().to_owned(),
            AtomData::Uniform(value) => self.value_text(*value, true),
            AtomData::Float(bound) => self.float_text(bound.index, &bound.leaves),
            AtomData::Quotient(a, b) => format!("({} / {})", part(a), part(b)),
            AtomData::Greater(a, b) => format!("{}.max({})", part(a), self.poly(b)),
        }
    }

    /// A float, or the index that it becomes, given bounds of the integers that it is made of.
    fn float_text(&self, value: Value, given: &[(Value, Poly)]) -> String {
        let text = |value: Value| self.float_text(value, given);
        let ty = self.func.ty(value);
        match self.func.def(value) {
            Some(&InstData::Const { bits }) if ty == Type::F32 => {
                format!("{:?}", f32::from_bits(bits as u32))
            }
            Some(&InstData::Const { bits }) if ty == Type::F64 => format!("{:?}", f64::from_bits(bits)),
            Some(&InstData::Convert { op: ConvertOp::UIntToFloat, arg }) => {
                let number = match given.iter().find(|(known, _)| *known == arg) {
                    Some((_, most)) => format!("({})", self.poly(most)),
                    None => self.value_text(arg, true),
                };
                format!("{number} as {ty}")
            }
            Some(&InstData::Convert { arg, .. }) if ty.is_int() => {
                format!("({} as u{})", text(arg), ty.bits())
            }
            Some(&InstData::Convert { arg, .. }) => format!("({} as {ty})", text(arg)),
            Some(&InstData::Unary { op, arg }) => format!("{}.{}()", text(arg), op.as_str()),
            Some(&InstData::Fma { args }) => {
                let [a, b, c] = args.map(text);
                format!("({a} * {b} + {c})")
            }
            Some(&InstData::Binary { op, args, .. }) => {
                let [a, b] = args.map(text);
                match op {
                    BinaryOp::FAdd => format!("({a} + {b})"),
                    BinaryOp::FSub => format!("({a} - {b})"),
                    BinaryOp::FMul => format!("({a} * {b})"),
                    BinaryOp::FDiv => format!("({a} / {b})"),
                    BinaryOp::FMin => format!("{a}.min({b})"),
                    BinaryOp::FMax => format!("{a}.max({b})"),
                    other => format!("{a}.{}({b})", other.as_str()),
                }
            }
            _ => self.value_text(value, true),
        }
    }

    fn truth(&self, (value, truth): (Value, bool)) -> String {
        match (self.func.def(value), truth) {
            (_, true) => self.value_text(value, false),
            (Some(InstData::IntCompare { cond, args }), false) => {
                self.comparison(cond.inverse(), *args, false)
            }
            (_, false) => format!("!{}", self.value_text(value, true)),
        }
    }

    fn comparison(&self, cond: IntCond, args: [Value; 2], inner: bool) -> String {
        let reading = match cond == cond.unsigned() {
            // Of a number that says nothing of its sign.
            true if matches!(cond, IntCond::Eq | IntCond::Ne) => Reading::Signed,
            true => Reading::Unsigned,
            false => Reading::Signed,
        };
        self.infix(comparison(cond.as_str()), args, reading, inner)
    }

    fn infix(&self, sign: &str, args: [Value; 2], reading: Reading, inner: bool) -> String {
        let [a, b] = args.map(|arg| self.operand(arg, reading));
        if inner { format!("({a} {sign} {b})") } else { format!("{a} {sign} {b}") }
    }

    /// An operand of an operator.
    fn operand(&self, value: Value, reading: Reading) -> String {
        let ty = self.func.ty(value);
        match self.func.constant(value).filter(|_| ty.is_int()) {
            Some(bits) => constant_text(bits, ty, reading),
            None => self.value_text(value, true),
        }
    }

    /// A binary operation, as one would write it in Rust.
    fn binary(&self, op: BinaryOp, [a, b]: [Value; 2], inner: bool) -> String {
        let mask = self.func.ty(a).mask();
        // A number is subtracted by adding its complement.
        if let Some(by) = self.func.constant(b).filter(|&by| op == BinaryOp::Add && by > mask / 2) {
            let less = number_text(u128::from(mask - by) + 1, true);
            let text = format!("{} - {less}", self.value_text(a, true));
            return if inner { format!("({text})") } else { text };
        }
        let reading = match op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Reading::Bits,
            BinaryOp::UDiv | BinaryOp::URem | BinaryOp::UMin | BinaryOp::UMax => Reading::Unsigned,
            _ => Reading::Signed,
        };
        match sign(op) {
            Some(sign) => self.infix(sign, [a, b], reading, inner),
            None => {
                let [receiver, other] = [self.operand(a, reading), self.operand(b, reading)];
                let method = match op {
                    BinaryOp::UMin | BinaryOp::SMin => "min",
                    BinaryOp::UMax | BinaryOp::SMax => "max",
                    other => other.as_str(),
                };
                format!("{receiver}.{method}({})", without_parentheses(&other))
            }
        }
    }

    /// A value as an expression; an inner one is in parentheses where it needs them.
    fn value_text(&self, value: Value, inner: bool) -> String {
        let ty = self.func.ty(value);
        match self.func.def(value) {
            Some(InstData::Const { bits }) if ty == Type::Bool => (*bits != 0).to_string(),
            Some(InstData::Const { bits }) => number_text((*bits).into(), inner),
            Some(InstData::Special { register }) => register_text(*register),
            Some(InstData::Param { param }) => self.func.params[*param].source_name().to_owned(),
            Some(InstData::Unary { op, arg }) => {
                let arg = self.value_text(*arg, true);
                match op {
                    UnaryOp::Not => format!("!{arg}"),
                    UnaryOp::Neg => format!("-{arg}"),
                    UnaryOp::LeadingZeros => format!("{arg}.leading_zeros()"),
                    UnaryOp::TrailingZeros => format!("{arg}.trailing_zeros()"),
                    UnaryOp::PopCount => format!("{arg}.count_ones()"),
                    other => format!("{}({arg})", other.as_str()),
                }
            }
            Some(InstData::Binary { op, args, .. }) => self.binary(*op, *args, inner),
            Some(InstData::IntCompare { cond, args }) => self.comparison(*cond, *args, inner),
            Some(InstData::Convert { op: ConvertOp::Truncate, arg }) => {
                let text = format!("{} as u{}", self.value_text(*arg, true), ty.bits());
                if inner { format!("({text})") } else { text }
            }
            Some(InstData::Convert { arg, .. } | InstData::ToGeneric { address: arg, .. }) => {
                self.value_text(*arg, inner)
            }
            Some(InstData::Select { cond, if_true, if_false }) => {
                let [cond, yes, no] = [cond, if_true, if_false].map(|&part| self.value_text(part, false));
                format!("(if {cond} {{ {yes} }} else {{ {no} }})")
            }
            Some(_) | None => value.to_string(),
        }
    }
}

/// Sense in which an operator takes the bits of a constant.
#[derive(Clone, Copy)]
enum Reading {
    Unsigned,
    Signed,
    /// A mask.
    Bits,
}

/// Numbers closer to the greatest one of a type are written as what is between them.
const NEAR: u128 = 1 << 10;

/// A constant as an operand.
fn constant_text(bits: u64, ty: Type, reading: Reading) -> String {
    let is_high = bits > ty.mask() / 2;
    match reading {
        Reading::Signed if is_high && u128::from(ty.mask() - bits) < NEAR => {
            format!("-{}", ty.mask() - bits + 1)
        }
        Reading::Bits if is_high && bits != ty.mask() => {
            format!("!{}", number_text((ty.mask() - bits).into(), true))
        }
        Reading::Signed | Reading::Bits | Reading::Unsigned => number_text(bits.into(), true),
    }
}

/// A number that is not negative, as a person would write it: `u64::MAX`, `1 << 40`. In parentheses if it is part of more.
fn number_text(number: u128, inner: bool) -> String {
    let of_types: [(&str, u128); 4] = [
        ("u64::MAX", u64::MAX.into()),
        ("i64::MAX", i64::MAX as u128),
        ("u32::MAX", u32::MAX.into()),
        ("i32::MAX", i32::MAX as u128),
    ];
    let text = match of_types.into_iter().find(|(_, most)| number <= *most && most - number < NEAR) {
        Some((name, most)) if number == most => return name.to_owned(),
        Some((name, most)) => format!("{name} - {}", most - number),
        None if number >= 1 << 31 && number.is_power_of_two() => format!("1 << {}", number.trailing_zeros()),
        None => return number.to_string(),
    };
    if inner { format!("({text})") } else { text }
}

/// An expression as the only argument of a call.
fn without_parentheses(text: &str) -> &str {
    let inside = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let mut depth = 0;
    // `(a + b) * (c)` starts and ends with some, too, but of different pairs.
    let is_pair = |inside: &&str| {
        inside.chars().all(|c| {
            depth += match c {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            depth >= 0
        })
    };
    inside.filter(is_pair).unwrap_or(text)
}

fn register_text(register: SpecialRegister) -> String {
    let known = LAUNCH_REGISTERS.iter().find(|(known, _)| *known == register);
    known.map_or(register.as_str(), |(_, text)| text).to_owned()
}

/// Rust's operator of a comparison, whatever the sign.
fn comparison(name: &str) -> &'static str {
    match name.trim_start_matches(['u', 's']) {
        "lt" => "<",
        "le" => "<=",
        "gt" => ">",
        "ge" => ">=",
        "ne" => "!=",
        _ => "==",
    }
}

/// Rust's operator of an operation, if it has one.
fn sign(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::UDiv | BinaryOp::SDiv => "/",
        BinaryOp::URem | BinaryOp::SRem => "%",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Shl => "<<",
        BinaryOp::LShr | BinaryOp::AShr => ">>",
        BinaryOp::UMulHigh
        | BinaryOp::SMulHigh
        | BinaryOp::UMin
        | BinaryOp::SMin
        | BinaryOp::UMax
        | BinaryOp::SMax
        | BinaryOp::FAdd
        | BinaryOp::FSub
        | BinaryOp::FMul
        | BinaryOp::FDiv
        | BinaryOp::FMin
        | BinaryOp::FMax
        | BinaryOp::CopySign
        | BinaryOp::FDivApprox => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(number: u128, expected: &str) {
        assert_eq!(number_text(number, true), expected);
    }

    #[test]
    fn numbers_as_people_write_them() {
        check(0, "0");
        check(4096, "4096");
        check(1 << 31, "(1 << 31)");
        check(i32::MAX as u128, "i32::MAX");
        check(u64::MAX.into(), "u64::MAX");
        check(u128::from(u64::MAX) - 5, "(u64::MAX - 5)");
        check(u128::from(u32::MAX) + 1, "(1 << 32)");
        assert_eq!(number_text(1 << 40, false), "1 << 40");
    }

    #[test]
    fn constants_as_operators_take_them() {
        let text = |bits, reading| constant_text(bits, Type::I32, reading);
        assert_eq!(text(0xffff_ffff, Reading::Signed), "-1");
        assert_eq!(text(0xffff_fffc, Reading::Bits), "!3");
        assert_eq!(text(0xffff_ffff, Reading::Unsigned), "u32::MAX");
        assert_eq!(text(7, Reading::Signed), "7");
    }

    #[test]
    fn parentheses_around_an_argument() {
        assert_eq!(without_parentheses("(a + b)"), "a + b");
        assert_eq!(without_parentheses("(a + b) * (c)"), "(a + b) * (c)");
        assert_eq!(without_parentheses("a.min(b)"), "a.min(b)");
    }
}
