"""``kernwright accept``, ``reject`` and ``recheck``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front

if TYPE_CHECKING:
    from kernwright.tasks.decide import Accepted

Offer = Annotated[str, typer.Argument(metavar="OFFER", help="The id that 'kernwright optimize' printed.")]


def accept(context: typer.Context, offer: Offer) -> None:
    """Apply an offer to its file."""
    from kernwright.tasks.decide import accept

    front: Front = context.obj
    report_acceptance(front, accept(front.engine, offer))


def report_acceptance(front: Front, accepted: Accepted) -> None:
    """Say what was written, and the rule that came of it."""
    from kernwright.tasks.promote import promote_what_has_earned_it

    learned = promote_what_has_earned_it(front.engine)
    if front.as_json:
        front.answer(
            {
                "accepted": accepted.title,
                "file": str(accepted.after.path),
                "rules": [str(rule.path) for rule in learned],
            }
        )
        return
    front.line(f"{accepted.after.path}: {accepted.title}")
    for rule in learned:
        front.line(f"{rule.path}: a new rule, because {rule.why}; read it, edit it, commit it")


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

    front: Front = context.obj
    words = [known.value for known in Reason]
    if reason not in words:
        raise Failure(f"--reason {reason}: expected {', '.join(words[:-1])} or {words[-1]}")
    reject(front.engine, offer, Reason(reason))
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
        front.note(f"{len(results)} accepted rewrite{'' if len(results) == 1 else 's'} looked at")
    return 1 if any(one.standing is Standing.FAILS for one in results) else 0
