"""Findings as diagnostics, pushed and pulled, in every encoding and for real editors."""

from __future__ import annotations

from pathlib import Path

import pytest

from .documents import Encoding, TextChange, span
from .frames import JsonObject
from .surface import (
    DOT,
    DOT_CONTRACT,
    FINDING,
    TEXT,
    Case,
    Opened,
    Served,
    World,
    each_editor,
    in_vscode,
    needs_compiler,
)

BROKEN = TEXT.replace('x = "in f32[n]', 'é𝄞 = 1\n"é𝄞" = "in f99[n]"\nx = "in f32[n]', 1)
"""A contract that is no TOML, for a key outside of ASCII has to be in quotes; below it one with two errors."""


def only(found: list[JsonObject], code: str) -> JsonObject:
    """The one diagnostic with a code."""
    matching = [one for one in found if one["code"] == code]
    assert len(matching) == 1, found
    return matching[0]


def test_a_finding_stands_at_its_place(served: Served) -> None:
    async def check(file: Opened) -> None:
        finding = only(await file.found(), "float-sum-in-order")
        assert file.document.at(finding["range"]) == FINDING
        assert finding["source"] == "kernwright"
        assert finding["severity"] == 3
        assert "'sum' is one chain of dependent operations" in finding["message"]
        able = served.case.capabilities["textDocument"]["publishDiagnostics"]
        assert ("codeDescription" in finding) == bool(able.get("codeDescriptionSupport"))
        assert ("data" in finding) == bool(able.get("dataSupport"))
        if "codeDescription" in finding:
            assert finding["codeDescription"]["href"].endswith("rules/c/float-sum-in-order.md")
        assert "tags" not in finding

    served.run(check)


def test_a_finding_moves_with_edits_before_it(served: Served) -> None:
    """Text of every width before the place on its line, and lines above it."""

    async def check(file: Opened) -> None:
        for text in ("/* 𝄞𝄞 ü */ ", "/* a𝄞\n/* second line */ ", "\r\n"):
            where = file.document.find("/* é𝄞")["start"]
            file.client.change(file.uri, {"start": where, "end": where}, text)
            finding = only(await file.found(), "float-sum-in-order")
            assert file.document.at(finding["range"]) == FINDING

    served.run(check)


def test_an_error_in_a_contract_stands_at_its_place(served: Served) -> None:
    async def check(file: Opened) -> None:
        broken = only(await file.found(), "contract")
        assert broken["severity"] == 1
        line: int = broken["range"]["start"]["line"]
        assert file.document.lines[line].startswith("é𝄞"), broken
        file.replace("é𝄞 = 1\n", "")
        words = {file.document.at(one["range"]): one["message"] for one in await file.found() if one["severity"] == 1}
        assert any("f99" in place and "é" not in place for place in words), words
        assert any("é𝄞" in place for place in words), words
        file.replace('"é𝄞" = "in f99[n]"\n', "")
        assert [one["code"] for one in await file.found()] == ["float-sum-in-order"]

    served.run(check, BROKEN)


@each_editor
def test_both_places_of_a_dependence_are_shown(served: Served) -> None:
    """The other access is related information, for a client that shows such."""
    text = """\
void halves(int n, float *a, float *b)
{
    for (int i = 0; i < n - 1; i++) {
        /* é𝄞 */ a[i] = b[i] + 1;
        /* é𝄞 */ b[i + 1] = a[i + 1] * 2;
    }
}
"""

    async def check(file: Opened) -> None:
        finding = only(await file.found(), "statement-order-hides-vectors")
        assert file.document.at(finding["range"]) == "a[i]"
        able = served.case.capabilities["textDocument"]["publishDiagnostics"].get("relatedInformation")
        assert ("relatedInformation" in finding) == bool(able)
        for other in finding.get("relatedInformation", ()):
            assert other["message"] == "the other access of the dependence"
            assert other["location"]["uri"] == file.uri
            assert file.document.at(other["location"]["range"]) == "a[i + 1]"

    served.run(check, text)


