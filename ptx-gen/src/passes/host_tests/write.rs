//! Writes demands as tests: as programs for the host, and as text in Rust's notation.

use crate::analysis::{Atom, AtomData, Atoms, Demand, Poly};
use crate::host_test::{HostOp, HostTest, LAUNCH_REGISTERS, fits_stack, offsets};
use crate::ir::{
    BinaryOp, ConvertOp, Entity, Function, InstData, Param, SourceLoc, SpecialRegister, UnaryOp, Value,
};

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

    /// Returns true if there is a program for the demand.
    pub(super) fn can_write(&self, demand: &Demand) -> bool {
        self.any(std::slice::from_ref(demand), SourceLoc::default()).is_some()
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

    /// Emits the operations that compute a value, as the instructions do.
    fn value(&self, value: Value, ops: &mut Vec<HostOp>) {
        let ty = self.func.ty(value);
        let Some(data) = self.func.def(value) else { return };
        data.visit_args(|arg| self.value(arg, ops));
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
        let side = |terms: &[&(Vec<Atom>, i128)]| match terms {
            [] => "0".to_owned(),
            terms => terms
                .iter()
                .map(|(atoms, by)| self.product(atoms, by.unsigned_abs()))
                .collect::<Vec<_>>()
                .join(" + "),
        };
        format!("{} <= {}", side(&low), side(&high))
    }

    fn product(&self, atoms: &[Atom], by: u128) -> String {
        let number = (by != 1 || atoms.is_empty()).then(|| by.to_string());
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
                text += &self.product(atoms, by.unsigned_abs());
            }
        }
        if text.is_empty() { "0".to_owned() } else { text }
    }

    fn atom_text(&self, atom: Atom) -> String {
        let part = |poly: &Poly| match poly.terms() {
            [] | [_] => self.poly(poly),
            _ => format!("({})", self.poly(poly)),
        };
        match self.atoms.data(atom) {
            AtomData::Launch(register) => register_text(*register),
            AtomData::Param(param) => self.func.params[*param].source_name().to_owned(),
            AtomData::Uniform(value) => self.value_text(*value, true),
            AtomData::Quotient(a, b) => format!("({} / {})", part(a), part(b)),
            AtomData::Greater(a, b) => format!("{}.max({})", part(a), self.poly(b)),
        }
    }

    fn truth(&self, (value, truth): (Value, bool)) -> String {
        match (self.func.def(value), truth) {
            (_, true) => self.value_text(value, false),
            (Some(InstData::IntCompare { cond, args }), false) => {
                self.infix(comparison(cond.inverse().as_str()), *args, false)
            }
            (_, false) => format!("!{}", self.value_text(value, true)),
        }
    }

    fn infix(&self, sign: &str, args: [Value; 2], inner: bool) -> String {
        let [a, b] = args.map(|arg| self.value_text(arg, true));
        if inner { format!("({a} {sign} {b})") } else { format!("{a} {sign} {b}") }
    }

    /// A value as an expression; an inner one is in parentheses where it needs them.
    fn value_text(&self, value: Value, inner: bool) -> String {
        let ty = self.func.ty(value);
        match self.func.def(value) {
            Some(InstData::Const { bits }) if ty == crate::ir::Type::Bool => (*bits != 0).to_string(),
            Some(InstData::Const { bits }) => bits.to_string(),
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
            Some(InstData::Binary { op, args, .. }) => match sign(*op) {
                Some(sign) => self.infix(sign, *args, inner),
                None => {
                    let [a, b] = [self.value_text(args[0], true), self.value_text(args[1], false)];
                    let method = match op {
                        BinaryOp::UMin | BinaryOp::SMin => "min",
                        BinaryOp::UMax | BinaryOp::SMax => "max",
                        other => other.as_str(),
                    };
                    format!("{a}.{method}({b})")
                }
            },
            Some(InstData::IntCompare { cond, args }) => self.infix(comparison(cond.as_str()), *args, inner),
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
