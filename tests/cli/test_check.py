"""``kernwright check``: what it says, in text and JSON, and what it says of input that is no source."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from program import SCALE, Program, needs_compiler

COLUMNS = """\
void total(int n, const float *a, float *y)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[j] += a[i * n + j];
}
"""


@needs_compiler
def test_findings_have_place_rule_and_evidence(program: Program) -> None:
    program.write("add.c", "/* é𝄞 */ " + COLUMNS)
    answer = program.run("check", "add.c", "--format", "json")
    assert answer.status == 0
    assert not answer.error_lines
    findings = answer.json["findings"]
    assert findings
    source = (program.folder / "add.c").read_bytes()
    for finding in findings:
        assert finding["file"] == "add.c"
        assert finding["kernel"] == "total(int, const float*, float*)"
        assert finding["severity"] in ("error", "warning", "information", "hint")
        assert finding["evidence"] in ("static", "compiler", "counted", "measured", "estimated", "proved")
        # The position in UTF-16 units and the byte offset are the same place.
        row, column = int(finding["range"]["start"]["line"]), int(finding["range"]["start"]["character"])
        text = source.decode().splitlines(keepends=True)
        line = text[row].encode("utf-16-le")[: 2 * column].decode("utf-16-le")
        head = "".join(text[:row]).encode() + line.encode()
        assert len(head) == finding["start_byte"]
    [file] = answer.json["files"]
    assert file["origin"] == "default flags"
    assert file["command"][1:] == ["-O3", "-march=native"]


@needs_compiler
def test_text_for_people(program: Program) -> None:
    program.write("add.c", COLUMNS)
    program.write("clean.c", "int one(void) { return 1; }\n")
    answer = program.run("check", "add.c", "clean.c", "--verbose")
    assert answer.status == 0
    assert all(line.startswith("add.c:") and line.endswith("]") for line in answer.out.splitlines())
    assert "clean.c: " in answer.err and "-O3 -march=native (default flags)" in answer.err
    assert "in 1 kernel of 2 files" in answer.err
    assert program.run("check", "add.c", "--quiet").err == ""


@needs_compiler
def test_strict_makes_findings_a_failure(program: Program) -> None:
    program.write("add.c", COLUMNS)
    program.write("clean.c", "int one(void) { return 1; }\n")
    assert program.run("check", "add.c", "--strict").status == 1
    assert program.run("check", "clean.c", "--strict").status == 0


@needs_compiler
def test_folders_are_walked_but_for_what_was_made(program: Program) -> None:
    for name in ("a.c", "b/c.cpp", "b/d.h", "build/e.c", ".hidden/f.c", "third/g.c", "b/notes.txt"):
        program.write(name, "int x;\n")
    (program.folder / "link").symlink_to(program.folder / "b")
    program.write("kernwright.toml", "[settings]\nignore = ['third/*']\n")
    answer = program.run("check", ".", "--format", "json")
    assert [file["path"] for file in answer.json["files"]] == ["a.c", "b/c.cpp", "b/d.h"]
    # A file that is named is read, wherever it lies.
    assert program.run("check", "build/e.c", "--format", "json").json["files"][0]["path"] == "build/e.c"


UNREADABLE = [
    ("none.c", None, "none.c: no such file or folder; check the path"),
    ("binary.c", b"\x7fELF\x00\x01", "binary.c:1: a zero byte: this is a binary file, not source"),
    ("big.c", b"int x;\n" * 720_000, "big.c: 5,040,000 bytes is over the limit of 4,194,304"),
    ("latin.c", b"int x;\nint y; // \xe9\n", "latin.c:2:11: byte 0xe9 is not UTF-8; save the file as UTF-8"),
    ("utf16.c", "int x;".encode("utf-16"), "utf16.c:1:1: the file is UTF-16; save it as UTF-8"),
    ("deep.c", b"int x = " + b"(" * 30_000 + b"1" + b")" * 30_000 + b";", "deep.c: brackets are nested 30000 deep"),
]


@needs_compiler
@pytest.mark.parametrize(("name", "content", "line"), UNREADABLE, ids=[name for name, _, _ in UNREADABLE])
def test_what_is_no_source_is_one_line_and_others_are_still_checked(
    program: Program, name: str, content: bytes | None, line: str
) -> None:
    if content is not None:
        program.write(name, content)
    program.write("good.c", SCALE)
    answer = program.run("check", name, "good.c", "--format", "json")
    assert answer.status == 2
    assert len(answer.error_lines) == 1
    assert line in answer.err
    assert [file["path"] for file in answer.json["files"]] == ["good.c"]


@needs_compiler
@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission(program: Program) -> None:
    program.write("secret.c", SCALE).chmod(0)
    answer = program.run("check", "secret.c")
    assert (answer.status, answer.error_lines) == (
        2,
        ["kernwright: secret.c: Permission denied; check the path and its permissions"],
    )


@needs_compiler
@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\xef\xbb\xbf" + SCALE.encode(), SCALE.replace("\n", "\r\n").encode(), b"{{{ ((( int",
     SCALE.replace("\n", "\r").encode(), b"\x0c\x0b" + SCALE.encode()],
    ids=["empty", "newline", "BOM", "CRLF", "broken", "CR", "form feed"],
)  # fmt: skip
def test_what_is_odd_and_fine(program: Program, content: bytes) -> None:
    program.write("odd.c", content)
    answer = program.run("check", "odd.c", "--format", "json")
    assert answer.status == 0
    assert not answer.error_lines
    assert (program.folder / "odd.c").read_bytes() == content


@needs_compiler
def test_what_does_not_compile_is_a_finding(program: Program) -> None:
    program.write("bad.c", SCALE.replace("* 0.5f", "* missing"))
    program.write("header.c", '#include "nowhere.h"\n' + SCALE)
    answer = program.run("check", "bad.c", "header.c", "--format", "json")
    assert answer.status == 0
    errors = [(one["file"], one["range"]["start"]["line"], one["evidence"]) for one in answer.json["findings"]
              if one["rule"] == "compile-error"]  # fmt: skip
    assert ("bad.c", 12, "compiler") in errors
    assert ("header.c", 0, "compiler") in errors


@needs_compiler
def test_a_contract_error_is_a_finding_at_its_place(program: Program) -> None:
    program.write("scale.c", SCALE.replace("f32[n]", "f99[n]"))
    [finding] = program.run("check", "scale.c", "--format", "json").json["findings"]
    assert (finding["rule"], finding["severity"]) == ("contract", "error")
    assert finding["range"]["start"]["line"] == 3
    assert "f99" in finding["message"]


@needs_compiler
def test_the_command_of_a_database_is_named(program: Program) -> None:
    program.write("src/scale.c", SCALE)
    entry = {
        "directory": str(program.folder),
        "file": "src/scale.c",
        "command": "cc -O2 -DX=1 -c src/scale.c -o scale.o",
    }
    program.write("compile_commands.json", json.dumps([entry]))
    [file] = program.run("check", "src/scale.c", "--format", "json").json["files"]
    assert "compile_commands.json" in file["origin"]
    assert "-DX=1" in file["command"]


def test_without_a_compiler_the_rules_still_speak(program: Program, tmp_path: Path) -> None:
    program.write("kernwright.toml", "")
    program.write("column.c", COLUMNS)
    answer = program.run("check", "column.c", "--format", "json", PATH=str(tmp_path))
    assert answer.status == 0
    assert len(answer.error_lines) == 1
    assert "no C compiler was found" in answer.err
    assert answer.json["findings"]
    assert answer.json["files"][0]["command"] is None
