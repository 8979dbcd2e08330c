"""Decisions that no longer count: an edit that was undone, a rejection that was a slip; and those said at the end."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from .exchange import ServerError
from .frames import JsonObject
from .surface import FINDING, JOB_SECONDS, SEARCHED, VSCODE, Opened, World, needs_compiler

pytestmark = [needs_compiler, pytest.mark.parametrize("case", [VSCODE], ids=str)]


def decisions(world: World) -> list[tuple[str, JsonObject]]:
    """What memory says of decisions: kind and data, oldest first."""
    (path,) = Path(world.environment["XDG_DATA_HOME"]).rglob("memory.sqlite3")
    with sqlite3.connect(path) as connection:
        kinds = ("accepted", "rejected", "taken-back")
        rows = connection.execute("SELECT kind, data FROM events WHERE kind IN (?, ?, ?) ORDER BY id", kinds)
        return [(kind, json.loads(data)) for kind, data in rows.fetchall()]


def kinds(world: World) -> list[str]:
    return [kind for kind, _ in decisions(world)]


async def remembered(world: World, wanted: list[str]) -> None:
    """Wait until memory holds these decisions. Nobody is told when something was written down."""
    for _ in range(int(JOB_SECONDS / 0.1)):
        if kinds(world) == wanted:
            return
        await asyncio.sleep(0.1)
    assert kinds(world) == wanted


async def accepted(file: Opened, offers: list[JsonObject]) -> str:
    """Take the best offer as a light bulb does; the text with it."""
    actions = await file.actions(file.document.find(FINDING))
    action = next(one for one in actions if one["title"] == offers[0]["title"])
    assert await file.client.take(action, file.uri) == {"accepted": [offers[0]["id"]]}
    assert file.document.text != SEARCHED
    return file.document.text


async def offers_now(file: Opened, ids: list[str]) -> None:
    def told() -> bool:
        said = file.told("kernwright/offers")
        return bool(said) and [one["id"] for one in said[-1]["offers"]] == ids

    await file.client.wait_for(told, JOB_SECONDS, f"the offers to be {ids}")


def test_undoing_an_accepted_edit_takes_the_decision_back(world: World) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        ids = [one["id"] for one in offers]
        rewritten = await accepted(file, offers)
        await offers_now(file, [])
        assert kinds(world) == ["accepted"]
        with pytest.raises(ServerError, match="was accepted: undo its edit"):
            await file.client.request("kernwright/takeBack", {"offer": ids[0]})
        file.client.change_full(file.uri, SEARCHED)
        await offers_now(file, ids)
        expected = {"uri": file.uri, "offer": ids[0], "title": offers[0]["title"], "decision": "accepted"}
        await file.client.wait_for(lambda: file.told("kernwright/takenBack") == [expected])
        assert kinds(world) == ["accepted", "taken-back"]
        assert decisions(world)[1][1]["decision"] == "accepted"
        # And done again: the same rewrite is there, so it is accepted.
        file.client.change_full(file.uri, rewritten)
        await remembered(world, ["accepted", "taken-back", "accepted"])
        await offers_now(file, [])
        file.client.change_full(file.uri, SEARCHED)
        await offers_now(file, ids)
        await remembered(world, ["accepted", "taken-back", "accepted", "taken-back"])

    world.run(check, SEARCHED)


def test_another_edit_is_no_undoing(world: World) -> None:
    async def check(file: Opened) -> None:
        await accepted(file, await file.search())
        file.client.change_full(file.uri, file.document.text.replace("/* 𝄞 kernels */", "/* 𝄞 */"))
        await file.found()
        file.client.change_full(file.uri, file.document.text.replace("0.0f", "0.5f"))
        await file.found()
        assert file.told("kernwright/takenBack") == [] and kinds(world) == ["accepted"]

    world.run(check, SEARCHED)


def test_a_rejection_that_was_a_slip(world: World) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        ids = [one["id"] for one in offers]
        await file.command("reject", offer=ids[0], reason="wrong")
        await offers_now(file, ids[1:])
        answer = await file.client.request("kernwright/takeBack", {"offer": ids[0]})
        assert (answer["offer"], answer["decision"], answer["uri"]) == (ids[0], "rejected", file.uri)
        await offers_now(file, ids)
        assert kinds(world) == ["rejected", "taken-back"]
        with pytest.raises(ServerError, match="there is no decision on"):
            await file.client.request("kernwright/takeBack", {"offer": ids[0]})

    world.run(check, SEARCHED)


def test_a_rejection_is_taken_back_while_its_reason_is_asked_for(world: World) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        name, asked = "window/showMessageRequest", list[Any]()

        async def answer(params: Any) -> JsonObject:
            asked.append(params)
            await file.client.request("kernwright/takeBack", {"offer": offers[0]["id"]})
            return {"title": "Wrong"}

        file.client.answers[name] = answer
        await file.command("reject", offer=offers[0]["id"])
        await offers_now(file, [one["id"] for one in offers])
        del file.client.answers[name]
        # A request after it is answered after it.
        await file.client.request("kernwright/rules", {})
        assert len(asked) == 1 and kinds(world) == []

    world.run(check, SEARCHED)


def test_a_rejection_without_a_reason_is_written_down_at_the_end(world: World) -> None:
    async def reject(file: Opened) -> None:
        offers = await file.search()
        file.client.answers["window/showMessageRequest"] = never
        await file.command("reject", offer=offers[0]["id"])
        assert kinds(world) == []

    async def never(params: Any) -> Any:
        await asyncio.sleep(3600)

    world.run(reject, SEARCHED)
    assert [(kind, data["reason"]) for kind, data in decisions(world)] == [("rejected", "other")]


@pytest.mark.parametrize(("reason", "offered"), [("wrong", False), ("not-now", True)])
def test_a_rejection_outlives_the_server(world: World, reason: str, offered: bool) -> None:
    """Also when the rest of the file has changed since. "Not now" is no answer for another day."""
    made: list[JsonObject] = []

    async def reject(file: Opened) -> None:
        made.extend(await file.search())
        for one in made:
            await file.command("reject", offer=one["id"], reason=reason)

    async def search_again(file: Opened) -> None:
        await file.run_job("optimize", "dot")
        report = await file.client.request("kernwright/report", {"uri": file.uri, "kernel": "dot"})
        titles = [one["offer"]["title"].split(":")[0] for one in report["offers"]]
        wanted = [one["title"].split(":")[0] for one in made]
        assert titles == (wanted if offered else []), titles
        assert report["search"]["withheld"] == (0 if offered else len(made))
        if not offered:
            assert {one["outcome"] for one in report["search"]["candidates"]}.isdisjoint({"offered"})
            answer = await file.client.request("kernwright/takeBack", {"offer": made[0]["id"]})
            assert answer["decision"] == "rejected"
            await file.run_job("optimize", "dot")
            assert (await file.client.request("kernwright/report", {"uri": file.uri, "kernel": "dot"}))["offers"]

    world.run(reject, SEARCHED)
    world.run(search_again, SEARCHED)
