//! Items: of modules, of blocks, of impls. First all are declared, then read: they may name each other in any order.

use std::borrow::Cow;

use proc_macro2::Ident;
use syn::visit::Visit;

use super::Parser;
use crate::ast::{
    self, Alias, AliasId, Const, ConstDeclId, Enum, EnumDeclId, FunctionId, Impl, ImplId, ItemKind, ModuleId,
    Struct, StructDeclId, Type, Variant, VariantForm, Variants,
};
use crate::diagnostics::{Loc, shown};
use crate::typed::Scalar;

/// The traits that an `impl` may be of: what operators call, and what the language itself calls.
const TRAITS: &[&str] = &[
    "Add",
    "Sub",
    "Mul",
    "Div",
    "Rem",
    "BitAnd",
    "BitOr",
    "BitXor",
    "Shl",
    "Shr",
    "AddAssign",
    "SubAssign",
    "MulAssign",
    "DivAssign",
    "RemAssign",
    "BitAndAssign",
    "BitOrAssign",
    "BitXorAssign",
    "ShlAssign",
    "ShrAssign",
    "Neg",
    "Not",
    "Index",
    "IndexMut",
    "Deref",
    "DerefMut",
    "Default",
    "Clone",
    "PartialEq",
    "PartialOrd",
    "Ord",
    "From",
    "TryFrom",
    "Iterator",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "IntoIterator",
    "Sum",
    "Product",
    "Extend",
    "FromIterator",
    "AsRef",
    "AsMut",
    "Borrow",
    "BorrowMut",
    "Hasher",
];

/// Traits whose impls are for the host alone: kernels have no strings and no hash tables. Their modules are written with them,
/// as a trait of the user's own may have the same name.
const HOST_TRAITS: &[(&str, &str)] = &[
    ("fmt", "Debug"),
    ("fmt", "Display"),
    ("fmt", "LowerHex"),
    ("fmt", "UpperHex"),
    ("fmt", "Binary"),
    ("fmt", "Octal"),
    ("fmt", "LowerExp"),
    ("error", "Error"),
    ("str", "FromStr"),
    ("hash", "Hash"),
];

/// Traits whose impls say nothing to the compiler.
const MARKERS: &[&str] = &["Copy", "Eq", "Send", "Sync", "Pod", "Zeroable", "Unpin", "FusedIterator"];

/// Returns true for `&str`.
fn is_text(ty: &syn::Type) -> bool {
    let syn::Type::Reference(reference) = ty else { return false };
    matches!(&*reference.elem, syn::Type::Path(path) if path.path.is_ident("str"))
}

/// The `_` among the types of an item, bodies and values aside.
#[derive(Default)]
struct Placeholders {
    found: Vec<syn::Token![_]>,
}

impl Visit<'_> for Placeholders {
    fn visit_type_infer(&mut self, ty: &syn::TypeInfer) {
        self.found.push(ty.underscore_token);
    }

    fn visit_block(&mut self, _: &syn::Block) {}

    fn visit_expr(&mut self, _: &syn::Expr) {}
}

/// An item whose names are known and whose content is not yet read.
pub(super) struct Declared<'i> {
    item: Cow<'i, syn::Item>,
    slot: Slot,
    /// The items of a module.
    inner: Vec<Declared<'i>>,
    /// The names that it brings: one, or those of a `use`.
    pub(super) names: Vec<ast::Item>,
}

/// The table entry that the item's content is parsed into.
#[derive(Clone, Copy)]
enum Slot {
    Function(FunctionId),
    Struct(StructDeclId),
    Enum(EnumDeclId),
    Const(ConstDeclId),
    Alias(AliasId),
    Impl(ImplId),
    Module(ModuleId),
    /// None: the content is not parsed.
    None,
}

