"""``kernwright rules``: the rules, what they have earned, and switching them on and off."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front, counted

if TYPE_CHECKING:
    from kernwright.engine import Engine
    from kernwright.memory.utility import Utility
    from kernwright.rules.model import Rule

app = typer.Typer(help="The rules and what they have earned.")
Name = Annotated[str, typer.Argument(metavar="NAME", help="A rule's name.")]


@app.command("list")
def list_rules(context: typer.Context) -> None:
    """List every rule: its state, where it lies, what it has earned."""
    front: Front = context.obj
    engine = front.engine
    earned = _earned(engine)
    rules = engine.rules.rules
    if front.as_json:
        front.answer({"rules": [_rule_json(engine, rule, earned) for rule in rules]})
        return
    width = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        state = rule.status.value if _is_on(engine, rule) else "off"
        front.line(f"{rule.name:{width}}  {state:8} {rule.origin.value:9} {rule.description}{_utility_words(rule)}")


@app.command("show")
def show(context: typer.Context, name: Name) -> None:
    """Print one rule's file."""
    front: Front = context.obj
    rule = _rule(front.engine, name)
    if front.as_json:
        front.answer(_rule_json(front.engine, rule, _earned(front.engine)) | {"text": rule.path.read_text("utf-8")})
    else:
        front.line(rule.path.read_text("utf-8").rstrip("\n"))
        front.note(f"({rule.path})")


@app.command("test")
def test(
    context: typer.Context, name: Annotated[str | None, typer.Argument(metavar="NAME", help="One rule.")] = None
) -> int:
    """Run the cases of the rules: what has to be found, rewritten as shown, and left alone."""
    from kernwright.propose.from_rules import check_transforms
    from kernwright.propose.rule_cases import test_rule
    from kernwright.rules.queries import query_problems

    front: Front = context.obj
    engine = front.engine
    rules = [_rule(engine, name)] if name is not None else list(engine.rules.rules)
    problems = [str(problem) for problem in (*engine.rules.problems, *query_problems(rules), *check_transforms(rules))]
    outcomes = [outcome for rule in rules for outcome in test_rule(rule)]
    failures = [outcome for outcome in outcomes if not outcome.passed]
    if front.as_json:
        front.answer(
            {
                "cases": [
                    {
                        "rule": one.rule,
                        "file": str(one.path),
                        "line": one.line,
                        "outcome": one.outcome.value,
                        "detail": one.detail,
                    }
                    for one in outcomes
                ],
                "problems": problems,
            }
        )
    else:
        for problem in problems:
            front.line(problem)
        for one in failures:
            front.line(f"{one.path}:{one.line}: {one.outcome.value}: {one.detail} [{one.rule}]")
        front.line(f"{counted(len(outcomes), 'case')} of {counted(len(rules), 'rule')}, {len(failures)} failed")
    return 1 if failures or problems else 0


@app.command("new")
def new(
    context: typer.Context,
    name: Name,
    language: Annotated[str, typer.Option("--language", metavar="NAME", help="c or cpp.")] = "c",
) -> None:
    """Make the file of a new rule in this workspace, ready to be edited."""
    import re

    from kernwright.engine import LEARNED_RULES
    from kernwright.rules.documents import new_rule_text
    from kernwright.syntax import Language

    front: Front = context.obj
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise Failure(f"'{name}' is no name for a rule; use lower-case words and hyphens, as in 'division-in-loop'")
    if language not in [known.value for known in Language]:
        raise Failure(f"--language {language}: expected c or cpp")
    path = front.engine.workspace / LEARNED_RULES / f"{name}.md"
    if front.engine.rules.named(name) is not None:
        raise Failure(f"there is a rule '{name}' already, in {front.engine.rules.named(name).path}")  # pyright: ignore[reportOptionalMemberAccess]
    _write_new(path, new_rule_text(name, Language(language)))
    front.line(str(path))


@app.command("enable")
def enable(context: typer.Context, name: Name) -> None:
    """Switch a rule on in this workspace."""
    _switch(context.obj, name, on=True)


@app.command("disable")
def disable(context: typer.Context, name: Name) -> None:
    """Switch a rule off in this workspace."""
    _switch(context.obj, name, on=False)


@app.command("promote")
def promote(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="OFFER", help="An accepted offer, or a cold rule's name.")],
) -> None:
    """Make a rule of an accepted rewrite now, or take a cold rule back into service."""
    from kernwright.tasks.promote import promote_by_hand

    front: Front = context.obj
    learned = promote_by_hand(front.engine, name)
    if front.as_json:
        front.answer({"rule": learned.name, "path": str(learned.path), "why": learned.why})
    else:
        front.line(f"{learned.path}: {learned.why}")


@app.command("demote")
def demote(context: typer.Context, name: Name) -> None:
    """Take a learned rule out of service; its file stays, with status cold."""
    from kernwright.tasks.promote import demote_by_hand

    front: Front = context.obj
    path = demote_by_hand(front.engine, name)
    if front.as_json:
        front.answer({"rule": name, "path": str(path), "status": "cold"})
    else:
        front.line(f"{path}: status cold")


def _rule(engine: Engine, name: str) -> Rule:
    from difflib import get_close_matches

    rule = engine.rules.named(name)
    if rule is None:
        for problem in engine.rules.problems:
            if problem.path.stem == name:
                raise Failure(f"'{name}' is left out until its file is right")
        close = get_close_matches(name, [known.name for known in engine.rules.rules], 1)
        raise Failure(f"there is no rule '{name}'" + (f"; do you mean '{close[0]}'?" if close else ""))
    return rule


def _switch(front: Front, name: str, *, on: bool) -> None:
    from kernwright.tasks.switch import switch_rule

    rule = _rule(front.engine, name)
    path = switch_rule(front.engine.workspace, rule.name, on=on)
    if front.as_json:
        front.answer({"rule": rule.name, "on": on, "file": str(path)})
    else:
        front.line(f"{path}: {rule.name} is {'on' if on else 'off'}")


def _is_on(engine: Engine, rule: Rule) -> bool:
    from kernwright.rules.sources import selected

    return bool(selected([rule], engine.selection, target=engine.settings.target))


def _earned(engine: Engine) -> dict[str, Utility]:
    from kernwright.tasks.promote import utilities_by_rule

    return utilities_by_rule(engine)


def _utility_words(rule: Rule) -> str:
    return f" (utility {rule.utility:.2f}, adopted {rule.adopted} times)" if rule.utility is not None else ""


def _rule_json(engine: Engine, rule: Rule, earned: dict[str, Utility]) -> dict[str, Any]:
    utility = earned.get(rule.name)
    return {
        "name": rule.name,
        "description": rule.description,
        "languages": [language.value for language in rule.languages],
        "severity": rule.severity.value,
        "safety": rule.safety.value,
        "assumes": list(rule.assumes),
        "status": rule.status.value,
        "origin": rule.origin.value,
        "path": str(rule.path),
        "on": _is_on(engine, rule),
        "utility": utility.optimise if utility is not None else rule.utility,
        "adopted": utility.adopted if utility is not None else rule.adopted,
        "kernels": sorted(utility.kernels) if utility is not None else list(rule.kernels),
    }


def _write_new(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except FileExistsError:
        raise Failure(f"{path}: exists already; edit it, or choose another name") from None
    except OSError as error:
        raise Failure(f"{path}: {error.strerror or error}") from None
