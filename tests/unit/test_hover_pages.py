"""What hovers say, from facts alone: pages of kernels, rules' texts, a contract's words, answers that are kept."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kernwright.jobs.model import KernelOptimised, KernelTimed
from kernwright.lsp.contract_hover import explained
from kernwright.lsp.contract_place import place_in
from kernwright.lsp.kept_answers import KeptAnswers
from kernwright.lsp.kernel_page import kernel_page
from kernwright.lsp.prose import Block, Code, Heading, Items, Link, Links, Rows, Words, markdown, plain
from kernwright.lsp.rule_page import cut, shortened
from kernwright.mirror.messages import Answer, Asked, ContractOf, DraftContract, Refused, RuleText
from kernwright.mirror.model import ContractState, KernelSummary, Place, Range
from kernwright.session.analysis import Analysis
from kernwright.session.document import lines_of
from kernwright.session.facts import KeptOffer, KernelFacts, Origin, PlacedKernel, Search, Timing

NOWHERE = Range(Place(0, 0), Place(0, 0))
BASELINE: dict[str, Any] = {
    "ns": 12_300.0, "low": 12_100.0, "high": 12_600.0, "sizes": {"n": 32_000}, "bound_ns": 5_000.0,
    "bound_by": "memory", "share_of_bound": 0.41, "device": "a machine", "compiler": "gcc 14",
    "flags": ["-O3", "-march=native"], "evidence": "measured", "problem": None,
}  # fmt: skip
OFFER: dict[str, Any] = {"id": "dot-1", "title": "Use 4 partial sums: 5.8× (5.6–6.0)", "assumes": []}


def kernel(contract: ContractState = "written", *, key: str = "k", touched: bool = False) -> PlacedKernel:
    summary = KernelSummary(
        "dot", "dot", "dot(int, const float*)", key, NOWHERE, NOWHERE, contract, None,
        (("n", "int"), ("x", "const float*")), (),
    )  # fmt: skip
    return PlacedKernel(summary, 0, 5, 0, touched)


def known(*, asks: tuple[str, ...] = (), problem: str = "", measured: bool = True) -> KernelFacts:
    timed = KernelTimed("k", "dot(int, const float*)", "12.3 µs", BASELINE if measured else {}, (), (), asks, problem)
    origin = Origin("k", (), 1000.0)
    refused = (("Unroll", "refuted", "differs"),)
    return KernelFacts(
        timing=Timing(origin, timed),
        search=Search(origin, KernelOptimised(timed, (OFFER,), refused, "nothing is left to try", 7)),
        offers=[KeptOffer(origin, OFFER)],
    )


def page(
    where: PlacedKernel, facts: KernelFacts, draft: DraftContract | None = None, problems: tuple[str, ...] = ()
) -> str:
    return plain(kernel_page(where, facts, "c", draft, problems, now=1180.0))


DRAFT = DraftContract('[args]\nn = "i32"\n', False, Place(0, 0), ("which sizes matter?",))


def test_figures_say_how_they_were_had_and_how_old_they_are() -> None:
    said = page(kernel(), known())
    assert "time per call: 12.3 µs (12.1 µs to 12.6 µs) at n = 32000; measured, 3 min old" in said
    assert "bound by memory: 5 µs; estimated from measured peaks" in said
    assert "share of the bound: 41%" in said
    assert "compiled by: gcc 14 -O3 -march=native" in said
    assert "machine: a machine" in said
    assert "source changed" not in said


@pytest.mark.parametrize("where", [kernel(key="other"), kernel(touched=True)])
def test_figures_of_an_earlier_text_say_so_and_its_offers_are_gone(where: PlacedKernel) -> None:
    said = page(where, known())
    assert "measured, 3 min old, source changed since" in said
    assert "partial sums" not in said


def test_offers_and_the_last_search() -> None:
    said = page(kernel(), known())
    assert "Verified rewrites\n\n- Use 4 partial sums: 5.8× (5.6–6.0)" in said
    assert "Last search: 7 rounds, nothing is left to try; 1 refused (3 min old)." in said
    rejected = replace(known(), rejected={"dot-1"})
    assert "partial sums" not in page(kernel(), rejected)


def test_without_figures() -> None:
    assert "Not measured yet." in page(kernel(), KernelFacts())
    assert "Not measured: it does not build (3 min old)." in page(
        kernel(), known(measured=False, problem="it does not build")
    )
    assert "the contract has to say more: what is m?" in page(kernel(), known(measured=False, asks=("what is m?",)))


def test_contracts() -> None:
    assert "written above the kernel" in page(kernel("written"), known(), replace(DRAFT, written=True))
    assert "[args]" not in page(kernel("written"), known(), replace(DRAFT, written=True))
    assert 'from kernwright.toml\n\n    [args]\n    n = "i32"' in page(kernel("file"), known(), DRAFT)
    inferred = page(kernel("none"), known(), DRAFT)
    assert "this one is inferred" in inferred and "- missing: which sizes matter?" in inferred
    assert "Contract: none" in page(kernel("none"), known())
    assert "inferred" not in page(kernel("none"), known())
    assert "- no size 'm'" in page(kernel("broken"), known(), None, ("no size 'm'",))


BLOCKS: list[Block] = [
    Heading("a_b"), Words("*x <b> [y](z) `q`"), Code("x = ```y```", "c"), Rows((("a|b", "1*2"),)), Items(("p_q",)),
    Links(((Link("line 3", "file:///a%20b.c#L3"), "the *other* access"),)),
]  # fmt: skip


def test_text_stands_for_itself_in_markdown() -> None:
    assert markdown(BLOCKS) == "\n\n".join(
        [
            r"**a\_b**",
            r"\*x \<b\> \[y\](z) \`q\`",
            "````c\nx = ```y```\n````",
            r"- a\|b: 1\*2",
            r"- p\_q",
            r"- [line 3](<file:///a%20b.c#L3>): the \*other\* access",
        ]
    )


def test_plain_text_has_no_marks() -> None:
    assert plain(BLOCKS) == "\n\n".join(
        ["a_b", "*x <b> [y](z) `q`", "    x = ```y```", "a|b: 1*2", "- p_q", "- line 3: the *other* access"]
    )


def test_rules_are_shown_without_what_only_the_program_reads() -> None:
    files = sorted((Path(__file__).parents[2] / "rules").glob("c*/*.md"))
    assert len(files) > 40
    for path in files:
        shown = shortened(path.read_text())
        assert "**What it does**" in shown and "**Why it is slow**" in shown, path
        assert "```" not in shown and "severity:" not in shown and "## " not in shown, path
        assert len(shown) <= 1810, path


def test_a_rule_without_sections_is_shown_from_its_beginning() -> None:
    assert shortened("---\nname: x\n---\n\n# Title\n\nSome words.\n") == "Some words."
    assert shortened("") == ""
    assert shortened("no front matter") == "no front matter"


def test_long_texts_are_cut_between_paragraphs() -> None:
    text = "\n\n".join(f"Paragraph {number} says something." for number in range(200))
    shown = cut(text)
    assert len(shown) < 1900 and shown.endswith("says something.\n\n…")
    assert len(cut("x" * 5000)) < 1900


# Each: a contract with a ``|`` on a word, that word, and words of its meaning.
EXPLAINED = {
    "table": ("[ch|eck]", "check", "what counts as equal"),
    "key": ("[check]\nno_over|lap = true", "no_overlap", "never pass overlapping"),
    "dotted key": ('[check]\ntoler|ance.y = "exact"', "tolerance", "bit for bit"),
    "parameter of a dotted key": ('[check]\ntolerance.|y = "exact"', "y", "results in y"),
    "size": ("[check]\n|n = [1]", "n", "values of n"),
    "size to time at": ("[time]\nn| = 1", "n", "value of n to time at"),
    "parameter": ('[args]\nx| = "in f32[n]"', "x", "entry of the parameter x"),
    "returned value": ('[args]\nreturn| = "f32"', "return", "What the kernel returns"),
    "role": ('[args]\nx = "i|n f32[n] in 0..1"', "in", "only read"),
    "values": ('[args]\nx = "in f32[n] i|n 0..1"', "in", "both ends included"),
    "dtype": ('[args]\nx = "in bf1|6[n]"', "bf16", "brain float"),
    "dtype of a scalar": ('[args]\nn = "|i32"', "i32", "signed integer of 32"),
    "word": ('[args]\nx = "in f32[n] alig|ned(64)"', "aligned", "multiple of so many bytes"),
    "global": ('[check.globals]\nt = "scr|atch f32[4]"', "scratch", "array to work in"),
    "global in braces": ('[check]\nglobals = {t| = "in f32[4]"}', "t", "file-scope array t"),
    "limit": ("[check]\ntolerance = {rel = 1e-6, ab|s = 1e-9}", "abs", "With rel"),
    "exact": ('[check]\ntolerance = "exa|ct"', "exact", "any NaN equals any NaN"),
    "cold": ('[time]\ncache = "c|old"', "cold", "thrown out of the caches"),
}


def explained_at(toml: str) -> tuple[str, str] | None:
    before, mark, after = f"/* kernwright\n{toml}\n*/".partition("|")
    assert mark
    above = lines_of(before)
    place = place_in(lines_of(before + after), len(above) - 1, len(above[-1]))
    assert place is not None
    found = explained(place)
    if found is None:
        return None
    assert lines_of(before + after)[len(above) - 1][found.start : found.end] == found.word
    return found.word, found.meaning.meaning


@pytest.mark.parametrize("name", EXPLAINED)
def test_words_are_explained(name: str) -> None:
    toml, word, meaning = EXPLAINED[name]
    found = explained_at(toml)
    assert found is not None
    assert found[0] == word and meaning in found[1]


@pytest.mark.parametrize(
    "toml",
    [
        "[chek|s]", '[args]\nx = "in f32[n|]"', "[work]\nx| = 1", "n| = 1", '[args]\nx = "in f32[n]" # in|',
        "[check]\nn = [1, 2|]", "|", '[check]\nwhere = "min|(n, 2) > 0"', "[check]\ntolerance = {rel = 1e|-6}",
    ],
)  # fmt: skip
def test_nothing_is_said_of_other_words(toml: str) -> None:
    assert explained_at(toml) is None


class Worker:
    """A worker that answers when it is told to."""

    pid = 1
    stopped = False

    def __init__(self, heard: Callable[[object], None]) -> None:
        self.heard = heard
        self.asked: list[Asked] = []

    def send(self, message: object) -> None:
        assert isinstance(message, Asked)
        self.asked.append(message)

    def answer(self, value: object) -> None:
        self.heard(Answer(self.asked[-1].number, value))

    def kill(self) -> None:
        pass


def with_worker(check: Callable[[Worker, KeptAnswers], Any]) -> None:
    async def run() -> None:
        workers: list[Worker] = []

        def start(heard: Callable[[object], None], gone: Callable[[], None]) -> Worker:
            workers.append(Worker(heard))
            return workers[-1]

        analysis = Analysis(start, lambda: [], lambda message: None, lambda line: None)
        analysis.begin()
        await check(workers[0], KeptAnswers(analysis))

    asyncio.run(run())


RULE = RuleText(Path("/w"), "r")


def test_an_answer_is_asked_for_once() -> None:
    async def check(worker: Worker, answers: KeptAnswers) -> None:
        asyncio.get_running_loop().call_soon(lambda: worker.answer("text"))
        assert await answers.answer("r", RULE, 5) == "text"
        assert await answers.answer("r", RULE, 5) == "text"
        assert len(worker.asked) == 1

    with_worker(check)


def test_an_answer_that_comes_late_is_kept_for_the_next() -> None:
    async def check(worker: Worker, answers: KeptAnswers) -> None:
        assert await answers.answer("r", RULE, 0.001) is None
        assert await answers.answer("r", RULE, 0.001) is None
        worker.answer("text")
        assert await answers.answer("r", RULE, 0.001) == "text"
        assert len(worker.asked) == 1

    with_worker(check)


def test_who_asks_may_be_cancelled_the_question_is_not() -> None:
    async def check(worker: Worker, answers: KeptAnswers) -> None:
        task = asyncio.ensure_future(answers.answer("r", RULE, 5))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        worker.answer("text")
        assert await answers.answer("r", RULE, 0.001) == "text"

    with_worker(check)


def test_refusals_and_forgotten_answers_are_asked_for_anew() -> None:
    async def check(worker: Worker, answers: KeptAnswers) -> None:
        asyncio.get_running_loop().call_soon(lambda: worker.answer(Refused("gone")))
        assert isinstance(await answers.answer("c", ContractOf("u", "s"), 5), Refused)
        assert await answers.answer("c", ContractOf("u", "s"), 0.001) is None
        answers.forget()
        # What was asked before the folder was read again may be wrong by now.
        worker.answer("old")
        assert await answers.answer("c", ContractOf("u", "s"), 0.001) is None
        worker.answer("new")
        assert await answers.answer("c", ContractOf("u", "s"), 0.001) == "new"

    with_worker(check)
