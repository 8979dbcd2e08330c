"""Parameters and results of messages beyond the protocol as plain data: what does not fit is named in one line."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from kernwright.lsp.convert import table_of
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.message import INVALID_PARAMS

_Kind = TypeVar("_Kind")
_PLAIN = (str, int, float, bool, NoneType)
_WORDS = {str: "a text", bool: "true or false", int: "a number", float: "a number", NoneType: "null"}


def taken(method: str, kind: type[_Kind], params: object) -> _Kind:
    """The parameters of a message; ``ReplyError`` where a field is missing or of another kind. What else a client
    sends is left aside."""
    given, hints = table_of(params), get_type_hints(kind)
    values: dict[str, Any] = {}
    for field in fields(kind):  # pyright: ignore[reportArgumentType]
        if field.name in given:
            if not _fits(given[field.name], hints[field.name]):
                raise ReplyError(f"{method}: '{field.name}' is {_words(hints[field.name])}", INVALID_PARAMS)
            values[field.name] = given[field.name]
        elif field.default is MISSING:
            raise ReplyError(f"{method} needs '{field.name}', {_words(hints[field.name])}", INVALID_PARAMS)
    return kind(**values)


def plain(value: Any) -> Any:
    """A result as plain data. Lists of kernels are long and asked for often: nothing is copied that need not be."""
    match value:
        case tuple():
            return [plain(one) for one in cast(tuple[Any, ...], value)]
        case _ if is_dataclass(value):
            return {name: plain(one) if type(one) not in _PLAIN else one for name, one in vars(value).items()}
        case _:
            return value


def _fits(value: object, hint: Any) -> bool:
    match get_origin(hint), get_args(hint):
        case (origin, choices) if origin in (Union, UnionType):
            return any(_fits(value, choice) for choice in choices)
        case (origin, words) if origin is Literal:
            return value in words
        case _:
            # To Python a truth value is a number.
            return isinstance(value, hint) and (hint is bool or not isinstance(value, bool))


def _words(hint: Any) -> str:
    match get_origin(hint), get_args(hint):
        case (origin, choices) if origin in (Union, UnionType):
            return " or ".join(_words(choice) for choice in choices)
        case (origin, words) if origin is Literal:
            return f"one of {', '.join(words)}"
        case _:
            return _WORDS[hint]
