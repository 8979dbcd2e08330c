"""Cases of a rule: code with marks under the places that the rule has to find.

A mark is a comment of its own line: ``//   ^^^ rule-name`` under the place. ``//   ~~~ missed vect: message`` under a
place pretends that the compiler made this remark there. Mark lines are blanked before the code is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kernwright.rules.model import Case, CaseRemark, Mark
from kernwright.syntax import Language

_MARK = re.compile(r"^\s*//\s*(?P<place>\^+)\s+(?P<rule>[\w-]+)\s*$")
_REMARK = re.compile(
    r"^\s*//\s*(?P<place>~+)\s+(?P<kind>optimised|missed|note)\s+(?P<subject>[\w-]+):\s*(?P<message>.+?)\s*$"
)
_ALMOST = re.compile(r"^\s*//\s*[\^~]{2}")


class BadCase(ValueError):
    """``line`` counts from 0 within the case's block."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


def read_case(language: Language, text: str, line: int, words: Sequence[str], fixed: str | None) -> Case:
    """Split a block's text into code, marks and remarks. ``line`` is the block's line in its file."""
    code: list[str] = []
    marks: list[Mark] = []
    remarks: list[CaseRemark] = []
    above = -1
    for number, row in enumerate(text.split("\n")):
        if mark := _MARK.match(row):
            if above < 0:
                raise BadCase("a mark stands under a line of code", number)
            start, end = (len(row[:at].encode()) for at in mark.span("place"))
            marks.append(Mark(above, start, end, mark.group("rule")))
            code.append("")
        elif remark := _REMARK.match(row):
            if above < 0:
                raise BadCase("a remark stands under a line of code", number)
            column = len(row[: remark.start("place")].encode())
            remarks.append(
                CaseRemark(above, column, remark.group("kind"), remark.group("subject"), remark.group("message"))
            )
            code.append("")
        elif _ALMOST.match(row):
            raise BadCase("a mark is '// ^^^ rule-name', a remark '// ~~~ missed vect: message'", number)
        else:
            above = number
            code.append(row)
    return Case(language, "\n".join(code) + "\n", line, tuple(marks), tuple(remarks), tuple(words), fixed)
