"""The search: what is tried, in which order, what is kept, and that nothing found is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest
from scaffold import SUM, accepted, contract, failed, reading, replacing

from kernwright.combine import combined, edits_between
from kernwright.contract import Contract, Tolerance
from kernwright.kernel import Kernel
from kernwright.optimize import Found, Step, Subject, optimize
from kernwright.propose.candidate import Candidate
from kernwright.syntax import Parsed
from kernwright.text import apply_edits
from kernwright.verify.verdict import StageName, Status, Verdict

REFUTED = failed(Status.REFUTED, StageName.EQUAL, "differs")
SLOWER = failed(Status.SLOWER, StageName.FASTER, "not faster", median=1.0)


@dataclass
class Bench:
    """Answers with the verdict of each candidate's resulting text, found by a piece of it; refutes the rest."""

    parsed: Parsed
    verdicts: dict[str, Verdict]
    asked: list[str] = field(default_factory=list[str])

    def __call__(self, candidate: Candidate) -> Verdict:
        text = self.parsed.snapshot.apply(candidate.edits).data.decode()
        self.asked.append(candidate.title)
        matches = [verdict for piece, verdict in self.verdicts.items() if piece in text]
        return matches[-1] if matches else REFUTED


@dataclass(frozen=True)
class Replacing:
    """Proposes replacements of texts, those that are there."""

    pairs: tuple[tuple[str, str], ...]
    more: dict[str, object] = field(default_factory=dict[str, object])

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        return [
            replacing(parsed, old, new, new, **{"transform": f"t{number}", **self.more})
            for number, (old, new) in enumerate(self.pairs)
            if old.encode() in parsed.snapshot.data
        ]


def check(
    pairs: list[tuple[str, str]],
    verdicts: dict[str, Verdict],
    *,
    rounds: int = 30,
    terms: Contract | None = None,
    watch: Callable[[Step], None] = lambda step: None,
    **more: object,
) -> tuple[Found, list[str]]:
    parsed, kernel = reading(SUM)
    bench = Bench(parsed, verdicts)
    subject = Subject(parsed, kernel, terms or contract(), "host")
    found = optimize(subject, [Replacing(tuple(pairs), more)], bench, rounds=rounds, watch=watch)
    for offer in found.offers:
        # Every offer's edits apply to the file as it was read.
        assert parsed.snapshot.apply(offer.edits).data != parsed.snapshot.data
    return found, bench.asked


BODY = "s += x[i];"
INIT = "float s = 0;"


def test_the_best_comes_first_and_what_was_refused_says_why() -> None:
    pairs = [(BODY, "one;"), (BODY, "two;"), (BODY, "three;")]
    found, _ = check(pairs, {"one;": accepted(2.0), "three;": accepted(4.0)})
    assert [offer.candidate.title for offer in found.offers] == ["three;"]
    assert [(refused.title, refused.status, refused.why) for refused in found.refused] == [
        ("two;", "refuted", "equal: differs"),
        ("one;", "slower", f"correct and faster, but {found.offers[0].id} is faster still and no less simple"),
    ]
    assert (found.rounds, found.ended) == (3, "nothing is left to try")


def test_a_slower_rewrite_is_offered_where_it_is_simpler_or_lies_elsewhere() -> None:
    longer = "three; /* and much more */ three;"
    verdicts = {"one;": accepted(2.0), longer: accepted(4.0), "begin;": accepted(1.5)}
    found, _ = check([(BODY, "one;"), (BODY, longer), (INIT, "begin;")], verdicts)
    assert [offer.candidate.title for offer in found.offers if "then" not in offer.candidate.title] == [
        longer,
        "one;",
        "begin;",
    ]


def test_a_rewrite_of_overhead_alone_has_to_gain_more() -> None:
    found, _ = check([(BODY, "one;"), (BODY, "two;")], {"one;": accepted(1.08), "two;": accepted(1.3)}, least_gain=1.1)
    assert [offer.candidate.title for offer in found.offers] == ["two;"]
    assert found.refused[0].why.startswith("correct, 1.08×")
    assert "has to gain 10% or more" in found.refused[0].why


def test_the_search_stops_when_its_time_is_used_up() -> None:
    parsed, kernel = reading(SUM)
    bench = Bench(parsed, {"v1;": accepted(2.0)})
    subject = Subject(parsed, kernel, contract(), "host")
    proposer = Replacing(tuple((BODY, f"v{number};") for number in range(9)))
    found = optimize(
        subject, [proposer], bench, rounds=30, seconds=20.0, clock=lambda: 100.0 + 10.0 * len(bench.asked)
    )
    assert (found.rounds, found.ended, len(found.offers)) == (2, "the time is used up", 1)
    assert not found.settled


