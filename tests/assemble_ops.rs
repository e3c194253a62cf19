//! Every operation of the IR at every type, with registers and with literals as operands, and a set of small whole
//! kernels: all of it is PTX that the real `ptxas` takes, for every architecture.

use std::collections::{BTreeMap, HashSet};

use ptx::check::{check as check_ptx, requirements};
use ptx::parse::parse;
use ptx::target::Arch;
use ptx::tree::{Item, Module as Tree};
use ptx_gen::compile;
use ptx_gen::ir::{
    AtomicOp, BarrierOp, BinaryOp, BlockCall, CacheHints, CacheOp, ConvertOp, Fetch, FloatCond, Function,
    FunctionBuilder, InstData, IntCond, MatchMode, MemoryOrder, MemoryScope, Module, ReduxOp, ShuffleMode,
    Space, SpecialRegister, Type, UnaryOp, Value, VoteMode, half, parse_module,
};
use ptx_gen::select::select;
use ptx_gen::verify::verify;
use tests::toolchain::assemble_all_everywhere;

/// Things that go into one kernel: `ptxas` takes a millisecond for a kernel, whatever is in it.
const TOGETHER: usize = 16;

/// Kernels of [`TOGETHER`] things each, by the lowest target that has what they need; things that the verifier refuses have no meaning and are
/// dropped.
#[derive(Default)]
struct Kernels {
    /// Number of things.
    count: usize,
    full: BTreeMap<Arch, Vec<Function>>,
    open: BTreeMap<Arch, Maker>,
}

/// One kernel in the making: it reads operands from memory and writes results there.
struct Maker {
    build: FunctionBuilder,
    memory: Value,
    next: i32,
    /// Number of things in it.
    count: usize,
}

impl Maker {
    fn new(name: String) -> Maker {
        let mut build = FunctionBuilder::new(name);
        let param = build.add_param("memory", Type::I64, Some(8));
        let entry = build.create_block();
        build.switch_to(entry);
        let memory = build.param(param);
        Maker { build, memory, next: 0, count: 0 }
    }

    fn finish(mut self) -> Function {
        self.build.ret();
        self.build.finish()
    }

    /// A name that nothing else in the kernel has.
    fn name(&self, of: &str) -> String {
        format!("{of}{}", self.count)
    }

    /// A value that nothing is known about.
    fn unknown(&mut self, ty: Type) -> Value {
        self.next += 8;
        self.build.load(ty, Space::Global, self.memory, self.next, false)
    }

    fn keep(&mut self, value: Value) {
        self.next += 8;
        self.build.store(Space::Global, self.memory, self.next, value);
    }

    /// Operands of these types, of which those with a bit in `literals` are constants.
    fn operands(&mut self, types: &[Type], literals: u32) -> Vec<Value> {
        let mut operands = Vec::new();
        for (index, &ty) in types.iter().enumerate() {
            operands.push(match (literals >> index & 1, ty) {
                (0, _) => self.unknown(ty),
                (_, Type::F32) => self.build.constant(ty, 1.5f32.to_bits().into()),
                (_, Type::F64) => self.build.constant(ty, 1.5f64.to_bits()),
                (_, Type::F16 | Type::BF16) => self.build.constant(ty, half::narrow(ty, 1.5)),
                (_, Type::Bool) => self.build.constant(ty, 1),
                // Large as an unsigned number, negative as a signed one.
                _ => self.build.constant(ty, ty.mask() - 2),
            });
        }
        operands
    }
}

impl Kernels {
    /// Adds what `make` makes, if it is valid in a kernel of its own.
    fn add(&mut self, make: impl Fn(&mut Maker)) {
        let mut alone = Maker::new("alone".into());
        make(&mut alone);
        let alone = Module { functions: vec![alone.finish()], ..Module::default() };
        let Ok(verified) = verify(&alone) else { return };
        let (_, needed) = requirements(&select(&verified, Arch::FLOOR).tree);
        let name = format!("k{}", self.count);
        self.count += 1;
        let maker = self.open.entry(needed).or_insert_with(|| Maker::new(name));
        make(maker);
        maker.count += 1;
        if maker.count == TOGETHER {
            let full = self.open.remove(&needed).map(Maker::finish);
            self.full.entry(needed).or_default().extend(full);
        }
    }

