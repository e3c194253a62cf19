//! State that is shared by all functions of one kernel: instances of functions, structs and enums, values of constants.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use proc_macro2::Ident;

use super::block::Tried;
use super::ty::Ty;
use super::types::{Env, without_variables};
use super::unify::Vars;
use crate::ast::{self, ConstDeclId, EnumDeclId, FunctionId, Program, StructDeclId, TypeId};
use crate::attrs::KernelAttrs;
use crate::device::library::{self, CONTROL_FLOW};
use crate::device::primitives;
use crate::diagnostics::{Diagnostics, Loc};
use crate::lower::layout::Layout;
use crate::resolve::{Names, Text};
use crate::typed::{self, ClosureId, Constant, EnumDef, EnumId, FnId, Scalar, StructDef, StructId};

/// The state of a constant's evaluation.
#[derive(Clone)]
pub enum ConstState {
    /// Being evaluated.
    Open,
    /// Its type and value.
    Value(Ty, Constant),
    /// Has a mistake that was reported.
    Error,
}

/// One function with its generic arguments.
pub struct Instance {
    /// The function.
    pub function: FunctionId,
    /// The arguments: those of the impl, its own, one for each `impl Fn`.
    pub args: Rc<[Ty]>,
    /// The state of its checking.
    pub state: InstanceState,
    /// The instances it calls, each with the location of the call.
    pub calls: Vec<(FnId, Loc)>,
    /// The instance that first called it.
    caller: Option<FnId>,
    /// Number of instances of the same function on the chain of callers.
    pub of_itself: usize,
    /// Number of consecutive last ones among these, each with larger types than the one before.
    pub growth: usize,
}

/// The state of an instance's checking.
pub enum InstanceState {
    /// Not started.
    Pending,
    /// Being checked.
    Open,
    /// Checked.
    Done(Box<typed::Function>),
    /// Has a mistake that was reported.
    Failed,
}

/// The most `use`s that a name is followed through.
const STEPS: usize = 16;

/// A function and the arguments of its generics.
pub(super) type Instantiated = (FunctionId, Rc<[Ty]>);

/// A name in a text, with its generic arguments.
pub(super) type NamedType = ((Text, usize), Rc<[Ty]>);

/// A call with arguments that are constants.
#[derive(Debug)]
pub struct ConstantCall {
    /// The function.
    pub function: FnId,
    /// The values of those arguments that are constants.
    pub args: Vec<Option<Constant>>,
    /// The last of these.
    pub loc: Loc,
}

/// The functions that are handed over as pointers of one type. A pointer is the number of one of them, and a call of it chooses by `if`.
pub struct Pointers {
    /// The parameter types and, last, the result type.
    pub parts: Rc<[Ty]>,
    /// The functions, each with the location where it first becomes a pointer.
    pub functions: Vec<(FnId, Loc)>,
    /// The function that takes a pointer and its arguments, and calls what it points to.
    pub call: FnId,
}

