"""Programs that try to get out of the sandbox, or to take everything: none succeeds, each is ended and said, nothing
of it is left, and the next job runs as if there had been none.

Each is a script of Python's that prints ``got: …`` where it succeeds. The same script outside the sandbox does succeed
where that can be tried without harm: a refusal that comes from a mistake in the script proves nothing.
"""

from __future__ import annotations

import os
import signal
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest
from host_fixtures import SEARCH_PATH

from kernwright.run.local import REFUSED, LocalRunner
from kernwright.run.model import Limits, Outcome
from kernwright.run.sandbox import probe, remedy_on

RUNNER = LocalRunner(SEARCH_PATH)
PYTHON = Path("/usr/bin/python3")
pytestmark = [
    pytest.mark.skipif(not RUNNER.sandbox.strong, reason=f"needs bubblewrap: {RUNNER.strength}"),
    pytest.mark.skipif(not PYTHON.exists(), reason="needs the system's python3, which the sandbox can read"),
]
BOUNDS = Limits(wall_seconds=20, memory_bytes=512 << 20, file_bytes=32 << 20, processes=100, output_bytes=1 << 16)


@dataclass(frozen=True)
class Attack:
    """``script`` knows ``PARENT``, the process id of who started it, ``SECRET``, a file beside its folder, and
    ``MARK``, a word that marks its processes. ``tried`` tells that the script succeeds outside."""

    script: str
    limits: Limits = BOUNDS
    tried: bool = False
    ends_by_clock: bool = False
    too_much: bool = False
    """Whether its output is cut off."""
    environment: dict[str, str] = field(default_factory=dict[str, str])


