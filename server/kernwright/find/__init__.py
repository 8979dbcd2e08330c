"""Findings: what the rules say of a text, given what compilers and profilers said of it.

``find(parsed, rules, facts)`` is pure: no process, no file, no state. What a rule's query alone cannot say is said by
the predicates of ``predicates/``, over the syntax tree and over the analysis of loops.
"""

from kernwright.find.facts import Facts
from kernwright.find.finder import find
from kernwright.find.finding import Finding, Related

__all__ = ["Facts", "Finding", "Related", "find"]
