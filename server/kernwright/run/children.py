"""Starting one child, feeding it, reading it, and ending it with everything it started."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from kernwright.run.model import Limits, Outcome

_CHUNK = 1 << 18
_TEARDOWN_SECONDS = 20.0


def run_child(
    argv: Sequence[str], directory: Path, limits: Limits, stdin: bytes, environment: Mapping[str, str]
) -> Outcome:
    """Run to the end or to the wall clock's. A program that can't be started is an outcome with status 127."""
    start = time.monotonic()
    try:
        process = subprocess.Popen(
            argv,
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Outcome(127, b"", f"{argv[0]}: {error}".encode(), time.monotonic() - start)
    try:
        status, output = _Exchange(process, stdin, limits, start).run()
    finally:
        _end(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
    stdout, stderr = output
    return Outcome(
        status=status,
        stdout=bytes(stdout.data),
        stderr=bytes(stderr.data),
        seconds=time.monotonic() - start,
        truncated=stdout.lost or stderr.lost,
    )


class _Collected:
    """What a stream said, up to a limit; the rest is read and forgotten, so that the writer does not block."""

    def __init__(self, limit: int) -> None:
        self.data = bytearray()
        self.limit = limit
        self.lost = False

    def add(self, chunk: bytes) -> None:
        room = self.limit - len(self.data) if self.limit else len(chunk)
        self.data += chunk[:room]
        self.lost = self.lost or len(chunk) > room


class _Exchange:
    """Writes the input, reads both outputs, and watches the clock and the process in one loop, without a thread."""

    def __init__(self, process: subprocess.Popen[bytes], stdin: bytes, limits: Limits, start: float) -> None:
        self.process = process
        self.to_write = memoryview(stdin)
        self.deadline = start + limits.wall_seconds if limits.wall_seconds else None
        self.stdout = _Collected(limits.output_bytes)
        self.stderr = _Collected(limits.output_bytes)

    def run(self) -> tuple[int | None, tuple[_Collected, _Collected]]:
        ended = os.pidfd_open(self.process.pid)
        try:
            with selectors.DefaultSelector() as selector:
                status = self._loop(selector, ended)
        finally:
            os.close(ended)
        return status, (self.stdout, self.stderr)

    def _loop(self, selector: selectors.BaseSelector, ended: int) -> int | None:
        process = self.process
        assert process.stdout is not None and process.stderr is not None
        selector.register(ended, selectors.EVENT_READ, "ended")
        for stream, collected in ((process.stdout, self.stdout), (process.stderr, self.stderr)):
            os.set_blocking(stream.fileno(), False)
            selector.register(stream.fileno(), selectors.EVENT_READ, collected)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            selector.register(process.stdin.fileno(), selectors.EVENT_WRITE, "input")
        status: int | None = None
        while len(selector.get_map()):
            left = None if self.deadline is None else self.deadline - time.monotonic()
            if left is not None and left <= 0:
                return status
            for key, _ in selector.select(left):
                if key.data == "ended":
                    status = process.wait()
                    selector.unregister(ended)
                    # What it left behind may hold the pipes open.
                    _end(process)
                elif key.data == "input":
                    self._write(selector, key.fd)
                else:
                    self._read(selector, key.fd, key.data)
        return status

    def _read(self, selector: selectors.BaseSelector, descriptor: int, collected: _Collected) -> None:
        try:
            chunk = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if chunk:
            collected.add(chunk)
        else:
            selector.unregister(descriptor)

    def _write(self, selector: selectors.BaseSelector, descriptor: int) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        try:
            written = os.write(descriptor, self.to_write[:_CHUNK])
            self.to_write = self.to_write[written:]
        except BlockingIOError:
            return
        except BrokenPipeError:
            self.to_write = self.to_write[:0]
        if not self.to_write:
            selector.unregister(descriptor)
            with contextlib.suppress(BrokenPipeError):
                stdin.close()


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the child's group, and what left the group but is still below the child."""
    below: list[psutil.Process] = []
    if process.returncode is None:
        with contextlib.suppress(psutil.Error):
            below = psutil.Process(process.pid).children(recursive=True)
    _kill_group(process.pid)
    for child in below:
        with contextlib.suppress(psutil.Error):
            child.kill()
    process.wait()
    # The first process of a sandbox is among them, and ends only when all others in there have ended.
    psutil.wait_procs(below, timeout=_TEARDOWN_SECONDS)


def _kill_group(leader: int) -> None:
    # The number stays reserved while any process of the group lives, so it can't have gone to a stranger's group
    # as long as one is left; with none left the call fails, which is what we want.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
