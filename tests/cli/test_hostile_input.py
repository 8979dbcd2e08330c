"""What nobody means to hand to a program and somebody will: pipes, devices, links to nowhere, names and settings that
are wrong, disks that are full, streams that are closed. One line each, and nothing written."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from program import SCALE, Answer, Program, interrupted, left_of, needs_compiler

from kernwright.cli.words import verdict_lines
from kernwright.tasks.verify import not_checkable

AS_USER = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.geteuid() == 0 else []
"""Takes from root what lets it read everything."""
HEAD = "void f(int n, float *x) { for (int i = 0; i < n; i++) "
TWICE = f"{HEAD} x[i] *= 2; }}\n" * 2


def check(program: Program, *words: str, status: int = 2, lines: tuple[str, ...] = (), **environment: str) -> Answer:
    """Run a command line: its status, its complaints in order, and nothing of the workspace changed by it."""
    before = texts_below(program.folder)
    answer = program.run(*words, limit=120, **environment)
    assert answer.status == status, answer.err
    said = answer.error_lines
    assert len(said) == len(lines), answer.err
    for line, wanted in zip(said, lines, strict=True):
        assert wanted in line
    assert texts_below(program.folder) == before
    return answer


def texts_below(folder: Path) -> dict[Path, bytes]:
    return {
        path: path.read_bytes()
        for path in folder.rglob("*")
        if not path.is_symlink() and stat.S_ISREG(path.lstat().st_mode) and path.stat().st_mode & 0o400
    }


@needs_compiler
def test_what_is_no_file_and_what_is_too_deep_is_said_and_the_rest_is_checked(program: Program) -> None:
    os.mkfifo(program.folder / "pipe.c")
    (program.folder / "gone.c").symlink_to("nowhere")
    (program.folder / "loop.c").symlink_to("loop.c")
    program.write("ifs.c", HEAD + "if (n) " * 20_000 + "x[i] = 0; }\n")
    program.write("sum.c", HEAD + "x[i] = " + " + ".join(["x[i]"] * 20_000) + "; }\n")
    program.write("stack.c", HEAD + "if (n) " * 700 + "x[i] = 0; }\n")
    program.write("good é𝄞.c", SCALE)
    long = "a" * 300 + ".c"
    files = (
        "pipe.c",
        "/dev/zero",
        "gone.c",
        "loop.c",
        long,
        "good é𝄞.c/x.c",
        "ifs.c",
        "sum.c",
        "stack.c",
        "good é𝄞.c",
    )
    answer = check(
        program, "check", "--format", "json", *files,
        lines=(
            "gone.c: is a link to nothing; check where it leads",
            "loop.c: Too many levels of symbolic links; check the path and its permissions",
            f"{long}: File name too long; check the path and its permissions",
            "x.c: no such file or folder; check the path",
            "pipe.c: is a pipe, a device or a socket; save the source in a file",
            "/dev/zero: is a pipe, a device or a socket; save the source in a file",
            "ifs.c:1:", "sum.c:1:", "stack.c: is nested too deeply to be analysed; split the code",
        ),
        PYTHONIOENCODING="ascii",
    )  # fmt: skip
    assert [file["path"] for file in answer.json["files"]] == ["good é𝄞.c"]
    check(program, "optimize", "pipe.c", lines=("pipe.c: is a pipe, a device or a socket",))
    check(program, "optimize", "stack.c", lines=("stack.c: is nested too deeply to be analysed; split the code",))


@needs_compiler
@pytest.mark.skipif(bool(AS_USER) and shutil.which("setpriv") is None, reason="root may read everything")
def test_what_may_not_be_read(program: Program) -> None:
    program.write("secret.c", SCALE).chmod(0)
    program.write("closed/a.c", SCALE)
    program.write("good.c", SCALE)
    (program.folder / "closed").chmod(0)
    start = [*AS_USER, sys.executable, "-c", "from kernwright.cli import main; main()"]
    words = [*start, "check", ".", "secret.c", "closed/a.c", "--format", "json"]
    ended = subprocess.run(
        words, cwd=program.folder, env=program.environment(), capture_output=True, text=True, timeout=120, check=False
    )
    (program.folder / "closed").chmod(0o700)
    assert ended.returncode == 2
    assert [file["path"] for file in json.loads(ended.stdout)["files"]] == ["good.c"]
    assert sorted(ended.stderr.splitlines()) == [
        "kernwright: ./closed: Permission denied; check its permissions, or leave it out with 'ignore'",
        "kernwright: closed/a.c: Permission denied; check the path and its permissions",
        "kernwright: secret.c: Permission denied; check the path and its permissions",
    ]


@needs_compiler
def test_every_mistake_of_a_workspace_file_is_said_with_its_place(program: Program) -> None:
    program.write("scale.c", SCALE)
    program.write(
        "kernwright.toml",
        b"\xef\xbb\xbf[settings]\ntrusted = true\nround = 3\n[settings.rules]\ncolum-walk = false\n"
        b'[setting]\nx = 1\n[kernel.scale]\n[kernel."no.c:scale".args]\n',
    )
    check(
        program, "check", "scale.c", status=0,
        lines=(
            "kernwright.toml:6: no such table: setting; do you mean [settings]?; left aside",
            "kernwright.toml:2: trusted: only the user's own settings may say this; left aside",
            "KERNWRIGHT_ROUNDS: input should be greater than or equal to 1; left aside",
            "kernwright.toml:3: round: no such setting; do you mean rounds?; left aside",
            "there is no rule 'colum-walk'; do you mean 'column-walk'?",
            "kernwright.toml:8:1: 'scale' names no kernel: expected \"path:function\"",
            "kernwright.toml:9:1: there is no file 'no.c'",
        ),
        KERNWRIGHT_ROUNDS="0",
    )  # fmt: skip


@needs_compiler
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[settings\n", "kernwright.toml:1:10: Expected ']' at the end of a table declaration; its settings are"),
        ("[settings]\nignore = " + "[" * 5000, "kernwright.toml: is nested too deeply; its settings are left aside"),
        (None, "kernwright.toml: is a pipe, a device or a socket; its settings are left aside"),
    ],
    ids=["no TOML", "deep", "pipe"],
)
def test_a_workspace_file_that_cannot_be_read(program: Program, text: str | None, line: str) -> None:
    program.write("scale.c", SCALE)
    if text is None:
        os.mkfifo(program.folder / "kernwright.toml")
    else:
        program.write("kernwright.toml", text)
    check(program, "check", "scale.c", status=0, lines=(line,))


@needs_compiler
def test_a_name_that_is_there_twice_or_almost(program: Program) -> None:
    program.write("f.c", TWICE)
    program.write("near.c", SCALE)
    check(program, "optimize", "f.c", "--kernel", "f", lines=("'f(int, float*)' stands there 2 times (lines 1, 2)",))
    check(program, "optimize", "near.c", "--kernel", "scal", lines=("has no kernel 'scal'; do you mean scale?",))
    check(program, "optimize", "near.c", "--target", lines=("--target needs a value; see 'kernwright --help'",))


@needs_compiler
def test_a_build_that_the_contract_may_not_have_is_a_finding(program: Program) -> None:
    program.write("scale.c", SCALE.replace("[time]", '[build]\nflags = ["-fplugin=x.so"]\n[time]'))
    [finding] = check(program, "check", "scale.c", "--format", "json", status=0).json["findings"]
    assert finding["rule"] == "contract"
    assert "-fplugin=x.so would have the compiler run other programs" in finding["message"]


@needs_compiler
def test_nothing_of_an_untrusted_workspace_is_compiled_or_counts(program: Program) -> None:
    program.write("scale.c", SCALE)
    program.write(".kernwright/rules/bad.md", "no rule")
    check(program, "check", "scale.c", status=0, lines=("bad.md:1: no front matter",))
    answer = check(program, "check", "scale.c", "--untrusted", "--format", "json", status=0)
    assert answer.json["files"][0]["command"] is None
    assert "the workspace is not trusted" in answer.err
    answer = check(program, "optimize", "scale.c", status=0, KERNWRIGHT_TRUSTED="false")
    assert "the workspace is not trusted, so nothing of it is compiled or run" in answer.out
    answer = check(
        program, "verify", "scale.c", "--kernel", "scale", "--candidate", "scale.c", "--untrusted", status=1
    )
    assert answer.out.splitlines()[-1] == "not-checkable"


def test_a_pipe_among_the_rules_is_a_problem_of_its_own(program: Program) -> None:
    (program.folder / ".kernwright" / "rules").mkdir(parents=True)
    os.mkfifo(program.folder / ".kernwright" / "rules" / "pipe.md")
    answer = program.run("rules", "show", "column-walk")
    assert answer.status == 0
    [line] = answer.error_lines
    assert "pipe.md:1: a folder, pipe or device is no rule" in line


def test_there_is_no_prompt_to_show(program: Program) -> None:
    program.write("scale.c", SCALE)
    assert check(program, "optimize", "scale.c", "--show-prompt", "--format", "json", status=0).json == {"prompts": []}
    answer = check(program, "optimize", "scale.c", "--show-prompt", status=0)
    [line] = answer.err.splitlines()
    assert line.startswith("no model takes part: there is no prompt, and nothing is sent")


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        ("KERNWRIGHT rules show column-walk --quiet | head -c 1 > /dev/null; exit ${PIPESTATUS[0]}", 0, ""),
        ("KERNWRIGHT rules show column-walk --quiet >&-", 0, ""),
        ("KERNWRIGHT check none.c 2>&-", 2, ""),
        ("KERNWRIGHT schema contract > /dev/full", 2, "kernwright: the disk is full"),
        (
            "mkdir gone && cd gone && rmdir ../gone && KERNWRIGHT check x.c",
            2,
            "kernwright: the current folder no longer",
        ),
    ],
    ids=["reader leaves", "no output", "no errors", "full", "no folder"],
)
def test_streams_and_folders_that_went(program: Program, line: str, status: int, said: str) -> None:
    command = line.replace("KERNWRIGHT", f"'{sys.executable}' -c 'from kernwright.cli import main; main()'")
    ended = subprocess.run(
        ["bash", "-c", command], cwd=program.folder, env=program.environment(), capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert ended.returncode == status, ended.stderr
    assert ended.stderr.startswith(said) and len(ended.stderr.splitlines()) == bool(said)


def test_a_weak_sandbox_is_said_with_every_verdict() -> None:
    weak = replace(not_checkable("no"), sandbox="weak sandbox: limits of time and memory only")
    assert "note: weak sandbox: limits of time and memory only" in verdict_lines(weak)
    strong = replace(weak, sandbox="bubblewrap: no network")
    assert not [line for line in verdict_lines(strong) if "sandbox" in line or "bubblewrap" in line]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@needs_compiler
def test_a_full_disk_costs_the_cache_and_memory_alone(program: Program, small_disk: Path) -> None:
    program.write("scale.c", SCALE)
    (small_disk / "fill").write_bytes(b"x" * (40 << 10))
    program.home.mkdir()
    answer = check(
        program, "optimize", "scale.c", "--rounds", "1", "--format", "json", status=0,
        lines=("working without the cache. Free some space", "nothing is remembered"),
        KERNWRIGHT_CACHE=str(small_disk / "cache"), KERNWRIGHT_DATA=str(small_disk / "data"),
    )  # fmt: skip
    assert answer.json["kernels"][0]["baseline"]["ns"] > 0


@needs_compiler
@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.2, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0])
@pytest.mark.parametrize("command", ["optimize", "verify"])
def test_an_interrupt_at_any_time(program: Program, command: str, seconds: float) -> None:
    path = program.write("sum.c", SCALE.replace("n = 1000", "n = 400_000"))
    words = ["optimize"] if command == "optimize" else ["verify", "--kernel", "scale", "--candidate", "sum.c"]
    scratch = program.folder.parent / "scratch"
    scratch.mkdir()
    before = path.read_bytes()
    process = program.start(*words, "sum.c", "--no-cache", TMPDIR=str(scratch))
    answer = interrupted(process, seconds)
    # A fast machine may be done by then.
    assert answer.status in (130, 0, 1)
    assert answer.status != 130 or answer.error_lines[-1].startswith("kernwright: interrupted")
    assert path.read_bytes() == before and [found.name for found in program.folder.iterdir()] == ["sum.c"]
    assert list(scratch.iterdir()) == []


@needs_compiler
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_termination_leaves_nothing(program: Program, number: signal.Signals) -> None:
    program.write("sum.c", SCALE.replace("n = 1000", "n = 400_000"))
    scratch = program.folder.parent / "scratch"
    scratch.mkdir()
    process = program.start("optimize", "sum.c", "--no-cache", TMPDIR=str(scratch))
    deadline = time.monotonic() + 60
    while not list(scratch.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "Traceback" not in err
    assert left_of(process.pid) == [] and list(scratch.iterdir()) == []
