"""``initialized`` and ``shutdown``. ``initialize`` is answered by ``greeting``, before there is a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from kernwright.lsp.workspace import ask_configuration, watch_files

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer


_DECISION_SECONDS = 0.6
"""What a decision that was just made may hold up the end of the server."""


def register(server: KernwrightServer) -> None:
    said: set[str] = set()

    @server.feature(types.INITIALIZED)
    async def initialized(params: types.InitializedParams) -> None:
        if types.INITIALIZED in said:
            return
        said.add(types.INITIALIZED)
        watch_files(server)
        await ask_configuration(server)

    @server.feature(types.SHUTDOWN)
    async def shutdown(params: None) -> None:
        # Jobs are ended before the reply: a client may kill what is left soon after it.
        server.session.jobs.close()
        server.endpoint.shut_down()
        server.decisions.write_down()
        await server.session.analysis.decided(_DECISION_SECONDS)

    @server.feature(types.SET_TRACE)
    def set_trace(params: types.SetTraceParams) -> None:
        server.endpoint.trace = params.value

    _ = (initialized, shutdown, set_trace)
