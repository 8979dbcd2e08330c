"""Inference: the contract that a kernel's own source implies, and what only a person can say.

``infer`` interprets the kernel at many small sizes (``interpret``), finds the formulas that give how far each array is
reached (``shape``), and concludes roles and legal sizes (``conclude``). What it cannot find is asked for, by name.

Promises: pure and bounded in steps; nothing is guessed, and a formula is used only if it held at every size tried.
"""

from kernwright.infer.compare import agrees, contradictions
from kernwright.infer.contracts import completed, infer
from kernwright.infer.render import render

__all__ = ["agrees", "completed", "contradictions", "infer", "render"]
