"""Messages between this program's own processes: a length, then a pickled value.

Both ends are ours and of one version. What comes from an editor or out of a workspace travels inside as text.
"""

from __future__ import annotations

import dataclasses
import gc
import io
import pickle
import struct
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from operator import attrgetter
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")
HEADER_BYTES = _LENGTH.size


def framed(message: object) -> bytes:
    body = io.BytesIO()
    body.write(b"\0" * HEADER_BYTES)
    with _no_search_for_cycles():
        _Pickler(body, protocol=pickle.HIGHEST_PROTOCOL).dump(message)
    body.seek(0)
    body.write(_LENGTH.pack(len(body.getbuffer()) - HEADER_BYTES))
    return body.getvalue()


class _Pickler(pickle.Pickler):
    """Says a frozen dataclass with slots as a call of its class. ``dataclasses`` has it list its fields for every
    object, at both ends, which is most of the time that a message takes: a long file has a hundred thousand places."""

    def reducer_override(self, value: object) -> Any:
        arguments = _arguments_of(type(value))
        return NotImplemented if arguments is None else (type(value), arguments(value))


@cache
def _arguments_of(kind: type) -> Callable[[object], tuple[object, ...]] | None:
    """What gives the arguments that make an object of a class again; None where it is left to ``pickle``."""
    if not dataclasses.is_dataclass(kind) or "__slots__" not in vars(kind) or hasattr(kind, "__post_init__"):
        return None
    fields = dataclasses.fields(kind)
    names = [field.name for field in fields]
    if len(names) < 2 or not all(field.init and not field.kw_only for field in fields):
        return None
    return attrgetter(*names)


@contextmanager
def _no_search_for_cycles() -> Generator[None]:
    """A message is many new objects and no garbage, which the collector would go through again and again."""
    searching = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if searching:
            gc.enable()


def body_length(header: bytes) -> int:
    (length,) = _LENGTH.unpack(header)
    return int(length)


def unframed(body: bytes) -> object:
    with _no_search_for_cycles():
        return pickle.loads(body)


def read_frame(stream: BinaryIO) -> object:
    """The next message; ``EOFError`` when the other end has gone."""
    header = stream.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        raise EOFError
    body = stream.read(length := body_length(header))
    if len(body) < length:
        raise EOFError
    return unframed(body)


def write_frame(stream: BinaryIO, message: object) -> None:
    stream.write(framed(message))
    stream.flush()
