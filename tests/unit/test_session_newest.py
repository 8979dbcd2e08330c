"""Whoever asks for the findings of the newest text gets those, whatever is edited while they are on their way."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from kernwright.mirror.messages import DocumentAnalysed
from kernwright.mirror.model import Analysed
from kernwright.session.analysis import Worker
from kernwright.session.session import Session

URI = "file:///work/a.c"


class SilentWorker:
    """A worker that hears everything and says nothing."""

    pid = None
    stopped = False

    def send(self, message: object) -> None:
        pass

    def kill(self) -> None:
        pass


def started() -> tuple[Session, Callable[[object], None]]:
    """A session with one document, and what its worker says things with."""
    says: list[Callable[[object], None]] = []

    def start(heard: Callable[[object], None], gone: Callable[[], None]) -> Worker:
        says.append(heard)
        return SilentWorker()

    session = Session(start, lambda request, heard, gone: pytest.fail("no job was asked for"))
    session.open(URI, Path("/work/a.c"), "c", "c", 1, "int x;\n")
    return session, says[0]


def analysed(session: Session) -> DocumentAnalysed:
    """The worker's result for the text as it is now."""
    document = session.documents[URI]
    return DocumentAnalysed(URI, document.serial, Analysed(document.version, "", "c"))


@pytest.mark.parametrize("edits", [0, 1, 3])
def test_a_result_that_was_outrun_is_not_given_out(edits: int) -> None:
    async def ask() -> None:
        session, say = started()
        asked = asyncio.ensure_future(session.analysed_now(URI))
        await asyncio.sleep(0)
        say(analysed(session))
        for number in range(edits):
            # The edit comes before the one who waits has had a turn.
            session.change(URI, 2 + number, [((0, 0), (0, 0), "\n")])
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not asked.done(), "an older text's result was given out"
            say(analysed(session))
        found = await asyncio.wait_for(asked, 5)
        assert found is not None
        assert found.version == session.documents[URI].version

    asyncio.run(ask())


def test_nobody_waits_for_a_document_that_is_closed() -> None:
    async def ask() -> None:
        session, say = started()
        asked = asyncio.ensure_future(session.analysed_now(URI))
        await asyncio.sleep(0)
        say(analysed(session))
        session.close(URI)
        assert await asyncio.wait_for(asked, 5) is None

    asyncio.run(ask())
