"""Building tree-sitter queries out of rules.

One query of all rules together takes a tenth of the time of one query each, to build and to run: most of the work of
building is done once for the grammar. A query is built only from texts whose predicates were checked, because
directives such as ``#set!`` can crash the parser's own library.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from tree_sitter import Query, QueryError

from kernwright.rules.model import PredicateCall, QueryBlock, Rule, RuleProblem
from kernwright.rules.query_text import predicates_of
from kernwright.syntax import Language, grammar

_BUILT_IN = re.compile(r"(?:any-)?(?:not-)?(?:eq|match)\?|(?:not-)?any-of\?|is(?:-not)?\?|set!")
_ESCAPE = re.compile(r"\\(.)", re.S)


@dataclass(frozen=True)
class JoinedQuery:
    """One query for several blocks of text. For each pattern, ``owners`` has the number of its block, and
    ``predicates`` the calls that the library does not know and leaves to us."""

    query: Query
    owners: tuple[int, ...]
    predicates: tuple[tuple[PredicateCall, ...], ...]


@lru_cache(maxsize=32)
def joined_query(texts: tuple[str, ...], language: Language) -> JoinedQuery:
    """All patterns of all texts. A text that is no query for the language is left out."""
    try:
        return _join(texts, language)
    except (QueryError, ValueError):
        return _join(tuple(text if _fault(text, language) is None else "" for text in texts), language)


def _join(texts: tuple[str, ...], language: Language) -> JoinedQuery:
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text.encode()) + 1
    text = "\n".join(texts) + "\n"
    query = Query(grammar(language), text)
    patterns = range(query.pattern_count)
    firsts = [query.start_byte_for_pattern(index) for index in patterns]
    written = [text.encode()[first : query.end_byte_for_pattern(index)] for index, first in enumerate(firsts)]
    return JoinedQuery(
        query,
        tuple(bisect_right(starts, first) - 1 for first in firsts),
        tuple(_own_predicates(pattern.decode()) for pattern in written),
    )


def _own_predicates(pattern: str) -> tuple[PredicateCall, ...]:
    """What the library does not check itself, with its strings as the library reads them."""
    return tuple(
        replace(call, arguments=tuple(_ESCAPE.sub(_unescaped, argument) for argument in call.arguments))
        for call in predicates_of(pattern, 0)
        if not _BUILT_IN.fullmatch(call.name)
    )


def _unescaped(escape: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r", "t": "\t", "0": "\0"}.get(escape[1], escape[1])


def query_problems(rules: Iterable[Rule]) -> list[RuleProblem]:
    """What is wrong with the queries of rules whose predicates are in order: one problem per block at most."""
    listed = list(rules)
    problems: dict[tuple[str, int], RuleProblem] = {}
    for language in Language:
        blocks = [(rule, block) for rule in listed if language in rule.languages for block in rule.queries]
        try:
            _join(tuple(block.text for _, block in blocks), language)
        except (QueryError, ValueError):
            for rule, block in blocks:
                problem = _problem(rule, block, language)
                if problem is not None:
                    problems.setdefault((rule.name, block.line), problem)
    return list(problems.values())


def _problem(rule: Rule, block: QueryBlock, language: Language) -> RuleProblem | None:
    fault = _fault(block.text, language)
    if fault is None:
        return None
    row = re.search(r"at row (\d+)", fault)
    line = block.line + (int(row.group(1)) if row else 0)
    return RuleProblem(rule.path, line, f"this is no query for {language.value}: {fault}")


def _fault(text: str, language: Language) -> str | None:
    try:
        Query(grammar(language), text)
    except (QueryError, ValueError) as error:
        return str(error)
    return None