    /// The kernels for each target.
    fn finish(mut self) -> BTreeMap<Arch, Vec<Function>> {
        for (needed, maker) in self.open {
            self.full.entry(needed).or_default().push(maker.finish());
        }
        self.full
    }

    /// Adds one instruction: with registers only, and with literals in all places and mixtures.
    fn add_inst(&mut self, operands: &[Type], result: Type, data: impl Fn(&[Value]) -> InstData) {
        self.add(|maker| {
            for literals in 0..1 << operands.len() {
                let values = maker.operands(operands, literals);
                let value = maker.build.push(data(&values), result);
                maker.keep(value);
            }
        });
    }

    fn arithmetic(&mut self) {
        for &ty in Type::ALL {
            for &op in UnaryOp::ALL {
                self.add_inst(&[ty], ty, |v| InstData::Unary { op, arg: v[0] });
            }
            for &op in BinaryOp::ALL {
                let data = |v: &[Value]| InstData::Binary { op, args: [v[0], v[1]], no_unsigned_wrap: false };
                self.add_inst(&[ty, ty], ty, data);
            }
            self.add_inst(&[ty; 3], ty, |v| InstData::Fma { args: [v[0], v[1], v[2]] });
            let select = |v: &[Value]| InstData::Select { cond: v[0], if_true: v[1], if_false: v[2] };
            self.add_inst(&[Type::Bool, ty, ty], ty, select);
            for &cond in IntCond::ALL {
                let data = |v: &[Value]| InstData::IntCompare { cond, args: [v[0], v[1]] };
                self.add_inst(&[ty, ty], Type::Bool, data);
            }
            for &cond in FloatCond::ALL {
                let data = |v: &[Value]| InstData::FloatCompare { cond, args: [v[0], v[1]] };
                self.add_inst(&[ty, ty], Type::Bool, data);
            }
            for (&op, &to) in ConvertOp::ALL.iter().flat_map(|op| Type::ALL.iter().map(move |to| (op, to))) {
                self.add_inst(&[ty], to, |v| InstData::Convert { op, arg: v[0] });
            }
        }
    }

    /// Operations on the result of others: what folds, and narrow integers whose upper bits matter.
    fn pairs(&mut self) {
        let is_int = |op: &&BinaryOp| !op.as_str().starts_with('f') && **op != BinaryOp::CopySign;
        for ty in [Type::I8, Type::I16, Type::I32, Type::I64] {
            for &first in BinaryOp::ALL.iter().filter(is_int) {
                self.add(|maker| {
                    for &second in BinaryOp::ALL.iter().filter(is_int) {
                        let v = maker.operands(&[ty; 3], 0);
                        let inner = maker.build.binary(first, v[0], v[1]);
                        let outer = maker.build.binary(second, inner, v[2]);
                        maker.keep(outer);
                    }
                });
            }
        }
        for &first in FloatCond::ALL {
            self.add(|maker| {
                for &second in IntCond::ALL {
                    for op in [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
                        let v = maker.operands(&[Type::F32, Type::F32, Type::I8, Type::I8], 0);
                        let a = maker.build.float_compare(first, v[0], v[1]);
                        let b = maker.build.int_compare(second, v[2], v[3]);
                        let not = maker.build.unary(UnaryOp::Not, b);
                        let both = maker.build.binary(op, a, not);
                        branch_over_store(maker, both);
                    }
                }
            });
        }
    }

