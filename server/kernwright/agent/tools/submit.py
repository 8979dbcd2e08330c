"""``submit``: a candidate for verification: built, compared, sanitized and timed, as any other is."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, OfVersion, Result, Tried, is_right
from kernwright.agent.experience import StageOutcome
from kernwright.agent.tools.tool import Tool
from kernwright.agent.versions import Version
from kernwright.agent.words import verdict_words
from kernwright.attempt import NO_ROUNDS
from kernwright.propose.candidate import Candidate
from kernwright.verify.verdict import Status, Verdict

SOURCE = "model"
_REMEMBERED = 8


class Submit(OfVersion):
    hypothesis: str = Field(min_length=1, max_length=120, description="One line, as a title: what is done, and why.")
    uses: tuple[str, ...] = Field(default=(), max_length=16, description="Ids of experiences that this draws on.")


def _run(desk: Desk, wanted: Submit) -> Result:
    version = desk.version(wanted)
    if isinstance(version, Result):
        return version
    if not version.edits:
        return Result("this is the original; submit a version that differs from it", error=True)
    before = desk.told_before(version)
    if before is not None:
        told = desk.marked.block("verdict", before.words)
        return Result(
            f"{version.name} was judged before and is not built again\n{told}{_directions(desk)}", error=True
        )
    title = " ".join(wanted.hypothesis.split())
    named = dict.fromkeys((*wanted.uses, *desk.diagnosed))
    uses = tuple(each for each in named if each in desk.shown)
    candidate = Candidate(title=_title(title), edits=version.edits, source=SOURCE, uses=uses)
    with desk.budget.running():
        verdict = desk.submit(candidate)
    desk.tried.append(Tried(version, title, verdict))
    desk.say(desk.tried[-1].words)
    if isinstance(verdict, str):
        return Result(f"{version.name} was not tried: {verdict}{_directions(desk)}", error=True, over=_over(verdict))
    _tell_memory(desk, version, verdict, uses, title)
    better = _keep_best(desk, version, verdict)
    desk.judged(version, verdict)
    return Result(f"{version.name}: {verdict_words(desk.marked, verdict)}\n{better}{_directions(desk)}")


def _over(reason: str) -> str:
    """Why the search verifies nothing more; empty where it does."""
    return reason.removeprefix(NO_ROUNDS).removeprefix(": ") if reason.startswith(NO_ROUNDS) else ""


def _title(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".")


def _keep_best(desk: Desk, version: Version, verdict: Verdict) -> str:
    """Remember the best right version; what to go on from, in a line."""
    speedup = verdict.speedup
    now = speedup.candidate_ns if speedup is not None and verdict.status is Status.ACCEPTED else None
    if now is not None and (desk.best_ns is None or now < desk.best_ns):
        desk.best, desk.best_ns = version, now
        return f"{version.name} is the best so far"
    if desk.best is None:
        return "there is no version yet that is right and faster"
    return f"{desk.best.name} stays the best; go on from that one"


def _tell_memory(desk: Desk, version: Version, verdict: Verdict, uses: tuple[str, ...], title: str) -> None:
    speedup = verdict.speedup
    before = desk.best_ns if desk.best_ns is not None else desk.workshop.known.baseline_ns
    after = speedup.candidate_ns if speedup is not None else None
    faster = after is not None and (before is None or after < before)
    base = desk.wrong_version or desk.best or desk.versions.original
    desk.workshop.experiences.stage(
        StageOutcome(
            phase=desk.phase,
            retrieved=tuple(desk.retrieved),
            adopted=uses,
            succeeded=is_right(verdict) if desk.wrong else verdict.status is Status.ACCEPTED and faster,
            before_ns=before,
            after_ns=after,
            text_before=base.text,
            text_after=version.text,
            hypothesis=title,
            wrong=desk.wrong,
        )
    )
    desk.retrieved.clear()
    desk.diagnosed = ()


def _directions(desk: Desk) -> str:
    """What was tried without success, so that it is not tried again in other words."""
    failed = [tried.words for tried in desk.tried if isinstance(tried.verdict, str) or tried.version is not desk.best]
    if len(failed) < 2:
        return ""
    return "\ntried so far and not kept:\n" + desk.marked.block("tried", "\n".join(failed[-_REMEMBERED:]))


TOOL = Tool(
    "submit",
    "Submit a candidate: the full text of the kernel, or the name of a version. It is built, compared with the "
    "original, sanitized and timed; what is right and measured faster becomes an offer. Each takes one round.",
    Submit,
    _run,
)
