#!/usr/bin/env python3
"""Writes rows.txt: instructions, sources, and the results that the PTX manual gives them, in exact arithmetic.

Run it again after a change: python3 make.py > rows.txt
"""
import bisect
import random
from fractions import Fraction
from math import isqrt

random.seed(1)


class Format:
    def __init__(self, bits, fraction, nan, infinity=True):
        self.bits, self.fraction, self.nan, self.has_infinity = bits, fraction, nan, infinity
        self.exponents = bits - 1 - fraction
        self.bias = (1 << (self.exponents - 1)) - 1
        self.sign = 1 << (bits - 1)
        self.infinity = ((1 << self.exponents) - 1) << fraction
        self.largest = self.infinity - 1 if infinity else self.sign - 2

    def value(self, raw):
        """A fraction, or 'inf', '-inf', 'nan'."""
        magnitude = raw & (self.sign - 1)
        negative = bool(raw & self.sign)
        if magnitude > self.largest:
            if self.has_infinity and magnitude == self.infinity:
                return '-inf' if negative else 'inf'
            return 'nan'
        exponent, fraction = magnitude >> self.fraction, magnitude & ((1 << self.fraction) - 1)
        if exponent:
            fraction |= 1 << self.fraction
        value = Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - self.bias - self.fraction)
        return -value if negative else value

    def round(self, value, mode='rn', negative_zero=False, finite=False):
        if value == 'nan':
            return self.nan
        infinity = self.largest if finite else self.infinity if self.has_infinity else self.nan
        if value in ('inf', '-inf'):
            return infinity | (self.sign if value == '-inf' else 0)
        if value == 0:
            return self.sign if negative_zero else 0
        negative, value = value < 0, abs(value)
        # The greatest magnitude not above the value, by bisection over the bits.
        low, high = 0, self.largest + 1
        while high - low > 1:
            middle = (low + high) // 2
            if self.value(middle) <= value:
                low = middle
            else:
                high = middle
        below = self.value(low)
        rest = value - below
        # The distance to the next, also above the largest.
        exponent = max(low >> self.fraction, 1)
        step = Fraction(2) ** (exponent - self.bias - self.fraction)
        up = {
            'rn': rest * 2 > step or (rest * 2 == step and low & 1),
            'rna': rest * 2 >= step,
            'rz': False,
            'rm': negative and rest > 0,
            'rp': not negative and rest > 0,
        }[mode]
        result = low + bool(up)
        if result > self.largest:
            result = infinity
        if mode in ('rz', 'rm', 'rp') and low == self.largest and rest >= step and not up:
            result = self.largest
        return result | (self.sign if negative else 0)


F16, BF16 = Format(16, 10, 0x7fff), Format(16, 7, 0x7fff)
F32, F64 = Format(32, 23, 0x7fffffff), Format(64, 52, 0xfff8000000000000)
E4M3, E5M2 = Format(8, 3, 0x7f, False), Format(8, 2, 0x7f)
TF32 = Format(19, 10, 0x3ffff)
FLOATS = {'f16': F16, 'bf16': BF16, 'f32': F32, 'f64': F64}


def is_nan(value):
    return value == 'nan'


def is_inf(value):
    return value in ('inf', '-inf')


def sign_of(format, raw):
    return bool(raw & format.sign)


def add(format, a, b, mode='rn', subtract=False):
    if subtract and not is_nan(format.value(b)):
        b ^= format.sign
    x, y = format.value(a), format.value(b)
    if is_nan(x) or is_nan(y) or (is_inf(x) and is_inf(y) and x != y):
        return 'nan', False
    if is_inf(x) or is_inf(y):
        return (x if is_inf(x) else y), False
    zero = sign_of(format, a) if sign_of(format, a) == sign_of(format, b) else mode == 'rm'
    return x + y, zero


def mul(format, a, b):
    x, y = format.value(a), format.value(b)
    negative = sign_of(format, a) != sign_of(format, b)
    if is_nan(x) or is_nan(y) or (is_inf(x) and y == 0) or (is_inf(y) and x == 0):
        return 'nan', False
    if is_inf(x) or is_inf(y):
        return ('-inf' if negative else 'inf'), False
    return x * y, negative


