"""The server's words in other languages: every text that a user sees has an entry, and every entry fits its text."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from kernwright.lsp.localise import Catalogue, catalogue_of, places

SERVER = Path(__file__).parents[2] / "server" / "kernwright"
CATALOGUE = SERVER / "lsp" / "catalogues" / "zh-cn.json"
CHINESE = re.compile(r"[\u4e00-\u9fff]")
TOLD = {"ReplyError": 0, "NoLongerApplies": 0, "command_of": 0, "_command": 0, "ShowMessageParams": 1, "JobStep": 0,
        "cancel": 1, "cancel_where": 1, "choose": 1}  # fmt: skip
"""Calls that tell a user something, and which argument it is."""
NAMES = frozenset({"title", "message", "reason", "why", "many"})
"""Variables that hold what a user is told."""
SAID_BY_OTHERS = ("the client could not do that",)
"""What goes to a log, or stands in place of another text."""


def texts_of(node: ast.expr) -> Iterator[str]:
    """The forms that an expression may take, with ``7`` for what it is about: a count is a text as well."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            for parts in product(*(list(texts_of(value)) or ["7"] for value in values)):
                yield "".join(parts)
        case ast.FormattedValue(value=ast.IfExp() as inner):
            yield from texts_of(inner)
        case ast.FormattedValue():
            yield "7"
        case ast.IfExp(body=body, orelse=orelse):
            yield from texts_of(body)
            yield from texts_of(orelse)
        case ast.BoolOp(values=values):
            for value in values:
                yield from texts_of(value)
        case _:
            return


def told_in(path: Path) -> Iterator[tuple[int, str]]:
    """Every text of a module that a user is told, with its line."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args) if name in TOLD:
                told = args[TOLD[name]] if len(args) > TOLD[name] else None
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in NAMES:
                told = value
            case ast.Return(value=ast.expr() as value) if path.name == "job_words.py":
                told = value
            case _:
                continue
        for text in texts_of(told) if told is not None else ():
            if re.sub("7|kernwright", "", text).strip(": ") and text not in SAID_BY_OTHERS:
                yield node.lineno, text


def test_every_text_that_a_user_is_told_has_an_entry() -> None:
    catalogue = catalogue_of("zh-cn")
    assert catalogue is not None
    modules = [*(SERVER / "lsp").glob("*.py"), *(SERVER / "session").glob("*.py"), SERVER / "jobs" / "kernel.py"]
    found = [(path.name, line, text) for path in modules for line, text in told_in(path)]
    assert len(found) > 60, "the search itself finds what there is"
    missing = [(name, line, text) for name, line, text in found if not CHINESE.search(catalogue.said(text))]
    assert missing == []


def test_a_text_without_an_entry_is_noticed(tmp_path: Path) -> None:
    """The search sees all that it should: a module with each kind of text."""
    module = tmp_path / "module.py"
    module.write_text(
        'raise ReplyError(f"{one}: is new")\n'
        "title = f\"Make {count} thing{'s' if count > 1 else ''}\"\n"
        'jobs.cancel(job, "out of luck")\n'
        'types.ShowMessageParams(kind, "new" if one else f"{other}: old")\n'
    )
    texts = [text for _, text in told_in(module)]
    assert sorted(texts) == sorted(["7: is new", "Make 7 things", "Make 7 thing", "out of luck", "new", "7: old"])


def test_entries_are_complete() -> None:
    sections: dict[str, dict[str, str]] = json.loads(CATALOGUE.read_text())
    for section in sections.values():
        for text, other in section.items():
            assert CHINESE.search(other) or other.count("{") == other.count("}") > 0, text
            assert sorted(places(text)) == sorted(places(other)), text
            assert len(set(places(text))) == len(places(text)), text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Profile dot", "分析 dot 的性能"),
        ("dot · 12.3 µs · 41% of bound · memory-bound", "dot · 12.3 µs · 达到上限的 41% · 受限于内存"),
        ("dot · source changed, 3 min old", "dot · 源代码已更改，3 分钟前"),
        ("dot · optimize: running", "dot · 优化：进行中"),
        ("dot: no offer: nothing is left to try", "dot：没有可提供的改写：没有可再尝试的改写"),
        ("dot: 2 verified rewrites; the best: Tile: 3×", "dot：2 个已验证的改写；最佳：Tile: 3×"),
        ("file:///a: b.c: is not open", "file:///a: b.c：没有打开"),
        ("kernwright.accept needs {offer: …}", "kernwright.accept 需要 {offer: …}"),
        ("kernwright/machine: 'folder' is a text or null", "kernwright/machine：“folder”应为 文本 或 null"),
        ("Keep 4 partial sums: 3.9×", "Keep 4 partial sums: 3.9×"),
        ("", ""),
    ],
)
def test_texts_are_known_by_their_form(text: str, said: str) -> None:
    catalogue = catalogue_of("zh-cn")
    assert catalogue is not None
    assert catalogue.said(text) == said


@pytest.mark.parametrize(
    ("locale", "known"),
    [
        *((locale, True) for locale in ("zh-cn", "zh-CN", "zh", "zh_CN", "zh-Hans", "zh-hans-sg")),
        *((locale, False) for locale in ("zh-tw", "zh-Hant", "en", "de", "", "zhx")),
    ],
)
def test_which_locales_there_are(locale: str, known: bool) -> None:
    assert (catalogue_of(locale) is not None) is known


def test_of_several_templates_the_one_that_says_more_is_meant() -> None:
    catalogue = Catalogue({"{a}: is not {b}": "1 {a} {b}", "{a}: is not open": "2 {a}", "{a}": "3 {a}"})
    assert catalogue.said("x: is not open") == "2 x"
    assert catalogue.said("x: is not here") == "1 x here"
