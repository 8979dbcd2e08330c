"""Switch a rule on or off in the workspace's ``kernwright.toml``, keeping the rest of the file as it is."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from kernwright.apply import CannotWrite, write_source
from kernwright.settings import FILE_NAME

_TABLE = "[settings.rules]"


def switch_rule(workspace: Path, name: str, *, on: bool) -> Path:
    """Write ``"name" = true`` or ``false`` under ``[settings.rules]``; the file is made if there is none."""
    path = workspace / FILE_NAME
    before = path.read_bytes() if path.exists() else b""
    try:
        text = before.decode("utf-8")
        after = switched(text, name, on=on)
    except (UnicodeDecodeError, ValueError) as error:
        raise CannotWrite(f'{path}: {error}; set "{name}" = {str(on).lower()} under {_TABLE} by hand') from None
    if not path.exists():
        _create(path)
    write_source(path, before, after.encode("utf-8"))
    return path


def switched(text: str, name: str, *, on: bool) -> str:
    """The text of a ``kernwright.toml`` with the switch in it; ``ValueError`` if it cannot be put there safely."""
    tomllib.loads(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    line = f'"{name}" = {"true" if on else "false"}'
    lines = text.splitlines()
    heading = re.compile(r"\s*\[\s*settings\s*\.\s*rules\s*\]\s*(#.*)?$")
    start = next((number for number, one in enumerate(lines) if heading.match(one)), None)
    if start is None:
        lines += [*([""] if lines else []), _TABLE, line]
    else:
        end = next((n for n in range(start + 1, len(lines)) if re.match(r"\s*\[", lines[n])), len(lines))
        entry = re.compile(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=")
        place = next((n for n in range(start + 1, end) if entry.match(lines[n])), None)
        if place is None:
            lines.insert(start + 1, line)
        else:
            lines[place] = line
    result = newline.join(lines) + newline
    if tomllib.loads(result).get("settings", {}).get("rules", {}).get(name) is not on:
        raise ValueError("its [settings] already says something about rules in another form")
    return result


def _create(path: Path) -> None:
    try:
        path.touch(exist_ok=True)
    except OSError as error:
        raise CannotWrite(f"{path}: {error.strerror or error}; nothing was written") from None
