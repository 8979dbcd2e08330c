"""The front matter of a rule file, validated, and its JSON Schema."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

Stage = Literal["build", "equal", "safe", "honest", "faster"]
STAGES: tuple[Stage, ...] = ("build", "equal", "safe", "honest", "faster")
ASSUMPTION = r"^(no-overlap|reassociation|contraction|no-index-wrap|aligned\(\d+\))$"


class FrontMatter(BaseModel):
    """The YAML between the two ``---`` lines of a rule file."""

    model_config = ConfigDict(extra="forbid", title="Front matter of a Kernwright rule")

    name: str = Field(
        pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", description="The bad pattern; equal to the file's stem."
    )
    description: str = Field(min_length=1, max_length=160, description="One line: what is found, and when.")
    message: str = Field(
        default="",
        description="The finding's text: what is there, why it matters, what to do. {capture} is the captured text.",
    )
    languages: list[Literal["c", "cpp"]] = Field(min_length=1, description="Languages that the rule reads.")
    targets: list[str] = Field(default=[], description="Only for these targets, such as avx2, neon or sm>=80.")
    severity: Literal["error", "warning", "information", "hint"] = "information"
    safety: Literal["safe", "assumes", "display-only"] = Field(
        description="What the rewrite promises: nothing beyond the contract, what `assumes` names, or there is none."
    )
    assumes: list[str] = Field(
        default=[],
        description="Promises that the rewrite needs: no-overlap, reassociation, no-index-wrap, aligned(N).",
    )
    verify: list[Stage] = Field(default=list(STAGES), description="Stages that must pass before an offer.")
    status: Literal["stable", "preview", "learned", "cold"] = "preview"
    since: str = Field(default="", description="The version of Kernwright that the rule came with.")
    sources: list[str] = Field(default=[], description="Where the pattern was reported: links or titles.")
    origin: list[str] = Field(default=[], description="Learned rules: ids of the events they came from.")
    utility: float | None = Field(default=None, description="Learned rules: expected gain of trying the rule.")
    adopted: int = Field(default=0, ge=0, description="Learned rules: how often a rewrite was accepted.")
    kernels: list[str] = Field(default=[], description="Learned rules: kernels that adopted a rewrite.")
    last_used: str | None = Field(default=None, description="Learned rules: date of the last accepted rewrite.")

    @field_validator("description", "message")
    @classmethod
    def _one_line(cls, text: str) -> str:
        if "\n" in text.strip():
            raise ValueError("keep it on one line")
        return text.strip()

    @field_validator("since", "last_used", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        """YAML reads ``0.1`` as a number and ``2026-12-01`` as a date; both are meant as text."""
        return None if value is None else str(value)

    @field_validator("assumes")
    @classmethod
    def _known_assumptions(cls, values: list[str]) -> list[str]:
        for value in values:
            if not re.match(ASSUMPTION, value):
                raise ValueError(
                    f"'{value}' is no known assumption; use no-overlap, reassociation, no-index-wrap or aligned(N)"
                )
        return values

    @model_validator(mode="after")
    def _consistent(self) -> FrontMatter:
        if self.safety == "assumes" and not self.assumes:
            raise ValueError("safety is 'assumes' but `assumes` names nothing; list what the rewrite needs")
        if self.safety != "assumes" and self.assumes:
            raise ValueError(f"`assumes` is set but safety is '{self.safety}'; set safety to 'assumes'")
        return self


def rule_schema() -> dict[str, Any]:
    """The JSON Schema of a rule's front matter."""
    schema = FrontMatter.model_json_schema()
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return schema


def describe(error: ValidationError) -> list[tuple[str, str]]:
    """Each fault as the name of its first key (or ``""``) and one sentence."""
    faults: list[tuple[str, str]] = []
    for entry in error.errors():
        key = str(entry["loc"][0]) if entry["loc"] else ""
        message = entry["msg"].removeprefix("Value error, ")
        match entry["type"]:
            case "missing":
                message = f"'{key}' is missing; add it to the front matter"
            case "extra_forbidden":
                message = f"'{key}' is no key of a rule; remove it or check its spelling"
            case _:
                message = f"'{key}': {message}" if key else message
        faults.append((key, message))
    return faults
