"""What real compilers say of a text: remarks, errors, assembly. Texts exist in memory only unless a test says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_fixtures import asked, line_with

from kernwright.targets.counts import hot_loop, mix_of, mix_of_lines
from kernwright.targets.mca import BlockEstimate
from kernwright.targets.model import Evidence, Remark, RemarkKind, ToolProblem
from kernwright.targets.remarks import LoopOutcome, loop_outcome

COMPILERS = ("gcc", "clang")
LOOPS = """\
static void saxpy(int n, float a, const float *restrict x, float *restrict y) {
  for (int i = 0; i < n; i++)  // SAXPY
    y[i] += a * x[i];
}
float total(int n, const float *x) {
  float s = 0;
  for (int i = 0; i < n; i++)  // TOTAL
    s += x[i];
  return s;
}
int find(int n, const int *x, int key) {
  for (int i = 0; i < n; i++)  // FIND
    if (x[i] == key)
      return i;
  return -1;
}
void recur(int n, float *a, const float *b) {
  for (int i = 1; i < n; i++)  // RECUR
    a[i] = a[i - 1] * b[i];
}
float unknown(float);
void call(int n, float *a) {
  for (int i = 0; i < n; i++)  // CALL
    a[i] = unknown(a[i]);
}
void reload(int *a, int *n) {
  for (int i = 0; i < *n; i++)  // RELOAD
    a[i] += 2;
}
"""
OUTCOMES = [
    # mark, compiler, part of the outcome
    ("SAXPY", "gcc", "vectorised with 32-byte vectors"),
    ("SAXPY", "clang", "vectorised, 8 elements at once"),
    ("TOTAL", "gcc", "vectorised with 32-byte vectors, but its reduction is in order"),
    ("TOTAL", "clang", "not vectorised: cannot prove it is safe to reorder floating-point operations"),
    ("FIND", "gcc", "not vectorised: control flow in loop"),
    ("FIND", "clang", "not vectorised: "),
    ("RECUR", "gcc", "not vectorised: bad data dependence (distance 1)"),
    ("RECUR", "clang", "not vectorised: unsafe dependent memory operations in loop"),
    ("CALL", "gcc", "statement clobbers memory"),
    ("CALL", "clang", "not vectorised: call instruction cannot be vectorized"),
    ("RELOAD", "gcc", "not vectorised: number of iterations cannot be computed"),
    ("RELOAD", "clang", "not vectorised: could not determine number of loop iterations"),
]


def remarks_on(folder: Path, name: str, text: str, compiler: str, *more: str) -> list[Remark]:
    host, command, parsed = asked(folder, name, text, compiler, ("-O3", "-march=x86-64-v3", *more))
    remarks = host.remarks(command, parsed)
    assert not isinstance(remarks, ToolProblem), remarks
    return remarks


def outcome_at(folder: Path, compiler: str, mark: str, text: str = LOOPS, *more: str) -> LoopOutcome:
    line = line_with(text, mark)
    return loop_outcome(remarks_on(folder, "loops.c", text, compiler, *more), line, line + 1)


@pytest.mark.compiler
@pytest.mark.parametrize(("mark", "compiler", "expected"), OUTCOMES)
def test_what_became_of_a_loop(tmp_path: Path, mark: str, compiler: str, expected: str) -> None:
    assert expected in str(outcome_at(tmp_path, compiler, mark))


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_flags_change_the_outcome(tmp_path: Path, compiler: str) -> None:
    assert outcome_at(tmp_path, compiler, "TOTAL", LOOPS, "-ffast-math").vectorised
    assert not outcome_at(tmp_path, compiler, "TOTAL", LOOPS, "-ffast-math").in_order
    assert not outcome_at(tmp_path, compiler, "SAXPY", LOOPS, "-O1").vectorised


CLASSES = """\
#define OPAQUE
namespace outer {
struct Row {
  float *p;
  void scale(int n, float a) {
    for (int i = 0; i < n; i++) p[i] *= a;  // MEMBER
  }
};
namespace {
[[maybe_unused]] void hidden(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; }  // HIDDEN
}
OPAQUE
namespace {
double sum_of(int n, double *x) {
  for (int i = 0; i < n; i++) x[i] *= 3;  // BEHIND A MACRO
  return x[0];
}
}
inline void add(int n, float *__restrict x, const float *y) {
  for (int i = 0; i < n; i++) x[i] += y[i];  // INLINE
}
template <class T> T twice(int n, T *x) {
  for (int i = 0; i < n; i++) x[i] *= 2;  // TEMPLATE
  return x[0];
}
}
template float outer::twice<float>(int, float *);
"""


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_functions_that_nobody_calls_are_compiled_and_named(tmp_path: Path, compiler: str) -> None:
    remarks = remarks_on(tmp_path, "classes.cpp", CLASSES, compiler)
    for mark, function in (
        ("// MEMBER", "outer::Row::scale"),
        ("// HIDDEN", "outer::(anonymous namespace)::hidden"),
        ("// INLINE", "outer::add"),
        ("// BEHIND A MACRO", "outer::(anonymous namespace)::sum_of"),
        ("// TEMPLATE", "outer::twice<float>"),
    ):
        line = line_with(CLASSES, mark)
        assert loop_outcome(remarks, line, line).vectorised, mark
        assert any(function in remark.function for remark in remarks if remark.line == line), mark


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_columns_are_those_of_the_authors_text(tmp_path: Path, compiler: str) -> None:
    """The request to keep a static function stands on its line, and must not move what is reported there."""
    text = "static void f(int n, float *x) { for (int i = 0; i < n; i++) x[i] += 1; }\n"
    loop = text.index("for") + 1
    remarks = remarks_on(tmp_path, "one.c", text, compiler)
    columns = {remark.column for remark in remarks if remark.kind is RemarkKind.OPTIMISED and "vect" in remark.subject}
    assert columns
    assert all(loop <= column <= loop + len("for (int i = 0; i < n;") for column in columns)


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_remarks_are_of_the_text_alone_and_follow_it(tmp_path: Path, compiler: str) -> None:
    """The text in memory counts, not the one on disk; included code is left out; includes are found beside it."""
    (tmp_path / "loops.c").write_text("#error this is what lies on disk\n")
    header = "static inline void other(int n, float *p) { for (int i = 0; i < n; i++) p[i] = 0.5f * p[i]; }\n"
    (tmp_path / "own.h").write_text("\n" * 40 + header)
    text = '#include "own.h"\nvoid f(int n, float *p) { other(n, p); }\n'
    remarks = remarks_on(tmp_path, "loops.c", text, compiler)
    assert all(remark.line <= 2 for remark in remarks)
    inlined = [remark.message for remark in remarks if remark.subject == "inline"]
    assert inlined
    assert not any("kernwright-" in message for message in inlined), "our own folder is nobody's business"


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_text_that_does_not_compile_is_one_line(tmp_path: Path, compiler: str) -> None:
    host, command, parsed = asked(tmp_path, "bad.c", "int f(void) {\n  return undeclared;\n}\n", compiler)
    remarks = host.remarks(command, parsed)
    assert isinstance(remarks, ToolProblem)
    assert "does not compile bad.c:2: " in remarks.message
    assert "undeclared" in remarks.message
    assert "\n" not in remarks.message


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_errors_with_line_and_column(tmp_path: Path, compiler: str) -> None:
    text = "int f(float x) {\n  /* é */ x.field;\n  return undeclared;\n}\n"
    host, command, parsed = asked(tmp_path, "bad.c", text, compiler, ("-Wall",))
    found = host.compile_errors(command, parsed)
    assert not isinstance(found, ToolProblem)
    errors = {(one.line, one.column) for one in found if one.severity == "error"}
    assert (3, 10) in errors
    assert errors & {(2, 12), (2, 13)}, "columns count bytes"
    text = "int f(void) {\n  int unused;\n  return 0;\n}\n"
    host, command, parsed = asked(tmp_path, "warned.c", text, compiler, ("-Wall",))
    found = host.compile_errors(command, parsed)
    assert not isinstance(found, ToolProblem)
    assert [(one.line, one.column, one.severity) for one in found] == [(2, 7, "warning")]
    assert "unused" in found[0].message


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_errors_of_included_files_stand_at_the_include(tmp_path: Path, compiler: str) -> None:
    (tmp_path / "inner.h").write_text("int broken = ;\n")
    (tmp_path / "outer.h").write_text('\n#include "inner.h"\n')
    text = 'int a;\n#include "outer.h"\n'
    host, command, parsed = asked(tmp_path, "unit.c", text, compiler)
    found = host.compile_errors(command, parsed)
    assert not isinstance(found, ToolProblem)
    assert [(one.line, one.severity) for one in found] == [(2, "error")]
    assert "inner.h:" in found[0].message
    text = "\n#include <no/such/header.h>\n"
    host, command, parsed = asked(tmp_path, "unit.c", text, compiler)
    missing = host.compile_errors(command, parsed)
    assert not isinstance(missing, ToolProblem)
    assert [(one.line, one.severity) for one in missing] == [(2, "error")]
    assert "no/such/header.h" in missing[0].message


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_a_sound_text_has_no_errors(tmp_path: Path, compiler: str) -> None:
    host, command, parsed = asked(tmp_path, "loops.c", LOOPS, compiler)
    assert host.compile_errors(command, parsed) == []
    host, command, parsed = asked(tmp_path, "own.hpp", "#pragma once\n" + CLASSES, compiler)
    assert host.compile_errors(command, parsed) == []


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_flags_that_a_compiler_does_not_know_are_a_problem(tmp_path: Path, compiler: str) -> None:
    host, command, parsed = asked(tmp_path, "loops.c", LOOPS, compiler, ("-fno-such-option",))
    found = host.compile_errors(command, parsed)
    assert isinstance(found, ToolProblem)
    assert "no-such-option" in found.message


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_instructions_of_a_loop(tmp_path: Path, compiler: str) -> None:
    host, command, parsed = asked(tmp_path, "loops.c", LOOPS, compiler)
    functions = host.assembly(command, parsed)
    if isinstance(functions, ToolProblem):
        pytest.skip(functions.message)
    saxpy, total, call = (line_with(LOOPS, mark) for mark in ("SAXPY", "TOTAL", "// CALL"))
    hot = hot_loop(functions, saxpy, saxpy + 1)
    assert hot is not None
    mix = mix_of(hot)
    assert (mix.vector_bytes, mix.vectorised, mix.scalar_float, mix.calls) == (32, True, 0, 0)
    in_order = hot_loop(functions, total, total + 1)
    assert in_order is not None
    assert not mix_of(in_order).vectorised, "an in-order sum is scalar code, whatever the remarks say"
    assert mix_of(in_order).scalar_float > 0
    assert mix_of_lines(functions, call, call + 1).calls == 1
    assert hot_loop(functions, 1, 1) is None


SPILLS = "void f(long *a, const long *b) {\n  for (int i = 0; i < 64; i++) {\n" + "".join(
    f"    long v{k} = b[i * 40 + {k}] * 3;\n" for k in range(30)
) + '    __asm__ volatile("" ::: "memory");\n    a[i] = ' + " ^ ".join(
    f"(v{k} + v{(k * 7) % 30})" for k in range(30)
) + ";\n  }\n}\n"  # fmt: skip


@pytest.mark.compiler
def test_spills_are_counted(tmp_path: Path) -> None:
    host, command, parsed = asked(tmp_path, "spills.c", SPILLS, "gcc")
    functions = host.assembly(command, parsed)
    if isinstance(functions, ToolProblem):
        pytest.skip(functions.message)
    mix = mix_of_lines(functions, 1, 99)
    assert mix.spills > 5
    assert mix.reloads + mix.spills > 10
    host, command, parsed = asked(tmp_path, "loops.c", LOOPS, "gcc")
    others = host.assembly(command, parsed)
    assert not isinstance(others, ToolProblem)
    line = line_with(LOOPS, "SAXPY")
    assert mix_of_lines(others, line, line + 1).spills == 0


@pytest.mark.compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_the_estimate_for_a_hot_block(tmp_path: Path, compiler: str) -> None:
    """An in-order sum waits for its additions; independent work is bound by the machine's width."""
    host, command, parsed = asked(tmp_path, "loops.c", LOOPS, compiler)
    functions = host.assembly(command, parsed)
    if isinstance(functions, ToolProblem):
        pytest.skip(functions.message)
    total, saxpy, call = (line_with(LOOPS, mark) for mark in ("TOTAL", "SAXPY", "// CALL"))
    chained = host.estimate(functions, total, total + 1)
    if isinstance(chained, ToolProblem):
        pytest.skip(chained.message)
    free = host.estimate(functions, saxpy, saxpy + 1)
    assert isinstance(free, BlockEstimate)
    assert "chain of dependences" in chained.bottleneck
    assert "chain of dependences" not in free.bottleneck
    assert chained.cycles > 2 * chained.throughput
    assert chained.evidence is Evidence.ESTIMATED
    refused = host.estimate(functions, call, call + 1)
    assert isinstance(refused, ToolProblem)
    assert "call" in refused.message
    nothing = host.estimate(functions, 1, 1)
    assert isinstance(nothing, ToolProblem)
    assert nothing.message == "no loop was compiled for lines 1 to 1"
