"""A line that is being typed is left out, and every other line reads as before."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.brackets import unmatched_lines
from kernwright.kernel import find_functions
from kernwright.syntax import parse
from kernwright.text import Snapshot

BEFORE = """namespace a {
int before(int n, const int *x) {
    int s = 0;
    for (int i = 0; i < n; i++) {
        s += x[i];
    }
    return s;
}
"""
AFTER = """template <typename T>
T after(int n, const T *x)
{
    T s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
} // namespace a
"""
HEAD = "void typed(int n, float *x) {\n"
WHOLE = """    for (int k = 0; k < n; k++) {
        x[k] = f(x[(k)]);
    }
}
"""


def check(typed: str, left_out: list[str], *, names: tuple[str, ...] = ("before", "typed", "after")) -> None:
    """``typed`` stands between two functions of a namespace. ``left_out`` are its lines that the tree is blind to."""
    text = BEFORE + typed + AFTER
    data = text.encode()
    assert [data[line.start : line.end].decode() for line in unmatched_lines(data)] == left_out
    parsed = parse(Snapshot(Path("a.cpp"), data))
    assert tuple(one.qualified for one in find_functions(parsed)) == tuple(f"a::{name}" for name in names)


HALF_TYPED = {
    "for, its parenthesis": (HEAD + "    for (int i =\n" + WHOLE, ["    for (int i ="]),
    "for, a template begins": (HEAD + "    for (int i = 0; i <\n" + WHOLE, ["    for (int i = 0; i <"]),
    "for, its brace": (HEAD + "    for (;;) {\n" + WHOLE, ["    for (;;) {"]),
    "a brace of its own line": (HEAD + "    for (;;)\n    {\n" + WHOLE, ["    {"]),
    "an index": (HEAD + "    x[0] = x[n\n" + WHOLE, ["    x[0] = x[n"]),
    "a call over two lines": (HEAD + "    f(1,\n      g(2);\n" + WHOLE, ["    f(1,"]),
    "one parenthesis too many": (HEAD + "    f(1));\n" + WHOLE, ["    f(1));"]),
    "one brace too many": (HEAD + WHOLE.replace("    }\n", "    }\n        }\n"), ["        }"]),
    "a head whose body goes on": (
        HEAD + WHOLE.replace("for (", "for (("),
        ["    for ((int k = 0; k < n; k++) {", "    }"],
    ),
    "two lines": (HEAD + "    if (n {\n    f(\n" + WHOLE, ["    if (n {", "    f("]),
    "carriage returns": (HEAD + "    f(\r\n" + WHOLE, ["    f("]),
    "behind a text with a bracket": (HEAD + "    f(\"(\", ')', R\"x(()x\", /* ( */ 1'0'0 // (\n" + WHOLE,
        ["    f(\"(\", ')', R\"x(()x\", /* ( */ 1'0'0 // ("]),
}  # fmt: skip


@pytest.mark.parametrize("name", HALF_TYPED)
def test_a_half_typed_line_is_left_out(name: str) -> None:
    check(*HALF_TYPED[name])


BALANCED = {
    "as it should be": HEAD + WHOLE,
    "texts with brackets": HEAD + '    f("(", \'{\', R"x(((x"[0]);\n' + WHOLE,
    "comments with brackets": HEAD + "    // ((\n    /* {\n { */\n" + WHOLE,
    "branches that open the same brace": (
        HEAD + "#ifdef A\n    if (n) {\n#else\n    if (x) {\n#endif\n        f();\n    }\n" + WHOLE
    ),
    "a macro with half a bracket": "#define OPEN if (1) { \\\n  (\n" + HEAD + WHOLE,
}


@pytest.mark.parametrize("name", BALANCED)
def test_what_has_all_its_brackets_is_read_whole(name: str) -> None:
    data = (BEFORE + BALANCED[name] + AFTER).encode()
    assert unmatched_lines(data) == ()


UNKNOWN = {
    "a function that is not closed": HEAD + "    f();\n",
    "more closed than opened": HEAD + WHOLE + "}\n}\n",
    "in one branch of a condition": HEAD + "#ifdef A\n    f(\n#else\n    f();\n#endif\n" + WHOLE,
    "a comment goes on": HEAD + "    f( /* here\n    */\n" + WHOLE,
    "a whole file in one line": HEAD + f"    f({'x, ' * 400}\n" + WHOLE,
    "deeper than anybody writes": HEAD + "    {\n" * 600 + WHOLE,
    "far too many": HEAD + "    f(\n" * 9 + WHOLE,
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_where_it_cannot_be_told_nothing_is_left_out(name: str) -> None:
    assert unmatched_lines((BEFORE + UNKNOWN[name] + AFTER).encode()) == ()


def test_every_prefix_of_a_statement_leaves_the_others_alone() -> None:
    statement = "    for (int i = 0; i < n; i++) { double half = 0.5 * f(x[i], (n)); if (half > 0) { x[i] = half; } }"
    for end in range(len(statement) + 1):
        text = (BEFORE + HEAD + statement[:end] + "\n" + WHOLE + AFTER).encode()
        parsed = parse(Snapshot(Path("a.cpp"), text))
        assert [one.qualified for one in find_functions(parsed)] == ["a::before", "a::typed", "a::after"], statement[
            :end
        ]
