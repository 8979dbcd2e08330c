"""The headers that a text takes in, as one hash: what is kept about a text no longer holds when one of them changes.

Headers are looked for as compilers do, in the file's own folder and in those that the flags name. What is found in
none of them belongs to the system, and changes with the compiler's version.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include(?:_next)?[ \t]*([<"])([^>"\r\n]+)[>"]', re.M)
_FOLDER_FLAGS = ("-iquote", "-isystem", "-idirafter", "-I")
_MOST_FILES = 4000


def included_content(path: Path, data: bytes, directory: Path, flags: Sequence[str]) -> str:
    """The hash of every header that ``data``, the text of ``path``, reaches under the folders of the flags."""
    folders = _folders(directory, flags)
    digest = hashlib.sha256()
    seen: set[Path] = set()
    waiting = [(path.parent, data)]
    while waiting and len(seen) < _MOST_FILES:
        here, text = waiting.pop()
        for match in _INCLUDE.finditer(text):
            name = match.group(2).decode("utf-8", errors="replace")
            first = (here,) if match.group(1) == b'"' else ()
            header = next((found for folder in (*first, *folders) if (found := folder / name).is_file()), None)
            if header is None or header in seen:
                continue
            seen.add(header)
            try:
                content = header.read_bytes()
            except OSError:
                continue
            digest.update(f"{header}\0{len(content)}\0".encode())
            digest.update(content)
            waiting.append((header.parent, content))
    return digest.hexdigest()


def _folders(directory: Path, flags: Sequence[str]) -> tuple[Path, ...]:
    found: list[Path] = []
    words = iter(flags)
    for word in words:
        for flag in _FOLDER_FLAGS:
            if word == flag:
                found.append(directory / next(words, "."))
                break
            if word.startswith(flag):
                found.append(directory / word[len(flag) :])
                break
    return tuple(found)
