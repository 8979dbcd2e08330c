"""All tools, in the order in which a model reads of them."""

from __future__ import annotations

from typing import Any

from kernwright.agent.tools import (
    compile_version,
    count_instructions,
    diagnose,
    inspect_values,
    profile_version,
    read_kernel,
    read_rule,
    run_tests,
    sanitize,
    search_experience,
    stop,
    submit,
)
from kernwright.agent.tools.tool import Tool

TOOLS: tuple[Tool[Any], ...] = (
    read_kernel.TOOL,
    compile_version.TOOL,
    run_tests.TOOL,
    sanitize.TOOL,
    profile_version.TOOL,
    inspect_values.TOOL,
    count_instructions.TOOL,
    search_experience.TOOL,
    read_rule.TOOL,
    diagnose.TOOL,
    submit.TOOL,
    stop.TOOL,
)
BY_NAME: dict[str, Tool[Any]] = {tool.name: tool for tool in TOOLS}