/// State that is shared by all functions of one kernel.
pub struct World<'p> {
    /// Everything that was parsed.
    pub program: &'p Program,
    /// The meanings of its names.
    pub names: &'p Names,
    /// The mistakes.
    pub diagnostics: &'p mut Diagnostics,
    /// The attributes of the kernel.
    pub attrs: &'p KernelAttrs,
    /// The module of the kernel.
    module: ast::ModuleId,
    /// The instances, by [`FnId`].
    pub instances: Vec<Instance>,
    by_args: HashMap<Instantiated, FnId>,
    /// The structs' instances.
    pub structs: Vec<StructDef>,
    /// The declaration and the arguments of each struct.
    pub struct_decls: Vec<(StructDeclId, Rc<[Ty]>)>,
    struct_ids: HashMap<(StructDeclId, Rc<[Ty]>), StructId>,
    /// The enums.
    pub enums: Vec<EnumDef>,
    enum_ids: HashMap<EnumDeclId, EnumId>,
    /// The pointers to functions, by their types.
    pub pointers: Vec<Pointers>,
    /// The constants.
    pub consts: HashMap<(ConstDeclId, Rc<[Ty]>), ConstState>,
    /// The parameter types and the result type of each closure of a checked function.
    pub closures: HashMap<(FnId, ClosureId), (Vec<Ty>, Ty)>,
    /// Functions in which mistakes were reported: they are not reported again for another instance.
    pub failed: HashSet<FunctionId>,
    /// Functions of the device library by name.
    pub library: HashMap<String, FunctionId>,
    /// The integers that are structs of the library.
    pub wide: Rc<[StructDeclId]>,
    /// Mistakes were reported before: only types are looked at, as what follows from them would be reported once more.
    pub only_infer: bool,
    /// The user's calls of the library's functions with arguments that are constants.
    pub constant_calls: Vec<ConstantCall>,
    /// The static shared memory so far, in bytes.
    pub shared_bytes: u64,
    /// Blocks access each other's shared memory, for which some of that is counted.
    pub keeps_blocks: bool,
    /// It was reported that the kernel has no clusters.
    pub said_no_cluster: bool,
    /// The names that are being replaced by the types that they stand for, one in the other.
    pub(super) open_names: Vec<NamedType>,
    /// The types that names stand for with these arguments.
    pub(super) named: HashMap<NamedType, Ty>,
    /// The types behind results `impl Trait`, of functions with these arguments.
    pub(super) opaque_results: HashMap<Instantiated, Ty>,
    /// Those that are being inferred, one in the other.
    pub(super) open_results: Vec<Instantiated>,
}

