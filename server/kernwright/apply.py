"""Writing an accepted rewrite into the user's file: found again by content, written atomically.

This is the only module that writes a user's source. An edit is never applied by position alone: the kernel's very
text must be in the file, wherever it stands now, or nothing is written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernwright.complaint import Complaint
from kernwright.fingerprint import region_of
from kernwright.kernel import find_functions
from kernwright.offer_json import edit_of
from kernwright.syntax import parse
from kernwright.text import Edit, Snapshot, Span


@dataclass(frozen=True)
class Stale:
    """Why an offer no longer applies to a file, in one line with a remedy."""

    reason: str


def reanchored(offer: Mapping[str, Any], snapshot: Snapshot) -> tuple[Edit, ...] | Stale:
    """The edits of a stored offer as edits of ``snapshot``, which may have changed around the kernel since."""
    edits = tuple(edit_of(edit) for edit in offer["edits"])
    if snapshot.content_hash == offer["content_hash"]:
        return edits
    name = str(offer["kernel"])
    old = Span(int(offer["region"]["start"]), int(offer["region"]["end"]))
    wanted = str(offer["region_text"])
    places = [
        region
        for kernel in find_functions(parse(snapshot))
        if kernel.signature == offer["signature"] and snapshot.text_of(region := region_of(kernel)) == wanted
    ]
    if not places:
        return Stale(f"{snapshot.path}: {name} has changed since this was offered; run 'kernwright optimize' again")
    if len(places) > 1:
        return Stale(f"{snapshot.path}: {name} stands there {len(places)} times; make the edit by hand")
    shift = places[0].start - old.start
    moved: list[Edit] = []
    for edit, context in zip(edits, offer["contexts"], strict=True):
        if old.start <= edit.start and edit.end <= old.end:
            moved.append(Edit(edit.start + shift, edit.end + shift, edit.new_text))
            continue
        outside = _outside(edit, str(context["text"]).encode("utf-8"), int(context["start"]), snapshot)
        if outside is None:
            return Stale(
                f"{snapshot.path}: the lines around {name} that the edit touches have changed since this was "
                "offered; run 'kernwright optimize' again"
            )
        moved.append(outside)
    return tuple(moved)


def _outside(edit: Edit, context: bytes, start: int, snapshot: Snapshot) -> Edit | None:
    """An edit outside of the kernel goes where the whole lines that it touched stand now, if they do exactly once."""
    lines = snapshot.lines
    places = [
        place
        for place in lines.starts
        if snapshot.data.startswith(context, place)
        and lines.line_span(lines.line_of(place + len(context))).end == place + len(context)
    ]
    if len(places) != 1:
        return None
    shift = places[0] - start
    return Edit(edit.start + shift, edit.end + shift, edit.new_text)


class CannotWrite(Complaint):
    """A file that was left as it is. ``str()`` is one line with the reason."""


def write_source(path: Path, before: bytes, after: bytes) -> None:
    """Replace a file's content in one step: whoever reads it sees the old text or the new one, never a part.

    The real file behind a link is replaced, with its permissions, owner (where we may) and attributes. ``before``
    is what the edit was made for: a file that holds anything else by now is left alone.
    """
    real = path.resolve()
    try:
        if not real.stat().st_mode & 0o222:
            raise CannotWrite(f"{path}: is read-only; nothing was written, give yourself permission first")
        with written_beside(real, after) as temporary:
            _keep_attributes(real, temporary)
            if real.read_bytes() != before:
                raise CannotWrite(f"{path}: changed while it was being edited; nothing was written, try again")
            temporary.replace(real)
    except OSError as error:
        raise CannotWrite(f"{path}: {error.strerror or error}; nothing was written") from None


@contextlib.contextmanager
def written_beside(path: Path, data: bytes) -> Generator[Path]:
    """A hidden file in the folder of ``path`` with all of ``data`` on the disk, to be moved or linked to its place.
    What is left of it goes at the end."""
    temporary: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as stream:
            temporary = Path(stream.name)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        yield temporary
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _keep_attributes(source: Path, copy: Path) -> None:
    status = source.stat()
    # The mode must hold; the owner and extended attributes need rights and file systems that may be missing.
    with contextlib.suppress(OSError):
        os.chown(copy, status.st_uid, status.st_gid)
    with contextlib.suppress(OSError):
        shutil.copystat(source, copy)
    copy.chmod(status.st_mode & 0o7777)
    os.utime(copy)
