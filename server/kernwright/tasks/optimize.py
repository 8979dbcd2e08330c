"""Optimise the kernels of a file: baseline, search, offers kept in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kernwright import __version__
from kernwright.engine import Engine
from kernwright.fingerprint import fingerprint
from kernwright.kernel import Kernel
from kernwright.memory.model import Event, EventKind
from kernwright.memory.utility import OPTIMISE, SEARCH, optimise_reward
from kernwright.offer import Offer
from kernwright.optimize import Found, Step
from kernwright.tasks.baseline import Baseline, baseline_of
from kernwright.tasks.bench import obstacle, original_of
from kernwright.tasks.choose import Chosen, choose
from kernwright.tasks.kept_search import keep_search, kept_search, search_key
from kernwright.tasks.offered import offer_made

if TYPE_CHECKING:
    from kernwright.tasks.model import ModelUse, Suggestion


@dataclass(frozen=True)
class Optimised:
    """What became of one kernel. ``baseline`` is None when the kernel could not be run; ``why`` says why there was
    no search, where there was none."""

    chosen: Chosen
    baseline: Baseline | None
    found: Found
    why: str = ""
    suggestion: Suggestion | None = None
    """What a model's part in it came to, where one took part."""

    @property
    def offers(self) -> tuple[Offer, ...]:
        return self.found.offers


Watch = Callable[[Kernel, Step], None]


def optimise_file(
    engine: Engine, path: Path, name: str | None, rounds: int, watch: Watch, model: ModelUse | None = None
) -> list[Optimised]:
    """Search for each kernel of a file, or the named one. An interrupt ends the search and keeps what was found."""
    results: list[Optimised] = []
    for chosen in choose(engine, path, name):
        result = optimise_kernel(engine, chosen, rounds, lambda step, kernel=chosen.kernel: watch(kernel, step), model)
        results.append(result)
        if result.found.interrupted:
            break
    return results


def optimise_kernel(
    engine: Engine, chosen: Chosen, rounds: int, watch: Callable[[Step], None], model: ModelUse | None = None
) -> Optimised:
    nothing = Found((), (), 0)
    original = original_of(engine, chosen)
    if original is None:
        return Optimised(chosen, None, nothing, "" if chosen.asks else obstacle(chosen))
    baseline = baseline_of(engine, original)
    if baseline.problem:
        return Optimised(chosen, baseline, nothing, baseline.problem)
    if baseline.near_bound(engine.settings.bound_margin):
        return Optimised(chosen, baseline, nothing, f"it is at its bound already: {baseline.words}")
    key = search_key(engine, chosen, original.subject, rounds)
    found = kept_search(engine, key, chosen)
    if found is None:
        # Only a search needs rules, transforms and what runs: with an answer at hand nothing of that is loaded.
        from kernwright.tasks.search import search

        found = search(engine, chosen, original, baseline, rounds, watch)
        keep_search(engine, key, found)
        _remember_search(engine, chosen, found)
    suggestion: Suggestion | None = None
    if model is not None and not found.interrupted:
        found, suggestion = model.improve(chosen, original, baseline, found, key, rounds, watch)
    _remember_offers(engine, chosen, found)
    return Optimised(chosen, baseline, found, suggestion=suggestion)


def _remember_offers(engine: Engine, chosen: Chosen, found: Found) -> None:
    """Offers are kept so that they can be accepted later. A log that cannot be written costs that, and no more."""
    engine.remember([offer_made(offer, chosen.parsed.snapshot) for offer in found.offers])


def _remember_search(engine: Engine, chosen: Chosen, found: Found) -> None:
    """What a search was good for: the best of what it tried earns its speed-up, the rest a little less than nothing.
    One that was only looked up taught nobody anything."""
    best = found.offers[0] if found.offers else None
    if not found.rounds:
        return
    reward = optimise_reward(best.speedup.original_ns, best.speedup.candidate_ns) if best else 0.0
    event = Event(
        EventKind.STAGE,
        kernel=fingerprint(chosen.parsed, chosen.kernel),
        target=engine.settings.target,
        data={
            "phase": OPTIMISE,
            "by": SEARCH,
            "retrieved": list(found.experiences),
            "adopted": list(dict.fromkeys((best.experience, *best.candidate.uses))) if best else [],
            "succeeded": best is not None,
            "reward": reward,
        },
        versions=__version__,
    )
    engine.remember([event])
