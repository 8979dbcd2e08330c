"""Reorder: within one loop, statements that read old values go before the statement that overwrites them.

``a[i] *= c[i]; b[i] += a[i + 1] * d[i];`` cannot be vectorised as it stands: in a vector of turns ``a`` would be
overwritten before ``b`` has read it. With the statements exchanged it can. Legal when the dependences within one turn
keep their order; dependences between turns keep theirs anyhow.
"""

from __future__ import annotations

from kernwright.loops.model import Loop, Nest
from kernwright.propose.graph import components, edges_of, is_serial
from kernwright.propose.loop_text import header_of, items_of, loop_code, obstacle, replace_loop
from kernwright.propose.promises import no_overlap
from kernwright.propose.source import Writer
from kernwright.propose.transform import Choice, Refusal, Rewrite, Transform


def apply(nest: Nest, loop: Loop, choice: Choice) -> Rewrite | Refusal:
    refusal = obstacle(nest, loop)
    if refusal is not None:
        return refusal
    writer = Writer(nest.parsed, nest.kernel)
    items = items_of(writer, nest, loop)
    edges = edges_of(nest, loop, items)
    backward = [edge for edge in edges if edge.carried and edge.source > edge.sink]
    if not backward:
        return Refusal("no later turn overwrites what a statement further down reads: the order is fine as it is")
    groups = components(len(items), edges)
    if any(is_serial(nest, group, edges) for group in groups):
        return Refusal("the statements depend on each other in a circle, and no order breaks it")
    order = [group[0] for group in groups]
    body = [items[number].text for number in order]
    return Rewrite(
        "Read old values before they are overwritten: statements reordered",
        (replace_loop(writer, nest, loop, [loop_code(nest, loop, header_of(writer, loop), body)]),),
        no_overlap(nest, loop),
        "not-vectorised:anti-dependence",
    )


REORDER = Transform("reorder", "Put reads of old values before the statement that overwrites them.", apply)
