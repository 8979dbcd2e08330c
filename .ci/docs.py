"""Writes the generated parts of the documents anew: the tables of rules and of predicates."""

from __future__ import annotations

from pathlib import Path

from kernwright.rules.documents import with_generated_parts
from kernwright.rules.sources import bundled_rules

TOP = Path(__file__).resolve().parent.parent

for name, prefix in (("README.md", ""), ("rules/README.md", "../")):
    path = TOP / name
    path.write_text(with_generated_parts(path.read_text(), bundled_rules().rules, prefix))
