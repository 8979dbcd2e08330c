"""``Workshop``: the kernel that a model works on and all that its tools may use; handed in by the caller."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from kernwright.agent.experience import Experiences, NoExperience
from kernwright.kernel import Kernel
from kernwright.propose.candidate import Candidate
from kernwright.rules.model import Rule
from kernwright.syntax import Parsed
from kernwright.targets.host import HostTarget
from kernwright.targets.model import Profile, ToolProblem
from kernwright.verify.baseline import Baseline, NotCheckable
from kernwright.verify.question import Subject, Workbench
from kernwright.verify.verdict import Verdict


@dataclass(frozen=True)
class Timed:
    """What a version takes, in words, and where its time goes."""

    words: str
    lines: Profile | ToolProblem


@dataclass(frozen=True)
class Known:
    """What is known of the kernel before the model is asked: lines for its first message."""

    baseline: str
    findings: tuple[str, ...] = ()
    """What rules say of its lines."""
    tried: tuple[str, ...] = ()
    """Rewrites that were tried already, and what came of each."""
    best: Candidate | None = None
    best_words: str = ""
    best_ns: float | None = None
    baseline_ns: float | None = None


@dataclass(frozen=True)
class Workshop:
    """``subject`` is the original. ``prepared`` builds and runs it when that is first needed. ``rules`` are those that
    may be read; ``resident`` those whose text is in the first message."""

    subject: Subject
    bench: Workbench
    prepared: Callable[[], Baseline | NotCheckable]
    timed: Callable[[Parsed, Kernel], Timed]
    target: HostTarget
    known: Known
    rules: Sequence[Rule] = ()
    resident: Sequence[Rule] = ()
    experiences: Experiences = field(default_factory=NoExperience)


Submit = Callable[[Candidate], Verdict | str]
"""Verifies a candidate as any other is: the verdict, or why it was not tried."""
