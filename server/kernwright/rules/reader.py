"""From the Markdown of a rule file to a ``Rule``, or to the problems that it has, each with its line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml
from pydantic import ValidationError

from kernwright.rules.cases import BadCase, read_case
from kernwright.rules.front_matter import FrontMatter, describe
from kernwright.rules.model import (
    SECTIONS,
    Anchor,
    Case,
    Origin,
    Parameter,
    QueryBlock,
    Rule,
    RuleProblem,
    Safety,
    Severity,
    Status,
    Template,
    TransformCall,
)
from kernwright.rules.queries import query_problems
from kernwright.rules.query_text import predicates_of
from kernwright.rules.vocabulary import bound_names, problem_with_call
from kernwright.syntax import Language

_FENCE = re.compile(r"^(`{3,}|~{3,})\s*(.*?)\s*$")
_HEADING = re.compile(r"^##\s+(.*?)\s*#*\s*$")
_CAPTURE = re.compile(r"@([A-Za-z_][\w.-]*)")
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The safe loader, in C where the library has it: ten times as fast."""
_LANGUAGE_WORDS = {"c": Language.C, "cpp": Language.CPP, "c++": Language.CPP}


@dataclass(frozen=True)
class Block:
    """A fenced block: its info words, its text, and the line of its fence (from 1)."""

    words: tuple[str, ...]
    text: str
    line: int


@dataclass(frozen=True)
class Section:
    """One ``##`` section: the prose without blocks, and its blocks in order."""

    title: str
    line: int
    prose: str
    blocks: tuple[Block, ...]


def read_rule(path: Path, text: str, origin: Origin = Origin.BUNDLED, docs: str = "") -> Rule | list[RuleProblem]:
    """Read one rule file. ``path`` is for messages and for the check that the name is the file's stem."""
    read = read_rule_text(path, text, origin, docs)
    return read if isinstance(read, list) else query_problems([read]) or read


def read_rule_text(path: Path, text: str, origin: Origin, docs: str = "") -> Rule | list[RuleProblem]:
    """As ``read_rule``, but whether its queries build is left to the caller, who can ask for many rules at once."""
    return _Reader(path, text, origin, docs or path.name).read()


