"""Every command that the server says it has is one that it knows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from kernwright.lsp import commands, names
from kernwright.lsp.endpoint import ReplyError


def execute(command: str) -> str:
    """What the handler says to a command whose argument is no table."""
    features: dict[str, Callable[[Any], Any]] = {}

    def feature(method: str) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
        def keep(handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
            features[method] = handler
            return handler

        return keep

    commands.register(SimpleNamespace(feature=feature))  # pyright: ignore[reportArgumentType]
    handler = features[types.WORKSPACE_EXECUTE_COMMAND]

    async def run() -> None:
        await handler(types.ExecuteCommandParams(command, [["no table"]]))

    with pytest.raises(ReplyError) as caught:
        asyncio.run(run())
    return str(caught.value)


@pytest.mark.parametrize("command", names.COMMANDS)
def test_has_a_handler(command: str) -> None:
    assert execute(command) == f"{command} takes one table"


def test_another_has_none() -> None:
    assert execute("kernwright.unheardOf") == "there is no command kernwright.unheardOf"


def test_names_are_all_there_are() -> None:
    named = {value for name, value in vars(names).items() if name.isupper() and str(value).startswith("kernwright.")}
    assert named == set(names.COMMANDS)
    assert len(set(names.COMMANDS)) == len(names.COMMANDS)
