"""A verified rewrite as ghost text, in every encoding; and the mark of offers that a model made."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from ..editors.kernels import SHRINK
from .client import at
from .documents import Encoding
from .frames import JsonObject
from .surface import NEOVIM, SEARCHED, VSCODE, Case, Opened, World, needs_compiler
from .test_surface_actions import offered
from .test_surface_faults import SERVER

pytestmark = needs_compiler


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_a_verified_rewrite_as_ghost_text(world: World, encoding: Encoding) -> None:
    """The item replaces from the cursor on, and taking it is remembered as accepting the offer."""

    async def ghosts(file: Opened, position: JsonObject) -> list[JsonObject]:
        params = {**at(file.uri, position["line"], position["character"]), "context": {"triggerKind": 2}}
        return await file.client.request("textDocument/inlineCompletion", params)

    async def check(file: Opened) -> None:
        place = file.document.find("x[i] * 0.3")["start"]
        assert await ghosts(file, place) == [], "nothing is verified yet"
        offers = await file.search("shrink")
        assert await ghosts(file, file.document.find("void shrink")["start"]) == []
        for text in ("", "/* 𝄞 */\n"):
            file.client.change(file.uri, {"start": file.document.position(0), "end": file.document.position(0)}, text)
            await file.found()
            place = file.document.find("x[i] * 0.3")["start"]
            (item,) = await ghosts(file, place)
            assert item["insertText"] == "x[i] * 0.3f"
            assert file.document.at(item["range"]) == "x[i] * 0.3"
        file.client.change(file.uri, item["range"], item["insertText"])
        command = {key: item["command"][key] for key in ("command", "arguments")}
        answer = await file.client.request("workspace/executeCommand", command)
        assert answer == {"accepted": [offers[0]["id"]]}
        assert "/* é𝄞 */ y[i] = x[i] * 0.3f;" in file.document.text
        assert await ghosts(file, place) == []

    replace(world, case=Case("vscode", encoding)).run(check, SHRINK)


@pytest.mark.parametrize("case", [VSCODE, NEOVIM], ids=str)
def test_offers_of_a_model_are_marked_as_such(world: World) -> None:
    """For an editor that shows it. The server is told that its offers are a model's: it makes none itself."""

    async def check(file: Opened) -> None:
        await file.search()
        tags = [one.get("tags") for one in offered(await file.actions())]
        assert tags and set(map(str, tags)) == {"[1]" if world.case.editor == "vscode" else "None"}

    replace(world, argv=(sys.executable, str(SERVER), "offers of a model")).run(check, SEARCHED)
