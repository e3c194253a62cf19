//! The intermediate representation: typed SSA with block parameters.
//!
//! A [`Module`] holds kernels. A [`Function`] is a control-flow graph of blocks; a block has parameters instead of phi
//! functions, a list of instructions, and ends in exactly one terminator. Every value has one [`Type`]; integers have no
//! sign, the operations do. Addresses are integers: `i64` for global, local and generic memory, `i32` for shared.
//!
//! Integers narrower than 32 bits have exact semantics here (they wrap at their width); how they are kept in registers
//! is the business of selection.

pub mod builder;
pub mod cache;
mod compact;
pub mod entity;
pub mod function;
pub mod inst;
pub mod parse;
pub mod print;
mod remainder;
pub mod remark;

pub use builder::{FunctionBuilder, Variable};
pub use cache::{CacheHints, CacheOp, Fetch};
pub use entity::{
    Block, Call, ConstVar, Entity, EntityMap, InlineAsm, Inst, LocalVar, PanicSite, Param, PrintSite,
    SharedVar, Value,
};
pub use function::{
    BlockData, Coarsen, Collective, ConstData, ElementLimit, FileId, Format, Function, InlineData,
    LaunchBounds, LocalData, LoopHint, MapOf, Module, PanicSiteData, ParamData, PrintSiteData, SharedData,
    SourceLoc, ValueData, ValueDef,
};
pub use inst::{BlockCall, BranchHint, BranchWish, InstData};
pub use kernel_abi::half;
pub use kernel_abi::operators::{
    AtomicOp, BarrierOp, BinaryOp, ConvertOp, FloatCond, IntCond, MatchMode, MemoryOrder, MemoryScope,
    ReduxOp, ShuffleMode, SpecialRegister, UnaryOp, VoteMode,
};
pub use kernel_abi::panic::PanicKind;
pub use kernel_abi::remark::{RemarkKind, RemarkTopic};
pub use kernel_abi::shape::BlockShape;
pub use kernel_abi::types::{Space, Type};
pub use parse::{ParseError, parse_function, parse_module};
pub use remark::Remark;
