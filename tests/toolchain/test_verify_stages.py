"""Verification with real compilers: kinds of kernel that it can call, and kinds of fault that it finds.

Each fault stands beside a candidate without it, so that no test can pass by refusing everything.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from verify_fixtures import RIGHT, Untimed, ask, baseline_of, subject_of, workbench

from kernwright.text import Snapshot
from kernwright.verify.baseline import NotCheckable, prepare
from kernwright.verify.cascade import verify
from kernwright.verify.question import Question
from kernwright.verify.verdict import StageName, Status, Verdict

SCALE = """
/* kernwright
[args]
n = "i32"
x = "in f32[n] in -4..4"
y = "out f32[n]"
[check]
n = [0, 1, 7, 64, 1000]
[time]
n = 5000
*/
void scale(int n, const float *x, float *y) {
  for (int i = 0; i < n; ++i)
    y[i] = 2 * x[i];
}
"""
RIGHT_BODY = "for (int i = 0; i < n; ++i)\n    y[i] = x[i] + x[i];"


def scale(before: str = "", body: str = RIGHT_BODY, after: str = "") -> str:
    """A rewrite of ``SCALE`` with something more than the work in it."""
    return f"{after}\nvoid scale(int n, const float *x, float *y) {{\n  {before}\n  {body}\n}}\n"


EARLY = "static volatile int seen;\n__attribute__((constructor)) static void early(void) { seen = 1; }"


def raw_call(number: int, instruction: str) -> str:
    return f'long a = {number}; __asm__ volatile("{instruction}" : "+a"(a) : : "rcx", "r11", "memory");'


def check(verdict: Verdict, status: Status, *words: str) -> None:
    """The verdict has this status and says these words where it says why."""
    said = f"{verdict.why} {' '.join(verdict.notes)}"
    assert verdict.status is status, said
    for word in words:
        assert word in said


def test_right_rewrite_passes_every_stage_but_timing(tmp_path: Path) -> None:
    faster = Untimed()
    verdict = ask(tmp_path, SCALE, scale(), "scale", sanitizers=True, faster=faster)
    check(verdict, RIGHT)
    assert [stage.name for stage in verdict.stages] == list(StageName)
    assert verdict.cases > 100
    [point] = faster.points
    assert point.time.values == {"n": 5000}
    assert len(point.sets) >= 2
    for verified in point.sets:
        result = verified.outputs[2]
        assert result is not None
        assert (result == 2 * verified.inputs.values[1]).all()


@pytest.mark.parametrize(
    ("fault", "status", "words"),
    [
        pytest.param("((volatile float *)y)[n] = 0;", Status.REFUTED, ("past the end of 'y'",), id="touches-past-end"),
        pytest.param("volatile float before = x[-1]; (void)before;", Status.REFUTED, ("before the start of 'x'",),
                     id="reads-before-start"),
        pytest.param("if (n == 64) ((char *)y)[4 * n] = 1;", Status.REFUTED, ("past the end of 'y'",),
                     id="byte-past-end-at-one-size"),
        pytest.param("if (n > 0) *(volatile float *)x = 1;", Status.REFUTED, ("'x', an input",), id="writes-to-input"),
        pytest.param("for (;;);", Status.REFUTED, ("time allowed",), id="loops-for-ever"),
        pytest.param("if (n > 7) __builtin_trap();", Status.REFUTED, ("SIGILL",), id="traps"),
        pytest.param("if (n > 7) __builtin_abort();", Status.REFUTED, ("abort",), id="aborts"),
        pytest.param("volatile int big[1 << 22]; big[0] = n; scale(n, x, y);", Status.REFUTED, (), id="stack"),
        pytest.param("_mm_setcsr(_mm_getcsr() | 0x8040);", Status.REFUTED, ("floating-point",), id="denormals"),
        pytest.param('setenv("OMP_NUM_THREADS", "1", 1);', Status.REFUTED, ("environment",), id="sets-environment"),
        pytest.param('puts("fast");', Status.DISHONEST, ("write",), id="prints"),
        pytest.param("exit(0);", Status.DISHONEST, ("exit",), id="exits"),
        pytest.param('fopen("/etc/hostname", "r");', Status.DISHONEST, ("open",), id="opens"),
        pytest.param("chdir(\"/\");", Status.DISHONEST, ("chdir",), id="changes-folder"),
        pytest.param("socket(AF_INET, SOCK_STREAM, 0);", Status.DISHONEST, ("socket",), id="opens-socket"),
        pytest.param("usleep(1);", Status.DISHONEST, ("nanosleep",), id="sleeps"),
        pytest.param("signal(SIGSEGV, SIG_IGN);", Status.DISHONEST, ("signal",), id="handles-signals"),
        pytest.param("fork();", Status.DISHONEST, ("fork",), id="forks"),
        pytest.param(raw_call(39, ".byte 0x0f, 0x05"), RIGHT, (), id="getpid-in-bytes"),
        pytest.param(raw_call(57, ".byte 0x0f, 0x05"), Status.DISHONEST, ("fork",), id="fork-in-bytes"),
        pytest.param(raw_call(39, "syscall"), Status.DISHONEST, ("instruction",), id="system-call-in-text"),
        pytest.param('static const char *maps = "/proc/self/maps"; if (maps[n % 2] == 7) return;', Status.DISHONEST,
                     ("/proc",), id="names-proc"),
        pytest.param("void *kept = malloc(64); free(kept);", RIGHT, (), id="allocates"),
        pytest.param("volatile float before = n > 0 ? x[0] : 0; (void)before;", RIGHT, (), id="reads-within"),
    ],
)  # fmt: skip
def test_what_a_kernel_does_beside_its_work(
    tmp_path: Path, fault: str, status: Status, words: tuple[str, ...]
) -> None:
    headers = "".join(
        f"#include <{name}>\n"
        for name in ("stdio.h", "stdlib.h", "unistd.h", "signal.h", "sys/socket.h", "immintrin.h")
    )
    check(ask(tmp_path, SCALE, scale(before=fault, after=headers), "scale"), status, *words)


@pytest.mark.parametrize(
    ("around", "status", "words"),
    [
        pytest.param(EARLY, Status.DISHONEST, ("constructor",),
                     id="constructor"),
        pytest.param("#include <stddef.h>\nvoid *memcpy(void *to, const void *from, size_t n) { (void)from; (void)n;"
                     " return to; }", Status.DISHONEST, ("memcpy",), id="defines-memcpy"),
        pytest.param("void free(void *p) { (void)p; }", Status.DISHONEST, ("free",), id="defines-free"),
        pytest.param("static int memory_compare(void) { return 0; }\nint helper(void) { return memory_compare(); }",
                     RIGHT, (), id="helper-of-its-own"),
        pytest.param("#define kw_call kw_other\n#define return\n#define void int", RIGHT, (),
                     id="redefines-words"),
    ],
)  # fmt: skip
def test_what_a_unit_defines(tmp_path: Path, around: str, status: Status, words: tuple[str, ...]) -> None:
    check(ask(tmp_path, SCALE, scale(after=around), "scale"), status, *words)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param("float t; for (int i = 0; i < n; ++i) { t = x[i]; y[i] = t + t; }", RIGHT, id="sets-first"),
        pytest.param("volatile float t[4]; for (int i = 0; i < n; ++i) y[i] = 2 * x[i] + (t[i & 3] == 7 ? 1 : 0) * 0"
                     " + (t[0] != t[0] ? 1 : 0);", Status.REFUTED, id="reads-stack-garbage"),
        pytest.param("static float seen; for (int i = 0; i < n; ++i) { y[i] = seen > 9 ? 0 : 2 * x[i]; seen = x[i]; }",
                     RIGHT, id="keeps-state-without-effect"),
        pytest.param("for (int i = 0; i < n; ++i) if (x[i] != 0) y[i] = x[i] + x[i];", Status.REFUTED,
                     id="leaves-some-unwritten"),
        pytest.param("for (int i = 0; i < n; ++i) y[i] = n == 4099 ? 0 : x[i] + x[i];", Status.REFUTED,
                     id="size-in-its-text"),
        pytest.param("for (int i = 0; i < n; ++i) y[i] = x[i] == 3 ? 0 : x[i] + x[i];", Status.REFUTED,
                     id="value-in-its-text"),
    ],
)  # fmt: skip
def test_values(tmp_path: Path, body: str, status: Status) -> None:
    check(ask(tmp_path, SCALE, scale(body=body), "scale"), status)


def test_undefined_behaviour_that_gives_the_right_result(tmp_path: Path) -> None:
    fault = "volatile int top = 2147483647; volatile int over = top + (n > 7); (void)over;"
    check(ask(tmp_path, SCALE, scale(before=fault), "scale", sanitizers=True), Status.REFUTED, "overflow")
    check(ask(tmp_path, SCALE, scale(before=fault), "scale"), RIGHT)


def test_restrict_without_a_promise_is_an_assumption(tmp_path: Path) -> None:
    restrict = """
    void scale(int n, const float *restrict x, float *restrict y) {
      for (int i = 0; i < n; ++i)
        y[i] = 2 * x[i];
    }
    """
    verdict = ask(tmp_path, SCALE, restrict, "scale")
    check(verdict, RIGHT, "overlap")
    assert verdict.assumes == ("no-overlap",)
    promised = SCALE.replace("[time]", "no_overlap = true\n[time]")
    assert ask(tmp_path, promised, restrict, "scale").assumes == ()
    assert ask(tmp_path, SCALE, scale(), "scale").assumes == ()


def test_only_contraction_differs(tmp_path: Path) -> None:
    original = """
    /* kernwright
    [args]
    n = "i32"
    x = "in f32[n] in -4..4"
    y = "inout f32[n] in -4..4"
    [check]
    n = [0, 1, 7, 64]
    [time]
    n = 2000
    [build]
    flags = ["-O2", "-march=x86-64-v3"]
    */
    void step(int n, const float *x, float *y) {
      for (int i = 0; i < n; ++i)
        y[i] = x[i] * 3.1f + y[i];
    }
    """
    apart = """
    void step(int n, const float *x, float *y) {
      for (int i = 0; i < n; ++i) {
        float product = x[i] * 3.1f;
        __asm__("" : "+x"(product));
        y[i] = product + y[i];
      }
    }
    """
    verdict = ask(tmp_path, original, apart, "step")
    check(verdict, Status.REFUTED, "fused")
    assert verdict.assumes == ("contraction",)
    wrong = apart.replace("3.1f", "3.2f")
    verdict = ask(tmp_path, original, wrong, "step")
    check(verdict, Status.REFUTED)
    assert verdict.assumes == ()


def test_narrower_computation_is_named(tmp_path: Path) -> None:
    original = """
    /* kernwright
    [args]
    n = "i32"
    x = "in f64[n] in 0.5..1"
    return = "f64"
    [check]
    n = [0, 1, 7, 64, 1000]
    tolerance = {rel = 1e-3}
    [time]
    n = 5000
    */
    double total(int n, const double *x) {
      double s = 0;
      for (int i = 0; i < n; ++i)
        s += x[i];
      return s;
    }
    """
    narrow = "double total(int n, const double *x) { float s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }"
    verdict = ask(tmp_path, original, narrow, "total")
    check(verdict, RIGHT, "precision", "less accurate")
    assert verdict.error is not None
    assert verdict.error.candidate_vs_f64 is not None and verdict.error.original_vs_f64 is not None
    assert verdict.error.candidate_vs_f64 > 1e4 * verdict.error.original_vs_f64
    two = "double total(int n, const double *x) { double s = 0, t = 0; int i = 0; for (; i + 2 <= n; i += 2)" \
          " { s += x[i]; t += x[i + 1]; } if (i < n) s += x[i]; return s + t; }"  # fmt: skip
    assert "precision" not in " ".join(ask(tmp_path, original, two, "total").notes)


def test_candidate_with_the_kernel_alone_takes_names_from_the_original(tmp_path: Path) -> None:
    original = "#define FACTOR 2\ntypedef float real;\n" + SCALE.replace("2 * x", "FACTOR * x").replace(
        "float", "real"
    )
    alone = "void scale(int n, const real *x, real *y) { for (int i = 0; i < n; ++i) y[i] = FACTOR * x[i]; }"
    original = original.replace('"in real', '"in f32').replace('"out real', '"out f32')
    check(ask(tmp_path, original, alone, "scale"), RIGHT)
    check(ask(tmp_path, original, alone.replace("FACTOR", "OTHER"), "scale"), Status.BUILD_FAILED, "OTHER")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(('y[i] = 2 * x[i];', 'y[i] = 2 * x[i + 1];'), ("'x'",), id="faults-at-listed-size"),
        pytest.param(("\n/* kernwright", "int puts(const char *);\n/* kernwright"), (), id="harmless"),
        pytest.param(("{\n  for", '{\n  __builtin_puts("hello");\n  for'), ("write",), id="prints"),
        pytest.param(("\n/* kernwright", "float factor(void);\n/* kernwright"), (), id="declares-only"),
        pytest.param(("  for", "  float factor(int); y[0] = factor(2);\n  for"), ("factor",), id="missing-definition"),
        pytest.param(("\n/* kernwright", '#include "not_there.h"\n/* kernwright'), ("not_there.h",),
                     id="missing-header"),
        pytest.param(("n = [0, 1, 7, 64, 1000]", 'n = [1, 2]\nwhere = "n > 5"\nonly_listed = true'), ("where",),
                     id="no-admissible-size"),
    ],
)  # fmt: skip
def test_originals_that_cannot_be_checked(tmp_path: Path, change: tuple[str, str], words: tuple[str, ...]) -> None:
    assert change[0] in SCALE
    baseline = baseline_of(tmp_path, SCALE.replace(*change), "scale")
    assert isinstance(baseline, NotCheckable) is bool(words)
    if isinstance(baseline, NotCheckable):
        for word in words:
            assert word in baseline.reason


def test_added_sizes_at_which_the_original_faults_are_dropped_and_said(tmp_path: Path) -> None:
    original = SCALE.replace("n = [0, 1, 7, 64, 1000]", "n = [8, 64, 1000]").replace(
        "y[i] = 2 * x[i];", "y[i] = 2 * x[i < 2 ? n - 2 + i : i];"
    )
    baseline = baseline_of(tmp_path, original, "scale")
    assert not isinstance(baseline, NotCheckable)
    assert any("n = 1" in note for note in baseline.notes)
    assert {inputs.sizes["n"] for inputs in baseline.cases} >= {0, 2, 8, 64, 1000}
    assert 1 not in {inputs.sizes["n"] for inputs in baseline.cases}


def test_same_question_is_answered_from_the_cache(tmp_path: Path) -> None:
    subject = subject_of(tmp_path, SCALE, "scale")
    question = Question(subject, Snapshot(tmp_path / "candidate.c", scale(body="y[0] = n;").encode()))
    bench = workbench(tmp_path)
    first = verify(question, bench, Untimed())
    assert first.status is Status.REFUTED
    assert verify(question, bench, Untimed()).seconds == first.seconds
    other_seed = replace(bench, seed=bench.seed + 1)
    assert verify(question, other_seed, Untimed()).key != first.key


def test_value_that_was_never_written_is_called_that(tmp_path: Path) -> None:
    verdict = ask(tmp_path, SCALE, scale(body="for (int i = 0; i + 1 < n; ++i)\n    y[i] = 2 * x[i];"), "scale")
    example = verdict.stages[-1].counterexample
    assert example is not None
    assert (example.sizes, example.where) == ({"n": 1}, "y[0]")
    assert example.got.endswith("(never written)")


def test_slow_original_is_tried_on_fewer_cases(tmp_path: Path) -> None:
    slow = SCALE.replace("{\n  for", "{\n  for (volatile long k = 0; k < 30000L * n; ++k);\n  for", 1)
    in_haste = replace(workbench(tmp_path), budget_seconds=0.2)
    baseline = prepare(subject_of(tmp_path, slow, "scale"), in_haste)
    assert not isinstance(baseline, NotCheckable)
    assert any("left out" in note for note in baseline.notes)
    assert {inputs.sizes["n"] for inputs in baseline.cases} >= {0, 1, 7, 64, 1000}
    quick = baseline_of(tmp_path, SCALE, "scale")
    assert not isinstance(quick, NotCheckable)
    assert quick.notes == []
    assert len(quick.cases) > len(baseline.cases)


def test_original_that_reads_what_nobody_set_is_named(tmp_path: Path) -> None:
    careless = SCALE.replace("y[i] = 2 * x[i];", "y[i] = 2 * x[i] + (y[i] > 1 ? 1 : 0);")
    baseline = baseline_of(tmp_path, careless, "scale")
    assert not isinstance(baseline, NotCheckable)
    assert baseline.notes == []
    dependent = SCALE.replace("y[i] = 2 * x[i];", "y[i] = 2 * x[i] + (y[i] > 0.001f ? 1 : 0);")
    baseline = baseline_of(tmp_path, dependent, "scale")
    assert not isinstance(baseline, NotCheckable)
    assert any("what memory held" in note for note in baseline.notes)


def test_trusted_function_of_the_same_file_is_the_reference(tmp_path: Path) -> None:
    original = """
    static float trusted(int n, const float *x) {
      double s = 0;
      for (int i = 0; i < n; ++i)
        s += x[i];
      return (float)s;
    }
    /* kernwright
    [args]
    n = "i32"
    x = "in f32[n] in 0..1"
    return = "f32"
    [check]
    n = [1, 7, 64, 4000]
    tolerance = {rel = 3e-7}
    reference = "trusted"
    [time]
    n = 5000
    */
    float total(int n, const float *x) {
      float s = 0;
      for (int i = 0; i < n; ++i)
        s += x[i];
      return s;
    }
    """
    better = original.replace("float s = 0;", "double s = 0;")
    check(ask(tmp_path, original, better, "total"), RIGHT)
    worse = original.replace("s += x[i];\n      return s;", "s += x[i];\n      return s * 1.0005f;")
    check(ask(tmp_path, original, worse, "total"), Status.REFUTED)


COUNT = """
/* kernwright
[args]
n = "i32"
x = "in u8[n] in 0..15"
h = "inout i32[16] in 0..9"
[check]
n = [0, 1, 7, 64]
[time]
n = 200_000
[build]
flags = ["-O2", "-fopenmp"]
*/
void count(int n, const unsigned char *x, int *h) {
  for (int i = 0; i < n; ++i)
    h[x[i]]++;
}
"""


@pytest.mark.parametrize(
    ("pragma", "status"),
    [
        pytest.param("#pragma omp parallel for if (n > 1000) reduction(+ : h[:16])", RIGHT, id="reduction"),
        pytest.param("#pragma omp parallel for if (n > 1000)", Status.REFUTED, id="race"),
    ],
)
def test_races(tmp_path: Path, pragma: str, status: Status) -> None:
    if isinstance(baseline_of(tmp_path, COUNT, "count"), NotCheckable):
        pytest.skip("this compiler has no OpenMP runtime here")
    check(ask(tmp_path, COUNT, COUNT.replace("  for", f"  {pragma}\n  for", 1), "count"), status)


def test_overflow_at_the_timed_size_alone_is_seen_by_sanitizers(tmp_path: Path) -> None:
    timed = SCALE.replace("n = 5000", "n = 800000")
    hidden = scale(before="if (n > 0) { volatile int last = (n - 1) * 3001; (void)last; }")
    check(ask(tmp_path, timed, hidden, "scale", sanitizers=True), Status.REFUTED, "overflow")
    check(ask(tmp_path, SCALE, hidden, "scale", sanitizers=True), RIGHT)
