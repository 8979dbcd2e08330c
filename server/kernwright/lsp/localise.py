"""What a user sees of the server, in the editor's language: parts of lenses, actions, progress, messages, errors.

The server's words are English wherever they are made. This is the one place that knows others: on the way out a text
is looked up in the catalogue of the client's locale, by its form. What has no entry stays as it is: offers' titles,
findings and remarks are words of the engine and of compilers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types

from kernwright.lsp import ext
from kernwright.lsp.convert import Json, table_of

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_FOLDER = Path(__file__).with_name("catalogues")
_SIMPLIFIED = re.compile(r"zh(?:$|[-_](?:hans|cn|sg))", re.IGNORECASE)
_PARTS = " · "
"""What the parts of a lens are joined with."""
_FORMS = {"count": r"\d+", "line": r"\d+", "share": r"\S+"}
"""What may stand in a place, where it is not any text."""
_DEPTH = 8
"""Colons of a text that are looked at: what compilers say may have hundreds."""
_WITHIN = frozenset({"why", "age", "kind", "state", "words"})
"""Places in a text that may hold a text of the catalogue again."""


class Catalogue:
    """Texts and templates of one language. A template's places are in braces: ``Profile {kernel}``."""

    def __init__(self, entries: Mapping[str, str]) -> None:
        self._exact = {plain(text): plain(other) for text, other in entries.items() if not places(text)}
        templates = [(text, other) for text, other in entries.items() if places(text)]
        # The one that says more of a text is meant, where several fit.
        templates.sort(key=lambda entry: -_weight(entry[0]))
        self._templates = [(_pattern(text), other) for text, other in templates]
        self.said = lru_cache(maxsize=1024)(self._said)

    def _said(self, text: str) -> str:
        """The text in this language, or as it is."""
        if text in self._exact:
            return self._exact[text]
        if _PARTS in text:
            return _PARTS.join(map(self.said, text.split(_PARTS)))
        for pattern, other in self._templates:
            found = pattern.fullmatch(text)
            if found is not None:
                values = found.groupdict()
                return other.format(
                    **{name: self.said(value) if name in _WITHIN else value for name, value in values.items()}
                )
        return self._of_something(text)

    def _of_something(self, text: str) -> str:
        """A text about what stands in front of it: ``dot: nothing is left to try``."""
        if not 0 < text.count(": ") <= _DEPTH:
            return text
        head, tail = text.split(": ", 1)
        parts = self.said(head), self.said(tail)
        return "：".join(parts) if parts != (head, tail) else text


def catalogue_of(locale: str) -> Catalogue | None:
    """The catalogue of a locale; None where the server's own words are the nearest."""
    if _SIMPLIFIED.match(locale) is None:
        return None
    sections: dict[str, dict[str, str]] = json.loads((_FOLDER / "zh-cn.json").read_text(encoding="utf-8"))
    return Catalogue({text: other for section in sections.values() for text, other in section.items()})


def places(template: str) -> list[str]:
    """The names of a template's places, in their order."""
    return [name for _, name, _, _ in Formatter().parse(template) if name is not None]


def plain(template: str) -> str:
    """A text without places, with its own braces."""
    return "".join(literal for literal, _, _, _ in Formatter().parse(template))


def _weight(template: str) -> int:
    return len(plain(template))


def _pattern(template: str) -> re.Pattern[str]:
    words: list[str] = []
    for literal, name, _, _ in Formatter().parse(template):
        words.append(re.escape(literal))
        if name is not None:
            words.append(f"(?P<{name}>{_FORMS.get(name, '.+')})")
    return re.compile("".join(words), re.DOTALL)


def register(server: KernwrightServer) -> None:
    catalogue = catalogue_of(server.locale)
    if catalogue is None:
        return
    plain_of = server.endpoint.plain

    def localised(method: str, value: Any) -> Any:
        match method:
            case types.TEXT_DOCUMENT_CODE_LENS:
                return [_titled(lens, catalogue) for lens in cast(list[Json], value)]
            case types.TEXT_DOCUMENT_CODE_ACTION:
                return [_action(action, catalogue) for action in cast(list[Json], value)]
            case types.CODE_ACTION_RESOLVE:
                return _action(plain_of(value), catalogue)
            case types.WORKSPACE_EXECUTE_COMMAND | ext.CHANGE_RULE:
                return _worded(value, ("said",), catalogue)
            case types.WINDOW_SHOW_MESSAGE | types.WINDOW_SHOW_MESSAGE_REQUEST:
                return _worded(plain_of(value), ("message",), catalogue)
            case types.WORKSPACE_APPLY_EDIT:
                return _worded(value, ("label",), catalogue)
            case types.PROGRESS:
                return {**value, "value": _worded(value["value"], ("title", "message"), catalogue)}
            case ext.JOB:
                return _worded(value, ("title", "step", "why", "said"), catalogue)
            case _:
                return value

    server.endpoint.localised = localised
    server.endpoint.said = catalogue.said


def _worded(table: Any, names: tuple[str, ...], catalogue: Catalogue) -> Any:
    """A table with some of its texts in the catalogue's language."""
    given = table_of(table)
    return {**given, **dict(_found(given, names, catalogue))} if given else table


def _found(table: Json, names: tuple[str, ...], catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    for name in names:
        text: object = table.get(name)
        if isinstance(text, str) and text:
            yield name, catalogue.said(text)


def _titled(table: Json, catalogue: Catalogue) -> Json:
    """A lens or action with the title of its command."""
    command = table.get("command")
    return {**table, "command": _worded(command, ("title",), catalogue)} if isinstance(command, dict) else table


def _action(action: Any, catalogue: Catalogue) -> Any:
    """An action; of a client that takes commands alone, a command."""
    worded = _titled(cast(Json, _worded(action, ("title",), catalogue)), catalogue)
    if isinstance(worded.get("disabled"), dict):
        worded["disabled"] = _worded(worded["disabled"], ("reason",), catalogue)
    return worded
