"""Hovers: what is known of a kernel on its name, a finding with its rule, the facts of a line, a contract's words.

Answered from what the session holds. Only rule texts and inferred contracts are asked of the analysis worker, with
little patience, and kept: a hover that says less at once is better than one that comes late.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.lsp import prose
from kernwright.lsp.completion import place_at
from kernwright.lsp.contract_hover import explained
from kernwright.lsp.convert import Json, moved_range, uri_of, whole_line
from kernwright.lsp.diagnostics import DOCUMENTATION
from kernwright.lsp.hints import note_words, notes_by_line
from kernwright.lsp.kept_answers import KeptAnswers
from kernwright.lsp.kernel_page import kernel_page
from kernwright.lsp.prose import Block, Code, Link, Links, Marked, Words
from kernwright.lsp.rule_page import shortened
from kernwright.mirror.messages import ContractOf, DraftContract, RuleDocument, RuleText
from kernwright.mirror.model import FoundFinding
from kernwright.session.document import Document, content_of, units_of
from kernwright.session.facts import PlacedKernel

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

_PATIENCE_SECONDS = 0.3
_PATIENCE_WHILE_TYPING = 0.01
_TYPING_SECONDS = 1.0
Said = tuple[Json, list[Block]]
"""A range of the protocol and what is said of it."""


def register(server: KernwrightServer) -> None:
    answers = KeptAnswers(server.session.analysis)
    # Rules, and contracts in a kernwright.toml, may be others after their folder was read again.
    server.session.listeners.problems.append(lambda folder: answers.forget())
    server.session.listeners.analysed.append(lambda uri: _prepare(server, answers, uri))

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> Json | None:
        position = params.position
        document = server.session.known(params.text_document.uri)
        if document is None or not 0 <= position.line < len(document.lines):
            return None
        version = document.version
        said = list(_of_contract(server, document, position))
        said += [one async for one in _of_kernels(server, answers, document, position)]
        said += [one async for one in _of_findings(server, answers, document, position)]
        said += _of_line(server, document, position)
        # Asking took time: places in a text that has gone on would be wrong ones.
        if not said or document.version != version:
            return None
        kind = types.MarkupKind.Markdown if server.client.markdown else types.MarkupKind.PlainText
        write = prose.markdown if server.client.markdown else prose.plain
        pages = dict.fromkeys(write(blocks) for _, blocks in said)
        return {"contents": {"kind": kind.value, "value": prose.SEPARATOR.join(pages)}, "range": said[0][0]}

    _ = hover


def _prepare(server: KernwrightServer, answers: KeptAnswers, uri: str) -> None:
    """Have the texts of the rules that were found at hand before anybody points at a finding."""
    document = server.session.known(uri)
    if document is not None:
        root = server.session.root_of(document.path)
        for name in {one.rule for one in server.session.findings(uri) if one.docs.startswith("rules/")}:
            answers.prepare((root, name), RuleText(root, name))


def _patience(document: Document) -> float:
    """Nobody reads long while typing, and the worker has other things to do then."""
    quiet = time.monotonic() - document.changed_at
    return _PATIENCE_WHILE_TYPING if quiet < _TYPING_SECONDS else _PATIENCE_SECONDS


def _of_contract(server: KernwrightServer, document: Document, position: types.Position) -> Iterator[Said]:
    encoding = server.session.encoding
    place = place_at(document, position, encoding)
    found = explained(place) if place is not None else None
    if found is None:
        return
    content = content_of(document.lines[position.line])
    where = {
        "start": {"line": position.line, "character": units_of(content[: found.start], encoding)},
        "end": {"line": position.line, "character": units_of(content[: found.end], encoding)},
    }
    # The sentences have their code in marks of Markdown.
    blocks: list[Block] = [Marked(found.meaning.meaning)]
    if found.meaning.example.strip('"[]') not in ("", found.word):
        blocks.append(Code(found.meaning.example, "toml"))
    yield where, blocks


async def _of_kernels(
    server: KernwrightServer, answers: KeptAnswers, document: Document, position: types.Position
) -> AsyncIterator[Said]:
    session, uri = server.session, document.uri
    found = session.analysed(uri)
    for kernel in session.kernels(uri):
        if found is None or kernel.name_line != position.line:
            continue
        where = moved_range(document, kernel.summary.name_range, found.version, session.encoding)
        if where is None or not _holds(where, position):
            continue
        signature = kernel.summary.signature
        draft = await _contract(answers, document, kernel)
        problems = [
            finding.message
            for finding in session.findings(uri)
            if finding.rule == "contract" and finding.kernel == signature
        ]
        page = kernel_page(kernel, session.kept.facts(uri, signature), found.language, draft, problems, time.time())
        yield where, page


async def _contract(answers: KeptAnswers, document: Document, kernel: PlacedKernel) -> DraftContract | None:
    summary = kernel.summary
    if kernel.touched or summary.contract == "broken":
        return None
    question = ContractOf(document.uri, summary.signature)
    key = document.uri, summary.signature, summary.key
    answer = await answers.answer(key, question, _patience(document))
    return answer if isinstance(answer, DraftContract) else None


async def _of_findings(
    server: KernwrightServer, answers: KeptAnswers, document: Document, position: types.Position
) -> AsyncIterator[Said]:
    session = server.session
    found = session.analysed(document.uri)
    for finding in session.findings(document.uri):
        if found is None or finding.in_file is not None:
            continue
        where = moved_range(document, finding.range, found.version, session.encoding)
        if where is None or not _holds(where, position):
            continue
        rule = await _rule(server, answers, document, finding.rule) if finding.docs else None
        yield (
            where,
            [
                Words(finding.message),
                Words(f"{finding.rule} ({finding.evidence})"),
                *_places(document, finding, found.version),
                *_explanation(server, finding, rule),
            ],
        )


async def _rule(server: KernwrightServer, answers: KeptAnswers, document: Document, name: str) -> RuleDocument | None:
    root = server.session.root_of(document.path)
    answer = await answers.answer((root, name), RuleText(root, name), _patience(document))
    return answer if isinstance(answer, RuleDocument) else None


def _places(document: Document, finding: FoundFinding, version: int) -> Iterator[Block]:
    links: list[tuple[Link, str]] = []
    for place, message in finding.related:
        line = document.line_now(place.start.line, version)
        if line is not None:
            links.append((Link(f"line {line + 1}", f"{document.uri}#L{line + 1}"), message))
    if links:
        yield Links(tuple(links))


def _explanation(server: KernwrightServer, finding: FoundFinding, rule: RuleDocument | None) -> Iterator[Block]:
    """The rule's text, and where all of it is: on the web for who shows such addresses, else its file."""
    if rule is not None:
        yield Marked(shortened(rule.text))
    if server.client.code_description and finding.docs:
        yield Links(((Link(finding.rule, DOCUMENTATION + finding.docs), ""),))
    elif rule is not None and rule.path is not None:
        yield Links(((Link(rule.path.name, uri_of(rule.path)), ""),))


def _of_line(server: KernwrightServer, document: Document, position: types.Position) -> Iterator[Said]:
    line = position.line
    notes = notes_by_line(server, document.uri, line, line).get(line, [])
    if notes:
        blocks: list[Block] = [Words(note_words(placed)) for placed in notes]
        yield whole_line(document, line, server.session.encoding), blocks


def _holds(where: Json, position: types.Position) -> bool:
    """Whether a range holds a position; an empty one holds the place where it is."""
    start = (where["start"]["line"], where["start"]["character"])
    end = (where["end"]["line"], where["end"]["character"])
    at = (position.line, position.character)
    return start <= at < end or at == start == end
