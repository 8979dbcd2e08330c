"""``Engine``: the edges of one workspace, wired up once: processes, compilers, cache, memory, rules.

The parts above the engine hand its edges down; nothing below knows where they come from. Attributes are made when
they are first asked for, so that a command pays for what it uses alone.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kernwright.complaint import Complaint
from kernwright.memory.model import Event
from kernwright.memory.store import Log, MemoryUnavailable
from kernwright.settings import Loaded, Settings

if TYPE_CHECKING:
    from kernwright.rules.sources import RuleSet, Selection
    from kernwright.run.cache import Cache
    from kernwright.run.local import LocalRunner
    from kernwright.targets.host import HostTarget
    from kernwright.workspace_toml import WorkspaceFile

LEARNED_RULES = Path(".kernwright") / "rules"
"""Where a workspace keeps its rules, learned ones among them."""
HOST = "host"


class UnknownTarget(Complaint):
    """``str()`` is one line that names the targets there are."""


@dataclass
class Engine:
    """One workspace's edges. ``warn`` takes a line that a person should read, such as a cache that does not work."""

    loaded: Loaded
    warn: Callable[[str], None]

    @property
    def settings(self) -> Settings:
        return self.loaded.settings

    @property
    def workspace(self) -> Path:
        return self.loaded.workspace

    @cached_property
    def runner(self) -> LocalRunner:
        from kernwright.run.local import LocalRunner

        return LocalRunner(self.loaded.search_path)

    @cached_property
    def target(self) -> HostTarget:
        """The target of the settings; ``UnknownTarget`` for one that this version cannot compile for."""
        from kernwright.targets.host import HostTarget

        if self.settings.target != HOST:
            raise UnknownTarget(f"there is no target '{self.settings.target}' here; 'kernwright doctor' lists them")
        return HostTarget(
            self.runner,
            path=self.loaded.search_path,
            workspace=self.workspace,
            compiler=self.settings.compiler or None,
            default_flags=self.settings.default_flags,
            allowed_compilers=self.settings.allowed_compilers,
            python=sys.executable,
        )

    @cached_property
    def cache(self) -> Cache:
        from kernwright.run.cache import Cache

        return Cache(self.settings.cache / "results" if self.settings.use_cache else None, self.warn)

    @cached_property
    def memory(self) -> Log:
        return Log(self.settings.data, self.workspace)

    def trace(self, stage: str, words: str) -> None:
        """What a stage was given and gave, for who asks for it with ``KERNWRIGHT_DEBUG``."""
        if stage in self.settings.debug:
            self.warn(f"[{stage}] {words}")

    def remember(self, events: Sequence[Event]) -> bool:
        """Append events; a log that cannot be written is said once and costs memory alone."""
        try:
            if events:
                self.memory.append(*events)
        except MemoryUnavailable as error:
            self.warn(f"{error}; nothing is remembered")
            return False
        return True

    @cached_property
    def rules(self) -> RuleSet:
        """All rules by name; what is wrong with a rule file is said once."""
        from kernwright.rules.sources import load_rules

        rules = load_rules(self.loaded.user_rules, self.workspace / LEARNED_RULES)
        for problem in rules.problems:
            self.warn(str(problem))
        return rules

    @cached_property
    def selection(self) -> Selection:
        from kernwright.rules.sources import Selection

        switches = self.settings.rules
        return Selection(
            enable=tuple(name for name, on in switches.items() if on),
            disable=tuple(name for name, on in switches.items() if not on),
            paths=self.settings.rules_off_in,
            targets=self.settings.rules_off_for,
        )

    @cached_property
    def workspace_file(self) -> WorkspaceFile | None:
        """The ``kernwright.toml`` that may hold contracts."""
        from kernwright.workspace_toml import find_workspace_file, load_workspace_file

        path = find_workspace_file(self.workspace)
        return load_workspace_file(path) if path is not None else None

    @cached_property
    def scratch(self) -> tempfile.TemporaryDirectory[str]:
        """A folder for builds that goes when the engine goes."""
        return tempfile.TemporaryDirectory(prefix="kernwright-")

    @cached_property
    def machine(self) -> str:
        """Names the processor: results measured on one machine are not those of another."""
        return processor_name()

    def share_between_threads(self) -> None:
        """Make now what several threads will ask for at once: attributes are made on demand, and without a lock."""
        _ = (self.runner, self.target, self.rules, self.selection, self.workspace_file)

    def below_workspace(self, path: Path) -> str:
        """A path as patterns of the settings see it."""
        resolved = path.resolve()
        return (
            resolved.relative_to(self.workspace).as_posix() if resolved.is_relative_to(self.workspace) else str(path)
        )


def processor_name() -> str:
    """The processor's own name where the system tells it, else its architecture."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            name, colon, value = line.partition(":")
            if colon and name.strip() in ("model name", "Processor", "cpu model"):
                return f"{value.strip()} ({platform.machine()})"
    except OSError:
        pass
    return platform.machine()
