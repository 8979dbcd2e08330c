"""Messages as bytes and as JSON: what may come in, and what can go out. Loads nothing."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

from kernwright.session.document import well_formed

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800
REQUEST_FAILED = -32803

Id = int | str


def parsed(body: bytes) -> object:
    """The value that a body holds; ``ValueError`` when it is no JSON, or nested so deeply that nobody meant it."""
    try:
        return json.loads(body, parse_constant=_finite, parse_float=_finite)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def encoded(message: Mapping[str, Any], plain: Callable[[object], object] | None = None) -> bytes:
    """A message as the body of a frame; ``plain`` gives data for what JSON does not know. Half a surrogate pair, which
    a client may have sent as an escape and gets back, has no place in UTF-8."""
    text = json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=plain)
    return well_formed(text).encode()


def valid_id(id_: object) -> Id | None:
    """An id that a reply can name."""
    if isinstance(id_, str):
        return id_ if well_formed(id_) == id_ else None
    return id_ if isinstance(id_, int) and not isinstance(id_, bool) else None


def _finite(number: str) -> float:
    """JSON has no NaN and no infinity, and what comes in may have to go out again."""
    value = float(number)
    if not math.isfinite(value):
        raise ValueError(number)
    return value