impl<'p> World<'p> {
    /// An empty one.
    pub fn new(
        program: &'p Program,
        names: &'p Names,
        kernel: &'p ast::Kernel,
        diagnostics: &'p mut Diagnostics,
    ) -> World<'p> {
        let library = program.library.iter().filter_map(|item| match item.kind {
            ast::ItemKind::Function(id) => Some((item.name.to_string(), id)),
            _ => None,
        });
        let only_infer = diagnostics.count() > 0;
        let wide = program.library.iter().filter_map(|item| match item.kind {
            ast::ItemKind::Struct(id) if primitives::WIDE.iter().any(|name| item.name == name) => Some(id),
            _ => None,
        });
        World {
            program,
            names,
            attrs: &kernel.attrs,
            module: program.functions[kernel.function.0].scope.module,
            diagnostics,
            instances: Vec::new(),
            by_args: HashMap::new(),
            structs: Vec::new(),
            struct_decls: Vec::new(),
            struct_ids: HashMap::new(),
            enums: Vec::new(),
            enum_ids: HashMap::new(),
            pointers: Vec::new(),
            consts: HashMap::new(),
            closures: HashMap::new(),
            failed: HashSet::new(),
            library: library.collect(),
            wide: wide.collect(),
            only_infer,
            constant_calls: Vec::new(),
            shared_bytes: 0,
            keeps_blocks: false,
            said_no_cluster: false,
            open_names: Vec::new(),
            named: HashMap::new(),
            opaque_results: HashMap::new(),
            open_results: Vec::new(),
        }
    }

    /// The instance with these arguments.
    pub fn instance(&mut self, function: FunctionId, args: Rc<[Ty]>, caller: Option<FnId>) -> FnId {
        if let Some(id) = self.by_args.get(&(function, args.clone())) {
            return *id;
        }
        let id = FnId(self.instances.len());
        let mut callers = std::iter::successors(caller, |id| self.instances[id.0].caller);
        let same = callers.find(|id| self.instances[id.0].function == function);
        let same = same.map(|id| &self.instances[id.0]);
        let of_itself = same.map_or(0, |same| same.of_itself + 1);
        let parts = |args: &[Ty]| args.iter().map(Ty::parts).sum::<usize>();
        let grown = same.filter(|same| parts(&args) > parts(&same.args));
        let growth = grown.map_or(0, |same| same.growth + 1);
        self.by_args.insert((function, args.clone()), id);
        self.instances.push(Instance {
            function,
            args,
            state: InstanceState::Pending,
            calls: Vec::new(),
            caller,
            of_itself,
            growth,
        });
        id
    }

    /// An instance that is no function of the program's.
    fn reserve(&mut self, state: InstanceState) -> FnId {
        let id = FnId(self.instances.len());
        self.instances.push(Instance {
            // That of the kernel, for messages.
            function: self.instances[0].function,
            args: Rc::from([]),
            state,
            calls: Vec::new(),
            caller: None,
            of_itself: 0,
            growth: 0,
        });
        id
    }

    /// Adds a function that is none of the program's.
    pub fn add(&mut self, function: typed::Function) -> FnId {
        self.reserve(InstanceState::Done(Box::new(function)))
    }

    /// The pointers to functions of this type. Their `call` is built when all functions are known.
    pub fn pointers(&mut self, parts: &Rc<[Ty]>) -> &mut Pointers {
        let index = self.pointers.iter().position(|pointers| pointers.parts == *parts).unwrap_or_else(|| {
            let call = self.reserve(InstanceState::Open);
            self.pointers.push(Pointers { parts: parts.clone(), functions: Vec::new(), call });
            self.pointers.len() - 1
        });
        &mut self.pointers[index]
    }

    /// The type of the typed tree. Variables and mistakes, which were reported, are `!`.
    pub fn intern(&mut self, ty: &Ty) -> typed::Ty {
        let mut boxed = |ty: &Ty| Box::new(self.intern(ty));
        match ty {
            Ty::Unit => typed::Ty::Unit,
            Ty::Scalar(scalar) => typed::Ty::Scalar(*scalar),
            Ty::Dim3 => typed::Ty::Dim3,
            Ty::Tuple(parts) => typed::Ty::Tuple(parts.iter().map(|part| self.intern(part)).collect()),
            Ty::Array(element, len) => match **len {
                Ty::Const(len) => typed::Ty::Array(boxed(element), len.bits),
                _ => typed::Ty::Array(boxed(element), 1),
            },
            Ty::Struct(id, args) => typed::Ty::Struct(self.intern_struct(*id, args)),
            Ty::Enum(id) => typed::Ty::Enum(self.intern_enum(*id)),
            Ty::Option(some) => typed::Ty::Option(boxed(some)),
            Ty::Atomic(atomic) => typed::Ty::Atomic(*atomic),
            // They are gone where they are used.
            Ty::Ordering | Ty::Scope => typed::Ty::Unit,
            Ty::Vector(scalar, lanes) => typed::Ty::Vector(*scalar, *lanes),
            Ty::Ref(inner, mutable) => typed::Ty::Ref { inner: boxed(inner), mutable: *mutable },
            Ty::Ptr(inner, mutable) => typed::Ty::Ptr { inner: boxed(inner), mutable: *mutable },
            Ty::Slice(element, mutable) => typed::Ty::Slice { element: boxed(element), mutable: *mutable },
            Ty::Shared(inner) => typed::Ty::Shared(boxed(inner)),
            Ty::SharedDyn(inner) => typed::Ty::SharedDyn(boxed(inner)),
            Ty::Closure(owner, id) => typed::Ty::Closure { owner: *owner, id: *id },
            Ty::Function(function, args) => typed::Ty::Function(self.instance(*function, args.clone(), None)),
            // The number of one of `Pointers::functions`, as large as what it is to the host.
            Ty::FnPtr(_) => typed::Ty::Scalar(Scalar::U64),
            Ty::Never | Ty::Range(_) | Ty::Iter(..) | Ty::Const(_) | Ty::Var(_) | Ty::Error => {
                typed::Ty::Never
            }
        }
    }

    fn intern_struct(&mut self, id: StructDeclId, args: &Rc<[Ty]>) -> StructId {
        let key = (id, args.clone());
        if let Some(known) = self.struct_ids.get(&key) {
            return *known;
        }
        let program = self.program;
        let decl = &program.structs[id.0];
        let number = StructId(self.structs.len());
        self.struct_ids.insert(key.clone(), number);
        self.struct_decls.push(key);
        let described: Vec<String> = args.iter().map(|arg| self.describe_known(arg)).collect();
        let name = match described.is_empty() {
            true => decl.name.to_string(),
            false => format!("{}<{}>", decl.name, described.join(", ")),
        };
        let standard = library::standard_module(&decl.name.to_string()).filter(|_| decl.scope.is_library);
        let path = match standard {
            Some(module) => format!("::kernel_runtime::vocabulary::core::{module}::{name}"),
            None => self.seen_as(ast::ItemKind::Struct(id), &decl.scope, &decl.name, &name),
        };
        let path = path.parse().unwrap_or_default();
        // Of one that is an element by an impl of its own, rustc says whether it is.
        let is_element = decl.derives.iter().any(|derive| derive == "Element")
            || ["Pod", "NoUninit"].iter().any(|name| program.mentioned.contains(*name))
            || decl.derives.iter().any(|derive| derive == "Pod" || derive == "NoUninit");
        let (repr_c, align, shown) = (decl.repr_c, decl.align, derives_debug(&decl.derives));
        let ordered = decl.derives.iter().any(|derive| derive == "PartialOrd");
        let reversed = decl.scope.is_library && decl.name == "Reverse";
        self.structs.push(StructDef {
            path,
            name,
            fields: Vec::new(),
            variants: Vec::new(),
            repr_c,
            is_element,
            align,
            shown,
            ordered,
            reversed,
            holds_pointer: false,
            is_library: decl.scope.is_library,
            extent: None,
        });
        // An undecided type is a mistake, which was reported, and no variable of these.
        let known: Rc<[Ty]> = args.iter().map(without_variables).collect();
        let fields = self.struct_fields(&mut Vars::default(), id, &known);
        self.structs[number.0].holds_pointer = fields.iter().any(super::types::holds_pointer);
        let fields = decl
            .fields
            .iter()
            .zip(fields)
            .map(|((member, _), ty)| typed::Field { member: member.clone(), ty: self.intern(&ty) });
        let mut fields: Vec<typed::Field> = fields.collect();
        if let Some(variants) = &decl.variants {
            let tag = typed::Ty::Enum(self.intern_enum(variants.tag));
            let (shared, variants) = share_fields(tag, fields, variants, (ordered, repr_c));
            fields = shared;
            self.structs[number.0].variants = variants;
        }
        let types = fields.iter().map(|field| &field.ty);
        let layout = Layout::of(&self.structs, &self.enums);
        let mut extent = layout.of_fields(types, align.map_or(1, u64::from));
        if let Some(extent) = extent.as_mut().filter(|_| self.structs[number.0].is_union()) {
            let types: Vec<&typed::Ty> = fields.iter().map(|field| &field.ty).collect();
            let (bytes, least, _) = layout.of_union(&types, &self.structs[number.0].variants);
            extent.align = extent.align.max(least);
            extent.bytes = bytes.checked_next_multiple_of(extent.align).unwrap_or(u64::MAX);
        }
        if extent.is_none() {
            let message = format!(
                "expected {} {} of some size, found `{}`, which holds itself\nhelp: hold an index into a buffer of them instead",
                if decl.variants.is_some() { "an" } else { "a" },
                decl.noun(),
                decl.name
            );
            self.diagnostics.error_at_first(&decl.name, message);
        }
        let def = &mut self.structs[number.0];
        def.extent = Some(extent.unwrap_or_default());
        if extent.is_some() {
            def.fields = fields;
        }
        number
    }

    /// The types of a struct's fields; the variables in its arguments are those of `vars`.
    pub fn struct_fields(&mut self, vars: &mut Vars, id: StructDeclId, args: &Rc<[Ty]>) -> Vec<Ty> {
        let program = self.program;
        let env = Env::new(Text::Struct(id), args.clone());
        let fields = program.structs[id.0].fields.iter();
        fields.map(|(_, ty)| self.lower_type(vars, &env, ty)).collect()
    }

    /// `core::cmp::Ordering`, which is an enum of the device library.
    pub fn ordering(&self) -> Ty {
        let library = &self.program.library;
        let kinds = library.iter().filter(|item| item.name == "Ordering").map(|item| item.kind);
        let mut enums = kinds.filter_map(|kind| match kind {
            ast::ItemKind::Enum(id) => Some(Ty::Enum(id)),
            _ => None,
        });
        enums.next().unwrap_or(Ty::Error)
    }

    /// The types of a variant's fields, of an enum with data with these arguments.
    pub fn variant_fields(
        &mut self,
        vars: &mut Vars,
        id: StructDeclId,
        variant: usize,
        args: &Rc<[Ty]>,
    ) -> Vec<Ty> {
        let range =
            self.program.structs[id.0].variant(variant).map_or(0..0, |variant| variant.fields.clone());
        self.struct_fields(vars, id, args).drain(range).collect()
    }

    /// `Result<ok, err>`, an enum of the library.
    pub fn result(&self, ok: Ty, err: Ty) -> Ty {
        self.result_decl().map_or(Ty::Error, |id| Ty::Struct(id, Rc::from([ok, err])))
    }

    /// The arguments of a `Result`.
    pub fn of_result(&self, ty: &Ty) -> Option<[Ty; 2]> {
        match ty {
            Ty::Struct(id, args) if Some(*id) == self.result_decl() => {
                Some([args[0].clone(), args[1].clone()])
            }
            _ => None,
        }
    }

    fn result_decl(&self) -> Option<StructDeclId> {
        self.library_type("Result")
    }

    /// The type of the library with this name.
    fn library_type(&self, name: &str) -> Option<StructDeclId> {
        self.program.library.iter().find_map(|item| match item.kind {
            ast::ItemKind::Struct(id) if item.name == name => Some(id),
            _ => None,
        })
    }

    /// `ControlFlow<broken, value>`, an enum of the library.
    pub fn control_flow(&self, broken: Ty, value: Ty) -> Ty {
        self.library_type(CONTROL_FLOW).map_or(Ty::Error, |id| Ty::Struct(id, Rc::from([broken, value])))
    }

    /// The arguments of a `ControlFlow`.
    pub fn of_control_flow(&self, ty: &Ty) -> Option<[Ty; 2]> {
        match ty {
            Ty::Struct(id, args) if Some(*id) == self.library_type(CONTROL_FLOW) => {
                Some([args[0].clone(), args[1].clone()])
            }
            _ => None,
        }
    }

    /// The kind of a type that a `?` may stand behind.
    pub fn tried(&self, ty: &Ty) -> Option<Tried> {
        match ty {
            Ty::Option(_) => Some(Tried::Option),
            ty if self.of_result(ty).is_some() => Some(Tried::Result),
            ty => self.of_control_flow(ty).map(|_| Tried::ControlFlow),
        }
    }

    /// The type of the value with which it goes on, of a type that a `?` may stand behind.
    pub fn tried_value(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Option(some) => Some((**some).clone()),
            ty => self
                .of_result(ty)
                .map(|[ok, _]| ok)
                .or_else(|| self.of_control_flow(ty).map(|[_, value]| value)),
        }
    }

    /// The enum in the typed tree.
    pub fn intern_enum(&mut self, id: EnumDeclId) -> EnumId {
        if let Some(known) = self.enum_ids.get(&id) {
            return *known;
        }
        let program = self.program;
        let decl = &program.enums[id.0];
        let repr = decl.repr.unwrap_or(Scalar::I32);
        let mut next = 0;
        let mut variants: Vec<(Ident, i128)> = Vec::new();
        for (name, discriminant) in &decl.variants {
            if let Some(id) = discriminant
                && let Some((_, Constant::Scalar(value))) = self.const_value(*id, &Rc::from([]))
            {
                next = crate::literal::to_int(value);
            }
            let (least, most) = crate::literal::int_range(repr);
            if !(least..=most).contains(&next) {
                let message = format!(
                    "expected a number from {least} to {most} for a variant of `{}`, found {next}\nhelp: write `#[repr(i64)]` above the enum, or a smaller number",
                    decl.name
                );
                self.diagnostics.error(name, message);
            } else if let Some((other, _)) = variants.iter().find(|variant| variant.1 == next) {
                let message = format!(
                    "expected a number of its own for `{name}`, found {next}, which is that of `{other}`\nhelp: give it another"
                );
                self.diagnostics.error(name, message);
            }
            variants.push((name.clone(), next));
            next += 1;
        }
        let name = decl.name.to_string();
        let path =
            self.seen_as(ast::ItemKind::Enum(id), &decl.scope, &decl.name, &name).parse().unwrap_or_default();
        let number = EnumId(self.enums.len());
        self.enum_ids.insert(id, number);
        let shown = derives_debug(&decl.derives);
        let is_element = decl.derives.iter().any(|derive| derive == "Element");
        let has_repr = decl.repr.is_some();
        let lacks_repr = is_element && !has_repr;
        self.enums.push(EnumDef { path, name, repr, variants, shown, has_repr, lacks_repr });
        number
    }

    /// A type's path in the module of the kernel, where `written` is its name with its arguments: the name by which the module knows it, or
    /// the way to the module that declares it.
    fn seen_as(&self, kind: ast::ItemKind, scope: &ast::Scope, name: &Ident, written: &str) -> String {
        if scope.is_library || !scope.blocks.is_empty() || scope.module == self.module {
            return written.to_owned();
        }
        let module = &self.program.modules[self.module.0];
        let known = module.items.iter().find(|item| self.leads_to(item.kind, STEPS) == Some(kind));
        if let Some(item) = known {
            return written.replacen(&name.to_string(), &item.name.to_string(), 1);
        }
        let by_glob = module.globs.iter().any(|glob| {
            let of = self.item_at(self.module, &glob.segments.iter().collect::<Vec<_>>(), STEPS);
            matches!(of, Some(ast::ItemKind::Module(of)) if self.among(of, name, STEPS) == Some(kind))
        });
        match by_glob {
            true => written.to_owned(),
            false => self.way_to(scope.module, written).unwrap_or_else(|| written.to_owned()),
        }
    }

    /// The path of a name in another module, from the module of the kernel.
    fn way_to(&self, to: ast::ModuleId, written: &str) -> Option<String> {
        let above = |id: ast::ModuleId| {
            std::iter::successors(Some(id), |id| self.program.modules[id.0].parent).collect::<Vec<_>>()
        };
        let (from, to) = (above(self.module), above(to));
        let up = from.iter().position(|id| to.contains(id))?;
        let down = to.iter().position(|id| *id == from[up])?;
        let mut names = vec!["super".to_owned(); up];
        for pair in to[..=down].windows(2).rev() {
            let [inner, outer] = *pair else { continue };
            let mut items = self.program.modules[outer.0].items.iter();
            names.push(items.find(|item| item.kind == ast::ItemKind::Module(inner))?.name.to_string());
        }
        names.push(written.to_owned());
        Some(names.join("::"))
    }

    /// The item behind the `use`s that bring it in.
    fn leads_to(&self, kind: ast::ItemKind, steps: usize) -> Option<ast::ItemKind> {
        let ast::ItemKind::Use(id) = kind else { return Some(kind) };
        let brought = &self.program.uses[id.0];
        self.item_at(brought.module, &brought.path.segments.iter().collect::<Vec<_>>(), steps.checked_sub(1)?)
    }

    fn item_at(
        &self,
        module: ast::ModuleId,
        path: &[&syn::PathSegment],
        steps: usize,
    ) -> Option<ast::ItemKind> {
        let (first, rest) = path.split_first()?;
        let found = match (first.ident.to_string().as_str(), self.program.modules[module.0].parent) {
            ("self", _) => ast::ItemKind::Module(module),
            ("super", Some(parent)) => ast::ItemKind::Module(parent),
            ("super" | "crate", _) => return self.in_library(rest, steps),
            _ => match self.among(module, &first.ident, steps) {
                Some(found) => found,
                None => return self.in_library(path, steps),
            },
        };
        match (rest, found) {
            ([], found) => Some(found),
            (rest, ast::ItemKind::Module(inner)) => self.item_at(inner, rest, steps),
            _ => None,
        }
    }

    /// An item of a linked library, by a path that leads out of the root.
    fn in_library(&self, path: &[&syn::PathSegment], steps: usize) -> Option<ast::ItemKind> {
        let libraries = &self.program.modules[0].libraries;
        path.iter().enumerate().rev().find_map(|(index, segment)| {
            let library = libraries.iter().find(|item| segment.ident == item.name)?;
            let ast::ItemKind::Module(id) = library.kind else { return None };
            self.item_at(id, &path[index + 1..], steps.checked_sub(1)?)
        })
    }

    fn among(&self, module: ast::ModuleId, name: &Ident, steps: usize) -> Option<ast::ItemKind> {
        let item = self.program.modules[module.0].items.iter().find(|item| item.name == *name)?;
        self.leads_to(item.kind, steps)
    }

    /// The function of the library behind an operator that compares. The program is told if it was not read.
    pub fn comparison(&self, function: &str) -> Option<FunctionId> {
        let found = self.library.get(function).copied();
        self.program.lacks_comparisons.set(self.program.lacks_comparisons.get() || found.is_none());
        found
    }

    /// A struct of the library.
    pub fn library_struct(&self, name: &str) -> Option<StructDeclId> {
        self.program.library.iter().find_map(|item| match item.kind {
            ast::ItemKind::Struct(id) if item.name == name => Some(id),
            _ => None,
        })
    }

    /// The `IntoIter` of a type of the language.
    pub fn language_iterator(&self, vars: &Vars, ty: &Ty) -> Option<Ty> {
        let of_option = |ty: &Ty| match vars.shallow(ty) {
            Ty::Option(some) => Some(vars.shallow(&some)),
            ty => self.of_result(&ty).map(|[value, _]| vars.shallow(&value)),
        };
        let (name, args) = match vars.shallow(ty) {
            Ty::Slice(element, false) => ("Iter", vec![(*element).clone()]),
            Ty::Slice(element, true) => ("IterMut", vec![(*element).clone()]),
            Ty::Array(element, len) => ("ArrayIter", vec![(*element).clone(), (*len).clone()]),
            Ty::Ref(inner, mutable) => match vars.shallow(&inner) {
                Ty::Array(element, _) => (if mutable { "IterMut" } else { "Iter" }, vec![(*element).clone()]),
                inner => ("OptionIter", vec![of_option(&inner)?.reference(mutable)]),
            },
            ty => ("OptionIter", vec![of_option(&ty)?]),
        };
        Some(Ty::Struct(self.library_struct(name)?, args.into()))
    }

    /// `impl Fn` and `impl Trait` types in a function's parameters, in order: each is one more generic argument.
    pub fn impl_fns(&self, function: FunctionId) -> Vec<TypeId> {
        let params = &self.program.functions[function.0].params;
        params.iter().flat_map(|param| param.ty.opaque_parts()).map(|part| part.id).collect()
    }

    /// Number of generic parameters that a function declares.
    pub fn generics(&self, function: FunctionId) -> usize {
        self.program.functions[function.0].generics.len()
    }

    /// Number of a function's generic arguments that are its impl's.
    pub fn owner_generics(&self, function: FunctionId) -> usize {
        let owner = self.program.functions[function.0].owner;
        owner.map_or(0, |id| self.program.impls[id.0].generics.len())
    }
}

