"""A story: a kernel, a script of what the model says, and what came of it, with everything else real."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from service import Service, Step, serving

from kernwright.engine import Engine
from kernwright.memory.model import Event, EventKind
from kernwright.offer import Offer
from kernwright.optimize import Found
from kernwright.settings import load_settings
from kernwright.tasks.baseline import baseline_of
from kernwright.tasks.bench import original_of
from kernwright.tasks.choose import choose
from kernwright.tasks.model import ModelUse, Suggestion

KEY = "sk-test-0123456789abcdef0123"
MODEL = "claude-sonnet-5-5"

SUM = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
[check]
n = [0, 1, 7, 64, 1000]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 20000
*/
float total(int n, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}
"""
FOUR = """\
float total(int n, const float *x)
{
    float a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i];
        b += x[i + 1];
        c += x[i + 2];
        d += x[i + 3];
    }
    for (; i < n; i++)
        a += x[i];
    return (a + b) + (c + d);
}
"""
NO_TAIL = FOUR.replace("    for (; i < n; i++)\n        a += x[i];\n", "")
"""Fast, and wrong wherever n is no multiple of four."""
SIXTEEN = """\
float total(int n, const float *x)
{
    float a[16] = {0};
    int i = 0;
    for (; i + 15 < n; i += 16)
        for (int k = 0; k < 16; k++)
            a[k] += x[i + k];
    float s = 0;
    for (int k = 0; k < 16; k++)
        s += a[k];
    for (; i < n; i++)
        s += x[i];
    return s;
}
"""
BROKEN = FOUR.replace("float a = 0, b = 0, c = 0, d = 0;", "float a = 0, b = 0, c = 0;")


@dataclass
class Told:
    """What came of a story."""

    service: Service
    found: Found
    suggestion: Suggestion | None
    lines: list[str]
    events: list[Event]
    source: Path

    @property
    def offers(self) -> list[Offer]:
        return [offer for offer in self.found.offers if offer.candidate.source == "model"]

    @property
    def costs(self) -> list[Event]:
        return [event for event in self.events if event.kind is EventKind.COST and event.data["tokens_out"]]

    @property
    def answers(self) -> list[str]:
        return self.service.answers()

    @property
    def ended(self) -> str:
        assert self.suggestion is not None
        return self.suggestion.ended


@cache
def _shared() -> Path:
    """What all stories share: a cache, and the folder of their sources, so that a version which several of them submit
    is verified once."""
    folder = Path(tempfile.mkdtemp(prefix="kernwright-test-stories-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "work").mkdir()
    return folder


@dataclass
class Stage:
    """Where stories are told: an engine over a file, with memory of its own in ``folder``."""

    folder: Path
    source: str = SUM
    model: Mapping[str, Any] = field(default_factory=dict[str, Any])
    lines: list[str] = field(default_factory=list[str])
    own_workspace: bool = False
    """Whether the file lies in ``folder``, beside rules and settings of the story."""

    @property
    def workspace(self) -> Path:
        return self.folder if self.own_workspace else _shared() / "work"

    @property
    def path(self) -> Path:
        return self.workspace / f"kernel_{hashlib.sha256(self.source.encode()).hexdigest()[:8]}.c"

    def engine(self, address: str) -> Engine:
        self.path.write_text(self.source)
        model = {"name": MODEL, "base_url": address, "most_wait": 5.0, **self.model}
        loaded = load_settings(
            self.workspace,
            environment={"PATH": "/usr/local/bin:/usr/bin:/bin"},
            flags={
                "cache": _shared() / "cache",
                "data": self.folder / "data",
                "check_seconds": 3.0,
                "model": model,
                "default_flags": ("-O3",),
                "bound_margin": 0.0,
            },
        )
        return Engine(loaded, self.lines.append)

    def told(
        self,
        *steps: Step,
        rounds: int = 6,
        before: Callable[[Engine], None] = lambda engine: None,
        found: Found | None = None,
        meanwhile: Callable[[Service], None] | None = None,
    ) -> Told:
        """Play a script on the kernel of the file, and do something else beside that."""
        with serving(*steps) as service:
            engine = self.engine(service.address)
            before(engine)
            chosen = choose(engine, self.path, None)[0]
            original = original_of(engine, chosen)
            assert original is not None, chosen
            baseline = baseline_of(engine, original)
            assert not baseline.problem, baseline.problem
            use = ModelUse(engine, KEY, self.lines.append)
            start = found or Found((), (), 0)
            if meanwhile is not None:
                threading.Thread(target=meanwhile, args=(service,), daemon=True).start()
            # The folder makes the key of this story its own: nothing is kept of another one.
            result, suggestion = use.improve(
                chosen, original, baseline, start, str(self.folder), rounds, lambda step: None
            )
            return Told(service, result, suggestion, self.lines, engine.memory.all_events(), self.path)
