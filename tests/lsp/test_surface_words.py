"""Hovers, completion and ghost text of a served file, in every editor and encoding."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from .frames import JsonObject
from .surface import DOT, DOT_CONTRACT, FINDING, SCALE, TEXT, VSCODE, Opened, Served, World, needs_compiler

ABOVE = "/* é𝄞 above */ "
IN_CONTRACT = DOT_CONTRACT.replace('n = "i32"\n', 'n = "i32" # é𝄞\n')


async def hover(opened: Opened, wanted: str) -> JsonObject | None:
    """The hover over the first place of a text."""
    params = {"textDocument": {"uri": opened.uri}, "position": opened.document.find(wanted)["start"]}
    return await opened.client.request("textDocument/hover", params)


async def said(opened: Opened, wanted: str, words: str = "") -> tuple[str, str]:
    """What a hover says, and the text that it says it of.

    Hovers do not wait for an analysis: one that has just begun is given time here to find the ``words``.
    """
    for _ in range(100):
        found = await hover(opened, wanted)
        if found is not None and words in found["contents"]["value"]:
            return found["contents"]["value"], opened.document.at(found["range"])
        await asyncio.sleep(0.1)
    raise AssertionError(f"{words!r} is never said of {wanted!r}")


async def complete(opened: Opened, position: JsonObject) -> list[JsonObject]:
    params = {"textDocument": {"uri": opened.uri}, "position": position}
    found = await opened.client.request("textDocument/completion", params)
    return found["items"] if found else []


async def ghosts(opened: Opened, position: JsonObject) -> list[JsonObject]:
    params: JsonObject = {"textDocument": {"uri": opened.uri}, "position": position, "context": {"triggerKind": 1}}
    return await opened.client.request("textDocument/inlineCompletion", params)


def applied(opened: Opened, item: JsonObject) -> str:
    """The whole text after a completion is taken."""
    edit: JsonObject = item.get("textEdit") or {"range": item["range"], "newText": item["insertText"]}
    text, old = opened.document.text, opened.document.at(edit["range"])
    before = text[: len(text) - len(_behind(opened, edit["range"]["start"]))]
    return before + edit["newText"] + text[len(before) + len(old) :]


def _behind(opened: Opened, start: JsonObject) -> str:
    return opened.document.at({"start": start, "end": opened.document.end()})


def test_a_kernel_and_its_contract(served: Served) -> None:
    async def check(opened: Opened) -> None:
        words, where = await said(opened, "dot(int")
        assert where == "dot"
        assert "dot(int n, const float* x, const float* y)" in words
        assert "Not measured yet" in words and "written above the kernel" in words
        words, where = await said(opened, "scale(int", "this one is inferred")
        assert where == "scale" and 'x = "inout f32[n]"' in words
        assert await hover(opened, "return sum") is None

    served.run(check)


def test_a_finding_with_its_rule(served: Served) -> None:
    async def check(opened: Opened) -> None:
        words, where = await said(opened, FINDING, "What it does")
        assert where == FINDING
        assert "chain of dependent operations" in words and "Why it is slow" in words
        assert "float-sum-in-order" in words and "query" not in words

    served.run(check)


def test_hovers_while_typing_are_at_the_newest_place(served: Served) -> None:
    async def check(opened: Opened) -> None:
        opened.replace("float sum = 0.0f;", "float sum = 0.0f;\n\n\n")
        found = await hover(opened, FINDING)
        assert found is None or opened.document.at(found["range"]) == FINDING
        await opened.found()
        assert (await said(opened, FINDING))[1] == FINDING

    served.run(check)


def test_words_of_a_contract(served: Served) -> None:
    async def check(opened: Opened) -> None:
        for word, meaning in (
            ("check]", "what counts as equal"), ("f32[n] in", "float of 32 bits"), ("in -1..1", "both ends included"),
            ("tolerance", "bit for bit"), ("rel = ", "difference is at most"), ("n = [0", "results are compared"),
        ):  # fmt: skip
            words, where = await said(opened, word)
            assert meaning in words
            assert word.startswith(where)

    served.run(check, "/* 𝄞 */\n" + IN_CONTRACT + DOT)


def test_plain_text_where_markdown_is_not_known(world: World) -> None:
    capabilities = world.case.capabilities
    plain: Any = {**capabilities, "textDocument": {**capabilities["textDocument"], "hover": {}}}

    async def check(opened: Opened) -> None:
        found = await hover(opened, "dot(int")
        assert found is not None
        assert found["contents"]["kind"] == "plaintext"
        assert "**" not in found["contents"]["value"] and "```" not in found["contents"]["value"]

    replace(world, capabilities=plain).run(check)


def test_completion_in_contracts_and_nowhere_else(served: Served) -> None:
    async def check(opened: Opened) -> None:
        assert await complete(opened, opened.document.find("sum +=")["end"]) == []
        opened.replace("[check]\n", "[check]\ntol\n")
        items = await complete(opened, opened.document.find("tol")["end"])
        labels = [item["label"] for item in items]
        assert "where" in labels and "x" not in labels and "n" not in labels
        opened.replace('x = "in f32[n] in -1..1"', 'x = "in f32[n] so"')
        items = await complete(opened, opened.document.find("[n] so")["end"])
        (chosen,) = [item for item in items if item["label"] == "sorted"]
        assert 'x = "in f32[n] sorted"\n' in applied(opened, chosen)
        await opened.found()

    served.run(check, "/* 𝄞 */\n" + DOT_CONTRACT + DOT)


def test_completion_behind_characters_of_every_width(served: Served) -> None:
    async def check(opened: Opened) -> None:
        position = opened.document.find("[args")["end"]
        items = await complete(opened, position)
        (chosen,) = [item for item in items if item["label"] == "args"]
        assert chosen["textEdit"]["range"]["end"] == position
        assert opened.document.at(chosen["textEdit"]["range"]) == "args"
        assert f"{ABOVE}/* kernwright [args]\n" in applied(opened, chosen)

    served.run(check, f"{ABOVE}/* kernwright [args\n*/\n{SCALE}")


def test_completion_of_a_comment_that_nobody_has_closed(served: Served) -> None:
    async def check(opened: Opened) -> None:
        items = await complete(opened, opened.document.find("[args]\n")["end"])
        assert [item["label"] for item in items][:3] == ["n", "a", "x"]
        kinds = {item["insertTextFormat"] for item in items}
        able = opened.world.case.capabilities["textDocument"]["completion"]["completionItem"]
        assert kinds == {2 if able["snippetSupport"] else 1}

    served.run(check, f"/* kernwright\n[args]\n\n{SCALE}")


@pytest.mark.parametrize("begun", ["", "/*", "/* kern", "/* */"])
def test_a_contract_as_ghost_text(world: World, begun: str) -> None:
    async def check(opened: Opened) -> None:
        line = opened.document.find("void scale")["start"]["line"] - 1
        cursor = {"line": line, "character": 3 if begun == "/* */" else len(begun)}
        (item,) = await ghosts(opened, cursor)
        text = applied(opened, item)
        assert '/* kernwright\n[args]\nn = "i32"\n' in text and "*/\nvoid scale" in text
        opened.client.change_full(opened.uri, text)
        await said(opened, "scale(int", "written above the kernel")
        assert await ghosts(opened, {"line": line, "character": 0}) == []

    # A comment that nobody has closed swallows the kernel at the next analysis, so it is closed below.
    closing = "" if begun in ("", "/* */") else "*/"
    world.run(check, f"/* 𝄞 */\n\n{begun}{closing}\n{SCALE}")


def test_no_ghosts_elsewhere(world: World) -> None:
    async def check(opened: Opened) -> None:
        for place in ("float sum", "for (int i = 0; i < n; i++)\n        x[i]", "dot(int"):
            assert await ghosts(opened, opened.document.find(place)["start"]) == []
        assert await ghosts(opened, {"line": 900, "character": 0}) == []

    world.run(check)


@needs_compiler
def test_figures_after_a_profile(world: World) -> None:
    async def check(opened: Opened) -> None:
        await opened.run_job("profile", "dot")
        words, _ = await said(opened, "dot(int")
        assert "time per call" in words and "measured, just now" in words and "machine" in words
        assert "source changed" not in words
        words, _ = await said(opened, FINDING, "per call")
        assert "---" in words
        opened.replace("sum += x[i]", "sum += 2 * x[i]")
        await said(opened, "dot(int", "source changed since")

    world.run(check)


def test_requests_about_nothing(world: World) -> None:
    async def check(opened: Opened) -> None:
        client = opened.client
        for position in ({"line": 10_000, "character": 0}, {"line": 0, "character": 10_000}):
            for method in ("hover", "completion", "inlineCompletion"):
                params: JsonObject = {
                    "textDocument": {"uri": opened.uri}, "position": position, "context": {"triggerKind": 1},
                }  # fmt: skip
                assert not await client.request(f"textDocument/{method}", params)
        params = {"textDocument": {"uri": "file:///nowhere.c"}, "position": {"line": 0, "character": 0}}
        assert await client.request("textDocument/hover", params) is None

    assert world.case == VSCODE
    world.run(check, TEXT)
