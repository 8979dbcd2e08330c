"""Where a model may write: drafts that become edits, and drafts that reach beyond their regions."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.agent.regions import Draft, OutOfBounds, Rewritten, rewritten
from kernwright.kernel import find_functions
from kernwright.syntax import parse
from kernwright.text import Snapshot

FILE = """\
#include <stddef.h>

#define LANES 4
int other(int k) { return k + LANES; }

/* kernwright
[args]
n = "i32"
*/
float total(int n, const float *x)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x[i];
    return s;
}

int last(void) { return 1; }
"""
NEW = "float total(int n, const float *x)\n{\n    return n ? x[0] : 0;\n}"


def check(draft: Draft, source: str = FILE, name: str = "total.c") -> str:
    """The file with the draft in it, or the reason why there is none."""
    parsed = parse(Snapshot(Path(name), source.encode()))
    kernel = next(kernel for kernel in find_functions(parsed) if kernel.name == "total")
    result = rewritten(parsed, kernel, draft)
    if isinstance(result, OutOfBounds):
        assert "\n" not in result.reason
        return result.reason
    assert isinstance(result, Rewritten)
    after = parsed.snapshot.apply(result.edits).data
    assert after == result.parsed.snapshot.data
    return after.decode()


def test_the_kernel_alone_is_replaced() -> None:
    start, end = FILE.index("float total"), FILE.index("\n\nint last")
    assert check(Draft(f"/* mine */\n{NEW}\n// end")) == FILE[:start] + NEW + FILE[end:]


def test_helpers_stand_above_the_contract_and_headers_behind_the_last() -> None:
    helper = "static float half(float v) { return v / 2; }"
    text = check(Draft(NEW, helper, ("<immintrin.h>", "<stddef.h>")))
    assert text.startswith("#include <stddef.h>\n#include <immintrin.h>\n\n#define LANES 4")
    assert f"{helper}\n\n/* kernwright" in text
    assert text.count("#include") == 2


def test_line_ends_of_the_file_are_kept() -> None:
    text = check(
        Draft(NEW, "static int two(void)\n{\n    return 2;\n}", ("<immintrin.h>",)), FILE.replace("\n", "\r\n")
    )
    assert text.count("\n") == text.count("\r\n")


def test_a_file_that_begins_with_its_kernel() -> None:
    text = check(Draft(NEW, "static int two(void) { return 2; }", ("<immintrin.h>",)), NEW.replace("x[0]", "x[1]"))
    assert text.index("#include") < text.index("two") < text.index("total")


def test_pragmas_and_conditions_inside_of_the_kernel() -> None:
    kernel = NEW.replace("    return", "#ifdef __AVX2__\n#pragma GCC unroll 4\n#endif\n    return")
    assert "#pragma GCC unroll 4" in check(Draft(kernel))


def test_a_method_of_a_namespace() -> None:
    source = "namespace sound {\nfloat total(int n, const float *x) { return 0; }\n}\n"
    assert "return n ? x[0] : 0" in check(Draft(NEW), source, "total.cpp")


@pytest.mark.parametrize(
    ("draft", "reason"),
    [
        (Draft(NEW + "\nint more(void) { return 1; }"), "other functions go into 'helpers'"),
        (Draft("int x;"), "has to be the definition of 'total'"),
        (Draft(NEW.replace("total", "sum")), "does not define 'total'"),
        (Draft(NEW.replace("int n,", "long n,")), "parameter 'long n' instead of 'int n'"),
        (Draft(NEW[:-1]), "brackets of the kernel do not match"),
        (Draft(NEW + "}"), "has to be the definition"),
        (Draft(NEW.replace("    return", "#define LANES 8\n    return")), "directive #define LANES 8"),
        (Draft(NEW.replace("    return", "#include </etc/passwd>\n    return")), "directive #include"),
        (Draft(NEW.replace("    return", "%:define LANES 8\n    return")), "directive #define"),
        (Draft(NEW.replace("    return", "#pragma push_macro(\"LANES\")\n    return")), "directive #pragma"),
        (Draft(NEW.replace("    return", '    __asm__(".incbin \\"/etc/passwd\\"");\n    return')), "uses __asm__"),
        (Draft(NEW.replace("    return", '    __as\\\nm__(".inc" "bin");\n    return')), "uses __asm__"),
        (Draft(NEW.replace("    return", "/* a\n */ #define LANES 8\n    return")), "directive #define"),
        (Draft(NEW.replace("    return", '"/*";\n#define LANES 8\n"*/";\n    return')), "directive #define"),
        (Draft(NEW, 'static int odd __attribute__((section(".a\\n.x"))) = 1;'), "uses section"),
        (Draft(NEW, "#define LANES 8"), "directive #define"),
        (Draft(NEW, "int loose;"), "has to be static"),
        (Draft(NEW, "float other(int k) { return k; }"), "has to be static"),
        (Draft(NEW, "static int open(void) {"), "cannot be read"),
        (Draft(NEW, "", ('"secret.h"',)), "takes system headers"),
        (Draft(NEW, "", ("</etc/passwd>",)), "takes system headers"),
        (Draft(NEW, "", ("<../secret.h>",)), "takes system headers"),
        (Draft(NEW, "", ("<a.h>\n#define LANES 8",)), "takes system headers"),
        (Draft(NEW + " " * 70_000), "more than 60000 characters"),
    ],
)  # fmt: skip
def test_what_is_out_of_bounds(draft: Draft, reason: str) -> None:
    assert reason in check(draft)
