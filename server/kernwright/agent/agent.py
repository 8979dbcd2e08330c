"""``Agent``: a model at work on one kernel, from its first message to its last, within a budget.

Whatever happens, what was verified is kept by whoever verifies it; here is only said why the work ended.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from kernwright.agent.budget import Budget
from kernwright.agent.calls import Patience, asked
from kernwright.agent.client import Answer, CannotConnect, Client, Connection
from kernwright.agent.conversation import Service
from kernwright.agent.data import Marked
from kernwright.agent.desk import Desk
from kernwright.agent.faults import Fault
from kernwright.agent.prompt import Voice, first_message, request, standing_tokens
from kernwright.agent.secrets import Scrubber
from kernwright.agent.versions import Versions
from kernwright.agent.workshop import Submit, Workshop

Json = dict[str, Any]


@dataclass
class Agent:
    """One suggestion. ``say`` takes lines for whoever watches; ``ended`` says why the work ended, once it has."""

    workshop: Workshop
    connection: Connection
    voice: Voice
    budget: Budget
    rounds: int
    patience: Patience = field(default_factory=Patience)
    say: Callable[[str], None] = lambda line: None
    ended: str = ""
    finished: bool = False
    """Whether it came to its own end, and not to that of a budget, by a fault or by an interrupt."""
    desk: Desk | None = field(default=None, init=False)

    def explore(self, submit: Submit) -> None:
        """Work until the model stops, the budget is used up, or the service fails for good."""
        desk, content = self._begin(submit)
        service = Service(desk)
        messages: list[Json] = [{"role": "user", "content": content}]
        obstacle = self.budget.obstacle(_length(content), self.voice.max_tokens)
        if obstacle:
            self.ended = obstacle
            return
        try:
            client = Client(self.connection)
        except CannotConnect as problem:
            self.ended = str(problem)
            return
        try:
            self.ended = self._converse(client, service, messages)
            self.finished = service.finished
        except KeyboardInterrupt:
            self.ended = "interrupted"
            raise
        finally:
            client.close()

    def shown(self) -> Json:
        """The body of the first call, exactly as it would be sent."""
        _, content = self._begin(_nothing_is_submitted)
        tokens = self.budget.answer_tokens(_length(content), self.voice.max_tokens) or self.voice.max_tokens
        return request(self.voice, [{"role": "user", "content": content}], tokens)

    def _begin(self, submit: Submit) -> tuple[Desk, list[Json]]:
        workshop = self.workshop
        subject, known = workshop.subject, workshop.known
        versions = Versions.of(subject.parsed, subject.kernel)
        best = versions.add_best(known.best) if known.best is not None else None
        seed = f"{subject.snapshot.content_hash} {subject.kernel.signature} {self.voice.model}"
        marked = Marked(seed, Scrubber((self.connection.key,)))
        desk = Desk(workshop, versions, marked, self.budget, submit, self.say, best=best, best_ns=known.best_ns)
        desk.shown.update(rule.name for rule in workshop.resident)
        self.desk = desk
        self.budget.last_read = self.budget.last_read or standing_tokens()
        return desk, first_message(workshop, versions, marked, self.rounds)

    def _converse(self, client: Client, service: Service, messages: list[Json]) -> str:
        while True:
            new = _length(messages[-1]["content"])
            if obstacle := self.budget.obstacle(new, self.voice.max_tokens):
                return obstacle
            tokens = self.budget.answer_tokens(new, self.voice.max_tokens)
            answer = asked(client, request(self.voice, messages, tokens), self.budget, self.patience, self.say)
            if isinstance(answer, Fault):
                return answer.line
            if answer.stop == "refusal":
                return f"the model declined{f': {answer.refusal}' if answer.refusal else ''}"
            replies = service.replies(answer, tokens)
            if service.over:
                return service.over
            _append(messages, answer, replies)


def _append(messages: list[Json], answer: Answer, replies: list[Json]) -> None:
    """An answer without content leaves no turn of its own: what we say then is added to what we said last."""
    if answer.content:
        messages.append({"role": "assistant", "content": list(answer.content)})
        messages.append({"role": "user", "content": replies})
    else:
        messages[-1] = {"role": "user", "content": [*messages[-1]["content"], *replies]}


def _length(content: object) -> int:
    return len(str(content))


def _nothing_is_submitted(candidate: object) -> str:
    return "nothing is verified here"
