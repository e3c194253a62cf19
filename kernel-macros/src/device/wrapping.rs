
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug, Element)]
#[repr(transparent)]
pub struct Wrapping<T>(pub T);

impl<T: Int> Add for Wrapping<T> {
    type Output = Wrapping<T>;
    fn add(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_add(b.0))
    }
}
impl<T: Int> Sub for Wrapping<T> {
    type Output = Wrapping<T>;
    fn sub(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_sub(b.0))
    }
}
impl<T: Int> Mul for Wrapping<T> {
    type Output = Wrapping<T>;
    fn mul(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_mul(b.0))
    }
}
impl<T: Int> Div for Wrapping<T> {
    type Output = Wrapping<T>;
    fn div(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_div(b.0))
    }
}
impl<T: Int> Rem for Wrapping<T> {
    type Output = Wrapping<T>;
    fn rem(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0.wrapping_rem(b.0))
    }
}
impl<T: Int> BitAnd for Wrapping<T> {
    type Output = Wrapping<T>;
    fn bitand(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 & b.0)
    }
}
impl<T: Int> BitOr for Wrapping<T> {
    type Output = Wrapping<T>;
    fn bitor(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 | b.0)
    }
}
impl<T: Int> BitXor for Wrapping<T> {
    type Output = Wrapping<T>;
    fn bitxor(self, b: Wrapping<T>) -> Wrapping<T> {
        Wrapping(self.0 ^ b.0)
    }
}
impl<T: Int> Not for Wrapping<T> {
    type Output = Wrapping<T>;
    fn not(self) -> Wrapping<T> {
        Wrapping(!self.0)
    }
}
impl<T: Int> Neg for Wrapping<T> {
    type Output = Wrapping<T>;
    fn neg(self) -> Wrapping<T> {
        Wrapping(self.0.wrapping_neg())
    }
}
impl<T: Int> Shl<usize> for Wrapping<T> {
    type Output = Wrapping<T>;
    fn shl(self, n: usize) -> Wrapping<T> {
        Wrapping(self.0.wrapping_shl(n as u32))
    }
}
impl<T: Int> Shr<usize> for Wrapping<T> {
    type Output = Wrapping<T>;
    fn shr(self, n: usize) -> Wrapping<T> {
        Wrapping(self.0.wrapping_shr(n as u32))
    }
}
impl<T: Int> AddAssign for Wrapping<T> {
    fn add_assign(&mut self, b: Wrapping<T>) {
        *self = *self + b;
    }
}
impl<T: Int> SubAssign for Wrapping<T> {
    fn sub_assign(&mut self, b: Wrapping<T>) {
        *self = *self - b;
    }
}
impl<T: Int> MulAssign for Wrapping<T> {
    fn mul_assign(&mut self, b: Wrapping<T>) {
        *self = *self * b;
    }
}
impl<T: Int> DivAssign for Wrapping<T> {
    fn div_assign(&mut self, b: Wrapping<T>) {
        *self = *self / b;
    }
}
impl<T: Int> RemAssign for Wrapping<T> {
    fn rem_assign(&mut self, b: Wrapping<T>) {
        *self = *self % b;
    }
}
impl<T: Int> BitAndAssign for Wrapping<T> {
    fn bitand_assign(&mut self, b: Wrapping<T>) {
        *self = *self & b;
    }
}
impl<T: Int> BitOrAssign for Wrapping<T> {
    fn bitor_assign(&mut self, b: Wrapping<T>) {
        *self = *self | b;
    }
}
impl<T: Int> BitXorAssign for Wrapping<T> {
    fn bitxor_assign(&mut self, b: Wrapping<T>) {
        *self = *self ^ b;
    }
}
impl<T: Int> ShlAssign<usize> for Wrapping<T> {
    fn shl_assign(&mut self, n: usize) {
        *self = *self << n;
    }
}
impl<T: Int> ShrAssign<usize> for Wrapping<T> {
    fn shr_assign(&mut self, n: usize) {
        *self = *self >> n;
    }
}
