"""The expression language of contracts: values as C has them, places of mistakes, bounds on what a text may cost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernwright.expression import MAX_LENGTH, BadExpression, Number, parse_expression

VALUES: list[tuple[str, dict[str, Number], Number]] = [
    ("1 + 2 * 3", {}, 7),
    ("(1 + 2) * 3", {}, 9),
    ("7 / 2", {}, 3),
    ("-7 / 2", {}, -3),
    ("-7 % 4", {}, -3),
    ("7.0 / 2", {}, 3.5),
    ("1_000 + 1e3", {}, 2000.0),
    ("(n - 1) * incx + 1", {"n": 5, "incx": 2}, 9),
    ("min(n, 3, m) + max(0, -n) + abs(-m)", {"n": 5, "m": 2}, 4),
    ("m % 4 == 0 and n <= m", {"m": 8, "n": 8}, 1),
    ("m % 4 == 0 && n <= m", {"m": 8, "n": 9}, 0),
    ("not n or m", {"n": 1, "m": 0}, 0),
    ("!(n > 3) || m", {"n": 1, "m": 0}, 1),
    ("0 <= n < m", {"n": 3, "m": 3}, 0),
    ("n == 0 or 8 / n > 1", {"n": 0}, 1),
    ("- - + n", {"n": 3}, 3),
]


@pytest.mark.parametrize(("text", "names", "value"), VALUES)
def test_values(text: str, names: dict[str, Number], value: Number) -> None:
    expression = parse_expression(text)
    assert expression.evaluate(names) == value
    assert expression.holds(names) == bool(value)
    assert expression.names == frozenset(names)
    bound = expression.bind(names)
    assert bound.names == frozenset() and bound.evaluate({}) == value and str(bound) == text


MISTAKES = [
    ("n +", 3, "expected a number, a name or '('"),
    ("n 2", 2, "unexpected '2'"),
    ("(n", 2, "expected ')'"),
    ("n @ 2", 2, "'@' is not part"),
    ("pow(n, 2)", 0, "'pow' is no function here"),
    ("abs(1, 2)", 0, "one argument"),
    ("", 0, "the end"),
    ("(" * 200, 41, "nested"),
    ("-" * 200 + "1", 41, "nested"),
    ("not " * 90 + "1", 164, "nested"),
    ("n + " * MAX_LENGTH + "1", MAX_LENGTH, "characters"),
]


@pytest.mark.parametrize(("text", "position", "words"), MISTAKES)
def test_mistakes(text: str, position: int, words: str) -> None:
    with pytest.raises(BadExpression) as caught:
        parse_expression(text)
    assert words in str(caught.value)
    assert caught.value.position == position


def test_a_long_sum_does_not_exhaust_the_stack() -> None:
    assert parse_expression("+".join("1" * 200)).evaluate({}) == 200


@given(st.text(alphabet="nm0123456789+-*/%(),<>=!&| andorotmixbs.e", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        expression = parse_expression(text)
    except BadExpression as error:
        assert 0 <= error.position <= len(text)
    else:
        assert parse_expression(str(expression)) == expression
