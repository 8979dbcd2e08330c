"""``kernwright optimize``: propose, verify, rank; ``--write`` applies the best."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import INTERRUPTED, Failure
from kernwright.cli.front import Front, Progress

if TYPE_CHECKING:
    from kernwright.complaint import Complaint
    from kernwright.targets.model import BuildCommand
    from kernwright.tasks.choose import Chosen
    from kernwright.tasks.model import ModelUse
    from kernwright.tasks.not_applied import NotApplied
    from kernwright.tasks.optimize import Optimised

_TELLING = 5
"""A reason that so many transforms give says something of the loop, and not of the transform."""


def optimize(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="A source file.")],
    kernel: Annotated[
        str | None, typer.Option("--kernel", metavar="NAME", help="One kernel; else all of them.")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, max=10_000, help="Candidates to verify at most, per kernel.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Use no model, whatever the settings say.")] = False,
    show_prompt: Annotated[
        bool, typer.Option("--show-prompt", help="Print what a model would be sent, and send and search nothing.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Apply the best offer of each kernel.")] = False,
) -> None:
    """Look for rewrites that are verified to be right and measured to be faster."""
    front: Front = context.obj
    front.start_at(file)
    if show_prompt:
        _show_prompts(front, file, kernel, rounds, offline)
        return
    from kernwright.tasks.optimize import optimise_file

    with front.progress("optimize") as tell:
        results = optimise_file(
            front.engine,
            file,
            kernel,
            rounds or front.settings.rounds,
            lambda where, step: tell(
                f"{where.name}, {step.round} of {step.rounds}: {step.candidate.title}: {step.verdict.status.value}"
            ),
            None if offline else _model(front, tell),
        )
    interrupted = any(result.found.interrupted for result in results)
    if not front.as_json:
        for result in results:
            _print_result(front, result)
    written, problem = _write_best(front, results) if write and not interrupted else ([], None)
    if front.as_json:
        front.answer({"kernels": [optimised_json(result) for result in results], "accepted": written})
    if problem is not None:
        raise problem
    if interrupted:
        raise Failure("interrupted; what was found until then is printed, and can be accepted", INTERRUPTED)


def _model(front: Front, tell: Progress) -> ModelUse | None:
    """The model that takes part; what knows one is loaded only where one is named."""
    if not front.settings.model.name:
        return None
    from kernwright.settings import model_key
    from kernwright.tasks.model import model_of

    return model_of(front.engine, model_key(), tell)


def _show_prompts(front: Front, file: Path, kernel: str | None, rounds: int | None, offline: bool) -> None:
    """Print the first call of each kernel, exactly as it would be sent."""
    if offline or not front.settings.model.name:
        if front.as_json:
            front.answer({"prompts": []})
        front.note("no model takes part: there is no prompt, and nothing is sent; 'settings.model.name' names one")
        return
    from kernwright.tasks.show_prompt import prompts

    shown = prompts(front.engine, file, kernel, rounds or front.settings.rounds)
    if front.as_json:
        front.answer({"prompts": [{"kernel": one.kernel, "request": one.request, "why": one.why} for one in shown]})
        return
    for one in shown:
        front.line(f"{one.kernel}: {one.why or 'POST ' + one.address}")
        if one.request:
            front.line(json.dumps(one.request, ensure_ascii=False, indent=1))
    front.note("nothing was sent")


def optimised_json(result: Optimised) -> dict[str, Any]:
    from kernwright.offer_json import contract_word, offer_json
    from kernwright.targets.model import BuildCommand

    chosen = result.chosen
    snapshot = chosen.parsed.snapshot
    return {
        "kernel": chosen.kernel.qualified,
        "file": str(snapshot.path),
        "contract": contract_word(chosen.contract.origin) if chosen.contract is not None else None,
        "command": command_json(chosen.command) if isinstance(chosen.command, BuildCommand) else None,
        "baseline": result.baseline.as_json if result.baseline is not None else None,
        "offers": [offer_json(offer, snapshot) for offer in result.offers],
        "refused": [
            {"title": refused.title, "status": refused.status, "why": refused.why} for refused in result.found.refused
        ],
        "not_applied": [
            {"line": one.line, "reason": one.reason, "transforms": list(one.transforms)}
            for one in (() if result.offers else _not_applied(chosen))
        ],
        "rounds": result.found.rounds,
        "asks": list(chosen.asks),
        "why": result.why or None,
        "ended": result.found.ended or None,
        "model": result.suggestion.as_json if result.suggestion is not None else None,
    }


def _not_applied(chosen: Chosen) -> list[NotApplied]:
    # What looks at every transform is loaded only where there is no offer to show instead.
    from kernwright.tasks.not_applied import not_applied

    return not_applied(chosen)


def command_json(command: BuildCommand) -> dict[str, Any]:
    """The compile command that was used, where it came from, and what was changed in it."""
    return {
        "argv": [*command.compiler.command, *command.flags],
        "origin": command.origin,
        "notes": list(command.notes),
    }


def _print_result(front: Front, result: Optimised) -> None:
    from kernwright.cli.words import weak_sandbox
    from kernwright.targets.model import BuildCommand

    chosen = result.chosen
    head = f"{chosen.kernel.qualified} in {chosen.parsed.snapshot.path}"
    if result.baseline is not None and not result.baseline.problem:
        head += f": {result.baseline.words}"
    front.line(head)
    if isinstance(chosen.command, BuildCommand):
        said = " ".join((f"command from {chosen.command.origin}.", *chosen.command.notes))
        (front.line if chosen.command.notes else front.detail)(f"  {said}")
    for question in chosen.asks:
        front.line(f"  needed: {question}")
    if result.why:
        front.line(f"  no search: {result.why}")
    for offer in result.offers:
        front.line(f"  {offer.id}  {offer.title}")
        for note in (*offer.notes, *weak_sandbox(offer.verdict)):
            front.line(f"      {note}")
    if not result.offers and not result.why and not chosen.asks:
        front.line(f"  no offer after {result.found.rounds} rounds: {result.found.ended}")
        _print_not_applied(front, chosen)
    if result.suggestion is not None:
        front.line(f"  model: {result.suggestion.ended}; {result.suggestion.cost}")
        if result.suggestion.pays:
            front.line(f"      {result.suggestion.pays}")
    for refused in result.found.refused:
        front.detail(f"  {refused.status}: {refused.title}: {refused.why}")
    if result.offers:
        front.note(f"the search ended after {result.found.rounds} rounds: {result.found.ended}")
        front.note(f"'kernwright accept {result.offers[0].id}' applies the first")


def _print_not_applied(front: Front, chosen: Chosen) -> None:
    """For each loop the reason of most transforms, and with ``--verbose`` all of them."""
    seen: set[int] = set()
    for one in _not_applied(chosen):
        words = f"  line {one.line}: {one.reason} ({', '.join(one.transforms)})"
        if one.line not in seen and len(one.transforms) > _TELLING:
            count = f"{len(one.transforms)} transforms"
            front.line(f"  line {one.line}: {one.reason}: {count} do not apply")
        else:
            front.detail(words)
        seen.add(one.line)


def _write_best(front: Front, results: list[Optimised]) -> tuple[list[dict[str, Any]], Complaint | None]:
    """Apply the best offer of each kernel that needs no confirmation; what was written, as JSON has it, and what ended
    it before all was: what was found is shown all the same."""
    from kernwright.complaint import Complaint

    written: list[dict[str, Any]] = []
    try:
        for result in results:
            written += _write_one(front, result)
    except Complaint as complaint:
        return written, complaint
    return written, None


def _write_one(front: Front, result: Optimised) -> list[dict[str, Any]]:
    from kernwright.cli.decide import report_acceptance
    from kernwright.tasks.decide import accept_found

    confirmed = [offer for offer in result.offers if not offer.assumes]
    if confirmed:
        return [report_acceptance(front, accept_found(front.engine, confirmed[0], result.chosen.parsed.snapshot))]
    if result.offers:
        front.warn(
            f"{result.offers[0].title}: not written, because it assumes what only you can confirm; "
            f"'kernwright accept {result.offers[0].id}' does it"
        )
    return []
