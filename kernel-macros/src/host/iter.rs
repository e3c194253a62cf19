//! Iterators: the standard library's, over pointers and views.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::Printer;
use crate::typed::{Consumer, Expr, Iter, IterKind, Ty};

impl Printer<'_> {
    /// An iterator, in parentheses or as a call, so that methods can follow.
    pub(super) fn iterator(&mut self, iter: &Iter) -> TokenStream {
        let span = iter.span;
        match &iter.kind {
            IterKind::Range { start, end, inclusive } => {
                let (start, end) = (self.operand(start), self.operand(end));
                match inclusive {
                    true => quote_spanned!(span=> (#start..=#end)),
                    false => quote_spanned!(span=> (#start..#end)),
                }
            }
            IterKind::Slice(slice) => {
                let slice = self.operand(slice);
                quote_spanned!(span=> #slice.iter())
            }
            IterKind::Array(array) => {
                let array = self.operand(array);
                quote_spanned!(span=> #array.into_iter())
            }
            IterKind::ChunksExact { slice, size } => {
                let (slice, size) = (self.operand(slice), self.expr(size));
                quote_spanned!(span=> #slice.chunks_exact(#size))
            }
            IterKind::Chunks { slice, size } => {
                let (slice, size) = (self.operand(slice), self.expr(size));
                quote_spanned!(span=> #slice.chunks(#size))
            }
            IterKind::Windows { slice, size } => {
                let (slice, size) = (self.operand(slice), self.expr(size));
                quote_spanned!(span=> #slice.windows(#size))
            }
            IterKind::Rev(inner) => {
                let inner = self.iterator(inner);
                quote_spanned!(span=> #inner.rev())
            }
            IterKind::StepBy(inner, step) => {
                let (inner, step) = (self.iterator(inner), self.expr(step));
                quote_spanned!(span=> #inner.step_by(run::step(#step)))
            }
            IterKind::Enumerate(inner) => {
                let inner = self.iterator(inner);
                quote_spanned!(span=> #inner.enumerate())
            }
            IterKind::Zip(inner, other) => {
                let (inner, other) = (self.iterator(inner), self.iterator(other));
                quote_spanned!(span=> #inner.zip(#other))
            }
            IterKind::Take(inner, count) => {
                let (inner, count) = (self.iterator(inner), self.expr(count));
                quote_spanned!(span=> #inner.take(#count))
            }
            IterKind::Skip(inner, count) => {
                let (inner, count) = (self.iterator(inner), self.expr(count));
                quote_spanned!(span=> #inner.skip(#count))
            }
            IterKind::Chain(inner, other) => {
                let (inner, other) = (self.iterator(inner), self.iterator(other));
                quote_spanned!(span=> #inner.chain(#other))
            }
            IterKind::Copied(inner) => {
                let inner = self.iterator(inner);
                quote_spanned!(span=> #inner.map(|pointer| *pointer))
            }
            IterKind::Map(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.callable(f, 1));
                quote_spanned!(span=> #inner.map(#f))
            }
            IterKind::FilterMap(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.callable(f, 1));
                quote_spanned!(span=> #inner.filter_map(run::to_std_option(#f)))
            }
            IterKind::MapWhile(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.callable(f, 1));
                quote_spanned!(span=> #inner.map_while(run::to_std_option(#f)))
            }
            IterKind::SkipWhile(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.predicate(f));
                quote_spanned!(span=> #inner.skip_while(#f))
            }
            IterKind::Scan(inner, init, f) => {
                let inner = self.iterator(inner);
                let (init, f) = (self.expr(init), self.callable(f, 2));
                quote_spanned!(span=> #inner.scan(#init, run::scan(#f)))
            }
            IterKind::Cycle(inner) => {
                let inner = self.iterator(inner);
                quote_spanned!(span=> #inner.cycle())
            }
            IterKind::Filter(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.predicate(f));
                quote_spanned!(span=> #inner.filter(#f))
            }
            IterKind::TakeWhile(inner, f) => {
                let (inner, f) = (self.iterator(inner), self.predicate(f));
                quote_spanned!(span=> #inner.take_while(#f))
            }
        }
    }

    /// A closure that takes a reference to the item.
    fn predicate(&mut self, f: &Expr) -> TokenStream {
        let (span, f) = (f.span, self.callable(f, 1));
        quote_spanned!(span=> run::by_pointer(#f))
    }

    /// Prints the consumer of an iterator.
    pub(super) fn consume(&mut self, iter: &Iter, how: &Consumer, span: proc_macro2::Span) -> TokenStream {
        let references = matches!(iter.item, Ty::Ref { .. });
        let tokens = self.iterator(iter);
        let values = match references {
            true => quote_spanned!(span=> #tokens.map(|pointer| *pointer)),
            false => tokens.clone(),
        };
        match how {
            Consumer::Sum if self.current().checks_overflow => {
                quote_spanned!(span=> run::overflow::sum(#values))
            }
            Consumer::Product if self.current().checks_overflow => {
                quote_spanned!(span=> run::overflow::product(#values))
            }
            Consumer::Sum => quote_spanned!(span=> run::sum(#values)),
            Consumer::Product => quote_spanned!(span=> run::product(#values)),
            Consumer::Extreme { max } => {
                let method = proc_macro2::Ident::new(if *max { "max_by" } else { "min_by" }, span);
                let order = match references {
                    true => quote_spanned!(span=> |a, b| run::order(&**a, &**b)),
                    false => quote_spanned!(span=> run::order),
                };
                quote_spanned!(span=> run::Option::of(#tokens.#method(#order)))
            }
            Consumer::ExtremeBy { max, order } => {
                let method = proc_macro2::Ident::new(if *max { "max_by" } else { "min_by" }, span);
                let order = self.callable(order, 2);
                quote_spanned!(span=> run::Option::of(#tokens.#method(run::by_order(#order))))
            }
            Consumer::ExtremeByKey { max, key, .. } => {
                let method = proc_macro2::Ident::new(if *max { "max_by" } else { "min_by" }, span);
                let key = self.callable(key, 1);
                quote_spanned!(span=> run::value_with_key(run::with_keys(#tokens, #key).#method(run::order_of_keys)))
            }
            Consumer::TryFold(init, f) => {
                let (init, f) = (self.expr(init), self.callable(f, 2));
                quote_spanned!(span=> run::Option::of(#tokens.try_fold(#init, run::try_fold(#f))))
            }
            Consumer::RPosition(f) => {
                let f = self.callable(f, 1);
                quote_spanned!(span=> run::Option::of(#tokens.rposition(#f)))
            }
            Consumer::Fold(init, f) => {
                let (init, f) = (self.expr(init), self.callable(f, 2));
                quote_spanned!(span=> #tokens.fold(#init, #f))
            }
            Consumer::Reduce(f) => {
                let f = self.callable(f, 2);
                quote_spanned!(span=> run::Option::of(#tokens.reduce(#f)))
            }
            Consumer::ForEach(f) => {
                let f = self.callable(f, 1);
                quote_spanned!(span=> #tokens.for_each(#f))
            }
            Consumer::Any(f) => {
                let f = self.callable(f, 1);
                quote_spanned!(span=> #tokens.any(#f))
            }
            Consumer::All(f) => {
                let f = self.callable(f, 1);
                quote_spanned!(span=> #tokens.all(#f))
            }
            Consumer::Position(f) => {
                let f = self.callable(f, 1);
                quote_spanned!(span=> run::Option::of(#tokens.position(#f)))
            }
            Consumer::Find(f) => {
                let f = self.predicate(f);
                quote_spanned!(span=> run::Option::of(#tokens.find(#f)))
            }
            Consumer::Count => quote_spanned!(span=> #tokens.count()),
            Consumer::Last => quote_spanned!(span=> run::Option::of(#tokens.last())),
            Consumer::First => quote_spanned!(span=> run::Option::of(#tokens.next())),
        }
    }
}
