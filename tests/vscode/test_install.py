"""The extension from nothing: installed in clean folders, it makes the environment of its server by itself."""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from .browser import profile
from .conftest import write_files
from .expectations import check, needs_compiler
from .host import Ground, Host, isolated
from .install import Carrier, Unavailable
from .kernels import DOT
from .package import IDENTIFIER, packed
from .window import Window

pytestmark = [pytest.mark.editor, pytest.mark.slow, needs_compiler]
LIMIT_BYTES = 8 * 1024 * 1024


def clean_ground(carrier: Carrier, folder: Path) -> Ground:
    return Ground(folder, carrier, folder / "extensions", folder / "cache", {"kernwright.rounds": 3})


def workspace_of(ground: Ground) -> Path:
    workspace = ground.folder / "workspace"
    write_files(workspace, {"dot.c": DOT})
    return workspace


def require_private_server(window: Window, ground: Ground, host: Host) -> None:
    """Install on request, and see that it is the private server that finds what it should."""
    window.open_file("dot.c")
    check(window, toasts="Kernwright needs its server")
    assert not [row for row in window.seen("lenses") if row], "who serves?"
    window.answer("Kernwright needs its server", "Install")
    check(window, toasts="Installing the Kernwright server")
    check(window, squiggles="squiggly-info", lenses="Optimize", status="Kernwright: running")
    serving = [" ".join(process.cmdline()) for process in host.processes()]
    storage = ground.user / "User" / "globalStorage" / IDENTIFIER
    assert [words for words in serving if str(storage) in words and "serve" in words], serving
    window.save()
    check(window, lines="vectorised with")


def test_from_clean_folders_and_the_package_index(
    carrier: Carrier, vsix: Path, browser: Browser, tmp_path: Path
) -> None:
    assert vsix.stat().st_size < LIMIT_BYTES
    ground = clean_ground(carrier, tmp_path)
    assert "was successfully installed" in ground.install(vsix)
    with ground.running() as host:
        context = profile(browser)
        window = Window.open(host, context, workspace_of(ground))
        require_private_server(window, ground, host)
        context.close()


def test_without_any_network(carrier: Carrier, browser: Browser, tmp_path: Path) -> None:
    way = isolated()
    if way is None:
        pytest.skip("no network namespace can be made: install bubblewrap, or run as root")
    try:
        vsix = packed(carrier, offline=True)
    except Unavailable as error:
        pytest.skip(str(error))
    print(f"{vsix.name}: {vsix.stat().st_size / 1024 / 1024:.1f} MB")
    ground = clean_ground(carrier, tmp_path)
    ground.install(vsix)
    with ground.running(before=way) as host, bridge(host.socket) as address:
        assert no_routes(host), "the namespace has a way out"
        context = profile(browser)
        window = Window.open(host, context, workspace_of(ground), address)
        require_private_server(window, ground, host)
        context.close()


def no_routes(host: Host) -> bool:
    """Whether the networks that its processes see lead nowhere: there is no line behind the heading of the routes."""
    # What made the namespace stands outside of it and waits.
    inside = [process for process in host.processes() if process.name() != "bwrap"]
    tables = [Path(f"/proc/{process.pid}/net/route").read_text() for process in inside]
    return len(tables) > 0 and all(len(table.splitlines()) <= 1 for table in tables)


@contextmanager
def bridge(path: Path | None) -> Generator[str]:
    """An address of this machine that leads to a socket in the file system, which a namespace shares."""
    assert path is not None

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with socket.socket(socket.AF_UNIX) as there:
                there.connect(str(path))
                back = threading.Thread(target=_carry, args=(there, self.request), daemon=True)
                back.start()
                _carry(self.request, there)
                back.join(10)

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True
        allow_reuse_address = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def _carry(here: socket.socket, there: socket.socket) -> None:
    """Bytes from one socket to the other until the first ends."""
    try:
        while data := here.recv(1 << 16):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:
        pass
