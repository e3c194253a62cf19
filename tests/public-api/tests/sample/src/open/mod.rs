pub fn function(x: u32) -> u32 {
    x
}

fn private() {}

#[derive(Clone)]
pub struct Pair(pub u32, u32);

pub enum Kind {
    /// Empty.
    Unit,
    Full { x: u32 },
}

mod inner_of_function {
    pub fn not_exported() {}
}

pub(crate) mod inner {
    pub fn by_glob() {}
}

mod of_the_same_name {
    pub struct Exported;
    impl Exported {
        pub fn not_exported() {}
    }
}