class _Reader:
    """Collects every problem of one file, so that its author sees all of them at once."""

    def __init__(self, path: Path, text: str, origin: Origin, docs: str) -> None:
        self.path = path
        self.lines = text.lstrip("﻿").splitlines()
        self.origin = origin
        self.docs = docs
        self.problems: list[RuleProblem] = []

    def complain(self, line: int, message: str) -> None:
        self.problems.append(RuleProblem(self.path, line, message))

    def read(self) -> Rule | list[RuleProblem]:
        front, body_start = self.front_matter()
        if front is None:
            return self.problems
        sections = {section.title: section for section in self.sections(body_start)}
        self.check_order(list(sections.values()))
        languages = tuple(Language(word) for word in front.languages)
        queries = self.queries(sections.get("Match"))
        known = self.known_names(queries)
        templates, transforms = self.rewrites(sections.get("Rewrite"), known)
        self.check_message(front, known, bool(queries))
        if front.safety == "display-only" and (templates or transforms):
            self.complain(
                sections["Rewrite"].line, "a display-only rule has no rewrite; remove it or change `safety` to 'safe'"
            )
        finds = self.cases(sections.get("Finds"), front.name)
        ignores = self.cases(sections.get("Ignores"), front.name)
        self.check_cases(sections, finds, ignores, bool(queries))
        if self.problems:
            return self.problems
        return Rule(
            name=front.name,
            description=front.description,
            message=front.message or front.description,
            languages=languages,
            severity=Severity(front.severity),
            safety=Safety(front.safety),
            status=Status(front.status),
            queries=queries,
            templates=templates,
            transforms=transforms,
            finds=finds,
            ignores=ignores,
            targets=tuple(front.targets),
            assumes=tuple(front.assumes),
            verify=tuple(front.verify),
            since=front.since,
            sources=tuple(front.sources),
            learned_from=tuple(front.origin),
            utility=front.utility,
            adopted=front.adopted,
            kernels=tuple(front.kernels),
            last_used=front.last_used,
            sections={title: section.prose for title, section in sections.items()},
            origin=self.origin,
            path=self.path,
            docs=self.docs,
        )

    def front_matter(self) -> tuple[FrontMatter | None, int]:
        if not self.lines or self.lines[0].rstrip() != "---":
            self.complain(1, "no front matter; the file starts with a line '---', YAML, and a second line '---'")
            return None, 0
        end = next((n for n, line in enumerate(self.lines[1:], 1) if line.rstrip() == "---"), None)
        if end is None:
            self.complain(1, "the front matter has no end; close it with a line '---'")
            return None, 0
        try:
            loaded: Any = yaml.load("\n".join(self.lines[1:end]), _Loader) or {}
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = mark.line + 2 if mark is not None else 1
            self.complain(line, f"the front matter is not YAML: {getattr(error, 'problem', None) or error}")
            return None, 0
        if not isinstance(loaded, dict):
            self.complain(2, "the front matter is no mapping; write 'name: value' lines")
            return None, 0
        try:
            front = FrontMatter.model_validate(cast("dict[str, Any]", loaded))
        except ValidationError as error:
            for key, message in describe(error):
                self.complain(self.line_of_key(key, end), message)
            return None, 0
        if front.name != self.path.stem:
            self.complain(
                self.line_of_key("name", end),
                f"the rule is named '{front.name}' but its file '{self.path.name}'; make them the same",
            )
        return front, end + 1

    def line_of_key(self, key: str, end: int) -> int:
        return next((n + 1 for n, line in enumerate(self.lines[1:end], 1) if line.startswith(f"{key}:")), 1)

    def sections(self, start: int) -> Iterator[Section]:
        title, line, prose, blocks = "", start, list[str](), list[Block]()
        seen: set[str] = set()
        number = start
        while number < len(self.lines):
            text = self.lines[number]
            number += 1
            if fence := _FENCE.match(text):
                opened = number
                content: list[str] = []
                while number < len(self.lines) and self.lines[number].rstrip() != fence.group(1):
                    content.append(self.lines[number])
                    number += 1
                if number == len(self.lines):
                    self.complain(opened, f"this block has no end; close it with {fence.group(1)}")
                number += 1
                blocks.append(Block(tuple(fence.group(2).split()), "\n".join(content), opened))
            elif heading := _HEADING.match(text):
                if title:
                    yield Section(title, line, "\n".join(prose).strip(), tuple(blocks))
                title, line, prose, blocks = heading.group(1), number, [], []
                if title not in SECTIONS:
                    self.complain(number, f"'{title}' is no section of a rule; the sections are {', '.join(SECTIONS)}")
                if title in seen:
                    self.complain(number, f"the section '{title}' occurs twice; join the two")
                seen.add(title)
            else:
                prose.append(text)
        if title:
            yield Section(title, line, "\n".join(prose).strip(), tuple(blocks))

    def check_order(self, sections: list[Section]) -> None:
        places = [SECTIONS.index(section.title) for section in sections if section.title in SECTIONS]
        if places != sorted(places):
            self.complain(sections[0].line, f"the sections are out of order; the order is {', '.join(SECTIONS)}")
        if "What it does" not in [section.title for section in sections]:
            self.complain(len(self.lines) or 1, "no section 'What it does'; say in a few sentences what is found")

    def queries(self, section: Section | None) -> tuple[QueryBlock, ...]:
        blocks: list[QueryBlock] = []
        for block in section.blocks if section else ():
            if block.words[:1] != ("query",):
                self.complain(block.line, "a block under Match is marked ```query; mark it so, or move it")
                continue
            calls = predicates_of(block.text, block.line + 1)
            for call in calls:
                if fault := problem_with_call(call):
                    self.complain(call.line, fault)
            blocks.append(QueryBlock(block.text, block.line + 1, calls))
        return tuple(blocks)

    def known_names(self, queries: tuple[QueryBlock, ...]) -> frozenset[str]:
        """Names that a message or a template may use: those that every query has, captured or bound."""
        sets = [
            frozenset(_CAPTURE.findall(query.text))
            | frozenset(name for call in query.predicates for name in bound_names(call))
            for query in queries
        ]
        shared = sets[0] if sets else frozenset[str]()
        for one in sets[1:]:
            shared &= one
        return shared | {"kernel"}

    def rewrites(
        self, section: Section | None, known: frozenset[str]
    ) -> tuple[tuple[Template, ...], tuple[TransformCall, ...]]:
        templates: list[Template] = []
        transforms: list[TransformCall] = []
        for block in section.blocks if section else ():
            match block.words:
                case ("rewrite", capture):
                    templates.append(Template(capture, block.text, Anchor.REPLACE, block.line))
                case ("rewrite", "before" | "after" as anchor, capture):
                    templates.append(Template(capture, block.text, Anchor(anchor), block.line))
                case ("transform", name, *rest) if len(rest) <= 1:
                    space = self.space(block)
                    transforms.append(TransformCall(name, rest[0] if rest else "loop", space, block.line))
                    if transforms[-1].capture not in known:
                        self.complain(
                            block.line, f"no query has @{transforms[-1].capture}; capture the loop to transform"
                        )
                case _:
                    self.complain(
                        block.line,
                        "a block under Rewrite is ```rewrite CAPTURE, ```rewrite before CAPTURE or ```transform NAME",
                    )
        for template in templates:
            if template.capture not in known:
                self.complain(template.line, f"no query has @{template.capture}; capture the place to rewrite")
            for fresh, name in Template.PLACE.findall(template.text):
                if not fresh and name not in known:
                    self.complain(
                        template.line, f"{{{name}}} names nothing; capture @{name}, or write '{{ {name} }}' for braces"
                    )
        return tuple(templates), tuple(transforms)

    def space(self, block: Block) -> dict[str, tuple[Parameter, ...]]:
        try:
            loaded: Any = yaml.load(block.text, _Loader) or {}
        except yaml.YAMLError as error:
            self.complain(block.line, f"the parameters are not YAML: {getattr(error, 'problem', None) or error}")
            return {}
        if not isinstance(loaded, dict):
            self.complain(block.line, "the parameters are no mapping; write 'lanes: [4, 8]'")
            return {}
        space: dict[str, tuple[Parameter, ...]] = {}
        for key, value in cast("dict[Any, Any]", loaded).items():
            values = cast("list[Any]", value) if isinstance(value, list) else [value]
            if not values or not all(isinstance(one, (int, float, str, bool)) for one in values):
                self.complain(block.line, f"'{key}' is a number, a word, or a list of them")
                continue
            space[str(key)] = tuple(values)
        return space

    def check_message(self, front: FrontMatter, known: frozenset[str], has_match: bool) -> None:
        for fresh, name in Template.PLACE.findall(front.message) if has_match else ():
            if fresh or name not in known:
                line = self.line_of_key("message", len(self.lines))
                self.complain(line, f"{{{name}}} in the message names nothing; capture @{name} in every query")

    def cases(self, section: Section | None, name: str) -> tuple[Case, ...]:
        cases: list[Case] = []
        blocks = list(section.blocks) if section else []
        for number, block in enumerate(blocks):
            word = block.words[0] if block.words else ""
            if word == "fixed":
                if number == 0 or blocks[number - 1].words[:1] == ("fixed",):
                    self.complain(block.line, "a ```fixed block follows the code that it is the rewrite of")
                continue
            language = _LANGUAGE_WORDS.get(word)
            if language is None:
                self.complain(block.line, f"a case is marked ```c or ```cpp, not '{word}'")
                continue
            after = blocks[number + 1] if number + 1 < len(blocks) else None
            fixed = after.text + "\n" if after is not None and after.words[:1] == ("fixed",) else None
            try:
                cases.append(read_case(language, block.text, block.line, block.words[1:], fixed))
            except BadCase as error:
                self.complain(block.line + 1 + error.line, f"{error} in a case of {name}")
        return tuple(cases)

    def check_cases(
        self, sections: dict[str, Section], finds: tuple[Case, ...], ignores: tuple[Case, ...], has_match: bool
    ) -> None:
        if not has_match:
            return
        if not finds:
            line = sections["Finds"].line if "Finds" in sections else len(self.lines)
            self.complain(line, "no case under Finds; add code with a mark such as '// ^^^ name' under the place")
        for case in finds:
            if not case.marks:
                self.complain(case.line, "this case marks no place; put '// ^^^ name' under the place to be found")
        for case in ignores:
            if case.marks:
                self.complain(case.line, "a case under Ignores marks nothing; move it to Finds or remove the mark")
