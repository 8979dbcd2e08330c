"""``Engine``: the edges of one workspace, wired up once: processes, compilers, cache, memory, rules.

The parts above the engine hand its edges down; nothing below knows where they come from. Attributes are made when
they are first asked for, so that a command pays for what it uses alone.
"""

from __future__ import annotations

import fnmatch
import platform
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from kernwright.complaint import Complaint
from kernwright.memory.model import Event
from kernwright.memory.store import Log, MemoryUnavailable
from kernwright.settings import Loaded
from kernwright.settings_model import Settings
from kernwright.targets.model import BuildCommand, CommandProblem

if TYPE_CHECKING:
    from kernwright.contract import Build
    from kernwright.memory.recall import Recall
    from kernwright.rules.sources import RuleSet, Selection
    from kernwright.run.cache import Cache
    from kernwright.run.local import LocalRunner
    from kernwright.syntax import Language
    from kernwright.targets.host import HostTarget
    from kernwright.workspace_toml import WorkspaceFile

LEARNED_RULES = Path(".kernwright") / "rules"
"""Where a workspace keeps its rules, learned ones among them."""
HOST = "host"


class UnknownTarget(Complaint):
    """``str()`` is one line that names the targets there are."""


class Untrusted(CommandProblem):
    """There is no command for code that the user does not trust."""


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

        return LocalRunner(self.loaded.search_path, allow_weak_sandbox=self.settings.allow_weak_sandbox)

    @cached_property
    def target(self) -> HostTarget:
        """The target of the settings; ``UnknownTarget`` for one that this version cannot compile for."""
        from kernwright.targets.host import HostTarget

        if self.settings.target != HOST:
            raise UnknownTarget(
                f"there is no target '{self.settings.target}' in this version; leave it out, or say '{HOST}'"
            )
        return HostTarget(
            self.runner,
            path=self.loaded.search_path,
            workspace=self.workspace,
            compiler=self.settings.compiler or None,
            default_flags=self.settings.default_flags,
            allowed_compilers=self.settings.allowed_compilers,
            python=sys.executable,
        )

    def command_for(self, path: Path, language: Language, build: Build | None = None) -> BuildCommand | CommandProblem:
        """How a file is compiled; ``Untrusted`` where nothing of the workspace may be."""
        if not self.settings.trusted:
            return Untrusted("the workspace is not trusted, so nothing of it is compiled or run")
        # The command's folder is part of what a result depends on: the same file must get the same, whatever its name.
        where = path.absolute()
        return (
            self.target.command_for(where, language)
            if build is None
            else self.target.command_for(where, language, build)
        )

    @cached_property
    def cache(self) -> Cache:
        from kernwright.run.cache import Cache

        folder = self.settings.cache / "results" if self.settings.use_cache else None
        return Cache(folder, self.warn, self.settings.cache_bytes)

    @cached_property
    def memory(self) -> Log:
        return Log(self.settings.data, self.workspace)

    @cached_property
    def recall(self) -> Recall:
        from kernwright.memory.recall import Recall

        return Recall(self.memory, self.settings.memory)

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

        of_workspace = self.workspace / LEARNED_RULES if self.settings.trusted else None
        rules = load_rules(self.loaded.user_rules, of_workspace)
        for problem in rules.problems:
            self.warn(str(problem))
        return rules

    @cached_property
    def selection(self) -> Selection:
        from kernwright.rules.sources import Selection

        switches = self.settings.rules
        names = [rule.name for rule in self.rules.rules]
        for name in switches:
            if not fnmatch.filter(names, name):
                close = get_close_matches(name, names, 1)
                meant = f"; do you mean '{close[0]}'?" if close else ""
                self.warn(f"[settings.rules]: there is no rule '{name}'{meant}")
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
        if path is None:
            return None
        file = load_workspace_file(path)
        if not file.unread:
            for problem in file.problems:
                position = file.snapshot.lines.position(problem.span.start)
                self.warn(f"{path}:{position.line + 1}:{position.character + 1}: {problem.message}")
        return file

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
