"""Settings, watched files and folders: what changes around the documents counts at once."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from .client import Client
from .frames import JsonObject
from .surface import EMACS, JOB_SECONDS, NEOVIM, TEXT, VSCODE, Opened, World, needs_compiler

RULE = """\
---
name: no-scale
description: Functions that are named scale
message: "{name} scales"
languages: [c]
severity: information
safety: display-only
status: stable
since: 0.1.0
---

# No scale

## What it does
Finds functions that are named scale.

## Why it is slow
It is not; this rule is here to be found.

## Match
```query
((function_definition
   declarator: (function_declarator declarator: (identifier) @name)) (#eq? @name "scale"))
```

## Finds
```c
void scale(int n, float *x)
//   ^^^^^ no-scale
{
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
```

## Ignores
Other names.
```c
void other(int n, float *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= 2;
}
```
"""
EDITORS = pytest.mark.parametrize("case", (VSCODE, NEOVIM, EMACS), ids=str)


def changed(client: Client, *paths: Path, kind: int = 2) -> None:
    """Say that files were made (1), changed (2) or deleted (3)."""
    changes = [{"uri": path.as_uri(), "type": kind} for path in paths]
    client.notify("workspace/didChangeWatchedFiles", {"changes": changes})


def codes(file: Opened) -> list[str]:
    return [one["code"] for one in file.client.diagnostics(file.uri)]


async def lenses_until(file: Opened, wanted: list[JsonObject]) -> None:
    """Settings that were asked for count when the answer has come and the folder was read again."""
    async with asyncio.timeout(JOB_SECONDS):
        while await file.lenses() != wanted:
            await asyncio.sleep(0.05)


async def until(file: Opened, wanted: list[str]) -> None:
    await file.client.wait_for(lambda: codes(file) == wanted, what=f"findings {wanted}")


@EDITORS
def test_files_are_watched_where_the_editor_can(world: World) -> None:
    async def check(file: Opened) -> None:
        await file.command("cancel")
        able = world.case.capabilities["workspace"].get("didChangeWatchedFiles", {}).get("dynamicRegistration")
        registered = list(file.client.editor.registrations.values())
        assert bool(registered) == bool(able)
        for one in registered:
            assert one["method"] == "workspace/didChangeWatchedFiles"
            patterns = [watcher["globPattern"] for watcher in one["registerOptions"]["watchers"]]
            assert patterns == ["**/kernwright.toml", "**/compile_commands.json", "**/.kernwright/rules/**/*.md"]

    world.run(check)


@EDITORS
def test_a_bad_setting_is_shown_at_its_place_and_the_default_counts(world: World) -> None:
    settings = world.root / "kernwright.toml"
    settings.write_text("# é𝄞\n[settings]\nmost_diagnostics = 0\nlensen = true\nhints = false\n")

    async def check(file: Opened) -> None:
        client, uri = file.client, settings.as_uri()
        await client.wait_for(lambda: len(client.diagnostics(uri)) == 2)
        by_line = {one["range"]["start"]["line"]: one for one in client.diagnostics(uri)}
        assert set(by_line) == {2, 3}
        assert "most_diagnostics" in by_line[2]["message"] and "greater than or equal to 1" in by_line[2]["message"]
        assert "lensen: no such setting; do you mean 'lenses'?" in by_line[3]["message"].replace(
            "lenses?", "'lenses'?"
        )
        for one in by_line.values():
            assert one["severity"] == 2 and one["source"] == "kernwright" and one["code"] == "settings"
        assert codes(file) == ["float-sum-in-order"], "the default counts"
        assert await file.hints() == [] and await file.lenses()
        settings.write_text("[settings\n")
        changed(client, settings)
        await client.wait_for(lambda: [one["range"]["start"]["line"] for one in client.diagnostics(uri)] == [0])
        assert client.diagnostics(uri)[0]["severity"] <= 2
        settings.write_text("[settings]\nlenses = false\n")
        changed(client, settings)
        await client.wait_for(lambda: client.diagnostics(uri) == [])
        assert await file.lenses() == []
        settings.unlink()
        changed(client, settings, kind=3)
        statuses = len(file.told("kernwright/status"))
        await client.wait_for(lambda: len(file.told("kernwright/status")) > statuses)
        assert await file.lenses()

    world.run(check)


@pytest.mark.parametrize("case", [VSCODE, EMACS], ids=str)
def test_settings_that_the_editor_is_asked_for(world: World) -> None:
    """By ``workspace/configuration``; a change of settings has them asked for again."""

    async def check(file: Opened) -> None:
        asked = [params for method, params in file.client.server_requests if method == "workspace/configuration"]
        assert {"section": "kernwright", "scopeUri": world.root.as_uri()} in asked[-1]["items"]
        await lenses_until(file, [])
        refreshes = file.client.editor.refreshes
        before = refreshes["workspace/codeLens/refresh"]
        file.client.configure({"kernwright": {"lenses": True, "rules": {"float-sum-in-order": False}}})
        await until(file, [])
        assert await file.lenses(), "its contract is reason enough"
        if world.case.editor == "vscode":
            await file.client.wait_for(lambda: refreshes["workspace/codeLens/refresh"] > before)
        file.client.configure({})
        await until(file, ["float-sum-in-order"])

    world.run(check, settings={"kernwright": {"lenses": False}})


def test_settings_that_the_editor_pushes(world: World) -> None:
    """For a client that is not asked: wrapped in our name or not, and in either way of writing."""
    plain: JsonObject = VSCODE.capabilities
    plain["workspace"] = {**plain["workspace"], "configuration": False}

    async def check(file: Opened) -> None:
        assert "workspace/configuration" not in [method for method, _ in file.client.server_requests]
        assert await file.lenses() == [], "as initializationOptions say"
        file.client.configure({"kernwright": {"lenses": True, "mostDiagnostics": 1}})
        statuses = len(file.told("kernwright/status"))
        await file.client.wait_for(lambda: len(file.told("kernwright/status")) > statuses)
        assert await file.lenses()
        file.client.configure({"rules": {"float-sum-in-order": False}})
        await until(file, [])
        # What is not valid is left aside, with a line in the log.
        odd: tuple[Any, ...] = (None, 7, [], {"kernwright": None}, {"kernwright": {"lenses": 5, "rules": []}})
        for settings in odd:
            file.client.notify("workspace/didChangeConfiguration", {"settings": settings})
        await until(file, ["float-sum-in-order"])
        await file.client.request("kernwright/rules", {})
        assert "lenses" in file.client.connection.errors()
        assert await file.lenses()

    options = {"settings": {"lenses": False}}
    World(VSCODE, world.root, world.environment, capabilities=plain).run(check, initialization_options=options)


def test_rules_of_the_workspace(world: World) -> None:
    """A rule counts from when it is written; one that cannot be read is shown in its file."""

    async def check(file: Opened) -> None:
        rule = world.root / ".kernwright" / "rules" / "no-scale.md"
        rule.parent.mkdir(parents=True)
        rule.write_text(RULE)
        changed(file.client, rule, kind=1)
        await until(file, ["float-sum-in-order", "no-scale"])
        finding = next(one for one in file.client.diagnostics(file.uri) if one["code"] == "no-scale")
        assert file.document.at(finding["range"]) == "scale" and finding["message"] == "scale scales"
        rule.write_text(RULE.replace("(#eq?", "(#equals?"))
        changed(file.client, rule)
        await file.client.wait_for(lambda: bool(file.client.diagnostics(rule.as_uri())))
        problem = file.client.diagnostics(rule.as_uri())[0]
        assert problem["severity"] == 1 and problem["code"] == "rule"
        lines = rule.read_text().splitlines()
        assert "equals?" in lines[problem["range"]["start"]["line"]], problem
        await until(file, ["float-sum-in-order"])
        rule.unlink()
        changed(file.client, rule, kind=3)
        await file.client.wait_for(lambda: file.client.diagnostics(rule.as_uri()) == [])

    world.run(check)


@needs_compiler
def test_the_compile_database_is_read_again(world: World) -> None:
    database = world.root / "compile_commands.json"

    def entry(*flags: str) -> str:
        return json.dumps([{
            "directory": str(world.root), "file": "kernels.c",
            "arguments": ["gcc", "-O3", *flags, "-c", "kernels.c"],
        }])  # fmt: skip

    async def check(file: Opened) -> None:
        await file.compile_on_save()
        assert "compile-error" in codes(file)
        database.write_text(entry("-DFIRST=0.0f"))
        changed(file.client, database, kind=1)
        await file.compile_on_save()
        await file.client.wait_for(lambda: "compile-error" not in codes(file))

    world.run(check, TEXT.replace("0.0f", "FIRST"))


def test_folders_with_settings_of_their_own(world: World) -> None:
    """Each file goes by its innermost folder; folders come and go."""
    one, two, inner = world.root / "one", world.root / "two", world.root / "two" / "inner"
    for folder in (one, two, inner):
        folder.mkdir(parents=True)
    off = "[settings]\nrules = {float-sum-in-order = false}\n"
    (two / "kernwright.toml").write_text(off)
    (inner / "kernwright.toml").write_text("[settings]\nmost_diagnostics = 0\n")

    async def check(file: Opened) -> None:
        client = file.client
        first, second, third = [await world.open(client, TEXT, f"{name}/k.c") for name in ("one", "two", "two/inner")]
        await client.wait_for(lambda: client.diagnostics(second) == [] == client.diagnostics(third))
        assert client.diagnostics(first)
        change = {"added": [{"uri": inner.as_uri(), "name": "inner"}], "removed": []}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        problems = (inner / "kernwright.toml").as_uri()
        await client.wait_for(lambda: bool(client.diagnostics(problems)), what="the inner folder's problem")
        await client.wait_for(lambda: bool(client.diagnostics(third)), what="the inner folder's settings")
        change = {"added": [], "removed": [{"uri": inner.as_uri(), "name": "inner"}]}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
        await client.wait_for(lambda: client.diagnostics(problems) == [], what="its problem to go")
        await client.wait_for(lambda: client.diagnostics(third) == [], what="the outer folder's settings")
        assert client.diagnostics(first)

    world.run(check, name="one/first.c", folders=[one, two])
