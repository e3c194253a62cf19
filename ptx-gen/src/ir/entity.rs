//! Typed indices and the maps they index.
//!
//! Indexing is inlined always, because the compiler runs unoptimised inside rustc unless a user's profile says otherwise.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into an [`EntityMap`].
pub trait Entity: Copy + Eq {
    /// The entity with this number.
    fn from_index(index: usize) -> Self;
    /// Its number.
    fn index(self) -> usize;
}

/// Defines entities, each with the letters that its number is written behind.
macro_rules! entities {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $crate::ir::Entity for $name {
            #[inline(always)]
            fn from_index(index: usize) -> $name {
                $name(u32::try_from(index).expect("fewer than 2^32 entities"))
            }
            #[inline(always)]
            fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }

        impl ::std::fmt::Debug for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(self, f)
            }
        }
    )*};
}
pub(crate) use entities;

entities! {
    /// An SSA value.
    Value = "v";
    /// A basic block.
    Block = "block";
    /// An instruction.
    Inst = "inst";
    /// A parameter of the kernel.
    Param = "param";
    /// A variable in static shared memory.
    SharedVar = "shared";
    /// A variable in a thread's own memory.
    LocalVar = "local";
    /// A table of constant data.
    ConstVar = "const";
    /// PTX of the user's own.
    InlineAsm = "inline";
    /// A panic site in the source.
    PanicSite = "panic";
    /// A print site in the source.
    PrintSite = "print";
    /// A call of a function that was put in place.
    Call = "call";
}

/// A dense map from an entity to its data; pushing makes the next entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityMap<K, V> {
    items: Vec<V>,
    key: PhantomData<K>,
}

impl<K: Entity, V> EntityMap<K, V> {
    /// No entities.
    pub fn new() -> Self {
        Self { items: Vec::new(), key: PhantomData }
    }

    /// `len` entities with the same data.
    pub fn filled(len: usize, value: V) -> Self
    where
        V: Clone,
    {
        Self { items: vec![value; len], key: PhantomData }
    }

    /// Adds one and returns its key.
    pub fn push(&mut self, value: V) -> K {
        let key = K::from_index(self.items.len());
        self.items.push(value);
        key
    }

    /// Number of entities.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The data of `key`, if there is such an entity.
    #[inline(always)]
    pub fn get(&self, key: K) -> Option<&V> {
        self.items.get(key.index())
    }

    /// Every key, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.items.len()).map(K::from_index)
    }

    /// Every datum, in order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.items.iter()
    }

    /// Every datum, in order, without the map.
    pub fn into_values(self) -> impl Iterator<Item = V> {
        self.items.into_iter()
    }

    /// Every key with its datum, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (K, &V)> {
        self.items.iter().enumerate().map(|(index, value)| (K::from_index(index), value))
    }
}

impl<K: Entity, V> Default for EntityMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Entity, V> Index<K> for EntityMap<K, V> {
    type Output = V;
    #[inline(always)]
    fn index(&self, key: K) -> &V {
        &self.items[key.index()]
    }
}

impl<K: Entity, V> IndexMut<K> for EntityMap<K, V> {
    #[inline(always)]
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.items[key.index()]
    }
}
