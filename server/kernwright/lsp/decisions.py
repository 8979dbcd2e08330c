"""Decisions on offers: remembered, and taken back when the edit of an accepted offer is undone in the editor.

An acceptance is a fact about the text. When the text that an offer was made for comes back, whoever brought it back,
the acceptance no longer counts and the offer holds again; when the rewrite comes back after that, it is accepted
again.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kernwright.lsp import ext
from kernwright.lsp.endpoint import ReplyError
from kernwright.lsp.ext_messages import TakenBackParams
from kernwright.lsp.ext_params import plain
from kernwright.mirror.messages import Decide, Refused, TakeBack
from kernwright.session.facts import KeptOffer, PlacedKernel

if TYPE_CHECKING:
    from kernwright.lsp.server import KernwrightServer

UNSAID = "other"
"""The reason of a rejection that nobody gave one for."""


@dataclass
class _Accepted:
    """An accepted offer whose document is still open. ``rank`` is the place that it had among its kernel's offers,
    ``rewritten`` the key of its kernel with the rewrite in it, once that is known."""

    uri: str
    root: Path
    offer: KeptOffer
    rank: int
    before: bytes
    rewritten: str = ""
    is_undone: bool = False


class Decisions:
    """The decisions of one client. ``undecided`` are rejections whose reason may still be said."""

    def __init__(self, server: KernwrightServer) -> None:
        self._server = server
        self._accepted: dict[str, _Accepted] = {}
        self._undecided: dict[str, tuple[Path, KeptOffer]] = {}
        server.session.listeners.analysed.append(self._look)
        server.session.listeners.closed.append(self._forget)

    async def accept(self, uri: str, offer: KeptOffer) -> None:
        """Remember an acceptance, once the rewritten text is in the document."""
        session = self._server.session
        before, document = session.kept.preview_of(offer.id), session.known(uri)
        found = session.kept.find_offer(offer.id)
        if document is None or before is None or found is None:
            raise ReplyError(f"'{offer.title}' was not previewed for the text that is open; nothing was remembered")
        root, rank = session.root_of(document.path), found[1].offers.index(offer)
        answer = await session.analysis.ask(Decide(root, offer.record, before, document.data, ""))
        if isinstance(answer, Refused):
            raise ReplyError(answer.why)
        session.kept.withdraw(offer.id)
        self._accepted[offer.id] = _Accepted(uri, root, offer, rank, before)
        self._look(uri)

    async def reject(self, root: Path, offer: KeptOffer, reason: str) -> None:
        self._undecided.pop(offer.id, None)
        answer = await self._server.session.analysis.ask(Decide(root, offer.record, b"", b"", reason))
        if isinstance(answer, Refused):
            self._server.log(f"a rejection was not remembered: {answer.why}")

    def expect_reason(self, root: Path, offer: KeptOffer) -> None:
        """A rejection whose reason is about to be asked for."""
        self._undecided[offer.id] = root, offer

    async def give_reason(self, offer: KeptOffer, reason: str | None) -> None:
        """What came of asking. A rejection that was taken back or written down since needs no reason any more."""
        undecided = self._undecided.get(offer.id)
        if undecided is not None:
            await self.reject(undecided[0], offer, reason or UNSAID)

    def write_down(self) -> None:
        """Hand over the rejections that still wait for a reason: there is nobody left who could give one."""
        for root, offer in self._undecided.values():
            self._server.session.analysis.ask(Decide(root, offer.record, b"", b"", UNSAID))
        self._undecided.clear()

    async def take_back(self, id_: str) -> TakenBackParams:
        """Take a rejection back, of this session or of an earlier one. ``ReplyError`` where there is none."""
        session = self._server.session
        accepted = self._accepted.get(id_)
        if accepted is not None and not accepted.is_undone:
            raise ReplyError(f"'{accepted.offer.title}' was accepted: undo its edit, and its acceptance goes with it")
        found = session.kept.find_offer(id_)
        if found is None:
            return await self._take_back_earlier(id_)
        uri, facts, offer = found
        if id_ not in facts.rejected:
            raise ReplyError(f"there is no decision on '{id_}' that could be taken back")
        if self._undecided.pop(id_, None) is None:
            root = session.root_of(session.documents[uri].path)
            answer = await session.analysis.ask(TakeBack(root, id_, "rejected"))
            if isinstance(answer, Refused):
                raise ReplyError(answer.why)
        facts.rejected.discard(id_)
        session.kept.tell(uri)
        return self._tell(uri, offer, "rejected")

    async def _take_back_earlier(self, id_: str) -> TakenBackParams:
        why = f"there is no decision on '{id_}' that could be taken back"
        for folder in self._server.session.folders:
            answer = await self._server.session.analysis.ask(TakeBack(folder, id_, "rejected"))
            if not isinstance(answer, Refused):
                return TakenBackParams("", id_, id_, "rejected")
            why = answer.why
        raise ReplyError(why)

    def _look(self, uri: str) -> None:
        """See whether the text before an accepted rewrite has come back, or the rewrite itself."""
        placed = [one for one in self._accepted.values() if one.uri == uri]
        if not placed:
            return
        kernels = {one.summary.signature: one for one in self._server.session.kernels(uri)}
        for accepted in placed:
            kernel = kernels.get(str(accepted.offer.record["signature"]))
            if kernel is not None and not kernel.touched:
                self._compare(accepted, kernel)

    def _compare(self, accepted: _Accepted, kernel: PlacedKernel) -> None:
        key, run = kernel.summary.key, self._server.endpoint.run_in_background
        if kernel.matches(accepted.offer.origin):
            if not accepted.is_undone:
                accepted.is_undone = True
                run("undo", self._undo(accepted))
        elif not accepted.rewritten:
            # The first text after the acceptance is the one with the rewrite.
            accepted.rewritten = key
        elif accepted.is_undone and key == accepted.rewritten:
            accepted.is_undone = False
            run("redo", self._redo(accepted))

    async def _undo(self, accepted: _Accepted) -> None:
        session, offer = self._server.session, accepted.offer
        answer = await session.analysis.ask(TakeBack(accepted.root, offer.id, "accepted"))
        if isinstance(answer, Refused):
            self._server.log(f"an acceptance was not taken back: {answer.why}")
        if accepted.uri in session.documents:
            session.kept.give_back(accepted.uri, offer, accepted.rank)
        self._tell(accepted.uri, offer, "accepted")

    async def _redo(self, accepted: _Accepted) -> None:
        session = self._server.session
        document = session.known(accepted.uri)
        if document is None:
            return
        question = Decide(accepted.root, accepted.offer.record, accepted.before, document.data, "")
        answer = await session.analysis.ask(question)
        if isinstance(answer, Refused):
            self._server.log(f"an acceptance was not remembered again: {answer.why}")
            return
        session.kept.withdraw(accepted.offer.id)

    def _tell(self, uri: str, offer: KeptOffer, decision: Literal["accepted", "rejected"]) -> TakenBackParams:
        params = TakenBackParams(uri, offer.id, offer.title, decision)
        self._server.endpoint.notify(ext.TAKEN_BACK, plain(params))
        return params

    def _forget(self, uri: str) -> None:
        """A closed document cannot be undone."""
        self._accepted = {id_: one for id_, one in self._accepted.items() if one.uri != uri}
