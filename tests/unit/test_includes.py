"""Which headers the key of a kept result depends on."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernwright.includes import included_content

CASES = [
    ('#include "near.h"\n', "near.h", True),
    ("#include <far.h>\n", "inc/far.h", True),
    ('#  include "near.h"\n', "deep.h", True),
    ("#include <near.h>\n", "near.h", False),
    ('#include "near.h"\n', "other.h", False),
    ('// #include "near.h"\n', "near.h", False),
]


@pytest.mark.parametrize(("text", "changed", "matters"), CASES)
def test_a_changed_header_matters_where_it_is_reached(tmp_path: Path, text: str, changed: str, matters: bool) -> None:
    (tmp_path / "inc").mkdir()
    for name, content in (("near.h", '#include "deep.h"\n'), ("deep.h", '#include "near.h"\n'), ("other.h", "")):
        (tmp_path / name).write_text(content)
    (tmp_path / "inc/far.h").write_text("int far;\n")
    flags = ("-O3", "-I", "inc", "-isystemnowhere")

    def key() -> str:
        return included_content(tmp_path / "a.c", text.encode(), tmp_path, flags)

    before = key()
    assert before == key()
    (tmp_path / changed).write_text("int changed;\n")
    assert (key() != before) is matters