@pytest.mark.parametrize(("median", "settled"), [(1.02, True), (3.0, False)])
def test_a_search_is_settled_where_what_is_unclear_could_not_be_the_best(median: float, settled: bool) -> None:
    unclear = failed(Status.INCONCLUSIVE, StageName.FASTER, "too noisy", median=median)
    found, asked = check([(BODY, "one;"), (BODY, "two;")], {"one;": accepted(2.0), "two;": unclear})
    assert found.settled == settled
    # What may be the best is asked for once more.
    assert asked.count("two;") == (1 if settled else 2)


def test_one_text_is_verified_once() -> None:
    found, asked = check([(BODY, "one;"), (BODY, "one;"), (BODY, BODY)], {"one;": accepted(2.0)})
    assert asked == ["one;"]
    assert found.rounds == 1


@pytest.mark.parametrize("rounds", [1, 2, 3])
def test_the_search_stops_at_its_rounds(rounds: int) -> None:
    pairs = [(BODY, f"v{number};") for number in range(9)]
    found, asked = check(pairs, {}, rounds=rounds)
    assert (found.rounds, len(asked), found.ended) == (rounds, rounds, "the rounds are used up")


def test_an_interrupt_keeps_what_was_found() -> None:
    def interrupt(step: Step) -> None:
        if step.round == 2:
            raise KeyboardInterrupt

    found, asked = check([(BODY, "one;"), (BODY, "two;"), (BODY, "three;")], {"one;": accepted(2.0)}, watch=interrupt)
    assert [offer.candidate.title for offer in found.offers] == ["one;"]
    assert (found.interrupted, found.ended, len(asked)) == (True, "interrupted", 2)


def test_what_helped_is_combined_when_that_is_faster() -> None:
    verdicts = {
        "one;": accepted(2.0),
        "begin;": accepted(1.5),
        "begin;\n    for (int i = 0; i < n; i++)\n        one;": accepted(3.5),
    }
    found, _ = check([(BODY, "one;"), (INIT, "begin;")], verdicts)
    best = found.offers[0]
    assert best.candidate.title == "one;, then begin;"
    assert best.candidate.transform == "t0+t1"
    parsed, _kernel = reading(SUM)
    after = parsed.snapshot.apply(best.edits).data.decode()
    assert after == SUM.replace(BODY, "one;").replace(INIT, "begin;")


def test_a_combination_that_is_no_faster_than_the_best_is_not_offered() -> None:
    verdicts = {"begin;": accepted(1.5), "one;": accepted(2.0)}
    found, _ = check([(BODY, "one;"), (INIT, "begin;")], verdicts)
    assert [offer.candidate.title for offer in found.offers] == ["one;", "begin;"]
    assert ("one;, then begin;", "slower") in [(refused.title, refused.status) for refused in found.refused]


def test_a_correct_step_that_gains_nothing_may_clear_the_way() -> None:
    verdicts = {"begin;": SLOWER, "begin;\n    for (int i = 0; i < n; i++)\n        one;": accepted(3.0)}
    found, _ = check([(BODY, "one;"), (INIT, "begin;")], verdicts)
    assert [offer.candidate.title for offer in found.offers] == ["begin;, then one;"]


def test_reassociation_is_not_tried_under_exact() -> None:
    exact = contract(tolerance=Tolerance())
    found, asked = check([(BODY, "one;")], {"one;": accepted(9.0)}, terms=exact, assumes=("reassociation",))
    assert (found.offers, asked, found.rounds) == ((), [], 0)
    assert found.refused[0].status == "skipped"
    assert "set a tolerance under [check]" in found.refused[0].why
    # The tolerance grants it: then it is no assumption of the offer.
    found, _ = check([(BODY, "one;")], {"one;": accepted(9.0)}, assumes=("reassociation",))
    assert found.offers[0].assumes == ()


def test_an_overlap_that_is_ruled_out_is_no_assumption() -> None:
    verdicts = {"one;": accepted(2.0)}
    found, _ = check([(BODY, "one;")], verdicts, assumes=("no-overlap",))
    assert found.offers[0].assumes == ("no-overlap",)
    found, _ = check([(BODY, "one;")], verdicts, terms=contract(no_overlap=True), assumes=("no-overlap",))
    assert found.offers[0].assumes == ()


