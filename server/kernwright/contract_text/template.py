"""Template parameters and what ``instantiate`` gives for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kernwright.kernel import Kernel

_TYPE_PARAMETER = re.compile(r"^(?:typename|class)\b\s*(\.\.\.)?\s*(\w+)?")
_VALUE_PARAMETER = re.compile(r"(\.\.\.)?\s*(\w+)\s*(?:=\s*(.+))?$")


@dataclass(frozen=True)
class TemplateParameter:
    """``typename T`` or ``int N``; ``default`` is the text after ``=``."""

    name: str
    is_type: bool
    default: str | None
    pack: bool


class BadInstantiation(ValueError):
    """Why a text is no instantiation of a kernel, with a remedy."""


def template_parameters(kernel: Kernel) -> list[TemplateParameter]:
    found: list[TemplateParameter] = []
    for text in kernel.template:
        head, _, default = text.partition("=")
        type_match = _TYPE_PARAMETER.match(text.strip())
        value_match = _VALUE_PARAMETER.search(head.strip())
        if type_match:
            name, pack = type_match[2] or "", bool(type_match[1])
        elif value_match:
            name, pack = value_match[2], bool(value_match[1])
        else:
            continue
        found.append(TemplateParameter(name, type_match is not None, default.strip() or None, pack))
    return found


def template_arguments(kernel: Kernel, instantiate: str | None) -> dict[str, str]:
    """Texts of the template arguments by parameter, defaults included; ``BadInstantiation`` when they do not fit."""
    parameters = template_parameters(kernel)
    given: list[str] = []
    if instantiate is not None:
        given = _arguments(kernel, parameters, instantiate)
    bound = {parameter.name: text for parameter, text in zip(parameters, given, strict=False)}
    for parameter in parameters:
        if parameter.name not in bound and parameter.default is not None:
            bound[parameter.name] = parameter.default
    return bound


def _arguments(kernel: Kernel, parameters: list[TemplateParameter], instantiate: str) -> list[str]:
    example = f"{kernel.qualified}<{', '.join('float' if p.is_type else '8' for p in parameters)}>"
    if not kernel.template:
        raise BadInstantiation(f"{kernel.name} is no template: remove instantiate")
    match = re.fullmatch(r"\s*([\w:]+)\s*<(.*)>\s*", instantiate, re.S)
    if match is None:
        raise BadInstantiation(f'expected a template with its arguments, such as "{example}"')
    if match[1] not in (kernel.name, kernel.qualified):
        raise BadInstantiation(f"'{match[1]}' is not {kernel.qualified}, the kernel below: write \"{example}\"")
    given = split_arguments(match[2])
    if len(given) > len(parameters) and not any(parameter.pack for parameter in parameters):
        raise BadInstantiation(
            f'{kernel.name} takes {len(parameters)} template arguments, not {len(given)}: write "{example}"'
        )
    return given


def split_arguments(text: str) -> list[str]:
    """Split at the commas that no bracket encloses."""
    parts: list[str] = []
    depth, start = 0, 0
    for at, char in enumerate(text):
        if char in "<([{":
            depth += 1
        elif char in ">)]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*parts, last] if last or parts else []
