//! Panics with a text, and prints: the values go to the host as words of 64 bits, in the order of
//! [`flatten`](super::layout::Layout::flatten).

use ptx_gen::ir::{ConvertOp, Format, Type, Value};

use super::{Diverges, Lowered, Lowerer, Values};
use crate::typed::{Expr, FormatId};

impl Lowerer<'_> {
    /// `panic!`
    pub(super) fn panic(&mut self, format: FormatId, args: &[Expr]) -> Lowered {
        let text = &self.function().formats[format.0].text;
        let site = if args.is_empty() {
            let text = text.replace("{{", "{").replace("}}", "}");
            let site = self.b.panic_message(text);
            (site, Values::new())
        } else {
            let words = self.words(args)?;
            let about = self.receiver.clone().filter(|_| self.function().is_library);
            (self.b.panic_formatted(self.site_format(format, &words), about), words)
        };
        self.b.panic(site.0, &site.1);
        Err(Diverges)
    }

    /// `println!`
    pub(super) fn print(&mut self, format: FormatId, args: &[Expr]) -> Lowered {
        let words = self.words(args)?;
        self.b.print(self.site_format(format, &words), &words);
        Ok(Values::new())
    }

    fn site_format(&self, format: FormatId, words: &[Value]) -> Format {
        let number = self.kernel.format_number(self.current, format);
        Format { number: number as u32, words: words.len() as u32 }
    }

    fn words(&mut self, args: &[Expr]) -> Lowered {
        let mut words = Values::new();
        for arg in args {
            for value in self.expr(arg)? {
                words.push(self.word(value));
            }
        }
        Ok(words)
    }

    /// The bits of a value, zeros above them.
    fn word(&mut self, value: Value) -> Value {
        let bits = match self.b.ty(value) {
            Type::Bool | Type::I8 | Type::I16 | Type::I32 | Type::I64 => value,
            Type::F16 | Type::BF16 => self.b.convert(ConvertOp::Bitcast, value, Type::I16),
            Type::F32 | Type::F16x2 | Type::BF16x2 => self.b.convert(ConvertOp::Bitcast, value, Type::I32),
            Type::F64 => self.b.convert(ConvertOp::Bitcast, value, Type::I64),
        };
        match self.b.ty(bits) {
            Type::I64 => bits,
            _ => self.b.convert(ConvertOp::ZeroExtend, bits, Type::I64),
        }
    }
}
