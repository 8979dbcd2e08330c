"""``search_experience``: what helped in kernels like this one."""

from __future__ import annotations

from pydantic import Field

from kernwright.agent.desk import Desk, Input, Result
from kernwright.agent.tools.tool import Tool

_MOST = 5
_MOST_TEXT = 900


class Search(Input):
    query: str = Field(min_length=1, max_length=300, description="A symptom, a change, a kind of loop.")
    symptoms: tuple[str, ...] = Field(default=(), max_length=8, description="Tags such as not-vectorised:reduction.")


def _run(desk: Desk, wanted: Search) -> Result:
    found = desk.workshop.experiences.search(wanted.query, wanted.symptoms, desk.phase)[:_MOST]
    if not found:
        return Result("there is no experience of that kind yet")
    for each in found:
        desk.shown.add(each.id)
        if each.id not in desk.retrieved:
            desk.retrieved.append(each.id)
    blocks = [f"id {each.id}\n{desk.marked.block('experience', each.text, _MOST_TEXT)}" for each in found]
    return Result("\n".join([*blocks, "name the ids that you draw on in 'uses' when you submit"]))


TOOL = Tool(
    "search_experience",
    "Search what was learned from earlier kernels: situation, change and measured effect, each with an id for 'uses'.",
    Search,
    _run,
)
