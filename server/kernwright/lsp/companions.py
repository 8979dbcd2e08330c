"""The processes that a server starts: its analysis worker and its jobs, and the end of whatever they leave behind."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping

from kernwright.run.companion import Companion
from kernwright.run.descendants import end_all_below, none_left_below
from kernwright.run.scratch import Scratch

_LATER_SECONDS = 1.0
_END_SECONDS = 0.5


class Companions:
    """``environment`` is what the processes get, ``log`` takes what they say on standard error."""

    def __init__(self, environment: Mapping[str, str], log: Callable[[str], None]) -> None:
        self._environment = environment
        self._log = log
        self._running: set[Companion] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._used: list[Scratch] = []
        """Folders for temporary files of companions that have ended."""

    def start_worker(self, heard: Callable[[object], None], gone: Callable[[], None]) -> Companion:
        return self._start("kernwright.mirror.worker", heard, lambda words: gone())

    def start_job(self, request: object, heard: Callable[[object], None], gone: Callable[[str], None]) -> Companion:
        companion = self._start("kernwright.jobs.process", heard, gone)
        companion.send(request)
        return companion

    async def end(self) -> None:
        """End all of them with everything below."""
        for companion in list(self._running):
            companion.kill()
        if self._starting:
            # One that is being started has a process soon, which is killed then. To give up the start would leave it.
            await asyncio.wait(self._starting, timeout=_END_SECONDS)
        none_left_below(_END_SECONDS)
        for companion in list(self._running):
            self._forget(companion)
        self._remove_used()

    def _start(self, module: str, heard: Callable[[object], None], gone: Callable[[str], None]) -> Companion:
        words: list[str] = []
        name = module.split(".")[1]

        def said(line: str) -> None:
            words.append(line)
            del words[:-3]
            self._log(f"{name}: {line}")

        def ended(status: int) -> None:
            self._forget(companion)
            self._bury()
            last = words[-1] if words and status not in (0, -signal.SIGKILL) else ""
            gone(f"killed by signal {-status}" if status < 0 and not last else last)

        async def start() -> None:
            try:
                await companion.start(module, self._environment)
            except OSError as error:
                self._log(f"{name}: cannot be started: {error.strerror}")
                self._forget(companion)
                gone(f"it cannot be started: {error.strerror}")

        companion = Companion(heard, ended, said)
        self._running.add(companion)
        task = asyncio.ensure_future(start())
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)
        return companion

    def _forget(self, companion: Companion) -> None:
        self._running.discard(companion)
        if companion.scratch is not None:
            self._used.append(companion.scratch)

    def _remove_used(self) -> None:
        """Remove what companions have left in their folders; one that a dying process still writes to waits."""
        for scratch in self._used:
            scratch.remove()
        self._used = [scratch for scratch in self._used if not scratch.gone]

    def _bury(self) -> None:
        """End what a killed companion has left behind: its orphans were given to this process."""
        pids = [pid for companion in self._running if (pid := companion.pid) is not None]
        if len(pids) < len(self._running):
            # One is being started: it has a process, but nobody knows which.
            asyncio.get_running_loop().call_later(_LATER_SECONDS, self._bury)
            return
        end_all_below(pids)
        self._remove_used()
