//! The forms of operations on matrix fragments.

use ptx::tree::{Instruction, Keyword, MatrixShape, Operand as Written, ScalarType};

use super::UNKNOWN;
use super::function::{Decoder, Refusal};
use super::words::{Words, operands};
use crate::exec::group::{self, GroupProduct, InShared, Left};
use crate::exec::matrix::{Element, Fragment, Matrix, Operand, Sparse};
use crate::op::{Op, Warpgroup};
use crate::registers::{Class, Slot};

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
    (ScalarType::B1, Element::Unsigned(1)),
    (ScalarType::S32, Element::Signed(32)),
];

fn element(ty: ScalarType) -> Result<Element, Refusal> {
    let found = ELEMENTS.iter().find(|(name, _)| *name == ty).map(|&(_, element)| element);
    found.ok_or_else(|| Refusal::new(format!("matrices of `.{ty}` are not simulated")))
}

/// Modifiers of a matrix product besides the types and the shape.
#[derive(Clone, Copy)]
struct How {
    saturate: bool,
    xor: bool,
    sparse: bool,
    /// The layout of `wmma`.
    opaque: bool,
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
        for operand in &*self.elements(operand, count)? {
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
        let sparse = words.take(Keyword::SpOrderedMetadata) || words.take(Keyword::Sp);
        let shape = words.shape().ok_or_else(|| Refusal::new("the shape is missing"))?;
        if !words.take(Keyword::Row) || !words.take(Keyword::Col) {
            return Err(Refusal::new("only `.row.col` is simulated"));
        }
        let saturate = words.take(Keyword::Satfinite);
        let [d, a, b, c] = [words.ty()?, words.ty()?, words.ty()?, words.ty()?];
        // The operation on bits.
        let xor = words.take(Keyword::Xor);
        words.take(Keyword::And);
        words.take(Keyword::Popc);
        words.finish()?;
        let [d, a, b, c] = [element(d)?, element(a)?, element(b)?, element(c)?];
        if shape.n != 8 || (shape.m == 8 && a == Element::F16) {
            return Err(Refusal::new(format!("the shape `.{shape}` of these types is not simulated")));
        }
        let how = How { saturate, xor, sparse, opaque: false };
        self.multiply(instruction, shape, [d, a, b, c], how)
    }

