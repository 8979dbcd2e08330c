"""``Lane``: the value of an expression in several turns at once, and C's operators on such values.

A value is *uniform* while it is the same in every turn; it then stays a scalar expression and is spread only where a
vector has to be. Masks, the results of comparisons, are vectors of integers that are 0 or all ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernwright.kernel import C_TYPE_OF
from kernwright.propose.vectors import BYTES_OF, VectorTypes
from kernwright.syntax import Language

_RANK = ("i32", "u32", "i64", "u64", "f32", "f64")
_FLOATS = ("f32", "f64")
_LITERAL = re.compile(r"^(?:\d[\d']*\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|0[xX][0-9a-fA-F]+)([a-zA-Z]*)$")


class NotVectorisable(Exception):
    """Why a statement has no form over vectors."""


@dataclass(frozen=True)
class Lane:
    """``compound`` says that the text needs parentheses beside an operator; ``operator`` is the one that joins it,
    where that may spare them."""

    dtype: str
    text: str
    uniform: bool = False
    compound: bool = False
    is_mask: bool = False
    operator: str = ""

    def before(self, sign: str) -> str:
        """The text as the left operand of an operator."""
        spared = self.operator in ("*", "/") or (self.operator in ("+", "-") and sign in ("+", "-"))
        return self.text if spared and sign in ("+", "-", "*", "/") else self.beside()

    def behind(self, sign: str) -> str:
        """The text as the right operand of an operator."""
        return self.text if self.operator in ("*", "/") and sign in ("+", "-") else self.beside()

    def beside(self) -> str:
        return f"({self.text})" if self.compound else self.text


def literal(text: str) -> Lane:
    """A number as C types it."""
    plain = text.replace("'", "")
    hexadecimal = plain.lower().startswith("0x")
    suffix = re.sub(r"^[\d.xX]*", "", plain).lower() if not hexadecimal else plain.lower().lstrip("0123456789abcdefx")
    is_float = not hexadecimal and (any(c in plain for c in ".eE") or plain.lower().endswith("f"))
    if is_float:
        if plain.lower().endswith("f"):
            return Lane("f32", text, uniform=True)
        if plain.lower().endswith("l"):
            raise NotVectorisable("a long double")
        return Lane("f64", text, uniform=True)
    if "u" in suffix:
        return Lane("u64" if "l" in suffix else "u32", text, uniform=True)
    if "l" in suffix:
        return Lane("i64", text, uniform=True)
    value = int(plain, 0) if hexadecimal or not plain.startswith("0") or plain == "0" else int(plain, 8)
    if value > 2**31 - 1:
        return Lane("u32" if hexadecimal and value < 2**32 else "i64", text, uniform=True)
    return Lane("i32", text, uniform=True)


def common_dtype(a: str, b: str) -> str:
    """The type that both operands of an arithmetic operator are converted to."""
    left, right = promoted(a), promoted(b)
    return left if _RANK.index(left) >= _RANK.index(right) else right


def promoted(dtype: str) -> str:
    return dtype if dtype in _RANK else "i32"


def converted(types: VectorTypes, lanes: int, value: Lane, dtype: str, broadcast: bool = True) -> Lane:
    """The value as a vector of ``dtype``; with ``broadcast`` off a uniform value stays a scalar of that type."""
    if value.uniform:
        scalar = _scalar(value, dtype)
        if not broadcast:
            return scalar
        zero = types.zero(dtype, lanes)
        if scalar.text in ("0", "0.0f", "0.0"):
            return Lane(dtype, zero)
        # Taking 0 away keeps the sign of a zero, which adding would not.
        return Lane(dtype, f"{scalar.beside()} - {zero}", compound=True)
    if value.dtype == dtype:
        return value
    return Lane(dtype, f"__builtin_convertvector({value.text}, {types.name(dtype, lanes)})", is_mask=value.is_mask)


def _scalar(value: Lane, dtype: str) -> Lane:
    """A uniform value as a scalar of exactly the vector's element type, so that no compiler objects."""
    if value.dtype == dtype:
        return value
    if re.fullmatch(r"\d+", value.text):
        if dtype in _FLOATS:
            return Lane(dtype, f"{value.text}.0{'f' if dtype == 'f32' else ''}", uniform=True)
        if value.dtype == "i32" and dtype == "u32":
            return Lane(dtype, f"{value.text}u", uniform=True)
    return Lane(dtype, f"({C_TYPE_OF[dtype]}){value.beside()}", uniform=True)


