"""``Settings``: everything that a user can set, with its meaning, bounds and default. ``settings`` reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator


class MemorySettings(BaseModel):
    """The constants of memory: how utility moves, and what stays resident."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(default=0.2, gt=0, le=1, description="How far one outcome moves a utility (alpha).")
    failure_reward: float = Field(default=-0.1, ge=-1, le=0, description="Reward of what was used without success.")
    acceptance_reward: float = Field(default=1.0, ge=0, le=1, description="Reward of an accepted offer.")
    rejection_reward: float = Field(
        default=-0.5, ge=-1, le=0, description="Reward of an offer rejected as wrong or not worth it."
    )
    kernels_to_promote: int = Field(default=3, ge=1, description="Different kernels that must adopt before promotion.")
    resident_rules: int = Field(default=24, ge=0, description="Learned rules that stay resident.")
    resident_tokens: int = Field(
        default=2000, ge=0, description="Tokens of text that resident rules may cost a model."
    )
    half_life: float = Field(default=20.0, gt=0, description="Tasks without adoption that halve a rule's priority.")
    retrieved: int = Field(default=5, ge=1, le=50, description="Experiences that one retrieval gives.")
    candidates: int = Field(default=200, ge=1, description="Experiences that are ranked for one retrieval.")
    similarity_weight: float = Field(
        default=0.5, ge=0, le=1, description="Weight of similarity in the rank of an experience; the rest is utility."
    )
    z_bound: float = Field(default=3.0, gt=0, description="Deviations at which similarity and utility are clipped.")
    exploration: float = Field(
        default=0.1, ge=0, le=1, description="Probability that a place of a retrieval goes to a less used experience."
    )
    adoption_trace: float = Field(
        default=0.5,
        gt=0,
        le=1,
        description="Share of an experience's change that a diff must show to count as adopted.",
    )
    order_search: bool = Field(default=True, description="Whether utilities decide what a search tries first.")


class ModelPrice(BaseModel):
    """Dollars for a million tokens of one model."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    input: float = Field(ge=0, description="Tokens that are read and not from the cache.")
    output: float = Field(ge=0, description="Tokens that are written.")
    cache_write: float = Field(ge=0, description="Tokens that are put into the cache.")
    cache_read: float = Field(ge=0, description="Tokens that come from the cache.")


_PRICES = {
    "claude-fable-5-1": ModelPrice(input=10, output=50, cache_write=12.5, cache_read=0.25),
    "claude-opus-5-5": ModelPrice(input=4, output=20, cache_write=5, cache_read=0.2),
    "claude-sonnet-5-5": ModelPrice(input=2, output=10, cache_write=2.5, cache_read=0.1),
    # What it costs for prompts of over 100,000 tokens: a limit that is kept there is kept below.
    "claude-haiku-5-5": ModelPrice(input=0.5, output=2.5, cache_write=0.625, cache_read=0.05),
}
"""As they were published in November 2026; a user's own table adds to them and overrides them."""