ATTACKS = {
    "network": Attack("""
        import socket
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        reached = [name for _, name in socket.if_nameindex() if name != "lo"]
        print("got:", reached[0])
    """),
    "datagram to the world": Attack("""
        import socket
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM).connect(("192.0.2.1", 9))
        print("got: a way out")
    """),
    "secret beside its folder": Attack('print("got:", open(SECRET).read())', tried=True),
    "secret in home": Attack("""
        import os, pwd
        print("got:", os.listdir(pwd.getpwuid(os.getuid()).pw_dir)[:1] if os.path.exists("/etc/passwd") else 1 / 0)
    """),
    "secret in the environment": Attack("""
        import os
        print("got:", os.environ["KW_TEST_SECRET"])
    """),
    "secret in another's environment": Attack("""
        print("got:", open(f"/proc/{PARENT}/environ", "rb").read()[:1])
    """, tried=True),
    "writes beside its folder": Attack("open(SECRET, 'r+'); print('got: it opens')", tried=True),
    "writes to its folder": Attack("open('new', 'w').write('x'); print('got: it writes')"),
    "writes to the system": Attack("open('/usr/lib/kernwright-new', 'w'); print('got: it writes')"),
    "remounts": Attack("""
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.mount(None, b"/usr", None, 32 | 4096, None) == 0:  # MS_REMOUNT | MS_BIND
            print("got: /usr")
    """),
    "fork bomb": Attack("""
        import os, sys, time
        # At most 2**8 processes: enough to be many, and no harm where they are not bounded.
        for _ in range(8):
            os.fork()
        time.sleep(60)
    """, Limits(wall_seconds=3, processes=400), ends_by_clock=True),
    "memory bomb": Attack("""
        kept = []
        while True:
            kept.append(bytearray(b"x" * (16 << 20)))
            if len(kept) > 64:
                print("got: 1 GiB")
                break
    """),
    "files in memory": Attack("""
        for number in range(40):
            with open(f"/tmp/{number}", "wb") as file:
                file.write(b"x" * (16 << 20))
        print("got: 640 MiB")
    """),
    "large file": Attack("""
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        with open("/tmp/large", "wb", buffering=0) as file:
            for _ in range(64):
                file.write(b"x" * (1 << 20))
            if file.tell() >= 64 << 20:
                print("got: 64 MiB")
    """),
    "endless loop": Attack("while True: pass", Limits(wall_seconds=1), ends_by_clock=True),
    "endless loop in its signal handlers": Attack("""
        import signal, time
        for number in range(1, 32):
            if number not in (9, 19):
                signal.signal(number, lambda *_: time.sleep(60))
        while True:
            pass
    """, Limits(wall_seconds=1), ends_by_clock=True),
    "huge output": Attack("""
        import os
        for _ in range(2000):
            os.write(1, b"x" * 65536)
            os.write(2, b"x" * 65536)
    """, too_much=True),
    "orphans": Attack("""
        import os, subprocess
        for _ in range(5):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.execv("/bin/sh", ["sh", "-c", f": {MARK}; sleep 60; :"])
                os._exit(0)
    """),
    "signals to its parent": Attack("import os; os.kill(PARENT, 0); print('got: it is there')", tried=True),
    "signals to everybody": Attack("import os, signal; os.kill(-1, signal.SIGTERM)"),
    "stops its parent's group": Attack(
        "import os; os.killpg(os.getpgid(PARENT), 0); print('got: a group')", tried=True
    ),
    "traces its parent": Attack("""
        import ctypes
        if ctypes.CDLL(None).ptrace(16, PARENT, None, None) == 0:  # PTRACE_ATTACH
            print("got: a tracer")
    """),
    "memory of its parent": Attack("open(f'/proc/{PARENT}/mem', 'rb'); print('got: memory')"),
    "files of its parent": Attack("import os; print('got:', os.listdir(f'/proc/{PARENT}/fd')[0])", tried=True),
    "writes to a process by its number": Attack("""
        import ctypes
        buffer = ctypes.create_string_buffer(8)
        class Piece(ctypes.Structure):
            _fields_ = [("at", ctypes.c_void_p), ("size", ctypes.c_size_t)]
        here, there = Piece(ctypes.addressof(buffer), 8), Piece(4096, 8)
        read = ctypes.CDLL(None).process_vm_readv
        if read(PARENT, ctypes.byref(here), 1, ctypes.byref(there), 1, 0) > 0:
            print("got: eight bytes")
    """),
    "link out of its folder": Attack("print('got:', open('link').read())", tried=True),
    "link to a folder outside": Attack(
        "import os; print('got:' if 'secret' in os.listdir('folder-link') else 'empty')", tried=True
    ),
    "folder replaced by a link": Attack("""
        import os
        here = os.getcwd()
        os.chdir("/")
        os.rename(here, here + "-old")
        os.symlink("/", here)
        print("got: another folder")
    """),
    "device": Attack("open('/dev/mem', 'rb'); print('got: memory')"),
    "new privileges": Attack("""
        import ctypes
        # PR_GET_NO_NEW_PRIVS is 39: a program of root's is no way up.
        if ctypes.CDLL(None).prctl(39, 0, 0, 0, 0) == 0:
            print("got: new privileges")
    """, tried=True),
    "capabilities": Attack("""
        held = [line for line in open("/proc/self/status") if line.startswith(("CapEff", "CapPrm", "CapBnd"))]
        if any(int(line.split()[1], 16) for line in held):
            print("got:", held)
    """),
    "terminal of whoever runs it": Attack("open('/dev/tty', 'w'); print('got: a terminal')"),
    "descriptors left open": Attack("""
        import os
        for number in range(3, 64):
            try:
                target = os.readlink(f"/proc/self/fd/{number}")
            except OSError:
                continue
            if not target.startswith(("/proc", "anon_inode", "pipe")):
                print("got:", target)
    """),
}  # fmt: skip


