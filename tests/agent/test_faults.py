"""What goes wrong with a service or a model: bounded tries, one clear line, and the best so far kept."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from service import Fails, Html, Says, Service, Step, calls, uses, writes
from story import FOUR, KEY, SIXTEEN, SUM, Stage, Told

from kernwright.agent.desk import Desk, Result
from kernwright.agent.tools.registry import BY_NAME
from kernwright.memory.model import EventKind

pytestmark = pytest.mark.compiler

SOLVES = uses(calls("submit", kernel=FOUR, hypothesis="four partial sums"))
STOP = uses(calls("stop", reason="done"))
SOON = (("retry-after", "0.05"),)


@dataclass(frozen=True)
class Case:
    """A fault after a first offer. ``ended`` is a part of the line that says why the work ended; ``requests`` are all
    calls that were made."""

    steps: tuple[Step, ...]
    ended: str
    requests: int
    model: tuple[tuple[str, object], ...] = ()
    said: str = ""
    """A part of a line on the way."""


RETRIES = (("retries", 2),)
CASES = {
    "429 that passes": Case((Fails(429, "rate_limit_error", SOON), STOP), "stopped: done", 3, said="in 0.1 s"),
    "529 that passes": Case((Fails(529, "overloaded_error", SOON), STOP), "stopped: done", 3, said="overloaded"),
    "500 that passes": Case((Fails(500, "api_error", SOON), STOP), "stopped: done", 3, said="error of its own"),
    "429 that stays": Case((Fails(429, "rate_limit_error", SOON),), "tried 3 times", 4, RETRIES),
    "429 for an hour": Case((Fails(429, "rate_limit_error", (("retry-after", "3600"),)),), "to wait 3600 s", 2),
    "a refused key": Case((Fails(401, "authentication_error"),), "set ANTHROPIC_API_KEY", 2),
    "an unknown model": Case((Fails(404, "not_found_error"),), "see model.name", 2),
    "a bad request": Case((Fails(400, "invalid_request_error"),), "refused the call (400", 2),
    "a page": Case((Html(),), "does not answer as the Messages API does but text/html", 2),
    "a page of a proxy": Case((Html(403),), "does not answer as the Messages API does", 2),
    "no answer in time": Case(
        (replace(STOP, pause=3.0),),
        "no whole answer in 0.5 s; tried 1 times",
        2,
        (("answer_seconds", 0.5), ("retries", 0)),
    ),
    "an error's answer that comes late": Case(
        (Fails(500, delay=3.0),), "no whole answer in 0.5 s", 2, (("answer_seconds", 0.5), ("retries", 0))
    ),
    "a refusal": Case(
        (Says((), "refusal", details={"type": "refusal", "category": "cyber", "explanation": "not this one"}),),
        "the model declined: not this one",
        2,
    ),
    "words alone": Case((Says((writes("It is fine as it is."),)),), "the model calls no tool", 4),
    "nothing at all": Case((Says(()),), "the model calls no tool", 4),
    "a loop of one call": Case((lambda body: uses(calls("read_kernel")),), "the model repeats itself", 8),
    "calls that never fit": Case((lambda body: uses(calls("submit", text="x")),), "no call that could be served", 7),
    "cut off again and again": Case(
        (lambda body: Says((calls("submit", kernel="float t"),), "max_tokens"),), "raise model.max_tokens", 4
    ),
    "too long a conversation": Case(
        (Says((writes("…"),), "model_context_window_exceeded"),), "longer than the model can read", 2
    ),
}
BROKEN = {
    "a stream that breaks and then does not": Case((replace(STOP, broken_after=3), STOP), "stopped: done", 3),
    "a stream that always breaks": Case(
        (replace(STOP, broken_after=3),), "broke off its answer in the middle", 4, RETRIES
    ),
    "a stream that breaks at once": Case((replace(STOP, broken_after=0),), "broke off", 4, RETRIES),
}


def check(case: Case, folder: Path, *, stream: bool) -> Told:
    stage = Stage(folder, model={**dict(case.model), "stream": stream})
    told = stage.told(SOLVES, *case.steps)
    assert case.ended in told.ended, told.ended
    assert "\n" not in told.ended and KEY not in told.ended
    assert len(told.service.requests) == case.requests
    assert any(case.said in line for line in told.lines)
    # Whatever happened, what was found before it is kept.
    assert [offer.candidate.title for offer in told.offers] == ["Four partial sums"]
    return told


@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("name", CASES)
def test_a_fault(name: str, stream: bool, tmp_path: Path, no_waiting: None) -> None:
    check(CASES[name], tmp_path, stream=stream)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_stream(name: str, tmp_path: Path, no_waiting: None) -> None:
    told = check(BROKEN[name], tmp_path, stream=True)
    # What a broken stream has cost is paid for, as far as the service told.
    broken = [event for event in told.events if event.kind is EventKind.COST and event.data["tokens_in"]]
    assert len(broken) >= len(told.service.requests) - (3 if "at once" in name else 0)


def test_a_proxy_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:9")
    told = Stage(tmp_path, model={"retries": 0}).told(STOP)
    assert told.service.requests == [] and told.service.address in told.ended and "cannot be" in told.ended


def test_retry_after_is_waited_for(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(Fails(429, "rate_limit_error", (("retry-after", "1"),)), STOP)
    first, second = told.service.times
    assert 1.0 <= second - first < 3.0


def test_a_call_that_was_cut_off_is_not_made(tmp_path: Path) -> None:
    cut = Says((calls("submit", kernel=FOUR, hypothesis="four partial sums"),), "max_tokens", cut_json=True)
    told = Stage(tmp_path).told(cut, SOLVES, STOP)
    assert "was cut off at 16000 tokens and not made" in told.answers[0]
    assert told.found.rounds == 1 and len(told.offers) == 1


def test_every_call_of_an_answer_is_answered_once(tmp_path: Path) -> None:
    """Unknown tools and inputs that do not fit are answered beside calls that can be served."""
    several = uses(
        writes("first some reading"),
        calls("read_kernal"),
        calls("read_kernel", file="/etc/passwd"),
        calls("inspect", line=0, expression=""),
        calls("read_kernel"),
    )
    told = Stage(tmp_path).told(several, STOP)
    unknown, misfit, second, served = told.answers
    assert "no tool 'read_kernal'; do you mean 'read_kernel'?" in unknown
    assert "file: Extra inputs are not permitted" in misfit and "/etc/passwd" not in misfit
    assert "line: Input should be greater than or equal to 1" in second
    assert "float total" in served
    asked = [
        block["id"] for block in told.service.requests[-1]["messages"][1]["content"] if block["type"] == "tool_use"
    ]
    replied = told.service.requests[-1]["messages"][2]["content"]
    assert [block["tool_use_id"] for block in replied] == asked
    assert [block.get("is_error", False) for block in replied] == [True, True, True, False]


def test_a_tool_that_fails_costs_its_call_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(desk: Desk, wanted: object) -> Result:
        raise OSError("the disk is full")

    monkeypatch.setitem(BY_NAME, "read_kernel", replace(BY_NAME["read_kernel"], run=fails))
    told = Stage(tmp_path).told(uses(calls("read_kernel"), calls("nothing")), SOLVES, STOP)
    assert told.answers[0] == "the tool failed; do without it"
    assert "the tool 'read_kernel' failed: OSError: the disk is full" in told.lines
    assert len(told.offers) == 1


def test_an_answer_with_too_many_calls(tmp_path: Path) -> None:
    many = [calls("diagnose", cause=f"the chain of additions, said for the {number}th time") for number in range(20)]
    told = Stage(tmp_path).told(uses(*many), STOP)
    assert told.answers[:16] == ["noted"] * 16
    assert told.answers[16:] == ["only 16 calls of one answer are served"] * 4


def test_thinking_goes_back_as_it_came(tmp_path: Path) -> None:
    thought = {"type": "thinking", "thinking": "The sum is a chain.", "signature": "c2lnbmVk"}
    for stream in (True, False):
        told = Stage(tmp_path / str(stream), model={"stream": stream}).told(uses(thought, calls("read_kernel")), STOP)
        assert told.service.requests[-1]["messages"][1]["content"][0] == thought


@pytest.mark.parametrize("where", ["the answer", "the wait", "the verification"])
def test_cancelling(where: str, tmp_path: Path) -> None:
    """An interrupt ends everything within a second, keeps what was found, and no further call is made."""
    waiting: dict[str, Step] = {
        "the answer": replace(STOP, pause=20.0),
        "the wait": Fails(529, "overloaded_error", (("retry-after", "4"),)),
        "the verification": uses(calls("submit", kernel=SIXTEEN + f"// {tmp_path.name}", hypothesis="sixteen")),
    }
    sent: list[float] = []

    def interrupt(service: Service) -> None:
        while len(service.requests) < 2:
            time.sleep(0.02)
        time.sleep(0.4)
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    stage = Stage(tmp_path, source=SUM if where != "the verification" else SUM.replace("20000", "20480"))
    told = stage.told(SOLVES, waiting[where], STOP, meanwhile=interrupt)
    # What native code leaves behind is ended as well, which takes its time where a machine has much else to do.
    assert time.monotonic() - sent[0] < (3.0 if where == "the verification" else 1.0)
    assert told.found.interrupted and told.ended == "interrupted"
    assert len(told.service.requests) == 2
    assert len(told.offers) == 1