def fma(format, a, b, c, mode='rn'):
    product, negative = mul(format, a, b)
    z = format.value(c)
    if is_nan(product) or is_nan(z) or (is_inf(product) and is_inf(z) and product != z):
        return 'nan', False
    if is_inf(product) or is_inf(z):
        return (product if is_inf(product) else z), False
    zero = negative if negative == sign_of(format, c) else mode == 'rm'
    return product + z, zero


def div(format, a, b):
    x, y = format.value(a), format.value(b)
    negative = sign_of(format, a) != sign_of(format, b)
    if is_nan(x) or is_nan(y) or (is_inf(x) and is_inf(y)) or (x == 0 and y == 0):
        return 'nan', False
    if is_inf(x) or y == 0:
        return ('-inf' if negative else 'inf'), False
    if is_inf(y) or x == 0:
        return Fraction(0), negative
    return x / y, negative


def sqrt(format, a):
    """Rounds down to 120 bits, with a bit below that says whether there is more."""
    x = format.value(a)
    if is_nan(x) or (x == '-inf') or (not is_inf(x) and x < 0):
        return 'nan', False
    if is_inf(x) or x == 0:
        return x, sign_of(format, a)
    scale = 2
    while x * 4 ** scale < 4 ** 120 or (x * 4 ** scale).denominator != 1:
        scale += 1
    units = (x * 4 ** scale).numerator
    root = isqrt(units)
    value = Fraction(2 * root + (root * root != units), 2 ** (scale + 1))
    return value, False


def extreme(format, a, b, greater, nan=False):
    x, y = format.value(a), format.value(b)
    if is_nan(x) or is_nan(y):
        if nan or (is_nan(x) and is_nan(y)):
            return format.nan
        return b if is_nan(x) else a
    key = lambda raw: (raw & (format.sign - 1)) * (-1 if sign_of(format, raw) else 1) - (0.5 if raw == format.sign else 0)
    return max(a, b, key=key) if greater else min(a, b, key=key)


def specials(format):
    one = format.bias << format.fraction
    magnitudes = [0, 1, 2, (1 << format.fraction) - 1, 1 << format.fraction, one, one + 1, one - 1, one + (1 << (format.fraction - 1)),
                  one + (1 << format.fraction), format.largest, format.infinity, one + 2, one - (2 << format.fraction)]
    return [m | s for m in magnitudes for s in (0, format.sign)] + [format.infinity + 1, format.nan]


