"""``kernwright serve``: the language server. ``kernwright replay``: a recorded session, said to a server again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kernwright.cli.failure import Failure
from kernwright.cli.front import Front


def serve(
    context: typer.Context,
    stdio: Annotated[bool, typer.Option("--stdio", help="Speak on standard input and output (the default).")] = False,
    tcp: Annotated[
        str | None, typer.Option("--tcp", metavar="HOST:PORT", help="Wait for one client there; port 0 takes any.")
    ] = None,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", readable=False, help="Record every message there.")
    ] = None,
    client_process: Annotated[
        int | None, typer.Option("--clientProcessId", hidden=True, help="Accepted; the client says it anyway.")
    ] = None,
) -> int:
    """Serve an editor."""
    from kernwright.lsp.launch import serve_stdio, serve_tcp
    from kernwright.lsp.trace import Recorder
    from kernwright.settings import companion_environment

    front: Front = context.obj
    _ = client_process
    if stdio and tcp is not None:
        raise Failure("--stdio and --tcp exclude each other; give one")
    try:
        record = Recorder(trace).record if trace is not None else None
    except OSError as error:
        raise Failure(f"{trace}: {error.strerror}; name a file that can be written") from None
    if front.settings_file is not None:
        raise Failure("--settings is not for serve: settings come from the editor and from kernwright.toml")
    environment = companion_environment()
    for name, value in (("CACHE", front.cache and front.cache.absolute()), ("TARGET", front.target)):
        if value is not None:
            environment[f"KERNWRIGHT_{name}"] = str(value)
    if front.no_cache:
        environment["KERNWRIGHT_USE_CACHE"] = "false"
    if tcp is None:
        return serve_stdio(environment, record, trusted=not front.untrusted)
    host, colon, number = tcp.rpartition(":")
    if not colon or not number.isdigit() or int(number) > 65535:
        raise Failure(f"--tcp {tcp}: write HOST:PORT, such as 127.0.0.1:7777")
    try:
        return serve_tcp(
            host.strip("[]"), int(number), environment, lambda port: front.note(f"listening on {host}:{port}"), record
        )
    except OSError as error:
        raise Failure(f"--tcp {tcp}: {error.strerror or error}; choose another address or port") from None


def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", readable=False, help="What serve --trace recorded.")],
) -> int:
    """Say a recorded session to a server again, and check that each request gets exactly one reply."""
    from kernwright.lsp.replay import replay_file
    from kernwright.settings import companion_environment

    front: Front = context.obj
    report = replay_file(file, companion_environment())
    if front.as_json:
        front.answer(report.as_json)
    else:
        for line in report.violations:
            front.line(line)
        front.note(report.words)
    return 1 if report.violations else 0
