"""Stories of a model at work: what it submits is verified, and what is right and faster is offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from service import calls, uses
from story import FOUR, SUM, Stage

pytestmark = pytest.mark.compiler


def test_it_solves_at_once(tmp_path: Path) -> None:
    told = Stage(tmp_path).told(
        uses(calls("submit", kernel=FOUR, hypothesis="four partial sums break the chain of additions")),
        uses(calls("stop", reason="memory is the bound now")),
    )
    (offer,) = told.offers
    assert offer.speedup.low > 1.5
    assert offer.candidate.title == "Four partial sums break the chain of additions"
    assert "accepted" in told.answers[0] and "is the best so far" in told.answers[0]
    assert told.ended == "the model stopped: memory is the bound now"
    assert told.found.rounds == 1 and len(told.costs) == 2
    # Nothing of the user's is written: an offer is applied by whoever accepts it.
    assert told.source.read_text() == SUM
