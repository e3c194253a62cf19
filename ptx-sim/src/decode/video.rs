//! The video instructions.

use ptx::selector::{Part, lanes_of, mask, selection};
use ptx::tree::{Instruction, Keyword, Name, Opcode, Operand, ScalarType};

use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::exec::video::{Comparison, Function, Product, Second, Signs, Video};
use crate::op::Op;
use crate::registers::{Class, Slot};

/// Functions by opcode, of the scalar and of the vector forms.
const FUNCTIONS: &[(&str, Function)] = &[
    ("vadd", Function::Add),
    ("vsub", Function::Sub),
    ("vavrg", Function::Average),
    ("vabsdiff", Function::AbsoluteDifference),
    ("vmin", Function::Min),
    ("vmax", Function::Max),
];

const COMPARISONS: &[(Keyword, Comparison)] = &[
    (Keyword::Eq, Comparison::Eq),
    (Keyword::Ne, Comparison::Ne),
    (Keyword::Lt, Comparison::Lt),
    (Keyword::Le, Comparison::Le),
    (Keyword::Gt, Comparison::Gt),
    (Keyword::Ge, Comparison::Ge),
];

const SECONDS: &[(Keyword, Second)] =
    &[(Keyword::Add, Second::Add), (Keyword::Min, Second::Min), (Keyword::Max, Second::Max)];

const SHIFTS: &[(Keyword, u8)] = &[(Keyword::Shr7, 7), (Keyword::Shr15, 15)];

/// A selector that is not one.
fn unknown(component: &str) -> Refusal {
    Refusal::new(format!("`.{component}` selects nothing here"))
}