impl Parser<'_> {
    pub(super) fn declare<'i>(&mut self, items: &[&'i syn::Item]) -> Vec<Declared<'i>> {
        items.iter().map(|item| self.declared(Cow::Borrowed(*item))).collect()
    }

    /// Declares an item, and those of a module at once: the modules beside it may name them.
    fn declared<'i>(&mut self, item: Cow<'i, syn::Item>) -> Declared<'i> {
        let (slot, names) = self.declare_item(&item);
        let inner = match (&item, slot) {
            (&Cow::Borrowed(syn::Item::Mod(module)), Slot::Module(id)) => {
                let content: Vec<&syn::Item> = module.content.iter().flat_map(|(_, items)| items).collect();
                self.declare_in(id, &content)
            }
            _ => Vec::new(),
        };
        Declared { item, slot, inner, names }
    }

    /// Declares the items of a module.
    fn declare_in<'i>(&mut self, id: ModuleId, items: &[&'i syn::Item]) -> Vec<Declared<'i>> {
        let around = std::mem::replace(&mut self.scope.module, id);
        let derived = self.derived_orders(items);
        let mut declared = self.declare(items);
        declared.extend(derived.into_iter().map(|item| self.declared(Cow::Owned(item))));
        let names: Vec<ast::Item> = declared.iter().flat_map(|item| item.names.clone()).collect();
        self.module().items.extend(names);
        self.scope.module = around;
        declared
    }

    fn declare_item(&mut self, item: &syn::Item) -> (Slot, Vec<ast::Item>) {
        use syn::Item;
        if only_for_tests(attributes_of(item)) {
            return (Slot::None, Vec::new());
        }
        let one = |name: &Ident, kind| vec![ast::Item { name: name.clone(), kind }];
        match item {
            Item::Fn(item) if self.is_host_function(&item.attrs) => {
                if item.attrs.iter().any(|attr| super::module::is_ours(attr, "kernel")) {
                    self.item_attributes(&item.attrs);
                }
                (Slot::None, one(&item.sig.ident, ItemKind::Host))
            }
            Item::Fn(item) => {
                let id = self.reserve_function();
                (Slot::Function(id), one(&item.sig.ident, ItemKind::Function(id)))
            }
            Item::Struct(item) => {
                self.declare_constructor(item.ident.to_string(), &item.fields);
                self.draft.structs.push(None);
                let id = StructDeclId(self.draft.structs.len() - 1);
                (Slot::Struct(id), one(&item.ident, ItemKind::Struct(id)))
            }
            Item::Enum(item) if has_data(item) => {
                self.declare_variants(item);
                self.draft.structs.push(None);
                let id = StructDeclId(self.draft.structs.len() - 1);
                (Slot::Struct(id), one(&item.ident, ItemKind::Struct(id)))
            }
            Item::Enum(item) => {
                self.declare_variants(item);
                self.draft.enums.push(None);
                let id = EnumDeclId(self.draft.enums.len() - 1);
                (Slot::Enum(id), one(&item.ident, ItemKind::Enum(id)))
            }
            // rustc evaluates it in the copy.
            Item::Const(item) if item.ident == "_" => (Slot::None, Vec::new()),
            Item::Const(item) => {
                let id = self.reserve_const();
                (Slot::Const(id), one(&item.ident, ItemKind::Const(id)))
            }
            // Without `mut` and interior mutability it is a constant with an address.
            Item::Static(item) if matches!(item.mutability, syn::StaticMutability::None) => {
                let id = self.reserve_const();
                (Slot::Const(id), one(&item.ident, ItemKind::Const(id)))
            }
            Item::Type(item) => {
                if let syn::Type::Slice(slice) = &*item.ty {
                    let message = format!(
                        "expected a type whose size is known, found a slice\nhelp: make it a reference: `type {}<'a> = &'a [{}];`",
                        item.ident,
                        shown(&slice.elem)
                    );
                    self.error(Loc::of(&item.ty), message);
                    self.slice_aliases.push(item.ident.clone());
                    return (Slot::None, Vec::new());
                }
                self.draft.aliases.push(None);
                let id = AliasId(self.draft.aliases.len() - 1);
                (Slot::Alias(id), one(&item.ident, ItemKind::Alias(id)))
            }
            Item::Impl(item) if self.scope.blocks.is_empty() && is_for_host(item) => (Slot::None, Vec::new()),
            Item::Impl(_) => {
                self.draft.impls.push(None);
                (Slot::Impl(ImplId(self.draft.impls.len() - 1)), Vec::new())
            }
            Item::Trait(item) => {
                let id = self.declare_trait(item);
                (Slot::None, one(&item.ident, ItemKind::Trait(id)))
            }
            Item::Use(item) => (Slot::None, self.use_names(item)),
            Item::Mod(item) if self.scope.blocks.is_empty() && item.content.is_some() => {
                let parent = Some(self.scope.module);
                let name = Some(item.ident.clone());
                self.draft.modules.push(ast::Module { name, parent, ..ast::Module::default() });
                let id = ModuleId(self.draft.modules.len() - 1);
                (Slot::Module(id), one(&item.ident, ItemKind::Module(id)))
            }
            other => {
                self.refuse_item(other);
                (Slot::None, Vec::new())
            }
        }
    }

    /// Enums share the names of their variants: `Token::Number(i32)` beside `Fault::Number`.
    fn declare_variants(&mut self, item: &syn::ItemEnum) {
        for variant in &item.variants {
            self.declare_constructor(variant.ident.to_string(), &variant.fields);
            self.declare_constructor(format!("{}::{}", item.ident, variant.ident), &variant.fields);
        }
    }

    /// Keeps how many values the constructor takes, if it is a function.
    fn declare_constructor(&mut self, name: String, fields: &syn::Fields) {
        let count = matches!(fields, syn::Fields::Unnamed(_)).then(|| fields.len());
        let known = self.constructors.entry(name).or_insert(count);
        if *known != count {
            *known = None;
        }
    }

    /// A function of a module without `#[device]`: nothing of it is looked at.
    fn is_host_function(&self, attrs: &[syn::Attribute]) -> bool {
        self.scope.blocks.is_empty()
            && !self.scope.is_library
            && !attrs.iter().any(|attr| super::module::is_ours(attr, "device"))
    }

    fn reserve_const(&mut self) -> ConstDeclId {
        self.draft.consts.push(None);
        ConstDeclId(self.draft.consts.len() - 1)
    }

    /// Refuses `_` in the types of an item's declaration, which nothing there decides.
    fn has_placeholder(&mut self, item: &syn::Item) -> bool {
        let mut placeholders = Placeholders::default();
        placeholders.visit_item(item);
        for token in &placeholders.found {
            let message = "expected a type, found `_`: an item says its types\nhelp: write the type";
            match self.scope.blocks.is_empty() {
                true => self.diagnostics.error_known_to_rustc(token.span, message),
                false => self.error(token.span, message),
            }
        }
        !placeholders.found.is_empty()
    }

    pub(super) fn read_items(&mut self, items: &[Declared<'_>]) {
        for item in items {
            self.read_item(item);
        }
    }

    fn read_item(&mut self, declared: &Declared<'_>) {
        use syn::Item;
        if !matches!(declared.slot, Slot::None | Slot::Module(_)) && self.has_placeholder(&declared.item) {
            return;
        }
        match (&*declared.item, declared.slot) {
            (_, Slot::None) => {}
            (Item::Fn(item), Slot::Function(id)) => {
                self.item_attributes(&item.attrs);
                self.function(id, &item.sig, &item.block, None);
            }
            (Item::Struct(item), Slot::Struct(id)) => self.draft.structs[id.0] = self.struct_item(item),
            (Item::Enum(item), Slot::Enum(id)) => self.draft.enums[id.0] = self.enum_item(item),
            (Item::Enum(item), Slot::Struct(id)) => self.draft.structs[id.0] = self.enum_with_data(item),
            (Item::Const(item), Slot::Const(id)) => {
                self.item_attributes(&item.attrs);
                self.constant(id, &item.ident, &item.ty, &item.expr, None);
            }
            (Item::Static(item), Slot::Const(id)) => {
                self.item_attributes(&item.attrs);
                self.constant(id, &item.ident, &item.ty, &item.expr, None);
            }
            (Item::Type(item), Slot::Alias(id)) => self.draft.aliases[id.0] = self.alias_item(item),
            (Item::Impl(item), Slot::Impl(id)) => self.draft.impls[id.0] = self.impl_item(id, item),
            (Item::Mod(item), Slot::Module(id)) => {
                self.item_attributes(&item.attrs);
                let around = std::mem::replace(&mut self.scope.module, id);
                self.read_items(&declared.inner);
                self.scope.module = around;
            }
            // A slot is made for the item that it stands with.
            (
                _,
                Slot::Function(_)
                | Slot::Struct(_)
                | Slot::Enum(_)
                | Slot::Const(_)
                | Slot::Alias(_)
                | Slot::Impl(_)
                | Slot::Module(_),
            ) => {}
        }
    }

    /// Reads the items of the module that is the scope.
    pub(super) fn module_items(&mut self, items: &[&syn::Item]) {
        let declared = self.declare_in(self.scope.module, items);
        self.read_items(&declared);
    }

    /// Reads a file of the compiler's own library: one flat module, whose `use` lines only rustc needs.
    pub(super) fn library(&mut self, items: &[syn::Item]) {
        let items: Vec<&syn::Item> =
            items.iter().filter(|item| !matches!(item, syn::Item::Use(_) | syn::Item::Mod(_))).collect();
        let declared = self.declare(&items);
        self.draft.library.extend(declared.iter().flat_map(|item| item.names.clone()));
        self.read_items(&declared);
    }

    fn constant(
        &mut self,
        id: ConstDeclId,
        name: &Ident,
        ty: &syn::Type,
        init: &syn::Expr,
        owner: Option<ImplId>,
    ) {
        let is_text = is_text(ty);
        let unit = |parser: &mut Self| {
            let loc = Loc::of(init);
            let ty = parser.new_type(ast::TypeKind::Tuple(Vec::new()), loc);
            (ty, parser.node(ast::ExprKind::Tuple(Vec::new()), loc))
        };
        let (read, text) = self.in_text(|parser| match is_text {
            true => unit(parser),
            false => (parser.ty(ty), parser.expr(init)),
        });
        let ((ty, init), text, function) = match text.closures.is_empty() {
            true => (read, text, None),
            false => {
                let function = self.reserve_function();
                self.function(
                    function,
                    &syn::parse_quote!(fn #name() -> #ty),
                    &syn::parse_quote!({ #init }),
                    owner,
                );
                let (read, text) = self.in_text(unit);
                (read, text, Some(function))
            }
        };
        if let (Some(ty), Some(init)) = (ty, init) {
            let (name, scope) = (name.clone(), self.scope.clone());
            let constant = Const {
                name,
                owner,
                ty,
                init,
                is_text,
                function,
                locals: text.locals,
                unsafe_exprs: text.unsafe_exprs,
                counts: text.counts,
                scope,
            };
            self.draft.consts[id.0] = Some(constant);
        }
    }

    fn struct_item(&mut self, item: &syn::ItemStruct) -> Option<Struct> {
        self.item_attributes(&item.attrs);
        let ((generics, fields), text) = self.in_text(|parser| {
            let generics = parser.generics(&item.generics);
            let fields: Vec<Option<(syn::Member, Type)>> = item
                .fields
                .members()
                .zip(&item.fields)
                .map(|(member, field)| {
                    parser.item_attributes(&field.attrs);
                    Some((member, parser.ty(&field.ty)?))
                })
                .collect();
            (generics, fields)
        });
        let repr = self.repr(&item.attrs);
        Some(Struct {
            name: item.ident.clone(),
            generics: generics?,
            fields: fields.into_iter().collect::<Option<_>>()?,
            is_tuple: !matches!(item.fields, syn::Fields::Named(_)),
            repr_c: repr.c,
            align: repr.align,
            derives: derives(&item.attrs),
            variants: None,
            counts: text.counts,
            scope: self.scope.clone(),
        })
    }

    /// An enum with data: a struct of its discriminant, which is an enum without data, and the fields of all variants.
    fn enum_with_data(&mut self, item: &syn::ItemEnum) -> Option<Struct> {
        let repr = self.repr(&item.attrs);
        let mut tag = self.enum_item(item)?;
        let has_numbers = tag.variants.iter().any(|variant| variant.1.is_some());
        if tag.repr.is_none() && tag.variants.len() == 2 && !has_numbers {
            tag.repr = Some(Scalar::Bool);
        }
        self.draft.enums.push(Some(tag));
        let tag = EnumDeclId(self.draft.enums.len() - 1);
        let ((generics, fields), text) = self.in_text(|parser| {
            let generics = parser.generics(&item.generics);
            let fields =
                item.variants.iter().flat_map(|variant| variant.fields.members().zip(&variant.fields));
            let fields: Vec<Option<(syn::Member, Type)>> = fields
                .map(|(member, field)| {
                    parser.item_attributes(&field.attrs);
                    Some((member, parser.ty(&field.ty)?))
                })
                .collect();
            (generics, fields)
        });
        let mut start = 0;
        let list = item.variants.iter().map(|variant| {
            let fields = start..start + variant.fields.len();
            start = fields.end;
            let form = match variant.fields {
                syn::Fields::Unit => VariantForm::Unit,
                syn::Fields::Unnamed(_) => VariantForm::Tuple,
                syn::Fields::Named(_) => VariantForm::Named,
            };
            Variant { name: variant.ident.clone(), form, fields }
        });
        Some(Struct {
            name: item.ident.clone(),
            generics: generics?,
            variants: Some(Variants { tag, list: list.collect() }),
            fields: fields.into_iter().collect::<Option<_>>()?,
            is_tuple: false,
            repr_c: repr.c && repr.scalar.is_some(),
            align: repr.align.filter(|_| repr.c),
            derives: derives(&item.attrs),
            counts: text.counts,
            scope: self.scope.clone(),
        })
    }

    fn enum_item(&mut self, item: &syn::ItemEnum) -> Option<Enum> {
        self.item_attributes(&item.attrs);
        let repr = self.repr(&item.attrs);
        let discriminant_type = repr.scalar.map_or("isize", Scalar::name);
        let mut variants = Vec::new();
        let mut default = None;
        for (index, variant) in item.variants.iter().enumerate() {
            let mut others = variant.attrs.clone();
            others.retain(|attr| !attr.path().is_ident("default"));
            if others.len() < variant.attrs.len() {
                default = Some(index);
            }
            self.item_attributes(&others);
            let discriminant = variant.discriminant.as_ref().map(|(_, value)| {
                let id = self.reserve_const();
                let ty: syn::Type = syn::Type::Path(syn::TypePath {
                    attrs: Vec::new(),
                    qself: None,
                    path: Ident::new(discriminant_type, variant.ident.span()).into(),
                });
                self.constant(id, &variant.ident, &ty, value, None);
                id
            });
            variants.push((variant.ident.clone(), discriminant));
        }
        let (name, derives) = (item.ident.clone(), derives(&item.attrs));
        let scope = self.scope.clone();
        Some(Enum { name, repr: repr.scalar, variants, default, derives, scope })
    }

    fn alias_item(&mut self, item: &syn::ItemType) -> Option<Alias> {
        self.item_attributes(&item.attrs);
        let ((generics, ty), text) =
            self.in_text(|parser| (parser.generics(&item.generics), parser.ty(&item.ty)));
        let (name, scope) = (item.ident.clone(), self.scope.clone());
        Some(Alias { name, generics: generics?, ty: ty?, counts: text.counts, scope })
    }

    fn impl_item(&mut self, id: ImplId, item: &syn::ItemImpl) -> Option<Impl> {
        self.item_attributes(&item.attrs);
        self.refuse_missing(item);
        let completed = self.completed(item);
        let provided = completed.as_ref().map_or_else(Vec::new, |whole| provided(item, whole));
        let (item, of_own_trait) = match &completed {
            Some(completed) => (completed, true),
            None => (item, false),
        };
        let trait_name = match &item.trait_ {
            Some((path, _)) => {
                let name = self.trait_name(path)?;
                self.draft.mentioned.insert(name.to_string());
                let compared: &[&str] = match &*name.to_string() {
                    "PartialEq" => &["eq"],
                    "PartialOrd" => &["partial_cmp", "lt", "le", "gt", "ge"],
                    "Ord" => &["cmp"],
                    _ => &[],
                };
                self.draft.mentioned.extend(compared.iter().map(|name| name.to_string()));
                if MARKERS.iter().any(|marker| name == *marker) {
                    // An impl of nothing.
                    return self.impl_head(item, None).map(|(head, _)| head);
                }
                if !of_own_trait && name == *"Drop" {
                    let message = "expected a trait that the language has, found `Drop`: nothing is dropped on the GPU\nhelp: write a \
                                   method, and call it where the value ends";
                    self.error(Loc::of(path), message);
                    return None;
                }
                // Brought in by a `use`: `impl Display for T`.
                if !of_own_trait && HOST_TRAITS.iter().any(|row| name == row.1) {
                    return self.impl_head(item, None).map(|(head, _)| head);
                }
                if !of_own_trait && !TRAITS.iter().any(|known| name == *known) {
                    let message = format!(
                        "expected a trait of operators, `Default`, `Clone`, `PartialEq`, `PartialOrd`, `Ord`, `From`, `TryFrom`, or one \
                         that the kernel sees, found `{name}`\nhelp: declare the trait beside the `impl`, or move the `impl` out of what \
                         the kernel sees"
                    );
                    self.error(Loc::of(path), message);
                    return None;
                }
                Some(name)
            }
            None => None,
        };
        let (mut head, outputs_ok) = self.impl_head(item, trait_name)?;
        head.of_own_trait = of_own_trait;
        head.provided = provided;
        if let syn::Type::ImplTrait(of) = &*item.self_ty {
            let message =
                "expected the type that the `impl` is for, found another `impl`\nhelp: leave one of them out";
            self.error(Loc::of(of), message);
            return None;
        }
        let own_type = match &*item.self_ty {
            syn::Type::Path(ty) => ty.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        let outer = std::mem::replace(&mut self.own_type, own_type);
        for part in &item.items {
            match part {
                syn::ImplItem::Fn(function) => {
                    if only_for_tests(&function.attrs) {
                        continue;
                    }
                    self.item_attributes(&function.attrs);
                    let method = self.reserve_function();
                    self.function(method, &function.sig, &function.block, Some(id));
                    let is_inherent =
                        item.trait_.is_none() && matches!(function.vis, syn::Visibility::Inherited);
                    if let Some(read) = &mut self.draft.functions[method.0] {
                        read.is_private = read.is_library && is_inherent;
                    }
                    head.functions.push((function.sig.ident.clone(), method));
                }
                syn::ImplItem::Const(constant) => {
                    self.item_attributes(&constant.attrs);
                    let associated = self.reserve_const();
                    self.constant(associated, &constant.ident, &constant.ty, &constant.expr, Some(id));
                    head.consts.push((constant.ident.clone(), associated));
                }
                syn::ImplItem::Type(_) => {}
                other => {
                    let message = "expected a function or a constant\nhelp: write what the macro expands to";
                    self.error(Loc::of(other), message);
                }
            }
        }
        self.own_type = outer;
        outputs_ok.then_some(head)
    }

    /// The impl without its functions and constants, and whether its types could be read.
    fn impl_head(
        &mut self,
        item: &syn::ItemImpl,
        trait_name: Option<ast::TraitName>,
    ) -> Option<(Impl, bool)> {
        let ((generics, self_ty, args, outputs), text) = self.in_text(|parser| {
            let generics = parser.generics(&item.generics);
            let self_ty = parser.unsized_or(&item.self_ty);
            let last = item.trait_.as_ref().and_then(|(path, _)| path.segments.last());
            let args = match last.map(|last| &last.arguments) {
                Some(syn::PathArguments::AngleBracketed(arguments)) => parser.trait_args(arguments),
                Some(_) | None => Some(Vec::new()),
            };
            let mut outputs = Vec::new();
            for part in &item.items {
                if let syn::ImplItem::Type(output) = part {
                    outputs.push(parser.unsized_or(&output.ty).map(|ty| (output.ident.clone(), ty)));
                }
            }
            (generics, self_ty, args, outputs)
        });
        let outputs: Option<Vec<(Ident, Type)>> = outputs.into_iter().collect();
        let ok = args.is_some() && outputs.is_some();
        let head = Impl {
            generics: generics?,
            self_ty: self_ty?,
            of_trait: trait_name.map(|name| (name, args.unwrap_or_default())),
            of_own_trait: false,
            provided: Vec::new(),
            is_derived: item.attrs.iter().any(|attr| attr.path().is_ident(super::derived::MARK)),
            outputs: outputs.unwrap_or_default(),
            functions: Vec::new(),
            consts: Vec::new(),
            counts: text.counts,
            scope: self.scope.clone(),
        };
        Some((head, ok))
    }

    fn repr(&mut self, attrs: &[syn::Attribute]) -> Repr {
        let mut repr = Repr::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("repr")) {
            let result = attr.parse_nested_meta(|meta| {
                if meta.path.is_ident("align") {
                    let content;
                    syn::parenthesized!(content in meta.input);
                    repr.align = Some(content.parse::<syn::LitInt>()?.base10_parse()?);
                    return Ok(());
                }
                if meta.path.is_ident("C") || meta.path.is_ident("transparent") {
                    repr.c = true;
                    return Ok(());
                }
                let scalar = meta.path.get_ident().and_then(|name| Scalar::from_name(&name.to_string()));
                match scalar {
                    Some(scalar) if scalar.is_int() => {
                        repr.scalar = Some(scalar);
                        Ok(())
                    }
                    _ => Err(meta.error(
                        "expected `C`, `transparent`, `align(n)` or an integer type\nhelp: write `#[repr(C)]`",
                    )),
                }
            });
            if let Err(error) = result {
                self.diagnostics.syntax(&error);
            }
        }
        repr
    }
}

/// The names of what stands in the second impl behind the items of the first.
fn provided(own: &syn::ItemImpl, whole: &syn::ItemImpl) -> Vec<Ident> {
    let names = whole.items.iter().skip(own.items.len()).filter_map(|part| match part {
        syn::ImplItem::Fn(function) => Some(&function.sig.ident),
        syn::ImplItem::Const(constant) => Some(&constant.ident),
        _ => None,
    });
    names.cloned().collect()
}

/// Returns true if values of the enum are more than the number of a variant, or of generic types.
pub(super) fn has_data(item: &syn::ItemEnum) -> bool {
    let is_unit = |variant: &syn::Variant| matches!(variant.fields, syn::Fields::Unit);
    !item.generics.params.is_empty() || !item.variants.iter().all(is_unit)
}

/// The arguments of `#[repr(…)]`.
#[derive(Default)]
struct Repr {
    c: bool,
    align: Option<u32>,
    scalar: Option<Scalar>,
}

fn derives(attrs: &[syn::Attribute]) -> Vec<Ident> {
    let mut names = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("derive")) {
        // rustc reports mistakes in it.
        let _ = attr.parse_nested_meta(|meta| {
            names.extend(meta.path.segments.last().map(|last| last.ident.clone()));
            Ok(())
        });
    }
    names
}

/// `#[cfg(test)]`, `#[test]`: nothing that a kernel sees.
pub(super) fn only_for_tests(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|attr| {
        attr.path().is_ident("test")
            || attr.path().is_ident("cfg")
                && attr.parse_args::<syn::Path>().is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// `impl fmt::Display for T`: nothing that a kernel sees.
fn is_for_host(item: &syn::ItemImpl) -> bool {
    let Some((path, _)) = &item.trait_ else { return false };
    let mut words = path.segments.iter().rev();
    let (Some(name), Some(module)) = (words.next(), words.next()) else { return false };
    HOST_TRAITS.iter().any(|row| module.ident == row.0 && name.ident == row.1)
}

/// `#[cfg(test)]`, `#[test]`: nothing that a kernel sees.
pub fn is_for_tests(item: &syn::Item) -> bool {
    only_for_tests(attributes_of(item))
}

/// Returns true if the compiler sees the item of a module; kernels aside.
pub fn is_seen(item: &syn::Item) -> bool {
    use syn::Item;
    let attrs = attributes_of(item);
    let has = |name| attrs.iter().any(|attr| super::module::is_ours(attr, name));
    !only_for_tests(attrs)
        && match item {
            Item::Fn(_) => has("device"),
            Item::Const(item) => item.ident != "_",
            Item::Static(item) => matches!(item.mutability, syn::StaticMutability::None),
            Item::Mod(item) => item.content.is_some(),
            Item::Struct(_) | Item::Enum(_) | Item::Type(_) | Item::Trait(_) | Item::Use(_) => true,
            Item::Impl(item) => !is_for_host(item),
            _ => false,
        }
}

pub(super) fn attributes_of(item: &syn::Item) -> &[syn::Attribute] {
    use syn::Item;
    match item {
        Item::Fn(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        _ => &[],
    }
}
