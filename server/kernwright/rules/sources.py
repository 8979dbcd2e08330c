"""Where rules come from, and which of them are on.

Three folders, later ones overriding earlier ones by name: the bundled ``rules/``, the user's own, and the
workspace's ``.kernwright/rules/``. The caller hands in the last two, and the workspace's only when it is trusted.
"""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from kernwright.rules.bundled import bundled_folder
from kernwright.rules.model import Origin, Rule, RuleProblem, Status
from kernwright.rules.queries import query_problems
from kernwright.rules.reader import read_rule_text

MAX_RULE_BYTES = 256 * 1024


@dataclass(frozen=True)
class RuleSet:
    """Rules by name, sorted, and what was wrong with the files that gave none."""

    rules: tuple[Rule, ...] = ()
    problems: tuple[RuleProblem, ...] = ()

    def named(self, name: str) -> Rule | None:
        return next((rule for rule in self.rules if rule.name == name), None)


@dataclass(frozen=True)
class Selection:
    """Which rules are on, as the settings say it; names are patterns of ``fnmatch``.

    ``paths`` and ``targets`` switch rules off for files (patterns over the path below the workspace) and for targets
    (exact names); ``enable`` beats ``disable`` when it names the rule itself and ``disable`` a pattern.
    """

    enable: tuple[str, ...] = ()
    disable: tuple[str, ...] = ()
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    targets: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@cache
def bundled_rules() -> RuleSet:
    """Our own rules. That their queries build is tested before they ship, and takes too long to ask at every start."""
    return _read_folder(bundled_folder(), Origin.BUNDLED)


def load_rules(user: Path | None = None, workspace: Path | None = None) -> RuleSet:
    """Bundled rules, overridden by the user's folder and by that of a trusted workspace. Missing folders are empty."""
    sets = [bundled_rules()]
    if user is not None:
        sets.append(read_folder(user, Origin.USER))
    if workspace is not None:
        sets.append(read_folder(workspace, Origin.WORKSPACE))
    return combined(sets)


def combined(sets: Sequence[RuleSet]) -> RuleSet:
    """Later sets override earlier ones by name."""
    by_name = {rule.name: rule for one in sets for rule in one.rules}
    return RuleSet(
        tuple(by_name[name] for name in sorted(by_name)), tuple(problem for one in sets for problem in one.problems)
    )


def read_folder(folder: Path, origin: Origin) -> RuleSet:
    """Every ``*.md`` below a folder but ``README.md``, in the order of their paths."""
    read = _read_folder(folder, origin)
    broken = query_problems(read.rules)
    names = {problem.path.stem for problem in broken}
    return RuleSet(tuple(rule for rule in read.rules if rule.name not in names), (*read.problems, *broken))


def _read_folder(folder: Path, origin: Origin) -> RuleSet:
    """As ``read_folder``, but whether queries build is not asked."""
    if not folder.is_dir():
        return RuleSet()
    rules: dict[str, Rule] = {}
    problems: list[RuleProblem] = []
    for path in sorted(folder.rglob("*.md")):
        if path.name == "README.md":
            continue
        read = _read_text(path, origin, f"rules/{path.relative_to(folder).as_posix()}")
        if isinstance(read, list):
            problems += read
        elif read.name in rules:
            problems.append(
                RuleProblem(path, 1, f"'{read.name}' is also in {rules[read.name].path}; rename one of the two")
            )
        else:
            rules[read.name] = read
    return RuleSet(tuple(rules[name] for name in sorted(rules)), tuple(problems))


def read_file(path: Path, origin: Origin, docs: str = "") -> Rule | list[RuleProblem]:
    """One rule file; one that cannot be read as text is a problem too."""
    read = _read_text(path, origin, docs)
    return read if isinstance(read, list) else query_problems([read]) or read


def _read_text(path: Path, origin: Origin, docs: str) -> Rule | list[RuleProblem]:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return [RuleProblem(path, 1, "a folder, pipe or device is no rule; remove it, or rename it")]
        if status.st_size > MAX_RULE_BYTES:
            return [RuleProblem(path, 1, f"over {MAX_RULE_BYTES // 1024} KiB; a rule is a page, split it")]
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        return [RuleProblem(path, line, "this is not UTF-8; save the file as UTF-8")]
    except OSError as error:
        return [RuleProblem(path, 1, f"{error.strerror or error}; check the file and its permissions")]
    return read_rule_text(path, text, origin, docs)


def selected(rules: Iterable[Rule], selection: Selection, path: str = "", target: str = "") -> list[Rule]:
    """The rules that are on for a file (its path below the workspace) and a target."""

    def is_on(rule: Rule) -> bool:
        if rule.status is Status.COLD and rule.name not in selection.enable:
            return False
        off = [
            *selection.disable,
            *(name for pattern, names in selection.paths.items() if fnmatch(path, pattern) for name in names),
            *selection.targets.get(target, ()),
        ]
        if rule.name in off:
            return False
        if any(fnmatch(rule.name, pattern) for pattern in off):
            return rule.name in selection.enable
        return True

    return [rule for rule in rules if is_on(rule)]
