"""Which language a file is taken for: by its name first, then by what the editor calls it."""

from __future__ import annotations

import pytest

from .exchange import ServerError
from .surface import DOT, TEXT, Opened, Served, each_editor, in_vscode

IN_CPP = """\
#include <vector>
namespace é {
template <typename T>
T total(const std::vector<T> &x)
{
    float sum = 0.0f;
    for (int i = 0; i < 1000; i++)
        /* é𝄞 */ sum += x[i];
    return sum;
}
}
"""
"""C++ alone: a parser of C finds no function there."""
FILES = (
    # Name, language id, text, whether its finding is found.
    ("k.c", "c", DOT, True),
    ("k.c", "cpp", DOT, True),
    ("k.c", "plaintext", DOT, True),
    ("k.cpp", "cpp", IN_CPP, True),
    ("k.cpp", "c", IN_CPP, True),
    ("k.cc", "objective-cpp", IN_CPP, True),
    ("k.C", "c", IN_CPP, True),
    ("K.CPP", "cpp", IN_CPP, True),
    ("k.hpp", "c", IN_CPP, True),
    ("k.h", "c", DOT, True),
    ("k.h", "cpp", DOT, True),
    ("k.h", "c", IN_CPP, True),
    ("k.inc", "c", DOT, True),
    ("k.inc", "cpp", IN_CPP, True),
    ("kernel", "c", DOT, True),
    ("k.cu", "cuda-cpp", DOT, False),
    ("k.cu", "cuda", DOT, False),
    ("k.md", "markdown", DOT, False),
    ("k.py", "python", DOT, False),
)


async def none_of_ours(file: Opened, uri: str) -> None:
    """Nothing is said of a file, and it counts as not open."""
    with pytest.raises(ServerError, match="is not open"):
        await file.command("showReport", uri=uri, kernel="dot")
    assert await file.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) == []
    assert file.client.diagnostics(uri) == []


@in_vscode
@pytest.mark.parametrize(("name", "language", "text", "found"), FILES, ids=[f"{one[0]}-{one[1]}" for one in FILES])
def test_languages(served: Served, name: str, language: str, text: str, found: bool) -> None:
    async def check(file: Opened) -> None:
        path = served.world.root / name
        uri = file.client.open(path, text, language)
        if found:
            diagnostics = await file.client.wait_for_diagnostics(uri)
            place = next(one["range"] for one in diagnostics if one["code"] == "float-sum-in-order")
            assert file.client.document(uri).at(place).startswith("sum += ")
            return
        await none_of_ours(file, uri)
        file.client.change_full(uri, "other words")
        file.client.close(uri)

    served.run(check, TEXT)


@each_editor
def test_cuda_is_left_to_others_whatever_it_is_called(served: Served) -> None:
    """Helix calls it ``cpp``; its extension says what it is."""

    async def check(file: Opened) -> None:
        await none_of_ours(file, file.client.open(served.world.root / "k.cu", DOT, "cpp"))

    served.run(check, TEXT)