async def check_pulling(file: Opened) -> None:
    """The same findings as pushed, none of them twice, and nothing sent again while nothing has changed."""
    assert file.client.result["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] is True
    pushed = await file.found()
    report = await file.pulled()
    assert report["kind"] == "full"
    assert report["items"] == pushed
    # What is pulled is shown beside what is pushed: nothing may be both.
    assert file.client.diagnostics(file.uri) == []
    assert await file.pulled(report["resultId"]) == {"kind": "unchanged", "resultId": report["resultId"]}
    file.replace("float sum = 0.0f;", "float sum = 1.0f;")
    newer = await file.pulled(report["resultId"])
    assert newer["kind"] == "full" and newer["resultId"] != report["resultId"]
    assert file.document.at(only(newer["items"], "float-sum-in-order")["range"]) == FINDING
    file.replace(FINDING, "sum = x[i]")
    assert (await file.pulled(newer["resultId"]))["items"] == []
    assert file.client.diagnostics(file.uri) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_pulling(world: World, encoding: Encoding) -> None:
    """By VS Code, and by editors that count otherwise and can do the same."""
    case = Case("vscode", encoding)
    World(case, world.root, world.environment).run(check_pulling)


def test_an_editor_that_cannot_be_asked_to_pull_again_is_pushed_to(served: Served) -> None:
    """Neovim 0.11 pulls when the text changes, but what a compiler says comes later: it would never see that."""

    async def check(file: Opened) -> None:
        assert ("diagnosticProvider" in file.client.result["capabilities"]) == (served.case.editor == "vscode")

    served.run(check)


@in_vscode
def test_pulling_for_the_workspace(served: Served) -> None:
    async def check(file: Opened) -> None:
        client = file.client
        other = await served.world.open(client, DOT, "other.c")
        settings = served.world.root / "kernwright.toml"
        settings.write_text("[settings]\nmost_diagnostics = 0\n")
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 1}]})
        await client.wait_for(lambda: bool(client.diagnostics(settings.as_uri())))
        report = await client.request("workspace/diagnostic", {"previousResultIds": []})
        by_uri = {item["uri"]: item for item in report["items"]}
        assert len(by_uri) == len(report["items"]), "a document twice"
        assert by_uri[file.uri]["version"] == file.document.version
        for one in (file.uri, other):
            assert client.document(one).at(only(by_uri[one]["items"], "float-sum-in-order")["range"]) == FINDING
            # What is pulled is shown beside what is pushed.
            await client.wait_for(lambda one=one: client.diagnostics(one) == [])
        previous = [{"uri": one, "value": by_uri[one]["resultId"]} for one in (file.uri, other)]
        client.change(other, client.document(other).find(FINDING), "sum = x[i]")
        report = await client.request("workspace/diagnostic", {"previousResultIds": previous})
        by_uri = {item["uri"]: item for item in report["items"]}
        assert by_uri[file.uri]["kind"] == "unchanged" and "items" not in by_uri[file.uri]
        assert by_uri[other]["items"] == []
        settings.unlink()
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": settings.as_uri(), "type": 3}]})
        await client.wait_for(lambda: not client.diagnostics(settings.as_uri()))

    served.run(check)


@needs_compiler
@each_editor
def test_what_the_compiler_says_comes_after_saving(served: Served) -> None:
    """An error of the compiler is shown to whoever pushes or pulls; when it is mended it is gone."""
    text = TEXT.replace("return sum;", "/* é𝄞 */ return summe;")

    async def findings(file: Opened) -> list[JsonObject]:
        return (await file.pulled())["items"] if served.case.pulls else file.client.diagnostics(file.uri)

    async def check(file: Opened) -> None:
        refreshes = file.client.editor.refreshes
        assert "compile-error" not in [one["code"] for one in await findings(file)]
        before = refreshes["workspace/diagnostic/refresh"]
        await file.compile_on_save()
        if served.case.pulls:
            await file.client.wait_for(lambda: refreshes["workspace/diagnostic/refresh"] > before)
        error = only(await findings(file), "compile-error")
        assert error["severity"] == 1
        assert file.document.at(error["range"]).startswith("summe")
        file.replace("summe", "sum")
        await file.compile_on_save()
        assert "compile-error" not in [one["code"] for one in await findings(file)]

    served.run(check, text)


def test_only_the_newest_text_is_spoken_of(served: Served) -> None:
    """Many quick edits: diagnostics never go back, and the last ones are those of the last text."""

    async def check(file: Opened) -> None:
        for turn in range(30):
            file.client.change(file.uri, span(0, 0, 0, 0), f"/* {turn} 𝄞 */\n" if turn % 2 else "/* é */ ")
        finding = only(await file.found(), "float-sum-in-order")
        assert file.document.at(finding["range"]) == FINDING
        published = file.told("textDocument/publishDiagnostics")
        versions = [one["version"] for one in published if one["uri"] == file.uri]
        assert versions == sorted(versions)

    served.run(check)


def test_several_changes_in_one_notification(served: Served) -> None:
    async def check(file: Opened) -> None:
        place = file.document.find(FINDING)
        first, second = TextChange(place, "𝄞"), TextChange(span(0, 0, 0, 0), "/* a\r\n𝄞 */")
        file.client.change_all(file.uri, [first, second, TextChange(None, "/* é𝄞 */" + DOT)])
        finding = only(await file.found(), "float-sum-in-order")
        assert file.document.at(finding["range"]) == FINDING
        place = file.document.find("é𝄞 */ sum")
        file.client.change_all(file.uri, [TextChange(place, "a */ sum"), TextChange(span(0, 2, 0, 3), "")])
        assert file.document.at(only(await file.found(), "float-sum-in-order")["range"]) == FINDING

    served.run(check)


@each_editor
def test_closing_takes_findings_away(served: Served) -> None:
    async def check(file: Opened) -> None:
        assert await file.found()
        file.client.close(file.uri)
        await file.client.wait_for(lambda: file.client.diagnostics(file.uri) == [])
        file.client.open(file.uri, TEXT, "c")
        assert only(await file.found(), "float-sum-in-order")

    served.run(check)


def test_no_more_findings_than_the_settings_say(world: World) -> None:
    """The gravest first."""
    (world.root / "kernwright.toml").write_text("[settings]\nmost_diagnostics = 1\n")

    async def check(file: Opened) -> None:
        assert [one["severity"] for one in await file.found()] == [1]

    world.run(check, DOT + DOT_CONTRACT.replace("[time]", "[time") + DOT.replace("dot", "dots"))


@in_vscode
def test_documents_beside_the_workspace(served: Served, tmp_path: Path) -> None:
    """A file of no folder, and one that is no file at all."""

    async def check(file: Opened) -> None:
        for uri in ((tmp_path / "elsewhere.c").as_uri(), "untitled:Untitled-1"):
            file.client.open(uri, TEXT, "c")
            finding = only(await file.client.wait_for_diagnostics(uri), "float-sum-in-order")
            assert file.client.document(uri).at(finding["range"]) == FINDING

    served.run(check)
