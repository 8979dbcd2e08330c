"""``Tool``: one thing that a model may ask for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from kernwright.agent.desk import Desk, Input, Result

I = TypeVar("I", bound=Input)  # noqa: E741


@dataclass(frozen=True)
class Tool(Generic[I]):
    """``input`` is validated before ``run`` is called with it. ``repeats`` tells that the same call may be made again
    and give another answer."""

    name: str
    description: str
    input: type[I]
    run: Callable[[Desk, I], Result]
    repeats: bool = False

    @property
    def declaration(self) -> dict[str, Any]:
        """As the Messages API takes it."""
        schema = self.input.model_json_schema()
        schema.pop("title", None)
        schema.pop("description", None)
        for each in schema.get("properties", {}).values():
            each.pop("title", None)
        return {"name": self.name, "description": self.description, "input_schema": schema}
