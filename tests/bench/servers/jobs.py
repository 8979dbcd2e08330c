"""Long jobs of a server, one running at any time, as its own notifications tell of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import cycle
from typing import Any

from lsp.client import Client
from lsp.exchange import ServerError
from lsp.frames import JsonObject

NOTIFICATION = "kernwright/job"
_OVER = ("done", "failed", "cancelled")
_START_SECONDS = 30.0


class Jobs:
    """Starts jobs with one command, for one kernel of a document after the other."""

    def __init__(self, client: Client, uri: str, command: str, kernels: Sequence[str]) -> None:
        self._client = client
        self._uri = uri
        self._command = command
        self._kernels = cycle(kernels)
        self._started: list[int] = []
        self._refused: list[str] = []

    async def run_one(self) -> None:
        """Go on when a job runs: at once, or when a new one has begun."""
        if self._started and self._last_word(self._started[-1]).get("state") == "running":
            return
        # A command that is refused says why; it is no job, and the next kernel is tried.
        for _ in range(5):
            arguments: JsonObject = {"uri": self._uri, "kernel": next(self._kernels)}
            try:
                answer = await self._client.request(
                    "workspace/executeCommand", {"command": self._command, "arguments": [arguments]}
                )
            except ServerError as refused:
                self._refused.append(refused.message)
                continue
            number: int = answer["job"]
            self._started.append(number)
            if await self._begins(number):
                return

    async def _begins(self, number: int) -> bool:
        """Whether a job comes to run, rather than to its end at once."""
        await self._client.wait_for(
            lambda: self._last_word(number).get("state") in ("running", *_OVER), _START_SECONDS, f"job {number}"
        )
        return self._last_word(number)["state"] == "running"

    def said(self) -> str:
        """How many jobs there were and what became of them."""
        ends = Counter(str(self._last_word(number).get("state")) for number in self._started)
        states = ", ".join(f"{count} {state}" for state, count in ends.items()) or "none"
        whys = [self._last_word(number).get("why") for number in self._started]
        reasons = [*self._refused, *(str(why) for why in whys if why)]
        return f"jobs: {states}" + (f"; a reason: {reasons[0]}" if reasons else "")

    def _last_word(self, number: int) -> JsonObject:
        """The newest of what was notified of a job."""
        for method, params in reversed(self._client.notifications):
            if method == NOTIFICATION and params["job"] == number:
                found: dict[str, Any] = params
                return found
        return {}
