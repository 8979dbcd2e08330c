"""What a kernel looks like, in a few numbers: how two kernels are told to be alike without reading their words."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from kernwright.kernel import Kernel, find_functions
from kernwright.syntax import Language, Parsed, parse, walk
from kernwright.text import Snapshot

_LOOPS = ("for_statement", "while_statement", "do_statement", "for_range_loop")
_COUNTED = {
    "if_statement": "branches",
    "conditional_expression": "branches",
    "call_expression": "calls",
    "subscript_expression": "accesses",
    "pointer_declarator": "pointers",
    "break_statement": "exits",
    "return_statement": "exits",
}
_OPERATORS = {"+": "additions", "-": "additions", "*": "products", "/": "divisions", "%": "divisions", "<<": "bits",
              ">>": "bits", "&": "bits", "|": "bits", "^": "bits"}  # fmt: skip
_FLOATS = re.compile(r"^(?:float|double|_Float16|__fp16)$")


def features_of(parsed: Parsed, kernel: Kernel) -> dict[str, float]:
    """Counts of a kernel's parts, each as the logarithm of one more: the tenth loop says less than the first."""
    counts: dict[str, int] = {}
    deepest = 0
    depths: dict[int, int] = {}

    def count(name: str) -> None:
        counts[name] = counts.get(name, 0) + 1

    for node in walk(kernel.node):
        above = depths.get(node.parent.id, 0) if node.parent is not None else 0
        depths[node.id] = above + (node.type in _LOOPS)
        deepest = max(deepest, depths[node.id])
        if node.type in _LOOPS:
            count("loops")
        elif name := _COUNTED.get(node.type):
            count(name)
        elif node.type == "binary_expression":
            operator = node.child_by_field_name("operator")
            count(_OPERATORS.get(operator.type, "comparisons") if operator is not None else "comparisons")
        elif node.type == "assignment_expression":
            operator = node.child_by_field_name("operator")
            count("assignments" if operator is None or operator.type == "=" else "updates")
        elif node.type == "primitive_type" and _FLOATS.match(parsed.text(node)):
            count("floats")
    counts["depth"] = deepest
    return {name: round(math.log1p(number), 4) for name, number in sorted(counts.items()) if number}


def features_of_text(text: str, language: Language) -> dict[str, float]:
    """The features of the first kernel in a text; none where there is none."""
    parsed = parse(Snapshot(Path(f"kernel.{language.value}"), text.encode("utf-8")), language)
    kernels = find_functions(parsed)
    return features_of(parsed, kernels[0]) if kernels else {}


def likeness(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The cosine of the angle between two kernels' features: 1 for the same proportions, 0 for nothing shared."""
    length = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(value * other.get(name, 0.0) for name, value in one.items()) / length if length else 0.0
