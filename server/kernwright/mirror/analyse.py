"""``Analyser``: everything that can be said of open documents without a compiler, computed again only where an edit
may have changed it.

``analyse`` says of a text exactly what a fresh analysis of the same text says. A kernel's results are kept under
everything that they depend on, with places that count from the kernel, so that they outlive edits elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.known import Known
from kernwright.mirror.model import Analysed, KernelSummary
from kernwright.mirror.outlook import Outlook
from kernwright.mirror.reanalysis import Question, Reanalysis
from kernwright.nesting import bounded_depth, bracket_problem
from kernwright.rules.model import Rule
from kernwright.targets.model import BuildCommand, Remark
from kernwright.text import MAX_SOURCE_BYTES, UnreadableSource
from kernwright.workspace_toml import WorkspaceFile


def never() -> bool:
    return False


class Analyser:
    """One for the documents of one folder of the workspace. ``rules`` are all that are on; who reads rules anew makes
    a new analyser."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        self.rules = tuple(rules)
        self.known = Known()
        self._outlooks: WeakKeyDictionary[MirroredDocument, Outlook] = WeakKeyDictionary()

    def analyse(
        self,
        document: MirroredDocument,
        workspace: WorkspaceFile | None = None,
        remarks: Mapping[str, Sequence[Remark]] | None = None,
        *,
        rules: Sequence[Rule] | None = None,
        build: BuildCommand | None = None,
        is_obsolete: Callable[[], bool] = never,
        hand_out: Callable[[Analysed], None] | None = None,
    ) -> Analysed | None:
        """What is known of the document's text, or None when ``is_obsolete`` said so between two kernels; what was
        computed until then is kept.

        ``remarks`` are those of a compiler by the key of a kernel, as ``remarks_by_key`` gives them. ``rules`` are
        those of the analyser's that are on for this file, where that is not all of them. ``build`` is the command that
        builds the file, where it is known. ``hand_out`` is given unfinished answers while a long analysis goes on.
        """
        problem = _size_problem(document) or bracket_problem(document.snapshot)
        if problem is not None:
            return _refused(document, problem)
        question = Question(self.rules if rules is None else tuple(rules), workspace, remarks or {}, build)
        outlook = self._outlooks.setdefault(document, Outlook())
        try:
            with bounded_depth(document.path):
                answer = Reanalysis(document, outlook, self.known, question).run(is_obsolete, hand_out)
        except UnreadableSource as error:
            return _refused(document, str(error))
        return _refused(document, answer) if isinstance(answer, str) else answer

    def forget(self, document: MirroredDocument) -> None:
        """The document was closed: what only it had use for is dropped."""
        outlook = self._outlooks.pop(document, None)
        if outlook is not None:
            self.known.close(outlook.used)


def remarks_by_key(kernels: Iterable[KernelSummary], remarks: Iterable[Remark]) -> dict[str, tuple[Remark, ...]]:
    """The remarks on the lines of each kernel, by its key. Their lines count from 0 at the first line of the kernel's
    ``range``."""
    every = tuple(remarks)
    found: dict[str, tuple[Remark, ...]] = {}
    for kernel in kernels:
        first, last = kernel.range.start.line, kernel.range.end.line
        found[kernel.key] = tuple(
            replace(remark, line=remark.line - 1 - first) for remark in every if first <= remark.line - 1 <= last
        )
    return found


def _refused(document: MirroredDocument, problem: str) -> Analysed:
    return Analysed(document.version, document.content_hash, document.language.value, problem=problem)


def _size_problem(document: MirroredDocument) -> str | None:
    if len(document.data) <= MAX_SOURCE_BYTES:
        return None
    return (
        f"{document.path}: {len(document.data):,} bytes is over the limit of {MAX_SOURCE_BYTES:,}; "
        "split the file, or move the kernel to a file of its own"
    )
