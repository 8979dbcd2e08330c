"""The kernels of a text as a mirror of it would tell them: how other processes name kernels by the same keys."""

from __future__ import annotations

from kernwright.mirror.analyse import Analyser
from kernwright.mirror.document import MirroredDocument
from kernwright.mirror.model import KernelSummary
from kernwright.syntax import Parsed


def kernel_summaries(parsed: Parsed) -> tuple[KernelSummary, ...]:
    """Every kernel with its key. No rule is asked."""
    snapshot = parsed.snapshot
    document = MirroredDocument(snapshot.path, snapshot.data, preferred=parsed.language)
    analysed = Analyser(()).analyse(document)
    assert analysed is not None, "nobody interrupts this analysis"
    return analysed.kernels
