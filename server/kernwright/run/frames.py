"""Messages between this program's own processes: a length, then a pickled value.

Both ends are ours and of one version. What comes from an editor or out of a workspace travels inside as text.
"""

from __future__ import annotations

import pickle
import struct
from typing import BinaryIO

_LENGTH = struct.Struct(">Q")
HEADER_BYTES = _LENGTH.size


def framed(message: object) -> bytes:
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def body_length(header: bytes) -> int:
    (length,) = _LENGTH.unpack(header)
    return int(length)


def unframed(body: bytes) -> object:
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
