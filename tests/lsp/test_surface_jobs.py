"""Jobs: progress and its cancelling, what a save or a pause begins, and what ends with the text or the file."""

from __future__ import annotations

import asyncio

import pytest

from .documents import span
from .frames import JsonObject
from .surface import (
    DOT_CONTRACT,
    JOB_SECONDS,
    SEARCHED,
    TEXT,
    Opened,
    Served,
    World,
    each_editor,
    in_vscode,
    needs_compiler,
)

pytestmark = needs_compiler

UNSEARCHED = TEXT.replace("65_536", "65_543")
"""A text that no test searches to its end, so that nothing of it is kept."""


def stages(file: Opened, number: int) -> list[JsonObject]:
    """What a client was told with the token of a job."""
    return file.client.editor.progress.stages.get(f"kernwright-job-{number}", [])


async def begun(file: Opened, kernel: str = "dot") -> int:
    """The number of a search that shows its progress."""
    number: int = (await file.command("optimize", uri=file.uri, kernel=kernel))["job"]
    await file.client.wait_for(lambda: bool(stages(file, number)), JOB_SECONDS, "progress")
    return number


@each_editor
def test_progress(served: Served) -> None:
    async def check(file: Opened) -> None:
        number = await begun(file)
        assert (await file.job_end(number))["state"] == "done"
        first, *middle, last = stages(file, number)
        assert first["kind"] == "begin" and first["title"] == "Optimizing dot" and first["cancellable"] is True
        assert last == {"kind": "end", "message": "done"}
        shares = [one["percentage"] for one in middle if "percentage" in one]
        assert shares == sorted(shares) and all(0 <= one <= 100 for one in shares)
        assert all(one["message"] for one in middle)
        told = [one for one in file.told("kernwright/job") if one["job"] == number]
        assert [told[0]["state"], told[1]["state"], told[-1]["state"]] == ["queued", "running", "done"]
        assert {one["kind"] for one in told} == {"optimize"} and {one["wanted"] for one in told} == {True}
        assert told[-1]["title"] == "Optimizing dot" and told[-1]["kernel"].startswith("dot(")
        assert file.boxes[-1].startswith("dot: 1 verified rewrite; the best: "), file.boxes

    served.run(check, SEARCHED)


@in_vscode
def test_cancelling_progress_ends_the_job(served: Served) -> None:
    async def check(file: Opened) -> None:
        number = await begun(file)
        file.client.notify("window/workDoneProgress/cancel", {"token": f"kernwright-job-{number}"})
        ended = await file.job_end(number)
        assert ended["state"] == "cancelled" and ended["why"] == "cancelled by the user"
        assert stages(file, number)[-1] == {"kind": "end", "message": "cancelled by the user"}
        assert file.boxes == [], "who cancels knows it"
        assert not any("offer" in one.get("data", {}) for one in await file.actions())
        file.client.notify("window/workDoneProgress/cancel", {"token": f"kernwright-job-{number}"})
        file.client.notify("window/workDoneProgress/cancel", {"token": 7})
        # The queue goes on.
        assert (await file.compile_on_save())["state"] == "done"

    served.run(check, UNSEARCHED)


@in_vscode
def test_progress_that_the_client_answers_late(served: Served) -> None:
    """Steps that come before the client has made its token make no second one."""

    async def check(file: Opened) -> None:
        name = "window/workDoneProgress/create"
        made: list[str] = []

        async def late(params: JsonObject) -> None:
            made.append(params["token"])
            await file.client.wait_for(lambda: any(one["step"] for one in file.told("kernwright/job")), JOB_SECONDS)
            await asyncio.sleep(0.5)
            file.client.editor.progress.create(params["token"])

        file.client.answers[name] = late
        try:
            number: int = (await file.command("optimize", uri=file.uri, kernel="dot"))["job"]
            await file.client.wait_for(lambda: bool(stages(file, number)), JOB_SECONDS)
            await file.command("cancel", job=number)
        finally:
            del file.client.answers[name]
        assert made == [f"kernwright-job-{number}"]

    served.run(check, UNSEARCHED)


@in_vscode
def test_a_newer_question_takes_the_place_of_the_older(served: Served) -> None:
    async def check(file: Opened) -> None:
        first = await begun(file)
        joined = await file.command("optimize", uri=file.uri, kernel="dot")
        assert joined["job"] == first, "the same question is one job"
        file.client.change(file.uri, span(0, 0, 0, 0), "\n")
        newer = await file.command("optimize", uri=file.uri, kernel="dot")
        assert newer["job"] != first
        assert file.job(first)["state"] == "cancelled" and file.job(first)["why"] == "a newer text takes its place"
        file.client.close(file.uri)
        ended = await file.job_end(newer["job"])
        assert ended["state"] == "cancelled" and ended["why"] == "its file was closed"
        file.client.open(file.uri, UNSEARCHED, "c")

    served.run(check, UNSEARCHED)


