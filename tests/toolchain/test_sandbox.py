"""What a child in the sandbox can't do, and that nothing of it is left. Beside each refusal stands what works."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from kernwright.run.local import LocalRunner
from kernwright.run.model import Limits, Outcome

RUNNER = LocalRunner()
STRONG = RUNNER.sandbox.strong
needs_bubblewrap = pytest.mark.skipif(not STRONG, reason=f"needs bubblewrap: {RUNNER.strength}")


def shell(folder: Path, script: str, limits: Limits | None = None, readable: tuple[Path, ...] = ()) -> Outcome:
    return RUNNER.sandboxed(
        ["/bin/sh", "-c", script], directory=folder, limits=limits or Limits(wall_seconds=10), readable=readable
    )


def test_reads_its_folder_and_says_how_it_ended(tmp_path: Path) -> None:
    (tmp_path / "job").write_text("the job")
    outcome = shell(tmp_path, "cat job; echo complaint >&2; exit 3")
    assert (outcome.status, outcome.stdout, outcome.stderr) == (3, b"the job", b"complaint\n")


def test_input_comes_through_and_is_empty_otherwise(tmp_path: Path) -> None:
    given = RUNNER.sandboxed(["/bin/cat"], directory=tmp_path, stdin=b"x" * 300_000)
    assert given.stdout == b"x" * 300_000
    assert RUNNER.sandboxed(["/bin/cat"], directory=tmp_path).stdout == b""


@needs_bubblewrap
@pytest.mark.parametrize("where", ["own folder", "another folder", "system"])
def test_cannot_write(tmp_path: Path, where: str) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    target = {"own folder": own / "new", "another folder": other / "new", "system": Path("/usr/kernwright-new")}[where]
    assert shell(own, f"echo harm > {target}").status != 0
    assert not target.exists()
    assert shell(own, "echo fine > /tmp/new && cat /tmp/new").stdout == b"fine\n"
    assert not Path("/tmp/new").exists()


@needs_bubblewrap
def test_cannot_read_home_or_other_folders(tmp_path: Path) -> None:
    own, secret = tmp_path / "own", tmp_path / "secret"
    own.mkdir()
    secret.write_text("secret")
    assert shell(own, f"cat {secret}").status != 0
    assert shell(own, f"ls {Path.home()}").status != 0
    assert shell(own, f"cat {secret}", readable=(secret,)).stdout == b"secret"


def test_sees_no_variable_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "secret")
    for outcome in (shell(tmp_path, "env"), RUNNER.tool(["/usr/bin/env"], directory=tmp_path)):
        assert b"SECRET" not in outcome.stdout
        assert b"PATH=" in outcome.stdout


@needs_bubblewrap
def test_has_no_network(tmp_path: Path) -> None:
    script = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        words = ["/usr/bin/python3", "-c", script, port]
        if not Path(words[0]).exists():
            pytest.skip("needs the system's python3")
        assert RUNNER.tool(words, directory=tmp_path).ok
        assert not RUNNER.sandboxed(words, directory=tmp_path).ok


@needs_bubblewrap
def test_sees_and_signals_no_other_process(tmp_path: Path) -> None:
    assert shell(tmp_path, f"kill -0 {os.getpid()}").status != 0
    assert shell(tmp_path, "kill -0 $$").status == 0


def test_endless_loop_ends_with_the_clock(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "while :; do :; done", Limits(wall_seconds=0.5))
    assert outcome.timed_out
    assert outcome.seconds < 5


def test_output_is_cut_off(tmp_path: Path) -> None:
    outcome = shell(tmp_path, "head -c 3000000 /dev/zero", Limits(wall_seconds=10, output_bytes=1000))
    assert outcome.ok
    assert (len(outcome.stdout), outcome.truncated) == (1000, True)
    assert not shell(tmp_path, "head -c 1000 /dev/zero", Limits(output_bytes=1000)).truncated


def test_memory_is_bounded(tmp_path: Path) -> None:
    hungry = f"{sys.executable} -c 'print(len(bytearray({{}})))'"
    limits = Limits(wall_seconds=20, memory_bytes=200 << 20)
    python = (Path(sys.base_prefix), Path(sys.prefix))
    assert shell(tmp_path, hungry.format(10 << 20), limits, python).ok
    assert not shell(tmp_path, hungry.format(400 << 20), limits, python).ok


def test_large_files_are_not_written(tmp_path: Path) -> None:
    small = Limits(file_bytes=1 << 16)
    assert not shell(tmp_path, "head -c 200000 /dev/zero > /tmp/kernwright-large", small).ok
    Path("/tmp/kernwright-large").unlink(missing_ok=True)


def marked(mark: str) -> list[psutil.Process]:
    """Processes with a word in their command line that no other test uses."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid != os.getpid() and any(mark in word for word in process.cmdline()):
                found.append(process)
    return found


def none_left(mark: str) -> bool:
    deadline = time.monotonic() + 5
    while marked(mark):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("sleep {mark} & exit 0", id="background"),
        pytest.param("sleep {mark} & wait", id="waits-past-the-clock"),
        pytest.param("(sleep {mark} &) ; sleep {mark}", id="grandchild"),
        pytest.param("setsid sleep {mark} & exit 0", id="own-session", marks=needs_bubblewrap),
        pytest.param("trap '' TERM INT HUP; sleep {mark}", id="deaf-to-signals"),
        pytest.param(
            "for i in 1 2 3 4 5 6 7 8 9; do (setsid sh -c 'sleep {mark} & sleep {mark}' &) ; done",
            id="many",
            marks=needs_bubblewrap,
        ),
    ],
)
def test_no_process_is_left(tmp_path: Path, script: str) -> None:
    mark = f"31{time.monotonic_ns() % 10**9}.25"
    shell(tmp_path, script.format(mark=mark), Limits(wall_seconds=0.5, processes=100))
    assert none_left(mark)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("method", ["sandboxed", "tool"])
def test_no_process_is_left_when_we_are_ended(tmp_path: Path, number: signal.Signals, method: str) -> None:
    if number is signal.SIGKILL and (method == "tool" or not STRONG):
        pytest.skip("only bubblewrap ends a child whose parent was killed outright")
    mark = f"32{time.monotonic_ns() % 10**9}.25"
    program = f"""
        from pathlib import Path
        from kernwright.cli.program import leave_on_termination
        from kernwright.run.local import LocalRunner
        leave_on_termination()
        LocalRunner().{method}(["/bin/sh", "-c", "sleep {mark}; true"], directory=Path({str(tmp_path)!r}))
    """
    process = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program)], stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 20
    while not any(each.name() == "sleep" for each in marked(mark)):
        assert time.monotonic() < deadline, "the child did not start"
        time.sleep(0.02)
    process.send_signal(number)
    assert process.wait(10) != 0
    assert none_left(mark)


@needs_bubblewrap
@pytest.mark.skipif(os.geteuid() == 0, reason="the kernel does not bound the processes of root")
def test_processes_are_bounded(tmp_path: Path) -> None:
    script = "for i in $(seq 60); do sleep 1 & done; wait"
    assert shell(tmp_path, script, Limits(wall_seconds=10, processes=1000)).ok
    assert b"fork" in shell(tmp_path, script, Limits(wall_seconds=10, processes=20)).stderr


def test_program_that_is_not_there_is_an_outcome(tmp_path: Path) -> None:
    outcome = RUNNER.tool(["/no/such/program"], directory=tmp_path)
    assert not outcome.ok
    assert b"/no/such/program" in outcome.stderr


def test_strength_is_said() -> None:
    assert RUNNER.strength.startswith("bubblewrap:" if STRONG else "weak sandbox:")
