"""What an extension's views ask: the list of kernels, the report on one, rules, the machine."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from .exchange import ServerError
from .surface import (
    DOT,
    DOT_CONTRACT,
    JOB_SECONDS,
    SCALE,
    SEARCHED,
    VSCODE,
    Opened,
    Served,
    World,
    in_vscode,
    needs_compiler,
)

DOT_SIGNATURE = "dot(int, const float*, const float*)"
BAD: tuple[tuple[str, Any, int, str], ...] = (
    ("kernels", {"search": "yes"}, -32602, "kernwright/kernels: 'search' is true or false"),
    ("kernels", {"search": 1}, -32602, "kernwright/kernels: 'search' is true or false"),
    ("report", {}, -32602, "kernwright/report needs 'uri', a text"),
    ("report", {"uri": "file:///nowhere.c", "kernel": "dot"}, -32803, "file:///nowhere.c: is not open"),
    ("changeRule", {"name": "column-walk", "change": "burn"}, -32602, "'change' is one of enable, disable, promote"),
    ("changeRule", {"name": "float-sums", "change": "disable"}, -32803, "there is no rule 'float-sums'"),
    ("changeRule", {"name": "float-sums", "change": "demote"}, -32803, "there is no rule 'float-sums'"),
    ("testRule", {"name": 7}, -32602, "kernwright/testRule: 'name' is a text"),
    ("testRule", {"name": "float-sums"}, -32803, "there is no rule 'float-sums'"),
    ("ruleText", {"name": "column-walk", "folder": "/nowhere"}, -32602, "/nowhere: is no folder of the workspace"),
    ("ruleText", {"name": "float-sums"}, -32803, "there is no rule 'float-sums'"),
    ("rules", {"folder": 1}, -32602, "kernwright/rules: 'folder' is a text or null"),
    ("machine", {"again": None}, -32602, "kernwright/machine: 'again' is true or false"),
    ("takeBack", {}, -32602, "kernwright/takeBack needs 'offer', a text"),
    ("takeBack", {"offer": "dot-0"}, -32803, "there is no decision on 'dot-0'"),
)
"""A request, its parameters, and the code and words of the error."""


async def ask(file: Opened, request: str, /, **params: Any) -> Any:
    return await file.client.request(f"kernwright/{request}", params, JOB_SECONDS)


async def report_on(file: Opened, kernel: str = "dot") -> Any:
    return await ask(file, "report", uri=file.uri, kernel=kernel)


@in_vscode
def test_bad_parameters_are_named(served: Served) -> None:
    async def check(file: Opened) -> None:
        for name, params, code, words in BAD:
            with pytest.raises(ServerError) as caught:
                await file.client.request(f"kernwright/{name}", params)
            assert caught.value.code == code and words in caught.value.message, (name, params, caught.value)
            assert "\n" not in caught.value.message

    served.run(check)


@in_vscode
def test_the_kernels_of_open_files(served: Served) -> None:
    async def check(file: Opened) -> None:
        dot, scale = (await ask(file, "kernels"))["kernels"]
        assert (dot["signature"], dot["contract"], dot["is_open"]) == (DOT_SIGNATURE, "written", True)
        assert dot["uri"] == file.uri and dot["language"] == "c" and dot["folder"] == str(file.world.root)
        assert dot["line"] == file.document.find("float dot")["start"]["line"]
        assert dot["findings"] == 1 and dot["offers"] == 0 and dot["best"] is None
        assert dot["ns"] is None and dot["measured_at"] is None and dot["stale"] is False
        assert (scale["name"], scale["contract"], scale["findings"]) == ("scale", "none", 0)

    served.run(check)


@in_vscode
def test_views_are_told_when_kernels_change(served: Served) -> None:
    async def check(file: Opened) -> None:
        await asyncio.sleep(1)
        before = len(file.told("kernwright/kernelsChanged"))
        file.replace("float dot", "float inner_product")
        await file.client.wait_for(lambda: len(file.told("kernwright/kernelsChanged")) > before)
        assert file.told("kernwright/kernelsChanged")[-1] == {"uri": file.uri}
        await file.found()
        names = [kernel["name"] for kernel in (await ask(file, "kernels"))["kernels"]]
        assert names == ["inner_product", "scale"]

    served.run(check)


@pytest.mark.parametrize("trusted", [True, False])
def test_the_kernels_of_files_that_nobody_has_open(world: World, trusted: bool) -> None:
    """They are parsed alone: also without trust, and nothing is started for it."""

    async def check(file: Opened) -> None:
        inner = world.root / "inner"
        inner.mkdir()
        (inner / "more.c").write_text("\n" + DOT_CONTRACT + DOT.replace("dot", "other"))
        (inner / "long.c").write_text("/* " + "x" * (1 << 20) + " */\n" + SCALE)
        (world.root / "build").mkdir()
        (world.root / "build" / "made.c").write_text(SCALE)
        first = await ask(file, "kernels")
        assert first["searched_at"] is None and [one["name"] for one in first["kernels"]] == ["dot", "scale"]
        answer = await ask(file, "kernels", search=True)
        assert answer["searched_at"] is not None and answer["left_out"] == 1
        *_, other = answer["kernels"]
        assert [one["name"] for one in answer["kernels"]] == ["dot", "scale", "other"], "once each"
        assert other["is_open"] is False and other["contract"] == "written" and other["ns"] is None
        assert other["uri"] == (inner / "more.c").as_uri() and other["line"] == 1 + DOT_CONTRACT.count("\n")
        again = await ask(file, "kernels")
        assert again == answer, "what was found is kept"
        assert {one["kind"] for one in file.told("kernwright/job")} == {"find"}

    world.run(check, initialization_options={"trusted": trusted})


def test_folders_outside_of_the_workspace_are_not_looked_through(world: World) -> None:
    async def check(file: Opened) -> None:
        outside = world.root.parent / "outside"
        outside.mkdir(exist_ok=True)
        (outside / "open.c").write_text(SCALE)
        (outside / "other.c").write_text(DOT)
        uri = file.client.open(outside / "open.c", SCALE, "c")
        await file.client.wait_for_diagnostics(uri)
        found = (await ask(file, "kernels", search=True))["kernels"]
        assert [one["name"] for one in found] == ["dot", "scale", "scale"]
        assert found[-1]["folder"] == str(outside) and found[-1]["is_open"] is True

    world.run(check)


@in_vscode
def test_a_report_before_anything_was_measured(served: Served) -> None:
    async def check(file: Opened) -> None:
        report = await report_on(file)
        for name in ("timing", "roofline", "search", "problem"):
            assert report[name] is None, name
        assert report["evidence"] == report["offers"] == report["heat"] == []
        assert report["signature"] == DOT_SIGNATURE and report["version"] == file.document.version
        text = "\n".join(report["lines"])
        assert text in file.document.text and text.startswith("/* kernwright") and "é𝄞" in text
        (finding,) = report["findings"]
        assert finding["rule"] == "float-sum-in-order" and finding["how"] == "static"
        contract = report["contract"]
        assert (contract["state"], contract["inferred"], contract["problem"]) == ("written", False, None)
        inferred = (await report_on(file, "scale"))["contract"]
        assert (inferred["state"], inferred["inferred"]) == ("none", True) and "[args]" in inferred["toml"]

    served.run(check)


@needs_compiler
@in_vscode
def test_a_report_on_a_search(served: Served) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        report = await report_on(file)
        timing, roofline, search = report["timing"], report["roofline"], report["search"]
        assert timing["low"] <= timing["ns"] <= timing["high"] and timing["how"] == "measured"
        assert timing["sizes"] == [{"name": "n", "value": 65_536}] and timing["stale"] is False
        assert timing["compiler"].startswith(("gcc ", "clang ", "zig ")) and timing["sandbox"]
        # A dot product does two operations an element, and reads eight bytes.
        assert roofline["flops"] == pytest.approx(2 * 65_536, rel=0.01)
        assert roofline["bytes"] == pytest.approx(8 * 65_536, rel=0.01)
        assert roofline["intensity"] == pytest.approx(roofline["flops"] / roofline["bytes"])
        assert roofline["achieved"] == pytest.approx(roofline["flops"] / timing["ns"])
        bandwidths = [level["bandwidth"] for level in roofline["levels"]]
        assert bandwidths == sorted(bandwidths, reverse=True) and roofline["levels"][-1]["capacity"] is None
        assert bandwidths[-1] <= roofline["bandwidth"] <= bandwidths[0]
        if timing["bound_by"] == "memory":
            assert timing["bound_ns"] == pytest.approx(roofline["bytes"] / roofline["bandwidth"])
        assert timing["share_of_bound"] == pytest.approx(timing["bound_ns"] / timing["ns"])
        tried = [one for one in search["candidates"] if one["round"]]
        assert [one["round"] for one in tried] == list(range(1, search["rounds"] + 1))
        offered = [one for one in tried if one["outcome"] == "offered"]
        assert {one["offer"] for one in offered} == {one["id"] for one in offers}
        assert all(one["why"] for one in search["candidates"] if one["outcome"] != "offered")
        for one in offered:
            assert one["low"] <= one["speedup"] <= one["high"] and one["ns"] < timing["ns"] * 1.2
        assert [one["offer"]["id"] for one in report["offers"]] == [one["id"] for one in offers]
        assert report["offers"][0]["cases"] > 10 and report["offers"][0]["sandbox"]
        what = {one["what"]: one for one in report["evidence"]}
        assert what["time per call"]["how"] == "measured" and what["machine"]["value"]
        assert math.isclose(what["time per call"]["at"], timing["at"])
        dot = (await ask(file, "kernels"))["kernels"][0]
        assert dot["ns"] == timing["ns"] and dot["offers"] == len(offers) and dot["best"] == offers[0]["speedup"]
        file.replace("0.0f", "0.5f")
        report = await report_on(file)
        assert report["timing"]["stale"] and report["search"]["stale"] and report["offers"] == []
        assert (await ask(file, "kernels"))["kernels"][0]["stale"] is True

    served.run(check, SEARCHED)


@needs_compiler
@in_vscode
def test_heat_by_line(served: Served) -> None:
    async def check(file: Opened) -> None:
        await file.run_job("profile", "dot")
        report = await report_on(file)
        heat = [one for one in report["heat"] if one["share"] is not None]
        loop = file.document.find("sum += x[i]")["start"]["line"]
        assert loop in [one["line"] for one in heat]
        assert 0.5 < sum(one["share"] for one in heat) <= 1.0 + 1e-9
        for one in heat:
            assert one["how"] in ("measured", "counted") and not one["stale"]
            assert one["ns"] == pytest.approx(one["share"] * report["timing"]["ns"])
        file.replace("/* 𝄞 kernels */", "/* 𝄞 kernels */\n")
        moved = [one["line"] for one in (await report_on(file))["heat"] if one["share"] is not None]
        assert moved == [one["line"] + 1 for one in heat], "an edit above moves it along"

    served.run(check)


@pytest.mark.parametrize("case", [VSCODE], ids=str)
def test_rules_are_changed_tested_and_read(world: World) -> None:
    async def check(file: Opened) -> None:
        answer = await ask(file, "changeRule", name="float-sum-in-order", change="disable")
        assert answer["path"] == str(world.root / "kernwright.toml") and "off in" in answer["said"]
        await file.client.wait_for(lambda: file.client.diagnostics(file.uri) == [], what="its findings to go")
        await ask(file, "changeRule", name="float-sum-in-order", change="enable", folder=str(world.root))
        await file.client.wait_for(lambda: bool(file.client.diagnostics(file.uri)), what="its findings to return")
        tested = await ask(file, "testRule", name="float-sum-in-order")
        assert tested["passed"] and tested["problems"] == [] and len(tested["cases"]) > 1
        assert all(one["passed"] and one["line"] >= 0 for one in tested["cases"])
        read = await ask(file, "ruleText", name="float-sum-in-order")
        assert read["text"].startswith("---") and read["path"].endswith(".md")
        (folder,) = (await ask(file, "rules", folder=str(world.root)))["folders"]
        assert folder["folder"] == str(world.root) and len(folder["rules"]) > 10

    world.run(check)


@pytest.mark.parametrize("case", [VSCODE], ids=str)
def test_a_rule_whose_cases_fail(world: World) -> None:
    rules = world.root / ".kernwright" / "rules"
    rules.mkdir(parents=True)

    async def check(file: Opened) -> None:
        text = (await ask(file, "ruleText", name="float-sum-in-order"))["text"]
        wrong = text.replace("float-sum-in-order", "my-own-sum")
        mark = next(line for line in wrong.splitlines() if line.lstrip().startswith("//") and "^^ my-own-sum" in line)
        # The mark is moved to where nothing is found.
        (rules / "my-own-sum.md").write_text(wrong.replace(mark, "//^ my-own-sum"))
        change = {"uri": (rules / "my-own-sum.md").as_uri(), "type": 1}
        file.client.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        tested = await ask(file, "testRule", name="my-own-sum")
        assert not tested["passed"] and tested["problems"] == []
        failed = [(one["outcome"], one["detail"]) for one in tested["cases"] if not one["passed"]]
        assert [outcome for outcome, _ in failed] == ["missing", "noisy"] and all(detail for _, detail in failed)
        (rules / "my-own-sum.md").write_text("---\nname: my-own-sum\n---\n")
        tested = await ask(file, "testRule", name="my-own-sum")
        assert not tested["passed"] and tested["cases"] == [] and "my-own-sum.md" in tested["problems"][0]

    world.run(check)


@needs_compiler
@pytest.mark.parametrize("case", [VSCODE], ids=str)
def test_what_this_machine_has(world: World) -> None:
    async def check(file: Opened) -> None:
        first = await ask(file, "machine")
        parts = {one["name"]: one for one in first["parts"]}
        assert parts["gcc"]["found"] and "gcc" in parts["gcc"]["version"]
        assert first["device"] and first["sandbox"] and isinstance(first["strong"], bool)
        assert first["trusted"] and first["model"] is None
        again = await ask(file, "machine")
        assert again["looked_at"] == first["looked_at"], "it is looked at once"
        anew = await ask(file, "machine", again=True)
        assert anew["looked_at"] > first["looked_at"] and anew["parts"] == first["parts"]
        file.client.notify("kernwright/trust", {"trusted": False})
        without = await ask(file, "machine", again=True)
        assert without["parts"] == [] and without["looked_at"] is None and without["device"] is None

    world.run(check)


def test_nothing_is_started_to_look_without_trust(world: World) -> None:
    async def check(file: Opened) -> None:
        answer = await ask(file, "machine", again=True)
        assert answer["trusted"] is False and answer["parts"] == [] and answer["jobs"] == []
        assert file.told("kernwright/job") == []

    world.run(check, initialization_options={"trusted": False})


@needs_compiler
@in_vscode
def test_jobs_say_how_far_a_search_has_come(served: Served) -> None:
    async def check(file: Opened) -> None:
        begun = await file.command("optimize", uri=file.uri, kernel="dot")
        answer = await ask(file, "machine")
        ended = await file.job_end(begun["job"])
        assert ended["state"] == "done"
        said = [one for one in file.told("kernwright/job") if one["job"] == begun["job"] and one["step"]]
        assert all(one["best"] is None or one["best"] > 1 for one in said)
        assert begun["job"] in [one["job"] for one in answer["jobs"]]

    served.run(check, DOT_CONTRACT.replace("65_536", "65_543") + DOT)


@needs_compiler
@pytest.mark.parametrize("shown", [True, False])
def test_a_client_may_show_the_ends_of_jobs_itself(world: World, shown: bool) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        done = [one for one in file.told("kernwright/job") if one["state"] == "done"][-1]
        count = f"{len(offers)} verified rewrite{'s' if len(offers) > 1 else ''}"
        assert done["said"] == f"{count}; the best: {offers[0]['title']}" and done["asks"] == []
        file.client.change_full(file.uri, SCALE.replace("a * x[i]", "a * x[i + n]"))
        asked = await file.run_job("optimize", "scale")
        begun = await file.command("optimize", uri=file.uri, kernel="scale")
        await file.job_end(begun["job"])
        assert asked["said"] and asked["state"] == "done"
        file.client.change_full(file.uri, DOT_CONTRACT + DOT.replace("return sum;", "return missing;"))
        begun = await file.command("profile", uri=file.uri, kernel="dot")
        ended = await file.job_end(begun["job"])
        assert "missing" in ended["why"] + ended["said"]
        await file.client.request("kernwright/rules", {})
        assert bool(file.boxes) is not shown, file.boxes

    world.run(check, SEARCHED, initialization_options={"showsJobs": shown})
