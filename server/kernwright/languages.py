"""The source languages, and which a file is in. Loads no grammar: the process that talks to the editor asks too."""

from __future__ import annotations

from enum import Enum
from pathlib import Path


class Language(Enum):
    """A source language; the value names its folder under ``rules/`` and its name in JSON."""

    C = "c"
    CPP = "cpp"


_EXTENSIONS = {
    ".c": Language.C,
    ".h": Language.C,
    ".cc": Language.CPP,
    ".cpp": Language.CPP,
    ".cxx": Language.CPP,
    ".c++": Language.CPP,
    ".hh": Language.CPP,
    ".hpp": Language.CPP,
    ".hxx": Language.CPP,
    ".h++": Language.CPP,
    ".inl": Language.CPP,
    ".ipp": Language.CPP,
    ".tpp": Language.CPP,
    ".C": Language.CPP,
    ".H": Language.CPP,
}
SOURCE_SUFFIXES = frozenset(_EXTENSIONS)


def language_of(path: Path, data: bytes = b"") -> Language | None:
    """The language by file extension; a ``.h`` file that has C++'s own words in it is C++."""
    language = _EXTENSIONS.get(path.suffix) or _EXTENSIONS.get(path.suffix.lower())
    if path.suffix == ".h" and any(
        word in data for word in (b"template", b"namespace ", b"class ", b"std::", b"constexpr ", b"public:")
    ):
        return Language.CPP
    return language
