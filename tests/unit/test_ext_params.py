"""Parameters of messages beyond the protocol, and their results as plain data."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Literal

import pytest

from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.ext_params import plain, taken


@dataclass(frozen=True)
class Inner:
    name: str
    shares: tuple[float, ...]


@dataclass(frozen=True)
class Outer:
    one: Inner
    all: tuple[Inner, ...]
    none: Inner | None
    count: int


@dataclass(frozen=True)
class Given:
    uri: str
    change: Literal["on", "off"]
    count: int = 1
    again: bool = False
    folder: str | None = None


def test_results_are_what_their_fields_say() -> None:
    inner = Inner("a", (1.0, 0.5))
    outer = Outer(inner, (inner, Inner("b", ())), None, 3)
    assert plain(outer) == json.loads(json.dumps(asdict(outer)))


def test_what_is_left_out_has_its_default() -> None:
    assert taken("m", Given, {"uri": "u", "change": "on"}) == Given("u", "on")
    given = {"uri": "u", "change": "off", "again": True, "folder": "/f", "unknown": 1}
    assert taken("m", Given, given) == Given("u", "off", again=True, folder="/f")


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (None, "m needs 'uri', a text"),
        ([], "m needs 'uri', a text"),
        ({"uri": None, "change": "on"}, "m: 'uri' is a text"),
        ({"uri": "u"}, "m needs 'change', one of on, off"),
        ({"uri": "u", "change": "out"}, "m: 'change' is one of on, off"),
        ({"uri": "u", "change": ["on"]}, "m: 'change' is one of on, off"),
        ({"uri": "u", "change": "on", "count": True}, "m: 'count' is a number"),
        ({"uri": "u", "change": "on", "again": 1}, "m: 'again' is true or false"),
        ({"uri": "u", "change": "on", "folder": 1}, "m: 'folder' is a text or null"),
    ],
)
def test_what_does_not_fit_is_named(params: Any, words: str) -> None:
    with pytest.raises(ReplyError) as caught:
        taken("m", Given, params)
    assert str(caught.value) == words