class ModelSettings(BaseModel):
    """A model that proposes rewrites. Its key comes from ``ANTHROPIC_API_KEY`` alone."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(
        default="",
        pattern=r"^[A-Za-z0-9_.:/@\-]*$",
        description="The model, such as claude-opus-5-5; empty: no model takes part, and nothing is sent.",
    )
    effort: Literal["", "low", "medium", "high", "xhigh", "max"] = Field(
        default="", description="How hard it thinks; empty: the model's own default."
    )
    base_url: str = Field(
        default="", pattern=r"^(https?://\S+)?$", description="Where the Messages API is; empty: Anthropic's."
    )
    stream: bool = Field(default=True, description="Whether answers are streamed.")
    max_tokens: int = Field(default=16_000, ge=256, le=128_000, description="Tokens that one answer may have.")
    answer_seconds: float = Field(default=300.0, gt=0, description="Time that one answer may take.")
    retries: int = Field(default=4, ge=0, le=20, description="How often a call that failed is tried again.")
    most_wait: float = Field(
        default=60.0, ge=0, description="Longest wait before that, in seconds: a service that asks for more is left."
    )
    turns: int = Field(default=120, ge=1, le=10_000, description="Calls of the model that one suggestion may make.")
    tokens: int = Field(default=2_000_000, ge=0, description="Tokens that one suggestion may take; 0: no limit.")
    money: float = Field(default=1.0, ge=0, description="Dollars that one suggestion may cost; 0: no limit.")
    money_per_day: float = Field(default=10.0, ge=0, description="Dollars that a day may cost; 0: no limit.")
    tool_seconds: float = Field(
        default=900.0, ge=0, description="Time for compiling and running in one suggestion; 0: no limit."
    )
    prices: dict[str, ModelPrice] = Field(
        default_factory=dict, description="Dollars for a million tokens by model, beside those that are known."
    )

    @field_validator("base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        parts = urlsplit(value)
        if value and (not parts.hostname or parts.port == 0):
            raise ValueError("an address has a host, such as https://models.example.org")
        return value

    @property
    def price(self) -> ModelPrice | None:
        """None where nobody has said what this model costs."""
        return {**_PRICES, **self.prices}.get(self.name)


class Settings(BaseModel):
    """Everything that a user can set. Folders are absolute; times are seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    target: str = Field(
        default="host", pattern=r"^[A-Za-z0-9_.+-]+$", description="What kernels are compiled and timed for."
    )
    compiler: str = Field(
        default="", description="Compiler for files without a compile command, such as clang; empty: cc."
    )
    default_flags: tuple[str, ...] = Field(
        default=("-O3", "-march=native"), description="Flags for files without a compile command."
    )
    allowed_compilers: tuple[Path, ...] = Field(
        default=(), description="Compilers off the PATH that a database may name."
    )
    jobs: int = Field(default=2, ge=1, le=256, description="Files that are analysed at once.")
    rounds: int = Field(default=30, ge=1, le=10_000, description="Candidates that one search verifies at most.")
    search_seconds: float = Field(
        default=120.0, gt=0, description="Time after which the search of one kernel begins no further candidate."
    )
    bound_margin: float = Field(
        default=0.25, ge=0, le=10, description="How near to its bound, relatively, a kernel needs no search."
    )
    check_seconds: float = Field(default=20.0, gt=0, description="Time to compare one candidate with the original.")
    build_seconds: float = Field(default=60.0, gt=0, description="Time that one compilation may take.")
    use_cache: bool = Field(default=True, description="Whether builds and runs are looked up and stored.")
    cache: Path = Field(
        default=Path(), description="Folder of cached builds and runs; the user's cache folder if empty."
    )
    cache_bytes: int = Field(default=1 << 30, ge=0, description="Bytes that the cache may take.")
    data: Path = Field(
        default=Path(), description="Folder of offers, decisions and events; the user's data folder if empty."
    )
    trusted: bool = Field(
        default=True,
        description="Whether code of this workspace may be compiled and run, and its rules count. If not: text alone.",
    )
    allow_weak_sandbox: bool = Field(
        default=True, description="Whether native code is run where there is no bubblewrap, with limits alone."
    )
    rules: dict[str, bool] = Field(
        default_factory=dict, description="Rules switched on (true) or off, by name or by a pattern of names."
    )
    rules_off_in: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Rules that are off in files, by a pattern of paths such as gen/*."
    )
    rules_off_for: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Rules that are off, by target."
    )
    ignore: tuple[str, ...] = Field(
        default=(), description="Patterns of paths that check leaves out, such as third_party/*."
    )
    memory: MemorySettings = Field(default=MemorySettings(), description="The constants of memory.")
    model: ModelSettings = Field(default=ModelSettings(), description="The model that proposes, and its limits.")
    compile_on: Literal["off", "save", "idle"] = Field(
        default="save",
        description="When an editor's kernels are compiled for their facts: never, when saved, or when typing stops.",
    )
    optimize_when_idle: bool = Field(
        default=False, description="Whether a server looks for rewrites of open kernels while nobody types."
    )
    idle_seconds_per_hour: float = Field(
        default=120.0, ge=0, le=3600, description="Seconds of each hour that work without a request may take."
    )
    most_diagnostics: int = Field(
        default=1000, ge=1, description="Findings of one file that are shown at most, the gravest first."
    )
    hints: bool = Field(default=True, description="Whether facts are shown at the ends of lines.")
    lenses: bool = Field(default=True, description="Whether figures and commands are shown above kernels.")
    debug: tuple[str, ...] = Field(
        default=(), description="Stages that say what they were given and gave: find, contract, verify."
    )
