"""``verify``, ``optimize`` and ``profile`` on real compilers: answers, exit statuses, and what goes wrong."""

from __future__ import annotations

import time
from typing import Any

import pytest
from program import SCALE, Answer, Program, interrupted, needs_compiler

pytestmark = needs_compiler

SUM = """\
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -1..1"
return = "f32"
[check]
n = [0, 1, 7, 64]
tolerance = {rel = 1e-4, abs = 1e-4}
[time]
n = 4000
*/
float total(int n, const float *x)
{
    float sum = 0.0f;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return sum;
}
"""
FOUR = """\
float total(int n, const float *x)
{
    float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        s0 += x[i];
        s1 += x[i + 1];
        s2 += x[i + 2];
        s3 += x[i + 3];
    }
    for (; i < n; i++)
        s0 += x[i];
    return (s0 + s1) + (s2 + s3);
}
"""
LOOP = "for (int i = 0; i < n; i++)"


def check(program: Program, candidate: str, source: str = SUM, kernel: str = "total") -> Answer:
    program.write("original.c", source)
    program.write("candidate.c", candidate)
    answer = program.run("verify", "original.c", "--kernel", kernel, "--candidate", "candidate.c", "--format", "json")
    assert (program.folder / "original.c").read_text() == source
    return answer


def stage(reply: Any, name: str) -> Any:
    return next(one for one in reply["stages"] if one["name"] == name)


def test_a_rewrite_that_is_right_and_faster_is_accepted(program: Program) -> None:
    answer = check(program, FOUR)
    reply = answer.json
    assert (answer.status, reply["status"]) == (0, "accepted")
    assert [one["name"] for one in reply["stages"]] == ["build", "equal", "safe", "honest", "faster"]
    assert {one["status"] for one in reply["stages"]} == {"passed"}
    assert reply["cases"] > 10
    assert set(reply["error"]) == {"max_abs", "max_rel", "max_ulp", "original_vs_f64", "candidate_vs_f64"}
    speedup = reply["speedup"]
    assert 1 < speedup["low"] <= speedup["median"] <= speedup["high"]
    assert speedup["compiler"] and speedup["flags"] == ["-O3", "-march=native"]
    # The same question again is answered from the cache, with the same figures.
    assert check(program, FOUR).json == reply


def test_a_wrong_one_is_refuted_with_a_counterexample(program: Program) -> None:
    answer = check(program, FOUR.replace("for (; i < n; i++)", "for (; i < n - 1; i++)"))
    reply = answer.json
    assert (answer.status, reply["status"], stage(reply, "equal")["status"]) == (1, "refuted", "failed")
    example = stage(reply, "equal")["counterexample"]
    assert example["sizes"]["n"] > 0
    assert example["expected"] != example["got"]
    assert reply["speedup"] is None


@pytest.mark.parametrize(
    ("name", "candidate", "status", "words"),
    [
        ("does not compile", FOUR.replace("s0 = 0", "s0 = zero"), "build-failed", "zero"),
        ("missing header", '#include "no.h"\n' + FOUR.replace("float s0", "no_type s0"), "build-failed", "no_type"),
        ("crashes", FOUR.replace("return (", "*(volatile int *)8 = 1;\n    return ("), "refuted", "SIGSEGV"),
        (
            "loops for ever",
            FOUR.replace("return (", "for (volatile int k = 0; n > 9;) k++;\n    return ("),
            "refuted",
            "",
        ),
        ("another function", FOUR.replace("total", "sum"), "build-failed", "total"),
    ],
)
def test_candidates_that_fail(program: Program, name: str, candidate: str, status: str, words: str) -> None:
    answer = check(program, candidate)
    assert (answer.status, answer.json["status"]) == (1, status)
    assert words in answer.out


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("contract error", SUM.replace("f32[n]", "f99[n]"), "original.c:4:"),
        ("a parameter without entry", SUM.replace('x = "in f32[n] in -1..1"\n', ""), "parameter 'x'"),
        ("contract that is no TOML", SUM.replace("[args]", "[args"), "original.c:2:"),
        ("does not compile", SUM.replace("sum += x[i]", "sum += y[i]"), "y"),
        ("missing header", '#include "nowhere.h"\n' + SUM, "nowhere.h"),
        ("crashes", SUM.replace("return sum", "*(volatile int *)8 = 1; return sum"), "SIGSEGV"),
    ],
)
def test_originals_that_cannot_be_checked(program: Program, name: str, source: str, words: str) -> None:
    answer = check(program, FOUR, source)
    assert (answer.status, answer.json["status"]) == (1, "not-checkable")
    assert words in answer.out


def refused(answer: Answer, words: str) -> None:
    assert (answer.status, answer.out) == (2, "")
    assert len(answer.err.splitlines()) == 1
    assert words in answer.err


