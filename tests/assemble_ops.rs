//! Every operation of the IR at every type, with registers and with literals as operands, and a set of small whole
//! kernels: all of it is PTX that the real `ptxas` takes, for every architecture.

use ptx_gen::compile;
use ptx_gen::ir::{
    BinaryOp, BlockCall, ConvertOp, FloatCond, Function, FunctionBuilder, InstData, IntCond, MemoryScope,
    Module, ShuffleMode, Space, SpecialRegister, Type, UnaryOp, Value, parse_module,
};
use ptx_gen::ptx::check::check as check_ptx;
use ptx_gen::ptx::parse::parse;
use ptx_gen::select::select;
use ptx_gen::target::Arch;
use ptx_gen::verify::verify_function;
use tests::toolchain::assemble_all_everywhere;

/// Kernels that do one thing each; those that the verifier refuses have no meaning and are dropped.
#[derive(Default)]
struct Kernels(Vec<Function>);

/// One kernel in the making: it reads operands from memory and writes results there.
struct Maker {
    build: FunctionBuilder,
    memory: Value,
    next: i32,
}

impl Maker {
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
                (_, Type::Bool) => self.build.constant(ty, 1),
                // Large as an unsigned number, negative as a signed one.
                _ => self.build.constant(ty, ty.mask() - 2),
            });
        }
        operands
    }
}

impl Kernels {
    /// Adds a kernel, if it is valid.
    fn add(&mut self, make: impl FnOnce(&mut Maker)) {
        let mut build = FunctionBuilder::new(format!("k{}", self.0.len()));
        let param = build.add_param("memory", Type::I64, Some(8));
        let entry = build.create_block();
        build.switch_to(entry);
        let memory = build.param(param);
        let mut maker = Maker { build, memory, next: 0 };
        make(&mut maker);
        maker.build.ret();
        let function = maker.build.finish();
        if verify_function(&function).is_ok() {
            self.0.push(function);
        }
    }

    /// Adds a kernel around one instruction: with registers only, and with literals in all places and mixtures.
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
            for &scope in MemoryScope::ALL {
                let address = space.address_type();
                self.add_inst(&[address, ty, ty], ty, |v| InstData::AtomicCas {
                    space,
                    scope,
                    address: v[0],
                    expected: v[1],
                    desired: v[2],
                });
            }
        }
        for &ty in Type::ALL {
            self.add(|maker| {
                let var = maker.build.add_shared("tile", 64, 8);
                let address = maker.build.push(InstData::SharedAddress { var }, Type::I32);
                let value = maker.build.load(ty, Space::Shared, address, 8, false);
                let four = maker.build.constant(Type::I32, 4);
                let next = maker.build.binary(BinaryOp::Add, address, four);
                maker.build.store(Space::Shared, next, 4, value);
                maker.keep(address);
            });
            self.add(|maker| {
                let param = maker.build.add_param("p", ty, None);
                let value = maker.build.param(param);
                maker.keep(value);
            });
        }
    }

    fn threads(&mut self) {
        for &register in SpecialRegister::ALL {
            self.add_inst(&[], Type::I32, |_| InstData::Special { register });
        }
        for &mode in ShuffleMode::ALL {
            for ty in [Type::I32, Type::F32] {
                self.add_inst(&[ty, Type::I32, Type::I32, Type::I32], ty, |v| InstData::Shuffle {
                    mode,
                    value: v[0],
                    lane: v[1],
                    clamp: v[2],
                    members: v[3],
                });
            }
        }
        self.add(|maker| maker.build.push_effect(InstData::Barrier));
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
                    maker.build.push_effect(InstData::Branch { cond, if_true, if_false });
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

fn module(kernels: Kernels) -> Module {
    Module { functions: kernels.0, ..Module::default() }
}

/// Selected both as it is, and after the passes have seen it.
fn check(module: &Module) {
    let compiled = compile(module, None).unwrap_or_else(|error| panic!("{error}"));
    let verified = ptx_gen::verify::verify(module).unwrap_or_else(|errors| panic!("{errors}"));
    let tree = select(&verified, Arch::FLOOR);
    let plain = tree.to_string();
    // Our own table of instruction forms knows them all too, and our parser reads them back.
    for (text, what) in [(&compiled.ptx, "compiled"), (&plain, "plain")] {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{what}: {error}"));
        let errors = check_ptx(&parsed).err().unwrap_or_default();
        assert!(errors.is_empty(), "{what}: {}", errors[0]);
        assert_eq!(&parsed.to_string(), text, "{what}");
    }
    assemble_all_everywhere(&[("compiled", &compiled.ptx), ("plain", &plain)]);
}

#[test]
fn every_operation_assembles() {
    let mut kernels = Kernels::default();
    kernels.arithmetic();
    kernels.pairs();
    kernels.memory();
    kernels.threads();
    kernels.joins();
    assert!(kernels.0.len() > 400, "most combinations were dropped: {}", kernels.0.len());
    check(&module(kernels));
}

#[test]
fn whole_kernels_assemble() {
    let text = include_str!("filetests/kernels.ir");
    check(&parse_module(text).unwrap_or_else(|error| panic!("{error}")));
}
