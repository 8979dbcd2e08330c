"""``verify``: the cascade. Each stage sees only what the stages before it let through; the first failure ends it."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from kernwright.includes import included_content
from kernwright.run.cache import content_key
from kernwright.verify.baseline import Baseline, NotCheckable, prepare
from kernwright.verify.build import BuildFailure, Unit, build, candidate_unit, spliced
from kernwright.verify.contraction import differs_by_contraction
from kernwright.verify.equal import Comparison, Mismatch, undeclared_pairs
from kernwright.verify.honest import dishonesty
from kernwright.verify.linking import readable
from kernwright.verify.precision import accuracy_notes
from kernwright.verify.question import Question, Workbench, contract_text
from kernwright.verify.races import check_races
from kernwright.verify.reached import doubts
from kernwright.verify.safe import check_safe
from kernwright.verify.shadow import shadow_of
from kernwright.verify.shrink import Shrinker, counterexample
from kernwright.verify.stages import Faster, Library
from kernwright.verify.stored import read_verdict, written_verdict
from kernwright.verify.unset import suspicions, unset_problem
from kernwright.verify.verdict import Stage, StageName, StageStatus, Status, Verdict


@cache
def verifier_version() -> str:
    """The hash of this package's own text: a newer verifier may answer the same question otherwise."""
    folder = Path(__file__).parent
    files = sorted([*folder.glob("*.py"), *folder.glob("native/*.[ch]")])
    return content_key(*(path.read_bytes() for path in files))


def verify(
    question: Question, workbench: Workbench, faster: Faster, baseline: Baseline | NotCheckable | None = None
) -> Verdict:
    """May the candidate stand in for the original? ``baseline`` is what ``prepare`` gave for the same subject; without
    it the original is built and run here. A stored verdict on the same question is given again."""
    key = question_key(question, workbench)
    stored = workbench.cache.get(key)
    found = read_verdict(stored) if stored is not None else None
    if found is not None:
        return found
    verdict = replace(_judge(question, workbench, faster, baseline), key=key)
    if verdict.status not in (Status.NOT_CHECKABLE, Status.INCONCLUSIVE):
        workbench.cache.put(key, written_verdict(verdict))
    return verdict


def question_key(question: Question, workbench: Workbench) -> str:
    """The content address of a question: both texts, contract, command, machine, and this verifier."""
    subject, candidate = question.subject, question.candidate
    return content_key(
        "verdict", verifier_version(), subject.snapshot.data, question.candidate.data, subject.kernel.signature,
        contract_text(subject.contract), str(subject.command.directory), *subject.command.key, workbench.machine,
        str(workbench.seed), workbench.runner.strength, str(workbench.sanitizers), subject.headers,
        included_content(candidate.path, candidate.data, subject.command.directory, subject.command.flags),
    )  # fmt: skip


@dataclass
class _Cascade:
    """The stages passed so far, and what belongs to the verdict whatever comes."""

    question: Question
    workbench: Workbench
    started: float = field(default_factory=time.monotonic)
    stage_started: float = field(default_factory=time.monotonic)
    stages: list[Stage] = field(default_factory=list[Stage])
    notes: list[str] = field(default_factory=list[str])
    assumes: list[str] = field(default_factory=list[str])
    comparison: Comparison | None = None

    def stage(self, stage: Stage) -> None:
        now = time.monotonic()
        self.stages.append(replace(stage, seconds=now - self.stage_started))
        self.stage_started = now

    def passed(self, name: StageName, detail: str) -> None:
        self.stage(Stage(name, StageStatus.PASSED, detail))

    def ended(self, status: Status, name: StageName, detail: str, mismatch: Mismatch | None = None) -> Verdict:
        """The verdict of a failed stage."""
        unknown = status is Status.NOT_CHECKABLE
        example = counterexample(mismatch) if mismatch is not None else None
        stage_status = StageStatus.NOT_CHECKABLE if unknown else StageStatus.FAILED
        self.stage(Stage(name, stage_status, detail, example))
        return self.verdict(status)

    def verdict(self, status: Status) -> Verdict:
        comparison = self.comparison
        return Verdict(
            status=status,
            stages=tuple(self.stages),
            cases=comparison.calls if comparison else 0,
            error=comparison.record.errors() if comparison else None,
            assumes=tuple(self.assumes),
            notes=tuple(dict.fromkeys(self.notes)),
            sandbox=self.workbench.runner.strength,
            seconds=time.monotonic() - self.started,
        )


