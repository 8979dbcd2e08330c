"""One call of the Messages API: a request in, an ``Answer`` or a ``Fault`` out. The only importer of ``anthropic``.

The library's own retries are off: ``calls`` waits and tries again, where a person can see it and a budget is kept. An
interrupt ends a call at once; whatever came of it, ``spent`` is told the tokens that the service has counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import anthropic
from anthropic.types import Message

from kernwright.agent.budget import Usage
from kernwright.agent.faults import Fault, of_status
from kernwright.complaint import Complaint

Json = dict[str, Any]
_CONNECT_SECONDS = 10.0
_MOST_WORDS = 200


@dataclass(frozen=True)
class Connection:
    """How a model is reached. ``key`` stays in here: no text for a person or a log is made of it."""

    key: str = field(repr=False)
    base_url: str
    stream: bool = True
    seconds: float = 300.0
    """The most that one answer may take."""


@dataclass(frozen=True)
class ToolCall:
    """One call of a tool that the model has asked for. ``input`` is what it said, whatever that may be."""

    id: str
    name: str
    input: object


@dataclass(frozen=True)
class Answer:
    """What the model said. ``content`` goes back to it as it came: some blocks are bound to their conversation."""

    content: tuple[Json, ...]
    stop: str
    usage: Usage
    refusal: str = ""

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        return tuple(
            ToolCall(str(block.get("id", "")), str(block.get("name", "")), block.get("input"))
            for block in self.content
            if block.get("type") == "tool_use"
        )

    @property
    def cut_off(self) -> bool:
        """Whether it ended at its bound: a call of a tool at its end may lack its rest."""
        return self.stop in ("max_tokens", "model_context_window_exceeded")


class CannotConnect(Complaint):
    """The environment's proxy or the address is nothing that calls can be made with. ``str()`` is one line."""


class Client:
    """Calls one model service. To be closed; ``CannotConnect`` where none can be made."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        patience = anthropic.Timeout(connection.seconds, connect=_CONNECT_SECONDS)
        try:
            self._client = anthropic.AsyncAnthropic(
                api_key=connection.key,
                base_url=connection.base_url,
                max_retries=0,
                timeout=patience,
                # The one that the library makes by itself complains when it is dropped half made.
                http_client=anthropic.DefaultAsyncHttpxClient(timeout=patience),
            )
        except Exception as error:
            # A proxy of a kind that is not installed, say: each layer below has errors of its own for that.
            line = f"{connection.base_url} cannot be called from here: {_short(str(error))}"
            raise CannotConnect(f"{line}; see model.base_url and the variables for proxies") from None
        self._runner = asyncio.Runner()

    def close(self) -> None:
        try:
            self._runner.run(self._client.close())
        finally:
            self._runner.close()

    def ask(self, request: Mapping[str, Any], spent: Callable[[Usage], None]) -> Answer | Fault:
        """Send one request. ``KeyboardInterrupt`` passes through, when the connection is closed."""
        return self._runner.run(self._ask(request, spent))

    async def _ask(self, request: Mapping[str, Any], spent: Callable[[Usage], None]) -> Answer | Fault:
        where = self._connection.base_url
        try:
            async with asyncio.timeout(self._connection.seconds):
                if self._connection.stream:
                    return await self._streamed(request, spent)
                return await self._whole(request, spent)
        except (TimeoutError, anthropic.APITimeoutError):
            return Fault(f"{where} gave no whole answer in {self._connection.seconds:g} s", True)
        except anthropic.APIStatusError as error:
            return _of_status(error, where)
        except anthropic.APIConnectionError as error:
            cause = error.__cause__ or error
            return Fault(f"{where} cannot be reached: {_short(str(cause)) or type(cause).__name__}", True)
        except anthropic.APIResponseValidationError:
            return _no_messages(where, "")
        except anthropic.APIError as error:
            return Fault(f"{where} broke off its answer: {_short(error.message)}", True)
        except (
            RuntimeError,
            ValueError,
            AttributeError,
            TypeError,
            KeyError,
            IndexError,
        ) as error:
            # What the library makes of an answer that is none of the Messages API's: it assumes that it is.
            return Fault(f"{where} gave an answer that cannot be read ({type(error).__name__})", True)
        except OSError as error:
            return Fault(f"{where} cannot be reached: {_short(str(error))}", True)

    async def _streamed(self, request: Mapping[str, Any], spent: Callable[[Usage], None]) -> Answer | Fault:
        where = self._connection.base_url
        started = ended = False
        manager = cast(Any, self._client.messages).stream(**request)
        async with manager as stream:
            kind = str(stream.response.headers.get("content-type", ""))
            if "event-stream" not in kind:
                return _no_messages(where, kind)
            try:
                async for event in stream:
                    started = started or event.type == "message_start"
                    ended = ended or event.type == "message_stop"
            except Exception as error:
                broken = _broken_stream(error, where)
                if broken is not None:
                    return broken
                raise
            finally:
                if started:
                    spent(_usage(stream.current_message_snapshot))
            if not ended:
                return Fault(f"{where} broke off its answer in the middle", True)
            return _answer(stream.current_message_snapshot)

    async def _whole(self, request: Mapping[str, Any], spent: Callable[[Usage], None]) -> Answer | Fault:
        message: object = await cast(Any, self._client.messages).create(**request, stream=False)
        if not isinstance(message, Message) or message.type != "message":
            return _no_messages(self._connection.base_url, "text/html" if isinstance(message, str) else "")
        spent(_usage(message))
        return _answer(message)


def _answer(message: Message) -> Answer:
    details = message.stop_details
    refusal = ""
    if message.stop_reason == "refusal":
        refusal = (details.explanation or details.category or "") if details is not None else ""
    content = tuple(block.to_dict(exclude_none=True, exclude_unset=False) for block in message.content)
    return Answer(cast("tuple[Json, ...]", content), message.stop_reason or "", _usage(message), _short(refusal))


def _usage(message: Message) -> Usage:
    usage = message.usage
    return Usage(
        input=usage.input_tokens or 0,
        output=usage.output_tokens or 0,
        cache_write=usage.cache_creation_input_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
    )


def _of_status(error: anthropic.APIStatusError, where: str) -> Fault:
    kind = str(error.response.headers.get("content-type", ""))
    if "html" in kind and error.status_code < 500:
        return _no_messages(where, kind)
    # An error that arrives in a stream has the status of its beginning; its type tells.
    status = {"overloaded_error": 529, "rate_limit_error": 429, "api_error": 500}.get(str(error.type))
    if error.status_code >= 400 or status is None:
        status = error.status_code
    words = error.api_message if isinstance(error.api_message, str) else ""
    return of_status(status, _short(words), _wait(error), where)


def _wait(error: anthropic.APIStatusError) -> float | None:
    """What ``retry-after`` says, in seconds."""
    try:
        return max(0.0, float(error.response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None


def _broken_stream(error: Exception, where: str) -> Fault | None:
    """A stream that ends without its end is noticed by what carries it, under names that are not the library's own."""
    if isinstance(error, anthropic.AnthropicError | TimeoutError):
        return None
    if type(error).__module__.split(".")[0] in ("httpx", "httpx2", "httpcore", "httpcore2"):
        return Fault(f"{where} broke off its answer in the middle", True)
    return None


def _no_messages(where: str, kind: str) -> Fault:
    said = f" but {kind.partition(';')[0]}" if kind else ""
    return Fault(f"{where} does not answer as the Messages API does{said}; see model.base_url")


def _short(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _MOST_WORDS else f"{line[: _MOST_WORDS - 1]}…"
