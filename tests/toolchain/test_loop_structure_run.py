"""Transforms of loop structure: each rewrite parses, compiles without a warning and leaves the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest
from body_transform_cases import Case
from loop_structure_cases import CASES
from side_by_side import SIZES, Pair, builds, compare

from kernwright.kernel import find_functions
from kernwright.loops.analyse import analyse
from kernwright.propose.registry import TRANSFORMS
from kernwright.propose.transform import Refusal
from kernwright.syntax import Language, parse
from kernwright.text import Snapshot

pytestmark = pytest.mark.compiler


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_rewrite_equals_the_original(case: Case, tmp_path: Path) -> None:
    """In C where the case is C; every fifth case runs in C++ too, which differs in a few words only."""
    languages = [language for language in Language if language in case.languages]
    if CASES.index(case) % 5:
        languages = languages[:1]
    for language in languages:
        if not builds(language):
            pytest.skip(f"no compiler for {language.value} on this machine")
        snapshot = Snapshot(Path("kernel.c" if language is Language.C else "kernel.cpp"), case.source.encode())
        parsed = parse(snapshot)
        kernel = next(kernel for kernel in find_functions(parsed) if kernel.loops)
        nest = analyse(parsed, kernel)
        result = TRANSFORMS[case.transform].apply(nest, nest.loops[case.loop], case.choice)
        assert not isinstance(result, Refusal), result.reason
        rewritten = snapshot.apply(result.edits).data.decode()
        assert not parse(Snapshot(snapshot.path, rewritten.encode()), language).root.has_error, rewritten
        folder = tmp_path / language.value
        folder.mkdir()
        compare(Pair(case.source, rewritten, case.call, dict(case.buffers), "", case.sizes or SIZES), language, folder)
