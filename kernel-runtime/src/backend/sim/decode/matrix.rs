//! The forms of operations on matrix fragments.

use ptx_gen::ptx::tree::{Instruction, Keyword, MatrixShape, Operand as Written, ScalarType};

use super::access::elements;
use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::backend::sim::exec::matrix::{Element, Fragment, Matrix, Operand};
use crate::backend::sim::op::Op;
use crate::backend::sim::registers::{Class, Slot};

const ELEMENTS: &[(ScalarType, Element)] = &[
    (ScalarType::F16, Element::F16),
    (ScalarType::Bf16, Element::Bf16),
    (ScalarType::Tf32, Element::Tf32),
    (ScalarType::E4m3, Element::E4m3),
    (ScalarType::E5m2, Element::E5m2),
    (ScalarType::F32, Element::F32),
    (ScalarType::F64, Element::F64),
    (ScalarType::U8, Element::Unsigned(8)),
    (ScalarType::S8, Element::Signed(8)),
    (ScalarType::U4, Element::Unsigned(4)),
    (ScalarType::S4, Element::Signed(4)),
    (ScalarType::S32, Element::Signed(32)),
];

fn element(ty: ScalarType) -> Result<Element, Refusal> {
    let found = ELEMENTS.iter().find(|(name, _)| *name == ty).map(|&(_, element)| element);
    found.ok_or_else(|| Refusal::new(format!("matrices of `.{ty}` are not simulated")))
}

const COUNTS: &[(Keyword, usize)] = &[(Keyword::X1, 1), (Keyword::X2, 2), (Keyword::X4, 4)];

