"""``start``: runs the app, and turns whatever ends it into one line and an exit status."""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path
from types import FrameType
from typing import NoReturn

from kernwright.cli.app import app, global_options
from kernwright.cli.failure import INTERRUPTED, USAGE, Failure
from kernwright.cli.front import ReaderGone, trace_wanted


def start() -> NoReturn:
    """The program ``kernwright``. Leaves by ``SystemExit``."""
    leave_on_termination()
    # A stream that the shell closed is None: who closed it does not want to read what is written there.
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
    stream: object = sys.stdout
    if isinstance(stream, TextIOWrapper):
        # What the terminal's encoding has no sign for is written as an escape, as it is on standard error.
        stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportUnknownMemberType]
    status = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read our output has gone. Python would complain once more on exit unless it finds another stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit status."""
    try:
        _ = Path.cwd()
        words = hoisted(arguments, global_options()) or ["--help"]
        result = app(words, prog_name="kernwright", standalone_mode=False)
        if result == INTERRUPTED:
            # typer turns an interrupt into this result.
            return _say("interrupted", INTERRUPTED)
        return result if isinstance(result, int) else 0
    except KeyboardInterrupt:
        return _say("interrupted", INTERRUPTED)
    except ReaderGone:
        return 0
    except Exception as error:
        return _translated(error)


def leave_on_termination() -> None:
    """On SIGTERM and SIGHUP leave through every ``finally``, so that no child process and no temporary file stays."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)


def _translated(error: Exception) -> int:
    from kernwright.complaint import Complaint
    from kernwright.text import UnreadableSource

    match error:
        case Failure():
            return _say(str(error), error.status)
        case Complaint() | UnreadableSource():
            return _say(str(error), USAGE)
        case _ if callable(words := getattr(error, "format_message", None)):
            # A usage error of typer, which draws a box around it unless it is caught. Its class is not public.
            return _say(f"{str(words()).rstrip('.')}; see 'kernwright --help'", USAGE)
        case _ if type(error).__name__ == "Exit":
            return int(getattr(error, "exit_code", 0))
        case _ if type(error).__name__ == "Abort":
            return _say("interrupted", INTERRUPTED)
        case OSError(errno=errno.ENOSPC | errno.EDQUOT) if not trace_wanted():
            return _say("the disk is full; free some space, or set TMPDIR to a folder that has some", USAGE)
        case FileNotFoundError(filename=None) if not trace_wanted():
            return _say("the current folder no longer exists; change to another one", USAGE)
        case OSError() if error.filename is not None and not trace_wanted():
            return _say(f"{error.filename}: {error.strerror}; check the path and its permissions", USAGE)
        case UnicodeEncodeError() if any("\udc80" <= char <= "\udcff" for char in error.object) and not trace_wanted():
            return _say(f"{error.object}: the name is not UTF-8; rename the file or folder", USAGE)
        case RecursionError() if not trace_wanted():
            return _say("the source is nested too deeply to be analysed; split the code", USAGE)
        case _:
            if trace_wanted():
                raise error
            words = " ".join(str(error).split()) or "no message"
            return _say(
                f"internal error: {type(error).__name__}: {words}; please report it, with what "
                "KERNWRIGHT_DEBUG=trace adds",
                USAGE,
            )


def _say(line: str, status: int) -> int:
    print(f"kernwright: {' '.join(line.split(chr(10)))}", file=sys.stderr, flush=True)
    return status


def hoisted(arguments: Sequence[str], options: dict[str, bool]) -> list[str]:
    """Global options moved to the front, so that they may stand anywhere. ``options`` says which take a value."""
    front: list[str] = []
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif name not in options:
            rest.append(word)
        else:
            front.append(word)
            if options[name] and not equals:
                value = next(words, None)
                if value is None:
                    raise Failure(f"{name} needs a value; see 'kernwright --help'")
                front.append(value)
    return front + rest
