"""``kernwright schema``: JSON Schemas of what people write."""

from __future__ import annotations

from typing import Annotated

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front


def schema(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="contract, settings or rule.")],
) -> None:
    """Print the JSON Schema of contracts, settings or a rule's front matter."""
    from kernwright.schema import SCHEMAS

    front: Front = context.obj
    if name not in SCHEMAS:
        *most, last = sorted(SCHEMAS)
        raise Failure(f"schema {name}: expected {', '.join(most)} or {last}")
    front.answer(SCHEMAS[name]())
