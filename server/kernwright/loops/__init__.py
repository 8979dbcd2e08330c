"""What the loops of a kernel do: bounds, subscripts, reductions, dependences.

``analyse(parsed, kernel)`` gives a ``Nest``. Everything here is pure, tolerates broken source (what cannot be read
is None or absent, never guessed), and is advice: it says what to propose and what to report, while whether a
rewrite is right is decided by verification alone.
"""

from kernwright.loops.analyse import analyse
from kernwright.loops.model import Access, Dependence, DependenceKind, Loop, Nest, Reduction, Statement
from kernwright.loops.poly import Poly

__all__ = ["Access", "Dependence", "DependenceKind", "Loop", "Nest", "Poly", "Reduction", "Statement", "analyse"]
