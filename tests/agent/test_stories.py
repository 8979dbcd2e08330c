"""Stories of a model at work: what it submits is verified, and what is right and faster is offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from service import calls, uses
from story import BROKEN, FOUR, NO_TAIL, SIXTEEN, SUM, Stage, Told

from kernwright.engine import Engine
from kernwright.memory.experience import experience_of
from kernwright.memory.model import EventKind
from kernwright.memory.record import Stage as Work
from kernwright.memory.record import stage_events
from kernwright.text import apply_edits

pytestmark = pytest.mark.compiler

STOP = uses(calls("stop", reason="memory is the bound now"))


def best_is(told: Told, version: str) -> bool:
    """Whether the first offer of the model is the text of a version."""
    text = told.source.read_bytes()
    after = told.offers[0].candidate.edits
    return version.strip() in apply_edits(text, after).decode()


def test_it_solves_at_once(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums break the chain of additions")), STOP
    )
    (offer,) = told.offers
    assert offer.speedup.low > 1.5
    assert offer.candidate.title == "Four partial sums break the chain of additions"
    assert "accepted" in told.answers[0] and "v1 is the best so far" in told.answers[0]
    assert told.ended == "the model stopped: memory is the bound now"
    assert told.found.rounds == 1 and len(told.costs) == 2
    assert told.suggestion is not None and "a call" in told.suggestion.pays
    # Nothing of the user's is written: an offer is applied by whoever accepts it.
    assert told.source.read_text() == SUM


def test_it_repairs_a_build_error(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=BROKEN, hypothesis="four partial sums")),
        uses(calls("compile", version="v1")),
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums, all declared")),
        STOP,
    )
    assert "build-failed" in told.answers[0] and "undeclared" in told.answers[0]
    assert "v1 does not compile" in told.answers[1] and "'d' undeclared" in told.answers[1].replace("‘", "'").replace(
        "’", "'"
    )
    assert [attempt.status for attempt in told.found.attempts] == ["build-failed", "accepted"]
    assert len(told.offers) == 1
    # The repair is remembered with what was wrong.
    repairs = [event for event in told.events if event.kind is EventKind.STAGE and event.data["phase"] == "repair"]
    assert [event.data["succeeded"] for event in repairs] == [True]
    assert repairs[0].data["about"][0]["tags"] == ["build-failed"]


def test_it_repairs_a_wrong_result_after_looking_at_values(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("test", kernel=NO_TAIL)),
        uses(calls("inspect", version="v1", line=21, expression="i", sizes={"n": 7})),
        uses(calls("diagnose", cause="the last n % 4 elements are left out")),
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums with their tail")),
        STOP,
    )
    assert "refuted" in told.answers[0] and "smallest call that shows it: n = 1" in told.answers[0]
    # Of seven elements four were added when the sum is returned.
    assert "n = 7" in told.answers[1] and "\n4\n" in told.answers[1]
    assert best_is(told, FOUR)


def test_it_optimises_in_three_steps_and_takes_one_back(tmp_path: Path) -> None:
    """A faster version is right, a faster one still is wrong and withdrawn, and another path is found."""
    wrong = SIXTEEN.replace("    for (; i < n; i++)\n        s += x[i];\n", "")
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums")),
        uses(calls("submit", kernel=wrong, hypothesis="sixteen partial sums in vectors")),
        uses(calls("submit", kernel=SIXTEEN, hypothesis="sixteen partial sums, and the elements left over")),
        STOP,
    )
    assert [attempt.status for attempt in told.found.attempts] == ["accepted", "refuted", "accepted"]
    assert "v1 stays the best" in told.answers[1]
    assert "v3 is the best so far" in told.answers[2] and "sixteen partial sums in vectors" in told.answers[2]
    assert best_is(told, SIXTEEN)
    assert told.offers[0].speedup.median > 3


def test_a_version_that_was_judged_is_not_built_again(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=NO_TAIL, hypothesis="four partial sums")),
        uses(calls("submit", kernel=NO_TAIL, hypothesis="the same in other words")),
        uses(calls("submit", version="v1", hypothesis="the same by its name")),
        STOP,
    )
    assert told.found.rounds == 1
    assert all("judged before" in answer for answer in told.answers[1:])


def test_what_came_to_its_end_is_kept(tmp_path: Path) -> None:
    """Asking again costs nothing; a suggestion that a fault or a limit ended is asked for again."""
    stage = Stage(tmp_path)
    first = stage.told(uses(calls("submit", kernel=FOUR, hypothesis="four partial sums")), STOP)
    again = stage.told(STOP)
    assert again.service.requests == [] and again.ended == "kept from before"
    assert [offer.id for offer in again.offers] == [offer.id for offer in first.offers]


def test_what_the_search_found_is_told_and_built_on(tmp_path: Path) -> None:
    """The best of the search is a version by name, and a submission of the same text is no news."""
    before = Stage(tmp_path / "before").told(uses(calls("submit", kernel=FOUR, hypothesis="four partial sums")), STOP)
    told = Stage(tmp_path / "after").told(
        uses(calls("submit", kernel=FOUR, hypothesis="the same")),
        uses(calls("submit", kernel=SIXTEEN, hypothesis="sixteen partial sums")),
        STOP,
        found=before.found,
    )
    start = told.service.requests[0]["messages"][0]["content"][1]["text"]
    assert "Four partial sums: offered" in start and "The best so far is version 'search'" in start
    assert "search was not tried: this text was verified before" in told.answers[0]
    assert [attempt.round for attempt in told.found.attempts] == [1, 2]
    assert best_is(told, SIXTEEN)


def test_experience_is_found_used_and_told_of(tmp_path: Path) -> None:
    """An id that was never shown is nobody's: the offer and memory know the shown one alone."""
    learned = experience_of(
        "partial-sums", "not-vectorised:reduction", "host", situation="a float sum that is added in order",
        change="keep several accumulators", effect="4 times as fast",
    )  # fmt: skip

    def plant(engine: Engine) -> None:
        work = Work("optimise", kernel="another", target="host", succeeded=True, reward=0.5, about=[learned])
        engine.remember(stage_events(work, 0.1))

    told = Stage(tmp_path).told(
        uses(calls("search_experience", query="float sum accumulators", symptoms=["not-vectorised:reduction"])),
        uses(calls("submit", kernel=FOUR, hypothesis="several accumulators", uses=[learned.key, "x0123456789"])),
        STOP,
        before=plant,
    )
    assert f"id {learned.key}" in told.answers[0] and "keep several accumulators" in told.answers[0]
    assert told.offers[0].candidate.uses == (learned.key,)
    kinds = [event.kind for event in told.events]
    assert kinds.count(EventKind.RETRIEVED) == 1
    (adopted,) = [event for event in told.events if event.kind is EventKind.ADOPTED]
    assert adopted.data["declared"] == [learned.key]


