"""A local server that speaks the Messages API: it plays a script, one step a call, and keeps what it was sent.

Answers are streamed or whole, as they are asked for; an error is one step of a script among others.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

Json = dict[str, Any]
_PIECE = 24
"""Characters of a tool's input that one event of a stream carries."""


@dataclass(frozen=True)
class Says:
    """An answer of the model."""

    content: tuple[Json, ...]
    stop: str = "end_turn"
    tokens: tuple[int, int] = (1000, 200)
    cached: int = 0
    details: Json | None = None
    broken_after: int | None = None
    """The number of events after which the stream breaks."""
    pause: float = 0.0
    """Seconds between the first event and the second."""
    cut_json: bool = False
    """Whether the input of the last call ends in the middle."""


@dataclass(frozen=True)
class Fails:
    """An answer with a status of its own."""

    status: int
    kind: str = "api_error"
    headers: tuple[tuple[str, str], ...] = ()
    delay: float = 0.0

    @property
    def body(self) -> bytes:
        return json.dumps({"type": "error", "error": {"type": self.kind, "message": "as the script says"}}).encode()


@dataclass(frozen=True)
class Html:
    """A page, as a proxy or a wrong address answers."""

    status: int = 200


Step = Says | Fails | Html | Callable[[Json], "Says"]
_ids = count(1)


def calls(tool: str, /, **given: Any) -> Json:
    """A call of a tool."""
    return {"type": "tool_use", "id": f"toolu_{next(_ids):04}", "name": tool, "input": given}


def uses(*content: Json, **more: Any) -> Says:
    return Says(content, stop="tool_use", **more)


def writes(text: str) -> Json:
    return {"type": "text", "text": text}


@dataclass
class Service:
    """The server of one script. What is asked beyond its end is answered by the last step again."""

    steps: Sequence[Step]
    requests: list[Json] = field(default_factory=list[Json])
    headers: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    times: list[float] = field(default_factory=list[float])
    address: str = ""

    def step(self, body: Json) -> Says | Fails | Html:
        number = min(len(self.requests), len(self.steps)) - 1
        step = self.steps[number]
        return step if isinstance(step, Says | Fails | Html) else step(body)

    def answers(self) -> list[str]:
        """What every call of a tool was answered, in order."""
        last: list[Json] = self.requests[-1]["messages"] if self.requests else []
        return [
            "".join(part["text"] for part in block["content"])
            for message in last
            if message["role"] == "user"
            for block in message["content"]
            if block["type"] == "tool_result"
        ]

    def sent(self) -> str:
        """Everything that was ever sent, as one text."""
        return "\n".join(json.dumps(request, ensure_ascii=False) for request in self.requests)


@contextmanager
def serving(*steps: Step) -> Generator[Service]:
    service = Service(steps)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.requests.append(body)
            service.headers.append({name.lower(): value for name, value in self.headers.items()})
            service.times.append(time.monotonic())
            if self.path != "/v1/messages":
                return self._whole(Fails(404, "not_found_error"))
            step = service.step(body)
            try:
                if isinstance(step, Says) and body.get("stream"):
                    return self._stream(step, body)
                return self._whole(step, body)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def _whole(self, step: Says | Fails | Html, body: Json | None = None) -> None:
            kind, extra, status = "application/json", (), 200
            match step:
                case Says():
                    time.sleep(step.pause)
                    data = json.dumps(_message(step, body or {})).encode()
                case Fails():
                    time.sleep(step.delay)
                    data, extra, status = step.body, step.headers, step.status
                case Html():
                    data, kind, status = b"<!DOCTYPE html><html><body>Sign in</body></html>", "text/html", step.status
            self.send_response(status)
            for name, value in (("content-type", kind), ("content-length", str(len(data))), *extra):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def _stream(self, step: Says, body: Json) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/event-stream; charset=utf-8")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for number, event in enumerate(_events(step, body)):
                if step.broken_after is not None and number >= step.broken_after:
                    self.close_connection = True
                    return
                text = f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(text), text))
                self.wfile.flush()
                if number == 0:
                    time.sleep(step.pause)
            self.wfile.write(b"0\r\n\r\n")

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    service.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


def _message(step: Says, body: Json) -> Json:
    return {
        "id": f"msg_{next(_ids):04}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", ""),
        "content": list(step.content),
        "stop_reason": step.stop,
        "stop_sequence": None,
        "stop_details": step.details,
        "usage": _usage(step),
    }


def _usage(step: Says) -> Json:
    return {
        "input_tokens": step.tokens[0],
        "output_tokens": step.tokens[1],
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": step.cached,
    }


def _events(step: Says, body: Json) -> Iterator[Json]:
    """The events of a stream, in the order of the API: a block is begun, filled in pieces, and ended."""
    whole = _message(step, body)
    usage = {**_usage(step), "output_tokens": 1}
    yield {
        "type": "message_start",
        "message": {**whole, "content": [], "stop_reason": None, "stop_details": None, "usage": usage},
    }
    yield {"type": "ping"}
    for index, block in enumerate(step.content):
        if block["type"] == "text":
            yield {"type": "content_block_start", "index": index, "content_block": {"type": "text", "text": ""}}
            yield _delta(index, {"type": "text_delta", "text": block["text"]})
        elif block["type"] == "thinking":
            empty = {"type": "thinking", "thinking": "", "signature": ""}
            yield {"type": "content_block_start", "index": index, "content_block": empty}
            yield _delta(index, {"type": "thinking_delta", "thinking": block["thinking"]})
            yield _delta(index, {"type": "signature_delta", "signature": block["signature"]})
        else:
            yield {"type": "content_block_start", "index": index, "content_block": {**block, "input": {}}}
            text = json.dumps(block["input"])
            if step.cut_json and index == len(step.content) - 1:
                text = text[: len(text) * 2 // 3]
            for at in range(0, len(text), _PIECE):
                yield _delta(index, {"type": "input_json_delta", "partial_json": text[at : at + _PIECE]})
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": step.stop, "stop_sequence": None, "stop_details": step.details}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": step.tokens[1]}}
    yield {"type": "message_stop"}


def _delta(index: int, delta: Json) -> Json:
    return {"type": "content_block_delta", "index": index, "delta": delta}
