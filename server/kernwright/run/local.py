"""``LocalRunner``: child processes of this machine. With ``children.py`` the only code that starts a process.

Promises: a child has no input but what it is given, no variable of ours, bounds on time, memory, files and output;
when ``tool`` or ``sandboxed`` returns or raises, the child and everything it started is gone.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from kernwright.run.children import run_child
from kernwright.run.model import Limits, Outcome
from kernwright.run.sandbox import PLACES, Sandbox, find_program, probe

TOOL_LIMITS = Limits(wall_seconds=120, cpu_seconds=240, memory_bytes=8 << 30, processes=0)


REFUSED = 126
"""The status of native code that was not started because only a weak sandbox is there and that was not allowed."""


class LocalRunner:
    """A ``run.model.Runner``. ``path`` is the PATH of tools; ``environment`` more variables for them. Unless
    ``allow_weak_sandbox``, native code is not started at all where the sandbox is limits alone."""

    def __init__(
        self, path: str = "", environment: Mapping[str, str] | None = None, *, allow_weak_sandbox: bool = True
    ) -> None:
        self._allow_weak = allow_weak_sandbox
        places = path or ":".join(map(str, PLACES))
        # C.UTF-8: messages of compilers are read, so they must not depend on the user's language.
        self._base = {"PATH": places, "LC_ALL": "C.UTF-8"}
        # Compilers keep temporary files where ours are, so that they go with them.
        self._tool_environment = {**self._base, "TMPDIR": tempfile.gettempdir(), **(environment or {})}

    def tool(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = TOOL_LIMITS,
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
    ) -> Outcome:
        """Run a program that we trust."""
        variables = {**self._tool_environment, **(environment or {})}
        return run_child(_limited(argv, limits), directory, limits, stdin, variables)

    def sandboxed(
        self,
        argv: Sequence[str],
        *,
        directory: Path,
        limits: Limits = Limits(),  # noqa: B008  frozen
        stdin: bytes = b"",
        environment: Mapping[str, str] | None = None,
        readable: Sequence[Path] = (),
    ) -> Outcome:
        """Run native code that nobody trusts. It can read ``directory``, ``readable`` and the system's libraries."""
        if not self.sandbox.strong and not self._allow_weak:
            return Outcome(REFUSED, b"", f"not run, since allow_weak_sandbox is off: {self.strength}".encode(), 0.0)
        variables = {**self._base, **(environment or {})}
        wrapped = self.sandbox.wrap(argv, directory, readable, variables)
        return run_child(_limited(wrapped, limits), directory, limits, stdin, variables)

    @cached_property
    def sandbox(self) -> Sandbox:
        return probe(lambda argv, limits: run_child(_limited(argv, limits), Path("/"), limits, b"", self._base))

    @property
    def strength(self) -> str:
        return self.sandbox.strength


def _limited(argv: Sequence[str], limits: Limits) -> list[str]:
    """The command under its limits, set by a program that becomes it: there is no moment without them.

    Memory is bounded as data (RLIMIT_DATA): guard pages and a sanitizer's shadow are address space, not memory.
    """
    prlimit, setpriv = find_program("prlimit"), find_program("setpriv")
    if prlimit is not None:
        # Whoever is killed outright ends no child; this one ends then all the same, though not what it has started.
        bound = [str(setpriv), "--pdeathsig", "KILL"] if setpriv is not None else []
        words = [*bound, str(prlimit), "--core=0"]
        if limits.cpu_seconds:
            words.append(f"--cpu={limits.cpu_seconds}")
        if limits.memory_bytes:
            words.append(f"--data={limits.memory_bytes}")
        if limits.file_bytes:
            words.append(f"--fsize={limits.file_bytes}")
        if limits.processes:
            words.append(f"--nproc={limits.processes}")
        return [*words, *argv]
    settings = ["ulimit -c 0"]
    if limits.cpu_seconds:
        settings.append(f"ulimit -t {limits.cpu_seconds}")
    if limits.memory_bytes:
        settings.append(f"ulimit -d {limits.memory_bytes >> 10}")
    if limits.file_bytes:
        settings.append(f"ulimit -f {limits.file_bytes >> 9}")
    return ["/bin/sh", "-c", f'{" && ".join(settings)} && exec "$@"', "sh", *argv]
