"""``kernwright memory``: what was experienced, what it has earned and why, and its way to other people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front, counted

if TYPE_CHECKING:
    from kernwright.memory.utility import Step
    from kernwright.tasks.remembered import Remembered

app = typer.Typer(help="What was experienced, and what it has earned.")
Name = Annotated[
    str, typer.Argument(metavar="NAME", help="An experience, as 'memory show' names it, or a learned rule.")
]
_SHOWN = 40


@app.command("show")
def show(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="One experience or learned rule.")] = None,
    all_of_them: Annotated[bool, typer.Option("--all", help=f"Not only the first {_SHOWN}.")] = False,
) -> None:
    """List what was experienced, the most useful first, or print one experience."""
    from kernwright.tasks.remembered import everything, one_of

    front: Front = context.obj
    if name is not None:
        one = one_of(front.engine, name)
        front.answer(_as_json(one)) if front.as_json else _print_one(front, one)
        return
    known = everything(front.engine)
    if front.as_json:
        front.answer({"experiences": [_as_json(one) for one in known]})
        return
    shown = known if all_of_them else known[:_SHOWN]
    for one in shown:
        front.line(f"{one.experience.key}  {one.utility.optimise:+.2f}  {_use_words(one):24} {one.experience.change}")
    front.note(f"{counted(len(known), 'experience')}{'' if len(shown) == len(known) else f', {len(shown)} shown'}")
    if known:
        front.note("a utility is an estimate for ranking, and no proof of what an experience contributed")


@app.command("why")
def why(context: typer.Context, name: Name) -> None:
    """Say by which events a rule or an experience came by its utility."""
    from kernwright.tasks.remembered import why

    front: Front = context.obj
    one, steps = why(front.engine, name)
    if front.as_json:
        front.answer(_as_json(one) | {"steps": [_step_json(step) for step in steps]})
        return
    front.line(f"{one.experience.key}  {one.experience.identity}")
    for step in steps:
        front.line(f"  {step.event.time:%Y-%m-%d %H:%M}  {_step_words(step)}")
    utility = one.utility
    front.line(f"utility {utility.optimise:+.3f} (repair {utility.repair:+.3f}); {_use_words(one)}")
    front.note(
        f"{utility.idle} optimisations since it was last adopted: as a rule its priority is "
        f"{utility.priority(front.settings.memory):+.3f}"
    )


@app.command("export")
def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", readable=False, help="Standard output without one.")
    ] = None,
) -> None:
    """Write what this workspace experienced as JSON lines, for colleagues to import."""
    from kernwright.memory.transfer import exported

    front: Front = context.obj
    if file is None:
        for line in exported(front.engine.memory):
            front.line(line)
        return
    lines = list(exported(front.engine.memory))
    try:
        file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise Failure(f"{file}: {error.strerror or error}; nothing was exported") from None
    if front.as_json:
        front.answer({"file": str(file), "events": len(lines)})
    else:
        front.note(f"{file}: {counted(len(lines), 'event')}; it holds source of this workspace")


@app.command("import")
def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="What 'memory export' wrote.")],
) -> None:
    """Merge an export into this workspace's experience: what is there already is left alone."""
    from kernwright.memory.transfer import import_lines

    front: Front = context.obj
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except UnicodeDecodeError:
        raise Failure(f"{file}: is not UTF-8; nothing was imported") from None
    except OSError as error:
        raise Failure(
            f"{file}: {error.strerror or error}; name a file that 'kernwright memory export' wrote"
        ) from None
    done = import_lines(front.engine.memory, str(file), lines)
    if front.as_json:
        front.answer({"added": done.added, "known": done.known, "forgotten": done.forgotten})
    else:
        left = f", {done.forgotten} that had been forgotten" if done.forgotten else ""
        front.line(f"{counted(done.added, 'event')} added; {done.known} were here already{left}")


@app.command("forget")
def forget(
    context: typer.Context,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME", help="Experiences, as 'memory show' names them.")
    ] = None,
    everything: Annotated[bool, typer.Option("--everything", help="All events of this workspace.")] = False,
) -> None:
    """Remove experiences of this workspace for good, with the source that they hold. Rule files stay."""
    from kernwright.memory.transfer import forget
    from kernwright.tasks.remembered import forget_some

    front: Front = context.obj
    if everything == bool(names):
        raise Failure("name the experiences to forget, or say --everything; 'kernwright memory show' lists them")
    gone = forget(front.engine.memory, None) if everything else forget_some(front.engine, names or [])
    if front.as_json:
        front.answer({"forgotten": gone})
    else:
        front.line(f"{counted(gone, 'event')} forgotten; a later import does not bring them back")


def _print_one(front: Front, one: Remembered) -> None:
    experience = one.experience
    front.line(f"{experience.key}  {experience.identity}")
    for title, text in (
        ("situation", experience.situation),
        ("change", experience.change),
        ("effect", experience.effect),
        ("tags", ", ".join(experience.tags)),
    ):
        if text:
            front.line(f"{title}: {text}")
    front.line(f"utility: {one.utility.optimise:+.3f} (repair {one.utility.repair:+.3f}); {_use_words(one)}")
    for title, code in (("before", experience.before), ("after", experience.after)):
        if code:
            front.line(f"{title}:")
            front.line(code.rstrip("\n"))


def _use_words(one: Remembered) -> str:
    return f"adopted {counted(one.utility.adopted, 'time')} in {counted(len(one.utility.kernels), 'kernel')}"


def _step_words(step: Step) -> str:
    event = step.event
    match step.role:
        case "decided":
            reason = event.data.get("reason")
            what = f"{event.kind.value}{f' ({reason})' if reason else ''}"
        case "taken-back":
            what = f"taken back: {event.data.get('decision', 'a decision')}"
        case _:
            outcome = "with success" if event.data.get("succeeded") else "without success"
            what = f"{step.role} {outcome} ({step.phase})"
    kernel = f" [{event.kernel}]" if event.kernel else ""
    return f"#{event.id} {what}{kernel}: {step.before:+.3f} → {step.after:+.3f}"


def _step_json(step: Step) -> dict[str, Any]:
    return {
        "event": step.event.id,
        "time": step.event.time.isoformat(),
        "kind": step.event.kind.value,
        "kernel": step.event.kernel,
        "phase": step.phase,
        "role": step.role,
        "reward": step.reward,
        "before": step.before,
        "after": step.after,
    }


def _as_json(one: Remembered) -> dict[str, Any]:
    experience, utility = one.experience, one.utility
    return {
        "key": experience.key,
        **{name: value for name, value in experience.to_json().items() if name != "features"},
        "target": experience.target,
        "utility": {"optimise": utility.optimise, "repair": utility.repair},
        "adopted": utility.adopted,
        "kernels": sorted(utility.kernels),
        "idle": utility.idle,
    }
