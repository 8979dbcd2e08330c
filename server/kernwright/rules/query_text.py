"""Reading the predicates out of a tree-sitter query's text, with their lines."""

from __future__ import annotations

import re

from kernwright.rules.model import PredicateCall

_OPEN = re.compile(r"\(\s*#([\w-]+[?!])")
_ARGUMENT = re.compile(r'\s*(?:"((?:\\.|[^"\\])*)"|(@?[^\s()"]+))')
_COMMENT = re.compile(r'"(?:\\.|[^"\\])*"|(;[^\n]*)')


def predicates_of(text: str, first_line: int) -> tuple[PredicateCall, ...]:
    """Every ``(#name? …)`` in order; ``first_line`` is the line of the text's first line in its file."""
    text = _COMMENT.sub(lambda match: " " * len(match.group()) if match.group(1) else match.group(), text)
    calls: list[PredicateCall] = []
    for opened in _OPEN.finditer(text):
        arguments: list[str] = []
        captures: list[bool] = []
        at = opened.end()
        while argument := _ARGUMENT.match(text, at):
            word = argument.group(2)
            captures.append(word is not None and word.startswith("@"))
            arguments.append(argument.group(1) if word is None else word.removeprefix("@"))
            at = argument.end()
        line = first_line + text.count("\n", 0, opened.start())
        calls.append(PredicateCall(opened.group(1), tuple(arguments), tuple(captures), line))
    return tuple(calls)
