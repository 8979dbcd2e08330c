"""Code actions: verified rewrites listed, filtered, resolved, applied and remembered, in every encoding."""

from __future__ import annotations

from typing import Any

import pytest

from ..editors.edits import edited
from .documents import span
from .editor import EditRefused
from .exchange import ServerError
from .frames import JsonObject
from .surface import (
    DOT,
    FINDING,
    ROWS,
    SCALE,
    SEARCHED,
    VSCODE,
    Opened,
    Served,
    World,
    each_editor,
    in_vscode,
    needs_compiler,
)

pytestmark = needs_compiler

GATHER = """\
void gather(int n, const int *index, float *x)
{
    for (int i = 0; i < n; i++)
        x[index[i]] += 1;
}
"""
"""The size of its array is not to be seen."""
SEARCH = "Search verified rewrites of dot"


def titles(actions: list[JsonObject]) -> list[str]:
    return [action["title"] for action in actions]


def offered(actions: list[JsonObject]) -> list[JsonObject]:
    """The actions that apply an offer."""
    return [one for one in actions if "offer" in one.get("data", {})]


async def best(file: Opened) -> JsonObject:
    """The action of the best offer for `dot`."""
    return offered(await file.actions(file.document.find(FINDING)))[0]


def test_what_leads_to_rewrites_is_offered_at_a_finding(served: Served) -> None:
    async def check(file: Opened) -> None:
        found = await file.found()
        actions = await file.actions(file.document.find(FINDING), found)
        verify = actions[0]
        assert verify["title"] == "Verify rewrites of dot for 'float-sum-in-order'"
        assert verify["kind"] == "quickfix"
        assert verify["diagnostics"] == found
        assert SEARCH in titles(actions) and "Profile dot" in titles(actions)
        assert not any("scale" in title for title in titles(actions)), "a kernel elsewhere"
        assert await file.actions(span(0, 0, 0, 0), found) == [], "no kernel stands there"

    served.run(check)