impl Decoder<'_> {
    fn push_matrix(&mut self, matrix: Matrix) {
        let index = self.matrices.len() as u32;
        self.matrices.push(matrix);
        self.push(Op::Matrix { index });
    }

    /// Registers of a vector, to be read or written.
    fn registers(
        &mut self,
        operand: &Written,
        count: usize,
        class: Class,
        write: bool,
    ) -> Result<Vec<Slot>, Refusal> {
        let mut slots = Vec::new();
        for operand in elements(operand, count)? {
            slots.push(match write {
                true => self.target(operand, class)?,
                false => self.source(operand, class, ScalarType::B32)?,
            });
        }
        Ok(slots)
    }

    /// `ldmatrix` and `stmatrix`.
    pub(super) fn matrix_rows(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        sync_aligned(&mut words)?;
        if !words.take(Keyword::M8n8) {
            return Err(Refusal::new("only the shape `.m8n8` is simulated"));
        }
        let count =
            words.take_any(COUNTS).ok_or_else(|| Refusal::new("the number of matrices is missing"))?;
        let transposed = words.take(Keyword::Trans);
        let space = words.space();
        if words.ty()? != ScalarType::B16 {
            return Err(Refusal::new("only elements of `.b16` are simulated"));
        }
        words.finish()?;
        let load = instruction.opcode.as_str() == "ldmatrix";
        let [first, second] = operands(instruction)?;
        let (vector, address) = if load { (first, second) } else { (second, first) };
        let address = self.address(address, space)?;
        let slots = self.registers(vector, count, Class::W, load)?;
        self.push_matrix(match load {
            true => Matrix::Load { address, transposed, targets: slots },
            false => Matrix::Store { address, transposed, sources: slots },
        });
        Ok(())
    }

    /// `movmatrix`
    pub(super) fn matrix_transpose(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        sync_aligned(&mut words)?;
        words.take(Keyword::M8n8);
        words.take(Keyword::Trans);
        words.ty()?;
        words.finish()?;
        let [target, source] = operands(instruction)?;
        let source = self.source(source, Class::W, ScalarType::B32)?;
        let target = self.target(target, Class::W)?;
        self.push_matrix(Matrix::Transpose { target, source });
        Ok(())
    }

    fn fragment(
        &mut self,
        written: &Written,
        operand: Operand,
        shape: MatrixShape,
        element: Element,
        opaque: bool,
        write: bool,
    ) -> Result<Fragment, Refusal> {
        let (rows, columns) = match operand {
            Operand::A => (shape.m, shape.k),
            Operand::B => (shape.k, shape.n),
            Operand::C => (shape.m, shape.n),
        };
        let (rows, columns) = (u32::from(rows), u32::from(columns));
        let needed = (rows * columns / 32).div_ceil(element.per_register()) as usize;
        let found = if let Written::Vector(elements) = written { elements.len() } else { 1 };
        // The fragments of `wmma` may have registers to spare.
        if found != needed && !(opaque && found > needed) {
            return Err(Refusal::new(format!("expected a fragment of {needed} registers, found {found}")));
        }
        let class = if element.bits() == 64 { Class::D } else { Class::W };
        let registers = self.registers(written, found, class, write)?;
        Ok(Fragment { operand, rows, columns, element, opaque, registers })
    }

    /// `mma`
    pub(super) fn mma(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        sync_aligned(&mut words)?;
        let shape = words.shape().ok_or_else(|| Refusal::new("the shape is missing"))?;
        if !words.take(Keyword::Row) || !words.take(Keyword::Col) {
            return Err(Refusal::new("only `.row.col` is simulated"));
        }
        let saturate = words.take(Keyword::Satfinite);
        let [d, a, b, c] = [words.ty()?, words.ty()?, words.ty()?, words.ty()?];
        words.finish()?;
        let [d, a, b, c] = [element(d)?, element(a)?, element(b)?, element(c)?];
        if shape.n != 8 || (shape.m == 8 && a == Element::F16) {
            return Err(Refusal::new(format!("the shape `.{shape}` of these types is not simulated")));
        }
        self.multiply(instruction, shape, [d, a, b, c], saturate, false)
    }

    fn multiply(
        &mut self,
        instruction: &Instruction,
        shape: MatrixShape,
        [d, a, b, c]: [Element; 4],
        saturate: bool,
        opaque: bool,
    ) -> Result<(), Refusal> {
        let [target, left, right, plus] = operands(instruction)?;
        let a = self.fragment(left, Operand::A, shape, a, opaque, false)?;
        let b = self.fragment(right, Operand::B, shape, b, opaque, false)?;
        let c = self.fragment(plus, Operand::C, shape, c, opaque, false)?;
        let d = self.fragment(target, Operand::C, shape, d, opaque, true)?;
        self.push_matrix(Matrix::Multiply { a, b, c, d, saturate });
        Ok(())
    }

    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub(super) fn wmma(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let (load, store) = (words.take(Keyword::Load), words.take(Keyword::Store));
        if !load && !store {
            if !words.take(Keyword::Mma) {
                return Err(Refusal::new("the simulator does not have this instruction"));
            }
            return self.wmma_product(instruction, words);
        }
        let fragments = [
            (Keyword::A, Operand::A),
            (Keyword::B, Operand::B),
            (Keyword::C, Operand::C),
            (Keyword::D, Operand::C),
        ];
        let operand = words.take_any(&fragments).ok_or_else(|| Refusal::new("the matrix is missing"))?;
        sync_aligned(&mut words)?;
        let by_column = words.take(Keyword::Col);
        words.take(Keyword::Row);
        let shape = words.shape().ok_or_else(|| Refusal::new("the shape is missing"))?;
        let space = words.space();
        let element = element(words.ty()?)?;
        words.finish()?;
        let (first, second, stride) = match instruction.operands.as_slice() {
            [first, second] => (first, second, None),
            [first, second, stride] => (first, second, Some(self.source(stride, Class::W, ScalarType::U32)?)),
            _ => return Err(Refusal::new("expected a fragment, an address and perhaps a stride")),
        };
        let (vector, address) = if load { (first, second) } else { (second, first) };
        let address = self.address(address, space)?;
        let fragment = self.fragment(vector, operand, shape, element, true, load)?;
        self.push_matrix(match load {
            true => Matrix::LoadFragment { fragment, address, by_column, stride },
            false => Matrix::StoreFragment { fragment, address, by_column, stride },
        });
        Ok(())
    }

    fn wmma_product(&mut self, instruction: &Instruction, mut words: Words<'_>) -> Result<(), Refusal> {
        sync_aligned(&mut words)?;
        // Fragments are the same however their matrices lay in memory.
        while words.take(Keyword::Row) || words.take(Keyword::Col) {}
        let shape = words.shape().ok_or_else(|| Refusal::new("the shape is missing"))?;
        let saturate = words.take(Keyword::Satfinite);
        words.take(Keyword::Rn);
        let (first, second) = (words.ty()?, words.ty()?);
        let types = match words.ty() {
            Ok(third) => [first, second, third, words.ty()?],
            // Of f16 only the types of D and C are said.
            Err(_) => [first, ScalarType::F16, ScalarType::F16, second],
        };
        words.finish()?;
        let [d, a, b, c] = types;
        let types = [element(d)?, element(a)?, element(b)?, element(c)?];
        self.multiply(instruction, shape, types, saturate, true)
    }
}

fn sync_aligned(words: &mut Words<'_>) -> Result<(), Refusal> {
    match words.take(Keyword::Sync) && words.take(Keyword::Aligned) {
        true => Ok(()),
        false => Err(Refusal::new("expected `.sync.aligned`")),
    }
}
