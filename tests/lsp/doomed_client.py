"""An editor in a process of its own, to be killed: ``python -m tests.lsp.doomed_client``, told by standard input.

It reads one JSON object (`Errand`), starts a server, gives it work, says ``{"server": PID}`` on standard output, and
waits for its end.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from .client import Client, editor_capabilities
from .workplace import SERVE, STATE_SECONDS, command, jobs, state_of


@dataclass(frozen=True)
class Errand:
    """What to do: open a file and save it, or run a command of ours on a kernel of it until so many steps are done.
    With ``keeper`` another process holds the server's input and output open, and is said beside the server."""

    path: str
    work: str
    kernel: str = ""
    language: str = "c"
    steps: int = 0
    keeper: bool = False

    def as_line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"


async def run(errand: Errand) -> None:
    path = Path(errand.path)
    async with Client.launch(SERVE, editor_capabilities("vscode")) as client:
        await client.initialize(path.parent, process_id=os.getpid())
        uri = client.open(path, path.read_text(), errand.language)
        await client.wait_for_diagnostics(uri)
        if errand.work == "save":
            client.save(uri)
        else:
            begun = await command(client, errand.work, uri=uri, kernel=errand.kernel)
            number = begun["job"]
            await client.wait_for(
                lambda: state_of(client, number) == "running" and jobs(client)[number]["done"] >= errand.steps,
                STATE_SECONDS,
                "the job",
            )
        server = client.connection.process
        assert server is not None
        said = {"server": server.pid}
        if errand.keeper:
            said["keeper"] = subprocess.Popen(["sleep", "600"], pass_fds=_pipes_of(server)).pid
        sys.stdout.write(json.dumps(said) + "\n")
        sys.stdout.flush()
        await asyncio.sleep(3600)


def _pipes_of(process: asyncio.subprocess.Process) -> list[int]:
    """Our ends of a child's standard input and output."""
    transport = cast(asyncio.SubprocessTransport, process._transport)  # pyright: ignore
    pipes = [transport.get_pipe_transport(number) for number in (0, 1)]
    return [pipe.get_extra_info("pipe").fileno() for pipe in pipes if pipe is not None]


if __name__ == "__main__":
    asyncio.run(run(Errand(**json.loads(sys.stdin.readline()))))