def pick(format):
    if random.random() < 0.4:
        return random.choice(specials(format))
    raw = random.getrandbits(format.bits)
    if random.random() < 0.6:
        # Near one, so that sums cancel and ties occur.
        near = format.bias + random.randint(-3, 3)
        raw = raw & ~(((1 << format.exponents) - 1) << format.fraction) | near << format.fraction
        if random.random() < 0.5:
            raw &= ~((1 << (format.fraction // 2)) - 1)
    return raw


def register(bits, number):
    return {1: '%p', 8: '%h', 16: '%h', 32: '%r', 64: '%rd'}[bits] + str(number)


def emit(text, result, sources, function, picks, count=10):
    operands = ', '.join([register(result, 10)] + [register(bits, i + 1) for i, bits in enumerate(sources)])
    print(f'{text} {operands};')
    for _ in range(count):
        row = [choose() for choose in picks]
        print('    ' + ' '.join(f'{value:x}' for value in row) + f' → {function(*row) & ((1 << result) - 1):x}')


def saturate(format, raw):
    value = format.value(raw)
    one = format.bias << format.fraction
    if is_nan(value) or sign_of(format, raw) or value == 0:
        return 0
    return one if is_inf(value) or value > 1 else raw


def relu(format, raw):
    value = format.value(raw)
    return raw if is_nan(value) or not sign_of(format, raw) else 0


def flush(format, raw):
    return raw & format.sign if (raw & (format.sign - 1)) < 1 << format.fraction else raw


def pairwise(function, size=16):
    def whole(*sources):
        mask = (1 << size) - 1
        return function(*[s & mask for s in sources]) | function(*[s >> size for s in sources]) << size
    return whole


def pair_of(choose, size=16):
    return lambda: choose() | choose() << size


def halves():
    for name, f in (('f16', F16), ('bf16', BF16)):
        one = lambda f=f: pick(f)
        for pair in (False, True):
            ty = name + ('x2' if pair else '')
            bits = 32 if pair else 16

            def case(text, arity, function, count=10):
                whole = pairwise(function) if pair else function
                emit(text, bits, [bits] * arity, whole, [pair_of(one) if pair else one] * arity, count)

            case(f'add.rn.{ty}', 2, lambda a, b: f.round(*swap(add(f, a, b))))
            case(f'sub.rn.{ty}', 2, lambda a, b: f.round(*swap(add(f, a, b, subtract=True))))
            case(f'mul.rn.{ty}', 2, lambda a, b: f.round(*swap(mul(f, a, b))))
            case(f'fma.rn.{ty}', 3, lambda a, b, c: f.round(*swap(fma(f, a, b, c))), 16)
            case(f'fma.rn.relu.{ty}', 3, lambda a, b, c: relu(f, f.round(*swap(fma(f, a, b, c)))))
            if name == 'f16':
                case(f'add.sat.{ty}', 2, lambda a, b: saturate(f, f.round(*swap(add(f, a, b)))))
                case(f'mul.sat.{ty}', 2, lambda a, b: saturate(f, f.round(*swap(mul(f, a, b)))))
                case(f'fma.rn.sat.{ty}', 3, lambda a, b, c: saturate(f, f.round(*swap(fma(f, a, b, c)))))
                case(f'add.ftz.{ty}', 2, lambda a, b: flush(f, f.round(*swap(add(f, flush(f, a), flush(f, b))))))
            case(f'min.{ty}', 2, lambda a, b: extreme(f, a, b, False))
            case(f'max.{ty}', 2, lambda a, b: extreme(f, a, b, True))
            case(f'min.NaN.{ty}', 2, lambda a, b: extreme(f, a, b, False, True))
            case(f'max.NaN.{ty}', 2, lambda a, b: extreme(f, a, b, True, True))
            magnitude = lambda raw: raw & (f.sign - 1)
            xorsign = lambda a, b, raw: raw if is_nan(f.value(raw)) else raw | (a ^ b) & f.sign
            case(f'max.xorsign.abs.{ty}', 2, lambda a, b: xorsign(a, b, extreme(f, magnitude(a), magnitude(b), True)) if not
                 (is_nan(f.value(a)) and is_nan(f.value(b))) else f.nan)
            case(f'neg.{ty}', 1, lambda a: f.nan if is_nan(f.value(a)) else a ^ f.sign)
            case(f'abs.{ty}', 1, lambda a: f.nan if is_nan(f.value(a)) else a & (f.sign - 1))
        comparisons(name, f, one)
    for ty, signed in (('u16x2', False), ('s16x2', True)):
        extend = (lambda a: a - (a >> 15 << 16)) if signed else (lambda a: a)
        word = lambda: random.getrandbits(32) if random.random() < 0.7 else random.choice([0, 0x8000ffff, 0x7fff8000, 0xffff0001])
        emit(f'add.{ty}', 32, [32, 32], pairwise(lambda a, b: a + b & 0xffff), [word, word])
        emit(f'min.{ty}', 32, [32, 32], pairwise(lambda a, b: min(extend(a), extend(b)) & 0xffff), [word, word])
        emit(f'max.{ty}', 32, [32, 32], pairwise(lambda a, b: max(extend(a), extend(b)) & 0xffff), [word, word])
        if signed:
            emit('max.relu.s16x2', 32, [32, 32], pairwise(lambda a, b: max(extend(a), extend(b), 0) & 0xffff), [word, word])


def swap(result):
    """The value and the sign of a zero as `round` takes them."""
    value, zero = result
    return value, 'rn', zero


def compare(format, word, a, b):
    x, y = format.value(a), format.value(b)
    unordered = is_nan(x) or is_nan(y)
    if word == 'num':
        return not unordered
    if word == 'nan':
        return unordered
    if unordered:
        return word.endswith('u')
    number = lambda v: float('inf') if v == 'inf' else float('-inf') if v == '-inf' else v
    x, y = number(x), number(y)
    return {'eq': x == y, 'ne': x != y, 'lt': x < y, 'le': x <= y, 'gt': x > y, 'ge': x >= y}[word[:2]]


WORDS = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'equ', 'neu', 'ltu', 'leu', 'gtu', 'geu', 'num', 'nan']


def comparisons(name, f, one):
    near = lambda: random.choice([one, lambda: random.choice(specials(f))])()
    for word in WORDS:
        emit(f'setp.{word}.{name}', 1, [16, 16], lambda a, b: compare(f, word, a, b), [near, near], 8)
    truth = f.bias << f.fraction
    for word in ('lt', 'geu'):
        emit(f'set.{word}.u32.{name}', 32, [16, 16], lambda a, b: 0xffffffff * compare(f, word, a, b), [near, near], 6)
        emit(f'set.{word}.{name}.{name}', 16, [16, 16], lambda a, b: truth * compare(f, word, a, b), [near, near], 6)
        emit(f'set.{word}.u16.{name}', 16, [16, 16], lambda a, b: 0xffff * compare(f, word, a, b), [near, near], 6)
        both = pair_of(near)
        emit(f'set.{word}.{name}x2.{name}x2', 32, [32, 32], pairwise(lambda a, b: truth * compare(f, word, a, b)), [both, both], 6)
        emit(f'set.{word}.u32.{name}x2', 32, [32, 32], pairwise(lambda a, b: 0xffff * compare(f, word, a, b)), [both, both], 6)


def integral(value, mode):
    if is_nan(value) or is_inf(value):
        return value
    floor = value.numerator // value.denominator
    rest = value - floor
    if mode == 'rmi':
        return floor
    if mode == 'rpi':
        return floor + (rest > 0)
    if mode == 'rzi':
        return floor + (rest > 0 and value < 0)
    return floor + (rest * 2 > 1 or (rest * 2 == 1 and floor % 2))


def to_integer(value, mode, bits, signed, from_64):
    if is_nan(value):
        return 1 << (bits - 1) if from_64 or bits == 64 else 0
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if is_inf(value):
        return (high if value == 'inf' else low) & ((1 << bits) - 1)
    return max(low, min(high, integral(value, mode))) & ((1 << bits) - 1)


INTEGERS = [('u8', 8, False), ('s8', 8, True), ('u16', 16, False), ('s16', 16, True), ('u32', 32, False), ('s32', 32, True),
            ('u64', 64, False), ('s64', 64, True)]


def clamp_finite(f, raw):
    return raw


def conversions():
    for name, f in (('f16', F16), ('bf16', BF16)):
        one = lambda: pick(f)
        for ty, bits, signed in INTEGERS:
            if bits == 8:
                continue
            emit(f'cvt.rzi.{ty}.{name}', bits, [16], lambda a: to_integer(f.value(a), 'rzi', bits, signed, False), [one], 8)
            source = lambda: random.getrandbits(bits) if random.random() < .5 else random.getrandbits(bits) >> random.randint(0, bits - 1)
            value = lambda a: Fraction(a - (a >> (bits - 1) << bits) if signed else a)
            for mode in ('rn', 'rz', 'rm', 'rp'):
                emit(f'cvt.{mode}.{name}.{ty}', 16, [bits], lambda a: f.round(value(a), mode), [source], 6)
        for mode in ('rni', 'rmi', 'rpi'):
            emit(f'cvt.{mode}.s32.{name}', 32, [16], lambda a: to_integer(f.value(a), mode, 32, True, False), [one], 8)
        # Near what the narrow format has, so that ties occur.
        def near(wide, narrow=f):
            if random.random() < 0.4:
                return pick(wide)
            value = narrow.value(pick(narrow))
            if is_nan(value) or is_inf(value):
                return wide.round(value)
            raw = wide.round(value)
            step = 1 << (wide.fraction - narrow.fraction - 1)
            return raw + random.choice([0, step, step - 1, step + 1, 1, -1 if raw & (wide.sign - 1) else 0])
        for mode in ('rn', 'rz', 'rm', 'rp'):
            single = lambda a: f.round(F32.value(a), mode, sign_of(F32, a))
            if name == 'f16' or mode in ('rn', 'rz'):
                emit(f'cvt.{mode}.{name}.f32', 16, [32], single, [lambda: near(F32)], 14)
            # An H200 keeps the sign and the top of the payload of a NaN here.
            payload = lambda a: a >> 63 << 15 | 0x7e00 | a >> 42 & 0x3ff
            double = lambda a: payload(a) if name == 'f16' and is_nan(F64.value(a)) else f.round(F64.value(a), mode, sign_of(F64, a))
            emit(f'cvt.{mode}.{name}.f64', 16, [64], double, [lambda: near(F64)], 10)
        for mode in ('rn', 'rz'):
            emit(f'cvt.{mode}.relu.{name}.f32', 16, [32], lambda a: relu(f, f.round(F32.value(a), mode, sign_of(F32, a))), [lambda: near(F32)], 8)
            emit(f'cvt.{mode}.satfinite.{name}.f32', 16, [32], lambda a: f.round(F32.value(a), mode, sign_of(F32, a), True), [lambda: near(F32)], 8)
            both = lambda a, b: f.round(F32.value(a), mode, sign_of(F32, a)) << 16 | f.round(F32.value(b), mode, sign_of(F32, b))
            emit(f'cvt.{mode}.{name}x2.f32', 32, [32, 32], both, [lambda: near(F32)] * 2, 8)
            both = lambda a, b: relu(f, f.round(F32.value(a), mode, sign_of(F32, a))) << 16 | relu(f, f.round(F32.value(b), mode, sign_of(F32, b)))
            emit(f'cvt.{mode}.relu.{name}x2.f32', 32, [32, 32], both, [lambda: near(F32)] * 2, 8)
        finite = lambda: next(x for x in iter(one, None) if not is_nan(f.value(x)))
        emit(f'cvt.f32.{name}', 32, [16], lambda a: F32.round(f.value(a), 'rn', sign_of(f, a)), [finite], 12)
        emit(f'cvt.f64.{name}', 64, [16], lambda a: F64.round(f.value(a), 'rn', sign_of(f, a)), [finite], 12)
    emit('cvt.rn.sat.f16.f32', 16, [32], lambda a: saturate(F16, F16.round(F32.value(a), 'rn', sign_of(F32, a))), [lambda: pick(F32)], 12)
    emit('cvt.sat.f16.f16', 16, [16], lambda a: saturate(F16, a), [lambda: pick(F16)], 12)
    emit('cvt.sat.f32.f16', 32, [16], lambda a: saturate(F32, F32.round(F16.value(a), 'rn', sign_of(F16, a))), [lambda: pick(F16)], 12)
    for mode in ('rni', 'rzi', 'rmi', 'rpi'):
        emit(f'cvt.{mode}.f16.f16', 16, [16], lambda a: F16.round(integral(F16.value(a), mode), 'rn', sign_of(F16, a)), [lambda: pick(F16)], 10)
    for mode in ('rn', 'rz', 'rm', 'rp'):
        emit(f'cvt.{mode}.bf16.f16', 16, [16], lambda a: BF16.round(F16.value(a), mode, sign_of(F16, a)), [lambda: pick(F16)], 8)
        emit(f'cvt.{mode}.f16.bf16', 16, [16], lambda a: F16.round(BF16.value(a), mode, sign_of(BF16, a)), [lambda: pick(BF16)], 8)
    for name, f in (('e4m3x2', E4M3), ('e5m2x2', E5M2)):
        def near(wide):
            if random.random() < 0.3:
                return pick(wide)
            value = f.value(random.getrandbits(8))
            if is_nan(value) or is_inf(value):
                return wide.round(value)
            raw = wide.round(value)
            step = 1 << (wide.fraction - f.fraction - 1)
            return raw + random.choice([0, step, step - 1, step + 1, 1])
        one = lambda wide, a: f.round(wide.value(a), 'rn', sign_of(wide, a), True)
        both = lambda a, b: one(F32, a) << 8 | one(F32, b)
        emit(f'cvt.rn.satfinite.{name}.f32', 16, [32, 32], both, [lambda: near(F32)] * 2, 24)
        both = lambda a, b: relu(f, one(F32, a)) << 8 | relu(f, one(F32, b))
        emit(f'cvt.rn.satfinite.relu.{name}.f32', 16, [32, 32], both, [lambda: near(F32)] * 2, 8)
        both = lambda a: one(F16, a >> 16) << 8 | one(F16, a & 0xffff)
        emit(f'cvt.rn.satfinite.{name}.f16x2', 16, [32], both, [lambda: near(F16) | near(F16) << 16], 16)
        wide = lambda raw: F16.round(f.value(raw), 'rn', sign_of(f, raw))
        emit(f'cvt.rn.f16x2.{name}', 32, [16], lambda a: wide(a >> 8) << 16 | wide(a & 0xff), [lambda: random.getrandbits(16)], 24)
        wide = lambda raw: relu(F16, F16.round(f.value(raw), 'rn', sign_of(f, raw)))
        emit(f'cvt.rn.relu.f16x2.{name}', 32, [16], lambda a: wide(a >> 8) << 16 | wide(a & 0xff), [lambda: random.getrandbits(16)], 8)
    tensor = lambda a, mode: TF32.round(F32.value(a), mode, sign_of(F32, a)) << 13 if not is_nan(F32.value(a)) else 0x7fffffff
    near = lambda: random.choice([pick(F32), random.getrandbits(32) & ~0xfff, random.getrandbits(32) & ~0x1fff | 0x1000])
    for mode in ('rna', 'rn', 'rz'):
        emit(f'cvt.{mode}.tf32.f32', 32, [32], lambda a: tensor(a, mode), [near], 14)
    signed = lambda a: a - (a >> 31 << 32)
    word = lambda: random.choice([random.getrandbits(32), random.getrandbits(9), -random.getrandbits(9) & 0xffffffff, random.getrandbits(4)])
    for ty, bits, low, high in (('u8', 8, 0, 255), ('s8', 8, -128, 127), ('u4', 4, 0, 15), ('s4', 4, -8, 7), ('u2', 2, 0, 3), ('s2', 2, -2, 1)):
        clamp = lambda a: max(low, min(high, signed(a))) & ((1 << bits) - 1)
        emit(f'cvt.pack.sat.{ty}.s32.b32', 32, [32, 32, 32], lambda a, b, c: c << 2 * bits | clamp(a) << bits | clamp(b), [word] * 3, 8)
    for ty, low, high in (('u16', 0, 65535), ('s16', -32768, 32767)):
        clamp = lambda a: max(low, min(high, signed(a))) & 0xffff
        emit(f'cvt.pack.sat.{ty}.s32', 32, [32, 32], lambda a, b: clamp(a) << 16 | clamp(b), [word] * 2, 8)


def directed():
    """All roundings of f32 and f64. NaNs of f64 keep their payload on a GPU: they are left to the comparison with one."""
    for name, f in (('f32', F32), ('f64', F64)):
        one = lambda: next(x for x in iter(lambda: pick(f), None) if name == 'f32' or not is_nan(f.value(x)))
        for mode in ('rn', 'rz', 'rm', 'rp'):
            def case(text, arity, function, count=12):
                def result(*row):
                    value, zero = function(*row)
                    return f.round(value, mode, zero)
                emit(f'{text}.{mode}.{name}', f.bits, [f.bits] * arity, result, [one] * arity, count)
            case('add', 2, lambda a, b: add(f, a, b, mode))
            case('sub', 2, lambda a, b: add(f, a, b, mode, True))
            case('mul', 2, lambda a, b: mul(f, a, b))
            case('fma', 3, lambda a, b, c: fma(f, a, b, c, mode), 20)
            case('div', 2, lambda a, b: div(f, a, b))
            case('rcp', 1, lambda a: div(f, f.bias << f.fraction, a))
            case('sqrt', 1, lambda a: sqrt(f, a))


def integers():
    word = lambda: random.choice([random.getrandbits(32), random.getrandbits(32) >> random.randint(0, 31), 0, 1, 0xffffffff, 0x80000000])
    s = lambda a, bits=32: a - (a >> (bits - 1) << bits)
    s24 = lambda a: s(a & 0xffffff, 24)
    emit('mad24.hi.u32', 32, [32] * 3, lambda a, b, c: ((a & 0xffffff) * (b & 0xffffff) >> 16) + c, [word] * 3)
    emit('mad24.hi.s32', 32, [32] * 3, lambda a, b, c: (s24(a) * s24(b) >> 16) + c, [word] * 3)
    bound = lambda v: max(-1 << 31, min((1 << 31) - 1, v))
    wrap = lambda v: s(v & 0xffffffff)
    emit('mad24.hi.sat.s32', 32, [32] * 3, lambda a, b, c: bound(wrap(s24(a) * s24(b) >> 16) + s(c)), [word] * 3)
    emit('mul24.hi.u32', 32, [32] * 2, lambda a, b: (a & 0xffffff) * (b & 0xffffff) >> 16, [word] * 2)
    emit('sad.s32', 32, [32] * 3, lambda a, b, c: abs(s(a) - s(b)) + c, [word] * 3)
    emit('sad.u64', 64, [64] * 3, lambda a, b, c: abs(a - b) + c, [lambda: random.getrandbits(64)] * 3, 6)
    for a_ty, b_ty in (('u32', 'u32'), ('u32', 's32'), ('s32', 'u32'), ('s32', 's32')):
        part = lambda ty, raw, bits: s(raw, bits) if ty == 's32' else raw
        four = lambda a, b, c: c + sum(part(a_ty, a >> 8 * i & 255, 8) * part(b_ty, b >> 8 * i & 255, 8) for i in range(4))
        emit(f'dp4a.{a_ty}.{b_ty}', 32, [32] * 3, four, [lambda: random.getrandbits(32)] * 3, 6)
        for word_name, skip in (('lo', 0), ('hi', 16)):
            two = lambda a, b, c: c + sum(part(a_ty, a >> 16 * i & 0xffff, 16) * part(b_ty, b >> skip + 8 * i & 255, 8) for i in range(2))
            emit(f'dp2a.{word_name}.{a_ty}.{b_ty}', 32, [32] * 3, two, [lambda: random.getrandbits(32)] * 3, 6)
    amount = lambda: random.choice([0, 1, 5, 31, 32, 33, 64, 255, 256, random.getrandbits(32)])
    emit('szext.clamp.s32', 32, [32, 32], lambda a, n: 0 if n == 0 else a if n >= 32 else s(a & (1 << n) - 1, n), [word, amount])
    emit('szext.wrap.u32', 32, [32, 32], lambda a, n: a & (1 << n % 32) - 1, [word, amount])
    emit('bmsk.clamp.b32', 32, [32, 32], lambda p, n: ((1 << min(n, 32)) - 1) << min(p, 32), [amount, amount])
    emit('bmsk.wrap.b32', 32, [32, 32], lambda p, n: ((1 << n % 32) - 1) << p % 32, [amount, amount])
    for table in (0xe8, 0x96, 0x01, 0x7f, 0xca):
        def logic(a, b, c):
            bit = lambda i: table >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | c >> i & 1) & 1
            return sum(bit(i) << i for i in range(32))
        print(f'lop3.b32 %r10, %r1, %r2, %r3, {table};')
        for _ in range(4):
            row = [random.getrandbits(32) for _ in range(3)]
            print('    ' + ' '.join(f'{v:x}' for v in row) + f' → {logic(*row):x}')


halves()
conversions()
directed()
integers()
