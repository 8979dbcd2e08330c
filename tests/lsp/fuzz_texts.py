"""Texts that editors send: real kernels, the marks that hold code together, and characters that split lines wrongly.

What goes out may hold halves of surrogate pairs, as JSON can; `as_kept` is what a text comes to once it has arrived.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random

_REPOSITORY = Path(__file__).parents[2]
_FOLDERS = ("server/kernwright/demo_kernels", "tests/suite/kernels", "tests/verify_cases")
_LONGEST_SOURCE = 6_000
_HUGE_LINE = 100_000

BREAKS = ("\n", "\n", "\r\n", "\r", "\n\r", "\r\r\n", "\f", "\v", "\x85", "\u2028", "\u2029", "\x1c", "\0")
CHARACTERS = (
    *("x", "é", "ß", "漢", "𝄞", "😀", "e\u0301", "\ufeff", "\u202e", "\t", "  ", "\x7f", "\U0010ffff", "\ufffd"),
    *("\ud83d", "\ude00", "\ud83d\ude00", "\ude00\ud83d", "a\ud83db", "ﷺ", "👨‍👩‍👧"),
)
MARKS = (
    *("{", "}", "}}", "(", ")", "[", "]", ";", ",", "/*", "*/", "//", "/**/", '"', "'", "\\", "\\\n", "#", "&", "*"),
    *("0x", "1e", ".", "::", "<", ">", "?", ":", "@", "$", "`", "...", 'R"(', ')"', "'\\", "%:", "??/"),
)
PHRASES = (
    *("#if 0\n", "#endif\n", "#else\n", "#define N 8\n", "#define FOR for (\n", '#include "missing.h"\n'),
    *(
        "for (int i = 0; i < n; i++) ",
        "while (n--) ",
        "if (x[0] > 0) ",
        "else ",
        "return;\n",
        "continue;\n",
        "goto out;\n",
    ),
    *(
        "float sum = 0;\n",
        "sum += x[i] * y[i];\n",
        "y[i] = x[i];\n",
        "x[i] = x[i - 1] + 1.0f;\n",
        "double ",
        "restrict ",
    ),
    *(
        "void f(int n, const float *x, float *y) {\n",
        "int g(int n) { return n; }\n",
        "static inline ",
        "const ",
        "volatile ",
    ),
    *(
        "/* kernwright\n",
        '/* kernwright\n[args]\nn = "i32"\n*/\n',
        "/* kernwright\nn = \n*/\n",
        "[check]\n",
        "[time]\nn = 7\n",
    ),
    *(
        '/* kernwright\n[args]\nx = "in f32[m]"\n*/\n',
        '/* kernwright\n# 𝄞 é\n"a\u2028b" = 3\n*/\n',
        "*/\n",
        "no_overlap = true\n",
    ),
    *(
        'y = "inout f32[n] in 1..0"\n',
        "tolerance = {rel = 1e-4}\n",
        "n = [0, 1, 7]\n",
        "[nothing]\nit = 1\n",
        'n = "i32\r',
    ),
    *("template <class T> ", "namespace a { ", "std::vector<float> v;\n", "auto f = [&](int i) { return i; };\n"),
    *('const char *s = "\f\u2028𝄞";\n', "/* \x85 \v */ ", "// é\r", "int 漢 = 1;\n", "#pragma omp parallel for\n"),
)


TELLTALES = (
    """void NAME(const float *x, unsigned long n, float *out)
{
    *out = 0;
    for (unsigned long i = 0; i < n; i++)
        *out += x[i] * x[i];
}
""",
    """/* kernwright
[nothing]
*/
float NAME(int n, const float *x) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += x[i];
    return sum;
}
""",
)
"""Functions with findings: by them it shows where a server believes the lines to be."""


def as_kept(text: str) -> str:
    """A text after its way through JSON and UTF-8: halves that meet are a character, halves alone are U+FFFD."""
    if text.isascii():
        return text
    joined = re.sub("[\ud800-\udbff][\udc00-\udfff]", _joined, text)
    return re.sub("[\ud800-\udfff]", "\ufffd", joined)


def _joined(pair: re.Match[str]) -> str:
    high, low = pair.group()
    return chr(0x10000 + ((ord(high) - 0xD800) << 10) + (ord(low) - 0xDC00))


@cache
def sources(suffix: str) -> tuple[str, ...]:
    """Short real sources, those with contracts among them, in a fixed order."""
    paths = sorted(path for folder in _FOLDERS for path in (_REPOSITORY / folder).rglob(f"*{suffix}"))
    texts = (path.read_text(encoding="utf-8") for path in paths if path.stat().st_size <= _LONGEST_SOURCE)
    return tuple(dict.fromkeys(texts))


def source(random: Random, suffix: str = ".c") -> str:
    """A text for a whole document: mostly real code, with the ends of lines of several systems."""
    pool = sources(suffix if random.random() < 0.8 else ".c")
    text = "\n".join(random.choice(pool) for _ in range(random.choice((1, 1, 1, 2))))
    for _ in range(random.choice((1, 2, 3))):
        telltale = random.choice(TELLTALES).replace("NAME", f"telltale_{random.randrange(1000)}")
        text = random.choice((telltale + text, f"{text}\n{telltale}"))
    match random.randrange(14):
        case 0:
            return ""
        case 1:
            return text.replace("\n", "\r\n")
        case 2:
            return text.replace("\n", "\r")
        case 3:
            return "".join(line + random.choice(("\n", "\r\n", "\r")) for line in text.split("\n"))
        case 4:
            return text.replace("\n\n", random.choice(("\n\f\n", "\n// \u2028𝄞\n", "\r\n\v\r\n")))
        case 5:
            return text.replace(" ", random.choice(("\f", "\u2028 ", "/*𝄞*/ ", "\v", "\x85")), random.randrange(40))
        case 6:
            return "".join(
                random.choice((*BREAKS, *CHARACTERS, *MARKS, *PHRASES)) for _ in range(random.randrange(80))
            )
        case _:
            return text


def piece(random: Random) -> str:
    """A text to insert."""
    roll = random.random()
    if roll < 0.25:
        return random.choice("abixyn01 =+-*;.")
    if roll < 0.4:
        return random.choice(MARKS)
    if roll < 0.55:
        return random.choice(PHRASES)
    if roll < 0.68:
        return random.choice(BREAKS)
    if roll < 0.8:
        return random.choice(CHARACTERS)
    if roll < 0.9:
        return "".join(random.choice((*BREAKS, *CHARACTERS, *MARKS)) for _ in range(random.randrange(1, 12)))
    if roll < 0.995:
        text = random.choice(sources(".c"))
        start = random.randrange(len(text))
        return text[start : start + random.randrange(1, 400)]
    filling = random.choice(("x", "é", "𝄞", "\f", "a b ", "/**/", "(", "x[i]+"))
    return filling * (_HUGE_LINE // len(filling))
