"""The kernel that the editors' tests look at, and places in texts."""

from __future__ import annotations

from dataclasses import dataclass

CONTRACT = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 32_000
*/
"""
BODY = """\
float dot(int n, const float *x, const float *y)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        /* 𝄞é */ sum += x[i] * y[i];
    return sum;
}
"""
DOT = CONTRACT + BODY
SHRINK = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-5, abs = 1e-6}
[time]
n = 4096
*/
void shrink(int n, const float *restrict x, float *restrict y)
{
    for (int i = 0; i < n; i++)
        /* é𝄞 */ y[i] = x[i] * 0.3;
}
"""
"""Its rewrite is one letter on one line: ``0.3f``, which ghost text can show."""
RULE = "float-sum-in-order"
STATEMENT = "sum += x[i] * y[i]"
"""What the finding is about. Before it stand characters of two and of four bytes, so that units cannot be mistaken."""

CALLER = """
float norm(int count, const float *values)
{
    /* 𝄞é */ if (count = 0) return 0;
    return dot(count, values, values);
}
"""
"""For clangd: an assignment that is taken for a condition, and a call whose arguments get hints."""
ASSIGNMENT = "count = 0"


@dataclass(frozen=True)
class Place:
    """Where a piece of a text stands: zero-based lines, and columns in bytes."""

    line: int
    column: int
    end_line: int
    end_column: int


def place_of(text: str, piece: str) -> Place:
    """The only place of a piece, which is of one line."""
    assert text.count(piece) == 1, piece
    before = text[: text.index(piece)]
    line = before.count("\n")
    column = len(before.rpartition("\n")[2].encode())
    return Place(line, column, line, column + len(piece.encode()))
