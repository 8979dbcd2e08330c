"""The command line that puts a child into a sandbox: bubblewrap where it works, nothing but limits where not.

Inside there are the system's programs and libraries, read-only, an empty ``/tmp``, the folder of the job,
read-only, and nothing else: no home, no network, no other process, no capability, and no variable of the caller.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernwright.run.model import Limits, Outcome

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
PLACES = tuple(Path(folder) for folder in ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"))


@dataclass(frozen=True)
class Sandbox:
    """How to wrap a command. ``argv`` is empty where bubblewrap does not work here; ``strength`` says so."""

    argv: tuple[str, ...]
    strength: str

    @property
    def strong(self) -> bool:
        return bool(self.argv)

    def wrap(
        self, argv: Sequence[str], directory: Path, readable: Sequence[Path], environment: Mapping[str, str]
    ) -> list[str]:
        """The command to start for ``argv`` in ``directory``."""
        if not self.argv:
            return list(argv)
        words = list(self.argv)
        for path in (*readable, directory):
            words += ("--ro-bind-try", str(path), str(path))
        for name, value in environment.items():
            words += ("--setenv", name, value)
        return [*words, "--chdir", str(directory), "--", *argv]


def find_program(name: str) -> Path | None:
    """A program in the system's own folders: what guards us is not looked for along the caller's PATH."""
    return next((place / name for place in PLACES if (place / name).is_file()), None)


def probe(start: Callable[[Sequence[str], Limits], Outcome]) -> Sandbox:
    """Find out by trying: bubblewrap can be installed and yet be forbidden."""
    bwrap = find_program("bwrap")
    if bwrap is None:
        return Sandbox((), "weak sandbox: limits of time and memory only; install bubblewrap for a strong one")
    said = ""
    for proc in (("--proc", "/proc"), ("--ro-bind", "/proc", "/proc")):
        words = _bubblewrap(bwrap, proc)
        outcome = start([*words, "--chdir", "/", "--", "/bin/sh", "-c", "exit 0"], Limits(wall_seconds=10))
        if outcome.ok:
            hidden = "no network, no home, no other processes, read-only system"
            return Sandbox(tuple(words), f"bubblewrap: {hidden}")
        said = outcome.stderr.decode(errors="replace").strip().splitlines()[-1:][0] if outcome.stderr.strip() else ""
    return Sandbox((), f"weak sandbox: limits of time and memory only; bubblewrap does not work here ({said})")


def _bubblewrap(bwrap: Path, proc: Sequence[str]) -> list[str]:
    words = [str(bwrap), "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"]
    for name in _SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            words += ("--symlink", str(folder.readlink()), name)
        elif folder.is_dir():
            words += ("--ro-bind", name, name)
    for name in _SYSTEM_FILES:
        words += ("--ro-bind-try", name, name)
    return [*words, *proc, "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/dev/shm"]