    fn memory(&mut self) {
        for (&space, &ty) in Space::ALL.iter().flat_map(|space| Type::ALL.iter().map(move |ty| (space, ty))) {
            for read_only in [false, true] {
                self.add(|maker| {
                    let address = maker.unknown(space.address_type());
                    let value = maker.build.load(ty, space, address, 16, read_only);
                    maker.build.store(space, address, -16, value);
                });
            }
            self.add(|maker| {
                let address = maker.unknown(space.address_type());
                let value = maker.operands(&[ty], 1)[0];
                maker.build.store(space, address, 0, value);
            });
            // Constants are not written: what is read goes elsewhere.
            self.add(|maker| {
                let address = maker.unknown(space.address_type());
                let value = maker.build.load(ty, space, address, 16, false);
                maker.keep(value);
            });
            self.add_inst(&[space.address_type()], Type::I64, |v| InstData::ToGeneric {
                space,
                address: v[0],
            });
            let device = MemoryOrder::ALL.iter().map(|&order| (MemoryScope::Device, order));
            let others = [MemoryScope::Block, MemoryScope::System].map(|scope| (scope, MemoryOrder::Relaxed));
            for (scope, order) in device.chain(others) {
                let address = space.address_type();
                // Not at an address that is a number: ptxas 13.0 fails on sums of `f16` there for sm_100.
                for (&op, literals) in AtomicOp::ALL.iter().flat_map(|op| [(op, 0), (op, 1)]) {
                    self.add(|maker| {
                        let address = maker.unknown(address);
                        let value = maker.operands(&[ty], literals)[0];
                        let before = maker.build.atomic(op, space, (scope, order), address, value);
                        maker.keep(before);
                        // An atomic whose result is unused may become a reduction.
                        maker.build.atomic(op, space, (scope, order), address, value);
                    });
                }
                self.add_inst(&[address], ty, |v| InstData::AtomicLoad {
                    space,
                    scope,
                    order,
                    address: v[0],
                });
                for literals in 0..2 {
                    self.add(|maker| {
                        let address = maker.unknown(address);
                        let value = maker.operands(&[ty], literals)[0];
                        maker.build.atomic_store(space, (scope, order), address, value);
                    });
                }
                self.add_inst(&[address, ty, ty], ty, |v| InstData::AtomicCas {
                    space,
                    scope,
                    order,
                    address: v[0],
                    expected: v[1],
                    desired: v[2],
                });
            }
        }
        for &ty in Type::ALL {
            self.add(|maker| {
                let var = maker.build.add_shared(maker.name("tile"), 64, 8);
                let address = maker.build.push(InstData::SharedAddress { var }, Type::I32);
                let value = maker.build.load(ty, Space::Shared, address, 8, false);
                let four = maker.build.constant(Type::I32, 4);
                let next = maker.build.binary(BinaryOp::Add, address, four);
                maker.build.store(Space::Shared, next, 4, value);
                maker.keep(address);
            });
            self.add(|maker| {
                let bytes = (0..64).collect();
                let var = maker.build.add_const(maker.name("table"), bytes, 8);
                let address = maker.build.const_address(var);
                let four = maker.build.constant(Type::I64, 4);
                let next = maker.build.binary(BinaryOp::Add, address, four);
                let index = maker.unknown(Type::I64);
                let somewhere = maker.build.binary(BinaryOp::Add, address, index);
                for address in [address, next, somewhere] {
                    let value = maker.build.load(ty, Space::Const, address, 4, false);
                    maker.keep(value);
                }
                maker.keep(address);
            });
            self.add(|maker| {
                let param = maker.build.add_param(maker.name("p"), ty, None);
                let value = maker.build.param(param);
                maker.keep(value);
            });
        }
    }

    /// Neighbours in memory, of one type and of two.
    fn neighbours(&mut self) {
        let spaces = Space::ALL.iter().flat_map(|space| Type::ALL.iter().map(move |ty| (*space, *ty)));
        for ((space, ty), mixed) in spaces.flat_map(|place| [(place, false), (place, true)]) {
            let same_size = |other: &&Type| other.bits() == ty.bits() && **other != ty && mixed;
            let other = Type::ALL.iter().find(same_size).copied().unwrap_or(ty);
            for count in [2, 4, 8] {
                self.add(|maker| {
                    let address = maker.unknown(space.address_type());
                    let read_only = space == Space::Global && mixed;
                    for index in 0..count {
                        let ty = if index % 2 == 0 { ty } else { other };
                        let offset = index * ty.bytes() as i32;
                        let align = if index == 0 { 16 } else { ty.bytes() };
                        let (from, cache) =
                            (Some(align).filter(|&align| align > ty.bytes()), CacheHints::NORMAL);
                        let load = InstData::Load {
                            space,
                            address,
                            offset,
                            align: from,
                            read_only,
                            below: None,
                            cache,
                        };
                        let value = maker.build.push(load, ty);
                        let offset = offset + 64;
                        if space == Space::Const {
                            maker.build.store_aligned(
                                Space::Global,
                                maker.memory,
                                offset,
                                value,
                                cache,
                                align,
                            );
                        } else {
                            maker.build.store_aligned(space, address, offset, value, cache, align);
                        }
                    }
                });
            }
        }
    }

