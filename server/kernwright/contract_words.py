"""The words of a contract and what each means, in one sentence: hovers, completion, the JSON Schema and the page on
contracts all say the same.

Plain data that loads nothing heavy. What may stand where is decided by ``contract_text``; a test holds the two
together in both directions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernwright.contract import DEFAULT_MAX_CASES

ARGS, CHECK, TIME, WORK, BUILD, LAUNCH = "args", "check", "time", "work", "build", "launch"
TOLERANCE, GLOBALS, RETURN, ALIGNED = "tolerance", "globals", "return", "aligned"
ENTRY_FORM = "[ROLE] DTYPE[DIMS] [in LOW..HIGH] [WORD ...]"


@dataclass(frozen=True)
class Word:
    """``example`` is how it is written: a value behind its key as TOML, or the word in an entry. It may be empty."""

    meaning: str
    example: str = ""


TABLES: Mapping[str, Word] = {
    ARGS: Word("One entry per parameter, in any order, and `return` for the value that is returned.", "[args]"),
    CHECK: Word("At which sizes results are compared, and what counts as equal.", "[check]"),
    TIME: Word("The sizes to time at; a list of tables, `[[time]]`, for several.", "[time]"),
    WORK: Word("What one call does, over the sizes: inferred where the loops are affine.", "[work]"),
    BUILD: Word("How to compile; without it the compilation database decides.", "[build]"),
    LAUNCH: Word("How to launch a device kernel; a host kernel is called without it.", "[launch]"),
}

KEYS: Mapping[str, Mapping[str, Word]] = {
    ARGS: {
        RETURN: Word("What the kernel returns: it is compared too.", '"f32"'),
    },
    CHECK: {
        "where": Word("Combinations of sizes outside this condition are never called.", '"n >= 1 and n % 4 == 0"'),
        TOLERANCE: Word(
            "How far results may be off: bit for bit unless something else is written; `tolerance.y` is for y alone.",
            '"exact"',
        ),
        "overlap": Word("Groups of arrays that callers may pass overlapping, and that are tried so.", '[["x", "y"]]'),
        "no_overlap": Word("Callers never pass overlapping arrays, so that `restrict` is legal.", "true"),
        "only_listed": Word("Sizes beyond the listed ones are not tried.", "true"),
        "reference": Word(
            "A trusted function of the file to compare with, as well as with the original.", '"reference"'
        ),
        "setup": Word(
            "A function of the file that is called once before the kernel, to fill tables.", '"fill_tables"'
        ),
        GLOBALS: Word(
            "Entries, as in [args], of the file-scope arrays that the kernel reads or writes.",
            '{table = "in f32[256]"}',
        ),
        "max_cases": Word(f"At most so many combinations of sizes are tried; {DEFAULT_MAX_CASES} by default.", "64"),
    },
    TOLERANCE: {
        "ulp": Word("So many units in the last place may a float be off; it stands alone.", "4"),
        "rel": Word("With abs: the difference is at most abs + rel times the reference; a missing one is 0.", "1e-6"),
        "abs": Word("With rel: the difference is at most abs + rel times the reference; a missing one is 0.", "1e-9"),
    },
    TIME: {
        "cache": Word('Whether timed calls find their data in the caches: "warm", the default, or "cold".', '"cold"'),
        "weight": Word("How much these sizes count where there are several tables; 1 by default.", "2.0"),
    },
    WORK: {
        "flops": Word("Floating-point operations of one call, over the sizes.", '"2*n"'),
        "bytes": Word("Bytes that one call has to move, over the sizes.", '"12*n"'),
    },
    BUILD: {
        "flags": Word("Flags of the compiler.", '["-O3", "-march=native"]'),
        "compiler": Word("The compiler, by a name that is on the PATH or allowed in the settings.", '"gcc"'),
        "include": Word("Folders to look for headers in.", '["inc"]'),
        "link": Word("Libraries to link, as after `-l`.", '["m"]'),
        "instantiate": Word("The template of the kernel with its arguments.", '"dot<float, 8>"'),
    },
    LAUNCH: {
        "grid": Word("Blocks in each dimension of the grid, over the sizes.", '["(n+255)/256"]'),
        "block": Word("Threads in each dimension of a block.", "[256]"),
        "shared": Word("Bytes of dynamic shared memory.", '"0"'),
        "blocks": Word("Cores to launch on, for Ascend C.", "8"),
        "workspace": Word("Bytes of workspace, for Ascend C.", '"0"'),
    },
}
"""By table; those of a tolerance under its own name. [check] and [time] take the names of sizes beside these."""

VALUES: Mapping[tuple[str, str], Mapping[str, Word]] = {
    (CHECK, TOLERANCE): {
        "exact": Word("Bit for bit; any NaN equals any NaN.", '"exact"'),
    },
    (TIME, "cache"): {
        "warm": Word("Timed calls follow each other on the same data.", '"warm"'),
        "cold": Word("What a timed call works on is thrown out of the caches before it.", '"cold"'),
    },
}
"""Words that a text may be, by table and key."""

ROLES: Mapping[str, Word] = {
    "in": Word("An array that is only read.", '"in f32[n]"'),
    "out": Word("An array that is written; its contents before the call do not matter.", '"out f32[n]"'),
    "inout": Word("An array that is read and written.", '"inout f32[n]"'),
    "scratch": Word("An array to work in; its contents after the call do not matter.", '"scratch f32[n]"'),
}

DTYPES: Mapping[str, Word] = {
    "f16": Word("A float of 16 bits: IEEE 754 half precision."),
    "bf16": Word("A float of 16 bits with the exponent of f32: a brain float."),
    "f32": Word("A float of 32 bits: `float` in C."),
    "f64": Word("A float of 64 bits: `double` in C."),
    "i8": Word("A signed integer of 8 bits."),
    "i16": Word("A signed integer of 16 bits."),
    "i32": Word("A signed integer of 32 bits: `int` in C."),
    "i64": Word("A signed integer of 64 bits."),
    "u8": Word("An unsigned integer of 8 bits."),
    "u16": Word("An unsigned integer of 16 bits."),
    "u32": Word("An unsigned integer of 32 bits."),
    "u64": Word("An unsigned integer of 64 bits: `size_t` on 64-bit systems."),
    "bool": Word("True or false, in one byte."),
}

RANGE = Word(
    "The values that callers pass, both ends included; without it floats are any finite values, integers of 8 and 16 "
    "bits any of their type, wider ones within 2^20.",
    "in 0..1",
)

WORDS: Mapping[str, Word] = {
    "sorted": Word("Callers pass the elements in ascending order.", "sorted"),
    "distinct": Word("Callers pass no element twice.", "distinct"),
    "permutation": Word("Callers pass each of the integers from LOW on, or from 0 on, once.", "permutation"),
    "nonzero": Word("Callers never pass a zero.", "nonzero"),
    "specials": Word("NaN, infinities and denormals may occur, so they are tried.", "specials"),
    ALIGNED: Word("Callers pass an address that is a multiple of so many bytes, a power of two.", "aligned(64)"),
}


def meaning_of(path: tuple[str, ...]) -> Word | None:
    """What stands at a path of tables and keys, such as ``("check", "tolerance", "ulp")``, names of sizes and
    parameters included."""
    match path:
        case (table,):
            return TABLES.get(table)
        case ("args", name):
            return KEYS[ARGS].get(name) or Word(f"The entry of the parameter {name}: `{ENTRY_FORM}`.", '"in f32[n]"')
        case ("check", "tolerance", name):
            return KEYS[TOLERANCE].get(name) or Word(f"How far the results in {name} may be off.", "{ulp = 4}")
        case ("check", "tolerance", _, name):
            return KEYS[TOLERANCE].get(name)
        case ("check", "globals", name):
            return Word(f"The entry of the file-scope array {name}: `{ENTRY_FORM}`.", '"in f32[256]"')
        case ("check", name):
            listed = Word(f"The values of {name} at which results are compared.", "[0, 1, 7, 64, 1000]")
            return KEYS[CHECK].get(name) or listed
        case ("time", name):
            return KEYS[TIME].get(name) or Word(f"The value of {name} to time at.", "1_000_000")
        case (table, name):
            return KEYS.get(table, {}).get(name)
        case _:
            return None


def first_word_of_entry(word: str) -> Word | None:
    """The word that an entry begins with: a role, or the dtype of a scalar."""
    return ROLES.get(word) or DTYPES.get(word)


def further_word_of_entry(word: str) -> Word | None:
    """Any word behind the first: here ``in`` begins the values."""
    return RANGE if word == "in" else DTYPES.get(word) or WORDS.get(word) or ROLES.get(word)


def vocabulary_tables() -> str:
    """Markdown tables of every word: the generated part of the page on contracts."""
    lines: list[str] = []
    for table, word in TABLES.items():
        lines += ["", f"### [{table}]", word.meaning]
        lines += ["", "| key | means | such as |", "|---|---|---|"]
        lines += [f"| `{key}` | {known.meaning} | `{key} = {known.example}` |" for key, known in KEYS[table].items()]
        if table == CHECK:
            lines += [
                f"| `tolerance` | {known.meaning} | `tolerance = {{{key} = {known.example}}}` |"
                for key, known in KEYS[TOLERANCE].items()
            ]
        if table in (ARGS, CHECK, TIME):
            named = meaning_of((table, "n"))
            assert named is not None
            lines.append(f"| a name | {named.meaning} | `n = {_of_size(table, named)}` |")
    lines += ["", f"### Entries: `{ENTRY_FORM}`", "", "| word | means | such as |", "|---|---|---|"]
    words = {**ROLES, **DTYPES, "in LOW..HIGH": RANGE, **WORDS}
    lines += [f"| `{word}` | {known.meaning} | `{known.example or word}` |" for word, known in words.items()]
    return "\n".join(lines).lstrip("\n") + "\n"


def _of_size(table: str, word: Word) -> str:
    return '"i32"' if table == ARGS else word.example
