"""Serving what a model asks for: every call of a tool gets exactly one answer, whatever it was.

A tool that is unknown, an input that does not fit, a call that was cut off or is made again and again are answered
with what is wrong, and counted: after too many in a row there is no point in going on.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from pydantic import ValidationError

from kernwright.agent.client import Answer, ToolCall
from kernwright.agent.data import MOST_CHARACTERS, bounded
from kernwright.agent.desk import Desk, Result
from kernwright.agent.tools.registry import BY_NAME

Json = dict[str, Any]
_MOST_CALLS = 16
"""Calls in one answer that are served: between answers the budget is looked at."""
_MOST_SAME = 3
_MOST_FAULTY = 6
_MOST_CUT = 3
_MOST_SILENT = 2
_MOST_FRUITLESS = 25
"""Answers without a submitted version, after which a model is going in circles."""
_LONGEST_ANSWER = 40_000
_GO_ON = "Call a tool: write and submit a version, or stop."


@dataclass
class Service:
    """Serves one conversation. ``over`` says why it is to end, once it is."""

    desk: Desk
    over: str = ""
    finished: bool = False
    """Whether the model or its rounds came to their end: asking again would find no more."""
    _same: Counter[str] = field(default_factory=Counter[str])
    _faulty: int = 0
    _cut: int = 0
    _silent: int = 0
    _fruitless: int = 0

    def replies(self, answer: Answer, max_tokens: int) -> list[Json]:
        """The blocks of the next message: an answer to each call, or a word to a model that called nothing."""
        calls = answer.calls
        tried = len(self.desk.tried)
        self._note_cut(answer, max_tokens)
        if not calls:
            return [self._word(answer, max_tokens)]
        self._silent = 0
        blocks: list[Json] = []
        faulty = True
        for number, call in enumerate(calls):
            cut = answer.cut_off and number == len(calls) - 1 and answer.content[-1].get("type") == "tool_use"
            if cut:
                result = self._cut_off(call, max_tokens)
            elif number >= _MOST_CALLS:
                result = Result(f"only {_MOST_CALLS} calls of one answer are served", error=True)
            else:
                result = self._served(call)
            faulty = faulty and result.error
            blocks.append(_block(call, result))
        self._faulty = self._faulty + 1 if faulty else 0
        self._fruitless = 0 if len(self.desk.tried) > tried else self._fruitless + 1
        if self._faulty >= _MOST_FAULTY:
            self._end(f"the model's last {self._faulty} answers held no call that could be served")
        elif self._fruitless >= _MOST_FRUITLESS:
            self._end(f"the model submitted nothing in {self._fruitless} answers")
        return blocks

    def _served(self, call: ToolCall) -> Result:
        if self.over:
            return Result("the work has ended", error=True)
        tool = BY_NAME.get(call.name)
        if tool is None:
            close = get_close_matches(call.name, BY_NAME, 1)
            meant = f"; do you mean '{close[0]}'?" if close else ""
            return Result(f"there is no tool '{call.name[:60]}'{meant} There are {', '.join(BY_NAME)}.", error=True)
        try:
            wanted = tool.input.model_validate(call.input)
        except ValidationError as error:
            return Result(f"the input does not fit: {_misfit(error)}", error=True)
        key = f"{call.name} {json.dumps(call.input, sort_keys=True, default=str)}"
        self._same[key] += 1
        if self._same[key] > _MOST_SAME and not tool.repeats:
            if self._same[key] > 2 * _MOST_SAME:
                self._end("the model repeats itself")
            return Result("you have asked this before; the answer is the same. Do something else.", error=True)
        try:
            result = tool.run(self.desk, wanted)
        except Exception as error:
            # What cannot happen is said, and costs this call alone: what was found until now is not to be lost by it.
            self.desk.say(f"the tool '{tool.name}' failed: {type(error).__name__}: {error}")
            return Result("the tool failed; do without it", error=True)
        if result.over:
            self._end(result.over)
            self.finished = True
        return result

    def _cut_off(self, call: ToolCall, max_tokens: int) -> Result:
        return Result(
            f"the call of '{call.name[:60]}' was cut off at {max_tokens} tokens and not made; write less at once",
            error=True,
        )

    def _note_cut(self, answer: Answer, max_tokens: int) -> None:
        self._cut = self._cut + 1 if answer.cut_off else 0
        if answer.stop == "model_context_window_exceeded":
            self._end("the conversation is longer than the model can read")
        elif self._cut >= _MOST_CUT:
            self._end(f"the model's answers are cut off at {max_tokens} tokens; raise model.max_tokens")

    def _word(self, answer: Answer, max_tokens: int) -> Json:
        """What a model is told that called nothing."""
        if not answer.cut_off:
            self._silent += 1
            if self._silent > _MOST_SILENT:
                self._end("the model calls no tool")
        told = f"Your answer was cut off at {max_tokens} tokens. {_GO_ON}" if answer.cut_off else _GO_ON
        return {"type": "text", "text": told}

    def _end(self, why: str) -> None:
        self.over = self.over or why


def _block(call: ToolCall, result: Result) -> Json:
    block: Json = {
        "type": "tool_result",
        "tool_use_id": call.id,
        "content": [{"type": "text", "text": bounded(result.text, _LONGEST_ANSWER)}],
    }
    return {**block, "is_error": True} if result.error else block


def _misfit(error: ValidationError) -> str:
    """What does not fit, without repeating what was said."""
    parts = [f"{'.'.join(map(str, each['loc'])) or 'the input'}: {each['msg']}" for each in error.errors()[:4]]
    return bounded("; ".join(parts), MOST_CHARACTERS // 10)
