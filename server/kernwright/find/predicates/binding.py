"""What a predicate is: a function that says no (None) or yes, with the names that it binds."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

Binding = dict[str, Node | str]
"""Names for messages and templates; a node is a place in the source as well."""
Predicate = Callable[..., Binding | None]
"""Called with the context and the arguments of the query: nodes for captures, texts for words."""


def holds(condition: bool) -> Binding | None:
    return {} if condition else None
