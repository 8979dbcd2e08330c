"""Does a mutant differ from the original at all? Every small size, several kinds of values, no code of the engine.

Both texts are compiled with a program behind them that reads call after call and writes what each left. The mutant is
compiled once more with the sanitizers: right values are no excuse for touching what lies beside an array. What is the
same here everywhere is taken for equivalent.
"""

from __future__ import annotations

import itertools
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from suite.independent import C_TYPES, DTYPES, Entry, close_enough, contract_of, number, split_outputs

PATTERNS = ("random", "ends", "constant", "small", "sorted", "told")
"""Kinds of values; ``told`` are the numbers of the texts and those beside them."""
LONGEST = {1: 72, 2: 18, 3: 8}
"""Up to which size every combination is tried, by the number of sizes."""
MORE = 60
"""Further combinations of sizes up to twice the largest number in the texts."""
LARGEST = {1: 1100, 2: 150, 3: 40}
SECONDS = 120.0
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-w")
"""How a compiler fuses multiplications and additions differs between two texts that mean the same."""
SANITIZED = ("-O1", "-march=native", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=address")


@dataclass(frozen=True)
class Calls:
    """Arguments of many calls, one after another; the sizes that belong to each, and how many bytes it leaves."""

    sizes: tuple[dict[str, int], ...]
    lengths: tuple[int, ...]
    data: bytes


@dataclass(frozen=True)
class Program:
    """The answers of a text to ``Calls``: what each call left, up to the first that did not return; and what a
    sanitizer said, in one line."""

    answers: tuple[bytes, ...]
    complaint: str


def difference(original: str, mutant: str, kernel: str, suffix: str, scratch: Path, compiler: str) -> str:
    """Where the two differ, in one line; empty where they do not. ``ValueError`` where that can't be told."""
    table, entries, returned = contract_of(original)
    target = table.get("build", {}).get("instantiate") or kernel
    told = _numbers(original, mutant)
    calls = calls_of(table, entries, returned, told)
    harnessed = [harness(text, target, entries, returned) for text in (original, mutant)]
    one = _run(harnessed[0], suffix, scratch, compiler, FLAGS, calls)
    other = _run(harnessed[1], suffix, scratch, compiler, FLAGS, calls)
    if len(one.answers) < len(calls.sizes):
        raise ValueError(f"the original does not return at {calls.sizes[len(one.answers)]}")
    tolerance = table["check"].get("tolerance")
    for at, sizes in enumerate(calls.sizes):
        if at >= len(other.answers):
            return f"{_words(sizes)}: does not return"
        sides = [split_outputs(raw, entries, returned, sizes) for raw in (one.answers[at], other.answers[at])]
        for number_of, (left, right) in enumerate(zip(*sides, strict=True)):
            if not close_enough(left, right, tolerance):
                return f"{_words(sizes)}: result {number_of} differs"
    complaint = _run(harnessed[1], suffix, scratch, compiler, SANITIZED, calls).complaint
    if complaint and not _run(harnessed[0], suffix, scratch, compiler, SANITIZED, calls).complaint:
        return complaint
    return ""


def _words(sizes: dict[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes.items())


def _numbers(*texts: str) -> list[float]:
    """The numbers in the texts: widths, blocks, thresholds."""
    bodies = (re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S) for text in texts)
    return sorted({float(found) for body in bodies for found in re.findall(r"\b\d+\.?\d*(?:[eE][-+]?\d+)?", body)})


# ---- calls ----


def calls_of(table: dict[str, Any], entries: list[Entry], returned: Entry | None, told: Sequence[float]) -> Calls:
    """Every small combination of sizes with every pattern, and some larger ones with one each."""
    check = table.get("check", {})
    names = [entry.name for entry in entries if not entry.role and entry.name in check]
    chosen: list[tuple[dict[str, int], tuple[str, ...]]] = []
    if check.get("only_listed"):
        chosen += [(sizes, PATTERNS) for sizes in _combinations(names, [check[name] for name in names])]
    else:
        count = min(max(len(names), 1), 3)
        chosen += [(sizes, PATTERNS) for sizes in _combinations(names, [range(LONGEST[count] + 1) for _ in names])]
        chosen += [(sizes, ("random",)) for sizes in _combinations(names, [check[name] for name in names])]
        rng = np.random.default_rng(97)
        largest = int(max((value for value in told if value < 10_000), default=8))
        top = min(max(2 * largest + 3, LONGEST[count] + 1), LARGEST[count])
        chosen += [
            ({name: int(rng.integers(0, top, endpoint=True)) for name in names}, ("random",)) for _ in range(MORE)
        ]
    rng = np.random.default_rng(4711)
    sizes_of: list[dict[str, int]] = []
    data = bytearray()
    where = check.get("where")
    for sizes, patterns in chosen:
        if where and not eval(where, {"__builtins__": {}}, dict(sizes)):
            continue
        for pattern in patterns:
            data += b"\1" + _arguments(entries, sizes, pattern, rng, told)
            sizes_of.append(sizes)
    lengths = tuple(_length(entries, returned, sizes) for sizes in sizes_of)
    return Calls(tuple(sizes_of), lengths, bytes(data))


def _combinations(names: Sequence[str], pools: Sequence[Sequence[int]]) -> Iterator[dict[str, int]]:
    return (dict(zip(names, map(int, values), strict=True)) for values in itertools.product(*pools))


def _arguments(
    entries: list[Entry], sizes: dict[str, int], pattern: str, rng: np.random.Generator, told: Sequence[float]
) -> bytes:
    known: dict[str, Any] = dict(sizes)
    for entry in entries:
        if not entry.role and entry.name not in known:
            known[entry.name] = values_of(entry, 1, known, "random", rng, told)[0].item()
    out = bytearray()
    for entry in entries:
        if not entry.role:
            out += np.array([known[entry.name]], DTYPES[entry.dtype]).tobytes()
            continue
        count = 1
        for dim in entry.dims:
            count *= int(number(dim, known))
        out += np.int64(count).tobytes() + values_of(entry, count, known, pattern, rng, told).tobytes()
        if entry.rows:
            out += np.int64(number(entry.dims[-1], known)).tobytes()
    return bytes(out)


def values_of(
    entry: Entry, count: int, known: dict[str, Any], pattern: str, rng: np.random.Generator, told: Sequence[float]
) -> NDArray[Any]:
    """Values of one argument within its range; of a struct, four floats for each."""
    whole = entry.dtype in DTYPES and entry.dtype[0] != "f"
    low = number(entry.low, known) if entry.low else (-4 if entry.dtype[0] in "fi" else 0)
    high = number(entry.high, known) if entry.high else (100 if whole else 4)
    high = max(low, high)
    count, kind = (count, DTYPES[entry.dtype]) if entry.dtype in DTYPES else (4 * count, np.float32)
    drawn = rng.integers(low, high, count, endpoint=True) if whole else rng.uniform(low, high, count)
    match pattern:
        case "ends":
            drawn = rng.choice(np.array([low, high]), count)
        case "constant":
            drawn = np.full(count, drawn[0] if count else 0)
        case "small":
            drawn = rng.choice(drawn[: max(3, count // 8)], count) if count else drawn
        case "sorted":
            drawn = np.sort(drawn)
        case "told":
            near = [v + step for v in (*told, *known.values()) for step in (0, -1, 1) if low <= v + step <= high] or [
                low
            ]
            drawn = np.where(rng.random(count) < 0.7, rng.choice(np.array(near), count), drawn)
        case _:
            pass
    return drawn.astype(kind)


# ---- programs ----


def harness(text: str, target: str, entries: list[Entry], returned: Entry | None) -> str:
    """The text with a program that makes every call it is told of. Arrays are exactly as long as they have to be."""
    cpp = "std::" in text or "template" in text
    lines = [text, "", "#include <stdio.h>", "#include <stdlib.h>"]
    lines += ["#define TAKE(at, count) if (fread(at, sizeof *(at), count, stdin) != (size_t)(count)) return 9"]
    lines += ["static int one_call(void) {", "  char mark; TAKE(&mark, 1);"]
    call: list[str] = []
    for k, entry in enumerate(entries):
        kind = C_TYPES.get(entry.dtype, entry.dtype)
        if not entry.role:
            lines.append(f"  {kind} v{k}; TAKE(&v{k}, 1);")
            call.append(f"v{k}")
            continue
        lines.append(f"  long long c{k}; TAKE(&c{k}, 1);")
        lines.append(f"  {kind} *v{k} = ({kind} *)malloc(c{k} * sizeof *v{k}); TAKE(v{k}, c{k});")
        two = re.search(rf"\b{entry.name}\[\]\[(\d+)\]", text)
        if entry.rows:
            lines.append(f"  long long w{k}; TAKE(&w{k}, 1);")
            lines.append(
                f"  long long r{k} = w{k} ? c{k} / w{k} : 0; "
                f"{kind} **p{k} = ({kind} **)malloc((r{k} + 9000) * sizeof *p{k});"
            )
            lines.append(f"  for (long long i = 0; i < r{k} + (w{k} ? 0 : 9000); i++) p{k}[i] = v{k} + i * w{k};")
            call.append(f"p{k}")
        elif cpp and re.search(rf"vector<{kind}>\s*&\s*{entry.name}\b", text):
            lines.append(f"  std::vector<{kind}> s{k}(v{k}, v{k} + c{k});")
            call.append(f"s{k}")
        else:
            call.append(f"({kind} (*)[{two.group(1)}])v{k}" if two else f"v{k}")
    invoke = f"{target}({', '.join(call)})"
    if returned is not None:
        lines.append(f"  {C_TYPES[returned.dtype]} result = {invoke};")
        lines.append("  fwrite(&result, sizeof result, 1, stdout);")
    else:
        lines.append(f"  {invoke};")
    for k, entry in enumerate(entries):
        if entry.role in ("in", "out", "inout"):
            lines.append(f"  fwrite(v{k}, sizeof *v{k}, c{k}, stdout);")
        if entry.role:
            lines.append(f"  free(v{k});{f' free(p{k});' if entry.rows else ''}")
    return "\n".join(
        [*lines, "  fflush(stdout); return 0;", "}", "int main(void) { while (one_call() == 0) {} return 0; }", ""]
    )


def _run(text: str, suffix: str, scratch: Path, compiler: str, flags: Sequence[str], calls: Calls) -> Program:
    scratch.mkdir(parents=True, exist_ok=True)
    source, program = scratch / f"exhaustive{suffix}", scratch / "exhaustive"
    source.write_text(text)
    built = subprocess.run(
        [compiler, *flags, str(source), "-o", str(program), "-lm"], capture_output=True, check=False
    )
    if built.returncode != 0:
        raise ValueError(f"it does not build alone: {built.stderr.decode(errors='replace').splitlines()[:1]}")
    try:
        done = subprocess.run(
            [str(program)], input=calls.data, capture_output=True, timeout=SECONDS, check=False,
            env={"ASAN_OPTIONS": "detect_leaks=0", "UBSAN_OPTIONS": "halt_on_error=1"},
        )  # fmt: skip
        out, said = done.stdout, done.stderr.decode(errors="replace")
    except subprocess.TimeoutExpired as ended:
        out, said = ended.stdout or b"", ""
    found = re.search(r"(runtime error: [^\n]+|AddressSanitizer: [\w-]+)", said)
    return Program(tuple(_pieces(out, calls.lengths)), found[1] if found else "")


def _pieces(out: bytes, lengths: Sequence[int]) -> Iterator[bytes]:
    at = 0
    for length in lengths:
        if at + length > len(out):
            return
        yield out[at : at + length]
        at += length


def _length(entries: list[Entry], returned: Entry | None, sizes: dict[str, int]) -> int:
    known = {**{entry.name: 0 for entry in entries if not entry.role}, **sizes}
    length = np.dtype(DTYPES[returned.dtype]).itemsize if returned is not None else 0
    for entry in entries:
        if entry.role in ("in", "out", "inout"):
            count = 1
            for dim in entry.dims:
                count *= int(number(dim, known))
            length += count * (np.dtype(DTYPES[entry.dtype]).itemsize if entry.dtype in DTYPES else 16)
    return length