def arithmetic(types: VectorTypes, lanes: int, sign: str, a: Lane, b: Lane) -> Lane:
    """``a sign b`` for the arithmetic and bitwise operators."""
    if sign not in ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"):
        raise NotVectorisable(f"the operator {sign} has no form over vectors")
    shift = sign in ("<<", ">>")
    dtype = promoted(a.dtype) if shift else common_dtype(a.dtype, b.dtype)
    if a.uniform and b.uniform:
        text = f"{a.before(sign)} {sign} {b.behind(sign)}"
        return Lane(dtype, text, uniform=True, compound=True, operator=sign)
    if dtype not in _FLOATS and sign in ("/", "%"):
        raise NotVectorisable("machines have no division of integer vectors")
    if dtype in _FLOATS and sign not in ("+", "-", "*", "/"):
        raise NotVectorisable(f"{sign} on floats")
    if shift and a.uniform:
        a = converted(types, lanes, a, dtype)
    left = converted(types, lanes, a, dtype, broadcast=False)
    right = converted(types, lanes, b, dtype, broadcast=False)
    return Lane(dtype, f"{left.before(sign)} {sign} {right.behind(sign)}", compound=True, operator=sign)


def comparison(types: VectorTypes, lanes: int, sign: str, a: Lane, b: Lane) -> Lane:
    """``a sign b`` as a mask."""
    dtype = common_dtype(a.dtype, b.dtype)
    if a.uniform and b.uniform:
        return Lane("i32", f"{a.beside()} {sign} {b.beside()}", uniform=True, compound=True)
    left = converted(types, lanes, a, dtype, broadcast=False)
    right = converted(types, lanes, b, dtype, broadcast=False)
    mask = f"i{8 * BYTES_OF[dtype]}"
    # The result's own type differs between compilers, hence the cast.
    text = f"({types.name(mask, lanes)})({left.beside()} {sign} {right.beside()})"
    return Lane(mask, text, is_mask=True)


def joined(types: VectorTypes, lanes: int, sign: str, a: Lane, b: Lane) -> Lane:
    """Two masks joined by ``&`` or ``|``."""
    dtype = max(a.dtype, b.dtype, key=lambda name: BYTES_OF[name])
    left, right = (converted(types, lanes, mask, dtype) for mask in (a, b))
    return Lane(dtype, f"{left.beside()} {sign} {right.beside()}", compound=True, is_mask=True)


def negated_mask(mask: Lane) -> Lane:
    return Lane(mask.dtype, f"~{_after_sign(mask)}", is_mask=True)


def _after_sign(value: Lane) -> str:
    return f"({value.text})" if value.compound or value.text.startswith(("~", "-")) else value.text


def counted_mask(types: VectorTypes, lanes: int, mask: Lane) -> Lane:
    """A mask as the number that C gives to a condition: 1 where it holds."""
    lane = Lane(mask.dtype, f"-{_after_sign(mask)}")
    return converted(types, lanes, lane, "i32")


def select(types: VectorTypes, lanes: int, mask: Lane, yes: Lane, no: Lane) -> Lane:
    """``mask ? yes : no``. C has no such operator on vectors in the compilers at hand, so bits are joined there."""
    dtype = yes.dtype if yes.dtype == no.dtype else common_dtype(yes.dtype, no.dtype)
    width = f"i{8 * BYTES_OF[dtype]}"
    mask = converted(types, lanes, mask, width)
    yes, no = converted(types, lanes, yes, dtype), converted(types, lanes, no, dtype)
    if types.writer.parsed.language is Language.CPP:
        return Lane(dtype, f"{mask.beside()} ? {yes.beside()} : {no.beside()}", compound=True)
    bits, plain = types.name(width, lanes), types.name(dtype, lanes)
    first, second = _as_bits(yes, width, bits), _as_bits(no, width, bits)
    zero = types.zero(dtype, lanes)
    if no.text == zero:
        text = f"{mask.beside()} & {first}"
    elif yes.text == zero:
        text = f"~{_after_sign(mask)} & {second}"
    else:
        text = f"({mask.beside()} & {first}) | (~{_after_sign(mask)} & {second})"
    return Lane(dtype, text, compound=True) if dtype == width else Lane(dtype, f"({plain})({text})")


def _as_bits(value: Lane, width: str, bits: str) -> str:
    return value.beside() if value.dtype == width else f"({bits}){value.beside()}"


def unary(types: VectorTypes, lanes: int, sign: str, value: Lane) -> Lane:
    dtype = promoted(value.dtype)
    if (sign == "~" and dtype in _FLOATS) or sign not in ("-", "+", "~"):
        raise NotVectorisable(f"the operator {sign} has no form over vectors")
    if value.uniform:
        return Lane(dtype, f"{sign}{_after_sign(value)}", uniform=True)
    value = converted(types, lanes, value, dtype)
    return value if sign == "+" else Lane(dtype, f"{sign}{_after_sign(value)}")