def test_an_offer_is_resolved_applied_and_remembered(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        found = await file.found()
        actions = await file.actions(file.document.find(FINDING), found)
        action = offered(actions)[0]
        assert actions[0] == action, "verified rewrites come first"
        assert action["title"] == offers[0]["title"]
        assert "× (" in action["title"] and "ulp" in action["title"]
        assert action["isPreferred"] is True
        finding = next(one for one in found if one["code"] == "float-sum-in-order")
        assert action["kind"] == "quickfix" and action["diagnostics"] == [finding]
        assert "edit" not in action, "edits are made when they are asked for"
        assert "Verify rewrites of dot for 'float-sum-in-order'" not in titles(actions)
        # Lines above, with characters of every width: the offer is found again by its kernel.
        file.client.change(file.uri, span(0, 0, 0, 0), "/* é𝄞 */\n\n")
        action = (await file.actions(file.document.find(FINDING)))[0]
        before = file.document.text
        resolved = await file.client.request("codeAction/resolve", action, about=file.uri)
        if served.case.editor == "neovim":
            assert set(resolved["edit"]) == {"changes"}
        else:
            assert [one["textDocument"]["version"] for one in resolved["edit"]["documentChanges"]] == [
                file.document.version
            ]
        answer = await file.client.take(action, file.uri)
        assert answer == {"accepted": [offers[0]["id"]]}
        assert file.document.text == edited(before, resolved["edit"], file.uri, served.case.encoding)
        assert file.document.text != before
        # Whatever the search found best, it left alone what stands around the kernel.
        head, tail = before.split(DOT)
        assert file.document.text.endswith(tail)
        assert all(line in file.document.text for line in head.splitlines())
        assert file.told("kernwright/offers")[-1]["offers"] == []
        assert offered(await file.actions()) == []

    served.run(check, SEARCHED)


KINDS: tuple[tuple[list[str] | None, set[str]], ...] = (
    (["quickfix"], {"quickfix"}),
    (["refactor"], {"refactor.rewrite"}),
    (["refactor.rewrite"], {"refactor.rewrite"}),
    (["source"], {"source.fixAll.kernwright"}),
    (["source.fixAll"], {"source.fixAll.kernwright"}),
    (["source.fixAll.kernwright"], {"source.fixAll.kernwright"}),
    (["quickfix", "source.fixAll"], {"quickfix", "source.fixAll.kernwright"}),
    (["source.organizeImports"], set()),
    (["refactor.re"], set()),
    (["refactor.rewrite.more"], set()),
    (["source.fixAll.ruff"], set()),
    ([""], {"quickfix", "refactor.rewrite", "source.fixAll.kernwright"}),
    (None, {"quickfix", "refactor.rewrite"}),
)
"""What is asked for, and the kinds that come."""


@in_vscode
def test_kinds(served: Served) -> None:
    """Kinds are hierarchies; what changes a whole file is only given to who asks for such things."""

    async def check(file: Opened) -> None:
        await file.search()
        for only, kinds in KINDS:
            actions = await file.actions(None, await file.found(), only)
            assert {action["kind"] for action in actions} == kinds, (only, titles(actions))

    served.run(check, SEARCHED)


@in_vscode
def test_fixing_all_takes_the_best_safe_rewrite_of_each_kernel(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        await file.search("accumulate_rows")
        action = (await file.actions(None, (), ["source.fixAll"]))[0]
        assert action["title"] == "Apply the best verified rewrite of 1 kernel"
        before = file.document.text
        answer = await file.client.take(action, file.uri)
        assert answer == {"accepted": [offers[0]["id"]]}
        assert ROWS in file.document.text, "an offer that assumes something is for a person to take"
        assert file.document.text != before

    served.run(check, SEARCHED)


@each_editor
def test_assumptions_are_confirmed(served: Served) -> None:
    async def check(file: Opened) -> None:
        await file.search("accumulate_rows")
        action = offered(await file.actions(file.document.find("y[j] = y[j]")))[0]
        assert action["isPreferred"] is False
        resolved = await file.client.request("codeAction/resolve", action, about=file.uri)
        if served.case.editor != "vscode":
            assert "changeAnnotations" not in resolved["edit"]
            return
        (annotation,) = resolved["edit"]["changeAnnotations"].values()
        assert annotation["needsConfirmation"] is True
        assert annotation["label"] == action["title"]
        assert annotation["description"] == "assumes that the arrays do not overlap"
        # Declined: the text stays, and nothing is remembered as accepted.
        file.client.editor.confirm = lambda annotation: False
        try:
            with pytest.raises(ServerError, match="does not hold the rewrite"):
                await file.client.take(action, file.uri)
        finally:
            file.client.editor.confirm = lambda annotation: True
        assert ROWS in file.document.text
        assert offered(await file.actions(file.document.find("y[j] = y[j]"))), "it can still be taken"
        await file.client.take(action, file.uri)
        assert ROWS not in file.document.text

    served.run(check, SEARCHED)


@in_vscode
def test_nothing_to_confirm_where_nothing_is_assumed(served: Served) -> None:
    async def check(file: Opened) -> None:
        await file.search()
        resolved = await file.client.request("codeAction/resolve", await best(file), about=file.uri)
        (annotation,) = resolved["edit"]["changeAnnotations"].values()
        assert annotation["needsConfirmation"] is False and "description" not in annotation
        for change in resolved["edit"]["documentChanges"]:
            assert {edit["annotationId"] for edit in change["edits"]} == set(resolved["edit"]["changeAnnotations"])

    served.run(check, SEARCHED)


@in_vscode
def test_an_edit_is_for_one_text_alone(served: Served) -> None:
    """An edit that was made for an older text is refused by the editor; a newer one is had by asking again."""

    async def check(file: Opened) -> None:
        await file.search()
        action = await best(file)
        resolved = await file.client.request("codeAction/resolve", action, about=file.uri)
        file.client.change(file.uri, span(0, 0, 0, 0), "\n")
        with pytest.raises(EditRefused, match="is at version"):
            file.client.apply(resolved["edit"])
        await file.client.take(action, file.uri)
        assert DOT not in file.document.text

    served.run(check, SEARCHED)


@in_vscode
def test_offers_follow_the_text(served: Served) -> None:
    """Edits elsewhere leave an offer, one inside withdraws it, taking that back brings it back."""

    async def check(file: Opened) -> None:
        await file.search()
        file.replace("x[i] = a * x[i];", "x[i] = x[i] * a;")
        assert offered(await file.actions())
        action = await best(file)
        file.replace("0.0f", "0.5f")
        # At once, before anything was analysed, and afterwards.
        assert offered(await file.actions()) == []
        await file.found()
        assert offered(await file.actions()) == []
        assert await file.actions(None, (), ["source.fixAll"]) == []
        with pytest.raises(ServerError, match="dot has changed since this was offered"):
            await file.client.request("codeAction/resolve", action, about=file.uri)
        file.replace("0.5f", "0.0f")
        await file.found()
        await file.client.take(await best(file), file.uri)
        assert DOT not in file.document.text

    served.run(check, SEARCHED)


@in_vscode
def test_equal_kernels_in_two_files(served: Served) -> None:
    """An offer is one file's: taking it edits that file and leaves the other its own."""

    async def check(file: Opened) -> None:
        await file.search()
        other = Opened(served.world, file.client, await served.world.open(file.client, SEARCHED, "copy.c"))
        await other.search()
        await other.client.take(await best(other), other.uri)
        assert file.document.text == SEARCHED and other.document.text != SEARCHED
        await file.client.take(await best(file), file.uri)
        assert file.document.text != SEARCHED

    served.run(check, SEARCHED)


@each_editor
def test_inserting_the_inferred_contract(served: Served) -> None:
    async def check(file: Opened) -> None:
        actions = await file.actions(file.document.find("x[i] = a"))
        action = next(one for one in actions if one["title"] == "Insert the inferred contract of scale")
        assert "edit" not in action
        answer = await file.client.take(action, file.uri)
        text = file.document.text
        assert answer["asks"] == [] and answer["contract"] in text
        assert text.index("/* kernwright\n") < text.index('x = "inout f32[n]"') < text.index("void scale")
        assert [one for one in await file.found() if one["code"] == "contract"] == []
        actions = await file.actions(file.document.find("x[i] = a"))
        assert "Insert the inferred contract of scale" not in titles(actions)
        # What cannot be inferred is asked for.
        place = file.document.find("x[index")
        action = next(one for one in await file.actions(place) if one["title"].startswith("Insert the inferred"))
        answer = await file.client.take(action, file.uri)
        assert answer["asks"]
        assert file.boxes[-1] == f"gather: the contract has to say more: {answer['asks'][0]}"

    served.run(check, "/* é𝄞 */ int before;\n" + SCALE + GATHER)


def without(capabilities: JsonObject, name: str) -> JsonObject:
    """An editor's capabilities without one of its code actions'."""
    actions = {key: value for key, value in capabilities["textDocument"]["codeAction"].items() if key != name}
    return {**capabilities, "textDocument": {**capabilities["textDocument"], "codeAction": actions}}


def test_a_client_that_resolves_nothing_is_given_the_edits(world: World) -> None:
    async def check(file: Opened) -> None:
        await file.search()
        actions = await file.actions(file.document.find(FINDING))
        assert offered(actions)[0]["edit"]["documentChanges"]
        assert any("edit" in one for one in await file.actions(file.document.find("x[i] = a")))
        await file.client.take({key: offered(actions)[0][key] for key in ("title", "edit", "command")}, file.uri)
        assert DOT not in file.document.text

    World(VSCODE, world.root, world.environment, capabilities=without(VSCODE.capabilities, "resolveSupport")).run(
        check
    )


def test_a_client_without_literals_is_given_commands(world: World) -> None:
    """They make the edits themselves."""

    async def check(file: Opened) -> None:
        offers = await file.search()
        commands = await file.actions(file.document.find(FINDING))
        assert all(set(one) <= {"title", "command", "arguments"} for one in commands)
        assert commands[0]["title"] == offers[0]["title"]
        answer = await press(file, commands[0])
        assert answer == {"accepted": [offers[0]["id"]]}
        assert DOT not in file.document.text
        commands = await file.actions(file.document.find("x[i] = a"))
        await press(file, next(one for one in commands if one["title"].startswith("Insert the inferred contract")))
        assert 'x = "inout f32[n]"' in file.document.text

    async def press(file: Opened, command: JsonObject) -> Any:
        params = {"command": command["command"], "arguments": command["arguments"]}
        return await file.client.request("workspace/executeCommand", params)

    capabilities = without(VSCODE.capabilities, "codeActionLiteralSupport")
    World(VSCODE, world.root, world.environment, capabilities=capabilities).run(check, SEARCHED)
