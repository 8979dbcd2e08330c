"""What a model would be sent of the kernels of a file, without sending it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernwright.engine import Engine
from kernwright.optimize import Found
from kernwright.tasks.baseline import baseline_of
from kernwright.tasks.bench import obstacle, original_of
from kernwright.tasks.choose import Chosen, choose
from kernwright.tasks.kept_search import kept_search, search_key
from kernwright.tasks.model import ANTHROPIC, ModelUse


@dataclass(frozen=True)
class Prompt:
    """The body of the first call for one kernel; None with ``why`` where there would be none."""

    kernel: str
    address: str
    request: dict[str, Any] | None
    why: str = ""


def prompts(engine: Engine, path: Path, name: str | None, rounds: int) -> Sequence[Prompt]:
    """The first call of each kernel of a file, or of the named one: as it would be sent now, with what a search that
    was made before has found. Only the original is run, to know what it takes."""
    return [_prompt(engine, chosen, rounds) for chosen in choose(engine, path, name)]


def _prompt(engine: Engine, chosen: Chosen, rounds: int) -> Prompt:
    address = f"{engine.settings.model.base_url or ANTHROPIC}/v1/messages"
    original = original_of(engine, chosen)
    if original is None:
        return Prompt(chosen.kernel.qualified, address, None, " ".join(chosen.asks) or obstacle(chosen))
    baseline = baseline_of(engine, original)
    if baseline.problem:
        return Prompt(chosen.kernel.qualified, address, None, baseline.problem)
    key = search_key(engine, chosen, original.subject, rounds)
    found = kept_search(engine, key, chosen) or Found((), (), 0)
    agent = ModelUse(engine, "").agent(chosen, original, baseline, found, rounds)
    return Prompt(chosen.kernel.qualified, address, agent.shown())
