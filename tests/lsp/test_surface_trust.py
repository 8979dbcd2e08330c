"""Trust: in a workspace that is not trusted, text is all that counts, and nothing of it is compiled or run."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from .client import Client
from .exchange import ServerError
from .surface import JOB_SECONDS, KERNWRIGHT, NEOVIM, TEXT, VSCODE, Opened, World, needs_compiler
from .test_surface_workspace import RULE, changed, codes

WHY = "the workspace is not trusted, so nothing of it is compiled or run"
TOOLS = ("cc", "gcc", "clang", "c++", "g++", "clang++", "perf", "bwrap", "objdump")
"""What compiling and running would start."""
EDITORS = pytest.mark.parametrize("case", (VSCODE, NEOVIM), ids=str)


def traps(world: World, folder: Path) -> tuple[Mapping[str, str], Path]:
    """An environment whose tools leave a mark when they are started, and the mark."""
    mark, tools = folder / "started", folder / "tools"
    tools.mkdir()
    for name in TOOLS:
        tool = tools / name
        tool.write_text(f'#!/bin/sh\necho "$0" >> "{mark}"\nexit 1\n')
        tool.chmod(0o755)
    return {**world.environment, "PATH": f"{tools}:{world.environment['PATH']}"}, mark


async def settled(file: Opened) -> None:
    """Everything that the server began by itself is over."""
    await file.command("cancel")
    await asyncio.sleep(0.2)


async def check_untrusted(file: Opened) -> None:
    """Static findings, contracts and reports; neither jobs nor rules of the workspace."""
    assert codes(file) == ["float-sum-in-order"]
    file.client.save(file.uri)
    for name in ("profile", "optimize"):
        with pytest.raises(ServerError) as caught:
            await file.command(name, uri=file.uri, kernel="dot")
        assert caught.value.code == -32803 and caught.value.message == f"{WHY}; trust it first"
    assert file.told("kernwright/job") == []
    assert await file.hints() == []
    assert [one["command"]["title"] for one in await file.lenses()] == ["dot"], "neither Profile nor Optimize"
    actions = await file.actions(None, await file.found())
    assert not any(one.get("command", {}).get("command") == "kernwright.optimize" for one in actions)
    disabled = [one for one in actions if "disabled" in one]
    able = file.world.case.capabilities["textDocument"]["codeAction"].get("disabledSupport")
    assert bool(disabled) == bool(able)
    for one in disabled:
        assert one["disabled"] == {"reason": WHY} and not {"edit", "command"} & set(one)
    assert any(one["title"] == "Insert the inferred contract of scale" for one in actions)
    report = (await file.command("showReport", uri=file.uri, kernel="dot"))["report"]
    assert "## Contract (as written)" in report


@EDITORS
def test_untrusted_from_the_start(world: World, tmp_path: Path) -> None:
    rule = world.root / ".kernwright" / "rules" / "no-scale.md"
    rule.parent.mkdir(parents=True)
    rule.write_text(RULE)
    (world.root / "kernwright.toml").write_text(
        '[settings]\ncompile_on = "idle"\noptimize_when_idle = true\ntrusted = true\n'
    )
    environment, mark = traps(world, tmp_path)

    async def check(file: Opened) -> None:
        (status,) = [one for one in file.client.notifications if one[0] == "kernwright/status"][-1:]
        assert status[1]["trusted"] is False
        await check_untrusted(file)
        file.replace("0.0f", "0.5f")
        # Longer than the pause after which a trusted workspace is compiled and searched.
        await asyncio.sleep(3)
        await settled(file)
        assert file.told("kernwright/job") == []
        assert not mark.exists(), mark.read_text()

    world.run(check, initialization_options={"trusted": False}, environment=environment)


def test_the_trap_is_one(world: World, tmp_path: Path) -> None:
    """The same in a trusted workspace does start a compiler."""
    environment, mark = traps(world, tmp_path)

    async def check(file: Opened) -> None:
        file.client.save(file.uri)
        await file.client.wait_for(lambda: bool(file.told("kernwright/job")))
        await file.job_end(file.told("kernwright/job")[0]["job"])
        assert mark.exists()

    world.run(check, environment=environment)


@needs_compiler
def test_trust_is_given_and_taken_back(world: World) -> None:
    rule = world.root / ".kernwright" / "rules" / "no-scale.md"
    rule.parent.mkdir(parents=True)
    rule.write_text(RULE)

    async def check(file: Opened) -> None:
        await check_untrusted(file)
        client = file.client
        for odd in (None, {}, {"trusted": 1}, {"trusted": "yes"}, True):
            client.notify("kernwright/trust", odd)
        await settled(file)
        assert file.told("kernwright/status") == []
        client.notify("kernwright/trust", {"trusted": True})
        await client.wait_for(lambda: "no-scale" in codes(file), what="the workspace's rule")
        assert file.told("kernwright/status")[-1]["trusted"] is True
        assert "Optimize" in [one["command"]["title"] for one in await file.lenses()]
        begun = await file.command("optimize", uri=file.uri, kernel="dot")
        await client.wait_for(lambda: file.job(begun["job"])["step"] != "", JOB_SECONDS)
        client.notify("kernwright/trust", {"trusted": False})
        ended = await file.job_end(begun["job"])
        assert ended["state"] == "cancelled" and ended["why"] == "the workspace is not trusted"
        await client.wait_for(lambda: "no-scale" not in codes(file))
        assert file.told("kernwright/status")[-1]["trusted"] is False
        assert [one["command"]["title"] for one in await file.lenses()] == ["dot"]
        with pytest.raises(ServerError, match="not trusted"):
            await file.command("profile", uri=file.uri, kernel="dot")

    world.run(check, TEXT.replace("65_536", "65_539"), initialization_options={"trusted": False})


def test_settings_do_not_make_a_workspace_trusted(world: World) -> None:
    async def check(file: Opened) -> None:
        file.client.configure({"kernwright": {"trusted": True}})
        changed(file.client, world.root / "kernwright.toml")
        await settled(file)
        with pytest.raises(ServerError, match="not trusted"):
            await file.command("profile", uri=file.uri, kernel="dot")
        assert "trust is said by the editor's own means" in file.client.connection.errors()

    world.run(check, initialization_options={"trusted": False, "settings": {"trusted": True}})


def test_over_tcp_nothing_is_trusted_unless_it_is_said(world: World, tmp_path: Path) -> None:
    environment, mark = traps(world, tmp_path)

    async def session(options: object) -> None:
        argv = (*KERNWRIGHT, "serve", "--tcp", "127.0.0.1:0")
        process = await asyncio.create_subprocess_exec(
            *argv, env=dict(environment), stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
        assert process.stderr is not None and process.stdout is not None
        try:
            line = (await asyncio.wait_for(process.stderr.readline(), JOB_SECONDS)).decode()
            found = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
            assert found, line
            async with Client.connect("127.0.0.1", int(found[1]), world.case.capabilities) as client:
                await client.initialize(world.root, initialization_options=options)
                file = Opened(world, client, await world.open(client, TEXT))
                if options is None:
                    await check_untrusted(file)
                else:
                    file.client.save(file.uri)
                    await client.wait_for(lambda: bool(file.told("kernwright/job")))
                    await file.job_end(file.told("kernwright/job")[0]["job"])
                await settled(file)
                assert mark.exists() == (options is not None)
                await client.shutdown()
                client.check()
            assert await asyncio.wait_for(process.wait(), JOB_SECONDS) == 0
            assert await process.stdout.read() == b"", "nothing is said on standard output"
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    asyncio.run(session(None))
    asyncio.run(session({"trusted": True}))