def _judge(
    question: Question, workbench: Workbench, faster: Faster, baseline: Baseline | NotCheckable | None
) -> Verdict:
    cascade = _Cascade(question, workbench)
    if baseline is None:
        baseline = prepare(question.subject, workbench)
    if isinstance(baseline, NotCheckable):
        return cascade.ended(Status.NOT_CHECKABLE, StageName.BUILD, baseline.reason)
    cascade.notes += baseline.notes
    built = _build(question, workbench, baseline.library)
    if isinstance(built, BuildFailure):
        return cascade.ended(Status.BUILD_FAILED, StageName.BUILD, built.said)
    unit, library = built
    new_warnings = [w for w in library.warnings if w.partition("warning:")[2] not in _said(baseline.library)]
    suspected = suspicions(new_warnings)
    cascade.notes += [f"the compiler warns: {warning}" for warning in new_warnings if warning not in suspected][:3]
    cascade.passed(StageName.BUILD, question.subject.command.compiler.title)
    reason = dishonesty(baseline.library, library, baseline.unit, unit, baseline.threads)
    if reason is not None:
        return cascade.ended(Status.DISHONEST, StageName.HONEST, reason)
    comparison = Comparison(baseline, library, shadow_of(baseline))
    cascade.comparison = comparison
    mismatch = comparison.check_small()
    if mismatch is not None:
        return _refused(cascade, comparison, unit, mismatch)
    problem = unset_problem(comparison, unit, suspected[0]) if suspected else None
    if problem is not None:
        status, detail = problem
        return cascade.ended(status, StageName.SAFE, detail)
    with ThreadPoolExecutor(1) as pool:
        # The sanitizers' build takes as long as everything else: it runs beside the rest of the equal stage, and
        # only for candidates that the small sizes let through.
        safe = pool.submit(check_safe, baseline, unit, library)
        mismatch = comparison.check_rest(unit) or check_races(comparison, unit)
        if mismatch is not None:
            return _refused(cascade, comparison, unit, mismatch)
        # A comparison of its own: what happens on overlaps that nobody allowed is no error of the candidate.
        beyond = Comparison(baseline, library, comparison.shadow)
        if beyond.overlap(undeclared_pairs(baseline, library.slots)) is not None:
            cascade.assumes.append("no-overlap")
            cascade.notes.append("relies on arrays that do not overlap, which the contract does not say")
        cascade.notes += accuracy_notes(comparison.record) + doubts(baseline, unit, comparison.jobs)
        cascade.passed(StageName.EQUAL, _not_refuted(comparison))
        return _after_equal(cascade, comparison, safe, faster)


def _after_equal(cascade: _Cascade, comparison: Comparison, safe: Future[Stage], faster: Faster) -> Verdict:
    stage = safe.result()
    if stage.status is not StageStatus.PASSED:
        return cascade.ended(Status.REFUTED, StageName.SAFE, stage.detail)
    cascade.stage(stage)
    cascade.passed(StageName.HONEST, "no symbol, constructor or system call that the original does without")
    baseline = comparison.baseline
    timing = faster(
        baseline.library, comparison.library, tuple(comparison.timed_points), cascade.question, cascade.workbench
    )
    cascade.stage(timing.stage)
    cascade.notes += timing.notes
    return replace(cascade.verdict(Status.INCONCLUSIVE), status=timing.status, speedups=timing.speedups)


def _build(question: Question, workbench: Workbench, original: Library) -> tuple[Unit, Library] | BuildFailure:
    """The candidate's library: its own unit or, where names are missing in that, the original's with its changes."""
    unit = candidate_unit(question)
    if isinstance(unit, BuildFailure):
        return unit
    built = _complete(question, workbench, unit, original)
    if not isinstance(built, BuildFailure):
        return unit, built
    if not built.misses_names:
        return built
    for in_place in spliced(question, unit):
        again = _complete(question, workbench, in_place, original)
        if not isinstance(again, BuildFailure):
            return in_place, again
        # Where all fail, what is missing in its place is what the author can do something about.
        built = again
    return built


def _complete(question: Question, workbench: Workbench, unit: Unit, original: Library) -> Library | BuildFailure:
    """The library of a unit that lacks no symbol but those that the original lacks too: a call of a function that is
    not declared compiles in C, and linking is where it fails."""
    subject = question.subject
    built = build(unit, subject.contract, subject.command, workbench)
    if isinstance(built, BuildFailure):
        return built
    missing = [name for name in built.missing if name not in original.missing]
    return BuildFailure(f"undefined reference to '{readable(missing[0])}'") if missing else built


def _refused(cascade: _Cascade, comparison: Comparison, unit: Unit, mismatch: Mismatch) -> Verdict:
    """The verdict on a candidate that was wrong on a call."""
    baseline = comparison.baseline
    if mismatch.status is Status.DISHONEST:
        return cascade.ended(Status.DISHONEST, StageName.HONEST, mismatch.text, mismatch)
    if mismatch.status is Status.NOT_CHECKABLE:
        return cascade.ended(Status.NOT_CHECKABLE, StageName.EQUAL, mismatch.text)
    smallest = Shrinker(comparison).shrink(mismatch)
    detail = smallest.text
    if smallest.difference is not None:
        count = smallest.difference.count
        detail = f"{detail}{f' in {count} elements' if count > 1 else ''}"
        if differs_by_contraction(baseline, unit, smallest):
            cascade.assumes.append("contraction")
            detail += (
                "; only because a multiply and an add are fused differently: with -ffp-contract=off in both they agree"
            )
    return cascade.ended(Status.REFUTED, StageName.EQUAL, detail, smallest)


def _not_refuted(comparison: Comparison) -> str:
    return f"not refuted on {comparison.calls} calls"


def _said(library: Library) -> set[str]:
    return {warning.partition("warning:")[2] for warning in library.warnings}