def run(attack: Attack, folder: Path, mark: str, sandboxed: bool = True) -> Outcome:
    """One attack in a folder of its own, with a secret beside that and links in it that lead there."""
    own, secret = folder / "own", folder / "secret"
    own.mkdir(exist_ok=True)
    secret.write_text("secret")
    for link, target in (("link", secret), ("folder-link", folder)):
        if not (own / link).is_symlink():
            (own / link).symlink_to(target)
    head = f"PARENT, SECRET, MARK = {os.getpid()}, {str(secret)!r}, {mark!r}\n"
    words = [str(PYTHON), "-I", "-c", head + textwrap.dedent(attack.script)]
    start = RUNNER.sandboxed if sandboxed else RUNNER.tool
    return start(words, directory=own, limits=attack.limits)


def check(name: str, folder: Path) -> None:
    """The attack gets nothing, ends, is said, leaves nothing, and the next job is as the one before."""
    attack, mark = ATTACKS[name], f"kw-attack-{time.monotonic_ns()}"
    before = {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*")) if not path.is_symlink()}
    outcome = run(attack, folder, mark)
    assert b"got:" not in outcome.stdout
    assert outcome.timed_out is attack.ends_by_clock
    assert outcome.truncated is attack.too_much
    assert outcome.seconds < attack.limits.wall_seconds + 10
    assert not _processes_with(mark)
    assert (folder / "secret").read_text() == "secret"
    left = {path: path.stat().st_mtime_ns for path in sorted(folder.rglob("*")) if not path.is_symlink()}
    assert set(left) - set(before) <= {folder / "own", folder / "secret"}
    following = run(Attack("import os; print(os.path.exists('/tmp/large'), 6 * 7)"), folder, mark)
    assert (following.status, following.stdout) == (0, b"False 42\n")


def _processes_with(mark: str) -> list[str]:
    found: list[str] = []
    for process in psutil.process_iter():
        try:
            if any(mark in word for word in process.cmdline()):
                found.append(f"{process.pid} {process.name()}")
        except psutil.Error:
            continue
    return found


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_contained(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KW_TEST_SECRET", "secret")
    check(name, tmp_path)


@pytest.mark.parametrize("name", [name for name, attack in ATTACKS.items() if attack.tried])
def test_the_same_succeeds_outside(tmp_path: Path, name: str) -> None:
    assert b"got:" in run(ATTACKS[name], tmp_path, "kw-outside", sandboxed=False).stdout


@pytest.mark.parametrize("system", ["Linux", "Darwin", "Windows", "Plan 9"])
def test_what_holds_without_bubblewrap_is_said(system: str) -> None:
    sandbox = probe(lambda argv, limits: Outcome(1, b"", b"bwrap: no user namespaces\n", 0.0), system)
    assert not sandbox.strong
    assert sandbox.strength.startswith("weak sandbox: limits of time and memory only")
    words = "no user namespaces" if system == "Linux" else remedy_on(system)
    assert words in sandbox.strength


@pytest.mark.parametrize(("allowed", "status"), [(True, 0), (False, REFUSED)])
def test_weak_sandbox_can_be_ruled_out(tmp_path: Path, allowed: bool, status: int) -> None:
    runner = LocalRunner(SEARCH_PATH, allow_weak_sandbox=allowed)
    runner.__dict__["sandbox"] = probe(lambda argv, limits: Outcome(1, b"", b"", 0.0))
    outcome = runner.sandboxed(["/bin/sh", "-c", "echo ran"], directory=tmp_path)
    assert outcome.status == status
    assert (outcome.stdout == b"ran\n") is allowed
    assert (b"allow_weak_sandbox" in outcome.stderr) is not allowed
    assert runner.tool(["/bin/sh", "-c", "exit 0"], directory=tmp_path).ok


def test_a_child_that_dies_by_a_signal_says_which(tmp_path: Path) -> None:
    outcome = run(Attack("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)"), tmp_path, "kw-signal")
    # The first process of a sandbox passes a signal on as a shell does.
    assert outcome.status in (-signal.SIGSEGV, 128 + signal.SIGSEGV)
