"""The versions of a kernel that a model has written, by short names, so that a text is sent once and told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kernwright.agent.regions import Draft, OutOfBounds, rewritten
from kernwright.combine import resulting_kernel
from kernwright.kernel import Kernel
from kernwright.propose.candidate import Candidate
from kernwright.syntax import Parsed
from kernwright.text import Edit

ORIGINAL = "original"
BEST_OF_SEARCH = "search"
"""The name of the best version that was found before the model was asked."""


@dataclass(frozen=True)
class Version:
    """One text of the whole file with the kernel in it. ``edits`` turn the original into it."""

    name: str
    parsed: Parsed
    kernel: Kernel
    edits: tuple[Edit, ...] = ()

    @property
    def text(self) -> str:
        return self.parsed.snapshot.text_of(self.kernel.span)

    @property
    def numbered(self) -> str:
        """The kernel's lines with their numbers in the file."""
        lines = self.parsed.snapshot.lines
        first = lines.line_of(self.kernel.span.start)
        last = lines.line_of(self.kernel.span.end)
        return "\n".join(
            f"{number + 1:5} {self.parsed.snapshot.text_of(lines.line_span(number))}"
            for number in range(first, last + 1)
        )

    @property
    def first_line(self) -> int:
        return self.parsed.snapshot.lines.line_of(self.kernel.span.start) + 1

    @property
    def last_line(self) -> int:
        return self.parsed.snapshot.lines.line_of(self.kernel.span.end) + 1


@dataclass
class Versions:
    """All versions of one conversation, the original first."""

    original: Version
    _by_text: dict[bytes, Version] = field(default_factory=dict[bytes, Version])

    @classmethod
    def of(cls, parsed: Parsed, kernel: Kernel) -> Versions:
        original = Version(ORIGINAL, parsed, kernel)
        return cls(original, {parsed.snapshot.data: original})

    def __iter__(self) -> Iterator[Version]:
        return iter(self._by_text.values())

    def named(self, name: str) -> Version | None:
        return next((version for version in self if version.name == name), None)

    def written(self, draft: Draft) -> Version | OutOfBounds:
        """The version of a draft; the one there is, where the text is known."""
        result = rewritten(self.original.parsed, self.original.kernel, draft)
        if isinstance(result, OutOfBounds):
            return result
        data = result.parsed.snapshot.data
        known = self._by_text.get(data)
        if known is None:
            number = sum(version.name.startswith("v") for version in self) + 1
            known = self._by_text[data] = Version(f"v{number}", result.parsed, result.kernel, result.edits)
        return known

    def add_best(self, candidate: Candidate) -> Version | None:
        """The best rewrite that is known already, as a version."""
        original = self.original
        parsed, kernel = resulting_kernel(original.parsed, original.kernel, candidate)
        if kernel is None:
            return None
        version = Version(BEST_OF_SEARCH, parsed, kernel, candidate.edits)
        return self._by_text.setdefault(parsed.snapshot.data, version)