    /// Accesses with every hint to the caches.
    fn cached(&mut self) {
        let hints =
            CacheOp::ALL.iter().flat_map(|&op| Fetch::ALL.iter().map(move |&fetch| CacheHints { op, fetch }));
        for cache in hints {
            for (space, read_only, wide) in [
                (Space::Global, false, false),
                (Space::Global, true, true),
                (Space::Generic, false, true),
                (Space::Shared, false, false),
                (Space::Local, false, true),
            ] {
                let count = if wide { 4 } else { 1 };
                if cache.is_for_loads() {
                    self.add(|maker| {
                        let address = maker.unknown(space.address_type());
                        for index in 0..count {
                            let align = Some(16).filter(|_| index == 0);
                            let load = InstData::Load {
                                space,
                                address,
                                offset: 4 * index,
                                align,
                                read_only,
                                below: None,
                                cache,
                            };
                            let value = maker.build.push(load, Type::F32);
                            maker.keep(value);
                        }
                    });
                }
                if cache.is_for_stores() && !read_only {
                    self.add(|maker| {
                        let address = maker.unknown(space.address_type());
                        let value = maker.unknown(Type::F32);
                        for index in 0..count {
                            let align = if index == 0 { 16 } else { 4 };
                            maker.build.store_aligned(space, address, 4 * index, value, cache, align);
                        }
                    });
                }
            }
        }
    }

    fn threads(&mut self) {
        for &register in SpecialRegister::ALL {
            self.add_inst(&[], register.ty(), |_| InstData::Special { register });
        }
        for &mode in ShuffleMode::ALL {
            for &ty in Type::ALL {
                self.add_inst(&[ty, Type::I32, Type::I32, Type::I32], ty, |v| InstData::Shuffle {
                    mode,
                    value: v[0],
                    lane: v[1],
                    clamp: v[2],
                    members: v[3],
                });
            }
        }
        let i32 = Type::I32;
        for &mode in VoteMode::ALL {
            let data = |v: &[Value]| InstData::Vote { mode, pred: v[0], members: v[1] };
            self.add_inst(&[Type::Bool, i32], mode.ty(), data);
            self.add(|maker| {
                let v = maker.operands(&[Type::Bool, i32], 0);
                let not = maker.build.unary(UnaryOp::Not, v[0]);
                let voted = maker.build.vote(mode, not, v[1]);
                maker.keep(voted);
            });
        }
        for (&mode, ty) in MatchMode::ALL.iter().flat_map(|mode| [i32, Type::I64].map(|ty| (mode, ty))) {
            self.add_inst(&[ty, i32], i32, |v| InstData::Match { mode, value: v[0], members: v[1] });
        }
        for &op in ReduxOp::ALL {
            self.add_inst(&[i32, i32], i32, |v| InstData::Redux { op, value: v[0], members: v[1] });
        }
        for &op in BarrierOp::ALL {
            self.add_inst(&[Type::Bool], op.ty(), |v| InstData::BarrierReduce { op, pred: v[0] });
        }
        self.add_inst(&[], i32, |_| InstData::ActiveMask);
        self.add(|maker| maker.build.barrier());
        for waits in [true, false] {
            self.add(|maker| {
                let threads = maker.operands(&[i32], 0)[0];
                maker.build.named_barrier(7, threads, waits);
                let threads = maker.build.constant(i32, 64);
                maker.build.named_barrier(15, threads, waits);
            });
        }
        for literals in 0..2 {
            self.add(|maker| {
                let members = maker.operands(&[i32], literals)[0];
                maker.build.warp_barrier(members);
            });
        }
        for &scope in MemoryScope::ALL {
            for &order in MemoryOrder::ALL {
                self.add(|maker| maker.build.fence(scope, order));
            }
        }
    }

