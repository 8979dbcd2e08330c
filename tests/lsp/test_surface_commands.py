"""Every command, with good and with bad arguments."""

from __future__ import annotations

from typing import Any

import pytest

from .editor import path_of
from .exchange import ServerError
from .frames import JsonObject
from .surface import (
    DOT_CONTRACT,
    FINDING,
    NEOVIM,
    SCALE,
    SEARCHED,
    Opened,
    Served,
    World,
    each_editor,
    in_vscode,
    needs_compiler,
)

NAMES = (
    "profile", "optimize", "accept", "reject", "promote", "demote", "insertContract", "showReport", "showOffers",
    "cancel",
)  # fmt: skip
BAD: tuple[tuple[str, dict[str, Any], int, str], ...] = (
    ("profile", {}, -32803, "the file: is not open"),
    ("profile", {"uri": 5, "kernel": []}, -32803, "is not open"),
    ("profile", {"uri": "file:///nowhere.c", "kernel": "dot"}, -32803, "file:///nowhere.c: is not open"),
    ("optimize", {"uri": "HERE", "kernel": "dots"}, -32602, "no kernel 'dots', or more than one; it has dot(int, "),
    ("optimize", {"uri": "HERE"}, -32602, "no kernel '', or more than one; it has "),
    ("accept", {}, -32602, "kernwright.accept needs {offer: …}"),
    ("accept", {"offer": 7}, -32602, "kernwright.accept needs {offer: …}"),
    ("accept", {"offers": 7}, -32602, "kernwright.accept needs {offer: …}"),
    ("accept", {"offer": "dot-0"}, -32803, "the offer 'dot-0' is no longer there; search again"),
    ("reject", {}, -32602, "kernwright.reject needs {offer: …}"),
    ("reject", {"offer": "dot-0"}, -32803, "the offer 'dot-0' is no longer there"),
    ("promote", {}, -32602, "kernwright.promote needs {rule: …}"),
    ("demote", {"rule": ""}, -32602, "kernwright.demote needs {rule: …}"),
    ("demote", {"rule": "float-sums"}, -32803, "there is no rule 'float-sums'"),
    ("demote", {"rule": "float-sum-in-order", "folder": "/nowhere"}, -32602, "/nowhere: is no folder"),
    ("insertContract", {"uri": "HERE", "kernel": "nobody"}, -32602, "no kernel 'nobody'"),
    ("showReport", {"uri": "HERE", "kernel": None}, -32602, "no kernel ''"),
    ("showOffers", {"kernel": "dot"}, -32803, "is not open"),
    ("cancel", {"job": "one"}, -32602, "takes the number of a job"),
    ("cancel", {"uri": 1}, -32602, "takes the number of a job"),
)
"""A command, its arguments, and the code and words of the error."""


async def refused(file: Opened, command: str, *arguments: Any) -> ServerError:
    params: JsonObject = {"command": command, "arguments": list(arguments)}
    with pytest.raises(ServerError) as caught:
        await file.client.request("workspace/executeCommand", params)
    return caught.value


@each_editor
def test_bad_arguments_are_named(served: Served) -> None:
    async def check(file: Opened) -> None:
        offered = file.client.result["capabilities"]["executeCommandProvider"]["commands"]
        assert sorted(offered) == sorted(f"kernwright.{name}" for name in NAMES)
        for name, arguments, code, words in BAD:
            given = {key: file.uri if value == "HERE" else value for key, value in arguments.items()}
            error = await refused(file, f"kernwright.{name}", given)
            assert error.code == code and words in error.message, (name, given, error)
            assert "\n" not in error.message
        error = await refused(file, "kernwright.explode")
        assert error.code == -32602 and error.message == "there is no command kernwright.explode"
        for arguments in (7, "dot", None, [file.uri]):
            error = await refused(file, "kernwright.profile", arguments)
            assert error.code == -32602 and error.message == "kernwright.profile takes one table"
        assert file.told("kernwright/job") == [] and file.boxes == []

    served.run(check)


