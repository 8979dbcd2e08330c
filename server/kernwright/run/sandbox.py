"""The command line that puts a child into a sandbox: bubblewrap where it works, nothing but limits where not.

Inside there are the system's programs and libraries, read-only, an empty ``/tmp``, the folder of the job,
read-only, and nothing else: no home, no network, no other process, no capability, and no variable of the caller.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from kernwright.run.model import Limits, Outcome

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives")
MEMORY_FILES = 256 << 20
"""Bytes that files in ``/tmp`` or ``/dev/shm`` of a sandbox may take together: they are memory."""
_WEAK = "weak sandbox: limits of time and memory only"
_REMEDIES = {
    "Linux": "install bubblewrap, and allow user namespaces (kernel.unprivileged_userns_clone=1), for a strong one",
    "Darwin": "on macOS native code has your rights; run what you don't trust in a Linux container or virtual machine",
    "Windows": "Windows itself is not supported; in WSL 2 everything holds that holds on Linux",
}
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


def remedy_on(system: str) -> str:
    """How to get a strong sandbox on a system, by the name that ``platform.system()`` has for it; or what holds there
    instead."""
    return _REMEDIES.get(system, f"there is no strong one on {system or 'this system'}")


def probe(start: Callable[[Sequence[str], Limits], Outcome], system: str | None = None) -> Sandbox:
    """Find out by trying: bubblewrap can be installed and yet be forbidden."""
    system = system or platform.system()
    bwrap = find_program("bwrap") if system == "Linux" else None
    if bwrap is None:
        return Sandbox((), f"{_WEAK}; {remedy_on(system)}")
    said = ""
    # Old versions can't bound the size of a file system in memory, and some containers forbid a new /proc.
    sizes = (("--size", str(MEMORY_FILES)), ())
    for size, proc in product(sizes, (("--proc", "/proc"), ("--ro-bind", "/proc", "/proc"))):
        words = _bubblewrap(bwrap, proc, size)
        outcome = start([*words, "--chdir", "/", "--", "/bin/sh", "-c", "exit 0"], Limits(wall_seconds=10))
        if outcome.ok:
            hidden = "no network, no home, no other processes, read-only system"
            return Sandbox(tuple(words), f"bubblewrap: {hidden}")
        said = outcome.stderr.decode(errors="replace").strip().splitlines()[-1:][0] if outcome.stderr.strip() else ""
    return Sandbox((), f"{_WEAK}; bubblewrap does not work here ({said})")


def _bubblewrap(bwrap: Path, proc: Sequence[str], size: Sequence[str]) -> list[str]:
    words = [str(bwrap), "--unshare-all", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"]
    for name in _SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            words += ("--symlink", str(folder.readlink()), name)
        elif folder.is_dir():
            words += ("--ro-bind", name, name)
    for name in _SYSTEM_FILES:
        words += ("--ro-bind-try", name, name)
    return [*words, *proc, "--dev", "/dev", *size, "--tmpfs", "/tmp", *size, "--tmpfs", "/dev/shm"]