@dataclass(frozen=True)
class Points:
    """One transform on one loop with several choices of lanes."""

    lanes: tuple[int, ...]

    def propose(self, parsed: Parsed, kernel: Kernel) -> list[Candidate]:
        if BODY.encode() not in parsed.snapshot.data:
            return []
        made = [replacing(parsed, BODY, f"lanes{lanes};", f"lanes{lanes}") for lanes in self.lanes]
        return [
            replace(candidate, parameters=(("loop", "0"), ("lanes", str(lanes))))
            for candidate, lanes in zip(made, self.lanes, strict=True)
        ]


def points(verdicts: dict[str, Verdict], *lanes: int) -> list[str]:
    parsed, kernel = reading(SUM)
    bench = Bench(parsed, verdicts)
    optimize(Subject(parsed, kernel, contract(), "host"), [Points(lanes)], bench, rounds=30)
    return bench.asked


def test_parameters_are_explored_where_the_first_choice_helped() -> None:
    verdicts = {f"lanes{lanes};": accepted(speed) for lanes, speed in ((8, 2.0), (4, 3.0), (16, 4.0), (2, 1.1))}
    assert points(verdicts, 8, 4, 16, 2) == ["lanes8", "lanes4", "lanes16", "lanes2"]
    # Two choices in a row that gain nothing end it.
    assert points({"lanes8;": accepted(9.0)}, 8, 4, 16, 2, 32) == ["lanes8", "lanes4", "lanes16"]


def test_a_refuted_choice_ends_its_space_and_a_slow_one_gets_a_second() -> None:
    assert points({}, 8, 4, 16) == ["lanes8"]
    assert points({"lanes": SLOWER}, 8, 4, 16) == ["lanes8", "lanes4"]


def test_what_the_machine_was_too_busy_to_tell_is_asked_again_at_the_end() -> None:
    parsed, kernel = reading(SUM)
    unclear = failed(Status.INCONCLUSIVE, StageName.FASTER, "busy")
    answers = {"one;": [unclear, accepted(3.0)], "two;": [unclear, unclear]}
    found = optimize(
        Subject(parsed, kernel, contract(), "host"),
        [Replacing(((BODY, "one;"), (BODY, "two;")))],
        lambda candidate: answers[candidate.title].pop(0),
        rounds=30,
    )
    assert [offer.candidate.title for offer in found.offers] == ["one;"]
    assert [(refused.title, refused.status) for refused in found.refused] == [("two;", "inconclusive")]
    assert found.rounds == 4


def test_one_transform_on_one_loop_gives_one_offer() -> None:
    parsed, kernel = reading(SUM)
    bench = Bench(parsed, {f"lanes{lanes};": accepted(speed) for lanes, speed in ((8, 2.0), (4, 3.0), (16, 4.0))})
    found = optimize(Subject(parsed, kernel, contract(), "host"), [Points((8, 4, 16))], bench, rounds=30)
    assert [offer.candidate.title for offer in found.offers] == ["lanes16"]
    assert [refused.title for refused in found.refused] == ["lanes4", "lanes8"]
    assert found.offers[0].id in found.refused[0].why


def test_a_search_ends_at_the_bound() -> None:
    parsed, kernel = reading(SUM)
    bench = Bench(parsed, {"one;": accepted(4.0), "two;": accepted(9.0)})
    proposer = Replacing(((BODY, "one;"), (BODY, "two;")))
    found = optimize(Subject(parsed, kernel, contract(), "host"), [proposer], bench, rounds=30, goal_ns=250.0)
    assert (bench.asked, found.ended) == (["one;"], "the best is at its bound")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "a\n"),
        ("a\n", ""),
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\r\nb\r\nc", "a\r\nc\r\nd"),
        ("a\rb\rc", "x\ra\rc"),
        ("a\n" * 5, "a\n" * 3),
        ("same\n", "same\n"),
        ("é\nb\n", "é\nc\n"),
    ],
)
def test_edits_between_two_texts(before: str, after: str) -> None:
    edits = edits_between(before.encode(), after.encode())
    assert apply_edits(before.encode(), edits).decode() == after
    assert (before == after) == (not edits)


def test_one_rewrite_after_another_is_one_candidate() -> None:
    parsed, _ = reading(SUM)
    first = replacing(parsed, INIT, "float s = 0.0f;", "Write a float", assumes=("no-overlap",))
    middle = parsed.snapshot.apply(first.edits)
    second = replacing(replace(parsed, snapshot=middle), BODY, "s += 1;", "Add one", transform="add")
    both = combined(parsed.snapshot, first, middle, second)
    assert both.title == "Write a float, then add one"
    assert (both.transform, both.assumes) == ("unroll+add", ("no-overlap",))
    assert parsed.snapshot.apply(both.edits).data == middle.apply(second.edits).data
