"""The server in Simplified Chinese: what a user sees is, and what only programs read stays as it is."""

from __future__ import annotations

import re
from typing import Any

import pytest

from .exchange import ServerError
from .surface import NEOVIM, SEARCHED, VSCODE, Case, Opened, World, needs_compiler

CHINESE = re.compile(r"[\u4e00-\u9fff]")


@needs_compiler
@pytest.mark.parametrize("case", [VSCODE, NEOVIM], ids=str)
def test_what_a_user_sees_is_in_chinese(world: World) -> None:
    async def check(file: Opened) -> None:
        titles = [lens["command"]["title"] for lens in await file.lenses()]
        assert titles == ["dot", "性能分析", "优化", "accumulate_rows", "性能分析", "优化"]
        diagnostics = file.client.diagnostics(file.uri)
        actions = [one["title"] for one in await file.actions(diagnostics=diagnostics)]
        assert "搜索 dot 的已验证改写" in actions and "插入推断出的 scale 的契约" in actions
        assert all(CHINESE.search(title) for title in actions), actions
        offers = await file.search()
        assert not CHINESE.search(offers[0]["title"]), "what the engine says of a rewrite is its own"
        await file.client.wait_for(lambda: bool(file.boxes))
        assert re.fullmatch(r"dot：\d+ 个已验证的改写；最佳：.+", file.boxes[-1])
        assert {one["title"] for one in file.told("kernwright/job")} == {"正在优化 dot"}
        head = next(lens["command"]["title"] for lens in await file.lenses())
        assert "达到上限的" in head and "受限于" in head
        with pytest.raises(ServerError) as caught:
            await file.command("optimize", uri="file:///nowhere.c", kernel="dot")
        assert caught.value.message == "file:///nowhere.c：没有打开"

    world.run(check, SEARCHED, locale="zh-cn")


@needs_compiler
@pytest.mark.parametrize("case", [VSCODE], ids=str)
def test_a_choice_is_understood_in_the_language_that_it_was_shown_in(world: World) -> None:
    async def check(file: Opened) -> None:
        offers = await file.search()
        asked: list[Any] = []

        def answer(params: Any) -> Any:
            asked.append(params)
            return {"title": "结果错误"}

        file.client.answers["window/showMessageRequest"] = answer
        await file.command("reject", offer=offers[0]["id"])
        await file.client.wait_for(lambda: bool(asked))
        assert asked[0]["message"] == f"为什么不要“{offers[0]['title']}”？"
        assert [one["title"] for one in asked[0]["actions"]] == ["结果错误", "不值得", "以后再说"]
        from .test_taken_back import decisions, remembered

        await remembered(world, ["rejected"])
        assert [data["reason"] for _, data in decisions(world)] == ["wrong"]

    world.run(check, SEARCHED, locale="zh-CN")


@pytest.mark.parametrize("locale", ["en", "zh-tw", "fr", None])
def test_other_languages_have_the_server_s_own_words(world: World, locale: str | None) -> None:
    async def check(file: Opened) -> None:
        titles = [lens["command"]["title"] for lens in await file.lenses()]
        assert titles == ["dot", "Profile", "Optimize"]
        actions = [one["title"] for one in await file.actions()]
        assert actions and not any(CHINESE.search(title) for title in actions)

    world.run(check, locale=locale)


def test_an_action_that_may_not_be_taken_says_why(world: World) -> None:
    async def check(file: Opened) -> None:
        (refused,) = [one for one in await file.actions(file.document.find("float dot")) if "disabled" in one]
        assert refused["title"] == "搜索 dot 的已验证改写"
        assert refused["disabled"]["reason"] == "工作区不受信任，因此不会编译或运行其中的任何内容"

    world.run(check, locale="zh-cn", initialization_options={"trusted": False})


@pytest.fixture
def case() -> Case:
    return VSCODE
