"""A second opinion on an offer: other seeds, other sizes, a plain C harness, and no code of the engine.

It reads the contract with its own few lines, compiles each text as it stands with a ``main`` behind it, feeds both
the same bytes and compares what they leave. It knows only what the suite's contracts use.
"""

from __future__ import annotations

import itertools
import re
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DTYPES: dict[str, Any] = {
    "f32": np.float32, "f64": np.float64, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip
C_TYPES = {
    "f32": "float", "f64": "double", "i8": "signed char", "i16": "short", "i32": "int", "i64": "long long",
    "u8": "unsigned char", "u16": "unsigned short", "u32": "unsigned", "u64": "unsigned long long",
}  # fmt: skip
ENTRY = re.compile(
    r"^(?:(?P<role>in|out|inout|scratch) )?(?P<dtype>\w+)(?P<dims>(?:\[[^\]]*\])*)"
    r"(?: in (?P<low>\S+?)\.\.(?P<high>\S+))?"
)
OTHER_SIZES = {1: (2, 5, 31, 129, 777), 2: (3, 6, 19, 50), 3: (3, 11, 40)}


@dataclass(frozen=True)
class Entry:
    """One argument as this checker reads it."""

    name: str
    role: str
    dtype: str
    dims: tuple[str, ...]
    low: str | None
    high: str | None
    rows: bool


@dataclass(frozen=True)
class Difference:
    """Two texts disagree."""

    sizes: dict[str, int]
    what: str


def number(text: str, values: dict[str, Any]) -> Any:
    """A size or bound; the suite's contracts use names, numbers and the four operations."""
    if not re.fullmatch(r"[\w\s+\-*/().%]+", text):
        raise ValueError(text)
    return eval(text.replace("/", "//") if "." not in text else text, {"__builtins__": {}}, dict(values))


def contract_of(source: str) -> tuple[dict[str, Any], list[Entry], Entry | None]:
    """The contract, its entries in the order of the kernel's parameters, and the returned value."""
    match = re.search(r"/\* kernwright\n(.*?)\*/\s*(.*?)\{", source, re.S)
    assert match is not None
    table = tomllib.loads(match.group(1))
    head = re.sub(r"/\*.*?\*/|//[^\n]*", "", match.group(2), flags=re.S)
    entries: dict[str, Entry] = {}
    for name, text in table["args"].items():
        parts = ENTRY.match(text)
        assert parts is not None, text
        brackets = re.findall(r"\[([^\]]*)\]", parts["dims"] or "")
        dims = tuple(d.strip() for b in brackets for d in b.split(","))
        entries[name] = Entry(
            name, parts["role"] or "", parts["dtype"], dims, parts["low"], parts["high"], len(brackets) > 1
        )
    returned = entries.pop("return", None)
    parameters = head[head.index("(") : head.rindex(")")]
    order = sorted(entries.values(), key=lambda e: next(m.start() for m in re.finditer(rf"\b{e.name}\b", parameters)))
    return table, order, returned


def sizes_of(table: dict[str, Any], entries: list[Entry]) -> list[dict[str, int]]:
    names = [e.name for e in entries if not e.role and e.name in table["check"]]
    choice = OTHER_SIZES[min(len(names), 3)]
    where = table["check"].get("where")
    listed = table["check"]
    pools = [sorted({*choice, *(int(v) for v in listed[name] if v)}) for name in names]
    found: list[dict[str, int]] = []
    for combination in itertools.product(*pools):
        values = dict(zip(names, combination, strict=True))
        if where and not eval(where, {"__builtins__": {}}, dict(values)):
            continue
        found.append(values)
    if "only_listed" in listed:
        return found
    step = max(1, len(found) // 12)
    return found[::step]


def values_for(entry: Entry, count: int, env: dict[str, Any], rng: np.random.Generator) -> NDArray[Any]:
    low = number(entry.low, env) if entry.low else (-4 if entry.dtype[0] in "fi" else 0)
    high = number(entry.high, env) if entry.high else (4 if entry.dtype[0] == "f" else 100)
    if entry.dtype not in DTYPES:
        return rng.uniform(low, high, count * 4).astype(np.float32)
    if entry.dtype[0] == "f":
        return rng.uniform(low, high, count).astype(DTYPES[entry.dtype])
    return rng.integers(low, max(high, low), count, endpoint=True).astype(DTYPES[entry.dtype])


def harness(source: str, kernel: str, entries: list[Entry], returned: Entry | None, instantiate: str | None) -> str:
    """A program that reads its arguments from standard input and writes arrays and result to standard output."""
    cpp = "std::" in source or "template" in source
    lines = [source, "", "#include <stdio.h>", "#include <stdlib.h>", "int main(void) {", "  long long count;"]
    call: list[str] = []
    for k, entry in enumerate(entries):
        ctype = C_TYPES.get(entry.dtype, entry.dtype)
        if not entry.role:
            lines.append(f"  {ctype} v{k}; if (fread(&v{k}, sizeof v{k}, 1, stdin) != 1) return 9;")
            call.append(f"v{k}")
            continue
        lines.append("  if (fread(&count, sizeof count, 1, stdin) != 1) return 9;")
        lines.append(f"  long long c{k} = count; {ctype} *v{k} = ({ctype} *)malloc(count * sizeof *v{k} + 64);")
        lines.append(f"  if (count && fread(v{k}, sizeof *v{k}, count, stdin) != (size_t)count) return 9;")
        if entry.rows:
            lines.append(f"  long long w{k}; if (fread(&w{k}, sizeof w{k}, 1, stdin) != 1) return 9;")
            lines.append(f"  {ctype} **r{k} = ({ctype} **)malloc(9000 * sizeof *r{k});")
            lines.append(
                f"  for (int i = 0; i < 9000 && w{k} && (i + 1) * w{k} <= c{k}; i++) r{k}[i] = v{k} + i * w{k};"
            )
            call.append(f"r{k}")
        elif cpp and re.search(rf"vector<{ctype}>\s*&\s*{entry.name}\b", source):
            lines.append(f"  std::vector<{ctype}> s{k}(v{k}, v{k} + c{k});")
            call.append(f"s{k}")
        else:
            two = re.search(rf"\b{entry.name}\[\]\[(\d+)\]", source)
            call.append(f"({ctype} (*)[{two.group(1)}])v{k}" if two else f"v{k}")
    target = instantiate or kernel
    invoke = f"{target}({', '.join(call)})"
    if returned is not None:
        lines.append(f"  {C_TYPES[returned.dtype]} result = {invoke};")
        lines.append("  fwrite(&result, sizeof result, 1, stdout);")
    else:
        lines.append(f"  {invoke};")
    for k, entry in enumerate(entries):
        if entry.role in ("in", "out", "inout"):
            lines.append(f"  fwrite(v{k}, sizeof *v{k}, c{k}, stdout);")
    return "\n".join([*lines, "  return 0;", "}", ""])


def packed(entries: list[Entry], sizes: dict[str, int], rng: np.random.Generator) -> bytes:
    env: dict[str, Any] = dict(sizes)
    scalars: dict[str, bytes] = {}
    for entry in entries:
        if not entry.role:
            if entry.name not in sizes:
                env[entry.name] = values_for(entry, 1, env, rng)[0].item()
            scalars[entry.name] = np.array([env[entry.name]], DTYPES[entry.dtype]).tobytes()
    out = b""
    for entry in entries:
        if not entry.role:
            out += scalars[entry.name]
            continue
        count = 1
        for dim in entry.dims:
            count *= int(number(dim, env))
        out += np.int64(count).tobytes() + values_for(entry, count, env, rng).tobytes()
        if entry.rows:
            out += np.int64(number(entry.dims[-1], env)).tobytes()
    return out


def split_outputs(
    raw: bytes, entries: list[Entry], returned: Entry | None, sizes: dict[str, int]
) -> list[NDArray[Any]]:
    parts: list[NDArray[Any]] = []
    at = 0
    if returned is not None:
        dtype = np.dtype(DTYPES[returned.dtype])
        parts.append(np.frombuffer(raw, dtype, 1, at))
        at += dtype.itemsize
    for entry in entries:
        if entry.role in ("in", "out", "inout"):
            dtype = np.dtype(DTYPES.get(entry.dtype, np.float32))
            count = 4 if entry.dtype not in DTYPES else 1
            for dim in entry.dims:
                count *= int(number(dim, {**{e.name: 0 for e in entries if not e.role}, **sizes}))
            parts.append(np.frombuffer(raw, dtype, count, at))
            at += dtype.itemsize * count
    assert at == len(raw)
    return parts


def close_enough(a: NDArray[Any], b: NDArray[Any], tolerance: Any) -> bool:
    if a.tobytes() == b.tobytes():
        return True
    if tolerance in (None, "exact"):
        same = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
        if a.dtype.kind == "f":
            same |= np.isnan(a) & np.isnan(b)
        return bool(same.all())
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    allowed = tolerance.get("abs", 0.0) + tolerance.get("rel", 0.0) * np.abs(wide_a)
    return bool((np.abs(wide_a - wide_b) <= allowed).all())


def second_opinion(
    original: str,
    rewritten: str,
    kernel: str,
    suffix: str,
    scratch: Path,
    compiler: str,
    flags: list[str],
    seed: int = 987_654,
) -> list[Difference]:
    """Differences between the two texts; an empty list means that none was found."""
    table, entries, returned = contract_of(original)
    instantiate = table.get("build", {}).get("instantiate")
    programs: list[Path] = []
    for label, text in (("original", original), ("rewritten", rewritten)):
        source = scratch / f"{label}{suffix}"
        source.write_text(harness(text, kernel, entries, returned, instantiate))
        program = scratch / label
        subprocess.run([compiler, *flags, str(source), "-o", str(program), "-lm"], check=True, capture_output=True)
        programs.append(program)
    found: list[Difference] = []
    for number_of, sizes in enumerate(sizes_of(table, entries)):
        data = packed(entries, sizes, np.random.default_rng(seed + number_of))
        results = [
            subprocess.run([str(p)], input=data, capture_output=True, timeout=60, check=False) for p in programs
        ]
        if results[0].returncode or results[1].returncode:
            found.append(Difference(sizes, f"exit {results[0].returncode} and {results[1].returncode}"))
            continue
        sides = [split_outputs(result.stdout, entries, returned, sizes) for result in results]
        for left, right in zip(*sides, strict=True):
            if not close_enough(left, right, table["check"].get("tolerance")):
                found.append(Difference(sizes, f"{left[:4]} against {right[:4]}"))
    return found