@needs_compiler
@each_editor
def test_accepting_by_command_asks_the_editor_to_apply(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        name = "workspace/applyEdit"
        file.client.answers[name] = lambda params: {"applied": False, "failureReason": "read-only"}
        try:
            error = await refused(file, "kernwright.accept", {"offer": offers[0]["id"]})
        finally:
            del file.client.answers[name]
        assert error.message == "the editor did not apply it: read-only"
        assert file.document.text == SEARCHED
        answer = await file.command("accept", offer=offers[0]["id"])
        assert answer == {"accepted": [offers[0]["id"]]}
        assert file.document.text != SEARCHED
        asked = [params for method, params in file.client.server_requests if method == name]
        assert asked[-1]["label"] == offers[0]["title"]
        error = await refused(file, "kernwright.accept", {"offer": offers[0]["id"]})
        assert "is no longer there" in error.message

    served.run(check, SEARCHED)


@needs_compiler
@in_vscode
def test_what_was_not_applied_is_not_remembered(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        error = await refused(file, "kernwright.accept", {"offer": offers[0]["id"], "applied": True})
        assert "was not previewed" in error.message or "does not hold the rewrite" in error.message
        assert file.told("kernwright/offers")[-1]["offers"] == offers

    served.run(check, SEARCHED)


@needs_compiler
@pytest.mark.parametrize("case", [NEOVIM], ids=str)
def test_a_rejected_rewrite_is_gone(world: World) -> None:
    """With a reason, or with one that is asked for; a new search does not bring it back."""

    async def check(file: Opened) -> None:
        offers = await file.search()
        error = await refused(file, "kernwright.reject", {"offer": offers[0]["id"], "reason": "ugly"})
        assert error.code == -32602
        assert error.message == "no such reason: ugly; one of wrong, not-worth-it, not-now, other"
        assert file.told("kernwright/offers")[-1]["offers"] == offers, "it is still there"
        actions = await file.actions(file.document.find(FINDING))
        reject = next(one for one in actions if one["title"] == f"Reject: {offers[0]['title']}")
        file.client.editor.choices = ["Not worth it"]
        assert await file.client.take(reject, file.uri) == {"rejected": offers[0]["id"]}
        assert file.told("kernwright/offers")[-1]["offers"] == []
        assert not any("offer" in one.get("data", {}) for one in await file.actions())
        await file.client.wait_for(lambda: file.client.editor.choices == [])
        box = [params for method, params in file.client.server_requests if method == "window/showMessageRequest"]
        assert [one["title"] for one in box[-1]["actions"]] == ["Wrong", "Not worth it", "Not now"]
        await file.run_job("optimize", "dot")
        await file.client.wait_for(lambda: len(file.boxes) == 2)
        again = file.told("kernwright/offers")[-1]["offers"]
        assert offers[0]["id"] not in [one["id"] for one in again], "rejected as not worth it"

    world.run(check, SEARCHED)


def test_rules_are_switched(world: World) -> None:
    async def check(file: Opened) -> None:
        assert [one["code"] for one in await file.found()] == ["float-sum-in-order"]
        answer = await file.command("demote", rule="float-sum-in-order", folder=str(world.root))
        assert answer["rule"] == "float-sum-in-order" and "off in" in answer["said"]
        await file.client.wait_for(lambda: file.client.diagnostics(file.uri) == [], what="its findings to go")
        await file.client.wait_for(lambda: bool(file.told("kernwright/rules")))
        (told,) = file.told("kernwright/rules")
        assert told["folder"] == str(world.root)
        standing = {rule["name"]: rule for rule in told["rules"]}
        assert standing["float-sum-in-order"]["enabled"] is False
        assert standing["column-walk"]["enabled"] is True
        answer = await file.command("promote", rule="float-sum-in-order")
        assert "on in" in answer["said"]
        await file.client.wait_for(lambda: bool(file.client.diagnostics(file.uri)), what="its findings to return")
        # The list can be asked for as well.
        (asked,) = (await file.client.request("kernwright/rules", {}))["folders"]
        assert {rule["name"]: rule for rule in asked["rules"]}["float-sum-in-order"]["enabled"] is True

    world.run(check)


@each_editor
def test_inserting_a_contract_by_command(served: Served) -> None:
    async def check(file: Opened) -> None:
        answer = await file.command("insertContract", uri=file.uri, kernel="scale")
        assert answer["contract"] in file.document.text and answer["asks"] == []
        before = file.document.text
        again = await file.command("insertContract", uri=file.uri, kernel="scale")
        assert again["contract"] == answer["contract"] and file.document.text == before
        name = "workspace/applyEdit"
        file.client.answers[name] = lambda params: {"applied": False}
        file.client.change_full(file.uri, SCALE)
        try:
            error = await refused(file, "kernwright.insertContract", {"uri": file.uri, "kernel": "scale"})
        finally:
            del file.client.answers[name]
        assert error.message == "the editor did not apply it: no reason given"

    served.run(check, "/* é𝄞 */ int before;\n" + SCALE)


@each_editor
def test_a_report_says_what_is_known(served: Served) -> None:
    async def check(file: Opened) -> None:
        answer = await file.command("showReport", uri=file.uri, kernel="dot")
        report: str = answer["report"]
        assert report.startswith("# dot\n\n`dot(int, const float*, const float*)` in ")
        assert "Not measured yet" in report and "`float-sum-in-order`, static" in report
        assert "## Contract (as written)" in report and 'x = "in f32[n] in -1..1"' in report
        shown = path_of(str(file.client.editor.shown[-1]["uri"]))
        assert shown.read_text() == report and str(shown) == answer["shown"]
        inferred = await file.command("showReport", uri=file.uri, kernel="scale")
        assert "## Contract (inferred; read it before you rely on it)" in inferred["report"]

    served.run(check)


@needs_compiler
@in_vscode
def test_a_report_on_a_search(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        report: str = (await file.command("showReport", uri=file.uri, kernel="dot"))["report"]
        assert "## Verified rewrites" in report and offers[0]["title"] in report
        assert "## Search: 3 rounds" in report and "measured, just now" in report
        file.replace("0.0f", "0.5f")
        report = (await file.command("showReport", uri=file.uri, kernel="dot"))["report"]
        assert "and the source has changed since" in report and offers[0]["title"] not in report

    served.run(check, SEARCHED)


@each_editor
def test_offers_to_choose_from_where_there_are_none(served: Served) -> None:
    async def check(file: Opened) -> None:
        assert await file.command("showOffers", uri=file.uri, kernel="dot") == {"offers": []}

    served.run(check)


@needs_compiler
@in_vscode
def test_an_offer_that_is_gone_when_it_is_chosen(served: Served) -> None:
    """The list stands open while the text goes on: the user is told."""

    async def check(file: Opened) -> None:
        offers = await file.search()

        def answer(params: Any) -> JsonObject:
            file.replace("0.0f", "0.5f")
            return {"title": offers[0]["title"]}

        name = "window/showMessageRequest"
        file.client.answers[name] = answer
        try:
            await file.command("showOffers", uri=file.uri, kernel="dot")
            await file.client.wait_for(lambda: "dot has changed since this was offered" in file.boxes[-1])
        finally:
            del file.client.answers[name]

    served.run(check, SEARCHED)


@needs_compiler
@in_vscode
def test_cancelling(served: Served) -> None:
    """By number, by file, and all."""

    async def check(file: Opened) -> None:
        first = (await file.command("optimize", uri=file.uri, kernel="dot"))["job"]
        second = (await file.command("profile", uri=file.uri, kernel="scale"))["job"]
        assert file.job(second)["state"] == "queued"
        assert await file.command("cancel", job=first + 1000) == {"cancelled": []}
        assert await file.command("cancel", uri="file:///other.c") == {"cancelled": []}
        assert await file.command("cancel", job=second) == {"cancelled": [second]}
        assert file.job(second)["state"] == "cancelled" and file.job(second)["why"] == "cancelled by the user"
        assert await file.command("cancel", uri=file.uri) == {"cancelled": [first]}
        assert file.job(first)["state"] == "cancelled"
        third = (await file.command("optimize", uri=file.uri, kernel="dot"))["job"]
        assert await file.command("cancel") == {"cancelled": [third]}

    served.run(check, DOT_CONTRACT.replace("65_536", "65_537") + SEARCHED.split("*/\n", 2)[2])
