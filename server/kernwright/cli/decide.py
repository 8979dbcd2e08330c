"""``kernwright accept``, ``reject`` and ``recheck``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front, counted

if TYPE_CHECKING:
    from kernwright.tasks.decide import Accepted

Offer = Annotated[str, typer.Argument(metavar="OFFER", help="The id that 'kernwright optimize' printed.")]


def accept(context: typer.Context, offer: Offer) -> None:
    """Apply an offer to its file."""
    from kernwright.tasks.decide import accept

    front: Front = context.obj
    answer = report_acceptance(front, accept(front.engine, offer))
    if front.as_json:
        front.answer(answer)


def report_acceptance(front: Front, accepted: Accepted) -> dict[str, Any]:
    """Say what was written, and the rule that came of it, to people; and give it as JSON has it."""
    from kernwright.cli.words import near
    from kernwright.complaint import Complaint
    from kernwright.tasks.promote import Learned, promote_what_has_earned_it

    path = accepted.after.path
    if accepted.other_links:
        other = "name of this file still has" if accepted.other_links == 1 else "names of this file still have"
        front.warn(f"{path}: {accepted.other_links} other {other} the old text: it was a hard link")
    learned: list[Learned] = []
    try:
        learned = promote_what_has_earned_it(front.engine)
    except Complaint as complaint:
        # The edit is written. That no rule came of it is no reason to call the acceptance a failure.
        front.warn(str(complaint))
    if not front.as_json:
        front.line(f"{near(path)}: {accepted.title}")
        for rule in learned:
            front.line(f"{near(rule.path)}: a new rule, because {rule.why}; read it, edit it, commit it")
    return {"accepted": accepted.title, "file": str(path), "rules": [str(rule.path) for rule in learned]}


def reject(
    context: typer.Context,
    offer: Offer,
    reason: Annotated[
        str, typer.Option("--reason", metavar="WORD", help="wrong, not-worth-it, not-now or other.")
    ] = "other",
) -> None:
    """Say that you do not want an offer, and why."""
    from kernwright.memory.model import Reason
    from kernwright.tasks.decide import reject
    from kernwright.tasks.promote import keep_residents

    front: Front = context.obj
    words = [known.value for known in Reason]
    if reason not in words:
        raise Failure(f"--reason {reason}: expected {', '.join(words[:-1])} or {words[-1]}")
    reject(front.engine, offer, Reason(reason))
    keep_residents(front.engine)
    if front.as_json:
        front.answer({"rejected": offer, "reason": reason})
    else:
        front.note(f"{offer}: rejected ({reason})")


def recheck(
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", readable=False, help="Files or folders; all of the workspace without."),
    ] = None,
) -> int:
    """Verify again what was accepted, where its evidence is no longer that of this compiler, machine and text."""
    from kernwright.offer_json import verdict_json
    from kernwright.tasks.recheck import Standing, recheck
    from kernwright.tasks.sources import problem_with

    front: Front = context.obj
    if paths:
        front.start_at(paths[0])
        for path in paths:
            if problem := problem_with(path):
                raise Failure(problem)
    with front.progress("recheck") as tell:
        results = recheck(front.engine, paths or [], lambda event: tell(str(event.data["title"])))
    if front.as_json:
        front.answer(
            {
                "rechecked": [
                    {
                        "offer": one.event.offer,
                        "file": one.event.data["path"],
                        "standing": one.standing.value,
                        "why": one.why,
                        "verdict": verdict_json(one.verdict) if one.verdict is not None else None,
                    }
                    for one in results
                ]
            }
        )
    else:
        for one in results:
            front.line(f"{one.event.offer}: {one.standing.value}: {one.why}")
        front.note(f"{counted(len(results), 'accepted rewrite')} looked at")
    return 1 if any(one.standing is Standing.FAILS for one in results) else 0
