"""``kernwright demo``: the main job on bundled kernels, start to end."""

from __future__ import annotations

import tempfile
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front

if TYPE_CHECKING:
    from kernwright.engine import Engine
    from kernwright.offer import Offer
    from kernwright.tasks.examine import Examined
    from kernwright.tasks.optimize import Optimised
    from kernwright.tasks.profile import Profiled


def demo(
    context: typer.Context,
    folder: Annotated[
        Path | None, typer.Option("--folder", metavar="DIR", help="Work in this new folder and keep it.")
    ] = None,
) -> None:
    """Take bundled kernels through the whole of it: check, profile, optimise, accept, learn a rule."""
    front: Front = context.obj
    if folder is not None:
        try:
            folder.mkdir(parents=True)
        except OSError as error:
            raise Failure(f"{folder}: {error.strerror or error}; name a folder that does not exist yet") from None
        _demonstrate(front, folder)
        return
    with tempfile.TemporaryDirectory(prefix="kernwright-demo-") as temporary:
        _demonstrate(front, Path(temporary))


def _demonstrate(front: Front, folder: Path) -> None:
    from kernwright.cli.optimize import optimised_json
    from kernwright.tasks.choose import choose
    from kernwright.tasks.demo import LATE_SECONDS, ROUNDS, ROUNDS_WHEN_LATE, demo_engine, demo_workspace
    from kernwright.tasks.examine import examine
    from kernwright.tasks.optimize import optimise_file
    from kernwright.tasks.profile import profile_kernel
    from kernwright.text import read_snapshot

    engine = demo_engine(front.loaded, folder, front.warn)
    examined: list[Examined] = []
    profiled: list[Profiled] = []
    results: list[Optimised] = []
    files = demo_workspace(folder)
    began = monotonic()
    with front.progress("demo") as tell:
        for number, path in enumerate(files, 1):
            tell(f"kernel {number} of {len(files)}: {path.stem}")
            examined.append(examine(engine, read_snapshot(path)))
            profiled += [profile_kernel(engine, chosen) for chosen in choose(engine, path, None)]
            results += optimise_file(
                engine,
                path,
                None,
                ROUNDS if monotonic() - began < LATE_SECONDS else ROUNDS_WHEN_LATE,
                lambda where, step: tell(f"{where.name}: {step.candidate.title}: {step.verdict.status.value}"),
            )
            if results[-1].found.interrupted:
                raise KeyboardInterrupt
    lines = _table(examined, profiled, results)
    learned = _decide(front, engine, results, lines)
    if front.as_json:
        front.answer(
            {
                "kernels": [optimised_json(result) for result in results],
                "findings": {str(one.parsed.snapshot.path.name): len(one.reported) for one in examined},
                "rule": learned,
            }
        )


def _decide(front: Front, engine: Engine, results: list[Optimised], table: list[str]) -> str | None:
    """Print what was found, accept offers of one kind, and show the rule that comes of it. Gives the rule's text."""
    from kernwright.tasks.decide import accept
    from kernwright.tasks.demo import shared_experience
    from kernwright.tasks.promote import promote_what_has_earned_it

    lines: list[str] = [*table, ""]
    offers = shared_experience(results)
    text: str | None = None
    for offer in offers:
        accepted = accept(engine, offer.id)
        if offer is offers[0]:
            from kernwright.cli.words import diff_lines

            lines += [f"The edit of {offer.id}, {offer.title}:", "", *diff_lines(accepted.before, accepted.after), ""]
        lines.append(f"accepted: {offer.file.name}: {offer.title}")
        for rule in promote_what_has_earned_it(engine):
            text = rule.path.read_text("utf-8")
            lines += ["", f"{rule.path.name}: a new rule, because {rule.why}:", "", text]
    if text is None:
        lines.append(
            f"no rule yet: one is learned when {engine.settings.memory.kernels_to_promote} kernels adopt a rewrite"
        )
    if not front.as_json:
        for line in lines:
            front.line(line)
    return text


_HEAD = ("kernel", "findings", "baseline", "of bound", "hot line", "offers", "best", "accuracy", "evidence")
_LONGEST_TITLE = 44


def _table(examined: list[Examined], profiled: list[Profiled], results: list[Optimised]) -> list[str]:
    from kernwright.cli.words import columns

    counts = {one.parsed.snapshot.path: str(len(one.reported)) for one in examined}
    hot = {one.chosen.parsed.snapshot.path: _hot_line(one) for one in profiled}
    rows: list[tuple[str, ...]] = []
    for result in results:
        path = result.chosen.parsed.snapshot.path
        rows.append(_row(result, counts.get(path, "–"), hot.get(path, "–")))
    return columns(_HEAD, rows)


def _hot_line(one: Profiled) -> str:
    from kernwright.targets.model import Profile

    if not isinstance(one.lines, Profile) or not one.lines.lines:
        return "–"
    first = one.lines.lines[0]
    return f"{first.line} ({first.share:.0%} {first.evidence.value})"


def _row(result: Optimised, findings: str, hot: str) -> tuple[str, ...]:
    from kernwright.offer import accuracy_words, speedup_words
    from kernwright.units import time_words

    baseline = result.baseline
    measured: tuple[str, ...] = ("–", "–")
    if baseline is not None and not baseline.problem:
        share = baseline.share_of_bound
        measured = (time_words(baseline.nanoseconds), "–" if share is None else f"{share:.0%}")
    head = (result.chosen.kernel.name, findings, *measured, hot, str(len(result.offers)))
    if not result.offers:
        why = result.why or (f"none: {result.found.ended}" if result.found.rounds else "none: nothing to propose")
        return (*head, why, "", "")
    best: Offer = result.offers[0]
    title = best.candidate.title
    title = title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1].rstrip() + "…"
    return (
        *head,
        f"{speedup_words(best.speedup)} {title}",
        accuracy_words(best.verdict.error),
        f"measured, {best.verdict.cases} cases" + (f", assumes {', '.join(best.assumes)}" if best.assumes else ""),
    )