    fn multiply(
        &mut self,
        instruction: &Instruction,
        shape: MatrixShape,
        [d, a, b, c]: [Element; 4],
        How { saturate, xor, sparse, opaque }: How,
    ) -> Result<(), Refusal> {
        let (target, left, right, plus, said) = match (sparse, instruction.operands.as_slice()) {
            (false, [target, left, right, plus]) => (target, left, right, plus, None),
            (true, [target, left, right, plus, said, selector]) => {
                (target, left, right, plus, Some((said, selector)))
            }
            (_, all) => {
                return Err(Refusal::new(format!("{} operands are not as many as it has", all.len())));
            }
        };
        let sparse = match said {
            None => None,
            Some((said, selector)) => {
                let said = self.source(said, Class::W, ScalarType::B32)?;
                Some(Sparse { said, selector: self.source(selector, Class::W, ScalarType::U32)? })
            }
        };
        let half = MatrixShape { k: shape.k / 2, ..shape };
        let left_shape = if sparse.is_some() { half } else { shape };
        let a = self.fragment(left, Operand::A, left_shape, a, opaque, false)?;
        let b = self.fragment(right, Operand::B, shape, b, opaque, false)?;
        let c = self.fragment(plus, Operand::C, shape, c, opaque, false)?;
        let d = self.fragment(target, Operand::C, shape, d, opaque, true)?;
        self.push_matrix(Matrix::Multiply { a, b, c, d, saturate, xor, sparse });
        Ok(())
    }

    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub(super) fn wmma(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let (load, store) = (words.take(Keyword::Load), words.take(Keyword::Store));
        if !load && !store {
            if !words.take(Keyword::Mma) {
                return Err(Refusal::new(UNKNOWN));
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
        let how = How { saturate, xor: false, sparse: false, opaque: true };
        self.multiply(instruction, shape, types, how)
    }

    /// `setmaxnreg`
    pub(super) fn set_registers(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let more = words.take(Keyword::Inc);
        let [count] = operands(instruction)?;
        let count = Self::number(count)?;
        self.push(Op::Warpgroup(Warpgroup::Registers { more, count }));
        Ok(())
    }

    /// `wgmma`
    pub(super) fn wgmma(&mut self, instruction: &Instruction) -> Result<(), Refusal> {
        let mut words = Words::new(instruction);
        let what = match words.take_any(&[
            (Keyword::Fence, 0),
            (Keyword::CommitGroup, 1),
            (Keyword::WaitGroup, 2),
        ]) {
            Some(0) => Some(Warpgroup::Fence),
            Some(1) => Some(Warpgroup::Commit),
            Some(_) => {
                let [but] = operands(instruction)?;
                Some(Warpgroup::Wait { but: Self::number(but)? })
            }
            None => None,
        };
        if let Some(what) = what {
            self.push(Op::Warpgroup(what));
            return Ok(());
        }
        if !words.take(Keyword::MmaAsync) {
            return Err(Refusal::new(UNKNOWN));
        }
        sync_aligned(&mut words)?;
        let shape = words.shape().ok_or_else(|| Refusal::new("the shape is missing"))?;
        let saturate = words.take(Keyword::Satfinite);
        let [d, a, b] = [element(words.ty()?)?, element(words.ty()?)?, element(words.ty()?)?];
        words.finish()?;
        let [target, left, right, adds, rest @ ..] = instruction.operands.as_slice() else {
            return Err(Refusal::new("expected at least 4 operands"));
        };
        if a.bits() < 8 || shape.m != 64 {
            return Err(Refusal::new(format!("the shape `.{shape}` of these types is not simulated")));
        }
        let mut numbers = Vec::new();
        for operand in rest {
            numbers.push(Self::number(operand)? as i32);
        }
        let in_registers = matches!(left, Written::Vector(_));
        // Negation and transposition of A and B: integer types have neither, and only 16-bit types have transposition.
        let (negate, transposed) = match (in_registers, numbers.as_slice()) {
            (_, []) => ([false; 2], [false; 2]),
            (_, [a, b]) => ([*a < 0, *b < 0], [false; 2]),
            (true, [a, b, right]) => ([*a < 0, *b < 0], [false, *right != 0]),
            (false, [a, b, left, right]) => ([*a < 0, *b < 0], [*left != 0, *right != 0]),
            _ => return Err(Refusal::new("the numbers at the end do not fit the operands")),
        };
        let rows = MatrixShape { m: group::ROWS as u16, ..shape };
        let descriptor =
            |decoder: &mut Self, operand: &Written| decoder.source(operand, Class::D, ScalarType::B64);
        let left = if in_registers {
            Left::Registers(self.fragment(left, Operand::A, rows, a, false, false)?)
        } else {
            let descriptor = descriptor(self, left)?;
            Left::Shared(InShared { descriptor, element: a, transposed: transposed[0] })
        };
        let right = InShared { descriptor: descriptor(self, right)?, element: b, transposed: transposed[1] };
        let adds = self.predicate(adds)?;
        let sum = self.fragment(target, Operand::C, rows, d, false, true)?;
        let k = u32::from(shape.k);
        self.push_matrix(Matrix::Group(GroupProduct { left, right, sum, adds, negate, k, saturate }));
        Ok(())
    }
}

fn sync_aligned(words: &mut Words<'_>) -> Result<(), Refusal> {
    match words.take(Keyword::Sync) && words.take(Keyword::Aligned) {
        true => Ok(()),
        false => Err(Refusal::new("expected `.sync.aligned`")),
    }
}