/// The fields of an enum with data: its discriminant, then the least number of each type that any variant needs. Gives
/// each variant's fields their indices among these; of an enum with an order in the order of the variant, which is that of comparisons. In a
/// union each variant has its own fields, for they are in places of their own.
fn share_fields(
    tag: typed::Ty,
    declared: Vec<typed::Field>,
    variants: &ast::Variants,
    (ordered, is_union): (bool, bool),
) -> (Vec<typed::Field>, Vec<typed::VariantDef>) {
    let unnamed = |index: usize| syn::Member::Unnamed(index.into());
    let mut fields = vec![typed::Field { member: unnamed(0), ty: tag }];
    let mut defs = Vec::new();
    for variant in &variants.list {
        let mut own: Vec<(syn::Member, usize)> = Vec::new();
        for field in &declared[variant.fields.clone()] {
            let free = |index: &usize| {
                !is_union && fields[*index].ty == field.ty && own.iter().all(|row| row.1 != *index)
            };
            let first = own.last().filter(|_| ordered).map_or(1, |row| row.1 + 1);
            let index = (first..fields.len()).find(free).unwrap_or(fields.len());
            if index == fields.len() {
                fields.push(typed::Field { member: unnamed(index), ty: field.ty.clone() });
            }
            own.push((field.member.clone(), index));
        }
        let is_tuple = variant.form != ast::VariantForm::Named;
        defs.push(typed::VariantDef { name: variant.name.clone(), is_tuple, fields: own });
    }
    (fields, defs)
}

/// Returns true if the type derives `Debug`.
fn derives_debug(derives: &[Ident]) -> bool {
    derives.iter().any(|derive| derive == "Debug")
}
