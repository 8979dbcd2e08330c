"""``extension/src/protocol.ts``, made from what ``ext`` names: interfaces, methods, who says and who asks what."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from textwrap import wrap
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from kernwright.lsp import ext

_DIRECTION = re.compile(r"``kernwright/\w+``, (server to client|client to server): ")
_PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null"}
_WIDTH = 118
_HEAD = """\
// Made from server/kernwright/lsp/ext.py and its neighbours by `make docs`: change those files instead.
// Messages beyond the Language Server Protocol, for views of the editor's own. Each can be left aside.
"""


def protocol_text() -> str:
    """The whole file."""
    parts = [_HEAD]
    kinds = [*ext.NOTIFICATIONS.values(), *(kind for both in ext.REQUESTS.values() for kind in both)]
    for kind in _classes(kinds):
        comment = _comment(_documentation(kind))
        parts.append(f"{comment}\n{_interface(kind)}" if comment else _interface(kind))
    methods = dict.fromkeys([*ext.NOTIFICATIONS, *ext.REQUESTS])
    parts.append("\n".join(f'export const {_constant(method)} = "{method}";' for method in methods))
    parts.append(_directory("FromServer", "Notifications that the server sends, by method.", "server to client"))
    parts.append(_directory("ToServer", "Notifications that the server takes, by method.", "client to server"))
    parts.append(_requests())
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def direction_of(kind: type[Any]) -> str:
    """``server to client`` or ``client to server``, as a message's class says it. ``ValueError`` if it does not."""
    found = _DIRECTION.match(_documentation(kind))
    if found is None:
        raise ValueError(f"{kind.__name__}: its documentation begins with its method and who says it to whom")
    return found[1]


def _directory(name: str, documentation: str, direction: str) -> str:
    lines = [
        f"  readonly [{_constant(method)}]: {kind.__name__};"
        for method, kind in ext.NOTIFICATIONS.items()
        if direction_of(kind) == direction
    ]
    return "\n".join([_comment(documentation), f"export interface {name} {{", *lines, "}"])


def _requests() -> str:
    lines = [
        f"  readonly [{_constant(method)}]: "
        f"{{ readonly params: {params.__name__}; readonly result: {result.__name__} }};"
        for method, (params, result) in ext.REQUESTS.items()
    ]
    comment = _comment("Requests that the server answers, by method.")
    return "\n".join([comment, "export interface Requests {", *lines, "}"])


def _classes(kinds: Iterable[type[Any]]) -> Iterator[type[Any]]:
    """The classes with those that their fields name before them, each once."""
    seen: set[type[Any]] = set()

    def walk(kind: type[Any]) -> Iterator[type[Any]]:
        if kind in seen:
            return
        seen.add(kind)
        for hint in get_type_hints(kind).values():
            for inner in (hint, *get_args(hint)):
                if is_dataclass(inner) and isinstance(inner, type):
                    yield from walk(inner)
        yield kind

    for kind in kinds:
        yield from walk(kind)


def _interface(kind: type[Any]) -> str:
    hints = get_type_hints(kind)
    lines = [
        f"  readonly {field.name}{'' if field.default is MISSING else '?'}: {_type(hints[field.name])};"
        for field in fields(kind)
    ]
    return "\n".join([f"export interface {kind.__name__} {{", *lines, "}"])


def _type(hint: Any) -> str:
    if hint in _PLAIN:
        return _PLAIN[hint]
    if is_dataclass(hint) and isinstance(hint, type):
        return hint.__name__
    match get_origin(hint), get_args(hint):
        case (origin, (item, end)) if origin is tuple and end is Ellipsis:
            return f"readonly {_type(item)}[]"
        case (origin, choices) if origin in (Union, types.UnionType):
            return " | ".join(_type(choice) for choice in choices)
        case (origin, words) if origin is Literal:
            return " | ".join(f'"{word}"' for word in words)
        case _:
            raise ValueError(f"{hint}: has no counterpart in the extension's language")


def _documentation(kind: type[Any]) -> str:
    """The class's documentation in one paragraph; empty where it has none but what a dataclass is given."""
    text = " ".join((inspect.getdoc(kind) or "").split())
    return "" if text.startswith(f"{kind.__name__}(") else text


def _comment(text: str) -> str:
    """A documentation comment, with code marked as the extension's language marks it."""
    if not text:
        return ""
    lines = wrap(text.replace("``", "`").replace("*/", "* /"), _WIDTH - 3)
    if len(lines) == 1 and len(lines[0]) + 7 <= _WIDTH:
        return f"/** {lines[0]} */"
    return "\n".join(["/**", *(f" * {line}" for line in lines), " */"])


def _constant(method: str) -> str:
    """``KERNELS_CHANGED`` for ``kernwright/kernelsChanged``."""
    return re.sub(r"(?=[A-Z])", "_", method.rpartition("/")[2]).upper()
