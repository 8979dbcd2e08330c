"""``Desk``: one conversation with a model as its tools see it: versions, verdicts, what was tried and what is best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from kernwright.agent.budget import Budget
from kernwright.agent.data import Marked
from kernwright.agent.experience import Phase
from kernwright.agent.regions import Draft, OutOfBounds
from kernwright.agent.versions import Version, Versions
from kernwright.agent.workshop import Submit, Workshop
from kernwright.verify.question import Question
from kernwright.verify.verdict import StageName, StageStatus, Verdict


class Input(BaseModel):
    """What a tool takes. Anything else than its fields is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class OfVersion(Input):
    """A version of the kernel: by its name, or as a text."""

    version: str = Field(default="", description="Name of a version: original, search, v1, v2, … Empty: use 'kernel'.")
    kernel: str = Field(default="", description="The full text of the kernel's definition, without its contract.")
    helpers: str = Field(default="", description="Static functions, types and constants to stand above the kernel.")
    includes: tuple[str, ...] = Field(default=(), description="System headers to include, such as <immintrin.h>.")


@dataclass(frozen=True)
class Result:
    """What a tool answers. ``error`` marks a call that could not be served; ``over`` ends the work, and says why."""

    text: str
    error: bool = False
    over: str = ""


@dataclass(frozen=True)
class Tried:
    """One version that was submitted, and what came of it."""

    version: Version
    hypothesis: str
    verdict: Verdict | str

    @property
    def words(self) -> str:
        return f"{self.version.name} ({self.hypothesis}): {judged_words(self.verdict)}"


@dataclass
class Desk:
    """The state of one conversation."""

    workshop: Workshop
    versions: Versions
    marked: Marked
    budget: Budget
    submit: Submit
    say: Callable[[str], None] = lambda line: None
    tried: list[Tried] = field(default_factory=list[Tried])
    retrieved: list[str] = field(default_factory=list[str])
    """Ids of experiences that were shown since the last stage ended."""
    shown: set[str] = field(default_factory=set[str])
    """Ids of all experiences and names of all rules that were shown."""
    diagnosed: tuple[str, ...] = ()
    """Ids that the last diagnosis rests on: they count for the next candidate as well."""
    best: Version | None = None
    best_ns: float | None = None
    wrong_version: Version | None = None
    wrong: str = ""
    """What was wrong with the version that was judged last, in a line; empty where it was right."""

    @property
    def phase(self) -> Phase:
        return Phase.REPAIR if self.wrong else Phase.OPTIMISE

    def judged(self, version: Version, verdict: Verdict) -> None:
        """Take note of whether the newest version is right: what comes next is a repair where it is not."""
        right = is_right(verdict)
        self.wrong, self.wrong_version = ("", None) if right else (judged_words(verdict), version)

    def version(self, wanted: OfVersion) -> Version | Result:
        """The version that a tool's input means, or the answer that says why there is none."""
        if wanted.kernel.strip():
            restored = self.marked.scrubber.restored
            draft = Draft(restored(wanted.kernel), restored(wanted.helpers), wanted.includes)
            written = self.versions.written(draft)
            if not isinstance(written, OutOfBounds):
                return written
            return Result(f"this text is not taken\n{self.marked.block('draft', written.reason)}", error=True)
        name = wanted.version or (self.best.name if self.best is not None else self.versions.original.name)
        found = self.versions.named(name)
        if found is None:
            names = ", ".join(version.name for version in self.versions)
            return Result(f"there is no version '{name[:40]}'; there are {names}", error=True)
        return found

    def question(self, version: Version) -> Question:
        return Question(self.workshop.subject, version.parsed.snapshot)

    def told_before(self, version: Version) -> Tried | None:
        return next((tried for tried in self.tried if tried.version is version), None)


def is_right(verdict: Verdict) -> bool:
    """Whether a version was built, equal, safe and honest, whatever it takes."""
    stages = {stage.name: stage.status for stage in verdict.stages}
    needed = (StageName.BUILD, StageName.EQUAL, StageName.SAFE, StageName.HONEST)
    return all(stages.get(name) is StageStatus.PASSED for name in needed)


def judged_words(verdict: Verdict | str) -> str:
    """A verdict in a few words."""
    if isinstance(verdict, str):
        return f"not tried: {verdict}"
    speedup = verdict.speedup
    if speedup is not None:
        return f"{verdict.status.value}, {speedup.median:.2f}× ({speedup.low:.2f}–{speedup.high:.2f})"
    return f"{verdict.status.value}: {verdict.why.partition(chr(10))[0][:160]}"