impl Decoder<'_> {
    pub(super) fn video(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let signed = |ty: ScalarType| ty == ScalarType::S32;
        // `vset` has no type of its result: that is unsigned.
        let sets = instruction.opcode.as_str().starts_with("vset");
        let result = !sets && signed(words.ty()?);
        let signs = Signs { result, a: signed(words.ty()?), b: signed(words.ty()?) };
        let saturate = words.take(Keyword::Sat);
        if instruction.opcode == Opcode::Vmad {
            return self.video_product(instruction, words, signs, saturate);
        }
        let f = function(instruction.opcode, &mut words)?;
        if instruction.opcode.as_str().ends_with(['2', '4']) {
            return self.video_elements(instruction, words, f, signs, saturate);
        }
        let second = words.take_any(SECONDS);
        words.finish()?;
        let (target, a, b, third) = match instruction.operands.as_slice() {
            [target, a, b] => (target, a, b, None),
            [target, a, b, c] => (target, a, b, Some(c)),
            _ => return Err(Refusal::new("expected three or four operands")),
        };
        let (target, into) = self.part_target(target)?;
        let second = match (second, third) {
            (Some(second), Some(_)) => second,
            (None, Some(_)) => Second::Merge(into),
            (None, None) => Second::Nothing,
            (Some(_), None) => return Err(Refusal::new("the third source is missing")),
        };
        let ((a, part_a), (b, part_b)) = (self.part_source(a)?, self.part_source(b)?);
        let c = third.map_or(Ok(a), |c| self.source(c, Class::W, ScalarType::B32))?;
        let how = Video::Scalar { f, signs, saturate, a: part_a, b: part_b, second };
        self.push(Op::Video { how, target, sources: [a, b, c] });
        Ok(())
    }

    fn video_product(
        &mut self,
        instruction: &Instruction,
        mut words: Words<'_>,
        signs: Signs,
        saturate: bool,
    ) -> Result<(), Refusal> {
        let plus_one = words.take(Keyword::Po);
        let shift = words.take_any(SHIFTS).unwrap_or(0);
        words.finish()?;
        let [target, a, b, c] = operands(instruction)?;
        let is_negative = |operand: &Operand| matches!(operand, Operand::Negative(_));
        let (negative, minus) = (is_negative(a) != is_negative(b), is_negative(c));
        if negative && minus || plus_one && (negative || minus) {
            return Err(Refusal::new("only one of the product, the summand and `.po` may change the sum"));
        }
        let product = Product { negative, minus, plus_one, shift };
        let ((a, part_a), (b, part_b), (c, _)) =
            (self.part_source(a)?, self.part_source(b)?, self.part_source(c)?);
        let target = self.target(target, Class::W)?;
        let how = Video::Product { product, signs, saturate, a: part_a, b: part_b };
        self.push(Op::Video { how, target, sources: [a, b, c] });
        Ok(())
    }

    fn video_elements(
        &mut self,
        instruction: &Instruction,
        mut words: Words<'_>,
        f: Function,
        signs: Signs,
        saturate: bool,
    ) -> Result<(), Refusal> {
        let sum = words.take(Keyword::Add);
        words.finish()?;
        if sum && saturate {
            return Err(Refusal::new("`.sat` and `.add` exclude each other"));
        }
        let lanes = lanes_of(instruction.opcode);
        let [target, a, b, c] = operands(instruction)?;
        let select = |component: Option<&str>, first: u8| match component {
            None => Ok(std::array::from_fn(|at| first + at as u8)),
            Some(component) => selection(component, lanes).ok_or_else(|| unknown(component)),
        };
        let (a, selected_a) = self.with_component(a)?;
        let (b, selected_b) = self.with_component(b)?;
        // Without a selector, all elements of the operand itself.
        let (from_a, from_b) =
            (select(selected_a.as_deref(), 0)?, select(selected_b.as_deref(), lanes as u8)?);
        let c = self.source(c, Class::W, ScalarType::B32)?;
        let (a, b) =
            (self.source(&a, Class::W, ScalarType::B32)?, self.source(&b, Class::W, ScalarType::B32)?);
        let (target, written) = self.with_component(target)?;
        let mask = match written {
            None => (1 << lanes) - 1,
            Some(component) => mask(&component, lanes).ok_or_else(|| unknown(&component))?,
        };
        let target = self.target(&target, Class::W)?;
        let how = Video::Elements { f, signs, saturate, four: lanes == 4, sum, mask, a: from_a, b: from_b };
        self.push(Op::Video { how, target, sources: [a, b, c] });
        Ok(())
    }

    /// An operand without its component, and the component: an element of a vector is a register by itself.
    fn with_component(&mut self, operand: &Operand) -> Result<(Operand, Option<String>), Refusal> {
        let (Operand::Name(name) | Operand::Negative(name)) = operand else {
            return Ok((operand.clone(), None));
        };
        let whole = || Ok((Operand::Name(name.clone()), None));
        match name.as_str().split_once('.') {
            Some((register, component)) if self.find(name.as_str()).is_err() => {
                Ok((Operand::Name(Name::from(register)), Some(component.to_owned())))
            }
            _ => whole(),
        }
    }

    fn part_source(&mut self, operand: &Operand) -> Result<(Slot, Part), Refusal> {
        let (operand, component) = self.with_component(operand)?;
        Ok((self.source(&operand, Class::W, ScalarType::B32)?, part(component.as_deref())?))
    }

    fn part_target(&mut self, operand: &Operand) -> Result<(Slot, Part), Refusal> {
        let (operand, component) = self.with_component(operand)?;
        Ok((self.target(&operand, Class::W)?, part(component.as_deref())?))
    }
}

fn part(component: Option<&str>) -> Result<Part, Refusal> {
    component.map_or(Ok(Part::Whole), |component| {
        Part::from_component(component).ok_or_else(|| unknown(component))
    })
}

fn function(opcode: Opcode, words: &mut Words<'_>) -> Result<Function, Refusal> {
    let name = opcode.as_str().trim_end_matches(['2', '4']);
    if let Some(&(_, f)) = FUNCTIONS.iter().find(|(known, _)| *known == name) {
        return Ok(f);
    }
    if name == "vset" {
        let comparison = words.take_any(COMPARISONS);
        return comparison.map(Function::Set).ok_or_else(|| Refusal::new("the comparison is missing"));
    }
    let wrap = words.take(Keyword::Wrap);
    if !wrap && !words.take(Keyword::Clamp) {
        return Err(Refusal::new("the mode is missing: `.clamp` or `.wrap`"));
    }
    Ok(if opcode == Opcode::Vshl { Function::ShiftLeft { wrap } } else { Function::ShiftRight { wrap } })
}