def test_rounds_are_shared_by_repair_and_optimisation(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=BROKEN, hypothesis="one")),
        uses(calls("submit", kernel=FOUR, hypothesis="two")),
        uses(calls("submit", kernel=SIXTEEN, hypothesis="three")),
        STOP,
        rounds=2,
    )
    assert told.found.rounds == 2 and told.ended == "the rounds are used up"
    assert best_is(told, FOUR) and len(told.service.requests) == 3


def test_the_budget_is_kept_and_the_best_returned(tmp_path: Path) -> None:
    """Each answer costs $0.42, and the third would not fit in a dollar."""
    dear = (200_000, 2_000)
    told = Stage(tmp_path, model={"money": 1.0}).told(
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums"), tokens=dear),
        uses(calls("read_kernel"), tokens=dear),
        uses(calls("submit", kernel=SIXTEEN, hypothesis="never asked for"), tokens=dear),
        STOP,
    )
    assert told.ended == "the $1 of one suggestion are used up"
    assert len(told.service.requests) == 2 and best_is(told, FOUR)
    assert told.suggestion is not None and told.suggestion.money == pytest.approx(0.84)
    assert sum(event.data["money"] for event in told.costs) == pytest.approx(0.84)


def test_a_day_has_a_limit_of_its_own(tmp_path: Path) -> None:
    stage = Stage(tmp_path, model={"money_per_day": 0.415})
    first = stage.told(uses(calls("read_kernel"), tokens=(200_000, 1_000)), STOP)
    assert first.suggestion is not None and first.suggestion.calls == 1
    again = stage.told(STOP)
    assert again.ended == "what the model may cost in a day is used up"
    assert again.service.requests == []


def test_tools_answer_with_what_the_toolchain_says(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("read_kernel"), calls("profile"), calls("count"), calls("sanitize", kernel=FOUR)),
        uses(calls("inspect", version="original", line=15, expression="x", count=2, sizes={"n": 7})),
        uses(calls("read_rule", name="float-sum"), calls("search_experience", query="sum in order")),
        STOP,
    )
    kernel, profile, counted, sanitized, values, rule, experience = told.answers
    assert "   12 " in kernel and "x: in f32[n]" in kernel
    assert "line 15" in profile and "n = 20000" in profile
    assert "scalar float" in counted and "addss" in counted
    assert "v1: passed" in sanitized
    assert "14 values, elements 0 to 1 each time" in values
    assert "there is no rule of that name" in rule
    assert experience == "there is no experience of that kind yet"