    /// Pairs of floats, made and taken apart.
    fn pairs_of_floats(&mut self) {
        for (&ty, lane) in Type::ALL.iter().filter_map(|ty| Some((ty, ty.lane()?))) {
            self.add_inst(&[lane, lane], ty, |v| InstData::Pack { args: [v[0], v[1]] });
            for index in 0..2 {
                self.add_inst(&[ty], lane, |v| InstData::Extract { arg: v[0], lane: index });
            }
        }
    }

    /// A value of every type that a block takes from two sides, one a literal.
    fn joins(&mut self) {
        for &ty in Type::ALL {
            for literals in 0..4 {
                self.add(|maker| {
                    let cond = maker.unknown(Type::Bool);
                    let v = maker.operands(&[ty, ty], literals);
                    let join = maker.build.create_block();
                    let param = maker.build.add_block_param(join, ty);
                    let call = |value| BlockCall { block: join, args: vec![value] };
                    let (if_true, if_false) = (call(v[0]), call(v[1]));
                    maker.build.push_effect(InstData::Branch { cond, if_true, if_false, hint: None });
                    maker.build.switch_to(join);
                    maker.keep(param);
                });
            }
        }
    }
}

fn branch_over_store(maker: &mut Maker, cond: Value) {
    let [store, join] = [maker.build.create_block(), maker.build.create_block()];
    maker.build.branch(cond, store, join);
    maker.build.switch_to(store);
    let one = maker.build.constant(Type::I32, 1);
    maker.keep(one);
    maker.build.jump(join, &[]);
    maker.build.switch_to(join);
}

/// With the lowest version and target that have what the instructions need.
fn header(mut tree: Tree) -> Tree {
    let (version, target) = requirements(&tree);
    (tree.version, tree.target) = (version, vec![target.name().to_owned()]);
    tree
}

/// Selected both as it is, and after the passes have seen it.
fn check(module: &Module) {
    let compiled = compile(module, None).unwrap_or_else(|error| panic!("{error}"));
    let verified = verify(module).unwrap_or_else(|errors| panic!("{errors}"));
    let plain = header(select(&verified, Arch::FLOOR).tree).to_string();
    // With everything that later targets have.
    let modern = header(select(&verified, Arch::Sm90).tree).to_string();
    let mut trees = Vec::new();
    // Our own table of instruction forms knows them all too, and our parser reads them back.
    for (text, what) in [(&compiled.ptx, "compiled"), (&plain, "plain"), (&modern, "modern")] {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{what}: {error}"));
        let errors = check_ptx(&parsed).err().unwrap_or_default();
        assert!(errors.is_empty(), "{what}: {}", errors[0]);
        assert_eq!(&parsed.to_string(), text, "{what}");
        trees.push((what, parsed));
    }
    // A kernel that is in a module for a lower target, too, is assembled there.
    trees.sort_by_key(|(_, tree)| (tree.version, requirements(tree)));
    let mut known = HashSet::new();
    for (_, tree) in &mut trees {
        tree.items.retain(|item| !matches!(item, Item::Function(_)) || known.insert(item.to_string()));
    }
    let texts: Vec<(&str, String)> = trees.iter().map(|(what, tree)| (*what, tree.to_string())).collect();
    let modules: Vec<(&str, &str)> = texts.iter().map(|(what, text)| (*what, text.as_str())).collect();
    assemble_all_everywhere(&modules);
}

#[test]
fn every_operation_assembles() {
    let mut kernels = Kernels::default();
    kernels.arithmetic();
    kernels.pairs();
    kernels.pairs_of_floats();
    kernels.memory();
    kernels.neighbours();
    kernels.cached();
    kernels.threads();
    kernels.joins();
    assert!(kernels.count > 400, "most combinations were dropped: {}", kernels.count);
    let groups = kernels.finish();
    // Atomic sums of `bf16` alone need sm_90.
    let targets: Vec<&Arch> = groups.keys().collect();
    assert!(targets.iter().all(|&&arch| arch <= Arch::Sm90), "nothing needs more: {targets:?}");
    for functions in groups.into_values() {
        check(&Module { functions, ..Module::default() });
    }
}

#[test]
fn whole_kernels_assemble() {
    let text = include_str!("filetests/kernels.ir");
    check(&parse_module(text).unwrap_or_else(|error| panic!("{error}")));
}
