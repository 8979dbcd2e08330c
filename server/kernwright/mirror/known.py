"""What was computed of kernels, by everything that it depends on, for as long as an open document has use for it."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass

from kernwright.contract import Contract
from kernwright.mirror.model import ContractState, FoundFinding

_KEPT_UNUSED = 128
"""So many results that no open document uses are kept at least: an edit that is taken back finds them again. As many
as were in use at once are kept too: what is half-typed may hide half of a text, and its end shows it again."""


@dataclass(frozen=True)
class ContractResult:
    """What stands about a kernel. ``findings`` are its problems, counted from the kernel's region."""

    state: ContractState
    contract: Contract | None
    findings: tuple[FoundFinding, ...]


@dataclass(frozen=True)
class KernelResult:
    """The findings of a kernel, counted from its region. ``problem`` is why it cannot be analysed."""

    findings: tuple[FoundFinding, ...]
    problem: str | None = None


NO_CONTRACT = ContractResult("none", None, ())
Result = ContractResult | KernelResult


class Known:
    """Results by key. Each document tells which keys it uses; those that none uses are dropped, oldest first."""

    def __init__(self) -> None:
        self._results: dict[str, Result] = {}
        self._uses: Counter[str] = Counter()
        self._unused: OrderedDict[str, None] = OrderedDict()
        self._most_used = 0

    def __len__(self) -> int:
        return len(self._results)

    def get(self, key: str) -> Result | None:
        return self._results.get(key)

    def put(self, key: str, result: Result) -> None:
        """Keep a result. Nothing is dropped for it: a document tells what it uses when all of it is there."""
        self._results[key] = result
        if not self._uses[key]:
            self._unused[key] = None

    def change(self, no_longer: Iterable[str], now: Iterable[str]) -> None:
        """A document stopped using some keys and began to use others."""
        for key in now:
            self._uses[key] += 1
            self._unused.pop(key, None)
        for key in no_longer:
            self._uses[key] -= 1
            if self._uses[key] <= 0:
                del self._uses[key]
                if key in self._results:
                    self._unused[key] = None
        self._most_used = max(self._most_used, len(self._uses))
        self._drop()

    def close(self, no_longer: Iterable[str]) -> None:
        """A document is gone: what it used is not hidden but over."""
        self._most_used = 0
        self.change(no_longer, ())

    def _drop(self) -> None:
        while len(self._unused) > max(_KEPT_UNUSED, self._most_used):
            key, _ = self._unused.popitem(last=False)
            del self._results[key]
