"""``kernwright optimize``: propose, verify, rank; ``--write`` applies the best."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import INTERRUPTED, Failure
from kernwright.cli.front import Front

if TYPE_CHECKING:
    from kernwright.tasks.optimize import Optimised


def optimize(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="A source file.")],
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="One kernel; else all of them.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, max=10_000, help="Candidates to verify at most, per kernel.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Use no model. This version never does.")] = False,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a model would be sent, and send and search nothing.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Apply the best offer of each kernel.")] = False,
) -> None:
    """Look for rewrites that are verified to be right and measured to be faster."""
    from kernwright.tasks.optimize import optimise_file

    front: Front = context.obj
    front.start_at(file)
    if show_prompt:
        front.line("no model takes part in this version, so there is no prompt and nothing is sent")
        return
    with front.progress("optimize") as tell:
        results = optimise_file(
            front.engine,
            file,
            kernel,
            rounds or front.settings.rounds,
            lambda where, step: tell(
                f"{where.name}, {step.round} of {step.rounds}: {step.candidate.title}: {step.verdict.status.value}"
            ),
        )
    if front.as_json:
        front.answer({"kernels": [optimised_json(result) for result in results]})
    else:
        for result in results:
            _print_result(front, result)
    if any(result.found.interrupted for result in results):
        raise Failure("interrupted; what was found until then is printed, and can be accepted", INTERRUPTED)
    if write:
        _write_best(front, results)


def optimised_json(result: Optimised) -> dict[str, Any]:
    from kernwright.offer_json import contract_word, offer_json

    chosen = result.chosen
    snapshot = chosen.parsed.snapshot
    return {
        "kernel": chosen.kernel.qualified,
        "file": str(snapshot.path),
        "contract": contract_word(chosen.contract.origin) if chosen.contract is not None else None,
        "baseline": result.baseline.as_json if result.baseline is not None else None,
        "offers": [offer_json(offer, snapshot) for offer in result.offers],
        "refused": [
            {"title": refused.title, "status": refused.status, "why": refused.why} for refused in result.found.refused
        ],
        "rounds": result.found.rounds,
        "asks": list(chosen.asks),
        "why": result.why or None,
        "ended": result.found.ended or None,
    }


def _print_result(front: Front, result: Optimised) -> None:
    chosen = result.chosen
    head = f"{chosen.kernel.qualified} in {chosen.parsed.snapshot.path}"
    if result.baseline is not None and not result.baseline.problem:
        head += f": {result.baseline.words}"
    front.line(head)
    for question in chosen.asks:
        front.line(f"  needed: {question}")
    if result.why:
        front.line(f"  no search: {result.why}")
    for offer in result.offers:
        front.line(f"  {offer.id}  {offer.title}")
        for note in offer.notes:
            front.line(f"      {note}")
    if not result.offers and not result.why and not chosen.asks:
        front.line(f"  no offer after {result.found.rounds} rounds: {result.found.ended}")
    for refused in result.found.refused:
        front.detail(f"  {refused.status}: {refused.title}: {refused.why}")
    if result.offers:
        front.note(f"'kernwright accept {result.offers[0].id}' applies the first")


def _write_best(front: Front, results: list[Optimised]) -> None:
    from kernwright.cli.decide import report_acceptance
    from kernwright.tasks.decide import accept

    for result in results:
        confirmed = [offer for offer in result.offers if not offer.assumes]
        if confirmed:
            report_acceptance(front, accept(front.engine, confirmed[0].id))
        elif result.offers:
            front.warn(
                f"{result.offers[0].title}: not written, because it assumes what only you can confirm; "
                f"'kernwright accept {result.offers[0].id}' does it"
            )
