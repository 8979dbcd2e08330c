"""Transforms of computation: each rewrite parses, compiles without a warning and leaves the same bytes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from body_transform_cases import CASES, Case
from side_by_side import SIZES, Pair, builds, compare

from kernwright.kernel import find_functions
from kernwright.loops.analyse import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.transform import Refusal, Value
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot

pytestmark = pytest.mark.compiler


def rewrite(transform: str, choice: Mapping[str, Value], source: str, language: Language, loop: int = 0) -> str:
    """The rewritten file. A refusal fails with its reason."""
    path = Path("kernel.c" if language is Language.C else "kernel.cpp")
    snapshot = Snapshot(path, source.encode())
    parsed = parse(snapshot)
    kernel = next(kernel for kernel in find_functions(parsed) if kernel.name == "f")
    nest = analyse(parsed, kernel)
    result = TRANSFORMS[transform].apply(nest, nest.loops[loop], choice)
    assert not isinstance(result, Refusal), result.reason
    return snapshot.apply(result.edits).data.decode()


@pytest.mark.parametrize("language", list(Language), ids=lambda language: language.value)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rewrite_equals_the_original(case: Case, language: Language, tmp_path: Path) -> None:
    if not builds(language):
        pytest.skip(f"no compiler for {language.value} on this machine")
    if language not in case.languages:
        pytest.skip(f"the source is not {language.value}")
    rewritten = rewrite(case.transform, case.choice, case.prelude + case.source, language, case.loop)
    assert not parse(Snapshot(Path("kernel.c"), rewritten.encode()), language).root.has_error, rewritten
    assert rewritten.startswith(case.prelude)
    pair = Pair(
        case.source, rewritten[len(case.prelude) :], case.call, dict(case.buffers), case.prelude, case.sizes or SIZES
    )
    compare(pair, language, tmp_path)


def test_a_wrong_rewrite_is_noticed(tmp_path: Path) -> None:
    if not builds(Language.C):
        pytest.skip("no C compiler on this machine")
    source = "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
    pair = Pair(
        source, source.replace("i < n", "i < n - 1"), "float r = f(n, x); note(&r, sizeof r);", {"x": ("float", "n")}
    )
    with pytest.raises(AssertionError, match="differs at n ="):
        compare(pair, Language.C, tmp_path)


def test_a_read_past_the_end_is_noticed(tmp_path: Path) -> None:
    if not builds(Language.C):
        pytest.skip("no C compiler on this machine")
    source = "float f(int n, const float *x) { float s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }"
    wrong = source.replace("s += x[i]", "s += x[i] + 0 * x[i + 1]")
    pair = Pair(source, wrong, "float r = f(n, x); note(&r, sizeof r);", {"x": ("float", "n")})
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        compare(pair, Language.C, tmp_path)
