"""``KernwrightServer``: the session, the client and the handlers of every message group, wired up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import cast

from lsprotocol.converters import get_converter
from pygls.lsp.server import LanguageServer

from kernwright import __version__
from kernwright.lsp import (
    actions,
    commands,
    completion,
    diagnostics,
    ext,
    ext_requests,
    hints,
    hover,
    inline,
    jobs,
    lenses,
    lifecycle,
    localise,
    sync,
    workspace,
)
from kernwright.lsp.decisions import Decisions
from kernwright.lsp.endpoint import Endpoint
from kernwright.lsp.greeting import Greeting
from kernwright.lsp.transport import Transport
from kernwright.run.memory import give_back_memory, settle
from kernwright.session.idle import IdleWork
from kernwright.session.session import Session

_CLOSED_SECONDS = 1.0
GROUPS = (
    lifecycle,
    workspace,
    sync,
    diagnostics,
    actions,
    hints,
    lenses,
    hover,
    inline,
    completion,
    commands,
    jobs,
    ext,
    ext_requests,
    localise,
)


class KernwrightServer(LanguageServer):
    """One client's server. ``leave`` ends it with an exit status; ``log`` takes lines without source text."""

    def __init__(
        self,
        session: Session,
        greeting: Greeting,
        transport: Transport,
        leave: Callable[[int], None],
        log: Callable[[str], None],
    ) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            "kernwright", __version__, protocol_cls=Endpoint, converter_factory=get_converter
        )
        self.session = session
        self.client = greeting.client
        self.locale = greeting.locale
        self.shows_jobs = greeting.shows_jobs
        self.log = log
        self.idle = IdleWork(session)
        self.decisions = Decisions(self)
        self._giving_back: asyncio.TimerHandle | None = None
        self.endpoint = cast(Endpoint, self.protocol)
        self.endpoint.transport = transport
        self.endpoint.log = log
        self.endpoint.leave = leave
        for group in GROUPS:
            group.register(self)
        session.listeners.closed.append(self._closed)
        # The protocol's types are half of all objects, and stay.
        settle()
        # What became known before there was anybody to tell.
        for folder in session.roots:
            for listener in session.listeners.problems:
                listener(folder)

    def _closed(self, uri: str) -> None:
        """Give back what a document took, once those are closed that are closed with it."""
        if self._giving_back is None:
            self._giving_back = asyncio.get_running_loop().call_later(_CLOSED_SECONDS, self._give_back)

    def _give_back(self) -> None:
        self._giving_back = None
        give_back_memory()

    def close(self) -> None:
        self.idle.close()
        self.endpoint.cancel_all()