def test_usage_errors_are_one_line(program: Program) -> None:
    program.write("two.cpp", "float f(int n, float *x) { for (int i = 0; i < n; i++) x[i] += 1; return 0; }\n"
                  "float f(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; return 0; }\n")  # fmt: skip
    program.write("plain.c", "int one(void) { return 1; }\n")
    program.write("binary.c", b"\0")
    verify = ("verify", "two.cpp", "--candidate", "two.cpp", "--kernel")
    refused(
        program.run(*verify, "f"), "'f' names 2 kernels (lines 1, 2); give the parameter types, as in 'f(int, float*)'"
    )
    refused(program.run(*verify, "g"), "has no kernel 'g'; it has f")
    refused(program.run("verify", "two.cpp", "--kernel", "f(int, float*)", "--candidate", "binary.c"), "a zero byte")
    refused(program.run("optimize", "plain.c"), "has no kernel")
    refused(program.run("optimize", "none.c"), "none.c: No such file")
    refused(program.run("optimize"), "Missing argument 'FILE'")
    refused(program.run("optimise", "plain.c"), "No such command 'optimise'")
    refused(program.run("rules"), "Missing command")
    refused(program.run("optimize", "plain.c", "--rounds", "0"), "--rounds")
    refused(program.run("optimize", "plain.c", "--format", "xml"), "--format")
    refused(program.run("check", "plain.c", "--settings", "none.toml"), "none.toml: no such file")
    refused(program.run("check", "plain.c", "--target", "pdp11"), "there is no target 'pdp11' in this version")


def test_optimize_offers_what_was_verified_and_writes_on_demand(program: Program) -> None:
    path = program.write("sum.c", SUM)
    answer = program.run("optimize", "sum.c", "--rounds", "2", "--format", "json", limit=180)
    assert answer.status == 0
    assert path.read_text() == SUM
    [kernel] = answer.json["kernels"]
    assert (kernel["kernel"], kernel["contract"], kernel["asks"]) == ("total", "written", [])
    assert kernel["baseline"]["ns"] > 0
    assert kernel["rounds"] <= 2
    best = kernel["offers"][0]
    assert best["verdict"]["status"] == "accepted"
    data = path.read_bytes()
    for edit in sorted(best["edits"], key=lambda edit: -edit["start_byte"]):
        data = data[: edit["start_byte"]] + edit["new_text"].encode() + data[edit["end_byte"] :]
    # The second time everything comes from the cache, and --write applies the same edit.
    path.chmod(0o400)
    refusing = program.run("optimize", "sum.c", "--rounds", "2", "--write", "--quiet", "--format", "json")
    assert (refusing.status, refusing.json["accepted"], len(refusing.error_lines)) == (2, [], 1)
    assert refusing.json["kernels"][0]["offers"] and path.read_text() == SUM
    path.chmod(0o600)
    written = program.run("optimize", "sum.c", "--rounds", "2", "--write", "--quiet", "--format", "json")
    assert (written.status, [one["file"] for one in written.json["accepted"]]) == (0, [str(path)])
    assert path.read_bytes() == data


def test_a_contract_that_is_incomplete_asks(program: Program) -> None:
    program.write("list.c", "struct n { struct n *next; int v; };\n"
                  "int last(struct n *p) { int v = 0; while (p) { v = p->v; p = p->next; } return v; }\n")  # fmt: skip
    answer = program.run("optimize", "list.c", "--kernel", "last", "--format", "json")
    [kernel] = answer.json["kernels"]
    assert answer.status == 0
    assert kernel["asks"] and not kernel["offers"] and kernel["baseline"] is None


def test_an_interrupt_leaves_no_process_and_no_file(program: Program) -> None:
    path = program.write("sum.c", SUM.replace("n = 4000", "n = 4_000_000"))
    process = program.start("optimize", "sum.c", "--rounds", "50", "--write")
    deadline = time.monotonic() + 60
    while not list((program.home / "cache").rglob("*.db")) and time.monotonic() < deadline:
        time.sleep(0.1)
    answer = interrupted(process, 2.0)
    assert answer.status == 130
    assert answer.err.rstrip().splitlines()[-1].startswith("kernwright: interrupted")
    assert [found.name for found in program.folder.iterdir()] == ["sum.c"]
    assert path.read_text() == SUM.replace("n = 4000", "n = 4_000_000")


def test_a_cache_that_cannot_be_written_is_said_once(program: Program) -> None:
    program.write("blocked", "")
    program.write("scale.c", SCALE)
    answer = program.run("profile", "scale.c", "--format", "json", "--cache", "blocked/cache")
    assert answer.status == 0
    assert len([line for line in answer.error_lines if "working without the cache" in line]) == 1
    assert answer.json["kernels"][0]["baseline"]["ns"] > 0


def test_profile_gives_every_line_its_evidence(program: Program) -> None:
    program.write("scale.c", SCALE)
    answer = program.run("profile", "scale.c", "--kernel", "scale", "--format", "json", "--no-cache")
    [kernel] = answer.json["kernels"]
    assert answer.status == 0
    assert kernel["baseline"]["evidence"] == "measured"
    for line in kernel["lines"]:
        assert line["evidence"] in ("measured", "counted")
        assert 10 <= line["line"] <= 14


def test_doctor_and_schemas_answer(program: Program) -> None:
    names = {part["name"] for part in program.run("doctor", "--format", "json").json["parts"]}
    assert {"gcc", "clang", "bubblewrap", "valgrind"} <= names
    for name in ("contract", "settings", "rule"):
        assert program.run("schema", name).json["type"] == "object"
    refused(program.run("schema", "verdict"), "expected contract, rule or settings")