@in_vscode
def test_a_kernel_that_cannot_be_measured_is_said(served: Served) -> None:
    async def check(file: Opened) -> None:
        number: int = (await file.command("optimize", uri=file.uri, kernel="dot"))["job"]
        ended = await file.job_end(number)
        await file.client.wait_for(lambda: bool(file.boxes))
        assert ended["state"] in ("done", "failed")
        assert file.boxes[-1].startswith(("dot: ", "Optimizing dot: ")) and "missing_name" in file.boxes[-1], (
            file.boxes
        )
        assert "\n" not in file.boxes[-1]

    served.run(check, TEXT.replace("return sum;", "return missing_name;"))


def settings(world: World, words: str) -> None:
    (world.root / "kernwright.toml").write_text(f"[settings]\n{words}\n")


def compiles(file: Opened) -> list[JsonObject]:
    return [one for one in file.told("kernwright/job") if one["kind"] == "compile"]


def test_a_save_compiles_unless_it_is_switched_off(world: World) -> None:
    settings(world, 'compile_on = "off"')

    async def check(file: Opened) -> None:
        file.client.save(file.uri)
        # A command is answered after the save was taken.
        await file.command("cancel", uri=file.uri)
        assert compiles(file) == []
        settings(world, 'compile_on = "save"')
        change = {"uri": (world.root / "kernwright.toml").as_uri(), "type": 2}
        file.client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        statuses = len(file.told("kernwright/status"))
        await file.client.wait_for(lambda: len(file.told("kernwright/status")) > statuses)
        ended = await file.compile_on_save()
        assert ended["wanted"] is False and ended["title"] == "Compiling kernels.c"
        assert await file.hints()

    world.run(check)


def test_a_pause_compiles_when_it_is_set(world: World) -> None:
    settings(world, 'compile_on = "idle"')

    async def check(file: Opened) -> None:
        file.client.save(file.uri)
        file.client.change(file.uri, span(0, 0, 0, 0), "/* é𝄞 */\n")
        await file.client.wait_for(lambda: any(one["state"] == "done" for one in compiles(file)), JOB_SECONDS)
        assert len({one["job"] for one in compiles(file)}) == 1, "the save begins none"
        hints = await file.hints()
        assert file.document.find("for (int i")["start"]["line"] in [one["position"]["line"] for one in hints]

    world.run(check)


def test_searching_while_nobody_types(world: World) -> None:
    """It ends at the next key, begins again after it, and says nothing in boxes."""
    settings(world, "optimize_when_idle = true\nidle_seconds_per_hour = 60")

    def searches(file: Opened) -> list[JsonObject]:
        return [one for one in file.told("kernwright/job") if one["kind"] == "optimize"]

    async def check(file: Opened) -> None:
        await file.client.wait_for(lambda: any(one["step"] for one in searches(file)), JOB_SECONDS)
        first = searches(file)[0]
        assert first["wanted"] is False and first["kernel"].startswith("dot("), "of the kernel with a contract"
        file.client.change(file.uri, span(0, 0, 0, 0), "/* é𝄞 */\n")
        ended = await file.job_end(first["job"])
        assert ended["state"] == "cancelled" and ended["why"] == "somebody types; it is done again later"
        await file.client.wait_for(lambda: searches(file)[-1]["state"] == "done", JOB_SECONDS)
        assert searches(file)[-1]["job"] != first["job"]
        assert any("offer" in one.get("data", {}) for one in await file.actions())
        assert file.boxes == []
        assert file.told("kernwright/offers")[-1]["offers"], "views are told all the same"

    world.run(check, DOT_CONTRACT.replace("65_536", "65_551") + TEXT.split("*/\n", 2)[2])


def test_the_idle_budget_is_kept(world: World) -> None:
    settings(world, "optimize_when_idle = true\nidle_seconds_per_hour = 1")

    async def check(file: Opened) -> None:
        await file.client.wait_for(lambda: bool(file.told("kernwright/job")), JOB_SECONDS)
        ended = await file.job_end(file.told("kernwright/job")[0]["job"])
        assert ended["state"] == "cancelled" and ended["why"] == "the idle seconds of this hour are used up"
        with pytest.raises(TimeoutError):
            await file.client.wait_for(lambda: file.told("kernwright/job")[-1]["state"] == "running", 4)

    world.run(check, UNSEARCHED)
